"""Play that closes over-determined loops: where pins go in their holes so that the mates agree.

What no displacement of the parts makes up for, the mismatch of a loop, play takes up: the pins go
from where they were drawn to where the mismatch is least, each within its hole.

Source: alternating projections on convex sets; where these do not meet, A. Beck and M. Teboulle,
SIAM J. Imaging Sciences 2 (2009), 183: projected gradients with momentum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..foundations.numerics.rounding import FAINT, TINY
from ..foundations.types import Array, Ints
from .deviations import Spread
from .linear_model import LinearModel

STEPS = 400
"""Steps of a search: what is left of a mismatch falls with their square or faster."""


PROJECTIONS = 32
"""Most projections by turns: where the pins can stand well inside their holes, few do."""

CLOSES = 0.1
"""Share of the tolerance that is enough: what is left of it is for what is not linear."""


@dataclass(frozen=True, eq=False)
class SoughtPlay:
    """The play of joints that may close the loops of an assembly.

    Attributes:
        by: derivatives by the variables of what no displacement makes up for, the residuals at
            least squares, (equations, variables), mm.
        zones: columns of each disc in which a pin may be, two each, and its radius, mm.
        enough: a mismatch that need not be less, mm.
    """

    by: Array
    zones: tuple[tuple[slice, float], ...]
    enough: float = 0.0

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
        system = response.system
        wide = max(float(system.reach.max(initial=0.0)) / system.length, 1.0)
        return SoughtPlay(by, zones, CLOSES * system.tolerance / wide)

    def placed(self, deviations: Array, off: Array) -> Array:
        """Deviations, (samples, variables), with the pins where the mismatch is least.

        Args:
            off: residuals with the parts at least squares, (samples, equations), mm.
        """
        columns = np.concatenate([np.arange(z.start, z.stop) for z, _ in self.zones])
        by, begin = self.by[:, columns], deviations[:, columns]
        pins, open_ = self._projected(by, begin, off)
        pins[open_] = self._descended(by, begin[open_], off[open_], pins[open_])
        out = deviations.copy()
        out[:, columns] = pins
        return out

    def _projected(self, by: Array, begin: Array, off: Array) -> tuple[Array, Ints]:
        """Places of the pins by turns where the mates agree and in the holes, the nearest each
        time; numbers of the samples for which that does not end."""
        inverse, squares = np.linalg.pinv(by, rcond=FAINT), by.T @ by
        taken, left = (inverse @ by).T, off @ inverse.T
        pins, open_ = self._within(begin), np.arange(len(begin))
        for _ in range(PROJECTIONS):
            step = left[open_] + (pins[open_] - begin[open_]) @ taken
            open_here = ((step @ squares) * step).sum(axis=1) > self.enough**2
            open_, step = open_[open_here], step[open_here]
            if not len(open_):
                break
            pins[open_] = self._within(pins[open_] - step)
        return pins, open_

    def _descended(self, by: Array, begin: Array, off: Array, pins: Array) -> Array:
        """Places in the holes where the mismatch is least, from some on."""
        left, squares = off @ by, by.T @ by
        size = max(float(np.linalg.norm(squares, 2)), TINY)
        here = ahead = pins
        momentum = 1.0
        for _ in range(STEPS if len(pins) else 0):
            slope = left + (ahead - begin) @ squares
            there = self._within(ahead - slope / size)
            faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = there + (momentum - 1.0) / faster * (there - here)
            here, momentum = there, faster
        return here

    def _within(self, places: Array) -> Array:
        """The nearest places in the discs, (samples, 2 discs)."""
        pairs = places.reshape(len(places), len(self.zones), 2)
        away = np.sqrt(np.square(pairs).sum(axis=2))
        radii = np.array([radius for _, radius in self.zones])
        shares = np.minimum(1.0, radii / np.maximum(away, TINY))
        out: Array = (pairs * shares[..., None]).reshape(places.shape)
        return out
