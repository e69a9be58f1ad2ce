"""Forces at standing poses against closed forms; units N, mm, N mm."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from loaded_linkages import bare, beam, boom, door, frame, pin
from mechanisms import moved, pose
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.errors import BadValue
from assembly_solver.kinematics.statics.equilibrium import blocks_of

SAMPLES = Path(__file__).parents[3] / "samples"
G = 9.81
EXACT = 1e-9
"""Share of the loads: mates hold to 1e-10 mm of some 1000 mm, forces to about as much."""


def near(expected: object) -> object:
    return pytest.approx(expected, rel=EXACT, abs=1e-6)  # abs: N and N mm beside some hundreds


def test_a_beam_on_two_supports_divides_its_load_by_the_lever() -> None:
    """600 N at 250 of 1000: 450 left, 150 right; the roller is told on the frame, so downward."""
    found = asm.forces(beam(250))
    assert found.reactions["pin"].force[0] == near((0, 450, 0))
    assert found.reactions["roller"].force[0] == near((0, -150, 0))
    assert found.reactions["roller"].on == ("frame", "roof")
    assert found.reactions["pin"].determined.all()
    assert found.sentence == "in equilibrium; largest joint force 450 N (pin)"
    assert bool(found)


def test_a_torque_on_the_beam_is_a_couple_at_its_supports() -> None:
    a = beam(250)
    a.remove_load("load on beam.load")
    a.load("beam.load", torque=(0, 0, 50_000))  # 50 N m over 1000 mm
    found = asm.forces(a)
    assert found.reactions["pin"].force[0] == near((0, 50, 0))
    assert found.reactions["roller"].force[0] == near((0, 50, 0))


def test_a_load_along_a_parts_axes_turns_with_it() -> None:
    """100 N across the door, whichever way it stands, takes 80 N m at the hinge."""
    a = asm.read(SAMPLES / "hinge.assembly.json")
    a.load("door.latch", force=(0, 100, 0), axes="door")
    for angle in (0, 30, 90):
        a.set_driver("opening", angle)
        assert asm.forces(a).drivers["opening"].value[0] == near(-80_000)
    a.load("door.latch", force=(0, -100, 0), name="in line at 90 degrees")
    assert asm.forces(a).drivers["opening"].value[0] == near(-80_000)


@pytest.mark.parametrize("angle", [5.0, 20.0, 45.0])
def test_a_toggle_multiplies_its_force(angle: float) -> None:
    """Two links at an angle to their line; F down at the knee: F / (2 tan angle) along it."""
    c, s = 300 * math.cos(math.radians(angle)), 300 * math.sin(math.radians(angle))
    a = frame(pin=pin(0), way=asm.Frame((2 * c, 0, 0), (1, 0, 0), (0, 1, 0)))
    turn = asm.Pose.from_axis((0, 0, 0), (0, 0, 1), angle)
    a.add("first", features={"foot": pin(0), "knee": pin(300)}, pose=turn)
    down = asm.Pose.from_axis((c, s, 0), (0, 0, 1), -angle)
    a.add("second", features={"knee": pin(0), "end": pin(300)}, pose=down)
    slide = {"pin": pin(0), "way": asm.Frame((0, 0, 0), (1, 0, 0), (0, 1, 0))}
    a.add("ram", features=slide, pose=asm.Pose((2 * c, 0, 0)))
    a.mate("revolute", "frame.pin", "first.foot", name="foot")
    a.mate("revolute", "first.knee", "second.knee", name="knee")
    a.mate("revolute", "second.end", "ram.pin", name="end")
    a.mate("prismatic", "frame.way", "ram.way", name="way")
    a.drive("press", "way", value=0)
    a.load("first.knee", force=(0, -1000, 0))
    found = asm.forces(a)
    along = 500 / math.tan(math.radians(angle))
    assert found.drivers["press"].value[0] == near(-along)
    assert found.drivers["press"].unit == "N"
    assert found.reactions["end"].pin[0] == near(math.hypot(along, 500))
    assert found.largest is not None
    assert found.largest.value == near(math.hypot(along, 500))
    assert "press pulls" in found.sentence


@pytest.mark.parametrize("angle", [10, 45, 100, 200, 290])
def test_a_crank_takes_force_times_the_slope_of_the_stroke(angle: int) -> None:
    a = asm.read(SAMPLES / "slider_crank.assembly.json")
    a.load("piston.wrist pin", force=(-1000, 0, 0))
    a.set_driver("crank", angle)
    found = asm.forces(a)
    u = math.radians(angle)
    rod = math.sqrt(150**2 - (50 * math.sin(u)) ** 2)
    slope = -50 * math.sin(u) - 50**2 * math.sin(u) * math.cos(u) / rod
    assert found.drivers["crank"].value[0] == near(1000 * slope)
    side = 1000 * 50 * math.sin(u) / rod  # the rod's slope
    assert found.reactions["wrist pin"].force[0, :2] == near((1000, -side))
    assert found.reactions["cylinder"].force[0, :2] == near((0, side))
    assert np.isnan(found.reactions["big end"].force[0, 2])  # the pins share what is along them
    determined = found.reactions["big end"].determined[0]
    assert determined.tolist() == [True, True, False, False, False, True]


def test_a_cylinder_that_raises_a_boom_pushes_weight_times_arms() -> None:
    """Level boom, cylinder at 45 degrees: 100 kg 1000 out on an arm of 500 sin 45."""
    a = boom(500 * math.sqrt(2))
    a.gravity = (0, -G, 0)
    a.load("boom.tip", force=(0, -200, 0))
    found = asm.forces(a)
    moment = 100 * G * 1000 + 200 * 2000
    push = moment / (500 * math.sin(math.pi / 4))
    assert found.drivers["cylinder"].value[0] == near(push)
    side = push * math.cos(math.pi / 4)
    assert found.reactions["foot"].force[0] == near((-side, 100 * G + 200 - side, 0))
    assert f"cylinder pushes {push / 1000:.4g} kN" in found.sentence


def test_a_cylinder_that_is_too_weak_is_told() -> None:
    """At 10 MPa a bore of 50 pushes 19.63 kN, with a rod of 30 it pulls 12.57 kN."""
    a = boom()
    size = {"closed": 500, "stroke": 400, "bore": 50, "rod": 30, "pressure": 10}
    a.cylinder("ram", pins=("frame.cylinder", "boom.eye"), **size, value=500 * math.sqrt(2))
    for load, told in (
        (-20_000, "pushes 113.1 kN, more than its 19.63 kN"),
        (20_000, "pulls 113.1 kN, more than its 12.57 kN"),
        (-3000, "pushes 16.97 kN"),
    ):
        a.load("boom.tip", force=(0, load, 0), name="tip")
        found = asm.forces(a)
        assert f"ram {told};" in found.sentence
        assert found.drivers["ram"].beyond.tolist() == ["more" in told]
        a.remove_load("tip")


@pytest.mark.parametrize(
    ("told", "force"),
    [
        ({"stiffness": 2, "length": 500 * math.sqrt(2) - 100, "force": 40}, 240),
        ({"force": -3000}, -3000),
    ],
)
def test_a_spring_draws_its_ends_together_or_pushes_them_apart(
    told: dict[str, float], force: float
) -> None:
    """In line with the boom's cylinder: a coil of 2 N/mm drawn out by 100 mm, a gas spring."""
    a = boom(500 * math.sqrt(2))
    a.spring("boom.eye", "frame.cylinder", **told)
    found = asm.forces(a)
    assert found.drivers["cylinder"].value[0] == near(force)
    assert found.reactions["foot"].force[0] == near((0, 0, 0))
    a.spring("boom.foot", "frame.cylinder", force=10)  # it pulls down, the pin up
    assert asm.forces(a).reactions["foot"].force[0] == near((0, 10, 0))


