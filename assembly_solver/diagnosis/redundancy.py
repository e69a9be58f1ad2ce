"""Redundant mates: which mates are dependent, in which directions, and how inconsistent they are.

A mate repeats equations where some combination of its rows follows from the rows of others: they
form a circuit.  Circuits are searched between two bodies first, then around the shortest loop that
a mate closes, then in the whole component, and reduced until every mate is needed.  The residual of
the dependent combination, less that of the equal combination of the other rows, is the
inconsistency of the mates; to first order it is the same at neighbouring poses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import degrees

import numpy as np
from numpy.typing import NDArray

from ..equations.table import SPACE, EquationTable, TwistBasis, residuals
from ..foundations.graphs.first_paths import GrowingGraph
from ..foundations.numerics.linear import null_space, rank_of
from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array, Ints
from ..structure.incidence import bodies_of, jacobian_of
from .freedoms import Diagnosis

REST = -1
"""Stands for all bodies at rest."""

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


@dataclass(eq=False)
class MateRows:
    """Jacobian rows of mates between some bodies at the closed pose.

    Attributes:
        poses: of the bodies, (bodies, 12), mm; centre: of each in its coordinates, (bodies, 3).
        rows: of each mate in `table`; moving: bodies that can move, the others are at rest.
    """

    diagnosis: Diagnosis
    table: EquationTable
    poses: Array
    centre: Array
    rows: dict[int, Ints]
    moving: frozenset[int]
    _blocks: dict[int, dict[int, Array]] = field(default_factory=dict)
    _ranks: dict[frozenset[int], int] = field(default_factory=dict)
    _touched: dict[int, frozenset[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.system = self.diagnosis.plan.system

    def touched(self, mate: int) -> frozenset[int]:
        """The bodies that a mate depends on; memoised."""
        if mate not in self._touched:
            each = (bodies_of(self.table, e) for e in self.rows[mate])
            self._touched[mate] = frozenset().union(*each)
        return self._touched[mate]

    def nodes(self, mate: int) -> frozenset[int]:
        """The bodies that a mate joins, those at rest as one."""
        return frozenset(b if b in self.moving else REST for b in self.touched(mate))

    def blocks(self, mate: int) -> dict[int, Array]:
        """Force and torque over the length of each row of a mate on each moving body, (rows, 6)."""
        if mate not in self._blocks:
            rows, bodies = self.rows[mate], sorted(self.touched(mate) & self.moving)
            basis = TwistBasis(np.eye(3), self.centre, self.system.length)
            out = jacobian_of(self.table, self.poses, rows, bodies, SPACE, basis)
            self._blocks[mate] = {b: out[:, 6 * n : 6 * n + 6] for n, b in enumerate(bodies)}
        return self._blocks[mate]

    def matrix(self, mates: Sequence[int]) -> Array:
        """Jacobian of some mates, (rows, 6 * moving bodies that they depend on)."""
        bodies = sorted({b for m in mates for b in self.blocks(m)})
        column = {b: 6 * n for n, b in enumerate(bodies)}
        out = np.zeros((sum(len(self.rows[m]) for m in mates), 6 * len(bodies)))
        at = 0
        for m in mates:
            n = len(self.rows[m])
            for body, block in self.blocks(m).items():
                out[at : at + n, column[body] : column[body] + 6] = block
            at += n
        return out

    def rank(self, mates: Sequence[int]) -> int:
        """Rank of the rows of some mates; memoised."""
        key = frozenset(mates)
        if key not in self._ranks:
            self.diagnosis.check()
            self._ranks[key] = rank_of(self.matrix(sorted(key)), self.diagnosis.cut).rank
        return self._ranks[key]

    def repeated(self, others: Sequence[int], mates: Sequence[int]) -> int:
        """Number of equations of some mates that follow from others, not from themselves."""
        return self.rank(others) + self.rank(mates) - self.rank([*others, *mates])

    # ------------------------------------------------------------------ circuits
    def circuit(self, others: Sequence[int], mates: Sequence[int], loop: bool) -> Redundancy:
        """An irreducible set of mates with as many redundant equations."""
        repeated = self.repeated(others, mates)
        others, mates = list(others), list(mates)
        for m in reversed([*others, *mates]):
            fewer = [k for k in others if k != m]
            rest = [k for k in mates if k != m]
            if rest and self.repeated(fewer, rest) == repeated:
                others, mates = fewer, rest
        return self._describe(others, mates, repeated, loop)

    def _describe(
        self, others: list[int], mates: list[int], equations: int, loop: bool
    ) -> Redundancy:
        """The directions of the dependent combinations, and their residuals."""
        rows = np.concatenate([self.rows[m] for m in (*others, *mates)])
        whole, f = self.matrix([*others, *mates]), np.empty(len(rows))
        residuals(self.diagnosis.plan.given, self.diagnosis.parts, rows, f)
        cut = sum(len(self.rows[m]) for m in others)
        first, last = whole[:cut], whole[cut:]
        basis = _row_basis(first, self.diagnosis.cut)
        longest = float(np.linalg.norm(last, axis=1).max(initial=0.0))
        combined = _short_combinations(
            last - (last @ basis.T) @ basis, self.diagnosis.cut * longest
        )
        by_turn, by_shift = _split(combined, self.system.angular[rows[cut:]])
        off = f[cut:]
        if cut:
            off = off - np.linalg.lstsq(first.T, last.T, rcond=self.diagnosis.cut)[0].T @ f[:cut]
        wrenches = self._wrenches(mates)
        return Redundancy(
            mates=tuple(sorted([*others, *mates])),
            repeating=tuple(sorted(mates)),
            equations=equations,
            loop=loop,
            turns=_directions(by_turn @ wrenches[:, 3:]),
            shifts=_directions(by_shift @ wrenches[:, :3]),
            off_mm=float(np.linalg.norm(by_shift @ off)),
            off_deg=degrees(float(np.linalg.norm(by_turn @ off)) / self.system.length),
        )

    def _wrenches(self, mates: Sequence[int]) -> Array:
        """Force and torque of the rows of some mates on one common body, (rows, 6)."""
        common = frozenset.intersection(*(self.touched(m) for m in mates)) & self.moving
        if not common:
            return np.zeros((sum(len(self.rows[m]) for m in mates), 6))
        return np.concatenate([self.blocks(m)[min(common)] for m in mates])

    # ------------------------------------------------------------------ search
    def between_two(self, mates: Sequence[int]) -> list[Redundancy]:
        """Circuits among mates that join the same bodies, each mate against those before it."""
        out = []
        for k, m in enumerate(mates):
            alone = len(self.rows[m]) - self.rank([m])
            if alone:
                out.append(self._describe([], [m], alone, False))
            if self.repeated(mates[:k], [m]):
                out.append(self.circuit(mates[:k], [m], False))
        return out

    def around_loops(self, bundles: Sequence[list[int]], total: int) -> list[Redundancy]:
        """Circuits around loops of bundles, each of mates that join the same bodies.

        From the rank of the whole there are `total` redundant equations around the loops.
        """
        closing: list[tuple[int, list[int]]] = []
        graph = GrowingGraph()
        for k, bundle in enumerate(bundles):
            ends = self.nodes(bundle[0])
            path = [m for n in _shortest(graph, ends) for m in bundles[n]]
            if path and self.repeated(path, bundle):
                closing.append((k, path))
            graph.add(k, ends)
        if sum(self.repeated(path, bundles[k]) for k, path in closing) < total:
            if sum(map(len, bundles)) > LARGEST_SEARCH:
                return []
            before = [[m for b in bundles[:k] for m in b] for k in range(len(bundles))]
            closing = [(k, before[k]) for k, b in enumerate(bundles) if self.repeated(before[k], b)]
        return [self.circuit(path, bundles[k], True) for k, path in closing]


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


def _row_basis(matrix: Array, cut: float) -> Array:
    """Orthonormal rows that span the rows of a matrix."""
    if not matrix.size:
        return np.empty((0, matrix.shape[1]))
    _, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    basis: Array = right[sizes > cut * sizes.max()]
    return basis


def _short_combinations(matrix: Array, limit: float) -> Array:
    """Orthonormal coefficients of the combinations of rows whose length is within a limit."""
    left, sizes, _ = np.linalg.svd(matrix)
    short = np.ones(len(left), bool)
    short[: len(sizes)] = sizes <= limit
    out: Array = left[:, short].T
    return out


def _split(combined: Array, angular: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Combinations of angular rows alone, and the rest; both orthonormal, as the input."""
    pure = _short_combinations(combined[:, ~angular], FAINT)
    return pure @ combined, null_space(pure, FAINT).T @ combined


