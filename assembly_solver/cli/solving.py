"""`solve`, `diagnose`, `analyse`, `mobility`, `convert`, `schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import MissingKey
from . import common
from .arguments import argument, option

if TYPE_CHECKING:
    from ..foundations.geometry.pose import Pose
    from ..model.assembly import Assembly


TARGETS = "By suffix: .assembly.json, .FCStd, .step or .glb."


def solve_command(
    file: common.FileArgument,
    out: Annotated[
        list[Path] | None, option("-o", "--out", metavar="OUT", help=f"{TARGETS} Repeat.")
    ] = None,
    given: common.Given = common.NOTHING_GIVEN,
    mode: Annotated[
        str | None,
        option("--mode", metavar="NAME", help="Assembly mode, as +-; `analyse` lists them."),
    ] = None,
    certify: Annotated[
        bool, option("--certify", help="Prove that there is one solution near the poses.")
    ] = False,
    budget: common.BudgetOption = None,
    as_json: common.JsonOption = False,
    keep_going: Annotated[
        bool, option("--keep-going", help="Write the best compromise if nothing solves.")
    ] = False,
) -> int:
    """Poses that hold every mate, moving as little as possible."""
    targets = out or []
    assembly = given.open(file, targets)

    from ..report.terminal.progress import Waiting
    from ..verbs import solving

    with Waiting() as line:  # reports between blocks, so that an interrupt takes effect at once
        found = solving.solve(
            assembly, mode=mode, certify=certify, budget=budget, progress=line.tell
        )
        result = found.to_dict(parts=as_json)
    solved = common.holds(result)
    best = lambda: _solved(assembly, found.best_poses, result)  # noqa: E731
    common.write_best(best, targets, solved or keep_going, "compromise")
    common.answer(result, as_json, "solution")
    return common.HOLDS if solved else common.HOLDS_NOT


def diagnose_command(
    file: common.FileArgument,
    given: common.Given = common.NOTHING_GIVEN,
    budget: common.BudgetOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Freedoms, free motions, redundant and contradictory mates."""
    assembly = given.open(file)
    from ..report.terminal.progress import Waiting
    from ..verbs.solving import diagnose

    with Waiting() as line:
        found = diagnose(assembly, budget=budget, progress=line.tell)
        result = found.to_dict(parts=as_json)
    common.answer(result, as_json, "diagnosis")
    return common.HOLDS if common.holds(result) else common.HOLDS_NOT


