"""A planar linkage as one `<svg>` with its style, light and dark, for a page or as a file."""

from __future__ import annotations

from math import cos, floor, hypot, log10, pi

import numpy as np

from ...foundations.markup.svg_axes import traced
from ...foundations.markup.visible import escape
from ...foundations.numerics.rounding import AGREEMENT, DIGITS
from ...foundations.types import Array
from ...linkages.scheme.scheme import LINEAR, ROTARY, Actuator
from . import outlines
from .labels import along, label_positions, set_name
from .moving_drawing import Movement
from .page import HERE
from .sheet import FOOT, HEIGHT, LINE, MARGIN, WIDTH, Picture, Sheet, laid_out, lines

NAMED = 16
"""Number of points up to which all are labelled; above it only those with drawn paths."""

LETTERS = 13.0
"""Height of the names, px."""

DENSE = 6.0
"""Length of a path from which it is drawn with a fine line, in width plus height of the sheet."""

HEAD = 2.0
"""Length of the head of an arrow, in half widths of a bar."""

STEP = 2.0
"""Distance of points on arrows that labels avoid, px: closer than on links, which are long."""

COLOURS, PATHS = 7, 4
"""Number of colours of links and of paths."""


def svg(
    picture: Picture, name: str = "linkage", seconds: float | None = None, frames: int = 72
) -> str:
    """The drawing as an `<svg>` element.

    Args:
        name: an id, unique in its page.
        seconds: of one round of its motion, where it moves; then nothing is drawn faintly behind.
        frames: number of states that are shown of it.
    """
    sheet = laid_out(picture)
    moving = None if seconds is None else Movement(sheet, frames, seconds)
    bare = moving is not None and not picture.drawn  # PART.FEATURE is too long to go about
    of_link = moving.of_link if moving else _at_rest
    of_point = moving.of_point if moving else _at_rest
    style = (HERE / "page/drawing.css").read_text(encoding="utf-8")
    elements = [
        f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1:g}" height="{HEIGHT - 1:g}" rx="8"/>',
        *([] if moving else _ghosts(sheet)),
        *_rails(sheet),
        *_feet(sheet),
        *(of_link(n, element) for n, element in _links(sheet)),
        *_paths(sheet),
        *(of_point(k, element) for k, element in _joints(sheet)),
        *_drives(sheet, moving),
        *(of_point(k, element) for k, element in ([] if bare else _names(sheet))),
        *_words(sheet),
    ]
    return (
        f'<svg class="linkage" role="img" aria-labelledby="{name}-title {name}-words" '
        f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{name}-title">{escape(picture.title)}</title>'
        f'<desc id="{name}-words">{escape(_described(picture))}</desc>'
        f"<style>\n{style}</style>\n" + "\n".join(elements) + "\n</svg>\n"
    )


def _at_rest(_: int, element: str) -> str:
    return element


# -------------------------------------------------------------------------------------- ground
def _rails(sheet: Sheet) -> list[str]:
    """The slots of the ground: two lines, hatched on the side away from the linkage."""
    out = []
    for a, b in (sheet.px(tips) for link, tips in sheet.picture.guides if link == 0):
        half, away = 1.9 * sheet.unit, _away(sheet, a, b)
        out.append(_path("slot", outlines.strip(a, b, half)))
        edge = half * away
        out.append(_path("hatch", outlines.hatch(a + edge, b + edge, away, sheet.unit)))
    return out


def _away(sheet: Sheet, a: Array, b: Array) -> Array:
    """The unit vector across a slot of the ground, away from the linkage, (2,)."""
    aside: Array = np.array([a[1] - b[1], b[0] - a[0]]) / hypot(*(b - a))
    middle = np.mean(sheet.at[sheet.picture.shown], axis=0)
    return aside if (0.5 * (a + b) - middle) @ aside >= 0 else -aside


def _feet(sheet: Sheet) -> list[str]:
    out = []
    for k in sheet.supported:
        down = _free_side(sheet, k)
        triangle, line, hatch = outlines.foot(sheet.at[k], down, sheet.unit)
        out += [_path("hatch", hatch), _path("line", line), _path("foot", triangle)]
    return out


