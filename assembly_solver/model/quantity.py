"""Quantities: a joint coordinate or a separation, what drivers drive and limits bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import radians
from typing import Any

from ..errors import BadValue, Contradiction, MissingKey, SelfMate, UnknownName
from . import measure as m
from .couplings import Coupling
from .mate import Equation, Held, Mate, Reference, finite, holds, together
from .measure import Marker, Measure


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One scalar of an assembly that can be given a value.  Degrees and mm.

    Attributes:
        name: unique among its like in its assembly.
        joint, coordinate: the mate's name and "angle" or "length"; or
        separation: two features whose origins are so far apart.
        equation: the measure with target 0, made when the quantity is entered.
    """

    name: str
    joint: str | None = None
    coordinate: str | None = None
    separation: tuple[Reference, Reference] | None = None
    equation: Equation

    @property
    def words(self) -> str:
        """What it is, in the user's names."""
        if self.separation is not None:
            return "separation {} - {}".format(*self.separation)
        return f"{self.joint} {self.coordinate}"

    @property
    def kind(self) -> str:
        """What it is, in a word."""
        return self.coordinate or "separation"

    @property
    def unit(self) -> str:
        """Unit of its values."""
        return "deg" if self.coordinate == "angle" else "mm"

    def at(self, value: float) -> tuple[Equation, ...]:
        """What imposes a value (degrees, mm), in mm and rad; a separation of 0 is coincidence."""
        ((_, found),) = self.equation.terms
        if self.separation is not None and value == 0.0:
            return together(found.a, found.b)
        return (holds(found, radians(value) if self.unit == "deg" else value),)

    def checked(self, value: float | None, place: str) -> float | None:
        """A value, or the error that says what a quantity of this kind can take."""
        if value is None:
            return None
        if self.separation is None:
            return finite(value, place, f"a finite number ({self.unit})")
        wanted = "a length of at least 0"
        if finite(value, place, wanted) < 0:
            raise BadValue(place, value, wanted)
        return float(value)


def looked_up(
    held: Mapping[str, Held],
    end: Callable[[Any, str], tuple[Reference, Marker]],
    what: str,
    joint: str | Mate | None,
    coordinate: str | None,
    separation: tuple[Any, Any] | None,
    place: str,
) -> dict[str, Any]:
    """The fields of a quantity but its name, from the words that a user names it with.

    Args:
        held: the mates; end: looks up a feature and its marker.
        what: who asks, for errors: "a driver".
        joint, coordinate, separation: as given; one of joint and separation.
    """
    if joint is not None and separation is not None:
        raise Contradiction(place, "joint", "separation")
    if separation is not None and coordinate is not None:
        raise Contradiction(place, "separation", "coordinate")
    if separation is not None:
        return _separation(end, separation, place)
    if joint is None:
        raise MissingKey(place, what, "joint")
    return _coordinate(held, joint, coordinate, place)


def _separation(
    end: Callable[[Any, str], tuple[Reference, Marker]], separation: tuple[Any, Any], place: str
) -> dict[str, Any]:
    if not isinstance(separation, (tuple, list)) or len(separation) != 2:
        raise BadValue(f"{place}.separation", separation, "two features")
    (ref_a, a), (ref_b, b) = (end(r, f"{place}.separation") for r in separation)
    if ref_a.part == ref_b.part:
        raise SelfMate(f"{ref_a} - {ref_b}", ref_a.part, place, "separation")
    return {"separation": (ref_a, ref_b), "equation": holds(Measure(m.SEPARATION, 0, 0, a, b))}


def _coordinate(
    held: Mapping[str, Held], joint: str | Mate, coordinate: str | None, place: str
) -> dict[str, Any]:
    name = joint.name if isinstance(joint, Mate) else str(joint)
    if name not in held:
        raise UnknownName("joint", name, held, place)
    found = held[name]
    known = () if isinstance(found.mate, Coupling) else found.mate.coordinates
    if coordinate is None and len(known) == 1:
        coordinate = known[0]
    if coordinate not in known:
        raise UnknownName("coordinate", str(coordinate), known, place, repr(name))
    measure = found.mate.coordinate(str(coordinate), found.a, found.b)
    return {"joint": name, "coordinate": coordinate, "equation": holds(measure)}
