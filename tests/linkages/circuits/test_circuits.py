"""Circuits and branches against the law of cosines: how many, where each exists, what ends it."""

from __future__ import annotations

import math
from dataclasses import replace

import motiongen
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from assembly_solver.linkages.circuits.circuit import Branch, Circuits
from assembly_solver.linkages.circuits.circuits import circuits_of
from assembly_solver.linkages.circuits.driven_linkage import DrivenLinkage
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink, SchemeSlot
from benchmarks.circuits import KINDS, linkage

Array = NDArray[np.float64]

FINE = 1e-9
"""Of the end of a branch, degrees or mm."""

DEGREE = math.radians(1.0)


def meet(c: complex, r: float, d: complex, s: float, side: int = 1) -> complex:
    """Where two circles meet, left of c -> d with side +1."""
    far = abs(d - c)
    along = (far**2 + r**2 - s**2) / (2 * far)
    return c + (along + 1j * side * math.sqrt(r**2 - along**2)) * (d - c) / far


def angle(a: float, b: float, opposite: float) -> float:
    """Of a triangle between the sides a and b, degrees."""
    return math.degrees(math.acos((a**2 + b**2 - opposite**2) / (2 * a * b)))


def places(*at: complex) -> Array:
    return np.array([[z.real, z.imag] for z in at])


def four_bar(
    frame: float,
    crank: float,
    coupler: float,
    rocker: float,
    start: float = 60.0,
    by: str = "crank",
) -> Scheme:
    """A four-bar A B C D, driven at A, or at D by its rocker's angle from D away from A."""
    b, d = crank * np.exp(1j * math.radians(start)), complex(frame)
    at = places(0j, b, meet(b, coupler, d, rocker), d, 2 * d)
    links = (
        SchemeLink("frame", (0, 3, 4)),
        SchemeLink("crank", (0, 1)),
        SchemeLink("coupler", (1, 2)),
        SchemeLink("rocker", (3, 2)),
    )
    rays = (3, 0, 1) if by == "crank" else (4, 3, 2)
    return Scheme(("A", "B", "C", "D", "far"), at, links, (), (Actuator(by, "R", rays, DEGREE),))


def slider_crank(crank: float, rod: float, aside: float = 0.0, **ends: float) -> Scheme:
    """A slider-crank O B C driven by its slider, `aside` above the crank's axis."""
    b = crank * np.exp(1j * math.radians(60.0))
    c = complex(b.real + math.sqrt(rod**2 - (aside - b.imag) ** 2), aside)
    at = places(0j, b, c, complex(0.0, aside), complex(100.0, aside))
    links = (SchemeLink("frame", (0, 3, 4)), SchemeLink("crank", (0, 1)), SchemeLink("rod", (1, 2)))
    slot = SchemeSlot("rail", 2, (3, 4), 0, **ends)
    return Scheme(("O", "B", "C", "p", "r"), at, links, (slot,), (Actuator("ram", "P", (3, 2, 4)),))


def six_bar() -> Scheme:
    """Watt's: the rocker of a crank-rocker 300, 100, 260, 200 drives a second one by a dyad."""
    first = four_bar(300, 100, 260, 200)
    c, foot = complex(*first.at[2]), complex(560, -40)
    at = np.vstack([first.at, places(meet(c, 320, foot, 200), foot)])
    frame, *others = first.links
    links = (
        SchemeLink("frame", (*frame.points, 6)),
        *others,
        SchemeLink("link", (2, 5)),
        SchemeLink("out", (6, 5)),
    )
    return replace(first, points=(*first.points, "E", "F"), at=at, links=links)


def found(scheme: Scheme) -> Circuits:
    return circuits_of(plan_linkage(scheme), 0)


def intervals(circuits: Circuits) -> list[list[tuple[float, float]]]:
    """Of the branches of each circuit."""
    return [[(b.low, b.high) for b in c.branches] for c in circuits.found]


@pytest.mark.quick
# ------------------------------------------------------------------ four-bars
def test_a_crank_rocker_has_two_circuits_of_one_branch_that_turns_fully() -> None:
    circuits = found(four_bar(200, 60, 180, 140))
    assert circuits.complete and circuits.words == ""
    assert [c.start for c in circuits.found] == [True, False]
    branches = [b for c in circuits.found for b in c.branches]
    assert [(b.number, b.circuit, b.ends, b.signs) for b in branches] == [
        (1, 1, (), {"C": 1}),
        (2, 2, (), {"C": -1}),
    ]
    assert [b.high - b.low for b in branches] == pytest.approx([360.0, 360.0], abs=FINE)
    assert circuits.found[0].words == (
        "circuit 1 (of the start): branch 1 (the start), a full turn of crank, C +"
    )


