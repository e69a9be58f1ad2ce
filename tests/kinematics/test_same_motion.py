"""A motion does not depend on how it was asked for, nor on how the assembly is written down."""

from __future__ import annotations

import math
from collections.abc import Callable

import jets as j
import numpy as np
import pytest
from builders import four_bar, six_bar, slider_crank
from jets import Array
from judging import whole
from mechanisms import disturb, moved, rebuilt, turned
from spatial import Rssr, shaft_line, spatial_slider_crank

import assembly_solver as asm

SPEED = 120.0

BUILT: dict[str, Callable[[], asm.Assembly]] = {
    "four-bar": lambda: four_bar(300, 100, 260, 200).build(20.0),
    "six-bar": lambda: six_bar().build(20.0),
    "slider-crank": lambda: slider_crank().build(20.0),
    "spatial slider-crank": lambda: spatial_slider_crank(20.0),
    "shafts": lambda: shaft_line((25.0, 35.0), (10.0, 60.0), 20.0),
    "rssr": lambda: Rssr().build(20.0),
}


def run(a: asm.Assembly, first: float = 20.0, last: float = 380.0, steps: int = 24) -> asm.Motion:
    return whole(asm.sweep(a, {"input": (first, last)}, steps=steps, speed=SPEED))


def gap(one: Array, two: Array) -> float:
    """Largest difference as a share of the largest value."""
    return float(np.abs(one - two).max() / max(1.0, np.abs(one).max()))


def of_parts(motion: asm.Motion, parts: tuple[str, ...], idle: tuple[str, ...] = ()) -> Array:
    """Frames of parts in an order, without those that spin idly: that spin is anyone's."""
    at = [motion.parts.index(p) for p in parts if p not in idle]
    return motion.frames[:, at]


IDLE = {"rssr": ("rod",)}


@pytest.mark.parametrize("name", BUILT)
def test_up_and_down_go_through_the_same_poses(name: str) -> None:
    up = run(BUILT[name]())
    down = run(BUILT[name](), 380.0, 20.0)
    parts = up.parts
    one, two = (of_parts(m, parts, IDLE.get(name, ())) for m in (up, down))
    assert gap(one, two[::-1]) < 1e-9


@pytest.mark.parametrize("name", BUILT)
def test_coarse_steps_give_the_states_of_fine_ones(name: str) -> None:
    fine, coarse = run(BUILT[name](), steps=120), run(BUILT[name](), steps=12)
    parts = fine.parts
    one, two = (of_parts(m, parts, IDLE.get(name, ())) for m in (fine, coarse))
    assert gap(one[::10], two) < 1e-9


@pytest.mark.parametrize("name", BUILT)
def test_the_first_value_may_be_away_from_the_start(name: str) -> None:
    """Driven to 140 degrees first: along the branch, as a sweep through there gives it."""
    there = run(BUILT[name](), 140.0, 200.0, steps=4)
    through = run(BUILT[name](), 20.0, 200.0, steps=12)
    parts = there.parts
    one, two = (of_parts(m, parts, IDLE.get(name, ())) for m in (through, there))
    assert gap(one[8:], two) < 1e-9


@pytest.mark.parametrize("name", BUILT)
def test_a_start_that_is_not_assembled_is_assembled_first(name: str) -> None:
    exact, off = run(BUILT[name]()), run(disturb(BUILT[name](), 3, 4.0, 3.0))
    one, two = (of_parts(m, exact.parts, IDLE.get(name, ())) for m in (exact, off))
    assert gap(one, two) < 1e-9


@pytest.mark.parametrize("name", BUILT)
def test_the_order_and_the_names_of_parts_and_mates_change_nothing(name: str) -> None:
    a = BUILT[name]()
    rng = np.random.default_rng(5)
    parts, mates = list(a.parts), list(a.mates)
    rng.shuffle(parts)
    rng.shuffle(mates)
    b = rebuilt(a, parts, mates, rename=lambda s: f"{len(s)} {s[::-1]}")
    joint = a.drivers["input"].joint
    assert joint is not None
    b.drive("input", f"{len(joint)} {joint[::-1]}", "angle")
    one, two = run(a), run(b)
    renamed = tuple(f"{len(p)} {p[::-1]}" for p in one.parts)
    idle = tuple(f"{len(p)} {p[::-1]}" for p in IDLE.get(name, ()))
    assert gap(of_parts(one, one.parts, IDLE.get(name, ())), of_parts(two, renamed, idle)) < 1e-9


