"""Planar linkages over all states, compared with other libraries: `python -m benchmarks.planar`.

A four-bar, a slider-crank and a six-bar of dyads are turned once in 360 states, a five-bar with two
cranks in 14 400: against numpy closed forms written by hand for each, and pylinkage's compiled
`step_fast`.  A six-bar of a triad is turned once against SolveSpace's 2D solver, MotionGen's
millipede against scipy's `fsolve` with the Jacobian, both continued from state to state.  Positions
only.  All run in turn, in one thread of one process; a state costs the median of a call's processor
time divided by the number of states.  Two calls of ours are timed: `linkage.run`, as a user calls
it, and the compiled run alone, on existing arrays.  Planning and compiling (once on a machine) are
measured separately.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fsolve

import assembly_solver as asm
from assembly_solver.linkages.run.batches import StateArrays
from assembly_solver.linkages.run.execution import run

from .adapters.base import MissingPeerError, peer
from .figures import RIGHT, Figure, report

Array = NDArray[np.float64]
Points = Mapping[str, NDArray[np.complex128]]
"""Points by name, complex, one number for each state, mm."""

ROUNDS = 15
CALL = 5e-3  # s: shorter calls are repeated this long
TURN = np.arange(360.0)
FIVE_BAR = np.arange(14_400.0) * 0.05
HOLDS = 1e-9  # mm: what two engines may differ
SOLVESPACE_HOLDS = 1e-5  # mm: where SolveSpace stops
TRIAD_GOAL, MILLIPEDE_GOAL = 20.0, 0.05
VARIANTS, VARIANT_STATES = 1_000_000, np.arange(0.0, 360.0, 5.0)
VARIANT_SHARE = 2.0  # at most, of the time of a state of one linkage
MILLIPEDE = Path("samples/motiongen/millipede.assembly.json")


@dataclass
class Mechanism:
    """A linkage with the libraries that compute it.

    Attributes:
        name; drawn: the assembly; inputs: of all states, degrees; traced: points that are compared.
        others: by name, each returns the traced points; agrees: allowed difference, mm.
        goals: least ratio of the time of each to that of the compiled run.
    """

    name: str
    drawn: asm.Assembly
    inputs: Mapping[str, Array]
    traced: tuple[str, ...]
    others: dict[str, Callable[[], Points]]
    goals: Mapping[str, float]
    agrees: float = HOLDS
    plan: float = 0.0
    first: float = 0.0
    times: dict[str, list[float]] = field(default_factory=dict)
    worst: float = 0.0

    @property
    def states(self) -> int:
        """Number of states."""
        return len(next(iter(self.inputs.values())))

    def cost(self, who: str) -> float:
        """Time per state of a library, microseconds."""
        return 1e6 * statistics.median(self.times[who]) / self.states


# ------------------------------------------------------------------ closed forms by hand


def meet(c1: Any, r1: Any, c2: Any, r2: Any, side: Any) -> Any:
    """Intersection of two circles, left of c1 -> c2 with side +1."""
    d = c2 - c1
    square = d.real * d.real + d.imag * d.imag
    along = 0.5 * (1 + (r1 * r1 - r2 * r2) / square)
    return c1 + d * (along + side * 1j * np.sqrt(r1 * r1 / square - along * along))


def four_bar_by_hand() -> Points:
    """Crank 1, coupler 3.5, rocker 3, frame 4."""
    b = np.exp(1j * np.radians(TURN))
    return {"B": b, "C": meet(b, 3.5, 4.0, 3.0, 1)}


def slider_crank_by_hand() -> Points:
    """Crank 1, rod 3, the slide 0.5 above."""
    b = np.exp(1j * np.radians(TURN))
    return {"B": b, "C": b.real + np.sqrt(9 - (0.5 - b.imag) ** 2) + 0.5j}


def six_bar_by_hand() -> Points:
    """The four-bar, and a dyad on a point of its coupler."""
    b = np.exp(1j * np.radians(TURN))
    c = meet(b, 3.5, 4.0, 3.0, 1)
    p = b + (0.5 + 0.4j) * (c - b)
    return {"B": b, "C": c, "P": p, "E": meet(p, 4.0, 6 + 3j, 3.5, 1)}


def five_bar_by_hand() -> Points:
    """Two cranks of 1, links of 3, their pins 4 apart."""
    b = np.exp(1j * np.radians(FIVE_BAR))
    d = 4 + np.exp(1j * np.radians(2 * FIVE_BAR + 60))
    return {"B": b, "C": meet(b, 3.0, d, 3.0, 1), "D": d}


# ------------------------------------------------------------------ pylinkage


def by_pylinkage(name: str, states: int) -> Callable[[], Points]:
    """The same mechanism in pylinkage, compiled; its first state is one step on, so it starts
    one before."""
    dyads, crank = peer("pylinkage.dyads", "pylinkage"), peer("pylinkage.actuators", "pylinkage")
    ground = peer("pylinkage.components", "pylinkage").Ground
    simulation = peer("pylinkage.simulation", "pylinkage").Linkage
    a, step = ground(0.0, 0.0), math.radians(FIVE_BAR[1] if name == "five-bar" else TURN[1])
    first = crank.Crank(a, 1.0, angular_velocity=step, initial_angle=-step)
    parts: list[Any] = [a, first]
    named: dict[str, Any] = {"B": first}
    if name == "slider-crank":
        ends = ground(0.0, 0.5), ground(5.0, 0.5)
        named["C"] = dyads.RRPDyad(first.output, *ends, 3.0, x=4.0, y=0.5)
        parts += [*ends, named["C"]]
    elif name == "five-bar":
        e = ground(4.0, 0.0)
        start = math.radians(60) - 2 * step
        named["D"] = crank.Crank(e, 1.0, angular_velocity=2 * step, initial_angle=start)
        named["C"] = dyads.RRRDyad(first.output, named["D"].output, 3.0, 3.0, x=3.0, y=3.0)
        parts += [e, named["D"], named["C"]]
    else:
        d = ground(4.0, 0.0)
        named["C"] = dyads.RRRDyad(first.output, d, 3.5, 3.0, x=3.4, y=2.9)
        parts += [d, named["C"]]
    if name == "six-bar of dyads":
        f, z = ground(6.0, 3.0), 0.5 + 0.4j
        named["P"] = dyads.FixedDyad(first.output, named["C"], 3.5 * abs(z), math.atan2(0.4, 0.5))
        named["E"] = dyads.RRRDyad(named["P"], f, 4.0, 3.5, x=3.0, y=6.0)
        parts += [named["P"], f, named["E"]]
    made = simulation(parts)
    made.compile()
    columns = {n: parts.index(part) for n, part in named.items()}

    def place() -> Points:
        found = made.step_fast(iterations=states)
        return {n: found[:, k, 0] + 1j * found[:, k, 1] for n, k in columns.items()}

    return place


# ------------------------------------------------------------------ one state after the other

PLATE = {
    "A": 0j,
    "D": 10 + 0j,
    "E": 2.4 + 8.5j,
    "B": 1 + 0j,
    "F": 5.7 + 2.8j,
    "G": 4.5 + 5.3j,
    "H": 3.1 + 3j,
}
LEGS = (("F", "G"), ("G", "H"), ("H", "F"), ("F", "B"), ("G", "D"), ("H", "E"))
"""A crank A-B and two pins of the ground carry a plate F, G, H by three legs."""


def by_solvespace() -> Points:
    """The six-bar of the triad in SolveSpace's plane, each state starting at the last one."""
    slvs = peer("py_slvs.slvs", "py-slvs")
    system = slvs.System()
    system.GroupHandle = 1
    origin, normal = system.addPoint3dV(0.0, 0.0, 0.0), system.addNormal3dV(1.0, 0.0, 0.0, 0.0)
    plane = system.addWorkplane(origin, normal)
    handles, points = {}, {}
    for name, at in PLATE.items():
        group = 2 if name in "FGH" else 1
        handles[name] = [system.addParamV(x, group=group) for x in (at.real, at.imag)]
        points[name] = system.addPoint2d(plane, *handles[name], group=group)
    for one, two in LEGS:
        far = abs(PLATE[one] - PLATE[two])
        system.addPointsDistance(far, points[one], points[two], wrkpln=plane, group=2)
    out = np.empty((3, len(TURN)), complex)
    for k, b in enumerate(np.exp(1j * np.radians(TURN)).tolist()):
        for h, x in zip(handles["B"], (b.real, b.imag), strict=True):
            system.getParam(h).val = x
        if system.solve(group=2, reportFailed=False, findFreeParams=False) != 0:
            out[:, k:] = np.nan
            break
        for n, name in enumerate("FGH"):
            out[n, k] = complex(*(system.getParam(h).val for h in handles[name]))
    return dict(zip("FGH", out, strict=True))


