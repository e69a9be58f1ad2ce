"""What the mates mean: geometry of features that they hold, zeros and signs, joints, drivers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from mechanisms import Array, O, angle_about, place, pose_gap, random_feature, random_pose, turned

import assembly_solver as asm
from assembly_solver.foundations.jit import decorators
from assembly_solver.foundations.numerics.taylor import constant
from assembly_solver.foundations.numerics.varied import Varied
from assembly_solver.model import assembly as _defines_every_kind  # noqa: F401
from assembly_solver.model.feature import Feature
from assembly_solver.model.mate import MATES, Mate, Reference, ResolvedMate
from assembly_solver.model.references import resolve_mate

STARTS = 20 if decorators.ACTIVE else 3
TIGHT = 1e-9
"""Residual of a normal solve, mm."""

PARAMETERS: dict[str, Any] = {"value": 37.0}
"""Required parameters by name: 37 is an angle and a length alike."""


def ends_of(kind: str) -> list[tuple[type[Feature], type[Feature]]]:
    """Every two feature types that a kind takes."""
    pairs = [pair for a, b in MATES[kind].takes for pair in product(a, b)]
    return list(dict.fromkeys(pairs))


def parameters_of(kind: str) -> dict[str, Any]:
    """Values for what the kind needs; a kind that needs something new fails here, by name."""
    cls = MATES[kind]
    needed = set(cls.required_parameters()) - set(cls.takes_more)
    return {name: PARAMETERS[name] for name in needed}


def two_parts(
    kind: str, a: Any, b: Any, rng: np.random.Generator, **parameters: Any
) -> tuple[asm.Assembly, Mate]:
    """A grounded part and a free one, anywhere, with one mate."""
    out = asm.Assembly(kind)
    more = MATES[kind].takes_more if kind in MATES else {}
    needed = [k for k in MATES[kind].required_parameters() if k in more]
    features = {"f": a} | {k: random_feature(more[k][0], rng) for k in needed}
    out.add("base", grounded=True, pose=random_pose(rng), features=features)
    parameters |= {k: f"base.{k}" for k in needed}
    out.add("body", pose=random_pose(rng), features={"f": b})
    return out, out.mate(kind, "base.f", "body.f", name="m", **parameters)


def cosine(assembly: asm.Assembly, poses: Any, a: str = "base.f", b: str = "body.f") -> float:
    return float(place(assembly, poses, a)[3] @ place(assembly, poses, b)[3])


def starts(assembly: asm.Assembly) -> dict[str, asm.Pose]:
    return {name: part.pose for name, part in assembly.parts.items()}


# ------------------------------------------------------------------ what they mean, geometrically


def off_axis(a: Array, b: Array) -> float:
    """Distance of origin b from the z axis of a."""
    return float(np.linalg.norm(np.cross(b[0] - a[0], a[3])))


def height(a: Array, b: Array) -> float:
    return float((b[0] - a[0]) @ a[3])


def across(a: Array, b: Array) -> float:
    return float(np.linalg.norm(np.cross(a[3], b[3])))


def apart(a: Array, b: Array) -> float:
    return float(np.linalg.norm(b[0] - a[0]))


MEANING: dict[str, Callable[[Array, Array], list[float]]] = {
    "coincident": lambda a, b: [apart(a, b)],
    "coaxial": lambda a, b: [across(a, b), off_axis(a, b), off_axis(b, a)],
    "coplanar": lambda a, b: [across(a, b), height(a, b), height(b, a)],
    "parallel": lambda a, b: [across(a, b)],
    "perpendicular": lambda a, b: [float(a[3] @ b[3])],
    "angle": lambda a, b: [math.acos(a[3] @ b[3]) - math.radians(37)],
    "fixed": lambda a, b: [float(np.abs(a - b).max())],
    "revolute": lambda a, b: [apart(a, b), across(a, b)],
    "prismatic": lambda a, b: [off_axis(a, b), float(np.abs(a[1:] - b[1:]).max())],
    "cylindrical": lambda a, b: [across(a, b), off_axis(a, b)],
    "spherical": lambda a, b: [apart(a, b)],
    "planar": lambda a, b: [across(a, b), height(a, b)],
}
"""What must vanish between the frames of two features (rows: origin, x, y, z)."""


@pytest.mark.parametrize("kind", MEANING)
def test_a_closed_mate_is_what_its_name_says(kind: str) -> None:
    for seed, (a, b) in enumerate(ends_of(kind)):
        rng = np.random.default_rng(100 + seed)
        fa, fb = random_feature(a, rng), random_feature(b, rng)
        model, _ = two_parts(kind, fa, fb, rng, **parameters_of(kind))
        poses = asm.solve(model).poses
        off = MEANING[kind](place(model, poses, "base.f"), place(model, poses, "body.f"))
        assert np.abs(off).max() < 1e-10  # mm or rad


POINT, AXIS, PLANE = asm.Point, asm.Axis, asm.Plane


def line_gap(a: Array, b: Array) -> float:
    n = np.cross(a[3], b[3])
    return float(n @ (b[0] - a[0]) / np.linalg.norm(n))


DISTANCES: list[tuple[type, type, Callable[[Array, Array], float]]] = [
    (POINT, POINT, apart),
    (AXIS, POINT, off_axis),
    (POINT, AXIS, lambda a, b: off_axis(b, a)),
    (PLANE, POINT, height),
    (POINT, PLANE, lambda a, b: height(b, a)),
    (AXIS, AXIS, off_axis),
    (PLANE, AXIS, height),
    (AXIS, PLANE, lambda a, b: height(b, a)),
    (PLANE, PLANE, height),
]


@pytest.mark.parametrize("a, b, found", DISTANCES)
@pytest.mark.parametrize("value", [12.5, -12.5])
def test_a_distance_is_met_with_its_sign_where_a_plane_takes_part(
    a: type, b: type, found: Callable[[Array, Array], float], value: float
) -> None:
    rng = np.random.default_rng(7)
    if value < 0 and PLANE not in (a, b):
        with pytest.raises(asm.AssemblySolverError, match="at least 0"):
            two_parts("distance", random_feature(a, rng), random_feature(b, rng), rng, value=value)
        return
    for _ in range(3):
        fa, fb = random_feature(a, rng), random_feature(b, rng)
        model, _ = two_parts("distance", fa, fb, rng, value=value)
        poses = asm.solve(model).poses
        placed = place(model, poses, "base.f"), place(model, poses, "body.f")
        assert found(*placed) == pytest.approx(value, abs=TIGHT)


@pytest.mark.parametrize("sense", ["aligned", "opposed"])
@pytest.mark.parametrize("value", [5.0, -5.0])
def test_a_distance_of_planes_is_signed_along_the_normal_of_a_in_both_senses(
    sense: str, value: float
) -> None:
    rng = np.random.default_rng(8)
    a, b = random_feature(PLANE, rng), random_feature(PLANE, rng)
    model, _ = two_parts("distance", a, b, rng, value=value, sense=sense)
    poses = asm.solve(model).poses
    assert height(place(model, poses, "base.f"), place(model, poses, "body.f")) == pytest.approx(
        value, abs=TIGHT
    )
    assert cosine(model, poses) == pytest.approx(1 if sense == "aligned" else -1, abs=1e-12)


def test_a_skew_distance_is_the_shortest_of_two_lines_on_the_side_of_the_start() -> None:
    for seed in range(STARTS):
        rng = np.random.default_rng(seed)
        a, b = random_feature(AXIS, rng), random_feature(AXIS, rng)
        model, _ = two_parts("distance", a, b, rng, value=9.0, skew=True)
        before = starts(model)
        side = line_gap(place(model, before, "base.f"), place(model, before, "body.f"))
        solution = asm.solve(model)
        poses = solution.poses
        gap = line_gap(place(model, poses, "base.f"), place(model, poses, "body.f"))
        assert gap == pytest.approx(math.copysign(9, side), abs=TIGHT)
        assert (solution.diagnosis.equations, solution.diagnosis.rank) == (1, 1)


@pytest.mark.parametrize(
    "a, b, equations, rank",
    [
        (POINT, POINT, 3, 3),
        (AXIS, POINT, 2, 2),
        (POINT, AXIS, 2, 2),
        (AXIS, AXIS, 4, 4),
        (PLANE, POINT, 1, 1),
        (PLANE, AXIS, 2, 2),
        (PLANE, PLANE, 3, 3),
    ],
)
def test_a_distance_of_nothing_is_the_mate_of_features_that_meet(
    a: type, b: type, equations: int, rank: int
) -> None:
    for seed in range(STARTS):
        rng = np.random.default_rng(seed)
        fa, fb = random_feature(a, rng), random_feature(b, rng)
        model, _ = two_parts("distance", fa, fb, rng, value=0.0)
        solution = asm.solve(model)
        assert solution.residual < TIGHT
        found = (solution.diagnosis.equations, solution.diagnosis.rank)
        assert found == (equations, rank)


@pytest.mark.parametrize("value, wanted", [(0.0, 1.0), (180.0, -1.0)])
def test_an_angle_of_nothing_or_half_a_turn_is_a_parallel_mate(value: float, wanted: float) -> None:
    for seed in range(STARTS):
        rng = np.random.default_rng(seed)
        a, b = random_feature(AXIS, rng), random_feature(PLANE, rng)
        model, _ = two_parts("angle", a, b, rng, value=value)
        solution = asm.solve(model)
        assert (solution.diagnosis.equations, solution.diagnosis.rank) == (2, 2)
        assert cosine(model, solution.poses) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("value", [1e-3, 1.0, 90.0, 179.0, 179.999])
def test_an_angle_is_met_from_nearly_none_to_nearly_half_a_turn(value: float) -> None:
    for seed in range(STARTS):
        rng = np.random.default_rng(seed)
        model, _ = two_parts(
            "angle", random_feature(AXIS, rng), random_feature(AXIS, rng), rng, value=value
        )
        solution = asm.solve(model)
        u, v = (place(model, solution.poses, f)[3] for f in ("base.f", "body.f"))
        found = math.degrees(math.atan2(float(np.linalg.norm(np.cross(u, v))), float(u @ v)))
        assert found == pytest.approx(value, abs=1e-9)
        assert solution.diagnosis.rank == 1


# ------------------------------------------------------------------ zeros and signs


@pytest.mark.parametrize("sense", ["aligned", "opposed"])
@pytest.mark.parametrize("kind", ["coaxial", "revolute", "cylindrical"])
def test_the_zero_of_an_angle_is_the_features_x(kind: str, sense: str) -> None:
    """Opposed, b is first turned half a turn about its x, which leaves x where it is."""
    rng = np.random.default_rng(3)
    a = asm.Axis((1, 2, 3), (1, 1, 2), x=(1, 0, 0))
    b = asm.Axis((4, -2, 0), (0, 2, 1), x=(0, 1, -1))
    for value in (0.0, 50.0, -130.0, 250.0):
        model, _ = two_parts(kind, a, b, rng, sense=sense)
        model.drive("d", "m", "angle", value=value)
        poses = asm.solve(model).poses
        fa, fb = place(model, poses, "base.f"), place(model, poses, "body.f")
        found = angle_about(fa[3], fa[1], fb[1])
        assert math.remainder(found - math.radians(value), 2 * math.pi) == pytest.approx(
            0, abs=1e-11
        )
        assert fa[3] @ fb[3] == pytest.approx(1 if sense == "aligned" else -1, abs=1e-12)


@pytest.mark.parametrize(
    "direction, zero",
    [
        ((0, 0, 1), (1, 0, 0)),
        ((0, 1, 0), (1, 0, 0)),
        ((1, 0, 1), (1, 0, -1)),  # the part's x, projected
        ((1, 0, 0), (0, 1, 0)),  # parallel to x: y serves
        ((-1, 0, 0), (0, 1, 0)),
    ],
)
def test_an_axis_without_x_takes_its_parts_x_projected(
    direction: tuple[float, float, float], zero: tuple[float, float, float]
) -> None:
    rng = np.random.default_rng(4)
    a = asm.Axis((5, 6, 7), direction)
    model, _ = two_parts("revolute", a, asm.Axis(O, "z", x=(1, 0, 0)), rng, sense="aligned")
    model.drive("d", "m", "angle", value=0)
    poses = asm.solve(model).poses
    x = poses["base"].rotation @ np.array(zero) / np.linalg.norm(zero)
    np.testing.assert_allclose(poses["body"].rotation[:, 0], x, atol=1e-12)


def test_a_zero_never_depends_on_the_start() -> None:
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        model = asm.Assembly()
        model.add("base", grounded=True)
        model.add("body", pose=random_pose(rng))
        model.mate("revolute", "base.z", "body.z", name="m", sense="aligned")
        model.drive("d", "m", "angle", value=20)
        found.append(asm.solve(model).poses["body"])
    for other in found:
        assert max(pose_gap(turned((0, 0, 1), 20), other)) < 1e-11


@pytest.mark.parametrize("owner", ["base", "body"])
@pytest.mark.parametrize("value", [0.0, 30.0, -100.0, 180.0, 200.0])
def test_an_angle_about_an_axis_is_signed_from_a_to_b(owner: str, value: float) -> None:
    """Right-handed about that axis, both directions seen along it, whichever part it is on."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = asm.Assembly()
        for name in ("base", "body"):
            features = {"arm": random_feature(AXIS, rng), "pin": random_feature(AXIS, rng)}
            model.add(name, grounded=name == "base", pose=random_pose(rng), features=features)
        model.mate("coaxial", "base.pin", "body.pin", sense="aligned")
        model.mate("angle", "base.arm", "body.arm", value=value, about=f"{owner}.pin")
        solution = asm.solve(model)
        poses = solution.poses
        a, b, n = (place(model, poses, r)[3] for r in ("base.arm", "body.arm", f"{owner}.pin"))
        off = angle_about(n, a, b) - math.radians(value)
        assert math.remainder(off, 2 * math.pi) == pytest.approx(0, abs=1e-11)
        assert (solution.dof, solution.redundant_equations) == (1, 0)


