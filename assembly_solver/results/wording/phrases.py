"""Numbers, counts, lists and directions in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, degrees, floor, hypot, log10

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT, DIGITS, ROUNDING
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...structure.plan import Plan

PLAIN = 1e-4
"""A setting: the least number that is written without an exponent."""


DOUBTED = "this pose is singular, or nearly so"
"""Said where noise hides whether the pose is singular itself, or beside one."""

WITHIN = "dimensions are special, or nearly so"
"""Said where more is free within the tolerance than with the numbers as they are."""


def short(value: float) -> str:
    """A number in four digits, a very small one in two."""
    return f"{value:.4g}" if value == 0 or abs(value) >= PLAIN else f"{value:.1e}"


def at_most(bound: float) -> str:
    """An upper bound in as many digits, not below it: read back it is as much, or more."""
    return _rounded(bound, "ROUND_CEILING")


def at_least(bound: float) -> str:
    """A lower bound in as many digits, not above it: read back it is as much, or less."""
    return _rounded(bound, "ROUND_FLOOR")


def _rounded(value: float, way: str) -> str:
    from decimal import Context  # for proofs and bounds only

    digits = 4 if value == 0 or abs(value) >= PLAIN else 2
    written = repr(float(value))  # the binary form of 0.0003 is a little below it
    return short(float(Context(prec=digits, rounding=way).create_decimal(written)))


def place(value: float) -> str:
    """A place on the way of a driver in ten digits, to the 1e-9 to which one is located."""
    return f"{round(value, 9) + 0.0:.10g}"


def apart(*values: float) -> list[str]:
    """Numbers in four digits, or as many as tell them apart in two; 0 for rounding."""
    size = max(map(abs, values))
    near = [abs(a - b) for a in values for b in values if abs(a - b) > AGREEMENT * size]
    digits = 4
    if near and size > 0.0:
        digits = max(digits, floor(log10(size)) - floor(log10(min(near))) + 2)
    return [f"{v:.{min(digits, 15)}g}" for v in tidy(np.array(values), AGREEMENT * size)]


def coordinate(value: float) -> str:
    """A computed length or angle, mm or degrees; 0 for rounding."""
    return "0" if abs(value) < AGREEMENT else f"{value:.6g}"


def fixed(value: float, digits: int) -> str:
    """A number with `digits` decimals, and no minus before zero."""
    shown = f"{value:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown


def turn(quaternion: Sequence[float]) -> tuple[str, str]:
    """Angle in degrees and axis of a unit quaternion [w, x, y, z]."""
    w, x, y, z = quaternion if quaternion[0] >= 0 else [-v for v in quaternion]
    sine = hypot(x, y, z)
    if sine < ROUNDING:
        return "0.000", ""
    axis = ", ".join(fixed(v / sine, 3) for v in (x, y, z))
    return fixed(degrees(2 * atan2(sine, w)), 3), axis


def exactly(value: float) -> bool:
    """Whether six digits, or fewer, are all of a number."""
    return float(f"{value:.6g}") == value


def count(n: int, word: str) -> str:
    """A count and noun: "1 mate", "2 mates"."""
    return f"{n} {word}{'' if n == 1 else 's'}"


def listed(names: list[str], most: int = 6, count: int = 0) -> str:
    """Names in a sentence, the first `most` of many; of more than are given where these count."""
    if max(len(names), count) > most:
        return ", ".join(names[:most]) + f" and {max(len(names), count) - most} more"
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + f" and {names[-1]}"


def constraint_words(name: str, assembly: Assembly) -> str:
    """The name of a mate, driver or limit; with what it is where a part has the same name."""
    if name not in assembly.parts:
        return name
    kinds = {"mate": assembly.held, "driver": assembly.drivers, "limit": assembly.limits}
    return f"{next((kind for kind, known in kinds.items() if name in known), 'mate')} {name}"


def part_words(name: str, assembly: Assembly) -> str:
    """The name of a part; with "part" where a mate has the same name."""
    return f"part {name}" if name in assembly.held else name


def vector(values: Array) -> str:
    """A vector (3,), its largest component positive."""
    sign = np.sign(values[int(np.argmax(np.abs(values)))])
    return f"({numbers(sign * values)})"


def numbers(values: Array) -> str:
    """Numbers in four digits."""
    return ", ".join(f"{v:.4g}" for v in tidy(values, DIGITS))


def be(n: int) -> str:
    """ "is" or "are"."""
    return "is" if n == 1 else "are"


def of_order(order: int | None) -> str:
    """What is infinitesimal, in words: of the first order only, or of a higher one.

    Args:
        order: up to which mates hold; None where that is not clear.
    """
    if order is None:
        return "infinitesimal, of an order that is not clear"
    if order == 1:
        return "of first order only"
    return f"infinitesimal of order {order}, rigid at order {order + 1}"


def parts_of(plan: Plan, bodies: Iterable[int]) -> list[str]:
    """Names of the parts of bodies."""
    of_part = plan.bodies.of_part
    return [plan.system.parts[k] for b in bodies for k in np.flatnonzero(of_part == b)]


def tidy(values: Array, zero: float) -> list[float]:
    """Numbers; those smaller than `zero` are 0."""
    return [0.0 if abs(v) < zero else float(v) for v in values]
