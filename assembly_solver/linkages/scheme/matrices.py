"""The matrices of a planar linkage, as MotionGen stores it: M = {J, L, B, D, S, I, V, P}.

Rows and columns are numbered as the points and links of the scheme, from 0; the ground is link 0.

Source: MotionGen, section 2, equations (1) to (12); docs/theory/dyads.md, 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...foundations.types import Array, Ints
from .scheme import Scheme


@dataclass(frozen=True, eq=False)
class Matrices:
    """The matrices of a linkage; after a run also its inputs and positions.

    n joints (points; a tracer is one too), l links, m joints in slots, a actuators, s states.

    Attributes:
        joints: names of the columns of B; links: names of its rows.
        J: (n,), 1 for a joint on the ground (3).
        L: (l,), 1 for the ground (2).
        B: (l, n), 1 for a joint on a link (1).
        T: (n, n), 1 for two joints on one link, J on the diagonal (5).
        D: (n, n), distance of two joints on one link, mm; else 0 (4), (6).
        S: (m, 3), the joint in a slot and the two ends of the slot (7).
        I: rows (i, j, k, "R"): angle from ray j -> i to ray j -> k; (p, q, r, "P"): distance of q
            from p toward r; (p, q, -1, "L"): distance of p and q (8).
        V: (a, s), inputs of a run (9), degrees or mm; P: (n, 2, s), positions, mm (10); else None.
    """

    joints: tuple[str, ...]
    links: tuple[str, ...]
    J: Ints
    L: Ints
    B: Ints
    T: Ints
    D: Array
    S: Ints
    I: tuple[tuple[int, int, int, str], ...]  # noqa: E741 (its name in the source)
    V: Array | None = None
    P: Array | None = None

    @property
    def stacked(self) -> Ints:
        """B with L before it and J above it, shape (l + 1, n + 1); 0 in the corner."""
        return np.block([[np.zeros((1, 1), np.int64), self.J[None]], [self.L[:, None], self.B]])

    def to_dict(self) -> dict[str, Any]:
        """Names and matrices as lists, for JSON: NaN (a state that cannot be built) as None."""
        out: dict[str, Any] = {"joints": list(self.joints), "links": list(self.links)}
        for name in "JLBTDS":
            out[name] = getattr(self, name).tolist()
        out["I"] = [list(row) for row in self.I]
        for name in "VP":
            values = getattr(self, name)
            if values is not None:
                plain = values.astype(object)
                plain[np.isnan(values)] = None
                out[name] = plain.tolist()
        return out


def matrices(scheme: Scheme, V: Array | None = None, P: Array | None = None) -> Matrices:
    """The matrices of a scheme, with inputs and positions of a run where given."""
    B = np.zeros((len(scheme.links), len(scheme.points)), np.int64)
    for number, link in enumerate(scheme.links):
        B[number, list(link.points)] = 1
    L = np.zeros(len(B), np.int64)
    L[:1] = 1
    J = B[0].copy()
    together = B.T @ B > 0
    np.fill_diagonal(together, J)
    T = together.astype(np.int64)
    between = scheme.at[:, None] - scheme.at[None]
    D = np.where(T > 0, np.hypot(between[..., 0], between[..., 1]), 0.0)
    S = np.array([(s.point, *s.ends) for s in scheme.slots], np.int64).reshape(-1, 3)
    driven = tuple((*a.points, a.kind) for a in scheme.actuators)
    names = tuple(link.name for link in scheme.links)
    return Matrices(scheme.points, names, J, L, B, T, D, S, driven, V, P)
