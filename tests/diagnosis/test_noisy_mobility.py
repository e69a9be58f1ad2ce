"""Freedoms of linkages with noise in their features: as of the exact ones, or told with doubt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from mechanisms import linkage, parallelogram, pose_gap
from test_motion_branches import (
    ANYHOW,
    CIRCLE,
    balls_in_line,
    chain,
    fan,
    near,
    on_legs,
    rhombi,
    telescope,
    two_watts,
)
from test_motion_order import trammel

import assembly_solver as asm

Make = Callable[[], asm.Assembly]


def noisy(a: asm.Assembly, seed: int = 0, share: float = 1e-7) -> asm.Assembly:
    """The same with frames off by up to a share of 100 mm, and of 1 in their directions."""
    rng = np.random.default_rng(seed)

    def off(v: tuple[float, ...], size: float) -> tuple[float, float, float]:
        x, y, z = (np.array(v) + size * share * rng.uniform(-1.0, 1.0, 3)).tolist()
        return x, y, z

    for name, part in a.parts.items():
        for key, f in dict(part.features).items():
            if isinstance(f, asm.Frame):
                frame = asm.Frame(off(f.origin, 100.0), off(f.z, 1.0))
                a.set_feature(name, key, frame)
    return a


def with_digits(a: asm.Assembly, digits: int = 6) -> asm.Assembly:
    """The same turned, with poses of so many decimals."""
    turn = asm.Pose.from_axis((3.0, 40.0, -5.0), (1.0, -2.0, 0.5), 70.0)
    poses = {}
    for name, part in a.parts.items():
        p = turn @ part.pose
        at, turned = np.round(p.position, digits), np.round(p.quaternion_wxyz, digits)
        poses[name] = asm.Pose(tuple(at.tolist()), tuple(turned.tolist()))
    a.move(poses)
    return a


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("make", "here", "motions"),
    [
        (lambda: chain(30, -70, 90, 40), 3, [(2, 2)]),
        (lambda: fan(3), 4, [(3, 3), (2, 2)]),
        (lambda: fan(4), 5, [(4, 4), (2, 2)]),
    ],
)
def test_motions_that_meet_do_so_with_noise(
    make: Make, here: int, motions: list[tuple[int, int]], seed: int
) -> None:
    found = near(noisy(make(), seed))
    assert (found.here, found.shown_by) == (here, "followed motions")
    assert [(b.dof, b.first_order) for b in found.branches or ()] == motions


@pytest.mark.parametrize("feet", [CIRCLE, ANYHOW])
@pytest.mark.parametrize("aside", [0.0, 30.0])
@pytest.mark.parametrize("noise", [1e-5, 1e-6])
def test_a_plate_on_parallel_legs_is_not_told_more_than_two_finite_freedoms(
    feet: list[tuple[float, float]], aside: float, noise: float
) -> None:
    """Three are of first order wherever it goes: a rank at moved poses counted them all."""
    told = asm.mobility(on_legs(feet, aside, noise))
    assert (told.here, told.finite) == (3, 2)


@pytest.mark.parametrize("feet", [CIRCLE, ANYHOW])
def test_a_plate_on_parallel_legs_with_six_digits_stays_where_it_is(
    feet: list[tuple[float, float]],
) -> None:
    """1e-4 mm off, it went 140 mm to a pose at which the legs hold exactly, and was rigid there."""
    a = with_digits(on_legs(feet))
    solution = asm.solve(a).require()
    assert pose_gap(solution.poses["plate"], a.parts["plate"].pose)[0] < 1e-3
    told = asm.mobility(a)
    assert (told.finite, told.loops[0].sure) in ((2, True), (2, False))


@pytest.mark.parametrize("make", [parallelogram, balls_in_line])
def test_where_noise_leaves_a_regular_pose_beside_the_singular_one_it_is_told_with_doubt(
    make: Make,
) -> None:
    exact = asm.mobility(make())
    beside = 0
    for seed in range(6):
        off = asm.mobility(noisy(make(), seed))
        (loop,) = (c for c in off.loops if c.modes)
        assert off.finite == exact.finite
        assert [loop.modes] == [c.modes for c in exact.loops if c.modes]
        assert loop.sure == (off.here == exact.here)
        assert (
            "not beyond doubt, this pose is singular, or nearly so" in off.sentence
        ) != loop.sure
        beside += not loop.sure
    assert beside > 0


@pytest.mark.parametrize(
    ("degrees", "scale", "order"), [(40.0, 0.7, 1), (40.0, 1.0, 2), (0.0, 1.0, 3)]
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_link_that_osculates_does_not_move_for_noise(
    degrees: float, scale: float, order: int, seed: int
) -> None:
    """What is left after 6 % of the length, of fourth order, was less than the tolerance."""
    told = asm.mobility(noisy(trammel(degrees, scale), seed))
    assert (told.here, told.finite) == (1, 0)
    assert [c.order for c in told.loops if c.here] == [order]


def test_rhombi_and_cusps_keep_their_freedoms_with_noise() -> None:
    assert [b.dof for b in near(noisy(rhombi())).branches or ()] == [1, 1, 1]
    assert [b.dof for b in near(noisy(two_watts())).branches or ()] == [1]


def test_a_cusp_that_noise_hides_is_told_with_doubt() -> None:
    """Two freedoms of first order and no cusp were told for sure: its rates are below the noise."""
    assert near(two_watts()).sure
    assert not near(noisy(two_watts())).sure
    assert all(near(noisy(chain(30, -70, 90, 40), seed)).sure for seed in range(3))


def test_axes_that_meet_but_for_noise_count_as_meeting_in_every_count() -> None:
    """Generic counts were of rounding: -1 equations were too many."""
    axes = np.array([(0, 0, 1), (0.3, 0.2, 1), (1, 0.5, 0.8), (1, -0.3, 0.2)])
    names = ("frame", "crank", "coupler", "rocker")
    hinges = [("revolute", names[k], names[(k + 1) % 4], 50 * axes[k], axes[k]) for k in range(4)]
    told = asm.mobility(noisy(linkage("spherical", dict.fromkeys(names, asm.Pose()), hinges)))
    assert [told.kutzbach, told.generic, told.here, told.finite] == [-2, 1, 1, 1]
    assert "four axes that meet in one point make 3 equations redundant; 1 degree" in told.sentence


@pytest.mark.parametrize("degrees", [0.05, 0.5, 40.0])
def test_a_parallelogram_off_its_line_is_told_without_doubt(degrees: float) -> None:
    """Its own motion leads to the line, where mates hold as well: that is another pose."""
    told = asm.mobility(parallelogram(degrees))
    assert (told.here, told.finite, [c.sure for c in told.loops]) == (1, 1, [True])


@pytest.mark.parametrize("seed", range(3))
def test_what_the_features_of_one_point_are_off_by_is_no_extent(seed: int) -> None:
    a = noisy(telescope(0.0, 0.0), seed)  # by 1e-5 mm
    told = asm.mobility(a)
    assert asm.diagnose(a).plan.system.length == 1.0
    assert (told.here, told.finite) == (3, 2)  # with this length for the arms 1 and 1
    assert "not beyond doubt" in str(told)
