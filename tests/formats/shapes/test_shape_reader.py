"""STEP files that the modeller crashes on or never ends with: one line, and it reads the next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest
from freecad_files import brep

from assembly_solver.cli import main
from assembly_solver.errors import FormatError
from assembly_solver.formats.shapes import shape_reader
from assembly_solver.formats.shapes.measured_faces import centre_of_face
from assembly_solver.formats.shapes.shape_reader import started
from assembly_solver.formats.shapes.step_shapes import step_shape

cq = pytest.importorskip("cadquery")

SAMPLES = Path(__file__).parents[3] / "samples"
DOOR = SAMPLES / "hinge" / "door.step"


def without_vectors(folder: Path) -> Path:
    """A file whose lines have no directions, on which OpenCASCADE crashes."""
    out = folder / "spoilt.step"
    out.write_text(DOOR.read_text().replace("VECTOR(", "XECTOR("))
    return out


def test_what_is_read_is_what_the_modeller_reads() -> None:
    here = cq.importers.importStep(str(DOOR)).val()
    there = step_shape(DOOR, "door", "this test")
    assert there.ShapeType() == here.ShapeType() == "Solid"
    for kind in ("Faces", "Edges", "Vertices"):
        mine = [piece.Center().toTuple() for piece in getattr(there, kind)()]
        assert mine == [piece.Center().toTuple() for piece in getattr(here, kind)()]
    assert there.Volume() == here.Volume()


def test_several_roots_become_one_compound(tmp_path: Path) -> None:
    boxes = [cq.Workplane().box(1, 1, 1).val(), cq.Workplane().box(2, 1, 1).val().move(x=5)]
    cq.exporters.export(cq.Workplane().newObject(boxes), str(tmp_path / "two.step"))
    assert step_shape(tmp_path / "two.step", "two", "this test").Volume() == pytest.approx(3)


def test_a_crash_is_one_line_and_the_next_file_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = without_vectors(tmp_path)
    wrong = f"parts.spoilt.geometry: {file} cannot be read as STEP: the modeller crashes on it"
    assert main(["features", str(file)]) == 2
    assert capsys.readouterr() == ("", f"error: {wrong}\n")
    assert main(["features", str(file), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)["error"]
    assert told == {"type": "FormatError", "message": wrong}
    assert [path.name for path in tmp_path.iterdir()] == ["spoilt.step"]
    assert main(["features", str(DOOR), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["features"]) == 43


@pytest.mark.parametrize("text", ["", "ISO-10303-21;", "\0" * 9000, DOOR.read_text()[:30_000]])
def test_what_is_no_step_is_one_line_and_nothing_of_the_modeller_is_printed(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.step"
    file.write_text(text)
    wrong = f"parts.none.geometry: {file} cannot be read as STEP"
    assert main(["features", str(file)]) == 2
    told = capfd.readouterr()
    assert told.out == "" and told.err.startswith(f"error: {wrong}") and told.err.count("\n") == 1


def test_a_file_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape_reader, "SECONDS", 0.01)
    monkeypatch.setattr(shape_reader, "SECONDS_PER_MB", 0.0)
    with pytest.raises(FormatError, match=r"cannot be read as STEP in 0 s of processor time$"):
        started().step(SAMPLES / "excavator" / "base.step", "")
    monkeypatch.undo()
    assert not started().step(DOOR, "").IsNull()


@pytest.mark.parametrize("end", ["sys.exit()", "os._exit(1)", "os.kill(os.getpid(), 9)"])
def test_the_reader_ends_with_the_program(end: str) -> None:
    script = (
        "import os, sys\n"
        "from assembly_solver.formats.shapes.shape_reader import started\n"
        f"print(started().number, flush=True)\n{end}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    number = int(done.stdout)
    for _ in range(600):
        if not Path(f"/proc/{number}").exists():
            return
        sleep(0.1)
    os.kill(number, 9)
    pytest.fail(f"the reader {number} goes on")


@pytest.mark.quick
def test_a_fork_has_a_reader_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = started()
    assert started() is mine
    monkeypatch.setattr(shape_reader.os, "getpid", lambda: -1)
    other = started()
    assert other is not mine and other.number != mine.number
    other.close()
    mine.close()
    shape_reader.reader.cache_clear()


def test_a_stored_shape_on_which_the_modeller_crashes_is_one_line() -> None:
    """The kind of an edge is a word of 3000 letters."""
    text = brep().replace("\nEd\n", f"\n{'z' * 3000}\n", 1)
    wrong = r"^Shape\.brp: its shape cannot be read: the modeller crashes on it$"
    with pytest.raises(FormatError, match=wrong):
        centre_of_face(text, "Shape.brp", "Face1")
    assert centre_of_face(brep(), "Shape.brp", "Face1") == pytest.approx((0, 0, 0), abs=1e-12)
