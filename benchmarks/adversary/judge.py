"""The judge of a draft at any poses: what each mate is off by, and how many freedoms there are.

It knows the engine's word only where a draft leaves a choice: constants of the start pose, and the
sense of a mate whose sense is the nearest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import assembly_solver as asm

from .draft import Array, Draft, Ref, Tie
from .geometry import (
    KINDS,
    Atom,
    Ends,
    Spot,
    at_angle,
    dot,
    gap,
    height,
    local,
    path,
    size,
    spot,
    turned,
)

Placed = Mapping[str, tuple[Array, Array]]
"""Rotations (states, 3, 3) and positions (states, 3) of the parts."""

STEP = 1e-20
"""Of the imaginary displacement; derivatives are exact."""

REACH = 100.0
"""A turn of 1 rad counts as so many mm in the rank."""

CUT, CLEAR = 1e-12, 1e-5
"""Singular values below the first are zero, above the second are not, of the largest; a rank is
known where none is between them: next to a singular pose one may have any size."""

TURNS = (-2, -1, 0, 1, 2)
"""Whole turns by which an angle of a coupling may differ from its principal value; the last one may
by any number, which are one pose."""

FEATURE_PARAMETERS = ("about", "a2", "b2")


class Off(NamedTuple):
    """What a mate is off by: mm, rad, and both in mm at a reach that is not above its own."""

    mm: float
    rad: float
    reach: float

    @property
    def at_reach(self) -> float:
        """The larger of the two, mm."""
        return max(self.mm, self.rad * self.reach)


def placed(poses: Mapping[str, asm.Pose]) -> Placed:
    """The parts in one state."""
    return {n: (p.rotation[None], np.array(p.position)[None]) for n, p in poses.items()}


def refs_of(draft: Draft, tie: Tie) -> dict[str, Ref]:
    """The features of a tie by end, those of the joints for a coupling."""
    if tie.a is None or tie.b is None:
        out = {}
        for k, joint in enumerate(tie.parameters["joints"]):
            one = draft.ties[joint]
            assert one.a is not None and one.b is not None
            out[f"a {k}"], out[f"b {k}"] = one.a, one.b
        return out
    more = {k: tie.parameters[k] for k in FEATURE_PARAMETERS if tie.parameters.get(k)}
    return {"a": tie.a, "b": tie.b, **more}


def parts_of(draft: Draft, tie: Tie) -> list[str]:
    """The parts of a tie."""
    return list(dict.fromkeys(part for part, _ in refs_of(draft, tie).values()))


def ends_of(draft: Draft, tie: Tie, at: Placed) -> dict[str, Spot]:
    """The features of a tie in the world, with the corners of a curve."""
    out = {k: spot(draft.feature(r), *at[r[0]]) for k, r in refs_of(draft, tie).items()}
    if tie.kind == "path":
        assert tie.a is not None
        turn, shift = at[tie.a[0]]
        for k, p in enumerate(draft.feature(tie.a).points):
            out[f"knot {k}"] = spot(asm.Point(p), turn, shift)
    return out


def coordinate(ends: Ends, name: str, kind: str, at: str = "") -> Array:
    """A coordinate of a joint, mm or rad: of b along and about z of a."""
    a, b = ends[f"a{at}"], ends[f"b{at}"]
    if name == "length":
        return dot(b.p - a.p, a.x) if kind.endswith("slot") else height(a, b.p)
    return turned(a.z, a.x, b.x)


def coupling_terms(draft: Draft, tie: Tie) -> list[tuple[float, str]]:
    """Coefficients, mm and degrees, and the coordinate of each joint."""
    p = tie.parameters
    if tie.kind == "linear":
        return list(zip(p["coefficients"], p["coordinates"], strict=True))
    if tie.kind == "rack_and_pinion":
        return [(-math.radians(p["radius"]), "angle"), (1.0, "length")]
    if tie.kind == "belt":
        ratio = p["radii"][0] / p["radii"][1] * (-1 if p.get("crossed") else 1)
    elif p.get("teeth"):
        ratio = p["teeth"][0] / p["teeth"][1] * (1 if p.get("internal") else -1)
    else:
        ratio = p["ratio"]
    return [(-ratio, "angle"), (1.0, "angle")]


def coupling(draft: Draft, tie: Tie, ends: Ends, constant: float) -> list[Atom]:
    """The relation between coordinates, up to whole turns of each."""
    terms = coupling_terms(draft, tie)
    kinds = [draft.ties[j].kind for j in tie.parameters["joints"]]
    total, turns, period = np.array([-constant + 0j]), [0.0], np.inf
    for k, ((factor, name), kind) in enumerate(zip(terms, kinds, strict=True)):
        value = coordinate(ends, name, kind, f" {k}")
        degrees = 180 / math.pi if name == "angle" else 1.0
        total = total + factor * degrees * value
        if name == "angle":
            if period < np.inf:
                turns = [t + period * n for t in turns for n in TURNS]
            period = 360 * abs(factor)
    off = total[0].real - np.array(turns)
    if period < np.inf:
        off -= period * np.round(off / period)
    total = total - total[0].real + off[np.argmin(np.abs(off))]
    if all(name == "angle" for _, name in terms):
        row = np.radians(total.real) + 1j * np.radians(total.imag)
        return [Atom(row[:, None], abs(float(row[0].real)), True, 1)]
    return [gap(total)]


DRIVER = "driver "
"""A driver among mates has this before its name."""


def atoms(draft: Draft, name: str, at: Placed, constants: Mapping[str, float]) -> list[Atom]:
    """The conditions of a mate, or of a driver with a value."""
    if name not in draft.ties:
        driver = draft.drivers[name.removeprefix(DRIVER)]
        found, angle = quantity(draft, driver, at)
        wanted = driver["value"]
        return [at_angle(found, math.radians(wanted)) if angle else gap(found - wanted)]
    tie = draft.ties[name]
    ends = ends_of(draft, tie, at)
    constant = tie.parameters.get("constant")
    constant = constants.get(name) if constant is None else constant
    if tie.a is None:
        return coupling(draft, tie, ends, float(constant or 0.0))
    return KINDS[tie.kind](ends, {**tie.parameters, "constant": constant})


def quantity(draft: Draft, named: Mapping[str, Any], at: Placed) -> tuple[Array, bool]:
    """What a driver or a limit names, mm or rad, and whether it is an angle."""
    if "separation" in named:
        one, two = (spot(draft.feature(r), *at[r[0]]) for r in named["separation"])
        return size(two.p - one.p), False
    tie = draft.ties[named["joint"]]
    found = coordinate(ends_of(draft, tie, at), named["coordinate"], tie.kind)
    return found, named["coordinate"] == "angle"


def prescribed(draft: Draft) -> list[str]:
    """Every mate, and every driver with a value."""
    driven = [DRIVER + n for n, d in draft.drivers.items() if d.get("value") is not None]
    return [*draft.ties, *driven]


def refs_in(draft: Draft, name: str) -> list[Ref]:
    """The features of a mate, or of a driver."""
    if name in draft.ties:
        return list(refs_of(draft, draft.ties[name]).values())
    driver = draft.drivers[name.removeprefix(DRIVER)]
    if "separation" in driver:
        return list(driver["separation"])
    return list(refs_of(draft, draft.ties[driver["joint"]]).values())


def end_off(draft: Draft, name: str, at: Placed) -> float:
    """By how much a point is beyond the ends of its path or slot, mm."""
    tie = draft.ties[name]
    ends = ends_of(draft, tie, at)
    if tie.kind == "path":
        return path(ends, {"ends": True})[0].off
    if tie.parameters.get("length") is None:
        return 0.0
    return max(
        0.0, abs(float(coordinate(ends, "length", tie.kind)[0].real)) - tie.parameters["length"] / 2
    )


def limit_off(draft: Draft, name: str, at: Placed) -> float:
    """By how much a limit is exceeded, mm or rad."""
    limit = draft.limits[name]
    found, angle = quantity(draft, limit, at)
    value = float(found[0].real)
    low, high = limit.get("min"), limit.get("max")
    if angle:
        value = math.degrees(value)
        middle = 0.0 if low is None or high is None else (low + high) / 2
        value -= 360 * round((value - middle) / 360)
    over = max(0.0 if high is None else value - high, 0.0 if low is None else low - value, 0.0)
    return math.radians(over) if angle else over


# ---------------------------------------------------------------- off by
def offs(
    draft: Draft, poses: Mapping[str, asm.Pose], constants: Mapping[str, float]
) -> dict[str, Off]:
    """What each mate and each driver with a value is off by."""
    at, out = placed(poses), {}
    for name in prescribed(draft):
        conditions = atoms(draft, name, at, constants)
        mm, rad = (
            math.sqrt(sum(x.off**2 for x in conditions if x.turn is turn)) for turn in (False, True)
        )
        out[name] = Off(mm, rad, reach(draft, name) if rad else 0.0)
    return out


def reach(draft: Draft, name: str) -> float:
    """At most the reach of a mate or driver: from its features to those of its parts, mm.

    Where that is 0, the extent of all parts that mates connect with these, where they start: parts
    with one feature each may all come to lie in one point, and an angle there is an angle still.
    """
    refs, most = refs_in(draft, name), 0.0
    for part, key in refs:
        p = local(draft.feature((part, key)))[0]
        others = [local(f)[0] for f in draft.bodies[part].features.values()]
        most = max([most, *(float(np.linalg.norm(p - q)) for q in others)])
    if most > 0:
        return most
    whole = next(group for group in components(draft) if refs[0][0] in group)
    start = placed(draft.starts)
    points = [spot(f, *start[n]).p[0] for n in whole for f in draft.bodies[n].features.values()]
    return float(np.linalg.norm(np.ptp(points, axis=0)))


# ---------------------------------------------------------------- freedoms
class Count(NamedTuple):
    """Unknowns, equations and rank of the mates at some poses; the rank by large values alone."""

    unknowns: int
    equations: int
    rank: int
    least: int

    @property
    def clear(self) -> bool:
        """Whether the rank is: next to a singular pose it is `least` there, `rank` elsewhere."""
        return self.rank == self.least

    @property
    def dof(self) -> range:
        """Degrees of freedom that may be told: one number where the rank is clear."""
        return range(self.unknowns - self.rank, self.unknowns - self.least + 1)


def counted(
    draft: Draft, poses: Mapping[str, asm.Pose], still: set[str], constants: Mapping[str, float]
) -> Count:
    """Freedoms of the parts that are not `still`, by the singular values of the mates."""
    loose = [name for name in draft.bodies if name not in still]
    jacobian, _, equations = matrix(draft, poses, loose, list(draft.ties), constants)
    if 0 in jacobian.shape:
        return Count(6 * len(loose), equations, 0, 0)
    values = np.linalg.svd(jacobian, compute_uv=False)
    values = values / max(values[0], 1e-300)
    rank, least = (int((values > cut).sum()) for cut in (CUT, CLEAR))
    return Count(6 * len(loose), equations, rank, least)


def matrix(
    draft: Draft,
    poses: Mapping[str, asm.Pose],
    loose: list[str],
    names: list[str],
    constants: Mapping[str, float],
) -> tuple[Array, Array, int]:
    """Some mates and drivers at some poses, linearised.

    Returns:
        Derivatives by the displacements of the loose parts, (rows, 6 x loose), mm, as `displaced`
        takes them; what the rows are off by, mm; the number of equations.
    """
    blocks, values, equations = [np.zeros((0, 6 * len(loose)))], [np.zeros(0)], 0
    for name in names:
        refs = refs_in(draft, name)
        own = [p for p in dict.fromkeys(p for p, _ in refs) if p in loose]
        steps = [(p, k) for p in own for k in range(6)]
        at = {}
        for part in dict.fromkeys(p for p, _ in refs):
            mine = [k if p == part else -1 for p, k in steps]
            at[part] = displaced(poses[part], draft.bodies[part].features, mine)
        for atom in atoms(draft, name, at, constants):
            rows = atom.rows * (REACH if atom.turn else 1.0)
            block = np.zeros((rows.shape[1], 6 * len(loose)))
            block[:, [6 * loose.index(p) + k for p, k in steps]] = rows.imag[1:].T / STEP
            blocks.append(block)
            values.append(rows.real[0])
            equations += atom.count
    return np.concatenate(blocks), np.concatenate(values), equations


def displaced(pose: asm.Pose, features: Mapping[str, Any], steps: list[int]) -> tuple[Array, Array]:
    """A part at its pose, then displaced by each of the six steps; -1 is none."""
    turn, position = pose.rotation, np.array(pose.position)
    middle = np.mean([local(f)[0] for f in features.values()] or [np.zeros(3)], axis=0)
    centre = turn @ middle + position
    rotation = np.repeat(turn[None].astype(complex), len(steps) + 1, axis=0)
    shift = np.repeat(position[None].astype(complex), len(steps) + 1, axis=0)
    for n, k in enumerate(steps, 1):
        if 0 <= k < 3:
            shift[n, k] += 1j * STEP
        elif k >= 3:
            spin = np.cross(np.eye(3)[k - 3], np.eye(3)).T * (1j * STEP / REACH)
            rotation[n] += spin @ turn
            shift[n] += spin @ (position - centre)
    return rotation, shift


def components(draft: Draft) -> Iterator[set[str]]:
    """The parts that mates connect."""
    left = dict.fromkeys(draft.bodies)
    links = [set(parts_of(draft, tie)) for tie in draft.ties.values()]
    while left:
        group, grown = set[str](), {next(iter(left))}
        while grown != group:
            group = grown
            grown = group.union(*(x for x in links if x & group))
        for name in group:
            del left[name]
        yield group
