"""A picture of where time goes: a bar for each case, split by its stages, light or dark."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

WIDTH, LEFT, BAR, ROW, TOP = 760, 150, 26, 58, 18
"""Of the picture, left of bars, of a bar, from bar to bar and above the first one, pixels."""

LETTER = 6.4
"""Width of a letter, pixels: what is told in a bar has to fit."""

STYLE = (
    ".stages{--paper:#fff;--ink:#22303c;--soft:#5d6b78;--edge:#dfe5ea}"
    '.stages text{font:12px "Helvetica Neue","Liberation Sans",Arial,"DejaVu Sans",sans-serif;'
    "fill:var(--ink)}.stages .soft{fill:var(--soft)}.stages .in{fill:#13202b;text-anchor:middle}"
    ".stages .paper{fill:var(--paper);stroke:var(--edge)}"
    "@media(prefers-color-scheme:dark){.stages{--paper:#1e2429;--ink:#e8edf2;--soft:#a9b5c0;"
    "--edge:#3a444d}}"
)
COLOURS = ("#8fb8de", "#f2b872", "#9fd3a8", "#d8a7d1", "#e5948f", "#bcbd8b")


def picture(bars: Mapping[str, Mapping[str, float]]) -> str:
    """The bars as SVG: by the name of a case, the stages in order and what each takes.

    All bars are as long: what they are of is told beside them.
    """
    height = TOP + ROW * len(bars) + 4
    out = [
        f'<svg class="stages" role="img" viewBox="0 0 {WIDTH} {height}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>Where the time goes</title>'
        f"<style>{STYLE}</style>"
        f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="4"/>'
    ]
    for row, (name, stages) in enumerate(bars.items()):
        out += _bar(TOP + ROW * row, name, stages)
    return "\n".join([*out, "</svg>", ""])


def _bar(y: float, name: str, stages: Mapping[str, float]) -> list[str]:
    """One bar with its names: those of stages inside where they fit, else below."""
    whole, x, below = sum(stages.values()), float(LEFT), list[str]()
    long = WIDTH - LEFT - 14
    out = [
        f'<text x="12" y="{y + 11}">{escape(name)}</text>',
        f'<text class="soft" x="12" y="{y + 26}">{whole:.0f} ms</text>',
    ]
    for k, (stage, time) in enumerate(stages.items()):
        size, colour = long * time / whole, COLOURS[k % len(COLOURS)]
        words = f"{stage} {time:.2g}" if time < 10 else f"{stage} {time:.0f}"
        out.append(f'<rect x="{x:.1f}" y="{y}" width="{size:.1f}" height="{BAR}" fill="{colour}"/>')
        if LETTER * len(words) < size:
            middle = x + 0.5 * size
            out.append(f'<text class="in" x="{middle:.1f}" y="{y + 17}">{escape(words)}</text>')
        else:
            below.append(f'<tspan fill="{colour}">■</tspan> {escape(words)}')
        x += size
    if below:
        told = " &#160; ".join(below)
        out.append(f'<text class="soft" x="{LEFT}" y="{y + BAR + 14}">{told}</text>')
    return out
