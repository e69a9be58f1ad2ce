"""`--position NAME` of every command that reads an assembly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembly_solver.cli import main
from assembly_solver.cli.program import COMMANDS, app

SAMPLES = Path(__file__).parents[2] / "samples"
EXCAVATOR = str(SAMPLES / "excavator.assembly.json")
NO_ASSEMBLY = {"features", "schema", "sample", "warm-up"}


@pytest.mark.quick
def test_every_command_that_reads_an_assembly_takes_a_position() -> None:
    taking = set()
    for name in COMMANDS:
        found = app.get_command(None, name)  # type: ignore[arg-type]
        assert found is not None
        if any("--position" in p.opts for p in found.params):
            taking.add(name)
    assert taking == set(COMMANDS) - NO_ASSEMBLY


def drivers_in(result: dict[str, Any]) -> dict[str, float]:
    return {m["name"]: m["residual_mm"] for m in result["mates"] if "driver" in m["kind"]}


def test_solve_writes_the_assembly_at_its_position(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out.assembly.json"
    assert main(["solve", EXCAVATOR, "--position", "dumping", "-o", str(out), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["poses"]["bucket"]["position"][1] == pytest.approx(1812.0, abs=0.5)
    written = json.loads(out.read_text())
    assert [c["value"] for c in written["cylinders"].values()] == [1300, 1250]
    assert written["positions"].keys() == {"digging", "carrying", "dumping"}


def test_a_setting_replaces_a_value_of_the_position(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out.assembly.json"
    words = ["--position", "dumping", "--set", "bucket cylinder=1300", "-o", str(out)]
    assert main(["solve", EXCAVATOR, *words]) == 0
    written = json.loads(out.read_text())
    assert [c["value"] for c in written["cylinders"].values()] == [1300, 1300]


@pytest.mark.quick
@pytest.mark.parametrize("command", ["solve", "diagnose", "convert"])
def test_an_unknown_position_is_one_line_with_those_that_exist(
    command: str, tmp_path: Path, capsys: Any
) -> None:
    more = [str(tmp_path / "out.assembly.json")] if command == "convert" else []
    assert main([command, EXCAVATOR, *more, "--position", "resting"]) == 2
    told = capsys.readouterr().err
    assert told == ("error: --position: no position 'resting'; known: carrying, digging, dumping\n")


@pytest.mark.quick
def test_a_file_without_positions_says_that_there_is_none(capsys: Any) -> None:
    four_bar = str(SAMPLES / "four_bar.assembly.json")
    assert main(["solve", four_bar, "--position", "open"]) == 2
    assert capsys.readouterr().err == "error: --position: no position 'open'; there is none\n"


def hinge(folder: Path, **positions: Any) -> str:
    tree = json.loads((SAMPLES / "hinge.assembly.json").read_text()) | {"positions": positions}
    for part in tree["parts"].values():
        part.pop("geometry", None)
    path = folder / "hinge.assembly.json"
    path.write_text(json.dumps(tree))
    return str(path)


@pytest.mark.quick
def test_convert_writes_where_the_position_has_the_parts(tmp_path: Path, capsys: Any) -> None:
    file, out = hinge(tmp_path, open={"opening": 90}), tmp_path / "out.assembly.json"
    assert main(["convert", file, str(out), "--position", "open"]) == 0
    written = json.loads(out.read_text())
    w, *_, z = written["parts"]["door"]["pose"]["quaternion_wxyz"]
    assert abs(w) == pytest.approx(0.5**0.5, abs=1e-9) and abs(z) == pytest.approx(0.5**0.5)
    assert written["drivers"]["opening"]["value"] == 90


@pytest.mark.quick
def test_convert_writes_nothing_at_a_position_where_the_mates_do_not_hold(
    tmp_path: Path, capsys: Any
) -> None:
    file, out = hinge(tmp_path, beyond={"opening": 170}), tmp_path / "out.assembly.json"
    assert main(["convert", file, str(out), "--position", "beyond"]) == 1
    assert "position beyond: " in capsys.readouterr().err and not out.exists()


@pytest.mark.quick
def test_a_position_with_an_unknown_mode_names_the_modes(tmp_path: Path, capsys: Any) -> None:
    file = hinge(tmp_path, open={"opening": 30, "mode": "up"})
    assert main(["diagnose", file, "--position", "open"]) == 2
    assert "no mode 'up'; there is none: no loop can close in two ways" in capsys.readouterr().err
