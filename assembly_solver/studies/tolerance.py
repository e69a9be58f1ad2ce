"""The public call `tolerance`: what the tolerances of an assembly do to its measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from ..errors import BadValue, MissingKey
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.tolerances.named_measure import NamedMeasure
from ..results.motion import Motion
from ..results.solution import Solution
from ..solver.modes.known_signs import signs_of_modes
from ..verbs.solving import solve
from .binding import FREED, Binding, binding_of
from .designs import scrambled_sobol
from .deviations import Spread, drawn, linear_spread, spreads_of
from .linear_model import LinearModel, Sensitivities, linear_model, pose_of
from .many_samples import Sampled, SampleSolver
from .measured import outputs
from .shares import Indices, shapley_shares, sobol_indices
from .sought_play import SoughtPlay
from .tolerance_band import QUANTILES, ToleranceBand, tolerance_along
from .variables import of_tolerance
from .worst_case import linear_extreme, search_extreme

BINS = 40
"""Intervals of a histogram, from the least to the largest sample."""

EXPLAINED = 0.95
"""Share of the variance from which the linear model tells who contributes what."""

REPEATS = 8
"""Scrambled sequences of quasi-random numbers: their means tell the error of all."""

SHARES = 2048
"""Samples of each variable from which the shares of a non-linear measure are estimated."""

FEWEST = 64
"""Fewest samples from which Sobol's indices are estimated: else no more solves than samples."""


@dataclass(frozen=True, eq=False)
class MeasureSpread:
    """What tolerances do to one measure, mm or degrees.

    Attributes:
        measure: with its bounds; nominal: its value.
        worst_case, linear_worst_case: least and largest value, of the assembly and linear.
        worst_case_at: the deviations of all variables at the first two, by name, mm or degrees.
        searched: how they were found, in words.
        rss: mean and standard deviation of the linear model.
        sampled, quasi: of random and of quasi-random samples: mean, std, std_error (of the mean),
            quantiles, share that meets the bounds with its error, Cp and Cpk; of random ones
            a histogram: edges, and the number of samples between them.
        contributions: shares of the variance by tolerance; `shapley`: whether those of Shapley.
        first_order, total_order: Sobol's indices by tolerance; order_error: their standard error.
    """

    measure: NamedMeasure
    nominal: float
    worst_case: tuple[float, float]
    linear_worst_case: tuple[float, float]
    worst_case_at: tuple[dict[str, float], dict[str, float]]
    searched: str
    rss: dict[str, float]
    sampled: dict[str, Any]
    quasi: dict[str, float]
    contributions: dict[str, float]
    shapley: bool
    first_order: dict[str, float]
    total_order: dict[str, float]
    order_error: float

    def to_dict(self) -> dict[str, Any]:
        """The entry of the measure in the result object, without its sensitivities."""
        return {
            "nominal": self.nominal,
            "min": self.measure.min,
            "max": self.measure.max,
            "worst_case": list(self.worst_case),
            "linear_worst_case": list(self.linear_worst_case),
            "worst_case_at": list(self.worst_case_at),
            "searched": self.searched,
            "rss": self.rss,
            "sampled": self.sampled,
            "quasi": self.quasi,
            "contributions": self.contributions,
            "contributions_by": "shapley" if self.shapley else "linear",
            "first_order": self.first_order,
            "total_order": self.total_order,
            "order_error": self.order_error,
        }


