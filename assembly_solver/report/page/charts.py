"""The charts of a check: curves grouped by kind and unit, with marks and thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, isqrt

import numpy as np

from ...checking.findings import CouplerCurve, DriverCurve, DriverStudy, Finding, PointPath
from ...checking.reach import FULL_TURN
from ...errors import kind_words
from ...foundations.markup.svg_axes import (
    COLOURS,
    Chart,
    MarkedPoint,
    PlottedCurve,
    Threshold,
    VerticalLine,
)
from ...foundations.types import Array

LARGER = {"N": (1e4, 0.001, "kN"), "N mm": (1e3, 0.001, "N m"), "N m": (1e4, 0.001, "kN m")}
"""Units of forces: the value from which a larger unit is drawn, its factor and its name."""

GROWING = ("output force", "mechanical advantage")
"""Kinds of curves that grow without bound where the output rests; "force" at dead points."""

CLIPPED = 3.0
"""Largest drawn value of such a curve over what 90 % of them are."""

PIN = " (pin)"
"""Suffix of the name of a force in a joint, which is drawn separately from driver forces."""

BY_NAME = ("force", "output_force", "coordinate", "mechanical_advantage")
"""Kinds of checks about one curve each; others are about the minimum of all curves."""

NAMED = 3
"""Largest number of curves in one chart whose extreme values are labelled."""


def charts(study: DriverStudy, findings: Sequence[Finding]) -> list[Chart]:
    """All charts of one driver: its curves by kind and unit, then the paths of points."""
    groups: dict[tuple[str, str, bool], list[DriverCurve]] = {}
    for curve in study.curves:
        if np.isfinite(curve.values).any():
            groups.setdefault((curve.kind, curve.unit, curve.name.endswith(PIN)), []).append(curve)
    own = [f for f in findings if f.driver == study.driver]
    out = []
    for (kind, unit, _), curves in groups.items():
        checks = [f for f in own if kind_words(f.kind) == kind and f.unit == unit]
        count = -(-len(curves) // COLOURS)
        for k in range(count):
            out.append(_chart(study, kind, unit, curves[k::count], checks))
    out += [_path(path) for path in study.paths if np.isfinite(path.positions).any()]
    turned = study.unit == "deg" and study.covered[1] - study.covered[0] >= FULL_TURN
    whole = {path.name for path in study.paths} if turned else set()
    coupler = study.coupler_curves  # the path over a full turn is one already
    return out + [_coupler_curve(c) for c in coupler if len(c.branches) > 1 or c.name not in whole]


def _about(finding: Finding, curve: DriverCurve) -> bool:
    """Whether the subject of a check names this curve."""
    if curve.name.endswith(PIN):
        return f"in {curve.name.removesuffix(PIN)}" in finding.subject
    return curve.name in finding.subject and not finding.subject.startswith("force in ")


def scaled(unit: str, largest: float) -> tuple[float, str]:
    """Factor to, and name of, the unit in which values up to `largest` are shown."""
    factor = 1.0
    while unit in LARGER and largest * factor >= LARGER[unit][0]:
        _, more, unit = LARGER[unit]
        factor *= more
    return factor, unit


def _chart(
    study: DriverStudy,
    kind: str,
    unit: str,
    curves: Sequence[DriverCurve],
    checks: Sequence[Finding],
) -> Chart:
    factor, shown = scaled(unit, max(float(np.nanmax(np.abs(c.values))) for c in curves))
    checks = [f for f in checks if any(_about(f, c) for c in curves)]
    marked = [
        MarkedPoint(
            f.place.value,
            factor * f.found,
            f"{factor * f.found:.4g} {shown}",
            failed=True,
            below=f.low is not None and f.found < f.low,
        )
        for f in checks
        if not f and f.place is not None
    ]
    if kind == "transmission angle" and len(curves) <= NAMED and not marked:
        for least, at in (c.least for c in curves):
            told = f"{least:.4g} {shown} at {at:.6g}"
            marked.append(MarkedPoint(at, least, told, below=True))
    thresholds = _thresholds(checks, factor, shown, curves)
    drawn = [factor * c.values for c in curves]
    most = inf
    if kind in GROWING or (kind == "force" and study.dead_points):
        most = most_drawn(drawn, [*(t.y for t in thresholds), *(m.y for m in marked)])
    pins = all(c.name.endswith(PIN) for c in curves)
    clipped = f", cut off at {most:.3g} {shown}".rstrip() if isfinite(most) else ""
    return Chart(
        title=("Force in joints" if pins else kind.capitalize())
        + (f"{clipped}: larger values are not drawn" if clipped else ""),
        across=f"{study.driver}, {study.unit}",
        upward=f"{kind}, {shown}" if shown else kind,
        curves=[
            PlottedCurve(c.name, c.at, np.where(np.abs(y) <= most, y, np.nan))
            for c, y in zip(curves, drawn, strict=True)
        ],
        lines=_lines(study),
        thresholds=thresholds,
        spots=marked,
        shown=(0.0, 90.0) if kind == "transmission angle" else (),
    )


def most_drawn(curves: Sequence[Array], others: Sequence[float]) -> float:
    """The largest size that is drawn of curves that grow without bound, (n,) each.

    Never less than `others`, what else the chart has to show; infinite where all can be drawn.
    """
    sizes = np.abs(np.concatenate(curves))
    most = CLIPPED * float(np.nanquantile(sizes, 0.9))
    whole = float(np.nanmax(sizes)) <= most
    return inf if whole else max([most, *np.abs(others).tolist()])


def _lines(study: DriverStudy) -> list[VerticalLine]:
    """Lines at the dead points, and at the ends of the reach that are not dead points."""
    dead = [VerticalLine(d.value, f"{d.kind} {d.value:.7g}", d.inside) for d in study.dead_points]
    known = {line.x for line in dead}
    ends = [
        VerticalLine(end.value, f"{end.kind} {end.value:.7g}")
        for end in study.ends
        if end.kind not in ("", "range") and end.value not in known
    ]
    return dead + ends


def _thresholds(
    checks: Sequence[Finding], factor: float, unit: str, curves: Sequence[DriverCurve]
) -> list[Threshold]:
    """The bounds of checks; of several at one value the failed one.

    A bound of one of several curves names the curve.
    """
    found: dict[tuple[float, bool, tuple[float, float] | None], Threshold] = {}
    for f in checks:
        sides = ("down to", "up to") if f.covers else ("at least", "at most")
        for bound, above, words in zip((f.low, f.high), (True, False), sides, strict=True):
            if bound is None or not np.isfinite(bound):
                continue
            y = factor * bound
            past = f.found < bound if above else f.found > bound
            wrong = not f and (past or f.covers)
            about = [c.name for c in curves if _about(f, c)]
            whose = f"{about[0]}: " if f.kind in BY_NAME and len(about) < len(curves) else ""
            told = f"{whose}{words} {y:.4g} {unit}".strip()
            line = Threshold(y, told, above, wrong, f.over, not f.covers)
            if wrong or (bound, above, f.over) not in found:
                found[bound, above, f.over] = line
    return list(found.values())


def _path(path: PointPath) -> Chart:
    """The chart of a path; over a grid of two drivers a curve for each driver."""
    title = f"Path of {path.name}, moved by {' and '.join(path.drivers)}"
    low, high = path.box
    side = isqrt(len(path.positions))
    if len(path.drivers) != 2 or side * side != len(path.positions):
        return _in_plane(title, high - low, {path.name: path.positions})
    first, second = path.drivers
    grid = path.positions.reshape(side, side, 3)
    lines = {f"{second} moves": _joined(grid), f"{first} moves": _joined(grid.swapaxes(0, 1))}
    return _in_plane(title, high - low, lines, thin=True)


def _in_plane(title: str, size: Array, lines: Mapping[str, Array], thin: bool = False) -> Chart:
    """Lines, (n, 3) mm, in the coordinate plane of the two largest extents; `size` (3,)."""
    i, j = (k for k in range(3) if k != int(np.argmin(size)))
    curves = [PlottedCurve(name, at[:, i], at[:, j], thin) for name, at in lines.items()]
    return Chart(title, f"{'xyz'[i]}, mm", f"{'xyz'[j]}, mm", curves, to_scale=True)


def _coupler_curve(curve: CouplerCurve) -> Chart:
    title = f"Coupler curve of {curve.name} over the whole of circuit {curve.circuit}"
    named = zip(curve.branches, curve.lines, strict=True)
    lines = {f"branch {number}": line for number, line in named}
    return _in_plane(title, np.ptp(np.concatenate(curve.lines), axis=0), lines)


def _joined(grid: Array) -> Array:
    """The rows of a grid of points, (n, m, 3), as one curve, with NaN between them."""
    found: Array = np.pad(grid, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, 3)
    return found
