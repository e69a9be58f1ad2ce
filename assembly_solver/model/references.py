"""Names of new entries, and resolution of references: features of parts as ends of mates."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType
from typing import Any

from ..errors import BadValue, DuplicateName, SelfMate, UnknownName
from .equation_set import EquationForm, EquationSet, equation_set
from .feature import OWN_FEATURES, Axis, Feature, Frame, Plane, Point
from .mate import End, Mate, Reference, ResolvedMate, check_more, check_types
from .measures.measure import WIDEST, Marker
from .part import Part

NO_MORE: Mapping[str, End] = {}

PLAIN = frozenset({bool, float, int, str, NoneType})
"""Types of parameters by which a form is known again; a number that varies is of none of them."""

ONE_OF_EACH: Mapping[type[Feature], Feature] = {
    Point: Point((0.0, 0.0, 0.0)),
    Axis: OWN_FEATURES["z"],
    Plane: OWN_FEATURES["xy"],
    Frame: OWN_FEATURES["origin"],
}
"""A feature of each type that has nothing but where it is."""


def split(value: str, parts: Mapping[str, Part], place: str) -> Reference:
    """Part and feature of "part.feature": the longest part name that has the feature.

    Raises UnknownName: it begins with no part name and a dot.
    """
    longest, cut = None, value.rfind(".")
    while cut > 0:
        if value[:cut] in parts:
            ref = Reference(value[:cut], value[cut + 1 :])
            if parts[ref.part].find(ref.feature) is not None:
                return ref
            longest = longest or ref
        cut = value.rfind(".", 0, cut)
    if longest:
        return longest
    known = [f"{p.name}.{f}" for p in parts.values() for f in p.feature_names()]
    raise UnknownName("feature", value, known, place)


def free_name(name: str, taken: Container[str]) -> str:
    """The name, or if taken the name with the first free number, as "name (2)"."""
    free, count = name, 2
    while free in taken:
        free, count = f"{name} ({count})", count + 1
    return free


def check_name(name: object, place: str) -> None:
    """Raise BadValue where something is no name."""
    if not isinstance(name, str) or not name:
        raise BadValue(place, name, "a name that is not empty")


def new_name(what: str, name: str | None, otherwise: str, known: Container[str], place: str) -> str:
    """The name of a new entry of the kind `what`: as given, or from `otherwise` if it is None.

    Raises DuplicateName: it is taken; BadValue: it is empty or no text.
    """
    if name is None:
        return free_name(otherwise, known)
    check_name(name, f"{place}.name")
    if name in known:
        raise DuplicateName(what, name, place)
    return name


def parts_named(entry: Any) -> set[str]:
    """The names of the parts that a mate, driver, limit, load, ... refers to."""
    if isinstance(entry, (Reference, Marker)):
        return {entry.part}
    inner: Iterable[Any] = entry if isinstance(entry, tuple) else ()
    if is_dataclass(entry):
        inner = [getattr(entry, f.name) for f in fields(entry)]
    axes = getattr(entry, "axes", None)  # of a load: the part along whose axes it is
    return ({axes} if isinstance(axes, str) else set()).union(*map(parts_named, inner))


def references_in(entry: Any) -> set[Reference]:
    """The features that a mate, driver, limit, load, check, ... refers to."""
    if isinstance(entry, Reference):
        return {entry}
    inner: Iterable[Any] = entry if isinstance(entry, tuple) else ()
    if is_dataclass(entry):
        inner = [getattr(entry, f.name) for f in fields(entry)]
    return set[Reference]().union(*map(references_in, inner))


def end_of(ref: Reference, parts: Mapping[str, Part], more: Mapping[str, End] = NO_MORE) -> End:
    """The feature of a reference as the end of a mate."""
    feature = parts[ref.part].feature(ref.feature)
    return End(Marker(ref.part, feature.frame), feature, more)


def resolve_mate(mate: Mate, parts: Mapping[str, Part], place: str) -> ResolvedMate:
    """A mate with its features resolved, their types checked, and its equations.  Raises SelfMate,
    UnknownName, FeatureTypeError, BadValue."""
    if mate.a.part == mate.b.part:
        raise SelfMate(mate.name, mate.a.part, place)
    more = NO_MORE
    for name in mate.takes_more:
        if getattr(mate, name) is not None:
            more = {**more, name: end_of(getattr(mate, name), parts)}
            check_more(mate, name, more[name].feature, place)
    a, b = end_of(mate.a, parts, more), end_of(mate.b, parts, more)
    check_types(mate, a.feature, b.feature, place)
    return resolved_between(mate, a, b, place)


def resolved_between(mate: Mate, a: End, b: End, place: str) -> ResolvedMate:
    """A mate with its equations, between ends of types that it takes.  Raises BadValue."""
    mate.check_ends(a, b, place)
    a, b = mate.placed(a, b)
    written = _written(mate, a, b)
    if max(written.form.terms, default=0) > WIDEST // 2:  # compiled code has arrays of this size
        wanted = f"a mate with at most {WIDEST // 2} terms in an equation"
        raise BadValue(place, mate.name, wanted)
    return ResolvedMate(mate, a, b, written, mate.chosen_by(a, b, written.form))


def _written(mate: Mate, a: End, b: End) -> EquationSet:
    """The equations of a mate, with the form of those before it where that is the same."""
    kind, one, two = type(mate), type(a.feature), type(b.feature)
    if vars(kind).get("by_markers") and one in ONE_OF_EACH and two in ONE_OF_EACH:
        values = [getattr(mate, name) for name in kind.parameter_names()]
        if PLAIN.issuperset(map(type, values)):
            known = _known_form((kind, one, two), *values)
            if known is not None:
                form, reverse = known
                ends = (b.marker, a.marker) if reverse else (a.marker, b.marker)
                return EquationSet(form, ends)
    return equation_set(mate.equations(a, b))


@lru_cache(maxsize=1024, typed=True)
def _known_form(
    key: tuple[type[Mate], type[Feature], type[Feature]], *values: Any
) -> tuple[EquationForm, bool] | None:
    """The form of mates of a kind by markers, and whether their second marker is its first.

    None where it is not between the markers of both features.

    Args:
        key: the kind, and the types of the features; values: of the parameters.
    """
    kind, one, two = key
    (at, a), (on, b) = ((x.frame, x) for x in (ONE_OF_EACH[one], ONE_OF_EACH[two]))
    ends = End(Marker("a", at), a), End(Marker("b", on), b)
    names = zip(kind.parameter_names(), values, strict=True)
    mate = kind(a=Reference("a", ""), b=Reference("b", ""), name="", **dict(names))
    form, markers = equation_set(mate.equations(*ends))
    told = [id(m) for m in markers]
    for reverse in (False, True):
        if told == [id(end.marker) for end in (ends[::-1] if reverse else ends)]:
            return form, reverse
    return None
