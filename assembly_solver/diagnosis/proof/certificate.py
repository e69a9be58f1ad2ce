"""The certificate of a solve: what is proved of its poses, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from .blocks import ProvableBlock


class Unproved(Enum):
    """Why a block has no certificate."""

    SINGULAR = "the pose is singular, or so near to one that two solutions cannot be told apart"
    OPEN = "no box was found in which there is provably one solution"
    OFF = "mates repeat each other and disagree by more than the tolerance"
    LARGE = "it has more unknowns than are proved together"
    STOPPED = "the call was interrupted"


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
