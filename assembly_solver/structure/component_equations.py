"""The equations of a component and the unknowns that each reads, decomposed and in solving order.

Unknowns are those of the moving bodies; the root of the component is placed before.  In a plane
there are three a body, with the independent equations of each pair; what holds tilts and heights
is left out.  In space there are six.

Source: docs/theory/decomposition.md, 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..equations.table import PLANE, SPACE
from ..foundations.graphs.dulmage_mendelsohn import OVER, UNDER, WELL, Decomposition, decompose
from .incidence import bodies_of_each
from .plan import Plan
from .spatial_blocks import columns_in_space
from .steps import Component


@dataclass(frozen=True, eq=False)
class ComponentEquations:
    """A system of equations by the unknowns that they read.

    Attributes:
        rows: numbers of the equations; columns: the unknowns, (body, one of six).
        entries: of each row the indices of its columns.
        decomposition: by these indices.
    """

    rows: list[int]
    columns: list[tuple[int, int]]
    entries: list[list[int]]
    decomposition: Decomposition

    def blocks(self) -> list[tuple[int, list[int], list[int]]]:
        """Set, rows and columns of each block in solving order: the lower block-triangular form.

        The over-determined block is the first and the under-determined one the last.  Matched rows
        and columns stand first in their block, in the same order.
        """
        d = self.decomposition
        parts = [(OVER, d.over_rows.tolist(), d.over_cols.tolist())]
        parts += [(WELL, rows, columns) for rows, columns in d.listed()]
        parts.append((UNDER, d.under_rows.tolist(), d.under_cols.tolist()))
        return [(kind, *self._matched(*both)) for kind, *both in parts if any(both)]

    def _matched(self, rows: list[int], columns: list[int]) -> tuple[list[int], list[int]]:
        of = self.decomposition.column_of_row
        first = [r for r in rows if of[r] >= 0]
        taken = [int(of[r]) for r in first]
        rest = set(columns) - set(taken)
        return first + [r for r in rows if of[r] < 0], taken + sorted(rest)


def component_equations(plan: Plan, component: Component) -> ComponentEquations:
    """The equations of a component of the plan, those of its drivers included."""
    flat, members = component.projection, set(component.bodies)
    if flat is None:
        rows = component.rows.tolist()
        reads = [columns_in_space(plan.table, e, members) for e in rows]
    else:
        own = component.independent
        rows = sorted(flat.plane if own is None else [e for es in own.values() for e in es])
        ends = bodies_of_each(plan.table, rows)
        spun = {e: PLANE[2:].tolist() if e in flat.spins else PLANE.tolist() for e in rows}
        reads = [[(b, k) for b in ends[e] if b in members for k in spun[e]] for e in rows]
    unknowns = (SPACE if flat is None else PLANE).tolist()
    columns = [(b, k) for b in component.bodies for k in unknowns]
    number = {column: n for n, column in enumerate(columns)}
    entries = [[number[c] for c in row] for row in reads]
    first = np.cumsum([0, *map(len, entries)])
    found = decompose(len(rows), len(columns), first, [c for row in entries for c in row])
    return ComponentEquations(rows, columns, entries, found)
