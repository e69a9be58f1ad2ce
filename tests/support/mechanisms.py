"""Small mechanisms and the geometry that judges them; nothing here uses the engine's own sums.

Lengths in mm, angles in degrees where a name says so, else rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import assembly_solver as asm

Array = NDArray[np.float64]

O = (0.0, 0.0, 0.0)  # noqa: E741


# ------------------------------------------------------------------ poses


def pose(position: Iterable[float], rotation: Rotation) -> asm.Pose:
    """A pose from a position and a scipy rotation."""
    q = rotation.as_quat(scalar_first=True)
    return asm.Pose(tuple(float(v) for v in position), tuple(float(v) for v in q))


def turned(axis: Sequence[float], degrees: float, position: Iterable[float] = O) -> asm.Pose:
    """A pose turned about an axis through the origin, then moved."""
    u = np.asarray(axis, float) / np.linalg.norm(axis)
    return pose(position, Rotation.from_rotvec(math.radians(degrees) * u))


def random_pose(rng: np.random.Generator, reach: float = 100.0) -> asm.Pose:
    """Any orientation, a position within a cube."""
    return pose(rng.uniform(-reach, reach, 3), Rotation.random(random_state=rng))


def disturbed(p: asm.Pose, rng: np.random.Generator, mm: float, degrees: float) -> asm.Pose:
    """A pose shifted and turned by up to so much."""
    shift = rng.uniform(-mm, mm, 3)
    spin = Rotation.from_rotvec(np.radians(rng.uniform(-degrees, degrees, 3)))
    return pose(np.array(p.position) + shift, spin * Rotation.from_matrix(p.rotation))


def pose_gap(p: asm.Pose, q: asm.Pose) -> tuple[float, float]:
    """Distance of two poses: of their origins, mm, and their angle, rad."""
    angle = Rotation.from_matrix(p.rotation.T @ q.rotation).magnitude()
    return math.dist(p.position, q.position), float(angle)


def worst_gap(ours: Mapping[str, asm.Pose], theirs: Mapping[str, asm.Pose]) -> tuple[float, float]:
    """Largest distance and angle between poses of the same parts."""
    gaps = np.array([pose_gap(ours[name], theirs[name]) for name in theirs])
    return float(gaps[:, 0].max()), float(gaps[:, 1].max())


def moved(assembly: asm.Assembly, by: asm.Pose) -> asm.Assembly:
    """The same assembly, the whole of it moved."""
    out = assembly.copy()
    out.move({name: by @ part.pose for name, part in assembly.parts.items()})
    return out


def disturb(assembly: asm.Assembly, seed: int, mm: float, degrees: float) -> asm.Assembly:
    """The same assembly with the starts of all parts that are not grounded disturbed."""
    rng = np.random.default_rng(seed)
    out = assembly.copy()
    free = {n: p for n, p in assembly.parts.items() if not p.grounded}
    out.move({n: disturbed(p.pose, rng, mm, degrees) for n, p in free.items()})
    return out


# ------------------------------------------------------------------ features in the world


def place(assembly: asm.Assembly, poses: Mapping[str, asm.Pose], reference: Any) -> Array:
    """Origin, x, y, z of a feature in the world, shape (4, 3)."""
    ref = assembly.reference(reference)
    frame = np.array(assembly.parts[ref.part].feature(ref.feature).frame).reshape(4, 3)
    p = poses[ref.part]
    return np.vstack([p.apply(frame[0]), frame[1:] @ p.rotation.T])


def angle_about(axis: Array, a: Array, b: Array) -> float:
    """Signed angle about an axis from direction a to direction b, both seen along it, rad."""
    return math.atan2(float(axis @ np.cross(a, b)), float(a @ b - (a @ axis) * (b @ axis)))


def random_feature(kind: type, rng: np.random.Generator) -> Any:
    """A feature of a type anywhere within 50 mm, its direction any; an axis has no radius."""
    at = tuple(rng.uniform(-50, 50, 3))
    if kind is asm.Point:
        return asm.Point(at)
    if kind is asm.Sphere:
        return asm.Sphere(at, radius=rng.uniform(4, 8))
    if kind is asm.Curve:
        return random_curve(rng)
    direction = tuple(rng.normal(size=3))
    if kind is asm.Frame:
        return asm.Frame(at, direction, tuple(rng.normal(size=3)))
    if kind is asm.Cone:
        return asm.Cone(at, direction, angle=rng.uniform(15, 60))
    if kind is asm.Torus:
        return asm.Torus(at, direction, radius=rng.uniform(35, 45), tube=rng.uniform(9, 12))
    return kind(at, direction)


def random_curve(
    rng: np.random.Generator, planar: bool = True, closed: bool = True, smooth: bool = True
) -> asm.Curve:
    """A loop of six points around an ellipse of 40 and 30 mm, or most of it, anywhere."""
    t = np.arange(6) * math.pi / 3
    points = np.stack([40 * np.cos(t), 30 * np.sin(t), (not planar) * 10 * np.sin(2 * t)], axis=1)
    points[:, :2] += rng.normal(0, 2, (6, 2))
    turned = Rotation.random(random_state=rng).apply(points) + rng.uniform(-50, 50, 3)
    return asm.Curve(tuple(tuple(p) for p in turned.tolist()), closed=closed, smooth=smooth)


# ------------------------------------------------------------------ mechanisms


def linkage(
    name: str,
    parts: Mapping[str, asm.Pose],
    hinges: Sequence[tuple[str, str, str, Sequence[float], Sequence[float]]],
    grounded: str | None = "frame",
) -> asm.Assembly:
    """Parts joined where they stand: (kind, a, b, point, direction of z) in the world."""
    out = asm.Assembly(name)
    for part, start in parts.items():
        out.add(part, grounded=part == grounded, pose=start)
    for k, (kind, a, b, point, direction) in enumerate(hinges):
        at = asm.Frame(tuple(point), tuple(direction))
        out.mate(kind, name=f"{kind} {k + 1}", parts=(a, b), at=at)
    return out


def hinge() -> asm.Assembly:
    """A door on a frame, its start off the hinge: one freedom, two of seven equations redundant."""
    out = asm.Assembly("hinge")
    out.add(
        "frame", grounded=True, features={"pin": asm.Axis(O, "z"), "seat": asm.Plane(O, (0, 0, 1))}
    )
    out.add(
        "door",
        pose=turned((0.1, 0.1, 0.14), 23, (3, -2, 8)),
        features={
            "pin": asm.Axis(O, "z"),
            "foot": asm.Plane(O, (0, 0, -1)),
            "edge": asm.Point((800, 0, 0)),
        },
    )
    out.mate("coaxial", "frame.pin", "door.pin", name="axis", sense="aligned")
    out.mate("coplanar", "frame.seat", "door.foot", name="seat", sense="opposed")
    return out


def crank_rocker(crank_degrees: float = 60.0) -> dict[str, Array]:
    """Pins of a four-bar (300, 100, 260, 200 mm) in its plane, elbow up."""
    a, d = np.zeros(3), np.array([300.0, 0, 0])
    t = math.radians(crank_degrees)
    b = 100.0 * np.array([math.cos(t), math.sin(t), 0.0])
    s = float(np.linalg.norm(d - b))
    along = (260.0**2 - 200.0**2 + s**2) / (2 * s)
    e = (d - b) / s
    c = b + along * e + math.sqrt(260.0**2 - along**2) * np.array([-e[1], e[0], 0.0])
    return {"a": a, "b": b, "c": c, "d": d}


def four_bar(kind: str = "revolute") -> asm.Assembly:
    """A planar four-bar of four joints of one kind in space, closed where it stands."""
    p, z = crank_rocker(), (0, 0, 1)
    names = ("frame", "crank", "coupler", "rocker")
    return linkage(
        "four-bar",
        dict.fromkeys(names, asm.Pose()),
        [
            (kind, "frame", "crank", p["a"], z),
            (kind, "crank", "coupler", p["b"], z),
            (kind, "coupler", "rocker", p["c"], z),
            (kind, "frame", "rocker", p["d"], z),
        ],
    )


def rssr() -> asm.Assembly:
    """A spatial four-bar of two hinges across each other and two balls: the coupler spins idly."""
    names = ("frame", "crank", "coupler", "rocker")
    return linkage(
        "rssr",
        dict.fromkeys(names, asm.Pose()),
        [
            ("revolute", "frame", "crank", O, (0, 0, 1)),
            ("spherical", "crank", "coupler", (60, 30, 0), (0, 0, 1)),
            ("spherical", "coupler", "rocker", (250, 40, 150), (0, 0, 1)),
            ("revolute", "frame", "rocker", (300, 0, 30), (0, 1, 0.2)),
        ],
    )


def step(length: float, twist: float, turn: float) -> Array:
    """From one hinge to the next: turn about z, then along x and twist about x (4 x 4)."""
    out = np.eye(4)
    spin = Rotation.from_rotvec([0, 0, turn])
    out[:3, :3] = (spin * Rotation.from_rotvec([twist, 0, 0])).as_matrix()
    out[:3, 3] = spin.apply([length, 0, 0])
    return out


def bennett() -> asm.Assembly:
    """Bennett's linkage: opposite links alike, length over sine of twist the same for all."""
    alpha, beta, a = math.radians(40), math.radians(75), 100.0
    b = a * math.sin(beta) / math.sin(alpha)
    links = [(a, alpha), (b, beta), (a, alpha), (b, beta)]

    def frames(first: float, second: float) -> list[Array]:
        out = [np.eye(4)]
        turns = (first, second, -first, -second)
        for (length, twist), turn in zip(links, turns, strict=True):
            out.append(out[-1] @ step(length, twist, turn))
        return out

    # Bennett 1914: tan(first / 2) tan(second / 2) is constant
    first = math.radians(65)
    product = math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2)
    at = frames(first, 2 * math.atan(product / math.tan(first / 2)))
    assert np.abs(at[-1] - np.eye(4)).max() < 1e-12 * b
    names = ("frame", "one", "two", "three")
    return linkage(
        "bennett",
        dict.fromkeys(names, asm.Pose()),
        [("revolute", names[k - 1], names[k], at[k][:3, 3], at[k][:3, 2]) for k in range(4)],
        grounded="three",
    )


