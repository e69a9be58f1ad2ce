"""Selectors to offer: for each face or edge of a solid, one that picks it alone.

They are searched on the centres of all faces or edges, as CadQuery's selectors use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ...foundations.numerics.rounding import DIGITS
from .picks import APART, Pick, grouped
from .selecting import RADIUS, workplane
from .topology import shape_pick

TYPES = {
    "plane": "%PLANE",
    "hole": "%CYLINDER",
    "cylinder": "%CYLINDER",
    "cone": "%CONE",
    "sphere": "%SPHERE",
    "torus": "%TORUS",
    "line": "%LINE",
    "circle": "%CIRCLE",
}
"""CadQuery's words for kinds of surfaces and curves."""

Pieces = dict[int, Pick]
"""Faces or edges of a solid by number."""


class SelectorStep(NamedTuple):
    """A selector, and the faces or edges that it leaves."""

    text: str
    left: Pieces


def inventory(shape: Any, kind: str = "faces") -> list[tuple[str, Pick]]:
    """All faces (or edges) of a shape with a selector for each; faces of one surface are one.

    The selector picks all faces of the surface where one does, else the largest that it can; it is
    empty where none was found.  Degenerate edges are skipped.
    """
    found = getattr(workplane(shape), kind)().vals()
    pieces = dict(enumerate(p for p in map(_piece, found) if p is not None))
    out = []
    for whole, numbers in grouped(list(pieces.values())):
        out.append((next(_offers(whole, numbers, pieces, kind), ""), whole))
    return out


def _piece(shape: Any) -> Pick | None:
    from OCP.BRep import BRep_Tool

    degenerate = shape.ShapeType() == "Edge" and BRep_Tool.Degenerated_s(shape.wrapped)
    return None if degenerate else shape_pick(shape.wrapped)


def _offers(whole: Pick, numbers: frozenset[int], pieces: Pieces, kind: str) -> Iterator[str]:
    """Selectors that leave only faces of one surface: all of them first, then the largest."""
    steps = []
    for step in _tried(whole, pieces, kind):
        if step.left.keys() == numbers:
            yield step.text
        steps.append(step)
    if len(numbers) > 1:
        largest = max((pieces[n] for n in sorted(numbers)), key=lambda piece: piece.size)
        steps += _tried(largest, pieces, kind)
        some = [step for step in steps if step.left and step.left.keys() < numbers]
        some.sort(key=lambda step: -sum(p.size for p in step.left.values()))
        yield from (step.text for step in some)


def _tried(wanted: Pick, pieces: Pieces, kind: str) -> Iterator[SelectorStep]:
    """Selectors around one pick, the shortest first."""
    start = SelectorStep(kind, pieces)
    if wanted.kind == "plane":
        yield from _ends(start)
    if wanted.kind in TYPES:
        word = TYPES[wanted.kind]
        start = _left(start, word, lambda p: TYPES.get(p.kind) == word)
    bases = [start]
    if wanted.radius:
        near = lambda p: abs(p.radius - wanted.radius) <= DIGITS  # noqa: E731
        bases.append(_left(start, f"{RADIUS}{wanted.radius:.9g}", near))
    yield from bases
    for base in reversed(bases):
        yield from _ends(base)
        for order in ("X", "Y", "Z", "XY", "XZ", "YX", "YZ", "ZX", "ZY", "XYZ"):
            yield _by_numbers(base, wanted, order)


def _left(step: SelectorStep, word: str, holds: Callable[[Pick], bool]) -> SelectorStep:
    return SelectorStep(f"{step.text}@{word}", {n: p for n, p in step.left.items() if holds(p)})


def _ends(step: SelectorStep) -> Iterator[SelectorStep]:
    """The outermost faces or edges along each axis."""
    for axis, k in (("Z", 2), ("X", 0), ("Y", 1)):
        for sign, direction in ((">", 1.0), ("<", -1.0)):
            end = max((direction * p.centre[k] for p in step.left.values()), default=0.0)
            yield _left(
                step, f"{sign}{axis}", partial(_past, k=k, direction=direction, end=end - APART)
            )


def _past(pick: Pick, k: int, direction: float, end: float) -> bool:
    return direction * pick.centre[k] >= end


def _by_numbers(step: SelectorStep, wanted: Pick, order: str) -> SelectorStep:
    """By the index of its position among the positions along the axes of `order` in turn."""
    for axis in order:
        k = "XYZ".index(axis)
        positions: list[float] = []
        for position in sorted(p.centre[k] for p in step.left.values()):
            if not positions or position > positions[-1] + APART:
                positions.append(position)
        at = sum(position <= wanted.centre[k] + 0.5 * APART for position in positions) - 1
        if at < 0:
            return SelectorStep(step.text, {})
        step = _left(step, f">>{axis}[{at}]", partial(_near, k=k, position=positions[at]))
    return step


def _near(pick: Pick, k: int, position: float) -> bool:
    return abs(pick.centre[k] - position) <= APART
