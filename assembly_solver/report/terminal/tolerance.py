"""A tolerance analysis as tables for a terminal of 80 columns, from the dictionary of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...results.wording.phrases import count
from ..page.band_page import band_rows, driver_labels
from ..page.tolerance_page import play_rows, shown, spread_rows
from .layout import Block
from .tables import lines, number, shortened, table, text

Result = Mapping[str, Any]


def tolerance(result: Result) -> list[Block]:
    """Each measure with its spread and who contributes what, then samples that did not close."""
    parts: list[Block] = []
    for name, measure in result["measures"].items():
        parts += _measure(name, measure)
    failed = [f"{name}: {count(n, 'sample')}" for name, n in result["failed"].items()]
    others = [f"{name}: {count(n, 'sample')}" for name, n in result["modes"].items()]
    return [
        *parts,
        text(f"{count(result['samples'], 'sample')}, {result['solved']} closed; "
             f"seed {result['seed']}"),
        *_binding(result["binding"]),
        *lines("did not close, by the mate that is off", failed, "red"),
        *(lines("assembly modes", others) if len(others) > 1 else []),
        *lines("to be said", result["notes"]),
    ]  # fmt: skip


def tolerance_band(result: Result) -> list[Block]:
    """Along a motion: each measure with its band over the states, then what is to be said."""
    parts: list[Block] = []
    for name, m in result["measures"].items():
        parts.append(text(f"{name}, {m['unit']}", "bold"))
        columns = (*driver_labels(result), *BAND_COLUMNS)
        parts += shortened([f">{c}" for c in columns], band_rows(result, m), "states more")
    told = f"{count(result['samples'], 'sample')} in each state; seed {result['seed']}"
    return [*parts, text(told), *lines("to be said", result["notes"])]


BAND_COLUMNS = ("nominal", "worst, least", "most", "99.73 %, from", "to", "std")


def _binding(b: Result | None) -> list[Block]:
    """What binds, how often, and the play that frees it."""
    if b is None:
        return []
    causes = [(name, count(n, "sample")) for name, n in b["tolerances"].items()]
    return [
        text(b["words"], "bold red"),
        *table(("by the largest part", ">binding"), causes),
        *table(("play in", ">mm", ">frees"), play_rows(b)),
    ]


def _measure(name: str, m: Result) -> list[Block]:
    unit = m["unit"]
    bounds = " to ".join(number(v) if v is not None else "..." for v in (m["min"], m["max"]))
    asked = f", asked {bounds}" if (m["min"], m["max"]) != (None, None) else ""
    out: list[Block] = [text(f"{name}: {number(m['nominal'])} {unit}{asked}", "bold")]
    out += table(("how", ">least", ">most", ">mean", ">std"), spread_rows(m))
    out += _met(m["sampled"])
    rows, left = [], dict(m["contributions"])
    for key, s in m["sensitivities"].items():  # the share of a zone stands with its first variable
        share = left.pop(_of(key, m), None)
        told = "" if share is None else f"{100 * share:.1f} %"
        rows.append((key, shown(s["value"]), s["unit"], told))
    title = "share (Shapley)" if m["contributions_by"] == "shapley" else "share"
    return [*out, *table(("by", ">sensitivity", "unit", f">{title}"), rows)]


def _of(variable: str, m: Result) -> str:
    """The tolerance of a variable, whose name may go on with a coordinate."""
    return variable if variable in m["contributions"] else variable.rpartition(".")[0]


def _met(sampled: Result) -> list[Block]:
    """The share of the samples that meet the bounds."""
    if sampled.get("meets") is None:
        return []
    words = f"{100 * sampled['meets']:.3f} % meet it, +- {100 * sampled['meets_error']:.3f} %"
    known = [f"{key.capitalize()} {sampled[key]:.3f}" for key in ("cp", "cpk") if key in sampled]
    return [text(", ".join([words, *known]))]
