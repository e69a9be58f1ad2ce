"""The proof that a motion stays on its branch from one state to the next, block by block.

Between two states drivers go straight from their values at the one to those at the other, and
guides straight from place to place.  A step is proved where boxes lead from the solution at the
first state to that at the second (`branch_boxes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from flint import arb, arb_mat
from scipy.linalg import qr

from ...equations.system import System
from ...foundations.geometry.pose import Pose
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array, Ints
from ...foundations.watch import Stopped, Watch
from .ball_block import BallBlock, Prescribed, turn_of, turned_by
from .balls import ONE, column, matrix_of, middle, precise, upper
from .blocks import ProvableBlock, blocks_of
from .branch_boxes import Box, Node, followed, node
from .certificate import BranchState, StepProof, Unproved
from .certifying import LARGEST, NOISE, residual_bounds


@dataclass
class _Follower:
    """One block: where the last step ended if it is proved, the interval of its last box."""

    block: ProvableBlock
    ended: tuple[BallBlock, Sequence[arb]] | None = None
    width: float = 1.0


@dataclass
class BranchProver:
    """Proves the steps of a motion one after the other.

    Attributes:
        system: with the coordinates that nothing drives as constraints.
        reference: the angle of each term about an axis at the last state, within half a turn, rad.
        watch: interrupts it between steps.
    """

    system: System
    reference: Array
    watch: Watch
    _followers: list[_Follower] = field(init=False)

    def __post_init__(self) -> None:
        self._followers = [_Follower(b) for b in blocks_of(self.system) if b.parts]

    def step(self, before: BranchState, after: BranchState) -> StepProof:
        """What is proved of the way from one state to the next."""
        try:
            self.watch.check()
        except Stopped:
            return StepProof(Unproved.STOPPED, share=0.0)
        with precise():
            found = [self._of_block(f, before, after) for f in self._followers]
        failed = [proof for proof in found if proof.reason is not None]
        if failed or not found:
            return min(failed, key=lambda proof: proof.share, default=StepProof())
        return StepProof(
            within=min(p.within for p in found),
            off=max(p.off for p in found),
            boxes=max(p.boxes for p in found),
        )

    def _of_block(self, f: _Follower, before: BranchState, after: BranchState) -> StepProof:
        way = _Way(self.system, f.block, before, after, self.reference)
        ended, f.ended = f.ended, None
        if way.rests:
            return StepProof()
        proof = way.proof(f, ended)
        if proof.reason is not None:
            way.refer(way.shown, ONE)
        self.reference = way.balls.reference
        return proof


class _Way:
    """The way of a block from one state to the next, in the coordinates of the first."""

    def __init__(
        self,
        system: System,
        block: ProvableBlock,
        before: BranchState,
        after: BranchState,
        reference: Array,
    ) -> None:
        self.system, self.block = system, block
        self.balls = BallBlock(system, block, _from_root(before.poses, block.root))
        self.balls.reference = reference.copy()
        there = BallBlock(system, block, _from_root(after.poses, block.root))
        self.shown = self.balls.coordinates(there.placed([arb(0)] * there.size))
        rows = block.rows.tolist()
        self.targets = {
            e: (before.targets[e], after.targets[e]) for e in rows if e in after.targets
        }
        markers = self.balls.markers
        frames = {m: (before.frames[m], f) for m, f in after.frames.items() if m in markers}
        self.frames = {m: _Straight(*ends) for m, ends in frames.items()}

    @property
    def rests(self) -> bool:
        """Whether nothing moves, nor is asked to."""
        moved = max(map(upper, self.shown), default=0.0)
        asked = any(a != b for a, b in self.targets.values()) or bool(self.frames)
        return not asked and moved <= AGREEMENT * self.system.length

    def given(self, share: arb) -> Prescribed:
        """What is prescribed at a share of the way."""
        targets = {e: arb(a) + share * (arb(b) - arb(a)) for e, (a, b) in self.targets.items()}
        return Prescribed(targets, {m: s.at(share) for m, s in self.frames.items()})

    def refer(self, x: Sequence[arb], share: arb) -> None:
        """Count the turns of angles on to those at some coordinates."""
        for k, angle in self.balls.angles(x, self.given(share)).items():
            self.balls.reference[k] = angle

    def proof(self, f: _Follower, ended: tuple[BallBlock, Sequence[arb]] | None) -> StepProof:
        """The proof; where it succeeds the block is left where the branch ends."""
        system, balls, parts = self.system, self.balls, self.block.parts
        if balls.size > LARGEST:
            return StepProof(Unproved.LARGE, parts, 0.0)
        rows = self._independent()
        if rows is None:
            return StepProof(Unproved.SINGULAR, parts, 0.0)

        def square(x: arb_mat, share: arb) -> tuple[arb_mat, arb_mat]:
            return balls.evaluate(x.entries(), self.given(share), rows)

        now = node(square, 0.0, column([0.0] * balls.size), system.length)
        if now is None:
            return StepProof(Unproved.SINGULAR, parts, 0.0)
        inside = [now.root]
        if ended is not None:
            inside.append(column(balls.coordinates(ended[0].placed(ended[1]))))
        within, boxes, box = np.inf, 0, None
        for after, box in followed(square, now, inside, system.length, f.width):
            f.width, now = after.share - now.share, after
            within, boxes = min(within, box.within), boxes + 1
            self.refer(now.root.entries(), arb(now.share))
        if box is None or now.share < 1.0:
            return StepProof(Unproved.SINGULAR, parts, now.share, boxes=boxes)
        f.ended = balls, now.root.entries()
        return self._arrived(now, box)._replace(within=within, boxes=boxes)

    def _arrived(self, end: Node, box: Box) -> StepProof:
        """Whether the second state is where the branch is."""
        parts, root = self.block.parts, end.root.entries()
        off = max(upper(a - b) for a, b in zip(root, self.shown, strict=True))
        if not box.has(column(self.shown)):
            near = off <= self.system.tolerance
            return StepProof(Unproved.SINGULAR if near else Unproved.ELSEWHERE, parts)
        bounds = residual_bounds(self.balls, root, self.given(ONE))
        if not max(bounds.values(), default=0.0) <= self.system.tolerance:
            return StepProof(Unproved.OFF, parts)
        return StepProof(off=off)

    def _independent(self) -> Ints | None:
        """Equations that determine all coordinates at the first state; None where they do not."""
        size = self.balls.size
        jacobian = middle(self.balls.evaluate([arb(0)] * size, self.given(arb(0)))[1])
        if len(jacobian) < size or not np.isfinite(jacobian).all():
            return None
        values = np.linalg.svd(jacobian, compute_uv=False)
        if not values[-1] > NOISE * values[0]:
            return None
        rows: Ints = np.sort(qr(jacobian.T, mode="r", pivoting=True)[1][:size])
        return rows


class _Straight:
    """The way of a marker between two frames, (12,), which are exact at its ends."""

    def __init__(self, begin: Array, end: Array) -> None:
        (self.begin, self.axes), (self.end, self.turned) = (
            (column(f[:3]), matrix_of(f[3:].reshape(3, 3).T)) for f in (begin, end)
        )
        self.by = turn_of(self.turned * self.axes.transpose())

    def at(self, share: arb) -> tuple[arb_mat, arb_mat]:
        """Its origin and axes at a share of the way, part coordinates."""
        left = ONE - share
        origin = self.begin * left + self.end * share
        forward, back = turned_by(self.by * share), turned_by(self.by * -left)
        return origin, forward * self.axes * left + back * self.turned * share


def _from_root(poses: Sequence[Pose], root: int) -> list[Pose]:
    """Poses as seen from a part; the fixed ones, -1, do not move."""
    if root < 0:
        return [*poses]
    away = poses[root].inverse()
    return [away @ pose for pose in poses]
