"""A drawing that moves shows in every frame what the linkage does."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.report.page.linkage_drawing import svg
from assembly_solver.report.page.moving_drawing import Movement
from assembly_solver.report.page.sheet import laid_out
from assembly_solver.report.terminal.linkage import picture

SAMPLES = Path(__file__).parents[3] / "samples"
SPACE = "{http://www.w3.org/2000/svg}"


def shown(name, ends, count=37):
    linkage = asm.linkage(asm.read(SAMPLES / f"{name}.assembly.json"))
    (driver,) = linkage.inputs
    return picture(linkage, linkage.run({driver: np.linspace(*ends, count)}))


def frames(element):
    """The transforms of an element that Movement made: shape (frames, 3, 3)."""
    root = ElementTree.fromstring(element)
    found = np.eye(3)[None]
    while root.tag == "g":
        step = root.find("animateTransform")
        kind, values = (
            (step.get("type"), step.get("values").split(";"))
            if step is not None
            else (root.get("transform").split("(")[0], [root.get("transform")[:-1].split("(")[1]])
        )
        made = []
        for value in values:
            matrix, numbers = np.eye(3), [float(v) for v in value.split()]
            if kind == "translate":
                matrix[:2, 2] = numbers
            else:
                c, s = np.cos(np.radians(numbers[0])), np.sin(np.radians(numbers[0]))
                matrix[:2, :2] = [[c, -s], [s, c]]
            made.append(matrix)
        found = found @ np.array(made)
        root = next(child for child in root if child.tag != "animateTransform")
    return found


@pytest.mark.parametrize(
    "name, ends, count", [("theo_jansen", (0, 360), 37), ("toggle_clamp", (0, 58), 73)]
)
def test_every_point_of_every_link_is_where_the_linkage_has_it(name, ends, count):
    """A round ends where it began; what does not goes back: 37 states there and 36 back."""
    drawn = shown(name, ends)
    sheet = laid_out(drawn)
    movement = Movement(sheet, 37, 5.0)
    motion = drawn.motion if count == 37 else np.dstack([drawn.motion, drawn.motion[:, :, -2::-1]])
    at = sheet.px(np.moveaxis(motion, 2, 0))
    for number, link in enumerate(drawn.scheme.links[1:], 1):
        found = frames(movement.of_link(number, "<a/>"))
        for k in link.points:
            placed = (found @ [*sheet.at[k], 1.0])[:, :2]
            # rounded: a tenth of a pixel twice, and a tenth of a degree at the length of the link
            np.testing.assert_allclose(placed, np.broadcast_to(at[:, k], placed.shape), atol=0.8)
        assert len(found) in (1, count)


def test_what_moves_names_points_only_in_a_drawing_and_leaves_no_shadows():
    for name, ends, names in (("theo_jansen", (0, 360), 8), ("toggle_clamp", (0, 58), 0)):
        root = ElementTree.fromstring(svg(shown(name, ends), seconds=5, frames=12))
        classes = [element.get("class", "") for element in root.iter()]
        assert (classes.count("ghost"), classes.count("pin")) == (0, names)
        assert {e.get("dur") for e in root.iter(f"{SPACE}animateTransform")} == {"5s"}
