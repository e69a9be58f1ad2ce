"""Public calls for CadQuery assemblies: mates, drivers, solving, diagnosing, moving."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cadquery as cq

import assembly_solver as asm

from .kept import enter, kept, refer, settle, taken_away, whole
from .places import colours_of, free_name, pose_of, unknown
from .queries import QueryResult, found, given_pick
from .solid_files import write_solids

Query = Any
"""See `queries`: "part@faces@>Z", ("part", shape), ..."""

DIRECTED = (asm.Axis, asm.Plane, asm.Frame)

OF_CADQUERY = {
    "Plane": "revolute (centres and normals) or coplanar",
    "Point": "coincident or distance",
    "Axis": "parallel or angle",
    "PointInPlane": "point_in_plane",
    "PointOnLine": "point_on_line",
    "Fixed": "ground(assy, name)",
    "FixedPoint": "coincident with a part that is grounded",
    "FixedAxis": "parallel to a part that is grounded",
    "FixedRotation": "parallel, twice, to a part that is grounded",
}
"""Kinds of mates for CadQuery's kinds of constraints, for the error message."""


@asm.refusing_others
def ground(assy: cq.Assembly, name: str, grounded: bool = True) -> None:
    """Ground a part at its location, or release it: a child, or "child.inner" of a flexible one."""
    own = kept(assy)
    enter(assy, own, name)
    own.ground(name, grounded)


@asm.refusing_others
def mate(
    assy: cq.Assembly,
    query1: Query = None,
    query2: Query = None,
    kind: str | type[asm.Mate] = "",
    *,
    name: str | None = None,
    at: cq.Location | cq.Plane | None = None,
    **parameters: Any,
) -> asm.Mate:
    """Add a mate between the results of two queries.

    Args:
        kind: any of the engine: "coaxial", "coplanar", "revolute", "tangent", "gear", ...  A result
            is read as the kind requires: a hole as an axis, a face as a plane or a frame.
        name: by default made from kind and queries.
        at: position of a joint in the assembly's frame; the queries then name two parts.
        parameters: of the kind, mm and degrees, as `sense`, `offset`, `value`; further features,
            as `about`, are queries.  A coupling takes the names of two joints as queries.  `sense`
            is "opposed" (face to face), "aligned" (flush) or, by default, the one nearer to the
            present poses.

    Returns:
        The mate; its name is what drivers and couplings refer to.
    """
    own, named = kept(assy), _kind(kind)
    cls, parameters = named.cls, named.with_implied(kind, parameters, "mate")
    kind = cls.kind
    if not cls.takes:  # a coupling of joints
        return own.mate(kind, query1, query2, name=name, **parameters)
    if at is not None:
        parts = (str(query1), str(query2))
        for part in parts:
            enter(assy, own, part)
        return own.mate(kind, parts=parts, at=_frame(at), name=name, **parameters)
    one, two = found(assy, query1), found(assy, query2)
    if one.part == two.part:
        raise asm.AssemblySolverError(
            f"{asm.kind_words(kind)} mate: {query1!r} and {query2!r} are both in {one.part!r}, "
            "which is one rigid part here; mate them in that assembly before it is added"
        )
    place = f"mate {name!r}" if name else f"{asm.kind_words(kind)} mate"
    for key in cls.takes_more:
        if parameters.get(key) is not None:
            parameters[key] = _reference(assy, own, parameters[key], cls.takes_more[key])
    surfaces = bool(parameters.get("surfaces", False))
    f, g = asm.fitting(cls, _readable(one), _readable(two), "mate", surfaces)
    a, b = refer(assy, own, one, f), refer(assy, own, two, g)
    name = name or free_name(f"{kind} {one.query} - {two.query}", own.held)
    return own.mate(kind, a, b, name=name, place=place, **parameters)


@asm.refusing_others
def remove(assy: cq.Assembly, name: str | asm.Mate, what: str | None = None) -> None:
    """Remove a mate (with its drivers and limits), a driver, limit, measure or tolerance by name.

    The name of a part removes all its mates and releases it: necessary where it was removed from
    the CadQuery assembly, or another part gets its name.

    Args:
        what: "mate", "driver", "limit", "measure", "tolerance", "position" or "part", where several
            have it.
    """
    taken_away(assy, str(name), "mate" if isinstance(name, asm.Mate) else what)


