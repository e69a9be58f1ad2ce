"""Every editing method of an assembly and of a session: edited between two solves, it equals a
fresh assembly with the same edit.

A method without a case in `EDITS` or `SESSION_EDITS` fails by its name.
"""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import hinge

import assembly_solver as asm
from assembly_solver.errors import NotEdited
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick

Change = Callable[[asm.Assembly], Any]


def inner() -> asm.Assembly:
    """A sub-assembly: a carriage on a rail."""
    a = asm.Assembly("slide")
    a.add("rail", grounded=True, features={"way": asm.Frame((0, 0, 0), (1, 0, 0))})
    a.add(
        "carriage", features={"way": asm.Frame((0, 0, 0), (1, 0, 0)), "top": asm.Point((0, 0, 9))}
    )
    a.mate("prismatic", "rail.way", "carriage.way", name="slide")
    return a


def workshop() -> asm.Assembly:
    """A geared door and peg, a cylinder, a drawn crank, a slide inside, a row of bolts, loads."""
    a = asm.Assembly("workshop")
    eye, plate = asm.Axis((200, 0, 0), "z"), asm.Plane((0, 0, 0), "z")
    seat = asm.Frame((0, 60, 0), "z")
    a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z"), "eye": eye})
    a.add_features("frame", {"face": plate, "seat": seat, "peg": asm.Axis((0, -50, 0), "z")})
    edge, mass = asm.Point((100, 0, 0)), asm.Mass(2.0, (50, 0, 0))
    at = asm.Pose.from_axis((3, -2, 8), (0, 0, 1), 25)
    a.add("door", features={"pin": asm.Axis((0, 0, 5), "z"), "edge": edge}, mass=mass, pose=at)
    a.add("peg", features={"axis": asm.Axis((0, 0, 0), "z")}, pose=asm.Pose((1, -51, 2)))
    a.mate("revolute", "frame.pin", "door.pin", name="hinge")
    a.mate("revolute", "frame.peg", "peg.axis", name="peg joint")
    a.mate("gear", name="gears", joints=("hinge", "peg joint"), ratio=-2.0)
    a.drive("turn", "hinge", "angle", value=20, range=(0, 90))
    a.cylinder("ram", pins=("frame.eye", "door.edge"), closed=50, stroke=400)
    a.limit("peg joint", "angle", min=-300, max=300, name="stop")
    a.load("door.edge", force=(0, 5, -10), name="push")
    a.spring("frame.seat", "door.edge", stiffness=2.0, length=50, name="gas")
    a.check("dof", equals=1, name="count")
    a.measure("reach", point="door.edge", along="x", max=95)
    a.tolerate("opening", driver="turn", plus=0.5, minus=0.5)
    a.add_assembly("slide", inner(), rigid=False, grounded=True, file="slide.assembly.json")
    a.drive("push along", "slide.slide", "length", value=7.0)
    a.add("bolt", features={"shank": asm.Frame((0, 0, 0), "z")}, pose=asm.Pose((2, 61, 1)))
    a.mate("fixed", "frame.seat", "bolt.shank", name="thread")
    a.add_pattern("bolts", "bolt", [asm.Pose((20, 0, 0)), asm.Pose((40, 0, 0))])
    a.pins(A=(0, 0), B=(0, 30), C=(50, 40))
    a.link("ground", "A", grounded=True)
    a.link("crank", "A B", pose=asm.Pose((1, 1, 0)))
    a.drive("crank turn", at="A", value=100)
    a.position("start", {"turn": 45, "crank turn": 95})
    return a


def bare(a: asm.Assembly) -> Any:
    return a.add("plate", pose=asm.Pose((9, 9, 9)), features={"face": asm.Plane((0, 0, 1), "z")})


def with_feature(a: asm.Assembly) -> Any:
    a.add_features("peg", {"tip": asm.Point((0, 0, 4))})
    return a.mate("distance", "peg.tip", "frame.face", value=4, name="depth")


def slotted(a: Any) -> Any:
    """A slot in a new link, of an assembly or of a session."""
    a.pins(E=(5, 5), F=(45, 5))
    a.link("bed", "E F")
    return a.slot("way", "E F", "B")


