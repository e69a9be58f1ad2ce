"""Surfaces that touch, guides and shafts: judged by geometry that the engine does not know."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import Array, O, angle_about, place, pose, random_feature, random_pose, turned
from refusals import refusals
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize, minimize_scalar
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.errors import AssemblySolverError, BadValue

TIGHT = 1e-9
"""Residual of a normal solve, mm."""

CYLINDER = asm.Axis((3, -8, 5), (1, 2, -1), radius=11)
THIN = asm.Axis((-20, 4, 1), (0, 1, 3), radius=4)
BALL, BEAD = asm.Sphere((10, 0, -6), radius=7), asm.Sphere((1, 2, 3), radius=3)
CONE = asm.Cone((5, 5, 0), (1, 0, 2), angle=28)
RING = asm.Torus((0, -9, 2), (2, 1, 0), radius=40, tube=9)
WALL = asm.Plane((7, 3, -2), (1, 1, 4))
POINT = asm.Point((-4, 12, 6))


def joined(kind: str, a: Any, b: Any, seed: int = 1, **parameters: Any) -> asm.Assembly:
    """A grounded part and a free one, anywhere, with one mate."""
    rng = np.random.default_rng(seed)
    out = asm.Assembly(kind)
    out.add("base", grounded=True, pose=random_pose(rng), features={"f": a})
    out.add("body", pose=random_pose(rng), features={"f": b})
    out.mate(kind, "base.f", "body.f", name="m", **parameters)
    return out


# ------------------------------------------------------------------ the gap of two surfaces


def outside(feature: Any, frame: Array, x: Array) -> float:
    """Distance of a point from a surface, negative on its inner side (or behind a plane)."""
    origin, _, _, z = frame
    d = x - origin
    h, rho = float(d @ z), float(np.linalg.norm(np.cross(d, z)))
    if isinstance(feature, asm.Plane):
        return h
    if isinstance(feature, asm.Sphere):
        return float(np.linalg.norm(d)) - feature.radius
    if isinstance(feature, asm.Cone):
        a = math.radians(feature.angle)
        near = rho * math.sin(a) + h * math.cos(a) > 0
        return rho * math.cos(a) - h * math.sin(a) if near else float(np.linalg.norm(d))
    if isinstance(feature, asm.Torus):
        return math.hypot(rho - feature.radius, h) - feature.tube
    if isinstance(feature, asm.Axis):
        return rho - (feature.radius or 0.0)
    return float(np.linalg.norm(d))


def surface(feature: Any, frame: Array, u: float, v: float) -> Array:
    """A point of a surface by two parameters."""
    origin, x, y, z = frame
    around = math.cos(u) * x + math.sin(u) * y
    if isinstance(feature, asm.Sphere):
        return np.asarray(origin + feature.radius * (math.cos(v) * around + math.sin(v) * z))
    if isinstance(feature, asm.Torus):
        tube = feature.tube * (math.cos(v) * around + math.sin(v) * z)
        return np.asarray(origin + feature.radius * around + tube)
    if isinstance(feature, asm.Cone):
        a = math.radians(feature.angle)
        return np.asarray(origin + 40 * v**2 * (math.cos(a) * z + math.sin(a) * around))
    if isinstance(feature, asm.Axis):
        return np.asarray(origin + 40 * v * z + (feature.radius or 0.0) * around)
    return np.asarray(origin)


def extreme(a: Any, fa: Array, b: Any, fb: Array, most: bool) -> float:
    """The least distance (or the greatest) from surface a that a point of surface b has."""
    sign = -1.0 if most else 1.0

    def of(p: Array) -> float:
        v = min(max(float(p[1]), -9.0), 9.0)  # lines of contact run on for ever
        return sign * outside(a, fa, surface(b, fb, float(p[0]), v))

    starts = [(u, v) for u in np.linspace(0, 2 * np.pi, 13) for v in np.linspace(-1.6, 1.6, 9)]
    best = sorted(starts, key=lambda p: of(np.array(p)))[:2]
    how = {"xatol": 1e-8, "fatol": 1e-11, "maxiter": 2000}
    found = []
    for u, v in best:
        simplex = [(u, v), (u + 0.2, v), (u, v + 0.2)]
        options = how | {"initial_simplex": simplex}
        found.append(minimize(of, (u, v), method="Nelder-Mead", options=options).fun)
    return float(sign * min(found))


TOUCHING: list[tuple[Any, Any, str]] = [
    (WALL, CYLINDER, "outside"),
    (WALL, CYLINDER, "inside"),
    (WALL, BALL, "outside"),
    (WALL, BALL, "inside"),
    (WALL, CONE, "outside"),
    (WALL, CONE, "inside"),
    (WALL, RING, "outside"),
    (WALL, RING, "inside"),
    (CYLINDER, THIN, "outside"),
    (CYLINDER, THIN, "inside"),
    (CYLINDER, BALL, "outside"),
    (CYLINDER, BALL, "inside"),
    (CYLINDER, POINT, "outside"),
    (BALL, BEAD, "outside"),
    (BALL, BEAD, "inside"),
    (BALL, POINT, "outside"),
    (CONE, BALL, "outside"),
    (CONE, BALL, "inside"),
    (CONE, POINT, "outside"),
    (RING, BEAD, "outside"),
    (RING, BEAD, "inside"),
    (RING, POINT, "outside"),
    (RING, THIN, "outside"),
]


@pytest.mark.parametrize("swapped", [False, True], ids=["", "swapped"])
@pytest.mark.parametrize(
    "a, b, side", TOUCHING, ids=lambda v: v if isinstance(v, str) else type(v).__name__
)
def test_tangent_surfaces_meet_in_a_point_and_do_not_cut(
    a: Any, b: Any, side: str, swapped: bool
) -> None:
    """The least distance of b's points from a is 0; inside, the greatest: found by search."""
    for gap in (1.25,) if swapped else (0.0, 1.25):
        ends = (b, a) if swapped else (a, b)
        more = {"surfaces": True, "value": gap} if gap else {}
        kind = "distance" if gap else "tangent"
        model = joined(kind, *ends, side=side, **more)
        solution = asm.solve(model)
        assert solution.residual < TIGHT
        frames = [place(model, solution.poses, f) for f in ("base.f", "body.f")]
        fa, fb = frames[::-1] if swapped else frames
        wanted = -gap if side == "inside" else gap
        # a search to 1e-9 in its parameters
        found = extreme(a, fa, b, fb, most=side == "inside")
        assert found == pytest.approx(wanted, abs=1e-7)


