"""A page for each mate, joint and coupling, made of the registry, with examples that were run."""

from __future__ import annotations

import inspect
import io
import json
from collections import defaultdict
from contextlib import redirect_stdout
from dataclasses import MISSING, fields
from functools import cache
from itertools import product
from typing import Any

from kind_examples import COORDINATES, EXAMPLES, WORDS, name_of
from kind_pictures import picture
from kind_queries import in_cadquery

import assembly_solver as asm
from assembly_solver.formats.native.assembly_json import dump
from assembly_solver.model.mate import COMMON_FIELDS, Mate
from assembly_solver.model.mates.couplings import Coupling
from assembly_solver.model.synonyms import SYNONYMS

SECTIONS = ("Mates", "Joints", "Couplings")
FEATURES: dict[str, asm.Feature] = {
    "Point": asm.Point((1, 2, 3)),
    "Sphere": asm.Sphere((1, 2, 3), radius=4),
    "Axis": asm.Axis((1, 2, 3), "z"),
    "Axis with radius": asm.Axis((1, 2, 3), "z", radius=9),
    "Cone": asm.Cone((1, 2, 3), "z", angle=20),
    "Torus": asm.Torus((1, 2, 3), "z", radius=30, tube=5),
    "Plane": asm.Plane((1, 2, 3), "z"),
    "Frame": asm.Frame((1, 2, 3), "z", "x"),
    "Curve": asm.Curve([(0, 0, 0), (40, 20, 0), (80, 0, 0)]),
}
"""A feature of each type, to ask a kind how many equations it makes of it."""


def pages() -> dict[str, str]:
    """The pages of all kinds by their place on the site, and the list of them."""
    return {place(kind): page(kind) for kind in asm.MATES} | {"kinds.md": listed()}


def section(cls: type[Mate]) -> str:
    """Which of `SECTIONS` a kind belongs to."""
    if issubclass(cls, Coupling):
        return "Couplings"
    return "Joints" if issubclass(cls, asm.Joint | asm.PinSlot) else "Mates"


def place(kind: str) -> str:
    """The place of the page of a kind on the site."""
    return f"{section(asm.MATES[kind]).lower()}/{kind}.md"


def page(kind: str) -> str:
    """What a kind means, takes, removes; its parameters; an example in Python and as a file."""
    cls = asm.MATES[kind]
    said = inspect.getdoc(cls) or ""
    words = [f"`{word}`" for word, (meant, _) in SYNONYMS.items() if meant == kind]
    told = [f"# {kind}", said.split("\nAttributes:")[0]]
    told += [picture(kind, run(script(kind))[0]["a"])]
    if words:
        told += [f"Words of other programs for it, which are read too: {', '.join(words)}."]
    told += removed(cls) + parameters(cls) + coordinates(cls) + example(kind)
    return "\n\n".join([*told, "[All kinds](../kinds.md)"]) + "\n"


def removed(cls: type[Mate]) -> list[str]:
    """How many freedoms a kind removes, by the features that it is between."""
    if issubclass(cls, Coupling):
        return ["## Freedoms removed", "One: it is one equation between coordinates of joints."]
    counts = defaultdict(list)
    for one, two in product(FEATURES, FEATURES):
        rows = equations(cls, FEATURES[one], FEATURES[two])
        if rows:
            counts[one, rows].append(two)
    same = defaultdict(list)  # of the first features those that take the same second ones
    for (one, rows), others in counts.items():
        same[", ".join(others), rows].append(one)
    found = [f"| {', '.join(one)} | {two} | {rows} |" for (two, rows), one in same.items()]
    head = "| a | b | freedoms removed |\n|---|---|---|"
    return ["## Freedoms removed", "As many as it has equations:", "\n".join([head, *found])]


