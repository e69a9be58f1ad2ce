"""Variants: each is the solve of the nominal assembly with its values, and of nothing else."""

from __future__ import annotations

import json
from math import acos, cos, degrees, radians, sin
from pathlib import Path

import numpy as np
import pytest
from studied import SAMPLES, four_bar, four_bar_file, ladder

import assembly_solver as asm
from assembly_solver.studies.designs import make_design
from assembly_solver.studies.variants import Variants, nominal_assembly
from assembly_solver.studies.varied_names import put


def variants(assembly: asm.Assembly, **vary: str) -> tuple[Variants, list[list[float]]]:
    values = make_design(vary, 24 if any(v.count(":") == 1 for v in vary.values()) else None)
    rows = values.values(0).tolist()
    return Variants(nominal_assembly(assembly, tuple(assembly.measures)), vary, rows[0]), rows


def swing(crank: float, rocker: float) -> float:
    """The angle of the rocker of the four-bar (200, 60, 180, rocker), degrees, open."""
    x, y = 60.0 * cos(radians(crank)) - 200.0, 60.0 * sin(radians(crank))
    away = np.hypot(x, y)
    inner = acos((away**2 + rocker**2 - 180.0**2) / (2.0 * away * rocker))
    return degrees(np.arctan2(y, x) - inner) % 360.0


@pytest.mark.quick
def test_a_number_of_a_mate_is_measured_as_it_was_set() -> None:
    of, rows = variants(ladder(), **{"height.offset": "-4:9:14"})
    found = [of.row(values).measures[0] for values in rows]
    np.testing.assert_allclose(found, [20.0 + x for (x,) in rows], atol=1e-9)


def test_a_parameter_and_a_driver_give_the_closed_form(tmp_path: Path) -> None:
    of, rows = variants(four_bar(tmp_path), L="130:150", crank="20:100")
    for rocker, crank in rows:
        row = of.row((rocker, crank))
        assert (row.mode, row.reason) == ("+", "")
        assert row.measures[0] == pytest.approx(swing(crank, rocker), abs=1e-9)


def test_modes_are_told_by_where_the_features_of_a_variant_are(tmp_path: Path) -> None:
    """The pin of the rocker goes round its pivot; the linkage stays as it is."""
    tree = json.loads(four_bar_file(tmp_path).read_text())
    tree["parameters"] = {"x": 140.0, "y": 0.0}
    tree["parts"]["rocker"]["features"]["pin"]["axis"]["point"][:2] = ["=x", "=y"]
    path = tmp_path / "turned.assembly.json"
    path.write_text(json.dumps(tree))
    of = Variants(nominal_assembly(asm.read(path), ("swing",)), ("x", "y"), (140.0, 0.0))
    for turn in (20.0, 68.0, 110.0):
        row = of.row((140.0 * cos(radians(turn)), 140.0 * sin(radians(turn))))
        assert (row.mode, row.reason) == ("+", "")


@pytest.mark.parametrize(
    ("sample", "vary", "point"),
    [
        (
            "excavator",
            {"bucket cylinder": "1255:1500", "boom cylinder": "960:1290"},
            "bucket.tooth",
        ),
        ("stewart_platform", {"leg 1": "-4:4", "leg 4": "-3:5"}, None),
        ("slider_crank", {"crank": "5:350"}, None),
    ],
)
def test_rows_are_plain_solves_with_their_mode(
    sample: str, vary: dict[str, str], point: str | None
) -> None:
    given = asm.read(SAMPLES / f"{sample}.assembly.json")
    last = next(reversed(given.parts))
    given.measure("y", point=point or f"{last}.origin", along="y")
    if sample == "stewart_platform":  # about the lengths that the file has
        at = {name: given.drivers[name].value or 0.0 for name in vary}
        ends = {name: map(float, words.split(":")) for name, words in vary.items()}
        vary = {name: ":".join(str(at[name] + x) for x in ends[name]) for name in vary}
    of, rows = variants(given, **vary)
    for values in rows[:12]:
        row, plain = of.row(values), of.nominal.copy()
        for name, value in zip(vary, values, strict=True):
            put(plain, name, value)
        solution = asm.solve(plain).require()
        expected = plain.measures["y"].value(plain, solution.frames)
        assert row.measures[0] == pytest.approx(expected, abs=1e-8)
        assert row.mode == (solution.mode or "")


def test_a_row_does_not_depend_on_the_rows_before_it(tmp_path: Path) -> None:
    of, rows = variants(four_bar(tmp_path), L="100:180", crank="0:360")
    there = [of.row(values) for values in rows]
    back = [of.row(values) for values in reversed(rows)][::-1]
    alone = Variants(of.nominal, of.names, rows[0]).row(rows[-1])
    bits = lambda row: (row.measures.tobytes(), row.mode, row.reason)  # noqa: E731
    assert [bits(row) for row in there] == [bits(row) for row in back]
    assert bits(alone) == bits(there[-1])


def test_rows_that_are_not_valid_say_why(tmp_path: Path) -> None:
    of, _ = variants(four_bar(tmp_path), L="-3:30:2")
    open_ = of.row([1.0])
    assert np.isnan(open_.measures).all()
    assert open_.reason.startswith("conflicting: ") and "rocker pivot" in open_.reason
    a = ladder()
    a.add("lid", features={"eye": asm.Point((0, 0, 0))})
    a.mate("distance", "block.tip", "lid.eye", name="rope", value=4.0)
    of, _ = variants(a, **{"rope.value": "1:5:2"})
    assert of.row([-1.0]).reason.startswith("refused: ")
