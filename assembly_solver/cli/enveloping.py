"""`envelope`: all that a part sweeps over in a motion, as a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from . import common, motion
from .arguments import argument, option

SUFFIXES = (".stl", ".glb")

PartArgument = Annotated[str, argument("PART", "Whose envelope.")]
DeviationOption = Annotated[
    float | None,
    option("--deviation", metavar="MM", help="How far outside the mesh may be; by default 1/40."),
]
OutOption = Annotated[
    Path | None, option("-o", "--out", metavar="OUT", help="By suffix, .stl or .glb.")
]


def envelope_command(
    file: common.FileArgument,
    part: PartArgument,
    drivers: motion.DriverOption = None,
    begins: motion.FromOption = None,
    ends: motion.ToOption = None,
    steps: motion.StepsOption = None,
    time: motion.TimeOption = None,
    deviation: DeviationOption = None,
    out: OutOption = None,
    given: common.Given = common.NOTHING_GIVEN,
    as_json: common.JsonOption = False,
) -> int:
    """What a part sweeps over in a motion, as a mesh.

    The mesh encloses it, and is told how far outside it may be; and which other parts lie in it.
    """
    targets = [] if out is None else [out]
    assembly = given.open(file, targets, SUFFIXES)
    time, steps = motion.times_of(assembly, drivers or [], time, steps)
    ranges = motion.ranges_of(assembly, drivers or [], begins or [], ends or [], time)

    from ..report import mesh_files
    from ..report.terminal.progress import Waiting
    from ..verbs import sweeping
    from ..verbs.envelope import envelope

    with Waiting() as line:
        moved = sweeping.sweep(assembly, ranges, steps=steps, time=time, progress=line.tell)
        found = envelope(moved, part, deviation, line.tell)
    if out is not None:
        name, stl = f"envelope of {part}", out.suffix.lower() == ".stl"
        content = mesh_files.stl(found.mesh) if stl else mesh_files.glb(found.mesh, name)
        common.write_bytes(out, content)
        common.log(f"wrote {out}")
    if not moved:
        common.log(moved.sentence)
    common.say(found.to_dict(), as_json, found.words)
    return common.HOLDS if moved else common.HOLDS_NOT
