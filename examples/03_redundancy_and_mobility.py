"""A planar four-bar in space: three equations too many, one freedom, and why."""

import assembly_solver as asm

bar = asm.Assembly("four-bar")
for link, length in {"ground": 200, "crank": 60, "coupler": 180, "rocker": 120}.items():
    pins = {"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((length, 0, 0), "z")}
    bar.add(link, features=pins, grounded=link == "ground")
for a, b in (
    ("ground.left", "crank.left"),
    ("crank.right", "coupler.left"),
    ("coupler.right", "rocker.right"),
    ("rocker.left", "ground.right"),
):
    bar.mate("revolute", a, b, name=f"{a} {b}")

found = asm.diagnose(bar)
print(found.sentence)
for motion in found.free_motions:
    print(motion["words"])
mobility = asm.mobility(bar)
print(mobility.sentence)
assert (found.dof, found.redundant_equations) == (1, 3)
assert (mobility.kutzbach, mobility.generic, mobility.finite) == (-2, 1, 1)
