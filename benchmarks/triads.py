"""Circuits of random linkages with a triad, with proof: `python -m benchmarks.triads 100`.

The oracle builds a triad by arithmetic of this file: the coupler's first point goes round its
circle, the second one is where two circles meet, and the third one has to be at its distance:
signs that change along a fine grid, and along grids that crowd at its ends and where the distance
is nearly right, are positions.  At
random crank angles, and on either side of every end, as many branches have to be there.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from math import radians
from typing import Any

import numpy as np

from assembly_solver.linkages.circuits.circuit import Branch, Circuits
from assembly_solver.linkages.circuits.circuits import circuits_of
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink

from .figures import Figure, count, report

CASES, FEW = 100, 5
"""Random linkages, and in a quick run."""

ANGLES = 12
"""Random crank angles of each."""

BESIDE = 0.05
"""Distance from every end at which positions are counted as well, degrees."""

Array = Any
Complexes = Any

DEGREE = radians(1.0)


def triad(at: Array) -> Scheme:
    """A crank 0-1, ground pins 2 and 3, a coupler 4-5-6 on the legs 1-4, 2-5 and 3-6."""
    far = at[0] + (100.0, 0.0)
    links = ((0, 1), (1, 4), (2, 5), (3, 6), (4, 5, 6))
    return Scheme(
        tuple("ABCDEFGR"),
        np.vstack([at, far]),
        (SchemeLink("frame", (0, 2, 3, 7)), *(SchemeLink(f"link {x}", x) for x in links)),
        (),
        (Actuator("crank", "R", (7, 0, 1), DEGREE),),
    )


def random_pins(number: int) -> Array:
    rng = np.random.default_rng(number)
    at = rng.uniform(-100.0, 100.0, (7, 2))
    at[1] = at[0] + (at[1] - at[0]) * rng.uniform(0.05, 1.0)
    return at


def branches(circuits: Circuits) -> list[Branch]:
    return [b for c in circuits for b in c.branches]


# ------------------------------------------------------------------ the oracle
def meet(c: Complexes, r: float, d: complex, s: float, side: int) -> Complexes:
    """Where circles meet, left of c -> d with side +1; NaN where they do not."""
    q = d - c
    far = np.abs(q)
    along = (far**2 + r**2 - s**2) / (2.0 * far)
    square = (r - along) * (r + along)
    out: Complexes = c + (along + 1j * side * np.sqrt(np.where(square >= 0, square, np.nan))) * (
        q / far
    )
    return out


def ways_to_build(at: Array, crank: float) -> int:
    """How many positions the coupler has at a crank angle past the drawn one, rad."""
    z = at @ np.array([1.0, 1j])
    pin = z[0] + (z[1] - z[0]) * np.exp(1j * crank)
    share = (z[6] - z[4]) / (z[5] - z[4])

    def gap(phi: Array, side: int) -> Array:
        first = pin + abs(z[4] - z[1]) * np.exp(1j * phi)
        second = meet(first, abs(z[5] - z[4]), complex(z[2]), abs(z[5] - z[2]), side)
        out: Array = np.abs(first + share * (second - first) - z[3]) - abs(z[6] - z[3])
        return out

    ways, grid = 0, np.linspace(0.0, 2.0 * math.pi, 6001)
    for side in (1, -1):
        known = np.isfinite(gap(grid, side))
        ends = np.flatnonzero(known[1:] != known[:-1])
        size = np.abs(gap(grid, side))
        least = 1 + np.flatnonzero((size[1:-1] < size[:-2]) & (size[1:-1] <= size[2:]))
        crowds = [grid, *(np.linspace(grid[k - 1], grid[k + 1], 401) for k in least)]
        for k in ends:
            inner, outer = (grid[k], grid[k + 1]) if known[k] else (grid[k + 1], grid[k])
            start = inner
            for _ in range(55):
                middle = 0.5 * (inner + outer)
                if np.isfinite(gap(np.array([middle]), side)[0]):
                    inner = middle
                else:
                    outer = middle
            crowds.append(inner + (start - inner) * np.append(0.0, 10.0 ** np.arange(-12, 0, 0.5)))
        phi = np.unique(np.concatenate(crowds))
        values = gap(phi, side)
        finite = np.isfinite(values)
        both = finite[1:] & finite[:-1]
        ways += int(np.sum(both & (np.sign(values[1:]) != np.sign(values[:-1]))))
    return ways


def built_on(branches: list[Branch], crank: float) -> int:
    """How many positions branches have at a crank angle, degrees."""
    on = 0
    for b in branches:
        if not b.ends:
            on += round((b.high - b.low) / 360.0)
        elif (crank - b.low) % 360.0 <= b.high - b.low:
            on += 1 + int((b.high - b.low - (crank - b.low) % 360.0) // 360.0)
    return on


def judged(number: int, at: Array, circuits: Circuits) -> str:
    """What is wrong with the branches of a triad, or ""."""
    every = branches(circuits)
    if [b.start for b in every].count(True) != 1:
        return "the drawn position is not on one branch"
    drawn = math.degrees(math.atan2(*(at[1] - at[0])[::-1]))
    ends = np.array([e.value for b in every for e in b.ends])
    beside = np.ravel(ends[:, None] + [-BESIDE, BESIDE])
    for crank in np.concatenate([np.random.default_rng(number).uniform(0, 360, ANGLES), beside]):
        ways = ways_to_build(at, radians(crank - drawn))
        on = built_on(every, float(crank))
        if on != ways:
            return f"on {on} branches at {crank:.9g} deg, built: {ways}"
    return ""


def figures(quick: bool = False, cases: int = CASES, first: int = 0) -> Iterator[Figure]:
    """The figures of the suite."""
    cases = FEW if quick else cases
    proved, spent, wrong, within = 0, [], dict[int, str](), list[float]()
    for number in range(first, first + cases):
        at = random_pins(number)
        planned = plan_linkage(triad(at))
        began = time.process_time()
        found = circuits_of(planned, 0)
        spent.append(time.process_time() - began)
        proved += found.complete
        within += [e.within for b in branches(found) for e in b.ends if e.within is not None]
        if found.complete and (words := judged(number, at, found)):
            wrong[number] = words
    case = "random triads"
    yield count("triads", case, "proved, with a branch missed or too many", wrong, proved)
    yield Figure("triads", case, "proved, share", proved / cases)
    share = sum(w < 360e-12 for w in within) / max(1, len(within))
    yield Figure("triads", "ends of branches", "enclosed", float(len(within)))
    yield Figure("triads", "ends of branches", "enclosed to 1e-12 of a turn, share", share)
    yield Figure("triads", "ends of branches", "widest", max(within, default=None), "deg")
    yield Figure("triads", case, "processor time each", 1e3 * sum(spent) / cases, "ms")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cases", type=int, nargs="?", default=CASES)
    options.add_argument("--first", type=int, default=0)
    chosen = options.parse_args()
    raise SystemExit(report(figures(cases=chosen.cases, first=chosen.first)))