def by_fsolve(drawn: asm.Assembly, inputs: Array) -> Callable[[], Points]:
    """The millipede: squared distances and the cross product of the angle, with the Jacobian."""
    data = json.loads(MILLIPEDE.read_text())["linkage"]
    names, links = list(data["pins"]), list(data["links"].values())
    at = np.array(list(data["pins"].values()), float)
    bars = np.array([[names.index(p) for p in link["pins"]] for link in links[1:]])
    free = np.array([k for k, name in enumerate(names) if name[0] != "g"])
    squares = ((at[bars[:, 0]] - at[bars[:, 1]]) ** 2).sum(axis=1)
    g, m, k = (names.index(n) for n in ("g5", "m", "k5"))
    product = math.sqrt(((at[g] - at[m]) ** 2).sum() * ((at[k] - at[m]) ** 2).sum())
    place, rows = at.copy(), np.arange(len(bars))
    wide = np.zeros((len(bars) + 1, len(at), 2))

    def residuals(x: Array, angle: float) -> Array:
        place[free] = x.reshape(-1, 2)
        d = place[bars[:, 0]] - place[bars[:, 1]]
        (ax, ay), (bx, by) = place[g] - place[m], place[k] - place[m]
        cross = ax * by - ay * bx - product * math.sin(angle)
        return np.append((d * d).sum(axis=1) - squares, cross)

    def jacobian(x: Array, angle: float) -> Array:
        place[free] = x.reshape(-1, 2)
        d = 2 * (place[bars[:, 0]] - place[bars[:, 1]])
        wide[rows, bars[:, 0]], wide[rows, bars[:, 1]] = d, -d
        (ax, ay), (bx, by) = place[g] - place[m], place[k] - place[m]
        wide[-1, k] = (-ay, ax)
        wide[-1, m] = (ay - by, bx - ax)
        return wide[:, free].reshape(len(wide), -1)

    def run_through() -> Points:
        x, out = at[free].ravel(), np.empty((len(inputs), len(free), 2))
        for s, angle in enumerate(np.radians(inputs).tolist()):
            x = fsolve(residuals, x, (angle,), fprime=jacobian, xtol=1e-12)
            out[s] = x.reshape(-1, 2)
        z = out[..., 0] + 1j * out[..., 1]
        return {names[k]: z[:, n] for n, k in enumerate(free)}

    return run_through