def equations(cls: type[Mate], a: asm.Feature, b: asm.Feature) -> int:
    """The number of equations between two features; 0 where the kind does not take them."""
    model = asm.Assembly(cls.kind)
    needed = [name for name in cls.required_parameters() if name in cls.takes_more]
    more: dict[str, asm.Feature] = {name: asm.Plane((1, 9, 3), "-z") for name in needed}
    if asm.Point in cls.takes_more.get("b2", ()):
        more["b2"] = asm.Point((1, 9, 3))
    model.add("base", features={"f": a, **more}, grounded=True)
    model.add("body", features={"f": b})
    given: dict[str, Any] = {"value": 90.0, "pitch": 2.0}
    values = {name: given[name] for name in cls.required_parameters() if name in given}
    values |= {name: f"base.{name}" for name in needed}
    try:
        name = model.mate(cls.kind, "base.f", "body.f", **values).name
    except asm.AssemblySolverError:
        return 0
    return len(model.held[name].equations)


def parameters(cls: type[Mate]) -> list[str]:
    """The parameters of a kind with their defaults and meanings."""
    rows = []
    for f in fields(cls):
        if f.name not in COMMON_FIELDS:
            default = "required" if f.default is MISSING else f"`{f.default}`"
            rows.append(f"| `{f.name}` | {default} | {meaning(WORDS, cls.kind, f.name)} |")
    head = "| parameter | default | is |\n|---|---|---|"
    return ["## Parameters", "\n".join([head, *rows]) if rows else "None beside its features."]


def meaning(words: dict[str, str], kind: str, name: str) -> str:
    """The words for a parameter or a coordinate of a kind.  Raises KeyError: there are none."""
    return words[f"{kind}.{name}"] if f"{kind}.{name}" in words else words[name]


def coordinates(cls: type[Mate]) -> list[str]:
    """What drivers and limits can hold of a joint, with its sign."""
    if issubclass(cls, Coupling) or not cls.coordinates:
        return []
    rows = [f"| `{n}` | {meaning(COORDINATES, cls.kind, n)} |" for n in cls.coordinates]
    head = "| coordinate | is |\n|---|---|"
    return ["## Coordinates, for drivers and limits", "\n".join([head, *rows])]


def script(kind: str) -> str:
    """The example of a kind in Python: it is solved, written and printed."""
    e = EXAMPLES[kind]
    lines = [
        "import assembly_solver as asm\n",
        f'a = asm.Assembly("{kind}")',
        f'a.add("base", grounded=True,\n      features={{{e.base}}})',
        'a.add("body", pose=asm.Pose.from_axis((7, -3, 5), (1, 2, 3), 20),\n'
        f"      features={{{e.body}}})",
        *([e.more] if e.more else []),
        f'a.mate("{kind}", {e.mate}, name="{name_of(kind)}")',
        "print(asm.solve(a).require())",
    ]
    return "\n".join(lines) + "\n"


@cache
def run(text: str) -> tuple[dict[str, Any], str]:
    """The names that a script leaves, and what it prints; run once."""
    names: dict[str, Any] = {"__name__": "page"}
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(text, "page", "exec", dont_inherit=True), names)
    return names, out.getvalue()


def written(model: asm.Assembly) -> dict[str, Any]:
    """An assembly as its file has it."""
    found: dict[str, Any] = json.loads(dump(model))
    return found


def entry(found: dict[str, Any]) -> str:
    """An entry of a file as a block of a page, a key a line."""
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    return "```json\n{\n" + ",\n".join(lines) + "\n}\n```"


def example(kind: str) -> list[str]:
    """The example of a kind: its script, what that prints, the entry of the file; in CadQuery."""
    text = script(kind)
    names, printed = run(text)
    return [
        "## Example",
        EXAMPLES[kind].scene,
        f"```python\n{text}```",
        f"```text\n{printed}```",
        "In a file it is this entry of `mates`:",
        entry(written(names["a"])["mates"][-1]),
        "In [CadQuery](../cadquery.md), between shapes that selectors pick:",
        f"```python\n{in_cadquery(kind)}```",
    ]


def listed() -> str:
    """The list of all kinds."""
    told = [
        "# Mates, joints and couplings",
        "One page each: what it holds, its parameters, its signs.",
    ]
    for name in SECTIONS:
        rows = ["| kind | is |", "|---|---|"]
        for kind, cls in asm.MATES.items():
            if section(cls) == name:
                first = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
                rows.append(f"| [`{kind}`]({place(kind)}) | {first} |")
        told += [f"## {name}", "\n".join(rows)]
    told.append("Words of other programs for them stand in the [glossary](glossary.md).")
    return "\n\n".join(told) + "\n"
