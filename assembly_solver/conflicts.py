"""Contradictions: the smallest sets of mates that cannot hold together, with numbers.

A set is shown to be contradictory by solving only its own mates from the same start poses, and
shown to be irreducible by solving it without each of its members.  Sets are found by QuickXplain,
which needs about k log(n / k) solves for k guilty mates among n.

Source: Junker 2004, QuickXplain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import degrees
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from .model.assembly import Assembly
from .solver import all_residuals, solve
from .structure.plan import Plan, make_plan
from .system import System, compile_system

Array = NDArray[np.float64]

SECONDS = 10.0
"""Time after which the search stops and says that a set may not be the smallest."""

RESTARTS = 3
"""Disturbed starts from which a set has to fail as well."""


@dataclass(frozen=True)
class Conflict:
    """Mates that cannot hold together.

    Attributes:
        promises: names of mates and drivers; irreducible: whether each of them is needed.
        told: the one whose numbers are told; asked, found: its value and what the others leave,
            in `unit` ("mm" or "deg"); gap: how far off that is, mm.
    """

    promises: tuple[str, ...]
    irreducible: bool
    told: str
    asked: float
    found: float
    unit: str
    gap: float


@dataclass(frozen=True)
class Search:
    """What a search for contradictions came to: the sets, and whether they explain the failure."""

    conflicts: tuple[Conflict, ...]
    explained: bool


def subset(assembly: Assembly, promises: Sequence[str]) -> Assembly:
    """The same parts with only some of the mates and drivers."""
    other = assembly.copy()
    keep = set(promises)
    for name in [n for n in other.mates if n not in keep]:
        other.remove(name, keep_drivers=True)
    for name in other.drivers:
        if name not in keep:
            other.set_driver(name, None)
    return other


def residual_of(system: System, parts: Array) -> tuple[Array, Array]:
    """Largest length (mm) and angle (rad) by which each promise is off."""
    f = all_residuals(system, parts)
    angle = system.table.weight != 1.0
    of = system.promise_of_equation()
    n = len(system.promises)
    lengths = np.sqrt(np.bincount(of, weights=np.where(angle, 0.0, f**2), minlength=n))
    turns = np.sqrt(np.bincount(of, weights=np.where(angle, f**2, 0.0), minlength=n))
    return lengths, turns / system.length


class _Trial:
    """Solves subsets of the promises of an assembly."""

    def __init__(self, assembly: Assembly, reversed_senses: frozenset[str]) -> None:
        self.assembly, self.reversed_senses = assembly, reversed_senses
        self.deadline = perf_counter() + SECONDS
        self.known: dict[frozenset[str], bool] = {}

    def solved(self, promises: Sequence[str]) -> tuple[System, Array, bool]:
        """The best poses for a subset and whether they hold."""
        part = subset(self.assembly, promises)
        system = compile_system(part, self.reversed_senses)
        plan = make_plan(system)
        best = solve(plan).parts
        off = _off(system, best)
        for k in range(RESTARTS if off > system.tolerance else 0):
            parts = solve(_disturbed(plan, k)).parts
            if _off(system, parts) < off:
                best, off = parts, _off(system, parts)
        return system, best, off <= system.tolerance

    def holds(self, promises: Sequence[str]) -> bool:
        key = frozenset(promises)
        if key not in self.known:
            self.known[key] = self.solved(promises)[2]
        return self.known[key]

    @property
    def late(self) -> bool:
        return perf_counter() > self.deadline


def _off(system: System, parts: Array) -> float:
    lengths, turns = residual_of(system, parts)
    return float(max(lengths.max(initial=0.0), turns.max(initial=0.0) * system.length))


def _disturbed(plan: Plan, k: int) -> Plan:
    """The plan of the same mates from starts moved by a fifth of the reach, always the same way."""
    rng = np.random.default_rng(k)
    system = plan.system
    start = system.start.copy()
    free = ~system.grounded
    start[free, :3] += rng.normal(size=(int(free.sum()), 3)) * 0.2 * system.length
    return make_plan(replace(system, start=start))


def find_conflicts(
    assembly: Assembly, suspects: Sequence[str], reversed_senses: frozenset[str] = frozenset()
) -> Search:
    """Disjoint contradictory sets among some mates and drivers.

    Args:
        assembly: read only; suspects: mates and drivers among which to look, the least trusted
            last; reversed_senses: as they were tried in the solve.
    """
    trial = _Trial(assembly, reversed_senses)
    left = list(suspects)
    out: list[Conflict] = []
    while left and not trial.holds(left):
        found = _quick_xplain(trial, [], left, False)
        sure = not trial.late and all(
            trial.holds([n for n in found if n != name]) for name in found
        )
        if not found or trial.holds(found):
            return Search(tuple(out), False)
        out.append(_numbers(trial, found, sure))
        left = [n for n in left if n not in set(found)]
        if trial.late:
            break
    return Search(tuple(out), bool(out))


def _quick_xplain(
    trial: _Trial, background: list[str], suspects: list[str], added: bool
) -> list[str]:
    """The members of `suspects` that a smallest contradiction with `background` needs."""
    if added and (trial.late or not trial.holds(background)):
        return []
    if len(suspects) == 1 or trial.late:
        return suspects
    half = len(suspects) // 2
    first, second = suspects[:half], suspects[half:]
    needed = _quick_xplain(trial, background + first, second, bool(first))
    rest = _quick_xplain(trial, background + needed, first, bool(needed))
    return rest + needed


def _numbers(trial: _Trial, found: list[str], sure: bool) -> Conflict:
    """What one member asks and what the others leave it: of a member with a value if there is."""
    best: tuple[tuple[int, float], Conflict] | None = None
    for name in found:
        others = [n for n in found if n != name]
        _, parts, _ = trial.solved(others)
        system = compile_system(subset(trial.assembly, found), trial.reversed_senses)
        lengths, turns = residual_of(system, parts)
        k = system.promises.index(name)
        asked, value, unit = _value(system, k, parts)
        gap = float(max(lengths[k], turns[k] * system.length))
        told = Conflict(tuple(found), sure, name, asked, value, unit, gap)
        key = (0 if asked else 1, gap)
        if best is None or key < best[0]:
            best = (key, told)
    assert best is not None
    return best[1]


def _value(system: System, k: int, parts: Array) -> tuple[float, float, str]:
    """Asked and found value of the equation of promise k that is most off, and its unit."""
    t = system.table
    first, end = int(system.first_equation[k]), int(system.first_equation[k + 1])
    f = all_residuals(system, parts)[first:end]
    e = first + int(np.argmax(np.abs(f)))
    angle = t.weight[e] != 1.0
    asked = float(t.target[e])
    found = asked + float(f[e - first] / t.weight[e])
    if asked == 0.0:  # off in a plane or about a point: the whole distance is what one would see
        same = t.weight[first:end] == t.weight[e]
        zero = t.target[first:end] == 0.0
        found = float(np.linalg.norm(f[same & zero]) / t.weight[e])
    scale: Callable[[float], float] = degrees if angle else float
    return scale(asked), scale(found), "deg" if angle else "mm"


