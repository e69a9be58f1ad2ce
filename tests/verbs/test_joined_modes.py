"""Which assembly modes a motion joins: arms and platforms that are known to be cuspidal or not, and
linkages with one driver, of which circuits prove that none are.

Lengths in mm.
"""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from builders import cylinder_boom, four_bar

import assembly_solver as asm
from assembly_solver.cli import main
from assembly_solver.errors import BadValue
from assembly_solver.foundations.watch import Watch
from assembly_solver.verbs.joined_modes import joined_within

SLIDES = {"x": ("x", "y"), "y": ("y", "z"), "z": ("z", "x")}
"""The directions of three slides, each with that of the next."""


def arm(
    axes: str,
    ends: tuple[tuple[float, float, float], ...],
    goal: tuple[float, float, float],
    unit: float = 1.0,
    order: int = 1,
) -> asm.Assembly:
    """Three hinges in a row, drawn at angles 0; three driven slides carry the tip to its place.

    Args:
        axes: of the hinges; ends: where the second, the third and the tip are; goal: of the tip.
        unit: all lengths are multiplied by it; order: -1 enters mates and drivers from the last on.
    """
    second, third, tip = (tuple(unit * v for v in p) for p in ends)
    a, own = asm.Assembly("arm"), {n: asm.Frame((0, 0, 0), *ways) for n, ways in SLIDES.items()}
    hinges = [asm.Axis(at, way) for at, way in zip(((0, 0, 0), second, third), axes, strict=True)]
    a.add("base", grounded=True, features={"o": hinges[0], "next": own["x"]})
    a.add("one", features={"i": hinges[0], "o": hinges[1]})
    a.add("two", features={"i": hinges[1], "o": hinges[2]})
    a.add("three", features={"i": hinges[2], "tip": asm.Point(tip)})
    for name, after in (("x", own["y"]), ("y", own["z"]), ("z", asm.Point((0, 0, 0)))):
        a.add(f"slide {name}", features={"i": own[name], "next": after})
    links = [*pairwise(("base", "one", "two", "three"))][::order]
    for before, behind in links:
        a.mate("revolute", f"{before}.o", f"{behind}.i", name=behind)
    slides = zip("xyz", pairwise(("base", "slide x", "slide y", "slide z")), goal, strict=True)
    for name, (before, behind), at in [*slides][::order]:
        a.mate("prismatic", f"{before}.next", f"{behind}.i", name=name)
        a.drive(f"to {name}", name, value=unit * at, range=(-400 * unit, 400 * unit))
    a.mate("spherical", "three.tip", "slide z.next")
    return a


ENDS = (100.0, 0, 0), (300.0, 100.0, 0), (450.0, 100.0, 0)
GOAL = 250.0, 0.0, 50.0
"""d2 = 1, d3 = 2, d4 = 1.5, r2 = 1 with axes at right angles: the cuspidal arm in the code
(rpiRobotics) to *Path planning and optimization for cuspidal 6R manipulators*."""


def determinants(motion: asm.Motion) -> np.ndarray:
    """Of the velocity of the tip of that arm by the three angles, over a motion, mm3."""
    q = np.radians([motion.joint(n).value for n in ("one", "two", "three")]).T

    def tip(q: np.ndarray) -> np.ndarray:
        (a, b, c), reach = np.moveaxis(q, -1, 0), 200.0 + 150.0 * np.cos(q[..., 2])
        out, aside = 100.0 + np.cos(b) * reach, 100.0 + 150.0 * np.sin(c)
        x, y = np.cos(a) * out - np.sin(a) * aside, np.sin(a) * out + np.cos(a) * aside
        return np.stack([x, y, -np.sin(b) * reach], axis=-1)

    steps = 1e-4 * np.eye(3)
    out: np.ndarray = np.linalg.det((tip(q[:, None] + steps) - tip(q[:, None])) / 1e-4)
    return out


def away(mode: asm.Mode, motion: asm.Motion) -> float:
    """How far the last state of a motion is from a mode, mm: origins, and axes 1 mm long."""
    frames = np.array([mode.poses[p].frame for p in motion.parts])
    return float(np.abs(motion.frames[-1] - frames).max())


def test_a_motion_leads_a_cuspidal_arm_from_one_mode_to_another() -> None:
    """Sweeping the answer does; the determinant of the arm in closed form is nowhere 0 on it."""
    a = arm("zyz", ENDS, GOAL)
    modes = {m.name: m for m in asm.modes(a)}
    found = asm.joined_modes(a, paths=30, seed=0)
    assert [len(c) for c in found.classes] == [2, 1, 1]
    (path,) = found.paths
    assert {path.start, path.end} == {*found.classes[0]} and not path.certified
    a.move(modes[path.start].poses)
    motion = asm.sweep(a, path.values)
    assert motion and not motion.events
    assert away(modes[path.end], motion) <= 1e-4 < away(modes[path.start], motion)
    every = determinants(motion)
    assert len({*np.sign(every)}) == 1 and np.abs(every).min() > 1e4
    assert found.sentence.startswith(f"cuspidal: {path.start} and {path.end} are joined without")
    assert found.sentence.endswith("; none of 30 paths that were followed joined others")


