"""Interpreted first, machine code where it pays: claims about processes, in processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

FUNCTIONS = """
import json, os, sys, time
import numpy as np
from assembly_solver.foundations.jit import aside, decorators, tiers
from assembly_solver.foundations.jit.decorators import apart, compiled


@apart
@compiled
def total(a):
    out = 0.0
    for k in range(len(a)):
        out += a[k] * a[k]
    return out


@compiled
def repeated(a, times):
    out = 0.0
    for k in range(times):
        out += total(a)
    return out


def thrice(a):
    return repeated(a, 3)


def at_once():
    tiers.PATIENCE = tiers.PAUSE = tiers.WORTH = 0.0
    decorators.CALLS = 0


def until(done):
    for k in range(600):
        repeated(ONES, 3)
        if done():
            return
        time.sleep(0.1)
    raise SystemExit("60 s are over")


ONES = np.ones(4)
"""


ENVIRONMENT = {"ASSEMBLY_SOLVER_JIT": ""}
"""Of the processes; "" is what users have."""

LIMIT = 600.0
"""Of a process, s: several compilations on a busy machine."""


def told(cache: Path, script: str) -> Any:
    """What a script in a process of its own prints, as JSON; with a folder for its caches."""
    (cache.parent / "functions.py").write_text(FUNCTIONS)
    path = os.pathsep.join((str(cache.parent), str(Path(__file__).parents[3])))
    own = ENVIRONMENT | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(cache)}
    found = subprocess.run(
        [sys.executable, "-c", f"from functions import *\n{script}"],
        env=os.environ | own,
        capture_output=True,
        text=True,
        cwd=cache.parent,
        check=False,
        timeout=LIMIT,
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A cache in which nothing is yet."""
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A cache in which all was compiled aside, and what was seen of that: see its test."""
    cache = tmp_path_factory.mktemp("functions") / "first"
    return cache, told(cache, f"{SEEN}{WAIT}{ANSWER}")


@pytest.fixture
def full(compiled: tuple[Path, Any], request: pytest.FixtureRequest) -> Path:
    """A copy of that cache for one test."""
    own = compiled[0].with_name(f"cache {request.node.name}")
    return Path(shutil.copytree(compiled[0], own))


WAIT = "at_once(); until(lambda: repeated.signatures)\n"
"""Until the functions, which are compiled aside, run by machine code."""

SEEN = """
at_once()
repeated(ONES, 3)
place = f"/proc/{tiers.TIER._aside._process.pid}/fd"
links = [os.readlink(f"{place}/{k}") for k in (1, 2)] if os.path.exists(place) else []
"""
ANSWER = "print(json.dumps([links, repeated(ONES, 3), repeated.signatures != ()]))"


@pytest.mark.quick
def test_short_work_is_interpreted_and_imports_no_numba(empty: Path) -> None:
    ask = "print(json.dumps([repeated(ONES, 3), 'numba' in sys.modules, repeated.open]))"
    assert told(empty, ask) == [12.0, False, True]
    assert not empty.exists()


def test_where_work_is_expected_machine_code_is_looked_for_after_the_first_call(
    empty: Path,
) -> None:
    ask = "tiers.Tier._look = lambda tier: looks.append(1)\nlooks = []\nrepeated(ONES, 3)\n"
    ask += "before = len(looks)\ntiers.TIER.expect_work()\nrepeated(ONES, 3)\n"
    assert told(empty, f"{ask}print(json.dumps([before, len(looks)]))") == [0, 1]


def test_what_is_used_is_compiled_aside_and_taken(compiled: tuple[Path, Any]) -> None:
    """By a process without a pipe of the caller, at the lowest priority, one at a time."""
    cache, (links, value, machine) = compiled
    assert {*links} <= {os.devnull}
    assert (value, machine) == (12.0, True)
    again = "at_once(); repeated(ONES, 3); repeated(ONES, 3)\n"
    ask = "print(json.dumps([tiers.TIER._aside is None, repeated.signatures != ()]))"
    assert told(cache, again + ask) == [True, True]


def test_work_that_has_begun_goes_over_at_the_next_call(full: Path) -> None:
    marks = "for f in aside.folder().iterdir(): f.name.endswith('repeated') and f.unlink()\n"
    ask = "print(json.dumps([repeated(ONES, 3), total.signatures != (), repeated.signatures]))"
    begin = "at_once()\naside.begin = lambda *given: None\n"
    assert told(full, marks + begin + ask) == [12.0, True, []]


def test_a_compiler_that_is_killed_leaves_a_good_cache(empty: Path) -> None:
    kill = """
