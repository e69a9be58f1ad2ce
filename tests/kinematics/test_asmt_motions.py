"""The motions that OndselSolver and MBDyn stored are met in every frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from asmt_cases import Array, Series, Stored, file_of, read, stored, stored_in_original
from facts import facts, originals

import assembly_solver as asm
from assembly_solver.formats.native import assembly_json
from assembly_solver.formats.simulated import simulated
from assembly_solver.foundations.geometry.pose import Pose

pytestmark = pytest.mark.quick

M = 1000.0
"""mm: these files count in metres."""

POSE, RATE, ACCELERATION = 1e-9, 1e-7, 1e-6
"""Shares of the size of the mechanism, and of the largest rate and acceleration of any part: what
the stored numbers, with 14 digits, of a solver that stops at 1e-9 can be held to."""


def swept(assembly: asm.Assembly) -> asm.Motion:
    """The motion over the times that the file asks for, every state valid."""
    times = simulated(assembly)
    assert times is not None
    start, end, steps = times
    motion = asm.sweep(assembly, time=(start, end), steps=steps)
    assert motion, motion.sentence
    assert motion.valid.all()
    return motion


def worst(found: Array, expected: Array, scale: float = 1.0) -> float:
    """The largest difference, as a share of the largest expected number or of a scale."""
    return float(np.abs(found - expected).max()) / scale


def check(motion: asm.Motion, known: Stored, unit: float) -> None:
    """Every part at every known time, its velocity and its acceleration."""
    parts, picked = known.parts, known.picked
    assert len(motion.t) == known.frames
    np.testing.assert_allclose(motion.t[picked], known.times, rtol=0, atol=1e-12 * known.end)
    size = unit * max(np.abs(series.position).max() for series in parts.values())
    largest = {
        name: max(float(np.abs(getattr(series, name)).max()) for series in parts.values())
        for name in ("velocity", "spin", "acceleration", "spin_rate")
    }
    for name, series in parts.items():
        k = motion.parts.index(name)
        frames = motion.frames[picked, k]
        turned = frames[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
        assert worst(frames[:, :3], unit * series.position, size) < POSE, name
        assert worst(turned, series.rotation) < POSE, name
        twists, changes = motion.twists[picked, k], motion.accelerations[picked, k]
        for found, word, tolerance, scale in (
            (twists[:, :3], "velocity", RATE, unit),
            (twists[:, 3:], "spin", RATE, 1.0),
            (changes[:, :3], "acceleration", ACCELERATION, unit),
            (changes[:, 3:], "spin_rate", ACCELERATION, 1.0),
        ):
            most = scale * max(largest[word], 1e-3)  # what does not turn at all has no size
            assert worst(found, scale * getattr(series, word), most) < tolerance, (name, word)


KNOWN = [
    pytest.param(stored, id="facts"),
    pytest.param(stored_in_original, id="original", marks=originals),
]


@pytest.mark.parametrize("source", KNOWN)
@pytest.mark.parametrize("name", ["piston", "fourbar", "Gears", "dxftree"])
def test_a_stored_motion_is_met_in_every_frame(name: str, source: Callable[[str], Stored]) -> None:
    assembly, known = read(name), source(name)
    if name == "Gears":  # the input is half a turn away from the first frame
        assembly.move({part: first_pose(series) for part, series in known.parts.items()})
    check(swept(assembly), known, M)


def first_pose(series: Series) -> Pose:
    return Pose.from_frame([*(M * series.position[0]), *series.rotation[0].T.ravel()])


@pytest.mark.parametrize("name", ["piston", "dxftree"])
def test_a_converted_file_moves_alike(name: str) -> None:
    """Bit for bit: laws and frames are written with all their digits."""
    assembly = read(name)
    text = assembly_json.dump(assembly)
    other = assembly_json.read_text(text)
    assert assembly_json.dump(other) == text
    one, two = swept(assembly), swept(other)
    assert worst(one.frames, two.frames) == 0.0
    assert worst(one.accelerations, two.accelerations) == 0.0


@pytest.mark.parametrize("held", ["Limit1", "Limit2"])
def test_a_driven_piston_stops_at_its_limits(held: str) -> None:
    """Limit1: the crank at 0.  Limit2: 1200 = 2000 - 800 sin x - sqrt(1300^2 - (800 cos x)^2)."""
    assembly = read("pistonWithLimits")
    if held == "Limit2":
        assembly.remove_limit("Limit1")
    motion = asm.sweep(assembly, "Joint1", angle=(60.0, -60.0), steps=24)
    found = motion.stopped
    assert found is not None
    expected = 0.0 if held == "Limit1" else np.degrees(np.arcsin(-0.3203125))
    assert (found.kind, found.stops) == ("limit", True)
    assert found.value == pytest.approx(expected, abs=1e-9)
    assert found.words.startswith(held)
    reached = np.linspace(60.0, -60.0, 25) >= expected - 1e-9
    assert motion.valid.tolist() == reached.tolist()


# ------------------------------------------------------------------------------------- MBDyn
CRANK, ROD, OFFSET, TURNS = 200.0, 400.0, 50.0, 1.0
"""mm, and turns a second: those of crank_slider.mbd."""


def crank_slider() -> asm.Assembly:
    """Crank, rod and slider, each with its frame in its middle, at the start of the file."""
    made = asm.Assembly("crank slider")
    tilt = float(np.degrees(np.arcsin(OFFSET / ROD)))
    end = np.array([CRANK, 0.0, 0.0]) + ROD * np.array(
        [np.sqrt(1 - (OFFSET / ROD) ** 2), 0.125, 0.0]
    )
    pins = {"left": asm.Frame((-0.5 * ROD, 0.0, 0.0)), "right": asm.Frame((0.5 * ROD, 0.0, 0.0))}
    made.add(
        "ground",
        grounded=True,
        features={"shaft": asm.Frame((0, 0, 0)), "rail": asm.Frame((0, OFFSET, 0), "x", "y")},
    )
    made.add(
        "crank",
        pose=Pose((0.5 * CRANK, 0.0, 0.0)),
        features={"shaft": asm.Frame((-100.0, 0, 0)), "pin": asm.Frame((100.0, 0, 0))},
    )
    middle = 0.5 * (np.array([CRANK, 0.0, 0.0]) + end)
    made.add("rod", pose=Pose.from_axis(middle, (0, 0, 1), tilt), features=pins)
    slides = {"rail": asm.Frame((0, 0, 0), "x", "y"), "pin": asm.Frame((0, 0, 0))}
    made.add("slider", pose=Pose((float(end[0]), OFFSET, 0.0)), features=slides)
    made.mate("revolute", "ground.shaft", "crank.shaft", name="motor")
    made.mate("revolute", "crank.pin", "rod.left", name="crank pin")
    made.mate("revolute", "rod.right", "slider.pin", name="slider pin")
    made.mate("prismatic", "ground.rail", "slider.rail", name="rail")
    made.drive("speed", "motor", "angle", law=f"{360.0 * TURNS} * t")
    return made


def mbdyn_facts() -> tuple[int, list[int], Array]:
    """Number of states, those that are known, and their rows (n, 4, 19)."""
    told = facts("ondsel/crank_slider.json")
    return told["states"], told["picked"], np.array(told["rows"])


def mbdyn_original() -> tuple[int, list[int], Array]:
    """The same of all states in the original file."""
    rows = np.loadtxt(file_of("crank_slider.mov")).reshape(-1, 4, 19)
    return len(rows), [*range(len(rows))], rows


@pytest.mark.parametrize("source", [mbdyn_facts, pytest.param(mbdyn_original, marks=originals)])
def test_the_crank_slider_of_mbdyn_is_met_over_five_turns(
    source: Callable[[], tuple[int, list[int], Array]],
) -> None:
    states, picked, rows = source()
    motion = asm.sweep(crank_slider(), time=(0.0, 5.0), steps=states - 1)
    assert motion, motion.sentence
    for k, name in enumerate(("ground", "crank", "rod", "slider")):
        found, number = rows[:, k], motion.parts.index(name)
        frames, twists = motion.frames[picked, number], motion.twists[picked, number]
        turned = frames[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
        size = CRANK + ROD
        assert worst(frames[:, :3], M * found[:, 1:4], size) < POSE, name
        assert worst(turned, found[:, 4:13].reshape(-1, 3, 3)) < POSE, name
        assert worst(twists[:, :3], M * found[:, 13:16], 2 * np.pi * CRANK) < RATE, name
        assert worst(twists[:, 3:], found[:, 16:], 2 * np.pi) < RATE, name
    assert motion.joint("motor", "angle").value[-1] == pytest.approx(1800.0, abs=1e-9)
