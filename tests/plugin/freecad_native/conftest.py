"""Tests in a FreeCAD with assemblies, none elsewhere (see ../test_freecad_native.py)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[3] / "plugin" / "freecad")]

if find_spec("FreeCAD") is None or find_spec("JointObject") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def bench() -> Iterator[Any]:
    """A new document with an assembly; afterwards all documents are closed."""
    import FreeCAD
    from making import Bench

    yield Bench()
    for name in [*FreeCAD.listDocuments()]:
        FreeCAD.closeDocument(name)
