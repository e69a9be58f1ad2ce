"""The text of OndselSolver's .asmt files: a banner, then a tree of lines indented with tabs.

Lines after the tree that are not indented (`TimeSeries`, `PartSeries`, ...) are stored results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...errors import FormatError
from ...foundations.geometry.pose import Pose

BANNERS = {"freeCAD: 3D CAD with Motion Simulation": 1000.0, "OndselSolver": 1.0}
"""First line of a file, and its unit of length in mm: the older program uses SI units."""

TOP = "Assembly"

ROTATION = 1e-6
"""Tolerance of a matrix against a rotation: files have 14 to 17 digits."""


@dataclass
class Entry:
    """A line without indents, its place (file and line), and the lines indented below it."""

    text: str
    place: str
    inner: list[Entry] = field(default_factory=list)

    @property
    def words(self) -> str:
        """Its text, with its name if it has one."""
        names = [e.inner[0].text for e in self.inner if e.text == "Name" and e.inner]
        return f"{self.text} {names[0]!r}" if names else self.text

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
        with np.errstate(over="ignore", invalid="ignore"):
            off = float(np.abs(rows @ rows.T - np.eye(3)).max())
        if not off <= ROTATION or np.linalg.det(rows) < 0.0:
            problem = f"RotationMatrix of {self.words} is not a rotation"
            raise FormatError(found.place, problem)
        return Pose.from_frame([*position, *rows.T.ravel()])

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


def read_tree(path: Path) -> tuple[Entry, float]:
    """The assembly of a file as a tree, and its unit of length in mm; FormatError: not valid."""
    try:
        lines = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path.name}: byte {error.start + 1}", "not UTF-8 text") from None
    banner = " ".join(lines[0].split()) if lines else ""
    scale = next((unit for start, unit in BANNERS.items() if banner.startswith(start)), None)
    if scale is None:
        known = " or ".join(map(repr, BANNERS))
        raise FormatError(f"{path.name} line 1", f"{banner[:60]!r} stands where {known} must")
    root = _tree(lines, path.name)
    if root.text != TOP:
        raise FormatError(root.place, f"{root.text[:60]!r} stands where {TOP!r} must")
    return root, scale


def _tree(lines: Sequence[str], file: str) -> Entry:
    """The lines from the second one on as a tree, up to the first that is not indented."""
    stack: list[Entry] = []
    for number, line in enumerate(lines[1:], 2):
        inner = line.lstrip("\t")
        depth = len(line) - len(inner)
        if depth == 0 and (stack or not inner.strip()):
            if inner.strip():
                break  # stored results
            continue
        place = f"{file} line {number}"
        if depth > len(stack):
            problem = f"{inner.strip()[:60]!r} is indented by {depth} tabs, {len(stack)} at most"
            raise FormatError(place, problem)
        entry = Entry(inner.strip(), place)
        if depth:
            stack[depth - 1].inner.append(entry)
        stack[depth:] = [entry]
    if not stack:
        raise FormatError(file, "there is nothing after its first line")
    return stack[0]
