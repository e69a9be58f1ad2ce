"""Assemblies of seven mates with one, two or three contradictions: what saying them costs.

    ASSEMBLY_SOLVER_JIT=0 python -m benchmarks.seven_mates

prints the processor time of each, solved and told, by the engine as the variable says: interpreted,
as in the first second of a process.  Plates with rods, rings of links, blocks, frames tied by
rods, drivers and limits among the mates; every case has seven mates.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any

import numpy as np

import assembly_solver as asm

from .figures import RIGHT, Figure, answers, report, timed, written

LIMIT = "<= 5"
"""Processor time of a solve and of printing it, s."""

SQUARE = ((0.0, 0.0), (60.0, 0.0), (60.0, 40.0), (0.0, 40.0))


def ring(lengths: Sequence[float], kind: str, tilt: float = 0.0) -> asm.Assembly:
    """Links one after the other, the first one held, the last hinged to the first again.

    Args:
        lengths: of the links, mm; kind: of the mates; tilt: of the far axis of a link, degrees.
    """
    a, n = asm.Assembly("ring"), len(lengths)
    c, s = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))
    at = np.zeros(2)
    for k, length in enumerate(lengths):
        turn = 360.0 * k / n
        far = asm.Axis((length, 0, 0), (0, -float(s), float(c)))
        ends: dict[str, asm.Feature] = {"p": asm.Axis((0, 0, 0), "z"), "q": far}
        if kind == "spherical":
            ends = {"p": asm.Point((0, 0, 0)), "q": asm.Point((length, 0, 0))}
        pose = asm.Pose.from_axis((*at.tolist(), 0), (0, 0, 1), turn)
        a.add(f"link {k}", features=ends, pose=pose, grounded=k == 0)
        at = at + length * np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    for k in range(n):
        more: dict[str, Any] = {} if kind == "spherical" else {"sense": "aligned"}
        a.mate(kind, f"link {k}.q", f"link {(k + 1) % n}.p", name=f"pin {k}", **more)
    return a


def beads(lengths: Sequence[float]) -> asm.Assembly:
    """Points of parts one after the other at distances, in a ring."""
    a, n = asm.Assembly("beads"), len(lengths)
    for k in range(n):
        x, y = (80 * np.array([np.cos(6.28 * k / n), np.sin(6.28 * k / n)])).tolist()
        pose = asm.Pose.from_axis((x, y, 0), (0, 0, 1), 0)
        a.add(f"bead {k}", features={"p": asm.Point((0, 0, 0))}, pose=pose, grounded=k == 0)
    for k, far in enumerate(lengths):
        a.mate("distance", f"bead {k}.p", f"bead {(k + 1) % n}.p", name=f"wire {k}", value=far)
    return a


def rods(lengths: Sequence[float]) -> asm.Assembly:
    """A plate above another, tied to it by rods of these lengths between the points of each."""
    a = asm.Assembly("rods")
    low = [
        (60, 0, 0),
        (-30, 50, 0),
        (-30, -50, 0),
        (40, 60, 0),
        (-60, 5, 0),
        (35, -55, 0),
        (5, 9, 0),
    ]
    high = [
        (30, 20, 0),
        (-35, 15, 0),
        (5, -40, 0),
        (12, 31, 0),
        (-25, -14, 0),
        (37, -9, 0),
        (0, 3, 0),
    ]
    a.add("base", features={f"b{k}": asm.Point(p) for k, p in enumerate(low)}, grounded=True)
    pose = asm.Pose.from_axis((2, 3, 70), (1, 2, 3), 8)
    a.add("top", features={f"t{k}": asm.Point(p) for k, p in enumerate(high)}, pose=pose)
    for k, far in enumerate(lengths):
        a.mate("distance", f"base.b{k}", f"top.t{k}", name=f"rod {k}", value=far)
    return a


def rods_with(change: dict[int, float]) -> asm.Assembly:
    """Seven rods that fit, some of them changed by so much."""
    fits = rods([1.0] * 7)
    place = asm.Pose.from_axis((1, -2, 75), (2, 1, 3), 10)
    lengths = []
    for k in range(7):
        p, q = (fits.parts[n].features[f"{n[0]}{k}"].point for n in ("base", "top"))  # type: ignore[attr-defined]
        lengths.append(float(np.linalg.norm(place.apply(q) - np.array(p))) + change.get(k, 0.0))
    return rods(lengths)


def lids(props: Sequence[Sequence[float]], driven: bool = False) -> asm.Assembly:
    """Hinged lids, each with props that ask for these angles, degrees."""
    a = asm.Assembly("lids")
    pins = {f"pin{k}": asm.Axis((200.0 * k, 0, 0), "z") for k in range(len(props))}
    a.add("box", grounded=True, features=pins)
    for k, angles in enumerate(props):
        pose = asm.Pose.from_axis((200.0 * k, 0, 0), (0, 0, 1), 20)
        a.add(f"lid{k}", features={"pin": asm.Axis((0, 0, 0), "z")}, pose=pose)
        a.mate("revolute", f"box.pin{k}", f"lid{k}.pin", name=f"hinge {k}", sense="aligned")
        for n, value in enumerate(angles):
            about = f"box.pin{k}"
            name = f"prop {k}.{n}"
            a.mate("angle", "box.x", f"lid{k}.x", name=name, value=value, about=about)
        if driven:
            a.drive(f"motor {k}", f"hinge {k}", "angle", value=angles[0] + 9 if angles else 40)
            a.limit(f"hinge {k}", "angle", name=f"stop {k}", min=0, max=30)
    return a


def plates(apart: float) -> asm.Assembly:
    """Two plates on a base, each by its face and pins, the holes off by so much, mm."""
    a = asm.Assembly("plates")
    holes = {f"h{k}": asm.Axis((*p, 0), "z") for k, p in enumerate(SQUARE)}
    a.add("base", grounded=True, features={"top": asm.Plane((0, 0, 0), "z"), **holes})
    off = {
        f"h{k}": asm.Axis((p[0] + (apart if k == 1 else 0), p[1], 0), "z")
        for k, p in enumerate(SQUARE)
    }
    for n in (0, 1):
        faces = {"low": asm.Plane((0, 0, 0), "-z"), "top": asm.Plane((0, 0, 5), "z")}
        pose = asm.Pose.from_axis((3, -4, 9 * n + 6), (1, 0.3, 0.2), 7)
        a.add(f"plate {n}", features={**faces, **off}, pose=pose)
    a.mate("coplanar", "base.top", "plate 0.low", name="seat 0", sense="opposed")
    a.mate("coplanar", "plate 0.top", "plate 1.low", name="seat 1", sense="opposed")
    for k in range(3):
        a.mate("coaxial", f"base.h{k}", f"plate 0.h{k}", name=f"bolt {k}", sense="aligned")
    for k in range(2):
        a.mate("coaxial", f"base.h{k}", f"plate 1.h{k}", name=f"pin {k}", sense="aligned")
    return a


def tied(mates: Sequence[tuple[str, str, str, dict[str, Any]]]) -> asm.Assembly:
    """Two blocks tied by some mates of their features."""
    a = asm.Assembly("tied")
    features = {
        "p": asm.Point((20, 0, 0)),
        "q": asm.Point((0, 30, 10)),
        "u": asm.Axis((0, 0, 0), "z"),
        "v": asm.Axis((25, 10, 0), (0.6, 0, 0.8)),
        "f": asm.Plane((0, 0, 5), "z"),
        "g": asm.Plane((40, 0, 0), "x"),
    }
    a.add("one", grounded=True, features=features)
    a.add("two", features=features, pose=asm.Pose.from_axis((8, -6, 4), (1, 2, 0.5), 25))
    for k, (kind, p, q, more) in enumerate(mates):
        a.mate(kind, f"one.{p}", f"two.{q}", name=f"{kind} {k}", **more)
    return a


def stack(offsets: Sequence[float]) -> asm.Assembly:
    """Blocks on each other by their faces, and two ties that skip a block."""
    a, n = asm.Assembly("stack"), 5
    for k in range(n):
        faces = {"low": asm.Plane((0, 0, 0), "z"), "top": asm.Plane((0, 0, 10), "z")}
        side = {"side": asm.Plane((0, 0, 0), "x"), "edge": asm.Axis((0, 0, 0), "y")}
        pose = asm.Pose.from_axis((2.0 * k, 1, 11.0 * k), (0.3, 0.2, 1), 6)
        a.add(f"block {k}", features=faces | side, pose=pose, grounded=k == 0)
    for k in range(n - 1):
        ends = f"block {k}.top", f"block {k + 1}.low"
        a.mate("coplanar", *ends, name=f"seat {k}", sense="aligned", offset=offsets[k])
    a.mate(
        "distance", "block 0.top", "block 4.low", name="height", value=offsets[4], sense="aligned"
    )
    a.mate("parallel", "block 0.edge", "block 4.edge", name="edges", sense="aligned")
    a.mate("angle", "block 1.side", "block 4.side", name="twist", value=offsets[5])
    return a


def four_bar(driver: float | None, more: Sequence[tuple[str, str, float]]) -> asm.Assembly:
    """A four-bar loop of hinges with distances between its pins or angles between its links."""
    a = asm.Assembly("four-bar")
    bars = {"frame": 100.0, "crank": 30.0, "coupler": 80.0, "rocker": 60.0}
    at = {"frame": (0, 0, 0), "crank": (0, 0, 40), "coupler": (23, 19, 20), "rocker": (100, 0, 110)}
    for name, far in bars.items():
        ends: dict[str, asm.Feature] = {"i": asm.Point((0, 0, 0)), "j": asm.Point((far, 0, 0))}
        ends |= {"p": asm.Axis((0, 0, 0), "z"), "q": asm.Axis((far, 0, 0), "z")}
        x, y, turn = at[name]
        pose = asm.Pose.from_axis((float(x), float(y), 0), (0, 0, 1), turn)
        a.add(name, features=ends, pose=pose, grounded=name == "frame")
    pins = [("frame.p", "crank.p"), ("crank.q", "coupler.p"), ("coupler.q", "rocker.q")]
    for k, (p, q) in enumerate([*pins, ("frame.q", "rocker.p")]):
        a.mate("revolute", p, q, name=f"pin {k}", sense="aligned")
    for k, (p, q, value) in enumerate(more):
        about: dict[str, Any] = {"about": "frame.p"} if p.endswith("x") else {}
        kind = "angle" if about else "distance"
        a.mate(kind, p, q, name=f"{kind} {k}", value=value, **about)
    if driver is not None:
        a.drive("motor", "pin 0", "angle", value=driver)
        a.limit("pin 3", "angle", name="stop", min=60, max=95)
    return a


def pyramid(far: Sequence[float]) -> asm.Assembly:
    """A block on a point of the ground and one on it, their corners at distances."""
    a = asm.Assembly("pyramid")
    corners = [(50, 0, 0), (0, 50, 0), (0, 0, 50), (40, 40, 0)]
    features = {f"c{k}": asm.Point(p) for k, p in enumerate(corners)}
    a.add("ground", grounded=True, features=features)
    for k in (0, 1):
        pose = asm.Pose.from_axis((9.0 + 30 * k, 3, 5), (1, 1, 2), 20 + 15 * k)
        a.add(f"block {k}", features=features, pose=pose)
    a.mate("coincident", "ground.c0", "block 0.c0", name="foot")
    a.mate("coincident", "block 0.c1", "block 1.c1", name="joint")
    ends = [
        ("ground.c1", "block 0.c1"),
        ("ground.c1", "block 0.c2"),
        ("ground.c2", "block 1.c2"),
        ("ground.c3", "block 1.c3"),
        ("block 0.c3", "block 1.c0"),
    ]
    for k, (p, q) in enumerate(ends):
        a.mate("distance", p, q, name=f"rod {k}", value=far[k])
    return a


def slides(stroke: float, width: float) -> asm.Assembly:
    """A slider crank with a wedge: a slider on a rail that a rod and a face place otherwise."""
    a = asm.Assembly("slides")
    rail = {
        "u": asm.Axis((0, 0, 0), "x"),
        "o": asm.Axis((0, 0, 0), "z"),
        "wall": asm.Plane((0, 0, 0), "x"),
    }
    a.add("frame", grounded=True, features=rail)
    bar = {"p": asm.Axis((0, 0, 0), "z"), "q": asm.Axis((40, 0, 0), "z")}
    a.add("crank", features=bar, pose=asm.Pose.from_axis((0, 0, 0), (0, 0, 1), 50))
    long = {"p": asm.Axis((0, 0, 0), "z"), "q": asm.Axis((90, 0, 0), "z")}
    a.add("rod", features=long, pose=asm.Pose.from_axis((25, 30, 0), (0, 0, 1), -20))
    block = {
        "u": asm.Axis((0, 0, 0), "x"),
        "p": asm.Axis((0, 0, 0), "z"),
        "face": asm.Plane((0, 0, 0), "x"),
    }
    a.add("slider", features=block, pose=asm.Pose.from_axis((110, 0, 0), (1, 0, 0), 10))
    a.mate("revolute", "frame.o", "crank.p", name="main", sense="aligned")
    a.mate("revolute", "crank.q", "rod.p", name="big end", sense="aligned")
    a.mate("coaxial", "rod.q", "slider.p", name="small end", sense="aligned")
    a.mate("coaxial", "frame.u", "slider.u", name="guide", sense="aligned")
    a.mate("distance", "frame.wall", "slider.face", name="stroke", value=stroke, sense="aligned")
    a.mate("distance", "crank.z", "slider.p", name="gauge", value=width)
    a.mate("angle", "frame.x", "crank.x", name="lead", value=70, about="frame.o")
    return a


Case = Callable[[], asm.Assembly]

DIFFERENT = [("coincident", "p", "p", {}), ("parallel", "u", "u", {"sense": "aligned"})]

CASES: dict[str, Case] = {
    "seven links in a plane": lambda: ring([30, 30, 30, 30, 30, 30, 200], "revolute"),
    "seven links, held long": lambda: ring([210, 30, 30, 30, 30, 30, 30], "revolute"),
    "seven links in space": lambda: ring([40, 30, 30, 30, 30, 30, 230], "revolute", 40),
    "seven links on balls": lambda: ring([30, 30, 30, 30, 30, 30, 200], "spherical"),
    "seven wires": lambda: beads([30, 40, 30, 35, 30, 30, 220]),
    "seven rods, one long": lambda: rods_with({3: 9.0}),
    "seven rods, three off": lambda: rods_with({1: 6.0, 4: -7.0, 5: 4.0}),
    "seven rods, one short": lambda: rods_with({6: -60.0}),
    "three lids": lambda: lids([[30, 33], [50, 52], []]),
    "two lids": lambda: lids([[30, 33, 31], [50, 50.5]]),
    "three lids, driven": lambda: lids([[30, 30], [10], [50]], driven=True),
    "plates, holes off": lambda: plates(0.4),
    "plates, holes slightly off": lambda: plates(2e-3),
    "two blocks, distances": lambda: tied(
        [
            *DIFFERENT,
            ("coaxial", "u", "u", {"sense": "aligned"}),
            ("distance", "q", "q", {"value": 12.0}),
            ("distance", "p", "q", {"value": 40.0}),
            ("coplanar", "f", "f", {"sense": "aligned"}),
            ("angle", "v", "v", {"value": 30.0}),
        ]
    ),
    "two blocks, faces": lambda: tied(
        [
            ("coplanar", "f", "f", {"sense": "aligned", "offset": 3}),
            ("coplanar", "g", "g", {"sense": "aligned"}),
            ("distance", "f", "f", {"value": 8.0, "sense": "aligned"}),
            ("parallel", "u", "v", {}),
            ("perpendicular", "u", "g", {}),
            ("point_in_plane", "p", "f", {}),
            ("point_on_line", "q", "v", {}),
        ]
    ),
    "two blocks, skew": lambda: tied(
        [
            ("distance", "u", "v", {"value": 15.0, "skew": True}),
            ("angle", "u", "u", {"value": 40.0}),
            ("angle", "v", "v", {"value": 90.0}),
            ("distance", "p", "u", {"value": 22.0}),
            ("distance", "q", "f", {"value": 6.0}),
            ("point_in_plane", "p", "g", {}),
            ("coincident", "q", "p", {}),
        ]
    ),
    "stack": lambda: stack([0, 1, 0, 2, 40.0, 15.0]),
    "four-bar, diagonals": lambda: four_bar(
        None,
        [
            ("frame.i", "coupler.j", 75.0),
            ("crank.j", "frame.j", 95.0),
            ("crank.i", "rocker.j", 50.0),
        ],
    ),
    "four-bar, driven": lambda: four_bar(
        70.0,
        [
            ("frame.i", "coupler.j", 75.0),
            ("frame.x", "rocker.x", 120.0),
            ("crank.j", "frame.j", 95.0),
        ],
    ),
    "four-bar, angles": lambda: four_bar(
        None,
        [
            ("frame.x", "crank.x", 40.0),
            ("frame.x", "rocker.x", 140.0),
            ("frame.x", "coupler.x", 5.0),
        ],
    ),
    "pyramid": lambda: pyramid([300.0, 20, 30, 45, 25]),
    "pyramid, off a little": lambda: pyramid([20.0, 20, 30, 160, 25]),
    "slider crank": lambda: slides(150.0, 30.0),
}


def interpreted(quick: bool = False) -> Iterator[Figure]:
    """The figures of a process that compiles nothing."""
    words = [sys.executable, "-m", "benchmarks.seven_mates", "--serve"]
    environment = os.environ | {"ASSEMBLY_SOLVER_JIT": "0"}
    run = [*words, *["--quick"] * quick]
    found = subprocess.run(run, env=environment, check=True, capture_output=True, text=True)
    yield from (Figure(**json.loads(row)) for row in found.stdout.splitlines())


def figures(names: Sequence[str]) -> Iterator[Figure]:
    """Processor time of solving and telling each case, and whether it is contradictory."""
    for name in names:
        given = CASES[name]()

        def told(given: asm.Assembly = given) -> asm.Solution:
            solution = asm.solve(given)
            str(solution)
            return solution

        ms, solution = timed(told, process_time)
        right = solution.outcome is asm.Outcome.CONFLICTING and len(given.mates) == 7
        judged = RIGHT if right else solution.sentence
        yield Figure("words", name, "contradiction told", ms / 1e3, "s", LIMIT, "", judged)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help="one figure in a line, for a program")
    parser.add_argument("--quick", action="store_true", help="three cases only")
    given = parser.parse_args()
    found = figures(list(CASES)[:: 9 if given.quick else 1])
    if not given.serve:
        return report(found)
    out = answers()
    for figure in found:
        out.write(written(figure) + "\n")
        out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
