"""A session: an assembly that is edited and dragged while its mates hold.

It keeps a copy of the assembly and closed poses.  An edit starts from these poses, so that only
what it affects is solved again; an edit without a solution changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import degrees
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..equations.system import compile_system
from ..errors import BadValue, Contradiction, MissingKey, NothingToUndo
from ..foundations.arguments import with_checked_calls
from ..foundations.geometry.pose import Pose, compose_all, frames_of, invert_all, numbers, poses_of
from ..foundations.types import Numbers
from ..kinematics.contact.drag_contacts import DragContacts
from ..kinematics.drag.drag_limits import BESIDE, PASSED, DragResult, LimitedDrag
from ..kinematics.drag.drag_step import ASKED, AWAY, LAGS, LIMITED, MOVED, RESIDUAL, TURNED, Request
from ..kinematics.drag.rigid_drag import drag_rigidly, tied_to
from ..model.assembly import Assembly
from ..model.drivers.quantity import Quantity
from ..model.mate import Equation, required_sense
from ..results.dragging import DragStep
from ..results.readings import reading_between
from ..results.solution import Solution
from ..structure.plan import Plan, make_plan
from ..structure.poses import body_poses
from ..structure.replan import retargeted
from .kept_plans import keep_plan
from .solving import solve


@with_checked_calls
class Session:
    """An assembly under edit: mates and values change, parts are dragged, and the mates hold.

    Args:
        assembly: copied.
        contact: whether dragged parts with geometry stop before they come into contact.
        cancel: called repeatedly while it is solved at first; a true result ends that.

    Raises:
        Unsolved: it has no solution, or was cancelled; with the diagnosis.

    Examples:
        >>> import assembly_solver as asm
        >>> a = asm.Assembly("hinge")
        >>> _ = a.add("frame", grounded=True, features={"pin": asm.Axis((0, 0, 0), "z")})
        >>> _ = a.add("door", features={"pin": asm.Axis((0, 0, 0), "z")})
        >>> session = asm.Session(a)
        >>> bool(session.mate("revolute", "frame.pin", "door.pin", name="hinge"))
        True
        >>> step = session.drag("door", point=(800, 0, 0), to=(0, 800, 0))
        >>> round(step.away_mm, 6), step.moved
        (0.0, ('door',))
    """

    def __init__(
        self,
        assembly: Assembly,
        *,
        contact: bool = False,
        cancel: Callable[[], object] | None = None,
    ) -> None:
        self._assembly, self._contact = assembly.copy(), contact
        self._before: list[Assembly] = []
        self._adopt(self._assembly, solve(self._assembly, cancel=cancel).require())

    def _adopt(self, assembly: Assembly, solution: Solution) -> None:
        """Adopt an assembly and the poses of its solution.

        Constants measured at its start poses are fixed: after several turns they would differ.
        """
        assembly.keep_constants({n: c["value"] for n, c in solution.constants.items()})
        self._assembly = assembly
        self._plan = solution.plan
        self._poses = dict(solution.poses)
        self._bodies = body_poses(self._plan, frames_of(self._poses.values()))
        self._solution: Solution | None = solution
        self._adopted = solution
        self._moved: set[int] = set()
        self._course: LimitedDrag | None = None
        self._watched: DragContacts | None = None

    # ------------------------------------------------------------------ state
    @property
    def poses(self) -> MappingProxyType[str, Pose]:
        """Poses of the parts, mm, world; parts that did not move keep theirs bit for bit."""
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
        """A copy of the assembly with its parts at the present poses."""
        return self._now().copy()

    @property
    def solution(self) -> Solution:
        """The solution at the present poses."""
        if self._solution is None:
            self._solution = solve(self._now())
        return self._solution

    @property
    def dof(self) -> int:
        """Degrees of freedom at the present poses, drivers not counted."""
        return int(self.solution.dof or 0)

    def reading(self, quantity: Quantity) -> float:
        """The value of a quantity at the present poses, without solving them again.

        Args:
            quantity: a driver, a limit, or `Assembly.coordinate(joint, coordinate)`.

        Returns:
            A length, mm, or an angle from -180 to 180 degrees, as of `asm.reading`.
        """
        a, b = (self.poses[m.part].frame for m in (quantity.measure.a, quantity.measure.b))
        return reading_between(self._adopted, quantity, a, b)

    def _now(self) -> Assembly:
        """The assembly with its parts moved to the present poses."""
        new = {n: p for n, p in self.poses.items() if p is not self._assembly.parts[n].pose}
        if new:
            self._assembly.move(new)
        return self._assembly

    # ------------------------------------------------------------------ edits
    def _edit(self, change: Callable[[Assembly], Any], value: str = "") -> Solution:
        """Change a copy, solve it from the present poses, and adopt it where that succeeds.

        The plan is reused where only the `value` of that mate or driver changes.
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
        """The present plan with new targets of one mate or driver; None where it does not apply."""
        before, after = (_equations(a, name) for a in (self._assembly, trial))
        senses = {
            required_sense(a.held[name].mate) for a in (self._assembly, trial) if name in a.held
        }
        same = [e.terms for e in before] == [e.terms for e in after] and len(senses) < 2
        values = [e.target for e in after]
        system = self._plan.system
        if not same or not values or system.constraints.count(name) != 1:
            return None
        first = int(system.first_equation[system.constraints.index(name)])
        targets = {first + k: v for k, v in enumerate(values) if v is not None}
        # the turn of an angle's limit depends on the drivers, an active limit on the values
        bounds = system.bounds
        turning = bounds is not None and bool(bounds.angular.any())
        implied = dict(trial.limits) != dict(self._assembly.limits)
        if len(targets) < len(values) or turning or implied or system.active_limits:
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
        """Add a mate; parameters as of `Assembly.mate`; unsolved, the result has the diagnosis."""
        return self._edit(lambda a: a.mate(kind, *features, **parameters))

    def remove(self, name: str) -> Solution:
        """Remove a mate and the drivers of its coordinates."""
        return self._edit(lambda a: a.remove(name))

    def change(self, name: str, **parameters: Any) -> Solution:
        """Change parameters of a mate, as `value` or `offset` (mm, degrees)."""
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
        """Change the value of a driver, mm or degrees; None removes the value."""
        return self._edit(lambda a: a.set_driver(name, value), name)

    def ground(self, name: str, grounded: bool = True) -> Solution:
        """Ground a part at its pose, or release it."""
        return self._edit(lambda a: a.ground(name, grounded))

    def undo(self) -> None:
        """Return to the state before the last edit, without drags; raises `NothingToUndo`."""
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
        point: str | Numbers | None = None,
        to: Numbers | None = None,
    ) -> DragStep:
        """Drag a part towards a pose, or one of its points towards a position.

        All mates, drivers with a value and limits hold.  The part comes as close to the target as
        they allow, the position before the orientation, and the others move as little as possible.
        No part moves more than ten times the requested distance; where one would, the dragged part
        lags, and `DragStep.limited` is true.

        Args:
            part: one that is not grounded.
            pose: target pose, mm, world; or
            point: the grabbed point, a feature's name or a point of the part (mm, its frame), by
                default the centre of its features; to: its target position, mm, world.

        Raises:
            BadValue: the part cannot move, or numbers are not finite.
            MissingKey, Contradiction: neither or both of `pose` and `to`.
        """
        k = self._number(part)
        body = int(self._plan.bodies.of_part[k])
        request = self._request(k, body, pose, point, to)
        if body == 0:
            return self._drag_reference(k, request)
        if self._course is None:
            self._course = LimitedDrag(self._now(), self._plan)
            self._plan = self._course.plan
            if self._contact:
                self._watched = DragContacts(self._now(), self._plan.bodies, self._bodies)
        contacts: tuple[str, ...] = ()
        if self._watched is None:
            result = self._course.take(self._bodies, request)
        else:
            result, contacts = self._watched.take(self._course, self._bodies, request)
        changed = np.any(self._bodies != result.bodies, axis=1)
        if changed.any():
            self._bodies, self._solution = result.bodies, None
            self._moved.update(np.flatnonzero(changed).tolist())
        return replace(self._step(result, changed, request.oriented), contacts=contacts)

    def _number(self, part: str) -> int:
        """The number of a part, which must be able to move."""
        k = list(self._assembly.parts).index(self._assembly.part(part, "drag").name)
        system = self._plan.system
        held = self._plan.bodies.of_part[k] == 0
        if held and system.grounded[tied_to(system, k)].any():
            raise BadValue("drag", part, "a part that can move; this one is held")
        return k

    def _request(
        self, k: int, body: int, pose: Pose | None, point: str | Numbers | None, to: Numbers | None
    ) -> Request:
        """The drag request for the body of a part, in the frame of the body."""
        if (pose is None) == (to is None):
            if pose is None:
                raise MissingKey("drag", "a drag without 'pose'", "to")
            raise Contradiction("drag", "pose", "to")
        bodies, name = self._plan.bodies, self._plan.system.parts[k]
        local = bodies.relative[k]
        axes, grabbed = local[3:].reshape(3, 3), self._plan.system.centre[k]
        if isinstance(point, str):
            feature = self._assembly.part(name).feature(point, "drag.point")
            grabbed = np.array(feature.frame[:3])
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

    def _drag_reference(self, part: int, request: Request) -> DragStep:
        """Drag a part that is fixed as reference, with all parts connected to it, as one."""
        names = [self._plan.system.parts[k] for k in tied_to(self._plan.system, part)]
        rigid = drag_rigidly(self._plan.system, part, frames_of(self.poses.values()), request)
        trial = self._now().copy()
        trial.move({n: rigid.motion @ self.poses[n] for n in names})
        solution = solve(trial).require()
        self._adopt(trial, solution)
        return DragStep(
            True,
            solution.residual,
            rigid.away_mm,
            degrees(rigid.away) if request.oriented else None,
            rigid.asked,
            rigid.largest,
            tuple(names),
            (),
            rigid.limited,
            "",
            unwatched=self._contact,
        )

    def _step(self, result: DragResult, changed: NDArray[np.bool_], oriented: bool) -> DragStep:
        of_part, names, report = self._plan.bodies.of_part, self._plan.system.parts, result.report
        singular = ""
        if result.near_singular >= 0:
            through = names[int(np.flatnonzero(of_part == result.near_singular)[0])]
            singular = AT_SINGULAR[result.change].format(part=through)
        moved = np.flatnonzero(changed[of_part]).tolist()
        return DragStep(
            bool(report[RESIDUAL] <= self._plan.system.tolerance),
            float(report[RESIDUAL]),
            float(report[AWAY]),
            degrees(report[TURNED]) if oriented else None,
            float(report[ASKED]),
            float(report[MOVED]),
            tuple(names[k] for k in moved),
            result.stops,
            bool(report[LIMITED]),
            singular,
            bool(report[LAGS] and moved),  # what moved nothing moves nothing when it is repeated
        )


AT_SINGULAR = {
    "": "near a singular pose of the loop through {part}",
    PASSED: "a change point of the loop through {part} is passed: it is on another branch now",
    BESIDE: "it stops beside another branch of the loop through {part}, nearer than its steps",
}
"""What is said of a loop near a singular pose, by what became of its branch."""


def _equations(assembly: Assembly, name: str) -> tuple[Equation, ...]:
    """Equations of a mate or of a driver with a value; empty where none has that name."""
    if name in assembly.held:
        return assembly.held[name].equations
    driver = assembly.drivers.get(name)
    return () if driver is None or driver.value is None else driver.at(driver.value)
