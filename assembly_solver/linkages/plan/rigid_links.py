"""Links that cannot move against each other, and the linkage with each set of them merged.

Of these only links that share two points fit together in one way: they are one link from the first
(`pinned_together`).  Others, as three bars of a triangle, can also be put together mirrored: a plan
for running follows what is drawn, circuits are of every way (`united`).

The largest such sets are the rigid components of the pebble game: no subsets of links are tried.
What counting calls rigid may still move, as a parallelogram with three cranks does, by its special
dimensions.  Links of such a set stay separate.

Source: MotionGen, section 6, equation (28); docs/theory/dyads.md, 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ...foundations.graphs.pebble_game import play
from ...foundations.numerics.rounding import AGREEMENT, FAINT, ROUNDING
from ...foundations.types import Array
from ..scheme.scheme import Scheme, SchemeLink

Links = tuple[int, ...]
"""Numbers of links, ascending."""


def merged(scheme: Scheme) -> Scheme:
    """The linkage with one link for each set of links that cannot move against each other.

    Points keep their numbers, links the order of their first ones; the link of the ground stays the
    first.  Slots that lie within one link are dropped, for they always hold.
    """
    return joined(scheme, rigid_sets(scheme))


def pinned_together(scheme: Scheme) -> Scheme:
    """The linkage with one link for each set of links that share two points, as plates on two pins.

    What is merged is looked at again: together links may share two points with a third.  This comes
    before counting, which takes one of two such links as redundant, with points of its own.
    """
    links: dict[int, Links] = {n: (n,) for n in range(len(scheme.links))}
    points = {n: set(link.points) for n, link in enumerate(scheme.links)}
    parts_at = [set(numbers) for numbers in scheme.links_at]
    pending = set(links)
    while pending:
        one = pending.pop()
        shared: dict[int, set[int]] = {}
        for point in points.get(one, ()):
            for other in parts_at[point] - {one}:
                shared.setdefault(other, set()).add(point)
        for other in (k for k, common in shared.items() if _two_apart(scheme, common)):
            pending.add(one)
            links[one] += links.pop(other)
            for point in points[other]:
                parts_at[point] = parts_at[point] - {other} | {one}
            points[one] |= points.pop(other)
    return joined(scheme, sorted(tuple(sorted(part)) for part in links.values()))


def united(scheme: Scheme, rigid: Sequence[Links]) -> Scheme:
    """The linkage with one link for each set of links that fit together in one way only.

    Links are taken so that hold each other more than once (`held_twice`).

    Args:
        scheme: without links that share two points (`pinned_together`); rigid: its `rigid_sets`.
    """
    sets = list[Links]()
    for links in rigid:
        sets += [links] if _joints_too_many(scheme, links) > 0 else [(n,) for n in links]
    return joined(scheme, sorted(sets))


def held_twice(scheme: Scheme, rigid: Sequence[Links]) -> list[Links]:
    """The rigid sets with more joints than they need, which may fit together in other ways."""
    return [links for links in rigid if _joints_too_many(scheme, links) > 0]


def _joints_too_many(scheme: Scheme, links: Links) -> int:
    """Equations of the joints between the links of a rigid set beyond their freedoms."""
    points = [scheme.links[n].points for n in links]
    every = set().union(*points)
    pins = sum(map(len, points)) - len(every)
    slots = sum(
        slot.link in links and slot.point in every.difference(scheme.links[slot.link].points)
        for slot in scheme.slots
    )
    return 2 * pins + slots - 3 * (len(links) - 1)


def _two_apart(scheme: Scheme, points: set[int]) -> bool:
    """Whether two of some points are not at one place."""
    z, near = [scheme.start[p] for p in points], AGREEMENT * scheme.size
    return any(abs(x - z[0]) > near for x in z)


def joined(scheme: Scheme, sets: Sequence[Links]) -> Scheme:
    """The linkage with one link for each set of links."""
    if len(sets) == len(scheme.links):
        return scheme
    number = {link: new for new, links in enumerate(sets) for link in links}
    links = tuple(_union([scheme.links[link] for link in links]) for links in sets)
    slots = (replace(slot, link=number[slot.link]) for slot in scheme.slots)
    remaining = tuple(slot for slot in slots if slot.point not in links[slot.link].points)
    return replace(scheme, links=links, slots=remaining)


def rigid_sets(scheme: Scheme) -> tuple[Links, ...]:
    """Sets of links that cannot move against each other; each set and the whole are ascending."""
    found = _rigid_sets(scheme, [n for n, link in enumerate(scheme.links) if link.sized])
    alone = set(range(len(scheme.links))).difference(*found)
    return tuple(sorted([*found, *((link,) for link in alone)]))


def _rigid_sets(scheme: Scheme, links: Iterable[int]) -> list[Links]:
    """Sets of two links or more that are rigid both by counting and at the start."""
    found = []
    for counted in _counted(scheme, links):
        standing = _moving_alike(scheme, counted)
        if len(standing) == 1:
            found.append(counted)
        else:
            found += [s for links in standing if len(links) > 1 for s in _rigid_sets(scheme, links)]
    return found


def _union(links: Iterable[SchemeLink]) -> SchemeLink:
    links = tuple(links)
    if len(links) == 1:
        return links[0]
    points = sorted({point for link in links for point in link.points})
    return SchemeLink(" + ".join(link.name for link in links), tuple(points))


def _counted(scheme: Scheme, links: Iterable[int]) -> list[Links]:
    """Sets of two links or more, among some, that are rigid in general position.

    Unlike in the graph of a plan the ground has points here as any link has: what turns about one
    of them, a slider on the far joint of its slot, is rigid with it and not with the ground.

    Source: the mixed graph of bodies and points, docs/theory/mobility.md, 3; bars are edges.
    """
    slots = [slot for slot in scheme.slots if slot.point not in scheme.links[slot.link].points]
    slotted = {slot.link for slot in slots}
    freedoms, edges = [2] * len(scheme.points), list[tuple[int, int]]()
    vertices: dict[int, tuple[int, ...]] = {}  # of each link: its body, or the ends of a bar
    for number in links:
        points = scheme.links[number].points
        if len(points) == 2 and number not in slotted:
            vertices[number] = points
            edges.append((points[0], points[1]))
            continue
        body = len(freedoms)
        freedoms.append(3)
        vertices[number] = (body,)
        edges += [(body, point) for point in points for _ in range(2)]
    edges += [(vertices[slot.link][0], slot.point) for slot in slots if slot.link in vertices]
    components = map(set, play(freedoms, edges).rigid_components())
    inside = (tuple(n for n, v in vertices.items() if c.issuperset(v)) for c in components)
    return [found for found in inside if len(found) > 1]


def _moving_alike(scheme: Scheme, links: Links) -> list[Links]:
    """Sets of links, among some, that move alike in every motion possible at the start."""
    _, values, motions = np.linalg.svd(_velocity_equations(scheme, links))
    free = motions[int((values > ROUNDING * values[0]).sum()) :].reshape(-1, len(links), 3)
    sets: dict[int, list[int]] = {}
    for place, link in enumerate(links):
        alike = (k for k in sets if np.abs(free[:, place] - free[:, k]).max() < FAINT)
        sets.setdefault(next(alike, place), []).append(link)
    return [tuple(found) for found in sets.values()]


def _velocity_equations(scheme: Scheme, links: Links) -> Array:
    """Velocity equations between links, a row each, shape (equations, 3 links).

    A motion is (velocity at a common point, angular velocity) of each link, in units of their
    extent.  A shared point has one velocity; a point in a slot stays on its line.
    """
    points = sorted({point for link in links for point in scheme.links[link].points})
    across = np.ptp(scheme.at[points], axis=0).max()
    arms = (scheme.at - scheme.at[points].mean(axis=0)) / (across if across else 1.0)

    def against(point: int, one: int, other: int) -> Array:
        """Velocity of a point on one link less that on another, shape (2, 3 links)."""
        x, y = arms[point]
        velocity = np.array([[1.0, 0.0, -y], [0.0, 1.0, x]])
        out = np.zeros((2, len(links), 3))
        out[:, links.index(one)], out[:, links.index(other)] = velocity, -velocity
        return out.reshape(2, -1)

    rows = []
    for point in points:
        carriers = [link for link in scheme.links_at[point] if link in links]
        rows += [against(point, carriers[0], other) for other in carriers[1:]]
        for slot in scheme.slots:
            if slot.point == point and slot.link in links and slot.link not in carriers:
                x, y = arms[slot.ends[1]] - arms[slot.ends[0]]
                normal = np.array([[-y, x]]) / np.hypot(x, y)
                rows.append(normal @ against(point, carriers[0], slot.link))
    return np.concatenate(rows)
