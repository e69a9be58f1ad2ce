"""Linkages that almost fall in line: two branches pass each other as near as rounding of a length.

Every state is told from those of the other branch by a sine of the closed form.  No motion goes
over from one to the other unless it says so, and none does where they are clearly apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from builders import four_bar, slider_crank
from jets import Array
from spatial import Rssr

import assembly_solver as asm
from assembly_solver.kinematics import branch_following, leaps

APART = 1e-3
"""A gap, mm, that is clearly more than mates may be off: ten times the tolerance."""


class Almost(NamedTuple):
    """A linkage whose branches are `gap` mm from meeting; `sine` has the sign of the branch."""

    build: Callable[[float], asm.Assembly]
    sine: Callable[[asm.Motion], Array]


def folding(rng: np.random.Generator, gap: float) -> Almost:
    """A four-bar in line at 0 or 180 degrees of the crank: two sums of lengths almost agree."""
    short, *others = np.sort(rng.uniform(20.0, 200.0, 3)).tolist()
    frame, coupler = rng.permutation(others)
    crank, rocker = (short, frame + coupler - short)
    if rng.random() < 0.5:
        crank, coupler, rocker = short, frame, short  # a parallelogram
    side = int(rng.choice([-1, 1]))

    def sine(motion: asm.Motion) -> Array:
        b, c = (motion.point(p).position for p in ("crank.tip", "rocker.tip"))
        one, two = np.array([frame, 0.0, 0.0]) - b, c - b
        return one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]

    return Almost(four_bar(frame, crank, coupler + gap, rocker, side).build, sine)


def standing(rng: np.random.Generator, gap: float) -> Almost:
    """A slider-crank whose rod is almost square to its line where the crank is farthest off it."""
    crank, aside = rng.uniform(20.0, 100.0), rng.uniform(0.0, 15.0)
    rod = crank + aside + gap

    def sine(motion: asm.Motion) -> Array:
        b, c = (motion.point(p).position for p in ("crank.tip", "rod.tip"))
        return np.asarray((c - b)[:, 0])

    return Almost(slider_crank(crank, rod, aside).build, sine)


def stretched(rng: np.random.Generator, gap: float) -> Almost:
    """A loop in space with a rod just long enough for the crank's farthest place."""
    turns = np.radians(np.linspace(0.0, 360.0, 200_001))
    plain = Rssr(crank=rng.uniform(20.0, 60.0), rocker=rng.uniform(80.0, 150.0))
    axis, pivot = np.array(plain.axis), np.array(plain.pivot)
    tips = plain.crank * np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1)
    along = (tips - pivot) @ axis
    across = np.linalg.norm(tips - pivot - along[:, None] * axis, axis=1)
    nearest = np.hypot(along, across - plain.rocker)
    loop = plain._replace(rod=float(nearest.max()) + gap, side=int(rng.choice([-1, 1])))

    def sine(motion: asm.Motion) -> Array:
        b, c = (motion.point(p).position for p in ("crank.ball", "rocker.ball"))
        return np.asarray(((b - pivot) * np.cross(axis, c - pivot)).sum(axis=1))

    return Almost(loop.build, sine)


@pytest.mark.parametrize("how", ["compiled", "in leaps"])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", [folding, standing, stretched])
def test_a_motion_stays_on_its_branch_or_tells(
    kind: Callable[..., Almost], seed: int, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    gap = float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-6.0, -1.0))
    linkage, steps = kind(rng, gap), int(rng.choice([36, 90, 180, 360]))
    if how == "in leaps":
        monkeypatch.setattr(branch_following, "follow", leaps._in_leaps)
    first = float(rng.uniform(20.0, 70.0))
    motion = asm.sweep(linkage.build(first), {"input": (first, first + 360.0)}, steps=steps)
    switches, told = switched(motion, linkage)
    assert switches == told
    if abs(gap) > APART:
        assert not switches
    if gap > APART and kind is not folding:  # the crank turns round
        assert motion.valid.all()


def switched(motion: asm.Motion, linkage: Almost) -> tuple[list[int], list[int]]:
    """States after which the branch is another one; and those after which a change point is told,
    to within a state."""
    on = np.sign(linkage.sine(motion))
    both = motion.valid[1:] & motion.valid[:-1]
    changes = np.flatnonzero(both & (on[1:] != on[:-1])).tolist()
    value = motion.driven["input"].value
    events: list[Any] = [e.value for e in motion.events if e.kind == "change point"]
    told = np.searchsorted(value, events) - 1
    return changes, [min(changes, key=lambda c: abs(c - k), default=-1) for k in told.tolist()]
