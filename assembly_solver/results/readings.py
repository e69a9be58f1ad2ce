"""The value of a driver, a limit or a joint coordinate at the poses of a solution."""

from __future__ import annotations

from math import degrees

from ..foundations.types import Array
from ..model.drivers.quantity import Quantity
from ..model.measures.measure import opposed, read
from .solution import Solution


def reading(solution: Solution, quantity: Quantity) -> float:
    """The value of a quantity at the poses of a solution, mm or degrees.

    Args:
        solution: poses are taken as they are, solved or not.
        quantity: of its assembly: a driver, a limit, or `Assembly.coordinate(joint, coordinate)`.

    Returns:
        A length, mm, or an angle from -180 to 180 degrees: poses do not determine whole turns.
    """
    names = list(solution.given.parts)
    found = quantity.measure
    a, b = (solution.frames[names.index(m.part)] for m in (found.a, found.b))
    return reading_between(solution, quantity, a, b)


def reading_between(solution: Solution, quantity: Quantity, a: Array, b: Array) -> float:
    """The value of a quantity, as `reading`, with its two parts at other poses.

    Args:
        solution: has the senses of the mates.
        a, b: world frames of the parts of its measure, (12,), mm.
    """
    found = quantity.measure
    sense = next((m.sense for m in solution.mates if m.name == quantity.joint), None)
    if sense == "opposed":
        found = found._replace(b=opposed(found.b))
    value = read(found, a, b)
    return degrees(value) if quantity.unit == "deg" else value
