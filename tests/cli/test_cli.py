"""The command line: exit statuses, one JSON object, one line for an error, nothing half written."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from refusals import refusals

from assembly_solver import __version__, cli, formats
from assembly_solver.cli import program
from assembly_solver.foundations.geometry.pose import Pose
from assembly_solver.model.assembly import Assembly
from assembly_solver.verbs import files, solving

Run = Callable[..., tuple[int, str, str]]

HINGE = """\
{
  "format": "assembly-solver/1",
  "name": "hinge",
  "parts": {
    "frame": {
      "grounded": true,
      "features": {"pin": {"axis": {"point": [0, 0, 0], "direction": "z"}}}
    },
    "door [a]": {"features": {"pin": {"axis": {"point": [0, 0, 5], "direction": "z"}}}}
  },
  "mates": [{"name": "hinge", "kind": "revolute", "a": "frame.pin", "b": "door [a].pin"}],
  "drivers": {"opening": {"joint": "hinge", "value": 0}, "a=b": {"joint": "hinge"}}
}
"""

SOLVED_POSE = Pose((0.0, 0.0, -5.0))


CONFLICT = {
    "mates": ["hinge", "stop"],
    "asked": 35.0,
    "found": 30.0,
    "unit": "deg",
    "gap_mm": 8.7,
    "irreducible": True,
    "fact": "hinge and stop cannot both hold",
    "ways": ["dropping [stop] solves it"],
    "words": "hinge and stop cannot both hold; dropping [stop] solves it",
}


def mate_rows(outcome: str, mates: int, off: int) -> list[dict[str, Any]]:
    """Rows of mates of which the last ones fail unless solved, each by more than the one before."""
    return [
        {
            "name": "hinge" if k == 0 else f"hinge {k}",
            "kind": "revolute",
            "holds": outcome == "solved" or k < mates - off,
            "residual_mm": 1e-13 if outcome == "solved" else float(k) if off > 1 else float("nan"),
            "residual_deg": 0.0,
            "sense": "aligned",
        }
        for k in range(mates)
    ]


def result(outcome: str, mates: int = 1, off: int = 1) -> dict[str, Any]:
    """The result object of `solve --json`, as the verbs give it."""
    return {
        "outcome": outcome,
        "sentence": f"2 parts, {mates} mates: {outcome}",
        "left_out": [],
        "read_as": [],
        "dof": 1,
        "driven": 1,
        "dof_left": 0,
        "grounded": ["frame"],
        "poses": {"door [a]": {"position": [0, 0, -5], "quaternion_wxyz": [1, 0, 0, 0]}},
        "mates": mate_rows(outcome, mates, off),
        "redundant_equations": 2,
        "redundant": [
            {"mates": ["a", "b"], "equations": 2, "disagreement_mm": 0.0, "words": "b repeats a"}
        ],
        "conflicts": [CONFLICT] if outcome == "conflicting" else [],
        "free_motions": [
            {
                "parts": ["door [a]"],
                "kind": "rotation",
                "idle": False,
                "words": "door [a] turns",
                "removed_by": {"words": "held by [b]"},
            }
        ],
        "mode": "+",
        "limits_reached": [],
        "constants": {},
        "counts": {"inverses": 3, "updates": 12, "perturbations": 0},
        "seconds": 0.0004,
    }


ANALYSIS: dict[str, Any] = {
    "name": "hinge",
    "sentence": "2 parts, 1 mate: 1 degree of freedom",
    "left_out": [],
    "read_as": [],
    "outcome": "solved",
    "parts": 2,
    "mates": 1,
    "unknowns": 6,
    "equations": 5,
    "rank": 5,
    "rank_gap": 1e-13,
    "dof": 1,
    "redundant_equations": 0,
    "pairs": [
        {
            "label": "J1",
            "kind": "revolute",
            "parts": ["frame", "door [a]"],
            "mates": ["hinge"],
            "freedoms": 1,
        }
    ],
    "clusters": [["frame"], ["door [a]", "handle"]],
    "components": [
        {
            "kind": "loop",
            "planar": True,
            "normal": [0.0, 0.0, 1.0],
            "root": "frame",
            "parts": ["frame", "door [a]"],
            "unknowns": 39,
            "equations": 38,
            "rank": 37,
        }
    ],
    "steps": [
        {
            "number": 1,
            "action": "place",
            "parts": ["door [a]"],
            "mates": ["hinge"],
            "unknowns": 6,
            "equations": 6,
            "words": "door [a] is placed on frame by hinge",
        }
    ],
    "mobility": ["one hinge leaves one turn"],
}


class Verbs(SimpleNamespace):
    """Stands for the verbs: answers what it is told to, and keeps the questions."""

    outcome = "solved"
    mates, off = 1, 1
    fails: BaseException | None = None

    def read(
        self, path: str, *, set: dict[str, float] | None = None, unit: str | None = None
    ) -> Assembly:
        return formats.read(path, settings=set or {}, unit=unit)

    def solve(
        self,
        assembly: Assembly,
        mode: str | None = None,
        certify: bool = False,
        budget: float | None = None,
        progress: Callable[[int, int, str], object] = lambda *at: None,
    ) -> Any:
        if self.fails is not None:
            raise self.fails
        progress(3, 9, "placing door [a]")
        self.asked, self.budget = assembly, budget
        verbs = self

        class Solution(SimpleNamespace):
            def __bool__(self) -> bool:
                return verbs.outcome == "solved"

        return Solution(
            best_poses={"door [a]": SOLVED_POSE},
            to_dict=lambda **_: result(self.outcome, self.mates, self.off),
        )

    def diagnose(self, assembly: Assembly, budget: float | None = None, **_: Any) -> Any:
        self.asked, self.budget = assembly, budget
        return SimpleNamespace(to_dict=lambda **_: result(self.outcome, self.mates, self.off))

    def analyse(self, assembly: Assembly, budget: float | None = None, **_: Any) -> Any:
        self.asked, self.budget = assembly, budget
        return SimpleNamespace(to_dict=lambda: ANALYSIS | {"outcome": self.outcome})


@pytest.fixture
def verbs(monkeypatch: pytest.MonkeyPatch) -> Verbs:
    fake = Verbs()
    monkeypatch.setattr(files, "read", fake.read)
    for name in ("solve", "diagnose", "analyse"):
        monkeypatch.setattr(solving, name, getattr(fake, name))
    return fake


@pytest.fixture
def run(
    verbs: Verbs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Runs a command line in a folder with `hinge.assembly.json`."""
    monkeypatch.chdir(tmp_path)
    Path("hinge.assembly.json").write_text(HINGE)

    def run(*words: str) -> tuple[int, str, str]:
        status = cli.main(words)
        out, err = capsys.readouterr()
        return status, out, err

    return run


