"""The envelope of a part: all that it sweeps over in a motion, and which parts lie in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import BadValue, NoShape
from ..formats.shapes.meshes import Mesh
from ..foundations.types import Array
from ..foundations.watch import Progress, Watch
from ..kinematics.contact.geometry import TriangleBody, inside, separation, triangle_bodies
from ..kinematics.contact.relative_motion import STILL, relative_motion
from ..kinematics.contact.swept_volume import CELLS, TRAVEL, least_deviation, swept_surface
from ..model.numbers import positive
from ..results.motion import Motion
from ..results.wording.phrases import listed, short
from .bounded_speeds import WORLD, BoundedSpeeds
from .run_paths import RunPath, run_paths

SHARES = 40
"""The size of what is swept over the deviation that is not given."""


@dataclass(frozen=True, eq=False)
class Envelope:
    """What a part sweeps over in a motion, from outside.

    Attributes:
        part: its name; mesh: a closed surface that encloses all that it sweeps over, world, mm.
        deviation_mm: the surface is nowhere farther from that.
        bounded: whether the speeds of the part are bounded between its poses; else they are
            estimated from the rates at these, so that both statements are estimates.
        within: the other parts that reach into it, or lie in it, where the motion begins.
    """

    part: str
    mesh: Mesh
    deviation_mm: float
    bounded: bool
    within: tuple[str, ...]

    @property
    def words(self) -> str:
        """The envelope in a sentence."""
        low, high = self.mesh.corners.min(axis=0), self.mesh.corners.max(axis=0)
        size = " x ".join(short(float(x)) for x in high - low)
        inner = f"{listed(list(self.within))} in it" if self.within else "no other part in it"
        out = f"outside by up to {short(self.deviation_mm)} mm"
        out += "" if self.bounded else "; the way between poses is estimated"
        return f"{self.part} sweeps over {size} mm ({out}); {inner} where the motion begins"

    def to_dict(self) -> dict[str, Any]:
        """The result object of the command."""
        corners = self.mesh.corners
        return {
            "part": self.part,
            "sentence": self.words,
            "deviation_mm": self.deviation_mm,
            "bounded": self.bounded,
            "within": list(self.within),
            "box": [corners.min(axis=0).tolist(), corners.max(axis=0).tolist()],
            "triangles": len(self.mesh.triangles),
        }


def envelope(
    motion: Motion, part: str, deviation: float | None = None, progress: Progress | None = None
) -> Envelope:
    """The volume that a part sweeps over in a motion, as a mesh that encloses it.

    Poses between the states are solved as close to each other as the deviation wants.  How far
    points move between two is bounded where contact bounds it, else estimated from the rates at
    both.  What a mesh with holes encloses is not looked for.

    Args:
        motion: of `sweep`, as far as it holds; part: its name.
        deviation: how far the mesh may be outside of what is swept, mm; a fortieth of its size if
            not given.
        progress: called with the poses done, all of them, and words.

    Raises:
        UnknownName, NoShape: no such part, or one without geometry.
        BadValue: the deviation is not positive, or so small that the grid would be too large.
        FormatError, MissingExtra: as of `sweep(contact=)`.
    """
    given = motion.assembly
    given.part(part)
    solid = triangle_bodies(given, given.parts)
    if part not in solid:
        raise NoShape(part, "envelope")
    body, number = solid[part], motion.parts.index(part)
    followed = motion.followed
    paths = [] if followed is None else list(run_paths(motion, followed))
    known = np.concatenate(
        [p.frames[:, number] for p in paths] or [given.part(part).pose.frame[None]]
    )
    corners = _corners(body.mesh, known)
    box = corners.min(axis=0), corners.max(axis=0)
    size = float(np.linalg.norm(box[1] - box[0]))
    allowed = size / SHARES if deviation is None else positive(deviation, "deviation")
    least = least_deviation(box)
    if allowed < least:
        if deviation is not None:
            raise BadValue("deviation", deviation, f"at least {short(1.001 * least)} mm here")
        allowed = least
    poses = [_Poses(motion, path, number, body) for path in paths]
    frames = [x for p in poses for x in p.all(TRAVEL * allowed / CELLS)] or [known[0]]
    watch = Watch(progress=progress)
    done = iter(range(len(frames)))
    mesh = swept_surface(
        body.mesh,
        frames,
        [path.frames[0, number] for path in paths] or frames,
        _box_of(body, np.array(frames), box),
        allowed,
        lambda: watch.tell(next(done), len(frames), "sweeping"),
    )
    bounded = all(p.bound is not None for p in poses)
    within = tuple(_within(motion, part, solid, mesh, paths))
    return Envelope(part, mesh, allowed, bounded, within)


def _corners(mesh: Mesh, frames: Array) -> Array:
    """Lowest and highest corners of the mesh at frames (n, 12), (2 n, 3), mm, world."""
    out = []
    for frame in frames:
        placed = frame[:3] + mesh.corners @ frame[3:].reshape(3, 3)
        out += [placed.min(axis=0), placed.max(axis=0)]
    return np.array(out)


def _box_of(body: TriangleBody, frames: Array, box: tuple[Array, Array]) -> tuple[Array, Array]:
    corners = _corners(body.mesh, frames)
    return np.minimum(box[0], corners.min(axis=0)), np.maximum(box[1], corners.max(axis=0))


class _Poses:
    """The poses of a part along a run.

    Args:
        number, body: of the part.

    Attributes:
        bound: of its speed in each interval, mm/s, where there is one.
    """

    def __init__(self, motion: Motion, path: RunPath, number: int, body: TriangleBody) -> None:
        self.path, self.number, self.body = path, number, body
        self.speeds = BoundedSpeeds(motion, path.found)
        self.bound = self.speeds.of(path, number, WORLD, body)

    def all(self, travel: float) -> Iterator[Array]:
        """Poses, (12,), world, between two of which the points of the part move no farther, mm."""
        t, frames = self.path.t, self.path.frames[:, self.number]
        yield frames[0]
        for k in range(len(t) - 1):
            yield from self._halved(k, travel, float(t[k]), float(t[k + 1]), self.bound is None)
            yield frames[k + 1]

    def _halved(self, k: int, travel: float, t0: float, t1: float, more: bool) -> Iterator[Array]:
        """Poses between two times of an interval, which is halved where they are too far apart, or
        in any case."""
        if not more and self._way(k, t0, t1) <= travel:
            return
        middle = 0.5 * (t0 + t1)
        yield from self._halved(k, travel, t0, middle, False)
        yield self.path.at(k, middle)[self.number]
        yield from self._halved(k, travel, middle, t1, False)

    def _way(self, k: int, t0: float, t1: float) -> float:
        """How far points of the part move between two times of an interval: at most, where that is
        bounded, by the motion at both; else by the rates at both."""
        t, number = np.array([t0, t1]), self.number
        both = (self.path.moving(k, end) for end in (t0, t1))
        frames, twists = (np.stack(x) for x in zip(*both, strict=True))
        if self.bound is not None:
            piece = replace(self.path, t=t, frames=frames, twists=twists)
            near = self.speeds.of(piece, number, WORLD, self.body)
            return float((self.bound[k] if near is None else near[0]) * (t1 - t0))
        frames_of_two = frames[:, number], np.tile(STILL, (2, 1))
        twists_of_two = twists[:, number], np.zeros((2, 6))
        return float(relative_motion(frames_of_two, twists_of_two, t, self.body).way[-1])


def _within(
    motion: Motion, part: str, solid: dict[str, TriangleBody], mesh: Mesh, paths: list[RunPath]
) -> Iterator[str]:
    """The other parts that reach into the envelope where the motion begins, or lie in it."""
    swept = TriangleBody(mesh)
    for name, body in solid.items():
        at = motion.assembly.part(name).pose.frame
        if paths:
            at = paths[0].frames[0, motion.parts.index(name)]
        if name == part:
            continue
        far = separation(swept, STILL, body, at).distance
        if far <= 0.0 or inside(swept, STILL, body, at):
            yield name
