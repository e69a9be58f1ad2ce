"""Solve one case with one engine on request: `python -m benchmarks.worker`.

A peer may crash, print, or run for ever: in a separate process it disturbs nothing, and its caller
can end it.  On every line of standard input it builds the case anew and solves it, as often as fits
`SHARE` seconds (once in the first round), and writes one JSON line when built and one when judged.
A line `once` asks for one solve, `{"seed": 3, "noise": 4.5}` for one from those start poses.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from typing import IO, Any

from .adapters import ADAPTERS, Adapter
from .case import BenchmarkCase, restart
from .families import named
from .figures import answers
from .judge import judge

SHARE = 0.2  # seconds of solving in a round, so that short solves are timed several times
MOST = 20  # solves in a round
ONCE = "once"


def run(case_name: str, engine: str, seed: int, orders: IO[str], out: IO[str]) -> None:
    """Serve rounds until the orders end."""

    def answer(**words: Any) -> None:
        out.write(json.dumps(words) + "\n")
        out.flush()

    try:
        adapter = ADAPTERS[engine]()
        case = named(case_name, seed=seed)
        adapter.prepare(case)
    except Exception as problem:  # whatever a peer raises is its result, not the benchmark's
        answer(error=f"{type(problem).__name__}: {problem}")
        return
    answer(ready=True)
    batch = 1
    for order in orders:
        try:
            if wish := order.strip():
                start = case if wish == ONCE else restart(case, **json.loads(wish))
                answer(**_round(adapter, start, answer, 1))
                continue
            found = _round(adapter, case, answer, batch)
            batch = max(1, min(MOST, int(1e3 * SHARE / found["ms"])))
            answer(**found)
        except Exception as problem:
            answer(error=f"{type(problem).__name__}: {problem}")
            return


def _round(adapter: Adapter, case: BenchmarkCase, answer: Any, batch: int) -> dict[str, Any]:
    """One round: median time of some solves in a row, and the worst of their verdicts.

    All models are built first and all are judged last: every engine's solves run with the warm
    caches that its own solves leave.
    """
    models = [adapter.build(case) for _ in range(batch)]
    gc.collect()
    answer(built=True)
    times: list[float] = []
    says = ""
    for model in models:
        begun = time.perf_counter()
        says = adapter.solve(model)
        times.append(time.perf_counter() - begun)
    worst: dict[str, Any] = {"relative": -1.0}
    for model in models:
        verdict = judge(case, adapter.poses(model))
        if verdict.relative > worst["relative"] or not verdict.right:
            worst = {
                "verdict": verdict.word,
                "relative": verdict.relative,
                "flips": verdict.flips,
                "says": says,
            }
    return {"ms": 1e3 * statistics.median(times), "solves": len(times), **worst}


def main() -> None:
    """Keep standard output for the answers: the peers' own printing goes to standard error."""
    case_name, engine, seed = sys.argv[1:4]
    run(case_name, engine, int(seed), sys.stdin, answers())


if __name__ == "__main__":
    main()
