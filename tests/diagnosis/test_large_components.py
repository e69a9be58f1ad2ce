"""Large loops are diagnosed by sparse elimination, with the numbers of the dense decomposition."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.diagnosis import freedoms
from assembly_solver.diagnosis.redundancy import redundancies
from assembly_solver.foundations.numerics.linear import null_space, rank_of
from assembly_solver.results.wording.free_motions import moving_parts
from benchmarks import families


def told(name: str) -> dict[str, object]:
    out = asm.solve(families.assembly(families.named(name))).to_dict()
    return {k: v for k, v in out.items() if k != "seconds"}


@pytest.mark.parametrize("name", ["ladder(6)", "scissor(4)", "stewart", "fourbar"])
def test_sparse_rank_and_null_space_are_the_dense_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freedoms, "DENSE", 0)
    d = asm.solve(families.assembly(families.named(name))).diagnosis
    for k, c in enumerate(d.plan.components):
        sparse, dense = d._eliminated(k, c), d.jacobian(c)
        assert sparse is not None and sparse.clear
        known, null = rank_of(dense, d.cut), null_space(dense, d.cut)
        assert sparse.rank.rank == known.rank == d.ranks[k].rank
        assert sparse.basis.shape == null.shape
        # rounding over the smallest singular value that counts, about 1e-2 of the largest
        np.testing.assert_allclose(null @ (null.T @ sparse.basis), sparse.basis, atol=1e-12)


def test_what_is_said_of_a_ladder_does_not_depend_on_the_method(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dense = told("ladder(6)")
    monkeypatch.setattr(freedoms, "DENSE", 0)
    sparse = told("ladder(6)")
    assert sparse["sentence"] == dense["sentence"]
    assert sparse["redundant"] == dense["redundant"]
    words = [[f["words"] for f in out["free_motions"]] for out in (sparse, dense)]
    assert words[0] == words[1]


def test_a_ladder_of_a_hundred_loops_has_one_freedom_and_nine_redundant_equations_a_loop() -> None:
    """Ten hinges for five links each... counted: 5 * 301 hinges less 6 * 201 bodies, plus 1."""
    solution = asm.solve(families.assembly(families.named("ladder(100)")))
    assert solution.dof == 1
    assert solution.redundant_equations == 7 * 301 - 6 * 201 + 1
    found = redundancies(solution.diagnosis)
    assert sum(r.equations for r in found) == solution.redundant_equations
    assert sum(r.loop for r in found) == 100


@pytest.mark.parametrize("name", ["chain(6)", "fourbar"])
def test_a_body_moves_with_the_body_that_carries_it(name: str) -> None:
    """In every free motion, walked up component by component; its dependents are those below."""
    a = families.assembly(families.named(name))
    last = list(a.parts)[2]
    a.add("flag", features={"foot": asm.Point((0, 0, 0))})
    a.mate("coincident", f"{last}.origin", "flag.foot")
    d = asm.solve(a).diagnosis
    carried = 0
    for motion in d.free_motions:
        below = set()
        for body in range(1, d.plan.bodies.count):
            at = body
            while at and d.component_of[at] != motion.component:
                at = d.plan.components[d.component_of[at]].root
            expected = motion.twists.get(at, freedoms.NO_TWIST)
            np.testing.assert_array_equal(d.twists([motion], body)[0], expected)
            if at in motion.twists:
                below.add(body)
                carried += at != body
        names = {name for body in below for name in d.names_of[body]}
        assert set(moving_parts(motion, d)) == names
        assert sum(map(d.walk.total, motion.bodies)) == len(names)
    # the flag adds two motions of links before it, or that of the loop; three of its own carry none
    assert carried == {"chain(6)": 17, "fourbar": 1}[name]


def test_what_is_said_of_a_long_chain_is_read_from_its_links() -> None:
    solution = asm.solve(families.assembly(families.named("chain(400)")))
    words = [f["words"] for f in solution.free_motions]
    axis = "coaxial link199.head_axis - link200.tail_axis"
    expected = f"link200 turns about {axis}; link201, link202, link203 and 197 more move with it"
    assert expected in words
    assert solution.free_motions[0]["parts"] == [f"link{k}" for k in range(1, 401)]
