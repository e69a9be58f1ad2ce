"""Four-bar loops with parallel hinge axes, classified by Grashof's condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...foundations.types import Array
from ...model.grashof import grashof
from ...structure.dyads import members, placement_stages
from ...structure.joints import JointTable, Pin, joints_of
from ...structure.plan import Plan
from .joint_names import member_name, pin_name

MOST = 200
"""Pins in one component above which its loops are not searched for."""


@dataclass(frozen=True)
class Loop:
    """Four links in a loop: frame, input, coupler, output.

    Attributes:
        links: names; joints: names of the mates between each link and the next.
        lengths: of the links, mm; kind: class; margin: p + q - s - l, mm.
    """

    links: tuple[str, ...]
    joints: tuple[str, ...]
    lengths: tuple[float, ...]
    kind: str
    margin: float


def four_bars(plan: Plan, poses: Array) -> list[Loop]:
    """The four-bar loops of an assembly.

    Args:
        plan: with locked drivers; poses: of the bodies, (bodies, 12), solved.
    """
    order = [0]
    for stage in placement_stages(plan, poses):
        order += members(stage)
    number = {member: n for n, member in enumerate(order)}
    out = []
    loops = joints_of(plan)
    for joints in loops:
        if joints.planar and len(joints.pins) <= MOST:
            out += [_loop(plan, loops, joints, c, number) for c in _cycles(plan, joints)]
    return out


def _cycles(plan: Plan, joints: JointTable) -> Iterator[tuple[tuple[int, ...], tuple[Pin, ...]]]:
    """Cycles of four links, each once: links, and pins between each and the next."""
    system = plan.system
    of, links = system.constraint_of_equation, joints.equation_of_link.items()
    driven = {link for link, e in links if of[e] >= system.mates}
    pins = [(p, {m for m in p.members if m not in driven}) for p in joints.pins]
    at: dict[int, list[int]] = {}
    for k, (_, own) in enumerate(pins):
        for m in own:
            at.setdefault(m, []).append(k)

    def steps(link: int, but: int) -> Iterator[tuple[int, int]]:
        for k in at[link]:
            if k != but:
                for other in pins[k][1] - {link}:
                    yield k, other

    for a in sorted(at):
        for k1, b in steps(a, -1):
            if b <= a:
                continue
            for k2, c in steps(b, k1):
                if c <= a:
                    continue
                for k3, d in steps(c, k2):
                    if d <= b or k3 == k1:
                        continue
                    last = [k for k in at[d] if k in at[a] and k not in (k1, k2, k3)]
                    if len({a, b, c, d}) == 4 and last:
                        ring = (k1, k2, k3, last[0])
                        yield (a, b, c, d), tuple(pins[k][0] for k in ring)


def _loop(
    plan: Plan,
    loops: list[JointTable],
    joints: JointTable,
    ring: tuple[tuple[int, ...], tuple[Pin, ...]],
    number: dict[int, int],
) -> Loop:
    """A cycle with frame and input chosen: the link placed first, and its earlier neighbour."""
    links, pins = ring
    last = len(number)
    k = min(range(4), key=lambda i: number.get(links[i], last))
    links, pins = links[k:] + links[:k], pins[k:] + pins[:k]
    if number.get(links[3], last) < number.get(links[1], last):
        links, pins = (links[0], *links[:0:-1]), pins[::-1]
    ends = zip(links, (pins[-1], *pins), pins, strict=False)
    lengths = tuple(_length(joints, link, one, two) for link, one, two in ends)
    kind, margin = grashof(lengths, plan.system.tolerance)
    joined = zip(pins, links, (*links[1:], links[0]), strict=True)
    names = tuple(pin_name(plan, joints, pin, (a, b)) for pin, a, b in joined)
    return Loop(tuple(member_name(plan, loops, m) for m in links), names, lengths, kind, margin)


def _length(joints: JointTable, link: int, one: Pin, two: Pin) -> float:
    """Distance of two pins of a link across the axes, mm."""
    if link < 0:
        return abs(joints.lengths[link])
    return float(np.linalg.norm(two.at[link] - one.at[link]))
