"""The compromises at which solves of a contradictory set end, until probably all are known.

Source: C. G. E. Boender and A. H. G. Rinnooy Kan, Bayesian stopping rules for multistart global
optimization methods, Mathematical Programming 37 (1987): after n starts with w different ends about
w (n - 1) / (n - w - 2) ends exist.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..solver.multistart import ALIKE


class Compromises:
    """Those found so far, by the norms of their residuals."""

    def __init__(self) -> None:
        self._norms: list[float] = []
        self._starts = 0

    def enter(self, norms: Iterable[float]) -> None:
        """Enter where solves from other starts ended."""
        for norm in norms:
            self._starts += 1
            if not any(norm == x or abs(norm - x) <= ALIKE * min(norm, x) for x in self._norms):
                self._norms.append(norm)

    @property
    def are_all(self) -> bool:
        """Whether they are probably all there are."""
        n, w = self._starts, len(self._norms)
        return n > w + 2 and w * (n - 1) / (n - w - 2) < w + 0.5
