"""The workbench in a real window: a script clicks its buttons, here it is said what has to be seen.

FreeCAD runs under Xvfb, with the engine interpreted: nothing is compiled for one small hinge.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from freecad_windows import Run, installed, native, played

OWN = "hinge documents tolerances listed previewed curves inches reasons standing"
NATIVE = "excavator grabbed reports native_joints edited"
LAST = "fitting ring"
"""The one changes the window, the other breaks something, which the console tells from then on."""


@pytest.fixture(scope="session")
def run10(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All scenes in FreeCAD 1.0, and the folder with what they wrote."""
    out = tmp_path_factory.mktemp("window10")
    native("1.0", out, f"{OWN} {NATIVE} {LAST}")
    return played(out), out


@pytest.fixture(scope="session")
def run11(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All scenes in FreeCAD 1.1."""
    out = tmp_path_factory.mktemp("window11")
    native("1.1", out, f"{OWN} {NATIVE} {LAST}")
    return played(out), out


@pytest.fixture(scope="session")
def run020(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Those with own mates in the FreeCAD that is installed here, which has no assemblies."""
    out = tmp_path_factory.mktemp("window")
    installed(out, f"{OWN} {LAST}")
    return played(out), out


@pytest.fixture(params=["run020", "run10", "run11"])
def run(request: pytest.FixtureRequest) -> Run:
    """What was seen in each."""
    found: Run = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["run10", "run11"])
def native_run(request: pytest.FixtureRequest) -> Run:
    """What was seen in either with native assemblies."""
    found: Run = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def hinge(run: Run) -> Any:
    """The scene with own mates."""
    return run[0]["hinge"]


@pytest.fixture
def documents(run: Any) -> Any:
    """The scene with documents that are closed and changed."""
    return run[0]["documents"]


@pytest.fixture
def excavator(native_run: Run) -> Any:
    """The scene with FreeCAD's own example."""
    return native_run[0]["excavator"]


def test_selected_faces_are_mated_by_what_fits_best_or_by_what_is_offered(hinge: Any) -> None:
    assert hinge["nothing selected"][1:] == [False, False]
    assert hinge["two cylinders"][0] == "the axes lie on one line"
    assert hinge["off axis"] < 1e-9
    assert "2 degrees of freedom" in hinge["two freedoms"]
    assert hinge["two faces"][:2] == [
        "the faces meet, face to face",
        "the faces are flush, looking the same way",
    ]
    words, value = hinge["offered"]
    shown = float(words.removeprefix("at a distance of ").removesuffix(" mm, as now"))
    assert shown == round(value, 4)  # the decimals of the preferences
    assert round(hinge["ring up"], 9) == 52.0  # turned over: its top lies on the top of the post
    assert "2 parts, 2 mates hold" in hinge["hinge"]
    assert "1 degree of freedom" in hinge["hinge"]


def test_a_part_is_grounded_by_a_button_and_released_by_undo(hinge: Any) -> None:
    assert "0 degrees of freedom" in hinge["ground"]
    assert hinge["grounded"] == ["Post", "Ring"]
    assert hinge["released"] == ["Post"]


def test_a_played_motion_is_in_the_view_only(hinge: Any) -> None:
    assert hinge["while playing"] == [True, 0]
    assert hinge["after playing"] == [True, True]


def test_an_undo_ends_the_playing_and_its_motions_are_of_before(hinge: Any) -> None:
    assert hinge["undone while playing"] == [False, True]
    assert hinge["old"] == "The document has changed since; diagnose again."
    assert hinge["old button"] == [False, "The document has changed since; diagnose again"]
    assert hinge["again"] is True


def test_a_slider_turns_the_part_in_one_undo_step(hinge: Any) -> None:
    assert hinge["while driving"] == [True, False]
    turned, shown, steps = hinge["driven"]
    assert (round(turned - abs(shown), 2), steps) == (0.0, 1)
    assert 40.0 < turned < 50.0  # 250 ticks of 0.18 degrees, to a pixel
    assert hinge["stays"] is True
    assert hinge["undone"] is True


