"""Loops taken apart into dyads, in an order that names and order of entry do not change.

From the held parts outward: a body that hangs on one joint, or that a driver holds, goes with the
body that carries it; two links with one joint between them and one joint each to placed bodies are
a dyad, which has two assembly modes; what is neither is a group.  Placed bodies are numbered as
they are placed.  Ties go by the place of the joints on the bodies, in the part's own coordinates,
then by the lengths of the links, and at the very end by where the parts start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..foundations.geometry.pose import compose_all, invert_all
from ..foundations.types import Array
from ..model.mate import MATES
from ..model.mates.couplings import Coupling
from .joints import SAME, Joints, Pin, Slide, joints_of
from .lower_pairs import frame_along
from .plan import Plan
from .steps import PLACE_FLAT, SETTLE_FLAT

Key = tuple[float, ...]

COUPLINGS = frozenset(name for name, kind in MATES.items() if issubclass(kind, Coupling))
"""Kinds of mates that tie one joint coordinate to others."""


@dataclass(frozen=True, eq=False)
class Limb:
    """One of the two links of a dyad.

    Attributes:
        link: body, or number of a bare link; outer: the placed body that it is joined to.
        at: the outer joint on that body; own: the same point on the link itself.
        slide: direction on the placed body where the outer joint is a slide.
        inner: the inner joint on the link; way: its direction there, where it is a slide.
        length: of a bare link, or of a link between two balls; None where it is a plane link.
    """

    link: int
    outer: int
    at: Array
    own: Array | None
    slide: Array | None
    inner: Array | None
    way: Array | None
    length: float | None


@dataclass(frozen=True, eq=False)
class Carry:
    """A body that goes with a placed one."""

    body: int
    parent: int


@dataclass(frozen=True, eq=False)
class Dyad:
    """Two links between placed bodies; `normal` is the body that it is fixed in, and itself."""

    root: int
    limbs: tuple[Limb, Limb]
    normal: tuple[int, Array]


@dataclass(frozen=True, eq=False)
class Group:
    """Bodies that have to be placed together; one alone has two joints to placed bodies.

    Attributes:
        joints: of their component; bodies: in their order; alone: whether no sign is needed.
        placed: the bodies of the component, its root too, that were placed before.
    """

    joints: Joints
    bodies: tuple[int, ...]
    alone: bool
    placed: frozenset[int] = frozenset()


Stage = Carry | Dyad | Group


class Frames:
    """Own coordinates of bodies: those of their part with the most mates.

    They are what a place or a direction on a body is told in, so that neither the order of parts
    nor a motion of the whole assembly matters.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        s = plan.system
        degree = np.bincount(s.ends[: s.mates].ravel(), minlength=len(s.parts))
        arms = np.sum((s.cloud - s.centre[s.cloud_part]) ** 2, axis=1)
        reach = np.bincount(s.cloud_part, weights=arms, minlength=len(s.parts)) / s.length**2
        order = sorted(range(len(s.parts)), key=lambda k: (-degree[k], -round(float(reach[k]), 6)))
        self.frame: dict[int, Array] = {}
        self.weight: dict[int, Key] = {}
        for k in order:
            body = int(plan.bodies.of_part[k])
            if body not in self.frame:
                self.frame[body] = plan.bodies.relative[k]
                self.weight[body] = (-float(degree[k]), -round(float(reach[k]), 6))

    def seat(self, body: int, point: Array) -> Key:
        """A point of a body in its own coordinates, rounded, in units of the length."""
        f = self.frame[body]
        own = f[3:].reshape(3, 3) @ (point - f[:3])
        return tuple(round(float(v), 6) + 0.0 for v in own / self.plan.system.length)

    def upward(self, body: int, way: Array) -> Array:
        """A direction on a body or its opposite: up along its own z, else its y, else its x."""
        own = self.frame[body][3:].reshape(3, 3) @ way
        for k in (2, 1, 0):
            if abs(own[k]) > SAME:
                return way if own[k] > 0 else -way
        return way

    @cached_property
    def rank(self) -> dict[int, int]:
        """Bodies in an order of last resort: mates, reach, where they start beside the held."""
        start, centre = self.plan.bodies.start, self.plan.bodies.centre
        at = {
            b: self.seat(0, start[b, :3] + centre[b] @ start[b, 3:].reshape(3, 3))
            for b in range(len(start))
        }
        order = sorted(self.frame, key=lambda b: (self.weight[b], at[b]))
        return {b: n for n, b in enumerate(order)}


def take_apart(plan: Plan, poses: Array) -> list[Stage]:
    """The stages in which the bodies of an assembly are placed.

    Args:
        poses: of the bodies, solved or not: hinges in space are compared there.
    """
    return list(_Finder(plan, poses).stages())


