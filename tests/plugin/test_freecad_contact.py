"""The page of contact in a real window of FreeCAD 0.20, 1.0 and 1.1: an arm swept into a wall."""

from __future__ import annotations

import re
from math import asin, atan2, degrees, hypot
from typing import Any

import pytest
from freecad_roots import root
from freecad_windows import installed, native, played

pytest.importorskip("fcl")

LIBRARIES = "opt/mesh"
"""Where a root with a newer FreeCAD has trimesh and python-fcl."""


@pytest.fixture(scope="module", params=["0.20", "1.0", "1.1"])
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("contact")
    if request.param == "0.20":
        installed(out, "touching")
    elif not (root(request.param) / LIBRARIES).is_dir():
        pytest.skip(
            f"the root of FreeCAD {request.param} has no /{LIBRARIES}: see .ci/freecad_root.sh"
        )
    else:
        path = "/project/tests/plugin/freecad_window:/project/tests/plugin/freecad_native"
        native(request.param, out, "touching", f"CLICKS_PATH={path}:/{LIBRARIES}")
    return played(out)["touching"]


def plain(words: str) -> str:
    return re.sub("<style>.*?</style>|<[^>]*>", "", words)


def test_an_arm_is_told_where_it_touches_the_wall(seen: Any) -> None:
    parts, point, stops = seen["event"]
    assert sorted(parts) == ["Arm", "Wall"] and stops is False
    assert point[:2] == pytest.approx([95.0, 30.0], abs=1e-5)
    assert "Wall touch at" in plain(seen["cards"][0]) or "Arm touch at" in plain(seen["cards"][0])
    assert "1 of 1 pair of parts in contact" in seen["told"]
    assert seen["headings"] == ["<b>not looked at</b>"]
    assert "Base and Arm: a mate joins them" in [plain(words) for words in seen["cards"]]


def test_a_contact_is_shown_in_the_view_with_both_parts_selected(seen: Any) -> None:
    turn = atan2(30, 95) - asin(4 / hypot(30, 95))
    assert seen["shown"] == pytest.approx(turn, abs=1e-6)  # the view has single precision
    assert seen["lit"] == ["Arm", "Wall"]
    assert seen["stays"] is True and seen["closed"] is True


def test_contact_is_looked_for_between_the_two_values_of_the_page(seen: Any) -> None:
    assert seen["range"] == [-180.0, 180.0]
    assert "no contact of 1 pair of parts" in seen["in a range"]
    assert "9.048 mm at Coaxial Base - Arm angle 10 °" in seen["in a range"]


def test_distances_at_contact_are_in_the_units_of_the_preferences(seen: Any) -> None:
    told, cards = seen["in inches"]
    near = "come as near as 0.356 in at Coaxial Base - Arm angle 10 °"
    assert "no contact of 1 pair of parts" in told and near in told
    assert near in plain(cards[0]) and " mm" not in "".join(cards)


def test_a_part_that_is_dragged_stops_before_contact_and_says_of_which_parts(seen: Any) -> None:
    first, last, angle, after_undo = seen["dragged"]
    turn = degrees(atan2(30, 95) - asin(4 / hypot(30, 95)))
    assert (first, last) == ("Dragging Arm", "Arm: stopped before contact of Arm - Wall")
    assert turn - 0.2 < angle < turn  # a step is some 5 degrees, and ends within 1/256 of it
    assert after_undo == pytest.approx(0.0, abs=1e-9)


def test_a_motion_is_stopped_at_the_first_contact(seen: Any) -> None:
    assert "stops there" in seen["stopped"]
    assert seen["console"] == []
