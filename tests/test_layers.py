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

ORDER = (
    "version",
    "errors",
    "foundations",
    "model",
    "formats",
    "freecad",
    "equations",
    "structure",
    "solver",
    "linkages",
    "kinematics",
    "diagnosis",
    "results",
    "verbs",
    "studies",
    "checking",
    "report",
    "cli",
    "__main__",
)
"""The house from the ground up: each imports only what stands before it, and itself."""

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
PILLARS = [m for m in BELOW_THE_TOP if re.match(r"foundations\.(geometry|graphs|numerics)\b", m)]
"""Geometry and numbers that know nothing of assemblies."""


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


@pytest.mark.quick
def test_every_room_has_its_place() -> None:
    assert {room(module) for module in BELOW_THE_TOP} == set(ORDER)


def test_every_import_goes_down() -> None:
    """The package itself, of no name, stands above all."""
    height = {"": len(ORDER)} | {name: k for k, name in enumerate(ORDER)}
    pairs = [(module, other) for module in BELOW_THE_TOP for other in imports(module)]
    assert [pair for pair in pairs if height[room(pair[1])] > height[room(pair[0])]] == []


def test_the_house_has_at_most_20_rooms_on_14_floors() -> None:
    """A room stands one floor above the highest that it imports; studies are below checking."""
    above: dict[str, set[str]] = {name: set() for name in ORDER}
    for module in BELOW_THE_TOP:
        above[room(module)] |= {room(o) for o in imports(module)} - {room(module)}
    floor: dict[str, int] = {}
    for name in ORDER:
        floor[name] = 1 + max((floor[other] for other in above[name]), default=0)
    assert len(floor) + 1 <= 20  # and the package itself
    assert max(floor.values()) <= 14, floor


@pytest.mark.quick
def test_no_modules_import_each_other_in_a_circle() -> None:
    order = list(TopologicalSorter({m: imports(m) for m in MODULES}).static_order())
    assert len(order) == len(MODULES)


FOLDERS = sorted(path.relative_to(ROOT).parts for path in ROOT.rglob("*") if any(path.glob("*.py")))


def test_no_folders_within_one_import_each_other_in_a_circle() -> None:
    """What stands in a folder, files and folders alike, has an order as well."""
    for folder in FOLDERS:
        inside = {m for m in MODULES if tuple(m.split("."))[: len(folder)] == folder}
        above: dict[str, set[str]] = {}
        for module in inside:
            name = _within(module, folder)
            others = {_within(o, folder) for o in imports(module) & inside}
            above.setdefault(name, set()).update(others - {name})
        assert set(TopologicalSorter(above).static_order()) == set(above)


def _within(module: str, folder: tuple[str, ...]) -> str:
    """The file or folder in a folder that a module belongs to; empty for the folder's own file."""
    return ".".join(module.split(".")[len(folder) : len(folder) + 1])


COMPILED = r"^@(compiled$|borrowing$|in_two_forms\(|on_lists\(|partial\(borrowing_in_form)"


def test_the_cache_is_keyed_by_every_module_that_holds_compiled_functions() -> None:
    """Of all modules, not only the one asked for: a stale cache runs code that is gone."""
    from assembly_solver.foundations.jit.sources import COMPILED_MODULES

    holds = {
        str(path.relative_to(ROOT).as_posix())
        for path in MODULES.values()
        if re.search(COMPILED, path.read_text(), re.MULTILINE)
    }
    assert holds == {name for name in COMPILED_MODULES if (ROOT / name).exists()}


@cache
def words(path: Path) -> dict[str, int]:
    """Every word of a file in small letters, identifiers taken apart, with its first line."""
    out: dict[str, int] = {}
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        for piece in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", token.string):
            out.setdefault(piece.lower(), token.start[0])
    return out


def told(modules: list[str], banned: set[str]) -> list[str]:
    """Where modules have words that they are not to know."""
    known = {module: words(MODULES[module]) for module in modules}
    return [
        f"{m}, line {at}: {w}" for m, own in known.items() for w, at in own.items() if w in banned
    ]


def test_pillars_know_no_parts_mates_or_joints() -> None:
    assert told(PILLARS, {"part", "parts", "mate", "mates", "joint", "joints"}) == []


def test_the_model_knows_no_newton() -> None:
    assert told([m for m in BELOW_THE_TOP if room(m) == "model"], {"newton"}) == []


def test_files_have_at_most_400_lines() -> None:
    lengths = {p: len(p.read_text().splitlines()) for p in (*MODULES.values(), *PLUGINS)}
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


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


def test_plugins_touch_the_engine_by_its_public_names_only() -> None:
    public = {(module, name) for module in PUBLIC for name in import_module(module).__all__}
    asked = {path: set(_asked_of_the_engine(ast.parse(path.read_text()))) for path in PLUGINS}
    assert {path: names - public for path, names in asked.items() if names - public} == {}


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
