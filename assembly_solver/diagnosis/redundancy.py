"""Redundant mates: which mates are dependent, in which directions, and how inconsistent they are.

A mate repeats equations where some combination of its rows follows from the rows of others: they
form a circuit.  Circuits are searched between two bodies first, then around the shortest loop that
a mate closes, then in the whole component, and reduced until every mate is needed.  The residual of
the dependent combination, less that of the equal combination of the other rows, is the
inconsistency of the mates; to first order it is the same at neighbouring poses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import degrees
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.table import residuals
from ..foundations.graphs.first_paths import GrowingGraph
from ..foundations.numerics.rounding import AGREEMENT, FAINT
from ..foundations.types import Array
from .freedoms import Diagnosis
from .mate_rows import MateRows, across, by_length, row_basis

LARGEST_SEARCH = 40
"""Most mates of a component in which circuits beyond the shortest loop are searched."""

NO_DIRECTION = np.empty((0, 3))


@dataclass(frozen=True, eq=False)
class Redundancy:
    """Mates with redundant equations.

    Attributes:
        mates: all of the circuit; repeating: those of them, the later ones, that repeat the others.
        equations: number of redundant equations, the same for each repeating mate.
        loop: whether the circuit runs around a loop of bodies.
        turns, shifts: unit directions in the world, (0 to 3, 3), of the rotations and of the
            translations that are constrained repeatedly.
        off_mm, off_deg: residual of the redundant equations where the others hold.
    """

    mates: tuple[int, ...]
    repeating: tuple[int, ...]
    equations: int
    loop: bool
    turns: Array
    shifts: Array
    off_mm: float
    off_deg: float


class MateCircuit(NamedTuple):
    """An irreducible set of mates: `equations` of `mates` follow from `others`."""

    others: list[int]
    mates: list[int]
    equations: int

    def renamed(self, name: Callable[[int], int]) -> MateCircuit:
        """The same with other numbers for its mates."""
        return MateCircuit([*map(name, self.others)], [*map(name, self.mates)], self.equations)


class Dependence(NamedTuple):
    """The combinations of rows of a circuit's mates that follow from those of the others.

    Attributes:
        by_turn, by_shift: coefficients of angular rows alone and of all, orthonormal.
        carried: rows of the others that equal the rows of the mates there.
        turns, shifts: unit directions, (0 to 3, 3).
    """

    by_turn: Array
    by_shift: Array
    carried: Array
    turns: Array
    shifts: Array

    def turned(self, axes: Array) -> Dependence:
        """The same with its directions in other axes, the rows of (3, 3)."""
        return self._replace(turns=self.turns @ axes, shifts=self.shifts @ axes)


@dataclass(eq=False)
class _CircuitSearch(MateRows):
    """Finds the circuits of some mates; those of bundles that are arranged alike once."""

    _known: dict[tuple[bytes, ...], list[tuple[MateCircuit, Dependence]]] = field(
        default_factory=dict
    )

    # ------------------------------------------------------------------ circuits
    def circuit(self, others: Sequence[int], mates: Sequence[int]) -> MateCircuit:
        """An irreducible set of mates with as many redundant equations."""
        repeated, mates = self.repeated(others, mates), list(mates)
        for m in reversed(mates):
            rest = [k for k in mates if k != m]
            if rest and self.repeated(others, rest) == repeated:
                mates = rest
        return MateCircuit(self._needed(others, [], mates, repeated), mates, repeated)

    def _needed(
        self, some: Sequence[int], others: list[int], mates: list[int], repeated: int
    ) -> list[int]:
        """Those of `some` that are needed beside others, by halves; the last are left out first.

        The same as one by one: what is repeated does not grow where mates are left out.
        """
        if not some or self.repeated(others, mates) == repeated:
            return []
        if len(some) == 1:
            return [*some]
        half = len(some) // 2
        last = self._needed(some[half:], [*some[:half], *others], mates, repeated)
        return [*self._needed(some[:half], [*others, *last], mates, repeated), *last]

    def _dependence(self, c: MateCircuit) -> Dependence:
        """The dependent combinations of a circuit, its directions in the world."""
        whole, cut = self.matrix([*c.others, *c.mates]), self.diagnosis.cut
        rows = self.system.rows(c.mates)
        first, last = np.split(whole, [len(whole) - len(rows)])
        left, sizes, basis = row_basis(first, cut)
        share = last @ basis.T
        longest = float(np.linalg.norm(last, axis=1).max(initial=0.0))
        combined, _ = by_length(last - share @ basis, cut * longest)
        by_turn, by_shift = _split(combined, self.system.angular[rows])
        wrenches = self.common_wrenches(c.mates)
        turns = _directions(by_turn @ wrenches[:, 3:])
        shifts = _directions(by_shift @ wrenches[:, :3])
        return Dependence(by_turn, by_shift, (share / sizes) @ left.T, turns, shifts)

    def _redundancy(self, c: MateCircuit, d: Dependence, loop: bool) -> Redundancy:
        """A circuit with the residuals of its dependent combinations."""
        rows = self.system.rows([*c.others, *c.mates])
        f = np.empty(len(rows))
        residuals(self.diagnosis.plan.given, self.diagnosis.parts, rows, f)
        others, mates = np.split(f, [d.carried.shape[1]])
        off = mates - d.carried @ others
        return Redundancy(
            mates=tuple(sorted([*c.others, *c.mates])),
            repeating=tuple(sorted(c.mates)),
            equations=c.equations,
            loop=loop,
            turns=d.turns,
            shifts=d.shifts,
            off_mm=float(np.linalg.norm(d.by_shift @ off)),
            off_deg=degrees(float(np.linalg.norm(d.by_turn @ off)) / self.system.length),
        )

    # ------------------------------------------------------------------ search
    def between_two(self, mates: Sequence[int]) -> list[Redundancy]:
        """Circuits among mates that join the same bodies, each mate against those before it.

        Bundles of equal arrangement, as many equal hinges, have equal circuits: found once.
        """
        self.diagnosis.check()
        frame = self.marker_of(mates[0])
        axes, place = frame[3:].reshape(3, 3), {m: k for k, m in enumerate(mates)}
        key = self._arrangement(mates, frame)
        if key not in self._known:
            found = ((c, self._dependence(c)) for c in self._circuits(mates))
            self._known[key] = [(c.renamed(place.__getitem__), d.turned(axes.T)) for c, d in found]
        known = self._known[key]
        return [
            self._redundancy(c.renamed(mates.__getitem__), d.turned(axes), False) for c, d in known
        ]

    def _circuits(self, mates: Sequence[int]) -> Iterator[MateCircuit]:
        for k, m in enumerate(mates):
            alone = len(self.rows[m]) - self.rank([m])
            if alone:
                yield MateCircuit([], [m], alone)
            if self.repeated(mates[:k], [m]):
                yield self.circuit(mates[:k], [m])

    def _arrangement(self, mates: Sequence[int], frame: Array) -> tuple[bytes, ...]:
        """What tells whether two bundles are arranged alike: their rows in a frame of their own."""
        if len(self.nodes(mates[0])) != 2:
            return tuple(str(m).encode() for m in mates)
        rows = self.transmitted(mates, frame[:3]).reshape(-1, 2, 3) @ frame[3:].reshape(3, 3).T
        lengths = np.array([len(self.rows[m]) for m in mates])
        angular = self.system.angular[self.system.rows(list(mates))]
        cells = np.round(rows / AGREEMENT) + 0.0  # + 0.0: the cell of -1e-20 is that of 0
        return lengths.tobytes(), angular.tobytes(), cells.tobytes()

    def around_loops(self, bundles: Sequence[list[int]], total: int) -> list[Redundancy]:
        """Circuits around loops of bundles, each of mates that join the same bodies.

        From the rank of the whole there are `total` redundant equations around the loops.
        """
        out: list[Redundancy] = []
        graph = GrowingGraph()
        for k, bundle in enumerate(bundles):
            self.diagnosis.check()
            ends = self.nodes(bundle[0])
            path = [bundles[n] for n in _shortest(graph, ends)]
            out += self._around(path, bundle) if path else []
            graph.add(k, ends)
        if sum(r.equations for r in out) < total:
            if sum(map(len, bundles)) > LARGEST_SEARCH:
                return []
            before = [[m for b in bundles[:k] for m in b] for k in range(len(bundles))]
            pairs = zip(before, bundles, strict=True)
            out = [self._reduced(x, b) for x, b in pairs if self.repeated(x, b)]
        return out

    def _around(self, path: list[list[int]], bundle: list[int]) -> list[Redundancy]:
        """The circuit that a bundle closes with a path of bundles, if any."""
        if all(len(self.nodes(b[0])) == 2 for b in path):
            return self._of_loop(path, bundle)
        others = [m for b in path for m in b]
        return [self._reduced(others, bundle)] if self.repeated(others, bundle) else []

    def _reduced(self, others: Sequence[int], mates: Sequence[int]) -> Redundancy:
        c = self.circuit(others, mates)
        return self._redundancy(c, self._dependence(c), True)

    def _of_loop(self, path: list[list[int]], bundle: list[int]) -> list[Redundancy]:
        """The same around a loop of bodies, as `circuit` would find it.

        Forces that balance on every body of a loop are one wrench that all bundles transmit: the
        repeated equations are the wrenches common to all, and a mate is needed where the others of
        its bundle do not transmit these.
        """
        self.diagnosis.check()
        cut, about = self.diagnosis.cut, self.centre_of(min(self.blocks(bundle[0])))
        bundles = [*path, bundle]
        rows = [self.transmitted(each, about) for each in bundles]
        common = np.eye(6)
        for each in reversed(rows):
            common = by_length(across(common, each, cut), cut)[0] @ common
            if not len(common):
                return []
        kept = []
        for members, each in zip(bundles, rows, strict=True):
            of = np.repeat(members, [len(self.rows[m]) for m in members])
            left = list(members)
            for m in reversed(members if len(members) > 1 else []):
                rest = [k for k in left if k != m]
                if np.abs(across(common, each[np.isin(of, rest)], cut)).max() <= cut:
                    left = rest
            kept.append(left)
        c = MateCircuit([m for left in kept[:-1] for m in left], kept[-1], len(common))
        return [self._redundancy(c, self._dependence(c), True)]


def _shortest(graph: GrowingGraph, ends: frozenset[int]) -> list[int]:
    """Edges of the shortest paths between some bodies; none where they are not connected."""
    first, *others = sorted(ends)
    used: set[int] = set()
    for other in others:
        path = graph.first_path(first, other)
        if path is None:
            return []
        used.update(path)
    return sorted(used)


def _split(combined: Array, angular: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Combinations of angular rows alone, and the rest; both orthonormal, as the input."""
    pure, rest = by_length(combined[:, ~angular], FAINT)
    return pure @ combined, rest @ combined


