"""Why the counts of freedoms of a component differ, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...diagnosis.constraint_graph import ABOUT_POINT, PLANAR, ConstraintGraph
from ...diagnosis.freedoms import Diagnosis
from ...diagnosis.mobility_counts import MobilityCounts, OverBracedBodies
from ...foundations.geometry.nearest_motion import CYLINDRICAL, PRISMATIC, REVOLUTE, SPHERICAL
from ...foundations.types import Array
from .phrases import DOUBTED, WITHIN, be, count, listed, of_order

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number(n: int) -> str:
    """A small number as a word."""
    return NUMBERS[n] if 0 <= n < len(NUMBERS) else str(n)


def body_parts(d: Diagnosis, bodies: Sequence[int]) -> list[str]:
    """The parts of some bodies by name; of the fixed body one part, a grounded one if possible."""
    system, of_part = d.plan.system, d.plan.bodies.of_part
    out = []
    for b in bodies:
        parts = np.flatnonzero(of_part == b).tolist()
        if b == 0:
            parts = sorted(parts, key=lambda k: not system.grounded[k])[:1]
        out += [system.parts[k] for k in parts]
    return out


def reasons(c: MobilityCounts) -> list[str]:
    """The causes of redundant equations of one component, each with its number of equations."""
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


def freedoms(here: int, finite: int | None, sure: bool, idle: int, order: int | None = None) -> str:
    """The freedoms at a pose, and how many of them a finite motion keeps.

    Args:
        finite: None where the component was not probed; idle: number of idle freedoms; order: see
            `of_order`.
    """
    words = f"{count(here, 'degree')} of freedom" if here else "no degree of freedom"
    if finite is None:
        words += "; whether a finite movement keeps it was not tried, it is too large"
    elif finite == here:
        words += (", and it is finite" if here == 1 else ", and they are finite") if here else ""
    elif finite == 0:
        words += f" {of_order(order)}, nothing moves"
    elif finite < here:
        words += f" at this pose, {finite} in a finite movement"
    else:
        words += f", but {finite} within the tolerance"
    if idle:
        words += f"; {idle} of them {'is an idle spin' if idle == 1 else 'are idle spins'}"
    if sure:
        return words
    return f"{words}; not beyond doubt, {DOUBTED if (finite or 0) <= here else WITHIN}"


def over_braced(d: Diagnosis, found: OverBracedBodies) -> str:
    """A sub-linkage with too many equations."""
    mates = [d.plan.system.constraints[k] for k in found.constraints]
    parts = listed(body_parts(d, found.bodies), 12) + " in all" * found.in_all
    return (
        f"{count(found.equations, 'equation')} {be(found.equations)} too many among {parts}, "
        f"whatever the dimensions ({listed(mates, 12)})"
    )


def unseen(c: MobilityCounts) -> str:
    """Where the pebble game miscounts the freedoms of a component."""
    constraints = c.graph.diagnosis.plan.system.constraints
    names = listed([constraints[k] for k in sorted(c.graph.unseen)], 8)
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
    normal = g.diagnosis.axes(g.c)[2]
    same = g.diagnosis.plan.system.same_direction
    along = np.linalg.norm(np.cross(g.axes[1], normal), axis=1) < same
    if along.all() and n == len(g.kinds):
        return f"{number(n)} parallel axes"
    return f"{number(len(g.c.bodies) + 1)} parts in parallel planes"


def _too_many(c: MobilityCounts) -> str:
    """Equations that are redundant whatever the dimensions."""
    parts = body_parts(c.graph.diagnosis, [b for o in c.over_braced for b in o.bodies])
    among = f" among {listed(list(dict.fromkeys(parts)), 8)}" if parts and c.seen else ""
    return f"{count(c.excess, 'equation')} {be(c.excess)} too many whatever the dimensions{among}"


def _special(c: MobilityCounts) -> str:
    """Equations that are redundant because of special dimensions."""
    words, left = [], c.special
    for cranks in c.parallelograms:
        names = [listed(body_parts(c.graph.diagnosis, [b]), 2) for b in cranks]
        if left >= len(names) - 2:
            left -= len(names) - 2
            one = len(names) == 3
            words.append(
                f"{'a third crank' if one else 'further cranks'}, {listed(names[2:])}, "
                f"{'repeats' if one else 'repeat'} what {listed(names[:2])} say: parallelogram"
            )
    if left:
        sets = _parallel_sets(c.graph)
        why = f" ({sets})" if sets else ""
        words.append(f"special dimensions{why} {makes(left)}")
    return "; ".join(words)


def _parallel_sets(g: ConstraintGraph) -> str:
    """Sets of parallel axes of a spatial component, as in Sarrus' linkage; "" if none."""
    if g.motion == PLANAR or SPHERICAL in g.kinds or len(g.kinds) == 0:
        return ""
    sets: list[tuple[Array, int]] = []
    same = g.diagnosis.plan.system.same_direction
    for axis in g.axes[1]:
        for k, (known, n) in enumerate(sets):
            if np.linalg.norm(np.cross(known, axis)) < same:
                sets[k] = (known, n + 1)
                break
        else:
            sets.append((axis, 1))
    sizes = [number(n) for _, n in sets]
    enough = len(sets) > 1 and min(n for _, n in sets) > 1 and set(g.kinds) <= {REVOLUTE, PRISMATIC}
    return f"axes parallel in sets of {listed(sizes)}" if enough else ""
