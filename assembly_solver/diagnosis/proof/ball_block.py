"""The equations of a block as balls: parts that move against the one from which they are reached.

The coordinates of a part are those of its motion away from its pose as shown: the displacement of
its centre, mm, and tan(angle / 2) times its axis and twice the characteristic length, mm (Cayley).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, arb_mat

from ...equations.system import System
from ...foundations.geometry.pose import Pose
from ...model.measures.measure import ROTATION
from .ball_measures import NO_SLOPE, BallFrame, ball_measure
from .balls import ONE, ZERO, Scalar, Vector, column, crossing, matrix_of
from .blocks import ProvableBlock

IDENTITY = arb_mat(3, 3, [1, 0, 0, 0, 1, 0, 0, 0, 1])


@dataclass(frozen=True)
class PlacedPart:
    """A part at its coordinates: rotation, (3, 3), and its centre in the world, (3, 1), mm.

    Attributes:
        about: the centre in part coordinates; spin: its rotation for a change of the last three
            coordinates, rad per mm, (3, 3), None for a part that stays.
    """

    rotation: arb_mat
    centre: arb_mat
    about: arb_mat
    spin: arb_mat | None

    @property
    def origin(self) -> arb_mat:
        """The part's origin in the world, mm."""
        return self.centre - self.rotation * self.about


def exact_rotation(pose: Pose) -> arb_mat:
    """The rotation of a quaternion as it is stored: of its direction, whatever its length is."""
    w, x, y, z = (arb(v) for v in pose.quaternion_wxyz)
    size = w * w + x * x + y * y + z * z
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return arb_mat(rows) * (ONE / size)


