"""Poses of rigid bodies: position in mm and unit quaternion [w, x, y, z]; frames of 12 numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, hypot, isfinite, radians, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import BadValue
from ..arguments import refusing_others, with_named_arguments
from ..numerics.packed import packed
from ..numerics.rounding import ROUNDING, UNIT
from ..numerics.varied import as_float
from ..types import Array, Numbers
from .nearest_rotation import nearest_rotation

Triple = tuple[float, float, float]
Quadruple = tuple[float, float, float, float]

LARGEST = 1e12
"""Largest number that is given."""

FARTHEST = 1e9
"""Largest coordinate, mm: at a thousand kilometres rounding is a thousandth of the default
tolerance."""


def plain(value: Any) -> Any:
    """The value; a numpy scalar as a Python number."""
    return value.item() if isinstance(value, np.generic) else value


def numbers(values: Any, count: int, place: str) -> tuple[float, ...]:
    """`count` finite floats.

    Raises:
        BadValue: they are not, with `place` in the message.
    """
    try:
        out = tuple(map(as_float, values))
    except (TypeError, ValueError, OverflowError):
        out = ()
    if len(out) != count or isinstance(values, (str, bytes)):
        raise BadValue(place, values, f"{count} numbers")
    if not (isfinite(sum(out)) or all(map(isfinite, out))):  # the sum decides nearly always
        raise BadValue(place, values, f"{count} finite numbers")
    return out


def triple(values: Iterable[Any]) -> Triple:
    """Three floats."""
    x, y, z = map(float, values)
    return (x, y, z)


def three_numbers(value: Any, place: str) -> Triple:
    """Three finite floats, as `numbers`; a tuple of them is returned unchanged."""
    if type(value) is tuple and len(value) == 3:
        x, y, z = value
        if type(x) is type(y) is type(z) is float and isfinite(x + y + z):
            return value
    x, y, z = numbers(value, 3, place)
    return (x, y, z)


def position(value: Any, place: str) -> Triple:
    """Three coordinates of at most `FARTHEST`, mm, as `numbers`."""
    x, y, z = found = three_numbers(value, place)
    if not max(abs(x), abs(y), abs(z)) <= FARTHEST:
        raise BadValue(place, value, f"3 numbers of at most {FARTHEST:g} in size")
    return found


@with_named_arguments
@dataclass(frozen=True)
class Pose:
    """A rigid motion from body to world coordinates: rotation, then translation.

    Attributes:
        position: origin of the body, mm.
        quaternion_wxyz: unit quaternion; it is normalised, and unchanged where it is a unit.
    """

    position: Triple = (0.0, 0.0, 0.0)
    quaternion_wxyz: Quadruple = (1.0, 0.0, 0.0, 0.0)

    if TYPE_CHECKING:  # what is given becomes tuples

        def __init__(self, position: Numbers = ..., quaternion_wxyz: Numbers = ...) -> None: ...

    def __post_init__(self) -> None:
        p = position(self.position, "position")
        q = w, x, y, z = numbers(self.quaternion_wxyz, 4, "quaternion_wxyz")
        if abs(w * w + x * x + y * y + z * z - 1.0) > UNIT:
            n = hypot(*q)
            if n < ROUNDING:
                raise BadValue("quaternion_wxyz", q, "a quaternion that is not zero")
            q = tuple(v / n for v in q)
        object.__setattr__(self, "position", p)
        object.__setattr__(self, "quaternion_wxyz", q)

    @classmethod
    @refusing_others
    def from_axis(cls, position: Numbers, axis: Numbers, angle: float) -> Pose:
        """Rotation by `angle` degrees about `axis` (not zero), then translation, mm."""
        a = numbers(axis, 3, "axis")
        n = sqrt(sum(v * v for v in a))
        if n < ROUNDING:
            raise BadValue("axis", axis, "a direction that is not zero")
        h = radians(numbers((angle,), 1, "angle")[0]) / 2
        s = sin(h) / n
        p = three_numbers(position, "position")
        return cls(p, (cos(h), a[0] * s, a[1] * s, a[2] * s))

    @classmethod
    def from_frame(cls, frame: Sequence[float] | Array) -> Pose:
        """From 12 numbers: origin, x, y, z axes; the nearest rotation, as of `nearest_rotation`.

        Raises:
            BadValue: they are not 12 finite numbers; NotARotation: the axes are far from one.
        """
        rows = np.array(numbers(frame, 12, "frame"))
        rows[3:] = nearest_rotation(rows[3:].reshape(3, 3), "axes").ravel()
        return poses_of(rows[None])[0]

    @property
    def frame(self) -> Array:
        """12 numbers: origin (mm) and the axes x, y, z."""
        one: Array = frames_of([self])[0]
        return one

    @property
    def rotation(self) -> Array:
        """Rotation matrix, shape (3, 3); its columns are the body's axes."""
        columns: Array = self.frame[3:].reshape(3, 3).T
        return columns

    def __matmul__(self, other: Pose) -> Pose:
        """Composition: `(a @ b).apply(p) == a.apply(b.apply(p))`."""
        if other == STILL or self == STILL:  # exact
            return self if other == STILL else other
        frame = np.empty(12)
        frame[:3] = self.apply(other.position)
        frame[3:] = (self.rotation @ other.rotation).T.ravel()
        return poses_of(frame[None])[0]

    def inverse(self) -> Pose:
        """The inverse motion."""
        w, x, y, z = self.quaternion_wxyz
        return Pose(triple(-self.rotation.T @ np.array(self.position)), (w, -x, -y, -z))

    def to(self, other: Pose) -> Pose:
        """Another pose in coordinates of this one: `a @ a.to(b)` is b."""
        return other if self == STILL else self.inverse() @ other

    def apply(self, points: Any) -> Array:
        """World coordinates of points in body coordinates, shape (..., 3), mm."""
        moved: Array = np.asarray(points, float) @ self.rotation.T + np.array(self.position)
        return moved


