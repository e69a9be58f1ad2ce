"""What is drawn of a planar linkage, and how it is laid out on its sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import hypot
from textwrap import wrap

import numpy as np

from ...foundations.types import Array
from ...linkages.scheme.scheme import SPAN, Link, Scheme, Slot

WIDTH, HEIGHT = 520.0, 420.0
MARGIN, HEAD, FOOT = 20.0, 36.0, 30.0
"""Room around what is drawn, above it for the title and below it for the scale, px."""

LINE, LETTERS_A_LINE = 16.0, 74
"""Height of a line of words below the title, px, and the letters that it holds."""

THIN, THICK = 3.2, 6.5
"""Half the width of a bar, px: a share of the lengths of the bars, within these bounds."""


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn.

    Attributes:
        title, words: in the head of the drawing.
        scheme: the linkage.
        at: (points, 2), where its points are drawn, mm.
        motion: (points, 2, states), where they go, mm; NaN where a state cannot be built.
        traced: numbers of the points whose paths are drawn.
        faint: numbers of the states that are drawn faintly behind it.
        drawn: whether the ends of slots were drawn; else they only tell a direction.
    """

    title: str
    words: str
    scheme: Scheme
    at: Array
    motion: Array
    traced: Sequence[int]
    faint: Sequence[int] = ()
    drawn: bool = True

    @cached_property
    def ground(self) -> frozenset[int]:
        """The points of the ground."""
        return frozenset(self.scheme.links[0].points)

    @cached_property
    def joints(self) -> frozenset[int]:
        """Points at which links meet, or that slide."""
        shared = {k for k, links in enumerate(self.scheme.links_at) if len(links) > 1}
        return frozenset(shared | {slot.point for slot in self.scheme.slots})

    @cached_property
    def ends(self) -> frozenset[int]:
        """The ends of slots."""
        return frozenset(end for slot in self.scheme.slots for end in slot.ends)

    @cached_property
    def shown(self) -> list[int]:
        """All points but those that only tell a direction."""
        told = self.joints | self.ends if self.drawn else self.joints
        moving = set(range(len(self.scheme.points))) - self.ground
        return sorted(told | (moving if self.drawn else moving - self.ends))

    def body(self, link: Link) -> list[int]:
        """The points of a link that its outline goes round."""
        if self.drawn:
            return list(link.points)
        return [k for k in link.points if k in self.shown]

    @cached_property
    def guides(self) -> list[tuple[int, Array]]:
        """The slots as number of the link and both tips, (2, 2) mm, each once.

        A slot that was not drawn reaches as far as what slides in it goes; that of a cylinder is
        none, the cylinder is drawn instead.
        """
        own: dict[tuple[int, tuple[int, int]], list[Slot]] = {}
        for slot in self.scheme.slots:
            own.setdefault((slot.link, slot.ends), []).append(slot)
        out = []
        for (link, ends), slots in own.items():
            if not self.drawn and any(self._cylinder(slot) for slot in slots):
                continue
            tips = self.at[list(ends)]
            if not self.drawn:
                along = (tips[1] - tips[0]) / hypot(*(tips[1] - tips[0]))
                ways = np.concatenate([self._ways(slot) for slot in slots])
                tips = tips[0] + np.outer([np.nanmin(ways), np.nanmax(ways)], along)
            out.append((link, tips))
        return out

    def _cylinder(self, slot: Slot) -> bool:
        """Whether an input is the distance of a point of the slot's link and one that slides."""
        sliding = {k for n in self.scheme.links_at[slot.point] for k in self.scheme.links[n].points}
        guiding = set(self.scheme.links[slot.link].points)
        pairs = [set(a.points[:2]) for a in self.scheme.actuators if a.kind == SPAN]
        return any(pair & sliding and pair & guiding for pair in pairs)

    def _ways(self, slot: Slot) -> Array:
        """Of what slides, from the first end of its slot, in all states and as drawn, mm."""
        places = np.concatenate([self.motion, self.at[:, :, None]], axis=2)
        a, b, q = (places[k] for k in (*slot.ends, slot.point))
        found: Array = ((q - a) * (b - a)).sum(axis=0) / np.hypot(*(b - a))
        return found


def tracers(scheme: Scheme, drawn: bool = True) -> list[int]:
    """Points worth tracing where nobody asked: free points of links, else what moves.

    A free point is on one moving link and nothing else; where there is none the ends of slots
    count, but only those that were drawn: others stand for a direction.
    """
    alone = [k for k, links in enumerate(scheme.links_at) if len(links) == 1 and links[0] != 0]
    slides = {slot.point for slot in scheme.slots}
    ends = {end for slot in scheme.slots for end in slot.ends}
    free = [k for k in alone if k not in slides]
    moving = [k for k, links in enumerate(scheme.links_at) if links and 0 not in links]
    moving = [k for k in moving if drawn or k not in ends]
    pins = [k for k in moving if k not in slides]
    return [k for k in free if k not in ends] or (free if drawn else []) or pins or moving


@dataclass(frozen=True, eq=False)
class Sheet:
    """A picture on its sheet: every place in pixels."""

    picture: Picture
    head: float
    scale: float
    middle: Array
    unit: float

    def px(self, places: Array) -> Array:
        """Places (..., 2) in mm as pixels."""
        out: Array = np.array([0.5 * WIDTH, 0.5 * (self.head + HEIGHT - FOOT)]) + self.scale * (
            (np.asarray(places) - self.middle) * (1.0, -1.0)
        )
        return out

    @cached_property
    def at(self) -> Array:
        return self.px(self.picture.at)

    @cached_property
    def supported(self) -> list[int]:
        """The fixed pins."""
        at = self.picture.scheme.links_at
        return [k for k in self.picture.scheme.links[0].points if len(at[k]) > 1]

    @cached_property
    def paths(self) -> list[Array]:
        """The path of each traced point, (states, 2) px."""
        return [self.px(self.picture.motion[k].T) for k in self.picture.traced]


def lines(words: str) -> list[str]:
    """Words in lines as long as the sheet is wide."""
    return wrap(words, LETTERS_A_LINE)


def laid_out(picture: Picture) -> Sheet:
    """The scale at which all that is drawn fits, and the width of bars that goes with it."""
    shown = [picture.at[picture.shown], *(tips for _, tips in picture.guides)]
    shown += [picture.motion[k].T for k in picture.traced]
    shown += [picture.motion[picture.shown, :, k] for k in picture.faint]
    all_places = np.vstack(shown)
    low, high = np.nanmin(all_places, axis=0), np.nanmax(all_places, axis=0)
    head = HEAD + LINE * len(lines(picture.words))
    room = np.array([WIDTH - 2 * MARGIN, HEIGHT - head - FOOT]) - 2 * MARGIN
    scale = float(np.min(room / np.maximum(high - low, 1e-12)))
    spans = [
        hypot(*(picture.at[a] - picture.at[b]))
        for body in map(picture.body, picture.scheme.links[1:])
        for a, b in pairwise(body)
    ]
    unit = min(max(0.1 * scale * float(np.quantile(spans, 0.3)), THIN), THICK) if spans else THICK
    return Sheet(picture, head, scale, 0.5 * (low + high), unit)
