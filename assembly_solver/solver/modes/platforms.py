"""Groups of bodies in space in which six legs, or points in planes, hold one body: platforms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...equations.table import TwistBasis
from ...foundations.geometry.pose import compose_all
from ...foundations.numerics.linear import null_space
from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array, Bools, Ints
from ...model.measures.measure import DISPLACEMENT, INCLINATION, SEPARATION
from ...structure.dyads import AssurGroup
from ...structure.incidence import bodies_of, jacobian_of
from ...structure.joints import Slide
from ...structure.plan import Plan
from .orientation import direction_at, point_at

CROSS = sorted([INCLINATION, *[DISPLACEMENT] * 3])
"""The kinds of the measures of a cross."""


class Platform(NamedTuple):
    """A body with the ends of its legs, mm, world: own and others (6, 3), lengths (6,).

    Attributes:
        normals: of planes in which points are, in place of legs, (6, 3), 0 for legs; carried: which
            of them the body carries, (6,).
        turned: how many legs close in two ways: on a cross, which half a turn fits as well.
    """

    body: int
    own: Array
    others: Array
    lengths: Array
    normals: Array
    carried: Bools
    turned: int


class _Leg(NamedTuple):
    """What takes one freedom of a body, see `Platform`."""

    own: Array
    other: Array
    length: float
    normal: Array
    carried: bool


class _End(NamedTuple):
    """The point at which a leg holds a body, in its coordinates, mm; whether by a cross."""

    body: int
    at: Array
    cross: bool


class GroupRows(NamedTuple):
    """The equations of a group: rows, unknowns of a body and basis of its twists."""

    rows: Ints
    unknowns: Ints
    basis: TwistBasis


def platform_of(
    plan: Plan,
    group: AssurGroup,
    placed: Mapping[int, int],
    legs: list[set[int]],
    equations: GroupRows,
    base: Array,
    poses: Array,
) -> Platform | None:
    """The platform that a group is; None where its body is held by anything but such legs.

    Args:
        placed: stage of each body and link; legs: the bodies of each leg, those in the group that
            joints connect without its first body.
        base: poses of the bodies at which all equations hold; poses: those where it is looked at.
    """
    hub, found, turned = group.bodies[0], list[_Leg](), 0
    inside = set[int]().union(*legs)
    outside = {b for b in placed if placed[b] < placed[hub]}
    for leg in legs:
        head, foot = (_end(plan, group, base, leg, to) for to in ({hub}, outside))
        if head is None or foot is None:
            return None
        if not _holds_by_length(plan, group, leg, equations, base):
            return None
        before, now = ([point_at(x, e.body, e.at) for e in (head, foot)] for x in (base, poses))
        length = float(np.linalg.norm(before[0] - before[1]))
        found.append(_Leg(now[0], now[1], length, np.zeros(3), False))
        turned += head.cross or foot.cross
    for e in equations.rows.tolist():
        if not inside & {*bodies_of(plan.table, e)}:
            direct = _contact(plan, hub, e, poses)
            if direct is None:
                return None
            found.append(direct)
    if len(found) != 6:
        return None
    own, others, lengths, normals, carried = (np.array(v) for v in zip(*found, strict=True))
    return Platform(hub, own, others, lengths, normals, carried, turned)


def _contact(plan: Plan, hub: int, e: int, poses: Array) -> _Leg | None:
    """An equation that is a distance of a point, or holds one in a plane; else None."""
    t = plan.table
    first = int(t.first_term[e])
    n = int(t.term_measure[first])
    kind, value = int(t.kind[n]), float(t.target[e] / t.coefficient[first])
    if int(t.first_term[e + 1]) - first > 1 or kind not in (SEPARATION, DISPLACEMENT):
        return None
    ends = [int(m[n]) for m in (t.marker_a, t.marker_b)]
    bodies = t.marker_body[ends]
    a, b = compose_all(poses[bodies], t.marker_frame[ends])
    on_hub = int(bodies[0]) == hub
    if kind == SEPARATION:
        own, other = (a, b) if on_hub else (b, a)
        return _Leg(own[:3], other[:3], value, np.zeros(3), False)
    normal = a[3:].reshape(3, 3)[t.axis_i[n]]
    foot = b[:3] + (value - float((b[:3] - a[:3]) @ normal)) * normal  # the origin may be far away
    own, other = (foot, b[:3]) if on_hub else (b[:3], foot)
    return _Leg(own, other, 0.0, normal, on_hub)


def _end(plan: Plan, group: AssurGroup, base: Array, leg: set[int], to: set[int]) -> _End | None:
    """Where a leg holds one of some bodies by a ball or a cross; None where otherwise."""
    pins = [
        (p, b)
        for p in group.joints.every
        for b in p.at
        if p.members & leg and b in to and b not in leg
    ]
    if not pins:
        return _on_cross(plan, base, leg, to)
    pin, body = pins[0]
    if len({id(p) for p, _ in pins}) != 1 or isinstance(pin, Slide):
        return None
    if not pin.axis:
        return _End(body, pin.at[body], False)
    others = [p for p in group.joints.pins if p is not pin and p.axis]
    found = [(p, b) for p in others for b in p.members & pin.members & leg]
    if len(found) != 1:
        return None
    other, middle = found[0]
    one, two = (
        (point_at(base, middle, p.at[middle]), direction_at(base, middle, p.axis[middle]))
        for p in (pin, other)
    )
    met = _meeting(one, two, plan.system.same_place)
    if met is None:
        return None
    return _End(body, (met - base[body, :3]) @ base[body, 3:].reshape(3, 3).T, True)


def _on_cross(plan: Plan, base: Array, leg: set[int], to: set[int]) -> _End | None:
    """Where a leg is held by a cross without a body, a point and an angle of two directions."""
    t, pairs, found = plan.table, plan.bodies.pairs, list[_End]()
    for p, ends in enumerate(pairs.bodies.tolist()):
        if len(leg & {*ends}) != 1 or len(to & {*ends}) != 1:
            continue
        rows = pairs.rows_of(p)
        n = t.term_measure[t.first_term[rows]]
        at = n[t.kind[n] == DISPLACEMENT]
        if sorted(t.kind[n].tolist()) != CROSS or len({*t.marker_a[at], *t.marker_b[at]}) > 2:
            return None
        (body,) = to & {*ends}
        both = (int(m[at[0]]) for m in (t.marker_a, t.marker_b))
        marker = next(m for m in both if int(t.marker_body[m]) == body)
        found.append(_End(body, t.marker_frame[marker][:3], True))
    return found[0] if len(found) == 1 else None


def _meeting(one: tuple[Array, Array], two: tuple[Array, Array], near: float) -> Array | None:
    """Where two lines, by a point and a unit vector, meet; None where they do not."""
    (p, u), (q, v) = one, two
    normal = np.cross(u, v)
    size = float(normal @ normal)
    if size <= FAINT or abs(float((q - p) @ normal)) > near * np.sqrt(size):
        return None
    out: Array = p + float(np.cross(q - p, v) @ normal) / size * u
    return out


def _holds_by_length(
    plan: Plan, group: AssurGroup, leg: set[int], equations: GroupRows, poses: Array
) -> bool:
    """Whether a leg takes one freedom of the body: the motion that changes its length."""
    rows = [e for e in equations.rows.tolist() if leg & {*bodies_of(plan.table, e)}]
    bodies = [*sorted(leg), group.bodies[0]]
    own = np.array(rows, np.int64)
    j = jacobian_of(plan.table, poses, own, bodies, equations.unknowns, equations.basis)
    n = len(equations.unknowns)
    whole, inner = null_space(j).shape[1], null_space(j[:, : n * len(leg)]).shape[1]
    return bool(whole - inner == n - 1)
