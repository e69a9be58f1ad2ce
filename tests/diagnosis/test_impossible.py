"""Contradictions that are proved, with what is said; and none where a solution exists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.diagnosis.proof.closing_joints import ClosingJoints
from assembly_solver.diagnosis.proof.impossible import impossible
from assembly_solver.diagnosis.proof.no_closing import MOST_BOXES, ClosureProof
from assembly_solver.diagnosis.proof.no_real_pose import NoRealProof
from assembly_solver.diagnosis.proof.rigid_places import LinearProof, Places
from assembly_solver.diagnosis.proof.stated_facts import facts_of, limits_of
from assembly_solver.diagnosis.proof.wide_vectors import Wide
from assembly_solver.equations.system import compile_system
from assembly_solver.formats.native import assembly_json
from assembly_solver.results.wording.contradictions import because
from benchmarks import contradictions as families
from benchmarks.adversary.generators.contradictions import CORES
from benchmarks.certified import core_of, drawn

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.quick
@pytest.mark.parametrize("kind", range(len(CORES)), ids=[f.__name__ for f in CORES])
def test_contradictions_by_construction_are_proved(kind: int) -> None:
    for seed in range(kind, 40, len(CORES) + 1):
        assert impossible(core_of(seed)) is not None, seed


def test_of_what_can_be_solved_nothing_is_proved() -> None:
    assert [seed for seed in range(20) if impossible(drawn(seed)) is not None] == []
    for seed in range(10):
        draw = np.random.default_rng(seed)
        made = families.FAMILIES[seed % len(families.FAMILIES)](draw)
        assert impossible(made) is None, seed


def test_an_error_within_the_tolerances_is_not_proved_to_be_a_contradiction() -> None:
    """Plates whose pins are off by up to the tolerance solve, and nothing is proved of them."""
    for seed in range(1, 20, len(families.FAMILIES)):
        draw = np.random.default_rng(seed)
        a = families.FAMILIES[seed % len(families.FAMILIES)](draw)
        (part,) = (n for n, p in a.parts.items() if not p.grounded)
        move = {"feature": f"{part}.hole 1", "by_mm": a.tolerance, "along": (1.0, 0.0, 0.0)}
        off = families.moved_feature(a, move)
        assert impossible(off) is None
        assert asm.solve(off)


@pytest.mark.parametrize("sine", [0.105, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("tilt", [0.9e-7, 1.9e-7])
def test_axes_that_are_nearly_parallel_tell_little_of_a_turn_about_them(
    sine: float, tilt: float
) -> None:
    """On arms of 1000 mm the tilts are within the tolerance, of a turn they are 10 times that."""
    a, cosine = asm.Assembly("two axes"), float(np.sqrt(1.0 - sine**2))
    for part, aside in (("base", 0.0), ("plate", tilt)):
        axes = {
            "f": asm.Axis((0, 0, 0), (0, 0, 1)),
            "g": asm.Axis((1000, 0, 0), (sine, aside, cosine)),
        }
        a.add(part, grounded=part == "base", features=axes)
    a.mate("cylindrical", "base.f", "plate.f")
    a.mate("cylindrical", "base.g", "plate.g")
    assert asm.solve(a).solved
    assert impossible(a) is None


@pytest.mark.parametrize("order", ["fgh", "hfg", "hgf"])
def test_bores_side_by_side_tell_little_of_a_turn_on_a_longer_arm(order: str) -> None:
    """Of 150 mm and 1000 mm: what the near ones are off by is 7 times that at the far one."""
    a = asm.Assembly("three bores")
    for part, aside in (("base", 0.0), ("plate", 1.9e-4)):
        places = {"f": (0.0, 0.0, 0.0), "g": (150.0, aside, 0.0), "h": (1000.0, 0.0, 0.0)}
        axes = {name: asm.Axis(at, (0, 0, 1)) for name, at in places.items()}
        a.add(part, grounded=part == "base", features=axes)
    for name in order:
        a.mate("cylindrical", f"base.{name}", f"plate.{name}")
    assert asm.solve(a).solved
    assert impossible(a) is None


@pytest.mark.parametrize("turned", [0.0, 120.0])
def test_a_proof_tells_of_the_senses_that_are_nearest_to_holding(turned: float) -> None:
    """Bores 0.01 mm too far apart are not told to be off as those of a plate that is reversed."""
    a = asm.Assembly("plate")
    for part, far in (("base", 300.0), ("plate", 300.01)):
        f, g = asm.Axis((0, 0, 0), (0, 0, 1)), asm.Axis((0, far, 0), (0.6, 0, 0.8))
        pose = asm.Pose.from_axis((0, 0, 0), (1, 0, 0), turned if part == "plate" else 0.0)
        a.add(part, grounded=part == "base", pose=pose, features={"f": f, "g": g})
    a.mate("cylindrical", "base.f", "plate.f")
    a.mate("cylindrical", "base.g", "plate.g")
    found = impossible(a)
    assert found is not None
    assert isinstance(found.proof, LinearProof)
    assert found.proof.off == pytest.approx(0.01, rel=1e-6)


def _arm(far: float) -> asm.Assembly:
    """Links of 80 and 100 mm from a foot to a tip that is so far from it."""
    a = asm.Assembly("arm")
    a.add("frame", grounded=True, features={"foot": asm.Axis((0, 0, 0), "z")})
    ends: dict[str, Any] = {"tail": asm.Axis((0, 0, 0), "z")}
    a.add("upper", features=ends | {"head": asm.Axis((80, 0, 0), "z")})
    a.add("fore", features=ends | {"tip": asm.Point((100, 0, 0))})
    a.mate("revolute", "frame.foot", "upper.tail", name="shoulder")
    a.mate("revolute", "upper.head", "fore.tail", name="elbow")
    a.mate("distance", "frame.origin", "fore.tip", name="reach", value=far)
    return a


def test_links_of_180_mm_do_not_reach_200_mm() -> None:
    (conflict,) = asm.solve(_arm(200.0)).conflicts
    assert conflict["proved"] is True
    assert conflict["because"].startswith("the links reach 180 mm at most, 200 mm are asked")
    assert conflict["fact"].startswith("shoulder, elbow and reach cannot hold together")


def test_the_same_links_cannot_fold_to_19_mm() -> None:
    assert impossible(_arm(19.0)) is not None
    assert impossible(_arm(21.0)) is None


@pytest.mark.parametrize("beyond, proved", [(84.29, True), (6e-4, False)])
def test_a_rack_that_its_pinion_does_not_bring_there_is_proved_unless_it_is_noise(
    beyond: float, proved: bool
) -> None:
    """A crank that is driven so far that the coupler of another mate cannot follow its rail."""
    a = asm.Assembly("thread")
    frame = {"bore": asm.Frame((0, 0, 0), "z"), "rail": asm.Frame((0, 50, 0), "z")}
    a.add("frame", grounded=True, features=frame)
    a.add("spindle", features={"axis": asm.Frame((0, 0, 0), "z")})
    a.add("nut", pose=asm.Pose((0, 50, 0)), features={"slide": asm.Frame((0, 0, 0), "z")})
    a.mate("revolute", "frame.bore", "spindle.axis", name="bearing")
    a.mate("prismatic", "frame.rail", "nut.slide", name="rail")
    a.mate("rack_and_pinion", joints=("bearing", "rail"), radius=10, constant=0, name="thread")
    a.drive("crank", "bearing", "angle", value=90)
    a.drive("jaw", "rail", "length", value=5 * np.pi + beyond)
    (conflict,) = asm.solve(a).conflicts
    words = "84.29 mm are left over whatever the poses are" if proved else None
    assert conflict["proved"] is proved and conflict["because"] == words
    assert ("disagree by noise" in conflict["fact"]) is not proved


def test_a_mate_of_two_held_parts_is_proved_by_where_these_are() -> None:
    a = asm.Assembly("held")
    a.add("one", grounded=True)
    a.add("two", grounded=True, pose=asm.Pose((30, 40, 0)))
    a.mate("distance", "one.origin", "two.origin", value=20, name="gap")
    found = impossible(a)
    assert found is not None and isinstance(found.proof, LinearProof)
    assert found.proof.off == pytest.approx(30.0, abs=1e-9)  # 50 mm apart, 20 asked


def _triangle(angle: float) -> asm.Assembly:
    """Parts with directions in common by twos, 60, 70 and 80 degrees apart, and an angle besides.

    The spherical triangle is rigid; places of the parts are not.
    """
    a, z = asm.Assembly("triangle"), asm.Axis((0, 0, 0), "z")
    for name, degrees in (("one", 60.0), ("two", 70.0), ("three", 80.0)):
        t = np.radians(degrees)
        side = asm.Axis((5.0, 0, 0), (float(np.sin(t)), 0.0, float(np.cos(t))))
        a.add(name, grounded=name == "one", features={"z": z, "side": side})
    for n, (p, q) in enumerate([("one", "two"), ("two", "three"), ("three", "one")]):
        kind = "coaxial" if q == "one" else "parallel"
        a.mate(kind, f"{p}.side", f"{q}.z", name=f"side {n}", sense="aligned")
    a.mate("angle", "one.x", "two.x", name="apart", value=angle)
    return a


def test_directions_that_do_not_close_are_proved_whatever_the_places_are() -> None:
    free = _triangle(90.0)
    free.remove("apart")
    poses = asm.solve(free).require().best_poses
    one, two = (poses[p].rotation[:, 0] for p in ("one", "two"))
    left = float(np.degrees(np.arccos(one @ two)))  # of the triangle; its mirror image has the same
    assert abs(left - 90.0) > 0.09
    found = impossible(_triangle(90.0), MOST_BOXES)
    assert found is not None and isinstance(found.proof, ClosureProof)
    assert found.proof.unknowns == 2  # turns about two of the common directions
    assert impossible(_triangle(left), 2000) is None


def _slider_crank(least: float, driven: float) -> asm.Assembly:
    """A crank of 30 mm at an angle, a rod of 100 mm, and a slide that goes up to 120 mm."""
    a = asm.Assembly("slider crank")
    a.add(
        "frame",
        grounded=True,
        features={"pin": asm.Frame((0, 0, 0), "z"), "bore": asm.Frame((0, 0, 0), "x")},
    )
    for name, length in (("crank", 30), ("rod", 100)):
        a.add(
            name,
            features={"foot": asm.Frame((0, 0, 0), "z"), "tip": asm.Frame((length, 0, 0), "z")},
        )
    a.add("piston", features={"pin": asm.Frame((0, 0, 0), "z"), "skirt": asm.Frame((0, 0, 0), "x")})
    a.mate("revolute", "frame.pin", "crank.foot", name="main bearing", sense="aligned")
    a.mate("revolute", "crank.tip", "rod.foot", name="big end", sense="aligned")
    a.mate("revolute", "rod.tip", "piston.pin", name="wrist pin", sense="aligned")
    a.mate("prismatic", "frame.bore", "piston.skirt", name="bore")
    a.drive("crank", "main bearing", "angle", value=driven)
    a.limit("bore", "length", name="stroke", min=least, max=120)
    return a


def test_a_slide_that_its_crank_does_not_bring_to_its_stop_is_proved_in_boxes() -> None:
    """At 90 degrees the piston is at the root of 100^2 - 30^2: 95.39 mm, or as far behind."""
    found = impossible(_slider_crank(95.5, 90), MOST_BOXES)
    assert found is not None and isinstance(found.proof, ClosureProof)
    assert found.proof.unknowns == 1  # the rod's angle tells where the piston is
    assert impossible(_slider_crank(95.5, 90)) is None  # it takes boxes
    assert impossible(_slider_crank(95.3, 90), MOST_BOXES) is None
    assert because(found).startswith(
        f"of {found.proof.boxes} boxes that cover all values of 1 joint"
    )


def _turned_slot(at: tuple[float, float], turned: float = 0.0) -> asm.Assembly:
    """The linkage of a sample with a pin elsewhere, seen in axes that are turned; what of it cannot
    hold: a slide, its hinge, and the pins of a link in two slots, of which one ends too soon."""
    tree = json.loads((SAMPLES / "motiongen" / "prpp.assembly.json").read_text())
    c, s = np.cos(np.radians(turned)), np.sin(np.radians(turned))
    pins = tree["linkage"]["pins"] | {"j10": at}
    tree["linkage"]["pins"] = {k: [c * x - s * y, s * x + c * y] for k, (x, y) in pins.items()}
    a = assembly_json.read_text(json.dumps(tree), "prpp", SAMPLES)
    for name in [n for n in a.limits if n != "slot 3 j8 length"]:
        a.remove_limit(name)
    a.remove("slot 1 j3", alone=True)
    for name in a.mates:  # one choice of the 64, of which each takes some thousand boxes
        a.change(name, sense="aligned")
    return a


@pytest.mark.parametrize("turned", [0.0, 37.0])
def test_slots_that_end_too_soon_are_proved_by_the_directions_between_their_pins(
    turned: float,
) -> None:
    """Two pins in a slot tell a direction: along an endless slide their rows alone do not."""
    found = impossible(_turned_slot((100.0, 5.0), turned), MOST_BOXES)
    assert found is not None and isinstance(found.proof, ClosureProof)
    assert found.proof.unknowns == 5  # three turns, two slides
    whole = json.loads((SAMPLES / "motiongen" / "prpp.assembly.json").read_text())
    at = whole["linkage"]["pins"]["j10"]
    assert impossible(_turned_slot((at[0], at[1]), turned), MOST_BOXES) is None


@pytest.mark.parametrize(("pin", "to"), [("j5", -1.0), ("j10", 100.0)])
def test_slots_that_end_too_soon_are_proved_whatever_senses_their_pins_take(
    pin: str, to: float
) -> None:
    """Eight choices of senses take boxes; each a tenth of what it took without directions first."""
    sample = SAMPLES / "motiongen" / ("rppp" if pin == "j5" else "prpp")
    tree = json.loads(sample.with_suffix(".assembly.json").read_text())
    tree["linkage"]["pins"][pin][0] = to
    a = assembly_json.read_text(json.dumps(tree), sample.name, SAMPLES)
    (conflict,) = asm.diagnose(a).conflicts
    assert conflict["proved"] and conflict["because"].endswith("whatever sense mates take")
    assert int(conflict["because"].split()[1]) < 1000


@pytest.mark.parametrize("tilt", [1e-4, -1e-4])
def test_slots_that_are_not_parallel_are_not_taken_for_one_direction(tilt: float) -> None:
    """A bar across two slots holds where these have come together: 100 mm along by 0.01 mm."""
    a = asm.Assembly("tilted slots")
    a.tolerance = 1e-6
    across, slot = asm.Axis((0, 0, 0), "y"), (np.cos(tilt), np.sin(tilt), 0.0)
    slots = {"one": asm.Axis((0, 0, 0), "x"), "two": asm.Axis((0, 10, 0), slot), "across": across}
    a.add("plate", features=slots, grounded=True)
    far = 10.0 + 100.0 * np.tan(tilt)
    pins = {"one": asm.Point((0, 0, 0)), "two": asm.Point((0, far, 0)), "across": across}
    a.add("bar", features=pins, pose=asm.Pose((100, 0, 0)))
    for pin in ("one", "two"):
        a.mate("point_on_line", f"bar.{pin}", f"plate.{pin}")
    a.mate("parallel", "plate.across", "bar.across", sense="aligned")
    assert asm.solve(a).residual < 1e-9
    assert impossible(a, MOST_BOXES) is None


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_boxes_enclose_what_closes_and_its_slopes(seed: int) -> None:
    system = compile_system(drawn(seed))
    facts = facts_of(system)
    places = Places(facts, facts.parts, 1e-3, system.length)
    assert places.settle() is None
    tree = ClosingJoints(places, limits_of(system), 1e-3, 1e-6)
    draw, n = np.random.default_rng(seed), len(tree.low)
    middle, radius = draw.normal(size=(20, n)), 10 ** draw.uniform(-6, 0, (20, 1)) * np.ones(n)
    inside = middle + draw.uniform(-1, 1, (20, n)) * radius
    value, slope = tree.measured(Wide(middle, radius))
    here, there = (tree.measured(Wide(x, 0 * x))[0] for x in (middle, inside))
    assert (value.low <= there.low).all() and (there.high <= value.high).all()
    change = Wide((inside - middle)[..., None], np.zeros((20, n, 1)))
    along = here.plus(slope.times(change).at(slice(None), 0))
    assert (along.low <= there.low).all() and (there.high <= along.high).all()
    assert (there.rad <= 1e-9 * np.maximum(tree.scales, np.abs(there.mid))).all()  # and tightly


def _platform(seed: int) -> asm.Assembly:
    """Six distances of random points of two parts."""
    draw = np.random.default_rng(0)
    for _ in range(seed + 1):
        ends, lengths = draw.uniform(-60, 60, (2, 6, 3)), draw.uniform(60, 160, 6)
    a = asm.Assembly("platform")
    for name, points in zip(("base", "top"), ends.tolist(), strict=True):
        features = {f"p{k}": asm.Point(tuple(p)) for k, p in enumerate(points)}
        a.add(name, grounded=name == "base", features=features)
    for k, length in enumerate(lengths.tolist()):
        a.mate("distance", f"base.p{k}", f"top.p{k}", value=length, name=f"leg {k}")
    return a


def test_six_legs_of_which_no_solution_is_real_are_proved_by_the_count() -> None:
    found = impossible(_platform(1))
    assert found is not None and isinstance(found.proof, NoRealProof)
    assert found.proof.complex == 40 and found.proof.constraints == (0, 1, 2, 3, 4, 5)
    assert impossible(_platform(0)) is None  # of this one 2 of 40 are real
    assert because(found) == "of all 40 solutions in complex numbers none is real"
