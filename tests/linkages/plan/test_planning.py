"""Plans of planar linkages: dyads by their joints, groups, what is held, what repeats."""

from __future__ import annotations

from dataclasses import replace

import motiongen
import numpy as np
import pytest

from assembly_solver.errors import NotDriven, Overdriven
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.run.branches import place_states
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink, SchemeSlot

pytestmark = pytest.mark.quick

DEGREES = np.pi / 180.0

KINDS = {
    "RRRR": ["actuated joint", "RRR dyad"],
    "RRRP": ["actuated joint", "RRP dyad"],
    "RRPR": ["actuated joint", "RPR dyad"],
    "RRPP": ["actuated joint", "RPP dyad"],
    "RPPR": ["actuated joint", "RPP dyad"],
    "RPRP": ["actuated joint", "PRP dyad"],
    "PRRP": ["actuated slide", "RRP dyad"],
    "RPPP": ["rigid points", "actuated slide", "RPP dyad"],
    "PRPP": ["actuated slide", "RPP dyad"],
    "multi-slot": ["actuated joint", "group"],
    "millipede": ["group"],
    "pantograph": [*["actuated joint"] * 3, "RRR dyad"],
    "seven-bar (Ex.1)": ["actuated joint", "group"],
}
"""What the mechanisms of MotionGen are taken apart into, slots exact."""


@pytest.mark.parametrize("name", KINDS)
def test_mechanisms_are_taken_apart_into_their_dyads_and_groups(name: str) -> None:
    planned = plan_linkage(motiongen.scheme(name))
    assert [step.kind for step in planned.steps] == KINDS[name]
    assert planned.locked == () and planned.checked == ()


def linkage(points: dict[str, tuple[float, float]], links: str, *actuators: Actuator) -> Scheme:
    """Points by name, links as words of their points, the ground first."""
    names = tuple(points)
    made = tuple(SchemeLink(word, tuple(names.index(p) for p in word)) for word in links.split())
    return Scheme(names, np.array([*points.values()], float), made, (), actuators)


PARALLELOGRAM = {"A": (0, 0), "D": (4, 0), "F": (2, 0), "B": (1, 2), "C": (5, 2), "E": (3, 2)}


def test_a_third_crank_of_a_parallelogram_takes_no_part_and_is_checked() -> None:
    crank = Actuator("crank", "R", (1, 0, 3), DEGREES)
    planned = plan_linkage(linkage(PARALLELOGRAM, "ADF AB DC FE BCE", crank))
    assert [link.name for link in planned.checked] == ["FE"]
    assert [step.kind for step in planned.steps] == ["actuated joint", "RRR dyad"]
    placed = place_states(planned, np.linspace(0, 360, 73)[None])
    assert not placed.failed.any()
    f, e = placed.P[2], placed.P[5]
    np.testing.assert_allclose(np.hypot(*(e - f)), np.hypot(1, 2), atol=1e-12)


def test_what_nothing_drives_is_held_where_it_starts() -> None:
    """A five-bar with one of its two cranks driven."""
    points = {"A": (0, 0), "E": (5, 0), "B": (0, 2), "C": (2, 4), "D": (5, 3)}
    crank = Actuator("crank", "R", (1, 0, 2), DEGREES)
    scheme = linkage(points, "AE AB BC CD DE", crank)
    planned = plan_linkage(scheme)
    assert planned.locked == ("E",)
    placed = place_states(planned, np.array([[90.0, 100.0], [0.0, 0.0]]))
    np.testing.assert_allclose(placed.P[4].T, [(5, 3), (5, 3)], atol=1e-15)
    np.testing.assert_allclose(placed.P[:, :, 0], scheme.at, atol=1e-15)


def test_an_input_too_many_is_named() -> None:
    points = {"A": (0, 0), "D": (4, 0), "B": (0, 2), "C": (4, 3)}
    two = (Actuator("crank", "R", (1, 0, 2), DEGREES), Actuator("arm", "R", (0, 1, 3), DEGREES))
    with pytest.raises(Overdriven, match="input 'arm': crank determines it already; leave one out"):
        plan_linkage(linkage(points, "AD AB BC CD", *two))


