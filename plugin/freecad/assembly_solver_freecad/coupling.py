"""Mates of the add-on between joints: gears, belts, racks on their pinions, linear relations.

The selection consists of joints of the document, FreeCAD's or mates that turn or slide; which kinds
fit follows from their coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import assembly_solver as asm
from assembly_solver.freecad import NotUnderstood

from .choosing import COUPLINGS, Choice, orders
from .live import Live, assemblies, read

WORDS: Mapping[str, str] = {
    "gear": "gears: {1} turns {ratio:.6g} times for a turn of {0}",
    "belt": "a belt: {1} turns with {0}, by the radii of their pulleys",
    "rack_and_pinion": "a rack: {1} slides by {radius:.6g} mm times the turn of {0}",
    "linear": "what {1} goes is what {0} goes, by their coefficients",
}


class CoupledJoints(NamedTuple):
    """Selected joints: their assembly, and their names in it, in order."""

    live: Live
    labels: tuple[str, ...]


def joints_of(selection: Sequence[tuple[Any, str]]) -> list[Any]:
    """The joints of a selection; none where it contains elements of parts."""
    found = [_joint_at(root, path) for root, path in selection]
    return [joint for joint in found if joint is not None] if None not in found else []


def _joint_at(root: Any, path: str) -> Any:
    """The joint at a path such as "Joints.Hinge." or "", if there is one."""
    *names, element = path.split(".")
    name = next((n for n in reversed(names) if n), root.Name)
    found = None if element else root.Document.getObject(name)
    return found if hasattr(found, "JointType") or hasattr(found, "MateKind") else None


def coupled(joints: Sequence[Any]) -> CoupledJoints:
    """The assembly of joints, and their names in it.

    Raises:
        NotUnderstood: they are in none, or one neither turns nor slides.
    """
    for root in assemblies(joints[0].Document):
        live = read(root)
        names = {joint.Name: label for label, joint in live.joints.items() if joint is not None}
        if all(joint.Name in names for joint in joints):
            labels = tuple(names[joint.Name] for joint in joints)
            for label in labels:
                _coordinates(live, label)
            return CoupledJoints(live, labels)
    raise NotUnderstood(f"{', '.join(j.Label for j in joints)} are not joints of one assembly")


def _coordinates(live: Live, label: str) -> tuple[str, ...]:
    """The coordinates of a joint that has some."""
    mate = live.assembly.mates.get(label)
    found = () if mate is None else mate.coordinates
    if not found:
        why = "is switched off or cannot be read" if mate is None else "does not turn or slide"
        raise NotUnderstood(f"{label} {why}, so that nothing can be coupled to it")
    return found


def choices(found: CoupledJoints) -> tuple[Choice, ...]:
    """The couplings that fit joints, best first."""
    if len(found.labels) < 2:
        raise NotUnderstood(f"{found.labels[0]} is one joint; a coupling is between two or more")
    return tuple(_fitting(found))


def choice_of(kind: str, found: CoupledJoints) -> Choice:
    """The choice of a coupling of this kind; raises `DoesNotFit` where it does not fit."""
    fits = {choice.kind: choice for choice in choices(found)}
    if kind not in fits:
        these = ", ".join(map(asm.kind_words, fits))
        these = f"these fit: {these}" if fits else "nothing couples them"
        told = f"{asm.kind_words(kind)} has no meaning for {', '.join(found.labels)}"
        raise NotUnderstood(f"{told}; {these}")
    return fits[kind]


def _fitting(found: CoupledJoints) -> Iterator[Choice]:
    """Kinds that the engine accepts for joints."""
    for kind in COUPLINGS:
        parameters = _beginning(kind, found)
        with suppress(asm.AssemblySolverError):
            order = try_out(found, kind, parameters)
            yield Choice(kind, WORDS[kind].format(*order, **parameters), parameters)


def _beginning(kind: str, found: CoupledJoints) -> dict[str, Any]:
    parameters = dict(COUPLINGS[kind])
    if kind == "linear":
        parameters["coordinates"] = tuple(_coordinates(found.live, n)[0] for n in found.labels)
        parameters["coefficients"] = (1.0, *(-1.0 for _ in found.labels[1:]))
    return parameters


def try_out(found: CoupledJoints, kind: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The order of the joints in which the engine accepts a coupling; raises its error if in none.

    Tried on a copy of the assembly; of a rack the joint that turns comes first.
    """
    *others, last = orders(kind, found.labels)
    for order in others:
        with suppress(asm.AssemblySolverError):
            found.live.assembly.copy().mate(kind, joints=list(order), **parameters)
            return order
    found.live.assembly.copy().mate(kind, joints=list(last), **parameters)
    return last


def with_ratio(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a gear with numbers of teeth replaced by their ratio, which is stored."""
    out = dict(parameters)
    teeth, ring = out.pop("teeth", None), out.pop("internal", False)
    if teeth is not None:
        if "ratio" in out or len(teeth) != 2 or not all(z > 0 for z in teeth):
            raise NotUnderstood(f"teeth of a gear are two numbers instead of a ratio, not {teeth}")
        out["ratio"] = teeth[0] / teeth[1] * (1.0 if ring else -1.0)
    return out
