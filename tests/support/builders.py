"""Driven mechanisms with their closed forms; the driver of each is called "input".

A mechanism is built where its closed form says that it is at the first value, and its oracle gives
points (mm) and turns about z (rad) from what the driver does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import jets as j
import numpy as np
from jets import Jet

import assembly_solver as asm

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Spot = tuple[float, float]


class Expected(NamedTuple):
    """What the closed form says: points by reference, turns of parts about z."""

    points: dict[str, Jet]
    turns: dict[str, Jet] = {}  # noqa: RUF012 (never changed)


class Mechanism(NamedTuple):
    """A driven mechanism, its closed form and the range of its driver (mm or degrees)."""

    build: Callable[[float], asm.Assembly]
    oracle: Callable[[Jet], Expected]
    range: tuple[float, float] = (0.0, 360.0)


def still(*p: float) -> Jet:
    """A point that stays."""
    return j.vector(*p)


def frames(spots: Mapping[str, Spot]) -> dict[str, asm.Feature]:
    """Frames with z up and x along that of the part, by name."""
    return {name: asm.Frame((x, y, 0.0)) for name, (x, y) in spots.items()}


def placed(point: Jet, angle: Jet | float = 0.0) -> asm.Pose:
    """Pose of a part in the plane, from its origin and its turn (rad) at the first state."""
    p = np.atleast_2d(point.value)[0]
    turn = float(np.atleast_1d(j.jet(angle).value)[0])
    return asm.Pose.from_axis(tuple(p.tolist()), Z, math.degrees(turn))


def bar(a: asm.Assembly, name: str, foot: Jet, tip: Jet, **more: Spot) -> None:
    """A part with its x from one pin ("foot") to the other ("tip"), where these are at first."""
    length = float(np.ravel(j.norm(tip - foot).value)[0])
    spots = {"foot": (0.0, 0.0), "tip": (length, 0.0), **more}
    a.add(name, pose=placed(foot, j.angle_of(tip - foot)), features=frames(spots))


def ground(
    a: asm.Assembly, axes: Mapping[str, tuple[float, ...]] | None = None, /, **at: Spot
) -> None:
    """The part that is held, with pins and with axes of slides (x, y, direction in degrees)."""
    slides: dict[str, asm.Feature] = {}
    for name, (x, y, degrees) in (axes or {}).items():
        t = math.radians(degrees)
        slides[name] = asm.Frame((x, y, 0.0), (math.cos(t), math.sin(t), 0.0), Z)
    a.add("frame", grounded=True, features={**frames(at), **slides})


def pins(a: asm.Assembly, *pairs: tuple[str, str, str]) -> None:
    """Hinges about z: name and the two features."""
    for name, one, two in pairs:
        a.mate("revolute", one, two, name=name, sense="aligned")


SLIDE = {"slide": asm.Frame((0, 0, 0), X, Z), "pin": asm.Frame((0, 0, 0))}


def line(value: float) -> Jet:
    """A driver that stands still: one state."""
    return Jet(np.array([value]))


# ------------------------------------------------------------------ four-bars


def four_bar(frame: float, crank: float, coupler: float, rocker: float, side: int = 1) -> Mechanism:
    """A four-bar with its crank at the origin and its rocker at (frame, 0), driven by the crank."""
    d = still(frame, 0.0, 0.0)

    def tips(turn: Jet) -> tuple[Jet, Jet]:
        b = j.polar(crank, turn)
        return b, j.meet(b, coupler, d, rocker, side)

    def build(first: float) -> asm.Assembly:
        a = asm.Assembly("four-bar")
        b, c = tips(line(math.radians(first)))
        ground(a, o=(0.0, 0.0), d=(frame, 0.0))
        bar(a, "crank", 0.0 * b, b)
        bar(a, "coupler", b, c, aside=(0.4 * coupler, 0.3 * coupler))
        bar(a, "rocker", d + 0.0 * b, c)
        pins(a, ("A", "frame.o", "crank.foot"), ("B", "crank.tip", "coupler.foot"))
        pins(a, ("C", "coupler.tip", "rocker.tip"), ("D", "frame.d", "rocker.foot"))
        a.drive("input", "A", "angle", value=first)
        return a

    def oracle(turn: Jet) -> Expected:
        b, c = tips(turn)
        along = (c - b) / coupler
        across = j.vector(-along[1], along[0], 0.0 * turn)
        aside = b + 0.4 * coupler * along + 0.3 * coupler * across
        points = {"crank.tip": b, "rocker.tip": c, "coupler.aside": aside}
        turns = {"crank": turn, "coupler": j.angle_of(c - b), "rocker": j.angle_of(c - d)}
        return Expected(points, turns)

    return Mechanism(build, oracle)


def six_bar() -> Mechanism:
    """Watt's six-bar: the rocker of a crank-rocker drives a second one by a dyad."""
    first_loop = four_bar(300, 100, 260, 200)
    foot = still(560.0, -40.0, 0.0)

    def second(c: Jet) -> Jet:
        return j.meet(c, 320.0, foot, 200.0, 1)

    def build(first: float) -> asm.Assembly:
        a = first_loop.build(first)
        turn = line(math.radians(first))
        c = first_loop.oracle(turn).points["rocker.tip"]
        e = second(c)
        a.add_features("frame", frames({"f": (560.0, -40.0)}))
        bar(a, "link", c, e)
        bar(a, "output", foot + 0.0 * c, e)
        pins(a, ("C2", "rocker.tip", "link.foot"), ("E", "link.tip", "output.tip"))
        pins(a, ("F", "frame.f", "output.foot"))
        return a

    def oracle(turn: Jet) -> Expected:
        known = first_loop.oracle(turn)
        c = known.points["rocker.tip"]
        e = second(c)
        turns = {"link": j.angle_of(e - c), "output": j.angle_of(e - foot)}
        return Expected(known.points | {"output.tip": e}, known.turns | turns)

    return Mechanism(build, oracle)


