"""Limits inside the solve, judged by the angles and lengths of the poses alone."""

from __future__ import annotations

import json
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mechanisms import O, angle_about, disturb, four_bar, hinge, place, turned

import assembly_solver as asm
from assembly_solver import cli

Z = (0.0, 0.0, 1.0)
ROUNDING = 1e-9
"""Degrees and mm: closed forms and blocks are iterated to 1e-10 mm."""


def door(start: float) -> asm.Assembly:
    """The hinge with its door on its axis at an angle."""
    a = hinge()
    a.move({"door": turned(Z, start)})
    return a


def angle(a: asm.Assembly, poses: dict[str, asm.Pose], one: str, two: str) -> float:
    """Angle of a hinge about z, from x of its first feature to x of its second, degrees."""
    p, q = place(a, poses, one), place(a, poses, two)
    return math.degrees(angle_about(p[3], p[1], q[1]))


def arm(shoulder: float, elbow: float) -> asm.Assembly:
    """Two links of 100 and 80 mm on hinges about z, at these angles."""
    a = asm.Assembly("arm")
    a.add("frame", grounded=True, features={"pin": asm.Axis(O, "z", "x")})
    upper = {"pin": asm.Axis(O, "z", "x"), "end": asm.Axis((100, 0, 0), "z", "x")}
    a.add("upper", pose=turned(Z, shoulder), features=upper)
    at = turned(Z, shoulder).apply((100.0, 0, 0))
    fore = {"pin": asm.Axis(O, "z", "x"), "tip": asm.Point((80, 0, 0))}
    a.add("fore", pose=turned(Z, shoulder + elbow, at), features=fore)
    a.mate("revolute", "frame.pin", "upper.pin", name="shoulder", sense="aligned")
    a.mate("revolute", "upper.end", "fore.pin", name="elbow", sense="aligned")
    return a


def bent(a: asm.Assembly, s: asm.Solution) -> tuple[float, float]:
    """Angles of the shoulder and the elbow, degrees."""
    poses = dict(s.poses)
    return angle(a, poses, "frame.pin", "upper.pin"), angle(a, poses, "upper.end", "fore.pin")


def reached(s: asm.Solution) -> list[tuple[str, str, float]]:
    return [(x["name"], x["bound"], x["value"]) for x in s.limits_reached]


# ------------------------------------------------------------------ one coordinate
@pytest.mark.parametrize(
    ("start", "low", "high", "end"),
    [
        (150, 0, 110, 110),
        (-40, 0, 110, 0),
        (60, 0, 110, 60),
        (200, 0, 270, 200),
        (300, 0, 270, 270),
        (330, 0, 270, 0),
        (10, 170, 190, 170),
        (-10, 170, 190, 190),
        (10, 400, 500, 40),
        (10, -360, 360, 10),
        (150, None, 110, 110),
        (-100, None, 110, -100),
        (-100, -30, None, -30),
        (150, 45, 45, 45),
    ],
)
def test_a_door_beyond_a_limit_stops_at_the_nearer_bound(
    start: float, low: float | None, high: float | None, end: float
) -> None:
    a = door(start)
    a.limit("axis", "angle", min=low, max=high)
    s = asm.solve(a).require()
    found = angle(a, dict(s.poses), "frame.origin", "door.origin")
    assert math.remainder(found - end, 360) == pytest.approx(0, abs=ROUNDING)
    assert s.poses["door"].position == pytest.approx(O, abs=ROUNDING)
    moved = math.remainder(start - end, 360) != 0
    assert len(s.limits_reached) == moved
    assert s.dof == 1 and s.redundant_equations == 2  # counted by the mates alone
    assert len(s.free_motions) == 1


def test_a_limit_that_stops_is_told_with_its_number() -> None:
    a = door(150)
    a.limit("axis", "angle", min=0, max=110)
    result = asm.solve(a).to_dict()
    assert result["limits_reached"] == [
        {
            "name": "axis angle",
            "joint": "axis",
            "coordinate": "angle",
            "bound": "max",
            "value": 110.0,
            "unit": "deg",
            "words": "axis angle stopped at its max of 110 deg",
        }
    ]
    assert result["sentence"].endswith("; axis angle stopped at its max of 110 deg")
    (limit,) = result["limits"]
    assert limit["value"] == pytest.approx(110, abs=ROUNDING)
    assert limit["holds"] is True and limit["residual_mm"] <= ROUNDING
    assert [m["name"] for m in result["mates"]] == ["axis", "seat"]


