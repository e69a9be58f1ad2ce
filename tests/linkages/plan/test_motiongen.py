"""MotionGen's matrices, re-interpretation, reduction, decomposition and cost, on its examples."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from math import hypot

import numpy as np
import pytest
from motiongen import scheme, stored
from stored_linkages import NAMES

from assembly_solver.errors import BadValue, NotDriven, SlotOutOfReach
from assembly_solver.linkages.plan.cost import Cost, cost
from assembly_solver.linkages.plan.decomposition import decompose
from assembly_solver.linkages.plan.rigid_links import merged, rigid_sets
from assembly_solver.linkages.plan.slot_as_arc import far_distance, reinterpreted
from assembly_solver.linkages.scheme.matrices import matrices
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink, SchemeSlot


def revolutes(links: list[tuple[int, ...]], at: np.ndarray, *actuators: Actuator) -> Scheme:
    """A linkage of links and revolute joints; links[0] is the ground."""
    named = tuple(SchemeLink(f"link {n}", link) for n, link in enumerate(links))
    return Scheme(tuple(f"j{n}" for n in range(len(at))), at, named, (), actuators)


FOUR_BAR = revolutes(
    [(0, 3), (0, 1), (1, 2), (2, 3)],
    np.array([[0.0, 0], [0, 3], [8, 9], [4, 0]]),
    Actuator("crank", "R", (3, 0, 1)),
)


def test_matrices_of_the_four_bar_are_those_of_the_paper() -> None:
    m = matrices(FOUR_BAR)
    assert m.stacked.tolist() == [
        [0, 1, 0, 0, 1],
        [1, 1, 0, 0, 1],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert m.T.tolist() == [[1, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1]]
    lengths = [[0, 3, 0, 4], [3, 0, 10, 0], [0, 10, 0, hypot(4, 9)], [4, 0, hypot(4, 9), 0]]
    assert m.D.tolist() == lengths
    assert m.S.shape == (0, 3)
    assert m.I == ((3, 0, 1, "R"),)


def test_matrices_go_through_json_with_states_that_cannot_be_built_as_null() -> None:
    V, P = np.array([[10.0, 20.0]]), np.full((4, 2, 2), 1.5)
    P[2, :, 1] = np.nan
    told = json.loads(json.dumps(matrices(FOUR_BAR, V, P).to_dict()))
    assert list(told) == ["joints", "links", *"JLBTDSI", "V", "P"]
    assert told["V"] == [[10.0, 20.0]]
    assert told["P"][2] == [[1.5, None], [1.5, None]]
    assert told["I"] == [[3, 0, 1, "R"]]


def test_a_slot_adds_two_columns_and_three_rows_to_b() -> None:
    """(20), (21): long link, two constraining links, and the far joint on the slot's link."""
    before, after = (
        matrices(scheme("seven-bar (Ex.1)")),
        matrices(reinterpreted(scheme("seven-bar (Ex.1)"))),
    )
    far, constraining = 10, 11
    rows = [set(np.flatnonzero(row)) for row in after.B]
    assert rows[8:] == [{5, far}, {3, constraining}, {5, constraining}]
    assert rows[5] == {3, 6, far}
    assert after.B[:8, :10].tolist() == before.B.tolist()
    assert after.L.tolist() == [1] + 10 * [0]
    assert after.J[10:].tolist() == [0, 0]
    assert after.S.shape == (0, 3)


@pytest.mark.parametrize("name", NAMES)
def test_far_joints_and_constraining_links_are_the_stored_ones(name: str) -> None:
    entry = stored(name)
    after = reinterpreted(scheme(name), entry["e"], entry["off"])
    place = dict(zip(after.points, after.start, strict=True))
    length = {
        link.name: abs(after.start[link.points[0]] - after.start[link.points[1]])
        for link in after.links
    }
    for slot in entry["reinterpretation"]:
        ends = f"slot {slot['e1']} {slot['e2']}"
        far = complex(*entry["far"][slot["far"]])
        assert abs(place[f"{ends} far joint"] - far) < 1e-12 * slot["h"]
        which = f"{ends} {slot['q']}"
        assert length[f"{which} long link"] == pytest.approx(slot["R"], rel=1e-15)
        assert length[f"{which} constraining link 1"] == pytest.approx(slot["l1"], rel=1e-14)
        assert length[f"{which} constraining link 2"] == pytest.approx(slot["l2"], rel=1e-14)
    added = len(entry["far"]) + len(entry["reinterpretation"])
    assert len(after.points) == len(entry["joints"]) + added
    assert after.slots == ()


