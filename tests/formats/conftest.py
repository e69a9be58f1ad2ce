"""Command lines in the tests of formats."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assembly_solver import cli


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command line: its exit status, what it printed, what it told on standard error."""

    def call(*words: object) -> tuple[int, str, str]:
        status = cli.main([str(word) for word in words])
        out, err = capsys.readouterr()
        return status, out, err

    return call
