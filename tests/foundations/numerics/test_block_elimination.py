"""Rank, null space and extreme singular values of a sparse matrix are those of the dense one."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.numerics.block_elimination import BlockElimination, RowGroup
from assembly_solver.foundations.numerics.linear import null_space, rank_of
from assembly_solver.foundations.types import Array

pytestmark = pytest.mark.quick

WIDTH = 3
CUT = 1e-8


def random_groups(seed: int) -> tuple[list[RowGroup], Array]:
    """A ring of blocks with chords; one group repeats another one, one block is read by no row."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 12))
    ends = [(k, (k + 1) % count) for k in range(count)]
    ends += [tuple(rng.choice(count, 2, replace=False).tolist()) for _ in range(3)]
    groups = [
        RowGroup(pair, rng.normal(size=(int(rng.integers(1, 4)), 2 * WIDTH))) for pair in ends
    ]
    groups.append(groups[0])
    dense = np.zeros((sum(len(g.matrix) for g in groups), WIDTH * (count + 1)))
    at = 0
    for g in groups:
        for k, b in enumerate(g.blocks):
            part = g.matrix[:, WIDTH * k : WIDTH * (k + 1)]
            dense[at : at + len(part), WIDTH * b : WIDTH * (b + 1)] += part
        at += len(g.matrix)
    return groups, dense


@pytest.mark.parametrize("seed", range(30))
def test_rank_and_null_space_are_those_of_the_dense_matrix(seed: int) -> None:
    groups, dense = random_groups(seed)
    found = BlockElimination(groups, dense.shape[1] // WIDTH, WIDTH, CUT)
    known, null = rank_of(dense, CUT), null_space(dense, CUT)
    assert found.clear
    assert found.rank.rank == known.rank
    assert found.rank.gap < 1e-10  # what is dropped is rounding
    assert found.basis.shape == null.shape
    # one orthonormal basis in terms of the other; rounding grows with 1 / smallest value
    np.testing.assert_allclose(null @ (null.T @ found.basis), found.basis, atol=1e-10)
    largest, smallest = known.singular_values[[0, known.rank - 1]]
    # power iterations come from within: 12 steps from a random start
    assert 0.7 * largest < found.rank.singular_values[0] < (1 + 1e-9) * largest
    assert (1 - 1e-9) * smallest < found.rank.singular_values[1] < 2 * smallest


def test_a_value_near_the_cut_is_not_clear() -> None:
    nearly = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 3e-8]])
    found = BlockElimination([RowGroup((0,), nearly)], 1, WIDTH, CUT)
    assert not found.clear
    assert found.rank.rank == 3
