"""Gears, belts, racks and screws of FreeCAD as couplings of the joints that their parts turn on.

FreeCAD relates two parts; here a coupling relates joint coordinates.  So for each of the two parts
the joint is looked for that it turns or slides on, on the axis that the coupling names, and both
must be carried by the same part.  Parts that are fixed to each other count as one.

FreeCAD's equations, with turns about and slides along the z axes of the coupling's own frames, seen
from the carrier: gears r1 turn1 + r2 turn2, belts r1 turn1 - r2 turn2, racks slide - r turn, and
screws 2 pi slide + pitch turn of the other part are constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.pose import Pose
from .freecad_document import Thing
from .freecad_joints import FLAT, JOINT_TYPES, End, NotUnderstood, Side, Wanted, ends
from .freecad_parts import Tree

Array = NDArray[np.float64]

TURNING, SLIDING = ("revolute", "cylindrical"), ("prismatic", "cylindrical")

NEAR = 1e-6
"""Sine of an angle between axes, and share of a length off an axis, that still count as one."""


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


class Couplings:
    """Makes couplings of an assembly whose other joints are known.

    Args:
        tree: the assembly; mates: what its other joints stand for, by name.
    """

    def __init__(self, tree: Tree, mates: Mapping[str, Wanted]) -> None:
        self.tree, self.mates = tree, mates
        self.group = {part: part for part in tree.parts}
        still = sorted(tree.grounded)
        pairs = [(m.a.part, m.b.part) for m in mates.values() if m.kind == "fixed"]
        for one, other in (*pairs, *((part, still[0]) for part in still)):
            old, new = self.group[one], self.group[other]
            self.group = {p: new if g == old else g for p, g in self.group.items()}

    def wanted(self, joint: Thing) -> Coupled:
        """The coupling that a joint of one of the `KINDS` stands for."""
        return KINDS[joint.choice("JointType", JOINT_TYPES)](self, joint, *ends(self.tree, joint))

    # ------------------------------------------------------------------ what a part moves on
    def _on(self, end: End, kinds: tuple[str, ...], axis: Array) -> Iterator[Held]:
        """The joints that the part at an end moves on along an axis of the assembly, unit vector.

        What turns must turn about the middle of the end.
        """
        own = self.group[end.spot.part]
        middle = np.array(self._place(end).position)
        for name, mate in self.mates.items():
            groups = (self.group[mate.a.part], self.group[mate.b.part])
            if mate.kind not in kinds or (own == groups[0]) == (own == groups[1]):
                continue
            first, second = self._frame(mate.a), self._frame(mate.b)
            mine = first if own == groups[0] else second
            along = float(mine[3] @ axis)
            away = np.linalg.norm(np.cross(middle - mine[0], mine[3]))
            aside = float(np.linalg.norm(np.cross(mine[3], axis)))
            reach = 1.0 + float(np.abs(middle - mine[0]).max())
            if aside > NEAR or (kinds is TURNING and away > NEAR * reach):
                continue
            # a coordinate is that of the second part along z of the first one
            sense = 1.0 if first[3] @ second[3] > 0 else -1.0
            sign = -1.0 if own == groups[0] else sense
            carrier = groups[1] if own == groups[0] else groups[0]
            yield Held(name, sign * (1.0 if along > 0 else -1.0), carrier)

    def _frame(self, side: Side) -> Array:
        """Origin, x, y, z of a side in the assembly at the stored placements, rows."""
        frame = self.tree.pose(side.part) @ Pose.from_frame(side.feature.frame)
        return frame.frame.reshape(4, 3)

    def _place(self, end: End) -> Pose:
        return self.tree.pose(end.spot.part) @ end.frame

    def _z(self, end: End) -> Array:
        z: Array = self._place(end).rotation[:, 2]
        return z

    def _pair(self, one: list[Held], two: list[Held]) -> tuple[Held, Held] | None:
        """A joint of each list, both on one carrier."""
        return next(((x, y) for x in one for y in two if x.carrier == y.carrier), None)

    # ------------------------------------------------------------------ the kinds
    def turns(self, joint: Thing, a: End, b: End) -> tuple[Held, Held, float, float]:
        """The joints that two wheels turn on, and their radii, mm."""
        found = [list(self._on(end, TURNING, self._z(end))) for end in (a, b)]
        pair = self._pair(found[0], found[1])
        radii = joint.number("Distance"), joint.number("Distance2")
        if pair is None:
            raise self._loose(a, b, "both turn")
        if min(radii) < FLAT:
            raise NotUnderstood(f"its radii are {radii[0]:g} and {radii[1]:g} mm")
        return (*pair, *radii)

    @staticmethod
    def _loose(a: End, b: End, what: str) -> NotUnderstood:
        parts = f"{a.spot.words} and {b.spot.words}"
        return NotUnderstood(f"no joints are there on which {parts} {what} against one part")

    def gear(self, joint: Thing, a: End, b: End) -> Coupled:
        one, two, r1, r2 = self.turns(joint, a, b)
        ratio = -r1 / r2 * one.sign * two.sign
        return Coupled("gear", {"joints": (one.name, two.name), "ratio": ratio})

    def belt(self, joint: Thing, a: End, b: End) -> Coupled:
        one, two, r1, r2 = self.turns(joint, a, b)
        more = {"crossed": True} if one.sign * two.sign < 0 else {}
        return Coupled("belt", {"joints": (one.name, two.name), "radii": (r1, r2), **more})

    def rack(self, joint: Thing, a: End, b: End) -> Coupled:
        """The rack slides along z of its own frame; the pinion turns about z of its own."""
        radius = joint.number("Distance")
        if abs(radius) < FLAT:
            raise NotUnderstood("its radius is 0 mm")
        for rack, pinion in ((a, b), (b, a)):
            slides = list(self._on(rack, SLIDING, self._z(rack)))
            turns = list(self._on(pinion, TURNING, self._z(pinion)))
            pair = self._pair(turns, slides)
            if pair is not None:
                turn, slide = pair
                signed = radius * turn.sign * slide.sign
                names = (turn.name, slide.name)
                return Coupled("rack_and_pinion", {"joints": names, "radius": signed})
        raise self._loose(a, b, "slide and turn")

    def screw(self, joint: Thing, a: End, b: End) -> Coupled:
        """A nut and a screw on one cylindrical joint, or one that slides and one that turns."""
        pitch = joint.number("Distance")
        if abs(pitch) < FLAT:
            raise NotUnderstood("its pitch is 0 mm")
        for nut, screw in ((a, b), (b, a)):
            z = self._z(nut)
            both = self._on(nut, ("cylindrical",), z)
            direct = next((h for h in both if h.carrier == self.group[screw.spot.part]), None)
            if direct is not None:  # both coordinates turn their sign with it
                return _line((direct.name, direct.name), (1.0, -pitch / 360.0))
            pair = self._pair(list(self._on(nut, SLIDING, z)), list(self._on(screw, TURNING, z)))
            if pair is not None:
                slide, turn = pair
                return _line((slide.name, turn.name), (slide.sign, pitch / 360.0 * turn.sign))
        raise self._loose(a, b, "slide and turn")


def _line(joints: tuple[str, str], coefficients: tuple[float, float]) -> Coupled:
    parameters = {"joints": joints, "coordinates": ("length", "angle")}
    return Coupled("linear", parameters | {"coefficients": coefficients})


KINDS: Mapping[str, Callable[[Couplings, Thing, End, End], Coupled]] = {
    "Gears": Couplings.gear,
    "Belt": Couplings.belt,
    "RackPinion": Couplings.rack,
    "Screw": Couplings.screw,
}
