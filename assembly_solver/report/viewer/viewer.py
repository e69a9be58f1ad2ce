"""A self-contained page with the moving assembly in 3D.

The poses of all parts are computed beforehand; the page interpolates between two states.  Its
script is made of `web/`, with three.js.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log10
from typing import Any

import numpy as np

from ...errors import MissingExtra
from ...foundations.geometry.pose import quaternions
from ...foundations.numerics.rounding import AGREEMENT
from ...foundations.types import Array
from ...model.assembly import Assembly
from ...model.feature import Point
from ...model.part import Part
from ...results.contacts import ClearanceCurve
from ..page.page import document
from .mate_list import curve_entries, feature_lists, mate_entries
from .packing import packed
from .part_shapes import NOT_INSTALLED, shapes_of
from .scene_facts import FreeTwist, JointCoordinate, SceneFacts, ShownMode, ShownPosition
from .triangles import TriangleMesh, placed_corners

PALETTE = ("#7f8b96", "#d08a3c", "#5d8fbf", "#7aa35d", "#b8705e", "#9079b0", "#4f9d97", "#b59a45")
"""Colours of parts that have none."""

SAMPLES = 24
"""States of a motion from which the size of the scene is computed."""

ALONG, ACROSS = 0.999, 0.02
"""Cosines from which, and up to which, directions count as parallel and as perpendicular."""


@dataclass(frozen=True)
class SliderMark:
    """An event at a value of a slider; `parts`: the two that come into contact there."""

    value: float
    words: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Slider:
    """One driver, free motion or time that can be moved.

    Attributes:
        name: its short title; unit: "mm", "deg", "s" or "".
        values: monotonic, (n,); start: index of the value shown first, may be fractional.
        words: the whole sentence about it, shown on pointing at it; "" without one.
    """

    name: str
    unit: str
    values: Array
    start: float
    marks: tuple[SliderMark, ...] = ()
    words: str = ""


@dataclass(frozen=True, eq=False)
class PlayedMotion:
    """States over one slider, or over all combinations of several.

    Attributes:
        sliders: the last one varies fastest.
        frames: (n, p, 12), origin and axes of each part in the world, mm; NaN where not valid.
        reasons: why a state is not valid, "" where it is, (n).
        watched: what it was watched for contact of, in words; "" where it was not.
        curves: joint coordinates that change, mm or degrees, (n,); NaN where not valid.
        near: the distances of pairs of parts over the states.
    """

    sliders: tuple[Slider, ...]
    frames: Array
    reasons: Sequence[str]
    watched: str = ""
    curves: Mapping[JointCoordinate, Array] = field(default_factory=dict)
    near: Sequence[ClearanceCurve] = ()


NOTHING_KNOWN = SceneFacts()


def page(
    assembly: Assembly,
    sentence: str,
    runs: Sequence[PlayedMotion],
    solid: bool = True,
    known: SceneFacts = NOTHING_KNOWN,
) -> str:
    """The page as self-contained HTML; the arguments are those of `scene_data`."""
    data = scene_data(assembly, sentence, runs, solid, known)
    return document(assembly.name, _body(data), "", "viewer/viewer.bundle.js")


def scene_data(
    assembly: Assembly, sentence: str, runs: Sequence[PlayedMotion], solid: bool, known: SceneFacts
) -> dict[str, Any]:
    """What the script of a page shows, as data for JSON.

    Args:
        assembly: the parts, at the poses in which they are shown where nothing moves.
        sentence: shown below its name.
        runs: with frames of the parts in the order of the assembly; none for a still picture.
        solid: whether parts are drawn from their geometry files where they have any; without
            CadQuery all are drawn by their features where there are STEP files, which is said.
        known: at the poses of the assembly.
    """
    still = np.array([part.pose.frame for part in assembly.parts.values()])
    states = [still[None], *(_some(run.frames) for run in runs)]
    reach = extent(assembly, np.concatenate(states))
    try:
        shapes, drawn = shapes_of(assembly, reach, solid)
    except MissingExtra:
        shapes, drawn = shapes_of(assembly, reach, False)[0], NOT_INSTALLED
    used = list({id(shape): shape for shape in shapes.values()}.values())
    number = {id(shape): k for k, shape in enumerate(used)}
    placed = np.vstack([placed_corners(shapes.values(), f) for frames in states for f in frames])
    low, high = placed.min(axis=0), placed.max(axis=0)
    middle = 0.5 * (low + high)
    up, look = directions(assembly, still)
    features = feature_lists(assembly)
    parts = [
        _part(part, k, number[id(shapes[part.name])], features[part.name])
        for k, part in enumerate(assembly.parts.values())
    ]
    return {
        "name": assembly.name,
        "sentence": ". ".join(s for s in (sentence, known.ways, drawn) if s),
        "middle": middle.tolist(),
        "up": up.tolist(),
        "from": look.tolist(),
        "reach": 0.5 * float(np.linalg.norm(high - low)) or 100.0,
        "low": float(((placed - middle) @ up).min()),
        "box": [(low - middle).tolist(), (high - middle).tolist()],
        "shapes": [_shape(shape) for shape in used],
        "parts": parts,
        "mates": mate_entries(assembly, features, known.values),
        "still": packed(_poses(still, middle), "<f4"),
        "runs": [
            _run(run, middle) | {"curves": curve_entries(assembly, run.curves)} for run in runs
        ],
        "free": [_free(motion, list(assembly.parts), middle) for motion in known.free],
        "modes": [_mode(mode, middle) for mode in known.modes],
        "positions": [_position(position, middle) for position in known.positions],
    }


def directions(assembly: Assembly, frames: Array) -> tuple[Array, Array]:
    """The up direction and the direction to the first viewpoint: unit vectors (3,) in the world.

    Up is against gravity, else y where the mechanism moves in planes normal to z, else z.  A
    planar mechanism is viewed along its normal, slightly from the side and from above.
    """
    normal = _normal(assembly, frames)
    x, y, z = np.eye(3)
    if any(assembly.gravity):
        up = -np.array(assembly.gravity) / np.linalg.norm(assembly.gravity)
    else:
        up = y if normal is not None and abs(normal @ z) > ALONG else z
    if normal is not None and abs(normal @ up) < ACROSS:
        look = normal + 0.4 * np.cross(up, normal) + 0.35 * up
    else:
        front = np.cross(up, x if abs(up @ x) < ALONG else y)
        look = 0.9 * np.cross(up, front) * -1.0 - front + 0.6 * up
    found: Array = look / np.linalg.norm(look)
    return up, found


def _normal(assembly: Assembly, frames: Array) -> Array | None:
    """The direction to which most mated features are parallel, others perpendicular; or None."""
    at = {name: frame[3:].reshape(3, 3) for name, frame in zip(assembly.parts, frames, strict=True)}
    found = [
        np.array(end.feature.frame[9:]) @ at[ref.part]
        for held in assembly.held.values()
        for ref, end in ((held.mate.a, held.a), (held.mate.b, held.b))
        if end.feature.directed
    ]
    if not found:
        return None
    directions = np.array(found)
    cosines = np.abs(directions @ directions.T)
    first = int(np.argmax((cosines > ALONG).sum(axis=1)))
    along, across = cosines[first] > ALONG, cosines[first] < ACROSS
    if not (along | across).all() or 2 * along.sum() <= len(along):
        return None
    normal: Array = directions[first] * (np.sign(directions[first].sum()) or 1.0)
    return normal


def extent(assembly: Assembly, frames: Array) -> float:
    """Size of the space that the features of the parts cover, mm; frames (n, p, 12)."""
    places = [
        frames[:, k, :3] + np.array(feature.frame[:3]) @ frames[:, k, 3:].reshape(-1, 3, 3)
        for k, part in enumerate(assembly.parts.values())
        for feature in (Point((0.0, 0.0, 0.0)), *part.features.values())
    ]
    return float(np.linalg.norm(np.ptp(np.concatenate(places), axis=0))) or 100.0


def _part(part: Part, number: int, shape: int, features: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": part.name,
        "colour": part.colour or PALETTE[number % len(PALETTE)],
        "shape": shape,
        "grounded": part.grounded,
        "features": features,
    }


def _free(motion: FreeTwist, parts: list[str], middle: Array) -> dict[str, Any]:
    """A free motion with its twists told from the middle of the scene."""
    twists = np.array(list(motion.twists.values())).reshape(-1, 6)
    twists[:, :3] += np.cross(twists[:, 3:], middle)
    return {
        "title": motion.title,
        "words": motion.words,
        "held": motion.held,
        "parts": [parts.index(name) for name in motion.twists],
        "twists": packed(twists, "<f4"),
    }


def _mode(mode: ShownMode, middle: Array) -> dict[str, Any]:
    poses = packed(_poses(mode.frames, middle), "<f4")
    return {"name": mode.name, "distance": mode.distance, "poses": poses}


def _position(position: ShownPosition, middle: Array) -> dict[str, Any]:
    frames = position.frames
    poses = None if frames is None else packed(_poses(frames, middle), "<f4")
    own = {"name": position.name, "values": dict(position.values), "words": position.words}
    return own | {"poses": poses}


def _some(frames: Array) -> Array:
    """At most `SAMPLES` of the valid states, evenly spaced."""
    valid = frames[np.isfinite(frames[:, 0, 0])]
    if len(valid) > SAMPLES:
        valid = valid[np.linspace(0, len(valid) - 1, SAMPLES).astype(int)]
    return valid


def _shape(shape: TriangleMesh) -> dict[str, Any]:
    return {
        "corners": packed(shape.corners, "<f4"),
        "triangles": packed(shape.triangles, "<u4"),
        "edges": packed(shape.edges, "<u4"),
    }


def _run(run: PlayedMotion, middle: Array) -> dict[str, Any]:
    reasons = list(dict.fromkeys(run.reasons))
    return {
        "axes": [_slider(slider) for slider in run.sliders],
        "poses": packed(_poses(run.frames, middle), "<f4"),
        "reasons": [reason or "this state is not valid" for reason in reasons],
        "which": [reasons.index(reason) for reason in run.reasons],
        "watched": run.watched,
        "near": [{"parts": c.parts, "values": packed(c.values, "<f4")} for c in run.near],
    }


def _poses(frames: Array, middle: Array) -> Array:
    """Frames (..., 12) as positions relative to the scene centre and quaternions, (..., 7).

    Single precision is enough for such positions.  Invalid states are NaN.
    """
    poses = np.full((*frames.shape[:-1], 7), np.nan)
    valid = np.isfinite(frames).all(axis=-1)
    poses[valid, :3] = frames[valid, :3] - middle
    poses[valid, 3:] = quaternions(frames[valid])
    return poses


def _slider(slider: Slider) -> dict[str, Any]:
    values = slider.values
    span = abs(float(values[-1] - values[0])) or 1.0
    numbers = np.arange(len(values), dtype=float)
    order = np.argsort(values)
    at = np.interp([m.value for m in slider.marks], values[order], numbers[order])
    return {
        "name": slider.name,
        "words": slider.words,
        "unit": slider.unit,
        "values": values.tolist(),
        "start": slider.start,
        "digits": int(max(0, 3 - np.floor(log10(span)))),
        "turns": slider.unit == "deg" and abs(span - 360.0) < AGREEMENT,
        "marks": [
            {"at": x, "words": m.words, "parts": m.parts}
            for x, m in zip(at.tolist(), slider.marks, strict=True)
        ],
    }


def _body(data: dict[str, Any]) -> str:
    packed = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return (
        '<div id="viewer" style="position:fixed;inset:0"></div>\n'
        f'<script id="data" type="application/json">{packed}</script>'
    )
