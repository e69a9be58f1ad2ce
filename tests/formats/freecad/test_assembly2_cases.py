"""Mate assemblies of the FreeCAD workbench Assembly2: far starts, known freedoms, one known pose.

Their mates stand among the facts as points and directions in part coordinates, and what is left of
each is judged from those numbers alone; the documents themselves are read where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from facts import facts, known_assembly, original, originals
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import assembly_solver as asm

pytestmark = pytest.mark.quick

Array = NDArray[np.float64]
Source = Callable[[str], asm.Assembly]

FREEDOMS = {"01": (0, 6), "03": (3, 3), "05": (1, 5), "06": (2, 10), "10": (12, 6), "14": (6, 6)}
"""Degrees of freedom, and rank of the equations, as the authors of the cases state them."""

LONG = {"10": "10-block_iregular_constraint_order", "14": "14-lock_relative_axial_rotation"}
"""Names of documents that are more than a number."""


def known(name: str) -> asm.Assembly:
    """The mates of a case, among the facts."""
    return known_assembly(f"assembly2/{name}")


def in_document(name: str) -> asm.Assembly:
    """What is read of the document itself."""
    file = f"testAssembly_{LONG.get(name, name)}.fcstd"
    return asm.read(original("cases", "assembly2", file))


SOURCES = [known, pytest.param(in_document, marks=originals)]


def mates_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = facts("assembly2/mates.json")["cases"][name]
    return found


def pose_of(start: dict[str, Any]) -> asm.Pose:
    columns = np.array(start["R"]).T
    return asm.Pose.from_frame([*start["p"], *columns.ravel()])


def off(mate: dict[str, Any], poses: dict[str, asm.Pose], start: dict[str, asm.Pose]) -> float:
    """What a mate is off: mm, and share of a unit vector for directions.

    Offsets are how far the first element is from the second along the first one's direction.
    """
    one, two = (poses[mate[end]] for end in "ab")
    pa, pb = one.apply(mate["fa"]["p"]), two.apply(mate["fb"]["p"])
    ua, ub = one.rotation @ mate["fa"]["d"], two.rotation @ mate["fb"]["d"]
    errors = [float(np.linalg.norm(np.cross(ua, ub)))]
    if mate["dir"] != "none":
        errors.append(abs(float(ua @ ub) - (1 if mate["dir"] == "aligned" else -1)))
    if mate["type"] != "axial":
        errors.append(abs(float((pa - pb) @ ua) - mate["offset"]))
    if mate["type"] != "plane":
        errors.append(float(np.linalg.norm(np.cross(pb - pa, ua))))
    if mate["lockRotation"]:
        kept = start[mate["a"]].rotation.T @ turned_on(mate, start)
        errors.append(float(np.abs(one.rotation.T @ two.rotation - kept).max()))
    return max(errors)


def turned_on(mate: dict[str, Any], start: dict[str, asm.Pose]) -> Array:
    """The second part turned the shortest way from its start until the directions agree."""
    one, two = (start[mate[end]].rotation for end in "ab")
    ua, ub = one @ mate["fa"]["d"], two @ mate["fb"]["d"]
    wanted = ua if mate["dir"] == "aligned" else -ua
    axis = np.cross(ub, wanted)
    turn = math.atan2(float(np.linalg.norm(axis)), float(ub @ wanted))
    made: Array = Rotation.from_rotvec(axis / np.linalg.norm(axis) * turn).as_matrix() @ two
    return made


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", FREEDOMS)
def test_every_element_is_read_where_it_is(name: str, source: Source) -> None:
    """Planes, cylinders and circles of the solids in the file: to the last digit."""
    parts = {p.notes["x-freecad"]: p for p in source(name).parts.values()}
    for mate in mates_of(name)["mates"]:
        for end in "ab":
            feature, told = parts[mate[end]].features[mate["name"]], mate[f"f{end}"]
            frame = np.array(feature.frame).reshape(4, 3)
            gap = frame[0] - np.array(told["p"])
            if end == "a" and told["kind"] == "circle":
                gap = gap + mate["offset"] * frame[3]
            along = {"plane": gap @ frame[3], "cylinder": np.cross(gap, frame[3])}
            turned = mate["lockRotation"] and end == "b" and mate["dir"] == "opposed"
            assert np.abs(along.get(told["kind"], gap)).max() == 0.0
            # a direction that is turned over for a locked rotation goes through two rotations
            wanted, close = (-np.array(told["d"]), 1e-15) if turned else (told["d"], 0.0)
            np.testing.assert_allclose(frame[3], wanted, rtol=0.0, atol=close)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", FREEDOMS)
def test_every_mate_holds_and_the_freedoms_are_as_stated(name: str, source: Source) -> None:
    data, read = mates_of(name), source(name)
    found = asm.solve(read)
    assert found, found.sentence
    start = {name: pose_of(part["start"]) for name, part in data["parts"].items()}
    poses = {read.parts[p].notes["x-freecad"]: pose for p, pose in found.best_poses.items()}
    worst = max(off(mate, poses, start) for mate in data["mates"])
    assert worst < 1e-9  # of sizes up to 1e2
    # where nothing is fixed, the cases count the six freedoms of the whole, and a solve does not
    whole = 0 if any(part["fixed"] for part in data["parts"].values()) else 6
    dof, rank = FREEDOMS[name]
    assert (found.dof + whole, found.diagnosis.rank) == (dof, rank)
    for part in read.parts.values():
        given = start[part.notes["x-freecad"]]
        # quaternions have twelve decimals in the files
        np.testing.assert_allclose(part.pose.rotation, given.rotation, rtol=0.0, atol=4e-12)
        assert part.pose.position == given.position
        assert part.grounded == data["parts"][part.notes["x-freecad"]]["fixed"]
        if part.grounded:
            assert poses[part.notes["x-freecad"]] == part.pose


def test_the_pose_of_the_first_case_is_the_known_one() -> None:
    found = asm.solve(known("01"))
    pose = found.require().best_poses["part2"]
    azimuth, elevation, angle = -2.35619449, 0.61547971, 2.0943951  # with eight decimals
    axis = np.array(
        [
            math.cos(elevation) * math.cos(azimuth),
            math.cos(elevation) * math.sin(azimuth),
            math.sin(elevation),
        ]
    )
    k = np.cross(np.eye(3), -axis).T  # k @ v is axis x v
    turn = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
    np.testing.assert_allclose(pose.position, (3, 2, 2), atol=1e-9)
    np.testing.assert_allclose(pose.rotation, turn, atol=3e-8)
    assert found.redundant_equations == 3
