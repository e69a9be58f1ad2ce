"""The boom of an excavator from STEP files: lifted by its cylinder, and its angle."""

from pathlib import Path

import assembly_solver_cadquery as mates
import cadquery as cq
import numpy as np
from cadquery.vis import show

SHAPES = Path(__file__).parents[3] / "samples" / "excavator"

arm = cq.Assembly(name="arm")
for name, file, colour, place in (
    ("base", "base", "gray", cq.Location()),
    ("boom", "boom", "orange", cq.Location((0, 0, 0), (0, 0, 1), 20)),
    ("barrel", "boom_cylinder", "slategray", cq.Location((500, -500, 300), (0, 1, 0), 90)),
    ("rod", "boom_rod", "lightgray", cq.Location((1300, 250, 300), (0, 0, 1), 60)),
):
    solid = cq.importers.importStep(str(SHAPES / f"{file}.step"))
    arm.add(solid, name=name, loc=place, color=cq.Color(colour))

eye = "faces@%CYLINDER@radius=35.5"
mates.ground(arm, "base")
mates.mate(
    arm,
    "base@faces@%CYLINDER@radius=45@>X",
    "boom@faces@%CYLINDER@radius=45.5@<X",
    "coaxial",
    name="foot",
)
mates.mate(arm, "base.xy", "boom.xy", "coplanar", name="middle", sense="aligned")
mates.mate(arm, "base@faces@%CYLINDER@radius=35@>X", f"barrel@{eye}", "coaxial", name="barrel pin")
mates.mate(arm, "boom@faces@%CYLINDER@radius=35@<X", f"rod@{eye}", "coaxial", name="rod pin")
mates.mate(arm, "barrel.z", "rod.x", "coaxial", name="rod in barrel", sense="aligned")
mates.mate(arm, "boom.xy", "rod.xy", "coplanar", name="beside", offset=200)
mates.drive(arm, "lift", separation=("barrel.origin", "rod.origin"), range=(950, 1300), value=950)
print(mates.solve(arm).require())

motion = mates.sweep(arm, "lift", steps=7)
turned = np.degrees(2 * np.arctan2(*motion.part("boom").quaternion_wxyz[:, [3, 0]].T))
for length, angle in zip(motion.prescribed["lift"], turned, strict=True):
    print(f"{length:6.0f} mm {angle:8.3f} deg")

mates.move(arm, motion, 6)
view = {"roll": 0, "elevation": 15, "azimuth": 20, "zoom": 1.4, "width": 900, "height": 500}
show(arm, screenshot="boom.png", interact=False, gradient=False, **view)
