"""`study`: the same bytes whoever computes the rows, and what is refused before work starts."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studied import four_bar_file, ladder

import assembly_solver as asm
from assembly_solver.cli import main
from assembly_solver.errors import AssemblySolverError
from assembly_solver.report.terminal import progress as progress_module
from assembly_solver.report.terminal.progress import Waiting
from assembly_solver.studies import study as study_module
from assembly_solver.studies.columns import read_columns
from assembly_solver.studies.executors import opened_executor
from assembly_solver.studies.store import OtherStudy

VARY = {"height.offset": "-4:9"}


@pytest.mark.quick
def test_a_study_has_every_row_with_its_values_and_measures() -> None:
    found = asm.study(ladder(), {"height.offset": [1.0, 2.0, 4.0]}, executor="here")
    assert (len(found), found.valid) == (3, 3)
    np.testing.assert_allclose(found["tip"], [21.0, 22.0, 24.0], atol=1e-9)
    assert found["row"].tolist() == [0, 1, 2]


@pytest.mark.quick
def test_measures_may_be_made_for_a_study() -> None:
    made = {"up": {"point": "block.tip", "along": "z"}}
    found = asm.study(ladder(), {"height.offset": [1.0, 6.0]}, made, executor="here")
    assert list(found.columns.measures) == ["up"]
    assert "up" in found.columns and "down" not in found.columns
    np.testing.assert_allclose(np.diff(found["up"]), [5.0], atol=1e-9)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_one_worker_or_many_write_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    """Here, in threads and in two processes."""
    with ThreadPoolExecutor(3) as threads:
        for name, executor in (("here", "here"), ("threads", threads), ("many", "processes")):
            asm.study(
                ladder(), VARY, samples=1100, out=tmp_path / f"{name}{suffix}", executor=executor
            )
    files = [(tmp_path / f"{n}{suffix}").read_bytes() for n in ("here", "threads", "many")]
    assert files[0] == files[1] == files[2]
    found = read_columns(tmp_path / f"here{suffix}", 1, 1)
    assert len(found) == 1100 and all(found.valid)
    np.testing.assert_allclose(found.measures["tip"] - found.values["height.offset"], 20.0)


def test_a_file_and_memory_have_the_same_rows(tmp_path: Path) -> None:
    kept = asm.study(ladder(), VARY, samples=50, executor="here")
    for suffix in (".csv", ".parquet"):
        filed = asm.study(ladder(), VARY, samples=50, out=tmp_path / f"a{suffix}", executor="here")
        assert np.array_equal(kept["tip"], filed["tip"])
        assert kept["mode"] == filed["mode"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_rows_that_are_not_valid_are_kept_and_counted(tmp_path: Path, suffix: str) -> None:
    a, out = ladder(), tmp_path / f"a{suffix}"
    a.add("lid", features={"eye": asm.Point((0, 0, 0))})
    a.mate("distance", "block.tip", "lid.eye", name="rope", value=4.0)
    found = asm.study(a, {"rope.value": [-1.0, -2.0, 3.0]}, out=out, executor="here")
    assert (len(found), found.valid, list(found.reasons.values())) == (3, 1, [1, 1])
    assert all(reason.startswith("refused: ") for reason in found.reasons)
    assert np.isnan(found["tip"]).tolist() == [True, True, False]
    assert [p.name for p in out.with_name(f"{out.name}.parts").iterdir()] == ["study.json"]


def test_finished_groups_are_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after the first of three groups by an interrupt; then only two are computed."""
    begun: list[int] = []

    def stopping(*_: Any) -> None:
        raise KeyboardInterrupt

    def counted(executor: Any, payload: bytes, groups: int) -> Any:
        begun.append(groups)
        return opened_executor(executor, payload, groups)

    monkeypatch.setattr(study_module, "opened_executor", counted)
    how: dict[str, Any] = {"samples": 2050, "out": tmp_path / "a.csv", "executor": "here"}
    with pytest.raises(KeyboardInterrupt):
        asm.study(ladder(), VARY, **how, progress=stopping)
    assert not (tmp_path / "a.csv").exists()
    asm.study(ladder(), VARY, **how)
    asm.study(ladder(), VARY, **how)  # complete: nothing is left
    assert begun == [3, 2]
    whole = tmp_path / "b.csv"
    asm.study(ladder(), VARY, samples=2050, out=whole, executor="here")
    assert (tmp_path / "a.csv").read_bytes() == whole.read_bytes()


