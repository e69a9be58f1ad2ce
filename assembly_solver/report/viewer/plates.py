"""Meshes for the links of a drawing: plates around their pins, stacked along the normal.

Links that share a pin get different levels on it, as they would be built; the ground is the board
below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from math import pi

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array, Ints
from ...model.building.drawing import Drawing, DrawnSlot
from ..page.outlines import hull
from .triangles import EMPTY, TriangleMesh, ball, fan, pin, wall

HALF, BOARD, PIN, HOLE = 1.3, 2.6, 0.75, 0.85
"""Half the width of a bar, margin of the board around its pins, radii of pins and of slots, in
units of the radius that is derived from the size of the assembly."""

THICK, STEP = 1.5, 1.9
"""Thickness of a plate, and distance of levels, in the same units."""

TURN = pi / 10.0
"""Angle between adjacent corners of a round end, rad."""


def plates(drawing: Drawing, radius: float) -> dict[str, TriangleMesh]:
    """A mesh for each link by name, in the coordinates of the drawing; `radius`: unit of sizes, mm.

    The pins of the drawing are at the coordinates that the frames of the links give them.
    """
    heights = layers(drawing)
    meshes: dict[str, list[TriangleMesh]] = {name: [] for name in drawing.links}
    for name, link in drawing.links.items():
        at = np.array([drawing.pins[p] for p in link.pins])
        slots = [slot for slot in drawing.slots.values() if slot.link == name]
        low = (heights[name] * STEP - 0.5 * THICK) * radius
        meshes[name] += _plate(drawing, at, slots, link.grounded, low, radius)
    for name, place in drawing.pins.items():
        owner, shape = _pin(drawing, name, np.array(place), heights, radius)
        if owner:
            meshes[owner].append(shape)
    return {name: reduce(TriangleMesh.__add__, found, EMPTY) for name, found in meshes.items()}


def layers(drawing: Drawing) -> dict[str, int]:
    """A level for each link by name: 0 for the ground, different ones for links that meet.

    Slots of the ground are rails on level 1, which is kept free of the links that slide in them.
    """
    found: dict[str, int] = {}
    rails = {p for s in drawing.slots.values() if drawing.links[s.link].grounded for p in s.pins}
    for name, link in sorted(drawing.links.items(), key=lambda entry: not entry[1].grounded):
        near = {other for p in link.pins for other in drawing.links_at(p)}
        for slot in drawing.slots.values():
            if slot.link == name:
                near |= {other for p in slot.pins for other in drawing.links_at(p)}
            elif set(slot.pins) & set(link.pins):
                near.add(slot.link)
        taken = {found[other] for other in near if other in found}
        taken |= {1} if rails & set(link.pins) else set()
        first = 0 if link.grounded else 1
        free = (k for k in range(first, len(drawing.links) + 2) if k not in taken)
        found[name] = 0 if link.grounded else next(free)
    return found


def _plate(
    drawing: Drawing, at: Array, slots: list[DrawnSlot], grounded: bool, low: float, radius: float
) -> list[TriangleMesh]:
    """A link around its pins; one slot is a hole in it, slots of the ground are rails on it."""
    outer = rounded(at, (BOARD if grounded else HALF + 0.8 * bool(slots)) * radius)
    tips = [np.array([drawing.pins[end] for end in slot.ends]) for slot in slots]
    if len(tips) == 1 and not grounded:
        return [prism(outer, low, low + THICK * radius, rounded(tips[0], HOLE * radius))]
    out, above = [prism(outer, low, low + THICK * radius)], low + STEP * radius
    for ends in tips:
        rail, hole = rounded(ends, 2.0 * HALF * radius), rounded(ends, HOLE * radius)
        out.append(prism(rail, above, above + THICK * radius, hole))
    return out


def _pin(
    drawing: Drawing, name: str, place: Array, heights: Mapping[str, int], radius: float
) -> tuple[str, TriangleMesh]:
    """The link to which a pin belongs, and the mesh of the pin through all links that it joins.

    A point on one link is a ball on it; ends of slots have no mesh.
    """
    links = drawing.links_at(name)
    slots = [drawing.slots[s].link for s in drawing.slots_with(name)]
    if not links or (len(links) == 1 and not slots):
        ends = {end for slot in drawing.slots.values() for end in slot.ends}
        if not links or name in ends or drawing.links[links[0]].grounded:
            return "", EMPTY
        top = (heights[links[0]] * STEP + 0.5 * THICK) * radius
        return links[0], ball(np.array([*place, top]), PIN * radius)
    levels = [heights[link] for link in links]
    levels += [1 if drawing.links[slot].grounded else heights[slot] for slot in slots]
    owner = min(links, key=lambda link: not drawing.links[link].grounded)
    low = (min(levels) * STEP - 0.7 * THICK) * radius
    high = (max(levels) * STEP + 0.7 * THICK) * radius
    return owner, pin(np.array([*place, low]), np.array([*place, high]), PIN * radius)


def rounded(places: Array, radius: float) -> Array:
    """Corners, (n, 2), of the convex hull of points offset by a radius, anticlockwise."""
    corners = hull(places)
    if len(corners) == 1:
        return np.asarray(corners[0] + radius * _circle(0.0, 2.0 * pi - TURN))
    out = []
    for k, corner in enumerate(corners):
        sides = corner - corners[k - 1], corners[(k + 1) % len(corners)] - corner
        begin, end = (float(np.arctan2(-side[0], side[1])) for side in sides)
        turn = (end - begin) % (2.0 * pi)
        out.append(corner + radius * _circle(begin, begin + turn))
    return np.vstack(out)


def _circle(begin: float, end: float) -> Array:
    """Unit vectors from one direction to another, rad."""
    turns = np.linspace(begin, end, max(2, int(np.ceil(abs(end - begin) / TURN - AGREEMENT)) + 1))
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def prism(outer: Array, low: float, high: float, hole: Array | None = None) -> TriangleMesh:
    """A plate between two heights, its outline and its hole convex: anticlockwise, (n, 2) mm.

    Both are star-shaped about the centre of the hole.
    """
    loops = [outer] if hole is None else [outer, hole]
    flat = np.vstack(loops)
    cover = fan(len(outer)) if hole is None else _ring(outer, hole)
    faces = [
        TriangleMesh(_lifted(flat, z), turned, EMPTY.edges)
        for z, turned in ((low, cover[:, ::-1]), (high, cover))
    ]
    sides = [wall(_lifted(loop, low), _lifted(loop, high)) for loop in loops]
    faces.append(sides[0])
    faces += [replace(inward, triangles=inward.triangles[:, ::-1]) for inward in sides[1:]]
    return reduce(TriangleMesh.__add__, faces)


def _lifted(flat: Array, z: float) -> Array:
    return np.column_stack([flat, np.full(len(flat), z)])


def _ring(outer: Array, hole: Array) -> Ints:
    """Triangles between two loops, which are merged by the angle about the centre of the hole."""
    middle = hole.mean(axis=0)
    order = []
    for loop, first in ((outer, 0), (hole, len(outer))):
        turns = np.arctan2(*(loop - middle).T[::-1]) % (2.0 * pi)
        begin = int(np.argmin(turns))
        numbers = np.roll(np.arange(len(loop)), -begin)
        order.append((numbers + first, np.append(np.roll(turns, -begin), 2.0 * pi + turns[begin])))
    (a, at), (b, bt) = order
    i, j, out = 0, 0, []
    while i < len(a) or j < len(b):
        here = a[i % len(a)], b[j % len(b)]
        if j == len(b) or (i < len(a) and at[i + 1] <= bt[j + 1]):
            i += 1
            out.append((here[0], a[i % len(a)], here[1]))
        else:
            j += 1
            out.append((here[0], b[j % len(b)], here[1]))
    return np.array(out)
