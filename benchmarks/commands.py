"""Commands as a user types them: the first ever on a machine, warm ones, and what they import.

The first ever runs on a copy of the package without any compiled code; beside CadQuery, which pip
installed, with the bytecode that pip leaves.  Every command is a process
of its own, timed from outside: wall time.  What a first command prints has to be what it prints
when all is compiled, but for times.
"""

from __future__ import annotations

import compileall
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .figures import RIGHT, Figure, median

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 300.0
"""Seconds after which a command is ended."""

ROUNDS = 5
FOUR_BAR = "samples/four_bar.assembly.json"


class Command(NamedTuple):
    """A command line after the program's name, with the most that it may take cold and warm, s."""

    words: str
    cold: float = 2.5
    warm: float = 0.7


COMMANDS = (
    Command("solve four_bar"),
    Command("solve excavator"),
    Command("diagnose bad_lid"),
    Command("sweep four_bar --driver crank --steps 360"),
    Command("linkage theo_jansen"),
    Command("mobility excavator"),
    Command("analyse excavator"),
    Command("check excavator", 12.0, 2.0),
)
"""A sample stands for its file."""

UNWANTED = ("numba", "scipy.linalg", "scipy.sparse.csgraph", "rich")
"""Modules that a short solve has no need of."""

IMPORTS = 30.0  # ms
LATER = 0.3  # s: how much longer a CadQuery script may take through `use()`

TIMES = re.compile(r"[-+.\de]+ (?:ms|s)\b")
IMPORTED = re.compile(r"^import time:.*\| +(\S+)$", re.MULTILINE)

SCRIPT = """
import cadquery as cq
{use}
parts = cq.Assembly()
for name, at in (("low", 0), ("middle", 50), ("high", 120)):
    parts.add(cq.Workplane().box(40, 30, 10), name=name, loc=cq.Location((3, 4, at)))
parts.constrain("low", "Fixed")
for below, above in (("low", "middle"), ("middle", "high")):
    parts.constrain(f"{{below}}@faces@>Z", f"{{above}}@faces@<Z", "Plane")
parts.solve()
tops = [parts.objects[n].toCompound().BoundingBox().zmax for n in ("low", "middle", "high")]
assert all(abs(b - a - 10) < 1e-4 for a, b in zip(tops, tops[1:])), tops
"""
"""Three plates on each other; the own solver of CadQuery stops at some 1e-6 mm."""


def arguments(command: str) -> list[str]:
    """The words for Python of a command whose second word is a sample."""
    verb, sample, *rest = command.split()
    return ["-m", "assembly_solver", verb, f"samples/{sample}.assembly.json", *rest]


SOLVES = {"asm.solve": ["-c", f"import assembly_solver as asm; asm.solve(asm.read({FOUR_BAR!r}))"]}
SOLVES |= {c: arguments(c) for c in ("solve four_bar", "solve excavator", "diagnose bad_lid")}
"""Words for Python of short solves."""


@contextmanager
def fresh_copy(installed: bool = False) -> Iterator[Path]:
    """A folder with the package, its samples and the add-on for CadQuery, without machine code.

    Installed: with the bytecode that pip leaves of all modules, as it does of CadQuery's.
    """
    bare = shutil.ignore_patterns("__pycache__", "*.pyc", "*.nbi", "*.nbc")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("assembly_solver", "samples", "plugin/cadquery/assembly_solver_cadquery"):
            shutil.copytree(ROOT / name, Path(folder) / Path(name).name, ignore=bare)
        if installed:
            compileall.compile_dir(folder, quiet=1)
        yield Path(folder)


class Ended(NamedTuple):
    """A process that ended: wall time, s, status and what it printed."""

    seconds: float
    status: int
    out: str
    errors: str


def as_of_users() -> dict[str, str]:
    """The environment without what benchmarks and tests ask of it."""
    asked = ("PYTHONDONTWRITEBYTECODE", "ASSEMBLY_SOLVER_JIT")
    return {name: value for name, value in os.environ.items() if name not in asked}


