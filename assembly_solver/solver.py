"""The ladder: run the plan; where a step fails, climb.

Rungs, cheapest first: the plan's own steps (closed forms, then Newton with the updated inverse);
perturbation of a singular point; the whole component by damped Gauss-Newton steps in its own
unknowns, then in space; half turns where a sense came out wrong; assembly by minimisation.  Where
fixed pairs were merged, all this once more with only those merged that hold in one place.  Every
rung is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .chart import Chart
from .geometry.nearest import FREE, nearest_motion
from .geometry.pose import compose_all, invert_all
from .kernel import (
    BLOCKS,
    PERTURBATIONS,
    SINGULAR,
    SOLVED,
    SPACE,
    jacobian,
    move,
    residuals,
    solve_dense,
)
from .model.measure import TILT
from .numerics.penalty import assemble
from .numerics.perturb import perturb
from .numerics.update import ETA
from .placing import align
from .runner import CALL, run
from .settling import settle
from .sparse import solve_sparse
from .structure.plan import Plan, make_plan
from .structure.steps import SETTLE, SETTLE_FLAT, Component, Step
from .system import System

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

HALF_TURNS = 8
"""Restarts of one component with a body turned over."""

LARGEST_MINIMISED = 120
"""Unknowns up to which the last rung is climbed: it is dense."""

STEPS = 300
"""Iterations of one descent of a whole component."""


@dataclass(frozen=True, eq=False)
class Closed:
    """Where the bodies and parts came to stand.

    Attributes:
        bodies: poses (bodies, 12); parts: poses (parts, 12).
        plan: that led there, a more cautious one where the first failed.
        failed: components whose equations could not be met.
        counts: inverses, updates, perturbations, iterations, blocks.
        axes: directions in which the components' unknowns are counted, (components, 3, 3).
    """

    plan: Plan
    bodies: Array
    parts: Array
    failed: tuple[int, ...]
    counts: Ints
    axes: Array = field(repr=False)


def solve(plan: Plan, eta: float = ETA, thorough: bool = True) -> Closed:
    """Poses that hold every equation, found with the least movement that the plan allows.

    Args:
        plan: of one system; eta: least reduction for which an inverse is updated, above 1 never.
        thorough: climb to the last rung, assembly by minimisation, where all others fail.
    """
    closed = _Climb(plan, eta, thorough).solve()
    system = plan.system
    if plan.bodies.merged and worst_off(system, closed.parts) > system.tolerance:
        other = _Climb(make_plan(system, cautious=True), eta, thorough).solve()
        if worst_off(system, other.parts) <= system.tolerance:
            return replace(other, counts=closed.counts + other.counts)
    return closed


class _Climb:
    def __init__(self, plan: Plan, eta: float, thorough: bool) -> None:
        self.plan, self.eta, self.thorough = plan, eta, thorough
        self.system = plan.system
        self.start = fitted_start(plan)
        self.poses = self.start.copy()
        self.counts = np.zeros(5, np.int64)
        self.axes = np.zeros((len(plan.components), 3, 3))
        self.centre = plan.bodies.centre

    def solve(self) -> Closed:
        plan = self.plan
        failed: list[int] = []
        s = 0
        while True:
            s, status = run(
                plan.program, plan.table, self.poses, self.start, plan.cloud, self.centre,
                self.system.length, self.system.stop, self.system.tolerance, self.eta, s,
                self.axes, self.counts,
            )  # fmt: skip
            if s >= len(plan.steps):
                break
            step = plan.steps[s]
            if (status == SINGULAR and self._perturbed(step)) or self._settled(step):
                s += 1
                continue
            component = plan.components[step.component]
            if not self._component(component, step.component, status == CALL):
                failed.append(step.component)
            s = component.end_step
        parts = part_poses(plan, self.poses)
        return Closed(plan, self.poses, parts, tuple(failed), self.counts, self.axes)

    # ------------------------------------------------------------------ rungs
    def _perturbed(self, step: Step) -> bool:
        """Leave a singular point by small changes of single unknowns, then solve the block."""
        plan, s = self.plan, self.system
        rows = np.array(step.rows, np.int64)
        bodies = np.array(step.bodies, np.int64)
        slot = np.full((len(self.poses), 6), -1, np.int64)
        for n, (body, k) in enumerate(step.columns):
            slot[body, k] = n
        axes = self.axes[step.component]
        moved = self.poses.copy()
        target = min(len(rows), len(step.columns))

        def at(x: Array) -> Array:
            move(self.poses, bodies, slot, x, 1.0, axes, self.centre, s.length, moved)
            j = np.empty((len(rows), len(step.columns)))
            jacobian(plan.table, moved, rows, slot, axes, self.centre, s.length, j)
            return j

        for _ in range(3):
            found = perturb(
                lambda x: at(x * s.length), np.zeros(len(step.columns)), len(rows) - target
            )
            at(found.x * s.length)
            self.counts[PERTURBATIONS] += len(found.kept)
            trial = moved.copy()
            status = solve_dense(
                plan.table, trial, rows, bodies, slot, axes, self.centre, s.length, s.stop,
                self.eta, target if found.reached else 0, self.counts,
            )  # fmt: skip
            if status == SOLVED:
                self.poses = trial
                return True
            if not found.reached or status != SINGULAR:
                return False
            self.poses = trial
        return False

    def _settled(self, step: Step) -> bool:
        """Project one body onto its equations; False where the step is another or fails."""
        if step.action not in (SETTLE, SETTLE_FLAT):
            return False
        plan, s = self.plan, self.system
        slot = np.full((len(self.poses), 6), -1, np.int64)
        for n, (body, k) in enumerate(step.columns):
            slot[body, k] = n
        kept = self.poses.copy()
        status = settle(
            plan.table, self.poses, step.bodies[0], np.array(step.rows, np.int64), slot,
            self.axes[step.component], self.centre, s.length, s.stop, plan.cloud, self.counts,
        )  # fmt: skip
        if status != SOLVED:
            self.poses = kept
        return bool(status == SOLVED)

    def _component(self, component: Component, number: int, planned: bool) -> bool:
        """A whole component by descent; the best point found stays in the poses."""
        starts = [(component.unknowns, self._fresh(component, number))]
        if component.projection is not None:
            starts.append((SPACE, self._restart(component)))
        if not planned:
            starts.insert(0, (component.unknowns, self.poses.copy()))
        best, least = self.poses, np.inf
        for unknowns, poses in starts:
            worst = self._descend(component, number, unknowns, poses)
            if worst < least:
                best, least = poses, worst
            if worst <= self.system.stop:
                break
        if least > self.system.tolerance:
            best, least = self._turned_over(component, number, best, least)
        if least > self.system.tolerance:
            best, least = self._by_minimisation(component, best, least)
        self.poses = best
        return least <= self.system.tolerance

    def _restart(self, component: Component) -> Array:
        poses = self.poses.copy()
        members = list(component.bodies)
        poses[members] = self.start[members]
        return poses

    def _fresh(self, component: Component, number: int) -> Array:
        poses = self._restart(component)
        if component.projection is not None:
            align(
                poses, component.projection.flat, self.centre, self.plan.cloud, self.axes[number]
            )
        return poses

    def _descend(
        self, component: Component, number: int, unknowns: Ints, poses: Array
    ) -> float:
        """Damped Gauss-Newton steps; returns the largest residual of all the rows."""
        plan, s = self.plan, self.system
        flat = len(unknowns) == 3
        rows = np.array(component.projection.plane) if flat and component.projection else None
        axes = self.axes[number] if flat else np.eye(3)
        self.counts[BLOCKS] += 1
        solve_sparse(
            plan.table, poses, component.rows if rows is None else rows,
            component.factor_pattern(plan.bodies), unknowns, axes, self.centre, s.length, s.stop,
            STEPS, self.counts,
        )  # fmt: skip
        return self._worst(component, poses)

    def _worst(self, component: Component, poses: Array) -> float:
        out = np.empty(len(component.rows))
        return float(residuals(self.plan.table, poses, component.rows, out))

    def _by_minimisation(
        self, component: Component, best: Array, least: float
    ) -> tuple[Array, float]:
        """The nearest assembly to the start by growing weights of the residuals: the last rung."""
        if not self.thorough or 6 * len(component.bodies) > LARGEST_MINIMISED:
            return best, least
        chart = Chart(self.plan, component, self._restart(component))
        self.counts[BLOCKS] += 1
        with np.errstate(all="ignore"):
            found = assemble(
                chart.residual, chart.jacobian, np.zeros(chart.size), self.system.stop,
                iterations=20,
            )  # fmt: skip
        self.counts[:2] += (found.root.counts.inverses, found.root.counts.updates)
        poses = chart.poses(found.x).copy()
        worst = self._worst(component, poses)
        return (poses, worst) if worst < least else (best, least)

    def _turned_over(
        self, component: Component, number: int, best: Array, least: float
    ) -> tuple[Array, float]:
        """Turn bodies over where a direction points the wrong way, and descend again."""
        tried: set[int] = set()
        for _ in range(HALF_TURNS):
            poses = best.copy()
            body = self._flip(component, poses, tried)
            if body is None:
                break
            worst = self._descend(component, number, SPACE, poses)
            if worst < least:
                best, least = poses, worst
            if least <= self.system.tolerance:
                break
        return best, least

    def _flip(self, component: Component, poses: Array, tried: set[int]) -> int | None:
        """Half a turn of the body at the worst tilted mate, across its direction there."""
        t = self.plan.table
        out = np.empty(len(component.rows))
        residuals(t, poses, component.rows, out)
        for i in np.argsort(-np.abs(out)):
            e = int(component.rows[i])
            n = int(t.term_measure[t.first_term[e]])
            if int(t.kind[n]) != TILT or abs(out[i]) < 0.5 * np.pi * t.weight[e]:
                continue
            for marker in (int(t.marker_b[n]), int(t.marker_a[n])):
                body = int(t.marker_body[marker])
                if body in component.bodies and e not in tried:
                    tried.add(e)
                    _half_turn(poses, body, t.marker_frame[marker])
                    return body
        return None


def _half_turn(poses: Array, body: int, frame: Array) -> None:
    """Turn a body by half a turn about the x of one of its frames."""
    turned = frame.copy()
    turned[6:] *= -1.0
    world = compose_all(poses[body][None], turned[None])
    poses[body] = compose_all(world, invert_all(frame[None]))[0]


def fitted_start(plan: Plan) -> Array:
    """Where the bodies start: a part at its pose, a cluster where its features fit best."""
    bodies, cloud = plan.bodies, plan.cloud
    start = bodies.start.copy()
    size = np.bincount(bodies.of_part, minlength=bodies.count)
    for body in np.flatnonzero(size > 1):
        if body == 0:
            continue
        low, high = cloud.first[body], cloud.first[body + 1]
        out = np.empty(12)
        own, goal = cloud.own[low:high], cloud.start[low:high]
        nearest_motion(FREE, own, goal, start[body], plan.system.length, out)
        start[body] = out
    return start


def part_poses(plan: Plan, bodies: Array) -> Array:
    """Poses of the parts from those of their bodies."""
    b = plan.bodies
    return compose_all(bodies[b.of_part], b.relative)


def all_residuals(system: System, parts: Array) -> Array:
    """Residual of every equation of a system at poses of the parts, mm."""
    rows = np.arange(len(system.table.target))
    out = np.empty(len(rows))
    residuals(system.table, parts, rows, out)
    return out


def residual_of(system: System, parts: Array) -> tuple[Array, Array]:
    """Largest length (mm) and angle (rad) by which each promise is off."""
    f = all_residuals(system, parts)
    of, n = system.promise_of_equation(), len(system.promises)
    lengths = np.sqrt(np.bincount(of, weights=np.where(system.angular, 0.0, f**2), minlength=n))
    turns = np.sqrt(np.bincount(of, weights=np.where(system.angular, f**2, 0.0), minlength=n))
    return lengths, turns / system.length


def worst_off(system: System, parts: Array) -> float:
    """What the worst promise is off, mm, angles at the reach of features."""
    lengths, turns = residual_of(system, parts)
    return float(max(lengths.max(initial=0.0), turns.max(initial=0.0) * system.length))
