"""Dragging up to contact: a step that would bring two parts into contact ends before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundations.geometry.pose import compose_all, placed_points
from ...foundations.types import Array, Ints
from ...model.assembly import Assembly
from ...model.contact import ContactPairs
from ...structure.clusters import Bodies
from ..drag.drag_limits import DragResult, LimitedDrag, aimed, part_way
from ..drag.drag_step import ASKED, MOVED, RESIDUAL, Request
from .geometry import TriangleBody, inside, separation, triangle_bodies
from .watched_pairs import watched_pairs

HALVINGS = 8
"""Halvings of a step that would end in contact: it ends at most 1/256 of it before that."""


class _Pairs(NamedTuple):
    """The watched pairs.

    Attributes:
        parts: numbers of both, (pairs, 2); clear: a distance that they are apart at least, mm,
            (pairs,), at the last poses.
    """

    parts: Ints
    clear: Array


class _StepContacts(NamedTuple):
    """What a step does to the pairs.

    Attributes:
        hits: pairs in contact behind it; clear: distances of all pairs there, at the least, mm.
        passed: whether parts may have come into contact, and apart again, on the way.
    """

    hits: list[int]
    clear: Array
    passed: bool


class DragContacts:
    """The contacts that stop a drag.

    Args:
        assembly: with its geometry; bodies: of its plan; poses: of the bodies, (bodies, 12), world.

    Attributes:
        left_out: pairs that are not watched, with the reason.

    Raises UnknownName, FormatError, MissingExtra: as `triangle_bodies`.
    """

    def __init__(self, assembly: Assembly, bodies: Bodies, poses: Array) -> None:
        names = list(assembly.parts)
        self._names, self._bodies = names, bodies
        self._solid: dict[int, TriangleBody] = {
            names.index(n): b for n, b in triangle_bodies(assembly, names).items()
        }
        rigid = dict(zip(names, bodies.of_part.tolist(), strict=True))
        watched = watched_pairs(assembly, {names[k] for k in self._solid}, rigid)
        self.gap = (assembly.contact or ContactPairs()).gap
        self.left_out = dict(watched.left_out)
        numbers = np.array([[names.index(n) for n in p] for p in watched.pairs], np.int64)
        self._pairs = _Pairs(numbers.reshape(-1, 2), np.zeros(len(watched.pairs)))
        self._centre = np.zeros((len(names), 3))
        self._radius = np.zeros(len(names))
        for k, body in self._solid.items():
            self._centre[k], self._radius[k] = body.centre, body.radius
        self._leave_out_touching(self._parts(poses))

    def _leave_out_touching(self, frames: Array) -> None:
        apart = [self._apart(i, j, frames) for i, j in self._pairs.parts.tolist()]
        keep = np.array([d > 0.0 for d in apart], bool)
        for i, j in self._pairs.parts[~keep].tolist():
            self.left_out[self._names[i], self._names[j]] = "in contact where the drag begins"
        self._pairs = _Pairs(self._pairs.parts[keep], np.array(apart, float)[keep])

    def _parts(self, bodies: Array) -> Array:
        """Frames of the parts, (parts, 12), world."""
        return compose_all(bodies[self._bodies.of_part], self._bodies.relative)

    def _apart(self, i: int, j: int, frames: Array) -> float:
        """The distance of two parts less the gap, or of the spheres round them; mm."""
        at = placed_points(frames[[i, j]], self._centre[[i, j]])
        reach = self._radius[i] + self._radius[j] + self.gap
        far = float(np.linalg.norm(at[0] - at[1]) - reach)
        if far > 0.5 * min(self._radius[i], self._radius[j]):
            return far
        a, b, at_a, at_b = self._solid[i], self._solid[j], frames[i], frames[j]
        found = separation(a, at_a, b, at_b).distance
        return 0.0 if inside(a, at_a, b, at_b) else found - self.gap

    def _met(self, before: Array, after: Array) -> _StepContacts:
        """What a step from poses to poses of the bodies does to the pairs.

        A pair is looked at where its parts may have moved as far as they were apart.
        """
        old, new = self._parts(before), self._parts(after)
        way = self._moved(old, new)[self._pairs.parts].sum(axis=1)
        clear, hits, passed = self._pairs.clear - way, list[int](), False
        for k in np.flatnonzero(clear <= 0.0).tolist():
            i, j = self._pairs.parts[k].tolist()
            clear[k] = self._apart(i, j, new)
            if clear[k] <= 0.0:
                hits.append(k)
            shallow = min(self._solid[i].shallow, self._solid[j].shallow)
            passed |= bool(self._pairs.clear[k] + clear[k] + 2.0 * shallow < way[k])
        return _StepContacts(hits, clear, passed)

    def _moved(self, old: Array, new: Array) -> Array:
        """How far a point of each part may have moved, (parts,), mm."""
        centres = (placed_points(x, self._centre) for x in (new, old))
        turned = np.linalg.norm(new[:, 3:] - old[:, 3:], axis=1) / np.sqrt(2.0)
        out: Array = np.linalg.norm(np.subtract(*centres), axis=1) + self._radius * turned
        return out

    def take(
        self, course: LimitedDrag, bodies: Array, request: Request
    ) -> tuple[DragResult, tuple[str, ...]]:
        """A step of a drag as far as no parts come into contact, and the pairs that stop it."""
        result = course.take(bodies, request)
        step = self._met(bodies, result.bodies)
        if step.passed:  # half of it first, for parts may have passed each other
            first, stops = self.take(course, bodies, part_way(bodies, request, 0.5))
            if not stops:
                last, stops = self.take(course, first.bodies, request)
                moved = max(first.report[MOVED], last.report[MOVED])
                first, last.report[MOVED] = last, moved
            first.report[ASKED] = result.report[ASKED]
            return aimed(first, request), stops
        if not step.hits:
            self._pairs = self._pairs._replace(clear=step.clear)
            return result, ()
        return self._stopped(course, bodies, request, result, step)

    def _stopped(
        self,
        course: LimitedDrag,
        bodies: Array,
        request: Request,
        result: DragResult,
        step: _StepContacts,
    ) -> tuple[DragResult, tuple[str, ...]]:
        """The part of a step that ends in contact before which there is none, by bisection."""
        low, high, clear, hits = 0.0, 1.0, self._pairs.clear, step.hits
        best = DragResult(bodies, result.report.copy(), result.stops, -1)
        best.report[[MOVED, RESIDUAL]] = 0.0
        for _ in range(HALVINGS):
            share = 0.5 * (low + high)
            part = course.take(bodies, part_way(bodies, request, share))
            inner = self._met(bodies, part.bodies)
            if inner.hits:
                high, hits = share, inner.hits
            else:
                low, best, clear = share, part, inner.clear
        self._pairs = self._pairs._replace(clear=clear)
        best.report[ASKED] = result.report[ASKED]
        names = (self._names[k] for k in self._pairs.parts[hits[0]].tolist())
        return aimed(best, request), (" - ".join(names),)
