"""Own mates of the add-on: every kind holds, measured from the shapes that FreeCAD has then."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians
from typing import Any

import assembly_solver_freecad as asf
import Part
import pytest
from assembly_solver_freecad.choosing import COUPLINGS, ORDER
from assembly_solver_freecad.properties import entries
from assembly_solver_freecad.proxies import FAMILIES, ICONS
from assembly_solver_freecad.slots import KINDS as SLOTS
from FreeCAD import Vector
from shop import (
    Shop,
    all_numbers,
    aside,
    cosine,
    direction,
    gap,
    height,
    normal,
    place,
    shop as shop,
)

import assembly_solver as asm

CLOSE = 1e-8
"""mm and cosines: the engine solves to 1e-10 mm at these sizes, placements are doubles."""

Measured = Callable[..., list[float]]


def mirrored(one: Any, two: Any, plane: Any) -> list[float]:
    between = place(one) - place(two)
    return [height(plane, one) + height(plane, two), between.cross(normal(plane)).Length]


def centred(groove: Any, groove2: Any, tab: Any, tab2: Any) -> list[float]:
    """A groove is between two faces, and a tab, whose normals point out of the material."""
    middle, own = (0.5 * (place(a) + place(b)) for a, b in ((groove, groove2), (tab, tab2)))
    return [(own - middle).dot(normal(groove)), abs(cosine(groove, tab)) - 1.0]


CASES: dict[str, tuple[tuple[str, ...], dict[str, Any], Measured]] = {
    "coplanar": (
        ("block Face6", "box Face5"),
        {"offset": 2.5},
        lambda a, b: [height(a, b) - 2.5, cosine(a, b) + 1.0],
    ),
    "coaxial": (
        ("block bore", "pin Face1"),
        {},
        lambda a, b: [aside(a, b), abs(cosine(a, b)) - 1.0],
    ),
    "coincident": (("block Vertex1", "box Vertex3"), {}, lambda a, b: [gap(a, b)]),
    "tangent": (("block Face6", "pin Face1"), {}, lambda a, b: [height(a, b) - 4.0, cosine(a, b)]),
    "distance": (("ball Face1", "block Vertex2"), {"value": 21.0}, lambda a, b: [gap(a, b) - 21]),
    "angle": (("block Face1", "box Face3"), {"value": 60.0}, lambda a, b: [cosine(a, b) - 0.5]),
    "parallel": (("block Face1", "box Face3"), {}, lambda a, b: [cosine(a, b) + 1.0]),
    "perpendicular": (("block Face1", "pin Face1"), {}, lambda a, b: [cosine(a, b)]),
    "point_on_line": (("block Edge1", "box Vertex1"), {}, lambda a, b: [aside(a, b)]),
    "point_in_plane": (
        ("block Face6", "ball Face1"),
        {"offset": -4.0},
        lambda a, b: [height(a, b) + 4.0],
    ),
    "line_in_plane": (("block Face6", "box Edge1"), {}, lambda a, b: [height(a, b), cosine(a, b)]),
    "symmetric": (("box Vertex1", "ball Face1", "block Face1"), {}, mirrored),
    "width": (("slab Face1", "slab Face2", "box Face1", "box Face2"), {}, centred),
    "equal_distance": (
        ("block Vertex1", "box Vertex1", "ball Face1"),
        {},
        lambda a, b, c: [gap(a, b) - gap(a, c)],
    ),
    "revolute": (
        ("block Face6", "box Face5"),
        {},
        lambda a, b: [(a.CenterOfMass - b.CenterOfMass).Length, cosine(a, b) + 1.0],
    ),
    "prismatic": (("block Face6", "box Face5"), {}, lambda a, b: [aside(a, b), cosine(a, b) + 1.0]),
    "fixed": (
        ("block Face6", "box Face5"),
        {},
        lambda a, b: [(a.CenterOfMass - b.CenterOfMass).Length, cosine(a, b) + 1.0],
    ),
    "cylindrical": (
        ("block bore", "pin Face1"),
        {"sense": "opposed"},
        lambda a, b: [aside(a, b), cosine(a, b) + 1.0],
    ),
    "planar": (("block Face6", "box Face5"), {}, lambda a, b: [height(a, b), cosine(a, b) + 1.0]),
    "spherical": (
        ("block Face6", "ball Face1"),
        {},
        lambda a, b: [(a.CenterOfMass - place(b)).Length],
    ),
    "screw": (("block bore", "pin Face1"), {"pitch": 1.5}, lambda a, b: [aside(a, b)]),
    "universal": (
        ("block Face6", "box Face5"),
        {},
        lambda a, b: [(a.CenterOfMass - b.CenterOfMass).Length, cosine(a, b)],
    ),
    "constant_velocity": (
        ("block Face6", "box Face5"),
        {},
        lambda a, b: [(a.CenterOfMass - b.CenterOfMass).Length],
    ),
}


@pytest.mark.parametrize("kind", sorted(CASES))
def test_the_mate_holds_after_a_solve_and_the_next_one_moves_nothing(shop: Shop, kind: str) -> None:
    words, parameters, off = CASES[kind]
    asf.ground(shop.block)
    made = asf.mate(shop.pick(*words), kind, **parameters)
    assert made.MateKind == kind
    assert asf.solve(shop.document)
    assert max(map(abs, off(*map(shop.shape, words)))) < CLOSE
    before = all_numbers(shop.document)
    assert asf.solve(shop.document)
    assert all_numbers(shop.document) == before


def test_a_word_of_another_program_is_a_kind(shop: Shop) -> None:
    made = asf.mate(shop.pick("block Face6", "box Face5"), "flush", offset=1.0)
    assert (made.MateKind, made.Sense, made.Offset.Value) == ("coplanar", "aligned", 1.0)
    assert asf.mate(shop.pick("block bore", "pin Face1"), "Concentric").MateKind == "coaxial"
    told = "mate kind 'axis' may mean coaxial .on one line. or parallel"
    with pytest.raises(asm.AssemblySolverError, match=told):
        asf.mate(shop.pick("block bore", "pin Face1"), "axis")


def test_every_kind_of_the_engine_is_between_elements_or_between_joints() -> None:
    kinds = {kind for kind, cls in asm.MATES.items() if cls.takes}
    known = {kind for family in FAMILIES.values() for kind in family}
    assert (set(ORDER), set(COUPLINGS), known) == (kinds, set(asm.MATES) - kinds, set(asm.MATES))
    elsewhere = {"path", *SLOTS, *COUPLINGS}  # below, in test_slots and test_couplings
    assert set(CASES) | elsewhere == set(asm.MATES)
    parameters = {name for kind in asm.MATES for name, _ in entries(kind)}
    assert parameters >= {"offset", "value", "sense", "side", "skew", "surfaces", "pitch", "length"}
    icons = {icon.stem for icon in ICONS.glob("mate_*.svg")}
    assert {f"mate_{name}" for name in (*FAMILIES, "suppressed")} == icons


FOLLOWED = 1e-4
"""What the engine's curve through points of an edge may be off it, mm."""


