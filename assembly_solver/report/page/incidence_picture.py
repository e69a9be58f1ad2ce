"""Which equation reads which unknown, as a matrix: in their order, and by blocks. Inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ...foundations.markup.svg_axes import WIDTH, element, line_element, text_element
from ...foundations.markup.visible import escape
from ...results.graphs import SETS, NamedEquations

LEFT, TOP = 136.0, 120.0
"""Room for the names of equations and of unknowns, px."""

ROOM, LARGEST = WIDTH - LEFT - 4.0, 16.0
"""Width of a matrix, and the side of a cell at most, px."""

TALL = 11.0
"""Height of a row or of a group of rows from which its name is written, px."""

LETTERS = 20
"""Of a name that is written."""


def in_order(system: NamedEquations, name: str) -> str:
    """The equations in the order of the mates by the unknowns in that of the parts.

    Args:
        name: an id, unique in its page.
    """
    rows, columns = range(len(system.rows)), range(len(system.columns))
    words = f"{len(rows)} equations by {len(columns)} unknowns in the order of mates and parts"
    return _matrix(system, list(rows), list(columns), [], ("In the order of mates", words), name)


def by_blocks(system: NamedEquations, name: str) -> str:
    """The same in the lower block-triangular form of Dulmage and Mendelsohn, blocks outlined."""
    blocks = system.system.blocks()
    rows = [r for _, own, _ in blocks for r in own]
    columns = [c for *_, own in blocks for c in own]
    sizes = [f"{SETS[kind]}-determined {len(r)} by {len(c)}" for kind, r, c in blocks]
    told = ("In blocks, in solving order", "; ".join(sizes))
    return _matrix(system, rows, columns, _outlines(system), told, name)


def _outlines(system: NamedEquations) -> list[tuple[int, int, int, int, str, str]]:
    """First row and column, numbers of rows and columns, set and words of each block."""
    out, row, column = [], 0, 0
    for k, (kind, rows, columns) in enumerate(system.system.blocks(), 1):
        parts = dict.fromkeys(system.columns[c][0] for c in columns)
        words = f"block {k}, {SETS[kind]}-determined: {len(rows)} by {len(columns)}; "
        out.append((row, column, len(rows), len(columns), SETS[kind], words + ", ".join(parts)))
        row, column = row + len(rows), column + len(columns)
    return out


def _matrix(
    system: NamedEquations,
    rows: Sequence[int],
    columns: Sequence[int],
    outlines: Sequence[tuple[int, int, int, int, str, str]],
    told: tuple[str, str],
    name: str,
) -> str:
    cell = min(LARGEST, ROOM / max(len(rows), len(columns), 1))
    height = TOP + cell * len(rows) + 4.0
    pieces = [_block(cell, *outline) for outline in outlines]
    pieces += _names(system, rows, columns, cell)
    pieces += _entries(system, rows, columns, cell)
    return element(name, *told, height, pieces)


def _block(
    cell: float, row: int, column: int, rows: int, columns: int, kind: str, words: str
) -> str:
    x, y = LEFT + cell * column, TOP + cell * row
    wide, tall = max(cell * columns, 1.0), max(cell * rows, 1.0)
    return (
        f'<rect class="block {kind}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" '
        f'height="{tall:.1f}"><title>{escape(words)}</title></rect>'
    )


def _names(
    system: NamedEquations, rows: Sequence[int], columns: Sequence[int], cell: float
) -> list[str]:
    """Lines between mates and between parts, and their names where there is room."""
    wide, tall = cell * len(columns), cell * len(rows)
    out = []
    for at, count, words in _runs([system.rows[r][1] for r in rows]):
        y = TOP + cell * at
        out.append(line_element("grid", LEFT, y, LEFT + wide, y))
        if cell * count >= TALL:
            out.append(text_element("fine end", LEFT - 5, y + 0.5 * cell * count + 3.5, words))
    for at, count, words in _runs([system.columns[c][0] for c in columns]):
        x = LEFT + cell * at
        out.append(line_element("grid", x, TOP, x, TOP + tall))
        if cell * count >= TALL:
            middle = x + 0.5 * cell * count + 3.5
            turned = f'transform="translate({middle:.1f} {TOP - 5:.1f}) rotate(-90)"'
            out.append(f'<text class="fine" {turned}>{escape(words)}</text>')
    out.append(
        f'<rect class="border" x="{LEFT}" y="{TOP}" width="{wide:.1f}" height="{tall:.1f}"/>'
    )
    return out


def _runs(names: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where equal names begin, how many there are, and the name as it is written."""
    out, at = [], 0
    for words, group in groupby(names):
        count = len(list(group))
        out.append((at, count, words if len(words) <= LETTERS else words[: LETTERS - 1] + "…"))
        at += count
    return out


def _entries(
    system: NamedEquations, rows: Sequence[int], columns: Sequence[int], cell: float
) -> list[str]:
    """A square for each unknown that an equation reads, in another colour where it is matched."""
    place = {c: k for k, c in enumerate(columns)}
    of = system.system.decomposition.column_of_row
    paths: dict[str, list[str]] = {"entry": [], "entry matched": []}
    gap, side = 0.1 * cell, 0.8 * cell
    for k, r in enumerate(rows):
        for c in system.system.entries[r]:
            x, y = LEFT + cell * place[c] + gap, TOP + cell * k + gap
            kind = "entry matched" if of[r] == c else "entry"
            paths[kind].append(f"M{x:.1f} {y:.1f}h{side:.2f}v{side:.2f}h-{side:.2f}z")
    return [f'<path class="{kind}" d="{"".join(d)}"/>' for kind, d in paths.items() if d]
