"""The kinds of mates that fit two to four selected elements, best first.

A kind fits if the engine accepts it for these elements, which is tried on a separate assembly.  The
order is that of the table `LIKELY`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple

import assembly_solver as asm
from assembly_solver.freecad import frame_of, half_turn

from .slots import KINDS as SLOTS, SlotElements, slot_in
from .values import angle_between, distance_between
from .words import likeness, words_of

TURNED = ("fixed", "prismatic", "constant_velocity")
"""Kinds of two frames with one orientation in the engine; here `sense` selects it."""

SAME = {"cylindrical": "coaxial", "planar": "coplanar", "spherical": "coincident"}
"""Kinds that are equivalent to another one, offered only where that one does not fit."""

JOINTS = (
    *("revolute", "prismatic", "fixed", "cylindrical", "planar", "spherical", "screw"),
    *("universal", "constant_velocity"),
)
"""Kinds whose frames can be on any element: the centre of a face, of a hole, ..."""

AS_NOW = 9
"""Decimals of a measured value, mm or degrees: parallel faces are at 0 degrees, not 1e-15."""

PITCH = 1.0
"""Default pitch of a screw, mm per turn."""

LIKELY: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("plane", "plane"): ("coplanar", "distance", "parallel", "angle", "perpendicular"),
    ("cylinder", "cylinder"): ("coaxial", "revolute", "tangent", "distance", "parallel"),
    ("circle", "cylinder"): ("coaxial", "revolute", "coincident"),
    ("circle", "circle"): ("revolute", "coaxial", "coincident", "fixed"),
    ("circle", "line"): ("coaxial", "point_on_line"),
    ("cylinder", "line"): ("coaxial", "parallel", "distance"),
    ("line", "line"): ("coaxial", "parallel", "distance", "angle"),
    ("cylinder", "plane"): ("tangent", "line_in_plane", "parallel", "perpendicular", "distance"),
    ("line", "plane"): ("line_in_plane", "parallel", "perpendicular", "distance"),
    ("circle", "plane"): ("coplanar", "point_in_plane"),
    ("plane", "vertex"): ("point_in_plane", "distance"),
    ("plane", "sphere"): ("tangent", "point_in_plane", "distance"),
    ("cone", "plane"): ("tangent", "parallel"),
    ("plane", "torus"): ("tangent", "parallel"),
    ("vertex", "vertex"): ("coincident", "distance"),
    ("line", "vertex"): ("point_on_line", "distance"),
    ("circle", "vertex"): ("coincident", "point_on_line", "distance"),
    ("cylinder", "vertex"): ("tangent", "point_on_line", "distance"),
    ("sphere", "vertex"): ("tangent", "coincident", "distance"),
    ("cone", "vertex"): ("tangent", "point_on_line"),
    ("torus", "vertex"): ("tangent", "point_on_line"),
    ("sphere", "sphere"): ("coincident", "tangent", "distance"),
    ("circle", "sphere"): ("coincident", "point_on_line"),
    ("line", "sphere"): ("point_on_line", "distance"),
    ("cylinder", "sphere"): ("tangent", "point_on_line"),
    ("cone", "sphere"): ("tangent", "point_on_line"),
    ("sphere", "torus"): ("tangent", "coincident"),
    ("cone", "cone"): ("coaxial", "revolute"),
    ("plane", "plane", "plane"): ("width", "symmetric"),
    ("cylinder", "cylinder", "cylinder"): ("slot", "pin_slot"),
    ("circle", "circle", "cylinder"): ("slot", "pin_slot"),
    ("circle", "circle", "circle"): ("slot", "pin_slot"),
    ("circle", "cylinder", "cylinder"): ("slot", "pin_slot"),
    ("vertex", "vertex", "vertex"): ("equal_distance",),
}
"""Likely kinds of mates by the kinds of elements (names in order), best first."""

ORDER = (
    *("path", "symmetric", "width", "equal_distance", "coincident", "coaxial", "coplanar"),
    *("tangent", "point_on_line", "point_in_plane", "line_in_plane", "distance", "angle"),
    *("parallel", "perpendicular", "revolute", "prismatic", "fixed", "cylindrical", "planar"),
    *("spherical", "screw", "universal", "constant_velocity", "pin_slot", "slot"),
)
"""All kinds, in the order in which they follow those of `LIKELY`."""


COUPLINGS: Mapping[str, Mapping[str, Any]] = {
    "gear": {"ratio": -1.0},
    "belt": {"radii": (10.0, 10.0)},
    "rack_and_pinion": {"radius": 10.0},
    "linear": {"coefficients": (1.0, -1.0)},
}
"""Kinds between joints, the likeliest first, with their default ratio: turns per turn, or mm."""

TURNS_FIRST = ("rack_and_pinion",)
"""Those of them whose order follows from the motion of the joints, not from the selection."""


class Chosen(NamedTuple):
    """A selected element: its part, its pick, and the pose of the part."""

    part: str
    pick: asm.Pick
    pose: asm.Pose


class Choice(NamedTuple):
    """A kind of mate that fits, in words, with its initial parameters."""

    kind: str
    words: str
    parameters: Mapping[str, Any]


class ElementRole(NamedTuple):
    """The role of a selected element in a mate: its number in the selection, and its feature."""

    number: int
    feature: asm.Feature


Roles = Mapping[str, ElementRole]
"""By the names in the engine: "a", "b", "about", ..."""


class DoesNotFit(asm.AssemblySolverError, ValueError):
    """A kind of mate that does not fit the selection."""

    def __init__(self, kind: str, chosen: Sequence[Chosen], fits: Sequence[str]) -> None:
        things = ", ".join(f"{c.pick.words} of {c.part}" for c in chosen)
        known = ", ".join(map(asm.kind_words, fits))
        known = f"these fit: {known}" if fits else "no mate fits them"
        super().__init__(f"{asm.kind_words(kind)} has no meaning for {things}; {known}")


def orders(kind: str, joints: Sequence[str]) -> list[tuple[str, ...]]:
    """The possible orders of the joints of a coupling."""
    return [tuple(joints), *([tuple(reversed(joints))] if kind in TURNS_FIRST else [])]


def choices(chosen: Sequence[Chosen]) -> tuple[Choice, ...]:
    """The mates that fit the selected elements, best first."""
    fits = [kind for kind in _ranked(chosen) if _natural(kind, chosen, roles_of(kind, chosen))]
    kinds = [kind for kind in fits if SAME.get(kind) not in fits]
    return tuple(choice for kind in kinds for choice in _choices(kind, chosen))


def choice_of(kind: str, chosen: Sequence[Chosen]) -> Choice:
    """The choice of a mate of this kind; raises `DoesNotFit` where it does not fit."""
    if kind not in ORDER:
        raise asm.AssemblySolverError(f"no mate between elements is {kind!r}: {', '.join(ORDER)}")
    if not roles_of(kind, chosen):
        raise DoesNotFit(kind, chosen, list(dict.fromkeys(c.kind for c in choices(chosen))))
    return _choices(kind, chosen)[0]


def _ranked(chosen: Sequence[Chosen]) -> Iterable[str]:
    """All kinds, the likely ones first."""
    likely = LIKELY.get(tuple(sorted(likeness(c.pick) for c in chosen)), ())
    return dict.fromkeys((*likely, *ORDER))


def _natural(kind: str, chosen: Sequence[Chosen], roles: Roles) -> bool:
    """Whether a kind fits and uses every element by its nature: no face as an axis or a point.

    A circle is an axis, a plane and a point alike.  A joint can be on any element; a script can
    request any kind that the engine accepts.
    """
    if _slot(kind, chosen):
        return True
    plain = (
        chosen[role.number].pick.rank(role.feature) == 0
        or (chosen[role.number].pick.kind == "circle" and "slot" not in kind)
        for role in roles.values()
    )
    return bool(roles) and (kind in JOINTS or all(plain))


def _choices(kind: str, chosen: Sequence[Chosen]) -> list[Choice]:
    """One choice of a kind that fits; two where faces can meet or be flush."""
    roles = roles_of(kind, chosen)
    parameters = _parameters(kind, chosen, roles)
    out = [parameters]
    if kind == "coplanar" and parameters.get("sense") == "opposed":
        out.append({**parameters, "sense": "aligned"})
    picks = {name: chosen[role.number].pick for name, role in roles.items()}
    return [Choice(kind, words_of(kind, picks, found), found) for found in out]


# ------------------------------------------------------------------------------------- roles
def roles_of(kind: str, chosen: Sequence[Chosen]) -> Roles:
    """The roles of the elements in a mate of this kind, the likeliest ones; empty if none fit."""
    if slot := _slot(kind, chosen):
        return {"a": ElementRole(slot.end, slot.frame), "b": ElementRole(slot.pin, slot.axis)}
    found = sorted(_possible(kind, chosen), key=lambda pair: pair[0])
    return next((roles for _, roles in found if _taken(kind, chosen, roles)), {})


def _slot(kind: str, chosen: Sequence[Chosen]) -> SlotElements | None:
    """The slot that is selected by its two round ends, with the pin in it."""
    if kind not in SLOTS or len(chosen) != 3:
        return None
    return slot_in([c.part for c in chosen], [c.pick for c in chosen])


def _possible(kind: str, chosen: Sequence[Chosen]) -> Iterator[tuple[int, dict[str, ElementRole]]]:
    """Assignments of the elements to the roles of a mate, each with a cost of its readings."""
    cls = asm.MATES[kind]
    needed = set(cls.takes_more) & set(cls.required_parameters())
    for more in combinations(cls.takes_more, max(len(chosen) - 2, 0)):
        if not needed <= set(more):
            continue
        for order in permutations(range(len(chosen))):
            read = _read(cls, [chosen[k].pick for k in order], more)
            if read is not None:
                rank = sum(chosen[k].pick.rank(f) for k, f in zip(order, read, strict=True))
                roles = map(ElementRole, order, read)
                yield rank, dict(zip(("a", "b", *more), roles, strict=True))


def _read(
    cls: type[asm.Mate], picks: Sequence[asm.Pick], more: Sequence[str]
) -> list[asm.Feature] | None:
    """Picks as the features that a kind requires; None where one cannot be read as such."""
    if len(picks) < 2:
        return None
    try:
        a, b = asm.fitting(cls, picks[0], picks[1], cls.kind)
    except asm.AssemblySolverError:
        return None
    others = [pick.reading(cls.takes_more[k]) for k, pick in zip(more, picks[2:], strict=True)]
    found = [f for f in others if f is not None]
    return [a, b, *found] if len(found) == len(others) else None


def _taken(kind: str, chosen: Sequence[Chosen], roles: Roles) -> bool:
    """Whether the engine accepts a mate of these elements."""
    try:
        try_out(kind, chosen, roles, _parameters(kind, chosen, roles))
    except asm.AssemblySolverError:
        return False
    return True


def try_out(
    kind: str, chosen: Sequence[Chosen], roles: Roles, parameters: Mapping[str, Any]
) -> None:
    """Make the mate on a separate assembly; raises the engine's error where it is refused."""
    trial = asm.Assembly("trial")
    for c in chosen:
        if c.part not in trial.parts:
            trial.add(c.part, pose=c.pose)
    for name, role in roles.items():
        trial.add_features(chosen[role.number].part, {name: role.feature})
    ends: dict[str, Any] = {name: (chosen[role.number].part, name) for name, role in roles.items()}
    trial.mate(kind, **ends, **told(kind, parameters))


