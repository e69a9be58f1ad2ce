"""`optimise`: dimensions with which the measures of a file have target values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..errors import BadValue, MissingKey
from . import common
from .arguments import option
from .solving import TARGETS
from .studying import varied


def optimise_command(
    file: common.FileArgument,
    vary: Annotated[
        list[str] | None,
        option("--vary", metavar="NAME=A:B", help="A parameter, driver or MATE.FIELD. Repeat."),
    ] = None,
    fit: Annotated[
        list[str] | None,
        option("--fit", metavar="NAME=TARGET", help="A measure, mm or degrees. Repeat."),
    ] = None,
    over: Annotated[
        str | None,
        option(
            "--over",
            metavar="DRIVER=A:B:N",
            help="Fit a motion: NAME@VALUE, NAME.range, .least, .largest or .mean by --fit.",
        ),
    ] = None,
    out: Annotated[
        list[Path] | None, option("-o", "--out", metavar="OUT", help=f"{TARGETS} Repeat.")
    ] = None,
    given: common.Given = common.NOTHING_GIVEN,
    as_json: common.JsonOption = False,
    keep_going: Annotated[
        bool, option("--keep-going", help="Write the best values if not all targets are met.")
    ] = False,
) -> int:
    """Dimensions with which measures have the values asked for.

    The search begins at the present values, and goes on from others within the ranges until all
    targets are met within the tolerance.
    """
    from .. import formats

    targets = out or []
    formats.check_targets(targets)
    if not vary:
        raise MissingKey("", "an optimisation", "--vary NAME=A:B")
    if not fit:
        raise MissingKey("", "an optimisation", "--fit NAME=TARGET")
    ranges, wanted = varied(vary, "--vary"), _targets(fit)
    driven = None if over is None else varied([over], "--over")
    assembly = given.open(file)

    from ..report.terminal.optimum import optimum
    from ..report.terminal.progress import Waiting
    from ..studies.optimise import optimise

    with Waiting() as line:
        found = optimise(assembly, ranges, wanted, over=driven, progress=line.tell)
    common.write_best(lambda: found.assembly, targets, found.met or keep_going, "values")
    result = common.finite(found.to_dict())
    if as_json:
        common.tell(common.json_text(result))
    else:
        common.show(optimum(result))
    return common.HOLDS if found.met else common.HOLDS_NOT


def _targets(given: list[str]) -> dict[str, float]:
    out: dict[str, float] = {}
    for name, value in varied(given, "--fit", "NAME=TARGET").items():
        try:
            out[name] = float(value)
        except ValueError:
            raise BadValue(f"--fit {name}", value, "a number") from None
    return out
