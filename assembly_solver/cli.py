"""The command line: `assembly-solver solve FILE`, and the other verbs.

Results go to standard output (with `--json` one object and nothing else), everything else to
standard error.  Exit status: 0 what was asked holds, 1 it does not, 2 the input or the call is
wrong, 130 interrupted.  What a command needs is imported when it runs: the start is short.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .errors import AlreadyThere, AssemblySolverError, BadValue, UnknownName

if TYPE_CHECKING:
    from rich.console import RenderableType

    from .geometry.pose import Pose
    from .model.assembly import Assembly

PROGRAM = "assembly-solver"
HOLDS, HOLDS_NOT, WRONG, INTERRUPTED = 0, 1, 2, 130
COLUMNS = 80

WARM_UP = ("excavator", "stewart_platform", "bad_lid")
"""Samples that between them reach every compiled function."""

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""What is raised for a wrong call; typer exports only this child of it."""

app = typer.Typer(
    help="Constraint engine for 3D assemblies: mates in, poses, freedoms and reasons out.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="NAME.assembly.json or NAME.FCStd; - reads stdin.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Value of a driver, mm or degrees. Repeat."),
]
ToleranceOption = Annotated[
    float | None, typer.Option("--tolerance", help="What a mate may be off and still hold, mm.")
]
BudgetOption = Annotated[
    float | None,
    typer.Option("--budget", metavar="SECONDS", help="Stop after this, and say how far it came."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")
]


# ------------------------------------------------------------------------------------ commands
@app.command("solve")
def solve_command(
    file: FileArgument,
    out: Annotated[
        list[Path] | None,
        typer.Option("-o", "--out", metavar="OUT", help="By suffix, as .assembly.json. Repeat."),
    ] = None,
    settings: SetOption = None,
    tolerance: ToleranceOption = None,
    mode: Annotated[
        str | None,
        typer.Option("--mode", metavar="NAME", help="Assembly mode, as +-; `analyse` lists them."),
    ] = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Write the best compromise if nothing solves.")
    ] = False,
) -> int:
    """Poses that hold every mate, moving as little as possible."""
    from . import formats

    targets = out or []
    formats.check_targets(targets)
    assembly = _read(file, settings, tolerance)

    from . import verbs
    from .report.waiting import Waiting

    with Waiting() as line:  # told of every block: an interrupt never waits for a long descent
        found = verbs.solve(
            assembly, tolerance=tolerance, mode=mode, budget=budget, progress=line.tell
        )
        result = found.to_dict()
    holds = _holds(result)
    if targets and (holds or keep_going):
        formats.write(_solved(assembly, found.best_poses, result), *targets)
        _log("wrote " + ", ".join(map(str, targets)))
    elif targets:
        _log("nothing written; --keep-going writes the best compromise")
    _answer(result, as_json, "solution")
    return HOLDS if holds else HOLDS_NOT


