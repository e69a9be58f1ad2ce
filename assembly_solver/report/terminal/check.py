"""A check as tables for a terminal of 80 columns, from the plain dictionary of `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...results.wording.phrases import count
from .layout import Block
from .tables import lines, number, shortened, text, verdict

Result = Mapping[str, Any]


def check(result: Result) -> list[Block]:
    """Sentence, findings, drivers, circuits, loops of four links."""
    return [
        verdict(result["sentence"], result["passes"]),
        *_origin(result),
        *_findings(result),
        *lines("drivers", [study["sentence"] for study in result["studies"]]),
        *lines("circuits", _circuits(result)),
        *lines("loops of four links", [loop["words"] for loop in result["loops"]]),
        *lines("not said", result["notes"]),
    ]


def _circuits(result: Result) -> list[str]:
    """The circuit at the start of each driver, and the number of others."""
    out = []
    for study in result["studies"]:
        out += [c["words"] for c in study["circuits"] if c["start"]]
        others = sum(not c["start"] for c in study["circuits"])
        if others:
            out.append(f"{study['driver']}: {count(others, 'other circuit')}")
    return out


def _origin(result: Result) -> list[Block]:
    out: list[Block] = []
    if result["file"]:
        out.append(text(f"{result['file']}, SHA-256 {result['sha256'][:16]}...", style="dim"))
    values = [f"{name} = {number(value)}" for name, value in result["parameters"].items()]
    return [*out, text("parameters: " + ", ".join(values))] if values else out


def _findings(result: Result) -> list[Block]:
    found = result["findings"]
    rows = [("pass" if f["passes"] else "FAIL", f["name"], f["words"]) for f in found]
    styles = [None if f["passes"] else "red" for f in found]
    return shortened(("", "check", "what was found"), rows, "more", styles)
