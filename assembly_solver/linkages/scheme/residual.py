"""Deviation of points from the constraints of a linkage: links, slots, inputs."""

from __future__ import annotations

import numpy as np

from ...foundations.types import Array, Complexes
from .scheme import LINEAR, ROTARY, Actuator, Scheme


@np.errstate(invalid="ignore")
def residual(scheme: Scheme, inputs: Array, places: Array) -> Array:
    """The largest deviation, (states,), mm; NaN where a point is NaN.

    Of a link it is the deviation of its points from rigid motion with two of them; of an angle the
    displacement of the end of the shorter ray.

    Args:
        inputs: (actuators, states), degrees and mm; places: (points, 2, states), mm.
    """
    z: Complexes = places[:, 0] + 1j * places[:, 1]
    start = np.array(scheme.start)
    worst = np.zeros(places.shape[2])
    for link in scheme.links:
        own = np.array(link.points)
        i, j = own[0], own[np.argmax(np.abs(start[own] - start[own[0]]))]
        turn = (z[j] - z[i]) / (start[j] - start[i])
        turn = turn / np.abs(turn)
        off = np.abs(z[own] - z[i] - turn * (start[own] - start[i])[:, None])
        worst = np.maximum(worst, off.max(axis=0))
    for slot in scheme.slots:
        p, r = (z[end] for end in slot.ends)
        worst = np.maximum(worst, np.abs(((z[slot.point] - p) * (r - p).conj()).imag / abs(r - p)))
    for actuator, given in zip(scheme.actuators, inputs, strict=True):
        value = actuator.factor * given + actuator.offset
        worst = np.maximum(worst, np.abs(_missed(actuator, value, z)))
    return worst


def _missed(actuator: Actuator, value: Array, z: Complexes) -> Array:
    """Deviation of an actuator from its value, mm."""
    i, j, k = actuator.points
    out: Array = abs(z[j] - z[i]) - value
    if actuator.kind == ROTARY:
        one, two = z[i] - z[j], z[k] - z[j]
        rotated = two * (one * np.exp(1j * value)).conj()
        out = np.angle(rotated) * np.minimum(abs(one), abs(two))
    elif actuator.kind == LINEAR:
        out = ((z[j] - z[i]) * (z[k] - z[i]).conj()).real / abs(z[k] - z[i]) - value
    return out