@pytest.mark.parametrize(
    ("words", "offset"), [(("rail Edge1", "ball Face1"), 0.0), (("pin Face1", "cam Edge1"), 4.0)]
)
def test_a_bent_edge_is_a_path_for_a_point_and_a_flat_one_for_a_roller(
    shop: Shop, words: tuple[str, ...], offset: float
) -> None:
    asf.ground([shop.rail, shop.cam])
    made = asf.mate(shop.pick(*words), offset=offset)
    assert made.MateKind == "path"
    assert asf.solve(shop.document)
    edge, other = (shop.shape(w) for w in sorted(words, key=lambda w: "Edge" not in w))
    if offset:
        assert abs(direction(other).z) == pytest.approx(1.0, abs=CLOSE)
        spot = Vector(place(other).x, place(other).y, 0.0)
    else:
        spot = place(other)
    gap = edge.distToShape(Part.Vertex(spot))[0]
    assert gap == pytest.approx(offset, abs=FOLLOWED)


LIKELY = {
    ("block Face6", "box Face5"): "coplanar",
    ("block bore", "pin Face1"): "coaxial",
    ("block Face1", "pin Face1"): "tangent",
    ("block Face1", "ball Face1"): "tangent",
    ("block Face1", "ring Face1"): "tangent",
    ("block Face1", "tip Face1"): "tangent",
    ("block Vertex1", "box Vertex3"): "coincident",
    ("block Edge1", "box Vertex1"): "point_on_line",
    ("block Face1", "box Vertex1"): "point_in_plane",
    ("block Face1", "box Edge1"): "line_in_plane",
    ("box Edge1", "block Edge1"): "coaxial",
    ("pin Edge1", "tip Edge1"): "revolute",
    ("tip Face1", "pin Face1"): "coaxial",
    ("box Vertex1", "ball Face1", "block Face1"): "symmetric",
    ("block Face1", "box Vertex1", "ball Face1"): "symmetric",
    ("slab Face1", "slab Face2", "box Face1"): "width",
    ("block Vertex1", "box Vertex1", "ball Face1"): "equal_distance",
}


@pytest.mark.parametrize("words", sorted(LIKELY), ids=" - ".join)
def test_the_first_choice_is_what_is_likely_meant(shop: Shop, words: tuple[str, ...]) -> None:
    assert asf.choices(shop.pick(*words))[0].kind == LIKELY[words]
    assert asf.mate(shop.pick(*words)).MateKind == LIKELY[words]


