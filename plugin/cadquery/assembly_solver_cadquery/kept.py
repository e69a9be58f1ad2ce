"""Mates, drivers, limits and grounds of a CadQuery assembly, in an attached `asm.Assembly`.

It is an attribute of the `cadquery.Assembly`, as its constraints are, and is pickled and
deep-copied with it; the copy that `Assembly.add` makes of a sub-assembly, one rigid part there, has
none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import cadquery as cq

import assembly_solver as asm

from .constraints import add_constraints
from .places import Standing, part_and_place, part_of, parts_of, pose_of, set_poses, unknown
from .queries import QueryResult

KEPT = "_assembly_solver"
"""Name of the attribute of a `cadquery.Assembly`."""

_MADE: WeakKeyDictionary[cq.Assembly, dict[bool, CachedAssembly]] = WeakKeyDictionary()


class ShapeValue(NamedTuple):
    """A shape of a constraint, and its geometry, location and orientation when it was read.

    The shape itself is kept so that its number, which tells it from others, is not used again.
    """

    shape: Any
    wrapped: Any

    def same(self, other: ShapeValue) -> bool:
        """Whether both are one shape, unmoved."""
        if self.shape is not other.shape or self.wrapped is None or other.wrapped is None:
            return self.shape is other.shape
        return bool(self.wrapped.IsEqual(other.wrapped))


class ConstraintValue(NamedTuple):
    """What a constraint says: kind, parts, parameter (mm, degrees), locations, shapes."""

    kind: str
    objects: tuple[str, ...]
    param: Any
    places: tuple[asm.Pose, ...]
    shapes: tuple[ShapeValue, ...]

    def same(self, other: ConstraintValue) -> bool:
        """Whether both say the same."""
        shapes = zip(self.shapes, other.shapes, strict=False)
        return self[:4] == other[:4] and all(one.same(two) for one, two in shapes)


def value_of(constraint: Any) -> ConstraintValue:
    """The present value of a constraint."""
    return ConstraintValue(
        constraint.kind,
        tuple(constraint.objects),
        _number_or_numbers(constraint.param),
        tuple(map(pose_of, constraint.sublocs)),
        tuple(ShapeValue(shape, _standing(shape)) for shape in constraint.args),
    )


def _standing(shape: Any) -> Any:
    """A copy of the kernel's shape, which `Shape.move` changes in place; None without one."""
    wrapped = getattr(shape, "wrapped", None)
    return None if wrapped is None else wrapped.Located(wrapped.Location())


def _number_or_numbers(param: Any) -> Any:
    if isinstance(param, cq.Vector):
        return param.toTuple()
    return tuple(map(float, param)) if isinstance(param, (list, tuple)) else param


def kept(assy: cq.Assembly) -> asm.Assembly:
    """The attached assembly, to be edited in place; its poses may be outdated."""
    if not isinstance(assy, cq.Assembly):
        given = type(assy).__name__
        raise asm.AssemblySolverError(f"mates are of a cadquery.Assembly, this is of type {given}")
    known: dict[str, Any] = vars(assy)
    if KEPT not in known:
        known[KEPT] = asm.Assembly(assy.name)
    own: asm.Assembly = known[KEPT]
    return own


def as_it_stands(assy: cq.Assembly, parts: list[Standing]) -> asm.Assembly:
    """The attached assembly with its parts at the present locations."""
    own = kept(assy)
    places = {p.name: p.pose for p in parts} if own.parts else {}
    for name in list(own.parts):
        if name not in places and _is_free(own, name):
            own.remove_part(name)
        elif name not in places:
            raise asm.AssemblySolverError(
                f"part {name!r} is in assembly {assy.name!r} no longer, but it is held by mates or "
                f"grounded; add it again, or take these away with remove(assy, {name!r})"
            )
    moved = {name: places[name] for name, part in own.parts.items() if part.pose != places[name]}
    if moved:
        own.move(moved)
    return own


def _is_free(own: asm.Assembly, name: str) -> bool:
    """Whether a part is not grounded and nothing refers to it."""
    without = own.copy()
    without.remove_part(name)
    kinds = ((x.mates, x.drivers, x.limits, x.measures, x.tolerances) for x in (own, without))
    named, left = (tuple(map(len, kind)) for kind in kinds)
    return named == left and not own.parts[name].grounded


def enter(assy: cq.Assembly, own: asm.Assembly, name: str) -> None:
    """Add a part to the attached assembly at its present location."""
    found = part_of(assy, name)
    if found is not None:
        if name not in own.parts:
            own.add(name, pose=found.pose, grounded=found.root)
        elif own.parts[name].pose != found.pose:
            own.move({name: found.pose})
        return
    if name in assy.objects:
        inside, _ = part_and_place(assy, name)
        told = f"{name!r} is inside {inside!r}, which is one rigid part here"
        raise asm.AssemblySolverError(told)
    raise unknown("part", name, [known for known, _, _ in parts_of(assy)])


