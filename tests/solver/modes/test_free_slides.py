"""A list of modes is not called complete where a slide lies on the pins of both its links."""

from __future__ import annotations

import numpy as np
import pytest

import assembly_solver as asm


def slide_between_pins(
    aside: tuple[bool, bool], folded: bool = False, noise: float = 0.0, flipped: bool = False
) -> asm.Assembly:
    """Two links on pins of the frame meet at C, from where a slide goes to a third pin A, on which
    C lies in the other mode of the two, or as drawn (`folded`).

    `aside`: which of the two links has its slide beside its pin; `noise` of each end, mm and rad;
    `flipped`: upside down.
    """
    draw = np.random.default_rng(1)
    a, o, x = np.array([30.0, 40]), np.array([0.0, 0]), np.array([80.0, 0])
    c = a if folded else a * [1, -1]
    along = np.array([0.6, 0.8]) if folded else np.array([0.0, 1.0])
    across = np.array([[0, -1], [1, 0]]) @ along
    hinges = [("base", "one", o), ("base", "two", x), ("one", "two", c)]
    hinges += [("base", "rail", a), ("one", "slider", c)]
    features: dict[str, dict[str, asm.Frame]] = {}

    def feature(part: str, name: str, at: np.ndarray, way: tuple[float, ...]) -> None:
        place, z = np.array([*at, 0.0]), np.array(way)
        turn = np.diag([1.0, -1.0, -1.0]) if flipped else np.eye(3)
        place += 100 * noise * draw.uniform(-1, 1, 3)
        z = z + noise * draw.uniform(-1, 1, 3)
        side = np.array([0.0, 0, 1]) if z[2] < 0.5 else np.array([1.0, 0, 0])
        features.setdefault(part, {})[name] = asm.Frame(turn @ place, turn @ z, turn @ side)

    for k, (first, second, at) in enumerate(hinges):
        for part in (first, second):
            feature(part, f"j{k}", at, (0.0, 0.0, 1.0))
    offsets = [across * 5.0 if k else across * 0.0 for k in aside]
    feature("rail", "slide", a + offsets[0], (*along, 0.0))
    feature("slider", "slide", c + offsets[1], (*along, 0.0))
    out = asm.Assembly()
    for part, own in features.items():
        out.add(part, features=own, grounded=part == "base")
    for k, (first, second, _) in enumerate(hinges):
        out.mate("revolute", f"{first}.j{k}", f"{second}.j{k}")
    out.mate("prismatic", "rail.slide", "slider.slide")
    return out


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("noise", [0.0, 1e-8, 1e-7])
@pytest.mark.parametrize("aside", [(False, False), (True, True)])
def test_a_slide_turns_where_it_lies_on_both_pins_and_the_list_is_not_complete(
    aside: tuple[bool, bool], noise: float, flipped: bool
):
    modes = asm.modes(slide_between_pins(aside, noise=noise, flipped=flipped))
    assert {m.why for m in modes} == {
        "links of one length may lie on each other and turn there: such ways are not listed"
    }


@pytest.mark.parametrize("aside", [(False, False), (True, True)])
def test_where_it_lies_on_both_pins_it_turns(aside: tuple[bool, bool]):
    assert asm.mobility(slide_between_pins(aside, folded=True)).finite == 1


def test_a_slide_that_is_beside_one_of_its_pins_only_does_not_close_there():
    modes = asm.modes(slide_between_pins((False, True)))
    assert all(m.complete for m in modes)
