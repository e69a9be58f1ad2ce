"""First and repeated solves of all engines on all cases, judged: `python -m benchmarks.peers`.

The engines solve one after another within every round (A B C, A B C, ...), so that a disturbance of
the machine meets all of them; medians of the rounds are compared.  Timed is the solve call on a
model that is built; the product is timed twice, with a new assembly each time (`first`: its plan is
made in the solve) and with the same assembly from the same start (`repeated`).  A peer whose poses
do not hold the mates is shown and left out of the comparison.  In `minimal` a user has removed all
redundant equations by hand beforehand; that work is not timed.
"""

from __future__ import annotations

import argparse
import json
import queue
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .adapters import ADAPTERS
from .figures import Figure, ratio, report
from .worker import ONCE

CASES = (
    "fourbar",
    "stewart",
    "excavator",
    "chain(10)",
    "chain(100)",
    "chain(1000)",
    "ladder(10)",
    "ladder(100)",
    "stack(10)",
    "stack(100)",
    "scissor(20)",
)
QUICK = ("fourbar", "stewart", "excavator", "chain(10)", "ladder(10)", "stack(10)")
OURS = ("ours:first", "ours:repeated")
PEERS = tuple(engine for engine in ADAPTERS if engine not in OURS)

WANTED = {
    ("fourbar", "ours:first"): 1.0,
    ("stewart", "ours:first"): 1.0,
    ("excavator", "ours:first"): 5.0,
    ("scissor(20)", "ours:first"): 30.0,
    ("chain(100)", "ours:first"): 300.0,
    ("ladder(100)", "ours:first"): 300.0,
    ("chain(1000)", "ours:first"): 1000.0,
    ("fourbar", "ours:repeated"): 6.0,
    ("excavator", "ours:repeated"): 25.0,
}
"""Times that a solve has to be as fast as the best correct peer's, prepared by hand or not."""

APART = "fourbar"
"""Case that is also solved once at a time, with the solves of the peers between two of ours."""
APART_ROUNDS = 25

LIMIT = 90.0  # seconds for one solve
PATIENCE = 300.0  # seconds for preparing and building, which are not timed
SLOW = 10.0  # seconds: a solve that takes this long is not repeated

_TOO_LONG = "takes more than 60 s"
_REFUSED = "refused: more than 2048 unknowns or equations"
SKIPPED = {
    ("chain(100)", "ondsel:mates"): _TOO_LONG,
    **{(case, "ondsel:joints"): _TOO_LONG for case in ("chain(1000)", "ladder(100)", "stack(100)")},
    **{(case, "ondsel:mates"): _TOO_LONG for case in ("chain(1000)", "ladder(100)", "stack(100)")},
    **{("chain(1000)", engine): _REFUSED for engine in PEERS if "slvs" in engine},
    **{("stack(100)", engine): _REFUSED for engine in ("slvs", "slvs:minimal")},
    **{("ladder(100)", engine): _REFUSED for engine in ("py-slvs", "slvs", "slvs:minimal")},
}


@dataclass
class EngineRow:
    """One engine on one case: ms of every round, verdict of the judge, or why there is none."""

    case: str
    engine: str
    ms: list[float] = field(default_factory=list)
    verdict: str = ""
    relative: float = -1.0
    says: str = ""
    note: str = ""

    @property
    def median(self) -> float:
        """Median of the rounds, ms."""
        return statistics.median(self.ms)

    @property
    def right(self) -> bool:
        """The engine solved the case in every round."""
        return bool(self.ms) and self.verdict == "right" and not self.note


