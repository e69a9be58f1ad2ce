"""How the code reads: short functions, one name for one thing, docstrings that say enough."""

from __future__ import annotations

import ast
import inspect
import io
import itertools
import re
import tokenize
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import assembly_solver as asm

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "assembly_solver"
FILES = [*sorted(PACKAGE.rglob("*.py")), *sorted((ROOT / "plugin").rglob("*.py"))]
LONGEST = 40
"""Lines of a function, its docstring not counted."""


@cache
def tree(path: Path) -> ast.Module:
    """The syntax of a file."""
    return ast.parse(path.read_text())


def functions(path: Path) -> list[tuple[ast.FunctionDef, int]]:
    """The functions of a file with their lines, docstring not counted."""
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            found.append((node, node.end_lineno - body[0].lineno + 1 if body else 0))
    return found


def test_long_functions_are_few_and_say_why() -> None:
    long = []
    for path in FILES:
        lines = path.read_text().splitlines()
        for node, length in functions(path):
            if length > LONGEST:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                above = [line.strip() for line in lines[max(first - 4, 0) : node.lineno - 1]]
                assert any(line.startswith("# Long:") for line in above), f"{path}: {node.name}"
                long.append(node.name)
    assert len(long) <= 15, long


def test_no_two_classes_have_one_name() -> None:
    homes = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_no_constant_of_a_module_is_given_twice() -> None:
    """The later one would hold for what was written with the earlier one, too."""
    twice = []
    for path in FILES:
        body = tree(path).body
        assigned = [t for n in body if isinstance(n, ast.Assign) for t in n.targets]
        names = [t.id for t in assigned if isinstance(t, ast.Name)]
        constants = Counter(n for n in names if n.isupper())
        twice += [f"{path.name}: {n}" for n, times in constants.items() if times > 1]
    assert twice == []


PUBLIC = [getattr(asm, name) for name in asm.__all__]
VERBS = [thing for thing in PUBLIC if inspect.isfunction(thing)]
METHODS = [
    method
    for thing in PUBLIC
    if inspect.isclass(thing)
    for name, method in vars(thing).items()
    if inspect.isfunction(method) and not name.startswith("_")
]


@pytest.mark.parametrize("thing", [*VERBS, *METHODS], ids=lambda thing: thing.__qualname__)
def test_public_functions_say_what_they_do(thing: object) -> None:
    assert inspect.getdoc(thing)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_public_verbs_tell_their_arguments(verb: object) -> None:
    """Each argument stands in the docstring by its name."""
    said = inspect.getdoc(verb) or ""
    assert "Args:" in said
    for name in inspect.signature(verb).parameters:  # type: ignore[arg-type]
        assert name in said, name


def test_examples_in_docstrings_have_the_heading_that_the_site_reads() -> None:
    """Under "Example:" its lines would run together as a quotation."""
    wrong = re.compile(r"^ *Example:$", re.M)
    assert [path for path in FILES if wrong.search(path.read_text())] == []


SETTINGS = 73
"""Constants of methods: a new comparison follows from the tolerance or from `rounding`."""


SMALL = re.compile(r"\d[eE]-")


def thresholds(path: Path) -> list[tuple[str, str]]:
    """Small numbers of a file, each with what is said of the constant that it is part of."""
    text = path.read_text()
    if not SMALL.search(text):
        return []
    told = {}
    for node, after in itertools.pairwise([*tree(path).body, ast.Pass()]):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            words = after.value if isinstance(after, ast.Expr) else None
            said = str(words.value) if isinstance(words, ast.Constant) else ""
            told.update(dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), said))
    numbers = tokenize.generate_tokens(io.StringIO(text).readline)
    return [
        (f"{path.name}:{t.start[0]} {t.string}", told.get(t.start[0], ""))
        for t in numbers
        if t.type == tokenize.NUMBER and "e-" in t.string.lower()
    ]


def test_thresholds_are_few() -> None:
    """Features are compared by the tolerance, arithmetic by `rounding`; all else is a setting."""
    found = [x for path in FILES if path.name != "rounding.py" for x in thresholds(path)]
    assert [place for place, said in found if not said.startswith("A setting")] == []
    assert len({said for _, said in found}) <= SETTINGS


def test_nothing_cites_what_is_not_in_the_repository() -> None:
    elsewhere = ("MATHEMATICS", "ARCHITECTURE", "CONTRACT.md", "HOUSE.md", "../shared")
    for path in [*FILES, *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.py")]:
        if path != Path(__file__):
            text = path.read_text()
            assert [word for word in elsewhere if word in text] == [], path


def test_every_folder_of_tests_has_its_share_in_the_quick_tier() -> None:
    for folder in {path.parent for path in (ROOT / "tests").rglob("test_*.py")}:
        if "plugin" not in folder.parts:  # CAD programs are not quick
            texts = [path.read_text() for path in folder.glob("test_*.py")]
            assert any("pytest.mark.quick" in text for text in texts), folder
