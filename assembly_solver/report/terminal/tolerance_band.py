"""Tolerances along a motion as tables for a terminal of 80 columns, from the object of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...results.wording.phrases import count
from ..page.band_page import band_rows, driver_labels
from .layout import Block
from .tables import lines, shortened, text


def tolerance_band(result: Mapping[str, Any]) -> list[Block]:
    """Each measure with its band over the states, then what is to be said."""
    parts: list[Block] = []
    for name, m in result["measures"].items():
        parts.append(text(f"{name}, {m['unit']}", "bold"))
        columns = (*driver_labels(result), *BAND_COLUMNS)
        parts += shortened([f">{c}" for c in columns], band_rows(result, m), "states more")
    told = f"{count(result['samples'], 'sample')} in each state; seed {result['seed']}"
    return [*parts, text(told), *lines("to be said", result["notes"])]


BAND_COLUMNS = ("nominal", "worst, least", "most", "99.73 %, from", "to", "std")
