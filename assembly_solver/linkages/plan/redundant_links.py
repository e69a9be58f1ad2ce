"""Redundant links and slots, which are excluded from the plan.

What the pebble game rejects is redundant in every geometry.  Where it finds no motion left for an
actuator, special dimensions may leave one, as with a third crank of a parallelogram: then what is
dependent at the start is excluded.  Either way it is checked in every state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...foundations.numerics.rounding import RANK
from ...foundations.types import Array
from ..scheme.scheme import Scheme, SchemeLink, SchemeSlot
from .pebble_counting import ACTUATOR, BAR, SLOT, MixedGraph

Part = tuple[str, int]


def independent(scheme: Scheme) -> tuple[Scheme, tuple[SchemeLink | SchemeSlot, ...]]:
    """The scheme without redundant bars and slots, and these."""
    graph = MixedGraph(scheme)
    accepted = graph.play().accepted
    rejected = [part for part, ok in zip(graph.source, accepted, strict=True) if not ok]
    if any(kind == ACTUATOR for kind, _ in rejected):
        rejected = _dependent(scheme, graph)
    bars = [n for kind, n in dict.fromkeys(rejected) if kind == BAR]
    slots = [n for kind, n in dict.fromkeys(rejected) if kind == SLOT]
    if not bars and not slots:
        return scheme, ()
    return _without(scheme, bars, slots), (
        *(scheme.links[n] for n in bars),
        *(scheme.slots[n] for n in slots),
    )


def _without(scheme: Scheme, bars: list[int], slots: list[int]) -> Scheme:
    """A scheme without some links and slots; points of removed links may stay."""
    remaining = [n for n in range(len(scheme.links)) if n not in bars]
    number = {old: new for new, old in enumerate(remaining)}
    others = (slot for n, slot in enumerate(scheme.slots) if n not in slots)
    return replace(
        scheme,
        links=tuple(scheme.links[n] for n in remaining),
        slots=tuple(replace(slot, link=number[slot.link]) for slot in others),
    )


def _dependent(scheme: Scheme, graph: MixedGraph) -> list[Part]:
    """The parts whose rows depend on those before them at the start, bars and slots last."""
    parts: list[Part] = [("link", n) for n in range(1, len(scheme.links)) if n in graph.bodies]
    parts += [(BAR, n) for n in range(1, len(scheme.links)) if n not in graph.bodies]
    parts += [(SLOT, n) for n in range(len(scheme.slots))]
    basis: list[Array] = []
    out: list[Part] = []
    for part in parts:
        for row in _rows(scheme, part):
            rest = row.copy()
            for _ in range(2):  # once more: what is left may be rounding of the first
                for known in basis:
                    rest -= (rest @ known) * known
            left = float(np.linalg.norm(rest))
            if left > RANK * float(np.linalg.norm(row)):
                basis.append(rest / left)
            else:
                out.append(part)
    return out


def _rows(scheme: Scheme, part: Part) -> Iterator[Array]:
    """The gradients of a link's or a slot's equations, by the points that move."""
    z, (kind, number) = scheme.start, part
    if kind == SLOT:
        slot = scheme.slots[number]
        a, b = slot.ends
        along = (z[b] - z[a]) / abs(z[b] - z[a])
        share = ((z[slot.point] - z[a]) * along.conjugate()).real / abs(z[b] - z[a])
        across = 1j * along
        yield _row(scheme, {slot.point: across, a: -(1 - share) * across, b: -share * across})
        return
    a, *others = scheme.links[number].points
    b = max(others, key=lambda p: abs(z[p] - z[a]), default=a)
    if b == a:
        return
    along = (z[b] - z[a]) / abs(z[b] - z[a])
    yield _row(scheme, {a: -along, b: along})
    for p in others:
        if p != b and kind != BAR:
            ratio = (z[p] - z[a]) / (z[b] - z[a])
            for unit in (1.0 + 0j, 1j):
                rotated = ratio.conjugate() * unit
                yield _row(scheme, {p: unit, a: rotated - unit, b: -rotated})


def _row(scheme: Scheme, forces: dict[int, complex]) -> Array:
    """Forces at points as one vector; those at points of the ground are dropped."""
    ground = set(scheme.links[0].points)
    out = np.zeros((len(scheme.points), 2))
    for p, force in forces.items():
        if p not in ground:
            out[p] += (force.real, force.imag)
    return out.ravel()
