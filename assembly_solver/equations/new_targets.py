"""What an edit changed of the equations of an assembly, where it changed values alone.

A system is compiled from parts, mates, drivers, limits and settings.  These are frozen entries, so
that those which an edit left are the same objects; of the others the equations are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_

from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.equation_set import EquationForm
from ..model.mate import ResolvedMate, required_sense
from ..model.measures.measure import TILT, TURN
from .system import System


class Differs(Exception):
    """More than values differ."""


def new_targets(system: System, before: Assembly, after: Assembly) -> dict[int, float] | None:
    """Targets of equations, mm or rad, that differ in an assembly after an edit.

    Args:
        system: compiled from `before`, with its own nearest senses and without active limits.

    Returns:
        The targets by equation: with them `system` is that of `after`, equations numbered alike.
        None where more than values may differ, or where other parts of the system were derived from
        these values: turns of coupled or limited angles, senses chosen by how far mates are off.
    """
    settings = (before.tolerance, before.floating) == (after.tolerance, after.floating)
    parts = same_objects(before.parts, after.parts) or _same_parts(before, after)
    if not (settings and parts and same_objects(before.limits, after.limits)):
        return None
    try:
        found: dict[int, float] = {}
        if not same_objects(before.held, after.held):
            for k, old, new in resolved_again(before, after, _same_sense):
                found |= _targets_of_mate(system, k, old, new)
            if found and system.sense_by_residual:
                return None
        if not same_objects(before.drivers, after.drivers):
            found |= _targets_of_drivers(system, before, after)
    except Differs:
        return None
    turning = system.bounds is not None and bool(system.bounds.angular.any())
    return None if found and (system.several or turning) else found


def edited_targets(
    system: System,
    before: Assembly,
    mates: Mapping[str, ResolvedMate],
    drivers: Mapping[str, Driver],
) -> dict[int, float] | None:
    """The same where nothing but these mates and drivers may have other values."""
    if system.several or (system.bounds is not None and system.bounds.angular.any()):
        return None
    found: dict[int, float] = {}
    valued = system.constraints
    try:
        for name, new in mates.items():
            k, old = valued.index(name), before.held[name]
            if system.sense_by_residual or not _same_sense(old, new):
                return None
            found |= _targets_of_mate(system, k, old, new)
        for name, driver in drivers.items():
            k = valued.index(name, system.mates)
            found |= _targets_of_driver(system, k, before.drivers[name], driver)
    except Differs:
        return None
    return found


def same_objects(one: Mapping[str, object], two: Mapping[str, object]) -> bool:
    """Whether these are the same objects in the same order, each under its own name."""
    return len(one) == len(two) and all(map(is_, one.values(), two.values()))


def _same_parts(before: Assembly, after: Assembly) -> bool:
    """Whether parts have the same names, features, poses and grounds, in the same order."""
    if len(before.parts) != len(after.parts):
        return False
    for p, q in zip(before.parts.values(), after.parts.values(), strict=True):
        shared = p.pose is q.pose and p.features is q.features and p.inner is q.inner
        if not shared or p.derived is not q.derived:
            return False
        if (p.name, p.grounded) != (q.name, q.grounded):
            return False
    return True


def _targets_of_mate(
    system: System, k: int, old: ResolvedMate, new: ResolvedMate
) -> dict[int, float]:
    """The targets of mate k that differ."""
    one, two = old.written, new.written
    if one == two:
        return {}
    if one.markers != two.markers or _untargeted(one.form) != _untargeted(two.form):
        raise Differs
    found = _differing(int(system.first_equation[k]), one.form.target, two.form.target)
    t = system.table
    if any(t.kind[t.term_measure[e]] in (TILT, TURN) for e in found):
        raise Differs  # parallel directions have target 0
    return found


def _untargeted(form: EquationForm) -> tuple[object, ...]:
    """All of a form but its targets."""
    markers, terms, _, coefficient, measure, data = form
    return markers, terms, coefficient, measure, data


def resolved_again(
    before: Assembly, after: Assembly, same_sense: Callable[[ResolvedMate, ResolvedMate], bool]
) -> Iterator[tuple[int, ResolvedMate, ResolvedMate]]:
    """The mates that an edit resolved again, by number, before and after it.

    Raises:
        Differs: they are other mates, or one chooses its sense otherwise.
    """
    if len(before.held) != len(after.held):
        raise Differs
    both = zip(before.held.values(), after.held.values(), strict=True)
    for k, (old, new) in enumerate(both):
        if old is not new:
            if old.mate.name != new.mate.name or not same_sense(old, new):
                raise Differs
            yield k, old, new


def _same_sense(old: ResolvedMate, new: ResolvedMate) -> bool:
    """Whether two states of a mate choose its sense alike."""
    return required_sense(old.mate) == required_sense(new.mate) and old.chosen_by == new.chosen_by


def _targets_of_drivers(
    system: System, before: Assembly, after: Assembly
) -> Iterator[tuple[int, float]]:
    """The targets of drivers with a value that differ."""
    a, b = valued_drivers(before), valued_drivers(after)
    if len(a) != len(b):
        raise Differs
    for k, (old, new) in enumerate(zip(a, b, strict=True)):
        if old is not new:
            if old.name != new.name or type(old) is not type(new) or old.kind != new.kind:
                raise Differs
            yield from _targets_of_driver(system, system.mates + k, old, new).items()


def _targets_of_driver(system: System, k: int, old: Driver, new: Driver) -> dict[int, float]:
    """The targets of constraint k, a driver, that differ."""
    if old.equation is new.equation and old.value == new.value:
        return {}
    assert old.value is not None and new.value is not None
    first, end = system.first_equation[k : k + 2].tolist()
    two = new.at(new.value)
    if old.equation is new.equation and len(two) == end - first == 1:
        target = two[0].target  # one equation is that of the quantity itself, before as well
        assert target is not None
        return {first: target}
    one = old.at(old.value)
    if len(one) != len(two):
        raise Differs
    found: dict[int, float] = {}
    for e, (x, y) in enumerate(zip(one, two, strict=True), first):
        if x.terms != y.terms or y.target is None:
            raise Differs
        if x.target != y.target:
            found[e] = y.target
    return found


def valued_drivers(assembly: Assembly) -> list[Driver]:
    """The drivers that have a value."""
    return [d for d in assembly.drivers.values() if d.value is not None]


def _differing(
    first: int, old: Sequence[float | None], new: Sequence[float | None]
) -> dict[int, float]:
    """The targets of equations that differ; raises where one is that of the start poses."""
    found: dict[int, float] = {}
    for e, (one, two) in enumerate(zip(old, new, strict=True), first):
        if one != two:
            if one is None or two is None:
                raise Differs
            found[e] = two
    return found
