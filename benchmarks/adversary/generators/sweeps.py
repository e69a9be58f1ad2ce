"""Sweeps of mechanisms of random sizes against closed forms, past their dead points.

A closed form is a formula for points, nothing else; it takes complex numbers, so that first
derivatives are exact, and second ones are differences of these in extended precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

import assembly_solver as asm

from ..draft import Array, Body, Draft, Ref, Rng, Tie, anywhere
from ..verdict import Verdict

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Points = dict[Ref, Array]


class Closed(NamedTuple):
    """A mechanism with its closed form.

    Attributes:
        form: points in the world by reference, (states, 3), from the values of the driver, rad or
            mm; room: what has to be above 0 for it to close.
        draft: the mechanism at the first value; it has the driver "input".
        values: first and last, rad or mm; angle: whether they are angles.
        clear: what is 0 where branches meet, at a change point; by default the room.
    """

    form: Callable[[Array], Points]
    room: Callable[[Array], Array]
    draft: Callable[[float], Draft]
    values: tuple[float, float]
    angle: bool = True
    clear: Callable[[Array], Array] | None = None


FINE = 1e-9
"""Positions relative to the size of 100 mm, rates relative to their largest."""

DRIVER_ROUNDING = 1e-11
"""By as much, rad or mm, the driver's value may be off in effect: it counts near a dead point."""

NEAR = 1e-3
"""Share of the largest room below which a state is beside a dead point, and accelerations are not
compared."""


# ---------------------------------------------------------------- plane geometry, complex as well
def stacked(*components: Any) -> Array:
    """A vector of its components."""
    return np.stack(np.broadcast_arrays(*components), axis=-1)


def polar(length: Any, u: Array) -> Array:
    """Points of a circle about the origin, in the plane."""
    return stacked(length * np.cos(u), length * np.sin(u), 0 * u)


def size(v: Array) -> Array:
    """Lengths, analytic."""
    return np.sqrt((v * v).sum(-1))


def room_of(p: Array, a: Any, q: Array, b: Any) -> Array:
    """16 times the squared area of the triangle of the circles' centres and their meeting."""
    d = size(q - p)
    return (d + a + b) * (a + b - d) * (d + a - b) * (d - a + b)


def meet(p: Array, a: Any, q: Array, b: Any, side: int) -> Array:
    """Where circles about p and q meet, left (+1) or right (-1) of the way from p to q."""
    way = q - p
    square = (way * way).sum(-1)
    along = 0.5 + (a * a - b * b) / (2 * square)
    aside = side * np.sqrt(room_of(p, a, q, b)) / (2 * square)
    left = stacked(-way[..., 1], way[..., 0], 0 * way[..., 0])
    return np.asarray(p + along[..., None] * way + aside[..., None] * left)


def beside(p: Array, q: Array, along: float, across: float) -> Array:
    """A point that is fixed to a bar from p to q, by its coordinates in mm."""
    u = (q - p) / size(q - p)[..., None]
    return np.asarray(p + along * u + across * stacked(-u[..., 1], u[..., 0], 0 * u[..., 0]))


# ---------------------------------------------------------------- drafts
def at(point: Array, way: Array | None = None) -> asm.Pose:
    """A part of the plane at a point of the first state, its x along a way."""
    p = np.ravel(point).astype(float)
    w = np.array([1.0, 0, 0]) if way is None else np.ravel(way).astype(float)
    return asm.Pose.from_axis(p.tolist(), Z, float(np.degrees(np.arctan2(w[1], w[0]))))


def frame(x: float = 0.0) -> asm.Frame:
    """A frame across the plane."""
    return asm.Frame((x, 0.0, 0.0), Z, X)


def bar(out: Draft, name: str, foot: Array, tip: Array, **more: Any) -> None:
    """A bar from one pin to the other, as they are in the first state."""
    length = float(np.ravel(size(tip - foot))[0])
    features = {"foot": frame(), "tip": frame(length), **more}
    out.bodies[name] = Body(at(foot, tip - foot), features)


def pin(out: Draft, a: Ref, b: Ref, kind: str = "revolute", **more: Any) -> str:
    """A joint; its name."""
    name = f"{kind} {len(out.ties)}"
    sense = {"sense": "aligned"} if kind == "revolute" else {}
    out.ties[name] = Tie(kind, a, b, {**sense, **more})
    return name