@pytest.mark.quick
def test_a_four_bar_that_is_not_of_grashof_has_one_circuit_of_two_branches() -> None:
    folded = angle(200, 260, 300 - 220)
    circuits = found(four_bar(260, 200, 300, 220))
    assert np.ravel(intervals(circuits)) == pytest.approx(2 * [folded, 360 - folded], abs=FINE)
    one, two = circuits.found[0].branches
    assert (one.start, two.start) == (True, False)
    assert [e.meets for b in (one, two) for e in b.ends] == [(2,), (2,), (1,), (1,)]
    low = one.ends[0]
    assert (low.kind, low.joint) == ("dead point", "C")
    assert low.words == "dead point at crank 13.32536766 deg: coupler and rocker are in line at C"


def test_a_rocker_as_input_divides_each_of_two_circuits_into_two_branches() -> None:
    """It turns back where crank and coupler are in line, stretched and folded."""
    low, high = (180 - angle(200, 140, reach) for reach in (180 + 60, 180 - 60))
    circuits = found(four_bar(200, 60, 180, 140, by="rocker"))
    above, below = [(low, high)] * 2, [(360 - high, 360 - low)] * 2
    assert np.ravel(intervals(circuits)) == pytest.approx(np.ravel([above, below]), abs=FINE)
    ends = {e.joint for c in circuits.found for b in c.branches for e in b.ends}
    assert ends == {"B"}


def test_the_branches_of_a_parallelogram_meet_at_its_two_change_points() -> None:
    circuits = found(four_bar(200, 60, 200, 60))
    assert np.ravel(intervals(circuits)) == pytest.approx(
        2 * [0.0, 180.0] + 2 * [180.0, 360.0], abs=FINE
    )
    for branch in circuits.found[0].branches:
        for end in branch.ends:
            assert end.kind == "change point"
            assert end.meets == tuple(k for k in (1, 2, 3, 4) if k != branch.number)


def test_a_gap_of_a_few_hundredths_of_a_degree_is_not_stepped_over() -> None:
    """The shortest and the longest link are 1e-5 mm longer than the other two."""
    least = 1e-5
    dead = angle(200, 60, 260 - least)
    circuits = found(four_bar(200, 60, 180, 80 - least))
    assert 180 - dead < 0.04
    assert np.ravel(intervals(circuits)) == pytest.approx(2 * [-dead, dead], abs=1e-7)


@pytest.mark.parametrize("crank", [1.0, 0.05, 0.001])
def test_an_interval_much_shorter_than_half_a_degree_is_found_where_nothing_stands(
    crank: float,
) -> None:
    """A rocker swings a little to a tiny crank, above the ground link and, mirrored, below it."""
    low, high = (180 - angle(200, 140, reach) for reach in (180 + crank, 180 - crank))
    assert high - low < 1.0 * crank
    circuits = found(four_bar(200, crank, 180, 140, by="rocker"))
    above, below = [(low, high)] * 2, [(360 - high, 360 - low)] * 2
    # the height of a flat triangle is known to the square root of rounding
    assert np.ravel(intervals(circuits)) == pytest.approx(np.ravel([above, below]), abs=1e-7)


def test_a_four_bar_that_just_turns_has_no_ends() -> None:
    circuits = found(four_bar(200, 60, 180, 80 + 1e-5))
    assert [[b.ends for b in c.branches] for c in circuits.found] == [[()], [()]]


@pytest.mark.parametrize("shorter", [2.0, 0.02, 5e-3])
def test_change_points_of_nearly_a_rhombus_are_found_between_samples(shorter: float) -> None:
    """Where its pivots come close the half chord is 0 for less than a sampled step."""
    side = 200.0 - shorter
    (circuit,) = circuits_of(plan_linkage(four_bar(side, 200, side, 200)), 0, 60.0).found
    found = sorted((round(b.low, 4) + 0.0, round(b.high, 4)) for b in circuit.branches)
    assert found == 2 * [(0.0, 180.0)] + 2 * [(180.0, 360.0)]


@pytest.mark.parametrize(("near", "low"), [(60.0, 13.325), (420.0, 373.325), (-300.0, -346.675)])
def test_branches_that_meet_are_told_in_the_turn_that_is_asked(near: float, low: float) -> None:
    circuits = circuits_of(plan_linkage(four_bar(260, 200, 300, 220)), 0, near)
    assert [b.low for b in circuits.found[0].branches] == pytest.approx([low, low], abs=1e-3)


