"""The widget of notebooks: the viewer of the pages, with its sliders read and set from Python.

It needs `anywidget`, the extra `notebook`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ...errors import BadValue, UnknownName
from ...model.numbers import is_number

SCRIPT = Path(__file__).with_name("viewer.bundle.js")
AS_MODULE = "\nexport default {render: assemblySolverViewer.render};\n"
"""What a notebook asks of the script, which pages have as a classic one."""


class AssemblyWidget(anywidget.AnyWidget):
    """A moving assembly in a notebook.

    Attributes:
        values: where the sliders stand, by name, mm or degrees; set, they move: see `move`.
        height: px.
    """

    _esm = SCRIPT.read_text(encoding="utf-8") + AS_MODULE
    data = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(520).tag(sync=True)
    values = traitlets.Dict().tag(sync=True)

    def __init__(self, data: Mapping[str, Any], height: int) -> None:
        self._ends = {
            axis["name"]: (min(axis["values"]), max(axis["values"]))
            for run in data["runs"]
            for axis in run["axes"]
        }
        super().__init__(data=json.dumps(data, allow_nan=False), height=height)

    def move(self, values: Mapping[str, float]) -> None:
        """Move sliders to values by name, mm or degrees; the others stay.

        Raises:
            UnknownName: no such slider; BadValue: a value that it does not reach.
        """
        for name, value in values.items():
            if name not in self._ends:
                raise UnknownName("slider", name, self._ends)
            low, high = self._ends[name]
            if not (is_number(value) and low <= value <= high):
                raise BadValue(name, value, f"a number from {low:.6g} to {high:.6g}")
        self.values = {**self.values, **{name: float(v) for name, v in values.items()}}
