"""Contact in motions: `python -m benchmarks.contact`.

Random convex parts on a hinge, each against another one that stands: the first contact has to be
where dense sampling of the distance over the turn finds it, and none where it finds none.  And the
time of the excavator over the range of each cylinder, all pairs of parts asked for.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

import assembly_solver as asm
from assembly_solver.formats.shapes.meshes import Mesh
from assembly_solver.kinematics.contact.geometry import TriangleBody, separation

from .figures import Figure, count, report, timed

PAIRS, FEW = 200, 40
"""Random pairs, and in a quick run."""

STEPS, SAMPLES = 24, 1440
"""Steps of the sweep, and of the dense sampling, of a turn."""

RESOLUTION = 1e-6
"""What the place of a contact is promised to, degrees."""

EXCAVATOR = Path(__file__).resolve().parent.parent / "samples" / "excavator.assembly.json"


def pair(rng: np.random.Generator, folder: Path) -> tuple[asm.Assembly, TriangleBody, TriangleBody]:
    """An arm whose hull is some 60 mm from its hinge about z, and a wall somewhere near."""
    hulls = [trimesh.convex.convex_hull(rng.normal(size=(20, 3)) * 12.0) for _ in range(2)]
    hulls[0].apply_translation((60.0, 0.0, 0.0))
    for name, hull in zip(("arm", "wall"), hulls, strict=True):
        hull.export(folder / f"{name}.ply")
    a = asm.Assembly("door", folder=folder)
    a.add("base", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
    at = rng.uniform((-60, -60, -8), (60, 60, 8))
    a.add("wall", grounded=True, geometry="wall.ply", pose=asm.Pose(tuple(at)))
    a.add("arm", geometry="arm.ply", features={"pin": asm.Axis((0, 0, 0), "z")})
    a.mate("revolute", "base.pin", "arm.pin", name="hinge")
    a.drive("turn", "hinge")
    arm, wall = (TriangleBody(Mesh(np.array(h.vertices), np.array(h.faces))) for h in hulls)
    return a, arm, wall


def sampled(a: asm.Assembly, arm: TriangleBody, wall: TriangleBody) -> Any:
    """The distance at each of the dense values of a turn, mm."""
    c, s = (f(np.radians(np.linspace(0, 360, SAMPLES + 1))) for f in (np.cos, np.sin))
    still = np.array(a.parts["wall"].pose.frame)
    turned = (np.array([0, 0, 0, x, y, 0, -y, x, 0, 0, 0, 1.0]) for x, y in zip(c, s, strict=True))
    return np.array([separation(arm, frame, wall, still).distance for frame in turned])


def wrong(a: asm.Assembly, arm: TriangleBody, wall: TriangleBody) -> str:
    """What is wrong in the first contact of a pair, "" where nothing is."""
    motion = asm.sweep(a, {"turn": (0, 360)}, steps=STEPS, contact="stop")
    apart, step = sampled(a, arm, wall), 360.0 / SAMPLES
    seen = motion.contacts
    if seen is None or motion.failed:
        return motion.sentence
    found = motion.events[0].value if motion.events else None
    hit = np.flatnonzero(apart <= 0.0)
    if len(hit) and hit[0] == 0:
        return "" if seen.left_out else "in contact at the start, and not told so"
    if len(hit) == 0:  # of two samples one may miss a contact as deep as an arm's arc between them
        deep = radians(step) * float(np.linalg.norm(arm.mesh.corners[:, :2], axis=1).max())
        return f"contact at {found}, none sampled" if found and apart.min() > deep else ""
    first = float(hit[0]) * step
    if found is None:
        return f"no contact, sampled at {first:.4g}"
    late, early = found > first + RESOLUTION, found < first - step - RESOLUTION
    grazed = early and apart[: hit[0]].min() < radians(step) * 100.0
    return (
        f"contact at {found:.6g}, sampled at {first:.6g}" if late or (early and not grazed) else ""
    )


def figures(quick: bool = False) -> Iterator[Figure]:
    """Contacts that are not where dense sampling finds them; times, in processor time."""
    number, off = FEW if quick else PAIRS, dict[int, str]()
    spent = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(number):
            case = pair(np.random.default_rng(seed), Path(folder))
            ms, found = timed(lambda case=case: wrong(*case), time.process_time)  # type: ignore[misc]
            spent += ms
            if found:
                off[seed] = found
    yield count("contact", "random convex pairs", "not where sampling finds it", off, number)
    yield Figure("contact", "random convex pairs", "a pair, with sampling", spent / number, "ms")
    yield from excavator()


def excavator() -> Iterator[Figure]:
    """The excavator over both cylinders, one after the other, once its files are read."""
    a = asm.read(EXCAVATOR)
    drivers = [name for name, d in a.drivers.items() if d.range is not None]
    asm.sweep(a, drivers[0], steps=2, contact="tell")
    total, watched, asked = 0.0, 0, len(a.parts) * (len(a.parts) - 1) // 2
    for driver in drivers:
        ms, motion = timed(
            lambda d=driver: asm.sweep(a, d, steps=60, contact="tell"),  # type: ignore[misc]
            time.process_time,
        )
        total += ms / 1e3
        assert motion.contacts is not None
        watched = len(motion.contacts.pairs)
    yield Figure("contact", f"excavator, {asked} pairs", "watched of them", float(watched))
    yield Figure("contact", f"excavator, {asked} pairs", "both cylinders", total, "s", "<= 10")


if __name__ == "__main__":
    raise SystemExit(report(figures()))
