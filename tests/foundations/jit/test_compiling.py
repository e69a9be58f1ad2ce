"""What is compiled how often, and what a second process loads: claims about numba, in processes."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assembly_solver.foundations.jit import decorators
from assembly_solver.report.terminal.progress import COMPILING, Waiting

pytest.importorskip("numba")

FUNCTIONS = """
import json, sys
from typing import NamedTuple
import numpy as np
from numba.core import event
from assembly_solver.foundations.jit.decorators import apart, borrowing, compiled, spread


@borrowing
def double(a):
    for k in range(len(a)):
        a[k] = 2.0 * a[k]


@apart
@compiled
def raised(a, by):
    out = np.empty(len(a))
    for k in range(len(a)):
        out[k] = a[k] + by
    double(out)
    return out


@compiled
def twice(a):
    return raised(raised(a, 1), 2)


@compiled
def once(a):
    double(a)
    return raised(a, 3)


class Scale(NamedTuple):
    by: float
    shift: np.ndarray


class Work(NamedTuple):
    scale: Scale
    values: np.ndarray


@spread
@apart
@compiled
def put(w: Work, out: np.ndarray) -> None:
    for k in range(len(out)):
        out[k] = w.scale.by * w.values[k] + w.scale.shift[k]


def spread_out(a):
    out = np.empty(len(a))
    put(Work(Scale(2.0, a), 10.0 * a), out)
    assert [type(t).__name__ for t in put.signatures[0]] == ["Float", "Array", "Array", "Array"]
    return out
"""

ASK = """
import functions
from assembly_solver.foundations.jit import decorators

compiled = []


class Listener(functions.event.Listener):
    def on_start(self, event):
        if compiled and decorators._BACKENDS[0] == "linking":
            assert decorators.compiles(), "what is compiled on behalf of another, while that is"
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass


functions.event.register("numba:compile", Listener())
for name in functions.sys.argv[1:]:
    values = getattr(functions, name)(functions.np.array([1.0, 2.0]))