def ground(out: Draft, **features: Any) -> None:
    """The part that is held."""
    out.bodies["frame"] = Body(asm.Pose(), features, grounded=True)


def driven(out: Draft, joint: str, coordinate: str = "angle") -> None:
    """The driver."""
    out.drivers["input"] = {"joint": joint, "coordinate": coordinate}


def rail(y: float) -> asm.Frame:
    """The way of a slide along x."""
    return asm.Frame((0.0, y, 0.0), X, Z)


SLIDE = {"slide": asm.Frame((0, 0, 0), X, Z), "pin": frame()}


def turn_from(draw: Rng, room: Callable[[Array], Array]) -> tuple[float, float]:
    """A turn from an angle at which there is room."""
    u = np.linspace(0, 2 * np.pi, 721)
    r = room(u.astype(np.longdouble)).real
    good = u[r > 0.05 * max(r.max(), 1e-9)]
    first = float(draw.choice(good)) + 0.004 if len(good) else np.nan  # not a change point
    way = float(draw.choice([-1, 1]) * draw.choice([np.pi, 2 * np.pi]))
    return first, first + way


# ---------------------------------------------------------------- mechanisms
def four_bar(draw: Rng, lengths: Array | None = None) -> Closed:
    """A crank at the origin, a rocker on the x axis, any proportions."""
    base, crank, coupler, rocker = draw.uniform(40, 300, 4) if lengths is None else lengths
    side, d = int(draw.choice([-1, 1])), np.array([base, 0.0, 0.0])
    along, across = draw.uniform(-60, 60, 2)

    def room(u: Array) -> Array:
        return room_of(polar(crank, u), coupler, d, rocker)

    def form(u: Array) -> Points:
        b = polar(crank, u)
        c = meet(b, coupler, d, rocker, side)
        aside = beside(b, c, along, across)
        return {("crank", "tip"): b, ("rocker", "tip"): c, ("coupler", "aside"): aside}

    def draft(first: float) -> Draft:
        out, points = Draft(), form(np.array([first]))
        b, c = points["crank", "tip"], points["rocker", "tip"]
        ground(out, o=frame(), d=frame(base))
        bar(out, "crank", 0 * b, b)
        bar(out, "coupler", b, c, aside=asm.Point((along, across, 0)))
        bar(out, "rocker", d + 0 * b, c)
        driven(out, pin(out, ("frame", "o"), ("crank", "foot")))
        pin(out, ("crank", "tip"), ("coupler", "foot"))
        pin(out, ("coupler", "tip"), ("rocker", "tip"))
        pin(out, ("frame", "d"), ("rocker", "foot"))
        return out

    return Closed(form, room, draft, turn_from(draw, room))


def slider_crank(draw: Rng) -> Closed:
    """A slider on a line beside the crank's pivot; the rod may be too short for a whole turn."""
    crank, rod = draw.uniform(30, 150), draw.uniform(60, 300)
    aside, side = draw.uniform(-60, 60), float(draw.choice([-1, 1]))

    def room(u: Array) -> Array:
        return rod**2 - (crank * np.sin(u) - aside) ** 2

    def form(u: Array) -> Points:
        b = polar(crank, u)
        x = b[..., 0] + side * np.sqrt(room(u))
        return {("crank", "tip"): b, ("slider", "pin"): stacked(x, aside + 0 * u, 0 * u)}

    def draft(first: float) -> Draft:
        out, points = Draft(), form(np.array([first]))
        b, c = points["crank", "tip"], points["slider", "pin"]
        ground(out, o=frame(), rail=rail(aside))
        bar(out, "crank", 0 * b, b)
        bar(out, "rod", b, c)
        out.bodies["slider"] = Body(at(c), dict(SLIDE))
        driven(out, pin(out, ("frame", "o"), ("crank", "foot")))
        pin(out, ("crank", "tip"), ("rod", "foot"))
        pin(out, ("rod", "tip"), ("slider", "pin"))
        pin(out, ("frame", "rail"), ("slider", "slide"), "prismatic")
        return out

    return Closed(form, room, draft, turn_from(draw, room))


