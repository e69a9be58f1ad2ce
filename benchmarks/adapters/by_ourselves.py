"""The product itself: a first solve of a new assembly, or a repeated one of the same assembly."""

from __future__ import annotations

from typing import Any

import numpy as np

import assembly_solver as asm

from ..case import BenchmarkCase, Poses
from ..families import assembly


class Ours:
    """`assembly_solver.solve`.

    With `keep` the same assembly is solved again from the same start with its cached plan; without
    it every model is a new assembly, and planning is part of the time.
    """

    def __init__(self, keep: bool) -> None:
        self.keep = keep
        self.kept: tuple[BenchmarkCase, asm.Assembly] | None = None

    def prepare(self, case: BenchmarkCase) -> None:
        """Nothing is done by hand; all code that the case needs is compiled here."""
        asm.solve(assembly(case))

    def build(self, case: BenchmarkCase) -> Any:
        """The case's assembly in its start poses."""
        if not self.keep:
            return {"case": case, "assembly": assembly(case)}
        if self.kept is None or self.kept[0] is not case:
            self.kept = (case, assembly(case))
        return {"case": case, "assembly": self.kept[1]}

    def solve(self, model: Any) -> str:
        """The solve call; the assembly stays as it is."""
        model["solution"] = asm.solve(model["assembly"])
        return str(model["solution"].outcome.name).lower()

    def poses(self, model: Any) -> Poses:
        """The solved poses; the best ones where it is not solved."""
        solved = model["solution"].best_poses
        return solved_poses(model["case"], solved)


def solved_poses(case: BenchmarkCase, solved: Any) -> Poses:
    """A solution's poses by name, as arrays in the order of the case's parts."""
    return Poses(
        np.array([solved[name].position for name in case.parts]),
        np.array([solved[name].quaternion_wxyz for name in case.parts]),
    )
