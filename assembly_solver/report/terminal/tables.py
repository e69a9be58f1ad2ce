"""Tables, lists and numbers for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...foundations.markup.visible import visible
from .layout import Block, Table, Text

MOST_ROWS = 40
"""Largest number of rows of a table; of the others only the number is shown."""


def text(words: object, style: str = "") -> Text:
    """A text as it can be shown."""
    return Text(visible(str(words)), style)


def verdict(sentence: object, good: object) -> Text:
    return text(sentence, style="bold green" if good else "bold red")


def shortened(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    others: str,
    styles: Sequence[str | None] = (),
    last: Sequence[str] = (),
    wrong: str = "more",
) -> list[Block]:
    """A table of the first rows, and of the first that have a style.

    Args:
        others: what follows the number of the rows without a style that are not shown; wrong: the
            same of those with one; last: said after them.
    """
    styles = styles or [None] * len(rows)
    marked = [k for k, style in enumerate(styles) if style]
    plain = [k for k, style in enumerate(styles) if not style]
    kept = sorted([*marked[:MOST_ROWS], *(k for k in plain if k < MOST_ROWS)])
    hidden = {wrong: marked[MOST_ROWS:], others: [k for k in plain if k >= MOST_ROWS]}
    told = [f"{len(those)} {words}" for words, those in hidden.items() if those] + [*last]
    return table(columns, [rows[k] for k in kept], [styles[k] for k in kept], ", ".join(told))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    styles: Sequence[str | None] = (),
    last: str = "",
) -> list[Block]:
    """A table; ">" before a column aligns it right.  Empty without rows."""
    if not rows:
        return []
    head = [visible(column.removeprefix(">")) for column in columns]
    right = [column.startswith(">") for column in columns]
    found = Table([[visible(str(cell)) for cell in row] for row in rows], styles, head, right)
    return [found, text(f"... and {last}")] if last else [found]


def lines(title: str, rows: Iterable[object], style: str = "") -> list[Block]:
    """A title and a bulleted list.  Empty without rows."""
    told = list(rows)
    if not told:
        return []
    shown = [("  -", visible(str(row))) for row in told[:MOST_ROWS]]
    more = [text(f"... and {len(told) - MOST_ROWS} more")] if len(told) > MOST_ROWS else []
    listed = Table(shown, [style] * len(shown), gap=1, whole=(0,))
    return [text(""), text(title, "bold"), listed, *more]


def left_out(rows: Iterable[dict[str, str]]) -> list[Block]:
    """Joints of the file that could not be read."""
    return lines("left out, held by nothing", [row["words"] for row in rows], "red")


def read_as(rows: Iterable[dict[str, str]]) -> list[Block]:
    """What the reader of the file had to decide."""
    return lines("as the file was read", [row["words"] for row in rows])


def names(given: Iterable[object], link: str = ", ") -> str:
    return link.join(map(str, given)) or "nothing"


def few(given: Sequence[object], most: int = 6) -> str:
    """The first names, and the number of the others."""
    if len(given) <= most + 1:
        return names(given)
    return f"{names(given[:most])} and {len(given) - most} more"


def number(value: float) -> str:
    return f"{value:.6g}"


def off(value: float | None) -> str:
    if value is None:
        return ""
    return "0" if value == 0 else f"{value:.1e}"


def vector(values: Sequence[float] | None) -> str:
    return ", ".join(number(round(v, 6)) for v in values) if values is not None else "unknown"
