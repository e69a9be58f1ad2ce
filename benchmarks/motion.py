"""Sweeps with velocities and accelerations: `python -m benchmarks.motion`.

A four-bar of coaxial and coplanar mates in space is turned once, 360 steps, against the kinematic
run of OndselSolver on the same hinges; poses of the two are compared.  A state of a sweep of the
excavator (boom and bucket cylinder together) is set against a first solve of it.  What a state
costs is followed from ladder(3) to ladder(30).  All of them run in turn, in one process.  Each
sweep is asked for twice: of a new assembly, which has to be analysed and assembled first, and again
of the same one; a state costs what the second call takes, divided by the number of states.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

import assembly_solver as asm

from .adapters.base import MissingPeerError, peer
from .adapters.by_ondsel import CHANNELS, Ondsel
from .case import Array
from .families import assembly, named
from .figures import Figure, ratio, report, timed

PEER = "ondsel"
STEPS = 360
ROUNDS = 5
LADDERS = (3, 10, 30)
HOLDS = 1e-9  # mm: what mates may be off
AGREES = 1e-4  # mm and rad: OndselSolver stops at 1e-6 and prints angles
FASTER, TENTH, LINEAR = 100.0, 0.1, 1.15


@dataclass
class MotionRow:
    """A sweep: its states, ms of every first and every second call of it, the last motion."""

    name: str
    states: int
    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    motion: asm.Motion | None = None

    @property
    def state(self) -> float:
        """What a state costs, ms."""
        return median(self.again) / self.states

    @property
    def off(self) -> float:
        """How far the worst mate of the worst state is off, mm; infinite where one is not valid."""
        return float(np.max(self.motion.residual_mm)) if self.motion else math.inf


def median(runs: list[float]) -> float:
    """Median of some runs; the first one, which loads compiled code, is left out."""
    return statistics.median(runs[1:] or runs)


def joint_of(a: asm.Assembly, one: str, two: str) -> asm.Mate:
    """The coaxial mate of two parts."""
    for mate in a.mates.values():
        if mate.kind == "coaxial" and {mate.a.part, mate.b.part} == {one, two}:
            return mate
    raise KeyError(f"no coaxial mate of {one} and {two}")


def angle_at_start(a: asm.Assembly, mate: asm.Mate) -> float:
    """The angle of a coaxial mate where the assembly stands, degrees."""
    world = []
    for ref in (mate.a, mate.b):
        part = a.parts[ref.part]
        frame = np.array(part.feature(ref.feature).frame).reshape(4, 3)
        world.append(frame[1:] @ part.pose.rotation.T)
    (x, y, _), (other, _, _) = world
    return math.degrees(math.atan2(float(other @ y), float(other @ x)))


# ------------------------------------------------------------------ the sweeps


Sweep = Callable[[], asm.Motion]


def turn_fourbar() -> Sweep:
    """A whole turn of the crank from where it stands."""
    a = assembly(named("fourbar", noise=0.0))
    crank = joint_of(a, "frame", "crank")
    first = angle_at_start(a, crank)
    return lambda: asm.sweep(a, crank, angle=(first, first + 360), steps=STEPS, speed=360.0)


def lift_excavator() -> Sweep:
    """The boom by 20 degrees, and the cylinder of the bucket by 100 mm with it."""
    a = assembly(named("excavator", noise=0.0))
    boom, pins = joint_of(a, "B0", "B1"), ("B0.axis_S", "B8.axis_P")
    a.drive("boom", boom, "angle")
    a.drive("bucket", separation=pins)
    at = angle_at_start(a, boom)
    long = separation_at_start(a, *pins)
    values = {"boom": (at, at - 20.0), "bucket": (long, long + 100.0)}
    return lambda: asm.sweep(a, values, steps=STEPS)


def separation_at_start(a: asm.Assembly, one: str, two: str) -> float:
    """Distance of two features where the assembly stands, mm."""
    points = []
    for ref in (a.reference(one), a.reference(two)):
        part = a.parts[ref.part]
        points.append(part.pose.apply(np.array(part.feature(ref.feature).frame[:3])))
    return float(np.linalg.norm(points[1] - points[0]))


def swing_ladder(size: int) -> Sweep:
    """The first rocker of a ladder by 10 degrees."""
    a = assembly(named(f"ladder({size})", noise=0.0))
    rocker = joint_of(a, "frame", "rocker0")
    at = angle_at_start(a, rocker)
    return lambda: asm.sweep(a, rocker, angle=(at, at + 10.0), steps=STEPS // 4)


def first_solve() -> asm.Solution:
    """The first solve of the excavator, from its disturbed start."""
    return asm.solve(assembly(named("excavator")))


# ------------------------------------------------------------------ the peer


class Peer:
    """The kinematic run of OndselSolver on the hinges of the four-bar, the crank turned once."""

    def __init__(self) -> None:
        self.engine = Ondsel(merge=True)
        self.case = named("fourbar", noise=0.0)
        crank = self.case.mates[0]  # of the frame and the crank: its joint is the first
        assert {crank.a[0], crank.b[0]} == {"frame", "crank"}
        model = self.engine.modelled(self.case)
        model.simulation = self.engine.simulation(t_start=0.0, t_end=1.0, frames=STEPS)
        a = assembly(self.case)
        first = math.radians(angle_at_start(a, joint_of(a, "frame", "crank")))
        motion = peer("pyondsel.model.motion", "pyondsel").Motion
        model.add_motion(motion("turn", "j0", f"{first!r} + 2.0*pi*time"))
        self.text = model.to_asmt()
        self.answer = ""

    def run(self) -> None:
        """Read the text, run, write the text of the answer: nothing finer is offered."""
        self.answer = self.engine.raw(self.text)

    def gap(self, motion: asm.Motion) -> float:
        """Largest difference to our poses, mm and entries of rotations, over all states."""
        series: dict[str, dict[str, Array]] = {}
        row: dict[str, Array] = {}
        for line in self.answer.splitlines():
            key, _, values = line.strip().partition("\t")
            if key.endswith("Series"):
                name = values.rsplit("/", 1)[-1].strip()
                row = series.setdefault(name, {}) if key == "PartSeries" else {}
            elif key in CHANNELS:
                row[key] = np.array(values.split()[1:], float)  # the first one is the input
        worst = 0.0
        for k, name in enumerate(motion.parts):
            table = np.column_stack([series[name][c] for c in CHANNELS])
            turned = Rotation.from_euler("XYZ", table[:, 3:]).as_matrix()
            theirs = np.concatenate([table[:, None, :3], turned.transpose(0, 2, 1)], axis=1)
            ours = motion.frames[:, k].reshape(-1, 4, 3)
            if theirs.shape != ours.shape:
                return math.inf  # it stopped on the way
            worst = max(worst, float(np.abs(theirs - ours).max()))
        return worst


# ------------------------------------------------------------------ the run


@dataclass
class MotionResult:
    """All rows of a run, ms of the first solves of the excavator and of the peer's runs."""

    fourbar: MotionRow = field(default_factory=lambda: MotionRow("four-bar, a turn", STEPS + 1))
    excavator: MotionRow = field(
        default_factory=lambda: MotionRow("excavator, two drivers", STEPS + 1)
    )
    ladders: dict[int, MotionRow] = field(default_factory=dict)
    solves: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)
    gap: float | None = None
    missing: str = ""

    @property
    def share(self) -> float:
        """A state of the excavator's sweep as a share of its first solve."""
        return self.excavator.state / median(self.solves)

    @property
    def exponent(self) -> float:
        """Growth of a state's cost with the number of moving parts: 1 is linear."""
        small, large = LADDERS[0], LADDERS[-1]
        growth = self.ladders[large].state / self.ladders[small].state
        return math.log(growth) / math.log((2 * large + 1) / (2 * small + 1))


