"""Tolerances along a motion as a page, from the object of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...foundations.markup.svg_axes import Chart, PlottedCurve, svg
from ...foundations.markup.visible import escape
from ...foundations.types import Array
from .page import document, facts, figure, header, legend, line_sample, paragraphs, section, table
from .tolerance_page import STYLE, shown

Result = Mapping[str, Any]

COLUMNS = (">Nominal", ">Worst, least", ">Most", ">99.73 %, from", ">To", ">Std")

CURVES = ("samples, 99.73 %", "worst case", "root sum of squares, ± 3 std")
"""What is drawn about the nominal value, in the order of colours."""


def band_page(title: str, result: Result) -> str:
    """The page: each measure with its band over the states.

    Args:
        title: the name of the assembly; result: of `ToleranceBand.to_dict`, finite.
    """
    names = enumerate(result["measures"].items())
    states = f"{len(result['valid'])}, {sum(result['valid'])} analysed"
    told = facts(
        (("Samples in each state", f"{result['samples']}; seed {result['seed']}"),
         ("States", states))
    )  # fmt: skip
    body = [
        "<main>\n",
        header("Tolerances along a motion", title, told),
        *(section(name, _measure(name, m, result, f"b{k}")) for k, (name, m) in names),
        section("To be said", paragraphs(result["notes"])),
        "</main>",
    ]
    return document(f"{title}: tolerances along a motion", "".join(body), STYLE)


def _measure(name: str, m: Result, result: Result, key: str) -> str:
    samples = legend((line_sample(k), words) for k, words in enumerate(CURVES))
    drawing = svg(_chart(name, m, result), key)
    rows = [[escape(cell) for cell in row] for row in band_rows(result, m)]
    columns = (*(f">{label}" for label in driver_labels(result)), *COLUMNS)
    drawn = figure(f"{name}, off its nominal value", drawing, samples)
    charts = f'<div class="charts">\n{drawn}</div>\n'  # letters as large as in other charts
    return charts + table(f"Band of {name}, {m['unit']}", columns, rows)


def _chart(name: str, m: Result, result: Result) -> Chart:
    """The band about the nominal value, which may be much larger than it."""
    driver, swept = next(iter(result["along"].items()))
    x, nominal = _array(swept["value"]), _array(m["nominal"])
    low, high = (_array(m["quantiles"][q]) - nominal for q in ("0.00135", "0.99865"))
    both = np.append(x, [np.nan, *x])

    def pair(least: Array, most: Array) -> Array:
        return np.concatenate([least - nominal, [np.nan], most - nominal])

    mean, std = (_array(m["rss"][key]) for key in ("mean", "std"))
    ends = [_array(v) for v in m["worst_case"]]
    curves = [
        PlottedCurve(CURVES[0], *_outline(x, low, high), filled=True),
        PlottedCurve(CURVES[1], both, pair(*ends)),
        PlottedCurve(CURVES[2], both, pair(mean - 3.0 * std, mean + 3.0 * std)),
    ]
    label = f"{name} - nominal, {m['unit']}"
    return Chart(f"Band of {name}", f"{driver}, {swept['unit']}", label, curves, shown=(0.0,))


def _outline(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """The outline of a band, one for each run of states that are known, with NaN between them."""
    known = np.flatnonzero(np.isfinite(low) & np.isfinite(high))
    runs = np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)
    there = [np.concatenate([x[k], x[k][::-1], [np.nan]]) for k in runs]
    edge = [np.concatenate([high[k], low[k][::-1], [np.nan]]) for k in runs]
    return np.concatenate(there), np.concatenate(edge)


def driver_labels(result: Result) -> list[str]:
    """The swept drivers with their units."""
    return [f"{name}, {d['unit']}" for name, d in result["along"].items()]


def band_rows(result: Result, m: Result) -> list[list[str]]:
    """Each state: drivers, nominal value, extremes, quantiles, standard deviation, as texts."""
    q = m["quantiles"]
    columns = [
        *(d["value"] for d in result["along"].values()),
        m["nominal"], *m["worst_case"], q["0.00135"], q["0.99865"], m["sampled"]["std"],
    ]  # fmt: skip
    return [[shown(value) for value in row] for row in zip(*columns, strict=True)]


def _array(values: list[float | None]) -> Array:
    return np.array([np.nan if v is None else v for v in values], float)
