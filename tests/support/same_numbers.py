"""Print every bit of some runs: a script for the test that interpreted and compiled code agree."""

from __future__ import annotations

import numpy as np

from assembly_solver.linkages.plan.group_equations import PointGroup, length, point
from assembly_solver.linkages.plan.link_length import constant
from assembly_solver.linkages.plan.placement_program import (
    Input,
    along,
    assemble,
    circles,
    group,
    turn,
)
from assembly_solver.linkages.run.batches import StateArrays
from assembly_solver.linkages.run.execution import run

START = [0j, 10 + 0j, 2.4 + 8.5j, 1 + 0j, 5.7 + 2.8j, 4.5 + 5.3j, 3.1 + 3j, 0j, 0j]
LINKS = ((4, 5), (5, 6), (6, 4), (4, 3), (5, 1), (6, 2))


def main() -> None:
    """A six-bar of a triad, with a dyad that closes in some of the states."""
    legs = (length(point(i), point(j), constant(abs(START[i] - START[j]))) for i, j in LINKS)
    plate = PointGroup((4, 5, 6), tuple(legs))
    ops = [
        turn(3, 0, 1, 0, 0.1 + 0j),
        group(0, plate, 0),
        circles(7, 6, constant(3.0), 2, constant(5.0), 1),
        along(8, 4, 4, 5, 0.3 - 0.2j),
    ]
    program = assemble(ops, [plate], 9, [Input(np.pi / 180, 0.0, 0.0)])
    V, P = np.array([[0.0, 1, 2, 3, 90, 93, 1e9, np.nan]]), np.empty((9, 2, 8))
    failed, sine = np.zeros(8, np.int64), np.zeros((2, 8))
    at = np.array([(p.real, p.imag) for p in START])
    counts = run(program, StateArrays(V, P, failed, sine), at, np.ones(2, np.int64))
    for numbers in (P, sine, counts, failed):
        for x in numbers.ravel().tolist():
            print(float(x).hex())


if __name__ == "__main__":
    main()
