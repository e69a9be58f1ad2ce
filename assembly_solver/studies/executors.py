"""Who computes the groups of a study: processes of this machine, any `Executor`, or Dask.

All of them are given `groups.run_group` by the interface of `concurrent.futures.Executor`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from threading import Thread
from typing import Any
from weakref import WeakSet

from ..errors import BadValue, MissingExtra
from ..foundations.jit.threads import cores
from .groups import run_group, warm

RETRIES = 3
"""Times that Dask gives a group to another worker where one fails or dies."""

HERE, PROCESSES = "here", "processes"
LOCAL = "dask"
ADDRESSES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
WANTED = (
    "tcp://HOST:PORT of a Dask scheduler, 'dask', 'processes', 'here', a Dask Client or an "
    "Executor of concurrent.futures"
)

Submit = Callable[[int], "Future[Any]"]
"""Begins to compute a group by number."""


def check_executor(executor: Any) -> None:
    """Raise where it is no executor, or needs what is not installed."""
    if isinstance(executor, str) and executor not in (HERE, PROCESSES):
        if executor != LOCAL and not executor.startswith(ADDRESSES):
            raise BadValue("executor", executor, WANTED)
        _distributed()
    elif not (executor is None or isinstance(executor, (str, Executor)) or _is_client(executor)):
        raise BadValue("executor", executor, WANTED)


@contextmanager
def opened_executor(executor: Any, payload: bytes, groups: int) -> Iterator[Submit]:
    """What begins to compute a group, with workers that are warm; ends those begun for it.

    Args:
        executor: as of `study`; None for processes, one a core, where there are several groups.
        payload: the packed job; groups: how many are to be computed.
    """
    if executor is None:
        executor = HERE if min(cores(), groups) < 2 else PROCESSES
    if executor == HERE:
        yield lambda number: _done_here(payload, number)
    elif executor == PROCESSES:
        with _processes(min(cores(), groups)) as pool:
            yield lambda number: pool.submit(run_group, payload, number)
    elif isinstance(executor, Executor):
        executor.submit(warm, payload).result()
        with _cancelling(lambda number: executor.submit(run_group, payload, number)) as submit:
            yield submit
    else:
        with _client(executor) as client, _cancelling(_on_dask(client, payload)) as submit:
            yield submit


@contextmanager
def _cancelling(submit: Submit) -> Iterator[Submit]:
    """What is begun so, and cancelled in the end where nobody waits for it any more.

    Processes of `_processes` end by themselves: their pool fails over what others cancelled.
    """
    begun: WeakSet[Future[Any]] = WeakSet()

    def submitted(number: int) -> Future[Any]:
        future = submit(number)
        begun.add(future)
        return future

    try:
        yield submitted
    finally:
        for future in begun:
            future.cancel()


def _done_here(payload: bytes, number: int) -> Future[Any]:
    done: Future[Any] = Future()
    done.set_result(run_group(payload, number))
    return done


# ---------------------------------------------------------------------------- processes
@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    """Processes of this machine; where this is left by an error, they are ended at once."""
    before = set(multiprocessing.active_children())
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as many processes as cores do the work
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, initializer=_begin)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    pool.shutdown()


def _begin() -> None:
    """In a worker: an interrupt is its parent's affair, and it ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=end_with_parent, daemon=True).start()


# ---------------------------------------------------------------------------- Dask
def _is_client(executor: Any) -> bool:
    return hasattr(executor, "scatter") and hasattr(executor, "get_executor")


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtra("cluster", "an executor of Dask") from None


@contextmanager
def _client(executor: Any) -> Iterator[Any]:
    """A client of Dask: the one given, or one that is closed in the end."""
    if _is_client(executor):
        yield executor
        return
    distributed = _distributed()
    if executor != LOCAL:
        with distributed.Client(executor, set_as_default=False) as client:
            yield client
        return
    with (
        distributed.LocalCluster(cores(), threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _on_dask(client: Any, payload: bytes) -> Submit:
    """Groups on the workers of a client: each has the job once, one of a machine warms it first."""
    client.wait_for_workers(1)
    one_a_machine = {address.rpartition(":")[0]: address for address in client.nthreads()}
    job = client.scatter([payload], broadcast=True, hash=False)[0]
    warming = [
        client.submit(warm, job, workers=[address], allow_other_workers=True, pure=False)
        for address in one_a_machine.values()
    ]
    client.gather(warming)
    executor = client.get_executor(pure=False, retries=RETRIES)
    return lambda number: executor.submit(run_group, job, number)
