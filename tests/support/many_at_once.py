"""Print how a group that is solved in many states at once differs: interpreted, for a test."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import assembly_solver as asm
from assembly_solver.linkages.circuits.driven_linkage import DrivenLinkage
from assembly_solver.linkages.circuits.group_solutions import solutions
from assembly_solver.linkages.run.batches import StateArrays
from assembly_solver.linkages.run.execution import run

SAMPLE = Path(__file__).parents[2] / "samples" / "double_butterfly.assembly.json"


def main() -> None:
    """The double butterfly from all that closes it as drawn, on to dead points of some of these."""
    planned = asm.linkage(asm.read(SAMPLE)).planned
    linkage = DrivenLinkage(planned, 0)
    wing = linkage.start_value + np.concatenate([np.arange(40.0), 40.0 + np.arange(9.0) ** 2 / 9.0])
    found = solutions(linkage, planned.signs, linkage.start_value, 12)
    for start in (linkage.start, *found):
        out = []
        for many in (False, True):
            V, P = wing[None], np.empty((planned.program.points, 2, len(wing)))
            failed, sine = np.zeros(len(wing), np.int64), np.zeros((1, len(wing)))
            states = StateArrays(V, P, failed, sine)
            run(planned.program, states, start, planned.signs, beyond=False, many=many)
            out.append(states)
        one, every = out
        off = np.nanmax(np.abs(one.P - every.P))
        print(off, np.count_nonzero(one.failed), np.count_nonzero(every.failed))


if __name__ == "__main__":
    main()
