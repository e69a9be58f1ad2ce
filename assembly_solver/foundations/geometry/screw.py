"""Screw axis and pitch of an instantaneous rigid motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..numerics.rounding import AGREEMENT, FAINT, TINY
from ..types import Array


class ScrewAxis(NamedTuple):
    """An instantaneous rigid motion, in the world.

    Attributes:
        kind: "rotation", "translation" or "screw".
        point: a point of the axis, mm; direction: unit vector along it.
        pitch: translation for each full turn, mm; 0 for a rotation and for a translation.
    """

    kind: str
    point: Array
    direction: Array
    pitch: float

    @property
    def turns(self) -> bool:
        """Whether it has an angular velocity."""
        return self.kind != "translation"

    @property
    def twist(self) -> Array:
        """Velocity of the world's origin and angular velocity, for 1 rad or 1 mm of translation."""
        if not self.turns:
            return np.concatenate([self.direction, np.zeros(3)])
        slide = self.pitch / (2 * np.pi) * self.direction
        return np.concatenate([slide + np.cross(self.point, self.direction), self.direction])


def screw_of(velocity: Array, spin: Array, at: Array) -> ScrewAxis:
    """The screw axis of a twist, in the world: velocity of the point `at`, mm, and spin, rad.

    Source: Mozzi; the axis passes through `at + spin x velocity / |spin|^2`.
    """
    size, speed = float(np.linalg.norm(spin)), float(np.linalg.norm(velocity))
    if size <= AGREEMENT * max(speed, TINY):
        direction = velocity / speed if speed else np.array([0.0, 0.0, 1.0])
        return ScrewAxis("translation", at.copy(), _canonical(direction), 0.0)
    direction = spin / size
    point = at + np.cross(spin, velocity) / size**2
    pitch = float(2 * np.pi * (velocity @ direction) / size)
    reach = speed / size + 1.0
    kind = "rotation" if abs(pitch) < FAINT * reach else "screw"
    return ScrewAxis(kind, point, _canonical(direction), 0.0 if kind == "rotation" else pitch)


def plain_motions(velocity: Array, spin: Array, axes: Array) -> Array:
    """Combinations of twists that are slides, then turns where there are any, else screws.

    Args:
        velocity, spin: of one body, (k, 3), mm and rad (to one scale); independent.
        axes: directions by which several slides, or turns, of any direction are chosen, (3, 3).

    Returns:
        Rows of coefficients, (k, k).  The slides are square to each other; the other motions move
        the point of `velocity` as little as slides allow.  Of two of these, both are turns if the
        screws of their cylindroid have axes without pitch; else, as of three, they are principal
        screws.

    Source: Hunt, Kinematic Geometry of Mechanisms, 1978, chapter 12 (two- and three-systems).
    """
    left, sizes, _ = np.linalg.svd(np.asarray(spin, float))
    reach = max(float(np.abs([velocity, spin]).max(initial=0.0)), TINY)
    rank = int(np.sum(sizes > AGREEMENT * reach))
    turns, slides = left[:, :rank].T, left[:, rank:].T
    if len(slides):
        ways = slides @ velocity
        slides = nearest_directions(ways, axes) @ np.linalg.pinv(ways) @ slides
        share = np.linalg.pinv(slides @ velocity) @ slides  # of slides that give a velocity
        turns = turns - turns @ velocity @ share
        w, v = turns @ spin, turns @ velocity
        along = w @ share @ velocity  # each spin, projected onto the slides
        size = np.einsum("ni,ni->n", w, along)
        can = size > AGREEMENT * np.einsum("ni,ni->n", w, w)
        back = np.where(can, np.einsum("ni,ni->n", w, v) / np.where(can, size, 1.0), 0.0)
        turns = turns - back[:, None] * (w @ share)
    w, v = turns @ spin, turns @ velocity
    pitches = 0.5 * (w @ v.T + v @ w.T)
    if rank > 1 and np.abs(pitches).max() > AGREEMENT * np.abs(w).max() * reach:
        turns = _least_pitches(pitches, w @ axes.T) @ turns
    elif rank > 1:
        turns = nearest_directions(w, axes) @ np.linalg.pinv(w) @ turns
    return np.concatenate([slides, turns])


def nearest_directions(vectors: Array, axes: Array) -> Array:
    """Unit vectors that span what independent vectors, (k, 3), do, and are square to each other:
    along those of the axes, as rows, to which that is nearest, one after the other."""
    span, out = np.linalg.svd(vectors, full_matrices=False)[2], np.zeros((0, 3))
    while len(out) < len(vectors):
        shadows = axes @ span.T @ span
        shadows -= shadows @ out.T @ out
        sizes = np.linalg.norm(shadows, axis=1)
        first = int(np.argmax(sizes > sizes.max() - AGREEMENT))
        out = np.vstack([out, shadows[first] / sizes[first]])
    return out


def _least_pitches(pitches: Array, spins: Array) -> Array:
    """Combinations of spins without pitch where two have some, else with extreme pitches.

    Args:
        pitches: spin times velocity of each pair of motions, symmetric, (k, k).
        spins: of the motions, (k, 3).
    """
    whole = np.linalg.inv(np.linalg.cholesky(spins @ spins.T))
    values, vectors = np.linalg.eigh(whole @ pitches @ whole.T)
    out: Array = vectors.T @ whole
    if len(values) == 2 and values[0] < 0.0 < values[1]:
        share = np.sqrt(-values[0] / (values[1] - values[0]))
        other = np.sqrt(values[1] / (values[1] - values[0]))
        signs = [1.0 if _points_on(row @ spins) else -1.0 for row in out]  # else of rounding
        out = np.array([[other, share], [other, -share]]) @ (np.array(signs)[:, None] * out)
    return out


def _canonical(direction: Array) -> Array:
    """The same line with its largest component positive."""
    return direction if _points_on(direction) else -direction


def _points_on(direction: Array) -> bool:
    """Whether the largest component of a unit vector is positive, the first of equal ones."""
    k = int(np.argmax(np.abs(direction) > np.abs(direction).max() - AGREEMENT))
    return bool(direction[k] >= 0)
