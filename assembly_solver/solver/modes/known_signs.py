"""The signs of an assembly mode for many solves of one structure, found once.

What signs are taken of follows from the structure of a plan.  Over other targets it is the same;
where features are elsewhere on their parts, so are the points of the arms that are at them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...foundations.geometry.plane_closed_forms import DEAD
from ...foundations.types import Array, Ints
from ...structure.plan import Plan
from .enumeration import CLEAR, Modes, modes_around
from .orientation import on_parts, signs_of, sines_at
from .sines import SignTable, crossed

POINTS = 4
"""Columns of a `SignTable` that are points; the others are directions."""

NOWHERE = -2
"""The marker of a point that is at no feature; -1 is that of no point."""


@dataclass(frozen=True, eq=False)
class KnownSigns:
    """The signs at any poses of the parts.

    Attributes:
        table: of parts; None where features have moved that it does not follow.
        marker: of the plan's system that each point is at, up to the normal of its plane, or
            `NOWHERE`, or -1 for none, (signs, `POINTS`).
    """

    table: SignTable | None
    marker: Ints
    at: Array

    def name(self, parts: Array) -> str:
        """The signs at poses of the parts, (parts, 12)."""
        assert self.table is not None
        return signs_of(sines_at(self.table, parts))

    def switched(self, start: Array, parts: Array) -> bool:
        """Whether a sign that is clear at the start is another one at poses of the parts."""
        assert self.table is not None
        before = signs_of(sines_at(self.table, start), CLEAR)
        pairs = zip(before, self.name(parts), strict=True)
        return any({a, b} == {"+", "-"} for a, b in pairs)

    def crossed(
        self, start: Array, poses: Array, shifts: Array, shifted: Ints
    ) -> NDArray[np.bool_]:
        """Of which copies a sign is not that of the start, where that is not 0.

        Args:
            poses: of the parts of each copy, (copies, parts, 12), mm.
            shifts: of the origins of some markers in each, body coordinates, (copies, k, 3), mm.
            shifted: for each marker of the plan's system its number among these, or -1.
        """
        assert self.table is not None
        t, out = self.table, np.zeros(len(poses), np.bool_)
        of = np.where(self.marker >= 0, shifted[self.marker], -1)
        own = t._replace(own=t.own.copy())
        before = sines_at(t, start)
        before[np.abs(before) <= DEAD] = 0.0
        crossed(own, t.own, of, shifts, before, poses, out)
        return out

    def redimensioned(self, plan: Plan) -> KnownSigns:
        """The same with the points at the present places of their features."""
        if self.table is None or (self.marker == NOWHERE).any():
            return replace(self, table=None)
        here = plan.system.table.marker_frame[:, :3]
        own, at = self.table.own.copy(), self.marker >= 0
        own[:, :POINTS][at] += here[self.marker[at]] - self.at[at]
        places = np.where(at[..., None], here[self.marker], self.at)
        return replace(self, table=self.table._replace(own=own), at=places)


def know_signs(plan: Plan, parts: Array) -> None:
    """Find the signs of a plan at poses of the parts, (parts, 12), for the solves that follow.

    Nothing is kept where its modes are those of another plan.
    """
    modes = modes_around(plan, parts)
    if modes.plan is plan:
        signs = signs_of_modes(modes, parts)
        plan.prepared[__name__], plan.computed[__name__] = signs, (signs, signs)


def signs_of_modes(modes: Modes, parts: Array) -> KnownSigns:
    """The signs of the modes around poses of the parts, (parts, 12), whatever their plan is."""
    table = on_parts(modes.table, modes.plan.bodies)
    marker = _markers(modes.plan, table, parts)
    return KnownSigns(table, marker, modes.plan.system.table.marker_frame[marker, :3])


def known_signs(plan: Plan | None) -> KnownSigns | None:
    """The signs of a plan, where they were found and followed."""
    first = None if plan is None else plan.prepared.get(__name__)
    if plan is None or first is None:
        return None
    by, found = plan.computed.get(__name__, (None, None))
    if by is not first:  # the plan has its features elsewhere
        found = first.redimensioned(plan)
        plan.computed[__name__] = first, found
    signs: KnownSigns = found
    return signs if signs.table is not None else None


def _markers(plan: Plan, table: SignTable, parts: Array) -> Ints:
    """The marker that each point of a table is at."""
    t, out = plan.system.table, np.full((len(table.kind), POINTS), -1)
    for k, n in np.argwhere(table.body[:, :POINTS] >= 0).tolist():
        part = int(table.body[k, n])
        own = np.flatnonzero(t.marker_body == part)
        away = table.own[k, n] - t.marker_frame[own, :3]
        holder = int(table.body[k, POINTS])
        if holder >= 0:  # where the points of a planar loop are at is told in its plane alone
            normal = table.own[k, POINTS] @ parts[holder, 3:].reshape(3, 3)
            normal = parts[part, 3:].reshape(3, 3) @ normal
            away -= np.outer(away @ normal, normal)
        near = np.abs(away).max(axis=1) <= plan.system.same_place
        out[k, n] = own[np.argmax(near)] if near.any() else NOWHERE
    return out
