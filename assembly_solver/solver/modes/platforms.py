"""Groups of bodies in space in which six legs of fixed length hold one body: platforms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...equations.table import TwistBasis
from ...foundations.numerics.linear import null_space
from ...foundations.types import Array, Ints
from ...structure.dyads import AssurGroup
from ...structure.incidence import bodies_of, jacobian_of
from ...structure.joints import Slide
from ...structure.plan import Plan
from .orientation import point_at


class Platform(NamedTuple):
    """A body with the ends of its legs, mm, world: own and others (6, 3), lengths (6,)."""

    body: int
    own: Array
    others: Array
    lengths: Array


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
    hub, joints = group.bodies[0], group.joints
    here = placed[hub]
    own, others, lengths = [], [], []
    inside = set[int]().union(*legs)
    alone = {e for e in equations.rows.tolist() if not inside & {*bodies_of(plan.table, e)}}
    links = [{k} for k, e in joints.equation_of_link.items() if e in alone]
    for leg in [*legs, *links]:
        heads = [p for p in joints.every if p.members & leg and hub in p.at]
        feet = [
            (p, b)
            for p in joints.every
            for b in p.at
            if p.members & leg and b not in leg and placed.get(b, here) < here
        ]
        if len(heads) != 1 or len({id(p) for p, _ in feet}) != 1:
            return None
        (head,), (foot, outer) = heads, feet[0]
        if isinstance(head, Slide) or isinstance(foot, Slide):
            return None
        if min(leg) >= 0 and not _holds_by_length(plan, group, leg, equations, base):
            return None
        ends = (hub, head.at[hub]), (outer, foot.at[outer])
        before, now = ([point_at(x, *end) for end in ends] for x in (base, poses))
        own.append(now[0])
        others.append(now[1])
        lengths.append(float(np.linalg.norm(before[0] - before[1])))
    if len(lengths) != 6 or len(alone) != len(links):
        return None
    return Platform(hub, np.array(own), np.array(others), np.array(lengths))


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