# ------------------------------------------------------------------ slides


def slider_crank(crank: float = 100.0, rod: float = 350.0, aside: float = 40.0) -> Mechanism:
    """A slider on the line y = aside, driven by the crank; its rod towards +x."""

    def pin(turn: Jet) -> tuple[Jet, Jet]:
        b = j.polar(crank, turn)
        rise = b[1] - aside
        return b, j.vector(b[0] + j.sqrt(rod**2 - rise * rise), aside, 0.0)

    def build(first: float) -> asm.Assembly:
        a = asm.Assembly("slider-crank")
        b, c = pin(line(math.radians(first)))
        ground(a, {"rail": (0.0, aside, 0.0)}, o=(0.0, 0.0))
        bar(a, "crank", 0.0 * b, b)
        bar(a, "rod", b, c)
        a.add("slider", pose=placed(c), features=SLIDE)
        pins(a, ("A", "frame.o", "crank.foot"), ("B", "crank.tip", "rod.foot"))
        pins(a, ("C", "rod.tip", "slider.pin"))
        a.mate("prismatic", "frame.rail", "slider.slide", name="rail")
        a.drive("input", "A", "angle", value=first)
        return a

    def oracle(turn: Jet) -> Expected:
        b, c = pin(turn)
        turns = {"rod": j.angle_of(c - b), "slider": 0.0 * turn}
        return Expected({"crank.tip": b, "slider.pin": c}, turns)

    return Mechanism(build, oracle)


def scotch_yoke(crank: float = 80.0) -> Mechanism:
    """The pin of a crank in a slot across the way of a yoke: x of the yoke is that of the pin."""

    def build(first: float) -> asm.Assembly:
        a = asm.Assembly("scotch yoke")
        b = j.polar(crank, line(math.radians(first)))
        ground(a, {"rail": (0.0, 0.0, 0.0)}, o=(0.0, 0.0))
        bar(a, "crank", 0.0 * b, b)
        slot = asm.Plane((0, 0, 0), "x")
        at = placed(j.vector(b[0], 0.0, 0.0))
        a.add("yoke", pose=at, features={**SLIDE, "slot": slot})
        pins(a, ("A", "frame.o", "crank.foot"))
        a.mate("prismatic", "frame.rail", "yoke.slide", name="rail")
        a.mate("point_in_plane", "crank.tip", "yoke.slot", name="slot")
        a.drive("input", "A", "angle", value=first)
        return a

    def oracle(turn: Jet) -> Expected:
        b = j.polar(crank, turn)
        return Expected({"crank.tip": b, "yoke.pin": j.vector(b[0], 0.0, 0.0)}, {"crank": turn})

    return Mechanism(build, oracle)


