"""OndselSolver's files: what is read of them, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import asin, atan, cos, pi, sin, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from asmt_files import MM, SI, Array, Body, Frame, Item, joint, save, text

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.errors import AssemblySolverError, FormatError, NotUnderstood
from assembly_solver.formats import LEFT_OUT
from assembly_solver.formats.asmt import functions
from assembly_solver.formats.simulated import simulated
from assembly_solver.model.laws.expression import Expression
from assembly_solver.model.laws.law import law_of

CLOSE = 1e-9
"""mm, and share of a unit vector: a normal solve reaches it."""

X, Y, Z = np.eye(3)


def turn(rotation_vector: Array) -> Array:
    """Rotation matrix of a rotation vector, rad (Rodrigues)."""
    angle = float(np.linalg.norm(rotation_vector))
    if angle == 0.0:
        return np.eye(3)
    k = np.cross(np.eye(3), rotation_vector / angle)
    return np.eye(3) + sin(angle) * k + (1.0 - cos(angle)) * k @ k


def any_frame(random: np.random.Generator, reach: float = 40.0) -> Frame:
    return Frame(random.uniform(-reach, reach, 3), turn(random.normal(size=3)))


def frame_of(assembly: asm.Assembly, part: str) -> Frame:
    pose = assembly.pose(part)
    return Frame(pose.position, pose.rotation)


class Pair(NamedTuple):
    """Marker J seen from marker I: d in axes of I, c[i, j] = axis i of I . axis j of J."""

    d: Array
    c: Array


def pair(i: Frame, j: Frame) -> Pair:
    return Pair(i.turn.T @ (np.asarray(j.at) - np.asarray(i.at)), i.turn.T @ j.turn)


def upright(p: Pair) -> list[float]:
    return [p.c[2, 0], p.c[2, 1]]


def still(p: Pair) -> list[float]:
    return [*upright(p), p.c[1, 0]]


class Kind(NamedTuple):
    """A joint: its keys, the freedoms it leaves, what vanishes in its marker frames."""

    keys: Mapping[str, float]
    dof: int
    zero: Callable[[Pair], list[float]]


KINDS = {
    "RevoluteJoint": Kind({}, 1, lambda p: [*p.d, *upright(p)]),
    "CylindricalJoint": Kind({}, 2, lambda p: [*p.d[:2], *upright(p)]),
    "TranslationalJoint": Kind({}, 1, lambda p: [*p.d[:2], *still(p)]),
    "SphericalJoint": Kind({}, 3, lambda p: [*p.d]),
    "FixedJoint": Kind({}, 0, lambda p: [*p.d, *still(p)]),
    "UniversalJoint": Kind({}, 2, lambda p: [*p.d, p.c[2, 2]]),
    "ConstantVelocityJoint": Kind({}, 2, lambda p: [*p.d, p.c[0, 1] + p.c[1, 0]]),
    "PlanarJoint": Kind({"offset": 3.5}, 3, lambda p: [p.d[2] - 3.5, *upright(p)]),
    "PointInPlaneJoint": Kind({"offset": -2.0}, 5, lambda p: [p.d[2] + 2.0]),
    "LineInPlaneJoint": Kind({"offset": 1.5}, 4, lambda p: [p.d[2] - 1.5, p.c[2, 2]]),
    "PointInLineJoint": Kind({}, 4, lambda p: [*p.d[:2]]),
    "AngleJoint": Kind({"theIzJz": 0.7}, 5, lambda p: [p.c[2, 2] - cos(0.7)]),
    "ParallelAxesJoint": Kind({}, 4, upright),
    "PerpendicularJoint": Kind({}, 5, lambda p: [p.c[2, 2]]),
    "NoRotationJoint": Kind({}, 3, still),
    "SphSphJoint": Kind({"distanceIJ": 12.0}, 5, lambda p: [float(np.linalg.norm(p.d)) - 12.0]),
    "CylSphJoint": Kind({"distanceIJ": 12.0}, 5, lambda p: [np.hypot(*p.d[:2]) - 12.0]),
    "RevCylJoint": Kind(
        {"distanceIJ": 12.0}, 3, lambda p: [np.hypot(*p.d[:2]) - 12.0, *upright(p)]
    ),
    "RevRevJoint": Kind(
        {"distanceIJ": 12.0}, 2, lambda p: [np.hypot(*p.d[:2]) - 12.0, p.d[2], *upright(p)]
    ),
}
"""The equations are those of MbDTheory; parallel axes may be opposed."""


@pytest.mark.parametrize("tag", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_joint_holds_its_own_equations_and_leaves_its_freedoms(
    tag: str, seed: int, tmp_path: Path
) -> None:
    random = np.random.default_rng(seed)
    kind, i, j = KINDS[tag], any_frame(random), any_frame(random)
    ground, part = any_frame(random), any_frame(random)
    bodies = [Body("Rig", ground, {"A": i}), Body("Arm", part, {"B": j})]
    told = text(bodies, [joint(tag, "J", "A", "Arm/B", **kind.keys)])
    assembly = asm.read(save(tmp_path / "x.asmt", told))
    solution = asm.solve(assembly)
    assert solution.dof == kind.dof
    solution.require().apply()
    seen = pair(ground @ i, frame_of(assembly, "Arm") @ j)
    assert np.abs(kind.zero(seen)).max() < CLOSE


def test_parallel_axes_stay_as_they_start(tmp_path: Path) -> None:
    for tag in ("RevoluteJoint", "TranslationalJoint", "FixedJoint", "NoRotationJoint"):
        for about in (X, Y, Z, 0.0 * Z):
            near = Frame((1.0, 2.0, 3.0), turn(pi * about) @ turn(np.array([0.1, -0.2, 0.1])))
            bodies = [Body("Rig", Frame(), {"A": Frame()}), Body("Arm", near, {"B": Frame()})]
            told = text(bodies, [joint(tag, "J", "A", "Arm/B")])
            assembly = asm.read(save(tmp_path / "x.asmt", told))
            asm.solve(assembly).require().apply()
            off = turn(pi * about).T @ assembly.pose("Arm").rotation
            free = 2 if tag == "RevoluteJoint" else 0  # the hinge still has its angle
            assert off[free, free] > 0.96, (tag, about)  # within the disturbance of 0.25 rad


# ----------------------------------------------------------------------------------- couplings
ON_Y = turn(-0.5 * pi * X)
"""z of this frame is y."""


def two_wheels(tag: str, flipped: bool, **keys: float) -> str:
    """Two parts that turn about z, 30 apart; `flipped` has the second's own z downwards."""
    down = turn(pi * X) if flipped else np.eye(3)
    ground = {"A": Frame((0, 0, 0)), "B": Frame((30, 0, 0))}
    bodies = [
        Body("Rig", Frame(), ground),
        Body("One", Frame((0, 0, 0)), {"hub": Frame(), "rim": Frame((0, 0, 5))}),
        Body("Two", Frame((30, 0, 0)), {"hub": Frame(), "rim": Frame((0, 0, 5), down)}),
    ]
    joints = [
        joint(tag, "mesh", "One/rim", "Two/rim", **keys),
        joint("RevoluteJoint", "J1", "A", "One/hub"),
        joint("RevoluteJoint", "J2", "Two/hub", "B"),
    ]
    return text(bodies, joints)


