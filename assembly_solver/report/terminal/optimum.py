"""The result of an optimisation as tables for a terminal, from the dictionary of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .layout import Block
from .tables import number, table, text


def optimum(result: Mapping[str, Any]) -> list[Block]:
    """Whether the targets are met, the values, and the measures."""
    met = result["outcome"] == "met"
    values = [
        (name, *map(_shown, (v["before"], v["value"], *v["range"])))
        for name, v in result["values"].items()
    ]
    measures = [
        (name, _shown(m["target"]), _shown(m["found"]), number(m["found"] - m["target"]), m["unit"])
        for name, m in result["measures"].items()
    ]
    return [
        text(result["sentence"], "bold green" if met else "bold red"),
        *table(("value", ">before", ">now", ">from", ">to"), values),
        *table(("measure", ">target", ">found", ">off", "unit"), measures),
    ]


def _shown(value: float | None) -> str:
    """A value with eight digits: it is a dimension to be made."""
    return "free" if value is None else f"{value:.8g}"
