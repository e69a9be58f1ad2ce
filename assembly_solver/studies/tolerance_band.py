"""What tolerances do to measures along a motion: the band of each over the states."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MissingKey
from ..foundations.geometry.pose import poses_of
from ..foundations.types import Array, Ints
from ..foundations.watch import Progress
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.tolerances.named_measure import NamedMeasure
from ..results.motion import Motion, json_numbers
from ..solver.modes.known_signs import KnownSigns, signs_of_modes
from ..verbs.solving import solve
from .along import MotionSensitivities, MotionStates, along_motion
from .deviations import Spread, drawn, linear_spread, spreads_of
from .linear_model import LinearModel
from .many_samples import Sampled, SampleSolver, searches
from .measured import outputs
from .sought_play import SoughtPlay
from .variables import of_tolerance
from .worst_case import Searched, linear_extreme, search_extreme

QUANTILES = (0.00135, 0.5, 0.99865)
"""Shares of the samples below a quantile: three standard deviations of a normal spread, its
middle."""


@dataclass(frozen=True, eq=False)
class MeasureBand:
    """What tolerances do to one measure over the states of a motion, (states,) each, mm or degrees.

    Attributes:
        measure: with its bounds; nominal: its value, angles counted beyond half a turn.
        linear_worst_case, worst_case: least and largest value, linear and searched.
        rss: mean and std of the linear model; sampled: mean and std of the samples that close.
        quantiles: of these, by share; meets: share of all samples that close within the bounds.
    """

    measure: NamedMeasure
    nominal: Array
    linear_worst_case: tuple[Array, Array]
    worst_case: tuple[Array, Array]
    rss: Mapping[str, Array]
    sampled: Mapping[str, Array]
    quantiles: Mapping[str, Array]
    meets: Array

    def to_dict(self) -> dict[str, Any]:
        """The entry of the measure in the result object."""
        listed = {
            key: {k: json_numbers(v) for k, v in getattr(self, key).items()}
            for key in ("rss", "sampled", "quantiles")
        }
        ends = {
            key: [json_numbers(v) for v in getattr(self, key)]
            for key in ("linear_worst_case", "worst_case")
        }
        bounded = self.measure.min is not None or self.measure.max is not None
        return {
            "unit": self.measure.unit,
            "min": self.measure.min,
            "max": self.measure.max,
            "nominal": json_numbers(self.nominal),
            **ends,
            **listed,
            "meets": json_numbers(self.meets) if bounded else None,
        }


@dataclass(frozen=True, eq=False)
class ToleranceBand:
    """What the tolerances of an assembly do to its measures along a motion.

    The samples are assemblies: each is the same in all states.

    Attributes:
        samples, seed: number of samples, and of these; solved: that close, by state, (states,).
        valid: states that the nominal assembly reaches and that are no dead points, (states,).
        sensitivities: with the values of the swept drivers; measures: by name.
        units: of the swept drivers; notes: what is to be said.
    """

    samples: int
    seed: int
    solved: Ints
    valid: Array
    sensitivities: MotionSensitivities
    measures: Mapping[str, MeasureBand]
    units: Mapping[str, str]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The result object of the command line."""
        slopes = self.sensitivities.to_dict()
        return {
            "samples": self.samples,
            "seed": self.seed,
            "along": {
                name: {"unit": self.units[name], "value": json_numbers(v)}
                for name, v in self.sensitivities.driven.items()
            },
            "valid": self.valid.tolist(),
            "solved": self.solved.tolist(),
            "measures": {
                name: band.to_dict() | {"sensitivities": slopes["measures"][name]["sensitivities"]}
                for name, band in self.measures.items()
            },
            "notes": list(self.notes),
        }


def tolerance_along(
    motion: Motion, samples: int, seed: int, progress: Progress | None = None
) -> ToleranceBand:
    """The bands of the measures of a motion's assembly, from so many samples in each state."""
    before = motion.assembly.copy()
    for name, values in motion.prescribed.items():
        if not isinstance(before.drivers[name], Guide):
            before.set_driver(name, float(values[0]))
    _check(before, motion.measured)
    grouped = [(t, of_tolerance(before, t)) for t in before.tolerances.values()]
    variables = [v for _, own in grouped for v in own]
    states = MotionStates(motion, before, outputs(before, list(before.measures)), variables)
    spreads = spreads_of([(t, len(own)) for t, own in grouped])
    uniform = np.random.default_rng(seed).random((samples, len(variables)))
    band = _Band(states, spreads, drawn(spreads, uniform), _signs(before), progress)
    return band.found(seed)


