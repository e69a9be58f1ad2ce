"""Motions that meet at a singular pose, against linkages whose poses are known in closed form."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from itertools import combinations, product

import numpy as np
import pytest
from mechanisms import O, bennett, linkage, moved, parallelogram, sarrus, turned

import assembly_solver as asm
from assembly_solver.diagnosis.singularity import NearbyMobility, probed_components

pytestmark = pytest.mark.quick

Make = Callable[[], asm.Assembly]
Hinge = tuple[str, str, str, Sequence[float], Sequence[float]]

Z = (0.0, 0.0, 1.0)


def near(a: asm.Assembly) -> NearbyMobility:
    (found,) = probed_components(asm.solve(a).require().diagnosis)
    return found


def told(a: asm.Assembly) -> list[tuple[int, int, bool, bool]]:
    """Freedoms, those of first order, cusp and cone of each motion that meets."""
    return [(b.dof, b.first_order, b.cusp, b.cone) for b in near(a).branches or ()]


def hinged(name: str, hinges: list[Hinge]) -> asm.Assembly:
    parts = [part for _, a, b, _, _ in hinges for part in (a, b)]
    return linkage(name, dict.fromkeys(parts, asm.Pose()), hinges)


def chain(*ways: float) -> asm.Assembly:
    """Bars in line along x, each with its length and its way, on pins at both ends."""
    names = ["frame", *(f"bar {k + 1}" for k in range(len(ways))), "frame"]
    at = [(float(x), 0.0, 0.0) for x in (0.0, *np.cumsum(ways))]
    ends = zip(names, names[1:], at, strict=False)
    return hinged("chain", [("revolute", one, two, p, Z) for one, two, p in ends])


def fan(dyads: int) -> asm.Assembly:
    """Folded dyads of two bars of 60 mm from one pin to another one; they lie on each other."""
    hinges: list[Hinge] = []
    for k in range(dyads):
        hinges.append(("revolute", "frame", f"in {k}", O, Z))
        hinges.append(("revolute", f"in {k}", f"out {k}", (60.0, 0.0, 0.0), Z))
    hinges += [("revolute", "out 0", f"out {k}", O, Z) for k in range(1, dyads)]
    return hinged("fan", hinges)


def rhombi() -> asm.Assembly:
    """Three legs of 100 mm in a row, a bar of 100 mm from each to the next, all in line."""
    hinges: list[Hinge] = []
    for k in range(3):
        hinges.append(("revolute", "frame", f"leg {k}", (100.0 * k, 0.0, 0.0), Z))
    for k in range(2):
        hinges.append(("revolute", f"leg {k}", f"bar {k}", (100.0 * k + 100.0, 0.0, 0.0), Z))
        hinges.append(("revolute", f"bar {k}", f"leg {k + 1}", (100.0 * k + 200.0, 0.0, 0.0), Z))
    return hinged("rhombi", hinges)


def two_watts() -> asm.Assembly:
    """A bar of 100 mm between the middles of two Watt linkages that bend to opposite sides."""
    hinges: list[Hinge] = []
    for k, (x, side) in enumerate(((0.0, 10.0), (100.0, -10.0))):
        left, link, right = (f"{name} {k}" for name in ("left", "link", "right"))
        hinges += [
            ("revolute", "frame", left, (x - 50.0, -side, 0.0), Z),
            ("revolute", left, link, (x, -side, 0.0), Z),
            ("revolute", link, right, (x, side, 0.0), Z),
            ("revolute", right, "frame", (x + 50.0, side, 0.0), Z),
            ("revolute", link, "bar", (x, 0.0, 0.0), Z),
        ]
    return hinged("two Watts", hinges)


BASE, SIDE, CRANK = 90.0, 60.0, 30.0
"""Bars of Wunderlich's linkage, mm, ten times CuikSuite's (docs/theory/higher_order.md)."""

Corners = dict[tuple[int, ...], complex]


def box(lift: complex, turn: float, crank: float, lifted: float) -> Corners:
    """Corners of a box laid into the plane: two parallelograms of base and crank, tied by sides.

    Args:
        lift: way of the first side, mm; turn: of the second base from the first one, rad.
        crank, lifted: directions of the cranks in the first and second parallelogram, rad.
    """
    one = BASE * np.array([1.0, cmath.exp(1j * turn)])
    two = CRANK * np.exp(1j * np.array([crank, lifted]))
    return {(i, j, k): j * lift + i * one[j] + k * two[j] for i, j, k in product((0, 1), repeat=3)}


def antiparallelograms(half: float) -> Corners:
    """The motion of 1 freedom, by half of the angle between its cranks, rad.

    The ways A and C that the ends of a base and of a crank move against the first parallelogram are
    at right angles, and A^2 + C^2 = (2 SIDE)^2; the first side is - (A + C) / 2.
    """
    turn = 2.0 * math.asin(math.sqrt(SIDE**2 - (CRANK * math.sin(half)) ** 2) / BASE)
    middle = (turn + math.pi) / 2.0
    directions = CRANK * np.exp(1j * np.array([middle - half, middle + half]))
    lift = -(BASE * (cmath.exp(1j * turn) - 1.0) + directions[1] - directions[0]) / 2.0
    return box(lift, turn, middle - half, middle + half)


def edges(corners: Corners) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(p, q) for p, q in combinations(corners, 2) if np.abs(np.subtract(p, q)).sum() == 1]


def wunderlich(corners: Corners) -> asm.Assembly:
    """The twelve edges of a box as bars, with pins at its corners."""
    names = ["frame", *(f"bar {k}" for k in range(1, 12))]
    bars = dict(zip(names, edges(corners), strict=True))
    hinges: list[Hinge] = []
    for corner, at in corners.items():
        first, *others = (name for name, ends in bars.items() if corner in ends)
        hinges += [("revolute", first, b, (at.real, at.imag, 0.0), Z) for b in others]
    return hinged("Wunderlich", hinges)


def balls_in_line() -> asm.Assembly:
    ends = (("frame", "one", 0.0), ("one", "two", 50.0), ("frame", "two", 100.0))
    return hinged("balls", [("spherical", a, b, (x, 0.0, 0.0), Z) for a, b, x in ends])


SMOOTH = (False, False)


@pytest.mark.parametrize(
    ("make", "here", "motions"),
    [
        (parallelogram, 2, [(1, 1, *SMOOTH)] * 2),  # parallel and crossed
        (lambda: chain(60, -60, 100), 2, [(1, 1, *SMOOTH)] * 2),  # a kite, or two bars on a pin
        (lambda: chain(30, -70, 90, 40), 3, [(2, 2, False, True)]),
        (lambda: chain(30, -70, 90, 40, -50), 4, [(3, 3, False, True)]),
        (lambda: fan(2), 3, [(2, 2, *SMOOTH)] * 2),
        (lambda: fan(3), 4, [(3, 3, *SMOOTH), (2, 2, *SMOOTH)]),
        (lambda: fan(4), 5, [(4, 4, *SMOOTH), (2, 2, *SMOOTH)]),
        (two_watts, 2, [(1, 1, True, False)]),
        (balls_in_line, 4, [(2, 4, *SMOOTH)]),  # each bar spins; the ball between cannot leave
    ],
)
def test_the_motions_that_meet_are_those_of_the_closed_form(
    make: Make, here: int, motions: list[tuple[int, int, bool, bool]]
) -> None:
    found = near(make())
    assert found.here == here and found.moves and found.shown_by == "followed motions"
    assert [(b.dof, b.first_order, b.cusp, b.cone) for b in found.branches or ()] == motions
    assert found.around == tuple(sorted({dof for dof, *_ in motions}))


def test_two_rhombi_in_a_row_leave_the_line_in_three_ways_one_of_them_shaky() -> None:
    """Legs turn by t, t, t, by 0, t, t or by 0, 0, t: then the first rhombus stays in line."""
    assert sorted(told(rhombi())) == [(1, 1, *SMOOTH), (1, 1, *SMOOTH), (1, 2, *SMOOTH)]
    (loop,) = asm.mobility(rhombi()).loops
    still = [sorted({*loop.parts} - {*mode["parts"]}) for mode in loop.modes]
    assert sorted(still) == [[], ["bar 0", "leg 0", "leg 1"], ["leg 0"]]


def test_a_kite_leaves_the_line_open_or_with_two_bars_on_one_pin() -> None:
    found = asm.mobility(chain(60, -60, 100))
    (loop,) = found.loops
    moving = sorted(sorted(mode["parts"]) for mode in loop.modes)
    assert moving == [["bar 1", "bar 2"], ["bar 1", "bar 2", "bar 3"]]
    assert "  2 motions meet here, each with 1 degree of freedom" in str(found).splitlines()


@pytest.mark.parametrize("half", [0.3, 0.9, 2.0])
def test_two_antiparallelograms_of_wunderlich_hold_the_equation_of_wohlhart(half: float) -> None:
    """Wohlhart 1996, as CuikSuite quotes it; both angles are from the side, one the other way."""
    at = antiparallelograms(half)
    for p, q in edges(at):
        length = np.array([BASE, SIDE, CRANK]) @ np.subtract(q, p)
        assert abs(at[q] - at[p]) == pytest.approx(length, abs=1e-12)
    phi, psi = (cmath.phase(at[end] / at[0, 1, 0]) for end in ((1, 0, 0), (0, 0, 1)))
    phi, psi = math.tan(phi / 2.0), math.tan(-psi / 2.0)
    k, m = (BASE + SIDE) / (BASE - SIDE), (CRANK + SIDE) / (CRANK - SIDE)
    left = m * psi**2 * (1.0 - k * phi**2) + phi * psi * (1.0 + k + m + k * m) + k * phi**2 - 1.0
    assert left == pytest.approx(0.0, abs=1e-12 * (1.0 + psi**2 * phi**2))


def test_of_wunderlichs_bars_driven_only_the_circuit_of_the_start_is_told() -> None:
    """In the motion of two freedoms one is left that the driver does not hold: samples of it were
    followed and cut to thousands of circuits."""
    a = wunderlich(antiparallelograms(0.9))
    a.drive("motor", next(iter(a.mates)), "angle")
    found = asm.linkage(a).circuits("motor")
    assert [c.start for c in found] == [True] and not found.complete
    assert found.words.endswith(
        "other positions move while the input stands still at motor 0 deg: "
        "only the circuit of the start is told"
    )


def test_wunderlichs_twelve_bars_go_from_one_freedom_to_two() -> None:
    """Where cranks and sides are in line they may stay so, and the base turns as it likes."""
    found = near(wunderlich(antiparallelograms(0.0)))
    assert (found.here, found.around) == (3, (1, 2))
    assert [(b.dof, b.first_order, b.cusp) for b in found.branches or ()] == [
        (2, 2, False),
        (1, 1, False),
    ]
    way = BASE * (cmath.exp(1j) - 1.0)  # of the base's end, and the side leans by as much each way
    lift = way * (-0.5 + 1j * math.sqrt((SIDE / abs(way)) ** 2 - 0.25))
    for corners, freedoms in (
        (antiparallelograms(0.9), 1),  # two parallelograms, four antiparallelograms
        (box(lift, 1.0, 0.4, 0.4), 2),  # four and two
        (box(SIDE * 1j, 0.0, 0.4, 0.4), 2),  # six
    ):
        told = asm.mobility(wunderlich(corners))
        assert (told.here, told.finite) == (freedoms, freedoms)


def telescope(out: float, turn: float) -> asm.Assembly:
    """One loop: two crossed hinges at the origin, a slide along the second link, a ball at its end,
    and a carriage below that on a slide along x; the ball may stand for three hinges.

    With s the length of the telescope and u its direction, s u has to lie on x.  Either u does, and
    s is free: 1 freedom; or s = 0, the ball stands on the cross, and u turns as it likes: 2
    freedoms.  Both hold where s = 0 and u is along x: there they meet, and as the derivative of
    s u across x vanishes, s and both angles are free to first order: 3.  Two lines of proof, so
    the linkage is kinematotropic.

    Args:
        out: s, mm; turn: of u from x about z, degrees.
    """
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return hinged(
        "telescope",
        [
            ("revolute", "frame", "fork", O, Z),
            ("revolute", "fork", "sleeve", O, (-s, c, 0.0)),
            ("prismatic", "sleeve", "rod", O, (c, s, 0.0)),
            ("spherical", "rod", "carriage", (out * c, out * s, 0.0), Z),
            ("prismatic", "carriage", "frame", O, (1.0, 0.0, 0.0)),
        ],
    )


def test_a_telescope_on_a_cross_goes_from_one_freedom_to_two() -> None:
    found = near(telescope(0.0, 0.0))
    assert (found.here, found.around) == (3, (1, 2))
    for out, turn, freedoms in ((50.0, 0.0, 1), (0.0, 40.0, 2), (0.0, -110.0, 2)):
        told, solved = asm.mobility(telescope(out, turn)), asm.solve(telescope(out, turn))
        assert (told.here, told.finite, solved.singular) == (freedoms, freedoms, [])


def on_legs(
    feet: Sequence[Sequence[float]], aside: float = 0.0, noise: float = 0.0
) -> asm.Assembly:
    """A plate on equal parallel rods of 100 mm or more between balls, as high, some way aside.

    All rods parallel: the plate goes round on a sphere and keeps its directions, 2 freedoms.  Six
    parallel lines with their feet in a plane have rank 3, so 3 are of first order.  Let it turn by
    R and the middle be at t: |(R - 1)p + t| is the same for all feet p.  Where five of these are on
    a circle, and on no other conic therefore, |(R - 1)p|^2 is the same in all directions of the
    plane, so that R turns about its normal, and t is along it: rods across the plane, 1 freedom.
    Its rods are on a hyperboloid, again with rank 3.  Other feet admit R = 1 only.

    Args:
        feet: x, y; aside: of the plate from above the feet along x; noise: of all points, mm.
    """
    a, rng = asm.Assembly("legs"), np.random.default_rng(1)
    tips = [(x + aside, y, 100.0) for x, y in feet]
    for name, ends in (("base", [(x, y, 0.0) for x, y in feet]), ("plate", tips)):
        points = np.array(ends) + noise * rng.normal(size=(len(feet), 3))
        features = {f"p{k}": asm.Point(tuple(p)) for k, p in enumerate(points.tolist())}
        a.add(name, grounded=name == "base", features=features)
    for k in range(len(feet)):
        a.mate("distance", f"base.p{k}", f"plate.p{k}", value=math.hypot(100.0, aside))
    return a


CIRCLE = [
    (80 * math.cos(t), 80 * math.sin(t)) for t in np.radians((0, 50, 110, 170, 240, 300)).tolist()
]
ANYHOW = [(80, 0), (20, 70), (-60, 50), (-30, -20), (10, -80), (50, 20)]


@pytest.mark.parametrize(
    ("feet", "aside", "motions"),
    [
        (CIRCLE, 0.0, [(2, 3, False, False), (1, 3, False, False)]),
        (CIRCLE, 30.0, [(2, 3, False, False)]),
        (ANYHOW, 0.0, [(2, 3, False, False)]),
        (ANYHOW, -40.0, [(2, 3, False, False)]),
    ],
)
def test_a_plate_on_parallel_legs_goes_round_or_where_these_are_on_a_circle_twists(
    feet: Sequence[Sequence[float]], aside: float, motions: list[tuple[int, int, bool, bool]]
) -> None:
    """Both are shaky throughout, with the same freedoms of first order: one hid the other."""
    assert told(on_legs(feet, aside)) == motions
    assert told(moved(on_legs(feet, aside), turned((1, -2, 0.5), 70, (3, 40, -5)))) == motions


def test_a_plate_on_legs_that_are_equal_but_for_noise_stays_and_moves_as_if_they_were() -> None:
    """Off by 1e-6 mm, no far pose at which they meet exactly is looked for: it was 141 mm away."""
    a = on_legs(ANYHOW, -40.0, 1e-6)
    solution = asm.solve(a).require()
    assert np.abs(solution.poses["plate"].position).max() <= 1e-5
    assert (asm.mobility(a).here, asm.mobility(a).finite) == (3, 2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: telescope(0.0, 0.0),
            "2 motions meet here, with 2 and 1 degrees of freedom: kinematotropic",
        ),
        (lambda: fan(3), "2 motions meet here, with 3 and 2 degrees of freedom: kinematotropic"),
        (
            two_watts,
            "one motion leaves this pose, with 1 degree of freedom; "
            "both its ends leave in one direction, a cusp",
        ),
        (
            balls_in_line,
            "one motion leaves this pose, with 2 degrees of freedom; "
            "2 more of first order only stay with it, it is shaky",
        ),
        (
            lambda: chain(30, -70, 90, 40),
            "one motion leaves this pose, with 2 degrees of freedom; its directions form a cone",
        ),
    ],
)
def test_what_meets_is_said_in_a_sentence(make: Make, words: str) -> None:
    (entry,) = asm.solve(make()).singular
    assert entry["meeting"] == words


@pytest.mark.parametrize("make", [bennett, sarrus])
def test_what_moves_by_its_dimensions_is_finite_because_all_ways_close(make: Make) -> None:
    found = near(make())
    assert (found.shown_by, found.branches, found.around) == ("ways that close", None, (1,))
    assert [c.shown_by for c in asm.mobility(make()).loops] == ["ways that close"]


@pytest.mark.parametrize("scale", [1e-2, 1e2])
def test_motions_that_meet_are_the_same_in_any_unit_and_anywhere(scale: float) -> None:
    ways = [scale * way for way in (30, -70, 90, 40)]
    placed = moved(chain(*ways), turned((1, 2, 3), 40, (30, 20, 10)))
    assert told(placed) == [(2, 2, False, True)]
