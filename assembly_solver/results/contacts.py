"""What a motion was watched for contact of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model.contact import Pair
from .wording.phrases import count, short


@dataclass(frozen=True)
class WatchedContacts:
    """The pairs of parts that a motion was watched for contact of.

    Attributes:
        pairs: the watched ones; left_out: the others that were asked for, with the reason.
        bounded: the watched ones whose speed is bounded between states; those of the others is
            estimated from the rates at the states, so that their motion is sampled.
        exact: the watched ones of two spheres, round bars or solids with plane faces only, whose
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
        if not n:
            return "no pair of parts to watch for contact"
        met, sampled, out = len(self.found), n - len(self.bounded), len(self.left_out)
        told = f"{met} of {pairs} in contact" if met else f"no contact of {pairs}"
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
