"""Transmission angles of dyads and classes of four-bar loops, against trigonometry."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from mechanisms import O, linkage, parallelogram, rssr

import assembly_solver as asm
from assembly_solver.kinematics.loops.grashof_loops import Loop, four_bars
from assembly_solver.kinematics.loops.transmission_angle import transmissions
from assembly_solver.model.grashof import CLASSES, grashof
from assembly_solver.structure.poses import body_poses

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[3] / "samples"
Z = (0, 0, 1)


def four_bar(frame: float, crank: float, coupler: float, rocker: float, degrees: float):
    """A four-bar closed where it stands, elbow up, its crank driven."""
    a, d = np.zeros(3), np.array([frame, 0.0, 0.0])
    t = math.radians(degrees)
    b = crank * np.array([math.cos(t), math.sin(t), 0.0])
    s = float(np.linalg.norm(d - b))
    along = (coupler**2 - rocker**2 + s**2) / (2 * s)
    e = (d - b) / s
    c = b + along * e + math.sqrt(coupler**2 - along**2) * np.array([-e[1], e[0], 0.0])
    out = linkage(
        "four-bar",
        dict.fromkeys(("frame", "crank", "coupler", "rocker"), asm.Pose()),
        [
            ("revolute", "frame", "crank", a, Z),
            ("revolute", "crank", "coupler", b, Z),
            ("revolute", "coupler", "rocker", c, Z),
            ("revolute", "frame", "rocker", d, Z),
        ],
    )
    out.drive("crank", "revolute 1", value=0.0)
    return out


def angles(assembly: asm.Assembly) -> tuple[dict[str, float], list[str]]:
    """The transmission angles of the solved assembly by joint, degrees, and the notes."""
    solution = asm.solve(assembly).require()
    found, notes = transmissions(solution.plan, body_poses(solution.plan, solution.frames))
    return {m.joint: float(m.angles(solution.frames[None])[0]) for m in found}, notes


def loops(assembly: asm.Assembly) -> list[Loop]:
    solution = asm.solve(assembly).require()
    return four_bars(solution.plan, body_poses(solution.plan, solution.frames))


# ------------------------------------------------------------------ transmission angles
@pytest.mark.parametrize("degrees", [0.0, 60.0, 137.0, 180.0, 290.0])
def test_a_four_bar_transmits_at_the_angle_of_the_cosine_theorem(degrees: float):
    f, k, c, r = 300.0, 100.0, 260.0, 200.0
    diagonal = f**2 + k**2 - 2 * f * k * math.cos(math.radians(degrees))
    full = math.degrees(math.acos((c**2 + r**2 - diagonal) / (2 * c * r)))
    found, notes = angles(four_bar(f, k, c, r, degrees))
    # 1e-6: what is asked of a solve is 1e-9 mm in 100
    assert found == {"revolute 3": pytest.approx(min(full, 180 - full), abs=1e-6)}
    assert notes == []


def test_the_extremes_of_a_crank_rocker_lie_where_crank_and_frame_are_in_line():
    f, k, c, r = 300.0, 100.0, 260.0, 200.0
    inner = math.degrees(math.acos((c**2 + r**2 - (f - k) ** 2) / (2 * c * r)))
    outer = math.degrees(math.acos((c**2 + r**2 - (f + k) ** 2) / (2 * c * r)))
    assert angles(four_bar(f, k, c, r, 0.0))[0]["revolute 3"] == pytest.approx(inner, abs=1e-6)
    assert angles(four_bar(f, k, c, r, 180.0))[0]["revolute 3"] == pytest.approx(
        180 - outer, abs=1e-6
    )


def slider_crank(degrees: float, r: float = 50.0, rod: float = 160.0, e: float = 20.0):
    """A slider at height e on x, its crank driven."""
    t = math.radians(degrees)
    b = np.array([r * math.cos(t), r * math.sin(t), 0.0])
    c = np.array([b[0] + math.sqrt(rod**2 - (b[1] - e) ** 2), e, 0.0])
    out = linkage(
        "slider-crank",
        dict.fromkeys(("frame", "crank", "rod", "slider"), asm.Pose()),
        [
            ("revolute", "frame", "crank", O, Z),
            ("revolute", "crank", "rod", b, Z),
            ("revolute", "rod", "slider", c, Z),
            ("prismatic", "frame", "slider", c, (1, 0, 0)),
        ],
    )
    out.drive("crank", "revolute 1", value=0.0)
    return out


@pytest.mark.parametrize("degrees", [10.0, 90.0, 200.0])
def test_a_slider_is_pushed_at_ninety_degrees_less_the_pressure_angle(degrees: float):
    pressure = math.asin(abs(50.0 * math.sin(math.radians(degrees)) - 20.0) / 160.0)
    found, _ = angles(slider_crank(degrees))
    assert found == {"revolute 3": pytest.approx(90 - math.degrees(pressure), abs=1e-6)}


def test_a_driven_slider_transmits_where_rod_and_crank_meet():
    a = slider_crank(70.0)
    a.set_driver("crank", None)
    a.drive("piston", "prismatic 4", value=0.0)
    b = np.array([50 * math.cos(math.radians(70)), 50 * math.sin(math.radians(70))])
    c = np.array([b[0] + math.sqrt(160**2 - (b[1] - 20) ** 2), 20.0])
    cosine = abs(b @ (c - b)) / 50 / 160
    assert angles(a)[0] == {"revolute 2": pytest.approx(math.degrees(math.acos(cosine)), abs=1e-6)}


def test_the_cylinders_of_an_excavator_push_their_levers_as_the_triangles_say():
    a = asm.read(SAMPLES / "excavator.assembly.json")
    found, notes = angles(a)
    lever, base = math.hypot(1300, 250), math.hypot(500, 500)
    at = math.acos((lever**2 + 1075**2 - base**2) / (2 * lever * 1075))
    assert found["right rod eye"] == pytest.approx(math.degrees(at), abs=1e-6)
    assert list(found) == [
        "right rod eye",
        "bucket rod eye",
        "push rod on link",
        "push rod on bracket",
    ]
    assert notes == []


def test_what_moves_in_space_has_no_transmission_angle_and_says_so():
    a = rssr()
    a.drive("crank", "revolute 1", value=0.0)
    found, notes = angles(a)
    assert found == {}
    assert notes == ["no transmission angle for coupler and rocker: they move in space"]


def ram_of_two_pins(stroke: float, backwards: bool):
    m = asm.Assembly("ram")
    m.pins(A=(0, 0), E=(60, 0), a=(20, 0), b=(40, 0), P=(80, 0), C=(80, 60))
    links = {"barrel": "A E", "rod": "a b P", "rocker": "P C"}
    m.link("frame", "A C", grounded=True)
    for name in sorted(links, reverse=backwards):
        m.link(name, links[name])
    m.slot("bore", "A E", pins="a b", link="barrel")
    m.drive("ram", at="a", length=(15, 30))
    m.set_driver("ram", stroke)
    return m


def ram_that_slides(stroke: float, backwards: bool):
    at = {"A": O, "P": np.array([80.0, 0, 0]), "C": np.array([80.0, 60, 0])}
    bore = ("prismatic", "barrel", "rod", O, (1, 0, 0))
    joints = [
        ("revolute", "frame", "barrel", at["A"], Z),
        ("revolute", "rod", "rocker", at["P"], Z),
        ("revolute", "frame", "rocker", at["C"], Z),
    ]
    parts = dict.fromkeys(("frame", "barrel", "rod", "rocker"), asm.Pose())
    m = linkage("ram", parts, [*joints[::-1], bore] if backwards else [*joints, bore])
    m.drive("ram", "prismatic 4", value=stroke - 20)
    return m


@pytest.mark.parametrize("ram", [ram_of_two_pins, ram_that_slides])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("stroke", [16.0, 20.0, 27.0])
def test_a_driven_slide_between_links_that_move_counts_as_a_link_between_its_pins(
    ram, backwards: bool, stroke: float
):
    """Frame of 100, rocker of 60 and ram, by the cosine theorem; 90 degrees where it is 80."""
    found, notes = angles(ram(stroke, backwards))
    length = stroke + 60.0
    cosine = abs(length**2 + 60.0**2 - 100.0**2) / (2 * length * 60.0)
    assert [*found.values()] == [pytest.approx(math.degrees(math.acos(cosine)), abs=1e-6)]
    assert notes == []


@pytest.mark.parametrize("kind", ["slot", "pin_slot"])
@pytest.mark.parametrize("degrees", [20.0, 110.0, 250.0])
@pytest.mark.parametrize("off", [0.0, 25.0])
def test_a_pin_presses_a_slotted_lever_across_its_slot(kind: str, degrees: float, off: float):
    """The slot passes its lever's pivot at a distance, which is its sine over that of the pin."""
    t = math.radians(degrees)
    pin = 40 * np.array([math.cos(t), math.sin(t)])
    reach = math.hypot(pin[0], pin[1] + 100)
    a = asm.Assembly("quick return")
    a.add("base", grounded=True, features={"low": asm.Axis((0, -100, 0), Z)})
    a.add("crank", features={"pin": asm.Axis((40, 0, 0), Z)})
    lever = math.degrees(math.atan2(pin[1] + 100, pin[0]) - math.asin(off / reach))
    turned = asm.Pose.from_axis(O, Z, lever).quaternion_wxyz
    slot = asm.Frame((0, off, 0), Z, (1, 0, 0))
    a.add("lever", pose=asm.Pose((0, -100, 0), turned), features={"slot": slot})
    a.mate("revolute", "base.z", "crank.z", name="crank")
    a.mate("revolute", "base.low", "lever.z", name="lever")
    a.mate(kind, "lever.slot", "crank.pin", name="slot")
    a.drive("turn", "crank", value=degrees)
    found, notes = angles(a)
    assert found == {"slot": pytest.approx(math.degrees(math.acos(off / reach)), abs=1e-6)}
    assert notes == []


