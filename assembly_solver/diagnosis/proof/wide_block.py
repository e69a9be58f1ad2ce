"""The equations of a block over many boxes of its coordinates at once, in floats.

The same as in `ball_block`, whose poses, coordinates and angles these are: radii take the rounding
of floats in, where balls have 160 bits.  Boxes along a branch do not need those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from flint import arb, arb_mat

from ...foundations.types import Array, Ints
from ...model.measures.measure import ROTATION
from .ball_block import BallBlock
from .balls import middle, upper
from .wide_measures import KINDS, MarkerEnds, Sloped
from .wide_vectors import ROUNDED, Wide, exact

CROSSED = np.zeros((3, 3, 3))
"""What a vector is multiplied by for the matrix of its cross product."""

for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    CROSSED[_i, _k, _j], CROSSED[_i, _j, _k] = 1.0, -1.0


def can_be_wide(balls: BallBlock, rows: Ints) -> bool:
    """Whether all measures of some equations of a block are known here."""
    t = balls.system.table
    return all(int(t.kind[t.term_measure[k]]) in KINDS for n in rows for k in balls.terms[n])


def rates(balls: BallBlock, rows: Ints, targets: Mapping[int, tuple[float, float]]) -> Wide:
    """How the residuals of some equations go with the parameter, mm, (1, rows)."""
    equations = balls.block.rows[rows].tolist()
    ends = np.array([targets.get(e, (0.0, 0.0)) for e in equations], float).reshape(-1, 2)
    begin, end = (exact(ends[:, k]) for k in (0, 1))
    return begin.minus(end).by(exact(balls.system.table.weight[equations]))


class WideBlock:
    """Some equations of a block, and a parameter from 0 to 1 with which targets go.

    Args:
        rows: numbers of the equations in the block; targets: of equations of the system, mm or rad,
            at 0 and at 1.
    """

    def __init__(
        self, balls: BallBlock, rows: Ints, targets: Mapping[int, tuple[float, float]]
    ) -> None:
        s, t, self.balls = balls.system, balls.system.table, balls
        self.terms = [k for n in rows.tolist() for k in balls.terms[n]]
        self.row = np.repeat(np.arange(len(rows)), [len(balls.terms[n]) for n in rows.tolist()])
        equations = balls.block.rows[rows]
        every = [targets.get(e, (t.target[e],) * 2) for e in equations.tolist()]
        self.target = np.array(every, float).reshape(-1, 2)
        self.weight, self.period = t.weight[equations], t.period[equations]
        self.factor = t.coefficient[self.terms]
        self._place_parts(s.length)
        self._place_markers()

    # ------------------------------------------------------------------ what does not change
    def _place_parts(self, length: float) -> None:
        """The parts that move, then those that stay."""
        shown, moving = self.balls.shown, self.balls.block.parts
        self.slot = {p: n for n, p in enumerate([*moving, *(p for p in shown if p not in moving)])}
        self.moving, self.length = len(moving), length
        placed = [shown[p] for p in self.slot]
        self.rotation = _wide([p.rotation for p in placed])
        self.centre = _wide([p.centre for p in placed]).at(slice(None), slice(None), 0)

    def _place_markers(self) -> None:
        """The markers of the terms, and the terms of each kind."""
        t = self.balls.system.table
        n = t.term_measure[self.terms]
        markers = sorted({*t.marker_a[n].tolist(), *t.marker_b[n].tolist()})
        at = {m: k for k, m in enumerate(markers)}
        self.body = np.array([self.slot[int(t.marker_body[m])] for m in markers], np.int64)
        self.ends = np.array([[at[int(m)] for m in of[n]] for of in (t.marker_a, t.marker_b)])
        frames = t.marker_frame[markers].reshape(-1, 4, 3)
        about = [self.balls.system.centre[int(t.marker_body[m])] for m in markers]
        self.arm = exact(frames[:, 0]).minus(exact(np.array(about)))
        self.axes = exact(frames[:, 1:])
        self.products = self.axes.times(exact(np.swapaxes(frames[:, 1:], 1, 2)))
        self.which = np.array([t.axis_i[n], t.axis_j[n]])
        kinds = t.kind[n]
        self.groups = [(int(k), np.flatnonzero(kinds == k)) for k in np.unique(kinds)]

    @cached_property
    def has_all_angles(self) -> bool:
        """Whether all angles about axes of the block are of these equations."""
        t = self.balls.system.table
        every = {k for own in self.balls.terms for k in own}
        return all(t.kind[t.term_measure[k]] != ROTATION for k in every - {*self.terms})

    # ------------------------------------------------------------------ over boxes
    def _placed(self, x: Wide) -> tuple[Wide, Wide, Wide]:
        """Rotations, centres, mm, and spins for a change of coordinates, rad per mm, of parts."""
        boxes, n = len(x.mid), self.moving
        own = Wide(*(w.reshape(boxes, n, 2, 3) for w in x))
        by = np.array(1 / (2 * self.length))
        w = own.at(slice(None), 1).by(exact(by))
        turning = Wide(*(m @ c for m, c in ((w.mid, _SIGNS), (w.rad, np.abs(_SIGNS)))))
        turning = Wide(*(m.reshape(boxes, n, 3, 3) for m in turning))
        over = exact(np.array(1.0)).plus(w.dot(w)).inverse()
        twice = Wide(2 * over.mid, 2 * over.rad)
        turned = _each(turning.plus(turning.times(turning)), twice).plus(_IDENTITY)
        rotation = turned.times(self.rotation.at(slice(n)))
        centre = self.centre.at(slice(n)).plus(own.at(slice(None), 0))
        spin = _each(turning.plus(_IDENTITY), over.by(exact(np.array(1 / self.length))))
        return (
            self._with_still(self.rotation, rotation),
            self._with_still(self.centre, centre),
            spin,
        )

    def _with_still(self, every: Wide, moved: Wide) -> Wide:
        """Those of parts that move, and after them those of the others."""
        still, n = every.at(slice(self.moving, None)), len(moved.mid)
        pairs = zip(moved, still, strict=True)
        whole = (
            np.concatenate([m, np.broadcast_to(s, (n, *s.shape[1:]))], axis=1) for m, s in pairs
        )
        return Wide(*whole)

    def _measured(self, x: Wide) -> tuple[list[Sloped], Wide, Wide]:
        """The terms of each kind, the centres of the parts and their spins."""
        rotation, centre, spin = self._placed(x)
        arm = _turned(rotation.at(self.body), self.arm)
        axes = self.axes.times(Wide(*(np.swapaxes(w, 2, 3) for w in rotation.at(self.body))))
        origin = centre.at(self.body).plus(arm)
        reference = self.balls.reference[self.terms]
        out = []
        for kind, own in self.groups:
            a, b = self.ends[:, own]
            off = origin.at(b).minus(origin.at(a))
            ends = (
                (axes.at(a), axes.at(b)),
                off,
                arm.at(b),
                (self.products.at(a), self.products.at(b)),
            )
            out.append(KINDS[kind](MarkerEnds(*ends, self.which[:, own], reference[own])))
        return out, centre, spin

    def evaluate(self, x: Wide, share: Wide) -> tuple[Wide, Wide]:
        """Residuals, mm, (boxes, rows), and their Jacobian, (boxes, rows, 6 for each part).

        Args:
            x: the coordinates, (boxes, 6 for each part); share: the parameter, (boxes,).
        """
        found, centre, spin = self._measured(x)
        jacobian = np.zeros((2, len(self.weight), self.moving, len(x.mid), 6))
        for (_, own), each in zip(self.groups, found, strict=True):
            self._add(jacobian, own, each, centre, spin)
        whole = np.moveaxis(jacobian, 3, 1).reshape(2, len(x.mid), len(self.weight), -1)
        return self._residuals(found, share), Wide(*whole)

    def values(self, x: Wide, share: Wide) -> Wide:
        """The residuals alone."""
        return self._residuals(self._measured(x)[0], share)

    def refer(self, x: Array) -> None:
        """Count the turns of angles on to those at coordinates, (6 for each part,)."""
        for (kind, own), each in zip(self.groups, self._measured(exact(x))[0], strict=True):
            if kind == ROTATION:
                angles = each.value.mid[0]
                at = np.array(self.terms)[own][np.isfinite(angles)]
                self.balls.reference[at] = angles[np.isfinite(angles)]

    def _residuals(self, found: Sequence[Sloped], share: Wide) -> Wide:
        total = np.zeros((2, len(self.weight), len(share.mid)))
        for (_, own), each in zip(self.groups, found, strict=True):
            value = each.value.by(exact(self.factor[own]))
            _scatter(total, self.row[own], value)
        begin, end = (exact(self.target[:, k]) for k in (0, 1))
        way = end.minus(begin).by(Wide(share.mid[:, None], share.rad[:, None]))
        value = Wide(*np.swapaxes(total, 1, 2)).minus(begin.plus(way))
        return self._reduced(value).by(exact(self.weight))

    def _reduced(self, value: Wide) -> Wide:
        """Sums less whole periods, where it is clear how many these are."""
        periodic = self.period > 0.0
        if not periodic.any():
            return value
        period = np.where(periodic, self.period, 1.0)
        turns = np.where(periodic, np.round(value.mid / period), 0.0)
        left = value.minus(Wide(turns * period, ROUNDED * np.abs(turns) * period))
        clear = ~periodic | (np.abs(left.mid) + left.rad < period / 2)
        return Wide(np.where(clear, left.mid, np.nan), left.rad)

    def _add(self, jacobian: Array, own: Ints, each: Sloped, centre: Wide, spin: Wide) -> None:
        """Add the derivatives of terms to those of their parts."""
        factor = exact((self.factor[own] * self.weight[self.row[own]])[:, None])
        force, torque = each.force.by(factor), each.torque.by(factor)
        a, b = (self.body[m] for m in self.ends[:, own])
        arm = centre.at(b).minus(centre.at(a))
        about = torque.plus(arm.cross(force))
        for parts, moment, sign in ((b, torque, 1.0), (a, about, -1.0)):
            moves = np.flatnonzero(parts < self.moving)
            slots, rows = parts[moves], self.row[own][moves]
            turn = moment.at(moves, None).times(spin.at(slots)).at(slice(None), 0)
            both = zip(force.at(moves), turn, strict=True)
            mid, rad = (np.concatenate(pair, axis=2) for pair in both)
            _scatter(jacobian, (rows, slots), Wide(sign * mid, rad))


_SIGNS = CROSSED.reshape(3, 9)
_IDENTITY = exact(np.eye(3))


def _scatter(into: Array, at: Ints | tuple[Ints, ...], values: Wide) -> None:
    """Add numbers of terms, (boxes, terms, ...), where they belong, with what the sum rounds."""
    mid, rad = np.moveaxis(values.mid, 1, 0), np.moveaxis(values.rad, 1, 0)
    np.add.at(into[0], at, mid)
    np.add.at(into[1], at, rad * (1.0 + ROUNDED) + ROUNDED * np.abs(mid))


def _each(matrices: Wide, factors: Wide) -> Wide:
    """Matrices, (..., 3, 3), each times a number."""
    return matrices.by(Wide(*(w[..., None, None] for w in factors)))


def _turned(rotations: Wide, vectors: Wide) -> Wide:
    """Vectors, (..., 3), by rotations, (..., 3, 3)."""
    columns = Wide(*(w[..., None] for w in vectors))
    out = rotations.times(columns)
    return Wide(out.mid[..., 0], out.rad[..., 0])


def _wide(matrices: Sequence[arb_mat]) -> Wide:
    """Matrices of balls as one box, (1, matrices, rows, columns)."""
    mid, rad = several([enclosing(m) for m in matrices])
    return Wide(mid[None], rad[None])


def several(boxes: Sequence[Wide]) -> Wide:
    """Boxes next to each other."""
    mid, rad = zip(*boxes, strict=True)
    return Wide(np.array(mid), np.array(rad))


def enclosing(matrix: arb_mat) -> Wide:
    """The entries of a matrix in floats, (rows, columns)."""
    mid = middle(matrix)
    pairs = zip(matrix.entries(), mid.ravel().tolist(), strict=True)
    rad = np.array([0.0 if v.is_zero() else upper(v - near) for v, near in pairs])
    return Wide(mid, rad.reshape(mid.shape))


def balls_of(numbers: Wide) -> list[arb]:
    """Numbers, (n,), as balls."""
    return [arb(m, r) for m, r in zip(numbers.mid.tolist(), numbers.rad.tolist(), strict=True)]
