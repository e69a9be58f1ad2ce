"""The proof that a motion stays on its branch from one state to the next, block by block.

Between two states drivers go straight from their values at the one to those at the other, and
guides straight from place to place.  A step is proved where boxes lead from the solution at the
first state to that at the second (`branch_boxes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np
from flint import arb, arb_mat
from scipy.linalg import qr

from ...equations.system import System
from ...foundations.geometry.pose import Pose
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array, Ints
from ...foundations.watch import Stopped, Watch
from ...model.measures.measure import ROTATION
from .ball_block import BallBlock, PlacedPart, Prescribed, turn_of, turned_by
from .balls import ONE, column, matrix_of, middle, precise, upper
from .blocks import ProvableBlock, blocks_of
from .branch_boxes import Along, Box, followed, node
from .certificate import BranchState, StepProof, Unproved
from .certifying import LARGEST, NOISE, residual_bounds
from .wide_block import WideBlock, balls_of, can_be_wide, enclosing, rates, several
from .wide_vectors import Wide

FAR = 0.25
"""tan(angle / 2) of a part from which coordinates are those of its motion from there."""

PIECES = 8
"""Pieces in which an interval is seen in floats."""

Placed = Mapping[int, PlacedPart]


@dataclass
class _Follower:
    """One block: where the last step ended if it is proved, the interval of its last box."""

    block: ProvableBlock
    ended: Placed | None = None
    width: float = 1.0


@dataclass
class BranchProver:
    """Proves the steps of a motion one after the other.

    Attributes:
        system: with the coordinates that nothing drives as constraints.
        reference: the angle of each term about an axis at the last state, within half a turn, rad.
        watch: interrupts it between boxes.
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
            with precise(), np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                found = [self._of_block(f, before, after) for f in self._followers]
        except Stopped:
            return StepProof(Unproved.STOPPED, share=0.0)
        failed = [proof for proof in found if proof.reason is not None]
        if failed or not found:
            return min(failed, key=lambda proof: proof.share, default=StepProof())
        return StepProof(
            within=min(p.within for p in found),
            off=max(p.off for p in found),
            boxes=max(p.boxes for p in found),
        )

    def _of_block(self, f: _Follower, before: BranchState, after: BranchState) -> StepProof:
        way = _Way(self, f, before, after)
        f.ended = None
        if way.rests:
            return StepProof()
        proof = way.proof()
        if proof.reason is None:
            f.ended = way.ended
        else:
            way.refer(way.there.placed([arb(0)] * way.there.size), ONE)
        self.reference = way.balls.reference
        return proof


