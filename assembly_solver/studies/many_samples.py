"""Many samples of an assembly at once: a simplified Newton iteration from the nominal poses.

All samples share the inverse of the Jacobian at the nominal poses: for small deviations each step
leaves a small part of the residuals.  A sample that does not converge is solved on its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.many_equations import ManyEquations, displaced, equations_alone
from ..foundations.numerics.varied import Varied, values_of
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.measures import measure as m
from ..model.measures.many import Frames, measures
from ..model.measures.measure import Marker
from ..model.tolerances.named_measure import WORLD
from ..verbs.solving import solve
from .changed_equations import ChangedEquation, changed_equations
from .measured import AskedNumber, with_sense
from .sensitivities import LinearModel
from .variables import deviating, sampled

ITERATIONS = 30
"""Most steps of the shared iteration."""

AT_ONCE = 512
"""Samples that are evaluated at once: their arrays stay in the cache."""

OTHER = "other"
"""The mode of a sample that closed elsewhere and has no name."""


class Sampled(NamedTuple):
    """What some samples came to.

    Attributes:
        values: what is asked, (samples, asked), mm and degrees; NaN where it does not close.
        failed: names of the constraints that are off, with the number of samples.
        modes: names of the assembly modes reached, with the number of samples; those of another
            mode than the nominal one have no values.
    """

    values: Array
    failed: dict[str, int]
    modes: dict[str, int]

    @property
    def solved(self) -> Array:
        """The values of the samples that closed in the nominal mode, (solved, asked)."""
        return self.values[np.isfinite(self.values).all(axis=1)]


@dataclass(frozen=True)
class SampleSolver:
    """Solves samples of an assembly; `mode`: the name of its nominal assembly mode."""

    model: LinearModel
    mode: str

    def run(self, deviations: Array) -> Sampled:
        """What is asked of samples with these deviations, (samples, variables)."""
        parts = [
            self._some(deviations[k : k + AT_ONCE]) for k in range(0, len(deviations), AT_ONCE)
        ]
        values = np.concatenate([p.values for p in parts])
        failed, modes = dict[str, int](), dict[str, int]()
        for p in parts:
            for total, own in ((failed, p.failed), (modes, p.modes)):
                for name, count in own.items():
                    total[name] = total.get(name, 0) + count
        return Sampled(values, failed, modes)

    def _some(self, deviations: Array) -> Sampled:
        model, n = self.model, len(deviations)
        after = deviating(model.before, model.variables, sampled(deviations))
        changed = changed_equations(model.response.system, model.before, after)
        values = np.full((n, len(model.asked)), np.nan)
        failed: dict[str, int] = {}
        alone = np.arange(n)
        if _is_shared(self.model, changed):
            equations = SampledEquations(model, changed, n)
            poses, state = equations.closed(model.steps @ deviations.T)
            state[_beyond(model, poses) & (state == CLOSED)] = UNKNOWN
            good = state == CLOSED
            values[good] = values_at(after, model, poses)[good]
            for k in np.unique(equations.worst[state == OFF]).tolist():
                name = model.response.system.constraints[k]
                failed[name] = int(np.sum(equations.worst[state == OFF] == k))
            alone = np.flatnonzero(state == UNKNOWN)
        modes = {self.mode: n - len(alone) - sum(failed.values())}
        for k in alone.tolist():
            self._alone(deviations[k], values[k], failed, modes)
        return Sampled(values, failed, {name: count for name, count in modes.items() if count})

    def _alone(
        self, deviation: Array, out: Array, failed: dict[str, int], modes: dict[str, int]
    ) -> None:
        """Solve one sample; its values go to `out`, its outcome is counted."""
        model = self.model
        one = deviating(model.before, model.variables, deviation.tolist())
        solution = solve(one)
        if not solution:
            worst = max(solution.mates, key=lambda x: max(x.residual_mm, x.residual_deg))
            failed[worst.name] = failed.get(worst.name, 0) + 1
            return
        mode = solution.mode or self.mode
        modes[mode] = modes.get(mode, 0) + 1
        if mode == self.mode:
            varied = deviating(model.before, model.variables, sampled(deviation[None]))
            out[:] = values_at(varied, model, np.array(solution.frames)[None])[0]


UNKNOWN, CLOSED, OFF = range(3)
"""A sample that did not converge; one that closes; one whose mates disagree at least squares."""


def _is_shared(model: LinearModel, changed: list[ChangedEquation]) -> bool:
    """Whether the shared iteration can express what changes: targets, markers, coefficients.

    Not the numbers of cones and rings, constants measured at the start, and the whole turns of an
    angle whose coefficient varies; nor parts that stand at a limit, which they may leave.
    """
    t = model.response.system.table
    if model.response.system.active_limits:
        return False
    for e, (terms, target) in changed:
        shapes = any(isinstance(v, Varied) for _, found in terms for v in found.data)
        turning = t.period[e] > 0.0 and any(isinstance(c, Varied) for c, _ in terms)
        if shapes or turning or target is None:
            return False
    return True


def _beyond(model: LinearModel, poses: Array) -> NDArray[np.bool_]:
    """Which samples have a coordinate at or beyond a limit, where a solve would stop it."""
    bounds = model.response.system.bounds
    if bounds is None:
        return np.zeros(len(poses), bool)
    equations = ManyEquations(bounds.table)
    value = equations.residuals(equations.terms(poses)[0])
    within = (value > bounds.low) & (value < bounds.high)
    return np.asarray(~np.all(within, axis=1), bool)


class SampledEquations(ManyEquations):
    """The equations of a system in many samples, each with numbers of its own."""

    def __init__(self, model: LinearModel, changed: list[ChangedEquation], count: int) -> None:
        system = model.response.system
        t = equations_alone(system.table, np.arange(len(system.table.target)))
        super().__init__(t)
        self.model, self.count = model, count
        terms = len(t.term_measure)
        own = np.broadcast_to(self.own, (count, *self.own.shape)).copy()
        coefficient = np.broadcast_to(t.coefficient, (count, terms)).copy()
        self.targets = np.broadcast_to(t.target, (count, len(t.target))).copy()
        for e, equation in changed:
            assert equation.target is not None
            self.targets[:, e] = values_of(equation.target, count)
            for k, (c, found) in enumerate(equation.terms, int(t.first_term[e])):
                coefficient[:, k] = values_of(c, count)
                own[:, k] = _frames(found.a, count)
                own[:, terms + k] = _frames(found.b, count)
        self.own, self.t = own, t._replace(coefficient=coefficient)
        self.worst: Ints = np.zeros(count, np.int64)

    def of(self, some: Ints) -> SampledEquations:
        """The same for some of the samples."""
        if len(some) == self.count:
            return self
        out = object.__new__(SampledEquations)
        out.__dict__.update(self.__dict__)
        out.count, out.own, out.targets = len(some), self.own[some], self.targets[some]
        out.t = self.t._replace(coefficient=self.t.coefficient[some])
        return out

    def off(self, poses: Array) -> Array:
        """Residuals at poses, (samples, equations), mm."""
        return self.residuals(self.terms(poses)[0], self.targets)

    def closed(self, steps: Array) -> tuple[Array, Array]:
        """Poses of all samples, (samples, parts, 12), and their states.

        Args:
            steps: first steps from the nominal poses, (unknowns, samples), mm.
        """
        response, n = self.model.response, self.count
        poses = np.broadcast_to(response.frames, (n, *response.frames.shape)).copy()
        state = np.full(n, UNKNOWN)
        going, step = np.arange(n), steps.T
        system = response.system
        goal = system.convergence_tolerance
        for _ in range(ITERATIONS):
            poses[going] = self._moved(poses[going], step)
            residual = self.of(going).off(poses[going])
            off = np.abs(residual)
            step = -residual @ response.inverse.T
            size = np.abs(step).max(axis=1, initial=0.0)
            at_rest = size <= goal
            done = (off.max(axis=1, initial=0.0) <= goal) | at_rest
            within = off.max(axis=1, initial=0.0) <= system.tolerance
            state[going[done]] = np.where(within[done], CLOSED, OFF)
            worst = system.constraint_of_equation[off.argmax(axis=1)]
            self.worst[going[done]] = worst[done]
            finite = np.isfinite(size) & (size < system.length)
            step, going = step[~done & finite], going[~done & finite]
            if not len(going):
                break
        return poses, state

    def _moved(self, poses: Array, step: Array) -> Array:
        response = self.model.response
        twists = np.zeros((len(poses), poses.shape[1], 6))
        twists[:, response.moving] = step.reshape(len(poses), -1, 6)
        turns = twists[..., 3:] / response.system.length
        return displaced(poses, response.system.centre, twists[..., :3], turns)


def _frames(marker: Marker, count: int) -> Array:
    """The frames of a marker in all samples, (samples, 4, 3)."""
    numbers = [values_of(v, count) for v in marker.frame]
    return np.stack(numbers, axis=-1).reshape(count, 4, 3)


# ------------------------------------------------------------------------------------- measures
def values_at(after: Assembly, model: LinearModel, poses: Array) -> Array:
    """What is asked at the poses of samples, (samples, asked), mm and degrees."""
    nominal = model.sensitivities.nominal
    columns = [
        _values(after, model, output, poses, float(nominal[n]))
        for n, output in enumerate(model.asked)
    ]
    return np.stack(columns, axis=1)


def _values(
    after: Assembly, model: LinearModel, output: AskedNumber, poses: Array, nominal: float
) -> Array:
    """One measure at the poses of samples; an angle within half a turn of the nominal one."""
    assert output.measure is not None
    found = with_sense(after, model.response, output.measure)
    both = [_world(marker, model, poses) for marker in (found.a, found.b)]
    vectors = np.concatenate(both, axis=2)
    i, j = np.array([found.i]), np.array([found.j])
    data = np.array(found.data, float)
    a, b = Frames(vectors, np.array([0])), Frames(vectors, np.array([4]))
    value: Array = measures(found.kind, i, j, data, a, b)[0][:, 0]
    if output.unit != "deg":
        return value
    value = np.degrees(value)
    if found.kind == m.ROTATION:
        value = value - 360.0 * np.round((value - nominal) / 360.0)
    return value


def _world(marker: Marker, model: LinearModel, poses: Array) -> Array:
    """Origin and axes of a marker in the world, (3, samples, 4), mm."""
    own = _frames(marker, len(poses))
    if marker.part == WORLD:
        return np.ascontiguousarray(own.transpose(2, 0, 1))
    body = poses[:, model.response.system.parts.index(marker.part)]
    out = own @ body[:, 3:].reshape(-1, 3, 3)
    out[:, 0] += body[:, :3]
    return np.ascontiguousarray(out.transpose(2, 0, 1))
