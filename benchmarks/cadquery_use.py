"""CadQuery's own `Assembly.solve()`, the same call on this engine, and the engine alone, in turn.

`python -m benchmarks.cadquery_use`: for each case all three solve a newly built model in every
round, one after the other, and every result is judged.  Through `use()` a solve reads CadQuery's
constraints from its shapes, solves, and moves its parts; `again` solves the same assembly once
more, which then stands still.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from pathlib import Path

from .adapters.base import Adapter
from .adapters.by_cadquery import CadQuery
from .adapters.by_ourselves import Ours
from .case import BenchmarkCase
from .families import named
from .judge import judge

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin" / "cadquery"))

GOALS = {"ladder(10)": 60.0, "chain(100)": 80.0}
"""Times that the solve through `use()` has to be as fast as CadQuery's."""


def one(adapter: Adapter, case: BenchmarkCase) -> tuple[float, float, str]:
    """A solve of a new model and one more of the same, ms, and the verdict on the last poses."""
    model = adapter.build(case)
    gc.collect()
    begun = time.perf_counter()
    adapter.solve(model)
    first = time.perf_counter()
    adapter.solve(model)
    again = time.perf_counter()
    verdict = judge(case, adapter.poses(model))
    return 1e3 * (first - begun), 1e3 * (again - first), verdict.word


def run(name: str, rounds: int) -> bool:
    """All three on one case; whether all are right and the goal is met."""
    from assembly_solver_cadquery import use

    case = named(name)
    peer, ours = CadQuery(), Ours(keep=False)
    for adapter in (peer, ours):
        adapter.prepare(case)
    rows: dict[str, list[tuple[float, float, str]]] = {"CadQuery": [], "use()": [], "engine": []}
    for turn in range(rounds + 1):
        found = {"CadQuery": one(peer, case)}
        with use():
            found["use()"] = one(peer, case)
        found["engine"] = one(ours, case)
        for key, row in found.items():
            if turn:  # the first round compiles
                rows[key].append(row)
    print(f"\n{name}: {len(case.parts)} parts, {len(case.mates)} mates, {rounds} rounds")
    medians = {key: statistics.median(row[0] for row in found) for key, found in rows.items()}
    for key, each in rows.items():
        again = statistics.median(row[1] for row in each)
        words = " ".join(sorted({row[2] for row in each}))
        print(
            f"  {key:<10}{medians[key]:>10.2f} ms {medians['CadQuery'] / medians[key]:>8.1f} x"
            f"   again {again:>9.2f} ms   {words}"
        )
    right = all(row[2] == "right" for row in rows["use()"])
    return right and medians["CadQuery"] / medians["use()"] >= GOALS.get(name, 1.0)


def main(arguments: list[str] | None = None) -> int:
    """Run all cases; the exit status says whether the goals are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cadquery_use", description=__doc__)
    parser.add_argument("--cases", nargs="+", default=["fourbar", *GOALS])
    parser.add_argument("--rounds", type=int, default=5)
    ask = parser.parse_args(arguments)
    met = [run(name, ask.rounds) for name in ask.cases]
    return 0 if all(met) else 1


if __name__ == "__main__":
    raise SystemExit(main())
