"""The report of a check as a page: everything in it, nothing needed beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from report_example import boom, circuits, coupler_curve, findings, motor, report

from assembly_solver.checking.findings import CouplerCurve, DriverCurve, Finding, PointPath, Report
from assembly_solver.foundations.markup.svg_axes import svg
from assembly_solver.linkages.circuits.circuit import Branch, Circuit
from assembly_solver.report.page import check_page
from assembly_solver.report.page.bars import bars
from assembly_solver.report.page.charts import charts, most_drawn, scaled
from assembly_solver.report.page.check_page import report_page
from assembly_solver.report.terminal.check import check
from assembly_solver.report.terminal.layout import laid_out

pytestmark = pytest.mark.quick

VOID = {"meta", "path", "line", "rect", "circle", "br"}


class Reader(HTMLParser):
    """Text of the page, its ids, and whether its tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.words = ""
        self.loads: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.loads += [str(found[key]) for key in ("src", "href", "data") if key in found]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_is_whole_and_asks_for_nothing_else() -> None:
    text = report_page(report())
    found = Reader(text)
    assert found.open == [] and found.loads == []
    assert "url(" not in text and "@import" not in text
    assert len(found.ids) == len(set(found.ids)) == 12  # title and words of six drawings
    assert "<pin>" not in text and "coupler <pin>" in found.words


def test_the_page_says_what_was_checked_and_what_came_of_it() -> None:
    words = Reader(report_page(report())).words
    for told in (
        "FAIL",
        "2 of 5 fail",
        "excavator.assembly.json",
        "5f0e" * 16,
        "L = 120, stroke = 700",
        "assembly_solver 0.1.0",
        "crank-rocker",
        "900 mm to 2030.927 mm",
        "without end",
        "the two boom cylinders share 84 kN; their split is not determined by statics",
        "transmission angle at coupler <pin> is 50.98 deg < 55 deg at motor = 0 deg",
    ):
        assert told in words


def test_the_page_of_the_same_report_is_the_same_text() -> None:
    assert report_page(report()) == report_page(report())


def test_a_report_that_passes_says_so_and_nothing_is_marked_failed() -> None:
    good = replace(report(), findings=findings()[:2], studies=(motor(),))
    text = report_page(good)
    assert '<div class="verdict pass"' in text and "all 2 pass" in text
    assert re.findall(r'class="[^"]*fail', text.split("</style>")[1]) == []


def test_an_assembly_that_does_not_solve_has_a_report_without_drivers() -> None:
    wrong = replace(findings()[0], passes=False, words="lid stop and lid prop cannot both hold")
    bare = Report("lid", "0.1.0", "", "", {}, "lid stop ...", None, (wrong,), (), ())
    words = Reader(report_page(bare)).words
    assert "lid stop and lid prop cannot both hold" in words
    assert "Driver" not in words and "SHA-256" not in words and "1 of 1 fail" in words


def test_thresholds_are_drawn_in_the_unit_of_their_curve() -> None:
    force, angle = charts(boom(), findings())
    assert (force.upward, force.thresholds[0].y) == ("force, kN", 1200.0)
    assert not force.thresholds[0].failed and not force.thresholds[0].above
    assert [line.words for line in force.lines] == ["dead point 616.7134", "dead point 2030.927"]
    assert [line.failed for line in force.lines] == [False, True]  # the second is in the range
    assert angle.thresholds == []  # the check of angles is one of the other driver


def test_a_failed_check_is_a_red_line_and_a_red_spot_at_its_place() -> None:
    first = charts(motor(), findings())[0]
    (line,) = first.thresholds
    (spot,) = first.spots
    assert (line.y, line.above, line.failed) == (55.0, True, True)
    # the law of cosines: at 0 the diagonal is 140, cos = (180^2 + 120^2 - 140^2) / (2 180 120)
    assert spot.y == pytest.approx(np.degrees(np.arccos(27200 / 43200)), abs=1e-9)
    assert (spot.x, spot.failed) == (0.0, True)


def test_a_bound_is_drawn_over_the_part_of_the_range_that_it_is_about() -> None:
    """From 90 to 180 of the 180 degrees on an axis of 560 px: half of what the axis is long."""
    at = np.linspace(0.0, 180.0, 7)
    curve = DriverCurve("coordinate", "rocker pin", "deg", "motor", at, at)
    bound = replace(
        findings()[2],
        kind="coordinate",
        subject="rocker pin",
        passes=True,
        place=None,
        over=(90.0, 180.0),
    )
    (chart,) = charts(replace(motor(), curves=(curve,), paths=()), (bound,))
    drawn = svg(chart, "one")
    rect = re.search(r'<rect class="closed kept" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', drawn)
    axis = re.search(r'<line class="axis" x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"', drawn)
    assert rect is not None and axis is not None
    left, right = map(float, axis.groups())
    begin, wide = map(float, rect.groups())
    assert (begin, begin + wide) == pytest.approx((0.5 * (left + right), right), abs=0.2)


