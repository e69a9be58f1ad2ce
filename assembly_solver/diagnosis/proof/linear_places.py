"""Places of parts and of points as far as coordinates along known directions tell them.

The places of parts whose rotations are known are unknowns, and so are points of other parts: a ball
between two plates is told by the heights of its centre, however it is turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...foundations.numerics.rounding import ROOT
from ...foundations.types import Array
from .stated_facts import Coordinates, OwnVector


class LinearPlaces:
    """Places that linear equations in the axes of a group tell.

    Attributes:
        at, free: a solution, (places, 3), mm, and what it may be moved by, (ways, places, 3).

    Args:
        rotation: of parts, (3, 3); parts: those of the group; margin: by how much lengths have to
            be off to be a proof, mm.
    """

    def __init__(self, rotation: Mapping[int, Array], parts: Sequence[int], margin: float) -> None:
        self.rotation, self.margin = rotation, margin
        self.column: dict[int | OwnVector, int] = {p: n for n, p in enumerate(parts)}
        self.right = list[float]()
        self._rows = list[dict[int, Array]]()
        self.at, self.free = np.zeros((0, 3)), np.zeros((0, 0, 3))
        self._inverse = np.zeros((0, 3, 0))

    def add(self, terms: Sequence[tuple[float, Coordinates]], value: float) -> None:
        """Add an equation: the sum of some coordinates, each of one axis, mm."""
        row = dict[int, Array]()
        for factor, c in terms:
            way = factor * (self.rotation[c.a.part] @ c.axes[0])
            for spot, sign in ((c.b, 1.0), (c.a, -1.0)):
                n, own = self._place(spot)
                row[n] = row.get(n, np.zeros(3)) + sign * way
                value -= sign * float(way @ own)
        self._rows.append(row)
        self.right.append(value)

    def _place(self, spot: OwnVector) -> tuple[int, Array]:
        """The column of a point, and where it is from there: of a part whose rotation is not known
        a point has its own."""
        if spot.part in self.column:
            return self.column[spot.part], self.rotation[spot.part] @ spot.vector
        return self.column.setdefault(spot, len(self.column)), np.zeros(3)

    @property
    def matrix(self) -> Array:
        """Coefficients of all places, (equations, 3 x places)."""
        out = np.zeros((len(self._rows), len(self.column), 3))
        for r, row in enumerate(self._rows):
            for n, way in row.items():
                out[r, n] = way
        return out.reshape(len(out), -1)

    def solve(self) -> None:
        """Find the places, as far as they are told."""
        left, sizes, turned = np.linalg.svd(self.matrix)
        rank = int(np.sum(sizes > ROOT * sizes[0]))
        inverse = (turned[:rank].T / sizes[:rank]) @ left[:, :rank].T
        self._inverse = inverse.reshape(-1, 3, len(left))
        self.at = self._inverse @ np.array(self.right)
        self.free = turned[rank:].reshape(-1, len(self.at), 3)

    def loose(self, m: int, n: int) -> float:
        """How far one of two places is off the other for each mm that all equations are, mm."""
        return float(np.linalg.norm(self._inverse[n] - self._inverse[m], axis=0).sum())

    def apart(self, a: OwnVector, b: OwnVector) -> tuple[float, float]:
        """The least and the largest distance of two points, mm, with what the equations enlarge."""
        if not all(spot in self.column or spot.part in self.column for spot in (a, b)):
            return 0.0, float("inf")
        (m, here), (n, there) = self._place(a), self._place(b)
        between = self.at[n] + there - self.at[m] - here
        _, sizes, ways = np.linalg.svd(self.free[:, n] - self.free[:, m], full_matrices=False)
        ways = ways[sizes > ROOT]
        far = float(np.linalg.norm(between - ways.T @ (ways @ between)))
        off = max(self.loose(m, n) - 1.0, 0.0) * self.margin
        return far - off, float("inf") if len(ways) else far + off
