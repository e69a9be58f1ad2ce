"""Timers of the panel."""

from __future__ import annotations

from collections.abc import Callable

from PySide import QtCore


def once(parent: QtCore.QObject, after: int, act: Callable[[], object]) -> QtCore.QTimer:
    """A timer that fires once, some milliseconds after its last start."""
    timer = QtCore.QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(after)
    timer.timeout.connect(act)
    return timer
