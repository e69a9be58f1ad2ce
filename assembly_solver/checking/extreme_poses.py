"""The mechanism at both ends of what a driver covers, as outlines in the plane that shows most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..foundations.geometry.pose import placed_points
from ..foundations.numerics.rounding import DIGITS
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.building.groups import references
from ..model.mate import Reference
from .driver_sweeps import DriverSweep
from .findings import ExtremePose


def extreme_poses(
    given: Assembly, sweep: DriverSweep, covered: tuple[float, float]
) -> tuple[ExtremePose, ...]:
    """The poses at both ends of a range of a driver.

    Where the parts are at the same place at both, as after a full turn, the second is the pose
    farthest from the first.  Nothing where nothing moves or fewer than two states are known.
    """
    points = outline_points(given)
    known = np.flatnonzero((sweep.at >= covered[0]) & (sweep.at <= covered[1]))
    if len(known) < 2 or not points:
        return ()
    every = [point for own in points.values() for point in own]
    rows = [sweep.up.parts.index(reference.part) for reference in every]
    local = np.array([given.parts[r.part].feature(r.feature).frame[:3] for r in every])
    world = np.array([placed_points(sweep.frames[k][rows], local) for k in known])
    size = float(np.ptp(world.reshape(-1, 3), axis=0).max())
    if np.abs(world - world[0]).max() <= DIGITS * size:
        return ()
    last = len(known) - 1
    if np.abs(world[last] - world[0]).max() <= DIGITS * size:
        last = int(np.argmax(np.square(world - world[0]).sum(axis=(1, 2))))
    axes = _plane(world)
    cuts = np.cumsum([len(own) for own in points.values()])[:-1]
    return tuple(
        ExtremePose(
            float(sweep.at[known[k]]),
            ("xyz"[axes[0]], "xyz"[axes[1]]),
            dict(zip(points, np.split(world[k][:, axes], cuts), strict=True)),
            tuple(part for part in points if part in given.parts and given.parts[part].grounded),
        )
        for k in (0, last)
    )


def outline_points(given: Assembly) -> dict[str, list[Reference]]:
    """By part the features that its mates name, and by driver those that it keeps apart."""
    found: dict[str, dict[Reference, None]] = {}
    for mate in given.mates.values():
        for reference in references(mate).values():
            found.setdefault(reference.part, {})[reference] = None
    for name, driver in given.drivers.items():
        if driver.separation is not None and name not in found:
            found[name] = dict.fromkeys(driver.separation)
    return {name: list(own) for name, own in found.items()}


def _plane(world: Array) -> Sequence[int]:
    """The two axes in which the points lie widest and move farthest, as numbers."""
    spread = np.square(world - world.mean(axis=(0, 1))).sum(axis=(0, 1))
    moved = np.square(world - world.mean(axis=0)).sum(axis=(0, 1))
    shares = spread / max(spread.sum(), 1.0) + moved / moved.sum()
    return sorted(np.argsort(shares, kind="stable")[1:].tolist())