@pytest.mark.parametrize("sense", ["aligned", "opposed"])
@pytest.mark.parametrize("offset", [4.0, -4.0])
def test_a_coplanar_offset_is_along_the_normal_of_a(sense: str, offset: float) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        a, b = random_feature(PLANE, rng), random_feature(PLANE, rng)
        model, _ = two_parts("coplanar", a, b, rng, sense=sense, offset=offset)
        poses = asm.solve(model).poses
        fa, fb = place(model, poses, "base.f"), place(model, poses, "body.f")
        assert height(fa, fb) == pytest.approx(offset, abs=TIGHT)
        assert fa[3] @ fb[3] == pytest.approx(1 if sense == "aligned" else -1, abs=1e-12)


@pytest.mark.parametrize("a, b", [(POINT, AXIS), (AXIS, POINT)])
def test_a_point_lies_on_a_line_in_both_orders(a: type, b: type) -> None:
    rng = np.random.default_rng(5)
    model, _ = two_parts("point_on_line", random_feature(a, rng), random_feature(b, rng), rng)
    poses = asm.solve(model).poses
    ends = place(model, poses, "base.f"), place(model, poses, "body.f")
    line, point = ends if a is AXIS else ends[::-1]
    assert off_axis(line, point) < TIGHT


@pytest.mark.parametrize("kind, other", [("point_in_plane", POINT), ("line_in_plane", AXIS)])
@pytest.mark.parametrize("plane_first", [True, False])
def test_points_and_lines_lie_at_their_offset_from_a_plane_in_both_orders(
    kind: str, other: type, plane_first: bool
) -> None:
    rng = np.random.default_rng(6)
    a, b = (PLANE, other) if plane_first else (other, PLANE)
    model, _ = two_parts(kind, random_feature(a, rng), random_feature(b, rng), rng, offset=-3.0)
    poses = asm.solve(model).poses
    ends = place(model, poses, "base.f"), place(model, poses, "body.f")
    plane, thing = ends if plane_first else ends[::-1]
    assert height(plane, thing) == pytest.approx(-3, abs=TIGHT)
    if other is AXIS:
        assert plane[3] @ thing[3] == pytest.approx(0, abs=1e-12)


