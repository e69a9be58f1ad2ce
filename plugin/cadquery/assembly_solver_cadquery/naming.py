"""The query of a shape: CadQuery keeps the shape that a query found, not the query.

A query that finds it again is made from where its centre lies among those of its object, one that
finds nothing else if possible; CadQuery has to find the shape by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import cadquery as cq
import numpy as np
from OCP.Precision import Precision

from .places import part_and_place, pose_of
from .taken import typed

KINDS = {"Face": "faces", "Edge": "edges", "Vertex": "vertices", "Wire": "wires"}
"""Methods of a workplane by the type of what they select."""

NEAR: float = Precision.Confusion_s()
"""Largest distance of two centres at one place, mm: that of points of the modeller."""

LEVEL = 1e-4
"""A setting of CadQuery: distance from which it tells centres apart, mm."""


class ShapesOfObject(NamedTuple):
    """The faces, edges, ... of an object: shapes, their centres, (n, 3) mm, and their types."""

    shapes: list[Any]
    centres: Any
    types: list[str]


class QueryNames:
    """Queries of the shapes of one assembly."""

    def __init__(self, assy: cq.Assembly) -> None:
        self.assy = assy
        self._known: dict[tuple[str, str], ShapesOfObject] = {}

    def query(self, constraint: Any, k: int) -> str:
        """The query of end k of a constraint; its part and place where none is found."""
        part, shape = constraint.objects[k], constraint.args[k]
        if not isinstance(shape, cq.Shape):
            return str(part)
        shape, place = typed(shape), pose_of(constraint.sublocs[k])
        for name, inner in self.assy.objects.items():
            inside = name == part or name.startswith(f"{part}/")
            if inside and inner.obj is not None and part_and_place(self.assy, name)[1] == place:
                found = self._on(name, inner.obj, shape)
                if found is not None:
                    return f"{name}{found}"
        x, y, z = shape.Center().toTuple()
        return f"{part} {shape.ShapeType().lower()} at ({x:.6g}, {y:.6g}, {z:.6g})"

    def _on(self, name: str, owner: Any, shape: cq.Shape) -> str | None:
        """What follows the name of an object in the query of a shape of it; None: not found."""
        start = cq.Workplane().add(owner)
        if _same(start.val(), shape):
            return ""
        for tag, tagged in owner.ctx.tags.items() if isinstance(owner, cq.Workplane) else ():
            if tagged.objects and _same(tagged.val(), shape):
                return f"?{tag}"
        kind = KINDS.get(shape.ShapeType())
        if kind is None:
            return None
        if (name, kind) not in self._known:
            self._known[name, kind] = _shapes(getattr(start, kind)().vals())
        for selector in _selectors(self._known[name, kind], shape):
            if _same(getattr(start, kind)(selector).val(), shape):
                return f"@{kind}@{selector}"
        return None


def _shapes(found: list[Any]) -> ShapesOfObject:
    centres = np.array([shape.Center().toTuple() for shape in found]).reshape(-1, 3)
    return ShapesOfObject(found, centres, [shape.geomType() for shape in found])


def _selectors(of: ShapesOfObject, shape: cq.Shape) -> Iterator[str]:
    """Selectors that leave a shape, those that leave nothing else first, the shortest first."""
    every = list(enumerate(of.shapes))
    equals = (n for same in (cq.Shape.isSame, _same) for n, other in every if same(other, shape))
    number = next(equals, None)
    if number is None:
        return
    ends, inner = _levels(of, number)
    round_ = {f"%{of.types[number]}": {n for n, t in enumerate(of.types) if t == of.types[number]}}
    tried = [*ends.items()]
    if of.types[number] in ("CIRCLE", "CYLINDER"):
        tried = [*ends.items(), *round_.items()]
    pairs = list(combinations([*round_.items(), *ends.items()], 2))
    tried += [(f"{a} and {b}", left & right) for (a, left), (b, right) in pairs]
    tried += inner.items()
    triples = combinations(ends.items(), 3)
    tried += [
        (" and ".join(k for k, _ in t), set.intersection(*(v for _, v in t))) for t in triples
    ]
    alone = [selector for selector, left in tried if len(left) == 1]
    yield from dict.fromkeys([*alone, *(s for s, left in tried if min(left) == number)])


def _levels(of: ShapesOfObject, number: int) -> tuple[dict[str, set[int]], dict[str, set[int]]]:
    """Selectors by the level of a centre along each axis, with the shapes at that level.

    The first are those of the outermost levels, as ">Z", the others count from there, ">>Z[-2]".
    """
    ends: dict[str, set[int]] = {}
    inner: dict[str, set[int]] = {}
    for axis, k in (("Z", 2), ("Y", 1), ("X", 0)):
        order = np.argsort(of.centres[:, k])
        steps = np.diff(of.centres[order, k], prepend=-np.inf) > LEVEL
        level = np.empty(len(order), int)
        level[order] = np.cumsum(steps) - 1
        same = set(np.flatnonzero(level == level[number]).tolist())
        top = int(level.max())
        if top and level[number] == top:
            ends[f">{axis}"] = same
        elif top and level[number] == 0:
            ends[f"<{axis}"] = same
        elif top:
            inner[f">>{axis}[{level[number] - top - 1}]"] = same
    return ends, inner


def _same(found: Any, shape: cq.Shape) -> bool:
    """Whether two shapes are one, or of one type at one place (as in a copy of an assembly)."""
    if not isinstance(found, cq.Shape) or found.ShapeType() != shape.ShapeType():
        return False
    if found.isSame(shape):
        return True
    gap: float = (typed(found).Center() - shape.Center()).Length
    return gap < NEAR and abs(found.Area() - shape.Area()) < NEAR * max(1.0, shape.Area())
