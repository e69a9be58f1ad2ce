"""Alike pairs are analysed once, wherever they sit on their bodies, and lose no digit by it."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import Array, random_pose

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.structure import clusters
from assembly_solver.structure.clusters import Bodies, form_bodies
from assembly_solver.structure.pairs import KIND_NAMES

pytestmark = pytest.mark.quick

X = np.array([1.0, 0, 0])


def placed(p: asm.Pose, v: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in p.apply(v))


def pins_in_holes(count: int, spacing_error: float = 0.0) -> asm.Assembly:
    """A block with pairs of holes anywhere in it, 30 mm apart, and a two-legged staple in each.

    A right angle, which holds with the others, makes a staple no pair that is recognised.
    The last pair of holes is wider by `spacing_error`, mm.
    """
    rng = np.random.default_rng(11)
    a, holes = asm.Assembly(), {}
    spots = [random_pose(rng, 3000.0) for _ in range(count)]
    for k, p in enumerate(spots):
        x, _, axis = (tuple(float(v) for v in column) for column in p.rotation.T)
        gap = 30 + (spacing_error if k == count - 1 else 0.0)
        for n, leg in enumerate((0 * X, gap * X)):
            holes[f"{k}.{n}"] = asm.Axis(placed(p, leg), axis, x)
        holes[f"{k}.top"] = asm.Plane(placed(p, 0 * X), axis, x)
        holes[f"{k}.side"] = asm.Axis(placed(p, 0 * X), x, axis)
    a.add("block", grounded=True, features=holes)
    legs = {str(n): asm.Axis((30.0 * n, 0, 0), "z") for n in range(2)}
    for k in range(count):
        a.add(f"staple {k}", features=legs | {"top": asm.Plane((0, 0, 0), "z")}, pose=spots[k])
        for n in range(2):
            a.mate("coaxial", f"block.{k}.{n}", f"staple {k}.{n}", sense="aligned")
        a.mate("coplanar", f"block.{k}.top", f"staple {k}.top", sense="aligned")
        a.mate("perpendicular", f"block.{k}.side", f"staple {k}.0")
    return a


def counted(a: asm.Assembly, monkeypatch: pytest.MonkeyPatch) -> tuple[Bodies, list[int]]:
    """The bodies of an assembly, and how many pairs each analysis was of."""
    calls = []
    true = clusters.analyse_pairs

    def count(*args: object) -> None:
        calls.append(len(args[3]))  # type: ignore[arg-type]
        true(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(clusters, "analyse_pairs", count)
    return form_bodies(compile_system(a), cautious=True), calls


def test_a_hundred_staples_in_a_hundred_places_are_one_analysis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = pins_in_holes(100)
    bodies, calls = counted(a, monkeypatch)
    assert sum(calls) == 1
    assert [KIND_NAMES[k] for k in bodies.pairs.kind] == ["fixed"] * 100
    # coordinates of 3000 mm have a last digit of 5e-13; a few of them meet in a residual
    assert bodies.pairs.gap.max() < 5e-12
    for k in range(100):
        wanted = a.parts[f"staple {k}"].pose.frame
        np.testing.assert_allclose(bodies.pairs.relative[k], wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize("error", [1e-3, 1e-6, 1e-8])
def test_a_pair_that_is_almost_alike_is_analysed_on_its_own(
    error: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies, calls = counted(pins_in_holes(5, error), monkeypatch)
    assert sum(calls) == 2
    assert bodies.pairs.gap[:4].max() < 5e-12
    # the legs share what the holes are too wide
    assert bodies.pairs.gap[4] == pytest.approx(error / 2, rel=0.1)


def test_joints_that_are_carried_over_turn_about_their_own_axis() -> None:
    rng = np.random.default_rng(5)
    a = asm.Assembly()
    spots = [random_pose(rng, 500.0) for _ in range(20)]
    knobs = [random_pose(rng, 50.0) for _ in spots]
    a.add(
        "wall",
        grounded=True,
        features={
            str(k): asm.Frame(p.position, tuple(p.rotation[:, 2]), tuple(p.rotation[:, 0]))
            for k, p in enumerate(spots)
        },
    )
    for k, p in enumerate(knobs):
        own = asm.Frame(p.position, tuple(p.rotation[:, 2]), tuple(p.rotation[:, 0]))
        a.add(f"lever {k}", features={"hub": own})
        a.mate("revolute", f"wall.{k}", f"lever {k}.hub", sense="aligned")
    bodies = form_bodies(compile_system(a))
    assert [KIND_NAMES[k] for k in bodies.pairs.kind] == ["revolute"] * 20
    for frames, wanted in ((bodies.pairs.frame_a, spots), (bodies.pairs.frame_b, knobs)):
        for frame, p in zip(frames, wanted, strict=True):
            z = p.rotation[:, 2]
            assert abs(abs(frame[9:12] @ z) - 1) < 1e-14
            off = frame[:3] - np.array(p.position)
            assert np.linalg.norm(off - (off @ z) * z) < 1e-11