def test_what_nothing_drives_is_not_in_equilibrium() -> None:
    """A level boom of 100 kg turns with 981 N m; its pin's force depends on how it falls."""
    a = boom(None)
    a.gravity = (0, -G, 0)
    found = asm.forces(a)
    assert not found
    assert found.sentence == "not in equilibrium: boom would turn about foot (981 N m)"
    assert found.loose[0].missing[0] == near(981e3)
    assert found.loose[0].unit == "N mm"
    assert np.isnan(found.reactions["foot"].force).all()
    assert found.drivers == {}


def test_motions_that_are_independent_are_told_one_by_one() -> None:
    """The legs of a platform spin in their balls: each with its own weight on its own arm."""
    a = asm.read(SAMPLES / "stewart_platform.assembly.json")
    a.gravity = (0, 0, -G)
    a.set_mass("rod 3", asm.Mass(5, (10, 20, 30)))
    a.set_mass("cylinder 1", asm.Mass(5, (10, 20, 30)))
    found = asm.forces(a)
    assert [x.parts for x in found.loose] == [("cylinder 1",), ("rod 3",)]
    solution = asm.solve(a)
    for x, leg in zip(found.loose, (1, 3), strict=True):
        foot, head = (
            solution.poses[f"{p} {leg}"].apply((0, 0, 0)) for p in ("cylinder", "rod")
        )  # the balls are at the origins of their parts
        axis = (head - foot) / np.linalg.norm(head - foot)
        pose = solution.poses[x.parts[0]]
        arm = pose.apply((10, 20, 30)) - pose.apply((0, 0, 0))
        assert abs(x.missing[0]) == near(abs(np.cross(arm, (0, 0, -5 * G)) @ axis))
        assert x.words == f"{x.parts[0]} would turn about leg {leg}"


