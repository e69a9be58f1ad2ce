"""A session: an assembly that is edited and dragged while its mates hold.

It keeps its own copy of the assembly and the poses that hold.  An edit starts from these poses, so
that only what it touches is solved again; one that cannot be solved leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import degrees
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..equations.system import compile_system
from ..errors import BadValue, Contradiction, MissingKey, NothingToUndo
from ..foundations.geometry.pose import Pose, compose_all, frames_of, invert_all, numbers, poses_of
from ..kinematics.drag.drag_limits import Course, Taken
from ..kinematics.drag.drag_step import ASKED, AWAY, LIMITED, MOVED, RESIDUAL, TURNED, Request
from ..kinematics.drag.rigid_carry import carry, tied_to
from ..model.assembly import Assembly
from ..model.mate import Equation
from ..results.solution import Solution
from ..results.wording.plain import listed
from ..structure.plan import Plan, make_plan
from ..structure.poses import body_poses
from ..structure.replan import retargeted
from .solving import keep_plan, solve


@dataclass(frozen=True)
class DragStep:
    """What came of dragging a part one step.

    Attributes:
        holds: whether every mate that may have moved holds; residual_mm: the worst of them.
        away_mm: how far the grabbed point is from where it was asked to be.
        away_deg: how far the part is turned from the pose asked for; None where none was.
        asked_mm: how far it was asked to go; largest_mm: the largest motion of any part.
        moved: the parts that moved.
        limits: the limits that stopped a coordinate.
        limited: whether it was stopped because a part would have moved ten times as far.
        singular: in words, the singular pose that is near; empty where none is.
    """

    holds: bool
    residual_mm: float
    away_mm: float
    away_deg: float | None
    asked_mm: float
    largest_mm: float
    moved: tuple[str, ...]
    limits: tuple[str, ...]
    limited: bool
    singular: str

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        turned = "" if self.away_deg is None else f" and {self.away_deg:.3g} deg"
        held = "every mate holds" if self.holds else "NOT every mate holds"
        words = f"{self.away_mm:.3g} mm{turned} from the request"
        words += f", {held} ({self.residual_mm:.1e} mm)"
        if self.limits:
            words += f"; stopped by {listed(list(self.limits), 3)}"
        if self.limited:
            words += "; stopped before a part moves ten times as far"
        return f"{words}; {self.singular}" if self.singular else words


class Session:
    """An assembly in work: mates and values change, parts are dragged, and the mates hold.

    Args:
        assembly: copied; raises `Unsolved` with the diagnosis where it has no solution.

    Example:
        >>> import assembly_solver as asm
        >>> a = asm.Assembly("hinge")
        >>> _ = a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
        >>> _ = a.add("door", features={"pin": asm.Axis((0, 0, 0), "z")})
        >>> session = asm.Session(a)
        >>> bool(session.mate("revolute", "frame.pin", "door.pin", name="hinge"))
        True
        >>> step = session.drag("door", point=(800, 0, 0), to=(0, 800, 0))
        >>> round(step.away_mm, 3), step.moved
        (0.0, ('door',))
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly.copy()
        self._before: list[Assembly] = []
        self._adopt(self._assembly, solve(self._assembly).require())

    def _adopt(self, assembly: Assembly, solution: Solution) -> None:
        """Take over an assembly and the poses of its solution.

        Constants that were taken from its start stay as they are from then on: a pose that was
        reached by several turns would tell others.
        """
        assembly.keep_constants({n: c["value"] for n, c in solution.constants.items()})
        self._assembly = assembly
        self._plan = solution.plan
        self._poses = dict(solution.poses)
        self._bodies = body_poses(self._plan, frames_of(self._poses.values()))
        self._solution: Solution | None = solution
        self._moved: set[int] = set()
        self._course: Course | None = None

    # ------------------------------------------------------------------ what it is now
    @property
    def poses(self) -> MappingProxyType[str, Pose]:
        """Where the parts stand; those that did not move have the same pose bit for bit."""
        if self._moved:
            plan, b = self._plan, self._plan.bodies
            which = np.flatnonzero(np.isin(b.of_part, list(self._moved)))
            at = compose_all(self._bodies[b.of_part[which]], b.relative[which])
            for k, pose in zip(which.tolist(), poses_of(at), strict=True):
                self._poses[plan.system.parts[k]] = pose
            self._moved.clear()
        return MappingProxyType(self._poses)

    @property
    def assembly(self) -> Assembly:
        """A copy of the assembly as it is now, its parts where they stand."""
        return self._now().copy()

    @property
    def solution(self) -> Solution:
        """Mates, freedoms and redundancies at the poses of now."""
        if self._solution is None:
            self._solution = solve(self._now())
        return self._solution

    @property
    def dof(self) -> int:
        """Degrees of freedom that the mates leave at these poses, drivers not counted."""
        return int(self.solution.dof or 0)

    def _now(self) -> Assembly:
        """The assembly with its parts brought to where they stand."""
        new = {n: p for n, p in self.poses.items() if p is not self._assembly.parts[n].pose}
        if new:
            self._assembly.move(new)
        return self._assembly

    # ------------------------------------------------------------------ edits
    def _edit(self, change: Callable[[Assembly], Any], value: str = "") -> Solution:
        """Change a copy, solve it from the poses of now, and take it over where that works.

        Where only the value of a mate or a driver changes, the plan is kept.
        """
        trial = self._now().copy()
        change(trial)
        plan = self._replanned(trial, value) if value else None
        if plan is not None:
            keep_plan(trial, plan)
        solution = solve(trial)
        if plan is not None and not solution:
            keep_plan(trial, make_plan(compile_system(trial)))
            solution = solve(trial)
        if solution:
            self._before.append(self._now())
            self._adopt(trial, solution)
        return solution

    def _replanned(self, trial: Assembly, name: str) -> Plan | None:
        """The plan of now with the targets of one mate or driver of a trial; None: another plan."""
        before, after = (_equations(a, name) for a in (self._assembly, trial))
        same = [e.terms for e in before] == [e.terms for e in after]
        values = [e.target for e in after]
        if not same or not values or self._plan.system.promises.count(name) != 1:
            return None
        first = int(self._plan.system.first_equation[self._plan.system.promises.index(name)])
        targets = {first + k: v for k, v in enumerate(values) if v is not None}
        if len(targets) < len(values):
            return None
        if self._plan.system.bounds is not None:  # a driver tells in which turn a limit is
            return None
        return retargeted(self._plan, frames_of(self._poses.values()), targets)

    def add(self, name: str, **parameters: Any) -> Solution:
        """Add a part; parameters as of `Assembly.add`."""
        return self._edit(lambda a: a.add(name, **parameters))

    def pins(self, at: Mapping[str, Sequence[float]] | None = None, /, **more: Any) -> Solution:
        """Draw pins; parameters as of `Assembly.pins`."""
        return self._edit(lambda a: a.pins(at, **more))

    def link(self, name: str, pins: str | Sequence[str], **parameters: Any) -> Solution:
        """Draw a link through pins; parameters as of `Assembly.link`."""
        return self._edit(lambda a: a.link(name, pins, **parameters))

    def slot(self, name: str, *pins: str | Sequence[str], **parameters: Any) -> Solution:
        """Draw a slot; parameters as of `Assembly.slot`."""
        return self._edit(lambda a: a.slot(name, *pins, **parameters))

    def add_assembly(self, name: str, other: Assembly, **parameters: Any) -> Solution:
        """Add a sub-assembly; parameters as of `Assembly.add_assembly`."""
        return self._edit(lambda a: a.add_assembly(name, other, **parameters))

    def add_pattern(self, name: str, of: str, poses: Sequence[Pose]) -> Solution:
        """Repeat a part and its mates; parameters as of `Assembly.add_pattern`."""
        return self._edit(lambda a: a.add_pattern(name, of, poses))

    def mate(self, kind: str, *features: Any, **parameters: Any) -> Solution:
        """Add a mate; parameters as of `Assembly.mate`.

        Returns:
            The solution with it.  Where that is none, it holds the diagnosis, and the session
            is as it was before.
        """
        return self._edit(lambda a: a.mate(kind, *features, **parameters))

    def remove(self, name: str) -> Solution:
        """Remove a mate and the drivers of its coordinates."""
        return self._edit(lambda a: a.remove(name))

    def change(self, name: str, **parameters: Any) -> Solution:
        """Give a mate other parameters, as `value` or `offset` (mm, degrees)."""
        return self._edit(lambda a: a.change(name, **parameters), name)

    def drive(self, name: str, *joint: Any, **parameters: Any) -> Solution:
        """Add a driver; parameters as of `Assembly.drive`."""
        return self._edit(lambda a: a.drive(name, *joint, **parameters))

    def cylinder(self, name: str, **parameters: Any) -> Solution:
        """Add a cylinder; parameters as of `Assembly.cylinder`."""
        return self._edit(lambda a: a.cylinder(name, **parameters))

    def guide(self, name: str, part: str, **parameters: Any) -> Solution:
        """Prescribe the frame of a part; parameters as of `Assembly.guide`."""
        return self._edit(lambda a: a.guide(name, part, **parameters))

    def set_driver(self, name: str, value: float | None) -> Solution:
        """Give a driver another value, mm or degrees; None lets it go."""
        return self._edit(lambda a: a.set_driver(name, value), name)

    def ground(self, name: str, grounded: bool = True) -> Solution:
        """Hold a part where it stands, or let it go."""
        return self._edit(lambda a: a.ground(name, grounded))

    def undo(self) -> None:
        """Go back to before the last edit; what was dragged after it is forgotten."""
        if not self._before:
            raise NothingToUndo
        assembly = self._before.pop()
        self._adopt(assembly, solve(assembly))

    # ------------------------------------------------------------------ dragging
    def drag(
        self,
        part: str,
        pose: Pose | None = None,
        *,
        point: str | Sequence[float] | None = None,
        to: Sequence[float] | None = None,
    ) -> DragStep:
        """Drag a part towards a pose, or one of its points towards a place.

        All mates, drivers with a value and limits hold.  The part comes as near as they let it, the
        point first, and the others move as little as they can.  No part moves more than ten
        times as far as was asked; where one would, the dragged part lags, and the step says so.

        Args:
            part: one that is not held.
            pose: the pose asked for; or
            point: what is grabbed, a feature's name or a point of the part (mm, its coordinates),
                the middle of its features by default; to: where it is to go (mm, in the world).
        """
        k = self._number(part)
        body = int(self._plan.bodies.of_part[k])
        request = self._request(k, body, pose, point, to)
        if body == 0:
            return self._carry(k, request)
        if self._course is None:
            self._course = Course(self._now(), self._plan)
            self._plan = self._course.plan
        taken = self._course.take(self._bodies, request)
        went = np.any(self._bodies != taken.bodies, axis=1)
        if went.any():
            self._bodies, self._solution = taken.bodies, None
            self._moved.update(np.flatnonzero(went).tolist())
        return self._step(taken, went, request.oriented)

    def _number(self, part: str) -> int:
        """The place of a part that can be dragged."""
        k = list(self._assembly.parts).index(self._assembly.part(part, "drag").name)
        system = self._plan.system
        held = self._plan.bodies.of_part[k] == 0
        if held and system.grounded[tied_to(system, k)].any():
            raise BadValue("drag", part, "a part that can move; this one is held")
        return k

    def _request(
        self,
        k: int,
        body: int,
        pose: Pose | None,
        point: str | Sequence[float] | None,
        to: Sequence[float] | None,
    ) -> Request:
        """What is asked of the body of a part."""
        if (pose is None) == (to is None):
            if pose is None:
                raise MissingKey("drag", "a drag without 'pose'", "to")
            raise Contradiction("drag", "pose", "to")
        bodies, name = self._plan.bodies, self._plan.system.parts[k]
        local = bodies.relative[k]
        axes, grabbed = local[3:].reshape(3, 3), self._plan.system.centre[k]
        if isinstance(point, str):
            own = self._assembly.part(name).feature(point, "drag.point").frame
            grabbed = np.array(own[:3])
        elif point is not None:
            grabbed = np.array(numbers(point, 3, "drag.point"))
        grip = local[:3] + grabbed @ axes
        goal = np.zeros(12)
        if pose is None:
            goal[:3] = numbers(to, 3, "drag.to")
        else:
            goal = compose_all(pose.frame[None], invert_all(local[None]))[0]
            goal[:3] += grip @ goal[3:].reshape(3, 3)
        return Request(body, grip, goal, pose is not None)

    def _carry(self, part: int, request: Request) -> DragStep:
        """Drag a part that is held only because nothing is grounded: all that is tied to it."""
        names = [self._plan.system.parts[k] for k in tied_to(self._plan.system, part)]
        carried = carry(self._plan.system, part, frames_of(self.poses.values()), request)
        trial = self._now().copy()
        trial.move({n: carried.motion @ self.poses[n] for n in names})
        solution = solve(trial).require()
        self._adopt(trial, solution)
        return DragStep(
            True,
            solution.residual,
            carried.away_mm,
            degrees(carried.away) if request.oriented else None,
            carried.asked,
            carried.largest,
            tuple(names),
            (),
            carried.limited,
            "",
        )

    def _step(self, taken: Taken, went: NDArray[np.bool_], oriented: bool) -> DragStep:
        """A step in names, mm and degrees."""
        of_part, names, report = self._plan.bodies.of_part, self._plan.system.parts, taken.report
        singular = ""
        if taken.weak >= 0:
            through = names[int(np.flatnonzero(of_part == taken.weak)[0])]
            singular = f"near a singular pose of the loop through {through}"
        moved = np.flatnonzero(went[of_part]).tolist()
        return DragStep(
            bool(report[RESIDUAL] <= self._plan.system.tolerance),
            float(report[RESIDUAL]),
            float(report[AWAY]),
            degrees(report[TURNED]) if oriented else None,
            float(report[ASKED]),
            float(report[MOVED]),
            tuple(names[k] for k in moved),
            taken.stops,
            bool(report[LIMITED]),
            singular,
        )


def _equations(assembly: Assembly, name: str) -> tuple[Equation, ...]:
    """What a mate or a driver with a value says; nothing where there is none of that name."""
    if name in assembly.held:
        return assembly.held[name].equations
    driver = assembly.drivers.get(name)
    return () if driver is None or driver.value is None else driver.at(driver.value)
