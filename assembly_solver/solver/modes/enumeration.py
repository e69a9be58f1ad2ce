"""Assembly modes: the ways in which the loops of an assembly close, and their names.

A loop that is a chain of dyads is enumerated: every dyad is closed on either side in closed form,
in its order, so that nothing is missed.  Other groups of bodies are sampled from turned and
mirrored starts, always the same ones.  A mode is named by its signs (see `structure.signs`); of
different solutions with the same signs the one nearest to the start bears the bare name, those
after it a number.  What drivers do not hold, and what the plan holds for them, stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...equations.table import residuals
from ...foundations.geometry.pose import Pose
from ...foundations.types import Array
from ...foundations.watch import Watch
from ...structure.dyads import Carry, Dyad, Frames, Group, Stage, carried, members, take_apart
from ...structure.plan import Plan
from ...structure.poses import fitted_start, part_poses
from ..active_set import off_of
from ..solver import solve
from .dyad_closure import close_dyad
from .orientation import signs_of, sines_of
from .sampling import Sampler

MOST = 256
"""Modes that are followed where nothing else is said."""

LONGEST = 16
"""Signs up to which the mode nearest to the start is looked for unasked."""

NEAR = 1e-3
"""Residual, relative to the characteristic length, from which a composed mode is polished."""

CLEAR = 0.1
"""Sine above which a start that is not assembled yet counts as being in a mode."""


@dataclass(frozen=True)
class Mode:
    """One way in which an assembly closes.

    Attributes:
        name: its signs; poses: of the parts.
        distance: how far the parts are from their start, mm: root mean square displacement of
            their mate features and of the tips of their axes.
        complete: whether the list that it is from holds all modes; else it was sampled or cut.
    """

    name: str
    poses: dict[str, Pose]
    distance: float
    complete: bool


class Found(NamedTuple):
    """A mode as frames: bodies (bodies, 12), parts (parts, 12)."""

    name: str
    bodies: Array
    parts: Array
    distance: float


class _State(NamedTuple):
    """Bodies placed so far, and the signs of their stages."""

    poses: Array
    signs: str
    distance: float


class Modes:
    """The assembly modes around one solution.

    Args:
        plan: that led to it; bodies: poses of its bodies, shape (bodies, 12).
        most: modes that are followed; of more, those nearest to the start.
        watch: who may stop a search.
    """

    def __init__(
        self, plan: Plan, bodies: Array, most: int = MOST, watch: Watch | None = None
    ) -> None:
        self.plan, self.base, self.most = plan, bodies, most
        self.watch = watch or Watch()
        self.frames = Frames(plan)
        self.stages: list[Stage] = []
        drivers = plan.bodies.drivers
        if any(c.loop or any(len(drivers[p]) for p in c.pairs) for c in plan.components):
            self.stages = take_apart(plan, bodies)
        self.cut = False

    def signs(self, bodies: Array, clear: float | None = None) -> str:
        """The signs of all stages at some poses; with `clear` only those are not 0 that are."""
        sines = [s for stage in self.stages for s in sines_of(stage, bodies, self.frames)]
        return signs_of(sines) if clear is None else signs_of(sines, clear)

    @cached_property
    def name(self) -> str | None:
        """The signs of the solution itself; None where nothing has a sign."""
        return self.signs(self.base) or None

    @cached_property
    def start(self) -> Array:
        """Where the bodies start."""
        return fitted_start(self.plan)

    @property
    def switched_from(self) -> str | None:
        """The signs of the start, where one that is clear is not that of the solution."""
        start = self.signs(self.start, CLEAR)
        pairs = zip(start, self.name or "", strict=True)
        return start if any({a, b} == {"+", "-"} for a, b in pairs) else None

    def is_name(self, name: str) -> bool:
        """Whether a name has the form of a mode of this assembly, reachable or not."""
        found = re.fullmatch(r"([+0-]*)( [1-9][0-9]*)?", name)
        return found is not None and len(found[1]) == len(self.name or "")

    @property
    def complete(self) -> bool:
        """Whether all modes are found, not a sample of them."""
        groups = [s for s in self.stages if isinstance(s, Group) and not s.alone]
        return not groups and not self.cut

    @property
    def nearest(self) -> Found | None:
        """The mode nearest to the start where the loops are chains of dyads and not too long."""
        groups = any(isinstance(s, Group) and not s.alone for s in self.stages)
        if groups or not 0 < len(self.name or "") <= LONGEST:
            return None
        return next(iter(self.all), None)

    def named(self, name: str) -> Found | None:
        """The mode with this name; None where there is none at these values of the drivers."""
        signs = name.partition(" ")[0]
        return next((m for m in self._found(signs) if m.name == name), None)

    @cached_property
    def all(self) -> list[Found]:
        """All modes, the nearest to the start first."""
        return self._found(None)

    # ------------------------------------------------------------------ search
    def _found(self, signs: str | None) -> list[Found]:
        """Modes that hold, named apart; with `signs` only those that have them."""
        if self.name is None:
            return []
        states = [_State(self.base.copy(), "", 0.0)]
        self.cut = False
        for stage in self.stages:
            grown = [s for state in states for s in self._grown(state, stage)]
            if signs is not None:
                grown = [s for s in grown if signs.startswith(s.signs)]
            states = sorted(grown, key=lambda s: s.distance)[: self.most]
            self.cut = self.cut or len(grown) > self.most
        held = [m for m in (self._closed(s) for s in states) if m is not None]
        return _named_apart(sorted(held, key=lambda m: m.distance))

    def _grown(self, state: _State, stage: Stage) -> Iterator[_State]:
        """A state with one more stage placed, in every way that there is."""
        self.watch.check()
        bodies = [m for m in members(stage) if m >= 0]
        for poses in self._placed(state.poses, stage):
            away = sum(self._away(poses, b) for b in bodies)
            signs = signs_of(sines_of(stage, poses, self.frames))
            yield _State(poses, state.signs + signs, state.distance + away)

    def _placed(self, before: Array, stage: Stage) -> Iterator[Array]:
        """Poses with the bodies of one stage placed, each way that it has."""
        poses = before.copy()
        if isinstance(stage, Carry):
            self._carry(poses, stage.body, stage.parent)
            yield poses
        elif isinstance(stage, Group):
            root = stage.joints.component.root
            for body in stage.bodies:
                self._carry(poses, body, root)
            yield from self.sampler.placed(poses, stage)
        else:
            yield from self._sides(poses, stage)

    def _sides(self, poses: Array, dyad: Dyad) -> Iterator[Array]:
        """A dyad closed on either side; as it is in the solution where its pivots are there."""
        for limb in dyad.limbs:
            if limb.link >= 0:
                self._carry(poses, limb.link, dyad.root if limb.slide is None else limb.outer)
        still = all(np.array_equal(poses[m], self.base[m]) for m in members(dyad) if m >= 0)
        still = still and all(
            np.array_equal(poses[limb.outer], self.base[limb.outer]) for limb in dyad.limbs
        )
        own = signs_of(sines_of(dyad, self.base, self.frames))
        if still:
            yield poses
        for positive in (True, False):
            if still and own == ("+" if positive else "-"):
                continue
            other = poses.copy()
            if not close_dyad(other, dyad, positive):
                return
            there = signs_of(sines_of(dyad, other, self.frames))
            if there != "0" or (not still and positive):
                yield other

    def _carry(self, poses: Array, body: int, parent: int) -> None:
        """Move a body as another one has moved since the solution."""
        poses[body] = self.base[body]
        if not np.array_equal(poses[parent], self.base[parent]):
            poses[body] = carried(self.base[body], self.base[parent], poses[parent])

    @cached_property
    def sampler(self) -> Sampler:
        return Sampler(self.plan, self.stages, self.frames)

    def _away(self, poses: Array, body: int) -> float:
        """Sum of squared displacements from the start, mm2: of the mate features of a body, and of
        the tips of its axes at their reach, for turns that leave the features in place."""
        c, start = self.plan.cloud, self.start[body]
        own = c.own[c.first[body] : c.first[body + 1]]
        moved = np.sum((_world(poses[body], own) - _world(start, own)) ** 2)
        turned = np.sum((poses[body, 3:] - start[3:]) ** 2) * self.plan.system.length**2
        return float(moved + turned)

    def _closed(self, state: _State) -> Found | None:
        """A state as a mode, if promises and limits hold there and its signs are still the same."""
        s, bodies = self.plan.system, state.poses
        off = self._off(bodies)
        if off > NEAR * s.length:
            return None
        if off > s.stop:
            bodies = solve(self.plan, thorough=False, watch=self.watch, first=bodies).bodies
        parts = part_poses(self.plan, bodies, self.start)
        if off_of(s, parts) > s.tolerance or self.signs(bodies) != state.signs:
            return None
        away = sum(self._away(bodies, b) for b in range(1, len(bodies)))
        first = int(self.plan.cloud.first[1]) if len(bodies) > 1 else 0
        points = max(1, len(self.plan.cloud.own) - first + 3 * (len(bodies) - 1))
        return Found(state.signs, bodies, parts, float(np.sqrt(away / points)))

    def _off(self, bodies: Array) -> float:
        rows = np.arange(len(self.plan.table.target))
        return residuals(self.plan.table, bodies, rows, np.empty(len(rows)))


def _world(pose: Array, points: Array) -> Array:
    out: Array = pose[:3] + points @ pose[3:].reshape(3, 3)
    return out


def _named_apart(found: list[Found]) -> list[Found]:
    """Modes with the same signs numbered from the second on."""
    seen: dict[str, int] = {}
    out = []
    for m in found:
        seen[m.name] = seen.get(m.name, 0) + 1
        out.append(m if seen[m.name] == 1 else m._replace(name=f"{m.name} {seen[m.name]}"))
    return out