@asm.refusing_others
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
            queries instead of a joint, `about` with an axis.  See `asm.Assembly.drive`.  An
            existing driver gets the new value.
    """
    own = kept(assy)
    if name in own.drivers and joint is None and told.keys() == {"value"}:
        own.set_driver(name, told["value"])
        return own.drivers[name]
    if joint is None and told.keys() <= {"value", "range", "law"}:
        raise unknown("driver", name, list(own.drivers))
    return own.drive(name, joint, coordinate, **_measured(assy, own, told))


@asm.refusing_others
def position(
    assy: cq.Assembly,
    name: str,
    values: Mapping[str, float] | None = None,
    *,
    mode: str | None = None,
) -> asm.Position:
    """Store a named position; without values take it: `solve` then brings the parts there.

    Args:
        values: by driver, joint or coordinate, as "hinge.angle", mm or degrees; mode: to `solve`
            in.  See `asm.Assembly.position`.
    """
    own = kept(assy)
    return own.take_position(name) if values is None else own.position(name, values, mode=mode)


@asm.refusing_others
def limit(
    assy: cq.Assembly,
    joint: str | asm.Mate | None = None,
    coordinate: str | None = None,
    **told: Any,
) -> asm.Limit:
    """Bound a joint's coordinate, or a measure between two queries, with `min` and `max`."""
    own = kept(assy)
    return own.limit(joint, coordinate, **_measured(assy, own, told))


@asm.refusing_others
def to_assembly(assy: cq.Assembly, folder: str | Path | None = None) -> asm.Assembly:
    """The engine's assembly: parts with poses and colours, constraints, mates and drivers.

    Args:
        folder: in which the shape of each part is written as NAME.step, as geometry for files in
            that folder, the viewer and clearance checks; and each flexible sub-assembly as
            NAME.assembly.json, to which a file of the assembly refers.
    """
    made = whole(assy).copy()
    for name, colour in colours_of(assy).items():
        made.set_colour(name, colour)
    if folder is not None:
        made.folder = Path(folder)
        made.folder.mkdir(parents=True, exist_ok=True)
        write_solids(assy, made)
    return made


@asm.refusing_others
def solve(assy: cq.Assembly, **options: Any) -> asm.Solution:
    """Poses that hold all mates and constraints; the parts are moved there if it is solved.

    Args:
        options: as of `asm.solve`: `tolerance`, `mode`, `budget`, ...

    Returns:
        The solution: true when solved; otherwise no part was moved, and `.require()` raises.
    """
    solution = asm.solve(whole(assy), **options)
    if solution:
        settle(assy, solution)
    return solution


@asm.refusing_others
def diagnose(assy: cq.Assembly, **options: Any) -> asm.Solution:
    """Freedoms, free motions, redundant and contradictory mates; nothing is moved."""
    return asm.diagnose(whole(assy), **options)


@asm.refusing_others
def sweep(assy: cq.Assembly, *driver: Any, **options: Any) -> asm.Motion:
    """The motion of all parts as of `asm.sweep`; nothing is moved (see `move`)."""
    return asm.sweep(whole(assy), *driver, **options)


@asm.refusing_others
def check(assy: cq.Assembly, *asked: Mapping[str, Any]) -> asm.Report:
    """The linkage check: ranges, dead points, transmission angles, requested checks.

    Args:
        asked: checks as of the assembly file: `{"kind": "range", "driver": "boom", "covers": ...}`.
    """
    given = whole(assy).copy()
    for entry in asked:
        if not isinstance(entry, Mapping):
            wanted = 'a check is told as {"kind": "dof", "equals": 1}'
            raise asm.AssemblySolverError(f"check: {entry!r} is not possible here; {wanted}")
        given.check(**entry)
    return asm.check(given)