def names() -> list[str]:
    return sorted(p.name for p in Path().iterdir())


# --------------------------------------------------------------------------------- what holds
def test_solved_is_status_0_and_one_json_object(run: Run) -> None:
    status, out, err = run("solve", "hinge.assembly.json", "--json")
    assert (status, err, json.loads(out)) == (0, "", result("solved"))
    assert out.count("\n") == 1


@pytest.mark.parametrize("outcome", ["conflicting", "not_converged"])
@pytest.mark.parametrize("verb", ["solve", "diagnose", "analyse"])
def test_what_does_not_hold_is_status_1_and_one_json_object(
    run: Run, verbs: Verbs, verb: str, outcome: str
) -> None:
    verbs.outcome = outcome
    status, out, err = run(verb, "hinge.assembly.json", "--json")
    found = json.loads(out)
    assert (status, err, found["outcome"]) == (1, "", outcome)
    if verb != "analyse":
        assert found["mates"][0]["residual_mm"] is None  # JSON has no word for nan


@pytest.mark.parametrize("verb", ["diagnose", "analyse"])
def test_diagnose_and_analyse_of_what_holds_are_status_0(run: Run, verb: str) -> None:
    status, out, err = run(verb, "hinge.assembly.json", "--json")
    assert (status, err, json.loads(out)["outcome"]) == (0, "", "solved")


def test_a_dash_reads_standard_input(
    run: Run, verbs: Verbs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HINGE.encode())))
    assert run("solve", "-", "--json")[0] == 0
    assert verbs.asked.name == "hinge"


