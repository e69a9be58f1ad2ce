"""Numbers in the units and with the decimals of FreeCAD's preferences, and numbers that are typed.

Inside the add-on lengths are mm and angles degrees; this is where a user meets them.
"""

from __future__ import annotations

import re
from functools import partial
from math import floor, log10
from typing import NamedTuple

import FreeCAD

SETTINGS = "User parameter:BaseApp/Preferences/Units"
"""FreeCAD's preferences of units."""

KINDS = {"mm": FreeCAD.Units.Length, "deg": FreeCAD.Units.Angle}
"""What the units of the engine measure."""

LEAST = 3
"""Significant digits that are left of a number, however few decimals are wanted."""

MOST = 9
"""Decimals of numbers in a sentence, at most."""

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_BETWEEN = r" to | and | or |, | \.\. "
_VALUES = re.compile(rf"(?<![\w.])({_NUMBER}(?:(?:{_BETWEEN}){_NUMBER})*) (mm|deg)(?![\w^²³]|/mm)")
_POINT = re.compile(rf"(?<=through )\(({_NUMBER}(?:, {_NUMBER}){{2}})\)")


class Unit(NamedTuple):
    """A unit of the preferences: its symbol, and its size in mm or degrees."""

    symbol: str
    size: float


def decimals() -> int:
    """Decimals of the preferences."""
    return int(FreeCAD.ParamGet(SETTINGS).GetInt("Decimals", 2))


def unit_of(kind: str, value: float = 0.0) -> Unit:
    """The unit of the preferences for a value in "mm" or "deg"; for small ones that of an inch."""
    quantity = FreeCAD.Units.Quantity(max(abs(value), 25.4), KINDS[kind])
    _, size, symbol = quantity.getUserPreferred()
    return Unit("°" if symbol == "deg" else symbol, size)


def digits(value: float, wanted: int | None = None) -> str:
    """A number with the decimals of the preferences; more where it is less than they can tell.

    Args:
        wanted: instead of those of the preferences.
    """
    wanted = decimals() if wanted is None else wanted
    if value == 0.0 or value != value:
        return f"{abs(value):.{wanted}f}"
    needed = LEAST - 1 - floor(log10(abs(value)))
    if needed > MOST:
        return f"{value:.{LEAST}g}"
    text = f"{value:.{max(wanted, needed)}f}"
    while needed > wanted and text.endswith("0") and len(text.partition(".")[2]) > wanted:
        text = text[:-1]
    return text.removesuffix(".")


def shown(value: float, kind: str) -> str:
    """A value in mm or degrees with its unit, "25.40 mm" or "1.00 in"; never in fractions."""
    unit = unit_of(kind, value)
    return f"{digits(value / unit.size)} {unit.symbol}"


def typed(text: str, kind: str) -> float | None:
    """A typed value in mm or degrees, "1 in" or "0.5 rad"; None where it is none.

    A number alone is in the unit of the preferences.  Of another kind it has to be one.
    """
    try:
        found = FreeCAD.Units.Quantity(text)
    except (ValueError, ArithmeticError):
        return None
    if not text.strip():
        return None
    if found.Unit == FreeCAD.Units.Unit():
        return float(found.Value) * (unit_of(kind).size if kind in KINDS else 1.0)
    if kind not in KINDS:
        return None
    same = found.Unit == FreeCAD.Units.Quantity(1.0, KINDS[kind]).Unit
    return float(found.Value) if same else None


def localised(words: str) -> str:
    """A sentence of the engine with its lengths and angles in the units of the preferences.

    Numbers have the decimals of the preferences; where different ones would look alike, one more
    than tell them apart, which shows how far apart they are.
    """
    wanted = decimals()
    text, clear = _written(words, wanted)
    while not clear and wanted < MOST:
        wanted += 1
        clear = _written(words, wanted)[1]
        text, _ = _written(words, wanted + 1)
    return _POINT.sub(_point, text)


def _written(words: str, wanted: int) -> tuple[str, bool]:
    """A sentence with numbers of so many decimals, and whether different ones look different."""
    said: dict[tuple[float, str], str] = {}
    text = _VALUES.sub(partial(_values, wanted=wanted, said=said), words)
    return text, len({*said.values()}) == len(said)


def _values(found: re.Match[str], wanted: int, said: dict[tuple[float, str], str]) -> str:
    """Numbers in front of one unit, all in that of the largest; `said` notes each with its unit."""
    numbers = re.split(f"({_BETWEEN})", found[1])
    unit = unit_of(found[2], max(abs(float(n)) for n in numbers[::2]))
    for k in range(0, len(numbers), 2):
        value, numbers[k] = float(numbers[k]), _short(numbers[k], unit.size, wanted)
        said[value, found[2]] = f"{numbers[k]} {unit.symbol}"
    return f"{''.join(numbers)} {unit.symbol}"


def _point(found: re.Match[str]) -> str:
    """The coordinates of a point, which the engine has in mm."""
    unit = unit_of("mm")
    if unit.symbol == "mm":
        return found[0]
    numbers = ", ".join(_short(n, unit.size, decimals()) for n in found[1].split(", "))
    return f"({numbers}) {unit.symbol}"


def _short(number: str, size: float, wanted: int) -> str:
    """A number of a sentence over the size of a unit, without zeros that tell nothing."""
    text = digits(float(number) / size, wanted)
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    return number if size == 1.0 and len(number) <= len(text) else text
