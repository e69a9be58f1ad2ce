"""Named positions and assembly modes, kept in the document and taken again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from links import made

import assembly_solver as asm


@pytest.fixture
def links() -> Iterator[Any]:
    """A four-bar, solved."""
    document = made("Links")
    asf.solve(document).require()
    yield document
    FreeCAD.closeDocument(document.Name)


def placed(document: Any) -> dict[str, tuple[float, ...]]:
    objects = (document.getObject(n) for n in ("crank", "rocker", "bar"))
    return {o.Name: (*o.Placement.Base, *o.Placement.Rotation.Q) for o in objects}


def off(one: dict[str, tuple[float, ...]], two: dict[str, tuple[float, ...]]) -> float:
    return max(abs(a - b) for n in one for a, b in zip(one[n], two[n], strict=True))


def test_a_position_is_kept_by_the_joints_that_move_and_taken_in_one_step(links: Any) -> None:
    asf.drive(links, "motor", 70).require()
    there, undo = placed(links), links.UndoCount
    kept = asf.keep_position(links, "open")
    assert ({k: round(v, 9) for k, v in kept.values.items()}, links.UndoCount - undo) == (
        {"motor.angle": 70.0},
        1,
    )
    asf.drive(links, "motor", 20).require()
    links.getObjectsByLabel("motor")[0].Label = "drive"
    assert list(asf.positions(links)["open"].values) == ["drive.angle"]
    undo = links.UndoCount
    assert asf.take_position(links, "open")
    assert off(placed(links), there) < 1e-9
    assert (links.UndoCount - undo, links.UndoNames[0]) == (1, "Position open")


def test_positions_are_saved_with_the_document_and_deleted(links: Any, tmp_path: Any) -> None:
    for value in (30, 50):
        asf.drive(links, "motor", value).require()
        asf.keep_position(links, f"at {value}")
    asf.drop_position(links, "at 30")
    file = str(tmp_path / "Links.FCStd")
    links.saveCopy(file)
    again = FreeCAD.openDocument(file)
    found = asf.positions(again)
    FreeCAD.closeDocument(again.Name)
    assert list(found) == ["at 50"]
    assert found["at 50"].values["motor.angle"] == pytest.approx(50.0, abs=1e-9)
    with pytest.raises(asm.AssemblySolverError, match="no position 'at 30'; did you mean 'at 50'"):
        asf.take_position(links, "at 30")


def test_a_position_of_a_joint_that_is_gone_says_so(links: Any) -> None:
    asf.keep_position(links, "here")
    joint = links.getObjectsByLabel("motor")[0]
    name, before = joint.Name, placed(links)
    links.removeObject(name)
    with pytest.raises(asf.JointGone, match=f"position here: {name} is not there any more"):
        asf.take_position(links, "here")
    assert placed(links) == before


def test_loops_close_in_another_way_at_the_same_angle_of_the_crank(links: Any) -> None:
    asf.drive(links, "motor", 70).require()
    before, undo = placed(links), links.UndoCount
    ways = asf.modes(links)
    (here,) = [way for way in ways if way.here]
    (other,) = [way for way in ways if not way.here]
    assert here.complete and {here.name, other.name} == {"+", "-"}
    asf.keep_position(links, "this way")
    assert asf.take_mode(links, other.name).mode == other.name
    after = placed(links)
    assert (after["crank"], links.UndoNames[0]) == (before["crank"], f"Close as {other.name}")
    assert off(after, before) > 1.0
    assert asf.take_position(links, "this way")  # with the way in which its loop was closed
    assert off(placed(links), before) < 1e-9
    assert links.UndoCount - undo == 3


def test_a_position_of_another_assembly_is_kept_if_the_joints_can_have_it(links: Any) -> None:
    given = asm.Position("open", {"motor": 70})
    assert asf.keep_position(links, "wide", given).values == {"motor": 70.0}
    assert asf.positions(links)["wide"].values == {"motor.angle": 70.0}
    assert asf.take_position(links, "wide")
    assert asm.standing(asf.read(links).assembly).values["motor.angle"] == pytest.approx(70.0)
    with pytest.raises(asm.AssemblySolverError, match="no driver 'moter'; did you mean 'motor'"):
        asf.keep_position(links, "no", asm.Position("no", {"moter": 1}))
    assert list(asf.positions(links)) == ["wide"]


def test_positions_go_out_into_an_assembly_file(links: Any, tmp_path: Any) -> None:
    asf.keep_position(links, "here")
    file = tmp_path / "links.assembly.json"
    asm.write(asf.read(links).assembly, file)
    again = asm.read(file)
    assert again.positions["here"] == asf.positions(links)["here"]
    mode = again.take_position("here").mode
    assert mode is not None and asm.solve(again, mode=mode)


def test_the_console_is_offered_the_public_names_and_a_wrong_call_says_what_there_is(
    links: Any,
) -> None:
    assert {"solve", "drive", "mate", "keep_position"} <= set(dir(asf))
    with pytest.raises(asm.AssemblySolverError, match=r"^sweep: too many positional arguments; it"):
        asf.sweep(links, "motor", 0, 90, 30)
