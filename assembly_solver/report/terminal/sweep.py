"""A sweep as tables for a terminal of 80 columns: travel, events, extremes of coordinates."""

from __future__ import annotations

import numpy as np

from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array
from ...results.motion import Motion
from ...results.wording.left_out import left_out_rows, read_as_rows
from ...results.wording.phrases import count
from ..motion_csv import prescribed_values
from .layout import Block
from .tables import fixed, left_out, lines, number, read_as, shortened, table, verdict


def sweep(motion: Motion) -> list[Block]:
    """Sentence, travel of each driver, events, locked coordinates, extremes of coordinates."""
    return [
        verdict(motion.sentence, motion),
        *_travel(motion),
        *left_out(left_out_rows(motion.assembly)),
        *read_as(read_as_rows(motion.assembly)),
        *lines("on the way", [event.words for event in motion.events]),
        *lines("nothing drives these, they stay where they are", motion.held),
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


def _states_by(motion: Motion) -> tuple[str, Array]:
    """Name and values by which states are given: the driver if there is only one, else the time."""
    drivers = prescribed_values(motion)
    if len(drivers) == len(motion.prescribed) == 1:
        ((name, (_, values)),) = drivers.items()
        return name, values
    return "t", motion.t


def _extremes(motion: Motion) -> list[Block]:
    """Smallest and largest value of every joint coordinate, and where they occur."""
    by, at = _states_by(motion)
    rows, still = [], 0
    for joint, coordinate in motion.coordinates:
        track = motion.joint(joint, coordinate)
        if not np.isfinite(track.value).any():
            continue
        low, high = int(np.nanargmin(track.value)), int(np.nanargmax(track.value))
        if track.value[high] - track.value[low] < FAINT:
            still += 1
            continue
        ends = [end for k in (low, high) for end in (fixed(track.value[k], 4), number(at[k]))]
        rows.append((f"{joint} {coordinate}", track.unit, *ends))
    columns = ("coordinate", "", ">smallest", f">at {by}", ">largest", f">at {by}")
    last = [f"{count(still, 'coordinate')} without any change"] if still else []
    return shortened(columns, rows, "more that change", last=last)
