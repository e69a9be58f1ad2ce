"""The unit of length of .asmt files, which do not state it.

FreeCAD's Assembly workbench writes mm and OndselSolver's examples are in metres, but the banner
tells only which program wrote the text last: OndselSolver writes assemblies in metres under the
banner that FreeCAD's have.  So the name that FreeCAD gives, gravity, and sizes come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot
from typing import NamedTuple

from ...errors import BadValue
from .syntax import Entry

UNITS = {"m": 1000.0, "mm": 1.0}
"""Units of length by their symbol, mm."""

GRAVITY = (1.0, 30.0)
"""Gravity that is meant as one, m/s2: on the Moon, and three times that of the Earth."""

FREECAD = "OndselAssembly"
"""Name of every assembly that FreeCAD's Assembly workbench writes."""

BANNERS = {"freeCAD: 3D CAD with Motion Simulation": "m", "OndselSolver": "mm"}
"""The first line of a file, and the unit of most files that begin with it."""

SMALL, LARGE = 0.5, 50.0
"""Largest coordinate below which an assembly in mm, above which one in metres, is not believed."""


class LengthUnit(NamedTuple):
    """A unit of length: its symbol, and the evidence for it."""

    symbol: str
    because: str

    @property
    def mm(self) -> float:
        return UNITS[self.symbol]

    def words(self, file: str) -> str:
        """The unit of a file in words, and how to say another."""
        other = next(symbol for symbol in UNITS if symbol != self.symbol)
        hint = "" if self.because == STATED else f"; --unit {other} takes them in {other}"
        return f"lengths of {file} are taken in {self.symbol}: {self.because}{hint}"


STATED = "as was asked"


def unit_of_length(root: Entry, banner: str, stated: str | None) -> LengthUnit:
    """The unit of length of a file: as stated, else by the best evidence in it.

    Raises BadValue: the stated one is not known.
    """
    if stated is not None:
        if stated not in UNITS:
            raise BadValue("unit", stated, " or ".join(UNITS))
        return LengthUnit(stated, STATED)
    if root.name == FREECAD:
        return LengthUnit("mm", f"FreeCAD names an assembly {FREECAD}")
    gravity = hypot(*root.numbers("ConstantGravity"))
    for symbol, mm in UNITS.items():
        if GRAVITY[0] <= mm / 1000.0 * gravity <= GRAVITY[1]:
            return LengthUnit(symbol, f"gravity is {gravity:g}")
    largest = max(_coordinates(root), default=0.0)
    size = f"its largest coordinate is {largest:.3g}"
    if 0.0 < largest < SMALL or largest > LARGE:
        return LengthUnit("m" if largest < SMALL else "mm", size)
    for start, symbol in BANNERS.items():
        if banner.startswith(start):
            return LengthUnit(symbol, f"its first line begins with {start!r}")
    symbol = "m" if largest < (SMALL * LARGE) ** 0.5 else "mm"
    return LengthUnit(symbol, f"{size}, and its first line tells nothing")


def _coordinates(entry: Entry) -> Iterator[float]:
    """Sizes of all coordinates of positions in an entry and below it."""
    for inner in entry.inner:
        if inner.text == "Position3D":
            yield from map(abs, entry.numbers("Position3D"))
        else:
            yield from _coordinates(inner)
