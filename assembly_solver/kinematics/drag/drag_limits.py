"""What a session drags by: one plan, what moves with each part, and limits as they are met.

A step is taken as if there were no limits.  Where it leaves one, it is taken again with that limit
held at its bound, as a driver would be; the next step is free again.  Which bound it is tells the
way that the coordinate went, so that no part comes out at the other end of its range.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from ...equations.bounds import Stop
from ...equations.system import compile_system
from ...equations.table import Table
from ...foundations.geometry.pose import compose_all
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...solver.active_set import beyond, coordinates
from ...structure.plan import Plan, make_plan
from .affected import Moving, moving_with
from .drag_step import ASKED, AWAY, FREE, MOVED, RESIDUAL, WEAKEST, WHICH, Request, drag

WEAK = 1e-4
"""Square of a pivot of the loops below which a singular pose is near."""

WEAKER = 1e-2
"""The same as a share of the largest that was seen since the last edit."""

MOST_STOPS = 8
"""Limits that one step may meet; one that meets more is not taken."""


@dataclass(eq=False)
class _Line:
    """A plan with some limits held, its table to count turns in, and what moves by it."""

    plan: Plan
    table: Table
    moving: dict[int, Moving]
    free: float = np.inf
    weakest: float = 0.0


@dataclass(frozen=True, eq=False)
class Taken:
    """A step that was taken.

    Attributes:
        bodies: their poses; report: see `dragging`; stops: names of limits that stopped it.
        weak: a body at a loop that is near a singular pose; -1 where none is.
    """

    bodies: Array
    report: Array
    stops: tuple[str, ...]
    weak: int


class Course:
    """Drags the bodies of an assembly, from poses that hold.

    Args:
        assembly: its parts where they stand; plan: that its solution came of.
    """

    def __init__(self, assembly: Assembly, plan: Plan) -> None:
        self.assembly = assembly
        self.plan = make_plan(compile_system(assembly)) if plan.system.stops else plan
        self._lines: dict[tuple[Stop, ...], _Line] = {}
        self._turns = self.plan.table.reference.copy()
        """In which turn each angle of an equation is, whichever limits are held."""

    def take(self, bodies: Array, request: Request) -> Taken:
        """Bring a body as near to a request as mates, drivers and limits let it."""
        stops: tuple[Stop, ...] = ()
        while len(stops) <= MOST_STOPS:
            moved, report, weak = self._try(stops, bodies, request)
            if stops and report[RESIDUAL] > self.plan.system.tolerance:
                break  # not all of these limits can be reached at once
            new = self._met(stops, bodies, moved) if report[MOVED] > 0 else None
            if new is None:
                self._turns[:] = self._line(stops).table.reference[: len(self._turns)]
                return Taken(moved, report, tuple(s.limit for s in stops), weak)
            stops = (*stops, new)
        report[AWAY], report[MOVED], report[RESIDUAL] = report[ASKED], 0.0, 0.0
        return Taken(bodies, report, tuple(s.limit for s in stops), weak)

    def _try(
        self, stops: tuple[Stop, ...], bodies: Array, request: Request
    ) -> tuple[Array, Array, int]:
        """A step with some limits held; the body at a weak loop, or -1."""
        line = self._line(stops)
        if request.body not in line.moving:
            line.moving[request.body] = moving_with(line.plan, request.body, bodies)
        line.table.reference[: len(self._turns)] = self._turns  # equations of stops come last
        moved, report = bodies.copy(), np.zeros(9)
        system = line.plan.system
        drag(
            line.table,
            moved,
            line.moving[request.body],
            request,
            line.plan.bodies.centre,
            system.length,
            system.stop,
            report,
            np.zeros(5, np.int64),
        )
        line.free = min(line.free, report[FREE])
        line.weakest = max(line.weakest, report[WEAKEST])
        weak = report[WEAKEST] < max(WEAK, WEAKER * line.weakest) or report[FREE] > line.free
        return moved, report, int(report[WHICH]) if weak else -1

    def _line(self, stops: tuple[Stop, ...]) -> _Line:
        """The plan with some limits held, made when they are first met."""
        if stops not in self._lines:
            plan = self.plan
            if stops:
                plan = make_plan(compile_system(self.assembly, frozenset(), stops))
            table = plan.table._replace(reference=plan.table.reference.copy())
            self._lines[stops] = _Line(plan, table, {})
        return self._lines[stops]

    def _met(self, stops: tuple[Stop, ...], before: Array, after: Array) -> Stop | None:
        """The limit that a step left first, at the bound towards which its coordinate went.

        Those beyond it may not be met at all: the step is taken again with the first one held.
        """
        system = self.plan.system
        if system.bounds is None:
            return None
        b, known = system.bounds, {s.limit for s in stops}
        out = beyond(system, self._parts(after))
        change = coordinates(b, self._parts(after)) - coordinates(b, self._parts(before))
        turned = change - 2 * pi * np.floor((change + pi) / (2 * pi))
        change = np.where(b.angular, turned, change)
        within = 1.0 - np.abs(out) / np.maximum(np.abs(change), 1e-300)
        left = np.flatnonzero(np.abs(out) > system.stop)
        for k in left[np.argsort(within[left])].tolist():
            limit = self.assembly.limits[b.names[k]]
            upper = bool(change[k] > 0)
            if (limit.max if upper else limit.min) is None:
                upper = not upper
            if limit.name not in known:
                return Stop(limit.name, upper, limit.bound(upper))
        return None

    def _parts(self, bodies: Array) -> Array:
        """Poses of the parts from those of the bodies."""
        b = self.plan.bodies
        return compose_all(bodies[b.of_part], b.relative)
