"""The steps of branches: bodies that one pair without drivers joins to those before.

A chain has as many branches as links.  They are planned as arrays over all of them, without an
object for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..foundations.geometry.nearest_motion import FREE, GENERAL
from ..foundations.types import Ints
from .pairs import Pairs
from .steps import CHECK, PLACE, SETTLE, CompiledSteps, Component, Step

UNKNOWNS = 6
"""Of a body in space."""


class Branches(NamedTuple):
    """Arrays over the branches: their components, their pairs and the bodies before them."""

    component: Ints
    pair: Ints
    root: Ints


def with_branches(
    others: CompiledSteps, branches: Branches, pairs: Pairs, tolerance: float, end_step: Ints
) -> CompiledSteps:
    """The steps of all components, from those of the components that are no such branches.

    Args:
        tolerance: residual up to which a pair is closed, mm; end_step: of each component.
    """
    own = _steps_of(others, branches, pairs, tolerance)
    step = np.concatenate([others.step, own.step])
    step[:, 5] = end_step[step[:, 1]]
    if len(others.step) == 0:
        return own._replace(step=step)
    order = np.argsort(step[:, 1], kind="stable")
    both = zip(others, own, strict=True)
    joined = CompiledSteps._make(map(np.concatenate, both))
    first_row, rows = _taken(others.first_row, own.first_row, order)
    first_column, columns = _taken(others.first_column, own.first_column, order)
    first_body, bodies = _taken(others.first_body, own.first_body, order)
    return others._replace(
        step=step[order],
        at=joined.at[order],
        own=joined.own[order],
        first_row=first_row,
        rows=joined.rows[rows],
        first_column=first_column,
        column_body=joined.column_body[columns],
        column_unknown=joined.column_unknown[columns],
        first_body=first_body,
        bodies=joined.bodies[bodies],
    )


def _steps_of(
    others: CompiledSteps, branches: Branches, pairs: Pairs, tolerance: float
) -> CompiledSteps:
    """A CHECK of each branch, then its PLACE, or its SETTLE where the pair has no closed form."""
    component, pair, root = branches
    n, ends = len(pair), pairs.bodies[pair]
    first_is_root = ends[:, 0] == root
    child = np.where(first_is_root, ends[:, 1], ends[:, 0])
    opened = (pairs.kind[pair] == GENERAL) | (pairs.gap[pair] > tolerance)
    step = np.zeros((n, 2, UNKNOWNS), np.int64)
    step[:, :, 1], step[:, :, 3] = component[:, None], child[:, None]
    step[:, 0, 0], step[:, 0, 4] = CHECK, FREE
    step[:, 1, 0], step[:, 1, 2] = np.where(opened, SETTLE, PLACE), root
    step[:, 1, 4] = np.where(opened, GENERAL, pairs.kind[pair])
    frames = np.zeros((2, n, 2, 12))
    placed = np.flatnonzero(~opened)
    one, two = pairs.frame_a[pair[placed]], pairs.frame_b[pair[placed]]
    at_first = first_is_root[placed, None]
    frames[0, placed, 1], frames[1, placed, 1] = (
        np.where(at_first, one, two),
        np.where(at_first, two, one),
    )
    count = np.repeat((pairs.first_row[pair + 1] - pairs.first_row[pair]), 2)
    first_row = _sums(count)
    rows = np.repeat(np.repeat(pairs.first_row[pair], 2) - first_row[:-1], count)
    return others._replace(
        step=step.reshape(-1, UNKNOWNS),
        at=frames[0].reshape(-1, 12),
        own=frames[1].reshape(-1, 12),
        first_row=first_row,
        rows=pairs.rows[rows + np.arange(len(rows))],
        first_column=_sums(np.tile([0, UNKNOWNS], n)),
        column_body=np.repeat(child, UNKNOWNS),
        column_unknown=np.tile(np.arange(UNKNOWNS), n),
        first_body=np.arange(2 * n + 1),
        bodies=np.repeat(child, 2),
    )


def _sums(counts: Ints) -> Ints:
    """Sums of the counts before each, and of all."""
    out = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=out[1:])
    return out


def _taken(one: Ints, two: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Lists one after the other, of two arrays of lists in a row, in an order of all lists.

    Args:
        one, two: where each list begins, and the last ends.

    Returns:
        The same of all, and the places of their values.
    """
    begin = np.concatenate([one[:-1], two[:-1] + one[-1]])[order]
    count = np.concatenate([np.diff(one), np.diff(two)])[order]
    first = _sums(count)
    places: Ints = np.repeat(begin - first[:-1], count) + np.arange(first[-1])
    return first, places


def branch_steps(program: CompiledSteps, component: Component) -> list[Step]:
    """The steps of a branch as objects."""
    n, rows = component.end_step - 1, tuple(component.rows.tolist())
    action, number, parent, child, kind, _ = program.step[n].tolist()
    check, bodies = Step(CHECK, number, component.bodies, rows, 0), component.bodies
    if action == SETTLE:
        columns = tuple((child, k) for k in range(UNKNOWNS))
        return [check, Step(SETTLE, number, bodies, rows, UNKNOWNS, parent, kind, columns=columns)]
    frames = program.at[n], program.own[n]
    return [check, Step(PLACE, number, bodies, rows, UNKNOWNS, parent, kind, *frames)]
