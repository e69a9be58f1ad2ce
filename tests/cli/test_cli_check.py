"""`check` from the command line: exit statuses, the report that is always written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from test_cli_motion import four_bar

import assembly_solver as asm
from assembly_solver import cli

pytestmark = pytest.mark.quick

Run = Callable[..., tuple[int, str, str]]


def written(name: str, least: float) -> str:
    """A file of the four-bar that asks for at least this transmission angle, deg."""
    asm.write(four_bar(), f"{name}.assembly.json")
    file = Path(f"{name}.assembly.json")
    tree = json.loads(file.read_text())
    del tree["drivers"]["output"]
    tree["name"] = name
    tree["checks"] = [
        {"kind": "dof", "equals": 1},
        {"kind": "transmission_angle", "driver": "motor", "at": "B", "min": least},
    ]
    file.write_text(json.dumps(tree))
    return str(file)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        status = cli.main(words)
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_a_check_that_passes_is_status_0_with_the_crank_rocker_named(run: Run) -> None:
    status, out, err = run("check", written("good", 50.0), "--json", "--report", "good.html")
    told = json.loads(out)
    assert (status, err, told["passes"]) == (0, "wrote good.html\n", True)
    assert out.count("\n") == 1 and told["loops"][0]["kind"] == "crank-rocker"
    (found,) = [f for f in told["findings"] if f["kind"] == "transmission_angle"]
    # at motor = 0 the diagonal is 140: cos = (180^2 + 120^2 - 140^2) / (2 180 120)
    assert found["found"] == pytest.approx(50.9769, abs=1e-3)
    assert '<div class="verdict pass"' in Path("good.html").read_text()


def test_a_check_that_fails_is_status_1_and_its_report_is_written_all_the_same(run: Run) -> None:
    reports = ("--report", "bad.html", "--report", "bad.json")
    status, out, err = run("check", written("bad", 60.0), *reports)
    assert (status, err) == (1, "wrote bad.html, bad.json\n")
    assert max(map(len, out.splitlines())) <= 80 and " FAIL " in out
    assert "bad: fails, 1 of" in out and "< 60 deg" in " ".join(out.split())
    page = Path("bad.html").read_text()
    assert '<div class="verdict fail"' in page and "at least 60 deg" in page
    assert json.loads(Path("bad.json").read_text())["passes"] is False


def test_the_report_of_what_does_not_solve_is_written_and_status_1(run: Run) -> None:
    file = Path(written("torn", 50.0))
    tree = json.loads(file.read_text())
    tree["parts"]["coupler"]["features"]["right"]["axis"]["point"] = [700, 0, 0]
    file.write_text(json.dumps(tree))
    status, out, _ = run("check", str(file), "--report", "torn.html", "--json")
    assert (status, json.loads(out)["dof"], Path("torn.html").is_file()) == (1, None, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--report", "out.pdf"), "out.pdf: files are written by suffix, one of .html, .json"),
        (("--report", "no/out.html"), "no: there is no such folder"),
    ],
)
def test_a_wrong_report_is_status_2_and_nothing_written(
    run: Run, words: tuple[str, ...], message: str
) -> None:
    file = written("good", 50.0)
    status, out, err = run("check", file, *words, "--json")
    assert (status, err) == (2, f"error: {message}\n")
    assert json.loads(out)["error"]["message"] == message
    assert [p.name for p in Path().iterdir()] == [file]
