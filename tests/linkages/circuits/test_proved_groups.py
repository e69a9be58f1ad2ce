"""Circuits of linkages with triads, with proof: equations, tubes, dead points and their bounds."""

from __future__ import annotations

from dataclasses import replace
from math import radians
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpc, mpf

import assembly_solver as asm
from assembly_solver.foundations.numerics.fixed_balls import FixedBall, fixed_turn
from assembly_solver.foundations.numerics.rounding import EPSILON
from assembly_solver.foundations.types import Array
from assembly_solver.linkages.circuits.bilinear_forms import NotProved, bilinear_forms
from assembly_solver.linkages.circuits.circuit import Circuits
from assembly_solver.linkages.circuits.circuits import circuits_of
from assembly_solver.linkages.circuits.driven_linkage import DrivenLinkage
from assembly_solver.linkages.circuits.enclosed_paths import tubes, values_at
from assembly_solver.linkages.circuits.every_solution import every_solution
from assembly_solver.linkages.circuits.form_polynomials import off_by, powers_at, powers_known
from assembly_solver.linkages.circuits.proved_groups import proved_intervals
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink
from benchmarks.triads import judged, random_pins, triad, ways_to_build

SAMPLES = Path(__file__).parents[3] / "samples"


def driven(scheme: Scheme) -> DrivenLinkage:
    return DrivenLinkage(plan_linkage(scheme), 0)


def found(scheme: Scheme) -> Circuits:
    return circuits_of(plan_linkage(scheme), 0)


@pytest.mark.parametrize("number", [0, 3, 132])  # that is drawn in the second turn of a branch
def test_branches_of_a_random_triad_are_those_that_another_construction_builds(number: int) -> None:
    at = random_pins(number)
    circuits = found(triad(at))
    assert circuits.complete and circuits.words == ""
    assert judged(number, at, circuits) == ""


def test_the_other_construction_finds_two_positions_that_are_near_each_other() -> None:
    at = random_pins(378)
    drawn = np.arctan2(*(at[1] - at[0])[::-1])
    assert ways_to_build(at, radians(-144.004626) - drawn) == 2  # 0.05 degrees from a dead point


# ------------------------------------------------------------------ the equations
def test_all_solutions_of_a_triad_satisfy_its_equations_and_are_six() -> None:
    linkage = driven(triad(random_pins(3)))
    forms = bilinear_forms(linkage)
    assert forms.forms.shape[1:] == (6, 4, 4) and forms.powers.tolist() == [-1, 0, 1]
    x = every_solution(forms, 0.7)
    assert x.shape == (6, 6)
    assert np.abs(values_at(forms, x, np.full(6, 0.7)).value).max() < 1e-12
    off = np.abs(x[:, None] - x[None]).max(axis=2) + np.eye(6)
    assert off.min() > 1e-6


def test_the_drawn_position_satisfies_the_equations() -> None:
    linkage = driven(triad(random_pins(5)))
    forms = bilinear_forms(linkage)
    z = (linkage.start @ np.array([1.0, 1j]) - forms.centre) / forms.size
    unknown = {int(np.argmax(np.abs(row[0][1:]))): k for k, row in forms.points.items()
               if set(row) == {0} and np.abs(row[0][1:]).any()}  # fmt: skip
    u = z[[unknown[k] for k in range(forms.unknowns)]]
    s = np.array([radians(linkage.start_value)])
    here = values_at(forms, np.concatenate([u, u.conj()])[None], s)
    assert np.abs(here.value).max() < 1e-14


def test_a_tube_holds_the_solution_all_over_its_cell_and_not_another_one() -> None:
    forms = bilinear_forms(driven(triad(random_pins(3))))
    x = every_solution(forms, 0.7)
    cells = tubes(forms, x, np.full(6, 0.7), np.full(6, 0.002))
    assert np.isfinite(cells.reach).all() and (cells.error < cells.reach).all()
    for s in (0.698, 0.7005, 0.702):
        off = np.abs(cells.line(np.full(6, s))[:, None] - every_solution(forms, s)[None])
        inside = (off <= cells.error[:, None]).all(axis=2)
        assert inside.sum(axis=0).tolist() == inside.sum(axis=1).tolist() == [1] * 6
        assert ((off <= cells.reach[:, None]).all(axis=2) == inside).all()


def test_a_crank_that_moves_nothing_of_a_triad_turns_fully_in_each_of_its_positions() -> None:
    at = random_pins(3)
    scheme = triad(at)
    frame, *links = scheme.links
    both = replace(
        scheme,
        points=(*scheme.points, "S", "T"),
        at=np.vstack([scheme.at, at[0] + (300.0, 0.0), at[0] + (350.0, 0.0)]),
        links=(replace(frame, points=(*frame.points, 8)), *links, SchemeLink("idle", (8, 9))),
        actuators=(*scheme.actuators, Actuator("idle", "R", (7, 8, 9), radians(1.0))),
    )
    every = proved_intervals(DrivenLinkage(plan_linkage(both), 1))
    assert len(every) == ways_to_build(at, 0.0) == 4
    assert all(x.ends == () for x in every)


def test_a_proof_that_takes_too_long_is_given_up_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assembly_solver.linkages.circuits.every_path.MOST_WORK", 20.0)
    with pytest.raises(NotProved, match=r"^following all its solutions takes too long$"):
        proved_intervals(driven(triad(random_pins(3))))


