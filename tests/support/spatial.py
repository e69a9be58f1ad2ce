"""Driven mechanisms in space with their closed forms; the driver of each is called "input"."""

from __future__ import annotations

import math
from typing import NamedTuple

import jets as j
import numpy as np
from builders import X, Y, Z, line, still
from jets import Jet

import assembly_solver as asm

Axes = tuple[Jet, Jet, Jet]


class Placed(NamedTuple):
    """Origin (mm) and axes of a part over the states."""

    origin: Jet
    axes: Axes


def at_first(body: Placed) -> asm.Pose:
    """The pose of a part in the first state."""
    origin, *axes = (np.atleast_2d(v.value)[0] for v in (body.origin, *body.axes))
    return asm.Pose.from_frame(np.concatenate([origin, *axes]))


def fixed_axes(like: Jet) -> Axes:
    """The world's axes, of as many states as a number has."""
    zero, one = 0.0 * like, 1.0 + 0.0 * like
    return (j.vector(one, zero, zero), j.vector(zero, one, zero), j.vector(zero, zero, one))


def turning(axis: tuple[float, ...], x: tuple[float, ...], turn: Jet) -> tuple[Jet, Jet]:
    """Two directions across an axis that turn about it; the first is x at 0 rad."""
    y = np.cross(axis, x)
    c, s = j.cos(turn).column(), j.sin(turn).column()
    return c * np.array(x) + s * y, c * y - s * np.array(x)


def slider_crank(turn: Jet) -> dict[str, Placed]:
    """The spatial slider-crank of the IFToMM benchmark: crank about x, slider along x; mm.

    The rod turns on a pin in the slider that is across the rod and across x: as a Cardan joint
    whose other pin is along x.
    """
    across, up = turning(X, Y, turn)
    tip = still(0.0, 100.0, 120.0) + 80.0 * up
    wide = j.sqrt(300.0**2 - tip[1] * tip[1] - tip[2] * tip[2])
    slider = j.vector(wide, 0.0, 0.0)
    along = (tip - slider) / 300.0
    pin = j.unit(j.cross(still(*X), along))
    world = fixed_axes(turn)
    return {
        "crank": Placed(still(0.0, 100.0, 120.0) + 0.0 * tip, (world[0], across, up)),
        "rod": Placed(slider, (along, j.cross(pin, along), pin)),
        "slider": Placed(slider, world),
    }


def spatial_slider_crank(first: float) -> asm.Assembly:
    """The assembly of `slider_crank`, joints R-S-U-P."""
    at = {k: at_first(v) for k, v in slider_crank(line(math.radians(first))).items()}
    a = asm.Assembly("spatial slider-crank")
    shaft, rail = asm.Frame((0, 100, 120), X, Y), asm.Frame((0, 0, 0), X, Y)
    a.add("frame", grounded=True, features={"shaft": shaft, "rail": rail})
    crank = {"hub": asm.Frame((0, 0, 0), X, Y), "tip": asm.Point((0, 0, 80))}
    a.add("crank", pose=at["crank"], features=crank)
    rod = {"tip": asm.Point((300, 0, 0)), "pin": asm.Frame((0, 0, 0), Z, X)}
    a.add("rod", pose=at["rod"], features=rod)
    a.add("slider", pose=at["slider"], features={"cross": asm.Frame((0, 0, 0), X, Y)})
    a.mate("revolute", "frame.shaft", "crank.hub", name="R", sense="aligned")
    a.mate("spherical", "crank.tip", "rod.tip", name="S")
    a.mate("universal", "slider.cross", "rod.pin", name="U")
    a.mate("prismatic", "frame.rail", "slider.cross", name="P")
    a.drive("input", "R", "angle", value=first)
    return a


def directions(bends: tuple[float, ...]) -> list[tuple[float, ...]]:
    """Shafts in the xy plane, each bent by so many degrees from the one before; the first is x."""
    at = [math.radians(sum(bends[:k])) for k in range(len(bends) + 1)]
    return [(math.cos(t), math.sin(t), 0.0) for t in at]


def shafts(turn: Jet, bends: tuple[float, ...], phases: tuple[float, ...]) -> dict[str, Placed]:
    """Shafts joined by Cardan joints, driven at the first.

    Each shaft has its axis as x and, as y, the pin of the joint at its start.  The pin at its end
    is turned from there by its phase (degrees): the pins of a joint are across each other, and so
    is each to its shaft.
    """
    ways = directions(bends)
    corners = np.cumsum([np.zeros(3), *(200.0 * np.array(w) for w in ways[:-1])], axis=0)
    y, z = turning(ways[0], Y, turn)
    out, x = {}, fixed_axes(turn)[0]
    for k, (way, corner) in enumerate(zip(ways, corners, strict=True)):
        if k:
            phase = math.radians(phases[k - 1])
            end_pin = math.cos(phase) * y + math.sin(phase) * z
            x = still(*way) + 0.0 * x
            y = j.unit(j.cross(end_pin, x))
            z = j.cross(x, y)
        out[f"shaft {k + 1}"] = Placed(still(*corner) + 0.0 * x, (x, y, z))
    return out


