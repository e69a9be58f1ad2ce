"""Tolerances of a document by script: elements by object and path, joints by label."""

from __future__ import annotations

import assembly_solver_freecad as asf
import pytest
from shop import Shop, all_numbers, shop as shop


def test_a_pin_in_a_bore_is_off_by_its_play_and_by_the_place_of_the_bore(shop: Shop) -> None:
    """The height of the pin is off by the offset, its place by play and zone: they add up."""
    faces = shop.block.Shape.Faces
    top = max(range(len(faces)), key=lambda k: faces[k].CenterOfMass.z)
    flats = [(shop.block, f"Face{top + 1}"), shop.element("pin Face2")]
    seat = asf.mate(flats, "coplanar", label="seat", offset=2.0)
    asf.mate(shop.pick("block bore", "pin Face1"), "coaxial", label="bore")
    assert seat.Label == "seat"
    asf.solve(shop.document).require()
    before = all_numbers(shop.document)
    found = asf.tolerance(
        shop.document,
        measures={
            "height": {"distance": flats},
            "place": {"point": shop.element("pin Face1"), "along": "x"},
        },
        tolerances={
            "offset": {"mate": "seat", "value": "offset", "plus": 0.1, "minus": 0.2},
            "play": {"joint": "bore", "radial": 0.05},
            "zone": {"feature": shop.element("block bore"), "position": 0.4},
        },
        samples=100,
    )
    height, place = found.measures["height"], found.measures["place"]
    assert height.worst_case == pytest.approx((1.8, 2.1), abs=1e-9)
    middle = place.nominal
    assert place.worst_case == pytest.approx((middle - 0.25, middle + 0.25), abs=1e-9)
    assert (found.solved, all_numbers(shop.document) == before) == (100, True)


def test_what_may_be_off_is_listed_with_its_keys(shop: Shop) -> None:
    asf.mate(shop.pick("block bore", "pin Face1"), "coaxial", label="bore")
    rows = {row.name: row for row in asf.tolerable(asf.read(shop.document).assembly)}
    assert rows["play of bore"].by(0.1) == {"joint": "bore", "radial": 0.1}
    assert {row.unit for row in rows.values()} == {"mm", "deg"}
    assert sum(name.startswith("position of ") for name in rows) == 2