def _free_side(sheet: Sheet, point: int) -> Array:
    """Down, or the direction farthest from the links of the point where one points down."""
    links = [sheet.picture.scheme.links[n] for n in sheet.picture.scheme.links_at[point] if n]
    others = [k for link in links for k in link.points if k != point]
    directions = [sheet.at[k] - sheet.at[point] for k in others]
    units = [way / hypot(*way) for way in directions if way.any()]
    sides = [np.array(side) for side in ((0.0, 1.0), (-1.0, 0.0), (1.0, 0.0), (0.0, -1.0))]
    crowd = [max((float(unit @ side) for unit in units), default=-1.0) for side in sides]
    return sides[0] if crowd[0] < 0.75 else sides[int(np.argmin(crowd))]


# --------------------------------------------------------------------------------------- links
def _ghosts(sheet: Sheet) -> list[str]:
    out = []
    for state in sheet.picture.faint:
        at = sheet.px(sheet.picture.motion[:, :, state])
        lines = [
            outlines.polyline(corners, closed=len(corners) > 2)
            for link in sheet.picture.scheme.links[1:]
            if len(body := sheet.picture.body(link)) > 1
            and len(corners := outlines.hull(at[body])) > 1
        ]
        out.append(_path("ghost", "".join(lines)))
    return out


def _links(sheet: Sheet) -> list[tuple[int, str]]:
    """Every moving link, by number, the largest at the back, and the slots in them."""
    picture = sheet.picture
    out: list[tuple[int, str]] = []
    bodies = [(n, picture.body(link)) for n, link in enumerate(picture.scheme.links) if n]
    for n, body in sorted(bodies, key=lambda entry: -_area(sheet.at[entry[1]])):
        name = f"<title>{escape(picture.scheme.links[n].name)}</title>"
        guides = [sheet.px(tips) for link, tips in picture.guides if link == n]
        corners = np.vstack([sheet.at[body], *guides])
        if len(corners):
            outline = outlines.rounded(corners, (1.9 if guides else 1.0) * sheet.unit)
            kind = f"link l{(n - 1) % COLOURS}"
            out.append((n, f'<path class="{kind}" d="{outline}">{name}</path>'))
        out += [(n, _path("slot", _channel(sheet, tips))) for tips in guides]
    return out


def _area(corners: Array) -> float:
    if not len(corners):
        return 0.0
    x, y = outlines.hull(corners).T
    return 0.5 * abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1)))


def _channel(sheet: Sheet, tips: Array) -> str:
    """A slot in a moving link, shortened where its end is a pin."""
    along_it = (tips[1] - tips[0]) / max(hypot(*(tips[1] - tips[0])), AGREEMENT)
    joints = sheet.at[sorted(sheet.picture.joints & sheet.picture.ends)]
    room = [
        2.6 * sheet.unit if len(joints) and np.hypot(*(joints - tip).T).min() < DIGITS else 0.0
        for tip in tips
    ]
    inner = tips + np.outer([room[0], -room[1]], along_it)
    return outlines.rounded(inner, 0.95 * sheet.unit)


def _paths(sheet: Sheet) -> list[str]:
    out = []
    for k, (point, path) in enumerate(zip(sheet.picture.traced, sheet.paths, strict=True)):
        name = f"<title>path of {escape(sheet.picture.scheme.points[point])}</title>"
        line = traced(path[:, 0], path[:, 1])
        length = np.nansum(np.hypot(*np.diff(path, axis=0).T))
        fine = " fine" if length > DENSE * (WIDTH + HEIGHT) else ""
        out.append(f'<path class="path{fine} p{k % PATHS}" d="{line}">{name}</path>')
    return out


def _joints(sheet: Sheet) -> list[tuple[int, str]]:
    """A circle for every pin, a dot for every traced point, each with the point's number."""
    pins, radius = sorted(sheet.picture.joints), 0.62 * sheet.unit + 0.6
    out = [(k, _circle("joint", sheet.at[k], radius)) for k in pins]
    for n, k in enumerate(sheet.picture.traced):
        free = k not in sheet.picture.joints
        radius = 0.6 * sheet.unit + 1.0 if free else 0.3 * sheet.unit + 0.6
        out.append((k, _circle(f"spot s{n % PATHS}", sheet.at[k], radius)))
    return out


