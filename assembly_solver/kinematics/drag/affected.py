"""The bodies that move when one body is dragged, as arrays for the compiled loop.

These are the components between the ground and the dragged body, and all those attached to their
bodies.  Bodies are coupled by the lower pair equivalent to their mates; other mates, and drivers,
by their equations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...equations.elimination import EliminationPattern, pattern
from ...equations.table import EquationTable, TwistBasis
from ...foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    GENERAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
)
from ...foundations.geometry.pose import compose_all, invert_all
from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Array, Ints
from ...structure.plan import Plan
from ...structure.steps import PLACE

FREEDOMS = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 1],
        [0, 0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0, 1],
        [0, 0, 0, 1, 1, 1],
        [1, 1, 0, 0, 0, 1],
        [1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1],
    ],
    bool,
)
"""Free motions along and about x, y, z of the joint frame, by kind of joint."""


class ComponentArrays(NamedTuple):
    """The components that move, from the ground outward, as arrays.

    Component c has rows first_row[c] .. first_row[c + 1], bodies first_body[c] .. and a sparse
    pattern in the same order.

    Attributes:
        step: (components, 3): 1 for one body in a lower pair, else 0; root; body.
        at, own: frames of these pairs in root and body coordinates, (components, 12).
        leaves: (components, 6), their free motions.
        position: index of a body in the pattern of its own component, (all bodies,).
    """

    step: Ints
    at: Array
    own: Array
    leaves: NDArray[np.bool_]
    first_row: Ints
    rows: Ints
    first_body: Ints
    bodies: Ints
    position: Ints
    first: Ints
    first_block: Ints
    row: Ints
    first_target: Ints
    first_goal: Ints
    target: Ints


class AffectedBodies(NamedTuple):
    """The bodies that may move with a dragged one, and the joints between them.

    Attributes:
        pattern: sparse pattern of all of them together.
        pair: (pairs, 2), bodies joined by a lower pair; leaves: (pairs, 6), its free motions;
            frame: (pairs, 12), the joint in coordinates of its first body.
        rows: equations of no lower pair, coupled one by one.
        closing: components, to close the mates after a step.
        reach: (bodies,), largest distance of a body's features from its centre, mm.
        looped: (bodies,), which bodies are in a loop.
    """

    pattern: EliminationPattern
    pair: Ints
    leaves: NDArray[np.bool_]
    frame: Array
    rows: Ints
    closing: ComponentArrays
    reach: Array
    looped: NDArray[np.bool_]


class DragSystem(NamedTuple):
    """Data of a drag, for the compiled loop.

    Attributes:
        table: equations; the references of their angles are written.
        basis: of the unknowns; tolerance: residual at which closing ends, mm.
    """

    table: EquationTable
    moving: AffectedBodies
    basis: TwistBasis
    tolerance: float


def affected_bodies(plan: Plan, body: int, poses: Array) -> AffectedBodies:
    """The bodies that may move when a body is dragged.

    Args:
        plan: of the assembly; poses: (bodies, 12), world, with every mate closed.
    """
    members = _components_with(plan, body)
    pairs = np.array([p for k in members for p in plan.components[k].pairs], np.int64)
    found, b = plan.bodies.pairs, plan.bodies
    at, own, kind = found.frame_a[pairs], found.frame_b[pairs], found.kind[pairs]
    lower_pairs = pairs[_is_lower_pair(plan, poses, found.bodies[pairs], at, own, kind)]
    covered = {k for p in lower_pairs.tolist() for k in b.constraints[p].tolist()}
    constraints = [k for n in members for k in plan.components[n].constraints if k not in covered]
    links = [link for k in members for link in plan.components[k].links]
    moving = {body, *(b for k in members for b in plan.components[k].bodies)}
    loops = [plan.components[k] for k in members if plan.components[k].loop]
    return AffectedBodies(
        pattern(np.array(sorted(moving)), np.array(links).reshape(-1, 2), b.count),
        found.bodies[lower_pairs],
        FREEDOMS[found.kind[lower_pairs]],
        found.frame_a[lower_pairs],
        plan.system.rows(constraints),
        _closing(plan, members, poses),
        _reach(plan),
        np.isin(np.arange(b.count), [k for c in loops for k in c.bodies]),
    )


def _components_with(plan: Plan, body: int) -> list[int]:
    """Numbers of components between ground and a body, and attached ones, outward."""
    of_body = {b: k for k, c in enumerate(plan.components) for b in c.bodies}
    chosen: set[int] = set()
    at = body
    while at in of_body:
        chosen.add(of_body[at])
        at = plan.components[of_body[at]].root
    carried = {body} | {b for k in chosen for b in plan.components[k].bodies}
    out = []
    for k, c in enumerate(plan.components):
        if k in chosen or c.root in carried:
            out.append(k)
            carried.update(c.bodies)
    return out


def _is_lower_pair(
    plan: Plan, poses: Array, bodies: Ints, at: Array, own: Array, kind: Ints
) -> NDArray[np.bool_]:
    """Which pairs of bodies are lower pairs whose two frames agree as their kind requires.

    Mates that hold in several relative positions may not be in the analysed one.
    """
    a, b = bodies.T
    joint = compose_all(poses[a], at)
    relative = compose_all(invert_all(joint), compose_all(poses[b], own))
    off = FAINT * plan.system.length
    apart = np.abs(relative[:, :3]) > off
    good: NDArray[np.bool_] = (kind != GENERAL) & ~np.any(apart & ~FREEDOMS[kind, :3], axis=1)
    upright = (kind == REVOLUTE) | (kind == CYLINDRICAL) | (kind == PLANAR)
    good &= ~upright | (relative[:, 11] > 1.0 - FAINT**2)
    same_axes = (kind == PRISMATIC) | (kind == FIXED)
    good &= ~same_axes | (relative[:, [3, 7, 11]].sum(axis=1) > 3.0 - FAINT**2)
    return good


def _reach(plan: Plan) -> Array:
    """Largest distance of the features and origins of a body's parts from its centre, mm."""
    b = plan.bodies
    of_point = np.repeat(np.arange(b.count), np.diff(plan.cloud.first))
    out = np.zeros(b.count)
    for body, points in ((of_point, plan.cloud.own), (b.of_part, b.relative[:, :3])):
        np.maximum.at(out, body, np.linalg.norm(points - b.centre[body], axis=1))
    return np.where(out > 0.0, out, plan.system.length)


