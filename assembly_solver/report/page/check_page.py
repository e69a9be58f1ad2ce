"""The report of a check as one self-contained, printable HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, isinf, isnan
from re import escape as escape_pattern, match

from ...checking.findings import DriverStudy, Finding, FourBar, Report, plain
from ...checking.verdicts import shown
from ...foundations.markup.svg_axes import COLOURS, Chart, svg
from ...foundations.markup.visible import escape
from ...foundations.numerics.rounding import FAINT
from ...linkages.circuits.circuit import Circuit
from ...results.wording.phrases import count, listed as listed_words
from .bars import bars
from .charts import charts, scaled
from .page import (
    document,
    facts,
    figure,
    folded,
    header,
    legend,
    line_sample,
    listed,
    paragraphs,
    section,
    table,
)
from .pose_picture import pose_picture
from .tolerance_page import measure_spread, samples_told

MOST_BRANCHES = 12
"""Largest number of branches listed, unless the first circuit has more."""

SHOWN = 8
"""Most rows of extremes that are not behind a fold."""

MEANINGS = {
    "Transmission angle": "acute angle between the two links at their common joint; near 0 the "
    "mechanism jams",
    "Dead point": "a position that the driver cannot pass, or where the motion can go on in two "
    "ways",
    "Mechanical advantage": "force or moment at the output for a unit of force or moment at the "
    "driver, without friction, by virtual work",
    "Forces": "of static equilibrium at each position, without friction, unless said otherwise",
    "Circuit, branch": "all that the mechanism can do without being taken apart; a part of that "
    "from dead point to dead point of the driver, which leads it one way only",
    "Residual": "distance by which the worst mate is off in the computed positions",
}


def report_page(report: Report) -> str:
    """The report of a linkage check as a self-contained HTML page.

    Args:
        report: the result of `check`.

    Returns:
        The text of the file: verdict, every finding, loops of four links with their Grashof class,
        and for each driver its range, dead points, circuits, extremes and charts; what could not be
        determined.  Lengths are in mm, angles in degrees, coordinates in the assembly's frame.
    """
    verdict = _verdict(report)
    told = (
        f'<div class="verdict {verdict}" role="status"><strong>{verdict.upper()}</strong>'
        f"<p>{escape(_told(report))}</p></div>\n"
    )
    body = [
        "<main>\n",
        header("Linkage check", report.name, told + _identity(report)),
        section("Checks", _findings(report.findings)),
        section("Loops of four links", _loops(report.loops)),
        *(_study(study, report.findings, k) for k, study in enumerate(report.studies)),
        *_tolerances(report),
        section("Not said", paragraphs(report.notes)),
    ]
    said = "".join(body).lower()
    known = [(name, escape(what)) for name, what in MEANINGS.items() if _stem(name) in said]
    body += [
        section("What the words mean", facts(known)),
        f"<footer>assembly_solver {escape(report.version)}. Lengths in mm, angles in degrees; "
        "coordinates of the assembly.</footer>\n</main>",
    ]
    return document(f"{report.name}: linkage check", "".join(body), "page/page.css")


def _told(report: Report) -> str:
    """How many checks fail, and the first one of them."""
    if report:
        return f"all {len(report.findings)} pass"
    words = listed_words([f.words for f in report.failed], 1)
    return f"{len(report.failed)} of {len(report.findings)} fail: {words}"


def _stem(name: str) -> str:
    """What a page has that uses a word of `MEANINGS`."""
    return name.partition(",")[0].lower().removesuffix("s")


def _identity(report: Report) -> str:
    parameters = ", ".join(f"{name} = {value:g}" for name, value in report.parameters.items())
    digest = f'<code title="SHA-256 of the file">{escape(report.sha256)}</code>'
    rows = (
        ("File", escape(report.file)),
        ("SHA-256", digest if report.sha256 else ""),
        ("Parameters", escape(parameters)),
    )
    return facts(rows)


def _findings(findings: Sequence[Finding]) -> str:
    rows = []
    for f in findings:
        where = f.place.words if f.place is not None else ""
        cells = (f.name, f.asked, _value(f.found, f.unit), where, _what(f))
        tag = f'<span class="tag {_verdict(f)}">{_verdict(f).upper()}</span>'
        rows.append([tag, *map(escape, cells)])
    columns = ("Result", "Check", "Asked", ">Found", "Where", "!Of what")
    return table("", columns, rows, [_verdict(f) for f in findings])


def _what(found: Finding) -> str:
    """The words of a finding without what the other columns have."""
    _, semicolon, more = found.words.partition("; ")
    value = escape_pattern(shown(found.found, found.unit))
    same = match(rf"{escape_pattern(found.subject)} (is|are) {value}\b", found.words)
    return found.subject + semicolon + more if same else found.words


def _verdict(found: Finding | Report) -> str:
    return "pass" if found else "fail"


def _value(value: float, unit: str) -> str:
    """A number with its unit, forces in a unit of suitable size."""
    if isnan(value):
        return ""
    factor, larger = scaled(unit, abs(value))
    digits = 2 if abs(value) < FAINT else 6
    return f"{factor * value:.{digits}g} {larger}".strip()


def _loops(loops: Sequence[FourBar]) -> str:
    rows = []
    for loop in loops:
        lengths = ", ".join(f"{length:.6g}" for length in loop.lengths)
        cells = (", ".join(loop.joints), lengths, loop.kind, f"{loop.margin:.6g}", loop.words)
        rows.append([escape(cell) for cell in cells])
    columns = ("Joints", "Lengths, mm", "Class", ">Margin of Grashof, mm", "!In words")
    return table("", columns, rows)


def _tolerances(report: Report) -> Iterator[str]:
    """What tolerances do to each measure that a check names."""
    asked = {f.element for f in report.findings if f.kind == "tolerance"}
    for n, analysis in enumerate(report.tolerances):
        result = plain(analysis)
        for k, (name, m) in enumerate(result["measures"].items()):
            if name in asked:
                content = samples_told(result) + measure_spread(name, m, f"t{n}m{k}")
                yield section(f"Tolerances of {name}", content)


# -------------------------------------------------------------------------------- each driver
def _study(study: DriverStudy, findings: Sequence[Finding], number: int) -> str:
    drawn = charts(study, findings)
    figures = "".join(_figure(chart, f"d{number}c{k}") for k, chart in enumerate(drawn))
    return section(
        f"Driver {study.driver}",
        f'<div class="charts">\n{_poses(study, number)}{_driver_facts(study)}</div>\n'
        + _circuits(study, number)
        + _extremes(study)
        + (f'<div class="charts">\n{figures}</div>\n' if figures else ""),
    )


def _poses(study: DriverStudy, number: int) -> str:
    """The mechanism at both ends of what is covered."""
    if not study.poses:
        return ""
    words = [f"{study.driver} = {_value(pose.value, study.unit)}" for pose in study.poses]
    across, upward = study.poses[0].axes
    samples = legend(
        (f'<rect class="pose e{k}" x="1" y="1" width="24" height="6"/>', told)
        for k, told in enumerate(words)
    )
    title = f"Extreme poses, {across} to the right and {upward} up"
    drawing = pose_picture(study.poses, f"d{number}poses", words)
    return figure(title, drawing, samples)


def _driver_facts(study: DriverStudy) -> str:
    unit = study.unit
    lower, upper = (end.words for end in study.ends)
    ends = {lower, upper}
    points = [point.words for point in study.dead_points if point.words not in ends]
    dead = any(end.kind == "dead point" for end in study.ends)
    others = "Dead points beside these" if dead else "Dead points"
    all_of_it = study.range is not None and study.covered == study.range
    changes = [_value(value, unit) for value in study.branch_changes]
    where = f" at {_value(study.residual_at, unit)}" if study.residual > 0 else ""
    residual = f"{study.residual:.2g} mm{where}"
    rows = (
        ("Range asked", escape(_range(study.range, unit))),
        ("Range covered", "all of it" if all_of_it else escape(_range(study.covered, unit))),
        ("Reach of the mechanism", escape(_range(study.reach, unit))),
        ("Both ends" if lower == upper else "Lower end", escape(lower)),
        ("Upper end", "" if lower == upper else escape(upper)),
        (others, listed(points) or "none"),
        ("Limits touched", listed(study.limits) or "none"),
        ("Branch changes", escape(", ".join(changes)) or "none"),
        ("Largest residual", "" if isnan(study.residual) else escape(residual)),
    )
    return facts(rows)


def _circuits(study: DriverStudy, number: int) -> str:
    first, hidden = _few(study.circuits)
    if not first:
        return ""
    rows = [
        (
            str(branch.circuit),
            f"{branch.number}{' (start)' if branch.start else ''}",
            escape(branch.sides),
            escape("full turn" if not branch.ends else _range(branch.interval, study.unit)),
            escape(", ".join(_value(end.value, study.unit) for end in branch.ends)),
            ", ".join(str(k) for k in sorted({k for end in branch.ends for k in end.meets})),
        )
        for circuit in first
        for branch in circuit.branches
    ]
    ends = {
        end.words: None for circuit in first for branch in circuit.branches for end in branch.ends
    }
    drawn = bars(first, f"d{number}circuits", study.start, study.range)
    more = f"and {count(hidden, 'more circuit')}" if hidden else ""
    columns = ("Circuit", "Branch", "Sides of dyads", "Exists", "Ends at", "Meets")
    content = table(more, columns, rows) + facts([("Ends", listed(list(ends)))])
    return (
        f'<div class="charts">{figure(f"Circuits and branches of {study.driver}", drawn)}</div>\n'
        + folded("Where each branch exists and ends", content)
    )


def _few(circuits: Sequence[Circuit]) -> tuple[list[Circuit], int]:
    """The first circuits, with at most `MOST_BRANCHES` branches, and the number of the others."""
    few: list[Circuit] = []
    for circuit in circuits:
        if few and sum(len(c.branches) for c in (*few, circuit)) > MOST_BRANCHES:
            break
        few.append(circuit)
    return few, len(circuits) - len(few)


def _range(ends: tuple[float, float] | None, unit: str) -> str:
    if ends is None or isnan(ends[0]):
        return ""
    if isinf(ends[0]) and isinf(ends[1]):
        return "without end"
    low, high = (f"{end:.7g} {unit}" if isfinite(end) else "without end" for end in ends)
    return f"{low} to {high}"


def _extremes(study: DriverStudy) -> str:
    """Smallest and largest value of every curve, with the values of the driver."""
    rows = []
    for curve in study.curves:
        ends = zip((*curve.least, *curve.greatest), (curve.unit, study.unit) * 2, strict=True)
        values = [_value(value, unit) for value, unit in ends]
        rows.append([escape(cell) for cell in (curve.kind, curve.name, *values)])
    at = f">at {study.driver}"
    columns = ("Quantity", "Of", ">Smallest", at, ">Largest", at)
    content = table("Extremes over the range covered", columns, rows)
    return (
        folded(f"Extremes of {count(len(rows), 'curve')}", content)
        if len(rows) > SHOWN
        else content
    )


def _figure(chart: Chart, name: str) -> str:
    samples = ((line_sample(k % COLOURS), curve.name) for k, curve in enumerate(chart.curves))
    return figure(chart.title, svg(chart, name), legend(samples))
