"""All poses of platforms: counts of published mechanisms, and every pose solves its distances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.foundations.numerics.homotopy import in_pairs
from assembly_solver.solver.modes.loop_poses import LoopJoint, LoopPoses, loop_poses
from assembly_solver.solver.modes.loop_starts import generic_member
from assembly_solver.solver.modes.monodromy import generic_distances
from assembly_solver.solver.modes.platform_poses import platform_poses
from assembly_solver.solver.modes.start_files import ROOTS

SAMPLES = Path(__file__).parents[2] / "samples"

# P. Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures, 1998: the
# numbers as Drake's multibody/inverse_kinematics example of a Stewart platform has them
BASE = np.array(
    [
        [0, 0, 0],
        [1.107915, 0, 0],
        [0.549094, 0.756063, 0],
        [0.735077, -0.223935, 0.525991],
        [0.514188, -0.526063, -0.368418],
        [0.590473, 0.094733, -0.205018],
    ]
)
TOP = np.array(
    [
        [0, 0, 0],
        [0.542805, 0, 0],
        [0.956919, -0.528915, 0],
        [0.665885, -0.353482, 1.402538],
        [0.478359, 1.158742, 0.107672],
        [-0.137087, -0.235121, 0.353913],
    ]
)
LENGTHS = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])


def off(own: np.ndarray, others: np.ndarray, lengths: np.ndarray, motion: np.ndarray) -> float:
    """The largest deviation of a distance, mm."""
    own, others = (np.pad(x, ((0, 0), (0, 3 - x.shape[1]))) for x in (own, others))
    moved = motion[:3] + own @ motion[3:].reshape(3, 3)
    return float(np.abs(np.linalg.norm(moved - others, axis=1) - lengths).max())


@pytest.mark.parametrize("seed", range(4))
def test_dietmaiers_platform_has_40_real_poses_wherever_it_stands(seed: int):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    order, size = rng.permutation(6), 10.0 ** rng.uniform(-2, 3)
    base = size * (BASE[order] @ turn.T + rng.normal(size=3))
    top, lengths = size * (TOP[order] - rng.normal(size=3)), size * LENGTHS[order]
    found = platform_poses(top, base, lengths)
    assert found.complete and len(found.motions) == 40 and found.complex == 0
    assert max(off(top, base, lengths, m) for m in found.motions) <= 1e-9 * size
    images = found.motions[:, :3] + np.einsum(
        "k,nkr->nr", top[3], found.motions[:, 3:].reshape(-1, 3, 3)
    )
    apart = np.linalg.norm(images[:, None] - images, axis=2) + 9 * np.eye(40)
    assert apart.min() > 1e-3 * size


@pytest.mark.parametrize("seed", range(6))
def test_random_platforms_have_40_solutions_and_no_pose_that_holds_is_missed(seed: int):
    rng = np.random.default_rng(seed)
    own, others = rng.normal(size=(2, 6, 3)) * 50.0
    # lengths at a pose that is known
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    known = np.concatenate([rng.normal(size=3) * 50.0, turn.T.ravel()])
    lengths = np.linalg.norm(known[:3] + own @ turn.T - others, axis=1)
    found = platform_poses(own, others, lengths)
    assert found.complete and len(found.motions) + found.complex == 40
    assert np.abs(found.motions - known).max(axis=1).min() <= 1e-8
    assert len(found.motions) % 2 == 0  # complex solutions come in pairs


def in_plane(own: np.ndarray, others: np.ndarray) -> LoopPoses:
    """The motions of a plate on three bars from where their ends are given."""
    up, joints = np.array([0.0, 0.0, 1.0]), []
    for k, (p, q) in enumerate(zip(own, others, strict=True)):
        joints.append(LoopJoint(0, 2 + k, up, np.array([*q, 0.0])))
        joints.append(LoopJoint(2 + k, 1, up, np.array([*p, 0.0])))
    found = loop_poses("plane", joints, [1])
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_planar_platform_has_six_solutions(seed: int):
    rng = np.random.default_rng(seed)
    own, others = rng.normal(size=(2, 3, 2)) * 30.0
    own += np.array([20.0, 10.0])
    found = in_plane(own, others)
    assert found.complete and found.solutions == 6
    lengths = np.linalg.norm(own - others, axis=1)
    assert max(off(own, others, lengths, m) for m in found.motions[:, 0]) <= 1e-10
    still = np.array([0.0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])
    assert np.abs(found.motions[:, 0] - still).max(axis=1).min() <= 1e-9


def test_monodromy_finds_the_published_number_of_roots():
    assert len(generic_distances(seed=4)[1]) == ROOTS


def test_a_plate_on_three_bars_has_the_published_number_of_closures():
    """C. Gosselin, J. Sefrioui and M. J. Richard, Mechanism and Machine Theory 27 (1992) 107."""
    own = generic_member("plane", ((0, 1, 2),) * 3)
    assert own is not None and len(own.solutions) == 6


def test_the_shipped_platform_has_12_modes_and_says_that_they_are_all():
    modes = asm.modes(asm.read(SAMPLES / "stewart_platform.assembly.json"))
    assert len(modes) == 12 and all(m.complete for m in modes)


def test_directions_with_seven_digits_change_no_mode_of_the_shipped_platform():
    """The cylinders' bores are along their balls within the tolerance only: the poses found on the
    nominal assembly are corrected to the features as given."""
    given, rng = asm.read(SAMPLES / "stewart_platform.assembly.json"), np.random.default_rng(0)
    a = given.copy()
    for name, part in given.parts.items():
        for k, f in part.features.items():
            if isinstance(f, asm.Axis):
                way = np.array(f.frame[9:]) + rng.uniform(-1e-7, 1e-7, 3)
                a.set_feature(name, k, asm.Axis(f.point, tuple(way)))
    wanted = {m.name: m.poses["platform"].frame for m in asm.modes(given)}
    modes = asm.modes(a)
    assert {m.name for m in modes} == {*wanted} and all(m.complete for m in modes)
    assert len(modes) == 12
    for m in modes:
        assert np.abs(m.poses["platform"].frame - wanted[m.name]).max() <= 1e-3
        placed = a.copy()
        placed.move(m.poses)
        assert asm.solve(placed).residual <= 1e-4


def test_two_bodies_on_six_distances_close_in_40_ways_all_told():
    a = asm.Assembly("legs")
    a.add("base", grounded=True, features={f"b{k}": asm.Point(100 * p) for k, p in enumerate(BASE)})
    a.add("top", features={f"t{k}": asm.Point(100 * p) for k, p in enumerate(TOP)})
    a.move({"top": asm.Pose((20.0, 30.0, 60.0))})
    for k, length in enumerate(100 * LENGTHS):
        a.mate("distance", f"base.b{k}", f"top.t{k}", value=length, name=f"leg {k}")
    modes = asm.modes(a)
    assert len(modes) == 40 and all(m.complete for m in modes)
    assert len({m.name for m in modes}) == 40
    for m in modes:
        placed = a.copy()
        placed.move(m.poses)
        assert asm.solve(placed).residual <= 1e-6


def test_a_planar_triad_has_at_most_six_modes_all_told():
    """Three links from the ground to one link: a 3-RR linkage of which six closures are real."""
    a = asm.Assembly("triad")
    feet, heads = ((0, 0), (160, 0), (70, 130)), ((0, 0), (80, 0), (30, 60))
    a.add(
        "ground",
        grounded=True,
        features={f"f{k}": asm.Axis((*p, 0), "z") for k, p in enumerate(feet)},
    )
    a.add("hub", features={f"h{k}": asm.Axis((*p, 0), "z") for k, p in enumerate(heads)})
    a.move({"hub": asm.Pose((40.0, 30.0, 0.0))})
    here = np.array(heads) + np.array([40.0, 30.0])
    for k, (p, q) in enumerate(zip(feet, here, strict=True)):
        length = float(np.linalg.norm(q - p))
        a.add(
            f"link {k}",
            features={"a": asm.Axis((0, 0, 0), "z"), "b": asm.Axis((length, 0, 0), "z")},
        )
        a.mate("revolute", f"ground.f{k}", f"link {k}.a")
        a.mate("revolute", f"link {k}.b", f"hub.h{k}")
    modes = asm.modes(a)
    own, others = here, np.array(feet, float)
    found = in_plane(own, others)
    assert found.complete and len(modes) == len(found.motions) >= 2
    assert all(m.complete for m in modes)


def test_a_3_rpr_platform_has_six_real_poses_told_as_all_of_them():
    """Dimensions of our own: its three legs, driven to these lengths, hold the plate in six ways.

    The oracle is one equation in the angle of the plate: both differences of the squared lengths
    are linear in its place, and the changes of sign of what is left are counted.
    """
    feet, heads = ((0, 0), (108, 0), (65, 157)), ((0, 0), (192, 0), (144, 75))
    a, lengths = asm.Assembly("3-RPR"), (182.0, 150.0, 133.0)
    hinges = {f"{k}": asm.Axis((*p, 0), "z") for k, p in enumerate(feet)}
    a.add("base", grounded=True, features=hinges)
    hinges = {f"{k}": asm.Axis((*p, 0), "z") for k, p in enumerate(heads)}
    a.add("plate", pose=asm.Pose.from_axis((60.0, 170.0, 0), (0, 0, 1), 259.0), features=hinges)
    for k, (foot, length) in enumerate(zip(feet, lengths, strict=True)):
        for part in ("tube", "rod"):
            own = {"end": asm.Frame((0, 0, 0)), "bore": asm.Frame((0, 0, 0), "x", "y")}
            a.add(f"{part} {k}", pose=asm.Pose((*foot, 0)), features=own)
        a.mate("revolute", f"base.{k}", f"tube {k}.end")
        a.mate("prismatic", f"tube {k}.bore", f"rod {k}.bore", name=f"leg {k}")
        a.mate("revolute", f"rod {k}.end", f"plate.{k}")
        a.drive(f"motor {k}", f"leg {k}", value=length)
    modes = asm.modes(a)
    assert all(m.complete and m.solutions == 6 for m in modes)
    turn = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 4001))
    arm = [turn * complex(*h) - complex(*f) for h, f in zip(heads, feet, strict=True)]
    left = [np.abs(v) ** 2 - length**2 for v, length in zip(arm, lengths, strict=True)]
    one, two = 2 * (arm[1] - arm[0]), 2 * (arm[2] - arm[0])
    wide = (one.conj() * two).imag
    place = 1j * ((left[0] - left[2]) * one - (left[0] - left[1]) * two)  # times `wide`
    off = np.abs(place) ** 2 + 2 * wide * (place.conj() * arm[0]).real + wide**2 * left[0]
    assert len(modes) == np.count_nonzero(np.diff(np.sign(off))) == 6


def test_a_complex_solution_without_its_conjugate_is_not_complete() -> None:
    pair = np.array([[1.0, 0.5 + 0.25j, -0.3j], [1.0, 0.5 - 0.25j, 0.3j]])
    assert in_pairs(pair * np.array([[2.0j], [1.0 + 1.0j]]), 3)  # homogeneous: any multiples
    assert not in_pairs(pair[:1], 3)
    assert not in_pairs(np.concatenate([pair, [[1.0, 2.0j, 0.0]]]), 3)
