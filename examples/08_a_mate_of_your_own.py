"""A new kind of mate: one class, and scripts, files, the command line and checks know it."""

from dataclasses import dataclass
from math import radians

import assembly_solver as asm
from assembly_solver.model.mate import AXES, End, Equation, Mate, inclined, together


@dataclass(frozen=True, kw_only=True)
class Crossed(Mate):
    """Two axes cross at a right angle, as the arms of a universal joint's spider do."""

    kind = "crossed"
    removes = 4
    takes = ((AXES, AXES),)

    def equations(self, a: End, b: End) -> tuple[Equation, ...]:
        return together(a.marker, b.marker) + inclined(a.marker, b.marker, radians(90))


shaft = asm.Assembly("spider")
shaft.add("fork", grounded=True, features={"arm": asm.Axis((0, 0, 0), "x")})
shaft.add("spider", pose=asm.Pose((4, 1, -3)), features={"arm": asm.Axis((0, 0, 0), (1, 5, 1))})
shaft.mate("crossed", "fork.arm", "spider.arm", name="cross")

solution = asm.solve(shaft).require()
print(solution)
print(solution.dof, "freedoms left of 6")
assert solution.dof == 6 - Crossed.removes
