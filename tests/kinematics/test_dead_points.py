"""Where a driver can go no further: told to 1e-9, with the joint that blocks, and never silently.

OndselSolver ends the sweep of a non-Grashof four-bar (2, 3, 2.2, 2.6) at 310 to 311 degrees from
its start without a word; it can go 312.297 degrees.
"""

from __future__ import annotations

import math

import jets as j
import numpy as np
import pytest
from builders import (
    Mechanism,
    bar,
    cylinder_boom,
    four_bar,
    ground,
    line,
    pins,
    slider_crank,
    still,
    trammel,
)
from jets import Array, Jet
from judging import POSITION_MM

import assembly_solver as asm
from benchmarks.adversary.generators import sweeps

UNIT = 100.0
CRANK, COUPLER, ROCKER, FRAME = 2 * UNIT, 3 * UNIT, 2.2 * UNIT, 2.6 * UNIT
START = math.degrees(0.6)
FOLDED = math.degrees(
    math.acos((CRANK**2 + FRAME**2 - (COUPLER - ROCKER) ** 2) / (2 * CRANK * FRAME))
)
"""Crank angle where coupler and rocker are folded onto each other: the law of cosines."""

FINE = 1e-9
"""Of the place of a dead point, degrees or mm."""


def f2() -> asm.Assembly:
    return four_bar(FRAME, CRANK, COUPLER, ROCKER).build(START)


def stopped(motion: asm.Motion) -> asm.Event:
    """The event that ended a sweep, with what any of them has to satisfy."""
    assert not motion
    event = motion.stopped
    assert event is not None and event.stops
    assert event in motion.events
    assert event.driver == "input"
    assert event.words and event.words in motion.sentence
    valid = motion.valid
    assert not valid[-1] and valid[: valid.argmin()].all() and not valid[valid.argmin() :].any()
    assert all(motion.reasons[k] for k in np.flatnonzero(~valid))
    assert np.isnan(motion.frames[~valid]).all()
    assert np.isnan(motion.twists[~valid]).all()
    assert np.isnan(motion.accelerations[~valid]).all()
    assert float(np.max(motion.residual_mm[valid])) < POSITION_MM
    return event


def test_the_law_of_cosines_has_the_dead_point_of_the_peers_paper() -> None:
    np.testing.assert_allclose(360 - FOLDED - START, 312.297, atol=1e-3)


@pytest.mark.parametrize("steps", [360, 36, 7])
def test_a_non_grashof_four_bar_stops_at_its_dead_point_at_any_step(steps: int) -> None:
    """Asked for a whole turn: all that it can do is done, and where it ends is told to 1e-9."""
    motion = asm.sweep(f2(), {"input": (START, START + 360)}, steps=steps)
    event = stopped(motion)
    assert event.kind == "dead point"
    assert event.value == pytest.approx(360 - FOLDED, abs=FINE)
    assert event.joint == "C"  # coupler and rocker are in line there
    assert "C" in event.words and "346.6746323 deg" in event.words
    values = np.linspace(START, START + 360, steps + 1)
    np.testing.assert_array_equal(motion.valid, values < 360 - FOLDED)


def on_the_dead_point(motion: asm.Motion, state: int, at: float = 360 - FOLDED) -> asm.Event:
    """The event of a motion with a valid state there, where coupler and rocker are in line."""
    assert motion.valid[state] and not motion.has_rates[state]
    assert motion.residual_mm[state] < POSITION_MM
    points = ("rocker.foot", "rocker.tip", "crank.tip")
    foot, tip, pin = (motion.point(p).position[state] for p in points)
    across = np.linalg.norm(np.cross(tip - foot, pin - foot)) / np.linalg.norm(pin - foot)
    assert across < math.sqrt(POSITION_MM * ROCKER)  # its square is a residual
    assert math.isnan(motion.joint("C").rate[state]) and math.isnan(motion.joint("C").acc[state])
    (event,) = motion.events
    assert (event.kind, event.joint) == ("dead point", "C")
    assert event.value == pytest.approx(at, abs=FINE)
    assert "velocities are not defined there" in event.words and event.words in motion.sentence
    return event


@pytest.mark.parametrize("at", [360 - FOLDED, FOLDED])
def test_a_single_state_at_a_dead_point_is_valid_without_velocities(at: float) -> None:
    """Its rates are infinite there."""
    motion = asm.sweep(f2(), {"input": [at]})
    assert motion
    on_the_dead_point(motion, 0, at)


def test_a_sweep_that_ends_exactly_on_a_dead_point_is_valid_as_a_whole() -> None:
    motion = asm.sweep(f2(), {"input": [START, 200.0, 360 - FOLDED]})
    assert motion and motion.has_rates.tolist() == [True, True, False]
    on_the_dead_point(motion, 2)
    assert motion.joint("C").value[2] == pytest.approx(0.0, abs=1e-4)


