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

from .constraints import add_constraints, hold_first
from .places import Standing, part_and_place, part_of, parts_of, pose_of, set_poses, unknown
from .queries import QueryResult

KEPT = "_assembly_solver"
"""Name of the attribute of a `cadquery.Assembly`."""

_MADE: WeakKeyDictionary[cq.Assembly, dict[bool, CachedAssembly]] = WeakKeyDictionary()


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
    kinds = ((x.mates, x.drivers, x.limits) for x in (own, without))
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
    constraints: tuple[cq.Constraint, ...]
    parts: tuple[tuple[str, bool], ...]
    world: asm.Pose


def whole(assy: cq.Assembly, hold: bool = False) -> asm.Assembly:
    """The attached assembly with CadQuery's own constraints, as one assembly.

    It is cached until something is added or removed, with the engine's plan as long as nothing
    moves; it must not be edited.

    Args:
        hold: as in CadQuery: where nothing is fixed, the part that it would fix is grounded, and
            parts without a constraint or a mate are skipped.
    """
    parts = parts_of(assy)
    own = as_it_stands(assy, parts)
    now = CachedAssembly(
        own,
        own.revision,
        tuple(assy.constraints),
        tuple((n, root) for n, _, root in parts),
        pose_of(assy.loc),
    )
    known = _MADE.setdefault(assy, {}).get(hold)
    if known is not None and _same(known, now):
        moved = {
            name: pose
            for name, pose, _ in parts
            if name in known.assembly.parts and known.assembly.parts[name].pose != pose
        }
        if moved:
            known.assembly.move(moved)
        return known.assembly
    out = own.copy()
    out.name = assy.name
    add_constraints(assy, parts, out)
    if hold:
        hold_first(assy, out)
    for name, pose, root in () if hold else parts:
        if name not in out.parts:
            out.add(name, pose=pose, grounded=root)
    _MADE[assy][hold] = now._replace(assembly=out)
    return out


def _same(known: CachedAssembly, now: CachedAssembly) -> bool:
    """Whether a cached assembly is up to date but for poses."""
    same = len(known.constraints) == len(now.constraints)
    same = same and all(a is b for a, b in zip(known.constraints, now.constraints, strict=True))
    return same and known[1:2] == now[1:2] and known[3:] == now[3:]


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


def taken_away(assy: cq.Assembly, name: str) -> None:
    """Remove a mate, driver or limit by name, or a part with all its mates."""
    own = kept(assy)
    everything: tuple[tuple[Mapping[str, Any], Callable[[str], None]], ...] = (
        (own.mates, own.remove),
        (own.drivers, own.remove_driver),
        (own.limits, own.remove_limit),
        (own.parts, own.remove_part),
    )
    for known, remove in everything:
        if name in known:
            remove(name)
            return
    names = dict.fromkeys(name for known, _ in everything for name in known)
    raise unknown("mate, driver, limit or held part", name, list(names))
