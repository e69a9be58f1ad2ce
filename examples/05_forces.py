"""What the cylinders of an excavator push with, and what the foot of its boom carries."""

from pathlib import Path

import numpy as np

import assembly_solver as asm

digger = asm.read(Path(__file__).parents[1] / "samples" / "excavator.assembly.json")
digger.load("bucket.bracket pin", force=(0, -20_000, 0), name="digging")  # N

forces = asm.forces(digger)
print(forces.sentence)
for name in ("boom cylinder", "bucket cylinder"):
    print(f"{name}: {float(forces.drivers[name].value[0]) / 1000:.2f} kN")

# Virtual work: the power of drivers, loads and gravity adds up to nothing in every state.
motion = asm.sweep(digger, "boom cylinder", separation=(950, 1300), steps=20)
power = asm.forces(motion).power
largest = np.abs(power.drivers).max()
print(f"power of the drivers up to {largest / 1000:.3f} kW, left {np.abs(power.left).max():.1e}")
assert np.abs(power.left).max() < 1e-9 * largest
