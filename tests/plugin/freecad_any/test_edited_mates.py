"""Properties and formulas of mates edited between two solves: as in a fresh document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import assembly_solver_freecad as asf
import pytest
from assembly_solver_freecad import waiting
from assembly_solver_freecad.properties import VALUES, bounds, entries
from shop import Shop, all_numbers, height, shop as shop
from test_own_mates import CASES

CHANGED: dict[str, Callable[[Any], Any]] = {
    "Sense": lambda now: "aligned" if now == "opposed" else "opposed",
    "Side": lambda now: "inside" if now == "outside" else "outside",
    "Skew": lambda now: not now,
    "Surfaces": lambda now: not now,
}
"""Another value of each property by its present one; of a number 1.5 more."""

NUMBERS = [
    (kind, entry.name)
    for kind in sorted(CASES)
    for _, entry in entries(kind)
    if entry.type in ("App::PropertyDistance", "App::PropertyAngle", "App::PropertyLength")
]
EVERY = [(kind, entry.name) for kind in sorted(CASES) for _, entry in entries(kind)]


def mated(shop: Shop, kind: str) -> Any:
    words, parameters, _ = CASES[kind]
    asf.ground(shop.block)
    return asf.mate(shop.pick(*words), kind, **parameters)


def copied(shop: Shop, kind: str, mate: Any) -> tuple[Shop, Any]:
    """A fresh document with the parts where they stand now, and the same mate."""
    fresh = Shop()
    for found in shop.document.Objects:
        if found.TypeId == "Part::Feature":
            fresh.document.getObject(found.Name).Placement = found.Placement
    same = mated(fresh, kind)
    for name in mate.PropertiesList:
        if mate.getGroupOfProperty(name) == VALUES and name != "MateKind":
            value = getattr(mate, name)
            setattr(same, name, getattr(value, "Value", value))
    return fresh, same


def another(mate: Any, name: str) -> Any:
    now = getattr(mate, name)
    now = getattr(now, "Value", now)
    return CHANGED.get(name, lambda value: value + 1.5)(now)


def outcome(shop: Shop) -> Any:
    """The outcome of a solve, or why a mate cannot be read with this value."""
    try:
        return asf.solve(shop.document).outcome
    except asf.NotHeld as error:
        return str(error)


def assert_equal_solves(one: Shop, two: Shop) -> None:
    assert outcome(one) == outcome(two)
    assert all_numbers(one.document) == all_numbers(two.document)


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_a_changed_property_counts_in_the_next_solve(shop: Shop, kind: str, name: str) -> None:
    mate = mated(shop, kind)
    asf.solve(shop.document).require()
    fresh, same = copied(shop, kind, mate)
    value = another(mate, name)
    setattr(mate, name, value)
    setattr(same, name, value)
    assert_equal_solves(shop, fresh)


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
def test_a_formula_counts_as_it_is_when_the_solve_begins(shop: Shop, kind: str, name: str) -> None:
    """Without a recompute by hand, after its sheet was edited."""
    mate = mated(shop, kind)
    sheet = shop.document.addObject("Spreadsheet::Sheet", "Sheet")
    now = getattr(mate, name).Value
    sheet.set("B1", str(now))
    sheet.setAlias("B1", "size")
    shop.document.recompute()
    mate.setExpression(name, "Sheet.size + 0")
    asf.solve(shop.document).require()
    fresh, same = copied(shop, kind, mate)
    sheet.set("B1", str(now + 1.5))
    setattr(same, name, now + 1.5)
    assert_equal_solves(shop, fresh)
    assert getattr(mate, name).Value == pytest.approx(now + 1.5, abs=1e-12)


@pytest.mark.parametrize("kind", sorted(k for k in CASES if bounds(k)))
def test_a_limit_that_is_switched_on_between_two_solves_counts(shop: Shop, kind: str) -> None:
    mate = mated(shop, kind)
    asf.solve(shop.document).require()
    fresh, same = copied(shop, kind, mate)
    bound = bounds(kind)[0]
    for one in (mate, same):
        setattr(one, bound.value, 12.0)
        setattr(one, bound.on, True)
    assert_equal_solves(shop, fresh)


def test_other_elements_another_kind_and_suppression_count(shop: Shop) -> None:
    mate = mated(shop, "coplanar")
    asf.solve(shop.document).require()
    fresh, same = copied(shop, "coplanar", mate)
    for one, its in ((mate, shop), (same, fresh)):
        asf.rechoose(one, its.pick("block Face6", "box Face3"))
        one.MateKind = "parallel"
    assert_equal_solves(shop, fresh)
    for one in (mate, same):
        one.Suppressed = True
    before = all_numbers(shop.document)
    assert_equal_solves(shop, fresh)
    assert all_numbers(shop.document) == before


def test_a_size_of_a_solid_counts_before_it_is_recomputed(shop: Shop) -> None:
    crate = shop.document.addObject("Part::Box", "Crate")
    shop.document.recompute()
    asf.ground(shop.block)
    asf.mate([(shop.block, "Face6"), (crate, "Face6")], "coplanar", offset=2.0, sense="opposed")
    asf.solve(shop.document).require()
    crate.Height = 25.0
    asf.solve(shop.document).require()
    one, two = shop.block.getSubObject("Face6"), crate.getSubObject("Face6")
    assert crate.Shape.Volume == pytest.approx(10 * 10 * 25)
    assert height(one, two) == pytest.approx(2.0, abs=1e-9)


def test_what_cannot_be_recomputed_is_tried_once(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = shop.document.addObject("Part::Cut", "Broken")  # of nothing
    asf.read(shop.document)
    assert "Invalid" in broken.State
    calls: list[str] = []
    monkeypatch.setattr(waiting, "unsolved", lambda: calls.append("again"))
    asf.read(shop.document)
    assert calls == []