# ------------------------------------------------------------------ joints placed once, drivers


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "spherical", "planar"])
def test_a_joint_placed_once_holds_where_it_was_placed(kind: str) -> None:
    rng = np.random.default_rng(9)
    model = asm.Assembly()
    model.add("base", grounded=True, pose=random_pose(rng))
    model.add("body", pose=random_pose(rng))
    at = asm.Frame((10, 20, -5), (1, 2, 3), (1, 0, 0))
    mate = model.mate(kind, name="m", parts=("base", "body"), at=at)
    assert (mate.a, mate.b) == (("base", "m"), ("body", "m"))
    for name in ("base", "body"):
        origin, x, _, z = place(model, starts(model), (name, "m"))
        np.testing.assert_allclose(origin, at.origin, atol=1e-12)
        np.testing.assert_allclose([x, z], [at.frame[3:6], at.frame[9:12]], atol=1e-14)
    solution = asm.solve(model)
    assert solution.poses == starts(model)
    assert solution.dof == 6 - len(model.held["m"].equations)


def test_a_joint_placed_once_counts_its_angle_and_length_from_there() -> None:
    rng = np.random.default_rng(10)
    model = asm.Assembly()
    model.add("base", grounded=True, pose=random_pose(rng))
    model.add("body", pose=random_pose(rng))
    before = model.pose("body")
    at = asm.Frame((10, 20, -5), (1, 2, 3))
    model.mate("cylindrical", name="m", parts=("base", "body"), at=at)
    model.drive("turn", "m", "angle", value=35)
    model.drive("slide", "m", "length", value=12)
    after = asm.solve(model).poses["body"]
    carried = after @ before.inverse()  # the motion of the body in the assembly's frame
    z = np.array(at.frame[9:12])
    screw = turned(z, 35)
    np.testing.assert_allclose(carried.rotation, screw.rotation, atol=1e-12)
    np.testing.assert_allclose(carried.apply(at.origin), np.array(at.origin) + 12 * z, atol=1e-9)


