"""Contradictions by construction: a core that provably cannot hold, in an assembly that else can.

What hangs on the core by a tree of mates can always follow it, so the core is the only smallest
contradictory set, and a set that is named must be it.  Of the last kind, loops with one value off,
nothing is known beforehand: least squares of the judge's own has to fail on what is named, and the
rest of it has to hold without any one member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import assembly_solver as asm

from ..closing import closes, holds, only
from ..draft import Body, Draft, Ref, Rng, Tie, anywhere
from ..judge import DRIVER, prescribed
from ..verdict import Verdict, moved_by_solving, wrong_in, wrong_residuals
from . import loops
from .drawing import tie

Core = set[str]
STARTS = ((4.0, 4.0), (30.0, 30.0), (100.0, 180.0))
CHECKED = 20
"""Of so many contradictions by construction, the judge's least squares are tried on one."""

Z = (0.0, 0.0, 1.0)


def bodies(out: Draft, draw: Rng, count: int) -> list[str]:
    """So many new parts, anywhere; the first is grounded."""
    names = [f"core {k}" for k in range(count)]
    for k, name in enumerate(names):
        out.bodies[name] = Body(anywhere(draw), grounded=k == 0)
    return names


def put(out: Draft, part: str, key: str, feature: Any) -> Ref:
    """Add a feature in the frame of its part."""
    out.bodies[part].features[key] = feature
    return (part, key)


def mate(out: Draft, kind: str, a: Ref, b: Ref, **parameters: Any) -> str:
    """Add a mate of the core; its name."""
    name = f"core {kind} {len(out.ties)}"
    out.ties[name] = Tie(kind, a, b, parameters)
    return name


def spot(draw: Rng) -> tuple[float, ...]:
    """A point of a part."""
    return tuple(draw.uniform(-60, 60, 3).tolist())


def way(draw: Rng) -> tuple[float, ...]:
    """A direction of a part."""
    v = draw.normal(size=3)
    return tuple((v / np.linalg.norm(v)).tolist())


def beyond(draw: Rng) -> float:
    """By how much something cannot hold, mm or degrees."""
    return float(draw.choice([0.1, 1.0, 10.0]) * draw.uniform(0.5, 2))


# ---------------------------------------------------------------- cores
def too_long(draw: Rng) -> tuple[Draft, Core]:
    """A closed chain of bars and distances, one of them longer than all others together."""
    out = Draft()
    names = bodies(out, draw, int(draw.integers(2, 6)))
    bars = draw.uniform(10, 60, len(names))
    apart = [0.0 if draw.random() < 0.5 else float(v) for v in draw.uniform(5, 40, len(names))]
    k = int(draw.integers(len(names)))
    bars[k] = bars.sum() - bars[k] + sum(apart) + beyond(draw)
    core = set()
    for n, name in enumerate(names):
        p, u = np.array(spot(draw)), np.array(way(draw))
        put(out, name, "p", asm.Point(tuple(p.tolist())))
        put(out, name, "q", asm.Point(tuple((p + bars[n] * u).tolist())))
    for n, name in enumerate(names):
        ends = (name, "q"), (names[(n + 1) % len(names)], "p")
        kind = str(draw.choice(["coincident", "spherical"]))
        more: dict[str, Any] = {} if apart[n] == 0 else {"value": apart[n]}
        core.add(mate(out, "distance" if more else kind, *ends, **more))
    return out, core


def two_values(draw: Rng) -> tuple[Draft, Core]:
    """Two values of one distance, offset or angle, or two senses."""
    out = Draft()
    one, two = bodies(out, draw, 2)
    shapes: dict[str, Callable[[], Any]] = {
        "point": lambda: asm.Point(spot(draw)),
        "axis": lambda: asm.Axis(spot(draw), way(draw)),
        "plane": lambda: asm.Plane(spot(draw), way(draw)),
    }
    kind, shape_a, shape_b, key = [
        ("distance", "point", "point", "value"),
        ("distance", "axis", "point", "value"),
        ("distance", "plane", "point", "value"),
        ("distance", "plane", "axis", "value"),
        ("angle", "axis", "plane", "value"),
        ("coplanar", "plane", "plane", "offset"),
        ("point_in_plane", "plane", "point", "offset"),
        ("line_in_plane", "plane", "axis", "offset"),
        ("parallel", "axis", "axis", "sense"),
        ("coplanar", "plane", "plane", "sense"),
    ][int(draw.integers(10))]
    a, b = put(out, one, "f", shapes[shape_a]()), put(out, two, "f", shapes[shape_b]())
    if key == "sense":
        values: tuple[Any, Any] = ("aligned", "opposed")
    else:
        first = float(draw.uniform(10, 80))
        values = (first, first + beyond(draw))
    sense = {"sense": "aligned"} if kind == "coplanar" and key == "offset" else {}
    core = {mate(out, kind, a, b, **{key: v}, **sense) for v in values}
    return out, core


