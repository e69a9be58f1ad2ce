"""A slider-crank driven through a turn: positions, velocities, accelerations, a CSV file."""

import math
from pathlib import Path

import assembly_solver as asm

engine = asm.read(Path(__file__).parents[1] / "samples" / "slider_crank.assembly.json")
motion = asm.sweep(engine, "crank", angle=(0, 360), steps=360, speed=360)  # a turn a second
print(motion)

piston = motion.point("piston.wrist pin")
stroke = piston.position[:, 0].max() - piston.position[:, 0].min()
print(f"stroke {stroke:.6f} mm; fastest {abs(piston.velocity[:, 0]).max():.3f} mm/s")
assert math.isclose(stroke, 100, abs_tol=1e-9)  # twice the throw, for it is in line

# at top dead centre: r omega^2 (1 + r / l) towards the shaft, throw 50 and rod 150 mm
top = -50 * (2 * math.pi) ** 2 * (1 + 50 / 150)
print(f"acceleration at top dead centre {piston.acceleration[0, 0]:.6f} mm/s2")
assert math.isclose(piston.acceleration[0, 0], top, rel_tol=1e-9)

table = asm.csv_table(motion)
print(table.splitlines()[0])
