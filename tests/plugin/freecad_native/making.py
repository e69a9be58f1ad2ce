"""Documents with native assemblies, made with FreeCAD's own joints, and what they are off by.

Everything is measured here from placements and joint coordinate systems as FreeCAD has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import acos, degrees
from typing import Any

import FreeCAD
import JointObject
import numpy as np
import Part  # noqa: F401  # registers the types of solids
import UtilsAssembly
from FreeCAD import Placement, Rotation, Vector
from numpy.typing import NDArray

Array = NDArray[np.float64]

PREFERENCES = FreeCAD.ParamGet("User parameter:BaseApp/Preferences/Mod/Assembly")
PREFERENCES.SetBool("SolveInJointCreation", False)
PREFERENCES.SetBool("SolveOnRecompute", False)

NEWER = hasattr(UtilsAssembly, "getComponentReference")
"""FreeCAD 1.1: references begin at the parts, and not at the assembly as in 1.0."""

ANGLE, OFF = ("Angle", ("Suppressed", True)) if NEWER else ("Distance", ("Activated", False))
"""The property with the angle of a joint, and the one that switches a joint off, with its value."""

AWRY = Placement(Vector(12, -9, 13), Rotation(Vector(2, -1, 3), 20))
"""20 mm and 20 degrees away."""


class Bench:
    """A document with one assembly in it."""

    def __init__(self, name: str = "Bench") -> None:
        self.document = FreeCAD.newDocument(name)
        self.document.UndoMode = 1
        self.assembly = self.document.addObject("Assembly::AssemblyObject", "Assembly")
        self.joints = self.assembly.newObject("Assembly::JointGroup", "Joints")

    def box(self, name: str, size: Sequence[float] = (10, 20, 30), inside: Any = None) -> Any:
        found = (inside or self.assembly).newObject("Part::Box", name)
        found.Length, found.Width, found.Height = size
        return found

    def round(self, kind: str, name: str, **sizes: float) -> Any:
        """A solid of revolution: Part::Cylinder, Part::Sphere, Part::Cone, Part::Torus."""
        found = self.assembly.newObject(f"Part::{kind}", name)
        for key, size in sizes.items():
            setattr(found, key, size)
        return found

    def ground(self, part: Any) -> Any:
        found = self.joints.newObject("App::FeaturePython", "GroundedJoint")
        JointObject.GroundedJoint(found, part)
        return found

    def joint(self, kind: str, first: str, second: str, label: str = "", **properties: Any) -> Any:
        """A joint between references such as "Box.Face6 Box.Vertex7"; no part is moved by it.

        FreeCAD brings a part to a joint that is made, sometimes a grounded one.

        Args:
            properties: with an angle as `Distance`, as in FreeCAD 1.0.
        """
        self.document.recompute()
        found = self.joints.newObject("App::FeaturePython", kind)
        JointObject.Joint(found, JointObject.JointTypes.index(kind))
        found.Label = label or kind
        for key, value in properties.items():
            setattr(found, valued(kind) if key == "Distance" else key, value)
        references = [self.reference(words) for words in (first, second)]
        before = {o: o.Placement for o in self.document.Objects if hasattr(o, "Placement")}
        found.Proxy.setJointConnectors(found, references)
        for part, placement in before.items():
            part.Placement = placement
        return found

    def reference(self, words: str) -> list[Any]:
        """A reference "Box.Face6 Box.Vertex7", as FreeCAD writes it."""
        names = words.split()
        paths = names if len(names) == 2 else names * 2
        if not NEWER:
            return [self.assembly, paths]
        found = [
            UtilsAssembly.getComponentReference(self.assembly, self.assembly, p) for p in paths
        ]
        return [found[0][0], [path for _, path in found]]


def valued(kind: str) -> str:
    """The property with the value of a joint."""
    return ANGLE if kind == "Angle" else "Distance"


def numbers(placement: Any) -> tuple[float, ...]:
    """A placement as seven numbers, bit for bit."""
    return (*placement.Base, *placement.Rotation.Q)


def all_numbers(document: Any) -> dict[str, tuple[float, ...]]:
    """All placements of a document, bit for bit."""
    found = [o for o in document.Objects if hasattr(o, "Placement")]
    return {o.Name: numbers(o.Placement) for o in found}


def seen(joint: Any) -> Any:
    """The second coordinate system of a joint as seen from the first."""
    ends = ((joint.Placement1, joint.Reference1), (joint.Placement2, joint.Reference2))
    one, two = (UtilsAssembly.getJcsGlobalPlc(*end) for end in ends)
    return one.inverse().multiply(two)


def tilt(joint: Any) -> float:
    """Sine of the angle between the two z axes."""
    z = seen(joint).Rotation.multVec(Vector(0, 0, 1))
    return float(np.hypot(z.x, z.y))


def between(joint: Any) -> float:
    """Angle between the two z axes, degrees."""
    return degrees(acos(max(-1.0, min(1.0, seen(joint).Rotation.multVec(Vector(0, 0, 1)).z))))


def turned(joint: Any) -> float:
    """How far x is turned about z, degrees."""
    x = seen(joint).Rotation.multVec(Vector(1, 0, 0))
    return degrees(np.arctan2(x.y, x.x))


def _unturned(joint: Any) -> float:
    """How far from a half turn about an axis, or none, the coordinate systems are apart."""
    to = seen(joint).Rotation
    axes = [to.multVec(v) for v in (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))]
    return max(1.0 - abs(axes[k][k]) for k in range(3)) ** 0.5


def _off(joint: Any) -> Iterator[float]:
    kind, base = joint.JointType, seen(joint).Base
    if kind in ("Fixed", "Revolute", "Ball"):
        yield base.Length
    if kind in ("Cylindrical", "Slider"):
        yield float(np.hypot(base.x, base.y))
    if kind in ("Fixed", "Slider"):
        yield _unturned(joint)
    if kind in ("Revolute", "Cylindrical", "Parallel"):
        yield tilt(joint)
    if kind == "Perpendicular":
        yield abs(between(joint) - 90.0)
    if kind == "Angle":
        yield abs(between(joint) - float(getattr(joint, ANGLE)))


def off(joint: Any) -> float:
    """What a joint is off by, mm and share of a unit vector or degrees, the worst of all."""
    return max(_off(joint))