def test_cylinders_across_each_other_touch_on_the_side_where_they_start() -> None:
    for seed in range(8):
        model = joined("tangent", CYLINDER, THIN, seed, skew=True)
        solution = asm.solve(model)
        a, b = (place(model, solution.poses, f) for f in ("base.f", "body.f"))
        n = np.cross(a[3], b[3]) / np.linalg.norm(np.cross(a[3], b[3]))
        apart = float(n @ (b[0] - a[0]))
        before = {name: part.pose for name, part in model.parts.items()}
        c, d = (place(model, before, f) for f in ("base.f", "body.f"))
        side = math.copysign(1, float(np.cross(c[3], d[3]) @ (d[0] - c[0])))
        assert apart == pytest.approx(15 * side, abs=TIGHT)


@pytest.mark.parametrize(
    "a, b, rank",
    [(CYLINDER, CYLINDER, 4), (BALL, BALL, 3), (CYLINDER, asm.Sphere(O, radius=11), 2)],
)
def test_equal_radii_inside_each_other_share_their_middle(a: Any, b: Any, rank: int) -> None:
    solution = asm.solve(joined("tangent", a, b, side="inside"))
    assert (solution.residual < TIGHT, solution.dof) == (True, 6 - rank)


def test_distances_of_spheres_cylinders_cones_and_rings_are_those_of_centres_and_axes() -> None:
    for a, b, read in (
        (BALL, BEAD, lambda a, b: np.linalg.norm(b[0] - a[0])),
        (CYLINDER, BALL, lambda a, b: np.linalg.norm(np.cross(b[0] - a[0], a[3]))),
        (CONE, RING, lambda a, b: np.linalg.norm(np.cross(b[0] - a[0], a[3]))),
        (WALL, CYLINDER, lambda a, b: (b[0] - a[0]) @ a[3]),
    ):
        model = joined("distance", a, b, value=33.0)
        poses = asm.solve(model).poses
        ends = (place(model, poses, f) for f in ("base.f", "body.f"))
        assert read(*ends) == pytest.approx(33.0, abs=TIGHT)


