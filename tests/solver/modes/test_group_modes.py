"""All closures of groups of several loops in a plane and on a sphere; loops that move; in words.

Lengths in mm.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mechanisms import bennett, disturb, hinge, moved, random_pose, rebuilt, sarrus, worst_gap

import assembly_solver as asm
from assembly_solver.foundations.watch import Stopped, Watch
from assembly_solver.results.wording.assembly_modes import ways_to_close
from assembly_solver.solver.modes.closure_count import closure_count
from assembly_solver.solver.modes.loop_paths import LoopPath
from assembly_solver.solver.modes.loop_starts import generic_member, kept
from assembly_solver.solver.modes.loop_structure import Structure, loops_of, ordered
from assembly_solver.solver.modes.monodromy import generic_hinges, generic_loops
from assembly_solver.solver.modes.trusses import trusses
from assembly_solver.solver.modes.turn_paths import TurnLoops

SAMPLES = Path(__file__).parents[3] / "samples"


# ------------------------------------------------------------------ families
ROOTS = {
    2: [6],
    3: [14, 16, 18],
    4: [
        30,
        36,
        38,
        *[40] * 3,
        *[42] * 3,
        *[44] * 2,
        *[46] * 3,
        *[48] * 5,
        *[50] * 3,
        *[52] * 2,
        *[54] * 2,
        56,
        58,
    ],
}
"""Closures of planar loops by their number, as monodromy finds them."""


@pytest.mark.parametrize("loops", ROOTS)
def test_structures_of_planar_loops_are_kept_with_all_their_closures(loops: int):
    found = [f for s in trusses(loops) if kept("plane", s) and (f := generic_member("plane", s))]
    assert sorted(len(f.solutions) for f in found) == ROOTS[loops]
    for f in found:
        path = LoopPath(f.loops, f.joints, f.joints, f.joints)
        r = path.system(f.solutions, np.zeros(len(f.solutions)))[0]
        assert np.abs(r).max() <= 1e-6  # of generic numbers, in single precision


@pytest.mark.parametrize("loops", ROOTS)
def test_as_many_closures_of_planar_loops_are_counted_as_are_found(loops: int):
    for structure in trusses(loops):
        own = kept("plane", structure)
        assert own is not None and len(own.closures) == closure_count(TurnLoops.of(structure))


def test_a_prism_of_bars_has_its_24_published_realisations():
    """Its two triangles are links that three bars join; each of them may lie on either side.

    Source: J. Capco and others, The number of realizations of a Laman graph, arXiv 1701.05500.
    """
    assert 2 * 2 * closure_count(TurnLoops.of(trusses(2)[0])) == 24


def test_monodromy_finds_all_closures_of_two_loops_in_a_plane():
    assert len(generic_hinges(TurnLoops.of(trusses(2)[0]), seed=6)[1]) == 6


def test_monodromy_closes_a_spherical_triangle_in_two_ways():
    assert len(generic_loops(loops_of("sphere", ((0, 0, 3),)), seed=6)[1]) == 2


def test_a_structure_is_known_whatever_link_is_fixed_and_however_links_are_numbered():
    structure = ((0, 1, 1), (0, 2, 1), (0, 3, 2), (1, 2, 2), (1, 3, 1), (2, 3, 2))
    joints, links = [], 4
    for a, b, n in structure:
        chain = [a, *range(links, links + n - 1), b]
        links += n - 1
        joints += list(pairwise(chain))
    rng = np.random.default_rng(1)
    for _ in range(20):
        number = rng.permutation(links).tolist()
        entered = [joints[k] for k in rng.permutation(len(joints))]
        flipped = [
            (number[b], number[a]) if rng.random() < 0.5 else (number[a], number[b])
            for a, b in entered
        ]
        order = ordered(flipped)
        assert order is not None and order.structure == structure


# ------------------------------------------------------------------ groups
def butterfly() -> asm.Assembly:
    return asm.read(SAMPLES / "double_butterfly.assembly.json")


def spherical_triad() -> asm.Assembly:
    """A plate on three links of which all hinges meet in one point."""
    rng, a = np.random.default_rng(6), asm.Assembly("spherical")
    ends = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]
    ways = rng.normal(size=(6, 3))
    ways *= 100 / np.linalg.norm(ways, axis=1)[:, None]
    for body in range(5):
        own = [k for k, pair in enumerate(ends) if body in pair]
        features = {f"f{k}": asm.Axis(tuple(ways[k]), tuple(ways[k])) for k in own}
        a.add(f"part {body}", features=features, grounded=body == 0)
    for k, (one, two) in enumerate(ends):
        a.mate("revolute", f"part {one}.f{k}", f"part {two}.f{k}", name=f"hinge {k}")
    return a


GROUPS = {"butterfly": (butterfly, 18), "spherical": (spherical_triad, 8)}


@pytest.fixture(scope="module")
def known() -> dict[str, list[asm.Mode]]:
    return {name: asm.modes(make()) for name, (make, _) in GROUPS.items()}


@pytest.mark.parametrize("name", GROUPS)
def test_the_closures_of_a_group_are_counted(name: str, known: dict[str, list[asm.Mode]]):
    modes = known[name]
    assert {m.solutions for m in modes} == {GROUPS[name][1]}
    assert all(m.complete and not m.why for m in modes)
    assert len(modes) == {18: 6, 8: 2}[GROUPS[name][1]]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GROUPS)
def test_the_same_closures_from_any_start_and_place(
    name: str, seed: int, known: dict[str, list[asm.Mode]]
):
    by = random_pose(np.random.default_rng(seed))
    found = asm.modes(moved(disturb(GROUPS[name][0](), seed, 10, 15), by))
    assert all(m.complete for m in found) and len(found) == len(known[name])
    back = by.inverse()
    for m in found:
        here = {part: back @ pose for part, pose in m.poses.items()}
        assert min(worst_gap(here, k.poses)[0] for k in known[name]) <= 1e-5


def test_the_order_of_parts_and_mates_and_the_unit_do_not_matter(known: dict[str, list[asm.Mode]]):
    a, rng = spherical_triad(), np.random.default_rng(3)
    parts, mates = (rng.permutation(list(x)).tolist() for x in (a.parts, a.mates))
    found = asm.modes(rebuilt(a, parts, mates, lambda n: f"x {n}", scale=0.001))
    assert sorted(m.name for m in found) == sorted(m.name for m in known["spherical"])
    for m in found:
        here = {part[2:]: pose for part, pose in m.poses.items()}
        turns = [worst_gap(here, k.poses)[1] for k in known["spherical"]]
        assert min(turns) <= 1e-5


def hinged_group(structure: Structure, seed: int) -> tuple[asm.Assembly, TurnLoops, np.ndarray]:
    """Links whose hinges are anywhere; which links they join, and where they are, x + i y."""
    rng, loops = np.random.default_rng(seed), TurnLoops.of(structure)
    at, a = rng.uniform(-100, 100, size=(len(loops.ends), 2)), asm.Assembly("group")
    for link in range(loops.links):
        own = [k for k, ends in enumerate(loops.ends.tolist()) if link in ends]
        features = {f"h{k}": asm.Axis((*at[k], 0), "z") for k in own}
        a.add(f"link {link}", grounded=link == 0, features=features)
    for k, (one, two) in enumerate(loops.ends.tolist()):
        a.mate("revolute", f"link {one}.h{k}", f"link {two}.h{k}", name=f"pin {k}")
    return a, loops, at @ [1.0, 1.0j]


def closures_by_newton(loops: TurnLoops, at: np.ndarray, starts: int) -> list[np.ndarray]:
    """The different turns of the links at which Newton's iteration from random angles ends."""
    spans = loops.spans(np.repeat(np.stack([at, at.conj()])[..., None], 2, axis=2))[0]
    angles = np.random.default_rng(0).uniform(-np.pi, np.pi, (starts, loops.links))
    angles[:, 0] = 0.0
    for _ in range(40):
        turns = np.exp(1j * angles)
        r, j = turns @ spans.T, (1j * spans * turns[:, None])[..., 1:]
        r, j = (np.concatenate([x.real, x.imag], axis=1) for x in (r, j))
        step = np.linalg.solve(j, r[..., None])[..., 0]
        angles[:, 1:] -= step / np.maximum(1.0, np.linalg.norm(step, axis=1, keepdims=True))
    found: list[np.ndarray] = []
    for t in np.exp(1j * angles):
        if np.abs(spans @ t).max() <= 1e-8 and all(np.abs(t - f).max() > 1e-5 for f in found):
            found.append(t)
    return found