def test_set_and_tolerance_reach_the_solver(run: Run, verbs: Verbs) -> None:
    words = ("--set", "opening=-12.5", "--set", "a=b=3", "--tolerance", "0.01")
    assert run("solve", "hinge.assembly.json", *words)[0] == 0
    assert [d.value for d in verbs.asked.drivers.values()] == [-12.5, 3.0]
    assert verbs.asked.tolerance == 0.01
    assert run("diagnose", "hinge.assembly.json", *words)[0] == 0
    assert verbs.asked.tolerance == 0.01


# ------------------------------------------------------------------------------ what is written
def test_solve_writes_the_solved_poses(run: Run) -> None:
    status, out, err = run(
        "solve", "hinge.assembly.json", "-o", "a.assembly.json", "--json", "-o", "b.assembly.json"
    )
    assert (status, err) == (0, "wrote a.assembly.json, b.assembly.json\n")
    assert json.loads(out)["outcome"] == "solved"
    assert names() == ["a.assembly.json", "b.assembly.json", "hinge.assembly.json"]
    written = formats.read("b.assembly.json")
    assert written.pose("door [a]") == SOLVED_POSE
    assert written.notes == {}


def test_what_does_not_solve_is_not_written(run: Run, verbs: Verbs) -> None:
    verbs.outcome = "conflicting"
    status, _, err = run("solve", "hinge.assembly.json", "-o", "hinge.assembly.json")
    assert status == 1
    assert err == "nothing written; --keep-going writes the best compromise\n"
    assert Path("hinge.assembly.json").read_text() == HINGE


def test_keep_going_writes_the_compromise_and_says_so_in_the_file(run: Run, verbs: Verbs) -> None:
    verbs.outcome = "conflicting"
    words = ("solve", "hinge.assembly.json", "-o", "out.assembly.json")
    assert run(*words, "--keep-going")[0] == 1
    notes = formats.read("out.assembly.json").notes
    assert notes == {"x-outcome": "conflicting", "x-sentence": "2 parts, 1 mates: conflicting"}
    verbs.outcome = "solved"
    assert run("solve", "out.assembly.json", "-o", "out.assembly.json")[0] == 0
    assert formats.read("out.assembly.json").notes == {}