@pytest.mark.parametrize("sense", ["aligned", "opposed"])
@pytest.mark.parametrize("kind", ["coaxial", "cylindrical"])
def test_driven_angles_and_lengths_are_met_exactly(kind: str, sense: str) -> None:
    for seed in range(STARTS):
        rng = np.random.default_rng(seed)
        a, b = random_feature(AXIS, rng), random_feature(AXIS, rng)
        model, _ = two_parts(kind, a, b, rng, sense=sense)
        turn, slide = rng.uniform(-179, 179), rng.uniform(-80, 80)
        model.drive("turn", "m", "angle", value=turn)
        model.drive("slide", "m", "length", value=slide)
        solution = asm.solve(model)
        fa, fb = (place(model, solution.poses, f) for f in ("base.f", "body.f"))
        assert math.degrees(angle_about(fa[3], fa[1], fb[1])) == pytest.approx(turn, abs=1e-9)
        assert height(fa, fb) == pytest.approx(slide, abs=TIGHT)
        assert (solution.dof, solution.driven, solution.dof_left) == (2, 2, 0)


def test_a_driven_prismatic_length_and_planar_angle_are_met_exactly() -> None:
    for kind, coordinate, value in (("prismatic", "length", -31.5), ("planar", "angle", 77.0)):
        rng = np.random.default_rng(11)
        frames = random_feature(asm.Frame, rng), random_feature(asm.Frame, rng)
        model, _ = two_parts(kind, *frames, rng)
        model.drive("d", "m", coordinate, value=value)
        solution = asm.solve(model)
        fa, fb = (place(model, solution.poses, f) for f in ("base.f", "body.f"))
        turn = math.degrees(angle_about(fa[3], fa[1], fb[1]))
        found = height(fa, fb) if coordinate == "length" else turn
        assert found == pytest.approx(value, abs=1e-9)
        assert (solution.dof, solution.dof_left) == (
            6 - len(model.held["m"].equations),
            5 - len(model.held["m"].equations),
        )


