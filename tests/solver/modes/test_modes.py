"""Assembly modes: how many there are, where they stand, and that their names stay.

The oracle is the geometry of circles and spheres, worked out here point by point; lengths in mm.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from mechanisms import (
    O,
    disturb,
    four_bar,
    moved,
    place,
    random_pose,
    rebuilt,
    rssr,
    stewart_ups,
    turned,
    worst_gap,
)

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.errors import UnknownMode
from assembly_solver.solver.modes.enumeration import modes_around
from benchmarks import families

SAMPLES = Path(__file__).parents[3] / "samples"
Z = (0.0, 0.0, 1.0)

CLOSE = 1e-7
"""What a point may be off, mm: a normal solve leaves 1e-9, and links multiply it."""


# ------------------------------------------------------------------ oracles


def meet(c1: complex, r1: float, c2: complex, r2: float, side: int) -> complex | None:
    """Where two circles meet, left (+1) or right (-1) of c1 -> c2, by the law of cosines."""
    d = abs(c2 - c1)
    cosine = (d * d + r1 * r1 - r2 * r2) / (2 * d * r1)
    if abs(cosine) > 1:
        return None
    angle = side * math.acos(cosine)
    return c1 + r1 * (c2 - c1) / d * complex(math.cos(angle), math.sin(angle))


def left_of(a: complex, b: complex, p: complex) -> str:
    """The sign of (a -> b) x (a -> p)."""
    return "+" if ((b - a).conjugate() * (p - a)).imag > 0 else "-"


def at(a: asm.Assembly, poses: Mapping[str, asm.Pose], reference: str) -> complex:
    """A feature's place in the plane z = 0."""
    x, y, z = place(a, poses, reference)[0]
    assert abs(z) < CLOSE
    return complex(x, y)


# ------------------------------------------------------------------ mechanisms


def bars(
    links: Mapping[str, Mapping[str, complex]], pins: Sequence[str], starts: Mapping[str, asm.Pose]
) -> asm.Assembly:
    """Plane links with named points, hinged where `pins` say ("crank.b coupler.b"); the first is
    the ground."""
    out = asm.Assembly("bars")
    for k, (name, points) in enumerate(links.items()):
        features = {p: asm.Axis((v.real, v.imag, 0.0), "z") for p, v in points.items()}
        out.add(name, features=features, grounded=k == 0, pose=starts.get(name, asm.Pose()))
    for pin in pins:
        out.mate("revolute", *pin.split(), name=pin)
    return out


def driven_four_bar(
    crank: float = 60.0, lengths: tuple[float, float, float, float] = (200, 60, 180, 120)
) -> asm.Assembly:
    """Ground, crank, coupler, rocker; the crank at an angle."""
    ground, short, coupler, rocker = lengths
    a = bars(
        {
            "ground": {"a": 0j, "d": ground + 0j},
            "crank": {"a": 0j, "b": short + 0j},
            "coupler": {"b": 0j, "c": coupler + 0j},
            "rocker": {"d": 0j, "c": rocker + 0j},
        },
        ["ground.a crank.a", "crank.b coupler.b", "coupler.c rocker.c", "ground.d rocker.d"],
        {"coupler": turned(Z, 20, (10, 40, 3)), "rocker": turned(Z, 110, (190, 5, 0))},
    )
    a.drive("motor", "ground.a crank.a", value=crank)
    return a


def watt() -> asm.Assembly:
    """Watt's six-bar: a second four-bar driven by the rocker of the first."""
    a = driven_four_bar()
    more = {"rod": {"e": 0j, "f": 150 + 0j}, "arm": {"g": 0j, "f": 90 + 0j}}
    a = bars(
        {
            "ground": {"a": 0j, "d": 200 + 0j, "g": 330 - 20j},
            **{n: _points(a, n) for n in ("crank", "coupler")},
            "rocker": {"d": 0j, "c": 120 + 0j, "e": 60 + 50j},
            **more,
        },
        [*a.mates, "rocker.e rod.e", "rod.f arm.f", "ground.g arm.g"],
        {
            "coupler": turned(Z, 20, (30, 50, 0)),
            "rocker": turned(Z, 110, (200, 0, 0)),
            "rod": turned(Z, 10, (150, 80, 0)),
            "arm": turned(Z, 70, (330, -20, 0)),
        },
    )
    a.drive("motor", "ground.a crank.a", value=60)
    return a


