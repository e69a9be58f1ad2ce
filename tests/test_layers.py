"""The house: imports go down, the pillars know no assembly, importing is cheap, files are short."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "assembly_solver"
PLUGINS = sorted((ROOT.parent / "plugin").rglob("*.py"))
PUBLIC = ("assembly_solver", "assembly_solver.freecad")
"""The modules that plugins may import from: the second is the seam of the FreeCAD add-on."""

FLOOR = {
    "errors": 0,
    "version": 0,
    "jit": 0,
    "compiling": 0,
    "plain_numba": 0,
    "watch": 1,
    "geometry": 1,
    "graphs": 1,
    "numerics": 1,
    "model": 2,
    "kernel": 3,
    "turns": 3,
    "windings": 3,
    "bounds": 3,
    "system": 3,
    "placing": 3,
    "settling": 3,
    "sparse": 3,
    "formats": 3,
    "freecad": 4,
    "structure": 4,
    "runner": 5,
    "compliance": 5,
    "dragging": 5,
    "carrying": 6,
    "course": 6,
    "chart": 5,
    "growing": 5,
    "ascent": 5,
    "rungs": 5,
    "saddles": 5,
    "solver": 5,
    "active_set": 5,
    "diagnosis": 6,
    "kinematics": 6,
    "linkwork": 6,
    "clearance": 6,
    "conflicts": 6,
    "sampling": 6,
    "assembly_modes": 6,
    "outcome": 6,
    "remedies": 7,
    "wording": 7,
    "findings": 7,
    "results": 7,
    "reached": 7,
    "solution": 7,
    "analysis": 7,
    "equilibrium": 7,
    "holding": 7,
    "reactions": 7,
    "motion": 7,
    "states": 7,
    "linkages": 8,
    "stopping": 8,
    "sweeping": 8,
    "asked": 7,
    "verbs": 8,
    "certificate": 8,
    "readings": 7,
    "session": 8,
    "checking": 8,
    "cli": 9,
    "report": 9,
    "__main__": 9,
}
"""Floor of every module at the top and of every folder; the package itself stands above all."""

BESIDE = {
    ("compiling", "jit"),
    ("compiling", "plain_numba"),
    ("bounds", "kernel"),
    ("system", "bounds"),
    ("system", "kernel"),
    ("system", "turns"),
    ("turns", "kernel"),
    ("turns", "windings"),
    ("windings", "kernel"),
    ("bounds", "windings"),
    ("placing", "kernel"),
    ("settling", "kernel"),
    ("settling", "placing"),
    ("sparse", "kernel"),
    ("solver", "runner"),
    ("dragging", "compliance"),
    ("solver", "rungs"),
    ("solver", "ascent"),
    ("rungs", "ascent"),
    ("rungs", "chart"),
    ("rungs", "saddles"),
    ("saddles", "chart"),
    ("rungs", "growing"),
    ("active_set", "solver"),
    ("assembly_modes", "sampling"),
    ("findings", "wording"),
    ("results", "wording"),
    ("solution", "wording"),
    ("analysis", "wording"),
    ("solution", "remedies"),
    ("wording", "remedies"),
    ("solution", "results"),
    ("analysis", "solution"),
    ("readings", "solution"),
    ("equilibrium", "reactions"),
    ("equilibrium", "motion"),
    ("equilibrium", "results"),
    ("equilibrium", "solution"),
    ("equilibrium", "holding"),
    ("holding", "reactions"),
    ("holding", "wording"),
    ("reactions", "wording"),
    ("session", "verbs"),
    ("motion", "wording"),
    ("states", "motion"),
    ("states", "wording"),
    ("linkages", "verbs"),
    ("sweeping", "verbs"),
    ("sweeping", "stopping"),
    ("stopping", "verbs"),
    ("checking", "verbs"),
    ("checking", "linkages"),
    ("certificate", "verbs"),
    ("checking", "sweeping"),
    ("cli", "report"),
    ("__main__", "cli"),
}
"""Which may import which on its own floor: the first the second."""

PILLARS = ("geometry", "graphs", "numerics")
LONGEST = 400


def _modules() -> dict[str, Path]:
    """Dotted name below the package by file; a folder's own file bears the folder's name."""
    out = {}
    for path in sorted(ROOT.rglob("*.py")):
        names = path.relative_to(ROOT).with_suffix("").parts
        out[".".join(names[:-1] if names[-1] == "__init__" else names)] = path
    return out


MODULES = _modules()
BELOW_THE_TOP = [name for name in MODULES if name]


def room(module: str) -> str:
    """The folder, or the module where it stands at the top."""
    return module.split(".")[0]


@cache
def imports(module: str) -> frozenset[str]:
    """Modules of the package that a module imports anywhere, functions included."""
    path = MODULES[module]
    package = path.parent.relative_to(ROOT).parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [a.name.split(".") for a in node.names]
            found |= {".".join(n[1:]) for n in names if n[0] == ROOT.name}
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, package)
            if base is not None:
                found |= {_module_of(base, a.name) for a in node.names}
    return frozenset(found - {module})


def _base(node: ast.ImportFrom, package: tuple[str, ...]) -> tuple[str, ...] | None:
    """The package path that names are imported from; None where it is another package's."""
    named = tuple(node.module.split(".")) if node.module else ()
    if node.level == 0:
        return named[1:] if named[0] == ROOT.name else None
    return (*package[: len(package) - node.level + 1], *named)


