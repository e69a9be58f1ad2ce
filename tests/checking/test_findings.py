"""The answer to a check, as a person reads it and as JSON says it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assembly_solver.checking.findings import (
    DeadPoint,
    DriverCurve,
    DriverPosition,
    DriverStudy,
    Finding,
    FourBar,
    PointPath,
    ReachEnd,
    Report,
    plain,
)
from assembly_solver.report.page.check_page import report_page

pytestmark = pytest.mark.quick

PLACE = DriverPosition("boom", 1480.0, "mm")


def finding(**changes: Any) -> Finding:
    told: dict[str, Any] = {
        "name": "angle at C",
        "kind": "transmission_angle",
        "passes": False,
        "subject": "transmission angle at C",
        "asked": "at least 40 deg",
        "found": 31.2,
        "unit": "deg",
        "words": "transmission angle at C is 31.2 deg < 40 deg at boom = 1480 mm",
        "low": 40.0,
        "driver": "boom",
        "place": PLACE,
    }
    return Finding(**{**told, **changes})


def curve(values: list[float]) -> DriverCurve:
    at = np.linspace(900.0, 1600.0, len(values))
    return DriverCurve("transmission angle", "C", "deg", "boom", at, np.array(values))


def study() -> DriverStudy:
    ends = (
        ReachEnd(616.713, "dead point", "rod eye", "boom stops at 616.713 mm"),
        ReachEnd(2030.927, "dead point", "rod eye", "boom stops at 2030.927 mm"),
    )
    dead = DeadPoint(616.713, "dead point", "rod eye", False, "dead point at 616.713 mm")
    path = PointPath("bucket.tip", ("boom",), np.array([[0, 0, 0], [np.nan] * 3, [3, -4, 0]]))
    return DriverStudy(
        "boom",
        "mm",
        1075.0,
        (900.0, 1600.0),
        (900.0, 1600.0),
        (616.713, 2030.927),
        ends,
        (dead,),
        (),
        1e-13,
        950.0,
        (),
        (curve([50.0, 31.2, np.nan]),),
        (path,),
        (),
        "boom goes through",
    )


def report(*findings: Finding) -> Report:
    bar = FourBar(("A", "B", "C", "D"), (4, 1, 3, 3), "crank-rocker", 1.0, "...")
    return Report(
        "excavator",
        "0.1.0",
        "excavator.assembly.json",
        "ab" * 32,
        {"L": 120.0},
        "holds",
        2,
        findings,
        (study(),),
        (bar,),
    )


def test_a_report_is_true_where_every_finding_passes():
    assert bool(report()) is True
    assert bool(report(finding(passes=True))) is True
    assert bool(report(finding(passes=True), finding())) is False


def test_a_failed_report_says_what_is_off_and_where():
    words = report(finding(passes=True), finding()).sentence
    assert words == (
        "excavator: fails, 1 of 2 findings: "
        "transmission angle at C is 31.2 deg < 40 deg at boom = 1480 mm"
    )


def test_a_report_is_json_with_its_places_extremes_and_boxes():
    tree = json.loads(json.dumps(report(finding()).to_dict(), allow_nan=False))
    assert tree["passes"] is False
    assert tree["findings"][0]["place"]["words"] == "boom = 1480 mm"
    told = tree["studies"][0]
    assert told["curves"][0]["values"] == [50.0, 31.2, None]
    assert told["curves"][0]["least"] == [31.2, 1250.0]
    assert told["paths"][0]["box"] == [[0.0, -4.0, 0.0], [3.0, 0.0, 0.0]]
    assert told["ends"][0]["element"] == "rod eye"
    assert tree["loops"][0]["kind"] == "crank-rocker"


def test_what_could_not_be_determined_is_said_once_and_of_which_driver():
    one, two = (replace(study(), driver=d, notes=n) for d, n in (("a", ("x", "x")), ("b", "xy")))
    told = replace(report(finding()), studies=(one, two))
    assert told.notes == ("x", "b: y")
    assert told.to_dict()["notes"] == ["x", "b: y"]
    assert report_page(told).count("<p>x</p>") == 1


def test_a_curve_without_a_value_has_no_extreme():
    assert np.isnan(curve([np.nan, np.inf]).least).all()
    assert curve([np.inf, 2.0, 1.0]).greatest == (2.0, 1250.0)


def test_of_extremes_that_differ_by_rounding_the_first_place_is_told():
    flat = curve([32.0, 32.0 - 1e-12, np.nan, 32.0 + 1e-12])
    assert flat.least == (32.0 - 1e-12, 900.0)
    assert flat.greatest == (32.0 + 1e-12, 900.0)


@pytest.mark.parametrize(
    ("value", "told"),
    [(1e-15, 0.0), (616.7134483010001, 616.713448301), (84e3 + 1e-8, 84e3), (np.nan, None)],
)
def test_numbers_are_told_without_their_rounding(value: float, told: float | None):
    assert plain(float(value)) == told
