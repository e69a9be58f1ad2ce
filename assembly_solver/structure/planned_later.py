"""A plan with other numbers than one of the same structure, made when it is first read.

A repeated solve of a loop reads a few arrays of it alone: see `solver.repeated_loop`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..equations.closed_form import Cloud
from ..equations.table import EquationTable
from ..foundations.altered import Makers, later_of, made_of
from ..foundations.remembered import remembered
from ..foundations.types import Array
from .plan import Plan, PlannedSystem
from .steps import CompiledSteps


class OwnArrays(NamedTuple):
    """What plans with other numbers have of their own.

    Attributes:
        given, table: equations of the system, and of the plan; program: its steps.
        cloud, centre: of the plan and of its bodies.
    """

    given: EquationTable
    table: EquationTable
    program: CompiledSteps
    cloud: Cloud
    centre: Array

    @classmethod
    def of(cls, plan: Plan) -> OwnArrays:
        """Those of a plan."""
        system, bodies = plan.system, plan.bodies
        return cls(system.table, plan.table, plan.program, plan.cloud, bodies.centre)


class PlanLater:
    """A plan that is made when it is first read.

    Attributes:
        like: one of the same structure, from the same start.
        plainly: whether a repeated solve may end plainly.
    """

    like: Plan
    plainly = True

    @remembered
    def plan(self) -> Plan:
        """The plan."""
        return self.made()

    def made(self) -> Plan:
        """Make the plan."""
        raise NotImplementedError

    def planned(self) -> PlannedSystem:
        """The system and the plan."""
        return made_of(PlannedSystem, {"_later": (_LATER, self)})


_LATER: Makers = {"system": lambda later: later.plan.system, "known": lambda later: later.plan}


def plan_later(planned: PlannedSystem) -> PlanLater | None:
    """What the plan is made of later, if it is."""
    found: PlanLater | None = later_of(planned)[1]
    return found
