"""The report of a check: results for each driver, and findings against thresholds.

Values are in mm, degrees, N and N mm; every class has `to_dict`, whose keys are its attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from ..foundations.numerics.ties import first_largest
from ..foundations.types import Array
from ..linkages.circuits.circuit import Circuit
from ..results.wording.phrases import count, listed

if TYPE_CHECKING:
    from ..studies.tolerance import ToleranceAnalysis

TYPICAL = 1.0
"""Smallest magnitude assumed for rounding: rounding errors near 0 become 0."""

DIGITS = 12
"""Significant digits in the dictionary of a report; further ones differ between machines."""


def plain(value: Any) -> Any:
    """A value for JSON: arrays as lists, NaN and inf as None, numbers to `DIGITS` digits."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, float):
        if not isfinite(value):
            return None
        digits = DIGITS - 1 - floor(log10(max(abs(value), TYPICAL)))
        return round(value, digits) + 0.0
    return value


@dataclass(frozen=True)
class ReportRecord:
    """A record that can be written as a dictionary."""

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, as JSON values."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True)
class DriverPosition(ReportRecord):
    """A position of a driver: `value` of `driver`, mm or degrees."""

    driver: str
    value: float
    unit: str

    @property
    def words(self) -> str:
        """Like "boom = 1480 mm"."""
        return f"{self.driver} = {self.value:.6g} {self.unit}"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "words": self.words}


@dataclass(frozen=True)
class Finding(ReportRecord):
    """The result of one check.

    Attributes:
        name: of the check; kind: of the check, or "solve" for the assembly itself.
        passes: whether the threshold is met.
        subject: the quantity: "transmission angle at C"; asked: the threshold in words.
        found: the decisive value, NaN where there is none; unit: of it.
        low, high: the threshold; None where there is none on that side.
        over: the part of the driver's range that it is about, where the check names one.
        driver: of the sweep; None where it belongs to no driver.
        place: position of the decisive value; element: the joint or limit at fault, or "".
        words: a sentence.
    """

    name: str
    kind: str
    passes: bool
    subject: str
    asked: str
    found: float
    unit: str
    words: str
    low: float | None = None
    high: float | None = None
    driver: str | None = None
    place: DriverPosition | None = None
    element: str = ""
    over: tuple[float, float] | None = None

    @property
    def covers(self) -> bool:
        """Whether `low` to `high` is to be gone through, not to be kept to."""
        return self.asked.startswith("covers ")

    def __bool__(self) -> bool:
        return self.passes


@dataclass(frozen=True)
class ReachEnd(ReportRecord):
    """One end of the reach of a driver.

    Attributes:
        value: mm or degrees; kind: "dead point", "limit", "change point", "end of the branch",
            or "" where nothing ends it.
        element: the blocking joint or limit; words: a sentence.
    """

    value: float
    kind: str
    element: str
    words: str


@dataclass(frozen=True)
class DeadPoint(ReportRecord):
    """A position where the driver cannot continue, or where branches meet.

    Attributes:
        value: of the driver, mm or degrees; kind: as of an event of a motion.
        element: the blocking joint; inside: whether it lies in the range of the driver.
        words: a sentence.
    """

    value: float
    kind: str
    element: str
    inside: bool
    words: str


@dataclass(frozen=True, eq=False)
class DriverCurve(ReportRecord):
    """One quantity over the sweep of a driver.

    Attributes:
        kind: "transmission angle", "mechanical advantage", "force", "coordinate", "clearance", ...
        name: of the joint, point or part: "push rod on bracket"; unit: of the values.
        driver: of the sweep; at: values of the driver (n,), mm or degrees, ascending.
        values: (n,), NaN where there is none.
    """

    kind: str
    name: str
    unit: str
    driver: str
    at: Array
    values: Array

    @property
    def least(self) -> tuple[float, float]:
        """The smallest value, and the first one of the driver there; NaN if none."""
        return self._extreme(-1.0)

    @property
    def greatest(self) -> tuple[float, float]:
        """The largest value, and the first one of the driver there; NaN if none."""
        return self._extreme(1.0)

    def _extreme(self, sign: float) -> tuple[float, float]:
        known = self.values[np.isfinite(self.values)]
        if not len(known):
            return np.nan, np.nan
        ranked = np.where(np.isfinite(self.values), sign * self.values, -np.inf)
        k = first_largest(ranked, float(np.abs(known).max()))
        return sign * float(ranked.max()), float(self.at[k])

    def to_dict(self) -> dict[str, Any]:
        (low, at_low), (high, at_high) = self.least, self.greatest
        extremes = {"least": [low, at_low], "greatest": [high, at_high]}
        return {**super().to_dict(), **plain(extremes)}


@dataclass(frozen=True, eq=False)
class PointPath(ReportRecord):
    """The path of a point over the sweep of a driver: `positions` (n, 3) in the world, mm.

    With several `drivers`, the positions are those of a grid of their values.
    """

    name: str
    drivers: tuple[str, ...]
    positions: Array

    @property
    def box(self) -> Array:
        """Smallest and largest coordinates, (2, 3), mm; NaN where there is no position."""
        known = self.positions[np.isfinite(self.positions).all(axis=1)]
        if not len(known):
            return np.full((2, 3), np.nan)
        return np.array([known.min(axis=0), known.max(axis=0)])

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "box": plain(self.box)}


