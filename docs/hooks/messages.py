"""The index of errors: each with an example of its words, its cause and the way out."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import sentences

from assembly_solver import errors
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.freecad.parts import BrokenReference
from assembly_solver.studies.groups import OtherWorker
from assembly_solver.studies.store import OtherStudy


class Way(NamedTuple):
    """An error by the name of its class, as it may come, and what to do about it."""

    name: str
    example: str
    out: str


def _of(error: AssemblySolverError, out: str) -> Way:
    return Way(type(error).__name__, str(error), out)


WAYS = [
    _of(
        errors.UnknownName("feature", "pinn", ["pin", "seat"], "mates.hinge.a", "part 'frame'"),
        "Take one of the names that it knows.",
    ),
    _of(
        errors.AmbiguousKind("axis", ("coaxial (on one line)", "parallel (in one direction)")),
        "Say which is meant by its name here: see [all kinds](kinds.md).",
    ),
    _of(
        errors.BadCall("limit", ["minimum"], ["joint", "min", "max"], ""),
        "Take one of the arguments that it lists.",
    ),
    _of(
        errors.UnknownMode("up", ["+", "-"]),
        "Take one that `analyse` or `asm.modes` lists: see [assembly modes](modes.md).",
    ),
    _of(
        errors.DuplicateName("mate", "hinge", "mates[1]"),
        "Give it another name, or leave the name out: one is made.",
    ),
    _of(
        errors.BadValue("mates.x.value", 270, 'an angle of 0 to 180 degrees (or "about")'),
        "Give what it must be; lengths are mm, angles degrees.",
    ),
    _of(
        errors.NotARotation("poses.lid", 0.02, 0.001, False),
        "Give a quaternion `[w, x, y, z]`, or a matrix of unit vectors at right angles.",
    ),
    _of(
        errors.BadExpression("parameters.foot", "=3*a", 4, "no name 'a'; known: arm, e, pi"),
        "Mend it at that column: see [what formulas know](parameters.md#what-formulas-know).",
    ),
    _of(
        errors.NotFinite("drivers.motor.law", "1/t", "value", " at t = 0 s"),
        "Change the formula, or begin the sweep where it has a value.",
    ),
    _of(
        errors.FeatureTypeError("coaxial", "mates.pin.a", "lid.top", "Plane", ["Axis", "Frame"]),
        "Take a feature of such a type, or another kind: [each](kinds.md) has a table.",
    ),
    _of(errors.NotEdited(), "Call the method that it names."),
    _of(
        errors.SelfMate("hinge", "door", "mates[0]"),
        "Name a feature of another part; two features of one part cannot move against each other.",
    ),
    _of(errors.Contradiction("drivers.motor", "value", "law"), "Leave one of both out."),
    _of(
        errors.FormatError("line 1, column 47", "this is not JSON: Expecting ':' delimiter"),
        "Mend the file at that place; `assembly-solver schema` is what an editor can check it by.",
    ),
    _of(
        errors.NotUnderstood("its radius is 0 mm"),
        "The joint is named with this reason: mend it where it was made, or add `--keep-going`.",
    ),
    _of(errors.MissingExtra("cadquery", "writing .step"), "Install what it says."),
    _of(
        errors.NoGeometry("door", "door.step"),
        'Give a part a `"geometry"` file, a `.step`, or write `.assembly.json`.',
    ),
    _of(errors.NoShape("door", "mates.pin.a"), "Give it geometry, or a feature with numbers."),
    _of(
        errors.Unsolved(
            "lid hinge, lid stop and lid prop cannot hold together: ...", "conflicting"
        ),
        "See [when mates contradict each other](contradictions.md); `solve` without `require()` "
        "does not raise.",
    ),
    _of(errors.MissingKey("mates.stop", "angle", "value"), "Give the key."),
    _of(errors.MissingFile("dor.assembly.json", ["door.assembly.json"]), "Mend the name."),
    _of(
        errors.UnknownSuffix(
            "door.obj", "files are written", [".assembly.json", ".FCStd", ".step", ".stp", ".glb"]
        ),
        "Take one of the suffixes: see [files of other programs](other_formats.md).",
    ),
    _of(errors.AlreadyThere("hinge.assembly.json"), "Move the file away, or add `--force`."),
    _of(
        errors.DoesNotStand("parts.arm", "'arm.assembly.json'", "hinge", 2.5),
        "Do one of the two things that it says: see [sub-assemblies](subassemblies.md).",
    ),
    _of(
        errors.NotDriven(["C", "D"], ["crank"]),
        "A planar linkage is computed from its inputs: drive as many joints as it has freedoms.",
    ),
    _of(errors.Overdriven("rocker", ["crank", "rocker"]), "Leave one of the inputs out."),
    _of(
        errors.SlotOutOfReach("guide", "Q", "E", 140, 0, 130),
        "Draw the pin between the ends of its slot, or give the slot other ends.",
    ),
    _of(
        errors.FreeInNoJoint(["ball"]),
        "Give the part a joint whose coordinate can be held, or a driver; or remove it.",
    ),
    _of(errors.NothingToUndo(), "Nothing has to be undone."),
    _of(
        errors.NoLinkage("stewart_platform", "its drivers move nothing in a plane"),
        "Use [`sweep`](motion.md) for what moves in space; `linkage` is for what moves in a plane.",
    ),
    _of(
        BrokenReference("'Box' is attached to another object"),
        "As of NotUnderstood: the joint is named, with this reason.",
    ),
    _of(
        OtherStudy(Path("clutch.parts")),
        "Keep them by another `-o`, or remove what is named: see [studies](study.md).",
    ),
    _of(OtherWorker("version 0.1.0", "version 0.2.0"), "Install the same version on all workers."),
    Way(
        "asf.NotHeld",
        "nothing was moved, for these joints cannot be held: Lid: what it referred to is gone; "
        "deactivate or suppress them to move the others",
        "Mend the joint, or do what it says.",
    ),
    Way(
        "asf.NotDriven",
        "Seat neither turns nor slides; these can be driven: Hinge, Slider",
        "Drive one that it names.",
    ),
    Way(
        "asf.WhichCoordinate",
        'Pin can both turn and slide; name the coordinate, "angle" or "length"',
        'Say which: `asf.drive(doc, "Pin", 30, "angle")`.',
    ),
    Way(
        "asf.DoesNotFit",
        "gear has no meaning for a plane of Lid, a plane of Box; these fit: coplanar, parallel",
        "Take a kind that fits, or other elements; `asf.choices` lists all.",
    ),
    Way(
        "asf.Lost",
        "Face7 of Gate is gone; choose another element, or delete the mate",
        "Select another element, and press *Choose again*, or `asf.rechoose(mate, selection)`.",
    ),
    Way(
        "asf.JointGone",
        "position open: Hinge is not there any more; keep the position again",
        "Bring the assembly there, and keep it again.",
    ),
    Way("asf.CancelledError", "The analysis was cancelled.", "Nothing has to be done."),
]

ABOUT = """Each is a subclass of `asm.AssemblySolverError`; a command ends with status 2 on one.
What stands before the first colon is the place in the file. Those of `asf` are raised in
[FreeCAD](../plugin/freecad/README.md). [Messages](messages.md) has what is no error."""


def page() -> str:
    """The page of all errors, with all that is said in those that say many things."""
    told = ["# Errors", ABOUT]
    for way in WAYS:
        told += [
            f"## {way.name}",
            f"```text\n{way.example}\n```",
            f"*Cause:* {ast.get_docstring(sentences.errors()[way.name])}",
            f"*Way out:* {way.out}",
        ]
        said = sentences.wordings()[way.name]
        if len(said) > 9:
            lines = "".join(f"    - `{text}`\n" for text in said)
            told += [f'??? note "All that it may say, {len(said)} things"\n\n{lines}']
    return "\n\n".join(told) + "\n"
