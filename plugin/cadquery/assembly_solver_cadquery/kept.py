"""What was added to a CadQuery assembly: mates, drivers, limits, grounds, in an `asm.Assembly`.

It is kept on the `cadquery.Assembly`, as CadQuery keeps its constraints, and fares as they do: it
is pickled and deep-copied with it; the copy that `Assembly.add` makes of a sub-assembly, which is
one rigid part there, has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import cadquery as cq

import assembly_solver as asm

from .constraints import add_constraints, hold_first
from .places import Standing, part_and_place, part_of, parts_of, pose_of, set_poses, unknown
from .queries import Found

KEPT = "_assembly_solver"
"""What a `cadquery.Assembly` has it under."""

_MADE: WeakKeyDictionary[cq.Assembly, dict[bool, Made]] = WeakKeyDictionary()


def kept(assy: cq.Assembly) -> asm.Assembly:
    """What was added to an assembly; edited in place.  Its parts stand where they stood last."""
    if not isinstance(assy, cq.Assembly):
        given = type(assy).__name__
        raise asm.AssemblySolverError(f"mates are of a cadquery.Assembly, this is of type {given}")
    known: dict[str, Any] = vars(assy)
    if KEPT not in known:
        known[KEPT] = asm.Assembly(assy.name)
    own: asm.Assembly = known[KEPT]
    return own


def as_it_stands(assy: cq.Assembly, parts: list[Standing]) -> asm.Assembly:
    """The same with its parts where they are now."""
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
    """Whether nothing names a part and it is not grounded."""
    without = own.copy()
    without.remove_part(name)
    kinds = ((x.mates, x.drivers, x.limits) for x in (own, without))
    named, left = (tuple(map(len, kind)) for kind in kinds)
    return named == left and not own.parts[name].grounded


def enter(assy: cq.Assembly, own: asm.Assembly, name: str) -> None:
    """Make a part of the assembly known, where it stands."""
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
    assy: cq.Assembly, own: asm.Assembly, found: Found, reading: asm.Feature | None
) -> tuple[str, str]:
    """A reference to a reading of what a query found, which becomes a feature of its part."""
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


class Made(NamedTuple):
    """An assembly as it was made, and what it was made of."""

    assembly: asm.Assembly
    revision: int
    constraints: tuple[cq.Constraint, ...]
    parts: tuple[tuple[str, bool], ...]
    world: asm.Pose


def whole(assy: cq.Assembly, hold: bool = False) -> asm.Assembly:
    """What was added and CadQuery's own constraints, as one assembly.

    It is kept until something is added or taken away, and with it the engine's plan as long as
    nothing moves; so it is to be read, not edited.

    Args:
        hold: as CadQuery has it: where nothing is fixed, the part that it would hold is grounded,
            and parts without a constraint or a mate are left out.
    """
    parts = parts_of(assy)
    own = as_it_stands(assy, parts)
    now = Made(
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


def _same(known: Made, now: Made) -> bool:
    """Whether what was made is what would be made now, but for poses."""
    same = len(known.constraints) == len(now.constraints)
    same = same and all(a is b for a, b in zip(known.constraints, now.constraints, strict=True))
    return same and known[1:2] == now[1:2] and known[3:] == now[3:]


def settle(assy: cq.Assembly, solution: asm.Solution) -> None:
    """Move the parts to solved poses; raises `asm.Unsolved` where there are none.

    Constants that couplings took from the start are theirs from now on: the next start would tell
    others where joints have turned more than once.
    """
    stood = solution.given.parts  # what stays there keeps its location bit for bit
    set_poses(assy, {k: p for k, p in solution.poses.items() if p is not stood[k].pose})
    own = kept(assy)
    taken = {name: c["value"] for name, c in solution.constants.items() if name in own.mates}
    if taken:
        own.keep_constants(taken)


def taken_away(assy: cq.Assembly, name: str) -> None:
    """Take away a mate, driver or limit by name, or a part with all that holds it."""
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
