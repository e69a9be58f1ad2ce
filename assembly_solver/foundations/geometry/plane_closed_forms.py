"""Closed forms of dyads, with points and directions of a plane as complex numbers, mm.

Each function returns every solution, the one of positive orientation first; an empty list where
there is none, one where both coincide (a dead point).
"""

from __future__ import annotations

from math import sqrt

from ..numerics.rounding import FAINT

DEAD = FAINT
"""Sine below which a dyad counts as stretched or folded: its two solutions coincide."""


def meet_circles(c1: complex, r1: float, c2: complex, r2: float) -> list[complex]:
    """Intersections of two circles: the point left of c1 -> c2, then the one right of it.

    Source: the half-chord construction; any text on linkage kinematics, dyad RRR.
    """
    between = abs(c2 - c1)
    if between <= DEAD * (r1 + r2):
        return []
    along = (between + (r1 * r1 - r2 * r2) / between) / 2
    toward = (c2 - c1) / between
    foot, side = c1 + along * toward, 1j * toward
    return [foot + h * side for h in _roots(r1 * r1 - along * along, r1 * r1)]


def meet_line(c: complex, r: float, p: complex, u: complex) -> list[complex]:
    """Intersections of a circle and the line through p along the unit u, the foremost first."""
    across = ((c - p) * u.conjugate()).imag
    foot = p + ((c - p) * u.conjugate()).real * u
    return [foot + h * u for h in _roots(r * r - across * across, r * r)]


def slides(d: complex, offset: float) -> list[complex]:
    """Unit directions u from which d lies `offset` to the left: u along d first, then against it.

    These are the two directions of a slide between pivots at distance d.
    """
    size2 = abs(d) ** 2
    if size2 == 0.0:
        return []
    # conj(u) d = along + i offset
    return [(h - 1j * offset) / d.conjugate() for h in _roots(size2 - offset * offset, size2)]


def _roots(square: float, scale: float) -> list[float]:
    """Both roots of a square; one where it vanishes relative to the scale, none where negative."""
    touching = DEAD * DEAD * scale
    if square < -touching:
        return []
    root = sqrt(max(square, 0.0))
    return [root] if square <= touching else [root, -root]
