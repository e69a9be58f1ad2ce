"""A tolerance analysis as a page, from the dictionary of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import BadValue
from ...foundations.finite_values import finite
from ...foundations.markup.visible import escape
from ...foundations.numerics.rounding import ROUNDING
from .page import document, facts, figure, header, paragraphs, section, table
from .spread_charts import histogram, share_bars

Measure = Mapping[str, Any]

STYLE = "page/page.css"

READ = ("binding", "failed", "measures", "modes", "notes", "samples", "seed", "solved")
"""What the page shows of an analysis."""


def tolerance_page(title: str, result: Mapping[str, Any]) -> str:
    """The page: each measure with its histogram, spread, worst cases and shares; samples left out.

    Args:
        title: the name of the assembly; result: of `ToleranceAnalysis.to_dict`.

    Returns:
        HTML that needs no other file.

    Raises:
        BadValue: the dictionary is of something else.
    """
    if not result.keys() >= set(READ):
        wanted = "the dictionary of a tolerance analysis, as its `to_dict` makes it"
        raise BadValue("tolerance_page(result)", result, wanted)
    result = finite(result)
    names = enumerate(result["measures"].items())
    body = [
        "<main>\n",
        header("Tolerance analysis", title, samples_told(result)),
        section("Binding", _binding(result["binding"])),
        *(section(name, measure_spread(name, m, f"m{k}")) for k, (name, m) in names),
        section("To be said", paragraphs(result["notes"])),
        "</main>",
    ]
    return document(f"{title}: tolerance analysis", "".join(body), STYLE)


def samples_told(result: Mapping[str, Any]) -> str:
    """How many samples closed, in which modes, and which mates were off in the others."""
    closed = f"{result['samples']}, {result['solved']} closed; seed {result['seed']}"
    modes = [f"{name}: {n}" for name, n in result["modes"].items()]
    failed = [f"{name}: {n}" for name, n in result["failed"].items()]
    return facts(
        (
            ("Samples", escape(closed)),
            ("By assembly mode", escape(", ".join(modes)) if len(modes) > 1 else ""),
            ("Not closed, by the mate that is off", escape(", ".join(failed))),
        )
    )


def _binding(b: Mapping[str, Any] | None) -> str:
    """What binds, how often, and the play that frees it; empty where nothing does."""
    if b is None:
        return ""
    error = f"{100 * b['share']:.2f} % ± {100 * b['error']:.2f} %"
    plays = [[escape(cell) for cell in row] for row in play_rows(b)]
    columns = (("mates", "Mate that is off most"), ("tolerances", "Tolerance, the largest part"))
    return (
        paragraphs([b["words"] + "."])
        + facts((("Binding", escape(error)),))
        + table("Play of one joint that frees them", ("Joint", ">mm", ">Frees"), plays)
        + "".join(
            table(caption, ("Name", ">Samples"), [[escape(k), str(n)] for k, n in b[key].items()])
            for key, caption in columns
        )
    )


def play_rows(b: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Joints with the play that frees binding samples, and the share it frees, as texts."""
    return [
        (joint, shown(p["play"]), f"{100 * p['frees']:.4g} %") for joint, p in b["plays"].items()
    ]


def measure_spread(name: str, m: Measure, key: str) -> str:
    """What tolerances do to one measure; `key`: an id, unique in its page."""
    sampled = m["sampled"]
    drawings = []
    if "histogram" in sampled:
        drawings.append(figure(f"Samples of {name}", histogram(name, m, f"{key}h")))
    by = "Shapley's shares" if m["contributions_by"] == "shapley" else "Contributions"
    drawings.append(figure(by, share_bars(by, m["contributions"], f"{key}s")))
    rows = [[escape(cell) for cell in row] for row in spread_rows(m)]
    return (
        facts(_facts(m))
        + f'<div class="charts">\n{"".join(drawings)}</div>\n'
        + table(f"Spread, {m['unit']}", ("How", ">Least", ">Most", ">Mean", ">Std"), rows)
        + _variables(m)
        + _orders(m)
        + paragraphs([f"Worst case: {m['searched']}."])
    )


def _facts(m: Measure) -> list[tuple[str, str]]:
    sampled, unit = m["sampled"], m["unit"]
    asked = [f"{words} {shown(m[k])} {unit}" for k, words in BOUNDS if m[k] is not None]
    rows = [("Nominal", f"{shown(m['nominal'])} {unit}"), ("Asked", ", ".join(asked))]
    if sampled.get("meets") is not None:
        error = f"{100 * sampled['meets_error']:.3f}"
        rows.append(("Samples that meet it", f"{100 * sampled['meets']:.3f} % ± {error} %"))
    rows += [(k.capitalize(), f"{sampled[k]:.3f}") for k in ("cp", "cpk") if k in sampled]
    return [(name, escape(words)) for name, words in rows]


BOUNDS = (("min", "at least"), ("max", "at most"))


def _variables(m: Measure) -> str:
    """Each variable with its sensitivity, and where it stands in the worst cases."""
    least, most = m["worst_case_at"]
    rows = [
        [escape(c) for c in (k, shown(s["value"]), s["unit"], shown(least[k]), shown(most[k]))]
        for k, s in m["sensitivities"].items()
    ]
    columns = ("Variable", ">Sensitivity", "Unit", ">Off at least value", ">Off at most value")
    return table("Sensitivities, and the deviations at the worst cases", columns, rows)


def _orders(m: Measure) -> str:
    rows = [[escape(k), *(_percent(m[key][k]) for key in ORDERS)] for k in m["contributions"]]
    caption = f"Shares of the variance; standard error of the orders {_percent(m['order_error'])}"
    columns = ("Tolerance", ">Contribution", ">First order (alone)", ">Total order")
    return table(caption, columns, rows)


ORDERS = ("contributions", "first_order", "total_order")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def spread_rows(m: Measure) -> list[tuple[str, str, str, str, str]]:
    """Worst cases, root sum of squares and samples of a measure, as rows of texts."""
    sampled, quantiles = m["sampled"], [*m["sampled"]["quantiles"].values()]
    least, most = (shown(v) for v in m["worst_case"])
    rows = [("worst case", least, most, "", "")]
    least, most = (shown(v) for v in m["linear_worst_case"])
    rows.append(("worst case, linear", least, most, "", ""))
    rows.append(("root sum of squares", "", "", shown(m["rss"]["mean"]), shown(m["rss"]["std"])))
    if quantiles:
        ends = (shown(quantiles[0]), shown(quantiles[-1]))
        rows.append(("sampled, 99.73 %", *ends, shown(sampled["mean"]), shown(sampled["std"])))
    quasi = m["quasi"]
    rows.append(("quasi-random", "", "", shown(quasi["mean"]), shown(quasi["std"])))
    return rows


def shown(value: float | None) -> str:
    """A number with six digits, mm or degrees, without its rounding; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:.6g}" if abs(value) > ROUNDING else "0"