def test_a_solid_file_that_does_not_hold_is_marked_by_its_name(
    run: Run, verbs: Verbs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(assembly: Assembly, path: Path) -> None:
        path.write_text(assembly.name)

    fake = SimpleNamespace(write=write)
    monkeypatch.setattr(formats, "import_module", lambda *_: fake)
    a = Assembly("lid")
    formats.write(a, "lid.step")
    assert Path("lid.step").read_text() == "lid"
    a.notes["x-outcome"] = "conflicting"
    formats.write(a, "lid.step")
    assert Path("lid.step").read_text() == "lid (conflicting)"


def test_convert_writes_the_poses_as_they_are(run: Run) -> None:
    status, out, _ = run("convert", "hinge.assembly.json", "copy.assembly.json")
    assert (status, out) == (0, "wrote copy.assembly.json\n")
    assert formats.read("copy.assembly.json").pose("door [a]") == Pose()


def test_set_gives_a_parameter_another_value_and_its_formulas_stay(run: Run) -> None:
    tree = json.loads(Path("hinge.assembly.json").read_text())
    tree["parameters"] = {"reach": 800, "half": "=reach/2"}
    tree["parts"]["frame"]["features"]["mark"] = {"point": ["=half", 0, 0]}
    Path("reach.assembly.json").write_text(json.dumps(tree))
    for words in (("convert",), ("solve", "-o")):
        target = f"{words[0]}.assembly.json"
        set_reach = (target, "--set", "reach=900")
        assert run(words[0], "reach.assembly.json", *words[1:], *set_reach)[0] == 0
        assert formats.read(target).parts["frame"].feature("mark").frame[0] == 450
        written = json.loads(Path(target).read_text())
        assert written["parameters"] == {"reach": 900, "half": "=reach/2"}
        assert written["parts"]["frame"]["features"]["mark"] == {"point": ["=half", 0, 0]}


# -------------------------------------------------------------------------------- what is wrong
WRONG = refusals("""
solve hnge.assembly.json
    MissingFile: hnge.assembly.json: there is no such file; did you mean 'hinge.assembly.json'?
features plate.step
    MissingFile: plate.step: there is no such file
solve ''
    UnknownSuffix: an empty file name: assemblies are read by suffix, one of .assembly.json, .FCStd,
    .asmt
solve ..
    UnknownSuffix: ..: assemblies are read by suffix, one of .assembly.json, .FCStd, .asmt
features ''
    UnknownSuffix: an empty file name: shapes are read by suffix, one of .step, .stp
features hinge.assembly.json
    UnknownSuffix: hinge.assembly.json: shapes are read by suffix, one of .step, .stp
solve hinge.step
    UnknownSuffix: hinge.step: assemblies are read by suffix, one of .assembly.json, .FCStd, .asmt
solve hinge.assembly.json -o x.assembly.json -o x.obj
    UnknownSuffix: x.obj: files are written by suffix, one of .assembly.json, .FCStd, .step, .stp,
    .glb
solve hinge.assembly.json -o no/x.assembly.json
    FileNotFoundError: no: there is no such folder
solve hinge.assembly.json -o x.assembly.json -o x.step
    NoGeometry: x.step: no part of 'hinge' has geometry; give parts a "geometry" file or write
    .assembly.json
solve hinge.assembly.json --set opning=3
    UnknownName: set opning=3: no driver 'opning'; did you mean 'opening'?
solve hinge.assembly.json --set opening
    BadValue: --set: 'opening' is not possible here, it must be NAME=VALUE
solve hinge.assembly.json --set opening=wide
    BadValue: --set opening=wide: 'wide' is not possible here, it must be a number
solve hinge.assembly.json --set opening=3 --set opening=4
    DuplicateName: --set: there is already a value 'opening'; names are given once
solve hinge.assembly.json --set opening=nan
    BadValue: set opening=nan: nan is not possible here, it must be a finite number (deg)
solve hinge.assembly.json --tolerance 0
    BadValue: --tolerance: 0.0 is not possible here, it must be a length above 0
sample hinges
    UnknownName: no sample 'hinges'; did you mean 'hinge'?
""")


def test_a_folder_that_is_named_as_a_file_is_called_one(run: Run) -> None:
    Path("bin.assembly.json").mkdir()
    wanted = "error: bin.assembly.json: this is a folder, not a file\n"
    assert run("solve", "bin.assembly.json") == (2, "", wanted)


def test_where_no_file_can_be_made_the_one_that_was_asked_for_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise PermissionError(13, "Permission denied", "out/.new-a1b2c3")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    wanted = "error: out.assembly.json: Permission denied\n"
    assert run("solve", "hinge.assembly.json", "-o", "out.assembly.json") == (2, "", wanted)


@pytest.mark.parametrize(("case", "said"), WRONG)
def test_wrong_input_is_status_2_and_one_line_and_nothing_written(
    run: Run, case: str, said: str
) -> None:
    words, (kind, message) = shlex.split(case), said.split(": ", 1)
    before = names()
    assert run(*words) == (2, "", f"error: {message}\n")
    status, out, err = run(*words, "--json")
    assert (status, err) == (2, f"error: {message}\n")
    assert json.loads(out) == {"error": {"type": kind, "message": message}}
    assert names() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "Missing command, one of solve, diagnose, "),
        (("slove", "x"), "No such command 'slove'; did you mean 'solve'?"),
        (("solve",), "Missing argument 'FILE'"),
        (("solve", "x", "--frobnicate"), "No such option '--frobnicate'"),
        (("solve", "x", "--tolerance", "wide"), "'--tolerance'"),
        (("solve", "x", "-o"), "'-o'"),
    ],
)
def test_a_wrong_call_is_status_2_and_one_line(run: Run, words: tuple[str, ...], told: str) -> None:
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    command = "assembly-solver solve" if "solve" in words else "assembly-solver"
    assert told in err and err.endswith(f"(see {command} --help)\n")


@pytest.mark.parametrize("words", [("solve", "--json"), ("--json",), ("--json", "solve", "x")])
def test_a_wrong_call_with_json_is_one_error_object(run: Run, words: tuple[str, ...]) -> None:
    status, out, _ = run(*words)
    assert (status, json.loads(out)["error"]["type"]) == (2, "UsageError")


