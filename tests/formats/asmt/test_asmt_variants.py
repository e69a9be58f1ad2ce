"""Files that are not quite as OndselSolver writes them: matrices, names, indents, free parts."""

from __future__ import annotations

from collections.abc import Callable
from math import cos
from pathlib import Path

import numpy as np
import pytest
from asmt_files import MM, Array, Body, Frame, Item, joint, save, text
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.errors import FormatError
from assembly_solver.formats import LEFT_OUT, READ_AS
from assembly_solver.formats.native import assembly_json

pytestmark = pytest.mark.quick

Run = Callable[..., tuple[int, str, str]]

HINGE = joint("RevoluteJoint", "hinge", "A", "Arm/B")
SHAFT = joint("CylindricalJoint", "shaft", "A", "Arm/B")
ENDS = {"MarkerI": "/Rig/A", "MarkerJ": "/Rig/Arm/B"}
CLOSE = 1e-9
"""mm: a normal solve reaches it."""


def rig(*more: Body) -> list[Body]:
    """A grounded assembly with markers and an arm that stands aside."""
    markers = {"A": Frame((10, 20, 30)), "C": Frame((10, 20, 34), _turn((0, 0, 40)))}
    away = Frame((100, 200, 300), _turn((0, 6, 0)))
    return [Body("Rig", Frame(), markers), Body("Arm", away, {"B": Frame()}), *more]


def _turn(degrees: tuple[float, float, float]) -> Array:
    found: Array = Rotation.from_rotvec(degrees, degrees=True).as_matrix()
    return found


def read(folder: Path, *args: object, **keys: object) -> asm.Assembly:
    return asm.read(save(folder / "x.asmt", text(*args, **keys)))  # type: ignore[arg-type]


# ------------------------------------------------------------------------------- matrices
def four_bar() -> list[Body]:
    """Four hinges with parallel axes that point anywhere: 3 equations are redundant."""
    lean = _turn((25, -40, 70))

    def at(x: float, y: float) -> Frame:
        place: Array = lean @ (x, y, 0.0)
        return Frame(place, lean)

    return [
        Body("Rig", Frame(), {"A": at(0, 0), "D": at(90, 0)}),
        Body("Crank", at(0, 0), {"A": Frame(), "B": Frame((0, 40, 0))}),
        Body("Rod", at(0, 40), {"B": Frame(), "C": Frame((90, 40, 0))}),
        Body("Rocker", at(90, 0), {"C": Frame((0, 80, 0)), "D": Frame()}),
    ]


PINS = [
    joint("RevoluteJoint", "a", "A", "Crank/A"),
    joint("RevoluteJoint", "b", "Crank/B", "Rod/B"),
    joint("RevoluteJoint", "c", "Rod/C", "Rocker/C"),
    joint("RevoluteJoint", "d", "Rocker/D", "D"),
]


def stretched(frame: Frame, random: np.random.Generator, share: float) -> Frame:
    """A frame whose matrix stretches and skews by up to a share."""
    axes = Rotation.random(random_state=random.integers(1 << 30)).as_matrix()
    stretch = axes @ np.diag(1.0 + share * random.uniform(-1, 1, 3)) @ axes.T
    return frame._replace(turn=frame.turn @ stretch)


@pytest.mark.parametrize("share", [9e-8, 1e-6, 1e-3])
@pytest.mark.parametrize("seed", range(3))
def test_matrices_that_are_not_quite_rotations_mean_the_nearest_one(
    seed: int, share: float, tmp_path: Path
) -> None:
    random = np.random.default_rng(seed)
    bodies = [
        body._replace(
            frame=stretched(body.frame, random, share),
            markers={name: stretched(f, random, share) for name, f in body.markers.items()},
        )
        for body in four_bar()
    ]
    exact, found = read(tmp_path, four_bar(), PINS), read(tmp_path, bodies, PINS)
    for part in exact.parts:
        np.testing.assert_allclose(found.pose(part).rotation, exact.pose(part).rotation, atol=4e-15)
    solution = asm.solve(found)
    assert (solution.dof, solution.redundant_equations) == (1, 3)
    assert solution.residual < CLOSE


# ---------------------------------------------------------------- names, and markers alone
NAMELESS = {
    "an empty line": ("\t\t\t\tName\n\t\t\t\t\thinge\n", "\t\t\t\tName\n\t\t\t\t\t\n"),
    "no line": ("\t\t\t\tName\n\t\t\t\t\thinge\n", "\t\t\t\tName\n"),
    "no key": ("\t\t\t\tName\n\t\t\t\t\thinge\n", ""),
}


