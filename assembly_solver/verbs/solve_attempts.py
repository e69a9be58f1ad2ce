"""Start, reversed senses, then the search for contradictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..diagnosis.conflicts import Search, Trial, find_conflicts, numbers_of
from ..diagnosis.freedoms import Diagnosis
from ..equations.residuals import worst_off
from ..equations.system import compile_system
from ..foundations.watch import Stopped, Watch
from ..model.assembly import Assembly
from ..solver.active_set import close
from ..solver.modes.choice import Reached, in_mode, kept_or_nearest
from ..solver.solver import Closed
from ..structure.plan import Planned, make_plan

REVERSALS = 8
"""Nearest senses that are tried the other way round before a solve is given up."""


PULL = 1e-3
"""Share of the largest residual from which a mate counts as pulling against others."""


NOTHING = Search((), False)


class _Work:
    """A solve, as far as it has come: what was reached and found when it ends or is stopped."""

    def __init__(self, given: Assembly, planned: Planned, eta: float, watch: Watch) -> None:
        self.given, self.planned, self.eta, self.watch = given, planned, eta, watch
        self.begun = self.reached = Reached.at(planned, planned.system.start)
        self.closed: Closed | None = None
        self.trial = Trial(given, watch)
        self.found = NOTHING
        self.turned: tuple[str, ...] = ()
        self.stopped: Stopped | None = None

    def run(self, mode: str | None) -> bool:
        """Close the mates, and go to the mode that is asked for; whether it was reached."""
        try:
            if self.reached.off > self.planned.system.stop:
                self._close()
            if self.reached.off > self.planned.system.tolerance:
                return mode is None
            if mode is None:
                self.reached = kept_or_nearest(self.begun, self.reached, self.watch)
                return True
            chosen = in_mode(self.reached, mode, self.watch)
            self.reached = chosen or self.reached
            return chosen is not None
        except Stopped as stop:
            self.stopped = stop
            if self.closed is None and self.reached.off > self.planned.system.stop:
                self.reached = Reached.of(stop.closed)
            return mode is None

    def _close(self) -> None:
        """From the start; where that fails, with other senses, or else tell what contradicts."""
        self.closed = close(self.given, self.planned.plan, self.eta, watch=self.watch)
        self.reached = Reached.of(self.closed)
        if self.reached.off > self.planned.system.tolerance:
            again, self.turned = _with_reversed_senses(self.given, self.reached, self.watch)
            if again is None:
                suspects = _suspects(self.reached, self.closed)
                self.found = find_conflicts(self.trial, *suspects)
            self.reached = again or self.reached


def _diagnosis(given: Assembly, reached: Reached, turned: tuple[str, ...]) -> Diagnosis:
    """Structure and rank at some poses by the mates alone."""
    system = reached.system
    if len(system.promises) > system.mates:
        alone = compile_system(_mates_only(given), frozenset(turned))
        turns = system.table.reference[: len(alone.table.reference)]  # as the drivers told them
        table = alone.table._replace(reference=turns)
        system = replace(alone, held=system.held, table=table)
    return Diagnosis(make_plan(replace(system, start=reached.frames)), reached.frames)


def _mates_only(assembly: Assembly) -> Assembly:
    """The assembly with every driver let go, and without limits."""
    other = assembly.copy()
    for name in other.drivers:
        other.set_driver(name, None)
    for name in tuple(other.limits):
        other.remove_limit(name)
    return other


def _with_reversed_senses(
    given: Assembly, reached: Reached, watch: Watch
) -> tuple[Reached | None, tuple[str, ...]]:
    """Reverse nearest senses of the mates that do not hold, one and two at a time.

    Only where the mates alone cannot be solved: a driver out of its reach, or a limit in the way,
    turns no part over.
    """
    system = reached.system
    off = reached.each > system.tolerance
    bodies = {p for k in np.flatnonzero(off).tolist() for p in system.parts_of(k)}
    free = [
        name
        for k, (name, h) in enumerate(given.held.items())
        if h.chosen_by is not None and bodies & set(system.ends[k].tolist())
    ]
    more = len(system.promises) > system.mates or system.bounds is not None
    if not free or (more and _solves(_mates_only(given), watch)):
        return None, ()
    free.sort(key=lambda n: -reached.turns[system.promises.index(n)])
    trials = [(n,) for n in free] + [(a, b) for i, a in enumerate(free) for b in free[:i]]
    inner = watch.searching("while nearest senses were reversed")
    for k, turned in enumerate(trials[:REVERSALS]):
        watch.tell(k, len(trials[:REVERSALS]), "reversing nearest senses")
        senses = frozenset(turned)
        plan = make_plan(compile_system(given, senses))
        closed = close(given, plan, thorough=False, reversed_senses=senses, watch=inner, brief=True)
        found = Reached.of(closed)
        if found.off <= system.tolerance:
            return found, turned
    return None, ()


def _solves(assembly: Assembly, watch: Watch) -> bool:
    """Whether the mates of an assembly hold somewhere, asked for one with its drivers let go."""
    system = compile_system(assembly)
    inner = watch.searching("while it was solved without its drivers")
    closed = close(assembly, make_plan(system), watch=inner)
    return worst_off(system, closed.parts) <= system.tolerance


def _suspects(reached: Reached, closed: Closed) -> tuple[list[int], list[int]]:
    """Numbers of the promises of the components and bodies that do not hold, the least off first.

    All limits are among them, told by numbers behind those of the drivers.  The second list has
    those of them that are off by a share of what the worst is off.
    """
    plan, off = reached.planned.plan, reached.each
    system = plan.system
    wrong = np.flatnonzero(off > system.tolerance)
    chosen: set[int] = set(wrong.tolist())
    touched = {int(plan.bodies.of_part[p]) for k in wrong.tolist() for p in system.parts_of(k)}
    for k, c in enumerate(plan.components):
        if k in closed.failed or chosen & set(c.promises):
            chosen |= set(c.promises)
            touched |= {c.root, *c.bodies}
    inner = plan.bodies.inner
    bodies = plan.bodies.of_part[system.ends[inner, 0]] if len(inner) else inner
    chosen |= {int(k) for k, b in zip(inner, bodies, strict=True) if int(b) in touched}
    number = numbers_of(system)
    worst = {number[k]: float(off[k]) for k in (chosen if len(wrong) else range(len(off)))}
    for k, out in enumerate(np.abs(reached.beyond).tolist(), system.mates + system.drivers):
        worst[k] = max(worst.get(k, 0.0), out)
    order = sorted(worst, key=lambda k: (worst[k], k))
    return order, [k for k in order if worst[k] > PULL * reached.off]
