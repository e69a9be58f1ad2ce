"""Kinds as people read them: in words, without underscores, in every table and sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

import assembly_solver as asm
from assembly_solver import cli

pytestmark = pytest.mark.quick


def plate() -> asm.Assembly:
    """A pin that lies in a plane and on a line."""
    a = asm.Assembly("plate")
    a.add("base", grounded=True, features={"top": asm.Plane((0, 0, 0), "z")})
    a.add("pin", features={"tip": asm.Point((0, 0, 0))}, pose=asm.Pose((1, 2, 3)))
    a.mate("point_in_plane", "base.top", "pin.tip", name="rest")
    a.mate("point_on_line", "pin.tip", "base.z", name="guide")
    return a


@pytest.mark.parametrize("kind", sorted(asm.MATES))
def test_the_words_of_a_kind_name_it_wherever_a_kind_is_asked_for(kind: str):
    assert "_" not in asm.kind_words(kind)
    assert asm.kind_named(asm.kind_words(kind)).cls.kind == kind


def test_tables_for_people_have_words_and_the_json_has_the_key_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    asm.write(plate(), tmp_path / "plate.assembly.json")
    assert cli.main(["solve", str(tmp_path / "plate.assembly.json")]) == 0
    found = asm.solve(plate())
    assert [m["kind"] for m in found.to_dict()["mates"]] == ["point_in_plane", "point_on_line"]
    for shown in (capsys.readouterr().out, found._repr_html_()):
        assert "point in plane" in shown and "point on line" in shown
        assert "point_in_plane" not in shown and "point_on_line" not in shown


def test_a_mate_that_would_stop_a_motion_is_named_in_words():
    a = plate()
    a.remove("rest")
    words = str(asm.solve(a))
    assert "point_in_plane" not in words
    assert "a point in plane mate of" in words
