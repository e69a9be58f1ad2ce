"""Mobility by each count, and why they differ, against mechanisms known by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import (
    O,
    bennett,
    disturb,
    four_bar,
    linkage,
    moved,
    parallelogram,
    random_pose,
    rssr,
    sarrus,
    stewart_ups,
    turned,
)
from test_random_assemblies import draw

import assembly_solver as asm
from assembly_solver import cli

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SAMPLES = Path(__file__).parents[2] / "samples"


# ------------------------------------------------------------------ mechanisms


def planar(
    pins: Mapping[str, Sequence[float]],
    links: Mapping[str, str],
    bars: str = "",
    drives: str = "",
    tilt: float = 0.0,
) -> asm.Assembly:
    """Links with pins in the plane, the first link held, closed where they stand.

    At each pin the first link that has it carries the others.  A bar is a distance of pins of two
    links: "frame.H-coupler.E".  A driver is a pin with its two links: "A:frame:crank".
    """
    turn = turned((1, 2, 0.5), tilt)
    out = asm.Assembly("planar")
    first: dict[str, str] = {}
    for link, names in links.items():
        own = names.split()
        features: dict[str, asm.Feature] = {p: asm.Axis((*pins[p], 0), Z) for p in own}
        features |= {f"{p} point": asm.Point((*pins[p], 0)) for p in own}
        out.add(link, grounded=not out.parts, features=features, pose=turn)
        for p in own:
            if p in first:
                a, b = f"{first[p]}.{p}", f"{link}.{p}"
                out.mate("revolute", a, b, name=f"{p} {link}")
            first.setdefault(p, link)
    for bar in bars.split():
        ends = [end.split(".") for end in bar.split("-")]
        length = math.dist(*(pins[pin] for _, pin in ends))
        a, b = (f"{link}.{pin} point" for link, pin in ends)
        out.mate("distance", a, b, value=length, name=bar)
    for driver in drives.split():
        p, _, link = driver.split(":")
        out.drive(f"{p} motor", f"{p} {link}")
    return out


SQUARE = {"A": (0, 0), "B": (12, 40), "C": (70, 55), "D": (90, -4)}
FOUR = {"frame": "A D", "crank": "A B", "coupler": "B C", "rocker": "C D"}


def bricard() -> asm.Assembly:
    """Six bars of one length, each across the next, hinged across both: a closed path on a cube."""
    corners = 100.0 * np.array(
        [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    )
    axes = [Y, Z, X, Y, Z, X]
    names = ("frame", "one", "two", "three", "four", "five")
    return linkage(
        "bricard",
        dict.fromkeys(names, asm.Pose()),
        [("revolute", names[k - 1], names[k], corners[k], axes[k]) for k in range(6)],
    )


def four_bars(n: int, degrees: float) -> asm.Assembly:
    """n parallelograms side by side: legs of 100 mm, 100 mm apart, a bar from each to the next."""
    t = math.radians(degrees)
    low = [np.array([100.0 * k, 0, 0]) for k in range(n + 1)]
    high = [p + 100.0 * np.array([math.cos(t), math.sin(t), 0]) for p in low]
    legs, bars = [f"leg {k}" for k in range(n + 1)], [f"bar {k}" for k in range(n)]
    hinges: list[Any] = [("revolute", "frame", leg, p, Z) for leg, p in zip(legs, low, strict=True)]
    for k, bar in enumerate(bars):
        hinges.append(("revolute", legs[k], bar, high[k], Z))
        hinges.append(("revolute", bar, legs[k + 1], high[k + 1], Z))
    return linkage("four-bars", dict.fromkeys(("frame", *legs, *bars), asm.Pose()), hinges)


def cranks(off: float = 0.0) -> asm.Assembly:
    """A coupler on three cranks of 50 mm, the third longer by so much."""
    t = math.radians(50)
    way = np.array([math.cos(t), math.sin(t), 0.0])
    hinges: list[Any] = []
    for name, x, length in (("left", 0, 50), ("right", 130, 50), ("middle", 60, 50 + off)):
        foot = np.array([x, 0.0, 0.0])
        hinges.append(("revolute", "frame", name, foot, Z))
        hinges.append(("revolute", name, "coupler", foot + length * way, Z))
    names = ("frame", "coupler", "left", "right", "middle")
    return linkage("cranks", dict.fromkeys(names, asm.Pose()), hinges)


def spherical_four_bar() -> asm.Assembly:
    """Four hinges whose axes meet in a point away from the origin."""
    axes = np.array([(0, 0, 1), (0.3, 0.2, 1), (1, 0.5, 0.8), (1, -0.3, 0.2)])
    names = ("frame", "crank", "coupler", "rocker")
    middle = np.array([40.0, -30, 20])
    hinges = [
        ("revolute", names[k], names[(k + 1) % 4], middle + 50 * axes[k], axes[k]) for k in range(4)
    ]
    return linkage("spherical", dict.fromkeys(names, asm.Pose()), hinges)


def spatial_slider_crank() -> asm.Assembly:
    """Hinge, ball, Cardan joint and slide, nothing in line."""
    return linkage(
        "R-S-U-P",
        dict.fromkeys(("frame", "crank", "rod", "slider"), asm.Pose()),
        [
            ("revolute", "frame", "crank", (0, 100, 120), X),
            ("spherical", "crank", "rod", (0, 150, 180), Z),
            ("universal", "rod", "slider", (240, 10, 0), (0.2, 1, 0.1)),
            ("prismatic", "frame", "slider", (240, 0, 0), X),
        ],
    )


def wedges() -> asm.Assembly:
    """Two wedges on a table that slide along each other: three slides in a triangle."""
    return linkage(
        "wedges",
        dict.fromkeys(("table", "low", "high"), asm.Pose()),
        [
            ("prismatic", "table", "low", O, X),
            ("prismatic", "low", "high", (50, 30, 0), (2, 1, 0)),
            ("prismatic", "table", "high", (90, 40, 0), Y),
        ],
        grounded="table",
    )


# ------------------------------------------------------------------ rows that are known

KNOWN = {
    "planar 4R in space": (four_bar, (18, 20, 17), -2, 1, 1, 1),
    "two parallelograms upright": (lambda: four_bars(2, 90), (30, 35, 29), -5, 1, 1, 1),
    "two parallelograms flat": (lambda: four_bars(2, 0), (30, 35, 27), -5, 1, 3, 1),
    "three parallelograms flat": (lambda: four_bars(3, 0), (42, 50, 38), -8, 1, 4, 1),
    "flat parallelogram": (parallelogram, (18, 20, 16), -2, 1, 2, 1),
    "Bricard": (bricard, (30, 30, 29), 0, 0, 1, 1),
    "Sarrus": (sarrus, (30, 30, 29), 0, 0, 1, 1),
    "Bennett": (bennett, (18, 20, 17), -2, 0, 1, 1),
    "R-S-U-P": (spatial_slider_crank, (18, 17, 17), 1, 1, 1, 1),
    "RSSR": (rssr, (18, 16, 16), 2, 2, 2, 2),
    "6-UPS": (stewart_ups, (78, 72, 72), 6, 6, 6, 6),
    "spherical 4R": (spherical_four_bar, (18, 20, 17), -2, 1, 1, 1),
    "three equal cranks": (cranks, (24, 30, 23), -6, 0, 1, 1),
    "three parallel cranks, one longer": (lambda: cranks(7.0), (24, 30, 23), -6, 0, 1, 0),
}
"""Unknowns, equations, rank; Kutzbach, for almost all dimensions, at this pose, finite."""


@pytest.mark.parametrize("tilted", [False, True])
@pytest.mark.parametrize("name", KNOWN)
def test_linkages_that_are_known(name: str, tilted: bool) -> None:
    make, sizes, *dof = KNOWN[name]
    a = moved(make(), turned((3, -1, 2), 50, (10, 20, -30))) if tilted else make()
    found = asm.mobility(a)
    d = found.solution.diagnosis
    assert (d.unknowns, d.equations, d.rank) == sizes
    assert [found.kutzbach, found.generic, found.here, found.finite] == dof
    assert found.certified
    assert found.gap is not None and found.gap < 1e-6
    assert sum(sum(c.redundant.values()) for c in found.loops) == found.here - found.kutzbach


WORDS = {
    "planar 4R in space": (
        "Kutzbach gives -2; four parallel axes make 3 equations redundant; "
        "1 degree of freedom, and it is finite"
    ),
    "Bennett": (
        "Kutzbach gives -2; 2 equations are too many whatever the dimensions among three, frame, "
        "one and two; special dimensions make 1 equation redundant; "
        "1 degree of freedom, and it is finite"
    ),
    "Sarrus": (
        "Kutzbach gives 0; special dimensions (axes parallel in sets of three and three) make "
        "1 equation redundant; 1 degree of freedom, and it is finite"
    ),
    "spherical 4R": (
        "Kutzbach gives -2; four axes that meet in one point make 3 equations redundant; "
        "1 degree of freedom, and it is finite"
    ),
    "flat parallelogram": (
        "Kutzbach gives -2; four parallel axes make 3 equations redundant; this pose is singular "
        "and makes 1 equation redundant; 2 degrees of freedom at this pose, 1 in a finite movement"
    ),
    "three equal cranks": (
        "Kutzbach gives -6; six parallel axes make 6 equations redundant; a third crank, middle, "
        "repeats what left and right say: parallelogram; 1 degree of freedom, and it is finite"
    ),
    "three parallel cranks, one longer": (
        "Kutzbach gives -6; six parallel axes make 6 equations redundant; this pose is singular "
        "and makes 1 equation redundant; 1 degree of freedom of first order only, nothing moves"
    ),
    "RSSR": (
        "Kutzbach gives 2; 2 degrees of freedom, and they are finite; 1 of them is an idle spin"
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_why_the_counts_differ_is_said_in_words(name: str) -> None:
    assert asm.mobility(KNOWN[name][0]()).sentence == WORDS[name]


def test_a_start_off_the_pose_changes_nothing() -> None:
    found = asm.mobility(disturb(four_bar(), 3, 4.0, 5.0))
    assert found.sentence == WORDS["planar 4R in space"]


def test_a_stretched_four_bar_moves_to_first_order_only() -> None:
    """Frame as long as the other three: it can close in no other pose."""
    line = {"A": (0, 0), "B": (30, 0), "C": (80, 0), "D": (100, 0)}
    found = asm.mobility(planar(line, FOUR))
    assert (found.generic, found.here, found.finite) == (1, 2, 0)
    assert found.sentence.endswith("2 degrees of freedom of first order only, nothing moves")


# ------------------------------------------------------------------ sub-linkages and groups


def test_the_braces_of_a_four_bar_are_too_many_by_one_whatever_its_dimensions() -> None:
    """Two bars on four links; a dyad beside them takes no part."""
    pins = {**SQUARE, "E": (40, 90), "F": (120, 30), "G": (60, 20), "H": (30, 5), "K": (130, 90)}
    links = {"frame": "A D F H", "crank": "A B G", "coupler": "B C E", "rocker": "C D"}
    bars = "frame.H-coupler.E crank.G-rocker.C"
    found = asm.mobility(planar(pins, {**links, "arm": "F K", "last": "K E"}, bars))
    (entry,) = found.over_braced
    assert (entry["parts"], entry["equations"]) == (["frame", "crank", "coupler", "rocker"], 1)
    joints = {"A crank", "B coupler", "C rocker", "D rocker"}
    assert {*entry["mates"]} == {*joints, *bars.split()}
    assert (found.generic, found.here, found.certified) == (0, 0, True)
    assert entry["words"].startswith("1 equation is too many among frame, crank, coupler and rock")


def test_three_cranks_on_one_pin_are_a_shared_pin_and_one_equation_too_many() -> None:
    pins = {"A": (0, 0), "B": (80, 0), "C": (160, 10), "J": (70, 60)}
    links = {"frame": "A B C", "one": "A J", "two": "B J", "three": "C J"}
    found = asm.mobility(planar(pins, links))
    (entry,) = found.over_braced
    assert set(entry["parts"]) == {"frame", "one", "two", "three"}
    assert (found.generic, found.here, found.certified) == (0, 0, True)


def shafts(order: Sequence[int]) -> asm.Assembly:
    """A train of four shafts in bearings that bend by 20, 30 and 25 degrees, in any order."""
    way, at, pin = np.array(X), np.zeros(3), np.array(Z)
    a = asm.Assembly("shafts")
    for name in [("frame", *(f"shaft {k}" for k in range(4)))[n] for n in order]:
        a.add(name, grounded=name == "frame")
    joints = [("revolute", "frame", "shaft 0", asm.Frame((-50, 0, 0), X))]
    for k, (bend, axis) in enumerate(((20.0, Z), (30.0, Y), (25.0, Z)), 1):
        at = at + (k > 1) * 100.0 * way
        pin = pin - (pin @ way) * way
        way = turned(axis, bend).rotation @ way
        cross = np.cross(pin, way)
        meet = asm.Frame(tuple(at), tuple(pin), tuple(cross))
        joints.append(("universal", f"shaft {k - 1}", f"shaft {k}", meet))
        kind, bearing = "revolute" if k == 3 else "cylindrical", tuple(at + 60.0 * way)
        joints.append((kind, "frame", f"shaft {k}", asm.Frame(bearing, tuple(way))))
        pin = cross
    for n in (*order, 6, 5):
        kind, one, two, frame = joints[n]
        a.mate(kind, parts=(one, two), at=frame)
    return a


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (0, 2, 3, 1, 4), (4, 3, 0, 2, 1)])
def test_the_smallest_sub_linkages_with_too_many_equations_are_told_in_any_order(
    order: tuple[int, ...],
) -> None:
    """A bearing, a cross and a sleeve between two shafts have 13 equations for 12 freedoms.
    In one order 2 were told of the first three shafts, in another one 3, and not of which two."""
    found = asm.mobility(shafts(order))
    told = [(sorted(x["parts"]), x["equations"]) for x in found.over_braced]
    frame, *four = ("frame", *(f"shaft {k}" for k in range(4)))
    assert sorted(told[:-1]) == [([frame, *four[:2]], 1), ([frame, *four[2:]], 1)]
    assert told[-1] == ([frame, *four], 6)
    words = found.over_braced[-1]["words"]
    assert words.startswith("6 equations are too many among ")
    assert " in all, whatever the dimensions (" in words
    assert (found.kutzbach, found.generic, found.here, found.finite) == (-6, 0, 1, 1)


PEAUCELLIER = (
    {"O": (0, 0), "Q": (40, 0), "P": (71, 27), "A": (100.0, 80.0), "B": (124.7, 28.8), "X": (1, 1)},
    {
        "frame": "O Q",
        "crank": "Q P",
        "long a": "O A",
        "long b": "O B",
        "a1": "A P",
        "b1": "B P",
        "a2": "A X",
        "b2": "B X",
    },
)


@pytest.mark.parametrize(
    ("pins", "links", "driver", "expected"),
    [
        (SQUARE, FOUR, "A:frame:crank", [["crank"], ["coupler", "rocker"]]),
        (
            {**SQUARE, "E": (40, 90), "F": (120, 30)},
            {
                "frame": "A D F",
                "crank": "A B",
                "coupler": "B C E",
                "rocker": "C D",
                "arm": "E G",
                "last": "G F",
            },
            "A:frame:crank",
            [["crank"], ["coupler", "rocker"], ["arm", "last"]],
        ),
        (
            *PEAUCELLIER,
            "Q:frame:crank",
            [["crank"], ["long a", "a1"], ["long b", "b1"], ["a2", "b2"]],
        ),
    ],
)
def test_assur_groups_by_names_in_order(
    pins: dict[str, Any], links: dict[str, str], driver: str, expected: list[list[str]]
) -> None:
    found = asm.mobility(planar({**pins, "G": (150, 95)}, links, drives=driver))
    assert found.groups is not None
    assert [sorted(g) for g in found.groups] == [sorted(g) for g in expected]
    assert (found.here, found.certified, found.notes) == (1, True, ())


@pytest.mark.parametrize(
    ("sample", "kutzbach", "sizes"),
    [
        ("watt", -5, [1, 2, 2]),
        ("stephenson_iii", -5, [1, 2, 2]),
        ("double_butterfly", -8, [1, 6]),
        ("theo_jansen", -8, [1, 2, 2, 2]),
        ("peaucellier", -8, [1, 2, 2, 2]),
        ("scissor_lift", -8, [1, 2, 2, 2]),
        ("excavator", -5, [3, 2, 3, 2, 3]),
        ("motiongen/millipede", -35, [25]),
        ("motiongen/rppp", -2, [3]),
        ("motiongen/seven_bar", -8, [1, 6]),
    ],
)
def test_samples_move_as_their_drivers_ask_in_groups_of_these_sizes(
    sample: str, kutzbach: int, sizes: list[int]
) -> None:
    a = asm.read(SAMPLES / f"{sample}.assembly.json")
    found = asm.mobility(a)
    assert found.kutzbach == kutzbach and found.certified
    assert found.generic == found.here == found.finite == len(a.drivers)
    assert found.groups is not None and [len(g) for g in found.groups] == sizes


def test_a_rod_between_balls_keeps_a_spin_that_no_driver_takes_and_it_is_said() -> None:
    a = rssr()
    a.drive("motor", "revolute 1")
    found = asm.mobility(a)
    assert found.groups == ()
    assert found.notes == ("no groups of crank, coupler and rocker: drivers leave them freedoms",)


# ------------------------------------------------------------------ what the game does not see


def test_three_parallel_mates_look_rigid_to_the_game_and_the_rank_is_the_authority() -> None:
    a = asm.Assembly("loose")
    a.add("base", grounded=True)
    a.add("part", pose=random_pose(np.random.default_rng(1)))
    for axis in "xyz":
        a.mate("parallel", f"base.{axis}", f"part.{axis}", name=f"along {axis}", sense="aligned")
    found = asm.mobility(a)
    assert (found.kutzbach, found.loops[0].pebbles) == (0, 0)
    assert (found.generic, found.here, found.finite, found.certified) == (3, 3, 3, False)
    assert found.notes == (
        "the pebble game counts 0 and does not see what is special of along x, along y and along "
        "z; the rank for random dimensions leaves 3",
    )


def test_three_slides_in_a_triangle_move_whatever_their_directions() -> None:
    found = asm.mobility(wedges())
    assert (found.loops[0].motion, found.loops[0].pebbles) == ("in parallel planes", 0)
    assert (found.kutzbach, found.generic, found.here, found.finite) == (-3, 1, 1, 1)
    assert found.loops[0].unseen == ("prismatic 1", "prismatic 2", "prismatic 3")
    assert not found.certified and "prismatic 1, prismatic 2 and" in found.notes[0]


def test_a_gear_pair_is_one_edge_between_the_gears() -> None:
    a = planar({"A": (0, 0), "B": (70, 10)}, {"frame": "A B", "one": "A", "two": "B"})
    a.mate("gear", joints=("A one", "B two"), ratio=-2.0, name="mesh")
    found = asm.mobility(a)
    assert (found.kutzbach, found.generic, found.here, found.finite) == (1, 1, 1, 1)


# ------------------------------------------------------------------ properties


def random_planar(seed: int) -> asm.Assembly:
    """Links with random pins, some shared by several, and bars: dimensions in general."""
    rng = np.random.default_rng(seed)
    links = int(rng.integers(3, 7))
    names = [f"L{k}" for k in range(links)]
    pins, own = {}, {n: [] for n in names}
    for k in range(int(rng.integers(links - 1, 2 * links - 1))):
        pin = f"P{k}"
        pins[pin] = tuple(rng.uniform(-100, 100, 2))
        size = 2 if rng.uniform() < 0.75 else 3
        first = [names[k + 1], names[int(rng.integers(k + 1))]] if k + 1 < links else []
        rest = [n for n in rng.permutation(names).tolist() if n not in first]
        for n in [*first, *rest][:size]:
            own[n].append(pin)
    at = [(n, p) for n in names for p in own[n]]
    ends = [at[k] for k in rng.permutation(len(at))[:6]]
    bars = [f"{a}.{p}-{b}.{q}" for (a, p), (b, q) in pairwise(ends) if a != b and p != q]
    bars = bars[: int(rng.integers(0, 4))]
    return planar(pins, {n: " ".join(p) for n, p in own.items()}, " ".join(bars), tilt=20.0)


@pytest.mark.parametrize("seed", range(30))
def test_the_game_counts_what_the_rank_is_for_random_planar_linkages(seed: int) -> None:
    found = asm.mobility(random_planar(seed))
    flat = [c for c in found.loops if c.motion == "in parallel planes"]
    assert [c.pebbles for c in flat] == [c.generic for c in flat] == [c.here for c in flat]


@pytest.mark.parametrize("seed", range(12))
def test_the_game_counts_what_the_rank_is_for_random_loops_of_hinges_in_space(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, chords = int(rng.integers(4, 9)), int(rng.integers(0, 3))
    names = ["frame", *(f"link {k}" for k in range(1, n))]
    ends = [(k, (k + 1) % n) for k in range(n)] + [(0, 2 + k) for k in range(chords)]
    hinges = [
        ("revolute", names[a], names[b], rng.uniform(-100, 100, 3), rng.normal(size=3))
        for a, b in dict.fromkeys(ends)
    ]
    found = asm.mobility(linkage("loop", dict.fromkeys(names, asm.Pose()), hinges))
    rigid = 6 * (n - 1) <= 5 * len(hinges)
    assert found.certified and found.generic == found.here
    assert (found.here == 0) is rigid


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "in space"])
def test_each_count_is_at_least_the_one_before_it_and_what_the_game_misses_is_named(
    flat: bool,
) -> None:
    for seed in range(15):
        found = asm.mobility(draw(seed, flat))
        for c in found.loops:
            assert min(c.redundant.values(), default=1) > 0, seed
            assert sum(c.redundant.values()) == c.here - c.kutzbach, seed
            assert c.certified or c.unseen, seed


# ------------------------------------------------------------------ the command


def test_the_command_tells_what_the_verb_finds(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(SAMPLES / "four_bar.assembly.json")
    assert cli.main(["mobility", file, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads(json.dumps(asm.mobility(asm.read(file)).to_dict()))
    assert result["sentence"] == WORDS["planar 4R in space"]
    assert result["groups"] == [["crank"], ["coupler", "rocker"]]
    assert cli.main(["mobility", file]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_mobility_of_what_does_not_solve_is_not_told() -> None:
    found = asm.mobility(asm.read(SAMPLES / "bad_lid.assembly.json"))
    assert not found and found.kutzbach is None
    assert found.sentence.endswith("; mobility is told of a solved assembly only")
