"""Checks of tolerances: the share that meets its bounds, and the capability of the process."""

from __future__ import annotations

from math import erf, sqrt
from pathlib import Path

import pytest
from test_sensitivities import slider

import assembly_solver as asm
from assembly_solver.checking.findings import Finding, Report
from assembly_solver.report.page.check_page import report_page

pytestmark = pytest.mark.quick

CLUTCH = Path(__file__).parents[2] / "samples" / "one_way_clutch.assembly.json"


def rod(most: float = 30.1) -> asm.Assembly:
    """A rod of 30 +- 0.1, whose bounds are at three standard deviations."""
    a = asm.Assembly("rod")
    a.add("wall", grounded=True, features={"face": asm.Frame((0, 0, 0), "x")})
    a.add("rod", features={"foot": asm.Frame((0, 0, 0), "x"), "end": asm.Point((30, 0, 0))})
    a.mate("fixed", "wall.face", "rod.foot", name="weld")
    a.measure("reach", point="rod.end", along="x", max=most)
    a.tolerate("end", feature="rod.end", position=0.2)
    return a


def findings(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.kind == "tolerance"]


def test_the_share_that_meets_a_bound_is_that_of_the_error_function() -> None:
    a = rod(30.05)
    a.check("tolerance", measure="reach", meets=0.93, samples=20000, seed=3)
    (found,) = findings(asm.check(a))
    share = 0.5 * (1 + erf(1.5 / sqrt(2)))  # the bound is at one and a half deviations
    assert found.passes and (found.low, found.high, found.element) == (0.93, None, "reach")
    assert abs(found.found - share) < 4 * sqrt(share * (1 - share) / 20000)
    assert found.words.startswith("share that meets reach is 0.93")
    assert found.words.endswith("asked is at least 0.93; +- 0.0018 by 20000 samples")
    a.check("tolerance", measure="reach", meets=0.94, samples=20000, seed=3)
    report = asm.check(a)
    assert [f.passes for f in findings(report)] == [True, False]
    assert len(report.tolerances) == 1  # analysed once for both
    assert report.to_dict()["tolerances"][0]["samples"] == 20000


def test_the_capability_is_the_distance_to_the_bound_in_three_deviations() -> None:
    a = rod()
    a.check("tolerance", measure="reach", cpk=0.9, samples=20000)
    (found,) = findings(asm.check(a))
    assert found.passes and found.found == pytest.approx(1.0, rel=0.03)
    assert found.words.startswith("Cpk of reach is ")


def test_samples_that_do_not_close_do_not_meet_and_leave_no_capability() -> None:
    """Pushed to 109.9 of 110 by 0.2 more or less, a quarter of the sliders do not close."""
    a = slider(30.0, 80.0, 109.9, "push")
    a.tolerate("push", driver="push", plus=0.2, minus=0.2, distribution="uniform")
    a.remove_measure("stroke")
    a.measure("turn", joint="main", coordinate="angle", min=-90, max=90)
    a.check("tolerance", measure="turn", meets=0.7, cpk=0.1, samples=200)
    share, cpk = findings(asm.check(a))
    assert share.found == pytest.approx(0.75, abs=0.12)
    assert "samples did not close" in share.words
    assert cpk.found > 0.1 and not cpk.passes


def test_without_tolerances_or_at_a_stop_nothing_passes() -> None:
    a = rod()
    a.check("tolerance", measure="reach", meets=0.1)
    a.remove_tolerance("end")
    (found,) = findings(asm.check(a))
    assert not found.passes and "tolerances" in found.words
    a = rod()
    a.check("tolerance", measure="reach", meets=0.1)
    (found,) = findings(asm.check(a, cancel=lambda: True))
    assert not found.passes and found.words.startswith("tolerance: reach: not looked at")


def test_the_clutch_meets_its_bounds() -> None:
    a = asm.read(CLUTCH)
    a.check("tolerance", measure="phi", meets=0.999, cpk=1.33)
    share, cpk = findings(asm.check(a))
    assert (share.passes, share.found) == (True, 1.0)
    assert cpk.passes and cpk.found == pytest.approx(1.53, abs=0.02)


def test_the_page_of_a_check_shows_what_tolerances_do_to_the_measures_it_names() -> None:
    a = asm.read(CLUTCH)
    a.measure("height", point="roller.middle", along="y")
    a.check("tolerance", measure="phi", meets=0.99, samples=400)
    page = report_page(asm.check(a))
    assert "<h2>Tolerances of phi</h2>" in page and "Tolerances of height" not in page
    assert "share that meets phi; +- 0.0025 by 400 samples" in page and "at least 0.99" in page
    assert "<strong>Samples of phi</strong>" in page
