"""Outputs of a mechanism and their mechanical advantage over a driver.

By virtual work without friction and weight, force times displacement is equal at driver and
output: the mechanical advantage is the driver's displacement per unit of the output's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.mate import Reference
from .driver_sweeps import DriverSweep

UNITS = {("mm", "mm"): "", ("deg", "mm"): "N/N mm", ("mm", "deg"): "N mm/N", ("deg", "deg"): ""}
"""Output over input, by the units of driver and output."""


@dataclass(frozen=True)
class Output:
    """A point or joint coordinate.

    Attributes:
        point: the force there, along `direction` (world) or its path; or
        joint, coordinate: the force or torque of that.
    """

    point: Reference | None = None
    direction: tuple[float, ...] | None = None
    joint: str | None = None
    coordinate: str | None = None

    @property
    def words(self) -> str:
        """Name."""
        if self.point is not None:
            along = ", ".join(f"{v:.4g}" for v in self.direction or ())
            return f"{self.point} along ({along})" if along else str(self.point)
        return f"{self.joint} {self.coordinate}" if self.coordinate else str(self.joint)

    def unit(self, given: Assembly) -> str:
        """Unit: mm or deg."""
        if self.joint is None:
            return "mm"
        mate = given.mates[self.joint]
        return "deg" if (self.coordinate or mate.coordinates[0]) == "angle" else "mm"

    def advantage(self, sweep: DriverSweep) -> Array:
        """Size of the mechanical advantage, (n,), in `UNITS`; inf if the output rests."""
        if self.joint is not None:
            speed = sweep.joint(self.joint, self.coordinate)[1]
        else:
            assert self.point is not None
            velocity = sweep.point(self.point)[1]
            speed = np.linalg.norm(velocity, axis=1)
            if self.direction is not None:
                speed = velocity @ np.array(self.direction)
        with np.errstate(divide="ignore"):
            out: Array = 1.0 / np.abs(speed)
        return out
