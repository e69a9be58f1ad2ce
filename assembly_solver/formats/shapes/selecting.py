"""Selectors: texts that pick faces, edges, wires and vertices of a solid.

    faces@>Z                    the top face
    faces@%CYLINDER@radius=4    the holes and pins of radius 4 mm; faces of one surface are one
    faces@>Z@edges@%CIRCLE@>X   of the edges of the top face that are circles, the one farthest in x

A selector begins with a kind, followed by CadQuery's string selectors, each applied to the result
of the one before; a further kind selects the faces, edges, ... of that result.  `radius=` is the
only word that CadQuery does not have.  CadQuery is loaded only when used.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from ...errors import BadValue, FormatError, UnknownName
from ...foundations.numerics.rounding import DIGITS
from .picks import Pick, grouped, one_pick
from .step_shapes import cadquery_for, step_shape
from .topology import shape_pick

KINDS = ("faces", "edges", "wires", "vertices", "solids")
RADIUS = "radius="
STEP = (".step", ".stp")
PURPOSE = "picking features of a solid"


def pick(shape: Any, select: str = "", place: str = "") -> Pick:
    """The pick of a selector on a shape; without a selector, of the shape itself.

    Args:
        shape: of CadQuery, or of its modeller (a `TopoDS_Shape`); or a CadQuery workplane, whose
            stack is selected from.
        select: as "faces@>Z"; place: for errors.

    Raises:
        UnknownName, BadValue: this is no selector.
        FormatError: it picks nothing, or shapes that are not of one surface, line or point.
        MissingExtra: cadquery is not installed.
    """
    return one_pick(_picks(shape, select, place), place, select)


def picks(shape: Any, select: str = "", place: str = "") -> list[Pick]:
    """Every thing that a selector picks, as all holes of one radius; faces of one surface are one.

    Args:
        shape, select, place: as of `pick`; errors too, but for several things.
    """
    return [one for one, _ in grouped(_picks(shape, select, place))]


def _picks(shape: Any, select: str, place: str) -> list[Pick]:
    chosen = _chosen(_stack(shape), select, place) if select else _stack(shape)
    if not chosen:
        raise FormatError(place, f"{select!r} picks nothing")
    return [shape_pick(getattr(s, "wrapped", s)) for s in chosen]


def pick_in_file(file: Path, select: str, part: str, place: str) -> Pick:
    """The pick of a selector on the STEP file of a part; errors as of `pick`."""
    return pick(shape_in(file, part), select, place)


def shape_in(file: Path, part: str) -> Any:
    """The shape in a STEP file, cached while the file is unchanged."""
    place = f"parts.{part}.geometry"
    if file.suffix.lower() not in STEP:
        raise FormatError(place, f"features are picked in {' and '.join(STEP)} files, not {file}")
    if not file.is_file():
        raise FormatError(place, f"there is no file {file}")
    stamp = file.stat()
    return _read(file.resolve(), stamp.st_mtime_ns, stamp.st_size, part)


@lru_cache(maxsize=32)
def _read(file: Path, changed: int, size: int, part: str) -> Any:
    return step_shape(file, part, PURPOSE)


def workplane(shape: Any) -> Any:
    """A CadQuery workplane on a shape of any accepted type."""
    cq = cadquery_for(PURPOSE)
    if isinstance(shape, cq.Workplane):
        return shape
    return cq.Workplane(obj=shape if isinstance(shape, cq.Shape) else cq.Shape.cast(shape))


def _stack(shape: Any) -> list[Any]:
    """The shapes of a workplane, or the shape."""
    return list(shape.vals()) if hasattr(shape, "vals") else [shape]


def _chosen(base: list[Any], select: str, place: str) -> list[Any]:
    """The shapes that a selector leaves."""
    words = [word.strip() for word in select.split("@")]
    if words[0] not in KINDS:
        raise UnknownName("kind of selector", words[0], KINDS, place)
    cq = cadquery_for(PURPOSE)
    found = [s if hasattr(s, "wrapped") else cq.Shape.cast(s) for s in base]
    kind = words[0]
    for k, word in enumerate(words):
        if word in KINDS:
            kind = word
            if k + 1 == len(words) or words[k + 1] in KINDS or words[k + 1].startswith(RADIUS):
                found = _all(found, kind)
        elif word.startswith(RADIUS):
            found = _of_radius(found, word, place)
        else:
            found = _filtered(_all(found, kind), word, place)
    return found


def _all(shapes: list[Any], kind: str) -> list[Any]:
    """The faces, edges, ... of shapes, each once."""
    method = kind.capitalize()
    each = (getattr(shape, method)() for shape in shapes if hasattr(shape, method))
    return list(dict.fromkeys(chain.from_iterable(each)))


def _filtered(shapes: list[Any], word: str, place: str) -> list[Any]:
    """The shapes that one of CadQuery's selectors leaves."""
    import pyparsing

    try:
        return list(_selector(word).filter(shapes))
    except pyparsing.ParseException:
        raise BadValue(place, word, 'a selector, as ">Z", "%CYLINDER" or "|X and <Y"') from None
    except (ValueError, IndexError):  # an index out of range
        return []


@lru_cache(maxsize=256)
def _selector(word: str) -> Any:
    return cadquery_for(PURPOSE).StringSyntaxSelector(word)


def _of_radius(shapes: list[Any], word: str, place: str) -> list[Any]:
    try:
        wanted = float(word.removeprefix(RADIUS))
    except ValueError:
        raise BadValue(place, word, f'a radius in mm, as "{RADIUS}4"') from None
    near = DIGITS * max(1.0, abs(wanted))
    return [s for s in shapes if abs(shape_pick(s.wrapped).radius - wanted) <= near]
