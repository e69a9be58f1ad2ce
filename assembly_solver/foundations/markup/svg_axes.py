"""Charts as inline SVG: axes with units, ticks on round numbers, marked values.

Colours and dashes of curves come from the page's style sheet, as classes `c0` to `c5`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, isfinite, log10

import numpy as np

from ..numerics.rounding import AGREEMENT
from ..types import Array
from .visible import escape

WIDTH, HEIGHT = 560.0, 300.0
TOP, RIGHT, BOTTOM = 30.0, 18.0, 44.0
TALLEST = 460.0
"""Largest height of a chart to scale, px; a taller one is narrowed."""

LETTER = 8.0
"""Mean width of a letter in the labels, px, of the size on paper and on narrow screens."""

COLOURS = 6

PROTRACTOR = (15.0, 30.0, 45.0, 60.0, 90.0, 180.0, 360.0)
"""Steps of wide axes in degrees."""


@dataclass(frozen=True, eq=False)
class PlottedCurve:
    """A line through points; NaN interrupts it.

    Attributes:
        x, y: in the units of the axes, (n,); thin: drawn with a thin line.
        filled: what lies below it is coloured; it begins and ends there.
    """

    name: str
    x: Array
    y: Array
    thin: bool = False
    filled: bool = False


@dataclass(frozen=True)
class VerticalLine:
    """A vertical line at a value of the horizontal axis: a dead point, an end, a limit."""

    x: float
    words: str
    failed: bool = False


@dataclass(frozen=True)
class Threshold:
    """A horizontal line that the curves must stay above (or below).

    Attributes:
        over: the part of the horizontal axis that it is about; None for all of it.
        closed: whether the other side is shaded; else the curves have to get to the line.
    """

    y: float
    words: str
    above: bool
    failed: bool = False
    over: tuple[float, float] | None = None
    closed: bool = True


@dataclass(frozen=True)
class MarkedPoint:
    """A labelled point of a curve; `below` where the curve leaves it upward."""

    x: float
    y: float
    words: str
    failed: bool = False
    below: bool = False


@dataclass(frozen=True, eq=False)
class Chart:
    """Curves over one horizontal axis.

    Attributes:
        across, upward: labels of the axes with units, such as "boom, mm".
        shown: values that the vertical axis includes in any case.
        to_scale: both axes have the same scale, for paths of points.
    """

    title: str
    across: str
    upward: str
    curves: Sequence[PlottedCurve]
    lines: Sequence[VerticalLine] = ()
    thresholds: Sequence[Threshold] = ()
    spots: Sequence[MarkedPoint] = ()
    shown: Sequence[float] = ()
    to_scale: bool = False


@dataclass(frozen=True)
class Scale:
    """A linear axis: values from `low` to `high` at pixels from `begin` to `end`."""

    low: float
    high: float
    begin: float
    end: float
    ticks: Sequence[float] = field(default=())

    def at(self, value: Array | float) -> Array:
        """Pixels of values."""
        share = (np.asarray(value, float) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def holds(self, value: float) -> bool:
        """Whether a value lies on the axis."""
        return isfinite(value) and self.low <= value <= self.high


def step_of(low: float, high: float, most: int, unit: str = "") -> float:
    """The smallest round step (1, 2, 2.5, 5 times a power of ten) with at most `most` steps.

    Wide ranges of degrees are divided by the steps of a protractor.
    """
    rough = (high - low) / most
    if unit == "deg" and 10.0 < rough <= PROTRACTOR[-1]:
        return next(s for s in PROTRACTOR if s >= rough * (1 - AGREEMENT))
    ten = 10.0 ** floor(log10(rough))
    return next(ten * s for s in (1.0, 2.0, 2.5, 5.0, 10.0) if ten * s >= rough * (1 - AGREEMENT))


def ticks(low: float, high: float, most: int = 6, unit: str = "") -> list[float]:
    """The round numbers from `low` to `high`, at most `most` + 1 of them."""
    step = step_of(low, high, most, unit)
    first, last = ceil(low / step - AGREEMENT), floor(high / step + AGREEMENT)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def span(values: Array) -> tuple[float, float]:
    """Smallest and largest finite value, widened where they are equal; 0 and 1 without any."""
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    if high - low > AGREEMENT * max(abs(low), abs(high), AGREEMENT):
        return low, high
    room = 0.05 * abs(low) or 1.0  # a constant curve is centred
    return low - room, high + room


def rounded_span(values: Array, most: int = 6, unit: str = "") -> tuple[float, float]:
    """The span widened to round numbers, and to zero where that is near."""
    low, high = span(values)
    low = 0.0 if 0.0 < low < 0.4 * high else low
    high = 0.0 if 0.4 * low < high < 0.0 else high
    step = step_of(low, high, most, unit)
    return floor(low / step + AGREEMENT) * step, ceil(high / step - AGREEMENT) * step


def number(value: float, step: float) -> str:
    """A tick's value with the digits that its step requires, and thin spaces between thousands."""
    digits = max(0, -floor(log10(step) + AGREEMENT))
    if round(step * 10**digits, 9) % 1:  # 2.5, 0.25
        digits += 1
    if digits > 5 or abs(value) >= 1e7:
        return f"{value:.3g}"
    text = f"{value:,.{digits}f}".replace(",", "\u2009")
    return text.removeprefix("-") if float(f"{value:.{digits}f}") == 0 else text.replace("-", "−")