STILL = Pose()
"""The identity."""


_FACTORS = np.array(
    [
        [2, 1, 1, 1, 1, 2, 1, 2, 1],
        [2, 2, 3, 2, 1, 3, 3, 3, 1],
        [3, 3, 2, 3, 3, 1, 2, 1, 2],
        [3, 0, 0, 0, 3, 0, 0, 0, 2],
    ]
)
"""The sums of two products of [w, x, y, z] that the axes are made of: of each its four factors."""

_SIGNS = np.array([[1.0], [1.0], [-1.0], [-1.0], [1.0], [1.0], [1.0], [-1.0], [1.0]])
"""Those of the second products."""


def frames(positions: Array, quaternions: Array) -> Array:
    """Frames (n, 12) from positions (n, 3), mm, and unit quaternions (n, 4), [w, x, y, z]."""
    q = np.ascontiguousarray(np.asarray(quaternions, float).T)
    one, two, three, four = q[_FACTORS]
    out = np.empty((q.shape[1], 12))
    out[:, :3] = positions
    out[:, 3:] = 2 * (one * two + _SIGNS * (three * four)).T
    out[:, 3::4] = 1.0 - out[:, 3::4]
    return out


def quaternions(frames: Array) -> Array:
    """Unit quaternions (n, 4), w >= 0, of frames (n, 12), from their largest component."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = frames[:, 3:].T
    n = len(frames)
    q = np.empty((n, 4, 4))
    q[:, 0] = np.stack([1 + xx + yy + zz, yz - zy, zx - xz, xy - yx], axis=1)
    q[:, 1] = np.stack([yz - zy, 1 + xx - yy - zz, xy + yx, zx + xz], axis=1)
    q[:, 2] = np.stack([zx - xz, xy + yx, 1 - xx + yy - zz, yz + zy], axis=1)
    q[:, 3] = np.stack([xy - yx, zx + xz, yz + zy, 1 - xx - yy + zz], axis=1)
    best = np.argmax(np.einsum("nkk->nk", q), axis=1)
    out: Array = q[np.arange(n), best]
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    out[out[:, 0] < 0] *= -1
    return out


def frames_of(poses: Iterable[Pose]) -> Array:
    """Frames of poses, (poses, 12)."""
    both = packed([(*p.position, *p.quaternion_wxyz) for p in poses], 7)
    return frames(both[:, :3], both[:, 3:])


def poses_of(frames: Array) -> list[Pose]:
    """Poses with frames (n, 12)."""
    positions, turns = frames[:, :3].tolist(), quaternions(frames).tolist()
    return [Pose(tuple(p), tuple(q)) for p, q in zip(positions, turns, strict=True)]


IDENTITY = np.array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], float)
"""The frame of a pose that moves nothing."""


def compose_all(poses: Array, frames: Array) -> Array:
    """Compositions of poses and frames, shapes (..., 12) of which one may repeat the other."""
    r = poses[..., 3:].reshape(*poses.shape[:-1], 3, 3)  # rows are the axes
    vectors = frames.reshape(*frames.shape[:-1], 4, 3)
    out = np.einsum("...vk,...kr->...vr", vectors, r)
    out[..., 0, :] += poses[..., :3]
    moved: Array = out.reshape(*out.shape[:-2], 12)
    return moved


def placed_points(poses: Array, points: Array) -> Array:
    """Points, (n, 3), mm, in the coordinates that each one's pose leads to."""
    placed: Array = np.einsum("nk,nkr->nr", points, poses[:, 3:].reshape(-1, 3, 3))
    placed += poses[:, :3]
    return placed


def blended(one: Array, two: Array, share: float) -> Array:
    """Frames (n, 12) a share of the way from one to the other, by the shorter turn of each."""
    begin, end = quaternions(one), quaternions(two)
    end = end * np.where(np.sum(begin * end, axis=1) < 0.0, -1.0, 1.0)[:, None]
    turn = begin + share * (end - begin)
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    return frames(one[:, :3] + share * (two - one)[:, :3], turn)


def invert_all(poses: Array) -> Array:
    """Inverses of rigid motions, shape (n, 12)."""
    r = poses[:, 3:].reshape(-1, 3, 3)
    out = np.empty_like(poses)
    out[:, 3:] = r.transpose(0, 2, 1).reshape(-1, 9)
    out[:, :3] = -np.einsum("nkr,nr->nk", r, poses[:, :3])
    return out
