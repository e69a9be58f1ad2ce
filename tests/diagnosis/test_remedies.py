"""What is said to resolve a contradiction is done here, and then it solves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import bearings, crank_rocker, flange, four_bar
from test_conflicts import driven_lid, lid, only, triangle, two_lids

import assembly_solver as asm
from assembly_solver.diagnosis import least_largest
from assembly_solver.diagnosis.constraint_values import rounded_values
from assembly_solver.diagnosis.subset_solver import SubsetSolver
from assembly_solver.foundations.watch import Watch
from benchmarks import families
from benchmarks.contradictions import tangled_case


def changed(a: asm.Assembly, change: dict[str, Any]) -> asm.Assembly:
    """The assembly with one value as it is proposed, entered anew."""
    out = a.copy()
    if change["mate"] in out.drivers:
        out.set_driver(change["mate"], change["to"])
        return out
    mate = out.mates[change["mate"]]
    out.remove(mate.name, alone=True)
    parameters = mate.parameters() | {change["parameter"]: change["to"]}
    out.mate(mate.kind, mate.a, mate.b, name=mate.name, **parameters)
    return out


def moved_feature(a: asm.Assembly, move: dict[str, Any]) -> asm.Assembly:
    """The assembly built anew with one feature where it is proposed."""
    out = asm.Assembly(a.name, tolerance=a.tolerance)
    for name, part in a.parts.items():
        features = dict(part.features)
        for key, f in part.features.items():
            if f"{name}.{key}" == move["feature"]:
                assert isinstance(f, asm.Axis)
                p = np.array(f.point) + move["by_mm"] * np.array(move["along"])
                features[key] = asm.Axis(tuple(p.tolist()), f.direction)
        out.add(name, features=features, pose=part.pose, grounded=part.grounded)
    for mate in a.mates.values():
        out.mate(mate.kind, mate.a, mate.b, name=mate.name, **mate.parameters())
    return out


def over_driven() -> asm.Assembly:
    a = four_bar()
    a.drive("crank", "revolute 1", "angle", value=-20.0)
    a.drive("rocker", "revolute 4", "angle", value=20.0)
    return a


def tight_box() -> asm.Assembly:
    """A block 12 mm wide between walls 10 mm apart, by a face and a distance."""
    a = asm.Assembly()
    planes = {"left": asm.Plane((0, 0, 0), "x"), "right": asm.Plane((10, 0, 0), "-x")}
    a.add("walls", grounded=True, features=planes)
    faces = {"left": asm.Plane((0, 0, 0), "-x"), "right": asm.Plane((12, 0, 0), "x")}
    a.add("block", features=faces)
    a.mate("coplanar", "walls.left", "block.left", name="contact", sense="opposed")
    a.mate("distance", "walls.right", "block.right", name="gap", value=1.0, sense="opposed")
    return a


def stack() -> asm.Assembly:
    return families.assembly(families.stack(3, hole_error=0.5, seed=1))


EVERY: dict[str, Callable[[], asm.Assembly]] = {
    "lid": lambda: lid(30, 35),
    "driven lid": driven_lid,
    "two lids": two_lids,
    "bars that do not reach": triangle,
    "stack": stack,
    "bearings": bearings,
    "flange": flange,
    "over-driven loop": over_driven,
    "tight box": tight_box,
}


@pytest.mark.parametrize("name", EVERY)
def test_what_is_said_to_resolve_it_does_so_when_done(name: str) -> None:
    a = EVERY[name]()
    conflicts = asm.solve(a).conflicts
    constraints = {*a.mates, *a.drivers}
    for conflict in conflicts:
        others = {n for c in conflicts if c is not conflict for n in c["mates"]}
        alone = only(a, constraints - others)
        assert not asm.solve(alone)
        for member in conflict["mates"]:
            without = only(a, constraints - others - {member})
            assert bool(asm.solve(without)) == (member in conflict["drop"])
        if conflict["change"]:
            assert asm.solve(changed(alone, conflict["change"]))
            assert conflict["change"]["mate"] in conflict["drop"]
        if conflict["move"]:
            assert asm.solve(moved_feature(alone, conflict["move"]))
        if conflict["turn"]:
            turn = {**conflict["turn"], "parameter": "sense"}
            assert asm.solve(changed(alone, turn))
        if conflict["accepting_mm"] is not None:
            assert asm.solve(alone, tolerance=conflict["accepting_mm"])
            assert not asm.solve(alone, tolerance=0.8 * conflict["accepting_mm"])


def test_only_a_tolerance_of_at_most_a_hundredth_of_the_reach_is_named() -> None:
    """The bearings are 200 mm apart; the lids are off by some degrees."""
    named = {n: [c["accepting_mm"] for c in asm.solve(EVERY[n]()).conflicts] for n in EVERY}
    found = [n for n in EVERY if named[n] != [None] * len(named[n])]
    assert found == ["stack", "bearings", "flange"]
    assert named["bearings"][0] == pytest.approx(0.911, rel=0.05)
    assert named["flange"][0] == pytest.approx(0.00015, rel=0.05)  # half of what the hole is off


def test_no_tolerance_below_the_present_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    a = tight_box()
    subsets = SubsetSolver(a, Watch())
    monkeypatch.setattr(least_largest, "least_off", lambda *_: 0.6 * a.tolerance)
    monkeypatch.setattr(least_largest, "is_solved", lambda *_: True)
    assert least_largest.accepting_tolerance(subsets, range(2)) == pytest.approx(1.2 * a.tolerance)


def test_a_nearest_sense_that_a_limit_rules_out_is_told_to_be_turned() -> None:
    _, a, _, _ = tangled_case(8177, unstated=True)
    reach = a.drivers["reach"]
    a.set_driver("reach", None)
    a.limit(separation=reach.separation, name="stop", max=reach.value)
    (conflict,) = asm.solve(a).conflicts
    assert {k: conflict["turn"][k] for k in ("mate", "from", "to")} == {
        "mate": "revolute 1",
        "from": "opposed",
        "to": "aligned",
    }
    assert asm.solve(changed(a, {**conflict["turn"], "parameter": "sense"}))


def test_a_face_that_looks_the_wrong_way_is_told_to_be_turned() -> None:
    """Two pegs fit the holes only as the plate lies on the base, not under it."""
    a = asm.Assembly()
    places = enumerate([(0, 0, 0), (40, 0, 0), (0, 25, 0)])
    holes = {f"hole {k}": asm.Axis(p, "z") for k, p in places}
    a.add("base", grounded=True, features={"face": asm.Plane((0, 0, 0), "z"), **holes})
    a.add("plate", features={"face": asm.Plane((0, 0, 0), "z"), **holes})
    a.mate("coplanar", "base.face", "plate.face", name="faces", sense="opposed")
    for k in range(3):
        a.mate("coaxial", f"base.hole {k}", f"plate.hole {k}", name=f"peg {k}")
    (conflict,) = asm.solve(a).conflicts
    assert conflict["turn"]["mate"] == "faces"
    assert conflict["turn"]["to"] == "aligned"
    assert "turning the sense of faces from opposed to aligned solves it" in conflict["ways"]
    a.change("faces", sense="aligned")
    assert asm.solve(a)


def test_a_remedy_changes_more_than_the_tolerance() -> None:
    """What is off by less than the tolerance is solved."""
    a = lid(30, 30 + 1e-5)
    assert asm.solve(a)


def told(a: asm.Assembly) -> tuple[str, str, float, float]:
    """The change of the only contradiction: whose, what, from, to."""
    (conflict,) = asm.solve(a).conflicts
    c = conflict["change"]
    return c["mate"], c["parameter"], c["from"], c["to"]


def test_of_two_angles_that_contradict_the_later_takes_the_value_of_the_earlier() -> None:
    assert told(lid(30, 35)) == ("prop", "value", 35.0, 30.0)
    assert told(driven_lid()) == ("motor", "value", 50.0, 30.0)


def test_an_angle_about_an_axis_of_the_second_part_keeps_its_sign() -> None:
    """Its equation counts the other way round; what is told is the value of the file."""
    a = lid(30, 35)
    a.remove("prop")
    a.mate("angle", "frame.x", "door.x", name="prop", value=35.0, about="door.pin")
    assert told(a) == ("prop", "value", 35.0, 30.0)


def test_a_distance_becomes_what_the_parts_leave() -> None:
    """The right face of the block stands 2 mm inside the wall: signed along the wall's normal."""
    assert told(tight_box()) == ("gap", "value", 1.0, -2.0)


