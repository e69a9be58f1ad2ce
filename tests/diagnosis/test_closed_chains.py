"""Chains of points, axes and planes are called impossible only where they close at no poses."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.diagnosis.closed_chains import impossible_chains
from assembly_solver.equations.system import compile_system
from benchmarks.contradictions import FAMILIES
from benchmarks.seven_mates import beads, ring, stack
from benchmarks.tangles import tangle


def proved(a: asm.Assembly) -> list[frozenset[int]]:
    return impossible_chains(a, compile_system(a))


EVERY = [frozenset(range(7))]


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_link_that_is_longer_than_all_others_closes_no_ring(kind: str) -> None:
    slack = 7 * 1e-4  # each pin is off by the tolerance, all along the stretched chain
    too_long, just = (ring([30.0] * 6 + [180.0 + by * slack], kind) for by in (1.01, 0.99))
    assert proved(too_long) == EVERY
    assert not asm.solve(too_long)
    assert proved(just) == []
    assert asm.solve(just)


def test_a_wire_that_is_longer_than_all_others_closes_no_ring() -> None:
    assert proved(beads([30, 40, 30, 35, 30, 30, 195.1])) == EVERY
    assert proved(beads([30, 40, 30, 35, 30, 30, 194.9])) == []


def test_heights_add_up_along_parallel_planes() -> None:
    assert proved(stack([0, 1, 0, 2, 33.0, 15.0])) == []  # three blocks of 10 mm, gaps of 3 mm
    assert proved(stack([0, 1, 0, 2, 40.0, 15.0])) == [frozenset(range(5))]


@pytest.mark.parametrize("seed", range(40))
def test_of_what_can_be_solved_nothing_is_proved_impossible(seed: int) -> None:
    draw = np.random.default_rng([seed, 7])
    for a in (tangle(draw), *(family(draw) for family in FAMILIES)):
        a.tolerance = 1e-6
        assert proved(a) == []
