"""Success rates from random starts: `python -m benchmarks.robustness`.

Noise n shifts every part by up to 10 n % of the size of the case and turns it by up to 20 n
degrees: 9 is 90 % and half a turn.  Every result is judged from the features alone: each mate holds
to 1e-6 of the size, no sense is reversed, the ground has not moved; the product has 2 s.  Told
besides: what holds to 1e-3 of the size, what an engine calls solved that does not even hold to
that, what it calls solved with a reversed sense.  Peers get fewer starts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import assembly_solver as asm

from .adapters import ADAPTERS
from .adapters.by_ourselves import solved_poses
from .case import restart
from .families import assembly, named
from .figures import Figure, median, report
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
"""Cases whose far starts need compiled fallbacks: solved before anything is timed."""

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
    fallbacks: Counter[str] = field(default_factory=Counter)
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
        out.fallbacks.update(solution.fallbacks or ["plan"])
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
    plan: list[tuple[str, float]], starts: int, peers: Sequence[str], peer_starts: int, seed: int
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


# ------------------------------------------------------------------ figures


def told(t: StartTally) -> Iterator[Figure]:
    """Shares of the starts that came home and that lied, and the times."""
    ours = t.engine == "ours"
    case, peer = f"{t.case} at {t.noise:g}", "" if ours else t.engine
    share = t.right / t.starts if t.starts else None
    limit = f">= {t.wanted:g}" if t.wanted else ""
    yield Figure("robustness", case, "share that is right", share, "", limit, peer)
    yield Figure("robustness", case, "starts", t.starts, "", "", peer, "" if ours else t.note)
    for name, n in (("called solved, is not", t.false), ("called solved, reversed", t.flipped)):
        yield Figure("robustness", case, name, n, "", "<= 0" if ours else "", peer)
    yield Figure("robustness", case, "closed to 1e-3", t.loose, "", "", peer)
    for name, ms in (("median", median(t.ms)), ("longest", max(t.ms, default=None))):
        yield Figure("robustness", case, name, ms, "ms", "", peer)
    for fallback, n in t.fallbacks.most_common():
        yield Figure("robustness", case, f"by {fallback}", n, "", "", peer)


def _plan(cases: Iterable[str], noises: Iterable[float]) -> list[tuple[str, float]]:
    """The required shares; with names or noises all pairs of them."""
    if not cases and not noises:
        return list(WANTED)
    every = list(dict.fromkeys(noise for _, noise in WANTED))
    return [(case, noise) for case in cases or SMALL for noise in noises or every]


def figures(
    quick: bool = False,
    cases: Iterable[str] = (),
    noise: Iterable[float] = (),
    starts: int = 200,
    peers: Sequence[str] = PEERS,
    peer_starts: int = 10,
    seed: int = 0,
) -> Iterator[Figure]:
    """What comes home; quick: ten starts of the small cases, without the peers."""
    plan = _plan(SMALL if quick and not cases else cases, noise)
    starts, peers = (10, ()) if quick else (starts, peers)
    for tally in tallies(plan, starts, peers, peer_starts, seed):
        yield from told(tally)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; status 1 where the product is not as it must be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small cases, 10 starts, no peers")
    parser.add_argument("--starts", type=int, default=200, help="of the product, for each row")
    parser.add_argument("--cases", nargs="+", default=(), help="as fourbar or ladder(10)")
    parser.add_argument("--noise", nargs="+", type=float, default=(), help="1: 10 %%, 20 degrees")
    parser.add_argument("--seed", type=int, default=0, help="of the first start")
    parser.add_argument("--peers", nargs="*", choices=list(ADAPTERS), default=list(PEERS))
    parser.add_argument("--peer-starts", type=int, default=10)
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    raise SystemExit(main())
