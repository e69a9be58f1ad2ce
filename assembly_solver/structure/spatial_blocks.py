"""The unknowns in space that an equation reads, for decompositions of loops.

Source: docs/theory/decomposition.md, 5.
"""

from __future__ import annotations

from collections.abc import Container

from ..equations.table import SPACE, EquationTable
from ..model.measures.measure import IS_ANGLE
from .incidence import bodies_of


def columns_in_space(table: EquationTable, e: int, bodies: Container[int]) -> list[tuple[int, int]]:
    """The unknowns, (body, one of six), of some bodies that an equation reads.

    Equations between angles alone read three of each, the rotations.
    """
    measures = table.term_measure[table.first_term[e] : table.first_term[e + 1]]
    turning = bool(IS_ANGLE[table.kind[measures]].all())
    unknowns = (SPACE[3:] if turning else SPACE).tolist()
    return [(body, k) for body in bodies_of(table, e) if body in bodies for k in unknowns]
