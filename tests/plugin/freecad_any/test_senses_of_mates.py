"""Own mates of the add-on: nuts that come in upside down turn over, whatever their number."""

from __future__ import annotations

import assembly_solver_freecad as asf
import FreeCAD
import Part
import pytest
from FreeCAD import Placement, Rotation, Vector
from shop import Shop, all_numbers, cosine, height, shop as shop

CLOSE = 1e-8
"""mm and cosines, as in test_own_mates."""

PLATE = Vector(0, 0, -10)


@pytest.mark.parametrize("count", [3, 12])
def test_nuts_upside_down_are_seated_face_to_face(count: int) -> None:
    document = FreeCAD.newDocument("Nuts")
    try:
        solid = Part.makeBox(30.0 * count, 20, 10, PLATE)
        for k in range(count):
            solid = solid.cut(Part.makeCylinder(4, 30, Vector(30 * k + 15, 10, -20)))
        plate = document.addObject("Part::Feature", "plate")
        plate.Shape = solid
        faces = {
            name: solid.getElement(name) for name in (f"Face{n + 1}" for n in range(6 + count))
        }
        bores = [n for n, f in faces.items() if type(f.Surface).__name__ == "Cylinder"]
        top = max((n for n in faces if n not in bores), key=lambda n: faces[n].CenterOfMass.z)
        nuts = []
        for k, bore in enumerate(bores):
            nut = document.addObject("Part::Feature", f"nut {k}")
            nut.Shape = Part.makeCone(7, 5, 6).cut(Part.makeCylinder(4, 6))
            nut.Placement = Placement(Vector(30 * k, 3, 25), Rotation(Vector(1, 0.1, 0.2), 170))
            own = {f"Face{n + 1}": f for n, f in enumerate(nut.Shape.Faces)}
            hole = next(n for n, f in own.items() if type(f.Surface).__name__ == "Cylinder")
            flat = [n for n, f in own.items() if type(f.Surface).__name__ == "Plane"]
            seat = max(flat, key=lambda n: own[n].Area)  # the wide end
            document.recompute()
            asf.mate([(plate, bore), (nut, hole)], "coaxial")
            asf.mate([(plate, top), (nut, seat)], "coplanar")
            nuts.append((nut, seat))
        assert asf.solve(document)
        above = plate.getSubObject(top)
        for nut, seat in nuts:
            below = nut.getSubObject(seat)
            assert cosine(above, below) == pytest.approx(-1.0, abs=CLOSE)
            assert height(above, below) == pytest.approx(0.0, abs=CLOSE)
    finally:
        FreeCAD.closeDocument(document.Name)


def test_a_constant_velocity_joint_that_is_bent_far_is_read_as_it_holds(shop: Shop) -> None:
    words, middle = ("block bore", "pin Face1"), Vector(10, 10, 15)
    asf.ground(shop.block)
    straight = asf.mate(shop.pick(*words), "fixed")
    assert asf.solve(shop.document)
    shop.document.removeObject(straight.Name)
    bend = Placement(Vector(), Rotation(Vector(1, 2, 0), 130), middle)
    shop.pin.Placement = bend * shop.pin.Placement
    asf.mate(shop.pick(*words), "constant_velocity")
    before = all_numbers(shop.document)
    assert asf.solve(shop.document)
    assert all_numbers(shop.document) == before