def test_of_inputs_only_those_that_determine_another_are_named() -> None:
    """Two cranks of a four-bar, and a bar beside it, driven before or after them or not at all."""
    points = {"A": (0, 0), "D": (4, 0), "B": (0, 2), "C": (4, 3), "X": (8, 0), "Y": (8, 2)}
    wheel, crank, arm = (
        Actuator(name, "R", at, DEGREES)
        for name, at in (("wheel", (0, 4, 5)), ("crank", (1, 0, 2)), ("arm", (0, 1, 3)))
    )
    for inputs in ((crank, arm), (wheel, crank, arm), (crank, arm, wheel)):
        with pytest.raises(Overdriven, match="input 'arm': crank determines it already;"):
            plan_linkage(linkage(points, "ADX AB BC CD XY", *inputs))


def test_an_input_between_links_that_cannot_turn_is_named() -> None:
    """A triangle of bars on the ground, one of them driven, and a bar beside it that may turn."""
    points = {"A": (0, 0), "D": (4, 0), "C": (4, 3), "B": (0, 2)}
    crank, other = (
        Actuator(name, "R", at, DEGREES)
        for name, at in (("crank", (1, 0, 2)), ("other", (1, 0, 3)))
    )
    for inputs in ((crank,), (crank, other), (other, crank)):
        with pytest.raises(Overdriven, match="input 'crank': the links determine it already"):
            plan_linkage(linkage(points, "AD AC DC AB", *inputs))


def test_a_link_that_is_joined_to_nothing_is_named() -> None:
    points = {"A": (0, 0), "D": (4, 0), "B": (0, 2), "X": (8, 0), "Y": (4, 3)}
    crank = Actuator("crank", "R", (1, 0, 2), DEGREES)
    with pytest.raises(NotDriven, match="they leave movable XY"):
        plan_linkage(linkage(points, "AD AB XY", crank))


def crane(value: float) -> Scheme:
    """A barrel on A and a rod on the boom's eye C, 0.3 beside its line, driven against each other;
    the boom on D."""
    points = {"A": (0, 0), "D": (4, 0), "C": (3, 3)}
    a, c = 0j, 3 + 3j
    # the line of the rod is 0.3 to the left of A, parallel to it the rod's pin is on it
    u = np.exp(1j * (np.angle(c - a) - np.arcsin(0.3 / abs(c - a))))
    e1 = a + 0.3j * u
    q1, q2 = c - u, c - 2 * u
    for name, z in {"E": e1, "F": e1 + 5 * u, "Q": q1, "R": q2}.items():
        points[name] = (z.real, z.imag)
    scheme = linkage(points, "AD DC AEF CQR")
    slots = (SchemeSlot("rod", 5, (3, 4), 2), SchemeSlot("rod", 6, (3, 4), 2))
    return replace(scheme, slots=slots, actuators=(Actuator("lift", "P", (3, 5, 4), 1.0, value),))


def test_a_cylinder_beside_its_pins_is_one_link_of_driven_length() -> None:
    planned = plan_linkage(crane(0.0))
    assert [step.kind for step in planned.steps] == ["RRR dyad"]
    start = planned.program.inputs[0, 2]
    placed = place_states(planned, np.array([[start, start + 0.25]]))
    np.testing.assert_allclose(placed.P[:, :, 0], planned.scheme.at, atol=1e-14)
    a, e, f, q = (placed.P[k, :, 1] @ [1, 1j] for k in (0, 3, 4, 5))
    way = (f - e) / abs(f - e)
    assert abs(((q - e) * way.conjugate()).real - start - 0.25) < 1e-14
    assert abs(((q - e) * way.conjugate()).imag) < 1e-14
    assert abs(abs(e - a) - 0.3) < 1e-14
