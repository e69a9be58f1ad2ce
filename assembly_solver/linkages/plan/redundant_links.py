"""Redundant links and slots, whose equations are excluded from the plan.

What the pebble game rejects is redundant in every geometry.  Special dimensions may leave a motion
where counting finds none, as with a third crank of a parallelogram: then what is dependent about
the start is excluded.  Either way it is checked in every state.

Of a redundant link only what others hold is excluded: its length, or a point of it.  Its other
points follow from those that are placed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..scheme.scheme import Scheme, SchemeLink, SchemeSlot
from .construction_order import construction_order
from .dependent_rows import Dependent, LinkageRows
from .pebble_counting import ACTUATOR, BAR, SLOT, MixedGraph
from .rigid_links import held_twice, rigid_sets, united

Redundant = tuple[SchemeLink | SchemeSlot, ...]


def independent(scheme: Scheme) -> tuple[Scheme, Redundant]:
    """The scheme without redundant equations, and the links and slots that they are of."""
    if all(MixedGraph(scheme).play().accepted):
        return scheme, ()
    special = independent_here(scheme)
    if special is not None:
        return special
    graph = MixedGraph(scheme, construction_order(scheme))
    rejected = [x for x, ok in zip(graph.source, graph.play().accepted, strict=True) if not ok]
    bars = [n for kind, n in dict.fromkeys(rejected) if kind == BAR]
    slots = [n for kind, n in dict.fromkeys(rejected) if kind == SLOT]
    ends = {n: scheme.links[n].points[0] for n in bars}
    return _without(scheme, Dependent(ends, [], slots))


def independent_here(scheme: Scheme) -> tuple[Scheme, Redundant] | None:
    """The same where more is redundant than by counting, and the linkage moves; else None.

    Of links that hold each other more than once bars are left out, so that these are put together
    in every way; where a link of more joints would be, they are one.
    """
    rigid, found = rigid_sets(scheme), _dependent(scheme)
    if found is None:
        return None
    larger = {n for n, _ in found.points} | {n for n in found.lengths if _joints(scheme, n) > 2}
    if any(larger.intersection(links) for links in held_twice(scheme, rigid)):
        scheme = united(scheme, rigid)
        found = _dependent(scheme)
    return None if found is None else _without(scheme, found)


def _joints(scheme: Scheme, link: int) -> int:
    """Number of points of a link that are on others, too."""
    return sum(len(scheme.links_at[p]) > 1 for p in scheme.links[link].points)


def _dependent(scheme: Scheme) -> Dependent | None:
    """What is redundant where that is more than by counting, and the linkage moves; else None."""
    graph = MixedGraph(scheme)
    accepted = graph.play().accepted
    counted = sum(
        kind != ACTUATOR for (kind, _), ok in zip(graph.source, accepted, strict=True) if not ok
    )
    rows = LinkageRows(scheme, graph, construction_order(scheme))
    found = rows.dependent() if rows.count_at_start > counted else None
    return found if found is not None and found.equations > counted else None


def group_depends(scheme: Scheme, known: Collection[int], links: Sequence[int]) -> bool:
    """Whether equations of some links depend on each other at the start, with other points known.

    Counting may take a group for one that its links determine which moves by special dimensions.
    """
    rows = LinkageRows(scheme, MixedGraph(scheme), links, known)
    return rows.count_at_start > 0


def _without(scheme: Scheme, dependent: Dependent) -> tuple[Scheme, Redundant]:
    """A scheme without some equations, and the links and slots that these are of."""
    lengths, points, slots = dependent
    concerned = sorted({*lengths, *(n for n, _ in points)}, key=lambda n: scheme.links[n].name)
    links = tuple(
        _loosened(link, lengths.get(n), [p for k, p in points if k == n])
        for n, link in enumerate(scheme.links)
    )
    remaining = tuple(slot for k, slot in enumerate(scheme.slots) if k not in slots)
    whole: Redundant = (*(scheme.links[n] for n in concerned), *(scheme.slots[k] for k in slots))
    return replace(scheme, links=links, slots=remaining), whole


def _loosened(link: SchemeLink, loose: int | None, released: Collection[int]) -> SchemeLink:
    """A link that need not hold its length, or some of its points."""
    points = tuple(p for p in link.points if p not in released)
    return replace(link, points=points, loose=loose)
