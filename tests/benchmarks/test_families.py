"""The benchmark families: their true poses hold, and they are the neutral cases in other words."""

from __future__ import annotations

import importlib.util
import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from facts import original, originals

from benchmarks import case as cases, families
from benchmarks.adapters.equations import plan
from benchmarks.case import BenchmarkCase, Poses
from benchmarks.judge import judge

pytestmark = pytest.mark.quick

NAMES = (
    "chain(12)",
    "fourbar",
    "ladder(5)",
    "stack(4)",
    "scissor(4)",
    "excavator",
    "stewart",
    "stewart_free",
)


@pytest.fixture(scope="module")
def neutral() -> ModuleType:
    """The neutral cases that the peers were compared on."""
    spec = importlib.util.spec_from_file_location("neutral_cases", original("peers", "cases.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def poses_of(entry: dict[str, Any], case: BenchmarkCase) -> Poses:
    """Neutral poses in the order of a case's parts."""
    return Poses(
        np.array([entry[name]["t"] for name in case.parts]),
        np.array([entry[name]["q"] for name in case.parts]),
    )


@originals
@pytest.mark.parametrize("name", NAMES)
def test_true_poses_and_starts_are_those_of_the_neutral_cases(
    name: str, neutral: ModuleType
) -> None:
    case, other = families.named(name, seed=3), neutral.get(name, seed=3)
    assert (case.size, case.dof, case.ground) == (other["size"], other["dof"], other["ground"])
    assert set(case.parts) == set(other["parts"])
    reach = np.abs(case.truth.position).max()
    for ours, theirs in ((case.truth, other["truth"]), (case.guess, other["guess"])):
        known = poses_of(theirs, case)
        np.testing.assert_allclose(ours.position, known.position, atol=1e-14 * reach + 1e-12)
        np.testing.assert_allclose(ours.quaternion, known.quaternion, atol=1e-14)


@originals
@pytest.mark.parametrize("name", NAMES)
def test_features_and_mates_are_those_of_the_neutral_cases(name: str, neutral: ModuleType) -> None:
    case, other = families.named(name), neutral.get(name)
    for part, body in case.parts.items():
        entry = other["parts"][part]
        assert set(body.features) == set(entry["features"])
        np.testing.assert_allclose((body.box, body.middle), (entry["box"], entry["box_at"]))
        for key, feature in body.features.items():
            known = entry["features"][key]
            assert feature.kind == known["kind"]
            np.testing.assert_allclose(feature.point, known["p"], atol=1e-11)  # mm, of metres
            direction = known.get("d", known.get("n"))
            assert (feature.direction is None) == (direction is None)
            if direction is not None:
                np.testing.assert_allclose(feature.direction, direction, atol=1e-15)
    ties = [(t.kind, list(t.a), list(t.b), t.sense) for t in case.mates]
    assert ties == [(m["type"], m["a"], m["b"], m.get("sense", 1)) for m in other["mates"]]
    values = [m.get("value", 0.0) for m in other["mates"]]
    np.testing.assert_allclose([t.value for t in case.mates], values, atol=1e-12)


@originals
@pytest.mark.parametrize("name", NAMES)
def test_the_judge_agrees_with_the_neutral_referee(name: str, neutral: ModuleType) -> None:
    case, other = families.named(name, seed=5, noise=9.0), neutral.get(name, seed=5, noise=9.0)
    ours, theirs = judge(case, case.guess), neutral.residuals(other, other["guess"])
    assert ours.mm == pytest.approx(theirs["pos"], rel=1e-11)
    assert ours.rad == pytest.approx(theirs["ang"], rel=1e-11)
    assert ours.flips == theirs["flips"] > 0 or name.startswith("stewart")


@pytest.mark.parametrize("name", NAMES)
def test_true_poses_hold_every_mate(name: str) -> None:
    case = families.named(name)
    verdict = judge(case, case.truth)
    assert verdict.relative < 1e-14 * np.abs(case.truth.position).max()
    assert (verdict.flips, verdict.word) == (0, "right")


def test_a_wrong_hole_pitch_is_a_contradiction_of_its_size() -> None:
    case = families.stack(3, hole_error=0.5)
    assert judge(case, case.truth).mm == pytest.approx(0.5)
    assert case.name == "bad_stack(3,0.5mm)"


@pytest.mark.parametrize("name", NAMES)
def test_starts_stay_within_their_noise_and_leave_the_ground_still(name: str) -> None:
    case = families.named(name, seed=2)
    turned = np.einsum("nij,nij->n", case.truth.rotation, case.guess.rotation)
    angles = np.degrees(np.arccos(np.clip((turned - 1) / 2, -1, 1)))
    assert 5 < angles.max() <= cases.TURN
    middle = np.array([body.middle for body in case.parts.values()])
    held = [
        np.einsum("nij,nj->ni", p.rotation, middle) + p.position for p in (case.guess, case.truth)
    ]
    shifts = np.linalg.norm(held[0] - held[1], axis=1)
    assert shifts.max() <= cases.SHIFT * case.size * (1 + 1e-12)
    ground = list(case.parts).index(case.ground)
    assert np.array_equal(case.guess.position[ground], case.truth.position[ground])
    assert np.array_equal(case.guess.quaternion[ground], case.truth.quaternion[ground])


def test_noise_zero_starts_at_the_solution_and_seeds_differ() -> None:
    case = families.fourbar()
    still = cases.restart(case, seed=1, noise=0.0)
    assert np.array_equal(still.guess.position, case.truth.position)
    other = cases.restart(case, seed=1)
    assert np.abs(other.guess.position - case.guess.position).max() > 0.1  # mm


@pytest.mark.parametrize("turns, flips", [(0.0, 0), (180.0, 2)])
def test_the_judge_counts_reversed_senses_apart_from_angles(turns: float, flips: int) -> None:
    case = families.chain(1)
    half = cases.turn((1, 0, 0), turns)  # about x: the axis and the face turn over
    rotation = case.truth.rotation.copy()
    rotation[1] = rotation[1] @ half[:3, :3]
    quaternion = cases.Rotation.from_matrix(rotation).as_quat(scalar_first=True)
    verdict = judge(case, Poses(case.truth.position, quaternion))
    assert verdict.flips == flips
    assert verdict.rad < 1e-12
    assert verdict.word == ("flipped" if flips else "right")


def test_the_judge_sees_a_moved_ground_and_poses_that_are_no_numbers() -> None:
    case = families.fourbar()
    carried = Poses(case.truth.position + 1.0, case.truth.quaternion)
    assert judge(case, carried).mm < 1e-11  # the mates do not feel it
    assert judge(case, carried).ground_mm == pytest.approx(math.sqrt(3))
    assert judge(case, carried).word == "moved"
    nowhere = Poses(case.truth.position * math.nan, case.truth.quaternion)
    assert judge(case, nowhere).word == "wrong"


def equations(kind: str) -> int:
    """Independent equations of one constraint of the peers' plan."""
    return {"parallel": 2, "on_line": 2, "points": 3}.get(kind, 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_minimal_plan_keeps_as_many_equations_as_freedoms_go(name: str) -> None:
    case = families.named(name)
    kept = sum(equations(atom.kind) for _, atoms in plan(case, "minimal") for atom in atoms)
    given = sum(equations(atom.kind) for _, atoms in plan(case, "literal") for atom in atoms)
    assert kept == 6 * (len(case.parts) - 1) - case.dof
    assert given >= kept
    assert (given == kept) == (name == "stewart" or name == "stewart_free")


def test_the_products_assembly_has_the_starts_features_and_mates_of_the_case() -> None:
    case = families.excavator(seed=4)
    model = families.assembly(case)
    for i, name in enumerate(case.parts):
        assert np.array_equal(model.pose(name).position, case.guess.position[i])
        assert np.array_equal(model.pose(name).quaternion_wxyz, case.guess.quaternion[i])
        assert set(model.parts[name].features) == set(case.parts[name].features)
        assert model.parts[name].grounded == (name == case.ground)
    kinds = [mate.kind for mate in model.mates.values()]
    assert kinds == [tie.kind for tie in case.mates]
