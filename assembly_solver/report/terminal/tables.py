"""Building blocks for the terminal: tables, lists, formatted numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

MOST_ROWS = 40
"""Largest number of rows of a table; of the others only the number is shown."""


def shortened(rows: Sequence[Any], always: Callable[[Any], bool]) -> tuple[list[Any], int]:
    """The first rows and those that are always shown, in order, and the number of the others."""
    kept = [row for k, row in enumerate(rows) if k < MOST_ROWS or always(row)]
    return kept, len(rows) - len(kept)


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    styles: Sequence[str | None] = (),
    last: str = "",
) -> list[RenderableType]:
    """A table; ">" before a column aligns it right.  Empty without rows."""
    if not rows:
        return []
    found = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        right = column.startswith(">")
        found.add_column(
            Text(column.removeprefix(">")), justify="right" if right else "left", overflow="fold"
        )
    for k, row in enumerate(rows):
        style = styles[k] if k < len(styles) else None
        found.add_row(*(Text(str(cell)) for cell in row), style=style)
    return [found, Text(f"... and {last}")] if last else [found]


def lines(title: str, rows: Iterable[object], style: str = "") -> list[RenderableType]:
    """A title and a bulleted list.  Empty without rows."""
    shown, hidden = shortened(list(rows), lambda row: False)
    if not shown:
        return []
    grid = Table.grid(padding=(0, 1, 0, 0))
    for row in shown:
        grid.add_row(Text("  -"), Text(str(row), style=style))
    more = [Text(f"... and {hidden} more")] if hidden else []
    return [Text(""), Text(title, style="bold"), grid, *more]


def left_out(rows: Iterable[dict[str, str]]) -> list[RenderableType]:
    """Joints of the file that could not be read."""
    return lines("left out, held by nothing", [row["words"] for row in rows], "red")


def names(given: Iterable[object], link: str = ", ") -> str:
    return link.join(map(str, given)) or "nothing"


def few(given: Sequence[object], most: int = 6) -> str:
    """The first names, and the number of the others."""
    if len(given) <= most + 1:
        return names(given)
    return f"{names(given[:most])} and {len(given) - most} more"


def number(value: float) -> str:
    return f"{value:.6g}"


def fixed(value: float, digits: int) -> str:
    """A number with `digits` decimals, and no minus before zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def off(value: float | None) -> str:
    if value is None:
        return ""
    return "0" if value == 0 else f"{value:.1e}"


def vector(values: Sequence[float] | None) -> str:
    return ", ".join(number(round(v, 6)) for v in values) if values is not None else "unknown"