def _points(a: asm.Assembly, part: str) -> dict[str, complex]:
    axes = a.parts[part].features
    return {n: complex(*f.frame[:2]) for n, f in axes.items()}


def driven_rssr() -> asm.Assembly:
    a = rssr()
    a.drive("motor", "revolute 1", value=25)
    return a


MODELS: dict[str, Callable[[], asm.Assembly]] = {
    "four-bar": driven_four_bar,
    "watt": watt,
    "rssr": driven_rssr,
    "free four-bar": lambda: disturb(four_bar(), 1, 8, 5),
    "slider-crank": lambda: asm.read(SAMPLES / "slider_crank.assembly.json"),
    "excavator": lambda: asm.read(SAMPLES / "excavator.assembly.json"),
    "ladder": lambda: families.assembly(families.ladder(3, seed=1)),
    "scissor": lambda: families.assembly(families.scissor(2, seed=1)),
    "stewart": lambda: families.assembly(families.stewart(seed=1)),
}


SAMPLED = {"scissor": 1, "stewart": 4}
"""Models with groups, and how many modes are found in any order: far starts depend on rounding."""


def entered_anew(
    a: asm.Assembly, seed: int, rename: Callable[[str], str] = lambda name: f"the {name}!"
) -> asm.Assembly:
    """Parts and mates in another order and under other names, drivers too."""
    rng = np.random.default_rng(seed)
    parts, mates = list(a.parts), list(a.mates)
    rng.shuffle(parts)
    rng.shuffle(mates)
    out = rebuilt(a, parts, mates, rename)
    for d in a.drivers.values():
        if d.joint is not None:
            out.drive(d.name, rename(d.joint), d.coordinate, value=d.value)
        elif d.separation is not None:
            ends = [(rename(r.part), rename(r.feature)) for r in d.separation]
            out.drive(d.name, separation=(ends[0], ends[1]), value=d.value)
    return out


# ------------------------------------------------------------------ dyad chains


@pytest.mark.parametrize("crank", [10.0, 60.0, 140.0, 250.0])
def test_a_driven_four_bar_has_the_two_modes_of_two_circles(crank: float) -> None:
    a = driven_four_bar(crank)
    modes = asm.modes(a)
    assert [m.name for m in modes if m.complete] == sorted({"+", "-"}, key=modes_order(modes))
    b = 60 * complex(math.cos(math.radians(crank)), math.sin(math.radians(crank)))
    for m in modes:  # from the crank pin, which is farther from the ground, to the rocker's pivot
        c = meet(b, 180, 200, 120, 1 if m.name == "+" else -1)
        assert c is not None
        assert abs(at(a, m.poses, "coupler.c") - c) < CLOSE
        assert abs(at(a, m.poses, "rocker.c") - c) < CLOSE


def modes_order(modes: list[asm.Mode]) -> Callable[[str], int]:
    """Names in the order of a list."""
    return [m.name for m in modes].index


@pytest.mark.quick
def test_modes_come_with_the_nearest_to_the_start_first() -> None:
    a = driven_four_bar()
    near, far = asm.modes(a)
    assert near.name == asm.solve(a).mode
    assert near.distance < far.distance
    a.move(far.poses)
    assert [m.name for m in asm.modes(a)] == [far.name, near.name]
    assert asm.modes(a)[0].distance == pytest.approx(0.0, abs=CLOSE)


