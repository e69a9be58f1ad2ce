"""The samples with checks: what they pass, and what the long stroke fails by and why."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.checking.findings import DriverCurve, DriverStudy, Finding, Report

SAMPLES = Path(__file__).parents[2] / "samples"
DEAD = (616.713448301, 2030.927010674)  # of the boom: |O1 O2| and |O1 A| in one line


@cache
def report(name: str) -> Report:
    assembly = asm.read(SAMPLES / f"{name}.assembly.json")
    for kind in ("clearance",):  # needs a mesh library, and is tested where that is
        for check in [c for c in assembly.checks.values() if c.kind == kind]:
            assembly.remove_check(check.name)
    return asm.check(assembly)


def study(name: str, driver: str) -> DriverStudy:
    return next(s for s in report(name).studies if s.driver == driver)


def curve(name: str, driver: str, kind: str, of: str) -> DriverCurve:
    return next(c for c in study(name, driver).of_kind(kind) if c.name == of)


def only(name: str, check: str) -> Finding:
    return next(f for f in report(name).findings if f.name == check)


@pytest.mark.parametrize("name", ["excavator", "scissor_lift", "toggle_clamp"])
def test_the_sample_passes_its_checks(name: str):
    assert [f.words for f in report(name).failed] == []
    assert len(report(name).findings) > 8


# ------------------------------------------------------------------ excavator
def test_the_boom_has_its_dead_points_where_cylinder_and_lever_are_in_line():
    lever, base = math.hypot(1300, 250), math.hypot(500, 500)
    assert (lever - base, lever + base) == pytest.approx(DEAD, abs=1e-8)
    found = [p.value for p in study("excavator", "boom cylinder").dead_points]
    assert found[0] == pytest.approx(lever - base, abs=1e-9)
    assert found[-1] == pytest.approx(lever + base, abs=1e-9)
    assert study("excavator", "boom cylinder").reach[1] == found[-1]


def test_on_its_way_down_the_bucket_cylinder_stops_the_boom_first():
    """Rocker and bucket cylinder, 500 and 1265 long, come into line: the pins are 1765 apart."""
    low = study("excavator", "boom cylinder").ends[0]
    assert (low.kind, low.element) == ("dead point", "bucket rod eye")
    reach = math.hypot(1500, 350)  # of the rocker's pin on the boom, from the boom's foot
    mast = math.hypot(300, 500)
    inside = math.acos((reach**2 + mast**2 - 1765**2) / (2 * reach * mast))
    boom = math.atan2(500, -300) - inside - math.atan2(350, 1500)
    eye = np.array([math.cos(boom), math.sin(boom)]) * 1300
    eye += np.array([-math.sin(boom), math.cos(boom)]) * -250
    assert low.value == pytest.approx(float(np.hypot(*(eye - [500, -500]))), abs=1e-8)


def test_the_bucket_cylinder_ends_where_its_rocker_is_in_line_with_it():
    low, high = study("excavator", "bucket cylinder").reach
    assert high - low == pytest.approx(1000.0, abs=1e-8)  # twice the rocker's 500


def test_the_digging_force_is_that_of_the_cylinder_by_the_way_of_the_tooth():
    force = curve("excavator", "bucket cylinder", "output force", "bucket.tooth")
    path = next(
        p for p in study("excavator", "bucket cylinder").paths if len(p.drivers) == 1
    ).positions
    way = np.linalg.norm(np.gradient(path, force.at, axis=0, edge_order=2), axis=1)
    push = 25 * math.pi / 4 * 110**2
    # differences of second order over steps of 3 mm
    np.testing.assert_allclose(force.values[2:-2], push / way[2:-2], rtol=2e-3)
    assert only("excavator", "digging force").found == pytest.approx(force.least[0])


def test_the_envelope_of_the_tooth_holds_its_paths():
    paths = {p.drivers: p for p in study("excavator", "boom cylinder").paths}
    grid = paths["boom cylinder", "bucket cylinder"].box
    alone = paths["boom cylinder",].box
    assert (grid[0] <= alone[0] + 2.0).all() and (grid[1] >= alone[1] - 2.0).all()
    assert grid[1, 1] - grid[0, 1] > 2000


def test_the_cylinder_of_the_boom_holds_the_weights_by_virtual_work():
    """Its force times its step is the work of all weights and of the load."""
    a = asm.read(SAMPLES / "excavator.assembly.json")
    force = curve("excavator", "boom cylinder", "force", "boom cylinder")
    step, work = 0.5, []
    for value in (1075 - step, 1075 + step):
        a.set_driver("boom cylinder", value)
        poses = asm.solve(a).require().poses
        done = poses["bucket"] @ asm.Pose((-655.8, -885.8, 0))
        total = 6000 * done.position[1]
        for name, part in a.parts.items():
            if part.mass is not None:
                centre = poses[name] @ asm.Pose(part.mass.centre)
                total += part.mass.kg * 9.81 * centre.position[1]
        work.append(total)
    k = int(np.argmin(np.abs(force.at - 1075)))
    # central difference over 1 mm of a way of metres
    assert force.values[k] == pytest.approx((work[1] - work[0]) / (2 * step), rel=1e-5)


def test_a_stroke_that_is_too_long_fails_with_the_dead_point_inside_it():
    long = report("excavator_long_stroke")
    assert not long
    assert [f.name for f in long.failed] == [
        "boom stroke",
        "no dead point in a stroke",
        "levers stay open",
    ]
    stroke, dead, lever = long.failed
    assert stroke.found == pytest.approx(DEAD[1], abs=1e-6)
    assert stroke.element == "right rod eye"
    assert dead.place is not None and dead.place.value == pytest.approx(DEAD[1], abs=1e-6)
    assert lever.found < 0.5
    points = study("excavator_long_stroke", "boom cylinder").dead_points
    inside = [p.value for p in points if p.inside]
    assert inside == pytest.approx([DEAD[1]], abs=1e-6)


# ------------------------------------------------------------------ scissor lift, toggle clamp
def test_the_table_of_a_scissor_lift_rises_as_its_arms_say():
    height = study("scissor_lift", "lift").paths[0].positions[:, 1] - 90
    length = study("scissor_lift", "lift").curves[0].at
    half = np.arcsin(height / 1200)
    lug = 700 * np.stack([np.cos(half), np.sin(half)], axis=1)
    np.testing.assert_allclose(np.hypot(*(lug - [250, -60]).T), length, atol=1e-8)
    angle = curve("scissor_lift", "lift", "transmission angle", "lower shoe pin")
    np.testing.assert_allclose(angle.values, 90 - np.degrees(half), atol=1e-6)


def test_the_lift_carries_payload_and_weights_by_virtual_work():
    force = curve("scissor_lift", "lift", "force", "lift")
    height = study("scissor_lift", "lift").paths[0].positions[:, 1] - 90
    half = np.arcsin(height / 1200)
    rise = 1200 * np.cos(half)  # of the table with the angle
    length_by_angle = 700 * (250 * np.sin(half) + 60 * np.cos(half)) / force.at
    table = 4905 + (75 + 1.5) * 9.81  # with the upper shoe; the arms rise half as far
    total = table * rise + (28 + 26) * 9.81 * 0.5 * rise
    # barrel and rod, 13 kg of 650, are left out here: they rise less than the lug
    np.testing.assert_allclose(force.values, total / length_by_angle, rtol=0.01)


def test_a_toggle_clamp_multiplies_without_end_where_handle_and_link_are_in_line():
    gain = curve("toggle_clamp", "handle", "mechanical advantage", "arm.tip")
    near = np.abs(gain.at) < 3
    # beside the toggle the arm goes with the square of the handle's angle
    assert gain.greatest[1] == pytest.approx(0.0, abs=1e-3)
    product = gain.values[near] * np.abs(np.radians(gain.at[near]))
    keep = np.abs(gain.at[near]) > 0.1
    arm = math.hypot(110, 20)
    # ds/dphi = arm * (lever of the link about the arm's pivot)^-1 * r (r + l) / l * phi
    slope = arm / 40 * 45 * 90 / 45
    np.testing.assert_allclose(product[keep], 1 / slope, rtol=0.06)
    assert report("toggle_clamp").loops[0].kind == "triple rocker"
    assert study("toggle_clamp", "handle").reach[1] == pytest.approx(_in_line(), abs=1e-3)


def _in_line() -> float:
    """Handle angle where link and arm, 45 and 50, are in line: its pin is 95 from the pivot."""
    low, high = 60.0, 80.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        t = math.radians(middle)
        away = math.hypot(-60 + 45 * math.cos(t), 40 + 45 * math.sin(t))
        low, high = (middle, high) if away < 95 else (low, middle)
    return low


def test_of_links_in_line_at_several_joints_at_once_the_first_dyad_is_told():
    """At the ends of Peaucellier's cell the sides are in line at A, B and X: rounding apart."""
    assert [end.element for end in study("peaucellier", "crank").ends] == ["B", "B"]
