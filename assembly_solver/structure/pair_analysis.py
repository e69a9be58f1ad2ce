"""The analysis of one pair of bodies by any of their equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..equations.closed_form import Cloud
from ..equations.system import System
from ..equations.table import Table
from ..foundations.types import Array, Ints
from .clusters import Bodies
from .pairs import Pairs, analyse_pairs


@dataclass(frozen=True, eq=False)
class PairAnalyst:
    """What is needed to close a pair on its own: the equations, the bodies and their features."""

    system: System
    bodies: Bodies
    table: Table
    cloud: Cloud

    def analyse(self, ends: Ints, rows: Ints, start: Array, axes: Array, flat: bool) -> Pairs:
        """Analyse one pair of bodies by some rows; ends[1] is the one that moves."""
        pairs = Pairs(
            np.asarray(ends, np.int64).reshape(1, 2),
            np.array([0, len(rows)]),
            np.asarray(rows, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1),
            np.zeros((1, 12)),
            np.zeros((1, 12)),
            np.zeros((1, 12)),
        )
        s = self.system
        analyse_pairs(
            self.table,
            start,
            pairs,
            np.zeros(1, np.int64),
            axes,
            flat,
            self.bodies.centre,
            s.length,
            s.stop,
        )
        return pairs
