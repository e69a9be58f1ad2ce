"""Couplings of two parts, as in other programs, as couplings of the joints that they move on.

Other programs couple two parts by gears, racks and screws; here a coupling relates the coordinates
of joints.  For each of the two parts the joint is searched on which it rotates or slides along the
axis of the coupling; both joints must connect to the same part, the carrier.  Parts that are fixed
to each other count as one.  A wheel may turn against the carrier through several joints on its
axis: as the sun of a planetary gear does, or a wheel on a shaft along which it slides.

With rotations about and displacements along the axes of the coupling's frames, relative to the
carrier, these are constant: gears r1 angle1 + r2 angle2, belts r1 angle1 - r2 angle2, racks
length - r angle, and screws 2 pi length + pitch angle of the other part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..errors import NotUnderstood
from ..foundations.numerics.rounding import CONFUSION, DIGITS
from ..foundations.types import Array

TURNING, SLIDING = ("revolute", "cylindrical"), ("prismatic", "cylindrical")

X, Z = 1, 3
"""Rows of a frame."""


class PartFrame(NamedTuple):
    """A frame on a part: rows origin (mm), x, y, z in the assembly at the start; a description."""

    part: str
    frame: Array
    words: str


class JointFrames(NamedTuple):
    """A joint of two parts: its name, kind and two frames."""

    name: str
    kind: str
    a: PartFrame
    b: PartFrame


class CouplingDefinition(NamedTuple):
    """A coupling to be made: its kind, and its parameters with its joints."""

    kind: str
    parameters: Mapping[str, Any]


class CarrierJoint(NamedTuple):
    """A joint on which a part moves against its carrier, the group of parts at its other side.

    Its sign is +1 where its coordinate grows with the motion of the part along the given axis.
    """

    name: str
    sign: float
    carrier: str


class AngleSum(NamedTuple):
    """Angle of a part against a carrier: a sum of signed joint angles."""

    terms: tuple[tuple[str, float], ...]
    carrier: str


class CouplingBuilder:
    """Makes couplings of an assembly from its parts, its other joints, and its grounded parts."""

    def __init__(
        self, parts: Iterable[str], joints: Iterable[JointFrames], grounded: Collection[str] = ()
    ) -> None:
        self.joints = tuple(joints)
        self.group = {part: part for part in parts}
        ground = sorted(grounded)
        pairs = [(j.a.part, j.b.part) for j in self.joints if j.kind == "fixed"]
        for one, other in (*pairs, *((part, ground[0]) for part in ground)):
            old, new = self.group[one], self.group[other]
            self.group = {p: new if g == old else g for p, g in self.group.items()}

    # ------------------------------------------------------------------ joints of a part
    def _on(self, end: PartFrame, kinds: tuple[str, ...], axis: Array) -> Iterator[CarrierJoint]:
        """Joints on which a part slides along a unit vector, or rotates about it and its origin."""
        group, middle = self.group[end.part], end.frame[0]
        for name, kind, a, b in self.joints:
            groups = (self.group[a.part], self.group[b.part])
            if kind not in kinds or (group == groups[0]) == (group == groups[1]):
                continue
            frame = a.frame if group == groups[0] else b.frame
            cosine = float(frame[Z] @ axis)
            sine = float(np.linalg.norm(np.cross(frame[Z], axis)))
            offset = np.linalg.norm(np.cross(middle - frame[0], frame[Z]))
            scale = 1.0 + float(np.abs(middle - frame[0]).max())
            if sine > DIGITS or (kinds is TURNING and offset > DIGITS * scale):
                continue
            # a coordinate is that of the second part along z of the first one
            sense = 1.0 if a.frame[Z] @ b.frame[Z] > 0 else -1.0
            sign = -1.0 if group == groups[0] else sense
            carrier = groups[1] if group == groups[0] else groups[0]
            yield CarrierJoint(name, sign * (1.0 if cosine > 0 else -1.0), carrier)

    def _angles(self, end: PartFrame) -> Iterator[AngleSum]:
        """Angles of a part about z of a frame against all parts that keep this axis, nearest first.

        Between the two may be several joints, each of which turns about the axis or slides along
        it: the sun of a planetary gear turns on the frame, and that on the arm.
        """
        axis = end.frame[Z]
        reached = {self.group[end.part]}
        waiting = deque([AngleSum((), self.group[end.part])])
        while waiting:
            terms, at = waiting.popleft()
            here = end._replace(part=at)
            turns = [(x.carrier, ((x.name, x.sign),)) for x in self._on(here, TURNING, axis)]
            slides = [(x.carrier, ()) for x in self._on(here, ("prismatic",), axis)]
            for carrier, more in (*turns, *slides):
                if carrier not in reached:
                    reached.add(carrier)
                    waiting.append(AngleSum((*terms, *more), carrier))
                    if terms or more:
                        yield waiting[-1]

    def _wheels(
        self, a: PartFrame, b: PartFrame, radii: tuple[float, float]
    ) -> tuple[AngleSum, AngleSum]:
        """Angles of two wheels against one carrier, on as few joints as possible."""
        if min(map(abs, radii)) < CONFUSION:
            raise NotUnderstood(f"its radii are {radii[0]:g} and {radii[1]:g} mm")
        pairs = list(_pairs(self._angles(a), self._angles(b)))
        if not pairs:
            raise _no_joints(a, b, "both turn")
        return min(pairs, key=lambda pair: len(pair[0].terms) + len(pair[1].terms))

    # ------------------------------------------------------------------ the couplings
    def gear(self, a: PartFrame, b: PartFrame, radii: tuple[float, float]) -> CouplingDefinition:
        """Two wheels in mesh that rotate about z of their frames; radii in mm, of either sign.

        Raises NotUnderstood: a radius is 0, or there are no joints to couple.
        """
        one, two = self._wheels(a, b, radii)
        if len(one.terms) + len(two.terms) > 2:
            return _sum_of_turns(one, two, radii)
        (name_1, sign_1), (name_2, sign_2) = *one.terms, *two.terms
        ratio = -radii[0] / radii[1] * sign_1 * sign_2
        return CouplingDefinition("gear", {"joints": (name_1, name_2), "ratio": ratio})

    def belt(self, a: PartFrame, b: PartFrame, radii: tuple[float, float]) -> CouplingDefinition:
        """Two wheels in a belt that rotate about z of their frames; radii in mm.

        Raises NotUnderstood: a radius is not above 0, or there are no joints to couple.
        """
        if min(radii) < CONFUSION:
            raise NotUnderstood(f"its radii are {radii[0]:g} and {radii[1]:g} mm")
        one, two = self._wheels(a, b, radii)
        if len(one.terms) + len(two.terms) > 2:
            return _sum_of_turns(one, two, (radii[0], -radii[1]))
        (name_1, sign_1), (name_2, sign_2) = *one.terms, *two.terms
        more = {"crossed": True} if sign_1 * sign_2 < 0 else {}
        return CouplingDefinition("belt", {"joints": (name_1, name_2), "radii": radii, **more})

    def rack(self, a: PartFrame, b: PartFrame, radius: float, along: int = Z) -> CouplingDefinition:
        """A rack and a pinion, in either order.

        Args:
            radius: of the pinion, mm; along: the row of the rack's frame that it slides along. The
                pinion rotates about z of its frame, or of the rack's where `along` is not Z.

        Raises NotUnderstood: the radius is 0, or there are no joints to couple.
        """
        if abs(radius) < CONFUSION:
            raise NotUnderstood("its radius is 0 mm")
        for rack, pinion in ((a, b), (b, a)):
            about = pinion.frame[Z] if along == Z else rack.frame[Z]
            turns = self._on(pinion, TURNING, about)
            for turn, slide in _pairs(turns, self._on(rack, SLIDING, rack.frame[along])):
                names = (turn.name, slide.name)
                signed = radius * turn.sign * slide.sign
                return CouplingDefinition("rack_and_pinion", {"joints": names, "radius": signed})
        raise _no_joints(a, b, "slide and turn")

    def screw(self, a: PartFrame, b: PartFrame, pitch: float) -> CouplingDefinition:
        """A nut and a screw on one cylindrical joint, or a sliding and a rotating part.

        Raises NotUnderstood: the pitch (mm per turn) is 0, or there are no joints to couple.
        """
        if abs(pitch) < CONFUSION:
            raise NotUnderstood("its pitch is 0 mm")
        for nut, screw in ((a, b), (b, a)):
            z = nut.frame[Z]
            cylindrical = self._on(nut, ("cylindrical",), z)
            direct = next((x for x in cylindrical if x.carrier == self.group[screw.part]), None)
            if direct is not None:  # both coordinates change sign with the joint
                return _line((direct.name, direct.name), (1.0, -pitch / 360.0))
            for slide, turn in _pairs(self._on(nut, SLIDING, z), self._on(screw, TURNING, z)):
                return _line((slide.name, turn.name), (slide.sign, pitch / 360.0 * turn.sign))
        raise _no_joints(a, b, "slide and turn")


Carried = TypeVar("Carried", CarrierJoint, AngleSum)


def _pairs(one: Iterable[Carried], two: Iterable[Carried]) -> Iterator[tuple[Carried, Carried]]:
    """Pairs on the same carrier."""
    return ((x, y) for x, y in product(one, two) if x.carrier == y.carrier)


def _no_joints(a: PartFrame, b: PartFrame, what: str) -> NotUnderstood:
    parts = f"{a.words} and {b.words}"
    return NotUnderstood(f"no joints are there on which {parts} {what} against one part")


def _sum_of_turns(one: AngleSum, two: AngleSum, radii: tuple[float, float]) -> CouplingDefinition:
    """radius 1 x angle 1 + radius 2 x angle 2 = constant, in the angles of joints."""
    sums: dict[str, float] = {}
    for turn, radius in zip((one, two), radii, strict=True):
        for name, sign in turn.terms:
            sums[name] = sums.get(name, 0.0) + sign * radius
    sums = {name: value for name, value in sums.items() if value}
    angles = {"joints": tuple(sums), "coordinates": ("angle",) * len(sums)}
    return CouplingDefinition("linear", angles | {"coefficients": tuple(sums.values())})


def _line(joints: tuple[str, str], coefficients: tuple[float, float]) -> CouplingDefinition:
    parameters = {"joints": joints, "coordinates": ("length", "angle")}
    return CouplingDefinition("linear", parameters | {"coefficients": coefficients})