@dataclass(frozen=True, eq=False)
class CouplerCurve(ReportRecord):
    """The path of a point over a whole circuit, regardless of the range of the driver.

    Attributes:
        name: of the point; driver: of the circuit; circuit: its number.
        branches: numbers of the branches; lines: positions (n, 3) on each in the world, mm.
    """

    name: str
    driver: str
    circuit: int
    branches: tuple[int, ...]
    lines: tuple[Array, ...]


@dataclass(frozen=True)
class FourBar(ReportRecord):
    """A loop of four links and its Grashof class.

    Attributes:
        joints: the four joints in order around the loop; lengths: of the links between them, mm,
            that of the frame first.
        kind: one of `model.grashof.CLASSES`.
        margin: sum of the two middle lengths minus that of shortest and longest, mm.
        words: a sentence.
    """

    joints: tuple[str, ...]
    lengths: tuple[float, ...]
    kind: str
    margin: float
    words: str


@dataclass(frozen=True, eq=False)
class ExtremePose(ReportRecord):
    """The mechanism at a value of a driver, seen along an axis.

    Attributes:
        value: mm or degrees.
        axes: what is shown across and upward: "x" and "y".
        points: by part, where the features are that its mates name, and by driver those that it
            keeps apart, (n, 2), mm.
        held: names of the grounded parts.
    """

    value: float
    axes: tuple[str, str]
    points: Mapping[str, Array]
    held: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class DriverStudy(ReportRecord):
    """The motion of a driver, the other drivers locked at their values.

    Attributes:
        driver: its name; unit: mm or deg; start: its value in the solved assembly.
        range: as in the file; None where it has none.
        covered: the part of the range that is reached from the start.
        reach: as far as it can move without its range, infinite if unlimited; ends: of the reach.
        dead_points: in the reach and at its ends.
        limits: reached limits, in words.
        residual: largest residual of a mate in the sweep, mm; residual_at: where.
        branch_changes: values of the driver where the motion changes to another branch.
        curves, paths: over the sweep.
        notes: what could not be determined, and why.
        sentence: a summary.
        circuits: of the planar linkage, that of the start first, the other drivers locked.
        coupler_curves: over the whole circuit of the start, of points of a drawing that are on
            one link only, and of those that checks name.
        poses: at both ends of what is covered; none where nothing moves.
    """

    driver: str
    unit: str
    start: float
    range: tuple[float, float] | None
    covered: tuple[float, float]
    reach: tuple[float, float]
    ends: tuple[ReachEnd, ReachEnd]
    dead_points: tuple[DeadPoint, ...]
    limits: tuple[str, ...]
    residual: float
    residual_at: float
    branch_changes: tuple[float, ...]
    curves: tuple[DriverCurve, ...]
    paths: tuple[PointPath, ...]
    notes: tuple[str, ...]
    sentence: str
    circuits: tuple[Circuit, ...] = ()
    coupler_curves: tuple[CouplerCurve, ...] = ()
    poses: tuple[ExtremePose, ...] = ()

    def of_kind(self, kind: str) -> tuple[DriverCurve, ...]:
        """The curves of one kind."""
        return tuple(c for c in self.curves if c.kind == kind)


@dataclass(frozen=True, eq=False)
class Report(ReportRecord):
    """The result of `check`.  It is true in a condition when every finding passes.

    Attributes:
        name: of the assembly; version: of this program; file: its name, "" where there is none.
        sha256: of the file; "" where there is none.
        parameters: used values by name.
        solved: the sentence of the solve; dof: freedoms without drivers, None unless solved.
        findings: one for the assembly itself, then one or more for each check, in their order.
        studies: one for each driver; loops: of four links.
        tolerances: analyses that checks of tolerances ask for, each once.
    """

    name: str
    version: str
    file: str
    sha256: str
    parameters: dict[str, float]
    solved: str
    dof: int | None
    findings: tuple[Finding, ...]
    studies: tuple[DriverStudy, ...]
    loops: tuple[FourBar, ...]
    tolerances: tuple[ToleranceAnalysis, ...] = ()

    def __bool__(self) -> bool:
        return all(self.findings)

    def without_curves(self) -> Report:
        """The same without values over the states and branches, which a table does not show."""
        bare = []
        for s in self.studies:
            circuits = tuple(replace(c, branches=()) for c in s.circuits)
            less = replace(s, curves=(), paths=(), coupler_curves=(), poses=())
            bare.append(replace(less, circuits=circuits))
        return replace(self, studies=tuple(bare))

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The findings that do not pass."""
        return tuple(f for f in self.findings if not f)

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        told = count(len(self.findings), "finding")
        if self:
            return f"{self.name}: passes, {told} as asked"
        words = listed([f.words for f in self.failed], 1)
        return f"{self.name}: fails, {len(self.failed)} of {told}: {words}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be determined, each note once, with its drivers if not all have it."""
        drivers: dict[str, list[str]] = {}
        for study in self.studies:
            for note in dict.fromkeys(study.notes):
                drivers.setdefault(note, []).append(study.driver)
        return tuple(
            note if len(names) == len(self.studies) else f"{listed(names)}: {note}"
            for note, names in drivers.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """The result object of the command line."""
        words = {"sentence": self.sentence, "notes": list(self.notes)}
        return {"passes": bool(self), **words, **super().to_dict()}

    def __str__(self) -> str:
        rows = [f"  {'pass' if f else 'FAIL'}  {f.name}: {f.words}" for f in self.findings]
        return "\n".join([self.sentence, *rows])
