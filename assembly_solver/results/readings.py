"""The value of a driver, a limit or a joint coordinate at the poses of a solution."""

from __future__ import annotations

from math import degrees

import numpy as np

from ..foundations.types import Array
from ..model.drivers.quantity import Quantity
from ..model.measures.measure import Measure, opposed, read
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


def readings_along(solution: Solution, quantity: Quantity, frames: Array) -> Array:
    """The value of a quantity over states that follow each other closely, mm or degrees, (states,).

    Args:
        solution: of the assembly, which tells the senses of its mates.
        quantity: as in `reading`; frames: of the parts in its order, (states, parts, 12).

    An angle is counted on beyond half a turn from the first state.
    """
    found, names = _sensed(solution, quantity), list(solution.given.parts)
    a, b = (names.index(m.part) for m in (found.a, found.b))
    values = np.array([read(found, state[a], state[b]) for state in frames])
    return np.unwrap(np.degrees(values), period=360.0) if quantity.unit == "deg" else values


def reading_between(solution: Solution, quantity: Quantity, a: Array, b: Array) -> float:
    """The value of a quantity, as `reading`, with its two parts at other poses.

    Args:
        solution: has the senses of the mates.
        a, b: world frames of the parts of its measure, (12,), mm.
    """
    value = read(_sensed(solution, quantity), a, b)
    return degrees(value) if quantity.unit == "deg" else value


def _sensed(solution: Solution, quantity: Quantity) -> Measure:
    """The measure of a quantity in the sense of its mate."""
    found = quantity.measure
    sense = next((m.sense for m in solution.mates if m.name == quantity.joint), None)
    if sense == "opposed":
        found = found._replace(b=opposed(found.b))
    return found