class Worker:
    """A process that solves one case with one engine; None answers are crashes."""

    def __init__(self, row: EngineRow, seed: int) -> None:
        self.row = row
        words = [sys.executable, "-m", "benchmarks.worker", row.case, row.engine, str(seed)]
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parent.parent,
        )
        self.answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._next(PATIENCE, "prepare")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.put(json.loads(line))
        self.answers.put(None)

    def _next(self, seconds: float, task: str) -> dict[str, Any] | None:
        """The next answer, or None and a note in the row."""
        try:
            answer = self.answers.get(timeout=seconds)
        except queue.Empty:
            self.row.note = f"{task}: more than {seconds:g} s"
        else:
            if answer is not None and "error" not in answer:
                return answer
            self.row.note = f"{task}: {'crashed' if answer is None else answer['error']}"
        self.end()
        return None

    def solve(self, limit: float, order: str = "") -> dict[str, Any] | None:
        """One round: built, solved and judged; an order may name another start."""
        if self.row.note:
            return None
        assert self.process.stdin is not None
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        return self._next(PATIENCE, "build") and self._next(limit, "solve")

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def run_case(
    case: str, engines: Iterable[str], rounds: int, limit: float, seed: int, order: str = ""
) -> list[EngineRow]:
    """All engines on one case: a warm-up, then the rounds in turn.

    A warm-up that took long is the engine's only round.  An order goes to the workers as it is.
    """
    rows = [EngineRow(case, engine, note=SKIPPED.get((case, engine), "")) for engine in engines]
    workers = [Worker(row, seed) for row in rows if not row.note]
    over: set[str] = set()
    for turn in range(rounds + 1):
        for worker in workers:
            row = worker.row
            answer = None if row.engine in over else worker.solve(limit, order)
            if answer is None:
                continue
            long = answer["ms"] > 1e3 * SLOW
            if long:
                over.add(row.engine)
            if turn or long:
                row.ms.append(answer["ms"])
            if row.verdict in ("", "right"):
                row.verdict, row.says = answer["verdict"], answer["says"]
                row.relative = max(row.relative, answer["relative"])
    for worker in workers:
        worker.end()
    return rows


# ------------------------------------------------------------------ figures


def best(rows: list[EngineRow], by_hand: bool) -> EngineRow | None:
    """The fastest peer that is right, with or without those prepared by hand."""
    peers = [r for r in rows if r.right and r.engine not in OURS]
    peers = [r for r in peers if by_hand or not r.engine.endswith("minimal")]
    return min(peers, key=lambda r: r.median, default=None)


def told(rows: list[EngineRow], quantity: str) -> Iterator[Figure]:
    """The times of all engines on a case, with the verdicts on their poses."""
    for row in rows:
        ours = row.engine in OURS
        name = row.engine.partition(":")[2] if ours else quantity
        value = row.median if row.ms else None
        words = row.note or row.verdict
        yield Figure("peers", row.case, name, value, "ms", "", "" if ours else row.engine, words)


def compared(rows: list[EngineRow], apart: bool = False) -> Iterator[Figure]:
    """Ours against the best correct peer; a limit without such a peer is not shown to be met."""
    for row in (r for r in rows if r.engine in OURS):
        name = row.engine.partition(":")[2] + ", apart" * apart
        for by_hand in (True,) if apart else (True, False):
            peer = best(rows, by_hand)
            wanted = WANTED.get((row.case, row.engine)) if by_hand and name != "first, apart" else 0
            if peer is None and not wanted:
                continue
            limit = f">= {wanted:g}" if wanted else ""
            words = f"{name}: {'best' if by_hand else 'as given'} / ours"
            value = ratio(peer.median if peer else None, row.median if row.right else None)
            judged, engine = (row.verdict, peer.engine) if peer else ("no peer is right", "any")
            yield Figure("peers", row.case, words, value, "x", limit, engine, judged)


def figures(
    quick: bool = False,
    cases: Iterable[str] = (),
    engines: Iterable[str] = ADAPTERS,
    rounds: int = 5,
    limit: float = LIMIT,
    seed: int = 0,
) -> Iterator[Figure]:
    """Times and verdicts of all engines, and ours against the best of them."""
    rounds, limit = (3, min(limit, 10.0)) if quick else (rounds, limit)
    for case in cases or (QUICK if quick else CASES):
        rows = run_case(case, engines, rounds, limit, seed)
        yield from told(rows, "solve")
        yield from compared(rows)
        if case == APART:
            yield from compared(run_case(case, engines, APART_ROUNDS, limit, seed, ONCE), True)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; status 1 where a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--cases", nargs="+", default=(), help="as fourbar or chain(100)")
    parser.add_argument("--engines", nargs="+", choices=list(ADAPTERS), default=list(ADAPTERS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one solve")
    parser.add_argument("--seed", type=int, default=0, help="of the start poses")
    parser.add_argument("--quick", action="store_true", help="small cases, 3 rounds, 10 s a solve")
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    raise SystemExit(main())