def test_a_slotted_crank_presses_the_pin_of_a_lever_across_its_slot():
    """A right triangle: crank at 30 degrees, its slot through its pivot, pivots 200 apart."""
    a = asm.Assembly("slotted crank")
    a.add("base", grounded=True, features={"far": asm.Axis((200, 0, 0), Z)})
    a.add("crank", features={"slot": asm.Frame(O, Z, (1, 0, 0))})
    a.add("lever", pose=asm.Pose((200, 0, 0)), features={"pin": asm.Axis((120, 0, 0), Z)})
    a.move({"lever": asm.Pose((200, 0, 0), asm.Pose.from_axis(O, Z, 150).quaternion_wxyz)})
    a.mate("revolute", "base.z", "crank.z", name="crank")
    a.mate("revolute", "base.far", "lever.z", name="lever")
    a.mate("slot", "crank.slot", "lever.pin", name="slot")
    a.drive("turn", "crank", value=30.0)
    found, notes = angles(a)
    # at the pin the law of sines: 120 is opposite to 30 degrees, 200 to the angle of the slot
    at_pin = math.degrees(math.asin(200 * math.sin(math.radians(30)) / 120))
    assert found == {"slot": pytest.approx(90 - at_pin, abs=1e-6)}
    assert notes == []


# ------------------------------------------------------------------ Grashof's classes
INVERSIONS = [
    ((60, 200, 180, 140), "double crank"),
    ((200, 60, 180, 140), "crank-rocker"),
    ((200, 180, 60, 140), "double rocker"),
    ((200, 140, 180, 60), "rocker-crank"),
    ((200, 100, 120, 90), "triple rocker"),
    ((200, 60, 180, 80), "change point"),
]


