"""The same assembly told otherwise: order, names, unit, place, scale, ground, a mate told twice.

The answer has to be the same up to the change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import assembly_solver as asm

from ..closing import Poses
from ..draft import Body, Draft, Ref, Rng, Tie, anywhere
from ..geometry import local
from ..judge import components, refs_of
from ..verdict import Verdict, count_at, same_poses, wrong_count
from . import loops, trees

SAME = 1e-6
"""Difference of poses that counts, rad and of 100 mm, or of what moved: rounding that a tie of
weight 1e-9 between free motions lets through."""

LEAST = 1.01
"""Movement over that of the other answer: the least one is found to a per cent, and answers that
are as near are as right."""

Told = tuple[Draft, Callable[[str, asm.Pose], tuple[str, asm.Pose]]]
"""The draft told otherwise, and the map of a part and its pose back."""


def _same(name: str, pose: asm.Pose) -> tuple[str, asm.Pose]:
    return name, pose


def reordered(draft: Draft, draw: Rng) -> Told:
    """Parts, features, mates, drivers and limits in another order; couplings after their joints."""
    out = draft.copy()

    def mixed(entries: dict[str, Any]) -> dict[str, Any]:
        return {name: entries[name] for name in draw.permutation(list(entries)).tolist()}

    out.bodies = {n: replace(b, features=mixed(b.features)) for n, b in mixed(draft.bodies).items()}
    ties = mixed(draft.ties)
    out.ties = dict(sorted(ties.items(), key=lambda item: item[1].a is None))
    out.drivers, out.limits = mixed(draft.drivers), mixed(draft.limits)
    return out, _same


def renamed(draft: Draft, draw: Rng) -> Told:
    """Every name another one, of another order."""
    names = [*draft.bodies, *draft.ties, *draft.drivers, *draft.limits]
    new = {n: f"{int(k)}~" for n, k in zip(names, draw.permutation(len(names)), strict=True)}
    back = {v: k for k, v in new.items()}

    def ref(r: Ref | None) -> Ref | None:
        return None if r is None else (new[r[0]], r[1])

    def named(p: dict[str, Any]) -> dict[str, Any]:
        out = dict(p)
        for key in ("about", "a2", "b2"):
            if out.get(key):
                out[key] = ref(out[key])
        if "joints" in out:
            out["joints"] = tuple(new[j] for j in out["joints"])
        if "joint" in out:
            out["joint"] = new[out["joint"]]
        return out

    out = Draft(tolerance=draft.tolerance)
    out.bodies = {new[n]: b for n, b in draft.copy().bodies.items()}
    out.ties = {
        new[n]: Tie(t.kind, ref(t.a), ref(t.b), named(t.parameters)) for n, t in draft.ties.items()
    }
    out.drivers = {new[n]: named(d) for n, d in draft.drivers.items()}
    out.limits = {new[n]: named(x) for n, x in draft.limits.items()}
    return out, lambda name, pose: (back[name], pose)


def elsewhere(draft: Draft, draw: Rng) -> Told:
    """The whole moved."""
    out, by = draft.copy(), anywhere(draw, 500)
    for body in out.bodies.values():
        body.pose = by @ body.pose
    return out, lambda name, pose: (name, by.inverse() @ pose)


LENGTHS = ("offset", "pitch", "radius", "length")
"""Parameters that are lengths, whatever the kind."""


def scaled_feature(feature: Any, scale: float) -> Any:
    """A feature with its lengths scaled."""
    given = {k: getattr(feature, k, None) for k in ("point", "origin", "points", "radius", "tube")}
    new: dict[str, Any] = {}
    for key, value in given.items():
        if value is None:
            continue
        new[key] = (np.array(value) * scale).tolist() if key != "radius" else value * scale
        if key in ("point", "origin"):
            new[key] = tuple(new[key])
        elif key == "points":
            new[key] = tuple(tuple(p) for p in new[key])
    return replace(feature, **new)


def scaled(draft: Draft, scale: float) -> Told:
    """Every length scaled, the tolerance too."""
    out = draft.copy()
    out.tolerance = draft.tolerance * scale

    def sized(p: asm.Pose, by: float) -> asm.Pose:
        return asm.Pose(tuple((np.array(p.position) * by).tolist()), p.quaternion_wxyz)

    for name, body in out.bodies.items():
        features = {k: scaled_feature(f, scale) for k, f in body.features.items()}
        out.bodies[name] = Body(sized(body.pose, scale), features, body.grounded)
    for tie in out.ties.values():
        p = tie.parameters
        lengths = {key for key in LENGTHS if p.get(key) is not None}
        lengths |= {"value"} & {*p} if tie.kind == "distance" else set()
        if tie.kind in ("screw", "rack_and_pinion", "linear") and p.get("constant") is not None:
            lengths.add("constant")
        p.update({key: p[key] * scale for key in lengths})
    for entry in (*out.drivers.values(), *out.limits.values()):
        if entry.get("coordinate") != "angle":
            keys = {"value", "min", "max"} & {k for k, v in entry.items() if v is not None}
            entry.update({key: entry[key] * scale for key in keys})
    return out, lambda name, pose: (name, sized(pose, 1 / scale))


def in_another_unit(draft: Draft, draw: Rng) -> Told:
    """Metres, inches, or a multiple."""
    return scaled(draft, float(draw.choice([1e-3, 1 / 25.4, 10.0, 0.37])))


def told_twice(draft: Draft, draw: Rng) -> Told:
    """One of the mates a second time, at the end; it is redundant."""
    out = draft.copy()
    own = [n for n, t in draft.ties.items() if t.parameters.get("constant", 0.0) is not None]
    own = [n for n in own if t_states(draft.ties[n])]
    if own:
        name = str(draw.choice(own))
        out.ties[f"{name} again"] = draft.ties[name]
    return out, _same


def t_states(tie: Tie) -> bool:
    """Whether a mate says the same from any start: its sense and its constant are given."""
    open_constant = tie.kind in ("screw", "gear", "belt", "rack_and_pinion", "linear")
    return not open_constant or tie.parameters.get("constant") is not None


CHANGES = {
    "order": reordered,
    "names": renamed,
    "place": elsewhere,
    "unit": in_another_unit,
    "twice": told_twice,
}


def drawn(seed: int) -> tuple[str, Draft]:
    """The draft of a number: a tree, or loops."""
    source = (trees, loops)[seed // 6 % 2]
    return source.drawn(seed)


def case(seed: int) -> Verdict:
    """Solve the draft of a number as it is and told otherwise."""
    draw = np.random.default_rng([seed, 6])
    start, draft = drawn(seed)
    first = asm.solve(draft.build())
    kinds = [*CHANGES, "ground"]
    change = kinds[seed % len(kinds)]
    kind = f"{change}, {'far' if start.endswith('180 deg') else 'near'}"
    if not first:
        return Verdict(kind, [], unclear=True)
    if change == "ground":
        return regrounded(kind, draft, draw)
    other, back = CHANGES[change](draft, draw)
    second = asm.solve(other.build())
    if second.outcome is not first.outcome:
        return Verdict(kind, [f"{second.outcome.name.lower()}: {second.sentence}"])
    wrong = different_counts(first, second, change != "twice")
    if wrong and _either_will_do([(draft, first), (other, second)]):
        wrong = []
    poses = dict(back(n, p) for n, p in second.poses.items())
    held = {back(n, second.poses[n])[0] for n in second.held}
    if held != set(first.held):  # more mates, or other names where geometry leaves a tie
        return Verdict(kind, wrong, unclear=True)
    return Verdict(kind, wrong + wrong_poses(draft, first.poses, poses))


def _either_will_do(answers: list[tuple[Draft, asm.Solution]]) -> bool:
    """Whether all are next to a singular pose, where two counts are right, and tell one of them."""
    counts = [(solution, count_at(draft, solution)) for draft, solution in answers]
    return not any(count.clear or wrong_count(solution, count) for solution, count in counts)


def different_counts(one: asm.Solution, two: asm.Solution, redundant: bool) -> list[str]:
    """Freedoms, and perhaps redundant equations, that are told as other numbers."""
    wrong = []
    if one.dof != two.dof:
        wrong.append(f"{one.dof} freedoms, then {two.dof}")
    if redundant and one.redundant_equations != two.redundant_equations:
        wrong.append(f"{one.redundant_equations} redundant, then {two.redundant_equations}")
    return wrong


def wrong_poses(draft: Draft, one: Poses, two: Poses) -> list[str]:
    """Poses that differ, of which one is moved farther than need be."""
    mm, rad = same_poses(one, two)
    moved = sorted(movement(draft, poses) for poses in (one, two))
    if max(mm / max(100.0, moved[1]), rad) <= SAME or moved[1] <= LEAST * moved[0] + SAME:
        return []
    far = f"{moved[0]:.5g} and {moved[1]:.5g} mm"
    return [f"poses differ by {mm:.2g} mm, {rad:.2g} rad, moved {far}"]


def movement(draft: Draft, poses: Poses) -> float:
    """Root of the sum of the squared displacements of the features that mates use, mm."""
    refs = {r for t in draft.ties.values() for r in refs_of(draft, t).values()}
    steps = [
        poses[p].apply(point) - draft.bodies[p].pose.apply(point)
        for p, point in ((r[0], local(draft.feature(r))[0]) for r in refs)
    ]
    return float(np.linalg.norm(steps))


def regrounded(kind: str, draft: Draft, draw: Rng) -> Verdict:
    """At the solution, another part of each component grounded instead: nothing moves.

    What is counted stays: as many freedoms, for each component has one part that is held.
    """
    a = draft.build()
    solution = asm.solve(a)
    solution.apply()
    held = set(solution.grounded)
    if any(len(held & group) != 1 for group in components(draft)):
        return Verdict(kind, [], unclear=True)
    for group in components(draft):
        chosen = str(draw.choice(sorted(group)))
        for name in group:
            a.ground(name, name == chosen)
    again = asm.solve(a)
    if not again:
        return Verdict(kind, [again.sentence])
    wrong = [f"{n} moved" for n, p in again.poses.items() if p != solution.poses[n]]
    return Verdict(kind, wrong + different_counts(solution, again, True))
