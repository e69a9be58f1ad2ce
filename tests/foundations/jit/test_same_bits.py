"""Machine code and interpreted code give the same bits: what prevents that is not written."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assembly_solver

PACKAGE = Path(assembly_solver.__file__).parent
DECORATORS = {"compiled", "borrowing", "inlined", "spread", "apart", "unlocked", "sized"}
PLAIN = ("equations", "foundations", "model", "solver", "structure")


@pytest.mark.parametrize("folder", PLAIN)
def test_no_plain_loop_has_a_power(folder: str):
    """x ** 2 is x * x in machine code, and the power of the C library where interpreted: it is
    rounded otherwise for one number in a thousand."""
    found = []
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        for f in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(f, ast.FunctionDef):
                continue
            names = {n.id for d in f.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
            if names & DECORATORS:
                powers = (n for n in ast.walk(f) if isinstance(n, ast.BinOp))
                found += [f"{path.name}: {f.name}" for n in powers if isinstance(n.op, ast.Pow)]
    assert found == []
