"""Which mates say the same thing, what they agree about, and by how much they disagree.

A mate *repeats* equations where some combination of its rows follows from the rows of others: it
closes a circuit.  Circuits are looked for where they are short: between two bodies, then around
the shortest loop that a mate closes, then in the whole component.  Each is thinned out until no
mate can be left away.  The residual of the repeated combination, taken together with the multiple
of the other rows that it equals, is what the mates disagree by; to first order it is the same at
every pose near by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import degrees

import numpy as np
from numpy.typing import NDArray

from ..equations.table import SPACE, Table, jacobian, residuals
from ..foundations.numerics.linear import null_space, rank_of
from ..foundations.types import Array, Ints
from ..structure.incidence import bodies_of, slots
from .freedoms import Diagnosis

STILL = -1
"""All bodies at rest, as one."""

LARGEST_SEARCH = 40
"""Mates of a component up to which circuits are looked for beyond the shortest loop."""

ABOUT = 1e-6
"""Share of a repeated combination below which it says nothing about a direction."""

NO_DIRECTION = np.empty((0, 3))


@dataclass(frozen=True, eq=False)
class Redundancy:
    """Mates that say something more than once.

    Attributes:
        mates: that take part; repeating: those of them, the later ones, that repeat the others.
        equations: how many of theirs in all follow from the others, of each as many.
        loop: whether the circuit runs around a loop of bodies.
        turns, shifts: directions in the world about which and along which they say the same.
        off_mm, off_deg: by how much the repeated equations are off where the others hold.
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
class Scope:
    """Mates between some bodies at the closed pose, as blocks of rows.

    Attributes:
        rows: of each mate in `table`; moving: bodies that can move, the others are at rest.
        cut: singular value, relative to the largest, below which a row counts as dependent.
    """

    table: Table
    poses: Array
    centre: Array
    length: float
    rows: dict[int, Ints]
    moving: frozenset[int]
    angular: NDArray[np.bool_]
    cut: float
    _blocks: dict[int, dict[int, Array]] = field(default_factory=dict)
    _ranks: dict[frozenset[int], int] = field(default_factory=dict)

    def touched(self, mate: int) -> frozenset[int]:
        """The bodies whose poses a mate reads."""
        return frozenset().union(*(bodies_of(self.table, e) for e in self.rows[mate]))

    def nodes(self, mate: int) -> frozenset[int]:
        """The bodies that a mate joins, those at rest as one."""
        return frozenset(b if b in self.moving else STILL for b in self.touched(mate))

    def blocks(self, mate: int) -> dict[int, Array]:
        """Force and torque (over the length) of each row of a mate on each moving body."""
        if mate not in self._blocks:
            rows, bodies = self.rows[mate], sorted(self.touched(mate) & self.moving)
            slot = slots(len(self.poses), bodies, SPACE)
            out = np.empty((len(rows), 6 * len(bodies)))
            jacobian(self.table, self.poses, rows, slot, np.eye(3), self.centre, self.length, out)
            found = {b: out[:, 6 * n : 6 * n + 6] for n, b in enumerate(bodies)}
            self._blocks[mate] = found
        return self._blocks[mate]

    def matrix(self, mates: Sequence[int]) -> Array:
        """Rows of some mates by six columns for each body that they touch."""
        bodies = sorted({b for m in mates for b in self.blocks(m)})
        place = {b: 6 * n for n, b in enumerate(bodies)}
        out = np.zeros((sum(len(self.rows[m]) for m in mates), 6 * len(bodies)))
        at = 0
        for m in mates:
            n = len(self.rows[m])
            for body, block in self.blocks(m).items():
                out[at : at + n, place[body] : place[body] + 6] = block
            at += n
        return out

    def rank(self, mates: Sequence[int]) -> int:
        key = frozenset(mates)
        if key not in self._ranks:
            self._ranks[key] = rank_of(self.matrix(sorted(key)), self.cut).rank
        return self._ranks[key]

    def repeated(self, others: Sequence[int], mates: Sequence[int]) -> int:
        """Equations of some mates that follow from others, beyond those among themselves."""
        return self.rank(others) + self.rank(mates) - self.rank([*others, *mates])

    def all_rows(self, mates: Sequence[int]) -> Ints:
        return np.concatenate([*(self.rows[m] for m in mates), np.empty(0, np.int64)])

    # ------------------------------------------------------------------ circuits
    def circuit(self, others: Sequence[int], mates: Sequence[int], loop: bool) -> Redundancy:
        """The fewest mates among which as many equations repeat."""
        wanted = self.repeated(others, mates)
        others, mates = list(others), list(mates)
        for m in reversed([*others, *mates]):
            fewer = [k for k in others if k != m]
            rest = [k for k in mates if k != m]
            if rest and self.repeated(fewer, rest) == wanted:
                others, mates = fewer, rest
        return self._told(others, mates, wanted, loop)

    def _told(self, others: list[int], mates: list[int], equations: int, loop: bool) -> Redundancy:
        """What the repeated combinations are about, and what they are off."""
        rows = self.all_rows([*others, *mates])
        whole, f = self.matrix([*others, *mates]), np.empty(len(rows))
        residuals(self.table, self.poses, rows, f)
        cut = len(self.all_rows(others))
        first, own = whole[:cut], whole[cut:]
        basis = _row_basis(first, self.cut)
        longest = float(np.linalg.norm(own, axis=1).max(initial=0.0))
        combined = _short(own - (own @ basis.T) @ basis, self.cut * longest)
        by_turn, by_shift = _split(combined, self.angular[rows[cut:]])
        off = f[cut:]
        if cut:
            off = off - np.linalg.lstsq(first.T, own.T, rcond=self.cut)[0].T @ f[:cut]
        wrenches = self._wrenches(mates)
        return Redundancy(
            mates=tuple(sorted([*others, *mates])),
            repeating=tuple(sorted(mates)),
            equations=equations,
            loop=loop,
            turns=_directions(by_turn @ wrenches[:, 3:]),
            shifts=_directions(by_shift @ wrenches[:, :3]),
            off_mm=float(np.linalg.norm(by_shift @ off)),
            off_deg=degrees(float(np.linalg.norm(by_turn @ off)) / self.length),
        )

    def _wrenches(self, mates: Sequence[int]) -> Array:
        """Force and torque of the rows of some mates on one body that they have in common."""
        common = frozenset.intersection(*(self.touched(m) for m in mates)) & self.moving
        body = min(common, default=None)
        return np.concatenate(
            [
                self.blocks(m)[body] if body is not None else np.zeros((len(self.rows[m]), 6))
                for m in mates
            ]
        )

    # ------------------------------------------------------------------ search
    def between_two(self, mates: Sequence[int]) -> list[Redundancy]:
        """Circuits among mates that join the same bodies, each mate against those before it."""
        out = []
        for k, m in enumerate(mates):
            alone = len(self.rows[m]) - self.rank([m])
            if alone:
                out.append(self._told([], [m], alone, False))
            if self.repeated(mates[:k], [m]):
                out.append(self.circuit(mates[:k], [m], False))
        return out

    def around_loops(self, bundles: Sequence[list[int]], total: int) -> list[Redundancy]:
        """Circuits around loops of bundles, each of mates that join the same bodies.

        Args:
            total: equations that repeat around the loops, known from the rank of the whole.
        """
        closing: list[tuple[int, list[int]]] = []
        for k, bundle in enumerate(bundles):
            path = self._path(bundles[:k], self.nodes(bundle[0]))
            if path and self.repeated(path, bundle):
                closing.append((k, path))
        if sum(self.repeated(path, bundles[k]) for k, path in closing) < total:
            if sum(map(len, bundles)) > LARGEST_SEARCH:
                return []
            before = [[m for b in bundles[:k] for m in b] for k in range(len(bundles))]
            closing = [(k, before[k]) for k, b in enumerate(bundles) if self.repeated(before[k], b)]
        return [self.circuit(path, bundles[k], True) for k, path in closing]

    def _path(self, bundles: Sequence[list[int]], ends: frozenset[int]) -> list[int]:
        """Mates of the shortest ways between some bodies; none where there is no way."""
        first, *others = sorted(ends)
        before: dict[int, tuple[int, int]] = {first: (first, -1)}
        queue = [first]
        near = [(k, self.nodes(b[0])) for k, b in enumerate(bundles)]
        for node in queue:
            for k, nodes in near:
                for other in sorted(nodes - before.keys()) if node in nodes else ():
                    before[other] = (node, k)
                    queue.append(other)
        if not before.keys() >= ends:
            return []
        used = set()
        for node in others:
            while node != first:
                node, k = before[node]
                used.add(k)
        return [m for k in sorted(used) for m in bundles[k]]


