"""States added to a sweep are those of a sweep that has them from the first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.checking import driver_sweeps
from assembly_solver.checking.driver_sweeps import sweep_driver
from assembly_solver.foundations.watch import Watch
from assembly_solver.results.motion import Motion
from assembly_solver.verbs.added_states import with_states

SAMPLES = Path(__file__).parents[2] / "samples"
MORE = [300.0, 61.2345, 61.25, 5.0 / 3.0, 359.99]
"""Degrees: several between two states, and in no order."""


def four_bar() -> asm.Assembly:
    a = asm.read(SAMPLES / "four_bar.assembly.json")
    asm.solve(a).apply()
    return a


def turned(a: asm.Assembly, to: float = 360.0) -> Motion:
    return asm.sweep(a, "crank", angle=np.linspace(60.0, to, 61))


@pytest.mark.parametrize("refuses", [False, True])
def test_added_states_are_those_of_a_whole_sweep(monkeypatch, refuses: bool):
    a = four_bar()
    known = sweep_driver(a, "crank", (0.0, 360.0), Watch())
    whole = sweep_driver(a, "crank", (0.0, 360.0), Watch(), more=MORE)
    swept = []
    sweep = driver_sweeps.sweep
    monkeypatch.setattr(driver_sweeps, "sweep", lambda *x, **y: swept.append(1) or sweep(*x, **y))
    if refuses:
        monkeypatch.setattr(driver_sweeps, "with_states", lambda *_: None)
    added = sweep_driver(a, "crank", (0.0, 360.0), Watch(), more=MORE, known=known)
    assert len(swept) == (2 if refuses else 0)
    np.testing.assert_array_equal(added.at, whole.at)
    for one, two in ((added.up, whole.up), (added.down, whole.down)):
        assert one
        np.testing.assert_allclose(one.t, two.t, rtol=1e-13)
        np.testing.assert_allclose(one.frames, two.frames, rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(one.twists, two.twists, rtol=1e-10, atol=1e-9)
        np.testing.assert_allclose(one.accelerations, two.accelerations, rtol=1e-9, atol=1e-9)
        assert one.prescribed["crank"].tolist() == two.prescribed["crank"].tolist()


def test_a_motion_with_all_values_is_swept_no_more():
    a = four_bar()
    known = sweep_driver(a, "crank", (0.0, 360.0), Watch())
    again = sweep_driver(a, "crank", (0.0, 360.0), Watch(), known=known)
    assert again.up is known.up and again.down is known.down


def test_states_beyond_the_ends_are_not_added():
    motion = turned(four_bar())
    assert with_states(motion, "crank", np.array([359.0]), Watch()) is not None
    assert with_states(motion, "crank", np.array([359.0, 361.0]), Watch()) is None
    assert with_states(motion, "crank", np.array([60.0]), Watch()) is None


def test_a_motion_with_an_event_is_swept_as_a_whole():
    motion = turned(four_bar())
    event = asm.Event("change point", "crank", 70.0, 10.0, "", "", False)
    assert with_states(replace(motion, events=(event,)), "crank", np.array([65.0]), Watch()) is None


def test_a_state_beyond_a_limit_has_the_whole_swept():
    a = four_bar()
    motion = turned(a)
    a.limit("crank pivot", min=-10.0, max=400.0, name="stop")
    bounded = replace(motion, assembly=a)
    assert with_states(bounded, "crank", np.array([62.0]), Watch()) is not None
    b = four_bar()
    b.limit("crank pivot", min=-10.0, max=75.0, name="stop")
    assert with_states(replace(motion, assembly=b), "crank", np.array([62.0]), Watch()) is None


def test_a_limit_of_a_driver_is_met_at_its_value():
    a = four_bar()
    a.limit("crank pivot", max=100.3, name="stop")
    motion = turned(a)
    assert motion.stopped is not None
    assert motion.stopped.kind == "limit"
    assert motion.stopped.value == pytest.approx(100.3, abs=1e-9)
    assert motion.valid.sum() == 9