def test_a_start_that_holds_at_its_limit_comes_back_bit_for_bit() -> None:
    a = door(150)
    a.limit("axis", "angle", min=0, max=110)
    asm.solve(a).apply()
    again = asm.solve(a)
    assert again.poses == {name: part.pose for name, part in a.parts.items()}
    assert again.counts == (0, 0, 0, 0, 0)
    assert again.limits_reached[0]["words"] == "axis angle stands at its max of 110 deg"


def test_a_driver_at_the_bound_is_not_stopped() -> None:
    a = door(150)
    a.limit("axis", "angle", min=0, max=110)
    a.drive("opening", "axis", "angle", value=0.0)
    s = asm.solve(a).require()
    assert s.limits_reached == []
    assert "min" not in s.sentence


def test_a_slide_stops_at_its_ends() -> None:
    for start, end in ((500.0, 300.0), (-20.0, 0.0), (120.0, 120.0)):
        a = asm.Assembly()
        a.add("rail", grounded=True)
        a.add("carriage", pose=asm.Pose((0, 0, start)))
        a.mate("prismatic", "rail.origin", "carriage.origin", name="slide")
        a.limit("slide", min=0, max=300)
        s = asm.solve(a).require()
        assert s.poses["carriage"].position == pytest.approx((0, 0, end), abs=ROUNDING)
        assert [x["value"] for x in s.limits_reached] == ([] if start == end else [end])


def test_a_rope_is_no_longer_than_it_is() -> None:
    """A puck on a table, tied to a pin: it moves along the rope until the limit holds."""
    a = asm.Assembly()
    a.add("table", grounded=True, features={"pin": asm.Point(O), "top": asm.Plane(O, "z")})
    at = (240.0, -320.0, 0.0)
    features = {"foot": asm.Plane(O, "-z"), "eye": asm.Point(O)}
    a.add("puck", pose=asm.Pose(at), features=features)
    a.mate("coplanar", "table.top", "puck.foot", name="lies", sense="opposed")
    a.limit(separation=("table.pin", "puck.eye"), max=100)
    s = asm.solve(a).require()
    assert s.poses["puck"].position == pytest.approx((60, -80, 0), abs=1e-6)
    assert s.limits_reached[0]["separation"] == [["table", "pin"], ["puck", "eye"]]
    (rope,) = a.limits
    a.remove_limit(rope)
    a.limit(separation=("table.pin", "puck.eye"), max=0)  # both in one place, not in one line
    s = asm.solve(a).require()
    assert s.poses["puck"].position == pytest.approx(O, abs=ROUNDING)


def test_loose_parts_come_together_where_their_separation_is_bounded() -> None:
    a = asm.Assembly()
    a.add("one")
    a.add("two", pose=asm.Pose((50, 0, 0)))
    a.limit(separation=("one.origin", "two.origin"), max=20)
    s = asm.solve(a).require()
    gap = math.dist(s.poses["one"].position, s.poses["two"].position)
    assert gap == pytest.approx(20, abs=ROUNDING)
    assert len(s.grounded) == 1


# ------------------------------------------------------------------ several coordinates
def test_an_arm_reaches_a_line_with_its_shoulder_at_the_limit() -> None:
    """Tip at x = 150 mm; without the limit the shoulder stays above 20 degrees."""
    a = arm(40, 10)
    a.add("wall", grounded=True, features={"face": asm.Plane((150, 0, 0), "x")})
    a.mate("point_in_plane", "fore.tip", "wall.face", name="touch")
    free = asm.solve(a).require()
    assert bent(a, free)[0] > 21
    a.limit("shoulder", min=-20, max=20)
    a.limit("elbow", min=0, max=150)
    s = asm.solve(a).require()
    shoulder, elbow = bent(a, s)
    assert shoulder == pytest.approx(20, abs=1e-7)
    rest = math.acos((150 - 100 * math.cos(math.radians(20))) / 80)
    assert elbow == pytest.approx(math.degrees(rest) - 20, abs=1e-7)
    assert reached(s) == [("shoulder angle", "max", 20)]
    assert s.dof == 1


