"""Bennett's linkage through its whole turn, against its exact rational motion.

The facts are four axes at home and the poses of the three moving links at some places of the motion
(the original has 71); lengths below 1, taken as metres.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from facts import facts, original, originals
from mechanisms import linkage
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from benchmarks.adversary.generators import sweeps

pytestmark = pytest.mark.quick

LINKS = ("one", "two", "three")
MM = 1000.0


def some() -> dict[str, Any]:
    return facts("bennett.json")


def every() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(original("cases/closed_loops/bennett.json").read_text())
    return found


def bennett(axes: list[dict[str, Any]]) -> asm.Assembly:
    names = ("frame", *LINKS)
    ends = [*pairwise(names), ("frame", "three")]
    hinges = [
        ("revolute", a, b, MM * np.array(axis["point"]), axis["dir"])
        for (a, b), axis in zip(ends, axes, strict=True)
    ]
    a = linkage("bennett", dict.fromkeys(names, asm.Pose()), hinges)
    a.drive("input", "revolute 1", "angle")
    return a


def turn_about(axis: Any, rotation: Any) -> float:
    """Turn of a link on its axis, from 0 to 360 degrees."""
    vector = Rotation.from_matrix(rotation).as_rotvec()
    return math.degrees(float(vector @ np.array(axis))) % 360.0


@pytest.mark.parametrize("source", [some, pytest.param(every, marks=originals)])
def test_bennetts_linkage_follows_its_rational_motion_through_a_whole_turn(
    source: Callable[[], dict[str, Any]],
) -> None:
    """Poses to 1e-9 of the size (1 m); the data are true to 1e-15."""
    data = source()
    known = [(turn_about(data["axes"][0]["dir"], f["links"][0]["R"]), f) for f in data["frames"]]
    known.sort(key=lambda pair: pair[0])
    turns = [*(turn for turn, _ in known), 360.0]
    assert turns[0] == 0.0  # home
    motion = asm.sweep(bennett(data["axes"]), {"input": turns})
    assert motion, motion.sentence
    np.testing.assert_allclose(motion.driven["input"].value, turns, atol=1e-12)
    for k, name in enumerate(LINKS):
        frames = motion.frames[:, motion.parts.index(name)].reshape(-1, 4, 3)
        place = np.array([MM * np.array(f["links"][k]["t"]) for _, f in known])
        axes = np.array([np.transpose(f["links"][k]["R"]) for _, f in known])
        np.testing.assert_allclose(frames[:-1, 0], place, atol=1e-9 * MM)
        np.testing.assert_allclose(frames[:-1, 1:], axes, atol=1e-9)
        np.testing.assert_allclose(frames[-1], frames[0], atol=1e-9 * MM)
    assert motion.events == ()
    assert max(motion.residual_mm) < 1e-9


def test_opposite_hinges_of_bennetts_linkage_turn_alike() -> None:
    """Bennett 1914: opposite angles alike, tan(first / 2) tan(second / 2) constant from in line.

    So the rates of opposite hinges are alike or opposed, at every turn.
    """
    data = some()
    motion = asm.sweep(bennett(data["axes"]), {"input": (0.0, 360.0)}, steps=36)
    rates = np.array([motion.joint(f"revolute {k}", "angle").rate for k in (1, 2, 3, 4)])
    np.testing.assert_allclose(np.abs(rates[0]), 1.0, rtol=1e-9)  # deg/s: the speed of a sweep
    np.testing.assert_allclose(np.abs(rates[2]), np.abs(rates[0]), rtol=1e-9)
    np.testing.assert_allclose(np.abs(rates[3]), np.abs(rates[1]), rtol=1e-9)


@pytest.mark.parametrize("value", [179.9, 179.999, 180.0, 180.01])
def test_where_only_the_chosen_equations_are_singular_no_state_is_interpolated(
    value: float,
) -> None:
    """In line, with links of nearly one length, the next link turns five times as fast: states
    that were interpolated there were off by 0.03 mm, and called contradictory."""
    _, mechanism, draft, whole, _ = sweeps.drawn(102)
    motion = asm.sweep(
        draft.build(), {"input": (math.degrees(mechanism.values[0]), value)}, steps=9
    )
    assert motion, motion.sentence
    at = np.array([math.radians(value)])
    for ref, point in mechanism.form(at).items():
        np.testing.assert_allclose(motion.point(ref).position[-1], whole.apply(point[0]), atol=1e-9)


@pytest.mark.parametrize("seed", [6, 270, 910, 1438, 1446, 12958])
def test_rates_are_right_where_equations_that_were_chosen_come_to_depend_on_each_other(
    seed: int,
) -> None:
    """To 1e-9 of the largest, poses to 1e-9 mm: all equations are regular at every state.

    With the same equations all the way one state was off by up to 1e-3 of the acceleration.
    """
    _, mechanism, draft, whole, steps = sweeps.drawn(seed)
    first, last = mechanism.values
    values = (math.degrees(first), math.degrees(last))
    motion = asm.sweep(draft.build(), {"input": values}, steps=steps, speed=90.0)
    assert motion, motion.sentence
    assert motion.residual_mm.max() < 1e-11
    speed = math.copysign(math.pi / 2, last - first)
    at = np.linspace(first, last, steps + 1)
    for ref, closed in sweeps.rates(mechanism.form, at, 1.0).items():
        place, velocity, acceleration = (np.asarray(x, float) for x in closed)
        found = motion.point(ref)
        np.testing.assert_allclose(found.position, whole.apply(place), atol=1e-9)
        for ours, theirs in (
            (found.velocity, speed * velocity @ whole.rotation.T),
            (found.acceleration, speed**2 * acceleration @ whole.rotation.T),
        ):
            np.testing.assert_allclose(ours, theirs, atol=1e-9 * np.abs(theirs).max())
