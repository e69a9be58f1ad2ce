"""What nothing drives stays where it is held, or an event names what is held instead."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.cli.program import main
from assembly_solver.errors import BadValue
from assembly_solver.verbs.run_paths import run_paths
from benchmarks.adversary.generators import sweeps
from benchmarks.held import DRIFT, drawn, swept, wrong
from benchmarks.reduced_loops import grid

PLANE, OTHER = 40, 49
"""Numbers of a five-bar and of a spatial loop whose held angle stops them."""


@pytest.mark.parametrize("seed", range(40, 50))
def test_a_loop_with_a_held_angle_moves_as_with_a_driver_of_constant_value(seed: int) -> None:
    """The sample of `benchmarks.held`: same states, same end, no velocity that jumps."""
    assert wrong(seed) == []


def test_a_five_bar_stops_at_the_dead_point_of_what_is_held() -> None:
    motion = swept(drawn(PLANE))
    assert motion.held == ("J4 angle",)
    assert motion.stopped is not None and motion.stopped.kind == "dead point"
    assert motion.stopped.value == pytest.approx(20.94638579, abs=1e-6)  # that of the driven one
    driven = drawn(PLANE)
    driven.drive("hold", "J4", "angle")
    driven.set_driver("hold", 0.0)
    end = swept(driven).stopped
    assert end is not None and end.value == pytest.approx(motion.stopped.value, abs=1e-6)
    assert np.ptp(motion.joint("J4", "angle").value[motion.valid]) < DRIFT


@pytest.mark.parametrize("seed", [42, OTHER])
def test_another_angle_may_be_held_and_an_event_names_both(seed: int) -> None:
    motion = swept(drawn(seed), hold="any")
    assert motion, motion.sentence
    releases = [e for e in motion.events if e.kind == "release"]
    assert releases and not any(e.stops for e in releases)
    first = motion.held[0].split(" until ")[0]
    assert releases[0].words.startswith(f"{first} is released at input ")
    assert len(motion.held) == 1 + len(releases)
    new = motion.held[1].split(" from ")[0]
    assert f"and {new} is held from input " in releases[0].words
    assert wrong(seed, hold="any") == []
    assert swept(drawn(seed)).stopped is not None


def test_a_limit_is_told_with_what_is_held_until_there() -> None:
    """After the release of one angle the crank goes on to a limit, which ends what is told."""
    a = drawn(OTHER)
    whole = swept(a, hold="any")
    release = next(e for e in whole.events if e.kind == "release")
    a.limit("J1", "angle", max=release.value - 1.0, name="stop")
    motion = swept(a, hold="any")
    assert motion.stopped is not None and motion.stopped.kind == "limit"
    assert motion.events == (motion.stopped,)
    assert motion.held == (whole.held[0].split(" until ")[0],)


def test_the_angle_held_from_a_release_on_meets_its_limits() -> None:
    """A limit passed while the angle comes to rest is found in that interval."""
    a = drawn(OTHER)
    track = swept(a, 720, hold="any")
    (release,) = (e for e in track.events if e.kind == "release")
    joint = release.words.split(", and ")[1].split()[0]
    value, at = track.joint(joint, "angle").value, track.prescribed["input"]
    k = int(np.argmax(at > release.value)) + 4
    grows = value[k] > value[k - 1]
    name = {"max" if grows else "min": float(value[k])}
    a.limit(joint, "angle", **name, name="stop")
    motion = swept(a, 72, hold="any")
    assert motion.stopped is not None and motion.stopped.kind == "limit"
    assert motion.stopped.value == pytest.approx(at[k], abs=1e-6)


@pytest.mark.parametrize("seed", [42, OTHER])
def test_poses_between_states_follow_what_is_released_and_held_there(seed: int) -> None:
    """Two releases, or one: with what is locked after the last, parts were 88 mm off."""
    fine, motion = swept(drawn(seed), 360, hold="any"), swept(drawn(seed), 72, hold="any")
    (path,) = run_paths(motion, motion.followed)
    times = [e.t for e in motion.events if e.kind == "release"]
    first, last = (int(np.searchsorted(path.t, t)) - 1 for t in (times[0], times[-1]))
    for k in range(first, last + 6):
        for j in range(5 * k + 1, 5 * k + 5):
            frames, twists = path.moving(k, float(fine.t[j]))
            np.testing.assert_allclose(frames, fine.frames[j], atol=1e-8)
            np.testing.assert_allclose(twists, fine.twists[j], atol=1e-8)


def test_a_loop_that_rests_after_a_release_is_proved_with_what_is_held_since() -> None:
    """While the other driver of a grid moves alone; it was taken to hold what it held at first."""
    a = drawn(42)
    a.add("block", grounded=True, features={"axle": asm.Frame((500, 0, 0))})
    a.add("wheel", features={"axle": asm.Frame((0, 0, 0))})
    a.mate("revolute", "block.axle", "wheel.axle", name="axle")
    a.drive("wheel", "axle", "angle")
    values = {"input": [0.0, 290.0, 300.0], "wheel": [0.0, 10.0, 20.0]}
    motion = asm.sweep(a, values, grid=True, hold="any", certify=True)
    assert {e.kind for e in motion.events} == {"release"}
    assert motion.certified is not None
    steps = [(s["from"], s["to"], s["proved"]) for s in motion.certified["steps"]]
    assert steps[-2:] == [(6, 7, True), (7, 8, True)]


def test_the_command_line_holds_the_same_or_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "loop.assembly.json"
    asm.write(drawn(OTHER), file)
    words = ["sweep", str(file), "--driver", "input=0:360", "--steps", "72", "--json"]
    for more, good in (([], False), (["--hold", "any"], True)):
        assert main([*words, *more]) == (0 if good else 1)
        found = json.loads(capsys.readouterr().out)
        assert found["valid"] is good
        assert [e["kind"] for e in found["events"]] == (["release"] if good else ["dead point"])


def test_an_idle_rod_is_held_about_another_axis_where_its_angle_is_nearly_undefined() -> None:
    """A rod between two balls whose axis passes the opposite of the one that its spin is about.

    There the spin turns at once, no dead point is ahead, and the sweep ended at -41.2 degrees.
    """
    _, mechanism, draft, whole, steps = sweeps.drawn(2661)
    first, last = mechanism.values
    motion = asm.sweep(draft.build(), {"input": (np.degrees(first), np.degrees(last))}, steps=steps)
    assert motion, motion.sentence
    (release,) = motion.events
    assert release.kind == "release" and release.words.startswith("the turn of rod against crank")
    assert "held about another axis" in release.words
    for ref, point in mechanism.form(np.radians(motion.prescribed["input"])).items():
        found = motion.point(ref).position
        np.testing.assert_allclose(found, whole.apply(np.asarray(point, float)), atol=1e-9)


def test_the_spins_of_rods_in_a_grid_are_held_in_their_order() -> None:
    """Each rod about its own two balls, though their null space mixes all spins."""
    motion = asm.sweep(grid(3, even=True), {"motor": (12.0, 42.0)}, steps=3)
    assert motion, motion.sentence
    rods = [words.split(" against ")[0] for words in motion.held]
    assert rods == [f"the turn of rod {n}" for n in range(8)]


def test_another_word_for_what_is_held_is_refused() -> None:
    with pytest.raises(BadValue, match='it must be "same" or "any"'):
        swept(drawn(PLANE), hold="all")
