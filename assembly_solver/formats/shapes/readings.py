"""What a face or an edge is picked as, from the numbers of its surface or curve.

Modellers tell these numbers each in its own words; what they mean is written here, once.  All are
in the coordinates that the features are told in, mm; directions may be of any length.

Angles about what is picked count from the x axis of the part, or y where x is along it, as those of
any feature without an x of its own: where a modeller begins a round surface is chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import Triple, triple
from ...model.curve import Curve
from ...model.feature import Axis, Cone, Feature, Plane, Point, Sphere, Torus
from .picks import Pick, along, beside_axis, plane_at

Follow = Callable[[], tuple[Curve, ...]]

FLAT = 1e-7
"""What a face or an edge may be off a plane and still be planar, mm."""

SMALL = 1e-14
"""Share of a vector below which a component is rounding."""

EQUAL = 1e-9
"""By what components of a unit vector may differ and be equally large."""


class Piece(NamedTuple):
    """A face or an edge: its centre of mass, and its area or length."""

    centre: Triple
    size: float

    # ------------------------------------------------------------------------------- faces
    def plane(self, normal: Triple, x: Triple | None = None) -> Pick:
        """A planar face; its normal points out of the material.  A datum has an x of its own."""
        frame = Axis(self.centre, unit(normal), None if x is None else unit(x)).frame
        feature, others = plane_at(frame, self.centre)
        return Pick("plane", feature, others, *self)

    def cylinder(
        self, hole: bool, at: Triple, z: Triple, radius: float, ends: Sequence[float]
    ) -> Pick:
        """A cylinder or a hole; the point of its axis is in the middle of the face's length.

        Args:
            ends: where it begins and ends, along z from its point.
        """
        up, way = upward(z)
        axis = Axis(at, up, radius=radius)
        pick = Pick("hole" if hole else "cylinder", axis, (), *self, radius)
        return along(pick, *sorted(way * end for end in ends))

    def cone(self, apex: Triple, z: Triple, angle: float) -> Pick:
        """A cone: its axis leads from the apex to where the face is; half its angle, degrees."""
        to_face = np.array(self.centre) - apex
        into = np.array(unit(z)) * (1.0 if to_face @ z > 0 else -1.0)
        feature = Cone(apex, triple(into + 0.0), angle=angle)
        return Pick("cone", feature, beside_axis(feature), *self)

    def sphere(self, at: Triple, radius: float) -> Pick:
        """A ball."""
        return Pick("sphere", Sphere(at, radius=radius), (), *self, radius)

    def torus(self, at: Triple, z: Triple, radius: float, tube: float) -> Pick:
        """A torus; one without a hole in its middle is read as its axis only."""
        up = upward(z)[0]
        whole = tube < radius
        feature = Torus(at, up, radius=radius, tube=tube) if whole else Axis(at, up)
        return Pick("torus", feature, beside_axis(feature), *self, radius)

    def turned(self, words: str, at: Triple, z: Triple) -> Pick:
        """Any other surface that is the same all round an axis."""
        axis = Axis(at, upward(z)[0])
        return Pick(words, axis, beside_axis(axis), *self)

    def other(self, words: str) -> Pick:
        """A surface that only has a middle."""
        return Pick(words, Point(self.centre), (), *self)

    # ------------------------------------------------------------------------------- edges
    def line(self, at: Triple, z: Triple, ends: Sequence[float], follow: Follow) -> Pick:
        """A straight edge; the point of its axis is its middle, its ends are told along z."""
        up, way = upward(z)
        pick = Pick("line", Axis(at, up), (), *self, follow=follow)
        return along(pick, *sorted(way * end for end in ends))

    def circle(self, at: Triple, z: Triple, radius: float, follow: Follow) -> Pick:
        """A circle or an arc: its axis, or its plane, its centre, a frame there."""
        return self._round("circle", Axis(at, upward(z)[0]), radius, follow)

    def ellipse(self, at: Triple, z: Triple, x: Triple, follow: Follow) -> Pick:
        """The same of an ellipse; its long axis is its x."""
        return self._round("ellipse", Axis(at, upward(z)[0], unit(x)), 0.0, follow)

    def _round(self, kind: str, axis: Axis, radius: float, follow: Follow) -> Pick:
        others = (*beside_axis(axis), Plane(axis.point, axis.direction, axis.x))
        return Pick(kind, axis, others, *self, radius, follow=follow)

    def course(self, words: str, curves: Sequence[Curve], normal: Triple | None) -> Pick:
        """An edge or a wire without an axis of its own: a curve, and a plane where it lies in one.

        Args:
            curves: the curve along it, or nothing; normal: of the plane that it lies in.
        """
        readings: list[Feature] = list(curves)
        if normal is None:
            readings.append(Point(self.centre))
        else:
            readings += self.plane(normal).readings
        return Pick(words, readings[0], tuple(readings[1:]), *self)


def unit(vector: Triple) -> Triple:
    """A direction of length 1, without the rounding of its small components."""
    v = np.array(vector, float)
    length = np.linalg.norm(v)
    v[np.abs(v) < SMALL * length] = 0.0
    return triple(v / np.linalg.norm(v))


def upward(vector: Triple) -> tuple[Triple, float]:
    """The direction of an axis, which has no sense of its own: with its largest component positive.

    Angles about it then have a sign that does not depend on how a hole was modelled.  The number
    is -1 where it was turned.
    """
    v = np.array(unit(vector))
    large = np.flatnonzero(np.abs(v) > np.abs(v).max() - EQUAL)  # of equal ones the first
    way = 1.0 if v[large[0]] > 0.0 else -1.0
    return triple(way * v + 0.0), way