def sarrus() -> asm.Assembly:
    """Two legs of three parallel hinges each, across each other: the plate rises straight."""
    names = ("frame", "low 1", "high 1", "plate", "high 2", "low 2")
    return linkage(
        "sarrus",
        dict.fromkeys(names, asm.Pose()),
        [
            ("revolute", "frame", "low 1", (100, 0, 0), (0, 1, 0)),
            ("revolute", "low 1", "high 1", (160, 0, 50), (0, 1, 0)),
            ("revolute", "high 1", "plate", (100, 0, 100), (0, 1, 0)),
            ("revolute", "plate", "high 2", (0, 100, 100), (1, 0, 0)),
            ("revolute", "high 2", "low 2", (0, 160, 50), (1, 0, 0)),
            ("revolute", "low 2", "frame", (0, 100, 0), (1, 0, 0)),
        ],
    )


def parallelogram(crank_degrees: float = 0.0) -> asm.Assembly:
    """Cranks of 50 mm on pins 100 mm apart; at 0 and 180 degrees all its links are in line."""
    t = math.radians(crank_degrees)
    tip = np.array([50 * math.cos(t), 50 * math.sin(t), 0.0])
    base = np.array([100.0, 0, 0])
    z = (0, 0, 1)
    return linkage(
        "parallelogram",
        dict.fromkeys(("frame", "crank", "coupler", "follower"), asm.Pose()),
        [
            ("revolute", "frame", "crank", O, z),
            ("revolute", "crank", "coupler", tip, z),
            ("revolute", "coupler", "follower", base + tip, z),
            ("revolute", "frame", "follower", base, z),
        ],
    )


