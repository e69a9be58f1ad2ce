"""Every operation of a program against complex arithmetic, at its edges and over chunks."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.linkages.plan.link_length import Radius, constant, driven, hinged
from assembly_solver.linkages.plan.placement_program import (
    Input,
    Operation,
    along,
    assemble,
    circles,
    line_circle,
    lines,
    push,
    shape,
    slides,
    stays_within,
    turn,
)
from assembly_solver.linkages.run.batches import CHUNK, StateArrays
from assembly_solver.linkages.run.execution import run

pytestmark = pytest.mark.quick

Complexes = NDArray[np.complex128]

DEGREE = math.pi / 180


@dataclass
class Ran:
    """What a run wrote: points as complex numbers, (points, states)."""

    at: Complexes
    failed: NDArray[np.int64]
    sine: NDArray[np.float64]


def ran(
    ops: Sequence[Operation],
    start: Sequence[complex],
    V: Sequence[Sequence[float]],
    signs: Sequence[int] = (1,),
    inputs: Sequence[Input] = (Input(1.0, 0.0, 0.0),),
) -> Ran:
    """Run operations on points; those that are placed may start anywhere."""
    program = assemble(ops, (), len(start), inputs)
    values = np.array(V, float)
    states = values.shape[1]
    P = np.empty((len(start), 2, states))
    failed, sine = np.full(states, -7, np.int64), np.full((program.branches, states), -7.0)
    at = np.array([(p.real, p.imag) for p in start])
    run(
        program,
        StateArrays(values, P, failed, sine),
        at,
        np.array(signs[: program.branches], np.int64),
    )
    return Ran(P[:, 0] + 1j * P[:, 1], failed, sine)


A, B, C, D = 1 + 2j, 4 - 1j, -2 + 3j, 5 + 6j
POINTS = (A, B, C, D, 0j, 0j)
VALUES = np.array([[0.0, 0.7, -2.0, 3.5, 40.0]])


def test_a_crank_turns_by_its_value() -> None:
    inputs = [Input(DEGREE, 0.25, 0.0)]
    found = ran([turn(4, 0, 1, 0, 0.5 + 1j)], POINTS, VALUES, inputs=inputs).at[4]
    wanted = A + (0.5 + 1j) * np.exp(1j * (DEGREE * VALUES[0] + 0.25)) * (B - A)
    np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_a_driven_slide_goes_by_its_value() -> None:
    found = ran([push(4, 2, 0, 1, 0, 0.3 - 0.1j, 0.2 + 0.4j)], POINTS, VALUES).at[4]
    wanted = C + (0.3 - 0.1j + (0.2 + 0.4j) * VALUES[0]) * (B - A)
    np.testing.assert_allclose(found, wanted, atol=1e-13)


def test_a_point_of_a_link_goes_along() -> None:
    found = ran([along(4, 2, 0, 1, 0.3 - 0.7j)], POINTS, VALUES).at[4]
    np.testing.assert_allclose(found, C + (0.3 - 0.7j) * (B - A), atol=1e-14)


@pytest.mark.parametrize("turns", [True, False])
def test_a_point_of_a_driven_shape_follows_two_placed_ones(turns: bool) -> None:
    m, a, b = (1 + 1j, 0.5 - 2j), (0j, 0.3 + 0.1j), (3 + 0j, 0.2j)
    found = ran([shape(4, 0, 1, 0, turns, m, a, b)], POINTS, VALUES).at[4]
    f = np.exp(1j * VALUES[0]) if turns else VALUES[0]
    at = [x1 + x2 * f for x1, x2 in (m, a, b)]
    wanted = A + (at[0] - at[1]) / (at[2] - at[1]) * (B - A)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


RADII = {
    "fixed": constant(4.0),
    "driven": driven(0, 3 + 0.5j, 0.2 - 0.1j),
    "hinged": hinged(0, 4 + 0j, 0.5 + 0.3j),
}


def length_of(radius: Radius, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A radius in every state, mm."""
    f = np.exp(1j * values) if radius.kind == 2 else values
    return np.abs(radius.first + radius.second * (0.0 if radius.kind == 0 else f))


