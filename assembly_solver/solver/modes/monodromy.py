"""All solutions of a generic member of a family of systems, from one solution.

A solution is carried round loops of complex parameters, from which it comes back as another one,
until loops bring no more.  The file of start systems is written by

    python -m assembly_solver.solver.modes.monodromy

Source: A. J. Sommese and C. W. Wampler, The numerical solution of systems of polynomials, World
Scientific 2005, section 15.4.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...foundations.numerics.rounding import FAINT
from ...foundations.types import Complexes
from .homotopy import QuadricPath, follow, meeting
from .platform_forms import forms

STARTS = Path(__file__).with_name("platform_starts.npz")
"""Generic parameters and all their solutions, in space and in a plane."""

ROOTS = {6: 40, 3: 6}
"""Number of solutions by the number of distances.

Sources: F. Ronga and T. Vust, Stewart platforms without computer?, 1995 (space); C. Gosselin, J.
Sefrioui and M. J. Richard, Mechanism and Machine Theory 27 (1992) 107 (plane).
"""

IDLE = 4
"""Loops without a new solution after which the search ends."""


def generic(distances: int, seed: int) -> tuple[Complexes, Complexes]:
    """Generic parameters of so many distances, and all solutions, (roots, unknowns)."""
    rng = np.random.default_rng(seed)
    size, unknowns = {6: (7, 8), 3: (5, 4)}[distances]

    def drawn(*shape: int) -> Complexes:
        out: Complexes = rng.normal(size=shape) + 1j * rng.normal(size=shape)
        return out

    x, parameters = drawn(unknowns), drawn(distances, size)
    half = unknowns // 2
    e = x[:half]
    if distances == 6:
        x[half:] -= e * (e @ x[half:]) / (e @ e)
    parameters[:, -1] = 0.0
    square = np.einsum("j,ijk,k->i", x, forms(parameters)[:distances], x) / (e @ e)
    square[1:] += square[0]
    parameters[:, -1] = square
    found, idle = x[None], 0
    while idle < IDLE:
        points, good = found, np.ones(len(found), bool)
        stops = [parameters, drawn(distances, size), drawn(distances, size), parameters]
        for begin, end in pairwise(stops):
            path = QuadricPath.through(*(forms(p) for p in (begin, 0.5 * (begin + end), end)))
            points, s = follow(path, points)
            good &= s >= 1.0
        every = np.concatenate([found, points[good]])
        every = every[~meeting(every, FAINT)[:, 0]]
        idle = idle + 1 if len(every) == len(found) else 0
        found = every
    return parameters, found


def write_starts() -> None:
    """Write the file of start systems."""
    out: dict[str, Any] = {}
    for distances, count in ROOTS.items():
        parameters, found = generic(distances, seed=1)
        assert len(found) == count
        out |= {f"parameters_{distances}": parameters, f"solutions_{distances}": found}
    np.savez_compressed(STARTS, **out)


if __name__ == "__main__":
    write_starts()
