"""Assemblies seen as planar linkages: their points obey the scheme wherever a sweep takes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders import PLANAR
from mechanisms import moved, random_pose
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.geometry.pose import compose_all, frames_of, invert_all
from assembly_solver.linkwork.residual import residual
from assembly_solver.linkwork.view import View, view

Array = NDArray[np.float64]

SAMPLES = Path(__file__).parents[2] / "samples"

RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "four_bar": {"crank": (60.0, 420.0)},
    "slider_crank": {"crank": (45.0, 405.0)},
    "toggle_clamp": {"handle": (20.0, 60.0)},
    "scissor_lift": {"lift": (543.1, 640.0)},
    "excavator": {"boom cylinder": (1075.0, 1250.0)},
}

EXACT = 1e-9
"""What points of mates that hold may be off, mm: they are assembled to 1e-10 mm, and levers."""


def read(name: str) -> asm.Assembly:
    return asm.read(SAMPLES / f"{name}.assembly.json")


def seen(a: asm.Assembly) -> View:
    """An assembly whose drivers all have a value, as it is solved."""
    solution = asm.solve(a).require()
    return view(a, solution.plan, frames_of(solution.poses.values()), tuple(a.drivers))


def carried(v: View, motion: asm.Motion) -> Array:
    """Where the parts of a motion take the points of a linkage, (points, 2, states)."""
    out = np.zeros((len(v.scheme.points), 2, len(motion.t)))
    found = set()
    for number, link in enumerate(v.scheme.links):
        parts = np.flatnonzero(v.link == number)
        if number == 0:
            frames = np.repeat(np.array([[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.0]]), len(motion.t), 0)
        elif len(parts):
            gone = invert_all(v.frames[parts[:1]]).repeat(len(motion.t), 0)
            frames = compose_all(motion.frames[:, parts[0]], gone)
        else:  # a bar
            continue
        for k in link.points:
            at = v.scheme.at[k] @ np.array([v.plane.x, v.plane.y])
            now = frames[:, :3] + np.einsum("k,nkr->nr", at, frames[:, 3:].reshape(-1, 3, 3))
            out[k] = [now @ v.plane.x, now @ v.plane.y]
            found.add(k)
    assert found == set(range(len(v.scheme.points)))
    return out


def gaps(a: asm.Assembly, ranges: dict[str, tuple[float, float]], steps: int = 24) -> list[float]:
    """What a sweep is off by the scheme, and what parts come back off, mm."""
    v = seen(a)
    motion = asm.sweep(a, {name: np.linspace(*r, steps + 1) for name, r in ranges.items()})
    assert motion.valid.all()
    places = carried(v, motion)
    still = {name: np.full(steps + 1, driver.value) for name, driver in a.drivers.items()}
    driven = still | dict(motion.prescribed)
    inputs = np.array([driven[actuator.name] for actuator in v.scheme.actuators])
    worst = residual(v.scheme, inputs, places).max()
    return [worst, np.abs(v.placed(places) - motion.frames)[:, :, :3].max()]


@pytest.mark.parametrize("name", RANGES)
def test_a_sample_moves_as_its_linkage_allows_and_back(name: str) -> None:
    a = read(name)
    assert max(gaps(a, RANGES[name])) < EXACT


@pytest.mark.parametrize("name", PLANAR)
def test_a_mechanism_in_space_is_the_linkage_that_it_is_in_its_plane(name: str) -> None:
    mechanism = PLANAR[name]
    first, last = mechanism.range
    a = mechanism.build(first)
    a = moved(a, random_pose(np.random.default_rng(len(name))))
    assert max(gaps(a, {"input": (first, first + 0.9 * (last - first))})) < EXACT