@pytest.mark.parametrize("name", ["four-bar", "watt", "rssr", "slider-crank", "stewart"])
def test_solving_in_a_mode_leads_to_it_and_says_so(name: str) -> None:
    a = MODELS[name]()
    for m in asm.modes(a)[:4]:
        solution = asm.solve(a, mode=m.name).require()
        assert solution.mode == m.name
        assert solution.residual < 1e-6
        assert max(worst_gap(solution.poses, m.poses)) < 1e-6


def test_a_slider_crank_has_its_piston_on_either_side_of_the_crank_pin() -> None:
    """Throw 50, rod 150, piston on the x axis: x = 50 cos t +- sqrt(150^2 - (50 sin t)^2)."""
    a = asm.read(SAMPLES / "slider_crank.assembly.json")
    (driver,) = a.drivers
    a.set_driver(driver, 50.0)
    found = {m.name: m for m in asm.modes(a)}
    t = math.radians(50)
    reach = math.sqrt(150**2 - (50 * math.sin(t)) ** 2)
    assert set(found) == {"+", "-"} and all(m.complete for m in found.values())
    for name, sign in (("+", 1), ("-", -1)):
        x, y, _ = place(a, found[name].poses, "piston.wrist pin")[0]
        assert abs(x - (50 * math.cos(t) + sign * reach)) < CLOSE
        assert abs(y) < CLOSE


@pytest.mark.quick
def test_watts_six_bar_has_four_modes() -> None:
    a = watt()
    modes = asm.modes(a)
    b = 60 * complex(0.5, math.sqrt(0.75))
    wanted = {}
    for first, second in itertools.product((1, -1), repeat=2):
        c = meet(b, 180, 200, 120, first)
        assert c is not None
        e = 200 + (c - 200) / 120 * (60 + 50j)  # on the rocker
        f = meet(e, 150, 330 - 20j, 90, second)
        if f is not None:
            wanted["".join("+" if s > 0 else "-" for s in (first, second))] = f
    assert {m.name for m in modes} == set(wanted)
    assert len(modes) == 4 and all(m.complete for m in modes)
    for m in modes:
        assert abs(at(a, m.poses, "arm.f") - wanted[m.name]) < CLOSE


def five_bar() -> asm.Assembly:
    """Two cranks on the ground, whose couplers meet."""
    return bars(
        {
            "ground": {"a": 0j, "e": 150 + 0j},
            "left": {"a": 0j, "b": 60 + 0j},
            "right": {"e": 0j, "d": 70 + 0j},
            "one": {"b": 0j, "c": 110 + 0j},
            "two": {"d": 0j, "c": 100 + 0j},
        },
        ["ground.a left.a", "ground.e right.e", "left.b one.b", "right.d two.d", "one.c two.c"],
        {"right": turned(Z, 70, (150, 0, 0)), "one": turned(Z, 40), "two": turned(Z, 100)},
    )


@pytest.mark.parametrize("geared", [False, True])
def test_a_five_bar_with_its_cranks_driven_or_geared_has_two_modes(geared: bool) -> None:
    a = five_bar()
    a.drive("one", "ground.a left.a", value=100)
    if geared:
        a.mate("gear", joints=("ground.a left.a", "ground.e right.e"), ratio=-1.0, constant=160.0)
    else:
        a.drive("two", "ground.e right.e", value=60)
    modes = asm.modes(a)
    b = 60 * np.exp(1j * math.radians(100))
    d = 150 + 70 * np.exp(1j * math.radians(60))
    points = sorted((at(a, m.poses, "one.c") for m in modes), key=lambda p: p.imag)
    wanted = [meet(b, 110, d, 100, side) for side in (-1, 1)]
    assert {m.name for m in modes} == {"+", "-"} and all(m.complete for m in modes)
    np.testing.assert_allclose(points, np.array(wanted), rtol=0, atol=CLOSE)


