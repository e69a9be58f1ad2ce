"""The analysis of one pair of bodies by any of their equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..equations.closed_form import Cloud
from ..equations.system import System
from ..equations.table import PLANE, SPACE, EquationTable, TwistBasis
from ..foundations.types import Array, Ints
from .clusters import Bodies
from .known_pairs import recognise
from .pairs import ATTEMPTS, Pairs, PairSetting, analyse_pairs


@dataclass(frozen=True, eq=False)
class PairAnalyst:
    """What is needed to close a pair on its own: the equations, the bodies and their features.

    It is closed from so many orientations.
    """

    system: System
    bodies: Bodies
    table: EquationTable
    cloud: Cloud
    attempts: int = ATTEMPTS

    def analyse(self, ends: Ints, rows: Ints, start: Array, axes: Array, planar: bool) -> Pairs:
        """Analyse a pair of a fixed and a moving body by some rows, from some poses, (bodies, 12).

        A planar pair moves in the plane of the first two axes of its unknowns only.
        """
        ends, rows = np.asarray(ends, np.int64).reshape(1, 2), np.asarray(rows, np.int64)
        pairs = Pairs.unanalysed(ends, np.array([0, len(rows)]), rows)
        known = np.zeros(1, bool)
        recognise(self.table, start, pairs, planar, known)
        if known[0]:
            return pairs
        s, unknowns = self.system, PLANE if planar else SPACE
        basis = TwistBasis(axes, self.bodies.centre, s.length)
        accuracy = s.convergence_tolerance, s.tolerance
        g = PairSetting(self.table, unknowns, basis, *accuracy, self.attempts)
        analyse_pairs(g, start, pairs, np.zeros(1, np.int64))
        return pairs
