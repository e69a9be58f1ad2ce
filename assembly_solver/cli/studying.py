"""`study`: many variants of one assembly, as columns of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import BadValue, DuplicateName, MissingKey
from . import common
from .arguments import option

if TYPE_CHECKING:
    from ..studies.study import StudyRows

VaryOption = Annotated[
    list[str] | None,
    option(
        "--vary",
        metavar="NAME=A:B[:N]",
        help="A parameter, driver or MATE.FIELD: N values, or samples of a range; or NAME=A,B,C.",
    ),
]
SamplesOption = Annotated[
    int | None, option("--samples", metavar="N", help="Of all ranges A:B together.")
]
MeasureOption = Annotated[
    list[str] | None,
    option("--measure", metavar="NAME", help="Of the file; all if not given. Repeat."),
]
OverOption = Annotated[
    str | None,
    option(
        "--over",
        metavar="DRIVER=A:B:N",
        help="Measure over a motion: NAME.range, NAME.curve, NAME@VALUE, ... by --measure.",
    ),
]
ExecutorOption = Annotated[
    str | None,
    option(
        "--executor",
        metavar="URL",
        help="tcp://HOST:PORT of a Dask scheduler, dask, processes or here.",
    ),
]
OutOption = Annotated[
    Path | None, option("-o", "--out", metavar="OUT", help="By suffix, .parquet or .csv.")
]


def study_command(
    file: common.FileArgument,
    vary: VaryOption = None,
    samples: SamplesOption = None,
    seed: Annotated[int, option("--seed", help="Of the samples.")] = 0,
    design: Annotated[
        str, option("--design", metavar="sobol|latin|random", help="How samples are drawn.")
    ] = "sobol",
    measures: MeasureOption = None,
    over: OverOption = None,
    executor: ExecutorOption = None,
    out: OutOption = None,
    given: common.Given = common.NOTHING_GIVEN,
    as_json: common.JsonOption = False,
) -> int:
    """Many variants of one assembly, on all cores or a cluster.

    Goes on where it was stopped: rows that are there are not computed again.
    """
    if out is None:
        raise MissingKey("", "a study", "-o OUT.parquet or OUT.csv")
    if not vary:
        raise MissingKey("", "a study", "--vary NAME=A:B:N or NAME=A,B,C")
    ranges = varied(vary, "--vary")
    driven = None if over is None else varied([over], "--over")
    assembly = given.open(file)

    from ..report.terminal.progress import Waiting
    from ..studies.study import study

    how: dict[str, Any] = {"samples": samples, "seed": seed, "design": design, "over": driven}
    with Waiting() as line:
        found = study(
            assembly, ranges, measures, **how, out=out, executor=executor, progress=line.tell_time
        )
        result = _result(found, out)
    words = f"wrote {out}: {result['rows']} rows, {result['valid']} valid"
    common.say(result, as_json, "\n".join([words, *_why(result["reasons"])]))
    return common.HOLDS


def _result(found: StudyRows, out: Path) -> dict[str, Any]:
    """What is told of a study."""
    return {"wrote": str(out), "rows": len(found), "valid": found.valid, "reasons": found.reasons}


def _why(reasons: dict[str, int]) -> list[str]:
    """The most frequent reasons of rows that are not valid."""
    most = 5
    common_ones = sorted(reasons.items(), key=lambda x: -x[1])
    more = [f"  and {len(reasons) - most} more reasons"] if len(reasons) > most else []
    return [f"  {number} rows: {reason}" for reason, number in common_ones[:most]] + more


def varied(
    given: list[str], asked: str, wanted: str = "NAME=A:B, NAME=A:B:N or NAME=A,B,C"
) -> dict[str, str]:
    """What stands behind the last = by the name before it; raises BadValue or DuplicateName."""
    out: dict[str, str] = {}
    for words in given:
        name, equals, values = words.rpartition("=")
        if not equals:
            raise BadValue(asked, words, wanted)
        if name in out:
            raise DuplicateName("value", name, asked)
        out[name] = values
    return out
