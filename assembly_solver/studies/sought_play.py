"""Play that closes over-determined loops: where pins go in their holes so that the mates agree.

What no displacement of the parts makes up for, the mismatch of a loop, play takes up: the pins go
from where they were drawn to where the mismatch is least, each within its hole.

Source: A. Beck and M. Teboulle, SIAM J. Imaging Sciences 2 (2009), 183: projected gradients with
momentum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..foundations.numerics.rounding import FAINT, TINY
from ..foundations.types import Array
from .deviations import Spread
from .linear_model import LinearModel

STEPS = 400
"""Steps of a search: what is left of a mismatch falls with their square or faster."""


@dataclass(frozen=True, eq=False)
class SoughtPlay:
    """The play of joints that may close the loops of an assembly.

    Attributes:
        by: derivatives by the variables of what no displacement makes up for, the residuals at
            least squares, (equations, variables), mm.
        zones: columns of each disc in which a pin may be, and its radius, mm.
    """

    by: Array
    zones: tuple[tuple[slice, float], ...]

    @staticmethod
    def of(model: LinearModel, spreads: Sequence[Spread]) -> SoughtPlay:
        """That of the joints whose play has a tolerance, where it acts on a mismatch at all."""
        joints, response = model.before.tolerances, model.response
        by = np.zeros_like(model.rates)
        if response.dependent:
            by = model.rates + response.rows.times(model.steps)
        by[np.abs(by) <= FAINT * np.abs(model.rates).max(initial=TINY)] = 0.0
        zones = tuple(
            (s.own, s.radius)
            for s in spreads
            if joints[s.tolerance].joint is not None and by[:, s.own].any()
        )
        return SoughtPlay(by, zones)

    def placed(self, deviations: Array, off: Array) -> Array:
        """Deviations, (samples, variables), with the pins where the mismatch is least.

        Args:
            off: residuals with the parts at least squares, (samples, equations), mm.
        """
        columns = np.concatenate([np.arange(z.start, z.stop) for z, _ in self.zones])
        by, begin = self.by[:, columns], deviations[:, columns]
        left, squares = off @ by, by.T @ by
        size = max(float(np.linalg.norm(squares, 2)), TINY)
        here = ahead = self._within(begin)
        momentum = 1.0
        for _ in range(STEPS):
            slope = left + (ahead - begin) @ squares
            there = self._within(ahead - slope / size)
            faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = there + (momentum - 1.0) / faster * (there - here)
            here, momentum = there, faster
        out = deviations.copy()
        out[:, columns] = here
        return out

    def _within(self, places: Array) -> Array:
        """The nearest places in the discs, (samples, 2 discs)."""
        out, at = places.copy(), 0
        for zone, radius in self.zones:
            own = out[:, at : at + zone.stop - zone.start]
            away = np.linalg.norm(own, axis=1, keepdims=True)
            own *= np.minimum(1.0, radius / np.maximum(away, TINY))
            at += zone.stop - zone.start
        return out
