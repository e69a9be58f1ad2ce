"""A linkage drawing that moves: what each link and point does, as animations of SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import hypot

import numpy as np

from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array
from .outlines import number
from .sheet import Sheet


class Movement:
    """The motion of a picture in frames, to wrap elements that were drawn at rest.

    A motion that does not end where it begins goes back by the same way.

    Args:
        frames: number of states that are shown, evenly over the valid ones; between two of them
            what turns is turned and what goes is moved evenly.
        seconds: of one round.
    """

    def __init__(self, sheet: Sheet, frames: int, seconds: float) -> None:
        motion = sheet.picture.motion
        valid = np.flatnonzero(np.isfinite(motion).all(axis=(0, 1)))
        shown = valid[np.linspace(0, len(valid) - 1, min(frames, len(valid))).round().astype(int)]
        if np.abs(motion[:, :, shown[0]] - motion[:, :, shown[-1]]).max() * sheet.scale > 0.5:
            shown = np.concatenate([shown, shown[-2::-1]])  # not closed: more than half a pixel
        self._at = np.moveaxis(sheet.px(np.moveaxis(motion[:, :, shown], 2, 0)), 0, 2)
        self._sheet, self._seconds = sheet, seconds

    def of_link(self, number_of_link: int, element: str) -> str:
        """An element that is drawn on a link, moving with it."""
        points = self._sheet.picture.scheme.links[number_of_link].points
        if not points:
            return element
        still = [k for k in points if np.ptp(self._at[k], axis=1).max() < 0.05]
        rest, pivot = self._sheet.at, (still or list(points))[0]
        ends = max(
            combinations(points, 2),
            key=lambda pair: hypot(*(rest[pair[0]] - rest[pair[1]])),
            default=None,
        )
        return self.of_body(pivot, ends, element)

    def of_body(self, pivot: int, ends: tuple[int, int] | None, element: str) -> str:
        """An element that goes with a point and turns with the line from one point to another."""
        rest = self._sheet.at
        inner = f'<g transform="translate({_pair(-rest[pivot])})">{element}</g>'
        if ends and hypot(*(rest[ends[0]] - rest[ends[1]])) > AGREEMENT:
            along = self._at[ends[1]] - self._at[ends[0]]
            turned = np.degrees(np.unwrap(np.arctan2(along[1], along[0])))
            first = rest[ends[1]] - rest[ends[0]]
            turned -= np.degrees(np.arctan2(first[1], first[0]))
            inner = self._animated("rotate", [number(v) for v in turned.tolist()], inner)
        return self._animated("translate", [_pair(at) for at in self._at[pivot].T], inner)

    def of_point(self, point: int, element: str) -> str:
        """An element that is drawn at a point, going with it without turning."""
        away = self._at[point].T - self._sheet.at[point]
        return self._animated("translate", [_pair(at) for at in away], element)

    def _animated(self, kind: str, values: Sequence[str], inner: str) -> str:
        if len(set(values)) == 1:
            return inner if values[0] in ("0", "0 0") else _placed(kind, values[0], inner)
        return (
            f'<g><animateTransform attributeName="transform" type="{kind}" '
            f'dur="{self._seconds:g}s" repeatCount="indefinite" values="{";".join(values)}"/>'
            f"{inner}</g>"
        )


def _placed(kind: str, value: str, inner: str) -> str:
    return f'<g transform="{kind}({value})">{inner}</g>'


def _pair(at: Array) -> str:
    return f"{number(float(at[0]))} {number(float(at[1]))}"
