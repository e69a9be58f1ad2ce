"""Gears, belts, racks and screws of FreeCAD as couplings of joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...foundations.geometry.pose import Pose
from ..coupling_joints import CouplingBuilder, CouplingDefinition, JointFrames, PartFrame
from .joints import JOINT_TYPES, JointEnd, MateDefinition, Side, ends
from .parts import Tree
from .records import Thing


class Couplings:
    """Makes couplings of an assembly from the mates of its other joints, by name."""

    def __init__(self, tree: Tree, mates: Mapping[str, MateDefinition]) -> None:
        self.tree = tree
        joints = [
            JointFrames(n, m.kind, self._side(m.a), self._side(m.b)) for n, m in mates.items()
        ]
        self.builder = CouplingBuilder(tree.parts, joints, tree.grounded)

    def coupling(self, joint: Thing) -> CouplingDefinition:
        """The coupling of one of the `KINDS`; BrokenReference, NotUnderstood: unsupported."""
        a, b = map(self._end, ends(self.tree, joint))
        return KINDS[joint.choice("JointType", JOINT_TYPES)](self.builder, joint, a, b)

    def _side(self, side: Side) -> PartFrame:
        return self._frame(side.part, Pose.from_frame(side.feature.frame), side.part)

    def _end(self, end: JointEnd) -> PartFrame:
        return self._frame(end.spot.part, end.frame, end.spot.words)

    def _frame(self, part: str, frame: Pose, words: str) -> PartFrame:
        """A frame on a part at the stored placements."""
        return PartFrame(part, (self.tree.pose(part) @ frame).frame.reshape(4, 3), words)


def _radii(joint: Thing) -> tuple[float, float]:
    return joint.number("Distance"), joint.number("Distance2")


KINDS: Mapping[
    str, Callable[[CouplingBuilder, Thing, PartFrame, PartFrame], CouplingDefinition]
] = {
    "Gears": lambda on, joint, a, b: on.gear(a, b, _radii(joint)),
    "Belt": lambda on, joint, a, b: on.belt(a, b, _radii(joint)),
    "RackPinion": lambda on, joint, a, b: on.rack(a, b, joint.number("Distance")),
    "Screw": lambda on, joint, a, b: on.screw(a, b, joint.number("Distance")),
}
"""The rack slides along z of its frame; the pinion rotates about z of its frame."""
