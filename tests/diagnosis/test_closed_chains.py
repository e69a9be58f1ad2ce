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
    return impossible_chains(a, compile_system(a).sense)


EVERY = [frozenset(range(7))]


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_a_link_that_is_longer_than_all_others_closes_no_ring(kind: str) -> None:
    margin = 1e-4 * 7**2
    assert proved(ring([30.0] * 6 + [180.0 + 1.01 * margin], kind)) == EVERY
    assert proved(ring([30.0] * 6 + [180.0 + 0.99 * margin], kind)) == []


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
