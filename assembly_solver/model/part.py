"""Parts: rigid bodies with features at a pose.  A rigid sub-assembly is one with inner parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from ..errors import NotEdited, UnknownName
from ..foundations.altered import made_of
from ..foundations.geometry.pose import Pose
from .feature import OWN_FEATURES, Feature
from .mass import Mass, combined


class Entries(dict[str, Any]):
    """Features or inner parts by name, read-only: what refers to one was resolved with it."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise NotEdited

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[Entries], tuple[dict[str, Any]]]:
        return Entries, (dict(self),)


@dataclass(frozen=True)
class Part:
    """A rigid part.

    Attributes:
        pose: start pose in the world; grounded: whether it cannot move.
        geometry: file with its solid; colour: "#rrggbb"; notes: keys kept for the file.
        inner: the parts of a rigid sub-assembly at their poses in it; their features are also
            this part's, as "arm.pin"; file: the file of that sub-assembly.
        derived: features implied by patterns and drawings; not written.
        mass: as it was given; see `whole_mass`.
    """

    name: str
    features: Mapping[str, Feature] = field(default_factory=dict)
    pose: Pose = field(default_factory=Pose)
    grounded: bool = False
    geometry: Path | None = None
    colour: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    inner: Mapping[str, Part] = field(default_factory=dict)
    file: Path | None = None
    derived: Mapping[str, Feature] = field(default_factory=dict)
    mass: Mass | None = None

    def __post_init__(self) -> None:
        for key in ("features", "inner", "derived"):
            known = getattr(self, key)
            if type(known) is not Entries:
                object.__setattr__(self, key, Entries(known))

    def with_features(self, features: Mapping[str, Feature]) -> Part:
        """The part with others of its features, by name."""
        every = Entries(self.features)
        dict.update(every, features)
        return made_of(Part, {**vars(self), "features": every})

    @property
    def whole_mass(self) -> Mass | None:
        """Its given mass, else that of its inner parts combined; None where none has one."""
        if self.mass is not None:
            return self.mass
        inner = ((part.pose, part.whole_mass) for part in self.inner.values())
        return combined((pose, mass) for pose, mass in inner if mass is not None)

    def find(self, name: str) -> Feature | None:
        """A feature by name (see `OWN_FEATURES` for those of every part), in part coordinates."""
        for known in (self.features, OWN_FEATURES, self.derived):
            if name in known:
                return known[name]
        for k in range(len(name) - 1, 0, -1) if self.inner else ():
            part = self.inner.get(name[:k]) if name[k] == "." else None
            found = part.find(name[k + 1 :]) if part is not None else None
            if part is not None and found is not None:
                return found.moved(part.pose.frame.tolist())
        return None

    def feature(self, name: str, place: str = "") -> Feature:
        """A feature by name, in part coordinates: see `find`.

        Raises UnknownName: there is none.
        """
        found = self.find(name)
        if found is None:
            known = (*self.feature_names(), *OWN_FEATURES)
            raise UnknownName("feature", name, known, place, f"part {self.name!r}")
        return found

    def feature_names(self) -> Iterator[str]:
        """Names of the given features, those of inner parts as "arm.pin"."""
        yield from self.features
        for part in self.inner.values():
            for name in part.feature_names():
                yield f"{part.name}.{name}"
