"""A lid that two mates ask to stand at two angles: what is said, and what would resolve it."""

from pathlib import Path

import assembly_solver as asm

SAMPLES = Path(__file__).parents[1] / "samples"

box = asm.read(SAMPLES / "bad_lid.assembly.json")
solution = asm.solve(box)
print(solution)  # never an exception, and never "solved"
(conflict,) = solution.conflicts
print("asked:", conflict["asked"], "possible:", round(conflict["found"], 3), conflict["unit"])
assert not solution and set(conflict["mates"]) == {"lid hinge", "lid stop", "lid prop"}

box.remove("lid prop")
print(asm.solve(box).sentence)
assert asm.solve(box)