# ---------------------------------------------------------------------------------- tolerances
@asm.refusing_others
def measure(assy: cq.Assembly, name: str, **told: Any) -> Any:
    """Name what is measured: a joint's coordinate, between two queries, or a point along a way.

    Args:
        told: the keys of `asm.Assembly.measure`; `point` is a query, `separation`, `distance` and
            `angle` are two, as for `drive`; `min`, `max`.
    """
    own = kept(assy)
    if told.get("point") is not None:
        told["point"] = _reference(assy, own, told["point"], (asm.Feature,))
    return own.measure(name, **_measured(assy, own, told))


@asm.refusing_others
def tolerate(assy: cq.Assembly, name: str, **told: Any) -> Any:
    """Say what a mate's number, the result of a query or a pin may be off.

    Args:
        told: the keys of `asm.Assembly.tolerate`; `feature` is a query, read as the mates read it.
    """
    own = kept(assy)
    if told.get("feature") is not None:
        told["feature"] = _of_mates(own, found(assy, told["feature"])) or _reference(
            assy, own, told["feature"], ()
        )
    return own.tolerate(name, **told)


def _of_mates(own: asm.Assembly, what: QueryResult) -> tuple[str, str] | None:
    """The feature of a query's result that mates use, in whatever reading."""
    if what.pick is None:
        return None
    readings = [what.reading(feature) for feature in what.pick.readings]
    refs = (ref for m in own.mates.values() if m.takes for ref in (m.a, m.b))
    used = (ref for ref in refs if ref.part == what.part)
    return next((r for r in used if own.parts[r.part].feature(r.feature) in readings), None)


@asm.refusing_others
def tolerance(assy: cq.Assembly, **options: Any) -> asm.ToleranceAnalysis:
    """What the tolerances do to the measures; nothing is moved.

    Args:
        options: of `asm.tolerance`: `samples`, `seed`, `frees`.
    """
    return asm.tolerance(whole(assy), **options)


# ------------------------------------------------------------------------------------- queries
def _kind(kind: str | type[asm.Mate]) -> asm.NamedKind:
    """A kind by its name; raises where it is one of CadQuery's."""
    if kind in OF_CADQUERY:
        told = f"{kind!r} is a constraint of CadQuery, which assy.constrain adds"
        raise asm.AssemblySolverError(f"{told}; as a mate it is {OF_CADQUERY[str(kind)]}")
    if kind == "":
        raise asm.AssemblySolverError(
            "mate: after the two queries comes its kind, as 'coaxial', 'coplanar' or 'revolute'"
        )
    return asm.kind_named(kind)


def _readable(what: QueryResult) -> asm.Pick:
    """The result of a query, with the features of every part as readings too."""
    return what.pick or given_pick(asm.Part(what.part).feature(what.label))


def _reference(
    assy: cq.Assembly, own: asm.Assembly, query: Query, wanted: tuple[type[asm.Feature], ...]
) -> tuple[str, str]:
    """A reference to the result of a query, read as one of these types if possible."""
    what = found(assy, query)
    return refer(assy, own, what, what.pick.reading(wanted) if what.pick is not None else None)


def _measured(assy: cq.Assembly, own: asm.Assembly, told: dict[str, Any]) -> dict[str, Any]:
    """Parameters with queries replaced by references."""
    out = dict(told)
    for key in ("separation", "distance", "angle"):
        if out.get(key) is not None:
            if not isinstance(out[key], (tuple, list)) or len(out[key]) != 2:
                wrong = f"{out[key]!r} is not possible here, it must be two queries"
                raise asm.AssemblySolverError(f"{key}: {wrong}")
            wanted = DIRECTED if key == "angle" else (asm.Feature,)
            out[key] = tuple(_reference(assy, own, q, wanted) for q in out[key])
    if out.get("about") is not None:
        out["about"] = _reference(assy, own, out["about"], DIRECTED)
    return out


def _frame(at: cq.Location | cq.Plane) -> asm.Frame:
    """A location in the assembly as a frame."""
    if not isinstance(at, (cq.Location, cq.Plane)):
        told = "it must be a Location or a Plane, as cq.Location((0, 0, 5))"
        raise asm.AssemblySolverError(f"at: {at!r} is not possible here, {told}")
    f = pose_of(at.location if isinstance(at, cq.Plane) else at).frame.tolist()
    return asm.Frame(tuple(f[:3]), tuple(f[9:]), tuple(f[3:6]))
