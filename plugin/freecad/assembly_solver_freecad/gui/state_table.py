"""The states of a motion as a table."""

from __future__ import annotations

from typing import Any

from PySide import QtCore

import assembly_solver as asm

from ..units import digits
from .curve_plot import Curve
from .names import in_user_units


class StateTable(QtCore.QAbstractTableModel):
    """The states of a motion as rows, a column for each curve, in the units of the preferences.

    Args:
        names: all names in the assembly.
    """

    def __init__(
        self, motion: asm.Motion, curves: list[Curve], names: list[str], parent: QtCore.QObject
    ) -> None:
        super().__init__(parent)
        self._motion, self._names = motion, names
        units = [curve.unit() for curve in curves]
        pairs = [*zip(curves, units, strict=True)]
        self._heads = [f"{c.name}\n{unit.symbol}{c.per}" for c, unit in pairs]
        self._columns = [c.values / unit.size for c, unit in pairs]

    def rowCount(self, parent: Any = None) -> int:  # noqa: N802
        """The number of states."""
        return len(self._motion.t)

    def columnCount(self, parent: Any = None) -> int:  # noqa: N802
        """The number of curves."""
        return len(self._columns)

    def data(self, index: Any, role: int = QtCore.Qt.DisplayRole) -> Any:
        """A value, or the reason why there is none."""
        k = index.row()
        if role == QtCore.Qt.ToolTipRole:
            return in_user_units(self._motion.reasons[k], self._names) or None
        if role == QtCore.Qt.TextAlignmentRole:
            return int(QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter)
        if role != QtCore.Qt.DisplayRole:
            return None
        value = float(self._columns[index.column()][k])
        return digits(value) if value == value else "–"

    def headerData(self, section: int, way: Any, role: int = QtCore.Qt.DisplayRole) -> Any:  # noqa: N802
        """Names and units; the number of a state, marked where it is invalid."""
        if role != QtCore.Qt.DisplayRole:
            return None
        if way == QtCore.Qt.Horizontal:
            return self._heads[section]
        return f"{section}" if self._motion.valid[section] else f"{section} ✗"
