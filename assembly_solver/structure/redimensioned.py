"""The plan of the same structure with features elsewhere on their parts, from the same start.

A changed dimension moves features.  Bodies, components, steps and their order stay where nothing
that they were read from has changed: the mates of each pair of bodies are on features that move
together, so that it is the same joint elsewhere on its bodies; in planar loops they move in the
plane; and no feature comes to, or leaves, a point, a line or a plane of another one.

Source: docs/theory/decomposition.md, 12.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..equations.closed_form import Cloud
from ..equations.moved_features import FeaturePlaces
from ..equations.reaches import Reaches
from ..equations.system import System, converged
from ..equations.table import EquationTable
from ..foundations.altered import Makers, altered, made_of, with_entries
from ..foundations.types import Array, Ints
from .clusters import Bodies
from .moved_numbers import JoinedNumbers, MovedNumbers, MovedPlaces, StandingNumbers, move_features
from .pairs import Pairs
from .plan import Plan
from .planar import Projection
from .planned_later import OwnArrays, PlanLater
from .steps import CompiledSteps, Component, Step

AT, OWN = map(CompiledSteps._fields.index, ("at", "own"))

OF_LENGTH = ("table", "length", "most_reach", "convergence_tolerance")
OF_SYSTEM = (*OF_LENGTH, "cloud", "centre", "reaches")
OF_BODIES = ("table", "pairs", "centre")
OF_PLAN = (
    *("system", "bodies", "table", "cloud", "program", "components", "steps"),
    *("computed", "given", "loops"),
)
"""What of each follows from where features are on their parts, fields and cached properties."""


class _Views(NamedTuple):
    """Where in the numbers kept what has the name is: rows of the frames, then of the points."""

    given: slice
    turned: slice
    at: slice
    own: slice
    of_bodies: slice
    of_world: slice
    middle: slice


@dataclass(frozen=True, eq=False)
class Redimensioning:
    """What makes plans with some features elsewhere on their parts from one plan.

    Attributes:
        pairs: those of the constraints that refer to the features; `places` has their sides.
        kept: the frames, points and weights of `move_features`, of which each plan has copies.
        joined: the places and all other numbers, of which a plan is made with a copy.
        reaches: of the plan; system, bodies, whole: what of those of the plan, and of itself,
            stays, by name.
    """

    plan: Plan
    pairs: tuple[int, ...]
    places: MovedPlaces
    kept: tuple[Array, Array, Array]
    joined: JoinedNumbers
    views: _Views
    reaches: Reaches
    system: dict[str, Any]
    bodies: dict[str, Any]
    whole: dict[str, Any]
    prepared: dict[str, Any] = field(default_factory=dict)
    """What other modules prepared for solves with the features elsewhere, by their names."""

    @classmethod
    def of(cls, plan: Plan, features: FeaturePlaces) -> Redimensioning | None:
        """That of a plan and the places of features; None where more follows from these."""
        bodies, system = plan.bodies, plan.system
        inside = len(bodies.inner) and not features.constraints.isdisjoint(bodies.inner.tolist())
        if bodies.shift > 0.0 or plan.cautious or inside:
            return None
        own = (bodies.pair_of, bodies.driven)
        pairs = sorted({next(of[k] for of in own if k in of) for k in features.constraints})
        rows = features.cloud[:, 0]
        places = MovedPlaces(
            features.points,
            features.markers,
            np.column_stack([rows, plan.place_in_cloud[rows], features.cloud[:, 1]]),
            features.markers[:, 0].copy(),
            *_sides(plan, pairs),
            np.array(_moved_steps(plan, pairs), np.int64).reshape(-1, 3),
            np.unique(bodies.of_part[system.cloud_part[rows]]),
        )
        t = system.table
        standing = StandingNumbers(
            system.reaches.points.part,
            system.cloud_part,
            t.marker_body,
            bodies.table.marker_body,
            bodies.table.marker_frame,
            bodies.relative,
            system.start,
            system.angular.astype(np.int64),
            plan.cloud.first,
        )
        kept, numbers, views = _numbers(plan, len(places.first))
        joined = JoinedNumbers.of(places, standing, numbers)
        staying = _staying(plan)
        return cls(plan, tuple(pairs), places, kept, joined, views, system.reaches, *staying)

    def plan_with(self, to: Array) -> Plan | None:
        """The plan with the features at other coordinates, (3 n,), mm; None where it may be
        another."""
        system, new = self.plan.system, self.copied()
        same, length, farthest = move_features(*new, to, system.length, system.tolerance)
        return self._made(new, to, length, farthest) if same else None

    def copied(self) -> tuple[JoinedNumbers, Array, Array, Array]:
        """The numbers and what plans keep, to be overwritten by `move_features`."""
        frames, points, weight = self.kept
        return self.joined.copy(), frames.copy(), points.copy(), weight.copy()

    def all_numbers(self, to: Array) -> MovedNumbers:
        """The numbers with the features there that plans read only later."""
        system, new = self.plan.system, self.copied()
        move_features(*new, to, system.length, system.tolerance)
        return new[0].numbers()

    def arrays(self, frames: Array, points: Array, weight: Array) -> OwnArrays:
        """What plans read of what they keep, as views."""
        plan, old = self.plan, self.plan.system.table
        given, turned, at, own, of_bodies, of_world, middle = self.views
        program = plan.program
        if self.places.steps.size:
            program = with_entries(program, (AT, frames[at]), (OWN, frames[own]))
        return OwnArrays(
            EquationTable(*old[:-2], frames[given], weight),
            EquationTable(*plan.table[:-2], frames[turned], weight),
            program,
            Cloud(plan.cloud.first, points[of_bodies], points[of_world]),
            points[middle],
        )

    def _made(
        self,
        new: tuple[JoinedNumbers, Array, Array, Array],
        to: Array,
        length: float,
        farthest: float,
    ) -> Plan:
        """The plan of the numbers that were moved."""
        old, found = self.plan.system, self.arrays(*new[1:])
        reach = max(old.most_reach, self.reaches.most_with(farthest))
        later = _Moved(self, to, farthest, found.given, found.table.marker_frame, found.program)
        known = self.system.copy()
        known["table"], known["length"], known["most_reach"] = found.given, length, reach
        known["convergence_tolerance"] = converged(old.farthest + length, old.tolerance)
        known["_later"] = LATER_OF_SYSTEM, later
        system = made_of(System, known)
        known = self.bodies.copy()
        known["centre"], known["_later"] = found.centre, (LATER_OF_BODIES, later)
        bodies = made_of(Bodies, known)
        known = self.whole.copy()
        known["system"], known["bodies"], known["program"] = system, bodies, found.program
        known["table"], known["cloud"] = found.table, found.cloud
        known["_later"] = LATER_OF_PLAN, later
        return made_of(Plan, known)


class _Moved(NamedTuple):
    """What follows from where features are and is read only later, and what it follows from.

    Attributes:
        by: what made the plan; to: where the features are; farthest: their largest coordinate, mm.
        table: of the system; turned: marker frames of the plan; program: its steps.
    """

    by: Redimensioning
    to: Array
    farthest: float
    table: EquationTable
    turned: Array
    program: CompiledSteps

    def cloud(self) -> Array:
        """Of the system."""
        return self.by.all_numbers(self.to).cloud

    def centre(self) -> Array:
        """Of the system."""
        return self.by.all_numbers(self.to).centre

    def reaches(self) -> Reaches:
        """Of the system."""
        at = self.by.all_numbers(self.to).at
        return self.by.plan.system.reaches.moved(self.table, at, self.farthest)

    def body_table(self) -> EquationTable:
        """The equations in body coordinates with their markers moved."""
        table = self.by.plan.bodies.table
        frames = table.marker_frame.copy()
        frames[:, :3] += self.by.all_numbers(self.to).by
        return table._replace(marker_frame=frames, weight=self.table.weight)

    def joints(self) -> Pairs:
        """The pairs with their joints moved."""
        old, shifts = self.by.plan.bodies.pairs, self.by.all_numbers(self.to).of_side
        first, second, relative = old.frame_a.copy(), old.frame_b.copy(), old.relative.copy()
        for k, p in enumerate(self.by.pairs):
            one, two = shifts[2 * k : 2 * k + 2]
            first[p, :3] += one
            second[p, :3] += two
            relative[p, :3] += one - two @ relative[p, 3:].reshape(3, 3)
        return old._replace(frame_a=first, frame_b=second, relative=relative)

    def components(self) -> list[Component]:
        """The components with the turned markers of their projections moved."""
        out, moved = [], self.by.places.moving.tolist()
        for c in self.by.plan.components:
            flat: Projection | None = c.projection
            if flat is not None and not set(self.by.pairs).isdisjoint(c.pairs):
                again = {marker: self.turned[marker] for marker in moved if marker in flat.frames}
                c = altered(c, projection=flat._replace(frames=flat.frames | again))
            out.append(c)
        return out

    def steps(self) -> list[Step]:
        """The steps with the frames of their joints moved."""
        out, at, own = list(self.by.plan.steps), self.program.at, self.program.own
        for n in self.by.places.steps[:, 0].tolist():
            out[n] = out[n]._replace(at=at[n].copy(), own=own[n].copy())
        return out


LATER_OF_SYSTEM: Makers = {
    "cloud": _Moved.cloud,
    "centre": _Moved.centre,
    "reaches": _Moved.reaches,
}
LATER_OF_BODIES: Makers = {"table": _Moved.body_table, "pairs": _Moved.joints}
LATER_OF_PLAN: Makers = {"components": _Moved.components, "steps": _Moved.steps}


class MovedFeatures(PlanLater):
    """Features at other coordinates on their parts, (3 n,), mm.

    Attributes:
        same: whether the plan was shown to be the same with them; only then it can be made.
    """

    def __init__(self, by: Redimensioning, to: Array) -> None:
        self.like, self.by, self.to, self.same = by.plan, by, to, False

    def made(self) -> Plan:
        """The plan with them."""
        found = self.by.plan_with(self.to)
        assert found is not None
        return found


def _numbers(plan: Plan, sides: int) -> tuple[tuple[Array, Array, Array], MovedNumbers, _Views]:
    """The numbers of a plan, those that each has copies of first, and where in these what is."""
    system, cloud, program = plan.system, plan.cloud, plan.program
    frames = (system.table.marker_frame, plan.table.marker_frame, program.at, program.own)
    points = (cloud.own, cloud.start, plan.bodies.centre)
    kept = np.concatenate(frames), np.concatenate(points), system.table.weight.copy()
    numbers = MovedNumbers(
        system.reaches.points.at.copy(),
        system.cloud.copy(),
        system.centre.copy(),
        np.zeros(len(system.start), np.int64),
        np.zeros((len(system.table.marker_frame), 3)),
        np.zeros((sides, 3)),
    )
    return kept, numbers, _Views(*_one_after_the_other(frames), *_one_after_the_other(points))


def _one_after_the_other(arrays: tuple[Array, ...]) -> list[slice]:
    """The rows of some arrays when they are joined."""
    ends = np.cumsum([0, *map(len, arrays)]).tolist()
    return [slice(*both) for both in pairwise(ends)]


def _staying(plan: Plan) -> list[dict[str, Any]]:
    """What of the system, of the bodies and of the plan does not follow from where features are.

    Each has the keys of what each plan enters in a copy, which then need not grow for them.
    """
    out, own = [], OF_PLAN + (("fitted_start",) if plan.bodies.merged else ())
    for x, names, entered in (
        (plan.system, OF_SYSTEM, (*OF_LENGTH, "_later")),
        (plan.bodies, OF_BODIES, ("centre", "_later")),
        (plan, own, ("system", "bodies", "program", "table", "cloud", "_later")),
    ):
        x.settle()
        out.append({k: v for k, v in vars(x).items() if k not in names} | dict.fromkeys(entered))
    out[-1]["prepared"] = plan.prepared
    return out


def _sides(plan: Plan, pairs: list[int]) -> tuple[Ints, Ints, Array]:
    """Of the bodies of some pairs the markers of their mates, one of each side, and the normal of
    the plane in which it moves: as of `MovedPlaces`."""
    bodies, t = plan.bodies, plan.bodies.table
    home = {p: c.projection.flat for c in plan.components if c.projection for p in c.pairs}
    sided, first, normal = list[tuple[int, int]](), list[int](), list[Array]()
    for k, p in enumerate(pairs):
        rows = bodies.pairs.rows_of(p)
        if len(bodies.drivers[p]):
            rows = np.concatenate([rows, plan.system.rows(bodies.drivers[p])])
        n = t.term_measure[t.first_term[rows]]
        both = np.concatenate([t.marker_a[n], t.marker_b[n]])
        for side, body in enumerate(bodies.pairs.bodies[p].tolist(), 2 * k):
            mine = both[t.marker_body[both] == body].tolist()
            sided += [(marker, side) for marker in mine]
            first.append(mine[0])
            flat = home.get(p)
            across = None if flat is None else flat.normal[flat.bodies.tolist().index(body)]
            normal.append(np.zeros(3) if across is None else across)
    markers = np.array(sided, np.int64).reshape(-1, 2), np.array(first, np.int64)
    return *markers, np.array(normal, float).reshape(-1, 3)


def _moved_steps(plan: Plan, pairs: list[int]) -> list[tuple[int, int, int]]:
    """The steps in closed form by joints of some pairs, with the sides of their two frames."""
    ends = {tuple(plan.bodies.pairs.bodies[p].tolist()): k for k, p in enumerate(pairs)}
    out = []
    for n, s in enumerate(plan.steps):
        if s.at is not None and s.own is not None and s.rows:
            k = ends.get((min(s.parent, s.bodies[0]), max(s.parent, s.bodies[0])))
            if k is not None:
                second = int(s.parent > s.bodies[0])
                out.append((n, 2 * k + second, 2 * k + 1 - second))
    return out