def test_a_bad_file_is_status_2_with_its_place(run: Run) -> None:
    Path("bad.assembly.json").write_text(HINGE.replace('"z"', '"w"', 1))
    status, out, err = run("diagnose", "bad.assembly.json", "--json")
    place = "parts.frame.features.pin.axis.direction"
    assert (status, err.startswith(f"error: {place}: 'w' is not possible here")) == (2, True)
    assert json.loads(out)["error"]["message"].startswith(place)


@pytest.mark.parametrize("verb", ["solve", "diagnose", "analyse"])
def test_a_budget_is_handed_on_and_no_progress_is_told_where_nobody_watches(
    run: Run, verbs: Verbs, verb: str
) -> None:
    status, _, err = run(verb, "hinge.assembly.json", "--budget", "2.5", "--json")
    assert (status, err, verbs.budget) == (0, "", 2.5)


def test_interrupted_is_status_130(run: Run, verbs: Verbs) -> None:
    verbs.fails = KeyboardInterrupt()
    status, out, err = run("solve", "hinge.assembly.json", "--json", "-o", "out.assembly.json")
    assert (status, err) == (130, "interrupted\n")
    assert json.loads(out) == {"error": {"type": "Interrupted", "message": "interrupted"}}
    assert names() == ["hinge.assembly.json"]


def test_a_fault_of_the_program_is_not_taken_for_a_conflict(run: Run, verbs: Verbs) -> None:
    verbs.fails = ZeroDivisionError("division by zero")
    status, out, err = run("solve", "hinge.assembly.json", "--json")
    assert status == 2 and "Traceback" in err
    message = "this is a fault of assembly-solver: division by zero"
    assert json.loads(out) == {"error": {"type": "ZeroDivisionError", "message": message}}


# ------------------------------------------------------------------------------------- tables
@pytest.mark.parametrize("verb", ["solve", "diagnose", "analyse"])
@pytest.mark.parametrize("outcome", ["solved", "conflicting"])
def test_tables_fit_80_columns(run: Run, verbs: Verbs, verb: str, outcome: str) -> None:
    verbs.outcome, verbs.mates = outcome, 3
    _, out, err = run(verb, "hinge.assembly.json")
    assert err == "" and "door [a]" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_person_reads_the_result_in_words(run: Run, verbs: Verbs) -> None:
    verbs.outcome = "conflicting"
    out = run("solve", "hinge.assembly.json")[1]
    for told in (
        "2 parts, 1 mates: conflicting",
        "held still: frame",
        "hinge and stop cannot both hold",
        "- dropping [stop] solves it",
        "redundant: 2 equations",
        "b repeats a",
        "door [a] turns",
        "held by [b]",
        "3 inverses, 12 updates, 0.4 ms",
    ):
        assert told in out


def test_long_tables_are_cut_but_show_what_fails(run: Run, verbs: Verbs) -> None:
    verbs.outcome, verbs.mates = "conflicting", 100
    out = run("solve", "hinge.assembly.json")[1]
    assert "... and 59 more hold" in out
    assert "hinge 39 " in out and "hinge 40 " not in out
    assert [line.split()[3] for line in out.splitlines() if "hinge 99 " in line] == ["NO"]


def test_of_many_that_fail_the_worst_are_shown(run: Run, verbs: Verbs) -> None:
    verbs.outcome, verbs.mates, verbs.off = "conflicting", 100, 95
    out = run("solve", "hinge.assembly.json")[1]
    assert "... and 55 more do not hold" in out
    assert "hinge 99 " in out and "hinge 60 " in out and "hinge 59 " not in out
    assert (
        json.loads(run("solve", "hinge.assembly.json", "--json")[1])["mates"][59]["holds"] is False
    )


def test_the_analysis_is_told_step_by_step(run: Run) -> None:
    out = run("analyse", "hinge.assembly.json")[1]
    for told in ("J1", "revolute", "door [a] + handle", "planar", "is placed on frame", "rank 5"):
        assert told in out


