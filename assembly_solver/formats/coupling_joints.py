"""What two coupled parts turn and slide on: the joints that a coupling of other programs relates.

Other programs relate two parts by gears, racks and screws; here a coupling relates the coordinates
of joints.  So for each of the two parts the joint is looked for that it turns or slides on, on the
axis that the coupling names, and both must be carried by the same part.  Parts that are fixed to
each other count as one.  A wheel that turns on something else than the arm that carries the other
one, as the sun of a planetary gear does, turns against the arm where both turn about one axis.

With turns about and slides along the axes of the coupling's own frames, seen from the carrier:
gears r1 turn1 + r2 turn2, belts r1 turn1 - r2 turn2, racks slide - r turn, and screws
2 pi slide + pitch turn of the other part are constant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import NotUnderstood
from ..foundations.types import Array

TURNING, SLIDING = ("revolute", "cylindrical"), ("prismatic", "cylindrical")

NEAR = 1e-6
"""Sine of an angle between axes, and share of a length off an axis, that still count as one."""

FLAT = 1e-7
"""Lengths (mm) below it are none."""

X, Z = 1, 3
"""Rows of a frame."""


class Place(NamedTuple):
    """A frame on a part, origin, x, y, z in the assembly at the start as rows; words for it."""

    part: str
    frame: Array
    words: str


class Joined(NamedTuple):
    """A joint of two parts: its name, its kind, and its two frames."""

    name: str
    kind: str
    a: Place
    b: Place


class Coupled(NamedTuple):
    """A coupling to be made: its kind and its parameters, the names of its joints among them."""

    kind: str
    parameters: Mapping[str, Any]


class Held(NamedTuple):
    """A joint that a part turns or slides on.

    Attributes:
        name: of the joint; sign: +1 where its coordinate grows with the motion of the part along
            the asked axis; carrier: what it moves on, as a group of parts.
    """

    name: str
    sign: float
    carrier: str


class Turn(NamedTuple):
    """How far a part turns against a carrier: the sum of joint angles, each with its sign."""

    terms: tuple[tuple[str, float], ...]
    carrier: str


class Carriers:
    """Makes couplings of an assembly whose other joints are known.

    Args:
        parts: all parts; joints: what joins them; still: the parts that are grounded.
    """

    def __init__(
        self, parts: Iterable[str], joints: Iterable[Joined], still: Collection[str] = ()
    ) -> None:
        self.joints = tuple(joints)
        self.group = {part: part for part in parts}
        ground = sorted(still)
        pairs = [(j.a.part, j.b.part) for j in self.joints if j.kind == "fixed"]
        for one, other in (*pairs, *((part, ground[0]) for part in ground)):
            old, new = self.group[one], self.group[other]
            self.group = {p: new if g == old else g for p, g in self.group.items()}

    # ------------------------------------------------------------------ what a part moves on
    def _on(self, place: Place, kinds: tuple[str, ...], axis: Array) -> Iterator[Held]:
        """The joints that a part moves on along an axis of the assembly, unit vector.

        What turns must turn about the origin of the frame.
        """
        own, middle = self.group[place.part], place.frame[0]
        for name, kind, a, b in self.joints:
            groups = (self.group[a.part], self.group[b.part])
            if kind not in kinds or (own == groups[0]) == (own == groups[1]):
                continue
            mine = a.frame if own == groups[0] else b.frame
            along = float(mine[Z] @ axis)
            away = np.linalg.norm(np.cross(middle - mine[0], mine[Z]))
            aside = float(np.linalg.norm(np.cross(mine[Z], axis)))
            reach = 1.0 + float(np.abs(middle - mine[0]).max())
            if aside > NEAR or (kinds is TURNING and away > NEAR * reach):
                continue
            # a coordinate is that of the second part along z of the first one
            sense = 1.0 if a.frame[Z] @ b.frame[Z] > 0 else -1.0
            sign = -1.0 if own == groups[0] else sense
            carrier = groups[1] if own == groups[0] else groups[0]
            yield Held(name, sign * (1.0 if along > 0 else -1.0), carrier)

    def _turning(self, place: Place) -> Iterator[Turn]:
        """How a part turns about z of a frame: on a joint, or against what turns on the same."""
        own = self.group[place.part]
        direct = list(self._on(place, TURNING, place.frame[Z]))
        yield from (Turn(((held.name, held.sign),), held.carrier) for held in direct)
        for arm in sorted(set(self.group.values()) - {own}):
            for other in self._on(place._replace(part=arm), TURNING, place.frame[Z]):
                for held in (h for h in direct if h.carrier == other.carrier):
                    yield Turn(((held.name, held.sign), (other.name, -other.sign)), arm)

    def _wheels(self, a: Place, b: Place, radii: tuple[float, float]) -> tuple[Turn, Turn]:
        """How two wheels turn against what carries both, on as few joints as can be."""
        if min(map(abs, radii)) < FLAT:
            raise NotUnderstood(f"its radii are {radii[0]:g} and {radii[1]:g} mm")
        one, two = (list(self._turning(end)) for end in (a, b))
        pairs = [(x, y) for x in one for y in two if x.carrier == y.carrier]
        if not pairs:
            raise _loose(a, b, "both turn")
        return min(pairs, key=lambda pair: len(pair[0].terms) + len(pair[1].terms))

    # ------------------------------------------------------------------ the couplings
    def gear(self, a: Place, b: Place, radii: tuple[float, float]) -> Coupled:
        """Two wheels in mesh, turning about z of their frames; radii in mm."""
        one, two = self._wheels(a, b, radii)
        if len(one.terms) + len(two.terms) > 2:
            return _sum_of_turns(one, two, radii)
        (name_1, sign_1), (name_2, sign_2) = *one.terms, *two.terms
        ratio = -radii[0] / radii[1] * sign_1 * sign_2
        return Coupled("gear", {"joints": (name_1, name_2), "ratio": ratio})

    def belt(self, a: Place, b: Place, radii: tuple[float, float]) -> Coupled:
        """Two wheels in a belt, turning about z of their frames; radii in mm."""
        if min(radii) < FLAT:
            raise NotUnderstood(f"its radii are {radii[0]:g} and {radii[1]:g} mm")
        one, two = self._wheels(a, b, radii)
        if len(one.terms) + len(two.terms) > 2:
            return _sum_of_turns(one, two, (radii[0], -radii[1]))
        (name_1, sign_1), (name_2, sign_2) = *one.terms, *two.terms
        more = {"crossed": True} if sign_1 * sign_2 < 0 else {}
        return Coupled("belt", {"joints": (name_1, name_2), "radii": radii, **more})

    def rack(self, a: Place, b: Place, radius: float, along: int = Z) -> Coupled:
        """A rack and a pinion, whichever of the two frames is on which.

        Args:
            radius: of the pinion, mm; along: the row of the rack's frame that it slides along. The
                pinion turns about z of its own frame, or of the rack's where that is not along it.
        """
        if abs(radius) < FLAT:
            raise NotUnderstood("its radius is 0 mm")
        for rack, pinion in ((a, b), (b, a)):
            about = pinion.frame[Z] if along == Z else rack.frame[Z]
            slides = list(self._on(rack, SLIDING, rack.frame[along]))
            pair = _pair(list(self._on(pinion, TURNING, about)), slides)
            if pair is not None:
                turn, slide = pair
                names = (turn.name, slide.name)
                signed = radius * turn.sign * slide.sign
                return Coupled("rack_and_pinion", {"joints": names, "radius": signed})
        raise _loose(a, b, "slide and turn")

    def screw(self, a: Place, b: Place, pitch: float) -> Coupled:
        """A nut and a screw on one cylindrical joint, or one that slides and one that turns.

        Args:
            pitch: mm a turn.
        """
        if abs(pitch) < FLAT:
            raise NotUnderstood("its pitch is 0 mm")
        for nut, screw in ((a, b), (b, a)):
            z = nut.frame[Z]
            both = self._on(nut, ("cylindrical",), z)
            direct = next((h for h in both if h.carrier == self.group[screw.part]), None)
            if direct is not None:  # both coordinates turn their sign with it
                return _line((direct.name, direct.name), (1.0, -pitch / 360.0))
            pair = _pair(list(self._on(nut, SLIDING, z)), list(self._on(screw, TURNING, z)))
            if pair is not None:
                slide, turn = pair
                return _line((slide.name, turn.name), (slide.sign, pitch / 360.0 * turn.sign))
        raise _loose(a, b, "slide and turn")


def _pair(one: list[Held], two: list[Held]) -> tuple[Held, Held] | None:
    """A joint of each list, both on one carrier."""
    return next(((x, y) for x in one for y in two if x.carrier == y.carrier), None)


def _loose(a: Place, b: Place, what: str) -> NotUnderstood:
    parts = f"{a.words} and {b.words}"
    return NotUnderstood(f"no joints are there on which {parts} {what} against one part")


def _sum_of_turns(one: Turn, two: Turn, radii: tuple[float, float]) -> Coupled:
    """radius 1 x turn 1 + radius 2 x turn 2 = constant, in the angles of joints."""
    sums: dict[str, float] = {}
    for turn, radius in zip((one, two), radii, strict=True):
        for name, sign in turn.terms:
            sums[name] = sums.get(name, 0.0) + sign * radius
    sums = {name: value for name, value in sums.items() if value}
    angles = {"joints": tuple(sums), "coordinates": ("angle",) * len(sums)}
    return Coupled("linear", angles | {"coefficients": tuple(sums.values())})


def _line(joints: tuple[str, str], coefficients: tuple[float, float]) -> Coupled:
    parameters = {"joints": joints, "coordinates": ("length", "angle")}
    return Coupled("linear", parameters | {"coefficients": coefficients})