REFUSED = refusals("""
joined("tangent", asm.Axis(O, "z"), WALL)
    FeatureTypeError: base.f is of type Axis without a radius, it must be Axis with a radius
joined("tangent", CONE, CYLINDER)
    FeatureTypeError: body.f is of type cylinder, with a cone, it must be plane or point or sphere
joined("tangent", WALL, WALL)
    FeatureTypeError: body.f is of type Plane, it must be Axis
joined("tangent", THIN, BALL, side="inside")
    BadValue: neither goes into the other
joined("tangent", RING, BALL, side="beside")
    BadValue: outside or inside
joined("tangent", BALL, WALL, sense="opposed")
    BadValue: these two have no sense
joined("tangent", BALL, WALL, skew=True)
    BadValue: two cylinders only
joined("distance", WALL, WALL, value=1, side="inside")
    BadValue: "surfaces" only
joined("distance", CONE, CYLINDER, value=1, surfaces=True)
    FeatureTypeError: body.f is of type cylinder, with a cone, it must be plane or point or sphere
joined("distance", CYLINDER, THIN, value=8, surfaces=True, side="inside")
    BadValue: neither goes into the other
joined("width", WALL, WALL)
    MissingKey: a2
joined("slot", asm.Frame(O), THIN, length=0.0)
    BadValue: a length above 0
joined("screw", asm.Frame(O), THIN, pitch=0.0)
    BadValue: mm a turn, not 0
""")


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_what_has_no_meaning_is_refused_with_what_has(call: str, said: str) -> None:
    with pytest.raises(AssemblySolverError) as caught:
        eval(call)
    kind, words = said.split(": ", 1)
    assert type(caught.value).__name__ == kind
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("one", [BALL, RING])
def test_what_is_round_touches_a_cylinder_from_inside(one: asm.Feature) -> None:
    assert asm.solve(joined("tangent", one, CYLINDER, side="inside")).residual < TIGHT


# ------------------------------------------------------------------ features


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: asm.Sphere(O, radius=0), "radius: 0 is not possible"),
        (lambda: asm.Cone(O, "z", angle=90), "angle: 90 is not possible"),
        (lambda: asm.Torus(O, "z", radius=5, tube=5), "tube: 5.0 is not possible"),
        (lambda: asm.Curve([O]), "points: [(0.0, 0.0, 0.0)] is not possible"),
        (lambda: asm.Curve([O, (1, 0, 0)], closed=True), "at least 3 points"),
        (lambda: asm.Curve([O, (1, 0, 0), (1, 0, 0)]), "points[2]"),
        (lambda: asm.Curve([O, (1, 0, 0), (0.5, 0, 0)]), "half a turn"),
    ],
)
def test_surfaces_that_cannot_be_are_refused(make: Callable[[], Any], words: str) -> None:
    with pytest.raises((BadValue, TypeError)) as caught:
        make()
    assert words in str(caught.value)


def test_a_sphere_is_a_point_and_a_cone_and_a_ring_are_axes_to_every_other_mate() -> None:
    for kind, a, b, rank in (
        ("coincident", BALL, POINT, 3),
        ("coaxial", CONE, RING, 4),
        ("point_on_line", RING, BALL, 2),
        ("parallel", CONE, CYLINDER, 2),
        ("line_in_plane", WALL, RING, 2),
    ):
        assert asm.solve(joined(kind, a, b)).dof == 6 - rank


# ------------------------------------------------------------------ tab in a groove


