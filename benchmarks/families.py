"""Families of assemblies of any size, as cases; and a case as the product's own model."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import numpy as np

import assembly_solver as asm

from .case import (
    Array,
    BenchmarkCase,
    Body,
    Tie,
    Vector,
    X,
    Z,
    axis,
    coaxial,
    coincident,
    coplanar,
    distance,
    from_to,
    hinge,
    make_case,
    plane,
    plate,
    point,
    rotated,
    shift,
    turn,
)
from .excavator import excavator


def chain(n: int, seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """n links in a row on a grounded one, hinges twisted by 37 degrees: n freedoms, no loop."""
    length, thick, twist = 100.0, 10.0, 37.0
    up = (0.0, -math.sin(math.radians(twist)), math.cos(math.radians(twist)))
    link = Body(
        {
            "tail_axis": axis((0, 0, 0), Z),
            "tail_face": plane((0, 0, 0), (0, 0, -1)),
            "head_axis": axis((length, 0, 0), up),
            "head_face": plane((length, up[1] * thick, up[2] * thick), up),
        },
        (length + 20, 20.0, thick),
        (length / 2, 0.0, thick / 2),
    )
    draw = random.Random(f"chain{n}")
    to_head = shift(length, 0, 0) @ turn(X, twist) @ shift(0, 0, thick)
    placed, mates, pose = {}, [], np.eye(4)
    for i in range(n + 1):
        placed[f"link{i}"] = (link, pose)
        pose = pose @ to_head @ turn(Z, draw.uniform(-60, 60))
    for i in range(1, n + 1):
        a, b = f"link{i - 1}", f"link{i}"
        mates += hinge(a, "head_axis", "head_face", b, "tail_axis", "tail_face")
    return make_case(f"chain({n})", length, n, placed, mates, (seed, noise))


def fourbar(seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """A crank-rocker (ground 300, crank 100, coupler 260, rocker 200 mm) as a CAD model: 1 freedom.

    Four hinges remove 20 freedoms of 18, so 3 of the equations are redundant.
    """
    ground, crank, coupler, rocker = 300.0, 100.0, 260.0, 200.0
    a, d = (0.0, 0.0), (ground, 0.0)
    b = rotated((crank, 0.0), 60.0)
    diagonal = math.dist(b, d)
    along = (coupler**2 - rocker**2 + diagonal**2) / (2 * diagonal)
    aside = math.sqrt(coupler**2 - along**2)
    ex, ey = (d[0] - b[0]) / diagonal, (d[1] - b[1]) / diagonal
    c = (b[0] + along * ex - aside * ey, b[1] + along * ey + aside * ex)
    placed = {
        "frame": (plate([a, d]), np.eye(4)),
        "crank": (plate([(0, 0), (crank, 0)]), from_to(a, b, 10)),
        "coupler": (plate([(0, 0), (coupler, 0)]), from_to(b, c, 20)),
        "rocker": (plate([(0, 0), (rocker, 0)]), from_to(d, c, 10)),
    }
    mates = [
        *hinge("frame", "pin0", "top0", "crank", "pin0", "bottom0"),
        *hinge("crank", "pin1", "top1", "coupler", "pin0", "bottom0"),
        *hinge("rocker", "pin1", "top1", "coupler", "pin1", "bottom1"),
        *hinge("frame", "pin1", "top1", "rocker", "pin0", "bottom0"),
    ]
    return make_case("fourbar", 100.0, 1, placed, mates, (seed, noise))


def ladder(k: int, seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """k four-bars in a row, each rocker the next one's crank, all on one frame: 1 freedom."""
    reach = 120.0
    draw = random.Random(f"ladder{k}")
    feet = [(200.0 * j, 0.0) for j in range(k + 1)]
    tips = [(x + t[0], t[1]) for x, _ in feet for t in [rotated((reach, 0), draw.uniform(60, 120))]]
    placed = {"frame": (plate(feet), np.eye(4))}
    mates: list[Tie] = []
    for j in range(k + 1):
        arm = f"rocker{j}"
        placed[arm] = (plate([(0, 0), (reach, 0)]), from_to(feet[j], tips[j], 10))
        mates += hinge("frame", f"pin{j}", f"top{j}", arm, "pin0", "bottom0")
    for j in range(k):
        bar, above = f"coupler{j}", j % 2 == 0  # alternately over and under the rockers
        span = math.dist(tips[j], tips[j + 1])
        pose = from_to(tips[j], tips[j + 1], 20.0 if above else 0.0)
        placed[bar] = (plate([(0, 0), (span, 0)]), pose)
        mine, its = ("top1", "bottom") if above else ("bottom1", "top")
        for pin in (0, 1):
            mates += hinge(f"rocker{j + pin}", "pin1", mine, bar, f"pin{pin}", f"{its}{pin}")
    return make_case(f"ladder({k})", 100.0, 1, placed, mates, (seed, noise))


