"""The elements of a mate: stored as references and marks, resolved to their present names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import assembly_solver as asm
from assembly_solver.freecad import ELEMENT, NotUnderstood, Tree

from .choosing import Chosen
from .marks import ElementMark, mark_in
from .places import PartElement, element_at, trees

REFERENCES = ("Reference1", "Reference2", "Reference3", "Reference4")
"""Properties of a mate that name its elements, in the order in which they were picked."""

JOINTS = "CoupledJoints"
"""Property of a mate between joints that lists them."""

ELEMENTS = "Elements"
"""Heading in the list of properties."""


class Lost(asm.AssemblySolverError, ValueError):
    """An element of a mate that no longer exists or is something else now."""

    def __init__(self, words: str, why: str) -> None:
        super().__init__(f"{words} {why}; choose another element, or delete the mate")


def keep(mate: Any, roots: Sequence[Any], elements: Sequence[PartElement]) -> None:
    """Store elements in a mate: their references, names, kinds and marks."""
    for key, root, element in zip(REFERENCES, roots, elements, strict=False):
        if not hasattr(mate, key):
            words = "A face, an edge or a vertex"
            mate.addProperty("App::PropertyLinkSubHidden", key, ELEMENTS, words)
        setattr(mate, key, (root, [element.path]))
    for key, names, words in (
        ("ElementNames", [e.words for e in elements], "What the elements were when chosen"),
        ("ElementKinds", [e.chosen.pick.kind for e in elements], "Their kinds when chosen"),
        ("ElementMarks", [_text(e.mark) for e in elements], "What they are known again by"),
    ):
        if not hasattr(mate, key):
            mate.addProperty("App::PropertyStringList", key, ELEMENTS, words)
        setattr(mate, key, names)
        mate.setEditorMode(key, 1)


def _text(mark: ElementMark | None) -> str:
    return "" if mark is None else mark.text()


def references(mate: Any) -> Iterator[tuple[Any, str] | None]:
    """The object and the path of each element of a mate; None where the object is deleted.

    For a mate between joints, the joints.
    """
    if hasattr(mate, JOINTS):
        yield from ((joint, "") for joint in getattr(mate, JOINTS))
        return
    for key in REFERENCES[: len(mate.ElementNames)]:
        found = getattr(mate, key)
        yield (found[0], found[1][0]) if found and found[0] is not None else None


def elements_of(mate: Any, tree: Tree) -> list[PartElement]:
    """The elements of a mate in their present state.

    Raises:
        Lost: one no longer exists or has another kind; the message names it.
    """
    out = []
    for found, words, text in zip(
        references(mate), mate.ElementNames, mate.ElementMarks, strict=True
    ):
        if found is None:
            raise Lost(words, "is gone: its part was deleted")
        out.append(_known(tree, *found, words, mark_in(text) if text else None))
    for element, kind in zip(out, mate.ElementKinds, strict=True):
        now = element.chosen.pick
        if now.kind != kind:
            raise Lost(element.words, f"was a {kind} when it was chosen and is a {now.words} now")
    return out


def chosen_of(mate: Any) -> list[Chosen]:
    """The elements of a mate as the engine's assembly has them."""
    for tree in trees(mate.Document):
        if mate.Name in tree.members:
            return [element.chosen for element in elements_of(mate, tree)]
    raise NotUnderstood(f"{mate.Label} is in no assembly")


def update(mate: Any, elements: Sequence[PartElement]) -> None:
    """Update the names and marks of the elements of a mate where they have changed."""
    before = [found[1] for found in references(mate) if found is not None]
    marks = [mark_in(text) if text else None for text in mate.ElementMarks]
    stays = all(
        one is two or (one and two and one.same(two) and one.counts == two.counts)
        for one, two in zip(marks, (e.mark for e in elements), strict=True)
    )
    if stays and before == [e.path for e in elements]:
        return
    waiting = "Touched" in mate.State
    keep(mate, [getattr(mate, key)[0] for key in REFERENCES[: len(elements)]], elements)
    if not waiting:
        mate.purgeTouched()


# ---------------------------------------------------------------------------- known again
def _known(tree: Tree, root: Any, path: str, words: str, mark: ElementMark | None) -> PartElement:
    """The selected element under its present name.

    Where the numbers of faces, edges or vertices changed, names have shifted: the element is the
    one with the same plane, axis, ...  Otherwise the shape was changed in place.
    """
    named, why = None, ""
    try:
        named = element_at(tree, root, path)
    except asm.AssemblySolverError as error:
        why = f"is gone ({error})"
    now = named.mark if named else None
    if named and (mark is None or now is None or now.same(mark) or _names_stay(root, path)):
        return named
    fits = [] if mark is None else [e for e in _siblings(tree, root, path) if _is(e, mark)]
    if mark is None or (named is None and not fits):
        raise Lost(words, why)
    if named and now and now.counts == mark.counts and fits:
        raise Lost(named.words, f"has moved, and {fits[0].words} is where it was")
    if named and now and not fits and (now.counts == mark.counts or now.kind != mark.kind):
        return named
    if not fits:
        raise Lost(words, "is not known again: its shape has others now, and none where it was")
    return min(fits, key=lambda e: mark.apart(e.mark or mark))


def _is(element: PartElement, mark: ElementMark) -> bool:
    return element.mark is not None and element.mark.same(mark)


def _names_stay(root: Any, path: str) -> bool:
    """Whether FreeCAD itself follows the elements of a shape: from 1.0 on, where it has a map."""
    shape = root.getSubObject(path[: path.rfind(".") + 1])
    return bool(getattr(shape, "ElementMapSize", 0))


def _siblings(tree: Tree, root: Any, path: str) -> Iterator[PartElement]:
    """All faces, all edges or all vertices of the shape that an element at a path is of."""
    stem, name = path[: path.rfind(".") + 1], ELEMENT.fullmatch(path.split(".")[-1])
    shape = root.getSubObject(stem)
    if name is None or shape is None or shape.isNull():
        return
    kind = name[1].rstrip("0123456789")
    for number in range(1, shape.countElement(kind) + 1):
        yield element_at(tree, root, f"{stem}{kind}{number}")
