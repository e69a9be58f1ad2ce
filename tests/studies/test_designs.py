"""Designs: what the rows of a study are, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.errors import BadValue, Contradiction, MissingKey
from assembly_solver.studies.designs import BLOCK, make_design


@pytest.mark.quick
def test_values_make_a_grid_whose_last_name_changes_fastest() -> None:
    design = make_design({"a": [1, 2], "b": "10:30:3", "c": 7})
    assert design.rows == 6
    assert design.values(0).tolist() == [
        [a, b, 7.0] for a in (1.0, 2.0) for b in (10.0, 20.0, 30.0)
    ]


@pytest.mark.quick
def test_each_point_of_a_grid_has_the_same_samples() -> None:
    values = make_design({"L": (5.0, 6.0), "a": [1, 2, 3]}, samples=4, seed=3).values(0)
    assert values.shape == (12, 2)
    assert values[:, 1].tolist() == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    assert np.array_equal(values[:4, 0], values[8:, 0])
    assert values[:, 0].min() >= 5.0 and values[:, 0].max() <= 6.0


@pytest.mark.quick
@pytest.mark.parametrize("kind", ["sobol", "latin", "random"])
def test_any_group_of_samples_is_made_by_itself(kind: str) -> None:
    """The second group is what a design of one more group has there, and of the same mean."""
    design = make_design({"a": "0:1", "b": "-2:2"}, samples=2 * BLOCK + 5, seed=9, kind=kind)
    again = make_design({"a": "0:1", "b": "-2:2"}, samples=2 * BLOCK + 5, seed=9, kind=kind)
    assert [len(design.numbers(k)) for k in range(design.groups)] == [BLOCK, BLOCK, 5]
    late = again.values(2)
    rows = np.concatenate([design.values(k) for k in range(3)])
    assert np.array_equal(rows[-5:], late)
    assert len(np.unique(rows[:, 0])) == len(rows)
    np.testing.assert_allclose(rows.mean(axis=0), [0.5, 0.0], atol=0.06)


@pytest.mark.quick
def test_a_longer_sobol_or_random_study_begins_with_the_rows_of_the_shorter() -> None:
    for kind in ("sobol", "random"):
        short, long = (
            make_design({"a": "0:1"}, samples=n, seed=1, kind=kind).values(0) for n in (10, 100)
        )
        assert np.array_equal(short, long[:10])


REFUSED = [
    ({}, None, MissingKey, "vary"),
    ({"a": "1:2"}, None, MissingKey, "1:2:N for N values"),
    ({"a": [1, 2]}, 10, Contradiction, "without a range"),
    ({"a": "2:1"}, 10, BadValue, "A below B"),
    ({"a": "1:2:1"}, None, BadValue, "2 or more"),
    ({"a": "1:2:x"}, None, BadValue, "whole number N"),
    ({"a": "1,two"}, None, BadValue, "in numbers"),
    ({"a": "1:nan"}, 10, BadValue, "finite"),
    ({"a": "1:2:3:4"}, None, BadValue, "A:B:N"),
    ({"a": [1, 1]}, None, BadValue, "given once"),
    ({"a": []}, None, BadValue, "at least one"),
    ({"a": "1:2"}, 0, BadValue, "from 1 to"),
    ({"a": {"b": 1}}, None, BadValue, "values in a list"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("vary", "samples", "kind", "words"), REFUSED)
def test_what_is_no_design_is_refused(
    vary: dict[str, object], samples: int | None, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        make_design(vary, samples)
