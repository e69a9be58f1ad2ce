"""The value of a driver, a limit or a joint coordinate at the poses of a solution."""

from __future__ import annotations

import numpy as np

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
    return float(_values(solution, quantity, solution.frames[None])[0])


def readings_along(solution: Solution, quantity: Quantity, frames: Array) -> Array:
    """The value of a quantity over states that follow each other closely, mm or degrees, (states,).

    Args:
        solution: of the assembly, which tells the senses of its mates.
        quantity: as in `reading`; frames: of the parts in its order, (states, parts, 12).

    An angle is counted on beyond half a turn from the first state.
    """
    values = _values(solution, quantity, frames)
    return np.unwrap(values, period=360.0) if quantity.unit == "deg" else values


def _values(solution: Solution, quantity: Quantity, frames: Array) -> Array:
    found = quantity.measure
    sense = next((m.sense for m in solution.mates if m.name == quantity.joint), None)
    if sense == "opposed":
        found = found._replace(b=opposed(found.b))
    names = list(solution.given.parts)
    a, b = (names.index(m.part) for m in (found.a, found.b))
    values = np.array([read(found, state[a], state[b]) for state in frames])
    return np.degrees(values) if quantity.unit == "deg" else values
