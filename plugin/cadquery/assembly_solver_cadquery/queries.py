"""Queries that select a face, edge, vertex or frame of a part.

"lid@faces@>Z"                 CadQuery's syntax: object, kind, selector
"lid?hinge"                    the shape with a tag; "lid?hinge@edges@%CIRCLE" selects in it
"lid@faces@%CYLINDER@>X"       several selectors, one after the other
"lid.origin", "lid.z"          features of every part: origin, x, y, z, xy, yz, zx
("lid", shape)                 a shape of CadQuery, in the object's coordinates
("lid", location), ("lid", plane)     a frame in the object's coordinates
("lid", asm.Axis(...))         a feature in the object's coordinates
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import cadquery as cq

import assembly_solver as asm

from .places import STILL, listed, part_and_place, pose_of, unknown

OWN = ("origin", "x", "y", "z", "xy", "yz", "zx")
"""Features that every part has."""


class QueryResult(NamedTuple):
    """The result of a query.

    Attributes:
        part: its name; place: the pose of the object in the part; label: for messages.
        pick: its readings in the object's coordinates; None for a feature that the part has.
        query: the query as text, for names.
    """

    part: str
    place: asm.Pose
    label: str
    pick: asm.Pick | None
    query: str

    def reading(self, feature: asm.Feature) -> asm.Feature:
        """A reading in the frame of the part."""
        return feature if self.place == STILL else feature.moved(self.place.frame.tolist())


def found(assy: cq.Assembly, query: Any) -> QueryResult:
    """The result of a query in an assembly; raises an error that lists what is possible."""
    if isinstance(query, QueryResult):
        return query
    if isinstance(query, str):
        return _text(assy, query)
    if isinstance(query, tuple) and len(query) == 2 and isinstance(query[0], str):
        name, thing = query
        part, place = part_and_place(assy, name)
        kind = type(thing).__name__.lower()
        return QueryResult(part, place, _inside(part, name, kind), _pick(thing), f"{name}.{kind}")
    raise asm.AssemblySolverError(
        f"{query!r} is no query; it must be as 'part@faces@>Z' or ('part', shape)"
    )


def _text(assy: cq.Assembly, query: str) -> QueryResult:
    name, tag, select = _split(assy, query)
    owner, _, own = name.rpartition(".")
    if name not in assy.objects and not tag and not select and own in OWN:
        part, place = part_and_place(assy, owner)
        if place == STILL:
            return QueryResult(part, place, own, None, name)
        given = asm.Part(owner).feature(own)
        return QueryResult(part, place, _inside(part, owner, own), given_pick(given), name)
    part, place = part_and_place(assy, name)
    selected = _selected(tag, select)
    label = _inside(part, name, selected)
    pick = asm.pick(_base(assy, name, tag), select, f"query {query!r}")
    if not tag and not select:
        pick = replace(pick, kind=f"{name} as a whole")
    return QueryResult(part, place, label.lstrip("@"), pick, f"{name}{selected}")


def found_each(assy: cq.Assembly, query: str) -> list[QueryResult]:
    """Every thing that a query with selectors picks, numbered from 1 in its label."""
    name, tag, select = _split(assy, query)
    part, place = part_and_place(assy, name)
    selected = _selected(tag, select)
    label = _inside(part, name, selected).lstrip("@")
    picks = asm.picks(_base(assy, name, tag), select, f"query {query!r}")
    return [
        QueryResult(part, place, f"{label} {k}", pick, f"{name}{selected} {k}")
        for k, pick in enumerate(picks, 1)
    ]


def _split(assy: cq.Assembly, query: str) -> tuple[str, str, str]:
    """The object, the tag and the selector of a query."""
    query = query.strip()
    name = _longest(assy, query)
    head, _, select = (word.strip() for word in query[len(name) :].partition("@"))
    before, _, tag = (word.strip() for word in head.partition("?"))
    return f"{name}{before}", tag, select


def _selected(tag: str, select: str) -> str:
    return (f"?{tag}" if tag else "") + (f"@{select}" if select else "")


def _longest(assy: cq.Assembly, query: str) -> str:
    """The longest name of an object that a query begins with; names may contain @ and ?."""
    names = [name for name in assy.objects if query.startswith(name)]
    whole = [name for name in names if query[len(name) :].lstrip()[:1] in ("", "@", "?")]
    return max(whole, key=len, default="")


def _inside(part: str, name: str, label: str) -> str:
    """A label that includes the object inside a rigid sub-assembly."""
    if name == part:
        return label or "shape"
    return f"{name.removeprefix(f'{part}/')}{'' if label[:1] in '?@' else ' '}{label}".strip()


def _base(assy: cq.Assembly, name: str, tag: str) -> cq.Workplane | cq.Shape:
    """The workplane or shape that a query selects from, as in CadQuery."""
    held = assy.objects[name].obj
    if held is None:
        shaped = [k for k, o in assy.objects.items() if o.obj is not None]
        inside = [k for k in shaped if k.startswith(f"{name}/")] or shaped
        told = f"object {name!r} has no shape of its own; {listed(inside)}"
        raise asm.AssemblySolverError(told)
    if not tag:
        return held
    tags = held.ctx.tags if isinstance(held, cq.Workplane) else {}
    if tag not in tags:
        raise unknown(f"tag on {name!r}", tag, list(tags))
    return tags[tag]


def _pick(thing: Any) -> asm.Pick:
    """The pick of the second element of a query tuple."""
    if isinstance(thing, cq.Plane):
        thing = thing.location
    if isinstance(thing, cq.Location):
        f = pose_of(thing).frame.tolist()
        return given_pick(asm.Frame(tuple(f[:3]), tuple(f[9:]), tuple(f[3:6])))
    if isinstance(thing, cq.Vector):
        return given_pick(asm.Point(thing.toTuple()))
    if isinstance(thing, asm.Feature):
        return given_pick(thing)
    if isinstance(thing, cq.Workplane):
        return asm.pick(cq.Workplane().add(thing))
    if isinstance(thing, cq.Shape):
        return asm.pick(thing)
    wanted = "a shape, a location, a plane, a vector or a feature"
    raise asm.AssemblySolverError(f"{thing!r} is not possible in a query, it must be {wanted}")


def given_pick(feature: asm.Feature) -> asm.Pick:
    """The pick of a given feature, which has no other readings."""
    x, y, z = feature.frame[:3]
    return asm.Pick(type(feature).__name__.lower(), feature, (), (x, y, z), 0.0)
