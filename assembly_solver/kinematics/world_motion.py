"""Motion in the world from motions relative to root bodies; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..equations.table import copy
from ..foundations.jit.decorators import borrowing, compiled
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose


@borrowing
def to_outer_frame(pose: Array, v: Array, out: Array) -> None:
    """Transform a spatial twist (6,) from body coordinates to those of its pose."""
    for r in range(3):
        out[r] = out[3 + r] = 0.0
        for i in range(3):
            out[r] += pose[3 + 3 * i + r] * v[i]
            out[3 + r] += pose[3 + 3 * i + r] * v[3 + i]
    for r in range(3):  # the velocity at the outer origin
        x, y = (r + 1) % 3, (r + 2) % 3
        out[r] -= out[3 + x] * pose[y] - out[3 + y] * pose[x]


class MotionArrays(NamedTuple):
    """Motion of n bodies or parts in some states.

    Attributes:
        frames: (states, n, 12), mm.
        twists: (states, n, 6), velocity of a point, mm/s, and spin, rad/s: for bodies the point at
            the origin of the reference frame (spatial twists), for parts the part's origin.
        accelerations: (states, n, 6), time derivatives of these.
    """

    frames: Array
    twists: Array
    accelerations: Array


@compiled
def compose_with_root(root: int, bodies: Ints, motion: MotionArrays) -> None:
    """Compose the motion of a component relative to its root with that of the root.

    With V the spatial twist of the root and U that of a body relative to the root, along the axes
    of the world, the twist of the body is V + U, and its time derivative V' + U' + [V, U].

    Args:
        motion: of the root in the world, and of `bodies` relative to the root; the latter is
            overwritten with that in the world.
    """
    poses, twists, changes = motion.frames, motion.twists, motion.accelerations
    frame, u, du = np.empty(12), np.empty(6), np.empty(6)
    for s in range(len(poses)):
        at, v = poses[s, root], twists[s, root]
        for body in bodies:
            compose(at, poses[s, body], frame)
            to_outer_frame(at, twists[s, body], u)
            to_outer_frame(at, changes[s, body], du)
            copy(frame, poses[s, body])
            for r in range(3):
                x, y = (r + 1) % 3, (r + 2) % 3
                du[3 + r] += v[3 + x] * u[3 + y] - v[3 + y] * u[3 + x]
                du[r] += v[3 + x] * u[y] - v[3 + y] * u[x] + v[x] * u[3 + y] - v[y] * u[3 + x]
            for r in range(6):
                twists[s, body, r] = v[r] + u[r]
                changes[s, body, r] = changes[s, root, r] + du[r]


@compiled
def at_parts(of_part: Ints, relative: Array, bodies: MotionArrays, parts: MotionArrays) -> None:
    """Motion of parts from that of their bodies, world.

    Args:
        of_part: (parts,), their bodies; relative: (parts, 12), poses on these, mm; parts: written.
    """
    poses, twists, changes = bodies.frames, bodies.twists, bodies.accelerations
    frames, speeds, accelerations = parts.frames, parts.twists, parts.accelerations
    for s in range(len(poses)):
        for part in range(len(of_part)):
            body = of_part[part]
            frame = frames[s, part]
            compose(poses[s, body], relative[part], frame)
            v, a = speeds[s, part], accelerations[s, part]
            for r in range(6):
                v[r] = twists[s, body, r]
                a[r] = changes[s, body, r]
            for r in range(3):
                x, y = (r + 1) % 3, (r + 2) % 3
                v[r] += v[3 + x] * frame[y] - v[3 + y] * frame[x]
            for r in range(3):
                x, y = (r + 1) % 3, (r + 2) % 3
                a[r] += a[3 + x] * frame[y] - a[3 + y] * frame[x]
                a[r] += v[3 + x] * v[y] - v[3 + y] * v[x]
