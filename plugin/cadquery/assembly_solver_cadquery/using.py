"""CadQuery's own `Assembly.solve()` on this engine, while `use()` is active."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Any

import cadquery as cq

import assembly_solver as asm

from .constraints import entities
from .kept import settle, whole
from .places import parts_of

SOLVE = "solve"
"""Name of the replaced method of `cadquery.Assembly`."""

STATUS = {
    asm.Outcome.SOLVED: "Solve_Succeeded",
    asm.Outcome.CONFLICTING: "Infeasible_Problem_Detected",
    asm.Outcome.NOT_CONVERGED: "Maximum_Iterations_Exceeded",
}
"""The status texts of CadQuery's minimiser."""


class use:  # noqa: N801  (it is called, and reads as a verb)
    """Run `cadquery.Assembly.solve` on this engine until `.leave()` or the end of a `with` block.

    The rules are CadQuery's: fixed parts, `_solve_result`, the frame of the root, units of
    parameters.  Two things differ: contradictory constraints raise `asm.Unsolved` with the
    diagnosis, and then no part has moved; and mates that were added with `mate` hold too.

    Args:
        tolerance: largest residual with which a constraint holds, mm.
    """

    @asm.refusing_others
    def __init__(self, *, tolerance: float | None = None) -> None:
        self._before = cq.Assembly.solve
        self._left = False

        def solve(self: cq.Assembly, verbosity: int = 0) -> cq.Assembly:
            """Solve the constraints."""
            return _solve(self, verbosity, tolerance)

        setattr(cq.Assembly, SOLVE, solve)

    def leave(self) -> None:
        """Restore CadQuery's own solver."""
        if not self._left:
            setattr(cq.Assembly, SOLVE, self._before)
            self._left = True

    def __enter__(self) -> use:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()


def _solve(assy: cq.Assembly, verbosity: int, tolerance: float | None) -> cq.Assembly:
    """Solve as CadQuery does: with its fixed parts, and the children are moved."""
    given = whole(assy, queries=False)
    if not given.held:
        raise ValueError("there is nothing to solve: give the assembly a constraint first")
    mates = (held.mate for held in given.held.values())
    named = {*entities(assy), *(ref.part for mate in mates for ref in (mate.a, mate.b))}
    if len(named.intersection(part.name for part in parts_of(assy))) < 2:
        raise ValueError("a constraint must hold one part to another: at least two are needed")
    solution = asm.solve(given, tolerance=tolerance)
    if not solution:  # once more, to name the queries of what fails
        solution = asm.solve(whole(assy), tolerance=tolerance)
    assy._solve_result = result_of(solution)
    if verbosity > 0:
        logging.getLogger(__package__).info("%s", solution)
    settle(assy, solution)
    return assy


def result_of(solution: asm.Solution) -> dict[str, Any]:
    """CadQuery's record of a solve, with the keys of its minimiser, and the solution."""
    return {
        "success": bool(solution),
        "return_status": STATUS[solution.outcome],
        "iter_count": solution.counts.iterations,
        "iterations": {"inf_pr": [solution.residual]},
        "t_wall_total": solution.seconds,
        "solution": solution,
    }