def _module_of(base: tuple[str, ...], name: str) -> str:
    whole = ".".join((*base, name))
    return whole if whole in MODULES else ".".join(base)


@pytest.mark.parametrize("module", BELOW_THE_TOP)
def test_every_module_has_a_floor(module: str) -> None:
    assert room(module) in FLOOR, f"{module}: give it a floor here, and a reason"


@pytest.mark.parametrize("module", BELOW_THE_TOP)
def test_every_import_goes_down(module: str) -> None:
    me = FLOOR[room(module)]
    for other in imports(module):
        assert other, f"{module} imports from the package itself, which stands above it"
        down = FLOOR[room(other)] < me
        beside = room(other) == room(module) or (room(module), room(other)) in BESIDE
        assert down or beside, f"{module} (floor {me}) imports {other}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    order = list(TopologicalSorter({m: imports(m) for m in MODULES}).static_order())
    assert order.index("jit") < order.index("kernel") < order.index("verbs") < order.index("")
    assert len(order) == len(MODULES)


def test_the_cache_is_keyed_by_every_module_that_holds_compiled_functions() -> None:
    """Of all modules, not only the one asked for: a stale cache runs code that is gone."""
    from assembly_solver.jit import COMPILED_MODULES

    holds = {
        str(path.relative_to(ROOT).as_posix())
        for path in MODULES.values()
        if re.search(r"^@(compiled|borrowing)$", path.read_text(), re.MULTILINE)
    }
    assert holds == {name for name in COMPILED_MODULES if (ROOT / name).exists()}


def test_the_walls_are_those_that_were_meant() -> None:
    """The table above is not looser than the plan of the house."""
    assert max(FLOOR.values()) == FLOOR["cli"] == 9
    assert all(FLOOR[a] == FLOOR[b] for a, b in BESIDE)
    assert not any({"formats", "diagnosis", "conflicts"} & set(pair) for pair in BESIDE)


@cache
def words(path: Path) -> dict[str, int]:
    """Every word of a file in small letters, identifiers taken apart, with its first line."""
    out: dict[str, int] = {}
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        for piece in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", token.string):
            out.setdefault(piece.lower(), token.start[0])
    return out


@pytest.mark.parametrize("module", [m for m in BELOW_THE_TOP if room(m) in PILLARS])
def test_pillars_know_no_parts_mates_or_joints(module: str) -> None:
    known = words(MODULES[module])
    banned = {"part", "parts", "mate", "mates", "joint", "joints"} & set(known)
    assert not banned, {word: f"{module}, line {known[word]}" for word in banned}


@pytest.mark.parametrize("module", [m for m in BELOW_THE_TOP if room(m) == "model"])
def test_the_model_knows_no_newton(module: str) -> None:
    assert "newton" not in words(MODULES[module])


@pytest.mark.parametrize("path", [*MODULES.values(), *PLUGINS], ids=lambda p: p.stem)
def test_files_have_at_most_400_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST


def _asked_of_the_engine(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Module and name of everything that a plugin's file takes from the engine."""
    called: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            called |= {a.asname or a.name: a.name for a in node.names if room(a.name) == ROOT.name}
        elif isinstance(node, ast.ImportFrom) and room(node.module or "") == ROOT.name:
            yield from ((str(node.module), a.name) for a in node.names)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name(owner), name) if owner in called:
                yield called[owner], name


@pytest.mark.parametrize("path", PLUGINS, ids=lambda p: p.stem)
def test_plugins_touch_the_engine_by_its_public_names_only(path: Path) -> None:
    for module, name in _asked_of_the_engine(ast.parse(path.read_text())):
        assert module in PUBLIC, f"{path.name} imports {module}"
        assert name in import_module(module).__all__, f"{path.name} takes {name} of {module}"


def test_importing_the_package_loads_neither_numpy_nor_numba() -> None:
    ask = "import sys, assembly_solver; print({'numpy', 'numba', 'scipy'} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", ask], cwd=ROOT.parent, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "set()"


def test_every_public_name_is_there_and_every_verb_is_called_as_it_is_named() -> None:
    import assembly_solver as asm

    assert [name for name in asm.__all__ if not hasattr(asm, name)] == []
    assert {asm.solve.__name__, asm.diagnose.__name__, asm.analyse.__name__} == {
        "solve",
        "diagnose",
        "analyse",
    }
    with pytest.raises(AttributeError, match="has no attribute 'solv'"):
        _ = asm.solv  # type: ignore[attr-defined]