def test_keys_pressed_together_are_one_undo_step_and_a_number_can_be_typed(hinge: Any) -> None:
    assert hinge["keys"] == [1, True]
    said, steps = hinge["read meanwhile"]
    assert ("1 degree of freedom" in said, steps) == (True, 2)
    assert hinge["typed"] == -30.0


def test_a_sweep_is_a_table_a_file_and_an_animation(hinge: Any, run: Run) -> None:
    assert hinge["swept"].startswith("37 states hold")
    assert hinge["states"] == 37
    assert hinge["after the sweep"] is True
    assert hinge["csv"].endswith("sweep.csv")
    assert len((run[1] / "sweep.csv").read_text().splitlines()) == 38


def test_a_check_says_how_it_came_out_and_opens_its_report(hinge: Any) -> None:
    assert hinge["checked"] == "Hinge: passes, 2 findings as asked"
    assert hinge["report"] == ["<!DOCTYPE html>"] * 2


def test_a_contradiction_is_told_with_its_remedy_and_moves_nothing(hinge: Any) -> None:
    assert "cannot hold together" in hinge["contradiction"]
    assert (hinge["meaning"], hinge["untouched"]) == ("bad", True)
    assert "dropping" in hinge["remedy"]
    assert hinge["selected"][0] == "Mate002"
    assert hinge["elements"] == ["Face3", "Face3"]
    assert "nothing can be driven" in hinge["nothing to drive"]


def test_nothing_is_driven_while_a_mate_cannot_be_read(hinge: Any) -> None:
    said, meaning = hinge["one is lost"]
    assert ("Coplanar Post - Ring" in said, meaning) == (True, "note")
    assert "Coplanar Post - Ring" in hinge["not driven"]
    assert "nothing was moved" in hinge["not driven"]
    assert hinge["not moved"] is True


def test_tolerances_are_entered_in_a_table_and_told_in_cards(run: Run) -> None:
    seen = run[0]["tolerances"]
    assert seen["rows"][:3] == [
        "Coaxial Post - Ring: play, radius",
        "Coplanar Post - Ring: offset, ±",
        "Post.Face1: position, zone",
    ]
    assert seen["selected"][-1] == "Ring Face3 along z"
    assert seen["nothing is off"] == "Say what may be off, and what is measured."
    assert (seen["analysed"], seen["meaning"]) == ("2000 of 2000 samples close", "good")
    told = " ".join(seen["cards"])
    assert "nominal 40 mm" in told and "worst case 39.7 to 40.3 mm" in told  # the offset's 0.3
    assert "meet it" in told and "100.0 %" in told
    assert (seen["untouched"], seen["report"]) == (True, [True])
    assert (seen["undone"][1], seen["kept"][1]) == (0.0, 0.3)


def test_the_console_stays_quiet(run: Any) -> None:
    assert [line for told in run[0].values() for line in told.get("console", [])] == []


def test_without_an_assembly_one_line_says_so_and_no_command_can_be_used(documents: Any) -> None:
    line = "No assembly is open: open a document with one, or join parts on the page Mate."
    assert documents["no document"] == [line, ["no assembly"], [False, False]]
    assert documents["empty"] == [line, ["no assembly"], [False, False]]


def test_the_panel_works_on_the_document_in_front_and_names_it(documents: Any) -> None:
    (name,), said = documents["in front"]
    assert (name[:3], said) == ("Two", f"{name}: not looked at yet.")
    assert documents["back"] == [["One"], "One: not looked at yet."]
    assert "1 degree of freedom" in documents["diagnosed"]
    assert documents["other closed"] == [True, documents["diagnosed"]]


@pytest.mark.parametrize("what", ["playing", "driving", "sweeping"])
def test_closing_a_document_brings_the_panel_to_rest(documents: Any, what: str) -> None:
    line = "No assembly is open: open a document with one, or join parts on the page Mate."
    assert documents[f"closed while {what}"] == [line, False, True]


@pytest.mark.parametrize("what", ["playing", "driving", "sweeping"])
def test_what_is_deleted_meanwhile_comes_back_where_it_stood(documents: Any, what: str) -> None:
    told, active, stands, again = documents[f"deleted while {what}"]
    assert "changed" in told
    assert (active, stands) == (False, True)
    assert "2 parts, 2 mates hold" in again


