"""Motion in the world from motions relative to root bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..foundations.geometry.pose import compose_all
from ..foundations.jit.lists import on_lists
from ..foundations.types import Array, Ints


@on_lists(2)
def to_outer_frame(pose: Array, v: Array, out: Array, at: int) -> None:
    """Transform a spatial twist, v[at] and the next five, from body coordinates to its pose's."""
    far = at + 3
    for r in range(3):
        out[at + r] = out[far + r] = 0.0
        for i in range(3):
            out[at + r] += pose[3 + 3 * i + r] * v[at + i]
            out[far + r] += pose[3 + 3 * i + r] * v[far + i]
    for r in range(3):  # the velocity at the outer origin
        x, y = (r + 1) % 3, (r + 2) % 3
        out[at + r] -= out[far + x] * pose[y] - out[far + y] * pose[x]


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


def compose_with_root(root: int, bodies: Ints, motion: MotionArrays) -> None:
    """Compose the motion of a component relative to its root with that of the root.

    With V the spatial twist of the root and U that of a body relative to the root, along the axes
    of the world, the twist of the body is V + U, and its time derivative V' + U' + [V, U].

    Args:
        motion: of the root in the world, and of `bodies` relative to the root; the latter is
            overwritten with that in the world.
    """
    poses, twists, changes = motion.frames, motion.twists, motion.accelerations
    at, v = poses[:, [root]], twists[:, [root]]
    u, du = (_to_outer_frame(at, given[:, bodies]) for given in (twists, changes))
    poses[:, bodies] = compose_all(at, poses[:, bodies])
    du[..., 3:] += _cross(v[..., 3:], u[..., 3:])
    du[..., :3] += _cross(v[..., 3:], u[..., :3]) + _cross(v[..., :3], u[..., 3:])
    twists[:, bodies] = v + u
    changes[:, bodies] = changes[:, [root]] + du


def _to_outer_frame(poses: Array, twists: Array) -> Array:
    """`to_outer_frame` of twists, (..., 6), by poses, (..., 12)."""
    axes = poses[..., 3:].reshape(*poses.shape[:-1], 3, 3)
    along = np.einsum("...vk,...kr->...vr", twists.reshape(*twists.shape[:-1], 2, 3), axes)
    velocity = along[..., 0, :] - _cross(along[..., 1, :], poses[..., :3])
    return np.concatenate([velocity, along[..., 1, :]], axis=-1)


def _cross(a: Array, b: Array) -> Array:
    """Cross products, (..., 3); `numpy.cross` takes longer."""
    x, y, z = np.moveaxis(a, -1, 0)
    u, v, w = np.moveaxis(b, -1, 0)
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def at_parts(of_part: Ints, relative: Array, bodies: MotionArrays) -> MotionArrays:
    """Motion of parts, world, from that of their bodies.

    Args:
        of_part: (parts,), their bodies; relative: (parts, 12), poses on these, mm.
    """
    frames = compose_all(bodies.frames[:, of_part], relative)
    v, a = bodies.twists[:, of_part], bodies.accelerations[:, of_part]
    v[..., :3] += _cross(v[..., 3:], frames[..., :3])
    a[..., :3] += _cross(a[..., 3:], frames[..., :3]) + _cross(v[..., 3:], v[..., :3])
    return MotionArrays(frames, v, a)


def of_origins(motion: MotionArrays, part: int) -> tuple[Array, Array, Array]:
    """Frames of a part, spatial twists and their derivatives, from the motion of its origin."""
    p, v, a = (given[:, part].copy() for given in motion)
    a[:, :3] -= _cross(a[:, 3:], p[:, :3]) + _cross(v[:, 3:], v[:, :3])
    v[:, :3] -= _cross(v[:, 3:], p[:, :3])
    return p, v, a
