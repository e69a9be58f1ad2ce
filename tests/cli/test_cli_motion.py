"""`sweep` and `view` from the command line: files, tables, exit statuses."""

from __future__ import annotations

import csv
import json
import shlex
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refusals

import assembly_solver as asm
from assembly_solver import cli

Run = Callable[..., tuple[int, str, str]]

GROUND, CRANK, COUPLER, ROCKER = 200.0, 60.0, 180.0, 120.0


def four_bar() -> asm.Assembly:
    """Crank-rocker of bars between pins; the crank turns about the origin."""
    a = asm.Assembly("four-bar")
    lengths = {"ground": GROUND, "crank": CRANK, "coupler": COUPLER, "rocker": ROCKER}
    for link, length in lengths.items():
        pins = {"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((length, 0, 0), "z")}
        a.add(link, features=pins, grounded=link == "ground")
    for name, pin in {
        "O": "ground.left crank.left",
        "A": "crank.right coupler.left",
        "B": "coupler.right rocker.right",
        "C": "ground.right rocker.left",
    }.items():
        a.mate("revolute", *pin.split(), name=name)
    a.drive("motor", "O", value=60.0, range=(0.0, 360.0))
    a.drive("output", "C", range=(60.0, 180.0))
    return a


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in a folder with `bar.assembly.json`."""
    monkeypatch.chdir(tmp_path)
    asm.write(four_bar(), "bar.assembly.json")

    def run(*words: str) -> tuple[int, str, str]:
        status = cli.main(words)
        out, err = capsys.readouterr()
        return status, out, err

    return run


def data_of(page: str) -> dict[str, Any]:
    """What a page with a moving assembly shows."""
    found: dict[str, Any] = json.loads(page.split('type="application/json">')[1].split("</")[0])
    return found


def rows(file: str) -> tuple[list[str], dict[str, np.ndarray], list[str]]:
    """Header, columns of numbers (NaN where a cell is empty), and the reasons."""
    with Path(file).open(newline="") as text:
        head, *lines = list(csv.reader(text))
    values = np.array([[float(cell or "nan") for cell in line[:-1]] for line in lines])
    return head, dict(zip(head, values.T, strict=False)), [line[-1] for line in lines]


def inner_angle(crank: np.ndarray) -> np.ndarray:
    """Between coupler and rocker, by the law of cosines, deg."""
    diagonal = GROUND**2 + CRANK**2 - 2 * GROUND * CRANK * np.cos(np.radians(crank))
    return np.degrees(np.arccos((COUPLER**2 + ROCKER**2 - diagonal) / (2 * COUPLER * ROCKER)))


# ------------------------------------------------------------------------------- what is written
def test_a_sweep_is_a_row_for_each_state_with_the_columns_of_the_contract(run: Run) -> None:
    status, _, err = run(
        "sweep", "bar.assembly.json", "--driver", "motor", "--steps", "8", "-o", "out.csv"
    )
    head, found, reasons = rows("out.csv")
    assert (status, err, len(reasons)) == (0, "wrote out.csv\n", 9)
    joints = [f"joint:{j}.angle{more}" for j in "OABC" for more in ("", "_rate", "_acc")]
    assert head == ["t", "valid", "driver:motor", *joints, "reason"]
    assert found["driver:motor"].tolist() == [45.0 * k for k in range(9)]
    assert found["t"].tolist() == [45.0 * k for k in range(9)]  # one degree a second
    assert found["valid"].tolist() == [1.0] * 9 and reasons == [""] * 9
    np.testing.assert_allclose(found["joint:O.angle"], found["driver:motor"], atol=1e-9)
    turned = np.abs((found["joint:B.angle"] + 180) % 360 - 180)
    np.testing.assert_allclose(turned, inner_angle(found["driver:motor"]), atol=1e-9)


def test_points_and_parts_move_as_the_crank_does(run: Run) -> None:
    words = ("--driver", "motor=0:90", "--steps", "6", "--speed", "2", "-o", "out.csv")
    more = ("--parts", "--points", "crank.right", "--points", "ground.right")
    assert run("sweep", "bar.assembly.json", *words, *more)[0] == 0
    head, found, _ = rows("out.csv")
    turn = np.radians(found["driver:motor"])
    spin = np.radians(2.0)  # two degrees a second
    for name, expected in {
        "point:crank.right.x": CRANK * np.cos(turn),
        "point:crank.right.vy": CRANK * spin * np.cos(turn),
        "point:crank.right.ax": -CRANK * spin**2 * np.cos(turn),
        "point:ground.right.x": 0 * turn + GROUND,
        "part:crank.qw": np.cos(turn / 2),
        "part:crank.wz": 0 * turn + 2.0,
        "part:crank.ez": 0 * turn,
        "part:ground.x": 0 * turn,
    }.items():
        np.testing.assert_allclose(found[name], expected, atol=1e-9, err_msg=name)
    own = [name for name in head if name.startswith("part:coupler.")]
    letters = [*"xyz", *(kind + axis for kind in "qvwae" for axis in "xyz")]
    letters.insert(3, "qw")
    assert own == [f"part:coupler.{letter}" for letter in letters]


def test_numbers_of_the_csv_are_those_of_the_json_bit_for_bit(run: Run) -> None:
    words = ("--driver", "motor", "--from", "10", "--to", "50", "--steps", "4")
    out = ("-o", "out.csv", "-o", "out.json", "--points", "crank.right")
    status, text, err = run("sweep", "bar.assembly.json", *words, *out, "--json")
    assert (status, err, text.count("\n")) == (0, "wrote out.csv\nwrote out.json\n", 1)
    told = json.loads(text)
    assert told == json.loads(Path("out.json").read_text())
    assert (told["reasons"], told["stopped"]) == ([""] * 5, None)
    _, found, _ = rows("out.csv")
    assert told["joints"]["B"]["angle"]["value"] == found["joint:B.angle"].tolist()
    x = [place[0] for place in told["points"]["crank.right"]["position"]]
    assert x == found["point:crank.right.x"].tolist()


def test_a_sweep_that_is_stopped_writes_every_row_and_says_where_and_why(run: Run) -> None:
    """The rocker turns until crank and coupler are folded onto each other."""
    a = four_bar()
    a.set_driver("motor", None)
    asm.write(a, "bar.assembly.json")
    words = ("--driver", "output=100:180", "--steps", "80", "-o", "out.csv")
    status, out, err = run("sweep", "bar.assembly.json", *words)
    head, found, reasons = rows("out.csv")
    folded = (GROUND**2 + ROCKER**2 - (COUPLER - CRANK) ** 2) / (2 * GROUND * ROCKER)
    end = 180.0 - np.degrees(np.arccos(folded))  # 146.44 deg against the ground's x
    valid = found["driver:output"] <= end
    assert (status, err, len(reasons), head[-1]) == (1, "wrote out.csv\n", 81, "reason")
    assert found["driver:output"].tolist() == [100.0 + k for k in range(81)]
    assert found["valid"].tolist() == valid.astype(float).tolist()
    assert np.isnan(found["joint:B.angle"][~valid]).all()
    assert set(reasons) == {"", *reasons[-1:]} and f"dead point at output {end:.6f}" in reasons[-1]
    assert "47 of 81 states hold" in out and f"{end:.6f}" in out.replace("\n", " ")


def test_several_drivers_go_together_or_through_a_grid(run: Run) -> None:
    a = four_bar()
    a.remove("B")
    a.set_driver("motor", None)
    asm.write(a, "open.assembly.json")
    words = ("sweep", "open.assembly.json", "--driver", "motor=0:90", "--driver", "output=60:90")
    assert run(*words, "--steps", "3", "-o", "pairs.csv")[0] == 0
    assert run(*words, "--steps", "3", "--grid", "-o", "grid.csv")[0] == 0
    pairs, grid = rows("pairs.csv")[1], rows("grid.csv")[1]
    assert pairs["driver:output"].tolist() == [60.0, 70.0, 80.0, 90.0]
    assert grid["driver:motor"].tolist() == [v for v in (0.0, 30.0, 60.0, 90.0) for _ in range(4)]
    assert grid["driver:output"].tolist() == [60.0, 70.0, 80.0, 90.0] * 4
    np.testing.assert_allclose(grid["joint:C.angle"], grid["driver:output"], atol=1e-9)


def test_a_driver_with_a_law_runs_over_time(run: Run) -> None:
    text = json.loads(Path("bar.assembly.json").read_text())
    text["drivers"] = {"motor": {"joint": "O", "coordinate": "angle", "law": "30*t"}}
    Path("law.assembly.json").write_text(json.dumps(text))
    status, out, _ = run(
        "sweep", "law.assembly.json", "--time", "0", "2", "--steps", "4", "-o", "out.csv"
    )
    _, found, _ = rows("out.csv")
    assert status == 0 and "2" in out
    assert found["t"].tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    np.testing.assert_allclose(found["joint:O.angle"], 30 * found["t"], atol=1e-9)
    np.testing.assert_allclose(found["joint:O.angle_rate"], 30.0, rtol=1e-9)


def test_a_sweep_whose_budget_is_spent_says_so_and_is_status_1(run: Run) -> None:
    words = ("--driver", "motor", "--steps", "5", "--budget", "0", "-o", "out.csv")
    status, out, _ = run("sweep", "bar.assembly.json", *words)
    _, found, reasons = rows("out.csv")
    assert (status, found["valid"].tolist()) == (1, [0.0] * 6)
    assert "budget of 0 s" in out and all("budget of 0 s" in reason for reason in reasons)


def test_an_interrupted_sweep_is_status_130_and_leaves_the_old_file(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> str:
        raise KeyboardInterrupt

    Path("out.csv").write_text("old")
    monkeypatch.setattr("assembly_solver.report.motion_csv.csv_table", interrupted)
    words = ("--driver", "motor", "--steps", "5", "-o", "out.csv", "--json")
    status, out, err = run("sweep", "bar.assembly.json", *words)
    assert (status, err) == (130, "interrupted\n")
    assert json.loads(out)["error"]["type"] == "Interrupted"
    assert Path("out.csv").read_text() == "old" and len(list(Path().iterdir())) == 2


def test_a_sweep_as_glb_plays_for_as_long_as_its_speed_says(run: Run) -> None:
    words = ("--driver", "motor", "--steps", "36", "--speed", "90", "-o", "out.glb")
    status, _, err = run("sweep", "bar.assembly.json", *words)
    assert (status, err) == (0, "wrote out.glb\n")
    content = Path("out.glb").read_bytes()
    document = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])
    (animation,) = document["animations"]
    times = document["accessors"][animation["samplers"][0]["input"]]
    assert (times["count"], times["min"], times["max"]) == (37, [0.0], [4.0])
    moved = {document["nodes"][c["target"]["node"]]["name"] for c in animation["channels"]}
    assert moved == {"crank", "coupler", "rocker"}


# ------------------------------------------------------------------------------------ in words
def test_a_person_reads_the_travel_and_the_extremes_in_80_columns(run: Run) -> None:
    status, out, _ = run("sweep", "bar.assembly.json", "--driver", "motor", "--steps", "36")
    assert status == 0 and max(map(len, out.splitlines())) <= 80
    assert out.startswith("37 states hold")
    cells = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert cells["motor"] == ["motor", "deg", "0", "360", "0", "360"]
    angle = next(line.split() for line in out.splitlines() if line.startswith(" O angle"))
    assert angle == ["O", "angle", "deg", "0.0000", "0", "360.0000", "360"]


def test_a_joint_is_swept_where_no_driver_has_it(run: Run) -> None:
    """As in files of FreeCAD, which have no drivers; the joint of a driver is that driver."""
    a = four_bar()
    for name in tuple(a.drivers):
        a.remove_driver(name)
    a.add_features("rocker", {"x2": asm.Frame((0, 0, 0), "x", "y")})
    a.add("rod", features={"x2": asm.Frame((0, 0, 0), "x", "y")})
    a.mate("cylindrical", "rocker.x2", "rod.x2", name="rod", sense="aligned")
    asm.write(a, "free.assembly.json")
    words = ("--driver", "O=60:90", "--steps", "3", "--json")
    status, out, _ = run("sweep", "free.assembly.json", *words)
    found = json.loads(out)
    assert (status, found["drivers"]["O"]["value"]) == (0, [60.0, 70.0, 80.0, 90.0])
    words = ("--driver", "rod.length=0:20", "--steps", "2", "--json")
    found = json.loads(run("sweep", "free.assembly.json", *words)[1])
    assert found["joints"]["rod"]["length"]["value"] == pytest.approx([0.0, 10.0, 20.0], abs=1e-9)
    status, _, err = run("sweep", "free.assembly.json")
    assert (status, err) == (
        2,
        "error: a sweep needs '--driver NAME (of O, A, B, C, rod) or --time T0 T1'\n",
    )
    words = ("--driver", "O=60:90", "--json")
    assert list(json.loads(run("sweep", "bar.assembly.json", *words)[1])["drivers"]) == ["motor"]


def test_a_solved_file_states_the_tolerance_it_was_solved_with_and_holds_again(run: Run) -> None:
    a = four_bar()
    for end in ("left", "right"):  # a rod along the rocker, 0.3 um longer
        a.add_features("rocker", {f"{end}2": asm.Point((0 if end == "left" else ROCKER, 0, 0))})
    a.add("rod", features={"a": asm.Point((0, 0, 0)), "b": asm.Point((ROCKER + 3e-4, 0, 0))})
    a.mate("coincident", "rocker.left2", "rod.a")
    a.mate("coincident", "rocker.right2", "rod.b")
    asm.write(a, "long.assembly.json")
    assert run("solve", "long.assembly.json")[0] == 1
    words = ("--tolerance", "0.001", "-o", "solved.assembly.json")
    assert run("solve", "long.assembly.json", *words)[0] == 0
    assert json.loads(Path("solved.assembly.json").read_text())["tolerance"] == 0.001
    status, out, _ = run("solve", "solved.assembly.json", "-o", "again.assembly.json")
    assert (status, "disagree by up to 0.0003 mm" in " ".join(out.split())) == (0, True)
    assert Path("again.assembly.json").read_bytes() == Path("solved.assembly.json").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ("tolerance",),
        ("study", "--vary", "motor=60:70:2", "--measure", "tip", "-o", "out.csv"),
        ("linkage", "--driver", "motor=0:90"),
    ],
    ids=lambda words: words[0],
)
def test_what_contradicts_itself_is_status_1_and_one_object_with_its_outcome(
    run: Run, words: tuple[str, ...]
) -> None:
    a = four_bar()
    a.drive("second", "O", value=70.0)
    a.measure("tip", point="coupler.right", along="y")
    a.tolerate("play", joint="A", radial=0.1)
    asm.write(a, "bad.assembly.json")
    status, out, err = run(words[0], "bad.assembly.json", *words[1:])
    assert (status, err) == (1, "")
    assert "motor and second cannot hold together" in out
    found = json.loads(run(words[0], "bad.assembly.json", *words[1:], "--json")[1])
    assert (list(found), found["outcome"]) == (["outcome", "sentence"], "conflicting")
    assert not Path("out.csv").exists()


# -------------------------------------------------------------------------------- what is wrong
WRONG = refusals("""
sweep bar.assembly.json
    MissingKey: a sweep needs '--driver NAME (of motor, output) or --time T0 T1'
sweep bar.assembly.json --driver moter
    UnknownName: --driver moter: no driver 'moter'; did you mean 'motor'?
sweep bar.assembly.json --driver motor=0:wide
    BadValue: --driver motor=0:wide: '0:wide' is not possible here, it must be two numbers, as in
    NAME=0:90
sweep bar.assembly.json --driver motor --from 1 --from 2
    BadValue: --from: [1.0, 2.0] is not possible here, it must be given once for each driver without
    a range of its own (1 of them)
sweep bar.assembly.json --driver motor --time 0 1
    Contradiction: --driver and --time exclude each other; give one of them
sweep bar.assembly.json --driver motor=0:9 --driver O=9:20
    DuplicateName: --driver O=9:20: there is already a driver 'motor'; names are given once
sweep bar.assembly.json --time 0 1 --grid
    Contradiction: sweep: time and grid exclude each other; give one of them
sweep bar.assembly.json --time 0 1 --speed 2
    Contradiction: sweep: time and speed exclude each other; give one of them
sweep bar.assembly.json --driver motor -o out.txt
    UnknownSuffix: out.txt: files are written by suffix, one of .csv, .json, .glb
sweep bar.assembly.json --driver motor -o no/out.csv
    FileNotFoundError: no: there is no such folder
sweep bar.assembly.json --driver motor --points crank.rigt
    UnknownName: --points: no feature 'rigt' of part 'crank'; did you mean 'right' or 'origin'?
""")


@pytest.mark.parametrize(("case", "said"), WRONG)
def test_a_wrong_sweep_is_status_2_and_one_line_and_nothing_written(
    run: Run, case: str, said: str
) -> None:
    before, (kind, message) = sorted(Path().iterdir()), said.split(": ", 1)
    status, out, err = run(*shlex.split(case), "--json")
    assert (status, err) == (2, f"error: {message}\n")
    assert json.loads(out) == {"error": {"type": kind, "message": message}}
    assert sorted(Path().iterdir()) == before


def test_a_driver_without_a_range_needs_its_ends(run: Run) -> None:
    a = four_bar()
    a.drive("spin", "A")
    asm.write(a, "bar.assembly.json")
    status, _, err = run("sweep", "bar.assembly.json", "--driver", "spin", "--to", "3")
    told = "error: --driver spin: a driver without a range needs '--from and --to'\n"
    assert (status, err) == (2, told)


# ---------------------------------------------------------------------------------------- view
def test_a_view_has_a_slider_for_a_driver(run: Run) -> None:
    status, out, _ = run("view", "bar.assembly.json", "--driver", "motor", "--json")
    told = json.loads(out)
    assert (status, told["wrote"], told["moving"]) == (0, "bar.html", ["motor"])
    text = Path("bar.html").read_text()
    assert text.startswith("<!DOCTYPE html>")
    (axis,) = data_of(text)["runs"][0]["axes"]
    assert (axis["start"], axis["turns"]) == (pytest.approx(20.0), True)  # 60 of 360 deg, of 120


def test_a_view_has_the_joints_their_values_the_free_motion_and_the_modes(run: Run) -> None:
    text = json.loads(Path("bar.assembly.json").read_text())
    del text["drivers"]["output"]
    Path("one.assembly.json").write_text(json.dumps(text))
    assert run("view", "one.assembly.json", "--modes", "--json")[0] == 0
    data = data_of(Path("one.html").read_text())
    parts = [part["name"] for part in data["parts"]]
    hinge = data["mates"][2]
    assert (hinge["name"], hinge["kind"]) == ("B", "revolute")
    ends = [(parts[k], data["parts"][k]["features"]["names"][f]) for k, f in hinge["ends"]]
    assert ends == [("coupler", "right"), ("rocker", "right")]
    (motor,) = data["mates"][0]["coordinates"]
    assert (motor["name"], motor["unit"], motor["value"]) == ("angle", "deg", pytest.approx(60.0))
    assert [c["name"] for c in data["runs"][0]["curves"]] == ["angle"] * 4
    (free,) = data["free"]
    assert (free["title"], free["held"]) == ("crank turns about O", "held by motor")
    assert [parts[k] for k in free["parts"]] == ["crank", "coupler", "rocker"]
    twists = np.frombuffer(b64decode(free["twists"]), "<f4").reshape(3, 6)
    # about O the crank only turns; the twist is told from the middle of the scene
    assert twists[:, 3:5] == pytest.approx(0.0, abs=1e-6) and twists[0, 5] != 0
    assert [mode["name"] for mode in data["modes"]] in (["+", "-"], ["-", "+"])
    assert data["modes"][0]["distance"] < data["modes"][1]["distance"]


def test_a_view_over_time_has_a_slider_of_seconds(run: Run) -> None:
    text = json.loads(Path("bar.assembly.json").read_text())
    text["drivers"] = {"motor": {"joint": "O", "coordinate": "angle", "law": "30*t"}}
    Path("law.assembly.json").write_text(json.dumps(text))
    status, out, _ = run("view", "law.assembly.json", "--time", "0", "2", "--json")
    assert (status, json.loads(out)["moving"]) == (0, ["time"])
    (axis,) = data_of(Path("law.html").read_text())["runs"][0]["axes"]
    assert (axis["unit"], axis["values"][0], axis["values"][-1]) == ("s", 0.0, 2.0)


def test_a_view_of_two_drivers_has_every_combination(run: Run) -> None:
    a = four_bar()
    a.remove("B")
    asm.write(a, "open.assembly.json")
    status, out, _ = run("view", "open.assembly.json", "--json")
    assert (status, json.loads(out)["moving"]) == (0, ["motor", "output"])
    (drawn,) = data_of(Path("open.html").read_text())["runs"]
    motor, output = (len(axis["values"]) for axis in drawn["axes"])
    assert len(drawn["which"]) == motor * output > 1000
    assert set(drawn["which"]) == {0} and drawn["reasons"] == ["this state is not valid"]


def test_a_view_of_what_nothing_drives_plays_its_free_motion(run: Run) -> None:
    text = json.loads(Path("bar.assembly.json").read_text())
    del text["drivers"]
    Path("free.assembly.json").write_text(json.dumps(text))
    status, out, _ = run("view", "free.assembly.json", "-o", "free.html", "--json")
    (name,) = json.loads(out)["moving"]
    assert status == 0 and name.startswith("crank turns about O")


def test_a_view_of_what_does_not_solve_is_a_still_picture_and_status_1(run: Run) -> None:
    text = json.loads(Path("bar.assembly.json").read_text())
    text["drivers"]["output"]["value"] = 10
    Path("bad.assembly.json").write_text(json.dumps(text))
    status, out, err = run("view", "bad.assembly.json", "--json")
    assert (status, json.loads(out)["moving"]) == (1, [])
    assert "cannot hold together" in err and Path("bad.html").is_file()
