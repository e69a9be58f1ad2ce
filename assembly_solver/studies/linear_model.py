"""The linear model of an assembly at solved poses: derivatives of measures by dimensions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.system import System
from ..errors import UnknownName
from ..foundations.arguments import with_checked_calls
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.tolerances.tolerance import mate_unit
from ..results.solution import Solution
from ..results.wording.phrases import listed
from ..verbs.forces import forces
from .changed_equations import changed_equations, equation_rates
from .force_rates import ForceRates
from .measured import AskedNumber, nominal_value, output_rates
from .response import PoseResponse
from .variables import Variable, deviating, rated

IN_DEGREES = r"(?:sind|cosd|tand)\([^()]*\b{}\b"
"""A formula in which a parameter is an angle in degrees."""


@with_checked_calls
@dataclass(frozen=True, eq=False)
class Sensitivities:
    """Derivatives of measures by dimensions at a solved pose.

    Attributes:
        rows, columns: names of the measures and of the variables.
        row_units, column_units: "mm", "deg", "N" or "N mm" of a driver's force, or "" for a ratio.
        nominal: values of the measures, (rows,).
        values: derivatives, (rows, columns), in units of the row per unit of the column; NaN at a
            dead point, where there is none, and of forces that equilibrium does not determine.
        notes: what the derivatives hold for, in words.

    Examples:
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
        """The derivative of a measure by a variable.  Raises UnknownName: there is no such one."""
        return float(self.values[self._at(*names)])

    def _at(self, row: str, column: str) -> tuple[int, int]:
        """The indices of a measure and of a variable."""
        if row not in self.rows:
            raise UnknownName("measure", row, self.rows)
        if column not in self.columns:
            raise UnknownName("variable", column, self.columns)
        return self.rows.index(row), self.columns.index(column)

    def unit(self, row: str, column: str) -> str:
        """The unit of a derivative, as "deg/mm".  Raises UnknownName: there is no such one."""
        k, n = self._at(row, column)
        own, per = self.row_units[k], self.column_units[n]
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


class SolvedPose(NamedTuple):
    """Where the equations of an assembly hold.

    Attributes:
        system, frames, cut: as those of `PoseResponse`.
        forces: tells what drivers push with there, N or N mm, by name.
    """

    system: System
    frames: Array
    cut: float
    forces: Callable[[], Mapping[str, float]]


def pose_of(solution: Solution) -> SolvedPose:
    """The poses of a solution."""

    def pushed() -> dict[str, float]:
        return {name: float(d.value[0]) for name, d in forces(solution).drivers.items()}

    return SolvedPose(solution.system, solution.frames, solution.diagnosis.cut, pushed)


def linear_model(
    pose: SolvedPose, before: Assembly, asked: Sequence[AskedNumber], variables: Sequence[Variable]
) -> LinearModel:
    """The linear model at a pose; `before` is a copy of its assembly, with the measures."""
    count = len(variables)
    after = deviating(before, variables, rated(np.zeros(count)))
    response = PoseResponse(*pose[:3]).polished()
    changed = changed_equations(response.system, before, after)
    rates = equation_rates(response.system, response.frames, changed, count)
    steps = response.steps(rates)
    values = output_rates(after, asked, response, steps)
    forces = pose.forces() if any(o.driver for o in asked) else {}
    work = ForceRates(before, response, forces)
    for n, output in enumerate(asked):
        if output.driver:
            values[n] = work.of(output.driver, variables, steps, rates)
    undecided = response.undecided(rates)
    values[:, undecided] = np.nan
    names = [v.name for v in variables]
    found = Sensitivities(
        tuple(o.name for o in asked),
        tuple(names),
        tuple(o.unit for o in asked),
        tuple(_unit(before, v) for v in variables),
        np.array(
            [
                forces.get(o.driver, np.nan) if o.driver else nominal_value(before, response, o)
                for o in asked
            ]
        ),
        values,
        tuple(_notes(response, names, rates, steps, undecided)),
    )
    return LinearModel(before, tuple(variables), tuple(asked), response, rates, steps, found)


def _notes(
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
