"""The proof that exactly one solution lies near the poses of a solve, block by block.

Of a block's equations a largest independent set is chosen, and as many coordinates that it can be
solved for; the others are held as they are.  The test of Krawczyk then shows that with those held
there is one solution and no other in a box; there the rest of the equations, which repeat the
chosen ones, are bounded and compared with the tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nextafter

import numpy as np
from flint import arb, arb_mat
from scipy.linalg import qr

from ...equations.system import System
from ...foundations.geometry.pose import Pose
from ...foundations.numerics.rounding import FAINT, ROUNDING
from ...foundations.types import Array, Ints
from ...foundations.watch import Stopped, Watch
from .ball_block import AS_STORED, IDENTITY, BallBlock, Prescribed, exact_rotation
from .balls import column, middle, precise, upper
from .blocks import ProvableBlock, blocks_of
from .certificate import BlockProof, Certificate, Unproved
from .krawczyk import RADII, one_root

Motion = tuple[arb_mat, arb_mat]
"""Rotation, (3, 3), and translation, (3, 1), mm, from a pose as shown to that at the solution."""

LARGEST = 600
"""Most unknowns of a block that is proved: its matrices are dense."""

NOISE = 16.0 * ROUNDING
"""Singular value, relative to the largest, that is rounding; larger with residuals."""

PROBE = 2.0 ** -np.array([6.0, 8.0, 10.0, 12.0])
"""How far held coordinates are moved, over the characteristic length, to see whether dependent
equations are so elsewhere: the first from where the others hold again."""

PROBES = 3
"""Directions in which they are moved."""

CLOSINGS = 30
"""Most Newton steps after that."""

Coordinates = Sequence[arb]
"""Boxes of the coordinates of a block, six for each part that moves; none without a proof."""


def certified(system: System, poses: Sequence[Pose], watch: Watch) -> Certificate:
    """What can be proved of poses that hold.

    Args:
        poses: of the parts, in their order, as they are shown.
        watch: interrupts it; what is left says so.
    """
    with precise():
        found = [_proved(system, block, poses, watch) for block in blocks_of(system)]
        proofs, radius = tuple(proof for proof, _ in found), np.inf
        if all(p.reason is None for p in proofs):
            radius = farthest_off(system, [(p.block, x) for p, x in found], poses)
        moving = int(np.sum(~system.fixed)) - sum(len(p.block.parts) for p in proofs)
        return Certificate(proofs, radius, 6 * moving + sum(p.held for p in proofs))


def _proved(
    system: System, block: ProvableBlock, poses: Sequence[Pose], watch: Watch
) -> tuple[BlockProof, Coordinates]:
    """What is proved of a block, and the boxes of its coordinates."""
    proof = BlockProof(block)
    try:
        watch.check()
        return _tried(proof, BallBlock(system, block, poses), watch)
    except Stopped:
        return replace(proof, reason=Unproved.STOPPED), ()


def _tried(proof: BlockProof, balls: BallBlock, watch: Watch) -> tuple[BlockProof, Coordinates]:
    """The proof for the rank that the equations have; raises Stopped where the watch does."""
    if balls.size > LARGEST:
        return replace(proof, reason=Unproved.LARGE), ()
    if ends := _without_slope(balls):
        return replace(proof, reason=Unproved.EDGE, constraints=ends), ()
    found = [_with_rank(proof, balls, rank, watch) for rank in _ranks(balls)]
    best = next((each for each in found if each[0].reason is None), found[0])
    if len(found) > 1 and best[0].reason is Unproved.OPEN:  # a rank that is in doubt
        return replace(proof, reason=Unproved.SINGULAR), ()
    return best


def _without_slope(balls: BallBlock) -> tuple[int, ...]:
    """The constraints that have no value in the smallest box: no larger one can be proved."""
    s = balls.system
    f, _ = balls.evaluate([arb(0, RADII[-1] * s.length)] * balls.size)
    rows = zip(balls.block.rows.tolist(), f.entries(), strict=True)
    return tuple(sorted({int(s.constraint_of_equation[e]) for e, v in rows if not v.is_finite()}))


def _start(balls: BallBlock) -> tuple[Array, Array]:
    """Residuals and Jacobian at the poses as shown, as floats, mm."""
    f, jacobian = balls.evaluate([arb(0)] * balls.size)
    return middle(f)[:, 0], middle(jacobian)


def _ranks(balls: BallBlock) -> list[int]:
    """The ranks that the equations may have at the poses; the largest first."""
    f, jacobian = _start(balls)
    if not jacobian.size or not np.isfinite(jacobian).all():
        return [0]
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    share = sizes / max(float(sizes[0]), ROUNDING)
    noise = NOISE + 10 * float(np.abs(f).max()) / balls.system.length
    counts = {int(np.sum(share > cut)) for cut in (noise, max(FAINT, 16 * noise))}
    return sorted(counts, reverse=True)


def _with_rank(
    proof: BlockProof, balls: BallBlock, rank: int, watch: Watch
) -> tuple[BlockProof, Coordinates]:
    """The proof where the equations are taken to have a rank."""
    _, jacobian = _start(balls)
    columns, rows = independent(jacobian, rank)
    held, rest = balls.size - rank, len(balls.block.rows) - rank
    lost = _not_dependent(balls, jacobian, rows, columns) if held and rest else None
    if lost is not None:
        return replace(proof, reason=lost), ()

    def square(x: arb_mat) -> tuple[arb_mat, arb_mat]:
        watch.check()
        return _square(balls, x, rows, columns)

    root = one_root(square, rank, balls.system.length)
    if root is None:
        return replace(proof, reason=Unproved.OPEN), ()
    x = _whole(root.enclosure, columns, balls.size)
    within = nextafter(root.radius - max(map(upper, x), default=0.0), 0.0)
    off = residual_bounds(balls, x)
    wrong = tuple(k for k, v in off.items() if not v <= balls.system.tolerance)
    if wrong:
        return replace(proof, reason=Unproved.OFF, constraints=wrong), ()
    if not within > 0.0:
        return replace(proof, reason=Unproved.OPEN), ()
    return replace(
        proof,
        held=held,
        off=max(off.values(), default=0.0),
        rows=tuple(balls.block.rows[rows].tolist()),
        columns=tuple(columns.tolist()),
        within=within if rank else np.inf,
    ), x


def independent(jacobian: Array, rank: int) -> tuple[Ints, Ints]:
    """Columns and rows of a well conditioned square part, both (rank,)."""
    if not rank:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    columns = np.sort(qr(jacobian, mode="r", pivoting=True)[1][:rank])
    rows = np.sort(qr(jacobian[:, columns].T, mode="r", pivoting=True)[1][:rank])
    return columns.astype(np.int64), rows.astype(np.int64)


def _whole(some: arb_mat, columns: Ints, size: int) -> list[arb]:
    """All coordinates from those that are solved for; the others are 0."""
    x = [arb(0)] * size
    for c, v in zip(columns.tolist(), some.entries(), strict=True):
        x[c] = v
    return x


def _square(balls: BallBlock, x: arb_mat, rows: Ints, columns: Ints) -> tuple[arb_mat, arb_mat]:
    f, jacobian = balls.evaluate(_whole(x, columns, balls.size), rows=rows)
    n = len(rows)
    return f, arb_mat(n, n, [jacobian[r, c] for r in range(n) for c in columns.tolist()])


def residual_bounds(
    balls: BallBlock, x: Sequence[arb], given: Prescribed = AS_STORED
) -> dict[int, float]:
    """Upper bounds of the residuals of the constraints in a box, mm."""
    s = balls.system
    squares = {k: [arb(0), arb(0)] for k in balls.block.constraints}
    for e, v in zip(balls.block.rows.tolist(), balls.evaluate(x, given)[0].entries(), strict=True):
        both = squares[int(s.constraint_of_equation[e])]
        both[int(s.angular[e])] += v.abs_upper() * v.abs_upper()
    scale = s.reach / s.length
    return {
        k: max(upper(lengths.sqrt()), upper(turns.sqrt() * arb(float(scale[k]))))
        for k, (lengths, turns) in squares.items()
    }


def _not_dependent(balls: BallBlock, jacobian: Array, rows: Ints, columns: Ints) -> Unproved | None:
    """What is lost where the equations that repeat others here do not where held coordinates move.

    Then the pose is singular: with one coordinate held they do not tell all.  A step after which
    the chosen equations do not hold again is too long, as where parts are much smaller than the
    characteristic length: it is made shorter, and where none is short enough, nothing is known.
    """
    held = np.setdiff1d(np.arange(balls.size), columns)
    rest = np.setdiff1d(np.arange(len(jacobian)), rows)
    rng = np.random.default_rng(0)
    inverse = np.linalg.inv(jacobian[np.ix_(rows, columns)])
    at_start = float(np.abs(_start(balls)[0]).max())
    for _ in range(PROBES):
        step = np.zeros(balls.size)
        step[held] = rng.normal(size=len(held))
        step[columns] = -inverse @ (jacobian[np.ix_(rows, held)] @ step[held])
        step /= np.abs(step).max()
        for size in PROBE * balls.system.length:
            f = _closed(balls, size * step, rows, columns)
            if f is not None:
                break
        else:
            return Unproved.OPEN
        if np.abs(f[rest]).max() > FAINT * size + 10 * at_start:
            return Unproved.SINGULAR
    return None


def _closed(balls: BallBlock, x: Array, rows: Ints, columns: Ints) -> Array | None:
    """Residuals where the chosen equations hold again, mm, the held coordinates as they are."""
    for _ in range(CLOSINGS):
        f, jacobian = (middle(m) for m in balls.evaluate([arb(float(v)) for v in x]))
        if not (np.isfinite(f).all() and np.isfinite(jacobian).all()):
            return None
        if np.abs(f[rows]).max(initial=0.0) <= ROUNDING * balls.system.length:
            out: Array = f[:, 0]
            return out
        x = x.copy()
        x[columns] -= np.linalg.lstsq(jacobian[np.ix_(rows, columns)], f[rows, 0], rcond=None)[0]
    return None


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
