"""The samples of a measure as a histogram, and its contributions as bars: inline SVG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...foundations.markup.svg_axes import (
    LETTER,
    RIGHT,
    WIDTH,
    Chart,
    PlottedCurve,
    Scale,
    VerticalLine,
    element,
    line_element,
    svg,
    text_element,
    ticks,
)

ROW, TOP, BOTTOM = 22.0, 10.0, 44.0
"""Height of the row of a bar, and of the margins, px."""

HEADROOM = 1.75
"""Height of a histogram's axis over its highest bar: the labels of lines stand above the bars."""

WIDER = 1.25
"""Letters of names on a narrow page or on paper, to those of a wide page."""

LONGEST, MOST = 20, 12
"""Letters of a name, and bars, that are shown."""


def histogram(title: str, m: Mapping[str, Any], name: str) -> str:
    """The samples of a measure with its nominal value, its bounds and its worst cases.

    A bound that is farther from the samples than they are wide is left out.

    Args:
        m: the entry of the measure in the result of `tolerance`; name: an id, unique in its page.
    """
    found = m["sampled"]["histogram"]
    edges, counts = np.array(found["edges"]), np.array(found["counts"], float)
    least, most = m["worst_case"]
    marks = [(m["nominal"], "nominal", False), (least, "worst", False), (most, "worst", False)]
    outside = {"min": edges[0] < (m["min"] or 0.0), "max": edges[-1] > (m["max"] or 0.0)}
    marks += [(m[key], key, bool(outside[key])) for key in ("min", "max")]
    wide = edges[-1] - edges[0]
    near = [
        VerticalLine(x, f"{what} {x:.5g}", failed)
        for x, what, failed in marks
        if x is not None and edges[0] - wide <= x <= edges[-1] + wide
    ]
    low, high = (end([*edges, *(line.x for line in near)]) for end in (min, max))
    room = 0.02 * (high - low)
    x = np.concatenate([[low - room], np.repeat(edges, 2), [high + room]])
    y = np.concatenate([[0.0, 0.0], np.repeat(counts, 2), [0.0, 0.0]])
    curve = PlottedCurve("samples", x, y, filled=True)
    head = (0.0, HEADROOM * float(counts.max()))
    chart = Chart(title, f"{title}, {m['unit']}", "samples", [curve], near, shown=head)
    return svg(chart, name)


def share_bars(title: str, shares: Mapping[str, float], name: str) -> str:
    """A bar for each share, the largest first; of many the largest."""
    ranked = sorted(shares.items(), key=lambda pair: -pair[1])[:MOST]
    labels = [k if len(k) <= LONGEST else f"{k[: LONGEST - 1]}…" for k, _ in ranked]
    left = 16.0 + WIDER * LETTER * max(map(len, labels))
    across = Scale(0.0, 1.0, left, WIDTH - RIGHT - 8.0 * LETTER, ticks(0.0, 1.0, 5))
    bottom = TOP + ROW * len(ranked)
    pieces = []
    for value in across.ticks:
        at = float(across.at(value))
        pieces.append(line_element("grid", at, TOP, at, bottom))
        pieces.append(text_element("tick middle", at, bottom + 16, f"{100 * value:.0f}"))
    pieces.append(line_element("axis", left, TOP, left, bottom))
    middle = 0.5 * (across.begin + across.end)
    pieces.append(text_element("name middle", middle, bottom + 36, "share of the variance, %"))
    for k, (label, (_, share)) in enumerate(zip(labels, ranked, strict=True)):
        y, end = TOP + ROW * (k + 0.5), float(across.at(share))
        pieces.append(text_element("name end", left - 7, y + 4, label))
        pieces.append(line_element("branch start c0", left, y, end, y))
        pieces.append(text_element("tick", end + 7, y + 4, f"{100 * share:.1f} %"))
    told = "; ".join(f"{key}: {100 * share:.1f} %" for key, share in ranked)
    return element(name, title, told, bottom + BOTTOM, pieces)
