"""Names of the joints of a loop, from their mates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...structure.joints import JointTable, Pin, Slide
from ...structure.plan import Plan

TURNING = ("revolute", "coaxial", "cylindrical", "spherical", "universal")
"""Kinds of mates preferred for the name of a pin."""


def pin_name(plan: Plan, joints: JointTable, pin: Pin | Slide, prefer: Iterable[int] = ()) -> str:
    """Name of the mate of a pin: preferably of a kind in `TURNING`, between preferred bodies."""
    return min(_names(plan, joints, pin, set(prefer)), default=(0, 0, 0, ""))[-1]


def _names(
    plan: Plan, joints: JointTable, pin: Pin | Slide, prefer: set[int]
) -> Iterable[tuple[int, int, int, str]]:
    pairs, system = plan.bodies.pairs, plan.system
    for p in joints.component.pairs:
        a, b = (int(v) for v in pairs.bodies[p])
        if a not in pin.at or b not in pin.at:
            continue
        frame = pairs.frame_a[p]
        off = pin.at[a] - frame[:3]
        if isinstance(pin, Pin):
            off = off - (off @ frame[9:12]) * frame[9:12]
        if float(np.abs(off).max()) > system.same_place:
            continue
        for k in plan.bodies.constraints[p].tolist():
            turns = system.kinds[k] in TURNING
            yield -len(prefer & {a, b}), int(not turns), k, system.constraints[k]


def member_name(plan: Plan, loops: Iterable[JointTable], member: int) -> str:
    """A body's first part, grounded if any; for a link without a body its driver or mate."""
    system = plan.system
    if member < 0:
        equation = next(j.equation_of_link[member] for j in loops if member in j.equation_of_link)
        return system.constraints[int(system.constraint_of_equation[equation])]
    own = plan.bodies.of_part == member
    still = own & system.grounded
    return system.parts[int(np.argmax(still if still.any() else own))]
