"""Rank, degrees of freedom and free motions at a closed pose, without drivers.

All of it is computed from the Jacobian *at the solved pose*, component by component.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..equations.closed_form import plane_axes
from ..equations.residuals import worst_off
from ..equations.table import PLANE, SPACE, TwistBasis, world_point
from ..equations.tree_model import FREEDOMS
from ..foundations.geometry.nearest_motion import (
    CYLINDRICAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
)
from ..foundations.geometry.pose import compose_all
from ..foundations.geometry.screw import ScrewAxis, nearest_directions, plain_motions, screw_of
from ..foundations.numerics.block_elimination import BlockElimination, RowGroup
from ..foundations.numerics.linear import Rank, null_space, rank_cut, rank_of, without
from ..foundations.numerics.rounding import FAINT, ROUNDING, TINY
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from ..structure.body_walk import BodyWalk
from ..structure.incidence import bodies_of_each, jacobian_of
from ..structure.plan import Plan
from ..structure.poses import body_poses
from ..structure.steps import Component

DENSE = 240
"""Most unknowns of a component whose rank is always that of a dense decomposition."""

DENSE_IF_UNCLEAR = 2400
"""The same for a rank that the sparse elimination leaves in doubt."""

ALONE = 0.5
"""Square of the share of a body in a null vector from which it may move alone."""

NO_TWIST = np.zeros(6)


@dataclass(frozen=True, eq=False)
class FreeMotion:
    """One independent free motion.

    Attributes:
        bodies: those of the component that move, what hangs on them moves with them;
            screw: the motion of the first of them.
        idle: whether it is an idle freedom: a single body inside the mechanism moves alone.
        component: index of the moving component, -body of one in none; twists: of its moving
            bodies, (6,): velocity at the world origin, mm, spin, rad, at the characteristic length.
    """

    bodies: tuple[int, ...]
    screw: ScrewAxis
    idle: bool
    component: int
    twists: dict[int, Array]


class Diagnosis:
    """Rank and freedoms of a plan without drivers at closed poses of the parts, (parts, 12), mm.

    The watch interrupts what is computed while its clock runs.  The bodies
    are at `nominal`, (bodies, 12), where the nominal mates hold, by default at `parts`.

    Source: docs/theory/mobility.md, 2; docs/theory/nominal.md, 4.
    """

    def __init__(
        self, plan: Plan, parts: Array, nominal: Array | None = None, watch: Watch | None = None
    ) -> None:
        self.plan, self.parts, self.watch = plan, parts, watch or Watch()
        self.off = max(worst_off(plan.system, parts), plan.bodies.shift)
        self.cut = rank_cut(self.off / plan.system.length)
        self._sparse: dict[int, BlockElimination] = {}
        self.poses = body_poses(plan, parts) if nominal is None else nominal

    def check(self) -> None:
        """Raise `Stopped` where the watch does."""
        self.watch.check()

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of each part."""
        return {name: k for k, name in enumerate(self.plan.system.parts)}

    @cached_property
    def names_of(self) -> dict[int, list[str]]:
        """Names of the parts of each body, in order."""
        out: dict[int, list[str]] = {}
        for name, body in zip(self.index, self.plan.bodies.of_part.tolist(), strict=True):
            out.setdefault(body, []).append(name)
        return out

    # ------------------------------------------------------------------ ranks
    @cached_property
    def ranks(self) -> list[Rank]:
        """Rank of each component in its unknowns: three a body in a plane, six in space."""
        return [self._rank(k, c) for k, c in enumerate(self.plan.components)]

    def _rank(self, k: int, c: Component) -> Rank:
        self.check()
        sparse = self._eliminated(k, c)
        return rank_of(self.jacobian(c), self.cut) if sparse is None else sparse.rank

    def _null_space(self, k: int, c: Component) -> Array:
        """Orthonormal null vectors of a component in its unknowns, as columns."""
        sparse = self._eliminated(k, c)
        return null_space(self.jacobian(c), self.cut) if sparse is None else sparse.basis

    def _eliminated(self, k: int, c: Component) -> BlockElimination | None:
        """The sparse elimination of a large component; None where a dense one is to be used."""
        if c.columns <= DENSE:
            return None
        if k not in self._sparse:
            groups = self._row_groups(c)
            self._sparse[k] = BlockElimination(
                groups, len(c.bodies), len(c.unknowns), self.cut, self.check
            )
        sparse = self._sparse[k]
        return sparse if sparse.clear or c.columns > DENSE_IF_UNCLEAR else None

    def _row_groups(self, c: Component) -> list[RowGroup]:
        """The rows of a component by the moving bodies that they read."""
        t, place = self.plan.table, {b: n for n, b in enumerate(c.bodies)}
        by_bodies: dict[tuple[int, ...], list[int]] = {}
        for e, bodies in bodies_of_each(t, self.rows(c).tolist()).items():
            by_bodies.setdefault(tuple(b for b in bodies if b in place), []).append(e)
        basis, out = self.basis(c), []
        for bodies, rows in by_bodies.items():
            at = np.array(rows, np.int64)
            matrix = jacobian_of(t, self.poses, at, bodies, c.unknowns, basis)
            out.append(RowGroup(tuple(place[b] for b in bodies), matrix))
        return out

    def rows(self, c: Component) -> Ints:
        """Numbers of the equations in the unknowns of a component: those in its plane, or all."""
        return c.rows if c.projection is None else np.array(c.projection.plane, np.int64)

    def jacobian(self, c: Component, poses: Array | None = None) -> Array:
        """Jacobian of a component in its unknowns, in mm; by default at the closed pose."""
        poses = self.poses if poses is None else poses
        return jacobian_of(
            self.plan.table, poses, self.rows(c), c.bodies, c.unknowns, self.basis(c)
        )

    def jacobian_in_space(self, c: Component) -> Array:
        """All rows of a component at the closed pose in six unknowns for each body."""
        return jacobian_of(self.plan.table, self.poses, c.rows, c.bodies, SPACE, self.basis(c))

    def basis(self, c: Component) -> TwistBasis:
        """Meaning of the unknowns of a component."""
        return TwistBasis(self.axes(c), self.plan.bodies.centre, self.plan.system.length)

    def axes(self, c: Component) -> Array:
        """Axes of the unknowns of a component as rows, (3, 3), world; z normal to its plane."""
        out = np.eye(3)
        if c.projection is not None:
            plane_axes(self.poses, c.root, c.projection.flat.normal[0], out)
        return out

    def nullity(self, k: int) -> int:
        """Freedoms of a component against its root, free heights over its plane included."""
        c = self.plan.components[k]
        free = len(c.bodies) * len(c.unknowns) - self.ranks[k].rank
        return free + (c.projection.flat.groups - 1 if c.projection is not None else 0)

    @cached_property
    def dof(self) -> int:
        """Degrees of freedom of all parts that are not fixed."""
        unmated = self.plan.bodies.count - 1 - len(self.component_of)
        return 6 * unmated + sum(self.nullity(k) for k in range(len(self.plan.components)))

    @cached_property
    def unknowns(self) -> int:
        """Six for each part that is not fixed."""
        return 6 * int(np.sum(~self.plan.system.fixed))

    @property
    def equations(self) -> int:
        """Equations of all mates."""
        return self.plan.system.mate_equations

    @property
    def rank(self) -> int:
        """Independent equations."""
        return self.unknowns - self.dof

    @property
    def gap(self) -> float:
        """Largest first dropped over last kept singular value: 0 (clear) to 1 (undecided)."""
        return max((r.gap for r in self.ranks), default=0.0)

    @property
    def redundant_equations(self) -> int:
        """Equations that follow from the others."""
        return self.equations - self.rank

    # ------------------------------------------------------------------ planarity
    def common_normal(self, k: int) -> Array | None:
        """Unit normal, (3,), world, of the planes in which a component moves at this pose.

        None where not every spin is along one direction and every velocity across it, or where
        there is no rotation.

        Source: docs/theory/planar.md, 1.
        """
        c = self.plan.components[k]
        vectors = null_space(self.jacobian_in_space(c), self.cut)
        twists = vectors.T.reshape(-1, 2, 3)
        spins, speeds = twists[:, 1], twists[:, 0]
        sizes = np.linalg.norm(spins, axis=1)
        if not len(sizes) or sizes.max() < FAINT:
            return None
        normal: Array = spins[np.argmax(sizes)] / sizes.max() @ self.axes(c)
        world = twists @ self.axes(c)
        across = np.abs(world[:, 0] @ normal).max() / max(float(np.abs(speeds).max()), 1.0)
        along = np.linalg.norm(np.cross(world[:, 1], normal), axis=1).max()
        return normal if max(across, along) < FAINT else None

    # ------------------------------------------------------------------ free motions
    @cached_property
    def free_motions(self) -> list[FreeMotion]:
        """Independent free motions: in loops nearest to the ground first, of untied bodies last."""
        out = []
        for k, c in enumerate(self.plan.components):
            if self.nullity(k):
                out += self._of_loop(k, c) if c.loop else self._of_branch(k, c)
        for body in range(1, self.plan.bodies.count):
            if body not in self.component_of:
                out += self._of_untied(body)
        return out

    def _of_untied(self, body: int) -> Iterator[FreeMotion]:
        """Turns and slides along the world's axes of a body in no component, which is -body."""
        at, rest = self.poses[body, :3], np.zeros(3)
        for axis in np.eye(3):
            for velocity, spin in ((rest, axis / self.plan.system.length), (axis, rest)):
                twist = np.concatenate([velocity - np.cross(spin, at), spin])
                yield FreeMotion((body,), screw_of(velocity, spin, at), False, -body, {body: twist})

    @cached_property
    def component_of(self) -> dict[int, int]:
        """Index of the component that moves each body against its root."""
        return {b: k for k, c in enumerate(self.plan.components) for b in c.bodies}

    def twists(self, motions: Sequence[FreeMotion], body: int) -> Array:
        """Twists of a body in free motions, (motions, 6): mm at the world origin, and rad."""
        carrier = {k: self.walk.carrier(k, body) for k in {v.component for v in motions}}
        found = [v.twists.get(carrier[v.component], NO_TWIST) for v in motions]
        return np.array(found).reshape(-1, 6)

    @cached_property
    def walk(self) -> BodyWalk:
        """Which bodies move with which."""
        return BodyWalk(self.plan)

    def is_lower_pair(self, k: int) -> bool:
        """Whether a component moves as its lower pair does.

        Where features touch, as an axis that comes just near enough to another one, there are
        freedoms of first order beside those.
        """
        c = self.plan.components[k]  # a loop has no pair where all its mates join three parts
        kind = -1 if c.loop else int(self.plan.bodies.pairs.kind[c.pairs[0]])
        return not c.loop and self.nullity(k) == len(FREEDOMS.get(kind, ()))

    def _of_branch(self, k: int, c: Component) -> list[FreeMotion]:
        self.check()
        pairs, p, body = self.plan.bodies.pairs, c.pairs[0], c.bodies[0]
        kind = int(pairs.kind[p])
        first = int(pairs.bodies[p, 0]) == c.root
        at = pairs.frame_a[p] if first else pairs.frame_b[p]
        frame = compose_all(self.poses[c.root][None], at[None])[0]
        point, z, axes = frame[:3], frame[9:], self._carrier_axes(c)
        turn = {REVOLUTE: [z], CYLINDRICAL: [z], SPHERICAL: [*axes], PLANAR: [z]}
        flat = nearest_directions(frame[3:9].reshape(2, 3), axes)
        slide = {PRISMATIC: [z], CYLINDRICAL: [z], PLANAR: [*flat]}
        if not self.is_lower_pair(k):
            basis = self._plain(c, body, self._null_space(k, c))
            return [self._motion(k, c, (body,), v, False) for v in basis.T]
        found = [ScrewAxis("rotation", point, d, 0.0) for d in turn.get(kind, [])]
        found += [ScrewAxis("translation", point, d, 0.0) for d in slide.get(kind, [])]
        size = self.plan.system.length
        return [
            FreeMotion((body,), s, False, k, {body: s.twist / (size if s.turns else 1.0)})
            for s in found
        ]

    def _motion(
        self, k: int, c: Component, bodies: tuple[int, ...], vector: Array, idle: bool
    ) -> FreeMotion:
        """A null vector of a component as a motion; the screw is that of the first body."""
        size = max(float(np.abs(vector).max()), TINY)
        twists = {}
        for body in c.bodies:
            if body in bodies:
                velocity, spin, at = self._velocity(c, body, vector / size)
                twists[body] = np.concatenate([velocity - np.cross(spin, at), spin])
        screw = screw_of(*self._velocity(c, bodies[0], vector))
        return FreeMotion(bodies, screw, idle, k, twists)

    def _velocity(self, c: Component, body: int, vector: Array) -> tuple[Array, Array, Array]:
        """Velocity of the centre of a body, mm, its spin, rad, and the centre in the world, mm."""
        n = c.bodies.index(body)
        v = vector[6 * n : 6 * n + 6]
        at = np.empty(3)
        world_point(self.poses[body], self.plan.bodies.centre[body], at)
        axes = self.axes(c)
        return v[:3] @ axes, v[3:] @ axes / self.plan.system.length, at

    def _plain(self, c: Component, body: int, vectors: Array) -> Array:
        """Motions of one body, null vectors as columns, as slides and turns where it has them."""
        if vectors.shape[1] < 2:
            return vectors
        velocity, spin = zip(*(self._velocity(c, body, v)[:2] for v in vectors.T), strict=True)
        spins = np.array(spin) * self.plan.system.length
        plain: Array = plain_motions(np.array(velocity), spins, self._carrier_axes(c))
        return vectors @ plain.T

    def _carrier_axes(self, c: Component) -> Array:
        """Axes of the part that carries a component, as rows: in any order the same of several."""
        axes: Array = self.parts[self.index[min(self.names_of[c.root])], 3:].reshape(3, 3)
        return axes

    def _null_vectors(self, k: int, c: Component) -> Array:
        """Null vectors of a component with six numbers a body, as columns."""
        basis = self._null_space(k, c)
        if c.projection is None:
            return basis
        flat = c.projection.flat
        out = np.zeros((6 * len(c.bodies), self.nullity(k)))
        group = dict(zip(flat.bodies.tolist(), flat.group.tolist(), strict=True))
        for n, body in enumerate(c.bodies):
            out[6 * n + PLANE, : basis.shape[1]] = basis[3 * n : 3 * n + 3]
            if group[body]:  # those of group 0 keep their height over the root
                out[6 * n + 2, basis.shape[1] + group[body] - 1] = 1.0
        return out

    def _of_loop(self, k: int, c: Component) -> list[FreeMotion]:
        self.check()
        idle, vectors = self._idle(c, self._null_vectors(k, c))
        depth = c.depths()
        order = sorted(range(len(c.bodies)), key=lambda n: depth[c.bodies[n]])
        out = []
        while vectors.shape[1]:
            self.check()
            n, own, vectors = _of_first(vectors, order)
            first = c.bodies[n]
            for v in self._plain(c, first, own).T:
                share = np.linalg.norm(v.reshape(-1, 6), axis=1)
                moving = [c.bodies[m] for m in np.flatnonzero(share > FAINT * share.max())]
                moving.sort(key=lambda b: (b != first, depth[b]))
                out.append(self._motion(k, c, tuple(moving), v, False))
        for b, v in idle:  # with dependents the motion is not idle
            out.append(self._motion(k, c, (b,), v, self.walk.count(b) == 1))
        return out

    def _idle(self, c: Component, vectors: Array) -> tuple[list[tuple[int, Array]], Array]:
        """Motions of a single body with the others at rest, and the rest of the null space."""
        found, combinations, rows = [], np.zeros((0, vectors.shape[1])), vectors.T.copy()
        for n, body in enumerate(c.bodies):
            own = slice(6 * n, 6 * n + 6)
            if np.square(vectors[own]).sum() < ALONE:
                continue  # no unit vector is in this body alone
            self.check()
            _, shares, right = np.linalg.svd(vectors[own], full_matrices=False)
            few = np.abs(right := right[np.square(shares) > ALONE]).max(0, initial=0.0) > ROUNDING
            others = right[:, few] @ rows[few]
            others[:, own] = 0.0
            mixed, sizes, _ = np.linalg.svd(others, full_matrices=False)  # of orthonormal rows
            alone = mixed.T[sizes < FAINT] @ right
            found += [(body, v) for v in self._plain(c, body, vectors @ alone.T).T]
            combinations = np.concatenate([combinations, alone])
        return found, without(vectors, combinations)


def _of_first(vectors: Array, order: list[int]) -> tuple[int, Array, Array]:
    """The first body that can move, the null vectors that move it, and those that leave it."""
    for n in order:
        block = vectors[6 * n : 6 * n + 6]
        if np.abs(block).max() > FAINT:
            _, sizes, right = np.linalg.svd(block)
            rank = int(np.sum(sizes > FAINT))
            return n, vectors @ right[:rank].T, vectors @ right[rank:].T
    return order[0], vectors[:, :1], vectors[:, 1:]
