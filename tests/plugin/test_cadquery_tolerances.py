"""Tolerances of CadQuery assemblies: a plate with two holes on two pins, in closed form."""

from __future__ import annotations

from typing import Any

import pytest
from pages import ROOT, blocks

cq = pytest.importorskip("cadquery")

import assembly_solver_cadquery as mates  # noqa: E402

import assembly_solver as asm  # noqa: E402

PINS = [(-30.0, 0.0), (30.0, 0.0)]


def round_face(solid: Any, side: float) -> Any:
    """The pin or the hole on a side of the middle."""
    faces = solid.faces("%CYLINDER").vals()
    return next(f for f in faces if f.Center().x * side > 0.0)


def plate() -> tuple[Any, Any]:
    """The assembly, and the solid of its plate: its corner is 50 mm right of the middle."""
    top = cq.Workplane().box(100, 40, 10).faces(">Z").workplane().pushPoints(PINS)
    made, base = top.hole(8), top.circle(3.9).extrude(10)
    a = cq.Assembly().add(base, name="base").add(made, name="plate", loc=cq.Location((5, 3, 30)))
    mates.ground(a, "base")
    mates.mate(a, "base@faces@>Z[-2]", "plate@faces@<Z", "coplanar", name="seat", sense="opposed")
    for n, side in ((1, -1.0), (2, 1.0)):
        ends = (("base", round_face(base, side)), ("plate", round_face(made, side)))
        mates.mate(a, *ends, "coaxial", name=f"pin {n}", sense="aligned")
    mates.solve(a).require()
    corner = ("plate", made.vertices(">X and >Y and >Z").val())
    mates.measure(a, "rise", point=corner, along="y", min=19.95, max=20.05)
    return a, made


def test_play_of_two_pins_lets_the_plate_rise_by_the_lever() -> None:
    """At 50 mm of pins at -30 and 30: by the one -1/3, by the other 4/3 of their shifts."""
    a, _ = plate()
    for n in (1, 2):
        mates.tolerate(a, f"play {n}", joint=f"pin {n}", radial=0.05)
    found = mates.tolerance(a, samples=200)
    rise = found.measures["rise"]
    assert rise.nominal == pytest.approx(20.0, abs=1e-9) and found.not_solved == 0
    assert rise.linear_worst_case == pytest.approx((20 - 0.05 * 5 / 3, 20 + 0.05 * 5 / 3), abs=1e-9)
    assert rise.contributions["play 2"] == pytest.approx(16 / 17, abs=1e-9)


def test_the_lines_of_the_page_are_run_for_this_plate(capsys: pytest.CaptureFixture[str]) -> None:
    a, made = plate()
    mates.remove(a, "rise")
    shown = blocks((ROOT / "docs" / "tolerances.md").read_text(encoding="utf-8"), "py")[0]
    exec(shown.body, {"mates": mates, "plate": a, "bore": round_face(made, 1.0)})
    assert list(mates.to_assembly(a).tolerances) == ["bore", "play"]
    least, most = eval(capsys.readouterr().out)
    assert least < 20.0 < most and most - least < 0.1


def test_a_tolerated_query_is_the_feature_that_its_mates_use() -> None:
    a, made = plate()
    hole = mates.tolerate(a, "hole", feature=("plate", round_face(made, 1.0)), position=0.01)
    assert hole.feature == mates.to_assembly(a).mates["pin 2"].b
    found = mates.tolerance(a, samples=50)
    assert found.binding is not None and found.binding.tolerances == {"hole": found.not_solved}
    with pytest.raises(asm.AssemblySolverError, match="did you mean 'rise'"):
        mates.remove(a, "rize", "measure")
    mates.remove(a, "hole")
    mates.remove(a, "rise")
    assert not mates.to_assembly(a).tolerances and not mates.to_assembly(a).measures
