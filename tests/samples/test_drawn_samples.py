"""The drawn samples: they stand as drawn, do what their notes say, and are MotionGen's."""

from __future__ import annotations

from math import degrees

import numpy as np
import pytest
from stored_linkages import entries, inputs, places
from test_samples_files import DRAWN, MOTIONGEN, SAMPLES

import assembly_solver as asm

JANSEN = {
    "b": "C B",
    "c": "D B",
    "d": "E B",
    "e": "C E",
    "f": "E F",
    "g": "F D",
    "h": "F G",
    "i": "D G",
    "j": "A C",
    "k": "A D",
    "m": "O A",
}
LENGTHS = {
    "b": 41.5,
    "c": 39.3,
    "d": 40.1,
    "e": 55.8,
    "f": 39.4,
    "g": 36.7,
    "h": 65.7,
    "i": 49.0,
    "j": 50.0,
    "k": 61.9,
    "m": 15.0,
}


def read(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawn_sample_holds_as_drawn_and_its_drivers_have_values_in_their_ranges(name):
    a = read(name)
    solution = asm.solve(a).require()
    # mm: what 15 digits of a coordinate and 13 of an angle leave
    off = max(np.abs(pose.position).max() for pose in solution.poses.values())
    assert off < 1e-11 and solution.dof == len(a.drivers)
    for driver in a.drivers.values():
        if driver.range is not None:
            assert driver.range[0] <= driver.value <= driver.range[1]


@pytest.mark.parametrize("name", ["peaucellier", "stephenson_iii", "theo_jansen", "watt"])
def test_a_drawn_sample_passes_its_checks(name):
    report = asm.check(read(name))
    assert report, report.sentence
    kinds = {finding.kind for finding in report.findings}
    assert {"dof", "range"} <= kinds


def test_the_wing_of_the_double_butterfly_turns_all_the_way_round_and_comes_back():
    states = asm.linkage(read("double_butterfly")).run(wing=np.arange(0.0, 361.0, 0.5))
    assert states, states.sentence
    np.testing.assert_allclose(states.P[:, :, 720], states.P[:, :, 0], atol=1e-9)
    assert states.residual.max() < 1e-10  # mm


def test_the_leg_of_jansen_has_his_lengths():
    pins = read("theo_jansen").drawing.pins
    for letter, ends in JANSEN.items():
        a, b = (np.array(pins[pin]) for pin in ends.split())
        assert np.hypot(*(a - b)) == pytest.approx(LENGTHS[letter], abs=1e-12), letter
    assert pins["B"] == (-38.0, -7.8)


def test_the_point_of_peaucellier_goes_straight_at_any_size():
    a = asm.read(SAMPLES / "peaucellier.assembly.json", set={"arm": 90, "radius": 20})
    motion = asm.sweep(a, "crank", angle=(-60, 60), steps=24)
    x, y = motion.point("upper outer side.X").position[:, :2].T
    at = (90**2 - 60**2) / (2 * 20)  # the inverse of a circle through the centre
    np.testing.assert_allclose(x, at, atol=1e-10)
    crank = np.radians(np.linspace(-60, 60, 25))
    np.testing.assert_allclose(y, at * np.tan(crank / 2), atol=1e-10)


def test_the_output_of_stephenson_rests_and_swings_as_its_note_says():
    motion = asm.sweep(read("stephenson_iii"), "crank", angle=(0, 360), steps=180)
    output = motion.joint("G").value
    assert np.ptp(output) == pytest.approx(89.0, abs=0.5)
    assert np.ptp(output[45:106]) < 0.4  # crank at 90 to 210


@pytest.mark.parametrize("name", MOTIONGEN)
def test_a_sample_of_motiongen_has_its_points_and_its_range(name):
    entry, a = entries()[MOTIONGEN[name]], read(f"motiongen/{name}")
    drawing = a.drawing
    assert list(drawing.pins) == list(entry["joints"])
    for pin, at in entry["joints"].items():
        assert drawing.pins[pin] == pytest.approx(at, abs=1e-14)
    assert [list(link.pins) for link in drawing.links.values()] == entry["links"]
    slots = [pin for slot in drawing.slots.values() for pin in slot.pins]
    assert slots == [pin for pin, *_ in entry["slots"]]
    for driver, values in zip(a.drivers.values(), inputs(entry).values(), strict=True):
        if driver.range is not None:
            low, high = driver.range
            # RPPP goes to and fro in its range, the others through it
            assert high - low == pytest.approx(np.ptp(values), rel=1e-3)


@pytest.mark.parametrize("name", ["rrrp", "rprp", "seven_bar"])
def test_a_sample_of_motiongen_goes_through_its_stored_states(name):
    entry, a = entries()[MOTIONGEN[name]], read(f"motiongen/{name}")
    driver = a.drivers["input"]
    n = entry["n_states"]
    motion = asm.sweep(a, "input", angle=driver.range, steps=n - 1)
    for state, stored in entry["states"].items():
        for pin, at in stored["exact"].items():
            found = places(a, pin, motion.frames)[int(state)]
            np.testing.assert_allclose(found, at, atol=1e-9)


def test_the_pen_of_the_pantograph_is_led_by_laws_through_the_stored_states():
    entry, a = entries()["pantograph"], read("motiongen/pantograph")
    stored = entry["states"]["4800"]
    motion = asm.sweep(a, time=(0.0, 4800 / 14400), steps=480)
    assert motion
    found = places(a, "j5", motion.frames)[-1]
    np.testing.assert_allclose(found, stored["exact"]["j5"], atol=1e-9)
    first = next(iter(inputs(entry).values()))
    assert degrees(2 * np.pi * 4800 / 14400) == pytest.approx(first[4800])
