"""Dulmage-Mendelsohn decomposition of a loop in space, by the unknowns that each equation reads.

Source: docs/theory/decomposition.md, 5.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from ..equations.table import SPACE, EquationTable
from ..foundations.graphs.dulmage_mendelsohn import Decomposition, decompose
from ..model.measures.measure import IS_ANGLE
from .incidence import bodies_of
from .steps import Component


def decomposed_in_space(table: EquationTable, component: Component) -> Decomposition:
    """The decomposition of all equations of a component by six unknowns of each moving body."""
    place = {body: len(SPACE) * n for n, body in enumerate(component.bodies)}
    rows = [columns_in_space(table, e, place) for e in component.rows.tolist()]
    first = np.cumsum([0, *map(len, rows)])
    entries = [place[body] + k for row in rows for body, k in row]
    return decompose(len(rows), len(SPACE) * len(place), first, entries)


def columns_in_space(table: EquationTable, e: int, bodies: Container[int]) -> list[tuple[int, int]]:
    """The unknowns, (body, one of six), of some bodies that an equation reads.

    Equations between angles alone read three of each, the rotations.
    """
    measures = table.term_measure[table.first_term[e] : table.first_term[e + 1]]
    turning = bool(IS_ANGLE[table.kind[measures]].all())
    unknowns = (SPACE[3:] if turning else SPACE).tolist()
    return [(body, k) for body in bodies_of(table, e) if body in bodies for k in unknowns]
