"""The nominal assembly: features of a rigid body that agree within the tolerance are made equal.

Directions from files are off by 1e-9 to 1e-6, placements have six digits, holes are a little off.
Structure (parallel axes, planar loops, ranks, freedoms) is read from the nominal markers; residuals
are taken with the markers as given.  Within each body, directions that agree or oppose each other
become one, right angles become right, and points that share a point, a line along a direction or
a plane across it are put there.  Markers that agree up to rounding stay bit for bit.

Source: docs/theory/nominal.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.graphs.connected import connected
from ..foundations.numerics.distinct import distinct
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Ints
from .inexact import COMPOSED, FEW, MarkedBodies, find_inexact, pairs_of_groups, squares

ALONG = np.array([0.78345781, 0.51238967, 0.34981237])
"""A direction along which rows are put in order; shorter than 1, and not across usual edges."""


class Nominal(NamedTuple):
    """Nominal markers.

    Attributes:
        frames: (markers, 12), in body coordinates; shift: largest displacement, at the reach, mm.
    """

    frames: Array
    shift: float


def nominal(
    part: Ints, frames: Array, of_part: Ints, relative: Array, length: float, tolerance: float
) -> Nominal:
    """The markers of bodies with features made equal that agree within the tolerance.

    Args:
        part: of each marker, (markers,); frames: in body coordinates, (markers, 12).
        of_part: body of each part; relative: pose of each part in its body, (parts, 12).
        length: least reach of a body, mm; tolerance: mm.
    """
    if len(frames) == 0:
        return Nominal(frames, 0.0)
    m = MarkedBodies.of(part, frames, of_part, relative, length, tolerance)
    body, count = m.body, len(m.first) - 1
    size = max(float(np.abs(frames[:, :3]).max()), length)
    reach, slope, inexact = np.empty(count), np.empty(count), np.empty(count, bool)
    find_inexact(m, size, reach, slope, inexact)
    if not inexact.any():
        return Nominal(frames, 0.0)
    chosen = inexact[body]
    given, of = frames[chosen], body[chosen]
    out = given.copy()
    own = relative[:, 3:].reshape(-1, 3, 3)
    here = np.flatnonzero(inexact[of_part])
    axes = given[:, 3:].reshape(-1, 3, 3)
    out[:, 3:] = _directions(of, axes, of_part[here], own[here], slope).reshape(-1, 9)
    points, _ = merged(of, given[:, :3], np.full(count, tolerance), size)
    out[:, :3] = _lines_and_planes(of, points, out[:, 9:12], tolerance, size)
    moved = np.linalg.norm(out[:, :3] - given[:, :3], axis=1)
    rotated = np.linalg.norm(out[:, 3:] - given[:, 3:], axis=1) * reach[of]
    whole = frames.copy()
    whole[chosen] = out
    return Nominal(whole, float(np.maximum(moved, rotated).max()))


def merged(group: Ints, rows: Array, limit: Array, size: float) -> tuple[Array, Ints]:
    """Rows of one group that are near each other, each replaced by the mean of those near it.

    Args:
        group: of each row, (n,); rows: (n, k); limit: largest distance by group.
        size: that rounding is relative to; rows that agree up to rounding stay bit for bit.

    Returns:
        The rows, and a number that is the same for rows that became equal.
    """
    runs = _Runs.of(group, rows, limit)
    out, label, width = rows, runs.label, limit[group[runs.order[runs.first]]]
    mean = np.add.reduceat(rows[runs.order], runs.first, axis=0) / runs.size[:, None]
    spread = np.sqrt(np.maximum.reduceat(squares(rows - mean[label])[runs.order], runs.first))
    joined = (spread > COMPOSED * size)[label]
    if joined.any():
        out = np.where(joined[:, None], mean[label], rows)
    unclear = np.flatnonzero(~(runs.near & (spread <= width))[label])
    if len(unclear):
        found, own = _merged_pairwise(group[unclear], rows[unclear], limit, size)
        out, label = out.copy(), label.copy()
        out[unclear], label[unclear] = found, len(mean) + own
    return out, label


class _Runs(NamedTuple):
    """Rows of one group between gaps wider than its limit, in their order along a direction.

    Attributes:
        order: of the rows, run after run; first: where each begins there; size: its rows.
        label: the run of each row; near: whether all its rows are near its first one, so that
            they are one group of single linkage.
    """

    order: Ints
    first: Ints
    size: Ints
    label: Ints
    near: NDArray[np.bool_]

    @classmethod
    def of(cls, group: Ints, rows: Array, limit: Array) -> _Runs:
        """The runs of some rows, along a direction that hardly any two of them share by chance."""
        along = rows @ ALONG[: rows.shape[1]]
        order = np.lexsort((along, group))
        home, along = group[order], along[order]
        new = np.ones(len(order), bool)
        new[1:] = (home[1:] != home[:-1]) | (along[1:] - along[:-1] > limit[home[1:]])
        first, number = np.flatnonzero(new), np.cumsum(new) - 1
        label = np.empty(len(order), np.int64)
        label[order] = number
        far = squares(rows[order] - rows[order[first]][number]) > limit[home] ** 2
        near = ~np.logical_or.reduceat(far, first)
        sizes = np.concatenate([first[1:], [len(order)]]) - first
        return cls(order, first, sizes, label, near)


def _merged_pairwise(group: Ints, rows: Array, limit: Array, size: float) -> tuple[Array, Ints]:
    """As `merged`, by all pairs of near rows."""
    first, of = _distinct(group, *np.round(rows.T / (COMPOSED * size)))
    a, b = _near_pairs(group[first], rows[first], limit)
    if len(a) == 0:
        return rows, of
    label = connected(len(first), a, b)[1][of]
    n = np.bincount(label)
    mean = np.stack([np.bincount(label, weights=c) for c in rows.T], axis=1) / n[:, None]
    spread = np.zeros(len(n))
    np.maximum.at(spread, label, np.linalg.norm(rows - mean[label], axis=1))
    width = np.zeros(len(n))
    width[label] = limit[group]
    joined = (spread > COMPOSED * size) & (spread <= width)
    apart = spread > width  # a chain of near rows that are not near each other
    if apart.any():
        label = np.where(apart[label], len(n) + of, label)
        joined = np.append(joined, np.zeros(len(first), bool))
        mean = np.append(mean, np.zeros((len(first), rows.shape[1])), axis=0)
    out: Array = np.where(joined[label][:, None], mean[label], rows)
    return out, label


def _distinct(*columns: Ints | Array) -> tuple[Ints, Ints]:
    """The first of each distinct row of some columns, in order, and which of them each row is."""
    order = np.lexsort(columns[::-1])
    new = np.ones(len(order), bool)
    new[1:] = False
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    of = np.empty(len(order), np.int64)
    of[order] = np.cumsum(new) - 1
    return order[new], of


def _near_pairs(group: Ints, rows: Array, limit: Array) -> tuple[Ints, Ints]:
    """Pairs of rows of one group (sorted) that are at most `limit[group]` apart."""
    count = np.bincount(group, minlength=len(limit))
    start = np.cumsum(count) - count
    few = np.flatnonzero(count[group] <= FEW)
    a, b = (few[k] for k in pairs_of_groups(np.where(count <= FEW, count, 0)))
    near = np.linalg.norm(rows[a] - rows[b], axis=1) <= limit[group[a]]
    pairs = [np.column_stack([a[near], b[near]])]
    if (count > FEW).any():
        from scipy.spatial import cKDTree  # takes a third of the imports of a solve
    for g in np.flatnonzero(count > FEW).tolist():
        found = cKDTree(rows[start[g] : start[g] + count[g]]).query_pairs(
            limit[g], output_type="ndarray"
        )
        pairs.append(found + start[g])
    both = np.concatenate(pairs).astype(np.int64)
    return both[:, 0], both[:, 1]


def _directions(body: Ints, axes: Array, of_part: Ints, own: Array, slope: Array) -> Array:
    """Axes of markers, (markers, 3, 3), parallel and across each other where they nearly are.

    Those near an axis of a part of their body, `own` of shape (parts, 3, 3), are along it.
    """
    n = len(axes)
    every, own = axes.reshape(-1, 3), own.reshape(-1, 3)
    of, of_own = np.repeat(body, 3), np.repeat(of_part, 3)
    both, label = merged(
        np.concatenate([of, of, of_own, of_own]),
        np.concatenate([every, -every, own, -own]),
        slope,
        1.0,
    )
    unit = both[: 3 * n].copy()
    for sign, begin in ((1.0, 6 * n), (-1.0, 6 * n + len(own))):  # axes of parts stay
        at = label[begin : begin + len(own)]
        exact = np.full((label.max() + 1, 3), np.nan)
        exact[at] = sign * own
        near = exact[label[: 3 * n]]
        unit = np.where(
            np.isnan(near) | np.all(np.abs(near - every) < COMPOSED, axis=1)[:, None], unit, near
        )
    changed = np.any(unit != every, axis=1)
    unit[changed] /= np.linalg.norm(unit[changed], axis=1, keepdims=True)
    unit = _right_angles(of, unit, label[: 3 * n], slope)
    x, z = unit.reshape(-1, 3, 3)[:, 0], unit.reshape(-1, 3, 3)[:, 2]
    touched = np.any(unit.reshape(-1, 3, 3) != axes, axis=(1, 2))
    x = x - np.sum(x * z, axis=1, keepdims=True) * z
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    made = np.stack([x, np.cross(z, x), z], axis=1)
    return np.where(touched[:, None, None], made, axes)


def _right_angles(body: Ints, unit: Array, label: Ints, slope: Array) -> Array:
    """Directions with nearly right angles between them made right, the most frequent first."""
    first, of = _distinct(body, label)
    count = np.bincount(of)
    kinds, home = unit[first].copy(), body[first]
    a, b = pairs_of_groups(np.bincount(home, minlength=len(slope)))
    cosine = np.abs(np.sum(kinds[a] * kinds[b], axis=1))
    skew = (cosine > COMPOSED) & (cosine <= slope[home[a]])
    for g in distinct(home[a[skew]]).tolist():
        mine = np.flatnonzero(home == g)
        order = mine[np.argsort(-count[mine], kind="stable")]
        kinds[order] = _squared(kinds[order], float(slope[g]))
    changed = np.any(kinds != unit[first], axis=1)
    return np.where(changed[of][:, None], kinds[of], unit)


def _squared(directions: Array, slope: float) -> Array:
    """Unit vectors, each across those before it that it is nearly across."""
    out = directions.copy()
    for k in range(1, len(out)):
        cosines = out[:k] @ out[k]
        near = np.abs(cosines) <= slope
        if not np.any(near & (np.abs(cosines) > COMPOSED)):
            continue
        basis = out[:k][near]
        if np.abs(basis @ basis.T - np.eye(len(basis))).max() > COMPOSED:
            _, size, right = np.linalg.svd(basis, full_matrices=False)
            basis = right[size > 0.1 * size[0]]
        out[k] -= basis[:2].T @ (basis[:2] @ out[k])
        out[k] /= np.sqrt(out[k] @ out[k])
    return out


def _lines_and_planes(body: Ints, points: Array, z: Array, tolerance: float, size: float) -> Array:
    """Points moved to common lines along, and to common planes across, the directions of a body."""
    sign = np.where(np.take_along_axis(z, np.abs(z).argmax(axis=1)[:, None], 1) < 0, -1.0, 1.0)
    first, group = _distinct(body, *np.round((sign * z).T / AGREEMENT))
    along = (sign * z)[first]
    least = np.eye(3)[np.abs(along).argmin(axis=1)]
    u = np.cross(along, least)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    basis = np.stack([u, np.cross(along, u), along], axis=1)[group]
    local = np.einsum("nij,nj->ni", basis, points)
    limit = np.full(len(first), tolerance)
    across, _ = merged(group, local[:, :2], limit, size)
    height, _ = merged(group, local[:, 2:], limit, size)
    step = np.concatenate([across, height], axis=1) - local
    out: Array = points + np.einsum("nij,ni->nj", basis, step)
    return out