class _Way:
    """The way of a block from one state to the next.

    Attributes:
        balls: the block in the coordinates that serve at present; there: at the second state.
        now: share of the way that is proved; ended: its parts there, None before the begin.
        box, within, boxes: the last box, how near others are, how many boxes there are.
        sharp: whether floats do not tell near roots apart.
    """

    def __init__(
        self, prover: BranchProver, follower: _Follower, before: BranchState, after: BranchState
    ) -> None:
        block, system, self.watch = follower.block, prover.system, prover.watch
        self.system, self.block, self.follower = system, block, follower
        self.now, self.ended = 0.0, follower.ended
        self.box: Box | None = None
        self.within, self.boxes, self.sharp = np.inf, 0, False
        self.balls = BallBlock(system, block, _from_root(before.poses, block.root))
        self.balls.reference = prover.reference.copy()
        self.there = BallBlock(system, block, _from_root(after.poses, block.root))
        rows = block.rows.tolist()
        self.targets = {
            e: (before.targets[e], after.targets[e]) for e in rows if e in after.targets
        }
        self._refer_to_targets()
        markers = self.balls.markers
        frames = {m: (before.frames[m], f) for m, f in after.frames.items() if m in markers}
        self.frames = {m: _Straight(*ends) for m, ends in frames.items()}

    def _refer_to_targets(self) -> None:
        """Angles that are prescribed have the turns of their values, also at half a turn."""
        t = self.system.table
        for e, (begin, _) in self.targets.items():
            k = int(t.first_term[e])
            if t.first_term[e + 1] == k + 1 and t.kind[t.term_measure[k]] == ROTATION:
                self.balls.reference[k] = begin / float(t.coefficient[k])

    @property
    def shown(self) -> list[arb]:
        """The coordinates at the second state."""
        return self.balls.coordinates(self.there.placed([arb(0)] * self.there.size))

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

    def refer(self, placed: Placed, share: arb) -> None:
        """Count the turns of angles on to those of placed parts."""
        for k, angle in self.balls.angles(placed, self.given(share)).items():
            if isfinite(angle):
                self.balls.reference[k] = angle

    def proof(self) -> StepProof:
        """The proof."""
        lost = StepProof(Unproved.SINGULAR, self.block.parts)
        if self.balls.size > LARGEST:
            return lost._replace(reason=Unproved.LARGE, share=0.0)
        rows = self._independent()
        while rows is not None and self.now < 1.0 and self._goes_on(rows):
            pass
        if self.now < 1.0:
            return lost._replace(share=self.now, boxes=self.boxes)
        return self._arrived(lost)._replace(within=self.within, boxes=self.boxes)

    def _goes_on(self, rows: Ints) -> bool:
        """Follow the branch as far as the coordinates serve, and floats; whether to go on then."""
        length, balls, began = self.system.length, self.balls, self.now
        wide = None
        if not (self.frames or self.sharp) and can_be_wide(balls, rows):
            wide = WideBlock(balls, rows, self.targets)
        along = self._along(rows, wide)
        start = node(along, self.now, np.zeros(balls.size))
        if start is None:
            return False
        inside, root, far = [start.root], start.root, False
        if self.ended is not None:
            inside.append(_flat(column(balls.coordinates(self.ended))))
        for made in followed(along, start, inside, self.follower.width):
            self.watch.check()
            after, self.box = made[-1]
            self.follower.width = 2 * (after.share - self.box.centre.share)
            self.now, self.boxes, root = after.share, self.boxes + len(made), after.root
            self.within = min(self.within, *(box.within for _, box in made))
            turned = (np.abs(root.mid) + root.rad).reshape(-1, 6)[:, 3:].max()
            far = self.now < 1.0 and turned > 2 * FAR * length
            if wide is not None:
                wide.refer(root.mid)
            if wide is None or not wide.has_all_angles:
                self.refer(balls.placed(balls_of(root)), arb(self.now))
            if far:
                break
        if self.now > began:
            self.ended = balls.placed(balls_of(root))
            self.refer(self.ended, arb(self.now))
        if self.now == 1.0 or (wide is None and not far):
            return False
        self.sharp = not far
        self.balls = balls.moved_to(balls_of(root))
        return True

    def _along(self, rows: Ints, wide: WideBlock | None) -> Along:
        """Equations of the block with the share of the way as parameter."""

        def sharp(x: Wide, share: Wide) -> tuple[Wide, Wide]:
            found = [
                self.balls.evaluate(balls_of(Wide(*own)), self.given(ball), rows)
                for own, ball in zip(zip(*x, strict=True), balls_of(share), strict=True)
            ]
            f, jacobian = [_flat(m) for m, _ in found], [enclosing(m) for _, m in found]
            return several(f), several(jacobian)

        def value(x: Wide, share: Wide) -> Wide:
            found = [
                _flat(self.balls.values(balls_of(Wide(*own)), self.given(ball), rows))
                for own, ball in zip(zip(*x, strict=True), balls_of(share), strict=True)
            ]
            return several(found)

        length = self.system.length
        rate = None if self.frames else rates(self.balls, rows, self.targets)
        if wide is None:
            return Along(sharp, value, rate, sharp, 2, length)
        return Along(wide.evaluate, wide.values, rate, sharp, PIECES, length)

    def _arrived(self, lost: StepProof) -> StepProof:
        """Whether the second state is where the branch is; else why nothing is proved."""
        assert self.ended is not None
        assert self.box is not None
        root, tolerance = self.balls.coordinates(self.ended), self.system.tolerance
        off = max(upper(a - b) for a, b in zip(root, self.shown, strict=True))
        if not self.box.has(_flat(column(self.shown)), 1.0):
            return lost if off <= tolerance else lost._replace(reason=Unproved.ELSEWHERE)
        bounds = residual_bounds(self.balls, root, self.given(ONE))
        if not max(bounds.values(), default=0.0) <= tolerance:
            return lost._replace(reason=Unproved.OFF)
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


def _flat(numbers: arb_mat) -> Wide:
    """A column of balls in floats, (n,)."""
    mid, rad = enclosing(numbers)
    return Wide(mid[:, 0], rad[:, 0])


def _from_root(poses: Sequence[Pose], root: int) -> list[Pose]:
    """Poses as seen from a part; the fixed ones, -1, do not move."""
    if root < 0:
        return [*poses]
    away = poses[root].inverse()
    return [away @ pose for pose in poses]
