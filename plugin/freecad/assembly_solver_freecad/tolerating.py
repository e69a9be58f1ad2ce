"""What joints, mates and elements of a document may be off, and what that does to a measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import assembly_solver as asm

from .kept import keep, kept
from .live import Live
from .places import element_at, rooted
from .verbs import whole

PINS = ("revolute", "cylindrical", "coaxial", "screw")
"""Kinds with a pin in a hole, which may have play."""

VALUES: Mapping[str, str] = {"value": "", "offset": "mm"}
"""Numbers of mates that may be off, with their units; that of a value is of its kind."""

KEPT = "Tolerances"
"""What is kept in the document, see `kept`."""

PAIRS = ("distance", "separation", "angle")
"""What is measured between two elements."""

ONES = ("point", "feature", "about")
"""Keys of an entry that name one element."""

Entries = Mapping[str, Mapping[str, Any]]
"""Measures or tolerances by name, each with the keys of `asm.Assembly.measure` or `tolerate`."""


class Tolerable(NamedTuple):
    """Something that may be off by a number.

    Attributes:
        name: unique; words: what of it; unit: of the number.
        keys: of the tolerance; bounds: those keys that are the number.
    """

    name: str
    words: str
    unit: str
    keys: Mapping[str, Any]
    bounds: tuple[str, ...]

    def by(self, value: float) -> dict[str, Any]:
        """The tolerance for a number above 0."""
        return {**self.keys, **dict.fromkeys(self.bounds, value)}


def tolerable(assembly: asm.Assembly) -> tuple[Tolerable, ...]:
    """What may be off in an assembly: play of pins, numbers of mates, places of their elements."""
    mates = [m for m in assembly.mates.values() if m.takes]
    pins = [
        Tolerable(f"play of {m}", f"{m}: play, radius", "mm", {"joint": m.name}, ("radial",))
        for m in mates
        if m.kind in PINS
    ]
    numbers = [
        Tolerable(
            f"{key} of {m}",
            f"{m}: {key}, ±",
            VALUES[key] or ("deg" if m.kind == "angle" else "mm"),
            {"mate": m.name, "value": key},
            ("plus", "minus"),
        )
        for m in mates
        for key in VALUES
        if key in m.parameter_names()
    ]
    refs = dict.fromkeys(ref for m in mates for ref in (m.a, m.b))
    places = [
        Tolerable(
            f"position of {ref}", f"{ref}: position, zone", "mm", {"feature": ref}, ("position",)
        )
        for ref in refs
        if not isinstance(_feature(assembly, ref), (asm.Plane, asm.Curve))
    ]
    tilts = [
        Tolerable(f"angle of {ref}", f"{ref}: angle, cone", "deg", {"feature": ref}, ("angle",))
        for ref in refs
        if isinstance(_feature(assembly, ref), (asm.Axis, asm.Plane, asm.Frame))
    ]
    return (*pins, *numbers, *places, *tilts)


def _feature(assembly: asm.Assembly, ref: Any) -> asm.Feature:
    return assembly.parts[ref.part].feature(ref.feature)


def _lasting(live: Live, row: Tolerable) -> str:
    """What of which object a row is: a name that stays where labels change."""
    joint = row.keys.get("joint") or row.keys.get("mate")
    if joint is not None:
        return f"{live.joints[joint].Name}.{row.keys.get('value', 'play')}"
    ref, thing = row.keys["feature"], live.parts[row.keys["feature"].part]
    return f"{ref.part if thing is None else thing.Name}.{ref.feature}.{row.bounds[0]}"


def kept_tolerances(live: Live) -> dict[str, float]:
    """What the document keeps: the numbers above 0 of what is `tolerable`, by name."""
    found = kept(live, KEPT) or {}
    rows = {row.name: found.get(_lasting(live, row)) for row in tolerable(live.assembly)}
    return {name: float(value) for name, value in rows.items() if value is not None}


def keep_tolerances(live: Live, values: Mapping[str, float]) -> None:
    """Keep numbers of what is `tolerable`, by name, in the document; one undo step.

    Numbers of 0 are forgotten; those of joints and parts that cannot be read now stay.
    """
    before = kept(live, KEPT) or {}
    found = dict(before)
    for row in tolerable(live.assembly):
        if values.get(row.name, 0.0) > 0.0:
            found[_lasting(live, row)] = float(values[row.name])
        else:
            found.pop(_lasting(live, row), None)
    if found != before:
        keep(live, KEPT, found, "Tolerances")


def tolerance(
    of: Any = None, *, measures: Entries, tolerances: Entries | None = None, **options: Any
) -> asm.ToleranceAnalysis:
    """What tolerances do to measures of an assembly.  The document stays as it is.

    Args:
        of: an assembly object or a document, as for `read`.
        measures: by name, with the keys of `asm.Assembly.measure`; tolerances: with those of
            `asm.Assembly.tolerate`.  Joints and mates are named by their labels, elements by an
            object and a path, as for `mate`: {"feature": (plate, "Face7"), "position": 0.1}.
            Without tolerances those that the document keeps, which the panel shows.
        options: of `asm.tolerance`: `samples`, `seed`, `frees`.

    Raises:
        NotHeld: there are joints that could not be read.
    """
    live = whole(of)
    if tolerances is None:
        values = kept_tolerances(live)
        rows = (row for row in tolerable(live.assembly) if row.name in values)
        tolerances = {row.name: row.by(values[row.name]) for row in rows}
    return asm.tolerance(tolerated(live, measures, tolerances), **options)


def tolerated(live: Live, measures: Entries, tolerances: Entries) -> asm.Assembly:
    """The assembly with measures and tolerances, as of `tolerance`."""
    for name, told in measures.items():
        live.assembly.measure(name, **_named(live, told))
    for name, told in tolerances.items():
        live.assembly.tolerate(name, **_named(live, told))
    return live.assembly


def _named(live: Live, told: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with elements of the document replaced by features of the assembly."""
    out = dict(told)
    for key in ONES:
        if key in out:
            out[key] = feature_at(live, out[key])
    for key in PAIRS:
        if key in out:
            out[key] = tuple(feature_at(live, element) for element in out[key])
    return out


def feature_at(live: Live, element: Sequence[Any] | str) -> Any:
    """The feature of an element: that which mates refer to, or else a new one.

    Args:
        element: an object and a path in it, as (plate, "Face7"); or a name in the assembly.
    """
    if isinstance(element, str) or isinstance(element[0], str):
        return element
    found = element_at(live.tree, *rooted(*element))
    names = {thing.Name: name for name, thing in live.parts.items() if thing is not None}
    part, assembly = names[found.part], live.assembly
    used = (ref for m in assembly.mates.values() if m.takes for ref in (m.a, m.b))
    for ref in used:
        if ref.part == part and ref.feature.split(" (")[0] == found.name:
            return ref
    if found.name not in assembly.parts[part].features:
        assembly.add_features(part, {found.name: found.chosen.pick.feature})
    return (part, found.name)