def slotted_lever(draw: Rng) -> Closed:
    """An inverted slider: a crank's pin in the slot of a lever, or of a geneva wheel."""
    crank, base = draw.uniform(30, 120), draw.uniform(30, 250)
    base = base + 15 * np.sign(base - crank)
    d, reach, kind = np.array([base, 0.0, 0.0]), draw.uniform(20, 200), int(draw.integers(3))

    def form(u: Array) -> Points:
        b = polar(crank, u)
        return {("crank", "tip"): b, ("lever", "end"): beside(d + 0 * b, b, reach, 10.0)}

    def draft(first: float) -> Draft:
        out, b = Draft(), polar(crank, np.array([first]))
        ground(out, o=frame(), d=frame(base))
        slot = {"slot": frame(), "line": asm.Axis((0, 0, 0), X), "end": asm.Point((reach, 10, 0))}
        bar(out, "crank", 0 * b, b, axis=asm.Axis((crank, 0, 0), Z))
        bar(out, "lever", d + 0 * b, b, **slot)
        driven(out, pin(out, ("frame", "o"), ("crank", "foot")))
        pin(out, ("frame", "d"), ("lever", "foot"))
        if kind == 0:
            pin(out, ("crank", "tip"), ("lever", "line"), "point_on_line")
        else:
            name = ("slot", "pin_slot")[kind - 1]
            pin(out, ("lever", "slot"), ("crank", "axis"), name, sense="aligned")
        return out

    return Closed(form, lambda u: 1 + 0 * u, draft, turn_from(draw, lambda u: 1 + 0 * u))


def scotch_yoke(draw: Rng) -> Closed:
    """The pin of a crank in a slot across the way of a yoke."""
    crank, lean = draw.uniform(30, 150), draw.uniform(-50, 50)
    slope = np.tan(np.radians(lean))

    def form(u: Array) -> Points:
        b = polar(crank, u)
        x = b[..., 0] + slope * b[..., 1]
        return {("crank", "tip"): b, ("yoke", "pin"): stacked(x, 0 * u, 0 * u)}

    def draft(first: float) -> Draft:
        out, points = Draft(), form(np.array([first]))
        b = points["crank", "tip"]
        t = np.radians(lean)
        face = asm.Plane((0, 0, 0), (float(np.cos(t)), float(np.sin(t)), 0.0))
        ground(out, o=frame(), rail=rail(0))
        bar(out, "crank", 0 * b, b)
        out.bodies["yoke"] = Body(at(points["yoke", "pin"]), {**SLIDE, "face": face})
        driven(out, pin(out, ("frame", "o"), ("crank", "foot")))
        pin(out, ("frame", "rail"), ("yoke", "slide"), "prismatic")
        pin(out, ("crank", "tip"), ("yoke", "face"), "point_in_plane")
        return out

    return Closed(form, lambda u: 1 + 0 * u, draft, turn_from(draw, lambda u: 1 + 0 * u))


def scissor(draw: Rng) -> Closed:
    """One to three stages of crossed bars on a slide, driven outwards until they lie flat."""
    length, stages = draw.uniform(100, 300), int(draw.integers(1, 4))

    def room(u: Array) -> Array:
        return length**2 - u * u

    def form(u: Array) -> Points:
        h = np.sqrt(room(u))
        out = {}
        for k in range(stages):
            out[f"left {k}", "tip"] = stacked(u, (k + 1) * h, 0 * u)
            out[f"right {k}", "tip"] = stacked(0 * u, (k + 1) * h, 0 * u)
        return out

    def draft(first: float) -> Draft:
        out, u = Draft(), np.array([first])
        h = np.sqrt(room(u))
        ground(out, o=frame(), rail=rail(0))
        out.bodies["slider"] = Body(at(stacked(u, 0 * u, 0 * u)), dict(SLIDE))
        driven(out, pin(out, ("frame", "rail"), ("slider", "slide"), "prismatic"), "length")
        feet = ("frame", "o"), ("slider", "pin")
        for k in range(stages):
            middle = frame(length / 2)
            low, high = (stacked(0 * u, i * h, 0 * u) for i in (k, k + 1))
            right = stacked(u, 0 * u, 0 * u)
            bar(out, f"left {k}", low, high + right, middle=middle)
            bar(out, f"right {k}", low + right, high, middle=middle)
            pin(out, feet[0], (f"left {k}", "foot"))
            pin(out, feet[1], (f"right {k}", "foot"))
            pin(out, (f"left {k}", "middle"), (f"right {k}", "middle"))
            feet = (f"right {k}", "tip"), (f"left {k}", "tip")
        return out

    first = float(draw.uniform(0.1, 0.7) * length)
    last = float(length * draw.choice([0.02, 0.98, 1.1]))
    return Closed(form, room, draft, (first, last), angle=False)


