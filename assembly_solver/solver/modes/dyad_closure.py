"""A dyad put into one of its two assembly modes, in closed form.

Points are taken in the plane of the dyad as complex numbers; heights along its normal are kept.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...foundations.geometry.plane_closed_forms import DEAD, meet_circles, meet_line, slides
from ...foundations.types import Array
from ...structure.dyads import Dyad, Limb
from ...structure.lower_pairs import cross, frame_along
from .orientation import point_at, way_at


def close_dyad(poses: Array, dyad: Dyad, positive: bool) -> bool:
    """Move the two links of a dyad so that they close on one side; False where they cannot.

    Args:
        poses: of the bodies, the placed ones where they are, the links upright at their heights
            (a link on a slide as that lets it be turned); the links' rows are overwritten.
    """
    plane = _Plane(way_at(poses, *dyad.normal))
    one, two = dyad.limbs
    if one.way is not None:
        return _by_slide(poses, plane, one, two, positive)
    if one.slide is not None:
        return _to_rail(poses, plane, two, one, positive)
    if two.slide is not None:
        return _to_rail(poses, plane, one, two, positive)
    centres = [plane.flat(point_at(poses, limb.outer, limb.at)) for limb in (one, two)]
    radii = [_radius(poses, plane, limb, other) for limb, other in ((one, two), (two, one))]
    found = meet_circles(centres[0], radii[0], centres[1], radii[1])
    if not found:
        return False
    at = found[0 if positive else -1]
    # a link between balls goes last: it reaches for where the other one has put the joint
    limbs = sorted((one, two), key=lambda limb: limb.length is not None)
    for limb, other in zip(limbs, limbs[::-1], strict=True):
        _aim(poses, plane, limb, other, at)
    return True


class _Plane:
    """The plane across a normal; its points as complex numbers."""

    def __init__(self, n: Array) -> None:
        frame = frame_along(n, n)
        self.x, self.y, self.n = frame[3:6], frame[6:9], n

    def flat(self, v: Array) -> complex:
        return complex(float(v @ self.x), float(v @ self.y))

    def lifted(self, z: complex) -> Array:
        out: Array = z.real * self.x + z.imag * self.y
        return out

    def turn(self, pose: Array, by: complex) -> None:
        """Turn a pose about its own origin; `by` has size 1."""
        q = pose.reshape(4, 3)
        for k in range(1, 4):
            v, up = self.flat(q[k]), float(q[k] @ self.n)
            q[k] = self.lifted(v * by) + up * self.n


def _radius(poses: Array, plane: _Plane, limb: Limb, other: Limb) -> float:
    """How far the inner joint is from the outer one, seen along the normal."""
    if limb.length is None:
        assert limb.own is not None and limb.inner is not None
        return abs(plane.flat(way_at(poses, limb.link, limb.inner - limb.own)))
    assert other.inner is not None
    inner = point_at(poses, other.link, other.inner)
    rise = float((inner - point_at(poses, limb.outer, limb.at)) @ plane.n)
    return sqrt(max(limb.length**2 - rise**2, 0.0))


def _aim(poses: Array, plane: _Plane, limb: Limb, other: Limb, at: complex) -> None:
    """Put a link on its outer joint and point its inner joint to `at`."""
    if limb.link < 0:
        return
    assert limb.own is not None and limb.inner is not None
    pose = poses[limb.link]
    outer = point_at(poses, limb.outer, limb.at)
    if limb.length is not None:
        assert other.inner is not None
        target = point_at(poses, other.link, other.inner) - outer
        swing(pose, way_at(poses, limb.link, limb.inner - limb.own), target)
        pose[:3] += outer - point_at(poses, limb.link, limb.own)
        return
    arm = plane.flat(way_at(poses, limb.link, limb.inner - limb.own))
    goal = at - plane.flat(outer)
    if abs(arm) > 0.0 and abs(goal) > 0.0:
        plane.turn(pose, goal / abs(goal) * abs(arm) / arm)
    _seat(poses, plane, limb, outer)


def _seat(poses: Array, plane: _Plane, limb: Limb, outer: Array) -> None:
    """Shift a link in the plane so that its own outer point comes to the placed one."""
    assert limb.own is not None
    off = outer - point_at(poses, limb.link, limb.own)
    poses[limb.link, :3] += plane.lifted(plane.flat(off))


def swing(pose: Array, arm: Array, goal: Array) -> None:
    """Turn a pose by the least turn that takes one direction to another."""
    a, b = arm / np.linalg.norm(arm), goal / np.linalg.norm(goal)
    v, c = cross(a, b), float(a @ b)
    if c < -1.0 + DEAD:  # half a turn: about any axis across
        v = frame_along(a, a)[3:6]
        for k in range(1, 4):
            axis = pose[3 * k : 3 * k + 3]
            pose[3 * k : 3 * k + 3] = 2.0 * (axis @ v) * v - axis
        return
    for k in range(1, 4):
        axis = pose[3 * k : 3 * k + 3].copy()
        across = cross(v, axis)
        pose[3 * k : 3 * k + 3] = axis + across + cross(v, across) / (1.0 + c)


def _to_rail(poses: Array, plane: _Plane, link: Limb, slider: Limb, positive: bool) -> bool:
    """A link that ends on a slide: RRP."""
    if slider.slide is None or slider.inner is None or slider.link < 0:
        return False
    outer = point_at(poses, link.outer, link.at)
    rail = way_at(poses, slider.outer, slider.slide)
    on = point_at(poses, slider.link, slider.inner)
    u = plane.flat(rail)
    found = meet_line(
        plane.flat(outer), _radius(poses, plane, link, slider), plane.flat(on), u / abs(u)
    )
    if not found:
        return False
    at = found[0 if positive else -1]
    poses[slider.link, :3] += plane.lifted(at - plane.flat(on))
    _aim(poses, plane, link, slider, at)
    return True


def _by_slide(poses: Array, plane: _Plane, one: Limb, two: Limb, positive: bool) -> bool:
    """Two links that slide along each other: RPR.  Positive: from pivot 2 to 1 along the slide."""
    outer, offset, along = [], [], []
    for limb in (one, two):
        assert limb.own is not None and limb.inner is not None and limb.way is not None
        outer.append(point_at(poses, limb.outer, limb.at))
        u = plane.flat(way_at(poses, limb.link, limb.way))
        line = plane.flat(way_at(poses, limb.link, limb.inner - limb.own))
        along.append(u / abs(u))
        offset.append((along[-1].conjugate() * line).imag)
    # both lines are one: x_1 - x_2 lies along u, so from pivot 2 to pivot 1 is offset 2 - 1 aside
    d = plane.flat(outer[0] - outer[1])
    found = slides(d, offset[1] - offset[0])
    if not found:
        return False
    u = found[0 if positive else -1]
    for limb, way, pivot in zip((one, two), along, outer, strict=True):
        plane.turn(poses[limb.link], u / way)
        _seat(poses, plane, limb, pivot)
    return True