EDITS: dict[str, Change] = {
    "add": bare,
    "add_features": with_feature,
    "add_assembly": lambda a: a.add_assembly("other", inner(), file="slide.assembly.json"),
    "add_pattern": lambda a: a.add_pattern("more", "bolt", [asm.Pose((0, 20, 0))]),
    "change": lambda a: a.change("gears", ratio=3.0, constant=10.0),
    "check": lambda a: a.check("dof", max=3),
    "cylinder": lambda a: a.cylinder("jack", pins=("frame.pin", "peg.z"), closed=9, stroke=99),
    "drive": lambda a: a.drive("spin", "peg joint", "angle", value=-40),
    "gravity": lambda a: setattr(a, "gravity", (0, -9.81, 0)),
    "ground": lambda a: a.ground("peg"),
    "guide": lambda a: a.guide("led", "bolts[1]", position=(20, 60, 0)),
    "keep_constants": lambda a: a.keep_constants({"gears": 33.0}),
    "limit": lambda a: a.limit("hinge", "angle", max=10, name="door stop"),
    "link": lambda a: a.link("coupler", "B C"),
    "load": lambda a: a.load("peg.origin", torque=(0, 0, 70)),
    "mate": lambda a: a.mate("angle", "frame.x", "peg.x", value=40, name="clock"),
    "measure": lambda a: a.measure("gap", distance=("frame.eye", "door.edge"), min=10),
    "move": lambda a: a.move({"door": asm.Pose((0, 0, 0)), "frame": asm.Pose((5, 6, 7))}),
    "move_inside": lambda a: a.move_inside("slide", {"carriage": asm.Pose((3, 4, 5))}),
    "parameter": lambda a: a.parameter("L", 12.0),
    "pins": lambda a: a.pins(D=(9, 9)),
    "driver_of": lambda a: a.driver_of("peg joint.angle"),
    "position": lambda a: a.position("up", {"turn": 50, "slide.slide.length": 6}),
    "take_position": lambda a: a.take_position("start"),
    "remove_position": lambda a: a.remove_position("start"),
    "place_hole": lambda a: a.place_hole("hinge", asm.Frame((0.3, -0.2, 0), "z")),
    "remove": lambda a: a.remove("gears"),
    "remove_check": lambda a: a.remove_check("count"),
    "remove_cylinder": lambda a: a.remove_cylinder("ram"),
    "remove_driver": lambda a: a.remove_driver("turn"),
    "remove_limit": lambda a: a.remove_limit("stop"),
    "remove_load": lambda a: a.remove_load("push"),
    "remove_measure": lambda a: a.remove_measure("reach"),
    "remove_part": lambda a: a.remove_part("peg"),
    "remove_spring": lambda a: a.remove_spring("gas"),
    "remove_tolerance": lambda a: a.remove_tolerance("opening"),
    "remove_unused_features": lambda a: a.remove_unused_features(),
    "set": lambda a: a.set("turn", 65),
    "set_colour": lambda a: a.set_colour("door", "#112233"),
    "set_driver": lambda a: a.set_driver("turn", 70),
    "set_feature": lambda a: a.set_feature("door", "edge", asm.Point((97, 3, 1))),
    "set_features": lambda a: a.set_features(
        {("door", "edge"): asm.Point((97, 3, 1)), ("frame", "eye"): asm.Point((1, 2, 3))}
    ),
    "set_geometry": lambda a: a.set_geometry("door", "door.step"),
    "set_mass": lambda a: a.set_mass("door", asm.Mass(7.0, (1, 2, 3))),
    "slot": slotted,
    "spring": lambda a: a.spring("frame.eye", "door.edge", stiffness=1.0, length=10),
    "contact": lambda a: setattr(a, "contact", {"gap": 0.5}),
    "floating": lambda a: setattr(a, "floating", True),
    "tolerance": lambda a: setattr(a, "tolerance", 1e-2),
    "tolerate": lambda a: a.tolerate("bore", feature="door.pin", position=0.1),
}
"""An edit by every method and setter."""

OF_A_SAMPLE = {"place_hole"}
"""Edits that a file does not keep: they are those of one sample of a tolerance."""

READING = {"copy", "coordinate", "as_written", "held_still", "noted", "part", "pose", "reference"}
"""Methods that edit nothing."""

FREE = {"file", "folder", "formulas", "name", "notes", "notes_at", "tolerance_assumed"}
FREE |= {"kept", "moves", "revision"}
"""Plain attributes: about files, what counts the edits, and what solves share."""


def solved(a: asm.Assembly) -> tuple[dict[str, Any], Any]:
    """All that a solve tells, but the time, and the forces."""
    solution = asm.solve(a)
    told = solution.to_dict()
    del told["seconds"]
    forces = vars(asm.forces(solution)) if solution else {}
    return told, {name: str(f) for name, f in forces.items() if name[0] != "_"}


def names_in(of: type) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


def test_every_editing_method_has_a_case() -> None:
    public = names_in(asm.Assembly)
    methods = {n for n in public if inspect.isfunction(getattr(asm.Assembly, n))}
    setters = {n for n in public if getattr(getattr(asm.Assembly, n), "fset", None)}
    assert EDITS.keys() == (methods | setters) - READING
    plain = {n for n in names_in(type(workshop())) | set(vars(workshop())) if n[0] != "_"}
    assert set(vars(workshop())) & plain == FREE


@pytest.mark.parametrize("name", sorted(EDITS))
def test_an_edit_between_two_solves_equals_a_fresh_assembly(name: str) -> None:
    edited, fresh = workshop(), workshop()
    assert asm.solve(edited)
    asm.analyse(edited)
    before, revision = edited.copy(), edited.revision
    EDITS[name](edited)
    EDITS[name](fresh)
    assert edited.revision > revision
    assert solved(edited) == solved(fresh)
    assert assembly_json.dump(edited) == assembly_json.dump(fresh)
    assert (assembly_json.dump(edited) == assembly_json.dump(before)) == (name in OF_A_SAMPLE)
    assert asm.analyse(edited).to_dict() == asm.analyse(fresh).to_dict()
    assert solved(before) == solved(workshop())  # the copy is not touched


