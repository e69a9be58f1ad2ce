"""Circuits of linkages with triads, with proof: against another construction of them.

The oracle builds a triad by its own arithmetic: the coupler's first point goes round its circle,
the second one is where two circles meet, and the third one has to be at its distance: signs that
change along a fine grid, and along grids that crowd at the ends, are solutions.
"""

from __future__ import annotations

import math
from math import radians

import numpy as np
import pytest
from numpy.typing import NDArray

from assembly_solver.linkages.circuits.bilinear_forms import NotProved, bilinear_forms
from assembly_solver.linkages.circuits.circuit import Branch, Circuits
from assembly_solver.linkages.circuits.circuits import circuits_of
from assembly_solver.linkages.circuits.driven_linkage import DrivenLinkage
from assembly_solver.linkages.circuits.enclosed_paths import tubes, values_at
from assembly_solver.linkages.circuits.every_solution import every_solution
from assembly_solver.linkages.circuits.proved_groups import proved_intervals
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink

Array = NDArray[np.float64]
Complexes = NDArray[np.complex128]

DEGREE = radians(1.0)


def triad(at: Array) -> Scheme:
    """A crank 0-1, ground pins 2 and 3, a coupler 4-5-6 on the legs 1-4, 2-5 and 3-6."""
    far = at[0] + (100.0, 0.0)
    links = ((0, 1), (1, 4), (2, 5), (3, 6), (4, 5, 6))
    return Scheme(
        tuple("ABCDEFGR"),
        np.vstack([at, far]),
        (SchemeLink("frame", (0, 2, 3, 7)), *(SchemeLink(f"link {x}", x) for x in links)),
        (),
        (Actuator("crank", "R", (7, 0, 1), DEGREE),),
    )


def random_pins(number: int) -> Array:
    rng = np.random.default_rng(number)
    at = rng.uniform(-100.0, 100.0, (7, 2))
    at[1] = at[0] + (at[1] - at[0]) * rng.uniform(0.05, 1.0)
    return at


def driven(scheme: Scheme) -> DrivenLinkage:
    return DrivenLinkage(plan_linkage(scheme), 0)


def found(scheme: Scheme) -> Circuits:
    return circuits_of(plan_linkage(scheme), 0)


def branches(circuits: Circuits) -> list[Branch]:
    return [b for c in circuits for b in c.branches]


# ------------------------------------------------------------------ the oracle
def meet(c: Complexes, r: float, d: complex, s: float, side: int) -> Complexes:
    """Where circles meet, left of c -> d with side +1; NaN where they do not."""
    q = d - c
    far = np.abs(q)
    along = (far**2 + r**2 - s**2) / (2.0 * far)
    square = (r - along) * (r + along)
    out: Complexes = c + (along + 1j * side * np.sqrt(np.where(square >= 0, square, np.nan))) * (
        q / far
    )
    return out


def ways_to_build(at: Array, crank: float) -> int:
    """How many positions the coupler has at a crank angle past the drawn one, rad."""
    z = at @ np.array([1.0, 1j])
    pin = z[0] + (z[1] - z[0]) * np.exp(1j * crank)
    share = (z[6] - z[4]) / (z[5] - z[4])

    def gap(phi: Array, side: int) -> Array:
        first = pin + abs(z[4] - z[1]) * np.exp(1j * phi)
        second = meet(first, abs(z[5] - z[4]), complex(z[2]), abs(z[5] - z[2]), side)
        out: Array = np.abs(first + share * (second - first) - z[3]) - abs(z[6] - z[3])
        return out

    count, grid = 0, np.linspace(0.0, 2.0 * math.pi, 6001)
    for side in (1, -1):
        known = np.isfinite(gap(grid, side))
        ends = np.flatnonzero(known[1:] != known[:-1])
        crowds = [grid]
        for k in ends:
            inner, outer = (grid[k], grid[k + 1]) if known[k] else (grid[k + 1], grid[k])
            start = inner
            for _ in range(55):
                middle = 0.5 * (inner + outer)
                if np.isfinite(gap(np.array([middle]), side)[0]):
                    inner = middle
                else:
                    outer = middle
            crowds.append(inner + (start - inner) * np.append(0.0, 10.0 ** np.arange(-12, 0, 0.5)))
        phi = np.unique(np.concatenate(crowds))
        values = gap(phi, side)
        finite = np.isfinite(values)
        both = finite[1:] & finite[:-1]
        count += int(np.sum(both & (np.sign(values[1:]) != np.sign(values[:-1]))))
    return count


def built_on(branches: list[Branch], crank: float) -> int:
    """How many positions branches have at a crank angle, degrees."""
    count = 0
    for b in branches:
        if not b.ends:
            count += round((b.high - b.low) / 360.0)
        elif (crank - b.low) % 360.0 <= b.high - b.low:
            count += 1 + int((b.high - b.low - (crank - b.low) % 360.0) // 360.0)
    return count


@pytest.mark.parametrize("number", [0, 3])
def test_branches_of_a_random_triad_are_those_that_another_construction_builds(number: int) -> None:
    at = random_pins(number)
    circuits = found(triad(at))
    assert circuits.complete and circuits.words == ""
    every = branches(circuits)
    assert [b.start for b in every].count(True) == 1
    drawn = math.degrees(math.atan2(*(at[1] - at[0])[::-1]))
    ends = np.array([e.value for b in every for e in b.ends])
    crowd = np.ravel(ends[:, None] + [-0.05, 0.05])
    for crank in np.concatenate([np.random.default_rng(number).uniform(0, 360, 12), crowd]):
        ways = ways_to_build(at, radians(crank - drawn))
        assert built_on(every, float(crank)) == ways, crank


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
