"""Features that are a little off change neither structure nor verdict (benchmarks/noise)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import assembly_solver as asm
from benchmarks.noise import MODELS, closed, disturbed, in_ball, judged, structure
from benchmarks.noise_verbs import VERBS, other_verdicts


@pytest.mark.parametrize("tolerance", [1e-4, 1e-2])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_noise_of_a_tenth_of_the_tolerance_changes_nothing(name: str, tolerance: float) -> None:
    model = MODELS[name]()
    model.tolerance = tolerance
    wanted = structure(asm.solve(model))
    assert judged(name, 0.1, 77, wanted, tolerance).wrong == ()


@pytest.mark.parametrize("tolerance", [1e-4, 0.03, 0.2])
def test_a_lever_is_not_at_two_angles_whatever_the_tolerance_is(tolerance: float) -> None:
    lever = asm.Assembly("lever", tolerance=tolerance)
    pin = {"pin": asm.Axis((0, 0, 0), "z", x="x")}
    lever.add("frame", grounded=True, features=pin)
    lever.add("lever", features=pin | {"tip": asm.Point((50, 0, 0))})
    lever.mate("revolute", "frame.pin", "lever.pin", name="pivot")
    for angle in (30, 32):
        lever.drive(f"at {angle}", joint="pivot", coordinate="angle", range=(0, 90), value=angle)
    found = asm.solve(lever)
    assert found.outcome is asm.Outcome.CONFLICTING
    assert sorted(found.conflicts[0]["mates"]) == ["at 30", "at 32"]


def test_a_start_within_the_tolerance_stays_where_it_is() -> None:
    a = asm.Assembly("bar", tolerance=1e-4)
    ends = {"one": asm.Point((0, 0, 0)), "two": asm.Point((100, 0, 0))}
    a.add("stand", grounded=True, features=ends)
    bar = {"one": asm.Point((0, 0, 0)), "two": asm.Point((100 + 6e-5, 0, 0))}
    a.add("bar", features=bar, pose=asm.Pose((-2e-5, 0, 0)))
    for end in ends:
        a.mate("coincident", f"stand.{end}", f"bar.{end}")
    found = asm.solve(a).require()
    assert found.poses["bar"] == a.parts["bar"].pose
    assert found.residual == pytest.approx(4e-5)


@pytest.mark.parametrize(("gap", "moves"), [(4e-6, False), (2e-7, True)])  # 9 and 160 times less
def test_a_start_within_the_tolerance_is_moved_where_that_betters_it_clearly(
    gap: float, moves: bool
) -> None:
    """One that cannot be bettered tenfold stays bit for bit."""
    a, x = asm.Assembly("bar", tolerance=1e-4), 1.4e-5
    for name, length in {"stand": 100.0, "bar": 100 + gap}.items():
        ends = {"one": asm.Point((0, 0, 0)), "two": asm.Point((length, 0, 0))}
        a.add(name, features=ends, grounded=name == "stand")
    a.move({"bar": asm.Pose((x, 0, 0))})
    for end in ends:
        a.mate("coincident", f"stand.{end}", f"bar.{end}")
    found = asm.solve(a).require()
    assert found.poses["bar"].position[0] == pytest.approx(-gap / 2 if moves else x, abs=1e-11)


def test_redundant_mates_that_disagree_end_at_the_least_largest_residual() -> None:
    a = asm.Assembly("bar", tolerance=0.41)
    spots = {"one": 0.0, "two": 100.0, "three": 200.0}
    a.add("rail", grounded=True, features={k: asm.Plane((x, 0, 0), "x") for k, x in spots.items()})
    off = {"one": 0.0, "two": 0.0, "three": 0.8}
    faces = {k: asm.Plane((x + off[k], 0, 0), "x") for k, x in spots.items()}
    a.add("slider", features=faces, pose=asm.Pose((30, 0, 0)))
    for k in spots:
        a.mate("coplanar", f"rail.{k}", f"slider.{k}", sense="aligned")
    found = asm.solve(a).require()
    # least squares would leave 0.533 mm at one mate, the mean of the extremes leaves 0.4
    assert found.residual == pytest.approx(0.4, abs=2e-3)
    assert math.isclose(found.poses["slider"].position[0], -0.4, abs_tol=5e-3)


@pytest.mark.parametrize("seed", [0, 4, 8])  # in these the pins of a cylinder and a driver differ
def test_noise_of_half_the_tolerance_changes_no_name_of_a_mode(seed: int) -> None:
    model = MODELS["excavator"]()
    model.tolerance = 1e-2
    assert asm.solve(disturbed(model, seed, 0.5)).mode == asm.solve(model).mode == "+++-+++"


@pytest.mark.parametrize("seed", range(4))
def test_the_name_of_a_mode_does_not_depend_on_which_parts_were_off(seed: int) -> None:
    model = closed(MODELS["sarrus"]())
    name, draw = asm.solve(model).mode, np.random.default_rng(seed)
    moving = [k for k, part in model.parts.items() if not part.grounded]
    for part in draw.choice(moving, 2, replace=False).tolist():
        off = asm.Pose.from_axis((2 * in_ball(draw)).tolist(), in_ball(draw).tolist(), 1.0)
        model.move({part: model.parts[part].pose @ off})
    assert asm.solve(model).mode == name == "+--+"


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "scissor(3)"])
def test_every_verb_says_the_same_of_features_that_are_a_little_off(name: str) -> None:
    model = MODELS[name]()
    wanted = {verb: verdict(model) for verb, verdict in VERBS.items()}
    assert sorted(wanted) == ["check", "forces", "linkage", "mobility", "sweep"]
    assert other_verdicts(disturbed(model, 5, 0.1), wanted) == []
