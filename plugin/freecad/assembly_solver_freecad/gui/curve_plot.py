"""Curves of a motion: lines over what is led, told apart by colour and by dashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide import QtCore, QtGui

from assembly_solver.freecad import rounded_span, tick_text, ticks

from ..units import Unit, unit_of
from .colours import CURVES, is_dark

Array = NDArray[np.float64]

DASHES: tuple[list[int], ...] = ([], [7, 3], [2, 2], [8, 3, 2, 3])
"""Lengths of dashes and gaps, in widths of the line."""

ROOM, MOST = 6, 5
"""Room about a drawing, pixels, and the number of steps of its axes."""


class Curve(NamedTuple):
    """A scalar over the states of a motion.

    Attributes:
        name: shown; kind: "mm" or "deg"; per: "", "/s" or "/s²"; values: (states,).
        look: number of its colour and dashes.
    """

    name: str
    kind: str
    per: str
    values: Array
    look: int = 0

    def unit(self) -> Unit:
        """The unit of the preferences for its largest value."""
        known = np.abs(self.values[np.isfinite(self.values)])
        return unit_of(self.kind, float(known.max()) if known.size else 0.0)


class Axis(NamedTuple):
    """An axis between round numbers, with numbers at it and their distance."""

    low: float
    high: float
    marks: list[float]
    step: float

    @classmethod
    def of(cls, values: Array, kind: str) -> Axis:
        """The axis for values; those of angles are divided as a protractor is."""
        low, high = rounded_span(values, MOST, kind)
        marks = ticks(low, high, MOST, kind)
        return cls(low, high, marks, marks[1] - marks[0])

    def words(self, value: float) -> str:
        """A number at it."""
        return tick_text(value, self.step)

    def at(self, value: Array | float, begin: float, end: float) -> Any:
        """Pixels of values, between those of its ends."""
        found = begin + (np.asarray(value, float) - self.low) / (self.high - self.low) * (
            end - begin
        )
        return found if found.ndim else float(found)


class Frame(NamedTuple):
    """The curves of one unit where they are drawn.

    Attributes:
        area: in pixels; across, upward: the axes; unit: of the curves, with "per".
        over: values of what is led, (states,); lines: the curves with their values in the unit.
    """

    area: QtCore.QRectF
    across: Axis
    upward: Axis
    unit: str
    over: Array
    lines: list[tuple[Curve, Array]]

    def x(self, value: Array | float) -> Any:
        """Pixels of values of what is led."""
        return self.across.at(value, self.area.left(), self.area.right())

    def y(self, value: Array | float) -> Any:
        """Pixels of values of its curves."""
        return self.upward.at(value, self.area.bottom(), self.area.top())


def pen_of(look: int, on: QtGui.QWidget) -> QtGui.QPen:
    """The pen of a curve on the present background."""
    light, dark = CURVES[look % len(CURVES)]
    pen = QtGui.QPen(QtGui.QColor(dark if is_dark(on) else light), 1.8)
    if dashes := DASHES[look % len(DASHES)]:
        pen.setDashPattern(dashes)
    return pen


def swatch(look: int, on: QtGui.QWidget) -> QtGui.QIcon:
    """A piece of the line of a curve, as an icon."""
    picture = QtGui.QPixmap(32, 12)
    picture.fill(QtCore.Qt.transparent)
    painter = QtGui.QPainter(picture)
    painter.setPen(pen_of(look, on))
    painter.drawLine(1, 6, 31, 6)
    painter.end()
    return QtGui.QIcon(picture)


class CurvePlot(QtGui.QWidget):
    """Draws curves, those of a unit in one frame, and a line at the state that is shown.

    Signals:
        picked: number of the state nearest to where the mouse is pressed.
    """

    picked = QtCore.Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("curves")
        self.setMinimumHeight(90)
        self.setToolTip("Press the mouse to look at a state")
        self._over: Curve | None = None
        self._curves: list[Curve] = []
        self._at = 0

    def show_curves(self, over: Curve | None, curves: Sequence[Curve]) -> None:
        """Show curves over the values of another one."""
        self._over, self._curves = over, [*curves]
        self.update()

    def mark(self, number: int) -> None:
        """Show the line at a state."""
        self._at = number
        self.update()

    # ------------------------------------------------------------------ where things are
    def frames(self) -> list[Frame]:
        """A frame for each unit, one below the other."""
        if self._over is None:
            return []
        size = self._over.unit().size
        over, line = self._over.values / size, self.fontMetrics().height()
        by_kind = {c.kind: [d for d in self._curves if d.kind == c.kind] for c in self._curves}
        found = []
        for k, curves in enumerate(by_kind.values()):
            whole = np.concatenate([c.values for c in curves])
            unit = curves[0]._replace(values=whole).unit()
            lines = [(c, c.values / unit.size) for c in curves]
            upward = Axis.of(whole / unit.size, curves[0].kind)
            words = map(upward.words, upward.marks)
            left = max(map(self.fontMetrics().horizontalAdvance, words)) + 2 * ROOM
            high = (self.height() - line - ROOM) / len(by_kind)
            top = k * high + line + ROOM
            area = QtCore.QRectF(left, top, self.width() - left - 4 * ROOM, high - ROOM)
            area.setBottom(area.bottom() - line - ROOM)
            symbol = f"{unit.symbol}{curves[0].per}"
            found.append(Frame(area, Axis.of(over, self._over.kind), upward, symbol, over, lines))
        left = max((f.area.left() for f in found), default=0)
        for frame in found:
            frame.area.setLeft(left)
        return found

    def state_at(self, x: float) -> int | None:
        """The number of the state drawn nearest to a column of pixels; None where none is."""
        frames = self.frames()
        if not frames or not np.isfinite(frames[0].over).any():
            return None
        return int(np.nanargmin(np.abs(frames[0].x(frames[0].over) - x)))

    # ------------------------------------------------------------------ drawing
    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: N802
        """Draw every frame; or, without any, what is missing."""
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.Antialiasing)
        painter.setPen(self._ink())
        frames = self.frames()
        if not frames or self._over is None:
            words = "Tick a curve below." if self._over else "Curves are drawn after a sweep."
            painter.drawText(self.rect(), QtCore.Qt.AlignCenter, words)
        for frame in frames:
            self._grid(painter, frame)
            self._draw(painter, frame)
        if frames and self._over is not None:
            line = f"over {self._over.name}, {self._over.unit().symbol}"
            box = self.rect().adjusted(0, 0, -ROOM, 0)
            painter.setPen(self._ink())
            painter.drawText(box, QtCore.Qt.AlignRight | QtCore.Qt.AlignTop, line)
            self._numbers(painter, frames[-1])
        painter.end()

    def _ink(self, strength: int = 255) -> QtGui.QColor:
        """The colour of the text, the less the weaker."""
        shade = QtGui.QColor(self.palette().color(self.foregroundRole()))
        shade.setAlpha(strength)
        return shade

    def _grid(self, painter: QtGui.QPainter, frame: Frame) -> None:
        """Lines of a frame, with the numbers and the unit at its left."""
        area, faint = frame.area, QtGui.QPen(self._ink(50), 1.0)
        painter.drawText(QtCore.QPointF(ROOM, area.top() - ROOM), frame.unit)
        for value in frame.across.marks:
            painter.setPen(faint)
            x = frame.x(value)
            painter.drawLine(QtCore.QLineF(x, area.top(), x, area.bottom()))
        for value in frame.upward.marks:
            painter.setPen(faint)
            y = frame.y(value)
            painter.drawLine(QtCore.QLineF(area.left(), y, area.right(), y))
            box = QtCore.QRectF(0, y - 10, area.left() - ROOM, 20)
            painter.setPen(self._ink())
            right = QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter
            painter.drawText(box, right, frame.upward.words(value))

    def _draw(self, painter: QtGui.QPainter, frame: Frame) -> None:
        """The curves of a frame, broken where states do not hold, and the line at the state."""
        for curve, values in frame.lines:
            painter.setPen(pen_of(curve.look, self))
            known = np.isfinite(values) & np.isfinite(frame.over)
            for piece in np.split(np.arange(len(values)), np.flatnonzero(np.diff(known)) + 1):
                if known[piece[0]]:
                    at = zip(frame.x(frame.over[piece]), frame.y(values[piece]), strict=True)
                    painter.drawPolyline(QtGui.QPolygonF([QtCore.QPointF(*p) for p in at]))
        now = float(frame.over[min(self._at, len(frame.over) - 1)])
        if now == now:
            painter.setPen(QtGui.QPen(self._ink(), 1.0))
            x = frame.x(now)
            painter.drawLine(QtCore.QLineF(x, frame.area.top(), x, frame.area.bottom()))

    def _numbers(self, painter: QtGui.QPainter, frame: Frame) -> None:
        """The numbers of what is led, below the last frame."""
        for value in frame.across.marks:
            box = QtCore.QRectF(frame.x(value) - 40, frame.area.bottom(), 80, 20)
            painter.drawText(box, QtCore.Qt.AlignCenter, frame.across.words(value))

    # ------------------------------------------------------------------ the mouse
    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Pick the state under the mouse, and those that it is led over."""
        number = self.state_at(event.pos().x())
        if number is not None:
            self.picked.emit(number)

    mouseMoveEvent = mousePressEvent  # noqa: N815