def test_a_driven_separation_is_met_exactly_with_and_without_mates() -> None:
    for joined in (False, True):
        rng = np.random.default_rng(12)
        model = asm.Assembly()
        features = [
            {"p": random_feature(POINT, rng), "pin": random_feature(AXIS, rng)} for _ in range(2)
        ]
        model.add("base", grounded=True, pose=random_pose(rng), features=features[0])
        model.add("body", pose=random_pose(rng), features=features[1])
        if joined:
            model.mate("coaxial", "base.pin", "body.pin")
        model.drive("ram", separation=("base.p", "body.p"), value=140.0)
        solution = asm.solve(model)
        fa, fb = (place(model, solution.poses, f) for f in ("base.p", "body.p"))
        assert apart(fa, fb) == pytest.approx(140, abs=TIGHT)
        assert (solution.dof, solution.dof_left) == ((2, 1) if joined else (6, 5))


def test_a_separation_of_nothing_brings_the_points_together() -> None:
    rng = np.random.default_rng(13)
    model = asm.Assembly()
    model.add("base", grounded=True, features={"p": random_feature(POINT, rng)})
    model.add("body", pose=random_pose(rng), features={"p": random_feature(POINT, rng)})
    model.drive("ram", separation=("base.p", "body.p"), value=0.0)
    solution = asm.solve(model)
    assert solution.residual < TIGHT
    assert apart(*(place(model, solution.poses, f) for f in ("base.p", "body.p"))) < TIGHT


