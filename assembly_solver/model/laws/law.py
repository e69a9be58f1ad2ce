"""Laws: the values of drivers over time.

A law gives a value in the driver's unit (mm or degrees) with two derivatives, at times in seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import pi
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ...errors import BadValue, Contradiction, MissingKey, NotFinite, UnknownName
from ...foundations.numerics import taylor
from ...foundations.numerics.rounding import ROUNDING
from ...foundations.numerics.taylor import Jet
from ...foundations.numerics.varied import Varied
from ...foundations.types import Array
from ..numbers import finite, positive, several, true_or_false
from . import spline
from .expression import TIME, Expression

EVERYWHERE = (-np.inf, np.inf)
NO_PARAMETERS: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Law:
    """The value of a driver over time; made by `law_of`.  `place`: in a file, for errors."""

    place: str = field(default="law", compare=False)

    def at(self, t: Any) -> tuple[Array, Array, Array]:
        """Value, first and second derivative at times (s): arrays of the shape of t.

        They are in mm or degrees, per second and per second squared.

        Raises BadValue: a time outside the table; NotFinite: no finite value or derivative there.
        """
        times = np.asarray(t, float)
        first, last = self.span
        tolerance = _time_tolerance(first, last)
        outside = ~((times >= first - tolerance) & (times <= last + tolerance))
        if outside.any():
            wanted = f"a time of its table, {first:g} to {last:g} s"
            raise BadValue(self.place, float(times[outside].flat[0]), wanted)
        found = self._jet(np.clip(times, first, last))
        for array, what in zip(found, ("value", "rate", "second derivative"), strict=True):
            bad = ~np.isfinite(array)
            if bad.any():
                where = f" at t = {float(times[bad].flat[0]):g} s"
                raise NotFinite(self.place, self.words, what, where)
        return found.value, found.rate, found.acc

    @property
    def span(self) -> tuple[float, float]:
        """First and last time at which it is defined, s; infinite for all but tables."""
        return EVERYWHERE

    @property
    def start(self) -> float:
        """The time at which `solve` takes its value: 0, or the nearest time of its table, s."""
        first, last = self.span
        return min(max(0.0, first), last)

    @property
    def initial(self) -> float:
        """Its value at the start, mm or degrees."""
        return float(self.at(self.start)[0])

    @property
    def words(self) -> str:
        """The law for messages, as its value in a file."""
        return str(self.to_file())

    def over(self, span: tuple[float, float]) -> Law:
        """The law over a span of time (s); a ramp without times takes these.  Raises BadValue: such
        a ramp, over an empty span."""
        return self

    def to_file(self) -> Any:
        """Its value in a file: see `law_of`."""
        raise NotImplementedError

    def _jet(self, t: Array) -> Jet:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Constant(Law):
    """One value at all times."""

    value: float

    def to_file(self) -> float:
        return self.value

    def _jet(self, t: Array) -> Jet:
        return taylor.constant(self.value, t)


@dataclass(frozen=True, kw_only=True)
class Ramp(Law):
    """From one value to another at a constant rate, constant before and after.

    Attributes:
        values: first and last value, mm or degrees.
        times: first and last time, s; None: those of the sweep (0 and 1 s until it is known).

    At its corners, where the rate is discontinuous, it is that of the slope.
    """

    values: tuple[float, float]
    times: tuple[float, float] | None = None

    KEYS: ClassVar = ("ramp", "times")

    def over(self, span: tuple[float, float]) -> Law:
        if self.times is not None:
            return self
        if not span[0] < span[1]:
            raise BadValue(self.place, span, "told its times: a ramp takes some time")
        return replace(self, times=span)

    def to_file(self) -> dict[str, Any]:
        spec: dict[str, Any] = {"ramp": list(self.values)}
        return spec if self.times is None else spec | {"times": list(self.times)}

    def _jet(self, t: Array) -> Jet:
        (first, last), (begin, end) = self.values, self.times or (0.0, 1.0)
        rate, tolerance = (last - first) / (end - begin), _time_tolerance(begin, end)
        value = np.where(t >= end, last, first + rate * (np.clip(t, begin, end) - begin))
        at_rest = (t < begin - tolerance) | (t > end + tolerance)
        return Jet(value, np.where(at_rest, 0.0, rate), np.zeros_like(t))


@dataclass(frozen=True, kw_only=True)
class Sine(Law):
    """mean + amplitude x sin(360 x frequency x t + phase), phase in degrees.

    Attributes:
        amplitude, mean: mm or degrees; phase: degrees.
        period: s; or frequency: cycles per second; one of the two.
    """

    amplitude: float
    period: float | None = None
    frequency: float | None = None
    phase: float = 0.0
    mean: float = 0.0

    KEYS: ClassVar = ("amplitude", "period", "frequency", "phase", "mean")

    def to_file(self) -> dict[str, Any]:
        values = {key: getattr(self, key) for key in self.KEYS}
        defaults = {"period": None, "frequency": None, "phase": 0.0, "mean": 0.0}
        return {"sine": {k: v for k, v in values.items() if k not in defaults or v != defaults[k]}}

    def _jet(self, t: Array) -> Jet:
        frequency = self.frequency if self.period is None else 1.0 / self.period
        assert frequency is not None
        rate = 2.0 * pi * frequency
        angle = taylor.add(
            taylor.scaled(taylor.time(t), rate), taylor.constant(np.radians(self.phase), t)
        )
        return taylor.add(
            taylor.scaled(taylor.sine(angle), self.amplitude), taylor.constant(self.mean, t)
        )


@dataclass(frozen=True, kw_only=True)
class TableLaw(Law):
    """Values at given times, with a smooth curve through them; undefined outside them.

    Attributes:
        points: times (s, increasing) with their values, two or more.
        monotone: between the values of two neighbouring points everywhere and at rest at the ends,
            for steps and dwells; otherwise the cubic spline through all points, more accurate for
            samples of a smooth function.  Both have continuous second derivatives.
    """

    points: tuple[tuple[float, float], ...]
    monotone: bool = False
    curve: spline.Spline = field(init=False, compare=False, repr=False)

    KEYS: ClassVar = ("table", "monotone")

    def __post_init__(self) -> None:
        times, values = np.array(self.points).T
        with np.errstate(over="ignore", invalid="ignore"):
            curve = (spline.monotone if self.monotone else spline.smooth)(times, values)
        object.__setattr__(self, "curve", curve)

    @property
    def span(self) -> tuple[float, float]:
        return self.points[0][0], self.points[-1][0]

    def to_file(self) -> dict[str, Any]:
        spec: dict[str, Any] = {"table": [list(point) for point in self.points]}
        return spec | {"monotone": True} if self.monotone else spec

    def _jet(self, t: Array) -> Jet:
        return self.curve.jet(t)


@dataclass(frozen=True, kw_only=True)
class Formula(Law):
    """An expression in t (s), as "30 * sin(2 * pi * t)"; its names are parameters."""

    expression: Expression
    parameters: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def initial(self) -> float:
        if any(isinstance(v, Varied) for v in self.parameters.values()):
            return self.expression.evaluate({**self.parameters, TIME: self.start})
        return super().initial

    @property
    def words(self) -> str:
        return self.expression.text

    def to_file(self) -> str:
        return self.expression.text

    def _jet(self, t: Array) -> Jet:
        return self.expression.jet(t, self.parameters)


def _time_tolerance(first: float, last: float) -> float:
    """By how much a time may be outside an interval, s."""
    return ROUNDING * max(abs(first), abs(last)) if np.isfinite(first) else 0.0


# ------------------------------------------------------------------------------- reading of laws
def law_of(spec: Any, place: str, parameters: Mapping[str, float] = NO_PARAMETERS) -> Law:
    """The law that a file or a script specifies.

    Args:
        spec: a number, {"ramp": [from, to]} (with "times": [first, last] if not those of the
            sweep), {"sine": {...}}, {"table": [[t, value], ...]} (with "monotone": true), or an
            expression in t; a law is returned as it is.
        parameters: names that an expression may use besides t, with their values.

    Raises UnknownName, MissingKey, Contradiction, BadValue: as the object or the number;
    BadExpression: a formula that cannot be parsed; NotFinite: no value at its start.

    Examples:
        >>> law_of({"ramp": [0, 90], "times": [0, 2]}, "law").at(1.0)[0].tolist()
        45.0
    """
    if isinstance(spec, Law):
        return spec
    if isinstance(spec, str):
        read = Expression.parse(spec, (TIME, *parameters), place)
        used = {name: parameters[name] for name in read.names if name != TIME}
        law: Law = Formula(expression=read, parameters=used, place=place)
    elif isinstance(spec, Mapping):
        law = _reader(spec, place)(spec, place)
    else:
        wanted = 'a number, "ramp", "sine", "table", or an expression in t'
        law = Constant(value=finite(spec, place, wanted), place=place)
    law.at(law.start)
    return law


def _reader(spec: Mapping[str, Any], place: str) -> Any:
    found = [key for key in READERS if key in spec]
    if not found:
        raise UnknownName("law", str(next(iter(spec), "")), READERS, place)
    if len(found) > 1:
        raise Contradiction(place, repr(found[0]), repr(found[1]))
    return READERS[found[0]]


def _known(spec: Mapping[str, Any], keys: Collection[str], place: str) -> None:
    for key in spec:
        if key not in keys:
            raise UnknownName("key", str(key), keys, place)


def _ramp(spec: Mapping[str, Any], place: str) -> Law:
    _known(spec, Ramp.KEYS, place)
    values = _pair(spec["ramp"], f"{place}.ramp", "two numbers, from and to")
    if "times" not in spec:
        return Ramp(values=values, place=place)
    wanted = "two times, the earlier one first"
    times = _pair(spec["times"], f"{place}.times", wanted)
    if not times[0] < times[1]:
        raise BadValue(f"{place}.times", spec["times"], wanted)
    return Ramp(values=values, times=times, place=place)


def _sine(spec: Mapping[str, Any], place: str) -> Law:
    _known(spec, ("sine",), place)
    fields, where = spec["sine"], f"{place}.sine"
    if not isinstance(fields, Mapping):
        raise BadValue(where, fields, "an object with an amplitude and a period or a frequency")
    _known(fields, Sine.KEYS, where)
    if "amplitude" not in fields:
        raise MissingKey(where, "a sine", "amplitude")
    if "period" in fields and "frequency" in fields:
        raise Contradiction(where, "'period'", "'frequency'")
    if "period" not in fields and "frequency" not in fields:
        raise MissingKey(where, "a sine without a frequency", "period")
    given = {key: finite(value, f"{where}.{key}") for key, value in fields.items()}
    for key in ("period", "frequency"):
        if key in given:
            positive(fields[key], f"{where}.{key}", "above 0")
    return Sine(**given, place=place)


def _table(spec: Mapping[str, Any], place: str) -> Law:
    _known(spec, TableLaw.KEYS, place)
    rows, where = spec["table"], f"{place}.table"
    if not isinstance(rows, (list, tuple)) or len(rows) < 2:
        raise BadValue(where, rows, "two or more pairs of time and value")
    monotone = spec.get("monotone", False)
    true_or_false(monotone, f"{place}.monotone")
    points = tuple(_pair(row, f"{where}[{k}]", "a time and a value") for k, row in enumerate(rows))
    for k, (before, now) in enumerate(pairwise(points), 1):
        if not before[0] < now[0]:
            raise BadValue(f"{where}[{k}]", now[0], f"a time later than {before[0]:g} s")
    law = TableLaw(points=points, monotone=monotone, place=place)
    if not np.isfinite(law.curve.segments).all():
        raise BadValue(where, rows, "times that are farther apart for such values")
    return law


def _pair(value: Any, place: str, wanted: str) -> tuple[float, float]:
    first, second = several(value, 2, place, wanted)
    return finite(first, place, wanted), finite(second, place, wanted)


READERS = {"ramp": _ramp, "sine": _sine, "table": _table}
"""The readers of laws that are objects, by their key."""
