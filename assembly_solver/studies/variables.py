"""What may be a little different: parameters, drivers, numbers of mates, features, play of joints.

A variable deviates by a number from the nominal assembly; with deviations that vary (see
`Varied`) a copy of the assembly has numbers that do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..errors import BadValue, UnknownName
from ..foundations.geometry.pose import Triple
from ..foundations.numerics.taylor import Jet
from ..foundations.numerics.varied import Varied
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.feature import Axis, Feature, Frame, Plane, Point, three_of, zero_of_angles
from ..model.mate import Reference
from ..model.tolerances.tolerance import SUBJECTS, Tolerance, mate_unit, numbers_of

Oriented = TypeVar("Oriented", bound=Feature)


@dataclass(frozen=True)
class Variable:
    """One number of an assembly that may deviate.

    Attributes:
        name: as "L", "pin.x"; unit: of its deviation, "mm", "deg", or "" for a ratio or a number.
        subject: one of `SUBJECTS`; key: what of it: a name, a mate and its number, a feature
            or a joint; along: the coordinate of a feature or of a joint's play.
    """

    name: str
    unit: str
    subject: str
    key: Any
    along: str = ""


# -------------------------------------------------------------------------------------- names
def variable(assembly: Assembly, name: str) -> list[Variable]:
    """The variables of a name: of a tolerance, a parameter, a driver, "mate.number" or
    "part.feature.coordinate" (x, y, z, or about_x, about_y of its frame).

    Raises UnknownName: nothing has the name; BadValue: a driver without a value, or a motion.
    """
    if name in assembly.tolerances:
        return of_tolerance(assembly, assembly.tolerances[name])
    if name in assembly.parameters:
        return [Variable(name, "", "parameter", name)]
    if name in assembly.drivers:
        driver = assembly.drivers[name]
        if driver.value is None or isinstance(driver, Guide):
            raise BadValue("to", name, "a driver of a quantity with a value")
        return [Variable(name, driver.unit, "driver", name)]
    owner, _, number = name.rpartition(".")
    if owner in assembly.held and number in numbers_of(assembly.held[owner].mate):
        return [_of_mate(assembly, name, owner, number)]
    if number in DISPLACEMENTS:
        ref = assembly.reference(owner, "to")
        unit = "deg" if number.startswith("about") else "mm"
        return [Variable(name, unit, "feature", ref, number)]
    raise UnknownName("variable", name, known_variables(assembly), "to")


def known_variables(assembly: Assembly) -> list[str]:
    """Names of variables, but for the coordinates of features."""
    drivers = [n for n, d in assembly.drivers.items() if d.value is not None]
    numbers = [f"{n}.{k}" for n, h in assembly.held.items() for k in numbers_of(h.mate)]
    return [*assembly.tolerances, *assembly.parameters, *drivers, *numbers]


def _of_mate(assembly: Assembly, name: str, mate: str, number: str) -> Variable:
    return Variable(name, mate_unit(assembly.held[mate], number), "mate", (mate, number))


def of_tolerance(assembly: Assembly, tolerance: Tolerance) -> list[Variable]:
    """The variables that a tolerance bounds: one, or the coordinates of its zone.

    They are of the frame of an axis or a direction, else of the part; play is of the pin's
    hole, at both ends of one with a length.
    """
    name, subject = tolerance.name, tolerance.subject
    if subject == "mate":
        assert tolerance.mate is not None and tolerance.value is not None
        return [_of_mate(assembly, name, tolerance.mate, tolerance.value)]
    if subject in ("parameter", "driver"):
        key = getattr(tolerance, subject)
        unit = "" if subject == "parameter" else assembly.drivers[key].unit
        return [Variable(name, unit, subject, key)]
    if subject == "joint":
        ends = ("x", "y") if tolerance.length is None else ("x1", "y1", "x2", "y2")
        key = (tolerance.joint, tolerance.length)
        return [Variable(f"{name}.{k}", "mm", "joint", key, k) for k in ends]
    assert tolerance.feature is not None
    ref = tolerance.feature
    feature = assembly.parts[ref.part].feature(ref.feature)
    found = []
    if tolerance.position is not None:
        across = ("across_x", "across_y") if isinstance(feature, Axis) else ("x", "y", "z")
        found += [Variable(f"{name}.{k[-1]}", "mm", "feature", ref, k) for k in across]
    if tolerance.angle is not None:
        about = ("about_x", "about_y")
        found += [Variable(f"{name}.{k}", "deg", "feature", ref, k) for k in about]
    return found


# ---------------------------------------------------------------------------------- deviations
def rated(at: Array) -> list[Varied]:
    """Deviations, (variables,), each with rate 1 by the variable of its number."""
    zero = np.zeros(len(at))
    rows = zip(at.tolist(), np.eye(len(at)), strict=True)
    return [Varied(d, Jet(np.full(len(at), d), row, zero)) for d, row in rows]


def sampled(values: Array) -> list[Varied]:
    """Deviations of 0 with so many values each: of shape (cases, variables)."""
    zero = np.zeros(len(values))
    return [Varied(0.0, Jet(np.ascontiguousarray(v), zero, zero)) for v in values.T]


def deviating(
    assembly: Assembly, variables: Sequence[Variable], deviations: Sequence[float]
) -> Assembly:
    """A copy of an assembly whose variables deviate; the deviations may vary.

    Raises BadValue: a variable of a part or a formula that cannot be changed without its file.
    """
    out = assembly.copy()
    by_subject: dict[str, dict[Any, dict[str, float]]] = {}
    for v, d in zip(variables, deviations, strict=True):
        by_subject.setdefault(v.subject, {}).setdefault(v.key, {})[v.along] = d
    for subject in SUBJECTS:  # a parameter sets numbers from which others deviate
        if subject in by_subject:
            SETTERS[subject](out, by_subject[subject])
    return out


Deviations = Mapping[Any, Mapping[str, float]]
"""The deviations of some variables of one subject: by key, then by `along`."""


def _set_parameters(a: Assembly, by: Deviations) -> None:
    for name, own in by.items():
        a.set(name, a.parameters[name] + own[""])


def _set_drivers(a: Assembly, by: Deviations) -> None:
    for name, own in by.items():
        value = a.drivers[name].value
        assert value is not None
        a.set_driver(name, value + own[""])


def _set_mates(a: Assembly, by: Deviations) -> None:
    for (mate, number), own in by.items():
        a.change(mate, **{number: getattr(a.held[mate].mate, number) + own[""]})


def _set_features(a: Assembly, by: Mapping[Reference, Mapping[str, float]]) -> None:
    """All at once: what refers to features is resolved again once, whatever their number."""
    known = {ref: a.parts[ref.part].feature(ref.feature) for ref in by}
    moved = {ref: displaced(known[ref], own) for ref, own in by.items()}
    a.set_features(moved, included=True)


def _set_play(a: Assembly, by: Deviations) -> None:
    """The hole of a joint stands off its place by the play, for this mate alone."""
    for (joint, length), own in by.items():
        found = a.held[joint]
        if length is None:
            shift, turn = (own["x"], own["y"]), (0.0, 0.0)
        else:
            x1, y1, x2, y2 = (own[k] for k in ("x1", "y1", "x2", "y2"))
            shift = (0.5 * (x1 + x2), 0.5 * (y1 + y2))
            turn = ((y1 - y2) / length, (x2 - x1) / length)
        hole = Frame(*(three_of(found.a.marker.frame, k) for k in (0, 9, 3)))
        moved = _tilted(_shifted(hole, {"across_x": shift[0], "across_y": shift[1]}), *turn)
        a.place_hole(joint, moved)


SETTERS: Mapping[str, Callable[[Assembly, Any], None]] = {
    "parameter": _set_parameters,
    "driver": _set_drivers,
    "mate": _set_mates,
    "feature": _set_features,
    "joint": _set_play,
}


# ------------------------------------------------------------------------------------ features
DISPLACEMENTS = ("x", "y", "z", "across_x", "across_y", "about_x", "about_y")
"""Coordinates of a feature: of its part, mm; along its own x and y, mm, and about them, degrees."""


def displaced(feature: Feature, by: Mapping[str, float]) -> Feature:
    """A feature displaced by its coordinates, mm and degrees: see `DISPLACEMENTS`."""
    moved = _shifted(feature, by)
    turns = [by.get(f"about_{k}", 0.0) * (np.pi / 180.0) for k in "xy"]
    return _tilted(moved, *turns) if any(f"about_{k}" in by for k in "xy") else moved


def _shifted(feature: Oriented, by: Mapping[str, float]) -> Oriented:
    """A feature with its origin shifted, mm."""
    frame = feature.frame
    origin = three_of(frame, 0)
    for k, key in enumerate("xyz"):
        unit = (float(k == 0), float(k == 1), float(k == 2))
        origin = _plus(origin, by.get(key, 0.0), unit)
    for key, first in (("across_x", 3), ("across_y", 6)):
        origin = _plus(origin, by.get(key, 0.0), three_of(frame, first))
    field = "origin" if isinstance(feature, Frame) else "point"
    return replace(feature, **{field: origin})


def _tilted(feature: Oriented, about_x: float, about_y: float) -> Oriented:
    """A feature whose direction is turned about the x and y of its frame, rad.

    The direction goes by the tangent of the angle, to its fifth order.  What is the zero of angles
    about it stays: turned off the part's x, a direction along that would have another one.
    """
    if not isinstance(feature, (Axis, Plane, Frame)) or isinstance(feature, Point):
        raise BadValue("to", type(feature).__name__, "a feature with a direction")
    x, y, z = (three_of(feature.frame, k) for k in (3, 6, 9))
    scale = 1.0 + (about_x * about_x + about_y * about_y) / 3.0
    turned = _plus(_plus(z, scale * about_y, x), -scale * about_x, y)
    key = {Axis: "direction", Plane: "normal", Frame: "z"}
    field = next(name for kind, name in key.items() if isinstance(feature, kind))
    changes: dict[str, Any] = {field: turned}
    if feature.x is None:
        changes["x"] = zero_of_angles(z)
    return replace(feature, **changes)


def _plus(p: Triple, size: float, u: Triple) -> Triple:
    return (p[0] + size * u[0], p[1] + size * u[1], p[2] + size * u[2])
