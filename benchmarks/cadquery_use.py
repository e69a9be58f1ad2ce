"""CadQuery's own `Assembly.solve()`, the same call on this engine, and the engine alone, in turn.

`python -m benchmarks.cadquery_use`: for each case all three solve a newly built model in every
round, one after the other, and every result is judged.  Through `use()` a solve reads CadQuery's
constraints from its shapes, solves, and moves its parts; `again` solves the same assembly once
more, which then stands still.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from .adapters.base import Adapter
from .adapters.by_cadquery import CadQuery
from .adapters.by_ourselves import Ours
from .case import BenchmarkCase
from .families import named
from .figures import Figure, median, ratio, report
from .judge import judge

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin" / "cadquery"))

PART, PEER = "cadquery_use", "cadquery"
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


def run(name: str, rounds: int) -> Iterator[Figure]:
    """All three on one case."""
    from assembly_solver_cadquery import use

    case = named(name)
    peer, ours = CadQuery(), Ours(keep=False)
    for adapter in (peer, ours):
        adapter.prepare(case)
    rows: dict[str, list[tuple[float, float, str]]] = {PEER: [], "use()": [], "engine": []}
    for turn in range(rounds + 1):
        found = {PEER: one(peer, case)}
        with use():
            found["use()"] = one(peer, case)
        found["engine"] = one(ours, case)
        for key, row in found.items():
            if turn:  # the first round compiles
                rows[key].append(row)
    medians = {key: median([row[0] for row in found]) for key, found in rows.items()}
    for key, each in rows.items():
        words, theirs = " ".join(sorted({row[2] for row in each})), PEER if key == PEER else ""
        yield Figure(PART, name, f"first, {key}", medians[key], "ms", "", theirs, words)
        again = median([row[1] for row in each])
        yield Figure(PART, name, f"again, {key}", again, "ms", "", theirs, words)
        if not theirs:
            share = ratio(medians[PEER], medians[key])
            limit = f">= {GOALS.get(name, 1.0):g}" if key == "use()" else ""
            yield Figure(PART, name, f"peer / {key}", share, "x", limit, PEER, words)


def figures(
    quick: bool = False, cases: Iterable[str] = ("fourbar", *GOALS), rounds: int = 5
) -> Iterator[Figure]:
    """All cases; quick: the first one, three rounds."""
    for name in [*cases][:1] if quick else cases:
        yield from run(name, 3 if quick else rounds)


def main(arguments: list[str] | None = None) -> int:
    """Run all cases; the exit status says whether the goals are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cadquery_use", description=__doc__)
    parser.add_argument("--cases", nargs="+", default=["fourbar", *GOALS])
    parser.add_argument("--rounds", type=int, default=5)
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    raise SystemExit(main())
