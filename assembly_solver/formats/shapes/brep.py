"""Kind, radius and frame of faces, edges and vertices, from OpenCASCADE's text format.

Meshes and trimming are not read.  Sub-shapes are numbered as in programs on OpenCASCADE: "Face6" is
the sixth face in the traversal of the shape.

Source: Open CASCADE Technology, "BRep Format": sections "Geometry" and "Shapes".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from ...errors import FormatError
from ...foundations.geometry.pose import Pose, triple
from ...foundations.numerics.rounding import DIGITS
from ...foundations.types import Array
from ...model.feature import FrameNumbers, frame_of, unit

FACES = {"1": "plane", "2": "cylinder", "3": "cone", "4": "sphere", "5": "torus"}
EDGES = {"1": "line", "2": "circle"}
REVOLVED, OTHER = "surface of revolution", "other"

MOST = 1_000_000
"""Sub-shapes met in the traversal of a shape above which it is refused."""

MOST_FACTORS = 1000
"""Power of a motion above which it is refused."""

_RADIUS_AT = 13
"""Count of numbers up to the radius of a circle, cylinder or sphere: a point, three axes, it."""
_ROUND = ("circle", "cylinder", "sphere")
_SIZES = {"2": 13, "3": 14, "4": 13, "5": 14}
_CURVE_NUMBERS, _SURFACE_NUMBERS = {"1": 6} | _SIZES, {"1": 12} | _SIZES
"""Count of numbers of a curve or surface by its type."""

_RECORD = re.compile(
    r"^(?P<type>Ve|Ed|Wi|Fa|Sh|So|CS|Co) *\n(?P<geometry>.*?)^[01]{7} *\n(?P<parts>[^*]*)\*",
    re.MULTILINE | re.DOTALL,
)
_NAMES = {"Face": "Fa", "Edge": "Ed", "Vertex": "Ve"}
_NAMED = re.compile(r"(Face|Edge|Vertex)([0-9]+)")


class Element(NamedTuple):
    """A face, an edge or a vertex.

    Attributes:
        kind: plane, cylinder, cone, sphere, torus, surface of revolution, line, circle, vertex or
            other.
        radius: of a circle, cylinder or sphere, mm; else 0.
        frame: of the underlying surface or curve, in the object's coordinates: origin (mm), x, y,
            z; z is the normal or the axis in the sense of the modeller's axis, whatever the
            orientation of the face.  Empty for other kinds.
    """

    kind: str
    radius: float
    frame: FrameNumbers = ()


_ROOT = re.compile(rb"(?<=\s)([-+ie]1) \d+(?=\s*\Z)")
"""The last line of a text: orientation, number and location of the whole shape."""


def moved(text: bytes, pose: Pose, place: str) -> bytes:
    """The text of a .brp file with the whole at another pose (mm) and nothing else changed.

    Raises FormatError: the text is not as FreeCAD writes it.
    """
    count = re.search(rb"(?m)^Locations (\d+)[^\n]*\n", text)
    curves = re.search(rb"(?m)^Curve2ds ", text)
    if count is None or curves is None or not _ROOT.search(text):
        raise FormatError(place, "the geometry cannot be moved: it is not as FreeCAD writes it")
    number = int(count[1]) + 1
    rows = np.column_stack([pose.rotation, pose.position]).tolist()
    matrix = "".join(" ".join(map(repr, row)) + " \n" for row in rows)
    head = text[: count.start()] + f"Locations {number}\n".encode()
    table = text[count.end() : curves.start()] + f"1\n{matrix}".encode()
    return head + table + _ROOT.sub(rb"\g<1> %d" % number, text[curves.start() :])


Location = tuple[tuple[int, int], ...]
"""A product of motions by number, each to a power."""


class _ShapeRecord(NamedTuple):
    """A shape of the table: type, lines of its geometry, numbers and locations of its parts."""

    type: str
    geometry: list[str]
    parts: list[tuple[int, int]]


class _PlacedShape(NamedTuple):
    """A shape of the table at a location."""

    record: _ShapeRecord
    location: Location


class Solid:
    """Elements of the shape in a .brp text by name, without the location of the whole."""

    def __init__(self, text: str, place: str) -> None:
        self._text, self._place = text.replace("\r\n", "\n"), place
        self._second_version = "CASCADE Topology V1" not in text[:400]
        self._motions: dict[int, Array] = {}
        self._known: dict[str, tuple[Iterator[str], int, list[Element]]] = {}
        try:
            self._locations = self._read_locations()
            self._records = self._read_records()
            self._shapes = self._in_order()
        except (IndexError, ValueError, StopIteration) as error:
            raise FormatError(place, f"the geometry cannot be read: {error}") from None

    def element(self, name: str) -> Element:
        """The element of a name such as "Face6"; FormatError where it cannot be read."""
        named = _NAMED.fullmatch(name)
        if named is None:
            raise FormatError(self._place, f"{name!r} names no face, edge or vertex")
        found = self._shapes[_NAMES[named[1]]]
        if not 1 <= int(named[2]) <= len(found):
            raise FormatError(self._place, f"there is no {name}, only {len(found)}")
        try:
            return self._READERS[named[1]](self, *found[int(named[2]) - 1])
        except (IndexError, ValueError, KeyError, StopIteration):
            raise FormatError(self._place, f"the geometry of {name} cannot be read") from None

    # ------------------------------------------------------------------ the table of shapes
    def _read_locations(self) -> list[Location]:
        """The locations of the file by number; number 0 is the identity."""
        words = self._section("Locations")
        locations: list[Location] = [()]
        for number in range(1, int(next(words)) + 1):
            if next(words) == "1":
                self._motions[number] = np.array(_skip(words, 12)).reshape(3, 4)
                locations.append(((number, 1),))
                continue
            location: Location = ()
            while factor := int(next(words)):
                location = _product(_power(locations[factor], int(next(words))), location)
            locations.append(location)
        return locations

    def _start(self, name: str) -> int:
        start = self._text.find(f"\n{name} ")
        if start < 0:
            raise ValueError(f"it has no {name}")
        return start

    def _section(self, name: str) -> Iterator[str]:
        """The words after the name of a section."""
        start = self._start(name)
        words = (m[0] for m in re.finditer(r"\S+", self._text[start:]))
        next(words)
        return words

    def _read_records(self) -> list[_ShapeRecord]:
        start = self._start("TShapes")
        count = int(next(self._section("TShapes")))
        records: list[_ShapeRecord] = []
        for found in _RECORD.finditer(self._text, start):
            words = found["parts"].split()
            pairs = list(zip(words[::2], words[1::2], strict=True))
            # counted from the last record, which has number 1; the sign is the orientation
            parts = [(count - abs(int(part)), int(location)) for part, location in pairs]
            if any(not 0 <= part < len(records) for part, _ in parts):
                raise ValueError("a shape is part of itself")
            records.append(_ShapeRecord(found["type"], found["geometry"].splitlines(), parts))
        if not records or len(records) != count:
            raise ValueError(f"{count} shapes are announced and {len(records)} are there")
        return records

    def _in_order(self) -> dict[str, list[_PlacedShape]]:
        """The distinct shapes of each named type, in the order of the traversal."""
        seen: set[tuple[int, Location]] = set()
        out: dict[str, list[_PlacedShape]] = {kind: [] for kind in _NAMES.values()}
        stack: list[tuple[int, Location]] = [(len(self._records) - 1, ())]
        steps = 0
        while stack:
            steps += 1
            if steps > MOST:
                raise ValueError("it has too many parts")
            number, location = stack.pop()
            if (number, location) in seen:
                continue
            seen.add((number, location))
            record = self._records[number]
            if record.type in out:
                out[record.type].append(_PlacedShape(record, location))
            for part, at in reversed(record.parts):
                stack.append((part, _product(location, self._locations[at])))
        return out

    # ------------------------------------------------------------------ geometry
    def _face(self, record: _ShapeRecord, location: Location) -> Element:
        words = record.geometry[0].split()
        found = self._nth("Surfaces", int(words[2]), _surface)
        return self._placed(found, _product(location, self._locations[int(words[3])]))

    def _edge(self, record: _ShapeRecord, location: Location) -> Element:
        lines = iter(record.geometry[1:])
        for line in lines:
            words = line.split()
            if words and words[0] == "1":
                found = self._nth("Curves", int(words[1]), _curve)
                return self._placed(found, _product(location, self._locations[int(words[2])]))
            if words and words[0] in "23" and self._second_version:
                next(lines)  # ends in the parameters of the surface
        return Element(OTHER, 0.0)

    def _vertex(self, record: _ShapeRecord, location: Location) -> Element:
        at = triple(_skip(iter(record.geometry[1].split()), 3))
        return self._placed(Element("vertex", 0.0, frame_of(at, (0.0, 0.0, 1.0), None)), location)

    _READERS: ClassVar[dict[str, Callable[[Solid, _ShapeRecord, Location], Element]]] = {
        "Face": _face,
        "Edge": _edge,
        "Vertex": _vertex,
    }

    def _placed(self, element: Element, location: Location) -> Element:
        """The element transformed by a location."""
        turn, move = np.eye(3), np.zeros(3)
        for number, power in location:
            step = self._motions[number]
            R, p = step[:, :3], step[:, 3]
            if np.abs(R @ R.T - np.eye(3)).max() > DIGITS or np.linalg.det(R) < 0.0:
                raise ValueError("it is scaled or mirrored")
            if power < 0:
                R, p = R.T, -R.T @ p
            for _ in range(abs(power)):
                turn, move = turn @ R, turn @ p + move
        if not location or not element.frame:
            return element
        frame = np.array(element.frame).reshape(4, 3)
        x, _, z = (triple(axis) for axis in frame[1:] @ turn.T)
        return element._replace(frame=frame_of(triple(turn @ frame[0] + move), unit(z, "z"), x))

    def _nth(self, section: str, number: int, read: Callable[[Iterator[str]], Element]) -> Element:
        """A record of a section of geometry; it and those before it are read once."""
        if section not in self._known:
            words = self._section(section)
            self._known[section] = (words, int(next(words)), [])
        words, count, known = self._known[section]
        if not 1 <= number <= count:
            raise ValueError(f"there are only {count}")
        try:
            while len(known) < number:
                known.append(read(words))
        except BaseException:
            del self._known[section]  # the words are no longer at the beginning of a record
            raise
        return known[number - 1]


def _product(one: Location, two: Location) -> Location:
    """The product of two locations; powers of adjacent equal motions are added."""
    while one and two and one[-1][0] == two[0][0]:
        (number, power), (_, more) = one[-1], two[0]
        one, two = one[:-1], two[1:]
        if power + more:
            return (*one, (number, power + more), *two)
    return one + two


def _power(location: Location, power: int) -> Location:
    if abs(power) > MOST_FACTORS:
        raise ValueError("a place to a power that is too large")
    once = location if power > 0 else tuple((n, -p) for n, p in reversed(location))
    out: Location = ()
    for _ in range(abs(power)):
        out = _product(out, once)
    return out


def _curve(words: Iterator[str]) -> Element:
    """The next curve; of a trimmed one its basis curve."""
    kind = next(words)
    if kind == "8":
        _skip(words, 2)
        return _curve(words)
    if kind == "9":
        _skip(words, 4)
        _curve(words)
    elif kind in "67":
        _skip_spline(words, 1, bezier=kind == "6")
    else:
        return _elementary(_skip(words, _CURVE_NUMBERS[kind]), EDGES.get(kind, OTHER))
    return Element(OTHER, 0.0)


def _elementary(numbers: list[float], kind: str) -> Element:
    """The element of a curve or surface whose numbers begin with a frame."""
    if kind == OTHER:
        return Element(OTHER, 0.0)
    radius = numbers[_RADIUS_AT - 1] if kind in _ROUND else 0.0
    return Element(kind, radius, _frame(numbers))


def _frame(numbers: list[float]) -> FrameNumbers:
    """The frame at the start of a surface or curve: a point, z, and x except for a line."""
    x = unit(numbers[6:9], "x") if len(numbers) > 6 else None
    return frame_of(triple(numbers[:3]), unit(numbers[3:6], "z"), x)


def _skip_spline(words: Iterator[str], directions: int, bezier: bool) -> None:
    """Skip a spline curve (one parameter direction) or surface (two)."""
    rational = "1" in [next(words) for _ in range(directions)]
    knots = 0
    if bezier:
        poles = math.prod([int(next(words)) + 1 for _ in range(directions)])
    else:
        _skip(words, 2 * directions)
        poles = math.prod([int(next(words)) for _ in range(directions)])
        knots = sum([int(next(words)) for _ in range(directions)])
    _skip(words, poles * (3 + rational) + 2 * knots)


def _surface(words: Iterator[str]) -> Element:
    """The next surface; of a trimmed one its basis surface."""
    kind = next(words)
    if kind == "10":
        _skip(words, 4)
        return _surface(words)
    if kind == "6":
        _skip(words, 3)
        _curve(words)
    elif kind == "7":
        numbers = _skip(words, 6)
        _curve(words)
        return Element(REVOLVED, 0.0, _frame(numbers))
    elif kind in ("8", "9"):
        _skip_spline(words, 2, bezier=kind == "8")
    elif kind == "11":
        _skip(words, 1)
        _surface(words)
    else:
        return _elementary(_skip(words, _SURFACE_NUMBERS[kind]), FACES[kind])
    return Element(OTHER, 0.0)


def _skip(words: Iterator[str], count: int) -> list[float]:
    """The next numbers."""
    out = [float(next(words)) for _ in range(count)]
    if not all(map(math.isfinite, out)):
        raise ValueError("a number is not finite")
    return out
