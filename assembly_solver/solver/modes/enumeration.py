"""Assembly modes: the different closures of the loops of an assembly, and their names.

A loop that is a chain of dyads is enumerated: both modes of every dyad are computed in closed form,
in order, so that none is missed.  Other groups of bodies are sampled, see `sampling`.  A mode is
named by its signs (see `orientation`); of those with the same signs all but the one nearest to the
start have also a number.  Free coordinates, and those that the plan locked, keep their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...equations.table import residuals
from ...foundations.geometry.nearest_motion import FIXED, FREE, GENERAL
from ...foundations.geometry.pose import Pose
from ...foundations.types import Array
from ...foundations.watch import Watch
from ...structure.body_frames import BodyFrames
from ...structure.dyads import (
    AssurGroup,
    AttachedBody,
    Dyad,
    FoldedBody,
    PlacementStage,
    members,
    moved_with,
    placement_stages,
)
from ...structure.folds import may_fold
from ...structure.one_way import holds_one_way
from ...structure.plan import Plan, make_plan
from ...structure.poses import body_poses, part_poses
from ..active_set import holds_within_bounds
from ..refinement import refined
from ..solver import solve
from .dyad_closure import TURNING, close_dyad, closes_anyhow
from .orientation import StageSigns, features_at, signs_of, sines_at
from .placed import UNCOUNTED, PartialMode, Placed
from .sines import SignTable

if TYPE_CHECKING:
    from .sampling import Sampler

MOST = 256
"""Modes that are followed by default."""

AT_ONCE = 16
"""Modes of chains of dyads that are counted without being asked for: some ms."""

LONGEST = 16
"""Signs up to which the mode nearest to the start is searched where no mode is requested."""

NEAR = 1e-3
"""A setting: residual, relative to the characteristic length, from which a composed mode is
polished; and how far it moves at most where it holds within the tolerance."""

CLEAR = 0.1
"""Sine above which a start that is not assembled yet counts as being in a mode."""


@dataclass(frozen=True)
class Mode:
    """One assembly mode.

    Attributes:
        name: its signs; poses: of the parts.
        distance: how far the parts are from their start, mm: root mean square displacement of
            their mate features and of the tips of their axes.
        closures: how many closures meet in it: 1 but at a dead point.
        complete: whether the list that it is from contains all modes; else it was sampled or cut.
        why: why that is not known, or nothing.
        solutions: how many closures the equations have in complex numbers, where all loops are one
            group of bodies and they were all followed; these modes are the real ones.
    """

    name: str
    poses: dict[str, Pose]
    distance: float
    closures: int
    complete: bool
    why: str
    solutions: int | None


class FoundMode(NamedTuple):
    """A mode as frames: bodies (bodies, 12), parts (parts, 12); and the closures that meet."""

    name: str
    bodies: Array
    parts: Array
    distance: float
    closures: int


def modes_around(plan: Plan, parts: Array, watch: Watch | None = None) -> Modes:
    """The assembly modes around poses of the parts, (parts, 12), at which a plan's mates hold.

    Parts that it made one body, but that may close in other ways, are taken apart if a plan can.
    """
    system, loose, doubt = plan.system, plan.bodies.loose, ""
    if len(loose):
        apart = make_plan(system, cautious=True, watch=watch)
        off = part_poses(apart, body_poses(apart, parts), apart.fitted_start) - parts
        if max(np.abs(off[:, :3]).max() / system.length, np.abs(off[:, 3:]).max()) <= NEAR:
            plan, loose = apart, apart.bodies.loose
        if len(loose):
            names = sorted({system.parts[n] for n in system.ends[loose].ravel()})
            doubt = f"{' and '.join(names)} were taken for one body"
    return Modes(plan, body_poses(plan, parts), MOST, watch, doubt)


class Modes:
    """The assembly modes around one solution.

    Args:
        plan: of the solution; bodies: poses of its bodies, shape (bodies, 12).
        most: modes that are followed; of more, those nearest to the start.
        but: why modes may be missing whatever is found, or nothing.
    """

    def __init__(
        self, plan: Plan, bodies: Array, most: int = MOST, watch: Watch | None = None, but: str = ""
    ) -> None:
        self.plan, self.base, self.most, self.doubt = plan, bodies, most, but
        self.watch = watch or Watch()
        self.frames = BodyFrames(plan)
        self.stage_signs = StageSigns(self.frames, self.watch)
        self.stages: list[PlacementStage] = []
        drivers = plan.bodies.drivers
        if any(
            c.loop
            or int(plan.bodies.pairs.kind[c.pairs[0]]) in (FIXED, GENERAL)
            or may_fold(plan.table, plan.bodies.pairs.rows_of(c.pairs[0]))
            or any(len(drivers[p]) for p in c.pairs)
            for c in plan.components
        ):
            self.stages = placement_stages(plan, bodies, self.watch, self.frames)
        self.cut = False

    def signs(self, bodies: Array, clear: float | None = None) -> str:
        """The signs of all stages at some poses, 0 for sines up to `clear`."""
        values = sines_at(self.table, bodies)
        return signs_of(values) if clear is None else signs_of(values, clear)

    @cached_property
    def table(self) -> SignTable:
        """The signs of all stages."""
        return self.stage_signs.table(self.stages)

    @cached_property
    def name(self) -> str | None:
        """The signs of the solution itself; None where nothing has a sign."""
        return self.signs(self.base) or None

    @cached_property
    def start(self) -> Array:
        """Start poses of the bodies."""
        return self.plan.fitted_start

    @property
    def switched_from(self) -> str | None:
        """The signs of the start where a clear one differs from the solution's; else None."""
        start = self.signs(self.start, CLEAR)
        pairs = zip(start, self.name or "", strict=True)
        return start if any({a, b} == {"+", "-"} for a, b in pairs) else None

    def is_name(self, name: str) -> bool:
        """Whether a name has the form of a mode of this assembly; it need not exist."""
        if self.name is None:
            return re.fullmatch("[1-9][0-9]*", name) is not None
        found = re.fullmatch(r"([+0-]*)( [1-9][0-9]*)?", name)
        return found is not None and len(found[1]) == len(self.name)

    @property
    def _sampled(self) -> bool:
        """Whether there are groups without a closed form."""
        return any(isinstance(s, AssurGroup) and not s.alone for s in self.stages)

    @property
    def has_loops(self) -> bool:
        """Whether there is more than one way to close to ask for."""
        return self.name is not None or self._sampled or bool(self.doubt)

    @property
    def in_closed_form(self) -> bool:
        """Whether all are chains of dyads, of which there are at most `AT_ONCE` modes."""
        return not self._sampled and 2 ** len(self.name or "") <= AT_ONCE

    @property
    def folds(self) -> bool:
        """Whether there are pairs that close on either side."""
        return any(isinstance(s, FoldedBody) for s in self.stages)

    @property
    def complete(self) -> bool:
        """Whether `all` has all modes, not a sample of them."""
        return not self.why

    @property
    def why(self) -> str:
        """Why `all` may lack modes; nothing where it has them all, or was not asked for."""
        if self.cut:
            return f"of many only the {self.most} nearest were followed"
        groups = [s for s in self.stages if isinstance(s, AssurGroup) and not s.alone]
        if groups and "all" not in vars(self):
            return "they were not searched for"
        counts = [self.sampler.counts.get(g.bodies, UNCOUNTED) for g in groups]
        return self.doubt or next((c.why for c in counts if c.why), "") or self._unsure

    @cached_property
    def _unsure(self) -> str:
        """Mates of a pair, in a loop or folding, that may hold in more ways than supposed."""
        pairs, ends = self.plan.bodies.pairs, list[tuple[int, int]]()
        folds = [s for s in self.stages if isinstance(s, FoldedBody) and not s.fold.sure]
        ends += [(s.parent, s.body) for s in folds]
        for p in (p for c in self.plan.loops.values() for p in c.pairs):
            a, b = pairs.bodies[p].tolist()
            lower = int(pairs.kind[p]) not in (GENERAL, FIXED, FREE)
            if lower and not holds_one_way(self.plan.table, self.base, (a, b), pairs.rows_of(p)):
                ends.append((a, b))
        of = (self.plan.bodies.parts(body)[0] for body in ends[0]) if ends else ()
        names = " and ".join(sorted(self.plan.system.parts[n] for n in of))
        return f"the mates of {names} may hold in other ways, too" if names else ""

    @property
    def solutions(self) -> int | None:
        """How many closures there are in complex numbers, where all loops are one group of bodies
        that are placed together, and that is known."""
        several = [s for s in self.stages if isinstance(s, AssurGroup | Dyad | FoldedBody)]
        if len(several) != 1 or not isinstance(several[0], AssurGroup) or not self.complete:
            return None
        return self.sampler.counts.get(several[0].bodies, UNCOUNTED).solutions

    @property
    def nearest(self) -> FoundMode | None:
        """The mode nearest to the start where the loops are chains of dyads and not too long."""
        if self._sampled or not 0 < len(self.name or "") <= LONGEST:
            return None
        return next(iter(self.all), None)

    def named(self, name: str) -> FoundMode | None:
        """The mode with this name; None where there is none at these values of the drivers."""
        signs = None if self.name is None else name.partition(" ")[0]
        return next((m for m in self._found(signs) if m.name == name), None)

    @cached_property
    def all(self) -> list[FoundMode]:
        """All modes, the nearest to the start first."""
        return self._found(None)

    # ------------------------------------------------------------------ search
    def searched(self, most: int) -> Modes:
        """Those around the same solution, so many at most, all of them found."""
        out = Modes(self.plan, self.base, most, self.watch, self.doubt)
        assert out.all is not None
        return out

    def _found(self, signs: str | None) -> list[FoundMode]:
        """Modes that hold, with unique names; with `signs` only those that have them."""
        if not self.has_loops:
            return []
        states, cut = [PartialMode(self.base.copy(), "", 0.0, 1)], False
        for stage in self.stages:
            grown = [s for state in states for s in self._grown(state, stage)]
            if signs is not None:
                grown = [s for s in grown if signs.startswith(s.signs)]
            states = sorted(grown, key=lambda s: s.distance)[: self.most]
            cut = cut or len(grown) > self.most
        self.cut = cut if signs is None else self.cut  # what is missing of one name says nothing
        modes = [m for m in (self._closed(s) for s in states) if m is not None]
        if not modes and signs in (None, self.name):
            self.doubt = self.doubt or "the search did not even find this one again"
            modes = [self._mode(self.base, self.name or "", 1)]
        return _named_uniquely(self._different(sorted(modes, key=lambda m: m.distance)))

    def _different(self, found: list[FoundMode]) -> list[FoundMode]:
        """Modes by distance, without those that are another one within the tolerance: samples that
        hold roughly, near a dead point, are polished to the same."""
        out, near = list[FoundMode](), self.plan.system.tolerance
        for m in found:
            alike = [k for k in out if k.name == m.name and m.distance - k.distance <= near]
            if all(self._moved(k.bodies, m.bodies) > near for k in alike):
                out.append(m)
        return out

    def _moved(self, one: Array, two: Array) -> float:
        """How far all bodies are apart from one pose to another, mm."""
        return float(np.sqrt(sum(self._apart(one, two, b) for b in range(1, len(one)))))

    def _grown(self, state: PartialMode, stage: PlacementStage) -> Iterator[PartialMode]:
        """A state with one more stage placed, in each of its modes."""
        self.watch.check()
        bodies = [m for m in members(stage) if m >= 0]
        for poses, closures in self._placed(state.poses, stage):
            away = state.distance + sum(self._apart(poses, self.start, b) for b in bodies)
            signs = state.signs + self.stage_signs.of(stage, poses)
            yield PartialMode(poses, signs, away, state.closures * closures)

    def _placed(self, before: Array, stage: PlacementStage) -> Iterator[Placed]:
        """Poses with the bodies of one stage placed, one for each of its modes."""
        poses = before.copy()
        if isinstance(stage, AttachedBody):
            self._move_with(poses, stage.body, stage.parent)
            folds = isinstance(stage, FoldedBody)
            dead = folds and self.stage_signs.of(stage, poses) == "0"
            yield Placed(poses, 2 if dead else 1)
            if isinstance(stage, FoldedBody) and not dead:
                other = poses.copy()
                stage.fold.mirror(other, stage.body)
                yield Placed(other, 1)
        elif isinstance(stage, AssurGroup):
            for body in stage.bodies:
                self._move_with(poses, body, stage.joints.component.root)
            yield from self.sampler.placed(poses, stage)
        else:
            yield from self._sides(poses, stage)

    def _sides(self, poses: Array, dyad: Dyad) -> Iterator[Placed]:
        """The modes of a dyad; where its pivots have not moved, that of the solution unchanged."""
        for limb in dyad.limbs:
            if limb.link >= 0:
                self._move_with(poses, limb.link, dyad.root if limb.slide is None else limb.outer)
        around = [*(m for m in members(dyad) if m >= 0), *(limb.outer for limb in dyad.limbs)]
        if closes_anyhow(poses, dyad, self.plan.system.same_place):
            self.doubt = self.doubt or TURNING
        unmoved = all(np.array_equal(poses[m], self.base[m]) for m in around)
        own = self.stage_signs.of(dyad, self.base)
        if unmoved:
            dead = own == "0" and close_dyad(poses.copy(), dyad, True)
            yield Placed(poses, 2 if dead else 1)
        for positive in (True, False):
            if unmoved and own == ("+" if positive else "-"):
                continue
            other = poses.copy()
            if not close_dyad(other, dyad, positive):
                return
            there = self.stage_signs.of(dyad, other)
            if there != "0" or (not unmoved and positive):
                yield Placed(other, 2 if there == "0" else 1)

    def _move_with(self, poses: Array, body: int, parent: int) -> None:
        """Move a body as another one has moved since the solution."""
        poses[body] = self.base[body]
        if not np.array_equal(poses[parent], self.base[parent]):
            poses[body] = moved_with(self.base[body], self.base[parent], poses[parent])

    @cached_property
    def sampler(self) -> Sampler:
        """Solves the groups that have no closed form."""
        from .sampling import Sampler  # few assemblies have such groups

        return Sampler(self.plan, self.stages, self.stage_signs, self.base)

    def _apart(self, one: Array, two: Array, body: int) -> float:
        """Sum of squared displacements from one pose to another, mm2: of the mate features of a
        body, and of the tips of its axes, for rotations that do not move the features."""
        here, there = (features_at(p, body, self.plan.cloud) for p in (one, two))
        rotated = np.sum((one[body, 3:] - two[body, 3:]) ** 2)
        return float(np.sum((here - there) ** 2) + rotated * self.plan.system.length**2)

    def _closed(self, state: PartialMode) -> FoundMode | None:
        """A state as a mode, if constraints and limits hold and its signs are unchanged."""
        s, bodies = self.plan.system, state.poses
        rows = np.arange(len(self.plan.table.target))
        off = residuals(self.plan.table, bodies, rows, np.empty(len(rows)))
        if off > NEAR * s.length:
            return None
        if off > s.convergence_tolerance:
            polished = solve(self.plan, thorough=False, watch=self.watch, first=bodies).bodies
            if off > s.tolerance or self._moved(polished, bodies) <= NEAR * s.length:
                bodies = polished  # else that is another mode
        found = self._mode(bodies, state.signs, state.closures)
        good = holds_within_bounds(s, found.parts) and self.signs(bodies) == state.signs
        return found if good else None

    def _mode(self, bodies: Array, signs: str, closures: int) -> FoundMode:
        """Poses of the bodies as a mode, with its distance from the start."""
        parts = refined(self.plan.system, part_poses(self.plan, bodies, self.start))
        away = sum(self._apart(bodies, self.start, b) for b in range(1, len(bodies)))
        first = int(self.plan.cloud.first[1]) if len(bodies) > 1 else 0
        points = max(1, len(self.plan.cloud.own) - first + 3 * (len(bodies) - 1))
        return FoundMode(signs, bodies, parts, float(np.sqrt(away / points)), closures)


def _named_uniquely(found: list[FoundMode]) -> list[FoundMode]:
    """Modes with the same signs numbered from the second on, all of them where there are none."""
    count: dict[str, int] = {}
    out = []
    for m in found:
        count[m.name] = count.get(m.name, 0) + 1
        bare = m.name and count[m.name] == 1
        out.append(m if bare else m._replace(name=f"{m.name} {count[m.name]}".strip()))
    return out
