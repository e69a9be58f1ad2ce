"""Linkages that more links hold than need be, in any order of links: wheels, braces."""

from __future__ import annotations

import random

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.linkages.plan import planning
from assembly_solver.linkages.scheme.scheme import Scheme

Pins = dict[str, complex]
Links = dict[str, str]

ROUNDED = 1e-9
"""What points of linkages of some 300 mm may be off, mm: they are known to 1e-12, and levers."""


def linkage(pins: Pins, links: Links, order: int = 0, crank: str = "w0") -> asm.Linkage:
    """A drawn linkage, its links in one of many orders, a crank driven at its first pin."""
    m = asm.Assembly("drawn")
    m.pins(**{name: (z.real, z.imag) for name, z in pins.items()})
    names = list(links)
    if order:
        random.Random(order).shuffle(names)
    for name in names:
        m.link(name, links[name], grounded=name == "frame")
    m.drive("turn", at=links[crank].split()[0], angle=(0, 360), links=["frame", crank])
    return asm.linkage(m)


def turned(degrees: float, radius: float = 30.0) -> complex:
    return complex(radius * np.exp(1j * np.radians(degrees)))


def wheels(feet: list[complex], start: float = 70.0) -> tuple[Pins, Links]:
    """Equal wheels with a pin each, and a point of their own; the rod is yet to come."""
    pins: Pins = {}
    links = {"frame": " ".join(f"A{k}" for k in range(len(feet)))}
    for k, foot in enumerate(feet):
        pins |= {f"A{k}": foot, f"B{k}": foot + turned(start)}
        pins[f"P{k}"] = foot + turned(start - 110 + 9 * k, 22.0 + k)
        links[f"w{k}"] = f"A{k} B{k} P{k}"
    return pins, links


def one_rod() -> tuple[Pins, Links]:
    pins, links = wheels([0j, 110 + 0j, 230 + 0j])
    return pins, links | {"rod": "B0 B1 B2"}


def triangle() -> tuple[Pins, Links]:
    pins, links = wheels([0j, 100 + 20j, 60 + 90j])
    return pins, links | {"rod": "B0 B1 B2"}


def two_rods() -> tuple[Pins, Links]:
    """Of three wheels; the second rod is on their own points, 50 degrees behind."""
    pins, links = wheels([0j, 110 + 0j, 230 + 0j])
    for k in range(3):
        pins[f"P{k}"] = pins[f"A{k}"] + turned(20, 25.0)
    return pins, links | {"rod": "B0 B1 B2", "other": "P0 P1 P2"}


def quartered() -> tuple[Pins, Links]:
    """Four wheels with bars from one to the next on two pins each, a right angle apart."""
    pins, links = wheels([0j, 110 + 0j, 230 + 0j, 300 + 0j])
    for k in range(4):
        pins[f"P{k}"] = pins[f"A{k}"] + turned(160)
    for k in range(3):
        links |= {f"b{k}": f"B{k} B{k + 1}", f"c{k}": f"P{k} P{k + 1}"}
    return pins, links


LOCOMOTIVES = {f.__name__: f for f in (one_rod, triangle, two_rods, quartered)}


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("name", LOCOMOTIVES)
def test_wheels_of_a_locomotive_turn_alike_with_their_own_points(name: str, order: int) -> None:
    """Through both positions in which all cranks are in line with their rods."""
    pins, links = LOCOMOTIVES[name]()
    given = linkage(pins, links, order)
    assert given.held == () and given.planned.checked
    states = given.run(turn=given.present[0] + np.linspace(0, 360, 73))
    assert states.valid.all()
    turn = np.exp(1j * np.radians(np.linspace(0, 360, 73)))
    for k in range(sum(name.startswith("w") for name in links)):
        for point in (f"B{k}", f"P{k}"):
            arm = states.point(point) @ (1, 1j) - pins[f"A{k}"]
            drawn = pins[point] - pins[f"A{k}"]
            np.testing.assert_allclose(arm, turn * drawn, atol=ROUNDED)


@pytest.mark.parametrize("order", range(3))
@pytest.mark.parametrize(
    ("name", "flat"), [("one_rod", 0.0), ("two_rods", 0.0), ("triangle", 11.31)]
)
def test_wheels_have_one_circuit_of_two_halves_of_a_turn(
    name: str, flat: float, order: int
) -> None:
    pins, links = LOCOMOTIVES[name]()
    circuits = linkage(pins, links, order).circuits()
    assert len(circuits) == 1 and not circuits.complete
    assert [b.high - b.low for b in circuits[0].branches] == pytest.approx([180.0] * 2, abs=1e-4)
    low = circuits[0].branches[0].ends[0]
    flat = float(np.degrees(np.angle(100 + 20j))) if flat else 0.0
    assert (low.kind, low.value) == ("change point", pytest.approx(flat, abs=1e-4))
    assert low.meets == (2,) and "two ways" not in low.words
    assert circuits.words.startswith("whether ") and "was looked at in samples" in circuits.words


