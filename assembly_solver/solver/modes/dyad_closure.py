"""A dyad moved to one of its two assembly modes, in closed form.

Points in the plane of the dyad are complex numbers; heights along its normal do not change.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...foundations.geometry.plane_closed_forms import DEAD, meet_circles, meet_line, slides
from ...foundations.types import Array
from ...structure.dyads import Dyad, DyadLink
from ...structure.lower_pairs import cross, frame_along
from .orientation import direction_at, point_at

TURNING = "links of one length may lie on each other and turn there: such ways are not listed"
"""Why modes are not all where a dyad may close in every direction."""


def close_dyad(poses: Array, dyad: Dyad, positive: bool) -> bool:
    """Move the two links of a dyad to one of its assembly modes; False where they do not close.

    Args:
        poses: of the bodies, shape (bodies, 12), the placed ones final, the links upright at their
            heights (a link on a slide at an angle that it allows); the links' rows are overwritten.
        positive: the sign of the mode, see `orientation`.
    """
    plane = _Plane(direction_at(poses, *dyad.normal))
    one, two = dyad.limbs
    if one.inner_slide is not None:
        return _by_slide(poses, plane, one, two, positive)
    for slider, link in ((one, two), (two, one)):
        if slider.slide is not None:
            return _to_rail(poses, plane, link, slider, positive)
    centres = [plane.project(point_at(poses, limb.outer, limb.at)) for limb in (one, two)]
    radii = [_radius(poses, plane, limb, other) for limb, other in ((one, two), (two, one))]
    found = meet_circles(centres[0], radii[0], centres[1], radii[1])
    if not found:
        return False
    at = found[0 if positive else -1]
    # a link between balls is last: the other link determines where the joint is
    limbs = sorted((one, two), key=lambda limb: limb.length is not None)
    for limb, other in zip(limbs, limbs[::-1], strict=True):
        _aim(poses, plane, limb, other, at)
    return True


def closes_anyhow(poses: Array, dyad: Dyad, near: float) -> bool:
    """Whether a dyad closes in every direction: its circles are one circle, or its slides go
    through one point, within `near`, mm.

    Args:
        poses: of the bodies, as for `close_dyad`; not changed.
    """
    plane = _Plane(direction_at(poses, *dyad.normal))
    one, two = dyad.limbs
    centres = [plane.project(point_at(poses, limb.outer, limb.at)) for limb in (one, two)]
    if abs(centres[0] - centres[1]) > near or one.slide is not None or two.slide is not None:
        return False
    if one.inner_slide is not None:
        (_, ahead), (_, behind) = (_across(poses, plane, limb) for limb in (one, two))
        return abs(ahead - behind) <= near
    return abs(_radius(poses, plane, one, two) - _radius(poses, plane, two, one)) <= near


class _Plane:
    """The plane across a normal; its points as complex numbers."""

    def __init__(self, n: Array) -> None:
        frame = frame_along(n, n)
        self.x, self.y, self.n = frame[3:6], frame[6:9], n

    def project(self, v: Array) -> complex:
        """A world vector in the plane, mm."""
        return complex(float(v @ self.x), float(v @ self.y))

    def lift(self, z: complex) -> Array:
        """A vector of the plane in the world, mm."""
        out: Array = z.real * self.x + z.imag * self.y
        return out

    def rotate(self, pose: Array, by: complex) -> None:
        """Rotate a pose about its origin; `by` has modulus 1."""
        q = pose.reshape(4, 3)
        for k in range(1, 4):
            v, up = self.project(q[k]), float(q[k] @ self.n)
            q[k] = self.lift(v * by) + up * self.n


def _radius(poses: Array, plane: _Plane, limb: DyadLink, other: DyadLink) -> float:
    """Distance of the inner joint from the outer one in the plane, mm."""
    if limb.length is None:
        assert limb.outer_on_link is not None and limb.inner is not None
        return abs(plane.project(direction_at(poses, limb.link, limb.inner - limb.outer_on_link)))
    assert other.inner is not None
    inner = point_at(poses, other.link, other.inner)
    rise = float((inner - point_at(poses, limb.outer, limb.at)) @ plane.n)
    return sqrt(max(limb.length**2 - rise**2, 0.0))


def _aim(poses: Array, plane: _Plane, limb: DyadLink, other: DyadLink, at: complex) -> None:
    """Move a link onto its outer joint and rotate its inner joint towards `at`."""
    if limb.link < 0:
        return
    assert limb.outer_on_link is not None and limb.inner is not None
    pose, reach = poses[limb.link], direction_at(poses, limb.link, limb.inner - limb.outer_on_link)
    outer = point_at(poses, limb.outer, limb.at)
    if limb.length is not None:
        assert other.inner is not None
        target = point_at(poses, other.link, other.inner) - outer
        swing(pose, reach, target)
        pose[:3] += outer - point_at(poses, limb.link, limb.outer_on_link)
        return
    arm = plane.project(reach)
    goal = at - plane.project(outer)
    if abs(arm) > 0.0 and abs(goal) > 0.0:
        plane.rotate(pose, goal / abs(goal) * abs(arm) / arm)
    _shift_to_outer(poses, plane, limb, outer)


def _shift_to_outer(poses: Array, plane: _Plane, limb: DyadLink, outer: Array) -> None:
    """Shift a link in the plane so that its outer point is at the placed one."""
    assert limb.outer_on_link is not None
    off = outer - point_at(poses, limb.link, limb.outer_on_link)
    poses[limb.link, :3] += plane.lift(plane.project(off))


def swing(pose: Array, arm: Array, goal: Array) -> None:
    """Rotate a pose about its origin by the smallest rotation that takes `arm` to `goal`.

    These are directions in the world, of any length above 0.
    """
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


def _to_rail(poses: Array, plane: _Plane, link: DyadLink, slider: DyadLink, positive: bool) -> bool:
    """An RRP dyad: a link that ends on a slide."""
    if slider.slide is None or slider.inner is None or slider.link < 0:
        return False
    outer = point_at(poses, link.outer, link.at)
    rail = direction_at(poses, slider.outer, slider.slide)
    on = point_at(poses, slider.link, slider.inner)
    u, centre, rest = (plane.project(v) for v in (rail, outer, on))
    found = meet_line(centre, _radius(poses, plane, link, slider), rest, u / abs(u))
    if not found:
        return False
    at = found[0 if positive else -1]
    poses[slider.link, :3] += plane.lift(at - rest)
    _aim(poses, plane, link, slider, at)
    return True


def _across(poses: Array, plane: _Plane, limb: DyadLink) -> tuple[complex, float]:
    """Direction of the slide that a link ends on, and how far it is across from the pivot, mm."""
    assert limb.outer_on_link is not None and limb.inner is not None
    assert limb.inner_slide is not None
    u = plane.project(direction_at(poses, limb.link, limb.inner_slide))
    line = plane.project(direction_at(poses, limb.link, limb.inner - limb.outer_on_link))
    along = u / abs(u)
    return along, (along.conjugate() * line).imag


def _by_slide(poses: Array, plane: _Plane, one: DyadLink, two: DyadLink, positive: bool) -> bool:
    """An RPR dyad: two links that slide along each other.

    Positive where pivot 1 is ahead of pivot 2 along the slide.
    """
    outer = [point_at(poses, limb.outer, limb.at) for limb in (one, two)]
    along, offset = zip(*(_across(poses, plane, limb) for limb in (one, two)), strict=True)
    # both lines coincide: x_1 - x_2 is along u, so pivot 1 is offset 2 - 1 across it from pivot 2
    d = plane.project(outer[0] - outer[1])
    found = slides(d, offset[1] - offset[0])
    if not found:
        return False
    u = found[0 if positive else -1]
    for limb, direction, pivot in zip((one, two), along, outer, strict=True):
        plane.rotate(poses[limb.link], u / direction)
        _shift_to_outer(poses, plane, limb, pivot)
    return True