# ------------------------------------------------------------------ the mechanisms


def drawn(name: str, pins: Mapping[str, complex], links: Mapping[str, str]) -> asm.Assembly:
    """A linkage of links by their pins, the first of which is the ground."""
    out = asm.Assembly(name)
    out.pins(**{n: (p.real, p.imag) for n, p in pins.items()})
    for k, (link, on) in enumerate(links.items()):
        out.link(link, on, grounded=k == 0)
    return out


def dyad_assemblies() -> list[asm.Assembly]:
    """The four assemblies of dyads, with their drivers."""
    four = {n: complex(p[0]) for n, p in four_bar_by_hand().items()} | {"A": 0j, "D": 4 + 0j}
    six = {n: complex(p[0]) for n, p in six_bar_by_hand().items()} | {"A": 0j, "D": 4 + 0j}
    five = {n: complex(p[0]) for n, p in five_bar_by_hand().items()} | {"A": 0j, "E": 4 + 0j}
    five |= {"X": 5 + 0j}
    slider = {n: complex(p[0]) for n, p in slider_crank_by_hand().items()}
    slider |= {"A": 0j, "X": 1 + 0j, "S": 0.5j, "T": 5 + 0.5j}
    bars = {"frame": "A D", "crank": "A B", "coupler": "B C", "rocker": "C D"}
    made = [
        drawn("four-bar", four, bars),
        drawn("slider-crank", slider, {"frame": "A X S T", "crank": "A B", "rod": "B C"}),
        drawn(
            "six-bar of dyads",
            six | {"F": 6 + 3j},
            bars | {"frame": "A D F", "coupler": "B C P", "link": "P E", "last": "E F"},
        ),
        drawn(
            "five-bar",
            five,
            {"frame": "A E X", "crank": "A B", "one": "B C", "two": "C D", "other crank": "E D"},
        ),
    ]
    made[1].slot("guide", "S T", "C")
    made[1].drive("crank", at="A", angle=(0, 360), rays=("X", "B"))
    for k in (0, 2, 3):
        made[k].drive("crank", at="A", angle=(0, 360), rays=("E" if k == 3 else "D", "B"))
    made[3].drive("other", at="E", angle=(60, 1500), rays=("X", "D"))
    return made


