"""The rungs of the ladder above the plan: each one function, from a failed point to a better one.

Rungs of a step take an `Ascent` and a step and say whether the step holds now.  Rungs of a
component take an `Ascent`, the number of a component, the best poses so far and what they are off,
and return the better of those and their own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..equations.dense_block import BLOCK_ITERATIONS, solve_dense
from ..equations.projection import settle
from ..equations.sparse_block import FRESH, pattern
from ..equations.table import (
    BLOCKS,
    PERTURBATIONS,
    SINGULAR,
    SOLVED,
    SPACE,
    jacobian,
    move,
    residuals,
)
from ..foundations.numerics.penalty import assemble
from ..foundations.numerics.perturbation import deficiency, perturb
from ..foundations.types import Array, Ints
from ..model.measures.measure import TILT
from ..structure.incidence import bodies_of
from ..structure.steps import SETTLE, SETTLE_FLAT, Component, Step
from .ear_decomposition import Growth, half_turn
from .local_coordinates import Chart
from .saddle_points import ways_off
from .workspace import Ascent

HALF_TURNS = 8
"""Restarts of one component with a body turned over."""

LARGEST_MINIMISED = 120
"""Unknowns up to which the last rung is climbed: it is dense."""

LARGEST_GROWN = 200
"""Bodies up to which a component is closed loop by loop."""

SADDLES = 3
"""Stuck points that are left one after the other."""

STEPS = 300
"""Iterations of one descent of a whole component."""

SHORT_STEPS = (0.03, 3.0)
"""First dampings, relative to the largest trace, of descents that are tried again."""

ANYWHERE = 0.1
"""Changes of the unknowns, relative to the length, at which a block has its usual rank."""

GROWING_STEPS = 100
"""Iterations of the descent of one loop."""


# ------------------------------------------------------------------ rungs of a step
def perturbed(a: Ascent, step: Step) -> bool:
    """Leave a singular point by small changes of single unknowns, then solve the block."""
    plan, s = a.plan, a.plan.system
    rows = np.array(step.rows, np.int64)
    bodies = np.array(step.bodies, np.int64)
    slot = _slots(a, step)
    axes = a.axes[step.component]
    moved = a.poses.copy()
    target = min(len(rows), len(step.columns))

    def at(x: Array) -> Array:
        move(a.poses, bodies, slot, x, 1.0, axes, a.centre, s.length, moved)
        j = np.empty((len(rows), len(step.columns)))
        jacobian(plan.table, moved, rows, slot, axes, a.centre, s.length, j)
        return j

    # what a change of everything at once does not raise, no change of one unknown does
    anywhere = np.random.default_rng(0).uniform(-ANYWHERE, ANYWHERE, len(step.columns))
    lacking = max(deficiency(at(anywhere * s.length)), len(rows) - target)
    regular = lacking == len(rows) - target
    for _ in range(3):
        found = perturb(lambda x: at(x * s.length), np.zeros(len(step.columns)), lacking)
        reached = found.reached and regular
        at(found.x * s.length)
        a.counts[PERTURBATIONS] += len(found.kept)
        trial = moved.copy()
        status = solve_dense(
            plan.table,
            trial,
            rows,
            bodies,
            slot,
            axes,
            a.centre,
            s.length,
            s.stop,
            a.eta,
            target if reached else 0,
            BLOCK_ITERATIONS,
            a.counts,
        )
        if status == SOLVED:
            a.poses = trial
            return True
        if not reached or status != SINGULAR:
            return False
        a.poses = trial
    return False


def projected(a: Ascent, step: Step) -> bool:
    """Project one body onto its equations; False where the step is another or fails."""
    if step.action not in (SETTLE, SETTLE_FLAT):
        return False
    plan, s = a.plan, a.plan.system
    kept = a.poses.copy()
    status = settle(
        plan.table,
        a.poses,
        step.bodies[0],
        np.array(step.rows, np.int64),
        _slots(a, step),
        a.axes[step.component],
        a.centre,
        s.length,
        s.stop,
        plan.cloud,
        a.counts,
    )
    if status != SOLVED:
        a.poses = kept
    return bool(status == SOLVED)


def _slots(a: Ascent, step: Step) -> Ints:
    slot = np.full((len(a.poses), 6), -1, np.int64)
    for n, (body, k) in enumerate(step.columns):
        slot[body, k] = n
    return slot


# ------------------------------------------------------------------ rungs of a component
Rung = Callable[[Ascent, int, Array, float], tuple[Array, float]]


def descend(a: Ascent, number: int, best: Array, least: float) -> tuple[Array, float]:
    """The whole component at once: from where the plan came to, from its start, and in space."""
    component = a.plan.components[number]
    fresh = a.fresh(component, number)
    starts = [(component.unknowns, a.poses.copy()), (component.unknowns, fresh)]
    if np.array_equal(fresh, a.poses):  # a block planned in sparse form: nothing came before it
        starts.pop()
    if component.projection is not None:
        starts.append((SPACE, a.restart(component)))
    for unknowns, poses in starts:
        best, least = _better(a, number, unknowns, poses, best, least)
        if least <= a.plan.system.stop:
            break
    return best, least


def descend_again(a: Ascent, number: int, best: Array, least: float) -> tuple[Array, float]:
    """From the start with short first steps, then with the body of most neighbours turned over.

    A long first step may leave the valley that leads home; and where a body that many others hang
    on starts upside down, they pull it no way round.
    """
    component = a.plan.components[number]
    if not a.thorough or not component.loop:
        return best, least
    fresh = a.fresh(component, number)
    starts = [(fresh.copy(), damping) for damping in SHORT_STEPS]
    flat = component.projection is not None
    hub = _hub(a, component, fresh)
    columns = fresh[hub, 3:].reshape(3, 3).copy()
    for u in [a.axes[number, 2]] if flat else columns:
        turned = fresh.copy()
        half_turn(turned[hub], a.centre[hub], u)
        starts.append((turned, SHORT_STEPS[0]))
    for poses, damping in starts:
        best, least = _better(a, number, component.unknowns, poses, best, least, damping)
        if least <= a.plan.system.tolerance:
            break
    return best, least


def turn_over(a: Ascent, number: int, best: Array, least: float) -> tuple[Array, float]:
    """Turn bodies over where a direction points the wrong way, and descend again."""
    tried: set[int] = set()
    for _ in range(HALF_TURNS):
        poses = best.copy()
        if not _flip(a, a.plan.components[number], poses, tried):
            break
        best, least = _better(a, number, SPACE, poses, best, least)
        if least <= a.plan.system.tolerance:
            break
    return best, least


def close_loops_in_turn(a: Ascent, number: int, best: Array, least: float) -> tuple[Array, float]:
    """Close one loop after the other, and back up where one cannot be closed."""
    component = a.plan.components[number]
    if not a.thorough or not component.loop or len(component.bodies) > LARGEST_GROWN:
        return best, least
    flat = component.projection
    rows = component.rows if flat is None else np.array(flat.plane, np.int64)
    start = a.fresh(component, number)
    links = np.array(component.links)

    def close(poses: Array, rows: Ints, bodies: list[int]) -> bool:
        p = pattern(np.array(bodies), links, len(poses))
        a.counts[BLOCKS] += 1
        a.descend(number, component.unknowns, poses, rows, p, GROWING_STEPS)
        return a.worst(rows, poses) <= a.plan.system.stop

    ends = _ends(a, rows)
    normal = None if flat is None else a.axes[number, 2]
    growth = Growth(
        start,
        component.bodies,
        rows,
        ends,
        _order(a, component, start),
        a.centre,
        normal,
        a.plan.system.length,
    )
    poses = growth.close(close)
    if poses is None:
        return best, least
    worst = a.worst(component.rows, poses)
    return (poses, worst) if worst < least else (best, least)


def minimise(a: Ascent, number: int, best: Array, least: float) -> tuple[Array, float]:
    """The nearest assembly to the start by growing weights of the residuals: the last rung."""
    component = a.plan.components[number]
    if not a.thorough or 6 * len(component.bodies) > LARGEST_MINIMISED:
        return best, least
    chart = Chart(a.plan, component, a.restart(component))
    a.counts[BLOCKS] += 1

    def watched(x: Array) -> Array:
        a.watch.check()
        return chart.residual(x)

    with np.errstate(all="ignore"):
        found = assemble(
            watched, chart.jacobian, np.zeros(chart.size), a.plan.system.stop, iterations=20
        )
    a.counts[:2] += (found.root.counts.inverses, found.root.counts.updates)
    poses = chart.poses(found.x).copy()
    worst = a.worst(component.rows, poses)
    return (poses, worst) if worst < least else (best, least)


def leave_saddle(a: Ascent, number: int, best: Array, least: float) -> tuple[Array, float]:
    """Descend to either side of the point where the others were stuck."""
    component = a.plan.components[number]
    if not a.thorough or 6 * len(component.bodies) > LARGEST_MINIMISED:
        return best, least
    for _ in range(SADDLES):
        stuck, before = Chart(a.plan, component, best.copy()), least
        for x in ways_off(stuck):
            a.watch.check()
            poses = stuck.poses(x).copy()
            best, least = _better(a, number, SPACE, poses, best, least)
            if least <= a.plan.system.tolerance:
                return best, least
        if not least < before:
            break
    return best, least


RUNGS: dict[str, Rung] = {
    "descended": descend,
    "turned over": turn_over,
    "descended again": descend_again,
    "closed loop by loop": close_loops_in_turn,
    "minimised": minimise,
    "off a saddle": leave_saddle,
}
"""Rungs of a component by what is said of one that closed it, cheapest first."""


# ------------------------------------------------------------------ what they share
def _better(
    a: Ascent,
    number: int,
    unknowns: Ints,
    poses: Array,
    best: Array,
    least: float,
    damping: float = -FRESH[0],
) -> tuple[Array, float]:
    """Descend with a whole component from some poses; the better of the outcome and the best."""
    component = a.plan.components[number]
    flat = component.projection if len(unknowns) == 3 else None
    rows = component.rows if flat is None else np.array(flat.plane, np.int64)
    a.counts[BLOCKS] += 1
    p = component.factor_pattern(a.plan.bodies)
    a.descend(number, unknowns, poses, rows, p, STEPS, damping)
    worst = a.worst(component.rows, poses)
    return (poses, worst) if worst < least else (best, least)


def _flip(a: Ascent, component: Component, poses: Array, tried: set[int]) -> bool:
    """Half a turn of the body at the worst tilted mate, across its direction there."""
    t = a.plan.table
    out = np.empty(len(component.rows))
    residuals(t, poses, component.rows, out)
    for i in np.argsort(-np.abs(out)):
        e = int(component.rows[i])
        n = int(t.term_measure[t.first_term[e]])
        if int(t.kind[n]) != TILT or abs(out[i]) < 0.5 * np.pi * t.weight[e]:
            continue
        for marker in (int(t.marker_b[n]), int(t.marker_a[n])):
            body = int(t.marker_body[marker])
            if body in component.bodies and e not in tried:
                tried.add(e)
                at, x = t.marker_frame[marker, :3], t.marker_frame[marker, 3:6]
                half_turn(poses[body], at, x @ poses[body, 3:].reshape(3, 3))
                return True
    return False


def _ends(a: Ascent, rows: Ints) -> list[set[int]]:
    """The bodies that each row reads."""
    return [set(bodies_of(a.plan.table, e)) for e in rows]


def _hub(a: Ascent, component: Component, poses: Array) -> int:
    """The body of most pairs; of equal ones the first in order."""
    order = _order(a, component, poses)
    ends = a.plan.bodies.pairs.bodies[list(component.pairs)]
    return min(order, key=lambda b: (-int(np.count_nonzero(ends == b)), order[b]))


def _order(a: Ascent, component: Component, poses: Array) -> dict[int, tuple[float, ...]]:
    """What decides which body is taken first: least off, then nearest to the root, by rounding."""
    s, rows = a.plan.system, component.rows
    out = np.empty(len(rows))
    residuals(a.plan.table, poses, rows, out)
    off = dict.fromkeys(component.bodies, 0.0)
    for f, e in zip(np.abs(out), _ends(a, rows), strict=True):
        for b in e & off.keys():
            off[b] = max(off[b], f)
    axes = poses[:, 3:].reshape(-1, 3, 3)
    middle = poses[:, :3] + np.einsum("nk,nkr->nr", a.centre, axes)
    far = np.linalg.norm(middle - middle[component.root], axis=1) / s.length
    return {b: (round(off[b] / s.stop), round(far[b], 6)) for b in component.bodies}
