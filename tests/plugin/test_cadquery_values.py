"""Constraints of CadQuery edited in place: the next solve equals that of a fresh assembly."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm

cq = pytest.importorskip("cadquery")

import assembly_solver_cadquery as mates  # noqa: E402
from assembly_solver_cadquery.places import pose_of  # noqa: E402

BOX = cq.Workplane().box(10, 20, 30)
PLATE = cq.Workplane().box(8, 8, 2).faces(">Z").workplane().hole(3)
THROWN = cq.Location((13, -8, 26), (1, 2, 3), 40)
EDGE, CORNER = "a@edges@|Z and >X and >Y", "b@vertices@>X and >Y and >Z"

Change = Callable[[Any], None]
FIRST: dict[str, tuple[Any, ...]] = {
    "Plane": ("a@faces@>Z", "b@faces@<Z", "Plane"),
    "Axis": ("a@faces@>Z", "b@faces@<Z", "Axis", 10.0),
    "Point": ("a@faces@>Z", "b@faces@<Z", "Point", 4.0),
    "PointInPlane": (CORNER, "a@faces@>X", "PointInPlane", 1.0),
    "PointOnLine": (CORNER, EDGE, "PointOnLine", 2.0),
    "FixedPoint": ("b", "FixedPoint", (1.0, 2.0, 30.0)),
    "FixedAxis": ("b@faces@>Z", "FixedAxis", (0.0, 0.0, 1.0)),
    "FixedRotation": ("b", "FixedRotation", (0.0, 10.0, 0.0)),
}
"""A constraint of every kind that has a parameter or shapes."""


def told(kind: str) -> Any:
    """Two parts with one constraint of a kind, the first part fixed."""
    plate = cq.Workplane(PLATE.val().copy())  # shapes are moved in place below
    assy = cq.Assembly(name="two").add(BOX, name="a").add(plate, name="b", loc=THROWN)
    return assy.constrain("a", "Fixed").constrain(*FIRST[kind])


def another_param(kind: str) -> Change:
    """Another parameter, as CadQuery stores it: angles of an axis in rad."""
    to: dict[str, Any] = {
        "Plane": 30.0,
        "Axis": 0.5,
        "Point": 9.0,
        "PointInPlane": -2.5,
        "PointOnLine": 0.5,
        "FixedPoint": (4.0, -3.0, 28.0),
        "FixedAxis": (0.0, 3.0, 4.0),
        "FixedRotation": (0.3, -0.2, 0.6),
    }
    return lambda assy: setattr(assy.constraints[1], "param", to[kind])


def another_shape(assy: Any) -> None:
    """The constrained face, edge or vertex of the second part becomes another one."""
    c = assy.constraints[1]
    k = c.objects.index("b")
    shape = c.args[k]
    others = {"Face": PLATE.faces("<X"), "Vertex": PLATE.vertices("<X and <Y and <Z")}
    other = others.get(shape.ShapeType(), PLATE.faces("<X"))
    c.args = (*c.args[:k], other.val(), *c.args[k + 1 :])


def another_place(assy: Any) -> None:
    """The constrained shape is inside a sub-assembly that stands elsewhere."""
    c = assy.constraints[1]
    k = c.objects.index("b")
    c.sublocs = (*c.sublocs[:k], cq.Location((1, 2, 3), (0, 0, 1), 30), *c.sublocs[k + 1 :])


def moved_shape(assy: Any) -> None:
    """The shape itself is moved in place."""
    c = assy.constraints[1]
    c.args[c.objects.index("b")].move(cq.Location((0.5, 0, 1)))


def other_parts(assy: Any) -> None:
    """Both ends exchange their parts."""
    c = assy.constraints[1]
    c.objects, c.args = c.objects[::-1], c.args[::-1]


def edits() -> Iterator[Any]:
    for kind in FIRST:
        yield pytest.param(kind, another_param(kind), id=f"{kind} param")
        yield pytest.param(kind, another_place, id=f"{kind} subloc")
        if "Rotation" not in kind:
            yield pytest.param(kind, another_shape, id=f"{kind} shape")
            yield pytest.param(kind, moved_shape, id=f"{kind} moved shape")
    for kind in ("Plane", "Axis", "Point"):
        yield pytest.param(kind, other_parts, id=f"{kind} ends")
    yield pytest.param("Plane", lambda a: setattr(a.constraints[1], "kind", "Point"), id="kind")
    yield pytest.param("Point", lambda a: a.constraints.pop(), id="removed")


def poses(assy: Any) -> Any:
    return np.array([pose_of(assy.objects[name].loc).frame for name in "ab"])


def solved(assy: Any, by: str) -> Any:
    if by == "use":
        with mates.use():
            assy.solve()
    else:
        mates.solve(assy).require()
    return poses(assy)


@pytest.mark.parametrize("by", ["use", "mates"])
@pytest.mark.parametrize(("kind", "change"), list(edits()))
def test_an_edit_between_two_solves_equals_a_fresh_assembly(
    kind: str, change: Change, by: str
) -> None:
    edited = told(kind)
    before = solved(edited, by)
    fresh = told(kind)
    for name in "ab":
        fresh.objects[name].loc = edited.objects[name].loc
    change(edited)
    change(fresh)
    if by == "use" and len(edited.constraints) < 2:
        with pytest.raises(ValueError, match="nothing to solve"):
            solved(edited, by)
        return
    assert np.array_equal(solved(edited, by), solved(fresh, by))
    if change in (another_place, another_shape, moved_shape, other_parts):
        return
    assert not np.allclose(before, poses(edited), atol=1e-3) or kind != edited.constraints[-1].kind


@pytest.mark.parametrize("kind", list(FIRST))
def test_an_unchanged_constraint_keeps_what_was_made(kind: str) -> None:
    from assembly_solver_cadquery.kept import whole

    assy = told(kind)
    solved(assy, "mates")
    made = whole(assy)
    solved(assy, "mates")
    assert whole(assy) is made
    c = assy.constraints[1]
    c.param = copy.copy(c.param)
    assert whole(assy) is made


def test_a_contradiction_names_the_queries() -> None:
    assy = cq.Assembly(name="three").add(BOX, name="FIRST").add(PLATE, name="b", loc=THROWN)
    assy.constrain("FIRST@faces@>Y", "b@faces@<Z", "Plane")
    assy.constrain("FIRST@faces@<Y", "b@faces@%CYLINDER", "Point")
    with mates.use(), pytest.raises(asm.Unsolved) as caught:
        assy.solve()
    names = ["Plane FIRST@faces@>Y - b@faces@<Z", "Point FIRST@faces@<Y - b@faces@%CYLINDER"]
    assert mates.solve(assy).conflicts[0]["mates"] == names
    assert all(name in str(caught.value) for name in names)
    again = copy.deepcopy(assy)
    assert mates.solve(again).conflicts[0]["mates"] == names


def test_queries_of_nested_parts_tags_and_lone_shapes_are_found() -> None:
    inner = cq.Assembly(name="inner").add(PLATE.faces(">Z").tag("top").end(), name="deep")
    assy = cq.Assembly(name="all").add(BOX, name="base").add(inner, name="cart")
    assy.constrain("base@edges@>Z and >X", "cart/deep@edges@%CIRCLE", "Axis", 0)
    assy.constrain("base@faces@>Z", "cart/deep?top", "Plane")
    third = BOX.faces("<X").edges(">Y").val()  # found by hand, without a query
    assy.constrain("base", third, "cart/deep", PLATE.faces("<Z").val(), "Point")
    assert list(mates.to_assembly(assy).mates) == [
        "Axis base@edges@>Z and >X - cart/deep@edges@%CIRCLE and >Z",
        "Plane base@faces@>Z - cart/deep?top",
        "Point base@edges@>Y and <X - cart/deep@faces@<Z",
    ]


def test_diagnose_and_use_agree_on_what_is_held() -> None:
    """The first part, as in CadQuery, though the second has more constraints."""
    assy = cq.Assembly(name="held")
    for k, name in enumerate("abc"):
        assy.add(BOX, name=name, loc=cq.Location((30 * k, 3, 4)))
    assy.constrain("a@faces@>Z", "b@faces@<Z", "Plane").constrain("b", "c", "Point", 40)
    with mates.use():
        assy.solve()
    held = assy._solve_result["solution"].grounded
    assert mates.diagnose(assy).grounded == mates.solve(assy).grounded == held == ["a"]
    mates.ground(assy, "c")  # a part grounded by hand is held instead
    with mates.use():
        assy.solve()
    assert mates.diagnose(assy).grounded == assy._solve_result["solution"].grounded == ["c"]
