"""A sweep as tables for a terminal of 80 columns: travel, events, extremes of coordinates."""

from __future__ import annotations

import numpy as np

from ...foundations.types import Array
from ...results.changing import extreme_rows
from ...results.motion import Motion
from ...results.wording.left_out import left_out_rows, read_as_rows
from ...results.wording.phrases import count, fixed
from ..motion_csv import prescribed_values
from .layout import Block
from .tables import MOST_ROWS, few, left_out, lines, number, read_as, shortened, table, verdict


def sweep(motion: Motion) -> list[Block]:
    """Sentence, travel of each driver, events, locked coordinates, extremes of coordinates."""
    return [
        verdict(motion.sentence, motion),
        *_travel(motion),
        *left_out(left_out_rows(motion.assembly)),
        *read_as(read_as_rows(motion.assembly)),
        *lines("on the way", [event.words for event in motion.events]),
        *lines("nothing drives these, they stay where they are", motion.held),
        *_not_watched(motion),
        *_clearances(motion),
        *_extremes(motion),
    ]


def _travel(motion: Motion) -> list[Block]:
    rows = {**prescribed_values(motion), "time": ("s", motion.t)}
    cells = [
        (name, unit, *_ends(values), *_ends(values[motion.valid]))
        for name, (unit, values) in rows.items()
    ]
    return table(("driver", "", ">from", ">to", ">reached from", ">to"), cells)


def _ends(values: Array) -> tuple[str, str]:
    return (number(values[0]), number(values[-1])) if len(values) else ("nothing", "")


def _not_watched(motion: Motion) -> list[Block]:
    """The pairs of parts that were left out of a watch for contact, by the reason."""
    reasons: dict[str, list[str]] = {}
    for pair, why in motion.contacts.left_out.items() if motion.contacts is not None else ():
        reasons.setdefault(why, []).append(" - ".join(pair))
    rows = [f"{why}: {few(pairs, MOST_ROWS)}" for why, pairs in reasons.items()]
    return lines("not watched for contact", rows)


def _clearances(motion: Motion) -> list[Block]:
    """How near pairs of parts come, the nearest first, and where."""
    found = sorted(motion.clearances, key=lambda c: c.least_mm)
    rows = [(c.name, fixed(c.least_mm, 4), c.where) for c in found]
    return shortened(("pair of parts", ">nearest, mm", "at"), rows, "more pairs")


def _extremes(motion: Motion) -> list[Block]:
    """Smallest and largest value of every joint coordinate, and where they occur."""
    over, scalars = motion.over, motion.scalars
    rows = extreme_rows(over, scalars)
    still = sum(bool(np.isfinite(s.values).any()) for s in scalars) - len(rows)
    columns = ("coordinate", "", ">smallest", f">at {over.name}", ">largest", f">at {over.name}")
    last = [f"{count(still, 'coordinate')} without any change"] if still else []
    return shortened(columns, rows, "more that change", last=last)
