"""Sentences for branches and for what ends them."""

from __future__ import annotations

from ..plan.dyad_rules import RPR, RRP, RRR
from ..plan.planning import GROUP
from ..plan.step_words import listed
from .circuit import Branch
from .driven_linkage import DrivenLinkage
from .intervals import CHANGE_POINT, LIMIT, LOST, IntervalEnd

DEAD_POINT_WORDS = {
    RRR: "{one} and {two} are in line at {joint}",
    RRP: "the link of {one} and {two} stands at a right angle to their slide at {joint}",
    RPR: "the slide of {one} and {two} stands at a right angle to the line of their pins",
    GROUP: "{all} turn back together",
}
"""How the links of a step stand at its dead point, by its kind."""

MOST_SIDES = 3
"""Most dyads whose signs are listed in a sentence."""

DIGITS = 8
"""Decimals of a value in a sentence; further ones are rounding."""


def branch_words(branch: Branch, name: str, unit: str) -> str:
    """A branch as words: input, interval, signs of its dyads."""
    low, high = (round(v, DIGITS) + 0.0 for v in (branch.low, branch.high))
    where = f"{name} {low:.7g} to {high:.7g} {unit}" if branch.ends else f"a full turn of {name}"
    mark = " (the start)" if branch.start else ""
    sides = f", {branch.sides}" if 0 < len(branch.signs) <= MOST_SIDES else ""
    return f"branch {branch.number}{mark}, {where}{sides}"


def end_words(end: IntervalEnd, linkage: DrivenLinkage, value: float, meets: int) -> str:
    """The end of a branch as a sentence.

    Args:
        value: of the input there, mm or degrees; meets: number of other branches that end there.
    """
    where = f"{linkage.name} {round(value, DIGITS) + 0.0:.10g} {linkage.unit}"
    if end.kind == LOST:
        repeats = listed(tuple(x.name for x in linkage.planned.checked))
        return f"the branch ends at {where}: {repeats} fit with the rest no further"
    if end.step is None:
        return f"nothing ends it as far as its links reach, {where}"
    step = end.step
    if end.kind == LIMIT:
        return f"{step.joint} comes to its end at {where}"
    names = (*linkage.members(step), "the ground")
    stands = DEAD_POINT_WORDS.get(step.kind, "{one} and {two} slide the same way").format(
        one=names[0], two=names[1], joint=step.joint, all=listed(step.links, 3)
    )
    ways = ", and it may go on in two ways" if end.kind == CHANGE_POINT and meets != 1 else ""
    return f"{end.kind} at {where}: {stands}{ways}"