def test_mates_and_their_folder_have_their_icons_again_when_reopened(documents: Any) -> None:
    assert documents["icons"] == {
        "Mates": "mates",
        "Mate": "mate_coaxial",
        "Mate001": "mate_coplanar",
        "Mate002": "mate_angle",
        "Mate003": "mate_suppressed",
    }
    assert "2 parts, 3 mates hold" in documents["reopened"]


def test_of_several_assemblies_in_a_document_one_is_chosen(native_run: Run) -> None:
    documents = native_run[0]["documents"]
    both, said = documents["both"]
    assert both == ["Both › Left", "Both › Right"]
    assert said == "Both › Left: not looked at yet."
    assert documents["chosen"] == "Both › Right: not looked at yet."
    assert documents["right"][1] == ["RightBase", "RightLid"]
    assert documents["FreeCAD solves"] == [[False, False], [True, True]]
    assert documents["right deleted"] == [["Both › Left"], "Both › Left: not looked at yet."]


def test_the_example_is_diagnosed_and_plays_in_the_view_only(excavator: Any) -> None:
    assert "4 degrees of freedom; 8 harmless duplicates" in excavator["diagnosed"]
    assert excavator["cards"] == [True] * 8  # 4 motions, 4 redundant groups, each with its names
    assert excavator["selected"] == ["Boom001"]
    assert excavator["while playing"] is True
    assert excavator["drawn back"] is True


def test_a_cylinder_is_driven_to_its_stop_and_says_why(excavator: Any) -> None:
    assert excavator["ends"] == ["30.5227 mm", "stops at 72.3346 mm"]
    assert excavator["while driving"] == [True, False]
    assert "Revolute001 angle reaches its max of 45 ° at Slider 72.3" in excavator["stop"]
    assert excavator["stands"] == 72.335
    assert (excavator["moved"], excavator["drawn there"], excavator["undone"]) == (1, True, True)


def test_the_table_of_a_sweep_has_the_numbers_of_the_script(
    excavator: Any, native_run: Run
) -> None:
    assert excavator["swept"].startswith("31 states hold")
    assert excavator["size"] == [31, 20]
    assert excavator["off"] < 0.6e-4  # it shows four decimals
    rows = (native_run[1] / "excavator.csv").read_text("utf-8").splitlines()
    head = rows[0].split(",")
    column = head.index("joint:Slider.length")
    assert len(rows) == 32
    assert round(float(rows[1].split(",")[column]), 9) == 70.0
    assert "joint:Slider.length_acc" in head
    assert excavator["after sweeps"] == [True, True]


def test_a_snapshot_is_kept_as_a_position_by_the_menu_and_taken(excavator: Any) -> None:
    away, said, kept = excavator["snapshot"]
    assert (away, said.startswith("Kept Before: Revolute "), kept) == (True, True, 1)
    assert excavator["snapshot taken"] == [True, 2]


def test_a_sweep_that_cannot_begin_goes_as_far_as_it_can(excavator: Any) -> None:
    said = excavator["as far as it goes"]
    assert said.startswith("31 states hold")
    assert "-180 to 180 ° was asked: Revolute003 angle reaches its min of -48 °" in said


def test_a_cancelled_sweep_leaves_the_panel_usable(excavator: Any) -> None:
    assert "cancel" in excavator["cancelled"]
    assert excavator["after the cancel"] is True
    assert excavator["swept again"].startswith("5 states hold")


def test_the_check_tells_how_far_a_drive_gets_and_opens_its_report(excavator: Any) -> None:
    assert "Revolute004 gets only through -75.448" in excavator["checked"]
    assert excavator["findings"] == 3
    assert (excavator["report"], excavator["after the check"]) == (True, True)


@pytest.fixture
def ring(run: Run) -> Any:
    """The scene with a lever that is dragged in the 3D view."""
    return run[0]["ring"]