def rssr(draw: Rng) -> Closed:
    """A crank about z, a rocker about another axis, a rod with balls between them."""
    crank, rocker = draw.uniform(20, 120), draw.uniform(80, 200)
    pivot = draw.uniform(-60, 60, 3) + np.array([220.0, 0, 40])
    rod, side = draw.uniform(150, 320), float(draw.choice([-1, 1]))
    axis = np.append(0.0, draw.normal(size=2))
    axis /= np.linalg.norm(axis)
    x, y = np.array(X), np.cross(axis, X)

    def parts(u: Array) -> tuple[Array, Array, Array, Array]:
        """With the rocker's tip at pivot + r (x cos + y sin): A cos + B sin = C."""
        way = pivot - polar(crank, u)
        a, b = 2 * rocker * (way @ x), 2 * rocker * (way @ y)
        c = rod**2 - rocker**2 - (way * way).sum(-1)
        return a, b, c, a * a + b * b

    def room(u: Array) -> Array:
        _, _, c, square = parts(u)
        return square - c * c

    def form(u: Array) -> Points:
        a, b, c, square = parts(u)
        rest = side * np.sqrt(square - c * c)
        cos, sin = (a * c - b * rest) / square, (b * c + a * rest) / square
        tip = pivot + rocker * (cos[..., None] * x + sin[..., None] * y)
        return {("crank", "tip"): polar(crank, u), ("rocker", "tip"): tip}

    def draft(first: float) -> Draft:
        out, points = Draft(), form(np.array([first]))
        b, c = (points[k, "tip"][0].astype(float) for k in ("crank", "rocker"))
        foot = asm.Frame(tuple(pivot.tolist()), tuple(axis.tolist()), X)
        ground(out, o=frame(), p=foot)
        bar(out, "crank", np.zeros(3), b)
        swing = (c - pivot) / rocker
        spatial(out, "rocker", pivot, swing, np.cross(axis, swing), rocker)
        along = (c - b) / rod
        across = np.cross(along, Z)
        spatial(out, "rod", b, along, across / np.linalg.norm(across), rod)
        driven(out, pin(out, ("frame", "o"), ("crank", "foot")))
        pin(out, ("crank", "tip"), ("rod", "foot"), "spherical")
        pin(out, ("rod", "tip"), ("rocker", "tip"), "spherical")
        pin(out, ("frame", "p"), ("rocker", "foot"))
        return out

    return Closed(form, room, draft, turn_from(draw, room))


def spatial(out: Draft, name: str, p: Array, x: Array, y: Array, length: float) -> None:
    """A bar in space, its hinge about z."""
    pose = asm.Pose.from_frame(np.concatenate([p, x, y, np.cross(x, y)]).astype(float))
    out.bodies[name] = Body(pose, {"foot": frame(), "tip": frame(length)})


