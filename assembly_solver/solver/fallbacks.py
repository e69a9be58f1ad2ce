"""The fallbacks of a solve, one function each: from a failed point to a better one.

A fallback of a step returns whether the step holds now, one of a component keeps better poses.

Source: docs/theory/decomposition.md, 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..equations.dense_block import (
    BLOCK_ITERATIONS,
    NEAR,
    DenseBlock,
    NewtonSettings,
    is_near,
    solve_dense,
)
from ..equations.elimination import pattern
from ..equations.projection import settle
from ..equations.residuals import residuals_at
from ..equations.sparse_block import FRESH, SparseBlock
from ..equations.table import BLOCKS, PERTURBATIONS, SINGULAR, SOLVED, SPACE, jacobian, move
from ..foundations.numerics.penalty import assemble
from ..foundations.numerics.perturbation import deficiency, perturb
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array, Ints
from ..model.measures.measure import TILT
from ..structure.incidence import bodies_of
from ..structure.steps import SETTLE, SETTLE_PLANAR, Component, Step
from .ear_decomposition import LoopwiseClosure, half_turn
from .local_coordinates import LocalCoordinates
from .workspace import SolveWorkspace

HALF_TURNS = 8
"""Restarts of one component with a body turned by half a turn."""

OFF_SADDLE = 0.1
"""Length of a step off a saddle point, in characteristic lengths: well clear of it."""

LARGEST_MINIMISED = 120
"""Unknowns up to which a component is minimised: the method is dense."""

LARGEST_GROWN = 1000
"""Bodies up to which a component is closed loop by loop."""

SADDLES = 3
"""Saddle points that are left one after the other."""

STEPS = 300
"""Iterations of one descent of a whole component."""

SHORT_STEPS = (0.03, 3.0)
"""First dampings, relative to the largest trace, of descents that are tried again."""

ANYWHERE = 0.1
"""Changes of the unknowns, relative to the length, at which a block has its generic rank."""

GROWING_STEPS = 100
"""Iterations of the descent of one loop."""


# ------------------------------------------------------------------ fallbacks of a step
def perturbed(a: SolveWorkspace, step: Step) -> bool:
    """Leave a singular point by small changes of single unknowns, then solve the block.

    Source: docs/theory/perturbation.md, 1.
    """
    s, block = a.plan.system, _dense_block(a, step)
    m, n = len(step.rows), len(step.columns)
    target, moved = min(m, n), a.poses.copy()

    def jacobian_at(x: Array) -> Array:
        move(a.poses, block.bodies, block.slot, x * s.length, 1.0, block.basis, moved)
        j = np.empty((m, n))
        jacobian(a.plan.table, moved, block.rows, block.slot, block.basis, j)
        return j

    # a rank that a change of all unknowns does not raise, a change of one does not raise either
    anywhere = np.random.default_rng(0).uniform(-ANYWHERE, ANYWHERE, n)
    lacking = max(deficiency(jacobian_at(anywhere)), m - target)
    regular = lacking == m - target
    for _ in range(3):
        found = perturb(jacobian_at, np.zeros(n), lacking)
        reached = found.reached and regular
        jacobian_at(found.x)
        a.counts[PERTURBATIONS] += len(found.kept)
        trial, rank = moved.copy(), target if reached else 0
        settings = NewtonSettings(
            s.convergence_tolerance, a.eta, rank, BLOCK_ITERATIONS, s.tolerance
        )
        status = solve_dense(a.plan.table, trial, block, settings, a.counts)
        if status == SOLVED:
            a.poses = trial
            return True
        if not reached or status != SINGULAR:
            return False
        a.poses = trial
    return False


def projected(a: SolveWorkspace, step: Step) -> bool:
    """Project one body onto its equations; False where the step is another or fails.

    Where they hold within the tolerance and rounding is far from there, or they nearly do so at the
    start and the tolerance is far from there, what is off in the features would be followed: they
    are met as well as they are nearby (docs/theory/nominal.md, 3).
    """
    if step.action not in (SETTLE, SETTLE_PLANAR):
        return False
    plan, s, before, block = a.plan, a.plan.system, a.poses.copy(), _dense_block(a, step)
    settings = NewtonSettings(s.convergence_tolerance, a.eta, 0, BLOCK_ITERATIONS, s.tolerance)
    off = np.abs(residuals_at(plan.table, before, block.rows))
    starts_near = off.max(initial=0.0) <= NEAR * s.tolerance
    status = settle(plan.table, a.poses, block, s.tolerance, plan.cloud, a.counts)
    held = a.poses.copy()
    if starts_near and not is_near(before, held, block, s.tolerance):
        a.poses = before.copy()
        met = solve_dense(plan.table, a.poses, block, settings, a.counts)
        if met == SOLVED and is_near(before, a.poses, block, s.tolerance):
            return True
        a.poses = held.copy()
    if status == SOLVED:
        status = settle(plan.table, a.poses, block, s.convergence_tolerance, plan.cloud, a.counts)
        if status == SOLVED and not is_near(held, a.poses, block, s.tolerance):
            a.poses = held
            status = solve_dense(plan.table, a.poses, block, settings, a.counts)
    if status != SOLVED:
        a.poses = before
    return bool(status == SOLVED)


def _dense_block(a: SolveWorkspace, step: Step) -> DenseBlock:
    slot = np.full((len(a.poses), 6), -1, np.int64)
    for n, (body, k) in enumerate(step.columns):
        slot[body, k] = n
    rows, bodies = np.array(step.rows, np.int64), np.array(step.bodies, np.int64)
    return DenseBlock(rows, bodies, slot, a.basis(a.axes[step.component]))


# ------------------------------------------------------------------ fallbacks of a component
class ComponentSearch:
    """The best poses of a component that its fallbacks found, and their largest residual, mm."""

    def __init__(self, workspace: SolveWorkspace, number: int) -> None:
        self.workspace, self.number = workspace, number
        self.plan = workspace.plan
        self.component = self.plan.components[number]
        self.poses, self.least = workspace.poses, np.inf

    @property
    def holds(self) -> bool:
        return self.least <= self.plan.system.tolerance

    @property
    def many(self) -> bool:
        """Whether its bodies are too many for the costly dense methods."""
        return 6 * len(self.component.bodies) > LARGEST_MINIMISED

    @property
    def minimised(self) -> bool:
        """Whether the costly dense methods are used."""
        return self.workspace.thorough and not self.many

    @property
    def closed_early(self) -> bool:
        """Whether its loops are closed in turn before further descents: of many bodies these cost
        more."""
        return self.many and self.workspace.thorough and self.component.loop

    def fresh(self) -> Array:
        """The start, rotated into its planes where the component is planar."""
        return self.workspace.fresh(self.component, self.number)

    def rows(self, unknowns: Ints) -> Ints:
        """The equations of the component by unknowns, PLANE or SPACE, of its bodies."""
        flat = self.component.projection if len(unknowns) == 3 else None
        return self.component.rows if flat is None else np.array(flat.plane, np.int64)

    def keep(self, poses: Array) -> None:
        """Make some poses the best ones where they are."""
        worst = self.workspace.worst(self.component.rows, poses)
        if worst < self.least:
            self.poses, self.least = poses, worst

    def descend(self, unknowns: Ints, poses: Array, damping: float = -FRESH[0]) -> None:
        """Descend with the whole component from some poses, which are overwritten."""
        a = self.workspace
        a.counts[BLOCKS] += 1
        p = self.component.factor_pattern(self.plan.bodies)
        a.descend(poses, a.block(self.number, unknowns, self.rows(unknowns), p), STEPS, damping)
        self.keep(poses)


def descend(c: ComponentSearch) -> None:
    """The whole component at once, from its starts; from one where its loops are closed early."""
    for unknowns, poses in _starts(c)[: 1 if c.closed_early else None]:
        c.descend(unknowns, poses)
        if c.least <= c.plan.system.convergence_tolerance:
            break


def descend_again(c: ComponentSearch) -> None:
    """From the start with short first steps, then with the body of most pairs turned over.

    A long first step may leave the basin of attraction of the solution; and where a body with many
    neighbours starts upside down, their residuals may balance and not rotate it.
    """
    a, component = c.workspace, c.component
    if not a.thorough or not component.loop:
        return
    unknowns, fresh = component.unknowns, c.fresh()
    starts = [(*start, -FRESH[0]) for start in _starts(c)[1:] if c.closed_early]
    starts += [(unknowns, fresh.copy(), damping) for damping in SHORT_STEPS]
    hub = _hub(a, component, fresh)
    columns = fresh[hub, 3:].reshape(3, 3).copy()
    for u in columns if component.projection is None else [a.axes[c.number, 2]]:
        rotated = fresh.copy()
        half_turn(rotated[hub], a.centre[hub], u)
        starts.append((unknowns, rotated, SHORT_STEPS[0]))
    for start in starts:
        c.descend(*start)
        if c.holds:
            break


def turn_over(c: ComponentSearch) -> None:
    """Turn bodies over where a direction has the wrong sense, and descend again."""
    tried: set[int] = set()
    for _ in range(HALF_TURNS):
        poses = c.poses.copy()
        if not _flip(c.workspace, c.component, poses, tried):
            break
        c.descend(SPACE, poses)
        if c.holds:
            break


def close_loops_in_turn(c: ComponentSearch) -> None:
    """Close one loop after the other, and backtrack where one cannot be closed."""
    a, component = c.workspace, c.component
    if not a.thorough or not component.loop or len(component.bodies) > LARGEST_GROWN:
        return
    rows, start, links = c.rows(component.unknowns), c.fresh(), np.array(component.links)
    blocks: dict[tuple[int, ...], SparseBlock] = {}

    def close(poses: Array, rows: Ints, bodies: list[int]) -> bool:
        key = (*bodies, -1, *rows.tolist())
        if key not in blocks:
            p = pattern(np.array(bodies), links, len(poses))
            blocks[key] = a.block(c.number, component.unknowns, rows, p)
        a.counts[BLOCKS] += 1
        a.descend(poses, blocks[key], GROWING_STEPS)
        return a.worst(rows, poses) <= a.plan.system.convergence_tolerance

    normal = None if component.projection is None else a.axes[c.number, 2]
    ends, order = _ends(a, rows), _order(a, component, start)
    about = (a.centre, normal, a.plan.system.length)
    poses = LoopwiseClosure(start, component.bodies, rows, ends, order, *about).close(close)
    if poses is not None:
        c.keep(poses)


def minimise(c: ComponentSearch) -> None:
    """The assembly nearest to the start, by minimisation with growing weights of the residuals.

    Source: docs/theory/perturbation.md, 4.
    """
    a = c.workspace
    if not c.minimised:
        return
    local = LocalCoordinates(a.plan, c.component, a.restart(c.component))
    a.counts[BLOCKS] += 1

    def watched(x: Array) -> Array:
        a.watch.check()
        return local.residual(x)

    start, tolerance = np.zeros(local.size), a.plan.system.convergence_tolerance
    with np.errstate(all="ignore"):
        found = assemble(watched, local.jacobian, start, tolerance, iterations=20)
    a.counts[:2] += (found.root.counts.inverses, found.root.counts.updates)
    c.keep(local.poses(found.x).copy())


def _directions_off_saddle(local: LocalCoordinates) -> list[Array]:
    """Local coordinates of a point to either side of a saddle; empty where it is no saddle.

    There the residuals are stationary, not zero and not minimal, as of a chain along a line: they
    decrease along the direction of the most negative curvature.
    """

    def gradient(x: Array) -> Array:
        """Of half the sum of squared residuals."""
        return np.asarray(local.jacobian(x).T @ local.residual(x))

    length, n = local.plan.system.length, local.size
    step = FAINT * length
    curvature = np.empty((n, n))
    for k, x in enumerate(step * np.eye(n)):
        curvature[k] = (gradient(x) - gradient(-x)) / (2 * step)
    values, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T))
    if values[0] >= -FAINT * np.abs(values).max():
        return []
    direction = vectors[:, 0] / np.abs(vectors[:, 0]).max()
    direction *= np.sign(direction[np.argmax(np.round(np.abs(direction), 6))])
    return [OFF_SADDLE * length * direction, -OFF_SADDLE * length * direction]


def leave_saddle(c: ComponentSearch) -> None:
    """Descend to either side of a saddle point at which the others ended."""
    for _ in range(SADDLES if c.minimised else 0):
        saddle, before = LocalCoordinates(c.plan, c.component, c.poses.copy()), c.least
        for x in _directions_off_saddle(saddle):
            c.workspace.watch.check()
            c.descend(SPACE, saddle.poses(x).copy())
            if c.holds:
                return
        if not c.least < before:
            break


FALLBACKS: dict[str, Callable[[ComponentSearch], None]] = {
    "descended": descend,
    "turned over": turn_over,
    "descended again": descend_again,
    "closed loop by loop": close_loops_in_turn,
    "minimised": minimise,
    "off a saddle": leave_saddle,
}
"""Fallbacks of a component by the words for one that closed it, cheapest first."""


def cheapest_first(c: ComponentSearch) -> Iterable[str]:
    """The fallbacks in the order in which they are tried."""
    first = ("descended", "turned over", "closed loop by loop") if c.closed_early else ()
    return dict.fromkeys((*first, *FALLBACKS))


# ------------------------------------------------------------------ shared functions
def _starts(c: ComponentSearch) -> list[tuple[Ints, Array]]:
    """Unknowns and poses of descents: those that the plan reached, the start, and it in space.

    Of many bodies the start is first: the plan may have left them far apart.
    """
    a, unknowns, fresh = c.workspace, c.component.unknowns, c.fresh()
    out = [(unknowns, fresh)]
    if not np.array_equal(fresh, a.poses):  # else a block planned in sparse form: no step before it
        out.insert(1 if c.closed_early else 0, (unknowns, a.poses.copy()))
    if c.component.projection is not None:
        out.append((SPACE, a.restart(c.component)))
    return out


def _flip(a: SolveWorkspace, component: Component, poses: Array, tried: set[int]) -> bool:
    """Half a turn of the body at the worst tilted mate, across its direction there."""
    t = a.plan.table
    out = residuals_at(t, poses, component.rows)
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


def _ends(a: SolveWorkspace, rows: Ints) -> list[set[int]]:
    """The bodies that each row depends on."""
    return [set(bodies_of(a.plan.table, e)) for e in rows]


def _hub(a: SolveWorkspace, component: Component, poses: Array) -> int:
    """The body of most pairs; of equal ones the first in order."""
    order = _order(a, component, poses)
    ends = a.plan.bodies.pairs.bodies[list(component.pairs)]
    return min(order, key=lambda b: (-int(np.count_nonzero(ends == b)), order[b]))


def _order(a: SolveWorkspace, component: Component, poses: Array) -> dict[int, tuple[float, ...]]:
    """Order of the bodies: smallest residual first, then nearest to the root, both rounded."""
    s, rows = a.plan.system, component.rows
    out = residuals_at(a.plan.table, poses, rows)
    off = dict.fromkeys(component.bodies, 0.0)
    for f, e in zip(np.abs(out), _ends(a, rows), strict=True):
        for b in e & off.keys():
            off[b] = max(off[b], f)
    axes = poses[:, 3:].reshape(-1, 3, 3)
    middle = poses[:, :3] + np.einsum("nk,nkr->nr", a.centre, axes)
    far = np.linalg.norm(middle - middle[component.root], axis=1) / s.length
    return {b: (round(f / s.convergence_tolerance), round(far[b], 6)) for b, f in off.items()}
