"""Links and slots whose equations depend on others by special dimensions, as a third equal crank.

A link of points a, b, c, ... holds the distance of a and b, its length, and the place of each
other point relative to these, its shape.  Shapes are linear, p = a + k (b - a) in complex numbers,
so what depends among them does in every position and by whole points.  Lengths and slots are looked
at beside the start: at the start itself they may depend on each other for that moment only, as in a
linkage that is drawn flat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.rounding import FAINT, FOURTH, RANK, ROUNDING
from ...foundations.types import Array, Complexes
from ..scheme.scheme import Scheme
from .pebble_counting import MixedGraph

STEP = 2.0**-6
"""A setting: how far from the start other positions are looked for, as a share of the size."""

TRIES = 4
"""A setting: directions in which they are looked for."""

CORRECTIONS = 40
"""A setting: most steps of Newton's method onto such a position."""


class Dependent(NamedTuple):
    """What depends on the rest.

    Attributes:
        lengths: of links, each with the point at which the rest holds it most.
        points: (link, point) of shapes; slots: by number.
    """

    lengths: dict[int, int]
    points: list[tuple[int, int]]
    slots: list[int]

    @property
    def equations(self) -> int:
        """Their number."""
        return len(self.lengths) + 2 * len(self.points) + len(self.slots)


