"""Wrong files: a message of one line that names the place, whatever was done to the text."""

from __future__ import annotations

from pathlib import Path

import pytest

import assembly_solver as asm
from benchmarks.mutations import MUTATORS, SAMPLES, mutation, outcome, warm_up

OUTCOMES = {o.name.lower() for o in asm.Outcome}


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    warm_up()


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_a_mutated_file_is_solved_or_refused_with_one_line(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else is raised or written: 1 % of what `python -m benchmarks.mutations` runs."""
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in SAMPLES}
    found = {seed: outcome(seed) for seed in range(first, first + 20)}
    for seed, told in found.items():
        if told not in OUTCOMES:
            assert "\n" not in told and len(told) < 400, seed
            assert ": " in told or told.startswith("line "), seed
    assert list(tmp_path.iterdir()) == []
    assert {path: path.read_bytes() for path in SAMPLES} == before


def test_mutations_reach_every_sample_and_most_of_them_change_what_is_read() -> None:
    seeds = range(len(SAMPLES) * len(MUTATORS))
    assert {mutation(seed)[0] for seed in seeds} == set(SAMPLES)
    told = [outcome(seed) for seed in seeds]
    assert sum(one not in OUTCOMES for one in told) >= len(told) // 2


def test_a_very_long_name_is_cut_in_a_message_and_a_huge_number_is_refused() -> None:
    a = asm.Assembly()
    with pytest.raises(asm.AssemblySolverError, match=r"part 'z{30}\.{3}z{30}'; there is none$"):
        a.pose("z" * 5000)
    with pytest.raises(asm.AssemblySolverError, match="3 numbers of at most 1e\\+09 in size"):
        asm.Point((0, 0, 1e10))


def test_very_long_names_of_links_are_cut_where_a_driver_at_their_pin_is_refused() -> None:
    a = asm.Assembly()
    a.pins(A=(0, 0), B=(10, 5), C=(20, 5), D=(30, 5))
    for name, pin in (("ground", "B"), ("y" * 3000, "C"), ("z" * 3000, "D")):
        a.link(name, f"A {pin}", grounded=name == "ground")
    with pytest.raises(asm.AssemblySolverError) as refused:
        a.drive("crank", at="A")
    assert "joins ground, yyy" in str(refused.value) and "zzz, needs 'links'" in str(refused.value)
    assert len(str(refused.value)) < 250
