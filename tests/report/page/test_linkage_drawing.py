"""Drawings of linkages: what is in them, where it lies, and that nothing is cut."""

from __future__ import annotations

import re
from dataclasses import replace
from math import cos, pi, sin
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st

from assembly_solver.linkages.scheme.scheme import (
    LINEAR,
    ROTARY,
    Actuator,
    Scheme,
    SchemeLink,
    SchemeSlot,
)
from assembly_solver.report.page import labels, linkage_drawing, outlines
from assembly_solver.report.page.sheet import HEIGHT, WIDTH, Picture, laid_out, tracers

SVG = "{http://www.w3.org/2000/svg}"
STATES = 24
# a crank A B of 20 and a slotted link that turns about D, 50 from A; P is traced
POINTS = {"A": (0, 0), "B": (20, 0), "D": (50, 0), "E": (10, 0), "P": (0, 9), "far": (900, 0)}
LINKS = {"frame": "A D far", "crank": "A B", "rocker & co": "D E P"}


def whitworth() -> Scheme:
    """The pin B of a crank slides in the slot D E of a link."""
    names = list(POINTS)
    links = tuple(SchemeLink(n, tuple(map(names.index, of.split()))) for n, of in LINKS.items())
    return Scheme(
        tuple(names),
        np.array(list(POINTS.values()), float),
        links,
        (SchemeSlot("slide", 1, (2, 3), 2, 0.0, 40.0),),
        (Actuator("crank", ROTARY, (2, 0, 1)),),
    )


def turned(scheme: Scheme) -> np.ndarray:
    """All its states, in closed form, (points, 2, states)."""
    motion = np.repeat(scheme.at[:, :, None], STATES, axis=2)
    for k, t in enumerate(np.linspace(0.0, 2.0 * pi, STATES, endpoint=False)):
        pin = 20.0 * np.array([cos(t), sin(t)])
        u = (pin - (50.0, 0.0)) / np.linalg.norm(pin - (50.0, 0.0))
        motion[1, :, k] = pin
        motion[3, :, k] = (50.0, 0.0) + 40.0 * u
        motion[4, :, k] = (50.0, 0.0) + 50.0 * u + 9.0 * np.array([u[1], -u[0]])
    return motion


@pytest.fixture
def picture() -> Picture:
    scheme = whitworth()
    motion = turned(scheme)
    return Picture("Crank & slot", "B slides.", scheme, scheme.at, motion, (4,), (0, 8, 16))