@pytest.mark.parametrize(("lengths", "kind"), INVERSIONS)
def test_the_place_of_the_shortest_link_tells_the_class(lengths: tuple[float, ...], kind: str):
    assert grashof(lengths, 1e-6)[0] == kind


def test_every_class_that_a_check_may_ask_for_is_that_of_some_four_bar() -> None:
    assert {grashof(lengths, 1e-6)[0] for lengths, _ in INVERSIONS} == set(CLASSES)


def test_the_margin_does_not_depend_on_the_order_of_the_links():
    assert {grashof(p, 1e-6)[1] for p in permutations((200.0, 60.0, 180.0, 140.0))} == {60.0}


@pytest.mark.parametrize(("lengths", "kind"), [INVERSIONS[k] for k in (1, 3, 4)])
def test_a_loop_is_read_off_the_assembly_from_its_frame_and_its_driven_link(
    lengths: tuple[float, ...], kind: str
):
    (loop,) = loops(four_bar(*lengths, 60.0))
    assert loop.links == ("frame", "crank", "coupler", "rocker")
    assert loop.joints == ("revolute 1", "revolute 2", "revolute 3", "revolute 4")
    assert loop.lengths == pytest.approx(lengths, abs=1e-9)
    assert loop.kind == kind


def test_driven_at_its_rocker_a_crank_rocker_is_a_rocker_crank():
    a = four_bar(200, 60, 180, 140, 60.0)
    a.set_driver("crank", None)
    a.drive("rocker", "revolute 4", value=0.0)
    (loop,) = loops(a)
    assert loop.links == ("frame", "rocker", "coupler", "crank")
    assert loop.kind == "rocker-crank"


def test_a_parallelogram_has_change_points():
    (loop,) = loops(parallelogram(40.0))
    assert loop.kind == "change point"
    assert loop.margin == pytest.approx(0.0, abs=1e-12)


def test_an_excavator_has_two_four_bars_on_its_boom():
    found = loops(asm.read(SAMPLES / "excavator.assembly.json"))
    assert [x.links for x in found] == [
        ("boom", "bucket rocker", "link", "idler rocker"),
        ("boom", "idler rocker", "push rod", "bracket"),
    ]
    assert found[0].lengths == pytest.approx((math.hypot(700, 100), 450.0, 580.0, 480.0), abs=1e-9)
    assert found[1].margin == pytest.approx(math.hypot(800, 250) + 500 - 480 - 900, abs=1e-9)
