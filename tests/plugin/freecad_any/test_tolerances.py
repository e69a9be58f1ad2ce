"""Tolerances of a document by script: elements by object and path, joints by label."""

from __future__ import annotations

from pathlib import Path

import assembly_solver_freecad as asf
import FreeCAD
import pytest
from shop import Shop, all_numbers, shop as shop


def top(shop: Shop) -> str:
    """The upper face of the block."""
    faces = shop.block.Shape.Faces
    return f"Face{max(range(len(faces)), key=lambda k: faces[k].CenterOfMass.z) + 1}"


def test_a_pin_in_a_bore_is_off_by_its_play_and_by_the_place_of_the_bore(shop: Shop) -> None:
    """The height of the pin is off by the offset, its place by play and zone: they add up."""
    flats = [(shop.block, top(shop)), shop.element("pin Face2")]
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


def test_tolerances_are_kept_by_the_document_and_undone_with_it(shop: Shop, tmp_path: Path) -> None:
    """Under the names of objects: a joint may have another label when it is opened again."""
    bore = asf.mate(shop.pick("block bore", "pin Face1"), "coaxial", label="bore")
    live = asf.read(shop.document)
    shop.document.UndoMode = 1
    asf.keep_tolerances(live, {"play of bore": 0.05})
    asf.keep_tolerances(live, {"play of bore": 0.07})
    assert asf.kept_tolerances(live) == {"play of bore": 0.07}
    shop.document.undo()
    assert asf.kept_tolerances(live) == {"play of bore": 0.05}
    bore.Label = "hole"
    file = str(tmp_path / "kept.FCStd")
    shop.document.saveAs(file)
    again = FreeCAD.openDocument(file, True)
    assert asf.kept_tolerances(asf.read(again)) == {"play of hole": 0.05}
    measures = {"place": {"joint": "hole", "coordinate": "angle"}}
    found = asf.tolerance(again, measures=measures, samples=50)
    assert (found.sensitivities.columns, found.solved) == (("play of hole.x", "play of hole.y"), 50)
    asf.keep_tolerances(asf.read(again), {})
    assert asf.kept_tolerances(asf.read(again)) == {}
    FreeCAD.closeDocument(again.Name)


def test_the_block_of_the_page_on_tolerances_runs(shop: Shop) -> None:
    """With the number that the upper face of this block has."""
    flats = [(shop.block, top(shop)), shop.element("pin Face2")]
    asf.mate(flats, "coplanar", label="Seat", offset=2)
    asf.mate(shop.pick("block bore", "pin Face1"), "coaxial", label="Bore")
    FreeCAD.setActiveDocument(shop.document.Name)
    page = Path(__file__).parents[3] / "docs" / "tolerances.md"
    body = page.read_text(encoding="utf-8").split("import assembly_solver_freecad as asf")[1]
    names = {"FreeCAD": FreeCAD, "asf": asf, "block": shop.block, "pin": shop.pin}
    exec(body.split("```")[0].replace("Face6", top(shop)), names)
    assert names["found"].measures["height"].worst_case == pytest.approx((1.8, 2.1), abs=1e-9)
