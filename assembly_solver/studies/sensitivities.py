"""The public call `sensitivities`: exact derivatives of measures by dimensions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.tolerances.tolerance import mate_unit
from ..results.solution import Solution
from ..results.wording.phrases import listed
from ..verbs.solving import solve
from .changed_equations import changed_equations, equation_rates
from .measured import Asked, AskedNumber, nominal_value, output_rates, outputs
from .response import PoseResponse
from .variables import Variable, deviating, rated, variable

IN_DEGREES = r"(?:sind|cosd|tand)\([^()]*\b{}\b"
"""A formula in which a parameter is an angle in degrees."""


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """Derivatives of measures by dimensions at a solved pose.

    Attributes:
        rows, columns: names of the measures and of the variables.
        row_units, column_units: "mm", "deg", or "" for a ratio.
        nominal: values of the measures, (rows,).
        values: derivatives, (rows, columns), in units of the row per unit of the column; NaN at a
            dead point, where there is none.
        notes: what the derivatives hold for, in words.

    Example:
        >>> from assembly_solver import Assembly, Point, sensitivities
        >>> a = Assembly("rod")
        >>> _ = a.add("rod", grounded=True, features={"end": Point((30, 4, 0))})
        >>> _ = a.measure("height", point="rod.end", along="y")
        >>> sensitivities(a, to=["rod.end.y"])["height", "rod.end.y"]
        1.0
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_units: tuple[str, ...]
    column_units: tuple[str, ...]
    nominal: Array
    values: Array
    notes: tuple[str, ...] = ()

    def __getitem__(self, names: tuple[str, str]) -> float:
        """The derivative of a measure by a variable."""
        row, column = names
        return float(self.values[self.rows.index(row), self.columns.index(column)])

    def unit(self, row: str, column: str) -> str:
        """The unit of a derivative, as "deg/mm"."""
        own = self.row_units[self.rows.index(row)]
        per = self.column_units[self.columns.index(column)]
        return f"{own}/{per}" if per else own

    def to_dict(self) -> dict[str, Any]:
        """By measure, then by variable: value and unit."""
        return {
            row: {c: {"value": self[row, c], "unit": self.unit(row, c)} for c in self.columns}
            for row in self.rows
        }

    def __str__(self) -> str:
        width = max((len(c) for c in self.columns), default=0)
        lines = []
        for n, row in enumerate(self.rows):
            lines.append(f"{row}: {self.nominal[n]:.6g} {self.row_units[n]}")
            for k, column in enumerate(self.columns):
                value = self.values[n, k]
                shown = f"{value:12.6g} {self.unit(row, column)}" if value == value else "     none"
                lines.append(f"  {column:<{width}}  {shown}")
        return "\n".join([*lines, *self.notes])


def sensitivities(
    of_assembly: Assembly | Solution,
    of: Sequence[Asked] | None = None,
    to: Sequence[str] | None = None,
) -> Sensitivities:
    """Exact derivatives of measures by dimensions, by the implicit function theorem.

    Nothing is solved again, and nothing differenced: the equations of the mates say how the parts
    answer a change of a number in them.  Free motions stay as a solve leaves them, with the least
    movement; of redundant mates that disagree after a change the derivative is that of least
    squares; at a dead point there is none.  The notes say so.

    Args:
        of_assembly: an assembly, which is solved first, or a solution of one.
        of: names of measures, drivers or joints, ("joint", "coordinate"), "part.feature" for a
            point, a part for its pose; by default all measures.
        to: names of tolerances, parameters, drivers with a value, "mate.number",
            "part.feature.x" (y, z, about_x, about_y); by default all tolerances, or without these
            all parameters and drivers.

    Raises:
        Unsolved: the assembly has no solution.
        UnknownName: nothing has a name; BadValue: a dimension that needs its file to change.
    """
    solution = of_assembly if isinstance(of_assembly, Solution) else solve(of_assembly)
    solution.require()
    before = solution.given.copy()
    asked = outputs(before, list(before.measures) if of is None else of)
    names = default_variables(before) if to is None else list(to)
    found = [v for name in names for v in variable(before, name)]
    return linear_model(solution, before, asked, found).sensitivities