def test_a_sweep_steps_onto_a_dead_point_and_not_beyond() -> None:
    motion = asm.sweep(f2(), {"input": [START, 360 - FOLDED, 350.0]})
    assert motion.valid.tolist() == [True, True, False]
    event = on_the_dead_point(motion, 1)
    assert event.stops and motion.reasons == ("", "", event.words)
    near = asm.sweep(f2(), {"input": [START, 200.0, 360 - FOLDED + 1e-6]})
    assert near.valid.tolist() == [True, True, False]


def test_a_limit_between_the_last_states_before_a_dead_point_is_met() -> None:
    a = f2()
    a.limit("C", "angle", min=20.0, name="stop")
    motion = asm.sweep(a, {"input": [START, 200.0, 360 - FOLDED]})
    assert motion.valid.tolist() == [True, True, False]
    assert motion.stopped is not None and motion.stopped.kind == "limit"
    whole = asm.sweep(f2(), {"input": [START, 200.0, motion.stopped.value]})
    assert whole.joint("C").value[2] == pytest.approx(20.0, abs=1e-6)


@pytest.mark.parametrize(("begin", "to"), [(360 - FOLDED, 300.0), (FOLDED, 60.0)])
def test_a_sweep_that_begins_at_a_dead_point_tells_its_value_and_what_is_in_line(
    begin: float, to: float
) -> None:
    """Not the value a little before it, at which the search for a way ends."""
    motion = asm.sweep(f2(), {"input": (begin, to)}, steps=5)
    assert motion.valid.tolist() == [True, *(5 * [False])]
    event = on_the_dead_point(motion, 0, begin)
    assert event.words == (
        f"the first state is a dead point, at input {begin:.10g} deg: coupler and rocker are in "
        "line at C; velocities are not defined there, and two ways lead away: begin a little "
        "beside it, on the one that is meant"
    )
    assert set(motion.reasons[1:]) == {event.words}


def pantograph() -> asm.Assembly:
    """Two bars of 200 and 120 mm from the frame to a pin that two cylinders place."""
    a = asm.Assembly("pantograph")
    ground(a, foot=(0, -50), left=(-100, 0), right=(300, 0))
    foot, pin = still(0, -50, 0), still(150, 120, 0)
    elbow = j.meet(line(0.0) * 0.0 + foot, 200.0, pin, 120.0, 1)
    bar(a, "upper", foot, elbow)
    bar(a, "lower", pin, elbow)
    pins(a, ("O", "frame.foot", "upper.foot"), ("E", "upper.tip", "lower.tip"))
    for name, x in (("left", 250.0), ("right", 150.0)):
        ends = (f"frame.{name}", "lower.foot")
        a.drive("input" if name == "right" else name, separation=ends, value=math.hypot(x, 120))
    return a


def test_two_cylinders_of_one_part_are_told_in_line_where_they_are_and_not_the_frame_and_a_bar():
    event = stopped(asm.sweep(pantograph(), {"input": (190.0, 20.0)}))
    assert event.value == pytest.approx(400 - math.hypot(250, 120), abs=FINE)
    assert event.joint == "lower.foot"
    assert event.words.endswith("left and input are in line at lower.foot")


def test_a_sweep_downwards_stops_at_the_dead_point_below() -> None:
    event = stopped(asm.sweep(f2(), {"input": (START, START - 360)}, steps=90))
    assert (event.kind, event.joint) == ("dead point", "C")
    assert event.value == pytest.approx(FOLDED, abs=FINE)


def test_what_is_valid_before_a_dead_point_is_right_up_to_it() -> None:
    """To 1e-4 degrees before it; there a degree of the crank is some 500 of the rocker."""
    m = four_bar(FRAME, CRANK, COUPLER, ROCKER)
    values = [START, 200.0, 300.0, 340.0, 346.0, 360 - FOLDED - 1e-3, 360 - FOLDED - 1e-4]
    motion = asm.sweep(m.build(START), {"input": values})
    assert motion, motion.sentence
    tips = m.oracle(Jet(np.radians(values))).points["rocker.tip"].value
    assert np.abs(motion.point("rocker.tip").position - tips).max() < 1e-6


def on_slider(aside: float) -> asm.Assembly:
    """A slider-crank (100, 350 mm) driven by its slider, from a crank angle of 60 degrees."""
    a = slider_crank(100.0, 350.0, aside).build(60.0)
    a.set_driver("input", None)
    a.drive("push", "rail", "length")
    return a


