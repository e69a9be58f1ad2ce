"""Wrong files of other programs: an answer or one line, nothing raised and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest
from asmt_files import Body, Frame, joint, save as save_asmt, text
from freecad_files import OTHERS, assembly, brep, document, grounded, joint as fc_joint, save, solid

from benchmarks.file_mutations import mutated, outcome

SEEDS = 35
"""With the 100 of the native format 1 % of what the benchmark runs."""


def asmt(folder: Path) -> Path:
    """A crank on a grounded pin."""
    ground = Body("Rig", Frame(), {"Pin": Frame()})
    crank = Body("Crank", Frame((1.0, 0.0, 0.0)), {"Eye": Frame()})
    made = joint("RevoluteJoint", "Hinge", "Pin", "Crank/Eye")
    return save_asmt(folder / "rig.asmt", text([ground, crank], [made]))


def fcstd(folder: Path) -> Path:
    """A lid on a grounded base, with their shapes."""
    parts = [solid("Base"), solid("Lid")]
    made = fc_joint("Revolute", "Base", "Lid")
    shapes = {f"{p.name}.brp": (brep().encode(), 0) for p in parts}
    things = assembly(parts, [grounded("Base"), made])
    return save(folder / "made.FCStd", document(things), {**OTHERS, **shapes})


def shape(folder: Path) -> Path:
    """Each kind of face and edge."""
    out = folder / "Shape.brp"
    out.write_text(brep())
    return out


@pytest.mark.parametrize("make", [asmt, fcstd, shape])
def test_a_mutated_file_is_answered_or_refused_with_one_line(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    file = make(tmp_path)
    whole = file.read_bytes()
    told = {seed: outcome(file, seed, inf) for seed in range(SEEDS)}
    assert {seed: words for seed, words in told.items() if words.startswith("BAD")} == {}
    assert file.read_bytes() == whole
    assert sum(mutated(file, seed) != whole for seed in range(SEEDS)) > SEEDS // 2
    assert len(set(told.values())) > 2
