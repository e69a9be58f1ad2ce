"""Drafts drawn where they hold: parts at true poses, and mates made true between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import assembly_solver as asm

from ..draft import Body, Draft, Ref, Rng, Tie, anywhere
from ..judge import coordinate, coupling_terms, ends_of, placed
from .mates import EVERY, Draw, Made, Z, seen_from

COORDINATES: Mapping[str, tuple[str, ...]] = {
    "revolute": ("angle",),
    "prismatic": ("length",),
    "cylindrical": ("angle", "length"),
    "coaxial": ("angle", "length"),
    "planar": ("angle",),
    "slot": ("length", "angle"),
    "pin_slot": ("length", "angle"),
}
"""Coordinates of joints that drivers, limits and couplings may have."""


def grounds(draw: Rng, count: int, flat: bool) -> Draft:
    """So many parts at their true poses, mostly with the first one grounded."""
    out = Draft()
    for k in range(count):
        pose = anywhere(draw)
        if flat:
            at, turn = draw.uniform(-100, 100, 3), float(draw.uniform(-180, 180))
            pose = asm.Pose.from_axis(at.tolist(), tuple(Z), turn)
        out.bodies[f"part {k}"] = Body(pose)
    out.bodies["part 0"].grounded = bool(draw.random() < 0.85)
    return out


def tie(
    draft: Draft,
    draw: Rng,
    parts: tuple[str, str, str],
    flat: bool,
    kinds: Mapping[str, Callable[[Draw], Made]] = EVERY,
) -> str:
    """Add a random mate between the first two of three parts, true at the poses; its name.

    The third may carry a further feature.
    """
    form = str(draw.choice(sorted(kinds)))
    a, b, given = kinds[form](Draw(draw, flat))
    parameters: dict[str, Any] = dict(given)
    if parameters.get("sense") and draw.random() < 0.3:
        del parameters["sense"]
    n = len(draft.ties)
    while any(key.endswith(f"{n}") for b in draft.bodies.values() for key in b.features):
        n += 1
    owners = dict(zip("abc", parts, strict=True))
    for key, (owner, feature) in parameters.pop("more", {}).items():
        parameters[key] = _put(draft, owners[owner], f"{key} {n}", feature)
    one, two = (_put(draft, p, f"f{n}", f) for p, f in zip(parts[:2], (a, b), strict=True))
    swap = form in ("coincident", "distance, points", "parallel", "coaxial", "point_on_line")
    if swap and draw.random() < 0.5:
        one, two = two, one
    kind = form.split(",")[0]
    name = f"{kind} {n}"
    draft.ties[name] = Tie(kind, one, two, parameters)
    return name


def _put(draft: Draft, part: str, key: str, feature: Any) -> Ref:
    """Add a feature of the world to a part."""
    draft.bodies[part].features[key] = seen_from(draft.bodies[part].pose, feature)
    return (part, key)


def true_coordinate(draft: Draft, joint: str, name: str) -> float:
    """A coordinate of a joint at the poses of the draft, mm or degrees."""
    one = draft.ties[joint]
    value = coordinate(ends_of(draft, one, placed(draft.starts)), name, one.kind)
    number = float(value[0].real)
    return float(np.degrees(number)) if name == "angle" else number


def with_coordinates(
    draft: Draft, draw: Rng, couplings: int, held: float, stated: bool = False
) -> None:
    """Couplings, drivers and limits of joints, each of which has one of them at most.

    Args:
        couplings: at most so many; held: share of the other joints with a driver or a limit.
        stated: whether every coupling states its constant, as it must where that of a disturbed
            start may contradict the other mates.
    """
    joints = [n for n, t in draft.ties.items() if t.kind in COORDINATES]
    draw.shuffle(joints)
    for n in range(couplings):
        if len(joints) < 2:
            break
        pair = (joints.pop(), joints.pop())
        made = _coupling(draft, draw, pair, stated)
        if made is not None:
            draft.ties[f"coupling {n}"] = made
    for joint in joints:
        if draw.random() < held:
            _held(draft, draw, joint)


def _coupling(draft: Draft, draw: Rng, joints: tuple[str, str], stated: bool) -> Tie | None:
    """A coupling of two joints, with its constant or with that of the start."""
    names = [str(draw.choice(COORDINATES[draft.ties[j].kind])) for j in joints]
    factor = float(draw.choice([-1, 1]) * draw.uniform(0.3, 3))
    both, p = (names[0], names[1]), dict[str, Any]()
    if both == ("angle", "angle"):
        kind, p = (
            ("gear", {"ratio": factor}),
            ("gear", {"teeth": (20, 37), "internal": bool(factor > 0)}),
            ("belt", {"radii": (10.0 * abs(factor), 12.0), "crossed": bool(factor > 0)}),
        )[int(draw.integers(3))]
    elif both == ("angle", "length"):
        kind, p = "rack_and_pinion", {"radius": 20 * factor}
    elif both == ("length", "length"):
        kind, p = "linear", {"coordinates": both, "coefficients": (factor, 1.0)}
    else:
        return None
    made = Tie(kind, None, None, {"joints": joints, **p})
    if draw.random() < 0.5 or stated:
        terms = coupling_terms(draft, made)
        values = [true_coordinate(draft, j, n) for j, n in zip(joints, names, strict=True)]
        total = sum(c * v for (c, _), v in zip(terms, values, strict=True))
        made.parameters["constant"] = float(total)
    return made


def _held(draft: Draft, draw: Rng, joint: str) -> None:
    """A driver of a joint at its true value, or limits about it."""
    name = str(draw.choice(COORDINATES[draft.ties[joint].kind]))
    value = true_coordinate(draft, joint, name)
    named = {"joint": joint, "coordinate": name}
    if draw.random() < 0.6:
        draft.drivers[f"drive {joint}"] = {**named, "value": value}
    else:
        low, high = draw.uniform(5, 60, 2)
        bounds = {"min": value - float(low), "max": value + float(high)}
        draft.limits[f"stop {joint}"] = {**named, **bounds}
