"""A report written by hand: the four-bar 200, 60, 180, 120 in closed form, and a boom cylinder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assembly_solver.checking.findings import (
    CouplerCurve,
    DeadPoint,
    DriverCurve,
    DriverPosition,
    DriverStudy,
    Finding,
    FourBar,
    PointPath,
    ReachEnd,
    Report,
)
from assembly_solver.linkages.circuits.circuit import Branch, BranchEnd, Circuit

GROUND, CRANK, COUPLER, ROCKER = 200.0, 60.0, 180.0, 120.0
MOTOR = np.linspace(0.0, 360.0, 181)
BOOM = np.linspace(616.713448301, 2030.927010674, 200)


def transmission() -> NDArray[np.float64]:
    """The acute angle between coupler and rocker, by the law of cosines, deg."""
    diagonal = GROUND**2 + CRANK**2 - 2 * GROUND * CRANK * np.cos(np.radians(MOTOR))
    cosine = (COUPLER**2 + ROCKER**2 - diagonal) / (2 * COUPLER * ROCKER)
    return np.degrees(np.arccos(np.abs(cosine)))


def motor() -> DriverStudy:
    """A crank that goes round."""
    angle = transmission()
    t = np.radians(MOTOR)
    tip = np.stack([60 * np.cos(t) + 90, 60 * np.sin(t) + 40 + 20 * np.cos(2 * t), 0 * t], 1)
    ends = (
        ReachEnd(0.0, "range", "", "its range ends"),
        ReachEnd(360.0, "range", "", "its range ends"),
    )
    curves = (
        DriverCurve("transmission angle", "coupler <pin>", "deg", "motor", MOTOR, angle),
        DriverCurve("mechanical advantage", "rocker over motor", "", "motor", MOTOR, 2 + np.sin(t)),
        DriverCurve("coordinate", "rocker pin", "deg", "motor", MOTOR, 40 + 30 * np.sin(t)),
        DriverCurve("coordinate", "coupler <pin>", "deg", "motor", MOTOR, -90 + 20 * np.cos(t)),
    )
    return DriverStudy(
        "motor",
        "deg",
        60.0,
        (0.0, 360.0),
        (0.0, 360.0),
        (-np.inf, np.inf),
        ends,
        (),
        (),
        3e-13,
        112.0,
        (),
        curves,
        (PointPath("coupler.tip", ("motor",), tip),),
        (),
        "motor goes through its whole range, 0 to 360 deg",
    )


def boom() -> DriverStudy:
    """A cylinder between two dead points, one of them inside its range."""
    share = (BOOM - BOOM[0]) / (BOOM[-1] - BOOM[0])
    words = "at {:.9g} mm the boom cylinder and the boom are in line: {} stops"
    dead = tuple(
        DeadPoint(v, "dead point", "boom rod pin", inside, words.format(v, "boom"))
        for v, inside in ((float(BOOM[0]), False), (float(BOOM[-1]), True))
    )
    ends = tuple(ReachEnd(d.value, d.kind, d.element, d.words) for d in dead)
    force = 84e3 * (1 + share**2) / (0.15 + np.sin(np.pi * share))
    force[120:126] = np.nan
    curves = (
        DriverCurve("force", "boom cylinder", "N", "boom", BOOM, force),
        DriverCurve(
            "transmission angle", "boom rod pin", "deg", "boom", BOOM, 90 * np.sin(np.pi * share)
        ),
    )
    return DriverStudy(
        "boom",
        "mm",
        1075.0,
        (900.0, 2100.0),
        (900.0, float(BOOM[-1])),
        (float(BOOM[0]), float(BOOM[-1])),
        (ends[0], ends[1]),
        dead,
        ("boom stroke at 900 mm",),
        2e-12,
        900.0,
        (),
        curves,
        (),
        ("the two boom cylinders share 84 kN; their split is not determined by statics",),
        "boom goes from 900 to 2030.927 mm of 900 to 2100 mm: a dead point ends its way",
    )


def circuits() -> tuple[Circuit, ...]:
    """One that the boom stands on, of two branches, and one of a full turn."""
    none = np.zeros((0, 2, 0))
    ends = [
        BranchEnd(
            v, "dead point", "rod <pin>", f"dead point at boom {v:g} mm: in line at rod <pin>", m
        )
        for v in (616.7, 2030.9)
        for m in ((1,), (2,))
    ]
    branches = tuple(
        Branch(
            n,
            1,
            {"rod <pin>": 3 - 2 * n},
            616.7,
            2030.9,
            (ends[2 - n], ends[4 - n]),
            n == 1,
            BOOM,
            none,
        )
        for n in (1, 2)
    )
    turning = Branch(3, 2, {"rod <pin>": 1}, 0.0, 360.0, (), False, MOTOR, none)
    return (
        Circuit(1, "boom", "mm", branches, True, "circuit 1 (of the start): branches 1 and 2"),
        Circuit(2, "boom", "mm", (turning,), False, "circuit 2: branch 3, a full turn"),
    )


def coupler_curve() -> CouplerCurve:
    """Two branches of a circle in the plane of x and z."""
    half = np.linspace(0.0, np.pi, 51)
    one = np.stack([100 * np.cos(half), 0 * half, 100 * np.sin(half)], axis=1)
    return CouplerCurve("boom.tip", "boom", 1, (1, 2), (one, one * [1, 1, -1]))


def findings() -> tuple[Finding, ...]:
    """Some that pass and two that fail."""
    least = float(transmission().min())
    at = float(MOTOR[int(np.argmin(transmission()))])
    place = DriverPosition("motor", at, "deg")
    told = f"transmission angle at coupler <pin> is {least:.4g} deg < 55 deg at {place.words}"
    solved = Finding(
        "solve",
        "solve",
        True,
        "the assembly",
        "solved",
        np.nan,
        "",
        "14 parts, 29 mates hold (3e-13 mm)",
    )
    angle = Finding(
        "smooth enough",
        "transmission_angle",
        False,
        "transmission angle at coupler <pin>",
        "at least 55 deg",
        least,
        "deg",
        told,
        low=55.0,
        driver="motor",
        place=place,
    )
    reach = Finding(
        "stroke",
        "range",
        False,
        "range of boom",
        "covers 900 to 2100 mm",
        2030.927,
        "mm",
        "boom reaches 2030.927 mm of 2100 mm: dead point at boom rod pin",
        high=2100.0,
        driver="boom",
        place=DriverPosition("boom", 2030.927, "mm"),
        element="boom rod pin",
    )
    force = Finding(
        "pressure",
        "force",
        True,
        "force of boom cylinder",
        "at most 1200 kN",
        6.2e5,
        "N",
        "force of boom is at most 620 kN <= 1200 kN at boom = 1950 mm",
        high=1.2e6,
        driver="boom",
        place=DriverPosition("boom", 1950.0, "mm"),
    )
    dof = replace(solved, name="dof", kind="dof", asked="equals 2", found=2.0, words="2 = 2")
    return solved, dof, angle, reach, force


def report() -> Report:
    """The whole."""
    bar = FourBar(
        ("ground.left crank.left", "crank.right coupler.left", "coupler <pin>", "rocker pin"),
        (GROUND, CRANK, COUPLER, ROCKER),
        "crank-rocker",
        40.0,
        "crank turns fully, rocker swings: crank-rocker (60 + 200 < 120 + 180 mm)",
    )
    return Report(
        "excavator front",
        "0.1.0",
        "excavator.assembly.json",
        "5f0e" * 16,
        {"L": 120.0, "stroke": 700.0},
        "14 parts, 29 mates hold (3.1e-13 mm); 2 degrees of freedom",
        2,
        findings(),
        (motor(), boom()),
        (bar,),
    )