def _closing(plan: Plan, members: list[int], poses: Array) -> ComponentArrays:
    """The components as arrays, each with its own sparse pattern."""
    chosen = [plan.components[k] for k in members]
    begin = [0, *(c.end_step for c in plan.components)]
    patterns = [c.factor_pattern(plan.bodies) for c in chosen]
    steps = [plan.steps[begin[k] + 1] for k in members]
    none = np.zeros(12)
    at = np.array([none if s.at is None else s.at for s in steps]).reshape(-1, 12)
    own = np.array([none if s.own is None else s.own for s in steps]).reshape(-1, 12)
    kind = np.array([s.kind for s in steps], np.int64)
    ends = np.array([(c.root, c.bodies[0]) for c in chosen], np.int64).reshape(-1, 2)
    placed = np.array([s.action == PLACE for s in steps], bool)
    placed &= np.array([not c.loop for c in chosen], bool)
    placed &= _is_lower_pair(plan, poses, ends, at, own, kind)
    position = np.full(plan.bodies.count, -1, np.int64)
    for p in patterns:
        position[p.bodies] = np.arange(len(p.bodies))
    first_row, rows = _joined([c.rows for c in chosen])
    first_body, bodies = _joined([p.bodies for p in patterns])
    first_block, row = _joined([p.row for p in patterns])
    first_goal, target = _joined([p.target for p in patterns])
    return ComponentArrays(
        np.column_stack([placed, ends]).astype(np.int64),
        at,
        own,
        FREEDOMS[kind],
        first_row,
        rows,
        first_body,
        bodies,
        position,
        _joined([p.first for p in patterns])[1],
        first_block,
        row,
        _joined([p.first_target for p in patterns])[1],
        first_goal,
        target,
    )


def _joined(lists: list[Ints]) -> tuple[Ints, Ints]:
    """Offsets of concatenated arrays, and the concatenation."""
    first = np.concatenate([[0], np.cumsum([len(v) for v in lists])]).astype(np.int64)
    return first, np.concatenate([*lists, np.empty(0, np.int64)])