at_once()
repeated(ONES, 3)
if tiers.TIER._aside is not None:  # else all is compiled already
    process = tiers.TIER._aside._process
    time.sleep(DELAY)
    process.kill()
    process.wait()
print(repeated(ONES, 3))
"""
    for delay in ("0.0", "1.0", "2.0", "4.0"):
        assert told(empty, kill.replace("DELAY", delay)) == 12.0
    ask = f"{WAIT}print(json.dumps([repeated(ONES, 3), total(ONES)]))"
    assert told(empty, ask) == [12.0, 4.0]


def test_what_does_not_load_though_it_is_marked_ready_is_compiled_aside_again(full: Path) -> None:
    """As where another state of the source was compiled meanwhile, or files were removed."""
    begin = "marked = len(os.listdir(aside.folder()))\n"
    ask = "print(json.dumps([marked, repeated(ONES, 3), repeated.signatures != ()]))"
    for lost in ("*.nbi", "*total*.nbc"):
        files = [*full.rglob(lost)]
        assert files
        for file in files:
            file.unlink()
        assert told(full, f"{begin}{WAIT}{ask}") == [2, 12.0, True]


def test_other_arguments_are_interpreted_until_they_are_compiled(full: Path) -> None:
    """Of another type, apart in memory, or that must not be written."""
    other = "single = np.ones(8, np.float32)[::2]\nsingle.flags.writeable = False\n"
    other += "value = repeated(single, 3)\n"
    wait = "until(lambda: repeated(single, 3) and len(repeated.signatures) == 2)\n"
    ask = "print(json.dumps([*map(float, (value, repeated(single, 3), repeated(ONES, 3)))]))"
    assert told(full, WAIT + other + wait + ask) == [12.0, 12.0, 12.0]


@pytest.mark.parametrize(
    "why",
    ["sys.executable = '/usr/bin/FreeCAD'", "aside.folder, aside.LONGEST = lambda: None, 0.0"],
)
def test_where_no_process_can_do_it_a_thread_compiles(empty: Path, why: str) -> None:
    """In a program that is not Python, and where nothing can be written and work takes long."""
    ask = "print(json.dumps([isinstance(tiers.TIER._aside, aside.Thread), repeated(ONES, 3)]))"
    begin = f"{why}\nat_once()\nrepeated(ONES, 3)\n"
    assert told(empty, f"{begin}{ask}") == [True, 12.0]
    ask = "print(json.dumps([repeated(ONES, 3), repeated.signatures != ()]))"
    assert told(empty, f"{why}\n{WAIT}{ask}") == [12.0, True]


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="this system has no users to become")
def test_where_nothing_can_be_written_a_process_ends_without_waiting_for_a_compiler(
    empty: Path,
) -> None:
    """Root may write everywhere, so it becomes somebody else."""
    ask = """