def test_a_slide_that_nothing_holds_is_told_with_its_direction() -> None:
    a = frame(way=asm.Frame((0, 0, 0), (0, 0, 1), (1, 0, 0)))
    a.add(
        "cage",
        features={"way": asm.Frame((0, 0, 0), (0, 0, 1), (1, 0, 0))},
        mass=asm.Mass(50, (0, 0, 0)),
    )
    a.mate("prismatic", "frame.way", "cage.way", name="shaft")
    a.gravity = (0, 0, -G)
    found = asm.forces(a)
    assert found.sentence == "not in equilibrium: cage would slide along (0, 0, -1) (490.5 N)"


@pytest.mark.parametrize("stroke", [150.0, 199.9, 199.9999])
def test_near_a_dead_point_a_ram_pushes_hard(stroke: float) -> None:
    """1 N m on the crank: the ram's force is torque over the slope of its stroke."""
    a = dead_crank(stroke)
    cosine = (50**2 + stroke**2 - 150**2) / (2 * 50 * stroke)
    sine = math.sqrt(1 - cosine**2)
    slope = 50 * sine + 50**2 * sine * cosine / math.sqrt(150**2 - (50 * sine) ** 2)
    found = asm.forces(a).drivers["ram"].value[0]
    # near the end the slope is the square root of what is left of the stroke, known to 1e-10 mm
    assert abs(found) == pytest.approx(1000 / slope, rel=1e-9 + 1e-9 / (200 - stroke))


def test_at_a_dead_point_no_force_of_the_ram_holds_the_crank() -> None:
    found = asm.forces(dead_crank(200.0))
    told = "crankshaft would turn about main bearing, connecting rod with it (1 N m)"
    assert found.sentence == f"not in equilibrium: {told}"
    assert np.isnan(found.drivers["ram"].value).all()


def dead_crank(stroke: float) -> asm.Assembly:
    """The slider-crank with 1 N m on its crank, held by its piston."""
    a = asm.read(SAMPLES / "slider_crank.assembly.json")
    a.set_driver("crank", None)
    a.drive("ram", "cylinder", "length", value=stroke)
    a.load("crankshaft.journal", torque=(0, 0, 1000))
    return a


def test_two_balls_that_carry_a_door_share_its_weight() -> None:
    """Across the hinge line each ball carries W 400 / 1500; along it their split is open."""
    found = asm.forces(door("spherical"))
    weight = 30 * G
    across = weight * 400 / 1500
    for name, sign in (("low", 1), ("high", -1)):
        r = found.reactions[name]
        assert r.force[0, :2] == near((sign * across, 0))
        assert np.isnan(r.force[0, 2])
        assert r.determined[0].tolist() == [True, True, False, True, True, True]
        assert r.known[0] == near((sign * across, 0, 0))
        assert np.isnan(r.pin[0])
    (shared,) = [s for s in found.shared if s.on == "door"]
    assert shared.names == ("low", "high")
    assert shared.total[0] == near(weight)
    assert shared.words == (
        "low and high share 294.3 N on door; their split is not determined by statics"
    )


