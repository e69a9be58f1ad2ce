"""Parts and joints as a graph: inline SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...foundations.markup.svg_axes import LETTER, element, line_element, text_element
from ...foundations.markup.visible import escape
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array

if TYPE_CHECKING:
    from networkx import Graph

WIDE, MARGIN = 860.0, 16.0
TALL = 24.0
"""Height of the box of a part, px."""

APART = np.array([30.0, 36.0])
"""Least distance between two boxes, across or upward, px: the name of a joint fits in."""

LONG = 190.0
"""Mean distance of two joined parts, px, where there is room for it."""

ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""Places of the name of a joint on its line."""

BESIDE = (0.0, 15.0, -15.0)
"""Where else it may stand: on its line or on either side of it, px."""

ROUNDS = 200
"""Of pushing boxes apart."""

MOST_PARTS, MOST_NAMED = 60, 30
"""Largest number of parts that are drawn, and of joints whose kinds are written in the drawing."""


def joint_graph(graph: Graph, name: str) -> str:
    """The drawing of `Analysis.graph()`; empty where it has more parts than can be read.

    Mates of more than two parts are dashed lines from a point between their parts.

    Args:
        name: an id, unique in its page.
    """
    if not 2 <= len(graph) <= MOST_PARTS:
        return ""
    names = list(graph)
    sizes = np.array([(LETTER * len(part) + 18.0, TALL) for part in names])
    at = _apart(_laid_out(graph), sizes)
    at -= (at - 0.5 * sizes).min(axis=0) - MARGIN
    wide, tall = ((at + 0.5 * sizes).max(axis=0) + MARGIN).tolist()
    place = dict(zip(names, at, strict=True))
    taken = [*zip(at.tolist(), (0.5 * sizes).tolist(), strict=True)]
    lines, words = _joints(graph, place, taken)
    pieces = [*_couplings(graph, place), *lines]
    pieces += [
        _part(graph, part, place[part], size) for part, size in zip(names, sizes, strict=True)
    ]
    joints = "; ".join(
        f"{d['label']}: {d['kind']}, {a} - {b}" for a, b, d in graph.edges(data=True)
    )
    drawing = element(name, "Parts and joints", joints, tall, [*pieces, *words], wide)
    return f'<div class="scroll graph" style="--wide: {wide:.0f}px">{drawing}</div>\n'


def _laid_out(graph: Graph) -> Array:
    """Positions, (parts, 2) px, whose distances are near those in the graph, the long axis across.

    Source: Kamada and Kawai 1989.
    """
    import networkx

    between = np.asarray(networkx.floyd_warshall_numpy(graph, weight=None))
    between[~np.isfinite(between)] = between[np.isfinite(between)].max() + 1.0
    apart = {
        a: dict(zip(graph, row, strict=True))
        for a, row in zip(graph, between.tolist(), strict=True)
    }
    found = networkx.kamada_kawai_layout(graph, dist=apart, weight=None)
    at = np.array([found[part] for part in graph], float)
    at -= at.mean(axis=0)
    _, _, axes = np.linalg.svd(at, full_matrices=False)
    at = at @ axes.T
    size = np.ptp(at, axis=0)
    place = dict(zip(graph, at, strict=True))
    joined = [place[a] - place[b] for a, b in graph.edges()]
    mean = float(np.mean(np.linalg.norm(joined, axis=1))) if joined else 1.0
    return np.asarray(at * min(LONG / mean, 0.8 * WIDE / max(size[0], 1.4 * size[1])))


def _apart(at: Array, sizes: Array) -> Array:
    """Positions at which no two boxes overlap, pushed along the direction that takes less."""
    at = at.copy()
    for _ in range(ROUNDS):
        moved = False
        for i in range(len(at)):
            for j in range(i):
                off = at[i] - at[j]
                over = 0.5 * (sizes[i] + sizes[j]) + APART - np.abs(off)
                if (over > 0.0).all():
                    axis = int(np.argmin(over))
                    step = 0.5 * over[axis] * (1.0 if off[axis] >= 0.0 else -1.0)
                    at[i, axis] += step
                    at[j, axis] -= step
                    moved = True
        if not moved:
            break
    return at


def _joints(
    graph: Graph, place: dict[str, Array], taken: list[tuple[list[float], list[float]]]
) -> tuple[list[str], list[str]]:
    """Lines, and their names where they overlap least: centres and halves of boxes are taken."""
    named = graph.number_of_edges() <= MOST_NAMED
    lines, words = [], []
    for a, b, joint in graph.edges(data=True):
        lines.append(line_element("joint", *place[a], *place[b]))
        told = f"{joint['label']} {joint['kind']}" if named else joint["label"]
        half = [0.5 * LETTER * len(told), 7.0]
        x, y = (place[b] - place[a]) / max(float(np.hypot(*(place[b] - place[a]))), AGREEMENT)
        tried = [
            (share * place[a] + (1.0 - share) * place[b] + off * np.array([-y, x])).tolist()
            for off in BESIDE
            for share in ALONG
        ]
        at = min(tried, key=lambda place, half=half: _covered(place, half, taken))  # type: ignore[misc]
        taken.append((at, half))
        words.append(text_element("note kind middle", at[0], at[1] + 3.5, told))
    return lines, words


def _covered(
    at: list[float], half: list[float], taken: list[tuple[list[float], list[float]]]
) -> float:
    """The area of a box that others cover, px2."""
    covered = 0.0
    for other, own in taken:
        wide, tall = (half[k] + own[k] - abs(at[k] - other[k]) for k in (0, 1))
        covered += max(wide, 0.0) * max(tall, 0.0)
    return covered


def _couplings(graph: Graph, place: dict[str, Array]) -> list[str]:
    out = []
    for mate in graph.graph["couplings"]:
        ends = np.array([place[part] for part in mate["parts"]])
        x, y = ends.mean(axis=0)
        out += [line_element("joint coupling", x, y, *end) for end in ends]
        out.append(text_element("note kind middle", x, y + 3.5, f"{mate['label']} {mate['kind']}"))
    return out


def _part(graph: Graph, part: str, at: Array, size: Array) -> str:
    x, y = at - 0.5 * size
    kind = "part held" if graph.nodes[part]["grounded"] else "part"
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{size[0]:.1f}" '
        f'height="{size[1]:.1f}" rx="5"/>' + text_element("fine middle", at[0], at[1] + 4, part)
    ).replace("<rect", f"<g><title>{escape(part)}</title><rect", 1) + "</g>"
