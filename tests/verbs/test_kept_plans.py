"""A plan is kept over an edit that changes values alone, and then tells what a fresh one tells."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mechanisms import stewart_ups

import assembly_solver as asm
from assembly_solver.errors import BadValue
from assembly_solver.formats.native.assembly_json import dump
from assembly_solver.structure import plan as planning
from assembly_solver.verbs import kept_plans

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[2] / "samples"
Edit = Callable[[asm.Assembly], object]


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Counts the systems that are compiled for solves, and the plans that are made of them."""
    found = [0, 0]
    compile_system, make_plan = kept_plans.compile_system, planning.make_plan

    def compiled(*args, **more):
        found[0] += 1
        return compile_system(*args, **more)

    def made(*args, **more):
        found[1] += 1
        return make_plan(*args, **more)

    with monkeypatch.context() as m:
        m.setattr(kept_plans, "compile_system", compiled)
        m.setattr(planning, "make_plan", made)
        yield found


def same_as_fresh(edited: asm.Solution, fresh: asm.Solution) -> None:
    """Both tell the same, with poses within 1e-9 mm where they hold."""
    one, two = edited.to_dict(), fresh.to_dict()
    assert edited.outcome is fresh.outcome
    for name in one["poses"] if edited else ():
        a, b = (
            np.array([*d["poses"][name]["position"], *d["poses"][name]["quaternion_wxyz"]])
            for d in (one, two)
        )
        np.testing.assert_allclose(a, b, atol=1e-9)
    for key in ("outcome", "dof", "dof_left", "mode", "redundant_equations", "grounded"):
        assert one[key] == two[key], key
    for key in ("free_motions", "conflicts", "redundant"):
        assert [x["words"] for x in one[key]] == [x["words"] for x in two[key]], key
    assert [m["sense"] for m in one["mates"] if "sense" in m] == [
        m["sense"] for m in two["mates"] if "sense" in m
    ]