def _directions(vectors: Array) -> Array:
    """Orthonormal directions that some vectors span, shape (0 to 3, 3)."""
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
            scope = MateRows(d, plan.table, d.poses, plan.bodies.centre, rows, moving)
            out += _groups(scope, total)
    return out


def _in_clusters(d: Diagnosis) -> list[Redundancy]:
    """Groups of mates between parts of one body."""
    b, system = d.plan.bodies, d.plan.system
    out = []
    rows = {m: system.rows([m]) for m in b.inner.tolist()}
    every = MateRows(d, system.table, d.parts, system.centre, rows, frozenset())
    by_body: dict[int, list[int]] = {}
    for m in rows:
        by_body.setdefault(int(b.of_part[min(every.touched(m))]), []).append(m)
    for body, mates in by_body.items():
        still = {k for k in b.parts(body).tolist() if system.fixed[k]} or {int(b.parts(body)[0])}
        moving = frozenset(set(b.parts(body).tolist()) - still)
        total = sum(len(rows[m]) for m in mates) - 6 * len(moving)
        if total > 0:
            inner = {m: rows[m] for m in mates}
            within = replace(every, rows=inner, moving=moving, _blocks={}, _ranks={})
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


def _groups(mate_rows: MateRows, total: int) -> list[Redundancy]:
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
