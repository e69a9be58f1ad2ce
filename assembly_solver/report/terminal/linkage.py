"""A planar linkage and its states: tables for a terminal, a picture, a CSV file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import UnknownName
from ...foundations.numerics.rounding import DIGITS
from ...foundations.types import Array
from ...linkages.scheme.matrices import Matrices
from ...results.linkage_states import States
from ...results.wording.left_out import left_out_rows, read_as_rows
from ...results.wording.phrases import fixed
from ...verbs.linkage import Linkage
from ..motion_csv import Column, point_columns, written
from ..page.sheet import Picture, tracers
from .layout import Block
from .tables import few, left_out, lines, number, read_as, table, text, verdict

FAINT = 5
"""Number of states that are drawn faintly behind a linkage."""

SIDES = {1: "+", -1: "-"}


# -------------------------------------------------------------------------------------- tables
def linkage(found: Linkage, states: States, matrices: bool = False) -> list[Block]:
    """Sentence, steps, travel of the inputs, events; and MotionGen's matrices on request."""
    return [
        text(found.sentence, style="bold"),
        verdict(states.sentence, states),
        *_steps(found),
        *_travel(states),
        text(f"cost of a state, its slots re-interpreted: {found.cost}"),
        *left_out(left_out_rows(found.assembly)),
        *read_as(read_as_rows(found.assembly)),
        *lines("on the way", [event.words for event in states.events]),
        *(_matrices(found.matrices) if matrices else ()),
    ]


def _steps(found: Linkage) -> list[Block]:
    """The steps that compute points, in order; the side is the sign of a dyad at the start."""
    rows = []
    for k, step in enumerate(found.steps, 1):
        points = few(step.points) if step.points else ""
        rows.append((k, step.kind, points, step.joint, SIDES.get(step.sign, ""), few(step.links)))
    return table((">", "step", "places", "joint", "side", "links"), rows)


def _travel(states: States) -> list[Block]:
    rows = []
    for name, values in zip(states.linkage.inputs, states.V, strict=True):
        held = values[states.valid]
        ends = [number(v) for v in (held.min(), held.max())] if len(held) else ["nothing", ""]
        rows.append((name, number(values[0]), number(values[-1]), *ends))
    return table(("input", ">from", ">to", ">holds from", ">to"), rows)


def _matrices(found: Matrices) -> list[Block]:
    joints, links = found.joints, found.links
    out = _matrix("B, joints on links", links, joints, found.B)
    out += _matrix("T, joints on one link; on the ground", joints, joints, found.T)
    out += _matrix("D, distances on a link, mm", joints, joints, found.D)
    slots = [[joints[k] for k in row] for row in found.S.tolist()]
    out += table(("S, in a slot", "end", "end"), slots)
    driven = [[*(joints[k] if k >= 0 else "" for k in row[:3]), row[3]] for row in found.I]
    return out + table(("I, inputs", "", "", "kind"), driven)


def _matrix(
    title: str, rows: Sequence[str], columns: Sequence[str], values: NDArray[np.number]
) -> list[Block]:
    digits = 0 if np.issubdtype(values.dtype, np.integer) else 3
    cells = [
        [name, *(fixed(v, digits) if v else "." for v in row)]
        for name, row in zip(rows, values.tolist(), strict=True)
    ]
    return table((title, *(f">{name}" for name in columns)), cells)


# ------------------------------------------------------------------------------------- picture
def picture(
    found: Linkage,
    states: States,
    traced: Sequence[str] = (),
    title: str = "",
    words: str = "",
    faint: int = FAINT,
    shown: int | None = None,
) -> Picture:
    """A picture of a linkage with the paths of points over its states.

    Args:
        traced: names of the points whose paths are drawn; by default those of `tracers`.
        title, words: of its head; by default the name and the note of the assembly.
        faint: number of states that are drawn faintly behind it.
        shown: number of the state that is drawn; by default the present values of the inputs.

    Raises:
        UnknownName: no such point.
    """
    scheme = found.view.scheme
    motion = states.P[: len(scheme.points)].copy()
    motion[:, :, ~states.valid] = np.nan
    for name in traced:
        if name not in scheme.points:
            raise UnknownName("point", name, scheme.points, "--trace")
    drawn = bool(found.assembly.drawing)
    numbers = [scheme.points.index(name) for name in traced] or tracers(scheme, drawn)
    return Picture(
        title or found.assembly.name,
        words or str(found.assembly.notes.get("note", "")),
        scheme,
        scheme.at if shown is None else motion[:, :, shown],
        motion,
        numbers,
        _spread(motion, faint, DIGITS * scheme.size),
        drawn,
    )


def _spread(motion: Array, count: int, near: float) -> tuple[int, ...]:
    """States evenly spaced over the valid ones; without the last of a closed motion."""
    valid = np.flatnonzero(np.isfinite(motion).all(axis=(0, 1)))
    if len(valid) < 2 or count == 0:
        return ()
    first, last = motion[:, :, valid[0]], motion[:, :, valid[-1]]
    closed = bool(np.abs(last - first).max() <= near)
    at = np.linspace(0, len(valid) - 1, count + closed).round().astype(int)
    return tuple(valid[at[: len(at) - closed]].tolist())


# ------------------------------------------------------------------------------------ csv file
def series(states: States) -> str:
    """CSV with a row for each state: time, inputs, motion of all points, in mm, degrees, s.

    The columns are named as those of a sweep's file; invalid states have empty cells.
    """
    columns = [Column("t", states.t)]
    for name, values in zip(states.linkage.inputs, states.V, strict=True):
        columns.append(Column(f"driver:{name}", values))
    for name in states.linkage.scheme.points:
        vectors = (states.point(name), states.velocity(name), states.acceleration(name))
        columns += point_columns(name, vectors, "xy")
    return written(columns, states.valid, [states.reasons.get(k, "") for k in range(len(states.t))])
