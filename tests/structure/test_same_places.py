import numpy as np
import pytest

from assembly_solver.foundations.geometry.pose import IDENTITY
from assembly_solver.structure.same_places import same_places

pytestmark = pytest.mark.quick

TOLERANCE = 1e-6


def kept(at, by, turned=(), body=(0, 0)):
    """Of two markers at two points, of which the first moves; `turned`: those with z along x."""
    frames = np.tile(IDENTITY, (2, 1))
    frames[:, :3] = at
    for n in turned:
        frames[n, 3:] = (0, 1, 0, 0, 0, 1, 1, 0, 0)
    moves = np.array([by, (0.0, 0.0, 0.0)])
    return same_places(np.array([0]), moves, np.array(body), frames, 10.0, TOLERANCE)


@pytest.mark.parametrize(
    ("at", "by", "stays"),
    [
        (((0, 0, 0), (5, 0, 1)), (1, 0, 0), True),  # shares nothing before and after
        (((0, 0, 0), (5, 0, 0)), (1, 0, 0), True),  # stays in the plane
        (((0, 0, 0), (5, 0, 0)), (1, 0, 2), False),  # leaves the plane
        (((0, 0, 0), (5, 0, 1)), (0, 0, 1), False),  # comes to the plane
        (((0, 0, 0), (0, 0, 7)), (0, 0, 2), True),  # stays on the line
        (((0, 0, 0), (0, 0, 7)), (1, 0, 0), False),  # leaves the line
        (((0, 0, 0), (5, 0, 1)), (5, 0, 0), False),  # comes to the line
        (((0, 0, 0), (5, 0, 1)), (0, 0, 1 + 1e-8), False),  # nearly comes to the plane
        (((0, 0, 0), (5, 0, 0)), (1, 0, 1e-8), False),  # nearly stays there
        (((0, 0, 0), (0, 0, 0)), (1, 0, 0), False),  # leaves the point
    ],
)
def test_moved_markers_stay_where_they_share_what_they_did(at, by, stays):
    assert kept(at, by) == stays


def test_planes_of_markers_across_each_other_are_not_shared():
    assert kept(((0, 0, 0), (5, 0, 1)), (0, 0, 1), turned=(0,))
    assert not kept(((0, 0, 0), (5, 0, 1)), (5, 0, 1), turned=(0,))  # the point is


def test_markers_of_other_bodies_tell_nothing():
    assert kept(((0, 0, 0), (0, 0, 0)), (1, 0, 0), body=(0, 1))
