"""The intervals of the branches of a linkage as bars over its input: inline SVG."""

from __future__ import annotations

from collections.abc import Sequence

from ...foundations.markup.svg_axes import (
    COLOURS,
    LETTER,
    RIGHT,
    WIDTH,
    Scale,
    element,
    line_element,
    number,
    step_of,
    text_element,
    ticks,
)
from ...foundations.markup.visible import escape
from ...linkages.circuits.circuit import Branch, Circuit

ROW, BAR = 22.0, 10.0
"""Height of the row of a branch and of its bar, px."""

TOP, BOTTOM = 26.0, 44.0


def bars(
    circuits: Sequence[Circuit], name: str, at: float, within: tuple[float, float] | None
) -> str:
    """A row for each branch, those of a circuit in one colour, ends as ticks.

    Args:
        name: an id, unique in its page; at: present value of the input; within: its range.
    """
    branches = [b for c in circuits for b in c.branches]
    unit, label = circuits[0].unit, circuits[0].input
    low, high = _span(branches, within)
    left = 16.0 + LETTER * max(len(_label(b)) for b in branches)
    across = Scale(low, high, left, WIDTH - RIGHT, ticks(low, high, 8, unit))
    bottom = TOP + ROW * len(branches)
    pieces = [*_frame(across, bottom, f"{label}, {unit}"), *_range(across, bottom, within)]
    for k, branch in enumerate(branches):
        pieces += _bar(branch, across, TOP + ROW * (k + 0.5))
    pieces += _start(across, bottom, at)
    told = "; ".join(circuit.words for circuit in circuits)
    title = f"Circuits and branches over {label}"
    return element(name, title, told, bottom + BOTTOM, pieces)


def _span(branches: Sequence[Branch], within: tuple[float, float] | None) -> tuple[float, float]:
    """From where to where the axis goes: over all ends and the range, and over one turn at least
    where a branch turns fully, from wherever."""
    ended = [b.interval for b in branches if b.ends] + ([within] if within else [])
    low = min((low for low, _ in ended), default=branches[0].low)
    turns = [low + b.high - b.low for b in branches if not b.ends]
    return low, max([*turns, *(high for _, high in ended)])


def _label(branch: Branch) -> str:
    return f"circuit {branch.circuit}, branch {branch.number}"


def _frame(across: Scale, bottom: float, words: str) -> list[str]:
    out = []
    marks = across.ticks
    step = marks[1] - marks[0] if len(marks) > 1 else step_of(across.low, across.high, 8)
    for value in marks:
        x = float(across.at(value))
        out.append(line_element("grid", x, TOP, x, bottom))
        out.append(text_element("tick middle", x, bottom + 16, number(value, step)))
    out.append(line_element("axis", across.begin, bottom, across.end, bottom))
    middle = 0.5 * (across.begin + across.end)
    return [*out, text_element("name middle", middle, bottom + 36, words)]


def _range(across: Scale, bottom: float, within: tuple[float, float] | None) -> list[str]:
    if within is None:
        return []
    a, b = (float(across.at(v)) for v in within)
    return [
        f'<rect class="closed kept" x="{a:.1f}" y="{TOP}" width="{b - a:.1f}" '
        f'height="{bottom - TOP:.1f}"><title>range of the driver</title></rect>'
    ]


def _bar(branch: Branch, across: Scale, y: float) -> list[str]:
    """The bar of a branch, with a tick at each end; over all values where it turns fully."""
    a, b = across.begin, across.end
    if branch.ends:
        a, b = float(across.at(branch.low)), float(across.at(branch.high))
    colour = f"c{(branch.circuit - 1) % COLOURS}"
    out = [text_element("tick end", across.begin - 7, y + 4, _label(branch))]
    words = "; ".join(end.words for end in branch.ends) or "turns fully"
    kind = "branch start" if branch.start else "branch"
    out.append(
        f'<line class="{kind} {colour}" x1="{a:.1f}" y1="{y:.1f}" x2="{b:.1f}" y2="{y:.1f}">'
        f"<title>{escape(words)}</title></line>"
    )
    for x, _ in zip((a, b), branch.ends, strict=False):
        out.append(line_element("axis", x, y - 0.5 * BAR - 2, x, y + 0.5 * BAR + 2))
    return out


def _start(across: Scale, bottom: float, at: float) -> list[str]:
    if not across.holds(at):
        return []
    x = float(across.at(at))
    return [
        line_element("across", x, TOP, x, bottom),
        text_element("note middle", x, TOP - 8, "start"),
    ]
