"""Dragging the reference part of an ungrounded component: its parts move rigidly together.

Where nothing is grounded one part is fixed as reference.  Dragging it moves the whole component
rigidly, so that every mate still holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, degrees

import numpy as np

from ...equations.system import System
from ...foundations.geometry.pose import Pose, quaternions
from ...foundations.types import Array
from .drag_step import LIMIT, Request


@dataclass(frozen=True)
class RigidDrag:
    """A rigid motion of a whole component.

    Attributes:
        motion: in the world; asked, largest: requested motion of the part and largest motion of any
            part, mm.
        away_mm, away: remaining error, mm and rad; limited: whether it was shortened by `LIMIT`.
    """

    motion: Pose
    asked: float
    largest: float
    away_mm: float
    away: float
    limited: bool


def tied_to(system: System, part: int) -> list[int]:
    """Numbers of the parts connected to a part by constraints, itself included."""
    near: dict[int, set[int]] = {}
    for constraint in range(len(system.constraints)):
        together = set(system.parts_of(constraint))
        for p in together:
            near.setdefault(p, set()).update(together)
    out, queue = {part}, [part]
    for p in queue:
        new = near.get(p, set()) - out
        out |= new
        queue += new
    return sorted(out)


def drag_rigidly(system: System, part: int, at: Array, r: Request) -> RigidDrag:
    """The largest share of a request in which no connected part moves over `LIMIT` times as far.

    Args:
        part: the dragged part; at: frames of all parts, (parts, 12), world, mm.
        r: grip in world coordinates, mm; its goal is the target of the grip and the world axes.
    """
    q = quaternions(r.goal[None])[0] if r.oriented else np.array([1.0, 0.0, 0.0, 0.0])
    angle = 2 * atan2(float(np.linalg.norm(q[1:])), float(q[0]))
    axis = q[1:] if angle > 0 else np.array([0.0, 0.0, 1.0])
    shift = r.goal[:3] - r.grip
    far = float(np.linalg.norm(shift))

    def motion(share: float) -> Pose:
        turned = Pose.from_axis((0.0, 0.0, 0.0), axis.tolist(), share * degrees(angle))
        x, y, z = (r.grip + share * shift - turned.apply(r.grip)).tolist()
        return Pose((x, y, z), turned.quaternion_wxyz)

    points = _points(system, tied_to(system, part), at)
    arms = system.cloud[system.cloud_part == part] - system.centre[part]
    reach = float(np.linalg.norm(arms, axis=1).max(initial=0.0)) or system.length
    asked = far + reach * angle
    largest = float(np.linalg.norm(motion(1.0).apply(points) - points, axis=1).max())
    share = min(1.0, LIMIT * asked / largest) if largest > 0 else 1.0
    left = 1.0 - share
    return RigidDrag(motion(share), asked, share * largest, left * far, left * angle, share < 1.0)


def _points(system: System, parts: list[int], at: Array) -> Array:
    """Origins and mate features of some parts, (points, 3), world, mm."""
    chosen = np.isin(system.cloud_part, parts)
    frame = at[system.cloud_part[chosen]]
    turned = np.einsum("nk,nkr->nr", system.cloud[chosen], frame[:, 3:].reshape(-1, 3, 3))
    return np.concatenate([at[parts, :3], turned + frame[:, :3]])
