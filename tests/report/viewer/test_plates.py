"""Links of drawings in space: closed plates, holes where slots are, nothing in one place."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from test_part_shapes import volume

import assembly_solver as asm
from assembly_solver.report.viewer import part_shapes, plates

pytestmark = pytest.mark.quick


@pytest.fixture
def whitworth() -> asm.Assembly:
    """A crank whose pin slides in the slot of a link; a rod from its end to a slider."""
    m = asm.Assembly("quick return")
    m.pins(A=(0, 0), B=(0, 20), D=(0, -30), E=(0, 50), F=(60, 60), G=(-80, 60), H=(80, 60))
    m.link("frame", "A D G H", grounded=True)
    m.link("crank", "A B")
    m.link("arm", "D E")
    m.link("rod", "E F")
    m.link("ram", ["F"])
    m.slot("slot", "D E", "B")
    m.slot("guide", "G H", "F")
    return m


def test_links_that_meet_or_slide_on_each_other_have_different_heights(whitworth):
    drawing = whitworth.drawing
    heights = plates.layers(drawing)
    assert heights["frame"] == 0 and min(heights[n] for n in ("crank", "arm", "rod")) > 0
    for pin in drawing.pins:
        on = [heights[name] for name in drawing.links_at(pin)]
        assert len(set(on)) == len(on), pin
    assert heights["crank"] != heights["arm"]  # B slides in the arm
    assert heights["rod"] > 1  # F slides in a rail, which stands on the board


def test_a_plate_with_a_hole_has_the_volume_of_its_ring():
    square = np.array([(0.0, 0), (10, 0), (10, 10), (0, 10)])
    hole = np.array([(4.0, 2), (8, 2), (8, 4), (4, 4)])
    assert volume(plates.prism(square, 1.0, 3.0)) == pytest.approx(200.0, rel=1e-12)
    assert volume(plates.prism(square, 1.0, 3.0, hole)) == pytest.approx(2 * 92.0, rel=1e-12)
    assert len(plates.prism(square, 1.0, 3.0, hole).edges) == 16  # four loops of four


def test_the_outline_round_two_pins_is_that_of_a_bar():
    outline = plates.rounded(np.array([[0.0, 0.0], [30.0, 40.0]]), 5.0)
    x, y = outline.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    ends = 0.5 * 20 * 25 * np.sin(np.pi / 10)  # a polygon of 20 sides in the circle
    assert area == pytest.approx(50 * 10 + ends, rel=1e-12)
    turns = np.diff(np.vstack([outline, outline[:2]]), axis=0)
    assert (turns[:-1, 0] * turns[1:, 1] - turns[:-1, 1] * turns[1:, 0] > 0).all()  # convex


def test_every_link_of_a_drawing_is_a_closed_body_that_reaches_its_pins(whitworth):
    found, from_features = part_shapes.shapes_of(whitworth, 200.0)
    assert not from_features and list(found) == list(whitworth.parts)
    for name, shape in found.items():
        assert volume(shape) > 0, name
        for pin in whitworth.drawing.links[name].pins:
            x, y = whitworth.drawing.pins[pin]
            low, high = shape.corners[:, :2].min(axis=0), shape.corners[:, :2].max(axis=0)
            assert (low < (x, y)).all() and (high > (x, y)).all(), (name, pin)


def test_plates_of_links_that_meet_do_not_cut_each_other(whitworth):
    heights = plates.layers(whitworth.drawing)
    for a, b in combinations(heights, 2):
        if heights[a] != heights[b]:
            apart = abs(heights[a] - heights[b]) * plates.STEP
            assert apart > plates.THICK


def test_a_free_point_is_a_ball_upon_its_link():
    m = asm.Assembly("tracer")
    m.pins(A=(0, 0), B=(0, 30), P=(20, 15))
    m.link("frame", ["A"], grounded=True)
    m.link("crank", "A B P")
    with_balls = plates.plates(m.drawing, 1.0)["crank"]
    top = plates.STEP + 0.5 * plates.THICK
    # B and P are on one link only; the pin at A belongs to the frame
    assert (with_balls.corners[:, 2] > top + 0.5).sum() > 0
    assert with_balls.corners[:, 2].max() == pytest.approx(top + plates.PIN)
