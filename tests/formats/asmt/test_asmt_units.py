"""The unit of length of .asmt files: by evidence, told, or stated by the user."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from asmt_files import MM, SI, Body, Frame, joint, save, text

import assembly_solver as asm
from assembly_solver.errors import BadValue
from assembly_solver.formats import READ_AS

pytestmark = pytest.mark.quick

Run = Callable[..., tuple[int, str, str]]

STILL = (0.0, 0.0, 0.0)


def file_of(folder: Path, size: float, banner: str, gravity: float, name: str = "Rig") -> Path:
    """An arm of a length on a hinge, in an assembly of a name."""
    bodies = [
        Body("Rig", Frame(), {"A": Frame((size, 0, 0))}),
        Body("Arm", Frame((size, 0, 0)), {"B": Frame()}),
    ]
    whole = text(
        bodies,
        [joint("RevoluteJoint", "hinge", "A", "Arm/B")],
        gravity=(0.0, -gravity, 0.0),
        banner=banner,
    )
    whole = whole.replace("\tName\n\t\tRig\n", f"\tName\n\t\t{name}\n", 1).replace(
        "/Rig/", f"/{name}/"
    )
    return save(folder / "x.asmt", whole)


EVIDENCE = [
    (3.0, SI, 9.81, "Rig", 1000.0, "m: gravity is 9.81"),
    (3.0, MM, 9.81, "Rig", 1000.0, "m: gravity is 9.81"),
    (3.0, SI, 9810.0, "Rig", 1.0, "mm: gravity is 9810"),
    (3.0, SI, 9.81, "OndselAssembly", 1.0, "mm: FreeCAD names an assembly OndselAssembly"),
    (0.164, MM, 0.0, "Rig", 1000.0, "m: its largest coordinate is 0.164"),
    (120.0, SI, 0.0, "Rig", 1.0, "mm: its largest coordinate is 120"),
    (3.0, SI, 0.0, "Rig", 1000.0, "m: its first line begins with 'freeCAD: 3D CAD with Motion"),
    (3.0, MM, 0.0, "Rig", 1.0, "mm: its first line begins with 'OndselSolver'"),
    (
        3.0,
        "MbD 7",
        0.0,
        "Rig",
        1000.0,
        "m: its largest coordinate is 3, and its first line tells nothing",
    ),
    (
        30.0,
        "MbD 7",
        0.0,
        "Rig",
        1.0,
        "mm: its largest coordinate is 30, and its first line tells nothing",
    ),
]
"""Size, first line, gravity, name of the assembly; then the unit in mm, and what is told."""


@pytest.mark.parametrize(("size", "banner", "gravity", "name", "unit", "told"), EVIDENCE)
def test_the_best_evidence_decides_and_is_told(
    size: float, banner: str, gravity: float, name: str, unit: float, told: str, tmp_path: Path
) -> None:
    found = asm.read(file_of(tmp_path, size, banner, gravity, name))
    assert found.pose("Arm").position == (unit * size, 0.0, 0.0)
    words = found.notes[READ_AS]["unit of length"]
    assert words.startswith(f"lengths of x.asmt are taken in {told}")
    other = "mm" if unit == 1000.0 else "m"
    assert words.endswith(f"; --unit {other} takes them in {other}")


@pytest.mark.parametrize(("unit", "mm"), [("m", 1000.0), ("mm", 1.0)])
def test_a_stated_unit_is_taken(unit: str, mm: float, tmp_path: Path) -> None:
    found = asm.read(file_of(tmp_path, 3.0, SI, 9.81), unit=unit)
    assert found.pose("Arm").position == (3.0 * mm, 0.0, 0.0)
    assert found.gravity == pytest.approx((0.0, -9.81 * mm / 1000.0, 0.0))
    words = found.notes[READ_AS]["unit of length"]
    assert words == f"lengths of x.asmt are taken in {unit}: as was asked"


def test_a_unit_that_is_none_or_is_stated_in_the_file_is_refused(tmp_path: Path) -> None:
    file = file_of(tmp_path, 3.0, SI, 9.81)
    with pytest.raises(BadValue, match="unit: 'inch' is not possible here, it must be m or mm"):
        asm.read(file, unit="inch")
    native = tmp_path / "x.assembly.json"
    asm.write(asm.read(file), native)
    with pytest.raises(BadValue, match=r"left to the file: only \.asmt does not state it"):
        asm.read(native, unit="mm")


def test_the_command_line_tells_the_unit_and_takes_one(run: Run, tmp_path: Path) -> None:
    file, native = file_of(tmp_path, 3.0, MM, 9.81), tmp_path / "x.assembly.json"
    for command in ("solve", "diagnose", "analyse", "mobility"):
        status, out, _ = run(command, file)
        assert (status, "are taken in m: gravity is 9.81" in " ".join(out.split())) == (0, True)
    status, out, _ = run("solve", file, "--unit", "mm", "--json")
    told = json.loads(out)
    assert told["poses"]["Arm"]["position"] == [3.0, 0.0, 0.0]
    assert [row["name"] for row in told["read_as"]] == ["unit of length"]
    status, _, err = run("convert", file, native, "--unit", "m")
    assert (status, "taken in m: as was asked" in err) == (0, True)
    assert asm.read(native).pose("Arm").position == (3000.0, 0.0, 0.0)
    status, _, err = run("solve", file, "--unit", "inch")
    assert (status, err.count("\n")) == (2, 1)
    assert "'inch' is not possible here, it must be m or mm" in err
