"""For the page of each kind: its example as it was solved, with what can still move as arrows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

import numpy as np
from kind_examples import name_of
from kind_looks import LOOKS, WHEELS, Look, look_of
from numpy.typing import NDArray

import assembly_solver as asm
from assembly_solver.model.mates.couplings import Coupling
from assembly_solver.report.page.outlines import hull

Array = NDArray[np.float64]

CAMERA = np.array([0.62, -1.0, 0.55]) / np.linalg.norm([0.62, -1.0, 0.55])
RIGHT = np.cross([0.0, 0.0, 1.0], CAMERA) / np.linalg.norm(np.cross([0.0, 0.0, 1.0], CAMERA))
VIEW = np.array([RIGHT, -np.cross(CAMERA, RIGHT)])
"""Rows: across and down in the picture, of a place in mm."""
LIGHT = np.array([0.1, -0.55, 0.83])
TONES = 4
WIDTH = 420.0
"""Of the picture, in its own units."""


@dataclass
class Sheet:
    """What is drawn, in mm across and down, in order; and where it reaches.

    Attributes:
        size: mm, the size of a part of the scene.
    """

    size: float
    layers: dict[str, list[str]] = field(default_factory=dict)
    reach: list[Array] = field(default_factory=list)

    def polygon(self, layer: str, kind: str, points: Array, closed: bool = True) -> None:
        flat = points @ VIEW.T
        self.reach.append(flat)
        shape = "polygon" if closed else "polyline"
        told = " ".join(f"{x:.1f},{y:.1f}" for x, y in flat * 10)  # a tenth of a mm is enough
        self.layers.setdefault(layer, []).append(f'<{shape} class="{kind}" points="{told}"/>')

    def circle(self, layer: str, kind: str, centre: Array, radius: float) -> None:
        x, y = centre @ VIEW.T
        self.reach += [np.array([[x - radius, y - radius], [x + radius, y + radius]])]
        self.layers.setdefault(layer, []).append(
            f'<circle class="{kind}" cx="{10 * x:.1f}" cy="{10 * y:.1f}" r="{10 * radius:.1f}"/>'
        )

    def head(self, end: Array, towards: Array) -> None:
        """The head of an arrow on the end of its line, in the plane of the picture."""
        flat = towards - (towards @ CAMERA) * CAMERA
        flat = flat / max(float(np.linalg.norm(flat)), 0.05)
        aside = 0.09 * self.size * np.cross(flat, CAMERA)
        tip = end + 0.2 * self.size * flat
        self.polygon("arrows", "kp-head", np.array([tip, end + aside, end - aside]))

    def text(self, title: str) -> str:
        """The picture."""
        every = 10 * np.concatenate(self.reach)
        low, high = every.min(axis=0), every.max(axis=0)
        margin = 0.04 * float(max(high - low))
        (x, y), (w, h) = low - margin, high - low + 2 * margin
        scale = min(WIDTH / w, 0.72 * WIDTH / h)
        drawn = "".join("".join(self.layers.get(layer, ())) for layer in LAYERS)
        return (
            f'<svg class="kp" viewBox="{x:.0f} {y:.0f} {w:.0f} {h:.0f}" width="{w * scale:.0f}" '
            f'height="{h * scale:.0f}" role="img" aria-label="{escape(title)}" '
            f'style="--kp-line: {1.3 / scale:.1f}">{drawn}</svg>'
        )


ROUND = " kp-round"
"""Class of a face whose borders are not drawn."""

LAYERS = ("behind", "lines", "bodies", "front", "arrows")


class Turn(NamedTuple):
    """What may move: along or about an axis through a place, both ways or one way."""

    kind: str
    point: Array
    direction: Array
    both_ways: bool = True


def picture(kind: str, model: asm.Assembly) -> str:
    """The picture of an example, with the words for its parts and for what can move."""
    solution = asm.solve(model).require()
    mate = model.mates[name_of(kind)]
    drawn = looks(kind, model, solution)
    sheet = Sheet(scale(kind, [place for _, _, place, _ in drawn]))
    bodies: list[tuple[float, str, Any]] = []
    for part, look, place, radius in drawn:
        tone = TINTS[list(model.parts).index(part)]
        for solid in look.solids(sheet.size, radius):
            shape = solid.placed(place.rotation, np.array(place.position))
            if tone == "a":
                glass(sheet, shape)
            else:
                bodies.append((float(shape.middle @ CAMERA), tone, shape))
    for _, tone, shape in sorted(bodies, key=lambda body: body[0]):
        solid_faces(sheet, "bodies", tone, shape)
    joined(sheet, kind, mate, drawn)
    if kind == "path":
        sheet.polygon("lines", "kp-curve", followed(model), closed=False)
    turns = coupled(model, kind) if hasattr(mate, "joints") else free(solution)
    arrows(sheet, turns)
    told = what_moves(solution)
    if hasattr(mate, "joints"):
        told += f" The arrows: when {mate.joints[0]} goes forward."
    title = f"{kind}: {told}"
    keys = "".join(
        f'<span class="kp-key kp-{tone}"></span>{escape(part)} '
        for part, tone in zip(model.parts, TINTS, strict=False)
    )
    caption = f"<figcaption>{keys}&ensp;{told}</figcaption>"
    return f'<figure class="kp">{sheet.text(title)}{caption}</figure>'


TINTS = "abc"
"""Of the parts in order: the one that is held, those that move."""


def what_moves(solution: asm.Solution) -> str:
    """What can still move, in words."""
    axes: dict[str, list[str]] = {}
    for motion in solution.to_dict()["free_motions"]:
        verb, _, axis = escape(motion["title"]).rpartition(" about ")
        if not verb:
            verb, _, axis = escape(motion["title"]).rpartition(" along ")
        axes.setdefault(f"{verb} {'along' if 'slides' in verb else 'about'}", []).append(axis)
    told = [
        f"{verb} {len(found)} {'directions' if 'slides' in verb else 'axes'}"
        if any("(" in axis for axis in found) and len(found) > 1
        else f"{verb} {'a tangent' if '(' in found[0] else ', '.join(found)}"
        for verb, found in axes.items()
    ]
    return f"Free: {'; '.join(told)}." if told else "Nothing can move."


def looks(
    kind: str, model: asm.Assembly, solution: asm.Solution
) -> list[tuple[str, Look, asm.Pose, float]]:
    """Every feature that is drawn: its part, how, where, and with which radius, mm."""
    found = []
    for name, part in model.parts.items():
        for own, feature in part.features.items():
            if (kind, name, own) not in LOOKS and own in STANDARD:
                continue
            place = solution.poses[name] @ asm.Pose.from_frame(np.array(feature.frame))
            radius = getattr(feature, "radius", None) or WHEELS.get((kind, name, own), 0.0)
            found.append((name, look_of(kind, name, own, feature), place, radius))
    return found


STANDARD = frozenset(("origin", "x", "y", "z", "xy", "yz", "zx"))


def scale(kind: str, places: Sequence[asm.Pose]) -> float:
    """The size of what is drawn of a part, mm: by how far apart its features are."""
    at = np.array([place.position for place in places])
    return float(np.clip(0.5 * np.linalg.norm(np.ptp(at, axis=0)), 16.0, 45.0))


# ------------------------------------------------------------------------------------- solids
def glass(sheet: Sheet, shape: Any) -> None:
    """The part that is held: one looks through its front."""
    for face, normal in shape.faces:
        seen = float(normal @ CAMERA) > 0
        kind = f"kp-glass{'' if seen else ' kp-far'}"
        if shape.round and len(face) == 4:
            kind += ROUND
        sheet.polygon("front" if seen else "behind", kind, face)


def solid_faces(sheet: Sheet, layer: str, tone: str, shape: Any) -> None:
    if shape.ball is not None:
        sheet.circle(layer, f"kp-{tone} kp-t2", shape.middle, shape.ball)
        return
    for face, normal in shape.faces:
        if normal @ CAMERA > 1e-9:
            light = int(np.clip((0.5 + 0.5 * normal @ LIGHT) * TONES, 0, TONES - 1))
            side = ROUND if shape.round and len(face) == 4 else ""
            sheet.polygon(layer, f"kp-{tone} kp-t{light}{side}", face)


def joined(sheet: Sheet, kind: str, mate: Any, drawn: Iterable[Any]) -> None:
    """Lines between points that the mate relates; the belt; the curve."""
    at = {
        f: np.array(place.position)
        for f, (_, _, place, _) in zip(names_of(drawn), drawn, strict=True)
    }
    ends = [at.get(str(getattr(mate, end, ""))) for end in ("a", "b", "a2")]
    if kind in ("distance", "symmetric", "equal_distance"):
        for one in (ends[0], ends[2]):
            if one is not None and ends[1] is not None:
                sheet.polygon("lines", "kp-line", np.array([one, ends[1]]), closed=False)
    if kind == "belt":
        rings = [ring(np.array(p.position), p.rotation[:, 2], r) for _, _, p, r in drawn if r]
        flat = np.concatenate(rings)
        around = hull(flat[:, :2])
        sheet.polygon("bodies", "kp-belt", np.column_stack([around, np.zeros(len(around))]))


def followed(model: asm.Assembly) -> Array:
    """Where the tip is along its curve, from end to end."""
    at = []
    groove = model.parts["base"].features["groove"]
    assert isinstance(groove, asm.Curve)
    for length in np.linspace(0.0, groove.length, 30):
        moved = model.copy()
        moved.drive("it", name_of("path"), value=float(length))
        at.append(asm.solve(moved).require().poses["body"].position)
    return np.array(at)


def names_of(drawn: Iterable[Any]) -> list[str]:
    return [look.feature_name for _, look, _, _ in drawn]


def ring(
    centre: Array, axis: Array, radius: float, begin: float = 0.0, end: float = 360.0
) -> Array:
    """Points of an arc about an axis, from where it is nearest to the camera."""
    toward = CAMERA - (CAMERA @ axis) * axis
    length = float(np.linalg.norm(toward))
    toward = toward / length if length > 1e-6 else np.cross(axis, [1.0, 0.0, 0.0])
    turn = np.radians(np.linspace(begin, end, 41))[:, None]
    arc: Array = centre + radius * (np.cos(turn) * toward + np.sin(turn) * np.cross(axis, toward))
    return arc


# ------------------------------------------------------------------------------------- motions
def free(solution: asm.Solution) -> list[Turn]:
    """The free motions of an example."""
    found = []
    for motion in solution.to_dict()["free_motions"]:
        axis = motion["axis"]
        found.append(Turn(motion["kind"], np.array(axis["point"]), np.array(axis["direction"])))
    return found


def coupled(model: asm.Assembly, kind: str) -> list[Turn]:
    """How the parts of a coupling move when its first joint goes 10 degrees or mm forward."""
    coupling = model.mates[name_of(kind)]
    assert isinstance(coupling, Coupling)
    first = coupling.joints[0]
    poses = []
    for value in (0.0, 10.0):
        moved = model.copy()
        moved.drive("it", first, value=value)
        poses.append(asm.solve(moved).require().poses)
    found = []
    for name, part in model.parts.items():
        if part.grounded:
            continue
        change = poses[0][name].inverse()
        turn = poses[1][name].rotation @ change.rotation
        vector = np.array(
            [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
        )
        at = np.array(poses[1][name].position)
        if np.linalg.norm(vector) > 1e-6:
            found.append(Turn("rotation", at, vector / np.linalg.norm(vector), False))
        else:
            step = at - np.array(poses[0][name].position)
            found.append(Turn("translation", at, step / np.linalg.norm(step), False))
    return found


def arrows(sheet: Sheet, turns: Sequence[Turn]) -> None:
    """An arc for what turns, an arrow for what slides, on the axis of either."""
    s = sheet.size
    for turn in turns:
        d = turn.direction * (1 if turn.both_ways is False or turn.direction @ UPWARD >= 0 else -1)
        ends = np.array([turn.point - 1.15 * s * d, turn.point + 1.15 * s * d])
        sheet.polygon("lines", "kp-axis", ends, closed=False)
        if turn.kind != "translation":
            arc = ring(turn.point + 1.05 * s * d, d, 0.36 * s, -130, 130)
            sheet.polygon("arrows", "kp-arc", arc, closed=False)
            sheet.head(arc[-1], unit(arc[-1] - arc[-3]))
            if turn.both_ways:
                sheet.head(arc[0], unit(arc[0] - arc[2]))
        if turn.kind != "rotation":
            for side in (1, -1) if turn.both_ways else (1,):
                tip = turn.point + side * 1.75 * s * d
                sheet.polygon("arrows", "kp-arc", np.array([tip - side * 0.6 * s * d, tip]), False)
                sheet.head(tip, side * d)


UPWARD = np.array([0.2, -0.1, 1.0])
"""Which end of an axis has the arrows."""


def unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)
