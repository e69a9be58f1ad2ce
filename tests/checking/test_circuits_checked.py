"""Circuits and branches in a check: those of a drawn four-bar, and ranges held against them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanisms import rssr

import assembly_solver as asm
from assembly_solver.checking.reach import reach_of
from assembly_solver.foundations.watch import Watch

FOLDED = math.degrees(math.acos((200**2 + 260**2 - 80**2) / (2 * 200 * 260)))
"""Crank angle of the four-bar 260, 200, 300, 220 with coupler and rocker folded, degrees."""


def four_bar(
    frame: float, crank: float, coupler: float, rocker: float, covers: tuple[float, float]
) -> asm.Assembly:
    """Drawn, with a point P above the middle of the coupler."""
    b = crank * np.exp(1j * math.radians(60.0))
    far = frame - b
    along = (abs(far) ** 2 + coupler**2 - rocker**2) / (2 * abs(far))
    c = b + (along + 1j * math.sqrt(coupler**2 - along**2)) * far / abs(far)
    p = b + (0.5 + 0.5j) * (c - b)
    a = asm.Assembly("four-bar")
    spots = {"A": 0j, "B": b, "C": c, "D": complex(frame), "P": p}
    a.pins(**{name: (z.real, z.imag) for name, z in spots.items()})
    a.link("frame", "A D", grounded=True)
    a.link("crank", "A B")
    a.link("coupler", "B C P")
    a.link("rocker", "C D")
    a.drive("motor", at="A", angle=covers, value=60)
    return a


def swinging(covers: tuple[float, float] = (20.0, 300.0)) -> asm.Assembly:
    return four_bar(260, 200, 300, 220, covers)


def test_a_check_tells_the_circuits_of_each_driver_and_traces_the_pin_of_one_link() -> None:
    (study,) = asm.check(swinging()).studies
    (circuit,) = study.circuits
    assert [b.interval for b in circuit.branches] == [
        pytest.approx((FOLDED, 360 - FOLDED), abs=1e-9)
    ] * 2
    (curve,) = study.coupler_curves
    assert (curve.name, curve.driver, curve.circuit, curve.branches) == ("P", "motor", 1, (1, 2))
    one, two = curve.lines
    for ends in ((0, 0), (-1, -1)):  # the curve is closed: its branches meet at the dead points
        np.testing.assert_allclose(one[ends[0]], two[ends[1]], atol=1e-3)
    assert study.notes == ()


def test_a_point_that_a_check_names_is_traced_over_the_whole_turn() -> None:
    a = four_bar(200, 60, 180, 140, (60.0, 90.0))
    a.check("point", point="rocker.C", y=(0, 200))
    (study,) = asm.check(a).studies
    named = {c.name: c for c in study.coupler_curves}
    assert list(named) == ["P", "rocker.C"]
    (line,) = named["rocker.C"].lines
    np.testing.assert_allclose(np.hypot(line[:, 0] - 200, line[:, 1]), 140, atol=1e-9)
    swing = np.degrees(np.arctan2(line[:, 1], line[:, 0] - 200))
    cosines = ((200**2 + 140**2 - reach**2) / 56000 for reach in (120, 240))
    high, low = (180 - math.degrees(math.acos(c)) for c in cosines)
    assert [swing.min(), swing.max()] == pytest.approx([low, high], abs=1e-3)


@pytest.mark.parametrize("kind", ["branch", "circuit"])
def test_a_range_that_goes_past_the_dead_point_leaves_branch_and_circuit(kind: str) -> None:
    a = swinging((20.0, 350.0))
    a.check(kind, name="asked")
    finding = next(f for f in asm.check(a).findings if f.name == "asked")
    assert not finding and finding.element == "C"
    assert finding.found == pytest.approx(360 - FOLDED, abs=1e-9)
    assert finding.words == (
        f"motor leaves the {kind} of the start at 346.6746323 deg: dead point at motor "
        "346.6746323 deg: coupler and rocker are in line at C"
    )


@pytest.mark.parametrize("covers", [(20.0, 340.0), (-340.0, -20.0), (380.0, 700.0)])
def test_a_range_on_the_branch_passes_in_whichever_turn_it_is_told(
    covers: tuple[float, float],
) -> None:
    a = swinging()
    a.check("branch", name="asked", covers=covers)
    assert next(f for f in asm.check(a).findings if f.name == "asked")


def test_a_parallelogram_leaves_its_branch_at_a_change_point_and_stays_on_its_circuit() -> None:
    a = four_bar(200, 60, 200, 60, (10.0, 350.0))
    a.check("branch")
    a.check("circuit")
    branch, circuit = (f for f in asm.check(a).findings if f.kind in ("branch", "circuit"))
    assert (bool(branch), bool(circuit)) == (False, True)
    assert branch.found == pytest.approx(180.0, abs=1e-9)
    assert "change point at motor 180 deg" in branch.words


def test_the_branch_of_each_cylinder_of_the_excavator_is_how_far_its_check_can_follow_it() -> None:
    """Two ways to one number: dyads over all states, and mates followed to their dead points."""
    a = asm.read("samples/excavator.assembly.json")
    a.move(asm.solve(a).require().poses)
    for driver in a.drivers:
        reach = reach_of(a, driver, [], Watch(None, None, None))
        (start,) = [b for c in asm.linkage(a).circuits(driver) for b in c.branches if b.start]
        assert start.interval == pytest.approx((reach.low, reach.high), abs=1e-9)
        for end, stop in zip(start.ends, reach.ends, strict=True):
            assert end.kind == stop.kind == "dead point"
            assert end.words.split(": ")[1].split(" at ")[0] in stop.words


def test_what_moves_in_space_has_no_circuits_and_the_check_says_so() -> None:
    a = rssr()
    a.drive("motor", next(iter(a.mates)), "angle", range=(-5, 5), value=0)
    a.check("branch", name="asked")
    report = asm.check(a)
    found = [f for f in report.findings if f.name == "asked"]
    assert found and not any(found)
    assert all("no circuits and branches" in f.words for f in found)
