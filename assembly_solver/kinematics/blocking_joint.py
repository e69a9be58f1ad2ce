"""Which joint blocks a motion at a singular pose."""

from __future__ import annotations

import numpy as np

from ..foundations.geometry.pose import compose_all
from ..foundations.numerics.rounding import FAINT, ROOT
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..structure.plan import Plan
from .assembly_motion import MetObstacle
from .loops.transmission_angle import Transmission, transmissions

IN_LINE = 0.01
"""Transmission angle, degrees, below which two links count as in line."""


def blocking_pair(plan: Plan, met: MetObstacle) -> tuple[int, tuple[int, int]]:
    """The pair that blocks at a singular pose, and its two bodies; -1 where there is none.

    At a singular pose internal forces can exist without a load.  A body that they load at two
    joints only has these in line with the forces; where two such bodies meet, they are in line.
    """
    c, o = met.follower.chain, met.obstacle
    pairs, drivers, loaded = plan.bodies.pairs, set(c.driven.tolist()), _loaded_equations(met)
    loaded_pairs: dict[int, set[int]] = {}
    driven: set[int] = set()
    for p in plan.components[met.component].pairs:
        rows = plan.system.rows([*plan.bodies.constraints[p], *plan.bodies.drivers[p]]).tolist()
        a, b = (int(v) for v in pairs.bodies[p])
        if not loaded.isdisjoint(rows):
            loaded_pairs.setdefault(a, set()).add(p)
            loaded_pairs.setdefault(b, set()).add(p)
        if drivers & set(rows):
            driven |= {a, b}
    fixed = driven | {plan.components[met.component].root}
    two_force = {b for b, loads in loaded_pairs.items() if len(loads) == 2 and b not in fixed}
    choice = []
    for p in plan.components[met.component].pairs:
        a, b = (int(v) for v in pairs.bodies[p])
        turn = float(np.linalg.norm(o.motion[a, 3:] - o.motion[b, 3:]))
        is_loaded = p in loaded_pairs.get(a, ())
        both = {a, b} <= two_force and is_loaded
        free = not {a, b} <= driven
        choice.append((both, free, is_loaded, round(turn, 9), -p, p, (a, b)))
    if not choice:
        return -1, (0, 0)
    best = max(choice)
    return best[-2], best[-1]


def _loaded_equations(met: MetObstacle) -> set[int]:
    """The equations that carry an internal force without a load."""
    size = np.abs(met.obstacle.force)
    return set(met.obstacle.rows[size > FAINT * size.max(initial=0.0)].tolist())


def opposed_lengths(
    assembly: Assembly, plan: Plan, met: MetObstacle
) -> tuple[str, list[str]] | None:
    """Drivers of point to point lengths that block each other: their common joint, their names.

    The joint is "" where they share none.  None where mates or other drivers are loaded as well,
    or a locked coordinate, whose equations come after those of the system.
    """
    system, rows = plan.system, _loaded_equations(met)
    if max(rows, default=0) >= len(system.constraint_of_equation):
        return None
    loaded = sorted({int(system.constraint_of_equation[e]) for e in rows})
    drivers = [assembly.drivers.get(system.constraints[k]) for k in loaded]
    lengths = [d for d in drivers if d is not None and d.separation is not None]
    if len(lengths) != len(drivers) or len(lengths) < 2:
        return None
    shared = set.intersection(*({str(end) for end in d.separation or ()} for d in lengths))
    return min(shared, default=""), [d.name for d in lengths]


def dyad_in_line(plan: Plan, poses: Array) -> Transmission | None:
    """The dyad whose two links are in line, the first of several; None where there is none.

    Args:
        poses: of the bodies, (bodies, 12), mm.
    """
    frames = compose_all(poses[plan.bodies.of_part], plan.bodies.relative)[None]
    found = transmissions(plan, poses)[0]
    angles = [float(m.angles(frames)[0]) for m in found]
    least = min(angles, default=np.inf) + np.degrees(ROOT)  # a dead point is known to that
    return next(
        (m for m, angle in zip(found, angles, strict=True) if angle <= least < IN_LINE), None
    )