os.environ |= {"HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}
aside.version("numba"), aside.platform.processor()  # libraries that root alone may read
os.chmod(".", 0o555)
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
at_once()
values = [repeated(ONES, 3) for _ in range(3)]
print(json.dumps([values, aside.folder(), tiers.TIER._aside, "numba" in sys.modules]))
"""
    assert told(empty, ask) == [[12.0] * 3, None, None, False]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_was_forked_goes_on(empty: Path) -> None:
    fork = """
at_once()
repeated(ONES, 3)
child = os.fork()
if child == 0:
    until(lambda: repeated.signatures)
    os._exit(int(repeated(ONES, 3)))
until(lambda: repeated.signatures)
print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), repeated(ONES, 3)]))
"""
    assert told(empty, fork) == [12, 12.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("first", ["pass", "decorators.compile_at_once()"])
def test_a_process_forked_while_a_thread_compiles_stays_interpreted(
    empty: Path, first: str
) -> None:
    """Numba's lock, which the thread has, is held for good in the child: of a study, say."""
    fork = f"""
import faulthandler
sys.executable = "/usr/bin/FreeCAD"
from numba.core.compiler_lock import global_compiler_lock
held = aside.threading.Event()
def slow(name, args):
    with global_compiler_lock:
        held.set()
        time.sleep(1.0)
aside.compile_one = slow
at_once()
repeated(ONES, 3)
held.wait()
child = os.fork()
if child == 0:
    faulthandler.dump_traceback_later(30.0, exit=True)
    {first}
    values = [repeated(ONES, 3) for _ in range(200)]
    sys.exit(int(values[-1]))  # which waits for a thread
print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), repeated(ONES, 3)]))
"""
    assert told(empty, fork) == [12, 12.0]


@pytest.mark.parametrize("lacks", ["Popen", "TemporaryFile"])
def test_where_no_process_can_be_begun_all_stays_interpreted(empty: Path, lacks: str) -> None:
    """No memory or number is left for it, or there is no room for what is asked."""
    ask = f"""
def none_left(*words, **how): raise OSError("none is left")
aside.folder()  # which begins processes of its own
aside.{"subprocess" if lacks == "Popen" else "tempfile"}.{lacks} = none_left
at_once()
print(json.dumps([[repeated(ONES, 3) for _ in range(3)], tiers.TIER._aside]))
"""
    assert told(empty, ask) == [[12.0] * 3, None]


def test_what_the_cache_has_no_room_for_is_not_said_to_be_ready(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is compiled in memory."""
    monkeypatch.setitem(ENVIRONMENT, "ASSEMBLY_SOLVER_JIT", "1")
    full = """
from numba.core.caching import IndexDataCacheFile
kept = IndexDataCacheFile._save_data
def save(file, name, data):
    if "repeated" in name: raise OSError("no space left on device")
    kept(file, name, data)
IndexDataCacheFile._save_data = save
values = [repeated(ONES, 3), total(ONES)]
kept = aside.tell_ready()
print(json.dumps([values, len(repeated.signatures), os.listdir(aside.folder()), kept]))
"""
    assert told(empty, full) == [[12.0, 4.0], 1, ["functions.total"], False]


def test_what_compiles_aside_ends_where_there_is_no_room(empty: Path) -> None:
    """What else it compiled would be lost as well."""
    full = """
import tempfile
from numba.core.caching import IndexDataCacheFile
def save(file, name, data): raise OSError("no space left on device")
IndexDataCacheFile._save_data = save
with tempfile.TemporaryFile() as file:
    aside._Pickler(file).dump([(e.name, (ONES, 3)[:n]) for n, e in ((1, total), (2, repeated))])
    file.seek(0)
    tiers.TIER.waits = True  # as in the process, which compiles at once
    aside.main(file)
print(json.dumps([len(total.signatures), len(repeated.signatures)]))
"""
    assert told(empty, full) == [1, 0]


def test_several_processes_at_once_share_what_one_compiles(empty: Path) -> None:
    several = """
import subprocess
command = [sys.executable, "-c", "from functions import *; at_once();"
           "until(lambda: repeated.signatures); print(repeated(ONES, 3))"]
all = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for k in range(3)]
print(json.dumps([float(p.communicate(timeout=300.0)[0]) for p in all]))
"""
    assert told(empty, several) == [12.0] * 3


def test_a_process_that_waits_for_another_ends_without_compiling(empty: Path) -> None:
    pytest.importorskip("fcntl")
    waits = """
