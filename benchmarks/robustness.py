"""Success rates from random starts: `python -m benchmarks.robustness`.

Noise n shifts every part by up to 10 n % of the size of the case and turns it by up to 20 n
degrees: 9 is 90 % and half a turn.  Every result is judged from the features alone: each mate holds
to 1e-6 of the size, no sense is reversed, the ground has not moved; the product has 2 s.  `1e-3`
counts also what holds to 1e-3 of the size, `false` starts that the engine calls solved and that do
not even hold to that, `flip` those called solved with a reversed sense.  Peers get fewer starts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import assembly_solver as asm

from .adapters import ADAPTERS
from .adapters.by_ourselves import solved_poses
from .case import restart
from .families import assembly, named
from .judge import Verdict, judge
from .peers import EngineRow, Worker

SMALL = ("fourbar", "ladder(3)", "chain(10)", "stack(3)", "scissor(3)", "excavator", "stewart")
LARGE = ("chain(100)", "ladder(30)")

WANTED: dict[tuple[str, float], float] = {
    **{(case, noise): 1.0 for case in SMALL for noise in (1.0, 3.0, 4.5)},
    **{(case, 9.0): 0.99 for case in SMALL},
    **{(case, noise): 1.0 for case in LARGE for noise in (1.0, 3.0)},
    ("ladder(10)", 9.0): 0.9,
}
"""Required share of correct starts, by case and noise."""

PEERS = ("cadquery", "ondsel:joints", "py-slvs", "py-slvs:minimal")
"""One way or two for each engine; `benchmarks.adapters` has more."""

COMPILING = (("fourbar", 9.0), ("excavator", 3.0), ("stewart", 9.0))
"""Cases whose far starts reach the compiled rungs: solved before anything is timed."""

LIMIT = 2.0  # time limit for one start, s
PATIENCE = 20.0  # seconds after which a peer's solve is ended
ROW = 60.0  # seconds after which a peer gets no more starts

SAYS_SOLVED = {"solved", "okay", "redundant", "redundant_okay", "solve_succeeded"}
"""Messages of the engines for success, in lower case."""


@dataclass
class StartTally:
    """What one engine did with one case at one noise."""

    case: str
    noise: float
    engine: str
    starts: int = 0
    right: int = 0
    loose: int = 0
    false: int = 0
    flipped: int = 0
    late: int = 0
    ms: list[float] = field(default_factory=list)
    rungs: Counter[str] = field(default_factory=Counter)
    note: str = ""

    def add(self, word: str, flips: int, says: str, seconds: float) -> None:
        """Count one start by the verdicts of the judge and of the engine."""
        late = seconds > LIMIT and self.engine == "ours"
        self.starts += 1
        self.late += late
        self.right += word == "right" and not late
        self.loose += word in ("right", "loose")
        said = says.lower() in SAYS_SOLVED
        self.false += said and word not in ("right", "loose")
        self.flipped += said and flips > 0
        self.ms.append(1e3 * seconds)

    @property
    def wanted(self) -> float | None:
        """The required share; None without a requirement."""
        return WANTED.get((self.case, self.noise)) if self.engine == "ours" else None

    @property
    def good(self) -> bool:
        """Whether the requirement is met: enough are right and none is false."""
        enough = self.right >= (self.wanted or 0.0) * self.starts
        return self.engine != "ours" or (enough and self.false == 0 and self.flipped == 0)


def ours(case_name: str, noise: float, seeds: range) -> StartTally:
    """The product, a new assembly for every start, its plan made in the solve."""
    out = StartTally(case_name, noise, "ours")
    case = named(case_name)
    for seed in seeds:
        case = restart(case, seed, noise)
        model = assembly(case)
        begun = time.perf_counter()
        solution = asm.solve(model)
        seconds = time.perf_counter() - begun
        verdict: Verdict = judge(case, solved_poses(case, solution.best_poses))
        out.add(verdict.word, verdict.flips, solution.outcome.name, seconds)
        out.rungs.update(solution.rungs or ["plan"])
    return out


def theirs(case: str, noise: float, engine: str, seeds: range) -> StartTally:
    """A peer, in a process of its own; a solve that takes too long is ended and counts as wrong."""
    out = StartTally(case, noise, engine)
    begun = time.perf_counter()
    worker: Worker | None = None
    for seed in seeds:
        if time.perf_counter() - begun > ROW:
            out.note = f"ended after {ROW:g} s"
            break
        worker = worker or Worker(EngineRow(case, engine), 0)
        order = json.dumps({"seed": seed, "noise": noise})
        answer = worker.solve(PATIENCE, order)
        if answer is not None:
            out.add(answer["verdict"], answer["flips"], answer["says"], answer["ms"] / 1e3)
            continue
        if worker.row.note.startswith("prepare"):
            out.note = worker.row.note
            break
        out.add("wrong", 0, worker.row.note, PATIENCE)
        out.late += "more than" in worker.row.note
        worker = None
    if worker is not None:
        worker.end()
    return out


def tallies(
    plan: list[tuple[str, float]], starts: int, peers: list[str], peer_starts: int, seed: int
) -> Iterator[StartTally]:
    """One tally for each case, noise and engine; progress goes to standard error."""
    for case, noise in COMPILING:
        ours(case, noise, range(seed, seed + 10))
    for case, noise in plan:
        ours(case, noise, range(seed, seed + 1))  # compiled code is loaded before anything is timed
        for engine in ["ours", *peers]:
            own = engine == "ours"
            seeds = range(seed, seed + (starts if own else peer_starts))
            print(f"{case}, noise {noise:g}: {engine} ...", end="", file=sys.stderr, flush=True)
            found = ours(case, noise, seeds) if own else theirs(case, noise, engine, seeds)
            print(f" {found.right} of {found.starts}", file=sys.stderr, flush=True)
            yield found


# ------------------------------------------------------------------ printing
def table(found: list[StartTally]) -> Table:
    """Success, times and fallbacks; the product's rows with the required shares."""
    out = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    out.add_column("case at noise", no_wrap=True)
    for heading in ("right", "1e-3", "false", "flip", "ms", "worst"):
        out.add_column(heading, justify="right", no_wrap=True)
    out.add_column("rungs, notes")
    for k, t in enumerate(found):
        if k and t.case != found[k - 1].case:
            out.add_section()
        style = "bold" if t.engine == "ours" else "dim"
        out.add_row(*_cells(t), style=style if t.good else "bold red")
    return out