@pytest.mark.parametrize("radius", [20.0, -20.0])  # below 0 it is a ring, or a belt of FreeCAD
@pytest.mark.parametrize("flipped", [False, True])
def test_gears_turn_by_their_radii_about_their_own_axes(
    flipped: bool, radius: float, tmp_path: Path
) -> None:
    whole = two_wheels("GearJoint", flipped, radiusI=10, radiusJ=radius)
    assembly = asm.read(save(tmp_path / "x.asmt", whole))
    assembly.drive("motor", "J1", "angle", value=40.0)
    solution = asm.solve(assembly).require()
    assert (solution.dof, solution.dof_left) == (1, 0)
    solution.apply()
    sense = -1.0 if not flipped else 1.0  # about its own z
    expected = turn(sense * np.radians(40.0 * 10.0 / radius) * Z)
    np.testing.assert_allclose(assembly.pose("Two").rotation, expected, atol=1e-12)


def test_a_planet_turns_on_its_arm_as_willis_says(tmp_path: Path) -> None:
    """Sun (radius 20) and arm turn on the frame, the planet (radius 10) on the arm."""
    bodies = [
        Body("Rig", Frame(), {"A": Frame(), "B": Frame()}),
        Body("Sun", Frame(), {"hub": Frame(), "rim": Frame((0, 0, 4))}),
        Body("Arm", Frame(), {"hub": Frame(), "pin": Frame((30, 0, 0))}),
        Body("Planet", Frame((30, 0, 0)), {"hub": Frame(), "rim": Frame((0, 0, 4))}),
    ]
    joints = [
        joint("RevoluteJoint", "sun", "A", "Sun/hub"),
        joint("RevoluteJoint", "arm", "Arm/hub", "B"),
        joint("RevoluteJoint", "planet", "Arm/pin", "Planet/hub"),
        joint("GearJoint", "mesh", "Sun/rim", "Planet/rim", radiusI=20, radiusJ=10),
    ]
    assembly = asm.read(save(tmp_path / "x.asmt", text(bodies, joints)))
    assembly.drive("of the sun", "sun", "angle", value=12.0)
    assembly.drive("of the arm", "arm", "angle", value=-25.0)  # of the frame against the arm
    solution = asm.solve(assembly).require()
    assert (solution.dof, solution.dof_left) == (2, 0)
    solution.apply()
    planet = 25.0 - 20.0 / 10.0 * (12.0 - 25.0)
    expected = turn(np.radians(planet) * Z)
    np.testing.assert_allclose(assembly.pose("Planet").rotation, expected, atol=1e-12)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_rack_moves_along_its_x_by_radius_times_turn(swapped: bool, tmp_path: Path) -> None:
    along_x = turn(0.5 * pi * Y)
    bodies = [
        Body("Rig", Frame(), {"A": Frame(), "S": Frame((0, -8, 0), along_x)}),
        Body("Pinion", Frame(), {"hub": Frame(), "teeth": Frame()}),
        Body("Rack", Frame((0, -8, 0)), {"slide": Frame((0, 0, 0), along_x), "teeth": Frame()}),
    ]
    ends = ("Pinion/teeth", "Rack/teeth") if swapped else ("Rack/teeth", "Pinion/teeth")
    joints = [
        joint("RevoluteJoint", "turns", "A", "Pinion/hub"),
        joint("TranslationalJoint", "slides", "S", "Rack/slide"),
        joint("RackPinionJoint", "mesh", *ends, pitchRadius=8),
    ]
    assembly = asm.read(save(tmp_path / "x.asmt", text(bodies, joints)))
    assembly.drive("motor", "turns", "angle", value=90.0)
    asm.solve(assembly).require().apply()
    # d0 + r theta: the pinion's place in the rack goes back by what the rack goes forth
    assert assembly.pose("Rack").position[0] == pytest.approx(8 * 0.5 * pi, abs=CLOSE)


