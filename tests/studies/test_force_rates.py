"""Sensitivities of driver forces: closed form of a slider-crank, differences of solves."""

from __future__ import annotations

from math import cos, radians, sin, sqrt

import numpy as np
import pytest
from studied import SAMPLES
from test_sensitivities import slider

import assembly_solver as asm
from assembly_solver.errors import UnknownName

pytestmark = pytest.mark.quick


def pushed(crank: float, rod: float, turn: float) -> asm.Assembly:
    a = slider(crank, rod, turn)
    a.load("slider.pin", force=(-10.0, 0.0, 0.0), name="piston")
    return a


def test_the_torque_of_a_crank_changes_as_its_closed_form_says() -> None:
    """T = 10 N dx/dturn with x = r c + w, w^2 = l^2 - r^2 s^2, differentiated."""
    r, rod, turn = 30.0, 80.0, radians(50.0)
    s, c = sin(turn), cos(turn)
    w = sqrt(rod**2 - (r * s) ** 2)
    found = asm.sensitivities(pushed(r, rod, 50.0), of=[("turn", "force")])
    assert found.rows == ("turn.force",) and found.row_units == ("N mm",)
    assert found.nominal[0] == pytest.approx(-10 * (r * s + r**2 * s * c / w), rel=1e-10)
    by_crank = -10 * (s + 2 * r * s * c / w + r**3 * s**3 * c / w**3)
    by_rod = 10 * r**2 * s * c * rod / w**3
    by_turn = -10 * (r * c + r**2 * (c**2 - s**2) / w + r**4 * s**2 * c**2 / w**3)
    assert found["turn.force", "crank"] == pytest.approx(by_crank, rel=1e-9)
    assert found["turn.force", "rod"] == pytest.approx(by_rod, rel=1e-9)
    assert found["turn.force", "turn"] == pytest.approx(radians(by_turn), rel=1e-9)
    assert found.unit("turn.force", "turn") == "N mm/deg"


def excavator() -> asm.Assembly:
    e = asm.read(SAMPLES / "excavator.assembly.json")
    e.load("bucket.bracket pin", force=(0, -20_000, 0), name="digging")
    e.set_mass("boom", asm.Mass(900, (1600, 0, 0)))
    e.gravity = (0, -9.81, 0)
    return e


def test_the_forces_of_two_cylinders_change_as_differences_of_solves_do() -> None:
    e, names = excavator(), ["boom cylinder", "bucket cylinder"]
    s = asm.sensitivities(e, of=[(n, "force") for n in names], to=names)
    assert s.values[0, 1] == pytest.approx(s.values[1, 0], rel=1e-8)  # of one potential
    step = 1e-2
    for k, name in enumerate(names):
        value = e.drivers[name].value
        assert value is not None
        ends = []
        for by in (step, -step):
            e.set_driver(name, value + by)
            forces = asm.forces(asm.solve(e).require()).drivers
            ends.append(np.array([forces[n].value[0] for n in names]))
        e.set_driver(name, value)
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(s.values[:, k], rel=1e-6)


def test_a_force_that_equilibrium_does_not_determine_has_no_derivative() -> None:
    """Beside the driven crank a pendulum hangs askew from the slider: nothing balances it."""
    a = pushed(30.0, 80.0, 50.0)
    a.add("bob", features={"pin": asm.Axis((0, 0, 0), "z"), "end": asm.Point((20, 0, 0))})
    a.mate("revolute", "slider.pin", "bob.pin", name="hang")
    a.load("bob.end", force=(0.0, -5.0, 0.0), name="weight")
    s = asm.sensitivities(a, of=[("turn", "force")], to=["rod"])
    assert np.isnan(s.nominal).all() and np.isnan(s.values).all()


def test_a_driver_of_a_force_is_refused_by_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="no driver 'torn'"):
        asm.sensitivities(pushed(30.0, 80.0, 50.0), of=[("torn", "force")])