def test_two_clicked_faces_meet_face_to_face_and_flush_is_offered_next(shop: Shop) -> None:
    faces = shop.pick("block Face6", "box Face5")
    first, second, *_ = asf.choices(faces)
    assert [first.words, second.words] == [
        "the faces meet, face to face",
        "the faces are flush, looking the same way",
    ]
    for choice, sense in ((first, -1.0), (second, 1.0)):
        made = asf.mate(faces, choice)
        assert asf.solve(shop.document)
        ends = [shop.shape(w) for w in ("block Face6", "box Face5")]
        assert cosine(*ends) == pytest.approx(sense, abs=CLOSE)
        shop.document.removeObject(made.Name)


@pytest.mark.parametrize("kind", ["distance", "angle"])
def test_a_value_begins_as_it_is_now_so_that_nothing_moves(shop: Shop, kind: str) -> None:
    words = {"distance": ("block Face1", "box Vertex1"), "angle": ("block Face1", "box Face3")}
    before = all_numbers(shop.document)
    made = asf.mate(shop.pick(*words[kind]), kind)
    assert asf.solve(shop.document)
    after = all_numbers(shop.document)
    assert {k: pytest.approx(v, abs=CLOSE) for k, v in before.items()} == after
    ends = [shop.shape(w) for w in words[kind]]
    told = {"distance": height, "angle": cosine}[kind](*ends)
    value = made.Distance.Value if kind == "distance" else cos(radians(made.Angle.Value))
    assert told == pytest.approx(value, abs=CLOSE)


def test_a_ball_in_a_bore_touches_it_from_inside(shop: Shop) -> None:
    made = asf.mate(shop.pick("block bore", "ball Face1"), "tangent")
    assert made.Side == "inside"
    assert asf.solve(shop.document)
    assert aside(shop.shape("block bore"), shop.shape("ball Face1")) == pytest.approx(2, abs=CLOSE)


def test_a_changed_kind_begins_as_the_parts_stand(shop: Shop) -> None:
    made = asf.mate(shop.pick("block Face6", "box Face5"))
    assert asf.solve(shop.document)
    made.MateKind = "distance"
    assert (made.Distance.Value, made.Sense) == (pytest.approx(0.0, abs=CLOSE), "opposed")
    made.Distance = 12
    assert asf.solve(shop.document)
    assert height(shop.shape("block Face6"), shop.shape("box Face5")) == pytest.approx(12.0)


def test_limits_of_a_mate_hold_and_its_coordinate_can_be_driven_by_its_label(shop: Shop) -> None:
    made = asf.mate(shop.pick("block bore", "pin Face1"), label="Plunger", sense="aligned")
    made.EnableLengthMax, made.LengthMax = True, 15
    live = asf.read(shop.document)
    assert [(x.joint, x.max) for x in live.assembly.limits.values()] == [("Plunger", 15.0)]
    assert asf.drive(shop.document, "Plunger", 9.0, "length")
    middles = [shop.shape(w).CenterOfMass for w in ("block bore", "pin Face1")]
    assert middles[1].z - middles[0].z == pytest.approx(9.0, abs=CLOSE)
    before = all_numbers(shop.document)
    assert not asf.drive(shop.document, "Plunger", 16.0, "length")
    assert all_numbers(shop.document) == before


def test_mates_that_contradict_each_other_are_told_by_label_and_nothing_moves(shop: Shop) -> None:
    for label, value in (("Short", 5.0), ("Long", 9.0)):
        asf.mate(shop.pick("block Vertex1", "box Vertex1"), "distance", label, value=value)
    before = all_numbers(shop.document)
    solution = asf.solve(shop.document)
    assert not solution and all(name in solution.sentence for name in ("Short", "Long"))
    assert all_numbers(shop.document) == before


def test_what_was_not_grounded_moves_and_the_part_of_the_first_element_is(shop: Shop) -> None:
    asf.mate(shop.pick("box Face5", "block Face6"))
    live = asf.read(shop.document)
    assert [name for name, part in live.assembly.parts.items() if part.grounded] == ["box"]
    asf.ground(shop.block)
    asf.ground([shop.box], grounded=False)
    live = asf.read(shop.document)
    assert [name for name, part in live.assembly.parts.items() if part.grounded] == ["block"]


@pytest.mark.parametrize(
    ("words", "kind", "told"),
    [
        (("box Face1", "box Face2"), None, "are all on box; choose elements of two parts"),
        (("box Face1",), None, "is one element; a mate is between two or more"),
        (("box Face99", "block Face1"), None, "there is no Face99 of box"),
        (("box Face1", "ball Face1"), "coaxial", "these fit: tangent, point in plane, distance"),
        (("box Face1", "ball Face1"), "coaxal", "no mate kind 'coaxal'; did you mean 'coaxial'"),
    ],
)
def test_what_does_not_fit_is_told_and_makes_nothing(
    shop: Shop, words: tuple[str, ...], kind: str | None, told: str
) -> None:
    count = len(shop.document.Objects)
    with pytest.raises(asm.AssemblySolverError, match=told):
        asf.mate(shop.pick(*words), kind)
    assert (len(shop.document.Objects), shop.document.UndoCount) == (count, 0)
