"""Shared by all commands: options, reading with `--set`, output, exit statuses."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from ..errors import BadValue, DuplicateName, naming
from ..foundations.finite_values import finite as finite
from ..foundations.markup.visible import visible
from ..report.terminal.layout import RULE, Block, columns_of, laid_out
from .arguments import argument, option

if TYPE_CHECKING:
    from ..model.assembly import Assembly
    from ..results.solution import Solution

PROGRAM = "assembly-solver"
OUTPUT = "standard output"
HOLDS, HOLDS_NOT, WRONG, INTERRUPTED = 0, 1, 2, 130

FileArgument = Annotated[
    str,
    argument(metavar="FILE", help="NAME.assembly.json, NAME.FCStd or NAME.asmt; - reads stdin."),
]
SetOption = Annotated[
    list[str] | None,
    option("--set", metavar="NAME=VALUE", help="Value of a parameter or a driver. Repeat."),
]
PositionOption = Annotated[
    str | None,
    option("--position", metavar="NAME", help="Stand in this position of the file; --set wins."),
]
UnitOption = Annotated[
    str | None, option("--unit", metavar="m|mm", help="Unit of length of a .asmt file.")
]
ToleranceOption = Annotated[
    float | None, option("--tolerance", help="What a mate may be off and still hold, mm.")
]
BudgetOption = Annotated[
    float | None,
    option("--budget", metavar="SECONDS", help="Stop after this, and say how far it came."),
]
GridOption = Annotated[
    bool, option("--grid", help="Every value of one driver with every one of the others.")
]
JsonOption = Annotated[
    bool, option("--json", help="One JSON object on standard output, nothing else.")
]


class Given(NamedTuple):
    """What commands that open an assembly are given beside its file."""

    settings: SetOption = None
    position: PositionOption = None
    unit: UnitOption = None
    tolerance: ToleranceOption = None

    def open(
        self, file: str, targets: Sequence[Path] = (), suffixes: Sequence[str] = ()
    ) -> Assembly:
        """Check that the targets can be written, then read the assembly, set its tolerance, mm, and
        bring it to the `--position`.

        Targets may have the `suffixes`, by default those of assembly files.
        """
        from .. import formats

        formats.check_targets(targets, suffixes)
        tolerance = self.tolerance
        if tolerance is not None and not (isfinite(tolerance) and tolerance > 0):
            raise BadValue("--tolerance", tolerance, "a length above 0")
        assembly = read(file, self.settings, self.unit)
        if tolerance is not None:
            assembly.tolerance = tolerance
        bring_to(assembly, self.position, self.settings, tolerance)
        return assembly


NOTHING_GIVEN = Given()


def read(file: str, settings: list[str] | None, unit: str | None) -> Assembly:
    """Read an assembly file with values from `--set`; raises `BadValue` for a bad option.

    `unit` is that of a file that states none.
    """
    from ..verbs import files

    return files.read(file, set=_settings(settings or []), unit=unit)


def bring_to(
    assembly: Assembly, position: str | None, settings: list[str] | None, tolerance: float | None
) -> Solution | None:
    """Bring an assembly to the `--position`, if one is named; a `--set` of a driver replaces its
    value.  The solution says whether it stands there."""
    if position is None:
        return None
    from ..verbs import positions

    given = _settings(settings or [])
    values = {name: value for name, value in given.items() if name in assembly.drivers}
    return positions.bring_to(assembly, position, values, tolerance, "--position")


def _settings(given: list[str]) -> dict[str, float]:
    out: dict[str, float] = {}
    for setting in given:
        name, equals, value = setting.rpartition("=")
        if not equals:
            raise BadValue("--set", setting, "NAME=VALUE")
        if name in out:
            raise DuplicateName("value", name, "--set")
        try:
            out[name] = float(value)
        except ValueError:
            raise BadValue(f"--set {setting}", value, "a number") from None
    return out


def holds(result: dict[str, Any]) -> bool:
    """Whether the assembly is solved and its file was read completely."""
    return result["outcome"] == "solved" and not result["left_out"]


def answer(result: dict[str, Any], as_json: bool, report: str) -> None:
    """Print a result: as JSON, or as the named table of `report.terminal.solution`."""
    if as_json:
        tell(json_text(result))
        return
    from ..report.terminal import solution

    table: Callable[[dict[str, Any]], list[Block]] = getattr(solution, report)
    show(table(result))


def json_text(value: Any) -> str:
    return json.dumps(finite(value), allow_nan=False)


def tell(text: str) -> None:
    """Print a text that holds nothing which would steer a terminal."""
    with naming(OUTPUT):
        print(text)


def show(blocks: list[Block]) -> None:
    """Print texts and tables as wide as the terminal, and styled where it is one."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    text = laid_out(blocks, columns_of(sys.stdout), not plain)
    encoding = (sys.stdout.encoding or "utf-8").lower()  # none of a text in memory
    with naming(OUTPUT):  # click takes the styles out where it is no terminal
        click.echo(text if encoding.startswith("utf") else text.replace(RULE, "-"))


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_reports(targets: Sequence[Path], text: str, page: Callable[[], str]) -> None:
    """Write the text of a result to the targets that are .json, else its page."""
    for target in targets:
        write_text(target, text + "\n" if target.suffix.lower() == ".json" else page())
    if targets:
        log("wrote " + ", ".join(map(str, targets)))


def write_best(
    best: Callable[[], Assembly], targets: Sequence[Path], wanted: bool, what: str
) -> None:
    """Write an assembly to the targets, if any, where that is wanted; `what` it is otherwise."""
    from .. import formats

    if targets and wanted:
        formats.write(best(), *targets)
        log("wrote " + ", ".join(map(str, targets)))
    elif targets:
        log(f"nothing written; --keep-going writes the best {what}")


def write_bytes(path: Path, content: bytes) -> None:
    from ..formats.replacing import write_file

    write_file(path, content)


def say(result: dict[str, Any], as_json: bool, words: str) -> None:
    tell(json.dumps(result) if as_json else visible(words))


def log(words: str) -> None:
    """Write a line to standard error, where it takes it."""
    with suppress(OSError):
        print(visible(words), file=sys.stderr)
