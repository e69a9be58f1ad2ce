"""The joints of a group of bodies, between its links.

In a single loop a joint of more freedoms is several hinges and slides: a cylinder one of each on
one axis, a ball three hinges through its centre, a cross two, a plate on a plane two slides and a
hinge.  A distance of two points, a bare link, or a body between two balls, is a link with a cross
and a ball in space; a bare link has two hinges in a plane.
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
from ...structure.one_way import known_pair
from ...structure.plan import Plan
from .dyad_closure import swing
from .loop_factors import SPACE
from .loop_poses import GROUND, LoopJoint, moved_point
from .loop_structure import BAR, TURN
from .orientation import direction_at, point_at

LETTERS = {REVOLUTE: TURN, PRISMATIC: TURN, CYLINDRICAL: "C", SPHERICAL: "S", PLANAR: "E"}
"""The letters of joints that have one."""


class LoopGroup(NamedTuple):
    """Loops that close.

    Attributes:
        kind: the group of motions in which; joints: of the loops; links: that of each body.
        rods: the distances that links between two balls are.
        held: how many of the joints, the last ones, do not move: they are added to a loop that
            closes although it has too few, for its dimensions are special.
    """

    kind: str
    joints: list[LoopJoint]
    links: list[int]
    rods: dict[int, LoopJoint]
    held: int = 0

    def with_rods(self, motions: dict[int, Array]) -> dict[int, Array]:
        """Motions (12,) of links, with those of the rods: they turn as little as they can."""
        out = dict(motions)
        for link, rod in self.rods.items():
            before, now = rod.ends, list[Array]()
            for own, moved, point in zip((rod.one, rod.two), rod.moved, before, strict=True):
                now.append(moved_point(point, moved if own == GROUND else motions[own]))
            frame = np.concatenate([np.zeros(3), np.eye(3).ravel()])
            swing(frame, before[1] - before[0], now[1] - now[0])
            frame[:3] = now[0] - before[0] @ frame[3:].reshape(3, 3)
            out[link] = frame
        return out


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
    own = [reader.link(b) for b in group.bodies]
    if group.joints.planar:
        return LoopGroup("plane", found, own, {}) if _loops(found, own, {}, 3) else None
    rods = _rods(found, plan.system.same_place)
    found = [j for j in found if not {j.one, j.two} & {*rods}] + [*rods.values()]
    turns = [turn for j in found for turn in reader.turns(j)]
    if _loops(turns, own, rods, 6):
        single = len(turns) == len(SPACE)
        return LoopGroup("space", turns if single else found, own, rods)
    if _loops(turns, own, rods, 3):
        flat = _in_one_plane(turns, plan.system.same_direction)
        if flat is not None:
            return LoopGroup("plane", flat, own, rods)
        if _meet(turns, plan.system.same_place):
            return LoopGroup("sphere", turns, own, rods)
    missing = len(SPACE) - len(turns)
    if missing > 0 and _loops(turns, own, rods, len(turns)):
        return LoopGroup("space", reader.with_held(turns), own, rods, missing)
    return None


def _loops(turns: list[LoopJoint], own: list[int], rods: dict[int, LoopJoint], each: int) -> bool:
    """Whether there are so many turns for each loop, and all bodies are held by them."""
    links = {v for j in turns for v in (j.one, j.two)} | {GROUND}
    loops = len(turns) - len(links) + 1
    held = GROUND not in own and links.issuperset({*own} - {*rods})
    return held and loops > 0 and len(turns) == each * loops


def _rods(joints: list[LoopJoint], near: float) -> dict[int, LoopJoint]:
    """Links between two balls, as distances."""
    at: dict[int, list[LoopJoint]] = {}
    for j in joints:
        for link in (j.one, j.two):
            at.setdefault(link, []).append(j)
    out = dict[int, LoopJoint]()
    for link, own in at.items():
        if link == GROUND or len(own) != 2 or {j.kind for j in own} != {"S"}:
            continue
        ends = [(j.two, j.moved[1]) if j.one == link else (j.one, j.moved[0]) for j in own]
        (one, before), (two, behind) = ends
        a, b = (j.point for j in own)
        assert a is not None and b is not None
        if one != two and not {one, two} & {*out} and np.linalg.norm(b - a) > near:
            moved = before, behind
            out[link] = LoopJoint(one, two, own[0].direction, a, moved, BAR, b)
    return out


def _in_one_plane(joints: list[LoopJoint], near: float) -> list[LoopJoint] | None:
    """Joints of parallel hinges and slides across them, made exactly so; None of others.

    A component is planar where its mates say so: not with noise, nor by slides on its root alone.
    """
    ways = np.array([j.direction for j in joints])
    turning = np.array([j.point is not None for j in joints])
    if not turning.any():
        return None
    normal = ways[turning][0]
    along = ways @ normal
    if np.abs(np.where(turning[:, None], np.cross(ways, normal), along[:, None])).max() > near:
        return None
    exact = np.where(turning[:, None], normal, ways - along[:, None] * normal)
    return [j._replace(direction=e / np.linalg.norm(e)) for j, e in zip(joints, exact, strict=True)]


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
        """The joints between links; None where one is of another kind."""
        found = self._in_plane() if self.group.joints.planar else self._in_space()
        if found is None:
            return None
        out = [
            j._replace(
                one=self.link(j.one),
                two=self.link(j.two),
                moved=(self._moved(j.one), self._moved(j.two)),
            )
            for j in found
        ]
        return [j for j in out if j.one != j.two]

    def turns(self, joint: LoopJoint) -> list[LoopJoint]:
        """The hinges and slides that a joint is."""
        point, ways, places = joint.point, [joint.direction], list[Array | None]()
        if joint.kind == TURN:
            return [joint]
        assert point is not None
        if joint.kind == "U":
            assert joint.other is not None
            ways, places = [*ways, joint.other], [point, point]
        elif joint.kind == "C":
            ways, places = ways * 2, [point, None]
        elif joint.kind == BAR:
            across = [*frame_along(point, joint.along).reshape(4, 3)[1:]]
            ways, places = [*across[:2], *across], [*[point] * 2, *[joint.ends[1]] * 3]
        else:
            ways = [*frame_along(point, joint.direction).reshape(4, 3)[1:]]
            places = [point if joint.kind == "S" else None] * 2 + [point]
        links = [joint.one, *(self._new_link() for _ in ways[1:]), joint.two]
        out = [
            LoopJoint(*ends, way, place)
            for ends, way, place in zip(pairwise(links), ways, places, strict=True)
        ]
        out[0] = out[0]._replace(moved=(joint.moved[0], None))
        out[-1] = out[-1]._replace(moved=(out[-1].moved[0], joint.moved[1]))
        return out

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
    def _in_plane(self) -> list[LoopJoint] | None:
        table, out = self.group.joints, list[LoopJoint]()
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
                way, point = normal, point_at(self.base, body, joint.at[body])
            else:
                way, point = direction_at(self.base, body, joint.direction[body]), None
            out += [LoopJoint(a, b, way, point) for a, b in pairwise(members)]
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
    def _in_space(self) -> list[LoopJoint] | None:
        pairs, out = self.plan.bodies.pairs, list[LoopJoint]()
        for p in self.group.joints.component.pairs:
            a, b = (int(v) for v in pairs.bodies[p])
            if not self._concerns((a, b)):
                continue
            kind, frame = int(pairs.kind[p]), pairs.frame_a[p]
            if kind in (GENERAL, FIXED):  # the plan merges what is fixed in one way
                own = self._general(a, b, pairs.rows_of(p))
            else:
                joint = self._lower(a, b, kind, frame)
                own = None if joint is None else [joint]
            left = None if own is None else self._undriven(p, own)
            if left is None:
                return None
            if not left:
                self._join(a, b)
            out += left
        return out

    def _undriven(self, p: int, own: list[LoopJoint]) -> list[LoopJoint] | None:
        """The joints of a pair without the hinge or the slide that a driver holds."""
        t, rows = self.plan.table, self.plan.system.rows(self.plan.bodies.drivers[p]).tolist()
        if not rows:
            return own
        if len(own) != 1:
            return None
        joint, turns = own[0], self.turns(own[0])
        for e in rows:
            kind = int(t.kind[t.term_measure[t.first_term[e]]])
            held = [j for j in turns if (j.point is not None) == (kind == ROTATION)]
            if kind not in (ROTATION, DISPLACEMENT) or len(held) != 1:
                return None
            turns = [j for j in turns if j is not held[0]]
        links = [joint.one, *(self._new_link() for _ in turns[1:]), joint.two]
        ends = pairwise(links)
        return [j._replace(one=a, two=b) for j, (a, b) in zip(turns, ends, strict=bool(turns))]

    def _general(self, a: int, b: int, rows: Ints) -> list[LoopJoint] | None:
        """Distances, and a lower pair or a cross beside them."""
        t = self.plan.table
        if (np.diff(t.first_term)[rows] != 1).any():
            return None
        n = t.term_measure[t.first_term[rows]]
        apart = t.kind[n] == SEPARATION
        out = [self._bar(a, b, int(k)) for k in n[apart]]
        if not apart.all():
            out.append(self._beside(a, b, rows[~apart]))
        return None if any(j is None for j in out) else [j for j in out if j is not None]

    def _beside(self, a: int, b: int, rows: Ints) -> LoopJoint | None:
        """A lower pair that is known by its measures, or a cross; else None."""
        t = self.plan.table
        pair, known = known_pair(t, self.base, (a, b), rows)
        if known[0]:
            return self._lower(a, b, int(pair.kind[0]), pair.frame_a[0])
        n = t.term_measure[t.first_term[rows]]
        kinds, at = t.kind[n].tolist(), n[t.kind[n] == DISPLACEMENT]
        if sorted(kinds) != [INCLINATION, *[DISPLACEMENT] * 3] or len({*t.marker_a[at]}) > 1:
            return None
        one, two = self._axes(a, int(n[kinds.index(INCLINATION)]))
        centre = self._marker(int(t.marker_a[at[0]]))[:3]
        return LoopJoint(a, b, one, centre, kind="U", other=two)

    def _lower(self, a: int, b: int, kind: int, frame: Array) -> LoopJoint | None:
        """A lower pair by its frame on the first body; None of a kind without a letter."""
        letter = LETTERS.get(kind)
        if letter is None:
            return None
        point = None if kind == PRISMATIC else point_at(self.base, a, frame[:3])
        return LoopJoint(a, b, direction_at(self.base, a, frame[9:]), point, kind=letter)

    def _bar(self, a: int, b: int, measure: int) -> LoopJoint | None:
        """A distance of two points; None where it is 0."""
        t = self.plan.table
        ends = sorted(
            (int(m[measure]) for m in (t.marker_a, t.marker_b)), key=lambda m: t.marker_body[m] != a
        )
        one, two = (self._marker(m)[:3] for m in ends)
        length = float(np.linalg.norm(two - one))
        if length <= self.plan.system.same_place:
            return None
        return LoopJoint(a, b, (two - one) / length, one, kind=BAR, other=two)

    def _axes(self, a: int, measure: int) -> tuple[Array, Array]:
        """The directions of which the angle is measured, that on the first body first."""
        t = self.plan.table
        one, two = (self._marker(int(m[measure])) for m in (t.marker_a, t.marker_b))
        axes = one[3:].reshape(3, 3)[t.axis_i[measure]], two[3:].reshape(3, 3)[t.axis_j[measure]]
        return axes if t.marker_body[t.marker_a[measure]] == a else axes[::-1]

    def _marker(self, marker: int) -> Array:
        """A marker in the world where all hold, (12,)."""
        t = self.plan.table
        body = int(t.marker_body[marker])
        out: Array = compose_all(self.base[body][None], t.marker_frame[marker][None])[0]
        return out