def told(kind: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters for the engine: the sense of some kinds is in their features."""
    return {k: v for k, v in parameters.items() if k != "sense" or kind not in TURNED}


# -------------------------------------------------------------------------------- parameters
def _parameters(kind: str, chosen: Sequence[Chosen], roles: Roles) -> dict[str, Any]:
    """Initial parameters of a mate: faces face to face, a pin in its hole, measured values."""
    names = asm.MATES[kind].parameter_names()
    picks = [chosen[roles[name].number].pick for name in ("a", "b")]
    out: dict[str, Any] = {}
    faces = len(chosen) == 2 and all(p.kind == "plane" and p.size for p in picks)
    if faces and ("sense" in names or kind in TURNED):
        out["sense"] = "opposed"
    if kind == "tangent" and _inside(*picks):
        out["side"] = "inside"
    if kind == "distance":
        out["value"] = _as_now(distance_between(*_placed(chosen, roles, ("a", "b"))))
    if kind == "angle":
        out["value"] = _as_now(angle_between(*_placed(chosen, roles, ("a", "b", "about"))))
    if kind == "screw":
        out["pitch"] = PITCH
    if slot := _slot(kind, chosen):
        out["length"] = _as_now(slot.length)
    return out


def _as_now(value: float) -> float:
    return round(value, AS_NOW) + 0.0  # no negative zero


def _placed(chosen: Sequence[Chosen], roles: Roles, names: Sequence[str]) -> Iterator[asm.Feature]:
    """The features of some roles in the coordinates of the assembly."""
    for role in (roles[name] for name in names if name in roles):
        yield role.feature.moved(chosen[role.number].pose.frame.tolist())


def _inside(one: asm.Pick, two: asm.Pick) -> bool:
    """Whether one of the two is a hole that is larger than the other."""
    return any(
        hole.kind == "hole" and 0.0 < other.radius <= hole.radius
        for hole, other in ((one, two), (two, one))
    )


def turned(
    kind: str, sense: str, a: tuple[asm.Feature, asm.Pose], b: tuple[asm.Feature, asm.Pose]
) -> asm.Feature:
    """Feature b, for the kinds of two frames rotated by half a turn as the sense requires.

    Frames that coincide may differ by half a turn about x, y or z: "aligned" keeps the direction
    of z, "opposed" reverses it, "nearest" allows both; of the remaining orientations the nearest to
    the present poses is used.
    """
    if kind not in TURNED:
        return b[0]
    first, second = (pose @ asm.Pose.from_frame(f.frame) for f, pose in (a, b))
    along = {"aligned": (1.0,), "opposed": (-1.0,)}.get(sense, (1.0, -1.0))
    turn = half_turn(first, second, along, bends=kind == "constant_velocity")
    return frame_of(asm.Pose.from_frame(b[0].frame) @ turn)
