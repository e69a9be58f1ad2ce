"""Whole documents: chains, contradictions, undo, nested parts, links, other documents."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from FreeCAD import Placement, Rotation, Vector
from making import AWRY, NEWER, Bench, all_numbers, numbers, off, seen, turned

EXAMPLE = Path.home() / "AssemblyExample.FCStd"
"""Where ../test_freecad_native.py puts it, for this may run in a root of its own."""
CLOSE = 1e-8
"""mm and share of a unit vector, as in test_native_joints."""


def chain(bench: Bench, count: int) -> list[Any]:
    """Bars of 100 mm from pin to pin, hinged end to end about z; the first is grounded."""
    joints: list[Any] = []
    for k in range(count):
        bar = bench.box(f"Bar{k}", (110, 10, 5))
        bar.Placement = Placement(Vector(100 * k, 0, 5 * (k % 2)), Rotation())
    bench.ground(bench.document.Bar0)
    for k in range(count - 1):
        own, next_ = (6, 5) if k % 2 == 0 else (5, 6)  # above its neighbour, or below
        joint = pinned(bench, f"Bar{k}.Face{own}", f"Bar{k + 1}.Face{next_}", f"Hinge {k}")
        joint.Placement1 = Placement(Vector(105, 5, 5 if own == 6 else 0), Rotation())
        joint.Placement2 = Placement(Vector(5, 5, 5 if next_ == 6 else 0), Rotation())
        joints.append(joint)
    return joints


def pinned(bench: Bench, one: str, two: str, label: str, kind: str = "Revolute") -> Any:
    """A joint whose coordinate systems are put where a test wants them."""
    return bench.joint(kind, one, two, label, Detach1=True, Detach2=True)


def scatter(parts: list[Any]) -> None:
    """Each 20 mm and 20 degrees away, in another direction."""
    for k, part in enumerate(parts):
        away = Rotation(Vector(0, 0, 1), 137 * k).multVec(Vector(16, 0, 12))
        turn = Rotation(Vector(3 + k % 4, -k % 5, 1 + k % 3), 20)
        part.Placement = Placement(away, turn).multiply(part.Placement)


@pytest.mark.parametrize("count", [10, 50, 100])
def test_a_scattered_chain_of_hinges_is_put_together(bench: Bench, count: int) -> None:
    joints = chain(bench, count)
    scatter([bench.document.getObject(f"Bar{k}") for k in range(1, count)])
    assert max(map(off, joints)) > 10.0
    ground = numbers(bench.document.Bar0.Placement)
    found = asf.solve(bench.document).require()
    assert max(map(off, joints)) < CLOSE
    assert numbers(bench.document.Bar0.Placement) == ground and found.dof == count - 1


def test_contradictory_hinges_are_named_and_nothing_is_moved(bench: Bench) -> None:
    """Pins 100 mm apart on one bar and 80 mm on the other."""
    one, two = bench.box("One", (120, 10, 5)), bench.box("Two", (120, 10, 5))
    bench.ground(one)
    two.Placement = Placement(Vector(3, 20, 8), Rotation(5, 0, 0))
    for label, a, b in (("Left", 5, 5), ("Right", 105, 85)):
        joint = pinned(bench, "One.Face6", "Two.Face5", label)
        joint.Placement1 = Placement(Vector(a, 5, 5), Rotation())
        joint.Placement2 = Placement(Vector(b, 5, 0), Rotation())
    before = all_numbers(bench.document)
    found = asf.solve(bench.document)
    assert found.outcome.name == "CONFLICTING" and not found
    assert {name for c in found.conflicts for name in c["mates"]} == {"Left", "Right"}
    assert "20" in found.explanation
    assert all_numbers(bench.document) == before
    assert bench.document.UndoCount == 0 or "Solve assembly" not in bench.document.UndoNames


def test_fixed_joints_at_two_heights_contradict_each_other(bench: Bench) -> None:
    one, two = bench.box("One"), bench.box("Two")
    bench.ground(one)
    for label, height in (("Low", 0), ("High", 7)):
        joint = pinned(bench, "One.Face6", "Two.Face6", label, "Fixed")
        joint.Placement1 = Placement(Vector(0, 0, height), Rotation())
        joint.Placement2 = Placement()
    two.Placement = AWRY
    before = all_numbers(bench.document)
    found = asf.solve(bench.document)
    assert found.conflicts[0]["mates"] == ["Low", "High"] and "7" in found.explanation
    assert all_numbers(bench.document) == before


def test_two_grounded_parts_are_never_moved(bench: Bench) -> None:
    one, two = bench.box("One"), bench.box("Two")
    two.Placement = AWRY
    bench.ground(one), bench.ground(two)
    bench.joint("Fixed", "One.Face6 One.Vertex7", "Two.Face6 Two.Vertex7", "Weld")
    two.Placement = AWRY
    before = all_numbers(bench.document)
    found = asf.solve(bench.document)
    assert found.outcome.name == "CONFLICTING" and "Weld" in found.explanation
    assert all_numbers(bench.document) == before


def test_a_joint_that_is_there_twice_is_solved_and_told_as_redundant(bench: Bench) -> None:
    one, two = bench.box("One"), bench.box("Two")
    bench.ground(one)
    pair = [
        bench.joint("Revolute", "One.Face6 One.Vertex7", "Two.Face6 Two.Vertex7", label)
        for label in ("Hinge", "Again")
    ]
    two.Placement = AWRY
    found = asf.solve(bench.document).require()
    assert max(map(off, pair)) < CLOSE
    assert (found.dof, found.redundant_equations) == (1, 5)
    assert set(found.redundant[0]["mates"]) == {"Hinge", "Again"}


def test_the_example_of_freecad_is_solved_back_from_where_its_parts_were_scattered() -> None:
    document = FreeCAD.openDocument(str(EXAMPLE))
    try:
        live = asf.read(document)
        joints = [j for j in live.joints.values() if j.JointType != "Distance"]
        assert max(map(off, joints)) < 1e-5  # as FreeCAD saved it
        own = live.assembly.parts
        scatter([part for name, part in live.parts.items() if not own[name].grounded])
        assert max(map(off, joints)) > 10.0
        found = asf.solve(document).require()
        assert max(map(off, joints)) < CLOSE
        assert (len(found.mates), found.dof) == (16, 4)
    finally:
        FreeCAD.closeDocument(document.Name)


def test_a_solve_is_one_undo_step_and_diagnosing_is_none(bench: Bench) -> None:
    chain(bench, 4)
    bars = [bench.document.getObject(f"Bar{k}") for k in range(1, 4)]
    bench.document.openTransaction("scatter")
    scatter(bars)
    bench.document.commitTransaction()
    scattered, steps = all_numbers(bench.document), bench.document.UndoCount
    asf.diagnose(bench.document)
    asf.sweep(bench.document, "Hinge 1", 0.0, 20.0, steps=4)
    assert (all_numbers(bench.document), bench.document.UndoCount) == (scattered, steps)
    asf.solve(bench.document).require()
    assert bench.document.UndoNames[0] == "Solve assembly"
    assert bench.document.UndoCount == steps + 1
    bench.document.undo()
    assert all_numbers(bench.document) == scattered


def test_a_solve_that_moves_nothing_leaves_no_undo_step_open(bench: Bench) -> None:
    """What the user does next would be part of it."""
    chain(bench, 2)
    asf.solve(bench.document).require()
    assert FreeCAD.getActiveTransaction() is None
    bench.box("Later")
    assert not bench.document.HasPendingTransaction and bench.document.UndoCount == 0


def test_a_solve_of_what_holds_touches_nothing(bench: Bench) -> None:
    chain(bench, 4)
    bench.document.recompute()
    asf.solve(bench.document).require()
    scatter([bench.document.Bar2])
    bench.document.Bar2.purgeTouched()
    asf.solve(bench.document).require()
    before = all_numbers(bench.document)
    asf.solve(bench.document).require()
    assert all_numbers(bench.document) == before
    steps = bench.document.UndoCount
    bench.document.Bar2.Label = "Second"
    assert (bench.document.UndoCount, bench.document.HasPendingTransaction) == (steps, False)
    bars = [o for o in bench.document.Objects if o.Name.startswith("Bar")]
    assert [o.Name for o in bars if "Touched" in o.State] == []


def test_what_goes_wrong_while_parts_are_placed_is_taken_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain(bench, 4)
    scatter([bench.document.Bar1, bench.document.Bar3])
    module = inspect.unwrap(asf.read).__globals__
    before, put = all_numbers(bench.document), module["_put"]

    def failing(part: Any, placement: Any) -> None:
        if part.Name == "Bar3" and numbers(part.Placement) == before["Bar3"]:
            raise RuntimeError("no")
        put(part, placement)

    monkeypatch.setitem(module, "_put", failing)
    with pytest.raises(RuntimeError, match="no"):
        asf.solve(bench.document)
    assert all_numbers(bench.document) == before


def test_a_hinge_is_driven_by_its_label_and_others_are_held(bench: Bench) -> None:
    joints = chain(bench, 4)
    asf.solve(bench.document).require()
    found = asf.drive(bench.document, "Hinge 1", 25.0, holding={"Hinge 0": 10.0, "Hinge 2": -15.0})
    assert found.require().dof_left == 0
    assert [turned(j) for j in joints] == pytest.approx([10.0, 25.0, -15.0], abs=CLOSE)


def test_a_joint_that_cannot_move_is_told_with_those_that_can(bench: Bench) -> None:
    base = bench.box("Base")
    bench.box("Part"), bench.box("Lid")
    bench.ground(base)
    bench.joint("Fixed", "Base.Face6 Base.Vertex7", "Part.Face5 Part.Vertex5", "Weld")
    bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Lid.Face5 Lid.Vertex5", "Hinge")
    said = "Weld has no value, and no one axis .*; these can be driven: Hinge"
    with pytest.raises(asf.NotDriven, match=said):
        asf.drive(bench.document, "Weld", 5.0)


def test_a_label_that_is_not_there_is_told_with_those_that_are(bench: Bench) -> None:
    chain(bench, 3)
    with pytest.raises(KeyError, match="did you mean 'Hinge 1'"):
        asf.drive(bench.document, "Hinge1", 5.0)


def test_a_joint_that_both_turns_and_slides_is_asked_which(bench: Bench) -> None:
    base = bench.box("Base")
    bench.box("Part")
    bench.ground(base)
    joint = bench.joint("Cylindrical", "Base.Face6 Base.Vertex7", "Part.Face5 Part.Vertex5", "Rod")
    said = 'Rod can both turn and slide; name the coordinate, "angle" or "length"'
    with pytest.raises(asf.WhichCoordinate, match=said):
        asf.drive(bench.document, "Rod", 5.0)
    asf.drive(bench.document, "Rod", 5.0, "length").require()
    assert abs(seen(joint).Base.z - 5.0) < CLOSE


def test_a_check_follows_the_joints_that_are_limited_on_both_sides(bench: Bench) -> None:
    base = bench.box("Base")
    bench.box("Part")
    bench.ground(base)
    both = {"EnableAngleMin": True, "AngleMin": -30.0, "EnableAngleMax": True, "AngleMax": 60.0}
    bench.joint("Revolute", "Base.Face6 Base.Vertex7", "Part.Face5 Part.Vertex5", "Lid", **both)
    asf.solve(bench.document).require()
    before = all_numbers(bench.document)
    report = asf.check(bench.document)
    assert [s.driver for s in report.studies] == ["Lid"] and report
    assert all_numbers(bench.document) == before


# -------------------------------------------------------------------------- what documents hold
def test_a_part_in_nested_containers_moves_as_the_outermost_one(bench: Bench) -> None:
    base = bench.box("Base")
    bench.ground(base)
    outer = bench.assembly.newObject("App::Part", "Outer")
    inner = outer.newObject("App::Part", "Inner")
    inner.Placement = Placement(Vector(5, 6, 7), Rotation(Vector(1, 0, 0), 30))
    box = bench.box("Deep", inside=inner)
    box.Placement = Placement(Vector(-3, 0, 2), Rotation(Vector(0, 1, 0), 10))
    deep = "Outer.Inner.Deep.Face6 Outer.Inner.Deep.Vertex7"
    joint = bench.joint("Fixed", "Base.Face6 Base.Vertex7", deep)
    outer.Placement = AWRY
    kept = numbers(inner.Placement), numbers(box.Placement)
    asf.solve(bench.document).require()
    assert off(joint) < CLOSE and list(asf.read(bench.document).parts) == ["Base", "Outer"]
    assert (numbers(inner.Placement), numbers(box.Placement)) == kept


def test_links_to_another_document_and_copies_of_a_link_move_one_by_one(
    bench: Bench, tmp_path: Path
) -> None:
    other = FreeCAD.newDocument("Library")
    part = other.addObject("App::Part", "Bracket")
    solid = part.newObject("Part::Box", "Solid")
    solid.Placement = Placement(Vector(4, 5, 6), Rotation(Vector(0, 0, 1), 40))
    other.recompute()
    other.saveAs(str(tmp_path / "library.FCStd"))
    bench.document.saveAs(str(tmp_path / "main.FCStd"))
    FreeCAD.setActiveDocument(bench.document.Name)
    base = bench.box("Base")
    bench.ground(base)
    one = bench.assembly.newObject("App::Link", "One")
    one.setLink(part)
    many = bench.assembly.newObject("App::Link", "Many")
    many.setLink(part)
    many.ElementCount = 2
    copies = many.ElementList
    inner = f"Many.{copies[1].Name}.Solid"
    single = "One.Solid.Face6 One.Solid.Vertex7"
    joints = [
        bench.joint("Fixed", "Base.Face6 Base.Vertex7", single, "Single"),
        bench.joint("Ball", "Base.Face1 Base.Vertex1", f"{inner}.Face6 {inner}.Vertex7", "Copy"),
    ]
    one.Placement, copies[1].Placement = AWRY, AWRY
    found = asf.solve(bench.document).require()
    assert found.left_out == {} and max(map(off, joints)) < CLOSE
    assert numbers(part.Placement) == numbers(Placement())


def test_rigid_and_flexible_sub_assemblies(bench: Bench) -> None:
    """A hinge inside moves only in a flexible one, where its joint counts with the others."""
    outer, joints = bench.assembly, bench.joints
    inner = bench.assembly = bench.document.addObject("Assembly::AssemblyObject", "Inner")
    bench.joints = inner.newObject("Assembly::JointGroup", "InnerJoints")
    for name in ("A", "B"):
        bench.box(name)
    bench.joint("Revolute", "A.Face6 A.Vertex7", "B.Face6 B.Vertex7", "Inside")
    bench.assembly, bench.joints = outer, joints
    bench.document.recompute()
    base = bench.box("Base")
    bench.ground(base)
    link = bench.assembly.newObject("Assembly::AssemblyLink", "Sub")
    link.LinkedObject = inner
    bench.document.recompute()
    names = [o.Name for o in link.Group if o.TypeId == "App::Link"]
    assert len(names) == 2
    inside = f"Sub.{names[0]}.Face6 Sub.{names[0]}.Vertex7"
    joint = bench.joint("Fixed", "Base.Face6 Base.Vertex7", inside)
    link.Placement = AWRY
    assert list(asf.read(bench.assembly).parts) == ["Base", "Sub"]
    asf.solve(bench.assembly).require()
    assert off(joint) < CLOSE
    link.Rigid = False
    bench.document.recompute()
    live = asf.read(bench.assembly)
    assert len(live.parts) == 3 and "Sub" not in live.parts
    assert {m.kind for m in live.assembly.mates.values()} == {"revolute", "fixed"}
    live.parts[max(live.parts)].Placement = AWRY
    found = asf.solve(bench.assembly).require()
    assert max(map(off, live.joints.values())) < CLOSE and found.dof == 1


def test_one_of_several_assemblies_is_asked_for_by_its_object(bench: Bench) -> None:
    second = bench.document.addObject("Assembly::AssemblyObject", "Second")
    second.Label = "Gearbox"
    box = bench.box("Alone", inside=second)
    assert [a.Label for a in asf.assemblies(bench.document)] == ["Assembly", "Gearbox"]
    with pytest.raises(ValueError, match=r"several assemblies: Assembly, Second \(Gearbox\)"):
        asf.solve(bench.document)
    assert list(asf.read(second).parts.values()) == [box]


def test_what_is_no_document_is_told(bench: Bench) -> None:
    with pytest.raises(ValueError, match="'Bench' is no document and no assembly in one"):
        asf.solve("Bench")


def test_an_assembly_that_is_moved_and_in_a_container_is_solved_in_itself(bench: Bench) -> None:
    whole = bench.document.addObject("App::Part", "Machine")
    whole.addObject(bench.assembly)
    whole.Placement, bench.assembly.Placement = AWRY, AWRY
    base, part = bench.box("Base"), bench.box("Part")
    bench.ground(base)
    joint = bench.joint("Fixed", "Base.Face6 Base.Vertex7", "Part.Face2 Part.Vertex7")
    for key in () if NEWER else ("Reference1", "Reference2"):
        names = [f"Assembly.{path}" for path in getattr(joint, key)[1]]
        setattr(joint, key, (whole, names))
    part.Placement = AWRY
    asf.solve(bench.document).require()
    assert off(joint) < CLOSE and numbers(base.Placement) == numbers(Placement())


def test_a_joint_whose_part_was_deleted_is_named_and_nothing_moves(bench: Bench) -> None:
    base, part, other = bench.box("Base"), bench.box("Part"), bench.box("Other")
    bench.ground(base)
    bench.joint("Fixed", "Base.Face6 Base.Vertex7", "Part.Face6 Part.Vertex7", "Lost")
    bench.joint("Fixed", "Base.Face6 Base.Vertex7", "Other.Face6 Other.Vertex7", "Kept")
    other.Placement = AWRY
    bench.document.removeObject(part.Name)
    with pytest.raises(
        asf.NotHeld,
        match=r"nothing was moved, .*: Lost: (there is no object|it has no reference 2)",
    ):
        asf.solve(bench.document)
    assert numbers(other.Placement) == numbers(AWRY)


def test_the_origin_of_an_assembly_stands_still(bench: Bench) -> None:
    box = bench.box("Box")
    origin = bench.assembly.Origin
    axis = next(o for o in origin.OriginFeatures if "Z_Axis" in o.Name)
    joint = bench.joint("Parallel", f"{origin.Name}.{axis.Name}.", "Box.Face6 Box.Vertex7")
    box.Placement = AWRY
    found = asf.solve(bench.document).require()
    assert off(joint) < CLOSE and found.grounded == [origin.Label]