assert not decorators.compiles()
own = [name for name in compiled if hasattr(functions, name)]
slow = "numba.cpython.unicode" in functions.sys.modules
print(functions.json.dumps([list(values), own, slow]))
"""


def told(cache: Path, *names: str, before: str = "") -> list[Any]:
    """Call the functions in a process of its own: the last values, what was compiled, what loaded.

    The last says whether the modules were loaded that numba compiles with.
    """
    out: list[Any] = json.loads(asked(cache, *names, before=before).stdout)
    return out


def asked(cache: Path, *names: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """That process, with what it printed."""
    return subprocess.run(
        [sys.executable, "-c", before + ASK, *names],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join((str(cache.parent), str(Path(__file__).parents[3]))),
            "NUMBA_CACHE_DIR": str(cache),
            "ASSEMBLY_SOLVER_JIT": "1",
            # Python's own cache takes a source for the same by its size and its second
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=True,
        cwd=cache.parent,
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """The cache of a process that called `twice`, and what that process told."""
    cache = tmp_path_factory.mktemp("functions") / "first"
    (cache.parent / "functions.py").write_text(FUNCTIONS)
    return cache, told(cache, "twice")


@pytest.fixture
def cache(first: tuple[Path, list[Any]], request: pytest.FixtureRequest) -> Path:
    """A copy of that cache for one test."""
    own = first[0].with_name(f"cache {request.node.name}")
    return Path(shutil.copytree(first[0], own))


def test_each_function_is_compiled_once_and_a_second_process_compiles_nothing(
    first: tuple[Path, list[Any]],
) -> None:
    """A literal argument makes no second version: 1 and 2 are numbers like any other."""
    assert first[1] == [[12.0, 16.0], ["twice", "raised", "double"], True]
    assert told(first[0], "twice") == [[12.0, 16.0], [], False]


def test_what_stands_apart_is_loaded_where_a_caller_is_compiled_later(cache: Path) -> None:
    assert told(cache, "once") == [[10.0, 14.0], ["once", "double"], True]
    assert told(cache, "once", "twice") == [[12.0, 16.0], [], False]


def test_tuples_are_handed_over_array_by_array_also_from_the_cache(cache: Path) -> None:
    assert told(cache, "spread_out") == [[21.0, 42.0], ["put"], True]
    assert told(cache, "spread_out") == [[21.0, 42.0], [], False]


def test_a_caller_whose_function_apart_left_the_cache_compiles_it_anew(cache: Path) -> None:
    for file in cache.rglob("*raised*"):
        file.unlink()
    assert told(cache, "twice") == [[12.0, 16.0], ["raised", "double"], True]


HIDDEN = {
    "a version": "import numba as n; n.version_info = n.version_info._replace(short=(9, 0))",
    "a name": "import numba.core.codegen as inside; del inside.JITCodeLibrary",
    "a method": "from numba.core.compiler_machinery import PassManager as P; del P.add_pass_after",
}


@pytest.mark.parametrize("what", HIDDEN)
def test_a_numba_that_is_not_known_compiles_as_it_comes(cache: Path, what: str) -> None:
    """Each function with all that it calls, in either order, and from its own cache."""
    names = ("once", "twice") if what == "a method" else ("twice",)
    log = f"import logging; logging.basicConfig(level='DEBUG', filename={str(cache / 'log')!r})\n"
    values, compiled, _ = told(cache, *names, before=f"{log}{HIDDEN[what]}\n")
    assert values == [12.0, 16.0]
    assert sorted(set(compiled)) == sorted({"double", "raised", *names})
    assert "linking is left alone" in (cache / "log").read_text()


def test_a_cache_file_written_in_half_is_compiled_anew(cache: Path) -> None:
    for file in cache.rglob("*.nbc"):
        file.write_bytes(file.read_bytes()[:1000])
    assert told(cache, "twice") == [[12.0, 16.0], ["twice", "raised", "double"], True]


NO_ROOM = """
from numba.core.caching import IndexDataCacheFile
def save(file, name, data): raise OSError(28, "No space left on device")
IndexDataCacheFile._save_data = save
"""


@pytest.mark.parametrize("numba", ["known", "unknown"])
def test_where_there_is_no_room_a_line_says_so_and_all_is_compiled(cache: Path, numba: str) -> None:
    shutil.rmtree(cache)
    unknown = f"{HIDDEN['a name']}\n" if numba == "unknown" else ""
    found = asked(cache, "twice", before=NO_ROOM + unknown)
    assert json.loads(found.stdout)[0] == [12.0, 16.0]
    assert found.stderr.count("cannot be kept: No space left on device; this process runs") == 1


def test_machine_code_of_an_older_source_is_not_taken_by_an_index_of_the_new_one(
    tmp_path: Path,
) -> None:
    """Numba writes the index first: what was to follow had no room, or the process was killed."""
    older = "import assembly_solver.foundations.jit.sources as s; s.stamp = lambda: b'older'\n"
    cache = tmp_path / "cache"
    (tmp_path / "functions.py").write_text(FUNCTIONS.replace("2.0 * a[k]", "3.0 * a[k]"))
    assert told(cache, "twice", before=older)[0] == [24.0, 33.0]
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    assert told(cache, "twice", before=NO_ROOM)[0] == [12.0, 16.0]
    assert told(cache, "twice")[:2] == [[12.0, 16.0], ["twice", "raised", "double"]]


def test_an_index_that_names_a_module_that_is_gone_is_written_anew(cache: Path) -> None:
    for file in cache.rglob("*.nbi"):
        with file.open("rb") as index:
            version = pickle.load(index)
        file.write_bytes(pickle.dumps(version) + b"cgone\nThing\n.")
    assert told(cache, "twice") == [[12.0, 16.0], ["twice", "raised", "double"], True]
    assert told(cache, "twice") == [[12.0, 16.0], [], False]


@pytest.mark.quick
def test_where_a_person_waits_for_the_compiler_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Waiting()
    line.tell(2, 7, "placing lid")
    assert line.line == "placing lid (2 of 7)"
    monkeypatch.setattr(decorators, "compiles", lambda: True)
    assert line.line == COMPILING


@pytest.mark.quick
def test_on_the_narrowest_terminal_the_line_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Waiting()
    line.tell(2, 7, "placing lid")
    for columns, shown in (("9", "placing…"), ("2", "…"), ("1", "…")):
        monkeypatch.setenv("COLUMNS", columns)
        assert line.line == shown


ASKING = """
import sys, threading
from assembly_solver.foundations.jit import decorators
sys.setswitchinterval(1e-6)
told, loaded = [], threading.Event()
def ask():
    while not loaded.is_set():
        try:
            told.append(decorators.compiles())
        except Exception as problem:
            told.append(repr(problem))
thread = threading.Thread(target=ask)
thread.start()
from assembly_solver.foundations.jit import linking
loaded.set()
thread.join()
print(set(told))
"""


def test_a_thread_may_ask_while_the_compiler_is_imported() -> None:
    """The thread of the progress line does: it once ended there, and the command said nothing."""
    path = str(Path(__file__).parents[3])
    found = subprocess.run(
        [sys.executable, "-c", ASKING],
        env=os.environ | {"PYTHONPATH": path, "ASSEMBLY_SOLVER_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert found.stdout == "{False}\n"


CALLS = "from functions import np, once, twice; print(twice(np.ones(1)), once(np.ones(1)))"


@pytest.mark.parametrize(
    ("text", "error"), [("", "ImportError"), ("raise KeyError('mine')", "KeyError('mine')")]
)
def test_a_file_that_keeps_numba_from_being_imported_is_named_once(
    tmp_path: Path, text: str, error: str
) -> None:
    (tmp_path / "timeit.py").write_text(text)
    (tmp_path / "functions.py").write_text(FUNCTIONS.replace("from numba.core import event\n", ""))
    path = os.pathsep.join((str(tmp_path), str(Path(__file__).parents[3])))
    found = subprocess.run(
        [sys.executable, "-c", CALLS],
        env=os.environ | {"PYTHONPATH": path, "ASSEMBLY_SOLVER_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert found.stdout == "[12.] [10.]\n"
    assert found.stderr.count("nothing is compiled") == 1
    assert error in found.stderr
    assert str(tmp_path / "timeit.py") in found.stderr
