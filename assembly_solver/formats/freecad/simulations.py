"""Simulations of FreeCAD 1.1: motions of joints by formulas of time, as drivers with laws.

A simulation is in a group of the assembly and lists motions.  A motion has a joint, the coordinate
that it prescribes, and a formula in OndselSolver's language, in which `initialValue` is the present
value of the coordinate; angles are in radians.

Source: the source code of FreeCAD's Assembly workbench (CommandCreateSimulation.py,
AssemblyObject.cpp, AssemblyUtils.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import atan2
from typing import Any

from ...errors import AssemblySolverError, NotUnderstood
from ...model.assembly import Assembly
from .. import LEFT_OUT, simulated
from ..asmt.functions import law
from .joints import ends
from .parts import ASSEMBLY, GROUPS, Tree
from .records import Document, Thing

FOLDERS = ("Assembly::SimulationGroup", *GROUPS)
TYPES = ("Angular", "Linear")
COORDINATES = {"Angular": ("angle", "degrees({})"), "Linear": ("length", "{}")}
"""By type of a motion: the coordinate, and the conversion of its formula to mm or degrees."""

TIMES = ("aTimeStart", "bTimeEnd", "cTimeStepOutput")
"""Properties of a simulation: first time, last time and time step, s."""

HERE = "initialValue"
"""Word of a formula for the present value of the coordinate, mm or rad."""


def simulations_in(document: Document, assembly: str) -> Iterator[Thing]:
    """The simulations of an assembly."""
    things = document.things
    for link in things[assembly].links("Group"):
        if link.name in things and things[link.name].type in FOLDERS:
            inner = (things.get(n.name) for n in things[link.name].links("Group"))
            yield from (t for t in inner if t is not None and t.has(TIMES[0]))


def simulation_named(document: Document, choice: str) -> tuple[Thing, Thing] | None:
    """The one simulation of a name or label, with its assembly; an assembly of it goes first."""
    assemblies = [thing for thing in document.things.values() if thing.type == ASSEMBLY]
    if any(choice in (thing.name, thing.label) for thing in assemblies):
        return None
    every = [(s, owner) for owner in assemblies for s in simulations_in(document, owner.name)]
    found = [pair for pair in every if choice in (pair[0].name, pair[0].label)]
    exact = [pair for pair in found if pair[0].name == choice] or found
    return exact[0] if len(exact) == 1 else None


def add_motions(
    tree: Tree, assembly: Assembly, joints: Mapping[str, str], simulation: Thing
) -> None:
    """Add the motions of a simulation to an assembly as drivers, and its span of time as a note.

    Unsupported motions are named, with the reason, in the note `LEFT_OUT`.

    Args:
        tree: of the assembly; joints: names of objects by name of the mate.
    """
    left_out = {}
    simulated.note_span(assembly, *(simulation.number(key) for key in TIMES))
    for link in simulation.links("Group"):
        motion = tree.document.things.get(link.name)
        if motion is None or not motion.has("MotionType"):
            continue
        name = motion.label if motion.label not in assembly.drivers else motion.name
        try:
            assembly.drive(name, **_driver(tree, assembly, joints, motion))
        except AssemblySolverError as error:
            left_out[name] = str(error)
    if left_out:
        assembly.notes[LEFT_OUT] = {**assembly.notes.get(LEFT_OUT, {}), **left_out}


def _driver(
    tree: Tree, assembly: Assembly, joints: Mapping[str, str], motion: Thing
) -> dict[str, Any]:
    """The arguments of `Assembly.drive` for a motion."""
    links = motion.links("Joint")
    labels = [label for label, name in joints.items() if links and name == links[0].name]
    if not labels:
        raise NotUnderstood("it moves no joint of this assembly")
    if labels[0] not in assembly.mates:
        raise NotUnderstood(f"{labels[0]}, which it moves, does not hold here")
    formula = motion.text("Formula")
    if not formula.strip():
        raise NotUnderstood("it has no formula")
    coordinate, unit = COORDINATES[motion.choice("MotionType", TYPES)]
    if HERE in formula:
        value = _value(tree, tree.joints[links[0].name], coordinate)
        formula = formula.replace(HERE, f"({value!r})")
    return {"joint": labels[0], "coordinate": coordinate, "law": law(formula, unit)}


def _value(tree: Tree, joint: Thing, coordinate: str) -> float:
    """The value of a joint: displacement along z of its first frame, mm, or angle about it, rad."""
    first, second = (tree.pose(end.spot.part) @ end.frame for end in ends(tree, joint))
    relative = first.to(second)
    if coordinate == "length":
        return float(relative.position[2])
    return atan2(relative.rotation[1, 0], relative.rotation[0, 0])
