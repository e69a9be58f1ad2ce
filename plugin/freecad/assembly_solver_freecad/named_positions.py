"""Named positions, kept in the document as values of joints, and assembly modes.

A position is one value for each way in which an assembly moves, as `positions` of an assembly file,
and the assembly mode where its loops close in several ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import assembly_solver as asm
from assembly_solver.freecad import UnknownMode

from .kept import keep, kept, key_of
from .live import Live, read
from .verbs import applied, whole

PROPERTY = "Positions"


class Position(NamedTuple):
    """A named position.

    Attributes:
        values: mm or degrees by joint and coordinate, as ("Slider", "length"); joints that are
            gone have the name of their object.
        mode: the assembly mode, None where no loop closes in several ways.
    """

    values: Mapping[tuple[str, str], float]
    mode: str | None


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


class UnknownPosition(asm.AssemblySolverError, KeyError):
    """A name that no position has."""

    def __init__(self, name: str, known: Mapping[str, Any]) -> None:
        these = f"there are {', '.join(known)}" if known else "none is kept"
        self.message = f"no position {name!r}; {these}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class JointGone(asm.AssemblySolverError, ValueError):
    """A position of joints that do not hold here any more."""

    def __init__(self, name: str, joints: list[str]) -> None:
        gone = ", ".join(joints)
        super().__init__(f"position {name}: {gone} is not there any more; keep the position again")


def positions(of: Any = None) -> dict[str, Position]:
    """The positions that the document keeps of an assembly, by name.

    Args:
        of: an assembly object or a document, as for `read`.
    """
    return positions_of(read(of))


def positions_of(live: Live) -> dict[str, Position]:
    """The positions of an assembly that was read."""
    names = {key_of(live, *which): which for which in _coordinates(live)}
    return {
        name: Position(
            {names.get(k, _gone(k)): v for k, v in found["values"].items()}, found["mode"]
        )
        for name, found in (kept(live, PROPERTY) or {}).items()
    }


def keep_position(of: Any, name: str) -> Position:
    """Keep where an assembly stands as a position; one undo step.

    Args:
        of: an assembly object or a document, as for `read`; name: one that is there is replaced.

    Raises:
        NotHeld: there are joints that could not be read; Unsolved: the joints do not hold.
    """
    live = whole(of)
    found = standing(live.assembly)
    store(live, name, found)
    return found


def store(live: Live, name: str, position: Position) -> None:
    """Keep a position of an assembly that was read; one undo step."""
    every = kept(live, PROPERTY) or {}
    told = {key_of(live, *which): value for which, value in position.values.items()}
    every[name] = {"values": told, "mode": position.mode}
    keep(live, PROPERTY, every, f"Keep position {name}")


def take_position(of: Any, name: str, **limits: Any) -> asm.Solution:
    """Move an assembly to a position; one undo step.  What the position does not tell stays.

    Where the joints cannot hold there nothing is moved, and the solution says why.

    Args:
        of: an assembly object or a document, as for `read`; limits: as of `asm.solve`.

    Raises:
        UnknownPosition, JointGone; NotHeld: there are joints that could not be read.
    """
    live = whole(of)
    return applied(live, position_solved(live, name, **limits), f"Position {name}")


def position_solved(live: Live, name: str, **limits: Any) -> asm.Solution:
    """The assembly solved at a position, in its mode if there still is one of that name."""
    known = positions_of(live)
    if name not in known:
        raise UnknownPosition(name, known)
    there = {*_coordinates(live)}
    gone = [joint for joint, which in known[name].values if (joint, which) not in there]
    if gone:
        raise JointGone(name, gone)
    assembly = _driven(live.assembly, known[name].values)
    try:
        return asm.solve(assembly, mode=known[name].mode, **limits)
    except UnknownMode:
        return asm.solve(assembly, **limits)


def drop_position(of: Any, name: str) -> None:
    """Delete a position; one undo step.

    Raises:
        UnknownPosition: there is none of that name.
    """
    live = read(of)
    every = kept(live, PROPERTY) or {}
    if name not in every:
        raise UnknownPosition(name, every)
    keep(live, PROPERTY, {k: v for k, v in every.items() if k != name}, f"Delete position {name}")


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
    values = standing(given, **limits).values
    solution = asm.solve(_driven(given, values), **limits).require()
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
    values = standing(given, **limits).values
    return asm.solve(_driven(given, values), mode=name, **limits)


# ------------------------------------------------------------------------ what moves
def standing(given: asm.Assembly, **limits: Any) -> Position:
    """The values of the joints that move an assembly, and the mode in which it stands.

    Args:
        given: not changed; limits: as of `asm.solve`.

    Raises:
        Unsolved: the joints cannot hold.
    """
    solution = asm.solve(given, **limits).require()
    stops = (motion["removed_by"]["driver"] for motion in solution.free_motions)
    which = {(stop["joint"], stop["coordinate"]): None for stop in stops if stop}
    quantities = {name: solution.given.coordinate(*name) for name in which}
    values = {name: float(asm.reading(solution, q)) for name, q in quantities.items()}
    return Position(values, asm.solve(_driven(given, values), **limits).require().mode)


def _driven(given: asm.Assembly, values: Mapping[tuple[str, str], float]) -> asm.Assembly:
    """An assembly with its joints driven to values."""
    assembly = given.copy()
    for (joint, coordinate), value in values.items():
        assembly.drive(f"{joint} {coordinate}", joint, coordinate, value=value)
    return assembly


def _coordinates(live: Live) -> Iterator[tuple[str, str]]:
    """The joints of an assembly that turn or slide, each with its coordinates."""
    for name, mate in live.assembly.mates.items():
        if mate.takes:
            yield from ((name, coordinate) for coordinate in mate.coordinates)


def _gone(key: str) -> tuple[str, str]:
    """A coordinate of a joint that is gone, by the name of its object."""
    joint, _, coordinate = key.rpartition(".")
    return joint, coordinate
