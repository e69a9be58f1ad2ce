"""Random cases by family, each judged: `python -m benchmarks.adversary --cases 10000`.

    python -m benchmarks.adversary --cases N --first SEED --only trees,loops --workers 2

prints what is wrong as it is found, with the family and the seed that repeat it, and a table.
`wrong` counts cases in which something that is said is not so, `false` solvable cases that are
called contradictory, `unsolved` solvable cases that are told not to be solved, `unclear` those that
could not be judged: more than 1 % of a family are too many.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from assembly_solver.report.terminal.layout import laid_out
from assembly_solver.report.terminal.tables import table

from . import FAMILIES
from .verdict import Verdict, allowed_unclear, judged

CHUNK = 25
"""Cases that a worker takes at a time."""

EVERY = 1000
"""Cases after which the table of a family is printed again."""

COLUMNS = ("cases", "wrong", "false", "unsolved", "unclear")


def counted(verdict: Verdict) -> Counter[str]:
    """A verdict as counts of the columns."""
    return Counter(
        cases=1,
        wrong=int(bool(verdict.wrong)),
        false=int(verdict.contradicted),
        unsolved=int(verdict.unsolved),
        unclear=int(verdict.unclear),
    )


def chunk(family: str, first: int, count: int) -> tuple[list[tuple[int, Verdict]], float]:
    """The verdicts of some seeds, and the processor time, s."""
    begin = time.process_time()
    found = [(seed, judged(FAMILIES[family], seed)) for seed in range(first, first + count)]
    return found, time.process_time() - begin


def chunks(
    pool: ProcessPoolExecutor | None, family: str, first: int, cases: int
) -> Iterator[tuple[list[tuple[int, Verdict]], float]]:
    """The verdicts of all seeds, in order, from this process or from several."""
    starts = range(first, first + cases, CHUNK)
    counts = [min(CHUNK, first + cases - s) for s in starts]
    names = [family] * len(counts)
    yield from (pool.map if pool else map)(chunk, names, starts, counts)


def counts_table(found: dict[str, dict[str, Counter[str]]], seconds: dict[str, float]) -> str:
    """The counts by family and kind."""
    rows: list[tuple[object, ...]] = []
    for family, kinds in found.items():
        total: Counter[str] = sum(kinds.values(), Counter())
        each = f"{1e3 * seconds[family] / total['cases']:.0f}"
        rows.append((family, *(total[c] for c in COLUMNS), each))
        for kind, counts in sorted(kinds.items()):
            rows.append((f"  {kind}", *(counts[c] for c in COLUMNS), ""))
    return laid_out(table(("family", *(f">{name}" for name in (*COLUMNS, "ms"))), rows), 100)


def main(arguments: list[str] | None = None) -> int:
    """Run the families and print the table; 1 where a case is not good."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default=",".join(FAMILIES))
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args(arguments)
    families = given.only.split(",")
    if unknown := [f for f in families if f not in FAMILIES]:
        parser.error(f"no family {unknown[0]}; there is {', '.join(FAMILIES)}")
    found: dict[str, dict[str, Counter[str]]] = {}
    seconds: dict[str, float] = defaultdict(float)
    pool = ProcessPoolExecutor(given.workers) if given.workers > 1 else None
    for family in families:
        kinds = found.setdefault(family, {})
        done = 0
        for verdicts, spent in chunks(pool, family, given.first, given.cases):
            seconds[family] += spent
            for seed, verdict in verdicts:
                kinds.setdefault(verdict.kind, Counter()).update(counted(verdict))
                if not verdict.good:
                    print(f"--only {family} --first {seed}: {words(verdict)}", flush=True)
            done += len(verdicts)
            if done % EVERY == 0 and done < given.cases:
                print(counts_table({family: kinds}, seconds))
    print(counts_table(found, seconds))
    totals = {family: sum(kinds.values(), Counter()) for family, kinds in found.items()}
    many = [f for f, c in totals.items() if c["unclear"] > allowed_unclear(c["cases"])]
    for family in many:
        print(f"{family}: too many are unclear")
    return int(bool(many) or any(c[x] for c in totals.values() for x in COLUMNS[1:4]))


def words(verdict: Verdict) -> str:
    """What is not good in a verdict."""
    out = ["called contradictory"] * verdict.contradicted + ["not solved"] * verdict.unsolved
    return f"({verdict.kind}) " + "; ".join([*out, *verdict.wrong])[:600]


if __name__ == "__main__":
    sys.exit(main())
