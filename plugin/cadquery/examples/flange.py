"""Two flanges and eight bolts: what is redundant, and what a hole that is off by 0.2 mm causes."""

from math import cos, radians, sin

import assembly_solver_cadquery as mates
import cadquery as cq
from cadquery.vis import show

COUNT, CIRCLE = 8, 80.0


def flange(off: float = 0.0) -> cq.Workplane:
    """A flange with eight holes, of which the first is off by so much; each has a tag."""
    made = cq.Workplane().circle(100).circle(45).extrude(14)
    for k in range(COUNT):
        turn, radius = radians(360 * k / COUNT), CIRCLE + (off if k == 0 else 0)
        place = cq.Vector(radius * cos(turn), radius * sin(turn), 7)
        made = made.cut(cq.Workplane(origin=place.toTuple()).circle(6.5).extrude(30, both=True))
        made.faces(cq.NearestToPointSelector(place.toTuple())).tag(f"hole {k}")
    return made


def bolted(upper: cq.Workplane) -> cq.Assembly:
    """A flange on another, with a bolt through each pair of holes."""
    bolt = cq.Workplane().polygon(6, 22).extrude(8).faces(">Z").workplane().circle(6.5).extrude(36)
    assy = cq.Assembly(name="flanges").add(flange(), name="lower", color=cq.Color("gray"))
    thrown = cq.Location((30, -40, 90), (1, 2, 0), 25)
    assy.add(upper, name="upper", loc=thrown, color=cq.Color("steelblue"))
    mates.ground(assy, "lower")
    mates.mate(assy, "lower@faces@>Z", "upper@faces@<Z", "coplanar", name="face", sense="opposed")
    for k in range(COUNT):
        head, shank = f"bolt {k}@faces@>Z[-2]", f"bolt {k}@faces@%CYLINDER"
        place = cq.Location((20 * k - 70, 150, -60), (1, 0, 0), 20)
        assy.add(bolt, name=f"bolt {k}", loc=place, color=cq.Color("orange"))
        mates.mate(assy, f"lower?hole {k}", shank, "coaxial", name=f"lower {k}")
        mates.mate(assy, f"upper?hole {k}", shank, "coaxial", name=f"upper {k}")
        mates.mate(assy, "lower@faces@<Z", head, "coplanar", name=f"head {k}", sense="opposed")
    return assy


flanges = bolted(flange())
print(mates.solve(flanges).require().sentence)
print(mates.solve(bolted(flange(off=0.2))).sentence)
print(mates.solve(bolted(flange(off=0.2)), tolerance=0.2).sentence)
view = {"roll": -25, "elevation": -55, "zoom": 1.3, "width": 900, "height": 500, "gradient": False}
show(flanges, screenshot="flange.png", interact=False, **view)
