"""Motions that meet at a singular pose, against linkages whose poses are known in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


@pytest.mark.parametrize(
    ("make", "words"),
    [
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
