"""The hinges and slides of a group of bodies, between its links.

A joint of more freedoms is several: a cylinder a hinge and a slide on one axis, a ball three hinges
through its centre, a cross two, a plate on a plane two slides and a hinge; a bare link, a
distance of two points, is a link with a cross and a ball in space, with two hinges in a plane.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    FIXED,
    GENERAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ...foundations.geometry.pose import compose_all, invert_all
from ...foundations.types import Array, Ints
from ...model.measures.measure import DISPLACEMENT, INCLINATION, ROTATION, SEPARATION
from ...structure.dyads import AssurGroup
from ...structure.joints import Pin
from ...structure.lower_pairs import frame_along
from ...structure.plan import Plan
from .loop_paths import SPACE
from .loop_poses import GROUND, LoopJoint
from .orientation import direction_at, point_at


class LoopGroup(NamedTuple):
    """The group of motions in which loops close, their joints, and the link of each body.

    The last `held` of the joints do not move: they are added to a loop that closes although it has
    too few, for its dimensions are special.
    """

    kind: str
    joints: list[LoopJoint]
    links: list[int]
    held: int = 0


class _Screw(NamedTuple):
    """A hinge, or a slide without a point, in the world."""

    direction: Array
    point: Array | None = None


def loops_of_group(
    plan: Plan, group: AssurGroup, before: set[int], base: Array, poses: Array
) -> LoopGroup | None:
    """The loops of a group; None where a joint is of another kind, or joints are too many or few.

    Args:
        before: the bodies that are placed before it.
        base: poses of the bodies at which all equations hold; poses: those of the placed ones now.
    """
    reader = _Reader(plan, group, before, base, poses)
    found = reader.joints()
    if found is None:
        return None
    links = {v for j in found for v in (j.one, j.two)} | {GROUND}
    own = [reader.link(b) for b in group.bodies]
    loops = len(found) - len(links) + 1
    if GROUND in own or not links.issuperset(own):
        return None
    if group.joints.planar:
        return LoopGroup("plane", found, own) if len(found) == 3 * loops else None
    if len(found) == 6 * loops:
        return LoopGroup("space", found, own)
    if len(found) == 3 * loops and _meet(found, plan.system.same_place):
        return LoopGroup("sphere", found, own)
    if loops == 1 and len(found) < len(SPACE):
        return LoopGroup("space", reader.with_held(found), own, len(SPACE) - len(found))
    return None


def _meet(joints: list[LoopJoint], near: float) -> bool:
    """Whether all joints are hinges of which the axes meet in one point."""
    if any(j.point is None for j in joints):
        return False
    across = [np.eye(3) - np.outer(j.direction, j.direction) for j in joints]
    points = [j.point for j in joints if j.point is not None]
    a, b = (
        np.concatenate(across),
        np.concatenate([m @ p for m, p in zip(across, points, strict=True)]),
    )
    middle = np.linalg.lstsq(a, b, rcond=None)[0]
    return float(np.abs(a @ middle - b).max()) <= near


class _Reader:
    """Reads the joints of one group; the links are its bodies, and others less than 0."""

    def __init__(
        self, plan: Plan, group: AssurGroup, before: set[int], base: Array, poses: Array
    ) -> None:
        self.plan, self.group, self.base, self.poses = plan, group, base, poses
        self.before = before
        self.inside = set(group.bodies)
        self.same: dict[int, int] = {}
        self.last = min([0, *group.joints.lengths])

    def joints(self) -> list[LoopJoint] | None:
        """The joints; None where one is of another kind."""
        found = self._in_plane() if self.group.joints.planar else self._in_space()
        if found is None:
            return None
        out = [
            LoopJoint(self.link(a), self.link(b), *screw, moved=(self._moved(a), self._moved(b)))
            for a, b, screw in found
        ]
        return [j for j in out if j.one != j.two]

    def link(self, body: int) -> int:
        """The number of the link that a body is, or is part of."""
        body = self._root(body)
        return body if body < 0 or body in self.inside else GROUND

    def _moved(self, body: int) -> Array | None:
        """How a placed body has moved since all held."""
        if body < 0 or body in self.inside:
            return None
        now, then = self.poses[body][None], self.base[body][None]
        return None if np.array_equal(now, then) else compose_all(now, invert_all(then))[0]

    def _join(self, a: int, b: int) -> None:
        """Two bodies are one link."""
        one, two = self._root(a), self._root(b)
        if one != two:
            kept, gone = (two, one) if one in self.inside else (one, two)
            self.same[gone] = kept

    def _root(self, body: int) -> int:
        while body in self.same:
            body = self.same[body]
        return body

    def with_held(self, joints: list[LoopJoint]) -> list[LoopJoint]:
        """A ring with as many hinges more as one in space has; these are anywhere."""
        points = np.array([j.point for j in joints if j.point is not None] or [np.zeros(3)])
        size = max(float(np.abs(points - points[0]).max()), self.plan.system.length)
        drawn = np.random.default_rng(len(joints)).normal(size=(len(SPACE), 2, 3))
        first, out = joints[0], joints[1:]
        links = [first.one, *(self._new_link() for _ in range(len(SPACE) - len(joints)))]
        out.append(first._replace(one=links[-1], moved=(None, first.moved[1])))
        moves = (first.moved[0], *(None for _ in links))
        for one, two, moved, (way, at) in zip(links, links[1:], moves, drawn, strict=False):
            way /= np.linalg.norm(way)
            out.append(LoopJoint(one, two, way, points.mean(axis=0) + size * at, (moved, None)))
        return out

    def _new_link(self) -> int:
        self.last -= 1
        return self.last

    def _concerns(self, bodies: tuple[int, ...]) -> bool:
        return bool(self.inside & {*bodies}) and all(
            b in self.inside or b in self.before for b in bodies
        )

    # ------------------------------------------------------------------ plane
    def _in_plane(self) -> list[tuple[int, int, _Screw]] | None:
        table, out = self.group.joints, list[tuple[int, int, _Screw]]()
        for a, b in table.driven_pairs:
            if self._concerns((a, b)):
                self._join(a, b)
        normal = self._normal()
        links = {k for k in table.lengths if self._link_concerns(k)}
        for joint in table.every:
            own = [b for b in sorted(joint.at) if b in self.inside or b in self.before]
            bare = sorted(joint.bare & links) if isinstance(joint, Pin) else []
            placed = [b for b in own if b not in self.inside]
            members = [*placed[:1], *(b for b in own if b in self.inside), *bare]
            if not (self.inside & {*own} or bare):
                continue
            body = own[0]
            if isinstance(joint, Pin):
                screw = _Screw(normal, point_at(self.base, body, joint.at[body]))
            else:
                screw = _Screw(direction_at(self.base, body, joint.direction[body]))
            out += [(a, b, screw) for a, b in pairwise(members)]
        return out

    def _link_concerns(self, link: int) -> bool:
        """Whether a bare link is between bodies of the group, or of it and placed ones."""
        e = self.group.joints.equation_of_link[link]
        t = self.plan.table
        n = int(t.term_measure[t.first_term[e]])
        ends = t.marker_body[[t.marker_a[n], t.marker_b[n]]].tolist()
        return self._concerns(tuple(ends))

    def _normal(self) -> Array:
        c = self.group.joints.component
        assert c.projection is not None
        return direction_at(self.base, c.root, c.projection.flat.normal[0])

    # ------------------------------------------------------------------ space
    def _in_space(self) -> list[tuple[int, int, _Screw]] | None:
        pairs, out = self.plan.bodies.pairs, list[tuple[int, int, _Screw]]()
        for p in self.group.joints.component.pairs:
            a, b = (int(v) for v in pairs.bodies[p])
            if not self._concerns((a, b)):
                continue
            screws = self._screws(p, a, pairs.frame_a[p])
            if screws is None:
                return None
            if not screws:
                self._join(a, b)
            links = [a, *(self._new_link() for _ in screws[1:]), b]
            out += list(zip(links, links[1:], screws, strict=False))
        return out

    def _screws(self, p: int, body: int, frame: Array) -> list[_Screw] | None:
        """The joint of a pair, from its first body to its second; none where it does not move."""
        kind, rows = int(self.plan.bodies.pairs.kind[p]), self.plan.bodies.pairs.rows_of(p)
        point = point_at(self.base, body, frame[:3])
        x, y, z = (direction_at(self.base, body, frame[k : k + 3]) for k in (3, 6, 9))
        own = {
            FIXED: [],
            REVOLUTE: [_Screw(z, point)],
            PRISMATIC: [_Screw(z)],
            CYLINDRICAL: [_Screw(z, point), _Screw(z)],
            SPHERICAL: [_Screw(v, point) for v in (x, y, z)],
            PLANAR: [_Screw(x), _Screw(y), _Screw(z, point)],
        }.get(kind)
        if kind == GENERAL:
            own = self._general(rows)
        return None if own is None else self._undriven(p, own)

    def _undriven(self, p: int, screws: list[_Screw]) -> list[_Screw] | None:
        """Without the hinge or the slide that a driver holds."""
        t = self.plan.table
        for e in self.plan.system.rows(self.plan.bodies.drivers[p]).tolist():
            kind = int(t.kind[t.term_measure[t.first_term[e]]])
            turns = kind == ROTATION
            held = [s for s in screws if (s.point is not None) == turns]
            if kind not in (ROTATION, DISPLACEMENT) or len(held) != 1:
                return None
            screws = [s for s in screws if s is not held[0]]
        return screws

    def _general(self, rows: Ints) -> list[_Screw] | None:
        """A cross, or a distance of two points."""
        t = self.plan.table
        if (np.diff(t.first_term)[rows] != 1).any():
            return None
        n = t.term_measure[t.first_term[rows]]
        kinds = t.kind[n].tolist()
        if kinds == [SEPARATION]:
            ends = [self._marker(int(m[n[0]])) for m in (t.marker_a, t.marker_b)]
            along = ends[1][:3] - ends[0][:3]
            length = float(np.linalg.norm(along))
            if length <= self.plan.system.same_place:
                return None
            across = frame_along(ends[0][:3], along / length).reshape(4, 3)[1:]
            return [
                *(_Screw(v, ends[0][:3]) for v in across[:2]),
                *(_Screw(v, ends[1][:3]) for v in across),
            ]
        if sorted(kinds) == [INCLINATION, *[DISPLACEMENT] * 3]:
            bend, at = (int(n[kinds.index(k)]) for k in (INCLINATION, DISPLACEMENT))
            one, two = (self._marker(int(m[bend])) for m in (t.marker_a, t.marker_b))
            axes = one[3:].reshape(3, 3)[t.axis_i[bend]], two[3:].reshape(3, 3)[t.axis_j[bend]]
            centre = self._marker(int(t.marker_a[at]))[:3]
            if t.marker_body[t.marker_a[bend]] != self._first(rows):
                axes = axes[1], axes[0]
            return [_Screw(v, centre) for v in axes]
        return None

    def _first(self, rows: Ints) -> int:
        """The first body of the pair with these equations."""
        pairs = self.plan.bodies.pairs
        p = int(np.flatnonzero(pairs.rows == rows[0])[0])
        return int(pairs.bodies[np.searchsorted(pairs.first_row, p, side="right") - 1][0])

    def _marker(self, marker: int) -> Array:
        """A marker in the world where all hold, (12,)."""
        t = self.plan.table
        body = int(t.marker_body[marker])
        out: Array = compose_all(self.base[body][None], t.marker_frame[marker][None])[0]
        return out
