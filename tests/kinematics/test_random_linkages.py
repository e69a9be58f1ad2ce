"""Four-bars of any proportions, in a plane and in space: every state that exists, and no other.

Where a crank can go is known in closed form: the triangle of coupler and rocker closes, or the
equation of the rocker's turn has a root.
"""

from __future__ import annotations

import math

import jets as j
import numpy as np
import pytest
from builders import four_bar
from jets import Array, Jet
from judging import POSITION_MM
from spatial import Rssr

import assembly_solver as asm

FINE = 1e-9
"""Of the place of a dead point, degrees."""

CLOSE = 100 * POSITION_MM
"""A state may be near a dead point, where what the crank is off by counts a hundred times."""


def first_dead_point(lengths: Array, start: float) -> float | None:
    """The first crank angle (degrees) above the start at which coupler and rocker are in line."""
    frame, crank, coupler, rocker = lengths.tolist()
    found = []
    for reach in (coupler + rocker, abs(coupler - rocker)):
        x = (crank**2 + frame**2 - reach**2) / (2 * crank * frame)
        if abs(x) <= 1:
            turn = math.degrees(math.acos(x))
            found += [t for t in (turn, 360 - turn, 360 + turn, 720 - turn) if t > start]
    return min(found, default=None)


def drawn(seed: int) -> tuple[Array, float, int, int]:
    """Lengths, a crank angle at which they close by 2 mm and more, the side, and how many steps."""
    rng = np.random.default_rng(seed)
    while True:
        lengths, start = rng.uniform(60, 300, 4), float(rng.uniform(0, 360))
        frame, crank, coupler, rocker = lengths.tolist()
        turn = math.radians(start)
        across = math.dist((frame, 0), (crank * math.cos(turn), crank * math.sin(turn)))
        if abs(coupler - rocker) + 2 < across < coupler + rocker - 2:
            return lengths, start, int(rng.choice([-1, 1])), int(rng.integers(4, 60))


@pytest.mark.parametrize("seed", range(16))
def test_a_four_bar_goes_as_far_as_it_can_and_is_right_all_the_way(seed: int) -> None:
    lengths, start, side, steps = drawn(seed)
    m = four_bar(*lengths.tolist(), side=side)
    motion = asm.sweep(m.build(start), {"input": (start, start + 360)}, steps=steps)
    values = np.linspace(start, start + 360, steps + 1)
    end = first_dead_point(lengths, start)
    stops = end is not None and end < start + 360
    np.testing.assert_array_equal(motion.valid, values < end if stops else np.isfinite(values))
    tips = m.oracle(Jet(np.radians(values[motion.valid]))).points["rocker.tip"].value
    assert np.abs(motion.point("rocker.tip").position[motion.valid] - tips).max() < CLOSE
    assert (motion.stopped is not None) == stops
    if motion.stopped is not None:
        assert (motion.stopped.kind, motion.stopped.joint) == ("dead point", "C")
        assert motion.stopped.value == pytest.approx(end, abs=FINE)


def rssr(seed: int) -> tuple[Rssr, int]:
    """A spatial four-bar that closes with its crank at 0, and how many steps."""
    rng = np.random.default_rng(seed)
    while True:
        axis = np.append(0.0, rng.normal(size=2))
        crank, rod, rocker = (float(rng.uniform(*r)) for r in ((20, 140), (200, 320), (100, 200)))
        pivot = tuple((rng.uniform(-60, 60, 3) + np.array([220, 0, 40])).tolist())
        way = tuple((axis / np.linalg.norm(axis)).tolist())
        m = Rssr(crank, rod, rocker, pivot, way, int(rng.choice([-1, 1])))
        if closes(m, 0.0)[0]:
            return m, int(rng.integers(6, 80))


def closes(m: Rssr, *degrees: float) -> list[bool]:
    """Whether it can be assembled at crank angles."""
    with np.errstate(invalid="ignore", divide="ignore"):
        turns = m.rocker_turn(Jet(np.radians(degrees))).value
    return [bool(x) for x in np.isfinite(turns)]


def first_end(m: Rssr) -> float | None:
    """The first crank angle at which it ceases to close, degrees, by bisection."""
    every = np.arange(0.25, 360.25, 0.25).tolist()
    known = closes(m, *every)
    if all(known):
        return None
    bad = every[known.index(False)]
    good = bad - 0.25
    for _ in range(50):
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if closes(m, middle)[0] else (good, middle)
    return good


@pytest.mark.parametrize("seed", range(12))
def test_a_spatial_four_bar_goes_as_far_as_it_can_and_is_right_all_the_way(seed: int) -> None:
    m, steps = rssr(seed)
    motion = asm.sweep(m.build(0.0), {"input": (0.0, 360.0)}, steps=steps)
    values, end = np.linspace(0.0, 360.0, steps + 1), first_end(m)
    np.testing.assert_array_equal(
        motion.valid, np.isfinite(values) if end is None else values < end
    )
    tips = m.tip(m.rocker_turn(Jet(np.radians(values[motion.valid])))).value
    assert np.abs(motion.point("rocker.ball").position[motion.valid] - tips).max() < CLOSE
    if end is None:
        assert motion.stopped is None
    else:
        assert motion.stopped is not None and motion.stopped.kind == "dead point"
        assert motion.stopped.value == pytest.approx(end, abs=FINE)


def test_an_oracle_of_random_linkages_has_both_kinds() -> None:
    """Some turn all round and some do not, in the plane and in space."""
    flat = [first_dead_point(*drawn(seed)[:2]) for seed in range(16)]
    space = [first_end(rssr(seed)[0]) for seed in range(12)]
    for ends in (flat, space):
        assert 2 <= sum(e is None for e in ends) <= len(ends) - 2
    assert off_by_side() > 1.0


def off_by_side() -> float:
    """How far apart the two branches of a spatial four-bar are, mm: none passes for the other."""
    m = Rssr()
    turn = j.at_speed(0.0, 6.0, 20, 1.0)
    two = (m._replace(side=s) for s in (1, -1))
    one, other = (n.tip(n.rocker_turn(turn)).value for n in two)
    return float(np.linalg.norm(one - other, axis=1).min())
