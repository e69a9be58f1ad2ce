"""All closures of several loops on a sphere: linkages of which all hinges meet in one point.

Lengths in mm.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from mechanisms import disturb, moved, random_pose, rebuilt, worst_gap
from scipy.spatial.transform import Rotation

import assembly_solver as asm
from assembly_solver.solver.modes.loop_starts import generic_member, kept
from assembly_solver.solver.modes.loop_structure import Structure, links_of
from assembly_solver.solver.modes.monodromy import loop_trace_defect
from assembly_solver.solver.modes.start_files import TWO_DYADS
from assembly_solver.solver.modes.trusses import trusses

TRIAD = ((0, 1, 2),) * 3
ROOTS: dict[Structure, int] = {
    TWO_DYADS: 4,
    TRIAD: 8,
    **dict(zip(trusses(3), (16, 24, 32), strict=True)),
}
"""Closures of structures that are kept, as monodromy finds them.

Four are two of each dyad.
"""


def spherical(structure: Structure, seed: int) -> asm.Assembly:
    """Links whose hinges are anywhere but meet in the origin; the first one is fixed."""
    rng, ends, a = np.random.default_rng(seed), links_of(structure), asm.Assembly("spherical")
    ways = rng.normal(size=(len(ends), 3))
    ways *= 100 / np.linalg.norm(ways, axis=1)[:, None]
    for link in range(1 + max(map(max, ends))):
        own = [k for k, pair in enumerate(ends) if link in pair]
        features = {f"f{k}": asm.Axis(tuple(ways[k]), tuple(ways[k])) for k in own}
        a.add(f"link {link}", features=features, grounded=link == 0)
    for k, (one, two) in enumerate(ends):
        a.mate("revolute", f"link {one}.f{k}", f"link {two}.f{k}", name=f"hinge {k}")
    return a


def by_newton(structure: Structure, a: asm.Assembly, starts: int) -> list[np.ndarray]:
    """Different rotations of the links, (links, 3, 3), that iteration finds from random ones."""
    rng, ends = np.random.default_rng(1), np.array(links_of(structure))
    ways = np.array(
        [a.parts[f"link {n}"].features[f"f{k}"].direction for k, n in enumerate(ends[:, 0])]
    )
    found, count = list[np.ndarray](), 1 + int(ends.max())
    for _ in range(starts):
        r = Rotation.random(count, random_state=rng).as_matrix()
        r[0] = np.eye(3)
        for _ in range(60):
            one, two = ((r[n] @ ways[..., None])[..., 0] for n in ends.T)
            off = (one - two).ravel()
            j = np.zeros((len(ends), 3, count, 3))
            for k, pair in enumerate(ends):
                for sign, link, at in zip((-1, 1), pair, (one[k], two[k]), strict=True):
                    j[k, :, link] = sign * np.cross(np.eye(3), at).T * -1
            own = j[:, :, 1:].reshape(3 * len(ends), -1)
            step = np.linalg.lstsq(own, -off, rcond=1e-12)[0]
            step /= max(1.0, np.abs(step).max() / 0.7)
            r[1:] = Rotation.from_rotvec(step.reshape(-1, 3)).as_matrix() @ r[1:]
        if np.abs(off).max() < 1e-9 and all(np.abs(r - f).max() > 1e-4 for f in found):
            found.append(r)
    return found


def rotations(mode: asm.Mode) -> np.ndarray:
    """Of the links against the first one."""
    frames = [mode.poses[f"link {n}"].frame[3:].reshape(3, 3).T for n in range(len(mode.poses))]
    return np.array([frames[0].T @ f for f in frames])


# ------------------------------------------------------------------ families
@pytest.mark.parametrize("structure", ROOTS)
def test_the_closures_that_are_kept_are_all_by_the_trace_test(structure: Structure):
    own = generic_member("sphere", structure)
    assert kept("sphere", structure) is not None and own is not None
    assert len(own.solutions) == ROOTS[structure]
    every = loop_trace_defect(own.loops, own.joints, own.solutions, structure)
    others = loop_trace_defect(own.loops, own.joints, own.solutions[1:], structure)
    assert every <= 1e-9 and others >= 1e-7


def test_the_trace_test_tells_any_closures_of_dyads_from_all():
    """An arc of the dyad that closes first told nothing of the sides of the other one."""
    own = generic_member("sphere", TWO_DYADS)
    assert own is not None
    for n in range(1, 4):
        for some in combinations(range(4), n):
            points = own.solutions[list(some)]
            assert loop_trace_defect(own.loops, own.joints, points, TWO_DYADS) >= 1e-7


# ------------------------------------------------------------------ linkages
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("structure", ROOTS)
def test_no_pose_is_missed_that_iteration_finds(structure: Structure, seed: int):
    a = spherical(structure, seed)
    modes = asm.modes(a)
    assert all(m.complete and m.solutions == ROOTS[structure] for m in modes)
    known = [rotations(m) for m in modes]
    found = by_newton(structure, a, 50)
    assert len(found) <= len(known)
    for f in found:
        assert min(np.abs(f - k).max() for k in known) <= 1e-6
    for n, k in enumerate(known):
        assert all(np.abs(k - other).max() > 1e-4 for other in known[:n])


@pytest.mark.parametrize("structure", ROOTS)
def test_the_same_closures_from_any_start_place_order_and_unit(structure: Structure):
    a, rng = spherical(structure, 1), np.random.default_rng(3)
    known = [rotations(m) for m in asm.modes(a)]
    parts, mates = (rng.permutation(list(x)).tolist() for x in (a.parts, a.mates))
    other = rebuilt(a, parts, mates, lambda n: n, scale=0.001)
    for b in (moved(disturb(a, 1, 10, 15), random_pose(rng)), other):
        modes = asm.modes(b)
        assert len(modes) == len(known) and all(m.complete for m in modes)
        for m in modes:
            assert min(np.abs(rotations(m) - k).max() for k in known) <= 1e-6


def test_three_dyads_one_after_the_other_are_not_kept_but_searched():
    structure = ((0, 1, 1), (0, 1, 2), (0, 2, 1), (0, 3, 1), (1, 3, 2), (2, 3, 2))
    assert kept("sphere", structure) is None
    modes = asm.modes(spherical(structure, 2))
    assert {m.solutions for m in modes} == {8} and all(m.complete for m in modes)
    gaps = [worst_gap(modes[0].poses, m.poses)[1] for m in modes[1:]]
    assert gaps and min(gaps) > 1e-4
