"""Singular poses and freedom owed to special dimensions, against linkages known by hand."""

from __future__ import annotations

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
    rebuilt,
    rssr,
    sarrus,
    stewart_ups,
    turned,
)

import assembly_solver as asm
from benchmarks import families

pytestmark = pytest.mark.quick

Z = (0.0, 0.0, 1.0)


def bars_in_line(kind: str = "revolute") -> asm.Assembly:
    """Two bars of 50 mm between points 100 mm apart: they reach, stretched, and cannot move."""
    return linkage(
        "toggle",
        dict.fromkeys(("frame", "one", "two"), asm.Pose()),
        [
            (kind, "frame", "one", O, Z),
            (kind, "one", "two", (50, 0, 0), Z),
            (kind, "frame", "two", (100, 0, 0), Z),
        ],
    )


@pytest.mark.parametrize("degrees", [0.0, 180.0])
def test_a_flattened_parallelogram_has_two_freedoms_and_one_nearby(degrees: float) -> None:
    """It can go on as a parallelogram or as an antiparallelogram: one freedom in either."""
    (entry,) = asm.solve(parallelogram(degrees)).singular
    assert (entry["dof"], entry["nearby"], entry["moves"], entry["certain"]) == (2, [1], True, True)
    assert entry["mates"] == [f"revolute {k}" for k in (1, 2, 3, 4)]
    assert entry["words"] == (
        "2 degrees of freedom here, 1 nearby: this pose is singular "
        "(crank, coupler and follower are in line)"
    )


@pytest.mark.parametrize("degrees", [0.1, 20.0, 90.0, 179.0])
def test_an_open_parallelogram_is_not_called_singular(degrees: float) -> None:
    solution = asm.solve(parallelogram(degrees))
    assert (solution.dof, solution.singular, solution.special) == (1, [], [])


@pytest.mark.parametrize(("degrees", "dof"), [(1e-7, 2), (1e-5, 1), (1e-4, 1)])
def test_very_near_a_singular_pose_the_count_is_said_not_to_be_certain(
    degrees: float, dof: int
) -> None:
    """The smallest singular value is about the sine of the crank's angle."""
    (entry,) = asm.solve(parallelogram(degrees)).singular
    assert (entry["dof"], entry["nearby"], entry["certain"]) == (dof, [1], False)
    assert "not beyond doubt: this pose is singular, or nearly so" in entry["words"]


def test_bars_in_line_have_a_freedom_of_first_order_only() -> None:
    """Their common pin cannot leave the line: the bars just reach."""
    solution = asm.solve(bars_in_line())
    (entry,) = solution.singular
    assert (solution.dof, entry["dof"], entry["nearby"], entry["moves"]) == (1, 1, [0], False)
    assert entry["words"] == (
        "1 degree of freedom here is of first order only, nothing moves: "
        "this pose is singular (one and two are in line)"
    )
    assert solution.sentence.endswith("; this pose is singular, its freedom of first order only")


def test_balls_in_line_spin_though_their_pin_cannot_leave_the_line() -> None:
    """Each bar spins about itself: 2 that last, and 2 of first order, of the pin across."""
    (entry,) = asm.solve(bars_in_line("spherical")).singular
    assert entry["dof"] == 4 and entry["certain"]
    assert max(entry["nearby"]) < 4 and entry["moves"]


@pytest.mark.parametrize(("make", "counted"), [(bennett, -2), (sarrus, 0)])
@pytest.mark.parametrize("seed", [None, 1])
def test_a_linkage_that_moves_by_its_dimensions_is_told_with_kutzbachs_count(
    make: type, counted: int, seed: int | None
) -> None:
    a = make() if seed is None else disturb(make(), seed, 4, 3)
    solution = asm.solve(a)
    (entry,) = solution.special
    assert (solution.dof, entry["dof"], entry["counted"], entry["moves"]) == (1, 1, counted, True)
    assert set(entry["mates"]) == set(a.mates)
    assert solution.singular == []


def test_with_one_hinge_tilted_bennetts_linkage_does_not_move() -> None:
    """Both parts' axes of one hinge are tilted alike, so it stays closed: four hinges in space."""
    a, tilt = bennett(), turned((1, 2, 3), 5).rotation
    tilted = asm.Assembly("no bennett")
    for name, part in a.parts.items():
        features = dict(part.features)
        if "revolute 2" in features:
            f, world = features["revolute 2"], part.pose.rotation
            assert isinstance(f, asm.Frame)
            features["revolute 2"] = asm.Frame(f.origin, tuple(world.T @ tilt @ world @ f.z))
        tilted.add(name, features=features, pose=part.pose, grounded=part.grounded)
    for mate in a.mates.values():
        tilted.mate(mate.kind, mate.a, mate.b, name=mate.name)
    solution = asm.solve(tilted).require()
    assert (solution.dof, solution.redundant_equations, solution.special) == (0, 2, [])