def out_of_reach(draw: Rng) -> tuple[Draft, Core]:
    """A point on a sphere that a plane or a line does not meet."""
    out = Draft()
    one, two = bodies(out, draw, 2)
    p, n = np.array(spot(draw)), np.array(way(draw))
    radius = float(draw.uniform(5, 50))
    far = tuple((p + (radius + beyond(draw)) * n).tolist())
    centre, tip = (
        put(out, one, "c", asm.Point(tuple(p.tolist()))),
        put(out, two, "t", asm.Point(spot(draw))),
    )
    core = {mate(out, "distance", centre, tip, value=radius)}
    if draw.random() < 0.5:
        wall = put(out, one, "wall", asm.Plane(far, tuple(n.tolist())))
        core.add(mate(out, "point_in_plane", wall, tip))
    else:
        along = np.cross(n, way(draw))
        edge = put(out, one, "edge", asm.Axis(far, tuple((along / np.linalg.norm(along)).tolist())))
        core.add(mate(out, "point_on_line", edge, tip))
    return out, core


def three_angles(draw: Rng) -> tuple[Draft, Core]:
    """Three directions, one angle larger than the other two together, or all more than a turn."""
    out = Draft()
    names = bodies(out, draw, 3)
    if draw.random() < 0.6:
        two = draw.uniform(15, 60, 2)
        angles = [*two.tolist(), float(two.sum()) + beyond(draw)]
    else:
        over = beyond(draw)
        two = draw.uniform(105, 150, 2)
        angles = [*two.tolist(), 360 - float(two.sum()) + over]
    refs = [put(out, n, "u", asm.Axis(spot(draw), way(draw))) for n in names]
    order = draw.permutation(3).tolist()
    core = {
        mate(out, "angle", refs[i], refs[(i + 1) % 3], value=min(angles[k], 180.0))
        for i, k in enumerate(order)
    }
    return out, core


def stack(draw: Rng) -> tuple[Draft, Core]:
    """Blocks face to face between faces whose distance is another one."""
    out = Draft()
    names = bodies(out, draw, int(draw.integers(2, 6)))
    heights = draw.uniform(5, 40, len(names))
    gaps = [0.0 if draw.random() < 0.5 else float(g) for g in draw.uniform(-5, 20, len(names))]
    total = float(heights[1:].sum() + sum(gaps))
    heights[0] = total + beyond(draw) * float(draw.choice([-1, 1]))
    core = set()
    for k, name in enumerate(names):
        p, n = np.array(spot(draw)), np.array(way(draw))
        side = np.cross(n, way(draw))
        put(out, name, "low", asm.Plane(tuple(p.tolist()), tuple(n.tolist())))
        top = p + heights[k] * n + draw.uniform(-20, 20) * side
        put(out, name, "top", asm.Plane(tuple(top.tolist()), tuple(n.tolist())))
    upwards = [(names[0], "low"), *((n, k) for n in names[1:] for k in ("low", "top"))]
    upwards.append((names[0], "top"))
    for k in range(len(names)):
        a, b = upwards[2 * k], upwards[2 * k + 1]
        kind, key = ("coplanar", "offset") if draw.random() < 0.5 else ("distance", "value")
        core.add(mate(out, kind, a, b, sense="aligned", **{key: gaps[k]}))
    return out, core