def test_two_hinges_share_all_that_a_door_weighs() -> None:
    found = asm.forces(door("revolute"))
    assert [s.names for s in found.shared] == [("low", "high")]
    assert found.shared[0].total[0] == near(30 * G)
    assert not found.reactions["low"].determined[0, :5].any()
    assert found.reactions["low"].determined[0, 5]  # about the hinge line there is no torque
    assert found.largest is None


def test_parallel_cylinders_share_the_load_of_a_boom() -> None:
    """The excavator's boom with both cylinders driven carries what one alone would."""
    a = bare("excavator")
    a.load("bucket.bracket pin", force=(0, -20_000, 0))
    alone = asm.forces(a)
    push = alone.drivers["boom cylinder"].value[0]
    a.drive("right one", separation=("boom cylinder right.pin", "boom rod right.eye"), value=1075)
    both = asm.forces(a)
    assert np.isnan(both.drivers["boom cylinder"].value).all()
    assert both.shared[0].names == ("right one", "boom cylinder")  # as in the written file
    assert both.shared[0].total[0] == near(push)
    assert both.shared[0].words == (
        f"right one and boom cylinder share {push / 1000:.4g} kN; "
        "their split is not determined by statics"
    )
    tilt = "bucket cylinder"
    assert both.drivers[tilt].value[0] == near(alone.drivers[tilt].value[0])
    assert both.reactions["boom foot"].pin[0] == near(alone.reactions["boom foot"].pin[0])
    eyes = [s for s in both.shared if s.on == "boom"]
    assert [s.names for s in eyes] == [("right rod eye", "left rod eye")]
    assert eyes[0].total[0] == near(push)
    assert "largest joint force that is determined 59.05 kN (boom foot)" in both.sentence


def test_the_excavators_cylinders_do_the_work_of_its_load() -> None:
    """Virtual work between solved poses 0.02 mm apart: F dy = cylinder force x stroke."""
    a = bare("excavator")
    a.load("bucket.bracket pin", force=(0, -20_000, 0))
    found = asm.forces(a)
    for name, middle in (("boom cylinder", 1075), ("bucket cylinder", 1265)):
        heights = []
        for step in (-0.01, 0.01):
            a.set_driver(name, middle + step)
            heights.append(asm.solve(a).poses["bucket"].position[1])
        a.set_driver(name, middle)
        slope = (heights[1] - heights[0]) / 0.02  # central difference: error about 1e-9 of it
        assert found.drivers[name].value[0] == pytest.approx(20_000 * slope, rel=1e-6)


def test_gears_and_threads_pass_on_torque_by_their_ratio() -> None:
    """60 N m on the second wheel (ratio -2) takes 120 N m on the first; a nut 2 pi T / pitch."""
    a = frame(one=pin(0), two=pin(100), three=pin(300))
    for name, x in (("one", 0), ("two", 100), ("three", 300)):
        a.add(name, features={"pin": pin(0)}, pose=asm.Pose((x, 0, 0)))
    a.mate("revolute", "frame.one", "one.pin", name="j1")
    a.mate("revolute", "frame.two", "two.pin", name="j2")
    a.mate("screw", "frame.three", "three.pin", name="thread", pitch=5)
    a.mate("gear", "j1", "j2", name="mesh", ratio=-2)
    a.drive("motor", "j1", "angle", value=0)
    a.drive("spindle", "thread", "angle", value=0)
    a.load("two.pin", torque=(0, 0, -60_000))
    a.load("three.pin", force=(0, 0, -1000))
    found = asm.forces(a)
    assert found.drivers["motor"].value[0] == near(-120_000)
    assert found.drivers["spindle"].value[0] == near(1000 * 5 / (2 * math.pi))


