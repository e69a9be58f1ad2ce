"""All poses of bodies that loops of hinges and slides hold, by continuation from generic loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import quaternions
from ...foundations.numerics.homotopy import UNWATCHED, in_pairs, meeting, unit
from ...foundations.numerics.rounding import FAINT, FOURTH
from ...foundations.types import Array, Complexes, Ints
from ...foundations.watch import Watch
from ...structure.lower_pairs import frame_along
from .loop_factors import (
    CONJUGATE,
    LoopJoints,
    Loops,
    RandomComplexes,
    drawn_joints,
    in_blocks,
    product,
)
from .loop_paths import LoopPath
from .loop_starts import GenericLoops, generic_member
from .loop_structure import BAR, TURN, factors_of, ordered
from .path_ends import all_ends
from .platform_forms import pose_of

GROUND = 0
"""The number of the link that all fixed bodies are."""

NEAR_REAL = 1e3 * FAINT
"""How far from real a point is where paths meet, at a dead point, that a pose is looked for at."""


class LoopJoint(NamedTuple):
    """A joint between two links, in the world where all joints hold.

    Attributes:
        one, two: its links; fixed bodies are `GROUND`, those without a part are less than 0.
        direction: unit vector: of a hinge, a slide, a cylinder, the first hinge of a cross, the
            normal of a plate; of a distance or a ball any.
        point: on the axis of a hinge, mm; the centre of a ball or a cross; the end of a distance
            on the first link; None of a slide.
        moved: how the fixed body of the first or of the second link has moved since: a frame (12,).
        kind: the letter of the joint, see `loop_structure`.
        other: the direction of the second hinge of a cross, the other end of a distance.
    """

    one: int
    two: int
    direction: Array
    point: Array | None
    moved: tuple[Array | None, Array | None] = (None, None)
    kind: str = TURN
    other: Array | None = None

    @property
    def ends(self) -> tuple[Array, Array]:
        """The ends of a distance."""
        assert self.point is not None and self.other is not None
        return self.point, self.other

    @property
    def along(self) -> Array:
        """The unit vector from the first end of a distance to the other."""
        one, two = self.ends
        out: Array = (two - one) / np.linalg.norm(two - one)
        return out


class LoopPoses(NamedTuple):
    """The poses of bodies that loops hold.

    Attributes:
        motions: frames (k, bodies, 12) of the motions from where the joints are given, mm.
        closures: how many solutions meet in each, (k,): 1 but at a dead point.
        near: motions near points at which paths of solutions were lost.
        solutions: how many there are in complex numbers; None where a joint of one is nearly at no
            angle, for then noise decides which are.
        complete: whether each path of the generic member ended at an isolated solution, or went
            where no pose is; and each that is not real has its conjugate among the others.
    """

    motions: Array
    closures: Ints
    near: Array
    solutions: int | None
    complete: bool


class _Scaled(NamedTuple):
    """Lengths relative to a size, mm, points to a middle, along axes of which the third is normal
    to a plane."""

    middle: Array
    size: float
    axes: Array

    def line(self, way: Array, point: Array | None) -> Array:
        """The line of a hinge, or the direction of a slide."""
        d = self.axes @ way
        if point is None:
            return np.concatenate([np.zeros(5), d])
        return np.concatenate([[0.0], d, [0.0], np.cross(self.at(point), d)])

    def at(self, point: Array) -> Array:
        """A point, relative to the size."""
        out: Array = self.axes @ (point - self.middle) / self.size
        return out

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
    """All poses of bodies; None where not all closures of generic loops of the structure are known.

    Args:
        kind: space, plane (all hinges normal to it), sphere (all axes meet in one point).
        bodies: links whose motions are asked for.
        held: how many of the joints, the last ones, are hinges that do not turn.
    """
    order = ordered([(j.one, j.two) for j in joints], "".join(j.kind for j in joints))
    start = order and generic_member(kind, order.structure, order.kinds, watch)
    if order is None or start is None:
        return None
    scaled = _scale(kind, joints)
    lined = [(joints[n], backwards) for n, backwards in order.joints]
    factors = factors_of(order.structure, order.kinds)
    end = _joints(lined, factors, scaled)
    begin, solutions = _aligned(start, end)
    drawn = [drawn_joints(start.loops, RandomComplexes(n)) for n in range(2)]
    way = lambda n: LoopPath(start.loops, begin, end, drawn[n])  # noqa: E731
    found = all_ends(way, solutions, lambda x: _angled(start.loops, end, x) <= FAINT, watch)
    points, lost = (unit(x, start.loops.width) for x in (found.points, found.lost))
    held_ones = [k for k, (n, _) in enumerate(order.joints) if n >= len(joints) - held]
    still = (np.abs(points[:, 1::2][:, held_ones]) <= NEAR_REAL).all(axis=1) | (not held)
    points, paths = points[still], found.paths[still]
    real = _imaginary(points, start.loops) <= (NEAR_REAL if held else FAINT)
    complete = found.whole and in_pairs(points[~real], start.loops.width)
    tree = _Tree(lined, factors, end, start.loops)
    every, motions = tree.motions(points, bodies, scaled)
    near = tree.motions(lost[_imaginary(lost, start.loops) <= NEAR_REAL], bodies, scaled)[1]
    own = ~meeting(every, 8)  # three hinges are at two sets of angles where a ball is at one
    clear = (_angled(start.loops, end, points) > FOURTH).all()
    solutions_are = int(paths[own].sum()) if clear else None
    return LoopPoses(motions[real & own], paths[real & own], near, solutions_are, complete)


def _imaginary(points: Complexes, loops: Loops) -> Array:
    """How far points are from real ones, (m,)."""
    own = in_blocks(points, loops.width)
    each = (own[..., None] * own[..., None, :].conj()).imag
    out: Array = np.abs(each).max(axis=(1, 2, 3), initial=0.0)
    return out


def _scale(kind: str, joints: list[LoopJoint]) -> _Scaled:
    hinges = [j for j in joints if j.point is not None]
    ends = [j.ends[1] for j in joints if j.kind == BAR]
    points = np.array([*(j.point for j in hinges), *ends] or [np.zeros(3)])
    middle, axes = points.mean(axis=0), np.eye(3)
    if kind == "plane":
        axes = frame_along(middle, hinges[0].direction)[3:].reshape(3, 3)
    size = float(np.linalg.norm(points - middle, axis=1).max())
    return _Scaled(middle, size or 1.0, axes)


def _joints(lined: list[tuple[LoopJoint, bool]], factors: list[str], scaled: _Scaled) -> LoopJoints:
    """The joints as they are passed: from their second links to their first where backwards."""
    one, g = np.eye(8, dtype=complex)[0], list[Complexes]()
    lines, bars = list[Array](), list[Array]()
    for (joint, backwards), letters in zip(lined, factors, strict=True):
        before, behind = joint.moved
        if not letters:
            bars.append(_bar(joint, backwards, scaled))
            continue
        # G K is passed from the first link to the second; where that has moved by D it is
        # K D* = D* (D K D*), and K* G* = G* (G K* G*) backwards
        own, by = one, None
        if before is not None:
            own, by = scaled.displacement(before), before if backwards else None
        if behind is not None:
            own, by = scaled.displacement(behind) * CONJUGATE, None if backwards else behind
        g += [own * CONJUGATE if backwards else own, *[one] * (len(letters) - 1)]
        lines += _lines(joint, backwards, by, scaled)
    none = np.zeros((0, 7), complex)
    return LoopJoints(
        np.array(g), np.array(lines).astype(complex), np.array(bars, complex) if bars else none
    )


def _bar(joint: LoopJoint, backwards: bool, scaled: _Scaled) -> Array:
    """A distance as the quadric of the last link against the first."""
    length = np.linalg.norm(joint.ends[1] - joint.ends[0]) / scaled.size
    ends = [scaled.at(moved_point(*own)) for own in zip(joint.ends, joint.moved, strict=True)]
    first, last = ends[::-1] if backwards else ends
    return np.array([*last, *first, length**2])


def moved_point(point: Array, motion: Array | None, free: bool = False) -> Array:
    """A point, or a free vector, moved by a motion (12,)."""
    if motion is None:
        return point
    turned = point @ motion[3:].reshape(3, 3)
    return turned if free else motion[:3] + turned


def _lines(joint: LoopJoint, backwards: bool, by: Array | None, scaled: _Scaled) -> list[Array]:
    """What the factors of a joint have as their lines."""
    way = moved_point(joint.direction, by, free=True)
    point = None if joint.point is None else moved_point(joint.point, by)
    if joint.kind == TURN:
        return [scaled.line(way, point)]
    assert point is not None
    ways, places = [way], [point]
    if joint.kind == "U":
        assert joint.other is not None
        ways.append(moved_point(joint.other, by, free=True))
    elif joint.kind == "C":
        ways.append(way)
    elif joint.kind == BAR:  # a cross, then a ball
        assert joint.other is not None
        end = moved_point(joint.other, by)
        ways = [
            *frame_along(point, (end - point) / np.linalg.norm(end - point)).reshape(4, 3)[1:3],
            way,
        ]
        places = [end, end, point] if backwards else [point, point, end]
    if backwards and joint.kind == "U":
        ways.reverse()
    places = places if len(places) == len(ways) else places * len(ways)
    return [
        np.concatenate([[0.0], scaled.axes @ w, [0.0], scaled.at(p)])
        for w, p in zip(ways, places, strict=True)
    ]


def _aligned(start: GenericLoops, end: LoopJoints) -> tuple[LoopJoints, Complexes]:
    """The same generic loops and their closures, with the multiples of G and L that are nearest to
    those at the end: what is followed is shorter."""
    scales = [
        np.sum(b.conj() * e, axis=1) / np.sum(np.abs(b) ** 2, axis=1)
        for b, e in zip(start.joints[:2], end[:2], strict=True)
    ]
    scales[1][[k != "R" for k in start.loops.kinds]] = 1.0
    solutions = in_blocks(start.solutions, start.loops.width).copy()
    solutions[..., 1] /= scales[1]
    g, lines = (b * k[:, None] for b, k in zip(start.joints[:2], scales, strict=True))
    return LoopJoints(g, lines, start.joints.bars), solutions.reshape(start.solutions.shape)


def _angled(loops: Loops, joints: LoopJoints, x: Complexes) -> Array:
    """How far points are from those with a joint at no angle, or a stroke without end, (m,)."""
    basis = joints.basis(loops)
    y = in_blocks(unit(x, loops.width), loops.width)
    turn = (y[..., None, :] @ basis[..., :4])[..., 0, :]
    norm = np.abs(np.sum(turn**2, axis=2))
    largest = np.sum(np.abs(y) ** 2 * np.sum(np.abs(basis) ** 2, axis=2), axis=2)
    out: Array = (norm / largest).min(axis=1)
    return out


class _Tree:
    """The motions of links at points, from joint to joint."""

    def __init__(
        self, lined: list[tuple[LoopJoint, bool]], factors: list[str], end: LoopJoints, loops: Loops
    ) -> None:
        self.end, self.loops = end, loops
        first = np.cumsum([0, *map(len, factors)]).tolist()
        self.ways = [
            (j.one, j.two, backwards, range(a, b))
            for (j, backwards), a, b in zip(lined, first, first[1:], strict=False)
            if a < b
        ]

    def motions(self, x: Complexes, bodies: list[int], scaled: _Scaled) -> tuple[Complexes, Array]:
        """Displacements of bodies at points, (m, 8 bodies), and as motions, (m, bodies, 12)."""
        f = self.end.factors(self.loops, x)
        one = np.zeros((len(x), 8), complex)
        one[:, 0] = 1.0
        at = {GROUND: one}
        for _ in self.ways:  # each time one joint further, until each link is reached
            for a, b, backwards, own in self.ways:
                a, b = (b, a) if backwards else (a, b)
                if a in at and b not in at:
                    at[b] = at[a]
                    for n in own:
                        at[b] = product(at[b], f[:, n])
                elif b in at and a not in at:
                    at[a] = at[b]
                    for n in reversed(own):
                        at[a] = product(at[a], f[:, n] * CONJUGATE)
        every = np.stack([at[b] for b in bodies], axis=1)
        largest = np.argmax(np.abs(every[..., :4]), axis=2)[..., None]
        real = (every / np.take_along_axis(every, largest, 2)).real
        motions = [[scaled.motion(d) for d in row] for row in real]
        flat = every.reshape(len(x), 8 * len(bodies))
        return flat, np.array(motions).reshape(len(x), len(bodies), 12)
