"""Which joints can be driven to a value, and which of their coordinates then moves."""

from __future__ import annotations

from collections.abc import Sequence

import assembly_solver as asm
from assembly_solver.freecad import SUPPRESSED

from .held_values import NotDriven, formula_of, property_of
from .live import Live


class WhichCoordinate(asm.AssemblySolverError, ValueError):
    """A value for a joint that can both turn and slide."""

    def __init__(self, label: str, coordinates: Sequence[str]) -> None:
        names = " or ".join(f'"{name}"' for name in coordinates)
        super().__init__(f"{label} can both turn and slide; name the coordinate, {names}")


def value_held(live: Live, label: str) -> str:
    """The property with the prescribed value of a joint; "" where it has none.

    Raises:
        NotDriven: it is switched off, a formula gives the value, or others have its label.
    """
    joint = live.joints.get(label)
    if sum(other is not None and other.Label == label for other in live.joints.values()) > 1:
        raise NotDriven(label, "is the label of several joints, rename one", _drivable(live, label))
    key = "" if joint is None else property_of(joint)
    if key:
        _not_switched_off(live, label)
    if key and (formula := formula_of(joint, key)):
        why = f"takes its {key} from the formula {formula}, change what that reads"
        raise NotDriven(label, why, _drivable(live, label))
    return key


def coordinate_of(live: Live, label: str) -> str | None:
    """The coordinate of a joint that a value applies to; None where there is no such joint.

    Of a joint that turns and slides it is the one that the other joints leave free: the
    displacement of a rod in its barrel, where both are hinged.

    Raises:
        NotDriven: the joint cannot be driven to a value; why.
        WhichCoordinate: both are free, or the joints do not hold, so that it is not known.
    """
    mates, joint = live.assembly.mates, live.joints.get(label)
    _not_switched_off(live, label)
    if joint is None or label not in mates:
        return None
    known = mates[label].coordinates
    if not known:
        why = "has no value, and no one axis to turn about or to slide along"
        if property_of(joint):
            why = "holds its value, and no motion leads it; drive brings it to another one"
        raise NotDriven(label, why, _drivable(live, label))
    moving = known if len(known) == 1 else _moving(live.assembly, label)
    if len(moving) != 1:
        raise WhichCoordinate(label, known)
    return moving[0]


def _moving(assembly: asm.Assembly, joint: str) -> Sequence[str]:
    """The coordinates of a joint that the others leave free; all where the joints do not hold."""
    known = assembly.mates[joint].coordinates
    held = asm.diagnose(assembly)
    if not held:
        return known
    return [name for name in known if _takes_a_freedom(assembly, joint, name, held)]


def _takes_a_freedom(
    assembly: asm.Assembly, joint: str, coordinate: str, held: asm.Solution
) -> bool:
    """Whether locking a coordinate removes a freedom."""
    value = asm.reading(held, assembly.coordinate(joint, coordinate))
    assembly.drive(joint, joint, coordinate, value=value)
    left = asm.diagnose(assembly).dof_left
    assembly.remove_driver(joint)
    return left is None or held.dof_left is None or left < held.dof_left


def _not_switched_off(live: Live, label: str) -> None:
    if label in live.assembly.notes.get(SUPPRESSED, ()):
        raise NotDriven(label, "is switched off", _drivable(live))


def _drivable(live: Live, but: str = "") -> list[str]:
    """Labels of the joints that can be driven to a value."""
    mates = live.assembly.mates
    found = [n for n, joint in live.joints.items() if n in mates and joint is not None and n != but]
    return [n for n in found if mates[n].coordinates or property_of(live.joints[n])]