def svg(chart: Chart, name: str) -> str:
    """The chart as an `<svg>` element; `name` is an id, unique in its page."""
    across, upward, height = _scales(chart)
    pieces = [
        *_frame(chart, across, upward, height),
        *_thresholds(chart, across, upward),
        *_lines(chart, across, upward),
        *_curves(chart, across, upward),
        *_spots(chart, across, upward),
    ]
    return element(name, chart.title, _described(chart), height, pieces)


def element(
    name: str, title: str, words: str, height: float, pieces: Sequence[str], width: float = WIDTH
) -> str:
    """An `<svg>` element with its title and text alternative; `name` is an id, sizes are px."""
    return (
        f'<svg role="img" aria-labelledby="{name}-title {name}-words" '
        f'viewBox="0 0 {width:g} {height:.0f}" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-words">{escape(words)}</desc>' + "".join(pieces) + "</svg>"
    )


def _scales(chart: Chart) -> tuple[Scale, Scale, float]:
    x = np.concatenate([c.x for c in chart.curves] or [np.zeros(0)])
    y = np.concatenate([c.y for c in chart.curves] or [np.zeros(0)])
    if chart.to_scale:
        return _to_scale(span(x), span(y))
    unit = chart.upward.rpartition(", ")[2]
    more = [*(t.y for t in chart.thresholds), *chart.shown]
    low, high = rounded_span(np.append(y, more), unit=unit)
    marks = ticks(low, high, unit=unit)
    left = _room(marks)
    begin, end = span(x)
    along = ticks(begin, end, 8, chart.across.rpartition(", ")[2])
    across = Scale(begin, end, left, WIDTH - RIGHT, along)
    return across, Scale(low, high, HEIGHT - BOTTOM, TOP, marks), HEIGHT


def _to_scale(x: tuple[float, float], y: tuple[float, float]) -> tuple[Scale, Scale, float]:
    """Axes of equal scale, as wide as the drawing or of the largest height."""
    wide, tall = (1.08 * (high - low) for low, high in (x, y))
    tall, wide = max(tall, 0.3 * wide), max(wide, 0.5 * tall)
    (x0, x1), (y0, y1) = (
        (0.5 * (low + high - size), 0.5 * (low + high + size))
        for (low, high), size in ((x, wide), (y, tall))
    )
    marks = ticks(y0, y1)
    left = _room(marks)
    scale = min((WIDTH - RIGHT - left) / wide, (TALLEST - TOP - BOTTOM) / tall)
    height = TOP + BOTTOM + scale * tall
    across = Scale(x0, x1, left, left + scale * wide, ticks(x0, x1, max(3, int(scale * wide / 70))))
    return across, Scale(y0, y1, height - BOTTOM, TOP, marks), height


def _room(marks: Sequence[float]) -> float:
    """Pixels left of the vertical axis for its numbers."""
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    return 16.0 + LETTER * max((len(number(v, step)) for v in marks), default=1)


def _frame(chart: Chart, across: Scale, upward: Scale, height: float) -> list[str]:
    out = []
    bottom, top, left, right = upward.begin, upward.end, across.begin, across.end
    for values, scale in ((across.ticks, across), (upward.ticks, upward)):
        step = values[1] - values[0] if len(values) > 1 else 1.0
        for value in values:
            at = float(scale.at(value))
            text = number(value, step)
            if scale is across:
                out.append(line_element("grid", at, bottom, at, top))
                out.append(text_element("tick middle", at, bottom + 16, text))
            else:
                out.append(line_element("zero" if value == 0 else "grid", left, at, right, at))
                out.append(text_element("tick end", left - 7, at + 4, text))
    out.append(line_element("axis", left, bottom, right, bottom))
    out.append(line_element("axis", left, bottom, left, top))
    out.append(text_element("name middle", 0.5 * (left + right), height - 8, chart.across))
    out.append(text_element("name", 4, 14, chart.upward))
    return out