def test_what_is_to_be_covered_is_drawn_as_lines_to_get_to_with_nothing_shaded() -> None:
    asked = replace(
        findings()[2],
        kind="coordinate",
        subject="rocker pin",
        asked="covers 20 deg to 90 deg",
        found=70.0,
        low=20.0,
        high=90.0,
    )
    (chart,) = [c for c in charts(motor(), (asked,)) if c.thresholds]
    told = [(line.words, line.failed, line.closed) for line in chart.thresholds]
    assert told == [
        ("rocker pin: down to 20 deg", True, False),
        ("rocker pin: up to 90 deg", True, False),
    ]


def test_the_coupler_curve_of_a_full_turn_is_not_drawn_beside_the_same_path() -> None:
    line = motor().paths[0].positions
    same = CouplerCurve("coupler.tip", "motor", 1, (1,), (line,))
    other = replace(same, name="coupler.foot")
    titles = [c.title for c in charts(replace(motor(), coupler_curves=(same, other)), ())]
    assert titles[-2:] == [
        "Path of coupler.tip, moved by motor",
        "Coupler curve of coupler.foot over the whole of circuit 1",
    ]


def test_a_mechanical_advantage_is_cut_off_where_the_output_rests() -> None:
    """There it grows as 1 / x, without a dead point of the driver; 90 % are less than 9.9."""
    x = np.linspace(1.0, 1000.0, 1000)
    curve = DriverCurve("mechanical advantage", "rocker", "", "motor", x, 1000 / x)
    grown = replace(motor(), curves=(curve,), paths=())
    (chart,) = charts(grown, ())
    assert chart.title == "Mechanical advantage, cut off at 29.7: larger values are not drawn"
    force = replace(curve, kind="force", name="boom")  # such a peak is a load that is there
    (chart,) = charts(replace(grown, curves=(force,)), ())
    assert chart.title == "Force" and np.nanmax(chart.curves[0].y) == 1000.0


def test_nothing_is_said_twice_and_only_words_in_use_are_explained() -> None:
    good = replace(report(), findings=findings()[:2], studies=(motor(),))
    words = Reader(report_page(good)).words
    assert words.count("assembly_solver 0.1.0") == words.count("all 2 pass") == 1
    assert "of static equilibrium" not in words  # no load acts
    assert "Both endsits range ends" in words
    assert "Where" not in words  # no finding has a place


def test_forces_of_pins_and_of_drivers_are_drawn_apart_with_their_own_thresholds() -> None:
    names = ("boom cylinder", "boom cylinder (pin)", "boom foot (pin)")
    force = boom().curves[0]
    study = replace(boom(), curves=tuple(replace(force, name=name) for name in names), paths=())
    asked = findings()[4]
    foot = replace(asked, name="foot", subject="force in boom foot", high=2e6)
    drivers, pins = charts(study, (asked, foot))
    assert [c.name for c in drivers.curves] == ["boom cylinder"]
    assert [line.words for line in drivers.thresholds] == ["at most 1200 kN"]
    assert [c.name for c in pins.curves] == ["boom cylinder (pin)", "boom foot (pin)"]
    assert [line.words for line in pins.thresholds] == ["boom foot (pin): at most 2000 kN"]


def test_many_curves_are_drawn_in_several_drawings_of_alike_size() -> None:
    study = replace(boom(), curves=(boom().curves[0],) * 7)
    assert [len(chart.curves) for chart in charts(study, ())] == [4, 3]


def test_a_path_is_drawn_in_the_plane_in_which_it_lies() -> None:
    path = charts(motor(), ())[-1]
    assert (path.across, path.upward, path.to_scale) == ("x, mm", "y, mm", True)


def test_the_path_over_a_grid_of_drivers_is_a_net_of_lines() -> None:
    one, two = np.meshgrid([1.0, 2.0, 4.0], [10.0, 20.0, 40.0], indexing="ij")
    places = np.stack([one, 0 * one, two], -1).reshape(-1, 3)
    net = PointPath("bucket.tip", ("boom", "bucket"), places)
    (drawn,) = charts(replace(motor(), curves=(), paths=(net,)), ())
    rows, columns = drawn.curves
    assert (drawn.across, drawn.upward) == ("x, mm", "z, mm")
    assert (rows.name, columns.name) == ("bucket moves", "boom moves")
    np.testing.assert_equal(rows.x[:5], [1, 1, 1, np.nan, 2])
    np.testing.assert_equal(columns.x[:5], [1, 2, 4, np.nan, 1])
    np.testing.assert_equal(columns.y[:5], [10, 10, 10, np.nan, 20])


