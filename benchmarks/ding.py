"""Approximate updates of the inverse against exact inverses: `python -m benchmarks.ding`.

The in-plane system of the excavator that Ding and others report has 15 equations in 17 variables;
which variables they are is not known.  Here they are position and heading (x, y, phi) of boom B1,
rockers B8 and B9, push rod B11 and bracket B12, and the directions of the boom's and the bucket's
cylinder.  The equations: six pin joints, the length of link B10 as a distance, and each rod's eye
on the line of its cylinder.  Two driven lengths make it 17 x 17.

Lengths in m and angles in rad, so that all variables are of one order; every count is of one solver
with its updates (guarded by `eta`) and without them (classical Newton with the pseudo-inverse).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from assembly_solver.foundations.numerics import newton

from . import own_systems
from .case import Array
from .figures import Figure, ratio, report

BODIES = ("B1", "B8", "B9", "B11", "B12")
VARIABLES = 3 * len(BODIES) + 2
BOOM, BUCKET = VARIABLES - 2, VARIABLES - 1  # columns of the cylinders' directions
LINK = 0.580
ETA = 0.1  # share of the squared residual that a step must remove to be followed by an update
STARTS, SIGMA = 40, 0.15  # random starts: number, and standard deviation, m and rad
POSITIONS = 30
MOST_EXACT = 0.35  # exact inverses with updates, over those of the classical method


class BodyPoint(NamedTuple):
    """A point of a body, in the coordinates of the body, m; of the base where body is None."""

    body: str | None
    x: float
    y: float


def _base(x: float, y: float) -> BodyPoint:
    return BodyPoint(None, x, y)


BOOM_FOOT, BUCKET_FOOT = _base(0.5, -0.5), _base(-0.3, 0.5)
BOOM_EYE = BodyPoint("B1", 1.3, -0.25)
BUCKET_EYE = BodyPoint("B8", 0.5 * math.cos(math.radians(55)), 0.5 * math.sin(math.radians(55)))
LINK_ENDS = (BodyPoint("B8", 0.45, 0), BodyPoint("B11", 0, 0))
PINS = (
    (BodyPoint("B1", 0, 0), _base(0, 0)),
    (BodyPoint("B8", 0, 0), BodyPoint("B1", 1.5, 0.35)),
    (BodyPoint("B9", 0, 0), BodyPoint("B1", 2.2, 0.25)),
    (BodyPoint("B12", 0, 0), BodyPoint("B1", 3.0, 0)),
    (BodyPoint("B11", 0, 0), BodyPoint("B9", 0.48, 0)),
    (BodyPoint("B12", 0.5, 0), BodyPoint("B11", 0.9, 0)),
)
SLIDERS = ((BOOM_EYE, BOOM_FOOT, BOOM), (BUCKET_EYE, BUCKET_FOOT, BUCKET))


def place(x: Array, spot: BodyPoint) -> tuple[Array, Array]:
    """World position (2,) of a spot, m, and its derivative (2, 17) by the variables."""
    slope = np.zeros((2, len(x)))
    local = np.array([spot.x, spot.y])
    if spot.body is None:
        return local, slope
    i = 3 * BODIES.index(spot.body)
    c, s = math.cos(x[i + 2]), math.sin(x[i + 2])
    arm = np.array([c * local[0] - s * local[1], s * local[0] + c * local[1]])
    slope[0, i] = slope[1, i + 1] = 1.0
    slope[:, i + 2] = -arm[1], arm[0]
    return x[i : i + 2] + arm, slope


def equations(x: Array) -> tuple[Array, Array]:
    """Residual (15,) m and Jacobian (15, 17) of the undriven system."""
    values, slopes = [], []
    for one, other in PINS:
        (p, dp), (q, dq) = place(x, one), place(x, other)
        values.append(p - q)
        slopes.append(dp - dq)
    length, slope = separation(x, *LINK_ENDS)
    values.append(np.array([length - LINK]))
    slopes.append(slope[None])
    for eye, foot, column in SLIDERS:
        (p, dp), (q, _) = place(x, eye), place(x, foot)
        c, s = math.cos(x[column]), math.sin(x[column])
        across = np.array([-s, c])
        row = across @ dp
        row[column] = -np.array([c, s]) @ (p - q)
        values.append(np.array([across @ (p - q)]))
        slopes.append(row[None])
    return np.concatenate(values), np.vstack(slopes)


def separation(x: Array, one: BodyPoint, other: BodyPoint) -> tuple[float, Array]:
    """Distance of two spots, m, and its derivative (17,); zero where the spots coincide."""
    (p, dp), (q, dq) = place(x, one), place(x, other)
    length = math.dist(p, q)
    return length, ((p - q) / length if length else np.zeros(2)) @ (dp - dq)


class ResidualProblem(NamedTuple):
    """A system of equations as two functions of its variables."""

    residual: Callable[[Array], Array]
    jacobian: Callable[[Array], Array]


FREE = ResidualProblem(lambda x: equations(x)[0], lambda x: equations(x)[1])


def driven(boom: float, bucket: float) -> ResidualProblem:
    """The 17 x 17 system with both cylinders held at a length, m."""

    def whole(x: Array) -> tuple[Array, Array]:
        value, slope = equations(x)
        lengths = [separation(x, eye, foot) for eye, foot, _ in SLIDERS]
        gaps = [
            length - wanted for (length, _), wanted in zip(lengths, (boom, bucket), strict=True)
        ]
        return np.append(value, gaps), np.vstack([slope, *(row for _, row in lengths)])

    return ResidualProblem(lambda x: whole(x)[0], lambda x: whole(x)[1])


def closed() -> Array:
    """The configuration with the cylinders at 1.075 and 1.265 m, to 1e-12; shape (17,)."""
    headings = dict(
        zip(
            BODIES,
            (0.349413518165, 1.742998994104, 2.012687452524, 0.092561725225, 1.867887837293),
            strict=True,
        )
    )
    x = np.zeros(VARIABLES)
    x[BOOM], x[BUCKET] = 0.721633128934, 0.453958031143
    order = ("B1", "B8", "B9", "B12", "B11")  # each is connected to a body before it
    for body in order:
        x[3 * BODIES.index(body) + 2] = headings[body]
    for body in order:
        mine, its = next(pin for pin in PINS if pin[0].body == body)
        i = 3 * BODIES.index(body)
        x[i : i + 2] += place(x, its)[0] - place(x, mine)[0]
    return x


class RunCounts(NamedTuple):
    """Counts summed over runs; `failed`: runs that did not reach the tolerance."""

    inverses: int = 0
    updates: int = 0
    reduced: int = 0
    perturbations: int = 0
    failed: int = 0

    def plus(self, root: newton.Root) -> RunCounts:
        """The sum with the counts of one run."""
        c = root.counts
        failed = root.outcome is not newton.RootOutcome.SOLVED
        seen = c.inverses, c.updates, c.reduced_updates, c.perturbations, failed
        return RunCounts(*(a + b for a, b in zip(self, seen, strict=True)))


def random_starts(tolerance: float, update: bool) -> RunCounts:
    """Both cylinders free, from starts scattered around the closed configuration."""
    draw = np.random.default_rng(0)
    tally = RunCounts()
    for _ in range(STARTS):
        start = closed() + SIGMA * draw.standard_normal(VARIABLES)
        tally = tally.plus(
            newton.solve(*FREE, start, tolerance, eta=ETA, update=update, perturb_to=0)
        )
    return tally


def driven_sweep(tolerance: float, update: bool) -> RunCounts:
    """Both cylinders driven (1.0 to 1.25 and 1.25 to 1.5 m), each position from the one before."""
    lengths = np.linspace((1.0, 1.25), (1.25, 1.5), POSITIONS + 1)
    x = newton.solve(*driven(*lengths[0]), closed(), 1e-12).x
    tally = RunCounts()
    for boom, bucket in lengths[1:]:
        root = newton.solve(
            *driven(boom, bucket), x, tolerance, eta=ETA, update=update, perturb_to=0
        )
        tally, x = tally.plus(root), root.x
    return tally


def zero_start(tolerance: float, update: bool) -> RunCounts:
    """Both cylinders free and every variable 0, as after an import: the rank is 14 of 15 there."""
    root = newton.solve(*FREE, np.zeros(VARIABLES), tolerance, eta=ETA, update=update, perturb_to=0)
    return RunCounts().plus(root)


RUNS: dict[str, Callable[[float, bool], RunCounts]] = {
    f"15 x 17, {STARTS} random starts": random_starts,
    f"17 x 17 driven, {POSITIONS} positions": driven_sweep,
    "15 x 17, all variables 0": zero_start,
}


def figures(quick: bool = False) -> Iterator[Figure]:
    """The counts of all runs; quick: without the engine's own systems.

    On the random starts updates save what they must, and there are more of them than inverses; on
    the engine's own systems they save something.
    """
    for name, run in RUNS.items():
        for tolerance in (1e-5, 1e-10):
            case, drawn = f"{name}, {tolerance:g}", run is random_starts
            ours, classic = run(tolerance, True), run(tolerance, False)
            yield from counted(case, ours, classic, drawn)
            share, limit = ratio(ours.inverses, classic.inverses), f"<= {MOST_EXACT:g}"
            yield Figure("ding", case, "inverses / classical", share, "x", limit if drawn else "")
            more, limit = ours.updates - ours.inverses, ">= 1" if drawn else ""
            yield Figure("ding", case, "updates less inverses", more, "", limit)
    for name, own in () if quick else own_systems.SYSTEMS.items():
        for tolerance in (1e-5, 1e-10):
            case = f"{name}, {tolerance:g}"
            ours, classic = (_own(own(tolerance, update)) for update in (True, False))
            yield from counted(case, ours, classic, True)
            saved = classic.inverses - ours.inverses
            yield Figure("ding", case, "classical less inverses", saved, "", ">= 1")


def _own(counts: tuple[int, int, int, int]) -> RunCounts:
    """The counts of the engine's own systems, which do not tell the reduced updates."""
    inverses, updates, perturbations, failed = counts
    return RunCounts(inverses, updates, 0, perturbations, failed)


def counted(case: str, ours: RunCounts, classic: RunCounts, solved: bool) -> Iterator[Figure]:
    """Exact inverses with guarded updates, and those of classical Newton; whether all converge."""
    limit = "<= 0" if solved else ""
    for name in ("inverses", "updates", "reduced", "perturbations"):
        yield Figure("ding", case, name, getattr(ours, name))
    yield Figure("ding", case, "inverses, classical", classic.inverses)
    yield Figure("ding", case, "not converged", ours.failed, "", limit)
    yield Figure("ding", case, "not converged, classical", classic.failed)


if __name__ == "__main__":
    raise SystemExit(report(figures()))
