"""The example in CadQuery on the page of each kind."""

from __future__ import annotations

import kinds
import pytest
from kind_queries import QUERIES, in_cadquery

import assembly_solver as asm

pytest.importorskip("cadquery")


@pytest.mark.parametrize("kind", sorted(QUERIES))
def test_selectors_leave_the_freedoms_that_features_leave(kind: str) -> None:
    """And what they pick is what the mate holds: one that is not read so is refused."""
    import assembly_solver_cadquery as mates

    a = kinds.run(in_cadquery(kind))[0]["a"]
    solution = mates.solve(a).require()
    assert solution.dof == asm.solve(kinds.run(kinds.script(kind))[0]["a"]).dof
    assert [mate.kind for mate in solution.mates][-1] == kind


def test_every_kind_has_an_example_in_cadquery() -> None:
    assert QUERIES.keys() == kinds.EXAMPLES.keys()
