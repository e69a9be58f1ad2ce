"""Singular poses of a motion and its locked coordinates, in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import FreeInNoJoint
from ...foundations.types import Array
from ...kinematics.assembly_motion import AssemblyMotion, DrivenAssembly, MetObstacle, bodies_at
from ...kinematics.blocking_joint import blocking_pair, dyad_in_line, opposed_lengths
from ...kinematics.chain import prepare
from ...kinematics.locked_coordinates import LockedCoordinate
from ...kinematics.loops.joint_names import member_name
from ...kinematics.singularities import CHANGE_POINT, DEAD_POINT
from ...model.assembly import Assembly
from ...model.measures.measure import DISPLACEMENT
from ...structure.plan import Plan
from .phrases import listed, place

NO_RATES = "; velocities are not defined there"
"""What is said of a dead point with a state on it."""


def joint_name(assembly: Assembly, plan: Plan, pair: int, coordinate: str = "angle") -> str:
    """The mate that names the joint of a pair: the first with this coordinate, if any."""
    names = [plan.system.constraints[k] for k in plan.bodies.constraints[pair].tolist()]
    mates = assembly.mates
    matching = [n for n in names if coordinate in mates[n].coordinates]
    return str((matching or names or [""])[0])


def held_words(assembly: Assembly, ready: DrivenAssembly) -> tuple[str, ...]:
    """The locked coordinates, which nothing drives, in the order of the components."""
    none = np.empty(0, np.int64)
    words: dict[str, None] = {}
    for k, c in enumerate(ready.plan.components):
        try:
            fresh = ready.plan, ready.poses, c, none, none, ready.released
            own = ready.chains.get(k) or prepare(*fresh)
        except FreeInNoJoint as free:
            words.update(dict.fromkeys(f"the place of {part}" for part in free.parts))
            continue
        words.update(dict.fromkeys(locked_words(assembly, ready.plan, h) for h in own.locked))
    return tuple(words)


def locked_words(assembly: Assembly, plan: Plan, locked: LockedCoordinate) -> str:
    """A locked coordinate by its driver, its joint, or the parts that it places."""
    if locked.driver:
        return locked.driver
    coordinate = "length" if locked.kind == DISPLACEMENT else "angle"
    name = joint_name(assembly, plan, locked.pair, coordinate)
    if name and coordinate in assembly.mates[name].coordinates:
        return f"{name} {coordinate}"
    a, b = (member_name(plan, (), int(v)) for v in plan.bodies.pairs.bodies[locked.pair])
    what = "place" if coordinate == "length" else "turn"
    return f"the {what} of {b} against {a}"


def obstacle_words(
    assembly: Assembly, found: AssemblyMotion, met: MetObstacle, at: Mapping[str, tuple[float, str]]
) -> tuple[str, str]:
    """The joint that blocks at a singular pose, and a sentence about the pose.

    Args:
        at: values of the drivers of the component there, with their units.
    """
    here = where(at)
    joint, blocked = _blocking_joint(assembly, found.ready.plan, met, bodies_at(found, met))
    line = f": {blocked}" if blocked else ""
    if met.obstacle.kind == CHANGE_POINT:
        meet = "where branches meet within the tolerance, passed on the smooth one"
        return joint, f"change point at {here}, {meet}{line}"
    if met.obstacle.kind == DEAD_POINT:
        return joint, f"dead point at {here}{line}"
    return joint, f"the branch ends at {here}: loops do not close beyond, or a part runs far away"


def start_words(
    assembly: Assembly,
    found: AssemblyMotion,
    met: MetObstacle,
    at: Mapping[str, tuple[float, str]],
    more: bool,
) -> tuple[str, str]:
    """The joint that blocks at the first state of a sweep, and that this is a singular pose.

    Args:
        at: as for `obstacle_words`; more: whether there are more states.
    """
    joint, blocked = _blocking_joint(assembly, found.ready.plan, met, found.ready.poses)
    ways = "two ways lead away: begin a little beside it, on the one that is meant"
    words = f"the {'first ' if more else ''}state is a dead point, at {where(at)}"
    if met.obstacle.kind == CHANGE_POINT:
        words = f"the {'first ' if more else ''}state is a change point, at {where(at)}"
        words += ", where branches meet within the tolerance"
        ways = "no smooth way through it is found"
        ways += ": begin a little beside it, on the one that is meant"
    words += f": {blocked}" if blocked else ""
    words += NO_RATES
    words += f", and {ways}" if more else ""
    return joint, words


def where(at: Mapping[str, tuple[float, str]]) -> str:
    """Values of drivers with their units, in words."""
    return listed([f"{name} {place(value)} {unit}" for name, (value, unit) in at.items()])


def _blocking_joint(
    assembly: Assembly, plan: Plan, met: MetObstacle, poses: Array
) -> tuple[str, str]:
    """The joint that blocks, and between which members; "" where there is none."""
    dyad = dyad_in_line(plan, poses)
    if dyad is not None:
        return dyad.joint, f"{dyad.links[0]} and {dyad.links[1]} are in line at {dyad.joint}"
    opposed = opposed_lengths(assembly, plan, met)
    if opposed is not None:
        joint, names = opposed
        verb = "are in line" if len(names) == 2 else "block each other"
        return joint, f"{listed(names)} {verb}" + (f" at {joint}" if joint else "")
    pair, ends = blocking_pair(plan, met)
    joint = joint_name(assembly, plan, pair) if pair >= 0 else ""
    a, b = (member_name(plan, (), e) for e in ends)
    return joint, f"{a} and {b} block at {joint}" if joint else ""
