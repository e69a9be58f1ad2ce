"""What a linkage looks like where its input can go no further, or may go over, in words."""

from __future__ import annotations

from ..plan.dyads import RPR, RRP, RRR
from ..plan.planning import GROUP
from ..plan.step_words import listed
from .circuit import Branch
from .driven_linkage import Led
from .intervals import CHANGE_POINT, LIMIT, LOST, Edge

STANDING = {
    RRR: "{one} and {two} are in line at {joint}",
    RRP: "the link of {one} and {two} stands at a right angle to their slide at {joint}",
    RPR: "the slide of {one} and {two} stands at a right angle to the line of their pins",
    GROUP: "{all} turn back together",
}
"""How the links of a step stand at its dead point, by its kind."""


FEW = 3
"""Dyads whose sides are still said in a sentence."""

DIGITS = 8
"""Digits behind the point of a place in words; the next ones are rounding."""


def branch_words(branch: Branch, name: str, unit: str) -> str:
    """A branch in words: of which input, from where to where, on which sides the dyads stand."""
    low, high = (round(v, DIGITS) + 0.0 for v in (branch.low, branch.high))
    where = f"{name} {low:.7g} to {high:.7g} {unit}" if branch.ends else f"a full turn of {name}"
    mark = " (the start)" if branch.start else ""
    sides = f", {branch.sides}" if 0 < len(branch.signs) <= FEW else ""
    return f"branch {branch.number}{mark}, {where}{sides}"


def end_words(edge: Edge, led: Led, value: float) -> str:
    """The end of a branch as a sentence; `value` of the input there, mm or degrees."""
    where = f"{led.name} {round(value, DIGITS) + 0.0:.10g} {led.unit}"
    if edge.kind == LOST:
        repeats = listed(tuple(x.name for x in led.planned.checked))
        return f"the branch ends at {where}: {repeats} fit with the rest no further"
    if edge.step is None:
        return f"nothing ends it as far as its links reach, {where}"
    step = edge.step
    if edge.kind == LIMIT:
        return f"{step.joint} comes to its end at {where}"
    names = (*led.members(step), "the ground")
    stands = STANDING.get(step.kind, "{one} and {two} slide the same way").format(
        one=names[0], two=names[1], joint=step.joint, all=listed(step.links, 3)
    )
    ways = ", and it may go on in two ways" if edge.kind == CHANGE_POINT else ""
    return f"{edge.kind} at {where}: {stands}{ways}"
