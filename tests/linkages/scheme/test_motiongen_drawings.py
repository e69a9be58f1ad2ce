"""The mechanisms of MotionGen as drawings: the public way, exact and re-interpreted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stored_linkages import NAMES, drawn, entries, inputs

import assembly_solver as asm

SAMPLES = Path(__file__).parents[3] / "samples"


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


@pytest.mark.parametrize(
    ("sample", "driver"), [("slider_crank", "crank"), ("scissor_lift", "lift")]
)
def test_slides_of_cad_assemblies_are_reinterpreted_within_their_error(
    sample: str, driver: str
) -> None:
    """Their slides have neither ends nor limits; the arcs reach as far as the linkage does."""
    given = asm.read(SAMPLES / f"{sample}.assembly.json")
    exact = asm.linkage(given)
    values = {driver: np.linspace(*given.drivers[driver].range, 61)}
    far = asm.linkage(given, reinterpret=True, error=0.01).run(values)
    assert far.valid.all() and far.residual.max() < 1e-6
    apart = far.P[: len(exact.scheme.points)] - exact.run(values).P
    assert 1e-6 < np.abs(apart).max() < 0.01
