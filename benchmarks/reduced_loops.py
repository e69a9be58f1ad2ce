"""Whether loops close faster in fewer unknowns, or by blocks: `python -m benchmarks.reduced_loops`.

The excavator in its plane with all its bodies, as the 15 x 17 system of Ding and others (one link
a distance, slides lines, one cylinder of two), and with every binary link a distance and no slides;
with its cylinders driven and free.  A chain and a grid of RSSR cells, each driven by the one
before, and a driven Stewart platform: whole, by damped steps in sparse form, as it is planned,
and by the blocks of its Dulmage-Mendelsohn decomposition with the idle spins of rods left alone;
besides, the rods as distances.  Random starts; all forms in turn, in one process; microseconds of
processor time, medians, of closing and, in the plane, of the steps alone.  The poses of parts that
are replaced are not computed, which favours the reduced forms.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.equations.dense_block import BLOCK_ITERATIONS
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.geometry.nearest_motion import SPHERICAL
from assembly_solver.foundations.graphs.dulmage_mendelsohn import decompose
from assembly_solver.foundations.numerics.broyden import ETA
from assembly_solver.solver.plan_runner import PlanArrays, run
from assembly_solver.solver.solver import Closed, solve as close
from assembly_solver.structure.plan import Plan, make_plan
from assembly_solver.structure.spatial_blocks import columns_in_space
from assembly_solver.structure.steps import DENSE, SPARSE, Component, Step, compile_steps

from .case import Array
from .figures import Figure, report

SAMPLES = Path(__file__).parents[1] / "samples"
PART = "reduced_loops"
STARTS, ROUNDS = 12, 7
PLANAR = (60.0, 6.0)  # mm, degrees: standard deviations of the starts in the plane
SPATIAL = ((2.0, 2.0), (20.0, 6.0))
TURN = 12.0  # degrees: the driven crank of the chains
CELL = 300.0  # mm, from rocker to rocker

Form = tuple[str, Callable[[], asm.Assembly], Callable[[Plan], Plan]]


# ------------------------------------------------------------------------------ the excavator
def excavator_points() -> tuple[asm.Assembly, dict[str, Array]]:
    """The closed sample, and its pins in the plane, mm."""
    sample = asm.read(SAMPLES / "excavator.assembly.json")
    asm.solve(sample).require().apply()
    pins = {
        "O1": ("base", "boom pin"),
        "O2": ("base", "boom cylinder pin"),
        "O6": ("base", "bucket cylinder pin"),
        "A": ("boom", "boom rod pin"),
        "B": ("boom", "bucket rocker pin"),
        "C": ("boom", "idler pin"),
        "D": ("boom", "bracket pin"),
        "E": ("bucket rocker", "rod pin"),
        "F": ("bucket rocker", "link pin"),
        "Q": ("push rod", "idler pin"),
        "G": ("push rod", "bracket pin"),
    }
    at = {}
    for name, (part, feature) in pins.items():
        entry = sample.parts[part]
        at[name] = entry.pose.apply(np.array(entry.features[feature].frame[:3])) * (1, 1, 0)
    return sample, at


def reduced_excavator(at: dict[str, Array], links: bool) -> asm.Assembly:
    """Its 15 x 17 system; with `links`, B9 and B12 are distances, too, and there are no slides."""
    bodies = {"base": "O1 O2 O6", "boom": "O1 A B C D", "rocker": "B E F", "push rod": "Q G"}
    bodies |= {} if links else {"idler": "C Q", "bracket": "D G", "tube 1": "O2", "tube 2": "O6"}
    out = asm.Assembly("reduced excavator")
    for name, pins in bodies.items():
        features: dict[str, asm.Feature] = {pin: asm.Axis(at[pin], "z") for pin in pins.split()}
        features |= {f"{pin} point": asm.Point(at[pin]) for pin in pins.split()}
        out.add(name, grounded=name == "base", features=features)
    hinges = ["O1 boom base", "B rocker boom"]
    hinges += [] if links else ["C idler boom", "D bracket boom", "Q push_rod idler"]
    hinges += [] if links else ["G bracket push_rod", "O2 tube_1 base", "O6 tube_2 base"]
    for entry in hinges:
        pin, one, two = (word.replace("_", " ") for word in entry.split())
        out.mate("coaxial", (one, pin), (two, pin), sense="aligned")
        out.mate("coplanar", (one, "xy"), (two, "xy"), sense="aligned")
    distances = ["F rocker Q push_rod"]
    distances += ["C boom Q push_rod", "D boom G push_rod"] if links else []
    for entry in distances:
        p, one, q, two = (word.replace("_", " ") for word in entry.split())
        length = float(np.linalg.norm(at[p] - at[q]))
        out.mate("distance", (one, f"{p} point"), (two, f"{q} point"), value=length)
    if links:
        out.mate("coplanar", ("push rod", "xy"), ("base", "xy"), sense="aligned")
    for tube, foot, eye, body in (
        () if links else (("1", "O2", "A", "boom"), ("2", "O6", "E", "rocker"))
    ):
        way = at[eye] - at[foot]
        out.add_features(f"tube {tube}", {"bore": asm.Axis(tuple(at[foot]), tuple(way))})
        out.mate("point_on_line", (body, f"{eye} point"), (f"tube {tube}", "bore"))
    out.drive("boom cylinder", separation=("base.O2 point", "boom.A point"), value=1075.0)
    out.drive("bucket cylinder", separation=("base.O6 point", "rocker.E point"), value=1265.0)
    return out


# ------------------------------------------------------------------------------ loops in space
def cells(
    places: Sequence[Array], rods: Sequence[tuple[int, int]], bare: bool, even: bool = False
) -> asm.Assembly:
    """Rockers hinged to the frame, rods with balls between them; `bare`: rods as distances.

    Even: arms are aslant to rows and columns, so that no cell is near a dead point.
    """
    draw = np.random.default_rng(3)
    out = asm.Assembly("cells")
    out.add("frame", grounded=True)
    tips = []
    for k, place in enumerate(places):
        spread = 0.1 if even else 0.4
        axis = spread * draw.standard_normal(3) + ((0, 0, 1) if even or k % 2 == 0 else (0, 1, 0))
        axis /= np.linalg.norm(axis)
        arm = np.cross(axis, (1, 1, 0) if even else draw.standard_normal(3))
        tips.append(place + 80 * arm / np.linalg.norm(arm) + 20 * axis)
        out.add(f"rocker {k}")
        at = asm.Frame(tuple(place), tuple(axis))
        out.mate("revolute", parts=("frame", f"rocker {k}"), at=at, name=f"hinge {k}")
    for n, (i, j) in enumerate(rods):
        ends = places[i] + 0.55 * (tips[i] - places[i]), tips[j]
        parts = f"rocker {i}", f"rocker {j}"
        if not bare:
            out.add(f"rod {n}")
        for k, (part, end) in enumerate(zip(parts, ends, strict=True)):
            if bare:
                out.add_features(part, {f"ball {n} {k}": asm.Point(tuple(end))})
            else:
                out.mate("spherical", parts=(part, f"rod {n}"), at=asm.Frame(tuple(end), "z"))
        if bare:
            length = float(np.linalg.norm(ends[0] - ends[1]))
            out.mate("distance", *((p, f"ball {n} {k}") for k, p in enumerate(parts)), value=length)
    out.drive("motor", "hinge 0", "angle", value=TURN)
    return out


def chain(n: int, bare: bool = False) -> asm.Assembly:
    """Cells in series: the rocker of each is the crank of the next."""
    places = [np.array((CELL * k, 40 * np.sin(k), 30 * np.cos(2 * k))) for k in range(n + 1)]
    return cells(places, [(k, k + 1) for k in range(n)], bare)


def grid(n: int, bare: bool = False, even: bool = False) -> asm.Assembly:
    """n x n rockers: rods along each row and along the first column."""
    places = [
        np.array((CELL * i, 280.0 * j, 20 * np.sin(i + 3 * j))) for j in range(n) for i in range(n)
    ]
    rods = [(n * j + i, n * j + i + 1) for j in range(n) for i in range(n - 1)]
    return cells(places, [*rods, *((n * j, n * j + n) for j in range(n - 1))], bare, even)


def block_by_block(plan: Plan) -> Plan:
    """The plan with the loop in space solved by the blocks of its decomposition."""
    steps: list[Step] = []
    for number, component in enumerate(plan.components):
        own = [s for s in plan.steps if s.component == number]
        if component.loop and component.projection is None:
            own[1:-1] = _blocks(plan, number, component)
        steps += own
        component.end_step = len(steps)
    program = compile_steps(dict(enumerate(plan.components)), len(plan.components), steps)
    return replace(plan, steps=steps, program=program)


def _blocks(plan: Plan, number: int, component: Component) -> list[Step]:
    """One step for each block; a body between two balls has one equation more, for its spin."""
    table, bodies = plan.table, component.bodies
    rows = [columns_in_space(table, e, bodies) for e in component.rows.tolist()]
    pairs = plan.bodies.pairs
    kinds: dict[int, list[Any]] = {body: [] for body in range(plan.bodies.count)}
    for p in component.pairs:
        for body in pairs.bodies[p].tolist():
            kinds[body].append(int(pairs.kind[p]))
    rows += [[(b, k) for k in (3, 4, 5)] for b in bodies if kinds[b] == [SPHERICAL, SPHERICAL]]
    order = {(b, k): 6 * n + k for n, b in enumerate(bodies) for k in range(6)}
    first = np.cumsum([0, *map(len, rows)])
    found = decompose(len(rows), len(order), first, [order[c] for row in rows for c in row])
    blocks = [(r.tolist(), c.tolist()) for r, c in found.blocks]
    if len(found.under_cols):
        blocks.append((found.under_rows.tolist(), found.under_cols.tolist()))
    steps, every = [], list(order)
    for numbers, columns in blocks:
        real = tuple(int(component.rows[n]) for n in numbers if n < len(component.rows))
        own = tuple(every[c] for c in columns)
        moved = tuple(sorted({b for b, _ in own}))
        steps.append(Step(DENSE, number, moved, real, len(own), columns=own))
    return steps


# ------------------------------------------------------------------------------ measuring
def disturbed(a: asm.Assembly, seed: int, mm: float, degrees: float, planar: bool) -> asm.Assembly:
    """The same from a random start."""
    draw, out = np.random.default_rng(seed), a.copy()
    moved = {}
    for name, part in a.parts.items():
        shift, turn = mm * draw.standard_normal(3), np.radians(degrees) * draw.standard_normal(3)
        if planar:
            shift[2], turn[:2] = 0.0, 0.0
        if not part.grounded:
            spin = Rotation.from_rotvec(turn) * Rotation.from_quat(
                np.roll(part.pose.quaternion_wxyz, -1)
            )
            wxyz = np.roll(spin.as_quat(), 1)
            moved[name] = asm.Pose(tuple(np.add(part.pose.position, shift)), tuple(wxyz))
    out.move(moved)
    return out


def steps_alone(plan: Plan) -> float:
    """Processor time, s, of the steps of a plan, without fallbacks and the end of a solve."""
    system, start = plan.system, plan.fitted_start
    scales = (system.length, system.convergence_tolerance, system.tolerance, ETA)
    arrays = PlanArrays(plan.program, plan.table, start, plan.cloud, plan.bodies.centre, *scales)
    poses, axes = start.copy(), np.zeros((len(plan.components), 3, 3))
    counts = np.zeros(5, np.int64)
    began = time.process_time()
    run(arrays, poses, axes, counts, 0, len(plan.steps), BLOCK_ITERATIONS)
    return time.process_time() - began


def compare(
    title: str, forms: Iterable[Form], off: tuple[float, float], planar: bool, rounds: int
) -> Iterator[Figure]:
    """The times of all forms from the same spread of starts."""
    plans: dict[str, list[Plan]] = {}
    for name, build, change in forms:
        given = build()
        starts = (disturbed(given, seed, *off, planar) for seed in range(STARTS))
        plans[name] = [change(make_plan(compile_system(start))) for start in starts]
    times: dict[str, list[float]] = {name: [] for name in plans}
    alone: dict[str, list[float]] = {name: [] for name in plans}
    results: dict[str, list[Closed]] = {}
    for _ in range(rounds):
        for name, own in plans.items():
            began = time.process_time()
            results[name] = [close(plan) for plan in own]
            times[name].append((time.process_time() - began) / STARTS)
            alone[name].append(sum(map(steps_alone, own)) / STARTS)
    base = statistics.median(next(iter(times.values())))
    case = f"{title}, {off[0]:g} mm"
    for name, own in plans.items():
        took, steps = statistics.median(times[name]), statistics.median(alone[name])
        held = sum(not closed.failed for closed in results[name])
        blocks = [s.unknowns for s in own[0].steps if s.action in (DENSE, SPARSE)]
        more = sum(bool(closed.fallbacks) for closed in results[name])
        limit = f">= {STARTS}"
        yield Figure(PART, case, f"{name}: closed", held, "starts", limit)
        yield Figure(PART, case, f"{name}: by fallbacks", more, "starts")
        yield Figure(PART, case, f"{name}: closing", 1e6 * took, "us")
        yield Figure(PART, case, f"{name}: / the first", took / base, "x")
        if planar:
            yield Figure(PART, case, f"{name}: steps alone", 1e6 * steps, "us")
        yield Figure(PART, case, f"{name}: blocks", len(blocks))
        yield Figure(PART, case, f"{name}: largest block", max(blocks, default=0))


def figures(quick: bool = False) -> Iterator[Figure]:
    """All comparisons; quick: one round of each."""
    rounds = 1 if quick else ROUNDS
    sample, at = excavator_points()

    def as_is(plan: Plan) -> Plan:
        return plan

    for driven in (True, False):

        def free(build: Callable[[], asm.Assembly], held: bool = driven) -> asm.Assembly:
            a = build().copy()
            for name in () if held else [*a.drivers]:
                a.set_driver(name, None)
            return a

        forms: list[Form] = [
            ("all 12 bodies", lambda: free(lambda: sample), as_is),
            ("15 x 17", lambda: free(lambda: reduced_excavator(at, False)), as_is),
            ("every link a distance", lambda: free(lambda: reduced_excavator(at, True)), as_is),
        ]
        title = f"excavator, {'driven' if driven else 'free'}"
        yield from compare(title, forms, PLANAR, True, rounds)
    spatial: dict[str, Callable[[bool], asm.Assembly]] = {
        "RSSR chain of 10": lambda bare: chain(10, bare),
        "RSSR grid 3 x 3": lambda bare: grid(3, bare),
    }
    stewart = asm.read(SAMPLES / "stewart_platform.assembly.json")
    asm.solve(stewart).require().apply()
    for off in SPATIAL:
        for name, make in spatial.items():
            whole, bare = (lambda m=make: m(False)), (lambda m=make: m(True))
            yield from compare(
                name,
                [
                    ("whole, sparse", whole, as_is),
                    ("block by block", whole, block_by_block),
                    ("rods as distances, blocks", bare, block_by_block),
                ],
                off,
                False,
                rounds,
            )
        form = ("whole, sparse", lambda: stewart, as_is)
        yield from compare("Stewart platform, driven", [form], off, False, rounds)


if __name__ == "__main__":
    raise SystemExit(report(figures()))
