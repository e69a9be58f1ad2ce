"""`linkage`: the planar linkage of an assembly, its steps, its states, and a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..errors import MissingKey
from . import common
from .arguments import option
from .motion import ranges_of

if TYPE_CHECKING:
    from ..model.assembly import Assembly
    from ..results.linkage_states import States
    from ..verbs.linkage import Linkage

SUFFIXES = (".svg", ".csv", ".json")

STEPS = 360
"""Default number of steps through each range."""

MOST_STEPS = 1_000_000

DriverOption = Annotated[
    list[str] | None,
    option("--driver", metavar="NAME[=A:B]", help="What moves; by default the one with a range."),
]
StepsOption = Annotated[
    int, option("--steps", within=(1, MOST_STEPS), help="N steps are N + 1 states.")
]
ReinterpretOption = Annotated[
    bool, option("--reinterpret", help="Replace slots by links to far joints.")
]
ErrorOption = Annotated[
    float | None, option("--error", help="What such a link may be off its slot, mm.")
]
TraceOption = Annotated[
    list[str] | None,
    option("--trace", metavar="POINT", help="Draw the path of this point. Repeat."),
]
MatricesOption = Annotated[bool, option("--matrices", help="Print the matrices B, T, D, S and I.")]
OutOption = Annotated[
    list[Path] | None,
    option("-o", "--out", metavar="OUT", help="By suffix, .svg, .csv or .json. Repeat."),
]


def linkage_command(
    file: common.FileArgument,
    drivers: DriverOption = None,
    steps: StepsOption = STEPS,
    grid: common.GridOption = False,
    reinterpret: ReinterpretOption = False,
    error: ErrorOption = None,
    trace: TraceOption = None,
    matrices: MatricesOption = False,
    out: OutOption = None,
    given: common.Given = common.NOTHING_GIVEN,
    as_json: common.JsonOption = False,
) -> int:
    """A planar linkage: its steps, all its states, a picture."""
    targets = out or []
    if error is not None and not reinterpret:
        raise MissingKey("--error", "a slot that may be off its line", "--reinterpret")
    if trace and not any(target.suffix.lower() == ".svg" for target in targets):
        raise MissingKey("--trace", "a path that is drawn", "-o NAME.svg")
    assembly = given.open(file, targets, SUFFIXES)
    ranges = _ranges(assembly, drivers or [])

    import numpy as np

    from ..linkages.plan.slot_as_arc import ERROR
    from ..report.terminal.linkage import linkage as tables
    from ..report.terminal.progress import Waiting
    from ..results.wording.left_out import left_out
    from ..verbs import linkage

    allowed = ERROR if error is None else error
    with Waiting():
        found = linkage.linkage(assembly, reinterpret=reinterpret, error=allowed)
        series = {name: np.linspace(*ends, steps + 1) for name, ends in ranges.items()}
        states = found.run(series or {found.inputs[0]: found.present[0]}, grid=grid)
    for target in targets:
        common.write_text(target, _content(target, found, states, trace or []))
        common.log(f"wrote {target}")
    if as_json:
        common.tell(_json(found, states))
    else:
        common.show(tables(found, states, matrices))
    return common.HOLDS if states and not left_out(assembly) else common.HOLDS_NOT


def _ranges(assembly: Assembly, drivers: list[str]) -> dict[str, tuple[float, float]]:
    """First and last value of each driver; by default the only range in the assembly."""
    if not drivers:
        ranged = [name for name, driver in assembly.drivers.items() if driver.range is not None]
        drivers = ranged if len(ranged) == 1 else []
    return (ranges_of(assembly, drivers, [], [], None) or {}) if drivers else {}


def _content(target: Path, found: Linkage, states: States, trace: list[str]) -> str:
    from ..report.page import linkage_drawing
    from ..report.terminal.linkage import picture, series

    suffix = target.suffix.lower()
    if suffix == ".svg":
        return linkage_drawing.svg(picture(found, states, trace))
    return series(states) if suffix == ".csv" else _json(found, states)


def _json(found: Linkage, states: States) -> str:
    own = {"cost": str(found.cost), "states": states.to_dict()}
    return common.json_text(found.to_dict() | own)
