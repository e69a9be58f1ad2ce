"""The pages that are made from the registries and the argument parser, and their examples."""

from __future__ import annotations

import ast
import json
import re
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import checks
import click
import commands
import glossary
import kind_pictures
import kinds
import messages
import pytest
import sentences
from kind_examples import EXAMPLES, name_of
from pages import ROOT, blocks

import assembly_solver as asm
from assembly_solver import errors
from assembly_solver.cli.arguments import command
from assembly_solver.cli.program import COMMANDS
from assembly_solver.formats.asmt.joints import ALL as ONDSEL_JOINTS
from assembly_solver.formats.freecad.joints import JOINT_TYPES
from assembly_solver.formats.native.assembly_json import read_text
from assembly_solver.model.checks import CHECKS
from assembly_solver.model.synonyms import AMBIGUOUS, SYNONYMS

KINDS = sorted(asm.MATES)


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(ROOT)
    yield


def entry(text: str) -> Any:
    """The entry of the file that a page shows."""
    return json.loads(blocks(text, "json")[-1].body)


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_leaves_the_freedoms_that_its_page_counts(kind: str) -> None:
    names, printed = kinds.run(kinds.script(kind))
    a = names["a"]
    rows = len(a.held[name_of(kind)].equations)
    free = 2 if kinds.section(asm.MATES[kind]) == "Couplings" else 6
    assert asm.solve(a).dof == free - rows
    assert printed.splitlines()[0].endswith(
        f"{free - rows} degree{'s' * (free - rows != 1)} of freedom"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_has_an_arrow_for_each_way_in_which_its_example_can_move(kind: str) -> None:
    a = kinds.run(kinds.script(kind))[0]["a"]
    drawn = kind_pictures.picture(kind, a)
    free = asm.solve(a).to_dict()["free_motions"]
    heads = sum({"screw": 4}.get(motion["kind"], 2) for motion in free)  # to and fro
    if kinds.section(asm.MATES[kind]) == "Couplings":
        heads = 2  # of each joint, forward
    assert drawn.count("kp-head") == heads
    assert "nan" not in drawn and ET.fromstring(drawn.replace("&ensp;", " ")).tag == "figure"
    assert len(drawn) < 20_000  # the site stays small


def test_two_spur_gears_turn_opposite_ways_and_two_pulleys_alike() -> None:
    ways = {}
    for kind in ("gear", "belt"):
        turns = kind_pictures.coupled(kinds.run(kinds.script(kind))[0]["a"], kind)
        ways[kind] = [float(turn.direction[2]) for turn in turns]
    assert ways == {"gear": pytest.approx([1, -1]), "belt": pytest.approx([1, 1])}


@pytest.mark.parametrize("kind", KINDS)
def test_the_entry_of_a_file_is_the_mate_of_the_script(kind: str, tmp_path: Path) -> None:
    a = kinds.run(kinds.script(kind))[0]["a"]
    whole = kinds.written(a)
    whole["mates"][-1] = entry(kinds.page(kind))
    b = read_text(json.dumps(whole))
    assert b.mates[name_of(kind)] == a.mates[name_of(kind)]
    one, two = asm.solve(a).poses, asm.solve(b).poses
    assert {n: (p.position, p.quaternion_wxyz) for n, p in one.items()} == {
        n: (p.position, p.quaternion_wxyz) for n, p in two.items()
    }


@pytest.mark.parametrize("kind", [kind for kind in KINDS if asm.MATES[kind].removes is not None])
def test_the_table_of_a_page_counts_what_the_kind_says_that_it_removes(kind: str) -> None:
    cls = asm.MATES[kind]
    for line in kinds.removed(cls)[-1].splitlines()[2:]:
        assert line.endswith(f"| {cls.removes} |")
    assert cls.removes == 1 or len(kinds.removed(cls)[-1].splitlines()) >= 3


def test_every_kind_has_an_example_and_no_other() -> None:
    assert sorted(EXAMPLES) == KINDS
    assert sorted(checks.EXAMPLES) == sorted(CHECKS)


@pytest.mark.parametrize("kind", sorted(CHECKS))
def test_the_example_of_a_check_passes_and_is_read_from_the_file_again(kind: str) -> None:
    if kind == "clearance":
        pytest.importorskip("fcl")
    a = checks.run(checks.script(kind))[0]["a"]
    page = checks.page(CHECKS[kind])
    assert ": passes, " in blocks(page, "text")[0].body
    whole = kinds.written(a)
    whole["checks"] = [entry(page)]
    [found] = read_text(json.dumps(whole)).checks.values()
    assert found == list(a.checks.values())[-1]


def test_the_gate_of_the_checks_carries_what_its_lever_says() -> None:
    """By virtual work the tip goes 800 x 600 / (300 x 400) = 4 mm for each mm of the cylinder."""
    page = checks.page(CHECKS["force"])
    assert "force of ram is 400 N at ram = 600 mm" in page  # 4 x 100 N
    page = checks.page(CHECKS["output_force"])
    assert "is 3.142 kN at ram = 600 mm" in page  # 10 MPa on a bore of 40 mm, a quarter of it


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_has_every_option_of_its_help(name: str) -> None:
    of = command(name, COMMANDS[name])
    page = commands.page(name, of)
    options = [p for p in of.params if isinstance(p, click.Option)]
    assert all(opt in page for p in options for opt in p.opts) and len(options) >= 1


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_can_be_called_and_its_samples_are_there(name: str) -> None:
    words = shlex.split(commands.EXAMPLES[name][0])
    context = command(name, COMMANDS[name]).make_context(name, list(words))
    given = context.params.get("file", context.params.get("path"))
    assert given is None or Path(given).is_file()
    assert sorted(commands.EXAMPLES) == sorted(COMMANDS)


def test_the_list_of_checks_leads_to_a_page_for_each() -> None:
    page = (ROOT / "docs/checks.md").read_text(encoding="utf-8")
    assert sorted(set(re.findall(r"\[`(\w+)`\]\(checks/\1\.md\)", page))) == sorted(CHECKS)


def test_the_list_of_kinds_leads_to_a_page_for_each() -> None:
    pages = kinds.pages()
    assert all(f"]({kinds.place(kind)})" in pages["kinds.md"] for kind in KINDS)


def test_the_glossary_has_every_word_that_the_code_reads() -> None:
    page = glossary.page()
    assert all(f"| `{word}` |" in page for word in (*SYNONYMS, *AMBIGUOUS))
    assert sorted(glossary.FREECAD) == sorted(JOINT_TYPES)
    assert sorted(glossary.ONDSEL) == sorted(ONDSEL_JOINTS)
    said = " ".join(kind for words in glossary.PROGRAMS.values() for kind in words.values())
    assert {word for word in re.findall(r"\w+_\w+", said)} <= set(KINDS)


def test_the_glossary_has_the_constraints_that_the_plugin_reads() -> None:
    verbs = pytest.importorskip("assembly_solver_cadquery.verbs")
    assert sorted(glossary.CADQUERY) == sorted(verbs.OF_CADQUERY)


def test_every_error_has_its_cause_and_way_out_among_the_messages() -> None:
    """Of the package and of the add-on for FreeCAD, wherever it is defined."""
    classes = {c for c in vars(errors).values() if isinstance(c, type)}
    public = {c.__name__ for c in classes if issubclass(c, asm.AssemblySolverError)}
    told = [way.name for way in messages.WAYS]
    assert sorted(told) == sorted(sentences.errors())
    assert public - {"AssemblySolverError"} < set(told)
    page = messages.page()
    assert all(f"## {name}\n\n```text\n" in page for name in told)


@pytest.mark.parametrize("way", messages.WAYS, ids=lambda way: way.name)
def test_the_example_of_an_error_is_what_its_class_says(way: messages.Way) -> None:
    said = [text for _, text in sentences.texts(tuple(ast.walk(sentences.errors()[way.name])))]
    pieces = {max(text.split("..."), key=len).strip(" :") for text in said} - {""}
    assert any(piece in way.example for piece in pieces) or not pieces


def phrases() -> set[str]:
    """What the page of messages says that the engine says, without names and numbers."""
    rows = (ROOT / "docs/messages.md").read_text(encoding="utf-8").splitlines()
    said = re.findall(r"\*([^*]+)\*", " ".join(r.split(" | ")[0] for r in rows if r[:3] == "| *"))
    pieces = {piece.strip(" ,;:.()") for text in said for piece in text.split("...")}
    return {piece for piece in pieces if sentences.words(piece) > 1 or len(piece) > 6}


def test_every_sentence_that_the_code_can_print_is_in_the_index_of_messages() -> None:
    """By a phrase that is three tenths of its letters at the least."""
    known = phrases()
    answers = {re.sub(r"{\w+}", "...", text): path for text, path in sentences.answers().items()}
    assert len(answers) > 300
    shares = {
        text: max((len(k) for k in known if k in text), default=0)
        / len(re.sub(r"\W+", " ", text).strip())
        for text in answers
    }
    missing = {text: answers[text] for text, share in shares.items() if share < 0.3}
    assert missing == {}, "docs/messages.md says nothing of these"


def test_the_index_of_messages_has_none_that_the_code_does_not_print() -> None:
    folders = [*sentences.ANSWERS, "cli", "../plugin/freecad"]
    paths = [path for folder in folders for path in sentences.source(folder)]
    said = "\n".join(text for p in paths for _, text in sentences.texts(sentences.tree(p)))
    assert {phrase for phrase in phrases() if phrase not in said} == set()


def test_the_reference_has_a_row_for_each_name_that_a_docstring_tells_with_others() -> None:
    pytest.importorskip("griffe", reason="it is of the extra docs")
    from reference_rows import each_in_a_row

    told = "Args:\n    a, b: names;\n        so: long; to: mm; more\n\nReturns:\n    x; to: y\n"
    rows = "    a: names;\n        so: long\n    b: names;\n        so: long\n    to: mm; more\n"
    assert each_in_a_row(told, {"a", "b", "to"}) == (f"Args:\n{rows}\nReturns:\n    x; to: y\n")
