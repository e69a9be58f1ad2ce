"""The public call `tolerance`: what the tolerances of an assembly do to its measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from ..errors import BadValue, MissingKey
from ..foundations.types import Array, Ints
from ..foundations.watch import Progress
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
from .many_samples import Sampled, SampleSolver, searches
from .measured import outputs
from .shares import Indices, linear_indices, shapley_shares, sobol_indices
from .sought_play import SoughtPlay
from .spread_statistics import repeated, statistics, sure_variance
from .tolerance_band import ToleranceBand, tolerance_along
from .variables import of_tolerance
from .worst_case import Searched, linear_extreme, search_extreme

EXPLAINED = 0.95
"""Share of the variance from which the linear model tells who contributes what."""

REPEATS = 8
"""Scrambled sequences of quasi-random numbers: their means tell the error of all."""

SHARES = 2048
"""Most samples of each variable from which the shares of a non-linear measure are estimated."""

FEWEST = 64
"""Fewest samples of each variable for these, and for Sobol's indices: else no more solves than
samples."""


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
        first_order, total_order: Sobol's indices by tolerance; order_error: their standard error,
            or the most by which those of the linear model are off, where they are nearer.
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
    assembly: Motion,
    *,
    samples: int = 10000,
    seed: int = 1,
    frees: float = FREED,
    progress: Progress | None = None,
) -> ToleranceBand: ...


@overload
def tolerance(
    assembly: Assembly | Solution,
    *,
    samples: int = 10000,
    seed: int = 1,
    frees: float = FREED,
    progress: Progress | None = None,
) -> ToleranceAnalysis: ...


def tolerance(
    assembly: Assembly | Solution | Motion,
    *,
    samples: int = 10000,
    seed: int = 1,
    frees: float = FREED,
    progress: Progress | None = None,
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
        progress: called as `progress(done, total, words)`, in samples or in states of a motion;
            what it raises ends the analysis.

    Raises:
        MissingKey: it has no measures or no tolerances; Unsolved: it has no solution.
        BadValue: too few samples, no share, a dead point, or a tolerance that needs its file to
            change.
    """
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise BadValue("samples", samples, "a whole number of at least 2")
    if seed < 0:
        raise BadValue("seed", seed, "a whole number of at least 0")
    if not 0.0 < frees <= 1.0:
        raise BadValue("frees", frees, "a share above 0, at most 1")
    if isinstance(assembly, Motion):
        _check(assembly.assembly)
        return tolerance_along(assembly, samples, seed, progress)
    solution = assembly if isinstance(assembly, Solution) else solve(assembly)
    _check(solution.given)
    return _analysed(solution.require(), samples, seed, frees, progress)


def _check(before: Assembly) -> None:
    for key, known in (("measures", before.measures), ("tolerances", before.tolerances)):
        if not known:
            raise MissingKey(before.name, "an assembly whose tolerances are analysed", key)


def _analysed(
    solution: Solution, samples: int, seed: int, frees: float, progress: Progress | None
) -> ToleranceAnalysis:
    """The analysis at the poses of a solution."""
    sampler, spreads = sampler_of(solution)
    sampler = replace(sampler, progress=progress)
    study = _Study(sampler.model, spreads, sampler, seed)
    uniform = np.random.default_rng(seed).random((samples, len(sampler.model.variables)))
    run = sampler.run(drawn(spreads, uniform))
    binding = binding_of(pose_of(solution), sampler, spreads, run, frees)
    return study.analysis(samples, run, binding)


