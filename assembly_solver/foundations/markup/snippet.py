"""HTML that stands in a page of others, as an output in a notebook: text, tables, charts.

It brings its style.  Text and lines have the colour of the page around it, light or dark, and all
other colours are seen on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from .svg_axes import COLOURS, Chart, svg
from .visible import escape

MOST_ROWS = 12
"""Largest number of rows that a table shows; the rest is counted."""

CURVES = ("#3b82c4", "#c8641c", "#2b9560", "#9a6ae0", "#12878a", "#d1508f")
"""Colours of curves, each in a contrast of at least 3 to white and to black."""

STYLE = (
    ".asm-out{font-size:13px;line-height:1.45;max-width:60rem}"
    ".asm-out p{margin:.3em 0;padding-left:.6em;border-left:4px solid #2b9560}"
    ".asm-out p.off{border-color:#d64541}"
    ".asm-out .wide{overflow-x:auto}"
    ".asm-out table{border-collapse:collapse;margin:.5em 0;background:none;color:inherit}"
    ".asm-out caption{text-align:left;opacity:.75;caption-side:top}"
    ".asm-out th,.asm-out td{text-align:left;padding:.15em .9em .15em 0;background:none;"
    "border:0;border-bottom:1px solid rgba(128,128,128,.45)}"
    ".asm-out .right{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".asm-out svg{display:block;width:100%;max-width:560px;height:auto}"
    ".asm-out svg text{font-size:12px;fill:currentColor}"
    ".asm-out .middle{text-anchor:middle}.asm-out .end{text-anchor:end}"
    ".asm-out .grid,.asm-out .zero{stroke:currentColor;opacity:.2}"
    ".asm-out .axis{stroke:currentColor}.asm-out .curve{fill:none;stroke-width:2}"
    ".asm-out .across{stroke:#d64541;stroke-dasharray:7 3}"
    ".asm-out .key{margin-right:1.2em;white-space:nowrap}"
    ".asm-out .key::before{content:'';display:inline-block;width:1.6em;margin-right:.4em;"
    "vertical-align:middle;border-top:3px solid var(--of)}"
) + "".join(f".asm-out .c{k}{{stroke:{colour};--of:{colour}}}" for k, colour in enumerate(CURVES))


def snippet(sentence: str, holds: bool, pieces: Sequence[str]) -> str:
    """A sentence, marked by whether it is good news, and what follows on it as HTML."""
    kind = "" if holds else ' class="off"'
    body = f"<p{kind}>{escape(sentence)}</p>{''.join(pieces)}"
    return f'<div class="asm-out"><style>{STYLE}</style>{body}</div>'


def rows_table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text, its first rows; columns whose names begin with ">" are numbers.

    Empty without rows.
    """
    if not rows:
        return ""
    kinds = [' class="right"' if name.startswith(">") else "" for name in columns]
    names = "".join(
        f"<th{kind}>{escape(name.lstrip('>'))}</th>"
        for kind, name in zip(kinds, columns, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f"; {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    return (
        f'<div class="wide"><table><caption>{escape(caption + more)}</caption>'
        f"<thead><tr>{names}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def plot(chart: Chart) -> str:
    """A chart with the names of its curves."""
    name = f"asm-{crc32(repr(chart.curves[0].y.tolist()).encode()):x}"  # one id in its page
    keys = "".join(
        f'<span class="key c{k % COLOURS}">{escape(curve.name)}</span>'
        for k, curve in enumerate(chart.curves)
    )
    return f"<div>{keys}</div>{svg(chart, name)}"
