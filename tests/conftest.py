"""Settings of all tests, and which of them run here."""

from __future__ import annotations

import os

os.environ.setdefault("ASSEMBLY_SOLVER_JIT", "1")  # but for the tests of what is interpreted first
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does

import pytest
from facts import VARIABLE
from hypothesis import settings

settings.register_profile("here", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("here")


def pytest_report_header() -> str:
    """Says whether the tests on the files of others run."""
    folder = os.environ.get(VARIABLE)
    where = f"in {folder}" if folder else f"not tested: {VARIABLE} names no folder"
    return f"files that others wrote: {where}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests on files of others where no folder with them is named."""
    if os.environ.get(VARIABLE):
        return
    theirs = [item for item in items if item.get_closest_marker("originals")]
    config.hook.pytest_deselected(items=theirs)
    items[:] = [item for item in items if item not in theirs]
