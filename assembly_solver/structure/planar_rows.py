"""Where an equation of bodies in parallel planes belongs: the plane, the heights, or neither.

Source: docs/theory/planar.md, 2.
"""

from __future__ import annotations

from ..foundations.jit.decorators import borrowing
from ..foundations.jit.lists import on_lists
from ..foundations.numerics.rounding import AGREEMENT, FAINT
from ..foundations.types import Array, Bools, Ints
from ..model.measures.measure import (
    ALONG_CURVE,
    COSINE,
    DISPLACEMENT,
    INCLINATION,
    OFF_CURVE,
    RADIUS,
    ROTATION,
    SEPARATION,
    TILT,
    TURN,
)

IN_PLANE, SPIN, HEIGHT, CERTIFIED = range(4)
"""In the plane; there, and of rotations only; of heights; satisfied identically."""

OBLIQUE = -1


@borrowing
def place_of(kind: int, i: int, along: float, upright: bool, upright_b: bool) -> int:
    """The place of an equation, `OBLIQUE` where it has none.

    Args:
        along: cosine of axis i of its first marker with the normal, as an absolute value.
        upright, upright_b: whether z of its markers is along the normal.
    """
    if kind in (TILT, TURN):
        return SPIN if along > 0.5 and not (kind == TILT and upright) else CERTIFIED
    if kind in (INCLINATION, COSINE):
        return CERTIFIED if upright or upright_b else SPIN
    if kind == DISPLACEMENT:
        if abs(along - 1) < AGREEMENT:
            return HEIGHT
        return IN_PLANE if along < AGREEMENT else OBLIQUE
    if kind == ROTATION:
        return SPIN if upright else OBLIQUE
    if kind in (RADIUS, ALONG_CURVE) or (kind == OFF_CURVE and i == 1):
        return IN_PLANE if upright else OBLIQUE  # of a curve: it is planar
    return IN_PLANE if kind == SEPARATION else OBLIQUE


@borrowing
def clear(cosine: float) -> bool:
    """Along or across, not oblique."""
    return abs(cosine) < AGREEMENT or abs(abs(cosine) - 1) < AGREEMENT


@on_lists(3)
def sort_rows(told: Ints, ups: Array, held: Bools, out: Ints) -> bool:
    """Overwrite the places of equations between pairs of markers; False where one is oblique.

    Args:
        told: of each equation its pair, the kind of its measure and its axis, (rows, 3).
        ups: cosines of the axes of the two markers with the normals of their bodies, (pairs, 2, 3).
        held: whether a pair has tilts; whether it has turns that keep no direction; (pairs, 2).
    """
    for n in range(len(held)):
        up, up_b = ups[n][0][2], ups[n][1][2]
        if held[n][1] or (held[n][0] and (abs(up - up_b) > FAINT or not clear(up))):
            return False
    for r in range(len(told)):
        n, kind, i = told[r][0], told[r][1], told[r][2]
        up, up_b = ups[n][0], ups[n][1]
        upright, upright_b = abs(abs(up[2]) - 1) < AGREEMENT, abs(abs(up_b[2]) - 1) < AGREEMENT
        out[r] = place_of(kind, i, abs(up[i]), upright, upright_b)
        if out[r] == OBLIQUE:
            return False
    return True
