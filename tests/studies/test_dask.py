"""A real scheduler of Dask with workers in processes of their own, one of which is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from studied import four_bar

import assembly_solver as asm
from assembly_solver.errors import BadValue
from assembly_solver.studies.columns import read_columns

distributed = pytest.importorskip("distributed")

WORKERS = 4
ROWS = 5000
"""More groups than workers."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its workers."""
    told, begun = tmp_path / "scheduler.json", list[subprocess.Popen[bytes]]()

    def begin(program: str, *words: str) -> None:
        ask = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *words]
        ask += ["--scheduler-file", str(told)]
        begun.append(subprocess.Popen(ask, cwd=tmp_path, stderr=subprocess.DEVNULL))

    try:
        begin("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        for _ in range(WORKERS):
            begin("dask_worker", "--no-nanny", "--nthreads", "1", "--memory-limit", "0")
        with distributed.Client(scheduler_file=str(told), timeout=60) as client:
            client.wait_for_workers(WORKERS, timeout=120)
            address = client.scheduler.address
        yield address, begun[1:]
    finally:
        for process in begun:
            process.kill()
            process.wait()


def test_a_killed_worker_loses_and_doubles_no_row(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, workers = cluster
    killed: list[int] = []

    def kill_one(done: int, total: int, words: str) -> None:
        if not killed:  # the others of the first groups are at work
            os.kill(workers[0].pid, signal.SIGKILL)
            killed.append(workers[0].wait())

    paths = tmp_path / "cluster.parquet", tmp_path / "here.parquet"
    vary, assembly = {"L": "130:150"}, four_bar(tmp_path)
    asm.study(assembly, vary, samples=ROWS, out=paths[0], executor=address, progress=kill_one)
    asm.study(assembly, vary, samples=ROWS, out=paths[1], executor="here")
    assert killed == [-signal.SIGKILL]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    rows = read_columns(paths[0], 1, 1)
    assert len(set(rows.values["L"].tolist())) == ROWS and all(rows.valid)


def test_a_client_is_used_and_left_open(tmp_path: Path) -> None:
    with (
        distributed.LocalCluster(
            1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as local,
        distributed.Client(local) as client,
    ):
        found = asm.study(four_bar(tmp_path), {"L": [130.0, 140.0]}, executor=client)
        assert client.status == "running"
    assert found.valid == 2


def test_an_error_of_a_worker_comes_back_with_its_words() -> None:
    with (
        distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None) as local,
        distributed.Client(local) as client,
        pytest.raises(BadValue, match=r"^solve\(budget\): 'long' is not possible here"),
    ):
        client.submit(asm.solve, asm.Assembly(), budget="long").result(timeout=120)
