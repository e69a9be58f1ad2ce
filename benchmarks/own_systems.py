"""The engine's systems of the excavator sample, solved with updates and without.

The whole planar component as one block, from random starts with its cylinders free and over a
sweep with them driven; and the blocks of its plan, from random starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.equations.closed_form import plane_axes
from assembly_solver.equations.dense_block import (
    BLOCK_ITERATIONS,
    DenseBlock,
    NewtonSettings,
    solve_dense,
)
from assembly_solver.equations.residuals import all_residuals
from assembly_solver.equations.system import compile_system
from assembly_solver.equations.table import (
    INVERSES,
    PERTURBATIONS,
    PLANE,
    SOLVED,
    UPDATES,
    TwistBasis,
    displace,
)
from assembly_solver.foundations.numerics.broyden import ETA
from assembly_solver.solver.solver import solve as close
from assembly_solver.structure.plan import Plan, make_plan

from .case import Array

Ints = NDArray[np.int64]
SAMPLE = Path(__file__).parents[1] / "samples" / "excavator.assembly.json"
POSITIONS = 30
STARTS, SIGMA = 40, 150.0  # random starts: number, and standard deviation, mm (0.15 m)
CLASSICAL = 2.0  # no step removes so much of the residual: the inverse is never updated


def closed_plan(driven: bool) -> Plan:
    """The plan of the excavator from its closed pose, with or without its drivers."""
    assembly = asm.read(SAMPLE)
    asm.solve(assembly).require().apply()
    for name in assembly.drivers if not driven else ():
        assembly.set_driver(name, None)
    return make_plan(compile_system(assembly))


class PlanarBlock:
    """The whole component of a plan in its plane as one dense block."""

    def __init__(self, plan: Plan) -> None:
        (component,) = plan.components
        assert component.projection is not None
        self.plan, self.bodies = plan, np.array(component.bodies)
        self.rows = np.array(component.projection.plane)
        self.slot = np.full((plan.bodies.count, 6), -1, np.int64)
        self.slot[np.ix_(self.bodies, PLANE)] = np.arange(3 * len(self.bodies)).reshape(-1, 3)
        self.axes, self.closed = np.empty((3, 3)), plan.fitted_start
        plane_axes(self.closed, component.root, component.projection.flat.normal[0], self.axes)

    def solve(self, poses: Array, tolerance: float, update: bool, counts: Ints) -> bool:
        """One run of the block loop; tolerance in m."""
        plan = self.plan
        status = solve_dense(
            plan.table,
            poses,
            DenseBlock(
                self.rows,
                self.bodies,
                self.slot,
                TwistBasis(self.axes, plan.bodies.centre, plan.system.length),
            ),
            NewtonSettings(
                1000 * tolerance, ETA if update else CLASSICAL, 0, BLOCK_ITERATIONS, 0.0
            ),
            counts,
        )
        return bool(status == SOLVED)


def tally(counts: Ints, failed: int) -> tuple[int, int, int, int]:
    return int(counts[INVERSES]), int(counts[UPDATES]), int(counts[PERTURBATIONS]), failed


def random_block(tolerance: float, update: bool) -> tuple[int, int, int, int]:
    """Inverses, updates, perturbations and failures from random starts, cylinders free."""
    block = PlanarBlock(closed_plan(False))
    draw = np.random.default_rng(0)
    counts, failed = np.zeros(5, np.int64), 0
    for _ in range(STARTS):
        poses = disturbed(block.plan, block.closed, block.axes, draw)
        failed += not block.solve(poses, tolerance, update, counts)
    return tally(counts, failed)


def driven_block(tolerance: float, update: bool) -> tuple[int, int, int, int]:
    """Both cylinders driven over their sweep, each position from the one before."""
    assembly = asm.read(SAMPLE)
    lengths = np.linspace((1000.0, 1250.0), (1250.0, 1500.0), POSITIONS + 1)
    counts, failed = np.zeros(5, np.int64), 0
    for boom, bucket in lengths:
        assembly.set_driver("boom cylinder", float(boom))
        assembly.set_driver("bucket cylinder", float(bucket))
        if boom > lengths[0, 0]:
            block = PlanarBlock(make_plan(compile_system(assembly)))
            failed += not block.solve(block.closed.copy(), tolerance, update, counts)
        asm.solve(assembly).require().apply()
    return tally(counts, failed)


def disturbed(plan: Plan, closed: Array, axes: Array, draw: np.random.Generator) -> Array:
    """Every body displaced in the plane by normal amounts, rotated about its centre."""
    poses = closed.copy()
    for body in plan.components[0].bodies:
        step = np.zeros(6)
        step[PLANE] = SIGMA * draw.standard_normal(3)
        displace(poses[body], step, axes, plan.bodies.centre[body], plan.system.length)
    return poses


def planned(driven: bool, tolerance: float, update: bool) -> tuple[int, int, int, int]:
    """The same counts for the blocks of the plan; they end at the engine's tolerance.

    The start poses of the parts are disturbed; every mate must reach `tolerance` (m).
    """
    plan = closed_plan(driven)
    system = plan.system
    draw = np.random.default_rng(0)
    total, failed = np.zeros(5, np.int64), 0
    axes = np.eye(3)
    for _ in range(STARTS):
        poses = disturbed(plan, plan.fitted_start, axes, draw)
        parts = system.start.copy()
        alone = np.bincount(plan.bodies.of_part)[plan.bodies.of_part] == 1
        parts[alone] = poses[plan.bodies.of_part[alone]]
        other = make_plan(replace(system, start=parts))
        found = close(other, ETA if update else CLASSICAL)
        total += found.counts
        failed += float(np.abs(all_residuals(system, found.parts)).max()) > 1000 * tolerance
    return tally(total, failed)


SYSTEMS: dict[str, Callable[[float, bool], tuple[int, int, int, int]]] = {
    f"34 x 36, {STARTS} random starts": random_block,
    f"36 x 36 driven, {POSITIONS} positions": driven_block,
    "plan's blocks, 40 starts": partial(planned, False),
    "plan's blocks, driven": partial(planned, True),
}
