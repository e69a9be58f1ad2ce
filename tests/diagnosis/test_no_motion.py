"""What cannot move, proved: how far it goes while its mates hold, against plain geometry."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from builders import bar, ground, pins, still
from mechanisms import bennett, parallelogram
from test_motion_order import trammel

import assembly_solver as asm
from assembly_solver import cli
from assembly_solver.diagnosis.proof.no_motion import confined
from assembly_solver.formats.native.assembly_json import write

TOLERANCE = 1e-4


def in_line(*ends: float) -> asm.Assembly:
    """Bars in line along x, from 0 to each of the ends in turn, between two fixed pins."""
    a = asm.Assembly("in line", tolerance=TOLERANCE)
    ground(a, o=(0.0, 0.0), d=(ends[-1], 0.0))
    before = "frame.o"
    for k, (start, end) in enumerate(zip((0.0, *ends), ends, strict=False)):
        bar(a, f"bar {k}", still(start, 0.0, 0.0), still(end, 0.0, 0.0))
        pins(a, (f"pin {k}", before, f"bar {k}.foot"))
        before = f"bar {k}.tip"
    pins(a, ("last", "frame.d", before))
    return a


def test_two_bars_in_line_bend_as_far_as_the_play_of_their_pins_lets_them() -> None:
    """Three pins give 3 tolerances: h^2 / 2 (1 / 30 + 1 / 70), where the middle pin is h aside."""
    found = asm.mobility(in_line(30.0, 100.0), certify=True)
    (loop,) = found.loops
    assert (loop.here, loop.finite, loop.order) == (1, 0, 1)
    assert loop.confined is not None
    aside = math.sqrt(2.0 * 3.0 * TOLERANCE / (1.0 / 30.0 + 1.0 / 70.0))
    angle = aside / 30.0  # of the shorter bar: its rotation is the largest coordinate
    assert loop.confined["slack_mm"] == TOLERANCE
    least = angle * found.solution.system.length
    assert least < loop.confined["within_mm"] < 1.2 * least
    assert found.sentence.endswith(
        "nothing moves; proved: while mates hold within 0.0001 mm, no part of bar 0 and bar 1 "
        "goes farther than 0.1418 mm"
    )


def test_three_bars_in_line_have_two_free_motions_and_go_nowhere() -> None:
    (loop,) = asm.mobility(in_line(30.0, 80.0, 100.0), certify=True).loops
    assert (loop.here, loop.finite) == (2, 0)
    assert loop.confined is not None
    assert loop.confined["slack_mm"] == TOLERANCE and loop.confined["within_mm"] < 0.5


def test_a_freedom_of_second_order_is_bounded_for_mates_that_hold_closer() -> None:
    """Within the tolerance the link may follow the ellipse farther than a box is proved for."""
    loop = next(c for c in asm.mobility(trammel(40.0), certify=True).loops if c.here)
    assert loop.order == 2
    assert loop.confined is not None and loop.confined["slack_mm"] == TOLERANCE / 2**10
    assert loop.confined["within_mm"] < 1.0


def test_of_what_moves_nothing_is_proved() -> None:
    assert asm.mobility(parallelogram(0.0), certify=True).loops[0].confined is None
    solution = asm.solve(bennett())
    movable = [k for k, fixed in enumerate(solution.system.fixed) if not fixed]
    assert confined(solution.system, movable, list(solution.poses.values()), 1) is None


def test_the_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "in_line.assembly.json"
    write(in_line(30.0, 100.0), file)
    assert cli.main(("mobility", str(file), "--certify")) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "proved: while mates hold within 0.0001 mm, no part of bar 0 and bar 1 goes" in told
    assert cli.main(("mobility", str(file), "--json")) == 0
    assert json.loads(capsys.readouterr().out)["loops"][0]["confined"] is None