def test_a_seed_or_a_number_of_paths_that_is_none_is_refused_before_modes_are_listed() -> None:
    a = arm("zyz", ENDS, GOAL)
    with pytest.raises(BadValue, match=r"joined_modes\.seed: -1 .* whole number of at least 0"):
        asm.joined_modes(a, seed=-1)
    with pytest.raises(BadValue, match=r"joined_modes\.paths: 0 .* whole number of at least 1"):
        asm.joined_modes(a, paths=0)


def test_a_search_that_is_cut_off_tells_what_it_found_and_what_it_left_out() -> None:
    """While the modes are listed, before any path and after five."""
    a, told = arm("zyz", ENDS, GOAL), list[int]()
    found = asm.joined_modes(a, cancel=lambda: True)
    assert not found and found.classes == () and not found.complete
    assert found.sentence == ("cancelled in search of the assembly modes: no modes were compared")
    for most in (0, 5):
        told.clear()
        found = asm.joined_modes(
            a,
            paths=30,
            cancel=lambda: len(told) > most,  # noqa: B023
            progress=lambda done, total, words: words == "following paths" and told.append(done),
        )
        assert len(found.classes) == 4 and found.followed == most
        assert found.sentence.endswith(
            f"cancelled in search of paths between modes: {30 - most} of 30 paths were not followed"
        )
        assert ("none of 5 paths" in found.sentence) == (most == 5)


