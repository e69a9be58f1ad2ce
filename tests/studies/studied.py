"""Assemblies that the tests of studies vary."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import assembly_solver as asm

SAMPLES = Path(__file__).parents[2] / "samples"


def four_bar_file(folder: Path) -> Path:
    """The four-bar with the length of its rocker as a parameter, measured at the rocker."""
    tree = json.loads((SAMPLES / "four_bar.assembly.json").read_text())
    tree["parameters"] = {"L": 140.0}
    tree["parts"]["rocker"]["features"]["pin"]["axis"]["point"][0] = "=L"
    tree["measures"] = {"swing": {"joint": "rocker pivot", "coordinate": "angle"}}
    path = folder / "four_bar.assembly.json"
    path.write_text(json.dumps(tree))
    return path


def four_bar(folder: Path) -> asm.Assembly:
    """The assembly of `four_bar_file`."""
    return asm.read(four_bar_file(folder))


def ladder() -> asm.Assembly:
    """A block at an adjustable height, and its height as a measure: the answer is the value."""
    a = asm.Assembly("ladder")
    a.add("floor", grounded=True, features={"top": asm.Plane((0, 0, 0), "z")})
    a.add("block", features={"bottom": asm.Plane((0, 0, 5), "z"), "tip": asm.Point((0, 0, 25))})
    a.mate("coplanar", "floor.top", "block.bottom", name="height", offset=3.0, sense="aligned")
    a.measure("tip", distance=("floor.top", "block.tip"))
    return a


def crank_rocker(crank: float) -> asm.Assembly:
    """A four-bar of frame 100, coupler 90, rocker 60 mm, drawn with its crank upright."""
    a = asm.Assembly("crank and rocker")
    coupler, rocker, frame = 90.0, 60.0, 100.0
    far = np.hypot(frame, crank)
    along = (coupler**2 - rocker**2 + far**2) / (2.0 * far)
    aside = np.sqrt(coupler**2 - along**2)
    c = np.array([0.0, crank]) + along * np.array([frame, -crank]) / far
    c += aside * np.array([crank, frame]) / far
    a.pins(A=(0, 0), B=(0, crank), C=c.tolist(), D=(frame, 0))
    for name, pins in {"frame": "A D", "crank": "A B", "coupler": "B C", "rocker": "C D"}.items():
        a.link(name, pins, grounded=name == "frame")
    a.drive("crank", at="A", angle=(0, 360), value=90, rays=("D", "B"))
    return a