def test_frames_stand_wherever_points_axes_or_planes_may() -> None:
    """A frame is a point, an axis along z and its xy plane."""
    for kind in ("coincident", "coaxial", "coplanar", "parallel", "spherical", "planar"):
        assert (asm.Frame, asm.Frame) in ends_of(kind)


def markers_told(found: ResolvedMate) -> list[object]:
    """The equations of a mate with its ends for its markers."""
    ends = {id(found.a.marker): "a", id(found.b.marker): "b"}
    return [
        (e.target, [(c, x[:3], x.data, ends[id(x.a)], ends[id(x.b)]) for c, x in e.terms])
        for e in found.equations
    ]


@pytest.mark.parametrize("kind", sorted(k for k, c in MATES.items() if c.by_markers))
def test_a_kind_by_markers_reads_nothing_else_of_where_its_features_are(kind: str) -> None:
    cls, rng = MATES[kind], np.random.default_rng(len(kind))
    assert "by_markers" in vars(cls)
    for features in ends_of(kind):
        mate, told = cls(a=Reference("p", "f"), b=Reference("q", "f"), name="m"), []
        for at in (rng.uniform(-90, 90, 3), rng.uniform(-90, 90, 3)):
            motion = (*at.tolist(), 1, 0, 0, 0, 1, 0, 0, 0, 1)
            made = (random_feature(of, np.random.default_rng(7)).moved(motion) for of in features)
            parts = {k: asm.Part(k, {"f": f}) for k, f in zip("pq", made, strict=True)}
            found = resolve_mate(mate, parts, "")
            assert not mate.bounds(found.a, found.b)
            told.append(markers_told(found))
        assert told[0] == told[1] and len(told[0]) > 0


@pytest.mark.parametrize("kind", sorted(k for k, c in MATES.items() if c.by_markers))
def test_mates_of_a_kind_by_markers_share_a_form_between_markers_of_their_own(kind: str) -> None:
    cls, rng = MATES[kind], np.random.default_rng(len(kind))
    for features in ends_of(kind):
        mate, made = cls(a=Reference("p", "f"), b=Reference("q", "f"), name="m"), []
        for radius in (None, 3.0):
            a, b = (random_feature(of, rng) for of in features)
            a = replace(a, radius=radius) if isinstance(a, asm.Axis) else a
            parts = {k: asm.Part(k, {"f": f}) for k, f in zip("pq", (a, b), strict=True)}
            made.append(resolve_mate(mate, parts, ""))
            assert made[-1].equations == mate.equations(made[-1].a, made[-1].b)
        assert made[0].written.form is made[1].written.form
        assert {*made[0].written.markers} == {made[0].a.marker, made[0].b.marker}


def test_another_offset_is_another_form_and_one_that_varies_has_its_own() -> None:
    parts = {k: asm.Part(k, {"f": asm.Plane((0, 0, 0), "z")}) for k in "pq"}
    varied = Varied(2.0, constant(2.0, np.zeros(1)))
    found = [
        resolve_mate(
            MATES["coplanar"](a=Reference("p", "f"), b=Reference("q", "f"), name="m", offset=value),
            parts,
            "",
        )
        for value in (1.0, 2.0, 2.0, varied)
    ]
    forms = [f.written.form for f in found]
    assert [f.target[-1] for f in forms] == [1.0, 2.0, 2.0, 2.0]
    assert forms[1] is forms[2] and forms[3].target[-1] is varied
