"""All poses of bodies that loops of hinges and slides hold, by continuation from generic loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import quaternions
from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array, Bools, Complexes, Ints
from ...foundations.watch import Watch
from ...structure.lower_pairs import frame_along
from .homotopy import UNWATCHED, in_pairs, meeting, unit
from .loop_paths import CONJUGATE, LoopJoints, LoopPath, product
from .loop_starts import GenericLoops, generic_member
from .loop_structure import ordered
from .path_ends import all_ends
from .platform_forms import pose_of

GROUND = 0
"""The number of the link that all fixed bodies are."""

NEAR_REAL = 1e3 * FAINT
"""How far from real a point is where paths meet, at a dead point, that a pose is looked for at."""


class LoopJoint(NamedTuple):
    """A hinge or a slide between two links, in the world where all joints hold.

    Attributes:
        one, two: its links; fixed bodies are `GROUND`, those without a part are less than 0.
        direction: unit vector; point: on the axis of a hinge, mm; None of a slide.
        moved: how the fixed body of the first or of the second link has moved since: a frame (12,).
    """

    one: int
    two: int
    direction: Array
    point: Array | None
    moved: tuple[Array | None, Array | None] = (None, None)


class LoopPoses(NamedTuple):
    """The poses of bodies that loops hold.

    Attributes:
        motions: frames (k, bodies, 12) of the motions from where the joints are given, mm.
        closures: how many solutions meet in each, (k,): 1 but at a dead point.
        near: motions near points at which paths of solutions were lost.
        solutions: how many there are in complex numbers.
        complete: whether each path of the generic member ended at an isolated solution, or went
            where no pose is; and each that is not real has its conjugate among the others.
    """

    motions: Array
    closures: Ints
    near: Array
    solutions: int
    complete: bool


class _Scaled(NamedTuple):
    """Lengths relative to a size, mm, points to a middle, along axes of which the third is normal
    to a plane."""

    middle: Array
    size: float
    axes: Array

    def line(self, joint: LoopJoint) -> Array:
        """The line of a hinge, or the direction of a slide."""
        d = self.axes @ joint.direction
        if joint.point is None:
            return np.concatenate([np.zeros(5), d])
        moment = np.cross(self.axes @ (joint.point - self.middle) / self.size, d)
        return np.concatenate([[0.0], d, [0.0], moment])

    def displacement(self, motion: Array) -> Complexes:
        """The dual quaternion of a motion (12,)."""
        turn = np.zeros(8, complex)
        turn[:4] = quaternions(motion[None])[0]
        turn[1:4] = self.axes @ turn[1:4]
        shift = motion[:3] + self.middle @ motion[3:].reshape(3, 3) - self.middle
        half = np.zeros(8, complex)
        half[5:] = 0.5 * self.axes @ shift / self.size
        return turn + product(half, turn)

    def motion(self, displacement: Array) -> Array:
        """The motion (12,) of a real dual quaternion, of any size."""
        rotation, t = pose_of(displacement)
        rotation = self.axes.T @ rotation @ self.axes
        shift = self.size * self.axes.T @ t + self.middle - rotation @ self.middle
        return np.concatenate([shift, rotation.T.ravel()])


def loop_poses(
    kind: str, joints: list[LoopJoint], bodies: list[int], held: int = 0, watch: Watch = UNWATCHED
) -> LoopPoses | None:
    """All poses of bodies; None where no generic loops of the structure are kept.

    Args:
        kind: space, plane (all hinges normal to it), sphere (all axes meet in one point).
        bodies: links whose motions are asked for.
        held: how many of the joints, the last ones, are hinges that do not turn.
    """
    order = ordered([(j.one, j.two) for j in joints])
    start = order and generic_member(kind, order.structure)
    if order is None or start is None:
        return None
    scaled = _scale(kind, joints)
    lined = [(joints[n], backwards) for n, backwards in order.joints]
    end = _joints(lined, scaled)
    begin, solutions = _aligned(start, end)
    way = lambda n: LoopPath(start.loops, begin, end, _between(begin, n + 1))  # noqa: E731
    found = all_ends(way, solutions, lambda x: _far(end, x), watch)
    points, lost = (unit(x, 2) for x in (found.points, found.lost))
    held_ones = [k for k, (n, _) in enumerate(order.joints) if n >= len(joints) - held]
    still = (np.abs(points[:, 1::2][:, held_ones]) <= NEAR_REAL).all(axis=1)
    points, paths = points[still], found.paths[still]
    real = _imaginary(points) <= (NEAR_REAL if held else FAINT)
    complete = found.whole and in_pairs(points[~real], 2)
    every, motions = _motions(points, lined, end, bodies, scaled)
    near = _motions(lost[_imaginary(lost) <= NEAR_REAL], lined, end, bodies, scaled)[1]
    solutions_are = int(paths[~meeting(every, FAINT, 8)].sum())
    return LoopPoses(motions[real], paths[real], near, solutions_are, complete)


def _imaginary(points: Complexes) -> Array:
    """How far points are from real ones, (m,)."""
    out: Array = np.abs((points[:, 0::2] * points[:, 1::2].conj()).imag).max(axis=1, initial=0.0)
    return out


def _scale(kind: str, joints: list[LoopJoint]) -> _Scaled:
    hinges = [j for j in joints if j.point is not None]
    points = np.array([j.point for j in hinges] or [np.zeros(3)])
    middle, axes = points.mean(axis=0), np.eye(3)
    if kind == "plane":
        axes = frame_along(middle, hinges[0].direction)[3:].reshape(3, 3)
    size = float(np.linalg.norm(points - middle, axis=1).max())
    return _Scaled(middle, size or 1.0, axes)


def _joints(lined: list[tuple[LoopJoint, bool]], scaled: _Scaled) -> LoopJoints:
    """The joints as they are passed: from their second links to their first where backwards."""
    g, lines = np.zeros((2, len(lined), 8), complex)
    for n, (joint, backwards) in enumerate(lined):
        line = scaled.line(joint).astype(complex)
        own = np.eye(8, dtype=complex)[0]
        before, behind = joint.moved
        if before is not None:
            own = scaled.displacement(before)
        if behind is not None:  # (c + s L) D* = D* (c + s D L D*)
            displacement = scaled.displacement(behind)
            own, line = displacement * CONJUGATE, _turned(displacement, line)
        # F = G (c + s L): its conjugate is G* (c - s G L G*)
        g[n] = own * CONJUGATE if backwards else own
        lines[n] = -_turned(own, line) if backwards else line
    return LoopJoints(g, lines)


def _turned(motion: Complexes, line: Complexes) -> Complexes:
    """A line moved by a unit dual quaternion."""
    return product(product(motion, line), motion * CONJUGATE)


def _aligned(start: GenericLoops, end: LoopJoints) -> tuple[LoopJoints, Complexes]:
    """The same generic loops and their closures, with the multiples of G and L that are nearest to
    those at the end: what is followed is shorter."""
    scales = [
        np.sum(b.conj() * e, axis=1) / np.sum(np.abs(b) ** 2, axis=1)
        for b, e in zip(start.joints, end, strict=True)
    ]
    solutions = start.solutions.copy()
    solutions[:, 1::2] /= scales[1]
    joints = (b * k[:, None] for b, k in zip(start.joints, scales, strict=True))
    return LoopJoints(*joints), solutions


def _between(joints: LoopJoints, n: int) -> LoopJoints:
    """Other generic joints: those of the generic loops in another order."""
    return LoopJoints(*(np.roll(v, n, axis=0) for v in joints))


def _far(joints: LoopJoints, x: Complexes) -> Bools:
    """Which points have a joint at no angle, or a stroke without end."""
    y, line = unit(x, 2), joints.line
    square = np.sum(line[:, 1:4] ** 2, axis=1)
    size = np.sum(np.abs(line) ** 2, axis=1)
    c, s = y[:, 0::2], y[:, 1::2]
    norm, largest = np.abs(c**2 + square * s**2), np.abs(c) ** 2 + size * np.abs(s) ** 2
    out: Bools = (norm <= FAINT * largest).any(axis=1)
    return out


def _motions(
    x: Complexes,
    lined: list[tuple[LoopJoint, bool]],
    joints: LoopJoints,
    bodies: list[int],
    scaled: _Scaled,
) -> tuple[Complexes, Array]:
    """Displacements of bodies at points, (m, 8 bodies), and as motions if real, (m, bodies, 12)."""
    f = joints.factors(x)
    one = np.zeros((len(x), 8), complex)
    one[:, 0] = 1.0
    at = {GROUND: one}
    for _ in lined:  # each time one joint further, until each link is reached
        for n, (joint, backwards) in enumerate(lined):
            a, b = (joint.two, joint.one) if backwards else (joint.one, joint.two)
            if a in at and b not in at:
                at[b] = product(at[a], f[:, n])
            elif b in at and a not in at:
                at[a] = product(at[b], f[:, n] * CONJUGATE)
    every = np.stack([at[b] for b in bodies], axis=1)
    largest = np.argmax(np.abs(every[..., :4]), axis=2)[..., None]
    real = (every / np.take_along_axis(every, largest, 2)).real
    motions = [[scaled.motion(d) for d in row] for row in real]
    flat = every.reshape(len(x), 8 * len(bodies))
    return flat, np.array(motions).reshape(len(x), len(bodies), 12)