def test_an_arm_takes_its_other_elbow_where_the_limit_forbids_the_nearer() -> None:
    """Tip at a point: two poses, mirror images; the start is at the one with elbow below 0."""
    start = arm(50, -60)
    tip = place(start, {n: p.pose for n, p in start.parts.items()}, "fore.tip")[0]
    start.add("post", grounded=True, features={"top": asm.Point(tuple(tip))})
    start.mate("coincident", "fore.tip", "post.top", name="reach")
    start.limit("elbow", min=0, max=150)
    s = asm.solve(start).require()
    assert bent(start, s)[1] == pytest.approx(60, abs=1e-7)
    assert reached(s) == []
    assert s.dof == 0


def test_a_limit_that_holds_by_itself_in_the_end_is_let_go() -> None:
    """The shoulder rotates by 60 degrees; the forearm keeps its direction, and is free."""
    a = arm(80, -10)
    a.limit("shoulder", max=20)
    a.limit("elbow", min=0)
    s = asm.solve(a).require()
    shoulder, elbow = bent(a, s)
    assert shoulder == pytest.approx(20, abs=ROUNDING)
    assert elbow > 5
    assert reached(s) == [("shoulder angle", "max", 20)]


def test_limits_that_are_not_reached_change_nothing_bit_for_bit() -> None:
    for seed in range(3):
        a = disturb(four_bar(), seed, 20, 5)
        plain = asm.solve(a).require()
        for joint in a.mates:
            a.limit(joint, min=-179, max=179)
        a.limit(separation=("crank.origin", "rocker.origin"), min=0, max=1e4)
        limited = asm.solve(a).require()
        assert limited.poses == plain.poses
        assert limited.counts == plain.counts
        assert limited.limits_reached == []
        assert len(limited.limits) == 5


def test_the_order_of_limits_does_not_matter() -> None:
    limits = [("shoulder", -20, 20), ("elbow", 0, 30), ("shoulder", 10, 50)]
    found = []
    for order in permutations(limits):
        a = arm(70, 80)
        for joint, low, high in order:
            a.limit(joint, min=low, max=high, name=f"{joint} {low}")
        found.append(asm.solve(a).require())
    assert all(s.poses == found[0].poses for s in found)
    assert bent(a, found[0]) == pytest.approx((20, 30), abs=ROUNDING)
    names = {frozenset(x[0] for x in reached(s)) for s in found}
    assert names == {frozenset(["shoulder -20", "elbow 0"])}


def rocker_angle(s: asm.Solution) -> float:
    """Angle of the rocker from where the four-bar is drawn, degrees."""
    return math.degrees(2 * math.atan2(*(s.poses["rocker"].quaternion_wxyz[k] for k in (3, 0))))


def test_a_four_bar_stops_where_its_rocker_does() -> None:
    a = four_bar()
    joint = "revolute 4"
    a.limit(joint, min=5, max=30)
    s = asm.solve(a).require()
    assert rocker_angle(s) == pytest.approx(5, abs=1e-7)
    assert reached(s) == [("revolute 4 angle", "min", 5)]
    assert s.residual < 1e-8
    assert s.dof == 1 and s.redundant_equations == 3


def test_a_driven_rocker_beyond_its_limit_is_told_with_both_numbers() -> None:
    a = four_bar()
    a.limit("revolute 4", min=-5, max=5)
    a.drive("swing", "revolute 4", value=8.0)
    s = asm.solve(a)
    assert s.outcome is asm.Outcome.CONFLICTING
    (conflict,) = s.conflicts
    assert conflict["mates"] == ["swing", "limit revolute 4 angle"]
    assert (conflict["asked"], conflict["found"]) == pytest.approx((8, 5), abs=1e-6)
    assert conflict["irreducible"]
    fact = "driver swing asks 8 deg, limit revolute 4 angle allows 5 deg at most"
    assert fact in conflict["words"] and fact in s.sentence
    a.set_driver("swing", 5.0)
    assert asm.solve(a).require().limits_reached == []


def test_a_crank_that_its_rocker_s_limit_stops_names_the_loop() -> None:
    a = four_bar()
    a.drive("motor", "revolute 1", value=30.0)
    turned_by = rocker_angle(asm.solve(a).require())
    a.limit("revolute 4", min=-60, max=turned_by - 2)
    s = asm.solve(a)
    assert s.outcome is asm.Outcome.CONFLICTING
    (conflict,) = s.conflicts
    assert {"motor", "limit revolute 4 angle"} <= set(conflict["mates"])
    assert set(a.mates) <= set(conflict["mates"])
    assert conflict["asked"] == pytest.approx(30)
    assert conflict["found"] < 29