@pytest.mark.parametrize("one", RADII)
@pytest.mark.parametrize("two", RADII)
@pytest.mark.parametrize("sign", [1, -1])
def test_circles_meet_on_the_chosen_side_at_both_radii(one: str, two: str, sign: int) -> None:
    values = np.array([[0.0, 0.7, -2.0, 3.5]])
    out = ran([circles(4, 0, RADII[one], 1, RADII[two], 0)], POINTS, values, [sign])
    assert out.failed.tolist() == [0, 0, 0, 0]
    np.testing.assert_allclose(abs(out.at[4] - A), length_of(RADII[one], values[0]), rtol=1e-14)
    np.testing.assert_allclose(abs(out.at[4] - B), length_of(RADII[two], values[0]), rtol=1e-14)
    side = ((out.at[4] - A) * np.conj(B - A)).imag
    assert (np.sign(side) == sign).all()
    both = length_of(RADII[one], values[0]) * length_of(RADII[two], values[0])
    np.testing.assert_allclose(out.sine[0], side / both, rtol=1e-13)  # of the angle between them


@pytest.mark.parametrize("swapped", [False, True])
def test_a_circle_of_4500_mm_leaves_the_point_as_sharp_as_one_of_1_5_mm(swapped: bool) -> None:
    """On the large circle the half chord would be off by 1e-9 mm, docs/theory/dyads.md, 6."""
    far, angle = 4500.9 + 0j, 0.7
    exact = cmath.rect(1.5, angle)
    large = abs(far - exact)
    small, big = constant(1.5), constant(large)
    op = circles(2, 1, big, 0, small, 0) if swapped else circles(2, 0, small, 1, big, 0)
    found = ran([op], (0j, far, 0j), [[0.0]], [-1 if swapped else 1]).at[2, 0]
    assert abs(found - exact) < 2e-12  # one rounding of 4500, by the sine of the angle


@pytest.mark.parametrize("sign", [1, -1])
def test_dead_points_of_two_circles_are_one_point_and_beyond_there_is_none(sign: int) -> None:
    three, four = constant(3.0), constant(4.0)
    for far, wanted, sine in ((5.0, 1.8 + sign * 2.4j, sign), (7.0, 3.0, 0.0)):
        out = ran([circles(2, 0, three, 1, four, 0)], (0, far, 0), [[0.0]], [sign])
        assert abs(out.at[2, 0] - wanted) < 1e-15 * 8
        assert out.sine[0, 0] == pytest.approx(sine, abs=1e-15)
    inside = ran([circles(2, 0, three, 1, four, 0)], (0, 1, 0), [[0.0]], [sign])
    assert inside.at[2, 0] == -3.0 and inside.sine[0, 0] == 0.0
    for far in (7.000001, 0.999999, 0.0):
        out = ran([circles(2, 0, three, 1, four, 0)], (0, far, 0), [[0.0]], [sign])
        assert out.failed.tolist() == [1] and np.isnan(out.at[2, 0]) and np.isnan(out.sine[0, 0])


def test_concentric_circles_of_one_radius_have_no_point() -> None:
    out = ran([circles(2, 0, constant(3.0), 1, constant(3.0), 0)], (1j, 1j, 0), [[0.0]])
    assert out.failed.tolist() == [1]


@pytest.mark.parametrize("turned", range(0, 360, 7))
def test_touching_circles_touch_however_they_are_turned(turned: int) -> None:
    """Centres and radii rounded: the half chord squared may come out a little below nought."""
    u = cmath.rect(1.0, turned * DEGREE)
    for one, two, far in ((0.1, 0.7, 0.8), (1.0, 4.0, 3.0), (2.3, 4500.0, 4502.3)):
        place = 10.3 + 7.7j
        op = circles(2, 0, constant(one), 1, constant(two), 0)
        out = ran([op], (place, place + far * u, 0), [[0.0]])
        inner = one if two < far else -one
        assert out.failed.tolist() == [0]
        assert abs(out.at[2, 0] - (place + inner * u)) < 1e-7  # the square root of roundings
        assert abs(abs(out.at[2, 0] - place) - one) < 8 * 2.0**-52 * (one + two + far)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("radius", RADII)
