"""What is asked of an assembly: measures, points, joint coordinates, poses; and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees
from typing import NamedTuple

import numpy as np

from ..equations.table import gradient, world_point
from ..errors import AssemblySolverError, BadValue, UnknownName
from ..foundations.types import Array
from ..model.assembly import Assembly
from ..model.drivers.guide import Guide
from ..model.drivers.quantity import NAMING
from ..model.mates.couplings import with_coordinates
from ..model.measures.measure import Measure, opposed, read
from ..model.tolerances.named_measure import WORLD, NamedMeasure
from .changed_equations import frame_of_marker, measure_rate
from .response import PoseResponse

Asked = str | tuple[str, str]


class AskedNumber(NamedTuple):
    """One number that is asked for: a measure of the assembly, a turn of a part in the world, or
    the force of a driver.

    Attributes:
        name: unique; unit: "mm", "deg", "N" or "N mm".
        measure: its name among those of the assembly; or None, and then `part` and `axis`, or
            `driver`.
    """

    name: str
    unit: str
    measure: str | None = None
    part: str = ""
    axis: int = 0
    driver: str = ""


def outputs(assembly: Assembly, of: Sequence[Asked]) -> list[AskedNumber]:
    """The numbers of what is asked; measures that the assembly does not have are added to it.

    Args:
        assembly: a copy; of: names of measures, drivers, joints or ("joint", "coordinate"),
            "part.feature" for its point, or a part for its pose.

    Raises UnknownName: nothing has the name.
    """
    out: list[AskedNumber] = []
    for asked in of:
        out += _outputs(assembly, asked)
    return list(dict.fromkeys(out))


def _outputs(a: Assembly, asked: Asked) -> list[AskedNumber]:
    pair = isinstance(asked, tuple) and len(asked) == 2
    if not isinstance(asked, str) and not (pair and all(isinstance(x, str) for x in asked)):
        raise BadValue("of", asked, "a name, or the names of a joint and of its coordinate")
    if isinstance(asked, tuple):
        name = f"{asked[0]}.{asked[1]}"
        if asked[1] == "force":
            return [_force(a, asked[0], name)]
        if name not in a.measures:
            a.measure(name, joint=asked[0], coordinate=asked[1])
        return [measured(a.measures[name])]
    if asked in a.measures:
        return [measured(a.measures[asked])]
    if asked in a.drivers:
        driver = a.drivers[asked]
        return [measured(a.measure(asked, **{key: getattr(driver, key) for key in NAMING}))]
    if asked in a.parts:
        turns = [AskedNumber(f"{asked}.turn_{'xyz'[k]}", "deg", None, asked, k) for k in range(3)]
        return [*_point(a, f"{asked}.origin", asked), *turns]
    if asked in a.held and a.held[asked].mate.coordinates:
        coordinates = a.held[asked].mate.coordinates
        return [o for c in coordinates for o in _outputs(a, (asked, c))]
    try:
        return _point(a, asked, asked)
    except AssemblySolverError:
        known = (*a.measures, *a.drivers, *with_coordinates(a.held), *a.parts)
        raise UnknownName("measure", str(asked), known, "of") from None


def _point(a: Assembly, ref: str, name: str) -> list[AskedNumber]:
    """The coordinates of a point in the world."""
    for axis in "xyz":
        if f"{name}.{axis}" not in a.measures:
            a.measure(f"{name}.{axis}", point=ref, along=axis)
    return [measured(a.measures[f"{name}.{axis}"]) for axis in "xyz"]


def _force(a: Assembly, driver: str, name: str) -> AskedNumber:
    """The force of a driver, a torque where it turns; raises UnknownName."""
    if driver not in a.drivers or isinstance(a.drivers[driver], Guide):
        raise UnknownName("driver", driver, a.drivers, "of")
    unit = "N mm" if a.drivers[driver].unit == "deg" else "N"
    return AskedNumber(name, unit, None, driver=driver)


def measured(measure: NamedMeasure) -> AskedNumber:
    """What is asked for by a measure of the assembly."""
    return AskedNumber(measure.name, measure.unit, measure.name)


# ------------------------------------------------------------------------------------- gradients
def with_sense(a: Assembly, response: PoseResponse, name: str) -> Measure:
    """The measure of a name, reversed where its mate is opposed at the poses, mm or rad."""
    measure = a.measures[name]
    found = measure.measure
    if measure.joint is not None:
        k = list(a.held).index(measure.joint)
        if response.system.sense[k] < 0:
            found = found._replace(b=opposed(found.b))
    return found


def output_rates(
    after: Assembly, asked: Sequence[AskedNumber], response: PoseResponse, steps: Array
) -> Array:
    """Derivatives of what is asked by the variables, (outputs, variables), mm and degrees; of
    forces NaN.

    Args:
        after: the copy of the assembly whose numbers have rates by the variables.
        steps: derivatives of the unknowns, (unknowns, variables), mm.
    """
    out = np.full((len(asked), steps.shape[1]), np.nan)
    for n, output in enumerate(asked):
        if output.driver:
            continue
        if output.measure is None:
            row = 6 * response.moving.tolist().index(response.system.parts.index(output.part))
            rate = steps[row + 3 + output.axis] / response.system.length
        else:
            found = with_sense(after, response, output.measure)
            ends = [frame_of_marker(response.system, response.frames, k) for k in found[3:5]]
            own = measure_rate(found, ends[0], ends[1], steps.shape[1])
            rate = measure_gradient(found, response) @ steps + own
        out[n] = np.degrees(rate) if output.unit == "deg" else rate
    return out


def measure_gradient(found: Measure, response: PoseResponse) -> Array:
    """Derivatives of a measure by the unknowns of the moving parts, (unknowns,)."""
    system, wrench, slope = response.system, np.empty(6), np.empty(6)
    ends = [frame_of_marker(system, response.frames, k) for k in (found.a, found.b)]
    read(found, ends[0], ends[1], wrench)
    out = np.zeros(6 * len(response.moving))
    place = {int(p): n for n, p in enumerate(response.moving)}
    for marker, sign in ((found.a, -1.0), (found.b, 1.0)):
        part = -1 if marker.part == WORLD else system.parts.index(marker.part)
        if part in place:
            middle = np.empty(3)
            world_point(response.frames[part], system.centre[part], middle)
            gradient(sign * wrench, middle, response.basis.axes, system.length, slope)
            out[6 * place[part] : 6 * place[part] + 6] += slope
    return out


def nominal_value(a: Assembly, response: PoseResponse, output: AskedNumber) -> float:
    """The value of what is asked at the poses, mm or degrees; of a turn 0."""
    if output.measure is None:
        return 0.0
    found = with_sense(a, response, output.measure)
    ends = [frame_of_marker(response.system, response.frames, k) for k in (found.a, found.b)]
    value = read(found, ends[0], ends[1])
    return degrees(value) if output.unit == "deg" else value
