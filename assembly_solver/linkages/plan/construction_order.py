"""The order in which the links of a linkage count, where some of them are redundant.

First those by which its points are constructed one after the other, as in a plan; others follow by
name.  So what is left without the redundant ones needs no group where dyads do, and neither it nor
the names depend on the order of links.
"""

from __future__ import annotations

from ..scheme.scheme import Scheme
from .dyad_rules import ConstructionFinder
from .loci import KnownPoints, Locus

Found = tuple[tuple[int, ...], tuple[int, ...]]
"""Points, and the links that determine them."""


def construction_order(scheme: Scheme) -> list[int]:
    """Numbers of the links that move, in the order in which they count."""
    finder = ConstructionFinder(KnownPoints(scheme))
    used: dict[int, None] = {}
    while (found := _next(scheme, finder)) is not None:
        points, links = found
        finder.known.known |= set(points)
        used |= dict.fromkeys(links)
    others = sorted(range(len(scheme.links)), key=lambda n: scheme.links[n].name)
    return [n for n in dict.fromkeys([*used, *others]) if n]


def _next(scheme: Scheme, finder: ConstructionFinder) -> Found | None:
    """The next points; what follows from placed links needs no further one."""
    found = finder.followers()
    if found is not None:
        return found.points, ()
    found = finder.actuated() or finder.sliding()
    return _dyad(scheme, finder) if found is None else (found.points, found.links)


def _dyad(scheme: Scheme, finder: ConstructionFinder) -> Found | None:
    """The first point, by name, on two loci, with the first two by the names of their links."""

    def names(locus: Locus) -> list[str]:
        return [scheme.links[n].name for n in locus.links]

    unknown = set(range(len(scheme.points))) - finder.known.known
    for p in sorted(unknown, key=lambda p: scheme.points[p]):
        first: Locus | None = None
        for locus in sorted(finder.known.loci(p), key=names):
            if first is None:
                first = locus
            elif finder.differ(first, locus):
                return (p,), (*first.links, *locus.links)
    return None
