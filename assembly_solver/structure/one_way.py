"""Whether the equations of two bodies hold in one way: their relative poses are one connected set.

Others have solutions on either side: a point in a plane beside a hinge, a line that lies in a plane
with either end first.
"""

from __future__ import annotations

import numpy as np

from ..equations.table import EquationTable
from ..foundations.types import Array, Bools, Ints
from ..model.measures.measure import DISPLACEMENT, SEPARATION, TILT, TURN
from .known_pairs import recognise
from .pairs import Pairs

LEANING = 0.1
"""A lean, rad, from which a pair that holds within the tolerance is within ten of its place."""


def known_pair(
    t: EquationTable, poses: Array, ends: tuple[int, int], rows: Ints
) -> tuple[Pairs, Bools]:
    """Some equations of two bodies as a pair, and whether it is known by their measures."""
    pair = Pairs.unanalysed(np.array([ends]), np.array([0, len(rows)]), rows)
    known = np.zeros(1, bool)
    recognise(t, poses, pair, False, known)
    return pair, known


def holds_one_way(t: EquationTable, poses: Array, ends: tuple[int, int], rows: Ints) -> bool:
    """Whether some equations of two bodies, at poses (bodies, 12), hold in one way for sure.

    A distance along a line that is known counts on the side on which it is.
    """
    pair, known = known_pair(t, poses, ends, rows)
    return bool(known[0]) or _settled(t, pair, 0)


def several_ways(t: EquationTable, pairs: Pairs, known: Bools, some: Ints) -> Bools:
    """Which of some pairs may hold in several ways; those that are known, by a distance only."""
    apart = t.kind[t.term_measure[t.first_term[pairs.rows]]] == SEPARATION
    count = np.diff(np.concatenate([[0], apart.cumsum()])[pairs.first_row])[some]
    out: Bools = ~known[some] | (count > 0)
    for k in (out & (count == 0)).nonzero()[0].tolist():
        out[k] = not _settled(t, pairs, int(some[k]))
    return out


def at_one_pose(t: EquationTable, pairs: Pairs, p: int) -> bool:
    """Whether a fixed pair can hold at one relative pose only, also where its features are noisy.

    This is so where directions alone settle the orientation: then the displacements are linear.
    Directions that lean to each other by less than `LEANING` settle it too loosely.
    """
    rows = pairs.rows_of(p)
    n = t.term_measure[t.first_term[rows]]
    kinds = t.kind[n]
    if not _is_plain(t, rows, kinds):
        return False
    return bool(np.any(kinds == TURN)) or _tilts_settle(t, pairs, p, n[kinds == TILT])


def _is_plain(t: EquationTable, rows: Ints, kinds: Ints) -> bool:
    """Whether equations are of one measure each, of directions and displacements alone."""
    single = np.diff(t.first_term)[rows] == 1
    return bool((single & np.isin(kinds, (TILT, TURN, DISPLACEMENT))).all())


def _on_first(t: EquationTable, pairs: Pairs, p: int, tilted: Ints) -> Ints:
    """The markers of tilts that are on the first body of their pair."""
    a, b = t.marker_a[tilted], t.marker_b[tilted]
    return np.where(t.marker_body[a] == int(pairs.bodies[p, 0]), a, b)


def _tilts_settle(t: EquationTable, pairs: Pairs, p: int, tilted: Ints) -> bool:
    """Whether tilts of a pair alone settle the orientation."""
    ways = t.marker_frame[_on_first(t, pairs, p, tilted), 9:12]
    return bool(np.linalg.matrix_rank(ways, tol=LEANING) > 1)


def _settled(t: EquationTable, pairs: Pairs, p: int) -> bool:
    """Whether a pair holds in one way for sure by its measures.

    So do those of which tilts alone settle the orientation, for then the displacements are linear;
    two lines beside each other; points that coincide; and displacements of one point.
    Directions that lean by less than `LEANING` settle it too loosely.
    """
    rows = pairs.rows_of(p)
    n = t.term_measure[t.first_term[rows]]
    kinds = t.kind[n]
    if not _is_plain(t, rows, kinds):
        return False
    turned, tilted, moved = (n[kinds == kind] for kind in (TURN, TILT, DISPLACEMENT))
    if len(turned):
        ends = list(zip(t.marker_a[turned].tolist(), t.marker_b[turned].tolist(), strict=True))
        return any(ends.count(pair) >= 3 for pair in ends)
    if len(tilted) == 0:
        points = list(zip(t.marker_a[moved].tolist(), t.marker_b[moved].tolist(), strict=True))
        return len({*points}) <= 1 or all(points.count(point) == 3 for point in points)
    if len(moved) == 0 or _tilts_settle(t, pairs, p, tilted):
        return True
    return _on_two_lines(t, _on_first(t, pairs, p, tilted), tilted, moved)


def _on_two_lines(t: EquationTable, marker: Ints, tilted: Ints, moved: Ints) -> bool:
    """Whether lines that are parallel on the first body, by its markers, are held apart across."""
    held = list(zip(t.marker_a[moved].tolist(), t.marker_b[moved].tolist(), strict=True))
    pairs = zip(marker.tolist(), t.marker_a[tilted].tolist(), t.marker_b[tilted], strict=True)
    points = [t.marker_frame[m] for m, a, b in pairs if held.count((a, int(b))) >= 2]
    aside = [f[:3] - points[0][:3] for f in points]
    return any(
        np.linalg.norm(np.cross(d, points[0][9:])) > LEANING * np.linalg.norm(d) for d in aside
    )
