"""Parts taken away with all that names them; assemblies pickled and copied; numbers of numpy."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.errors import BadValue, UnknownName
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[3] / "samples"


def crane() -> asm.Assembly:
    """A mast, a boom on it and a hook below, with all that can name a part."""
    a = asm.Assembly("crane")
    a.add("mast", grounded=True)
    for name in ("boom", "hook"):
        a.add(name, features={"tip": asm.Point((500, 0, 0))})
    a.mate("revolute", "mast.z", "boom.z", name="slew")
    a.mate("revolute", "boom.z", "hook.z", name="swing")
    a.mate("gear", "slew", "swing", name="belt", ratio=2)
    a.mate("symmetric", "mast.origin", "boom.origin", name="mirror", about="hook.yz")
    a.drive("motor", "slew", "angle", value=0)
    a.drive("reach", separation=("mast.origin", "hook.tip"))
    a.limit("swing", "angle", min=-90, max=90, name="stop")
    a.cylinder("lift", pins=("mast.origin", "boom.tip"), closed=300, stroke=400)
    a.load("boom.tip", force=(0, 0, -9), name="weight", axes="hook")
    a.load("boom.tip", force=(0, 0, -9), name="wind")
    a.spring("mast.origin", "hook.tip", stiffness=2, name="spring")
    a.check("range", driver="motor", covers=(0, 9))
    return a


def test_a_part_is_taken_away_with_all_that_names_it_and_nothing_else() -> None:
    a = crane()
    a.remove_part("hook")
    assert list(a.parts) == ["mast", "boom"]
    assert list(a.mates) == ["slew"]
    assert (list(a.drivers), list(a.limits)) == (["motor", "lift"], ["lift"])
    assert (list(a.loads), list(a.springs)) == (["wind"], [])
    assert [check.kind for check in a.checks.values()] == ["range"]
    a.remove_part("boom")
    assert not a.mates and not a.drivers and not a.cylinders and not a.loads and not a.checks
    assert asm.solve(a).require().sentence.startswith("1 part, 0 mates hold")


def test_a_part_that_belongs_to_others_or_is_not_there_is_refused() -> None:
    a = asm.Assembly()
    a.add("plate", grounded=True)
    a.add("bolt")
    a.mate("coaxial", "plate.z", "bolt.z")
    a.add_pattern("bolts", "bolt", [asm.Pose((9, 0, 0))])
    for name in ("bolt", "bolts[1]"):
        with pytest.raises(BadValue, match="a part of no drawing, flexible sub-assembly or patt"):
            a.remove_part(name)
    with pytest.raises(UnknownName, match="no part 'bold'; did you mean 'bolt'"):
        a.remove_part("bold")
    assert list(a.parts) == ["plate", "bolt", "bolts[1]"]


@pytest.mark.parametrize("name", ["excavator", "scissor_lift", "theo_jansen", "stewart_platform"])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_a_pickled_or_copied_assembly_solves_as_it_did(name: str, again: object) -> None:
    assert callable(again)
    given = asm.read(SAMPLES / f"{name}.assembly.json")
    made = again(given)
    one, two = asm.solve(given).require(), asm.solve(made).require()
    assert one.sentence == two.sentence and one.poses == two.poses
    made.remove(next(iter(made.mates)))
    assert len(given.mates) == len(made.mates) + 1


@pytest.mark.parametrize("kind", [np.int64, np.float32, np.float64])
def test_numbers_of_numpy_are_numbers(tmp_path: Path, kind: type) -> None:
    three = kind(3)
    a = asm.Assembly("slide")
    a.add("rail", grounded=True, features={"rod": asm.Axis((three, 0, 0), "z", radius=three)})
    a.add("shoe", features={"ball": asm.Sphere((0, 0, 0), radius=three)})
    a.mate("cylindrical", "rail.rod", "shoe.z", name="guide")
    a.mate("coplanar", "rail.xy", "shoe.xy", name="seat", offset=three)
    a.limit("guide", "length", max=three)
    a.drive("turn", "guide", "angle", value=three, range=(kind(0), three))
    assert asm.solve(a).require().poses["shoe"].position == pytest.approx((3, 0, 3), abs=1e-12)
    assert len(asm.sweep(a, "turn", steps=np.int64(6)).valid) == 7
    a.change("seat", offset=kind(2))
    asm.write(a, tmp_path / "slide.assembly.json")
    tree = json.loads((tmp_path / "slide.assembly.json").read_text())
    assert tree["mates"][1]["offset"] == 2 and tree["limits"][0]["max"] == 3


def test_a_joint_that_is_not_there_is_told_from_those_that_turn_or_slide() -> None:
    a = asm.Assembly()
    a.add("rail", grounded=True)
    a.add("shoe")
    a.mate("coincident", "rail.origin", "shoe.origin", name="tip")
    a.mate("cylindrical", "rail.z", "shoe.z", name="guide")
    for ask in (
        lambda: a.drive("d", "gide", "angle"),
        lambda: a.limit("nothing", min=0),
        lambda: a.mate("gear", "guide", "nothing", ratio=2),
    ):
        with pytest.raises(UnknownName) as caught:
            ask()
        assert "guide" in str(caught.value) and "tip" not in str(caught.value)
    with pytest.raises(UnknownName, match=r"no driver 'motor'; known: guide$"):
        asm.sweep(a, "motor", angle=(0, 9))
    assert "Equation" not in repr(a.drive("d", "guide", "angle"))


def test_features_that_nothing_refers_to_are_taken_away_and_no_others() -> None:
    a = crane()
    a.add_features("boom", {"eye": asm.Point((9, 0, 0)), "unused": asm.Point((99, 0, 0))})
    a.add_features("mast", {"unused": asm.Axis((0, 9, 0), "z"), "bore": asm.Axis((0, 8, 0), "z")})
    a.check("point", driver="motor", point="boom.eye", x=(-9, 9))
    a.tolerate("bore", feature="mast.bore", position=0.1)
    a.guide("led", "hook", feature="tip", position=(0, 0, 0))
    a.add("bolt", features={"shank": asm.Axis((0, 0, 0), "z"), "unused": asm.Point((0, 0, 1))})
    a.mate("coaxial", "mast.z", "bolt.shank")
    a.add_pattern("bolts", "bolt", [asm.Pose((9, 0, 0))])
    a.remove_unused_features()
    revision = a.revision
    a.remove_unused_features()
    assert a.revision == revision
    assert {name: [*part.features] for name, part in a.parts.items()} == {
        "mast": ["bore"],
        "boom": ["tip", "eye"],
        "hook": ["tip"],
        "bolt": ["shank"],
        "bolts[1]": ["shank"],
    }
    assert assembly_json.dump(assembly_json.read_text(assembly_json.dump(a))) == assembly_json.dump(
        a
    )