@pytest.mark.parametrize("way", NAMELESS)
def test_a_joint_without_a_name_has_one_of_its_kind_and_markers(way: str, tmp_path: Path) -> None:
    whole = text(rig(), [HINGE, HINGE._replace(tag="ParallelAxesJoint")])
    old, new = NAMELESS[way]
    assert whole.count(old) == 2
    found = asm.read(save(tmp_path / "x.asmt", whole.replace(old, new)))
    assert list(found.mates) == ["revolute Rig.A - Arm.B", "parallel Rig.A - Arm.B"]
    assert asm.solve(found).require().dof == 1


def test_two_lines_of_a_name_are_refused(tmp_path: Path) -> None:
    whole = text(rig(), [HINGE]).replace("\t\t\t\t\thinge\n", "\t\t\t\t\thinge\n" * 2)
    said = r"x\.asmt line \d+: Name of RevoluteJoint 'hinge' has 2 lines, it must have one"
    with pytest.raises(FormatError, match=said):
        asm.read(save(tmp_path / "x.asmt", whole))


def test_motions_and_limits_may_name_markers_beside_an_empty_joint(tmp_path: Path) -> None:
    aside = {**ENDS, "MotionJoint": ""}
    turns = Item("RotationalMotion", "", {**aside, "RotationZ": "2.0d*pi*time"})
    stop = Item("RotationLimit", "", {**aside, "Limit": "pi/6", "Type": "=>", "Tol": "1e-9"})
    found = read(tmp_path, rig(), [HINGE], [turns], [stop])
    driver, limit = found.drivers["RotationalMotion"], found.limits["RotationLimit"]
    assert (
        (driver.joint, driver.coordinate) == (limit.joint, limit.coordinate) == ("hinge", "angle")
    )
    assert limit.min == pytest.approx(30.0)
    motion = asm.sweep(read(tmp_path, rig(), [SHAFT], [turns]), time=(0.0, 2.0), steps=8)
    assert motion.valid.all()
    assert motion.joint("shaft", "angle").value[-1] == pytest.approx(720.0, abs=1e-9)


def test_a_general_motion_without_an_order_of_its_turns_is_left_out_by_name(tmp_path: Path) -> None:
    keys = {f"rIJI{k}": "0" for k in (1, 2, 3)} | {f"angIJJ{k}": "time" for k in (1, 2, 3)}
    found = read(tmp_path, rig(), [], [Item("GeneralMotion", "hand", {**ENDS, **keys})])
    assert found.notes[LEFT_OUT] == {
        "hand": "it has no RotationOrder: its angles could mean twelve poses"
    }


# ------------------------------------------------------------------ two markers of one part
def test_a_joint_within_one_part_holds_always_or_contradicts_itself(
    run: Run, tmp_path: Path
) -> None:
    within = [
        joint("ParallelAxesJoint", "same way", "A", "C"),
        joint("PlanarJoint", "height", "A", "C", offset=4),
        joint("CylindricalJoint", "axis", "A", "C"),
    ]
    found = read(tmp_path, rig(), [HINGE, *within])
    held = "redundant: both its markers are on Rig, where it holds always"
    told = dict(found.notes[READ_AS])
    told.pop("unit of length")
    assert told == dict.fromkeys(("same way", "height", "axis"), held)
    assert LEFT_OUT not in found.notes and list(found.mates) == ["hinge"]
    never = [
        joint("PlanarJoint", "too high", "A", "C", offset=7.5),
        joint("FixedJoint", "weld", "A", "C"),
        joint("NoRotationJoint", "turned", "C", "A"),
    ]
    file = save(tmp_path / "x.asmt", text(rig(), [HINGE, *never]))
    on = "it contradicts itself: both its markers are on Rig, off by"
    assert asm.read(file).notes[LEFT_OUT] == {
        "too high": f"{on} 3.5 mm",
        "weld": f"{on} 4 mm and 40 degrees",
        "turned": f"{on} 40 degrees",
    }
    status, out, _ = run("solve", file)
    assert (status, "too high: it contradicts itself" in " ".join(out.split())) == (1, True)


