"""Sensitivities of every kind of mate, with every two types of features, against solves."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import Array
from test_registry import Case, alike, assembly_of

import assembly_solver as asm
from assembly_solver.studies.response import PoseResponse
from assembly_solver.studies.variables import Variable, deviating, variable

pytestmark = pytest.mark.compiled_only  # some hundred solves for each case

STEP = 2e-3
"""Of central differences, mm and degrees: extrapolated."""

SMOOTH = 2e-5
"""What halving the step may change: the extrapolation then leaves some 1e-8."""


def held_in_place(case: Case, seed: int) -> asm.Assembly:
    """The assembly of a case, solved, with rods that hold what it leaves free."""
    rng = np.random.default_rng(seed)
    a = assembly_of(case, rng)
    solution = asm.solve(a)
    solution.require().apply()
    a.keep_constants({k: v["value"] for k, v in solution.constants.items()})
    fixed = next(p.name for p in a.parts.values() if p.grounded)
    moving = [p.name for p in a.parts.values() if not p.grounded]
    for k in range(30):
        s = asm.solve(a)
        if not PoseResponse(s.system, s.frames).least.freedoms:
            return a
        rods = [with_rod(a, fixed, moving[k % len(moving)], f"rod {k}", rng) for _ in range(6)]
        a = max(rods, key=firmness)
    raise AssertionError("rods do not hold it")


def with_rod(
    a: asm.Assembly, fixed: str, part: str, name: str, rng: np.random.Generator
) -> asm.Assembly:
    """A copy with one more rod, of the length that it has there."""
    b = a.copy()
    ends = [(fixed, rng.uniform(-90, 90, 3)), (part, rng.uniform(-60, 60, 3))]
    for owner, at in ends:
        b.add_features(owner, {name: asm.Point(tuple(at.tolist()))})
    one, two = (b.pose(owner).apply(at) for owner, at in ends)
    far = float(np.linalg.norm(np.subtract(one, two)))
    b.mate("distance", *((owner, name) for owner, _ in ends), name=name, value=far)
    return b


def firmness(a: asm.Assembly) -> tuple[int, float]:
    """The rank at the poses, and the least singular value that counts."""
    s = asm.solve(a)
    response = PoseResponse(s.system, s.frames)
    values = np.linalg.svd(response.rows.whole, compute_uv=False)
    rank = response.least.rank
    return rank, float(values[rank - 1])


def names_of(a: asm.Assembly) -> list[str]:
    """Coordinates of the features of the mate, and the numbers of all mates."""
    out = []
    for ref in (a.mates["m"].a, a.mates["m"].b) if "m" in a.mates else ():
        feature = a.parts[ref.part].feature(ref.feature)
        if isinstance(feature, asm.Curve) or ref.feature not in a.parts[ref.part].features:
            continue
        turns = () if isinstance(feature, asm.Point) else ("about_x", "about_y")
        out += [f"{ref}.{k}" for k in ("x", "y", "z", *turns)]
    numbers = {n: m for n, m in a.mates.items() if not n.startswith("rod")}
    for name, mate in numbers.items():
        for key, value in mate.parameters().items():
            if isinstance(value, float) and not isinstance(value, bool):
                out.append(f"{name}.{key}")
    return [*out, *(f"{n}.value" for n in list(a.mates)[-1:] if n.startswith("rod"))]


def frames_at(a: asm.Assembly, v: Variable, by: float) -> Array:
    return np.array(asm.solve(deviating(a, [v], [by])).frames)


def rates_by_solves(a: asm.Assembly, v: Variable) -> tuple[Array, float]:
    """Derivatives of all frames by central differences, extrapolated once; what that changed."""
    far, near = ((frames_at(a, v, h) - frames_at(a, v, -h)) / (2 * h) for h in (STEP, 0.5 * STEP))
    return (4.0 * near - far) / 3.0, float(np.abs(far - near).max())


def differences(case: Case, seed: int) -> tuple[float, float]:
    """The largest difference from solves, and how far these are from smooth, mm and degrees."""
    a = held_in_place(case, seed)
    moving = [k for k, p in enumerate(a.parts.values()) if not p.grounded]
    names, frames = names_of(a), asm.solve(a).frames
    found = asm.sensitivities(a, of=[list(a.parts)[k] for k in moving], to=names)
    worst = rough = 0.0
    for column, name in enumerate(names):
        (v,) = variable(a, name)
        rates, bend = rates_by_solves(a, v)
        rough = max(rough, bend)
        for n, k in enumerate(moving):
            axes = frames[k, 3:].reshape(3, 3)
            turn = 0.5 * np.cross(axes, rates[k, 3:].reshape(3, 3)).sum(axis=0)
            solved = np.concatenate([rates[k, :3], np.degrees(turn)])
            told = found.values[6 * n : 6 * n + 6, column]
            worst = max(worst, float(np.abs(told - solved).max() / max(1.0, np.abs(told).max())))
    return worst, rough


FIRST = [group[0] for group in alike().values()]


@pytest.mark.parametrize("case", FIRST, ids=lambda c: f"{c.kind}-{c.label}")
def test_derivatives_are_those_of_solves(case: Case) -> None:
    """At a pose around which the surfaces are smooth: no corner of a path, no ring on end."""
    for seed in (3, 5, 8, 13):
        worst, rough = differences(case, seed)
        if rough < SMOOTH:
            assert worst < 1e-6
            return
    raise AssertionError("no smooth pose")