def pins(draw: Rng) -> tuple[Draft, Core]:
    """Two pins of a plate in holes that are farther apart."""
    out = Draft()
    one, two = bodies(out, draw, 2)
    wide, off = float(draw.uniform(20, 80)), beyond(draw)
    kind = str(draw.choice(["coaxial", "coincident", "revolute"]))
    core = set()
    for k, (x, y) in enumerate([(0.0, 0.0), (wide, wide + off)]):
        if kind == "coincident":
            ends: list[asm.Feature] = [asm.Point((v, 0, 0)) for v in (x, y)]
        else:
            ends = [asm.Axis((v, 0, 0), Z) for v in (x, y)]
        refs = put(out, one, f"h{k}", ends[0]), put(out, two, f"h{k}", ends[1])
        core.add(mate(out, kind, *refs))
    return out, core


def related(draw: Rng) -> tuple[Draft, Core]:
    """Linear relations of the lengths of slides: their left sides sum to 0, not the constants."""
    out = Draft()
    count = int(draw.integers(2, 4))
    names = bodies(out, draw, count + 1)
    joints = []
    for k in range(count):
        a = put(out, names[0], f"s{k}", asm.Frame(spot(draw), way(draw)))
        b = put(out, names[k + 1], "s", asm.Frame(spot(draw), way(draw)))
        joints.append(mate(out, "prismatic", a, b))
    core = set()

    def relation(i: int, j: int, ratio: float, constant: float) -> None:
        name = f"core linear {len(out.ties)}"
        given = {"coordinates": ("length",) * 2, "coefficients": (1.0, ratio)}
        joined = {"joints": (joints[i], joints[j]), "constant": constant}
        out.ties[name] = Tie("linear", None, None, {**joined, **given})
        core.add(name)

    r, c = draw.uniform(0.5, 2, 2) * draw.choice([-1, 1], 2), draw.uniform(-20, 20, 2)
    off = beyond(draw)
    relation(0, 1, float(r[0]), float(c[0]))
    if count == 2:
        relation(0, 1, float(r[0]), float(c[0]) + off)
    else:  # q0 + r0 q1 = c0, q1 + r1 q2 = c1, so q0 - r0 r1 q2 = c0 - r0 c1
        relation(1, 2, float(r[1]), float(c[1]))
        relation(0, 2, float(-r[0] * r[1]), float(c[0] - r[0] * c[1]) + off)
    return out, core


def driven_beyond(draw: Rng) -> tuple[Draft, Core]:
    """A driver of a joint that is held at another value, by an angle or by a limit."""
    out = Draft()
    one, two = bodies(out, draw, 2)
    frames = [put(out, n, "j", asm.Frame(spot(draw), Z, (1.0, 0, 0))) for n in (one, two)]
    value, off = float(draw.uniform(-80, 80)), 1.0 + beyond(draw)
    if draw.random() < 0.5:
        joint = mate(out, "revolute", *frames, sense="aligned")
        out.drivers["turn"] = {"joint": joint, "coordinate": "angle", "value": value + off}
    else:
        joint = mate(out, "prismatic", *frames)
        out.drivers["turn"] = {"joint": joint, "coordinate": "length", "value": value + off}
    named = {k: v for k, v in out.drivers["turn"].items() if k != "value"}
    if draw.random() < 0.5:
        out.limits["stop"] = {**named, "min": value - 30, "max": value}
        return out, {"driver turn", "limit stop"}
    out.drivers["other"] = {**named, "value": value}
    return out, {"driver turn", "driver other"}


def both_held(draw: Rng) -> tuple[Draft, Core]:
    """One mate between two grounded parts."""
    out = Draft()
    one, two = bodies(out, draw, 2)
    out.bodies[two].grounded = True
    a, b = (put(out, n, "p", asm.Point(spot(draw))) for n in (one, two))
    places = [out.bodies[r[0]].pose.apply(out.feature(r).point) for r in (a, b)]
    far = float(np.linalg.norm(places[0] - places[1]))
    return out, {mate(out, "distance", a, b, value=far + beyond(draw))}


CORES = (
    too_long,
    two_values,
    out_of_reach,
    three_angles,
    stack,
    pins,
    related,
    driven_beyond,
    both_held,
)


