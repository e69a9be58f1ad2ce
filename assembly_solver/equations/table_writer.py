"""Construction of an equation table, equation by equation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ..model.mate import Equation
from ..model.measures.measure import IS_ANGLE, Measure
from .table import EquationTable


class TableWriter:
    """Collects markers and equations in flat lists.

    Args:
        index: of each part by name; shared: a writer with which this one shares its markers.
    """

    def __init__(self, index: Mapping[str, int], shared: TableWriter | None = None) -> None:
        self.index = index
        self.marker_of: dict[int, int] = shared.marker_of if shared else {}
        self.body: list[int] = shared.body if shared else []
        self.frame: list[tuple[float, ...]] = shared.frame if shared else []
        self.measures: list[int] = []
        self.first_term = [0]
        self.coefficient: list[float] = []
        self.target: list[float] = []
        self.open: list[int] = []
        """Equations whose target is measured at the start."""
        self.data: list[float] = []
        self.data_of: dict[tuple[float, ...], int] = {}

    def marker(self, m: tuple[str, tuple[float, ...]]) -> int:
        """Index of a marker, which is added where it is new."""
        found = self.marker_of.get(id(m))
        if found is None:
            found = self.marker_of[id(m)] = len(self.body)
            self.body.append(self.index[m[0]])
            self.frame.append(m[1])
        return found

    def equation(self, terms: tuple[tuple[float, Measure], ...], target: float | None) -> None:
        """Add an equation; its target is measured at the start where it is None."""
        self.equations((Equation(terms, target),))

    def equations(self, equations: Iterable[Equation]) -> None:
        """Add equations, as `equation` does."""
        measures, coefficient, known = self.measures, self.coefficient, self.marker_of
        for terms, target in equations:
            for c, (kind, i, j, a, b, data) in terms:
                if data:
                    j = self._index_of(data)
                coefficient.append(c)
                one, two = known.get(id(a)), known.get(id(b))
                one = self.marker(a) if one is None else one
                two = self.marker(b) if two is None else two
                measures += (kind, i, j, one, two)
            self.first_term.append(len(coefficient))
            if target is None:
                self.open.append(len(self.target))
            self.target.append(0.0 if target is None else target)  # one that varies may be 0

    def _index_of(self, data: tuple[float, ...]) -> int:
        if data not in self.data_of:
            self.data_of[data] = len(self.data)
            self.data += data
        return self.data_of[data]

    def table(self, length: float) -> tuple[EquationTable, NDArray[np.bool_]]:
        """The table, and which of its equations are angles."""
        measures = np.array(self.measures, np.int64).reshape(-1, 5)
        kind, i, j, a, b = np.ascontiguousarray(measures.T)
        first = np.array(self.first_term, np.int64)
        angular = IS_ANGLE[kind[first[:-1]]] if len(first) > 1 else np.empty(0, bool)
        table = EquationTable(
            marker_body=np.array(self.body, np.int64),
            marker_frame=np.array(self.frame, float).reshape(-1, 12),
            kind=kind,
            axis_i=i,
            axis_j=j,
            marker_a=a,
            marker_b=b,
            first_term=first,
            term_measure=np.arange(len(kind)),
            coefficient=np.array(self.coefficient, float),
            reference=np.zeros(len(kind)),
            target=np.array(self.target, float),
            period=np.zeros(len(self.target)),
            weight=np.where(angular, length, 1.0),
            data=np.array(self.data, float),
        )
        return table, angular
