"""Least squares over the judge's own conditions: whether some mates can hold together at all.

Levenberg and Marquardt's method from many starts; that none closes shows nothing for certain, that
one closes is a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

import numpy as np
from scipy.spatial.transform import Rotation

import assembly_solver as asm

from .draft import Array, Draft, Rng, displacement
from .geometry import local
from .judge import REACH, limit_off, matrix, offs, placed, prescribed

ROUNDS = 60
"""Steps from one start."""

Poses = Mapping[str, asm.Pose]


def only(draft: Draft, names: Iterable[str]) -> Draft:
    """The draft with these of its mates, drivers and limits alone, as conflicts name them.

    Drivers keep the joints that they need.
    """
    kept, out = set(names), draft.copy()
    out.limits = {n: x for n, x in draft.limits.items() if f"limit {n}" in kept}
    for n, driver in out.drivers.items():
        if f"driver {n}" not in kept:
            driver["value"] = None
    needed = {x["joint"] for x in (*out.drivers.values(), *out.limits.values()) if "joint" in x}
    needed |= {j for n in kept & {*draft.ties} for j in draft.ties[n].parameters.get("joints", ())}
    out.spared = needed - kept
    out.ties = {n: t for n, t in draft.ties.items() if n in kept | needed}
    return out


def holds(draft: Draft, poses: Poses) -> bool:
    """Whether everything that is not spared holds at some poses, by the judge."""
    found = offs(draft, poses, {})
    at = placed(poses)
    return all(
        off.at_reach <= draft.tolerance for n, off in found.items() if n not in draft.spared
    ) and all(limit_off(draft, n, at) <= draft.tolerance for n in draft.limits)


def closes(draft: Draft, draw: Rng, starts: Iterable[Poses], more: int) -> bool:
    """Whether the judge finds poses at which everything holds, from starts and others near them."""
    first = list(starts)
    others = (
        {n: p @ displacement(draw, 60, 180) for n, p in first[k % len(first)].items()}
        for k in range(more)
    )
    return any(holds(draft, closest(draft, poses)) for poses in chain(first, others))


def closest(draft: Draft, poses: Poses) -> dict[str, asm.Pose]:
    """Poses of least squares from a start; grounded parts stay."""
    loose = [n for n, b in draft.bodies.items() if not b.grounded]
    names = [n for n in prescribed(draft) if n not in draft.spared]
    at = dict(poses) | {n: b.pose for n, b in draft.bodies.items() if b.grounded}
    damping, least = 1e-3, np.inf
    jacobian, off, _ = matrix(draft, at, loose, names, {})
    for _ in range(ROUNDS):
        least = float(off @ off)
        if least < 1e-22 or not loose:
            break
        normal, slope = jacobian.T @ jacobian, jacobian.T @ off
        scale = damping * (np.trace(normal) / len(normal) + 1e-12)
        step = -np.linalg.solve(normal + scale * np.eye(len(normal)), slope)
        trial = {**at, **_moved(draft, at, loose, step)}
        there, other, _ = matrix(draft, trial, loose, names, {})
        if other @ other < least:
            small = least - other @ other < 1e-12 * least
            at, jacobian, off, damping = trial, there, other, max(damping / 10, 1e-14)
            if small:
                break
        else:
            damping *= 10
            if damping > 1e6:
                break
    return at


def _moved(draft: Draft, at: Poses, loose: list[str], step: Array) -> dict[str, asm.Pose]:
    """The loose parts displaced as the columns of the derivatives are."""
    out = {}
    for k, name in enumerate(loose):
        pose, move = at[name], step[6 * k : 6 * k + 6]
        features = draft.bodies[name].features.values()
        middle = np.mean([local(f)[0] for f in features] or [np.zeros(3)], axis=0)
        turn = Rotation.from_rotvec(move[3:] / REACH)
        centre = pose.rotation @ middle + np.array(pose.position)
        q = turn * Rotation.from_matrix(pose.rotation)
        p = centre + move[:3] - q.apply(middle)
        out[name] = asm.Pose(tuple(p.tolist()), tuple(q.as_quat(scalar_first=True).tolist()))
    return out
