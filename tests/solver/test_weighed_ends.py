"""Descents by mates of random weights, from a start near which squared residuals alone end."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.diagnosis.conflicts import Conflict
from assembly_solver.equations.residuals import worst_off
from assembly_solver.equations.system import compile_system
from assembly_solver.foundations.watch import Stopped, Watch
from assembly_solver.solver.multistart import ends_from, weighed_ends
from assembly_solver.structure.clusters import body_cloud
from assembly_solver.verbs.other_senses import held_with_other_senses
from benchmarks.adversary.generators import metamorphic


def test_weights_lead_out_of_a_compromise_to_poses_that_hold() -> None:
    """A loop of six parts with two redundant mates, 4 degrees off."""
    system = compile_system(metamorphic.drawn(1808)[1].build())
    plain = ends_from(system, system.start[None], Watch(), brief=False)
    assert 1.0 < plain.off[0] < 10.0  # mm
    ends = list(weighed_ends(system, Watch()))
    assert ends
    assert max(worst_off(system, parts) for parts in ends) < 1e-9
    at = body_cloud(system, system.start)
    moved = [float(np.linalg.norm(body_cloud(system, parts) - at)) for parts in ends]
    assert moved == sorted(moved)


def nut_between_bars(seed: int) -> asm.Assembly:
    """A bar in a bearing, its thread in a nut, a guide for that: one equation too many.

    All hold with the bar and the nut where the base is; they start anywhere.
    """
    rng = np.random.default_rng(seed)
    points, axes = rng.uniform(-60, 60, (3, 3)), rng.normal(size=(3, 3))
    bearing, guide = (asm.Axis(tuple(points[k]), tuple(axes[k])) for k in (0, 1))
    thread = asm.Frame(tuple(points[2]), tuple(axes[2]), tuple(np.cross(axes[2], (1, 0, 0))))
    a = asm.Assembly("nut between bars")
    a.add("base", grounded=True, features={"bearing": bearing, "guide": guide})
    for name, features in {
        "bar": {"bearing": bearing, "thread": thread},
        "nut": {"thread": thread, "guide": guide},
    }.items():
        at, about = rng.uniform(-100, 100, 3), rng.normal(size=3)
        pose = asm.Pose.from_axis(tuple(at), tuple(about), float(rng.uniform(-180, 180)))
        a.add(name, features=features, pose=pose)
    a.mate("coaxial", "base.bearing", "bar.bearing", name="bearing")
    a.mate("screw", "bar.thread", "nut.thread", name="thread", pitch=16, constant=0)
    a.mate("coaxial", "nut.guide", "base.guide", name="guide", sense="aligned")
    return a


@pytest.mark.parametrize("seed", [3, 6, 7])
def test_what_holds_with_another_sense_is_no_contradiction(seed: int) -> None:
    a = nut_between_bars(seed)
    found = asm.solve(a).require()
    assert max(m["residual_mm"] for m in found.to_dict()["mates"]) < 1e-7
    assert "sense reversed" in found.sentence


def test_senses_of_which_none_can_hold_together_are_tried_until_it_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a set of many mates there may be a million."""
    monkeypatch.setattr("assembly_solver.verbs.other_senses.senses_at_odds", lambda *_: [0])
    a = nut_between_bars(3)
    conflict = Conflict(tuple(a.mates), True, "guide", 0.0, 1.0, "mm", 1.0, False)
    assert held_with_other_senses(a, conflict, frozenset(), Watch()) is None
    with pytest.raises(Stopped):
        held_with_other_senses(a, conflict, frozenset(), Watch(cancel=lambda: True))
