"""What a page tells of an assembly beside its parts: joint coordinates, free motions, modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...equations.system import named_poses
from ...errors import UnknownMode
from ...foundations.geometry.pose import frames_of
from ...foundations.types import Array
from ...model.mates.couplings import Coupling
from ...results.readings import reading
from ...results.solution import Solution
from ...results.wording.assembly_modes import ways_to_close
from ...verbs.positions import bring_to

MOST = 60
"""Most free motions that are listed."""

JointCoordinate = tuple[str, str]
"""A mate and one of its coordinates: "angle" or "length"."""


@dataclass(frozen=True, eq=False)
class FreeTwist:
    """A free motion at the poses of a solution, to first order.

    Attributes:
        title, words: as in `Solution.free_motions`; held: the drivers that hold it, in words.
        twists: of the parts that move, by name, (6,): velocity at the world origin, mm, and spin,
            rad, of the same motion.
    """

    title: str
    words: str
    held: str
    twists: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class ShownMode:
    """An assembly mode: its name, how far the parts are from their start, mm, and their frames."""

    name: str
    distance: float
    frames: Array


@dataclass(frozen=True, eq=False)
class ShownPosition:
    """A named position: its values by driver, in words too, and the frames; None where it has no
    solution, and the words say why."""

    name: str
    values: Mapping[str, float]
    words: str
    frames: Array | None


@dataclass(frozen=True, eq=False)
class SceneFacts:
    """What is known at the shown poses.

    Attributes:
        values: of joint coordinates, mm or degrees; free: what moves freely, with the drivers
            taken away; modes: as many as were asked for; ways: how many there are, in words;
        positions: those of the assembly.
    """

    values: Mapping[JointCoordinate, float] = field(default_factory=dict)
    free: tuple[FreeTwist, ...] = ()
    modes: tuple[ShownMode, ...] = ()
    ways: str = ""
    positions: tuple[ShownPosition, ...] = ()


def facts_of(solution: Solution, modes: bool = False) -> SceneFacts:
    """The facts at the poses of a solution; `modes`: whether the assembly modes are searched."""
    given = solution.given
    values = {
        (name, coordinate): reading(solution, given.coordinate(name, coordinate))
        for name, mate in given.mates.items()
        if not isinstance(mate, Coupling)
        for coordinate in mate.coordinates
    }
    asked = modes and bool(solution)
    shown = _modes(solution) if asked else ()
    ways = ways_to_close(solution.modes) if asked else ""
    return SceneFacts(values, _free_twists(solution), shown, ways, _positions(solution))


def _positions(solution: Solution) -> tuple[ShownPosition, ...]:
    """The positions, solved from the poses of the solution."""
    if not solution:
        return ()
    out = []
    for name, position in solution.given.positions.items():
        assembly, frames, words = solution.given.copy(), None, ""
        assembly.move(solution.poses)
        drivers = [assembly.driver_of(key) for key in position.values]
        told = [*zip(drivers, position.values.values(), strict=True)]
        words = ", ".join(f"{driver.name} {value:.12g} {driver.unit}" for driver, value in told)
        try:
            found = bring_to(assembly, name)
            frames = frames_of(found.poses.values()) if found else None
            words = words if found else found.sentence
        except UnknownMode as error:
            words = str(error)
        values = {driver.name: value for driver, value in told}
        out.append(ShownPosition(name, values, words, frames))
    return tuple(out)


def _free_twists(solution: Solution) -> tuple[FreeTwist, ...]:
    told = solution.told_motions[:MOST]
    if not told:
        return ()
    diagnosis = solution.diagnosis
    twists: list[dict[str, Array]] = [{} for _ in told]
    for body, names in diagnosis.names_of.items():
        found = diagnosis.twists([each.motion for each in told], body)
        for number in np.flatnonzero(found.any(axis=1)):
            twists[number] |= dict.fromkeys(names, found[number])
    return tuple(
        FreeTwist(each.title, each.words, each.removed_by if each.removal.drivers else "", moving)
        for each, moving in zip(told, twists, strict=True)
    )


def _modes(solution: Solution) -> tuple[ShownMode, ...]:
    given, system = solution.given, solution.plan.system
    return tuple(
        ShownMode(
            mode.name, mode.distance, frames_of(named_poses(given, system, mode.parts).values())
        )
        for mode in solution.modes.all
    )
