"""Construction of equation tables: each form is written once, for all that have it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..foundations.types import Ints
from ..model.equation_set import EquationForm, EquationSet
from ..model.measures.measure import IS_ANGLE
from .shared_markers import SharedMarkers
from .table import EquationTable

_FORM = itemgetter(0)  # of sets: faster than by its name


class WrittenEquations(NamedTuple):
    """Equations as a table.

    Attributes:
        first: equations of set k are first[k] .. first[k + 1].
        angular: which are angles; open: whose target is measured at the start.
        before: how many markers the sets before each one have.
    """

    table: EquationTable
    first: Ints
    angular: NDArray[np.bool_]
    open: Ints
    before: Ints


def written(
    sets: Sequence[EquationSet], markers: SharedMarkers, named: Ints, length: float
) -> WrittenEquations:
    """The equations of some sets as a table.

    Args:
        named: numbers of the markers that they name, set after set; length: weight of angles, mm.
    """
    given: tuple[EquationForm, ...] = tuple(map(_FORM, sets))
    known = dict(zip(map(id, given), given, strict=True))
    number, forms = dict(zip(known, range(len(known)), strict=True)), [*known.values()]
    of = np.fromiter(map(number.__getitem__, map(id, given)), np.int64, len(given))
    sizes = [(len(f.terms), len(f.measure), f.markers) for f in forms]
    size = np.array(sizes, np.int64).reshape(-1, 3)
    own = size[of]
    equations, first = _copies(size[:, 0], own[:, 0], of)
    terms, first_term = equations, np.arange(len(equations) + 1)
    if any(one != several for one, several, _ in sizes):
        terms, _ = _copies(size[:, 1], own[:, 1], of)
        each = np.array([*chain.from_iterable(f.terms for f in forms)], np.int64)[equations]
        first_term = _sums(each)
    measures, data = _measures(forms)
    kind, i, j, a, b = np.ascontiguousarray(measures[terms].T)
    before = own[:, 2].cumsum() - own[:, 2]
    shift = before.repeat(own[:, 1])
    targets = [*chain.from_iterable(f.target for f in forms)]
    target = np.array([0.0 if t is None else t for t in targets], float)  # one that varies may be 0
    coefficient = np.array([*chain.from_iterable(f.coefficient for f in forms)], float)
    angular = IS_ANGLE[kind[first_term[:-1]]]
    table = EquationTable(
        marker_body=markers.body,
        marker_frame=markers.frame,
        kind=kind,
        axis_i=i,
        axis_j=j,
        marker_a=named[a + shift],
        marker_b=named[b + shift],
        first_term=first_term,
        term_measure=np.arange(len(kind)),
        coefficient=coefficient[terms],
        reference=np.zeros(len(kind)),
        target=target[equations],
        period=np.zeros(len(equations)),
        weight=np.where(angular, length, 1.0),
        data=np.array(data, float),
    )
    open_ = np.array([t is None for t in targets], bool)
    return WrittenEquations(table, first, angular, open_[equations].nonzero()[0], before)


def _copies(count: Ints, size: Ints, of: Ints) -> tuple[Ints, Ints]:
    """Rows of copies, one after the other, of pieces of so many rows, and where each copy begins.

    Args:
        size: how many rows each copy has; of: the piece that it is of.
    """
    first = _sums(size)
    shift = (count.cumsum() - count)[of] - first[:-1]
    rows: Ints = np.arange(first[-1]) + shift.repeat(size)
    return rows, first


def _sums(counts: Ints) -> Ints:
    """Sums of the counts before each, and of all."""
    out = np.zeros(len(counts) + 1, np.int64)
    counts.cumsum(out=out[1:])
    return out


def _measures(forms: Sequence[EquationForm]) -> tuple[Ints, list[float]]:
    """The measures of some forms, (terms, 5), and the numbers of their shapes, each once."""
    measures = np.array([*chain.from_iterable(f.measure for f in forms)], np.int64).reshape(-1, 5)
    place, data, before = dict[tuple[float, ...], int](), list[float](), 0
    for form in forms:
        for term, shape in form.data:
            if shape not in place:
                place[shape] = len(data)
                data += shape
            measures[before + term, 2] = place[shape]
        before += len(form.measure)
    return measures, data
