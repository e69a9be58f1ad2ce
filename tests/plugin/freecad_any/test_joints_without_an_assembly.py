"""Joints of FreeCAD 1.0 in a document whose assembly object an older FreeCAD did not load."""

from __future__ import annotations

from typing import Any

import assembly_solver_freecad as asf
import pytest
from shop import Shop, all_numbers, shop as shop

TYPES = {"JointType": "String", "ObjectToGround": "Link", "ObjectsToRigidGroup": "LinkList"}


def joint(shop: Shop, label: str, key: str, **more: Any) -> Any:
    """What is left of a joint: its properties, without an assembly and without references."""
    found = shop.document.addObject("App::FeaturePython", label)
    found.addProperty(f"App::Property{TYPES[key]}", key)
    for name, value in more.items():
        found.addProperty("App::PropertyBool", name)
        setattr(found, name, value)
    return found


def test_joints_without_an_assembly_are_named_and_nothing_moves(shop: Shop) -> None:
    asf.mate(shop.pick("block bore", "pin Face1"), label="Fit")
    joint(shop, "Hinge", "JointType", Activated=True, Suppressed=False)
    joint(shop, "Ground", "ObjectToGround")
    joint(shop, "Group", "ObjectsToRigidGroup")
    joint(shop, "Off", "JointType", Activated=False)
    joint(shop, "Aside", "JointType", Suppressed=True)
    why = "it is of FreeCAD 1.0 or later, whose assembly this FreeCAD did not load; "
    told = asf.diagnose(shop.document).left_out
    assert list(told) == ["Hinge", "Ground", "Group"]
    assert all(words.startswith(why) for words in told.values())
    before = all_numbers(shop.document)
    with pytest.raises(asf.NotHeld, match=r"Hinge: it is of FreeCAD 1\.0 or later"):
        asf.solve(shop.document)
    assert all_numbers(shop.document) == before
    for name in ("Hinge", "Ground", "Group"):
        shop.document.removeObject(name)
    assert asf.solve(shop.document).require().left_out == {}
