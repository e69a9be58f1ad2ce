"""Singular poses of a chain: change points, where branches cross, and dead points.

Dead points are located by arc-length continuation with time as a further unknown, which reverses.

Source: arc-length continuation, E. Allgower and K. Georg, Introduction to Numerical Continuation
Methods, chapters 2 and 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..equations.table import TwistBasis, displace, jacobian, residuals
from ..foundations.numerics.roots import root
from ..foundations.numerics.rounding import AGREEMENT, ROUNDING
from ..foundations.types import Array, Ints
from .chain import moved
from .chain_arrays import Chain, ChainState
from .schedule import SweepRun, between
from .stepper import Stepper

DEAD_POINT = "dead point"
CHANGE_POINT = "change point"
END = "end of the branch"

MOST_STEPS = 400
"""Most steps of the arc-length continuation to a dead point."""

FIRST = 1e-3
"""A setting: the first step of it, in characteristic lengths."""

BRACKET = 1e-3
"""A setting: width, relative to the first one, of the bracket in which a dead point is left."""

AROUND = np.array([-1.0, -0.7, -0.4, 0.4, 0.7, 1.0])
"""Points on both sides of a singular pose, in the largest distance of them."""

ASIDE = 0.3
"""Share of a step within which points around a change point are taken, also beyond the step."""


class Obstacle(NamedTuple):
    """A singular pose on the path of a chain.

    Attributes:
        kind: see above; t: time in its run, s; state: index in the run of the state before.
        poses: of all bodies, (bodies, 12), relative to the root.
        motion: free motion with the drivers locked (null vector), (bodies, 6).
        force: self-stress (left null vector), one number for each of the `rows` of the chain.
        stops: whether the chain cannot continue.
    """

    kind: str
    t: float
    state: int
    poses: Array
    motion: Array
    force: Array
    rows: Ints
    stops: bool


class _Arc:
    """Arc-length continuation of a branch: poses, and time scaled to mm."""

    def __init__(self, f: Stepper, run: SweepRun, whole: float) -> None:
        self.f, self.run, self.c = f, run, f.chain
        self.pace = f.chain.length / whole
        """Scale of time, mm/s."""

    def extended(self, poses: Array, t: float) -> tuple[Array, Array]:
        """Residuals, and derivatives by unknowns and, last, by scaled time."""
        c, g = self.c, self.f.prescribed(self.run, np.array([t]))
        c.table.target[c.driven] = g.targets[0, :, 0]
        out = np.zeros((len(c.rows), len(c.rows) + 1))
        out[:, :-1] = jacobian_of(c, poses)
        rate = np.zeros(len(c.table.target))
        rate[c.driven] = g.targets[0, :, 1] * c.table.weight[c.driven]
        out[:, -1] = -rate[c.rows] / self.pace
        off = np.empty(len(c.rows))
        residuals(c.table, poses, c.rows, off)
        return off, out

    def tangent(self, poses: Array, t: float, before: Array) -> Array:
        """Unit tangent of the branch, oriented as the one before."""
        _, _, right = np.linalg.svd(self.extended(poses, t)[1])
        out: Array = right[-1]
        return out if out @ before >= 0.0 else -out

    def moved(self, poses: Array, t: float, y: Array) -> tuple[Array, float]:
        """Poses and time after a step along the arc."""
        c, basis = self.c, TwistBasis(self.c.axes, self.c.centre, self.c.length)
        return moved(poses, c.bodies, c.slot, y[:-1], basis), t + float(y[-1]) / self.pace

    def step(
        self, poses: Array, t: float, tangent: Array, far: float
    ) -> tuple[Array, float] | None:
        """The branch point at a distance along the tangent, mm; None without convergence."""
        here, at = self.moved(poses, t, far * tangent)
        way = 0.0
        for _ in range(12):
            off, j = self.extended(here, at)
            if np.abs(off).max(initial=0.0) <= self.f.tolerances.fine:
                return here, at
            square = np.vstack([j, tangent])
            y = np.linalg.lstsq(square, -np.concatenate([off, [0.0]]), rcond=ROUNDING / 8.0)[0]
            way += float(np.abs(y).max())
            if not way <= 0.3 * abs(far):
                return None
            here, at = self.moved(here, at, y)
        closed = np.abs(self.extended(here, at)[0]).max() <= self.f.tolerances.closed
        return (here, at) if closed else None


def jacobian_of(c: Chain, poses: Array) -> Array:
    """Square Jacobian of a chain at poses."""
    out = np.empty((len(c.rows), len(c.rows)))
    jacobian(c.table, poses, c.rows, c.slot, TwistBasis(c.axes, c.centre, c.length), out)
    return out


def dead_point(f: Stepper, run: SweepRun, state: int, t: float, poses: Array) -> Obstacle | None:
    """The dead point after time t, s, where drivers reverse; None if none is located."""
    arc = _Arc(f, run, float(run.t[state + 1] - run.t[state]))
    ahead = np.zeros(len(f.chain.rows) + 1)
    ahead[-1] = 1.0
    tangent = arc.tangent(poses, t, ahead)
    far = FIRST * f.chain.length
    for _ in range(MOST_STEPS):
        found = arc.step(poses, t, tangent, far)
        if found is None:
            far *= 0.5
            if far < AGREEMENT * f.chain.length:
                return None
            continue
        after = arc.tangent(*found, tangent)
        if after @ tangent < 0.95:
            far *= 0.5
            continue
        if after[-1] <= 0.0:
            break
        (poses, t), tangent = found, after
        far *= 2.0
    else:
        return None

    def rise(at: float) -> float:
        point = arc.step(poses, t, tangent, at)
        return float("nan") if point is None else float(arc.tangent(*point, tangent)[-1])

    ends = float(tangent[-1]), float(after[-1])
    found = arc.step(poses, t, tangent, root(rise, 0.0, far, *ends))
    if found is None:
        middle = far * ends[0] / (ends[0] - ends[1])
        found = _turn_between(arc, (poses, t), tangent, middle, far)
    return None if found is None else _obstacle(f, DEAD_POINT, found[1], state, found[0], True)


def _turn_between(
    arc: _Arc, start: tuple[Array, float], tangent: Array, middle: float, half: float
) -> tuple[Array, float] | None:
    """Poses and time where drivers reverse, from points of the branch on both sides.

    Where several branches meet there, as in a scissor that folds in all stages at once, no tangent
    is unique and no correction converges; polynomials through points at a distance are not touched
    by that.

    Args:
        start: poses and time from which points are found along the tangent; middle: about where
            time reverses, half: how far from it points are, mm along the tangent.
    """
    c, (poses, t) = arc.c, start
    points = [arc.step(poses, t, tangent, middle + half * x) for x in AROUND]
    known = [p for p in points if p is not None]
    if len(known) < len(points):
        return None
    fit = np.polynomial.polynomial.polyfit
    times = fit(AROUND, [(p[1] - t) * arc.pace for p in known], len(AROUND) - 1)
    roots = np.roots((np.arange(1, len(times)) * times[1:])[::-1])
    x = float(roots[np.argmin(np.abs(roots))].real)
    out = poses.copy()
    for body in c.bodies.tolist():
        gone = [displacement(c, poses[body], p[0][body], body) for p in known]
        y = np.polynomial.polynomial.polyval(x, fit(AROUND, gone, len(AROUND) - 1))
        displace(out[body], np.ascontiguousarray(y), c.axes, c.centre[body], c.length)
    at = t + float(np.polynomial.polynomial.polyval(x, times)) / arc.pace
    off, _ = arc.extended(out, at)
    return (out, at) if np.abs(off).max() <= arc.f.tolerances.closed else None


def end_of_branch(f: Stepper, state: int, t: float, poses: Array) -> Obstacle:
    """The end of a branch at poses (bodies, 12)."""
    return _obstacle(f, END, t, state, poses.copy(), True)


def _obstacle(f: Stepper, kind: str, t: float, state: int, poses: Array, stops: bool) -> Obstacle:
    c = f.chain
    left, _, right = np.linalg.svd(jacobian_of(c, poses))
    motion = np.zeros((len(poses), 6))
    free = c.slot >= 0
    motion[free] = right[-1][c.slot[free]]
    return Obstacle(kind, t, state, poses, motion, left[:, -1].copy(), c.rows, stops)


def change_point(
    f: Stepper,
    run: SweepRun,
    ends: tuple[float, float],
    now: ChainState,
    far: ChainState,
    gap: bool,
) -> Obstacle:
    """The change point between two times, s, with their states.

    It is the root of a determinant that changes sign.  Close to it poses are inaccurate, so it is
    the root of a polynomial through points at a distance.  In a gap poses are interpolated.
    """
    c, (low, high) = f.chain, ends
    here = f.new_state(now.poses)
    start, end = _determinants(c, now.poses), _determinants(c, far.poses)
    changed = np.flatnonzero(start[0] != end[0])
    t = 0.5 * (low + high)

    def poses(t: float) -> Array:
        if gap:
            return interpolated(f, now, far, high - low, (t - low) / (high - low)).poses
        f.go_to(run, low, t, now, here)
        return here.poses

    if len(changed):
        k = int(changed[0])

        def value(t: float) -> float:
            sign, size = _determinants(c, poses(t))
            return float(sign[k] * np.exp(size[k] - start[1][k]))

        first, last = float(start[0][k]), float(end[0][k] * np.exp(end[1][k] - start[1][k]))
        t = root(value, low, high, first, last, close=BRACKET)
        runs = float(run.t[0]), float(run.t[-1])
        after = max(int(np.searchsorted(run.t[:-1], t)), 1)
        whole = max(high - low, float(run.t[after] - run.t[after - 1]))
        half = max(0.5 * min(t - low, high - t), ASIDE * whole)
        half = min(half, t - runs[0], runs[1] - t)
        if half > 0.0:
            t = _root_around(value, t, half)
    state = int(np.searchsorted(run.t, t, side="right")) - 1
    return _obstacle(f, CHANGE_POINT, t, state, poses(t).copy(), False)


def _root_around(value: Callable[[float], float], middle: float, half: float) -> float:
    """The root near `middle` of a function that is inaccurate close to it.

    Polynomials through points on both sides, from `half` on ever nearer until that moves the root
    no less than before: then it is inaccuracy that moves it, no longer what the polynomials miss.
    """
    found, change = _root_of_polynomial(value, middle, half), np.inf
    while True:
        half *= 0.5
        nearer = _root_of_polynomial(value, found, half)
        if not abs(nearer - found) < change:
            return found
        found, change = nearer, abs(nearer - found)


def _root_of_polynomial(value: Callable[[float], float], middle: float, half: float) -> float:
    """The root nearest to `middle` of the polynomial through points up to `half` from it."""
    points = [value(middle + half * x) for x in AROUND]
    roots = np.roots(np.polynomial.polynomial.polyfit(AROUND, points, 5)[::-1])
    return middle + half * float(roots[np.argmin(np.abs(roots))].real)


def _determinants(c: Chain, poses: Array) -> tuple[Array, Array]:
    """Sign and log of the determinant of each block."""
    j = jacobian_of(c, poses)
    pairs = zip(c.first[:-1].tolist(), c.first[1:].tolist(), strict=True)
    found = [np.linalg.slogdet(j[a:b, a:b]) for a, b in pairs]
    return np.array([x[0] for x in found]), np.array([x[1] for x in found])


def points_around(
    by: Stepper, run: SweepRun, before: tuple[float, ChainState], middle: float, half: float
) -> tuple[tuple[float, float], tuple[ChainState, ChainState]] | None:
    """Times and states around a singular pose where rates are accurate, or None.

    Args:
        before: time and poses before it; middle: time of the singular pose; half: distance of the
            two points from it, s.
    """
    low, first = before
    start = max(middle - half, low)
    half = middle - start
    now, after = by.new_state(first.poses), by.new_state(first.poses)
    by.enter_at(run, low, first)
    if start > low and not by.go_to(run, low, start, first, now):
        return None
    now = first if start <= low else now
    end = middle + half
    if not half > 0.0 or not by.go_to(run, start, end, now, after):
        return None
    return (start, end), (now, after)


def interpolated(
    f: Stepper, now: ChainState, after: ChainState, h: float, share: float
) -> ChainState:
    """A state at share 0 to 1 between two, h seconds apart, by polynomials of degree five."""
    c, out = f.chain, f.new_state(now.poses)
    for body in c.bodies.tolist():
        start = np.zeros(6), now.speed[body], now.change[body]
        gone = displacement(c, now.poses[body], after.poses[body], body)
        y, out.speed[body], out.change[body] = between(
            start, (gone, after.speed[body], after.change[body]), h, share
        )
        out.poses[body] = now.poses[body]
        displace(out.poses[body], y, c.axes, c.centre[body], c.length)
    return out


def displacement(c: Chain | TwistBasis, a: Array, b: Array, body: int) -> Array:
    """Unknowns (6,) of the motion of a body from one pose to a near one, mm."""
    centre = c.centre[body]
    ra, rb = a[3:].reshape(3, 3).T, b[3:].reshape(3, 3).T
    turn = rb @ ra.T
    v = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    s = float(np.linalg.norm(v))
    if s > 0.0:
        v *= np.arctan2(s, 0.5 * (np.trace(turn) - 1.0)) / s
    gone = (b[:3] + rb @ centre) - (a[:3] + ra @ centre)
    return np.concatenate([c.axes @ gone, c.length * (c.axes @ v)])
