"""Names of the files that the plugin writes: any system takes them, and no two are one."""

from __future__ import annotations

from pathlib import Path

import pytest

import assembly_solver as asm

cq = pytest.importorskip("cadquery")
mates = pytest.importorskip("assembly_solver_cadquery")
file_stems = pytest.importorskip("assembly_solver_cadquery.solid_files").file_stems


def test_names_that_some_system_does_not_take_are_changed() -> None:
    names = ["a:b", "a/b", "A_b", "con", "LPT1.left", "end. ", "arm", "..."]
    assert list(file_stems(names).values()) == [
        *("a_b", "a_b_2", "A_b_3", "_con", "_LPT1.left", "end", "arm", "_")
    ]


def test_parts_whose_names_differ_in_what_files_cannot_have_keep_their_shapes(
    tmp_path: Path,
) -> None:
    assy = cq.Assembly(name="pair")
    assy.add(cq.Workplane().box(1, 1, 1), name="a:b")
    assy.add(cq.Workplane().box(2, 2, 2), name="a?b")
    made = mates.to_assembly(assy, tmp_path)
    files = [str(part.geometry) for part in made.parts.values()]
    assert files == ["a_b.step", "a_b_2.step"]
    volumes = [cq.importers.importStep(str(tmp_path / file)).val().Volume() for file in files]
    assert volumes == pytest.approx([1, 8])
    asm.write(made, tmp_path / "pair.assembly.json")
    again = asm.read(tmp_path / "pair.assembly.json")
    assert [str(part.geometry) for part in again.parts.values()] == files
