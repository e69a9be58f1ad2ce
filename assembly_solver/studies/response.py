"""How the poses of a solved assembly answer small changes of its equations: J dq = -dPhi.

Where redundant mates disagree after a change, dq is that of least squares, as the poses are; free
motions are held as a solve holds them, with the least movement of the features of mates.  At a dead
point there is no derivative: the direction in which the parts may go is named instead.

Source: the implicit function theorem, with the pseudo-inverse for redundant equations; G. H. Golub
and C. F. Van Loan, Matrix Computations, 5.5.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..equations.many_equations import displaced
from ..equations.system import System
from ..equations.table import SPACE, TwistBasis, residuals
from ..foundations.geometry.screw import screw_of
from ..foundations.graphs.connected import connected
from ..foundations.numerics.rounding import FAINT, FOURTH, ROOT
from ..foundations.types import Array, Ints
from ..structure.incidence import jacobian_of

PROBE = FOURTH
"""Turn, rad, by which a pose is displaced to tell a singular pose from dependent equations."""

SEEN = 8.0 * FOURTH**1.5
"""Least singular value, relative, of an equation that is independent there: dependent ones differ
by the square of the turn, those of a singular pose by the turn."""

VERBS = {"rotation": "turns", "translation": "slides", "screw": "screws"}


class PoseResponse:
    """The linear answer of the parts of a solved assembly at some poses.

    Attributes:
        system: its equations; frames: of its parts, (parts, 12), mm, where they hold.
        cut: singular values of the Jacobian that count as 0, relative to the largest.
        moving: indices of the parts that are not fixed; their unknowns are those of `basis`.
    """

    def __init__(self, system: System, frames: Array, cut: float = ROOT) -> None:
        self.system, self.frames, self.cut = system, frames, cut
        self.moving: Ints = np.flatnonzero(~system.fixed)
        self.basis = TwistBasis(np.eye(3), system.centre, system.length)
        self.rows = np.arange(len(system.table.target))

    def polished(self) -> PoseResponse:
        """The same at poses where a last step leaves rounding of the residuals."""
        off = np.empty(len(self.rows))
        residuals(self.system.table, self.frames, self.rows, off)
        step = -self.inverse @ off / self.system.length
        return PoseResponse(self.system, self.moved(step), self.cut)

    def jacobian(self, frames: Array) -> Array:
        """Derivatives of all equations, mm, by the unknowns of the moving parts, mm."""
        of = self.moving.tolist()
        return jacobian_of(self.system.table, frames, self.rows, of, SPACE, self.basis)

    @cached_property
    def matrix(self) -> Array:
        """The Jacobian at the poses, (equations, unknowns)."""
        return self.jacobian(self.frames)

    @cached_property
    def _decomposed(self) -> tuple[Array, Array, Array]:
        left, values, right = np.linalg.svd(self.matrix, full_matrices=True)
        kept = int(np.sum(values > self.cut * values.max(initial=0.0)))
        return left[:, :kept], values[:kept], right

    @property
    def rank(self) -> int:
        """Independent equations at the poses."""
        return len(self._decomposed[1])

    @cached_property
    def inverse(self) -> Array:
        """The pseudo-inverse of the Jacobian, with the least movement: (unknowns, equations)."""
        left, values, right = self._decomposed
        found: Array = right[: len(values)].T @ (left.T / values[:, None])
        return self._with_least_movement(found, right[len(values) :].T)

    @cached_property
    def free(self) -> Array:
        """Orthonormal motions that no equation stops, as columns, (unknowns, freedoms)."""
        return self._decomposed[2][self.rank :].T

    def _with_least_movement(self, steps: Array, free: Array) -> Array:
        """Steps, as columns, with the free motions added that lessen the movement of features."""
        if not free.shape[1]:
            return steps
        arms = self._arms @ free
        moved: Array = steps - free @ (np.linalg.pinv(arms, rcond=FAINT) @ (self._arms @ steps))
        return moved

    @cached_property
    def _arms(self) -> Array:
        """Displacements of the mate features of the moving parts by the unknowns, mm."""
        s, place = self.system, {p: n for n, p in enumerate(self.moving.tolist())}
        chosen = [k for k, p in enumerate(s.cloud_part.tolist()) if p in place]
        out = np.zeros((len(chosen), 3, 6 * len(place)))
        for n, k in enumerate(chosen):
            part = int(s.cloud_part[k])
            arm = (s.cloud[k] - s.centre[part]) @ self.frames[part, 3:].reshape(3, 3)
            own = 6 * place[part]
            out[n, :, own : own + 3] = np.eye(3)
            out[n, :, own + 3 : own + 6] = np.cross(np.eye(3), arm).T / s.length
        return out.reshape(-1, 6 * len(place))

    # ------------------------------------------------------------------------------- answers
    def steps(self, rates: Array) -> Array:
        """Derivatives of the unknowns, (unknowns, variables), from those of the residuals.

        Args:
            rates: of the residuals with the parts at rest, (equations, variables), mm.
        """
        out: Array = -(self.inverse @ rates)
        if not self.free.shape[1]:
            return out
        for n in np.flatnonzero(np.any(rates != 0.0, axis=0)).tolist():
            stays = self._stays(rates[:, n])
            near = None if stays is None else self._among(~stays, rates[:, n], out[:, n])
            out[:, n] = out[:, n] if near is None else near
        return out

    def _stays(self, rate: Array) -> NDArray[np.bool_] | None:
        """Unknowns of parts that mates without a change connect to the ground; None: of none."""
        s = self.system
        changed = np.zeros(len(s.constraints), bool)
        changed[s.constraint_of_equation[np.abs(rate) > 0.0]] = True
        links = [(a, b) for k in np.flatnonzero(~changed) for a, b in self._pairs(int(k))]
        if not links:
            return None
        ends = np.array(links, np.int64).T
        count, label = connected(len(s.parts), *ends)
        held = np.zeros(count, bool)
        held[label[s.fixed]] = True
        grounded = held[label][self.moving]
        return np.repeat(grounded, 6) if grounded.any() else None

    def _pairs(self, constraint: int) -> list[tuple[int, int]]:
        parts = self.system.parts_of(constraint)
        return [(parts[0], p) for p in parts[1:]]

    def _among(self, moves: NDArray[np.bool_], rate: Array, step: Array) -> Array | None:
        """The same step with some unknowns only; None where these cannot make up for it."""
        out = np.zeros_like(step)
        own = self.matrix[:, moves]
        left, values, right = np.linalg.svd(own, full_matrices=True)
        kept = int(np.sum(values > self.cut * values.max(initial=0.0)))
        found = right[:kept].T @ ((left[:, :kept].T @ -rate) / values[:kept])
        best = self.matrix @ step + rate
        if np.linalg.norm(own @ found + rate) > np.linalg.norm(best) + FAINT * np.linalg.norm(rate):
            return None
        free = np.zeros((len(step), right.shape[0] - kept))
        free[moves] = right[kept:].T
        out[moves] = found
        return self._with_least_movement(out[:, None], free)[:, 0]

    def disagreeing(self, rates: Array, steps: Array) -> list[list[str]]:
        """For each variable the constraints that a change leaves off, by first order."""
        s = self.system
        off = np.abs(self.matrix @ steps + rates)
        size = np.abs(rates).max(axis=0, initial=0.0)
        wrong = off > FAINT * size
        of = s.constraint_of_equation
        return [
            list(dict.fromkeys(s.constraints[k] for k in of[column].tolist())) for column in wrong.T
        ]

    # --------------------------------------------------------------------------- dead points
    @cached_property
    def singular(self) -> Array | None:
        """Free motions of a singular pose as columns, None where the pose is regular.

        There equations that are independent nearby depend on each other: the displaced pose tells.
        """
        dependent = len(self.rows) - self.rank
        if not self.free.shape[1] or not dependent:
            return None
        ranks = [
            _rank(self.jacobian(self.moved(sign * PROBE * motion)))
            for motion in self.free.T
            for sign in (1.0, -1.0)
        ]
        here = _rank(self.matrix)
        both = np.array(ranks).reshape(-1, 2).min(axis=1) > here
        return self.free[:, both] if both.any() else None

    def moved(self, step: Array) -> Array:
        """Frames of all parts after a step of the unknowns, in characteristic lengths."""
        twists = np.zeros((len(self.system.parts), 6))
        twists[self.moving] = step.reshape(-1, 6) * self.system.length
        turns = twists[None, :, 3:] / self.system.length
        out: Array = displaced(self.frames[None], self.system.centre, twists[None, :, :3], turns)[0]
        return out

    @cached_property
    def singular_words(self) -> str:
        """What may move at a singular pose although everything holds; empty at a regular one."""
        if self.singular is None:
            return ""
        told = []
        for motion in self.singular.T:
            twists = motion.reshape(-1, 6)
            share = np.linalg.norm(twists, axis=1)
            k = int(np.argmax(share))
            part = int(self.moving[k])
            at = self.frames[part, :3] + self.system.centre[part] @ self.frames[part, 3:].reshape(
                3, 3
            )
            screw = screw_of(twists[k, :3], twists[k, 3:] / self.system.length, at)
            told.append(f"{self.system.parts[part]} {VERBS[screw.kind]} there either way")
        return "dead point: " + ", ".join(told)

    def undecided(self, rates: Array) -> NDArray[np.bool_]:
        """Whether a variable acts where the pose is singular, (variables,)."""
        if self.singular is None:
            return np.zeros(rates.shape[1], bool)
        s = self.system
        links = [(a, b) for k in range(len(s.constraints)) for a, b in self._pairs(k)]
        loose = [(a, b) for a, b in links if not (s.fixed[a] or s.fixed[b])]
        _, label = connected(len(s.parts), *np.array(loose, np.int64).reshape(-1, 2).T)
        share = np.abs(self.singular).reshape(len(self.moving), 6, -1).max(axis=(1, 2))
        bad = set(label[self.moving[share > FAINT]].tolist())
        acts = np.zeros((len(s.constraints), rates.shape[1]), bool)
        np.logical_or.at(acts, s.constraint_of_equation, np.abs(rates) > 0.0)
        there = [
            any(int(label[p]) in bad for p in s.parts_of(k) if not s.fixed[p])
            for k in range(len(s.constraints))
        ]
        found: NDArray[np.bool_] = acts[np.array(there, bool)].any(axis=0)
        return found


def _rank(matrix: Array) -> int:
    """Singular values that a small turn does not explain."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(values > SEEN * values.max(initial=0.0)))
