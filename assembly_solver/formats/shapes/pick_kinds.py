"""Picks of each kind of face and edge, from the numbers of its surface or curve.

Every modeller's shapes are read through this module.  All numbers are in the coordinates of the
features, mm; directions may be of any length.

Angles about a picked axis count from the x axis of the part, or y where x is along the axis, as
for any feature without an x: where a modeller begins a round surface is arbitrary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import Triple, triple
from ...foundations.numerics.rounding import AGREEMENT, EPSILON
from ...model.curve import Curve
from ...model.feature import Axis, Cone, Feature, Plane, Point, Sphere, Torus
from .picks import Pick, along, beside_axis, plane_at

Follow = Callable[[], tuple[Curve, ...]]

SMALL = 64.0 * EPSILON
"""Fraction of a vector below which a component is rounding."""


class Piece(NamedTuple):
    """A face or an edge: its centre of mass, and its area or length."""

    centre: Triple
    size: float

    # ------------------------------------------------------------------------------- faces
    def plane(self, normal: Triple, x: Triple | None = None) -> Pick:
        """A planar face; its normal points out of the material.  A datum plane has an x."""
        frame = Axis(self.centre, unit(normal), None if x is None else unit(x)).frame
        feature, others = plane_at(frame, self.centre)
        return Pick("plane", feature, others, *self)

    def cylinder(
        self, hole: bool, at: Triple, z: Triple, radius: float, ends: Sequence[float]
    ) -> Pick:
        """A cylinder or a hole with its axis at the middle; `ends` are mm along z from `at`."""
        up, sign = upward(z)
        axis = Axis(at, up, radius=radius)
        pick = Pick("hole" if hole else "cylinder", axis, (), *self, radius)
        return along(pick, *sorted(sign * end for end in ends))

    def cone(self, apex: Triple, z: Triple, angle: float) -> Pick:
        """A cone with its axis from the apex towards the face; `angle`: its half angle, degrees."""
        to_face = np.array(self.centre) - apex
        into = np.array(unit(z)) * (1.0 if to_face @ z > 0 else -1.0)
        feature = Cone(apex, triple(into + 0.0), angle=angle)
        return Pick("cone", feature, beside_axis(feature), *self)

    def sphere(self, at: Triple, radius: float) -> Pick:
        """A sphere."""
        return Pick("sphere", Sphere(at, radius=radius), (), *self, radius)

    def torus(self, at: Triple, z: Triple, radius: float, tube: float) -> Pick:
        """A torus; one without a hole is read as its axis only."""
        up = upward(z)[0]
        whole = tube < radius
        feature = Torus(at, up, radius=radius, tube=tube) if whole else Axis(at, up)
        return Pick("torus", feature, beside_axis(feature), *self, radius)

    def turned(self, words: str, at: Triple, z: Triple) -> Pick:
        """Any other surface of revolution."""
        axis = Axis(at, upward(z)[0])
        return Pick(words, axis, beside_axis(axis), *self)

    def other(self, words: str) -> Pick:
        """Any other surface: only its centre."""
        return Pick(words, Point(self.centre), (), *self)

    # ------------------------------------------------------------------------------- edges
    def line(self, at: Triple, z: Triple, ends: Sequence[float], follow: Follow) -> Pick:
        """A straight edge; the point of its axis is its middle, `ends` are mm along z from `at`."""
        up, sign = upward(z)
        pick = Pick("line", Axis(at, up), (), *self, follow=follow)
        return along(pick, *sorted(sign * end for end in ends))

    def circle(self, at: Triple, z: Triple, radius: float, follow: Follow) -> Pick:
        """A circle or an arc: its axis; also its plane, its centre, and a frame there."""
        return self._round("circle", Axis(at, upward(z)[0]), radius, follow)

    def ellipse(self, at: Triple, z: Triple, x: Triple, follow: Follow) -> Pick:
        """An ellipse or an arc of one, read as a circle; x is its major axis."""
        return self._round("ellipse", Axis(at, upward(z)[0], unit(x)), 0.0, follow)

    def _round(self, kind: str, axis: Axis, radius: float, follow: Follow) -> Pick:
        others = (*beside_axis(axis), Plane(axis.point, axis.direction, axis.x))
        return Pick(kind, axis, others, *self, radius, follow=follow)

    def course(self, words: str, curves: Sequence[Curve], normal: Triple | None) -> Pick:
        """An edge or a wire without an axis: its curve, if any, and its plane if planar."""
        readings: list[Feature] = list(curves)
        if normal is None:
            readings.append(Point(self.centre))
        else:
            readings += self.plane(normal).readings
        return Pick(words, readings[0], tuple(readings[1:]), *self)


def unit(vector: Triple) -> Triple:
    """The unit vector along a vector, with components of rounding size set to 0."""
    v = np.array(vector, float)
    length = np.linalg.norm(v)
    v[np.abs(v) < SMALL * length] = 0.0
    return triple(v / np.linalg.norm(v))


def upward(vector: Triple) -> tuple[Triple, float]:
    """The unit direction of an axis with its largest component positive; -1 where it was reversed.

    Angles about it then have a sign that does not depend on how a hole was modelled.
    """
    v = np.array(unit(vector))
    large = np.flatnonzero(np.abs(v) > np.abs(v).max() - AGREEMENT)  # of equal ones the first
    sign = 1.0 if v[large[0]] > 0.0 else -1.0
    return triple(sign * v + 0.0), sign
