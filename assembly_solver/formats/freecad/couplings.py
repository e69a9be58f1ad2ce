"""Gears, belts, racks and screws of FreeCAD as couplings of the joints that their parts turn on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...foundations.geometry.pose import Pose
from ..coupling_joints import Carriers, Coupled, Joined, Place
from .joints import JOINT_TYPES, End, Side, Wanted, ends
from .parts import Tree
from .records import Thing


class Couplings:
    """Makes couplings of an assembly whose other joints are known.

    Args:
        tree: the assembly; mates: what its other joints stand for, by name.
    """

    def __init__(self, tree: Tree, mates: Mapping[str, Wanted]) -> None:
        self.tree = tree
        joints = [Joined(n, m.kind, self._side(m.a), self._side(m.b)) for n, m in mates.items()]
        self.carriers = Carriers(tree.parts, joints, tree.grounded)

    def wanted(self, joint: Thing) -> Coupled:
        """The coupling that a joint of one of the `KINDS` stands for."""
        a, b = map(self._end, ends(self.tree, joint))
        return KINDS[joint.choice("JointType", JOINT_TYPES)](self.carriers, joint, a, b)

    def _side(self, side: Side) -> Place:
        return self._place(side.part, Pose.from_frame(side.feature.frame), side.part)

    def _end(self, end: End) -> Place:
        return self._place(end.spot.part, end.frame, end.spot.words)

    def _place(self, part: str, frame: Pose, words: str) -> Place:
        """A frame on a part at the stored placements."""
        return Place(part, (self.tree.pose(part) @ frame).frame.reshape(4, 3), words)


def _radii(joint: Thing) -> tuple[float, float]:
    return joint.number("Distance"), joint.number("Distance2")


KINDS: Mapping[str, Callable[[Carriers, Thing, Place, Place], Coupled]] = {
    "Gears": lambda on, joint, a, b: on.gear(a, b, _radii(joint)),
    "Belt": lambda on, joint, a, b: on.belt(a, b, _radii(joint)),
    "RackPinion": lambda on, joint, a, b: on.rack(a, b, joint.number("Distance")),
    "Screw": lambda on, joint, a, b: on.screw(a, b, joint.number("Distance")),
}
"""The rack slides along z of its own frame; the pinion turns about z of its own."""
