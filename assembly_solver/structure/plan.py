"""The plan of a solve: what determines which body, in which unknowns, in what order.

Biconnected components of the body graph are processed from the fixed body outward.  A branch is
one pair and is placed in closed form where its joint has one.  Loops in a plane are decomposed
(`planar_blocks`), loops in space are one block.

Source: docs/theory/decomposition.md, 1, 4 to 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from ..equations.closed_form import Cloud
from ..equations.system import System, over_clusters
from ..equations.table import EquationTable
from ..foundations.altered import MadeLater, altered_later, made_later
from ..foundations.collecting import uncollected
from ..foundations.geometry.nearest_motion import GENERAL, nearest_motions
from ..foundations.geometry.placing import points_placed
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.graphs.biconnected import biconnected
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from .branches import Branches, branch_steps, with_branches
from .clusters import Bodies, form_bodies
from .pair_analysis import PairAnalyst
from .pairs import ATTEMPTS
from .planar import project
from .planar_blocks import PlanarSteps
from .steps import (
    ALIGN,
    CHECK,
    DENSE,
    LARGEST_DENSE,
    PLACE,
    PLACE_PLANAR,
    SETTLE,
    SETTLE_PLANAR,
    SPARSE,
    VERIFY,
    CompiledSteps,
    Component,
    Step,
    compile_steps,
)

BRANCH_STEPS = 2
"""Steps of a branch: its CHECK, and the one that moves its body."""


@made_later("components", "steps")
@dataclass(frozen=True, eq=False)
class Plan(MadeLater):
    """Everything about an assembly that does not change while it is solved."""

    system: System
    bodies: Bodies
    table: EquationTable
    """Equations in body coordinates, markers of planar components turned so that rows separate."""
    cloud: Cloud
    components: list[Component]
    steps: list[Step]
    program: CompiledSteps
    cautious: bool = False
    """Whether parts were merged only where they hold at one relative pose."""
    attempts: int = ATTEMPTS
    """Orientations from which each pair was closed."""

    @cached_property
    def prepared(self) -> dict[str, Any]:
        """What other modules prepared for repeated solves of this plan, by their names.

        Plans with other numbers share it: it holds what follows from the structure, and of numbers
        only what `computed` follows up.  None of it refers to a plan, so that both go when nobody
        needs them.
        """
        return {}

    @cached_property
    def computed(self) -> dict[str, Any]:
        """What other modules computed from where features are, alike; plans with other targets
        share it, so that what follows from these, too, is kept with what it was computed from."""
        return {}

    @cached_property
    def fitted_start(self) -> Array:
        """Start poses of the bodies, (bodies, 12): of a cluster that which fits its features best.

        Where these leave a freedom (a spin about the line of two points), the mean of the poses
        that its parts imply decides.
        """
        start, cloud, scale = self.bodies.start.copy(), self.cloud, self.system.length
        which, implied = self.implied_starts
        if len(which):
            nearest_motions(cloud.first, cloud.own, cloud.start, which, implied, scale, start)
        return start

    @cached_property
    def implied_starts(self) -> tuple[Ints, Array]:
        """The clusters, and the means of the start poses that their parts imply, (bodies, 12)."""
        bodies, out = self.bodies, self.bodies.start.copy()
        merged = range(1, bodies.count if bodies.merged else 0)
        which = [body for body in merged if bodies.sizes[body] > 1]
        for body in which:
            parts = bodies.parts(body)
            implied = compose_all(self.system.start[parts], invert_all(bodies.relative[parts]))
            out[body] = implied.mean(axis=0)
        return np.array(which, np.int64), out

    @cached_property
    def given(self) -> EquationTable:
        """The equations with the features as given, in part coordinates, at poses of the parts.

        Markers are turned within their mate's freedom as those of `table` are.
        """
        given, nominal = self.system.table, self.bodies.table.marker_frame
        axes = [f[:, 3:].reshape(-1, 3, 3) for f in (self.table.marker_frame, nominal)]
        turned = np.any(axes[0] != axes[1], axis=(1, 2)).nonzero()[0]
        frames = given.marker_frame.copy()
        own = frames[turned, 3:].reshape(-1, 3, 3)
        by = np.einsum("nik,njk->nij", axes[0][turned], axes[1][turned])
        frames[turned, 3:] = np.einsum("nij,njk->nik", by, own).reshape(-1, 9)
        return given._replace(marker_frame=frames)

    @cached_property
    def place_in_cloud(self) -> Ints:
        """Where each point of `System.cloud` is in `cloud`."""
        return self.bodies.of_part[self.system.cloud_part].argsort(kind="stable").argsort()

    @cached_property
    def structural(self) -> frozenset[int]:
        """Equations whose targets bodies and planes follow from: those between parts of one body,
        the heights, and those that parallel planes satisfy."""
        flat = [c.projection for c in self.components if c.projection is not None]
        inner = self.system.rows(self.bodies.inner).tolist()
        return frozenset(inner).union(*((*p.heights, *p.certified) for p in flat))

    @cached_property
    def loops(self) -> dict[int, Component]:
        """The components that are loops, by number."""
        return {k: c for k, c in enumerate(self.components) if c.loop}

    @cached_property
    def readers(self) -> dict[int, int]:
        """The component whose steps were planned by the target of an equation, by equation."""
        return {e: k for k, c in enumerate(self.components) for e in c.read}

    @cached_property
    def followers(self) -> dict[tuple[int, ...], Any]:
        """What follows from the targets of equations, as `replan.revalued` found: by the structure,
        which plans with other targets and other places of features share."""
        return {}

    @cached_property
    def blocks(self) -> Ints:
        """How many blocks come before each step, and in all: shape (steps + 1,)."""
        solves = [
            action not in (CHECK, ALIGN, VERIFY) for action in self.program.step[:, 0].tolist()
        ]
        return np.concatenate([[0], np.cumsum(solves)]).astype(np.int64)


@made_later("system", "known")
@dataclass(eq=False)
class PlannedSystem(MadeLater):
    """A system and its plan, made at first use: a system that holds needs none.

    The plan knows the rigid clusters, over which constraints may reach farther.
    """

    system: System
    known: Plan | None = None

    @property
    def plan(self) -> Plan:
        """The plan, cached."""
        return self.known or self.made(Watch())

    def made(self, watch: Watch, hopeless: Callable[[], bool] | None = None) -> Plan:
        """The same, `hopeless` as of `make_plan`.

        Raises:
            Stopped: the watch interrupted it.
        """
        if self.known is None:
            self.known = make_plan(self.system, watch=watch, hopeless=hopeless)
            self.system = self.known.system
        return self.known


def steps_by_rank(plan: Plan, component: Component, rank: dict[int, int]) -> list[Step]:
    """The steps of a component, with the bodies to be locked in an order of their own.

    Those of the plan depend on how far each body is off at the start.
    """
    number = plan.components.index(component)
    own = [s for s in plan.steps[: component.end_step] if s.component == number]
    locked = any(s.action in (PLACE_PLANAR, SETTLE_PLANAR) for s in own)
    if component.projection is None or not locked:
        return own
    analyst = PairAnalyst(plan.system, plan.bodies, plan.table, plan.cloud)
    return PlanarSteps(analyst, number, component, component.projection, rank=rank).steps()


@uncollected
def make_plan(
    system: System,
    cautious: bool = False,
    watch: Watch | None = None,
    attempts: int = ATTEMPTS,
    hopeless: Callable[[], bool] | None = None,
) -> Plan:
    """Plan the solution of a system; cautiously, with so many attempts, with pairs that are
    hopeless, as of `form_bodies`.

    Raises:
        Stopped: the watch interrupted it.
    """
    watch = watch or Watch()
    watch.check()
    bodies = form_bodies(system, cautious, watch, attempts, hopeless)
    if bodies.merged:
        system = over_clusters(system, bodies.of_part, bodies.relative)
    cloud = plan_cloud(system, bodies)
    others, branches = _components(system, bodies)
    watch.check()
    table = _project_components(system, bodies, others.values(), watch)
    analyst = PairAnalyst(system, bodies, table, cloud, attempts)
    steps, program = _planned(analyst, others, branches, watch)
    # a chain has a branch for each link: they are made as objects when somebody asks for them
    components = cache(partial(_every_component, bodies, others, branches, program))
    later: dict[str, Callable[[Any], Any]] = {
        "components": lambda _: components(),
        "steps": lambda _: _every_step(program, components(), steps),
    }
    plan = Plan(system, bodies, table, cloud, [], [], program, cautious, attempts)
    return altered_later(plan, later, loops={k: c for k, c in others.items() if c.loop})


def _planned(
    analyst: PairAnalyst, others: dict[int, Component], branches: Branches, watch: Watch
) -> tuple[dict[int, list[Step]], CompiledSteps]:
    """The steps of the components that are no branches, and those of all as arrays."""
    planned: dict[int, list[Step]] = {}
    count = np.full(len(others) + len(branches.pair), BRANCH_STEPS)
    for k, component in others.items():
        watch.check()
        planned[k] = plan_steps(analyst, k, component, watch)
        count[k] = len(planned[k])
    ends = count.cumsum()
    for k, component in others.items():
        component.end_step = int(ends[k])
    watch.check()
    every = [s for steps in planned.values() for s in steps]
    program = compile_steps(others, len(count), every)
    if len(branches.pair):
        pairs, tolerance = analyst.bodies.pairs, analyst.system.tolerance
        program = with_branches(program, branches, pairs, tolerance, ends)
    return planned, program


def _every_component(
    bodies: Bodies, others: dict[int, Component], branches: Branches, program: CompiledSteps
) -> list[Component]:
    """All components, from those that are no branches."""
    out, pairs = dict(others), bodies.pairs
    ends = dict(program.step[:, [1, 5]].tolist())
    for k, e, root in zip(*(column.tolist() for column in branches), strict=True):
        a, b = pairs.bodies[e].tolist()
        mates = tuple(bodies.constraints[e].tolist())
        moved, rows = (b if a == root else a,), pairs.rows_of(e)
        out[k] = Component(root, moved, (e,), ((a, b),), mates, rows, end_step=ends[k])
    return [out[k] for k in range(len(out))]


def _every_step(
    program: CompiledSteps, components: list[Component], planned: dict[int, list[Step]]
) -> list[Step]:
    """The steps of all components, from those of the ones that are no branches."""
    found = (planned.get(k) or branch_steps(program, c) for k, c in enumerate(components))
    return [s for steps in found for s in steps]


def plan_cloud(system: System, bodies: Bodies) -> Cloud:
    """Mate features of the bodies, in body coordinates and in the world at the start, mm."""
    of_body = bodies.of_part[system.cloud_part]
    order = of_body.argsort(kind="stable")
    first = np.zeros(bodies.count + 1, np.int64)
    np.bincount(of_body, minlength=bodies.count).cumsum(out=first[1:])
    part, at = system.cloud_part[order], system.cloud[order]
    poses = bodies.relative, system.start
    return Cloud(first, *(points_placed(of_parts, part, at) for of_parts in poses))


def _components(system: System, bodies: Bodies) -> tuple[dict[int, Component], Branches]:
    """The components by number, and arrays of those that are branches without drivers."""
    links, n = bodies.links, len(bodies.constraints)
    ends, driven = links.tolist(), [len(d) > 0 for d in bodies.drivers]
    of_wide: dict[int, int] = {}
    at = n
    for k, parts in bodies.wide.items():  # a wide constraint belongs to the first of its links
        of_wide[at] = k
        at += len(parts) * (len(parts) - 1) // 2
    others: dict[int, Component] = {}
    branches: list[tuple[int, int, int]] = []
    for k, (edges, root) in enumerate(biconnected(bodies.count, links, 0)):
        if len(edges) > 1 or driven[edges[0]]:
            others[k] = _component(system, bodies, sorted(edges), root, ends, of_wide)
        else:
            branches.append((k, edges[0], root))
    return others, Branches(*np.array(branches, np.int64).reshape(-1, 3).T.copy())


def _component(
    system: System,
    bodies: Bodies,
    edges: list[int],
    root: int,
    ends: list[list[int]],
    of_wide: dict[int, int],
) -> Component:
    """The component of some links, the first of them pairs."""
    joined = tuple(tuple(ends[e]) for e in edges)
    moving = tuple(sorted({b for link in joined for b in link} - {root}))
    pairs = tuple(e for e in edges if e < len(bodies.constraints))
    constraints: list[int] = []
    for e in pairs:
        constraints += bodies.constraints[e].tolist() + bodies.drivers[e].tolist()
    constraints += [of_wide[e] for e in edges if e in of_wide]
    return Component(root, moving, pairs, joined, tuple(constraints), system.rows(constraints))


def _project_components(
    system: System, bodies: Bodies, components: Iterable[Component], watch: Watch
) -> EquationTable:
    """Find the planar components of some; the table with their markers turned."""
    turned = dict[int, Array]()
    for component in components:
        if component.loop:
            watch.check()
            rows, moving = component.rows, list(component.bodies)
            of = system.constraint_of_equation[rows]
            component.projection = project(bodies.table, component.root, moving, rows, of)
        if component.projection is not None:
            turned |= component.projection.frames
    if not turned:
        return bodies.table
    frames = bodies.table.marker_frame.copy()
    frames[[*turned]] = [*turned.values()]
    return bodies.table._replace(marker_frame=frames)


def plan_steps(
    analyst: PairAnalyst, number: int, component: Component, watch: Watch | None = None
) -> list[Step]:
    """The steps of a component, its CHECK first."""
    rows = tuple(component.rows.tolist())
    check = Step(CHECK, number, component.bodies, rows, 0)
    if not component.loop:
        return [check, _branch(analyst, number, component)]
    verify = Step(VERIFY, number, component.bodies, rows, 0)
    if component.projection is not None:
        planar = PlanarSteps(analyst, number, component, component.projection, watch)
        return [check, *planar.steps(), verify]
    n = 6 * len(component.bodies)
    action = DENSE if n <= LARGEST_DENSE else SPARSE
    columns = tuple((b, k) for b in component.bodies for k in range(6))
    return [check, Step(action, number, component.bodies, rows, n, columns=columns), verify]


def _branch(analyst: PairAnalyst, number: int, component: Component) -> Step:
    """One body by its pair: in closed form, or by projection where the pair has none."""
    bodies, n = analyst.bodies, component.pairs[0]
    child, root = component.bodies[0], component.root
    rows = tuple(component.rows.tolist())
    pairs = bodies.pairs
    if len(bodies.drivers[n]):  # a driver is one more mate of the pair
        ends = pairs.bodies[n]
        pairs, n = analyst.analyse(ends, component.rows, bodies.start, np.eye(3), False), 0
    if pairs.kind[n] == GENERAL or pairs.gap[n] > analyst.system.tolerance:
        columns = tuple((child, k) for k in range(6))
        return Step(SETTLE, number, (child,), rows, 6, root, GENERAL, columns=columns)
    at, own = pairs.frame_a[n], pairs.frame_b[n]
    if int(pairs.bodies[n, 0]) != root:
        at, own = own, at
    return Step(PLACE, number, (child,), rows, 6, root, int(pairs.kind[n]), at, own)
