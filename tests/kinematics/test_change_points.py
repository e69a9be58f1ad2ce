"""Linkages that fall in line and pass: the same branch on both sides, and the place is told.

pylinkage 1.3 jumps to the crossed branch at every change point, silently, at every step size.
"""

from __future__ import annotations

import math
from typing import Any

import jets as j
import numpy as np
import pytest
from builders import bar, ground, line, pins, still
from jets import Jet, off
from judging import turn_of, whole
from mechanisms import linkage

import assembly_solver as asm

Z = (0, 0, 1)
SPEED = 60.0


def parallelogram(start: float, cells: int = 1, one_coupler: bool = False) -> asm.Assembly:
    """Cranks of 50 mm on pins 100 mm apart, one more than cells, in parallel at the start.

    Each cell has a coupler of its own, or one coupler takes all pins.
    """
    t = math.radians(start)
    tip = np.array([50 * math.cos(t), 50 * math.sin(t), 0.0])
    feet = [np.array([100.0 * k, 0.0, 0.0]) for k in range(cells + 1)]
    cranks = [f"crank {k + 1}" for k in range(cells + 1)]
    bars = ["coupler 1"] if one_coupler else [f"coupler {k + 1}" for k in range(cells)]
    hinges: list[Any] = [("revolute", "frame", c, p, Z) for c, p in zip(cranks, feet, strict=True)]
    for k, crank in enumerate(cranks):
        near = range(k - 1, k + 1) if not one_coupler else (0,)
        for n in near:
            if 0 <= n < len(bars):
                hinges.append(("revolute", crank, bars[n], feet[k] + tip, Z))
    a = linkage("parallelogram", dict.fromkeys(("frame", *cranks, *bars), asm.Pose()), hinges)
    a.drive("input", "revolute 1", "angle")
    return a


def told(motion: asm.Motion, kind: str) -> list[float]:
    """Where events of a kind are, in the driver's unit."""
    return [e.value for e in motion.events if e.kind == kind]


STEPS_OF_TWO_TURNS = {"onto every change point": 24, "past them": 103, "coarse": 23}


@pytest.mark.parametrize("steps", STEPS_OF_TWO_TURNS.values(), ids=STEPS_OF_TWO_TURNS.keys())
@pytest.mark.parametrize("cells", [1, 2])
def test_parallelograms_stay_parallel_through_all_their_change_points(
    cells: int, steps: int
) -> None:
    """Driven through two turns from 60 degrees: the driver counts from there."""
    a = parallelogram(60, cells)
    motion = whole(asm.sweep(a, {"input": (0, 720)}, steps=steps, speed=SPEED))
    driven = np.radians(motion.driven["input"].value)
    for k in range(cells + 1):
        assert np.abs(turn_of(motion, f"crank {k + 1}") - driven).max() < 1e-9
        if steps % 4:  # no state is at a change point, where only the branch tells the rates
            track = motion.part(f"crank {k + 1}")
            np.testing.assert_allclose(track.spin[:, 2], SPEED, rtol=1e-9)
            np.testing.assert_allclose(track.spin_rate[:, 2], 0, atol=1e-6 * SPEED)
    for k in range(cells):
        assert np.abs(turn_of(motion, f"coupler {k + 1}")).max() < 1e-9
    assert told(motion, "change point") == pytest.approx([120, 300, 480, 660], abs=1e-6)
    assert motion.stopped is None


@pytest.mark.parametrize("steps", [24, 103])
def test_a_third_crank_on_one_coupler_keeps_it_parallel_everywhere(steps: int) -> None:
    """As of a locomotive: overconstrained, so no branch leads away where all is in line."""
    a = parallelogram(60, 2, one_coupler=True)
    motion = whole(asm.sweep(a, {"input": (0, 720)}, steps=steps, speed=SPEED))
    driven = np.radians(motion.driven["input"].value)
    for k in (1, 2, 3):
        assert np.abs(turn_of(motion, f"crank {k}") - driven).max() < 1e-9
    assert np.abs(turn_of(motion, "coupler 1")).max() < 1e-9


def crossed(turn: Jet) -> tuple[Jet, Jet]:
    """Tips of crank and follower of a crossed parallelogram: on the other side of the diagonal."""
    b, d = j.polar(50.0, turn), still(100.0, 0.0, 0.0)
    up, down = (j.meet(b, 100.0, d, 50.0, side) for side in (1, -1))
    low = (np.sin(turn.value) > 0)[:, None]  # the parallel one is on the left there
    parts = zip(*((m.value, m.rate, m.acc) for m in (down, up)), strict=True)
    return b, Jet(*(np.where(low, one, two) for one, two in parts))


def test_a_crossed_parallelogram_stays_crossed_through_its_change_points() -> None:
    a = asm.Assembly("crossed parallelogram")
    b, c = crossed(line(math.radians(60)))
    ground(a, o=(0.0, 0.0), d=(100.0, 0.0))
    bar(a, "crank", 0.0 * b, b)
    bar(a, "coupler", b, c)
    bar(a, "follower", still(100.0, 0.0, 0.0) + 0.0 * b, c)
    pins(a, ("A", "frame.o", "crank.foot"), ("B", "crank.tip", "coupler.foot"))
    pins(a, ("C", "coupler.tip", "follower.tip"), ("D", "frame.d", "follower.foot"))
    a.drive("input", "A", "angle")
    motion = whole(asm.sweep(a, {"input": (60, 780)}, steps=103, speed=SPEED))
    turn = math.radians(1)
    _, tip = crossed(j.at_speed(60 * turn, 780 * turn, 103, SPEED * turn))
    track = motion.point("follower.tip")
    assert np.abs(track.position - tip.value).max() < 1e-8  # near the diagonal's end it is a root
    assert off(track.velocity, tip.rate) < 1e-7
    assert off(track.acceleration, tip.acc) < 1e-6
    assert told(motion, "change point") == pytest.approx([180, 360, 540, 720], abs=1e-6)


def test_the_words_of_a_change_point_name_the_driver_and_its_value() -> None:
    motion = asm.sweep(parallelogram(60), {"input": (0, 200)}, steps=20, speed=SPEED)
    (event,) = (e for e in motion.events if e.kind == "change point")
    assert (event.driver, event.stops) == ("input", False)
    assert event.t == pytest.approx(2.0, abs=1e-8)  # s: 120 degrees at 60 a second
    assert "input" in event.words and "120 deg" in event.words
    assert "change point" in motion.sentence
