"""The rows of a study as columns, and their files: parquet with pyarrow, csv without it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DuplicateName, MissingExtra
from ..foundations.types import Array

SUFFIXES = (".parquet", ".csv")
OWN = ("row", "mode", "valid", "reason")
"""The columns that every study has, the number of the row first, the others last."""

WORDS = ["mode", "reason"]
"""The columns that repeat themselves, whose values parquet has once."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The rows of a study, or of a group of it.

    Attributes:
        values: what varied, by name, mm or degrees, each (rows,); first: number of the first row.
        measures: by name, mm or degrees, NaN where a row is not valid.
        mode: of the assembly; reason: why a row is not valid, empty where it is.
    """

    values: Mapping[str, Array]
    measures: Mapping[str, Array]
    mode: Sequence[str]
    reason: Sequence[str]
    first: int = 0

    def __len__(self) -> int:
        return len(self.reason)

    def __contains__(self, name: object) -> bool:
        return name in (*OWN, *self.values, *self.measures)

    @property
    def valid(self) -> list[bool]:
        """Whether each row is solved, and so has measures."""
        return [not reason for reason in self.reason]

    def to_dict(self) -> dict[str, Any]:
        """All columns by name, in the order of the file."""
        numbers = np.arange(self.first, self.first + len(self))
        last = (self.mode, self.valid, self.reason)
        named = {**self.values, **self.measures}
        return {OWN[0]: numbers, **named, **dict(zip(OWN[1:], last, strict=True))}


def check_columns(values: Iterable[str], measures: Iterable[str]) -> None:
    """Raise DuplicateName where two columns would have one name."""
    known = set(OWN)
    for name in (*values, *measures):
        if name in known:
            raise DuplicateName("column", name)
        known.add(name)


def joined(parts: Sequence[Columns]) -> Columns:
    """Groups in order as one."""
    one = parts[0]

    def stacked(key: str) -> dict[str, Array]:
        return {n: np.concatenate([getattr(p, key)[n] for p in parts]) for n in getattr(one, key)}

    mode, reason = ([t for p in parts for t in getattr(p, key)] for key in ("mode", "reason"))
    return Columns(stacked("values"), stacked("measures"), mode, reason, one.first)


PART = {".parquet": ".arrow", ".csv": ".csv"}
"""Suffixes of the parts of a file: parquet is encoded once, when they are joined."""


def encoded(columns: Columns, suffix: str) -> bytes:
    """A group as a part of a file of that suffix: csv without its first line, or Arrow's table."""
    if suffix == ".csv":
        return _csv_lines(zip(*map(_texts, columns.to_dict().values()), strict=True))
    out, table = io.BytesIO(), arrow().table(columns.to_dict())
    with arrow().ipc.new_file(out, table.schema) as file:
        file.write_table(table)
    return out.getvalue()


def write_joined(parts: Sequence[Path], names: Sequence[str], target: Path) -> None:
    """Write the file of a study from its parts in order: a row group of parquet for each."""
    if target.suffix == ".csv":
        with target.open("wb") as file:
            file.write(_csv_lines([names]))
            for part in parts:
                file.write(part.read_bytes())
        return
    ipc, parquet = arrow().ipc, arrow().parquet
    schema = ipc.open_file(parts[0]).schema
    with parquet.ParquetWriter(target, schema, use_dictionary=WORDS) as file:
        for part in parts:
            file.write_table(ipc.open_file(part).read_all())


def read_columns(path: Path, values: int, measures: int) -> Columns:
    """The columns of the file of a study, with so many values and measures."""
    named: dict[str, Any]
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        named = dict(zip(names, zip(*rows, strict=True), strict=True))
        named |= {n: [x or "nan" for x in named[n]] for n in names if n not in OWN}
    else:
        named = arrow().parquet.read_table(path).to_pydict()
    numbers = [n for n in named if n not in OWN]
    known = {n: np.array(named[n], float) for n in numbers}
    one, two = numbers[:values], numbers[values : values + measures]
    mode, reason = list(named["mode"]), list(named["reason"])
    return Columns({n: known[n] for n in one}, {n: known[n] for n in two}, mode, reason)


def count_reasons(path: Path) -> Counter[str]:
    """How many rows of a file have each reason, group by group: it may not fit in memory."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            found = Counter(row[-1] for row in csv.reader(file))
        found[OWN[-1]] -= 1  # the first line
    else:
        found = Counter()
        with arrow().parquet.ParquetFile(path) as file:
            for k in range(file.num_row_groups):
                found.update(file.read_row_group(k, columns=[OWN[-1]])[OWN[-1]].to_pylist())
    return Counter({reason: n for reason, n in found.items() if reason and n})


def arrow() -> Any:
    """pyarrow, with its parquet and ipc; raises MissingExtra where it is not installed."""
    try:
        for name in ("ipc", "parquet"):
            import_module(f"pyarrow.{name}")
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtra("study", "a parquet file") from None


def _csv_lines(rows: Iterable[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def _texts(column: Sequence[Any]) -> list[str]:
    """A column in words: numbers as short as they are exact, nothing for NaN."""
    listed = column.tolist() if isinstance(column, np.ndarray) else column
    return [_text(x) for x in listed]


def _text(x: Any) -> str:
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, float):
        return repr(x) if isfinite(x) else ""
    return str(x)