# ---------------------------------------------------------------------------- the other commands
def test_sample_is_copied_with_its_geometry_and_not_over_what_is_there(run: Run) -> None:
    Path("hinge.assembly.json").unlink()
    status, out, _ = run("sample", "hinge", "--json")
    wrote = json.loads(out)["wrote"]
    assert status == 0 and wrote[-1] == "hinge.assembly.json"
    assert all(Path(p).is_file() for p in wrote)
    Path("hinge.assembly.json").write_text("mine")
    status, out, err = run("sample", "hinge")
    assert status == 2 and err.endswith("is already there; --force overwrites it\n")
    assert Path("hinge.assembly.json").read_text() == "mine"
    assert run("sample", "hinge", "--force")[0] == 0
    assert json.loads(Path("hinge.assembly.json").read_text())["name"] == "hinge"


def test_samples_are_listed_with_what_they_are_in_80_columns(run: Run) -> None:
    lines = dict(line.split("  ", 1) for line in run("sample")[1].splitlines())
    assert {"hinge", "bad_lid", "excavator", "motiongen/rrrp"} <= set(lines)
    assert lines["peaucellier"].strip().startswith("Peaucellier's inversor: eight bars guide")
    assert max(map(len, run("sample")[1].splitlines())) <= 80
    told = json.loads(run("sample", "--json")[1])
    assert told["samples"] == list(told["notes"]) and len(told["samples"]) == 33


def test_a_sample_of_a_group_is_copied_into_its_folder(run: Run) -> None:
    assert run("sample", "motiongen/rrrp")[0] == 0
    assert Path("motiongen/rrrp.assembly.json").is_file()


def test_warm_up_solves_moves_and_says_how_long_it_took(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[str] = []
    for each in ("_move_once", "_build_once"):
        monkeypatch.setattr(cli.samples, each, lambda assembly: moved.append(assembly.name))
    status, out, err = run("warm-up", "--json")
    assert moved == ["excavator", "seven_bar"]
    assert (status, json.loads(out)["samples"]) == (0, list(cli.WARM_UP))
    assert json.loads(out)["seconds"] > 0
    assert err == "compiling; this is done once\n"


def test_schema_is_one_json_object(run: Run) -> None:
    status, out, _ = run("schema")
    assert (status, json.loads(out)["title"][:8]) == (0, "Assembly")


def test_the_package_runs_as_a_module() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "assembly_solver", "sample", "no such"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert found.returncode == cli.WRONG
    assert found.stderr.startswith("error: no sample 'no such'")


def test_starting_imports_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "numba", "rich")
    code = f"import sys, assembly_solver.cli; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("solve", "excavator"), cli.HOLDS),
        (("analyse", "four_bar"), cli.HOLDS),
        (("diagnose", "bad_lid"), cli.HOLDS_NOT),
        (("sweep", "four_bar", "--driver", "crank", "--steps", "36"), cli.HOLDS),
        (("linkage", "theo_jansen"), cli.HOLDS),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_commands_that_solve_load_no_library_that_they_do_without(
    words: tuple[str, ...], status: int
) -> None:
    """Nothing of scipy, no drawing of tables; interpreted, as numba loads part of scipy."""
    verb, name, *more = words
    command = [verb, str(Path(__file__).parents[2] / f"samples/{name}.assembly.json"), *more]
    code = "import sys\nfrom assembly_solver.cli import main\n"
    code += f"print([main({command!r}), *sorted({{'scipy', 'rich', 'numba'}} & {{*sys.modules}})])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"ASSEMBLY_SOLVER_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300.0,
    )
    assert found.stdout.splitlines()[-1] == f"[{status}]"


def test_help_tells_every_command_in_one_whole_line(run: Run) -> None:
    status, out, _ = run("--help")
    told = out[out.index("Commands:") :].split("Exit status")[0].splitlines()[1:]
    lines = [line.split(maxsplit=1) for line in told if line.strip()]
    assert (status, [words[0] for words in lines]) == (0, [*program.COMMANDS])
    assert all(words[1].endswith(".") and not words[1].endswith("...") for words in lines)


def test_the_version_is_told(run: Run) -> None:
    assert run("--version") == (0, f"assembly-solver {__version__}\n", "")