def bearings(off: float = 2.0) -> asm.Assembly:
    """A shaft in three bearings of a housing, the third of which sits so much too high."""
    out = asm.Assembly("shaft")
    at = {"1": (0.0, 0.0, 0.0), "2": (100.0, 0.0, 0.0), "3": (200.0, off, 0.0)}
    bores = {f"bore {k}": asm.Axis(p, "x") for k, p in at.items()}
    seats = {f"seat {k}": asm.Axis((p[0], 0, 0), "x") for k, p in at.items()}
    out.add("housing", grounded=True, features=bores)
    out.add("shaft", features=seats, pose=turned((1, 2, 3), 9, (5, 3, -4)))
    for k in at:
        out.mate("coaxial", f"housing.bore {k}", f"shaft.seat {k}", name=f"bearing {k}")
    return out


def flange(off: float = 0.0003) -> asm.Assembly:
    """A flange on a pipe by its face and two bolts; its second hole is so much too far out."""
    out = asm.Assembly("flange")
    holes = {"hole 1": asm.Axis((40, 0, 0), "z"), "hole 2": asm.Axis((-40, 0, 0), "z")}
    wrong = {**holes, "hole 2": asm.Axis((-40 - off, 0, 0), "z")}
    out.add("pipe", grounded=True, features={"face": asm.Plane(O, "z"), **holes})
    start = turned((1, 2, 3), 12, (3, 4, 9))
    out.add("flange", features={"face": asm.Plane(O, "-z"), **wrong}, pose=start)
    out.mate("coplanar", "pipe.face", "flange.face", name="faces", sense="opposed")
    for k in (1, 2):
        bolt = f"bolt {k}"
        out.mate("coaxial", f"pipe.hole {k}", f"flange.hole {k}", name=bolt, sense="aligned")
    return out


