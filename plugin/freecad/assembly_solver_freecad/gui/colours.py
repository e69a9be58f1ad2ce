"""Colours for light and dark windows."""

from __future__ import annotations

from PySide import QtGui

COLOURS = {
    "good": ("#2e7d32", "#7cc47f"),
    "bad": ("#c62828", "#ff8a80"),
    "note": ("#b26a00", "#ffb74d"),
    "busy": ("#1565c0", "#82b1ff"),
    "plain": ("#7a7a7a", "#a0a0a0"),
    "link": ("#0b57b0", "#8ab8ff"),
}
"""Colours by meaning: on a light window, and on a dark one."""


def colour(widget: QtGui.QWidget, meaning: str) -> str:
    """The colour of a meaning on the present background of a widget."""
    widget.ensurePolished()
    light, dark = COLOURS[meaning]
    text = widget.palette().color(widget.foregroundRole())
    return dark if text.lightness() > 127 else light