# --------------------------------------------------------------------- indents and first lines
@pytest.mark.parametrize("width", [1, 2, 4])
def test_spaces_stand_for_tabs(width: int, tmp_path: Path) -> None:
    whole = text(rig(), [HINGE])
    lines = []
    for line in whole.split("\n"):
        inner = line.lstrip("\t")
        lines.append(" " * (width * (len(line) - len(inner))) + inner.replace("\t", "   "))
    tabs = asm.read(save(tmp_path / "x.asmt", whole))
    spaces = asm.read(save(tmp_path / "x.asmt", "\n".join(lines)))
    assert assembly_json.dump(spaces) == assembly_json.dump(tabs)
    lines[5] = " " + lines[5]
    with pytest.raises(FormatError, match=r"x\.asmt line 6: 'Rig' is indented by \d+ "):
        asm.read(save(tmp_path / "x.asmt", "\n".join(lines)))


@pytest.mark.parametrize(
    "banner", ["", "\n\n", "MbD 7: motion\n", "ONDSELSOLVER 2\r\n", "\ufeffX\n"]
)
def test_any_first_line_may_stand_above_an_assembly(banner: str, tmp_path: Path) -> None:
    whole = text(rig(), [HINGE])
    plain = asm.read(save(tmp_path / "x.asmt", whole))
    found = asm.read(save(tmp_path / "x.asmt", whole.replace(f"{MM}\n", banner, 1)))
    assert assembly_json.dump(found) == assembly_json.dump(plain)


# ------------------------------------------------------------------------------ free parts
@pytest.mark.parametrize("markers", [True, False])
def test_what_no_joint_holds_is_free(markers: bool, tmp_path: Path) -> None:
    """A pair on a hinge of its own, and a part alone: 6 + 1 + 6, and a hinge on the ground."""
    others = [
        Body("One", Frame((50, 0, 0)), {"B": Frame()}),
        Body("Two", Frame((50, 0, 9)), {"B": Frame()}),
        Body("Alone", Frame((0, 70, 0)), {}),
    ]
    pair = joint("RevoluteJoint", "pair", "One/B", "Two/B")
    bodies, joints = rig(*others), [HINGE, pair]
    if not markers:  # then nothing is grounded
        bodies, joints = [Body("Rig", Frame(), {}), *others], [pair]
    found = read(tmp_path, bodies, joints)
    solution = asm.solve(found).require()
    assert (solution.dof, solution.held) == (14 if markers else 13, [])
    assert len(solution.free_motions) == solution.dof
    words = [motion["words"] for motion in solution.free_motions]
    assert "Alone slides along (1, 0, 0)" in words
    again = assembly_json.read_text(assembly_json.dump(found))
    assert again.floating and asm.solve(again).dof == solution.dof


# ------------------------------------------------------------------------ laws, and joints
def test_an_integral_of_a_law_begins_with_0_at_0(tmp_path: Path) -> None:
    rate = "integral(time, piecewise(time, functions(0.5, cos(time)), transitions(1)))"
    turns = Item("RotationalMotion", "motor", {"MotionJoint": "/Rig/hinge", "RotationZ": rate})
    found = read(tmp_path, rig(), [HINGE], [turns])
    motion = asm.sweep(found, time=(0.0, 3.0), steps=6)
    expected = [0.5 * t if t < 1 else 0.5 + np.sin(t) - np.sin(1.0) for t in motion.t]
    np.testing.assert_allclose(
        motion.joint("hinge", "angle").value, np.degrees(expected), rtol=0, atol=1e-9
    )
    rates = [0.5 if t < 1 else cos(t) for t in motion.t]
    np.testing.assert_allclose(
        motion.joint("hinge", "angle").rate, np.degrees(rates), rtol=0, atol=1e-9
    )
    odd = turns._replace(keys={"MotionJoint": "/Rig/hinge", "RotationZ": "integral(1, time)"})
    said = read(tmp_path, rig(), [HINGE], [odd]).notes[LEFT_OUT]["motor"]
    assert said.startswith("integral has 1, t in it, not time and a function")


@pytest.mark.parametrize("half", [0.0, 180.0])
def test_a_constant_velocity_joint_stays_in_the_root_in_which_it_is_stored(
    half: float, tmp_path: Path
) -> None:
    """x_I . y_J + y_I . x_J vanishes for equal angles of both shafts, and half a turn away."""
    bend = _turn((0, 35, 0))
    for angle in (0.0, 50.0, 130.0):
        turn = _turn((0, 0, angle)) @ bend @ _turn((0, 0, half)) @ _turn((0, 0, angle))
        bodies = [
            Body("Rig", Frame(), {"A": Frame()}),
            Body("Arm", Frame((0, 0, 0), turn), {"B": Frame()}),
        ]
        found = read(tmp_path, bodies, [joint("ConstantVelocityJoint", "J", "A", "Arm/B")])
        poses = asm.solve(found).require().poses
        np.testing.assert_allclose(poses["Arm"].rotation, turn, atol=1e-12)