def triad(seed: int) -> tuple[asm.Assembly, list[complex], list[complex], list[float]]:
    """A plate on three legs in the plane: no dyad in it, and at most six modes.

    Returns also the feet, the joints on the plate, and the lengths of the legs.
    """
    rng = np.random.default_rng(seed)
    feet, joints = [0j, 200 + 0j, 100 + 180j], [0j, 90 + 0j, 40 + 70j]
    at, angle = complex(*rng.uniform(20, 150, 2)), rng.uniform(0, 6.28)
    tops = [at + np.exp(1j * angle) * p for p in joints]
    links = {
        "ground": {f"o{k}": feet[k] for k in range(3)},
        "plate": {f"p{k}": joints[k] for k in range(3)},
    }
    pins, starts = [], {"plate": turned(Z, math.degrees(angle), (at.real, at.imag, 0))}
    lengths = [abs(top - foot) for top, foot in zip(tops, feet, strict=True)]
    for k in range(3):
        links[f"leg{k}"] = {"o": 0j, "p": complex(lengths[k])}
        pins += [f"ground.o{k} leg{k}.o", f"plate.p{k} leg{k}.p"]
        along = math.degrees(np.angle(tops[k] - feet[k]))
        starts[f"leg{k}"] = turned(Z, along, (feet[k].real, feet[k].imag, 0))
    return bars(links, pins, starts), feet, joints, lengths


@pytest.mark.parametrize("seed", [6, 10, 11])
def test_the_modes_of_a_triad_are_all_found(seed: int) -> None:
    """The oracle rotates leg 0, closes leg 1 by circles, and searches where leg 2 fits."""
    a, feet, joints, lengths = triad(seed)
    wanted = []
    for side in (1, -1):
        before: float | None = None
        for t in np.linspace(0, 2 * math.pi, 4001):
            p0 = feet[0] + lengths[0] * np.exp(1j * t)
            p1 = meet(p0, abs(joints[1]), feet[1], lengths[1], side)
            off = None
            if p1 is not None:
                turn = (p1 - p0) / joints[1]
                off = abs(p0 + turn * joints[2] - feet[2]) - lengths[2]
                if before is not None and before * off < 0:
                    wanted.append(turn)
            before = off
    modes = asm.modes(a)
    turns = [complex(*m.poses["plate"].rotation[:2, 0]) for m in modes]
    assert len(modes) == len(wanted) == 4
    for turn in wanted:
        assert min(abs(turn - t) for t in turns) < 0.02  # steps of 0.0016 rad on the leg
    assert len({m.name for m in modes}) == 4
    assert all(m.complete for m in modes)


def test_a_parallelogram_at_its_change_point_has_one_mode_of_sign_0() -> None:
    sides = (180.0, 60.0, 180.0, 60.0)
    flat = driven_four_bar(0.0, sides)
    flat.move({"coupler": asm.Pose((60, 0, 0)), "rocker": asm.Pose((180, 0, 0))})
    assert [m.name for m in asm.modes(flat)] == ["0"] == [asm.solve(flat).mode]
    near = driven_four_bar(5.0, sides)
    assert {m.name for m in asm.modes(near)} == {"+", "-"}  # parallelogram, antiparallelogram


def test_a_hinge_driven_by_a_separation_opens_to_either_side() -> None:
    """A cylinder that is no part, only a distance: a triangle of 100, 80 and 50 mm."""
    a = asm.Assembly("boom")
    foot = {"pin": asm.Axis(O, "z"), "anchor": asm.Point((100, 0, 0))}
    a.add("frame", grounded=True, features=foot)
    eye = {"pin": asm.Axis(O, "z"), "eye": asm.Point((80, 0, 0))}
    a.add("boom", features=eye, pose=turned(Z, 40))
    a.mate("revolute", "frame.pin", "boom.pin")
    a.drive("cylinder", separation=("frame.anchor", "boom.eye"), value=50)
    modes = asm.modes(a)
    angle = math.acos((100**2 + 80**2 - 50**2) / (2 * 100 * 80))
    assert [m.name for m in modes] == ["+", "-"]
    for m, side in zip(modes, (1, -1), strict=True):
        wanted = 80 * complex(math.cos(angle), side * math.sin(angle))
        assert abs(at(a, m.poses, "boom.eye") - wanted) < CLOSE