import fcntl, io, pickle
place = aside.folder()
other = (place.parent / f"{place.name}.lock").open("w")
fcntl.flock(other, fcntl.LOCK_EX)
aside.LONGEST = 0.3
aside.main(io.BytesIO(pickle.dumps([("functions.total", (ONES,))])))
print(json.dumps([os.listdir(place), list(total.signatures)]))
"""
    assert told(empty, waits) == [[], []]


def test_a_process_begins_nothing_after_its_time(empty: Path) -> None:
    late = """
import io, pickle
wanted = pickle.dumps([("functions.total", (ONES,)), ("functions.repeated", (ONES, 3))])
asked, compile_one = [], aside.compile_one
def slow(name, args):
    asked.append(name)
    time.sleep(0.4)
aside.compile_one, aside.LONGEST = slow, 0.3
aside.main(io.BytesIO(wanted))
print(json.dumps(asked))
"""
    assert told(empty, late) == ["functions.total"]


def test_a_process_ends_in_time_whatever_it_compiles_and_that_comes_last_then(empty: Path) -> None:
    endless = """
import io, pickle, subprocess
wanted = pickle.dumps([("functions.total", (ONES,)), ("functions.repeated", (ONES, 3))])
code = '''
from functions import *
aside.folder()
aside.LONGEST, os.nice = 5.0, print  # on a busy machine it has to begin within that time
aside.compile_one = lambda name, args: [None for _ in iter(int, 1)]
aside.run(sys.stdin.buffer)
'''
ended = subprocess.run([sys.executable, "-c", code], input=wanted, capture_output=True)
left = os.listdir(aside.folder())
asked = []
aside.compile_one = lambda name, args: asked.append(name)
aside.main(io.BytesIO(wanted))
print(json.dumps([ended.returncode, left, asked, os.listdir(aside.folder())]))
"""
    order = ["functions.repeated", "functions.total"]
    assert told(empty, endless) == [1, ["functions.total.begun"], order, []]


@pytest.mark.parametrize("asked", ["0", "1"])
def test_the_environment_decides_and_nothing_is_compiled_aside(
    empty: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """0: interpreted for good; 1: each function is compiled when it is called."""
    monkeypatch.setitem(ENVIRONMENT, "ASSEMBLY_SOLVER_JIT", asked)
    ask = "at_once()\nvalues = [repeated(ONES, 3) for _ in range(3)]\n"
    ask += "compiled = isinstance(repeated, decorators.Compiled) and bool(repeated.signatures)\n"
    ask += "print(json.dumps([values, compiled, tiers.TIER._aside is None]))"
    assert told(empty, ask) == [[12.0] * 3, asked == "1", True]


def test_what_compiles_aside_uses_one_core_and_has_a_session_of_its_own(empty: Path) -> None:
    """Its libraries get one thread each; a key that ends the command does not end it."""
    ask = """
begun = []
class Begun:
    def __init__(self, *words, **how): begun.append(how)
    def poll(self): return 0
at_once(), aside.folder()  # which begins processes of its own
aside.subprocess.Popen = Begun
os.environ["NUMBA_CACHE_DIR"] = "cache"  # in the working folder, which the process does not have
repeated(ONES, 3)
how = begun[0]
cores = [how["env"][f"{n}_NUM_THREADS"] for n in ("NUMBA", "OMP", "OPENBLAS", "MKL")]
names = ("ASSEMBLY_SOLVER_JIT", "NUMBA_CACHE_DIR")
print(json.dumps([cores, how["start_new_session"], [how["env"][name] for name in names]]))
"""
    assert told(empty, ask) == [["1"] * 4, True, ["1", str(empty)]]


@pytest.mark.skipif(os.name != "posix", reason="spawn is what other systems do anyway")
def test_processes_that_are_spawned_answer_the_same(full: Path) -> None:
    spawn = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import functions
if __name__ == "__main__":
    at_once()
    thrice(ONES)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(functions.thrice, [ONES, 2.0 * ONES], timeout=300.0))
    print(json.dumps(found))
"""
    assert told(full, spawn) == [12.0, 48.0]
