"""All solutions of a linkage's equations at one value of its input, in complex numbers.

Blocks are solved in their order, each by paths from a product of linear forms that has as many
solutions as the bound says.  Where as many are found, all different, there are no others.

Source: as of `bilinear_forms`; paths: `solver.modes.homotopy`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ...foundations.numerics.homotopy import UNWATCHED, follow, solved, unit
from ...foundations.numerics.rounding import ROOT
from ...foundations.types import Array, Bools, Complexes
from ...foundations.watch import Watch
from .bilinear_forms import BilinearForms, NotProved, UnknownBlock

MOST_PATHS = 64
"""Most solutions that are followed; of linkages with more, circuits are not proved."""

TOO_MANY = "there are more ways to assemble it, in complex numbers, than are followed"


class ProductPath(NamedTuple):
    """Bilinear forms from begin to end, (2n, n + 1, n + 1) each; points are u and v, each n + 1
    homogeneous coordinates."""

    begin: Complexes
    end: Complexes

    @property
    def size(self) -> int:
        return int(self.begin.shape[1])

    def system(self, x: Complexes, s: Complexes | Array) -> tuple[Complexes, Complexes, Complexes]:
        """The last two equations keep the sizes: changes are across a point."""
        m, n = x.shape[0], self.size
        a, b = x[:, :n], x[:, n:]
        change = self.end - self.begin
        forms = self.begin + s[:, None, None, None] * change
        left, right = (a[:, None, None] @ forms)[:, :, 0], (forms @ b[:, None, :, None])[..., 0]
        j = np.zeros((m, 2 * n, 2 * n), complex)
        r, rate = np.zeros((m, 2 * n), complex), np.zeros((m, 2 * n), complex)
        j[:, :-2, :n], j[:, :-2, n:] = right, left
        j[:, -2, :n], j[:, -1, n:] = a.conj(), b.conj()
        r[:, :-2] = np.sum(right * a[:, None], axis=2)
        rate[:, :-2] = np.sum((change @ b[:, None, :, None])[..., 0] * a[:, None], axis=2)
        return r, j, rate

    def lifted(self, x: Complexes, local: Complexes) -> Complexes:
        return local

    def at_end(self, x: Complexes) -> Complexes:
        return x


def every_solution(forms: BilinearForms, s: float, watch: Watch = UNWATCHED) -> Complexes:
    """All solutions at an input, (solutions, 2 unknowns): u, then v.

    Raises:
        NotProved: fewer were found than the bound allows, or they are too many.
        Stopped: the watch interrupted it.
    """
    n = forms.unknowns
    target, _ = forms.at(np.array([s]))
    found = np.zeros((1, 2 * n), complex)
    for block in forms.blocks:
        grown = []
        for x in found:
            for own in _solved(_reduced(target[0], block, x, n), watch):
                grown.append(x.copy())
                unknowns = np.array(block.unknowns)
                grown[-1][np.concatenate([unknowns, n + unknowns])] = own
            if len(grown) > MOST_PATHS:
                raise NotProved(TOO_MANY)
        found = np.array(grown)
    return found


def _reduced(target: Complexes, block: UnknownBlock, x: Complexes, n: int) -> Complexes:
    """The forms of a block with the unknowns before it inserted."""
    rows = np.zeros((2, 1 + len(block.unknowns), n + 1), complex)
    rows[:, 0, 0] = 1.0
    before = np.arange(block.unknowns[0])
    rows[0, 0, 1 + before], rows[1, 0, 1 + before] = x[before], x[n + before]
    for k, unknown in enumerate(block.unknowns):
        rows[:, 1 + k, 1 + unknown] = 1.0
    out: Complexes = rows[0] @ target[[*block.equations]] @ rows[1].T
    return out


def _solved(forms: Complexes, watch: Watch) -> Complexes:
    """All solutions of some forms, (solutions, 2n), as many as the bound."""
    n = int(forms.shape[1]) - 1
    size = np.abs(forms).max(axis=(1, 2))[:, None, None]
    zero = forms == 0.0
    if zero[:, 1:, 1:].all():  # linear
        matrix = np.concatenate([forms[:, 1:, 0], forms[:, 0, 1:]], axis=1)
        out: Complexes = solved(matrix[None], np.negative(forms[None, :, :1, 0]))[0].T
        _must_be_known(np.isfinite(out.sum(axis=1)))
        return out
    only_u, only_v = zero[:, :, 1:].all(axis=(1, 2)), zero[:, 1:].all(axis=(1, 2))
    either = 2 * n - int(only_u.sum() + only_v.sum())
    if comb(either, max(0, n - int(only_u.sum()))) > MOST_PATHS:
        raise NotProved(TOO_MANY)
    begin, starts = _product(n, only_u, only_v)
    ends = follow(ProductPath(begin, forms / size), starts, watch=watch)
    a, b = ends.points[:, : n + 1], ends.points[:, n + 1 :]
    _must_be_known(ends.s >= 1.0)
    far = (np.abs(a[:, 0]) <= ROOT) | (np.abs(b[:, 0]) <= ROOT)
    if far.any():
        m, k = len(far), int(far.sum())
        raise NotProved(
            f"of {m} solutions in complex numbers {k} are at infinity, from where others may come"
        )
    return np.concatenate([a[:, 1:] / a[:, :1], b[:, 1:] / b[:, :1]], axis=1)


def _must_be_known(known: Bools) -> None:
    if not known.all():
        raise NotProved(f"of {len(known)} solutions in complex numbers {known.sum()} are known")


def _product(n: int, only_u: Bools, only_v: Bools) -> tuple[Complexes, Complexes]:
    """Forms that are products of linear ones, and all their solutions, (solutions, 2n + 2)."""
    drawn = np.random.default_rng(n).normal(size=(2, 2, 2 * n, n + 1))
    u, v = drawn[0] + 1j * drawn[1]
    u[only_v], v[only_u] = np.eye(n + 1)[0], np.eye(n + 1)[0]
    starts = [
        np.concatenate([_zero(u[[*chosen]]), _zero(v[np.setdiff1d(np.arange(2 * n), chosen)])])
        for chosen in _choices(n, only_u, only_v)
    ]
    return u[:, :, None] * v[:, None, :], unit(np.array(starts), n + 1)


def _choices(n: int, only_u: Bools, only_v: Bools) -> Iterator[tuple[int, ...]]:
    """Which n forms have the zero in u: no form that is linear in one has it in the other."""
    always = np.flatnonzero(only_u).tolist()
    either = np.flatnonzero(~only_u & ~only_v).tolist()
    for chosen in combinations(either, max(0, n - len(always))):
        yield (*always, *chosen)


def _zero(rows: Complexes) -> Complexes:
    """Where n forms of n + 1 numbers are 0."""
    out: Complexes = np.linalg.svd(rows)[2][-1].conj()
    return out