def test_a_screw_advances_by_its_pitch(tmp_path: Path) -> None:
    bodies = [
        Body("Rig", Frame(), {"A": Frame((1, 2, 3), ON_Y)}),
        Body("Nut", Frame((1, 2, 3)), {"B": Frame((0, 0, 0), ON_Y)}),
    ]
    joints = [
        joint("CylindricalJoint", "guide", "A", "Nut/B"),
        joint("ScrewJoint", "thread", "A", "Nut/B", pitch=6),
    ]
    assembly = asm.read(save(tmp_path / "x.asmt", text(bodies, joints)))
    assembly.drive("motor", "guide", "angle", value=120.0)
    asm.solve(assembly).require().apply()
    np.testing.assert_allclose(assembly.pose("Nut").position, (1, 4, 3), atol=CLOSE)


# ------------------------------------------------------------------------------ all the rest
def rig(**more: object) -> list[Body]:
    """A part on the ground."""
    return [
        Body("Rig", Frame(), {"A": Frame((0.01, 0.02, 0.03))}),
        Body("Arm", Frame((0.1, 0.2, 0.3), turn(0.1 * Y)), {"B": Frame()}, **more),  # type: ignore[arg-type]
    ]


HINGE = joint("RevoluteJoint", "hinge", "A", "Arm/B")
SHAFT = joint("CylindricalJoint", "shaft", "A", "Arm/B")


ENDS = {"MarkerI": "/Rig/A", "MarkerJ": "/Rig/Arm/B"}