@dataclass(frozen=True, eq=False)
class ToleranceAnalysis:
    """What the tolerances of an assembly do to its measures.

    Attributes:
        samples, solved, not_solved: numbers of samples; the last did not close.
        failed: by constraint that was off, the number of samples; modes: by assembly mode.
        seed: of the samples; sensitivities: exact, by tolerance.
        binding: what over-determined loops do that do not close; None where all do.
        measures: by name; values: of the samples that closed in the nominal mode, (solved, asked).
        notes: what is to be said of them.
    """

    samples: int
    solved: int
    not_solved: int
    failed: dict[str, int]
    modes: dict[str, int]
    seed: int
    sensitivities: Sensitivities
    binding: Binding | None
    measures: dict[str, MeasureSpread]
    values: Array
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The result object of the command line."""
        slopes = self.sensitivities.to_dict()
        measures = {
            name: {"unit": found.measure.unit, "sensitivities": slopes[name]} | found.to_dict()
            for name, found in self.measures.items()
        }
        return {
            "samples": self.samples,
            "solved": self.solved,
            "not_solved": self.not_solved,
            "failed": self.failed,
            "modes": self.modes,
            "seed": self.seed,
            "binding": None if self.binding is None else self.binding.to_dict(),
            "measures": measures,
            "notes": list(self.notes),
        }


@overload
def tolerance(
    assembly: Motion, *, samples: int = 10000, seed: int = 1, frees: float = FREED
) -> ToleranceBand: ...


@overload
def tolerance(
    assembly: Assembly | Solution, *, samples: int = 10000, seed: int = 1, frees: float = FREED
) -> ToleranceAnalysis: ...


def tolerance(
    assembly: Assembly | Solution | Motion,
    *,
    samples: int = 10000,
    seed: int = 1,
    frees: float = FREED,
) -> ToleranceAnalysis | ToleranceBand:
    """What the tolerances of an assembly do to its measures.

    Each measure is told by its exact sensitivities, its worst case, linear and searched, the root
    sum of squares, random and quasi-random samples of the assembly, and by who contributes what.
    Samples that do not close are counted with the mate that is off, those of another assembly mode
    are counted and not mixed in. Of over-determined loops it is told what binds, how often, and
    which play frees them.

    Args:
        assembly: with measures and tolerances; not changed; or a solution of one, or a motion:
            then the band of each measure over its states is told.
        samples: number of random samples, at least 2; seed: of these.
        frees: share of the samples that the play of a joint is to free, 0 to 1.

    Raises:
        MissingKey: it has no measures or no tolerances; Unsolved: it has no solution.
        BadValue: too few samples, no share, a dead point, or a tolerance that needs its file to
            change.
    """
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise BadValue("samples", samples, "a whole number of at least 2")
    if not 0.0 < frees <= 1.0:
        raise BadValue("frees", frees, "a share above 0, at most 1")
    if isinstance(assembly, Motion):
        _check(assembly.assembly)
        return tolerance_along(assembly, samples, seed)
    solution = assembly if isinstance(assembly, Solution) else solve(assembly)
    _check(solution.given)
    return _analysed(solution.require(), samples, seed, frees)


def _check(before: Assembly) -> None:
    for key, known in (("measures", before.measures), ("tolerances", before.tolerances)):
        if not known:
            raise MissingKey(before.name, "an assembly whose tolerances are analysed", key)


def _analysed(solution: Solution, samples: int, seed: int, frees: float) -> ToleranceAnalysis:
    """The analysis at the poses of a solution."""
    before = solution.given.copy()
    grouped = [(t, of_tolerance(before, t)) for t in before.tolerances.values()]
    variables = [v for _, own in grouped for v in own]
    pose = pose_of(solution)
    model = linear_model(pose, before, outputs(before, list(before.measures)), variables)
    if not np.isfinite(model.sensitivities.values).all():
        raise BadValue(before.name, before.name, f"no dead point; {model.sensitivities.notes[0]}")
    spreads = spreads_of([(t, len(own)) for t, own in grouped])
    sampler = SampleSolver(
        model,
        solution.mode or "+",
        signs_of_modes(solution.modes, model.response.frames),
        SoughtPlay.of(model, spreads),
    )
    study = _Study(model, spreads, sampler, seed)
    uniform = np.random.default_rng(seed).random((samples, len(variables)))
    run = sampler.run(drawn(spreads, uniform))
    return study.analysis(samples, run, binding_of(pose, sampler, spreads, run, frees))


@dataclass(frozen=True)
class _Study:
    """The linear model of an assembly, the spreads of its variables, and its samples."""

    model: LinearModel
    spreads: Sequence[Spread]
    sampler: SampleSolver
    seed: int

    def analysis(self, samples: int, run: Sampled, binding: Binding | None) -> ToleranceAnalysis:
        """The analysis of random samples."""
        solved, missed = run.solved, sum(run.failed.values())
        quasi, indices = self._quasi(samples), self._indices(samples)
        asked = self.model.sensitivities.rows
        measures = {
            name: self._measure(n, name, solved[:, n], quasi[:, :, n], indices)
            for n, name in enumerate(asked)
        }
        notes = list(self.model.sensitivities.notes)
        if len(run.modes) > 1:
            notes.append("samples of other assembly modes are counted, not mixed in")
        return ToleranceAnalysis(
            samples, samples - missed, missed, run.failed, run.modes, self.seed,
            self.model.sensitivities, binding, measures, solved, tuple(notes),
        )  # fmt: skip

    def _quasi(self, samples: int) -> Array:
        """Values of scrambled Sobol sequences, (repeats, samples, asked)."""
        power = max(int(np.log2(max(samples // (4 * REPEATS), 16))), 4)
        out = []
        for k in range(REPEATS):
            rng = np.random.default_rng([self.seed, k])
            sequence = scrambled_sobol(len(self.model.variables), rng)
            out.append(self.sampler.run(drawn(self.spreads, sequence.random_base2(power))).values)
        return np.array(out)

    def _tolerances(self) -> dict[str, Ints]:
        """The variables of each tolerance."""
        out: dict[str, Ints] = {}
        for s in self.spreads:
            own = np.arange(s.first, s.first + s.count)
            out[s.tolerance] = np.append(out.get(s.tolerance, own[:0]), own)
        return out

    def _indices(self, samples: int) -> Indices:
        """Sobol's indices by tolerance, from a scrambled sequence for both samples."""
        groups, count = list(self._tolerances().values()), len(self.model.variables)
        power = int(np.log2(max(samples // (len(groups) + 2), FEWEST)))
        rng = np.random.default_rng([self.seed, REPEATS + 1])
        both = scrambled_sobol(2 * count, rng).random_base2(power)
        x, y = drawn(self.spreads, both[:, :count]), drawn(self.spreads, both[:, count:])
        return sobol_indices(lambda some: self.sampler.run(some).values, x, y, groups)

    def _measure(
        self, n: int, name: str, values: Array, quasi: Array, indices: Indices
    ) -> MeasureSpread:
        """What the tolerances do to measure n."""
        measure = self.model.before.measures[name]
        slopes = self.model.sensitivities.values[n]
        nominal = float(self.model.sensitivities.nominal[n])
        of = self._values_of(n)
        ends = [search_extreme(of, slopes, self.spreads, sign) for sign in (-1.0, 1.0)]
        linear = [linear_extreme(nominal, slopes, self.spreads, sign) for sign in (-1.0, 1.0)]
        tried, missed = sum(e.tried for e in ends), sum(e.open for e in ends)
        words = (
            f"from the linear corner, one tolerance after the other over its bounds and between "
            f"them, until none helps: {tried} solves" + (f", {missed} do not close" * bool(missed))
        )
        shares, shapley = self._contributions(n, slopes, values)
        first, total = (
            dict(zip(shares, k[:, n].tolist(), strict=True)) for k in (indices.first, indices.total)
        )
        columns, rss = (
            self.model.sensitivities.columns,
            linear_spread(nominal, slopes, self.spreads),
        )
        at = [dict(zip(columns, e.deviations.tolist(), strict=True)) for e in ends]
        return MeasureSpread(
            measure, nominal, (ends[0].value, ends[1].value), (linear[0], linear[1]),
            (at[0], at[1]), words, rss, statistics(measure, values),
            repeated(quasi), shares, shapley, first, total, float(indices.error[n]),
        )  # fmt: skip

    def _values_of(self, n: int) -> Callable[[Array], Array]:
        return lambda deviations: self.sampler.run(deviations).values[:, n]

    def _variances(self, slopes: Array) -> list[float]:
        return [float(slopes[s.own] @ slopes[s.own]) * s.deviation**2 for s in self.spreads]

    def _contributions(self, n: int, slopes: Array, values: Array) -> tuple[dict[str, float], bool]:
        """Shares of the variance by tolerance, and whether they are those of Shapley."""
        linear = np.array(self._variances(slopes))
        whole = _surely(values)
        explained = linear.sum() >= EXPLAINED * whole
        parts = linear if explained else self._shapley(n)
        total = float(parts.sum())
        shares: dict[str, float] = {s.tolerance: 0.0 for s in self.spreads}
        for s, part in zip(self.spreads, parts.tolist(), strict=True):
            shares[s.tolerance] += part / total if total > 0.0 else 0.0
        return shares, not explained

    def _shapley(self, n: int) -> Array:
        """The Shapley shares of the variance of measure n, by spread."""
        rng = np.random.default_rng([self.seed, REPEATS])
        x, y = (
            drawn(self.spreads, rng.random((SHARES, len(self.model.variables)))) for _ in range(2)
        )
        own = [np.arange(s.first, s.first + s.count) for s in self.spreads]
        return shapley_shares(self._values_of(n), x, y, own, rng)


def _surely(values: Array) -> float:
    """The variance of samples less twice its standard error, not below 0.

    Source: var(s^2) is (m4 - s^4) / n for many samples, with m4 the fourth central moment.
    """
    if not len(values):
        return 0.0
    squares = (values - values.mean()) ** 2
    return max(float(squares.mean() - 2.0 * squares.std() / np.sqrt(len(values))), 0.0)


def repeated(values: Array) -> dict[str, float]:
    """Mean, spread, and error of the mean of quasi-random samples, mm or degrees.

    NaN where fewer than two of the repeats have a sample that closes.

    Args:
        values: (repeats, samples); NaN where one does not close.
    """
    closed = values[np.isfinite(values).any(axis=1)]
    if len(closed) < 2:
        return dict.fromkeys(("mean", "std", "std_error"), float("nan"))
    means = np.nanmean(closed, axis=1)
    error = float(means.std(ddof=1) / np.sqrt(len(means)))
    return {"mean": float(means.mean()), "std": float(np.nanstd(closed)), "std_error": error}


def statistics(measure: NamedMeasure, values: Array) -> dict[str, Any]:
    """Mean, spread, quantiles and what meets the bounds, of the values of samples, mm or degrees.

    Without two samples they are None.
    """
    n = len(values)
    if n < 2:
        return {"mean": None, "std": None, "std_error": None, "quantiles": {}, "meets": None}
    mean, std = float(values.mean()), float(values.std(ddof=1))
    levels = np.quantile(values, QUANTILES).tolist()
    out: dict[str, Any] = {"mean": mean, "std": std, "std_error": std / float(np.sqrt(n))}
    out["quantiles"] = {f"{q:g}": v for q, v in zip(QUANTILES, levels, strict=True)}
    ends = np.array([values.min(), values.max()])
    room = AGREEMENT * max(*np.abs(ends).tolist(), 1.0)  # equal values have a width, too
    counts, edges = np.histogram(values, BINS, (float(ends[0]) - room, float(ends[1]) + room))
    out["histogram"] = {"edges": edges.tolist(), "counts": counts.tolist()}
    low, high = measure.min, measure.max
    if low is None and high is None:
        return out
    good = np.ones(n, bool)
    good &= values >= low if low is not None else True
    good &= values <= high if high is not None else True
    share = float(good.mean())
    spread = max(share * (1.0 - share), 1.0 / n)  # none of n is no proof that there is none
    out |= {"meets": share, "meets_error": float(np.sqrt(spread / n))}
    if std > 0.0:
        below = np.inf if low is None else mean - low
        above = np.inf if high is None else high - mean
        out["cpk"] = float(min(below, above)) / (3.0 * std)
        if low is not None and high is not None:
            out["cp"] = (high - low) / (6.0 * std)
    return out
