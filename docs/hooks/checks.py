"""A page for each kind of check, made of the registry, with an example that was run."""

from __future__ import annotations

import inspect
import json
from typing import Any

from kinds import entry, run, written

from assembly_solver.model.check import Check
from assembly_solver.model.checks import CHECKS

FOUR_BAR = 'a = asm.read("samples/four_bar.assembly.json")'
HINGE = 'a = asm.read("samples/hinge.assembly.json")'
GATE = """a = asm.Assembly("gate")
a.add("post", grounded=True,
      features={"pin": asm.Axis((0, 0, 0), "z"), "foot": asm.Point((0, -300, 0))})
a.add("gate", features={"pin": asm.Axis((0, 0, 0), "z"), "eye": asm.Point((400, 0, 0)),
                        "tip": asm.Point((800, 0, 0))})
a.mate("revolute", "post.pin", "gate.pin", name="hinge")
a.cylinder("ram", pins=("post.foot", "gate.eye"), closed=420, stroke=200, value=500,
           bore=40, rod=20, pressure=10)
a.load("gate.tip", force=(0, -100, 0), name="wind")"""
CLUTCH = 'a = asm.read("samples/one_way_clutch.assembly.json")'
SCENES = {
    FOUR_BAR: "Of the crank-rocker among the samples:",
    HINGE: "Of the door among the samples:",
    CLUTCH: "Of the one-way clutch among the samples, which states tolerances and a measure:",
    GATE: "Of a gate that a cylinder turns against a load at its tip:",
}

EXAMPLES: dict[str, tuple[str, dict[str, Any]]] = {
    "dof": (FOUR_BAR, {"equals": 1}),
    "redundant": (FOUR_BAR, {"max": 3}),
    "modes": (FOUR_BAR, {"equals": 2}),
    "grashof": (FOUR_BAR, {"equals": "crank-rocker"}),
    "range": (FOUR_BAR, {"driver": "crank", "covers": (0, 360)}),
    "dead_points": (FOUR_BAR, {"driver": "crank"}),
    "branch_changes": (FOUR_BAR, {}),
    "branch": (FOUR_BAR, {"driver": "crank", "covers": (0, 360)}),
    "circuit": (FOUR_BAR, {"driver": "crank", "covers": (0, 360)}),
    "limits": (HINGE, {}),
    "residual": (FOUR_BAR, {"max": 1e-6}),
    "transmission_angle": (FOUR_BAR, {"at": "rocker pin", "min": 45}),
    "mechanical_advantage": (
        FOUR_BAR,
        {"driver": "crank", "joint": "rocker pivot", "over": (60, 120), "max": 5},
    ),
    "output_force": (
        GATE,
        {"driver": "ram", "point": "gate.tip", "direction": "y", "over": (450, 600), "min": 1000},
    ),
    "force": (GATE, {"driver": "ram", "over": (450, 600)}),
    "coordinate": (FOUR_BAR, {"joint": "rocker pivot", "min": 90, "max": 145}),
    "point": (FOUR_BAR, {"point": "coupler.tracer", "y": (0, 165)}),
    "speed": (FOUR_BAR, {"point": "coupler.tracer", "speed": 360, "max": 1000}),
    "tolerance": (CLUTCH, {"measure": "phi", "cpk": 1.33, "samples": 2000}),
    "contact": (FOUR_BAR, {"parts": ("crank", "rocker")}),
    "clearance": (FOUR_BAR, {"parts": ("crank", "rocker"), "min": 5}),
}
"""An example of each kind: the assembly, and the parameters."""


def pages() -> dict[str, str]:
    """The pages of all kinds of checks by their place on the site."""
    return {f"checks/{kind}.md": page(cls) for kind, cls in CHECKS.items()}


def page(cls: type[Check]) -> str:
    """What a check asks, its parameters, an example in Python and as a file."""
    told = [f"# {cls.kind}", inspect.getdoc(cls) or "", "## Parameters", parameters(cls)]
    told += [f"Required: {_or(group)}." for group in cls.needs]
    told += [f"At most one of {_or(group)}." for group in cls.one_of]
    names, printed = run(script(cls.kind))
    told += [
        "## Example",
        SCENES[EXAMPLES[cls.kind][0]],
        f"```python\n{script(cls.kind)}```",
        f"```text\n{printed}```",
        "In a file it is this entry of `checks`:",
        entry(written(names["a"])["checks"][-1]),
        "[All checks](../checks.md)",
    ]
    return "\n\n".join(told) + "\n"


def _or(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def parameters(cls: type[Check]) -> str:
    """The table of the parameters of a kind."""
    rows = ["| parameter | takes | is | default |", "|---|---|---|---|"]
    for f in cls.fields():
        role, words = f.metadata["role"].words, f.metadata["words"]
        default = "" if f.default is None else f"`{f.default}`"
        rows.append(f"| `{f.name}` | {role} | {words} | {default} |")
    return "\n".join(rows)


def script(kind: str) -> str:
    """The example of a kind in Python."""
    setup, given = EXAMPLES[kind]
    values = "".join(f", {name}={json.dumps(value)}" for name, value in given.items())
    values = values.replace("[", "(").replace("]", ")")
    asked = f'a.check("{kind}"{values})'
    return f"import assembly_solver as asm\n\n{setup}\n{asked}\nprint(asm.check(a))\n"
