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
from ..foundations.altered import altered
from ..foundations.geometry.placing import points_placed
from ..foundations.types import Array
from .clusters import Bodies
from .inexact import COMPOSED
from .plan import Plan
from .planar import Projection
from .same_places import same_places
from .steps import Component, Step, with_frames


class _Shift(NamedTuple):
    """How far the features of a pair moved on its first and on its second body, mm, (3,)."""

    one: Array
    two: Array


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
    shifts = _shifts(plan, moved.constraints, by)
    if shifts is None or not _in_planes(plan, shifts):
        return None
    return _with_features(plan, moved, by, shifts)


def _shifts(plan: Plan, constraints: frozenset[int], by: Array) -> dict[int, _Shift] | None:
    """The shifts of the pairs with moved features; None where one moves apart from the others."""
    bodies, t = plan.bodies, plan.bodies.table
    found: dict[int, _Shift] = {}
    for p in {bodies.pair_of[k] if k in bodies.pair_of else bodies.driven[k] for k in constraints}:
        rows = bodies.pairs.rows_of(p)
        if len(bodies.drivers[p]):
            rows = np.concatenate([rows, plan.system.rows(bodies.drivers[p])])
        n = t.term_measure[t.first_term[rows]]
        markers = np.concatenate([t.marker_a[n], t.marker_b[n]])
        on_first = t.marker_body[markers] == bodies.pairs.bodies[p, 0]
        own = by[markers[on_first]], by[markers[~on_first]]
        if any((here != here[0]).any() for here in own):
            return None
        found[p] = _Shift(own[0][0], own[1][0])
    return found


def _in_planes(plan: Plan, shifts: dict[int, _Shift]) -> bool:
    """Whether the features of planar components move in the plane."""
    home = {p: c.projection.flat for c in plan.components if c.projection for p in c.pairs}
    for p, shift in shifts.items():
        if p in home:
            flat = home[p]
            bodies = flat.bodies.tolist()
            for body, by in zip(plan.bodies.pairs.bodies[p].tolist(), shift, strict=True):
                rise = float(flat.normal[bodies.index(body)] @ by)
                if abs(rise) > COMPOSED * plan.system.length:
                    return False
    return True


def _with_features(plan: Plan, moved: MovedFeatures, by: Array, shifts: dict[int, _Shift]) -> Plan:
    system = moved.system
    cloud = _cloud(plan, moved)
    bodies = _bodies(plan, moved, cloud, by, shifts)
    own = plan.table.marker_frame.copy()
    own[:, :3] += by
    table = plan.table._replace(marker_frame=own, weight=system.table.weight)
    components, steps = list(plan.components), list(plan.steps)
    fresh: dict[int, Step] = {}
    ends = {tuple(bodies.pairs.bodies[p].tolist()): shift for p, shift in shifts.items()}
    begin = 0
    for k, c in enumerate(components):
        if not shifts.keys().isdisjoint(c.pairs):
            components[k] = _component(c, own, moved.markers.tolist())
            fresh |= _steps(steps, range(begin, c.end_step), ends)
        begin = c.end_step
    for n, step in fresh.items():
        steps[n] = step
    out = altered(
        plan,
        system=system,
        bodies=bodies,
        table=table,
        cloud=cloud,
        components=components,
        steps=steps,
        program=with_frames(plan.program, fresh) if fresh else plan.program,
        prepared={},
    )
    out.__dict__.pop("given", None)
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
    plan: Plan, moved: MovedFeatures, cloud: Cloud, by: Array, shifts: dict[int, _Shift]
) -> Bodies:
    """The bodies with their markers, centres and joints moved."""
    old, pairs = plan.bodies, plan.bodies.pairs
    frames, centre = old.table.marker_frame.copy(), old.centre.copy()
    frames[:, :3] += by
    first, second, relative = pairs.frame_a.copy(), pairs.frame_b.copy(), pairs.relative.copy()
    for p, shift in shifts.items():
        first[p, :3] += shift.one
        second[p, :3] += shift.two
        relative[p, :3] += shift.one - shift.two @ relative[p, 3:].reshape(3, 3)
    for body in set(old.of_part[moved.system.cloud_part[moved.points]].tolist()):
        own = cloud.own[cloud.first[body] : cloud.first[body + 1]]
        centre[body] = own.sum(axis=0) / len(own)
    return altered(
        old,
        table=old.table._replace(marker_frame=frames, weight=moved.system.table.weight),
        centre=centre,
        pairs=pairs._replace(frame_a=first, frame_b=second, relative=relative),
    )


def _component(component: Component, frames: Array, moved: list[int]) -> Component:
    """The component with the turned markers of its projection moved."""
    flat: Projection | None = component.projection
    if flat is not None:
        again = {marker: frames[marker] for marker in moved if marker in flat.frames}
        flat = flat._replace(frames=flat.frames | again)
    return altered(component, projection=flat)


def _steps(
    steps: list[Step], numbers: range, shifts: dict[tuple[int, ...], _Shift]
) -> dict[int, Step]:
    """The steps in closed form by moved joints."""
    out = {}
    for n in numbers:
        s = steps[n]
        if s.at is None or s.own is None:
            continue
        body = s.bodies[0]
        shift = shifts.get((min(s.parent, body), max(s.parent, body)))
        if shift is None or not s.rows:
            continue
        on_parent, on_body = shift if s.parent < body else (shift.two, shift.one)
        at, own = s.at.copy(), s.own.copy()
        at[:3] += on_parent
        own[:3] += on_body
        out[n] = replace(s, at=at, own=own)
    return out
