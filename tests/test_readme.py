"""What the README and the pages under docs/ print is run here, so that it cannot drift."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from math import acos, degrees, pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import ROOT, agree, blocks, run_page
from test_layers import ORDER

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.model import mate as mate_module
from assembly_solver.model.laws.expression import FUNCTIONS

MATES = asm.MATES
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = ROOT / "docs"
PAGES = ["README.md", *sorted(p.relative_to(ROOT).as_posix() for p in DOCS.rglob("*.md"))]
NEEDS = {"docs/tutorials/cadquery.md": "cadquery"}
"""Pages for which something has to be installed that is not always there."""


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the samples, the current one; kinds that a page defines go with it."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    known = set(MATES)
    yield tmp_path
    for kind in set(MATES) - known:
        mate_module._REGISTRY.pop(kind)


def test_lines_are_left_out_only_where_the_page_says_so() -> None:
    assert agree("a\nb\nc\n12 iterations, 3.4 ms\n", "a\n...\nc\n")
    assert not agree("a\nb\nd\n", "a\n...\nc\n") and not agree("a\nb\nc\n", "a\nc\n")


@pytest.mark.parametrize("name", [name for name in PAGES if blocks(page(name))])
def test_a_page_prints_what_it_says(name: str, folder: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    names, printed = run_page(page(name), folder)
    for block, got, told in printed:
        assert agree(got, told), f"{block.body}\nprints\n{got}"
    ORACLES.get(name, lambda names, folder: None)(names, folder)


def dead_point(names: dict[str, Any], folder: Path) -> None:
    """Crank and coupler folded: the pin of the rocker is 180 - 60 from the pivot of the crank."""
    folded = 180.0 - degrees(acos((200**2 + 140**2 - 120**2) / (2 * 200 * 140)))
    assert names["motion"].stopped.value == pytest.approx(folded, abs=1e-9)


def hinge(names: dict[str, Any], folder: Path) -> None:
    door = asm.solve(asm.read(folder / "hinge.assembly.json")).poses["door"]
    assert door.position == pytest.approx((0, 0, 2), abs=1e-9)  # the seat's offset
    half = 3**0.5 / 2  # cosine of half of 30 degrees, squared: (1 + cos 30) / 2
    assert door.quaternion_wxyz[0] ** 2 == pytest.approx((1 + half) / 2, abs=1e-12)


def bolts(names: dict[str, Any], folder: Path) -> None:
    """The hole is at 10 in the arm at 500, the second instance 50 further."""
    poses = asm.solve(names["a"]).require().poses
    assert poses["bolts[2]"].position[:2] == pytest.approx((560, 0))


def drawings(names: dict[str, Any], folder: Path) -> None:
    """A crank-rocker that closes, and a slider-crank whose rod is as long as from B to Q."""
    way = names["motion"].point("coupler.P").position
    assert way[90] == pytest.approx((30, 60, 0), abs=1e-9)  # as drawn
    assert way[0] == pytest.approx(way[360], abs=1e-9)
    a = asm.read(folder / "slider_crank.assembly.json", set={"L": 40})
    slid = asm.sweep(a, "crank", steps=4).joint("guide", "length").value
    rod = (60**2 + 40**2) ** 0.5
    assert slid[[0, 2]] == pytest.approx([10 + 40 + rod, 10 - 40 + rod], abs=1e-9)


def states(names: dict[str, Any], folder: Path) -> None:
    """The crank turns once a second: B at 2 pi 30 mm/s to the left, the coupler turns besides."""
    before, after = names["linkage"].run(crank=[89.999, 90.001]).point("P")
    rate = (after - before) / 0.002 * 360
    assert names["states"].velocity("P")[90] == pytest.approx(rate, rel=1e-6)


def motor(names: dict[str, Any], folder: Path) -> None:
    """The arm's weight and the tool's force on their arms, less the brake's torque."""
    value = asm.forces(names["a"]).drivers["motor"].value[0]
    assert value == pytest.approx(2 * 9.81 * 250 + 50 * 500 - 1500)


def boom(names: dict[str, Any], folder: Path) -> None:
    """300, 400 and 500 mm: a right angle at the pin."""
    poses = names["solution"].poses
    assert poses["boom"].quaternion_wxyz == pytest.approx((1, 0, 0, 0), abs=1e-9)
    assert poses["table"].position == pytest.approx((900, 0, 0), abs=1e-9)
    assert names["a"].cylinders["lift"].push == pytest.approx(25 * 110**2 * pi / 4)


def longer(names: dict[str, Any], folder: Path) -> None:
    """The foot goes with the arm: the right angle stays at 5/3 of the length."""
    assert names["turn"] == pytest.approx((1, 0, 0, 0), abs=1e-9)
    assert names["a"].drivers["lift"].value == 550


def crossed(names: dict[str, Any], folder: Path) -> None:
    """x of the shaft lies across z of the fork."""
    solution = asm.solve(names["a"])
    assert solution.dof == 6 - MATES["crossed"].removes == 2
    x, _, z = solution.poses["shaft"].frame.reshape(4, 3)[1:]
    assert abs(x[2]) < 1e-9 and abs(z @ z - 1) < 1e-12