# ------------------------------------------------------------------ sliders
@pytest.mark.parametrize("aside", [0.0, 40.0])
def test_a_slider_as_input_has_a_circuit_on_either_side_of_the_crank(aside: float) -> None:
    near, far = (math.sqrt(reach**2 - aside**2) for reach in (250.0, 450.0))
    circuits = found(slider_crank(100, 350, aside))
    assert np.ravel(intervals(circuits)) == pytest.approx(
        2 * [near, far] + 2 * [-far, -near], abs=FINE
    )
    words = circuits.found[0].branches[0].ends[1].words
    assert words.endswith("crank and rod are in line at B")


def test_the_end_of_a_slot_is_told_as_a_limit_and_joins_no_branches() -> None:
    circuits = found(slider_crank(100, 350, low=300.0, high=500.0))
    assert np.ravel(intervals(circuits)) == pytest.approx(2 * [300.0, 450.0], abs=FINE)
    low, high = circuits.found[0].branches[0].ends
    assert (low.kind, low.joint, low.meets) == ("limit", "rail", ())
    assert (high.kind, high.meets) == ("dead point", (2,))
    assert low.words == "rail comes to its end at ram 300 mm"


# ------------------------------------------------------------------ two dyads
def test_the_circuits_of_a_six_bar_that_turns_fully_are_the_signs_of_its_two_dyads() -> None:
    """Its second dyad closes over the whole swing of the rocker."""
    circuits = found(six_bar())
    turning = [b.signs for c in circuits.found for b in c.branches if not b.ends]
    assert {"C": 1, "E": 1} in turning and {"C": 1, "E": -1} in turning
    assert all(len(c.branches) == 1 for c in circuits.found if not c.branches[0].ends)


@pytest.mark.parametrize("seed", range(6))
def test_what_can_be_built_is_on_one_branch_and_what_cannot_on_none(seed: int) -> None:
    """Six-bars with lengths off by a third; each sign and 200 places of the input."""
    rng = np.random.default_rng(seed)
    scheme = six_bar()
    scheme = replace(scheme, at=scheme.at + rng.uniform(-60, 60, scheme.at.shape))
    planned = plan_linkage(scheme)
    branches = [b for c in circuits_of(planned, 0).found for b in c.branches]
    led, values = DrivenLinkage(planned, 0), np.sort(rng.uniform(0, 360, 200))
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        states = led.states(np.array(signs), values)
        own = [b for b in branches if tuple(b.signs.values()) == signs]
        on = sum(_holds(b, values).astype(int) for b in own) + np.zeros(len(values), int)
        np.testing.assert_array_equal(on, states.valid.astype(int))


def _holds(branch: Branch, values: Array) -> NDArray[np.bool_]:
    """Which values lie on a branch, turns aside."""
    out: NDArray[np.bool_] = np.mod(values - branch.low, 360.0) <= branch.high - branch.low
    return out


