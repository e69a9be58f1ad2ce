"""Checks between the states of a way and at their ends; forces by what a driver may bear."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from mechanisms import O, parallelogram

import assembly_solver as asm
from assembly_solver.checking.driver_sweeps import sweep_driver
from assembly_solver.checking.findings import Finding, Report
from assembly_solver.foundations.watch import Watch

SAMPLES = Path(__file__).parents[2] / "samples"
Z = (0, 0, 1)


def only(report: Report, name: str) -> Finding:
    (found,) = (f for f in report.findings if f.name == name)
    return found


def arm() -> asm.Assembly:
    """A metre of arm on a hinge, 0 to 90 degrees: its tip goes 13 mm from state to state."""
    a = asm.Assembly("arm")
    a.add("ground", grounded=True, features={"hinge": asm.Axis(O, Z)})
    a.add("arm", features={"hinge": asm.Axis(O, Z), "tip": asm.Point((1000, 0, 0))})
    a.mate("revolute", "ground.hinge", "arm.hinge", name="hinge")
    a.drive("motor", "hinge", range=(0, 90))
    return a


@pytest.mark.parametrize("degrees", [30.2, 30.5, 33.3])
def test_a_place_between_two_states_is_reached(degrees: float):
    a = arm()
    t = math.radians(degrees)
    place = (1000 * math.cos(t), 1000 * math.sin(t), 3.0)  # 3 mm off the plane of the tip
    a.check("point", name="there", point="arm.tip", reaches=place, within=3.001)
    a.check("point", name="nearer", point="arm.tip", reaches=place, within=2.999)
    report = asm.check(a)
    assert (bool(only(report, "there")), bool(only(report, "nearer"))) == (True, False)
    found = only(report, "there")
    assert found.found == pytest.approx(3.0, abs=1e-6)
    assert found.place is not None and found.place.value == pytest.approx(degrees, abs=1e-3)


def test_a_part_of_a_way_is_looked_at_to_its_ends():
    """From 10.1 to 59.9 degrees sine and cosine are least and largest at the ends, no states."""
    a = arm()
    low, high = 10.1, 59.9
    a.check("point", name="x", point="arm.tip", x=(0, 950), over=(low, high))
    a.check("coordinate", name="angle", joint="hinge", max=59.8, over=(low, high))
    report = asm.check(a)
    assert only(report, "x").found == pytest.approx(1000 * math.cos(math.radians(low)), abs=1e-9)
    assert only(report, "angle").found == pytest.approx(high, abs=1e-9)
    assert not only(report, "angle") and only(report, "angle").over == (low, high)


def test_a_force_does_not_pass_where_nothing_acts():
    a = arm()
    a.check("force", name="pin", joint="hinge", max=10)
    found = only(asm.check(a), "pin")
    assert not found
    assert found.words == (
        "force in hinge: no load, spring or weight acts, so there is no force to look at"
    )
    a.load("arm.tip", force=(0, -9, 0))
    assert only(asm.check(a), "pin").found == pytest.approx(9.0, rel=1e-9)


def test_the_force_of_a_cylinder_is_told_where_it_has_most_to_do():
    """A horizontal ram holds a bell crank's weight: most at the end where its lever is shortest.

    It could pull less than it can push, so that the smallest push is nearer to a bound.
    """
    a = asm.Assembly("bell crank")
    base = {"hinge": asm.Axis(O, Z), "foot": asm.Point((-300, 0, 0))}
    a.add("ground", grounded=True, features=base)
    lever = {"hinge": asm.Axis(O, Z), "eye": asm.Point((0, 100, 0)), "load": asm.Point((500, 0, 0))}
    a.add("crank", features=lever)
    a.mate("revolute", "ground.hinge", "crank.hinge", name="hinge")
    pins = ("ground.foot", "crank.eye")
    a.cylinder("ram", pins=pins, closed=250, stroke=120, bore=60, rod=45, pressure=20)
    a.load("crank.load", force=(0, -2000, 0))
    a.check("force", name="ram is strong enough", driver="ram")
    found = only(asm.check(a), "ram is strong enough")

    def force(length: float) -> float:
        """Moment of the load over that of the ram by the triangle of foot, hinge and eye."""
        at_hinge = math.acos((300**2 + 100**2 - length**2) / (2 * 300 * 100))
        turn = math.pi / 2 - at_hinge  # of the crank, to the left
        lever = 300 * 100 * math.sin(at_hinge) / length
        return -2000 * 500 * math.cos(turn) / lever

    worst = max((250.0, 300.0, 370.0), key=lambda length: abs(force(length)))
    assert found.place is not None and found.place.value == pytest.approx(worst, abs=1e-6)
    assert found.found == pytest.approx(force(worst), rel=1e-9)


def test_where_nothing_bounds_a_driver_its_dead_points_are_those_of_all_its_way():
    a = arm()
    a.remove_driver("motor")
    a.drive("motor", "hinge")
    a.check("dead_points", name="none")
    found = only(asm.check(a), "none")
    assert found.words == "dead points of motor are 0, asked is at most 0"


def test_a_value_that_rounding_sets_beside_the_start_is_the_start():
    """A crank turns over; two states 2e-15 degrees apart at its start are one, not a dead point."""
    a = asm.read(SAMPLES / "four_bar.assembly.json")
    start = 11.234701401832135
    a.set_driver("crank", start)
    asm.solve(a).apply()
    beside = [float(np.nextafter(start, 99)), float(np.nextafter(start, -99))]
    way = sweep_driver(a, "crank", (start - 360, start + 360), Watch(), 144, beside)
    assert way.events == ()
    assert way.covered == (start - 360, start + 360)
    assert len(way.at) == 145


def test_both_change_points_of_a_parallelogram_are_told_in_the_range_of_its_crank():
    """It is in line 130 and 310 degrees on from where it stands at 50; -50 is 310 as well."""
    a = parallelogram(50.0)
    a.drive("crank", next(iter(a.mates)), range=(0, 360), value=0)
    a.check("dead_points", name="none")
    found = only(asm.check(a), "none")
    assert found.found == 2.0
    assert "change point at crank 130 deg" in found.words
    assert "change point at crank 310 deg" in found.words