@pytest.mark.parametrize(
    ("unit", "largest", "told"),
    [
        ("N", 9e3, (1.0, "N")),
        ("N", 84e3, (1e-3, "kN")),
        ("N mm", 5e3, (1e-3, "N m")),
        ("N mm", 5e7, (1e-6, "kN m")),
        ("deg", 1e6, (1.0, "deg")),
    ],
)
def test_forces_are_told_in_the_unit_that_is_read_best(
    unit: str, largest: float, told: tuple[float, str]
) -> None:
    assert scaled(unit, largest) == pytest.approx(told)


def test_the_table_for_a_terminal_fits_80_columns_and_shows_what_fails() -> None:
    out = laid_out(check(report().to_dict()), 80)
    assert max(map(len, out.splitlines())) <= 80
    for told in ("FAIL  smooth enough", "pass  dof", "parameters: L = 120, stroke = 700"):
        assert told in out
    assert "SHA-256 5f0e5f0e5f0e5f0e..." in out


# ------------------------------------------------------------------ circuits
def told() -> Report:
    """The example with the circuits of its boom."""
    studies = (motor(), replace(boom(), circuits=circuits(), coupler_curves=(coupler_curve(),)))
    return replace(report(), studies=studies)


def test_a_bar_is_drawn_for_each_branch_with_ticks_at_the_ends_that_it_has() -> None:
    text = report_page(told())
    drawn = text[text.index("Circuits and branches of boom") :]
    drawn = drawn[: drawn.index("</svg>")]
    assert drawn.count('class="branch start c0"') == 1
    assert drawn.count('class="branch c0"') == 1 and drawn.count('class="branch c1"') == 1
    ticks = re.findall(r'<line class="axis" x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"', drawn)
    assert len([a for a, b in ticks if a == b]) == 4
    assert "range of the driver" in drawn and ">start</text>" in drawn


@pytest.mark.parametrize(
    ("within", "marks"), [((0.0, 360.0), ("0", "360")), ((-30.0, 30.0), ("0", "315"))]
)
def test_the_axis_of_a_branch_that_turns_fully_is_one_turn_from_the_range(
    within: tuple[float, float], marks: tuple[str, str]
) -> None:
    turning = Branch(1, 1, {}, 60.0, 420.0, (), True, np.array([60.0, 420.0]), np.zeros((0, 2, 2)))
    circuit = Circuit(1, "crank", "deg", (turning,), True, "")
    drawn = bars((circuit,), "b", 60.0, within)
    ticks = re.findall(r'class="tick middle"[^>]*>([^<]*)<', drawn)
    assert (ticks[0], ticks[-1]) == marks


def test_the_page_says_what_ends_each_branch_and_which_meet_there() -> None:
    found = Reader(report_page(told()))
    assert found.open == [] and len(found.ids) == len(set(found.ids))
    assert "dead point at boom 616.7 mm: in line at rod <pin>" in found.words
    assert "1 (start)rod <pin> +616.7 mm to 2030.9 mm" in found.words
    assert "circuit 2: branch 3, a full turn" in found.words


def test_a_coupler_curve_has_a_line_for_each_branch_in_the_plane_in_which_it_lies() -> None:
    (chart,) = [c for c in charts(told().studies[1], ()) if c.to_scale]
    assert chart.title == "Coupler curve of boom.tip over the whole of circuit 1"
    assert (chart.across, chart.upward) == ("x, mm", "z, mm")
    assert [c.name for c in chart.curves] == ["branch 1", "branch 2"]
    assert min(chart.curves[1].y) == -100.0


def test_the_result_of_a_check_says_circuits_in_plain_numbers_and_without_all_positions() -> None:
    study = told().to_dict()["studies"][1]
    branch = study["circuits"][0]["branches"][0]
    assert branch["ends"][1]["meets"] == [2] and branch["signs"] == {"rod <pin>": 1}
    assert "positions" not in branch and len(study["coupler_curves"][0]["lines"]) == 2


def test_forces_are_cut_off_where_they_grow_towards_a_dead_point():
    """Of 1 / x, 90 % are at most that of the tenth part of the way; bounds of checks are shown."""
    x = np.linspace(0.001, 1.0, 1000)
    usual = float(np.quantile(1 / x, 0.9))
    assert most_drawn([1 / x], []) == pytest.approx(3 * usual) and usual == pytest.approx(
        10, rel=0.02
    )
    assert most_drawn([-1 / x, x], [-500.0]) == 500.0
    assert most_drawn([x], []) == np.inf


def test_a_finding_says_in_words_only_what_no_column_has() -> None:
    found = check_page._what(
        Finding(
            name="reach",
            kind="point",
            passes=True,
            subject="x of tooth",
            asked="0 mm to 4500 mm",
            found=4221.7,
            unit="mm",
            low=0.0,
            high=4500.0,
            words="x of tooth is 4221.7 mm, asked is 0 mm to 4500 mm; over all of boom",
        )
    )
    assert found == "x of tooth; over all of boom"