def drawn(seed: int) -> tuple[str, Draft, Core]:
    """The contradiction of a number, its core, at its start."""
    draw = np.random.default_rng([seed, 3])
    make = CORES[seed % (len(CORES) + 1)]
    out, core = make(draw)
    for k in range(int(draw.integers(0, 5))):
        known = list(out.bodies)
        out.bodies[f"part {k}"] = Body(anywhere(draw))
        tie(out, draw, (str(draw.choice(known)), f"part {k}", known[0]), False)
    out.disturb(draw, *STARTS[int(draw.integers(len(STARTS)))])
    return make.__name__.replace("_", " "), out, core


def case(seed: int) -> Verdict:
    """Solve and judge the contradiction of a number."""
    if seed % (len(CORES) + 1) == len(CORES):
        return value_off(seed)
    kind, draft, core = drawn(seed)
    a = draft.build()
    solution = asm.solve(a)
    wrong = moved_by_solving(draft, a)
    if solution:
        return Verdict(kind, [*wrong, "solved"])
    if solution.outcome is not asm.Outcome.CONFLICTING:
        return Verdict(kind, wrong, unsolved=True)
    sets = [members_of(c.constraints, draft) for c in solution.found]
    if sets != [core]:
        wrong.append(f"named {[sorted(s) for s in sets]}, it is {sorted(core)}")
    if not all(c.irreducible for c in solution.found):
        wrong.append("not shown to be irreducible")
    wrong += told_at_best(draft, solution)
    if seed // len(CORES) % CHECKED == 0:
        wrong += wrong_set(draft, core, solution, np.random.default_rng(seed))
    return Verdict(kind, wrong)


def told_at_best(draft: Draft, solution: asm.Solution) -> list[str]:
    """Residuals at the compromise, and what does not move there."""
    poses = solution.best_poses
    constants = {n: c["value"] for n, c in solution.constants.items()}
    held = [n for n, b in draft.bodies.items() if b.grounded and poses[n] != b.pose]
    return [f"{n} grounded and moved" for n in held] + wrong_residuals(
        draft, solution, poses, constants
    )


# ---------------------------------------------------------------- a set that is named
def members_of(names: Iterable[str], draft: Draft) -> Core:
    """The members of a set, drivers with the word before their name."""
    known = {n.removeprefix(DRIVER): n for n in prescribed(draft)}
    return {known.get(n, n) for n in names}


def wrong_set(draft: Draft, members: set[str], solution: asm.Solution, draw: Rng) -> list[str]:
    """A set that can hold, or that cannot without one of its members either."""
    starts = [solution.best_poses, draft.starts]
    wrong = []
    if closes(only(draft, members), draw, starts, 6):
        wrong.append(f"{sorted(members)} can hold")
    for name in sorted(members):
        rest = only(draft, members - {name})
        found = asm.solve(rest.build())
        if not holds(rest, found.best_poses) and not closes(rest, draw, starts, 6):
            wrong.append(f"{sorted(members)} cannot hold without {name} either")
    return wrong


def value_off(seed: int) -> Verdict:
    """Loops with one value off: what is said of them holds."""
    draw = np.random.default_rng([seed, 4])
    draft = loops.loops(draw, bool(draw.random() < 0.5), "any")
    valued = [n for n, t in draft.ties.items() if {"value", "offset"} & {*t.parameters}]
    kind = "a value off"
    if not valued:
        return Verdict(kind, [])
    name = str(draw.choice(valued))
    parameters = draft.ties[name].parameters
    key = "value" if "value" in parameters else "offset"
    parameters[key] = parameters[key] + beyond(draw)
    if draft.ties[name].kind == "angle" and "about" not in parameters:
        parameters[key] = min(parameters[key], 175.0)
    draft.disturb(draw, 3.0, 3.0)
    solution = asm.solve(draft.build())
    if solution:
        found, unclear = wrong_in(draft, solution)
        return Verdict(kind, found, unclear=unclear)
    wrong: list[str] = []
    if solution.outcome is not asm.Outcome.CONFLICTING:
        return Verdict(kind, wrong, unclear=True)
    for c in solution.found:
        wrong += wrong_set(draft, members_of(c.constraints, draft), solution, draw)
    if not any(name in c.constraints for c in solution.found):
        wrong.append(f"{name} is off, named {[c.constraints for c in solution.found]}")
    return Verdict(kind, wrong)
