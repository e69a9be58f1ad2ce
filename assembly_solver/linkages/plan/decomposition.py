"""The smallest sets of joints that are determined by the known joints and the inputs, in order.

A link with k known and u unknown joints of a set gives 2u equations where k >= 2, 2u - 1 where
k = 1, and 2u - 3 where k = 0; the dynamic link of an actuator gives one.  A set of n joints with 2n
equations is a step.  Sets of one joint are found by counting, larger ones in the mixed graph of
links and joints, as the smallest closed sets of its matching: no subsets are tried.

Source: MotionGen, section 6 and example 1; docs/theory/dyads.md, 7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import NotDriven
from ...foundations.graphs.dulmage_mendelsohn import decompose as dulmage_mendelsohn
from ..scheme.scheme import ROTARY, Actuator, Scheme


@dataclass(frozen=True)
class JointStep:
    """Joints that are determined together.

    Attributes:
        joints: numbers of the points, ascending.
        actuators: those whose dynamic links are used; angles: how many of them are angles.
    """

    joints: tuple[int, ...]
    actuators: tuple[int, ...]
    angles: int

    @property
    def group(self) -> bool:
        """Whether it needs a group: more than one joint at once."""
        return len(self.joints) > 1


def decompose(scheme: Scheme) -> tuple[JointStep, ...]:
    """The steps that determine the joints of a linkage of links and revolute joints.

    Of several sets of the same size the one with the smallest joint comes first.

    Args:
        scheme: merged (`rigid_links.merged`), and without slots (`slot_as_arc.reinterpreted`).

    Raises:
        NotDriven: joints that the inputs leave movable.
    """
    count = _Decomposition(scheme)
    steps = []
    while count.unknown:
        joints = count.single() or count.group()
        if not joints:
            names = (scheme.points[joint] for joint in sorted(count.unknown))
            raise NotDriven(names, (a.name for a in scheme.actuators))
        steps.append(count.step(joints))
    return tuple(steps)


class _Decomposition:
    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.known = set(scheme.links[0].points)
        on_links = {point for link in scheme.links for point in link.points}
        self.unknown = on_links - self.known

    def step(self, joints: set[int]) -> JointStep:
        """Make joints a step and known."""
        actuators = self.scheme.actuators
        used = tuple(n for n, actuator in enumerate(actuators) if self.usable(actuator, joints))
        self.known |= joints
        self.unknown -= joints
        angles = sum(actuators[n].kind == ROTARY for n in used)
        return JointStep(tuple(sorted(joints)), used, angles)

    def usable(self, actuator: Actuator, joints: set[int]) -> bool:
        """Whether a dynamic link ends in a set of joints; that of an angle only with its vertex."""
        ends = _ends(actuator)
        placed = self.known | joints
        return not ends.isdisjoint(joints) and placed.issuperset(ends | _vertex(actuator))

    def single(self) -> set[int]:
        """The first joint with two equations, by itself."""
        for joint in sorted(self.unknown):
            equations = sum(self.usable(a, {joint}) for a in self.scheme.actuators)
            for number in self.scheme.links_at[joint]:
                equations += min(2, len(self.known.intersection(self.scheme.links[number].points)))
            if equations >= 2:
                return {joint}
        return set()

    def group(self) -> set[int]:
        """The smallest set of joints with enough equations, where there is no single one.

        No link with unknown joints has two known ones here, for it would determine a single one.
        """
        columns: dict[tuple[str, int], list[int]] = {}
        rows: list[list[int]] = []

        def vertex(kind: str, number: int, freedoms: int) -> list[int]:
            first = sum(map(len, columns.values()))
            return columns.setdefault((kind, number), list(range(first, first + freedoms)))

        def joint(number: int) -> list[int]:
            return vertex("joint", number, 2) if number in self.unknown else []

        for number, link in enumerate(self.scheme.links):
            unknown = self.unknown.intersection(link.points)
            if len(link.points) == 2:
                rows.append([column for point in link.points for column in joint(point)])
            elif len(unknown) > 1:
                body = vertex("link", number, 3)
                rows += [body + joint(point) for point in link.points for _ in range(2)]
        for actuator in self.scheme.actuators:
            if not self.unknown.isdisjoint(_ends(actuator)):
                points = _ends(actuator) | _vertex(actuator)
                rows.append([column for point in sorted(points) for column in joint(point)])
        return self._smallest(rows, {column: v for v, own in columns.items() for column in own})

    def _smallest(self, rows: list[list[int]], owner: dict[int, tuple[str, int]]) -> set[int]:
        """Joints of the smallest block of a pattern that uses no columns of other blocks."""
        start = np.cumsum([0, *map(len, rows)])
        flat = [column for row in rows for column in row]
        parts = dulmage_mendelsohn(len(rows), len(owner), start, flat)
        closed = (
            [set(parts.over_cols.tolist())]
            if len(parts.over_cols)
            else [
                set(own.tolist())
                for needs, own in parts.blocks
                if {c for row in needs.tolist() for c in rows[row]} <= set(own.tolist())
            ]
        )
        sets = [{n for kind, n in map(owner.__getitem__, s) if kind == "joint"} for s in closed]
        return min(sets, key=lambda joints: (len(joints), min(joints)), default=set())


def _ends(actuator: Actuator) -> set[int]:
    """The two ends of the dynamic link."""
    i, j, k = actuator.points
    return {i, k} if actuator.kind == ROTARY else {i, j}


def _vertex(actuator: Actuator) -> set[int]:
    """The joint that an angle is measured at."""
    return {actuator.points[1]} if actuator.kind == ROTARY else set()
