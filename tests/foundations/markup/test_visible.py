"""What a file says cannot steer a terminal or break a page."""

from __future__ import annotations

import json
import xml.dom.minidom
from pathlib import Path

import pytest

from assembly_solver.cli.program import main
from assembly_solver.foundations.markup.visible import escape, visible

pytestmark = pytest.mark.quick

CONTROLS = "\x1b[2J", "\x07", "\x00", "\u202e", "\x9b", "\r"


def hostile(tmp_path: Path) -> Path:
    """A hinge whose names would clear the screen, ring, turn the writing and open a script."""
    part, pin = "fr\x1b[2J<script>", "p\x1b]0;x\x07"
    joint, driver = "hinge\x1b[5m\r", "open\x9b7m"
    axis = {"axis": {"point": [0, 0, 0], "direction": "z"}}
    tree = {
        "format": "assembly-solver/1",
        "name": "h\x1b[31m<b>&\x00",
        "parts": {
            part: {"grounded": True, "features": {pin: axis}},
            "do\u202eor": {"features": {"pin": axis, "tip": {"point": [100, 0, 0]}}},
        },
        "mates": [
            {"name": joint, "kind": "revolute", "a": [part, pin], "b": ["do\u202eor", "pin"]}
        ],
        "drivers": {driver: {"joint": joint, "coordinate": "angle", "range": [0, 90]}},
        "checks": [{"kind": "dof", "equals": 1}],
    }
    out = tmp_path / "hostile.assembly.json"
    out.write_text(json.dumps(tree))
    return out


def test_characters_are_spelt_as_python_spells_them() -> None:
    assert visible("a\x1b[2J\x00b\u202e\ud800\tc\n") == "a\\x1b[2J\\x00b\\u202e\\ud800\tc\n"
    assert visible("Gelenk ü 关节 ✓") == "Gelenk ü 关节 ✓"
    assert escape('<a\x07 "&">') == "&lt;a\\x07 &quot;&amp;&quot;&gt;"


@pytest.mark.parametrize(
    "words",
    [
        "solve FILE",
        "diagnose FILE",
        "analyse FILE",
        "mobility FILE",
        "sweep FILE --steps 2",
        "sweep FILE --driver open\x9b7m --steps 2",
        "check FILE --report DIR/page.html",
        "linkage FILE -o DIR/picture.svg",
        "view FILE -o DIR/view.html",
    ],
)
def test_no_control_character_of_a_name_is_printed_or_in_a_page(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(hostile(tmp_path))
    main([w.replace("FILE", file).replace("DIR", str(tmp_path)) for w in words.split(" ")])
    shown = [*capsys.readouterr()]
    shown += [p.read_text() for p in tmp_path.iterdir() if p.suffix in (".html", ".svg")]
    assert any(spelt in "".join(shown) for spelt in ("\\x1b", "\\x9b", "\\u202e"))
    for text in shown:
        assert [c for c in CONTROLS if c in text] == []


def test_a_picture_of_hostile_names_is_xml(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "picture.svg"
    assert main(["linkage", str(hostile(tmp_path)), "-o", str(picture)]) == 0
    assert xml.dom.minidom.parse(str(picture)).documentElement.tagName == "svg"