def read(folder: Path, *args: object, **keys: object) -> asm.Assembly:
    return asm.read(save(folder / "x.asmt", text(*args, **keys)))  # type: ignore[arg-type]


def left_out(folder: Path, *args: object, **keys: object) -> dict[str, str]:
    found: dict[str, str] = read(folder, *args, **keys).notes[LEFT_OUT]
    return found


def test_the_banner_tells_metres_from_millimetres(tmp_path: Path) -> None:
    heavy = (2.0, Frame((0.5, 0.0, 0.0)), (1.0, 2.0, 3.0))
    for banner, scale in ((SI, 1000.0), (MM, 1.0)):
        found = read(
            tmp_path, rig(mass=heavy), [HINGE], gravity=(0, 0, -9810 / scale), banner=banner
        )
        np.testing.assert_allclose(found.pose("Arm").position, scale * np.array([0.1, 0.2, 0.3]))
        feature = found.parts["Rig"].features["A"].frame[:3]
        np.testing.assert_allclose(feature, scale * np.array([0.01, 0.02, 0.03]), rtol=1e-15)
        mass = found.parts["Arm"].mass
        assert mass is not None
        assert (mass.kg, mass.centre) == (2.0, (0.5 * scale, 0.0, 0.0))
        np.testing.assert_allclose(mass.tensor, scale**2 * np.diag([1.0, 2.0, 3.0]), rtol=1e-15)
        np.testing.assert_allclose(found.gravity, (0, 0, -9.81))


def test_principal_moments_are_turned_to_the_axes_of_the_part(tmp_path: Path) -> None:
    quarter = turn(0.5 * pi * Z)  # the marker's x is the part's y
    mass = read(tmp_path, rig(mass=(2.0, Frame((0, 0, 0), quarter), (1, 2, 3)))).parts["Arm"].mass
    assert mass is not None
    np.testing.assert_allclose(mass.tensor, np.diag([2.0, 1.0, 3.0]), atol=1e-15)


def test_a_part_without_mass_has_none(tmp_path: Path) -> None:
    assert read(tmp_path, rig(mass=(0.0, Frame(), (0, 0, 0)))).parts["Arm"].mass is None


def test_the_times_of_the_simulation_are_kept(tmp_path: Path) -> None:
    assert simulated(read(tmp_path, rig(), times=(0.5, 2.5, 0.04))) == (0.5, 2.5, 50)
    assert simulated(read(tmp_path, rig(), times=(0.0, 0.0, 0.04))) is None
    assert simulated(asm.Assembly("other")) is None


def motion(tag: str, key: str, function: str, **more: str) -> Item:
    return Item(tag, "motor", {"MotionJoint": "/Rig/shaft", key: function, **more})


def test_motions_of_a_joint_become_drivers_with_laws(tmp_path: Path) -> None:
    turns = motion("RotationalMotion", "RotationZ", "2.0d*pi*time")
    slides = motion("TranslationalMotion", "TranslationZ", "0.5*time")._replace(name="push")
    found = read(tmp_path, rig(), [SHAFT], [turns, slides], banner=SI)
    for name, coordinate, at_2 in (("motor", "angle", 720.0), ("push", "length", 1000.0)):
        driver = found.drivers[name]
        assert (driver.joint, driver.coordinate) == ("shaft", coordinate)
        assert value(driver.law, 2.0) == pytest.approx(at_2, rel=1e-15)


def value(law: object, t: float) -> float:
    return float(law_of(law, "law").at(t)[0])


def test_limits_of_one_coordinate_become_one_limit(tmp_path: Path) -> None:
    def stop(name: str, tag: str, sign: str, value: str, **ends: str) -> Item:
        return Item(tag, name, {**ends, "Limit": value, "Type": sign, "Tol": "1.0e-9"})

    limits = [
        stop("low", "RotationLimit", "=>", "-30.0*pi/180.0", MotionJoint="/Rig/shaft"),
        stop("high", "RotationLimit", "=<", "1.5707963267948966d", **ENDS),
        stop("long", "TranslationLimit", "=<", "0.2", MotionJoint="/Rig/shaft"),
        stop("near", "DistanceLimit", "=>", "0.05", **ENDS),
    ]
    found = read(tmp_path, rig(), [SHAFT], limits=limits, banner=SI).limits
    bounds = {name: (limit.kind, limit.min, limit.max) for name, limit in found.items()}
    assert bounds == {
        "low, high": ("angle", pytest.approx(-30.0), pytest.approx(90.0)),
        "long": ("length", None, 200.0),
        "near": ("separation", 50.0, None),
    }