@pytest.fixture
def grabbed(native_run: Run) -> Any:
    """The scene with FreeCAD's own example dragged in the 3D view."""
    return native_run[0]["grabbed"]


def test_a_lever_follows_the_mouse_on_its_hinge_in_the_view_only(ring: Any) -> None:
    assert ring["off"] < 1e-6  # mm
    assert ring["while"] == [True, False]
    assert "Dragging Lever" in ring["dragging"]


def test_escape_puts_a_dragged_lever_back_and_leaves_no_undo_step(ring: Any) -> None:
    assert ring["escaped"] == ["Put back.", "", True]
    assert ring["stands"] == ring["start"]
    assert ring["after escape"] == [True, 0]


def test_a_dragged_lever_stops_at_its_limit_and_is_one_undo_step(ring: Any) -> None:
    assert ring["stopped"] == "Lever: stopped by Hinge angle"
    turned, shown, steps = ring["let go"]
    assert (round(turned, 6), shown, steps) == (40.0, 40.0, 1)
    assert (ring["name"], ring["reached"], ring["undone"]) == ("Drag Lever", 40.0, True)


def test_a_click_on_a_part_still_selects_it(ring: Any) -> None:
    assert ring["clicked"] == ["Lever"]


def test_an_unexpected_error_puts_the_part_back_and_gives_freecad_its_mouse(ring: Any) -> None:
    said, active, held, *same = ring["broken"]
    assert "ArithmeticError: made up" in said
    assert (active, held, same) == (False, "", [True, True])


def test_every_joint_of_the_example_holds_while_its_bucket_is_dragged(grabbed: Any) -> None:
    dragged = grabbed["dragged"]
    assert dragged["steps"] > 20
    assert dragged["off"][1] < 1e-6  # mm
    assert dragged["ratio"][1] < 10.0
    assert any("stopped by Revolute" in words for words in grabbed["said"])


def test_the_panel_follows_a_drag_and_the_document_changes_once(grabbed: Any) -> None:
    assert grabbed["only the view"] == [True, 0]
    assert grabbed["numbers"] > 0.5  # degrees
    assert grabbed["after"][0] == 1
    assert "16 mates hold" in grabbed["after"][1]
    assert "BasePin" not in grabbed["moved"]
    assert (grabbed["drawn there"], grabbed["undone"]) == (True, True)


def test_garbage_among_the_objects_of_the_program_is_not_looked_for_during_a_drag(
    grabbed: Any,
) -> None:
    """With those of numba that takes 100 ms; afterwards all are looked through again."""
    assert grabbed["left alone"] == [True, False]


def test_what_is_grounded_or_no_part_is_not_dragged_and_that_is_said(grabbed: Any) -> None:
    grounded = ["BasePin001 is grounded: it stays where it is", "", True]
    assert grabbed["Assembly BasePin."] == grounded
    assert grabbed["Shape012 "] == ["'BasePin' is not in the assembly", "", True]


def test_freecads_own_dragging_is_off_while_ours_is_on_and_is_given_back(grabbed: Any) -> None:
    on, off = [True, False], [False, True]
    assert grabbed["ours, FreeCAD's"] == [on, off, on, off, on]


@pytest.mark.parametrize("report", ["#16055", "#30165", "#12395"])
def test_joints_hold_where_public_reports_tell_that_dragging_breaks(
    native_run: Run, report: str
) -> None:
    found = native_run[0]["reports"][report]
    assert found["steps"] >= 16
    assert found["off"][1] < 1e-6  # mm
    assert found["ratio"][1] < 10.0
    assert (found["undo steps"], found["grounded stays"], found["part moves"]) == (1, True, True)


def test_a_joint_made_in_freecads_dialog_is_solved_by_us_or_told_and_nothing_moves(
    native_run: Run,
) -> None:
    found = native_run[0]["native_joints"]
    assert (found["FreeCAD's settings"], found["given back"]) == ([False, False], [True, True])
    assert (found["made"][0] < 1e-9, found["made"][1]) == (True, True)
    assert (found["accepted"][0] < 1e-9, found["accepted"][1]) == (True, 1)
    assert found["recomputed"] < 1e-9
    said, *state = found["impossible"]
    assert said.startswith("Revolute and Fixed cannot hold together")
    assert (state, found["rejected"]) == (["bad", True], [True, 2])


