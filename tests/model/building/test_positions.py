"""Named positions: what they may tell, and what taking one does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[3] / "samples"


def arm(grounded: bool = True) -> asm.Assembly:
    """A hinge on which a slide moves; only the hinge has a driver."""
    a = asm.Assembly("arm")
    pin = {"pin": asm.Axis((0, 0, 0), "z", "x")}
    a.add("frame", grounded=grounded, features=pin)
    a.add("door", features={**pin, "rail": asm.Axis((0, 0, 0), "x", "y")})
    a.add("shoe", features={"rail": asm.Axis((0, 0, 0), "x", "y")})
    a.mate("revolute", "frame.pin", "door.pin", name="hinge")
    a.mate("cylindrical", "door.rail", "shoe.rail", name="rail.1")
    a.drive("opening", "hinge", value=10)
    return a


def test_a_position_gives_drivers_its_values_and_joints_a_driver() -> None:
    a = arm()
    a.position("out", {"hinge": 90, "rail.1.length": 30})
    assert a.drivers.keys() == {"opening"}  # storing one changes nothing else
    assert a.take_position("out").values == {"hinge": 90.0, "rail.1.length": 30.0}
    assert {n: d.value for n, d in a.drivers.items()} == {"opening": 90.0, "rail.1.length": 30.0}
    shoe = asm.solve(a).require().poses["shoe"].position
    assert shoe == pytest.approx((0.0, 30.0, 0.0), abs=1e-9)


def test_a_position_replaces_a_law_and_leaves_what_it_does_not_name() -> None:
    a = arm()
    a.drive("slide", "rail.1", "length", law="5*t")
    a.position("still", {"slide": 12})
    a.take_position("still")
    assert [(d.value, d.law) for d in a.drivers.values()] == [(10.0, None), (12.0, None)]


@pytest.mark.parametrize(
    ("values", "mode", "message"),
    [
        ({"opning": 3}, None, "positions.p.opning: no driver 'opning'; did you mean 'opening'?"),
        ({"rail.1": 3}, None, "positions.p.rail.1: 'rail.1', which has angle and length, needs"),
        ({"opening": float("nan")}, None, "positions.p.opening: nan is not possible here"),
        (
            {"opening": 3, "hinge.angle": 3},
            None,
            "positions.p: 'opening' and 'hinge.angle' exclude each other",
        ),
        ({"opening": 3}, "", "positions.p.mode: '' is not possible here"),
        (3, None, "position(values): 3 is not possible here, it must be a dictionary"),
    ],
)
def test_a_position_that_cannot_be_is_refused(values: Any, mode: Any, message: str) -> None:
    a = arm()
    with pytest.raises(AssemblySolverError) as caught:
        a.position("p", values, mode=mode)
    assert message in str(caught.value) and not a.positions


def test_names_of_positions_are_unique_and_near_ones_are_named() -> None:
    a = arm()
    a.position("open", {"opening": 90})
    with pytest.raises(AssemblySolverError, match="'open'"):
        a.position("open", {})
    with pytest.raises(AssemblySolverError, match="no position 'opn'; did you mean 'open'"):
        a.take_position("opn")
    a.remove_position("open")
    with pytest.raises(AssemblySolverError, match="no position 'open'; there is none"):
        a.remove_position("open")


def test_what_is_removed_is_in_no_position_any_more() -> None:
    a = arm()
    a.position("both", {"opening": 90, "rail.1.length": 30})
    a.position("shut", {"opening": 0})
    a.remove_driver("opening")
    assert {n: p.values for n, p in a.positions.items()} == {"both": {"rail.1.length": 30.0}}


# --------------------------------------------------------------------------------------- files
def with_positions(positions: Any, **more: Any) -> asm.Assembly:
    tree = json.loads(assembly_json.dump(arm())) | {"positions": positions} | more
    return assembly_json.read_text(json.dumps(tree))


def test_positions_come_back_from_a_file_with_mode_notes_and_formulas() -> None:
    told = {
        "out": {"note": "all the way", "opening": "=2*L", "rail.1.length": 30, "mode": "+-"},
        "as it is": {"mode": "-"},
    }
    a = with_positions(told, parameters={"L": 45})
    assert {n: (dict(p.values), p.mode) for n, p in a.positions.items()} == {
        "out": ({"opening": 90.0, "rail.1.length": 30.0}, "+-"),
        "as it is": ({}, "-"),
    }
    assert json.loads(assembly_json.dump(a))["positions"] == told
    a.set("L", 40)
    assert a.positions["out"].values["opening"] == 80.0
    written = json.loads(assembly_json.dump(a))["positions"]
    assert (written["out"]["opening"], list(written)) == ("=2*L", list(told))


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([], "positions: [] is not possible here, it must be an object"),
        ({"out": 3}, "positions.out: 3 is not possible here, it must be an object"),
        ({"out": {"opening": "wide"}}, "positions.out.opening: 'wide' is not possible here"),
        ({"out": {"opening": True}}, "positions.out.opening: true is not possible here"),
        ({"out": {"opening": None}}, "positions.out.opening: null is not possible here"),
        ({"out": {"hinges": 3}}, "no driver 'hinges'; did you mean 'hinge'?"),
        ({"out": {"opening": "=M"}}, "positions.out.opening: "),
    ],
)
def test_a_file_with_a_bad_position_says_where(positions: Any, message: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        with_positions(positions)
    assert message in str(caught.value)


def test_a_driver_of_the_name_of_a_note_cannot_be_written_in_a_position() -> None:
    a = arm()
    a.drive("note", "rail.1", "length")
    a.position("out", {"note": 3})
    with pytest.raises(AssemblySolverError, match="'note' is not possible here, it must be"):
        assembly_json.dump(a)


# ---------------------------------------------------------------------------------- sub-assemblies
def test_a_position_names_the_drivers_of_a_flexible_sub_assembly() -> None:
    whole, inner = asm.Assembly("whole"), arm()
    inner.position("open", {"opening": 90})
    whole.add_assembly("arm", inner, rigid=False, grounded=True, file="arm.assembly.json")
    assert not whole.positions  # those of its file are its own
    whole.position("open", {"arm.opening": 90})
    whole.take_position("open")
    assert asm.reading(asm.solve(whole).require(), whole.drivers["arm.opening"]) == pytest.approx(
        90
    )


# ---------------------------------------------------------------------------------------- standing
def test_an_assembly_stands_at_the_values_of_its_drivers_and_of_what_is_free() -> None:
    a = arm()
    a.move({"shoe": asm.Pose((7, 0, 0))})
    found = asm.standing(a)
    assert found.mode is None and found.values.keys() == {
        "opening",
        "rail.1.angle",
        "rail.1.length",
    }
    assert found.values["opening"] == 10.0
    before = asm.solve(a).require().poses
    a.position("here", found.values, mode=found.mode)
    a.set_driver("opening", 70)
    asm.solve(a).require().apply()
    a.take_position("here")
    after = asm.solve(a).require().poses["shoe"].position
    assert after == pytest.approx(before["shoe"].position, abs=1e-9)


def test_a_position_of_a_loop_keeps_its_mode() -> None:
    a = asm.read(SAMPLES / "four_bar.assembly.json")
    other = next(m.name for m in asm.modes(a) if m.name != asm.solve(a).mode)
    asm.solve(a, mode=other).require().apply()
    found = asm.standing(a)
    assert (found.mode, list(found.values)) == (other, ["crank"])


def test_the_excavator_has_positions_that_hold() -> None:
    a = asm.read(SAMPLES / "excavator.assembly.json")
    heights = {}
    for name in a.positions:
        a.take_position(name)
        heights[name] = round(asm.solve(a).require().poses["bucket"].position[1])
    assert heights == {"digging": 626, "carrying": 1386, "dumping": 1812}
