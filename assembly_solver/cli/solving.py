"""`solve`, `diagnose`, `analyse`, `mobility`, `convert`, `schema`: where parts stand, and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from .common import (
    HOLDS,
    HOLDS_NOT,
    BudgetOption,
    FileArgument,
    JsonOption,
    SetOption,
    ToleranceOption,
    answer,
    holds,
    log,
    read,
    say,
    with_tolerance,
)

if TYPE_CHECKING:
    from ..foundations.geometry.pose import Pose
    from ..model.assembly import Assembly


TARGETS = "By suffix: .assembly.json, .FCStd, .step or .glb."


class Explained(Protocol):
    """What a verb found, as JSON can say it."""

    def to_dict(self) -> dict[str, Any]: ...


def solve_command(
    file: FileArgument,
    out: Annotated[
        list[Path] | None, typer.Option("-o", "--out", metavar="OUT", help=f"{TARGETS} Repeat.")
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
    from .. import formats

    targets = out or []
    formats.check_targets(targets)
    assembly = read(file, settings, tolerance)

    from ..report.terminal.progress import Waiting
    from ..verbs import solving

    with Waiting() as line:  # told of every block: an interrupt never waits for a long descent
        found = solving.solve(
            assembly, tolerance=tolerance, mode=mode, budget=budget, progress=line.tell
        )
        result = found.to_dict()
    solved = holds(result)
    if targets and (solved or keep_going):
        formats.write(_solved(assembly, found.best_poses, result), *targets)
        log("wrote " + ", ".join(map(str, targets)))
    elif targets:
        log("nothing written; --keep-going writes the best compromise")
    answer(result, as_json, "solution")
    return HOLDS if solved else HOLDS_NOT


def diagnose_command(
    file: FileArgument,
    settings: SetOption = None,
    tolerance: ToleranceOption = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> int:
    """Freedoms, free motions, redundant and contradictory mates."""
    assembly = with_tolerance(read(file, settings, tolerance), tolerance)
    from ..verbs import solving

    return _explained(solving.diagnose, assembly, budget, as_json, "diagnosis")


def analyse_command(
    file: FileArgument,
    settings: SetOption = None,
    tolerance: ToleranceOption = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> int:
    """Structure: pairs, clusters, loops, the order of solving.

    Branches, planar groups, mobility and assembly modes too.
    """
    assembly = with_tolerance(read(file, settings, tolerance), tolerance)
    from ..verbs import solving

    return _explained(solving.analyse, assembly, budget, as_json, "analysis")


def mobility_command(
    file: FileArgument,
    settings: SetOption = None,
    tolerance: ToleranceOption = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> int:
    """Freedoms by each count, and why the counts differ.

    Kutzbach's first; with drivers the Assur groups of what they move.
    """
    from ..verbs.mobility import mobility

    assembly = with_tolerance(read(file, settings, tolerance), tolerance)
    return _explained(mobility, assembly, budget, as_json, "mobility")


def convert_command(
    source: Annotated[str, typer.Argument(metavar="IN", help="As FILE of solve.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help=TARGETS)],
    settings: SetOption = None,
    as_json: JsonOption = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Write what could be read of IN.")
    ] = False,
) -> int:
    """Another format, by suffix, with the poses as they are."""
    from .. import formats
    from ..results.wording.left_out import left_out_rows

    formats.check_targets([target])
    assembly = read(source, settings)
    lost = left_out_rows(assembly)
    for row in lost:
        log(f"left out, held by nothing: {row['words']}")
    targets, told = [target], f"wrote {target}"
    if lost and not keep_going:
        targets, told = [], "nothing written; --keep-going writes what could be read"
    formats.write(assembly, *targets)
    say({"wrote": [*map(str, targets)], "left_out": lost}, as_json, told)
    return HOLDS_NOT if lost else HOLDS


def schema_command(as_json: JsonOption = False) -> int:
    """The JSON Schema of NAME.assembly.json."""
    from ..formats.native.schema import schema

    print(json.dumps(schema(), indent=None if as_json else 2))
    return HOLDS


def _solved(assembly: Assembly, poses: dict[str, Pose], result: dict[str, Any]) -> Assembly:
    """The assembly at these poses, and the constants that led there; marked where off."""
    from ..formats import OUTCOME, SENTENCE

    moved = assembly.copy()
    moved.move(poses)
    moved.keep_constants({name: c["value"] for name, c in result["constants"].items()})
    for key in (OUTCOME, SENTENCE):
        moved.notes.pop(key, None)
    if result["outcome"] != "solved":
        moved.notes |= {OUTCOME: result["outcome"], SENTENCE: result["sentence"]}
    return moved


def _explained(
    verb: Callable[..., Explained],
    assembly: Assembly,
    budget: float | None,
    as_json: bool,
    table: str,
) -> int:
    """Show what a verb finds; the exit status says whether the assembly is solved."""
    from ..report.terminal.progress import Waiting

    with Waiting() as line:
        result = verb(assembly, budget=budget, progress=line.tell).to_dict()
    answer(result, as_json, table)
    return HOLDS if holds(result) else HOLDS_NOT