def _directions(vectors: Array) -> Array:
    """Orthonormal directions that some vectors span, shape (0 to 3, 3)."""
    if not len(vectors):
        return NO_DIRECTION
    _, sizes, right = np.linalg.svd(vectors, full_matrices=False)
    out: Array = right[sizes > FAINT]
    return out


def redundancies(d: Diagnosis) -> list[Redundancy]:
    """Groups of mates with redundant equations: within clusters, between bodies, around loops."""
    out = _in_clusters(d)
    plan, system = d.plan, d.plan.system
    for k, c in enumerate(plan.components):
        total = len(c.rows) - (6 * len(c.bodies) - d.nullity(k))
        if total > 0:
            rows, moving = {m: system.rows([m]) for m in sorted(c.constraints)}, frozenset(c.bodies)
            scope = _CircuitSearch(d, plan.table, d.poses, plan.bodies.centre, rows, moving)
            out += _groups(scope, total)
    return out


def _in_clusters(d: Diagnosis) -> list[Redundancy]:
    """Groups of mates between parts of one body."""
    b, system = d.plan.bodies, d.plan.system
    out = []
    rows = {m: system.rows([m]) for m in b.inner.tolist()}
    every = _CircuitSearch(d, system.table, d.parts, system.centre, rows, frozenset())
    by_body: dict[int, list[int]] = {}
    for m in rows:
        by_body.setdefault(int(b.of_part[min(every.touched(m))]), []).append(m)
    for body, mates in by_body.items():
        still = {k for k in b.parts(body).tolist() if system.fixed[k]} or {int(b.parts(body)[0])}
        moving = frozenset(set(b.parts(body).tolist()) - still)
        total = sum(len(rows[m]) for m in mates) - 6 * len(moving)
        if total > 0:
            inner = {m: rows[m] for m in mates}
            within = replace(every, rows=inner, moving=moving, _blocks={}, _ranks={}, _known={})
            out += _groups(within, total)
    return out


