"""Which parts of an assembly may come into contact."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import BadValue, SelfMate, UnknownName
from .numbers import not_negative, several

Pair = tuple[str, str]
"""Names of two parts."""

ALL = "all"


@dataclass(frozen=True)
class ContactPairs:
    """Which parts are watched for contact in a motion, and from which distance on they touch.

    Attributes:
        pairs: pairs of parts, or "all": every two parts with geometry that no mate joins.
        exclude: pairs that are not watched; gap: distance that counts as contact, mm.
    """

    pairs: str | tuple[Pair, ...] = ALL
    exclude: tuple[Pair, ...] = ()
    gap: float = 0.0

    def among(self, parts: Collection[str]) -> ContactPairs:
        """The same without the pairs of parts that are not there."""

        def known(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
            return tuple((a, b) for a, b in pairs if a in parts and b in parts)

        pairs = self.pairs if isinstance(self.pairs, str) else known(self.pairs)
        return ContactPairs(pairs, known(self.exclude), self.gap)

    def watches(self, a: str, b: str) -> bool:
        """Whether two parts are watched, if both have geometry and no mate joins them."""
        named = isinstance(self.pairs, str) or not {(a, b), (b, a)}.isdisjoint(self.pairs)
        return named and {(a, b), (b, a)}.isdisjoint(self.exclude)


def checked_contact(
    value: Any, parts: Collection[str], place: str = "contact", exclude: str = "exclude"
) -> ContactPairs:
    """The contact of an assembly, checked.

    Args:
        value: a `ContactPairs`, or a mapping of its fields; parts: names of all parts.
        exclude: the key of the excluded pairs in the mapping.

    Raises BadValue, UnknownName, SelfMate: as the values.
    """
    if isinstance(value, ContactPairs):
        value = vars(value)
    if not isinstance(value, Mapping):
        raise BadValue(place, value, f"pairs, {exclude} and gap")
    known = ("pairs", exclude, "gap")
    for key in value:
        if key not in known:
            raise UnknownName("key", str(key), known, place)
    pairs = value.get("pairs", ALL)
    if not isinstance(pairs, str) or pairs != ALL:
        if isinstance(pairs, str):
            raise BadValue(f"{place}.pairs", pairs, '"all" or a list of pairs of parts')
        pairs = _pairs(pairs, parts, f"{place}.pairs")
    excluded = _pairs(value.get(exclude, ()), parts, f"{place}.{exclude}")
    return ContactPairs(pairs, excluded, not_negative(value.get("gap", 0.0), f"{place}.gap"))


def _pairs(value: Any, parts: Collection[str], place: str) -> tuple[Pair, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise BadValue(place, value, "a list of pairs of parts")
    out = []
    for k, pair in enumerate(value):
        where = f"{place}[{k}]"
        for name in several(pair, 2, where, "two names of parts"):
            if name not in tuple(parts):
                raise UnknownName("part", str(name), parts, where)
        if pair[0] == pair[1]:
            raise SelfMate(f"{pair[0]} - {pair[1]}", pair[0], where, "contact")
        out.append((str(pair[0]), str(pair[1])))
    return tuple(out)
