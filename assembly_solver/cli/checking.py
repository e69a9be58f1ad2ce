"""`check`: the linkage check, as tables, an HTML page or a JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from . import common
from .arguments import option

SUFFIXES = (".html", ".json")


def check_command(
    file: common.FileArgument,
    reports: Annotated[
        list[Path] | None,
        option("--report", metavar="OUT", help="A page, or .json. Repeat. Written on failure too."),
    ] = None,
    given: common.Given = common.NOTHING_GIVEN,
    budget: common.BudgetOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """The linkage check: ranges, dead points, forces, limits.

    Transmission angles and the thresholds that the file asks for too; a report with curves.
    """
    targets = reports or []
    assembly = given.open(file, targets, SUFFIXES)

    from ..checking.check import check as run_check
    from ..report.terminal.progress import Waiting

    with Waiting() as line:
        found = run_check(assembly, budget=budget, progress=line.tell)
        whole = as_json or any(target.suffix.lower() == ".json" for target in targets)
        result = common.finite((found if whole else found.without_curves()).to_dict())
        text = common.json_text(result) if whole else ""
    if targets:
        from ..report.page.check_page import report_page

        common.write_reports(targets, text, lambda: report_page(found))
    if as_json:
        common.tell(text)
    else:
        from ..report.terminal.check import check

        common.show(check(result))
    return common.HOLDS if found else common.HOLDS_NOT
