"""Loops whose modes are not all found say the reason: links that fold, special dimensions."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.solver.modes.enumeration import Modes

Z = np.array([0.0, 0.0, 1.0])


def hinged(
    pins: list[tuple[str, str, np.ndarray, np.ndarray]], driven: set[int], noise: float = 0.0
) -> asm.Assembly:
    """Parts on hinges at places along directions; `noise` of each end, mm and rad."""
    draw = np.random.default_rng(1)
    features = {n: dict[str, asm.Frame]() for a, b, *_ in pins for n in (a, b)}
    for k, (one, two, at, way) in enumerate(pins):
        x = np.cross(way, [0.3, 0.5, 0.8])
        for name in (one, two):
            place = at + 100 * noise * draw.uniform(-1, 1, 3)
            turned = way + noise * draw.uniform(-1, 1, 3)
            features[name][f"j{k}"] = asm.Frame(place, turned, x)
    a = asm.Assembly()
    for name, own in features.items():
        a.add(name, features=own, grounded=name == "base")
    for k, (one, two, *_) in enumerate(pins):
        a.mate("revolute", f"{one}.j{k}", f"{two}.j{k}", name=f"j{k}")
    for k in driven:
        a.drive(f"m{k}", f"j{k}", value=0.0)
    return a


def peaucellier(noise: float, folded: bool = False) -> asm.Assembly:
    """The cell of Peaucellier and Lipkin: arms of 100 mm, a rhombus, a crank through the pole.

    `folded`: both arms on one side, the far end of the rhombus anywhere round their common end.
    """
    up = np.sqrt(100.0**2 - 75.0**2)
    at = {"O": (0, 0), "Q": (30, 0), "P": (60, 0), "B": (75, up), "D": (75, -up), "F": (90, 0)}
    if folded:
        side = np.hypot(15, up)
        at |= {"D": at["B"], "F": (75 + side * np.cos(0.4), up + side * np.sin(0.4))}
    pairs = ["base OB O", "base OD O", "OB BP B", "OB BF B", "OD DP D", "OD DF D", "BP DP P"]
    pairs += ["BF DF F", "base QP Q", "QP BP P"]
    split = [p.split() for p in pairs]
    return hinged([(a, b, np.array([*at[c], 0.0]), Z) for a, b, c in split], {8}, noise)


@pytest.mark.parametrize("noise", [0.0, 1e-8, 1e-7])
def test_arms_that_may_lie_on_each_other_turn_there_and_the_list_is_not_complete(noise: float):
    modes = asm.modes(peaucellier(noise))
    assert len(modes) == 4
    assert {m.why for m in modes} == {
        "links of one length may lie on each other and turn there: such ways are not listed"
    }


def test_a_reason_that_was_known_before_the_search_stays():
    found = asm.solve(peaucellier(0.0)).require().modes
    known = "base and lid were taken for one body"
    modes = Modes(found.plan, found.base, but=known)
    assert (len(modes.all), modes.why) == (4, known)
    assert modes.searched(9).why == known


def test_where_they_lie_on_each_other_the_far_end_of_the_rhombus_turns():
    found = asm.mobility(peaucellier(0.0, folded=True))
    assert found.finite == 2  # the crank, and the far end
    assert not any(m.complete for m in asm.modes(peaucellier(0.0, folded=True)))


def delta() -> asm.Assembly:
    """Three driven arms that hold a plate on parallelograms of four hinges."""
    pins, driven = list[tuple[str, str, np.ndarray, np.ndarray]](), set[int]()
    for k in range(3):
        u = np.array([np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0.0])
        across = np.cross(Z, u)
        elbow, foot = (130 + 5 * k) * u + (30 + 10 * k) * Z, 40 * u + 150 * Z
        normal = np.cross(across, foot - elbow)
        driven.add(len(pins))
        pins.append(("base", f"arm{k}", 100 * u, across))
        pins += [(f"arm{k}", f"top{k}", elbow, across), (f"foot{k}", "plate", foot, across)]
        for side in (-25, 25):
            rod = f"rod{k} {side}"
            pins.append((f"top{k}", rod, elbow + side * across, normal))
            pins.append((rod, f"foot{k}", foot + side * across, normal))
    return hinged(pins, driven)


def test_a_delta_robot_of_pinned_parallelograms_closes_for_its_special_dimensions_only():
    modes = asm.modes(delta())
    assert {m.why for m in modes} == {
        "their mates are redundant, as where loops close for special dimensions only: these are "
        "sampled, not counted"
    }
