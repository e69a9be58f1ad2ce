"""Dimensions for targets, against closed forms: what is found, what is not, and what stays."""

from __future__ import annotations

import json
from math import acos, cos, degrees, radians, sin
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from refusals import refusals
from studied import SAMPLES, ladder

import assembly_solver as asm
from assembly_solver.cli import main
from assembly_solver.errors import AssemblySolverError, Unsolved

HUB, ROLLER, CAGE = 27.645, 11.43, 50.8


def clutch() -> asm.Assembly:
    return asm.read(SAMPLES / "one_way_clutch.assembly.json")


def slider_crank() -> asm.Assembly:
    """In line: the pin of the slider is r + l from the pivot at 0 degrees, l - r at 180."""

    def axis(x: Any, direction: str = "z") -> dict[str, Any]:
        return {"axis": {"point": [x, 0, 0], "direction": direction}}

    tree = {
        "format": "assembly-solver/1",
        "parameters": {"r": 20.0, "l": 90.0},
        "parts": {
            "frame": {"grounded": True, "features": {"pin": axis(0), "way": axis(0, "x")}},
            "crank": {"features": {"pin": axis(0), "end": axis("=r")}},
            "rod": {
                "pose": {"position": [20, 0, 0]},
                "features": {"near": axis(0), "far": axis("=l")},
            },
            "slider": {
                "pose": {"position": [110, 0, 0]},
                "features": {"pin": axis(0), "way": axis(0, "x"), "middle": {"point": [0, 0, 0]}},
            },
        },
        "mates": [
            {"name": "pivot", "kind": "revolute", "a": "frame.pin", "b": "crank.pin"},
            {"kind": "revolute", "a": "crank.end", "b": "rod.near"},
            {"kind": "revolute", "a": "rod.far", "b": "slider.pin"},
            {"kind": "coaxial", "a": "frame.way", "b": "slider.way", "sense": "aligned"},
        ],
        "drivers": {
            "turn": {"joint": "pivot", "coordinate": "angle", "range": [0, 360], "value": 0}
        },
        "measures": {"x": {"point": "slider.middle", "along": "x"}},
    }
    return assembly_of(tree)


def assembly_of(tree: dict[str, Any]) -> asm.Assembly:
    """The assembly of a file with this text."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "made.assembly.json")
        path.write_text(json.dumps(tree))
        return asm.read(path)


@pytest.mark.quick
def test_a_radius_gives_the_pressure_angle_of_a_clutch() -> None:
    """cos phi = (hub + roller) / (cage - roller): for 7 degrees the hub follows."""
    found = asm.optimise(clutch(), {"hub": (27, 28)}, {"phi": 7.0})
    hub = (CAGE - ROLLER) * cos(radians(7.0)) - ROLLER
    assert found.met and found.starts == 1
    assert found.values["hub"] == pytest.approx(hub, abs=1e-9)
    assert found.sentence == f"1 target met: hub = {hub:.8g}"
    assert found.assembly.parameters["hub"] == found.values["hub"]


@pytest.mark.quick
def test_what_the_range_does_not_reach_is_told_with_its_end() -> None:
    found = asm.optimise(clutch(), {"hub": "27.6:28"}, {"phi": 12.0})
    best = degrees(acos((27.6 + ROLLER) / (CAGE - ROLLER)))
    assert not found.met and found.starts == 16
    assert (found.values, found.at_ends) == ({"hub": 27.6}, ("hub",))
    assert found.found["phi"] == pytest.approx(best, abs=1e-9)
    assert found.sentence == (
        "not met: the best values of 16 starts leave phi 4.465 deg below its target; "
        "hub is at the end of the range"
    )


def test_a_limit_that_ends_the_search_is_named_and_refused_variants_are_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Why a variant does not close is not asked: contradictions of each take a second."""

    def searched(*arguments: object) -> None:
        raise AssertionError(arguments)

    a = ladder()
    a.limit(name="stop", distance=("floor.top", "block.bottom"), max=5.0)
    monkeypatch.setattr("assembly_solver.diagnosis.conflicts.find_conflicts", searched)
    found = asm.optimise(a, {"height.offset": (-4, 9)}, {"tip": 60.0})
    assert not found.met and found.at_limits == ("stop is at its max of 5 mm",)
    # the mate and the limit may be off by 1e-4 mm each
    assert found.values["height.offset"] == pytest.approx(5.0, abs=2e-4)
    assert found.sentence.endswith("below its target; stop is at its max of 5 mm")


def test_crank_and_rod_follow_from_both_ends_of_a_stroke() -> None:
    """r + l = 130 and l - r = 70, read at the first and the last state of half a turn."""
    wanted = {"x@0": 130.0, "x@180": 70.0}
    found = asm.optimise(
        slider_crank(), {"r": (5, 50), "l": (60, 200)}, wanted, over={"turn": "0:180:19"}
    )
    assert found.met
    assert found.values == pytest.approx({"r": 30.0, "l": 100.0}, abs=1e-7)
    stroke = asm.optimise(
        slider_crank(), {"r": (5, 50)}, {"x.range": 70.0}, over={"turn": "0:180:19"}
    )
    assert stroke.values == pytest.approx({"r": 35.0}, abs=1e-7)


@pytest.mark.parametrize(
    ("word", "target", "length"), [("least", 60.0, 80.0), ("largest", 125.0, 105.0)]
)
def test_an_extreme_of_a_motion_is_fitted(word: str, target: float, length: float) -> None:
    """rod - 20 and rod + 20."""
    over = {"turn": "0:180:7"}
    found = asm.optimise(slider_crank(), {"l": (60, 200)}, {f"x.{word}": target}, over=over)
    assert found.values == pytest.approx({"l": length}, abs=1e-7)


