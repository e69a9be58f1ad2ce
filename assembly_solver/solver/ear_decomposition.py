"""Closing a component loop by loop, with backtracking, where a descent finds no solution.

A descent of a whole component moves every body at once and may end between loops that have to
close in another assembly mode.  Here one ear at a time (a path of bodies between placed ones,
shortest first) is closed; where a later ear has no closure, the next closure of the last ear that
it depends on is tried: others would fail in the same way.  Geometry decides the order, not the
order in which parts were entered.

Source: ear decomposition, Whitney 1932; depth-first search with conflict-directed backjumping, as
in X. Chen and P. van Beek, Journal of Artificial Intelligence Research 14 (2001), 53-81.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice, product

import numpy as np

from ..foundations.numerics.rounding import FOURTH
from ..foundations.types import Array, Ints

STARTS = 12
"""Starts from which one ear is closed."""

ROUNDS = 4
"""First ears that are tried one after the other."""

PATIENCE = 12
"""Descents in a round for each ear."""

DIFFERENT = 8.0 * FOURTH
"""Difference of positions, relative to the characteristic length, or of directions above which two
closures differ: one near a dead point is known to its root."""

Descend = Callable[[Array, Ints, list[int]], bool]
"""Solves some rows by some bodies, overwriting the poses; returns whether the rows hold."""


@dataclass(frozen=True, eq=False)
class EarStage:
    """One ear: its bodies and the rows that it closes, and all bodies and rows placed with it.

    Attributes:
        needs: the earlier stages whose bodies its rows depend on.
    """

    ear: list[int]
    own: Ints
    bodies: list[int]
    rows: Ints
    needs: frozenset[int]


@dataclass(frozen=True, eq=False)
class LoopwiseClosure:
    """A component to be closed loop by loop.

    Attributes:
        poses: its start, (bodies, 12); bodies: those that move.
        rows: its equations; ends: the bodies that each of them depends on.
        order: sort key of each body, from geometry.
        centre: the point about which each body is rotated, in its coordinates, mm, (bodies, 3).
        normal: axis of rotation in a planar component; None in space.
        length: characteristic length, mm.
    """

    poses: Array
    bodies: tuple[int, ...]
    rows: Ints
    ends: list[set[int]]
    order: dict[int, tuple[float, ...]]
    centre: Array
    normal: Array | None
    length: float

    def close(self, descend: Descend) -> Array | None:
        """Poses that satisfy every row, or None where the search finds none."""
        first = self._ears(set().union(*self.ends) - set(self.bodies))[:ROUNDS]
        for together, begin in product((False, True), first):  # what moves all bodies costs most
            found = self._search(self._stages(begin), descend, together)
            if found is not None:
                return found
        return None

    # ------------------------------------------------------------------ ears
    def _stages(self, begin: list[int]) -> list[EarStage]:
        """Ears until every body is placed, the given one first."""
        placed = set().union(*self.ends) - set(self.bodies)
        ear, bodies, out = begin, list[int](), list[EarStage]()
        rows, waiting = list[int](), list(range(len(self.rows)))
        stage_of = dict[int, int]()
        while True:
            placed |= set(ear)
            bodies = bodies + ear
            own = [n for n in waiting if self.ends[n] <= placed]
            waiting = [n for n in waiting if not self.ends[n] <= placed]
            rows = rows + own
            needs = frozenset(stage_of[b] for n in own for b in self.ends[n] & stage_of.keys())
            stage_of |= dict.fromkeys(ear, len(out))
            out.append(EarStage(ear, self.rows[own], bodies, self.rows[rows], needs))
            ears = self._ears(placed)
            if not ears:  # no row depends on the bodies that remain
                return out
            ear = ears[0]

    def _ears(self, placed: set[int]) -> list[list[int]]:
        """The shortest paths between placed bodies, one for each first body, best first.

        Short before long, then by the order of the bodies.
        """
        waiting = [body for body in self.bodies if body not in placed]
        begins = [(body, anchor) for body in waiting for anchor in self._near[body] & placed]
        paths = [self._shortest(body, anchor, placed) for body, anchor in begins]
        found = [path for path in paths if path] or [[body] for body, _ in begins]
        return sorted(
            found, key=lambda e: (len(e), max(self.order[b] for b in e), [self.order[b] for b in e])
        )

    @cached_property
    def _near(self) -> dict[int, set[int]]:
        """The bodies with which each body shares an equation."""
        near: dict[int, set[int]] = {b: set() for b in self.bodies}
        for e in self.ends:
            for b in e & near.keys():
                near[b] |= e - {b}
        return near

    def _shortest(self, first: int, anchor: int, placed: set[int]) -> list[int]:
        """The shortest path of open bodies from `first` to another neighbour of a placed body."""
        before = {first: first}
        queue = [first]
        for body in queue:
            if (self._near[body] & placed) - ({anchor} if body == first else set()):
                path = [body]
                while path[-1] != first:
                    path.append(before[path[-1]])
                return path[::-1]
            for other in sorted(self._near[body] - placed, key=self.order.__getitem__):
                if other not in before:
                    before[other] = body
                    queue.append(other)
        return []

    # ------------------------------------------------------------------ search
    def _search(self, stages: list[EarStage], descend: Descend, together: bool) -> Array | None:
        """Poses that close every stage.

        `together`: where an ear does not close by its bodies alone, all that are placed move.
        """
        left = PATIENCE * len(stages)

        def counted(poses: Array, rows: Ints, bodies: list[int]) -> bool:
            nonlocal left
            left -= 1
            return descend(poses, rows, bodies)

        def begin(poses: Array) -> None:
            stage = stages[len(open_)]
            open_.append(self._closures(stage, poses, counted, together))
            blamed.append(set(range(len(blamed))) if together else {*stage.needs})

        open_, blamed = list[Iterator[Array]](), list[set[int]]()
        begin(self.poses)
        while left > 0:
            poses = next(open_[-1], None)
            if poses is None:
                others = blamed[-1]
                if not others:
                    return None
                last = max(others)
                del open_[last + 1 :], blamed[last + 1 :]
                blamed[last] |= others - {last}
            elif len(open_) == len(stages):
                return poses
            else:
                begin(poses)
        return None

    def _closures(
        self, stage: EarStage, poses: Array, descend: Descend, together: bool
    ) -> Iterator[Array]:
        """The closures of an ear: by its bodies alone, then moving all placed bodies."""
        found, open_starts = list[Array](), list[Array]()
        for trial in self._starts(stage.ear, poses):
            if not descend(trial, stage.own, stage.ear):
                open_starts.append(trial)
            elif self._new(trial, found):
                found.append(trial)
                yield trial
        for trial in open_starts if together else ():
            if descend(trial, stage.rows, stage.bodies) and self._new(trial, found):
                found.append(trial)
                yield trial

    def _new(self, poses: Array, found: list[Array]) -> bool:
        sizes = DIFFERENT * np.repeat((self.length, 1.0), (3, 9))
        return all((np.abs(poses - other) > sizes).any() for other in found)

    def _starts(self, ear: list[int], poses: Array) -> Iterator[Array]:
        """The bodies of an ear at their start, and with none, one, two, ... of them turned over."""
        axes = range(3) if self.normal is None else range(1)
        choices = (
            (some, axis)
            for n in range(len(ear) + 1)
            for some in combinations(ear, n)
            for axis in (axes if n else range(1))
        )
        for some, axis in islice(choices, STARTS):
            trial = poses.copy()
            trial[ear] = self.poses[ear]
            for body in some:
                own = trial[body, 3 + 3 * axis : 6 + 3 * axis].copy()
                half_turn(
                    trial[body], self.centre[body], own if self.normal is None else self.normal
                )
            yield trial


def half_turn(pose: Array, centre: Array, u: Array) -> None:
    """Rotate a pose by half a turn, 2 u u^T - 1, about a line through a point of its body.

    `centre` is that point in body coordinates, mm, u a unit vector in the world.
    """
    columns = pose[3:].reshape(3, 3)
    middle = pose[:3] + centre @ columns
    rotated = 2.0 * np.outer(columns @ u, u) - columns
    pose[3:] = rotated.reshape(-1)
    pose[:3] = middle - centre @ rotated
