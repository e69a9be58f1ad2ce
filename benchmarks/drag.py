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
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import cos, pi, radians, sin
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import assembly_solver as asm

from .adapters import ADAPTERS, MissingPeerError
from .adapters.by_ourselves import solved_poses
from .case import BASE, Array, BenchmarkCase, Vector
from .families import assembly, named
from .judge import judge

STEPS = 300
ROUNDS = 3
HOLDS = 1e-9  # mm and rad
FIFTH, HUNDREDTH = 1 / 5, 1 / 100
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

    def share(self, of: list[float]) -> float:
        """A step as a share of the median of some solves."""
        return self.step / statistics.median(of) if of else float("nan")

    @property
    def good(self) -> bool:
        """Mates hold, nothing jumps, and the step costs as little as it has to."""
        cheap = self.share(self.first) <= FIFTH and not self.share(self.peer) > HUNDREDTH
        return cheap and self.mates <= HOLDS and self.motion <= 10.0


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


def timed(work: Callable[[], object]) -> float:
    """Wall time of a call, ms."""
    begun = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - begun)


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
    return timed(lambda: adapter.solve(model))  # type: ignore[attr-defined]


def run(drag: Drag) -> DragRow:
    """Drag, alternating with first solves and solves of the peer."""
    row, case = DragRow(drag), named(drag.case, noise=drag.noise)
    session = asm.Session(assembly(case))
    peer = peer_of(named(drag.case))
    places = path(drag, session.poses[drag.part])
    before = features(case, session)
    for k, place in enumerate(places):
        asked = float(np.linalg.norm(place - session.poses[drag.part].apply(drag.point)))
        steps: list[asm.DragStep] = []
        row.steps.append(
            timed(lambda: steps.append(session.drag(drag.part, point=drag.point, to=place)))  # noqa: B023
        )
        now = features(case, session)
        verdict = judge(case, solved_poses(case, session.poses))
        row.mates = max(row.mates, verdict.mm, verdict.rad, float(verdict.flips))
        row.away = max(row.away, steps[0].away_mm)
        row.singular += bool(steps[0].singular)
        if not steps[0].singular:
            motion = float(np.linalg.norm(now - before, axis=1).max())
            row.motion = max(row.motion, motion / asked)
        before = now
        if k % (STEPS // ROUNDS) == 0:
            model = assembly(named(drag.case))
            row.first.append(timed(lambda: asm.solve(model)))  # noqa: B023
            if peer is not None:
                row.peer.append(peer())
    return row


def show(rows: list[DragRow]) -> Table:
    """The table of all drags."""
    table = Table(title=f"{STEPS} steps of dragging; times in ms")
    for name in ("case", "part", "step", "worst", "first solve", "step /", "ondsel", "step /"):
        table.add_column(name, justify="left" if name in ("case", "part") else "right")
    for name in ("mates, mm", "motion", "away, mm", "singular"):
        table.add_column(name, justify="right")
    for r in rows:
        first, peer = statistics.median(r.first), statistics.median(r.peer or [float("nan")])
        table.add_row(
            r.drag.case,
            r.drag.part,
            f"{r.step:.3f}",
            f"{max(r.steps[1:]):.3f}",
            f"{first:.2f}",
            f"{r.share(r.first):.3f}",
            f"{peer:.0f}",
            f"{r.share(r.peer):.5f}",
            f"{r.mates:.0e}",
            f"{r.motion:.2f}",
            f"{r.away:.0e}",
            str(r.singular),
            style=None if r.good else "red",
        )
    return table


def main(arguments: list[str] | None = None) -> int:
    """Run all drags and print the table; status 1 where one misses a requirement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drag", description=__doc__)
    parser.add_argument("--cases", nargs="+", help="only these, as chain(100)")
    ask = parser.parse_args(arguments)
    small = asm.Session(assembly(named("fourbar")))  # compiled code is loaded before
    small.drag("crank", to=(0, 0, 0))
    rows = [run(d) for d in DRAGS if not ask.cases or d.case in ask.cases]
    Console(width=120).print(show(rows))
    return 0 if all(r.good for r in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