@app.command("diagnose")
def diagnose_command(
    file: FileArgument,
    settings: SetOption = None,
    tolerance: ToleranceOption = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> int:
    """Freedoms, free motions in words, redundant and contradictory mates."""
    assembly = _with_tolerance(_read(file, settings, tolerance), tolerance)
    return _explained("diagnose", assembly, budget, as_json, "diagnosis")


@app.command("analyse")
def analyse_command(
    file: FileArgument,
    settings: SetOption = None,
    tolerance: ToleranceOption = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> int:
    """Structure: pairs, clusters, branches, loops, planar groups, the order of solving."""
    assembly = _with_tolerance(_read(file, settings, tolerance), tolerance)
    return _explained("analyse", assembly, budget, as_json, "analysis")


@app.command("convert")
def convert_command(
    source: Annotated[str, typer.Argument(metavar="IN")],
    target: Annotated[Path, typer.Argument(metavar="OUT")],
    as_json: JsonOption = False,
) -> int:
    """Write an assembly in another format, by suffix, with its poses as they are."""
    from . import formats, verbs

    formats.check_targets([target])
    formats.write(verbs.read(source), target)
    _say({"wrote": [str(target)]}, as_json, f"wrote {target}")
    return HOLDS


@app.command("schema")
def schema_command(as_json: JsonOption = False) -> int:
    """The JSON Schema of NAME.assembly.json."""
    from .formats.schema import schema

    print(json.dumps(schema(), indent=None if as_json else 2))
    return HOLDS


@app.command("sample")
def sample_command(
    name: Annotated[str | None, typer.Argument(help="Without it, the names are listed.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Copy a shipped sample into the working directory."""
    if name is None:
        known = sample_names()
        _say({"samples": known}, as_json, "\n".join(known))
        return HOLDS
    wrote = [str(path) for path in _copied(_sample_files(name), force)]
    _say({"sample": name, "wrote": wrote}, as_json, "wrote " + ", ".join(wrote))
    return HOLDS


@app.command("warm-up")
def warm_up_command(as_json: JsonOption = False) -> int:
    """Compile once, so that the commands after it start at once."""
    from . import verbs

    _log("compiling; this is done once")
    began = perf_counter()
    for name in WARM_UP:
        assembly = verbs.read(_sample_file(name))
        verbs.solve(assembly)
        verbs.diagnose(assembly)
        verbs.analyse(assembly)
    _drag_once(verbs.read(_sample_file(WARM_UP[0])))
    seconds = perf_counter() - began
    words = f"compiled, and solved {', '.join(WARM_UP)}, in {seconds:.1f} s"
    _say({"samples": list(WARM_UP), "seconds": seconds}, as_json, words)
    return HOLDS


def _drag_once(assembly: Assembly) -> None:
    """Drag the last part of an assembly to where it is: what dragging needs is compiled."""
    from .session import Session

    session = Session(assembly)
    part = list(session.poses)[-1]
    session.drag(part, session.poses[part])


# ----------------------------------------------------------------------------------- assemblies
def _read(file: str, settings: list[str] | None, tolerance: float | None) -> Assembly:
    """The assembly in a file with some drivers set."""
    from . import verbs

    if tolerance is not None and not (isfinite(tolerance) and tolerance > 0):
        raise BadValue("--tolerance", tolerance, "a length above 0")
    assembly = verbs.read(file)
    for setting in settings or ():
        name, equals, value = setting.rpartition("=")
        place = f"--set {setting}"
        if not equals:
            raise BadValue("--set", setting, "NAME=VALUE")
        try:
            number = float(value)
        except ValueError:
            raise BadValue(place, value, "a number") from None
        assembly.set_driver(name, number, place)
    return assembly


def _with_tolerance(assembly: Assembly, tolerance: float | None) -> Assembly:
    if tolerance is not None:
        assembly.tolerance = tolerance
    return assembly


def _solved(assembly: Assembly, poses: dict[str, Pose], result: dict[str, Any]) -> Assembly:
    """The assembly at these poses, and the constants that led there; marked where off."""
    from .formats import OUTCOME, SENTENCE

    moved = assembly.copy()
    moved.move(poses)
    moved.keep_constants({name: c["value"] for name, c in result["constants"].items()})
    for key in (OUTCOME, SENTENCE):
        moved.notes.pop(key, None)
    if result["outcome"] != "solved":
        moved.notes |= {OUTCOME: result["outcome"], SENTENCE: result["sentence"]}
    return moved


# -------------------------------------------------------------------------------------- samples
def _samples() -> Path:
    """Beside this module where the package is installed, beside the package in a clone."""
    here = Path(__file__).resolve().parent
    return here / "samples" if (here / "samples").is_dir() else here.parent / "samples"


def sample_names() -> list[str]:
    """Names of the shipped samples."""
    return sorted(p.name.removesuffix(".assembly.json") for p in _samples().glob("*.assembly.json"))


def _sample_file(name: str) -> Path:
    if name not in sample_names():
        raise UnknownName("sample", name, sample_names())
    return _samples() / f"{name}.assembly.json"


def _sample_files(name: str) -> list[tuple[Path, Path]]:
    """The sample and the files of its geometry: where they are, and where they go."""
    file = _sample_file(name)
    geometry = sorted(p for p in (_samples() / name).rglob("*") if p.is_file())
    return [(p, p.relative_to(_samples())) for p in (*geometry, file)]


def _copied(files: list[tuple[Path, Path]], force: bool) -> list[Path]:
    """Copy files, each beside its place and then renamed."""
    for _, target in files:
        if target.exists() and not force:
            raise AlreadyThere(str(target))
    for source, target in files:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name}-{os.getpid()}")
        beside.write_bytes(source.read_bytes())
        os.replace(beside, target)
    return [target for _, target in files]


# --------------------------------------------------------------------------------------- output
def _explained(
    verb: str, assembly: Assembly, budget: float | None, as_json: bool, table: str
) -> int:
    """Show what a verb finds; the exit status says whether the assembly is solved."""
    from . import verbs
    from .report.waiting import Waiting

    with Waiting() as line:
        found = getattr(verbs, verb)(assembly, budget=budget, progress=line.tell)
        result = found.to_dict()
    _answer(result, as_json, table)
    return HOLDS if _holds(result) else HOLDS_NOT


def _holds(result: dict[str, Any]) -> bool:
    """Whether all that the file asks for holds: also what could not be read of it."""
    return result["outcome"] == "solved" and not result["left_out"]


def _answer(result: dict[str, Any], as_json: bool, report: str) -> None:
    """A result: as JSON, or as the table of this name."""
    if as_json:
        print(json.dumps(_finite(result), allow_nan=False))
        return
    from .report import text

    table: Callable[[dict[str, Any]], RenderableType] = getattr(text, report)
    _show(table(result))


def _finite(value: Any) -> Any:
    """The value with null for every number that JSON has no word for."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _show(renderable: RenderableType) -> None:
    from rich.console import Console

    console = Console(highlight=False, emoji=False, markup=False)
    console.width = min(console.width, COLUMNS)
    console.print(renderable)


def _say(result: dict[str, Any], as_json: bool, words: str) -> None:
    print(json.dumps(result) if as_json else words)


def _log(words: str) -> None:
    print(words, file=sys.stderr)


# ------------------------------------------------------------------------------------------ main
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal cannot show is no error
            stream.reconfigure(errors="backslashreplace")
    try:
        status = app(words, standalone_mode=False, prog_name=PROGRAM)
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except USAGE_ERROR as error:
        problem = error.format_message()  # type: ignore[attr-defined]
        return _refused(words, "UsageError", f"{problem} (see {PROGRAM} --help)")
    except AssemblySolverError as error:
        return _refused(words, type(error).__name__, str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _refused(words, type(error).__name__, f"{where}{error.strerror or error}")
    except Exception as error:
        traceback.print_exc()
        return _refused(words, type(error).__name__, f"this is a fault of {PROGRAM}: {error}")
    if status == INTERRUPTED:
        return _refused(words, "Interrupted", "interrupted", INTERRUPTED)
    return int(status or HOLDS)


def _refused(words: list[str], kind: str, message: str, status: int = WRONG) -> int:
    """One line on standard error, and with `--json` the error object on standard output."""
    line = " ".join(message.split())
    _log(f"error: {line}" if status == WRONG else line)
    if "--json" in words:
        print(json.dumps({"error": {"type": kind, "message": line}}))
    return status


if __name__ == "__main__":
    sys.exit(main())
