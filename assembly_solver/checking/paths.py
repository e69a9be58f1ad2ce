"""Findings about the path of a point."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..foundations.numerics.rounding import ROUNDING
from ..foundations.numerics.ties import first_largest
from ..foundations.types import Array
from ..model.checks import PointStays
from .driver_study import Study
from .findings import DriverPosition, Finding, PointPath
from .verdicts import ComparedValue, compared, missing

ROUNDS = 300
"""Line fits: the largest distance is then within 0.1 % of the minimum."""


def path_findings(check: PointStays, name: str, along: Study | PointPath) -> Iterator[Finding]:
    """The findings of one check over the sweep of a driver or a grid of several."""
    assert check.point is not None
    if isinstance(along, Study):
        keep, where = along.states_in(check), along
        at, values = along.sweep.point(check.point)[0][keep], along.sweep.at[keep]
        driver = along.sweep.driver
    else:
        at, where, driver = along.positions, None, " and ".join(along.drivers)
        at = at[np.isfinite(at).all(axis=1)]
        values = np.full(len(at), np.nan)
    if not len(at):
        yield missing(check, f"path of {name}", f"{driver} does not come there", driver)
        return

    def place(k: int) -> DriverPosition | None:
        return where.sweep.place(float(values[k])) if where is not None else None

    size = float(np.abs(at).max())
    over = where.coverage_note(check) if where is not None else f"over all of {driver}"
    for axis, bounds in enumerate((check.x, check.y, check.z)):
        if bounds is not None:
            x = at[:, axis]
            k = first_largest(np.maximum(bounds[0] - x, x - bounds[1]), size)
            subject = f"{'xyz'[axis]} of {name}"
            quantity = ComparedValue(subject, float(x[k]), "mm")
            yield compared(check, quantity, *bounds, place(k), "", over)
    if check.reaches is not None:
        gap = np.linalg.norm(at - np.array(check.reaches), axis=1)
        k = first_largest(-gap, size)
        target = ", ".join(f"{v:g}" for v in check.reaches)
        subject = f"distance of {name} from ({target})"
        quantity = ComparedValue(subject, float(gap[k]), "mm")
        yield compared(check, quantity, None, check.within, place(k), "", over)
    if check.straight is not None and where is not None:
        off = off_line(at)
        k = first_largest(off, size)
        subject = f"distance of {name} from a straight line"
        quantity = ComparedValue(subject, float(off[k]), "mm")
        yield compared(check, quantity, None, check.straight, place(k), "", over)


def off_line(at: Array) -> Array:
    """Distance of points (n, 3), mm, from the line of least largest distance, (n,), mm.

    A least-squares fit would depend on the spacing of the points along the path.
    Source: Lawson's algorithm: weights multiplied by distances, initially equal.
    """
    weights = np.full(len(at), 1.0 / len(at))
    best = np.full(len(at), np.inf)
    for _ in range(ROUNDS):
        away = at - weights @ at
        _, _, axes = np.linalg.svd(np.sqrt(weights)[:, None] * away, full_matrices=False)
        along = away @ axes[0]
        off: Array = np.linalg.norm(away - along[:, None] * axes[0], axis=1)
        if off.max() < best.max():
            best = off
        total = float(weights @ off)
        if total <= ROUNDING * np.abs(away).max():
            break
        weights = weights * off / total
    return best