@pytest.mark.quick
def test_the_assembly_keeps_what_is_not_asked_and_names_of_tolerances_do_not_count() -> None:
    """A tolerance is called as the parameter, and is of another one."""
    a = clutch()
    for name in list(a.tolerances):
        a.remove_tolerance(name)
    a.tolerate("hub", parameter="cage", plus=0.05, minus=0.05)
    a.measure("height", distance=("hub.origin", "roller.origin"))
    found = asm.optimise(a, {"hub": (27, 28)}, {"phi": 7.0})
    assert found.met and found.starts == 1
    assert found.values["hub"] == pytest.approx(
        (CAGE - ROLLER) * cos(radians(7.0)) - ROLLER, abs=1e-9
    )
    kept = found.assembly
    assert (list(kept.measures), list(kept.tolerances)) == (list(a.measures), ["hub"])
    assert asm.solve(kept).require().residual < 1e-9


@pytest.mark.quick
def test_values_that_meet_the_targets_stay() -> None:
    a = ladder()
    found = asm.optimise(a, {"height.offset": (-4, 9)}, {"tip": 23.0})
    assert (found.values, found.solves, found.met) == ({"height.offset": 3.0}, 1, True)
    again = asm.optimise(found.assembly, {"height.offset": (-4, 9)}, {"tip": 23.0})
    assert again.values == found.values
    assert a.mates["height"].offset == 3.0


@pytest.mark.quick
def test_the_order_of_the_names_does_not_matter() -> None:
    one = asm.optimise(clutch(), {"hub": (27, 28), "roller": (11, 12)}, {"phi": 6.5})
    other = asm.optimise(clutch(), {"roller": (11, 12), "hub": (27, 28)}, {"phi": 6.5})
    assert one.met and other.met
    assert one.values == pytest.approx(other.values, abs=1e-9)


def test_where_the_present_values_lead_nowhere_other_starts_do() -> None:
    """L + 10 sin(20 L) is 45 at some L above 35; downhill from -30 the search ends in a hollow."""
    end = {"point": ["=L + 10*sind(20*L)", 4, 0]}
    found = asm.optimise(
        assembly_of(
            {
                "format": "assembly-solver/1",
                "parameters": {"L": -30.0},
                "parts": {"rod": {"grounded": True, "features": {"end": end}}},
                "measures": {"x": {"point": "rod.end", "along": "x"}},
            }
        ),
        {"L": (-40, 60)},
        {"x": 45.0},
    )
    at = found.values["L"]
    assert found.met and found.starts > 1
    assert at + 10 * sin(radians(20 * at)) == pytest.approx(45.0, abs=1e-4)


REFUSED = refusals("""
{}, {"x": 1}
    MissingKey: an optimisation needs 'vary NAME=A:B'
{"r": (5, 50)}, {}
    MissingKey: an optimisation needs 'fit NAME=TARGET'
{"r": 5}, {"x": 1}
    BadValue: vary r: 5 is not possible here, it must be a range A:B
{"q": (5, 6)}, {"x": 1}
    UnknownName: no parameter, driver or MATE.FIELD 'q'
{"r": (5, 6)}, {"y": 1}
    UnknownName: fit: no measure 'y'
{"r": (5, 6)}, {"x": "a"}
    BadValue: optimise(fit['x']):
{"r": (5, 6)}, {"x@7": 1}, over={"turn": "0:180:3"}
    BadValue: fit x@7: '7' is not possible here
{"r": (5, 6)}, {"x": 1}, over={"turn": "0:180:3"}
    UnknownName: fit: no measure 'x'; known: x@0
{"turn": (5, 6)}, {"x@0": 1}, over={"turn": "0:180:3"}
    Contradiction: vary turn
""")


@pytest.mark.quick
@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_a_wrong_call_is_one_line(call: str, said: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        eval(f"asm.optimise(slider_crank(), {call})")
    kind, told = said.split(": ", 1)
    assert type(caught.value).__name__ == kind
    assert told in str(caught.value) and "\n" not in str(caught.value)


def test_an_assembly_without_a_solution_is_refused() -> None:
    a = ladder()
    a.mate("coplanar", "floor.top", "block.bottom", name="other", offset=9.0, sense="aligned")
    with pytest.raises(Unsolved):
        asm.optimise(a, {"height.offset": (-4, 9)}, {"tip": 23.0})


@pytest.mark.quick
def test_ranges_in_which_nothing_closes_are_told() -> None:
    """The roller does not fit between a hub of 35 mm and the cage."""
    with pytest.raises(Unsolved) as caught:
        asm.optimise(clutch(), {"hub": (35, 36)}, {"phi": 7.0})
    words = "none of 16 variants within the ranges closes in the present assembly mode"
    assert (str(caught.value), caught.value.outcome) == (words, "not_converged")


@pytest.mark.quick
def test_the_command_writes_what_meets_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["optimise", str(SAMPLES / "one_way_clutch.assembly.json"), "--vary", "hub=27.6:28"]
    out = tmp_path / "out.assembly.json"
    status = main([*words, "--fit", "phi=12", "-o", str(out), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (status, told["outcome"], told["at_ends"]) == (1, "not_met", ["hub"])
    assert not out.exists()
    assert main([*words, "--fit", "phi=7", "-o", str(out)]) == 0
    assert "1 target met: hub = 27.646542" in capsys.readouterr().out
    written = asm.read(out)
    assert written.parameters["hub"] == pytest.approx(27.64654199, abs=1e-8)
    assert max(m.residual_mm for m in asm.solve(written).require().mates) < 1e-9
