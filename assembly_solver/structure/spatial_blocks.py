"""Dulmage-Mendelsohn decomposition of a loop in space, by the unknowns that each equation reads.

Source: docs/theory/decomposition.md, 5.
"""

from __future__ import annotations

from ..equations.table import SPACE, EquationTable
from ..foundations.graphs.dulmage_mendelsohn import Decomposition, decompose
from ..model.measures.measure import IS_ANGLE
from .incidence import bodies_of
from .steps import Component


def decomposed_in_space(table: EquationTable, component: Component) -> Decomposition:
    """The decomposition of all equations of a component by six unknowns of each moving body.

    Equations between angles alone read three of these, the rotations.
    """
    place = {body: n for n, body in enumerate(component.bodies)}
    first, entries = [0], []
    for e in component.rows.tolist():
        measures = table.term_measure[table.first_term[e] : table.first_term[e + 1]]
        turning = bool(IS_ANGLE[table.kind[measures]].all())
        unknowns = SPACE[3:] if turning else SPACE
        for body in bodies_of(table, e):
            if body in place:
                entries += (len(SPACE) * place[body] + unknowns).tolist()
        first.append(len(entries))
    return decompose(len(component.rows), len(SPACE) * len(place), first, entries)