def sampler_of(solution: Solution) -> tuple[SampleSolver, list[Spread]]:
    """What solves samples of the tolerances of a solved assembly, and how these are spread.

    Raises BadValue: a dead point, or a tolerance that needs its file to change.
    """
    before = solution.given.copy()
    grouped = [(t, of_tolerance(before, t)) for t in before.tolerances.values()]
    variables = [v for _, own in grouped for v in own]
    asked = outputs(before, list(before.measures))
    model = linear_model(pose_of(solution), before, asked, variables)
    if not np.isfinite(model.sensitivities.values).all():
        raise BadValue(before.name, before.name, f"no dead point; {model.sensitivities.notes[0]}")
    spreads = spreads_of([(t, len(own)) for t, own in grouped])
    signs = signs_of_modes(solution.modes, model.response.frames)
    play = SoughtPlay.of(model, spreads)
    return SampleSolver(model, solution.mode or "+", signs, play), spreads


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
        quasi, indices = self._quasi(samples), self._indices(samples, run)
        search = searches(self.sampler, self.spreads, self.seed)
        measures = {
            name: self._measure(n, solved[:, n], quasi[:, :, n], indices, search[n])
            for n, name in enumerate(self.model.sensitivities.rows)
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
        sequences = []
        for k in range(REPEATS):
            rng = np.random.default_rng([self.seed, k])
            sequences.append(scrambled_sobol(len(self.model.variables), rng).random_base2(power))
        values = self.sampler.run(drawn(self.spreads, np.concatenate(sequences))).values
        return values.reshape(REPEATS, 2**power, -1)

    def _tolerances(self) -> dict[str, Ints]:
        """The variables of each tolerance."""
        out: dict[str, Ints] = {}
        for s in self.spreads:
            own = np.arange(s.first, s.first + s.count)
            out[s.tolerance] = np.concatenate([out.get(s.tolerance, own[:0]), own])
        return out

    def _indices(self, samples: int, run: Sampled) -> Indices:
        """Sobol's indices by tolerance: those of the linear model where they are nearer than those
        of about as many samples would be."""
        groups, count = list(self._tolerances().values()), len(self.model.variables)
        power = int(np.log2(max(samples // (len(groups) + 2), FEWEST)))
        linear = self._linear_indices(groups, run)
        rough = linear.error > 2.0 ** (-0.5 * power)
        if not rough.any():
            return linear
        rng = np.random.default_rng([self.seed, REPEATS + 1])
        both = scrambled_sobol(2 * count, rng).random_base2(power)
        x, y = drawn(self.spreads, both[:, :count]), drawn(self.spreads, both[:, count:])
        found = sobol_indices(lambda some: self.sampler.run(some).values, x, y, groups)
        nearer = [np.where(rough, a, b) for a, b in zip(found, linear, strict=True)]
        return Indices(*nearer)

    def _linear_indices(self, groups: Sequence[Ints], run: Sampled) -> Indices:
        """Those of the linear model, by the random samples."""
        s, closed = self.model.sensitivities, np.isfinite(run.values).all(axis=1)
        variances = np.zeros((len(groups), len(s.rows)))
        place = {name: k for k, name in enumerate(self._tolerances())}
        for spread in self.spreads:
            own = s.values[:, spread.own] ** 2
            variances[place[spread.tolerance]] += own.sum(axis=1) * spread.deviation**2
        told = s.nominal + run.placed[closed] @ s.values.T
        return linear_indices(variances, run.values[closed], told)

    def _measure(
        self, n: int, values: Array, quasi: Array, indices: Indices, search: Searched
    ) -> MeasureSpread:
        """What the tolerances do to measure n."""
        measure = self.model.before.measures[self.model.sensitivities.rows[n]]
        slopes = self.model.sensitivities.values[n]
        nominal = float(self.model.sensitivities.nominal[n])
        ends = [search_extreme(search, self.spreads, sign) for sign in (-1.0, 1.0)]
        linear = [linear_extreme(nominal, slopes, self.spreads, sign) for sign in (-1.0, 1.0)]
        tried, missed = sum(e.tried for e in ends), sum(e.open for e in ends)
        words = (
            f"from the linear corner along the slopes to other corners, and by what bends one "
            f"tolerance after the other over its bounds and between them, until none helps: "
            f"{tried} solves" + (f", {missed} do not close" * bool(missed))
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

    def _contributions(self, n: int, slopes: Array, values: Array) -> tuple[dict[str, float], bool]:
        """Shares of the variance by tolerance, and whether they are those of Shapley."""
        sizes = [slopes[s.own] @ slopes[s.own] * s.deviation**2 for s in self.spreads]
        linear = np.array(sizes)
        whole = sure_variance(values)
        explained = linear.sum() >= EXPLAINED * whole
        parts = linear if explained else self._shapley(n, len(values))
        total = float(parts.sum())
        shares: dict[str, float] = {s.tolerance: 0.0 for s in self.spreads}
        for s, part in zip(self.spreads, parts.tolist(), strict=True):
            shares[s.tolerance] += part / total if total > 0.0 else 0.0
        return shares, not explained

    def _shapley(self, n: int, samples: int) -> Array:
        """The Shapley shares of the variance of measure n, by spread, from about as many."""
        rng, count = np.random.default_rng([self.seed, REPEATS]), len(self.model.variables)
        rows = min(max(samples // len(self.spreads), FEWEST), SHARES)
        x, y = (drawn(self.spreads, rng.random((rows, count))) for _ in range(2))
        own = [np.arange(s.first, s.first + s.count) for s in self.spreads]
        return shapley_shares(lambda some: self.sampler.run(some).values[:, n], x, y, own, rng)
