"""A search for circuits that is interrupted tells what it found, and that it is not all."""

from __future__ import annotations

from pathlib import Path

import pytest

import assembly_solver as asm

SAMPLES = Path(__file__).parents[3] / "samples"


def interrupted(name: str, driver: str, checks: int) -> tuple[bool, int, str, int]:
    """Whether all of it is proved, how many circuits, the words, and how often it was asked."""
    calls = iter(range(1_000_000))
    seen = asm.linkage(asm.read(SAMPLES / f"{name}.assembly.json"))
    found = seen.circuits(driver, cancel=lambda: next(calls) >= checks)
    return found.complete, len(found), found.words, next(calls)


@pytest.mark.parametrize("checks", [0, 3])
def test_circuits_of_a_group_are_interrupted_in_their_proof(checks: int) -> None:
    complete, _, words, asked = interrupted("double_butterfly", "wing", checks)
    assert (complete, asked) == (False, checks + 1)
    assert words == "cancelled in search of the circuits: there may be more"


def test_circuits_of_dyads_that_were_found_are_told() -> None:
    """Of four choices of signs those that were searched before."""
    whole = interrupted("watt", "crank", 1_000_000)
    assert whole[:2] == (True, 4)
    part = interrupted("watt", "crank", whole[3] - 1)
    assert part[0] is False
    assert 0 < part[1] <= 4
    assert part[2] == "cancelled in search of the circuits: there may be more"


def test_a_budget_is_named() -> None:
    seen = asm.linkage(asm.read(SAMPLES / "four_bar.assembly.json"))
    found = seen.circuits("crank", budget=0.0)
    assert not found.complete
    assert found.words.startswith("stopped after the budget of 0 s in search of the circuits")
