"""Motions seen from root bodies put together to motions in the world; compiled."""

from __future__ import annotations

import numpy as np

from ..equations.table import copy
from ..foundations.jit.decorators import borrowing, compiled
from ..foundations.types import Array, Ints
from ..model.measures.measure import compose


@borrowing
def _carried(pose: Array, v: Array, out: Array) -> None:
    """A spatial twist in the coordinates of a body, in those that its pose is in."""
    for r in range(3):
        out[r] = out[3 + r] = 0.0
        for i in range(3):
            out[r] += pose[3 + 3 * i + r] * v[i]
            out[3 + r] += pose[3 + 3 * i + r] * v[3 + i]
    for r in range(3):  # the velocity at the outer origin
        x, y = (r + 1) % 3, (r + 2) % 3
        out[r] -= out[3 + x] * pose[y] - out[3 + y] * pose[x]


@compiled
def ride(root: int, bodies: Ints, poses: Array, twists: Array, changes: Array) -> None:
    """Carry the bodies of a component along with its root, in every state.

    With V the root's spatial twist and U that of a body seen from the root, along the world's axes,
    its twist is V + U and the time derivative of that V' + U' + [V, U].

    Args:
        poses, twists, changes: (states, all bodies, 12 or 6): those of the root in the world,
            those of `bodies` seen from the root; these are overwritten.
    """
    frame, u, du = np.empty(12), np.empty(6), np.empty(6)
    for s in range(len(poses)):
        at, v = poses[s, root], twists[s, root]
        for body in bodies:
            compose(at, poses[s, body], frame)
            _carried(at, twists[s, body], u)
            _carried(at, changes[s, body], du)
            copy(frame, poses[s, body])
            for r in range(3):
                x, y = (r + 1) % 3, (r + 2) % 3
                du[3 + r] += v[3 + x] * u[3 + y] - v[3 + y] * u[3 + x]
                du[r] += v[3 + x] * u[y] - v[3 + y] * u[x] + v[x] * u[3 + y] - v[y] * u[3 + x]
            for r in range(6):
                twists[s, body, r] = v[r] + u[r]
                changes[s, body, r] = changes[s, root, r] + du[r]


@compiled
def at_parts(
    of_part: Ints,
    relative: Array,
    poses: Array,
    twists: Array,
    changes: Array,
    frames: Array,
    speeds: Array,
    accelerations: Array,
) -> None:
    """Motions of parts from those of their bodies: of their origins, and spins.

    Args:
        relative: (parts, 12), their poses on the bodies.
        frames, speeds, accelerations: (states, parts, 12 or 6), written.
    """
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
