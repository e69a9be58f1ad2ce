"""Marches in leaps: where a chain runs interpreted, states between two far ones are closed at once.

One step of `continuation` leads over several states.  Those between are predicted from the rates at
both of its ends and closed in arrays; they count where each satisfies what a step to it would have
had to, and no determinant changes sign, else they are followed one by one.  The states are the same
up to rounding.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..foundations.jit.decorators import borrowing_in_form
from ..foundations.numerics.distinct import in_first_alone
from ..foundations.types import Array, Bools, Ints
from .chain_arrays import (
    ALLOWANCE,
    Chain,
    ChainState,
    MarchRecord,
    MarchSpan,
    PrescribedValues,
    StepEnd,
    StepWork,
    Tolerances,
)
from .continuation import (
    ARRIVED,
    ROUGH,
    SINGULAR,
    STRAY,
    accept,
    clear_higher,
    march,
    set_higher,
    step,
    write,
)
from .many_states import NUMBERS, ClosedStates, ManyStates, is_usual

LEAP = 8
"""A setting: states from one end of a leap to the other."""


def _in_leaps(
    c: Chain,
    n: ChainState,
    work: StepWork,
    g: PrescribedValues,
    span: MarchSpan,
    tolerances: Tolerances,
    record: MarchRecord,
) -> tuple[int, int, float]:
    """`follow` where it runs interpreted."""
    if span.last - span.first < LEAP or not is_usual(c):
        return march(c, n, work, g, span, tolerances, record)
    s, part, many = span.first, span.begin, ManyStates(c)
    while s < span.last:
        if part == 0.0:
            s = _Leaps(many, n, work, s).taken(g, span.last, tolerances, record)
        if s < span.last:  # one by one
            end = min(s + LEAP, span.last)
            here = MarchSpan(s, part, end)
            status, s, part = march(c, n, work, g, here, tolerances, record)
            if status != ARRIVED:
                return status, s, part
    return ARRIVED, span.last, 0.0


@partial(borrowing_in_form, interpreted=_in_leaps)
def follow(
    c: Chain,
    n: ChainState,
    work: StepWork,
    g: PrescribedValues,
    span: MarchSpan,
    tolerances: Tolerances,
    record: MarchRecord,
) -> tuple[int, int, float]:
    """`march` in the fastest way that there is."""
    return march(c, n, work, g, span, tolerances, record)


class _Leaps:
    """Leaps from one to the next, the first from state s, at which the chain is.

    Attributes:
        ends: their states; poses, speed, change, pivots: there, (bodies, ...) and (blocks,).
    """

    def __init__(self, many: ManyStates, n: ChainState, work: StepWork, s: int) -> None:
        self.many, self.c, self.n, self.work = many, many.c, n, work
        self.ends: list[int] = []
        self.poses: list[Array] = []
        self.speed: list[Array] = []
        self.change: list[Array] = []
        self.pivots: list[Array] = []
        self._add(s)

    def _add(self, s: int) -> None:
        self.ends.append(s)
        for kept, now in zip((self.poses, self.speed, self.change), self.n[:3], strict=True):
            kept.append(now[self.c.bodies])
        self.pivots.append(self.n.pivots.copy())

    def taken(
        self, g: PrescribedValues, last: int, tolerances: Tolerances, record: MarchRecord
    ) -> int:
        """Follow the chain in leaps as far as they lead; the state at which it is then."""
        self._leap(g, last, tolerances, record)
        if len(self.ends) == 1:
            return self.ends[0]
        ends = np.array(self.ends)
        inner = in_first_alone(np.arange(ends[0], ends[-1]), ends)
        poses = self._predicted(g.t, inner, ends)
        found = self.many.close(poses, self.many.wanted(g, inner), tolerances)
        good = self._count(self._are_good(g.t, found, inner, ends, tolerances), ends)
        track, kept = record.track, inner < ends[good]
        track.off[ends[good + 1 :]] = np.nan
        for name in ("poses", "twists", "changes", "off", "pivots"):
            getattr(track, name)[inner[kept]] = getattr(found, name)[kept]
        track.substeps[ends[0] + 1 : ends[good] + 1] = 1
        if good + 1 < len(ends):
            self._return_to(good)
        if good:
            at = np.arange(ends[good] - 1, ends[good] + 1)
            record.trace[:, 0], record.trace[:, 1:] = g.t[at], track.pivots[at]
        return int(ends[good])

    def _leap(
        self, g: PrescribedValues, last: int, tolerances: Tolerances, record: MarchRecord
    ) -> None:
        """Go to the ends of leaps."""
        c, n, work, s = self.c, self.n, self.work, self.ends[0]
        most = NUMBERS // (LEAP * len(c.rows) ** 2)
        clear_higher(c, work.higher)
        while s + 1 < last and len(self.ends) <= most:
            end = min(s + LEAP, last)
            h = float(g.t[end] - g.t[s])
            status, residual = step(c, n, work, g, StepEnd(end, 1.0, h), tolerances)
            if status != ARRIVED:
                return
            set_higher(c, n, work.after, h, work.higher)
            accept(c, n, work.after, work.scratch)
            write(c, n, end, residual, work.scratch, record.track)
            self._add(end)
            s = end

    def _return_to(self, k: int) -> None:
        """Put the chain at end k."""
        for kept, now in zip((self.poses, self.speed, self.change), self.n[:3], strict=True):
            now[self.c.bodies] = kept[k]
        self.n.pivots[:] = self.pivots[k]

    def _predicted(self, t: Array, inner: Ints, ends: Ints) -> Array:
        """Poses of inner states, (states, bodies, 12): velocities are cubic between the ends."""
        k = np.searchsorted(ends, inner) - 1
        whole = (t[ends[k + 1]] - t[ends[k]])[:, None, None]
        v, a = np.array(self.speed), np.array(self.change)
        gained, bent = v[k + 1] - v[k] - whole * a[k], a[k + 1] - a[k]
        jerk = (6.0 * gained - 2.0 * whole * bent) / whole**2
        snap = 2.0 * (bent - whole * jerk) / whole**2
        h = (t[inner] - t[ends[k]])[:, None, None]
        moved = h * (v[k] + h * (a[k] / 2.0 + h * (jerk / 6.0 + h * snap / 24.0)))
        return self.many.moved(np.array(self.poses)[k], moved)

    def _are_good(
        self, t: Array, found: ClosedStates, inner: Ints, ends: Ints, tolerances: Tolerances
    ) -> Bools:
        """Whether each state after the first one is where a step would have led."""
        first, count = ends[0], ends[-1] - ends[0] + 1

        def all_of(at_ends: list[Array], between: Array) -> Array:
            out = np.empty((count, *between.shape[1:]))
            out[ends - first], out[inner - first] = np.array(at_ends), between
            return out

        speed, change = all_of(self.speed, found.speed), all_of(self.change, found.change)
        pivots = all_of(self.pivots, found.pivots)
        none = [np.zeros(())] * len(ends)
        off = all_of(none, np.where(found.accurate, found.off, np.inf))
        corrected = all_of(none, found.corrected)
        h = np.diff(t[first : ends[-1] + 1])
        least = np.abs(pivots).min(axis=1)[1:]
        allowance = ALLOWANCE * least * self.c.length
        span = h[:, None, None]
        ahead = np.abs(speed[1:] - speed[:-1] - span * change[:-1])
        back = np.abs(speed[:-1] - speed[1:] + span * change[1:])
        miss, sizes = np.minimum(ahead, back).max(axis=(1, 2)), np.abs(speed).max(axis=(1, 2))
        smooth = miss * h <= ROUGH * np.maximum(sizes[1:], sizes[:-1]) * h + allowance
        near = corrected[1:] <= STRAY * sizes[:-1] * h + allowance
        same = (np.sign(pivots[1:]) == np.sign(pivots[:-1])).all(axis=1) & (least >= SINGULAR)
        same &= least >= tolerances.narrow
        return np.asarray(smooth & near & same & (off[1:] <= tolerances.closed))

    @staticmethod
    def _count(good: Bools, ends: Ints) -> int:
        """Number of leaps before the first state that is not good."""
        bad = np.flatnonzero(~good)
        return (
            len(ends) - 1 if not len(bad) else int(np.searchsorted(ends, ends[0] + bad[0] + 1)) - 1
        )
