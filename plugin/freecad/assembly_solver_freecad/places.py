"""Elements of parts from selections of the user and from the references of mates.

A reference starts at the top level of the document, as those of FreeCAD's joints do: an object, and
the path from it, "Frame.Pin.Face6".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import assembly_solver as asm
from assembly_solver.freecad import (
    ELEMENT,
    FOLDER,
    Link,
    NotUnderstood,
    Piece,
    Spot,
    Tree,
    trees_in,
)

from .choosing import Chosen
from .document import LiveDocument, object_of
from .elements import pick
from .marks import ElementMark, mark_of

Selection = Sequence[tuple[Any, str]]
"""Objects with the path of a face, an edge or a vertex in each: (frame, "Pin.Face6")."""


class PartElement(NamedTuple):
    """An element of a part, as mates and messages need it.

    Attributes:
        part: the moving object; name: within it, "Pin.Face6"; words: "Face6 of Pin".
        path: from the object at the top level; mark: None where it is not an element of a shape.
    """

    chosen: Chosen
    part: str
    name: str
    words: str
    path: str
    mark: ElementMark | None


def trees(document: Any) -> Iterator[Tree]:
    """The assemblies of a document."""
    yield from trees_in(LiveDocument(document))


def rooted(found: Any, path: str) -> tuple[Any, str]:
    """The object at the top level and the path of an element from it."""
    if path and not path.endswith(".") and not ELEMENT.fullmatch(path.split(".")[-1]):
        path += "."
    parents = found.Parents
    if len(parents) > 1:
        places = ", ".join(sorted(f"{root.Label} ({way}{path})" for root, way in parents))
        raise NotUnderstood(f"{found.Label} is in several places; name one from the top: {places}")
    return (parents[0][0], parents[0][1] + path) if parents else (found, path)


def element_at(tree: Tree, root: Any, path: str) -> PartElement:
    """The element at a path from an object at the top level.

    Raises:
        BrokenReference, NotUnderstood: there is none that a mate can use; why.
    """
    spot = tree.spot(Link("", root.Name, path))
    names = [root.Name, *path.split(".")]
    last = next((n for n in reversed(names) if n), "")
    if not spot.element and last not in (spot.target.name, spot.part):
        raise NotUnderstood(f"there is no {last!r} in {spot.target.label}")
    found = _datum(spot) if not spot.element else _shape_pick(root, path, names, spot)
    mark = mark_of(found, spot.within, _counts(root, path)) if spot.element else None
    within = [n for n in names[names.index(spot.part) + 1 :] if n]
    name = ".".join(within) or "itself"
    part = _label(tree, spot.part)
    whole = not spot.element and spot.target.name != spot.part
    words = f"{spot.words} of {part}" if whole else spot.words
    chosen = Chosen(part, found, tree.pose(spot.part))
    return PartElement(chosen, spot.part, name, words, path, mark)


def _counts(root: Any, path: str) -> tuple[int, ...]:
    """Numbers of faces, edges and vertices of the shape of an element at a path."""
    shape = root.getSubObject(path[: path.rfind(".") + 1])
    return tuple(int(shape.countElement(kind)) for kind in ("Face", "Edge", "Vertex"))


def _label(tree: Tree, part: str) -> str:
    """The label of a part for messages, with its name where others have the same label."""
    label = tree.parts[part].label
    alone = sum(thing.label == label for thing in tree.parts.values()) == 1
    return label if alone else f"{label} ({part})"


def _shape_pick(root: Any, path: str, names: Sequence[str], spot: Spot) -> asm.Pick:
    """The pick of a face, an edge or a vertex, in the frame of its part."""
    shape = root.getSubObject(path)
    if names[-1].startswith("?") or shape is None or shape.isNull():
        raise NotUnderstood(f"there is no {spot.words}")
    to_part = "".join(f"{name}." for name in names[1 : names.index(spot.part) + 1])
    return pick(shape, root.getSubObject(to_part, retType=3))


# ------------------------------------------------------------------------ reference geometry
def _datum(spot: Spot) -> asm.Pick:
    """The pick of reference geometry, which has no faces and edges."""
    make = _DATUMS.get(spot.target.type)
    if make is None:
        raise NotUnderstood(f"{spot.words} is a whole object; choose a face, an edge or a vertex")
    return make(spot)


def _plane(spot: Spot) -> asm.Pick:
    axes = spot.within.rotation
    return Piece(spot.within.position, 0.0).plane(tuple(axes[:, 2]), tuple(axes[:, 0]))


def _line(spot: Spot) -> asm.Pick:
    """The direction of an axis of an origin, from its role."""
    at = spot.within.position
    role = getattr(object_of(spot.target), "Role", "")
    own = spot.target.placement().inverse().rotation
    axes = spot.within.rotation @ (own if role else 1.0)
    axis = asm.Axis(at, tuple(axes[:, "XYZ".index(role[0]) if role else 2]))
    return asm.Pick("line", axis, (asm.Frame(at, axis.direction), asm.Point(at)), at, 0.0)


def _frame(spot: Spot) -> asm.Pick:
    at, axes = spot.within.position, spot.within.rotation
    frame = asm.Frame(at, tuple(axes[:, 2]), tuple(axes[:, 0]))
    return asm.Pick("coordinate system", frame, (asm.Point(at),), at, 0.0)


def _point(spot: Spot) -> asm.Pick:
    return Piece(spot.within.position, 0.0).other("vertex")


_DATUMS: Mapping[str, Callable[[Spot], asm.Pick]] = {
    **dict.fromkeys(("App::Plane", "PartDesign::Plane", "Part::DatumPlane"), _plane),
    **dict.fromkeys(("App::Line", "PartDesign::Line", "Part::DatumLine"), _line),
    **dict.fromkeys(("PartDesign::CoordinateSystem", "Part::LocalCoordinateSystem"), _frame),
    **dict.fromkeys(("App::Point", "PartDesign::Point", "Part::DatumPoint"), _point),
}


def folders(tree: Tree) -> Iterator[Any]:
    """The folders of mates in an assembly, its own first."""
    for name, thing in tree.document.things.items():
        if name in tree.members and thing.type == FOLDER and thing.has("Grounded"):
            yield object_of(thing)
