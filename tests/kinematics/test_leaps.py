"""States between two far ones are those that steps lead to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import parallelogram

import assembly_solver as asm
from assembly_solver.kinematics import branch_following, leaps
from assembly_solver.kinematics.block_closure import close
from assembly_solver.kinematics.chain_arrays import StepEnd, step_work
from assembly_solver.kinematics.continuation import ARRIVED, march, step
from assembly_solver.kinematics.many_states import ManyStates, close_alone
from assembly_solver.kinematics.prescribed_motion import prescribe

SAMPLES = Path(__file__).parents[2] / "samples"

SWEEPS: list[tuple[str, dict[str, Any]]] = [
    ("four_bar", {"crank": np.linspace(60.0, 420.0, 181)}),
    ("theo_jansen", {"crank": np.linspace(20.0, 380.0, 121)}),
    ("excavator", {"boom cylinder": np.linspace(1100.0, 1500.0, 41)}),
    ("toggle_clamp", {"handle": np.linspace(60.0, 30.0, 31)}),
]


def motion_by(
    how: Callable[..., Any], a: asm.Assembly, values: dict[str, Any], monkeypatch: Any
) -> asm.Motion:
    monkeypatch.setattr(branch_following, "follow", how)
    return asm.sweep(a, values)


@pytest.mark.quick
@pytest.mark.parametrize(("name", "values"), SWEEPS, ids=[n for n, _ in SWEEPS])
def test_leaps_lead_where_steps_do(
    name: str, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    a = asm.read(SAMPLES / f"{name}.assembly.json")
    closed: list[int] = []
    close = ManyStates.close

    def counted(self: ManyStates, poses: Any, *rest: Any) -> Any:
        closed.append(len(poses))
        return close(self, poses, *rest)

    monkeypatch.setattr(ManyStates, "close", counted)
    one = motion_by(march, a, values, monkeypatch)
    assert not closed
    other = motion_by(leaps._in_leaps, a, values, monkeypatch)
    assert sum(closed) > 0.5 * one.valid.sum()
    assert (one.valid == other.valid).all()
    assert [e.words for e in one.events] == [e.words for e in other.events]
    for kind in ("frames", "twists", "accelerations"):
        x, y = getattr(one, kind), getattr(other, kind)
        np.testing.assert_allclose(y, x, atol=1e-12 * max(1.0, np.nanmax(np.abs(x))), rtol=1e-10)
    assert np.nanmax(other.residual_mm) < 1e-10


def test_a_change_point_within_a_leap_is_passed_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    a, values = parallelogram(40.0), {"crank": np.linspace(0.0, 360.0, 100)}
    a.drive("crank", next(iter(a.mates)), value=0)
    motions = [motion_by(how, a, values, monkeypatch) for how in (march, leaps._in_leaps)]
    one, other = (sorted((e.kind, round(e.value, 9)) for e in m.events) for m in motions)
    assert one == other == [("change point", 140.0), ("change point", 320.0)]
    np.testing.assert_allclose(motions[1].frames, motions[0].frames, atol=1e-9)


def test_no_more_than_the_states_that_hold_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    a = asm.read(SAMPLES / "toggle_clamp.assembly.json")
    values = {"handle": np.linspace(60.0, -60.0, 121)}
    one, other = (motion_by(how, a, values, monkeypatch) for how in (march, leaps._in_leaps))
    assert (one.valid == other.valid).all()
    assert [e.words for e in one.events] == [e.words for e in other.events]


def run_of(name: str, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """What the first run of a sweep is followed with, at its first state."""
    given: list[tuple[Any, ...]] = []

    def kept(c: Any, n: Any, work: Any, *rest: Any) -> Any:
        copies = (tree(n), tree(work))
        given.append((c, *copies, *rest))
        return march(c, n, work, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(branch_following, "follow", kept)
        asm.sweep(asm.read(SAMPLES / f"{name}.assembly.json"), values)
    return given[0]


def tree(value: Any) -> Any:
    """A copy of a NamedTuple of arrays."""
    return value.copy() if isinstance(value, np.ndarray) else type(value)(*map(tree, value))


def test_a_step_back_in_time_leads_where_it_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"crank": np.linspace(60.0, 70.0, 3)}
    c, now, work, g, _, tolerances, _ = run_of("four_bar", values, monkeypatch)
    h = float(g.t[1] - g.t[0])
    assert step(c, now, work, g, StepEnd(1, 1.0, h), tolerances)[0] == ARRIVED
    back = step_work(tree(now), work.scratch)
    status, off = step(c, work.after, back, g, StepEnd(0, 1.0, -h), tolerances)
    assert status == ARRIVED
    assert off <= tolerances.fine
    np.testing.assert_allclose(back.after.poses, now.poses, atol=1e-9)


def test_a_large_block_closes_in_arrays_as_in_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"leg 1": np.linspace(490.0, 495.0, 3)}
    c, now, work, g, _, tolerances, _ = run_of("stewart_platform", values, monkeypatch)
    assert len(c.rows) == 78
    prescribe(c, g, 1, 1.0, work.scratch)
    one, other = tree(now), tree(now)
    off, moved = close(c, one, tree(work.poses), work.scratch, tolerances, np.inf)
    found = close_alone(c, other, work.poses, work.scratch, tolerances, np.inf)
    assert found is not None
    assert max(off, found[0]) <= tolerances.fine
    assert found[1] == pytest.approx(moved, rel=1e-3)
    for kind in ("poses", "speed", "change", "pivots"):
        x, y = getattr(one, kind), getattr(other, kind)
        np.testing.assert_allclose(y, x, atol=1e-9 * max(1.0, np.abs(x).max()), err_msg=kind)


def test_a_large_block_that_cannot_close_does_not_in_arrays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = {"leg 1": np.linspace(490.0, 495.0, 3)}
    c, now, work, g, _, tolerances, _ = run_of("stewart_platform", values, monkeypatch)
    beyond = g._replace(targets=g.targets + 1e4)
    prescribe(c, beyond, 1, 1.0, work.scratch)
    left = tree(now)
    found = close_alone(c, left, work.poses, work.scratch, tolerances, np.inf)
    assert found is not None
    assert found[0] == np.inf
    assert np.array_equal(left.speed, now.speed)  # as `close` leaves them
    assert np.array_equal(left.change, now.change)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_corrections_that_lead_too_far_are_given_up(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"leg 1": np.linspace(490.0, 495.0, 3)}
    c, now, work, g, _, tolerances, _ = run_of("stewart_platform", values, monkeypatch)
    prescribe(c, g, 1, 1.0, work.scratch)
    rest = tree(work.poses), work.scratch, tolerances
    farthest = share * close(c, tree(now), *rest, np.inf)[1]
    for way in (close, close_alone):
        found = way(c, tree(now), *rest, farthest)
        assert found is not None
        assert (found[0] <= tolerances.fine) == (share > 1.0)