def test_a_general_motion_guides_one_marker_in_the_frame_of_the_other(tmp_path: Path) -> None:
    place = {"rIJI1": "0.03*time", "rIJI2": "0.01", "rIJI3": "cos(time)"}
    turns = {"angIJJ1": "0.3", "angIJJ2": "time - 0.2", "angIJJ3": "0.1"}
    moved = Item("GeneralMotion", "hand", {**ENDS, **place, **turns, "RotationOrder": "3\t2\t1"})
    random = np.random.default_rng(4)
    i, j = any_frame(random, 0.5), any_frame(random, 0.5)
    bodies = [Body("Rig", Frame(), {"A": i}), Body("Arm", Frame((1, 2, 3)), {"B": j})]
    found = read(tmp_path, bodies, [], [moved], banner=SI)
    found.set_driver("hand", 0.7)
    asm.solve(found).require().apply()
    mm = [marker._replace(at=1000 * np.asarray(marker.at)) for marker in (i, j)]
    seen = pair(mm[0], frame_of(found, "Arm") @ mm[1])
    np.testing.assert_allclose(seen.d, 1000 * np.array([0.021, 0.01, cos(0.7)]), atol=1e-8)
    expected = turn(0.3 * Z) @ turn(0.5 * Y) @ turn(0.1 * X)
    np.testing.assert_allclose(seen.c, expected, atol=1e-11)


def test_where_a_joint_has_no_coordinate_the_measure_between_its_markers_is_driven(
    tmp_path: Path,
) -> None:
    ball = joint("SphericalJoint", "shaft", "A", "Arm/B")
    turns = motion("RotationalMotion", "RotationZ", "pi/6")
    ways = Item("TranslationalMotion", "way", {**ENDS, "TranslationZ": "0.25"})
    found = read(tmp_path, rig(), [ball], [turns])
    solution = asm.solve(found).require()
    assert (solution.dof, solution.dof_left) == (3, 2)
    solution.apply()
    seen = pair(frame_of(found, "Rig"), frame_of(found, "Arm")).c[:, 0]
    assert np.degrees(np.arctan2(seen[1], seen[0])) == pytest.approx(30.0, abs=1e-9)
    found = read(tmp_path, rig(), [], [ways], banner=SI)
    asm.solve(found).require().apply()
    assert found.pose("Arm").position[2] == pytest.approx(30.0 + 250.0, abs=CLOSE)


# ---------------------------------------------------------------------------------- functions
FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "2.0d*pi*time": lambda t: 2 * pi * t,
    "1.5d2 - 2e-1*time": lambda t: 150 - 0.2 * t,
    '1 + 1*sin(1*time - pi/2) "up<n>and down"': lambda t: 1 + sin(t - pi / 2),
    "2*time<n>  + 1": lambda t: 2 * t + 1,
    "-time^2": lambda t: -(t**2),
    "3*-2^2": lambda t: 12.0,
    "2^-1^2": lambda t: 2.0,
    "1 - -2": lambda t: 3.0,
    "6/2/3*time": lambda t: t,
    "-(time + 1)*2": lambda t: -2 * (t + 1),
    "2^3^2": lambda t: 512.0,
    "arctan(time) + arcsin(time/4) + abs(-time)": lambda t: atan(t) + asin(t / 4) + t,
    "cos(time)*exp(0.1*time)": lambda t: cos(t) * np.exp(0.1 * t),
    "rampstep(time, 0.5, 1.0, 1.5, 4.0)": lambda t: min(max(1 + 3 * (t - 0.5), 1.0), 4.0),
    "piecewise(time, functions(1, 2*time, 5), transitions(0.5, 2))": lambda t: (
        1.0 if t < 0.5 else 2 * t if t < 2 else 5.0
    ),
    "": lambda t: 0.0,
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_mean_what_they_mean_there(function: str) -> None:
    read = Expression.parse(functions.translated(function), ["t"])
    for t in (0.1, 0.75, 1.25, 3.0):
        expected = FUNCTIONS[function](t)
        assert float(read.jet(np.array(t)).value) == pytest.approx(expected, rel=1e-14)