def stewart_ups() -> asm.Assembly:
    """A platform on six legs: Cardan joint (point and perpendicular axes), slide, ball."""
    top = turned((1, -2, 0.5), 14, (25, -18, 380))
    feet = [_ring(300, d) for d in (-10, 10, 110, 130, 230, 250)]
    balls = [_ring(200, d) for d in (-50, 50, 70, 170, 190, 290)]
    legs = [top.apply(ball) - foot for foot, ball in zip(feet, balls, strict=True)]
    along = [Rotation.align_vectors([leg / np.linalg.norm(leg)], [[0, 0, 1]])[0] for leg in legs]
    below: dict[str, Any] = {}
    for i, foot in enumerate(feet):
        first = np.cross(along[i].apply([1, 0, 0]), [0.2, 0.1 * i, 1])
        below[f"o{i}"] = asm.Point(tuple(foot))
        below[f"x{i}"] = asm.Axis(tuple(foot), tuple(first))
    out = asm.Assembly("6-UPS")
    out.add("base", grounded=True, features=below)
    out.add("top", pose=top, features={f"o{i}": asm.Point(tuple(balls[i])) for i in range(6)})
    for i in range(6):
        out.add(f"lower {i}", pose=pose(feet[i], along[i]))
        out.add(f"upper {i}", pose=pose(top.apply(balls[i]), along[i]))
        out.mate("coincident", f"base.o{i}", f"lower {i}.origin")
        out.mate("perpendicular", f"base.x{i}", f"lower {i}.x")
        out.mate("prismatic", f"lower {i}.origin", f"upper {i}.origin", name=f"slide {i}")
        out.mate("spherical", f"upper {i}.origin", f"top.o{i}")
    return out


def _ring(radius: float, degrees: float) -> Array:
    t = math.radians(degrees)
    return np.array([radius * math.cos(t), radius * math.sin(t), 0.0])


def rebuilt(
    assembly: asm.Assembly,
    parts: Sequence[str] | None = None,
    mates: Sequence[str] | None = None,
    rename: Callable[[str], str] = str,
    scale: float = 1.0,
) -> asm.Assembly:
    """The same assembly entered anew: in another order, under other names, in another unit."""
    out = asm.Assembly(assembly.name, tolerance=assembly.tolerance * scale)
    for name in parts or assembly.parts:
        p = assembly.parts[name]
        at = asm.Pose(tuple(scale * v for v in p.pose.position), p.pose.quaternion_wxyz)
        features = {rename(k): scaled(f, scale) for k, f in p.features.items()}
        out.add(rename(name), grounded=p.grounded, pose=at, features=features)
    for name in mates or assembly.mates:
        mate = assembly.mates[name]
        parameters = {
            k: v * scale if k in ("offset",) or (k == "value" and mate.kind == "distance") else v
            for k, v in mate.parameters().items()
        }
        a, b = (
            (
                rename(r.part),
                rename(r.feature) if r.feature in assembly.parts[r.part].features else r.feature,
            )
            for r in (mate.a, mate.b)
        )
        out.mate(mate.kind, a, b, name=rename(name), **parameters)
    return out


def scaled(feature: Any, scale: float) -> Any:
    """A feature with its lengths scaled."""
    if isinstance(feature, asm.Point):
        return asm.Point(tuple(scale * v for v in feature.point))
    if isinstance(feature, asm.Frame):
        at = tuple(scale * v for v in feature.origin)
        return asm.Frame(at, feature.z, feature.x)
    at = tuple(scale * v for v in feature.point)
    if isinstance(feature, asm.Axis):
        return asm.Axis(at, feature.direction, feature.x)
    return asm.Plane(at, feature.normal, feature.x)