@pytest.mark.parametrize("name", sorted(EDITS))
def test_an_edit_between_two_sweeps_equals_a_fresh_assembly(name: str) -> None:
    edited, fresh = workshop(), workshop()
    asm.sweep(edited, "crank turn", angle=(90, 120), steps=3)
    EDITS[name](edited)
    EDITS[name](fresh)
    one, two = (asm.sweep(a, "crank turn", angle=(90, 120), steps=3) for a in (edited, fresh))
    assert one.parts == two.parts and one.reasons == two.reasons
    np.testing.assert_array_equal(one.frames, two.frames)


# ---------------------------------------------------------------------------- what cannot be edited
def refused(a: asm.Assembly) -> list[Callable[[], object]]:
    part, pin = a.parts["door"], asm.Axis((1, 2, 3), "z")
    features: Any = part.features
    return [
        lambda: features.__setitem__("pin", pin),
        lambda: features.update(pin=pin),
        lambda: features.pop("pin"),
        lambda: features.clear(),
        lambda: features.setdefault("new", pin),
        lambda: features.__delitem__("pin"),
        lambda: features.__ior__({"pin": pin}),
        lambda: part.derived.update(new=pin),  # type: ignore[attr-defined]
        lambda: part.inner.popitem(),  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize("k", range(9))
def test_a_feature_that_is_set_in_place_is_refused_in_words(k: int) -> None:
    a = assembly_json.read_text(assembly_json.dump(hinge()))
    before = assembly_json.dump(a)
    with pytest.raises(NotEdited, match=r"`Assembly\.set_feature` replaces one") as caught:
        refused(a)[k]()
    assert "\n" not in str(caught.value) and assembly_json.dump(a) == before


def test_parts_are_copied_and_pickled_as_they_are() -> None:
    part = hinge().parts["door"]
    for again in (pickle.loads(pickle.dumps(part)), copy.deepcopy(part)):
        assert again == part and type(again.features) is type(part.features)


def test_mates_drivers_and_parts_by_name_are_read_only() -> None:
    a: Any = workshop()
    for known in (a.mates, a.drivers, a.limits, a.parts, a.cylinders, a.loads, a.springs, a.checks):
        with pytest.raises(TypeError):
            known["new"] = next(iter(known.values()))


# -------------------------------------------------------------------------------------- sessions
SESSION_EDITS: dict[str, tuple[Callable[[asm.Session], Any], Change]] = {
    "add": (lambda s: s.add("plate", pose=asm.Pose((9, 9, 9))), bare),
    "add_assembly": (
        lambda s: s.add_assembly("other", inner(), file="slide.assembly.json"),
        EDITS["add_assembly"],
    ),
    "add_pattern": (
        lambda s: s.add_pattern("more", "bolt", [asm.Pose((0, 20, 0))]),
        EDITS["add_pattern"],
    ),
    "change": (lambda s: s.change("gears", ratio=3.0, constant=10.0), EDITS["change"]),
    "cylinder": (
        lambda s: s.cylinder("jack", pins=("frame.pin", "peg.z"), closed=9, stroke=99),
        EDITS["cylinder"],
    ),
    "drive": (lambda s: s.drive("spin", "slide.slide", "length", value=7), lambda a: None),
    "ground": (lambda s: s.ground("peg"), EDITS["ground"]),
    "guide": (lambda s: s.guide("led", "bolts[1]", position=(20, 60, 0)), EDITS["guide"]),
    "link": (lambda s: s.link("coupler", "B C"), EDITS["link"]),
    "mate": (
        lambda s: s.mate("angle", "frame.x", "bolt.x", value=0, name="clock"),
        lambda a: a.mate("angle", "frame.x", "bolt.x", value=0, name="clock"),
    ),
    "pins": (lambda s: s.pins(D=(9, 9)), EDITS["pins"]),
    "remove": (lambda s: s.remove("gears"), EDITS["remove"]),
    "set_driver": (lambda s: s.set_driver("turn", 70), EDITS["set_driver"]),
    "slot": (slotted, slotted),
}


def test_every_edit_of_a_session_has_a_case() -> None:
    methods = {n for n in names_in(asm.Session) if inspect.isfunction(getattr(asm.Session, n))}
    assert SESSION_EDITS.keys() == methods - {"drag", "undo", "reading"}


@pytest.mark.parametrize("name", sorted(SESSION_EDITS))
def test_an_edit_in_a_session_equals_a_fresh_assembly_from_the_same_poses(name: str) -> None:
    session = asm.Session(workshop())
    session.set_driver("crank turn", 60)  # poses and plan of an earlier edit
    fresh = session.assembly
    edit, same = SESSION_EDITS[name]
    assert edit(session)
    same(fresh)
    solution = asm.solve(fresh).require()
    for part, pose in solution.poses.items():
        np.testing.assert_allclose(session.poses[part].frame, pose.frame, atol=1e-9)
    assert session.dof == solution.dof
    session.undo()
    assert session.poses["crank"].frame == pytest.approx(
        asm.solve(session.assembly).poses["crank"].frame, abs=1e-9
    )