@pytest.mark.parametrize("start", [130, 110])
def test_a_stop_carries_what_leans_on_it_and_cannot_pull(start: int) -> None:
    """The door comes back to its stop at 110 degrees, or stands there from the start."""
    a = asm.read(SAMPLES / "hinge.assembly.json")
    a.set_driver("opening", None)
    a.move({"door": asm.Pose.from_axis((0, 0, 0), (0, 0, 1), start)})
    a.load("door.latch", force=(0, 100, 0), axes="door", name="wind")
    stop = next(iter(a.limits))
    found = asm.forces(a)
    assert found.stops[stop].value[0] == near(-80_000)
    assert bool(found)
    a.remove_load("wind")
    a.load("door.latch", force=(0, -100, 0), axes="door", name="wind")
    back = asm.forces(a)
    assert not back
    assert back.sentence == "not in equilibrium: door would turn about hinge axis (80 N m)"


def test_a_seesaw_with_equal_loads_rests_and_with_others_turns() -> None:
    """Two weights of 20 kg hang from its ends; one more kilogram 500 mm out turns it."""
    a = frame(pin=pin(0))
    a.gravity = (0, -G, 0)
    a.add("beam", features={"pin": pin(0), "left": pin(-500), "right": pin(500)})
    a.mate("revolute", "frame.pin", "beam.pin", name="pivot")
    for side, x in (("left", -500), ("right", 500)):
        weight = asm.Mass(20, (0, -90, 0))
        a.add(side, features={"eye": pin(0)}, pose=asm.Pose((x, 0, 0)), mass=weight)
        a.mate("revolute", f"beam.{side}", f"{side}.eye", name=f"{side} eye")
    found = asm.forces(a)
    assert found.sentence.startswith("in equilibrium; largest joint force 392.4 N (pivot)")
    a.set_mass("left", asm.Mass(21, (0, -90, 0)))
    told = asm.forces(a).loose[0]
    assert told.words == "beam would turn about pivot"
    assert told.missing[0] == near(G * 500)


def test_a_chain_is_solved_link_by_link() -> None:
    """A hanging chain: one block a link, and each pin carries what hangs below it."""
    links = 12
    a = frame(pin=pin(0))
    a.gravity = (0, -G, 0)
    before = "frame.pin"
    for k in range(links):
        at = asm.Pose.from_axis((0, -100 * k, 0), (0, 0, 1), -90)
        a.add(
            f"link {k}",
            features={"up": pin(0), "down": pin(100)},
            pose=at,
            mass=asm.Mass(1, (50, 0, 0)),
        )
        a.mate("revolute", before, f"link {k}.up", name=f"pin {k}")
        before = f"link {k}.down"
    assert [len(b.bodies) for b in blocks_of(compile_system(a))] == [1] * links
    found = asm.forces(a)
    for k in range(links):
        assert found.reactions[f"pin {k}"].force[0] == near((0, (links - k) * G, 0))
    a.load(f"link {links - 1}.down", force=(10, 0, 0))  # now every link would swing
    swung = asm.forces(a)
    assert np.isnan(swung.reactions["pin 0"].force).all()  # not known above what swings
    assert "link 11 would turn about pin 11 (1 N m)" in swung.sentence


def test_the_same_linkage_turned_in_space_carries_the_same() -> None:
    """No axis of the world is an axis of the mechanism: pins in a plane are still determined."""
    a = asm.read(SAMPLES / "slider_crank.assembly.json")
    a.load("piston.wrist pin", force=(-1000, 0, 0), axes="block")
    turn = Rotation.from_rotvec([0.5, -0.7, 0.9])
    here, there = asm.forces(a), asm.forces(moved(a, pose((100, 200, -50), turn)))
    assert there.drivers["crank"].value[0] == near(here.drivers["crank"].value[0])
    for name in ("main bearing", "big end", "wrist pin"):
        assert there.reactions[name].pin[0] == near(here.reactions[name].pin[0])
        assert there.reactions[name].known[0] == near(turn.apply(here.reactions[name].known[0]))
        assert not there.reactions[name].determined[0, :3].any()


