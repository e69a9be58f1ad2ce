"""A butt hinge: two leaves and a pin, folded to 70 degrees; a limit stops it where it is closed."""

import assembly_solver_cadquery as mates
import cadquery as cq
from cadquery.vis import show

LONG, KNUCKLE, PIN = 60.0, 5.0, 2.5


def leaf(side: int, knuckles: list[tuple[float, float]]) -> cq.Workplane:
    """A leaf on one side of the pin, which is the y axis, with knuckles from y to y."""
    body = cq.Workplane().box(39, LONG, 3).translate((side * 25, 0, -3.5))
    for low, high in knuckles:
        tube = cq.Workplane("XZ", origin=(0, high, 0)).circle(KNUCKLE).extrude(high - low)
        web = cq.Workplane().box(8, high - low, 3).translate((side * 4, (low + high) / 2, -3.5))
        body = body.union(tube).union(web)
    return body.cut(cq.Workplane("XZ", origin=(0, LONG, 0)).circle(PIN).extrude(2 * LONG))


pin = cq.Workplane("XZ").circle(4).extrude(2).faces("<Y").workplane().circle(PIN).extrude(LONG)
hinge = cq.Assembly(name="hinge")
hinge.add(leaf(-1, [(-30, -10), (10, 30)]), name="left", color=cq.Color("steelblue"))
hinge.add(leaf(1, [(-10, 10)]), name="right", color=cq.Color("orange"))
hinge.add(pin, name="pin", color=cq.Color("gray"), loc=cq.Location((20, 0, 60), (1, 1, 0), 15))

mates.ground(hinge, "left")
bore = "faces@%CYLINDER@radius=2.5"
mates.mate(hinge, f"left@{bore}", f"right@{bore}", "revolute", name="joint")
mates.mate(hinge, f"left@{bore}", f"pin@{bore}", "coaxial", name="pin in leaf")
mates.mate(hinge, "left@faces@>Y", "pin@faces@>Y", "distance", name="head", value=2)
mates.limit(hinge, "joint", "angle", min=-180, max=0)
mates.drive(hinge, "fold", "joint", "angle", value=-70)
print(mates.solve(hinge).require())

mates.drive(hinge, "fold", value=20)  # beyond the limit: nothing moves, and the reason is printed
print(mates.solve(hinge).sentence)

hinge.export("hinge.step")
view = {"roll": 30, "elevation": -60, "zoom": 0.9, "width": 900, "height": 600, "gradient": False}
show(hinge, screenshot="hinge.png", interact=False, **view)
