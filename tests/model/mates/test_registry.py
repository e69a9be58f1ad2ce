"""Every kind of mate in the registry, with every pair of features that it takes.

A kind that needs a parameter, or features of a special make, has them in `CASES_OF`; one that is
missing there fails `test_every_kind_and_every_pair_of_features_is_tested` by its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from mechanisms import Array, random_curve, random_feature, random_pose

import assembly_solver as asm
from assembly_solver.equations.system import System, compile_system
from assembly_solver.equations.table import SPACE, TwistBasis, displace, jacobian, residuals
from assembly_solver.formats.native import assembly_json
from assembly_solver.formats.native.schema import schema
from assembly_solver.foundations.jit import decorators
from assembly_solver.model import assembly as _defines_every_kind  # noqa: F401
from assembly_solver.model.mate import MATES
from assembly_solver.model.mates.contact_pairs import PAIRS, SHAPES, TANGENT
from assembly_solver.model.measures import measure
from assembly_solver.solver.solver import solve
from assembly_solver.structure.plan import make_plan

jsonschema = pytest.importorskip("jsonschema")

STARTS = 20 if decorators.ACTIVE else 2
TIGHT = 1e-9
"""Residual of a normal solve, mm."""

Maker = Callable[[np.random.Generator], Any]
POINT, AXIS, PLANE, FRAME = asm.Point, asm.Axis, asm.Plane, asm.Frame
SPHERE, CONE, TORUS, CURVE = asm.Sphere, asm.Cone, asm.Torus, asm.Curve


class Case(NamedTuple):
    """One way of using a kind: how the features are made, parameters, equations that it states."""

    kind: str
    label: str
    a: Maker
    b: Maker
    rank: int
    parameters: Mapping[str, Any] = {}
    more: Mapping[str, Maker] = {}
    """Further features by name, on both parts."""
    joints: tuple[str, str] | None = None
    """Of a coupling: kinds of the joints of base with body and with a third part."""


def of(kind: type) -> Maker:
    """A maker of features of a type."""
    return lambda rng: random_feature(kind, rng)


def ends_of(kind: str) -> list[tuple[type, type]]:
    """Every two feature types that a kind takes, as it lists them."""
    pairs = [pair for a, b in MATES[kind].takes for pair in product(a, b)]
    return list(dict.fromkeys(pairs))


def plain(kind: str) -> list[Case]:
    """A kind without parameters that removes the same from all features."""
    return [
        Case(kind, f"{a.__name__}-{b.__name__}", of(a), of(b), MATES[kind].removes or 0)
        for a, b in ends_of(kind)
    ]


def given(kind: str, rank: int | None = None, **parameters: Any) -> list[Case]:
    """The same with parameters."""
    stated = MATES[kind].removes or 0 if rank is None else rank
    return [c._replace(parameters=parameters, rank=stated) for c in plain(kind)]


DISTANCES = {
    frozenset([POINT]): 1,
    frozenset([AXIS, POINT]): 1,
    frozenset([PLANE, POINT]): 1,
    frozenset([AXIS]): 3,
    frozenset([PLANE, AXIS]): 2,
    frozenset([PLANE]): 3,
}
"""Freedoms that a distance removes, by types; a frame counts as a point."""

TOUCHES = {
    frozenset(pair): rank
    for rank, pairs in {
        3: [
            "cylinder cylinder",
            "line line",
            "line cylinder",
            "torus line",
            "torus cylinder",
            "plane plane",
        ],
        2: ["plane line", "plane cylinder", "plane cone"],
        1: [
            "point point",
            "point sphere",
            "sphere sphere",
            "line point",
            "line sphere",
            "cylinder point",
            "cylinder sphere",
            "plane point",
            "plane sphere",
            "cone point",
            "cone sphere",
            "torus point",
            "torus sphere",
            "plane torus",
        ],
    }.items()
    for pair in (text.split() for text in pairs)
}
"""Freedoms that two surfaces in contact take from each other, by shapes."""


def shaped(shape: str, first: bool) -> Maker:
    """A feature of a shape; the second ball and rod are of other radii than the first."""
    radius = {"cylinder": 11.0 if first else 17.0, "sphere": 7.0 if first else 5.0}

    def make(rng: np.random.Generator) -> Any:
        found = random_feature(SHAPES[shape], rng)
        if shape == "cylinder":
            return AXIS(found.point, found.direction, radius=radius[shape])
        return SPHERE(found.point, radius=radius[shape]) if shape == "sphere" else found

    return make


def touching(kind: str, pairs: Any, **parameters: Any) -> list[Case]:
    """Two surfaces, one beside and one in the other where one of them is hollow."""
    out = []
    for pair in sorted(pairs):
        hollow = not set(pair) <= {"point", "line", "plane"} and set(pair) != {"line", "sphere"}
        for one, two in dict.fromkeys([pair, pair[::-1]]):
            makers = shaped(one, True), shaped(two, False)
            for side in ("outside", "inside") if hollow else ("outside",):
                own = parameters | ({"side": side} if side == "inside" else {})
                label = f"{one}-{two}-{side}"
                out.append(Case(kind, label, *makers, TOUCHES[frozenset(pair)], own))
    rods = shaped("cylinder", True), shaped("cylinder", False)
    return [*out, Case(kind, "across", *rods, 1, parameters | {"skew": True})]


def distances() -> list[Case]:
    out = [
        c._replace(
            parameters={"value": 37.0},
            rank=DISTANCES[frozenset(POINT if t is asm.Frame else t for t in types)],
        )
        for c, types in zip(plain("distance"), ends_of("distance"), strict=True)
    ]
    out.append(Case("distance", "skew", of(AXIS), of(AXIS), 1, {"value": 9.0, "skew": True}))
    return [*out, *touching("distance", PAIRS, value=1.5, surfaces=True)]


def widths() -> list[Case]:
    """A groove with one wall leaning by up to 30 degrees, and what stands in its middle."""

    def wall(of_wall: Maker) -> Maker:
        def make(rng: np.random.Generator) -> Any:
            found = of_wall(np.random.default_rng(1))
            normal = -np.array(found.frame[9:12]) + rng.uniform(-0.25, 0.25, 3)
            at = np.array(found.frame[:3]) + rng.uniform(-40, 40, 3)
            return PLANE(tuple(at), tuple(normal))

        return make

    def first(rng: np.random.Generator) -> Any:
        return random_feature(PLANE, np.random.default_rng(1))

    more = {"g": wall(first)}
    rank = {PLANE: 3, FRAME: 3, AXIS: 2, POINT: 1}
    out = [
        Case(
            "width",
            f"{a.__name__}-{b.__name__}",
            first if a is PLANE else of(a),
            of(b),
            rank[b],
            {"a2": "base.g"},
            more,
        )
        for a, b in ends_of("width")
    ]
    both = {"a2": "base.g", "b2": "body.g"}
    return [*out, Case("width", "tab", first, first, 3, both, more)]


def paths() -> list[Case]:
    out = []
    for planar, closed, smooth in product((True, False), repeat=3):

        def curve(
            rng: np.random.Generator, how: tuple[bool, ...] = (planar, closed, smooth)
        ) -> Any:
            return random_curve(rng, *how)

        name = f"{'planar' if planar else 'space'}{'-closed' * closed}{'-smooth' * smooth}"
        out += [Case("path", f"{name}-{t.__name__}", curve, of(t), 2) for t in (POINT, FRAME)]
        if planar:
            roller = {"offset": 6.0}
            out.append(Case("path", f"{name}-Axis", curve, of(AXIS), 3, roller))
    return out


def coupled(kind: str, *joints: str, **parameters: Any) -> Callable[[], list[Case]]:
    """A coupling of two joints, its constant given so that it can contradict a start."""
    one, two = joints
    own = parameters | {"constant": 20.0}
    return lambda: [Case(kind, f"{one}-{two}", of(FRAME), of(FRAME), 1, own, joints=(one, two))]


def with_points(kind: str, **parameters: str) -> list[Case]:
    """A mate that takes further points, or a plane, of the same two parts."""
    maker = of(PLANE if kind == "symmetric" else POINT)
    return [c._replace(parameters=parameters, more={"g": maker}) for c in plain(kind)]


CASES_OF: dict[str, Callable[[], list[Case]]] = {
    "angle": lambda: given("angle", 1, value=37.0),
    "coplanar": lambda: given("coplanar", offset=-3.0),
    "point_in_plane": lambda: given("point_in_plane", offset=2.0),
    "line_in_plane": lambda: given("line_in_plane", offset=2.0),
    "distance": distances,
    "tangent": lambda: touching("tangent", TANGENT),
    "width": widths,
    "screw": lambda: [
        *given("screw", pitch=-8.0, constant=12.0),
        *(c._replace(label=f"{c.label}-as it stands") for c in given("screw", pitch=5.0)),
    ],
    "slot": lambda: given("slot", length=500.0),
    "pin_slot": lambda: given("pin_slot", length=500.0),
    "path": paths,
    "symmetric": lambda: with_points("symmetric", about="base.g"),
    "equal_distance": lambda: with_points("equal_distance", a2="base.g", b2="body.g"),
    "gear": coupled("gear", "revolute", "revolute", ratio=-2.5),
    "rack_and_pinion": coupled("rack_and_pinion", "revolute", "prismatic", radius=15.0),
    "belt": coupled("belt", "revolute", "cylindrical", radii=(20.0, 50.0)),
    "linear": coupled(
        *("linear", "prismatic", "revolute"),
        coordinates=("length", "angle"),
        coefficients=(1.0, -0.3),
    ),
}
"""Cases of kinds that need parameters or features of their own; the others take none."""


@cache
def cases() -> tuple[Case, ...]:
    return tuple(
        case
        for kind in sorted(MATES)
        if kind in CASES_OF or not MATES[kind].required_parameters()
        for case in CASES_OF.get(kind, lambda kind=kind: plain(kind))()  # type: ignore[misc]
    )


@cache
def alike() -> Mapping[str, list[Case]]:
    """Cases by kind and the two types of features, in either order."""
    out: dict[str, list[Case]] = {}
    for case in cases():
        rng = np.random.default_rng(0)
        types = sorted((type(case.a(rng)).__name__, type(case.b(rng)).__name__))
        out.setdefault(" ".join([case.kind, *types]), []).append(case)
    return out


every_case = pytest.mark.parametrize("case", cases(), ids=lambda c: f"{c.kind}-{c.label}")


def senses_of(case: Case) -> tuple[str, ...]:
    """The senses that can be given: of features with two directions."""
    if "sense" not in MATES[case.kind].parameter_names():
        return ("",)
    held = assembly_of(case, np.random.default_rng(0)).held["m"]
    return ("nearest", "aligned", "opposed") if held.chosen_by is not None else ("",)


def assembly_of(
    case: Case, rng: np.random.Generator, grounded: bool = False, **parameters: Any
) -> asm.Assembly:
    """A grounded part and another one, anywhere, with one mate."""
    out = asm.Assembly(case.kind)
    features = (
        {"f": make(rng)} | {k: v(rng) for k, v in case.more.items()} for make in (case.a, case.b)
    )
    for name, own in zip(("base", "body"), features, strict=True):
        still = grounded or name == "base"
        out.add(name, grounded=still, pose=random_pose(rng), features=own)
    if case.joints is None:
        out.mate(case.kind, "base.f", "body.f", name="m", **case.parameters, **parameters)
        return out
    out.add("other", pose=random_pose(rng), features={"f": case.b(rng)})
    for name, kind in zip(("body", "other"), case.joints, strict=True):
        sense = {"sense": "aligned"} if "sense" in MATES[kind].parameter_names() else {}
        out.mate(kind, "base.f", f"{name}.f", name=name, **sense)
    out.mate(case.kind, name="m", joints=("body", "other"), **case.parameters, **parameters)
    return out


def test_every_kind_and_every_pair_of_features_is_tested() -> None:
    tested: dict[str, set[tuple[type, type]]] = {}
    for case in cases():
        rng = np.random.default_rng(0)
        made = type(case.a(rng)), type(case.b(rng))
        tested.setdefault(case.kind, set()).add(made)
    assert sorted(set(MATES) - set(tested)) == []
    missing = {kind: set(ends_of(kind)) - tested[kind] for kind in MATES}
    assert {kind: pairs for kind, pairs in missing.items() if pairs} == {}
    assert len(MATES) >= 23 and len(cases()) > 200


@every_case
def test_a_mate_closes_from_anywhere_and_removes_what_it_states(case: Case) -> None:
    """From 20 starts for every two types of features, shared by the ways of mating them."""
    senses = senses_of(case)
    group = next(found for found in alike().values() if case in found)
    first, step = group.index(case), max(1, min(len(group), STARTS // 4))
    for seed in range(first % step, STARTS, step):
        rng = np.random.default_rng(seed)
        sense = senses[seed // step % len(senses)]
        model = assembly_of(case, rng, **({"sense": sense} if sense else {}))
        solution = asm.solve(model)
        assert solution.outcome is asm.Outcome.SOLVED, solution.sentence
        assert solution.residual < TIGHT
        assert len(model.held["m"].equations) == case.rank
        count = sum(len(h.equations) for h in model.held.values())
        free = 6 * (len(model.parts) - 1)
        assert (solution.diagnosis.rank, solution.dof) == (count, free - count)
        if sense:
            assert_sense(model, solution, sense)


def assert_sense(model: asm.Assembly, solution: asm.Solution, sense: str) -> None:
    """Directions as asked or, nearest, as at the start; axes across each other on that side."""
    before = {name: part.pose for name, part in model.parts.items()}
    chosen = model.held["m"].chosen_by or asm.solve(model).given.held["m"].chosen_by
    across = measure.GAP in {x.kind for e in model.held["m"].equations for _, x in e.terms}
    read = line_side if across else cosine
    wanted = {"aligned": 1.0, "opposed": -1.0}.get(sense)
    if wanted is None:
        assert chosen is not None
        wanted = math.copysign(1, read(model, before))
    elif across:
        return  # which side "aligned" is depends on the directions at the solution
    assert math.copysign(1, read(model, solution.poses)) == wanted
    assert solution.mates[0].sense == ("aligned" if wanted > 0 else "opposed")


def cosine(model: asm.Assembly, poses: Any) -> float:
    a, b = (held_frame(model, poses, end) for end in (0, 1))
    return float(a[3] @ b[3])


def line_side(model: asm.Assembly, poses: Any) -> float:
    a, b = (held_frame(model, poses, end) for end in (0, 1))
    return float(np.cross(a[3], b[3]) @ (b[0] - a[0]))


def held_frame(model: asm.Assembly, poses: Any, end: int) -> Array:
    """The frame that the mate is about, in the world: of a feature, or between two."""
    marker = (model.held["m"].a, model.held["m"].b)[end].marker
    frame = np.array(marker.frame).reshape(4, 3)
    pose = poses[marker.part]
    return np.vstack([pose.apply(frame[0]), frame[1:] @ pose.rotation.T])


# ------------------------------------------------------------------ derivatives


def closed(model: asm.Assembly) -> System:
    """The system of a model at poses where its mates hold.

    Not the nearest ones: these are often at a corner of a curve, where rows have no derivatives.
    """
    system = compile_system(model)
    return replace(system, start=solve(make_plan(system)).parts)


def rows_at(system: System, poses: Array, body: int) -> Array:
    """Jacobian of all equations by the six unknowns of one part."""
    slot = np.full((len(poses), 6), -1, np.int64)
    slot[body, SPACE] = np.arange(6)
    rows = np.arange(len(system.table.target))
    out = np.empty((len(rows), 6))
    jacobian(
        system.table, poses, rows, slot, TwistBasis(np.eye(3), system.centre, system.length), out
    )
    return out


def differences(system: System, poses: Array, body: int, h: float) -> Array:
    """The same by central differences of fourth order."""
    rows = np.arange(len(system.table.target))
    here, turns = np.empty(len(rows)), system.table.period * system.table.weight
    residuals(system.table, poses, rows, here)
    columns = []
    for k in range(6):
        found = []
        for share in (-2.0, -1.0, 1.0, 2.0):
            moved, step, f = poses.copy(), np.zeros(6), np.empty(len(rows))
            step[k] = share * h
            displace(moved[body], step, np.eye(3), system.centre[body], system.length)
            residuals(system.table, moved, rows, f)
            found.append(f - turns * np.round((f - here) / np.maximum(turns, 1e-300)))
        columns.append((found[0] - 8 * found[1] + 8 * found[2] - found[3]) / (12 * h))
    return np.stack(columns, axis=1)


@every_case
def test_rows_are_derivatives_on_and_off_the_solution(case: Case) -> None:
    rng = np.random.default_rng(5)
    model = assembly_of(case, rng)
    for system in (compile_system(model), closed(model)):
        for body in range(len(model.parts)):
            exact = rows_at(system, system.start, body)
            near = differences(system, system.start, body, h=5e-5 * system.length)
            assert np.abs(exact - near).max() < 1e-7 * max(1.0, np.abs(exact).max())


# ------------------------------------------------------------------ files and words


@cache
def validator() -> Any:
    return jsonschema.Draft202012Validator(schema())


@every_case
def test_a_mate_survives_its_file_and_fits_the_schema(case: Case) -> None:
    model = assembly_of(case, np.random.default_rng(3))
    text = assembly_json.dump(model)
    again = assembly_json.read_text(text)
    assert assembly_json.dump(again) == text
    assert again.mates["m"] == model.mates["m"]
    assert again.held["m"].equations == model.held["m"].equations
    assert [e.message for e in validator().iter_errors(assembly_json.strict_json.parse(text))] == []


@pytest.mark.parametrize(
    "case",
    [found[0] for found in alike().values() if found[0].joints is None],
    ids=lambda c: f"{c.kind}-{c.label}",
)
def test_the_result_says_by_how_much_a_mate_is_off_and_that_it_holds(case: Case) -> None:
    model = assembly_of(case, np.random.default_rng(4))
    solution = asm.solve(model)
    assert solution.sentence.startswith("2 parts, 1 mate holds (")
    assert f"; {6 - case.rank} degree" in solution.sentence
    stuck = asm.solve(assembly_of(case, np.random.default_rng(4), grounded=True))
    assert stuck.outcome is asm.Outcome.CONFLICTING
    assert stuck.sentence.startswith("2 parts, 1 mate: m cannot hold where its parts are held (")
    (found,) = stuck.mates
    assert (found.name, found.kind, found.holds) == ("m", case.kind, False)
    assert max(found.residual_mm, found.residual_deg) > 0.01
    named = float(stuck.sentence.split("(")[1].split(" mm off")[0])
    reach = stuck.plan.system.reach[0]
    wanted = max(found.residual_mm, math.radians(found.residual_deg) * reach)
    assert named == pytest.approx(wanted, rel=1e-3)
