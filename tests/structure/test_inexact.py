"""Features that nearly agree: by loops, as in machine code, and by arrays, as interpreted."""

import numpy as np
import pytest

from assembly_solver.foundations.geometry.pose import frames as frames_at
from assembly_solver.structure.inexact import COMPOSED, MarkedBodies, _all_at_once, find_inexact

LENGTH, TOLERANCE, SIZE = 10.0, 1e-4, 20.0


def _markers(seed: int) -> MarkedBodies:
    """Markers at round places and angles, of which some are a little off."""
    rng = np.random.default_rng(seed)
    parts, n = int(rng.integers(1, 6)), int(rng.integers(1, 30))
    of_part = np.unique(rng.integers(0, parts, parts), return_inverse=True)[1].astype(np.int64)
    turns = rng.integers(-1, 2, (n + parts, 4)) + np.array([0.25, 0.0, 0.0, 0.0])
    turns[n:] = turns[n:] if seed % 2 else [1.0, 0.0, 0.0, 0.0]
    off = rng.choice([0.0, 0.0, 1e-12, 1e-6], (n, 1)), rng.choice([0.0, 0.0, 1e-12, 1e-6], (n, 1))
    turns[:n] += off[0] * rng.normal(size=(n, 4))
    places = 10.0 * rng.integers(-2, 3, (n, 3)) + off[1] * rng.normal(size=(n, 3))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    frames, relative = frames_at(places, turns[:n]), frames_at(np.zeros((parts, 3)), turns[n:])
    return MarkedBodies.of(rng.integers(0, parts, n), frames, of_part, relative, LENGTH, TOLERANCE)


@pytest.mark.parametrize("seed", range(40))
def test_loops_and_arrays_find_the_same_bodies_reaches_and_slopes(seed: int) -> None:
    m = _markers(seed)
    n = len(m.first) - 1
    found = []
    for function in (getattr(find_inexact, "py_func", find_inexact), _all_at_once):
        reach, slope, inexact = np.empty(n), np.empty(n), np.empty(n, bool)
        function(m, SIZE, reach, slope, inexact)
        found.append((reach.tolist(), slope.tolist(), inexact.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "off, inexact",
    [(0.0, False), (0.5 * COMPOSED, False), (1e-6, True), (TOLERANCE, True), (0.01, False)],
)
def test_points_off_by_less_than_the_tolerance_and_more_than_rounding_are_inexact(
    off: float, inexact: bool
) -> None:
    frames = frames_at(np.array([[0.0, 0, 0], [0, off, 0]]), np.array([[1.0, 0, 0, 0]] * 2))
    one = np.zeros(2, np.int64)
    m = MarkedBodies.of(one, frames, one[:1], frames[:1], LENGTH, TOLERANCE)
    out = np.empty(1, bool)
    find_inexact(m, SIZE, np.empty(1), np.empty(1), out)
    assert out[0] == inexact
