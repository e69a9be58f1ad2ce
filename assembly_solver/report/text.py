"""Results as tables for a terminal of 80 columns, from the plain dictionaries of `--json`.

Names are printed as they are: they go through `Text`, which knows no markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import atan2, degrees, hypot
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

Result = Mapping[str, Any]

MOST_ROWS = 40
"""Rows of a table; of what follows only the number is told."""

FEW_ROWS = 12
"""Rows of a table of which mostly the first matter."""

OUTCOME_STYLE = {"solved": "bold green", "conflicting": "bold red", "not_converged": "bold yellow"}


def solution(result: Result) -> RenderableType:
    """Sentence, mates, redundancy, conflicts, free motions, poses."""
    return Group(
        _sentence(result),
        _held(result),
        *_left_out(result),
        *_constants(result),
        *_mates(result["mates"]),
        *_conflicts(result),
        *_redundant(result),
        *_free_motions(result),
        *_mobility(result),
        *_limits(result),
        *_poses(result),
        *_effort(result),
    )


def diagnosis(result: Result) -> RenderableType:
    """Sentence, freedoms, conflicts, redundancy, free motions; of the mates those that fail."""
    driven = f", {result['driven']} held by drivers" if result["driven"] else ""
    freedoms = f"{_count(result['dof'], 'degree')} of freedom{driven}, {result['dof_left']} left"
    if result["dof"] is None:
        freedoms = "freedoms and redundancy are told of a solved assembly only"
    return Group(
        _sentence(result),
        _held(result),
        *_left_out(result),
        Text(freedoms),
        *_conflicts(result),
        *_redundant(result),
        *_free_motions(result),
        *_mobility(result),
        *_limits(result),
        *_mates([mate for mate in result["mates"] if not mate["holds"]]),
    )


def analysis(result: Result) -> RenderableType:
    """Sentence, count, mobility, pairs, clusters, components, the plan of solving."""
    return Group(
        _sentence(result),
        *_left_out(result),
        *_lines("mobility", result["mobility"]),
        *_equation_count(result),
        *_pairs(result),
        *_clusters(result),
        *_components(result),
        *_steps(result),
        *_modes(result),
    )


# ------------------------------------------------------------------------------------ solution
def _sentence(result: Result) -> Text:
    return Text(str(result["sentence"]), style=OUTCOME_STYLE.get(str(result["outcome"]), "bold"))


def _held(result: Result) -> Text:
    mode = f"; mode {result['mode']}" if result.get("mode") else ""
    return Text(f"held still: {_names(result['grounded'])}{mode}")


def _left_out(result: Result) -> list[RenderableType]:
    """Joints of the file that nothing holds."""
    return _lines("left out, held by nothing", [r["words"] for r in result["left_out"]], "red")


def _constants(result: Result) -> list[RenderableType]:
    """Constants of couplings that were taken from the start pose."""
    told = result.get("constants", {}).items()
    lines = [f"{name}: constant {c['value']:.6g} {c['unit']}" for name, c in told]
    return _lines("taken from the start pose", lines)


def _mates(mates: Sequence[Result]) -> list[RenderableType]:
    """The mates with what they are off by; those that fail are always shown."""
    shown, hidden = _shortened(mates, lambda mate: not mate["holds"])
    rows = [
        (
            mate["name"],
            mate["kind"],
            "yes" if mate["holds"] else "NO",
            _off(mate["residual_mm"]),
            _off(mate["residual_deg"]),
            mate.get("sense") or "",
        )
        for mate in shown
    ]
    columns = ("mate", "kind", "holds", ">off by mm", ">deg", "sense")
    style = [None if mate["holds"] else "red" for mate in shown]
    return _table(columns, rows, style, f"{hidden} more hold" if hidden else "")


def _conflicts(result: Result) -> list[RenderableType]:
    """Who contradicts whom, and below it what would help."""
    rows = ["\n".join([c["fact"], *(f"- {way}" for way in c["ways"])]) for c in result["conflicts"]]
    return _lines("contradictions", rows, "red")


def _redundant(result: Result) -> list[RenderableType]:
    """Groups of mates that say something twice."""
    rows = [
        group.get("words")
        or f"{_names(group['mates'])} repeat {_count(group['equations'], 'equation')}"
        for group in result["redundant"]
    ]
    if not result["redundant_equations"]:
        return []
    title = f"redundant: {_count(result['redundant_equations'], 'equation')}"
    if not rows:
        return [Text(""), Text(title, style="bold")]
    return _lines(title, rows)


def _free_motions(result: Result) -> list[RenderableType]:
    """Who moves how, and below it what stops it or would."""
    rows = [(motion["words"], motion["removed_by"]["words"]) for motion in result["free_motions"]]
    return _lines("free motions", ["\n".join(row) for row in rows])


def _mobility(result: Result) -> list[RenderableType]:
    """Singular loops, and loops that move by special dimensions."""
    singular = [str(entry["words"]) for entry in result.get("singular") or ()]
    special = [str(entry["words"]) for entry in result.get("special") or ()]
    return [*_lines("at this pose", singular), *_lines("special dimensions", special)]


def _limits(result: Result) -> list[RenderableType]:
    """Limits at which a coordinate was stopped or stands, and those that do not hold."""
    reached = [limit["words"] for limit in result.get("limits_reached") or ()]
    broken = [limit["words"] for limit in result.get("limits") or () if not limit["holds"]]
    return [*_lines("limits that do not hold", broken, "red"), *_lines("limits reached", reached)]


def _poses(result: Result) -> list[RenderableType]:
    """Where the parts are: position, and the turn as an angle about an axis."""
    poses = list((result.get("poses") or {}).items())
    shown, hidden = _shortened(poses, lambda pose: False)
    rows = [
        (name, *(_fixed(v, 3) for v in pose["position"]), *_turn(pose["quaternion_wxyz"]))
        for name, pose in shown
    ]
    columns = ("part", ">x mm", ">y mm", ">z mm", ">turned deg", "about")
    return _table(columns, rows, last=f"{hidden} more parts" if hidden else "")


def _turn(quaternion: Sequence[float]) -> tuple[str, str]:
    """Angle in degrees and axis of a unit quaternion [w, x, y, z]."""
    w, x, y, z = quaternion if quaternion[0] >= 0 else [-v for v in quaternion]
    sine = hypot(x, y, z)
    if sine < 1e-12:
        return "0.000", ""
    axis = ", ".join(_fixed(v / sine, 3) for v in (x, y, z))
    return _fixed(degrees(2 * atan2(sine, w)), 3), axis


def _effort(result: Result) -> list[RenderableType]:
    counts = [
        _count(number, name.removesuffix("s"))
        for name, number in (result.get("counts") or {}).items()
        if number
    ]
    seconds = result.get("seconds")
    time = [f"{1000 * seconds:.3g} ms"] if seconds is not None else []
    line = ", ".join(counts + time)
    return [Text(line, style="dim")] if line else []


# ------------------------------------------------------------------------------------ analysis
def _equation_count(result: Result) -> list[RenderableType]:
    if result["rank"] is None:
        unknowns = _count(result["unknowns"], "unknown")
        return [Text(f"\n{unknowns}, {_count(result['equations'], 'equation')}")]
    gap = result.get("rank_gap")
    told = f" (gap {gap:.1e})" if gap is not None else ""
    line = (
        f"\n{_count(result['unknowns'], 'unknown')}, {_count(result['equations'], 'equation')}, "
        f"rank {result['rank']}{told}: {_count(result['dof'], 'degree')} of freedom, "
        f"{_count(result['redundant_equations'], 'redundant equation')}"
    )
    return [Text(line)]


def _pairs(result: Result) -> list[RenderableType]:
    shown, hidden = _shortened(result["pairs"], lambda pair: False)
    rows = [
        (
            pair["label"],
            pair["kind"],
            _names(pair["parts"], " - "),
            pair["freedoms"],
            _names(pair["mates"]),
        )
        for pair in shown
    ]
    columns = ("pair", "joint", "parts", ">free", "mates")
    return _table(columns, rows, last=f"{hidden} more pairs" if hidden else "")


def _clusters(result: Result) -> list[RenderableType]:
    """Parts that move as one; a part alone is no news."""
    rows = [_names(cluster, " + ") for cluster in result["clusters"] if len(cluster) > 1]
    return _lines("rigid clusters", rows)


def _components(result: Result) -> list[RenderableType]:
    rows = []
    for component in result["components"]:
        flat = f"planar, normal {_vector(component.get('normal'))}"
        rows.append(
            (
                component["kind"],
                flat if component["planar"] else "spatial",
                component["root"],
                _names(component["parts"]),
                component["unknowns"],
                component["equations"],
                "" if component["rank"] is None else component["rank"],
            )
        )
    shown, hidden = _shortened(rows, lambda row: False)
    columns = ("component", "motion", "root", "parts", ">unknowns", ">equations", ">rank")
    return _table(columns, shown, last=f"{hidden} more components" if hidden else "")


def _steps(result: Result) -> list[RenderableType]:
    shown, hidden = _shortened(result["steps"], lambda step: False)
    rows = [
        (
            step["number"],
            step["action"],
            f"{_few(step['parts'])}: {step['words']}",
            _few(step["mates"]),
            step["unknowns"],
        )
        for step in shown
    ]
    columns = (">step", "action", "what", "by the mates", ">unknowns")
    return _table(columns, rows, last=f"{hidden} more steps" if hidden else "")


def _modes(result: Result) -> list[RenderableType]:
    """The assembly modes, those nearest to the start; one alone is no choice."""
    modes = result.get("modes", [])
    rows = [
        (m["name"], _number(round(m["distance_mm"], 2)), "here" if m["here"] else "")
        for m in modes[:FEW_ROWS]
    ]
    more = len(modes) - len(rows)
    last = [f"{more} more modes"] if more else []
    last += [] if result.get("modes_complete", True) else ["perhaps others: not all were followed"]
    columns = ("mode", ">mm from the start", "")
    return _table(columns, rows, last=", ".join(last)) if len(modes) > 1 else []


# -------------------------------------------------------------------------------------- pieces
def _shortened(rows: Sequence[Any], always: Callable[[Any], bool]) -> tuple[list[Any], int]:
    """The first rows and those that must be seen, in their order, and how many are left out."""
    kept = [row for k, row in enumerate(rows) if k < MOST_ROWS or always(row)]
    return kept, len(rows) - len(kept)


def _table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    styles: Sequence[str | None] = (),
    last: str = "",
) -> list[RenderableType]:
    """A table; a column that begins with ">" is set right.  Without rows: nothing."""
    if not rows:
        return []
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        right = column.startswith(">")
        table.add_column(
            Text(column.removeprefix(">")),
            justify="right" if right else "left",
            overflow="fold",
        )
    for k, row in enumerate(rows):
        style = styles[k] if k < len(styles) else None
        table.add_row(*(Text(str(cell)) for cell in row), style=style)
    return [table, Text(f"... and {last}")] if last else [table]


def _lines(title: str, rows: Iterable[object], style: str = "") -> list[RenderableType]:
    """A title and its lines, each behind a dash.  Without lines: nothing."""
    shown, hidden = _shortened(list(rows), lambda row: False)
    if not shown:
        return []
    grid = Table.grid(padding=(0, 1, 0, 0))
    for row in shown:
        grid.add_row(Text("  -"), Text(str(row), style=style))
    more = [Text(f"... and {hidden} more")] if hidden else []
    return [Text(""), Text(title, style="bold"), grid, *more]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _names(names: Iterable[object], link: str = ", ") -> str:
    return link.join(map(str, names)) or "nothing"


def _few(names: Sequence[object], most: int = 6) -> str:
    """The first names, and how many more."""
    if len(names) <= most + 1:
        return _names(names)
    return f"{_names(names[:most])} and {len(names) - most} more"


def _number(value: float) -> str:
    return f"{value:.6g}"


def _fixed(value: float, digits: int) -> str:
    """With so many digits, and no minus before zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _off(value: float | None) -> str:
    if value is None:
        return ""
    return "0" if value == 0 else f"{value:.1e}"


def _vector(values: Sequence[float] | None) -> str:
    return ", ".join(_number(round(v, 6)) for v in values) if values is not None else "unknown"
