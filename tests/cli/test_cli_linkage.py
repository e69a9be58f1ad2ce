"""The command `linkage`: steps, states, pictures, files, exit statuses, refusals."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from math import radians
from pathlib import Path

import pytest

from assembly_solver import cli

SAMPLES = Path(__file__).parents[2] / "samples"
JANSEN = str(SAMPLES / "theo_jansen.assembly.json")
EXCAVATOR = str(SAMPLES / "excavator.assembly.json")
RRPP = str(SAMPLES / "motiongen" / "rrpp.assembly.json")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs `linkage` with these words in an empty folder, 80 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words: str) -> tuple[int, str, str]:
        status = cli.main(["linkage", *words])
        done = capsys.readouterr()
        return status, done.out, done.err

    return call


def test_the_leg_of_jansen_is_a_crank_and_three_dyads(run: Run) -> None:
    status, out, _ = run(JANSEN)
    assert status == cli.HOLDS
    rows = [line.split() for line in out.splitlines()]
    assert ["1", "actuated", "joint", "A", "A", "crank"] in rows
    assert sum(row[1:3] == ["RRR", "dyad"] for row in rows if row) == 3
    assert "361 states hold" in out and "26 Ca" in out
    assert max(map(len, out.splitlines())) <= 80


def test_states_that_cannot_be_built_are_told_and_the_status_is_1(run: Run) -> None:
    file = str(SAMPLES / "peaucellier.assembly.json")
    status, out, _ = run(file, "--driver", "crank=-90:90", "--steps", "180")
    assert status == cli.HOLDS_NOT
    # it reaches to 2 acos(40 / 50) = 73.74 degrees to both sides
    assert "147 of 181 states hold" in out and "the first at crank = -90 deg" in out


def test_the_csv_file_has_a_row_for_each_state_with_every_point(run: Run) -> None:
    assert run(JANSEN, "--steps", "4", "-o", "leg.csv")[0] == cli.HOLDS
    with open("leg.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["driver:crank"]) for row in rows] == [-180, -90, 0, 90, 180]
    # the pin of the crank, 15 mm from the origin
    assert float(rows[3]["point:A.y"]) == pytest.approx(15.0, abs=1e-12)
    assert {row["valid"] for row in rows} == {"1"} and rows[0]["reason"] == ""
    # a degree a second at 15 mm, and toward the centre
    turn = radians(1.0)
    assert float(rows[3]["point:A.vx"]) == pytest.approx(-15.0 * turn, rel=1e-12)
    assert float(rows[3]["point:A.ay"]) == pytest.approx(-15.0 * turn**2, rel=1e-12)


def test_the_picture_has_the_paths_that_were_asked_for(run: Run) -> None:
    status, _, err = run(JANSEN, "-o", "leg.svg", "--trace", "G", "--trace", "E")
    assert status == cli.HOLDS and "wrote leg.svg" in err
    svg = Path("leg.svg").read_text(encoding="utf-8")
    assert [name for name in "GEF" if f"path of {name}<" in svg] == ["G", "E"]
    assert "Theo Jansen" in svg  # the note of the file


def test_an_assembly_of_cad_parts_is_drawn_as_well(run: Run) -> None:
    ends = ("--driver", "boom cylinder", "--driver", "bucket cylinder")
    status, out, _ = run(EXCAVATOR, *ends, "--steps", "20", "-o", "e.svg")
    assert status == cli.HOLDS, out
    svg = Path("e.svg").read_text(encoding="utf-8")
    assert svg.count('class="barrel"') == 4  # two cylinders, each a barrel and a rod


def test_json_has_steps_matrices_cost_and_states_and_nothing_else_is_printed(run: Run) -> None:
    told = json.loads(run(JANSEN, "--steps", "2", "--json")[1])
    assert [step["kind"] for step in told["steps"]] == ["actuated joint", *["RRR dyad"] * 3]
    assert told["cost"] == "26 Ca" and len(told["matrices"]["B"]) == 8
    assert told["states"]["drivers"]["crank"]["value"] == [-180, 0, 180]


def test_matrices_are_printed_by_their_letters_with_the_names_of_rows(run: Run) -> None:
    out = run(RRPP, "--matrices")[1]
    for title in ("B, joints on links", "T, joints on one link", "D, distances", "S, in a slot"):
        assert title in out
    assert ["j8", "j0", "j1", "R"] in [line.split() for line in out.splitlines()]


def test_slots_are_reinterpreted_within_the_error_asked_for(run: Run) -> None:
    exact = json.loads(run(RRPP, "--json")[1])["states"]["points"]["j3"]["y"]
    status, out, _ = run(RRPP, "--reinterpret", "--error", "0.01", "--json")
    told = json.loads(out)
    assert status == cli.HOLDS and not told["matrices"]["S"]
    off = max(abs(a - b) for a, b in zip(exact, told["states"]["points"]["j3"]["y"], strict=True))
    assert 1e-4 < off < 0.02  # mm: what e = 0.01 leaves in two slots


def test_without_a_driver_that_has_a_range_the_linkage_stands(run: Run) -> None:
    status, out, _ = run(EXCAVATOR)
    assert status == cli.HOLDS and "1 state holds" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((JANSEN, "--trace", "Q", "-o", "x.svg"), "no point 'Q'"),
        ((JANSEN, "--trace", "Q"), "--trace: a path that is drawn needs '-o NAME.svg'"),
        (
            (JANSEN, "--error", "0.1"),
            "--error: a slot that may be off its line needs '--reinterpret'",
        ),
        ((JANSEN, "-o", "leg.png"), ".svg, .csv, .json"),
        ((JANSEN, "--driver", "cranc"), "did you mean 'crank'?"),
    ],
)
def test_a_wrong_call_is_refused_with_one_line_and_nothing_is_written(
    run: Run, words: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    status, out, err = run(*words)
    assert (status, out) == (cli.WRONG, "") and told in err
    assert err.count("\n") == 1 and list(tmp_path.iterdir()) == []
