"""The steps of a plan, their components, and both as arrays for the compiled runner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..equations.sparse_block import Pattern, pattern
from ..equations.table import PLANE, SPACE
from ..foundations.geometry.nearest_motion import FREE
from ..foundations.graphs.dulmage_mendelsohn import Decomposition
from ..foundations.types import Array, Ints
from .clusters import Bodies
from .planar import Projection

CHECK, PLACE, SETTLE, ALIGN, PLACE_FLAT, SETTLE_FLAT, DENSE, SPARSE, VERIFY = range(9)
"""Actions of a step.  CHECK skips a component that holds as it stands; VERIFY looks at the end
whether all equations of a loop hold, those included that no block had."""

LARGEST_DENSE = 40
"""Columns from which a block is solved in sparse form with its whole component."""


class Program(NamedTuple):
    """The steps as arrays, for the compiled runner.

    step: (steps, 6): action, component, parent, child, kind, step behind the component.
    at, own: joint frames of the PLACE steps in parent and child coordinates.
    Rows, columns (body, unknown) and moving bodies of step s are those between first_*[s] and
    first_*[s + 1].  Flat components have theirs between first_flat[c] and first_flat[c + 1].
    """

    step: Ints
    at: Array
    own: Array
    first_row: Ints
    rows: Ints
    first_column: Ints
    column_body: Ints
    column_unknown: Ints
    first_body: Ints
    bodies: Ints
    first_flat: Ints
    flat_bodies: Ints
    flat_normal: Array
    flat_height: Array
    flat_group: Ints
    flat_groups: Ints


@dataclass(frozen=True)
class Step:
    """One step in the words of the structure, for programs and for people."""

    action: int
    component: int
    bodies: tuple[int, ...]
    rows: tuple[int, ...]
    unknowns: int
    parent: int = 0
    kind: int = FREE
    at: Array | None = None
    own: Array | None = None
    columns: tuple[tuple[int, int], ...] = ()


@dataclass(eq=False)
class Component:
    """A branch or a bundle of loops that hangs on its root body.

    `links` are the pairs of bodies that share a promise: those of `pairs`, and of wide promises.
    """

    root: int
    bodies: tuple[int, ...]
    pairs: tuple[int, ...]
    links: tuple[tuple[int, ...], ...]
    promises: tuple[int, ...]
    rows: Ints
    projection: Projection | None = None
    decomposition: Decomposition | None = None
    end_step: int = 0
    sparse: Pattern | None = None

    @property
    def loop(self) -> bool:
        """Whether it is a loop, not a branch."""
        return len(self.links) > 1

    @property
    def unknowns(self) -> Ints:
        return PLANE if self.projection is not None else SPACE

    @property
    def columns(self) -> int:
        """How many unknowns its bodies have in all."""
        return len(self.bodies) * len(self.unknowns)

    def depths(self) -> dict[int, int]:
        """How many links each body is away from the root."""
        near: dict[int, list[int]] = {}
        for a, b in self.links:
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
        depth = {self.root: 0}
        queue = [self.root]
        for body in queue:
            for other in near.get(body, ()):
                if other not in depth:
                    depth[other] = depth[body] + 1
                    queue.append(other)
        return depth

    def factor_pattern(self, bodies: Bodies) -> Pattern:
        """The sparse pattern of the whole component, made when first asked for."""
        if self.sparse is None:
            self.sparse = pattern(np.array(self.bodies), np.array(self.links), bodies.count)
        return self.sparse


def lay_out(components: list[Component], steps: list[Step]) -> Program:
    """Lay the steps out as arrays."""

    def joined(lists: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
        first = np.concatenate([[0], np.cumsum([len(v) for v in lists])]).astype(np.int64)
        return first, np.array([v for values in lists for v in values], np.int64)

    table = np.array(
        [
            (s.action, s.component, s.parent, s.bodies[0], s.kind, components[s.component].end_step)
            for s in steps
        ],
        np.int64,
    ).reshape(-1, 6)
    none = np.zeros(12)
    first_row, rows = joined([s.rows for s in steps])
    # a body placed in closed form may need a polish in all unknowns
    columns = [
        tuple((s.bodies[0], k) for k in range(6)) if s.action == PLACE else s.columns for s in steps
    ]
    first_column, column_body = joined([tuple(b for b, _ in c) for c in columns])
    _, column_unknown = joined([tuple(k for _, k in c) for c in columns])
    first_body, bodies = joined([s.bodies for s in steps])
    projections = [c.projection for c in components]
    flats = [p.flat for p in projections if p is not None]
    lengths = [len(p.flat.bodies) if p is not None else 0 for p in projections]
    groups = [p.flat.groups if p is not None else 0 for p in projections]
    return Program(
        step=table,
        at=np.array([s.at if s.at is not None else none for s in steps]).reshape(-1, 12),
        own=np.array([s.own if s.own is not None else none for s in steps]).reshape(-1, 12),
        first_row=first_row,
        rows=rows,
        first_column=first_column,
        column_body=column_body,
        column_unknown=column_unknown,
        first_body=first_body,
        bodies=bodies,
        first_flat=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        flat_bodies=np.concatenate([*(f.bodies for f in flats), np.empty(0, np.int64)]),
        flat_normal=np.concatenate([*(f.normal for f in flats), np.empty((0, 3))]),
        flat_height=np.concatenate([*(f.height for f in flats), np.empty(0)]),
        flat_group=np.concatenate([*(f.group for f in flats), np.empty(0, np.int64)]),
        flat_groups=np.array(groups, np.int64),
    )
