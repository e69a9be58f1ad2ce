"""`sweep`: a motion over a range or over time, as a table, a CSV file or a JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import BadValue, Contradiction, DuplicateName, MissingKey, UnknownName
from . import common
from .arguments import option

if TYPE_CHECKING:
    from ..model.assembly import Assembly
    from ..results.motion import Motion

SUFFIXES = (".csv", ".json", ".glb")

SHOWN = 6
"""Drivers or joints that the message for a missing `--driver` lists."""

DriverOption = Annotated[
    list[str] | None,
    option("--driver", metavar="NAME[=A:B]", help="A driver or joint; from where to where."),
]
FromOption = Annotated[
    list[float] | None,
    option("--from", metavar="A", help="Where it begins; by default its range's."),
]
ToOption = Annotated[
    list[float] | None, option("--to", metavar="B", help="Where it ends; of each --driver.")
]
StepsOption = Annotated[
    int | None, option("--steps", help="N steps are N + 1 states; 100 if not given.")
]
SpeedOption = Annotated[
    float, option("--speed", help="Of a driver swept by value, mm or degrees per second.")
]
TimeOption = Annotated[
    tuple[float, float] | None,
    option("--time", metavar="T0 T1", help="Run the drivers that have laws, seconds."),
]
HoldOption = Annotated[
    str,
    option(
        "--hold", metavar="same|any", help="What nothing drives: the same, or another to go on."
    ),
]
ContactOption = Annotated[
    str | None,
    option("--contact", metavar="tell|stop", help="Watch parts with geometry for contact."),
]
ClearanceOption = Annotated[
    list[str] | None,
    option("--clearance", metavar="A:B|all", help="How near two parts come, or all. Repeat."),
]
CertifyOption = Annotated[
    bool, option("--certify", help="Prove that each step stays on its branch.")
]
PartsOption = Annotated[
    bool, option("--parts", help="Add every part's pose, velocities and accelerations.")
]
PointsOption = Annotated[
    list[str] | None,
    option("--points", metavar="PART.FEATURE", help="Add the motion of a point. Repeat."),
]
OutOption = Annotated[
    list[Path] | None,
    option("-o", "--out", metavar="OUT", help="By suffix, .csv, .json or .glb. Repeat."),
]


def sweep_command(
    file: common.FileArgument,
    drivers: DriverOption = None,
    begins: FromOption = None,
    ends: ToOption = None,
    steps: StepsOption = None,
    speed: SpeedOption = 1.0,
    time: TimeOption = None,
    grid: common.GridOption = False,
    hold: HoldOption = "same",
    contact: ContactOption = None,
    clearance: ClearanceOption = None,
    certify: CertifyOption = False,
    parts: PartsOption = False,
    points: PointsOption = None,
    out: OutOption = None,
    given: common.Given = common.NOTHING_GIVEN,
    budget: common.BudgetOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Positions, velocities, accelerations of a driven motion.

    Over the range of a driver, of several, or over time.
    """
    targets = out or []
    assembly = given.open(file, targets, SUFFIXES)
    features = [str(assembly.reference(point, "--points")) for point in points or ()]
    time, steps = times_of(assembly, drivers or [], time, steps)
    ranges = ranges_of(assembly, drivers or [], begins or [], ends or [], time)

    from ..report.terminal.progress import Waiting
    from ..report.terminal.sweep import sweep as tables
    from ..results.wording.left_out import left_out
    from ..verbs import sweeping

    how: dict[str, Any] = {"steps": steps, "speed": speed, "time": time, "grid": grid}
    how |= {"hold": hold, "contact": contact, "certify": certify}
    how["clearance"] = pairs_of(assembly, clearance)
    with Waiting() as line:
        motion = sweeping.sweep(assembly, ranges, **how, budget=budget, progress=line.tell)
        contents = [_content(target.suffix.lower(), motion, parts, features) for target in targets]
        result = _content(".json", motion, parts, features) if as_json else b""
    for target, content in zip(targets, contents, strict=True):
        common.write_bytes(target, content)
        common.log(f"wrote {target}")
    if as_json:
        common.tell(result.decode())
    else:
        common.show(tables(motion))
    return common.HOLDS if motion and not left_out(assembly) else common.HOLDS_NOT


