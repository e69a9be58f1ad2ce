"""The intervals of the branches of a linkage as bars over its input: inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from ...linkages.circuits.circuit import Branch, Circuit
from .svg_axes import COLOURS, LETTER, RIGHT, WIDTH, Scale, number, step_of, ticks

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
    low = min([b.low for b in branches] + ([within[0]] if within else []))
    high = max([b.high for b in branches] + ([within[1]] if within else []))
    left = 16.0 + LETTER * max(len(_label(b)) for b in branches)
    across = Scale(low, high, left, WIDTH - RIGHT, ticks(low, high, 8, unit))
    bottom = TOP + ROW * len(branches)
    pieces = [*_frame(across, bottom, f"{label}, {unit}"), *_range(across, bottom, within)]
    for k, branch in enumerate(branches):
        pieces += _bar(branch, across, TOP + ROW * (k + 0.5))
    pieces += _start(across, bottom, at)
    told = "; ".join(circuit.words for circuit in circuits)
    return (
        f'<svg role="img" aria-labelledby="{name}-title {name}-words" '
        f'viewBox="0 0 {WIDTH:g} {bottom + BOTTOM:.0f}" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{name}-title">Circuits and branches over {escape(label)}</title>'
        f'<desc id="{name}-words">{escape(told)}</desc>' + "".join(pieces) + "</svg>"
    )


def _label(branch: Branch) -> str:
    return f"circuit {branch.circuit}, branch {branch.number}"


def _frame(across: Scale, bottom: float, words: str) -> list[str]:
    """Ticks with their numbers, and the name of the input."""
    out = []
    step = step_of(across.low, across.high, 8)
    if len(across.ticks) > 1:
        step = across.ticks[1] - across.ticks[0]
    for value in across.ticks:
        x = float(across.at(value))
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom:.1f}"/>')
        out.append(_text("tick middle", x, bottom + 16, number(value, step)))
    out.append(
        f'<line class="axis" x1="{across.begin:.1f}" y1="{bottom:.1f}" x2="{across.end:.1f}" '
        f'y2="{bottom:.1f}"/>'
    )
    out.append(_text("name middle", 0.5 * (across.begin + across.end), bottom + 36, words))
    return out


def _range(across: Scale, bottom: float, within: tuple[float, float] | None) -> list[str]:
    """The range of the driver, shaded."""
    if within is None:
        return []
    a, b = (float(across.at(v)) for v in within)
    return [
        f'<rect class="closed kept" x="{a:.1f}" y="{TOP}" width="{b - a:.1f}" '
        f'height="{bottom - TOP:.1f}"><title>range of the driver</title></rect>'
    ]


def _bar(branch: Branch, across: Scale, y: float) -> list[str]:
    """The bar of a branch, with a tick at each end that is not open."""
    a, b = (float(v) for v in across.at(np.array([branch.low, branch.high])))
    colour = f"c{(branch.circuit - 1) % COLOURS}"
    out = [_text("tick end", across.begin - 7, y + 4, _label(branch))]
    words = "; ".join(end.words for end in branch.ends) or "turns fully"
    kind = "branch start" if branch.start else "branch"
    out.append(
        f'<line class="{kind} {colour}" x1="{a:.1f}" y1="{y:.1f}" x2="{b:.1f}" y2="{y:.1f}">'
        f"<title>{escape(words)}</title></line>"
    )
    for x, _ in zip((a, b), branch.ends, strict=False):
        top, foot = y - 0.5 * BAR - 2, y + 0.5 * BAR + 2
        out.append(f'<line class="axis" x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{foot:.1f}"/>')
    return out


def _start(across: Scale, bottom: float, at: float) -> list[str]:
    """A line at the present value of the input."""
    if not across.holds(at):
        return []
    x = float(across.at(at))
    return [
        f'<line class="across" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom:.1f}"/>',
        _text("note middle", x, TOP - 8, "start"),
    ]


def _text(kind: str, x: float, y: float, words: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