def elements(picture: Picture, kind: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(linkage_drawing.svg(picture))
    return [e for e in root.iter() if kind in e.get("class", "").split()]


def text(element: ElementTree.Element) -> str:
    return "".join(element.itertext())


def test_links_pins_slots_supports_and_drives_are_drawn_once_each(picture):
    counts = {k: len(elements(picture, k)) for k in ("link", "slot", "foot", "joint", "head")}
    # pins A, B and D are joints; A and D are fixed; the crank is driven
    assert counts == {"link": 2, "slot": 1, "foot": 2, "joint": 3, "head": 1}
    assert [text(e) for e in elements(picture, "link")] == ["rocker & co", "crank"]


def test_a_fixed_point_that_only_tells_a_direction_is_neither_drawn_nor_fitted(picture):
    assert {text(e) for e in elements(picture, "pin")} == {"A", "B", "D", "E", "P"}
    # B and P go from -20 to 100: nothing at 900 makes it small
    assert laid_out(picture).scale > 2.0


def test_the_path_goes_through_the_states_to_a_tenth_of_a_pixel(picture):
    (path,) = elements(picture, "path")
    assert text(path) == "path of P"
    drawn = np.array(re.findall(r"[ML](\S+) (\S+?)(?=[ML]|$)", path.get("d", "")), float)
    wanted = laid_out(picture).px(picture.motion[4].T)
    np.testing.assert_allclose(drawn, wanted, atol=0.0501)


def test_states_that_cannot_be_built_interrupt_the_path(picture):
    picture.motion[4, :, 5] = np.nan
    (path,) = elements(picture, "path")
    assert path.get("d", "").count("M") == 2


def test_a_millimetre_is_as_long_upward_as_across_and_up_is_up(picture):
    sheet = laid_out(picture)
    steps = sheet.px(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    np.testing.assert_allclose(steps[1] - steps[0], [sheet.scale, 0.0])
    np.testing.assert_allclose(steps[2] - steps[0], [0.0, -sheet.scale])


def test_nothing_is_cut(picture):
    numbers = []
    for element in ElementTree.fromstring(linkage_drawing.svg(picture)).iter(f"{SVG}path"):
        numbers += re.findall(r"[ML](\S+) (\S+?)(?=[MLAZavHh]|$)", element.get("d", ""))
    x, y = np.array(numbers, float).T
    assert x.min() > 10 and x.max() < WIDTH - 10  # px, the room beside the paper's edge
    assert y.min() > 20 and y.max() < HEIGHT - 10


def test_the_scale_is_a_round_length_and_as_long_as_it_says(picture):
    (words,) = elements(picture, "scale")
    bar = next(e for e in elements(picture, "hatch") if "v4H" in e.get("d", ""))
    begin, end = re.match(r"M(\S+) \S+v4H(\S+)v-4", bar.get("d", "")).groups()
    assert text(words) == "10 mm"
    assert float(end) - float(begin) == pytest.approx(10 * laid_out(picture).scale, abs=0.11)


def test_names_are_text_and_are_escaped(picture):
    svg = linkage_drawing.svg(picture)
    assert "Crank &amp; slot" in svg and "rocker &amp; co" in svg
    assert next(text(e) for e in elements(picture, "title")) == "Crank & slot"


def test_long_words_take_several_lines_and_push_the_linkage_down(picture):
    longer = Picture("t", "word " * 40, picture.scheme, picture.at, picture.motion, picture.traced)
    assert len(elements(longer, "words")) == 3
    assert laid_out(longer).head == laid_out(picture).head + 32  # two lines of 16 px more


def test_both_looks_are_in_the_drawing_and_the_same_input_gives_the_same_bytes(picture):
    svg = linkage_drawing.svg(picture)
    assert "prefers-color-scheme:dark" in svg
    assert svg == linkage_drawing.svg(picture)


def test_an_input_along_a_slot_has_a_straight_arrow_and_a_span_a_cylinder(picture):
    s = picture.scheme
    for actuator, kind, count in (
        (Actuator("ram", LINEAR, (2, 1, 3)), "head", 1),
        (Actuator("ram", "L", (2, 1, -1)), "barrel", 2),
    ):
        scheme = Scheme(s.points, s.at, s.links, s.slots, (actuator,))
        other = Picture("t", "", scheme, scheme.at, picture.motion, (4,))
        assert len(elements(other, kind)) == count


def test_free_points_are_traced_else_ends_of_slots_else_what_moves():
    s = whitworth()
    assert [s.points[k] for k in tracers(s)] == ["P"]
    links = (s.links[0], s.links[1], SchemeLink("rocker", (2, 3)))
    slotted = Scheme(s.points, s.at, links, s.slots, s.actuators)
    assert [s.points[k] for k in tracers(slotted)] == ["E"]
    assert [s.points[k] for k in tracers(slotted, drawn=False)] == ["B"]  # it slides, but moves
    bars = (
        SchemeLink("frame", (0, 2)),
        SchemeLink("crank", (0, 1)),
        SchemeLink("rod", (1, 3)),
        SchemeLink("arm", (3, 2)),
    )
    assert [s.points[k] for k in tracers(Scheme(s.points, s.at, bars))] == ["B", "E"]


# ------------------------------------------------------------------------------------ outlines
@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=12, unique=True
    )
)
def test_every_place_lies_within_its_hull_whose_corners_are_among_them(places):
    corners = outlines.hull(np.array(places, float))
    assert {tuple(c) for c in corners.astype(int).tolist()} <= set(places)
    if len(corners) > 2:
        sides = np.roll(corners, -1, axis=0) - corners
        for place in np.array(places, float):
            off = place - corners
            assert (sides[:, 0] * off[:, 1] - sides[:, 1] * off[:, 0] >= -1e-6).all()


