"""The equations of blocks over boxes in floats: they enclose what balls of 160 bits tell."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from flint import arb

from assembly_solver.diagnosis.proof.ball_block import BallBlock
from assembly_solver.diagnosis.proof.balls import precise
from assembly_solver.diagnosis.proof.blocks import ProvableBlock
from assembly_solver.diagnosis.proof.wide_block import WideBlock, balls_of, rates
from assembly_solver.diagnosis.proof.wide_measures import KINDS
from assembly_solver.diagnosis.proof.wide_vectors import Wide
from assembly_solver.equations.system import System, compile_system
from assembly_solver.foundations.geometry.pose import Pose
from assembly_solver.model.measures.measure import TILT, TURN
from benchmarks.certified import drawn


def system() -> System:
    """A small assembly, the kinds and axes of whose measures are changed by the tests."""
    return compile_system(drawn(5))


def whole(s: System) -> ProvableBlock:
    parts = np.flatnonzero(~s.fixed).tolist()
    rows = np.arange(len(s.table.target))
    return ProvableBlock(-1, tuple(parts), tuple(range(len(s.constraints))), rows)


@pytest.mark.parametrize(("kind", "size"), [*product(sorted(KINDS), (0.0, 1e-3))])
def test_every_measure_encloses_what_it_is_anywhere_in_a_box(kind: int, size: float) -> None:
    s, rng = system(), np.random.default_rng(kind)
    axes = s.table.axis_i if kind != TURN else s.table.axis_i % 3
    table = s.table._replace(kind=np.full_like(s.table.kind, kind), axis_i=axes)
    if kind in (TILT, TURN):  # of frames that are nearly parallel
        frames = table.marker_frame.copy()
        frames[:, 3:] = np.eye(3).ravel()
        table = table._replace(marker_frame=frames)
    s = replace(s, table=table)
    poses = [Pose.from_axis(rng.uniform(-9, 9, 3), [1, 2, 3], 2.0 * k) for k in range(len(s.parts))]
    with precise():
        balls = BallBlock(s, whole(s), poses)
        wide = WideBlock(balls, np.arange(len(table.target)), {})
        middle = rng.uniform(-1.0, 1.0, balls.size)
        box = Wide(middle[None], np.full((1, balls.size), size * s.length))
        value, slope = wide.evaluate(box, Wide(np.zeros(1), np.zeros(1)))
        x = middle + size * s.length * rng.uniform(-1.0, 1.0, balls.size)
        f, jacobian = balls.evaluate(balls_of(Wide(x, np.zeros(balls.size))))
        known = 0
        for own, there in ((value, f), (slope, jacobian)):
            pairs = zip(own.mid.ravel(), own.rad.ravel(), there.entries(), strict=True)
            for mid, rad, exactly in pairs:
                if np.isfinite(mid) and exactly.is_finite():
                    known += 1
                    assert arb(float(mid), float(rad)).contains(exactly.mid())
    assert np.isfinite(value.mid).any() and known > len(table.target)


def test_targets_go_with_the_parameter() -> None:
    s = system()
    poses = [Pose() for _ in s.parts]
    with precise():
        balls = BallBlock(s, whole(s), poses)
        rows = np.arange(len(s.table.target))
        wide = WideBlock(balls, rows, {0: (2.0, 5.0)})
        x = Wide(np.zeros((2, balls.size)), np.zeros((2, balls.size)))
        f = wide.values(x, Wide(np.array([0.0, 0.5]), np.zeros(2)))
    change = f.mid[1] - f.mid[0]
    assert change[0] == pytest.approx(-1.5 * s.table.weight[0], rel=1e-12)
    np.testing.assert_allclose(change[1:], 0.0, atol=1e-12)
    np.testing.assert_allclose(
        rates(balls, rows, {0: (2.0, 5.0)}).mid[0, 0], -3.0 * s.table.weight[0], rtol=1e-12
    )
