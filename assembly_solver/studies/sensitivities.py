"""The public call `sensitivities`: exact derivatives of measures by dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from ..errors import BadValue
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..results.motion import Motion
from ..results.solution import Solution
from ..verbs.solving import solve
from .along import MotionSensitivities, MotionStates, along_motion
from .linear_model import Sensitivities, linear_model, pose_of
from .measured import Asked, AskedNumber, outputs
from .variables import Variable, variable


@overload
def sensitivities(
    of_assembly: Motion, of: Sequence[Asked] | None = None, to: Sequence[str] | None = None
) -> MotionSensitivities: ...


@overload
def sensitivities(
    of_assembly: Assembly | Solution,
    of: Sequence[Asked] | None = None,
    to: Sequence[str] | None = None,
) -> Sensitivities: ...


def sensitivities(
    of_assembly: Assembly | Solution | Motion,
    of: Sequence[Asked] | None = None,
    to: Sequence[str] | None = None,
) -> Sensitivities | MotionSensitivities:
    """Exact derivatives of measures by dimensions, by the implicit function theorem.

    Nothing is solved again, and nothing differenced: the equations of the mates say how the parts
    answer a change of a number in them.  Free motions stay as a solve leaves them, with the least
    movement; of redundant mates that disagree after a change the derivative is that of least
    squares; at a dead point there is none.  The notes say so.

    Args:
        of_assembly: an assembly, which is solved first, a solution of one, or a motion: then there
            are arrays over its states.
        of: names of measures, drivers or joints, ("joint", "coordinate"), "part.feature" for a
            point, a part for its pose, ("driver", "force") for what a driver pushes with; by
            default all measures.
        to: names of tolerances, parameters, drivers with a value, "mate.number",
            "part.feature.x" (y, z, about_x, about_y); by default all tolerances, or without these
            all parameters and drivers.

    Raises:
        Unsolved: the assembly has no solution.
        UnknownName: nothing has a name; BadValue: a dimension that needs its file to change.
    """
    if isinstance(of_assembly, Motion):
        before = of_assembly.assembly.copy()
        for name, values in of_assembly.prescribed.items():
            if not isinstance(before.drivers[name], Guide):
                before.set_driver(name, float(values[0]))  # so that it is a variable
        return along_motion(MotionStates(of_assembly, before, *_named(before, of, to)))
    solution = of_assembly if isinstance(of_assembly, Solution) else solve(of_assembly)
    before = solution.require().given.copy()
    return linear_model(pose_of(solution), before, *_named(before, of, to)).sensitivities


def _named(
    before: Assembly, of: Sequence[Asked] | None, to: Sequence[str] | None
) -> tuple[list[AskedNumber], list[Variable]]:
    """The rows and columns of the names; measures that the copy does not have are added to it."""
    asked = outputs(before, list(before.measures) if of is None else of)
    names = default_variables(before) if to is None else list(to)
    if to is not None and not names:
        raise BadValue("to", to, "one name or more")
    return asked, [v for name in names for v in variable(before, name)]


def default_variables(a: Assembly) -> list[str]:
    """Names of all tolerances, or without any of all parameters and drivers with a value."""
    driven = [name for name, d in a.drivers.items() if d.value is not None and d.kind != "motion"]
    return list(a.tolerances) or [*a.parameters, *driven]
