"""CadQuery assemblies in work: edited, copied, pickled; what is asked wrongly."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assembly_solver as asm

cq = pytest.importorskip("cadquery")

import assembly_solver_cadquery as mates  # noqa: E402
from assembly_solver_cadquery.places import pose_of  # noqa: E402

BOX = cq.Workplane().box(10, 20, 30)


def slide() -> Any:
    """A shoe on a rail, 5 mm over it; the mates put it on the rail and keep its sides parallel."""
    assy = cq.Assembly(name="slide").add(BOX, name="rail")
    assy.add(BOX, name="shoe", loc=cq.Location((3, 4, 35)))
    mates.ground(assy, "rail")
    mates.mate(assy, "rail@faces@>Z", "shoe@faces@<Z", "coplanar", name="seat")
    mates.mate(assy, "rail@faces@>X", "shoe@faces@>X", "coplanar", name="flank")
    return assy


# ---------------------------------------------------------------------------------- editing
def test_a_mate_is_taken_away_with_its_drivers_and_the_rest_holds() -> None:
    assy = slide()
    mates.mate(assy, "rail.z", "shoe.z", "cylindrical", name="pin")
    mates.drive(assy, "lift", "pin", "length", value=30)
    mates.limit(assy, "pin", "angle", min=-5, max=5, name="stop")
    assert mates.solve(assy).require().dof == 0
    mates.remove(assy, "stop")
    mates.remove(assy, "pin")
    assert mates.diagnose(assy).dof == 1
    given = mates.to_assembly(assy)
    assert list(given.mates) == ["seat", "flank"] and not given.drivers and not given.limits
    with pytest.raises(
        asm.AssemblySolverError, match="tolerance or held part 'seet'; did you mean 's"
    ):
        mates.remove(assy, "seet")


def test_what_a_mate_that_is_gone_or_refused_referred_to_makes_no_part_larger() -> None:
    """An angle counts by what it moves at the reach of the parts: 20 mm were told as 28."""
    said = []
    for edited in (False, True):
        assy = slide()
        mates.remove(assy, "seat")
        mates.remove(assy, "flank")
        if edited:
            far = asm.Point((0, 70, 0))
            mates.mate(assy, ("rail", far), "shoe.origin", "distance", name="rod", value=9)
            with pytest.raises(asm.AssemblySolverError, match="offset"):
                mates.mate(assy, ("shoe", far), "rail.xy", "point_in_plane", offset="deep")
            mates.remove(assy, "rod")
        mates.mate(assy, "rail@faces@>Z", "shoe@faces@>X", "parallel", name="on edge")
        mates.mate(assy, "rail@faces@>Z", "shoe@faces@>Z", "parallel", name="upright")
        said.append(mates.diagnose(assy).sentence)
        parts = mates.to_assembly(assy).parts.values()
        assert sorted(f for part in parts for f in part.features) == ["faces@>X", *["faces@>Z"] * 2]
    assert said[0] == said[1] and "90 deg at best" in said[0]


def test_a_part_and_a_mate_of_one_name_are_told_apart() -> None:
    assy = slide()
    made = mates.mate(assy, "rail.z", "shoe.z", "cylindrical", name="shoe")
    mates.remove(assy, "seat")
    mates.remove(assy, "flank")
    words = [motion["words"] for motion in mates.diagnose(assy).free_motions]
    assert "part shoe turns about mate shoe" in words
    told = "'shoe' is a mate and a part; say which: remove.assy, 'shoe', 'mate'."
    with pytest.raises(asm.AssemblySolverError, match=told):
        mates.remove(assy, "shoe")
    with pytest.raises(asm.AssemblySolverError, match="no driver 'shoe'; there is none"):
        mates.remove(assy, "shoe", "driver")
    mates.remove(assy, made)
    assert not mates.to_assembly(assy).mates and "shoe" in mates.to_assembly(assy).parts


def test_a_part_that_is_gone_is_named_and_can_be_taken_away_or_added_again() -> None:
    assy = slide()
    assy.remove("shoe")
    with pytest.raises(asm.AssemblySolverError) as caught:
        mates.solve(assy)
    assert "part 'shoe' is in assembly 'slide' no longer" in str(caught.value)
    assert "take these away with remove(assy, 'shoe')" in str(caught.value)
    mates.remove(assy, "shoe")
    assert mates.solve(assy).require().sentence.startswith("1 part, 0 mates hold")
    assy.add(BOX, name="shoe", loc=cq.Location((0, 0, 77)))
    mates.mate(assy, "rail@faces@>Z", "shoe@faces@<Z", "coplanar", name="seat")
    mates.solve(assy).require()
    assert pose_of(assy.objects["shoe"].loc).position == pytest.approx((0, 0, 30), abs=1e-12)


def test_a_part_that_nothing_holds_any_more_can_be_gone() -> None:
    assy = slide()
    mates.remove(assy, "seat")
    mates.remove(assy, "flank")
    assy.remove("shoe")
    assert mates.solve(assy).require().sentence.startswith("1 part, 0 mates hold")


def test_a_location_changed_by_hand_is_where_the_next_solve_starts() -> None:
    assy = slide()
    mates.solve(assy).require()
    assy.objects["shoe"].loc = cq.Location((9, -6, 99))
    mates.solve(assy).require()
    assert pose_of(assy.objects["shoe"].loc).position == pytest.approx((0, -6, 30), abs=1e-12)


def test_mates_fare_as_constraints_do_when_the_assembly_is_copied_or_pickled() -> None:
    assy = slide()
    for again in (copy.deepcopy(assy), pickle.loads(pickle.dumps(assy))):
        mates.remove(again, "flank")
        assert mates.solve(again).require().dof == 3
        position = pose_of(again.objects["shoe"].loc).position
        assert position == pytest.approx((3, 4, 30), abs=1e-12)
    assert len(mates.to_assembly(assy).mates) == 2
    assert pose_of(assy.objects["shoe"].loc).position == (3, 4, 35)
    outer = cq.Assembly(name="outer").add(assy, name="copy")
    assert not mates.to_assembly(outer.objects["copy"]).mates


# -------------------------------------------------------------------------- what is there
def test_parts_without_mates_are_told_and_stand_still() -> None:
    bare = cq.Assembly(name="bare").add(BOX, name="base").add(BOX, name="lid")
    told = mates.diagnose(bare).sentence
    assert told.startswith("2 parts, 0 mates hold") and told.endswith(
        "base and lid held, as nothing there is grounded"
    )
    assy = slide().add(BOX, name="forgotten", loc=cq.Location((1, 2, 3), (1, 1, 1), 20))
    before = assy.objects["forgotten"].loc
    told = mates.solve(assy).require().sentence
    assert told.endswith("forgotten held, as nothing there is grounded")
    assert assy.objects["forgotten"].loc is before


def test_objects_whose_names_have_signs_of_queries_are_found() -> None:
    assy = cq.Assembly(name="odd").add(BOX, name="a@b").add(BOX, name="Größe 5?", loc=cq.Location())
    assy.add(BOX, name="a")
    mates.ground(assy, "a@b")
    mates.mate(assy, "a@b@faces@>Z", "Größe 5? @ faces @ <Z", "coplanar", name="one")
    mates.mate(assy, "a@b@faces@>X", "a@faces@<X", "coplanar", name="two", sense="opposed")
    mates.solve(assy).require()
    assert pose_of(assy.objects["Größe 5?"].loc).position == pytest.approx((0, 0, 30), abs=1e-12)
    assert pose_of(assy.objects["a"].loc).position == pytest.approx((10, 0, 0), abs=1e-12)


def test_features_inside_a_rigid_part_are_named_by_their_place_in_it() -> None:
    inner = cq.Assembly(name="inner").add(BOX, name="deep")
    assy = cq.Assembly(name="all").add(BOX, name="base").add(inner, name="cart")
    made = mates.mate(assy, "base@faces@>Z", "cart/deep@faces@<Z", "coplanar")
    assert made.name == "coplanar base@faces@>Z - cart/deep@faces@<Z"


def test_a_class_serves_as_a_kind() -> None:
    assert mates.mate(slide(), "rail.z", "shoe.z", asm.Coaxial).kind == "coaxial"


# ------------------------------------------------------------------- what is asked wrongly
def nested() -> Any:
    return slide().add(
        cq.Assembly(name="cart").add(BOX, name="deck").add(BOX, name="wheel"), name="cart"
    )


def swept() -> tuple[Any, asm.Motion]:
    """The shoe led beyond where a chain of 40 mm lets it."""
    assy = slide()
    mates.limit(assy, separation=("rail.origin", "shoe.origin"), max=40, name="chain")
    mates.drive(assy, "push", distance=("rail.zx", "shoe.origin"), range=(0, 60))
    return assy, mates.sweep(assy, "push", steps=6)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda a: mates.mate(a, "rail.z", "shoe.z", "Plane"), "as a mate it is revolute (centr"),
        (lambda a: mates.mate(BOX, "rail.z", "shoe.z", "coaxial"), "this is of type Workplane"),
        (lambda a: mates.mate(a, "rail", "shoe", "revolute", at=(0, 0, 0)), "as cq.Location((0, "),
        (lambda a: mates.mate(a, "deck.z", "shoe.z", "coaxial"), "did you mean 'cart/deck'?"),
        (lambda a: mates.mate(a, "cart@faces@>Z", "shoe.xy", "coplanar"), "there is 'cart/deck', "),
        (lambda a: mates.mate(a, "rail@faces@>Z", "shoe", "tangent"), "shoe as a whole at (0, 0,"),
        (lambda a: mates.ground(a, "cart/deck"), "'cart/deck' is inside 'cart', which is one rig"),
        (lambda a: mates.ground(a, "rial"), "no part 'rial'; did you mean 'rail'?"),
        (lambda a: mates.drive(a, "lift", value=3), "no driver 'lift'; there is none"),
        (lambda a: mates.drive(a, "d", separation="rail.z"), "'rail.z' is not possible here, it m"),
        (lambda a: mates.limit(a, angle=("rail.z",), min=0), "it must be two queries"),
        (lambda a: mates.move(a, {"shoo": asm.Pose()}), "no part to move 'shoo'; did you mean '"),
        (lambda a: mates.check(a, "dof"), "a check is told as {"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_a_line_with_what_was_possible(
    ask: Callable[[Any], object], words: str
) -> None:
    assy = nested()
    with pytest.raises(asm.AssemblySolverError) as caught:
        ask(assy)
    assert words in str(caught.value) and "\n" not in str(caught.value)
    assert list(mates.to_assembly(assy).mates) == ["seat", "flank"]


def test_only_states_that_hold_are_moved_to() -> None:
    assy, motion = swept()
    assert not motion.valid[-1] and motion.valid[0]
    before = assy.objects["shoe"].loc
    for state, words in ((-1, "state -1 does not hold: "), (7, "no state 7; there are 0 to 6")):
        with pytest.raises(asm.AssemblySolverError, match=f"move: {words}"):
            mates.move(assy, motion, state)
    assert assy.objects["shoe"].loc is before
    mates.move(assy, motion, 1)
    assert pose_of(assy.objects["shoe"].loc).position[1] == pytest.approx(10, abs=1e-9)


def test_the_folder_of_the_shapes_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "er"
    mates.to_assembly(slide(), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["rail.step", "shoe.step"]


def test_a_position_is_stored_taken_and_removed() -> None:
    assy = slide()
    mates.drive(assy, "push", distance=("rail.zx", "shoe.origin"), range=(0, 60))
    mates.position(assy, "out", {"push": 45})
    assert mates.position(assy, "out").values == {"push": 45.0}
    mates.solve(assy).require()
    assert abs(pose_of(assy.objects["shoe"].loc).position[1]) == pytest.approx(45, abs=1e-9)
    assert mates.to_assembly(assy).positions.keys() == {"out"}
    mates.remove(assy, "out")
    with pytest.raises(asm.AssemblySolverError, match="no position 'out'; there is none"):
        mates.position(assy, "out")


@pytest.mark.parametrize("call", [n for n in mates.__all__ if n != "mate"])
def test_an_argument_that_a_call_does_not_take_is_told_with_those_that_it_takes(call: str) -> None:
    """Of calls that take any more by name, the one that is missing, and what was given."""
    wrong = "(no argument 'nom'.*|missing a required argument: '[a-z]+', given nom)"
    with pytest.raises(asm.AssemblySolverError, match=f"^{call}: {wrong}; it takes "):
        getattr(mates, call)(slide(), nom="shoe")
