"""Texts and tables as lines for a terminal of so many columns, with styles where it shows them."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, TextIO

COLUMNS = 80
"""Most columns of a line."""

EDGE, RULE = " ", "─"
"""What stands on either side of a table with a head, and what is drawn under the head."""

STYLES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}
"""Codes of ECMA-48, select graphic rendition, by the word for each."""

WORD = re.compile(r" *[^ ]+ *")


class Text(NamedTuple):
    """A paragraph; its style is a few words of `STYLES`."""

    words: str
    style: str = ""


class Table(NamedTuple):
    """Rows of cells, each row with a style.

    Attributes:
        head: of the columns; empty: a list without head and edges.
        right: which columns are aligned right; gap: columns between them.
        whole: the columns that are not broken.
    """

    rows: Sequence[Sequence[str]]
    styles: Sequence[str | None] = ()
    head: Sequence[str] = ()
    right: Sequence[bool] = ()
    gap: int = 2
    whole: Sequence[int] = ()


Block = Text | Table


def columns_of(stream: TextIO) -> int:
    """Columns of the terminal of a stream, or of the variable COLUMNS, up to `COLUMNS`."""
    given = os.environ.get("COLUMNS", "")
    found = int(given) if given.isdecimal() else 0
    with suppress(AttributeError, OSError, ValueError):  # no terminal, or closed
        found = found or os.get_terminal_size(stream.fileno()).columns
    return min(found or COLUMNS, COLUMNS)


def laid_out(blocks: Sequence[Block], columns: int, styled: bool = False) -> str:
    """The blocks below each other in lines of so many columns, styled or plain."""
    lines = []
    for block in blocks:
        if isinstance(block, Table):
            found = [*_lines(block, columns)]
        else:
            found = [(line, block.style) for line in wrapped(block.words, columns)]
        lines += [_styled(line.rstrip(), style if styled else "") for line, style in found]
    return "\n".join(lines)


def cells(text: str) -> int:
    """Columns that a text takes: none for a combining mark, two for a wide character."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "FW" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)


def wrapped(text: str, columns: int) -> list[str]:
    """The lines of a text, broken between words; a word that is too long is broken anywhere."""
    out = []
    for paragraph in text.expandtabs(8).split("\n"):
        line = ""
        for word in WORD.findall(paragraph) or [paragraph]:
            if line and cells(line) + cells(word.rstrip(" ")) > columns:
                out.append(line.rstrip(" "))
                line = ""
            while cells(word.rstrip(" ")) > columns:
                n = _fitting(word, columns)
                out.append(word[:n])
                word = word[n:]
            line += word
        out.append(line.rstrip(" "))
    return out


def _fitting(word: str, columns: int) -> int:
    """Number of the first characters that fit, one at the least."""
    n = 1
    while n < len(word) and cells(word[: n + 1]) <= columns:
        n += 1
    return n


def _lines(table: Table, columns: int) -> Iterator[tuple[str, str]]:
    """The lines of a table, each with its style."""
    edge = EDGE if table.head else ""
    count = max(len(row) for row in (table.head, *table.rows))
    widths = _widths(table, columns - 2 * len(edge) - table.gap * (count - 1))
    if table.head:
        yield "", ""
        yield from ((edge + line, "bold") for line in _row(table, table.head, widths, True))
        yield edge + RULE * (sum(widths) + table.gap * (count - 1)), ""
    for k, row in enumerate(table.rows):
        style = table.styles[k] if k < len(table.styles) else None
        yield from ((edge + line, style or "") for line in _row(table, row, widths))
    if table.head:
        yield "", ""


def _widths(table: Table, room: int) -> list[int]:
    """Columns for each column of a table: where they are too many, the widest take fewer.

    One counts with the blank after it, the last has none.
    """
    every = [table.head, *table.rows] if table.head else table.rows
    own = zip(*every, strict=True)
    out = [max(cells(line) for cell in column for line in cell.split("\n")) + 1 for column in own]
    out[-1] -= 1
    broken, room = [k for k in range(len(out)) if k not in table.whole], room + len(out) - 1
    while (over := sum(out) - room) > 0 and (most := max(out[k] for k in broken)) > 2:
        less = max((out[k] for k in broken if out[k] < most), default=2)
        widest = [k for k in broken if out[k] == most]
        for left, k in zip(range(len(widest), 0, -1), widest, strict=True):
            taken = min(most - less, round(over / left))
            out[k], over = out[k] - taken, over - taken
    return [max(1, width - 1) for width in out[:-1]] + [max(1, out[-1])]


def _row(
    table: Table, row: Sequence[str], widths: Sequence[int], low: bool = False
) -> Iterator[str]:
    """The lines of a row, its cells wrapped and filled up; low: as far down as they go."""
    found = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    high = max(map(len, found))
    for k in range(high):
        out = []
        for n, (lines, width) in enumerate(zip(found, widths, strict=True)):
            line = dict(enumerate(lines, high - len(lines) if low else 0)).get(k, "")
            fill = " " * (width - cells(line))
            right = n < len(table.right) and table.right[n]
            out.append(fill + line if right else line + fill)
        yield (" " * table.gap).join(out)


def _styled(line: str, style: str) -> str:
    if not style or not line:
        return line
    codes = ";".join(str(STYLES[word]) for word in style.split())
    return f"\x1b[{codes}m{line}\x1b[0m"
