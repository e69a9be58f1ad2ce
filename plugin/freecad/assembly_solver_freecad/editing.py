"""Joints and mates that are there: what they join, switched off, and turned over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import assembly_solver as asm
from assembly_solver.freecad import Link, NotUnderstood

from .live import Live, assemblies, read, step
from .mate_elements import JOINTS
from .waiting import unsolved

SWITCHES = (("Suppressed", True), ("Activated", False))
"""Properties that switch a joint off, each with its value then; FreeCAD 1.0 has the second."""

REFERENCES = ("App::PropertyLinkSub", "App::PropertyXLinkSub")
"""Types of properties that refer to elements of shapes; there are variants with longer names."""

SENSE = "Sense"
"""Property with the sense of a mate."""


def is_joint(thing: Any) -> bool:
    """Whether an object is a joint or a mate."""
    return hasattr(thing, "JointType") or hasattr(thing, "MateKind")


def suppressed(joint: Any) -> bool:
    """Whether a joint or mate is switched off."""
    return any(getattr(joint, key, not off) == off for key, off in SWITCHES)


def suppress(joint: Any, yes: bool = True) -> None:
    """Switch a joint or a mate off, or on again; one undo step.  Nothing is moved.

    Raises:
        NotUnderstood: it is no joint or mate.
    """
    key, off = next(((k, o) for k, o in SWITCHES if hasattr(joint, k)), ("", False))
    if not key:
        raise NotUnderstood(f"{joint.Label} is no joint and no mate")
    words = "Switch off" if yes else "Switch on"
    with step(joint.Document, f"{words} {joint.Label}"), unsolved():
        setattr(joint, key, off if yes else not off)


def flip(joint: Any) -> None:
    """Turn a joint or a mate over, so that faces look the other way, and solve; one undo step.

    A joint of FreeCAD has no sense of its own: the part that FreeCAD would turn over is turned.

    Raises:
        NotUnderstood: it has no sense, or is in no assembly that is read.
        Unsolved: the others do not let it; with the diagnosis, and nothing is changed.
    """
    of = _assembly_with(joint)
    with step(joint.Document, f"Flip {joint.Label}"):
        if hasattr(joint, "JointType"):
            with unsolved():
                joint.Proxy.flipOnePart(joint)
        elif hasattr(joint, SENSE):
            was, joint.Sense = joint.Sense, "aligned"
            if was == "aligned" or (was == "nearest" and not _turns_over(read(of))):
                joint.Sense = "opposed"
        else:
            raise NotUnderstood(f"{joint.Label} has no sense that could be flipped")
        live = read(of)
        live.move(asm.solve(live.assembly).require().poses)


def _assembly_with(joint: Any) -> Any:
    """The assembly that a joint belongs to."""
    for of in assemblies(joint.Document):
        if joint in read(of).joints.values():
            return of
    raise NotUnderstood(f"{joint.Label} is in no assembly of {joint.Document.Label}")


def _turns_over(live: Live) -> bool:
    """Whether a solve would turn a part by more than a right angle."""
    poses, parts = asm.solve(live.assembly).poses, live.assembly.parts
    traces = (np.trace(parts[n].pose.rotation.T @ pose.rotation) for n, pose in poses.items())
    return any(trace < 1.0 for trace in traces)


def title(live: Live, name: str) -> str:
    """What a joint or a mate joins and its label, as "Base - Boom (Revolute001)".

    Args:
        name: of the joint in the assembly.
    """
    parts = [*dict.fromkeys(_joined(live, live.joints[name]))]
    known = all(part in name for part in parts)
    return name if known else f"{' - '.join(parts)} ({name})"


def _joined(live: Live, joint: Any) -> Iterator[str]:
    """The names of the parts of a joint; of one between joints, their labels."""
    names = {part.Name: name for name, part in live.parts.items()}
    for other in getattr(joint, JOINTS, ()):
        yield other.Label
    for root, path in elements(joint):
        try:
            yield names[live.tree.spot(Link("", root.Name, path)).part]
        except (asm.AssemblySolverError, KeyError):
            continue  # what it refers to is gone: its label has to do


def elements(joint: Any) -> Iterator[tuple[Any, str]]:
    """The elements of a joint: the object at which the path begins, and the path."""
    for name in joint.PropertiesList:
        if not joint.getTypeIdOfProperty(name).startswith(REFERENCES):
            continue
        value = getattr(joint, name)
        if value and value[0] is not None and value[1]:
            paths = value[1] if isinstance(value[1], (list, tuple)) else [value[1]]
            yield value[0], paths[0]