def dyads() -> list[Mechanism]:
    """The four mechanisms of dyads, with their inputs and peers."""
    hands = (four_bar_by_hand, slider_crank_by_hand, six_bar_by_hand, five_bar_by_hand)
    traced = (("B", "C"), ("B", "C"), ("B", "C", "P", "E"), ("B", "C", "D"))
    out = []
    for a, hand, points in zip(dyad_assemblies(), hands, traced, strict=True):
        inputs = (
            {"crank": TURN}
            if hand is not five_bar_by_hand
            else {"crank": FIVE_BAR, "other": 2 * FIVE_BAR + 60}
        )
        others: dict[str, Callable[[], Points]] = {"numpy by hand": hand}
        others |= offered(
            "pylinkage step_fast", partial(by_pylinkage, a.name, len(inputs["crank"]))
        )
        goals = {"numpy by hand": 1.0, "pylinkage step_fast": 2.0}
        out.append(Mechanism(a.name, a, inputs, points, others, goals))
    return out


def groups() -> list[Mechanism]:
    """The two mechanisms with groups."""
    links = {
        "frame": "A D E",
        "crank": "A B",
        "plate": "F G H",
        "leg 1": "B F",
        "leg 2": "D G",
        "leg 3": "E H",
    }
    six = drawn("six-bar of a triad", PLATE, links)
    six.drive("crank", at="A", angle=(0, 360), rays=("D", "B"))
    others = offered("SolveSpace 2D", lambda: by_solvespace)
    goals = {"SolveSpace 2D": TRIAD_GOAL}
    first = Mechanism(six.name, six, {"crank": TURN}, tuple("FGH"), others, goals, SOLVESPACE_HOLDS)
    ring = asm.read(MILLIPEDE)
    low, high = ring.drivers["input"].range or (0.0, 0.0)
    angles = np.linspace(low, high, 122)
    names = tuple(f"k{n}" for n in range(12))
    fsolved: dict[str, Callable[[], Points]] = {"fsolve, Jacobian": by_fsolve(ring, angles)}
    goals = {"fsolve, Jacobian": 1.0 / MILLIPEDE_GOAL}
    return [first, Mechanism("millipede", ring, {"input": angles}, names, fsolved, goals)]


def offered(name: str, make: Callable[[], Callable[[], Points]]) -> dict[str, Callable[[], Points]]:
    """A peer by its name, or nothing where it is not installed."""
    try:
        return {name: make()}
    except MissingPeerError as missing:
        print(missing)
        return {}


# ------------------------------------------------------------------ the run


def timed(work: Callable[[], Any]) -> float:
    """Processor time of a call, s; the mean of many for short ones."""
    begun = time.thread_time()
    work()
    spent = time.thread_time() - begun
    calls = int(CALL / spent) if spent < CALL else 0
    begun = time.thread_time()
    for _ in range(calls):
        work()
    return (time.thread_time() - begun) / calls if calls else spent


def prepared(made: asm.Linkage, states: asm.States) -> Callable[[], Any]:
    """The compiled run alone, on the arrays of an earlier run."""
    q, placed, plan = made.planned.program, states.placed, made.planned
    signs, start = plan.signs.copy(), plan.scheme.at
    V, P = placed.V, np.empty_like(placed.P)
    failed, sine = np.empty_like(placed.failed), np.empty_like(placed.sine)
    return lambda: run(q, StateArrays(V, P, failed, sine), start, signs)


