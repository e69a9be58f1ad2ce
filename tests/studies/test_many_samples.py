"""Samples closed by the shared iteration: as those solved one by one, in machine code or not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from studied import SAMPLES

import assembly_solver as asm
from assembly_solver.equations import shared_iteration
from assembly_solver.equations.shared_iteration import CLOSED
from assembly_solver.studies import many_samples
from assembly_solver.studies.many_samples import SampleSolver, values_at
from assembly_solver.studies.tolerance import sampler_of
from assembly_solver.studies.variables import deviating

pytestmark = pytest.mark.quick


def sampler(a: asm.Assembly) -> SampleSolver:
    return sampler_of(asm.solve(a).require())[0]


def drawn(of: SampleSolver, samples: int, size: float) -> NDArray[np.float64]:
    count = len(of.model.variables)
    return np.random.default_rng(7).uniform(-size, size, (samples, count))


def excavator() -> asm.Assembly:
    """The excavator with its pins off in its plane, and its bucket's cylinder."""
    a = asm.read(SAMPLES / "excavator.assembly.json")
    a.measure("tooth", point="bucket.tooth", along="y")
    pins = [(p.name, f) for p in a.parts.values() if not p.grounded for f in p.features]
    axes = [(p, f) for p, f in pins if isinstance(a.parts[p].feature(f), asm.Axis)]
    for n, (part, feature) in enumerate(axes[:12]):
        a.tolerate(f"t{n}", feature=f"{part}.{feature}", position=0.4)
    a.tolerate("stroke", driver="bucket cylinder", plus=0.5, minus=0.5)
    return a


def clutch() -> asm.Assembly:
    return asm.read(SAMPLES / "one_way_clutch.assembly.json")


@pytest.mark.parametrize("make", [excavator, clutch])
def test_samples_are_where_each_is_solved_on_its_own(make: object) -> None:
    of = sampler(make())  # type: ignore[operator]
    deviations = drawn(of, 20, 0.1)
    found = of.run(deviations)
    assert found.modes == {of.mode: 20}
    for deviation, values in zip(deviations, found.values, strict=True):
        one = deviating(of.model.before, of.model.variables, deviation.tolist())
        frames = np.array(asm.solve(one).require().frames)
        assert values == pytest.approx(values_at(one, of.model, frames), abs=1e-7)


@pytest.mark.parametrize("make", [excavator, clutch])
def test_machine_code_and_interpreted_code_give_the_same_samples(
    make: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = sampler(make())  # type: ignore[operator]
    deviations = drawn(of, 40, 0.1)
    here = of.run(deviations)
    interpreted = getattr(shared_iteration.close_copies, "interpreted", None)
    compiled = getattr(shared_iteration.close_copies, "whole", None)
    for form in (interpreted, compiled):
        if form is not None:
            monkeypatch.setattr(many_samples, "close_copies", form)
            there = of.run(deviations)
            assert there.values == pytest.approx(here.values, abs=1e-12)


def near_its_change_point() -> asm.Assembly:
    """A four-bar, 100, 60, 120, 80.01, its crank along the ground: nearly a straight line."""
    z = (0.0, 0.0, 1.0)
    a = asm.Assembly("near its change point")
    pins = {"one": asm.Axis((0, 0, 0), z), "two": asm.Axis((100, 0, 0), z)}
    a.add("ground", grounded=True, features=pins)
    for name, length, x in (("crank", 60, 0), ("coupler", 120, 60), ("rocker", 80.01, 100)):
        ends = {"in": asm.Axis((0, 0, 0), z), "out": asm.Axis((length, 0, 0), z)}
        a.add(name, features=ends, pose=asm.Pose((x, 0.5, 0.0)))
    a.mate("revolute", "ground.one", "crank.in", name="pivot", sense="aligned")
    a.mate("revolute", "crank.out", "coupler.in", sense="aligned")
    a.mate("revolute", "coupler.out", "rocker.out", sense="aligned")
    a.mate("revolute", "ground.two", "rocker.in", name="rocker pivot", sense="aligned")
    a.drive("turn", joint="pivot", value=0.0)
    a.measure("height", point="rocker.out", along="y")
    a.tolerate("turn", driver="turn", plus=5.0, minus=5.0)
    return a


def test_samples_in_another_mode_are_counted_in_it_and_not_mixed_in() -> None:
    """The shared iteration ends above the line of pivots, as the nominal pose is, or nowhere."""
    of = sampler(near_its_change_point())
    deviations, heights = drawn(of, 200, 2.0), np.empty((200, 1))
    off = np.empty((200, of.model.response.rows.count))
    state, _ = of.closed(deviations, heights, off)
    assert np.abs(off[state == CLOSED]).max() <= 1e-4
    assert (heights[state == CLOSED] > 0.0).all() and np.sum(state == CLOSED) >= 40
    found = of.run(deviations)
    assert found.modes == {"+": 198, "-": 2}
    assert (found.solved > 0.0).all() and len(found.solved) == 198


def test_poses_on_the_other_side_of_a_dead_point_are_told() -> None:
    a = near_its_change_point()
    of = sampler(a)
    here = of.model.response.frames
    other = np.array(asm.solve(a, mode="-").require().frames)
    system = of.model.response.system
    none, shifts = np.full(len(system.table.marker_body), -1), np.empty((2, 0, 3))
    crossed = of.signs.crossed(here, np.array([here, other]), shifts, none)
    assert crossed.tolist() == [False, True]


def test_samples_are_the_same_bytes_by_one_thread_and_by_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = sampler(clutch())
    deviations = drawn(of, 1500, 0.02)
    one = of.run(deviations).values.tobytes()
    monkeypatch.setattr(many_samples, "IN_A_CALL", 1500)  # a single call
    assert of.run(deviations).values.tobytes() == one
