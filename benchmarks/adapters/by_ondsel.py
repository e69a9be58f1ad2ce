"""OndselSolver, the engine of FreeCAD's Assembly workbench, through `pyondsel`: a static solve.

As mates: coaxial = cylindrical joint, coplanar = planar, coincident = spherical, distance =
spherical-spherical.  As joints: a coaxial and a coplanar mate across the same axis of the same two
parts are one revolute joint, which is what a FreeCAD user models.  The timed call reads and writes
the engine's own text, because nothing finer is offered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..case import Array, BenchmarkCase, Poses, Tie
from .base import across, matrix, peer

SAME = 1e-9  # sine of the angle below which an axis is across a plane
CHANNELS = ("X", "Y", "Z", "Bryantx", "Bryanty", "Bryantz")


def _rows(rotation: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in rotation)


class Ondsel:
    """OndselSolver with every mate a joint of its own, or merged to revolute joints."""

    def __init__(self, merge: bool) -> None:
        self.merge = merge
        self.joint = peer("pyondsel.model.joint", "pyondsel")
        self.model = peer("pyondsel.model.asmt_model", "pyondsel").AsmtModel
        self.marker = peer("pyondsel.model.marker", "pyondsel").Marker
        self.part = peer("pyondsel.model.part", "pyondsel").Part
        self.simulation = peer("pyondsel.model.simulation", "pyondsel").Simulation
        self.raw = peer("pyondsel.solve_raw", "pyondsel").solve_asmt_raw
        # version 0.0.3 does not write the distance of this joint unless told to
        self.joint.EXTRA_FIELDS.setdefault("sphspherical", [("distanceIJ", "distance_ij")])

    def prepare(self, case: BenchmarkCase) -> None:
        """Nothing is left out for this peer."""

    def build(self, case: BenchmarkCase) -> Any:
        """The engine's text of the case."""
        return {"text": self.modelled(case).to_asmt(), "case": case}

    def modelled(self, case: BenchmarkCase) -> Any:
        """The case as the peer's model; mate number i is the joint "j<i>" of those it makes."""
        model = self.model(name="case")
        model.simulation = self.simulation(t_start=0.0, t_end=0.0, frames=1)
        ground = matrix(case, case.ground)
        model.add_ground_marker(self._marker("world", ground[:3, 3], ground[:3, :3]))
        parts = {}
        for i, name in enumerate(case.parts):
            place = tuple(case.guess.position[i].tolist())
            parts[name] = model.add_part(self.part(name, place, _rows(case.guess.rotation[i])))
        parts[case.ground].add_marker(self.marker("held"))
        ends = model.ground_path("world"), model.part_path(case.ground, "held")
        model.add_joint(self.joint.Joint("ground", "fixed", *ends))
        for i, (kind, tie, points, directions) in enumerate(_joints(case, self.merge)):
            for (name, _), at, z in zip((tie.a, tie.b), points, directions, strict=True):
                frame = np.column_stack([*across(z), z])
                parts[name].add_marker(self._marker(f"m{i}", at, frame))
            ends = tuple(model.part_path(name, f"m{i}") for name, _ in (tie.a, tie.b))
            extra = {"distance_ij": tie.value} if kind == "sphspherical" else {}
            model.add_joint(self.joint.Joint(f"j{i}", kind, *ends, **extra))
        return model

    def _marker(self, name: str, at: Array, rotation: Array) -> Any:
        return self.marker(name, tuple(map(float, at)), _rows(rotation))

    def solve(self, model: Any) -> str:
        """The solve call; a failure shows only in a missing column of the answer."""
        model["answer"] = self.raw(model["text"])
        _, found, rest = model["answer"].partition("\nTime\t")
        columns = rest.partition("\n")[0].split("\t")[1:] if found else []
        return "solved" if any(c.strip() for c in columns) else "stopped without a word"

    def poses(self, model: Any) -> Poses:
        """Last column of every part's series: the angles are successive turns about x, y, z."""
        series = _series(model["answer"])
        table = np.array([[series[name][c] for c in CHANNELS] for name in model["case"].parts])
        turned = Rotation.from_euler("XYZ", table[:, 3:])
        return Poses(table[:, :3], turned.as_quat(scalar_first=True))


def _series(answer: str) -> dict[str, dict[str, float]]:
    """Last value of every channel of every part in the engine's answer."""
    out: dict[str, dict[str, float]] = {}
    row: dict[str, float] = {}
    for line in answer.splitlines():
        key, _, values = line.strip().partition("\t")
        if key.endswith("Series"):
            row = (
                out.setdefault(values.rsplit("/", 1)[-1].strip(), {}) if key == "PartSeries" else {}
            )
        elif key in CHANNELS:
            row[key] = float(values.split()[-1])
    return out


_Joint = tuple[str, Tie, tuple[Array, Array], tuple[Array, Array]]


def _joints(case: BenchmarkCase, merge: bool) -> list[_Joint]:
    """The case's mates as joints: kind, mate, the two points and z directions of its markers."""
    kinds = {
        "coaxial": "cylindrical",
        "coplanar": "planar",
        "coincident": "spherical",
        "distance": "sphspherical",
    }
    hinges = _hinges(case) if merge else {}
    spent = {face for face, _ in hinges.values()}
    out: list[_Joint] = []
    for i, tie in enumerate(case.mates):
        if i in spent:
            continue
        kind = "revolute" if i in hinges else kinds[tie.kind]
        a, b = case.feature(tie.a), case.feature(tie.b)
        points = np.array(a.point), np.array(b.point)
        za, zb = np.array(a.direction or (0.0, 0.0, 1.0)), np.array(b.direction or (0.0, 0.0, 1.0))
        if i in hinges:
            points = hinges[i][1]
        out.append((kind, tie, points, (za, zb * tie.sense)))
    return out


def _hinges(case: BenchmarkCase) -> dict[int, tuple[int, tuple[Array, Array]]]:
    """Coaxial mates with a face across them: index -> (index of the coplanar mate, two points)."""
    faces: dict[frozenset[str], list[int]] = {}
    for k, tie in enumerate(case.mates):
        if tie.kind == "coplanar":
            faces.setdefault(frozenset((tie.a[0], tie.b[0])), []).append(k)
    out = {}
    for i, tie in enumerate(case.mates):
        free = faces.get(frozenset((tie.a[0], tie.b[0])), []) if tie.kind == "coaxial" else []
        for k in free:
            points = _feet(case, tie, case.mates[k])
            if points is not None:
                out[i] = (k, points)
                free.remove(k)
                break
    return out


def _feet(case: BenchmarkCase, pin: Tie, face: Tie) -> tuple[Array, Array] | None:
    """Where the pin's axis meets the face in either part; None where it is not across it."""
    sides = (face.a, face.b) if face.a[0] == pin.a[0] else (face.b, face.a)
    feet = []
    for mine, its in zip((pin.a, pin.b), sides, strict=True):
        line, plane = case.feature(mine), case.feature(its)
        d, n = np.array(line.direction), np.array(plane.direction)
        if np.linalg.norm(np.cross(d, n)) > SAME:
            return None
        feet.append(line.point + d * (n @ np.subtract(plane.point, line.point)) / (n @ d))
    return feet[0], feet[1]