def test_of_more_solutions_than_are_followed_none_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assembly_solver.linkages.circuits.every_solution.MOST_PATHS", 5)
    with pytest.raises(NotProved, match="more ways to assemble it, in complex numbers, than"):
        proved_intervals(driven(triad(random_pins(3))))


def test_solutions_at_infinity_are_told_and_nothing_is_proved() -> None:
    """Two of the double butterfly's twenty: `modes` counts the eighteen others."""
    planned = asm.linkage(asm.read(SAMPLES / "double_butterfly.assembly.json")).planned
    forms = bilinear_forms(DrivenLinkage(planned, 0))
    with pytest.raises(NotProved, match=r"^of 20 solutions in complex numbers 2 are at infinity,"):
        every_solution(forms, forms.most / 3.0)


def test_every_end_of_a_triad_is_a_place_where_its_equations_are_singular() -> None:
    """The determinant of the group, by its own derivatives, is 0 there to the root of rounding."""
    linkage = driven(triad(random_pins(3)))
    every = proved_intervals(linkage)
    ends = [(end, x.P[..., -k]) for x in every for k, end in enumerate(x.ends)]
    middles = [linkage.determinant(0, float(x.at[300]), x.P[..., 300]) for x in every]
    assert len(ends) == 4 and all(end.within is not None for end, _ in ends)
    for end, P in ends:
        assert end.within < 360e-12 and end.kind == "dead point"
        assert linkage.determinant(0, end.value, P) < 1e-9 * min(middles)


def test_what_rounds_the_coefficients_of_the_equations_is_in_the_bound_of_their_rounding() -> None:
    """Of this triad a coefficient is off by 86 EPSILON of its size: two points are near."""
    family = bilinear_forms(driven(triad(random_pins(9))))
    off = off_by(family.forms, family.powers, family.exact, family.scales)
    size = np.abs(family.forms)
    assert 80.0 < (off[size > 0] / size[size > 0]).max() / EPSILON < 90.0
    assert (off.sum(axis=0) <= family.rounding).all()
    rounded = replace(family, forms=0.5 * family.forms)  # far off: the bound is of the exact ones
    assert (rounded.bend >= (1.0 - 1e-9) * family.bend).all()


@pytest.mark.parametrize("turns", [True, False])
def test_powers_of_the_input_are_as_near_the_exact_ones_as_is_told(turns: bool) -> None:
    """Of an input many turns from 0 they are off by more than a number for all would say."""
    k = np.arange(1, 9)
    s = np.random.default_rng(1).uniform(-40.0, 40.0, 50)
    off = np.zeros(len(k))
    for one, powers in zip(s.tolist(), powers_at(s, k, turns)[0], strict=True):
        for n, power in enumerate(powers.tolist()):
            ball = fixed_turn(FixedBall.of(one) * float(k[n])) if turns else FixedBall.of(1.0)
            for _ in range(0 if turns else int(k[n])):
                ball = ball * FixedBall.of(one)
            apart = abs(complex(ball - FixedBall.of(complex(power)))) / abs(power) / EPSILON
            off[n] = max(off[n], apart)
    assert (off <= powers_known(k, turns, 40.0)).all()
    assert not turns or off.max() > 30.0


def test_dead_points_that_dimensions_move_far_are_enclosed_by_their_exact_numbers() -> None:
    """Where the third distance of the coupler has a double zero, by 40 digits of other equations.

    Of this triad the rounding of double precision leaves 3e-8 degrees.
    """
    at = np.round(random_pins(55) * 1024.0) / 1024.0
    linkage = driven(triad(at))
    ends = [(x, k) for x in proved_intervals(linkage) for k in (0, -1) if x.ends]
    assert len(ends) == 8
    for x, k in ends:
        end, P = x.ends[k], x.P[..., k]
        exact = double_zero(at, P, end.value + end.off)
        assert end.within < 1e-10
        assert abs(exact - end.value - end.off) < end.within + 1e-12  # rounding of the crank's


def double_zero(at: Array, P: Array, crank: float) -> float:
    """The crank angle about a dead point at which it is, degrees."""
    z, now = [[mpc(*map(float, p)) for p in points] for points in (at, P)]

    def gap(phi: mpf, s: mpf) -> mpf:
        pin = z[0] + (z[1] - z[0]) * mp.exp(1j * (s - mp.arg(z[1] - z[0])))
        first = pin + abs(z[4] - z[1]) * mp.exp(1j * phi)
        d, r, q = z[2] - first, abs(z[5] - z[4]), abs(z[5] - z[2])
        along = (abs(d) ** 2 + r**2 - q**2) / (2 * abs(d))
        side = mp.sign(((now[5] - now[4]) / (now[2] - now[4])).imag)
        second = first + (along + 1j * side * mp.sqrt(r**2 - along**2)) * d / abs(d)
        third = first + (z[6] - z[4]) / (z[5] - z[4]) * (second - first)
        return abs(third - z[3]) - abs(z[6] - z[3])

    with mp.workdps(40):
        phi, s = mp.arg(now[4] - now[1]), mp.radians(mpf(crank))
        phi, s = mp.findroot([gap, lambda p, t: mp.diff(gap, (p, t), (1, 0))], (phi, s), tol=1e-40)
        return float(mp.degrees(s))
