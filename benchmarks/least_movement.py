"""How far parts moved, against the least that `scipy.optimize` finds.

The movement is the root of the sum of the squared displacements of the mate features.  SLSQP starts
from the answer and from the start poses, over the same parts; its result counts where its mates
hold in the assembly mode of the answer.  Run as `python -m benchmarks.least_movement [starts]`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.equations.residuals import all_residuals, worst_off
from assembly_solver.equations.system import System, compile_system
from assembly_solver.foundations.geometry.pose import frames_of
from assembly_solver.solver.modes.enumeration import Modes
from assembly_solver.structure.poses import body_poses

from . import families
from .figures import Figure, report

Array = NDArray[np.float64]

HOLDS = 1e-5
"""Residual, relative to the characteristic length, at which a result of SLSQP counts."""

SHIFT, TURN = 0.1, 20.0
"""Disturbance of a start: share of the characteristic length, and degrees."""


def haug() -> asm.Assembly:
    """Haug, problem 4.5.3: crank 4, coupler 6, rocker 6, pivots 4 apart, crank at 60 degrees."""
    coupler = 0.183761866144
    b = (4 * math.cos(math.pi / 3), 4 * math.sin(math.pi / 3))
    c = (b[0] + 6 * math.cos(coupler), b[1] + 6 * math.sin(coupler))
    pins = {"o": (0.0, 0.0), "b": b, "c": c, "d": (4.0, 0.0)}
    bars = {"frame": "od", "crank": "ob", "coupler": "bc", "rocker": "dc"}
    return _pinned("4.5.3", pins, bars)


def five_bar() -> asm.Assembly:
    """Two freedoms: bars of 60 and 80 on pivots 100 apart."""
    x, y = 60 * math.cos(2.0), 60 * math.sin(2.0)
    top = (50.0, y + math.sqrt(80.0**2 - (50.0 - x) ** 2))
    pins = {"a": (0.0, 0.0), "b": (x, y), "c": top, "d": (100.0 - x, y), "e": (100.0, 0.0)}
    bars = {"frame": "ae", "left": "ab", "over": "bc", "under": "cd", "right": "de"}
    return _pinned("five-bar", pins, bars)


def _pinned(name: str, pins: dict[str, tuple[float, float]], bars: dict[str, str]) -> asm.Assembly:
    """Bars between pins in a plane, each in the coordinates of the world; the first is fixed."""
    out = asm.Assembly(name)
    for bar, ends in bars.items():
        features = {p: asm.Frame((*pins[p], 0.0), (0.0, 0.0, 1.0)) for p in ends}
        out.add(bar, grounded=bar == "frame", features=features)
    for pin in pins:
        one, two = (bar for bar, ends in bars.items() if pin in ends)
        out.mate("revolute", f"{one}.{pin}", f"{two}.{pin}")
    return out


def disturbed(assembly: asm.Assembly, seed: int) -> asm.Assembly:
    """The same with every part that is not fixed shifted and turned at random."""
    rng, out = np.random.default_rng(seed), assembly.copy()
    length = compile_system(assembly).length
    for name, part in assembly.parts.items():
        if part.grounded:
            continue
        turn = Rotation.from_rotvec(np.radians(rng.uniform(-TURN, TURN, 3)) / math.sqrt(3))
        shift = rng.uniform(-1, 1, 3) * SHIFT * length
        q = (turn * Rotation.from_matrix(part.pose.rotation)).as_quat(scalar_first=True)
        at = np.array(part.pose.position) + shift
        (x, y, z), (w, i, j, k) = at.tolist(), q.tolist()
        out.move({name: asm.Pose((x, y, z), (w, i, j, k))})
    return out


CASES: dict[str, Callable[[int], asm.Assembly]] = {
    "Haug 4.5.3": lambda seed: disturbed(haug(), seed),
    "five-bar": lambda seed: disturbed(five_bar(), seed),
    "four-bar": lambda seed: families.assembly(families.fourbar(seed)),
    "chain(6)": lambda seed: families.assembly(families.chain(6, seed)),
    "bennett": lambda seed: disturbed(families.bennett(), seed),
    "sarrus": lambda seed: disturbed(families.sarrus(), seed),
}
"""Start poses by seed: loops in a plane, an open chain, closed chains in space."""


def movement(system: System, frames: Array) -> float:
    """Root of the sum of the squared displacements of the mate features from the start, mm."""

    def features(poses: Array) -> Array:
        own = poses[system.cloud_part]
        out: Array = own[:, :3] + np.einsum(
            "ni,nij->nj", system.cloud, own[:, 3:].reshape(-1, 3, 3)
        )
        return out

    return float(np.linalg.norm(features(frames) - features(system.start)))


def least(system: System, solution: asm.Solution) -> tuple[float, float]:
    """Movement at the answer, and the least that is known, mm."""
    frames, plan = frames_of(solution.poses.values()), solution.plan
    modes = Modes(plan, body_poses(plan, frames))
    found = movement(system, frames)
    moving = np.flatnonzero((frames != system.start).any(axis=1))
    best = found
    for begin in (frames, system.start):
        other = _minimised(
            system,
            np.where(np.isin(np.arange(len(frames)), moving)[:, None], begin, frames),
            moving,
        )
        same = modes.signs(body_poses(plan, other)) == modes.signs(modes.base)
        if same and worst_off(system, other) <= HOLDS * system.length:
            best = min(best, movement(system, other))
    return found, best


def _minimised(system: System, begin: Array, moving: NDArray[np.int64]) -> Array:
    """What SLSQP makes of some poses; the unknowns are a twist of each moving part."""
    length = system.length

    def frames(x: Array) -> Array:
        out = begin.copy()
        for k, step in zip(moving, x.reshape(-1, 6), strict=True):
            axes = begin[k, 3:].reshape(3, 3)
            turned = axes @ Rotation.from_rotvec(step[3:] / length).as_matrix().T
            centre = begin[k, :3] + system.centre[k] @ axes
            out[k, :3] = centre + step[:3] - system.centre[k] @ turned
            out[k, 3:] = turned.ravel()
        return out

    def squared(x: Array) -> float:
        return (movement(system, frames(x)) / length) ** 2

    def closed(x: Array) -> Array:
        return all_residuals(system, frames(x)) / length

    begun = np.zeros(6 * len(moving))
    options: Any = {"maxiter": 300, "ftol": 1e-12}
    together: Any = {"type": "eq", "fun": closed}
    result: Any = minimize(squared, begun, method="SLSQP", constraints=together, options=options)
    out: Array = frames(result.x)
    return out


def ratios(name: str, starts: int) -> Array:
    """Movement over the least known, for each start that is solved."""
    out = []
    for seed in range(starts):
        assembly = CASES[name](seed)
        solution = asm.solve(assembly)
        if solution:
            found, best = least(compile_system(assembly), solution)
            out.append(found / best)
    return np.array(out)


def figures(quick: bool = False, starts: int = 40) -> Iterator[Figure]:
    """Median, 95 % and most over the starts of each case."""
    for name in CASES:
        r = ratios(name, 4 if quick else starts)
        yield Figure("least_movement", name, "solved", len(r), "starts")
        values = (np.median(r), np.quantile(r, 0.95), r.max()) if len(r) else ()
        for words, value in zip(("median", "95 %", "most"), values, strict=False):
            yield Figure("least_movement", name, f"movement / least, {words}", float(value), "x")


def main() -> int:
    """Print the table."""
    return report(figures(False, *map(int, sys.argv[1:2])))


if __name__ == "__main__":
    raise SystemExit(main())
