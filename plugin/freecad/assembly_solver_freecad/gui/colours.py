"""Colours for light and dark windows."""

from __future__ import annotations

from PySide import QtGui

COLOURS = {
    "good": ("#2e7d32", "#7cc47f"),
    "bad": ("#c62828", "#ff8a80"),
    "note": ("#b26a00", "#ffb74d"),
    "busy": ("#1565c0", "#82b1ff"),
    "moves": ("#1565c0", "#82b1ff"),
    "plain": ("#7a7a7a", "#a0a0a0"),
    "link": ("#0b57b0", "#8ab8ff"),
}
"""Colours by meaning: on a light window, and on a dark one."""

CURVES = (
    ("#0b57b0", "#8ab8ff"),
    ("#b26a00", "#ffb74d"),
    ("#2e7d32", "#7cc47f"),
    ("#8e24aa", "#d7a3e6"),
    ("#00838f", "#6fd3dc"),
    ("#5d4037", "#c8a898"),
)
"""Colours of curves, likewise; their dashes differ, too."""


def colour(widget: QtGui.QWidget, meaning: str) -> str:
    """The colour of a meaning on the present background of a widget."""
    light, dark = COLOURS[meaning]
    return dark if is_dark(widget) else light


def is_dark(widget: QtGui.QWidget) -> bool:
    """Whether a widget has light text on a dark background."""
    widget.ensurePolished()
    return bool(widget.palette().color(widget.foregroundRole()).lightness() > 127)