# ------------------------------------------------------------------ the excavator


def reachable(boom: float, bucket: float) -> set[str]:
    """Signs of A, E, Q, G for which the circles of docs/theory/planar.md, 9, meet, one by one."""
    out = set()
    for signs in itertools.product((1, -1), repeat=4):
        tip = meet(0, abs(1300 - 250j), 500 - 500j, boom, signs[0])
        if tip is None:
            continue
        turn = tip / (1300 - 250j)
        b, c, d = (turn * p for p in (1500 + 350j, 2200 + 250j, 3000 + 0j))
        e = meet(-300 + 500j, bucket, b, 500, signs[1])
        if e is None:
            continue
        # the rocker is turned over: E lies 55 degrees ahead of F seen from B
        f = b + (e - b) / 500 * 450 * np.exp(-1j * math.radians(55))
        q = meet(f, 580, c, 480, signs[2])
        g = None if q is None else meet(q, 900, d, 500, signs[3])
        if g is not None:
            out.add("".join("+" if s > 0 else "-" for s in signs))
    return out


@pytest.mark.parametrize("lengths", [(1075.0, 1265.0), (1250.0, 1500.0)])
def test_the_excavator_has_every_mode_that_its_circles_have(lengths: tuple[float, float]) -> None:
    """And with each of them either end of its three cylinders in front."""
    a = asm.read(SAMPLES / "excavator.assembly.json")
    a.set_driver("boom cylinder", lengths[0])
    a.set_driver("bucket cylinder", lengths[1])
    modes = asm.modes(a)
    found: dict[str, int] = {}
    for m in modes:
        assert m.complete
        signs = excavator_signs(a, m.poses)
        found[signs] = found.get(signs, 0) + 1
    assert set(found) == reachable(*lengths)
    assert set(found.values()) == {2**3}
    assert len({m.name for m in modes}) == len(modes)


def excavator_signs(a: asm.Assembly, poses: Mapping[str, asm.Pose]) -> str:
    """A, E, Q, G by the cross products of docs/theory/planar.md, 9."""

    def pin(part: str, feature: str) -> complex:
        return complex(*place(a, poses, (part, feature))[0, :2])

    q, g = pin("idler rocker", "link pin"), pin("push rod", "bracket pin")
    return "".join(
        left_of(*points)
        for points in (
            (0j, 500 - 500j, pin("boom", "boom rod pin")),
            (-300 + 500j, pin("boom", "bucket rocker pin"), pin("bucket rocker", "rod pin")),
            (pin("bucket rocker", "link pin"), pin("boom", "idler pin"), q),
            (q, pin("boom", "bracket pin"), g),
        )
    )


def test_each_mode_of_the_excavator_holds_all_105_equations() -> None:
    a = asm.read(SAMPLES / "excavator.assembly.json")
    for m in asm.modes(a):
        there = a.copy()
        there.move(m.poses)
        solution = asm.solve(there)
        assert solution.counts.iterations == 0  # it holds as it stands
        assert (solution.diagnosis.equations, solution.mode) == (105, m.name)
        assert all(mate.residual_mm < 1e-6 for mate in solution.mates)


def test_the_excavator_works_in_the_mode_of_its_drawing() -> None:
    a = asm.read(SAMPLES / "excavator.assembly.json")
    solution = asm.solve(a)
    assert excavator_signs(a, solution.poses) == "++++"
    assert solution.mode == "+++-+++"  # boom, its rods, rocker, its rod, link, push rod
    assert asm.modes(a)[0].name == solution.mode


# ------------------------------------------------------------------ in space


