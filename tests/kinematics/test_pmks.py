"""Two linkages with tables of positions, velocities and accelerations over a turn of the crank.

The tables are others', in metres and radians: every 40 degrees among the facts, every degree in the
originals.  Tolerances: 1e-9, 1e-8 and 1e-6 of the largest value of a series.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from builders import X, Z
from facts import facts, original, originals
from jets import Array, off

import assembly_solver as asm

pytestmark = pytest.mark.quick

MM = 1000.0
POSITION, VELOCITY, ACCELERATION = 1e-9, 1e-8, 1e-6


Table = Callable[[str, str, str], dict[str, Array]]


def some_rows(name: str, kind: str, item: str) -> dict[str, Array]:
    """A table by its columns, every 40 degrees."""
    columns = facts("pmks.json")["cases"][name]["tables"][kind][item]
    return {key: np.array(column) for key, column in columns.items()}


def all_rows(name: str, kind: str, item: str) -> dict[str, Array]:
    """The same at every degree, of the original."""
    path = original("cases", "pmks", name, "matlab", kind, f"{item}.csv")
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {k: np.array([float(r[k]) for r in rows]) for k in rows[0] if k != "sample_id"}


def built(data: dict[str, Any]) -> asm.Assembly:
    """Links at identity poses, with frames where joints and points are at the start; mm.

    A prismatic joint is a hinge on a slider of its own, which slides on the ground.
    """
    topology = data["topology"]
    at = {j["id"]: (MM * j["initial"][0], MM * j["initial"][1], 0.0) for j in topology["joints"]}
    features: dict[str, dict[str, asm.Feature]] = {"ground": {}}
    features |= {link["id"]: {} for link in topology["links"]}
    for joint in topology["joints"]:
        for link in joint["links"]:
            features[link][joint["id"]] = asm.Frame(at[joint["id"]], Z, X)
    for point in topology["points"]:
        place = (MM * point["initial"][0], MM * point["initial"][1], 0.0)
        features[point["link"]][point["id"]] = asm.Point(place)
    slides = [joint for joint in topology["joints"] if joint["type"] == "P"]
    for joint in slides:
        along = asm.Frame(at[joint["id"]], (*joint["guide_axis"], 0.0), Z)
        features["ground"]["rail"] = along
        features["slider"] = {"rail": along, joint["id"]: asm.Frame(at[joint["id"]], Z, X)}
    a = asm.Assembly(data["title"])
    for name, own in features.items():
        a.add(name, grounded=name == "ground", features=own)
    for joint in topology["joints"]:
        ends = ["slider" if joint in slides and e == "ground" else e for e in joint["links"]]
        one, two = sorted(ends, key=lambda e: e != "ground")
        a.mate("revolute", f"{one}.{joint['id']}", f"{two}.{joint['id']}", name=joint["id"])
    if slides:
        a.mate("prismatic", "ground.rail", "slider.rail", name="rail")
    a.drive("input", data["input"]["joint"], "angle")
    return a


@pytest.mark.parametrize(
    ("table", "step"), [(some_rows, 40), pytest.param(all_rows, 1, marks=originals)]
)
@pytest.mark.parametrize("name", ["teaching_four_bar", "teaching_slider_crank"])
def test_a_linkage_moves_as_its_tables_say(name: str, table: Table, step: int) -> None:
    data = facts("pmks.json")["cases"][name]
    topology, speed = data["topology"], math.degrees(data["input"]["speed_rad_s"])
    motion = asm.sweep(built(data), {"input": (0.0, 360.0)}, steps=360, speed=speed)
    assert motion, motion.sentence
    owner = {j["id"]: j["links"][0] for j in topology["joints"]}
    owner = {k: "slider" if k == "C" and "slider" in motion.parts else v for k, v in owner.items()}
    owner |= {p["id"]: p["link"] for p in topology["points"]}
    kinds = {p["id"]: "points" for p in topology["points"]}
    compared = 0
    for item, part in owner.items():
        known = table(name, kinds.get(item, "joints"), item)
        track = motion.point(f"{part}.{item}")
        for k, axis in enumerate("xy"):
            assert off(track.position[::step, k] / MM, known[axis]) < POSITION, item
            assert off(track.velocity[::step, k] / MM, known[f"v{axis}"]) < VELOCITY, item
            assert off(track.acceleration[::step, k] / MM, known[f"a{axis}"]) < ACCELERATION, item
            compared += 3 * len(known[axis])
    for link in topology["links"]:
        known = table(name, "links", link["id"])
        part_track = motion.part(link["id"])
        turn = 2 * np.unwrap(np.arctan2(*part_track.quaternion_wxyz[:, [3, 0]].T))[::step]
        gap = np.angle(np.exp(1j * (turn - known["theta_delta_rad"])))  # known but for whole turns
        assert np.abs(gap).max() < POSITION, link["id"]
        assert off(np.radians(part_track.spin[::step, 2]), known["omega_rad_s"]) < VELOCITY
        assert (
            off(np.radians(part_track.spin_rate[::step, 2]), known["alpha_rad_s2"]) < ACCELERATION
        )
        compared += 3 * len(known["omega_rad_s"])
    assert compared == (360 // step + 1) * (6 * len(owner) + 3 * len(topology["links"]))
