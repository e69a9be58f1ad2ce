"""A part in every hole of a selection, with its mates."""

from __future__ import annotations

from math import dist
from typing import Any

import cadquery as cq
import numpy as np

import assembly_solver as asm

from .kept import kept
from .naming import NEAR
from .places import free_name, location_of
from .queries import QueryResult, found, found_each
from .verbs import mate


@asm.refusing_others
def pattern(
    assy: cq.Assembly,
    seed: Any,
    holes: str,
    kind: str | type[asm.Mate] = "coaxial",
    *,
    name: str | None = None,
    **parameters: Any,
) -> list[str]:
    """Mate a part with the first thing that a query picks, and repeat it for each of the others.

    The copies have the shape and the colour of the part, and all its mates, displaced from the
    first thing to theirs: mates that it had before, and those that it gets later.

    Args:
        seed: a query on the part, as "bolt@faces@%CYLINDER".
        holes: a query that picks several things, as "plate@faces@>Z@edges@%CIRCLE@radius=4.5": all
            circles of that radius of the top face.  They are parallel.
        kind, parameters: of the mate, as of `mate`.
        name: of the pattern; its copies are "name[1]", ...; by default the part's with an "s".

    Returns:
        The names of the part and of its copies, in the order of what was picked.

    Raises:
        AssemblySolverError: the things are not parallel, or cylinders of different lengths; then
            nothing is added.
    """
    own, one, each = kept(assy), found(assy, seed), found_each(assy, holes)
    moves = _displacements(each, holes)
    child = next((c for c in assy.children if c.name == one.part), None)
    if child is None:
        raise asm.AssemblySolverError(f"pattern: {one.part!r} is no part that can be repeated")
    called = free_name(f"{one.part} in {each[0].part}", own.held)
    made = mate(assy, each[0], one, kind, name=called, **parameters)
    name = name or free_name(f"{one.part}s", own.parts)
    if not moves:
        return [one.part]
    copies = [f"{name}[{k}]" for k in range(1, len(each))]
    try:
        taken = [copy for copy in copies if copy in assy.objects]
        if taken:
            raise asm.AssemblySolverError(f"pattern {name!r}: there is already a part {taken[0]!r}")
        own.add_pattern(name, one.part, moves)
    except asm.AssemblySolverError:
        own.remove(made.name)
        raise
    for copy in copies:
        assy.add(child, name=copy, loc=location_of(own.parts[copy].pose))
    return [one.part, *copies]


def _displacements(each: list[QueryResult], query: str) -> list[asm.Pose]:
    """From the first of the things picked to each of the others, in the frame of their part."""
    picks = [x.pick for x in each if x.pick is not None]
    frames = [np.array(x.reading(p.feature).frame) for x, p in zip(each, picks, strict=True)]
    first = frames[0]
    for pick, frame in zip(picks, frames, strict=True):
        if dist(frame[9:], first[9:]) > NEAR:
            told = f"{picks[0].words} and {pick.words} are not parallel"
            raise asm.AssemblySolverError(f"pattern: {query!r} picks things of which {told}")
        if abs(pick.span[1] - picks[0].span[1]) > NEAR:
            told = f"{picks[0].words} and {pick.words} differ in length"
            better = "pick their circles on a face, as 'plate@faces@>Z@edges@%CIRCLE'"
            raise asm.AssemblySolverError(f"pattern: {query!r}: {told}; {better}")
    return [asm.Pose(tuple((frame[:3] - first[:3]).tolist())) for frame in frames[1:]]
