"""Solutions of groups of bodies without a closed form.

Of platforms, bodies on legs of fixed length, and of loops of hinges and slides all are found by
continuation (`platform_poses`, `loop_poses`).  Other groups are sampled from a fixed set of starts:
the body with the most joints is rotated and mirrored; each link between it and placed bodies is
moved along by the smallest rotation that keeps its ends together.  Then the equations are solved.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from ...equations.closed_form import plane_axes
from ...foundations.geometry.pose import compose_all, invert_all
from ...foundations.types import Array
from ...structure.dyads import AssurGroup, PlacementStage, members
from ...structure.plan import Plan
from .dyad_closure import swing
from .group_problem import GroupProblem
from .loop_groups import loops_of_group
from .loop_poses import loop_poses
from .orientation import StageSigns, direction_at, point_at
from .placed import IDLE, MEETING, SPECIAL, UNCOUNTED, GroupCount, Placed, beyond_reach, turned_legs
from .platform_poses import platform_poses
from .platforms import GroupRows, platform_of

TURNS = 12
"""Angles from which a group in a plane, or a body on a hinge, is started."""

SCATTERED = 24
"""Further starts in which every body of a small group is rotated independently."""

SMALL = 4
"""Bodies up to which a group is started with every body rotated."""


class _Tracked(NamedTuple):
    """Poses near all real solutions, how many there are in complex numbers if so, if they are all;
    how many legs of a platform close in one more way, which is none of these; spins of bodies
    that are told by what they carry, None where these are all."""

    starts: list[Placed]
    solutions: int | None
    complete: bool
    turned: int = 0
    spins: int | None = None


class _GroupSolution(NamedTuple):
    """A solution with its signs.

    Attributes:
        own: it, with how many closures meet there; end: poses at the end of the last path there,
            None where no path ends.
    """

    signs: str
    own: Placed
    end: Array | None


class Sampler:
    """Solves groups; `stages` are all those of the assembly, in order, `poses` those of its bodies
    at which it holds, (bodies, 12)."""

    def __init__(
        self, plan: Plan, stages: list[PlacementStage], signs: StageSigns, poses: Array
    ) -> None:
        self.plan, self.frames, self.signs = plan, signs.frames, signs
        self.counts: dict[tuple[int, ...], GroupCount] = {}
        """What is known of the solutions of each group that was placed, by its bodies."""
        self.base = poses
        self.stage_of = {0: -1}
        for n, stage in enumerate(stages):
            self.stage_of |= {m: n for m in members(stage)}

    def placed(self, poses: Array, group: AssurGroup) -> list[Placed]:
        """Solutions of a group, different by signs, by features or by turns about these.

        By signs alone where it moves: then one only where it has none.
        """
        problem = GroupProblem(self.plan, self.stage_of, group, poses)
        found: list[_GroupSolution] = []
        first = poses.copy()
        problem.solve(first)
        tracked = None if group.alone or problem.free else self._tracked(poses, group, problem)
        near = [] if tracked is None else [Placed(first, 1), *tracked.starts]
        sampled = (Placed(start, 1) for start in self._starts(poses, group))
        held = 0
        for n, start in enumerate(sampled if tracked is None else near):
            self.signs.watch.check()
            end = start.poses.copy() if tracked is not None and n > 0 else None
            if not problem.solve(start.poses):
                continue
            here, signs = start.poses, self.signs.of(group, start.poses)
            if problem.free and "0" in signs and found:
                continue  # between two modes
            same = (f.signs == signs and not problem.differ(here, f.own.poses) for f in found)
            known = next((k for k, is_it in enumerate(same) if is_it), len(found))
            if known == len(found):
                found.append(_GroupSolution(signs, start, end))
            elif end is not None:
                other = found[known].end
                if other is not None and problem.differ(end, other):
                    continue  # it left its own end
                closures = start.closures + (0 if other is None else found[known].own.closures)
                own = found[known].own._replace(closures=closures)
                found[known] = found[known]._replace(own=own, end=end)
            held += end is not None
            if group.alone or (problem.free and not signs):
                break
        if not group.alone:
            ended = tracked is not None and all(f.end is not None for f in found)
            self._count(group, self._counted(problem, tracked, held if ended else 0))
        return [f.own for f in found]

    def _count(self, group: AssurGroup, count: GroupCount) -> None:
        """What is known of a group: where it is placed several times, of that which is least."""
        known = self.counts.get(group.bodies, count)
        self.counts[group.bodies] = known if known.why else count

    def _counted(self, problem: GroupProblem, tracked: _Tracked | None, held: int) -> GroupCount:
        """What is known of the solutions of a group, of which so many starts converged."""
        if problem.free:
            return GroupCount(None, "they move: what moves has no closures to count")
        if tracked is None:
            return SPECIAL if problem.redundant else UNCOUNTED
        if tracked.spins is not None and problem.spins > tracked.spins:
            return IDLE
        if not tracked.complete or held < len(tracked.starts):
            return GroupCount(None, beyond_reach(tracked.turned) if tracked.turned else MEETING)
        if tracked.turned and tracked.solutions is not None:
            return GroupCount(None, turned_legs(tracked.solutions, tracked.turned))
        return GroupCount(tracked.solutions, "")

    def _tracked(self, poses: Array, group: AssurGroup, problem: GroupProblem) -> _Tracked | None:
        """Near all solutions; None of a group without generic ones."""
        return self._in_loops(poses, group) or self._on_legs(poses, group, problem)

    def _on_legs(self, poses: Array, group: AssurGroup, problem: GroupProblem) -> _Tracked | None:
        """The same of a platform."""
        if group.joints.planar:
            return None
        hub = group.bodies[0]
        legs = [{*leg} for leg, _, _ in self._legs(poses, set(group.bodies) - {hub}, hub)]
        rows = GroupRows(problem.rows, problem.unknowns, problem.basis)
        platform = platform_of(self.plan, group, self.stage_of, legs, rows, self.base, poses)
        if platform is None:
            return None
        watch = self.signs.watch
        p = platform
        found = platform_poses(p.own, p.others, p.lengths, watch, p.normals, p.carried)
        out = []
        for motion, closures in zip(found.motions, found.closures.tolist(), strict=True):
            start = poses.copy()
            start[hub] = compose_all(motion[None], poses[hub][None])[0]
            self._move_legs(poses, start, group, hub)
            out.append(Placed(start, closures))
        real = int(found.closures.sum())
        return _Tracked(out, real + found.complex, found.complete, platform.turned)

    def _in_loops(self, poses: Array, group: AssurGroup) -> _Tracked | None:
        """The same of loops of hinges and slides."""
        here = self.stage_of[group.bodies[0]]
        before = {b for b, n in self.stage_of.items() if n < here}
        loops = loops_of_group(self.plan, group, before, self.base, poses)
        if loops is None:
            return None
        bodies, links = list(group.bodies), [v for v in {*loops.links} if v not in loops.rods]
        found = loop_poses(loops.kind, loops.joints, links, loops.held, self.signs.watch)
        if not found:
            return None
        out = []
        closures = [*found.closures.tolist(), *(1 for _ in found.near)]
        for n, motions in zip(closures, (*found.motions, *found.near), strict=True):
            of_link = loops.with_rods(dict(zip(links, motions, strict=True)))
            start, each = poses.copy(), np.array([of_link[v] for v in loops.links])
            start[bodies] = compose_all(each, self.base[bodies])
            out.append(Placed(start, n))
        return _Tracked(out, found.solutions, found.complete, spins=len(loops.rods))

    # ------------------------------------------------------------------ starts
    def _starts(self, poses: Array, group: AssurGroup) -> Iterator[Array]:
        """The given poses, then the hub rotated, then every body rotated."""
        yield poses.copy()
        if group.alone:
            return
        hub = group.bodies[0]
        for moved in self._hub_poses(poses, group, hub):
            start = poses.copy()
            start[hub] = moved
            self._move_legs(poses, start, group, hub)
            yield start
        if len(group.bodies) <= SMALL:
            yield from self._scattered(poses, group)

    def _axes(self, poses: Array, group: AssurGroup) -> Array:
        """Directions to rotate about: those of the plane, else those of the fixed parts."""
        c = group.joints.component
        if c.projection is None:
            return self.frames.frame[0][3:].reshape(3, 3).copy()
        axes = np.empty((3, 3))
        normal = self.frames.upward(c.root, c.projection.flat.normal[0])
        plane_axes(poses, c.root, normal, axes)
        return axes

    def _hub_poses(self, poses: Array, group: AssurGroup, hub: int) -> Iterator[Array]:
        """A body rotated about its joint with a placed body, else about its centre."""
        axes = self._axes(poses, group)
        here = self.stage_of[hub]
        pivot = point_at(poses, hub, self.plan.bodies.centre[hub])
        flat, axis, mirror = group.joints.planar, axes[2], [np.zeros(3)]
        turning = flat
        pins = (p for p in group.joints.pins if hub in p.at)
        outer = next((p for p in pins if any(self.stage_of[b] < here for b in p.at)), None)
        if outer is not None:
            pivot = point_at(poses, hub, outer.at[hub])
            if not flat and outer.axis:
                axis = direction_at(poses, hub, self.frames.upward(hub, outer.axis[hub]))
            turning = True
        elif not flat:
            mirror.append(self._through_base(poses, group, pivot))
        if turning:
            turns = [_rotation(2 * np.pi * k / TURNS, axis) for k in range(1, TURNS)]
        else:
            turns = [axes.T @ r @ axes for r in _cube()]
        for shift, turn in product(mirror, turns):
            yield _rotated(poses[hub], turn, pivot, shift)

    def _through_base(self, poses: Array, group: AssurGroup, pivot: Array) -> Array:
        """From a point to its image in the plane through the joints on placed bodies."""
        here = self.stage_of[group.bodies[0]]
        placed = [(b, at) for p in group.joints.pins for b, at in p.at.items()]
        points = np.array([point_at(poses, b, at) for b, at in placed if self.stage_of[b] < here])
        if len(points) < 3:
            return np.zeros(3)
        middle = points.mean(axis=0)
        n = np.linalg.svd(points - middle)[2][2]
        out: Array = -2.0 * float((pivot - middle) @ n) * n
        return out

    def _move_legs(self, poses: Array, start: Array, group: AssurGroup, hub: int) -> None:
        """Move the bodies between the moved hub and the placed bodies along with it."""
        motion = compose_all(start[hub][None], invert_all(poses[hub][None]))[0]
        inside = set(group.bodies) - {hub}
        for leg, foot, head in self._legs(poses, inside, hub):
            if head is None:
                continue
            moved = motion[:3] + head @ motion[3:].reshape(3, 3)
            for body, at_head in leg.items():
                if foot is None:
                    start[body] = compose_all(motion[None], poses[body][None])[0]
                    continue
                turned = poses[body].copy()
                if (head != foot).any() and (moved != foot).any():
                    swing(turned, head - foot, moved - foot)
                before, now = (head, moved) if at_head else (foot, foot)
                rotation = turned[3:].reshape(3, 3).T @ poses[body, 3:].reshape(3, 3)
                turned[:3] = now + rotation @ (poses[body, :3] - before)
                start[body] = turned

    def _legs(
        self, poses: Array, inside: set[int], hub: int
    ) -> Iterator[tuple[dict[int, bool], Array | None, Array | None]]:
        """Legs: bodies connected without the hub, and their foot and head in the world, mm.

        Each body comes with whether it touches the hub; the foot is at a placed body, the head at
        the hub, None where there is none.
        """
        pairs = self.plan.bodies.pairs
        neighbours: dict[int, list[tuple[int, Array]]] = {b: [] for b in inside}
        for p, (a, b) in enumerate(pairs.bodies.tolist()):
            for body, other, own in ((a, b, pairs.frame_a[p]), (b, a, pairs.frame_b[p])):
                if body in inside and len(pairs.rows[pairs.first_row[p] : pairs.first_row[p + 1]]):
                    neighbours[body].append((other, own[:3]))
        here = self.stage_of[hub]
        left = sorted(inside, key=lambda b: self.frames.rank[b])
        while left:
            leg, queue = {left[0]: False}, [left[0]]
            foot = head = None
            for body in queue:
                for other, own in neighbours[body]:
                    if other == hub:
                        head, leg[body] = point_at(poses, body, own), True
                    elif other in inside and other not in leg:
                        leg[other] = False
                        queue.append(other)
                    elif self.stage_of.get(other, here) < here:
                        foot = point_at(poses, body, own)
            left = [b for b in left if b not in leg]
            yield leg, foot, head

    def _scattered(self, poses: Array, group: AssurGroup) -> Iterator[Array]:
        """Every body rotated independently, by evenly spread angles (Weyl's sequence)."""
        axes, flat = self._axes(poses, group), group.joints.planar
        for n in range(1, SCATTERED + 1):
            start = poses.copy()
            for k, body in enumerate(group.bodies):
                share = [np.sqrt(p) * n % 1.0 for p in (2 + 10 * k, 3 + 10 * k, 5 + 10 * k)]
                turn = _rotation(2 * np.pi * share[0], axes[2])
                if not flat:
                    turn = _rotation(2 * np.pi * share[1], axes[0]) @ turn
                    turn = _rotation(2 * np.pi * share[2], axes[2]) @ turn
                pivot = point_at(poses, body, self.plan.bodies.centre[body])
                start[body] = _rotated(poses[body], turn, pivot, np.zeros(3))
            yield start


def _rotation(angle: float, axis: Array) -> Array:
    """Rotation matrix about a unit axis."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    out: Array = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    return out


def _rotated(pose: Array, turn: Array, pivot: Array, shift: Array) -> Array:
    """A pose rotated about a point, then shifted."""
    out = pose.copy()
    out[:3] = pivot + turn @ (pose[:3] - pivot) + shift
    out[3:] = (pose[3:].reshape(3, 3) @ turn.T).ravel()
    return out


def _cube() -> list[Array]:
    """The 24 rotations of a cube, tilted a little off their symmetry."""
    off = _rotation(0.1, np.array([0.6, 0.0, 0.8]))
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    y = np.array([0.0, 1.0, 0.0])
    faces = [_rotation(k * np.pi / 2, x) for k in range(4)]
    faces += [_rotation(s * np.pi / 2, y) for s in (1, -1)]
    return [off @ _rotation(k * np.pi / 2, z) @ f for f in faces for k in range(4)]
