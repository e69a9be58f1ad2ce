"""The budget of a call covers what it says: what is left out is told, and nothing is raised."""

from __future__ import annotations

from pathlib import Path

import pytest

import assembly_solver as asm
from assembly_solver.cli.program import main
from assembly_solver.foundations.watch import Stopped, Watch
from assembly_solver.report.terminal.solution import diagnosis
from assembly_solver.results import solution
from assembly_solver.results.late_answers import LateAnswers
from benchmarks import families

LADDER = "ladder(5)"
SAMPLES = Path(__file__).parents[2] / "samples"


def closed(name: str) -> asm.Assembly:
    """A family's case at solved poses: a solve of it ends at once."""
    out = families.assembly(families.named(name))
    asm.solve(out).apply()
    return out


class Clock:
    """Cancels from the n-th question on."""

    def __init__(self) -> None:
        self.asked, self.last = 0, 10**9

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked > self.last


def cut_short(asked: int) -> asm.Solution:
    """A solution whose words are cancelled after so many questions."""
    clock = Clock()
    solution = asm.solve(closed(LADDER), cancel=clock)
    assert solution
    clock.last = clock.asked + asked
    return solution


def test_an_answer_that_is_cancelled_keeps_its_keys_and_says_what_was_left_out() -> None:
    whole = asm.solve(closed(LADDER)).to_dict()
    short = cut_short(0).to_dict()
    assert short.keys() == whole.keys()
    assert whole["notes"] == []
    assert short["notes"] == [
        "freedoms and assembly modes were not searched: the call was cancelled"
    ]
    assert (short["dof"], short["redundant_equations"]) == (None, None)
    assert (short["redundant"], short["free_motions"], short["singular"]) == ([], [], [])
    assert "degrees of freedom not counted" in short["sentence"]
    assert short["poses"] == whole["poses"]


@pytest.mark.parametrize("asked", [0, 1, 2, 3, 5, 8, 13, 30, 100, 300])
def test_wherever_it_is_cancelled_what_is_said_is_true_and_printing_does_not_raise(
    asked: int,
) -> None:
    whole = asm.solve(closed(LADDER)).to_dict()
    solution = cut_short(asked)
    short, printed = solution.to_dict(), str(solution)
    for key in ("dof", "redundant_equations", "redundant", "free_motions", "mode"):
        assert short[key] in (whole[key], None, [])
    assert [printed.count(note) for note in short["notes"]] == [1] * len(short["notes"])
    if short["redundant"] != whole["redundant"] and short["redundant_equations"]:
        assert "redundancy" in short["notes"][0]
    assert diagnosis(short) is not None


def test_remedies_that_were_not_looked_for_are_said_and_the_contradiction_stays() -> None:
    clock = Clock()
    case = families.stack(3, hole_error=1.0)
    whole = asm.solve(families.assembly(case))
    solution = asm.solve(families.assembly(case), cancel=clock)
    clock.last = clock.asked
    (entry,), (full,) = solution.conflicts, whole.conflicts
    assert entry["words"] == entry["fact"] == full["fact"]
    assert (entry["drop"], entry["change"], entry["accepting_mm"]) == ([], None, None)
    assert full["drop"]
    assert solution.notes == ["remedies were not searched: the call was cancelled"]
    assert solution.to_dict()["notes"] == solution.notes


@pytest.mark.parametrize("asked", [0, 2, 20])
def test_an_analysis_that_is_cancelled_says_that_the_modes_were_not_searched(asked: int) -> None:
    clock = Clock()
    platform = asm.read(SAMPLES / "stewart_platform.assembly.json")
    analysis = asm.analyse(platform, cancel=clock)
    clock.last = clock.asked + asked
    told = analysis.to_dict()["modes"]
    assert (told["complete"], told["real"], told["complex"], told["names"]) == (
        False,
        None,
        None,
        [],
    )
    assert "assembly modes" in told["words"]
    assert told["words"].endswith("were not searched: the call was cancelled")
    assert clock.asked <= clock.last + 5  # nothing goes on without asking


def test_a_rested_watch_interrupts_nothing() -> None:
    watch = Watch(budget=0.0)
    with pytest.raises(Stopped, match="budget of 0 s"):
        watch.check()
    watch.rest()
    watch.check()
    watch.searching("in between").check()
    with watch.counting(), pytest.raises(Stopped, match="budget of 0 s in between"):
        watch.searching("in between").check()


def test_a_note_names_the_budget_and_all_topics() -> None:
    late = LateAnswers(Watch(budget=0.0))
    assert late.get("redundancy", lambda: 1, 0) == 0
    assert late.notes == ["redundancy was not searched: the budget of 0 s ended"]
    assert late.get("free motions", lambda: 1, 0) == 0
    assert late.notes == ["redundancy and free motions were not searched: the budget of 0 s ended"]


def test_the_clock_rests_between_a_call_and_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("assembly_solver.foundations.watch.perf_counter", lambda: now[0])
    watch = Watch(budget=2.0, begun=100.0)
    now[0] = 101.0
    watch.rest()
    now[0] = 500.0
    with watch.counting():
        watch.check()  # 1 s is spent
        now[0] = 500.9
        watch.check()
    now[0] = 900.0
    with watch.counting(), watch.counting():
        watch.check()
        now[0] = 900.2
        with pytest.raises(Stopped, match="budget of 2 s"):
            watch.check()
    assert watch._rested == 900.2


def test_the_words_of_every_free_motion_can_be_cancelled() -> None:
    clock = Clock()
    solution = asm.solve(closed("chain(20)"), cancel=clock)
    assert solution.dof == 20
    before = clock.asked
    assert len(solution.free_motions) == 20
    assert clock.asked - before >= 2 * 20


def test_for_a_table_no_parts_of_free_motions_are_listed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a chain each motion has the links up to its end: with all parts a text grows as n^2."""
    a, file = closed("chain(6)"), tmp_path / "chain.assembly.json"
    asm.write(a, file)
    whole = asm.diagnose(a)
    counts = [len(motion.pop("parts")) for motion in whole.to_dict()["free_motions"]]
    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    brief = asm.diagnose(a).to_dict(parts=False)["free_motions"]
    assert [motion["words"] for motion in brief] == [t.words for t in whole.told_motions]
    assert all("parts" not in motion for motion in brief)
    listed: list[str] = []
    monkeypatch.setattr(solution, "moving_parts", lambda *_: listed.append("all") or [])
    for command in ("solve", "diagnose"):
        assert main([command, str(file)]) == 0
    assert "turns about" in capsys.readouterr().out and listed == []
    assert main(["solve", str(file), "--json"]) == 0 and len(listed) == 6
