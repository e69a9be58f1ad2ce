"""Why counts of freedoms differ, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...diagnosis.constraint_graph import ABOUT_POINT, PLANAR, ConstraintGraph
from ...diagnosis.freedoms import Diagnosis
from ...diagnosis.mobility_counts import Counts, OverBraced
from ...foundations.geometry.nearest_motion import CYLINDRICAL, PRISMATIC, REVOLUTE, SPHERICAL
from ...foundations.types import Array
from .plain import count, listed

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

PARALLEL = 1e-6
"""Sine of the angle below which two axes are parallel."""


def number(n: int) -> str:
    """A small number as a word."""
    return NUMBERS[n] if 0 <= n < len(NUMBERS) else str(n)


def body_parts(d: Diagnosis, bodies: Sequence[int]) -> list[str]:
    """The parts of some bodies by name; of what is held, one that is grounded if there is any."""
    system, of_part = d.plan.system, d.plan.bodies.of_part
    out = []
    for b in bodies:
        own = np.flatnonzero(of_part == b).tolist()
        if b == 0:
            own = sorted(own, key=lambda k: not system.grounded[k])[:1]
        out += [system.parts[k] for k in own]
    return out


def reasons(c: Counts) -> list[str]:
    """What makes equations of one component redundant, each cause with its number."""
    out = []
    if c.common:
        out.append(f"{_directions(c.graph)} {makes(c.common)}")
    if c.excess:
        out.append(_too_many(c))
    if c.special:
        out.append(_special(c))
    if c.momentary:
        out.append(f"this pose is singular and {makes(c.momentary, 'makes')}")
    return out


def makes(equations: int, verb: str = "make") -> str:
    """As in "make 3 equations redundant"."""
    return f"{verb} {count(equations, 'equation')} redundant"


def freedoms(here: int, finite: int | None, sure: bool, idle: int) -> str:
    """The freedoms at a pose, and how many of them are more than of first order."""
    told = f"{count(here, 'degree')} of freedom"
    if here == 0:
        return "no degree of freedom"
    if finite is None:
        told += "; whether a finite movement keeps it was not tried, it is too large"
    elif finite == 0:
        told += " of first order only, nothing moves"
    elif finite < here:
        told += f" at this pose, {finite} in a finite movement"
    elif finite > here:
        told += f" at this pose, {finite} near by"
    else:
        told += ", and it is finite" if here == 1 else ", and they are finite"
    if idle:
        told += f"; {idle} of them {'is an idle spin' if idle == 1 else 'are idle spins'}"
    return told if sure else f"{told}; not beyond doubt, a singular pose is very near"


def over_braced(d: Diagnosis, found: OverBraced) -> str:
    """A sub-linkage with too many equations."""
    mates = [d.plan.system.promises[k] for k in found.promises]
    verb = "is" if found.equations == 1 else "are"
    return (
        f"{count(found.equations, 'equation')} {verb} too many among "
        f"{listed(body_parts(d, found.bodies), 12)}, whatever the dimensions ({listed(mates, 12)})"
    )


def unseen(c: Counts) -> str:
    """What the pebble game does not see of a component whose freedoms it counts wrong."""
    promises = c.graph.diagnosis.plan.system.promises
    names = listed([promises[k] for k in sorted(c.graph.unseen)], 8)
    why = f" of {names}" if names else ""
    return (
        f"the pebble game counts {c.pebbles} and does not see what is special{why}; "
        f"the rank for random dimensions leaves {c.generic}"
    )


def _directions(g: ConstraintGraph) -> str:
    """What the joints of a component have in common."""
    n = sum(1 for k in g.kinds if k in (REVOLUTE, CYLINDRICAL, PRISMATIC))
    if g.motion == ABOUT_POINT:
        return f"{number(n)} axes that meet in one point"
    ways = g.axes[1]
    normal = g.diagnosis.axes(g.c)[2]
    along = np.linalg.norm(np.cross(ways, normal), axis=1) < PARALLEL
    if along.all() and n == len(g.kinds):
        return f"{number(n)} parallel axes"
    return f"{number(len(g.c.bodies) + 1)} parts in parallel planes"


def _too_many(c: Counts) -> str:
    """Equations beyond what a component can take, in whatever dimensions."""
    parts = body_parts(c.graph.diagnosis, [b for o in c.over_braced for b in o.bodies])
    verb = "is" if c.excess == 1 else "are"
    among = f" among {listed(list(dict.fromkeys(parts)), 8)}" if parts and c.seen else ""
    return f"{count(c.excess, 'equation')} {verb} too many whatever the dimensions{among}"


def _special(c: Counts) -> str:
    """Why special dimensions make equations redundant."""
    said, left = [], c.special
    for p in c.parallelograms:
        names = [listed(body_parts(c.graph.diagnosis, [b]), 2) for b in p.cranks]
        if left >= len(names) - 2:
            left -= len(names) - 2
            one = len(names) == 3
            said.append(
                f"{'a third crank' if one else 'further cranks'}, {listed(names[2:])}, "
                f"{'repeats' if one else 'repeat'} what {listed(names[:2])} say: parallelogram"
            )
    if left:
        sets = _parallel_sets(c.graph)
        why = f" ({sets})" if sets else ""
        said.append(f"special dimensions{why} {makes(left)}")
    return "; ".join(said)


def _parallel_sets(g: ConstraintGraph) -> str:
    """The axes of a component in space where all are parallel to others: as in Sarrus' linkage."""
    if g.motion == PLANAR or SPHERICAL in g.kinds or len(g.kinds) == 0:
        return ""
    sets: list[tuple[Array, int]] = []
    for way in g.axes[1]:
        for k, (known, n) in enumerate(sets):
            if np.linalg.norm(np.cross(known, way)) < PARALLEL:
                sets[k] = (known, n + 1)
                break
        else:
            sets.append((way, 1))
    sizes = [number(n) for _, n in sets]
    enough = len(sets) > 1 and min(n for _, n in sets) > 1 and set(g.kinds) <= {REVOLUTE, PRISMATIC}
    return f"axes parallel in sets of {listed(sizes)}" if enough else ""