def quick_return() -> Mechanism:
    """A crank shaper: the crank's pin runs in the slot of a lever, a link draws the ram from it."""
    pivot, level = still(0.0, -250.0, 0.0), 270.0

    def places(turn: Jet) -> tuple[Jet, Jet, Jet]:
        b = j.polar(100.0, turn)
        tip = pivot + 500.0 * j.unit(b - pivot)
        rise = level - tip[1]
        return b, tip, j.vector(tip[0] + j.sqrt(120.0**2 - rise * rise), level, 0.0)

    def build(first: float) -> asm.Assembly:
        a = asm.Assembly("shaper")
        b, tip, ram = places(line(math.radians(first)))
        ground(a, {"rail": (0.0, level, 0.0)}, o=(0.0, 0.0), p=(0.0, -250.0))
        bar(a, "crank", 0.0 * b, b)
        bar(a, "lever", pivot + 0.0 * b, tip)
        a.add_features("lever", {"slot": asm.Axis((0, 0, 0), "x")})
        bar(a, "link", tip, ram)
        a.add("ram", pose=placed(ram), features=SLIDE)
        pins(a, ("A", "frame.o", "crank.foot"), ("P", "frame.p", "lever.foot"))
        a.mate("point_on_line", "crank.tip", "lever.slot", name="slot")
        pins(a, ("T", "lever.tip", "link.foot"), ("R", "link.tip", "ram.pin"))
        a.mate("prismatic", "frame.rail", "ram.slide", name="rail")
        a.drive("input", "A", "angle", value=first)
        return a

    def oracle(turn: Jet) -> Expected:
        b, tip, ram = places(turn)
        turns = {"lever": j.angle_of(b - pivot), "link": j.angle_of(ram - tip)}
        return Expected({"lever.tip": tip, "ram.pin": ram}, turns)

    return Mechanism(build, oracle)


def cylinder_boom() -> Mechanism:
    """A boom lifted by a cylinder that is driven from pin to pin: the law of cosines."""
    foot, arm = still(120.0, -90.0, 0.0), 400.0

    def pin(length: Jet) -> Jet:
        return j.meet(foot + 0.0 * length.column(), length, still(0.0, 0.0, 0.0), arm, 1)

    def build(first: float) -> asm.Assembly:
        a = asm.Assembly("boom")
        k = pin(line(first))
        way = (k - foot) / j.norm(k - foot).column()
        ground(a, o=(0.0, 0.0), c=(120.0, -90.0))
        bar(a, "boom", 0.0 * k, k, nose=(700.0, 60.0))
        stem = {"stem": asm.Frame((0, 0, 0), X, Z), "end": asm.Frame((0, 0, 0))}
        a.add("cylinder", pose=placed(foot + 0.0 * k, j.angle_of(way)), features=stem)
        a.add("rod", pose=placed(k, j.angle_of(way)), features=stem)
        pins(a, ("O", "frame.o", "boom.foot"), ("C", "frame.c", "cylinder.end"))
        pins(a, ("K", "boom.tip", "rod.end"))
        a.mate("prismatic", "cylinder.stem", "rod.stem", name="bore")
        a.drive("input", separation=("frame.c", "boom.tip"), value=first)
        return a

    def oracle(length: Jet) -> Expected:
        k = pin(length)
        turn = j.angle_of(k)
        nose = j.polar(700.0, turn) + j.polar(60.0, turn + math.pi / 2)
        ram = j.angle_of(k - foot)
        return Expected({"boom.tip": k, "boom.nose": nose}, {"boom": turn, "cylinder": ram})

    return Mechanism(build, oracle, (300.0, 500.0))


def trammel(length: float = 200.0) -> Mechanism:
    """A bar with its ends on two lines across each other, driven along one: an ellipse."""

    def build(first: float) -> asm.Assembly:
        a = asm.Assembly("trammel")
        low = j.vector(line(math.sqrt(length**2 - first**2)), 0.0, 0.0)
        high = j.vector(line(0.0), first, 0.0)
        ground(a, {"level": (0.0, 0.0, 0.0), "plumb": (0.0, 0.0, 90.0)})
        bar(a, "bar", high, low, pen=(0.3 * length, 0.0))
        a.add("block", pose=placed(high), features={**SLIDE, "slide": asm.Frame((0, 0, 0), Y, Z)})
        a.add("shoe", pose=placed(low), features=SLIDE)
        a.mate("prismatic", "frame.plumb", "block.slide", name="plumb")
        a.mate("prismatic", "frame.level", "shoe.slide", name="level")
        pins(a, ("high", "block.pin", "bar.foot"), ("low", "shoe.pin", "bar.tip"))
        a.drive("input", "plumb", "length", value=first)
        return a

    def oracle(height: Jet) -> Expected:
        wide = j.sqrt(length**2 - height * height)
        pen = j.vector(0.3 * wide, 0.7 * height, 0.0)
        turns = {"bar": j.atan2(-height, wide)}
        return Expected({"shoe.pin": j.vector(wide, 0.0, 0.0), "bar.pen": pen}, turns)

    return Mechanism(build, oracle, (10.0, 190.0))


PLANAR: dict[str, Mechanism] = {
    "crank-rocker": four_bar(300, 100, 260, 200),
    "crossed crank-rocker": four_bar(300, 100, 260, 200, side=-1),
    "drag link": four_bar(100, 250, 220, 240),
    "six-bar": six_bar(),
    "slider-crank": slider_crank(),
    "scotch yoke": scotch_yoke(),
    "quick return": quick_return(),
    "boom and cylinder": cylinder_boom(),
    "elliptic trammel": trammel(),
}
