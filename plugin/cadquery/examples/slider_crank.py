"""A slider-crank: one turn of the crank, and what stroke and speed the piston has."""

import assembly_solver_cadquery as mates
import cadquery as cq
from cadquery.vis import show


def bar(length: float) -> cq.Workplane:
    """A bar with a hole of radius 4 at each end."""
    made = cq.Workplane().slot2D(length + 20, 20).extrude(6).faces(">Z").workplane()
    return made.pushPoints([(-length / 2, 0), (length / 2, 0)]).hole(8)


bed = cq.Workplane().box(420, 60, 10).faces(">Z").workplane(origin=(-150, 0, 5))
bed = bed.circle(4).extrude(22)
piston = cq.Workplane().box(60, 40, 20).faces(">Z").workplane().circle(4).extrude(14)

engine = cq.Assembly(name="engine")
engine.add(bed, name="bed", color=cq.Color("lightgray"))
engine.add(bar(60), name="crank", loc=cq.Location((-120, 0, 20)), color=cq.Color("orange"))
engine.add(bar(180), name="rod", loc=cq.Location((0, 10, 30)), color=cq.Color("steelblue"))
engine.add(piston, name="piston", loc=cq.Location((100, 20, 40)), color=cq.Color("gray"))

pin = "faces@%CYLINDER@radius=4"
mates.ground(engine, "bed")
mates.mate(engine, "bed@faces@>Z[-2]", "piston@faces@<Z", "coplanar", name="rail")
mates.mate(engine, "bed.zx", "piston.zx", "coplanar", name="guide")
mates.mate(engine, f"bed@{pin}", f"crank@{pin}@<X", "coaxial", name="main")
mates.mate(engine, "bed@faces@>Z[-2]", "crank@faces@<Z", "distance", name="height", value=14)
mates.mate(engine, f"crank@{pin}@>X", f"rod@{pin}@<X", "coaxial", name="crank pin")
mates.mate(engine, "crank@faces@>Z", "rod@faces@<Z", "coplanar", name="on it")
mates.mate(engine, f"rod@{pin}@>X", f"piston@{pin}", "coaxial", name="wrist pin")
mates.drive(engine, "motor", "main", "angle", value=0)
print(mates.solve(engine).require())

turn = mates.sweep(engine, "motor", angle=(0, 360), steps=360, speed=6 * 300)  # 300 turns a minute
x, v = turn.part("piston").position[:, 0], turn.part("piston").velocity[:, 0]
print(turn)
print(f"stroke {x.max() - x.min():.3f} mm, fastest {abs(v).max() / 1000:.3f} m/s")

mates.move(engine, turn, 60)
view = {"roll": -15, "elevation": -40, "zoom": 1.9, "width": 900, "height": 420, "gradient": False}
show(engine, screenshot="slider_crank.png", interact=False, **view)
