"""Descents by mates of random weights, from a start near which squared residuals alone end."""

from __future__ import annotations

import numpy as np

from assembly_solver.equations.residuals import worst_off
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.watch import Watch
from assembly_solver.solver.multistart import ends_from, weighed_ends
from assembly_solver.structure.clusters import body_cloud
from benchmarks.adversary.generators import metamorphic


def test_weights_lead_out_of_a_compromise_to_poses_that_hold() -> None:
    """A loop of six parts with two redundant mates, 4 degrees off."""
    system = compile_system(metamorphic.drawn(1808)[1].build())
    plain = ends_from(system, system.start[None], Watch(), brief=False)
    assert 1.0 < plain.off[0] < 10.0  # mm
    ends = list(weighed_ends(system, Watch()))
    assert ends
    assert max(worst_off(system, parts) for parts in ends) < 1e-9
    at = body_cloud(system, system.start)
    moved = [float(np.linalg.norm(body_cloud(system, parts) - at)) for parts in ends]
    assert moved == sorted(moved)