def _row_basis(matrix: Array, cut: float) -> Array:
    """Orthonormal rows that span the rows of a matrix."""
    if not matrix.size:
        return np.empty((0, matrix.shape[1]))
    _, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    basis: Array = right[sizes > cut * sizes.max()]
    return basis


def _short(matrix: Array, limit: float) -> Array:
    """Orthonormal combinations of the rows of a matrix that are not longer than a limit."""
    left, sizes, _ = np.linalg.svd(matrix)
    short = np.ones(len(left), bool)
    short[: len(sizes)] = sizes <= limit
    out: Array = left[:, short].T
    return out


def _split(combined: Array, angular: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Combinations of angles alone, and the rest; both orthonormal as those given."""
    pure = _short(combined[:, ~angular], ABOUT)
    return pure @ combined, null_space(pure, ABOUT).T @ combined


def _directions(vectors: Array) -> Array:
    """Orthonormal directions that some vectors span, shape (0 to 3, 3)."""
    _, sizes, right = np.linalg.svd(vectors, full_matrices=False)
    out: Array = right[sizes > ABOUT]
    return out


def redundancies(d: Diagnosis) -> list[Redundancy]:
    """Groups of mates with redundant equations: within clusters, between bodies, around loops."""
    out = _in_clusters(d)
    plan, system = d.plan, d.plan.system
    for k, c in enumerate(plan.components):
        total = len(c.rows) - (6 * len(c.bodies) - d.nullity(k))
        if total > 0:
            rows = {m: system.rows([m]) for m in sorted(c.promises)}
            scope = Scope(
                plan.table,
                d.poses,
                plan.bodies.centre,
                system.length,
                rows,
                frozenset(c.bodies),
                system.angular,
                d.cut,
            )
            out += _in_scope(scope, total)
    return out


def _in_clusters(d: Diagnosis) -> list[Redundancy]:
    """Groups among the mates between parts of one body."""
    b, system = d.plan.bodies, d.plan.system
    out = []
    rows = {m: system.rows([m]) for m in b.inner.tolist()}
    every = Scope(
        system.table,
        d.parts,
        system.centre,
        system.length,
        rows,
        frozenset(),
        system.angular,
        d.cut,
    )
    by_body: dict[int, list[int]] = {}
    for m in rows:
        by_body.setdefault(int(b.of_part[min(every.touched(m))]), []).append(m)
    for body, mates in by_body.items():
        still = {k for k in b.parts(body).tolist() if system.held[k]} or {int(b.parts(body)[0])}
        moving = frozenset(set(b.parts(body).tolist()) - still)
        total = sum(len(rows[m]) for m in mates) - 6 * len(moving)
        if total > 0:
            own = {m: rows[m] for m in mates}
            out += _in_scope(replace(every, rows=own, moving=moving, _blocks={}, _ranks={}), total)
    return out


def _alike(found: list[Redundancy]) -> list[Redundancy]:
    """Mates that repeat the same of the same others are told together."""
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


def _in_scope(scope: Scope, total: int) -> list[Redundancy]:
    """Groups that account for all redundant equations of a scope."""
    bundles: dict[frozenset[int], list[int]] = {}
    for m in scope.rows:
        bundles.setdefault(scope.nodes(m), []).append(m)
    out = [r for bundle in bundles.values() for r in _alike(scope.between_two(bundle))]
    rest = total - sum(r.equations for r in out)
    if rest > 0:
        out += scope.around_loops(list(bundles.values()), rest)
    rest = total - sum(r.equations for r in out)
    if rest > 0:  # circuits too long to be looked for
        mates = tuple(scope.rows)
        out.append(Redundancy(mates, (), rest, True, NO_DIRECTION, NO_DIRECTION, 0.0, 0.0))
    return out
