"""The states whose forces are asked for: a solution, with the limits that hold it; a motion."""

from __future__ import annotations

import numpy as np

from ..equations.bounds import Stop
from ..equations.system import compile_system
from ..errors import BadValue
from ..foundations.geometry.pose import poses_of
from ..kinematics.statics.applied_loads import Moving
from ..model.drivers.guide import Guide
from ..results.forces import Forces
from ..results.mate_results import LimitResult
from ..results.motion import Motion
from ..results.solution import Solution
from .force_balance import SHARE, States, forces_of

TOLD = 2
"""Drivers whose values tell where a state is; of more it is the time."""


def standing(solution: Solution, inertia: bool = False) -> Forces:
    """The forces at the poses of a solution; none are known where there is none.

    A limit at which a coordinate stands carries what leans on it, and lets go what would leave it.
    """
    if inertia:
        wanted = "left out for what stands still: ask for the forces of a sweep"
        raise BadValue("inertia", inertia, wanted)
    valid = np.array([bool(solution)])
    moving = Moving(np.array(solution.frames[None]))
    states = States(np.zeros(1), valid, moving, solution.residual, lambda _: "")
    own = solution.plan.system
    found = forces_of(solution.given, own, states, False)
    reached = [Stop(x.limit.name, x.bound == "max", _at(x)) for x in solution.limits if x.bound]
    if not reached or not valid[0]:
        return found
    assembly, stops = solution.given.copy(), list(own.stops)
    gone: list[Stop] = []
    assembly.move(solution.best_poses)  # so that senses come out as they were taken
    for _ in range(2 * len(reached) + 2):
        pulled = _pulled(found, stops)
        waiting = [x for x in reached if x not in (*stops, *gone)]
        if pulled is not None:
            stops.remove(pulled)
            gone.append(pulled)
        elif waiting and not found.balanced[0]:
            stops += waiting
        else:
            break
        found = forces_of(assembly, compile_system(assembly, stops=tuple(stops)), states, False)
    return found


def _at(result: LimitResult) -> float:
    """The bound at which a limit stands, mm or degrees."""
    return result.limit.bound(result.bound == "max")


def _pulled(found: Forces, stops: list[Stop]) -> Stop | None:
    """The stop that would have to pull the hardest; None where all push."""
    least = SHARE * found.scale
    pull = [float(found.stops[x.limit].value[0]) * (1.0 if x.upper else -1.0) for x in stops]
    worst = int(np.argmax(np.nan_to_num(pull))) if pull else 0
    return stops[worst] if pull and pull[worst] > least else None


def moved(motion: Motion, inertia: bool = False) -> Forces:
    """The forces in every state of a motion; what drove it holds it."""
    moving = Moving(motion.frames, motion.twists, motion.accelerations)
    off = float(np.max(motion.residual_mm, initial=0.0, where=motion.valid))
    driven, t = motion.driven, motion.t

    def place(state: int) -> str:
        if not 1 <= len(driven) <= TOLD:
            return f"t = {t[state]:.4g} s"
        told = (f"{name} = {x.value[state]:.6g} {x.unit}" for name, x in driven.items())
        return " and ".join(told)

    assembly = motion.assembly.copy()
    first = int(np.argmax(motion.valid))
    for name in motion.prescribed:  # any value but 0 would do, as only its row is asked for
        guided = isinstance(assembly.drivers[name], Guide)
        assembly.set_driver(name, float(t[first]) if guided else 1.0)
    if motion.valid.any():
        assembly.move(dict(zip(assembly.parts, poses_of(motion.frames[first]), strict=True)))
    states = States(t, motion.valid, moving, off, place)
    return forces_of(assembly, compile_system(assembly), states, inertia)
