"""Joints with a prescribed value: Distance and Angle joints, mates with a value or an offset.

The value is a property of the joint in the document: such a joint is driven by changing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import assembly_solver as asm

from .document import Asked
from .properties import property_of_value
from .waiting import unsolved

NATIVE: Mapping[str, tuple[str, ...]] = {"Distance": ("Distance",), "Angle": ("Angle", "Distance")}
"""Properties with the value of FreeCAD's own joints by type; newer versions name an angle Angle."""


class NotDriven(asm.AssemblySolverError, ValueError):
    """A joint that cannot be driven to a value; the message says why, and which ones can."""

    def __init__(self, label: str, why: str, known: Iterable[str]) -> None:
        names = ", ".join(known)
        these = f"these can be driven: {names}" if names else "no joint here can be driven"
        super().__init__(f"{label} {why}; {these}")


def property_of(joint: Any) -> str:
    """The property with the value of a joint or a mate; "" where it has none."""
    if hasattr(joint, "MateKind"):
        return property_of_value(str(joint.MateKind))
    names = NATIVE.get(str(getattr(joint, "JointType", "")), ())
    return next((name for name in names if hasattr(joint, name)), "")


def formula_of(joint: Any, key: str) -> str:
    """The formula that gives a property its value; "" where it has none."""
    return next((text for path, text in joint.ExpressionEngine if path.strip(".") == key), "")


def write(values: Mapping[Any, Asked]) -> None:
    """Change the values of joints and mates, with FreeCAD's own solving suspended."""
    with unsolved():
        for joint, (key, value) in values.items():
            now = getattr(joint, key)
            if float(getattr(now, "Value", now)) != value:
                setattr(joint, key, value)
