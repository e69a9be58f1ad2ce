"""What a diagnosis says in plain words, and the theory behind each for those who ask why.

The entries are those of the result object of a solution, `Solution.to_dict`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assembly_solver.freecad import AGREEMENT

Entry = Mapping[str, Any]


class Plain(NamedTuple):
    """A finding: in plain words, the theory behind it, and its meaning (see `gui.colours`)."""

    words: str
    why: str
    meaning: str


def contradiction(entry: Entry) -> Plain:
    """What cannot hold together; why: whether that is proved, and whether all of it is needed."""
    proof = entry["because"]
    shown = (
        f"That is proved: {proof}."
        if proof
        else "No solution was found; that there is none is not proved."
    )
    least = "Without any one of them the others hold: that was tried."
    rest = least if entry["irreducible"] else "Fewer of them may contradict each other already."
    several = len(entry["mates"]) > 1
    return Plain(entry["fact"], f"{shown} {rest}" if several else shown, "bad")


def duplicate(entry: Entry) -> Plain:
    """Joints that hold something more than once: harmless where they agree."""
    mates, again = entry["mates"], entry["repeating"]
    others = [name for name in mates if name not in again]
    if entry["why"]:
        words = f"{listed(mates)} close a loop and hold something in it more than once"
    else:
        verb = "repeats" if len(again) == 1 else "repeat"
        words = f"{listed(again)} {verb} what is held already by {listed(others) or 'held parts'}"
    off = max(entry["disagreement_mm"], entry["disagreement_deg"])
    theory = (
        f"{entry['words']}. They hold as long as the dimensions agree: real parts need play or "
        "exact work there. Nothing has to be done in the model."
    )
    if off <= AGREEMENT:
        return Plain(f"Harmless duplicate: {words}.", theory, "plain")
    return Plain(f"Duplicate that is a little off, within the tolerance: {words}.", theory, "note")


def locked(told: Entry, movable: int) -> Plain:
    """Why nothing moves, of so many parts that are not grounded."""
    words = "Nothing moves: every part is where its joints hold it."
    if not movable:
        return Plain(words, "Every part is grounded.", "plain")
    has = "1 part is not grounded: it has 6 ways"
    if movable > 1:
        has = f"{movable} parts are not grounded: they have 6 ways each, {6 * movable} in all,"
    more = told["redundant_equations"]
    again = f"; {more} more of their equations repeat others" if more else ""
    return Plain(words, f"{has} to move, and the joints take all of them{again}.", "plain")


def singular(entry: Entry) -> Plain:
    """A position where an assembly moves otherwise than close by, as at a dead point."""
    here, near = entry["dof"], " or ".join(map(str, entry["nearby"])) or "an unknown number"
    if not entry["certain"]:
        words = "This is a dead point or very near one: how much moves here is not beyond doubt."
    elif not entry["moves"]:
        parts = listed(entry["parts"], 4)
        words = f"Stuck at this position: {parts} give way a little and do not move on."
    else:
        words = f"Dead point or change point: ways to move here {here}, close by {near}."
    theory = (
        "In a singular position equations of the joints depend on each other, at this place only: "
        "a driver may move nothing there, or the mechanism may go on in another way."
    )
    meeting = f"{entry['meeting']}. " * bool(entry["meeting"])
    return Plain(words, f"{entry['words']}. {meeting}{theory}", "note")


def special(entry: Entry) -> Plain:
    """Parts that move only because dimensions fit."""
    words = f"{listed(entry['mates'], 6)} move only because their dimensions fit exactly."
    return Plain(words, f"{entry['words']}.", "note")


def sentence(words: str, told: Entry) -> str:
    """The sentence of a solution in plain words; its theory is behind those of the findings."""
    count = told["redundant_equations"]
    plural = "" if count == 1 else "s"
    theory = f"{count} redundant equation{plural}, consistent"
    words = words.replace(theory, f"{count} harmless duplicate{plural}")
    words = words.replace("this pose is singular, or nearly so", "at a dead point or very near one")
    return re.sub("this pose is singular[^;]*", "at a dead point or change point", words)


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a row, "a, b and c"; of more than `most` how many they are."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
