"""The suite: its parts, each in a process of its own, against limits and against another commit."""

from __future__ import annotations

import importlib
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from .figures import Figure, answers, headings, line, ratio, read, shown, written

ROOT = Path(__file__).resolve().parents[1]
HISTORY = Path(__file__).with_name("history.jsonl")
LIBRARIES = (
    *("numpy", "scipy", "numba"),
    *("cadquery", "pyondsel", "py-slvs", "slvs", "pylinkage"),
)


class Part(NamedTuple):
    """A part of the suite.

    Attributes:
        figures: generator of its figures, "module:function", called with `quick`.
        patience: seconds after which it is ended.
    """

    figures: str
    patience: float


PARTS: dict[str, Part] = {
    "peers": Part("peers:figures", 3600),
    "changed": Part("changed:figures", 600),
    "study": Part("study:figures", 600),
    "tolerance": Part("tolerance:figures", 3600),
    "stages": Part("stages:figures", 600),
    "scale": Part("scale:figures", 900),
    "robustness": Part("robustness:figures", 3600),
    "noise": Part("noise:figures", 3600),
    "motion": Part("motion:figures", 900),
    "circuits": Part("circuits:figures", 1800),
    "triads": Part("triads:figures", 1800),
    "planar": Part("planar:figures", 900),
    "drag": Part("drag:figures", 1800),
    "contact": Part("contact:figures", 600),
    "words": Part("words:figures", 900),
    "adversary": Part("judged:adversary_figures", 3600),
    "held": Part("judged:held_figures", 1800),
    "contradictions": Part("judged:contradiction_figures", 1800),
    "certified": Part("certified:figures", 3600),
    "mutations": Part("mutations:figures", 1800),
    "file_mutations": Part("file_mutations:figures", 1800),
    "cadquery_use": Part("cadquery_use:figures", 900),
    "least_movement": Part("least_movement:figures", 900),
    "least_movement_times": Part("least_movement_times:figures", 900),
    "linkage_cost": Part("linkage_cost:figures", 600),
    "reduced_loops": Part("reduced_loops:figures", 900),
    "ding": Part("ding:figures", 600),
    "first_picture": Part("first_picture:figures", 1800),
    "imports": Part("commands:import_figures", 600),
    "cold": Part("commands:cold_figures", 3600),
    "warm": Part("commands:warm_figures", 1800),
    "freecad_cold": Part("freecad_cold:figures", 1800),
    "freecad_drag": Part("freecad_drag:figures", 3600),
    "large": Part("large:figures", 3600),
}


def found_by(name: str, quick: bool) -> Iterator[Figure]:
    """The figures of a part, computed in this process."""
    module, _, function = PARTS[name].figures.partition(":")
    yield from getattr(importlib.import_module(f".{module}", __package__), function)(quick)


def serve(name: str, quick: bool) -> None:
    """Compute a part here and write its figures as they are found, one in a line."""
    out = answers()
    for figure in found_by(name, quick):
        out.write(written(figure) + "\n")
        out.flush()


def run_part(name: str, quick: bool, tree: Path = ROOT, patience: float = 0.0) -> list[Figure]:
    """The figures of a part, from a process in a tree; how it ended, where that is not well."""
    words = [sys.executable, "-m", "benchmarks", "--serve", name, *["--quick"] * quick]
    paths = [str(tree), *filter(None, [os.environ.get("PYTHONPATH")])]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    patience = patience or PARTS[name].patience
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.jsonl"
        with path.open("w") as out:
            process = subprocess.Popen(
                words, stdout=out, cwd=tree, env=settings, start_new_session=True
            )
            ended = _end_of(process, patience)
        found = read(path)
    if ended:
        found.append(Figure(name, "", "the part ended early", None, judged=ended))
    return found


def _end_of(process: subprocess.Popen[bytes], patience: float) -> str:
    """Wait for a process; in words how it ended, empty where that was well.

    It leads a session of its own, so that the processes that it started end with it.
    """
    try:
        status = process.wait(patience)
    except subprocess.TimeoutExpired:
        return f"more than {patience:g} s"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return f"exit status {status}" if status else ""


