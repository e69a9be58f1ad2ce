"""Anderson's acceleration of steps that converge linearly, compiled.

Source: D. G. Anderson, Iterative procedures for nonlinear integral equations, Journal of the ACM 12
(1965), 547-560.
"""

from __future__ import annotations

from typing import NamedTuple

from ..jit.decorators import borrowing
from ..types import Array
from .cholesky import cholesky, solve_cholesky
from .rounding import RANK

MEMORY = 4
"""Steps of which the differences accelerate the next one; loops have few slow directions."""

DEPENDENT = RANK / 8.0
"""Relative addition to the squares of differences that are nearly dependent."""


class StepMemory(NamedTuple):
    """The last steps, for Anderson's acceleration; rows are reused in turn.

    Attributes:
        moved: steps that were taken, shape (MEMORY, bodies, c).
        changed: by how much the next step differed, the same shape.
        last: the step before acceleration, shape (bodies, c).
        matrix, shares: scratch, shapes (MEMORY, MEMORY) and (MEMORY,).
    """

    moved: Array
    changed: Array
    last: Array
    matrix: Array
    shares: Array


@borrowing
def inner_product(a: Array, b: Array) -> float:
    """Inner product of twists of all bodies."""
    out = 0.0
    for k in range(len(a)):
        for i in range(a.shape[1]):
            out += a[k, i] * b[k, i]
    return out


@borrowing
def accelerate(m: StepMemory, known: int, x: Array) -> int:
    """Replace a step x by that of Anderson's method; the number of steps known after it."""
    size, c = inner_product(x, x), x.shape[1]
    if known >= 0:
        at = known % MEMORY
        for k in range(len(x)):
            for i in range(c):
                m.changed[at, k, i] = x[k, i] - m.last[k, i]
        known += 1
        if size > inner_product(m.last, m.last):  # no contraction: earlier steps say nothing
            known = 0
    else:
        known = 0
    for k in range(len(x)):
        for i in range(c):
            m.last[k, i] = x[k, i]
    used = min(known, MEMORY)
    for u in range(used):
        m.shares[u] = inner_product(m.changed[u], x)
        for v in range(u + 1):
            m.matrix[u, v] = m.matrix[v, u] = inner_product(m.changed[u], m.changed[v])
    for u in range(used):
        m.matrix[u, u] *= 1.0 + DEPENDENT
    factor = m.matrix[:used, :used]
    if used and cholesky(factor):
        solve_cholesky(factor, m.shares[:used])
        for u in range(used):
            for k in range(len(x)):
                for i in range(c):
                    x[k, i] -= m.shares[u] * (m.moved[u, k, i] + m.changed[u, k, i])
    at = known % MEMORY
    for k in range(len(x)):
        for i in range(c):
            m.moved[at, k, i] = x[k, i]
    return known
