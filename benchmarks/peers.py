"""All engines on all cases, in turn, every result judged: `python -m benchmarks.peers`.

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
import os
import platform
import queue
import statistics
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .adapters import ADAPTERS
from .families import named

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
GROWTH = ("chain(100)", "chain(1000)", "chain(10000)")
OURS = ("ours:first", "ours:repeated")
PEERS = tuple(engine for engine in ADAPTERS if engine not in OURS)

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
    case: str, engines: list[str], rounds: int, limit: float, seed: int
) -> list[EngineRow]:
    """All engines on one case: a warm-up, then the rounds in turn.

    A warm-up that took long is the engine's only round.
    """
    rows = [EngineRow(case, engine, note=SKIPPED.get((case, engine), "")) for engine in engines]
    workers = [Worker(row, seed) for row in rows if not row.note]
    over: set[str] = set()
    for turn in range(rounds + 1):
        for worker in workers:
            row = worker.row
            answer = None if row.engine in over else worker.solve(limit)
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


# ------------------------------------------------------------------ printing


def _ms(value: float) -> str:
    """Milliseconds with three or more digits."""
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def _show(rows: list[EngineRow]) -> None:
    case = named(rows[0].case)
    print(f"\n{case.name}: {len(case.parts)} parts, {len(case.mates)} mates, {case.dof} freedoms")
    for row in rows:
        if not row.ms:
            print(f"  {row.engine:<16}{'-':>10}     {row.note[:46]}")
            continue
        spread = f"{_ms(min(row.ms))} .. {_ms(max(row.ms))}"
        says = row.note or row.says
        print(
            f"  {row.engine:<16}{_ms(row.median):>10} ms  {row.verdict:<8}{spread:<20}{says[:20]}"
        )


def best(rows: list[EngineRow], by_hand: bool) -> EngineRow | None:
    """The fastest peer that is right, with or without those prepared by hand."""
    peers = [r for r in rows if r.right and r.engine not in OURS]
    peers = [r for r in peers if by_hand or not r.engine.endswith("minimal")]
    return min(peers, key=lambda r: r.median, default=None)


def compare(rows: list[EngineRow]) -> dict[str, Any]:
    """Ours against the best correct peer: times in ms, ratios peer / ours."""
    ours = {row.engine: row for row in rows if row.engine in OURS}
    out: dict[str, Any] = {"case": rows[0].case}
    for engine, row in ours.items():
        out[engine] = row.median if row.right else None
    for key, by_hand in (("best", True), ("best_as_given", False)):
        peer = best(rows, by_hand)
        out[key] = None if peer is None else {"engine": peer.engine, "ms": peer.median}
        for engine in ours:
            right = peer is not None and out[engine] is not None
            out[f"{key}/{engine}"] = peer.median / out[engine] if peer and right else None
    return out


def _summary(table: list[dict[str, Any]]) -> None:
    """One line a case: ours, the best correct peer, and the ratios peer / ours."""

    def ratio(entry: dict[str, Any], key: str) -> str:
        value = entry.get(key)
        return "-" if value is None else f"{value:.1f}x"

    print("\nBest correct peer / ours (the peers include those prepared by hand: minimal)\n")
    words = ("case", "first", "again", "best peer", "ms", "first", "again")
    print("{:<12}{:>9}{:>9}  {:<16}{:>8}{:>8}{:>8}".format(*words))
    for entry in table:
        peer = entry["best"]
        times = [entry.get(engine) for engine in OURS]
        shown = "".join(f"{'-' if t is None else _ms(t):>9}" for t in times)
        name, ms = (peer["engine"], _ms(peer["ms"])) if peer else ("none", "-")
        ratios = "".join(f"{ratio(entry, f'best/{engine}'):>8}" for engine in OURS)
        print(f"{entry['case']:<12}{shown}  {name:<16}{ms:>8}{ratios}")
    print("\nThe same against the peers that take the mates as they are given\n")
    for entry in table:
        peer = entry["best_as_given"]
        name, ms = (peer["engine"], _ms(peer["ms"])) if peer else ("none", "-")
        ratios = "".join(f"{ratio(entry, f'best_as_given/{engine}'):>8}" for engine in OURS)
        print(f"{entry['case']:<30}  {name:<16}{ms:>8}{ratios}")


def growth(rounds: int, limit: float, seed: int) -> list[EngineRow]:
    """Times of the product alone on longer and longer chains."""
    rows: list[EngineRow] = []
    for case in GROWTH:
        rows += run_case(case, list(OURS), rounds, limit, seed)
    print("\nGrowth of the product with the length of a chain (ms; times the one before)\n")
    for engine in OURS:
        before = None
        for row in (r for r in rows if r.engine == engine):
            if not row.right:
                print(f"  {engine:<16}{row.case:<14}{'-':>10}  {row.verdict} {row.note[:30]}")
                continue
            factor = "" if before is None else f"{row.median / before:8.1f}x"
            print(f"  {engine:<16}{row.case:<14}{_ms(row.median):>10}{factor}")
            before = row.median
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Run, print, and write the table as JSON where asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--cases", nargs="+", help="names such as fourbar or chain(100)")
    parser.add_argument("--engines", nargs="+", choices=list(ADAPTERS), default=list(ADAPTERS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one solve")
    parser.add_argument("--seed", type=int, default=0, help="of the start poses")
    parser.add_argument("--quick", action="store_true", help="small cases, 3 rounds, 10 s a solve")
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--json", type=Path, help="write the tables to this file")
    ask = parser.parse_args(arguments)
    cases = ask.cases or (QUICK if ask.quick else CASES)
    rounds, limit = (3, min(ask.limit, 10.0)) if ask.quick else (ask.rounds, ask.limit)
    rows: list[EngineRow] = []
    table = []
    for case in cases:
        new = run_case(case, ask.engines, rounds, limit, ask.seed)
        _show(new)
        sys.stdout.flush()
        rows += new
        table.append(compare(new))
    _summary(table)
    alone = ask.no_growth or ask.quick or not set(OURS) & set(ask.engines)
    grown = [] if alone else growth(rounds, limit, ask.seed)
    if ask.json:
        facts = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "processors": os.cpu_count(),
            "rounds": rounds,
            "seed": ask.seed,
            "rows": [asdict(row) for row in rows],
            "compared": table,
            "growth": [asdict(row) for row in grown],
        }
        ask.json.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
