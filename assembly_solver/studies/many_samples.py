"""Many samples of an assembly at once: a simplified Newton iteration from the nominal poses.

All samples share the inverse of the Jacobian at the nominal poses: for small deviations each step
leaves a small part of the residuals.  A sample that does not converge or comes to another side of a
dead point is solved on its own, and so is one that comes to a limit where it can go on freely.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import degrees
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.shared_iteration import BEYOND, CLOSED, UNKNOWN, SharedEnds, close_copies
from ..foundations.geometry.pose import Pose
from ..foundations.jit.threads import side_by_side
from ..foundations.types import Array, Ints
from ..foundations.watch import Progress
from ..model.assembly import Assembly
from ..model.measures import measure as m
from ..model.measures.measure import read
from ..solver.modes.known_signs import KnownSigns
from ..verbs.solving import solve
from .changed_equations import changed_equations, equation_rates, frame_of_marker
from .deviations import Spread, drawn
from .linear_model import LinearModel
from .measured import AskedNumber, output_rates, with_sense
from .own_numbers import SampledSystem
from .response import PoseResponse
from .sought_play import SoughtPlay
from .variables import deviating, rated, sampled
from .worst_case import Searched

AT_ONCE = 4096
"""Samples whose numbers are in memory at once."""

IN_A_CALL = 512
"""Samples that a thread closes before it looks for more."""


OFF = 3
"""The state of a sample whose mates disagree at least squares, beside those of the iteration."""

SEARCHES = 3
"""Most searches of a place for the pins of a sample that does not close: each is linear."""


class Sampled(NamedTuple):
    """What some samples came to.

    Attributes:
        values: what is asked, (samples, asked), mm and degrees; NaN where it does not close.
        failed: names of the constraints that are off, with the number of samples.
        modes: names of the assembly modes reached, with the number of samples; those of another
            mode than the nominal one have no values.
        bound: numbers of the samples whose mates disagree at least squares; off: their residuals
            there, (bound, equations), mm; placed: deviations, those of play as they were sought.
    """

    values: Array
    failed: dict[str, int]
    modes: dict[str, int]
    bound: Ints
    off: Array
    placed: Array

    @property
    def solved(self) -> Array:
        """The values of the samples that closed in the nominal mode, (solved, asked)."""
        return self.values[np.isfinite(self.values).all(axis=1)]


@dataclass(frozen=True)
class SampleSolver:
    """Solves samples of an assembly.

    Attributes:
        mode, signs: of its nominal assembly mode; play: what closes over-determined loops.
        start: poses from which a sample is solved alone, and whose mode is the nominal one; by
            default those of the assembly.
        progress: called as `progress(done, total, words)`, in samples.
    """

    model: LinearModel
    mode: str
    signs: KnownSigns
    play: SoughtPlay
    start: Mapping[str, Pose] | None = None
    progress: Progress | None = None

    def run(self, deviations: Array) -> Sampled:
        """What is asked of samples with these deviations, (samples, variables)."""
        firsts, parts = range(0, len(deviations), AT_ONCE), list[Sampled]()
        for first in firsts:
            if self.progress is not None:
                self.progress(first, len(deviations), "samples")
            parts.append(self._some(deviations[first : first + AT_ONCE]))
        values, off, placed = (
            np.concatenate([getattr(p, key) for p in parts]) for key in ("values", "off", "placed")
        )
        bound = np.concatenate([p.bound + first for p, first in zip(parts, firsts, strict=True)])
        failed, modes = dict[str, int](), dict[str, int]()
        for p in parts:
            for total, own in ((failed, p.failed), (modes, p.modes)):
                for name, count in own.items():
                    total[name] = total.get(name, 0) + count
        return Sampled(values, failed, modes, bound, off, placed)

    def _some(self, deviations: Array) -> Sampled:
        model, placed = self.model, deviations.copy()
        values = np.full((len(placed), len(model.asked)), np.nan)
        off = np.empty((len(placed), model.response.rows.count))
        state, worst = self.closed(placed, values, off)
        for _ in range(SEARCHES):
            bound = np.flatnonzero(state == OFF)
            if not len(bound) or not self.play.zones:
                break
            placed[bound] = self.play.placed(placed[bound], off[bound])
            own, away = values[bound], off[bound]
            state[bound], worst[bound] = self.closed(placed[bound], own, away)
            values[bound], off[bound] = own, away
        values[state != CLOSED] = np.nan
        failed: dict[str, int] = {}
        for k in np.unique(worst[state == OFF]).tolist():
            name = model.response.system.constraints[k]
            failed[name] = int(np.sum(worst[state == OFF] == k))
        limits = list(model.before.limits)
        for k in worst[state == BEYOND].tolist():
            failed[limits[k]] = failed.get(limits[k], 0) + 1
        modes = {self.mode: int(np.sum(state == CLOSED))}
        for k in np.flatnonzero(state == UNKNOWN).tolist():
            self._alone(deviations[k], values[k], failed, modes)
        modes = {name: count for name, count in modes.items() if count}
        bound = np.flatnonzero(state == OFF)
        return Sampled(values, failed, modes, bound, off[bound], placed)

    def closed(self, deviations: Array, values: Array, off: Array) -> tuple[Ints, Ints]:
        """States of samples by the shared iteration, and the constraint that is off most, or the
        limit that one is `BEYOND`.

        Args:
            values: what is asked of those that close, mm and degrees, off: residuals, mm; both
                are overwritten.
        """
        n = len(deviations)
        written = self._written(deviations)
        if written.differs:
            return np.full(n, UNKNOWN), np.zeros(n, np.int64)
        ends = self._ends(written, deviations, values, off)
        values[:] = written.in_degrees(values)
        each = self.model.response.system.in_mm_of_copies(off)
        worst = each.argmax(axis=1) if each.size else np.zeros(len(off), np.int64)
        limits = dict(self._beyond(written, ends))
        for k in np.flatnonzero(ends.state == BEYOND).tolist():
            ends.state[k], worst[k] = (BEYOND, limits[k]) if k in limits else (UNKNOWN, 0)
        return ends.state, worst

    def _beyond(self, written: SampledSystem, ends: SharedEnds) -> Iterator[tuple[int, int]]:
        """The samples that close beyond a limit, each with its number, where nothing is free."""
        response = self.model.response
        open_ = np.flatnonzero(ends.state == BEYOND)
        if not len(open_) or response.least.freedoms:
            return
        poses, signs = ends.poses[open_], self.signs
        away = signs.crossed(response.frames, poses, written.shifts()[open_], written.shifted)
        for k in open_[~away].tolist():
            read = written.coordinates(k, ends.poses[k])
            out = (read <= written.low) | (read >= written.high)
            if out.any():
                yield k, int(np.argmax(out))

    def _written(self, deviations: Array) -> SampledSystem:
        """The equations of samples."""
        model = self.model
        after = deviating(model.before, model.variables, sampled(deviations))
        angles = [o.unit == "deg" for o in model.asked]
        references = np.where(angles, np.radians(model.sensitivities.nominal), 0.0)
        return SampledSystem(model.response, model.asked, references, after, len(deviations))

    def _ends(
        self, written: SampledSystem, deviations: Array, values: Array, off: Array
    ) -> SharedEnds:
        """How samples end by the shared iteration; values in mm and rad."""
        model, n = self.model, len(deviations)
        ends = SharedEnds(
            np.full(n, UNKNOWN), np.empty((n, *written.shared.frames.shape)), values, off
        )
        first = np.ascontiguousarray((model.steps @ deviations.T).T)
        parts = [slice(k, k + IN_A_CALL) for k in range(0, n, IN_A_CALL)]
        side_by_side(close_copies, [written.call(some, first, ends) for some in parts])
        ends.state[(ends.state != UNKNOWN) & ~self.holds(off)] = OFF
        start, closed = model.response.frames, ends.state == CLOSED
        crossed = self.signs.crossed(start, ends.poses, written.shifts(), written.shifted)
        ends.state[closed & crossed] = UNKNOWN
        return ends

    def holds(self, off: Array) -> NDArray[np.bool_]:
        """Whether the mates of samples hold, by the residuals of their equations, mm, as a solve
        tells it."""
        system = self.model.response.system
        most = system.in_mm_of_copies(off).max(axis=1, initial=0.0)
        out: NDArray[np.bool_] = most <= system.tolerance
        return out

    def at(self, deviation: Array) -> tuple[Array, Array]:
        """What is asked of a sample, (asked,), and its derivatives by the variables, (asked,
        variables), mm and degrees; NaN where the shared iteration does not close it.

        Pins that are sought stay where they were found.
        """
        model, unknown = self.model, np.full_like(self.model.sensitivities.values, np.nan)
        values, off = unknown[None, :, 0].copy(), np.empty((1, model.response.rows.count))
        for _ in range(SEARCHES + 1):
            written = self._written(deviation[None])
            if written.differs:
                return unknown[:, 0], unknown
            ends = self._ends(written, deviation[None], values, off)
            if ends.state[0] != OFF or not self.play.zones:
                break
            deviation = self.play.placed(deviation[None], off)[0]
        if ends.state[0] != CLOSED:
            return unknown[:, 0], unknown
        frames = ends.poses[0, : len(model.response.frames)]
        response = PoseResponse(written.system_of(0), frames, model.response.cut)
        after = deviating(model.before, model.variables, rated(deviation))
        changed = changed_equations(response.system, model.before, after)
        rates = equation_rates(response.system, frames, changed, len(deviation))
        slopes = output_rates(after, model.asked, response, response.steps(rates))
        return written.in_degrees(values)[0], slopes

    def _alone(
        self, deviation: Array, out: Array, failed: dict[str, int], modes: dict[str, int]
    ) -> None:
        """Solve one sample; its values go to `out`, its outcome is counted."""
        model = self.model
        one = deviating(model.before, model.variables, deviation.tolist())
        if self.start is not None:
            one.move(self.start)
        solution = solve(one)
        if not solution:
            worst = max(solution.mates, key=lambda x: max(x.residual_mm, x.residual_deg))
            failed[worst.name] = failed.get(worst.name, 0) + 1
            return
        mode = solution.mode or self.mode
        if self.start is not None and solution.mode_switched_from is None:
            mode = self.mode
        modes[mode] = modes.get(mode, 0) + 1
        if mode == self.mode:
            out[:] = values_at(one, model, np.array(solution.frames))


def searches(sampler: SampleSolver, spreads: Sequence[Spread], seed: int) -> list[Searched]:
    """The search of the extremes of each measure of a sampler."""
    nominal = sampler.model.sensitivities.values
    uniform = np.random.default_rng(seed).random((1, nominal.shape[1]))
    _, away = sampler.at(drawn(spreads, uniform)[0])

    def searched(n: int) -> Searched:
        def at(deviation: Array) -> tuple[float, Array]:
            values, slopes = sampler.at(deviation)
            return float(values[n]), slopes[n]

        known = np.array([nominal[n], away[n]])
        return Searched(lambda deviations: sampler.run(deviations).values[:, n], at, known)

    return [searched(n) for n in range(len(nominal))]


def values_at(one: Assembly, model: LinearModel, frames: Array) -> list[float]:
    """What is asked of one sample at the poses of its parts, (parts, 12), mm and degrees."""
    nominal = model.sensitivities.nominal.tolist()
    return [
        _value(one, model, output, frames, x)
        for output, x in zip(model.asked, nominal, strict=True)
    ]


def _value(
    one: Assembly, model: LinearModel, output: AskedNumber, frames: Array, nominal: float
) -> float:
    """One measure; an angle within half a turn of the nominal one."""
    assert output.measure is not None
    found = with_sense(one, model.response, output.measure)
    ends = [frame_of_marker(model.response.system, frames, k) for k in (found.a, found.b)]
    value = read(found, *ends)
    if output.unit != "deg":
        return value
    value = degrees(value)
    turns = round((value - nominal) / 360.0) if found.kind == m.ROTATION else 0
    return value - 360.0 * turns
