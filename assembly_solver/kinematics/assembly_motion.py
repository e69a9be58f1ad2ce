"""Motion of an assembly in the world: all its chains followed through a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..foundations.geometry.pose import compose_all
from ..foundations.types import Array, Ints
from ..foundations.watch import Stopped, Watch
from ..structure.plan import Plan
from .branch_following import ChainFollower
from .chain import PreparedChain, markers_in, own_table, prepare, relative_to_root
from .chain_arrays import Tolerances
from .lock_change import BRAKE, LockChange
from .locked_coordinates import LockedCoordinate
from .schedule import Schedule, SweepRun
from .singularities import Obstacle
from .stepper import DriverEquation, GuidedMarker, Stepper
from .world_motion import MotionArrays, at_parts, compose_with_root

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class DrivenAssembly:
    """An assembly prepared to be driven, at solved poses.

    Attributes:
        plan: with the drivers among its constraints; drivers: the moving ones, by name.
        guides: the moving ones, by the number of their marker; released: coordinates of drivers
            without a value, which are locked first.
        poses: of the bodies, (bodies, 12), world; chains: of the driven components, by number.
        hold_any: whether another coordinate may be locked at a dead point that a locked one makes.
        regular_only: whether a motion stops before a pose that may be singular.
        changes: of locked coordinates that are under way, by the number of the chain.
    """

    plan: Plan
    drivers: Mapping[str, DriverEquation]
    guides: Mapping[int, GuidedMarker]
    released: tuple[LockedCoordinate, ...]
    poses: Array
    chains: Mapping[int, PreparedChain]
    hold_any: bool = False
    regular_only: bool = False
    changes: Mapping[int, LockChange] = field(default_factory=dict)

    @property
    def equations(self) -> Ints:
        """Equations of the drivers."""
        return np.array([d.equation for d in self.drivers.values()], np.int64)

    @property
    def markers(self) -> Ints:
        """Markers that the guides move."""
        return np.array(sorted(self.guides), np.int64)


def prepare_driven(
    plan: Plan,
    poses: Array,
    drivers: Mapping[str, DriverEquation],
    guides: Mapping[int, GuidedMarker],
    released: Sequence[LockedCoordinate],
) -> DrivenAssembly:
    """Prepare all components with drivers or guides; poses: (bodies, 12), world."""
    ready = DrivenAssembly(plan, drivers, guides, tuple(released), poses, {})
    equations, moving = ready.equations, ready.markers
    chains = {
        k: prepare(plan, poses, c, equations, moving, released)
        for k, c in enumerate(plan.components)
        if np.isin(equations, c.rows).any() or np.isin(moving, markers_in(plan.table, c.rows)).any()
    }
    return replace(ready, chains=chains)


def at_state(ready: DrivenAssembly, found: AssemblyMotion, state: int) -> DrivenAssembly:
    """The assembly at the poses of a reached state, with the coordinates locked that are there or a
    change of these under way, and the turns that angles have made until there."""
    poses, first = found.bodies[state], found.schedule.again[state]
    chains, changes = {}, dict(found.ready.changes)
    for k, f in found.followers.items():
        component, n = ready.plan.components[k], int(f.section[first])
        if n < 0:
            changes[k] = f.changes[-1 - n]
        prepared = f.sections[n] if n >= 0 else changes[k].braking
        start, table = prepared.start.copy(), own_table(prepared.chain.table)
        start[list(component.bodies)] = relative_to_root(poses, component)
        table.reference[prepared.chain.turns] = f.track.turned[first]
        chains[k] = prepared._replace(start=start, chain=prepared.chain._replace(table=table))
    return replace(ready, poses=poses, chains=chains, changes=changes)


def _with_change(ready: DrivenAssembly, k: int, change: LockChange) -> DrivenAssembly:
    """The assembly at the poses where a change of the locked coordinate of chain k begins."""
    old, made = ready.chains[k], change.braking
    table, turns = own_table(made.chain.table), old.chain.table.reference
    table.reference[: len(turns)] = turns[: len(table.reference)]
    braking = made._replace(start=old.start, chain=made.chain._replace(table=table))
    chains, changes = {**ready.chains, k: braking}, {**ready.changes, k: change}
    return replace(ready, chains=chains, changes=changes)


@dataclass(frozen=True, eq=False)
class MetObstacle:
    """An obstacle with the component that met it."""

    component: int
    follower: ChainFollower
    run: SweepRun
    obstacle: Obstacle


@dataclass(frozen=True, eq=False)
class AssemblyMotion:
    """Motion of the parts of an assembly.

    Attributes:
        frames: (states, parts, 12), world; twists, accelerations: (states, parts, 6): of origins
            and spins, mm, rad, s; NaN where a state was not reached.
        bodies: (states, bodies, 12), poses of the bodies, world.
        off: (states,), largest residual, mm.
        met: singular poses on the path; those that stop it last.
        interrupted: why a watch interrupted it, or "".
    """

    ready: DrivenAssembly
    schedule: Schedule
    frames: Array
    twists: Array
    accelerations: Array
    bodies: Array
    off: Array
    met: tuple[MetObstacle, ...]
    followers: Mapping[int, ChainFollower]
    interrupted: str = ""

    @property
    def singular_start(self) -> bool:
        """Whether no state was reached because the first one is singular."""
        return any(f.singular_start for f in self.followers.values())

    @property
    def lock_changes(self) -> tuple[tuple[ChainFollower, LockChange], ...]:
        """Changes of locked coordinates, in the order of each chain."""
        return tuple((f, change) for f in self.followers.values() for change in f.changes)

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which states were reached."""
        out: NDArray[np.bool_] = np.isfinite(self.off)
        return out

    def is_near(self, state: int, poses: Array) -> bool:
        """Whether a state is reached where bodies are as near to poses (bodies, 12), world, as
        poses are to a singular one that hold within the tolerance: at the distance d from it mates
        are off by the square of d, both relative to the characteristic length."""
        system = self.ready.plan.system
        gone = np.abs(self.bodies[state] - poses) * np.repeat([1.0, system.length], [3, 9])
        near = np.sqrt(system.tolerance * system.length)
        return bool(self.reached[state] and gone.max() <= near)


