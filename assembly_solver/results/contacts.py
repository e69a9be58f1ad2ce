"""What a motion was watched for contact of, and how near parts come in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..foundations.types import Array
from ..model.contact import Pair
from .wording.phrases import count, listed, short


@dataclass(frozen=True)
class WatchedContacts:
    """The pairs of parts that a motion was watched for contact of.

    Attributes:
        pairs: the watched ones; left_out: the others that were asked for, with the reason.
        bounded: the watched ones whose speed is bounded between states; those of the others is
            estimated from the rates at the states, so that their motion is sampled.
        exact: the watched ones of spheres, round bars, tubes or solids with plane faces only, whose
            distance is exact; that of the others is between the triangles of their files.
        depth_mm: how deep a contact may be that was missed, at most.
        found: pairs that come into contact.
    """

    pairs: tuple[Pair, ...]
    left_out: Mapping[Pair, str]
    bounded: frozenset[Pair]
    exact: frozenset[Pair]
    depth_mm: float
    found: tuple[Pair, ...]

    @property
    def words(self) -> str:
        """The watch in a phrase, as "no contact of 74 pairs of parts"."""
        n = len(self.pairs)
        pairs = f"{count(n, 'pair')} of parts"
        met, sampled, out = len(self.found), n - len(self.bounded), len(self.left_out)
        told = f"{met} of {pairs} in contact" if met else f"no contact of {pairs}"
        told = told if n else "no pair of parts to watch for contact"
        notes = (
            [f"less deep than {short(self.depth_mm)} mm not seen"] if self.depth_mm > 0.0 else []
        )
        notes += [f"{sampled if sampled < n else ''} sampled".strip()] if sampled else []
        notes += [f"{count(out, 'pair')} left out"] if out else []
        return f"{told} ({'; '.join(notes)})" if notes else told

    def to_dict(self) -> dict[str, Any]:
        """The entry `contact` of the result object of a sweep."""
        return {
            "pairs": [list(pair) for pair in self.pairs],
            "left_out": [{"parts": list(pair), "why": why} for pair, why in self.left_out.items()],
            "sampled": [list(pair) for pair in self.pairs if pair not in self.bounded],
            "exact": [list(pair) for pair in self.pairs if pair in self.exact],
            "depth_mm": self.depth_mm,
        }


def joined(watches: Iterable[WatchedContacts]) -> WatchedContacts | None:
    """The watch of several motions of the same pairs as one; None of none."""
    known = list(watches)
    if not known:
        return None
    return replace(
        known[0],
        bounded=frozenset.intersection(*(w.bounded for w in known)),
        depth_mm=max(w.depth_mm for w in known),
        found=tuple(dict.fromkeys(pair for w in known for pair in w.found)),
    )


@dataclass(frozen=True, eq=False)
class ClearanceCurve:
    """The distance of two parts over a motion.

    Attributes:
        parts: their names; along: computes `values`, which takes longer than the smallest one.
        least_mm: the smallest distance, between the states as well.
        at: the values of the moving drivers there, mm or degrees; t: the time, s.  If the parts
            touch or overlap in the motion, this is where they first do.
        where: the place in words.
        points: the nearest points of the two there, mm, world; None where they touch or overlap.
        lowest: computes what the distance is at least, mm; None where that is not known, as the
            speed of the parts is estimated: a nearer place between two states may be missed.
    """

    parts: Pair
    along: Callable[[], Array]
    least_mm: float
    at: Mapping[str, float]
    t: float
    where: str
    points: tuple[tuple[float, ...], ...] | None
    lowest: Callable[[], float] | None = None

    @cached_property
    def off_mm(self) -> float:
        """How much nearer the parts may come elsewhere, at most, mm; NaN where it is not known.

        By the largest speed of the parts between the places looked at.
        """
        if self.points is None:
            return 0.0
        return max(self.least_mm - self.lowest(), 0.0) if self.lowest else np.nan

    @cached_property
    def values(self) -> Array:
        """The distance in each state, (states,), mm, 0 where the parts touch or overlap, NaN where
        the state is not valid."""
        return self.along()

    @property
    def name(self) -> str:
        """Both parts, as "boom - bucket"."""
        return " - ".join(self.parts)

    @property
    def words(self) -> str:
        """The smallest distance in a sentence."""
        if self.points is None:
            return f"{listed(list(self.parts))} touch at {self.where}"
        told = f"come as near as {short(self.least_mm)} mm at {self.where}"
        sampled = "" if self.lowest else " (sampled)"
        return f"{listed(list(self.parts))} {told}{sampled}"

    def to_dict(self) -> dict[str, Any]:
        """The same as a JSON object."""
        values = [None if np.isnan(x) else float(x) for x in self.values]
        off = None if np.isnan(self.off_mm) else self.off_mm
        return {
            "parts": list(self.parts), "least_mm": self.least_mm, "off_mm": off,
            "at": dict(self.at), "t": self.t, "points": self.points, "sentence": self.words,
            "values": values,
        }  # fmt: skip