def test_a_driven_rssr_has_the_two_modes_of_circle_and_sphere() -> None:
    a = driven_rssr()
    modes = asm.modes(a)
    pivot, axis = np.array([300.0, 0, 30]), np.array([0, 1, 0.2]) / math.hypot(1, 0.2)
    arm = np.array([250.0, 40, 150]) - pivot
    foot = pivot + (arm @ axis) * axis
    radius = math.hypot(*(arm - (arm @ axis) * axis))
    t = math.radians(25)
    turn = np.array([[math.cos(t), -math.sin(t), 0], [math.sin(t), math.cos(t), 0], [0, 0, 1]])
    b = turn @ np.array([60.0, 30, 0])  # the frames' x axes are one at the start: zero there
    coupler = math.dist((60, 30, 0), (250, 40, 150))
    rise = (b - foot) @ axis
    across = (b - foot) - rise * axis
    d, r = float(np.linalg.norm(across)), math.sqrt(coupler**2 - rise**2)
    along = (d * d + radius**2 - r * r) / (2 * d)
    side = np.cross(axis, across / d) * math.sqrt(radius**2 - along**2)
    wanted = [foot + along * across / d + s * side for s in (1, -1)]
    assert {m.name for m in modes} == {"+", "-"} and all(m.complete for m in modes)
    for m in modes:
        balls = [place(a, m.poses, (part, "spherical 3"))[0] for part in ("coupler", "rocker")]
        for ball in balls:
            assert min(float(np.abs(ball - w).max()) for w in wanted) < CLOSE
    assert np.abs(balls[0] - place(a, modes[0].poses, ("rocker", "spherical 3"))[0]).max() > 1


@pytest.mark.parametrize("name", ["stewart", "6-UPS"])
def test_the_modes_of_a_platform_on_fixed_legs_are_told_apart(name: str) -> None:
    a = MODELS["stewart"]() if name == "stewart" else stewart_ups()
    if name == "6-UPS":
        for k in range(6):
            a.drive(f"leg {k}", f"slide {k}", value=0)  # as they stand, from lower to upper ball
            length = asm.solve(rebuilt(stewart_ups())).poses  # where they stand
            gap = math.dist(length[f"lower {k}"].position, length[f"upper {k}"].position)
            a.set_driver(f"leg {k}", gap)
    modes = asm.modes(a)
    assert len(modes) >= 4
    assert len({m.name for m in modes}) == len(modes)
    assert all(m.complete == (name == "stewart") for m in modes)
    top = "top"
    heights = [m.poses[top].position for m in modes]
    for one, two in itertools.combinations(range(len(modes)), 2):
        p, q = modes[one].poses[top], modes[two].poses[top]
        off = math.dist(heights[one], heights[two]) + 100 * np.abs(p.rotation - q.rotation).max()
        assert off > 0.01
    for m in modes:
        there = a.copy()
        there.move(m.poses)
        assert asm.solve(there).residual < 1e-6


# ------------------------------------------------------------------ names


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", MODELS)
def test_names_do_not_depend_on_order_names_or_place(name: str, seed: int) -> None:
    a = MODELS[name]()
    wanted = {m.name: m.distance for m in asm.modes(a)}
    by = random_pose(np.random.default_rng(seed))
    other = moved(entered_anew(a, seed), by)
    found = {m.name: m.distance for m in asm.modes(other)}
    if name in SAMPLED:  # the nearest ones at least
        wanted = {n: wanted[n] for n in list(wanted)[: SAMPLED[name]]}
        found = {n: found[n] for n in wanted if n in found}
    assert found == pytest.approx(wanted, rel=1e-5, abs=1e-5)


def test_modes_without_a_loop_are_none() -> None:
    a = families.assembly(families.chain(3))
    assert asm.modes(a) == []
    assert asm.solve(a).mode is None


def test_an_unsolved_assembly_has_no_mode() -> None:
    a = asm.read(SAMPLES / "bad_lid.assembly.json")
    solution = asm.solve(a, mode="+")
    assert not solution
    assert (solution.mode, solution.mode_switched_from) == (None, None)
    with pytest.raises(asm.Unsolved):
        asm.modes(a)


# ------------------------------------------------------------------ asking for a mode


def test_a_name_that_cannot_be_is_an_error_that_lists_the_modes() -> None:
    with pytest.raises(UnknownMode, match=r"^no mode '\+-'; there are [+-], [+-]$"):
        asm.solve(driven_four_bar(), mode="+-")
    with pytest.raises(UnknownMode, match="there is none: no loop"):
        asm.solve(families.assembly(families.chain(3)), mode="+")