# ------------------------------------------------------------------ contradictions
def test_a_driver_beyond_a_limit_is_told_with_both_numbers() -> None:
    a = hinge()
    a.limit("axis", "angle", min=0, max=110)
    a.drive("opening", "axis", "angle", value=120.0)
    s = asm.solve(a)
    assert s.outcome is asm.Outcome.CONFLICTING and not s
    (conflict,) = s.conflicts
    assert conflict["mates"] == ["opening", "limit axis angle"]
    assert conflict["unit"] == "deg"
    words = "driver opening asks 120 deg, limit axis angle allows 110 deg at most"
    assert words in conflict["words"]
    (limit,) = s.to_dict()["limits"]
    assert limit["holds"] is False and limit["residual_mm"] > 1e-3
    assert s.limits_reached == []
    a.set_driver("opening", 400.0)  # once round and to 40 degrees: not where the stop lets it
    assert asm.solve(a).outcome is asm.Outcome.CONFLICTING
    a.remove_limit("axis angle")
    assert asm.solve(a)


def test_a_limit_that_the_mates_break_is_named_with_them() -> None:
    a = hinge()
    a.mate("angle", "frame.x", "door.x", name="prop", value=130.0, about="frame.pin")
    a.limit("axis", "angle", min=0, max=110)
    s = asm.solve(a)
    assert s.outcome is asm.Outcome.CONFLICTING
    (conflict,) = s.conflicts
    assert "limit axis angle" in conflict["mates"] and "prop" in conflict["mates"]
    assert conflict["irreducible"]
    assert "prop asks 130 deg, limit axis angle allows 110 deg at most" in conflict["words"]


def test_a_limit_on_what_cannot_move_is_told_with_what_the_parts_give() -> None:
    a = asm.Assembly()
    a.add("left", grounded=True)
    a.add("right", grounded=True, pose=asm.Pose((0, 0, 70)))
    a.mate("prismatic", "left.origin", "right.origin", name="slide")
    a.limit("slide", max=50)
    s = asm.solve(a)
    assert s.outcome is asm.Outcome.CONFLICTING
    (conflict,) = s.conflicts
    assert conflict["mates"] == ["limit slide length"]
    assert (conflict["asked"], conflict["found"]) == pytest.approx((50, 70))
    assert conflict["gap_mm"] == pytest.approx(20)


def test_two_limits_that_exclude_each_other_are_both_named() -> None:
    a = door(50)
    a.limit("axis", "angle", min=0, max=40, name="stop")
    a.limit("axis", "angle", min=60, max=90, name="latch")
    s = asm.solve(a)
    assert s.outcome is asm.Outcome.CONFLICTING
    (conflict,) = s.conflicts
    assert set(conflict["mates"]) == {"limit stop", "limit latch"}
    for name in ("stop", "latch"):  # of which joint a limit with a name of its own is
        assert f"limit {name} (axis angle)" in conflict["words"]
    assert sorted([conflict["asked"], conflict["found"]]) == pytest.approx([40, 60], abs=1e-6)


def test_limits_do_not_hide_a_contradiction_of_mates() -> None:
    a = hinge()
    for name, value in (("stop", 30.0), ("prop", 35.0)):
        a.mate("angle", "frame.x", "door.x", name=name, value=value, about="frame.pin")
    a.limit("axis", "angle", min=0, max=20)
    sets = [set(c["mates"]) for c in asm.solve(a).conflicts]
    assert sets[0] == {"stop", "prop"} or "limit axis angle" in sets[0]
    assert all(c["irreducible"] for c in asm.solve(a).conflicts)


# ------------------------------------------------------------------ the door
def test_a_limit_goes_with_its_mate_and_counts_as_an_edit() -> None:
    a = hinge()
    before = a.revision
    made = a.limit("axis", "angle", max=30.0)
    assert (made.name, made.kind, made.unit) == ("axis angle", "angle", "deg")
    assert a.revision > before
    other = a.copy()
    assert other.limits == a.limits
    other.remove_limit("axis angle")
    assert list(a.limits) == ["axis angle"] and not other.limits
    a.remove("axis")
    assert not a.limits
    with pytest.raises(asm.AssemblySolverError, match="no limit 'axis angle'; there is none"):
        a.remove_limit("axis angle")


