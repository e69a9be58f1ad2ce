"""What a page tells of an assembly beside its parts: joint coordinates, free motions, modes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...equations.system import named_poses
from ...foundations.geometry.pose import frames_of
from ...foundations.types import Array
from ...model.mates.couplings import Coupling
from ...results.readings import reading
from ...results.solution import Solution
from ...results.wording.assembly_modes import ways_to_close

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
class SceneFacts:
    """What is known at the shown poses.

    Attributes:
        values: of joint coordinates, mm or degrees; free: what moves freely, with the drivers
            taken away; modes: as many as were asked for; ways: how many there are, in words.
    """

    values: Mapping[JointCoordinate, float] = field(default_factory=dict)
    free: tuple[FreeTwist, ...] = ()
    modes: tuple[ShownMode, ...] = ()
    ways: str = ""


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
    return SceneFacts(values, _free_twists(solution), shown, ways)


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