def test_a_driver_beyond_a_dead_point_goes_back_to_it() -> None:
    """Closed form: the rocker's range ends where crank and coupler lie in line."""
    p = crank_rocker()
    start = math.atan2(p["c"][1], p["c"][0] - 300)
    folded = math.acos((300**2 + 200**2 - (260 - 100) ** 2) / (2 * 300 * 200))
    end = math.degrees(math.pi - folded - start)
    a = four_bar()
    a.drive("rocker", "revolute 4", "angle", value=end + 3)
    name, parameter, before, after = told(a)
    assert (name, parameter, before) == ("rocker", "value", end + 3)
    assert after == pytest.approx(end, abs=0.03) and after <= end + 1e-6


def test_a_hole_that_is_off_is_to_be_moved_by_what_it_is_off() -> None:
    (conflict,) = asm.solve(flange(2.0)).conflicts
    assert conflict["change"] is None
    assert conflict["move"]["feature"] == "flange.hole 2"
    assert conflict["move"]["by_mm"] == pytest.approx(2, abs=1e-6)
    assert conflict["move"]["along"] == pytest.approx([1, 0, 0], abs=1e-6)


def test_the_odd_one_of_three_bearings_is_the_one_to_drop_and_to_move() -> None:
    (conflict,) = asm.solve(bearings()).conflicts
    assert "bearing 3" in conflict["mates"] and len(conflict["mates"]) == 2
    assert conflict["drop"] == ["bearing 3"]
    assert conflict["move"]["feature"] == "housing.bore 3"
    assert conflict["move"]["by_mm"] == pytest.approx(2, abs=1e-6)
    assert conflict["move"]["along"] == pytest.approx([0, -1, 0], abs=1e-6)