def test_a_tab_stands_midway_between_the_faces_of_its_groove() -> None:
    rng = np.random.default_rng(4)
    walls = {"a": asm.Plane((0, 0, 20), "-z"), "a2": asm.Plane((50, 8, -16), "z")}
    faces = {"b": asm.Plane((3, 4, 9), "x"), "b2": asm.Plane((-5, 0, 2), "-x")}
    out = asm.Assembly()
    out.add("groove", grounded=True, pose=random_pose(rng), features=walls)
    out.add("tab", pose=random_pose(rng), features=faces)
    out.mate("width", "groove.a", "tab.b", a2="groove.a2", b2="tab.b2")
    solution = asm.solve(out)
    assert solution.dof == 3
    a, a2, b, b2 = (
        place(out, solution.poses, f) for f in ("groove.a", "groove.a2", "tab.b", "tab.b2")
    )
    assert abs(a[3] @ b[3]) == pytest.approx(1, abs=1e-12)
    near, far = (b, b2) if a[3] @ b[3] < 0 else (b2, b)  # the face that looks at wall a
    # 36 mm of groove less 8 mm of tab: 14 mm on either side
    assert (near[0] - a[0]) @ a[3] == pytest.approx(14, abs=TIGHT)
    assert (far[0] - a2[0]) @ a2[3] == pytest.approx(14, abs=TIGHT)


@pytest.mark.parametrize("other", [asm.Plane((1, 1, 1), (0, 0, 1)), THIN, POINT])
def test_what_stands_in_the_middle_is_as_far_from_one_leaning_wall_as_from_the_other(
    other: Any,
) -> None:
    walls = {"a": asm.Plane((0, 0, 20), (0.3, 0, -1)), "a2": asm.Plane((50, 8, -16), (0.1, 0.2, 1))}
    out = asm.Assembly()
    out.add("groove", grounded=True, features=walls)
    out.add("thing", pose=random_pose(np.random.default_rng(3)), features={"f": other})
    out.mate("width", "groove.a", "thing.f", a2="groove.a2")
    solution = asm.solve(out)
    a, a2, f = (place(out, solution.poses, r) for r in ("groove.a", "groove.a2", "thing.f"))
    for way in (0.0, 30.0):
        p = (
            f[0]
            if other is POINT
            else f[0] + way * (f[1] if isinstance(other, asm.Plane) else f[3])
        )
        assert (p - a[0]) @ a[3] == pytest.approx((p - a2[0]) @ a2[3], abs=1e-8)


# ------------------------------------------------------------------ paths


def ellipse(space: bool) -> Array:
    t = np.arange(12) * math.pi / 6
    return np.stack([60 * np.cos(t), 40 * np.sin(t), space * 12 * np.sin(2 * t)], axis=1)