def test_a_function_without_time_is_a_number() -> None:
    assert functions.law("pi/4", "degrees({})") == 45.0
    assert functions.law("pi*time", "degrees({})") == "degrees(pi*t)"


NO_FUNCTIONS = {
    "bessel(time)": "no function 'bessel' in 'bessel(time)'; known: abs, ",
    "sinn(time)": "did you mean 'sin' or 'asin' or 'arcsin'?",
    "2*x": "no name 'x' in '2*x'; known: pi, time",
    "2*(time": "'the end' stands where ')' must in '2*(time'",
    "2 time": "'time' is not expected in '2 time'",
    "2*": "'the end' stands where a number or a name must in '2*'",
    "2 # 3": "'#' has no meaning in '2 # 3'",
    "sin(1, 2)": "sin has 2 numbers, not 1 in 'sin(1, 2)'",
    "rampstep(time, 1)": "rampstep has 2 numbers, not 5",
    "piecewise(time, functions(1), transitions(1))": "1 functions and 1 transitions",
    "spline(time, 3, 0, 0, 1, 1)": "no function 'spline' in ",
}


@pytest.mark.parametrize("function", NO_FUNCTIONS)
def test_a_function_that_is_not_known_is_said_in_one_line(function: str, tmp_path: Path) -> None:
    moved = motion("RotationalMotion", "RotationZ", function)
    said = left_out(tmp_path, rig(), [SHAFT], [moved])["motor"]
    assert NO_FUNCTIONS[function] in said
    assert "\n" not in said
    with pytest.raises(NotUnderstood):
        functions.translated(function)


# ------------------------------------------------------------------------ what is not taken
def test_a_joint_that_is_not_known_is_named(tmp_path: Path) -> None:
    found = read(tmp_path, rig(), [HINGE, joint("RevoltJoint", "odd", "A", "Arm/B")])
    assert found.notes[LEFT_OUT] == {
        "odd": "no joint 'RevoltJoint'; did you mean 'RevoluteJoint' or 'RevCylJoint' or "
        "'RevRevJoint'?"
    }
    assert "left out of the file and not held: odd" in asm.solve(found).sentence


def test_whatever_is_not_taken_is_named_with_its_reason(tmp_path: Path) -> None:
    joints = [
        SHAFT,
        joint("RevoluteJoint", "lost", "A", "Arm/C"),
        joint("RevoluteJoint", "more", "A", "Arm/B", friction=1),
        joint("GearJoint", "gears", "A", "Arm/B", radiusI=1, radiusJ=0),
        joint("SphSphJoint", "short", "A", "Arm/B", distanceIJ=-1),
    ]
    motions = [
        Item("AllowRotation", "free", {"MotionJoint": "/Rig/shaft"}),
        Item("GeneralMotion", "loose", {**ENDS, "RotationOrder": "1 4 2"}),
        Item("RotationalMotion", "gone", {"MotionJoint": "/Rig/shift", "RotationZ": "time"}),
    ]
    limits = [
        Item("RotationLimit", "odd", {"MotionJoint": "/Rig/shaft", "Limit": "0", "Type": ">"}),
        Item("RotationLimit", "one", {"MotionJoint": "/Rig/shaft", "Limit": "0", "Type": "=>"}),
        Item("RotationLimit", "two", {"MotionJoint": "/Rig/shaft", "Limit": "1", "Type": "=>"}),
    ]
    forces = [Item("InLineForceTorque", "spring", {"tension": "1"})]
    assert left_out(tmp_path, rig(), joints, motions, limits, forces) == {
        "lost": "no marker '/Rig/Arm/C'; did you mean '/Rig/Arm/B' or '/Rig/A'?",
        "more": "no 'friction' in RevoluteJoint; known: Name, MarkerI, MarkerJ",
        "short": "its distance is -1 mm",
        "gears": "its radii are 1 and 0 mm",
        "free": "OndselSolver lets the joint turn while it assembles and holds it after that; "
        "give a driver of its angle a value instead",
        "loose": "its order is '1 4 2', it must be as '1 2 3'",
        "gone": "no joint '/Rig/shift' that was taken; did you mean '/Rig/shaft'?",
        "odd": "its type is '>', it must be => or =<",
        "two": "one is already a min of the same",
        "spring": "InLineForceTorque: forces between markers are not read",
    }