def _check(before: Assembly, measured: Set[str]) -> None:
    """Raise where a constant would have to be measured at the start of each sample."""
    for t in before.tolerances.values():
        if t.mate in measured:
            raise MissingKey(f"mates.{t.mate}", "a tolerated coupling along a motion", "constant")


def _signs(before: Assembly) -> KnownSigns:
    solution = solve(before).require()
    return signs_of_modes(solution.modes, solution.frames)


class _Band:
    """The spread of each measure in each state."""

    def __init__(
        self,
        states: MotionStates,
        spreads: list[Spread],
        deviations: Array,
        signs: KnownSigns,
        progress: Progress | None,
    ) -> None:
        self.progress = progress
        self.states, self.spreads, self.deviations, self.signs = states, spreads, deviations, signs
        count, asked = len(states.motion.t), len(states.asked)
        self.solved, self.valid = np.zeros(count, np.int64), np.zeros(count, bool)
        self.known = np.full((KINDS, count, asked), np.nan)

    def found(self, seed: int) -> ToleranceBand:
        """All states, one after the other."""
        slopes = along_motion(self.states, self._add)
        asked, motion = self.states.asked, self.states.motion
        turns = np.nan_to_num(slopes.nominal - self.known[NOMINAL])
        self.known[: KINDS - len(SIZES)] += turns  # angles are counted
        measures = {o.name: self._measure(n, o.name) for n, o in enumerate(asked)}
        units = {name: self.states.before.drivers[name].unit for name in motion.prescribed}
        notes, missed = list(slopes.notes), len(self.deviations) - self.solved
        if missed[self.valid].any():
            worst = int(np.argmax(np.where(self.valid, missed, -1)))
            told = f"{missed[worst]} of {len(self.deviations)} samples do not close"
            notes.append(f"at {self.states.place(worst)}, the most: {told}")
        return ToleranceBand(
            len(self.deviations), seed, self.solved, self.valid, slopes, measures, units,
            tuple(notes),
        )  # fmt: skip

    def _add(self, state: int, model: LinearModel) -> None:
        if self.progress is not None:
            self.progress(state, len(self.valid), "states")
        slopes, nominal = model.sensitivities.values, model.sensitivities.nominal
        self.known[NOMINAL, state] = nominal
        if not np.isfinite(slopes).all():
            return  # a dead point
        self.valid[state] = True
        system = model.response.system
        start = dict(zip(system.parts, poses_of(model.response.frames), strict=True))
        play = SoughtPlay.of(model, self.spreads)
        sampler = SampleSolver(model, "+", self.signs, play, start)
        run = sampler.run(self.deviations)
        self.solved[state] = len(run.solved)
        for n, search in enumerate(searches(sampler, self.spreads, state)):
            self.known[1:, state, n] = self._spread(n, model, run, search)

    def _spread(self, n: int, model: LinearModel, run: Sampled, search: Searched) -> list[float]:
        """The numbers of measure n in a state, in the order of `known`."""
        slopes = model.sensitivities.values[n]
        nominal = float(model.sensitivities.nominal[n])
        ends = [linear_extreme(nominal, slopes, self.spreads, s) for s in (-1.0, 1.0)]
        ends += [search_extreme(search, self.spreads, s).value for s in (-1.0, 1.0)]
        linear, values = linear_spread(nominal, slopes, self.spreads), run.solved[:, n]
        few = len(values) < 2
        levels = [np.nan] * len(QUANTILES) if few else np.quantile(values, QUANTILES).tolist()
        mean, std = (np.nan, np.nan) if few else (values.mean(), values.std(ddof=1))
        measure = self.states.before.measures[self.states.asked[n].name]
        low = -np.inf if measure.min is None else measure.min
        high = np.inf if measure.max is None else measure.max
        meets = float(np.sum((values >= low) & (values <= high))) / len(self.deviations)
        return [*ends, linear["mean"], mean, *levels, linear["std"], std, meets]

    def _measure(self, n: int, name: str) -> MeasureBand:
        nominal, low, high, least, most, mean, own, *levels, std, wide, meets = self.known[:, :, n]
        return MeasureBand(
            self.states.before.measures[name],
            nominal,
            (low, high),
            (least, most),
            {"mean": mean, "std": std},
            {"mean": own, "std": wide},
            {f"{q:g}": level for q, level in zip(QUANTILES, levels, strict=True)},
            meets,
        )


NOMINAL = 0
SIZES = ("std of the linear model", "std of samples", "share that meets the bounds")
"""The last numbers of a measure in a state, to which turns of an angle add nothing."""

KINDS = 7 + len(QUANTILES) + len(SIZES)
"""Nominal, linear and searched extremes, two means, quantiles, `SIZES`."""