def analyse_command(
    file: common.FileArgument,
    reports: Annotated[
        list[Path] | None,
        option("--report", metavar="OUT.html", help="A page with drawings of it. Repeat."),
    ] = None,
    given: common.Given = common.NOTHING_GIVEN,
    joined: Annotated[
        bool, option("--joined", help="Which assembly modes a motion of its drivers joins.")
    ] = False,
    seed: Annotated[
        int, option("--seed", metavar="S", help="Of the paths of --joined.", within=(0, 2**31 - 1))
    ] = 0,
    certify: Annotated[
        bool, option("--certify", help="Prove each step of the paths that --joined finds.")
    ] = False,
    budget: common.BudgetOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Structure: pairs, clusters, loops, the order of solving.

    Branches, planar groups, mobility and assembly modes too.
    """
    if (seed or certify) and not joined:
        of = "--certify" if certify else "--seed"
        raise MissingKey(of, "a search for paths between modes", "--joined")
    targets = reports or []
    assembly = given.open(file, targets, (".html",))
    from ..foundations.watch import Watch
    from ..report.terminal.progress import Waiting
    from ..verbs import solving

    with Waiting() as line:
        watch = Watch(budget, progress=line.tell)
        found = solving.analyse(assembly, budget=budget, progress=line.tell)
        result = found.to_dict()
        if joined and found:
            from ..verbs.joined_modes import joined_within

            told = joined_within(watch, assembly, seed=seed, certify=certify)
            result["modes"]["joined"] = told.to_dict()
    for target in targets:
        from ..report.page.analysis_page import analysis_page

        common.write_text(target, analysis_page(found))
        common.log(f"wrote {target}")
    common.answer(result, as_json, "analysis")
    return common.HOLDS if common.holds(result) else common.HOLDS_NOT


def mobility_command(
    file: common.FileArgument,
    given: common.Given = common.NOTHING_GIVEN,
    certify: Annotated[
        bool, option("--certify", help="Prove how far what cannot move goes at most.")
    ] = False,
    budget: common.BudgetOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Freedoms by each count, and why the counts differ.

    Kutzbach's first; with drivers the Assur groups of what they move.
    """
    assembly = given.open(file)
    from ..report.terminal.progress import Waiting
    from ..verbs.mobility import mobility

    with Waiting() as line:
        found = mobility(assembly, certify=certify, budget=budget, progress=line.tell)
        result = found.to_dict()
    common.answer(result, as_json, "mobility")
    return common.HOLDS if common.holds(result) else common.HOLDS_NOT


def locking_command(
    file: common.FileArgument,
    part: Annotated[str, argument(metavar="PART", help="Name of a part.")],
    given: common.Given = common.NOTHING_GIVEN,
    budget: common.BudgetOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Which mates lock a part, and what would free it."""
    assembly = given.open(file)
    from ..report.terminal.progress import Waiting
    from ..verbs.locking import locking

    with Waiting() as line:
        result = locking(assembly, part, budget=budget, progress=line.tell).to_dict()
    common.answer(result, as_json, "locking")
    return common.HOLDS if common.holds(result) else common.HOLDS_NOT


def convert_command(
    source: Annotated[str, argument(metavar="IN", help="As FILE of solve.")],
    target: Annotated[Path, argument(metavar="OUT", help=TARGETS)],
    settings: common.SetOption = None,
    position: common.PositionOption = None,
    unit: common.UnitOption = None,
    as_json: common.JsonOption = False,
    keep_going: Annotated[
        bool, option("--keep-going", help="Write what could be read of IN.")
    ] = False,
) -> int:
    """Another format, by suffix; poses as they are, or of a position."""
    from .. import formats
    from ..results.wording.left_out import left_out_rows, read_as_rows

    formats.check_targets([target])
    assembly = common.read(source, settings, unit)
    stands = common.bring_to(assembly, position, settings, None)
    lost = left_out_rows(assembly)
    for row in lost:
        common.log(f"left out, held by nothing: {row['words']}")
    decided = read_as_rows(assembly)
    for row in decided:
        common.log(row["words"])
    off = "" if stands is None or stands else f"position {position}: {stands.sentence}"
    if off:
        common.log(off)
    targets, told = [target], f"wrote {target}"
    if (lost or off) and not keep_going:
        targets, told = [], "nothing written; --keep-going writes what could be read"
    formats.write(assembly, *targets)
    common.say({"wrote": [*map(str, targets)], "left_out": lost, "read_as": decided}, as_json, told)
    return common.HOLDS_NOT if lost or off else common.HOLDS


def schema_command(as_json: common.JsonOption = False) -> int:
    """The JSON Schema of NAME.assembly.json."""
    from ..formats.native.schema import schema

    common.tell(json.dumps(schema(), indent=None if as_json else 2))
    return common.HOLDS


def _solved(assembly: Assembly, poses: dict[str, Pose], result: dict[str, Any]) -> Assembly:
    """A copy at the solved poses and constants; its notes state the outcome if not solved."""
    from ..formats import OUTCOME, SENTENCE

    moved = assembly.copy()
    moved.move(poses)
    moved.keep_constants({name: c["value"] for name, c in result["constants"].items()})
    for key in (OUTCOME, SENTENCE):
        moved.notes.pop(key, None)
    if result["outcome"] != "solved":
        moved.notes |= {OUTCOME: result["outcome"], SENTENCE: result["sentence"]}
    return moved