def test_a_line_has_two_corners_and_a_place_one():
    assert outlines.hull(np.array([[0.0, 0], [5, 5], [9, 9], [9, 9]])).tolist() == [[0, 0], [9, 9]]
    assert outlines.hull(np.array([[3.0, 4], [3, 4]])).tolist() == [[3, 4]]


def test_the_outline_of_two_pins_is_a_bar_with_round_ends():
    bar = outlines.rounded(np.array([[0.0, 0.0], [10.0, 0.0]]), 2.0)
    assert bar == "M0 2A2 2 0 0 1 0 -2L10 -2A2 2 0 0 1 10 2Z"


def test_a_turning_arrow_ends_where_it_says_with_its_head_ahead():
    arc, head = outlines.turning(np.zeros(2), 10.0, 0.0, -0.5 * pi, 2.0)
    assert arc == "M10 0A10 10 0 0 0 0 -10"
    tip = re.match(r"M(\S+) ([^L]+)L", head).groups()
    # on the tangent at half of the head's length, further round the circle
    assert [float(v) for v in tip] == pytest.approx([-2 * cos(0.1), -10 + 2 * sin(0.1)], abs=0.06)


def test_a_hatch_hangs_on_its_side_of_the_line():
    strokes = outlines.hatch(np.zeros(2), np.array([40.0, 0.0]), np.array([0.0, 1.0]), 5.0)
    y = [float(v) for v in re.findall(r"[ML]\S+ ([^ML]+)", strokes)]
    assert len(y) == 2 * 10 and min(y) == 0 and max(y) == pytest.approx(5.0, abs=0.06)


# ----------------------------------------------------------------------------------- lettering
def test_names_keep_clear_of_lines_and_of_each_other():
    line = labels.along(np.array([0.0, 50.0]), np.array([200.0, 50.0]))
    points = np.array([[60.0, 50.0], [75.0, 50.0]])
    box = np.array([[0.0, 0.0], [200.0, 100.0]])
    first, second = labels.label_positions(points, ["B", "Q"], line, 13.0, 6.0, box)
    for middle in (first, second):
        assert abs(middle[1] - 50.0) > 0.42 * 13.0  # half of a letter's height
    assert np.abs(first - second).max() > 0.6 * 13.0


def test_a_name_does_not_leave_the_sheet():
    box = np.array([[0.0, 0.0], [100.0, 100.0]])
    (middle,) = labels.label_positions(
        np.array([[99.0, 1.0]]), ["name"], np.zeros((1, 2)), 13.0, 6.0, box
    )
    assert (middle > 0).all() and (middle < 100).all()


def test_the_number_of_a_name_stands_lower():
    assert 'j<tspan class="low" dy="3">12</tspan>' in labels.set_name(np.zeros(2), "j12")
    assert ">a&lt;b<" in labels.set_name(np.zeros(2), "a<b")


def test_triangles_of_support_are_as_wide_as_they_are_told():
    triangle, line, _ = outlines.foot(np.zeros(2), np.array([0.0, 1.0]), 10.0)
    assert triangle == "M0 0L-19 31L19 31Z"
    assert line == "M29 31L-29 31"


# ------------------------------------------------------------------------ slots of CAD linkages
def test_a_slot_that_was_not_drawn_reaches_as_far_as_what_slides_goes(picture):
    seen = replace(picture, drawn=False)
    ((link, tips),) = seen.guides
    # the pin of the crank of 20 is 30 to 70 from D, which is 50 from its pivot
    assert link == 2
    np.testing.assert_allclose(tips, [[20.0, 0.0], [-20.0, 0.0]], atol=1e-12)
    assert [picture.scheme.points[k] for k in seen.shown] == ["A", "B", "D", "P"]
    assert "E" not in {text(e) for e in elements(seen, "pin")}


def test_a_cylinder_is_drawn_instead_of_its_slot(picture):
    s = picture.scheme
    scheme = Scheme(s.points, s.at, s.links, s.slots, (Actuator("ram", "L", (2, 1, -1)),))
    seen = replace(picture, scheme=scheme, drawn=False)
    assert seen.guides == [] and len(elements(seen, "barrel")) == 2
