"""Equations that are written form by form are those of the mates, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.equations.system import compile_system
from assembly_solver.equations.table import EquationTable
from assembly_solver.model.equation_set import Equation

pytestmark = pytest.mark.quick

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = ("four_bar", "excavator", "stewart_platform", "theo_jansen", "stack_of_blocks", "hinge")


def one_by_one(equations: Iterable[Equation], t: EquationTable) -> Iterable[str]:
    """What differs between equations and a table of them; markers are known by their frames."""
    k, e = 0, -1
    for e, (terms, target) in enumerate(equations):
        if t.target[e] != target or t.first_term[e] != k:
            yield f"target or first term of {e}"
        for c, (kind, i, j, a, b, data) in terms:
            n = t.term_measure[k]
            ends = (t.marker_frame[t.marker_a[n], :6], t.marker_frame[t.marker_b[n], :6])
            if (t.coefficient[k], t.kind[n], t.axis_i[n]) != (c, kind, i):
                yield f"coefficient or measure of term {k}"
            if not (data or t.axis_j[n] == j):
                yield f"axis of b in term {k}"
            if tuple(t.data[t.axis_j[n] :][: len(data)]) != data:
                yield f"shape of term {k}"
            if not all(np.array_equal(x, m.frame[:6]) for x, m in zip(ends, (a, b), strict=True)):
                yield f"markers of term {k}"
            k += 1
    if (len(t.target), len(t.kind)) != (e + 1, k):
        yield "number of equations or terms"


@pytest.mark.parametrize("name", NAMES)
def test_the_table_has_every_equation_of_every_mate_and_driver_in_their_order(name: str) -> None:
    a = asm.read(SAMPLES / f"{name}.assembly.json")
    system = compile_system(a)
    valued = [d.at(d.value) for d in a.drivers.values() if d.value is not None]
    sets = [*(h.equations for h in a.held.values()), *valued]
    assert list(one_by_one([e for own in sets for e in own], system.table)) == []
    assert np.diff(system.first_equation).tolist() == [len(own) for own in sets]


def test_features_of_cones_are_written_once_and_a_constant_of_the_start_is_open() -> None:
    a = asm.Assembly()
    cone = asm.Cone((0, 0, 0), "z", angle=30.0)
    a.add("base", grounded=True, features={"cone": cone, "pin": asm.Axis((0, 0, 0), "x")})
    for name in ("one", "two"):
        a.add(
            name, features={"ball": asm.Sphere((0, 0, 20), radius=3.0), "pin": asm.Frame((0, 0, 0))}
        )
        a.mate("tangent", "base.cone", f"{name}.ball")
        a.mate("revolute", "base.origin", f"{name}.pin", name=name)
    a.mate("gear", "one", "two", ratio=2.0)
    table = compile_system(a).table
    assert len(table.data) == 3
    assert [n for n in np.diff(table.first_term).tolist() if n > 1] == [2]
    assert len(set(table.marker_a.tolist())) == 4  # those of the joints serve the gear
