"""What moves when one body is dragged, as arrays for the compiled loop.

The components between the ground and the dragged body move, and all that hang on their bodies;
nothing else does.  Two bodies pull at each other through the frames of the joint that their mates
amount to; what is no lower pair, and every driver, pulls through its own equations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.nearest import CYLINDRICAL, FIXED, GENERAL, PLANAR, PRISMATIC, REVOLUTE
from ..geometry.pose import compose_all, invert_all
from ..sparse import Pattern, pattern
from .plan import Plan
from .steps import PLACE

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

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
"""Which motions along and about x, y, z of its frame a joint leaves, by the number of its kind."""

CLOSED = 1e-6
"""Part of the characteristic length, or angle in rad, by which a joint's frames may be apart."""


class Closing(NamedTuple):
    """How the components that move are closed, from the ground outward.

    step: (components, 3): whether its one body hangs in a lower pair; root, body.
    at, own: frames of these pairs in root and body coordinates; leaves: (components, 6), the
    motions that they leave.
    Component c has rows first_row[c] .. first_row[c + 1], bodies first_body[c] .. and a sparse
    pattern in the same order; `position` is a body's place in the pattern of its own component.
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


class Moving(NamedTuple):
    """The bodies that may move with a dragged one, and what ties them to each other.

    Attributes:
        pattern: of all of them together.
        pair: (pairs, 2), bodies; leaves: (pairs, 6), whether the joint leaves a motion;
        frame: (pairs, 12), the joint in coordinates of its first body.
        rows: equations that pull on their own.
        closing: how the mates are closed after a step.
        reach: how far each body's features are from its centre, mm.
    """

    pattern: Pattern
    pair: Ints
    leaves: NDArray[np.bool_]
    frame: Array
    rows: Ints
    closing: Closing
    reach: Array


def moving_with(plan: Plan, body: int, poses: Array) -> Moving:
    """What may move when a body is dragged.

    Args:
        plan: of the assembly; poses: of the bodies, (bodies, 12), with every mate closed.
    """
    members = _components_with(plan, body)
    pairs = [p for k in members for p in plan.components[k].pairs]
    lower = _lower(plan, pairs, poses)
    own = np.array([p for p, low in zip(pairs, lower, strict=True) if low], np.int64)
    rows = _pulling_rows(plan, pairs, lower)
    found = plan.bodies.pairs
    moving = {body, *(b for k in members for b in plan.components[k].bodies)}
    links = [*found.bodies[pairs].tolist(), *_linked(plan, rows)]
    return Moving(
        pattern(np.array(sorted(moving)), np.array(links).reshape(-1, 2), plan.bodies.count),
        found.bodies[own],
        FREEDOMS[found.kind[own]],
        found.frame_a[own],
        rows,
        _closing(plan, members),
        _reach(plan),
    )


def _components_with(plan: Plan, body: int) -> list[int]:
    """Components between the ground and a body, and those that hang on them, outward."""
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


def _lower(plan: Plan, pairs: list[int], poses: Array) -> NDArray[np.bool_]:
    """Which pairs are lower pairs that stand closed as their analysis has them."""
    found = plan.bodies.pairs
    a, b = found.bodies[pairs].T
    joint = compose_all(poses[a], found.frame_a[pairs])
    seen = compose_all(invert_all(joint), compose_all(poses[b], found.frame_b[pairs]))
    kind, off = found.kind[pairs], CLOSED * plan.system.length
    slides = np.abs(seen[:, :3]) > off
    held = ~FREEDOMS[kind]
    good = (kind != GENERAL) & ~np.any(slides & held[:, :3], axis=1)
    upright = (kind == REVOLUTE) | (kind == CYLINDRICAL) | (kind == PLANAR)
    good &= ~upright | (seen[:, 11] > 1.0 - CLOSED**2)
    unturned = (kind == PRISMATIC) | (kind == FIXED)
    return good & (~unturned | (seen[:, [3, 7, 11]].sum(axis=1) > 3.0 - CLOSED**2))


def _pulling_rows(plan: Plan, pairs: list[int], lower: NDArray[np.bool_]) -> Ints:
    """Equations of pairs that are no lower pairs, and of drivers."""
    b = plan.bodies
    promises = [k for p, low in zip(pairs, lower, strict=True) if not low for k in b.promises[p]]
    promises += [k for p in pairs for k in b.drivers[p]]
    return plan.system.rows(promises)


def _linked(plan: Plan, rows: Ints) -> list[tuple[int, int]]:
    """Pairs of bodies that share one of some equations."""
    t = plan.table
    out = set()
    for e in rows.tolist():
        n = t.term_measure[t.first_term[e] : t.first_term[e + 1]]
        ends = np.concatenate([t.marker_a[n], t.marker_b[n]])
        bodies = sorted(set(t.marker_body[ends].tolist()))
        out |= {(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1 :]}
    return sorted(out)


def _reach(plan: Plan) -> Array:
    """How far the features and origins of a body's parts are from its centre at most, mm."""
    b = plan.bodies
    of_point = np.repeat(np.arange(b.count), np.diff(plan.cloud.first))
    out = np.zeros(b.count)
    for body, points in ((of_point, plan.cloud.own), (b.of_part, b.relative[:, :3])):
        np.maximum.at(out, body, np.linalg.norm(points - b.centre[body], axis=1))
    return np.where(out > 0.0, out, plan.system.length)


def _closing(plan: Plan, members: list[int]) -> Closing:
    """The components as arrays, each with its own sparse pattern."""
    chosen = [plan.components[k] for k in members]
    begin = [0, *(c.end_step for c in plan.components)]
    patterns = [c.factor_pattern(plan.bodies) for c in chosen]
    step, at, own, kinds = [], [], [], []
    none = np.zeros(12)
    for k, c in zip(members, chosen, strict=True):
        s = plan.steps[begin[k] + 1]
        placed = not c.loop and s.action == PLACE
        step.append((int(placed), c.root, c.bodies[0]))
        kinds.append(s.kind)
        at.append(s.at if placed and s.at is not None else none)
        own.append(s.own if placed and s.own is not None else none)
    position = np.full(plan.bodies.count, -1, np.int64)
    for p in patterns:
        position[p.bodies] = np.arange(len(p.bodies))
    first_row, rows = _joined([c.rows for c in chosen])
    first_body, bodies = _joined([p.bodies for p in patterns])
    first_block, row = _joined([p.row for p in patterns])
    first_goal, target = _joined([p.target for p in patterns])
    return Closing(
        np.array(step, np.int64).reshape(-1, 3),
        np.array(at).reshape(-1, 12),
        np.array(own).reshape(-1, 12),
        FREEDOMS[np.array(kinds, np.int64)],
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
    """Arrays one behind the other, and where each begins."""
    first = np.concatenate([[0], np.cumsum([len(v) for v in lists])]).astype(np.int64)
    return first, np.concatenate([*lists, np.empty(0, np.int64)])


