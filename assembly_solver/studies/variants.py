"""Variants of an assembly: each the nominal one with other values, solved from its solved poses.

A variant is made from the nominal assembly and its plan, and never from the variant before it, so
that a row is the same to the last bit in whatever order, group and process it is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..errors import AssemblySolverError, UnknownName
from ..foundations.geometry.pose import frames_of
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..results.solution import Solution
from ..results.wording.phrases import short
from ..solver.least_movement import know_moved
from ..solver.modes.known_signs import know_signs, known_signs
from ..verbs.kept_plans import lend_plan, plan_of
from ..verbs.solving import solve
from .followed_rows import row_follower
from .moved_rows import Moved, Travel
from .varied_names import put


def nominal_assembly(assembly: Assembly, measures: Mapping[str, Any] | Sequence[str]) -> Assembly:
    """A copy at its solved poses, with the measures of a study and no others.

    Args:
        measures: names of its measures; or by name the keys of a new one, as in a file.

    Raises:
        UnknownName: no such measure; Unsolved: the assembly has no solution.
    """
    out = assembly.copy()
    if isinstance(measures, Mapping):
        for name in list(out.measures):
            out.remove_measure(name)
        for name, keys in measures.items():
            out.measure(name, **keys, place=f"measure {name}")
    else:
        for name in measures:
            if name not in out.measures:
                raise UnknownName("measure", name, out.measures)
        for name in [n for n in out.measures if n not in measures]:
            out.remove_measure(name)
    solve(out).require().apply()
    return out


def know_nominal_signs(nominal: Assembly) -> None:
    """Let the modes of variants be named by the signs of the nominal assembly."""
    know_signs(plan_of(nominal), frames_of(part.pose for part in nominal.parts.values()))


def variant_of(nominal: Assembly, names: Sequence[str], values: Sequence[float]) -> Assembly:
    """The nominal assembly with some values, and its plan; raises where one is refused."""
    out = nominal.copy()
    for name, value in zip(names, values, strict=True):
        put(out, name, value)
    lend_plan(nominal, out)
    return out


class Row(NamedTuple):
    """The answer to one variant.

    Attributes:
        measures: mm or degrees, NaN where it is not valid; mode: of the assembly, empty without.
        reason: why it is not valid, empty where it is.
    """

    measures: Array
    mode: str
    reason: str


class Rows(NamedTuple):
    """The answers to some variants: what `Row` has, measures by column, (measures, rows)."""

    measures: Array
    mode: Sequence[str]
    reason: Sequence[str]


def rows_of(rows: Sequence[Row]) -> Rows:
    """Some rows as columns."""
    measures = np.array([row.measures for row in rows]).reshape(len(rows), -1).T
    return Rows(measures, [row.mode for row in rows], [row.reason for row in rows])


class Variants:
    """Solves variants of an assembly at its solved poses.

    Args:
        nominal: as of `nominal_assembly`; names: of the values that vary.
        first: values of the variant that shows what others move.
        travel: the motion that each variant is measured over; None where it rests.
    """

    def __init__(
        self,
        nominal: Assembly,
        names: Sequence[str],
        first: Sequence[float],
        travel: Travel | None = None,
    ) -> None:
        self.nominal, self.names, self.travel = nominal, tuple(names), travel
        told = nominal.measures if travel is None else travel.columns
        self._nothing = np.full(len(told), np.nan)
        plan = plan_of(nominal)
        know_nominal_signs(nominal)
        with suppress(AssemblySolverError):
            solution = solve(variant_of(nominal, names, first))
            if solution:
                know_moved(plan, solution.frames)
        self._follower = None
        if travel is None:
            self._follower = row_follower(nominal, self.names, plan_of(nominal))

    def rows(self, values: Array) -> Rows:
        """The variants with some values, (rows, names), mm or degrees."""
        if self._follower is None:
            return rows_of([self.row(own) for own in values.tolist()])
        found = self._follower.follow(values)
        own = zip(values.tolist(), found.closed.tolist(), found.measures, strict=True)
        mode = self._follower.mode
        return rows_of([Row(told, mode, "") if ok else self.row(v) for v, ok, told in own])

    def row(self, values: Sequence[float]) -> Row:
        """The variant with some values, by name, mm or degrees, solved by itself."""
        try:
            variant = variant_of(self.nominal, self.names, values)
        except AssemblySolverError as problem:
            return Row(self._nothing, "", f"refused: {problem}")
        solution = solve(variant)
        if not solution:
            return Row(self._nothing, "", reason_of(solution))
        if self.travel is not None:
            moved = Moved(variant, solution, self.travel)
            return Row(np.array(moved.numbers()), mode_of(solution), moved.reason)
        frames = solution.frames
        found = [m.value(variant, frames) for m in variant.measures.values()]
        return Row(np.array(found), mode_of(solution), "")


def mode_of(solution: Solution) -> str:
    """The assembly mode, by the signs of the nominal assembly where these are known here."""
    known = known_signs(solution.plan)
    return (solution.mode or "") if known is None else known.name(solution.frames)


def reason_of(solution: Solution) -> str:
    """Why a variant is not solved: the outcome, and the mates that fail."""
    outcome = solution.outcome.name.lower().replace("_", " ")
    for conflict in solution.found[:1]:
        return f"{outcome}: {', '.join(conflict.constraints)}"
    worst = max(solution.mates, key=lambda m: m.residual_mm, default=None)
    if worst is not None and not worst.holds:
        return f"{outcome}: {worst.name} off by {short(worst.residual_mm)} mm"
    with suppress(StopIteration):
        return f"{outcome}: {next(x.words for x in solution.limits if not x.holds)}"
    return outcome
