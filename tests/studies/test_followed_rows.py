"""Rows followed all at once: each is what a solve of its own gives, or is solved by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from studied import SAMPLES, four_bar, ladder

import assembly_solver as asm
from assembly_solver.equations import followed_copies
from assembly_solver.studies import followed_rows
from assembly_solver.studies.designs import make_design
from assembly_solver.studies.variants import Row, Rows, Variants, nominal_assembly

Made = Callable[[Path], asm.Assembly]


def each(rows: Rows) -> list[Row]:
    """The rows one by one."""
    return [Row(*own) for own in zip(rows.measures.T, rows.mode, rows.reason, strict=True)]


def variants(a: asm.Assembly, vary: dict[str, str], samples: int) -> tuple[Variants, np.ndarray]:
    ranged = any(words.count(":") == 1 for words in vary.values())
    values = make_design(vary, samples if ranged else None).values(0)
    of = Variants(nominal_assembly(a, tuple(a.measures)), tuple(vary), values[0].tolist())
    return of, values


def sample(name: str, **measure: object) -> asm.Assembly:
    a = asm.read(SAMPLES / f"{name}.assembly.json")
    a.measure("m", **measure)  # type: ignore[arg-type]
    return a


def excavator(_: Path) -> asm.Assembly:
    return sample("excavator", point="bucket.tooth", along="y")


def stewart_platform(_: Path) -> asm.Assembly:
    a = asm.read(SAMPLES / "stewart_platform.assembly.json")
    a.measure("m", point=f"{next(reversed(a.parts))}.origin", along="z")
    return a


def slider_crank(folder: Path) -> asm.Assembly:
    """The slider with the length of its crank as a parameter."""
    tree = json.loads((SAMPLES / "slider_crank.assembly.json").read_text())
    tree["parts"]["crankshaft"]["features"]["crank pin"]["axis"]["point"][0] = "=r"
    tree["parameters"] = {"r": 50.0}
    tree["measures"] = {"m": {"point": "piston.origin", "along": "x"}}
    path = folder / "slider.assembly.json"
    path.write_text(json.dumps(tree))
    return asm.read(path)


STUDIED: list[tuple[Made, dict[str, str], int]] = [
    (four_bar, {"L": "130:150", "crank": "20:100"}, 64),
    (four_bar, {"L": "60:260", "crank": "0:360"}, 64),  # many of these do not close
    (excavator, {"bucket cylinder": "1255:1500", "boom cylinder": "960:1290"}, 64),
    (stewart_platform, {"leg 1": "-4:4", "leg 4": "-3:5"}, 24),
    (slider_crank, {"crank": "5:350", "r": "20:60"}, 24),
    (lambda _: ladder(), {"height.offset": "-4:9"}, 24),
]


@pytest.mark.parametrize(("make", "vary", "samples"), STUDIED)
def test_rows_are_those_of_a_solve_each(
    tmp_path: Path, make: Made, vary: dict[str, str], samples: int
) -> None:
    a = make(tmp_path)
    at = {name: a.drivers[name].value or 0.0 for name in vary if "leg" in name}
    ends = {name: [at.get(name, 0.0) + float(x) for x in vary[name].split(":")] for name in vary}
    of, values = variants(a, {n: ":".join(map(repr, e)) for n, e in ends.items()}, samples)
    for found, own in zip(each(of.rows(values)), values.tolist(), strict=True):
        alone = of.row(own)
        assert found.measures == pytest.approx(alone.measures, abs=1e-9, nan_ok=True)
        assert found[1:] == alone[1:]


def with_a_rod() -> asm.Assembly:
    """A crank of 30 mm upright, a rocker of 50 mm at 40 mm from it, and a rod between both ends."""
    z = (0.0, 0.0, 1.0)
    a = asm.Assembly("with a rod")
    pivots = {"one": asm.Axis((0, 0, 0), z), "two": asm.Axis((40, 0, 0), z)}
    a.add("ground", grounded=True, features=pivots)
    for name, length, x in (("crank", 30, 0), ("rocker", 50, 40)):
        features = {"pivot": asm.Axis((0, 0, 0), z), "end": asm.Point((length, 0, 0))}
        a.add(name, features=features, pose=asm.Pose.from_axis((x, 0, 0), z, 80.0))
    a.mate("revolute", "ground.one", "crank.pivot", name="pivot", sense="aligned")
    a.mate("revolute", "ground.two", "rocker.pivot", name="rocker pivot", sense="aligned")
    a.mate("distance", "crank.end", "rocker.end", name="rod", value=40.0)
    a.drive("turn", joint="pivot", value=90.0)
    a.measure("m", joint="rocker pivot", coordinate="angle")
    return a


def test_rows_that_are_refused_or_do_not_close_are_told_as_by_a_solve() -> None:
    """The end of the crank is 50 mm from the pivot of the rocker: rods of up to 100 mm close."""
    of, values = variants(with_a_rod(), {"rod.value": "-15:115:14"}, 0)
    assert of._follower is not None
    closed = of._follower.follow(values).closed
    found = each(of.rows(values))
    assert [bool(r.reason) for r in found] == [not 0 < v < 100 for v in values[:, 0].tolist()]
    assert found[0].reason.startswith("refused: ") and "rod" in found[-1].reason
    assert closed.tolist() == [not r.reason for r in found]
    for row, (value,) in zip(found, values.tolist(), strict=True):
        if not row.reason:
            angle = 180.0 - np.degrees(np.arcsin(0.6) + 2.0 * np.arcsin(value / 100.0))
            assert row.measures[0] == pytest.approx(angle, abs=1e-9)


def test_a_row_is_the_same_bytes_with_others_and_alone(tmp_path: Path) -> None:
    of, values = variants(four_bar(tmp_path), {"L": "100:180", "crank": "0:360"}, 40)
    assert of._follower is not None
    together = of._follower.follow(values)
    assert together.closed.mean() > 0.7
    for k in range(0, 40, 7):
        alone = of._follower.follow(values[k : k + 1])
        assert alone.measures.tobytes() == together.measures[k : k + 1].tobytes()


def test_a_limit_is_kept_as_by_a_solve(tmp_path: Path) -> None:
    a = four_bar(tmp_path)
    a.limit(joint="rocker pivot", coordinate="angle", min=90.0, max=125.0)
    of, values = variants(a, {"crank": "0:180:19"}, 0)
    assert of._follower is not None and 5 < of._follower.follow(values).closed.sum() < 19
    for found, own in zip(each(of.rows(values)), values.tolist(), strict=True):
        alone = of.row(own)
        assert found.measures == pytest.approx(alone.measures, abs=1e-9, nan_ok=True)
        assert found[1:] == alone[1:]


def test_parts_that_spin_idly_are_left_alone() -> None:
    """The rods and cylinders of a platform on six legs: no measure depends on them."""
    of, _ = variants(stewart_platform(Path()), {"leg 1": "488:492:3"}, 0)
    assert of._follower is not None and len(of._follower.spun) == 12


def test_machine_code_and_interpreted_code_follow_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, values = variants(four_bar(tmp_path), {"L": "60:260", "crank": "0:360"}, 32)
    assert of._follower is not None
    here = of._follower.follow(values)
    for form in ("interpreted", "whole"):
        function = getattr(followed_copies.follow_copies, form, None)
        if function is not None:
            monkeypatch.setattr(followed_rows, "follow_copies", function)
            there = of._follower.follow(values)
            assert (there.closed == here.closed).all()
            assert there.measures == pytest.approx(here.measures, abs=1e-12, nan_ok=True)
