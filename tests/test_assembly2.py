"""Mate assemblies of the FreeCAD workbench Assembly2: far starts, known freedoms, one known pose.

The files are others' (../shared/cases/assembly2); the mates are points and directions in part
coordinates, and what is left of each is judged here from those numbers alone.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import assembly_solver as asm

CASES = Path(__file__).parents[2] / "shared" / "cases" / "assembly2"
Array = NDArray[np.float64]

FREEDOMS = {
    "testAssembly_01": (0, 6),
    "testAssembly_03": (3, 3),
    "testAssembly_05": (1, 5),
    "testAssembly_06": (2, 10),
    "testAssembly_10-block_iregular_constraint_order": (12, 6),
    "testAssembly_14-lock_relative_axial_rotation": (6, 6),
}
"""Degrees of freedom, and rank of the equations, as the authors of the cases state them."""

SENSES = {"aligned": "aligned", "opposed": "opposed", "none": "nearest"}


def load(name: str) -> dict[str, Any]:
    file = CASES / f"{name}.json"
    if not file.is_file():
        pytest.skip(f"../shared/cases/assembly2/{file.name} is not there")
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def pose_of(start: dict[str, Any]) -> asm.Pose:
    columns = np.array(start["R"]).T
    return asm.Pose.from_frame([*start["p"], *columns.ravel()])


def built(data: dict[str, Any]) -> asm.Assembly:
    """Planes are coplanar, axes coaxial; circular edges are hinges whose second end is moved by
    the offset along the first axis, and with a locked rotation they are fixed."""
    a = asm.Assembly(data["name"])
    poses = {name: pose_of(part["start"]) for name, part in data["parts"].items()}
    features: dict[str, dict[str, Any]] = {name: {} for name in poses}
    wanted = [translated(mate, poses) for mate in data["mates"]]
    for mate, (_, one, two, _) in zip(data["mates"], wanted, strict=True):
        features[mate["a"]][mate["name"]], features[mate["b"]][mate["name"]] = one, two
    for name, part in data["parts"].items():
        a.add(name, grounded=part["fixed"], pose=poses[name], features=features[name])
    for mate, (kind, _, _, parameters) in zip(data["mates"], wanted, strict=True):
        ends = [(mate[end], mate["name"]) for end in "ab"]
        a.mate(kind, *ends, name=mate["name"], **parameters)
    return a


def translated(mate: dict[str, Any], poses: dict[str, asm.Pose]) -> tuple[str, Any, Any, Any]:
    """Kind, features, parameters."""
    fa, fb, sense = mate["fa"], mate["fb"], {"sense": SENSES[mate["dir"]]}
    if mate["type"] == "plane":
        planes = (asm.Plane(f["p"], f["d"]) for f in (fa, fb))
        return ("coplanar", *planes, sense | {"offset": mate["offset"]})
    if mate["type"] == "axial":
        return ("coaxial", asm.Axis(fa["p"], fa["d"]), asm.Axis(fb["p"], fb["d"]), sense)
    assert mate["type"] == "circularEdge"
    shifted = np.array(fa["p"]) + mate["offset"] * np.array(fa["d"])
    if not mate["lockRotation"]:
        return ("revolute", asm.Frame(shifted, fa["d"]), asm.Frame(fb["p"], fb["d"]), sense)
    assert mate["dir"] == "opposed"
    first = asm.Frame(shifted, fa["d"], ACROSS)
    second = asm.Frame(fb["p"], [-v for v in fb["d"]], seen_from_b(mate, poses))
    return ("fixed", first, second, {})


ACROSS = np.array([1.0, 0.0, 0.0])
"""A direction in the first part that is along no axis of the files."""


def seen_from_b(mate: dict[str, Any], poses: dict[str, asm.Pose]) -> Array:
    """That direction in the second part, as it is at the start: a locked rotation keeps it."""
    seen: Array = poses[mate["b"]].rotation.T @ poses[mate["a"]].rotation @ ACROSS
    return seen


def off(mate: dict[str, Any], poses: dict[str, asm.Pose], start: dict[str, asm.Pose]) -> float:
    """What a mate is off: mm, and share of a unit vector for directions."""
    one, two = (poses[mate[end]] for end in "ab")
    pa, pb = one.apply(mate["fa"]["p"]), two.apply(mate["fb"]["p"])
    ua, ub = one.rotation @ mate["fa"]["d"], two.rotation @ mate["fb"]["d"]
    errors = [float(np.linalg.norm(np.cross(ua, ub)))]
    if mate["dir"] != "none":
        errors.append(abs(float(ua @ ub) - (1 if mate["dir"] == "aligned" else -1)))
    if mate["type"] != "axial":
        errors.append(abs(float((pb - pa) @ ua) - mate["offset"]))
    if mate["type"] != "plane":
        errors.append(float(np.linalg.norm(np.cross(pb - pa, ua))))
    if mate["lockRotation"]:
        x, y = one.rotation @ ACROSS, two.rotation @ seen_from_b(mate, start)
        turned = np.cross(x - (x @ ua) * ua, y - (y @ ua) * ua)
        errors.append(float(np.linalg.norm(turned)))
    return max(errors)


@pytest.mark.parametrize("name", FREEDOMS)
def test_every_mate_holds_and_the_freedoms_are_as_stated(name: str) -> None:
    data = load(name)
    found = asm.solve(built(data))
    assert found, found.sentence
    start = {name: pose_of(part["start"]) for name, part in data["parts"].items()}
    worst = max(off(mate, found.best_poses, start) for mate in data["mates"])
    assert worst < 1e-9  # of sizes up to 1e2
    # where nothing is fixed, the cases count the six freedoms of the whole, and a solve does not
    whole = 0 if any(part["fixed"] for part in data["parts"].values()) else 6
    dof, rank = FREEDOMS[name]
    assert (found.dof + whole, found.diagnosis.rank) == (dof, rank)
    for part, entry in data["parts"].items():
        if entry["fixed"]:
            assert found.best_poses[part] == pose_of(entry["start"])


def test_the_pose_of_the_first_case_is_the_known_one() -> None:
    found = asm.solve(built(load("testAssembly_01")))
    pose = found.require().best_poses["part2"]
    azimuth, elevation, angle = -2.35619449, 0.61547971, 2.0943951  # with eight decimals
    axis = np.array([
        math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth),
        math.sin(elevation),
    ])  # fmt: skip
    k = np.cross(np.eye(3), -axis).T  # k @ v is axis x v
    turn = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
    np.testing.assert_allclose(pose.position, (3, 2, 2), atol=1e-9)
    np.testing.assert_allclose(pose.rotation, turn, atol=3e-8)
    assert found.redundant_equations == 3
