"""The equations of a group in many states at once: what runs where nothing is compiled.

An operation of numpy on few numbers takes as long as on some hundred: many states cost as one.
Points are complex numbers here, p = x + iy, mm.
"""

from __future__ import annotations

from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from ...foundations.types import Array, Bools, Ints
from ..plan import group_equations as eq
from ..plan.group_equations import ACTUATOR, FIRST, KIND, OFFSET, POINTS, RADIUS, SECOND
from ..plan.link_length import CONSTANT, DRIVEN

Points = NDArray[np.complex128]
Rows = Ints | slice


class EquationsAtOnce:
    """The equations of a group as functions of its points, (states, members), mm, unknowns first.

    Source: the formulas of `group_equations`, differentiated, as those of `gradients`.
    """

    def __init__(self, equations: Ints, given: Array) -> None:
        ends = equations[:, POINTS : POINTS + 6].T
        self._a, self._b, self._kind = ends[::2], ends[1::2], equations[:, KIND]
        self._z = (given[:, :FIRST:2] + 1j * given[:, 1:FIRST:2]).T
        self._first = given[:, FIRST] + 1j * given[:, FIRST + 1]
        self._second = given[:, SECOND] + 1j * given[:, SECOND + 1]
        self._radius, self._actuator = equations[:, RADIUS], equations[:, ACTUATOR]
        self._offset, self.count = given[:, OFFSET], len(equations)
        self._unit = np.where(self._kind == eq.SAME_X, 1.0, 1j)
        self._by_unknowns = self._derivatives(len(equations) // 2)
        kinds = np.where(self._kind == eq.SAME_Y, eq.SAME_X, self._kind)
        self._rows = {kind: _run_of(kinds == kind) for kind in set(kinds.tolist())}
        self._driven = bool((self._radius[kinds == eq.LENGTH] != CONSTANT).any())

    def _derivatives(self, unknown: int) -> Points:
        """What a gradient by a point that is read is multiplied by for that by each unknown point.

        Shape (3, n, unknown): by p_b conj(z), by p_a what is left of 1.
        """
        by_b, each = np.conj(self._z)[..., None], np.arange(unknown)
        a, b = self._a[..., None] == each, self._b[..., None] == each
        return np.where(a, 1.0 - by_b, 0.0) + np.where(b, by_b, 0.0)

    def __call__(self, at: Points, values: Array) -> tuple[Array, Array]:
        """Residuals, (states, n), mm, and their gradients by the unknown points, (states, n, n).

        Args:
            values: value, cosine and sine of every actuator, (states, actuators, 3).
        """
        first = at[:, self._a]
        p = first + self._z * (at[:, self._b] - first)
        f, g = np.empty((len(at), self.count)), np.zeros(p.shape, complex)
        for kind, rows in self._rows.items():
            self._fill(kind, rows, p, values, f, g)
        return f, (g[..., None] * self._by_unknowns).sum(axis=1).view(float)

    def _fill(self, kind: int, rows: Rows, p: Points, values: Array, f: Array, g: Points) -> None:
        if kind == eq.LENGTH:
            self._lengths(rows, p, values, f, g)
        elif kind == eq.ANGLE:
            self._angles(rows, p, values, f, g)
        elif kind == eq.ON_LINE:
            self._on_lines(rows, p, 1j, self._offset[rows], f, g)
        elif kind == eq.ALONG_LINE:
            self._on_lines(rows, p, 1.0, values[:, self._actuator[rows], 0], f, g)
        else:
            unit = self._unit[rows]
            f[:, rows] = ((p[:, 0, rows] - p[:, 1, rows]) * np.conj(unit)).real
            g[:, 0, rows], g[:, 1, rows] = unit, -unit

    def _lengths(self, rows: Rows, p: Points, values: Array, f: Array, g: Points) -> None:
        m, radius = p[:, 0, rows] - p[:, 1, rows], self._first[rows]
        far = np.abs(m)
        if self._driven:
            kind, driven = self._radius[rows], values[:, self._actuator[rows]]
            factor = np.where(kind == DRIVEN, driven[..., 0], driven[..., 1] + 1j * driven[..., 2])
            radius = radius + self._second[rows] * np.where(kind == CONSTANT, 0.0, factor)
        f[:, rows] = far - np.abs(radius)
        g[:, 0, rows] = m / np.where(far > 0.0, far, nan)
        g[:, 1, rows] = -g[:, 0, rows]

    def _on_lines(
        self, rows: Rows, p: Points, sense: complex, requested: Array, f: Array, g: Points
    ) -> None:
        """To the left of a line, sense i, or along it, sense 1."""
        m, d = p[:, 0, rows] - p[:, 1, rows], p[:, 2, rows] - p[:, 1, rows]
        far = np.abs(d)
        far = np.where(far > 0.0, far, nan)
        u = d / far
        left = (m * np.conj(sense * u)).real
        f[:, rows] = left - requested
        g[:, 0, rows] = sense * u
        g[:, 2, rows] = (np.conj(sense) * m - left * u) / far
        g[:, 1, rows] = -g[:, 0, rows] - g[:, 2, rows]

    def _angles(self, rows: Rows, p: Points, values: Array, f: Array, g: Points) -> None:
        driven = values[:, self._actuator[rows]]
        turn = (driven[..., 1] + 1j * driven[..., 2]) / self._offset[rows]
        m, k = p[:, 0, rows] - p[:, 1, rows], p[:, 2, rows] - p[:, 1, rows]
        f[:, rows] = (k * np.conj(m * turn)).imag
        g[:, 0, rows], g[:, 2, rows] = -1j * k * np.conj(turn), 1j * m * turn
        g[:, 1, rows] = -g[:, 0, rows] - g[:, 2, rows]

    def on_requested_side(self, at: Points, values: Array) -> Bools:
        """In which states every ANGLE is at its value, not half a turn from it."""
        if eq.ANGLE not in self._rows:
            return np.ones(len(at), bool)
        rows = self._rows[eq.ANGLE]
        p = at[:, self._a] + self._z * (at[:, self._b] - at[:, self._a])
        driven = values[:, self._actuator[rows]]
        turned = (p[:, 0, rows] - p[:, 1, rows]) * (driven[..., 1] + 1j * driven[..., 2])
        ahead = ((p[:, 2, rows] - p[:, 1, rows]) * np.conj(turned)).real > 0.0
        out: Bools = np.logical_and.reduce(ahead, axis=1)
        return out


def _run_of(chosen: Bools) -> Rows:
    """Where some rows are chosen: as a slice where these follow each other, which reads no copy."""
    rows = np.flatnonzero(chosen)
    first, after = int(rows[0]), int(rows[-1]) + 1
    return slice(first, after) if after - first == len(rows) else rows


def damped_steps(J: Array, f: Array, damping: Array) -> Array:
    """(J^T J + damping I)^-1 J^T f, (states, n), as `damped_step`; NaN where that is not regular.

    Args:
        damping: (states,).
    """
    normal = np.swapaxes(J, 1, 2) @ J + damping[:, None, None] * np.eye(J.shape[1])
    definite = np.linalg.slogdet(normal)[0] > 0.0
    normal = np.where(definite[:, None, None], normal, nan)  # what is singular is refused
    return np.linalg.solve(normal, np.einsum("ski,sk->si", J, f)[..., None])[..., 0]


def move_at_once(at: Points, steps: Array) -> None:
    """Subtract steps, (states, n), mm, from the unknown points."""
    at[:, : steps.shape[1] // 2] -= np.ascontiguousarray(steps).view(complex)


def newton_at_once(
    equations: EquationsAtOnce,
    at: Points,
    values: Array,
    tolerance: float,
    most: int,
    contraction: float,
) -> tuple[Array, Array, Ints]:
    """Correct the unknown points in every state by Newton's method, as `_newton` does in one.

    Args:
        at: overwritten where the steps contract; tolerance: of a residual, mm.
        most: iterations; contraction: of each step, as a part of the one before, at most.

    Returns:
        Determinants and the last matrices, 0 where the steps do not contract; iterations, all by
        state.
    """
    J, determinant = np.zeros((len(at), *2 * [equations.count])), np.zeros(len(at))
    going, spent, before = np.arange(len(at)), np.zeros(len(at), np.int64), np.full(len(at), inf)
    now, inputs, matrices = at.copy(), values, J
    with np.errstate(all="ignore"):
        for iteration in range(most):
            f, fresh = equations(now, inputs)
            worst = np.abs(f).max(axis=1)
            done = (worst <= tolerance) & (iteration > 0)
            some = done.any()
            spent[going[~done]] += 1
            matrices = np.where(done[:, None, None], matrices, fresh) if some else fresh
            step = _solved(matrices, f)
            move_at_once(now, step)
            if some:
                ended = going[done]
                at[ended], J[ended] = now[done], matrices[done]
                determinant[ended] = np.linalg.det(matrices[done])
                if len(ended) == len(going):
                    break
            size = np.abs(step).max(axis=1)
            keep = ~done & (worst < inf) & (size <= contraction * before)
            before = size
            if not keep.all():
                going, now, inputs, before = going[keep], now[keep], inputs[keep], before[keep]
                matrices = matrices[keep]
            if len(going) == 0:
                break
    return determinant, J, spent


def _solved(matrices: Array, f: Array) -> Array:
    """A^-1 f of each matrix, (states, n); NaN where that is singular."""
    try:
        return np.asarray(np.linalg.solve(matrices, f[..., None])[..., 0])
    except np.linalg.LinAlgError:  # of any of them
        out = np.full(f.shape, nan)
        regular = np.linalg.det(matrices) != 0.0
        out[regular] = np.linalg.solve(matrices[regular], f[regular][..., None])[..., 0]
    return out


def least_pivots(matrices: Array) -> Array:
    """Ratio of the smallest to the largest pivot of each matrix in magnitude, as `least_pivot`."""
    a, each = matrices.copy(), np.arange(len(matrices))
    pivots = np.empty(matrices.shape[:2])
    with np.errstate(all="ignore"):
        for k in range(a.shape[1]):
            best = k + np.abs(a[:, k:, k]).argmax(axis=1)
            row = a[each, best]
            a[each, best] = a[:, k]
            pivots[:, k] = np.abs(row[:, k])
            a[:, k + 1 :] -= (a[:, k + 1 :, k] / row[:, k, None])[..., None] * row[:, None, :]
        out: Array = np.nan_to_num(pivots.min(axis=1) / pivots.max(axis=1))
    return out