@pytest.mark.parametrize("seed", range(3))
def test_every_position_of_every_branch_keeps_the_links(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scheme = six_bar()
    scheme = replace(scheme, at=scheme.at + rng.uniform(-40, 40, scheme.at.shape))
    z = np.array(scheme.start)
    for circuit in found(scheme).found:
        for b in circuit.branches:
            p = b.positions[:, 0] + 1j * b.positions[:, 1]
            for link in scheme.links[1:]:
                i, k = link.points[:2]
                np.testing.assert_allclose(np.abs(p[i] - p[k]), abs(z[i] - z[k]), atol=1e-9)


SHORT_BRANCHES = {
    "watt": (
        (57, 67), (50, 71), (-53, 29), (-87, 11), (-34, -75), (97, -21), (-20, -47), (157, 67)
    ),
    "watt II": (
        (-52, 58), (-4, -17), (-34, -48), (13, 77), (75, -72), (0, 62), (-39, 94), (48, 58)
    ),
    "stephenson": (
        (84, 88), (92, -64), (47, -72), (-36, 76), (18, -36), (-13, -99), (-21, 91), (184, 88)
    ),
}  # fmt: skip
"""Pins of six-bars with a branch between two dead points, of one dyad and the other: A, B, C, D of
the four-bar, E of the rocker or coupler, F of the ground, G of the last dyad, and one that aims."""


@pytest.mark.parametrize("name", SHORT_BRANCHES)
def test_a_short_branch_at_the_dead_point_of_an_earlier_dyad_is_found(name: str) -> None:
    """What circle intersections can build at values that crowd about every end is on a branch."""
    at = np.array(SHORT_BRANCHES[name], float)
    third = (1, 2, 4) if name == "stephenson" else (1, 2)
    rocker = (3, 2) if name == "stephenson" else (3, 2, 4)
    links = ((0, 1), third, rocker, (4, 6), (5, 6))
    scheme = Scheme(
        tuple("ABCDEFGH"),
        at,
        (SchemeLink("frame", (0, 3, 5, 7)), *(SchemeLink(str(x), x) for x in links)),
        (),
        (Actuator("crank", "R", (7, 0, 1), DEGREE),),
    )
    circuits = found(scheme)
    assert circuits.complete and circuits.words == ""
    branches = [b for c in circuits.found for b in c.branches]
    ends = np.array([end.value for b in branches for end in b.ends])
    crowd = np.ravel(
        ends[:, None] + np.outer((-1.0, 1.0), 10.0 ** np.arange(-7.0, 0.0, 0.5)).ravel()
    )
    values = np.concatenate([np.linspace(0.0, 360.0, 3600), crowd])
    led = DrivenLinkage(plan_linkage(scheme), 0)
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        own = [b for b in branches if tuple(b.signs.values()) == signs]
        on = sum(_holds(b, values).astype(int) for b in own) + np.zeros(len(values), int)
        np.testing.assert_array_equal(on, led.states(np.array(signs), values).valid.astype(int))


def test_ends_are_enclosed_and_the_closed_form_lies_within() -> None:
    """The dead points of a crank by the law of cosines, to a trillionth of a turn."""
    circuits = found(four_bar(260, 200, 300, 220))
    dead = angle(260, 200, 80)
    assert circuits.complete
    for branch in circuits.found[0].branches:
        for end, exact in zip(branch.ends, (dead, 360 - dead), strict=True):
            assert end.within is not None and end.within < 360e-12
            off = (end.value - exact) % 360.0
            assert min(off, 360.0 - off) <= end.within + 1e-13


def test_an_end_that_double_precision_does_not_know_to_rounding_is_enclosed_as_well() -> None:
    """Watt's six-bar with random pins of the benchmark, wider than 3.6e-10 degrees in doubles."""
    circuits = found(linkage(KINDS["Watt"], np.random.default_rng(106)))
    ends = [e for c in circuits for b in c.branches for e in b.ends]
    assert circuits.complete and len(ends) == 16
    # some roundings of an angle in degrees, of 6e-14 each
    assert all(e.within is not None and e.within < 3.6e-12 for e in ends)
    for branch in (b for c in circuits for b in c.branches):
        assert (np.diff(branch.values) >= 0.0).all()
        assert (branch.values[0], branch.values[-1]) == (branch.low, branch.high)


@pytest.mark.parametrize("coupler", [1.0, 1e-3, 1e-5])
def test_the_ends_of_a_branch_that_a_very_short_link_leaves_are_enclosed(coupler: float) -> None:
    """Rocker and coupler in line: the branch is 4e-3 degrees long for a coupler of 1e-3 mm."""
    circuits = found(four_bar(50.0, 127.0, coupler, 163.0, start=angle(50.0, 127.0, 163.0)))
    dead = [angle(50.0, 127.0, 163.0 + x) for x in (-coupler, coupler)]
    assert circuits.complete
    for branch in circuits.found[0].branches:
        for end, exact in zip(branch.ends, dead, strict=True):
            assert end.within is not None and end.within < 360e-12
            assert abs(end.value - exact) < 1e-11


def test_slides_that_turn_parallel_are_told_and_nothing_is_called_complete() -> None:
    """A block slides along crank and frame: it is far away where both have one direction."""
    circuits = found(motiongen.scheme("RPRP"))
    parallel = [k * math.pi - math.atan2(2.0, 4.0) for k in (1, 2)]  # the crank's from its zero
    assert circuits.words == "; ".join(
        f"points go through infinity at input 0 {x:.8g} deg" for x in parallel
    )
    assert not circuits.complete and not circuits.found[0].branches[0].ends


def test_a_linkage_that_moves_by_its_special_lengths_only_is_not_called_proved() -> None:
    """Crank and frame, coupler and rocker are equal: folded, the second pair turns freely."""
    circuits = found(four_bar(100, 100, 180, 180))
    assert not circuits.complete
    assert circuits.words.startswith("links of one length, or a slide on its pins, may lie on")


def test_of_more_dyads_than_can_be_tried_the_circuit_of_the_start_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assembly_solver.linkages.circuits.circuits.MOST_DYADS", 1)
    circuits = found(six_bar())
    assert not circuits.complete and [c.start for c in circuits.found] == [True]
    assert circuits.words == "of 2 dyads only the circuit of the start was looked for"


# ------------------------------------------------------------------ what repeats others
def test_a_third_crank_keeps_a_parallelogram_from_its_other_branch() -> None:
    """Crossed it would not fit: one circuit, which turns through its two change points."""
    two = four_bar(200, 60, 200, 60)
    foot, tip = complex(100, 0), complex(*two.at[1]) + 100
    frame, crank, coupler, rocker = two.links
    three = replace(
        two,
        points=(*two.points, "E", "F"),
        at=np.vstack([two.at, places(foot, tip)]),
        links=(
            replace(frame, points=(*frame.points, 5)),
            crank,
            replace(coupler, points=(*coupler.points, 6)),
            rocker,
            SchemeLink("third", (5, 6)),
        ),
    )
    circuits = found(three)
    assert sorted(b.interval for c in circuits for b in c.branches) == [
        pytest.approx((0.0, 180.0), abs=FINE),
        pytest.approx((180.0, 360.0), abs=FINE),
    ]
    assert len(circuits) == 1


# ------------------------------------------------------------------ groups
def stephenson(by: str) -> Scheme:
    """Stephenson's third: a four-bar whose coupler point P moves a dyad P E F, driven at A or F.

    Driven at A it is two dyads; driven at F all else moves as a group.
    """
    first = four_bar(300, 100, 260, 200)
    b, c = (complex(*p) for p in first.at[1:3])
    p = b + (0.5 + 0.5j) * (c - b)
    foot = complex(420, 180)
    e = meet(p, 220, foot, 160, -1)
    at = np.vstack([first.at, places(p, e, foot, foot + 100)])
    frame, crank, coupler, rocker = first.links
    links = (
        replace(frame, points=(*frame.points, 7, 8)),
        crank,
        replace(coupler, points=(*coupler.points, 5)),
        rocker,
        SchemeLink("link", (5, 6)),
        SchemeLink("arm", (7, 6)),
    )
    rays = {"A": (3, 0, 1), "F": (8, 7, 6)}[by]
    names = (*first.points, "P", "E", "F", "ray")
    return Scheme(names, at, links, (), (Actuator("motor", "R", rays, DEGREE),))


def extremes_of_the_arm() -> list[float]:
    """Of its angle, degrees, over the circuit of the start when the crank leads."""
    led = DrivenLinkage(plan_linkage(stephenson("A")), 0)

    def arm(signs: Array, crank: Array) -> Array:
        P = led.states(signs, crank).P
        return np.degrees(np.angle((P[6] - P[7]).T @ [1, 1j]))

    out = []
    for branch in found(stephenson("A"))[0].branches:
        signs = np.array(list(branch.signs.values()))
        crank = np.linspace(branch.low, branch.high, 400)[1:-1]
        swing = np.unwrap(arm(signs, crank), period=360)
        for k in 1 + np.flatnonzero(np.diff(np.sign(np.diff(swing)))):
            bend = np.sign(swing[k] - swing[k - 1])

            def fall(x: float, signs: Array = signs, near: float = swing[k], bend: float = bend):
                off = float(arm(signs, np.array([x]))[0]) - near
                return -bend * (near + off - 360 * round(off / 360))

            best = minimize_scalar(
                fall, bounds=crank[[k - 1, k + 1]], method="bounded", options={"xatol": 1e-9}
            )
            out.append(-bend * best.fun)
    return out


def test_the_ends_of_a_branch_of_a_group_are_the_extremes_of_its_input_by_another_one() -> None:
    """Where the arm turns back when the crank leads it, the arm can lead no further."""
    extremes = np.array(extremes_of_the_arm())
    circuits = found(stephenson("F"))
    start = next(b for b in circuits[0].branches if b.start)
    assert [e.kind for e in start.ends] == ["dead point", "dead point"]
    for value in start.interval:
        off = value - extremes
        assert np.abs(off - 360 * np.round(off / 360)).min() < FINE
        assert all(e.within is not None and e.within < 360e-12 for e in start.ends)
    assert circuits.complete and circuits.words == ""


def test_each_branch_of_a_group_that_ends_meets_another_one_there() -> None:
    for circuit in found(stephenson("F")):
        for branch in circuit.branches:
            assert all(end.meets for end in branch.ends)
            assert all(end.words.endswith("turn back together") for end in branch.ends)


def test_of_a_large_group_only_the_start_is_followed_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assembly_solver.linkages.circuits.tracing.LARGEST", 2)
    monkeypatch.setattr("assembly_solver.linkages.circuits.every_solution.MOST_PATHS", 5)
    circuits = found(stephenson("F"))
    assert [len(c.branches) for c in circuits] == [1] and circuits[0].start
    assert circuits.words == (
        "of coupler, crank, rocker and 1 more only the solution of the start was followed"
    )