@pytest.mark.parametrize("name", BUILT)
def test_a_motion_moves_with_the_whole(name: str) -> None:
    """Poses, twists and accelerations are carried along."""
    a = BUILT[name]()
    by = turned((1, -2, 0.5), 77, (300, -200, 150))
    one, two = run(a), run(moved(a, by))
    R, keep = by.rotation, [k for k, p in enumerate(one.parts) if p not in IDLE.get(name, ())]
    frames = one.frames[:, keep].reshape(len(one.t), len(keep), 4, 3) @ R.T
    frames[:, :, 0] += by.position
    assert gap(frames.reshape(len(one.t), len(keep), 12), two.frames[:, keep]) < 1e-9
    for ours, theirs in ((one.twists, two.twists), (one.accelerations, two.accelerations)):
        carried = ours[:, keep].reshape(len(one.t), len(keep), 2, 3) @ R.T
        assert gap(carried.reshape(len(one.t), len(keep), 6), theirs[:, keep]) < 1e-8


@pytest.mark.parametrize("scale", [1e-3, 0.1])
@pytest.mark.parametrize("name", BUILT)
def test_a_motion_does_not_depend_on_the_unit_of_length(name: str, scale: float) -> None:
    """The same model in metres or decimetres, each taken for mm."""
    a = BUILT[name]()
    b = rebuilt(a, scale=scale)
    joint = a.drivers["input"].joint
    b.drive("input", joint, "angle")
    one, two = run(a), run(b)
    keep = [k for k, p in enumerate(one.parts) if p not in IDLE.get(name, ())]
    lengths = np.array([scale] * 3 + [1.0] * 9)
    assert gap(one.frames[:, keep] * lengths, two.frames[:, keep]) < 1e-9
    units = np.array([scale] * 3 + [1.0] * 3)
    for ours, theirs in ((one.twists, two.twists), (one.accelerations, two.accelerations)):
        for part in (slice(0, 3), slice(3, 6)):
            mine, its = (ours * units)[:, keep, part], theirs[:, keep, part]
            assert np.abs(mine - its).max() < 1e-7 * max(
                scale if part.start == 0 else 1.0, np.abs(mine).max()
            )


def test_a_sweep_leaves_its_assembly_as_it_was() -> None:
    a = BUILT["six-bar"]()
    before, revision = {n: p.pose for n, p in a.parts.items()}, a.revision
    run(a)
    assert {n: p.pose for n, p in a.parts.items()} == before
    assert a.revision == revision


def test_a_speed_scales_rates_and_its_square_accelerations() -> None:
    a = BUILT["slider-crank"]()
    slow = whole(asm.sweep(a, {"input": (20, 380)}, steps=24, speed=1.0))
    fast = whole(asm.sweep(a, {"input": (20, 380)}, steps=24, speed=50.0))
    assert gap(50 * slow.twists, fast.twists) < 1e-12
    assert gap(2500 * slow.accelerations, fast.accelerations) < 1e-12
    np.testing.assert_allclose(fast.t, slow.t / 50, atol=1e-12)
    assert slow.t[-1] == pytest.approx(360.0)


def test_a_sweep_of_time_is_the_sweep_of_its_law() -> None:
    """alpha(t) = 20 + 360 t^2 over a second: the poses at these values, the rates of the law."""
    a, m = BUILT["four-bar"](), four_bar(300, 100, 260, 200)
    a.set_driver("input", None)
    b = rebuilt(a)
    b.drive("input", "A", "angle", law="20 + 360*t^2")
    motion = whole(asm.sweep(b, time=(0.0, 1.0), steps=30))
    t = j.at_speed(0.0, 1.0, 30, 1.0)
    turn = math.radians(360.0) * t * t + math.radians(20.0)
    tip, track = m.oracle(turn).points["rocker.tip"], motion.point("rocker.tip")
    assert gap(tip.value, track.position) < 1e-11
    assert gap(tip.rate, track.velocity) < 1e-10
    assert gap(tip.acc, track.acceleration) < 1e-9
    np.testing.assert_allclose(motion.driven["input"].rate, 720 * motion.t, atol=1e-9)