def bennett(draw: Rng) -> Closed:
    """Bennett's linkage: tan(first / 2) tan(second / 2) is constant (Bennett 1914)."""
    alpha, beta = np.radians(draw.uniform(20, 80)), np.radians(draw.uniform(95, 150))
    one = draw.uniform(50, 150)
    two = one * np.sin(beta) / np.sin(alpha)
    links = [(one, alpha), (two, beta), (one, alpha), (two, beta)]
    k = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)

    def hinges(u: Array) -> list[tuple[Array, Array]]:
        """Rotation and position of each link, by its turn about z, then along and about x."""
        p, q = np.sin(u / 2), np.cos(u / 2)
        square = p * p + k * k * q * q
        turns = [(np.cos(u), np.sin(u)), ((p * p - k * k * q * q) / square, 2 * k * p * q / square)]
        turns += [(c, -s) for c, s in turns]
        r, o, out = np.eye(3) + 0 * u[..., None, None], np.zeros(3) + 0 * u[..., None], []
        for (length, twist), (c, s) in zip(links, turns, strict=True):
            zero, one_ = 0 * c, 1 + 0 * c
            spin = np.stack(
                [stacked(c, -s, zero), stacked(s, c, zero), stacked(zero, zero, one_)], -2
            )
            ct, st = np.cos(twist), np.sin(twist)
            r = r @ spin
            out.append((r, o))
            o = o + length * r[..., :, 0]
            r = r @ np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
        return out

    def form(u: Array) -> Points:
        return {
            (f"link {i}", "aside"): o + r @ np.array([0, 20.0, 5.0])
            for i, (r, o) in enumerate(hinges(u))
            if i < 3
        }

    def draft(first: float) -> Draft:
        out = Draft()
        at_first = hinges(np.array([first]))
        tips = [
            asm.Frame((float(n), 0, 0), (0, -float(np.sin(t)), float(np.cos(t))), X)
            for n, t in links
        ]
        for i, (turn, origin) in enumerate(at_first):  # the last link is the frame
            m = turn[0].astype(float)
            pose = asm.Pose.from_frame(np.concatenate([origin[0].astype(float), m.T.ravel()]))
            features = {"foot": frame(), "tip": tips[i], "aside": asm.Point((0, 20, 5))}
            out.bodies[f"link {i}"] = Body(pose, features, grounded=i == 3)
        driven(out, pin(out, ("link 3", "tip"), ("link 0", "foot")))
        for i in range(3):
            pin(out, (f"link {i}", "tip"), (f"link {i + 1}", "foot"))
        return out

    first = float(draw.uniform(0.3, 2.6))
    return Closed(
        form, lambda u: 1 + 0 * u, draft, (first, first + float(draw.choice([-2, 2])) * np.pi)
    )


def parallelogram(draw: Rng) -> Closed:
    """A four-bar with equal opposite sides: it goes on as such through its change points."""
    base, crank = draw.uniform(60, 200), draw.uniform(20, 150)
    d = np.array([base, 0.0, 0.0])

    def form(u: Array) -> Points:
        b = polar(crank, u)
        return {("crank", "tip"): b, ("rocker", "tip"): b + d}

    def draft(first: float) -> Draft:
        out, b = Draft(), polar(crank, np.array([first]))
        ground(out, o=frame(), d=frame(float(base)))
        bar(out, "crank", 0 * b, b)
        bar(out, "coupler", b, b + d)
        bar(out, "rocker", d + 0 * b, b + d)
        driven(out, pin(out, ("frame", "o"), ("crank", "foot")))
        pin(out, ("crank", "tip"), ("coupler", "foot"))
        pin(out, ("coupler", "tip"), ("rocker", "tip"))
        pin(out, ("frame", "d"), ("rocker", "foot"))
        return out

    values = turn_from(draw, lambda u: 1 + 0 * u)
    return Closed(form, lambda u: 1 + 0 * u, draft, values, clear=lambda u: np.sin(u) ** 2)


MECHANISMS: Mapping[str, Callable[[Rng], Closed]] = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "slotted lever": slotted_lever,
    "scotch yoke": scotch_yoke,
    "scissor": scissor,
    "RSSR": rssr,
    "Bennett": bennett,
    "parallelogram": parallelogram,
}


# ---------------------------------------------------------------- against the engine
def rates(form: Callable[[Array], Points], u: Array, unit: float) -> dict[Ref, tuple[Array, ...]]:
    """Points with their first and second derivative by the driver."""
    h, tiny = np.longdouble(1e-6 * unit), np.longdouble(1e-200)

    def slope(x: Array) -> Points:
        shifted = x.astype(np.longdouble) + 1j * tiny
        return {k: p.imag / tiny for k, p in form(shifted).items()}

    value, first = form(u.astype(np.longdouble)), slope(u)
    a, b, c, d = (slope(u.astype(np.longdouble) + n * h) for n in (-2, -1, 1, 2))
    second = {k: (a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h) for k in value}
    return {k: (value[k], first[k], second[k]) for k in value}


def dead_point(m: Closed) -> float | None:
    """The first value of the driver after the start at which there is no more room."""
    first, last = m.values
    u = np.linspace(first, last, 20001)
    r = m.room(u.astype(np.longdouble)).real
    lost = np.flatnonzero(r <= 0)
    if len(lost) == 0:
        return None
    low, high = u[lost[0] - 1], u[lost[0]]
    return float(
        brentq(lambda x: float(m.room(np.array([x], np.longdouble))[0].real), low, high, xtol=1e-15)
    )


