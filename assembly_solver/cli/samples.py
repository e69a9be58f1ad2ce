"""`sample` and `warm-up`: the shipped samples, copied or solved once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from textwrap import shorten
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from ..errors import AlreadyThere, UnknownName
from ..report.terminal.layout import COLUMNS
from .arguments import argument, option
from .common import HOLDS, JsonOption, log, say, write_bytes

if TYPE_CHECKING:
    from ..model.assembly import Assembly

SUFFIX = ".assembly.json"

WARM_UP = ("excavator", "stewart_platform", "bad_lid")
DRAWN = "motiongen/seven_bar"
"""With `WARM_UP`, it runs every compiled function."""


def sample_command(
    name: Annotated[str | None, argument("NAME", "Without it, the names are listed.")] = None,
    force: Annotated[bool, option("--force", help="Overwrite what is there.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Copy a shipped sample into the working directory."""
    if name is None:
        files = {known: _sample_file(known) for known in sample_names()}
        notes = {
            n: str(json.loads(f.read_text(encoding="utf-8"))["note"]) for n, f in files.items()
        }
        wide = max(map(len, notes))
        lines = [f"{n:<{wide}}  {shorten(t, COLUMNS - wide - 2)}" for n, t in notes.items()]
        say({"samples": list(notes), "notes": notes}, as_json, "\n".join(lines))
        return HOLDS
    wrote = [str(path) for path in _copied(name, force)]
    say({"sample": name, "wrote": wrote}, as_json, "wrote " + ", ".join(wrote))
    return HOLDS


def warm_up_command(as_json: JsonOption = False) -> int:
    """Compile once, so that long work is fast from its first second."""
    os.environ["ASSEMBLY_SOLVER_JIT"] = "1"  # read when the engine is imported
    from ..foundations.jit import aside
    from ..verbs import files, solving

    log("compiling; this is done once")
    began = perf_counter()
    for name in WARM_UP:
        assembly = files.read(_sample_file(name))
        solving.solve(assembly)
        solving.diagnose(assembly)
        solving.analyse(assembly)
    _move_once(files.read(_sample_file(WARM_UP[0])))
    _build_once(files.read(_sample_file(DRAWN)))
    aside.tell_ready()
    seconds = perf_counter() - began
    words = f"compiled, and solved {', '.join(WARM_UP)}, in {seconds:.1f} s"
    say({"samples": list(WARM_UP), "seconds": seconds}, as_json, words)
    return HOLDS


def _move_once(assembly: Assembly) -> None:
    """Drag the last part to its present pose and sweep a driver, to compile these."""
    from ..verbs.session import Session
    from ..verbs.sweeping import sweep

    sweep(assembly, next(iter(assembly.drivers)), steps=2)
    session = Session(assembly)
    part = list(session.poses)[-1]
    session.drag(part, session.poses[part])


def _build_once(drawn: Assembly) -> None:
    """Compute a linkage with dyads and an Assur group, to compile these."""
    from ..verbs.linkage import linkage

    found = linkage(drawn)
    found.run().velocity(found.scheme.points[0])


def _samples() -> Path:
    """The samples folder: in the installed package, or next to it in a clone."""
    here = Path(__file__).resolve().parents[1]
    return here / "samples" if (here / "samples").is_dir() else here.parent / "samples"


def sample_names() -> list[str]:
    """Names of the shipped samples; those of a group are named `group/name`."""
    files = [*sorted(_samples().glob(f"*{SUFFIX}")), *sorted(_samples().glob(f"*/*{SUFFIX}"))]
    return [p.relative_to(_samples()).as_posix().removesuffix(SUFFIX) for p in files]


def _sample_file(name: str) -> Path:
    if name not in sample_names():
        raise UnknownName("sample", name, sample_names())
    return _samples() / f"{name}{SUFFIX}"


def _copied(name: str, force: bool) -> list[Path]:
    """Copy a sample and its geometry files; returns the targets."""
    file = _sample_file(name)
    geometry = sorted(p for p in (_samples() / name).rglob("*") if p.is_file())
    targets = {p.relative_to(_samples()): p for p in (*geometry, file)}
    for target in targets:
        if target.exists() and not force:
            raise AlreadyThere(str(target))
    for target, source in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, source.read_bytes())
    return [*targets]
