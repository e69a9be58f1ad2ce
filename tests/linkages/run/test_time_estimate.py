"""The estimated time of a linkage: its parts, what it counts, its order.  No times are asserted."""

from __future__ import annotations

import pytest
from stored_linkages import drawn, entries

import assembly_solver as asm
from assembly_solver.errors import BadValue
from assembly_solver.linkages.run.time_estimate import LinkageCost, StateWork, time_constants


def cost(name: str, reinterpret: bool = False) -> LinkageCost:
    return asm.linkage(drawn(entries()[name]), reinterpret=reinterpret).cost


@pytest.mark.parametrize(
    ("name", "work"),
    [
        ("RRRR", StateWork(10, (), 4)),  # a driven joint 6, a dyad 4
        ("RRRP", StateWork(18, (), 6)),  # and two points of the slider; two slots
        ("multi-slot", StateWork(10, (4,), 6)),
        ("millipede", StateWork(0, (26,), 26)),
        ("pantograph", StateWork(26, (), 6)),
    ],
)
def test_the_engine_counts_its_own_steps(name: str, work: StateWork) -> None:
    assert cost(name).work == work


@pytest.mark.parametrize("name", ["RRRR", "RRRP", "PRPP", "pantograph"])
def test_re_interpreted_arcs_are_those_of_table_2(name: str) -> None:
    found = cost(name, reinterpret=True)
    assert found.work.arcs == found.arcs == entries()[name]["cost"]["Ca"]


def test_the_constants_are_measured_once_and_none_is_negative() -> None:
    c = time_constants()
    assert c is time_constants()
    assert min(c.arc, c.group, c.equation, c.link, c.rest) >= 0.0
    assert c.arc > 0.0 and c.rest > 0.0
    assert c.group + c.equation > 0.0


def test_an_estimate_is_linear_in_the_states_and_its_parts_add_up() -> None:
    of = cost("multi-slot")
    none, one, many = of.time(0), of.time(), of.time(1000)
    assert none.positions == 0.0
    assert many.positions == pytest.approx(1000 * one.positions, rel=1e-12)
    assert (many.analysis, many.rest) == (one.analysis, one.rest)
    assert many.total == many.positions + many.analysis + many.rest


def test_mechanisms_are_in_the_order_of_their_counts() -> None:
    found = {name: cost(name) for name in ("RRRR", "RRRP", "PRPP", "multi-slot", "millipede")}
    of = {name: c.time(360) for name, c in found.items()}
    assert of["RRRR"].positions < of["RRRP"].positions < of["PRPP"].positions
    assert of["RRRR"].positions < of["multi-slot"].positions < of["millipede"].positions
    c = time_constants()
    for name, estimate in of.items():
        assert estimate.analysis == found[name].work.links * c.link


def test_a_negative_number_of_states_is_refused() -> None:
    with pytest.raises(BadValue, match="it must be a number of states"):
        cost("RRRR").time(-1)
