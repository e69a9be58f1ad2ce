"""The motions of a driver that checks want watched for contact of parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..foundations.watch import Watch
from ..model import checks as c
from ..model.assembly import Assembly
from ..model.check import Check
from ..model.contact import ContactPairs
from ..results.motion import Motion
from .driver_sweeps import DriverSweep, value_tolerance, watched

STEPS = 60
"""Steps from the present value of the driver to either end of its range."""


def watched_motions(
    given: Assembly, sweep: DriverSweep, checks: Iterable[Check], watch: Watch
) -> Mapping[str, tuple[Motion, ...]]:
    """The motions from the present value of a driver to where it stops, by check of contact."""
    out = {}
    for check in checks:
        if isinstance(check, c.NoContact):
            own = given.copy()
            if check.parts is not None:
                settings = own.contact or ContactPairs()
                own.contact = ContactPairs((check.parts,), gap=settings.gap)
            near, driver, begin = value_tolerance(*sweep.covered), sweep.driver, sweep.start
            ends = [v for v in sweep.covered if abs(v - begin) > near]
            ways = [{driver: np.array([begin, v])} for v in ends]
            out[check.name] = tuple(
                watched(watch, own, way, steps=STEPS, contact="tell") for way in ways
            )
    return out
