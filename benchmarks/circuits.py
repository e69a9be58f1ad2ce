"""Circuits of random planar linkages against dense sampling: `python -m benchmarks.circuits 10000`.

Four-, five- and six-bars of Watt and Stephenson with random pins are built at 7200 values of the
crank, for every choice of the sides of their dyads, by circle intersections of this file; and at
values that crowd about every end that was found, where short branches are.  What can be built has
to lie on one branch, what cannot on none.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import radians
from typing import Any, NamedTuple

import numpy as np

from assembly_solver.linkages.circuits.circuit import Branch, Circuits
from assembly_solver.linkages.circuits.circuits import circuits_of
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink

from .figures import Figure, count, report

CASES, FEW = 10_000, 300
"""Random linkages, and in a quick run."""

SAMPLES = 7200
"""Values of a turn that are built."""

CROWD = 10.0 ** np.arange(-7.0, 0.0, 0.5)
"""Distances from every end at which they are, too, degrees."""

EDGE = 1e-8
"""Distance from an end within which rounding decides, degrees."""

Numbers = Any


class Kind(NamedTuple):
    """A kind of linkage: its pins by number; 0 is the crank's axis, 1 its pin.

    Attributes:
        pins: how many; ground: those that stand.
        built: in order (point, from, from) of a dyad, or (point, from, from, None) on their link.
    """

    pins: int
    ground: tuple[int, ...]
    links: tuple[tuple[int, ...], ...]
    built: tuple[tuple[int, int, int] | tuple[int, int, int, None], ...]


KINDS = {
    "four-bar": Kind(4, (3,), ((0, 1), (1, 2), (3, 2)), ((2, 1, 3),)),
    "five-bar": Kind(5, (4,), ((0, 1), (1, 2), (3, 2), (4, 3)), ((2, 1, 3),)),
    "Watt": Kind(
        7, (3, 5), ((0, 1), (1, 2), (3, 2, 6), (6, 4), (5, 4)),
        ((2, 1, 3), (6, 3, 2, None), (4, 6, 5)),
    ),
    "Stephenson": Kind(
        7, (3, 5), ((0, 1), (1, 2, 6), (3, 2), (6, 4), (5, 4)),
        ((2, 1, 3), (6, 1, 2, None), (4, 6, 5)),
    ),
}  # fmt: skip


def linkage(kind: Kind, rng: np.random.Generator) -> Scheme:
    """Random pins, the crank shorter than the rest."""
    at = rng.uniform(-100.0, 100.0, (kind.pins, 2))
    at[1] = at[0] + (at[1] - at[0]) * rng.uniform(0.05, 1.0)
    far = at[0] + (100.0, 0.0)
    frame = SchemeLink("frame", (0, *kind.ground, kind.pins))
    links = tuple(SchemeLink(f"link {k}", points) for k, points in enumerate(kind.links))
    names = tuple(f"P{k}" for k in range(kind.pins + 1))
    inputs = [Actuator("crank", "R", (kind.pins, 0, 1), radians(1.0))]
    if kind.pins == 5:  # a second crank, which stands
        inputs.append(Actuator("other", "R", (kind.pins, 4, 3), radians(1.0)))
    return Scheme(names, np.vstack([at, far]), (frame, *links), (), tuple(inputs))


def built(kind: Kind, at: Numbers, sides: tuple[int, ...], degrees: Numbers) -> Numbers:
    """Which values of the crank can be built with every dyad on its drawn side (1) or not (-1)."""
    z = at[:, 0] + 1j * at[:, 1]
    start = np.degrees(np.angle(z[1] - z[0]))
    points = {k: np.full(len(degrees), z[k]) for k in range(kind.pins)}
    points[1] = z[0] + (z[1] - z[0]) * np.exp(1j * np.radians(degrees - start))
    left, holds = iter(sides), np.ones(len(degrees), bool)
    for p, a, b, *rigid in kind.built:
        d = points[b] - points[a]
        if rigid:
            points[p] = points[a] + (z[p] - z[a]) / (z[b] - z[a]) * d
            continue
        r, s, far = abs(z[p] - z[a]), abs(z[p] - z[b]), np.abs(d)
        along = (far**2 + r**2 - s**2) / (2.0 * far)
        square = (r - along) * (r + along)
        holds &= square >= 0.0
        side = next(left) * np.sign(np.imag((z[p] - z[a]) / (z[b] - z[a])))
        points[p] = points[a] + (along + 1j * side * np.sqrt(np.maximum(square, 0.0))) * d / far
    return holds


def covered(branch: Branch, degrees: Numbers) -> tuple[Numbers, Numbers]:
    """Which values lie on a branch, and which so near its ends that rounding decides."""
    if not branch.ends:
        return np.ones(len(degrees), bool), np.zeros(len(degrees), bool)
    width, past = branch.high - branch.low, np.mod(degrees - branch.low, 360.0)
    edge = np.minimum.reduce([past, 360.0 - past, np.abs(past - width)])
    return past <= width, edge < EDGE


def judged(kind: Kind, scheme: Scheme, found: Circuits) -> str:
    """What is wrong with the branches of a linkage, or ""."""
    branches = [b for c in found for b in c.branches]
    start = next(b for b in branches if b.start)
    ends = [end.value for b in branches for end in b.ends]
    crowds = [v + s * CROWD for v in ends for s in (-1, 1)]
    degrees = np.mod(np.concatenate([np.linspace(0.0, 360.0, SAMPLES), *crowds]), 360.0)
    dyads = [step[0] for step in kind.built if len(step) == 3]
    for sides in product((1, -1), repeat=len(dyads)):
        holds = built(kind, scheme.at, sides, degrees)
        on, edge = np.zeros(len(degrees), np.int64), np.zeros(len(degrees), bool)
        for b in branches:
            own = tuple(b.signs[f"P{p}"] * start.signs[f"P{p}"] for p in dyads)
            if own == sides:
                inside, near = covered(b, degrees)
                on, edge = on + inside, edge | near
        wrong = np.flatnonzero((on != holds) & ~edge)
        if len(wrong):
            k = int(wrong[0])
            return f"sides {sides}: on {on[k]} branches at {degrees[k]:.9g} deg, built: {holds[k]}"
    return ""


def run(cases: int, first: int = 0) -> tuple[Counter[str], float, dict[int, str]]:
    """Counts, processor time of the circuits alone, and what was wrong."""
    counts: Counter[str] = Counter()
    spent, wrong = 0.0, {}
    for number in range(first, first + cases):
        name = list(KINDS)[number % len(KINDS)]
        scheme = linkage(KINDS[name], np.random.default_rng(number))
        planned = plan_linkage(scheme)
        began = time.process_time()
        found = circuits_of(planned, 0)
        spent += time.process_time() - began
        counts["branches"] += sum(len(c.branches) for c in found)
        counts["complete"] += found.complete
        within = [e.within for c in found for b in c.branches for e in b.ends]
        counts["ends"] += len(within)
        counts["enclosed"] += sum(w is not None and w < 360e-12 for w in within)
        words = judged(KINDS[name], scheme, found)
        if words:
            wrong[number] = f"{name}, {words}; complete: {found.complete}"
    return counts, spent, wrong


def figures(quick: bool = False, cases: int = CASES, first: int = 0) -> Iterator[Figure]:
    """The figures of the suite."""
    cases = FEW if quick else cases
    counts, spent, wrong = run(cases, first)
    case = "random linkages"
    yield count("circuits", case, "with a branch missed or too many", wrong, cases)
    yield Figure("circuits", case, "called complete, share", counts["complete"] / cases)
    share = counts["enclosed"] / max(1, counts["ends"])
    yield Figure("circuits", "ends of branches", "enclosed to 1e-12 of a turn, share", share)
    yield Figure("circuits", case, "processor time each", 1e3 * spent / cases, "ms")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cases", type=int, nargs="?", default=CASES)
    options.add_argument("--first", type=int, default=0)
    chosen = options.parse_args()
    raise SystemExit(report(figures(cases=chosen.cases, first=chosen.first)))
