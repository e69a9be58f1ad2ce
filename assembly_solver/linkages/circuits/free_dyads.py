"""Where a dyad turns freely: links of one length lie on each other, or a slide is on both pins.

There it closes in every direction: a motion that its two signs do not tell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array, Bools, Ints
from ..plan.link_length import CONSTANT, DRIVEN
from ..plan.placement_program import AT, CIRCLES, SLIDES
from .driven_linkage import DrivenLinkage
from .intervals import DIVISIONS, ROUNDS


class _Pins(NamedTuple):
    """The outer pins of a dyad; its lengths: kind, actuator and numbers of each."""

    a: int
    b: int
    lengths: tuple[tuple[int, int, Array], ...]


class FreeDyads:
    """The dyads of a linkage that may turn freely, over its input."""

    def __init__(self, linkage: DrivenLinkage) -> None:
        self.linkage, q = linkage, linkage.planned.program
        self.near = FAINT * linkage.planned.scheme.size
        """What is no distance between pins, and no difference between lengths, mm."""
        self.pairs: list[_Pins] = []
        for row, by in zip(q.code, q.numbers, strict=True):
            at = row[AT:].tolist()
            if row[0] == CIRCLES:
                lengths = (at[2], at[3], by[:4]), (at[4], at[5], by[4:8])
                self.pairs.append(_Pins(at[0], at[1], lengths))
            elif row[0] == SLIDES:
                self.pairs.append(_Pins(at[0], at[1], ((CONSTANT, 0, np.append(by[:1], 0.0)),)))
        some = linkage.start_value + np.zeros(1)
        fixed = [all(kind == CONSTANT for kind, _, _ in p.lengths) for p in self.pairs]
        off = [float(self._difference(p, some)[0]) for p in self.pairs]
        self.pairs = [
            p for p, f, d in zip(self.pairs, fixed, off, strict=True) if not f or d <= self.near
        ]

    def at(self, signs: Ints, at: Array) -> Bools:
        """In which states of one choice of signs a dyad turns freely, (states,)."""
        out: Bools = np.any(self._apart(signs, at) <= self.near, axis=0)
        return out

    def first(self, signs: Ints, at: Array) -> float | None:
        """A value of the input at which a dyad turns freely; None where none does.

        Args:
            at: ascending values, so close that the distance of two pins has one minimum between
                three of them.
        """
        if not self.pairs:
            return None
        apart = self._apart(signs, at)
        apart[np.isnan(apart)] = np.inf
        far = np.full((len(apart), 1), np.inf)
        before, after = np.hstack([far, apart[:, :-1]]), np.hstack([apart[:, 1:], far])
        dyads, k = np.nonzero((apart <= before) & (apart < after))
        if not len(k):
            return None
        low, high = at[np.maximum(k - 1, 0)], at[np.minimum(k + 1, len(at) - 1)]
        found = self._nearest(signs, dyads, low, high)
        found = found[~np.isnan(found)]
        return float(found[0]) if len(found) else None

    def _nearest(self, signs: Ints, dyads: Ints, low: Array, high: Array) -> Array:
        """Where each of some dyads turns freely between two inputs; NaN where it does not."""
        each, shape = np.arange(len(dyads)), (len(self.pairs), len(dyads), DIVISIONS + 1)
        for _ in range(ROUNDS):
            at = np.linspace(low, high, DIVISIONS + 1, axis=1)
            own = self._apart(signs, at.ravel()).reshape(shape)[dyads, each]
            own[np.isnan(own)] = np.inf
            k = own.argmin(axis=1)
            low, high = at[each, np.maximum(k - 1, 0)], at[each, np.minimum(k + 1, DIVISIONS)]
        out: Array = np.where(own[each, k] <= self.near, at[each, k], np.nan)
        return out

    def _apart(self, signs: Ints, at: Array) -> Array:
        """How far each dyad is from turning freely, (dyads, states), mm; NaN where not known.

        The distance of its pins or the difference of its lengths, whichever is larger.
        """
        out = np.empty((len(self.pairs), len(at)))
        if self.pairs:
            P = self.linkage.states(signs, at).P
        for row, pins in zip(out, self.pairs, strict=True):
            row[:] = np.maximum(np.hypot(*(P[pins.a] - P[pins.b])), self._difference(pins, at))
        return out

    def _difference(self, pins: _Pins, at: Array) -> Array:
        """Of the lengths of a dyad at values of the input, or how far its slide is aside, mm."""
        out = np.zeros(len(at))
        for sign, (kind, actuator, by) in zip((1.0, -1.0), pins.lengths, strict=False):
            length = complex(by[0], by[1])
            if kind == CONSTANT:
                out += sign * abs(length)
                continue
            values, cosine, sine = self.linkage.values(at)[:, actuator].T
            f = values if kind == DRIVEN else cosine + 1j * sine
            out += sign * np.abs(length + complex(by[2], by[3]) * f)
        return np.abs(out)
