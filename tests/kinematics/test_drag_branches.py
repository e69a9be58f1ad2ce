"""Drags of four-bars that almost fall in line: none goes over to another branch untold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from builders import four_bar

import assembly_solver as asm
from assembly_solver.foundations.types import Array
from assembly_solver.kinematics.drag import drag_limits

APART = 1e-3
"""A gap, mm, that is clearly more than mates may be off: ten times the tolerance."""

CLEAR = 0.1
"""Sine of the angle between coupler and rocker's frame from which a branch is clearly told."""


class Dragged:
    """A four-bar whose branches are `gap` mm from meeting, pulled at the tip of its crank."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.gap = float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-6.0, -1.0))
        short, *others = np.sort(rng.uniform(20.0, 200.0, 3)).tolist()
        self.frame, coupler = rng.permutation(others).tolist()
        self.crank, self.rocker = short, self.frame + coupler - short
        if rng.random() < 0.5:
            coupler, self.rocker = self.frame, short  # a parallelogram
        self.coupler, side = coupler + self.gap, int(rng.choice([-1, 1]))
        a = four_bar(self.frame, self.crank, self.coupler, self.rocker, side).build(30.0)
        a.set_driver("input", None)
        self.session, self.step = asm.Session(a), float(rng.choice([3.0, 10.0]))

    def to(self, degrees: float) -> asm.DragStep:
        t = math.radians(degrees)
        goal = (self.crank * math.cos(t), self.crank * math.sin(t), 0.0)
        return self.session.drag("crank", point="tip", to=goal)

    def tip(self, part: str) -> Array:
        feature = self.session.assembly.parts[part].features["tip"]
        return np.asarray(self.session.poses[part].apply(feature.frame[:3]))

    def stands(self) -> tuple[float, float]:
        """The sine that has the sign of the branch, and the angle of the crank, degrees."""
        b, c = self.tip("crank"), self.tip("rocker")
        one, two = np.array([self.frame, 0.0, 0.0]) - b, c - b
        sine = (one[0] * two[1] - one[1] * two[0]) / np.linalg.norm(one) / np.linalg.norm(two)
        return float(sine), math.degrees(math.atan2(b[1], b[0]))

    def closes(self, degrees: float) -> bool:
        """Whether it closes with its crank in line with its frame, at 0 or 180 degrees."""
        far = abs(self.frame - self.crank) if degrees == 0.0 else self.frame + self.crank
        return abs(self.coupler - self.rocker) < far < self.coupler + self.rocker


def turned(degrees: float) -> float:
    """An angle between -180 and 180 degrees."""
    return (degrees + 180.0) % 360.0 - 180.0


@pytest.mark.parametrize("seed", [0, 1, 5, 8, 10, 12, 14, 15, 24, 25, 38, 47])
def test_a_drag_past_a_change_point_stays_on_its_branch_or_tells(seed: int) -> None:
    """The crank passes the line with the same sign if the lengths let it, and else not at all."""
    d = Dragged(seed)
    (sine, angle), goal, told, over, untold = d.stands(), 30.0, False, 0, 0
    for _ in range(int(230.0 / d.step)):
        goal -= d.step
        step = d.to(goal)
        assert step.holds
        told |= "is passed: it is on another branch now" in step.singular
        now, at = d.stands()
        if abs(now) < CLEAR:
            continue
        change = turned(at - angle)
        for line in (0.0, 180.0):
            before = turned(angle - line)
            passed = abs(change) < 60.0 and before * (before + change) < 0.0
            if passed and (now * sine < 0.0 or not d.closes(line)):
                over, untold = over + 1, untold + (not told)
            told &= not passed
        sine, angle = now, at
    assert untold == 0
    assert over == 0 or abs(d.gap) < APART


@pytest.mark.parametrize("seed", [0, 7, 9])
def test_a_step_to_another_branch_that_takes_all_work_is_divided_all_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the part stays where it is, however often the request is repeated."""
    monkeypatch.setattr(drag_limits, "WORK", 5)
    d = Dragged(seed)
    for _ in range(12):
        step = d.to(150.0)
        if not step.lags:
            break
    assert step.away_mm == pytest.approx(0.0, abs=1e-6)


def test_a_divided_step_has_work_for_its_parts_and_ends_within_few_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Led past a change point: with one linear step in each part it took 38 requests."""
    ends = list[float]()
    for work, most in ((90, 3), (20, 5)):
        monkeypatch.setattr(drag_limits, "WORK", work)
        a = four_bar(85.9, 82.3, 101.1, 104.9, 1).build(61.0)
        a.set_driver("input", None)
        session, asked = asm.Session(a), 0
        for to in ((76, 108, 0), (52, 81, 0), (13, 22, 0)):
            session.drag("coupler", point=(74, 3.8, 0), to=to)
        while session.drag("coupler", point=(74, 3.8, 0), to=(44, 13, 0)).moved and asked < 10:
            asked += 1
        assert asked <= most
        ends.append(session.drag("coupler", point=(74, 3.8, 0), to=(44, 13, 0)).away_mm)
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)
