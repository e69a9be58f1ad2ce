"""Linkages in a plane, in space as CAD has them, against their closed forms at every degree."""

from __future__ import annotations

import math

import jets as j
import numpy as np
import pytest
from builders import PLANAR, four_bar
from judging import judged, swept

pytestmark = pytest.mark.quick

STEPS = 360


@pytest.mark.parametrize("name", PLANAR)
def test_a_linkage_moves_as_its_closed_form(name: str) -> None:
    """Points to 1e-9 mm, velocities to 1e-9 and accelerations to 1e-8 of the largest."""
    motion, driver = swept(PLANAR[name], STEPS)
    assert len(motion.t) == STEPS + 1
    assert judged(motion, PLANAR[name].oracle(driver)) == {}


def test_a_four_bar_obeys_freudenstein_with_its_first_and_second_derivative() -> None:
    """K1 cos(rocker) - K2 cos(crank) + K3 = cos(crank - rocker), a third way to say it."""
    frame, crank, coupler, rocker = 300.0, 100.0, 260.0, 200.0
    motion, _ = swept(four_bar(frame, crank, coupler, rocker), STEPS)
    one, two = (motion.joint(name, "angle") for name in ("A", "D"))
    a, b = (
        j.Jet(*(np.radians(v) for v in (track.value, track.rate, track.acc)))
        for track in (one, two)
    )
    k3 = (frame**2 + crank**2 + rocker**2 - coupler**2) / (2 * crank * rocker)
    error = (frame / crank) * j.cos(b) - (frame / rocker) * j.cos(a) + k3 - j.cos(a - b)
    scale = math.radians(90.0)
    assert np.abs(error.value).max() < 1e-12
    assert np.abs(error.rate).max() < 1e-11 * scale * 10
    assert np.abs(error.acc).max() < 1e-10 * scale**2 * 10