@dataclass
class LinkageRows:
    """The equations of a linkage, by the points that move, without those of its actuators.

    Attributes:
        graph: of its bodies and points; order: of links, those that are kept first.
        known: points that stand still, besides those of the ground.
    """

    scheme: Scheme
    graph: MixedGraph
    order: Sequence[int]
    known: Collection[int] = ()
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)
    others: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        s, used = self.scheme, self.graph.used
        self.start: Complexes = np.array(s.start)
        own = set(self.order)
        first = sorted(self.order, key=self._may_be_scaled)
        needed = {p for slot in s.slots for p in slot.ends} | {
            p for actuator in s.actuators for p in actuator.points
        }
        for n in first:
            a, *others = [p for p in s.links[n].points if p in used] or [-1]
            b = max(others, key=lambda p: abs(self.start[p] - self.start[a]), default=a)
            if self.start[a] != self.start[b] and not {a, b} <= self.still:
                self.ends[n] = a, b
                self.others += [(n, p) for p in others if p != b]
        self.others.sort(key=lambda x: x[1] not in needed)
        slots = [k for k, slot in enumerate(s.slots) if {slot.link, *s.links_at[slot.point]} & own]
        self.slots = sorted(slots, key=lambda k: s.slots[k].name)

    def _may_be_scaled(self, link: int) -> bool:
        """Whether no slot or actuator goes by its body: then its length may be left to others."""
        return link not in self.graph.turning

    @cached_property
    def still(self) -> set[int]:
        """The points that do not move."""
        return {*self.scheme.links[0].points, *self.known}

    @cached_property
    def _moving(self) -> list[int]:
        return [p for p in range(len(self.scheme.points)) if p not in self.still]

    # ---------------------------------------------------------------- what depends
    def dependent(self) -> Dependent | None:
        """What depends on the rest where the linkage moves; None where it cannot move at all."""
        found = (self._dependent_at(z, FAINT) for z in self._positions_nearby())
        return min(found, key=lambda one: one.equations, default=None)

    @property
    def count_at_start(self) -> int:
        """Number of dependent equations at the start."""
        return self._dependent_at(self.start, RANK).equations

    def _dependent_at(self, z: Complexes, faint: float) -> Dependent:
        """What depends on the rest in a position; faint: the share of a row that counts as 0."""
        basis = _Basis(2 * len(self._moving), faint)
        points = [
            (n, p) for n, p in self.others if not all([basis.add(x) for x in self._shape(n, p)])
        ]
        lengths = {
            n: self._held_at(z, n, basis) for n in self.ends if not basis.add(self._length(z, n))
        }
        slots = [k for k in self.slots if not basis.add(self._slot(z, k))]
        return Dependent(lengths, points, slots)

    def _held_at(self, z: Complexes, link: int, basis: _Basis) -> int:
        """The point of a link on which the rest acts most where its length is dependent."""
        given = np.array(basis.given)
        share = np.linalg.lstsq(given.T, self._length(z, link))[0]
        forces = self._length(z, link).view(complex)
        own = [row for n, p in self.others if n == link for row in self._shape(n, p)]
        for k, row in enumerate(given):
            if any(np.array_equal(row, one) for one in own):
                forces = forces - share[k] * row.view(complex)
        by_point = dict(zip(self._moving, np.abs(forces).tolist(), strict=True))
        joints = [*self.ends[link], *(p for n, p in self.others if n == link)]
        return max(joints, key=lambda p: by_point.get(p, 0.0))

    # ---------------------------------------------------------------- rows
    def _row(self, forces: dict[int, complex]) -> Array:
        """Forces at points as one vector; those at points of the ground are dropped."""
        out = np.zeros(len(self.scheme.points), complex)
        for p, force in forces.items():
            out[p] += force
        return out[self._moving].view(float)

    def _length(self, z: Complexes, link: int) -> Array:
        a, b = self.ends[link]
        along = (z[b] - z[a]) / abs(z[b] - z[a])
        return self._row({a: -along, b: along})

    def _ratio(self, link: int, point: int) -> complex:
        a, b = self.ends[link]
        z = self.start
        return complex((z[point] - z[a]) / (z[b] - z[a]))

    def _shape(self, link: int, point: int) -> Iterator[Array]:
        (a, b), ratio = self.ends[link], self._ratio(link, point)
        for unit in (1.0 + 0j, 1j):
            rotated = ratio.conjugate() * unit
            yield self._row({point: unit, a: rotated - unit, b: -rotated})

    def _slot(self, z: Complexes, number: int) -> Array:
        slot = self.scheme.slots[number]
        a, b = slot.ends
        along = (z[b] - z[a]) / abs(z[b] - z[a])
        share = ((z[slot.point] - z[a]) * along.conjugate()).real / abs(z[b] - z[a])
        across = 1j * along
        return self._row({slot.point: across, a: -(1 - share) * across, b: -share * across})

    # ---------------------------------------------------------------- other positions
    def _positions_nearby(self) -> Iterator[Complexes]:
        """Positions a little beside the start, reached by motions possible there."""
        rows, size, draw = self._every_row(self.start), self.scheme.size, np.random.default_rng(1)
        _, values, motions = np.linalg.svd(rows)
        free = motions[int((values > RANK * values.max(initial=0.0)).sum()) :]
        for _ in range(TRIES if len(free) else 0):
            way = draw.normal(size=len(free)) @ free
            z = self.start.copy()
            z[self._moving] += STEP * size * (way / np.abs(way).max()).view(complex)
            for _ in range(CORRECTIONS):
                off = self._off(z)
                if np.abs(off).max() <= ROUNDING * size:
                    break
                step = np.linalg.lstsq(self._every_row(z), -off, rcond=FOURTH)[0]
                z[self._moving] += step.view(complex)
            away = np.abs(z - self.start).max() > 0.1 * STEP * size
            if away and np.abs(self._off(z)).max() <= ROUNDING * size:
                yield z

    def _every_row(self, z: Complexes) -> Array:
        shapes = [row for n, p in self.others for row in self._shape(n, p)]
        lengths = [self._length(z, n) for n in self.ends]
        return np.array([*shapes, *lengths, *(self._slot(z, k) for k in self.slots)])

    def _off(self, z: Complexes) -> Array:
        """What the equations are off, in the order of the rows, mm."""
        out = []
        for n, p in self.others:
            a, b = self.ends[n]
            off = z[p] - z[a] - self._ratio(n, p) * (z[b] - z[a])
            out += [off.real, off.imag]
        for a, b in self.ends.values():
            out.append(abs(z[b] - z[a]) - abs(self.start[b] - self.start[a]))
        for slot in (self.scheme.slots[k] for k in self.slots):
            a, b = slot.ends
            along = (z[b] - z[a]) / abs(z[b] - z[a])
            out.append(((z[slot.point] - z[a]) * along.conjugate()).imag)
        return np.array(out)


class _Basis:
    """Rows that do not depend on each other."""

    def __init__(self, columns: int, faint: float) -> None:
        self.faint = faint
        self.rows, self.given = np.empty((0, columns)), list[Array]()

    def add(self, row: Array) -> bool:
        """Add a row; whether it does not depend on those before it."""
        rest = row
        for _ in range(2):  # once more: what is left may be rounding of the first
            rest = rest - self.rows.T @ (self.rows @ rest)
        left = float(np.linalg.norm(rest))
        if not left > self.faint * float(np.linalg.norm(row)):
            return False
        self.rows = np.vstack([self.rows, rest / left])
        self.given.append(row)
        return True