def _content(suffix: str, motion: Motion, parts: bool, points: list[str]) -> bytes:
    """The content of a file with the motion."""
    from ..report import motion_csv

    if suffix == ".glb":
        from ..report.motion_glb import glb_animation

        return glb_animation(motion)
    if suffix == ".csv":
        return motion_csv.csv_table(motion, parts, points).encode()
    return common.json_text(motion_csv.dictionary(motion, parts, points)).encode()


def pairs_of(assembly: Assembly, named: list[str] | None) -> str | list[tuple[str, str]] | None:
    """The pairs of parts of `--clearance A:B`, "all" of them, or None."""
    from ..model.contact import ALL

    if named is None or named == [ALL]:
        return ALL if named else None
    return [_pair(assembly, words) for words in named]


def _pair(assembly: Assembly, words: str) -> tuple[str, str]:
    """Two parts, with ":" between their names; names may have it, too."""
    cuts = [k for k, letter in enumerate(words) if letter == ":"]
    pairs = [(words[:k], words[k + 1 :]) for k in cuts]
    known = [pair for pair in pairs if all(name in assembly.parts for name in pair)]
    if not pairs:
        raise BadValue("--clearance", words, 'two parts, as in "arm:wall", or all')
    if not known:
        wrong = next(name for name in pairs[0] if name not in assembly.parts)
        raise UnknownName("part", wrong, assembly.parts, "--clearance")
    return known[0]


def times_of(
    assembly: Assembly, drivers: list[str], time: tuple[float, float] | None, steps: int | None
) -> tuple[tuple[float, float] | None, int | None]:
    """Start and end time, s, and steps; by default those stored in the file."""
    from ..formats.simulated import simulated

    moves = not drivers and any(driver.moves for driver in assembly.drivers.values())
    told = simulated(assembly) if moves and time is None else None
    if told is None:
        return time, steps
    return told[:2], told[2] if steps is None else steps


def ranges_of(
    assembly: Assembly,
    drivers: list[str],
    begins: list[float],
    ends: list[float],
    time: tuple[float, float] | None,
) -> dict[str, tuple[float, float]] | None:
    """First and last value of each driver, mm or degrees; None for drivers with laws, over time.

    A driver is `NAME` or `NAME=A:B`.  `--from` and `--to` apply to the drivers without `=A:B`, in
    order; by default they are the ends of the driver's range.
    """
    if time is not None:
        if drivers:
            raise Contradiction("", "--driver", "--time")
        return None
    if not drivers:
        raise MissingKey("", "a sweep", f"--driver NAME (of {_known(assembly)}) or --time T0 T1")
    split = [_split(assembly, words) for words in drivers]
    names = [name for name, _ in split]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise DuplicateName("driver", name, f"--driver {drivers[k]}")
    bare = [name for name, ends_of in split if ends_of is None]
    for flag, values in (("--from", begins), ("--to", ends)):
        if values and len(values) != len(bare):
            wanted = f"given once for each driver without a range of its own ({len(bare)} of them)"
            raise BadValue(flag, values, wanted)
    none = [None] * len(bare)
    given = dict(zip(bare, zip(begins or none, ends or none, strict=True), strict=True))
    return {name: _with_defaults(assembly, name, *(own or given[name])) for name, own in split}


def _known(assembly: Assembly) -> str:
    from ..model.mates.couplings import with_coordinates

    names = list(assembly.drivers) or with_coordinates(assembly.held)
    more = f", ... ({len(names)} in all)" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more if names else "which it has none"


def _split(assembly: Assembly, words: str) -> tuple[str, tuple[float, float] | None]:
    """The driver's name, and the range after its last "=" if any."""
    name, equals, tail = words.rpartition("=")
    if not equals or words in assembly.drivers:
        name, tail = words, ""
    name = assembly.driver_of(name, f"--driver {words}").name
    if not tail:
        return name, None
    try:
        low, high = map(float, tail.split(":"))
    except ValueError:
        raise BadValue(f"--driver {words}", tail, "two numbers, as in NAME=0:90") from None
    return name, (low, high)


def _with_defaults(
    assembly: Assembly, name: str, begin: float | None, end: float | None
) -> tuple[float, float]:
    """First and last value of a driver; by default its range."""
    own = assembly.drivers[name].range
    if begin is None or end is None:
        if own is None:
            raise MissingKey(f"--driver {name}", "a driver without a range", "--from and --to")
        begin, end = own[0] if begin is None else begin, own[1] if end is None else end
    return begin, end