def test_edit_of_a_native_joint_opens_freecads_dialog_of_it_as_often_as_asked(
    native_run: Run,
) -> None:
    """Of one that was made without a window, too: it has no view of its own yet."""
    found = native_run[0]["edited"]
    assert found["lines"] == ["Base - Part (Revolute)"]
    assert found["dialogs"] == [[True, False, 1]] * 2  # its own, then gone; undo steps
    assert found["off"] < 1e-9  # mm


def test_the_list_of_mates_names_what_they_join_and_flips_and_switches_them(run: Run) -> None:
    listed = run[0]["listed"]
    assert listed["lines"] == ["Post - Ring (Axis)", "Coplanar Post - Ring"]
    assert (listed["icons"], listed["same icon when off"]) == ([False, False], False)
    assert (listed["offered"], listed["sense"]) == ("the faces meet, face to face", "aligned")
    assert listed["selected"] == "Selected: Post Face3, Ring Face3"
    assert (listed["flipped"][1], listed["turned over"]) == ("opposed", True)
    assert listed["flip undone"] == ["aligned", True]
    assert (listed["edited"], listed["chosen again"][1]) == (
        ["Mate001"],
        "Selected: Post Face2, Ring Face2",
    )
    assert (listed["off"], listed["button"]) == (["Coplanar Post - Ring: off", False], "Switch on")


def test_a_dragged_part_stays_under_the_mouse_in_an_assembly_that_stands_askew(
    native_run: Run,
) -> None:
    askew = native_run[0]["reports"]["askew"]
    assert askew["under the mouse"] == ["Part", "Part"]
    assert askew["off"] < 0.5  # mm: the mouse is at whole pixels, which are some 0.3 mm


def test_a_mate_is_drawn_before_it_is_made_while_it_is_offered(run: Run) -> None:
    previewed = run[0]["previewed"]
    assert previewed["drawn where it stands"] == [False, True, False, True]
    assert previewed["on the axis"] < 1e-6
    assert previewed["said"].endswith("Preview: this is where it brings the parts.")
    assert previewed["listed"] == 0  # and nothing of the document that was closed
    assert (previewed["document"], previewed["made"]) == (True, [True, 1])


def test_curves_of_a_sweep_are_ticked_and_kept_with_the_document(run: Run) -> None:
    curves = run[0]["curves"]
    assert curves["ticked"] == ["Coaxial Post - Ring length mm"]
    assert curves["velocities"] == ["Coaxial Post - Ring length mm/s"]
    assert (curves["table"], curves["only looked at"]) == ([True, 37], [True, 0])
    assert curves["kept"] == ["Kept: it is saved with the document.", 1, "Keep sweep"]
    assert curves["again"] == [-90.0, 90.0, 36]
    assert curves["again ticked"] == curves["velocities"]


def test_a_slider_that_is_taken_hold_of_while_it_plays_takes_over_without_a_jump(run: Run) -> None:
    curves = run[0]["curves"]
    assert curves["taken over"] == [False, True, True]
    assert curves["follows"] == [True, True]
    assert (curves["picked"], curves["drawn back"]) == (12, True)


def test_numbers_are_shown_and_typed_in_the_units_of_the_preferences(run: Run) -> None:
    inches = run[0]["inches"]
    assert inches["typed"] == [-5.08, "-0.200 in"]
    assert inches["no length"] == inches["typed"]  # "1 kg" is refused
    assert inches["ends"] == ["-0.288 in", "-0.112 in"]
    assert inches["beyond"] == inches["ends"][1]  # of the range, which "1 in" is beyond
    shown, end, sweep, said = inches["changed"]  # to mm with one decimal, at once
    assert (shown, end[-3:], sweep) == ("-2.85 mm", " mm", "180.0 °")
    assert said.startswith("2 parts, 1 mate holds")  # it was not diagnosed again
    assert inches["undo"] == "Drive Rod 5 mm length to -0.200 in"
    assert inches["head"] == "Rod 5 mm length\nin"
    assert inches["column"] == ["0.500", "1.000", "1.500", "2.000"]  # of "0.5" and "50.8 mm"
    told = "One asks 1 in, the others leave 3 in at best (2 in off)"
    assert told in inches["told"]
    assert "from 3 to 1 in solves it" in inches["card"]