def refer(
    assy: cq.Assembly, own: asm.Assembly, found: QueryResult, reading: asm.Feature | None
) -> tuple[str, str]:
    """A reference to a reading of a query result, which becomes a feature of its part."""
    enter(assy, own, found.part)
    if found.pick is None:
        return found.part, found.label
    chosen = found.pick.feature if reading is None else reading
    feature = found.reading(chosen)
    word = "" if chosen is found.pick.feature else f" as {type(chosen).__name__.lower()}"
    name, count = found.label + word, 1
    known = own.parts[found.part].features
    while name in known and known[name] != feature:
        count += 1
        name = f"{found.label}{word} ({count})"
    if name not in known:
        own.add_features(found.part, {name: feature})
    return found.part, name


class CachedAssembly(NamedTuple):
    """The assembly that `whole` made, and the inputs it was made from."""

    assembly: asm.Assembly
    revision: int
    constraints: tuple[ConstraintValue, ...]
    parts: tuple[tuple[str, bool], ...]
    world: asm.Pose


def whole(assy: cq.Assembly, queries: bool = True) -> asm.Assembly:
    """The attached assembly with CadQuery's own constraints, as one assembly.

    It is cached until something is added, changed or removed, with the engine's plan as long as
    nothing moves; it must not be edited.

    Args:
        queries: whether constraints are named by their queries, which takes time to find.
    """
    parts = parts_of(assy)
    own = as_it_stands(assy, parts)
    now = CachedAssembly(
        own,
        own.revision,
        tuple(map(value_of, assy.constraints)),
        tuple((n, root) for n, _, root in parts),
        pose_of(assy.loc),
    )
    known = _MADE.setdefault(assy, {}).get(queries)
    if known is not None and _same(known, now):
        moved = {
            name: pose
            for name, pose, _ in parts
            if name in known.assembly.parts and known.assembly.parts[name].pose != pose
        }
        if moved:
            known.assembly.move(moved)
        return known.assembly
    own.remove_unused_features()  # of what was refused after its queries were found
    out = own.copy()
    out.name = assy.name
    add_constraints(assy, parts, out, queries)
    for name, pose, root in parts:
        if name not in out.parts:
            out.add(name, pose=pose, grounded=root)
    _MADE[assy][queries] = now._replace(assembly=out, revision=own.revision)
    return out


def _same(known: CachedAssembly, now: CachedAssembly) -> bool:
    """Whether a cached assembly is up to date but for poses."""
    if len(known.constraints) != len(now.constraints):
        return False
    pairs = zip(known.constraints, now.constraints, strict=True)
    return known[1:2] == now[1:2] and known[3:] == now[3:] and all(a.same(b) for a, b in pairs)


def settle(assy: cq.Assembly, solution: asm.Solution) -> None:
    """Move the parts to solved poses; raises `asm.Unsolved` where there are none.

    Constants that couplings measured at the start are fixed from now on: measured again after
    several turns of a joint they would differ.
    """
    stood = solution.given.parts  # parts that do not move keep their location bit for bit
    set_poses(assy, {k: p for k, p in solution.poses.items() if p is not stood[k].pose})
    own = kept(assy)
    taken = {name: c["value"] for name, c in solution.constants.items() if name in own.mates}
    if taken:
        own.keep_constants(taken)


def taken_away(assy: cq.Assembly, name: str, what: str | None = None) -> None:
    """Remove a mate, driver, limit, measure, tolerance or position, or a part with its mates.

    Args:
        what: the kind of these; needed where several have the name.
    """
    own = kept(assy)
    everything: dict[str, tuple[Mapping[str, Any], Callable[[str], None]]] = {
        "mate": (own.mates, own.remove),
        "driver": (own.drivers, own.remove_driver),
        "limit": (own.limits, own.remove_limit),
        "measure": (own.measures, own.remove_measure),
        "tolerance": (own.tolerances, own.remove_tolerance),
        "position": (own.positions, own.remove_position),
        "part": (own.parts, own.remove_part),
    }
    if what is not None and what not in everything:
        raise unknown("sort of thing to remove", what, list(everything))
    looked_at = everything if what is None else {what: everything[what]}
    found = [kind for kind, (known, _) in looked_at.items() if name in known]
    if len(found) > 1:
        told = f"{name!r} is a {' and a '.join(found)}; say which"
        raise asm.AssemblySolverError(f"{told}: remove(assy, {name!r}, {found[0]!r})")
    if not found:
        names = dict.fromkeys(name for known, _ in looked_at.values() for name in known)
        sort = (
            "mate, driver, limit, measure, position, tolerance or held part"
            if what is None
            else what
        )
        raise unknown(sort, name, list(names))
    everything[found[0]][1](name)
    own.remove_unused_features()
