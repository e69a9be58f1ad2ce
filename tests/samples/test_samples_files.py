"""The shipped samples: well-formed files, their geometry, and the excavator's exact numbers."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facts import facts

from assembly_solver import errors
from assembly_solver.cli import sample_names
from assembly_solver.formats.shapes import solids

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
NAMES = sample_names()
DRAWN = [n for n in NAMES if '"linkage": {' in (SAMPLES / f"{n}.assembly.json").read_text()]
BUILT = [name for name in NAMES if name not in DRAWN]
TOLERATED = (
    "one_way_clutch",
    "plate_on_pins",
    "plate_on_two_pins",
    "sliders_stroke",
    "stack_of_blocks",
)
"""The samples of tolerances, which have no geometry."""

MOTIONGEN = {
    **{
        name.lower(): name
        for name in ("RRRR", "RRRP", "RRPR", "RRPP", "RPPR", "RPRP", "PRRP", "RPPP", "PRPP")
    },
    "multi_slot": "multi-slot",
    "millipede": "millipede",
    "pantograph": "pantograph",
    "seven_bar": "seven-bar (Ex.1)",
}
"""The samples of MotionGen, and their names in the reference file."""

MATE_KIND = {"LL": "coaxial", "FF": "coplanar", "PP": "coincident"}
SENSE = {1: "aligned", -1: "opposed", 0: None}


def sample(name: str) -> dict[str, Any]:
    text = (SAMPLES / f"{name}.assembly.json").read_text(encoding="utf-8")
    return json.loads(text)


def split(assembly: dict[str, Any], reference: str) -> tuple[str, str]:
    """Part and feature of "part.feature", longest part name first."""
    for part in sorted(assembly["parts"], key=len, reverse=True):
        feature = reference.removeprefix(f"{part}.")
        if feature != reference and feature in assembly["parts"][part]["features"]:
            return part, feature
    raise AssertionError(f"{reference} names no feature")


def references(assembly: dict[str, Any]) -> list[str]:
    ends = [mate[end] for mate in assembly["mates"] for end in "ab"]
    for driver in assembly.get("drivers", {}).values():
        ends += driver.get("separation", [])
    for cylinder in assembly.get("cylinders", {}).values():
        ends += cylinder["pins"]
    for limit in assembly.get("limits", []):
        ends += limit.get("separation", [])
    return ends


def test_the_samples_are_there():
    assert BUILT == [
        "bad_lid",
        "excavator",
        "excavator_long_stroke",
        "four_bar",
        "hinge",
        "one_way_clutch",
        "plate_on_pins",
        "plate_on_two_pins",
        "plate_stack",
        "scissor_lift",
        "slider_crank",
        "sliders_stroke",
        "stack_of_blocks",
        "stewart_platform",
        "toggle_clamp",
    ]
    assert [
        "double_butterfly",
        "peaucellier",
        "stephenson_iii",
        "theo_jansen",
        "watt",
        *(f"motiongen/{name}" for name in sorted(MOTIONGEN)),
    ] == DRAWN


@pytest.mark.parametrize("name", NAMES)
def test_sample_is_named_as_its_file_and_says_what_it_is(name):
    assembly = sample(name)
    assert assembly["format"] == "assembly-solver/1"
    assert assembly["name"] == name.rpartition("/")[2]
    assert len(assembly["note"]) > 40


@pytest.mark.parametrize("name", BUILT)
def test_references_name_existing_features_and_joints(name):
    assembly = sample(name)
    for reference in references(assembly):
        split(assembly, reference)
    mates = [mate["name"] for mate in assembly["mates"]]
    assert len(set(mates)) == len(mates)
    drivers = assembly.get("drivers", {}).values()
    quantities = [*drivers, *assembly.get("limits", [])]
    assert {q["joint"] for q in quantities if "joint" in q} <= set(mates)


@pytest.mark.parametrize("name", BUILT)
def test_one_part_is_grounded_and_start_quaternions_have_unit_length(name):
    parts = sample(name)["parts"]
    assert sum(part.get("grounded", False) for part in parts.values()) == 1
    for part in parts.values():
        if "pose" in part:  # written with 6 digits
            assert math.hypot(*part["pose"]["quaternion_wxyz"]) == pytest.approx(1, abs=2e-6)


@pytest.mark.parametrize("name", BUILT)
def test_driver_values_lie_within_their_ranges(name):
    for driver in sample(name).get("drivers", {}).values():
        low, high = driver["range"]
        assert low < driver["value"] < high
    for cylinder in sample(name).get("cylinders", {}).values():
        assert 0 < cylinder["value"] - cylinder["closed"] < cylinder["stroke"]


@pytest.mark.parametrize("name", [n for n in BUILT if n not in TOLERATED])
def test_every_part_has_a_step_file_below_300_kb(name):
    for part in sample(name)["parts"].values():
        file = SAMPLES / part["geometry"]
        assert file.read_bytes().startswith(b"ISO-10303-21;")
        assert file.stat().st_size < 300e3


def test_all_geometry_together_is_below_3_mb():
    assert sum(file.stat().st_size for file in SAMPLES.rglob("*.step")) < 3e6


def tidy(value: Any, indent: str = "") -> str:
    """JSON by two spaces a level, lists of plain values on one line."""
    deeper = indent + "  "
    if isinstance(value, dict):
        rows = [f"{deeper}{json.dumps(k)}: {tidy(v, deeper)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(entry, (dict, list)) for entry in value):
        return "[\n" + ",\n".join(deeper + tidy(e, deeper) for e in value) + f"\n{indent}]"
    return json.dumps(value)


@pytest.mark.parametrize("name", NAMES)
def test_sample_is_laid_out_with_two_spaces_and_vectors_on_one_line(name):
    text = (SAMPLES / f"{name}.assembly.json").read_text(encoding="utf-8")
    assert text == tidy(json.loads(text)) + "\n"


# ------------------------------------------------------------------ excavator


@pytest.fixture
def reference() -> dict[str, Any]:
    return facts("excavator.json")


def vectors(feature: dict[str, Any]) -> list[list[float]]:
    """Point, and direction where there is one."""
    inner = feature.get("axis") or feature.get("plane")
    if inner is None:
        return [feature["point"]]
    return [inner["point"], inner.get("direction") or inner.get("normal")]


def papers_name(part: dict[str, Any]) -> str:
    return part["note"].split(":")[0]


def test_excavator_has_the_features_of_the_reference_to_the_last_bit(reference):
    parts = sample("excavator")["parts"]
    assert [papers_name(part) for part in parts.values()] == list(reference["parts"])
    for part in parts.values():
        wanted = reference["parts"][papers_name(part)]
        shared = list(part["features"].values())[: len(wanted)]  # the bucket has a tooth as well
        assert [vectors(f) for f in shared] == list(wanted.values())


def test_excavator_has_the_29_mates_of_the_reference_in_its_order(reference):
    assembly = sample("excavator")
    assert len(assembly["mates"]) == 29
    for mate, (kind, a, at_a, b, at_b, sense) in zip(
        assembly["mates"], reference["mates"], strict=True
    ):
        assert mate["kind"] == MATE_KIND[kind]
        assert mate.get("sense") == SENSE[sense]
        for reference_name, part, feature in ((mate["a"], a, at_a), (mate["b"], b, at_b)):
            part_name, feature_name = split(assembly, reference_name)
            given = assembly["parts"][part_name]
            assert papers_name(given) == part
            assert vectors(given["features"][feature_name]) == reference["parts"][part][feature]


def test_excavator_drivers_measure_the_cylinder_lengths_of_the_reference(reference):
    assembly = sample("excavator")
    first = reference["configurations"][0]
    for driver, length in (("boom cylinder", first["Lb"]), ("bucket cylinder", first["Lk"])):
        ends = []
        for end in assembly["cylinders"][driver]["pins"]:
            part, feature = split(assembly, end)
            pose = first["poses"][papers_name(assembly["parts"][part])]
            point = assembly["parts"][part]["features"][feature]["point"]
            ends.append(np.array(pose["R"]) @ point + pose["p"])
        assert assembly["cylinders"][driver]["value"] == length
        # the reference closes to about 1e-10 mm
        assert math.dist(*ends) == pytest.approx(length, abs=1e-9)


def test_excavator_starts_near_the_first_reference_state_but_not_at_it(reference):
    poses = reference["configurations"][0]["poses"]
    for part in sample("excavator")["parts"].values():
        if part.get("grounded"):
            continue
        away = math.dist(part["pose"]["position"], poses[papers_name(part)]["p"])
        assert 10 < away < 160  # mm, the parts are 450 to 3000 long


# ------------------------------------------------------------------ writing solids


@dataclass(frozen=True)
class Pose:
    position: np.ndarray
    quaternion_wxyz: np.ndarray


@dataclass(frozen=True)
class Part:
    pose: Pose
    geometry: Path | None
    colour: str | None = None
    inner: dict[str, Part] = field(default_factory=dict)


@dataclass(frozen=True)
class Placed:
    name: str
    folder: Path
    parts: dict[str, Part]


UPRIGHT = Pose(np.array([1000.0, 0.0, 15.0]), np.array([1.0, 0.0, 0.0, 0.0]))
QUARTER_TURN = Pose(np.zeros(3), np.array([0.5**0.5, 0.0, 0.0, 0.5**0.5]))
PLATE = Path("plate_stack/plate.step")  # 200 x 120 x 15, about the z axis


@pytest.fixture
def two_plates() -> Placed:
    pytest.importorskip("cadquery")
    return Placed(
        "plates",
        SAMPLES,
        {
            "plates": Part(UPRIGHT, PLATE, "#ff0000"),
            "a/b c": Part(QUARTER_TURN, SAMPLES / PLATE),
            "ghost": Part(UPRIGHT, None),
        },
    )


@pytest.mark.parametrize("suffix", [".step", ".stp"])
def test_step_places_named_coloured_parts_in_millimetres(two_plates, tmp_path, suffix):
    import cadquery

    target = tmp_path / f"out{suffix}"
    solids.write(two_plates, target)
    children = cadquery.Assembly.importStep(str(target)).children
    assert [child.name for child in children] == ["plates", "a/b c"]
    assert children[0].color.toTuple() == pytest.approx((1, 0, 0, 1), abs=1e-6)
    box = children[0].toCompound().BoundingBox()
    assert (box.xmin, box.xmax, box.zmax) == pytest.approx((900, 1100, 30), abs=1e-6)
    turned = children[1].toCompound().BoundingBox()
    assert (turned.xmax, turned.ymax) == pytest.approx((60, 100), abs=1e-6)
    assert list(tmp_path.iterdir()) == [target]


def test_glb_is_in_metres_with_y_up(two_plates, tmp_path):
    target = tmp_path / "out.glb"
    solids.write(two_plates, target)
    data = target.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    scene = json.loads(data[20 : 20 + length])
    node = next(n for n in scene["nodes"] if n["name"] == "plates" and "mesh" in n)
    assert node["translation"] == pytest.approx([1.0, 0.015, 0.0], abs=1e-6)
    corners = [a["max"] for a in scene["accessors"] if a["type"] == "VEC3" and "max" in a]
    assert np.max(corners, axis=0) == pytest.approx([0.1, 0.015, 0.06], abs=1e-5)


def test_assembly_without_geometry_is_refused_and_leaves_the_old_file(tmp_path):
    target = tmp_path / "out.step"
    target.write_text("old")
    with pytest.raises(errors.NoGeometry, match="bare"):
        solids.write(Placed("bare", tmp_path, {"ghost": Part(UPRIGHT, None)}), target)
    assert target.read_text() == "old"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Part(UPRIGHT, Path("nowhere.step")), "parts.lid.geometry.*nowhere.step"),
        (Part(UPRIGHT, PLATE, "blurple"), "parts.lid.x-colour.*blurple"),
        (Part(UPRIGHT, Path("hinge.assembly.json")), "cannot be read as STEP"),
    ],
)
def test_unreadable_geometry_and_colours_name_their_place(tmp_path, part, words):
    pytest.importorskip("cadquery")
    with pytest.raises(errors.FormatError, match=words):
        solids.write(Placed("lid", SAMPLES, {"lid": part}), tmp_path / "out.step")
    assert list(tmp_path.iterdir()) == []


def test_other_suffixes_are_refused_with_the_known_ones(tmp_path):
    with pytest.raises(errors.FormatError, match=r"\.step, \.stp, \.glb"):
        solids.write(Placed("lid", SAMPLES, {"lid": Part(UPRIGHT, PLATE)}), tmp_path / "o.obj")