@pytest.mark.parametrize(("number", "seed", "solutions", "real"), [(0, 0, 30, 6), (2, 2, 40, 10)])
def test_a_planar_group_of_four_loops_has_every_closure_that_many_starts_reach(
    number: int, seed: int, solutions: int, real: int
):
    a, loops, at = hinged_group(trusses(4)[number], seed)
    modes = asm.modes(a)
    assert len(modes) == real and all(m.complete and m.solutions == solutions for m in modes)
    links = [f"link {k}" for k in range(loops.links)]
    turns = np.array([[m.poses[k].frame[3:5] @ [1.0, 1.0j] for k in links] for m in modes])
    found = closures_by_newton(loops, at, 500)
    assert len(found) >= real - 2
    assert all(np.abs(turns - t).max(axis=1).min() <= 1e-6 for t in found)


FIVE_LOOPS: Structure = (
    *((0, 1, 1), (0, 2, 2), (0, 4, 2), (1, 2, 2), (1, 2, 2), (1, 3, 1), (1, 4, 2), (2, 3, 2)),
    (3, 4, 1),
)


def test_a_planar_group_of_five_loops_has_every_closure_that_many_starts_reach():
    """Its generic closures are searched when they are asked for."""
    with pytest.raises(Stopped, match="cancelled"):
        generic_member("plane", FIVE_LOOPS, watch=Watch(cancel=lambda: True))
    a, loops, at = hinged_group(FIVE_LOOPS, 0)
    assert closure_count(loops) == 108
    modes = asm.modes(a)
    assert all(m.complete and m.solutions == 108 for m in modes)
    links = [f"link {k}" for k in range(loops.links)]
    turns = np.array([[m.poses[k].frame[3:5] @ [1.0, 1.0j] for k in links] for m in modes])
    found = closures_by_newton(loops, at, 500)
    assert len(found) >= len(modes) - 2
    assert all(np.abs(turns - t).max(axis=1).min() <= 1e-6 for t in found)


