"""The equations of a block as balls: parts that move against the one from which they are reached.

The coordinates of a part are those of its motion away from its pose as shown: the displacement of
its centre, mm, and tan(angle / 2) times its axis and twice the characteristic length, mm (Cayley).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat

from ...equations.system import System
from ...foundations.geometry.pose import Pose
from ...foundations.types import Ints
from ...model.measures.measure import ROTATION
from .ball_measures import NO_SLOPE, BallFrame, ball_measure
from .balls import ONE, ZERO, Scalar, Vector, column, crossing, matrix_of, middle
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


class Prescribed(NamedTuple):
    """What is not as the system has it: as drivers and guides prescribe it.

    Attributes:
        targets: by equation, mm or rad; frames: by marker, origin (3, 1), mm, and axes (3, 3) in
            columns, part coordinates.
    """

    targets: Mapping[int, arb]
    frames: Mapping[int, tuple[arb_mat, arb_mat]]


class Stored(NamedTuple):
    """A marker in part coordinates: origin, (3, 1), mm, axes and their scalar products, (3, 3)."""

    origin: arb_mat
    axes: arb_mat
    gram: arb_mat


def stored_frame(origin: arb_mat, axes: arb_mat) -> Stored:
    """A marker from its origin and its axes in columns."""
    return Stored(origin, axes, axes.transpose() * axes)


Frames = Callable[[int, bool], BallFrame]
"""A marker by its number, and whether it moves with its part for a derivative."""

AS_STORED = Prescribed({}, {})
"""Everything as the system has it."""


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


def turned_by(w: arb_mat) -> arb_mat:
    """The rotation, (3, 3), of which tan(angle / 2) times the axis is w, (3, 1) (Cayley)."""
    turning = crossing(w)
    return IDENTITY + (turning + turning * turning) * (2 / (ONE + (w.transpose() * w)[0, 0]))


def turn_of(r: arb_mat) -> arb_mat:
    """What `turned_by` makes a rotation of less than half a turn from, (3, 1)."""
    divisor = ONE + r[0, 0] + r[1, 1] + r[2, 2]
    return column((r[i, j] - r[j, i]) / divisor for i, j in ((2, 1), (0, 2), (1, 0)))


class BallBlock:
    """The equations of one block over its coordinates, six for each part that moves.

    Args:
        poses: of all parts, as they are shown.

    Attributes:
        reference: the angle that each term about an axis is within half a turn of, rad.
    """

    def __init__(self, system: System, block: ProvableBlock, poses: Sequence[Pose]) -> None:
        self.system, self.block, self.poses = system, block, poses
        self.reference = system.table.reference
        self._markers: dict[int, Stored] = {}
        self.size = 6 * len(block.parts)
        self.place = {part: n for n, part in enumerate(block.parts)}
        self.shown = {p: self._at_pose(p, poses[p]) for p in self._touched}

    @cached_property
    def terms(self) -> list[list[int]]:
        """The terms of each of its equations."""
        first = self.system.table.first_term
        return [list(range(first[e], first[e + 1])) for e in self.block.rows.tolist()]

    @cached_property
    def markers(self) -> frozenset[int]:
        """The markers that its equations read."""
        t = self.system.table
        measures = t.term_measure[[k for terms in self.terms for k in terms]]
        return frozenset(t.marker_a[measures].tolist() + t.marker_b[measures].tolist())

    @cached_property
    def _touched(self) -> list[int]:
        body = self.system.table.marker_body
        return sorted({*(int(body[m]) for m in self.markers), *self.block.parts})

    # ------------------------------------------------------------------ poses
    def _at_pose(self, part: int, pose: Pose) -> PlacedPart:
        about = column(self.system.centre[part])
        rotation = exact_rotation(pose)
        return PlacedPart(rotation, column(pose.position) + rotation * about, about, None)

    def placed(self, x: Sequence[arb]) -> dict[int, PlacedPart]:
        """The parts at their coordinates, `size` of them."""
        out = dict(self.shown)
        length = arb(self.system.length)
        for part, n in self.place.items():
            shown = self.shown[part]
            w = column(v / (2 * length) for v in x[6 * n + 3 : 6 * n + 6])
            turning = crossing(w)
            divisor = ONE + (w.transpose() * w)[0, 0]
            out[part] = PlacedPart(
                turned_by(w) * shown.rotation,
                shown.centre + column(x[6 * n : 6 * n + 3]),
                shown.about,
                (IDENTITY + turning) * (ONE / (divisor * length)),
            )
        return out

    def coordinates(self, placed: Mapping[int, PlacedPart]) -> list[arb]:
        """The coordinates of parts that are placed, less than half a turn from where they are."""
        out = list[arb]()
        for part in self.block.parts:
            shown, there = self.shown[part], placed[part]
            turn = turn_of(there.rotation * shown.rotation.transpose())
            out += (there.centre - shown.centre).entries()
            out += [2 * arb(self.system.length) * v for v in turn.entries()]
        return out

    def _stored(self, marker: int) -> Stored:
        """A marker as the system has it."""
        if marker not in self._markers:
            frame = self.system.table.marker_frame[marker].reshape(4, 3)
            self._markers[marker] = stored_frame(column(frame[0]), matrix_of(frame[1:].T))
        return self._markers[marker]

    def _frame(self, stored: Stored, at: PlacedPart, moving: bool) -> BallFrame:
        """A marker in the world and its derivative by a twist of its part about the centre."""
        arm, gram = at.rotation * (stored.origin - at.about), stored.gram
        axes = at.rotation * stored.axes
        directions = [column([axes[r, k] for r in range(3)]) for k in range(3)]
        if not moving:
            origin = Vector(at.centre + arm, NO_SLOPE)
            x, y, z = (Vector(d, NO_SLOPE) for d in directions)
            return BallFrame(origin, (x, y, z), gram)
        origin = Vector(at.centre + arm, _twisted(IDENTITY, arm))
        x, y, z = (Vector(d, _twisted(None, d)) for d in directions)
        return BallFrame(origin, (x, y, z), gram)

    def moved_to(self, x: Sequence[arb]) -> BallBlock:
        """The block with the middle of a box of its coordinates as its poses."""
        poses = list(self.poses)
        for part, at in self.placed([v.mid() for v in x]).items():
            frame = np.concatenate([middle(at.origin.transpose()), middle(at.rotation.transpose())])
            if part in self.place:
                poses[part] = Pose.from_frame(frame.ravel())
        out = BallBlock(self.system, self.block, poses)
        out.reference = self.reference
        return out

    # ------------------------------------------------------------------ equations
    def evaluate(
        self, x: Sequence[arb], given: Prescribed = AS_STORED, rows: Ints | None = None
    ) -> tuple[arb_mat, arb_mat]:
        """Residuals of the equations, mm, (rows, 1), and their Jacobian, (rows, `size`).

        Args:
            x: the coordinates; rows: numbers of the equations in the block, all by default.
        """
        placed = self.placed(x)
        frames, chosen = self._frames_at(placed, given), self._chosen(rows)
        jacobian = arb_mat(len(chosen), self.size)
        values = []
        for r, n in enumerate(chosen):
            found = [self._term(k, frames) for k in self.terms[n]]
            values.append(self._residual(n, [term.value for term, _, _ in found], given))
            weight = arb(float(self.system.table.weight[self.block.rows[n]]))
            for term, a, b in found:
                self._add(jacobian, r, term.slope * weight, a, b, placed)
        return arb_mat(len(values), 1, values), jacobian

    def values(self, x: Sequence[arb], given: Prescribed, rows: Ints) -> arb_mat:
        """The same residuals without their Jacobian."""
        frames = self._frames_at(self.placed(x), given)

        def still(marker: int, moving: bool) -> BallFrame:
            return frames(marker, False)

        found = [
            self._residual(n, [self._term(k, still)[0].value for k in self.terms[n]], given)
            for n in self._chosen(rows)
        ]
        return arb_mat(len(found), 1, found)

    def _chosen(self, rows: Ints | None) -> Sequence[int]:
        return range(len(self.block.rows)) if rows is None else rows.tolist()

    def _residual(self, n: int, terms: Sequence[arb], given: Prescribed) -> arb:
        """The residual of equation n of the block from its terms, mm."""
        e = int(self.block.rows[n])
        target = given.targets.get(e, arb(float(self.system.table.target[e])))
        value = self._reduced(sum(terms, -target), e)
        return value * arb(float(self.system.table.weight[e]))

    def _frames_at(self, placed: Mapping[int, PlacedPart], given: Prescribed) -> Frames:
        """The markers of placed parts, each made once."""
        body = self.system.table.marker_body

        @cache
        def frame(marker: int, moving: bool) -> BallFrame:
            guided = given.frames.get(marker)
            stored = stored_frame(*guided) if guided else self._stored(marker)
            return self._frame(stored, placed[int(body[marker])], moving)

        return frame

    def _measured(self, k: int, frames: Frames) -> Scalar:
        """The measure of a term, mm or rad."""
        t = self.system.table
        n = int(t.term_measure[k])
        reference = float(self.reference[k]) if t.kind[n] == ROTATION else 0.0
        ends = frames(int(t.marker_a[n]), False), frames(int(t.marker_b[n]), True)
        return ball_measure(
            int(t.kind[n]), int(t.axis_i[n]), int(t.axis_j[n]), t.data, reference, *ends
        )

    def _term(self, k: int, frames: Frames) -> tuple[Scalar, int, int]:
        """A term of an equation, its coefficient included, and its two parts."""
        t, found = self.system.table, self._measured(k, frames)
        n = t.term_measure[k]
        a, b = (int(t.marker_body[marker]) for marker in (t.marker_a[n], t.marker_b[n]))
        return found.scaled(arb(float(t.coefficient[k]))), a, b

    def angles(self, placed: Mapping[int, PlacedPart], given: Prescribed) -> dict[int, float]:
        """The angles about axes of placed parts by term, each within half a turn of `reference`."""
        t, frames = self.system.table, self._frames_at(placed, given)
        terms = [k for own in self.terms for k in own if t.kind[t.term_measure[k]] == ROTATION]
        return {k: float(self._measured(k, frames).value.mid()) for k in terms}

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