def test_where_three_angles_contradict_each_other_dropping_one_is_not_enough() -> None:
    a = lid(30, 35)
    a.mate("angle", "frame.x", "door.x", name="third", value=40.0, about="frame.pin")
    (conflict,) = asm.solve(a).conflicts
    assert conflict["drop"] == [] and conflict["change"] is None
    assert (
        "dropping one of them is not enough, the rest contradicts itself as well"
        in (conflict["ways"])
    )


def arm(reach: float, **bounds: float) -> asm.Assembly:
    """Two links of 40 and 37.44 mm, their tip at a distance from the foot, a limit at the elbow."""
    a, pivot = asm.Assembly("arm"), asm.Axis((0, 0, 0), "z")
    a.add("frame", grounded=True, features={"foot": pivot})
    a.add("upper", features={"foot": pivot, "elbow": asm.Axis((40, 0, 0), "z")})
    bent = asm.Pose.from_axis((40, 0, 0), (0, 0, 1), 60)
    a.add("fore", pose=bent, features={"elbow": pivot, "tip": asm.Point((37.44, 0, 0))})
    a.mate("revolute", "frame.foot", "upper.foot", name="shoulder", sense="aligned")
    a.mate("revolute", "upper.elbow", "fore.elbow", name="elbow", sense="aligned")
    a.mate("distance", "frame.origin", "fore.tip", name="reach", value=reach)
    if bounds:
        a.limit("elbow", "angle", name="stop", **bounds)
    return a


def test_the_value_at_best_is_within_the_limits() -> None:
    """Stretched the arm is 77.44 mm long; bent by 42 degrees as the law of cosines says."""
    (free,) = asm.solve(arm(100)).conflicts
    assert free["found"] == pytest.approx(77.44, abs=1e-6)
    (stopped,) = asm.solve(arm(100, min=42.0, max=170.0)).conflicts
    bent = math.sqrt(40**2 + 37.44**2 + 2 * 40 * 37.44 * math.cos(math.radians(42)))
    assert stopped["found"] == pytest.approx(bent, abs=1e-6)
    assert "the others leave 72.3 mm at best with limit stop at its min" in stopped["words"]
    assert "changing reach from 100 to 72.3 mm solves it" in stopped["ways"]
    assert asm.solve(arm(72.3, min=42.0, max=170.0))
    assert not asm.solve(arm(72.31, min=42.0, max=170.0))


def test_a_limit_that_the_value_at_best_keeps_is_not_named() -> None:
    (conflict,) = asm.solve(arm(100, min=-20.0, max=170.0)).conflicts
    assert conflict["found"] == pytest.approx(77.44, abs=1e-6)
    assert "limit" not in conflict["words"]


