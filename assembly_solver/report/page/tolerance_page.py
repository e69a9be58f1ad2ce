"""A tolerance analysis as a page, from the dictionary of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..visible import escape
from .page import document, paragraphs, table

Measure = Mapping[str, Any]

STYLE = "page/page.css"


def tolerance_page(title: str, result: Mapping[str, Any]) -> str:
    """The page: each measure with its spread, sensitivities and shares; samples left out."""
    body = [f"<h1>{escape(title)}</h1>\n"]
    for name, m in result["measures"].items():
        body.append(f"<h2>{escape(name)}: {_shown(m['nominal'])} {escape(m['unit'])}</h2>\n")
        rows = [[escape(cell) for cell in row] for row in spread_rows(m)]
        body.append(table("spread", ("how", ">least", ">most", ">mean", ">std"), rows))
        slopes = [
            [escape(key), _shown(s["value"]), escape(s["unit"])]
            for key, s in m["sensitivities"].items()
        ]
        body.append(table("sensitivities", ("by", ">value", "unit"), slopes))
        shares = [[escape(k), f"{100 * v:.1f} %"] for k, v in m["contributions"].items()]
        by = f"shares of the variance ({m['contributions_by']})"
        body.append(table(by, ("tolerance", ">share"), shares))
        body.append(paragraphs([f"Worst case: {m['searched']}."]))
    failed = [f"{n} samples do not close: {name} is off." for name, n in result["failed"].items()]
    closed = f"{result['samples']} samples, {result['solved']} closed; seed {result['seed']}."
    body.append(paragraphs([closed, *failed, *result["notes"]]))
    return document(title, "".join(body), STYLE)


def spread_rows(m: Measure) -> list[tuple[str, str, str, str, str]]:
    """Worst cases, root sum of squares and samples of a measure, as rows of texts."""
    sampled, quantiles = m["sampled"], [*m["sampled"]["quantiles"].values()]
    least, most = (_shown(v) for v in m["worst_case"])
    rows = [("worst case", least, most, "", "")]
    least, most = (_shown(v) for v in m["linear_worst_case"])
    rows.append(("worst case, linear", least, most, "", ""))
    rows.append(("root sum of squares", "", "", _shown(m["rss"]["mean"]), _shown(m["rss"]["std"])))
    if quantiles:
        ends = (_shown(quantiles[0]), _shown(quantiles[-1]))
        rows.append(("sampled, 99.73 %", *ends, _shown(sampled["mean"]), _shown(sampled["std"])))
    quasi = m["quasi"]
    rows.append(("quasi-random", "", "", _shown(quasi["mean"]), _shown(quasi["std"])))
    return rows


def _shown(value: float) -> str:
    return f"{value:.6g}"
