"""How a motion is judged against a closed form."""

from __future__ import annotations

import math
from typing import NamedTuple

import jets as j
import numpy as np
from builders import Expected, Mechanism
from jets import Array, Jet, off

import assembly_solver as asm

POSITION_MM = 1e-9
VELOCITY, ACCELERATION = 1e-9, 1e-8
"""As shares of the largest; both are one linear solve at poses that are right to 1e-11."""

SPEED = 90.0
"""Of drivers in tests, degrees or mm a second."""


class Gaps(NamedTuple):
    """How far a motion is off: mm or rad; shares of the largest velocity and acceleration."""

    position: float
    velocity: float
    acceleration: float

    def __bool__(self) -> bool:
        close = self.velocity < VELOCITY and self.acceleration < ACCELERATION
        return self.position < POSITION_MM and close


def whole(motion: asm.Motion) -> asm.Motion:
    """A motion that is valid in every state; else the sentence says what happened."""
    assert motion, motion.sentence
    assert motion.valid.all()
    assert motion.reasons == ("",) * len(motion.t)
    assert float(np.max(motion.residual_mm)) < POSITION_MM
    return motion


def swept(m: Mechanism, steps: int, speed: float = SPEED) -> tuple[asm.Motion, Jet]:
    """The sweep of a mechanism over its range, and its driver in mm or rad."""
    a = m.build(m.range[0])
    unit = math.radians(1.0) if a.drivers["input"].unit == "deg" else 1.0
    motion = whole(asm.sweep(a, {"input": m.range}, steps=steps, speed=speed))
    return motion, j.at_speed(unit * m.range[0], unit * m.range[1], steps, unit * speed)


def point_gaps(motion: asm.Motion, reference: str, expected: Jet) -> Gaps:
    """A point of the motion against its closed form."""
    track = motion.point(reference)
    shape = track.position.shape
    value, rate, acc = (
        np.broadcast_to(p, shape) for p in (expected.value, expected.rate, expected.acc)
    )
    far = float(np.abs(track.position - value).max())
    return Gaps(far, off(track.velocity, rate), off(track.acceleration, acc))


def turn_gaps(motion: asm.Motion, part: str, turn: Jet) -> Gaps:
    """A part that turns about z against its turn (rad): attitude, spin and its rate."""
    track = motion.part(part)
    across = np.abs(np.concatenate([track.spin[:, :2], track.spin_rate[:, :2]])).max()
    assert across < 1e-6, f"{part} turns out of its plane by {across} deg/s"
    q = track.quaternion_wxyz
    found = 2 * np.arctan2(q[:, 3], q[:, 0])
    far = float(np.abs(np.angle(np.exp(1j * (found - turn.value)))).max())
    spin, spin_rate = np.radians(track.spin[:, 2]), np.radians(track.spin_rate[:, 2])
    return Gaps(far, off(spin, turn.rate + 0 * spin), off(spin_rate, turn.acc + 0 * spin))


def judged(motion: asm.Motion, expected: Expected) -> dict[str, Gaps]:
    """All that the closed form speaks of, with what it is off by; empty where all is right."""
    gaps = {ref: point_gaps(motion, ref, p) for ref, p in expected.points.items()}
    gaps |= {part: turn_gaps(motion, part, turn) for part, turn in expected.turns.items()}
    return {name: gap for name, gap in gaps.items() if not gap}


def turn_of(motion: asm.Motion, part: str) -> Array:
    """Turn of a part about z, counted from state to state, rad."""
    q = motion.part(part).quaternion_wxyz
    return np.unwrap(2 * np.arctan2(q[:, 3], q[:, 0]), period=2 * np.pi)
