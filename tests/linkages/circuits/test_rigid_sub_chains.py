"""Links that hold each other rigidly, as three bars of a triangle, put together in every way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.linkages.circuits.circuit import Branch, Circuits

FOUR_BAR = {"A": (0.0, 0.0), "B": (21.0, 21.0), "C": (70.0, 49.0), "D": (70.0, 0.0)}
"""A crank-rocker: links of about 70, 30, 56 and 49 mm."""

FOUR_LINKS = {"frame": "A D", "crank": "A B", "coupler": "B C", "rocker": "D C"}


def linkage(pins: dict[str, tuple[float, float]], links: dict[str, str]) -> asm.Linkage:
    m = asm.Assembly("sub-chain")
    m.pins(**FOUR_BAR | pins)
    for name, own in links.items():
        m.link(name, own, grounded=True) if name == "frame" else m.link(name, own)
    m.drive("turn", at="A", angle=(0, 360), links=["frame", "crank"])
    return asm.linkage(m)


def circuits(pins: dict[str, tuple[float, float]], links: dict[str, str]) -> Circuits:
    return linkage(pins, links).circuits()


def area(of: asm.Linkage, branch: Branch, *names: str) -> NDArray[np.float64]:
    """Twice the area of three points, positive where they are counterclockwise, (states,), mm2."""
    at = branch.positions[[of.scheme.points.index(name) for name in names]]
    one, two, three = at[:, 0] + 1j * at[:, 1]
    out: NDArray[np.float64] = (np.conj(two - one) * (three - one)).imag
    return out


@pytest.mark.quick
def test_a_coupler_of_three_bars_is_put_together_mirrored_as_well() -> None:
    given = linkage({"E": (40.0, 80.0)}, FOUR_LINKS | {"left": "B E", "right": "E C"})
    found = given.circuits()
    assert found.complete and found.words == ""
    branches = [b for c in found for b in c.branches]
    assert [b.sides for b in branches] == ["C +, E +", "C +, E -", "C -, E +", "C -, E -"]
    drawn = 49.0 * 59.0 - 28.0 * 19.0
    for b in branches:
        np.testing.assert_allclose(area(given, b, *"BCE"), b.signs["E"] * drawn, rtol=1e-9)


def test_bars_that_hang_on_a_link_alone_are_mirrored_as_well() -> None:
    links = FOUR_LINKS | {"coupler": "B C E", "left": "E F", "right": "F C"}
    found = circuits({"E": (40.0, 80.0), "F": (75.0, 80.0)}, links)
    assert found.complete
    assert [b.sides for c in found for b in c.branches] == [
        "C +, F +",
        "C +, F -",
        "C -, F +",
        "C -, F -",
    ]


def test_a_link_with_a_rocker_at_the_apex_of_its_bars_moves_differently_mirrored() -> None:
    """The rocker of 70 mm carries the apex; C, where nothing else is, may be on either side."""
    pins = {"C": (55.0, 20.0), "E": (60.0, 69.0)}
    links = {"frame": "A D", "crank": "A B", "base": "B C", "left": "B E", "right": "E C"}
    found = circuits(pins, links | {"rocker": "E D"})
    assert found.complete and {b.sides for c in found for b in c.branches} == {
        f"E {e}, C {c}" for e in "+-" for c in "+-"
    }


def test_two_links_on_two_pins_fit_in_one_way() -> None:
    """What is mirrored is the dyad of two bars that the second link carries with the first."""
    links = FOUR_LINKS | {"coupler": "B C E", "cover": "B E F", "left": "F G", "right": "G C"}
    found = circuits({"E": (40.0, 80.0), "F": (10.0, 60.0), "G": (60.0, 95.0)}, links)
    assert found.complete
    assert [sorted(b.signs) for c in found for b in c.branches] == 4 * [["C", "G"]]


@pytest.mark.quick
@pytest.mark.parametrize("own", ["B E", "A B", "A D"])
def test_a_point_of_a_second_plate_on_the_same_two_pins_moves_with_them(own: str) -> None:
    """On the coupler, the crank or the frame; a third plate shares two pins with both together."""
    pins = {"E": (40.0, 80.0), "F": (10.0, 60.0), "G": (60.0, 95.0)}
    links = FOUR_LINKS | {"coupler": "B C E", "cover": f"{own} F", "third": f"{own[0]} F G"}
    for order in (list(links), list(reversed(links))):
        given = linkage(pins, {name: links[name] for name in order})
        circuits = given.circuits()
        assert circuits.complete and len(circuits) == 2
        states = given.run(turn=np.linspace(0, 360, 25))
        assert states.valid.all()
        i, j, f, g = (states.point(x) @ (1, 1j) for x in (*own.split(), "F", "G"))
        for k, x in enumerate((f, g)):
            one, two, at = (complex(*(FOUR_BAR | pins)[n]) for n in (*own.split(), "FG"[k]))
            drawn = (at - one) / (two - one)
            np.testing.assert_allclose((x - i) / (j - i), drawn, atol=1e-12)  # rounding


def test_links_that_hold_each_other_more_than_once_are_told_as_not_looked_at() -> None:
    """Four plates, each on a pin with each other one."""
    angles = np.arange(6) * math.pi / 3
    pins = {
        f"P{k}": (45.0 + (9 + 3 * k) * math.cos(a), 60.0 + 14 * math.sin(a))
        for k, a in enumerate(angles)
    }
    plates = {"one": "B P0 P1 P2", "two": "P0 P3 P4", "three": "P1 P3 P5", "four": "P2 P4 P5 C"}
    found = circuits(pins, {k: v for k, v in FOUR_LINKS.items() if k != "coupler"} | plates)
    assert not found.complete
    assert found.words == (
        "one, two, three and 1 more hold each other more than once: "
        "no other way to put them together was looked for"
    )
