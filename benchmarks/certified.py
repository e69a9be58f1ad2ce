"""Certificates of random assemblies held against 60 digits: `python -m benchmarks.certified`.

Trees and loops of mates of all kinds, with couplings and drivers, are solved and certified.  Every
solution in 60 digits has to be as near to the poses as is certified, and no other one in the box.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from mpmath import mp, mpf

import assembly_solver as asm
from assembly_solver.diagnosis.proof.certificate import BlockProof, Certificate
from assembly_solver.diagnosis.proof.certifying import certified
from assembly_solver.diagnosis.proof.impossible import impossible
from assembly_solver.diagnosis.proof.no_closing import MOST_BOXES
from assembly_solver.diagnosis.subsets import constraint_names, subset
from assembly_solver.foundations.watch import Watch

from .adversary.generators import contradictions, loops, trees
from .figures import RIGHT, Figure, count, report
from .sixty_digits import DIGITS, Placed, minus, placed_at, product, root, size, turned

LEAST = 90
"""Percent of the assemblies that are certified at least."""

PROVED = 80
"""Percent of the contradictions that are proved at least."""

SHARP = mpf(10) ** -20
"""How much more than the distance may be certified, relative; and, in mm, beside it."""

INSIDE = 4
"""Starts in a box from which a second solution is looked for."""


def drawn(seed: int) -> asm.Assembly:
    """A random tree, or a random assembly with loops."""
    _, draft = (trees if seed % 4 == 0 else loops).drawn(seed)
    return draft.build()


def certificate_of(solution: asm.Solution) -> Certificate:
    """What is proved of the poses."""
    return certified(solution.system, list(solution.best_poses.values()), Watch())


def wrong(solution: asm.Solution, found: Certificate, seed: int) -> str:
    """What is certified and not so; empty where all is."""
    with mp.workdps(DIGITS):
        moved: dict[int, Placed] = {}
        poses = list(solution.best_poses.values())
        farthest = mpf(0)
        for proof in found.blocks:
            block = proof.block
            x = root(solution.system, block.parts, proof.rows, proof.columns, poses)
            if x is None:
                return f"no solution in {DIGITS} digits near {block.parts}"
            if max(map(abs, x), default=mpf(0)) > proof.within:
                return "the solution is outside the box"
            farthest = max(farthest, _carried(solution, proof, x, moved))
            if words := _second(solution, proof, x, seed):
                return words
        if not farthest <= mpf(found.radius):
            return f"a feature is {mp.nstr(farthest, 8)} mm off, certified {found.radius}"
        if found.radius > farthest * (1 + mpf(2) ** -50) + SHARP:
            return f"certified {found.radius}, a feature is {mp.nstr(farthest, 8)} mm off"
    return ""


def _carried(
    solution: asm.Solution, proof: BlockProof, x: Sequence[Any], moved: dict[int, Placed]
) -> Any:
    """How far the features of a block move to the solution, mm; its root has moved before."""
    system, poses = solution.system, list(solution.best_poses.values())
    unit = [[mpf(int(i == j)) for j in range(3)] for i in range(3)]
    rows, shift = moved.get(proof.block.root, (unit, [mpf(0)] * 3))
    most = mpf(0)
    for n, part in enumerate(proof.block.parts):
        own, origin = placed_at(system, part, poses[part], x[6 * n : 6 * n + 6])
        shown, at = placed_at(system, part, poses[part], [mpf(0)] * 6)
        own = product(rows, own)
        origin = [a + b for a, b in zip(turned(rows, origin), shift, strict=True)]
        turn = product(own, [list(c) for c in zip(*shown, strict=True)])
        moved[part] = turn, minus(origin, turned(turn, at))
        for point in [np.zeros(3), *system.cloud[system.cloud_part == part]]:
            p = [mpf(float(v)) for v in point]
            here, there = turned(shown, p), turned(own, p)
            away = [a + b - c - d for a, b, c, d in zip(there, origin, here, at, strict=True)]
            most = max(most, size(away))
    return most


def _second(solution: asm.Solution, proof: BlockProof, x: Sequence[Any], seed: int) -> str:
    """Whether from starts in the box, the held coordinates as they are, another one is found."""
    from flint import arb

    from assembly_solver.diagnosis.proof.ball_block import BallBlock
    from assembly_solver.diagnosis.proof.balls import middle, precise

    draw = np.random.default_rng(seed)
    columns, length = list(proof.columns), solution.system.length
    poses = list(solution.best_poses.values())
    known = np.array([float(v) for v in x])
    rows = np.searchsorted(proof.block.rows, proof.rows)
    with precise():
        balls = BallBlock(solution.system, proof.block, poses)
        for _ in range(INSIDE if columns else 0):
            y = known.copy()
            y[columns] = draw.uniform(-proof.within, proof.within, len(columns))
            for _ in range(30):
                f, jacobian = (middle(m) for m in balls.evaluate([arb(float(v)) for v in y]))
                if not np.isfinite(jacobian).all():
                    break
                y[columns] -= np.linalg.lstsq(jacobian[rows][:, columns], f[rows, 0], rcond=None)[0]
            closed = np.isfinite(f).all() and np.abs(f[rows]).max() < 1e-12 * length
            inside = np.abs(y).max() < proof.within
            if closed and inside and np.abs(y - known).max() > 1e-9 * length:
                return "there is a second solution in the box"
    return ""


def figures(quick: bool = False, cases: int = 1000) -> Iterator[Figure]:
    """How many are certified, why the others are not, how many certificates are false."""
    cases = 20 if quick else cases
    why, false, solved = Counter[str](), dict[Any, str](), 0
    for seed in range(cases):
        solution = asm.solve(drawn(seed))
        if not solution:
            continue
        solved += 1
        found = certificate_of(solution)
        reason = next((b.reason.name.lower() for b in found.blocks if b.reason), "")
        why[reason] += 1
        if not reason and (words := wrong(solution, found, seed)):
            false[seed] = words
            print(f"seed {seed}: {words}", flush=True)
    share = 100 * why[""] / max(solved, 1)
    yield Figure("certified", "trees and loops", "certified", share, "%", f">= {LEAST}", "", RIGHT)
    for reason, number in sorted(why.items()):
        if reason:
            yield Figure("certified", "trees and loops", f"not: {reason}", number, f"of {solved}")
    yield count("certified", "trees and loops", "false", false, why[""])
    yield from contradiction_figures(cases)


def contradiction_figures(cases: int) -> Iterator[Figure]:
    """How many contradictions are proved, and solvable assemblies of which that is said."""
    cores = [seed for seed in range(cases) if seed % (len(contradictions.CORES) + 1) < 9]
    proved = sum(impossible(core_of(seed), MOST_BOXES) is not None for seed in cores)
    share = 100 * proved / max(len(cores), 1)
    yield Figure("certified", "contradictions", "proved", share, "%", f">= {PROVED}", "", RIGHT)
    found = {seed: impossible(drawn(seed), MOST_BOXES) for seed in range(cases)}
    false = {seed: "solvable" for seed, proof in found.items() if proof is not None}
    yield count("certified", "contradictions", "false", false, cases)


def core_of(seed: int) -> asm.Assembly:
    """A random contradiction without what does not take part."""
    _, draft, core = contradictions.drawn(seed)
    a = draft.build()
    every = constraint_names(a)
    names = (n if n in every else n.removeprefix("driver ") for n in core)
    return subset(a, [every.index(n) for n in names])


def main() -> int:
    """Run so many cases."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.certified", description=__doc__)
    parser.add_argument("cases", nargs="?", type=int, default=1000)
    return report(figures(cases=parser.parse_args().cases))


if __name__ == "__main__":
    sys.exit(main())