def stack(n: int, hole_error: float = 0.0, seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """n plates on a grounded one, two pins and a face each: rigid, 5 of 11 equations redundant.

    With `hole_error` (mm) the last plate's holes are that much too far apart: a contradiction.
    """
    thick = 10.0
    placed, mates = {}, []
    for i in range(n + 1):
        wrong = hole_error if i == n else 0.0
        features = {
            "hole0": axis((20, 15, 0), Z),
            "hole1": axis((80 + wrong, 45, 0), Z),
            "bottom": plane((0, 0, 0), (0, 0, -1)),
            "top": plane((0, 0, thick), Z),
        }
        body = Body(features, (100.0, 60.0, thick), (50.0, 30.0, thick / 2))
        placed[f"plate{i}"] = (body, shift(0, 0, thick * i))
        if i:
            a, b = f"plate{i - 1}", f"plate{i}"
            mates += [coaxial(a, hole, b, hole) for hole in ("hole0", "hole1")]
            mates.append(coplanar(a, "top", b, "bottom"))
    name = f"bad_stack({n},{hole_error:g}mm)" if hole_error else f"stack({n})"
    return make_case(name, 100.0, 0, placed, mates, (seed, noise))


def scissor(k: int, seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """A scissor lift of k crossed pairs of bars on a base with a slider: loops without ground."""
    length = 200.0
    wide, high = rotated((length, 0.0), 40)
    bar = Body(
        {
            "bottom": plane((0, 0, 0), (0, 0, -1)),
            "top": plane((0, 0, 10), Z),
            "p0": axis((0, 0, 0), Z),
            "p1": axis((length / 2, 0, 0), Z),
            "p2": axis((length, 0, 0), Z),
            "tip0": point(0, 0, 0),
        },
        (length + 20, 20.0, 10.0),
        (length / 2, 0.0, 5.0),
    )
    base, slider = _scissor_feet(wide)
    placed = {"base": (base, np.eye(4))}
    mates: list[Tie] = []
    for j in range(k):
        a, b, y = f"a{j}", f"b{j}", high * j
        placed[a] = (bar, from_to((0, y), (wide, y + high), 0))
        placed[b] = (bar, from_to((wide, y), (0, y + high), 10))
        mates += hinge(a, "p1", "top", b, "p1", "bottom")
        if j:
            mates += hinge(f"a{j - 1}", "p2", "top", b, "p0", "bottom")
            mates += hinge(f"b{j - 1}", "p2", "bottom", a, "p0", "top")
    placed["slider"] = (slider, shift(wide, 0, 10))
    mates += hinge("base", "pin", "top", "a0", "p0", "bottom")
    mates += [
        coplanar("base", "slot", "slider", "foot"),
        coplanar("base", "top10", "slider", "back"),
    ]
    mates += hinge("slider", "pin", "top", "b0", "p0", "bottom")
    return make_case(f"scissor({k})", 100.0, 1, placed, mates, (seed, noise))


def _scissor_feet(wide: float) -> tuple[Body, Body]:
    """Base with a pin and a slot, and the slider that runs in the slot."""
    base = Body(
        {
            "pin": axis((0, 0, 0), Z),
            "top": plane((0, 0, 0), Z),
            "slot": plane((0, 0, 0), (0, -1, 0)),
            "top10": plane((0, 0, 10), (0, 0, -1)),
        },
        (wide, 20.0, 10.0),
        (wide / 2, -10.0, -5.0),
    )
    slider = Body(
        {
            "pin": axis((0, 0, 0), Z),
            "top": plane((0, 0, 0), Z),
            "foot": plane((0, 0, 0), (0, 1, 0)),
            "back": plane((0, 0, 0), Z),
        },
        (20.0, 20.0, 10.0),
        (0.0, 0.0, -5.0),
    )
    return base, slider


def stewart(driven: bool = True, seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """A platform on six legs of cylinder and rod: 12 idle spins, and 6 more where not driven."""

    def ring(radius: float, degrees: tuple[int, ...]) -> list[Vector]:
        return [(*rotated((radius, 0.0), d), 0.0) for d in degrees]

    feet = ring(300, (-10, 10, 110, 130, 230, 250))
    balls = ring(200, (-50, 50, 70, 170, 190, 290))
    lifted = shift(25, -18, 380) @ turn((1, -2, 0.5), 14)
    base = {f"b{i}": point(*p) for i, p in enumerate(feet)}
    top = {f"t{i}": point(*p) for i, p in enumerate(balls)}
    placed = {
        "base": (Body(base, (600.0, 600.0, 20.0), (0.0, 0.0, -10.0)), np.eye(4)),
        "top": (Body(top, (400.0, 400.0, 20.0), (0.0, 0.0, 10.0)), lifted),
    }
    halves = {"ball": point(0, 0, 0)}
    cylinder = Body({**halves, "bore": axis((0, 0, 0), Z)}, (40.0, 40.0, 250.0), (0.0, 0.0, 125.0))
    rod = Body({**halves, "stem": axis((0, 0, 0), Z)}, (20.0, 20.0, 250.0), (0.0, 0.0, -125.0))
    mates: list[Tie] = []
    for i in range(6):
        foot, ball = np.array(feet[i]), (lifted @ [*balls[i], 1.0])[:3]
        lower, upper = f"cyl{i}", f"rod{i}"
        leg = _leg(foot, ball, i)
        placed[lower] = (cylinder, shift(*foot) @ leg)
        placed[upper] = (rod, shift(*ball) @ leg @ turn(Z, 25 * i))
        mates.append(coincident("base", f"b{i}", lower, "ball"))
        mates.append(coaxial(lower, "bore", upper, "stem"))
        mates.append(coincident("top", f"t{i}", upper, "ball"))
        if driven:
            mates.append(distance(lower, "ball", upper, "ball", math.dist(foot, ball)))
    name, dof = ("stewart", 12) if driven else ("stewart_free", 18)
    return make_case(name, 300.0, dof, placed, mates, (seed, noise))


def _leg(foot: Array, ball: Array, i: int) -> Array:
    """Rotation (4 x 4) of a leg with z from foot to ball, its spin different for every leg."""
    z = (ball - foot) / math.dist(foot, ball)
    x = np.cross((0.3, 0.5, 0.1 * i), z)
    x /= np.linalg.norm(x)
    out = np.eye(4)
    out[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return out


FAMILIES: dict[str, Callable[..., BenchmarkCase]] = {
    "chain": chain,
    "ladder": ladder,
    "stack": stack,
    "scissor": scissor,
    "fourbar": fourbar,
    "excavator": excavator,
    "stewart": stewart,
    "stewart_free": lambda **start: stewart(False, **start),
}


def supported_chain(n: int) -> asm.Assembly:
    """A chain whose first and last link are both held by the ground, closed as placed."""
    out = assembly(chain(n, noise=0.0))
    last = f"link{n}"
    out.ground(last)
    return out


Line = Vector | Array


def _hinged(name: str, parts: list[str], hinges: Sequence[tuple[Line, Line]]) -> asm.Assembly:
    """A single loop of hinges, each a point and a direction in the world, closed where it stands.

    Hinge k is between part k and the next one; the part "frame" is grounded.
    """
    features: dict[str, dict[str, asm.Feature]] = {part: {} for part in parts}
    for k, (spot, direction) in enumerate(hinges):
        for part in (parts[k], parts[(k + 1) % len(parts)]):
            features[part][f"hinge {k}"] = asm.Frame(spot, direction)
    out = asm.Assembly(name)
    for part in parts:
        out.add(part, grounded=part == "frame", features=features[part])
    for k in range(len(hinges)):
        a, b = parts[k], parts[(k + 1) % len(parts)]
        out.mate("revolute", f"{a}.hinge {k}", f"{b}.hinge {k}", name=f"revolute {k}")
    return out


def sarrus() -> asm.Assembly:
    """Sarrus's linkage: two legs of three parallel hinges across each other raise a plate."""
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    near = [(100.0, 0.0, 0.0), (160.0, 0.0, 50.0), (100.0, 0.0, 100.0)]
    far = [(0.0, 100.0, 100.0), (0.0, 160.0, 50.0), (0.0, 100.0, 0.0)]
    parts = ["frame", "low 1", "high 1", "plate", "high 2", "low 2"]
    return _hinged("sarrus", parts, [(p, y) for p in near] + [(p, x) for p in far])


def bennett() -> asm.Assembly:
    """Bennett's linkage: opposite links alike, length over sine of twist the same for all.

    Source: its closure tan(t1 / 2) tan(t2 / 2) = sin((b + a) / 2) / sin((b - a) / 2);
    G. T. Bennett, 1914; `docs/theory/mobility.md`.
    """
    twists, length = (40.0, 75.0), 100.0
    small, large = (math.radians(t) for t in twists)
    lengths = (length, length * math.sin(large) / math.sin(small))
    first = 65.0
    product = math.sin((large + small) / 2) / math.sin((large - small) / 2)
    second = math.degrees(2 * math.atan(product / math.tan(math.radians(first) / 2)))
    at, hinges = np.eye(4), []
    for k, angle in enumerate((first, second, -first, -second)):
        hinges.append((at[:3, 3].copy(), at[:3, 2].copy()))
        at = at @ turn(Z, angle) @ shift(lengths[k % 2], 0, 0) @ turn(X, twists[k % 2])
    return _hinged("bennett", ["one", "two", "three", "frame"], hinges)


def named(name: str, seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """The case of a name such as `fourbar` or `chain(100)`."""
    family, _, size = name.rstrip(")").partition("(")
    sizes = [int(size)] if size else []
    return FAMILIES[family](*sizes, seed=seed, noise=noise)


def assembly(case: BenchmarkCase) -> asm.Assembly:
    """The case as the product's own model, in its start poses."""
    kinds = {"point": asm.Point, "axis": asm.Axis, "plane": asm.Plane}
    out = asm.Assembly(case.name)
    starts = zip(case.guess.position.tolist(), case.guess.quaternion.tolist(), strict=True)
    for (name, body), (position, quaternion) in zip(case.parts.items(), starts, strict=True):
        features = {
            key: kinds[f.kind](f.point) if f.direction is None else kinds[f.kind](*f[1:])
            for key, f in body.features.items()
        }
        pose = asm.Pose(tuple(position), tuple(quaternion))
        out.add(name, grounded=name == case.ground, pose=pose, features=features)
    for tie in case.mates:
        if tie.kind == "distance":
            out.mate("distance", tie.a, tie.b, value=tie.value)
        elif tie.kind == "coincident":
            out.mate("coincident", tie.a, tie.b)
        else:
            out.mate(tie.kind, tie.a, tie.b, sense="aligned" if tie.sense > 0 else "opposed")
    return out
