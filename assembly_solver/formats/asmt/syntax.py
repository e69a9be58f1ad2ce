"""The text of OndselSolver's .asmt files: a banner, then a tree of indented lines.

The programs indent with tabs; spaces are read as well, the narrowest indent as one level.  Lines
after the tree that are not indented (`TimeSeries`, `PartSeries`, ...) are stored results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...errors import FormatError, NotARotation
from ...foundations.geometry.nearest_rotation import nearest_rotation
from ...foundations.geometry.pose import Pose

TOP = "Assembly"


@dataclass
class Entry:
    """A line without indents, its place (file and line), and the lines indented below it."""

    text: str
    place: str
    inner: list[Entry] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first line of its name; "" where it has none, or an empty one."""
        found = self.find("Name")
        return found.inner[0].text if found is not None and found.inner else ""

    @property
    def label(self) -> str:
        """Its name, or its text where it has none."""
        return self.name or self.text

    @property
    def words(self) -> str:
        """Its text, with its name if it has one."""
        return f"{self.text} {self.name!r}" if self.name else self.text

    def text_of(self, key: str) -> str:
        """The one line below the line with this text; "" where either is absent."""
        found = self.find(key)
        return self.value(key) if found is not None and found.inner else ""

    def find(self, key: str) -> Entry | None:
        """The first line with this text below it; None where there is none."""
        return next((e for e in self.inner if e.text == key), None)

    def one(self, key: str) -> Entry:
        """The first line with this text below it; FormatError where there is none."""
        found = self.find(key)
        if found is None:
            raise FormatError(self.place, f"{self.words} has no {key}; the file may be cut short")
        return found

    def each(self, key: str) -> list[Entry]:
        """The entries below the line with this text."""
        return self.one(key).inner

    def value(self, key: str) -> str:
        """The one line below the line with this text."""
        found = self.one(key)
        if len(found.inner) != 1:
            problem = f"{key} of {self.words} has {len(found.inner)} lines, it must have one"
            raise FormatError(found.place, problem)
        return found.inner[0].text

    def numbers(self, key: str, count: int = 3) -> tuple[float, ...]:
        """So many finite numbers in one line."""
        return self._row(self.value(key), key, count)

    def number(self, key: str) -> float:
        """One number."""
        return self.numbers(key, 1)[0]

    def pose(self, scale: float) -> Pose:
        """Position3D (in units of `scale` mm) and RotationMatrix, whose columns are the axes."""
        position = [scale * v for v in self.numbers("Position3D")]
        found = self.one("RotationMatrix")
        if len(found.inner) != 3:
            problem = f"RotationMatrix of {self.words} has {len(found.inner)} rows, it must have 3"
            raise FormatError(found.place, problem)
        rows = np.array([self._row(e.text, "RotationMatrix", 3) for e in found.inner])
        try:
            axes = nearest_rotation(rows, f"RotationMatrix of {self.words}").T
        except NotARotation as error:
            raise FormatError(found.place, str(error)) from None
        return Pose.from_frame([*position, *axes.ravel()])

    def _row(self, text: str, key: str, count: int) -> tuple[float, ...]:
        try:
            out = tuple(float(word) for word in text.split())
        except ValueError:
            out = ()
        if len(out) != count or not np.isfinite(out).all():
            wanted = "a number" if count == 1 else f"{count} numbers"
            problem = f"{key} of {self.words} is {text[:60]!r}, it must be {wanted}"
            raise FormatError(self.one(key).place, problem)
        return out


def read_tree(path: Path) -> tuple[Entry, str]:
    """The assembly of a file as a tree, and the banner above it; FormatError: not valid."""
    try:
        lines = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path.name}: byte {error.start + 1}", "not UTF-8 text") from None
    first = next((line for line in lines if line.strip()), "")
    begins = first.strip() == TOP  # no banner
    banner = "" if begins else " ".join(first.split())
    root = _tree(lines, lines.index(first) + (not begins), path.name)
    if root.text != TOP:
        problem = f"{root.text[:60]!r} stands where {TOP!r} must, below {banner[:60]!r}"
        raise FormatError(root.place, problem)
    return root, banner


def _tree(lines: Sequence[str], first: int, file: str) -> Entry:
    """The lines from an index on as a tree, up to the next that is not indented."""
    stack: list[Entry] = []
    step = _narrowest(lines)
    for number, line in enumerate(lines[first:], first + 1):
        place = f"{file} line {number}"
        depth, inner = _indent(line, step, place)
        if depth == 0 and (stack or not inner):
            if inner:
                break  # stored results
            continue
        if depth > len(stack):
            problem = f"{inner[:60]!r} is indented by {depth} levels, {len(stack)} at most"
            raise FormatError(place, problem)
        entry = Entry(inner, place)
        if depth:
            stack[depth - 1].inner.append(entry)
        stack[depth:] = [entry]
    if not stack:
        raise FormatError(file, "there is nothing after its first line")
    return stack[0]


def _narrowest(lines: Sequence[str]) -> int:
    """The narrowest indent by spaces, 1 where there is none."""
    widths = (len(line) - len(line.lstrip(" ")) for line in lines if line.strip())
    return min((width for width in widths if width), default=1)


def _indent(line: str, step: int, place: str) -> tuple[int, str]:
    """The depth of a line, and its text; spaces after a tab are of the text."""
    rest = line.lstrip(" ")
    spaces = len(line) - len(rest)
    inner = rest.lstrip("\t")
    if inner.strip() and spaces % step:
        problem = f"{inner.strip()[:60]!r} is indented by {spaces} spaces, no multiple of {step}"
        raise FormatError(place, problem)
    return spaces // step + len(rest) - len(inner), inner.strip()