# -------------------------------------------------------------------------------------- drives
def _drives(sheet: Sheet, moving: Movement | None) -> list[str]:
    """Each input: an arrow around its pin or along its slot, or a cylinder."""
    out = []
    for actuator in sheet.picture.scheme.actuators:
        if actuator.kind == ROTARY:
            out += _rotary_arrow(sheet, actuator)
        elif actuator.kind == LINEAR:
            out += _linear_arrow(sheet, actuator)
        else:
            a, b = actuator.points[:2]
            outline = outlines.cylinder(sheet.at[a], sheet.at[b], sheet.unit)
            barrel, rod = (_path("barrel", data) for data in outline)
            if moving:
                barrel, rod = moving.of_body(a, (a, b), barrel), moving.of_body(b, (a, b), rod)
            out += [rod, barrel]
    return out


def _rotary_arrow(sheet: Sheet, actuator: Actuator) -> list[str]:
    pin, (radius, begin, end) = sheet.at[actuator.points[1]], _arc(sheet, actuator)
    arc, tip = outlines.turning(pin, radius, begin, end, HEAD * sheet.unit)
    return [_path("drive", arc), _path("head", tip)]


def _arc(sheet: Sheet, actuator: Actuator) -> tuple[float, float, float]:
    """The arrow of a turning input: its radius, px, and from where to where it goes, rad.

    It is next to the driven link, in the positive sense of the input, clear of the support.
    """
    _, pin, arm = actuator.points
    sense = -1.0 if actuator.factor >= 0 else 1.0  # y points up here, down on the screen
    ray = outlines.direction(sheet.at[arm] - sheet.at[pin])
    down = outlines.direction(_free_side(sheet, pin))
    begins = (ray + 0.45 * sense, ray - (0.45 + 0.5 * pi) * sense)
    begin = min(begins, key=lambda t: round(cos(t + 0.25 * pi * sense - down), 6))
    radius = min(4.2 * sheet.unit, 0.75 * hypot(*(sheet.at[arm] - sheet.at[pin])))
    return max(radius, 2.4 * sheet.unit), begin, begin + sense * 0.5 * pi


def _linear_arrow(sheet: Sheet, actuator: Actuator) -> list[str]:
    begin, end = _line(sheet, actuator)
    unit = (end - begin) / hypot(*(end - begin))
    line = outlines.polyline(np.array([begin, end]))
    return [_path("drive", line), _path("head", outlines.arrow(end, unit, HEAD * sheet.unit))]


def _line(sheet: Sheet, actuator: Actuator) -> tuple[Array, Array]:
    """The arrow of a sliding input, from where to where, (2,) px each, without its head.

    It is next to the slot, in the positive sense of the input, clear of the sliding link.
    """
    p, q, r = sheet.at[list(actuator.points)]
    unit = (r - p) / hypot(*(r - p)) * (1.0 if actuator.factor >= 0 else -1.0)
    aside = np.array([unit[1], -unit[0]])
    scheme = sheet.picture.scheme
    bodies = [scheme.links[n].points for n in scheme.links_at[actuator.points[1]]]
    middle = np.mean([sheet.at[k] for points in bodies for k in points], axis=0)
    if (middle - q) @ aside > 0.0:
        aside = -aside
    begin = q + 4.0 * sheet.unit * aside + sheet.unit * unit
    return begin, begin + 5.0 * sheet.unit * unit


def _on_drives(sheet: Sheet) -> list[Array]:
    """Points on the arrows of the inputs, heads too, and on the outlines of cylinders, px."""
    out: list[Array] = []
    for actuator in sheet.picture.scheme.actuators:
        if actuator.kind == ROTARY:
            radius, begin, end = _arc(sheet, actuator)
            far = end + HEAD * sheet.unit / radius * (1.0 if end > begin else -1.0)
            t = np.linspace(begin, far, max(2, int(radius * abs(far - begin) / STEP) + 1))
            turned = np.stack([np.cos(t), np.sin(t)], axis=-1)
            out.append(sheet.at[actuator.points[1]] + radius * turned)
        elif actuator.kind == LINEAR:
            a, b = _line(sheet, actuator)
            out.append(along(a, b + HEAD * sheet.unit * (b - a) / hypot(*(b - a)), STEP))
        else:
            a, b = sheet.at[list(actuator.points[:2])]
            aside = 1.25 * sheet.unit * np.array([a[1] - b[1], b[0] - a[0]]) / hypot(*(b - a))
            out += [along(a, b), along(a + aside, b + aside), along(a - aside, b - aside)]
    return out