def test_limits_drags_residuals_and_axes_are_in_the_units_of_the_preferences(run: Run) -> None:
    inches = run[0]["inches"]
    reached = "Rod 5 mm length reaches its max of -0.1 in at Rod 5 mm length -0.1 in"
    assert re.search(rf"^2 of 4 states hold \(below \S+ in\); {reached}", inches["stopped"])
    assert inches["no state"].startswith(reached)
    assert inches["plotted"] == ["in", "−0.20", "0.00", "−0.20", "−0.12"]
    assert inches["dragged"] == ["Ring: stopped by Rod 5 mm length", "-0.100 in"]
    assert re.search(r"1 mate holds \(\S+ in\); 2 degrees of freedom", inches["let go"])
    assert "length stands at its max of -0.1 in" in inches["reached"]


def test_findings_are_in_plain_words_first_and_say_why_on_request(run: Run) -> None:
    reasons = run[0]["reasons"]
    assert reasons["sentence"].endswith("0 degrees of freedom; 7 harmless duplicates")
    locked = reasons["locked"]
    why = "1 part is not grounded: it has 6 ways to move, and the joints take all of them; 7 more"
    meaning, before, after, theory = locked[
        "Nothing moves: every part is where its joints hold it."
    ]
    assert (meaning, before, after, theory[: len(why)]) == ("plain", False, True, why)
    glue = "Glue repeats what is held already by Coaxial Post - Ring and Coplanar Post - Ring"
    assert "Glue repeats 5 equations" in locked[f"Harmless duplicate: {glue}."][3]
    (words, found), *_ = reasons["contradictory"].items()
    assert "Gap asks 3 mm, the others leave 0 mm at best" in words
    assert found[:3] == ["bad", False, True]
    assert found[3].startswith("That is proved: 3 mm are left over")
    assert reasons["sign"] == ["bad", "error"]


def test_positions_are_kept_taken_and_saved_and_loops_close_in_another_way(run: Run) -> None:
    standing = run[0]["standing"]
    assert standing["kept"] == ["Kept open: motor 70.0000 °", 1, "Keep position open"]
    assert standing["taken"] == [True, 1, "Position open"]
    said, lines = standing["listed"]
    assert said == "2 ways to close; these are all."
    assert [line.split()[0] for line in lines] in (["+", "-"], ["-", "+"])
    assert sum(line.endswith("this one") for line in lines) == 1
    sign, *away = standing["offered"].split()
    assert away[1:] == ["mm", "away"]
    assert standing["closed so"][1] == f"Close as {sign}"
    assert "1 degree of freedom" in standing["closed so"][0]
    assert standing["crank stays"] is True
    assert standing["saved"] == ["open"]
    assert standing["taken again"] is True


def test_positions_come_from_an_assembly_file_and_go_into_one(run: Run) -> None:
    standing = run[0]["standing"]
    assert standing["written"].endswith("standing.assembly.json")
    told = json.loads((run[1] / "standing.assembly.json").read_text("utf-8"))["positions"]
    assert told["open"]["motor.angle"] == pytest.approx(70.0, abs=1e-9)
    assert standing["brought in"] == ["Kept open, half.", ["open", "half"], 1]


def test_nothing_of_any_page_is_cut_off_or_scrolls_sideways_in_light_and_dark(run: Run) -> None:
    fitting = run[0]["fitting"]
    windows = [fitting.pop(name) for name in [*fitting] if name.startswith("window")]
    assert windows == [[True, True]] * 2
    assert fitting.pop("console") == []
    pages = ("Diagnosis", "Mate", "Drive", "Sweep", "Check", "Tolerances")
    assert {name.split()[0] for name in fitting} >= set(pages)
    assert {name: cut for name, cut in fitting.items() if cut} == {}