def measured(rounds: int) -> MotionResult:
    """All sweeps, the first solve and the peer in turn."""
    found = MotionResult()
    found.ladders = {n: MotionRow(f"ladder({n}), 10 degrees", STEPS // 4 + 1) for n in LADDERS}
    try:
        other = Peer()
    except MissingPeerError as missing:
        other, found.missing = None, str(missing)
    for _ in range(rounds + 1):
        take(found.fourbar, turn_fourbar())
        if other is not None:
            found.peer.append(timed(other.run)[0])
        take(found.excavator, lift_excavator())
        found.solves.append(timed(first_solve)[0])
        for n, row in found.ladders.items():
            take(row, swing_ladder(n))
    if other is not None and found.fourbar.motion:
        found.gap = other.gap(found.fourbar.motion)
    return found


def take(row: MotionRow, made: Sweep) -> None:
    """A sweep of a new assembly, and the same again."""
    row.first.append(timed(made)[0])
    ms, row.motion = timed(made)
    row.again.append(ms)


def figures(quick: bool = False, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Every state holds, the two engines agree, and a state costs as little as it has to."""
    found = measured(1 if quick else rounds)
    for row in (found.fourbar, found.excavator, *found.ladders.values()):
        yield Figure("motion", row.name, "first sweep", median(row.first), "ms")
        yield Figure("motion", row.name, "repeated sweep", median(row.again), "ms")
        yield Figure("motion", row.name, "a state", row.state, "ms")
        yield Figure("motion", row.name, "mates are off", row.off, "mm", f"<= {HOLDS:g}")
    name, none = found.fourbar.name, found.missing
    theirs = median(found.peer) if found.peer else None
    yield Figure("motion", name, "repeated sweep", theirs, "ms", "", PEER, none)
    for words, runs, limit in (
        ("peer / first sweep", found.fourbar.first, ""),
        ("peer / repeated sweep", found.fourbar.again, f">= {FASTER:g}"),
    ):
        yield Figure("motion", name, words, ratio(theirs, median(runs)), "x", limit, PEER, none)
    yield Figure("motion", name, "poses differ", found.gap, "mm", f"<= {AGREES:g}", PEER, none)
    words, limit = "a state / first solve", f"<= {TENTH:g}"
    yield Figure("motion", found.excavator.name, words, found.share, "x", limit)
    limit = f"<= {LINEAR:g}"
    yield Figure("motion", "ladders", "a state, power of the parts", found.exponent, "", limit)


def main(arguments: list[str] | None = None) -> int:
    """Print what was measured; status 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.motion", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each, after a first")
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    raise SystemExit(main())