class LastAtOnce(Executor):
    """Warms, then has the last of three groups at once and begins the others only."""

    def __init__(self) -> None:
        self.begun: list[Future[Any]] = []

    def submit(self, call: Any, /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.begun.append(future)
        if len(self.begun) in (1, 4):
            future.set_result(call(*args))
        return future


def test_what_an_interrupted_study_had_begun_elsewhere_is_cancelled() -> None:
    def stopping(*_: Any) -> None:
        raise KeyboardInterrupt

    executor = LastAtOnce()
    with pytest.raises(KeyboardInterrupt):
        asm.study(ladder(), VARY, samples=2050, executor=executor, progress=stopping)
    assert [future.cancelled() for future in executor.begun] == [False, True, True, False]


def test_progress_is_told_in_rows_with_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Groups of 1024 rows, one in 40 s by this clock: of 3000 rows the last 952 take 37 s."""
    ticks = itertools.count(start=100.0, step=40.0)
    monkeypatch.setattr(progress_module, "monotonic", lambda: next(ticks))
    line, told = Waiting(), list[str]()

    def tell(done: int, total: int, words: str) -> None:
        line.tell_time(done, total, words)
        told.append(line.line)

    asm.study(ladder(), VARY, samples=3000, executor="here", progress=tell)
    assert told == [
        "rows (1024 of 3000)",  # nothing to go by yet
        "rows (2048 of 3000), 37 s left",
        "rows (3000 of 3000), 0 s left",
    ]


def test_parts_of_another_study_are_refused(tmp_path: Path) -> None:
    def stopping(*_: Any) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "a.csv"
    with pytest.raises(KeyboardInterrupt):
        asm.study(ladder(), VARY, samples=1030, out=out, executor="here", progress=stopping)
    other = ladder()
    other.change("height", offset=3.5)
    for assembly, seed in ((ladder(), 1), (other, 0)):
        with pytest.raises(OtherStudy, match=r"a\.csv\.parts"):
            asm.study(assembly, VARY, samples=1030, seed=seed, out=out, executor="here")
    asm.study(ladder(), VARY, samples=1030, out=out, executor="here")
    complete = out.read_bytes()
    with pytest.raises(OtherStudy, match=r"a\.csv: .*another study"):
        asm.study(ladder(), VARY, samples=3, seed=2, out=out, executor="here")
    assert out.read_bytes() == complete
    out.unlink()
    asm.study(ladder(), VARY, samples=3, seed=2, out=out, executor="here")
    assert len(read_columns(out, 1, 1)) == 3


def test_what_is_not_of_a_study_stays_in_its_folder(tmp_path: Path) -> None:
    out, folder = tmp_path / "a.csv", tmp_path / "a.csv.parts"
    folder.mkdir()
    (folder / "notes.txt").write_text("of somebody")
    for seed in (0, 1):  # with no study before, and with another one whose rows were removed
        out.unlink(missing_ok=True)
        asm.study(ladder(), VARY, samples=3, seed=seed, out=out, executor="here")
        assert sorted(p.name for p in folder.iterdir()) == ["notes.txt", "study.json"]


REFUSED = [
    ({"vary": {"heigth.offset": [1.0]}}, "height.offset"),
    ({"vary": VARY}, "samples N"),
    ({"vary": {"q": "1:2"}}, "no parameter, driver or MATE.FIELD 'q'"),
    ({"vary": {"height.offset": [1.0]}, "measure": ["tap"]}, "'tap'"),
    ({"vary": {"height.offset": [1.0]}, "measure": {"row": {"joint": "height"}}}, "column 'row'"),
    ({"vary": {"height.offset": [1.0]}, "executor": "mars"}, "tcp://HOST:PORT"),
    ({"vary": {"height.offset": [1.0]}, "out": "rows.xls"}, "parquet"),
    ({"vary": {"height.sense": [1.0]}}, "no parameter, driver or MATE.FIELD"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_bad_input_is_refused(call: dict[str, Any], words: str) -> None:
    with pytest.raises(AssemblySolverError, match=words):
        asm.study(ladder(), **call)


@pytest.mark.quick
def test_the_command_refuses_bad_input_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = str(four_bar_file(tmp_path)), tmp_path / "a.csv"
    for more in (["--vary", "L=120"], ["--vary", "L=120:140"], ["--vary", "K=1:2:3"], []):
        asked = (
            [*more, "-o", str(tmp_path / "no" / "a.csv")]
            if more[:2] == ["--vary", "L=120"]
            else [*more, "-o", str(out)]
        )
        assert main(["study", file, *asked]) == 2
        said = capsys.readouterr()
        assert said.out == "" and len(said.err.splitlines()) == 1
    assert not out.exists() and not out.with_name("a.csv.parts").exists()


def _command(file: Path, out: Path) -> list[str]:
    words = ["study", str(file), "--vary", "L=130:150", "--samples", "3000", "-o", str(out)]
    return [sys.executable, "-m", "assembly_solver", *words]


@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_what_was_killed_goes_on_to_the_same_bytes(
    tmp_path: Path, how: signal.Signals, status: int
) -> None:
    file, out = four_bar_file(tmp_path), tmp_path / "a.csv"
    run = subprocess.Popen(
        _command(file, out),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # scripts' jobs ignore it
    )
    parts = out.with_name("a.csv.parts")
    while not list(parts.glob("[0-9]*")) and run.poll() is None:
        time.sleep(0.02)
    os.kill(run.pid, how)
    _, said = run.communicate()
    assert run.returncode == status
    assert "Traceback" not in said
    kept = {p.name: p.stat().st_mtime_ns for p in parts.glob("[0-9]*")}
    assert kept and not out.exists()
    again = subprocess.run(_command(file, out), capture_output=True, text=True, check=True)
    assert again.stdout == f"wrote {out}: 3000 rows, 3000 valid\n"
    whole = tmp_path / "b.csv"
    asm.study(asm.read(file), {"L": "130:150"}, samples=3000, out=whole, executor="here")
    assert out.read_bytes() == whole.read_bytes()


def test_rows_are_in_machine_code_from_the_first_one_on(tmp_path: Path) -> None:
    """Where solves begin interpreted, too: bytes as where every function is compiled at once."""
    file, out, whole = four_bar_file(tmp_path), tmp_path / "a.csv", tmp_path / "b.csv"
    words = ["--vary", "L=130:150", "--samples", "100", "--executor", "here", "-o", str(out)]
    env = {k: v for k, v in os.environ.items() if k != "ASSEMBLY_SOLVER_JIT"}
    subprocess.run(
        [sys.executable, "-m", "assembly_solver", "study", str(file), *words],
        env=env,
        capture_output=True,
        check=True,
    )
    asm.study(asm.read(file), {"L": "130:150"}, samples=100, out=whole, executor="here")
    assert out.read_bytes() == whole.read_bytes()
    assert "in machine code" in (tmp_path / "a.csv.parts" / "study.json").read_text()