def test_keys_that_are_not_known_are_named_wherever_they_stand(tmp_path: Path) -> None:
    whole = text(rig(mass=(2.0, Frame(), (1, 1, 1))), [HINGE])
    for old, new in (
        ("\tParts", "\tGears\n\tParts"),
        ("\t\tPart\n", "\t\tPart\n\t\t\tColour\n"),
        ("\t\t\t\tMass\n", "\t\t\t\tVolume\n\t\t\t\tMass\n"),
        ("\tRefCurves", "\tRefCurves\n\t\tRefCurve"),
        ("\tKinematicIJs", "\tKinematicIJs\n\t\tKinematicIJ"),
    ):
        whole = whole.replace(old, new, 1)
    reasons = asm.read(save(tmp_path / "x.asmt", whole)).notes[LEFT_OUT]
    assert reasons["Gears of Assembly 'Rig'"].startswith("no 'Gears' in Assembly; known: Notes, ")
    assert reasons["Colour of Part 'Arm'"].startswith("no 'Colour' in Part; known: Name, ")
    assert reasons["Volume of Part 'Arm'"].startswith("no 'Volume' in PrincipalMassMarker; ")
    assert reasons["RefCurves of Assembly 'Rig'"] == "curves are not read"
    assert reasons["KinematicIJs of Assembly 'Rig'"] == "measurements of OndselSolver are not read"
    assert len(reasons) == 5


def test_a_mass_or_a_limit_that_cannot_be_is_named(tmp_path: Path) -> None:
    heavy = (-2.0, Frame(), (1, 1, 1))
    bounds = {"MotionJoint": "/Rig/hinge", "Tol": "1e-9"}
    limits = [
        Item("RotationLimit", "low", {**bounds, "Limit": "2", "Type": "=>"}),
        Item("RotationLimit", "high", {**bounds, "Limit": "1", "Type": "=<"}),
    ]
    reasons = left_out(tmp_path, rig(mass=heavy), [HINGE], limits=limits)
    assert (
        reasons["mass of Arm"] == "kg: -2.0 is not possible here, it must be a mass above 0 in kg"
    )
    assert reasons["low, high"].startswith("limits.low, high.max: 57.2957795130823")


def test_a_file_that_was_cut_short_is_not_read(tmp_path: Path) -> None:
    heavy = (2.0, Frame((0.5, 0.0, 0.0)), (1.0, 2.0, 3.0))
    lines = text(rig(mass=heavy), [HINGE]).split("\n")
    last = lines.index("\tAnimationParameters")
    for count in range(last):
        with pytest.raises(FormatError) as caught:
            asm.read(save(tmp_path / "x.asmt", "\n".join(lines[:count])))
        assert str(caught.value).startswith("x.asmt")
        assert "\n" not in str(caught.value)
    assert asm.read(save(tmp_path / "x.asmt", "\n".join(lines[: last + 1]))).mates


def swapped(old: str, new: str) -> str:
    whole = text(rig(), [HINGE])
    assert old in whole
    return whole.replace(old, new, 1)


FAULTS = {
    "x.asmt line 2: 'Part' stands where 'Assembly' must, below 'OndselSolver'": lambda: swapped(
        "Assembly", "Part"
    ),
    "x.asmt: there is nothing after its first line": lambda: "OndselSolver\n",
    "x.asmt line 9: RotationMatrix of Assembly 'Rig': no rotation: it changes a length by 5.125 % "
    "(at most 0.1 %)": lambda: swapped("1.0\t0.0\t0.0", "1.0\t0.1\t0.0"),
    "x.asmt line 9: RotationMatrix of Assembly 'Rig': no rotation: it mirrors": lambda: swapped(
        "1.0\t0.0\t0.0", "-1.0\t0.0\t0.0"
    ),
    "x.asmt line 7: Position3D of Assembly 'Rig' is '0.0\\t0.0', it must be 3 numbers": (
        lambda: swapped("0.0\t0.0\t0.0", "0.0\t0.0")
    ),
    "x.asmt line 7: Position3D of Assembly 'Rig' is 'nan\\t0.0\\t0.0', it must be 3 numbers": (
        lambda: swapped("0.0\t0.0\t0.0", "nan\t0.0\t0.0")
    ),
    "x.asmt line 5: 'Name' is indented by 4 levels, 3 at most": lambda: swapped(
        "\t\t\n\tName", "\t\t\n\t\t\t\tName"
    ),
}


