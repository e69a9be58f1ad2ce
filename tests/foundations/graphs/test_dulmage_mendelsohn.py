from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from assembly_solver.foundations.graphs.dulmage_mendelsohn import decompose


@st.composite
def patterns(draw):
    n_rows, n_cols = draw(st.integers(0, 7)), draw(st.integers(1, 7))
    row = st.sets(st.integers(0, n_cols - 1), max_size=3)
    return [sorted(draw(row)) for _ in range(n_rows)], n_cols


def split(rows, n_cols):
    ptr = np.cumsum([0, *map(len, rows)])
    return decompose(len(rows), n_cols, ptr, [c for row in rows for c in row])


def matching_size(rows, without_column=None):
    """By augmenting paths, one row after the other."""
    row_of = {}

    def place(i, seen):
        for c in rows[i]:
            if c != without_column and c not in seen:
                seen.add(c)
                if c not in row_of or place(row_of[c], seen):
                    row_of[c] = i
                    return True
        return False

    return sum(place(i, set()) for i in range(len(rows)))


def coarse(rows, n_cols):
    """From the definition: what some maximum matching leaves out, and its neighbours."""
    size = matching_size(rows)
    over_rows = {i for i in range(len(rows)) if matching_size(rows[:i] + rows[i + 1 :]) == size}
    over_cols = {c for i in over_rows for c in rows[i]}
    under_cols = {c for c in range(n_cols) if matching_size(rows, without_column=c) == size}
    under_rows = {i for i, row in enumerate(rows) if under_cols & set(row)}
    return over_rows, over_cols, under_rows, under_cols


@settings(deadline=None, max_examples=300)
@given(patterns())
def test_coarse_parts_are_those_of_the_definition(case):
    rows, n_cols = case
    found = split(rows, n_cols)
    over_rows, over_cols, under_rows, under_cols = coarse(rows, n_cols)
    assert set(found.over_rows.tolist()) == over_rows
    assert set(found.over_cols.tolist()) == over_cols
    assert set(found.under_rows.tolist()) == under_rows
    assert set(found.under_cols.tolist()) == under_cols
    assert set(found.well_rows.tolist()) == set(range(len(rows))) - over_rows - under_rows
    assert set(found.well_cols.tolist()) == set(range(n_cols)) - over_cols - under_cols
    assert found.structural_rank == matching_size(rows)


@settings(deadline=None, max_examples=300)
@given(patterns())
def test_blocks_are_square_irreducible_and_in_solving_order(case):
    rows, n_cols = case
    found = split(rows, n_cols)
    known = set(found.over_cols.tolist())
    for own_rows, own_cols in found.blocks:
        own = set(own_cols.tolist())
        assert len(own_rows) == len(own)
        for i in own_rows:
            assert set(rows[i]) <= own | known
        for size in range(1, len(own)):  # no smaller block inside: Hall, with one to spare
            for chosen in combinations(own_rows.tolist(), size):
                assert len({c for i in chosen for c in rows[i]} & own) > size
        known |= own
    assert sorted(i for block in found.blocks for i in block[0].tolist()) == list(found.well_rows)
    assert sorted(c for block in found.blocks for c in block[1].tolist()) == list(found.well_cols)


@settings(deadline=None, max_examples=100)
@given(patterns(), st.integers(0, 10**6))
def test_the_order_of_rows_and_columns_changes_only_names(case, seed):
    rows, n_cols = case
    rng = np.random.default_rng(seed)
    row_at, name = rng.permutation(len(rows)), rng.permutation(n_cols)
    other = split([[int(name[c]) for c in rows[i]] for i in row_at], n_cols)
    found = split(rows, n_cols)
    assert set(row_at[other.over_rows]) == set(found.over_rows)
    assert set(row_at[other.under_rows]) == set(found.under_rows)
    assert set(other.under_cols) == set(name[found.under_cols])
    assert {frozenset(row_at[r]) for r, _ in other.blocks} == {
        frozenset(r.tolist()) for r, _ in found.blocks
    }


def test_a_chain_of_two_pairs_is_solved_from_its_known_end():
    # rows 0, 1 need columns 2, 3 of rows 2, 3
    found = split([[0, 1, 2], [0, 1, 3], [2, 3], [2, 3]], 4)
    assert [r.tolist() for r, _ in found.blocks] == [[2, 3], [0, 1]]
    assert [c.tolist() for _, c in found.blocks] == [[2, 3], [0, 1]]


def test_one_column_asked_twice_and_one_asked_by_no_one():
    found = split([[0], [0], [1, 2], [3]], 5)
    assert found.over_rows.tolist() == [0, 1]
    assert found.over_cols.tolist() == [0]
    assert found.under_rows.tolist() == [2]
    assert found.under_cols.tolist() == [1, 2, 4]
    assert [r.tolist() for r, _ in found.blocks] == [[3]]


@pytest.mark.parametrize("coupled", [False, True])
def test_ten_thousand_columns_are_decomposed_without_recursion(coupled):
    n = 10_000
    ahead = np.maximum(np.arange(n)[:, None] - np.arange(4), 0)
    if coupled:
        ahead[0, 3] = n - 1
    found = decompose(n, n, np.arange(0, 4 * n + 1, 4), ahead.ravel())
    assert len(found.blocks) == (1 if coupled else n)