class BallBlock:
    """The equations of one block over its coordinates, six for each part that moves.

    Args:
        poses: of all parts, as they are shown.
    """

    def __init__(self, system: System, block: ProvableBlock, poses: Sequence[Pose]) -> None:
        self.system, self.block = system, block
        self.size = 6 * len(block.parts)
        self.place = {part: n for n, part in enumerate(block.parts)}
        self._shown = {p: self._at_pose(p, poses[p]) for p in self._touched}

    @cached_property
    def _terms(self) -> list[list[int]]:
        first = self.system.table.first_term
        return [list(range(first[e], first[e + 1])) for e in self.block.rows.tolist()]

    @cached_property
    def _touched(self) -> list[int]:
        t = self.system.table
        measures = t.term_measure[[k for terms in self._terms for k in terms]]
        markers = np.concatenate([t.marker_a[measures], t.marker_b[measures]])
        return sorted({*t.marker_body[markers].tolist(), *self.block.parts})

    # ------------------------------------------------------------------ poses
    def _at_pose(self, part: int, pose: Pose) -> PlacedPart:
        about = column(self.system.centre[part])
        rotation = exact_rotation(pose)
        return PlacedPart(rotation, column(pose.position) + rotation * about, about, None)

    def placed(self, x: Sequence[arb]) -> dict[int, PlacedPart]:
        """The parts at their coordinates, `size` of them."""
        out = dict(self._shown)
        length = arb(self.system.length)
        for part, n in self.place.items():
            shown = self._shown[part]
            w = column(v / (2 * length) for v in x[6 * n + 3 : 6 * n + 6])
            turning = crossing(w)
            divisor = ONE + (w.transpose() * w)[0, 0]
            rotation = IDENTITY + (turning + turning * turning) * (2 / divisor)
            out[part] = PlacedPart(
                rotation * shown.rotation,
                shown.centre + column(x[6 * n : 6 * n + 3]),
                shown.about,
                (IDENTITY + turning) * (ONE / (divisor * length)),
            )
        return out

    def _frame(self, marker: int, at: PlacedPart, moving: bool) -> BallFrame:
        """A marker in the world and its derivative by a twist of its part about the centre."""
        stored = self.system.table.marker_frame[marker].reshape(4, 3)
        arm = at.rotation * (column(stored[0]) - at.about)
        axes = at.rotation * matrix_of(stored[1:].T)
        directions = [column([axes[r, k] for r in range(3)]) for k in range(3)]
        if not moving:
            origin = Vector(at.centre + arm, NO_SLOPE)
            x, y, z = (Vector(d, NO_SLOPE) for d in directions)
            return BallFrame(origin, (x, y, z))
        origin = Vector(at.centre + arm, _twisted(IDENTITY, arm))
        x, y, z = (Vector(d, _twisted(None, d)) for d in directions)
        return BallFrame(origin, (x, y, z))

    # ------------------------------------------------------------------ equations
    def evaluate(self, x: Sequence[arb]) -> tuple[arb_mat, arb_mat]:
        """Residuals of the equations, mm, (rows, 1), and their Jacobian, (rows, `size`)."""
        placed = self.placed(x)
        frames: dict[tuple[int, bool], BallFrame] = {}
        values, jacobian = [], arb_mat(len(self.block.rows), self.size)
        for r, e in enumerate(self.block.rows.tolist()):
            value = -arb(float(self.system.table.target[e]))
            weight = arb(float(self.system.table.weight[e]))
            for k in self._terms[r]:
                found, a, b = self._term(k, placed, frames)
                value = value + found.value
                self._add(jacobian, r, found.slope * weight, a, b, placed)
            values.append(self._reduced(value, e) * weight)
        return arb_mat(len(values), 1, values), jacobian

    def _term(
        self, k: int, placed: dict[int, PlacedPart], frames: dict[tuple[int, bool], BallFrame]
    ) -> tuple[Scalar, int, int]:
        """A term of an equation, its coefficient included, and its two parts."""
        t = self.system.table
        n = int(t.term_measure[k])
        ends, parts = [], []
        for marker, moving in ((int(t.marker_a[n]), False), (int(t.marker_b[n]), True)):
            part = int(t.marker_body[marker])
            if (marker, moving) not in frames:
                frames[marker, moving] = self._frame(marker, placed[part], moving)
            ends.append(frames[marker, moving])
            parts.append(part)
        reference = float(t.reference[k]) if t.kind[n] == ROTATION else 0.0
        kind, i, j = int(t.kind[n]), int(t.axis_i[n]), int(t.axis_j[n])
        found = ball_measure(kind, i, j, t.data, reference, ends[0], ends[1])
        return found.scaled(arb(float(t.coefficient[k]))), parts[0], parts[1]

    def _reduced(self, value: arb, e: int) -> arb:
        """A sum less whole periods, where it is clear how many these are."""
        period = float(self.system.table.period[e])
        if not period > 0.0 or not value.is_finite():
            return value
        turns = float((value / arb(period)).mid())
        left: arb = value - arb(period) * round(turns)
        return left if left.abs_upper() < arb(period) / 2 else arb("nan")

    def _add(
        self,
        jacobian: arb_mat,
        row: int,
        wrench: arb_mat,
        a: int,
        b: int,
        placed: dict[int, PlacedPart],
    ) -> None:
        """Add the derivatives of a term, a wrench about the centre of b, to those of its parts."""
        force, torque = wrench.entries()[:3], wrench.entries()[3:]
        for part, sign in ((b, 1), (a, -1)):
            if part not in self.place:
                continue
            at = placed[part]
            assert at.spin is not None
            moment = column(torque)
            if part != b:
                moment = moment + crossing(placed[b].centre - at.centre) * column(force)
            turn = (moment.transpose() * at.spin).entries()
            first = 6 * self.place[part]
            for k, v in enumerate((*force, *turn)):
                jacobian[row, first + k] = jacobian[row, first + k] + sign * v


def _twisted(shift: arb_mat | None, arm: arb_mat) -> arb_mat:
    """Derivative of a point (or, without a shift, a direction) by a twist: [shift, -arm x]."""
    turn = -crossing(arm)
    rows = [
        [*((shift[r, k] if shift is not None else ZERO) for k in range(3)),
         *(turn[r, k] for k in range(3))]
        for r in range(3)
    ]  # fmt: skip
    return arb_mat(rows)
