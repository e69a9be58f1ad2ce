"""The public call `forces`: at the poses of a solution, with the limits that carry load, or of a
motion."""

from __future__ import annotations

import numpy as np

from ..equations.bounds import TravelLimit
from ..equations.system import compile_system
from ..errors import BadValue
from ..foundations.geometry.pose import poses_of
from ..foundations.numerics.rounding import FAINT
from ..kinematics.statics.applied_loads import PartMotion
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..results.forces import Forces
from ..results.motion import Motion
from ..results.solution import Solution
from .force_balance import ForceStates, forces_of
from .solving import solve

TOLD = 2
"""Largest number of drivers whose values identify a state; above it the time does."""


def forces(of: Assembly | Solution | Motion, *, inertia: bool = False) -> Forces:
    """Driver forces and mate reactions in equilibrium with the loads and weights.

    Args:
        of: an assembly, which is solved first; a solution; or a motion, for all its states.
        inertia: add the inertia of the masses of a motion (inverse dynamics).

    Returns:
        Forces in N, torques in N mm, in the world; NaN in states that are not valid.

    Raises:
        BadValue: `inertia` of an assembly or a solution, which do not move.
    """
    if isinstance(of, Assembly):
        of = solve(of)
    return _standing(of, inertia) if isinstance(of, Solution) else _moved(of, inertia)


def _standing(solution: Solution, inertia: bool = False) -> Forces:
    """The forces at the poses of a solution; all NaN where it is not solved.

    A limit that a coordinate has reached carries load in compression only: it is added while the
    assembly is not balanced, and removed where it would have to pull.  Raises BadValue: `inertia`.
    """
    if inertia:
        still = "left out for what stands still: ask for the forces of a sweep"
        raise BadValue("inertia", inertia, still)
    valid = np.array([bool(solution)])
    moving = PartMotion(np.array(solution.frames[None]))
    states = ForceStates(np.zeros(1), valid, moving, solution.residual, lambda _: "")
    given, own = solution.given.held_still(), solution.plan.system
    if given.floating != solution.given.floating:
        given.move(solution.best_poses)
        own = compile_system(given, active_limits=own.active_limits)
    found = forces_of(given, own, states, False)
    ends = [(x.limit, x.bound == "max") for x in solution.limits if x.bound]
    reached = [TravelLimit(limit.name, upper, limit.bound(upper)) for limit, upper in ends]
    if not reached or not valid[0]:
        return found
    assembly, stops = given.copy(), list(own.active_limits)
    gone: list[TravelLimit] = []
    assembly.move(solution.best_poses)  # so that the same senses are chosen
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
        system = compile_system(assembly, active_limits=tuple(stops))
        found = forces_of(assembly, system, states, False)
    return found


def _pulled(found: Forces, stops: list[TravelLimit]) -> TravelLimit | None:
    """The limit that would have to pull hardest; None where all push."""
    least = FAINT * found.scale
    pull = [float(found.stops[x.limit].value[0]) * (1.0 if x.upper else -1.0) for x in stops]
    worst = int(np.argmax(np.nan_to_num(pull))) if pull else 0
    return stops[worst] if pull and pull[worst] > least else None


def _moved(motion: Motion, inertia: bool = False) -> Forces:
    """The forces in every state of a motion; its drivers carry load."""
    moving = PartMotion(motion.frames, motion.twists, motion.accelerations)
    off = float(np.max(motion.residual_mm, initial=0.0, where=motion.has_rates))
    driven, t = motion.driven, motion.t

    def place(state: int) -> str:
        if not 1 <= len(driven) <= TOLD:
            return f"t = {t[state]:.4g} s"
        return " and ".join(f"{n} = {x.value[state]:.6g} {x.unit}" for n, x in driven.items())

    assembly = motion.assembly.copy()
    first = int(np.argmax(motion.has_rates))
    for name in motion.prescribed:  # any value but 0: only its row in the system is used
        guided = isinstance(assembly.drivers[name], Guide)
        assembly.set_driver(name, float(t[first]) if guided else 1.0)
    if motion.has_rates.any():
        assembly.move(dict(zip(assembly.parts, poses_of(motion.frames[first]), strict=True)))
    states = ForceStates(t, motion.has_rates, moving, off, place)
    return forces_of(assembly, compile_system(assembly), states, inertia)
