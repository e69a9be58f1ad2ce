"""The add-on's mates of a document, added to the engine's assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import assembly_solver as asm
from assembly_solver.freecad import LEFT_OUT, SUPPRESSED, Made, NotUnderstood, Thing, Tree

from .choosing import choice_of, orders, roles_of, told, turned
from .document import Asked, asked_of, object_of, when_placed
from .mate_elements import JOINTS, elements_of, update
from .places import PartElement, folders
from .properties import limits_of, parameters_of


def with_mates(tree: Tree, made: Made) -> Made:
    """An assembly with the add-on's mates of its document, their limits and grounded parts.

    Mates that are suppressed or cannot be read are listed in its notes, as joints are.
    """
    things = tree.document.things.items()
    found = {n: t for n, t in things if t.has("MateKind") and n in tree.members}
    objects = dict(made.joints)
    for name, thing in sorted(found.items(), key=lambda pair: pair[1].has(JOINTS)):
        label = thing.label if thing.label not in objects else f"{thing.label} ({name})"
        if thing.has(JOINTS):
            _couple(thing, label, objects, made.assembly)
        else:
            _enter(thing, label, tree, made)
        objects[label] = name
    names = {name: part for part, name in made.parts.items()}
    for folder in folders(tree):
        for part in folder.Grounded:
            if part.Name in names:
                made.assembly.ground(names[part.Name])
            else:
                reason = f"{part.Label} is grounded and is no part of it any more"
                _note(made.assembly, f"{folder.Label}: {part.Label}", reason)
    return made._replace(joints=objects)


def _enter(thing: Thing, label: str, tree: Tree, made: Made) -> None:
    """Add a mate to an assembly, or the reason why not to its notes."""
    assembly, mate = made.assembly, object_of(thing)
    if mate.Suppressed:
        assembly.notes[SUPPRESSED] = [*assembly.notes.get(SUPPRESSED, []), label]
        return
    try:
        elements = elements_of(mate, tree)
        _add(mate, label, elements, made, asked_of(thing))
        when_placed(thing, "ElementMarks", partial(update, mate, elements))
    except asm.AssemblySolverError as error:
        _note(assembly, label, str(error))


def _couple(thing: Thing, label: str, objects: Mapping[str, str], assembly: asm.Assembly) -> None:
    """Add a mate between existing joints, or the reason why not to the notes."""
    mate, labels = object_of(thing), {name: label for label, name in objects.items()}
    if mate.Suppressed:
        assembly.notes[SUPPRESSED] = [*assembly.notes.get(SUPPRESSED, []), label]
        return
    try:
        joints = [labels.get(j.Name, j.Label) for j in getattr(mate, JOINTS)]
        if len(joints) < 2:
            raise NotUnderstood("a joint that it coupled is deleted; delete the coupling too")
        if gone := [name for name in joints if name not in assembly.mates]:
            raise NotUnderstood(f"{', '.join(gone)}, which it couples, does not hold here")
        _couple_in_order(assembly, label, joints, str(mate.MateKind), parameters_of(mate))
    except asm.AssemblySolverError as error:
        _note(assembly, label, str(error))


def _couple_in_order(
    assembly: asm.Assembly, label: str, joints: Sequence[str], kind: str, told_: Mapping[str, Any]
) -> None:
    """Couple joints in the first order that the engine accepts: of a rack the pinion first."""
    *others, last = orders(kind, joints)
    for order in others:
        with suppress(asm.AssemblySolverError):
            assembly.mate(kind, name=label, joints=list(order), **told_)
            return
    assembly.mate(kind, name=label, joints=list(last), **told_)


def _note(assembly: asm.Assembly, label: str, reason: str) -> None:
    assembly.notes[LEFT_OUT] = {**assembly.notes.get(LEFT_OUT, {}), label: reason}


def _add(
    mate: Any, label: str, elements: Sequence[PartElement], made: Made, asked: Asked | None
) -> None:
    """Add a mate with its features and limits."""
    kind, parameters = str(mate.MateKind), parameters_of(mate, asked)
    names = {name: part for part, name in made.parts.items()}
    add_mate(made.assembly, names, kind, label, elements, parameters)
    for coordinate, bounds in limits_of(mate).items():
        made.assembly.limit(label, coordinate, **bounds)


def add_mate(
    assembly: asm.Assembly,
    names: Mapping[str, str],
    kind: str,
    label: str,
    elements: Sequence[PartElement],
    parameters: Mapping[str, Any],
) -> None:
    """Add a mate with its features to an assembly.

    Args:
        names: of the parts in the assembly, by the names of their objects.
    """
    chosen = [e.chosen for e in elements]
    roles = roles_of(kind, chosen)
    if not roles:
        choice_of(kind, chosen)  # raises what fits instead
    features = {name: role.feature for name, role in roles.items()}
    ends = [(features[k], chosen[roles[k].number].pose) for k in ("a", "b")]
    features["b"] = turned(kind, parameters.get("sense", "nearest"), *ends)
    refs: dict[str, Any] = {
        name: _refer(
            assembly, names[elements[role.number].part], elements[role.number].name, features[name]
        )
        for name, role in roles.items()
    }
    assembly.mate(kind, name=label, **refs, **told(kind, parameters))


def _refer(assembly: asm.Assembly, part: str, name: str, feature: asm.Feature) -> tuple[str, str]:
    """A reference to a feature of a part, which is added if missing."""
    known: Mapping[str, asm.Feature] = assembly.part(part).features
    tries = [name, f"{name} ({type(feature).__name__.lower()})"]
    tries += [f"{tries[1][:-1]} {count})" for count in range(2, len(known) + 3)]
    free = next(t for t in tries if known.get(t, feature) == feature)
    if free not in known:
        assembly.add_features(part, {free: feature})
    return part, free
