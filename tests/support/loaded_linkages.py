"""Linkages with known forces, and states of a part that moves as told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.results.motion import Motion

Array = NDArray[np.float64]


SAMPLES = Path(__file__).parents[2] / "samples"


def bare(name: str) -> asm.Assembly:
    """A sample without its own loads, weights and the stops of its cylinders."""
    a = asm.read(SAMPLES / f"{name}.assembly.json")
    for load in tuple(a.loads):
        a.remove_load(load)
    for cylinder in a.cylinders:
        a.remove_limit(cylinder)
    a.gravity = (0, 0, 0)
    return a


def pin(x: float, y: float = 0.0, z: float = 0.0) -> asm.Axis:
    """A pin along z."""
    return asm.Axis((x, y, z), "z")


def frame(**features: Any) -> asm.Assembly:
    """An assembly with a grounded frame that has these features."""
    a = asm.Assembly("linkage")
    a.add("frame", grounded=True, features=features)
    return a


def beam(at: float) -> asm.Assembly:
    """A beam of 1000 mm on a pin and a roller, with 600 N down at some place."""
    a = frame(pin=pin(0), roof=asm.Plane((0, 0, 0), "y"))
    ends = {"left": pin(0), "right": asm.Point((1000, 0, 0)), "load": asm.Point((at, 0, 0))}
    a.add("beam", features=ends)
    a.mate("revolute", "frame.pin", "beam.left", name="pin")
    a.mate("point_in_plane", "beam.right", "frame.roof", name="roller")
    a.load("beam.load", force=(0, -600, 0))
    return a


def boom(length: float | None = None) -> asm.Assembly:
    """A boom of 2000 mm on a pin, raised by a cylinder 500 mm out along it from 500 mm below."""
    a = frame(foot=pin(0), cylinder=asm.Point((0, -500, 0)))
    spots = {"foot": pin(0), "eye": asm.Point((500, 0, 0)), "tip": asm.Point((2000, 0, 0))}
    a.add("boom", features=spots, mass=asm.Mass(100, (1000, 0, 0)))
    a.mate("revolute", "frame.foot", "boom.foot", name="foot")
    a.drive("cylinder", separation=("frame.cylinder", "boom.eye"), value=length)
    return a


def door(hinge: str) -> asm.Assembly:
    """A door of 30 kg that hangs on two hinges of a kind 1500 mm apart, held at its latch."""
    a = frame(low=asm.Axis((0, 0, 0), "z"), high=asm.Axis((0, 0, 1500), "z"))
    ends = {"low": asm.Axis((0, 0, 0), "z"), "high": asm.Axis((0, 0, 1500), "z")}
    a.add("door", features=ends, mass=asm.Mass(30, (400, 0, 750)))
    a.gravity = (0, 0, -9.81)
    a.mate(hinge, "frame.low", "door.low", name="low")
    a.mate(hinge, "frame.high", "door.high", name="high")
    return a


def told(
    assembly: asm.Assembly,
    t: Array,
    frames: Array,
    twists: Array,
    accelerations: Array,
    **degrees: Array,
) -> Motion:
    """A motion whose states are told instead of found: its drivers are angles."""
    n = len(t)
    return Motion(
        assembly=assembly,
        t=t,
        valid=np.ones(n, bool),
        reasons=("",) * n,
        parts=tuple(assembly.parts),
        frames=frames,
        twists=twists,
        accelerations=accelerations,
        residual_mm=np.zeros(n),
        prescribed=degrees,
        runs=((np.arange(n), t, False),),
        events=(),
        again=np.arange(n),
        tell_held=tuple,
        senses={},
        seconds=0.0,
    )


def turning(
    assembly: asm.Assembly, driver: str, t: Array, law: tuple[Array, Array, Array]
) -> Motion:
    """The second part turns about the world's z by an angle, rad, with rate and acceleration."""
    angle, rate, acc = law
    n = len(t)
    frames = np.zeros((n, 2, 12))
    frames[:, :, [3, 7, 11]] = 1.0
    frames[:, 1, 3:5] = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    frames[:, 1, 6:8] = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    twists, accelerations = np.zeros((n, 2, 6)), np.zeros((n, 2, 6))
    twists[:, 1, 5], accelerations[:, 1, 5] = rate, acc
    return told(assembly, t, frames, twists, accelerations, **{driver: np.degrees(angle)})
