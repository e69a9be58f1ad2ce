"""What solving, diagnosing and sweeping answer, by whatever tier the process has.

    python tiered_answers.py mixed NAME ...

prints it, of a process that goes over to machine code whenever it can: in the middle of its work.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import assembly_solver as asm
from assembly_solver.foundations.jit import aside, decorators, tiers
from benchmarks.adversary.generators import contradictions
from benchmarks.families import assembly, named

SAMPLES = Path(__file__).parents[2] / "samples"
STATES = 12
KEPT = ("outcome", "mode", "sentence", "counts", "poses", "mates")
FOUND = ("dof", "redundant", "free_motions", "conflicts", "sentence")


def model(name: str) -> asm.Assembly:
    """A sample, one of a family as "chain(10)", or a "contradiction(10)" of the adversary."""
    if name.startswith("contradiction("):
        return contradictions.drawn(int(name[:-1].partition("(")[2]))[1].build()
    if "(" in name:
        return assembly(named(name))
    return asm.read(SAMPLES / f"{name}.assembly.json")


def answers(names: list[str]) -> dict[str, Any]:
    """Results as JSON values, by the names of the models."""
    out: dict[str, Any] = {}
    for name in names:
        given = model(name)
        solved, found = asm.solve(given).to_dict(), asm.diagnose(given).to_dict()
        out[name] = [{k: solved[k] for k in KEPT}, {k: found[k] for k in FOUND}]
        if given.drivers:
            swept = asm.sweep(given, next(iter(given.drivers)), steps=STATES).to_dict()
            out[name].append({k: v for k, v in swept.items() if k != "seconds"})
    return json.loads(json.dumps(out))  # type: ignore[no-any-return]


def by_machine() -> list[str]:
    """Names of the functions that run by machine code."""
    return [e.py_func.__name__ for e in tiers.TIER.every if e.signatures]


def main(tier: str, *names: str) -> None:
    if tier == "mixed":
        tiers.PATIENCE, tiers.PAUSE, decorators.CALLS = 0.0, 0.0, 0
        aside.begin = lambda *given: None  # type: ignore[assignment, return-value]
    print(json.dumps([answers([*names]), by_machine()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
