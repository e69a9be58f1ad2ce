"""The equations of an assembly for many samples at once, with the numbers that each has of its own.

One table has the equations of the system, then the coordinates that have limits, then what is
measured: all are evaluated alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from ..equations.shared_iteration import OwnNumbers, SharedEnds, SharedStep, put_numbers
from ..equations.shared_markers import NamedMarkers, SharedMarkers
from ..equations.system import System
from ..equations.table import EquationTable, evaluated_equation, residuals
from ..equations.table_writer import written
from ..foundations.numerics.varied import Varied, values_of
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..model.equation_set import EquationForm, equation_set
from ..model.mate import Equation
from ..model.measures.measure import Marker, opposed
from ..model.tolerances.named_measure import WORLD
from .changed_equations import STILL_FRAME
from .measured import AskedNumber, with_sense
from .response import PoseResponse

ORIGIN = (0.0, 0.0, 0.0)

OF_TERMS = ("term_measure", "coefficient", "reference")
OF_EQUATIONS = ("target", "period", "weight")
"""Arrays of a table with an entry for each term, and for each equation."""


class SampledSystem:
    """The equations of the samples of an assembly.

    Args:
        response: of the nominal assembly; asked: what is measured.
        references: of what is asked, rad: angles are within half a turn of these.
        after: the nominal assembly with numbers that vary; count: of samples.

    Attributes:
        differs: whether samples differ by more than targets, markers and coefficients: by the
            numbers of cones and rings, constants measured at the start, the whole turns of an angle
            whose coefficient varies, bounds of limits; or stand at a limit, which they may leave.
        table, own: as those of `close_copies`; low, high: of the limits.
        shifted: the number among its own markers of each marker of the system, -1 of others.
    """

    def __init__(
        self,
        response: PoseResponse,
        asked: Sequence[AskedNumber],
        references: Array,
        after: Assembly,
        count: int,
    ) -> None:
        system, none = response.system, np.empty(0)
        self._response, self._asked = response, asked
        known = _equations(response, asked, after)
        index = {name: k for k, name in enumerate([*system.parts, WORLD])}
        every = equation_set(known)
        markers = SharedMarkers(NamedMarkers(index), [every], [])
        frames: list[Sequence[float]] = [m.frame for m in markers.every]
        number = {id(m): k for k, m in enumerate(markers.every)}
        for h, sense in zip(after.held.values(), system.sense.tolist(), strict=False):
            if sense < 0:
                k = number[id(h.b.marker)]
                frames[k] = opposed(h.b.marker).frame
                markers.frame[k, 6:] *= -1.0
        self.table = _completed(
            written([every], markers, markers.of[0], 1.0).table, system, references
        )
        own = known[: len(system.table.target)]
        bounds = (v for limit in after.limits.values() for v in (limit.min, limit.max))
        bounds_vary = any(isinstance(v, Varied) for v in bounds)
        self.differs = bool(system.active_limits) or _differs(system, own) or bounds_vary
        self.low = none if system.bounds is None else system.bounds.low
        self.high = none if system.bounds is None else system.bounds.high
        self.own = _own_numbers(every.form, frames, count)
        t, terms = system.table, system.table.term_measure
        place: Ints = np.full(len(self.table.marker_body), -1)
        place[self.own.markers] = np.arange(len(self.own.markers))
        self.shifted: Ints = np.full(len(t.marker_body), -1)
        self.shifted[t.marker_a[terms]] = place[self.table.marker_a[: len(terms)]]
        self.shifted[t.marker_b[terms]] = place[self.table.marker_b[: len(terms)]]

    @cached_property
    def shared(self) -> SharedStep:
        """What all samples share."""
        response, system = self._response, self._response.system
        return SharedStep(
            frames=with_world(response.frames),
            moving=response.moving,
            sums=response.least.sums,
            basis=response.basis._replace(centre=np.append(response.basis.centre, [ORIGIN], 0)),
            low=self.low,
            high=self.high,
            goal=system.convergence_tolerance,
            farthest=system.length,
        )

    def system_of(self, s: int) -> System:
        """The system of sample s."""
        table, system = own_table(self.table), self._response.system
        put_numbers(table, self.own, s)
        count = len(system.table.target)
        first = table.first_term[: count + 1]
        terms = {key: getattr(table, key)[: first[-1]] for key in OF_TERMS}
        equations = {key: getattr(table, key)[:count] for key in OF_EQUATIONS}
        return replace(system, table=table._replace(first_term=first, **terms, **equations))

    def coordinates(self, s: int, poses: Array) -> Array:
        """The coordinates that have limits in sample s, (limits,), mm and rad, at poses of it."""
        table, first = own_table(self.table), self._response.rows.count
        put_numbers(table, self.own, s)
        read = np.empty(len(self.low))
        residuals(table, poses, first + np.arange(len(self.low)), read)
        return read

    def shifts(self) -> Array:
        """How far the origins of its own markers are off, body coordinates, (samples, own, 3)."""
        found: Array = self.own.frame[..., :3] - self.table.marker_frame[self.own.markers, :3]
        return found

    def call(self, some: slice, first: Array, ends: SharedEnds) -> tuple[Any, ...]:
        """The arguments of `close_copies` for some samples, with arrays that it may change.

        Args:
            first: first steps, (samples, unknowns), mm, and ends: of all samples.
        """
        sizes = self._response.rows.count, len(self.shared.sums.first) - 1, first.shape[1]
        scratch = evaluated_equation(), *(np.empty(n) for n in sizes)
        mine, numbers = own_table(self.table), self.own.part(some)
        return mine, numbers, self.shared, first[some], ends.part(some), scratch

    def in_degrees(self, values: Array) -> Array:
        """What is asked, (samples, asked), mm and degrees, from mm and rad."""
        angles = np.array([o.unit == "deg" for o in self._asked])
        return np.where(angles, np.degrees(values), values)


def own_table(t: EquationTable) -> EquationTable:
    """A table with numbers of its own, where copies have others."""
    return t._replace(
        target=t.target.copy(), coefficient=t.coefficient.copy(), marker_frame=t.marker_frame.copy()
    )


def with_world(frames: Array) -> Array:
    """Frames of parts with that of the world, the body after them, (parts + 1, 12), mm."""
    return np.concatenate([frames, [STILL_FRAME]])


def _equations(
    response: PoseResponse, asked: Sequence[AskedNumber], after: Assembly
) -> list[Equation]:
    """All equations; a measure has markers of its own, in the sense of its mate at the poses."""
    valued = [(d, d.value) for d in after.drivers.values() if d.value is not None]
    mates = (h.equations for h in after.held.values())
    out = list(chain(*mates, *(d.at(value) for d, value in valued)))
    out += [limit.equation for limit in after.limits.values()]
    return out + [_measuring(response, after, output) for output in asked]


def _measuring(response: PoseResponse, after: Assembly, output: AskedNumber) -> Equation:
    assert output.measure is not None
    found = with_sense(after, response, output.measure)
    return Equation(((1.0, found._replace(a=Marker(*found.a), b=Marker(*found.b))),), 0.0)


def _completed(t: EquationTable, system: System, references: Array) -> EquationTable:
    """The table with the targets measured at the start, weights and turns of the system."""
    for mine, of_system in (
        (t.target, system.table.target),
        (t.period, system.table.period),
        (t.weight, system.table.weight),
        (t.reference, system.table.reference),
    ):
        mine[: len(of_system)] = of_system
    last = len(t.reference) - len(references)
    if system.bounds is not None:
        angles = system.bounds.table.reference
        t.reference[last - len(angles) : last] = angles
    t.reference[last:] = references
    return t


def _differs(system: System, equations: list[Equation]) -> bool:
    """Whether samples differ by what the shared iteration cannot express."""
    for period, (terms, target) in zip(system.table.period.tolist(), equations, strict=True):
        coefficients = any(isinstance(c, Varied) for c, _ in terms)
        markers = any(isinstance(v, Varied) for _, x in terms for k in x[3:5] for v in k.frame)
        if any(isinstance(v, Varied) for _, found in terms for v in found.data):
            return True
        if (period > 0.0 and coefficients) or (target is None and (coefficients or markers)):
            return True
    return False


def _own_numbers(form: EquationForm, frames: Sequence[Sequence[float]], count: int) -> OwnNumbers:
    """The numbers of a form and of the frames of its markers that vary, in all samples."""
    targets = {k: v for k, v in enumerate(form.target) if isinstance(v, Varied)}
    coefficients = {k: v for k, v in enumerate(form.coefficient) if isinstance(v, Varied)}
    markers = [k for k, f in enumerate(frames) if any(isinstance(v, Varied) for v in f)]
    frame = np.empty((count, len(markers), 12))
    for n, k in enumerate(markers):
        for r, v in enumerate(frames[k]):
            frame[:, n, r] = values_of(v, count)
    return OwnNumbers(
        np.array([*targets], np.int64),
        np.array([*coefficients], np.int64),
        np.array(markers, np.int64),
        _columns([*targets.values()], count),
        _columns([*coefficients.values()], count),
        frame,
    )


def _columns(numbers: Sequence[float], count: int) -> Array:
    """The values of numbers in all samples, (samples, numbers)."""
    out = np.empty((count, len(numbers)))
    for n, v in enumerate(numbers):
        out[:, n] = values_of(v, count)
    return out
