"""The steps of a plan, their components, and both as arrays for the compiled runner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np

from ..equations.closed_form import PlanarComponent
from ..equations.elimination import EliminationPattern, pattern
from ..equations.table import PLANE, SPACE
from ..foundations.geometry.nearest_motion import FREE
from ..foundations.graphs.dulmage_mendelsohn import Decomposition
from ..foundations.types import Array, Ints
from .clusters import Bodies
from .planar import Projection

CHECK, PLACE, SETTLE, ALIGN, PLACE_PLANAR, SETTLE_PLANAR, DENSE, SPARSE, VERIFY = range(9)
"""Actions of a step.  CHECK skips a component that holds at its start; VERIFY checks at the end
that all equations of a loop hold, those included that no block contains."""

LARGEST_DENSE = 40
"""Columns from which a block is solved in sparse form with its whole component."""


SIX = tuple(range(6))
"""The unknowns of a body in space."""

NOT_PLANAR = PlanarComponent(
    np.empty(0, np.int64), np.empty((0, 3)), np.empty(0), np.empty(0, np.int64), 0
)
"""Stands for a component that moves in space."""


class CompiledSteps(NamedTuple):
    """The steps as arrays, for the compiled runner.

    step: (steps, 6): action, component, parent, child, kind, step behind the component.
    at, own: joint frames of the PLACE steps in parent and child coordinates.
    Rows, columns (body, unknown) and moving bodies of step s are those between first_*[s] and
    first_*[s + 1]; bodies of planar component c those between first_flat[c] and first_flat[c + 1].
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


class Step(NamedTuple):
    """One step of a plan.

    Attributes:
        action: PLACE, DENSE, ...; component: its number; bodies: those that it moves.
        rows: its equations; unknowns: how many; columns: (body, unknown) of each.
        parent: the body that a PLACE step refers to; kind: of the joint between them.
        at, own: the joint's frame in the coordinates of the parent and of the body.
    """

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
    """A biconnected component of the body graph: a branch, or loops, attached to its root body.

    Attributes:
        bodies: those that move; pairs: numbers of its pairs; rows: its equations.
        links: the pairs of bodies that share a constraint, wide constraints included.
        projection: its planar form, None in space; end_step: the first step behind it.
        decomposition: of its equations in the plane, None in space.
        independent: its equations in the plane by the bodies that they read, of each pair those
            that do not depend on its others; None in space.
        by_value: equations whose targets the steps of a loop were planned by.
    """

    root: int
    bodies: tuple[int, ...]
    pairs: tuple[int, ...]
    links: tuple[tuple[int, ...], ...]
    constraints: tuple[int, ...]
    rows: Ints
    projection: Projection | None = None
    decomposition: Decomposition | None = None
    end_step: int = 0
    sparse: EliminationPattern | None = None
    independent: dict[tuple[int, ...], list[int]] | None = None
    by_value: set[int] = field(default_factory=set)

    @property
    def loop(self) -> bool:
        """Whether it is a loop, not a branch."""
        return len(self.links) > 1

    @property
    def unknowns(self) -> Ints:
        """Which of the six unknowns its bodies have: PLANE or SPACE."""
        return PLANE if self.projection is not None else SPACE

    @property
    def columns(self) -> int:
        """How many unknowns its bodies have in all."""
        return len(self.bodies) * len(self.unknowns)

    @property
    def read(self) -> Iterable[int]:
        """Equations whose targets its steps were planned by: all of a branch."""
        return self.by_value if self.loop else self.rows.tolist()

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

    def factor_pattern(self, bodies: Bodies) -> EliminationPattern:
        """The sparse pattern of the whole component, cached."""
        if self.sparse is None:
            self.sparse = pattern(np.array(self.bodies), np.array(self.links), bodies.count)
        return self.sparse


def compile_steps(
    components: Mapping[int, Component], count: int, steps: list[Step]
) -> CompiledSteps:
    """The steps of some of so many components, the others of which move in space, as arrays."""
    numbers = [
        (s.action, s.component, s.parent, s.bodies[0], s.kind, components[s.component].end_step)
        for s in steps
    ]
    placed = [n for n, s in enumerate(steps) if s.at is not None]
    at, own = np.zeros((2, len(steps), 12))
    at[placed] = _rows(steps[n].at for n in placed)
    own[placed] = _rows(steps[n].own for n in placed)
    first_row, rows = _joined([s.rows for s in steps])
    # a body placed in closed form may need a polish in all unknowns
    first_column, column_body = _joined(
        [s.bodies * 6 if s.action == PLACE else [b for b, _ in s.columns] for s in steps]
    )
    _, column_unknown = _joined(
        [SIX if s.action == PLACE else [u for _, u in s.columns] for s in steps]
    )
    first_body, bodies = _joined([s.bodies for s in steps])
    flats = {k: c.projection.flat for k, c in components.items() if c.projection is not None}
    planar = [NOT_PLANAR, *flats.values()]  # never nothing to join
    size, groups = np.zeros((2, count), np.int64)
    for k, f in flats.items():
        size[k], groups[k] = len(f.bodies), f.groups
    return CompiledSteps(
        step=np.array(numbers, np.int64).reshape(-1, 6),
        at=at,
        own=own,
        first_row=first_row,
        rows=rows,
        first_column=first_column,
        column_body=column_body,
        column_unknown=column_unknown,
        first_body=first_body,
        bodies=bodies,
        first_flat=np.concatenate([[0], size.cumsum()]),
        flat_bodies=np.concatenate([f.bodies for f in planar]),
        flat_normal=np.concatenate([f.normal for f in planar]),
        flat_height=np.concatenate([f.height for f in planar]),
        flat_group=np.concatenate([f.group for f in planar]),
        flat_groups=groups,
    )


def with_frames(program: CompiledSteps, steps: Mapping[int, Step]) -> CompiledSteps:
    """The same with other kinds and frames of the joints of some steps, by their numbers."""
    step, at, own = program.step.copy(), program.at.copy(), program.own.copy()
    for n, s in steps.items():
        step[n, 2], step[n, 4] = s.parent, s.kind
        if s.at is not None and s.own is not None:
            at[n], own[n] = s.at, s.own
    return program._replace(step=step, at=at, own=own)


def _rows(frames: Iterable[Array | None]) -> Array:
    """Frames as an array, (frames, 12)."""
    known = [np.empty(0), *(frame for frame in frames if frame is not None)]
    return np.concatenate(known).reshape(-1, 12)


def _joined(lists: Sequence[Sequence[Any]]) -> tuple[Ints, Ints]:
    """Lists one after the other: where each begins (and the last ends), and their values."""
    first = np.array([0, *accumulate(map(len, lists))], np.int64)
    return first, np.fromiter(chain.from_iterable(lists), np.int64, int(first[-1]))
