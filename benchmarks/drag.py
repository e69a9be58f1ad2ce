"""Dragging a part through a smooth path: `python -m benchmarks.drag`.

Each case is dragged through 300 poses.  At every step all mates are judged from the features alone,
and the largest motion of any feature is set against the motion that was asked for.  The time of a
step is compared with the product's first solve of the case and against OndselSolver's solve (mates
as revolute joints where that succeeds, else as given), all in one process and in turn: a share of
the path, a first solve, a solve of the peer, and so on.  Requests are points that the part can
reach; far from reach it lags, which is quicker.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import cos, pi, radians, sin
from typing import NamedTuple

import numpy as np

import assembly_solver as asm

from .adapters import ADAPTERS, MissingPeerError
from .adapters.by_ourselves import solved_poses
from .case import BASE, Array, BenchmarkCase, Vector
from .families import assembly, named
from .figures import Figure, median, ratio, report, timed
from .judge import judge

STEPS = 300
ROUNDS = 3
HOLDS = 1e-9  # mm and rad
FIFTH, HUNDREDTH, MOST_MOTION = 1 / 5, 1 / 100, 10.0
PEER = "ondsel"
X, Y, Z = BASE[:3, :3].T


class Drag(NamedTuple):
    """The drag of a point of a part of a case, on a circle (mm) or about its origin."""

    case: str
    part: str
    point: Vector
    radius: float = 0.0
    degrees: float = 0.0
    noise: float = 1.0


DRAGS = (
    Drag("chain(100)", "link100", (100, 0, 0), radius=50),
    Drag("chain(100)", "link50", (100, 0, 0), radius=50),
    Drag("ladder(30)", "rocker10", (120, 0, 0), degrees=10),
    Drag("excavator", "B1", (3000, 0, 0), degrees=10, noise=0),
    Drag("excavator", "B12", (500, 0, 0), radius=50, noise=0),
)


@dataclass
class DragRow:
    """One drag: ms of every step, of the first solves, and of the peer's; what was judged."""

    drag: Drag
    steps: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    peer: list[float] = field(default_factory=list)
    mates: float = 0.0
    motion: float = 0.0
    away: float = 0.0
    singular: int = 0

    @property
    def step(self) -> float:
        """Median of the steps, ms; the first one lays the arrays out and is left out."""
        return statistics.median(self.steps[1:])


def path(drag: Drag, start: asm.Pose) -> Iterator[Array]:
    """The target positions of the point; the last is its start."""
    home = start.apply(drag.point)
    arm = home - np.array(start.position)
    for k in range(1, STEPS + 1):
        s = 2 * pi * k / STEPS
        if drag.radius:
            circle = (cos(s) - 1) * X + sin(s) * Y
            lift = 0.5 * sin(2 * s) * Z if drag.case.startswith("chain") else 0.0
            yield home + drag.radius * (circle + lift)
        else:
            t = radians(drag.degrees) * sin(s)
            across = arm - (arm @ Z) * Z
            yield home + (cos(t) - 1) * across + sin(t) * np.cross(Z, across)


def features(case: BenchmarkCase, session: asm.Session) -> Array:
    """All features in the world, where motions are measured."""
    return np.concatenate(
        [
            session.poses[name].apply([f.point for f in body.features.values()])
            for name, body in case.parts.items()
        ]
    )


def peer_of(case: BenchmarkCase) -> Callable[[], float] | None:
    """OndselSolver on a case: its quicker way that solves it; None without it."""
    for engine in ("ondsel:joints", "ondsel:mates"):
        try:
            adapter = ADAPTERS[engine]()
        except MissingPeerError:
            return None
        adapter.prepare(case)
        model = adapter.build(case)
        right = adapter.solve(model) == "solved" and judge(case, adapter.poses(model)).right
        if right or (engine == "ondsel:joints" and len(case.parts) > 50):
            return partial(timed_solve, adapter, case)
    return None


def timed_solve(adapter: object, case: BenchmarkCase) -> float:
    """One solve of a peer on a new model, ms."""
    model = adapter.build(case)  # type: ignore[attr-defined]
    return timed(lambda: adapter.solve(model))[0]  # type: ignore[attr-defined]


def run(drag: Drag) -> DragRow:
    """Drag, alternating with first solves and solves of the peer."""
    row, case = DragRow(drag), named(drag.case, noise=drag.noise)
    session = asm.Session(assembly(case))
    peer = peer_of(named(drag.case))
    places = path(drag, session.poses[drag.part])
    before = features(case, session)
    for k, place in enumerate(places):
        asked = float(np.linalg.norm(place - session.poses[drag.part].apply(drag.point)))
        ms, step = timed(partial(session.drag, drag.part, point=drag.point, to=place.tolist()))
        row.steps.append(ms)
        now = features(case, session)
        verdict = judge(case, solved_poses(case, session.poses))
        row.mates = max(row.mates, verdict.mm, verdict.rad, float(verdict.flips))
        row.away = max(row.away, step.away_mm)
        row.singular += bool(step.singular)
        if not step.singular:
            motion = float(np.linalg.norm(now - before, axis=1).max())
            row.motion = max(row.motion, motion / asked)
        before = now
        if k % (STEPS // ROUNDS) == 0:
            row.first.append(timed(partial(asm.solve, assembly(named(drag.case))))[0])
            if peer is not None:
                row.peer.append(peer())
    return row


def told(row: DragRow) -> Iterator[Figure]:
    """Times of a step, alone and as shares; what holds, what jumps."""
    case, first, peer = f"{row.drag.case} {row.drag.part}", median(row.first), median(row.peer)
    yield Figure("drag", case, "a step", row.step, "ms")
    yield Figure("drag", case, "longest step", max(row.steps[1:]), "ms")
    yield Figure("drag", case, "first solve", first, "ms")
    none = "" if row.peer else "not installed, or solves it in no way"
    yield Figure("drag", case, "solve", peer, "ms", "", PEER, none)
    share = ratio(row.step, first)
    yield Figure("drag", case, "a step / first solve", share, "x", f"<= {FIFTH:g}")
    share = ratio(row.step, peer)
    limit = f"<= {HUNDREDTH:g}"
    yield Figure("drag", case, "a step / peer's solve", share, "x", limit, PEER, none)
    yield Figure("drag", case, "mates are off", row.mates, "mm", f"<= {HOLDS:g}")
    yield Figure("drag", case, "moved / asked", row.motion, "x", f"<= {MOST_MOTION:g}")
    yield Figure("drag", case, "away from what was asked", row.away, "mm")
    yield Figure("drag", case, "singular steps", row.singular)


def figures(quick: bool = False, cases: Iterable[str] = ()) -> Iterator[Figure]:
    """All drags, or those of some cases; quick: the excavator's."""
    small = asm.Session(assembly(named("fourbar")))  # compiled code is loaded before
    small.drag("crank", to=(0, 0, 0))
    wanted = cases or (("excavator",) if quick else [d.case for d in DRAGS])
    for drag in DRAGS:
        if drag.case in wanted:
            yield from told(run(drag))


def main(arguments: list[str] | None = None) -> int:
    """Run all drags and print the table; status 1 where one misses a requirement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drag", description=__doc__)
    parser.add_argument("--cases", nargs="+", default=(), help="only these, as chain(100)")
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    raise SystemExit(main())
