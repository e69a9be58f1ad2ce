"""Entries that are removed and added again stand, and are, as in the file that is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assembly_solver as asm
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick

KEPT = ("parts", "mates", "drivers", "cylinders", "limits", "measures", "tolerances")
WAY = {"way": asm.Frame((0, 0, 0)), "near": asm.Point((10, 0, 0)), "far": asm.Point((10, 30, 5))}
ROPES = ("rope", "rope[1]", "rope[2]")
PINS = (("boom.base", "near"), ("boom.rod", "far"))


def yard(folder: Path) -> asm.Assembly:
    """A post beside an arm with two drivers, a cylinder, limits and measures, as a flexible one."""
    arm = asm.Assembly("arm")
    for name in ("base", "rod"):
        arm.add(name, grounded=name == "base", features=WAY)
    arm.mate("slot", "base.way", "rod.way", length=40, name="groove")
    arm.drive("push", "groove", "length", value=7)
    arm.drive("turn", "groove", "angle", value=5)
    arm.cylinder("ram", pins=("base.near", "rod.far"), closed=10, stroke=50, bore=20)
    for name, key in (("one", "angle"), ("two", "length")):
        arm.limit("groove", key, min=-9, max=19, name=name)
        arm.measure(name, joint="groove", coordinate=key)
        arm.tolerate(f"of {name}", driver={"angle": "turn"}.get(key, "push"), plus=0.1, minus=0.1)
    asm.write(arm, folder / "arm.assembly.json")
    a = asm.Assembly("yard", folder=folder)
    a.add("post", grounded=True, features=WAY)
    a.add("cart", features=WAY)
    a.add_assembly("boom", asm.read(folder / "arm.assembly.json"), rigid=False)
    return a


def same_when_read(a: asm.Assembly, folder: Path) -> asm.Assembly:
    """The assembly read from the file that is written of it, which is the same."""
    asm.write(a, folder / "yard.assembly.json")
    read = asm.read(folder / "yard.assembly.json")
    for kept in KEPT:
        assert list(getattr(read, kept)) == list(getattr(a, kept)), kept
    assert assembly_json.dump(read) == assembly_json.dump(a)
    assert read.cylinders == a.cylinders
    for name, part in a.parts.items():
        other = read.parts[name]
        assert (part.features, part.derived) == (other.features, other.derived), name
        assert (part.colour, part.mass) == (other.colour, other.mass), name
    return read


def driven_again(a: asm.Assembly) -> None:
    a.remove_driver("boom.push")
    a.drive("boom.push", "boom.groove", "length", value=7)


def limited_again(a: asm.Assembly) -> None:
    a.remove_limit("boom.one")
    a.limit("boom.groove", "angle", min=-9, max=19, name="boom.one")


def measured_again(a: asm.Assembly) -> None:
    a.remove_measure("boom.one")
    a.measure("boom.one", joint="boom.groove", coordinate="angle")


def tolerated_again(a: asm.Assembly) -> None:
    a.remove_tolerance("boom.of one")
    a.tolerate("boom.of one", driver="boom.turn", plus=0.1, minus=0.1)


def ram_again(a: asm.Assembly) -> None:
    a.remove_cylinder("boom.ram")
    a.cylinder("boom.ram", pins=PINS, closed=10, stroke=50, bore=20)


EDITS: dict[str, tuple[Callable[[asm.Assembly], None], dict[str, int]]] = {
    "driver": (driven_again, {"drivers": 0}),
    "limit": (limited_again, {"limits": 2}),
    "measure": (measured_again, {"measures": 0}),
    "tolerance": (tolerated_again, {"tolerances": 0}),
    "cylinder": (ram_again, {"drivers": 2, "limits": 1}),
}
"""By what is removed and added again: how, and where it stood and stands."""


@pytest.mark.parametrize("what", EDITS)
def test_what_a_sub_assembly_gets_again_stands_where_it_stood(tmp_path: Path, what: str) -> None:
    edit, places = EDITS[what]
    a = yard(tmp_path)
    names = {sort: list(getattr(a, sort)) for sort in places}
    edit(a)
    for sort, place in places.items():
        assert list(getattr(a, sort)) == names[sort], sort
        assert names[sort][place] in ("boom.push", "boom.one", "boom.of one", "boom.ram")
    same_when_read(a, tmp_path)


def test_a_cylinder_of_a_sub_assembly_has_the_bore_that_it_got(tmp_path: Path) -> None:
    a = yard(tmp_path)
    a.remove_cylinder("boom.ram")
    a.cylinder("boom.ram", pins=PINS, closed=10, stroke=50, bore=25)
    assert same_when_read(a, tmp_path).cylinders["boom.ram"].bore == 25.0


def test_cylinders_stand_behind_drivers_and_implied_limits_before_others(tmp_path: Path) -> None:
    a = yard(tmp_path)
    pins = (("post", "near"), ("cart", "far"))
    a.cylinder("jack", pins=pins, closed=10, stroke=50)
    a.limit(separation=pins, max=100, name="reach")
    a.drive("pull", separation=(("post", "near"), ("cart", "near")))
    a.mate("slot", "post.way", "cart.way", length=30, name="rail")
    a.cylinder("lift", pins=pins, closed=20, stroke=50)
    assert list(a.drivers)[-3:] == ["pull", "jack", "lift"]
    assert list(a.limits)[-4:] == ["rail length", "jack", "lift", "reach"]
    same_when_read(a, tmp_path)


@pytest.mark.parametrize("joint", ["boom.groove", "rail"])
def test_a_file_is_without_what_is_about_a_mate_that_was_removed_alone(
    tmp_path: Path, joint: str
) -> None:
    a = yard(tmp_path)
    a.mate("slot", "post.way", "cart.way", length=30, name="rail")
    a.drive("pull", "rail", "length", value=3)
    a.remove(joint, alone=True)
    asm.write(a, tmp_path / "yard.assembly.json")
    read = asm.read(tmp_path / "yard.assembly.json")
    assert {d.joint for d in a.drivers.values()} == {"boom.groove", "rail", None}
    assert {d.joint for d in read.drivers.values()} == {"boom.groove", "rail", None} - {joint}
    assert list(read.mates) == [n for n in ("boom.groove", "rail") if n != joint]


def test_a_driver_that_is_freed_keeps_no_tolerance_of_its_value(tmp_path: Path) -> None:
    """The file could not be read."""
    a = yard(tmp_path)
    a.set_driver("boom.turn", None)
    assert list(a.tolerances) == ["boom.of two"]
    assert same_when_read(a, tmp_path).drivers["boom.turn"].value is None


def patterned(folder: Path, **rod: Any) -> asm.Assembly:
    """Carts on a post by a mate, repeated twice, and a mate behind."""
    a = yard(folder)
    a.mate("distance", "post.near", "cart.far", value=20, name="rope", **rod)
    a.add_pattern("carts", "cart", [asm.Pose((10, 0, 0)), asm.Pose((20, 0, 0))])
    a.mate("coincident", "post.far", "boom.rod.near", name="end")
    return a


def test_a_repeat_that_is_changed_stands_behind_those_that_are_not(tmp_path: Path) -> None:
    a = patterned(tmp_path)
    names = list(a.mates)
    assert names[1:] == ["rope", "rope[1]", "rope[2]", "end"]
    a.change("rope[1]", value=21)
    assert list(a.mates)[1:] == ["rope", "rope[2]", "rope[1]", "end"]
    same_when_read(a, tmp_path)
    a.change("rope[1]", value=20)
    assert list(a.mates) == names
    a.remove("rope[1]")
    a.mate("distance", "post.near@carts[1]", "carts[1].far", value=20, name="rope[1]")
    assert list(a.mates) == names
    same_when_read(a, tmp_path)


def test_edited_repeats_stay_where_their_mate_is_changed(tmp_path: Path) -> None:
    """They were as new in memory, and stayed in an assembly that was read before the change."""
    a = patterned(tmp_path)
    a.add_pattern("more", "cart", [asm.Pose((0, 9, 0)), asm.Pose((0, 18, 0))])
    a.change("rope[1]", value=21)
    a.remove("rope[2]")
    read = same_when_read(a, tmp_path)
    for known in (a, read):
        known.change("rope", value=25)
    assert list(a.mates)[1:] == ["rope", "rope more[1]", "rope more[2]", "rope[1]", "end"]
    values = [read.mates[n].parameters()["value"] for n in list(read.mates)[1:5]]
    assert values == [25.0, 25.0, 25.0, 21.0]
    assert assembly_json.dump(read) == assembly_json.dump(a)
    same_when_read(a, tmp_path)
    for known in (a, read):
        known.remove("rope")
        assert list(known.mates) == ["boom.groove", "end"]
        same_when_read(known, tmp_path)


@pytest.mark.parametrize("first", ["carts", "rods"])
def test_what_repeats_a_mate_is_not_repeated_where_its_other_part_is_a_seed_too(
    tmp_path: Path, first: str
) -> None:
    a = yard(tmp_path)
    a.mate("distance", "boom.rod.near", "cart.far", value=20, name="rope")
    poses = [asm.Pose((10, 0, 0)), asm.Pose((20, 0, 0))]
    seeds = {"carts": "cart", "rods": "boom.rod"}
    for name in sorted(seeds, key=lambda name: name != first):
        a.add_pattern(name, seeds[name], poses)
    assert list(a.mates) == ["boom.groove", *(f"boom.groove[{k}]" for k in (1, 2)), *ROPES]
    assert [a.mates[name].a.part for name in ROPES] == ["boom.rod", "rods[1]", "rods[2]"]
    same_when_read(a, tmp_path)


def test_a_removed_repeat_is_no_more_of_a_pattern_that_does_not_repeat_its_mate(
    tmp_path: Path,
) -> None:
    """The file could not be read: the pattern of the first part repeats the mate then."""
    a = yard(tmp_path)
    a.mate("distance", "boom.rod.near", "cart.far", value=20, name="rope")
    poses = [asm.Pose((10, 0, 0)), asm.Pose((20, 0, 0))]
    a.add_pattern("carts", "cart", poses)
    a.remove("rope[2]")
    a.add_pattern("rods", "boom.rod", poses)
    assert a.groups["carts"].without == ()
    assert [a.mates[name].a.part for name in ROPES] == ["boom.rod", "rods[1]", "rods[2]"]
    same_when_read(a, tmp_path)


def test_displaced_features_go_with_their_mate_where_nothing_refers_to_them(tmp_path: Path) -> None:
    a = patterned(tmp_path)
    a.mate("coincident", "post.near@carts[2]", "boom.base.far", name="tie")
    a.remove("rope")
    assert list(a.parts["post"].derived) == []
    assert list(a.parts["post"].features) == ["way", "near", "far", "near@carts[2]"]
    assert same_when_read(a, tmp_path).mates["tie"].a.feature == "near@carts[2]"


def test_instances_have_the_colour_of_their_seed(tmp_path: Path) -> None:
    a = patterned(tmp_path)
    a.set_colour("cart", "#ff0000")
    a.set_geometry("cart", "cart.step")
    read = same_when_read(a, tmp_path)
    assert {str(read.parts[f"carts[{k}]"].geometry) for k in (1, 2)} == {"cart.step"}
    assert a.parts["carts[2]"].geometry == read.parts["carts[2]"].geometry
