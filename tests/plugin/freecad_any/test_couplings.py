"""Own mates between joints: gears, belts, racks and any linear relation, chosen as joints are."""

from __future__ import annotations

from math import degrees, radians
from pathlib import Path
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from shop import Shop, shop as shop

import assembly_solver as asm

CLOSE = 1e-7
"""degrees and mm: angles are told from rotations of placements, which are doubles."""


@pytest.fixture
def joints(shop: Shop) -> dict[str, Any]:
    """Two parts that turn on a block and one that slides on it."""
    asf.ground(shop.block)
    made = {
        "Sun": asf.mate(shop.pick("block Face6", "box Face5"), "revolute", label="Sun"),
        "Moon": asf.mate(shop.pick("block Face1", "slab Face1"), "revolute", label="Moon"),
        "Slide": asf.mate(shop.pick("block Face2", "pin Face2"), "prismatic", label="Slide"),
    }
    asf.solve(shop.document).require()
    return made


def chosen(joints: dict[str, Any], *names: str) -> list[tuple[Any, str]]:
    return [(joints[name], "") for name in names]


def turned(part: Any, before: Any) -> float:
    """How far a part was turned since it was placed so, degrees."""
    angle = degrees(before.Rotation.inverted().multiply(part.Placement.Rotation).Angle)
    return min(angle, 360.0 - angle)


CASES: dict[str, tuple[tuple[str, str], dict[str, Any], float]] = {
    "gear": (("Sun", "Moon"), {"ratio": -2.5}, 25.0),
    "belt": (("Sun", "Moon"), {"radii": (30.0, 20.0)}, 15.0),
    "rack_and_pinion": (("Slide", "Sun"), {"radius": 12.0}, 12.0 * radians(10.0)),
    "linear": (("Sun", "Slide"), {"coefficients": (3.0, -2.0)}, 15.0),
}
"""The joints as they are picked, what is asked, and what the second goes while Sun turns by 10."""


@pytest.mark.parametrize("kind", CASES)
def test_joints_that_are_coupled_move_together(
    shop: Shop, joints: dict[str, Any], kind: str
) -> None:
    names, asked, way = CASES[kind]
    made = asf.mate(chosen(joints, *names), kind, **asked)
    assert made.MateKind == kind
    parts = {"Moon": shop.slab, "Slide": shop.pin}
    other = parts[names[1] if names[0] == "Sun" else names[0]]
    asf.drive(shop.document, "Sun", 5.0).require()
    sun, before = FreeCAD.Placement(shop.box.Placement), FreeCAD.Placement(other.Placement)
    found = asf.drive(shop.document, "Sun", 15.0).require()
    assert abs(turned(shop.box, sun) - 10.0) < CLOSE
    gone = turned(other, before)
    if other is shop.pin:
        gone = (other.Placement.Base - before.Base).Length
    assert abs(gone - way) < CLOSE
    assert (found.dof, made.Label in [m.name for m in found.mates]) == (2, True)


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        (("Sun", "Moon"), ["gear", "belt", "linear"]),
        (("Slide", "Moon"), ["rack_and_pinion", "linear"]),
        (("Slide", "Moon", "Sun"), ["linear"]),
    ],
)
def test_what_fits_is_told_by_how_the_joints_move(
    joints: dict[str, Any], names: tuple[str, ...], kinds: list[str]
) -> None:
    found = asf.choices(chosen(joints, *names))
    assert [choice.kind for choice in found] == kinds
    if kinds[0] == "gear":
        assert found[0].words == "gears: Moon turns -1 times for a turn of Sun"


def test_numbers_of_teeth_are_kept_as_their_ratio(joints: dict[str, Any]) -> None:
    made = asf.mate(chosen(joints, "Sun", "Moon"), teeth=(20, 50))
    assert (made.MateKind, made.Ratio) == ("gear", -0.4)
    ring = asf.mate(chosen(joints, "Sun", "Moon"), "gear", teeth=(20, 50), internal=True)
    assert ring.Ratio == 0.4
    with pytest.raises(asm.AssemblySolverError, match="teeth of a gear are two numbers"):
        asf.mate(chosen(joints, "Sun", "Moon"), "gear", teeth=(20,))


def test_why_joints_cannot_be_coupled_is_told(shop: Shop, joints: dict[str, Any]) -> None:
    ball = asf.mate(shop.pick("block Vertex2", "ball Face1"), "spherical", label="Ball")
    lines = {
        "Ball does not turn or slide": [(joints["Sun"], ""), (ball, "")],
        "Sun is one joint; a coupling is between two or more": chosen(joints, "Sun"),
    }
    for line, selection in lines.items():
        with pytest.raises(asm.AssemblySolverError, match=line):
            asf.choices(selection)
    with pytest.raises(asm.AssemblySolverError, match="gear has no meaning for Sun, Slide; these"):
        asf.mate(chosen(joints, "Sun", "Slide"), "gear")
    joints["Moon"].Suppressed = True
    with pytest.raises(asm.AssemblySolverError, match="Moon is switched off or cannot be read"):
        asf.mate(chosen(joints, "Sun", "Moon"))


def test_a_coupling_that_lost_a_joint_is_named_and_nothing_moves(
    shop: Shop, joints: dict[str, Any]
) -> None:
    made = asf.mate(chosen(joints, "Sun", "Moon"), label="Train")
    joints["Moon"].Suppressed = True
    told = asf.diagnose(shop.document).left_out
    assert told == {"Train": "Moon, which it couples, does not hold here"}
    shop.document.removeObject(joints["Moon"].Name)
    with pytest.raises(asf.NotHeld, match="Train: a joint that it coupled is deleted"):
        asf.solve(shop.document)
    made.Suppressed = True
    assert asf.diagnose(shop.document).suppressed == ["Train"]


def test_a_coupling_survives_saving_and_another_kind(
    shop: Shop, joints: dict[str, Any], tmp_path: Path
) -> None:
    made = asf.mate(chosen(joints, "Sun", "Moon"), "gear", label="Train", ratio=-3.0)
    assert made.getEnumerationsOfProperty("MateKind") == ["gear", "belt", "linear"]
    shop.document.saveAs(str(tmp_path / "train.FCStd"))
    FreeCAD.closeDocument(shop.document.Name)
    again = FreeCAD.openDocument(str(tmp_path / "train.FCStd"))
    mate = again.getObjectsByLabel("Train")[0]
    found = asf.read(again).assembly.mates["Train"]
    assert (found.kind, found.parameters()["ratio"]) == ("gear", -3.0)
    mate.MateKind = "belt"
    found = asf.read(again).assembly.mates["Train"]
    assert (found.kind, [*found.parameters()["radii"]]) == ("belt", [10.0, 10.0])
    mate.MateKind = "linear"
    live = asf.read(again)
    assert "x-left-out" not in live.assembly.notes
    assert live.assembly.mates["Train"].parameters()["coefficients"] == (1.0, -1.0)
