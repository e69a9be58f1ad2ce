"""The suite of benchmarks: limits are held, runs are kept, and two commits are compared."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

import assembly_solver as asm
from benchmarks import __main__ as command, changed, large, suite
from benchmarks.figures import Figure, line, written


@pytest.mark.quick
def test_a_figure_keeps_its_limit_or_is_told() -> None:
    figure = Figure("p", "c", "q", 4.9, "x", ">= 5", "a peer", "right")
    assert (figure.met, figure.good) == (False, False)
    assert "4.9 x        >= 5     MISSED" in line(figure)
    assert figure._replace(value=5.0).good
    assert figure._replace(value=None).met is False
    assert figure._replace(value=float("nan")).met is False
    assert figure._replace(limit="<= 5").met
    assert figure._replace(limit="").met is None


@pytest.mark.quick
def test_what_is_wrong_is_ours_where_a_limit_is_and_else_the_peers() -> None:
    wrong = Figure("p", "c", "q", 4.9, "ms", judged="wrong")
    assert not wrong.good
    assert wrong._replace(peer="a peer").good
    assert not wrong._replace(peer="a peer", limit="<= 5").good
    assert wrong._replace(judged="right").good


@pytest.mark.quick
def test_several_runs_give_medians_and_the_worst_judgement() -> None:
    runs = [[Figure("p", "c", "q", v, judged=w)] for v, w in ((1, "right"), (9, "off"), (2, ""))]
    assert suite.medians(runs) == [Figure("p", "c", "q", 2, judged="off")]


@pytest.mark.quick
def test_a_run_is_told_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is missed is told again below the table, and is the exit status."""
    kept = Figure("tiny", "case", "time", 3.0, "ms", "<= 4")
    missed = Figure("tiny", "case", "ratio", 2.0, "x", ">= 5", "a peer", "right")
    figures = [kept, missed]
    monkeypatch.setattr(suite, "run_part", lambda name, quick, tree: figures)
    history, name = tmp_path / "history.jsonl", next(iter(suite.PARTS))
    words = ["--only", name, "--quick", "--history", str(history)]
    assert command.main(words) == 1
    told = capsys.readouterr().out
    assert "2 figures; of 2 limits 1 are met" in told
    assert told.count("MISSED") == 2
    figures[1] = missed._replace(value=5.5)
    assert command.main(words) == 0
    runs = [json.loads(row) for row in history.read_text().splitlines()]
    assert [run["figures"][1]["value"] for run in runs] == [2.0, 5.5]
    for run in runs:
        assert run["quick"] and len(run["commit"]) in (0, 40)
        assert run["cores"] >= 1 and run["versions"]["numpy"] and run["python"] and run["date"]
        assert isinstance(run["dirty"], bool)


@pytest.mark.quick
def test_an_unknown_part_or_commit_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words, told in ((["--only", "no"], "no part 'no'"), (["--against", "x y"], "no commit")):
        with pytest.raises(SystemExit) as refused:
            command.main(words)
        assert refused.value.code == 2
        assert told in capsys.readouterr().err


@pytest.mark.quick
def test_every_part_names_a_generator_of_figures() -> None:
    for part in suite.PARTS.values():
        module, _, function = part.figures.partition(":")
        path = Path(suite.__file__).with_name(f"{module}.py")
        assert f"def {function}(" in path.read_text()


@pytest.mark.quick
def test_a_part_that_ends_early_is_a_row(tmp_path: Path) -> None:
    """After what it found: a crash by its status, an endless run by the time it was given."""
    found = Figure("imports", "assembly_solver", "import", 3.0, "ms")
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__init__.py").touch()
    text = (
        f"print({written(found)!r}, flush=True)\nprint('{{cut sho', end='')\nraise SystemExit(7)\n"
    )
    (tmp_path / "benchmarks" / "__main__.py").write_text(text)
    first, crashed = suite.run_part("imports", True, tmp_path)
    assert first == found
    assert (crashed.value, crashed.judged, crashed.good) == (None, "exit status 7", False)
    (late,) = suite.run_part("imports", True, patience=0.01)
    assert (late.quantity, late.judged) == ("the part ended early", "more than 0.01 s")


@pytest.mark.quick
def test_a_commit_is_compared_in_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both trees import the package; the ratio is that of the two times."""
    if not suite.git("rev-parse", "HEAD"):
        pytest.skip("no repository")
    trees, history = suite.git("worktree", "list"), tmp_path / "history.jsonl"
    words = ["--only", "imports", "--quick", "--against", "HEAD", "--rounds", "1"]
    command.main([*words, "--history", str(history)])
    (run,) = [json.loads(row) for row in history.read_text().splitlines()]
    assert run["against"] == suite.git("rev-parse", "HEAD")
    (row,) = run["figures"]
    assert (row["case"], row["unit"], row["limit"]) == ("assembly_solver", "ms", "<= 30")
    assert row["here_over_there"] == row["value"] / row["there"]
    assert "here / there" in capsys.readouterr().out
    assert suite.git("worktree", "list") == trees


@pytest.mark.quick
def test_a_solve_after_a_changed_value_is_judged_at_that_value() -> None:
    """The leg of the platform is as long as the mate says; another value is another answer."""
    change = changed.leg()
    assert [change.wrong(value) for value in change.values] == ["right", "right"]
    change.of = lambda _: change.case
    assert change.wrong(change.values[1]) == "wrong"


@pytest.mark.quick
def test_a_machine_of_many_modules_is_judged_by_the_cases_in_it() -> None:
    """Six modules on flanges with four bolts each: one that is out of its place is named."""
    model, cases = large.machine(0)
    assert sum(len(case.parts) for case in cases.values()) + 1 + 6 * 5 == len(model.parts)
    solution = asm.solve(model).require()
    assert large.verdict(model, solution, cases) == "right"
    holes = [name for name in model.mates if large.IN_HOLE in name]
    assert len(holes) == 24 and large.joints_off(model, solution, holes) < large.TIGHT
    poses = solution.poses | {"excavator 0 bolts[2]": asm.Pose()}
    moved = cast(asm.Solution, SimpleNamespace(poses=poses))
    assert large.joints_off(model, moved, holes) > large.TIGHT
    started = large.machine(0)[0]
    started.remove("excavator 0 flange holds")
    started.move({"excavator 0.B0": asm.Pose((1.0, 0, 0))})
    words = large.verdict(started, asm.solve(started).require(), cases)
    assert words.startswith("excavator 0.")