@pytest.mark.parametrize("said", FAULTS)
def test_a_file_that_is_not_what_it_claims_is_told_with_its_line(said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        asm.read(save(tmp_path / "x.asmt", FAULTS[said]()))
    assert str(caught.value) == said


def test_two_parts_of_one_name_are_refused(tmp_path: Path) -> None:
    ground, arm = rig()
    with pytest.raises(AssemblySolverError, match="already a part 'Arm'"):
        read(tmp_path, [ground, arm, arm])


def test_a_part_may_have_the_name_of_the_assembly(tmp_path: Path) -> None:
    ground, arm = rig()
    found = read(tmp_path, [ground, arm._replace(name="Rig")], [])
    assert [(p.name, p.grounded) for p in found.parts.values()] == [
        ("Rig (2)", True),
        ("Rig", False),
    ]


def test_a_constant_is_a_function_without_time() -> None:
    assert functions.constant("sqrt(2.0d)") == pytest.approx(sqrt(2.0), rel=1e-15)
    with pytest.raises(NotUnderstood, match="it changes with time"):
        functions.constant("2*time")


# ---------------------------------------------------------------------------------- command line
def test_the_command_line_reads_it_and_converts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heavy = (2.0, Frame((0.5, 0.0, 0.0)), (1.0, 2.0, 3.0))
    stop = Item("RotationLimit", "stop", {**ENDS, "Limit": "2", "Type": "=<", "Tol": "1e-9"})
    turns = motion("RotationalMotion", "RotationZ", "2.0d*pi*time + 0.5")
    whole = text(rig(mass=heavy), [SHAFT], [turns], [stop], gravity=(0, 0, -9.81), banner=SI)
    file, native = save(tmp_path / "x.asmt", whole), tmp_path / "x.assembly.json"
    for words in (("solve", "--json"), ("diagnose",), ("analyse",)):
        assert cli.main([words[0], str(file), *words[1:]]) == 0
    assert cli.main(["convert", str(file), str(native)]) == 0
    one, two = asm.solve(asm.read(file)).require(), asm.solve(asm.read(native)).require()
    assert one.poses == two.poses
    capsys.readouterr()
    assert cli.main(["convert", str(native), str(tmp_path / "y.asmt")]) == 2
    said = capsys.readouterr().err
    assert "y.asmt: files are written by suffix, one of .assembly.json, .FCStd, " in said
    seen = pair(Frame(), Frame((0, 0, 0), one.poses["Arm"].rotation)).c[:, 0]
    assert np.arctan2(seen[1], seen[0]) == pytest.approx(0.5, abs=1e-12)


def test_a_joint_that_is_left_out_is_told_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = text(rig(), [HINGE, joint("BallJoint", "odd", "A", "Arm/B")])
    assert cli.main(["solve", str(save(tmp_path / "x.asmt", whole))]) == 1
    assert "odd: no joint 'BallJoint'" in capsys.readouterr().out


def test_a_sweep_takes_the_times_that_the_file_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = motion("RotationalMotion", "RotationZ", "pi*time/3")
    whole = text(rig(), [SHAFT], [turns], times=(0.0, 2.0, 0.25))
    file, out = save(tmp_path / "x.asmt", whole), tmp_path / "x.csv"
    for words, ends in (((), (9, 120.0)), (("--steps", "4"), (5, 120.0))):
        assert cli.main(["sweep", str(file), *words, "-o", str(out)]) == 0
        head, *rows = (line.split(",") for line in out.read_text().splitlines())
        column = head.index("driver:motor")
        assert (len(rows), float(rows[-1][column])) == (ends[0], pytest.approx(ends[1]))
    still = save(tmp_path / "y.asmt", text(rig(), [SHAFT]))
    assert cli.main(["sweep", str(still)]) == 2
    assert "a sweep needs '--driver NAME" in capsys.readouterr().err