# --------------------------------------------------------------------------------------- words
def _names(sheet: Sheet) -> list[tuple[int, str]]:
    """The names of the points, by number, where they overlap least."""
    picture = sheet.picture
    shown = picture.shown
    if not picture.drawn:  # sliding points without a drawn slot have generated names
        shown = [k for k in shown if len(picture.scheme.links_at[k]) > 1 or k in picture.traced]
    if len(shown) > NAMED:
        shown = list(picture.traced)
    words = [picture.scheme.points[k] for k in shown]
    box = np.array([[4.0, sheet.head], [WIDTH - 4.0, HEIGHT - FOOT]])
    away = 1.25 * sheet.unit + 2.5
    middles = label_positions(sheet.at[shown], words, _drawn(sheet), LETTERS, away, box)
    named = zip(shown, middles, words, strict=True)
    return [(k, set_name(at, name)) for k, at, name in named]


def _drawn(sheet: Sheet) -> Array:
    """Points on everything that names should not cover, (n, 2) px."""
    picture, unit = sheet.picture, sheet.unit
    taken = [sheet.at, *(path[np.isfinite(path[:, 0])][::2] for path in sheet.paths)]
    for body in filter(None, map(picture.body, picture.scheme.links[1:])):
        corners = outlines.hull(sheet.at[body])
        taken += [along(corners[k - 1], corners[k]) for k in range(len(corners))]
    for link, (a, b) in ((link, sheet.px(tips)) for link, tips in picture.guides):
        away = unit * _away(sheet, a, b)
        depths = (1.9, -1.9, 2.5, 3.1) if link == 0 else (1.9, -1.9)  # a ground's is hatched
        taken += [along(a + depth * away, b + depth * away) for depth in depths]
    taken += _on_drives(sheet)
    for k in sheet.supported:
        down = _free_side(sheet, k)
        across = 2.9 * unit * np.array([-down[1], down[0]])
        for depth in (2.0, 3.5):
            base = sheet.at[k] + depth * unit * down
            taken.append(along(base - across, base + across))
    return np.vstack(taken)


def _words(sheet: Sheet) -> list[str]:
    picture = sheet.picture
    length = _round_length(0.22 * WIDTH / sheet.scale)
    right, low = WIDTH - MARGIN, HEIGHT - 13.0
    left = right - length * sheet.scale
    bar = f"M{left:.1f} {low - 4:.1f}v4H{right:.1f}v-4"
    return [
        f'<text class="title" x="{MARGIN:g}" y="27">{escape(picture.title)}</text>',
        *(
            f'<text class="words" x="{MARGIN:g}" y="{44 + LINE * k:g}">{escape(line)}</text>'
            for k, line in enumerate(lines(picture.words))
        ),
        _path("hatch", bar),
        f'<text class="scale" x="{left - 7:.1f}" y="{low + 1:.1f}">{length:g} mm</text>',
    ]


def _round_length(most: float) -> float:
    """The largest of 1, 2, 5 times a power of ten not above `most`, mm."""
    ten = 10.0 ** floor(log10(most))
    return max(float(f"{ten * s:.6g}") for s in (1, 2, 5) if ten * s <= most)


def _described(picture: Picture) -> str:
    links = ", ".join(link.name for link in picture.scheme.links[1:])
    names = ", ".join(picture.scheme.points[k] for k in picture.traced)
    return f"{picture.words} Links: {links}. Paths of {names or 'none'}."


def _path(kind: str, data: str) -> str:
    return f'<path class="{kind}" d="{data}"/>'


def _circle(kind: str, at: Array, radius: float) -> str:
    x, y = (outlines.number(value) for value in at.tolist())
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="{radius:.1f}"/>'
