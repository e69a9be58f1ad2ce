"""The plan of the same structure with features elsewhere on their parts, from the same start.

A changed dimension moves features.  Bodies, components, steps and their order stay where nothing
that they were read from has changed: the mates of each pair of bodies are on features that move
together, so that it is the same joint elsewhere on its bodies; in planar loops they move in the
plane; and no feature comes to, or leaves, a point, a line or a plane of another one.

Source: docs/theory/decomposition.md, 12.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..equations.closed_form import Cloud
from ..equations.moved_features import MovedFeatures
from ..equations.table import EquationTable
from ..foundations.altered import altered, altered_later
from ..foundations.geometry.placing import points_placed
from ..foundations.types import Array, Ints
from .clusters import Bodies
from .inexact import COMPOSED
from .pairs import Pairs
from .plan import Plan
from .planar import Projection
from .same_places import same_places
from .steps import CompiledSteps, Component, Step


class MovedPairs(NamedTuple):
    """What of a plan follows from where the features of some constraints are.

    Attributes:
        pairs: those of the constraints; sides 2 k and 2 k + 1 are the first and the second body of
            the k-th.
        markers, side: of their mates, and on which side each is; first: one of each side.
        normal: that of the plane in which a side moves, in coordinates of its body, else 0.
        steps: those in closed form by these joints; at, own: the sides of their two frames.
    """

    pairs: tuple[int, ...]
    markers: Ints
    side: Ints
    first: Ints
    normal: Array
    steps: Ints
    at: Ints
    own: Ints


class _Shifts(NamedTuple):
    """How far features moved, in body coordinates, mm: all markers and the sides of pairs."""

    by: Array
    of_side: Array


def redimensioned(plan: Plan, moved: MovedFeatures) -> Plan | None:
    """The plan with moved features; None where it may be another one."""
    bodies, system = plan.bodies, moved.system
    inside = len(bodies.inner) and not moved.constraints.isdisjoint(bodies.inner.tolist())
    if bodies.shift > 0.0 or plan.cautious or inside:
        return None
    part = system.table.marker_body[moved.markers]
    axes = bodies.relative[part, 3:].reshape(-1, 3, 3)
    by = np.zeros((len(bodies.table.marker_body), 3))
    by[moved.markers] = np.einsum("nk,nkr->nr", moved.by, axes)
    t, lengths = bodies.table, (system.length, system.tolerance)
    if not same_places(moved.markers, by, t.marker_body, t.marker_frame, *lengths):
        return None
    pairs = plan.moved_pairs.get(moved.constraints)
    if pairs is None:
        pairs = plan.moved_pairs[moved.constraints] = _moved_pairs(plan, moved.constraints)
    of_side = by[pairs.first]
    apart = (by[pairs.markers] != of_side[pairs.side]).any()
    rise = np.abs(np.einsum("nk,nk->n", of_side, pairs.normal)).max(initial=0.0)
    if apart or rise > COMPOSED * plan.system.length:
        return None
    return _with_features(plan, moved, pairs, _Shifts(by, of_side))


def _moved_pairs(plan: Plan, constraints: frozenset[int]) -> MovedPairs:
    bodies, t = plan.bodies, plan.bodies.table
    pairs = sorted(
        {bodies.pair_of[k] if k in bodies.pair_of else bodies.driven[k] for k in constraints}
    )
    home = {p: c.projection.flat for c in plan.components if c.projection for p in c.pairs}
    markers, side, first, normal = [], [], [], []
    for k, p in enumerate(pairs):
        rows = bodies.pairs.rows_of(p)
        if len(bodies.drivers[p]):
            rows = np.concatenate([rows, plan.system.rows(bodies.drivers[p])])
        n = t.term_measure[t.first_term[rows]]
        both = np.concatenate([t.marker_a[n], t.marker_b[n]])
        for end, body in enumerate(bodies.pairs.bodies[p].tolist()):
            mine = both[t.marker_body[both] == body]
            markers += mine.tolist()
            side += [2 * k + end] * len(mine)
            first.append(int(mine[0]))
            flat = home.get(p)
            across = None if flat is None else flat.normal[flat.bodies.tolist().index(body)]
            normal.append(np.zeros(3) if across is None else across)
    steps = np.array(_moved_steps(plan, pairs), np.int64).reshape(-1, 3)
    sides = np.array(markers, np.int64), np.array(side, np.int64), np.array(first, np.int64)
    return MovedPairs(tuple(pairs), *sides, np.array(normal).reshape(-1, 3), *steps.T)


def _moved_steps(plan: Plan, pairs: list[int]) -> list[tuple[int, int, int]]:
    """The steps in closed form by joints of some pairs, with the sides of their two frames."""
    ends = {tuple(plan.bodies.pairs.bodies[p].tolist()): k for k, p in enumerate(pairs)}
    out = []
    for n, s in enumerate(plan.steps):
        if s.at is not None and s.own is not None and s.rows:
            k = ends.get((min(s.parent, s.bodies[0]), max(s.parent, s.bodies[0])))
            if k is not None:
                second = int(s.parent > s.bodies[0])
                out.append((n, 2 * k + second, 2 * k + 1 - second))
    return out


def _with_features(plan: Plan, moved: MovedFeatures, pairs: MovedPairs, by: _Shifts) -> Plan:
    system, cloud, program = moved.system, _cloud(plan, moved), plan.program
    own = plan.table.marker_frame.copy()
    own[:, :3] += by.by
    table = plan.table._replace(marker_frame=own, weight=system.table.weight)
    if len(pairs.steps):
        at, on_body = program.at.copy(), program.own.copy()
        at[pairs.steps, :3] += by.of_side[pairs.at]
        on_body[pairs.steps, :3] += by.of_side[pairs.own]
        program = program._replace(at=at, own=on_body)
    later = {
        "components": lambda: _components(plan, pairs, own, moved.markers.tolist()),
        "steps": lambda: _steps(plan, pairs, program),
    }
    out = altered_later(
        plan,
        later,
        system=system,
        bodies=_bodies(plan, moved, pairs, cloud, by),
        table=table,
        cloud=cloud,
        program=program,
        prepared={},
        moved_pairs={},
    )
    for made in ("given", "fitted_start", "loops"):
        out.__dict__.pop(made, None)
    out.prepared.update({name: known.redimensioned(out) for name, known in plan.prepared.items()})
    return out


def _cloud(plan: Plan, moved: MovedFeatures) -> Cloud:
    """The cloud of the plan with the moved features."""
    system, cloud = moved.system, plan.cloud
    place, part = plan.place_in_cloud[moved.points], system.cloud_part[moved.points]
    at, own, start = system.cloud[moved.points], cloud.own.copy(), cloud.start.copy()
    own[place] = points_placed(plan.bodies.relative, part, at)
    start[place] = points_placed(system.start, part, at)
    return Cloud(cloud.first, own, start)


def _bodies(
    plan: Plan, moved: MovedFeatures, pairs: MovedPairs, cloud: Cloud, by: _Shifts
) -> Bodies:
    """The bodies with their centres moved, and later their markers and joints."""
    old, weight = plan.bodies, moved.system.table.weight
    centre = old.centre.copy()
    for body in set(old.of_part[moved.system.cloud_part[moved.points]].tolist()):
        own = cloud.own[cloud.first[body] : cloud.first[body + 1]]
        centre[body] = own.sum(axis=0) / len(own)

    def table() -> EquationTable:
        frames = old.table.marker_frame.copy()
        frames[:, :3] += by.by
        return old.table._replace(marker_frame=frames, weight=weight)

    later = {"table": table, "pairs": lambda: _joints(old.pairs, pairs, by.of_side)}
    return altered_later(old, later, centre=centre)


def _joints(old: Pairs, moved: MovedPairs, shifts: Array) -> Pairs:
    """The pairs with their joints moved."""
    first, second, relative = old.frame_a.copy(), old.frame_b.copy(), old.relative.copy()
    for k, p in enumerate(moved.pairs):
        one, two = shifts[2 * k : 2 * k + 2]
        first[p, :3] += one
        second[p, :3] += two
        relative[p, :3] += one - two @ relative[p, 3:].reshape(3, 3)
    return old._replace(frame_a=first, frame_b=second, relative=relative)


def _components(plan: Plan, pairs: MovedPairs, frames: Array, moved: list[int]) -> list[Component]:
    """The components with the turned markers of their projections moved."""
    out = []
    for c in plan.components:
        flat: Projection | None = c.projection
        if flat is not None and not set(pairs.pairs).isdisjoint(c.pairs):
            again = {marker: frames[marker] for marker in moved if marker in flat.frames}
            c = altered(c, projection=flat._replace(frames=flat.frames | again))
        out.append(c)
    return out


def _steps(plan: Plan, pairs: MovedPairs, program: CompiledSteps) -> list[Step]:
    """The steps with the frames of their joints moved."""
    out = list(plan.steps)
    for n in pairs.steps.tolist():
        out[n] = replace(out[n], at=program.at[n].copy(), own=program.own[n].copy())
    return out