def drawn(seed: int) -> tuple[str, Closed, Draft, asm.Pose, int]:
    """The mechanism of a number: its closed form, its draft at the start, the pose of the whole,
    and the number of steps."""
    draw = np.random.default_rng([seed, 5])
    name = list(MECHANISMS)[seed % len(MECHANISMS)]
    m = MECHANISMS[name](draw)
    while not np.isfinite(m.values[0]):
        m = MECHANISMS[name](draw)
    whole = asm.Pose() if draw.random() < 0.3 else anywhere(draw, 300)
    draft = m.draft(m.values[0])
    for body in draft.bodies.values():
        body.pose = whole @ body.pose
    return name, m, draft, whole, int(draw.integers(8, 90))


def case(seed: int) -> Verdict:
    """Sweep and judge the mechanism of a number."""
    name, m, draft, whole, steps = drawn(seed)
    unit = 180 / np.pi if m.angle else 1.0
    values = np.linspace(*m.values, steps + 1)
    speed = 90.0
    motion = asm.sweep(
        draft.build(), {"input": tuple(unit * v for v in m.values)}, steps=steps, speed=speed
    )
    end = dead_point(m)
    way = np.sign(m.values[1] - m.values[0])
    wanted = np.ones(len(values), bool) if end is None else way * (end - values) > 0
    beside_end = np.zeros(len(values), bool) if end is None else np.abs(values - end) < 1e-7
    wrong = []
    if motion.failed:
        return Verdict(name, [f"no motion: {motion.failed}"])
    if not np.array_equal(motion.valid | beside_end, wanted | beside_end):
        n = f"{int(motion.valid.sum())} of {steps + 1} states valid, {int(wanted.sum())} exist"
        return Verdict(name, [f"{n}: {motion.sentence}"])
    if end is not None:
        wrong += wrong_end(motion, unit * end)
    good = motion.valid & wanted
    wrong += wrong_points(m, motion, values, good, whole, np.radians(speed) if m.angle else speed)
    return Verdict(name, wrong)


def wrong_end(motion: asm.Motion, end: float) -> list[str]:
    """A dead point that is not told, or told elsewhere."""
    event = motion.stopped
    if event is None or event.kind != "dead point":
        return [f"ends at a dead point, told {event.kind if event else 'nothing'}"]
    if abs(event.value - end) > 1e-8 * max(1.0, abs(end) / 100):
        return [f"dead point told at {event.value!r}, it is at {end!r}"]
    return []


def wrong_points(
    m: Closed, motion: asm.Motion, values: Array, good: Array, whole: asm.Pose, speed: float
) -> list[str]:
    """Positions, velocities and accelerations that are not those of the closed form."""
    speed = speed * float(np.sign(values[-1] - values[0]))
    turn, wrong = whole.rotation, []
    room = (m.clear or m.room)(values[good].astype(np.longdouble)).real
    clear = np.asarray(room > NEAR * room.max())
    with np.errstate(invalid="ignore"):
        found = rates(m.form, values[good], 1.0 if m.angle else 100.0)
    for ref, expected in found.items():
        p, v, a = (np.asarray(x, float) for x in expected)
        track = motion.point(ref)
        p = p @ turn.T + np.array(whole.position)
        v, a = speed * v @ turn.T, speed**2 * a @ turn.T
        slip = DRIVER_ROUNDING / abs(speed)
        pairs = (
            ("position", track.position, p, 100.0, slip * np.abs(v), clear | True),
            (
                "velocity",
                track.velocity,
                v,
                abs(v[clear]).max(initial=1.0),
                slip * np.abs(a),
                clear,
            ),
            (
                "acceleration",
                track.acceleration,
                a,
                10 * abs(a[clear]).max(initial=1.0),
                0 * a,
                clear,
            ),
        )
        for what, ours, theirs, scale, more, at_states in pairs:
            off = np.abs(ours[good] - theirs) - FINE * scale - more
            off = off[at_states]
            if not np.all(off <= 0):
                far = float(np.nanmax(np.abs(ours[good] - theirs)[at_states]))
                wrong.append(f"{what} of {'.'.join(ref)} off by {far:.2g} of {scale:.2g}")
    return wrong
