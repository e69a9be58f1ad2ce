"""The envelope of a part: all that it sweeps over in a motion, and which parts lie in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ..errors import BadValue, NoShape
from ..formats.shapes.meshes import Mesh
from ..foundations.types import Array
from ..foundations.watch import Progress, Watch
from ..kinematics.contact.first_touch import STILL
from ..kinematics.contact.geometry import TriangleBody, inside, separation, triangle_bodies
from ..kinematics.contact.relative_motion import relative_motion
from ..kinematics.contact.swept_volume import CELLS, TRAVEL, least_deviation, swept_surface
from ..model.numbers import positive
from ..results.motion import Motion
from ..results.wording.phrases import listed, short
from .run_paths import RunPath, run_paths

SHARES = 40
"""The size of what is swept over the deviation that is not given."""


@dataclass(frozen=True, eq=False)
class Envelope:
    """What a part sweeps over in a motion, from outside.

    Attributes:
        part: its name; mesh: a closed surface that encloses all that it sweeps over, world, mm.
        deviation_mm: the surface is nowhere farther from that.
        within: the other parts that reach into it, or lie in it, where the motion begins.
    """

    part: str
    mesh: Mesh
    deviation_mm: float
    within: tuple[str, ...]

    @property
    def words(self) -> str:
        """The envelope in a sentence."""
        low, high = self.mesh.corners.min(axis=0), self.mesh.corners.max(axis=0)
        size = " x ".join(short(float(x)) for x in high - low)
        inner = f"{listed(list(self.within))} in it" if self.within else "no other part in it"
        return (
            f"{self.part} sweeps over {size} mm (outside by up to {short(self.deviation_mm)} mm); "
            f"{inner} where the motion begins"
        )

    def to_dict(self) -> dict[str, Any]:
        """The result object of the command."""
        corners = self.mesh.corners
        return {
            "part": self.part,
            "sentence": self.words,
            "deviation_mm": self.deviation_mm,
            "within": list(self.within),
            "box": [corners.min(axis=0).tolist(), corners.max(axis=0).tolist()],
            "triangles": len(self.mesh.triangles),
        }


def envelope(
    motion: Motion, part: str, deviation: float | None = None, progress: Progress | None = None
) -> Envelope:
    """The volume that a part sweeps over in a motion, as a mesh that encloses it.

    Poses between the states are solved as close to each other as the deviation wants; how far
    points move between two is estimated from the rates at the states.  What a mesh with holes
    encloses is not looked for.

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
    frames = list(_poses(paths, number, body, TRAVEL * allowed / CELLS)) or [known[0]]
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
    return Envelope(part, mesh, allowed, tuple(_within(motion, part, solid, mesh, paths)))


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


def _poses(paths: list[RunPath], number: int, body: TriangleBody, travel: float) -> Iterator[Array]:
    """Poses of a part, (12,), world, between two of which its points move no farther, mm."""
    for path in paths:
        frames = path.frames[:, number]
        yield frames[0]
        if len(frames) < 2:
            continue
        still = np.tile(STILL, (len(frames), 1))
        twists = path.twists[:, number]
        seen = relative_motion((frames, still), (twists, np.zeros_like(twists)), path.t, body)
        for k, way in enumerate(np.diff(seen.way).tolist()):
            count = max(ceil(way / travel), 1)
            for n in range(1, count):
                t = path.t[k] + n / count * (path.t[k + 1] - path.t[k])
                yield path.at(k, float(t))[number]
            yield frames[k + 1]


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