def _cells(t: StartTally) -> tuple[str, ...]:
    words = [f"{n} {rung}" for rung, n in t.rungs.most_common() if rung != "plan"]
    words += [f"{t.late} late"] if t.late else []
    words += [t.note] if t.note else []
    times = (f"{statistics.median(t.ms):.4g}", f"{max(t.ms):.4g}") if t.ms else ("-", "-")
    return (
        f"{t.case} at {t.noise:g}" if t.engine == "ours" else f"  {t.engine}",
        f"{t.right}/{t.starts}",
        str(t.loose),
        str(t.false),
        str(t.flipped),
        *times,
        ", ".join(words),
    )


def _plan(cases: list[str] | None, noises: list[float] | None) -> list[tuple[str, float]]:
    """The required shares; with names or noises all pairs of them."""
    if cases is None and noises is None:
        return list(WANTED)
    every = list(dict.fromkeys(noise for _, noise in WANTED))
    return [(case, noise) for case in cases or SMALL for noise in noises or every]


def main(arguments: list[str] | None = None) -> int:
    """Print the table; status 1 where the product is not as it must be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("--starts", type=int, default=200, help="of the product, for each row")
    parser.add_argument("--cases", nargs="+", help="names such as fourbar or ladder(10)")
    parser.add_argument("--noise", nargs="+", type=float, help="1: 10 %% of the size, 20 degrees")
    parser.add_argument("--seed", type=int, default=0, help="of the first start")
    parser.add_argument("--peers", nargs="+", choices=list(ADAPTERS), default=list(PEERS))
    parser.add_argument("--peer-starts", type=int, default=10)
    parser.add_argument("--no-peers", action="store_true")
    ask = parser.parse_args(arguments)
    peers = [] if ask.no_peers else ask.peers
    plan = _plan(ask.cases, ask.noise)
    found = list(tallies(plan, ask.starts, peers, ask.peer_starts, ask.seed))
    console = Console(highlight=False)
    console.width = min(console.width, 80)
    console.print(table(found))
    return 0 if all(t.good for t in found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