def modes(names: dict[str, Any], folder: Path) -> None:
    """The two modes of a four-bar are mirror images in the line of the crank pin and the pivot."""
    a = names["a"]
    pins = [asm.solve(a, mode=sign).require().poses["rocker"].frame[3:5] for sign in "+-"]
    across = np.array((200 - 60 / 2, -60 * 3**0.5 / 2)) / 180.832  # crank at 60 degrees
    assert [np.sign(across[0] * p[1] - across[1] * p[0]) for p in pins] == [1, -1]


ORACLES: dict[str, Callable[[dict[str, Any], Path], None]] = {
    "docs/motion.md": dead_point,
    "docs/file.md": hinge,
    "docs/subassemblies.md": bolts,
    "docs/drawings.md": drawings,
    "docs/states.md": states,
    "docs/forces.md": motor,
    "docs/drivers.md": boom,
    "docs/parameters.md": longer,
    "docs/add_a_mate.md": crossed,
    "docs/modes.md": modes,
}
"""What holds of a page by other reckoning than the engine's."""


def test_what_installs_is_not_run_but_what_follows_it_is(folder: Path) -> None:
    """The only shell commands of all pages are two, the second of which .ci/run runs."""
    shell = {name: [b.body for b in blocks(page(name), "sh")] for name in PAGES}
    assert {name for name, found in shell.items() if found} == {"README.md"}
    first, second = shell["README.md"]
    assert [first.count("\n"), second.count("\n")] == [1, 1]
    pytest.importorskip("cadquery")
    install = "python3.11 -m venv .venv && .venv/bin/pip install -q '.[cadquery]' && "
    assert first.startswith(install)
    here = f"{sys.executable} -m assembly_solver"
    command = first.removeprefix(install).replace(".venv/bin/assembly-solver", here)
    subprocess.run(["bash", "-c", command], check=True, capture_output=True)
    left = {path.name for path in folder.glob("excavator-*")}
    solved = {f"excavator-solved.{suffix}" for suffix in ("assembly.json", "step", "glb")}
    assert left == solved | {"excavator-check.html"}


def test_scripts_for_another_program_are_run_by_its_test_or_need_a_cluster() -> None:
    titled = {name for name in PAGES if any(b.title for b in blocks(page(name), "python"))}
    # by tests/plugin/test_freecad_readme.py; no cluster is here
    assert titled == {"docs/tutorials/freecad.md", "docs/study.md"}
    for block in blocks(page("docs/study.md"), "python"):
        compile(block.body, block.title or "study.md", "exec")


def test_the_readme_is_short_and_so_is_its_script() -> None:
    assert len(README.encode()) <= 9000
    assert len(blocks(README, "python")[0].body.strip().splitlines()) <= 12


def test_the_readme_has_one_command_that_passes_the_tests() -> None:
    """.ci/run takes it from here by the same pattern."""
    assert len(re.findall(r"^python3\.11 -m venv .*pytest$", README, re.MULTILINE)) == 1


def test_the_table_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == cli.HOLDS
    commands = re.findall(r"^  ([a-z-]+)  ", capsys.readouterr().out.split("Commands:")[1], re.M)
    listed = re.findall(r"^\| \[`([a-z-]+)`\]", page("docs/commands.md"), re.M)
    assert sorted(listed) == sorted(commands)


def test_the_formulas_of_the_page_are_all_that_there_are() -> None:
    words = set(re.findall(r"\w+", page("docs/parameters.md")))
    degrees = {name for name in FUNCTIONS if name.endswith("d") and name[:-1] in FUNCTIONS}
    assert degrees == {"sind", "cosd", "tand", "asind", "acosd", "atand", "atan2d"}
    assert set(FUNCTIONS) - degrees - words == set()


def test_the_page_of_the_file_names_every_kind() -> None:
    text = page("docs/file.md")
    assert [kind for kind in MATES if f"`{kind}`" not in text] == []


def test_the_table_of_folders_has_every_folder_from_the_top_down() -> None:
    table = page("CONTRIBUTING.md").split("## Where things go")[1]
    folders = [name for name in ORDER if (ROOT / "assembly_solver" / name).is_dir()]
    assert re.findall(r"^\| `(\w+)/` ", table, re.MULTILINE) == folders[::-1]


def test_every_public_name_and_no_other_has_its_place_in_the_reference() -> None:
    """Kinds of mates have pages of their own."""
    texts = [page(name) for name in PAGES if name.startswith("docs/reference/")]
    named = re.findall(r"^::: assembly_solver\.(\w+)$", "".join(texts), re.M)
    kinds = {cls.__name__ for cls in MATES.values()}
    assert sorted(named) == sorted(set(asm.__all__) - kinds - {"MATES", "__version__"})


SHOWN = [p for p in sorted((ROOT / "assembly_solver").rglob("*.py")) if ">>> " in p.read_text()]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_an_example_of_a_docstring_prints_what_it_says(path: Path) -> None:
    words = path.relative_to(ROOT).with_suffix("").parts
    names = {name: getattr(asm, name) for name in ("Assembly", "Axis", "Point")}
    module = import_module(".".join(words).removesuffix(".__init__"))
    found = doctest.testmod(module, extraglobs=names)
    assert found.attempted > 0 and found.failed == 0