def slotted(way: float, low: float | None = None, high: float | None = None) -> Scheme:
    """A pin Q in a slot of 100 mm from E to F in the ground."""
    at = np.array([[0.0, 0.0], [100.0, 0.0], [way, 0.0], [way, 40.0]])
    links = (SchemeLink("frame", (0, 1)), SchemeLink("bar", (2, 3)))
    return Scheme(("E", "F", "Q", "R"), at, links, (SchemeSlot("guide", 2, (0, 1), 0, low, high),))


@pytest.mark.parametrize("way", [10.0, 30.0, 50.0, 90.0])
def test_the_arc_leaves_its_slot_by_no_more_than_the_error(way: float) -> None:
    after = reinterpreted(slotted(way), error=0.01)
    far = after.start[after.points.index("guide far joint")]
    radius = abs(after.start[2] - far)
    heights = far.imag - np.sqrt(radius**2 - (np.linspace(0, 100, 101) - far.real) ** 2)
    assert np.abs(heights).max() <= 0.01 * (1 + 4.1 * (0.01 / 100) ** 2)
    assert heights[round(way)] == pytest.approx(0, abs=1e-9)


def test_the_far_distance_is_the_exact_root_and_half_the_error() -> None:
    """(16): (h + e)^2 = h^2 + (d / 2)^2."""
    exact = far_distance(100.0, 0.1) - 0.1 / 2
    assert (exact + 0.1) ** 2 == pytest.approx(exact**2 + 50.0**2, rel=1e-14)


@pytest.mark.parametrize(
    ("low", "high", "reach"),
    [(None, None, (5.0, 95.0)), (20.0, None, (20.0, 95.0)), (0.0, 70.0, (5.0, 70.0))],
)
def test_constraining_links_stretch_and_fold_at_the_limits_of_the_slot(
    low: float | None, high: float | None, reach: tuple[float, float]
) -> None:
    after = reinterpreted(slotted(40.0, low, high))
    end, joint, elbow = (
        after.start[after.points.index(n)] for n in ("E", "Q", "guide Q constraining joint")
    )
    one, two = abs(elbow - end), abs(elbow - joint)
    assert (abs(one - two), one + two) == pytest.approx(reach, rel=1e-14)


def test_a_slide_with_limits_beyond_its_two_points_gets_ends_of_its_own() -> None:
    """As a slide of two parts is seen: a point at 0 mm, another one ahead, limits of the first."""
    at = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 0.0], [100.0, 0.0]])
    links = (SchemeLink("frame", (0, 1)), SchemeLink("carriage", (2, 3)))
    slots = (SchemeSlot("slide", 2, (0, 1), 0, -60.0, 20.0), SchemeSlot("slide", 3, (0, 1), 0))
    drive = Actuator("drive", "P", (0, 2, 1), offset=5.0)
    slide = Scheme(("E", "F", "Q", "Q ahead"), at, links, slots, (drive,))
    after = reinterpreted(slide, error=0.01)
    place = dict(zip(after.points, after.start, strict=True))
    assert (place["slide first end"], place["slide last end"]) == (-70.0, 130.0)
    assert place["slide far joint"] == pytest.approx(30.0 + 1j * far_distance(200.0, 0.01))
    for joint, reach in (("Q", (10.0, 90.0)), ("Q ahead", (110.0, 190.0))):
        end, elbow = place["slide first end"], place[f"slide {joint} constraining joint"]
        one, two = abs(elbow - end), abs(elbow - place[joint])
        assert (abs(one - two), one + two) == pytest.approx(reach, rel=1e-13)
    (actuator,) = after.actuators
    assert [after.points[p] for p in actuator.points[:2]] == ["slide first end", "Q"]
    assert (actuator.kind, actuator.offset) == ("L", 75.0)


@pytest.mark.parametrize(
    ("way", "low", "high", "leaves"),
    [
        (3.0, None, None, (-97.0, 103.0)),
        (0.0, 0.0, 90.0, (0.0, 90.0)),
        (-20.0, -40.0, None, (-40.0, 100.0)),
    ],
)
def test_a_slot_whose_ends_are_too_near_gets_others_beyond_its_limits_or_its_linkage(
    way: float, low: float | None, high: float | None, leaves: tuple[float, float]
) -> None:
    """Without limits as far as the linkage reaches, 100 and 120 mm here; an eighteenth more."""
    after = reinterpreted(slotted(way, low, high), error=0.01)
    end, last, joint, elbow = (
        after.start[after.points.index(n)]
        for n in ("guide first end", "guide last end", "Q", "guide Q constraining joint")
    )
    margin = (leaves[1] - leaves[0]) / 18
    assert (end, last) == pytest.approx((leaves[0] - margin, leaves[1] + margin))
    one, two = abs(elbow - end), abs(elbow - joint)
    reach = (end.real + abs(one - two), end.real + one + two)
    assert reach == pytest.approx(leaves, abs=1e-12)


