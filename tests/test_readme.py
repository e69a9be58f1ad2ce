"""What the README prints is run here, so that it cannot drift from the code."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from math import acos, degrees, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_layers import ORDER

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.model import mate as mate_module
from assembly_solver.model.laws.expression import FUNCTIONS
from assembly_solver.model.mate import MATES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


ROUNDING = re.compile(r"(?<![\w.,-])(?:0|0\.0e\+00|\d\.\de-(?:0[6-9]|[1-9]\d))(?![\w.])")
"""Residuals that say no more than that a mate holds: another processor rounds otherwise."""


def rounded(text: str) -> str:
    """Text with rounding as one word, and without what the widths of columns come from."""
    text = ROUNDING.sub("tiny", text)
    lines = (re.sub(r" +|─+", lambda run: run[0][0], line).rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()


def test_the_script_prints_what_the_readme_says() -> None:
    script, output = blocks("python")[0], blocks("text")[0]
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert rounded(run.stdout) == rounded(output)
    assert len(script.strip().splitlines()) <= 12


def test_the_session_does_what_the_readme_says() -> None:
    script = "\n".join(blocks("python")[:2])
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    dragged, refused = run.stdout.strip().splitlines()[-2:]
    assert float(dragged.split()[0]) < 1e-3 and "mm from the request, every mate holds" in dragged
    assert "parallel ground.x - coupler.z cannot hold together" in refused


def test_the_motion_of_the_readme_ends_at_the_dead_point_that_it_says() -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    exec(blocks("python")[0], names)
    exec(next(b for b in blocks("python") if "asm.sweep" in b), names)
    told = README.split("prints `47 of 71")[1].split("`")[0]
    assert rounded("47 of 71 " + " ".join(told.split())) == rounded(str(names["motion"]))
    # crank and coupler folded: the pin of the rocker is 180 - 60 from the pivot of the crank
    folded = 180.0 - degrees(acos((200**2 + 120**2 - 120**2) / (2 * 200 * 120)))
    assert names["motion"].stopped.value == pytest.approx(-folded, abs=1e-9)


@pytest.mark.parametrize(("verb", "status"), [("diagnose", 1), ("mobility", 0), ("sweep", 0)])
def test_a_transcript_is_what_the_command_prints(
    verb: str, status: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    call, _, transcript = next(b for b in blocks("console") if f"solver {verb} " in b).partition(
        "\n"
    )
    assert cli.main(shlex.split(call.removeprefix("$ assembly-solver "))) == status
    assert rounded(capsys.readouterr().out) == rounded(transcript)


def test_the_table_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == cli.HOLDS
    commands = re.findall(r"^  ([a-z-]+)  ", capsys.readouterr().out.split("Commands:")[1], re.M)
    assert sorted(re.findall(r"^\| `assembly-solver ([a-z-]+)", README, re.M)) == sorted(commands)


def test_the_file_solves_with_the_door_where_its_mates_put_it(tmp_path: Path) -> None:
    file = tmp_path / "hinge.assembly.json"
    file.write_text(blocks("json")[0], encoding="utf-8")
    door = asm.solve(asm.read(file)).poses["door"]
    assert door.position == pytest.approx((0, 0, 2), abs=1e-9)  # the seat's offset
    half = 3**0.5 / 2  # cosine of half of 30 degrees, squared: (1 + cos 30) / 2
    assert door.quaternion_wxyz[0] ** 2 == pytest.approx((1 + half) / 2, abs=1e-12)


def test_the_sub_assemblies_and_the_pattern_of_the_readme_are_read(tmp_path: Path) -> None:
    inner = asm.Assembly("inner")
    inner.add("base", features={"hole": asm.Axis((10, 0, 0), "z")}, grounded=True)
    inner.add("wheel")
    for name in ("arm", "cart"):
        asm.write(inner, tmp_path / f"{name}.assembly.json")
    (tmp_path / "whole.assembly.json").write_text(blocks("json")[1], encoding="utf-8")
    a = asm.read(tmp_path / "whole.assembly.json")
    parts = ["floor", "arm", "cart.base", "cart.wheel", "bolt", "bolts[1]", "bolts[2]"]
    assert (list(a.parts), list(a.mates)) == (parts, ["in", "in[1]", "in[2]"])
    # the hole is at 10 in the arm, the second instance 50 further
    assert asm.solve(a).require().poses["bolts[2]"].position[:2] == pytest.approx((560, 0))


def test_the_drawings_of_the_readme_are_a_crank_rocker_and_a_slider_crank(tmp_path: Path) -> None:
    names: dict[str, Any] = {"asm": asm}
    exec(next(b for b in blocks("python") if "m.pins" in b), names)
    told = README.split("prints `361 states")[1].split(" [30. 60.  0.]`")[0]
    assert rounded("361 states " + " ".join(told.split())) == rounded(str(names["motion"]))
    way = names["motion"].point("coupler.P").position
    assert way[90] == pytest.approx((30, 60, 0), abs=1e-9)  # as drawn
    assert way[0] == pytest.approx(way[360], abs=1e-9)
    file = tmp_path / "slider_crank.assembly.json"
    file.write_text(next(b for b in blocks("json") if "linkage" in b), encoding="utf-8")
    a = asm.read(file, set={"L": 40})  # the rod is drawn from there: as long as from B to Q
    motion = asm.sweep(a, "crank", steps=4)
    slid = motion.joint("guide", "length").value
    rod = (60**2 + 40**2) ** 0.5
    assert slid[[0, 2]] == pytest.approx([10 + 40 + rod, 10 - 40 + rod], abs=1e-9)


def test_the_states_of_the_readme_are_those_that_it_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names: dict[str, Any] = {"asm": asm, "np": np}
    exec(next(b for b in blocks("python") if "m.pins" in b).split("motion =")[0], names)
    exec(next(b for b in blocks("python") if "asm.linkage" in b), names)
    told = next(b for b in blocks("text") if "actuated joint" in b)
    assert rounded(capsys.readouterr().out) == rounded(told)
    # the crank turns once a second: B at 2 pi 30 mm/s to the left, the coupler turns besides
    before, after = names["linkage"].run(crank=[89.999, 90.001]).point("P")
    rate = (after - before) / 0.002 * 360
    assert names["states"].velocity("P")[90] == pytest.approx(rate, rel=1e-6)


def test_the_forces_of_the_readme_are_those_that_it_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    exec(next(b for b in blocks("python") if "asm.forces" in b), {"__name__": "readme"})
    assert "in equilibrium; boom cylinder pushes " in capsys.readouterr().out
    file = tmp_path / "arm.assembly.json"
    file.write_text(next(b for b in blocks("json") if "gravity" in b), encoding="utf-8")
    motor = asm.forces(asm.read(file)).drivers["motor"].value[0]
    # the arm's weight and the tool's force on their arms, less the brake's torque
    assert motor == pytest.approx(2 * 9.81 * 250 + 50 * 500 - 1500)


def test_the_laws_cylinder_and_parameters_of_the_readme_are_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "boom.assembly.json"
    file.write_text(next(b for b in blocks("json") if "cylinders" in b), encoding="utf-8")
    a = asm.read(file)
    solution = asm.solve(a).require()  # 300, 400 and 500 mm: a right angle at the pin
    assert solution.poses["boom"].quaternion_wxyz == pytest.approx((1, 0, 0, 0), abs=1e-9)
    assert solution.poses["table"].position == pytest.approx((900, 0, 0), abs=1e-9)
    push = a.cylinders["lift"].push
    assert push == pytest.approx(25 * 110**2 * pi / 4)
    # the foot goes with the arm: the right angle stays at 5/3 of the length, and at no other
    longer = asm.read(file, set={"arm": 440, "lift": 550})
    turned = asm.solve(longer).require().poses["boom"].quaternion_wxyz
    assert turned == pytest.approx((1, 0, 0, 0), abs=1e-9)


def test_the_formulas_of_the_readme_are_all_that_there_are() -> None:
    section = README.split("## Drivers, laws")[1].split("\n## ")[0]
    words = set(re.findall(r"\w+", section))
    degrees = {name for name in FUNCTIONS if name.endswith("d") and name[:-1] in FUNCTIONS}
    assert degrees == {"sind", "cosd", "tand", "asind", "acosd", "atand", "atan2d"}
    assert set(FUNCTIONS) - degrees - words == set()


def test_the_file_section_names_every_kind() -> None:
    section = README.split("## The file")[1].split("\n## ")[0]
    missing = [kind for kind in MATES if f"`{kind}`" not in section]
    assert missing == []


def test_the_mate_of_the_readme_removes_what_it_claims() -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    try:
        exec(blocks("python")[-1], names)
        a = asm.Assembly()
        a.add("fork", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
        tilted = asm.Pose.from_axis((4, -3, 2), (1, 2, 3), 50)
        a.add("shaft", features={"pin": asm.Axis((10, 0, 0), "x")}, pose=tilted)
        a.mate("crossed", "fork.pin", "shaft.pin")
        solution = asm.solve(a)
        assert solution.dof == 6 - MATES["crossed"].removes == 2
        x, _, z = solution.poses["shaft"].frame.reshape(4, 3)[1:]
        assert abs(x[2]) < 1e-9 and abs(z @ z - 1) < 1e-12  # x of the shaft across z of the fork
    finally:
        mate_module._REGISTRY.pop("crossed", None)


def test_the_table_of_folders_has_every_folder_from_the_top_down() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Where things go")[1]
    folders = [name for name in ORDER if (ROOT / "assembly_solver" / name).is_dir()]
    assert re.findall(r"^\| `(\w+)/` ", table, re.MULTILINE) == folders[::-1]


def test_every_file_that_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) >= 3
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_has_one_command_that_passes_the_tests() -> None:
    """.ci/run takes it from here by the same pattern."""
    assert len(re.findall(r"^python3\.11 -m venv .*pytest$", README, re.MULTILINE)) == 1