def _merged(found: list[Redundancy]) -> list[Redundancy]:
    """Groups that repeat the same equations of the same other mates, merged into one."""
    out: dict[tuple[object, ...], Redundancy] = {}
    for r in found:
        spaces = (np.round(d.T @ d, 6) + 0.0 for d in (r.turns, r.shifts))
        others = frozenset(r.mates) - {*r.repeating}
        key = (others, r.equations, *(space.tobytes() for space in spaces))
        one = out.get(key)
        if one is not None:
            r = replace(
                one,
                mates=tuple(sorted({*one.mates, *r.mates})),
                repeating=(*one.repeating, *r.repeating),
                equations=one.equations + r.equations,
                off_mm=max(one.off_mm, r.off_mm),
                off_deg=max(one.off_deg, r.off_deg),
            )
        out[key] = r
    return list(out.values())


def _groups(mate_rows: _CircuitSearch, total: int) -> list[Redundancy]:
    """Groups that account for all redundant equations of some mates, `total` in number."""
    bundles: dict[frozenset[int], list[int]] = {}
    for m in mate_rows.rows:
        bundles.setdefault(mate_rows.nodes(m), []).append(m)
    out = [r for bundle in bundles.values() for r in _merged(mate_rows.between_two(bundle))]
    rest = total - sum(r.equations for r in out)
    if rest > 0:
        out += mate_rows.around_loops(list(bundles.values()), rest)
    rest = total - sum(r.equations for r in out)
    if rest > 0:  # of circuits that are too long for the search
        mates = tuple(mate_rows.rows)
        out.append(Redundancy(mates, (), rest, True, NO_DIRECTION, NO_DIRECTION, 0.0, 0.0))
    return out
