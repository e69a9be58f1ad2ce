"""What was added to a CadQuery assembly: mates, drivers, limits, grounds, in an `asm.Assembly`.

It is kept beside the `cadquery.Assembly` as long as that lives and belongs to that one object, as
CadQuery's own constraints do: a copy has none, nor has the copy that `Assembly.add` makes of a
sub-assembly, which is one rigid part there.  It is not pickled.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import cadquery as cq

import assembly_solver as asm

from .constraints import add_constraints, hold_first
from .places import Standing, parts_of, pose_of, set_poses, unknown
from .queries import Found

_MADE: WeakKeyDictionary[cq.Assembly, dict[bool, Made]] = WeakKeyDictionary()
_KEPT: WeakKeyDictionary[cq.Assembly, asm.Assembly] = WeakKeyDictionary()


def kept(assy: cq.Assembly, parts: list[Standing] | None = None) -> asm.Assembly:
    """What was added to an assembly, with its parts where they are now; edited in place."""
    if assy not in _KEPT:
        _KEPT[assy] = asm.Assembly(assy.name)
    own = _KEPT[assy]
    places = {p.name: p.pose for p in (parts or parts_of(assy))} if own.parts else {}
    gone = [name for name in own.parts if name not in places]
    if gone:
        raise asm.AssemblySolverError(
            f"part {gone[0]!r} is in assembly {assy.name!r} no longer, but mates and grounds of it "
            "are; make a new assembly without it"
        )
    moved = {name: places[name] for name, part in own.parts.items() if part.pose != places[name]}
    if moved:
        own.move(moved)
    return own


def enter(assy: cq.Assembly, own: asm.Assembly, name: str) -> None:
    """Make a part of the assembly known, if it is not yet."""
    if name in own.parts:
        return
    for known, pose, root in parts_of(assy):
        if known == name:
            own.add(name, pose=pose, grounded=root)
            return
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
        hold: where nothing is fixed, the part that CadQuery would hold is grounded.
    """
    parts = parts_of(assy)
    own = kept(assy, parts)
    now = Made(
        own, own.revision, tuple(assy.constraints), tuple((n, root) for n, _, root in parts),
        pose_of(assy.loc),
    )  # fmt: skip
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
    set_poses(assy, solution.poses)
    own = _KEPT[assy]
    taken = {name: c["value"] for name, c in solution.constants.items() if name in own.mates}
    if taken:
        own.keep_constants(taken)


def complete(assy: cq.Assembly) -> asm.Assembly:
    """The same with all parts; those that nothing holds stand still."""
    out = whole(assy).copy()
    for name, pose, _ in parts_of(assy):
        if name not in out.parts:
            out.add(name, pose=pose, grounded=True)
    return out