def default_variables(a: Assembly) -> list[str]:
    """Names of all tolerances, or without any of all parameters and drivers with a value."""
    driven = [name for name, d in a.drivers.items() if d.value is not None and d.kind != "motion"]
    return list(a.tolerances) or [*a.parameters, *driven]


@dataclass(frozen=True, eq=False)
class LinearModel:
    """An assembly at its nominal pose, with its linear answer to some variables.

    Attributes:
        before: the nominal assembly, with measures of all that is asked.
        variables, asked: the columns and the rows of `sensitivities`.
        response: the poses and what they answer.
        rates: of the residuals, (equations, variables), mm; steps: of the unknowns, mm.
    """

    before: Assembly
    variables: tuple[Variable, ...]
    asked: tuple[AskedNumber, ...]
    response: PoseResponse
    rates: Array
    steps: Array
    sensitivities: Sensitivities


def linear_model(
    solution: Solution,
    before: Assembly,
    asked: Sequence[AskedNumber],
    variables: Sequence[Variable],
) -> LinearModel:
    """The linear model of a solution; `before` is a copy of its assembly, with the measures."""
    count = len(variables)
    after = deviating(before, variables, rated(count))
    response = PoseResponse(solution.system, solution.frames, solution.diagnosis.cut).polished()
    changed = changed_equations(response.system, before, after)
    rates = equation_rates(response.system, response.frames, changed, count)
    steps = response.steps(rates)
    values = output_rates(after, asked, response, steps)
    undecided = response.undecided(rates)
    values[:, undecided] = np.nan
    names = [v.name for v in variables]
    found = Sensitivities(
        tuple(o.name for o in asked),
        tuple(names),
        tuple(o.unit for o in asked),
        tuple(_unit(before, v) for v in variables),
        np.array([nominal_value(before, response, o) for o in asked]),
        values,
        tuple(_notes(solution, response, names, rates, steps, undecided)),
    )
    return LinearModel(before, tuple(variables), tuple(asked), response, rates, steps, found)


def _notes(
    solution: Solution,
    response: PoseResponse,
    names: Sequence[str],
    rates: Array,
    steps: Array,
    undecided: NDArray[np.bool_],
) -> list[str]:
    """What is to be said of the derivatives."""
    out = []
    if undecided.any():
        no = [name for name, bad in zip(names, undecided, strict=True) if bad]
        out.append(f"{response.singular_words}: no derivative by {listed(no)}")
    off = response.disagreeing(rates, steps)
    for name, mates, bad in zip(names, off, undecided, strict=True):
        if mates and not bad:
            out.append(f"{name}: {listed(mates, 4)} then disagree; the poses are of least squares")
    if response.least.freedoms and not undecided.any():
        left = response.least.freedoms
        words = f"{left} free motion{'s' if left > 1 else ''}"
        out.append(f"{words}: held with the least movement of the mates' features")
    if response.system.active_limits:
        limits = [s.limit for s in response.system.active_limits]
        out.append(f"at {listed(limits)}: the derivatives hold while it stays at the limit")
    return out


def _unit(assembly: Assembly, v: Variable) -> str:
    """The unit of a variable; of a parameter by what it is used for."""
    if v.subject != "parameter":
        return v.unit
    for path, formula in assembly.formulas.items():
        texts = re.findall(r"=[^']*", str(formula.given))
        if not any(re.search(rf"\b{re.escape(v.key)}\b", text) for text in texts):
            continue
        if any(re.search(IN_DEGREES.format(re.escape(v.key)), text) for text in texts):
            return "deg"
        if path[0] == "drivers" and str(path[1]) in assembly.drivers:
            return assembly.drivers[str(path[1])].unit
        if path[0] == "mates":
            return mate_unit(assembly.held[str(path[1])], str(path[2]))
        if path[0] == "parts" and path[-1] == "angle":
            return "deg"
    return "mm"