def test_a_second_limit_of_one_coordinate_gets_a_name_of_its_own() -> None:
    a = hinge()
    names = [a.limit("axis", "angle", max=high).name for high in (30.0, 40.0)]
    assert names == ["axis angle", "axis angle (2)"]


def test_a_mate_may_bring_its_own_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asm.Prismatic, "bounds", lambda self, a, b: {"length": (-20.0, 20.0)})
    a = asm.Assembly()
    a.add("rail", grounded=True)
    a.add("carriage", pose=asm.Pose((0, 0, 90)))
    a.mate("prismatic", "rail.origin", "carriage.origin", name="slot")
    s = asm.solve(a).require()
    assert s.poses["carriage"].position == pytest.approx((0, 0, 20), abs=ROUNDING)
    assert reached(s) == [("slot length", "max", 20)]
    assert a.limits["slot length"].implied


def test_a_slot_that_is_changed_has_the_limits_of_its_new_length() -> None:
    a = asm.Assembly()
    a.add("rail", grounded=True, features={"slot": asm.Frame(O)})
    a.add("pin", pose=asm.Pose((90, 0, 0)))
    a.mate("slot", "rail.slot", "pin.z", name="slot", length=20.0)
    for length in (20.0, 60.0):
        a.change("slot", length=length)
        assert {k: (x.min, x.max) for k, x in a.limits.items()} == {
            "slot length": (-length / 2, length / 2)
        }
        assert asm.solve(a).poses["pin"].position[0] == pytest.approx(length / 2, abs=ROUNDING)
    a.change("slot", length=None)
    assert not a.limits
    assert asm.solve(a).poses["pin"].position[0] == pytest.approx(90, abs=ROUNDING)


@pytest.mark.parametrize(
    ("what", "given", "message"),
    [
        (("axis", "angle"), {}, "limits: a limit without 'max' needs 'min'"),
        (("axis", "angle"), {"min": 2, "max": 1}, "limits.max: 1 is not possible here"),
        (("axis", "angle"), {"max": math.inf}, "limits.max: inf is not possible here"),
        (("axis", "angle"), {"min": -181}, "limits.min: -181 is not possible here"),
        (("axis", "turn"), {"max": 1}, "limits: no coordinate 'turn' of 'axis'; known: angle"),
        (("hinge", "angle"), {"max": 1}, "limits: no joint 'hinge'; known: axis"),
        (("axis", "angle"), {"max": 1, "name": ""}, "limits.name: '' is not possible here"),
        ((), {"max": 1}, "limits: a limit needs 'joint'"),
    ],
)
def test_a_limit_without_a_meaning_is_refused(
    what: tuple[str, ...], given: dict[str, float], message: str
) -> None:
    a = hinge()
    before = a.revision
    with pytest.raises(asm.AssemblySolverError) as caught:
        a.limit(*what, **given)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
    assert not a.limits and a.revision == before


# ------------------------------------------------------------------ in files
def test_limits_come_back_from_the_file_in_their_order(tmp_path: Path) -> None:
    a = hinge()
    a.limit("axis", "angle", min=0, max=110)
    a.limit(separation=("frame.pin", "door.edge"), max=900, name="rope")
    a.limit("axis", "angle", min=-10)
    a.notes_at["limits", "rope"] = {"note": "as long as it is", "x-colour": "red"}
    first, again = tmp_path / "a.assembly.json", tmp_path / "b.assembly.json"
    asm.write(a, first)
    back = asm.read(first)
    assert list(back.limits) == ["axis angle", "rope", "axis angle (2)"]
    assert back.limits == a.limits
    assert json.loads(first.read_text())["limits"] == [
        {"joint": "axis", "coordinate": "angle", "min": 0, "max": 110},
        {
            "note": "as long as it is",
            "name": "rope",
            "separation": ["frame.pin", "door.edge"],
            "max": 900,
            "x-colour": "red",
        },
        {"name": "axis angle (2)", "joint": "axis", "coordinate": "angle", "min": -10},
    ]
    asm.write(back, again)
    assert again.read_bytes() == first.read_bytes()


