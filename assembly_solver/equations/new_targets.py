"""What an edit changed of the equations of an assembly, where it changed values alone.

A system is compiled from parts, mates, drivers, limits and settings.  These are frozen entries, so
that those which an edit left are the same objects; of the others the equations are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import is_

from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.mate import Equation, ResolvedMate, required_sense
from ..model.measures.measure import TILT, TURN
from ..model.part import Part
from .system import System


class _Differs(Exception):
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
    try:
        settings = (before.tolerance, before.floating) == (after.tolerance, after.floating)
        if not settings or not _same_parts(before.parts.values(), after.parts.values()):
            return None
        if not _same(before.limits.values(), after.limits.values()):
            return None
        found = dict(_targets_of_mates(system, before, after))
        mates = bool(found)
        found |= _targets_of_drivers(system, before, after)
    except _Differs:
        return None
    turning = system.bounds is not None and bool(system.bounds.angular.any())
    if found and (system.several or turning or (mates and system.sense_by_residual)):
        return None
    return found


def _same(one: Iterable[object], two: Iterable[object]) -> bool:
    """Whether these are the same objects in the same order."""
    a, b = list(one), list(two)
    return len(a) == len(b) and all(map(is_, a, b))


def _same_parts(one: Iterable[Part], two: Iterable[Part]) -> bool:
    """Whether parts have the same names, features, poses and grounds, in the same order."""
    a, b = list(one), list(two)
    if len(a) != len(b):
        return False
    for p, q in zip(a, b, strict=True) if not all(map(is_, a, b)) else ():
        shared = p.pose is q.pose and p.features is q.features and p.inner is q.inner
        if not shared or (p.name, p.grounded) != (q.name, q.grounded):
            return False
        if p.derived is not q.derived:
            return False
    return True


def _targets_of_mates(
    system: System, before: Assembly, after: Assembly
) -> Iterator[tuple[int, float]]:
    """The targets of mates that differ."""
    a, b = list(before.held.values()), list(after.held.values())
    if len(a) != len(b):
        raise _Differs
    for k, (old, new) in enumerate(zip(a, b, strict=True)) if not all(map(is_, a, b)) else ():
        if old is not new:
            if old.mate.name != new.mate.name or not _same_sense(old, new):
                raise _Differs
            for e, value in _differing(int(system.first_equation[k]), old.equations, new.equations):
                if system.table.kind[system.table.term_measure[e]] in (TILT, TURN):
                    raise _Differs  # parallel directions have target 0
                yield e, value


def _same_sense(old: ResolvedMate, new: ResolvedMate) -> bool:
    """Whether two states of a mate choose its sense alike."""
    return required_sense(old) == required_sense(new) and old.chosen_by == new.chosen_by


def _targets_of_drivers(
    system: System, before: Assembly, after: Assembly
) -> Iterator[tuple[int, float]]:
    """The targets of drivers with a value that differ."""
    a, b = _valued(before), _valued(after)
    if len(a) != len(b):
        raise _Differs
    for k, (old, new) in enumerate(zip(a, b, strict=True)):
        if old is not new:
            if old.name != new.name or type(old) is not type(new) or old.kind != new.kind:
                raise _Differs
            assert old.value is not None and new.value is not None
            first = int(system.first_equation[system.mates + k])
            yield from _differing(first, old.at(old.value), new.at(new.value))


def _valued(assembly: Assembly) -> list[Driver]:
    return [d for d in assembly.drivers.values() if d.value is not None]


def _differing(
    first: int, old: tuple[Equation, ...], new: tuple[Equation, ...]
) -> Iterator[tuple[int, float]]:
    """Equations with another target; raises where their measures differ."""
    if len(old) != len(new):
        raise _Differs
    for e, (one, two) in enumerate(zip(old, new, strict=True), first):
        if one.terms is not two.terms and one.terms != two.terms:
            raise _Differs
        if one.target != two.target:
            if one.target is None or two.target is None:
                raise _Differs
            yield e, two.target