def test_no_mode_is_lost_where_redundant_values_have_six_digits():
    """Links that hold within the tolerance, not to rounding: the second mode was solved anew, by
    which it went over into the first, which was listed twice."""
    a = asm.Assembly("digits")
    pin, knee = (asm.Axis(p, "z") for p in ((8.0, -10.0, -86.0), (-80.0, 83.0, 81.0)))
    ends = np.array([[1, 50, 57], [77, -142, -72], [-48, -55, 95]], float)
    goals = np.array([[1, 50, 66], [21, -45, -72], [-88, -16, 95]], float)
    link = {f"p{k}": asm.Point(tuple(p)) for k, p in enumerate(ends)}
    other = {f"p{k}": asm.Point(tuple(p)) for k, p in enumerate(goals)}
    a.add("base", grounded=True, features={"pin": pin, "p2": other.pop("p2")})
    a.add("link", features={**link, "knee": knee, "face": asm.Plane((0, 0, -48), "z")})
    a.add("arm", features={**other, "pin": pin, "knee": knee, "face": asm.Plane((0, 0, -48), "-z")})
    lengths = [float(f"{v:.6g}") for v in np.linalg.norm(ends - goals, axis=1)]
    a.mate("distance", "link.p0", "arm.p0", value=lengths[0])
    a.mate("revolute", "arm.pin", "base.pin")
    a.mate("revolute", "arm.knee", "link.knee")
    a.mate("coplanar", "link.face", "arm.face", sense="opposed")
    a.mate("distance", "arm.p1", "link.p1", value=lengths[1])
    a.mate("distance", "base.p2", "link.p2", value=lengths[2])
    first, second = asm.modes(a)
    assert worst_gap(first.poses, second.poses)[0] > 10.0
    assert asm.solve(a, mode=second.name).require().mode == second.name


# ------------------------------------------------------------------ what moves
@pytest.mark.parametrize("make", [bennett, sarrus])
def test_a_loop_that_moves_is_not_counted(make: Callable[[], asm.Assembly]):
    modes = asm.modes(make())
    assert modes and not any(m.complete for m in modes)
    assert {m.why for m in modes} == {"they move: what moves has no closures to count"}
    assert {m.solutions for m in modes} == {None}


