"""Named positions of the engine, kept in the document, and assembly modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import assembly_solver as asm
from assembly_solver.freecad import POSITIONS, UnknownMode

from .kept import keep, kept, key_of
from .live import Live, read, step
from .snapshots import at_snapshot, snapshot_named
from .verbs import applied, whole


class ClosingWay(NamedTuple):
    """An assembly mode.

    Attributes:
        name: its signs; distance: of its parts from where they stand, mm, as of `asm.Mode`.
        here: whether the assembly stands in it.
        complete: whether the list that it is from contains all modes.
    """

    name: str
    distance: float
    here: bool
    complete: bool


class JointGone(asm.AssemblySolverError, ValueError):
    """A position of joints that do not hold here any more."""

    def __init__(self, name: str, joints: list[str]) -> None:
        gone = ", ".join(joints)
        super().__init__(f"position {name}: {gone} is not there any more; keep the position again")


def positions(of: Any = None) -> Mapping[str, asm.Position]:
    """The positions that the document keeps of an assembly, by name.

    Joints that are gone have the names of their objects in them.

    Args:
        of: an assembly object or a document, as for `read`.
    """
    return read(of).positions


def keep_position(of: Any, name: str, position: asm.Position | None = None) -> asm.Position:
    """Keep a position, by default where an assembly stands; one undo step.

    Args:
        of: an assembly object or a document, as for `read`; name: one that is there is replaced.
        position: as of another assembly, `asm.read("digging.assembly.json").positions["digging"]`,
            or of its file; joints have the same names in both.

    Raises:
        NotHeld: there are joints that could not be read; Unsolved: the joints do not hold.
        UnknownName, BadValue: values of joints that are not there, or that they cannot have.
    """
    live = whole(of)
    found = asm.standing(live.assembly) if position is None else position
    return store(live, name, found)


def keep_snapshot(of: Any, snapshot: str, name: str | None = None) -> asm.Position:
    """Keep where a snapshot of FreeCAD 1.2 has the parts as a position; one undo step.

    Args:
        of: an assembly object or a document, as for `read`; snapshot: its label or name.
        name: of the position; by default the label of the snapshot.

    Raises:
        FormatError: there is no one such snapshot; NotHeld, Unsolved: as of `keep_position`.
    """
    live = whole(of)
    found = snapshot_named(live.tree, snapshot)
    return store(live, name or found.label, asm.standing(at_snapshot(live, found)))


def store_all(live: Live, positions: Mapping[str, asm.Position], words: str) -> None:
    """Keep several positions of an assembly that was read, or none of them; one undo step."""
    with step(live.document, words):
        for name, position in positions.items():
            store(live, name, position)


def store(live: Live, name: str, position: asm.Position) -> asm.Position:
    """Keep a position of an assembly that was read; one undo step."""
    trial = live.assembly.copy()
    if name in trial.positions:
        trial.remove_position(name)
    trial.position(name, position.values, mode=position.mode)
    names = {k: trial.driver_of(k) for k in position.values}
    told = {
        key_of(live, str(names[k].joint), str(names[k].coordinate)): value
        for k, value in position.values.items()
    }
    every = kept(live, POSITIONS) or {}
    every[name] = {"values": told, "mode": position.mode}
    keep(live, POSITIONS, every, f"Keep position {name}")
    return trial.positions[name]


def take_position(of: Any, name: str, **limits: Any) -> asm.Solution:
    """Move an assembly to a position; one undo step.  What the position does not tell stays.

    Where the joints cannot hold there nothing is moved, and the solution says why.

    Args:
        of: an assembly object or a document, as for `read`; limits: as of `asm.solve`.

    Raises:
        UnknownName: no such position; JointGone: one of joints that are not there any more.
        NotHeld: there are joints that could not be read.
    """
    live = whole(of)
    return applied(live, position_solved(live, name, **limits), f"Position {name}")


def position_solved(live: Live, name: str, **limits: Any) -> asm.Solution:
    """The assembly solved at a position, in its mode if there still is one of that name."""
    found, assembly = live.positions.get(name), live.assembly.copy()
    joints = [key.rpartition(".")[0] for key in (found.values if found else ())]
    if gone := [joint for joint in joints if joint not in assembly.mates]:
        raise JointGone(name, gone)
    mode = assembly.take_position(name).mode
    try:
        return asm.solve(assembly, mode=mode, **limits)
    except UnknownMode:
        return asm.solve(assembly, **limits)


def drop_position(of: Any, name: str) -> None:
    """Delete a position; one undo step.

    Raises:
        UnknownName: there is none of that name.
    """
    live = read(of)
    every = kept(live, POSITIONS) or {}
    if name not in every:
        live.assembly.remove_position(name)  # raises, with those that there are
    keep(live, POSITIONS, {k: v for k, v in every.items() if k != name}, f"Delete position {name}")


# ------------------------------------------------------------------------ modes
def modes(of: Any = None) -> list[ClosingWay]:
    """The ways in which the loops of an assembly close at the values at which it stands.

    Args:
        of: an assembly object or a document, as for `read`.

    Raises:
        NotHeld: there are joints that could not be read; Unsolved: the joints cannot hold.
    """
    return closing_ways(whole(of).assembly)


def closing_ways(given: asm.Assembly, **limits: Any) -> list[ClosingWay]:
    """The modes of an assembly that was read.

    Args:
        given: not changed; limits: as of `asm.solve`.
    """
    solution = asm.solve(_held(given, **limits), **limits).require()
    found, here = solution.modes.all, solution.mode
    complete = solution.modes.complete
    return [ClosingWay(m.name, float(m.distance), m.name == here, complete) for m in found]


def take_mode(of: Any, name: str, **limits: Any) -> asm.Solution:
    """Close the loops of an assembly in another way; one undo step.

    What moves an assembly stays at its values: one joint for each way in which it moves.

    Args:
        of: an assembly object or a document, as for `read`; name: of the mode.
        limits: as of `asm.solve`.

    Raises:
        UnknownMode: there is none of that name; NotHeld: there are joints that could not be read.
        Unsolved: the joints cannot hold.
    """
    live = whole(of)
    return applied(live, mode_solved(live.assembly, name, **limits), f"Close as {name}")


def mode_solved(given: asm.Assembly, name: str, **limits: Any) -> asm.Solution:
    """The assembly closed in another way, at the values at which it stands."""
    return asm.solve(_held(given, **limits), mode=name, **limits)


def _held(given: asm.Assembly, **limits: Any) -> asm.Assembly:
    """The assembly with the joints that move it driven to where they are."""
    assembly = given.copy()
    for key, value in asm.standing(given, **limits).values.items():
        assembly.set_driver(assembly.driver_of(key).name, value)
    return assembly