@pytest.mark.parametrize("aside", [0.0, 40.0])
@pytest.mark.parametrize(("to", "reach"), [(600.0, 450.0), (100.0, 250.0)])
def test_a_slider_crank_pushed_by_its_slider_stops_where_crank_and_rod_are_in_line(
    aside: float, to: float, reach: float
) -> None:
    a = on_slider(aside)
    at = asm.solve(a).poses["slider"].position[0]
    motion = asm.sweep(a, {"push": (at, to)}, steps=50)
    assert motion.stopped is not None and not motion
    assert (motion.stopped.kind, motion.stopped.joint) == ("dead point", "B")
    assert motion.stopped.value == pytest.approx(math.sqrt(reach**2 - aside**2), abs=FINE)


@pytest.mark.parametrize(("to", "reach"), [(700.0, 550.0), (100.0, 250.0)])
def test_a_boom_stops_where_its_cylinder_is_in_line_with_its_pivot(to: float, reach: float) -> None:
    """Pins 150 and 400 mm from the pivot: from pin to pin between 250 and 550 mm."""
    event = stopped(asm.sweep(cylinder_boom().build(400.0), {"input": (400.0, to)}, steps=60))
    assert event.kind == "dead point"
    assert event.value == pytest.approx(reach, abs=FINE)
    assert event.joint in ("C", "K")  # the cylinder is in line with the pivot seen from either


def test_a_trammel_stops_where_its_bar_stands_upright() -> None:
    event = stopped(asm.sweep(trammel(200.0).build(10.0), {"input": (10.0, 250.0)}, steps=48))
    assert event.kind == "dead point"
    assert event.value == pytest.approx(200.0, abs=FINE)


@pytest.mark.parametrize(("seed", "stages"), [(68, 1), (76, 2), (236, 2), (212, 3), (332, 3)])
def test_a_scissor_stops_where_all_its_stages_fold_at_once(seed: int, stages: int) -> None:
    """Pushed outwards to the length of its bars, where each stage alone could fold as well.

    There the branches of all stages meet, which was told as the end of the branch.
    """
    _, mechanism, draft, _, steps = sweeps.drawn(seed)
    length = float(mechanism.room(np.zeros(1))[0]) ** 0.5
    assert sum("left" in name for name in draft.bodies) == stages
    event = stopped(asm.sweep(draft.build(), {"input": mechanism.values}, steps=steps))
    assert event.kind == "dead point"
    assert event.value == pytest.approx(length, abs=FINE)
    assert "are in line at revolute" in event.words


FEET, REACH = (0.0, 200.0, 400.0, 600.0, 800.0), 120.0
SPANS = (190.0, 215.0, 188.0, 210.0)
"""Four four-bars in a row on one frame: each rocker is the next one's crank."""


def tips_of_row(first: float) -> list[Jet]:
    """Ends of the rockers, as far as they close."""
    tips = [j.polar(REACH, line(first))]
    for foot, span in zip(FEET[1:], SPANS, strict=True):
        with np.errstate(invalid="ignore"):
            tips.append(j.meet(tips[-1], span, j.vector(foot, 0.0, 0.0), REACH, 1))
    return tips


def row_of_four_bars(first: float) -> asm.Assembly:
    a = asm.Assembly("row")
    tips = tips_of_row(first)
    ground(a, **{f"p{k}": (x, 0.0) for k, x in enumerate(FEET)})
    for k, tip in enumerate(tips):
        bar(a, f"rocker {k}", j.vector(FEET[k], 0.0, 0.0) + 0.0 * tip, tip)
        pins(a, (f"foot {k}", f"frame.p{k}", f"rocker {k}.foot"))
    for k in range(4):
        bar(a, f"coupler {k}", tips[k], tips[k + 1])
        pins(a, (f"near {k}", f"rocker {k}.tip", f"coupler {k}.foot"))
        pins(a, (f"far {k}", f"coupler {k}.tip", f"rocker {k + 1}.tip"))
    a.drive("input", "foot 0", "angle")
    return a


@pytest.mark.parametrize("to", [300.0, -300.0])
def test_a_dead_point_deep_in_a_row_of_four_bars_is_found(to: float) -> None:
    """Where the closed forms of the row cease to close: by bisection."""

    def closes(degrees: float) -> bool:
        return bool(np.isfinite(tips_of_row(math.radians(degrees))[-1].value).all())

    good = next(d for d in np.arange(90.0, to, math.copysign(0.1, to)) if not closes(float(d)))
    bad, good = float(good), float(good) - math.copysign(0.1, to)
    for _ in range(60):
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if closes(middle) else (good, middle)
    last = next(k for k, t in enumerate(tips_of_row(math.radians(bad))) if np.isnan(t.value).any())
    motion = asm.sweep(row_of_four_bars(math.radians(90.0)), {"input": (90.0, to)}, steps=60)
    event = stopped(motion)
    assert (event.kind, event.joint) == ("dead point", f"far {last - 1}")
    assert event.value == pytest.approx(good, abs=FINE)


