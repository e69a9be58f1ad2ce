"""Equations as a form, which mates of a kind share, and the markers that stand in it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from .measures.measure import Marker, Measure


class Equation(NamedTuple):
    """Sum of coefficient x measure = target, mm or rad; None: the sum at the start pose."""

    terms: tuple[tuple[float, Measure], ...]
    target: float | None = 0.0


class EquationForm(NamedTuple):
    """Equations between numbered markers.

    Attributes:
        markers: how many; they are numbered as the terms name them first.
        terms: how many each equation has; target: of each equation, as that of `Equation`.
        coefficient: of each term; measure: its kind, i and j, and the numbers of its a and b.
        data: the numbers of a shape, of those terms whose measure has one.
    """

    markers: int
    terms: tuple[int, ...]
    target: tuple[float | None, ...]
    coefficient: tuple[float, ...]
    measure: tuple[tuple[int, int, int, int, int], ...]
    data: tuple[tuple[int, tuple[float, ...]], ...]


class EquationSet(NamedTuple):
    """The equations of a form between these markers."""

    form: EquationForm
    markers: tuple[Marker, ...]

    @property
    def equations(self) -> tuple[Equation, ...]:
        """The equations one by one."""
        form, at, shape = self.form, self.markers, dict(self.form.data)
        terms = (
            (c, Measure(kind, i, j, at[a], at[b], shape.get(k, ())))
            for k, (c, (kind, i, j, a, b)) in enumerate(
                zip(form.coefficient, form.measure, strict=True)
            )
        )
        both = zip(form.terms, form.target, strict=True)
        return tuple(Equation(tuple(islice(terms, n)), target) for n, target in both)


def equation_set(equations: Iterable[Equation]) -> EquationSet:
    """Equations with their form; markers that are one object are one."""
    number: dict[int, int] = {}
    markers: list[Marker] = []
    count: list[int] = []
    targets: list[float | None] = []
    coefficients: list[float] = []
    measures: list[tuple[int, int, int, int, int]] = []
    data: list[tuple[int, tuple[float, ...]]] = []
    for terms, target in equations:
        for coefficient, (kind, i, j, a, b, shape) in terms:
            for marker in (a, b):
                if id(marker) not in number:
                    number[id(marker)] = len(markers)
                    markers.append(marker)
            if shape:
                data.append((len(measures), shape))
            measures.append((kind, i, j, number[id(a)], number[id(b)]))
            coefficients.append(coefficient)
        count.append(len(terms))
        targets.append(target)
    numbers = tuple(count), tuple(targets), tuple(coefficients), tuple(measures), tuple(data)
    return EquationSet(EquationForm(len(markers), *numbers), tuple(markers))
