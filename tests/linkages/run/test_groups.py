"""Groups of points: closed configurations, branches kept, dead points, far inputs, no jumps."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.linkages.plan.group_equations import (
    GroupEquation,
    PointGroup,
    angle,
    length,
    point,
)
from assembly_solver.linkages.plan.link_length import constant
from assembly_solver.linkages.plan.placement_program import (
    Input,
    Operation,
    assemble,
    circles,
    group,
    push,
    turn,
)
from assembly_solver.linkages.run.batches import StateArrays
from assembly_solver.linkages.run.execution import run
from assembly_solver.linkages.run.gradients import jacobian, residuals
from assembly_solver.linkages.run.group_memory import BY_DAMPING, ITERATIONS, STATES
from assembly_solver.linkages.run.groups_at_once import EquationsAtOnce

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

DEGREE = math.pi / 180
HOLDS = 1e-13
"""What links of some mm may be off, mm: a few roundings."""


@dataclass
class Ran:
    """What a run wrote: points as complex numbers, (points, states)."""

    at: NDArray[np.complex128]
    failed: Ints
    sine: Array
    counts: Ints


def ran(
    ops: list[Operation],
    groups: list[PointGroup],
    start: list[complex],
    inputs: list[Input],
    V: Array,
) -> Ran:
    """Run operations and groups."""
    program = assemble(ops, groups, len(start), inputs)
    states = V.shape[1]
    P, failed = np.empty((len(start), 2, states)), np.zeros(states, np.int64)
    sine = np.zeros((program.branches, states))
    at = np.array([(p.real, p.imag) for p in start])
    counts = run(program, StateArrays(V, P, failed, sine), at, np.ones(program.branches, np.int64))
    return Ran(P[:, 0] + 1j * P[:, 1], failed, sine, counts)


# A crank 0-3 and two pins 1, 2 of the ground carry a plate 4, 5, 6 by three legs: a triad.
START = [0j, 10 + 0j, 2.4 + 8.5j, 1 + 0j, 5.7 + 2.8j, 4.5 + 5.3j, 3.1 + 3j]
LINKS = ((4, 5), (5, 6), (6, 4), (4, 3), (5, 1), (6, 2))
CRANK = turn(3, 0, 1, 0, 0.1 + 0j)


def leg(p: int, centre: int, r: float) -> GroupEquation:
    """A link from a point to another."""
    return length(point(p), point(centre), constant(r))


def triad(start: list[complex]) -> PointGroup:
    """The plate of three points on its three legs, as long as they stand."""
    return PointGroup((4, 5, 6), tuple(leg(i, j, abs(start[i] - start[j])) for i, j in LINKS))


def turned(V: Array, start: list[complex] = START) -> Ran:
    """The six-bar of the triad by angles of its crank, degrees."""
    plate = triad(start)
    return ran([CRANK, group(0, plate, 0)], [plate], start, [Input(DEGREE, 0.0, 0.0)], V)


def off(out: Ran, start: list[complex]) -> float:
    """The worst error of a link of the triad in all states, mm."""
    at = out.at
    return max(
        float(np.nanmax(abs(abs(at[i] - at[j]) - abs(start[i] - start[j])))) for i, j in LINKS
    )


def test_a_triad_turns_once_at_one_factorisation_a_state() -> None:
    out = turned(np.arange(361.0)[None])
    assert (out.failed == 0).all() and off(out, START) < HOLDS
    assert out.sine[0, 0] == 1.0 and (out.sine[0] > 0.8).all()  # far from its dead points
    np.testing.assert_allclose(out.at[:, 360], START, atol=1e-13)  # came back to where it began
    assert out.counts[STATES] == 361 and out.counts[ITERATIONS] < 370
    assert out.counts[BY_DAMPING] == 0


def test_a_state_does_not_know_which_came_before_it() -> None:
    """Random orders go by way of states between; steps of a whole turn are none."""
    ordered = turned(np.arange(360.0)[None])
    order = np.random.default_rng(3).permutation(360)
    shuffled = turned(order[None].astype(float))
    np.testing.assert_allclose(shuffled.at, ordered.at[:, order], atol=HOLDS)
    assert shuffled.counts[STATES] > 4 * 360
    later = turned(np.arange(360.0)[None] + 3600.0)
    np.testing.assert_allclose(later.at, ordered.at, atol=1e-12)  # 3960 degrees, rounded
    assert later.counts[STATES] == 360


@pytest.mark.parametrize("first", [1, 200, 256, 359])
def test_a_run_goes_on_from_the_states_before_it(first: int) -> None:
    plate = triad(START)
    program = assemble([CRANK, group(0, plate, 0)], [plate], 7, [Input(DEGREE, 0.0, 0.0)])
    V, P, failed = np.arange(360.0)[None], np.empty((7, 2, 360)), np.zeros(360, np.int64)
    sine, ones = np.zeros((1, 360)), np.ones(1, np.int64)
    at = np.array([(p.real, p.imag) for p in START])
    run(program, StateArrays(V, P, failed, sine), at, ones, 0, first)
    counts = run(program, StateArrays(V, P, failed, sine), at, ones, first, 360)
    assert counts[STATES] == 360 - first
    whole = turned(V)
    np.testing.assert_allclose(P[:, 0] + 1j * P[:, 1], whole.at, atol=HOLDS)


def test_a_group_of_a_dyad_is_the_dyad() -> None:
    """Two links as a group give what circles give, and fail where they do."""
    start = [0j, 4 + 0j, 2j, (4.0 + 12.0j) / 3]
    one, two = abs(start[3] - start[2]), abs(start[3] - start[1])
    dyad = PointGroup((3,), (leg(3, 2, one), leg(3, 1, two)))
    crank, inputs = turn(2, 0, 1, 0, 0.5 + 0j), [Input(DEGREE, 0.0, math.pi / 2)]
    V = np.arange(90.0, 450.0, 1.0)[None]
    by_group = ran([crank, group(0, dyad, 0)], [dyad], start, inputs, V)
    program = assemble([crank, circles(3, 2, constant(one), 1, constant(two), 0)], (), 4, inputs)
    P, failed, sine = np.empty((4, 2, 360)), np.zeros(360, np.int64), np.zeros((1, 360))
    at = np.array([(p.real, p.imag) for p in start])
    run(program, StateArrays(V, P, failed, sine), at, np.ones(1, np.int64))
    dyad_at = P[3, 0] + 1j * P[3, 1]
    assert abs(dyad_at[0] - start[3]) < HOLDS
    np.testing.assert_array_equal(by_group.failed > 0, failed > 0)
    valid = failed == 0
    assert 50 < np.count_nonzero(valid) < 350
    np.testing.assert_allclose(by_group.at[3, valid], dyad_at[valid], atol=1e-12)


def test_a_dead_point_is_reached_by_damping_and_not_passed() -> None:
    """Legs of 3 and 4 mm, the second pin drawn away to 7 mm and beyond."""
    start = [0j, 5 + 0j, 1.8 + 2.4j]
    legs = PointGroup((2,), (leg(2, 0, 3.0), leg(2, 1, 4.0)))
    pin = push(1, 0, 0, 3, 0, 0j, 1 + 0j)
    V = np.array([[5.0, 6.0, 6.9, 7.0, 7.1, 6.9, 5.0]])
    out = ran([pin, group(0, legs, 0)], [legs], [*start, 1 + 0j], [Input(1.0, 0.0, 5.0)], V)
    assert out.failed.tolist() == [0, 0, 0, 0, 2, 0, 0]
    assert abs(out.at[2, 3] - 3.0) < 1e-6 and abs(out.sine[0, 3]) < 1e-6  # root of what is fine
    assert out.counts[BY_DAMPING] == 1
    np.testing.assert_allclose(out.at[2, [0, 6]], 1.8 + 2.4j, atol=1e-14)
    assert out.at[2, 5] == pytest.approx(out.at[2, 2], abs=1e-12)


def test_an_angle_of_a_group_does_not_turn_over() -> None:
    """Two links of 2 mm from a pin to 3 and a driven angle between them: a triangle."""
    start = [0j, 3 + 0j, 2 * np.exp(1j * 0.7)]
    triangle = PointGroup((2,), (leg(2, 0, 2.0), angle(point(1), point(0), point(2), 0, 3.0)))
    V = np.linspace(0.7, 12.0, 200)[None]
    out = ran([group(0, triangle, 0)], [triangle], start, [Input(1.0, 0.0, 0.7)], V)
    np.testing.assert_allclose(out.at[2], 2 * np.exp(1j * V[0]), atol=1e-14)
    jumps = np.random.default_rng(1).uniform(-20, 20, (1, 50))
    out = ran([group(0, triangle, 0)], [triangle], start, [Input(1.0, 0.0, 0.7)], jumps)
    np.testing.assert_allclose(out.at[2], 2 * np.exp(1j * jumps[0]), atol=1e-13)


def test_a_state_on_the_other_branch_is_not_taken() -> None:
    """The first input asks for what lies beyond a dead point; the mirrored closure is near."""
    start = [0j, 6.99 + 0j, 3 * np.exp(1j * math.acos((9 + 6.99**2 - 16) / (6 * 6.99)))]
    legs = PointGroup((2,), (leg(2, 0, 3.0), leg(2, 1, 4.0)))
    pin = push(1, 0, 0, 3, 0, 0j, 1 + 0j)
    V = np.array([[6.99, 6.0, 3.0, 6.99]])
    out = ran([pin, group(0, legs, 0)], [legs], [*start, 1 + 0j], [Input(1.0, 0.0, 6.99)], V)
    assert (out.failed == 0).all() and (out.at[2].imag > 0).all() and (out.sine > 0).all()


def test_what_is_asked_that_is_no_number_is_told_and_the_rest_goes_on() -> None:
    out = turned(np.array([[0.0, 1.0, math.nan, 3.0, math.inf, 5.0]]))
    assert out.failed.tolist() == [0, 0, 1, 0, 1, 0] and off(out, START) < HOLDS


def test_far_joints_do_not_blur_what_is_near() -> None:
    """A slot of 5 mm as a link of 3125 mm: Newton on unsquared distances needs a few steps."""
    far = 2.5 + 3125j
    start = [0j, 5 + 0j, 1j, 2.1 + 0.2j, far]
    pair = PointGroup((3,), (leg(3, 4, abs(start[3] - far)), leg(3, 2, abs(start[3] - start[2]))))
    V = np.arange(90.0, 130.0)[None]
    ops = [turn(2, 0, 1, 0, 0.2 + 0j), group(0, pair, 0)]
    out = ran(ops, [pair], start, [Input(DEGREE, 0.0, math.pi / 2)], V)
    assert (out.failed == 0).all() and out.counts[ITERATIONS] <= 2 * V.shape[1]
    assert np.abs(np.abs(out.at[3] - far) - abs(start[3] - far)).max() < 1e-12  # of 3125 mm
    assert np.abs(np.abs(out.at[3] - out.at[2]) - abs(start[3] - start[2])).max() < HOLDS


def interpreted(script: str, flag: str = "0") -> list[str]:
    """What a script of `tests/support` prints, compiled or not."""
    tests = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-W", "error", str(tests / "support" / script)],
        env=os.environ | {"ASSEMBLY_SOLVER_JIT": flag, "PYTHONPATH": str(tests.parent)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout.splitlines()


def test_interpreted_and_compiled_runs_are_one() -> None:
    """The same numbers, bit by bit: of closed forms and of a group."""
    answers = [interpreted("same_numbers.py", flag) for flag in ("0", "1")]
    assert answers[0] == answers[1] and len(answers[0]) > 150


def test_many_states_at_once_are_those_one_by_one() -> None:
    """From five solutions of the double butterfly; three of them end at dead points on the way."""
    rows = [[float(x) for x in row.split()] for row in interpreted("many_at_once.py")]
    assert [row[1] for row in rows] == [row[2] for row in rows] == [0, 0, 18, 18, 15]
    assert max(row[0] for row in rows) < 1e-12  # of 150 mm


@pytest.mark.parametrize("kind", range(6))
def test_equations_at_once_are_those_one_by_one(kind: int) -> None:
    """Residuals and gradients in three states, with radii of all kinds."""
    random, n, members = np.random.default_rng(kind), 6, 6
    equations, given = np.zeros((n, 12), np.int64), random.normal(size=(n, 12))
    equations[:, 0], equations[:, 1] = kind, np.arange(n) % 3
    equations[:, 2] = np.arange(n) % 2
    equations[:, 3:9] = random.permuted(np.tile(np.arange(6), (n, 1)), axis=1)
    at, value = random.normal(size=(3, members, 2)), random.normal(size=(3, 2))
    values = np.stack([value, np.cos(value), np.sin(value)], axis=2)
    f, J = EquationsAtOnce(equations, given)(at[..., 0] + 1j * at[..., 1], values)
    one, matrix = np.empty(n), np.empty((n, n))
    for s in range(3):
        residuals(equations, given, at[s], values[s], one)
        jacobian(equations, given, at[s], values[s], matrix)
        np.testing.assert_allclose(f[s], one, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(J[s], matrix, rtol=1e-12, atol=1e-13)
