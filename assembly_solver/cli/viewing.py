"""`view`: an HTML page with the moving 3D assembly."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from . import common
from .arguments import option
from .motion import ClearanceOption, TimeOption, pairs_of, times_of

OutOption = Annotated[
    Path | None,
    option("-o", "--out", metavar="OUT.html", help="By default FILE's name with .html."),
]
DriverOption = Annotated[
    list[str] | None, option("--driver", metavar="NAME", help="What moves; by default all drivers.")
]
FeaturesOption = Annotated[
    bool, option("--features", help="Draw all parts by their features, read no geometry.")
]
ContactOption = Annotated[
    bool, option("--contact", help="Find where parts touch; drivers then move one at a time.")
]
ModesOption = Annotated[
    bool, option("--modes", help="Show the assembly modes: the ways in which the loops close.")
]


def view_command(
    file: common.FileArgument,
    drivers: DriverOption = None,
    time: TimeOption = None,
    out: OutOption = None,
    features: FeaturesOption = False,
    contact: ContactOption = False,
    clearance: ClearanceOption = None,
    modes: ModesOption = False,
    given: common.Given = common.NOTHING_GIVEN,
    as_json: common.JsonOption = False,
) -> int:
    """A page with the moving assembly in 3D.

    It has a slider for each driver, or for each free motion.
    """
    stem = "assembly" if file == "-" else Path(file).name.partition(".")[0]
    target = out or Path(f"{stem}.html")
    assembly = given.open(file, [target], (".html",))

    from ..report.terminal.progress import Waiting
    from ..report.viewer.scene import scene_of
    from ..results.wording.phrases import listed

    time, _ = times_of(assembly, drivers or [], time, None)
    near = pairs_of(assembly, clearance)
    with Waiting() as line:
        scene = scene_of(assembly, drivers, time, contact, modes, near, line.tell)
        page = scene.page(not features)
    solution = scene.solution
    common.write_text(target, page)
    moving = [slider.name for run in scene.motions for slider in run.sliders]
    result = {"wrote": str(target), "sentence": solution.sentence, "moving": moving}
    closed = bool(solution) and not solution.left_out
    if not closed:
        common.log(solution.sentence)
    elif time is None and any(driver.moves for driver in assembly.drivers.values()):
        common.log("drivers with laws move with --time T0 T1")
    common.say(result, as_json, f"wrote {target}; {listed(moving) or 'nothing'} can be moved in it")
    return common.HOLDS if closed else common.HOLDS_NOT
