"""Copies of an assembly: every field, independent of the original."""

from __future__ import annotations

from typing import Any

import pytest

import assembly_solver as asm
from assembly_solver.model.assembly import Assembly
from assembly_solver.model.building.checking import CheckEditing
from assembly_solver.model.building.drafting import DrawingEditing
from assembly_solver.model.building.driving import DriverEditing
from assembly_solver.model.building.patterns import PatternEditing
from assembly_solver.model.building.roster import PartEditing
from assembly_solver.model.building.subassemblies import SubAssemblyEditing
from assembly_solver.model.building.tolerating import ToleranceEditing
from assembly_solver.model.load import LoadEditing

pytestmark = pytest.mark.quick

MIXINS = (
    PartEditing,
    DriverEditing,
    ToleranceEditing,
    PatternEditing,
    SubAssemblyEditing,
    DrawingEditing,
    CheckEditing,
    LoadEditing,
)


@pytest.mark.parametrize("mixin", MIXINS)
def test_a_field_that_a_mixin_gains_is_copied(mixin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = mixin.__init__

    def init(self: Any) -> None:
        before(self)
        self._more = {"a": 1}

    monkeypatch.setattr(mixin, "__init__", init)
    original: Any = Assembly("original")
    original._more["b"] = 2
    copied: Any = original.copy()
    assert copied._more == {"a": 1, "b": 2}
    copied._more["c"] = 3
    assert original._more == {"a": 1, "b": 2}


def test_no_dictionary_is_shared_with_a_copy() -> None:
    a = asm.Assembly("crank", tolerance=1e-3)
    a.pins(A=(0, 0), B=(0, 30))
    a.link("ground", "A", grounded=True)
    a.link("crank", "A B")
    a.drive("turn", at="A", value=90)
    a.notes_at["parts", "crank"] = {"note": "cast"}
    a.gravity = (0, 0, -9.81)
    copied = a.copy()
    for key, value in vars(a).items():
        if key not in ("revision", "moves"):  # a copy has not been edited
            assert vars(copied)[key] == value, key
            assert not isinstance(value, dict) or vars(copied)[key] is not value, key
    assert copied.notes_at["parts", "crank"] is not a.notes_at["parts", "crank"]
    copied.remove_driver("turn")
    assert list(a.drivers) == ["turn"]