def test_what_cannot_be_reinterpreted_is_told_with_its_numbers() -> None:
    with pytest.raises(SlotOutOfReach) as told:
        reinterpreted(slotted(3.0, 10.0, 90.0))
    assert str(told.value) == (
        "slot 'guide': Q starts 3 mm from E, beyond its limits, 10 to 90 mm: "
        "it must start within them"
    )
    with pytest.raises(BadValue, match="a length above 0 mm"):
        reinterpreted(slotted(50.0), error=0.0)
    with pytest.raises(BadValue, match="1e-06 mm or more for a slot of 100 mm"):
        reinterpreted(slotted(50.0), error=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_the_cost_is_that_of_table_2(name: str) -> None:
    asked = stored(name)["cost"]
    assert cost(scheme(name)) == Cost(asked["Ca"], asked["Cn"])


def test_costs_are_told_as_in_the_paper() -> None:
    assert str(Cost(26, 216)) == "26 Ca + 216 Cn"
    assert str(Cost(0, 17576)) == "17576 Cn"


def steps_of(linkage: Scheme) -> list[set[str]]:
    return [{linkage.points[joint] for joint in step.joints} for step in decompose(linkage)]


def test_steps_of_example_1_are_those_of_figure_8() -> None:
    guide = "slot j3 j6"
    assert steps_of(merged(reinterpreted(scheme("seven-bar (Ex.1)")))) == [
        {"j5"},
        {"j3", "j6", f"{guide} far joint"},
        *({joint} for joint in ("j1", "j2", "j7", "j8", f"{guide} j5 constraining joint")),
    ]


@pytest.mark.parametrize(
    ("name", "joints", "groups"),
    [
        ("RRRP", 6, []),
        ("RRPR", 7, []),
        ("RRPP", 11, []),
        ("RPPR", 12, []),
        ("RPRP", 11, []),
        ("PRRP", 11, []),
        ("RPPP", 13, [{"j2", "slot j0 j1 far joint", "slot j3 j4 far joint"}]),
        ("PRPP", 15, []),
        ("multi-slot", 5, [{"j6", "j8", "slot j6 j8 far joint"}]),
    ],
)
def test_dyads_with_slides_need_arcs_only_but_for_two(
    name: str, joints: int, groups: list[set[str]]
) -> None:
    found = steps_of(merged(reinterpreted(scheme(name))))
    assert sum(len(step) == 1 for step in found) == joints
    assert [step for step in found if len(step) > 1] == groups


def test_the_millipede_is_one_group_of_thirteen_joints() -> None:
    (step,) = decompose(scheme("millipede"))
    assert (len(step.joints), step.actuators, step.angles) == (13, (0,), 1)


def test_joints_that_no_input_moves_are_named() -> None:
    five_bar = revolutes([(0, 4), (0, 1), (1, 2), (2, 3), (3, 4)], np.eye(5, 2))
    with pytest.raises(NotDriven, match="inputs: none; they leave movable j1, j2, j3: drive"):
        decompose(five_bar)


def dof(links: list[tuple[int, ...]]) -> int:
    """(28), of a set of links with revolute joints."""
    joints = [joint for link in links for joint in link]
    return 3 * (len(links) - 1) - 2 * sum(joints.count(j) - 1 for j in set(joints))


def connected(links: list[tuple[int, ...]]) -> bool:
    reached, ahead = {0}, [0]
    for one in ahead:
        for n, other in enumerate(links):
            if n not in reached and set(other) & set(links[one]):
                reached.add(n)
                ahead.append(n)
    return len(reached) == len(links)


def merged_by_subsets(links: list[tuple[int, ...]]) -> set[frozenset[tuple[int, ...]]]:
    """D.3 as it is written: the smallest connected set with no freedom of its own becomes one."""
    unions = {link: frozenset([link]) for link in links}
    while True:
        found = next(
            (
                some
                for size in range(2, len(unions) + 1)
                for some in combinations(sorted(unions), size)
                if dof(list(some)) <= 0 and connected(list(some))
            ),
            None,
        )
        if found is None:
            return set(unions.values())
        whole = tuple(sorted({joint for link in found for joint in link}))
        unions[whole] = frozenset().union(*(unions.pop(link) for link in found))


def random_links(draw: np.random.Generator, joints: int, most: int) -> list[tuple[int, ...]]:
    """Different links, a third of them ternary; the ground has joints 0 and 1."""
    links = {
        tuple(sorted(draw.choice(joints, 2 + (draw.random() < 0.3), replace=False).tolist()))
        for _ in range(most)
    }
    return [(0, 1), *sorted(links - {(0, 1)})]


@pytest.mark.parametrize("seed", range(150))
def test_sets_found_by_counting_are_those_of_all_subsets(seed: int) -> None:
    draw = np.random.default_rng(seed)
    links = random_links(draw, 6, draw.integers(4, 9))
    sets = rigid_sets(revolutes(links, draw.random((6, 2))))
    found = {frozenset(links[n] for n in numbers) for numbers in sets}
    assert found == merged_by_subsets(links)


def steps_by_subsets(linkage: Scheme) -> list[tuple[int, ...]] | None:
    """D.3 as it is written: the first set of joints with equations = 2 |X|, the smallest first."""
    known = set(linkage.links[0].points)
    unknown = {j for link in linkage.links for j in link.points} - known
    steps = []

    def equations(joints: set[int]) -> int:
        total = 0
        for link in linkage.links:
            k, u = len(known & set(link.points)), len(joints & set(link.points))
            total += (max(0, 2 * u - 3), max(0, 2 * u - 1), 2 * u)[min(k, 2)]
        for actuator in linkage.actuators:
            i, j, k = actuator.points
            total += bool({i, k} & joints) and {i, j, k} <= known | joints
        return total

    while unknown:
        step = next(
            (
                some
                for size in range(1, len(unknown) + 1)
                for some in combinations(sorted(unknown), size)
                if equations(set(some)) >= 2 * size
            ),
            None,
        )
        if step is None:
            return None
        steps.append(step)
        known |= set(step)
        unknown -= set(step)
    return steps


def random_linkage(draw: np.random.Generator) -> Scheme:
    """Seven joints, one or two rotary actuators, as many as (28) asks for, anywhere."""
    while True:
        links = random_links(draw, 7, 9)
        linkage = merged(revolutes(links, draw.random((7, 2))))
        hinges = [
            (i, j, k)
            for j, sharing in enumerate(linkage.links_at)
            for one, other in combinations(sharing, 2)
            for i in linkage.links[one].points
            for k in linkage.links[other].points
            if j not in (i, k) and i != k
        ]
        freedoms = dof([link.points for link in linkage.links])
        if freedoms in (1, 2) and len(linkage.links) > 4 and connected(links):
            chosen = draw.permutation(len(hinges))[:freedoms].tolist()
            drivers = tuple(Actuator(f"input {n}", "R", hinges[n]) for n in chosen)
            return replace(linkage, actuators=drivers)


@pytest.mark.parametrize("seed", range(100))
def test_steps_found_by_counting_are_those_of_all_subsets(seed: int) -> None:
    linkage = random_linkage(np.random.default_rng(seed))
    try:
        found = [step.joints for step in decompose(linkage)]
    except NotDriven:
        found = None
    assert found == steps_by_subsets(linkage)


def test_a_lever_with_a_pin_in_a_slot_of_the_frame_is_part_of_the_frame() -> None:
    """Unless the slot runs as the pin would: then it stands, but not to first order."""
    links = (SchemeLink("frame", (0, 1, 2)), SchemeLink("lever", (0, 3, 4)))
    guide = (SchemeSlot("guide", 3, (1, 2), 0),)
    for end, sets in (((30.0, 20.0), ((0, 1),)), ((10.0, 40.0), ((0,), (1,)))):
        at = np.array([[0.0, 0], [10, 0], end, [10, 0], [50, 50]])
        lever = Scheme(("A", "E", "F", "Q", "R"), at, links, guide)
        assert rigid_sets(lever) == sets
        assert len(merged(lever).slots) == len(sets) - 1


def test_a_parallelogram_with_three_cranks_stays_movable() -> None:
    """Counted, it is rigid; its special dimensions let it move.  Its slider is one link all the
    same."""
    feet = np.array([[0.0, 0], [50, 0], [90, 0]])
    guided = np.array([[120.0, 30], [200, 30], [150, 30], [160, 30], [155, 60]])
    at = np.concatenate([feet, feet + np.array([10.0, 30]), guided])
    links = (
        *(
            SchemeLink("frame", (0, 1, 2)),
            SchemeLink("coupler", (3, 4, 5, 6, 7)),
            SchemeLink("slider", (8, 9, 10)),
        ),
        *(SchemeLink(f"crank {n}", (n, n + 3)) for n in range(3)),
    )
    guides = tuple(SchemeSlot("guide", q, (6, 7), 1) for q in (8, 9))
    names = tuple(f"j{n}" for n in range(len(at)))
    after = reinterpreted(Scheme(names, at, links, guides), error=0.01)
    assert rigid_sets(after)[:6] == ((0,), (1,), (2, 6, 9), (3,), (4,), (5,))
