"""The page with the moving assembly as people use it: real events in headless Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, Tab, browser  # noqa: F401

import assembly_solver as asm
from assembly_solver.foundations.geometry.pose import Pose, frames_of
from assembly_solver.report.viewer.viewer import PlayedMotion, Slider, SliderMark, page

BACKGROUND = {
    False: "r === 237 && g === 241 && b === 245",
    True: "r === 19 && g === 23 && b === 28",
}


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
    slider = Slider("opening", "deg", angles, 3.0, (touch,))
    reasons = [""] * 9 + ["the limit is met"]
    return PlayedMotion((slider,), frames, reasons, "1 pair watched")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("viewer") / "door.html"
    path.write_text(page(door(), "3 mates hold", [opening()]), encoding="utf-8")
    return path


@pytest.fixture
def tab(browser: Browser, file: Path) -> Iterator[Tab]:  # noqa: F811
    found = Tab(browser, file)
    yield found
    assert found.trouble == []
    found.close()


RED, BLUE = "r > 90 && r > 2 * g && r > 2 * b", "b > 90 && b > 2 * r && b > 2 * g"


def area(tab: Tab, colour: str) -> int:
    """How many pixels of the picture have a colour, without the axes in its corner."""
    x, y, width, height = tab.box("canvas")
    return tab.count((x + 100, y + 100, width - 100, height - 100), colour)


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


def test_a_contact_is_shown_where_it_is_pressed(tab: Tab) -> None:
    assert tab.js("document.querySelector('.contact li').innerText") == "opening: 1 pair watched"
    tab.click(".contact button")
    assert value(tab) == 40.0
    assert area(tab, BLUE) == 0  # both parts are marked, the blue one too


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


def test_a_narrow_window_has_the_panel_below_the_picture(
    browser: Browser,  # noqa: F811
    file: Path,
) -> None:
    tab = Tab(browser, file, 420, 800)
    _, top, width, height = tab.box("canvas")
    assert (top, width) == (0, 420) and 350 < height < 600
    assert tab.box(".panel")[1] == height
    assert tab.js("document.documentElement.scrollWidth") == 420
    tab.close()