def test_a_line_meets_a_circle_at_the_larger_or_the_smaller_t(radius: str, sign: int) -> None:
    values = np.array([[0.0, 0.7, -2.0, 3.5]])
    op = line_circle(4, 2, RADII[radius], 0, 1, 0.2, 0)
    out = ran([op], POINTS, values, [sign])
    r = length_of(RADII[radius], values[0])
    np.testing.assert_allclose(abs(out.at[4] - C), r, rtol=1e-14)
    t = (out.at[4] - A) / (B - A)
    np.testing.assert_allclose(t.imag, 0.2, atol=1e-14)
    other = ran([op], POINTS, values, [-sign])
    assert ((((other.at[4] - A) / (B - A)).real - t.real) * sign < 0).all()
    np.testing.assert_allclose(out.sine[0], sign * abs(out.at[4] - other.at[4]) / 2 / r, rtol=1e-12)


def test_a_line_touches_a_circle_at_a_dead_point_and_misses_it_beyond() -> None:
    def at(w: float) -> Ran:
        op = line_circle(3, 2, constant(3.0), 0, 1, w, 0)
        return ran([op], (-1j, 2 - 1j, 0j, 0j), [[0.0]])

    assert at(2.0).at[3, 0] == 3j and at(2.0).sine[0, 0] == 0.0
    assert abs(at(0.5).at[3, 0] - 3) < 1e-15
    assert at(2.000001).failed.tolist() == [1]


def test_two_lines_meet_and_parallel_ones_do_not() -> None:
    out = ran([lines(4, 0, 1, 0.3, 2, 3, -0.4)], POINTS, [[0.0]])
    assert ((out.at[4, 0] - A) / (B - A)).imag == pytest.approx(0.3, abs=1e-15)
    assert ((out.at[4, 0] - C) / (D - C)).imag == pytest.approx(-0.4, abs=1e-15)
    beside = (A, B, C, C + 0.1 * (B - A), 0j)
    assert ran([lines(4, 0, 1, 0.3, 2, 3, -0.4)], beside, [[0.0]]).failed.tolist() == [1]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("side", [0.0, 1.5, -2.0])
def test_a_slide_between_two_pins_has_its_offset(side: float, sign: int) -> None:
    z1, z2 = 2 + 0.5j, -1 + 3j
    out = ran([slides(4, 5, 0, 3, side, z1, z2, 0)], POINTS, [[0.0]], [sign])
    u = (out.at[4, 0] - A) / z1
    assert abs(u) == pytest.approx(1.0, abs=1e-14)
    assert abs((out.at[5, 0] - D) / z2 - u) < 1e-14
    assert (u.conjugate() * (D - A)).imag == pytest.approx(side, abs=1e-14)
    along_it = (u.conjugate() * (D - A)).real
    assert math.copysign(1, along_it) == sign
    assert out.sine[0, 0] == pytest.approx(along_it / abs(D - A), abs=1e-14)


def test_a_slide_cannot_be_built_where_its_pins_are_nearer_than_its_offset() -> None:
    def at(side: float, end: complex = 3 + 4j) -> Ran:
        return ran([slides(2, 3, 0, 1, side, 1 + 0j, 1j, 0)], (0j, end, 0j, 0j), [[0.0]])

    assert at(5.0).failed.tolist() == [0] and at(5.0).sine[0, 0] == 0.0
    assert abs(at(5.0).at[2, 0] - (0.8 - 0.6j)) < 1e-15
    assert at(5.000001).failed.tolist() == [1]
    assert at(0.0, 0j).failed.tolist() == [1]


