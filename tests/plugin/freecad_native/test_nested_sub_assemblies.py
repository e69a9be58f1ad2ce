"""A sub-assembly in a sub-assembly: as one part, flexible, and flexible two deep.

FreeCAD 1.0 copies the joints of a flexible sub-assembly and leaves one that refers into a further
sub-assembly without its part: its own solve passes over it without a word.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from making import AWRY, Bench, all_numbers

import assembly_solver as asm

CLOSE = 1e-8
"""mm and share of a unit vector, as in test_native_joints."""

Maker = Callable[[str], Bench]


@pytest.fixture(params=["one document", "a document each"])
def maker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Maker]:
    """Makes assemblies by name, the last one made being the whole."""
    first: list[Bench] = []

    def make(name: str) -> Bench:
        if not first or request.param == "a document each":
            first.append(Bench(name))
            first[-1].document.saveAs(str(tmp_path / "work" / f"{name}.FCStd"))
            return first[-1]
        made = Bench.__new__(Bench)
        made.document = first[0].document
        made.assembly = made.document.addObject("Assembly::AssemblyObject", name)
        made.joints = made.assembly.newObject("Assembly::JointGroup", f"{name}Joints")
        return made

    (tmp_path / "work").mkdir()
    yield make
    for name in [*FreeCAD.listDocuments()]:
        FreeCAD.closeDocument(name)


def linked(bench: Bench, other: Bench, name: str) -> Any:
    """A sub-assembly of one assembly in another."""
    found = bench.assembly.newObject("Assembly::AssemblyLink", name)
    found.LinkedObject = other.assembly
    bench.document.recompute()
    return found


def first_link(container: Any) -> str:
    return next(o.Name for o in container.Group if o.TypeId == "App::Link")


@pytest.fixture
def whole(maker: Maker) -> tuple[Bench, Any]:
    """A base with a slide on it, on that a hinge: each in a sub-assembly of its own."""
    hinge = maker("Hinge")
    hinge.box("A"), hinge.box("B")
    hinge.ground(hinge.assembly.Group[1])
    names = [o.Name for o in hinge.assembly.Group if o.TypeId == "Part::Box"]
    ends = [f"{name}.Face6 {name}.Vertex7" for name in names]
    hinge.joint("Revolute", *ends, "Turn")
    slide = maker("Slide")
    rail = slide.box("Rail")
    slide.ground(rail)
    inner = linked(slide, hinge, "Carriage")
    part = f"{inner.Name}.{first_link(inner)}"
    slide.joint(
        "Slider", f"{rail.Name}.Face6 {rail.Name}.Vertex7", f"{part}.Face5 {part}.Vertex1", "Way"
    )
    top = maker("Machine")
    base = top.box("Base")
    top.ground(base)
    outer = linked(top, slide, "Unit")
    part = f"{outer.Name}.{first_link(outer)}"
    top.joint(
        "Fixed", f"{base.Name}.Face6 {base.Name}.Vertex7", f"{part}.Face5 {part}.Vertex1", "Weld"
    )
    return top, outer


def flexible(bench: Bench, sub: Any) -> Any:
    """Make a sub-assembly flexible; the one that is in it."""
    sub.Rigid = False
    bench.document.recompute()
    return next((o for o in sub.Group if o.TypeId == "Assembly::AssemblyLink"), None)


def along(live: asf.Live) -> tuple[float, float]:
    """How far the hinge's first part is beside the way of the slide, and how much it is turned."""
    first = next(n for n in live.parts if n.startswith("A"))
    rail = next(n for n in live.parts if n.startswith("Rail"))
    seen = live.parts[rail].Placement.inverse().multiply(live.parts[first].Placement)
    corner = seen.multVec(FreeCAD.Vector(0, 0, 0)) - FreeCAD.Vector(10, 20, 30)
    return float(FreeCAD.Vector(corner.x, corner.y, 0).Length), abs(seen.Rotation.Q[3])


def scatter(live: asf.Live) -> None:
    for name, part in live.parts.items():
        if not live.assembly.parts[name].grounded:
            part.Placement = AWRY.multiply(part.Placement)


def test_a_rigid_one_moves_as_one_part(whole: tuple[Bench, Any]) -> None:
    top, outer = whole
    outer.Placement = AWRY
    found = asf.solve(top.assembly).require()
    assert found.dof == 0 and outer.Name in {o.Name for o in asf.read(top.assembly).parts.values()}


def test_flexible_ones_move_by_their_joints_at_each_depth(whole: tuple[Bench, Any]) -> None:
    top, outer = whole
    inner = flexible(top, outer)
    assert asf.diagnose(top.assembly).dof == 1 and not asf.diagnose(top.assembly).left_out
    flexible(top, inner)
    live = asf.read(top.assembly)
    scatter(live)
    assert along(live)[0] > 1.0
    found = asf.solve(top.assembly).require()
    assert found.dof == 2 and {m.kind for m in found.mates} == {"fixed", "prismatic", "revolute"}
    off, cosine = along(asf.read(top.assembly))
    assert off < CLOSE and cosine == pytest.approx(1.0, abs=CLOSE)


def test_files_say_the_same_also_where_they_were_moved(
    whole: tuple[Bench, Any], tmp_path: Path
) -> None:
    top, outer = whole
    flexible(top, flexible(top, outer))
    asf.solve(top.assembly).require()
    document = top.document
    name, title = top.assembly.Name, Path(document.FileName).name
    for other in [*FreeCAD.listDocuments().values()]:
        other.save()
    for opened in [*FreeCAD.listDocuments()]:
        FreeCAD.closeDocument(opened)
    moved = tmp_path / "elsewhere"
    shutil.move(str(tmp_path / "work"), moved)
    stored = asm.diagnose(asm.read(f"{moved / title}#{name}"))
    assert (stored.dof, stored.left_out) == (2, {})
    document = FreeCAD.openDocument(str(moved / title))
    before = all_numbers(document)
    again = asf.solve(document.getObject(name)).require()
    assert (again.dof, all_numbers(document)) == (2, before)
