"""The index of errors: each with an example of its words, its cause and the way out."""

from __future__ import annotations

import inspect
from typing import NamedTuple

from assembly_solver import errors
from assembly_solver.errors import AssemblySolverError


class Way(NamedTuple):
    """An error as it may come, and what to do about it."""

    example: AssemblySolverError
    out: str


WAYS = [
    Way(
        errors.UnknownName("feature", "pinn", ["pin", "seat"], "mates.hinge.a", "part 'frame'"),
        "Take one of the names that it knows.",
    ),
    Way(
        errors.AmbiguousKind("axis", ("coaxial (on one line)", "parallel (in one direction)")),
        "Say which is meant by its name here: see [all kinds](kinds.md).",
    ),
    Way(
        errors.UnknownMode("up", ["+", "-"]),
        "Take one that `analyse` or `asm.modes` lists: see [assembly modes](modes.md).",
    ),
    Way(
        errors.DuplicateName("mate", "hinge", "mates[1]"),
        "Give it another name, or leave the name out: one is made.",
    ),
    Way(
        errors.BadValue("mates.x.value", 270, 'an angle of 0 to 180 degrees (or "about")'),
        "Give what it must be; lengths are mm, angles degrees.",
    ),
    Way(
        errors.NotARotation("poses.lid", 0.02, 0.001, False),
        "Give a quaternion `[w, x, y, z]`, or a matrix of unit vectors at right angles.",
    ),
    Way(
        errors.BadExpression("parameters.foot", "=3*a", 4, "no name 'a'; known: arm, e, pi"),
        "Mend it at that column: see [what formulas know](parameters.md#what-formulas-know).",
    ),
    Way(
        errors.NotFinite("drivers.motor.law", "1/t", "value", " at t = 0 s"),
        "Change the formula, or begin the sweep where it has a value.",
    ),
    Way(
        errors.FeatureTypeError("coaxial", "mates.pin.a", "lid.top", "Plane", ["Axis", "Frame"]),
        "Take a feature of such a type, or another kind: [each](kinds.md) has a table.",
    ),
    Way(errors.NotEdited(), "Call the method that it names."),
    Way(
        errors.SelfMate("hinge", "door", "mates[0]"),
        "Name a feature of another part; two features of one part cannot move against each other.",
    ),
    Way(errors.Contradiction("drivers.motor", "value", "law"), "Leave one of both out."),
    Way(
        errors.FormatError("line 1, column 47", "this is not JSON: Expecting ':' delimiter"),
        "Mend the file at that place; `assembly-solver schema` is what an editor can check it by.",
    ),
    Way(
        errors.NotUnderstood("its radius is 0 mm"),
        "The joint is named with this reason: mend it where it was made, or add `--keep-going`.",
    ),
    Way(errors.MissingExtra("cadquery", "writing .step"), "Install what it says."),
    Way(
        errors.NoGeometry("door", "door.step"),
        'Give a part a `"geometry"` file, a `.step`, or write `.assembly.json`.',
    ),
    Way(errors.NoShape("door", "mates.pin.a"), "Give it geometry, or a feature with numbers."),
    Way(
        errors.Unsolved("lid hinge, lid stop and lid prop cannot hold together: ..."),
        "See [when mates contradict each other](contradictions.md); `solve` without `require()` "
        "does not raise.",
    ),
    Way(errors.MissingKey("mates.stop", "angle", "value"), "Give the key."),
    Way(errors.MissingFile("dor.assembly.json", ["door.assembly.json"]), "Mend the name."),
    Way(
        errors.UnknownSuffix(
            "door.obj", "files are written", [".assembly.json", ".FCStd", ".step", ".stp", ".glb"]
        ),
        "Take one of the suffixes: see [files of other programs](other_formats.md).",
    ),
    Way(errors.AlreadyThere("hinge.assembly.json"), "Move the file away, or add `--force`."),
    Way(
        errors.DoesNotStand("parts.arm", "'arm.assembly.json'", "hinge", 2.5),
        "Do one of the two things that it says: see [sub-assemblies](subassemblies.md).",
    ),
    Way(
        errors.NotDriven(["C", "D"], ["crank"]),
        "A planar linkage is computed from its inputs: drive as many joints as it has freedoms.",
    ),
    Way(errors.Overdriven("rocker", ["crank", "rocker"]), "Leave one of the inputs out."),
    Way(
        errors.SlotOutOfReach("guide", "Q", "E", 140, 0, 130),
        "Draw the pin between the ends of its slot, or give the slot other ends.",
    ),
    Way(
        errors.FreeInNoJoint(["ball"]),
        "Give the part a joint whose coordinate can be held, or a driver; or remove it.",
    ),
    Way(errors.NothingToUndo(), "Nothing has to be undone."),
    Way(
        errors.NoLinkage("stewart_platform", "its drivers move nothing in a plane"),
        "Use [`sweep`](motion.md) for what moves in space; `linkage` is for what moves in a plane.",
    ),
]

ABOUT = """Each is a subclass of `asm.AssemblySolverError`; a command ends with status 2 on one.
What stands before the first colon is the place in the file. [Messages](messages.md) has what is no
error."""


def page() -> str:
    """The page of all errors."""
    told = ["# Errors", ABOUT]
    for way in WAYS:
        cause = inspect.getdoc(type(way.example)) or ""
        told += [
            f"## {type(way.example).__name__}",
            f"```text\n{way.example}\n```",
            f"*Cause:* {cause}",
            f"*Way out:* {way.out}",
        ]
    return "\n\n".join(told) + "\n"