def test_a_linkage_of_bricard_moves_and_its_driven_one_is_counted():
    """Three hinges anywhere, and their images by half a turn."""
    rng, a = np.random.default_rng(4), asm.Assembly("bricard")
    points, ways = rng.normal(size=(2, 3, 3))
    half = np.diag([-1.0, -1.0, 1.0])
    points, ways = np.vstack([100 * points, 100 * points @ half]), np.vstack([ways, ways @ half])
    for k in range(6):
        features = {"i": asm.Axis(tuple(points[k - 1]), tuple(ways[k - 1]))}
        features["o"] = asm.Axis(tuple(points[k]), tuple(ways[k]))
        a.add(f"part {k}", features=features, grounded=k == 0)
    for k in range(6):
        a.mate("revolute", f"part {k}.o", f"part {(k + 1) % 6}.i", name=f"hinge {k}")
    assert {m.why for m in asm.modes(a)} == {"they move: what moves has no closures to count"}
    a.drive("motor", "hinge 0", value=0.0)
    modes = asm.modes(a)
    assert all(m.complete and m.solutions == len(modes) == 2 for m in modes)


def test_a_driven_bennett_linkage_has_one_closure():
    a = bennett()
    a.drive("motor", next(iter(a.mates)), value=20.0)
    modes = asm.modes(a)
    assert len(modes) == 1 and modes[0].complete and modes[0].solutions == 1


# ------------------------------------------------------------------ in words
def test_the_ways_to_close_are_said_with_their_count_or_why_it_is_not_known():
    said = ways_to_close(asm.solve(butterfly()).modes)
    assert said == "6 ways to close; this is -++++; all of them, the real ones of 18 solutions"
    four = asm.solve(asm.read(SAMPLES / "watt.assembly.json")).modes
    assert ways_to_close(four) == f"4 ways to close; this is {four.name}; all of them"
    moving = ways_to_close(asm.solve(bennett()).modes)
    assert moving.endswith("perhaps there are more: they move: what moves has no closures to count")
    assert ways_to_close(asm.solve(hinge()).modes) == ""


def test_the_analysis_counts_real_and_complex_closures_and_has_their_names():
    told = asm.analyse(butterfly()).to_dict()["modes"]
    assert (told["complete"], told["real"], told["complex"]) == (True, 6, 18)
    assert told["names"] == [mode["name"] for mode in told["found"]]
    assert [mode["name"] for mode in told["found"] if mode["here"]] == ["-++++"]
    watt = asm.analyse(asm.read(SAMPLES / "watt.assembly.json")).to_dict()["modes"]
    assert (watt["complete"], watt["real"], watt["complex"]) == (True, 4, None)
    lid = asm.analyse(asm.read(SAMPLES / "bad_lid.assembly.json")).to_dict()["modes"]
    assert (lid["complete"], lid["real"], lid["names"]) == (False, None, [])


def test_a_group_on_a_four_bar_is_counted_in_both_of_its_modes():
    """Two plates joined by two bars, one hinged to the frame, one to the rocker of a four-bar."""
    points = {
        "frame": {"a": (0, 0), "d": (200, 0), "p": (60, -150)},
        "crank": {"a": (0, 0), "b": (30, 52)},
        "coupler": {"b": (30, 52), "c": (170, 115)},
        "rocker": {"d": (200, 0), "c": (170, 115), "q": (290, 30)},
        "plate 1": {"p": (60, -150), "u": (120, -120), "v": (70, -60)},
        "plate 2": {"q": (290, 30), "w": (240, -70), "x": (210, -20)},
        "bar 1": {"u": (120, -120), "w": (240, -70)},
        "bar 2": {"v": (70, -60), "x": (210, -20)},
    }
    a, at = asm.Assembly("on a four-bar"), dict[str, str]()
    for name, own in points.items():
        features = {n: asm.Axis((*p, 0), "z") for n, p in own.items()}
        a.add(name, features=features, grounded=name == "frame")
    for name, own in points.items():
        for n in own:
            if n in at:
                a.mate("revolute", f"{at[n]}.{n}", f"{name}.{n}", name=f"pin {n}")
            at.setdefault(n, name)
    a.drive("motor", "pin a", value=0.0)
    modes = asm.modes(a)
    assert all(m.complete and m.solutions is None for m in modes)
    signs = [m.name[0] for m in modes]
    assert {"+", "-"} == {*signs}
    for m in modes:
        placed = a.copy()
        placed.move(m.poses)
        assert asm.solve(placed).residual <= 1e-6
    # from a start in the other mode of the four-bar the group has as many
    for sign in "+-":
        held = a.copy()
        held.move(next(m.poses for m in modes if m.name[0] == sign))
        assert len({m.name for m in asm.modes(held) if m.name[0] == sign}) == signs.count(sign)