def enter(m: Mechanism) -> dict[str, Callable[[], Any]]:
    """Plan, run and compare once; the calls that are timed."""
    begun = time.perf_counter()
    made = asm.linkage(m.drawn)
    planned = time.perf_counter()
    states = made.run(m.inputs)
    m.first = time.perf_counter() - planned
    begun, again = time.perf_counter(), asm.linkage(m.drawn)
    m.plan = time.perf_counter() - begun
    if not states:
        m.worst = math.inf
    for work in m.others.values():
        found = work()
        for name in m.traced:
            x, y = states.point(name).T
            m.worst = max(m.worst, float(np.abs(x + 1j * y - found[name]).max()))
    ours = {"linkage.run": lambda: again.run(m.inputs), "compiled run": prepared(made, states)}
    return ours | m.others


def off_circles(names: tuple[str, ...], at: Array, path: Array) -> float:
    """The most by which paths of C of four-bars are off where their circles meet, mm.

    Args:
        at: where points of these names start, (variants, points, 2); path: (variants, 2, states).
    """
    a, b, c, d = (
        at[:, names.index(n), 0, None] + 1j * at[:, names.index(n), 1, None] for n in "ABCD"
    )
    crank = a + abs(b - a) * np.exp(1j * (np.angle(d - a) + np.radians(VARIANT_STATES)))
    side = np.sign(((c - b) * (d - b).conj()).imag)
    found = meet(crank, abs(c - b), d, abs(d - c), side)
    return float(np.abs(path[:, 0] + 1j * path[:, 1] - found).max())


def variants(one: float, rounds: int) -> Iterator[Figure]:
    """A state of many four-bars that differ in their lengths, of the crank's 72 each.

    Args:
        one: of a state of a single four-bar by the compiled run, microseconds.
    """
    made = asm.linkage(dyad_assemblies()[0])
    base, count = made.scheme.at, VARIANTS if rounds >= ROUNDS else VARIANTS // 10
    moved = base + np.random.default_rng(1).uniform(-0.1, 0.1, (count, *base.shape))
    call = partial(made.variants, moved, crank=VARIANT_STATES, trace=["C"])
    some = slice(None, None, count // 1000)
    off = off_circles(made.scheme.points, moved[some], call().path("C")[some])
    judged = RIGHT if off <= HOLDS else f"off by {off:.0e} mm"
    states = count * len(VARIANT_STATES)
    each = []
    for _ in range(rounds):
        begun = time.process_time()
        call()
        each.append(1e6 * (time.process_time() - begun) / states)
    share, limit = statistics.median(each) / one, f"<= {VARIANT_SHARE:g}"
    microseconds = statistics.median(each)
    yield Figure("planar", "four-bars", "a state, variants", microseconds, "us", "", "", judged)
    yield Figure("planar", "four-bars", "variants / compiled run", share, "x", limit)


def measured(rounds: int) -> list[Mechanism]:
    """Measure all mechanisms with all libraries, in turn."""
    out = dyads() + groups()
    calls = [enter(m) for m in out]
    for _ in range(rounds):
        for m, each in zip(out, calls, strict=True):
            for who, work in each.items():
                m.times.setdefault(who, []).append(timed(work))
    return out


def figures(quick: bool = False, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Microseconds of a state, ratios to the compiled run, and whether all agree."""
    rounds = 3 if quick else rounds
    found = measured(rounds)
    yield from variants(found[0].cost("compiled run"), rounds)
    for m in found:
        for who in m.times:
            ours = who in ("linkage.run", "compiled run")
            words = f"a state, {who}" if ours else "a state"
            yield Figure("planar", m.name, words, m.cost(who), "us", "", "" if ours else who)
        for who, goal in m.goals.items():
            there = who in m.times
            share = m.cost(who) / m.cost("compiled run") if there else None
            words, limit = "peer / compiled run", f">= {goal:g}"
            none = "" if there else "not installed"
            yield Figure("planar", m.name, words, share, "x", limit, who, none)
        yield Figure("planar", m.name, "positions differ", m.worst, "mm", f"<= {m.agrees:g}")
        yield Figure("planar", m.name, "plan", 1e3 * m.plan, "ms")
        yield Figure("planar", m.name, "first run", m.first, "s")


def main(arguments: list[str] | None = None) -> int:
    """Print what was measured; status 1 where a goal is missed or two do not agree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planar", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often all run in turn")
    return report(figures(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    raise SystemExit(main())
