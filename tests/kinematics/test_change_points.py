"""Linkages that fall in line and pass: the same branch on both sides, and the place is told.

pylinkage 1.3 jumps to the crossed branch at every change point, silently, at every step size.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jets as j
import numpy as np
import pytest
from builders import bar, ground, line, pins, slider_crank, still
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
    assert told(motion, "change point") == pytest.approx([120, 300, 480, 660], abs=1e-9)
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


class Folding(NamedTuple):
    """A four-bar whose links are in line at 0 and 180 degrees of the crank, and pass from there.

    The triangle of coupler and rocker turns over there: `side` is that of the rocker's end, seen
    from the crank's end to (frame, 0), while the crank is above.
    """

    frame: float
    crank: float
    coupler: float
    rocker: float
    side: int

    def tips(self, turn: Jet) -> tuple[Jet, Jet]:
        """Ends of crank and rocker."""
        b, d = j.polar(self.crank, turn), still(self.frame, 0.0, 0.0)
        left, right = (j.meet(b, self.coupler, d, self.rocker, side) for side in (1, -1))
        up = (self.side * np.sin(turn.value) > 0)[:, None]
        parts = zip(*((m.value, m.rate, m.acc) for m in (left, right)), strict=True)
        return b, Jet(*(np.where(up, one, two) for one, two in parts))

    def build(self, first: float) -> asm.Assembly:
        """The assembly at a crank angle in degrees."""
        a = asm.Assembly("folding four-bar")
        b, c = self.tips(line(math.radians(first)))
        ground(a, o=(0.0, 0.0), d=(self.frame, 0.0))
        bar(a, "crank", 0.0 * b, b)
        bar(a, "coupler", b, c)
        bar(a, "rocker", still(self.frame, 0.0, 0.0) + 0.0 * b, c)
        pins(a, ("A", "frame.o", "crank.foot"), ("B", "crank.tip", "coupler.foot"))
        pins(a, ("C", "coupler.tip", "rocker.tip"), ("D", "frame.d", "rocker.foot"))
        a.drive("input", "A", "angle")
        return a


FOLDING = {
    "crossed parallelogram": Folding(100, 50, 100, 50, -1),
    "parallelogram": Folding(100, 50, 100, 50, 1),
    "kite": Folding(100, 50, 50, 100, 1),
}


@pytest.mark.parametrize("name", FOLDING)
def test_a_folding_four_bar_stays_on_its_branch_through_its_change_points(name: str) -> None:
    """Through two turns in steps of 7 degrees, none of them at a change point."""
    m = FOLDING[name]
    motion = whole(asm.sweep(m.build(60.0), {"input": (60, 780)}, steps=103, speed=SPEED))
    turn = math.radians(1)
    _, tip = m.tips(j.at_speed(60 * turn, 780 * turn, 103, SPEED * turn))
    track = motion.point("rocker.tip")
    assert np.abs(track.position - tip.value).max() < 1e-9
    assert off(track.velocity, tip.rate) < 1e-8  # near the points both are a quotient of small ones
    assert off(track.acceleration, tip.acc) < 1e-7
    assert told(motion, "change point") == pytest.approx([180, 360, 540, 720], abs=1e-9)


def test_states_between_branches_that_nearly_meet_are_told_with_what_mates_are_off() -> None:
    """Lengths off by a ten-thousandth: of two states on the way over, one closes beside it."""
    a = Folding(1.0, 0.5585, 1.00009, 0.55851, -1).build(227.5)
    motion = asm.sweep(a, {"input": (227.5, 93.8)}, steps=6)
    assert motion.valid.all()
    pairs = ("crank.tip", "coupler.foot"), ("coupler.tip", "rocker.tip")
    ends = [[motion.point(name).position for name in pair] for pair in pairs]
    gaps = np.max([np.linalg.norm(one - two, axis=1) for one, two in ends], axis=0)
    assert gaps.max() > 1e-6 and motion.residual_mm.max() < a.tolerance
    assert (motion.residual_mm > 1e-9).sum() == 1
    assert (gaps <= math.sqrt(2.0) * motion.residual_mm + 1e-12).all()


@pytest.mark.parametrize("steps", [80, 103])
def test_a_slider_crank_with_equal_links_runs_through_its_centre(steps: int) -> None:
    """x = 2 r cos: where the slider is at the pivot, crank and rod could turn on together."""
    a = slider_crank(100.0, 100.0, 0.0).build(60.0)
    motion = whole(asm.sweep(a, {"input": (60, 780)}, steps=steps, speed=SPEED))
    turn = np.radians(motion.driven["input"].value)
    track, rate = motion.point("slider.pin"), math.radians(SPEED)
    assert np.abs(track.position[:, 0] - 200 * np.cos(turn)).max() < 1e-9
    assert off(track.velocity[:, 0], -200 * rate * np.sin(turn)) < 1e-8
    assert off(track.acceleration[:, 0], -200 * rate**2 * np.cos(turn)) < 1e-6
    assert told(motion, "change point") == pytest.approx([90, 270, 450, 630], abs=1e-9)


def test_the_words_of_a_change_point_name_the_driver_and_its_value() -> None:
    motion = asm.sweep(parallelogram(60), {"input": (0, 200)}, steps=20, speed=SPEED)
    (event,) = (e for e in motion.events if e.kind == "change point")
    assert (event.driver, event.stops) == ("input", False)
    assert event.t == pytest.approx(2.0, abs=1e-8)  # s: 120 degrees at 60 a second
    assert "input" in event.words and "120 deg" in event.words
    assert "change point" in motion.sentence


@pytest.mark.parametrize("first", [0.0, 120.0])
def test_a_parallelogram_may_begin_at_a_change_point(first: float) -> None:
    """In line at the first state: whichever branch it takes, it is one of the two, all the way."""
    a = parallelogram(60.0 if first else 0.0)
    motion = whole(asm.sweep(a, {"input": (first, first + 90)}, steps=9, speed=SPEED))
    spin = motion.part("crank 2").spin[1:, 2]
    assert np.abs(spin - SPEED).max() < 1e-7 * SPEED or (spin < 0).all()  # parallel, or crossed


def test_a_parallelogram_turned_back_at_a_change_point_goes_back_as_it_came() -> None:
    motion = whole(asm.sweep(parallelogram(30.0), {"input": [30, 90, 180, 90, 180, 270]}))
    np.testing.assert_allclose(motion.part("coupler 1").spin, 0.0, atol=1e-9)


def test_a_grid_of_two_parallelograms_passes_through_their_change_points() -> None:
    """Rows and crossings end where branches part, and the next ones go on from there."""
    a = asm.Assembly("two")
    for side in "ab":
        one = parallelogram(60.0)
        for name, part in one.parts.items():
            a.add(side + name, features=part.features, pose=part.pose, grounded=part.grounded)
        for mate in one.mates.values():
            ends = (f"{side}{mate.a}", f"{side}{mate.b}")
            a.mate(mate.kind, *ends, name=side + mate.name)
        driver = one.drivers["input"]
        a.drive(side, f"{side}{driver.joint}", driver.coordinate, value=60.0)
    motion = whole(asm.sweep(a, {"a": [30, 90, 180], "b": [0, 90, 180]}, grid=True))
    for side in "ab":
        np.testing.assert_allclose(motion.part(f"{side}coupler 1").spin, 0.0, atol=1e-9)
    np.testing.assert_allclose(motion.part("bcrank 2").spin[:, 2], 1.0, atol=1e-9)


# ------------------------------------------------------------------ in space
def arc(angle: float) -> tuple[float, float, float]:
    """A unit vector at an angle, deg, from z towards x."""
    return math.sin(math.radians(angle)), 0.0, math.cos(math.radians(angle))


def spherical_parallelogram(side: float, crossed: bool) -> asm.Assembly:
    """A spherical four-bar with cranks of one arc and a coupler of that of the frame, deg.

    All hinges meet in a point; it is flat where the crank is at 0 and at 180 degrees.
    """
    low, high = 30.0, 80.0
    turn = asm.Pose.from_axis((0, 0, 0), (0, 0, 1), side).rotation
    left, right, tip = np.array(arc(0.0)), np.array(arc(high)), turn @ np.array(arc(low))
    both = np.array([right, tip])
    cosines = np.cos(np.radians([low, high]))
    middle = np.linalg.lstsq(both, cosines, rcond=None)[0]
    normal = np.cross(right, tip) / np.linalg.norm(np.cross(right, tip))
    end = middle + (1 if crossed else -1) * math.sqrt(1 - middle @ middle) * normal
    a = asm.Assembly("spherical parallelogram")
    base = {"u": asm.Axis((0, 0, 0), Z, (1, 0, 0)), "v": asm.Axis((0, 0, 0), arc(high))}
    a.add("frame", grounded=True, features=base)
    bars = {"crank": (left, tip, low), "coupler": (tip, end, high), "rocker": (right, end, low)}
    for name, (u, v, angle) in bars.items():
        y = np.cross(u, v) / np.linalg.norm(np.cross(u, v))
        pose = asm.Pose.from_frame([0.0, 0.0, 0.0, *np.cross(y, u), *y, *u])
        hinges = {"u": asm.Axis((0, 0, 0), Z), "v": asm.Axis((0, 0, 0), arc(angle))}
        a.add(name, pose=pose, features=hinges)
    a.mate("revolute", "frame.u", "crank.u", name="A")
    a.mate("revolute", "crank.v", "coupler.u", name="B")
    a.mate("revolute", "coupler.v", "rocker.v", name="C")
    a.mate("revolute", "frame.v", "rocker.u", name="D")
    a.drive("input", "A", "angle")
    return a


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("near", [10.0, 0.1, 0.01, 1e-4, 1e-8, 0.0, -0.01])
def test_change_points_in_space_are_placed_wherever_the_states_are(
    near: float, crossed: bool
) -> None:
    """A state so near, in degrees, that the step to it is almost singular."""
    a = spherical_parallelogram(40.0, crossed)
    angles = [*np.linspace(40, 180 + near, 8), *np.linspace(200, 300, 9)]
    motion = whole(asm.sweep(a, "input", angle=angles))
    assert told(motion, "change point") == pytest.approx([180.0], abs=1e-9)
    assert "change point at input 180 deg" in str(motion)


@pytest.mark.parametrize(("frame", "crank"), [(80.0, 30.0), (40.0, 80.0)])
@pytest.mark.parametrize("steps", [17, 37])
def test_change_points_in_space_are_placed_whatever_the_step(
    steps: int, frame: float, crank: float
) -> None:
    """Steps of up to 42 degrees: one polynomial over such a step is off by up to 3e-6 degrees.

    A spherical parallelogram as it is drawn, with its hinges 50 mm from the centre.
    """
    first = 33.0 if steps == 17 else 50.0
    left, right = np.array(arc(0.0)), np.array(arc(frame))
    tip = asm.Pose.from_axis((0, 0, 0), Z, first).rotation @ np.array(arc(crank))
    cosines = np.cos(np.radians([frame, crank]))
    middle = np.linalg.lstsq(np.array([tip, right]), cosines, rcond=None)[0]
    normal = np.cross(tip, right) / np.linalg.norm(np.cross(tip, right))
    end = middle + math.sqrt(1 - middle @ middle) * normal
    parts = ("frame", "crank", "coupler", "rocker")
    ways = (left, tip, end, right)
    pairs = zip(parts, (*parts[1:], parts[0]), ways, strict=True)
    hinges = [("revolute", a, b, 50 * way, tuple(way)) for a, b, way in pairs]
    a = linkage("spherical parallelogram", dict.fromkeys(parts, asm.Pose()), hinges)
    a.drive("input", "revolute 1", "angle")
    motion = whole(asm.sweep(a, "input", angle=(0, 720), steps=steps))
    places = [180 - first + 180 * k for k in range(4)]
    assert told(motion, "change point") == pytest.approx(places, abs=1e-9)