def doors() -> asm.Assembly:
    """Two doors on one frame, held by a distance of their edges, and at one height."""
    a = asm.Assembly("doors")
    pins = {"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((2000, 0, 0), "z")}
    a.add("frame", grounded=True, features=pins | {"floor": asm.Plane((0, 0, 0), "z")})
    for side, turn in (("left", 30.0), ("right", 140.0)):
        at = asm.Pose.from_axis((pins[side].point[0] + 5, 3, -4), (0, 0, 1), turn)
        features = {"pin": asm.Axis((0, 0, 0), "z"), "edge": asm.Point((800, 0, 0))}
        a.add(f"{side} door", pose=at, features=features)
        a.mate("revolute", f"frame.{side}", f"{side} door.pin", name=f"{side} hinge")
    a.mate("distance", "left door.edge", "right door.edge", name="gap", value=1300)
    a.drive("opening", "left hinge", "angle", value=35)
    return a


def shelf() -> asm.Assembly:
    """A board on a bolt at a height, free to turn, and a peg on the board."""
    a = asm.Assembly("shelf")
    a.add(
        "wall",
        grounded=True,
        features={"bolt": asm.Axis((0, 0, 0), "z"), "mark": asm.Plane((0, 0, 0), "z")},
    )
    face = {
        "hole": asm.Axis((10, 0, 0), "z"),
        "face": asm.Plane((0, 0, 3), "z"),
        "top": asm.Frame((50, 0, 6), "z"),
    }
    a.add("board", features=face, pose=asm.Pose.from_axis((3, 4, 5), (1, 0, 0), 12))
    a.add("peg", features={"end": asm.Frame((0, 0, 0), "z")}, pose=asm.Pose((40, 8, 30)))
    a.mate("coaxial", "wall.bolt", "board.hole", name="bolted")
    a.mate("coplanar", "wall.mark", "board.face", name="height", offset=20, sense="aligned")
    a.mate("coincident", "board.top", "peg.end", name="foot")
    a.mate("angle", "board.top", "peg.end", name="lean", value=25)
    return a


def kept() -> dict[str, tuple[Callable[[], asm.Assembly], Edit]]:
    """Edits that keep the plan, with what they edit."""
    return {
        "a driven angle": (doors, lambda a: a.set_driver("opening", 52)),
        "a distance": (doors, lambda a: a.change("gap", value=1180)),
        "both": (doors, lambda a: (a.set_driver("opening", 40), a.change("gap", value=1250))),
        "there and back": (
            doors,
            lambda a: (a.change("gap", value=9), a.change("gap", value=1300)),
        ),
        "a colour": (doors, lambda a: a.set_colour("frame", "#112233")),
        "an offset": (shelf, lambda a: a.change("height", offset=-11)),
        "an angle": (shelf, lambda a: a.change("lean", value=70)),
        "a leg": (legs, lambda a: a.set_driver("leg 2", 1.07 * a.drivers["leg 2"].value)),
        "a cylinder": (excavator, lambda a: a.set_driver("boom cylinder", 1200)),
        "a length of a link": (linkage, lambda a: put(a, "rocker", "pin", (141.5, 0, 12))),
        "a length of the ground": (
            linkage,
            lambda a: put(a, "ground", "rocker pivot", (210, 3, 0)),
        ),
        "a tracing point": (linkage, lambda a: put(a, "coupler", "tracer", (80, 60, 12))),
        "a hinge of a door": (doors, lambda a: put(a, "right door", "pin", (2, 1, 0))),
        "a hinge and a distance": (
            doors,
            lambda a: (put(a, "right door", "pin", (2, 1, 0)), a.change("gap", value=1290)),
        ),
        "a driven angle and a hinge": (
            doors,
            lambda a: (a.set_driver("opening", 40), put(a, "right door", "pin", (2, 1, 0))),
        ),
        "an edge of a door": (doors, lambda a: put(a, "left door", "edge", (760, 10, 0))),
        "a shoulder of a leg": (legs, lambda a: raised(a, (0.5, -1.0, 0.0))),
    }


def put(a: asm.Assembly, part: str, feature: str, at: tuple[float, float, float]) -> None:
    """Move a feature of a part to a place on it, mm, with those that are at the same place."""
    known = a.parts[part].features
    for name, found in known.items():
        if found.frame[:3] == known[feature].frame[:3] or name == feature:
            key = "origin" if isinstance(found, asm.Frame) else "point"
            a.set_feature(part, name, replace(found, **{key: at}))


def raised(a: asm.Assembly, by: tuple[float, float, float]) -> None:
    """The first feature of the platform of `legs`, moved by so much, mm."""
    name = next(n for n, p in a.parts.items() if len(p.features) == 6 and not p.grounded)
    feature, found = next(iter(a.parts[name].features.items()))
    at = np.add(found.frame[:3], by)
    put(a, name, feature, tuple(at.tolist()))


def linkage() -> asm.Assembly:
    return asm.read(SAMPLES / "four_bar.assembly.json")


def anew() -> dict[str, tuple[Callable[[], asm.Assembly], Edit]]:
    """Edits that change what planning used, with what they edit."""
    return {
        "an angle becomes none": (shelf, lambda a: a.change("lean", value=0)),
        "a distance becomes none": (doors, lambda a: a.change("gap", value=0)),
        "a driver is let go": (doors, lambda a: a.set_driver("opening", None)),
        "a sense": (shelf, lambda a: a.change("height", sense="opposed")),
        "a height in a loop": (level, lambda a: a.change("level", offset=7)),
        "a limited angle": (limited, lambda a: a.set_driver("opening", 44)),
        "a geared angle": (geared, lambda a: a.set_driver("opening", 44)),
        "a value in a cluster": (cluster, lambda a: a.change("third", value=55)),
        "a pose": (doors, lambda a: a.move({"left door": asm.Pose((1, 2, 3))})),
        "a tolerance": (doors, lambda a: setattr(a, "tolerance", 1e-2)),
        "a ground": (doors, lambda a: a.ground("left door")),
        "a level of a link": (linkage, lambda a: put(a, "rocker", "pin", (140, 0, 14))),
        "two pins at one place": (linkage, lambda a: put(a, "rocker", "pin", (0, 0, 12))),
        "a tilted pin": (doors, lambda a: tilt(a, "right door", "pin")),
        "a point of a cluster": (cluster, lambda a: put(a, "plate", "eye", (1, 2, 41))),
    }


def tilt(a: asm.Assembly, part: str, feature: str) -> None:
    """Turn an axis of a part by a degree."""
    found = a.parts[part].features[feature]
    a.set_feature(part, feature, replace(found, direction=(0.0, 0.01745, 0.99985)))


def legs() -> asm.Assembly:
    """A platform on six legs, each with its length driven."""
    a = stewart_ups()
    for k, joint in enumerate([n for n, m in a.mates.items() if m.kind == "prismatic"]):
        a.drive(f"leg {k}", joint, "length", value=330.0 + 3 * k)
    return a


def excavator() -> asm.Assembly:
    return asm.read(SAMPLES / "excavator.assembly.json", set={"boom cylinder": 1100})


def level() -> asm.Assembly:
    a = doors()
    a.mate("coplanar", "frame.floor", "left door.xy", name="level", offset=0)
    return a


def limited() -> asm.Assembly:
    a = doors()
    a.limit("right hinge", "angle", min=0, max=170)
    return a


def geared() -> asm.Assembly:
    a = doors()
    a.remove("gap")
    a.mate("gear", joints=("left hinge", "right hinge"), ratio=-1, constant=100)
    return a


def cluster() -> asm.Assembly:
    """A point of a plate at three distances: the plate cannot move, whatever they are."""
    a = asm.Assembly("cluster")
    ground = {"a": asm.Point((0, 0, 0)), "b": asm.Point((60, 0, 0)), "c": asm.Point((0, 60, 0))}
    frame = asm.Frame((0, 0, 0), "z")
    a.add("frame", grounded=True, features=ground | {"way": frame})
    a.add(
        "plate", features={"eye": asm.Point((0, 0, 40)), "way": frame}, pose=asm.Pose((20, 21, 5))
    )
    a.mate("parallel", "frame.z", "plate.z")
    a.mate("parallel", "frame.x", "plate.x")
    for name, corner in zip(("first", "second", "third"), "abc", strict=True):
        a.mate("distance", f"frame.{corner}", "plate.eye", name=name, value=60)
    return a


@pytest.mark.parametrize("name", sorted(kept()))
def test_an_edit_of_values_keeps_the_plan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, edit = kept()[name]
    edited, fresh = make(), make()
    assert asm.solve(edited)
    edit(edited), edit(fresh)
    with counting(monkeypatch) as made:
        solution = asm.solve(edited)
        assert made == [0, 0]
    same_as_fresh(solution, asm.solve(fresh))


@pytest.mark.parametrize("name", sorted(anew()))
def test_an_edit_of_what_planning_used_is_planned_anew(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, edit = anew()[name]
    edited, fresh = make(), make()
    assert asm.solve(edited)
    edit(edited), edit(fresh)
    with counting(monkeypatch) as made:
        solution = asm.solve(edited)
        assert made[0] == 1
    same_as_fresh(solution, asm.solve(fresh))


@pytest.mark.parametrize("seed", range(4))
def test_values_one_after_the_other_end_as_the_last_of_them(seed: int) -> None:
    """A plan made from a plan made from a plan; some values between hold nowhere."""
    rng = np.random.default_rng(seed)
    edited = doors()
    for gap in (*rng.uniform(400, 2400, 4), 9000.0, rng.uniform(600, 1600)):
        opening = rng.uniform(10, 60)
        edited.change("gap", value=gap)
        edited.set_driver("opening", opening)
        fresh = doors()
        fresh.change("gap", value=gap)
        fresh.set_driver("opening", opening)
        same_as_fresh(asm.solve(edited), asm.solve(fresh))
    assert edited.mates["gap"].parameters()["value"] == gap


def test_a_solution_tells_of_the_values_that_it_was_solved_for() -> None:
    a = doors()
    before = asm.solve(a)
    a.change("gap", value=1200)
    after = asm.solve(a)
    for solution, gap in ((before, 1300), (after, 1200)):
        ends = [solution.poses[f"{side} door"].apply((800, 0, 0)) for side in ("left", "right")]
        assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(gap, abs=1e-9)
        assert solution.dof == 1 and solution.plan.system.table.target.max() == gap


@pytest.mark.parametrize("seed", range(4))
def test_dimensions_one_after_the_other_end_as_the_last_of_them(seed: int) -> None:
    """A plan made from a plan made from a plan, with values in between."""
    rng = np.random.default_rng(seed)
    edited = doors()
    for _ in range(4):
        edge, pin, opening = rng.uniform(-20, 20, 2), rng.uniform(-9, 9, 2), rng.uniform(20, 50)
        fresh = doors()
        for a in (edited, fresh):
            put(a, "right door", "edge", (800 + edge[0], edge[1], 0))
            put(a, "left door", "pin", (pin[0], pin[1], 0))
            a.set_driver("opening", opening)
        same_as_fresh(asm.solve(edited), asm.solve(fresh))


def test_features_that_move_with_other_edits_between_are_as_in_a_fresh_assembly() -> None:
    """A plan over moved features is made from one before; what was edited since counts as well."""
    edits: list[Edit] = [
        lambda a: put(a, "rocker", "pin", (141.5, 0, 12)),
        lambda a: put(a, "ground", "rocker pivot", (210, 3, 0)),
        lambda a: put(a, "rocker", "pin", (139.0, 1, 12)),
        lambda a: a.set_driver("crank", 35.0),
        lambda a: (a.set_driver("crank", 52.0), put(a, "rocker", "pin", (139.5, 1, 12))),
        lambda a: a.move({"rocker": asm.Pose((205.0, 2.0, -1.0))}),
        lambda a: put(a, "coupler", "tracer", (80, 60, 12)),
        lambda a: setattr(a, "tolerance", 2e-3),
        lambda a: put(a, "ground", "rocker pivot", (200, 0, 0)),
        lambda a: put(a, "rocker", "pin", (0, 0, 12)),
        lambda a: put(a, "rocker", "pin", (140, 0, 12)),
    ]
    edited, fresh = linkage(), linkage()
    for edit in edits:
        asm.solve(edited)
        edit(edited), edit(fresh)
        same_as_fresh(asm.solve(edited), asm.solve(fresh.copy()))
    assert edited.moves.now == edited.revision


def test_the_steps_of_a_kept_plan_have_the_joints_where_the_features_are_now() -> None:
    """As they are read for the assembly modes of a loop that no dyads close."""
    a = doors()
    a.add("knob", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "left door.z", "knob.pin")
    asm.solve(a)
    a.set_feature("knob", "pin", asm.Axis((3, 1, 0), "z"))
    kept, fresh = (asm.solve(x)._result.reached.planned.plan for x in (a, a.copy()))
    assert [s.bodies for s in kept.steps] == [s.bodies for s in fresh.steps]
    placed = [pair for pair in zip(kept.steps, fresh.steps, strict=True) if pair[0].own is not None]
    assert len(placed) > 0
    for one, other in placed:
        np.testing.assert_allclose(one.at, other.at, atol=1e-12)
        np.testing.assert_allclose(one.own, other.own, atol=1e-12)


def test_a_plan_made_of_another_one_lets_it_go() -> None:
    a, plans = linkage(), []
    for k in range(4):
        put(a, "rocker", "pin", (140.0 + k, 0, 12))
        a.set_colour("rocker", "#112233")  # no edit that is noted: the plan is made of the last one
        plans.append(weakref.ref(asm.solve(a).plan))
    gc.collect()
    assert [plan() is None for plan in plans] == [True, True, True, False]


def test_a_copy_and_a_failed_edit_have_no_plan_of_other_features() -> None:
    a = linkage()
    asm.solve(a)
    put(a, "rocker", "pin", (141.5, 0, 12))
    asm.solve(a)
    other = a.copy()
    put(other, "ground", "rocker pivot", (210, 3, 0))
    with pytest.raises(asm.AssemblySolverError):
        a.set_feature("rocker", "pin", asm.Point((1, 2, 3)))
    for edited in (a, other):
        fresh = asm.read(SAMPLES / "four_bar.assembly.json")
        put(fresh, "rocker", "pin", (141.5, 0, 12))
        if edited is other:
            put(fresh, "ground", "rocker pivot", (210, 3, 0))
        same_as_fresh(asm.solve(edited), asm.solve(fresh))
        assert edited.parts["rocker"].features["pin"].frame[0] == 141.5


def test_a_solution_has_the_assembly_of_its_time_as_an_assembly_of_its_own() -> None:
    a = doors()
    asm.solve(a)
    a.set_driver("opening", 40), a.change("gap", value=1250)
    put(a, "right door", "pin", (2, 1, 0))
    first = asm.solve(a).given
    a.set_driver("opening", 50), a.change("gap", value=1300)
    put(a, "right door", "pin", (0, 0, 0))
    third = asm.solve(a).given
    first.tolerance = 1.0  # before anything of it was read
    a.set_driver("opening", 49), a.set_driver("opening", 50)
    again = asm.solve(a).given
    assert (first.tolerance, first.revision, again.revision) == (1.0, 1, 0)
    for given in (first, pickled(first), first.copy()):
        assert type(given) is asm.Assembly and given.drivers["opening"].value == 40
        assert given.mates["gap"].parameters()["value"] == 1250
        assert given.held["right hinge"].b.marker.frame[0] == 2
    for given in (third, again):
        assert (given.drivers["opening"].value, given.tolerance) == (50, doors().tolerance)
        assert given.parts["right door"].features["pin"].frame[:3] == (0, 0, 0)
    with pytest.raises(AttributeError, match="openings"):
        _ = asm.solve(a).given.openings  # type: ignore[attr-defined]


def pickled(given: asm.Assembly) -> asm.Assembly:
    """An assembly that was written and read by pickle."""
    out: asm.Assembly = pickle.loads(pickle.dumps(given))
    return out


def test_a_solution_has_the_numbers_that_were_edited_before_it_and_none_after(
    tmp_path: Path,
) -> None:
    """What only moves is copied when it is read: it is then as a copy made at the time."""
    path = tmp_path / "linkage.assembly.json"
    asm.write(linkage(), path)
    entry = json.loads(path.read_text())
    entry["parameters"] = {"length": 140.0}
    entry["parts"]["rocker"]["features"]["pin"]["axis"]["point"][0] = "=length - 0.5"
    path.write_text(json.dumps(entry))
    a = asm.read(path)
    asm.solve(a)
    edits: list[Edit] = [
        lambda a: a.set("length", 141.0),
        lambda a: a.set("length", 142.5),
        lambda a: put(a, "ground", "rocker pivot", (201, 1, 0)),
        lambda a: a.set_driver("crank", 41.0),
        lambda a: a.set("length", 139.25),
        lambda a: put(a, "ground", "rocker pivot", (202, 1, 0)),
    ]
    told, found = [], []
    for edit in edits:
        edit(a)
        told.append(dump(a.copy()))
        found.append(asm.solve(a))
    assert [dump(solution.given) for solution in found] == told
    pins = [solution.given.parts["rocker"].features["pin"].frame[0] for solution in found]
    assert pins == [140.5, 142.0, 142.0, 142.0, 138.75, 138.75]
    for solution in found:
        same_as_fresh(solution, asm.solve(solution.given))
    with pytest.raises(BadValue, match="3 numbers of at most 1e"):
        a.set("length", 2e9)
    assert (dump(a), a.parameters["length"]) == (told[-1], 139.25)


def test_parameters_that_take_turns_move_their_features_without_reading_formulas_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "linkage.assembly.json"
    asm.write(linkage(), path)
    entry = json.loads(path.read_text())
    entry["parameters"] = {"length": 140.0, "rise": 1.0}
    entry["parts"]["rocker"]["features"]["pin"]["axis"]["point"][:2] = ["=length", "=rise - 1"]
    path.write_text(json.dumps(entry))
    a = asm.read(path)
    for name, value in {"length": 141.0, "rise": 1.5}.items():
        a.set(name, value)
        asm.solve(a)
    monkeypatch.setattr(asm.Assembly, "_told", None)
    for name, value in [("length", 142.0), ("rise", 2.0), ("length", 141.5), ("rise", 1.25)]:
        a.set(name, value)
        found = asm.solve(a)
    assert a.parts["rocker"].features["pin"].frame[:2] == (141.5, 0.25)
    same_as_fresh(found, asm.solve(asm.read(path, set={"length": 141.5, "rise": 1.25})))
    asm.write(a, path)
    pin = json.loads(path.read_text())["parts"]["rocker"]["features"]["pin"]["axis"]
    assert pin["point"][:2] == ["=length", "=rise - 1"]


def test_edits_of_what_a_solution_was_given_reach_no_other_solution() -> None:
    a = doors()
    first, second = asm.solve(a), asm.solve(a)
    first.given.set_driver("opening", 40), first.given.change("gap", value=1250)
    a.set_driver("opening", 40)  # as in the copy that was edited, but in nothing that was solved
    third = asm.solve(a)
    assert second.given.drivers["opening"].value == doors().drivers["opening"].value
    assert third.given.mates["gap"] == second.given.mates["gap"] == doors().mates["gap"]
    fresh = doors()
    fresh.set_driver("opening", 40)
    same_as_fresh(third, asm.solve(fresh))
    third.given.tolerance = 1.0
    assert asm.solve(a).given.tolerance == doors().tolerance


def test_copies_and_pickles_keep_no_plan() -> None:
    a = asm.read(SAMPLES / "four_bar.assembly.json")
    asm.solve(a)
    assert a.kept is not None
    for other in (a.copy(), copy.copy(a), copy.deepcopy(a), pickled(a)):
        assert other.kept is None
        assert asm.solve(other)


def test_a_solve_adds_no_attribute_that_a_copy_by_another_thread_would_meet() -> None:
    """It raised that a dictionary changed its size."""
    a = asm.read(SAMPLES / "four_bar.assembly.json")
    before = [*vars(a)]
    assert asm.solve(a).outcome is asm.Outcome.SOLVED
    assert [*vars(a)] == before == [*vars(pickled(a))] == [*vars(a.copy())]
