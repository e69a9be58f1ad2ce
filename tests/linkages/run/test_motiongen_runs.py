"""All 13 mechanisms of MotionGen through all their states, exact and re-interpreted."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from motiongen import inputs, scheme, stored
from stored_linkages import NAMES

from assembly_solver.foundations.types import Array
from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.plan.slot_as_arc import reinterpreted
from assembly_solver.linkages.run.batches import StateArrays
from assembly_solver.linkages.run.branches import PlacedStates, place_states
from assembly_solver.linkages.run.execution import run
from assembly_solver.linkages.run.group_newton import BY_DAMPING, ITERATIONS, STATES
from assembly_solver.linkages.scheme.scheme import (
    LINEAR,
    ROTARY,
    Actuator,
    Scheme,
    SchemeLink,
    SchemeSlot,
)

pytestmark = pytest.mark.quick

SLOTTED = [name for name in NAMES if name not in ("RRRR", "millipede", "pantograph")]


def run_states(linkage: Scheme, V: Array) -> PlacedStates:
    planned = plan_linkage(linkage)
    assert (planned.locked, planned.checked) == ((), ())
    return place_states(planned, V)


@cache
def exact(name: str) -> PlacedStates:
    return run_states(scheme(name), inputs(name))


@cache
def far(name: str) -> PlacedStates:
    return run_states(reinterpreted(scheme(name)), inputs(name))


def residual(linkage: Scheme, V: Array, P: Array) -> Array:
    """Worst constraint in each state, mm: lengths, slots and actuators, written down anew."""
    z, at = P[:, 0] + 1j * P[:, 1], np.array(linkage.start)
    off = [np.zeros(P.shape[2])]
    for link in linkage.links:
        off += [abs(abs(z[p] - z[q]) - abs(at[p] - at[q])) for p, q in combinations(link.points, 2)]
        a = link.points[0]
        b = max(link.points, key=lambda p: abs(at[p] - at[a]))
        for p in link.points:
            ratio = (at[p] - at[a]) / (at[b] - at[a])
            off.append(abs(z[p] - z[a] - ratio * (z[b] - z[a])))
    for slot in linkage.slots:
        a, b = slot.ends
        off.append(abs(((z[slot.point] - z[a]) * (z[b] - z[a]).conj()).imag) / abs(z[b] - z[a]))
    for actuator, value in zip(linkage.actuators, V, strict=True):
        i, j, k = actuator.points
        if actuator.kind == ROTARY:
            ray = (z[i] - z[j]) / abs(z[i] - z[j]) * np.exp(1j * value)
            off.append(abs(z[k] - z[j] - ray * abs(z[k] - z[j])))
        elif actuator.kind == LINEAR:
            off.append(abs(z[j] - z[i] - (z[k] - z[i]) / abs(z[k] - z[i]) * value))
        else:
            off.append(abs(abs(z[j] - z[i]) - value))
    return np.max(off, axis=0)


@pytest.mark.parametrize("name", NAMES)
def test_exact_positions_are_the_stored_ones_in_every_state(name: str) -> None:
    run = exact(name)
    P = run.P
    assert P.shape[2] == stored(name)["n_states"]
    assert not run.failed.any() and run.change_points == ()
    for k, state in stored(name)["states"].items():
        assert P[..., int(k)] == pytest.approx(np.array([*state["exact"].values()]), abs=1e-9)
    assert residual(scheme(name), inputs(name), P).max() < 1e-12


@pytest.mark.parametrize("name", SLOTTED)
def test_reinterpreted_positions_are_the_stored_ones_in_every_state(name: str) -> None:
    run = far(name)
    P = run.P
    assert not run.failed.any() and run.change_points == ()
    for k, state in stored(name)["states"].items():
        wanted = np.array([*state["far"].values()])
        assert P[: len(wanted), :, int(k)] == pytest.approx(wanted, abs=1e-9)
    after = reinterpreted(scheme(name))
    assert residual(after, inputs(name), P).max() < 1e-10


@pytest.mark.parametrize("name", SLOTTED)
def test_slots_deviate_by_what_is_stored(name: str) -> None:
    joints = len(scheme(name).points)
    apart = far(name).P[:joints] - exact(name).P[:joints]
    deviation = np.hypot(apart[:, 0], apart[:, 1]).max()
    assert deviation == pytest.approx(stored(name)["max_dev"], abs=1e-9)


@pytest.mark.parametrize("name", ["RRRP", "PRPP", "multi-slot"])
def test_a_tenth_of_the_error_is_a_tenth_of_the_deviation(name: str) -> None:
    joints, V = len(scheme(name).points), inputs(name)
    fine = run_states(reinterpreted(scheme(name), error=1e-4), V)
    apart = fine.P[:joints] - exact(name).P[:joints]
    deviation = np.hypot(apart[:, 0], apart[:, 1]).max()
    assert deviation == pytest.approx(stored(name)["max_dev"] / 10, rel=1e-2)


@pytest.mark.parametrize(("way", "built"), [(4.0, False), (6.0, True), (94.0, True), (96.0, False)])
def test_a_joint_stays_as_far_from_the_ends_of_its_slot_as_asked(way: float, built: bool) -> None:
    """A bar on a pin that slides 5 to 95 mm from the end of its slot; another input turns it."""
    at = np.array([[0.0, 0.0], [100.0, 0.0], [50.0, 0.0], [50.0, 40.0]])
    links = (SchemeLink("frame", (0, 1)), SchemeLink("bar", (2, 3)))
    slide = Actuator("slide", "P", (0, 2, 1))
    slotted = Scheme(
        ("E", "F", "Q", "R"), at, links, (SchemeSlot("guide", 2, (0, 1), 0),), (slide,)
    )
    planned = plan_linkage(reinterpreted(slotted, error=0.01))
    run = place_states(planned, np.array([[50.0, way], *([0.0, 0.0] for _ in planned.locked)]))
    assert (run.failed == 0).tolist() == [True, built]


@pytest.mark.parametrize("name", ["RPPP", "multi-slot", "millipede", "seven-bar (Ex.1)"])
@pytest.mark.parametrize("stride", [15, 60])
def test_groups_lead_to_the_same_states_in_steps_of_any_size(name: str, stride: int) -> None:
    V = np.ascontiguousarray(inputs(name)[:, ::stride])
    joints = len(scheme(name).points)
    run = run_states(reinterpreted(scheme(name)), V)
    assert not run.failed.any()
    assert np.abs(run.P[:joints] - far(name).P[:joints, :, ::stride]).max() < 1e-10


@pytest.mark.parametrize("reinterpret", [False, True])
@pytest.mark.parametrize("name", ["multi-slot", "millipede", "seven-bar (Ex.1)"])
def test_groups_take_less_than_three_steps_of_newton_a_state(name: str, reinterpret: bool) -> None:
    """On unsquared distances, far joints or not: on squared ones the multi-slot took 140."""
    linkage = reinterpreted(scheme(name)) if reinterpret else scheme(name)
    planned, V = plan_linkage(linkage), inputs(name)
    program, states = planned.program, V.shape[1]
    places, sine = np.zeros((program.points, 2, states)), np.zeros((program.branches, states))
    failed = np.zeros(states, np.int64)
    counts = run(program, StateArrays(V, places, failed, sine), linkage.at, planned.signs)
    assert not failed.any()
    assert counts[STATES] == states
    assert counts[ITERATIONS] < 3 * states and counts[BY_DAMPING] == 0