def regularity(found: AssemblyMotion, state: int) -> float:
    """The least of those of its chains at a state; 0 at a singular one and where it is not reached.

    See `PreparedChain.regularity`.
    """
    least = 1.0
    for f in found.followers.values():
        if not np.isfinite(f.track.off[state]):
            return 0.0
        poses = f.prepared.start.copy()
        poses[f.chain.bodies] = f.track.poses[state]
        least = min(least, f.prepared.regularity(poses))
    return least


def bodies_at(found: AssemblyMotion, met: MetObstacle) -> Array:
    """Poses of all bodies at an obstacle, (bodies, 12), world; other chains: the state before."""
    state = int(met.run.states[met.obstacle.state])
    poses: Array = found.bodies[state].copy()
    component = found.ready.plan.components[met.component]
    members = list(component.bodies)
    root = np.repeat(poses[component.root][None], len(members), axis=0)
    poses[members] = compose_all(root, met.obstacle.poses[members])
    return poses


def follow_schedule(ready: DrivenAssembly, schedule: Schedule, watch: Watch) -> AssemblyMotion:
    """Follow all chains through a schedule, until an obstacle stops one or a watch interrupts."""
    states = len(schedule.t)
    followers = {k: _follower(ready, k, p, states) for k, p in ready.chains.items()}
    interrupted, watch.place = "", "while it was swept"
    try:
        for n, run in enumerate(schedule.runs):
            watch.tell(n, len(schedule.runs), "sweeping")
            if not all([f.follow(run) for f in followers.values()]):
                break
    except Stopped as stop:
        interrupted = stop.words
    frames, twists, accelerations, bodies = _in_world(ready, followers, states)
    off = _unmet_prescriptions(ready, followers, schedule)
    for f in followers.values():
        off = np.maximum(off, f.track.off)
    lost = np.isnan(off)
    again = schedule.again
    for array in (frames, twists, accelerations, bodies):
        array[lost] = np.nan
        array[:] = array[again]
    found = [MetObstacle(k, f, run, o) for k, f in followers.items() for run, o in f.obstacles]
    found.sort(key=lambda m: m.obstacle.stops)
    return AssemblyMotion(
        ready,
        schedule,
        frames,
        twists,
        accelerations,
        bodies,
        off[again],
        tuple(found),
        followers,
        interrupted,
    )


def follow_on(ready: DrivenAssembly, run: SweepRun, t: Array, watch: Watch) -> AssemblyMotion:
    """The motion of an assembly at a state of a run, to further times of the run.

    Args:
        ready: the assembly as of `at_state`; t: (n,), s, increasing, the first that of the state.
    """
    states = np.arange(len(t))
    laws = {**run.laws, **{_brake(k): change.law for k, change in ready.changes.items()}}
    way = Schedule(t, {}, (SweepRun(states, t, laws),), states)
    return follow_schedule(ready, way, watch)


