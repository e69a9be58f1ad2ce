"""The content of a linkage drawing, and its layout on the sheet in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import hypot
from textwrap import wrap

import numpy as np

from ...foundations.numerics.rounding import ROUNDING
from ...foundations.types import Array
from ...linkages.scheme.scheme import SPAN, Scheme, SchemeLink, SchemeSlot

WIDTH, HEIGHT = 520.0, 420.0
MARGIN, HEAD, FOOT = 20.0, 36.0, 30.0
"""Margins around the drawing, above it for the title and below it for the scale, px."""

LINE, LETTERS_A_LINE = 16.0, 74
"""Height of a line of the note below the title, px, and its length in letters."""

THIN, THICK = 3.2, 6.5
"""Bounds of half the width of a bar, px, which is proportional to the lengths of the bars."""


@dataclass(frozen=True, eq=False)
class Picture:
    """The content of a linkage drawing.

    Attributes:
        title, words: in the head of the drawing.
        at: (points, 2), positions at which the points are drawn, mm.
        motion: (points, 2, states), positions in all states, mm; NaN in invalid states.
        traced: points whose paths are drawn; faint: states drawn in the background; by number.
        drawn: whether the assembly is a drawing, with slots that end; else the ends of slots only
            define their direction.
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
        """Numbers of the points of the ground."""
        return frozenset(self.scheme.links[0].points)

    @cached_property
    def joints(self) -> frozenset[int]:
        """Numbers of the points at which links meet, or that slide."""
        shared = {k for k, links in enumerate(self.scheme.links_at) if len(links) > 1}
        return frozenset(shared | {slot.point for slot in self.scheme.slots})

    @cached_property
    def ends(self) -> frozenset[int]:
        """Numbers of the ends of slots."""
        return frozenset(end for slot in self.scheme.slots for end in slot.ends)

    @cached_property
    def shown(self) -> list[int]:
        """Numbers of all points but those that only define a direction."""
        fixed = self.joints | self.ends if self.drawn else self.joints
        moving = set(range(len(self.scheme.points))) - self.ground
        return sorted(fixed | (moving if self.drawn else moving - self.ends))

    def body(self, link: SchemeLink) -> list[int]:
        """Numbers of the points of a link that its outline encloses."""
        if self.drawn:
            return list(link.points)
        return [k for k in link.points if k in self.shown]

    @cached_property
    def guides(self) -> list[tuple[int, Array]]:
        """Each slot once, as number of the link and both ends, (2, 2) mm.

        A slot without drawn ends is as long as the travel of its sliding point; that of a cylinder
        is skipped, as the cylinder is drawn instead.
        """
        own: dict[tuple[int, tuple[int, int]], list[SchemeSlot]] = {}
        for slot in self.scheme.slots:
            own.setdefault((slot.link, slot.ends), []).append(slot)
        out = []
        for (link, ends), slots in own.items():
            if not self.drawn and any(self._cylinder(slot) for slot in slots):
                continue
            tips = self.at[list(ends)]
            if not self.drawn:
                along = (tips[1] - tips[0]) / hypot(*(tips[1] - tips[0]))
                travel = np.concatenate([self._travel(slot) for slot in slots])
                tips = tips[0] + np.outer([np.nanmin(travel), np.nanmax(travel)], along)
            out.append((link, tips))
        return out

    def _cylinder(self, slot: SchemeSlot) -> bool:
        """Whether an input is the distance of a point of the slot's link to a sliding one."""
        sliding = {k for n in self.scheme.links_at[slot.point] for k in self.scheme.links[n].points}
        guiding = set(self.scheme.links[slot.link].points)
        pairs = [set(a.points[:2]) for a in self.scheme.actuators if a.kind == SPAN]
        return any(pair & sliding and pair & guiding for pair in pairs)

    def _travel(self, slot: SchemeSlot) -> Array:
        """Distance of the sliding point from the first end of its slot, all states, mm."""
        places = np.concatenate([self.motion, self.at[:, :, None]], axis=2)
        a, b, q = (places[k] for k in (*slot.ends, slot.point))
        found: Array = ((q - a) * (b - a)).sum(axis=0) / np.hypot(*(b - a))
        return found


def tracers(scheme: Scheme, drawn: bool = True) -> list[int]:
    """Numbers of the points that are traced by default: free points of links, else moving points.

    A free point is on one moving link only.  Ends of slots count where there is no other, and only
    in a drawing: otherwise they define a direction.
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
    """A picture on its sheet: all points in pixels."""

    picture: Picture
    head: float
    scale: float
    middle: Array
    unit: float

    def px(self, places: Array) -> Array:
        """Points (..., 2) in mm as pixels."""
        centre = np.array([0.5 * WIDTH, 0.5 * (self.head + HEIGHT - FOOT)])
        out: Array = centre + self.scale * ((np.asarray(places) - self.middle) * (1.0, -1.0))
        return out

    @cached_property
    def at(self) -> Array:
        return self.px(self.picture.at)

    @cached_property
    def supported(self) -> list[int]:
        """Numbers of the fixed pins."""
        at = self.picture.scheme.links_at
        return [k for k in self.picture.scheme.links[0].points if len(at[k]) > 1]

    @cached_property
    def paths(self) -> list[Array]:
        """The path of each traced point, (states, 2) px."""
        return [self.px(self.picture.motion[k].T) for k in self.picture.traced]


def lines(words: str) -> list[str]:
    """Words wrapped to the width of the sheet."""
    return wrap(words, LETTERS_A_LINE)


def laid_out(picture: Picture) -> Sheet:
    """A sheet with the scale at which the drawing fits, and the width of bars in proportion."""
    shown = [picture.at[picture.shown], *(tips for _, tips in picture.guides)]
    shown += [picture.motion[k].T for k in picture.traced]
    shown += [picture.motion[picture.shown, :, k] for k in picture.faint]
    everything = np.vstack(shown)
    low, high = np.nanmin(everything, axis=0), np.nanmax(everything, axis=0)
    head = HEAD + LINE * len(lines(picture.words))
    room = np.array([WIDTH - 2 * MARGIN, HEIGHT - head - FOOT]) - 2 * MARGIN
    scale = float(np.min(room / np.maximum(high - low, ROUNDING)))
    spans = [
        hypot(*(picture.at[a] - picture.at[b]))
        for body in map(picture.body, picture.scheme.links[1:])
        for a, b in pairwise(body)
    ]
    unit = min(max(0.1 * scale * float(np.quantile(spans, 0.3)), THIN), THICK) if spans else THICK
    return Sheet(picture, head, scale, 0.5 * (low + high), unit)
