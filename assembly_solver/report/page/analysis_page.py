"""The structure of an assembly as one self-contained page: joints, and equations by blocks."""

from __future__ import annotations

from collections.abc import Sequence

from ...foundations.markup.visible import escape
from ...results.analysis import Analysis
from ...results.graphs import SETS, NamedEquations
from .incidence_picture import by_blocks, in_order
from .joint_graph import joint_graph
from .page import document, facts, figure, header, paragraphs, section, table

STYLE = "page/page.css page/structure.css"

MOST_DRAWN, MOST_COLUMNS = 12, 400
"""Largest number of systems that are drawn, and of unknowns of one of them."""

LEGEND = (
    '<ul class="legend"><li><span class="chip well"></span>well-determined: solved in this order'
    '</li><li><span class="chip under"></span>under-determined: leaves freedoms</li>'
    '<li><span class="chip over"></span>over-determined: more equations than unknowns</li>'
    '<li><span class="chip entry"></span>matched: the equation determines this unknown</li></ul>'
)

MEANINGS = (
    "Each row is an equation of a mate or of a driver with a value, each column an unknown of a "
    "part; a square says that the equation reads the unknown. By blocks, no equation reads what "
    "stands right of its block: block after block is solved. These counts are those of general "
    "dimensions; the rank says what is true at this pose."
)


def analysis_page(analysis: Analysis) -> str:
    """The page: counts, the graph of joints, and each system before and after its decomposition."""
    result = analysis.to_dict()
    systems = [s for s in analysis.systems() if s.rows]
    kind, sentence = "pass" if analysis else "fail", escape(result["sentence"])
    told = f'<div class="verdict {kind}" role="status"><p>{sentence}</p></div>\n'
    body = [
        "<main>\n",
        header("Structure", result["name"], told + paragraphs(result["mobility"])),
        section("Parts and joints", _joints(analysis)),
        section("Equations and unknowns", _systems(systems)),
        section("Steps of the solve", _steps(analysis)),
        "<footer>Lengths in mm, angles in degrees.</footer>\n</main>",
    ]
    return document(f"{result['name']}: structure", "".join(body), STYLE)


def _joints(analysis: Analysis) -> str:
    graph = analysis.graph()
    drawn = joint_graph(graph, "joints")
    known = ["unknown" if p["freedoms"] is None else str(p["freedoms"]) for p in analysis.pairs]
    rows = [
        [*map(escape, (p["label"], p["kind"], " - ".join(p["parts"]), ", ".join(p["mates"]))), free]
        for p, free in zip(analysis.pairs, known, strict=True)
    ]
    columns = ("Joint", "Kind", "!Parts", "!Mates", ">Freedoms")
    return drawn + table("What two parts are joined by", columns, rows)


def _systems(systems: Sequence[NamedEquations]) -> str:
    drawn = [s for s in systems if len(s.columns) <= MOST_COLUMNS][:MOST_DRAWN]
    told = [MEANINGS] if drawn else []
    if len(drawn) < len(systems):
        told.append(f"{len(systems) - len(drawn)} more systems of equations are not drawn.")
    return paragraphs(told) + LEGEND * bool(drawn) + "".join(map(_system, drawn))


def _system(system: NamedEquations) -> str:
    key = f"s{system.component}"
    blocks = system.system.blocks()
    rows = []
    for k, (kind, equations, unknowns) in enumerate(blocks, 1):
        mates = dict.fromkeys(system.rows[r][1] for r in equations)
        parts = dict.fromkeys(system.columns[c][0] for c in unknowns)
        size = f"{len(equations)} × {len(unknowns)}"
        words = (f"{SETS[kind]}-determined", size, ", ".join(parts), ", ".join(mates))
        rows.append([str(k), *map(escape, words)])
    columns = (">Block", "Kind", ">Size", "!Unknowns of", "!Equations of")
    size = f"{len(system.rows)} in {len(system.columns)} unknowns"
    matched = str(system.system.decomposition.structural_rank)
    return (
        f"<h3>{escape(', '.join(system.parts[:8]))}{' ...' if len(system.parts) > 8 else ''}</h3>\n"
        + facts([("Equations", size), ("Matched", matched)])
        + '<div class="charts">\n'
        + figure("Before: in the order of mates and parts", in_order(system, f"{key}a"))
        + figure("After: Dulmage-Mendelsohn blocks", by_blocks(system, f"{key}b"))
        + "</div>\n"
        + table("Blocks in solving order", columns, rows)
    )


def _steps(analysis: Analysis) -> str:
    rows = [
        [str(s["number"]), *map(escape, (s["action"], ", ".join(s["parts"]), s["words"]))]
        for s in analysis.steps
    ]
    return table("From the held parts outward", (">Step", "Does", "!Parts", "!How"), rows)
