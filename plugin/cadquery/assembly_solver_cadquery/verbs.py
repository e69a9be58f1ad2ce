"""What can be done with a CadQuery assembly: mates, drivers, solving, diagnosing, moving."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cadquery as cq

import assembly_solver as asm

from .kept import complete, enter, kept, refer, settle, whole
from .places import pose_of, set_poses
from .queries import Found, found

Query = Any
"""See `queries`: "part@faces@>Z", ("part", shape), ..."""

DIRECTED = (asm.Axis, asm.Plane, asm.Frame)


def ground(assy: cq.Assembly, name: str, grounded: bool = True) -> None:
    """Hold a part (a direct child) where it is, or let it go."""
    own = kept(assy)
    enter(assy, own, name)
    own.ground(name, grounded)


def mate(
    assy: cq.Assembly,
    query1: Query = None,
    query2: Query = None,
    kind: str = "",
    *,
    name: str | None = None,
    at: cq.Location | cq.Plane | None = None,
    **parameters: Any,
) -> asm.Mate:
    """Add a mate between what two queries pick.

    Args:
        kind: any of the engine: "coaxial", "coplanar", "revolute", "tangent", "gear", ...  What is
            picked is read as the kind needs it: a hole as an axis, a face as a plane or a frame.
        name: made from kind and queries if not given.
        at: of a joint that is placed once, in the assembly's frame; the queries name two parts.
        parameters: of the kind, mm and degrees, as `sense`, `offset`, `value`; further features,
            as `about`, are queries.  A coupling takes the names of two joints as queries.

    Returns:
        The mate; its name is what drivers and couplings refer to.
    """
    own = kept(assy)
    cls = asm.MATES.get(kind)
    if cls is None or not cls.takes:  # the engine's own error, or a coupling of joints
        return own.mate(kind, query1, query2, name=name, **parameters)
    if at is not None:
        parts = (str(query1), str(query2))
        for part in parts:
            enter(assy, own, part)
        return own.mate(kind, parts=parts, at=_frame(at), name=name, **parameters)
    one, two = found(assy, query1), found(assy, query2)
    if one.part == two.part:
        raise asm.AssemblySolverError(
            f"{kind} mate: {query1!r} and {query2!r} are both in {one.part!r}, which is one rigid "
            "part here; mate them in that assembly before it is added"
        )
    place = f"mate {name!r}" if name else f"{kind} mate"
    for key in cls.takes_more:
        if parameters.get(key) is not None:
            parameters[key] = _reference(assy, own, parameters[key], cls.takes_more[key])
    f, g = asm.fitting(cls, _readable(one), _readable(two), place)
    a, b = refer(assy, own, one, f), refer(assy, own, two, g)
    return own.mate(kind, a, b, name=name, place=place, **parameters)


def drive(
    assy: cq.Assembly,
    name: str,
    joint: str | asm.Mate | None = None,
    coordinate: str | None = None,
    **told: Any,
) -> asm.Driver:
    """Add a driver of a joint's "angle" or "length", or of a measure between two queries.

    Args:
        told: `value` (mm, degrees), `range`, `law`; `separation`, `distance` or `angle` with two
            queries instead of a joint, `about` with an axis.  See `asm.Assembly.drive`.  A driver
            that is there gets another value.
    """
    own = kept(assy)
    if name in own.drivers and joint is None and told.keys() == {"value"}:
        own.set_driver(name, told["value"])
        return own.drivers[name]
    return own.drive(name, joint, coordinate, **_measured(assy, own, told))


def limit(
    assy: cq.Assembly,
    joint: str | asm.Mate | None = None,
    coordinate: str | None = None,
    **told: Any,
) -> asm.Limit:
    """Bound a joint's coordinate, or a measure between two queries, with `min` and `max`."""
    own = kept(assy)
    return own.limit(joint, coordinate, **_measured(assy, own, told))


