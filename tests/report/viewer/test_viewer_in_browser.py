"""The page with the moving assembly as people use it: real events in headless Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browser import browser  # noqa: F401

import assembly_solver as asm
from assembly_solver.foundations.geometry.pose import Pose, frames_of
from assembly_solver.report.viewer.scene_facts import (
    FreeTwist,
    SceneFacts,
    ShownMode,
    ShownPosition,
)
from assembly_solver.report.viewer.viewer import PlayedMotion, Slider, SliderMark, page
from assembly_solver.results.contacts import ClearanceCurve
from benchmarks.chromium import Box, Browser, Tab

BACKGROUND = {
    False: "r === 237 && g === 241 && b === 245",
    True: "r === 19 && g === 23 && b === 28",
}


DRAWN = "document.querySelector('.triad .axis.x')?.getAttribute('x2')"
"""True once there is a picture."""


def door() -> asm.Assembly:
    """A red door, 800 wide, on a hinge along z, in a blue frame."""
    a = asm.Assembly("door")
    pin = asm.Axis((0, 0, 0), "z")
    post = asm.Point((0, -300, 0))
    a.add("frame", grounded=True, features={"pin": pin, "post": post}, colour="#0000ff")
    edge = asm.Point((800, 0, 0))
    a.add("leaf", features={"pin": pin, "edge": edge}, colour="#ff0000")
    a.mate("revolute", "frame.pin", "leaf.pin", name="hinge")
    a.mate("distance", "frame.post", "leaf.pin", name="height", value=300)
    a.mate("distance", "frame.pin", "leaf.edge", name="width", value=800)
    return a


def opening() -> PlayedMotion:
    """The door from 0 to 90 degrees; beyond 80 it is not valid."""
    angles = np.linspace(0.0, 90.0, 10)
    frames = np.stack(
        [frames_of([Pose(), Pose.from_axis((0, 0, 0), (0, 0, 1), v)]) for v in angles]
    )
    frames[-1] = np.nan
    touch = SliderMark(40.0, "frame and leaf touch", ("frame", "leaf"))
    half = SliderMark(60.0, "half open at 60 deg")
    slider = Slider("opening", "deg", angles.copy(), 3.0, (touch, half))
    reasons = [""] * 9 + ["the limit is met"]
    angles[-1] = np.nan
    curves = {("hinge", "angle"): angles}
    apart = np.append(np.maximum(40.0 - np.arange(0.0, 90.0, 10.0), 0.0), np.nan)
    near = ClearanceCurve(("frame", "leaf"), lambda: apart, 0.0, {}, 0.0, "", None)
    return PlayedMotion((slider,), frames, reasons, "1 pair watched", curves, (near,))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("viewer") / "door.html"
    a = door()
    a.move({"leaf": Pose.from_axis((0, 0, 0), (0, 0, 1), 30.0)})
    turn = FreeTwist(
        "leaf turns", "", "held by no driver", {"leaf": np.array([0, 0, 0, 0, 0, 1.0])}
    )
    other = ShownMode("-", 12.0, frames_of([Pose(), Pose.from_axis((0, 0, 0), (0, 0, 1), -60.0)]))
    known = SceneFacts({("hinge", "angle"): 30.0}, (turn,), (other,))
    text = page(a, "3 mates hold", [opening()], known=known)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def tab(browser: Browser, file: Path) -> Iterator[Tab]:  # noqa: F811
    found = Tab(browser, file)
    found.until(DRAWN)
    yield found
    assert found.trouble == []
    found.close()


RED, BLUE = "r > 90 && r > 2 * g && r > 2 * b", "b > 90 && b > 2 * r && b > 2 * g"


def area(tab: Tab, colour: str) -> int:
    """How many pixels of the picture have a colour."""
    return tab.count(scene(tab), colour)


def scene(tab: Tab) -> Box:
    """The picture without the axes in its corner and what stands at its top and its foot."""
    x, y, width, height = tab.box("canvas")
    return x + 100, y + 100, width - 100, height - 150


def value(tab: Tab) -> float:
    return float(tab.js("document.querySelector('.control output').textContent").split()[0])


def test_the_parts_are_drawn_in_their_colours_on_light_and_on_dark(
    browser: Browser,  # noqa: F811
    file: Path,
) -> None:
    for dark in (False, True):
        tab = Tab(browser, file, dark=dark)
        assert area(tab, RED) > 500 and area(tab, BLUE) > 500
        assert tab.count((3, 3, 5, 5), BACKGROUND[dark]) == 25
        tab.close()


def test_a_slider_moves_the_door_and_beyond_its_end_the_reason_is_told(tab: Tab) -> None:
    assert value(tab) == 30.0
    x, y, w, h = tab.box(".control input")
    before = tab.picture()
    tab.click_at(x + 0.5 * w, y + h / 2)
    assert value(tab) == pytest.approx(45.0, abs=1.0)
    assert tab.picture() != before and tab.js("document.querySelector('.reason').hidden")
    tab.click_at(x + w - 4, y + h / 2)
    assert tab.js("document.querySelector('.reason').innerText") == "the limit is met"
    assert area(tab, RED) == 0  # grey, where it stood last


def test_a_motion_plays_and_turns_back_where_it_ends(tab: Tab) -> None:
    tab.js("document.querySelector('.motion select').focus()")
    tab.press("2", "2")  # twice the speed
    tab.click(".control button")
    told = "Number(document.querySelector('.control output').textContent.split(' ')[0])"
    tab.until(f"{told} > 70")
    tab.until(f"{told} < 60")
    tab.click(".control button")
    rests = value(tab)
    tab.picture()
    assert value(tab) == rests
    assert tab.js("document.querySelector('.control button').ariaLabel") == "Play opening"


def test_parts_are_in_contact_where_a_contact_between_two_states_is_pressed(
    browser: Browser,  # noqa: F811
    tmp_path: Path,
) -> None:
    """At 35 degrees; at 30 they are 10 mm apart, at 40 in contact."""
    motion = opening()
    (slider,) = motion.sliders
    touch = SliderMark(35.0, "frame and leaf touch", ("leaf", "frame"))
    motion = replace(motion, sliders=(replace(slider, marks=(touch,)),))
    (tmp_path / "door.html").write_text(page(door(), "", [motion]), encoding="utf-8")
    tab = Tab(browser, tmp_path / "door.html")
    tab.until(DRAWN)
    told = "document.querySelector('.contact .near output').textContent"
    assert tab.js(told) == "10.000 mm"
    tab.click(".contact button")
    assert value(tab) == 35.0 and tab.js(told) == "in contact"
    assert tab.trouble == []
    tab.close()


def test_a_contact_is_shown_where_it_is_pressed(tab: Tab) -> None:
    assert tab.js("document.querySelector('.contact li').innerText") == "opening: 1 pair watched"
    tab.click(".contact button")
    assert value(tab) == 40.0
    assert area(tab, BLUE) == 0  # both parts are marked, the blue one too


def test_parts_in_contact_light_up_and_their_distance_is_told_and_drawn(tab: Tab) -> None:
    told = "document.querySelector('.near output').innerText"
    assert tab.js("document.querySelector('.near').innerText").startswith("frame – leaf")
    assert tab.js(told) == "10.000 mm" and area(tab, BLUE) > 500
    x, y, w, h = tab.box(".control input")
    tab.click_at(x + 0.7 * w, y + h / 2)
    assert 55.0 < value(tab) < 70.0
    assert tab.js(told) == "in contact" and area(tab, BLUE) == 0
    tab.click_at(x + 0.2 * w, y + h / 2)
    assert tab.js(told).endswith(" mm") and area(tab, BLUE) > 500
    curves = "[...document.querySelectorAll('.curves option')].map((one) => one.textContent)"
    assert "frame – leaf, distance" in tab.js(curves)


def test_a_part_is_hidden_and_lit_up_from_the_list(tab: Tab) -> None:
    red = area(tab, RED)
    tab.mouse("Moved", *tab.middle(".parts li:nth-child(2) .what"))
    assert area(tab, RED) < red / 2  # orange
    tab.click(".parts li:nth-child(2) input")
    tab.mouse("Moved", 5, 5)
    assert area(tab, RED) == 0
    tab.click(".parts li:nth-child(2) input")
    tab.mouse("Moved", 5, 5)
    assert area(tab, RED) == red


def test_an_event_is_gone_to_and_the_solved_poses_come_back(tab: Tab) -> None:
    buttons = "[...document.querySelectorAll('.positions button')].map((one) => one.textContent)"
    assert tab.js(buttons) == ["as solved", "half open at 60 deg"]
    tab.click(".positions li:nth-child(2) button")
    assert value(tab) == 60.0
    tab.click(".positions li:nth-child(1) button")
    assert value(tab) == 30.0


def axis(tab: Tab, name: str) -> tuple[float, float]:
    """Where an axis of the world points on the screen."""
    place = f"document.querySelector('.triad .axis.{name}')"
    read = f"[{place}.getAttribute('x2'), {place}.getAttribute('y2')].map(Number)"
    x, y = tab.js(read)
    return x, y


def test_mouse_touch_and_keys_turn_the_picture_and_buttons_look_along_axes(tab: Tab) -> None:
    home = axis(tab, "x")
    x, y = tab.middle("canvas")
    tab.drag((x, y + 150), (x - 80, y + 150))
    tab.picture()
    turned = axis(tab, "x")
    assert np.hypot(*np.subtract(turned, home)) > 3
    tab.touch([(x, y + 150)], [(x + 40, y + 150)], [(x + 80, y + 150)])
    tab.picture()
    assert axis(tab, "x") == pytest.approx(home, abs=2.5)
    tab.js("document.querySelector('canvas').focus()")
    tab.press("ArrowLeft")
    tab.picture()
    assert np.hypot(*np.subtract(axis(tab, "x"), home)) > 1
    tab.press("0", "0")
    tab.picture()
    assert axis(tab, "x") == home
    flat = {2: "xy", 3: "zy", 4: "xz"}  # front, right, top: what points right, and what up
    for number, (right, above) in flat.items():
        tab.click(f".looks button:nth-child({number})")
        tab.picture()
        assert np.abs(axis(tab, right)) == pytest.approx((26, 0), abs=0.1)
        assert np.abs(axis(tab, above)) == pytest.approx((0, 26), abs=0.1)


def test_wheel_and_two_fingers_come_nearer(tab: Tab) -> None:
    red = area(tab, RED)
    x, y = tab.middle("canvas")
    tab.mouse("Wheel", x, y, deltaX=0, deltaY=-300)
    nearer = area(tab, RED)
    assert nearer > 1.1 * red
    tab.touch([(x - 40, y), (x + 40, y)], [(x - 70, y), (x + 70, y)], [(x - 90, y), (x + 90, y)])
    assert area(tab, RED) > 1.05 * nearer


def slide(tab: Tab, share: float) -> None:
    """Press the slider at a share of its way; its knob is 16 px wide."""
    x, y, w, h = tab.box(".control input")
    tab.click_at(x + 8 + share * (w - 16), y + h / 2)


def picked(tab: Tab, kind: str) -> list[str]:
    """The names of the rows that are picked in a list."""
    rows = f"[...document.querySelectorAll('.{kind} li.on .what')]"
    found: list[str] = tab.js(f"{rows}.map((row) => row.firstChild.textContent)")
    return found


def test_a_part_that_is_picked_in_the_picture_is_picked_in_the_list(tab: Tab) -> None:
    at = tab.where(scene(tab), RED)
    red = area(tab, RED)
    tab.mouse("Moved", *at)
    tab.until("document.querySelector('.parts li:nth-child(2).over')")
    tab.click_at(*at)
    assert picked(tab, "parts") == ["leaf"]
    tab.mouse("Moved", 5, 5)
    assert area(tab, RED) < red / 2  # it stays lit up
    near = "document.querySelectorAll('.mates li.near').length"
    assert tab.js(near) == 3  # its mates
    tab.press("Escape")
    assert picked(tab, "parts") == [] and tab.js(near) == 0
    tab.touch([at])
    assert picked(tab, "parts") == ["leaf"]


def test_a_joint_is_picked_in_the_list_and_by_its_mark(tab: Tab) -> None:
    tab.click(".mates li:nth-child(1) .name")
    assert picked(tab, "mates") == ["hinge"]
    assert tab.js("document.querySelectorAll('.parts li.near').length") == 2
    assert tab.js("document.querySelector('.mark.on').title") == "hinge, height, width"
    tab.mouse("Moved", 5, 5)
    assert area(tab, RED) == 0  # both its parts are lit up
    tab.press("Escape")
    assert tab.js("document.querySelector('.mark:not([hidden])')") is None
    tab.press("j", "j")
    tab.click(".mark:not([hidden])")
    assert picked(tab, "mates") == ["hinge"]


def text(tab: Tab, selector: str) -> str:
    return str(tab.js(f"document.querySelector({selector!r}).innerText"))


def test_the_list_and_the_curve_tell_the_coordinate_of_a_joint_as_it_moves(tab: Tab) -> None:
    assert text(tab, ".mates output") == "revolute · 30.0 deg"
    slide(tab, 0.5)
    _, _, about, told, _ = text(tab, ".mates output").split()
    assert about == "≈"  # between two states
    assert float(told) == pytest.approx(value(tab), abs=0.06) == pytest.approx(45.0, abs=1.0)
    assert text(tab, ".curves option") == "hinge, angle"
    range_of = "document.querySelector('.chart').ariaLabel"
    assert tab.js(range_of) == "hinge, angle over opening: 0.00 to 80.00 deg"
    x, y, w, h = tab.box(".chart")
    tab.drag((x + w / 2, y + h / 2), (x + w * 46 / 320, y + h / 2))  # to the left end of its axis
    assert value(tab) == pytest.approx(0.0, abs=0.3)


def choose(tab: Tab, **downs: int) -> None:
    """Choose two features by keys, in lists that have the features of both parts in order."""
    for name, count in zip(("first", "second"), downs.values(), strict=True):
        choice = f'.measure select[aria-label="{name} feature"]'
        tab.js(f"document.querySelector({choice!r}).focus()")
        for _ in range(count):
            tab.press("ArrowDown")


def test_distance_and_angle_of_two_features_are_measured_while_the_door_moves(tab: Tab) -> None:
    """From the post at (0, -300) to the edge of the door: c^2 = 730000 + 480000 sin(angle)."""
    tab.click(".tools button:nth-child(2)")
    choose(tab, post=2, edge=4)
    tab.until("document.querySelector('.measure .result b')")
    at_30 = np.sqrt(970000)
    assert text(tab, ".measure .result p") == f"distance {at_30:.3f} mm"
    assert tab.box(".measure")[3] < 150  # the lists beside each other, the result below
    assert text(tab, ".stage .label") == f"{at_30:.2f} mm"
    assert text(tab, ".curves option") == "measured distance"
    ends = np.sqrt(730000 + 480000 * np.sin(np.radians([0, 80])))
    told = tab.js("document.querySelector('.chart').ariaLabel").split()
    assert told[:4] == ["measured", "distance", "over", "opening:"]
    assert [float(told[4]), float(told[6])] == pytest.approx(ends, abs=0.06)
    slide(tab, 0.0)
    assert text(tab, ".measure .result p") == f"distance {ends[0]:.3f} mm"
    slide(tab, 0.05)  # of a step of 10 degrees about half
    x = np.radians(value(tab))
    between = text(tab, ".measure .result p").split()
    assert between[:2] == ["distance", "≈"]
    assert float(between[2]) == pytest.approx(np.sqrt(730000 + 480000 * np.sin(x)), abs=2.0)


def test_features_are_picked_in_the_picture_by_their_dots(tab: Tab) -> None:
    tab.press("m", "m")
    tab.mouse("Moved", *tab.where(scene(tab), BLUE))
    tab.until("document.querySelector('.dot:not([hidden])')")
    tab.click('.dot[title="frame: pin"]')
    tab.mouse("Moved", *tab.where(scene(tab), RED))
    tab.until("document.querySelector('.dot[title=\"leaf: edge\"]:not([hidden])')")
    tab.click('.dot[title="leaf: edge"]')
    assert text(tab, ".measure .result p") == "distance 800.000 mm"
    tab.click(".measure .small")
    assert text(tab, ".measure .result") == ""


def dot(tab: Tab, part: str, feature: str) -> tuple[float, float]:
    """Where the dot of a feature is, after the mouse was on its part."""
    tab.mouse("Moved", *tab.middle(f".parts li:nth-child({1 + (part == 'leaf')}) .what"))
    selector = f'.dot[title="{part}: {feature}"]'
    tab.until(f"document.querySelector({selector!r})?.style.transform")
    return tab.middle(selector)


def test_an_exploded_view_takes_the_parts_apart_along_the_axes_of_their_mates(tab: Tab) -> None:
    tab.click(".looks button:nth-child(3)")  # from the right: z points to the left
    tab.press("m", "m")
    choose(tab, post=2, edge=4)
    distance = text(tab, ".measure .result p")
    tab.js("document.activeElement.blur()")
    assert dot(tab, "leaf", "pin") == pytest.approx(dot(tab, "frame", "pin"), abs=1.0)
    tab.press("e", "e")
    tab.until("document.querySelector('.explode input').value === '1'")
    apart = np.subtract(dot(tab, "leaf", "pin"), dot(tab, "frame", "pin"))
    assert abs(apart[0]) > 10 and abs(apart[1]) < 3
    assert text(tab, ".measure .result p") == distance  # of the parts where they stand
    tab.press("e", "e")
    tab.until("document.querySelector('.explode input').value === '0'")
    assert dot(tab, "leaf", "pin") == pytest.approx(dot(tab, "frame", "pin"), abs=1.0)


def test_a_section_cuts_away_what_lies_beyond_its_plane(tab: Tab) -> None:
    red = area(tab, RED)
    full = "r === 255 && g === 0 && b === 0"  # as the faces of a cut between their hatches
    bright = area(tab, full)
    tab.press("c", "c")
    tab.click('.section button[aria-label="across z"]')  # along all bars
    assert area(tab, full) > 10 * bright + 300
    tab.click('.section button[aria-label="across x"]')
    assert 0.2 * red < area(tab, RED) < 0.8 * red
    x, y, w, h = tab.box(".section input")
    tab.click_at(x + w - 2, y + h / 2)
    assert area(tab, RED) == pytest.approx(red, rel=0.1)
    tab.click(".section button:nth-of-type(4)")  # the other side
    assert area(tab, RED) == 0
    assert text(tab, ".section output").endswith(" mm")
    tab.press("c", "c")
    assert area(tab, RED) == red


def test_a_cut_is_outlined_and_looks_at_who_looks(tab: Tab) -> None:
    """Along all bars; from its other side the same plane shows no cut."""
    dark = "r < 40 && g < 40 && b < 40"
    before = area(tab, dark)
    tab.press("c", "c")
    tab.click('.section button[aria-label="across z"]')
    outlined = area(tab, dark)
    tab.click(".section button:nth-of-type(4)")  # the other side
    assert outlined > before + 300 and outlined > area(tab, dark) + 300


def test_a_free_motion_wiggles_about_its_axis_and_comes_back(tab: Tab) -> None:
    tab.click(".looks button:nth-child(2)")  # along the hinge
    tab.press("m", "m")
    dot(tab, "leaf", "pin")
    assert text(tab, ".free li") == "leaf turns\nheld by no driver"
    tab.click(".free button")
    track = tab.js(
        "new Promise((done) => { const found = [];"
        "const dots = ['pin', 'edge'].map((name) =>"
        " document.querySelector(`.dot[title='leaf: ${name}']`));"
        "const look = () => { found.push(dots.map((d) => {"
        "const b = d.getBoundingClientRect(); return [b.x, b.y]; }).flat());"
        "if (document.querySelector('.mates output').textContent.includes('deg')"
        " && found.length > 3) done(found); else requestAnimationFrame(look); }; look(); })"
    )
    pins, edges = np.hsplit(np.array(track), 2)
    assert np.ptp(pins, axis=0).max() < 0.5
    arms = edges - pins
    lengths, turns = np.hypot(*arms.T), np.degrees(np.arctan2(-arms[:, 1], arms[:, 0]))
    assert lengths == pytest.approx(lengths[0], abs=1.0)
    assert turns.max() > 32 and turns.min() < 28  # about 30 degrees
    assert text(tab, ".mates output") == "revolute · 30.0 deg"


def test_an_assembly_mode_is_shown_until_a_slider_moves(tab: Tab) -> None:
    tab.press("m", "m")
    choose(tab, post=2, edge=4)
    tab.click(".modes button:nth-child(2)")
    below = np.sqrt(730000 + 480000 * np.sin(np.radians(-60)))
    assert text(tab, ".measure .result p") == f"distance {below:.3f} mm"
    assert text(tab, ".mates output") == "revolute"  # its coordinate is not known there
    slide(tab, 0.0)
    assert text(tab, ".mates output") == "revolute · 0.0 deg"
    assert tab.js("document.querySelector('.modes [aria-pressed=true]')") is None


def test_positions_are_gone_to_by_buttons_and_by_the_key_p(
    browser: Browser,  # noqa: F811
    tmp_path: Path,
) -> None:
    """One that the slider reaches, one of a driver without a slider, one that cannot be."""
    turned = [Pose.from_axis((0, 0, 0), (0, 0, 1), v) for v in (60.0, -60.0)]
    known = (
        ShownPosition("ajar", {"opening": 60.0}, "opening 60 deg", frames_of([Pose(), turned[0]])),
        ShownPosition("out", {"other": 5.0}, "other 5 mm", frames_of([Pose(), turned[1]])),
        ShownPosition("never", {"opening": 85.0}, "the limit is met", None),
    )
    values = {("hinge", "angle"): 30.0}
    a, path = door(), tmp_path / "positions.html"
    path.write_text(page(a, "", [opening()], known=SceneFacts(values, positions=known)), "utf-8")
    tab = Tab(browser, path)
    tab.until(DRAWN)
    pressed = "document.querySelector('.positions [aria-pressed=true]')?.textContent ?? ''"
    off = "[...document.querySelectorAll('.positions button')].map((one) => one.disabled)"
    assert tab.js(off) == [False, False, False, True, False]
    tab.click(".positions li:nth-child(2) button")
    assert (tab.js(pressed), value(tab)) == ("ajar", 60.0)
    for name, told in (("out", "revolute"), ("ajar", "revolute · 60.0 deg")):
        tab.press("p", "p")
        assert (tab.js(pressed), text(tab, ".mates output")) == (name, told)
    slide(tab, 0.0)
    assert (tab.js(pressed), value(tab)) == ("", 0.0)
    assert tab.trouble == []
    tab.close()


def test_the_space_key_plays_and_rests(tab: Tab) -> None:
    tab.press(" ", " ")
    tab.until("document.querySelector('.control button').ariaLabel === 'Pause opening'")
    tab.press(" ", " ")
    assert tab.js("document.querySelector('.control button').ariaLabel") == "Play opening"


def test_a_narrow_window_has_the_panel_below_the_picture(
    browser: Browser,  # noqa: F811
    file: Path,
) -> None:
    tab = Tab(browser, file, 420, 800)
    _, top, width, height = tab.box("canvas")
    assert (top, width) == (0, 420) and 350 < height < 600
    assert tab.box(".panel")[1] == height
    assert tab.js("document.documentElement.scrollWidth") == 420
    for key in "mec":
        tab.press(key, key)
    left, top, width, card_height = tab.box(".cards")
    assert left >= 0 and left + width <= 420
    assert top > 50 and top + card_height < height  # below the buttons, above the panel
    tab.close()


def test_what_holds_several_free_motions_is_said_once_below_them(
    browser: Browser,  # noqa: F811
    tmp_path: Path,
) -> None:
    turn = {"leaf": np.array([0, 0, 0, 0, 0, 1.0])}
    held = ("held by a and b", "held by a and b", "", "held by c")
    free = tuple(FreeTwist(f"motion {k}", "", words, turn) for k, words in enumerate(held))
    text = page(door(), "", [opening()], known=SceneFacts({}, free, ()))
    (tmp_path / "door.html").write_text(text, encoding="utf-8")
    tab = Tab(browser, tmp_path / "door.html")
    tab.until(DRAWN)
    rows = "[...document.querySelectorAll('.free li')].map((row) => row.textContent)"
    assert tab.js(rows) == [
        "motion 0",
        "motion 1 these 2: held by a and b",
        "motion 2",
        "motion 3 held by c",
    ]
    tab.close()