def test_a_slot_s_ends_are_limits_and_no_file_has_them(tmp_path: Path) -> None:
    a = asm.Assembly()
    a.add("plate", grounded=True)
    a.add("block", pose=asm.Pose((70, 0, 0)), features={"pin": asm.Axis(O, "z")})
    a.mate("slot", "plate.origin", "block.pin", name="groove", length=60.0)
    s = asm.solve(a).require()
    assert s.poses["block"].position == pytest.approx((30, 0, 0), abs=ROUNDING)
    assert reached(s) == [("groove length", "max", 30)]
    file = tmp_path / "slot.assembly.json"
    asm.write(a, file)
    assert "limits" not in json.loads(file.read_text())
    assert asm.read(file).limits == a.limits
    a.remove("groove")
    assert not a.limits


def test_limits_of_a_flexible_sub_assembly_hold_in_the_whole(tmp_path: Path) -> None:
    inner = arm(60, 30)
    inner.limit("shoulder", max=20, name="stop")
    asm.write(inner, tmp_path / "arm.assembly.json")
    whole = asm.Assembly("whole", folder=tmp_path)
    known = asm.read(tmp_path / "arm.assembly.json")
    whole.add_assembly("left", known, rigid=False, grounded=True)
    s = asm.solve(whole).require()
    assert angle(whole, dict(s.poses), "left.frame.pin", "left.upper.pin") == pytest.approx(20)
    assert reached(s) == [("left.stop", "max", 20)]
    file = tmp_path / "whole.assembly.json"
    asm.write(whole, file)
    assert "limits" not in json.loads(file.read_text())
    assert list(asm.read(file).limits) == ["left.stop"]
    whole.remove_limit("left.stop")
    asm.write(whole, file)
    assert not asm.read(file).limits


def test_a_rigid_sub_assembly_stands_within_its_limits() -> None:
    inner = arm(60, 30)
    inner.limit("shoulder", max=20)
    whole = asm.Assembly("whole")
    with pytest.raises(asm.AssemblySolverError, match="limit shoulder angle"):
        whole.add_assembly("left", inner)
    asm.solve(inner).apply()
    whole.add_assembly("left", inner)
    assert list(whole.parts) == ["left"]


def test_the_command_line_shows_the_limits_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = door(150)
    a.limit("axis", "angle", min=0, max=110)
    file = str(tmp_path / "door.assembly.json")
    asm.write(a, file)
    assert cli.main(["solve", file]) == cli.HOLDS
    told = capsys.readouterr().out
    assert "limits reached" in told
    assert "axis angle stopped at its max of 110 deg" in told
    a.drive("opening", "axis", "angle", value=120.0)
    asm.write(a, file)
    assert cli.main(["diagnose", file]) == cli.HOLDS_NOT
    told = " ".join(capsys.readouterr().out.split())
    assert "limits that do not hold" in told
    assert "driver opening asks 120 deg, limit axis angle allows 110 deg at most" in told


# ------------------------------------------------------------------ at random
ANGLES = st.floats(-180, 180)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_after_a_solve_every_limit_holds_or_it_is_not_called_solved(data: st.DataObject) -> None:
    a = arm(data.draw(ANGLES), data.draw(ANGLES))
    for joint in ("shoulder", "elbow"):
        low = data.draw(ANGLES)
        a.limit(joint, min=low, max=low + data.draw(st.floats(0, 350)))
    if data.draw(st.booleans()):
        a.drive("motor", "shoulder", value=data.draw(ANGLES))
    if data.draw(st.booleans()):
        at = (data.draw(st.floats(-150, 150)), 0, 0)
        a.add("wall", grounded=True, features={"face": asm.Plane(at, "x")})
        a.mate("point_in_plane", "fore.tip", "wall.face")
    s = asm.solve(a)
    if not s:
        return
    driven = {d.joint: d.value for d in a.drivers.values()}
    for limit, value in zip(a.limits.values(), bent(a, s), strict=True):
        assert limit.min is not None and limit.max is not None
        middle = driven.get(limit.joint, (limit.min + limit.max) / 2)
        read = middle + math.remainder(value - middle, 360)
        # 1e-6 mm at the reach of the features, 40 mm at the least
        assert limit.min - 1e-5 <= read <= limit.max + 1e-5
    assert np.isfinite(s.residual) and s.residual <= 1e-6