def to_assembly(assy: cq.Assembly, folder: str | Path | None = None) -> asm.Assembly:
    """The assembly as the engine has it: parts where they are, constraints and mates, drivers.

    Parts that nothing holds are grounded.

    Args:
        folder: where the shape of each part is written as NAME.step, so that the assembly has
            geometry when it is written beside them, viewed or checked for clearance.
    """
    made = complete(assy)
    if folder is not None:
        made.folder = Path(folder)
        own = cq.Compound.makeCompound(assy.shapes) if assy.obj is not None else None
        shapes = {assy.name: own} if own is not None else {}
        shapes |= {c.name: c.toCompound().moved(c.loc.inverse) for c in assy.children}
        for name in made.parts:
            if name in shapes and shapes[name].Faces():
                file = f"{name.replace('/', '_')}.step"
                made.set_geometry(name, file)
                cq.exporters.export(cq.Workplane(obj=shapes[name]), str(made.folder / file))
    return made


def solve(assy: cq.Assembly, **options: Any) -> asm.Solution:
    """Poses that hold all mates and constraints; the parts are moved there if it is solved.

    Args:
        options: as of `asm.solve`: `tolerance`, `mode`, `budget`, ...

    Returns:
        The solution, whatever came of it: true when solved, `.require()` raises when not, and
        then no part was moved.
    """
    solution = asm.solve(whole(assy), **options)
    if solution:
        settle(assy, solution)
    return solution


def diagnose(assy: cq.Assembly, **options: Any) -> asm.Solution:
    """Freedoms, free motions, redundant and contradictory mates; nothing is moved."""
    return asm.diagnose(whole(assy), **options)


def sweep(assy: cq.Assembly, *driver: Any, **options: Any) -> asm.Motion:
    """All parts over a driven motion, as `asm.sweep` tells it; nothing is moved (see `move`)."""
    return asm.sweep(whole(assy), *driver, **options)


def check(assy: cq.Assembly, *asked: Mapping[str, Any]) -> asm.Report:
    """The linkage check: ranges, dead points, transmission angles, and what is asked.

    Args:
        asked: checks as of the assembly file: `{"kind": "range", "driver": "boom", "covers": ...}`.
    """
    given = whole(assy).copy()
    for entry in asked:
        given.check(**entry)
    return asm.check(given)


def move(
    assy: cq.Assembly, to: Mapping[str, asm.Pose] | asm.Motion, state: int | None = None
) -> None:
    """Move the parts to poses by name, or to a state of a motion, counted from 0."""
    if isinstance(to, asm.Motion):
        if state is None:
            raise asm.AssemblySolverError("move: a motion has many poses; give the number of one")
        names = [child.name for child in assy.children if child.name in to.parts]
        tracks = {name: to.part(name) for name in names}
        to = {
            name: asm.Pose(tuple(t.position[state]), tuple(t.quaternion_wxyz[state]))
            for name, t in tracks.items()
        }
    set_poses(assy, dict(to))


# ------------------------------------------------------------------------------------- queries
def _readable(what: Found) -> asm.Pick:
    """What a query found, with what the part has by itself as readings too."""
    if what.pick is not None:
        return what.pick
    feature = asm.Part(what.part).feature(what.label)
    return asm.Pick(what.label, feature, (), (0.0, 0.0, 0.0), 0.0)


def _reference(
    assy: cq.Assembly, own: asm.Assembly, query: Query, wanted: tuple[type[asm.Feature], ...]
) -> tuple[str, str]:
    """A reference to what a query finds, read as one of these types where it can be."""
    what = found(assy, query)
    return refer(assy, own, what, what.pick.reading(wanted) if what.pick is not None else None)


def _measured(assy: cq.Assembly, own: asm.Assembly, told: dict[str, Any]) -> dict[str, Any]:
    """The same with references for queries."""
    out = dict(told)
    for key in ("separation", "distance", "angle"):
        if out.get(key) is not None:
            wanted = DIRECTED if key == "angle" else (asm.Feature,)
            out[key] = tuple(_reference(assy, own, q, wanted) for q in out[key])
    if out.get("about") is not None:
        out["about"] = _reference(assy, own, out["about"], DIRECTED)
    return out


def _frame(at: cq.Location | cq.Plane) -> asm.Frame:
    """A place in the assembly as a frame."""
    f = pose_of(at.location if isinstance(at, cq.Plane) else at).frame.tolist()
    return asm.Frame(tuple(f[:3]), tuple(f[9:]), tuple(f[3:6]))
