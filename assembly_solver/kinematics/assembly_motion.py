"""All chains of an assembly followed through a schedule, and put together in the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.types import Array
from ..foundations.watch import Stopped, Watch
from ..structure.plan import Plan
from ..structure.steps import Component
from .branch_following import Follower
from .chain import Prepared, markers_in, prepare
from .held_coordinates import Hold
from .schedule import Run, Schedule
from .singularities import Obstacle
from .stepper import Guided, Prescribed, Stepper
from .world_motion import at_parts, ride

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Ready:
    """An assembly ready to be driven, at poses that hold.

    Attributes:
        plan: with the drivers among its promises; drivers: those that will change, by name; guides:
            those that move, by the number of their marker; idle: what drivers let go.
        poses: of the bodies; chains: of the components that drivers change, by number.
    """

    plan: Plan
    drivers: Mapping[str, Prescribed]
    guides: Mapping[int, Guided]
    idle: tuple[Hold, ...]
    poses: Array
    chains: Mapping[int, Prepared]


def make_ready(
    plan: Plan,
    poses: Array,
    drivers: Mapping[str, Prescribed],
    guides: Mapping[int, Guided],
    idle: Sequence[Hold],
) -> Ready:
    """Prepare every component that has one of the drivers or guides (by their markers)."""
    equations = np.array([d.equation for d in drivers.values()], np.int64)
    moving = np.array(sorted(guides), np.int64)
    chains = {
        k: prepare(plan, poses, c, equations, moving, idle)
        for k, c in enumerate(plan.components)
        if np.isin(equations, c.rows).any() or np.isin(moving, markers_in(plan.table, c.rows)).any()
    }
    return Ready(plan, drivers, guides, tuple(idle), poses, chains)


def at_state(ready: Ready, found: Travel, state: int) -> Ready:
    """The same assembly where it stands in a state that was reached."""
    poses = found.bodies[state]
    chains = {}
    for k, f in found.followers.items():
        component = ready.plan.components[k]
        start = f.prepared.start.copy()
        start[list(component.bodies)] = _seen(poses, component)
        chains[k] = f.prepared._replace(start=start)
    return replace(ready, poses=poses, chains=chains)


@dataclass(frozen=True, eq=False)
class Met:
    """An obstacle with the component that met it."""

    component: int
    follower: Follower
    run: Run
    obstacle: Obstacle


@dataclass(frozen=True, eq=False)
class Travel:
    """What the parts of an assembly did.

    Attributes:
        frames: (states, parts, 12); twists, accelerations: (states, parts, 6): of origins and
            spins, mm, rad, s; not numbers where a state was not reached.
        bodies: (states, bodies, 12), their poses.
        off: (states,), the worst equation of the components that moved, mm.
        met: singular poses; those that stop come last.
        halted: what a watch stopped it with, "" if none did.
    """

    ready: Ready
    schedule: Schedule
    frames: Array
    twists: Array
    accelerations: Array
    bodies: Array
    off: Array
    met: tuple[Met, ...]
    followers: Mapping[int, Follower]
    halted: str = ""

    @property
    def singular_start(self) -> bool:
        """Whether it could not begin because the first state is singular."""
        return any(f.singular_start for f in self.followers.values())

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which states were reached."""
        out: NDArray[np.bool_] = np.isfinite(self.off)
        return out


def bodies_at(found: Travel, met: Met) -> Array:
    """Poses of all bodies where a singular pose was met, those of other chains as just before."""
    state = int(met.run.states[met.obstacle.state])
    poses: Array = found.bodies[state].copy()
    component = found.ready.plan.components[met.component]
    members = list(component.bodies)
    root = np.repeat(poses[component.root][None], len(members), axis=0)
    poses[members] = compose_all(root, met.obstacle.poses[members])
    return poses


def travel(ready: Ready, schedule: Schedule, watch: Watch) -> Travel:
    """Follow every chain through a schedule; one that stops stops all."""
    states = len(schedule.t)
    followers = {k: _follower(ready, k, p, states) for k, p in ready.chains.items()}
    halted, watch.place = "", "while it was swept"
    try:
        for n, run in enumerate(schedule.runs):
            watch.tell(n, len(schedule.runs), "sweeping")
            if not all([f.go(run) for f in followers.values()]):
                break
    except Stopped as stop:
        halted = stop.words
    frames, twists, accelerations, bodies = _put_together(ready, followers, states)
    off = _asked_in_vain(ready, followers, schedule)
    for f in followers.values():
        off = np.maximum(off, f.track.off)
    lost = np.isnan(off)
    again = schedule.again
    for array in (frames, twists, accelerations, bodies):
        array[lost] = np.nan
        array[:] = array[again]
    found = [
        Met(k, f, run, obstacle) for k, f in followers.items() for run, obstacle in f.obstacles
    ]
    found.sort(key=lambda m: m.obstacle.stops)
    return Travel(
        ready,
        schedule,
        frames,
        twists,
        accelerations,
        bodies,
        off[again],
        tuple(found),
        followers,
        halted,
    )


def _asked_in_vain(ready: Ready, followers: Mapping[int, Follower], schedule: Schedule) -> Array:
    """What drivers and guides are off whose parts are rigid with each other, mm: these stay."""
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


def _follower(ready: Ready, k: int, prepared: Prepared, states: int) -> Follower:
    """A follower with tables of its own: targets and turns change on the way."""
    plan, system = ready.plan, ready.plan.system
    t = prepared.chain.table
    table = t._replace(
        target=t.target.copy(), reference=t.reference.copy(), marker_frame=t.marker_frame.copy()
    )
    own = prepared._replace(chain=prepared.chain._replace(table=table))
    reach = float(np.abs(prepared.start[own.chain.bodies, :3]).max(initial=0.0)) + system.length
    drivers = {n: d for n, d in ready.drivers.items() if d.equation in own.chain.driven}
    by = Stepper(own.chain, drivers, ready.guides, 16 * EPS * reach, system.stop)
    moving = np.array(sorted(ready.guides), np.int64)
    equations = np.array([d.equation for d in ready.drivers.values()], np.int64)
    return Follower(
        own,
        by,
        states,
        lambda poses: prepare(plan, poses, plan.components[k], equations, moving, ready.idle),
    )


def _put_together(
    ready: Ready, followers: Mapping[int, Follower], states: int
) -> tuple[Array, Array, Array, Array]:
    """Motions of the parts in the world, and poses of the bodies."""
    plan = ready.plan
    n, of_part = plan.bodies.count, plan.bodies.of_part
    poses = np.empty((states, n, 12))
    poses[:] = ready.poses
    twists, changes = np.zeros((states, n, 6)), np.zeros((states, n, 6))
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
            poses[:, bodies] = _seen(ready.poses, c)
        ride(c.root, bodies, poses, twists, changes)
    frames = np.empty((states, len(of_part), 12))
    speeds, accelerations = np.empty((2, states, len(of_part), 6))
    at_parts(of_part, plan.bodies.relative, poses, twists, changes, frames, speeds, accelerations)
    return frames, speeds, accelerations, poses


def _seen(poses: Array, c: Component) -> Array:
    """Poses of the bodies of a component seen from its root."""
    away = np.repeat(invert_all(poses[c.root][None]), len(c.bodies), axis=0)
    return compose_all(away, poses[list(c.bodies)])
