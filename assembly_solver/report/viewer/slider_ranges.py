"""The range of the slider of each driver, also of one whose file states none."""

from __future__ import annotations

from collections.abc import Sequence

from ...checking.driver_study import Ground
from ...checking.driver_sweeps import sweep_driver
from ...checking.reach import FULL_TURN
from ...errors import BadValue, UnknownName
from ...foundations.geometry.pose import frames_of
from ...foundations.watch import Progress, Watch
from ...model.assembly import Assembly
from ...model.drivers.guide import Guide
from .viewer import extent

BESIDE = 1e-3
"""A setting: distance from where a driver is stopped, as a share of its range: at a dead point two
ways lead on, and a motion cannot begin there."""

Span = tuple[float, float]


def chosen_drivers(assembly: Assembly, drivers: Sequence[str] | None) -> list[str]:
    """The drivers that move: those named, or all but prescribed motions of a frame.

    Raises:
        UnknownName: no such driver; BadValue: a prescribed motion, which moves over time only.
    """
    for name in drivers or ():
        if name not in assembly.drivers:
            raise UnknownName("driver", name, assembly.drivers, "--driver")
        if isinstance(assembly.drivers[name], Guide):
            raise BadValue("--driver", name, "a driver of one coordinate; it moves with --time")
    own = assembly.drivers.items() if drivers is None else ()
    return list(drivers or (name for name, driver in own if not isinstance(driver, Guide)))


def slider_ranges(ground: Ground, names: Sequence[str], progress: Progress) -> dict[str, Span]:
    """The range of each driver by name; drivers without one that cannot move are left out.

    A driver without a range goes as far as it can, an angle through half a turn to each side, a
    length through the size of the assembly; limits end both.
    """
    out = {}
    for k, name in enumerate(names):
        own = ground.given.drivers[name].range
        if own is None:
            progress(k, len(names), f"how far {name} moves")
            own = _reached(ground, name)
        if own[1] > own[0]:
            out[name] = own
    return out


def _reached(ground: Ground, name: str) -> Span:
    """The values that a driver reaches from where it is, the others locked."""
    value, turns = ground.values[name], ground.given.drivers[name].unit == "deg"
    frames = frames_of([part.pose for part in ground.given.parts.values()])
    far = 0.5 * FULL_TURN if turns else extent(ground.given, frames[None])
    asked = (value - far, value + far)
    low, high = sweep_driver(ground.driving(name), name, asked, Watch()).covered
    beside = BESIDE * (high - low)
    return low + beside * (low > asked[0]), high - beside * (high < asked[1])