def test_sentences_have_six_digits_at_most_and_the_entry_has_all() -> None:
    """A plate 40 mm long between posts 50 mm apart, by distances at a tolerance of 1e-9 mm."""
    a = asm.Assembly(tolerance=1e-9)
    a.add("base", grounded=True, features={"l": asm.Point((0, 0, 0)), "r": asm.Point((50, 0, 0))})
    a.add("bar", features={"p": asm.Point((math.sqrt(7), 0, 0)), "x": asm.Axis((0, 0, 0), "x")})
    a.mate("coaxial", "base.x", "bar.x", name="rail", sense="aligned")
    a.mate("distance", "base.l", "bar.origin", name="left", value=10.0)
    a.mate("distance", "base.r", "bar.p", name="right", value=30.0)
    (conflict,) = asm.solve(a).conflicts
    change = conflict["change"]
    assert asm.solve(changed(a, change))
    rounded = float(f"{change['to']:.6g}")
    assert ("about" in change["words"]) == (rounded != change["to"])
    assert len(change["words"].split()[-2].replace(".", "").lstrip("-0")) <= 6


def test_rounding_is_told_as_nothing() -> None:
    """Where a lid is to close, the words say 0 and not 2.1e-14 mm."""
    a = tight_box()
    a.change("gap", value=5.0)
    words = asm.solve(a).conflicts[0]["words"]
    assert "e-1" not in words


def test_a_limit_whose_joint_is_left_out_is_told_its_value() -> None:
    """Both parts are held where neither the joint can hold nor the limit of its coordinate."""
    a, way = asm.Assembly("held"), {"way": asm.Frame((0, 0, 0), "z", "x")}
    for name, place in (("rail", (0, 0, 0)), ("post", (5, 0, 50))):
        a.add(name, grounded=True, pose=asm.Pose(place), features=way)
    a.mate("prismatic", "rail.way", "post.way", name="slide")
    a.limit("slide", "length", name="stop", max=20)
    joint, limit = asm.solve(a).to_dict()["conflicts"]
    assert (joint["mates"], limit["mates"]) == (["slide"], ["limit stop"])
    assert limit["ways"] == ["changing the max of limit stop from 20 to 50 mm solves it"]


def flap(kind: str, field: str, value: float, leaning: float = 0.0) -> asm.Assembly:
    """A hinge leaves the face at -3; farther it stands up, where it is not parallel any more."""
    a = asm.Assembly("flap")
    for name, height in (("base", 0.0), ("flap", -3.0)):
        normal = (leaning if height else 0.0, 0.0, 1.0)
        face = asm.Plane((0, 10 * height, height), normal)
        features = {"pin": asm.Axis((0, 0, 0), "x"), "face": face}
        a.add(name, features=features, grounded=name == "base")
    a.mate("coaxial", "base.pin", "flap.pin", name="pin")
    a.mate(kind, "base.face", "flap.face", name="gap", **{field: value})
    return a


@pytest.mark.parametrize(("kind", "field"), [("distance", "value"), ("coplanar", "offset")])
@pytest.mark.parametrize("asked", [500.0, 30.0, -20.0])
def test_the_value_that_is_left_is_told_with_the_directions_of_its_mate(
    kind: str, field: str, asked: float
) -> None:
    """As what is proposed, whatever is asked: 500 mm would leave 30 with the flap upright."""
    a = flap(kind, field, asked)
    (found,) = asm.solve(a).conflicts
    assert f"the others leave -3 mm at best ({abs(asked + 3.0):g} mm off)" in found["words"]
    assert found["change"]["to"] == -3.0
    a.remove("gap")
    a.mate(kind, "base.face", "flap.face", name="gap", sense="aligned", **{field: -3.0})
    assert asm.solve(a).solved


def test_a_value_that_is_left_by_tilting_only_is_said_to_be_so() -> None:
    """A face that leans along the hinge is parallel at no turn of it."""
    (found,) = asm.solve(flap("distance", "value", 500.0, leaning=0.2)).conflicts
    assert "at best, tilted (" in found["words"]


def test_a_value_that_is_0_but_for_rounding_has_no_sign() -> None:
    """Told was "from -6.6 to -0 deg"."""
    first, *_ = rounded_values(-1e-12, -6.6)
    assert str(first) == "0.0"
