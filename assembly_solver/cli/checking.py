"""`check`: the linkage check, as tables, a page of HTML or a JSON object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .common import (
    HOLDS,
    HOLDS_NOT,
    BudgetOption,
    FileArgument,
    JsonOption,
    SetOption,
    ToleranceOption,
    finite,
    log,
    read,
    show,
    with_tolerance,
    write_text,
)

SUFFIXES = (".html", ".json")

ReportOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--report", metavar="OUT", help="A page, or .json. Repeat. Written on failure too."
    ),
]


def check_command(
    file: FileArgument,
    reports: ReportOption = None,
    settings: SetOption = None,
    tolerance: ToleranceOption = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> int:
    """The linkage check: ranges, dead points, forces, limits.

    Transmission angles and the thresholds that the file asks for too; a report with curves.
    """
    from .. import formats

    targets = reports or []
    formats.check_targets(targets, SUFFIXES)
    assembly = with_tolerance(read(file, settings, tolerance), tolerance)

    from ..checking.check import check as run_check
    from ..report.terminal.progress import Waiting

    with Waiting() as line:
        found = run_check(assembly, budget=budget, progress=line.tell)
        result = finite(found.to_dict())
    text = json.dumps(result, allow_nan=False)
    for target in targets:
        if target.suffix.lower() == ".json":
            write_text(target, text + "\n")
        else:
            from ..report.page.check_page import report_page

            write_text(target, report_page(found))
    if targets:
        log("wrote " + ", ".join(map(str, targets)))
    if as_json:
        print(text)
    else:
        from ..report.terminal.check import check

        show(check(result))
    return HOLDS if found else HOLDS_NOT