def test_a_mode_out_of_reach_is_not_solved_and_says_so() -> None:
    a = asm.read(SAMPLES / "excavator.assembly.json")
    assert not any(signs[0] == "-" for signs in reachable(1075, 1265))
    solution = asm.solve(a, mode="-++-+++")
    assert solution.outcome is asm.Outcome.NOT_CONVERGED
    assert "mode -++-+++ cannot be reached here; there is +++-+++, " in solution.sentence
    assert (solution.mode, solution.to_dict()["mode"]) == (None, None)
    with pytest.raises(asm.Unsolved, match="cannot be reached"):
        _ = solution.poses


def test_a_switch_from_the_mode_of_the_start_is_told() -> None:
    a = disturb(driven_four_bar(), 34, 40, 60)

    def arm(part: str, outer: str) -> complex:
        start = {n: p.pose for n, p in a.parts.items()}
        ends = (place(a, start, f"{part}.{name}")[0] for name in ("c", outer))
        return complex(*(next(ends) - next(ends))[:2])

    start = left_of(0, arm("coupler", "b"), arm("rocker", "d"))  # as the links lie themselves
    solution = asm.solve(a).require()
    assert (start, solution.mode, solution.mode_switched_from) == ("-", "+", "-")
    assert solution.sentence.endswith("; mode +, the start was in -")
    chosen = asm.solve(a, mode="-").require()
    assert (chosen.mode, chosen.mode_switched_from) == ("-", None)  # as asked for
    chosen.apply()
    assert (asm.solve(a).mode, asm.solve(a).mode_switched_from) == ("-", None)


def scissor(stages: int, half: float) -> asm.Assembly:
    """Links of 100 mm crossed in their middles, `half` degrees above and below the horizontal;
    the angle of the first crossing is driven."""
    a, tall = asm.Assembly("scissor"), 100 * math.sin(math.radians(half))
    for k in range(stages):
        for name, side in ((f"up{k}", 1), (f"down{k}", -1)):
            features = {x: asm.Axis((v, 0, 0), "z") for x, v in (("l", -50), ("m", 0), ("r", 50))}
            pose = turned(Z, side * half, (0, (k + 0.5) * tall, 0))
            a.add(name, features=features, pose=pose, grounded=name == "up0")
        a.mate("revolute", (f"up{k}", "m"), (f"down{k}", "m"), name=f"m{k}")
        if k:
            a.mate("revolute", (f"down{k - 1}", "l"), (f"up{k}", "l"))
            a.mate("revolute", (f"up{k - 1}", "r"), (f"down{k}", "r"))
    a.drive("opening", "m0", "angle", value=-2 * half)
    return a


@pytest.mark.parametrize("opening", [10.0, 120.0, 140.0, 170.0])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_an_assembled_start_keeps_its_mode_when_a_driver_is_set_anew(
    stages: int, opening: float
) -> None:
    """A stage folded back onto its neighbour would be nearer for the larger openings."""
    a = scissor(stages, 30.0)
    a.set_driver("opening", -opening)
    solution = asm.solve(a).require()
    assert (solution.mode, solution.mode_switched_from) == ("+" * (stages - 1), None)
    foot, top = (place(a, solution.poses, f"up{k}.m")[0] for k in (0, stages - 1))
    tall = 100 * math.sin(math.radians(opening / 2)) * (stages - 1)
    assert math.dist(foot, top) == pytest.approx(tall, abs=CLOSE)


def test_from_a_wild_start_the_mode_is_the_nearest() -> None:
    """Links of the four-bar shifted by up to 40 mm and turned by up to 60 degrees about each axis:
    where that leads past a dead point, only a small turn may stay there."""
    switched = 0
    for seed in range(28, 40):
        a = disturb(driven_four_bar(), seed, 40, 60)
        solution = asm.solve(a)
        if not solution:
            continue
        nearest = asm.modes(a)[0]
        if solution.mode != nearest.name:
            switched += 1
            turns = (worst_gap({n: solution.poses[n]}, {n: a.pose(n)})[1] for n in a.parts)
            assert max(turns) < math.acos(0.7) + 1e-9
    assert switched <= 2