class _Finder:
    def __init__(self, plan: Plan, poses: Array) -> None:
        self.plan, self.poses, self.frames = plan, poses, Frames(plan)
        self.loops = joints_of(plan)
        apart = [j.component for j in self.loops]
        self.branches = [c for c in plan.components if c not in apart]
        kinds = plan.system.kinds
        self.coupled = [b for k, b in plan.bodies.wide.items() if kinds[k] in COUPLINGS]
        self.number = {0: 0}
        self.links: set[int] = set()

    def stages(self) -> Iterator[Stage]:
        while True:
            found = [*self._hanging(), *self._in_loops()] or self._by_the_plan()
            if not found:
                return
            for _, stage in sorted(found, key=lambda f: f[0]):
                if not self._taken(stage):
                    self._place(stage)
                    yield stage

    def _taken(self, stage: Stage) -> bool:
        return any(m in self.number or m in self.links for m in members(stage))

    def _place(self, stage: Stage) -> None:
        for member in members(stage):
            if member < 0:
                self.links.add(member)
            else:
                self.number[member] = len(self.number)

    def _hanging(self) -> Iterator[tuple[Key, Stage]]:
        self.branches = [c for c in self.branches if c.bodies[0] not in self.number]
        for c in self.branches:
            if c.root in self.number:
                yield self._carried(c.bodies[0], c.root)

    def _carried(self, body: int, parent: int) -> tuple[Key, Stage]:
        return (self.number[parent], self.frames.rank[body]), Carry(body, parent)

    def _in_loops(self) -> Iterator[tuple[Key, Stage]]:
        """Bodies that a driver holds, bodies with two joints to placed ones, dyads."""
        left = [j for j in self.loops if any(b not in self.number for b in j.component.bodies)]
        self.loops = left
        for joints in left:
            for a, b in joints.glued:
                for body, parent in ((a, b), (b, a)):
                    if parent in self.number and body not in self.number:
                        yield self._carried(body, parent)
            outer = self._outer(joints)
            geared = self._geared()
            for body, ties in outer.items():
                if body >= 0 and (len(ties) > 1 or body in geared):
                    alone = Group(joints, (body,), True)
                    yield (min(self._base(t) for t in ties), self.frames.rank[body]), alone
            yield from self._dyads(joints, {m: t[0] for m, t in outer.items() if len(t) == 1})

    def _geared(self) -> set[int]:
        """Bodies that a coupling with placed ones alone turns, or slides, on their joint."""
        left = [[b for b in bodies if b not in self.number] for bodies in self.coupled]
        return {bodies[0] for bodies in left if len(bodies) == 1}

    def _outer(self, joints: Joints) -> dict[int, list[Pin | Slide]]:
        """The joints of the open bodies and bare links with placed bodies."""
        out: dict[int, list[Pin | Slide]] = {}
        for joint in joints.every:
            if any(b in self.number for b in joint.at):
                for m in joint.members:
                    if m not in self.number and m not in self.links:
                        out.setdefault(m, []).append(joint)
        return out

    def _base(self, joint: Pin | Slide) -> int:
        """Number of the placed body of a joint that was placed first."""
        return min(self.number[b] for b in joint.at if b in self.number)

    # ------------------------------------------------------------------ dyads
    def _dyads(self, joints: Joints, outer: dict[int, Pin | Slide]) -> Iterator[tuple[Key, Stage]]:
        for inner in joints.every:
            if any(b in self.number for b in inner.at):
                continue
            open_links = [m for m in sorted(inner.members) if m in outer]
            for i, one in enumerate(open_links):
                for two in open_links[:i]:
                    if max(one, two) >= 0:
                        found = self._dyad(joints, inner, {m: outer[m] for m in (one, two)})
                        if found is not None:
                            yield found

    def _dyad(
        self, joints: Joints, inner: Pin | Slide, outer: dict[int, Pin | Slide]
    ) -> tuple[Key, Stage] | None:
        """Two links as a dyad, the one that is joined to the later placed body first."""
        slides = sum(isinstance(joint, Slide) for joint in (inner, *outer.values()))
        if slides > 1:  # they close in one way only
            return None
        normal = self._normal(joints, inner, outer)
        if normal is None:
            return None
        limbs = [self._limb(joints, m, o, inner) for m, o in outer.items()]
        limbs = sorted(limbs, key=self._order)
        key = tuple(v for limb in limbs for v in self._order(limb))
        if limbs[0].way is not None and limbs[1].way is not None:
            up = float(self.frames.upward(limbs[0].link, limbs[0].way) @ limbs[0].way)
            limbs = [replace(limb, way=up * limb.way) for limb in limbs if limb.way is not None]
        stage = Dyad(joints.component.root, (limbs[0], limbs[1]), normal)
        first = max(self.number[limb.outer] for limb in limbs)
        return (first, *key), stage

    def _order(self, limb: Limb) -> Key:
        """Farther from the held parts first; bodies before bare links; then by their shape."""
        own, inner, f = limb.own, limb.inner, self.frames
        length = 0.0  # between two pins; a point on a slide could be anywhere along it
        if limb.slide is None and limb.way is None and own is not None and inner is not None:
            length = float(np.linalg.norm(own - inner)) / self.plan.system.length
        at = f.seat(limb.outer, limb.at) if limb.slide is None else (0.0, 0.0, 0.0)
        rank = f.rank[limb.link] if limb.link >= 0 else -1
        return (-self.number[limb.outer], float(limb.link < 0), *at, round(length, 6), rank)

    def _limb(self, joints: Joints, m: int, outer: Pin | Slide, inner: Pin | Slide) -> Limb:
        base = min((b for b in outer.at if b in self.number), key=lambda b: self.number[b])
        own, inside = outer.at.get(m), inner.at.get(m)
        length = joints.lengths.get(m)
        balls = not joints.flat and isinstance(outer, Pin) and isinstance(inner, Pin)
        if own is not None and inside is not None and balls:
            assert isinstance(outer, Pin) and isinstance(inner, Pin)
            if not outer.axis and not inner.axis:
                length = float(np.linalg.norm(inside - own))
        slide = outer.way[base] if isinstance(outer, Slide) else None
        way = inner.way[m] if isinstance(inner, Slide) else None
        if slide is not None:
            slide = self.frames.upward(base, slide)
        return Limb(m, base, outer.at[base], own, slide, inside, way, length)

    def _normal(
        self, joints: Joints, inner: Pin | Slide, outer: dict[int, Pin | Slide]
    ) -> tuple[int, Array] | None:
        """The direction that the dyad turns about; None where its motion is not in a plane.

        A link between two balls, or a bare one, may be oblique: its end runs on a sphere.
        """
        c = joints.component
        if c.projection is not None:
            normal = c.projection.flat.normal[0]
            return c.root, self.frames.upward(c.root, normal)
        axes, ways, balls = [], [], 0
        for joint in (inner, *outer.values()):
            if isinstance(joint, Slide):
                ways.append(self._world(joint.way))
            elif joint.axis:
                axes.append(self._world(joint.axis))
            else:
                balls += 1
        if balls > 2 or (balls and not self._balls_on_one_link(inner, outer)):
            return None
        base = [(b, o) for o in outer.values() for b in o.at if b in self.number]
        hinged = [(b, o) for b, o in base if isinstance(o, Pin) and o.axis]
        if not hinged:
            return self._across_slide(base) if balls else None
        body, joint = min(hinged, key=lambda h: self.number[h[0]])
        n = axes[-1]
        if any(np.abs(np.cross(n, a)).max() > SAME for a in axes):
            return None
        if any(abs(float(n @ w)) > SAME for w in ways):
            return None
        assert isinstance(joint, Pin)
        return body, self.frames.upward(body, joint.axis[body])

    def _balls_on_one_link(self, inner: Pin | Slide, outer: dict[int, Pin | Slide]) -> bool:
        """Whether the balls are the two ends of one link, the other link having hinge or slide."""
        ball = [isinstance(o, Pin) and not o.axis for o in outer.values()]
        return isinstance(inner, Pin) and not inner.axis and sum(ball) == 1

    def _across_slide(self, base: list[tuple[int, Pin | Slide]]) -> tuple[int, Array] | None:
        """Any direction across the slide of a link: the other one runs on a sphere."""
        for body, joint in base:
            if isinstance(joint, Slide):
                return body, frame_along(joint.at[body], joint.way[body])[3:6]
        return None

    def _world(self, way: dict[int, Array]) -> Array:
        body = min(way)
        out: Array = way[body] @ self.poses[body, 3:].reshape(3, 3)
        return out

    # ------------------------------------------------------------------ what is no dyad
    def _by_the_plan(self) -> list[tuple[Key, Stage]]:
        """What the plan does next in the first component that is not done."""
        ready = [j for j in self.loops if j.component.root in self.number]
        if not ready:
            return []
        joints = min(
            ready,
            key=lambda j: (
                self.number[j.component.root],
                min(self.frames.rank[b] for b in j.component.bodies if b not in self.number),
            ),
        )
        component = joints.component
        bodies: set[int] = set()
        columns: set[tuple[int, int]] = set()
        for step in self.plan.steps[: component.end_step]:
            if self.plan.components[step.component] is not component or not step.columns:
                continue
            new = {b for b, _ in step.columns} - set(self.number)
            if new and not bodies and step.action in (PLACE_FLAT, SETTLE_FLAT):
                return [self._carried(step.bodies[0], step.parent)]
            bodies |= new
            columns |= {c for c in step.columns if c[0] in new or c[0] in bodies}
            if bodies and len(columns) == len(component.unknowns) * len(bodies):
                break
        bodies = bodies or set(component.bodies) - set(self.number)
        order = tuple(sorted(bodies, key=lambda b: self.frames.rank[b]))
        placed = set(self.number) & {component.root, *component.bodies}
        return [((0.0,), Group(joints, order, False, frozenset(placed)))]


def members(stage: Stage) -> tuple[int, ...]:
    """The bodies and bare links that a stage places."""
    if isinstance(stage, Carry):
        return (stage.body,)
    if isinstance(stage, Dyad):
        return tuple(limb.link for limb in stage.limbs)
    return stage.bodies


def carried(frame: Array, before: Array, now: Array) -> Array:
    """A frame after the motion that takes another one from before to now: 12 numbers each."""
    motion = compose_all(now[None], invert_all(before[None]))
    out: Array = compose_all(motion, frame[None])[0]
    return out
