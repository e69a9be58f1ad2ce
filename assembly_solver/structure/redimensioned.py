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

from ..equations.moved_features import MovedFeatures
from ..equations.system import System
from ..foundations.altered import altered
from ..foundations.types import Array, Ints
from .clusters import Bodies, body_cloud
from .inexact import COMPOSED, PARALLEL
from .plan import Plan, plan_cloud
from .planar import Projection
from .steps import Component, Step, with_frames


class _Shift(NamedTuple):
    """How far the features of a pair moved on its first and on its second body, mm, (3,)."""

    one: Array
    two: Array


def redimensioned(plan: Plan, moved: MovedFeatures) -> Plan | None:
    """The plan with moved features; None where it may be another one."""
    bodies, system = plan.bodies, moved.system
    if bodies.shift > 0.0 or plan.cautious or np.isin(moved.constraints, bodies.inner).any():
        return None
    part = system.table.marker_body[moved.markers]
    axes = bodies.relative[part, 3:].reshape(-1, 3, 3)
    by = np.zeros((len(bodies.table.marker_body), 3))
    by[moved.markers] = np.einsum("nk,nkr->nr", moved.by, axes)
    if not _same_places(bodies, moved.markers, by, system):
        return None
    shifts = _shifts(plan, moved.constraints.tolist(), by)
    if shifts is None or not _in_planes(plan, shifts):
        return None
    return _with_features(plan, system, by, shifts)


def _same_places(bodies: Bodies, markers: Ints, by: Array, system: System) -> bool:
    """Whether moved markers share points, lines and planes with the same markers as before.

    And whether they are exactly there, or farther away than the tolerance.
    """
    t, tolerance = bodies.table, system.tolerance
    a, b = np.nonzero(t.marker_body[markers][:, None] == t.marker_body)
    one, other = t.marker_frame[markers[a]], t.marker_frame[b]
    size = max(float(np.abs(t.marker_frame[:, :3] + by).max(initial=0.0)), system.length)
    z, parallel = other[:, 9:], np.abs(np.sum(one[:, 9:] * other[:, 9:], axis=1)) > PARALLEL
    before = one[:, :3] - other[:, :3]
    steps = np.stack([before, before + by[markers[a]] - by[b]])
    height = np.einsum("snk,nk->sn", steps, z)
    across = np.linalg.norm(steps - height[..., None] * z, axis=2)
    line = np.stack([np.abs(height), across])[:, :, parallel]
    for off in (np.linalg.norm(steps, axis=2), *line):
        near = off <= tolerance
        if np.any(near[0] != near[1]) or np.any(near[1] & (off[1] > COMPOSED * size)):
            return False
    return True


def _shifts(plan: Plan, constraints: list[int], by: Array) -> dict[int, _Shift] | None:
    """The shifts of the pairs with moved features; None where one moves apart from the others."""
    bodies, t = plan.bodies, plan.bodies.table
    of_driver = {k: p for p, own in enumerate(bodies.drivers) for k in own.tolist()}
    found: dict[int, _Shift] = {}
    for p in {bodies.pair_of[k] if k in bodies.pair_of else of_driver[k] for k in constraints}:
        rows = [bodies.pairs.rows_of(p), plan.system.rows(bodies.drivers[p])]
        n = t.term_measure[t.first_term[np.concatenate(rows)]]
        markers = np.concatenate([t.marker_a[n], t.marker_b[n]])
        on_first = t.marker_body[markers] == bodies.pairs.bodies[p, 0]
        own = []
        for here in (by[markers[on_first]], by[markers[~on_first]]):
            if (here != here[0]).any():
                return None
            own.append(here[0])
        found[p] = _Shift(*own)
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


def _with_features(plan: Plan, system: System, by: Array, shifts: dict[int, _Shift]) -> Plan:
    bodies, own = _bodies(plan, system, by, shifts), plan.table.marker_frame.copy()
    own[:, :3] += by
    table = plan.table._replace(marker_frame=own, weight=system.table.weight)
    components, steps = list(plan.components), list(plan.steps)
    fresh: dict[int, Step] = {}
    ends = {tuple(bodies.pairs.bodies[p].tolist()): shift for p, shift in shifts.items()}
    begin = 0
    for k, c in enumerate(components):
        if not shifts.keys().isdisjoint(c.pairs):
            components[k] = _component(c, own)
            fresh |= _steps(steps, range(begin, c.end_step), ends)
        begin = c.end_step
    for n, step in fresh.items():
        steps[n] = step
    cloud = plan_cloud(system, bodies)
    program = with_frames(plan.program, fresh) if fresh else plan.program
    out = altered(
        plan,
        system=system,
        bodies=bodies,
        table=table,
        cloud=cloud,
        components=components,
        steps=steps,
        program=program,
        prepared={},
    )
    out.__dict__.pop("given", None)
    out.prepared.update({name: known.redimensioned(out) for name, known in plan.prepared.items()})
    return out


def _bodies(plan: Plan, system: System, by: Array, shifts: dict[int, _Shift]) -> Bodies:
    """The bodies with their markers, centres and joints moved."""
    old, pairs = plan.bodies, plan.bodies.pairs
    frames = old.table.marker_frame.copy()
    frames[:, :3] += by
    first, second, relative = pairs.frame_a.copy(), pairs.frame_b.copy(), pairs.relative.copy()
    for p, shift in shifts.items():
        first[p, :3] += shift.one
        second[p, :3] += shift.two
        relative[p, :3] += shift.one - shift.two @ relative[p, 3:].reshape(3, 3)
    of_point = old.of_part[system.cloud_part]
    sums = [np.bincount(of_point, axis, old.count) for axis in body_cloud(system, old.relative).T]
    count = np.maximum(np.bincount(of_point, minlength=old.count), 1)
    return altered(
        old,
        table=old.table._replace(marker_frame=frames, weight=system.table.weight),
        centre=np.stack(sums, axis=1) / count[:, None],
        pairs=pairs._replace(frame_a=first, frame_b=second, relative=relative),
    )


def _component(component: Component, frames: Array) -> Component:
    """The component with the turned markers of its projection moved."""
    flat: Projection | None = component.projection
    if flat is not None:
        flat = flat._replace(frames={marker: frames[marker] for marker in flat.frames})
    return replace(component, projection=flat)


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
