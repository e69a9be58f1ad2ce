"""`tolerance`: what the tolerances of a file do to its measures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import MissingKey
from . import common
from .arguments import option
from .motion import DriverOption, StepsOption, ranges_of

if TYPE_CHECKING:
    from ..model.assembly import Assembly

SUFFIXES = (".html", ".json")
MOST = 100_000_000

STEPS = 24
"""Of a driver along which tolerances are told, unless given."""

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
    drivers: DriverOption = None,
    steps: StepsOption = None,
    reports: ReportOption = None,
    given: common.Given = common.NOTHING_GIVEN,
    as_json: common.JsonOption = False,
) -> int:
    """What tolerances do to the measures of a file.

    Exact sensitivities, worst case, root sum of squares, samples with their error, who contributes
    what, and where loops are over-determined what binds and the play that frees it. With --driver
    the band of each measure over the range of the driver.
    """
    targets = reports or []
    assembly = given.open(file, targets, SUFFIXES)
    if steps is not None and not drivers:
        raise MissingKey("--steps", "a motion", "--driver")
    if drivers:
        found, holds = _along(assembly, drivers, steps, samples, seed)
    else:
        found, holds = _at_poses(assembly, samples, seed, frees)
    result = common.finite(found)
    text = common.json_text(result)
    common.write_reports(targets, text, lambda: _page(assembly.name, result))
    if as_json:
        common.tell(text)
    else:
        _show(result)
    return common.HOLDS if holds else common.HOLDS_NOT


def _at_poses(
    assembly: Assembly, samples: int, seed: int, frees: float
) -> tuple[dict[str, Any], bool]:
    """The result at the solved poses, and whether all samples close."""
    from ..report.terminal.progress import Waiting
    from ..studies.tolerance import tolerance

    with Waiting() as line:
        found = tolerance(assembly, samples=samples, seed=seed, frees=frees, progress=line.tell)
    return found.to_dict(), found.not_solved == 0


def _along(
    assembly: Assembly, drivers: list[str], steps: int | None, samples: int, seed: int
) -> tuple[dict[str, Any], bool]:
    """The result along a sweep, and whether all states hold and all samples close in them."""
    from ..report.terminal.progress import Waiting
    from ..studies.tolerance import tolerance
    from ..verbs.sweeping import sweep

    ranges = ranges_of(assembly, drivers, [], [], None)
    motion = sweep(assembly, ranges, steps=steps or STEPS)
    with Waiting() as line:
        found = tolerance(motion, samples=samples, seed=seed, progress=line.tell_time)
    return found.to_dict(), bool(found.valid.all() and (found.solved == samples).all())


def _page(title: str, result: dict[str, Any]) -> str:
    if "along" in result:
        from ..report.page.band_page import band_page

        return band_page(title, result)
    from ..report.page.tolerance_page import tolerance_page

    return tolerance_page(title, result)


def _show(result: dict[str, Any]) -> None:
    from ..report.terminal.tolerance import tolerance, tolerance_band

    common.show((tolerance_band if "along" in result else tolerance)(result))
