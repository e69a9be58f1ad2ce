"""Assemblies drawn at random where they hold: from near there they are solved, whatever they are.

Parts are placed first, then features are put on two parts at a time so that a mate of some kind
holds between them.  So a solution is known to exist, and "conflicting" would be a false claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from mechanisms import disturb, random_pose, turned

import assembly_solver as asm
from assembly_solver.model import assembly as _defines_every_kind  # noqa: F401
from assembly_solver.model.mate import MATES
from assembly_solver.model.mates.couplings import Coupling
from benchmarks.adversary.generators.mates import (
    MAKERS,
    SURFACES_AND_GUIDES,
    Draw,
    Made,
    Z,
    seen_from,
)


def draw(
    seed: int, flat: bool, makers: Mapping[str, Callable[[Draw], Made]] = MAKERS
) -> asm.Assembly:
    """Three to six parts in a tree of mates, with up to four mates more."""
    rng = np.random.default_rng(seed)
    count, more = int(rng.integers(3, 7)), int(rng.integers(0, 5))
    names = [f"part {k}" for k in range(count)]
    spot = (
        (lambda: turned(Z, rng.uniform(-180, 180), rng.uniform(-100, 100, 3)))
        if flat
        else (lambda: random_pose(rng))
    )
    poses = {name: spot() for name in names}
    features: dict[str, dict[str, Any]] = {name: {} for name in names}
    pairs = [(int(rng.integers(k)), k) for k in range(1, count)]
    pairs += [tuple(rng.choice(count, 2, replace=False).tolist()) for _ in range(more)]
    ties = []
    for n, (i, j) in enumerate(pairs):
        kind = str(rng.choice(sorted(makers)))
        a, b, parameters = makers[kind](Draw(rng, flat))
        for k, feature in ((i, a), (j, b)):
            features[names[k]][f"f{n}"] = seen_from(poses[names[k]], feature)
        ties.append((kind, (names[i], f"f{n}"), (names[j], f"f{n}"), parameters))
    out = asm.Assembly(f"random {seed}")
    for k, name in enumerate(names):
        out.add(name, grounded=k == 0, pose=poses[name], features=features[name])
    for kind, ref_a, ref_b, parameters in ties:
        out.mate(kind, ref_a, ref_b, **parameters)
    return out


def test_every_mate_kind_of_two_features_is_drawn() -> None:
    two = {
        kind
        for kind, cls in MATES.items()
        if not issubclass(cls, Coupling)
        and not set(cls.takes_more) & set(cls.required_parameters())
    }
    assert {*MAKERS, *SURFACES_AND_GUIDES} == two


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_surfaces_and_guides_among_other_mates_are_solved_from_a_start_near_by(flat: bool) -> None:
    for seed in range(25):
        a = draw(seed, flat, MAKERS | SURFACES_AND_GUIDES)
        held = asm.solve(a)
        assert held.residual < 1e-10, seed  # rounding of features 100 mm away
        solution = asm.solve(disturb(a, seed, mm=2, degrees=2))
        assert solution.outcome is asm.Outcome.SOLVED, f"seed {seed}: {solution.sentence}"
        assert solution.residual < 1e-9


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_where_it_was_drawn_an_assembly_holds_and_stays(flat: bool) -> None:
    for seed in range(40):
        a = draw(seed, flat)
        solution = asm.solve(a)
        assert solution.residual < 1e-10, seed  # rounding of features 100 mm away
        assert solution.poses == {n: p.pose for n, p in a.parts.items()}


@pytest.mark.parametrize("first", range(0, 120, 20))
@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_a_random_assembly_is_solved_from_a_start_near_by(flat: bool, first: int) -> None:
    """Every part shifted by up to 4 mm and turned by up to 4 degrees about each axis."""
    for seed in range(first, first + 20):
        solution = asm.solve(disturb(draw(seed, flat), seed, mm=4, degrees=4))
        assert solution.outcome is asm.Outcome.SOLVED, f"seed {seed}: {solution.sentence}"
        assert solution.residual < 1e-9
        assert all(m.holds for m in solution.mates)


def test_a_part_that_two_near_roots_hold_is_put_at_the_one_that_fits() -> None:
    """Ball, right angle and point on line hold part 1 at two places 0.1 mm apart; one of them
    lets the others close."""
    a = draw(601, flat=False)
    for seed in range(600, 608):
        solution = asm.solve(disturb(a, seed, mm=4, degrees=4))
        assert solution.outcome is asm.Outcome.SOLVED, f"seed {seed}: {solution.sentence}"


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_its_freedoms_are_unknowns_less_rank_and_its_motions_are_as_many(flat: bool) -> None:
    for seed in range(40):
        solution = asm.solve(draw(seed, flat))
        d = solution.diagnosis
        assert solution.dof == d.unknowns - d.rank == len(solution.free_motions)
        assert solution.redundant_equations == d.equations - d.rank
        assert sum(r["equations"] for r in solution.redundant) == solution.redundant_equations
