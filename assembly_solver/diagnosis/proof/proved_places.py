"""Where the features of all parts are at a solution of which each block is enclosed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import arb, arb_mat

from ...equations.system import System
from ...foundations.geometry.pose import Pose
from .ball_block import IDENTITY, BallBlock, exact_rotation
from .balls import column, upper
from .blocks import ProvableBlock

Motion = tuple[arb_mat, arb_mat]
"""Rotation, (3, 3), and translation, (3, 1), mm, from a pose as shown to that at the solution."""


def farthest_off(
    system: System, solved: Sequence[tuple[ProvableBlock, Sequence[arb]]], poses: Sequence[Pose]
) -> float:
    """Upper bound of the distance of a feature as shown from where it is at the solution, mm.

    Args:
        solved: the blocks in order, with the boxes of their coordinates; poses: as shown.
    """
    moved: dict[int, Motion] = {}
    most = 0.0
    for block, x in solved:
        carried = moved.get(block.root, (IDENTITY, column([0.0, 0.0, 0.0])))
        placed = BallBlock(system, block, poses).placed(x)
        for part in block.parts:
            shown = exact_rotation(poses[part])
            at = column(poses[part].position)
            turn = placed[part].rotation * shown.transpose()
            shift = placed[part].origin - turn * at
            moved[part] = carried[0] * turn, carried[0] * shift + carried[1]
            most = max(most, _most_moved(system, part, shown, at, moved[part]))
    return most


def _most_moved(system: System, part: int, shown: arb_mat, at: arb_mat, by: Motion) -> float:
    """How far a motion moves the features of a part that mates use, and its origin, at most, mm."""
    own = np.concatenate([np.zeros((1, 3)), system.cloud[system.cloud_part == part]])
    most = 0.0
    for point in own:
        world = at + shown * column(point)
        away = by[0] * world + by[1] - world
        square = (away.transpose() * away)[0, 0].abs_upper()
        most = max(most, upper(square.sqrt()))
    return most
