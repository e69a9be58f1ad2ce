"""The judge: how well any poses hold the mates of a case, from the features alone.

No engine has a part in it.  Positions are judged in mm, directions in rad; a direction that ended
up reversed is counted as a flip, not as an angle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .case import Array, BenchmarkCase, Poses, Reference

TIGHT = 1e-6  # relative to the case's size, and rad: 0.1 micrometre on a part of 100 mm
LOOSE = 1e-3


@dataclass(frozen=True)
class Verdict:
    """Worst violations of a case's mates by some poses.

    Attributes:
        mm: worst gap of a point, line, plane or distance.
        rad: worst angle between directions that should be parallel, whatever their sense.
        flips: number of mates whose directions point the wrong way.
        ground_mm, ground_rad: how far the grounded part has moved.
        size: length that gaps are measured against, mm.
    """

    mm: float
    rad: float
    flips: int
    ground_mm: float
    ground_rad: float
    size: float

    @property
    def relative(self) -> float:
        """The larger of gap / size and angle."""
        return max(self.mm / self.size, self.rad)

    @property
    def right(self) -> bool:
        """Every mate holds tightly, no sense is reversed, the ground has not moved."""
        return self.relative <= TIGHT and self.flips == 0 and not self.ground_moved

    @property
    def ground_moved(self) -> bool:
        """The grounded part is not where it was."""
        return self.ground_mm > TIGHT or self.ground_rad > TIGHT

    @property
    def word(self) -> str:
        """One word for a table: right, loose, flipped, moved (the ground) or wrong."""
        if self.right:
            return "right"
        if self.relative > LOOSE:
            return "wrong"
        if self.ground_moved:
            return "moved"
        return "flipped" if self.flips else "loose"


def judge(case: BenchmarkCase, poses: Poses) -> Verdict:
    """Judge poses (in the order of the case's parts) by the case's features."""
    pa, ua = _placed(case, poses, [tie.a for tie in case.mates])
    pb, ub = _placed(case, poses, [tie.b for tie in case.mates])
    kind = np.array([tie.kind for tie in case.mates])
    sense = np.array([tie.sense for tie in case.mates])
    value = np.array([tie.value for tie in case.mates])
    directed = (kind == "coaxial") | (kind == "coplanar")
    cosine = np.where(directed, np.einsum("ni,ni->n", ua, ub) * sense, 1.0)
    angle = np.arctan2(np.linalg.norm(np.cross(ua, ub), axis=1), np.abs(cosine))
    gap = _gaps(kind, pb - pa, ua, ub, value)
    angle, gap = (np.where(np.isfinite(v), v, np.inf) for v in (angle, gap))
    moved_mm, moved_rad = _ground(case, poses)
    return Verdict(
        mm=float(gap.max()),
        rad=float(angle.max()),
        flips=int(np.count_nonzero(cosine < 0)),
        ground_mm=moved_mm,
        ground_rad=moved_rad,
        size=case.size,
    )


def _placed(case: BenchmarkCase, poses: Poses, references: list[Reference]) -> tuple[Array, Array]:
    """World points (n, 3) and directions (n, 3, zero for points) of the features referred to."""
    index = {name: i for i, name in enumerate(case.parts)}
    part = [index[name] for name, _ in references]
    features = [case.feature(reference) for reference in references]
    spots = np.array([f.point for f in features])
    directions = np.array([f.direction or (0.0, 0.0, 0.0) for f in features])
    rotation = poses.rotation[part]
    world = np.einsum("nij,nj->ni", rotation, spots) + poses.position[part]
    return world, np.einsum("nij,nj->ni", rotation, directions)


def _gaps(kind: NDArray[np.str_], d: Array, ua: Array, ub: Array, value: Array) -> Array:
    """Gap of each mate, mm, seen from either side where the two sides differ."""
    along = np.stack([np.einsum("ni,ni->n", d, u) for u in (ua, ub)])
    aside = np.linalg.norm(d - along[..., None] * np.stack([ua, ub]), axis=2)
    apart = np.linalg.norm(d, axis=1)
    gaps = np.select(
        [kind == "coaxial", kind == "coplanar", kind == "coincident", kind == "distance"],
        [aside.max(0), np.abs(along).max(0), apart, np.abs(apart - value)],
        default=math.inf,
    )
    return np.asarray(gaps)


def _ground(case: BenchmarkCase, poses: Poses) -> tuple[float, float]:
    """How far the grounded part is from where it stands, mm and rad (chordal)."""
    i = list(case.parts).index(case.ground)
    shift = np.linalg.norm(poses.position[i] - case.truth.position[i])
    turn = np.linalg.norm(poses.rotation[i] - case.truth.rotation[i]) / math.sqrt(2)
    return float(shift), float(turn)