def test_a_path_whose_sweep_is_cut_off_is_told_as_not_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[bool] = []

    def swept(*args: object, **options: object) -> asm.Motion:
        begun.append(True)
        return asm.sweep(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("assembly_solver.verbs.mode_trees.sweep", swept)
    found = asm.joined_modes(arm("zyz", ENDS, GOAL), paths=30, cancel=lambda: bool(begun))
    assert begun == [True] and not found and len(found.classes) == 4
    assert found.unconfirmed == 1
    assert found.sentence.startswith("paths led to 1 more mode, no sweep from mode to mode did; ")


def test_a_path_is_certified_where_each_of_its_steps_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here only the first two are proved: all take two minutes, and were once."""
    asked: list[bool] = []

    def swept(
        a: asm.Assembly, values: dict[str, np.ndarray], certify: bool, cancel: object
    ) -> asm.Motion:
        asked.append(certify)
        few = {name: v[:3] for name, v in values.items()} if certify else values
        return asm.sweep(a, few, certify=certify, cancel=cancel)  # type: ignore[arg-type]

    monkeypatch.setattr("assembly_solver.verbs.mode_trees.sweep", swept)
    found = asm.joined_modes(arm("zyz", ENDS, GOAL), paths=30, certify=True)
    assert asked == [False, True] and found.stopped == ""
    (path,) = found.paths
    assert path.certified and path.proof.startswith("2 steps proved to stay on their branch")
    assert f"{path.start} to {path.end} by a path of certified steps" in found.sentence
    lost = asm.JoiningPath("+", "-", {}, 0.25, False, "1 of 2 steps proved")
    assert lost.words == (
        "+ to - by a path followed numerically, regularity 0.25 (1 of 2 steps proved)"
    )


def test_all_four_modes_of_the_arm_are_joined_in_pairs_in_any_order_and_unit() -> None:
    """Each sign of its determinant has two modes; 600 paths find both pairs."""
    signs = []
    for unit, order in ((1.0, 1), (0.1, -1)):
        found = asm.joined_modes(arm("zyz", ENDS, GOAL, unit, order))
        signs.append(sorted(len(c) for c in found.classes))
    assert signs == [[2, 2], [2, 2]]


def test_no_path_joins_modes_of_an_arm_like_the_puma() -> None:
    """A vertical hinge and two parallel ones: never cuspidal (M. Baili, P. Wenger and D. Chablat,
    arXiv:0707.2842, introduction)."""
    ends = (0.0, 40.0, 0.0), (250.0, 40.0, 0.0), (450.0, 40.0, 0.0)
    found = asm.joined_modes(arm("zyy", ends, (250.0, 100.0, 80.0)), paths=40)
    assert not found and [len(c) for c in found.classes] == [1, 1, 1, 1]
    assert found.sentence == "none of 40 paths that were followed joined two of the 4 modes"


@pytest.mark.parametrize(
    ("bars", "circuits", "branches"), [((300, 100, 250, 280), 2, 1), ((200, 150, 140, 250), 1, 2)]
)
def test_no_modes_of_a_four_bar_are_joined_by_proof(
    bars: tuple[float, ...], circuits: int, branches: int
) -> None:
    """A crank that turns has two circuits; else both modes are on one, with dead points between."""
    a = four_bar(*bars).build(60.0)
    found = asm.joined_modes(a)
    assert not found and found.followed == 0 and len(found.classes) == 2
    assert found.sentence == (
        "no modes are joined, by proof: each branch of its circuits passes input 60 deg once"
    )
    known = asm.linkage(a).circuits()
    assert known.complete and len(known) == circuits
    assert [len(c.branches) for c in known] == [branches] * circuits


def test_one_driver_that_makes_no_whole_turn_comes_back_as_it_went() -> None:
    a = cylinder_boom().build(380.0)
    found = asm.joined_modes(a)
    assert len(found.classes) == 4 and found.followed == 0
    assert found.sentence == (
        "no modes are joined, by proof: input alone comes back on the branch on which it went"
    )


def platform() -> asm.Assembly:
    """A plate in a plane on three driven legs (3-RPR): base and plate are unlike triangles, ours.

    That such platforms change their mode without a singular pose was shown by C. Innocenti and
    V. Parenti-Castelli, as M. Zein, P. Wenger and D. Chablat say in arXiv:0711.0574; their
    dimensions were not found.
    """
    base, plate = ((0, 0), (400, 0), (196, 170)), ((0, 0), (230, 0), (292, 318))
    a = asm.Assembly("3-RPR")
    pins = {
        name: {f"p{k}": asm.Axis((*map(float, p), 0.0), "z") for k, p in enumerate(own)}
        for name, own in (("base", base), ("plate", plate))
    }
    a.add("base", grounded=True, features=pins["base"])
    a.add("plate", features=pins["plate"], pose=asm.Pose((40, 130, 0)))
    ends = {"pin": asm.Axis((0, 0, 0), "z"), "slide": asm.Frame((0, 0, 0), "x", "z")}
    for k, length in enumerate((403.0, 268.0, 298.0)):
        tip = np.array(plate[k]) + np.array((40, 130))
        way = tip - base[k]
        turn = float(np.degrees(np.arctan2(way[1], way[0])))
        for name, (x, y) in ((f"barrel {k}", base[k]), (f"rod {k}", tip)):
            pose = asm.Pose.from_axis((float(x), float(y), 0.0), (0, 0, 1), turn)
            a.add(name, features=ends, pose=pose)
        a.mate("revolute", f"base.p{k}", f"barrel {k}.pin", name=f"foot {k}")
        a.mate("prismatic", f"barrel {k}.slide", f"rod {k}.slide", name=f"leg {k}")
        a.mate("revolute", f"rod {k}.pin", f"plate.p{k}", name=f"head {k}")
        a.drive(f"length {k}", f"leg {k}", value=length, range=(100.0, 600.0))
    return a


def test_legs_lead_a_plate_from_one_mode_to_another() -> None:
    """Along the path that a search over 300 paths by `joined_modes` found, in whole mm."""
    told = {
        "length 0": (403.0, 532.0, 579.0, 500.0, 387.0, 308.0, 295.0, 403.0),
        "length 1": (268.0, 130.0, 174.0, 261.0, 309.0, 515.0, 546.0, 268.0),
        "length 2": (298.0, 290.0, 586.0, 498.0, 266.0, 105.0, 126.0, 298.0),
    }
    a = platform()
    modes = {m.name: m for m in asm.modes(a)}
    path = asm.JoiningPath("+++", "++-", told, 0.0, False)
    a.move(modes["+++"].poses)
    motion = asm.sweep(a, path.values)
    assert motion and not motion.events
    assert away(modes["++-"], motion) <= 1e-4 and away(modes["+++"], motion) > 100.0


def test_analyse_tells_which_modes_are_joined(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "samples/four_bar.assembly.json", "--joined", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["modes"]["joined"]
    assert told["classes"] == [["+"], ["-"]] and told["paths"] == [] and "once" in told["apart"]


def test_a_budget_holds_for_the_analysis_and_the_search_together(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One clock counts; the analysis stands though the time for the search is over."""
    asked: list[dict[str, object]] = []

    def late(watch: Watch, assembly: asm.Assembly, **given: object) -> asm.JoinedModes:
        asked.append(given)
        watch.begun -= 1000.0
        return joined_within(watch, assembly, **given)  # type: ignore[arg-type]

    monkeypatch.setattr("assembly_solver.verbs.joined_modes.joined_within", late)
    given = ["analyse", "samples/four_bar.assembly.json", "--joined", "--json", "--budget", "1000"]
    assert main([*given, "--seed", "3", "--certify"]) == 0
    told = json.loads(capsys.readouterr().out)["modes"]
    assert asked == [{"seed": 3, "certify": True}]
    assert told["names"] == ["+", "-"] and told["joined"]["classes"] == []
    assert told["joined"]["words"] == (
        "stopped after the budget of 1000 s in search of the assembly modes: no modes were compared"
    )


@pytest.mark.parametrize("option", [["--certify"], ["--seed", "3"]])
def test_analyse_refuses_what_is_of_joined_modes_alone(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A proof that is asked for and not tried would be taken for one."""
    assert main(["analyse", "samples/four_bar.assembly.json", *option]) == 2
    told = f"{option[0]}: a search for paths between modes needs '--joined'"
    assert told in capsys.readouterr().err


def test_analyse_says_that_there_are_no_two_modes_to_join(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It was asked for, and without a second mode there is no table of modes."""
    assert main(["analyse", "samples/hinge.assembly.json", "--joined"]) == 0
    assert "there are no two modes to join" in capsys.readouterr().out
