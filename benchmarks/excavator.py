"""The front of an excavator as a case: boom, bucket linkage and three rams."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .case import (
    Array,
    BenchmarkCase,
    Body,
    Spot,
    X,
    Z,
    axis,
    coaxial,
    coincident,
    coplanar,
    from_to,
    make_case,
    plane,
    point,
    rotated,
    shift,
    turn,
)

BOOM_DEG = 33.0


def _pins() -> dict[str, Spot]:
    """All pins of the excavator in its true configuration, world x and y, mm."""

    def on_boom(x: float, y: float) -> Spot:
        return rotated((x, y), BOOM_DEG)

    pins = {k: on_boom(*p) for k, p in {"A": (0, 0), "K": (2400, 250), "G": (5600, 0)}.items()}
    pins["E"], pins["F"] = on_boom(2900, 620), on_boom(4500, 380)
    pins["C"], pins["S"] = (900.0, -500.0), (500.0, 650.0)
    for name, (near, x, y) in {
        "P": ("E", -60, 640),
        "Q": ("E", 520, 430),
        "J": ("E", 1250, 560),
        "H": ("F", 130, 520),
        "M": ("G", 210, 470),
    }.items():
        dx, dy = on_boom(x, y)
        pins[name] = (pins[near][0] + dx, pins[near][1] + dy)
    return pins


class _FlatPart(NamedTuple):
    """A part of the excavator: between two pins, at a height, with pins and (z, normal) faces."""

    start: str
    end: str
    height: float
    pins: str
    faces: dict[str, tuple[str, float, int]] = {}  # noqa: RUF012 (never changed)
    ram: str = ""


_PARTS = {
    "B0": _FlatPart("A", "C", 0, "ACS", {"f_boom": ("A", 50, 1)}),
    "B1": _FlatPart(
        "A",
        "G",
        100,
        "AKEFG",
        {
            "f_base": ("A", 50, -1),
            "f_rod_r": ("K", 150, 1),
            "f_rod_l": ("K", 50, -1),
            "f_r8": ("E", 150, 1),
            "f_r9": ("F", 150, 1),
            "f_car": ("G", 150, 1),
        },
    ),
    "B2": _FlatPart("C", "K", 200, "C", ram="bore"),
    "B3": _FlatPart("C", "K", 0, "C", ram="bore"),
    "B4": _FlatPart("K", "C", 200, "K", {"f": ("K", 150, -1)}, "stem"),
    "B5": _FlatPart("K", "C", 0, "K", {"f": ("K", 50, 1)}, "stem"),
    "B6": _FlatPart("S", "P", 250, "S", ram="bore"),
    "B7": _FlatPart("P", "S", 250, "P", {"f": ("P", 200, -1)}, "stem"),
    "B8": _FlatPart(
        "E",
        "P",
        175,
        "EPQ",
        {"f_boom": ("E", 150, -1), "f_rod": ("P", 200, 1), "f_link": ("Q", 200, 1)},
    ),
    "B9": _FlatPart("F", "H", 175, "FH", {"f_boom": ("F", 150, -1)}),
    "B10": _FlatPart("Q", "J", 225, "QJ", {"f_r8": ("Q", 200, -1), "f_push": ("J", 250, 1)}),
    "B11": _FlatPart("J", "M", 275, "JHM", {"f_link": ("J", 250, -1)}),
    "B12": _FlatPart("G", "M", 175, "GM", {"f_boom": ("G", 150, -1), "f_bucket": ("G", 200, 1)}),
}

_PINS = (
    "B0 B1 A, B0 B2 C, B0 B3 C, B2 B4 ram, B3 B5 ram, B1 B4 K, B1 B5 K, B0 B6 S, B6 B7 ram, "
    "B7 B8 P, B1 B8 E, B8 B10 Q, B10 B11 J, B11 B12 M, B1 B9 F, B9 B11 H, B12 B13 bucket, B1 B12 G"
)
_FACES = (
    "B0 f_boom B1 f_base, B1 f_rod_r B4 f, B1 f_rod_l B5 f, B7 f B8 f_rod, B1 f_r8 B8 f_boom, "
    "B8 f_link B10 f_r8, B10 f_push B11 f_link, B1 f_r9 B9 f_boom, B12 f_bucket B13 f, "
    "B1 f_car B12 f_boom"
)


def excavator(seed: int = 0, noise: float = 1.0) -> BenchmarkCase:
    """Front of an excavator: boom, bucket linkage and three rams, 14 parts: 2 freedoms."""
    pins = _pins()
    placed = {name: _flat_part(spec, pins) for name, spec in _PARTS.items()}
    carrier, pose = placed["B12"]
    lug = (300.0, -150.0, 25.0)
    more = {"axis_bucket": axis((80, -60, 0), Z), "lug": point(*lug)}
    placed["B12"] = (carrier._replace(features={**carrier.features, **more}), pose)
    held = shift(80, -60, 25) @ turn(Z, -71)  # the bucket in the carrier
    inside = (np.linalg.inv(held) @ [*lug, 1.0])[:3]
    bucket = {
        "axis_bucket": axis((0, 0, 0), Z),
        "f": plane((0, 0, 0), (0, 0, -1)),
        "lug": point(*inside),
    }
    placed["B13"] = (Body(bucket, (900.0, 900.0, 800.0), (400.0, 0.0, 0.0)), pose @ held)
    mates = []
    for a, b, pin in (entry.split() for entry in _PINS.split(", ")):
        if pin == "ram":
            mates.append(coaxial(a, "bore", b, "stem", -1))
        else:
            mates.append(coaxial(a, f"axis_{pin}", b, f"axis_{pin}"))
    mates += [coplanar(a, fa, b, fb) for a, fa, b, fb in (e.split() for e in _FACES.split(", "))]
    mates.append(coincident("B12", "lug", "B13", "lug"))
    return make_case("excavator", 1000.0, 2, placed, mates, (seed, noise))


def _flat_part(spec: _FlatPart, pins: Mapping[str, Spot]) -> tuple[Body, Array]:
    """Body and pose of a part of the excavator; its faces are at the heights given."""
    pose = from_to(pins[spec.start], pins[spec.end], spec.height)
    back = np.linalg.inv(pose)

    def local(pin: str, z: float) -> Array:
        return np.asarray((back @ [*pins[pin], z, 1.0])[:3])

    features = {f"axis_{pin}": axis((*local(pin, 0.0)[:2], 0.0), Z) for pin in spec.pins}
    for face, (pin, z, sign) in spec.faces.items():
        features[face] = plane(local(pin, z), (0, 0, sign))
    if spec.ram:
        features[spec.ram] = axis((0, 0, 0), X)
    length = math.dist(pins[spec.start], pins[spec.end])
    return Body(features, (length + 100, 200.0, 100.0), (length / 2, 0.0, 0.0)), pose
