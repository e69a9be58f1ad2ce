"""Sensitivities along a motion: derivatives of measures by dimensions in each of its states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..equations.system import compile_system
from ..foundations.numerics.linear import rank_cut
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..results.motion import Motion, json_numbers
from ..results.wording.phrases import listed
from ..verbs.forces import forces
from .linear_model import LinearModel, Sensitivities, SolvedPose, linear_model
from .measured import AskedNumber
from .variables import Variable


@dataclass(frozen=True, eq=False)
class MotionSensitivities:
    """Derivatives of measures by dimensions over the states of a motion.

    Attributes:
        rows, columns, row_units, column_units: as those of `Sensitivities`.
        driven: values of the swept drivers, (states,), mm or degrees, by name.
        nominal: values of the measures, (states, rows); angles are counted beyond half a turn.
        values: derivatives, (states, rows, columns); both are NaN in states that are not valid,
            derivatives also at dead points.
        notes: what the derivatives hold for, in words; with the states where not in all.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_units: tuple[str, ...]
    column_units: tuple[str, ...]
    driven: Mapping[str, Array]
    nominal: Array
    values: Array
    notes: tuple[str, ...] = ()

    def __getitem__(self, names: tuple[str, str]) -> Array:
        """The derivative of a measure by a variable, (states,)."""
        row, column = names
        found: Array = self.values[:, self.rows.index(row), self.columns.index(column)]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Values of drivers, then by measure its values and by variable the derivatives."""
        return {
            "drivers": {name: json_numbers(v) for name, v in self.driven.items()},
            "measures": {
                row: {
                    "unit": self.row_units[n],
                    "nominal": json_numbers(self.nominal[:, n]),
                    "sensitivities": {c: json_numbers(self[row, c]) for c in self.columns},
                }
                for n, row in enumerate(self.rows)
            },
            "notes": list(self.notes),
        }


class MotionStates:
    """The linear models of the states of a motion, by number.

    Args:
        asked, variables: rows and columns; before: a copy of its assembly, with the measures.
    """

    def __init__(
        self,
        motion: Motion,
        before: Assembly,
        asked: Sequence[AskedNumber],
        variables: Sequence[Variable],
    ) -> None:
        self.motion, self.before, self.asked, self.variables = motion, before, asked, variables
        self.driven = {name: np.array(v) for name, v in motion.prescribed.items()}
        self._forces = forces(motion).drivers if any(o.driver for o in asked) else {}

    def __iter__(self) -> Iterator[tuple[int, LinearModel]]:
        """The valid states and their models, one after the other."""
        for state in np.flatnonzero(self.motion.valid).tolist():
            yield state, self._model(state)

    def _model(self, state: int) -> LinearModel:
        here = self.before.copy()
        for name, values in self.driven.items():
            guided = isinstance(here.drivers[name], Guide)
            here.set_driver(name, float(self.motion.t[state] if guided else values[state]))
        system = compile_system(here)  # not moved: constants are measured where the motion began
        cut = rank_cut(float(self.motion.residual_mm[state]) / system.length)
        pose = SolvedPose(system, self.motion.frames[state], cut, self._at(state))
        return linear_model(pose, here, self.asked, self.variables)

    def _at(self, state: int) -> Callable[[], Mapping[str, float]]:
        return lambda: {name: float(d.value[state]) for name, d in self._forces.items()}

    def place(self, state: int) -> str:
        """A state in words: the values of the drivers."""
        told = (f"{name} = {values[state]:.6g}" for name, values in self.driven.items())
        return listed(list(told))


def along_motion(
    states: MotionStates, add: Callable[[int, LinearModel], None] = lambda state, model: None
) -> MotionSensitivities:
    """The sensitivities in all states of a motion; `add` is given each state and its model."""
    count, rows, columns = len(states.motion.t), len(states.asked), len(states.variables)
    nominal, values = np.full((count, rows), np.nan), np.full((count, rows, columns), np.nan)
    notes: dict[str, list[int]] = {}
    one: Sensitivities | None = None
    for state, model in states:
        add(state, model)
        one = model.sensitivities
        nominal[state], values[state] = one.nominal, one.values
        for note in one.notes:
            notes.setdefault(note, []).append(state)
    for n, output in enumerate(states.asked):
        if output.unit == "deg":
            valid = states.motion.valid
            nominal[valid, n] = np.unwrap(nominal[valid, n], period=360.0)
    return MotionSensitivities(
        tuple(o.name for o in states.asked),
        tuple(v.name for v in states.variables),
        tuple(o.unit for o in states.asked),
        one.column_units if one is not None else tuple(v.unit for v in states.variables),
        states.driven,
        nominal,
        values,
        tuple(_located(states, note, at) for note, at in notes.items()),
    )


def _located(states: MotionStates, note: str, at: list[int]) -> str:
    """A note with the states that it holds for, where these are not all."""
    if len(at) == int(states.motion.valid.sum()):
        return note
    some = f" and {len(at) - 1} more states" if len(at) > 1 else ""
    return f"at {states.place(at[0])}{some}: {note}"
