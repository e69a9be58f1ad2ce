"""The sentences that the code can print, read from it, with "..." for what is filled in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ANSWERS = [
    "results",
    "verbs",
    "checking",
    "diagnosis",
    "solver",
    "kinematics",
    "linkages",
    "studies",
]
"""Folders whose texts of three words and more are said in answers."""

BASE = "AssemblySolverError"
NAMES = ("solver/modes/loop_starts.py",)
"""Modules whose texts are names."""


@cache
def tree(path: Path) -> tuple[Any, ...]:
    """All nodes of a module, the module first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def source(folder: str, naming: str = "") -> list[Path]:
    """The modules below a folder of the package, those that name one of `naming`, a pattern."""
    paths = sorted((ROOT / "assembly_solver" / folder).rglob("*.py"))
    return [path for path in paths if re.search(naming, path.read_text(encoding="utf-8"))]


@cache
def errors() -> dict[str, ast.ClassDef]:
    """The errors that a user can meet; those of the add-on for FreeCAD as `asf.NAME`."""
    out = {}
    for path in [*source("", BASE), *source("../plugin", BASE)]:
        for node in tree(path):
            bases = {_name(base) for base in getattr(node, "bases", ())}
            if isinstance(node, ast.ClassDef) and BASE in bases:
                out["asf." * ("plugin" in path.parts) + node.name] = node
    return out


def text_of(node: ast.AST) -> str:
    """The text of a constant or an f-string; "" of another node."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(v) or "..." for v in node.values).replace("......", "...")
    return ""


def words(text: str) -> int:
    """How many words stand in a text, without what is filled in."""
    return sum(word.strip(".,;:()").isalpha() for word in text.replace("...", " ").split())


def texts(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[ast.AST, str]]:
    """The texts among nodes, each with its node: neither docstrings nor pieces of f-strings."""
    pieces = {v for node in nodes if isinstance(node, ast.JoinedStr) for v in node.values}
    pieces |= {node.value for node in nodes if isinstance(node, ast.Expr)}
    yield from ((n, text_of(n).strip()) for n in nodes if n not in pieces and text_of(n))


@cache
def raised() -> dict[ast.AST, str]:
    """The nodes of texts that are said in errors, each with the name of the class."""
    out: dict[ast.AST, str] = {}
    for path in source("", "|".join(errors())):
        constants = [node for node in tree(path)[0].body if isinstance(node, ast.Assign)]
        for node in tree(path):
            if isinstance(node, ast.FunctionDef):
                out |= _raised_in([*constants, *ast.walk(node)])
    for name, node in errors().items():
        out |= dict.fromkeys(ast.walk(node), name)
    return out


def _raised_in(nodes: list[ast.AST]) -> dict[ast.AST, str]:
    """What calls of errors in a function are given, as it stands or by a name."""
    out: dict[ast.AST, str] = {}
    named = [node for node in nodes if isinstance(node, ast.Assign)]
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        if (error := _name(call.func)) in errors():
            inside = set(ast.walk(call))
            known = {_name(node) for node in inside} - {""}
            for node in named:
                if _name(node.targets[0]) in known:
                    inside.update(ast.walk(node.value))
            out |= dict.fromkeys(inside, error)
    return out


def _name(node: ast.AST) -> str:
    """The last name of a name, of an attribute or of an element; "" of another node."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return getattr(node, "id", getattr(node, "attr", ""))


def answers() -> dict[str, str]:
    """The sentences and pieces of sentences of answers, each with its module; no headings."""
    out = {}
    for path in (path for folder in ANSWERS for path in source(folder)):
        place = path.relative_to(ROOT / "assembly_solver").as_posix()
        for node, text in texts(tree(path)) if place not in NAMES else ():
            if words(text) >= 3 and node not in raised() and not text[0].isupper():
                out[text] = place
    return out


@cache
def wordings() -> dict[str, list[str]]:
    """What is said in errors, in three words and more, by the name of the class."""
    out: dict[str, set[str]] = {name: set() for name in errors()}
    for path in source("", "|".join(errors())):
        for node, text in texts(tree(path)):
            if words(text) >= 3 and (name := raised().get(node)):
                out[name].add(text)
    return {name: sorted(told) for name, told in out.items()}
