"""A door on a hinge: parts, features, mates; solve, read the result, apply it."""

import assembly_solver as asm

house = asm.Assembly("hinge")
house.add(
    "frame",
    grounded=True,
    features={"pin": asm.Axis((0, 0, 0), "z"), "seat": asm.Plane((0, 0, 0), "z")},
)
house.add(
    "door",
    pose=asm.Pose((3, -2, 8)),  # about where it belongs, mm
    features={"pin": asm.Axis((0, 0, 0), "z"), "foot": asm.Plane((0, 0, 0), "-z")},
)
house.mate("coaxial", "frame.pin", "door.pin", name="axis", sense="aligned")
house.mate("coplanar", "frame.seat", "door.foot", name="seat", offset=2)

solution = asm.solve(house)
print(solution)
solution.require().apply()  # raises with the diagnosis unless solved; then moves the parts
height = house.pose("door").position[2]
print(f"the door stands {height:.3f} mm above its seat")
assert solution.dof == 1 and abs(height - 2) < 1e-9
