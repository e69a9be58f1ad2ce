"""A platform on six legs of cross, driven slide and ball stands where six distances hold it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assembly_solver as asm

FEET = np.radians([12, 108, 132, 228, 252, 348])
HEADS = np.radians([48, 72, 168, 192, 288, 312])
PLATE = asm.Pose.from_axis([30.0, 5.0, 420.0], [0.3, 0.5, 0.6], 12.0)
Array = Any


def ring(angles: Array, radius: float, rng: np.random.Generator) -> Array:
    flat = radius * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    return flat + rng.uniform(-20, 20, (6, 3))


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def frame(at: Array, z: Array, x: Array) -> asm.Frame:
    return asm.Frame(tuple(at), tuple(z), tuple(x))


def platform(form: str) -> asm.Assembly:
    """Legs whose crosses are bodies, with hinges aside of their centres, or mates; or distances."""
    rng = np.random.default_rng(0)
    feet, own = ring(FEET, 300.0, rng), ring(HEADS, 200.0, rng)
    heads, a = PLATE.apply(own), asm.Assembly(form)
    plate = {f"ball {k}": asm.Point(tuple(p)) for k, p in enumerate(own)}
    base: dict[str, Any] = {f"point {k}": asm.Point(tuple(p)) for k, p in enumerate(feet)}
    ways = [unit(np.cross([0, 0, 1], p) / 300 + 0.2 * rng.normal(size=3)) for p in feet]
    across = [unit(np.cross(w, h - f)) for w, h, f in zip(ways, heads, feet, strict=True)]
    base |= {
        f"cross {k}": frame(f + (30 * w if form == "bodies" else 0 * w), w, x)
        for k, (f, w, x) in enumerate(zip(feet, ways, across, strict=True))
    }
    a.add("base", grounded=True, features=base)
    a.add("plate", pose=PLATE, features=plate)
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        length = float(np.linalg.norm(head - foot))
        if form == "distances":
            a.mate("distance", f"base.point {k}", f"plate.ball {k}", value=length)
            continue
        pin = frame(foot, across[k], head - foot)
        bore, rod = (frame(p, unit(head - foot), across[k]) for p in (foot, head))
        a.add(f"cylinder {k}", features={"pin": pin, "bore": bore})
        a.add(f"rod {k}", features={"rod": rod, "ball": asm.Point(tuple(head))})
        if form == "bodies":
            hinge = frame(foot + 30 * ways[k], ways[k], across[k])
            a.add(f"cross {k}", features={"one": hinge, "two": pin})
            a.mate("revolute", f"base.cross {k}", f"cross {k}.one", sense="aligned")
            a.mate("revolute", f"cross {k}.two", f"cylinder {k}.pin", sense="aligned")
        else:
            a.mate("universal", f"base.cross {k}", f"cylinder {k}.pin")
        a.mate("prismatic", f"cylinder {k}.bore", f"rod {k}.rod", name=f"slide {k}")
        a.mate("spherical", f"rod {k}.ball", f"plate.ball {k}")
        a.drive(f"leg {k}", f"slide {k}", "length", value=length)
    return a


def places(form: str) -> tuple[Array, list[asm.Mode]]:
    modes = asm.modes(platform(form))
    every = [mode.poses["plate"].position for mode in modes]
    return np.array(sorted(every)), modes


@pytest.mark.parametrize("form", ["bodies", "mates"])
def test_crosses_and_slides_hold_a_platform_as_distances_do(form: str) -> None:
    by_distances, all_of_them = places("distances")
    assert (len(by_distances), all_of_them[0].solutions) == (8, 40)
    by_legs, modes = places(form)
    np.testing.assert_allclose(by_legs, by_distances, atol=1e-6)
    assert not modes[0].complete
    assert modes[0].why == (
        "all poses of the platform are here, the real ones of 40 solutions, but legs on crosses "
        "(6) hold it in two ways each, turned about themselves; one is listed"
    )


def test_a_leg_half_a_turn_about_itself_holds_the_platform_as_well() -> None:
    """It is the way that is told and not listed."""
    a = platform("mates")
    bore = a.part("cylinder 0").features["bore"]
    assert isinstance(bore, asm.Frame)
    foot, along = np.array(bore.origin), np.array(bore.z)
    there = foot - asm.Pose.from_axis([0, 0, 0], along, 180.0).apply([foot])[0]
    turned = asm.Pose.from_axis(there, along, 180.0)
    a.move({"cylinder 0": turned, "rod 0": turned})
    held = asm.solve(a)
    assert held
    assert held.poses["cylinder 0"].quaternion_wxyz[0] == pytest.approx(0.0, abs=1e-9)


def test_crosses_that_are_not_of_right_angles_do_not_reach_all_poses() -> None:
    """Closures were said to meet, at a dead point or along a motion: there are none to meet."""
    a = platform("bodies")
    for k in range(6):
        pin = a.part(f"cylinder {k}").features["pin"]
        assert isinstance(pin, asm.Frame)
        leg = np.array(pin.x)
        aslant = asm.Pose.from_axis([0, 0, 0], leg, 60.0).apply([pin.z])[0]
        for part, key in ((f"cylinder {k}", "pin"), (f"cross {k}", "two")):
            a.set_feature(part, key, frame(np.array(pin.origin), aslant, leg))
    modes = asm.modes(a)
    assert len(modes) == 4 and not modes[0].complete
    assert modes[0].why.startswith("legs on crosses (6) do not reach all poses of the platform, or")