@pytest.mark.parametrize("make", [four_bar, rssr, stewart_ups])
def test_ordinary_linkages_are_neither_singular_nor_special(make: type) -> None:
    for a in (make(), disturb(make(), 2, 3, 2)):
        solution = asm.solve(a).require()
        assert (solution.singular, solution.special) == ([], [])


def test_the_excavator_is_certain_of_its_two_freedoms() -> None:
    solution = asm.solve(families.assembly(families.excavator(noise=1, seed=1))).require()
    assert (solution.dof, solution.singular) == (2, [])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_singular_pose_is_one_in_any_unit_and_anywhere(scale: float) -> None:
    a = moved(rebuilt(parallelogram(0.0), scale=scale), turned((1, 2, 3), 40, (30, 20, 10)))
    (entry,) = asm.solve(a).singular
    assert (entry["dof"], entry["nearby"]) == (2, [1])
    assert "are in line" in entry["words"]


def folding_parallelogram(crank: float) -> asm.Assembly:
    """A parallelogram of 30 and 100 mm with its crank at this angle, deg."""
    a, tip = asm.Assembly(), np.radians(crank)
    bars = {
        "crank": (30.0, (0.0, 0.0), crank),
        "coupler": (100.0, (30 * np.cos(tip), 30 * np.sin(tip)), 0.0),
        "rocker": (30.0, (100.0, 0.0), crank),
    }
    pivots = {"l": asm.Frame((0, 0, 0)), "r": asm.Frame((100, 0, 0))}
    a.add("ground", grounded=True, features=pivots)
    for name, (length, (x, y), angle) in bars.items():
        ends = {"l": asm.Frame((0, 0, 0)), "r": asm.Frame((length, 0, 0))}
        a.add(name, pose=asm.Pose.from_axis((x, y, 0), (0, 0, 1), angle), features=ends)
    a.mate("revolute", "ground.l", "crank.l", name="A")
    a.mate("revolute", "crank.r", "coupler.l", name="B")
    a.mate("revolute", "coupler.r", "rocker.r", name="C")
    a.mate("revolute", "ground.r", "rocker.l", name="D")
    return a


@pytest.mark.parametrize(
    ("start", "value"),
    [(s, v) for s in (0.0, 30.0, 150.0, 180.0) for v in (0.0, 180.0) if abs(s - v) < 180.0],
)
@pytest.mark.parametrize("joint", ["A", "D"])
def test_a_flat_parallelogram_is_told_in_the_same_words_from_every_start(
    start: float, value: float, joint: str
) -> None:
    a = folding_parallelogram(start)
    a.drive("drive", joint, "angle", value=value)
    solution = asm.solve(a).require()
    assert (solution.dof, solution.redundant_equations) == (2, 4)
    assert [entry["words"] for entry in solution.singular] == [
        "2 degrees of freedom here, 1 nearby: this pose is singular "
        "(crank, coupler and rocker are in line)"
    ]


@pytest.mark.parametrize("value", [0.0, 180.0])
def test_a_plate_fixed_to_the_coupler_does_not_change_what_is_told(value: float) -> None:
    """Three bodies that move have four parts."""
    a = folding_parallelogram(30.0)
    a.add("plate", features={"seat": asm.Frame((0, 5, 0))}, pose=asm.Pose((26, 20, 0)))
    a.add_features("coupler", {"seat": asm.Frame((50, 5, 0))})
    a.mate("fixed", "coupler.seat", "plate.seat")
    a.drive("drive", "A", "angle", value=value)
    solution = asm.solve(a).require()
    assert (solution.dof, solution.redundant_equations) == (2, 4)


def test_a_pose_that_is_near_a_singular_one_but_not_it_keeps_its_own_freedoms() -> None:
    a = folding_parallelogram(30.0)
    a.drive("drive", "A", "angle", value=0.01)
    assert asm.solve(a).require().dof == 1


def test_a_slider_that_just_reaches_its_rail_has_a_freedom_of_first_order_beside_its_own() -> None:
    """The seat is as far below the rail as the pin may be: it may slide along, and lies below."""
    a = asm.Assembly("slider")
    seat, rail = asm.Plane((0, 0, 0), (0, 0, 1)), asm.Axis((0, 0, 10), (1, 0, 0))
    a.add("frame", grounded=True, features={"seat": seat, "rail": rail})
    pin, start = asm.Axis((3, 0, 0), (1, 0, 0)), asm.Pose((2, 1, 3))
    a.add("slider", features={"foot": seat, "pin": pin}, pose=start)
    a.mate("coplanar", "frame.seat", "slider.foot", sense="aligned")
    a.mate("distance", "frame.rail", "slider.pin", value=10.0, sense="aligned")
    solution = asm.solve(a).require()
    assert solution.dof == 2
    assert sorted(abs(m["axis"]["direction"][0]) for m in solution.free_motions) == [0.0, 1.0]
    (entry,) = solution.singular
    assert (entry["dof"], entry["nearby"], entry["certain"]) == (2, [1], True)
