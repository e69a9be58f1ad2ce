"""Random sequences of edits of one assembly or session, against fresh ones after each edit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

import assembly_solver as asm

from ..draft import Body, Draft, Rng, anywhere, displacement
from ..judge import parts_of
from ..verdict import Verdict, same_poses, wrong_in
from . import loops, trees
from .drawing import COORDINATES, tie, true_coordinate

EDITS = 4
"""Of one assembly."""

SAME = 1e-6
"""Difference of poses that counts, rad and of 100 mm: a plan is kept over changed values, in which
sums are rounded otherwise."""

ROUNDED = re.compile(r"\(\S+ mm\)")
"""A residual in a sentence: of the size of rounding where mates hold."""

Change = Callable[[Any], Any]
"""The edit of an assembly or of a session."""


# ---------------------------------------------------------------- the edits
def new_value(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """Another value, offset or sense of a mate."""
    keys = ("value", "offset", "constant", "pitch", "sense")
    known = [(n, k) for n, t in draft.ties.items() for k in keys if t.parameters.get(k) is not None]
    if not known:
        return None
    name, key = known[int(draw.integers(len(known)))]
    p = draft.ties[name].parameters
    if key == "sense":
        value: Any = {"aligned": "opposed", "opposed": "aligned"}[p[key]]
    else:
        value = p[key] + float(draw.normal()) * (3.0 if draw.random() < 0.7 else 30.0)
        signed = "about" in p or key != "value"
        value = value if signed else float(np.clip(value, 1.0, 179.0))
        value = value if key != "pitch" or abs(value) > 0.5 else 2.0
        value = abs(value) if draft.ties[name].kind == "distance" else value
    p[key] = value
    return lambda a: a.change(name, **{key: value}), True


def new_pose(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """Another start of a part."""
    name = str(draw.choice(list(draft.bodies)))
    body = draft.bodies[name]
    body.pose = pose = body.pose @ displacement(draw, 10, 10)
    return lambda a: a.move({name: pose}), False


def new_ground(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """A part grounded, or freed."""
    name = str(draw.choice(list(draft.bodies)))
    body = draft.bodies[name]
    body.grounded = given = not body.grounded
    return lambda a: a.ground(name, given), True


def new_driver(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """A driver of a joint that has none."""
    driven = {d.get("joint") for d in draft.drivers.values()}
    joints = [n for n, t in draft.ties.items() if t.kind in COORDINATES and n not in driven]
    if not joints:
        return None
    joint = str(draw.choice(joints))
    coordinate = str(draw.choice(COORDINATES[draft.ties[joint].kind]))
    value = true_coordinate(draft, joint, coordinate) + float(draw.normal()) * 5
    name = f"drive {draw.integers(10**9)}"
    named = {"joint": joint, "coordinate": coordinate, "value": value}
    draft.drivers[name] = named
    return lambda a: a.drive(name, **named), True


def driver_value(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """Another value of a driver, or none."""
    if not draft.drivers:
        return None
    name = str(draw.choice(list(draft.drivers)))
    driver = draft.drivers[name]
    value = None if draw.random() < 0.2 else float((driver["value"] or 0.0) + 5 * draw.normal())
    driver["value"] = value
    return lambda a: a.set_driver(name, value), True


def without_mate(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """A mate less, with what names its coordinates."""
    if len(draft.ties) < 2:
        return None
    name = str(draw.choice(list(draft.ties)))
    _forget(draft, name)
    return lambda a: a.remove(name), True


def _forget(draft: Draft, name: str) -> None:
    draft.ties.pop(name, None)
    for entries in (draft.drivers, draft.limits):
        for key in [k for k, v in entries.items() if v.get("joint") == name]:
            del entries[key]
    for other in [n for n, t in draft.ties.items() if name in t.parameters.get("joints", ())]:
        del draft.ties[other]


def without_part(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """A part less, with its mates."""
    if len(draft.bodies) < 3:
        return None
    part = str(draw.choice(list(draft.bodies)))
    for name in [n for n, t in draft.ties.items() if t.a and part in parts_of(draft, t)]:
        _forget(draft, name)
    del draft.bodies[part]
    return lambda a: a.remove_part(part), False


def with_part(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """A part more, on a mate."""
    name, other = f"new {draw.integers(10**9)}", str(draw.choice(list(draft.bodies)))
    before = {n: set(b.features) for n, b in draft.bodies.items()}
    draft.bodies[name] = Body(anywhere(draw))
    return _mated(draft, draw, (other, name, other), before)


def with_mate(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """A mate more, true at the poses of the draft."""
    if len(draft.bodies) < 3:
        return None
    parts = draw.choice(list(draft.bodies), 3, replace=False).tolist()
    return _mated(draft, draw, tuple(parts), {n: set(b.features) for n, b in draft.bodies.items()})


def _mated(
    draft: Draft, draw: Rng, parts: tuple[str, str, str], before: dict[str, set[str]]
) -> tuple[Change, bool]:
    """A new mate in the draft, under a name of its own; the same edit of an assembly."""
    made = tie(draft, draw, parts, False)
    name = f"{made} {draw.integers(10**9)}"
    draft.ties[name] = new = draft.ties.pop(made)
    pose, features = draft.bodies[parts[1]].pose, {}
    for part, body in draft.bodies.items():
        known = before.get(part, set())
        features[part] = {k: f for k, f in body.features.items() if k not in known}

    def change(a: asm.Assembly) -> None:
        if parts[1] not in before:
            a.add(parts[1], pose=pose)
        for part, more in features.items():
            a.add_features(part, more)
        a.mate(new.kind, new.a, new.b, name=name, **new.parameters)

    return change, False


def new_tolerance(draft: Draft, draw: Rng) -> tuple[Change, bool] | None:
    """Another tolerance."""
    draft.tolerance = value = float(draw.choice([1e-5, 1e-4, 1e-3]))
    return lambda a: setattr(a, "tolerance", value), False


CHANGES = (
    new_value,
    new_value,
    new_value,
    new_pose,
    new_ground,
    new_driver,
    driver_value,
    without_mate,
    without_part,
    with_part,
    with_mate,
    new_tolerance,
)


# ---------------------------------------------------------------- against fresh ones
def drawn(seed: int) -> tuple[str, Draft]:
    """The draft of a number: a tree, or loops."""
    return (trees, loops)[seed // 2 % 2].drawn(seed)


def told(solution: asm.Solution) -> dict[str, Any]:
    """All that a solve tells, but the time; of a contradiction the sets alone, for remedies take
    long."""
    if solution:
        out = solution.to_dict()
        del out["seconds"]
        out["limits"].sort(key=lambda limit: limit["name"])  # an edit enters a new one last
        return out
    sets = [c.constraints for c in solution.found]
    return {"outcome": solution.outcome, "poses": solution.best_poses, "sets": sets}


def alike(one: Any, two: Any) -> bool:
    """Whether two things that are told differ by rounding at most."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(alike(v, two[k]) for k, v in one.items())
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(map(alike, one, two))
    if isinstance(one, asm.Pose) and isinstance(two, asm.Pose):
        mm, rad = same_poses({"": one}, {"": two})
        return max(mm / 100, rad) <= SAME
    if isinstance(one, float) and isinstance(two, float):
        return abs(one - two) <= SAME * max(100.0, abs(one))
    if isinstance(one, str) and isinstance(two, str):
        return ROUNDED.sub("", one) == ROUNDED.sub("", two)
    return bool(one == two)


