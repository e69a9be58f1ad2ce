"""A browser for the tests of a module that drive pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchmarks.chromium import CHROMIUM, Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of a module; they are skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        found = Browser(Path(profile))
        yield found
        found.close()
