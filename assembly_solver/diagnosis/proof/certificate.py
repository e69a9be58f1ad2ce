"""Certificates: what is proved of the poses of a solve, block by block, of steps of a sweep,
and of what cannot move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import Pose
from ...foundations.types import Array
from .blocks import ProvableBlock


class Unproved(Enum):
    """Why a block has no certificate."""

    SINGULAR = "the pose is singular, or so near to one that two solutions cannot be told apart"
    EDGE = "a measure ends or has no slope there, as at the end of a curve"
    OPEN = "no box was found in which there is provably one solution"
    OFF = "mates repeat each other and disagree by more than the tolerance"
    LARGE = "it has more unknowns than are proved together"
    STOPPED = "budget or caller ended the proof, more time may complete it"
    ELSEWHERE = "the branch leads to other poses than the motion has next"
    RELEASED = "another coordinate is held from there on"


@dataclass(frozen=True)
class BlockProof:
    """What is proved of a block.

    Attributes:
        block: its parts and constraints; reason: why nothing is proved, else None;
            constraints: those that the reason is about.
        held: coordinates that stay where they are; off: upper bound of the residuals there, mm.
        rows, columns: the equations that are solved, and the coordinates for which they are.
        within: largest change of a coordinate from the poses as shown within which there is no
            other solution, mm.
    """

    block: ProvableBlock
    reason: Unproved | None = None
    constraints: tuple[int, ...] = ()
    held: int = 0
    off: float = 0.0
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    within: float = np.inf


@dataclass(frozen=True)
class Certificate:
    """What is proved of the poses of an assembly.

    Attributes:
        blocks: each by itself; radius: how far a feature as shown is from where it is at the
            solution, at most, mm, inf where not every block is proved.
        held: coordinates of all parts that stay where they are.
    """

    blocks: tuple[BlockProof, ...]
    radius: float
    held: int

    @property
    def unique(self) -> bool:
        """Whether every block has exactly one solution near its poses."""
        return all(b.reason is None for b in self.blocks)

    @property
    def within(self) -> float:
        """The least box of a block, mm; inf where nothing moves."""
        return min((b.within for b in self.blocks), default=np.inf)

    @property
    def off(self) -> float:
        """Upper bound of the residuals at the solution, mm."""
        return max((b.off for b in self.blocks), default=0.0)


class BranchState(NamedTuple):
    """A state of a motion.

    Attributes:
        poses: of the parts; targets: of the equations of drivers, mm or rad; frames: of markers
            that guides move, (12,), part coordinates.
    """

    poses: Sequence[Pose]
    targets: Mapping[int, float]
    frames: Mapping[int, Array]


class StepProof(NamedTuple):
    """What is proved of a step.

    Attributes:
        reason: why it is not proved, else None; parts: of the block that this is about.
        share: how far it is proved, 0 to 1; boxes: how many lead there, of the block with most.
        within: no other solution is nearer to the branch, mm, in the coordinates of a block; off:
            nor is the second state farther from it.
    """

    reason: Unproved | None = None
    parts: tuple[int, ...] = ()
    share: float = 1.0
    within: float = np.inf
    off: float = 0.0
    boxes: int = 0


class Confinement(NamedTuple):
    """That parts move by at most `within`, mm, while every equation holds within `slack`, mm."""

    within: float
    slack: float
