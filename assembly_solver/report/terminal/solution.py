"""Results as tables for a terminal of 80 columns, from the plain dictionaries of `--json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import kind_words
from ...foundations.markup.visible import visible
from ...results.wording.motion_modes import singular_lines
from ...results.wording.phrases import coordinate, count, fixed, turn
from .layout import Block, Table, Text
from .tables import (
    MOST_ROWS,
    few,
    left_out,
    lines,
    names,
    number,
    off,
    read_as,
    shortened,
    table,
    text,
    vector,
)

Result = Mapping[str, Any]

FEW_ROWS = 12
"""Largest number of rows of the table of modes."""

OUTCOME_STYLE = {"solved": "bold green", "conflicting": "bold red", "not_converged": "bold yellow"}


def solution(result: Result) -> list[Block]:
    """Sentence, mates, redundancy, conflicts, free motions, poses."""
    return [
        _sentence(result),
        _held(result),
        *_ways(result),
        *left_out(result["left_out"]),
        *read_as(result["read_as"]),
        *_constants(result),
        *_mates(result["mates"]),
        *_reasons(result),
        *_poses(result),
        *_effort(result),
    ]


def diagnosis(result: Result) -> list[Block]:
    """Sentence, freedoms, conflicts, redundancy, free motions, mates that do not hold."""
    driven = f", held by {count(result['driven'], 'driver')}" if result["driven"] else ""
    if result["outcome"] != "solved":
        freedoms = "freedoms and redundancy are told of a solved assembly only"
    elif result["dof"] is None:
        freedoms = "degrees of freedom not counted"
    else:
        left = "" if result["dof_left"] is None else f", {result['dof_left']} left"
        freedoms = f"{count(result['dof'], 'degree')} of freedom{driven}{left}"
    return [
        _sentence(result),
        _held(result),
        *_ways(result),
        *left_out(result["left_out"]),
        *read_as(result["read_as"]),
        text(freedoms),
        *_constants(result),
        *_reasons(result),
        *_mates([mate for mate in result["mates"] if not mate["holds"]]),
    ]


def analysis(result: Result) -> list[Block]:
    """Sentence, count, mobility, pairs, clusters, components, the plan of solving."""
    return [
        _sentence(result),
        *left_out(result["left_out"]),
        *read_as(result["read_as"]),
        *lines("mobility", result["mobility"]),
        *_equation_count(result),
        *_pairs(result),
        *lines("rigid clusters", [names(c, " + ") for c in result["clusters"] if len(c) > 1]),
        *_components(result),
        *_decompositions(result),
        *_steps(result),
        *_modes(result),
    ]


def mobility(result: Result) -> list[Block]:
    """Sentence, counts of each component, redundancy, Assur groups."""
    several = [c["words"] for c in result["loops"] if c["redundant"]]
    return [
        _sentence(result),
        *left_out(result["left_out"]),
        *read_as(result["read_as"]),
        *lines("counts", several if len(several) > 1 else ()),
        *_counts(result),
        *lines("too many whatever the dimensions", [o["words"] for o in result["over_braced"]]),
        *_redundant(result),
        *lines("at this pose", singular_lines(result["singular"])),
        *lines("placed in order", [names(group) for group in result["groups"] or ()]),
        *lines("notes", result["notes"]),
        *_conflicts(result),
    ]


def locking(result: Result) -> list[Block]:
    """The sentence, and what each mate that locks the part is needed for."""
    more = ["the search was ended: fewer mates may do"] if result["reducible"] else []
    rows = [*map(str, result["words"]), *more]
    return [
        text(str(result["sentence"]), style="bold"),
        *left_out(result["left_out"]),
        *lines("one of them left out", rows),
    ]


# ------------------------------------------------------------------------------------ solution
def _sentence(result: Result) -> Text:
    return text(str(result["sentence"]), style=OUTCOME_STYLE.get(str(result["outcome"]), "bold"))


def _held(result: Result) -> Text:
    mode = f"; mode {result['mode']}" if result.get("mode") else ""
    return text(f"held still: {names(result['grounded'])}{mode}")


def _ways(result: Result) -> list[Block]:
    ways = result.get("ways_to_close")
    return [text(ways)] if ways else []


def _constants(result: Result) -> list[Block]:
    told = result.get("constants", {}).items()
    rows = [f"{name}: constant {coordinate(c['value'])} {c['unit']}" for name, c in told]
    turning = [f"{name}: {words}" for name, words in result.get("couplings", {}).items()]
    return [*lines("couplings", turning), *lines("taken from the start pose", rows)]


def _mates(mates: Sequence[Result]) -> list[Block]:
    """The mates with their residuals: the first, and those that are off by the most."""
    rows, styles = [], []
    for mate in _worst_first(mates):
        holds, style = ("yes", None) if mate["holds"] else ("NO", "red")
        residuals = off(mate["residual_mm"]), off(mate["residual_deg"])
        rows.append(
            (mate["name"], kind_words(mate["kind"]), holds, *residuals, mate.get("sense") or "")
        )
        styles.append(style)
    columns = ("mate", "kind", "holds", ">off by mm", ">deg", "sense")
    return shortened(columns, rows, "more hold", styles, wrong="more do not hold")


def _worst_first(mates: Sequence[Result]) -> Sequence[Result]:
    """The mates in their order; where not all that are off can be shown, by how much they are."""
    if sum(not mate["holds"] for mate in mates) <= MOST_ROWS:
        return mates
    return sorted(mates, key=lambda m: (m["holds"], -(m["residual_mm"] or 0.0)))


def _reasons(result: Result) -> list[Block]:
    """What holds the assembly too much, and what it can still do."""
    free, proof = result["free_motions"], result.get("certified")
    return [
        *_conflicts(result),
        *_redundant(result),
        *lines("free motions", [f"{m['words']}\n{m['removed_by']['words']}" for m in free]),
        *lines("drivers", (result.get("drivers") or {}).get("words", ())),
        *_mobility(result),
        *lines("proof", [proof["words"]] if proof else []),
        *_limits(result),
        *lines("left out", result.get("notes", ())),
    ]


def _conflicts(result: Result) -> list[Block]:
    rows = []
    for c in result["conflicts"]:
        proof = [f"- proved: {c['because']}"] if c.get("because") else []
        rows.append("\n".join([c["fact"], *proof, *(f"- {way}" for way in c["ways"])]))
    return lines("contradictions", rows, "red")


def _redundant(result: Result) -> list[Block]:
    if not result["redundant_equations"]:
        return []
    rows = [
        group.get("words")
        or f"{names(group['mates'])} repeat {count(group['equations'], 'equation')}"
        for group in result["redundant"]
    ]
    title = f"redundant: {count(result['redundant_equations'], 'equation')}"
    return lines(title, rows) or [text(""), text(title, style="bold")]


def _mobility(result: Result) -> list[Block]:
    """Singular loops, and loops that move by special dimensions."""
    singular = singular_lines(result.get("singular") or ())
    special = [entry["words"] for entry in result.get("special") or ()]
    return [*lines("at this pose", singular), *lines("special dimensions", special)]


def _limits(result: Result) -> list[Block]:
    reached = [limit["words"] for limit in result.get("limits_reached") or ()]
    broken = [limit["words"] for limit in result.get("limits") or () if not limit["holds"]]
    return [*lines("limits that do not hold", broken, "red"), *lines("limits reached", reached)]


def _poses(result: Result) -> list[Block]:
    rows = [
        (name, *(fixed(v, 3) for v in pose["position"]), *turn(pose["quaternion_wxyz"]))
        for name, pose in (result.get("poses") or {}).items()
    ]
    columns = ("part", ">x mm", ">y mm", ">z mm", ">turned deg", "about")
    return shortened(columns, rows, "more parts")


def _effort(result: Result) -> list[Block]:
    counts = (result.get("counts") or {}).items()
    told = [count(number, name.removesuffix("s")) for name, number in counts if number]
    seconds = result.get("seconds")
    told += [f"{1000 * seconds:.3g} ms"] if seconds is not None else []
    line = ", ".join(told)
    return [text(line, style="dim")] if line else []


# ------------------------------------------------------------------------------------ analysis
def _equation_count(result: Result) -> list[Block]:
    if result["rank"] is None:
        unknowns = count(result["unknowns"], "unknown")
        return [text(f"\n{unknowns}, {count(result['equations'], 'equation')}")]
    gap = result.get("rank_gap")
    told = f" (gap {gap:.1e})" if gap is not None else ""
    line = (
        f"\n{count(result['unknowns'], 'unknown')}, {count(result['equations'], 'equation')}, "
        f"rank {result['rank']}{told}: {count(result['dof'], 'degree')} of freedom, "
        f"{count(result['redundant_equations'], 'redundant equation')}"
    )
    return [text(line)]


def _pairs(result: Result) -> list[Block]:
    rows = [
        (p["label"], p["kind"], names(p["parts"], " - "), p["freedoms"], names(p["mates"]))
        for p in result["pairs"]
    ]
    return shortened(("pair", "joint", "parts", ">free", "mates"), rows, "more pairs")


def _counts(result: Result) -> list[Block]:
    rows = []
    for c in result["loops"]:
        finite = "?" if c["finite"] is None else c["finite"]
        counts = (c["kutzbach"], c["generic"], c["here"], finite)
        rows.append((few(c["parts"]), c["motion"], *counts))
    columns = ("parts", "move", ">Kutzbach", ">generic", ">here", ">finite")
    return shortened(columns, rows, "more components")


def _components(result: Result) -> list[Block]:
    rows = []
    for c in result["components"]:
        motion = f"planar, normal {vector(c.get('normal'))}" if c["planar"] else "spatial"
        rank = "" if c["rank"] is None else c["rank"]
        sizes = (c["unknowns"], c["equations"], rank)
        rows.append((c["kind"], motion, c["root"], names(c["parts"]), *sizes))
    columns = ("component", "motion", "root", "parts", ">unknowns", ">equations", ">rank")
    return shortened(columns, rows, "more components")


def _decompositions(result: Result) -> list[Block]:
    """Equations x unknowns of each loop, alone and with its drivers, by how determined they are."""
    found = [(c, "") for c in result["components"]]
    found += [(c, few(c["drivers"])) for c in result.get("driven_components", [])]
    rows, reduced = [], []
    for c, drivers in found:
        if sizes := c.get("dulmage_mendelsohn"):
            rows.append((few(c["parts"]), drivers, *_coarse(sizes)))
        if loop := c.get("reduced"):
            sizes = loop["dulmage_mendelsohn"]
            reduced.append((few(loop["parts"]), drivers, *_coarse(sizes)))
    columns = ("equations x unknowns", "with", ">over", ">well", ">under", ">blocks")
    short = ("the same, links as distances, slides as lines", *columns[1:])
    return [
        *shortened(columns, rows, "more loops"),
        *shortened(short, reduced, "more loops"),
        *lines("what stands for parts there", _stand_ins(result["components"])),
    ]


def _coarse(sizes: Result) -> list[object]:
    """Rows x columns of the over-, well- and under-determined part, and the number of blocks."""
    coarse = [" x ".join(map(str, sizes[k])) for k in ("over", "well", "under")]
    return [*coarse, len(sizes["blocks"])]


def _stand_ins(components: Sequence[Result]) -> list[str]:
    """Distances and lines of the reduced loops, each with the parts for which it stands."""
    words = {"distances": "a distance", "lines": "a line", "repeated": "repeats a line"}
    return [
        f"{names(r['parts'], ' + ')}: {said} between {names(r['between'], ' and ')}"
        for c in components
        for key, said in words.items()
        for r in (c.get("reduced") or {}).get(key, ())
    ]


def _steps(result: Result) -> list[Block]:
    rows = []
    for step in result["steps"]:
        what = f"{few(step['parts'])}: {step['words']}"
        rows.append((step["number"], step["action"], what, few(step["mates"]), step["unknowns"]))
    columns = (">step", "action", "what", "by the mates", ">unknowns")
    return shortened(columns, rows, "more steps")


def _modes(result: Result) -> list[Block]:
    """The assembly modes nearest to the start, if there are several; which of them are joined."""
    told = result.get("modes", {"found": []})
    modes = told["found"]
    rows = [
        (m["name"], number(round(m["distance_mm"], 2)), "here" if m["here"] else "")
        for m in modes[:FEW_ROWS]
    ]
    more = len(modes) - len(rows)
    last = [f"{more} more modes"] if more else []
    last += [told["words"]] if modes else []
    columns = ("mode", ">mm from the start", "")
    shown = table(columns, rows, last=", ".join(last)) if len(modes) > 1 else []
    joined = [told["joined"]["words"]] if "joined" in told else []
    return [*shown, *lines("modes that a motion joins", joined)]


# ------------------------------------------------------------------------------------ features
def picked(result: Result) -> list[Block]:
    """All features of a geometry file, each with its selector."""
    told = ((entry["select"] or "(none found)", _feature(entry)) for entry in result["features"])
    rows = [tuple(map(visible, row)) for row in told]
    title = text(f"{result['file']}: {count(len(rows), 'feature')}", "bold")
    return [title, Table(rows, whole=(0,))]


def _feature(entry: Result) -> str:
    """A face or an edge in words: "hole, radius 4 at 10, 0, 5 along 0, 0, 1 (2 pieces)"."""
    radius = "" if entry["radius"] is None else f", radius {number(entry['radius'])}"
    at = vector([round(v, 3) for v in entry["point"]])
    along = entry["direction"]
    way = "" if along is None else f" along {vector([round(v, 3) for v in along])}"
    pieces = f" ({entry['pieces']} pieces)" if entry["pieces"] > 1 else ""
    return f"{entry['kind']}{radius} at {at}{way}{pieces}"