def _thresholds(chart: Chart, across: Scale, upward: Scale) -> list[str]:
    out = []
    for mark in chart.thresholds:
        at = float(upward.at(mark.y))
        far = upward.begin if mark.above else upward.end
        kind = "failed" if mark.failed else "kept"
        ends = mark.over or (across.low, across.high)
        left, right = (float(across.at(min(max(v, across.low), across.high))) for v in ends)
        tall = abs(far - at)
        if mark.closed:
            out.append(
                f'<rect class="closed {kind}" x="{left:.1f}" y="{min(at, far):.1f}" '
                f'width="{right - left:.1f}" height="{tall:.1f}"/>'
            )
        out.append(line_element(f"threshold {kind}", left, at, right, at))
        below = mark.above == (tall > 16)  # inside the shaded side where it fits
        if right >= across.end:
            right -= 22 if any(line.x >= across.high for line in chart.lines) else 4
        right = max(right, across.begin + LETTER * len(mark.words))
        out.append(text_element(f"note end {kind}", right, at + (13 if below else -5), mark.words))
    return out


def _lines(chart: Chart, across: Scale, upward: Scale) -> list[str]:
    """Vertical lines with their labels; labels of close neighbours are on opposite sides."""
    out, before = [], -1e9
    for mark in sorted(chart.lines, key=lambda m: m.x):
        if not across.holds(mark.x):
            continue
        at = float(across.at(mark.x))
        kind = " failed" if mark.failed else ""
        out.append(line_element(f"across{kind}", at, upward.begin, at, upward.end))
        left = at - before > 28 and at - across.begin > 16
        x, y = at + (-4 if left else 12), upward.end + 4
        before = at
        out.append(
            f'<text class="note end{kind}" transform="translate({x:.1f} {y:.1f}) rotate(-90)">'
            f"{escape(mark.words)}</text>"
        )
    return out


def _curves(chart: Chart, across: Scale, upward: Scale) -> list[str]:
    out = []
    for k, curve in enumerate(chart.curves):
        x, y = across.at(curve.x), upward.at(curve.y)
        name = f"<title>{escape(curve.name)}</title>"
        kind = f"curve c{k % COLOURS}" + " thin" * curve.thin + " filled" * curve.filled
        out.append(f'<path class="{kind}" d="{traced(x, y)}">{name}</path>')
    return out


def _spots(chart: Chart, across: Scale, upward: Scale) -> list[str]:
    out = []
    for spot in chart.spots:
        if not (across.holds(spot.x) and upward.holds(spot.y)):
            continue
        x, y = float(across.at(spot.x)), float(upward.at(spot.y))
        kind = " failed" if spot.failed else ""
        out.append(f'<circle class="spot{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
        if not spot.words:
            continue
        half = 0.5 * LETTER * len(spot.words)
        inside = min(max(x, across.begin + half + 8), across.end - half - 8)
        lines = [float(upward.at(mark.y)) for mark in chart.thresholds]
        free = all(not 4 < at - y < 24 for at in (*lines, upward.begin))
        above = y - upward.end > 24 and not (spot.below and free)
        out.append(
            text_element(f"note middle{kind}", inside, y + (-9 if above else 18), spot.words)
        )
    return out


def traced(x: Array, y: Array) -> str:
    """Path data of a line through pixels, interrupted at NaN; steps below 0.3 px are skipped."""
    out: list[str] = []
    pen, last = "M", (-1e9, -1e9)
    known = np.isfinite(x) & np.isfinite(y)
    for k in range(len(x)):
        if not known[k]:
            pen = "M"
            continue
        here = (float(x[k]), float(y[k]))
        ends = k + 1 == len(x) or not known[k + 1]
        if pen == "L" and not ends and max(abs(here[0] - last[0]), abs(here[1] - last[1])) < 0.3:
            continue
        alone = pen == "M" and ends
        out.append(f"{pen}{here[0]:.1f} {here[1]:.1f}" + ("h0" if alone else ""))
        pen, last = "L", here
    return "".join(out)


def line_element(kind: str, x0: float, y0: float, x1: float, y1: float) -> str:
    return f'<line class="{kind}" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>'


def text_element(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'


def _described(chart: Chart) -> str:
    told = []
    for curve in chart.curves:
        known = curve.y[np.isfinite(curve.y)]
        if known.size:
            told.append(f"{curve.name}: {known.min():.6g} to {known.max():.6g}")
    told += [line.words for line in chart.lines] + [mark.words for mark in chart.thresholds]
    told += [spot.words for spot in chart.spots if spot.words]
    return f"{chart.upward} over {chart.across}. " + "; ".join(told)
