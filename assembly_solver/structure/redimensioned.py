"""The plan of the same structure with features elsewhere on their parts, from the same start.

A changed dimension moves features.  Bodies, components, steps and their order stay where nothing
that they were read from has changed: the mates of each pair of bodies are on features that move
together, so that it is the same joint elsewhere on its bodies; in planar loops they move in the
plane; and no feature comes to, or leaves, a point, a line or a plane of another one.

Source: docs/theory/decomposition.md, 12.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..equations.closed_form import Cloud
from ..equations.moved_features import FeaturePlaces
from ..equations.reaches import PartPoints
from ..equations.system import System
from ..equations.table import EquationTable
from ..foundations.altered import altered, altered_later, with_entries
from ..foundations.types import Array, Ints
from .clusters import Bodies
from .moved_numbers import MovedNumbers, MovedPlaces, StandingNumbers, move_features
from .pairs import Pairs
from .plan import Plan
from .planar import Projection
from .steps import CompiledSteps, Component, Step

FRAMES, WEIGHT = map(EquationTable._fields.index, ("marker_frame", "weight"))
AT, OWN = map(CompiledSteps._fields.index, ("at", "own"))


@dataclass(frozen=True, eq=False)
class Redimensioning:
    """What makes plans with some features elsewhere on their parts from one plan.

    Attributes:
        pairs: those of the constraints that refer to the features; `places` has their sides.
    """

    plan: Plan
    pairs: tuple[int, ...]
    places: MovedPlaces
    standing: StandingNumbers

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
            system.angular,
            plan.cloud.first,
        )
        return cls(plan, tuple(pairs), places, standing)

    def plan_with(self, to: Array) -> Plan | None:
        """The plan with the features at other origins, (n, 3), mm; None where it may be another."""
        plan, system, p = self.plan, self.plan.system, self.places
        new = MovedNumbers(
            system.table.marker_frame.copy(),
            plan.table.marker_frame.copy(),
            np.empty(len(system.angular)),
            system.reaches.points.at.copy(),
            system.cloud.copy(),
            np.zeros((len(system.start), 3)),
            np.zeros(len(system.start), np.int64),
            plan.cloud.own.copy(),
            plan.cloud.start.copy(),
            plan.bodies.centre.copy(),
            plan.program.at.copy(),
            plan.program.own.copy(),
            np.zeros((len(self.standing.body_of_marker), 3)),
            np.empty((len(p.first), 3)),
        )
        lengths = system.length, system.tolerance
        same, length, farthest = move_features(p, self.standing, to, new, *lengths)
        return self._made(new, length, farthest) if same else None

    def _made(self, new: MovedNumbers, length: float, farthest: float) -> Plan:
        plan = self.plan
        program = plan.program
        if len(self.places.steps):
            program = with_entries(program, (AT, new.step_at), (OWN, new.step_own))
        later = {
            "components": lambda: self._components(new.turned),
            "steps": lambda: self._steps(program),
        }
        out = altered_later(
            plan,
            later,
            system=_system(plan.system, new, length, farthest),
            bodies=self._bodies(new),
            table=_with_frames(plan.table, new.turned, new.weight),
            cloud=Cloud(plan.cloud.first, new.own, new.world),
            program=program,
            prepared={},
        )
        for made in ("given", "loops"):
            out.__dict__.pop(made, None)
        if plan.bodies.merged:
            out.__dict__.pop("fitted_start", None)
        for name, known in plan.prepared.items():
            out.prepared[name] = known.redimensioned(out)
        return out

    def _bodies(self, new: MovedNumbers) -> Bodies:
        """The bodies with their centres moved, and later their markers and joints."""
        old = self.plan.bodies

        def table() -> EquationTable:
            frames = old.table.marker_frame.copy()
            frames[:, :3] += new.by
            return _with_frames(old.table, frames, new.weight)

        later = {"table": table, "pairs": lambda: self._joints(new.of_side)}
        return altered_later(old, later, centre=new.middle)

    def _joints(self, shifts: Array) -> Pairs:
        """The pairs with their joints moved."""
        old = self.plan.bodies.pairs
        first, second, relative = old.frame_a.copy(), old.frame_b.copy(), old.relative.copy()
        for k, p in enumerate(self.pairs):
            one, two = shifts[2 * k : 2 * k + 2]
            first[p, :3] += one
            second[p, :3] += two
            relative[p, :3] += one - two @ relative[p, 3:].reshape(3, 3)
        return old._replace(frame_a=first, frame_b=second, relative=relative)

    def _components(self, frames: Array) -> list[Component]:
        """The components with the turned markers of their projections moved."""
        out, moved = [], self.places.moving.tolist()
        for c in self.plan.components:
            flat: Projection | None = c.projection
            if flat is not None and not set(self.pairs).isdisjoint(c.pairs):
                again = {marker: frames[marker] for marker in moved if marker in flat.frames}
                c = altered(c, projection=flat._replace(frames=flat.frames | again))
            out.append(c)
        return out

    def _steps(self, program: CompiledSteps) -> list[Step]:
        """The steps with the frames of their joints moved."""
        out = list(self.plan.steps)
        for n in self.places.steps[:, 0].tolist():
            out[n] = replace(out[n], at=program.at[n].copy(), own=program.own[n].copy())
        return out


def _with_frames(table: EquationTable, frames: Array, weight: Array) -> EquationTable:
    """A table with other frames of the markers and weights of the equations."""
    return with_entries(table, (FRAMES, frames), (WEIGHT, weight))


def _system(system: System, new: MovedNumbers, length: float, farthest: float) -> System:
    """A system with other frames of the markers and other origins of the features.

    Args:
        farthest: the largest of their coordinates that are others, mm.
    """
    points = PartPoints(system.reaches.points.part, new.at)
    table = _with_frames(system.table, new.given, new.weight)
    out = altered(
        system,
        table=table,
        cloud=new.cloud,
        centre=new.centre,
        length=length,
        reaches=system.reaches.moved(table, points, farthest),
    )
    out.__dict__.pop("convergence_tolerance", None)
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
