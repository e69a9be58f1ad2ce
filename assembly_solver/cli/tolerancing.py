"""`tolerance`: what the tolerances of a file do to its measures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..errors import Unsolved
from . import common
from .arguments import option

SUFFIXES = (".html", ".json")
MOST = 100_000_000

SamplesOption = Annotated[
    int, option("--samples", metavar="N", help="Random samples.", within=(2, MOST))
]
SeedOption = Annotated[
    int, option("--seed", metavar="S", help="Of the samples.", within=(0, 2**31 - 1))
]
FreesOption = Annotated[
    float,
    option("--frees", metavar="SHARE", help="Share of the samples that play is to free, 0 to 1."),
]
ReportOption = Annotated[
    list[Path] | None, option("--report", metavar="OUT", help="A page, or .json. Repeat.")
]


def tolerance_command(
    file: common.FileArgument,
    samples: SamplesOption = 10_000,
    seed: SeedOption = 1,
    frees: FreesOption = 0.997,
    reports: ReportOption = None,
    settings: common.SetOption = None,
    unit: common.UnitOption = None,
    tolerance: common.ToleranceOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """What tolerances do to the measures of a file.

    Exact sensitivities, worst case, root sum of squares, samples with their error, who contributes
    what, and where loops are over-determined what binds and the play that frees it.
    """
    targets = reports or []
    assembly = common.open_assembly(file, settings, unit, tolerance, targets, SUFFIXES)

    from ..studies.tolerance import tolerance as run

    try:
        found = run(assembly, samples=samples, seed=seed, frees=frees)
    except Unsolved as error:
        told = {"outcome": "not solved", "sentence": str(error)}
        common.tell(common.json_text(told) if as_json else str(error))
        return common.HOLDS_NOT
    result = common.finite(found.to_dict())
    text = common.json_text(result)
    for target in targets:
        from ..report.page.tolerance_page import tolerance_page

        is_json = target.suffix.lower() == ".json"
        common.write_text(target, text + "\n" if is_json else tolerance_page(assembly.name, result))
    if targets:
        common.log("wrote " + ", ".join(map(str, targets)))
    if as_json:
        common.tell(text)
    else:
        from ..report.terminal.tolerance import tolerance as table

        common.show(table(result))
    return common.HOLDS if found.not_solved == 0 else common.HOLDS_NOT
