"""What the public calls compose: solve, diagnose, analyse, read, write.

System and plan are kept for each assembly until it is edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from . import formats
from .analysis import Analysis
from .conflicts import Search, find_conflicts, residual_of
from .diagnosis import Diagnosis
from .model.assembly import Assembly
from .numerics.update import ETA
from .solution import Counts, Outcome, Solution
from .solver import Closed
from .solver import solve as close
from .structure.plan import Plan, make_plan
from .system import System, compile_system

Array = NDArray[np.float64]

REVERSALS = 8
"""Nearest senses that are tried the other way round before a solve is given up."""

_PLANS: WeakKeyDictionary[Assembly, tuple[int, Plan]] = WeakKeyDictionary()


def read(path: str | Path) -> Assembly:
    """Read an assembly file; its suffix tells the format."""
    return formats.read(path)


def write(assembly: Assembly, path: str | Path) -> None:
    """Write an assembly, or its placed geometry, by the suffix of the path."""
    formats.write(assembly, path)


def plan_of(assembly: Assembly) -> Plan:
    """The plan of an assembly, kept until it is edited."""
    kept = _PLANS.get(assembly)
    if kept is None or kept[0] != assembly.revision:
        kept = (assembly.revision, make_plan(compile_system(assembly)))
        _PLANS[assembly] = kept
    return kept[1]


def solve(assembly: Assembly, *, tolerance: float | None = None, eta: float = ETA) -> Solution:
    """Poses that hold every mate and every driver with a value, moving as little as it can.

    Args:
        assembly: not changed; the solution can be applied to it.
        tolerance: what a mate may be off and still hold, mm; the assembly's own by default.
        eta: least reduction for which an inverse is updated (equation (25)); above 1 never.

    Returns:
        A `Solution`, whatever came of it: this never raises for a bad assembly.
    """
    begin = perf_counter()
    if tolerance is not None and tolerance != assembly.tolerance:
        assembly = assembly.copy()
        assembly.tolerance = tolerance
    plan = plan_of(assembly)
    system = plan.system
    lengths, turns = residual_of(system, system.start)
    if _worst(system, lengths, turns) <= system.stop:
        frames, counts = system.start, (0, 0, 0, 0, 0)
        return _solution(
            assembly, plan, frames, lengths, turns, counts, (), Outcome.SOLVED, (), begin
        )
    closed = close(plan, eta)
    lengths, turns = residual_of(system, closed.parts)
    turned: tuple[str, ...] = ()
    found = Search((), False)
    outcome = Outcome.SOLVED
    if _worst(system, lengths, turns) > system.tolerance:
        again = _with_reversed_senses(assembly, plan, lengths, turns)
        if again is not None:
            plan, closed, turned = again
            system = plan.system
            lengths, turns = residual_of(system, closed.parts)
        else:
            suspects = _suspects(plan, closed, lengths, turns)
            found = find_conflicts(assembly, suspects)
            outcome = Outcome.CONFLICTING if found.explained else Outcome.NOT_CONVERGED
    return _solution(
        assembly, plan, closed.parts, lengths, turns, tuple(closed.counts.tolist()),
        found.conflicts, outcome, turned, begin,
    )  # fmt: skip


def _worst(system: System, lengths: Array, turns: Array) -> float:
    return float(max(lengths.max(initial=0.0), turns.max(initial=0.0) * system.length))


def _solution(
    assembly: Assembly,
    plan: Plan,
    frames: Array,
    lengths: Array,
    turns: Array,
    counts: Sequence[int],
    found: tuple[object, ...],
    outcome: Outcome,
    turned: tuple[str, ...],
    begin: float,
) -> Solution:
    return Solution(
        assembly, outcome, found, Counts(*counts), perf_counter() - begin, plan.system, frames,  # type: ignore[arg-type]
        lengths, turns, lambda: _diagnosis(assembly, plan, frames, frozenset(turned)),
        turned,
    )  # fmt: skip


def _diagnosis(
    assembly: Assembly, plan: Plan, frames: Array, turned: frozenset[str] = frozenset()
) -> Diagnosis:
    """Structure and rank at some poses by the mates alone."""
    system = plan.system
    if len(system.promises) > system.mates:
        system = replace(compile_system(_undriven(assembly), turned), held=system.held)
    return Diagnosis(make_plan(replace(system, start=frames)), frames)


def _undriven(assembly: Assembly) -> Assembly:
    """The assembly with every driver let go."""
    other = assembly.copy()
    for name in other.drivers:
        other.set_driver(name, None)
    return other


def _off(system: System, parts: Array) -> float:
    return _worst(system, *residual_of(system, parts))


def _with_reversed_senses(
    assembly: Assembly, plan: Plan, lengths: Array, turns: Array
) -> tuple[Plan, Closed, tuple[str, ...]] | None:
    """Reverse nearest senses of the mates that do not hold, one and two at a time.

    Only where the mates alone cannot be solved: a driver out of its reach turns no part over.
    """
    system = plan.system
    if len(system.promises) > system.mates:
        alone = compile_system(_undriven(assembly))
        if _off(alone, close(make_plan(alone)).parts) <= alone.tolerance:
            return None
    off = np.maximum(lengths, turns * system.length) > system.tolerance
    bodies = set(system.ends[off].ravel().tolist())
    free = [
        name
        for k, (name, h) in enumerate(assembly.held.items())
        if h.chosen_by is not None and bodies & set(system.ends[k].tolist())
    ]
    free.sort(key=lambda n: -turns[system.promises.index(n)])
    trials = [(n,) for n in free] + [(a, b) for i, a in enumerate(free) for b in free[:i]]
    for turned in trials[:REVERSALS]:
        found = make_plan(compile_system(assembly, frozenset(turned)))
        closed = close(found)
        if _off(found.system, closed.parts) <= system.tolerance:
            return found, closed, turned
    return None


def _suspects(plan: Plan, closed: Closed, lengths: Array, turns: Array) -> list[str]:
    """Promises of the components and bodies that do not hold, the least off first."""
    system = plan.system
    off = np.maximum(lengths, turns * system.length)
    wrong = np.flatnonzero(off > system.tolerance)
    chosen: set[int] = set(wrong.tolist())
    touched = set(plan.bodies.of_part[system.ends[wrong]].ravel().tolist())
    for k, c in enumerate(plan.components):
        if k in closed.failed or chosen & set(c.promises):
            chosen |= set(c.promises)
            touched |= {c.root, *c.bodies}
    inner = plan.bodies.inner
    bodies = plan.bodies.of_part[system.ends[inner, 0]] if len(inner) else inner
    chosen |= {int(k) for k, b in zip(inner, bodies, strict=True) if int(b) in touched}
    return [system.promises[k] for k in sorted(chosen, key=lambda k: (off[k], k))]


def diagnose(assembly: Assembly, *, tolerance: float | None = None) -> Solution:
    """Freedoms, free motions, redundant and contradictory mates: the solution, read for its why."""
    return solve(assembly, tolerance=tolerance)


def analyse(assembly: Assembly) -> Analysis:
    """The structure of an assembly: pairs, clusters, components and the plan of the solve."""
    solution = solve(assembly)
    return Analysis(plan_of(assembly), solution)