def case(seed: int) -> Verdict:
    """Edit the assembly or the session of a number."""
    draw = np.random.default_rng([seed, 7])
    _, draft = drawn(seed)
    return (in_assembly, in_session)[seed % 2](draft, draw)


def in_assembly(draft: Draft, draw: Rng) -> Verdict:
    """Edits of one assembly, solved after each, sometimes moved to its solution."""
    a, wrong = draft.build(), []
    asm.solve(a)
    for _ in range(EDITS):
        edit = CHANGES[int(draw.integers(len(CHANGES)))]
        made = edit(draft, draw)
        if made is None:
            continue
        made[0](a)
        ours, fresh = asm.solve(a), asm.solve(draft.build())
        one, two = told(ours), told(fresh)
        keys = [k for k in one if not alike(one[k], two[k])]
        if keys:
            wrong.append(f"after {edit.__name__} other {', '.join(keys)}")
            break
        if ours:
            found, _ = wrong_in(draft, ours)
            wrong += [f"after {edit.__name__}: {w}" for w in found]
            if draw.random() < 0.5:
                _applied(draft, ours)
    return Verdict("assembly", wrong)


def _applied(draft: Draft, solution: asm.Solution) -> None:
    """The solution applied, to the draft too."""
    solution.apply()
    for name, pose in solution.poses.items():
        draft.bodies[name].pose = pose
    for name, constant in solution.constants.items():
        draft.ties[name].parameters["constant"] = constant["value"]


def in_session(draft: Draft, draw: Rng) -> Verdict:
    """Edits of a session, each from the poses that it has; those that fail change nothing."""
    first = asm.solve(draft.build())
    if not first:
        return Verdict("session", [], unclear=True)
    _applied(draft, first)
    session, wrong = asm.Session(draft.build()), []
    for _ in range(EDITS):
        edit = CHANGES[int(draw.integers(len(CHANGES)))]
        trial = draft.copy()
        made = edit(trial, draw)
        if made is None or not made[1]:
            continue
        ours, fresh = made[0](session), asm.solve(trial.build())
        if ours.outcome is not fresh.outcome:
            wrong.append(f"after {edit.__name__} {ours.sentence}; fresh {fresh.sentence}")
            break
        if not ours:
            if dict(session.poses) != draft.starts:
                wrong.append(f"after a failed {edit.__name__} something moved")
            continue
        mm, rad = same_poses(fresh.poses, dict(session.poses))
        if max(mm / 100, rad) > SAME:
            wrong.append(f"after {edit.__name__} poses differ by {mm:.2g} mm, {rad:.2g} rad")
            break
        found, _ = wrong_in(trial, ours)
        wrong += [f"after {edit.__name__}: {w}" for w in found]
        draft = trial
        for name, pose in session.poses.items():
            draft.bodies[name].pose = pose
        for name, constant in ours.constants.items():
            draft.ties[name].parameters["constant"] = constant["value"]
    return Verdict("session", wrong)
