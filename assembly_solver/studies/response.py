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
from ..equations.table import residuals
from ..foundations.geometry.screw import screw_of
from ..foundations.graphs.connected import connected
from ..foundations.graphs.cut_off import GROUND, cut_off
from ..foundations.numerics.rounding import FAINT, FOURTH, ROOT
from ..foundations.types import Array
from .least_steps import LeastSteps, PoseRows

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
        rows: the Jacobian; moving: indices of the parts that are not fixed; basis: of the unknowns.
    """

    def __init__(self, system: System, frames: Array, cut: float = ROOT) -> None:
        self.system, self.frames, self.cut = system, frames, cut
        self.rows = PoseRows(system, frames)
        self.moving, self.basis = self.rows.moving, self.rows.basis

    def polished(self) -> PoseResponse:
        """The same at poses where a last step leaves rounding of the residuals."""
        off = np.empty(self.rows.count)
        residuals(self.system.table, self.frames, np.arange(self.rows.count), off)
        step = -self.least.of(off[:, None])[:, 0] / self.system.length
        return PoseResponse(self.system, self.moved(step), self.cut)

    @cached_property
    def least(self) -> LeastSteps:
        """The least steps of all parts that move."""
        return LeastSteps(self.rows, self.cut, np.arange(len(self.moving)))

    @property
    def dependent(self) -> int:
        """Equations that follow from the others at the poses."""
        return self.rows.count - self.least.rank

    # ------------------------------------------------------------------------------- answers
    def steps(self, rates: Array) -> Array:
        """Derivatives of the unknowns, (unknowns, variables), from those of the residuals.

        Args:
            rates: of the residuals with the parts at rest, (equations, variables), mm.
        """
        out = self.least.of(-rates)
        if not self.least.freedoms:
            return out
        every = self.system.constraint_of_equation
        alike: dict[tuple[int, ...], list[int]] = {}
        for n in np.flatnonzero(np.any(rates != 0.0, axis=0)).tolist():
            changed = frozenset(every[np.flatnonzero(rates[:, n])].tolist())
            alike.setdefault(self._loosened(changed), []).append(n)
        best = np.linalg.norm(self.rows.times(out) + rates, axis=0)
        for loose, own in alike.items():
            if 0 < len(loose) < len(self.moving):
                some = LeastSteps(self.rows, self.cut, np.array(loose))
                found, sides = some.of(-rates[:, own]), rates[:, own]
                good = some.left(found, -sides) <= best[own] + FAINT * np.linalg.norm(sides, axis=0)
                out[:, np.array(own)[good]] = found[:, good]  # where these make up for the rates
        return out

    def _loosened(self, changed: frozenset[int]) -> tuple[int, ...]:
        """Places of the moving parts that nothing but some constraints connects to the ground."""
        s = self.system
        begin = dict.fromkeys(p for k in changed for p in s.parts_of(k) if not s.fixed[p])
        loose = cut_off(self._links, changed, begin, self._grounded)
        return tuple(sorted(self._place[p] for p in loose))

    @cached_property
    def _place(self) -> dict[int, int]:
        return {p: n for n, p in enumerate(self.moving.tolist())}

    @cached_property
    def _links(self) -> list[list[tuple[int, int]]]:
        """The constraints of each part, each with another part, `GROUND` for one that is fixed."""
        s, out = self.system, [[] for _ in self.system.parts]  # type: ignore[var-annotated]
        for k in range(len(s.constraints)):
            for a, b in self._pairs(k):
                for one, other in ((a, b), (b, a)):
                    out[one].append((k, GROUND if s.fixed[other] else other))
        return out

    @cached_property
    def _grounded(self) -> bool:
        """Whether every part is connected to one that is fixed."""
        s = self.system
        links = [pair for k in range(len(s.constraints)) for pair in self._pairs(k)]
        count, label = connected(len(s.parts), *np.array(links, np.int64).reshape(-1, 2).T)
        return len(set(label[s.fixed].tolist())) == count

    def _pairs(self, constraint: int) -> list[tuple[int, int]]:
        parts = self.system.parts_of(constraint)
        return [(parts[0], p) for p in parts[1:]]

    def disagreeing(self, rates: Array, steps: Array) -> list[list[str]]:
        """For each variable the constraints that a change leaves off, by first order."""
        s = self.system
        off = np.abs(self.rows.times(steps) + rates)
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
        Where a motion that mixes all leaves them dependent, each of them does.
        """
        if not self.least.freedoms or not self.dependent:
            return None
        here = self._rank(self.rows)
        if not self._more(here, self.least.mixed(np.random.default_rng(0))):
            return None
        both = np.array([self._more(here, motion) for motion in self.least.free.T])
        return self.least.free[:, both] if both.any() else None

    def _more(self, here: int, motion: Array) -> bool:
        """Whether more equations are independent a little along a motion, to both sides."""
        sides = (self.moved(sign * PROBE * motion) for sign in (1.0, -1.0))
        return all(self._rank(PoseRows(self.system, there)) > here for there in sides)

    def _rank(self, rows: PoseRows) -> int:
        """Singular values that a small turn does not explain."""
        return LeastSteps(rows, SEEN, np.arange(len(self.moving))).rank

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
