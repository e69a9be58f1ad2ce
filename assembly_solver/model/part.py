"""Parts: rigid bodies with features, at a pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UnknownName
from ..geometry.pose import Pose
from .feature import OWN_FEATURES, Feature


@dataclass(frozen=True)
class Part:
    """A rigid part.

    Attributes:
        features: by name, in part coordinates; pose: where it starts; grounded: held there.
        geometry: file with its solid; colour: "#rrggbb"; notes: keys kept for the file.
    """

    name: str
    features: Mapping[str, Feature] = field(default_factory=dict)
    pose: Pose = field(default_factory=Pose)
    grounded: bool = False
    geometry: Path | None = None
    colour: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    def feature(self, name: str, place: str = "") -> Feature:
        """A feature by name: its own, or one that every part has."""
        found = self.features.get(name) or OWN_FEATURES.get(name)
        if found is None:
            known = (*self.features, *OWN_FEATURES)
            raise UnknownName("feature", name, known, place, f"part {self.name!r}")
        return found
