"""The mechanisms of MotionGen as drawings: the public way, exact and re-interpreted."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from tests.linkages import NAMES, drawn, entries, inputs


@pytest.mark.parametrize("kind", ["exact", "far"])
@pytest.mark.parametrize("name", NAMES)
def test_drawings_run_through_the_stored_states(name: str, kind: str) -> None:
    entry = entries()[name]
    linkage = asm.linkage(drawn(entry), reinterpret=kind == "far", error=entry["e"])
    states = linkage.run(inputs(entry))
    assert len(states) == entry["n_states"] and states.valid.all()
    assert states.residual.max() < 1e-10
    for k, state in entry["states"].items():
        for joint, place in state[kind].items():
            assert states.point(joint)[int(k)] == pytest.approx(np.array(place), abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_cost_of_a_drawing_is_that_of_table_2(name: str) -> None:
    entry = entries()[name]
    cost = asm.linkage(drawn(entry)).cost
    assert (cost.arcs, cost.groups) == (entry["cost"]["Ca"], entry["cost"]["Cn"])
