"""Decomposition of loops into dyads, in an order independent of names and of order of entry.

From the fixed parts outward: a body attached by one joint, or positioned by a driver, moves with
its parent; two links with one joint between them and one joint each to placed bodies are a dyad,
which has two assembly modes; everything else is an Assur group.  Bodies are numbered as they are
placed.  Ties are decided by the location of the joints on the bodies, in the part's coordinates,
then by the lengths of the links, and last by the start poses of the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ..foundations.geometry.nearest_motion import FIXED, GENERAL
from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..model.mate import MATES
from ..model.mates.couplings import Coupling
from .body_frames import BodyFrames, Key
from .folds import Fold, fold_of, is_fixed_at
from .joints import JointTable, Pin, Slide, joints_of
from .lower_pairs import frame_along
from .open_joints import OpenJoints
from .plan import Plan, steps_by_rank
from .steps import PLACE_PLANAR, SETTLE_PLANAR, Component, Step

COUPLINGS = frozenset(name for name, kind in MATES.items() if issubclass(kind, Coupling))
"""Kinds of mates that tie one joint coordinate to others."""


@dataclass(frozen=True, eq=False)
class DyadLink:
    """One of the two links of a dyad; points in mm, in the coordinates of their bodies.

    Attributes:
        link: body, or number of a bare link; outer: the placed body that it is joined to.
        at: the outer joint on that body; outer_on_link: the same point on the link itself.
        slide: direction on the placed body where the outer joint is a slide.
        inner: the inner joint on the link; inner_slide: its direction there where it is a slide.
        length: of a bare link, or of a link between two balls, mm; None for a planar link.
    """

    link: int
    outer: int
    at: Array
    outer_on_link: Array | None
    slide: Array | None
    inner: Array | None
    inner_slide: Array | None
    length: float | None


@dataclass(frozen=True, eq=False)
class AttachedBody:
    """A body that moves with a placed one."""

    body: int
    parent: int


@dataclass(frozen=True, eq=False)
class FoldedBody(AttachedBody):
    """The same where the pair of both closes on either side."""

    fold: Fold


@dataclass(frozen=True, eq=False)
class Dyad:
    """Two links between placed bodies; `normal` is a body and the direction on it."""

    root: int
    limbs: tuple[DyadLink, DyadLink]
    normal: tuple[int, Array]


@dataclass(frozen=True, eq=False)
class AssurGroup:
    """Bodies that have to be placed together; one alone has two joints to placed bodies.

    Attributes:
        joints: of their component; alone: whether it has no sign.
        placed: the bodies of the component, including its root, that were placed before.
    """

    joints: JointTable
    bodies: tuple[int, ...]
    alone: bool
    placed: frozenset[int] = frozenset()


PlacementStage = AttachedBody | Dyad | AssurGroup


def placement_stages(
    plan: Plan, poses: Array, watch: Watch | None = None, frames: BodyFrames | None = None
) -> list[PlacementStage]:
    """The stages in which bodies are placed; hinges in space are compared at their poses.

    Args:
        frames: those of the plan, where they are there already.

    Raises:
        Stopped: the watch interrupted it.
    """
    watch = watch or Watch()
    watch.check()
    out = []
    for stage in _StageFinder(plan, poses, frames or BodyFrames(plan)).stages():
        watch.check()
        out.append(stage)
    return out


class _StageFinder:
    """What is placed next, round after round.

    A round looks only at components of which a body was placed in the round before: what another
    one can place is as it was.
    """

    def __init__(self, plan: Plan, poses: Array, frames: BodyFrames) -> None:
        self.plan, self.poses, self.frames = plan, poses, frames
        self.loops = joints_of(plan)
        in_loops = [j.component for j in self.loops]
        self.hanging: dict[int, list[Component]] = {}
        for c in plan.components:
            if c not in in_loops:
                self.hanging.setdefault(c.root, []).append(c)
        self.branches = self.hanging.pop(0, [])
        kinds = plan.system.kinds
        self.coupled = [b for k, b in plan.bodies.wide.items() if kinds[k] in COUPLINGS]
        self._steps: dict[int, list[Step]] = {}
        self.number = {0: 0}
        self.links: set[int] = set()
        self.open = {id(joints): OpenJoints(joints) for joints in self.loops}
        self.open_of: dict[int, list[OpenJoints]] = {}
        for table in self.open.values():
            for member in table.members:
                self.open_of.setdefault(member, []).append(table)
        self.awake = {id(joints) for joints in self.loops}
        self.of_body: dict[int, list[JointTable]] = {}
        for joints in self.loops:
            c, pairs = joints.component, joints.driven_pairs
            bodies = {*self.open[id(joints)].members, *c.bodies, c.root, *chain(*pairs)}
            for body in bodies:
                self.of_body.setdefault(body, []).append(joints)
        self.freed = self._coupled()
        self._nearest: dict[int, int] = {}
        self._tell_open(0)

    def stages(self) -> Iterator[PlacementStage]:
        """The stages, in order."""
        while True:
            found = [*self._branches(), *self._in_loops()] or self._by_the_plan()
            if not found:
                return
            for _, stage in sorted(found, key=lambda f: f[0]):
                if not self._is_placed(stage):
                    self._place(stage)
                    yield stage

    def _is_placed(self, stage: PlacementStage) -> bool:
        return any(m in self.number or m in self.links for m in members(stage))

    def _place(self, stage: PlacementStage) -> None:
        for member in members(stage):
            if member < 0:
                self.links.add(member)
            else:
                self.number[member] = len(self.number)
                self.branches += self.hanging.pop(member, ())
            for joints in self.of_body.get(member, ()):
                self.awake.add(id(joints))
                self._nearest.pop(id(joints), None)
            self._tell_open(member)

    def _tell_open(self, placed: int) -> None:
        for table in self.open_of.get(placed, ()):
            table.place(placed)

    def _branches(self) -> Iterator[tuple[Key, PlacementStage]]:
        branches, self.branches = self.branches, []
        for c in branches:
            if c.bodies[0] not in self.number:
                key, stage = self._attached(c.bodies[0], c.root)
                yield key, self._folded(c) or stage

    def _folded(self, c: Component) -> FoldedBody | AssurGroup | None:
        """A branch that closes in several ways; None where it does in one."""
        body, kind = c.bodies[0], int(self.plan.bodies.pairs.kind[c.pairs[0]])
        fixed = kind == FIXED or (kind == GENERAL and is_fixed_at(self.plan, c, self.poses))
        if fixed or kind != GENERAL:
            fold = fold_of(self.plan, c, self.poses, self.frames)
            if fold is not None:
                return FoldedBody(body, c.root, fold)
        if not fixed:
            return None
        return AssurGroup(JointTable(c), (body,), False, frozenset({c.root}))

    def _attached(self, body: int, parent: int) -> tuple[Key, AttachedBody]:
        return (self.number[parent], self.frames.rank[body]), AttachedBody(body, parent)

    def _in_loops(self) -> Iterator[tuple[Key, PlacementStage]]:
        """Bodies that a driver positions, bodies with two joints to placed ones, dyads."""
        awake, self.awake, before, self.freed = self.awake, set(), self.freed, self._coupled()
        if self.freed != before:
            awake = {id(joints) for joints in self.loops}
        looked_at = [j for j in self.loops if id(j) in awake]
        done = {id(j) for j in looked_at if all(b in self.number for b in j.component.bodies)}
        self.loops = [j for j in self.loops if id(j) not in done]
        for joints in looked_at:
            if id(joints) in done:
                continue
            for a, b in joints.driven_pairs:
                for body, parent in ((a, b), (b, a)):
                    if parent in self.number and body not in self.number:
                        yield self._attached(body, parent)
            for body, own in self.open[id(joints)].several(self.freed):
                alone = AssurGroup(joints, (body,), True)
                yield (min(self._base(t) for t in own), self.frames.rank[body]), alone
            yield from self._dyads(joints)

    def _coupled(self) -> set[int]:
        """Bodies whose joint coordinate a coupling with placed bodies alone determines."""
        left = [[b for b in bodies if b not in self.number] for bodies in self.coupled]
        return {bodies[0] for bodies in left if len(bodies) == 1}

    def _base(self, joint: Pin | Slide) -> int:
        """The lowest number of a placed body at a joint."""
        return min(self.number[b] for b in joint.at if b in self.number)

    # ------------------------------------------------------------------ dyads
    def _dyads(self, joints: JointTable) -> Iterator[tuple[Key, PlacementStage]]:
        for inner, outer in self.open[id(joints)].inner():
            open_links = list(outer)
            for i, one in enumerate(open_links):
                for two in open_links[:i]:
                    if max(one, two) >= 0:
                        found = self._dyad(joints, inner, {m: outer[m] for m in (one, two)})
                        if found is not None:
                            yield found

    def _dyad(
        self, joints: JointTable, inner: Pin | Slide, outer: dict[int, Pin | Slide]
    ) -> tuple[Key, PlacementStage] | None:
        """Two links as a dyad, the one that is joined to the later placed body first."""
        slides = sum(isinstance(joint, Slide) for joint in (inner, *outer.values()))
        if slides > 1:  # they have one closure only
            return None
        normal = self._normal(joints, inner, outer)
        if normal is None:
            return None
        limbs = sorted((self._limb(joints, m, o, inner) for m, o in outer.items()), key=self._order)
        key = tuple(v for limb in limbs for v in self._order(limb))
        slide = limbs[0].inner_slide
        if slide is not None and limbs[1].inner_slide is not None:
            up = float(self.frames.upward(limbs[0].link, slide) @ slide)
            ways = [limb.inner_slide for limb in limbs if limb.inner_slide is not None]
            limbs = [replace(x, inner_slide=up * w) for x, w in zip(limbs, ways, strict=True)]
        stage = Dyad(joints.component.root, (limbs[0], limbs[1]), normal)
        first = max(self.number[limb.outer] for limb in limbs)
        return (first, *key), stage

    def _order(self, limb: DyadLink) -> Key:
        """Farther from the fixed parts first; bodies before bare links; then by their shape."""
        own, inner, f = limb.outer_on_link, limb.inner, self.frames
        length = 0.0  # between two pins; a point on a slide could be anywhere along it
        pinned = limb.slide is None and limb.inner_slide is None
        if pinned and own is not None and inner is not None:
            length = float(np.linalg.norm(own - inner)) / self.plan.system.length
        at = f.location(limb.outer, limb.at) if limb.slide is None else (0.0, 0.0, 0.0)
        rank = f.rank[limb.link] if limb.link >= 0 else -1
        return (-self.number[limb.outer], float(limb.link < 0), *at, round(length, 6), rank)

    def _limb(self, joints: JointTable, m: int, outer: Pin | Slide, inner: Pin | Slide) -> DyadLink:
        base = min((b for b in outer.at if b in self.number), key=lambda b: self.number[b])
        own, inside = outer.at.get(m), inner.at.get(m)
        length = joints.lengths.get(m)
        balls = all(isinstance(joint, Pin) and not joint.axis for joint in (outer, inner))
        if own is not None and inside is not None and balls and not joints.planar:
            length = float(np.linalg.norm(inside - own))
        slide = None
        if isinstance(outer, Slide):
            slide = self.frames.upward(base, outer.direction[base])
        inner_slide = inner.direction[m] if isinstance(inner, Slide) else None
        return DyadLink(m, base, outer.at[base], own, slide, inside, inner_slide, length)

    def _normal(
        self, joints: JointTable, inner: Pin | Slide, outer: dict[int, Pin | Slide]
    ) -> tuple[int, Array] | None:
        """The axis of rotation of the dyad; None where its motion is not planar.

        A link between two balls, or a bare one, may be oblique: its end moves on a sphere.
        """
        c = joints.component
        if c.projection is not None:
            normal = c.projection.flat.normal[0]
            return c.root, self.frames.upward(c.root, normal)
        axes, slides, balls = [], [], 0
        for joint in (inner, *outer.values()):
            if isinstance(joint, Slide):
                slides.append(self._world(joint.direction))
            elif joint.axis:
                axes.append(self._world(joint.axis))
            else:
                balls += 1
        # the balls have to be the two ends of one link, the other one has a hinge or a slide
        ends = sum(isinstance(o, Pin) and not o.axis for o in outer.values())
        if balls and (balls, ends) != (2, 1):
            return None
        base = [(b, o) for o in outer.values() for b in o.at if b in self.number]
        hinged = [(b, o) for b, o in base if isinstance(o, Pin) and o.axis]
        if not hinged:
            return self._across_slide(base) if balls else None
        body, joint = min(hinged, key=lambda h: self.number[h[0]])
        n = axes[-1]
        same = self.plan.system.same_direction
        oblique = any(np.abs(np.cross(n, a)).max() > same for a in axes)
        if oblique or any(abs(float(n @ u)) > same for u in slides):
            return None
        assert isinstance(joint, Pin)
        return body, self.frames.upward(body, joint.axis[body])

    def _across_slide(self, base: list[tuple[int, Pin | Slide]]) -> tuple[int, Array] | None:
        """Any direction across the slide of a link: the other link moves on a sphere."""
        for body, joint in base:
            if isinstance(joint, Slide):
                return body, frame_along(joint.at[body], joint.direction[body])[3:6]
        return None

    def _world(self, direction: dict[int, Array]) -> Array:
        body = min(direction)
        out: Array = direction[body] @ self.poses[body, 3:].reshape(3, 3)
        return out

    # ------------------------------------------------------------------ Assur groups
    def _by_the_plan(self) -> list[tuple[Key, PlacementStage]]:
        """What a plan places next in the first component that is not finished.

        Its bodies are locked by their rank: the stages must not depend on how far the start is off.
        """
        ready = [j for j in self.loops if j.component.root in self.number]
        if not ready:
            return []

        def turn(joints: JointTable) -> tuple[int, int]:
            c = joints.component
            if id(joints) not in self._nearest:
                ranks = (self.frames.rank[b] for b in c.bodies if b not in self.number)
                self._nearest[id(joints)] = min(ranks)
            return self.number[c.root], self._nearest[id(joints)]

        joints = min(ready, key=turn)
        component = joints.component
        bodies: set[int] = set()
        columns: set[tuple[int, int]] = set()
        if id(component) not in self._steps:
            self._steps[id(component)] = steps_by_rank(self.plan, component, self.frames.rank)
        for step in self._steps[id(component)]:
            new = {b for b, _ in step.columns} - set(self.number)
            if new and not bodies and step.action in (PLACE_PLANAR, SETTLE_PLANAR):
                return [self._attached(step.bodies[0], step.parent)]
            bodies |= new
            columns |= {c for c in step.columns if c[0] in new or c[0] in bodies}
            if bodies and len(columns) == len(component.unknowns) * len(bodies):
                break
        bodies = bodies or set(component.bodies) - set(self.number)
        order = tuple(sorted(bodies, key=lambda b: self.frames.rank[b]))
        placed = set(self.number) & {component.root, *component.bodies}
        return [((0.0,), AssurGroup(joints, order, False, frozenset(placed)))]


def members(stage: PlacementStage) -> tuple[int, ...]:
    """The bodies and bare links that a stage places."""
    if isinstance(stage, AttachedBody):
        return (stage.body,)
    if isinstance(stage, Dyad):
        return tuple(limb.link for limb in stage.limbs)
    return stage.bodies


def moved_with(frame: Array, before: Array, now: Array) -> Array:
    """A frame moved with another one, from `before` to `now`: 12 numbers each."""
    motion = compose_all(now[None], invert_all(before[None]))
    out: Array = compose_all(motion, frame[None])[0]
    return out