def run(folder: Path, *words: str, **more: str) -> Ended:
    """Run Python on the package of a folder, with the caches that lie there and no others.

    Args:
        more: what the environment is to have besides.
    """
    settings = {k: v for k, v in as_of_users().items() if not k.startswith("NUMBA_CACHE")}
    settings |= {"PYTHONPATH": str(folder), "COLUMNS": "80"} | more
    begun = time.perf_counter()
    try:
        ended = subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env=settings,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return Ended(time.perf_counter() - begun, -1, "", f"more than {PATIENCE:g} s")
    return Ended(time.perf_counter() - begun, ended.returncode, ended.stdout, ended.stderr)


def differs(first: Ended, later: Ended) -> str:
    """What two runs of a command do not have in common, times left out."""
    if first.status != later.status:
        return f"status {first.status}, later {later.status}: {first.errors[-100:]}"
    if not later.out or "Traceback" in later.errors:
        return f"prints no answer: {later.errors[-100:]}"
    same = TIMES.sub("", first.out) == TIMES.sub("", later.out)
    return RIGHT if same else "prints something else than when all is compiled"


def cold_figures(quick: bool = False) -> Iterator[Figure]:
    """Each command the first ever; quick: the first of them."""
    for command in COMMANDS[:1] if quick else COMMANDS:
        with fresh_copy() as folder:
            first, later = (run(folder, *arguments(command.words)) for _ in range(2))
        limit, judged = f"<= {command.cold:g}", differs(first, later)
        yield Figure("cold", command.words, "first ever", first.seconds, "s", limit, "", judged)
    if not quick:
        yield from _cadquery_cold()


def _cadquery_cold() -> Iterator[Figure]:
    """A CadQuery script with three parts on its own solver and through `use()`, in turn."""
    use = "from assembly_solver_cadquery import use; use()"
    theirs: list[float] = []
    ours: list[float] = []
    bad = ""
    for _ in range(3):
        for times, more in ((theirs, ""), (ours, use)):
            with fresh_copy(installed=True) as folder:
                ended = run(folder, "-c", SCRIPT.format(use=more))
            times.append(ended.seconds)
            bad = bad or (ended.status and ended.errors.strip().rpartition("\n")[2][:150]) or ""
    case, words, limit = "CadQuery, three parts", "script, first ever", f"<= {LATER:g}"
    yield Figure("cold", case, words, median(theirs), "s", "", "cadquery", bad or RIGHT)
    yield Figure("cold", case, f"{words}, use()", median(ours), "s", "", "", bad or RIGHT)
    later = statistics.median(ours) - statistics.median(theirs)
    yield Figure("cold", case, "use() takes longer by", later, "s", limit, "cadquery", bad or RIGHT)


def warm_figures(quick: bool = False) -> Iterator[Figure]:
    """Each command when all is compiled, in turn; what importing the package takes."""
    commands = COMMANDS[:1] if quick else COMMANDS
    for command in commands:  # what is compiled aside is not complete after one command
        run(ROOT, *arguments(command.words), ASSEMBLY_SOLVER_JIT="1")
    found: dict[str, list[Ended]] = {command.words: [] for command in commands}
    for _ in range(ROUNDS):
        for words, runs in found.items():
            runs.append(run(ROOT, *arguments(words)))
    for command in commands:
        runs = found[command.words]
        limit, judged = f"<= {command.warm:g}", differs(runs[0], runs[-1])
        seconds = median([r.seconds for r in runs])
        yield Figure("warm", command.words, "again", seconds, "s", limit, "", judged)


def import_figures(quick: bool = False) -> Iterator[Figure]:
    """The time of importing the package, and modules that commands import without need.

    Quick: the time alone.
    """
    code = "import time; t = time.perf_counter(); import assembly_solver; "
    code += "print(1e3 * (time.perf_counter() - t))"
    times = [float(run(ROOT, "-c", code).out) for _ in range(ROUNDS + 1)][1:]
    limit = f"<= {IMPORTS:g}"
    yield Figure("imports", "assembly_solver", "import", median(times), "ms", limit)
    for name, words in {} if quick else SOLVES.items():
        run(ROOT, *words)
        modules = set(IMPORTED.findall(run(ROOT, "-X", "importtime", *words).errors))
        yield Figure("imports", name, "modules", len(modules))
        for unwanted in UNWANTED:
            inside = [m for m in modules if m == unwanted or m.startswith(f"{unwanted}.")]
            yield Figure("imports", name, f"modules of {unwanted}", len(inside), "", "<= 0")
