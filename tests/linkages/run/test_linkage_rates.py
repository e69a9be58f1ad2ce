"""Velocities and accelerations of every operation against central differences of its positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.linkages.plan.group_equations import LinkPoint, PointGroup, length, point
from assembly_solver.linkages.plan.link_length import constant, driven, hinged
from assembly_solver.linkages.plan.placement_program import (
    Input,
    Operation,
    PlacementProgram,
    along,
    assemble,
    circles,
    group,
    line_circle,
    lines,
    push,
    shape,
    slides,
    turn,
)
from assembly_solver.linkages.run.batches import StateArrays
from assembly_solver.linkages.run.execution import run
from assembly_solver.linkages.run.linkage_rates import rates

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]

STEP = 1e-4
"""Of time, s.  Of positions of some mm central differences are then good to 1e-7 mm/s (truncation,
1e-8 times a third derivative), second ones to 1e-6 mm/s^2 (rounding, 1e-15 mm / 1e-8 s^2)."""

STATES = 40
INPUTS = (Input(0.7, 0.2, 0.2), Input(1.3, 1.0, 1.0))


def inputs_at(t: Array) -> tuple[Array, Array, Array]:
    """Two inputs with their rates and accelerations, by time."""
    V = np.array([0.4 * np.sin(t), 0.3 * t + 0.1 * t * t])
    return V, np.array([0.4 * np.cos(t), 0.3 + 0.2 * t]), np.array([-0.4 * np.sin(t), 0.2 + 0 * t])


def placed(program: PlacementProgram, V: Array, start: Array) -> Array:
    """Positions of all points, mm."""
    P = np.empty((program.points, 2, V.shape[1]))
    failed, sine = np.empty(V.shape[1], np.int64), np.empty((program.branches, V.shape[1]))
    run(program, StateArrays(V, P, failed, sine), start, np.ones(program.branches, np.int64))
    assert (failed == 0).all()
    return P


def check(
    ops: Sequence[Operation], start: Sequence[complex], groups: Sequence[PointGroup] = ()
) -> None:
    """Rates of every point against differences; not all of them may be nought."""
    program = assemble(ops, groups, len(start), INPUTS)
    at = np.array([(p.real, p.imag) for p in start])
    t = np.linspace(0.0, 1.0, STATES)
    before, now, after = (placed(program, inputs_at(t + h)[0], at) for h in (-STEP, 0.0, STEP))
    vel, acc = np.empty_like(now), np.empty_like(now)
    rates(program, *inputs_at(t), now, vel, acc)
    np.testing.assert_allclose(vel, (after - before) / (2 * STEP), atol=1e-6)
    np.testing.assert_allclose(acc, (after - 2 * now + before) / STEP**2, atol=1e-5)
    last = ops[-1].points[-1]
    assert np.abs(vel[last]).max() > 0.01 and np.abs(acc[last]).max() > 0.01


A, B, C, D = 1 + 2j, 4 - 1j, -2 + 3j, 5 + 6j
MOVING = (turn(4, 0, 1, 0, 0.9 + 0.3j), push(5, 2, 2, 3, 1, 0.2 + 0.1j, 0.15 - 0.2j))
"""Two points that the two inputs move; every operation below stands on them."""

START = (A, B, C, D, 0j, 0j, 0j, 0j)

OPERATIONS = {
    "turn": turn(6, 4, 5, 1, 0.5 + 0.2j),
    "push": push(6, 5, 4, 5, 0, 0.5 + 0.2j, 1 - 0.3j),
    "along": along(6, 4, 4, 5, 0.3 - 0.7j),
    "shape that turns": shape(
        6, 4, 5, 0, True, (1 + 1j, 0.5 - 2j), (0.2j, 0.3 + 0.1j), (3 + 0j, 0.2j)
    ),
    "shape that slides": shape(
        6, 4, 5, 1, False, (1 + 1j, 0.5 - 2j), (0.2j, 0.3 + 0.1j), (3 + 0j, 0.2j)
    ),
    "circles": circles(6, 4, constant(6.0), 5, constant(5.0), 0),
    "circles of driven radii": circles(
        6, 4, driven(1, 5 + 0.5j, 0.4 - 0.3j), 5, hinged(0, 4 + 1j, 1 - 0.5j), 0
    ),
    "line and circle": line_circle(6, 0, constant(7.0), 4, 5, 0.3, 0),
    "line and driven circle": line_circle(6, 4, hinged(1, 6 + 0j, 1 + 1j), 5, 3, -0.2, 0),
    "lines": lines(6, 4, 5, 0.2, 0, 3, -0.1),
    "slide": slides(6, 7, 4, 5, 0.8, 1 + 0.5j, -0.5 + 2j, 0),
    "slide of one point": slides(6, 7, 4, 5, -0.8, 0j, -0.5 + 2j, 0),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_rates_of_an_operation_are_those_of_its_positions(name: str) -> None:
    check([*MOVING, OPERATIONS[name]], START)


def test_rates_of_a_group_are_those_of_its_positions() -> None:
    """A plate 6, 7 on a driven leg, a leg on a moving pin and one of a shape that turns."""
    corner, z = LinkPoint(6, 7, 0.4 + 0.6j), 0.4 + 0.6j
    start = [*START[:4], 0j, 0j, 5.1 + 2j, 2.4 + 5.4j]
    program = assemble(MOVING, (), 8, INPUTS)
    at = placed(program, inputs_at(np.zeros(1))[0], np.array([(p.real, p.imag) for p in start]))
    start[4], start[5] = complex(*at[4, :, 0]), complex(*at[5, :, 0])
    tip = start[6] + z * (start[7] - start[6])
    value, other = (i.start for i in INPUTS)
    equations = (
        length(point(6), point(7), constant(abs(start[7] - start[6]))),
        length(corner, point(5), driven(1, complex(abs(tip - start[5]) - 0.3 * other), 0.3 + 0j)),
        length(point(6), point(4), constant(abs(start[6] - start[4]))),
        length(point(7), point(3), hinged(0, abs(start[7] - D) - 0.5 * np.exp(1j * value), 0.5)),
    )
    plate = PointGroup((6, 7), equations)
    check([*MOVING, group(0, plate, 0)], start, [plate])


def test_a_velocity_by_hand() -> None:
    """A crank of 2 mm at 3 rad/s and 4 rad/s^2: 6 mm/s across, 18 mm/s^2 inward, 8 across."""
    program = assemble([turn(2, 0, 1, 0, 1 + 0j)], (), 3, [Input(1.0, 0.0, 0.0)])
    start = np.array([[0.0, 0], [2, 0], [0, 0]])
    P = placed(program, np.zeros((1, 1)), start)
    vel, acc = np.empty_like(P), np.empty_like(P)
    rates(program, np.zeros((1, 1)), np.full((1, 1), 3.0), np.full((1, 1), 4.0), P, vel, acc)
    np.testing.assert_allclose(vel[2, :, 0], [0, 6], atol=1e-15)
    np.testing.assert_allclose(acc[2, :, 0], [-18, 8], atol=1e-15)
    assert (vel[:2] == 0).all() and (acc[:2] == 0).all()