def test_mates_between_held_parts_and_parts_without_mass_are_told() -> None:
    a = frame(pin=pin(0))
    a.add("wall", grounded=True, features={"pin": pin(0)})
    a.mate("coaxial", "frame.pin", "wall.pin", name="both held")
    a.add("arm", features={"pin": pin(0)})
    a.mate("revolute", "frame.pin", "arm.pin", name="hinge")
    a.gravity = (0, -G, 0)
    found = asm.forces(a)
    assert np.isnan(found.reactions["both held"].force).all()
    assert found.massless == ("arm",)
    assert found.sentence == "no load, no weight: nothing to hold; without a mass: arm"


def test_an_assembly_that_is_not_solved_has_no_forces() -> None:
    a = asm.read(SAMPLES / "bad_lid.assembly.json")
    found = asm.forces(a)
    assert not found
    assert found.sentence == "no state is closed, so no force is known"
    assert found.valid.tolist() == [False]
    with pytest.raises(BadValue, match="left out for what stands still"):
        asm.forces(a, inertia=True)


def test_the_result_is_plain_data_with_null_where_nothing_is_determined() -> None:
    told = json.loads(json.dumps(asm.forces(door("spherical")).to_dict()))
    assert told["mates"]["low"]["force_n"][0][2] is None
    assert told["mates"]["low"]["force_n"][0][0] == near(30 * G * 400 / 1500)
    assert told["shared"][0]["total"] == [near(30 * G)]
    assert told["balanced"] == [True]


def test_a_hand_that_guides_a_part_carries_its_weight_and_moment() -> None:
    """4 kg with the centre 250 out from the flange: 39.24 N and 9.81 N m; free of any joint."""
    a = frame(base=asm.Frame((0, 0, 0), (0, 0, 1), (1, 0, 0)))
    flange = asm.Frame((0, 0, 0), (0, 0, 1), (1, 0, 0))
    a.add("tool", features={"flange": flange}, mass=asm.Mass(4, (250, 0, 0)))
    a.guide("hand", "tool", feature="flange", position=(100, 0, 300), angles=(0, 0, 90))
    a.gravity = (0, 0, -G)
    found = asm.forces(a)
    hand = found.guides["hand"]
    assert (hand.on, hand.kind) == (("tool", "flange"), "motion")
    assert hand.point[0] == near((100, 0, 300))
    assert hand.force[0] == near((0, 0, 4 * G))
    assert hand.torque[0] == near((4 * G * 250, 0, 0))
    assert found.drivers == {}
    assert found.sentence == "in equilibrium; hand carries 39.24 N and 9.81 N m"


def test_shafts_with_only_a_torque_share_no_force() -> None:
    """A Cardan joint bent by 30 degrees: what rounding leaves across its bearings is not told."""
    out = (math.cos(math.radians(30)), 0.5, 0.0)
    across = (-out[1], out[0], 0.0)
    a = asm.Assembly("shafts")
    bearings = {"in": asm.Axis((0, 0, 0), "x", x="y"), "out": asm.Axis((0, 0, 0), out, x=across)}
    shaft, arm = asm.Axis((0, 0, 0), "x", x="y"), asm.Frame((0, 0, 0), "y", "z")
    a.add("frame", features=bearings, grounded=True)
    a.add("in", features={"axis": shaft, "arm": arm})
    swung = Rotation.from_euler("z", 30, degrees=True)
    other = asm.Frame((0, 0, 0), "z", "x")
    a.add("out", pose=pose((0, 0, 0), swung), features={"axis": shaft, "arm": other})
    a.mate("revolute", "frame.in", "in.axis", name="J1")
    a.mate("revolute", "frame.out", "out.axis", name="J2")
    a.mate("universal", "in.arm", "out.arm", name="cross")
    a.drive("motor", "J1", range=(0, 360))
    a.load("out.axis", torque=tuple(1000 * v for v in out))
    motion = asm.sweep(a, "motor", angle=(0, 360), steps=36)
    found = asm.forces(motion)
    assert found.shared == ()
    rate = motion.joint("J2").rate
    assert found.drivers["motor"].value == near(-1000 * rate)
    assert (rate.min(), rate.max()) == near((math.cos(math.radians(30)), 1 / out[0]))