def followed_to(
    found: AssemblyMotion, run: SweepRun, state: int, t: float
) -> Iterator[AssemblyMotion]:
    """The motion from a state of a run, number `state` of it, to a later time, s, in parts: one
    ends where the locked coordinate of a chain is released.  The last may not be reached."""
    now, ready = float(run.t[state]), at_state(found.ready, found, int(run.states[state]))
    all_changes = ((k, change) for k, f in found.followers.items() for change in f.changes)
    due = [(k, c) for k, c in all_changes if c.run is run and now <= c.start < t]
    for k, change in sorted(due, key=lambda x: x[1].start):
        if change.start > now:
            part = follow_on(ready, run, np.array([now, change.start]), Watch())
            yield part
            if not part.reached[1]:
                return
            now, ready = change.start, at_state(ready, part, 1)
        ready = _with_change(ready, k, change)
    yield follow_on(ready, run, np.array([now, t]), Watch())


def _brake(k: int) -> str:
    """Name of the driver that brings a coordinate of chain k to rest."""
    return f"{BRAKE} {k}"


def _unmet_prescriptions(
    ready: DrivenAssembly, followers: Mapping[int, ChainFollower], schedule: Schedule
) -> Array:
    """Residual of drivers and guides between parts of one body, (states,), mm."""
    off, plan = np.zeros(len(schedule.t)), ready.plan
    table, held = plan.system.table, plan.bodies.table.marker_frame
    driven = {int(e) for f in followers.values() for e in f.chain.driven}
    led = {int(m) for f in followers.values() for m in f.chain.moving}
    for run in schedule.runs:
        worst = [np.zeros(len(run.t))]
        for name, driver in ready.drivers.items():
            if (k := driver.equation) not in driven:
                asked = run.laws[name](run.t)[0] * driver.scale
                worst.append(table.weight[k] * np.abs(asked - table.target[k]))
        for marker in set(ready.guides) - led:
            gone = ready.guides[marker].at(run.t)[0] - held[marker]
            turned = np.linalg.norm(gone[:, 3:], axis=1) / np.sqrt(2.0)  # rad, where it is small
            worst.append(np.linalg.norm(gone[:, :3], axis=1) + plan.system.length * turned)
        off[run.states] = np.max(worst, axis=0)
    return off


def _follower(ready: DrivenAssembly, k: int, prepared: PreparedChain, states: int) -> ChainFollower:
    """A follower with a copy of the table, which a sweep changes."""
    plan, system = ready.plan, ready.plan.system
    chain = prepared.chain
    own = prepared._replace(chain=chain._replace(table=own_table(chain.table)))
    reach = float(np.abs(prepared.start[own.chain.bodies, :3]).max(initial=0.0)) + system.length
    drivers = {n: d for n, d in ready.drivers.items() if d.equation in own.chain.driven}
    if k in ready.changes:
        drivers[_brake(k)] = DriverEquation(ready.changes[k].row, False)
    tolerances = Tolerances(16 * EPS * reach, system.convergence_tolerance)
    by = Stepper(own.chain, drivers, ready.guides, tolerances)
    component, equations, moving = plan.components[k], ready.equations, ready.markers

    def again(
        poses: Array, keep: Sequence[LockedCoordinate], avoid: LockedCoordinate | None
    ) -> PreparedChain:
        return prepare(plan, poses, component, equations, moving, ready.released, keep, avoid)

    only = ready.regular_only
    return ChainFollower(own, by, states, again, system.tolerance, ready.hold_any, only)


def _in_world(
    ready: DrivenAssembly, followers: Mapping[int, ChainFollower], states: int
) -> tuple[Array, Array, Array, Array]:
    """Frames, twists, accelerations of the parts and poses of the bodies, world."""
    plan = ready.plan
    n, of_part = plan.bodies.count, plan.bodies.of_part
    poses = np.empty((states, n, 12))
    poses[:] = ready.poses
    twists, changes = np.zeros((states, n, 6)), np.zeros((states, n, 6))
    motion = MotionArrays(poses, twists, changes)
    moved = {0: False}
    for k, c in enumerate(plan.components):
        f = followers.get(k)
        moves = f is not None or moved.get(c.root, False)
        moved.update(dict.fromkeys(c.bodies, moves))
        if not moves:
            continue
        if f is not None:
            bodies = f.chain.bodies
            poses[:, bodies] = f.track.poses
            twists[:, bodies], changes[:, bodies] = f.track.twists, f.track.changes
        else:
            bodies = np.array(c.bodies, np.int64)
            poses[:, bodies] = relative_to_root(ready.poses, c)
        compose_with_root(c.root, bodies, motion)
    return *at_parts(of_part, plan.bodies.relative, motion), poses
