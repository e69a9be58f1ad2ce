"""The trees of poses that grow from the assembly modes, and the paths between these.

From the pose that is nearest to drawn values the drivers go straight to these, and stop before a
pose that may be singular; where they stop is a pose of the tree.  From there they go to the present
values again, and to the nearest pose of another tree: two modes are joined where they arrive in
one.  The chain of straight paths between the modes is swept as a whole as soon as it is found.

Source: docs/modes.md, "Which modes a motion joins".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import FreeInNoJoint
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..kinematics.assembly_motion import (
    AssemblyMotion,
    DrivenAssembly,
    at_state,
    follow_schedule,
    regularity,
)
from ..kinematics.chain import CLEARLY_REGULAR
from ..kinematics.schedule import Law, Schedule, SweepRun, linear
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..results.joined_modes import JoiningPath
from ..results.motion import Motion
from ..solver.active_set import within_bounds
from ..solver.modes.enumeration import Mode
from .sweeping import begun, sweep

LOOKS = 12
"""Parts of a path at whose ends limits and regularity are looked at: at most 15 degrees each."""


@dataclass(eq=False)
class _Pose:
    """A pose that is reached from a mode without a singular one.

    Attributes:
        ready: the assembly there; values: of the drivers, whole turns counted, mm and degrees.
        seen: where its parts are, over the characteristic length (see `_seen`).
        tree: number of the mode that it is reached from first.
        next: the poses that straight paths lead to, and by how much drivers go.
    """

    ready: DrivenAssembly
    values: Array
    seen: Array
    tree: int
    next: list[tuple[_Pose, Array]] = field(default_factory=list)


class ModeTrees:
    """The trees of poses that grow from the modes, and the paths between them.

    Attributes:
        followed: straight paths that were; unlisted: where parts are in ways to close that no mode
            of the list is; joining: for each class of modes a path from its first to every other.
    """

    def __init__(
        self, given: Assembly, drivers: list[Driver], found: list[Mode], watch: Watch
    ) -> None:
        self.given, self.drivers, self.found, self.watch = given, drivers, found, watch
        self.followed, self.most = 0, 0
        self.unlisted: list[Array] = []
        self.joining: list[JoiningPath] = []
        self.present = np.array([d.value for d in drivers], float)
        self.turning = np.array([turns(d) for d in drivers])
        self.roots: list[_Pose] = []
        for tree, mode in enumerate(found):
            start = begun(self.moved_to(mode), self._named(self.present), (0.0, 1.0))
            self.length = start.ready.plan.system.length
            ready = replace(start.ready, regular_only=True)
            values = np.array([start.values[d.name] for d in drivers])
            seen = _seen(ready, ready.plan.system.start)
            self.roots.append(_Pose(ready, values, seen, tree))
        self.poses = [*self.roots]

    def moved_to(self, mode: Mode) -> Assembly:
        """The assembly in one of its modes."""
        out = self.given.copy()
        out.move(mode.poses)
        return out

    def _named(self, values: Array) -> dict[str, float]:
        return dict(zip((d.name for d in self.drivers), values.tolist(), strict=True))

    def _step(self, pose: _Pose, to: Array) -> Array:
        """By how much drivers go from a pose to values; of whole turns the nearest."""
        step: Array = to - pose.values
        step -= 360.0 * np.round(step / 360.0) * self.turning
        return step

    # ---------------------------------------------------------------- growing
    def grow(self, paths: int, rng: np.random.Generator) -> None:
        """Follow so many straight paths at most, until all modes are joined."""
        self.most = paths
        low, high = np.array([_span(d, self.length) for d in self.drivers]).T
        wide = np.where(high > low, high - low, 1.0)
        tries = 2 * paths if (high > low).any() else 0  # a path may be no way at all
        while tries > 0 and self.followed < paths and len(groups := self._groups()) > 1:
            tries -= 1
            group = groups[int(rng.integers(len(groups)))]
            drawn = rng.uniform(low, high)
            own = [p for p in self.poses if p.tree in group]
            start = min(own, key=lambda p: np.abs(self._step(p, drawn) / wide).max())
            new = self._grown(start, self._step(start, drawn))
            if new is None:
                continue
            home = self._grown(new, self._step(new, self.present), self.roots)
            if home is not None and not any(home is r for r in self.roots):
                self._note_unlisted(home)
            others = [p for p in self.poses if p.tree not in group]
            near = min(others, key=lambda p: float(np.sum((p.seen - new.seen) ** 2)))
            self._grown(new, self._step(new, near.values), [near])
            if len(self._groups()) < len(groups):
                self._confirm()
        self._confirm()

    def _grown(self, start: _Pose, step: Array, ends: list[_Pose] | None = None) -> _Pose | None:
        """The pose to which a straight path leads, or before which it stops; None for no way.

        Args:
            ends: poses that stand at the end of the path, one of which it may be.
        """
        if self.followed >= self.most or not np.abs(step).max() > 0.0:
            return None
        self.watch.tell(self.followed, self.most, "following paths")
        laws = {
            d.name: linear(float(v), float(by), 0.0)
            for d, v, by in zip(self.drivers, start.values, step, strict=True)
        }
        found, last = _driven(start.ready, laws, self.watch.searching(self.watch.place))
        self.watch.check()  # what was cut off is no path that was followed
        self.followed += 1
        if found is None or last <= 0:
            return None
        seen, share = _seen(start.ready, found.frames[last]), last / LOOKS
        for end in ends or ():
            if last == LOOKS and self._same(end, seen):
                break
        else:
            ready = at_state(start.ready, found, last)
            end = _Pose(ready, start.values + share * step, seen, start.tree)
            self.poses.append(end)
        start.next.append((end, share * step))
        end.next.append((start, -share * step))
        return end

    def _same(self, one: _Pose, seen: Array) -> bool:
        """Whether parts stand alike within the tolerance."""
        off = float(np.abs(one.seen - seen).max())
        return off * self.length <= one.ready.plan.system.tolerance

    def _note_unlisted(self, pose: _Pose) -> None:
        """Keep a way to close at the present values that is not in the list of modes."""
        off = np.abs(self._step(pose, self.present)).max()
        known = any(self._same(pose, seen) for seen in self.unlisted)
        if off <= AGREEMENT * (1.0 + np.abs(self.present).max()) and not known:
            self.unlisted.append(pose.seen)

    def _groups(self) -> list[set[int]]:
        """The trees that are joined with each other."""
        left, out = set(range(len(self.roots))), list[set[int]]()
        while left:
            tree = min(left)
            out.append({p.tree for p in self._reached(self.roots[tree])})
            left -= out[-1]
        return out

    @staticmethod
    def _reached(start: _Pose) -> dict[_Pose, list[Array]]:
        """The poses that paths lead to, each with the steps of the shortest chain of them."""
        out: dict[_Pose, list[Array]] = {start: []}
        waiting = deque([start])
        while waiting:
            now = waiting.popleft()
            for end, step in now.next:
                if end not in out:
                    out[end] = [*out[now], step]
                    waiting.append(end)
        return out

    # ---------------------------------------------------------------- the answer
    @property
    def unconfirmed(self) -> int:
        """Modes that straight paths join with others, and no sweep of the whole chain did."""
        return len(self.found) - len(self.joining) - len(self._groups())

    def _confirm(self) -> None:
        """Sweep as a whole the chains of paths that are not yet."""
        known = {(p.start, p.end): p for p in self.joining}
        joining, left = list[JoiningPath](), list(range(len(self.found)))
        while left:
            first = left.pop(0)
            reached = self._reached(self.roots[first])
            for k in [k for k in left if self.roots[k] in reached]:
                path = known.get((self.found[first].name, self.found[k].name))
                path = path or self._swept(first, k, reached[self.roots[k]])
                if path is not None:
                    left.remove(k)
                    joining.append(path)
        self.joining = joining

    def _swept(self, first: int, last: int, steps: list[Array]) -> JoiningPath | None:
        """A chain of paths as one motion, which must end in the other mode; None where it fails."""
        start, end = self.found[first], self.found[last]
        points = np.cumsum([self.present, *steps], axis=0)
        points[-1] = self.present + 360.0 * np.round((points[-1] - self.present) / 360.0)
        told = {d.name: tuple(points[:, k].tolist()) for k, d in enumerate(self.drivers)}
        path = JoiningPath(start.name, end.name, told, 0.0)
        motion = self._motion(first, path)
        followed = motion.followed
        if not motion or motion.events or followed is None:
            return None
        least = min(regularity(followed, s) for s in range(len(followed.off)))
        goal = self.roots[last]
        arrived = self._same(goal, _seen(goal.ready, motion.frames[-1]))
        return replace(path, regularity=least) if least >= CLEARLY_REGULAR and arrived else None

    def certify(self) -> None:
        """Prove the steps of the paths in the answer, one path after the other."""
        names = [m.name for m in self.found]
        for k, path in enumerate(self.joining):
            proof = self._motion(names.index(path.start), path, certify=True).certified
            assert proof is not None
            good = all(step["proved"] for step in proof["steps"])
            self.joining[k] = replace(path, certified=good, proof=proof["words"])

    def _motion(self, first: int, path: JoiningPath, certify: bool = False) -> Motion:
        moved = self.moved_to(self.found[first])
        motion = sweep(moved, path.values, certify=certify, cancel=self.watch.over)
        self.watch.check()  # what was cut off is no path that failed
        return motion


def _seen(ready: DrivenAssembly, frames: Array) -> Array:
    """Frames of the parts (parts, 12) as (points, coordinates), over the characteristic length.

    Where coordinates are locked these are the points of the mate features only: parts that spin
    idly may stand in a mode as they do not arrive in it.
    """
    system = ready.plan.system
    if not any(chain.locked for chain in ready.chains.values()):
        out: Array = frames / np.repeat([system.length, 1.0], [3, 9])
        return out
    own = frames[system.cloud_part]
    points = own[:, :3] + np.einsum("nk,nkr->nr", system.cloud, own[:, 3:].reshape(-1, 3, 3))
    return np.asarray(points / system.length)


def _driven(
    ready: DrivenAssembly, laws: Mapping[str, Law], watch: Watch
) -> tuple[AssemblyMotion | None, int]:
    """The motion over a straight path, and its last state up to which no pose may be singular and
    limits hold, -1 where the first is; None where it cannot begin."""
    t, states = np.linspace(0.0, 1.0, LOOKS + 1), np.arange(LOOKS + 1)
    schedule = Schedule(t, {}, (SweepRun(states, t, laws),), states)
    try:
        found = follow_schedule(ready, schedule, watch)
    except FreeInNoJoint:
        return None, 0
    if found.lock_changes:
        return None, 0
    system, good = ready.plan.system, found.reached
    good &= np.array([regularity(found, s) >= CLEARLY_REGULAR for s in states.tolist()])
    good &= np.array([within_bounds(system, frames) for frames in found.frames])
    return found, int(np.argmin(good) if not good.all() else len(good)) - 1


def _span(driver: Driver, length: float) -> tuple[float, float]:
    """Between which values a driver goes, mm or degrees."""
    assert driver.value is not None
    if driver.range is not None:
        return driver.range
    far, (low, high) = (180.0 if driver.unit == "deg" else length), driver.range_of_values
    return max(low, driver.value - far), min(high, driver.value + far)


def turns(driver: Driver) -> bool:
    """Whether a driver may go whole turns."""
    if driver.unit != "deg" or np.isfinite(driver.range_of_values).any():
        return False
    return driver.range is None or driver.range[1] - driver.range[0] >= 360.0 - AGREEMENT