def test_a_dyad_may_stand_on_the_own_point_of_a_redundant_wheel() -> None:
    pins, links = one_rod()
    pins |= {"Q": 350 + 60j, "D": 300 - 90j}
    links |= {"frame": "A0 A1 A2 D", "link": "P2 Q", "out": "Q D"}
    for order in range(4):
        given = linkage(pins, links, order)
        assert [link.name for link in given.planned.checked] == ["w2"]
        states = given.run(turn=given.present[0] + np.linspace(-3, 3, 7))
        assert states.valid.all()
        p, q = (states.point(name) @ (1, 1j) for name in ["P2", "Q"])
        np.testing.assert_allclose(p, pins["A2"] + (pins["P2"] - pins["A2"]) * np.exp(
            1j * np.radians(np.linspace(-3, 3, 7))), atol=ROUNDED)  # fmt: skip
        np.testing.assert_allclose(abs(q - p), abs(pins["Q"] - pins["P2"]), atol=ROUNDED)


def test_wheels_behind_a_five_bar_are_no_structure_that_stands_still() -> None:
    """Counting finds one freedom, which the driver takes; there are two, of which one is held."""
    pins, links = wheels([0j, 100 + 0j, 200 + 0j])
    pins |= {"O": -150 + 0j, "K": -150 + 40j, "J": -60 + 120j}
    own = {"frame": "O A0 A1 A2", "crank": "O K", "con": "K J", "next": "J B0", "rod": "B0 B1 B2"}
    given = linkage(pins, {**links, **own}, crank="crank")
    assert len(given.held) == 1 and [x.name for x in given.planned.checked] == ["w2"]
    states = given.run(turn=given.present[0] + np.linspace(0, 4, 5))
    assert states.valid.all()
    arms = [states.point(f"B{k}") @ (1, 1j) - pins[f"A{k}"] for k in range(3)]
    np.testing.assert_allclose(arms[1], arms[0], atol=ROUNDED)
    np.testing.assert_allclose(arms[2], arms[0], atol=ROUNDED)


BRACED = {"A": 0j, "B": 21 + 21j, "C": 70 + 49j, "D": 70 + 0j, "E": 40 + 80j, "F": 75 + 80j}
BRACES = {
    "frame": "A D", "crank": "A B", "coupler": "B C", "rocker": "C D",
    "be": "B E", "ec": "E C", "bf": "B F", "fc": "F C", "ef": "E F T",
}  # fmt: skip
"""A coupler with two triangles on it and a bar between their tips, which has a point of its own."""


def test_what_repeats_others_does_not_depend_on_the_order_of_links() -> None:
    """Nor do the dyads that are left: without the coupler there would be a group of five links."""
    pins = BRACED | {"T": 60 + 99j}
    for order in range(12):
        given = linkage(pins, BRACES, order, "crank")
        assert given.redundant == given.to_dict()["redundant"] == ["fc"]
        assert "; redundant, so checked only: fc" in given.sentence
        apart = given.planned.apart
        assert [s.kind for s in apart.steps] == ["actuated joint"] + 3 * ["RRR dyad"]
        circuits = given.circuits()
        assert len(circuits) == 4
        assert circuits.words == "whether fc fit with the rest was looked at in samples"
        drawn = ((pins["T"] - pins["E"]) / (pins["F"] - pins["E"])).imag
        e, f, t = (given.scheme.points.index(x) for x in "EFT")
        for b in (b for c in circuits for b in c.branches):
            z = b.positions[:, 0] + 1j * b.positions[:, 1]
            np.testing.assert_allclose(((z[t] - z[e]) / (z[f] - z[e])).imag, drawn, atol=1e-9)


def test_rigid_sets_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Scheme] = []
    found = planning.rigid_sets

    def counted(scheme: Scheme) -> tuple[tuple[int, ...], ...]:
        calls.append(scheme)
        return found(scheme)

    monkeypatch.setattr(planning, "rigid_sets", counted)
    given = linkage(BRACED | {"T": 60 + 99j}, BRACES, crank="crank")
    given.circuits()
    assert len(calls) == 1


def test_a_chain_of_parallelograms_stays_parallel_where_all_change_at_once() -> None:
    pins, links = wheels([0j, 100 + 0j, 220 + 0j, 360 + 0j])
    links |= {f"b{k}": f"B{k} B{k + 1}" for k in range(3)}
    given = linkage(pins, links)
    for states in (19, 73, 361):
        at = np.linspace(0, 360, states)
        run = given.run(turn=given.present[0] + at)
        assert run.valid.all() and len(run.events) == 6
        for k in range(4):
            arm = run.point(f"B{k}") @ (1, 1j) - pins[f"A{k}"]
            np.testing.assert_allclose(arm, turned(70) * np.exp(1j * np.radians(at)), atol=ROUNDED)


def test_two_parallelograms_have_eight_branches_between_their_change_points() -> None:
    pins, links = wheels([0j, 100 + 0j, 220 + 0j])
    links |= {f"b{k}": f"B{k} B{k + 1}" for k in range(2)}
    (circuit,) = linkage(pins, links).circuits()
    found = sorted((round(b.low, 4) + 0.0, round(b.high, 4)) for b in circuit.branches)
    assert found == 4 * [(0.0, 180.0)] + 4 * [(180.0, 360.0)]