def test_the_command_line_solves_in_a_mode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = SAMPLES / "four_bar.assembly.json", tmp_path / "other.assembly.json"
    assert cli.main(["solve", str(file), "--mode", "-", "-o", str(out), "--json"]) == cli.HOLDS
    result = json.loads(capsys.readouterr().out)
    assert (result["outcome"], result["mode"]) == ("solved", "-")
    assert cli.main(["solve", str(out), "--json"]) == cli.HOLDS
    again = json.loads(capsys.readouterr().out)
    assert again["mode"] == "-"
    assert again["counts"]["iterations"] == 0
    assert cli.main(["solve", str(file), "--mode", "++"]) == cli.WRONG
    assert capsys.readouterr().err.strip() == "error: no mode '++'; there are +, -"


@pytest.mark.parametrize(("sample", "mode"), [("four_bar", "+"), ("excavator", "+++-+++")])
def test_the_samples_print_their_mode(
    sample: str, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(SAMPLES / f"{sample}.assembly.json")
    assert cli.main(["solve", file]) == cli.HOLDS
    assert f"; mode {mode}\n" in capsys.readouterr().out
    assert cli.main(["analyse", file]) == cli.HOLDS
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert [r for r in rows if r and r[0] == mode and r[-1] == "here"]


# ------------------------------------------------------------------ two bodies tied by distances
HEXAGON, SEATS = (
    [(r * math.cos(t), r * math.sin(t), 0.0) for t in np.radians(angles)]
    for r, angles in ((100.0, [0, 50, 120, 170, 240, 290]), (40.0, [20, 35, 140, 155, 260, 275]))
)


def six_distances() -> asm.Assembly:
    """A plate over a base, both flat, on six legs: what closes above closes below, mirrored."""
    at = asm.Pose.from_axis((5.0, -8.0, 70.0), (0.3, 0.2, 1.0), 25.0)
    a = asm.Assembly()
    feet = {f"p{k}": asm.Point(p) for k, p in enumerate(HEXAGON)}
    a.add("base", grounded=True, features=feet)
    a.add("plate", pose=at, features={f"p{k}": asm.Point(p) for k, p in enumerate(SEATS)})
    heads = at.apply(np.array(SEATS))
    for k, head in enumerate(heads):
        length = float(np.linalg.norm(head - np.array(HEXAGON[k])))
        a.mate("distance", f"base.p{k}", f"plate.p{k}", value=length, name=f"leg {k}")
    return a


def test_two_bodies_tied_by_six_distances_have_modes() -> None:
    a = six_distances()
    modes = asm.modes(a)
    assert modes[0].complete
    assert (modes[0].name, modes[0].poses["plate"]) == ("++++++", a.pose("plate"))
    heads = a.pose("plate").apply(np.array(SEATS))
    below = {m.name: m.poses["plate"].apply(np.array(SEATS)) for m in modes if "+" not in m.name}
    away = {name: np.abs(points - heads * [1, 1, -1]).max() for name, points in below.items()}
    name = min(away, key=lambda n: away[n])
    assert away[name] < 1e-6
    solution = asm.solve(a, mode=name).require()
    assert solution.mode == name
    np.testing.assert_allclose(
        solution.poses["plate"].apply(np.array(SEATS)), heads * [1, 1, -1], atol=1e-6
    )


def test_a_search_for_one_name_does_not_forget_that_others_were_left_out() -> None:
    solution = asm.solve(asm.read(SAMPLES / "watt.assembly.json"))
    search = modes_around(solution.plan, solution.frames).searched(2)
    assert search.named(search.all[0].name) is not None
    assert search.why == "of many only the 2 nearest were followed" and not search.complete
