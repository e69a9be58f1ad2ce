"""What a motion met, and what it held, in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import FreeInNoJoint
from ...foundations.geometry.pose import compose_all
from ...foundations.types import Array
from ...kinematics.assembly_motion import Met, Ready, Travel, bodies_at
from ...kinematics.chain import prepare
from ...kinematics.held_coordinates import Hold
from ...kinematics.loops.joint_names import member_name
from ...kinematics.loops.transmission_angle import Meeting, meetings
from ...kinematics.singularities import CHANGE_POINT, DEAD_POINT
from ...model.assembly import Assembly
from ...model.measures.measure import DISPLACEMENT
from ...structure.plan import Plan
from .plain import listed

IN_LINE = 0.01
"""Degrees from which two links count as in line."""

LOADED = 1e-6
"""Share of the largest force from which a joint counts as loaded."""


def blocking(plan: Plan, met: Met) -> tuple[int, tuple[int, int]]:
    """The pair at which a singular pose shows itself, and its two bodies; -1 where there is none.

    At a singular pose forces can be in the chain without a load.  A body that feels them at two
    joints only has them in line; where two such bodies meet, they stand in line.
    """
    c, o = met.follower.chain, met.obstacle
    pairs, drivers, loaded = plan.bodies.pairs, set(c.driven.tolist()), _loaded(met)
    felt: dict[int, set[int]] = {}
    driven: set[int] = set()
    for p in plan.components[met.component].pairs:
        rows = plan.system.rows([*plan.bodies.promises[p], *plan.bodies.drivers[p]]).tolist()
        a, b = (int(v) for v in pairs.bodies[p])
        if not loaded.isdisjoint(rows):
            felt.setdefault(a, set()).add(p)
            felt.setdefault(b, set()).add(p)
        if drivers & set(rows):
            driven |= {a, b}
    root = plan.components[met.component].root
    inner = {b for b, own in felt.items() if len(own) == 2 and b not in driven and b != root}
    choice = []
    for p in plan.components[met.component].pairs:
        a, b = (int(v) for v in pairs.bodies[p])
        turn = float(np.linalg.norm(o.motion[a, 3:] - o.motion[b, 3:]))
        feels = p in felt.get(a, ())
        both = {a, b} <= inner and feels
        free = not {a, b} <= driven
        choice.append((both, free, feels, round(turn, 9), -p, p, (a, b)))
    if not choice:
        return -1, (0, 0)
    best = max(choice)
    return best[-2], best[-1]


def _loaded(met: Met) -> set[int]:
    """The equations that feel a force where there is no load."""
    size = np.abs(met.obstacle.force)
    return set(met.follower.chain.rows[size > LOADED * size.max(initial=0.0)].tolist())


def _opposed(assembly: Assembly, plan: Plan, met: Met) -> tuple[str, str] | None:
    """Lengths from point to point that hold each other, no mate feeling it: where, and in words.

    Two of them are in line then.  None where mates or other drivers feel it as well, or what is
    held because nothing drives it, whose equations come after those of the system.
    """
    system, rows = plan.system, _loaded(met)
    if max(rows, default=0) >= len(system.promise_of_equation):
        return None
    loaded = sorted({int(system.promise_of_equation[e]) for e in rows})
    held = [assembly.drivers.get(system.promises[k]) for k in loaded]
    spans = [d for d in held if d is not None and d.separation is not None]
    if len(spans) != len(held) or len(spans) < 2:
        return None
    shared = set.intersection(*({str(end) for end in d.separation or ()} for d in spans))
    joint, does = min(shared, default=""), "are in line" if len(spans) == 2 else "block each other"
    return joint, f"{listed([d.name for d in spans])} {does}" + (f" at {joint}" if joint else "")


def joint_name(assembly: Assembly, plan: Plan, pair: int, coordinate: str = "angle") -> str:
    """The mate of a pair that a person would name its joint by."""
    names = [plan.system.promises[k] for k in plan.bodies.promises[pair].tolist()]
    mates = assembly.mates
    told = [n for n in names if coordinate in mates[n].coordinates]
    return str((told or names or [""])[0])


def held_words(assembly: Assembly, ready: Ready) -> tuple[str, ...]:
    """What nothing drives and is therefore held, in the order of the components."""
    none = np.empty(0, np.int64)
    words: dict[str, None] = {}
    for k, c in enumerate(ready.plan.components):
        try:
            own = ready.chains.get(k) or prepare(ready.plan, ready.poses, c, none, none, ready.idle)
        except FreeInNoJoint as free:
            words.update(dict.fromkeys(f"the place of {part}" for part in free.parts))
            continue
        words.update(dict.fromkeys(_hold_words(assembly, ready.plan, h) for h in own.held))
    return tuple(words)


def _hold_words(assembly: Assembly, plan: Plan, hold: Hold) -> str:
    if hold.driver:
        return hold.driver
    coordinate = "length" if hold.kind == DISPLACEMENT else "angle"
    name = joint_name(assembly, plan, hold.pair, coordinate)
    if name and coordinate in assembly.mates[name].coordinates:
        return f"{name} {coordinate}"
    a, b = (member_name(plan, (), int(v)) for v in plan.bodies.pairs.bodies[hold.pair])
    what = "place" if coordinate == "length" else "turn"
    return f"the {what} of {b} against {a}"


def in_line(plan: Plan, poses: Array) -> Meeting | None:
    """The dyad whose two links stand in line, and at which joint; None where none does."""
    frames = compose_all(poses[plan.bodies.of_part], plan.bodies.relative)[None]
    found = meetings(plan, poses)[0]
    angles = [float(m.angles(frames)[0]) for m in found]
    best = int(np.argmin(angles)) if angles else -1
    return found[best] if best >= 0 and angles[best] < IN_LINE else None


def obstacle_words(
    assembly: Assembly, found: Travel, met: Met, at: Mapping[str, tuple[float, str]]
) -> tuple[str, str]:
    """The joint at which a singular pose shows, and a sentence about it.

    Args:
        at: values of the drivers of the component there, with their units.
    """
    where = _where(at)
    joint, blocked = _blocked(assembly, found.ready.plan, met, bodies_at(found, met))
    line = f": {blocked}" if blocked else ""
    if met.obstacle.kind == CHANGE_POINT:
        return joint, f"change point at {where}, passed on the same branch{line}"
    if met.obstacle.kind == DEAD_POINT:
        return joint, f"dead point at {where}{line}"
    return joint, f"the branch ends at {where}"


def start_words(
    assembly: Assembly, found: Travel, met: Met, at: Mapping[str, tuple[float, str]]
) -> str:
    """That a sweep was to begin at a singular pose; `at` as of `obstacle_words`."""
    _, blocked = _blocked(assembly, found.ready.plan, met, found.ready.poses)
    line = f": {blocked}" if blocked else ""
    return (
        f"the first state is a dead point, at {_where(at)}{line}; "
        "two ways lead away from it, so begin a little beside it, on the one that is meant"
    )


def _where(at: Mapping[str, tuple[float, str]]) -> str:
    return listed([f"{name} {value:.10g} {unit}" for name, (value, unit) in at.items()])


def _blocked(assembly: Assembly, plan: Plan, met: Met, poses: Array) -> tuple[str, str]:
    """The joint at which a singular pose shows, and between what; "" where none stands out."""
    dyad = in_line(plan, poses)
    if dyad is not None:
        return dyad.joint, f"{dyad.links[0]} and {dyad.links[1]} are in line at {dyad.joint}"
    opposed = _opposed(assembly, plan, met)
    if opposed is not None:
        return opposed
    pair, ends = blocking(plan, met)
    joint = joint_name(assembly, plan, pair) if pair >= 0 else ""
    a, b = (member_name(plan, (), e) for e in ends)
    return joint, f"{a} and {b} block at {joint}" if joint else ""