def test_a_slot_ends_where_it_ends() -> None:
    values = [[-0.1, 0.0, 1.0, 2.0, 2.1]]
    ops = [push(3, 0, 0, 1, 0, 0j, 1 + 0j), stays_within(3, 0, 1, 0.0, 2.0), along(4, 3, 0, 1, 1j)]
    points = (A, A + 1j, C, 0j, 0j)
    out = ran(ops, points, values)
    assert out.failed.tolist() == [2, 0, 0, 0, 2]
    assert np.isnan(out.at[4]).tolist() == [True, False, False, False, True]
    assert out.at[3].tolist() == [A + 1j * v for v in values[0]]  # placed before the check
    free = ran([ops[0], stays_within(3, 0, 1, None, 2.0)], points[:4], values)
    assert free.failed.tolist() == [0, 0, 0, 0, 2]


FOUR_BAR = (
    turn(2, 0, 1, 0, 0.5 + 0j),
    circles(3, 2, constant(3.5), 1, constant(2.0), 0),
    along(4, 2, 2, 3, 0.5 + 0.2j),
)
GROUND = (0j, 4 + 0j, 0j, 0j, 0j)


@pytest.mark.parametrize("states", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1])
def test_states_do_not_know_their_chunk(states: int) -> None:
    values = np.linspace(-300.0, 300.0, 3 * CHUNK)
    whole = ran(FOUR_BAR, GROUND, [values])
    part = ran(FOUR_BAR, GROUND, [values[:states]])
    np.testing.assert_array_equal(part.at, whole.at[:, :states])
    np.testing.assert_array_equal(part.failed, whole.failed[:states])
    np.testing.assert_array_equal(part.sine, whole.sine[:, :states])
    assert 0 < np.count_nonzero(whole.failed) < 3 * CHUNK


def test_what_cannot_be_built_takes_what_follows_with_it_and_leaves_the_others() -> None:
    values = np.linspace(0.0, 6.0, 100)
    out = ran(FOUR_BAR, GROUND, [values])
    crank = 2 * np.exp(1j * values)
    gap = abs(crank - 4)
    fails = gap > 5.5
    assert fails.any() and (out.failed == 2 * fails).all()
    np.testing.assert_allclose(out.at[2], crank, atol=1e-15)
    assert (np.isnan(out.at[3]) == fails).all() and (np.isnan(out.at[4]) == fails).all()
    assert (np.isnan(out.sine[0]) == fails).all()


def test_an_input_that_is_no_number_fails_where_it_is_read() -> None:
    out = ran(FOUR_BAR, GROUND, [[1.0, math.nan, math.inf, 2.0]])
    assert out.failed.tolist() == [0, 1, 1, 0]
    assert np.isfinite(out.at[:, [0, 3]]).all()


def test_arrays_of_other_shapes_are_refused() -> None:
    program = assemble(FOUR_BAR, (), 5, [Input(1.0, 0.0, 0.0)])
    ints, sine = np.ones(1, np.int64), np.empty((1, 3))
    with pytest.raises(ValueError, match="shapes"):
        run(
            program,
            StateArrays(np.zeros((1, 4)), np.empty((5, 2, 3)), ints, sine),
            np.zeros((5, 2)),
            ints,
        )


def test_inputs_may_lie_anywhere_and_results_lie_in_one_piece() -> None:
    program = assemble(FOUR_BAR, (), 5, [Input(1.0, 0.0, 0.0)])
    start = np.array([(p.real, p.imag) for p in GROUND])
    values = np.linspace(0.0, 1.0, 10)[:, None]
    signs, failed, sine = np.ones(1, np.int64), np.empty(10, np.int64), np.empty((1, 10))
    P = np.empty((5, 2, 10))
    run(program, StateArrays(values.T, P, failed, sine), start, signs)
    np.testing.assert_array_equal(P[:, 0] + 1j * P[:, 1], ran(FOUR_BAR, GROUND, values.T).at)
    with pytest.raises(ValueError, match="in one piece"):
        run(
            program,
            StateArrays(values.T, np.empty((10, 5, 2)).transpose(1, 2, 0), failed, sine),
            start,
            signs,
        )