def medians(runs: Iterable[list[Figure]]) -> list[Figure]:
    """One figure of each key: the median value of several runs, and the worst judgement."""
    found: dict[tuple[str, ...], list[Figure]] = {}
    for run in runs:
        for figure in run:
            found.setdefault(figure.key, []).append(figure)
    out = []
    for same in found.values():
        values = [f.value for f in same if f.value is not None]
        worst = min(same, key=lambda f: f.good)
        known = len(values) == len(same)
        out.append(worst._replace(value=statistics.median(values) if known else None))
    return out


# ------------------------------------------------------------------ another commit


def git(*words: str) -> str:
    """What git answers in this repository; empty where it cannot."""
    found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """A temporary tree of a commit with the benchmarks of this one: both run the same work."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(
            ["git", "worktree", "add", "--detach", "--quiet", str(tree), commit],
            cwd=ROOT,
            check=True,
        )
        try:
            shutil.rmtree(tree / "benchmarks", ignore_errors=True)
            shutil.copytree(ROOT / "benchmarks", tree / "benchmarks")
            yield tree
        finally:
            git("worktree", "remove", "--force", str(tree))


def compare(
    names: list[str], commit: str, quick: bool, rounds: int
) -> Iterator[tuple[Figure, Figure]]:
    """Figures of this tree and of a commit, both run in turn: this one first, then the other."""
    with tree_of(commit) as other:
        for name in names:
            runs: dict[Path, list[list[Figure]]] = {ROOT: [], other: []}
            for turn in range(rounds):
                for tree in (ROOT, other) if turn % 2 == 0 else (other, ROOT):
                    runs[tree].append(_told(name, quick, tree))
            theirs = {f.key: f for f in medians(runs[other])}
            for figure in medians(runs[ROOT]):
                none = figure._replace(value=None, judged="not there")
                yield figure, theirs.get(figure.key, none)


def _told(name: str, quick: bool, tree: Path) -> list[Figure]:
    """Run a part and say so on standard error."""
    begun = time.monotonic()
    where = "" if tree == ROOT else " at the other commit"
    print(f"{name}{where} ...", end="", file=sys.stderr, flush=True)
    found = run_part(name, quick, tree)
    print(f" {len(found)} figures, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return found


# ------------------------------------------------------------------ a run


def run(names: list[str], quick: bool, rounds: int) -> Iterator[Figure]:
    """The figures of the parts, medians over the rounds."""
    for name in names:
        yield from medians(_told(name, quick, ROOT) for _ in range(rounds))


def tell(figures: Iterable[Figure]) -> list[Figure]:
    """Print one table; below it again what is not as it must be."""
    print(headings(), flush=True)
    out = []
    for figure in figures:
        print(line(figure), flush=True)
        out.append(figure)
    bad = [f for f in out if not f.good]
    limits = [f for f in out if f.limit]
    kept = sum(bool(f.met) for f in limits)
    print(f"\n{len(out)} figures; of {len(limits)} limits {kept} are met")
    if bad:
        print(f"{len(bad)} are not as they must be:")
        print("\n".join(map(line, bad)))
    return out


def tell_both(pairs: Iterable[tuple[Figure, Figure]], commit: str) -> list[dict[str, Any]]:
    """Print one table of both with the ratios here / there."""
    print(f"{headings()}; at {commit}; here / there", flush=True)
    out = []
    for here, there in pairs:
        share = ratio(here.value, there.value)
        print(f"{line(here)}  {shown(there.value)}; {shown(share)}", flush=True)
        both = {"there": there.value, "judged_there": there.judged, "here_over_there": share}
        out.append(here._asdict() | both)
    return out


def facts() -> dict[str, Any]:
    """When, of what and on what a run is."""
    changed = git("status", "--porcelain", "--", ".", f":!{HISTORY.relative_to(ROOT)}")
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": git("rev-parse", "HEAD"),
        "dirty": bool(changed),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in LIBRARIES},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """The processor's name where the system tells it."""
    try:
        rows = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [row.partition(":")[2].strip() for row in rows if row.startswith("model name")]
    return names[0] if names else platform.processor()


def record(run_of: dict[str, Any], history: Path) -> None:
    """Append a run to the history, one in a line."""
    with history.open("a") as out:
        out.write(json.dumps(run_of) + "\n")
