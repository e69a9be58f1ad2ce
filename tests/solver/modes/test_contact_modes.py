"""All closures of a body that six distances to points and planes hold, as in a fixture.

Lengths in mm.
"""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import moved, random_pose, worst_gap
from test_leg_modes import rotated

import assembly_solver as asm

Array = np.ndarray


class Contacts:
    """A plate where it stands: D a distance, P a point of it in a plane of the base, O a point of
    the base in one of its planes, A a point of it on a line of the base, S a ball."""

    def __init__(self, kinds: str) -> None:
        rng = np.random.default_rng(0)
        self.kinds = kinds
        self.at, self.ends = 90 * rng.normal(size=(2, len(kinds), 3))
        self.ways = rng.normal(size=(len(kinds), 3))
        self.ways /= np.linalg.norm(self.ways, axis=1)[:, None]

    def assembly(self, noise: float = 0.0) -> asm.Assembly:
        rng, a = np.random.default_rng(1), asm.Assembly("contacts")
        base, plate = dict[str, asm.Feature](), dict[str, asm.Feature]()
        for k, kind in enumerate(self.kinds):
            point, end = asm.Point(tuple(self.at[k])), asm.Point(tuple(self.ends[k]))
            way = tuple(self.ways[k] + noise * rng.uniform(-1, 1, 3))
            flat, line = asm.Plane(tuple(self.at[k]), way), asm.Axis(tuple(self.at[k]), way)
            own = {"D": end, "P": flat, "O": point, "A": line, "S": point}[kind]
            base[f"f{k}"], plate[f"f{k}"] = own, flat if kind == "O" else point
        a.add("base", grounded=True, features=base)
        a.add("plate", features=plate)
        names = {"D": "distance", "A": "point_on_line", "S": "spherical"}
        for k, kind in enumerate(self.kinds):
            value = {"value": float(np.linalg.norm(self.ends[k] - self.at[k]))}
            mate = names.get(kind, "point_in_plane")
            a.mate(mate, f"base.f{k}", f"plate.f{k}", **(value if kind == "D" else {}))
        return a

    def off(self, turn: Array, shift: Array) -> Array:
        """By how much poses (m, 3, 3), (m, 3) of the plate do not hold, over 100 mm."""
        out = list[Array]()
        for kind, p, q, way in zip(self.kinds, self.at, self.ends, self.ways, strict=True):
            gap = turn @ p + shift - p
            if kind == "D":
                before, now = p - q, gap + p - q
                out.append((np.sum(now**2, axis=1) - before @ before) / 100)
            elif kind == "O":
                out.append(np.sum(gap * (turn @ way), axis=1))
            elif kind == "P":
                out.append(gap @ way)
            else:
                out += [*(np.cross(gap, way) if kind == "A" else gap).T]
        return np.stack(out, axis=1) / 100

    def by_newton(self, starts: int) -> list[Array]:
        """Different poses of the plate, (3, 4), at which iterations from random ones end."""
        rng = np.random.default_rng(2)
        turn = np.linalg.qr(rng.normal(size=(starts, 3, 3)))[0]
        turn *= np.linalg.det(turn)[:, None, None]
        shift, h = 150 * rng.normal(size=(starts, 3)), 1e-6
        for _ in range(60):
            r = self.off(turn, shift)
            slopes = [self.off(rotated(h * e) @ turn, shift) - r for e in np.eye(3)]
            slopes += [self.off(turn, shift + 100 * h * e) - r for e in np.eye(3)]
            step = (np.linalg.pinv(np.stack(slopes, axis=2) / h) @ r[..., None])[..., 0]
            step /= np.maximum(1.0, np.abs(step).max(axis=1))[:, None]
            turn, shift = rotated(-step[:, :3]) @ turn, shift - 100 * step[:, 3:]
        found = list[Array]()
        held = np.abs(self.off(turn, shift)).max(axis=1) <= 1e-9
        for pose in np.concatenate([turn, shift[..., None]], axis=2)[held]:
            if all(np.abs(pose - f).max() > 1e-3 for f in found):
                found.append(pose)
        return found


FAMILIES = [
    ("PPPPPP", 8, 4),
    ("PPOPOP", 20, 2),
    ("PPPDDD", 40, 2),
    ("OOODDD", 40, 4),
    ("ADDDD", 28, 4),
    ("AADD", 16, 2),
    ("AAA", 8, 4),
    ("SPPP", 8, 2),
]
"""Contacts, how many solutions they have in complex numbers, and poses."""


@pytest.mark.parametrize(("kinds", "solutions", "poses"), FAMILIES)
def test_a_body_on_points_and_planes_has_every_pose_that_newton_finds(
    kinds: str, solutions: int, poses: int
) -> None:
    own = Contacts(kinds)
    modes = asm.modes(own.assembly())
    assert all(m.complete and m.solutions == solutions for m in modes)
    frames = np.array([m.poses["plate"].frame for m in modes])
    turns = frames[:, 3:].reshape(-1, 3, 3).swapaxes(1, 2)
    known = np.concatenate([turns, frames[:, :3, None]], axis=2)
    assert len(known) == poses
    for found in own.by_newton(400):
        assert np.abs(known - found).max(axis=(1, 2)).min() <= 1e-5


@pytest.mark.parametrize("kinds", ["PPPPPP", "PPOPOP", "AADD"])
def test_contacts_are_counted_alike_anywhere_and_with_noise(kinds: str) -> None:
    own = Contacts(kinds)
    wanted = [(m.complete, m.solutions) for m in asm.modes(own.assembly())]
    place = random_pose(np.random.default_rng(3))
    for other in (own.assembly(1e-7), moved(own.assembly(), place)):
        assert [(m.complete, m.solutions) for m in asm.modes(other)] == wanted


@pytest.mark.parametrize("kinds", ["PPPDDD", "PPOPOP"])
def test_planes_whose_origins_are_far_away_hold_the_body_all_the_same(kinds: str) -> None:
    """A plane of which the origin is 10 km away made the body a point."""
    own = Contacts(kinds)
    a, wanted = own.assembly(), asm.modes(own.assembly())
    for k, kind in enumerate(kinds):
        part = {"P": "base", "O": "plate"}.get(kind)
        if part is not None:
            across = np.cross(own.ways[k], [0.3, 0.5, 0.8])
            far = own.at[k] + 1e7 * across / np.linalg.norm(across)
            a.set_feature(part, f"f{k}", asm.Plane(tuple(far), tuple(own.ways[k])))
    found = asm.modes(a)
    assert [(m.complete, m.solutions) for m in found] == [(m.complete, m.solutions) for m in wanted]
    for m in found:
        assert min(worst_gap(m.poses, w.poses)[0] for w in wanted) <= 1e-3
