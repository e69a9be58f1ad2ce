"""Numbers that others published or stored, carried over into `tests/facts`, and their originals.

The files of others are not part of the repository.  What they show stands in `tests/facts` in files
of our own, each with its source.  Where the environment variable `ASSEMBLY_SOLVER_ORIGINALS` names
a folder that holds the originals, the tests marked `originals` run on them as well.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assembly_solver as asm

FACTS = Path(__file__).parents[1] / "facts"
VARIABLE = "ASSEMBLY_SOLVER_ORIGINALS"

originals = pytest.mark.originals
"""Of tests that read files of others; they are not collected where no folder is named."""


@cache
def facts(name: str) -> dict[str, Any]:
    """The content of a file of facts."""
    found: dict[str, Any] = json.loads((FACTS / name).read_text(encoding="utf-8"))
    return found


def known_assembly(name: str) -> asm.Assembly:
    """An assembly among the facts."""
    return asm.read(FACTS / f"{name}.assembly.json")


def original(*names: str) -> Path:
    """A file of others, in the folder that the environment variable names."""
    path = Path(os.environ[VARIABLE], *names)
    assert path.is_file(), f"{VARIABLE} names a folder without {'/'.join(names)}"
    return path