def shaft_line(bends: tuple[float, ...], phases: tuple[float, ...], first: float) -> asm.Assembly:
    """The assembly of `shafts`: each runs in a bearing, the joints hold their pins across."""
    bodies = shafts(line(math.radians(first)), bends, phases)
    ways = directions(bends)
    a = asm.Assembly("shafts")
    bearings: dict[str, asm.Feature] = {}
    for k, (name, body) in enumerate(bodies.items()):
        origin = tuple(np.atleast_2d(body.origin.value)[0].tolist())
        zero = tuple(np.atleast_2d(body.axes[1].value)[0].tolist()) if k else Y
        bearings[name] = asm.Frame(origin, ways[k], zero)
    a.add("frame", grounded=True, features=bearings)
    for k, (name, body) in enumerate(bodies.items()):
        phase = math.radians(phases[k]) if k < len(phases) else 0.0
        end = asm.Frame((200, 0, 0), (0.0, math.cos(phase), math.sin(phase)), X)
        features = {"hub": asm.Frame((0, 0, 0), X, Y), "start": asm.Frame((0, 0, 0), Y, X)}
        a.add(name, pose=at_first(body), features={**features, "end": end})
        a.mate("revolute", f"frame.{name}", f"{name}.hub", name=name, sense="aligned")
    for k in range(len(bends)):
        ends = f"shaft {k + 1}.end", f"shaft {k + 2}.start"
        a.mate("universal", *ends, name=f"joint {k + 1}")
    a.drive("input", "shaft 1", "angle", value=first)
    return a


class Rssr(NamedTuple):
    """A crank about z at the origin and a rocker about another axis, a rod with balls between."""

    crank: float = 60.0
    rod: float = 260.0
    rocker: float = 150.0
    pivot: tuple[float, ...] = (240.0, 30.0, 40.0)
    axis: tuple[float, ...] = (0.0, math.cos(0.3), math.sin(0.3))
    side: int = 1

    def rocker_turn(self, turn: Jet) -> Jet:
        """Turn of the rocker from x, rad: |crank tip - rocker tip| is the length of the rod.

        With tip = pivot + r (x cos + y sin) it reads A cos + B sin = C.
        """
        way = still(*self.pivot) - j.polar(self.crank, turn)
        x, y = np.array(X), np.cross(self.axis, X)
        a, b = (2.0 * self.rocker * j.dot(way, u) for u in (x, y))
        c = self.rod**2 - self.rocker**2 - j.dot(way, way)
        rest = j.sqrt(a * a + b * b - c * c)
        return j.atan2(b, a) + float(self.side) * j.atan2(rest, c)

    def tip(self, rocker_turn: Jet) -> Jet:
        """The end of the rocker."""
        return still(*self.pivot) + self.rocker * turning(self.axis, X, rocker_turn)[0]

    def build(self, first: float) -> asm.Assembly:
        """The assembly; the rod may spin idly between its balls."""
        a = asm.Assembly("rssr")
        foot = asm.Frame(self.pivot, self.axis, X)
        a.add("frame", grounded=True, features={"o": asm.Frame((0, 0, 0), Z, X), "p": foot})
        hub, at = asm.Frame((0, 0, 0), Z, X), self._at(line(math.radians(first)))
        for name, length in (("crank", self.crank), ("rocker", self.rocker), ("rod", self.rod)):
            ends = {"hub": hub, "ball": asm.Point((length, 0, 0))}
            a.add(name, features=ends, pose=at_first(at[name]))
        a.mate("revolute", "frame.o", "crank.hub", name="A", sense="aligned")
        a.mate("spherical", "crank.ball", "rod.hub", name="B")
        a.mate("spherical", "rod.ball", "rocker.ball", name="C")
        a.mate("revolute", "frame.p", "rocker.hub", name="D", sense="aligned")
        a.drive("input", "A", "angle", value=first)
        return a

    def _at(self, turn: Jet) -> dict[str, Placed]:
        out, (px, py, pz) = self.rocker_turn(turn), fixed_axes(turn)
        crank = (*turning(Z, X, turn), pz)
        x, y = turning(self.axis, X, out)
        one = j.polar(self.crank, turn)
        along = j.unit(self.tip(out) - one)
        across = j.unit(j.cross(along, pz))
        return {
            "crank": Placed(0.0 * px, crank),
            "rocker": Placed(still(*self.pivot) + 0.0 * x, (x, y, still(*self.axis) + 0.0 * py)),
            "rod": Placed(one, (along, across, j.cross(along, across))),
        }
