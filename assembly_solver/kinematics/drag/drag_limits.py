"""Dragging within limits: one plan, and another for each set of limits that is reached.

A step is computed with the limits locked that the dragged body is pressed against.  Where it
violates another, it goes on from there with that coordinate locked at its bound as well: the one in
the direction of motion, so that no part jumps to the other end of its range.  It ends where each
locked limit holds the body back from the request.

Source: the primal active-set method, J. Nocedal and S. Wright, Numerical Optimization, chapter 16.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, pi

import numpy as np

from ...equations.bounds import TravelLimit
from ...equations.many_equations import displaced
from ...equations.residuals import worst_off
from ...equations.system import compile_system
from ...equations.table import BLOCKS, EquationTable, TwistBasis
from ...foundations.geometry.pose import blended, compose_all, placed_points
from ...foundations.jit.decorators import ACTIVE
from ...foundations.numerics.rounding import FAINT, TINY
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...solver.active_set import bound_violations, coordinates
from ...structure.plan import Plan, make_plan
from .affected import AffectedBodies, DragSystem, affected_bodies
from .compliance import TWIST
from .drag_branches import DragBranches
from .drag_step import (
    ASKED,
    AWAY,
    FREE,
    LAGS,
    LAST,
    LIMIT,
    LIMITED,
    MOVED,
    RESIDUAL,
    SETTLED,
    TURNED,
    WEAKEST,
    WHICH,
    Request,
    drag,
    first_motion,
)

WEAK = 1e-4
"""A setting: square of a pivot of the loops below which a pose is nearly singular."""

WEAKER = 1e-2
"""A setting: the same, relative to the largest since the last edit."""

MOST_PARTS = 12
"""Most smaller steps of one that led to another branch."""

DIVIDED = 4.0
"""Times smaller that such a step is tried again, and times longer the next one where it succeeds:
the smallest one is found, and left behind again, within `MOST_PARTS`."""

SMALLEST = DIVIDED**-5
"""Share of a step that is not divided further."""

WORK = 60 if ACTIVE else 20
"""Steps tried for one request, and half as many again for its parts, behind which each has one
linear step only, and no further part is begun once there is one: what is left is for the next
request, so that a mouse does not wait for long.  Each closes all mates once; interpreted that takes
ten times as long, and fewer are tried."""

PLANNED = 4
"""The same for a plan that is made for stops that are reached the first time."""

PASSED, BESIDE = "passed", "beside"
"""At a change point: two branches that meet within the tolerance, or nearly."""

MOST_SETS = 16
"""Most sets of locked limits that are tried for one step."""

OVER = 1.01 * LIMIT
"""Times as far as asked from which a body that only gets to a limit goes too far."""


@dataclass(eq=False)
class _LimitedPlan:
    """A plan with some limits locked, its table, and affected bodies by dragged body."""

    plan: Plan
    table: EquationTable
    moving: dict[int, AffectedBodies]
    free: float = np.inf
    weakest: float = 0.0


@dataclass(frozen=True, eq=False)
class DragResult:
    """The result of a drag step.

    Attributes:
        bodies: poses, (bodies, 12), world; report: (10,), see `drag_step`; stops: names of reached
            limits.
        near_singular: a body in a loop that is nearly singular, or -1.
        change: whether it is at a change point of this loop: `PASSED` or `BESIDE`; else "".
    """

    bodies: Array
    report: Array
    stops: tuple[str, ...]
    near_singular: int
    change: str = ""


class LimitedDrag:
    """Drags the bodies of an assembly, from solved poses.

    Args:
        assembly: with its parts at these poses; plan: of its solution.
    """

    def __init__(self, assembly: Assembly, plan: Plan) -> None:
        self.assembly = assembly
        self.plan = make_plan(compile_system(assembly)) if plan.system.active_limits else plan
        self._plans: dict[tuple[TravelLimit, ...], _LimitedPlan] = {}
        self._turns = self.plan.table.reference.copy()
        """Reference angles of the equations common to all plans."""
        self._branches = DragBranches(self.plan)
        self._work = WORK
        """Steps that are left to be tried of a request."""

    def take(self, bodies: Array, request: Request) -> DragResult:
        """Move a body as near to a request as mates, drivers and limits allow, on its branch.

        Args:
            bodies: poses, (bodies, 12), world, unchanged.
        """
        turns, self._work = self._turns.copy(), WORK
        result = self._step(bodies, request)
        if self._branches.left(bodies, result.bodies) < 0:
            return result
        self._turns[:] = turns
        return self._in_small_steps(bodies, request, result)

    def _in_small_steps(self, bodies: Array, request: Request, whole: DragResult) -> DragResult:
        """A step that led to another branch in smaller ones, as far as these do not.

        Where it takes the smallest one to get there, and the mates hold on the way, the branches
        meet within the tolerance: that is a change point, and it is passed.
        """
        here, done, part, change = replace(whole, bodies=bodies), 0.0, 1.0 / DIVIDED, ""
        moved, through, lags = 0.0, -1, True
        self._work = max(self._work, WORK // 2)  # with one linear step each they hardly get on
        for _ in range(MOST_PARTS):
            if self._work <= 0 and done > 0.0:
                break
            turns, share = self._turns.copy(), min(done + part, 1.0)
            rest = (share - done) / (1.0 - done)
            step = self._step(here.bodies, part_way(here.bodies, request, rest))
            body = self._branches.left(here.bodies, step.bodies)
            if body >= 0:
                through = body
                if part > SMALLEST:
                    self._turns[:], part = turns, part / DIVIDED
                    continue
                if not self._meet(here.bodies, step.bodies):
                    self._turns[:], lags, change = turns, False, BESIDE
                    break
                self._branches.forget(body)
                change = PASSED
            here, done, part = step, share, DIVIDED * part
            moved += float(step.report[MOVED])
            if done >= 1.0:
                lags = bool(step.report[LAGS])
                break
        report = here.report
        report[ASKED], report[MOVED], report[LAGS] = whole.report[ASKED], moved, lags
        near = through if change else here.near_singular
        return aimed(replace(here, near_singular=near, change=change), request)

    def _meet(self, before: Array, after: Array) -> bool:
        """Whether all mates hold at the poses half way between two."""
        middle = blended(before, after, 0.5)
        return worst_off(self.plan.system, self._parts(middle)) <= self.plan.system.tolerance

    def _step(self, bodies: Array, request: Request) -> DragResult:
        """A step as near to a request as limits allow, by an active set of these.

        It begins with the stops that the bodies are pressed against, and goes on from where others
        are reached.  Where one holds a body back from the request no longer, it goes on without.
        """
        system, turns = self.plan.system, self._turns.copy()
        out, least = aimed(DragResult(bodies, np.zeros(10), (), -1), request), inf
        start, stops = bodies, self._pressed(self._stops_at(bodies), bodies, request)
        for _ in range(MOST_SETS):
            self._turns[:] = turns
            moved, report, near_singular = self._try(stops, bodies, start, request)
            if least == inf:
                out.report[ASKED] = report[ASKED]
                out = replace(out, stops=tuple(s.limit for s in stops))
            over = report[MOVED] > OVER * report[ASKED]
            if report[RESIDUAL] > system.tolerance or over:
                out.report[[LIMITED, LAGS]] = over or out.report[LIMITED], True
                break  # not all of these limits can be reached at once
            new, share = self._met(stops, start, moved)
            if new is not None:
                stops, start = (*stops, new), blended(start, moved, share)
                continue
            away = float(np.hypot(report[AWAY], TWIST * system.length * report[TURNED]))
            if away >= least:
                break
            turns[:] = self._limited_plan(stops).table.reference[: len(turns)]
            least, start = away, moved
            out = DragResult(moved, report, tuple(s.limit for s in stops), near_singular)
            pressed = self._pressed(stops, moved, request)
            if len(pressed) == len(stops):
                break
            stops = pressed
        self._turns[:] = turns
        return out

    def _try(
        self, stops: tuple[TravelLimit, ...], bodies: Array, start: Array, request: Request
    ) -> tuple[Array, Array, int]:
        """A step with some limits locked: poses, report, and a nearly singular body or -1.

        Args:
            start: poses from which it is searched, (bodies, 12), world.
        """
        limited, moved, report = self._limited_plan(stops), start.copy(), np.zeros(10)
        dragged = self._dragged(limited, request.body, bodies)
        counts = np.zeros(5, np.int64)
        drag(dragged, bodies, moved, request, self._work, report, counts)
        self._work -= int(counts[BLOCKS])
        limited.free = min(limited.free, report[FREE])
        limited.weakest = max(limited.weakest, report[WEAKEST])
        weak = report[WEAKEST] < max(WEAK, WEAKER * limited.weakest)
        near_singular = weak or report[FREE] > limited.free
        return moved, report, int(report[WHICH]) if near_singular else -1

    def _dragged(self, limited: _LimitedPlan, body: int, bodies: Array) -> DragSystem:
        """The data of a drag of a body, for the compiled loop."""
        first = body not in limited.moving
        if first:
            limited.moving[body] = affected_bodies(limited.plan, body, bodies)
        limited.table.reference[: len(self._turns)] = self._turns  # equations of stops come last
        system = limited.plan.system
        basis = TwistBasis(np.eye(3), limited.plan.bodies.centre, system.length)
        moving = limited.moving[body]
        dragged = DragSystem(limited.table, moving, basis, system.convergence_tolerance)
        if first and limited.plan is self.plan and system.bounds is not None:
            # what the first stop calls is loaded now, when the part is grabbed
            here = Request(body, np.zeros(3), bodies[body], False)
            first_motion(dragged, bodies, here, np.empty((len(moving.pattern.bodies), 6)))
        return dragged

    def _stops_at(self, bodies: Array) -> tuple[TravelLimit, ...]:
        """The limits at whose bounds the bodies are."""
        b, system = self.plan.system.bounds, self.plan.system
        if b is None:
            return ()
        value, near = coordinates(b, self._parts(bodies)), SETTLED * system.convergence_tolerance
        off = np.abs(np.stack([b.low, b.high]) - value) * np.where(b.angular, system.length, 1.0)
        return tuple(
            TravelLimit(
                b.names[k], bool(upper), self.assembly.limits[b.names[k]].bound(bool(upper))
            )
            for upper, k in np.argwhere(off <= near).tolist()
            if upper == 0 or off[0, k] > near
        )

    def _pressed(
        self, stops: tuple[TravelLimit, ...], bodies: Array, request: Request
    ) -> tuple[TravelLimit, ...]:
        """Those of some stops, at which the bodies are, that a request does not lead away from."""
        for k, stop in enumerate(stops):
            fewer = stops[:k] + stops[k + 1 :]
            if self._leaves(stop, fewer, bodies, request):
                return self._pressed(fewer, bodies, request)
        return stops

    def _leaves(
        self, stop: TravelLimit, others: tuple[TravelLimit, ...], bodies: Array, request: Request
    ) -> bool:
        """Whether bodies at a stop, with others locked, begin to leave it to reach a request."""
        limit, system, b = (
            self.assembly.limits[stop.limit],
            self.plan.system,
            self.plan.system.bounds,
        )
        dragged = self._dragged(self._limited_plan(others), request.body, bodies)
        which = dragged.moving.pattern.bodies
        x = np.zeros((len(which), 6))
        if b is None or limit.min == limit.max or not first_motion(dragged, bodies, request, x):
            return False
        size = float(np.abs(x).max())
        if size <= LAST * system.convergence_tolerance:
            return False
        x *= FAINT * system.length / size
        after, turns = bodies.copy(), x[None, :, 3:] / system.length
        after[which] = displaced(
            bodies[None, which], dragged.basis.centre[which], x[None, :, :3], turns
        )[0]
        k = b.names.index(stop.limit)
        change = float(self._change(bodies, after)[k]) * (system.length if b.angular[k] else 1.0)
        away = (-change if stop.upper else change) * size / (FAINT * system.length)
        return away > LAST * system.convergence_tolerance

    def _limited_plan(self, stops: tuple[TravelLimit, ...]) -> _LimitedPlan:
        """The plan with some limits locked, in any order, cached."""
        stops = tuple(sorted(stops))
        if stops not in self._plans:
            plan = self.plan
            if stops:
                plan = make_plan(compile_system(self.assembly, None, stops))
                self._work -= PLANNED
            table = plan.table._replace(reference=plan.table.reference.copy())
            self._plans[stops] = _LimitedPlan(plan, table, {})
        return self._plans[stops]

    def _met(
        self, stops: tuple[TravelLimit, ...], before: Array, after: Array
    ) -> tuple[TravelLimit | None, float]:
        """The limit that a step violates first, and the share of the step up to there.

        It is locked at the bound towards which its coordinate moved.  Others may not be reached
        once the step goes on with the first one locked.
        """
        system = self.plan.system
        if system.bounds is None:
            return None, 1.0
        b, known = system.bounds, {s.limit for s in stops}
        out = bound_violations(system, self._parts(after))
        left = np.flatnonzero(np.abs(out) > system.convergence_tolerance)
        if not len(left):
            return None, 1.0
        change = self._change(before, after)
        scaled = np.where(b.angular, system.length, 1.0) * np.abs(change)
        within = 1.0 - np.abs(out) / np.maximum(scaled, TINY)
        for k in left[np.argsort(within[left])].tolist():
            limit = self.assembly.limits[b.names[k]]
            upper = bool(change[k] > 0)
            if (limit.max if upper else limit.min) is None:
                upper = not upper
            if limit.name not in known:
                stop = TravelLimit(limit.name, upper, limit.bound(upper))
                return stop, float(np.clip(within[k], 0.0, 1.0))
        return None, 1.0

    def _change(self, before: Array, after: Array) -> Array:
        """How the limited coordinates change between poses of the bodies, mm, and rad up to pi."""
        b = self.plan.system.bounds
        assert b is not None
        change = coordinates(b, self._parts(after)) - coordinates(b, self._parts(before))
        turned = change - 2 * pi * np.floor((change + pi) / (2 * pi))
        return np.where(b.angular, turned, change)

    def _parts(self, bodies: Array) -> Array:
        """Poses of the parts from those of the bodies."""
        b = self.plan.bodies
        return compose_all(bodies[b.of_part], b.relative)


def aimed(result: DragResult, request: Request) -> DragResult:
    """A result with how far it is from the target of another request in its report."""
    grip = placed_points(result.bodies[[request.body]], request.grip[None])[0]
    result.report[AWAY] = float(np.linalg.norm(request.goal[:3] - grip))
    if request.oriented:  # axes a and b are apart by the root of 8 times the sine of half the turn
        apart = np.linalg.norm(request.goal[3:] - result.bodies[request.body, 3:])
        result.report[TURNED] = 2.0 * np.arcsin(min(apart / np.sqrt(8.0), 1.0))
    return result


def part_way(bodies: Array, request: Request, share: float) -> Request:
    """The request for a share of the way to its target."""
    begin = bodies[request.body].copy()
    begin[:3] = placed_points(begin[None], request.grip[None])[0]
    end = request.goal if request.oriented else np.append(request.goal[:3], begin[3:])
    return request._replace(goal=blended(begin[None], end[None], share)[0])
