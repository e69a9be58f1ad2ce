"""Motions of the links of a linkage, from the positions of its points."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...foundations.types import Array, Complexes
from .scheme import Scheme


class LinkMotions:
    """The links of a scheme over states.

    Args:
        places: (points, 2, states), mm; `point` returns velocities where these are velocities.
    """

    def __init__(self, scheme: Scheme, places: Array) -> None:
        self.scheme, self.places = scheme, places

    @cached_property
    def complex_points(self) -> Complexes:
        """The points as complex numbers, (points, states), mm."""
        out: Complexes = self.places[:, 0] + 1j * self.places[:, 1]
        return out

    def point(self, link: int, start: complex) -> Complexes:
        """A point of a link by its position at the start, (states,), mm."""
        i, j = self.far_points(link)
        z, at = self.complex_points, self.scheme.start
        share = (start - at[i]) / (at[j] - at[i])
        out: Complexes = z[i] + share * (z[j] - z[i])
        return out

    def rotation(self, link: int) -> Complexes:
        """Rotation of a link since the start, (states,), as unit complex numbers."""
        i, j = self.far_points(link)
        z, at = self.complex_points, self.scheme.start
        ray = (z[j] - z[i]) / (at[j] - at[i])
        with np.errstate(invalid="ignore"):
            out: Complexes = ray / np.abs(ray)
        return out

    def far_points(self, link: int) -> tuple[int, int]:
        """Two points of a link that are far from each other."""
        own = self.scheme.links[link].points
        j = self.scheme.farthest(own[0], own)
        return self.scheme.farthest(j, own), j