def spline(points: Array, closed: bool) -> tuple[CubicSpline, float]:
    """Scipy's spline by chord length, and where it ends."""
    knots = np.vstack([points, points[:1]]) if closed else points
    s = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(knots, axis=0), axis=1))])
    return CubicSpline(s, knots, bc_type="periodic" if closed else "natural"), float(s[-1])


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("space", [True, False])
def test_a_point_on_a_smooth_path_is_on_the_spline_and_its_length_is_the_arc(
    space: bool, closed: bool
) -> None:
    points = ellipse(space)[: 12 if closed else 8]
    curve, end = spline(points, closed)
    path = asm.Curve(tuple(map(tuple, points.tolist())), closed=closed, smooth=True)
    arc = quad(lambda s: np.linalg.norm(curve(s, 1)), 0, end, limit=400, epsabs=1e-9)[0]
    assert path.length == pytest.approx(arc, rel=1e-6)  # five nodes a piece
    for seed, share in enumerate((0.1, 0.35, 0.8)):
        model = joined("path", path, POINT, seed)
        model.drive("along", "m", "length", value=share * path.length)
        solution = asm.solve(model)
        p = model.pose("base").inverse().apply(place(model, solution.poses, "body.f")[0])
        near = min(np.linspace(0, end, 400), key=lambda s: np.linalg.norm(curve(s) - p))
        foot = minimize_scalar(
            lambda s, p=p: float(np.linalg.norm(curve(s) - p)),
            bounds=(near - end / 300, near + end / 300),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert foot.fun < 1e-5  # a search along the curve
        here = quad(lambda s: np.linalg.norm(curve(s, 1)), 0, foot.x, limit=400, epsabs=1e-9)[0]
        assert here == pytest.approx(share * arc, abs=1e-4 * arc)
        assert solution.dof == 4


def test_a_point_goes_round_the_corners_of_a_polyline() -> None:
    square = asm.Curve((O, (40, 0, 0), (40, 40, 0), (0, 40, 0)), closed=True)
    for length, at in (
        (10, (10, 0)),
        (40, (40, 0)),
        (55, (40, 15)),
        (100, (20, 40)),
        (150, (0, 10)),
    ):
        model = asm.Assembly()
        model.add("plate", grounded=True, features={"groove": square})
        model.add(
            "pin", pose=turned((1, 2, 3), 70, (33, -9, 20)), features={"p": asm.Point((1, 0, 0))}
        )
        model.mate("path", "plate.groove", "pin.p", name="m")
        model.drive("along", "m", value=length)
        solution = asm.solve(model)
        found = place(model, solution.poses, "pin.p")[0]
        np.testing.assert_allclose(found, [*at, 0], atol=1e-9)


def test_no_place_off_a_path_counts_as_on_it() -> None:
    """Also beside a sharp corner, where the foot of a point is the corner itself."""
    corner = asm.Curve(((-30, 0, 0), O, (-20, 9, 0)))
    for angle in np.linspace(0, 2 * np.pi, 25):
        model = asm.Assembly()
        model.add("plate", grounded=True, features={"groove": corner})
        at = asm.Pose((0.5 * math.cos(angle), 0.5 * math.sin(angle), 0.0))
        model.add("pin", grounded=True, pose=at)
        model.mate("path", "plate.groove", "pin.origin", name="m")
        x, y = at.position[:2]
        sides = min(abs(y), abs(y + 0.45 * x) / math.hypot(1, 0.45))  # y = 0 and y = -0.45 x
        on = sides if x <= 0 else math.hypot(x, y)
        solution = asm.solve(model)
        assert (solution.residual > 0.01) == (on > 0.01), angle


def test_a_roller_follows_a_cam_at_its_offset_outside() -> None:
    """A round cam off its shaft: the follower's lift is that of a crank and rod, in closed form."""
    r, e, roller = 30.0, 12.0, 8.0
    t = np.arange(48) * math.pi / 24
    round_cam = np.stack([e + r * np.cos(t), r * np.sin(t), 0 * t], axis=1)
    cam = asm.Curve(tuple(map(tuple, round_cam.tolist())), closed=True, smooth=True)
    model = asm.Assembly()
    model.add("frame", grounded=True, features={"guide": asm.Frame(O, (0, 1, 0), (1, 0, 0))})
    model.add("cam", features={"face": cam})
    rod = {"roller": asm.Axis(O, "z"), "guide": asm.Frame(O, (0, 1, 0), (1, 0, 0))}
    model.add("rod", pose=asm.Pose((0, 60, 0)), features=rod)
    model.mate("revolute", "frame.origin", "cam.origin", name="shaft")
    model.mate("prismatic", "frame.guide", "rod.guide", name="lift")
    model.mate("path", "cam.face", "rod.roller", offset=roller, name="contact")
    model.drive("turn", "shaft", "angle", value=0.0)
    for degrees in (0.0, 50.0, 130.0, 200.0, 310.0):
        model.set_driver("turn", degrees)
        solution = asm.solve(model)
        assert (solution.outcome, solution.dof) == (asm.Outcome.SOLVED, 1)
        assert [c.projection is not None for c in solution.plan.components if c.loop] == [True]
        x, y = e * math.cos(math.radians(degrees)), e * math.sin(math.radians(degrees))
        lift = y + math.sqrt((r + roller) ** 2 - x**2)
        # 48 knots: the spline is off a circle of 30 mm by 1e-4 mm
        assert solution.poses["rod"].position[1] == pytest.approx(lift, abs=2e-4)
        model.move(solution.poses)


# ------------------------------------------------------------------ slots, screws, shafts


def test_a_scotch_yoke_moves_with_the_cosine_and_is_solved_in_its_plane() -> None:
    model = asm.Assembly()
    model.add("frame", grounded=True, features={"guide": asm.Frame(O, "x", "y")})
    model.add("crank", features={"pin": asm.Axis((25, 0, 0), "-z")})
    yoke = {"slot": asm.Frame(O, "z", "y"), "guide": asm.Frame((90, 0, 0), "x", "y")}
    model.add("yoke", pose=asm.Pose((30, 0, 0)), features=yoke)
    model.mate("revolute", "frame.origin", "crank.origin", name="shaft", sense="aligned")
    model.mate("prismatic", "frame.guide", "yoke.guide")
    model.mate("slot", "yoke.slot", "crank.pin", name="pin in slot", length=60)
    model.drive("turn", "shaft", "angle", value=35)
    solution = asm.solve(model)
    assert solution.poses["yoke"].position[0] == pytest.approx(25 * math.cos(math.radians(35)))
    assert (solution.dof, solution.dof_left) == (1, 0)
    assert all(c.projection is not None for c in solution.plan.components if c.loop)
    held = model.held["pin in slot"]
    assert held.mate.bounds(held.a, held.b) == {"length": (-30, 30)}


def test_lengths_in_a_slot_are_counted_along_it_and_a_pin_slot_keeps_its_depth() -> None:
    for kind, freedoms in (("slot", 3), ("pin_slot", 2)):
        rng = np.random.default_rng(8)
        a, b = random_feature(asm.Frame, rng), random_feature(asm.Axis, rng)
        for sense in ("aligned", "opposed"):
            model = joined(kind, a, b, sense=sense)
            model.drive("way", "m", "length", value=-17.0)
            model.drive("turn", "m", "angle", value=40.0)
            solution = asm.solve(model)
            fa, fb = (place(model, solution.poses, f) for f in ("base.f", "body.f"))
            d = fb[0] - fa[0]
            assert [d @ fa[1], d @ fa[2]] == pytest.approx([-17, 0], abs=TIGHT)
            if kind == "pin_slot":
                assert d @ fa[3] == pytest.approx(0, abs=TIGHT)
            turn = math.degrees(angle_about(fa[3], fa[1], fb[1]))
            assert turn == pytest.approx(40, abs=1e-9)
            assert solution.dof == freedoms


@pytest.mark.parametrize("pitch", [5.0, -8.0])
def test_a_nut_goes_a_pitch_a_turn_over_many_turns(pitch: float) -> None:
    for way in (3.0, 61.0, -240.0):
        model = joined(
            "screw",
            asm.Frame((1, 2, 3), (1, 1, 0)),
            asm.Frame(O, "z"),
            pitch=pitch,
            constant=2.0,
            sense="aligned",
        )
        model.drive("way", "m", "length", value=way)
        solution = asm.solve(model)
        fa, fb = (place(model, solution.poses, f) for f in ("base.f", "body.f"))
        turns = angle_about(fa[3], fa[1], fb[1]) / (2 * math.pi)
        assert (fb[0] - fa[0]) @ fa[3] == pytest.approx(way, abs=TIGHT)
        assert math.remainder(turns - (way - 2) / pitch, 1.0) == pytest.approx(0, abs=1e-10)
        assert (solution.dof, solution.dof_left) == (1, 0)
        assert solution.free_motions[0]["kind"] == "screw"
        assert abs(solution.free_motions[0]["pitch_mm"]) == pytest.approx(abs(pitch), rel=1e-9)


def test_a_driven_turn_of_a_screw_counts_its_turns() -> None:
    model = joined("screw", asm.Frame(O), asm.Frame(O), pitch=4.0, constant=0.0, sense="aligned")
    for angle in (90.0, 720.0, -1170.0):
        if "turn" not in model.drivers:
            model.drive("turn", "m", "angle", value=angle)
        model.set_driver("turn", angle)
        solution = asm.solve(model)
        fa, fb = (place(model, solution.poses, f) for f in ("base.f", "body.f"))
        assert (fb[0] - fa[0]) @ fa[3] == pytest.approx(4 * angle / 360, abs=TIGHT)


def test_the_constant_of_a_screw_is_told_where_it_is_taken_from_the_start() -> None:
    model = asm.Assembly()
    model.add("rod", grounded=True)
    model.add("nut", pose=turned((0, 0, 1), 90, (0, 0, 21)))
    model.mate("screw", "rod.origin", "nut.origin", name="thread", pitch=4.0, sense="aligned")
    solution = asm.solve(model)
    assert solution.poses == {name: part.pose for name, part in model.parts.items()}
    assert solution.constants == {"thread": {"value": pytest.approx(20), "unit": "mm"}}


def two_shafts(kind: str, bend: float) -> asm.Assembly:
    """A shaft along x and one bent off it about z, joined where they meet; both on bearings."""
    out = asm.Assembly()
    c, s = math.cos(math.radians(bend)), math.sin(math.radians(bend))
    ends = {"one": asm.Axis(O, "x", x=(0, 1, 0)), "two": asm.Axis(O, (c, s, 0), x=(0, 0, 1))}
    out.add("frame", grounded=True, features=ends)
    ends = {"bearing": asm.Axis(O, "z", x=(1, 0, 0)), "cross": asm.Axis(O, "x")}
    for name in ("one", "two"):
        start = pose(O, Rotation.from_rotvec([0.1, 1.4, 0.2]))
        out.add(name, pose=start, features=ends | {"shaft": asm.Frame(O, "z", "x")})
        out.mate("revolute", f"frame.{name}", f"{name}.bearing", name=name, sense="aligned")
    feature = "cross" if kind == "universal" else "shaft"
    out.mate(kind, f"one.{feature}", f"two.{feature}", name="joint")
    return out


@pytest.mark.parametrize("bend", [0.0, 20.0, 45.0])
def test_a_universal_joint_turns_by_hookes_law(bend: float) -> None:
    """tan(out) = tan(in) / cos(bend), the pin of the driving fork counted from the bend's plane
    and that of the driven one from across it (Hooke)."""
    model = two_shafts("universal", bend)
    model.drive("in", "one", "angle", value=0.0)
    for value in (0.0, 25.0, 70.0, 120.0):
        model.set_driver("in", value)
        solution = asm.solve(model)
        assert solution.outcome is asm.Outcome.SOLVED
        a, b = (place(model, solution.poses, f"frame.{n}") for n in ("one", "two"))
        pins = [place(model, solution.poses, f"{n}.cross")[3] for n in ("one", "two")]
        # pin one = (0, cos, sin) by the angle in; pin two is across it and across shaft two
        wanted = np.cross(pins[0], b[3])
        assert abs(pins[1] @ wanted) == pytest.approx(np.linalg.norm(wanted), abs=1e-10)
        turn_in = angle_about(a[3], np.array([0.0, 1, 0]), pins[0])
        turn_out = angle_about(b[3], np.array([0.0, 0, 1]), pins[1])
        law = math.tan(turn_in) / math.cos(math.radians(bend)) - math.tan(turn_out)
        other = math.tan(turn_in) * math.cos(math.radians(bend)) - math.tan(turn_out)
        assert min(abs(law), abs(other)) < 1e-8
        model.move(solution.poses)


@pytest.mark.parametrize("bend", [0.0, 20.0, 45.0])
def test_a_constant_velocity_joint_passes_the_turn_on_unchanged(bend: float) -> None:
    model = two_shafts("constant_velocity", bend)
    model.drive("in", "one", "angle", value=0.0)
    out = []
    for value in (0.0, 25.0, 70.0, 120.0):
        model.set_driver("in", value)
        solution = asm.solve(model)
        assert solution.outcome is asm.Outcome.SOLVED
        b, x = (place(model, solution.poses, f) for f in ("frame.two", "two.shaft"))
        out.append(math.degrees(angle_about(b[3], b[1], x[1])) - value)
        model.move(solution.poses)
    assert [math.remainder(o - out[0], 360) for o in out] == pytest.approx([0] * 4, abs=1e-8)


def test_a_universal_placed_once_has_its_pins_across_each_other() -> None:
    model = asm.Assembly()
    for name in ("one", "two"):
        model.add(name, grounded=name == "one", pose=random_pose(np.random.default_rng(5)))
    at = asm.Frame((1, 2, 3), "z", "x")
    model.mate("universal", name="m", parts=("one", "two"), at=at)
    solution = asm.solve(model)
    assert (solution.residual < 1e-12, solution.dof) == (True, 2)


# ------------------------------------------------------------------ the ends of guides


def test_a_point_started_beyond_the_end_of_a_path_stops_at_it() -> None:
    track = asm.Curve((O, (40, 0, 0), (40, 30, 0)))
    for start, at in (((-25, 6, 3), O), ((48, 61, -4), (40, 30, 0)), ((44, 9, 1), (40, 9, 0))):
        model = asm.Assembly()
        model.add("plate", grounded=True, features={"groove": track})
        model.add("pin", pose=asm.Pose(start))
        model.mate("path", "plate.groove", "pin.origin", name="m")
        solution = asm.solve(model)
        assert solution.outcome is asm.Outcome.SOLVED, solution.sentence
        np.testing.assert_allclose(solution.poses["pin"].position, at, atol=1e-6)
        assert len(solution.limits_reached) == (at[1] != 9)


def test_a_pin_started_beyond_the_end_of_its_slot_stops_there() -> None:
    for kind in ("slot", "pin_slot"):
        model = asm.Assembly()
        model.add("plate", grounded=True, features={"slot": asm.Frame((5, 0, 0), "z", "x")})
        model.add("bolt", pose=asm.Pose((60, 4, 0)))
        model.mate(kind, "plate.slot", "bolt.z", name="m", length=30.0)
        solution = asm.solve(model)
        assert solution.outcome is asm.Outcome.SOLVED, solution.sentence
        np.testing.assert_allclose(solution.poses["bolt"].position, (20, 0, 0), atol=1e-6)
        assert len(solution.limits_reached) == 1


@pytest.mark.compiled_only
def test_a_pin_driven_beyond_its_slot_contradicts_the_slot_by_name() -> None:
    model = asm.Assembly()
    model.add("plate", grounded=True, features={"slot": asm.Frame(O, "z", "x")})
    model.add("bolt", pose=asm.Pose((3, 4, 0)))
    model.mate("pin_slot", "plate.slot", "bolt.z", name="m", length=30.0)
    model.drive("push", "m", "length", value=17.5)
    solution = asm.solve(model)
    assert solution.outcome is asm.Outcome.CONFLICTING
    assert "push" in solution.sentence and "15" in solution.sentence


@pytest.mark.parametrize(
    ("at", "away"),
    [((7.5, 1.0, 0), 1.0), ((3.0, 0, 2.0), 2.0), ((12.0, 30.0, 0), 2.0), ((11.0, -1.0, 0), 2**0.5)],
)
@pytest.mark.parametrize("turn", [0.0, 140.0])
def test_what_a_point_is_told_to_be_off_a_polyline_is_its_distance(
    at: tuple[float, float, float], away: float, turn: float
) -> None:
    """Beside a side, near a corner, beyond the end, and outside the corner."""
    a, moved = asm.Assembly(), asm.Pose.from_axis((5.0, -3.0, 2.0), (1, 2, 3), turn)
    bend = asm.Curve([O, (10.0, 0, 0), (10.0, 10.0, 0)])
    a.add("rail", grounded=True, pose=moved, features={"bend": bend})
    a.add("pin", grounded=True, pose=moved, features={"tip": asm.Point(at)})
    a.mate("path", "rail.bend", "pin.tip", name="path")
    (told,) = asm.solve(a).mates
    assert told.residual_mm == pytest.approx(away, rel=1e-9)
    assert not told.holds
