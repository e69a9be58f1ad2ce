"""Parts drawn at other poses in the 3D view only, without a change of the document."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pivy import coin

from assembly_solver import Pose

from ..live import Live


class Stage:
    """Draws the parts of an assembly at poses of a motion, and at their placements again.

    No placement is written meanwhile: saving, undo and deletion during playing never see a state of
    the motion.
    """

    def __init__(self, live: Live) -> None:
        self._live = live
        self._drawn: dict[str, Pose] = {}
        self._fields: dict[str, tuple[Any, Any]] = {}

    def show(self, poses: Mapping[str, Pose]) -> None:
        """Draw parts at poses in the assembly, except its origin, which has no placement."""
        for name, pose in poses.items():
            placed = hasattr(self._live.parts[name], "Placement")
            if placed and self._drawn.get(name) != pose:
                self._draw(name, self._live.placement_for(name, pose))
                self._drawn[name] = pose

    def clear(self) -> None:
        """Draw the parts at their placements; deleted ones are skipped."""
        for name in self._drawn:
            with suppress(ReferenceError):
                self._draw(name, self._live.parts[name].Placement)
        self._drawn = {}

    def _draw(self, name: str, placement: Any) -> None:
        """Set the transform at the top of a view; its scale is unchanged."""
        if name not in self._fields:
            root = self._live.parts[name].ViewObject.RootNode
            above = (root.getChild(k) for k in range(root.getNumChildren()))
            transform = next(node for node in above if isinstance(node, coin.SoTransform))
            self._fields[name] = transform.translation, transform.rotation
        translation, rotation = self._fields[name]
        translation.setValue(*placement.Base)
        rotation.setValue(*placement.Rotation.Q)