# ------------------------------------------------------------------ limits in sweeps


def test_a_limit_stops_a_sweep_where_it_is_reached_and_is_named() -> None:
    """The slider's stop at 400 mm: 100 cos + 350 cos(rod) = 400 for an offset of 0."""
    m = slider_crank(100.0, 350.0, 0.0)
    a = m.build(180.0)
    a.limit("rail", "length", max=400.0, name="end stop")
    motion = asm.sweep(a, {"input": (180.0, 360.0)}, steps=45)
    event = stopped(motion)
    turn = 360 - math.degrees(math.acos((100**2 + 400**2 - 350**2) / (2 * 100 * 400)))
    assert event.kind == "limit"
    assert event.value == pytest.approx(turn, abs=FINE)
    assert "end stop" in (event.joint, event.words) or "rail" in event.joint
    assert "400 mm" in event.words
    found = motion.joint("rail", "length").value[motion.valid]
    assert found.max() <= 400.0 + POSITION_MM
    values = np.linspace(180.0, 360.0, 46)
    np.testing.assert_array_equal(motion.valid, values <= turn)
    assert not judged_before(motion, m, values)


def judged_before(motion: asm.Motion, m: Mechanism, values: Array) -> list[str]:
    """Points of the valid states that are not where the closed form has them."""
    ok = motion.valid
    expected = m.oracle(Jet(np.radians(values[ok])))
    return [
        ref
        for ref, p in expected.points.items()
        if np.abs(motion.point(ref).position[ok] - p.value).max() > POSITION_MM
    ]


def test_a_limit_of_the_driven_coordinate_stops_its_driver() -> None:
    a = four_bar(300, 100, 260, 200).build(0.0)
    a.limit("A", "angle", max=75.0, name="stop")
    event = stopped(asm.sweep(a, {"input": (0.0, 90.0)}, steps=9))
    assert (event.kind, event.value) == ("limit", pytest.approx(75.0, abs=FINE))


def test_a_limit_that_is_only_touched_stops_nothing() -> None:
    """A rocker that turns back 1e-3 degrees before its stop."""
    m = four_bar(300, 100, 260, 200)
    # the rocker's largest angle: coupler and crank in line, folded out
    inner = math.degrees(math.acos((200**2 + 300**2 - 160**2) / (2 * 200 * 300)))
    outer = math.degrees(math.acos((200**2 + 300**2 - 360**2) / (2 * 200 * 300)))
    a = m.build(0.0)
    a.limit("D", "angle", min=180 - outer - 1e-3, max=180 - inner + 1e-3, name="stops")
    motion = asm.sweep(a, {"input": (0.0, 360.0)}, steps=90)
    assert motion, motion.sentence
    assert motion.stopped is None


def test_a_limit_between_two_steps_is_not_jumped_over() -> None:
    """Steps of 90 degrees: the rocker passes its stop and is back before the next state."""
    a = four_bar(300, 100, 260, 200).build(0.0)
    inner = math.degrees(math.acos((200**2 + 300**2 - 160**2) / (2 * 200 * 300)))
    a.limit("D", "angle", max=180 - inner - 1.0, name="stop")
    motion = asm.sweep(a, {"input": (0.0, 360.0)}, steps=4)
    assert stopped(motion).kind == "limit"


def test_an_arm_on_a_ball_whose_turns_nothing_drives_ends_where_its_rod_is_stretched() -> None:
    """What is held because nothing drives it feels the force there too: no rods in line alone."""
    ball, start, pin = (0.0, 60.0, 10.0), (20.0, 0.0, 0.0), (5.0, -30.0, 0.0)
    rod = math.dist(start, (5.0, 30.0, 10.0))
    a = asm.Assembly("arm on a ball")
    at = asm.Frame((0, 0, 0), "x")
    a.add("base", features={"rail": at, "ball": asm.Point(ball)}, grounded=True)
    a.add("slider", features={"rail": at}, pose=asm.Pose(start))
    a.add("arm", features={"pin": asm.Point(pin)}, pose=asm.Pose(ball))
    a.mate("prismatic", "base.rail", "slider.rail", name="slide")
    a.mate("spherical", "base.ball", "arm.origin", name="ball")
    a.mate("distance", "slider.origin", "arm.pin", value=rod)
    a.drive("input", "slide", coordinate="length")
    event = stopped(asm.sweep(a, {"input": (20.0, 50.0)}, steps=3))
    reach = math.hypot(*pin) + rod
    furthest = math.sqrt(reach**2 - ball[1] ** 2 - ball[2] ** 2)
    assert event.kind == "dead point" and event.joint == "ball"
    assert event.value == pytest.approx(furthest, abs=1e-9)
