"""1e5 samples of a tolerance analysis, held to closed forms: `python -m benchmarks.tolerance`.

The one-way clutch; the excavator with pins off in its plane; and the excavator whose pins lean as
well, with play in its bores, without which nothing closes.  Each is analysed once, start to end, in
processor time of all threads.  Judged are mean, spread, quantiles and the share that meets the
bounds, against a million samples of a closed form that has nothing of the engine; where pins lean
there is none, and assemblies with the deviations of samples are put together one by one, each by
`solve` from the nominal poses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.foundations.geometry.pose import poses_of
from assembly_solver.studies.deviations import drawn
from assembly_solver.studies.many_samples import values_at
from assembly_solver.studies.tolerance import sampler_of
from assembly_solver.studies.variables import deviating

from .figures import RIGHT, Figure, report, timed
from .planar import meet

Array = NDArray[np.float64]

SAMPLES = Path(__file__).parents[1] / "samples"
COUNT, CLOSED_FORM = 100_000, 1_000_000
ERRORS = 5.0
"""Standard errors by which two samples may differ: one in a million does by more."""

OFF = 1e-6
"""What a sample may differ from the same one solved by itself, mm."""

PIN, STROKE, LEAN, PLAY, BORE = 0.4, 0.5, 0.02, 0.05, 40.0
"""Diameter of the zone of a pin, bound of a stroke, cone, play and length of a bore, mm and deg."""

PINS = {
    "boom": ("foot pin", "boom rod pin", "bucket rocker pin", "idler pin", "bracket pin"),
    "bucket rocker": ("link pin", "rod pin"),
    "idler rocker": ("link pin",),
    "link": ("idler pin",),
    "push rod": ("bracket pin",),
    "bracket": ("boom pin", "push rod pin"),
}
"""The pins of the excavator that are off."""


# ------------------------------------------------------------------ the assemblies


def clutch() -> asm.Assembly:
    """The sample, as it stands."""
    return asm.read(SAMPLES / "one_way_clutch.assembly.json")


def excavator(lean: bool = False) -> asm.Assembly:
    """The sample with its pins off, its cylinders as well or its pins in cones, with play."""
    a = asm.read(SAMPLES / "excavator.assembly.json")
    a.measure("tooth", point="bucket.tooth", along="y", min=1175.0, max=1178.0)
    for part, pins in PINS.items():
        for pin in pins:
            zone: dict[str, Any] = {"position": PIN} | ({"angle": LEAN} if lean else {})
            a.tolerate(f"{part} {pin}", feature=(part, pin), **zone)
    for name in [] if lean else ["boom cylinder", "bucket cylinder"]:
        a.tolerate(name, driver=name, plus=STROKE, minus=STROKE)
    for mate in [m for m in a.mates.values() if m.kind == "coaxial"] if lean else []:
        a.tolerate(f"play of {mate.name}", joint=mate.name, radial=PLAY, length=BORE)
    return a


# ------------------------------------------------------------------ closed forms


def clutch_by_hand(rng: np.random.Generator, count: int) -> Array:
    """cos phi = (hub + roller) / (cage - roller), each normal."""
    sizes, bounds = (27.645, 11.43, 50.8), (0.0125, 0.01, 0.0125)
    hub, roller, cage = (
        rng.normal(size, bound / 3.0, count) for size, bound in zip(sizes, bounds, strict=True)
    )
    out: Array = np.degrees(np.arccos((hub + roller) / (cage - roller)))
    return out


def excavator_by_hand(rng: np.random.Generator, count: int) -> Array:
    """The height of the tooth by circles in the plane, each dyad from the pins before it."""

    def pin(x: float, y: float, bound: float = 0.5 * PIN) -> NDArray[np.complex128]:
        off = rng.normal(0.0, bound / 3.0, (2, count))
        return np.asarray(complex(x, y) + off[0] + 1j * off[1])

    boom_length, bucket_length = (rng.normal(x, STROKE / 3.0, count) for x in (1075.0, 1265.0))
    foot, rod, rocker = pin(0, 0), pin(1300, -250), pin(1500, 350)
    idler, bracket = pin(2200, 250), pin(3000, 0)
    boom_rod = meet(0.0, abs(rod - foot), 500 - 500j, boom_length, 1)
    turn = boom_rod / (rod - foot)
    rocker, idler, bracket = (turn * (p - foot) for p in (rocker, idler, bracket))
    link, pushed = pin(450, 0).conj(), pin(286.78821817552307, -409.5760221444959).conj()
    bucket_rod = meet(rocker, abs(pushed), -300 + 500j, bucket_length, -1)
    on_rocker = rocker + link * (bucket_rod - rocker) / pushed
    on_idler = meet(on_rocker, abs(pin(580, 0)), idler, abs(pin(480, 0)), 1)
    centre, end = pin(0, 0), pin(500, 0)
    on_bracket = meet(on_idler, abs(pin(900, 0)), bracket, abs(end - centre), 1)
    turn = (on_bracket - bracket) / (end - centre)
    bucket = bracket + turn * (-100 - 150j - centre)
    turn = turn * 300 / (259.8076211353316 - 150j)
    out: Array = (bucket + turn * (-655.8 - 885.8j)).imag
    return out


# ------------------------------------------------------------------ the judge


def by_closed_form(found: asm.MeasureSpread, values: Array, count: int) -> str:
    """What samples of a measure and those of its closed form differ in; `RIGHT` if in nothing."""
    own, m = found.sampled, len(values)
    least, most = found.measure.min, found.measure.max
    assert least is not None and most is not None
    share = float(np.mean((values >= least) & (values <= most)))
    pairs = [("share", float(own["meets"]), share, share)]
    for level, quantile in own["quantiles"].items():
        below = float(np.mean(values <= quantile))
        pairs.append((f"quantile {level}", below, float(level), float(level)))
    for what, one, other, p in pairs:
        error = sqrt(max(p * (1.0 - p), 1.0 / m) * (1.0 / count + 1.0 / m))
        if abs(one - other) > ERRORS * error:
            return f"{what}: {one:.6g}, not {other:.6g}"
    spread = float(values.std())
    fourth = float(np.mean((values - values.mean()) ** 4)) / spread**4
    for what, one, other, error in (
        ("mean", own["mean"], float(values.mean()), spread),
        ("std", own["std"], spread, spread * sqrt(fourth - 1.0) / 2.0),
    ):
        if abs(one - other) > ERRORS * error * sqrt(1.0 / count + 1.0 / m):
            return f"{what}: {one:.6g}, not {other:.6g}"
    return RIGHT


def by_solves(assembly: asm.Assembly, some: int) -> str:
    """What samples differ in from the same ones put together alone; `RIGHT` if in nothing."""
    sampler, spreads = sampler_of(asm.solve(assembly).require())
    model, rng = sampler.model, np.random.default_rng(5)
    run = sampler.run(drawn(spreads, rng.random((some, len(model.variables)))))
    closed, system = np.flatnonzero(np.isfinite(run.values).all(axis=1)), model.response.system
    nominal = dict(zip(system.parts, poses_of(model.response.frames), strict=True))
    worst = 0.0
    for k in closed.tolist():
        one = deviating(model.before, model.variables, run.placed[k].tolist())
        one.move(nominal)
        solution = asm.solve(one)
        if not solution:
            return f"sample {k} does not close: {solution.sentence}"
        alone = values_at(one, model, np.array(solution.frames))
        worst = max(worst, float(np.abs(np.array(alone) - run.values[k]).max()))
    return RIGHT if worst <= OFF and len(closed) else f"differ by {worst:.1e} mm"


def _analysed(assembly: asm.Assembly, count: int) -> asm.ToleranceAnalysis:
    return asm.tolerance(assembly, samples=count)


def figures(quick: bool = False) -> Iterator[Figure]:
    """Processor time of each analysis, the share of the samples that close, and the judge."""
    count = COUNT // 100 if quick else COUNT
    known = CLOSED_FORM // 100 if quick else CLOSED_FORM
    cases: dict[str, tuple[asm.Assembly, Callable[..., Array] | None, float]] = {
        "clutch": (clutch(), clutch_by_hand, 3.0),
        "excavator in its plane": (excavator(), excavator_by_hand, 60.0),
        "excavator, pins lean": (excavator(lean=True), None, 180.0),
    }
    for name, (assembly, by_hand, most) in cases.items():
        asm.tolerance(assembly, samples=64)  # what is compiled is
        spent, found = timed(partial(_analysed, assembly, count), time.process_time)
        (measure,) = found.measures.values()
        if by_hand is None:
            judged = by_solves(assembly, 20 if quick else 200)
        else:
            judged = by_closed_form(measure, by_hand(np.random.default_rng(5), known), count)
        limit = "" if quick else f"<= {most:g}"
        yield Figure("tolerance", name, f"{count} samples", 1e-3 * spent, "s", limit, "", judged)
        closed = 100.0 * found.solved / count
        yield Figure("tolerance", name, "samples that close", closed, "%")


if __name__ == "__main__":
    raise SystemExit(report(figures()))
