"""Groups: single entries that become several parts, mates and drivers.

A flexible sub-assembly adds all its content under names as "arm.rod", a pattern repeats a part, its
seed, and every mate of the seed.  A group stores them as they were entered, so that a file can have
both the group and later changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...foundations.geometry.pose import Pose, compose_all, frames_of, poses_of
from ..drivers.cylinder import Cylinder
from ..drivers.driver import Driver
from ..drivers.guide import Guide
from ..drivers.limit import Limit
from ..drivers.quantity import MEASURES, Quantity
from ..entries import NamedEntries
from ..feature import Feature, Frame
from ..mate import Mate, Reference, ResolvedMate, together
from ..mates.couplings import Coupling
from ..part import Part
from ..tolerances.named_measure import NamedMeasure
from ..tolerances.tolerance import SUBJECTS, Tolerance

OF_MATES = {
    "drivers": "driver",
    "limits": "limit",
    "measures": "measure",
    "tolerances": "tolerance",
}
"""What a group has besides parts and mates, and what one of each is called."""


class StatedEntries(NamedEntries, Protocol):
    """What an assembly states, by name."""

    @property
    def limits(self) -> Mapping[str, Limit]: ...
    @property
    def measures(self) -> Mapping[str, NamedMeasure]: ...
    @property
    def tolerances(self) -> Mapping[str, Tolerance]: ...


class IncludedAssembly(StatedEntries, Protocol):
    """An assembly as another one includes it."""

    name: str
    folder: Path
    file: Path | None

    @property
    def tolerance(self) -> float: ...


@dataclass(frozen=True, kw_only=True)
class Group:
    """The parts, mates, drivers, limits, measures and tolerances of one entry.

    Attributes:
        parts, mates, drivers, ...: by their names in the assembly, as they were entered;
        cylinders: those of its drivers.
        notes: keys kept for the file.
        without: excluded mates, of a sub-assembly also drivers, limits, measures and tolerances: as
            `left_out_name`s in it, or mates as repeated.
    """

    name: str
    parts: Mapping[str, Part]
    mates: Mapping[str, Mate] = field(default_factory=dict)
    drivers: Mapping[str, Driver] = field(default_factory=dict)
    cylinders: Mapping[str, Cylinder] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    measures: Mapping[str, NamedMeasure] = field(default_factory=dict)
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()

    def gone(self, held: Mapping[str, ResolvedMate]) -> set[str]:
        """Its mates that are not as it entered them: its entry in a file is without them."""
        return {n for n, mate in self.mates.items() if n not in held or held[n].mate != mate}

    def as_entered(self, now: StatedEntries) -> dict[str, list[str]]:
        """Names of its mates, drivers, limits, measures and tolerances that are as it entered them,
        and that are about such ones: its entry in a file tells these."""
        gone = self.gone(now.held)
        told = {"mates": [name for name in self.mates if name not in gone]}
        for sort in OF_MATES:
            then, known = getattr(self, sort), getattr(now, sort)
            stand = [name for name, entry in then.items() if self._stands(entry, told)]
            if sort == "drivers":  # that of a cylinder tells nothing of its bore
                stand = [n for n in stand if now.cylinders.get(n) == self.cylinders.get(n)]
            told[sort] = [name for name in stand if _as_entered(known.get(name), then[name])]
        return told

    def left_out(self, now: StatedEntries) -> list[tuple[str, str]]:
        """Sort and name of what its entry in a file must leave out, and does not by itself as what
        it is about is left out."""
        told = self.as_entered(now)
        return [
            (sort, name)
            for sort in told
            for name, entry in getattr(self, sort).items()
            if name not in told[sort] and self._stands(entry, told)
        ]

    def _stands(self, entry: Any, told: Mapping[str, Collection[str]]) -> bool:
        """Whether the mate or the driver that an entry is about, if it has one, is told."""
        about = (("joint", "mates"), ("mate", "mates"), ("driver", "drivers"))
        named = ((sort, getattr(entry, key, None)) for key, sort in about)
        return all(name in told[sort] for sort, name in named if name in getattr(self, sort))


@dataclass(frozen=True, kw_only=True)
class SubAssembly(Group):
    """A flexible sub-assembly: its parts move as its mates allow.

    Attributes:
        file: its file; pose: of its coordinate system in the assembly.
        grounded: whether its grounded parts are grounded in the assembly.
        colour: of its parts that have none.
        told: poses of parts in the sub-assembly as read from a file, each with the resulting pose
            in the assembly, for writing them back unchanged.
    """

    file: Path | None
    pose: Pose
    grounded: bool
    colour: str | None
    told: Mapping[str, tuple[Pose, Pose]] = field(default_factory=dict)

    def gone(self, held: Mapping[str, ResolvedMate]) -> set[str]:
        gone = super().gone(held)
        couplings = [m for m in self.mates.values() if isinstance(m, Coupling)]
        return gone.union(m.name for m in couplings if not gone.isdisjoint(m.joints))

    def inside(self, name: str) -> str:
        """The name in the assembly of one of its parts, mates or drivers."""
        return f"{self.name}.{name}"

    def mate_entry(self, mate: Mate) -> dict[str, Any]:
        """The arguments that one of its mates is entered with."""
        entry = mate.parameters() | {"kind": type(mate), "name": self.inside(mate.name)}
        if isinstance(mate, Coupling):
            return entry | {"joints": tuple(map(self.inside, mate.joints))}
        inner = {
            key: Reference(self.inside(r.part), r.feature) for key, r in references(mate).items()
        }
        return entry | inner

    def about(self, quantity: Quantity) -> dict[str, Any]:
        """The quantity of one of its drivers or limits, under the names in the assembly."""
        about = quantity.about
        return {
            "name": self.inside(quantity.name),
            "joint": self.inside(quantity.joint) if quantity.joint is not None else None,
            "coordinate": quantity.coordinate,
            "about": about and (self.inside(about.part), about.feature),
            **{key: self._pair(getattr(quantity, key)) for key in MEASURES},
        }

    def measure_entry(self, measure: NamedMeasure) -> dict[str, Any]:
        """The arguments that one of its measures is entered with.

        That of a point is in the world of the assembly then, and so are its bounds.
        """
        entry, bounds = self.about(measure), {"min": measure.min, "max": measure.max}
        if measure.point is not None:
            ref, along = measure.point, self.pose.rotation @ np.array(measure.along)
            entry["point"] = (self.inside(ref.part), ref.feature)
            entry["along"] = tuple(along.tolist())
            origin = float(along @ self.pose.position)
            bounds = {key: None if v is None else v + origin for key, v in bounds.items()}
        return entry | bounds

    def tolerance_entry(self, tolerance: Tolerance) -> dict[str, Any]:
        """The arguments that one of its tolerances is entered with, besides the name."""
        entry, ref = tolerance.parameters(), tolerance.feature
        if ref is not None:
            return entry | {"feature": (self.inside(ref.part), ref.feature)}
        return entry | {k: self.inside(v) for k, v in entry.items() if k in SUBJECTS}

    def guide(self, guide: Guide) -> Guide:
        """One of its guides as entered; its world is the sub-assembly's coordinate system."""
        base, guided, ref = guide.base, guide.own, guide.relative_to
        base = base._replace(part=self.inside(base.part))
        guided = guided._replace(part=self.inside(guided.part))
        return replace(
            guide,
            name=self.inside(guide.name),
            part=guided.part,
            base=base,
            own=guided,
            relative_to=ref and Reference(self.inside(ref.part), ref.feature),
            equation=together(base, guided)[0],
            world=self.pose @ guide.world,
        )

    def _pair(self, ends: tuple[Reference, Reference] | None) -> Any:
        return ends and tuple((self.inside(r.part), r.feature) for r in ends)

    def relative(self, part: Part) -> Pose:
        """The pose of one of its parts in the sub-assembly."""
        told = self.told.get(part.name)
        return told[0] if told is not None and told[1] == part.pose else self.pose.to(part.pose)


def included(parts: Mapping[str, Part], folder: Path) -> dict[str, Part]:
    """Parts of another assembly, with absolute paths of their geometry."""
    return {
        name: replace(part, geometry=(folder / part.geometry).absolute())
        if part.geometry is not None
        else part
        for name, part in parts.items()
    }


def flexible(sub: SubAssembly, parts: Mapping[str, Part]) -> dict[str, Part]:
    """The parts as they enter; grounded ones get a feature at the first one, to be fixed by."""
    out = {}
    root = next((p for p in parts.values() if p.grounded), None)
    for part in parts.values():
        derived = dict(part.derived)
        if root is not None and part.grounded and part is not root:
            at = part.pose.to(root.pose)
            x, z = at.rotation[:, 0].tolist(), at.rotation[:, 2].tolist()
            derived[origin_of(root)] = Frame(at.position, tuple(z), tuple(x))
        name = sub.inside(part.name)
        out[name] = replace(
            part,
            name=name,
            pose=sub.pose @ part.pose,
            grounded=sub.grounded and part.grounded,
            colour=part.colour or sub.colour,
            derived=derived,
        )
    return out


def left_out_name(sort: str, name: str, mates: Collection[str]) -> str:
    """What an entry is called among the mates that are left out: "driver lift".

    A limit is so only where a mate has its name.
    """
    plainly = sort == "mates" or (sort == "limits" and name not in mates)
    return name if plainly else f"{OF_MATES[sort]} {name}"


def _as_entered(now: Any, then: Any) -> bool:
    """Whether an entry is as it was, but for the place of features and the value of a driver."""
    if isinstance(now, Guide) and isinstance(then, Guide):
        now = replace(now, base=then.base, own=then.own)
    if isinstance(now, Driver) and isinstance(then, Driver):
        now = replace(now, value=then.value, law=now.law or then.law)
    if isinstance(now, Quantity) and isinstance(then, Quantity):
        now = replace(now, equation=then.equation)
    return bool(now == then)


def origin_of(part: Part) -> str:
    """Name of the feature at another part's origin."""
    return f"origin of {part.name}"


@dataclass(frozen=True, kw_only=True)
class Pattern(Group):
    """Repeated instances of a part and its mates.

    Attributes:
        of: the seed; poses: displacements, one for each instance.
        base: the other part of the seed's first mate; None where it has none.
        repeats: for each mate of the seed the names of the mates that repeat it.

    Each pose is a displacement in the coordinates of the part that the seed's mate joins it to:
    the mate is repeated with that part's feature displaced.  The start pose of an instance is that
    of the seed, displaced in the coordinates of the base (without one, of the assembly).
    """

    of: str
    poses: tuple[Pose, ...]
    base: str | None = None
    repeats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def starts(self, parts: Mapping[str, Part]) -> list[Pose]:
        """Start poses of the instances, from that of the seed."""
        base = parts[self.base].pose if self.base is not None else Pose()
        return displaced_poses(self.poses, parts[self.of].pose, base)


def instance_name(pattern: str, k: int) -> str:
    """Name of instance k of a pattern, counted from 1."""
    return f"{pattern}[{k}]"


def displaced_poses(poses: Sequence[Pose], seed: Pose, base: Pose) -> list[Pose]:
    """The seed's pose displaced by each of the poses, in the coordinates of the base."""
    near = np.tile(base.to(seed).frame, (len(poses), 1))
    whole = np.tile(base.frame, (len(poses), 1))
    return poses_of(compose_all(whole, compose_all(frames_of(poses), near)))


def instances(seed: Part, name: str, poses: Sequence[Pose]) -> dict[str, Part]:
    """The instances of a pattern, displaced in assembly coordinates; they share the features."""
    starts = displaced_poses(poses, seed.pose, Pose())
    names = [instance_name(name, k) for k in range(1, len(poses) + 1)]
    return {
        n: replace(seed, name=n, pose=pose, notes={}) for n, pose in zip(names, starts, strict=True)
    }


def references(mate: Mate) -> dict[str, Reference]:
    """The references of a mate to features, by field."""
    values = {f.name: getattr(mate, f.name) for f in fields(mate)}
    return {key: value for key, value in values.items() if isinstance(value, Reference)}


def displaced(ref: Reference, pattern: str, k: int) -> Reference:
    """The feature that instance k of a pattern has in place of one that its seed is joined to."""
    return Reference(ref.part, f"{ref.feature}@{instance_name(pattern, k)}")


def repeated(
    mate: Mate, pattern: Pattern, partner: Pattern | None, parts: Mapping[str, Part], first: bool
) -> tuple[list[Mate], dict[str, dict[str, Feature]]]:
    """A mate repeated for the instances of a pattern, and the new features by part.

    Args:
        partner: the pattern of the other part if that is a seed as well: then instances are
            joined pair by pair, otherwise to displaced features.
        first: whether it is the first pattern of its seed: "[k]" then ends the name of the mate.
    """
    mates: list[Mate] = []
    derived: dict[str, dict[str, Feature]] = {}
    refs = {key: (r, parts[r.part].feature(r.feature)) for key, r in references(mate).items()}
    for k, motion in enumerate(frames_of(pattern.poses).tolist(), 1):
        instance, changes = instance_name(pattern.name, k), {}
        for key, (ref, feature) in refs.items():
            if ref.part == pattern.of:
                made = Reference(instance, ref.feature)
            elif partner is not None and ref.part == partner.of:
                made = Reference(instance_name(partner.name, k), ref.feature)
            else:
                made = displaced(ref, pattern.name, k)
                feature = feature.moved(motion)
            if made.feature not in parts[made.part].features:
                derived.setdefault(made.part, {})[made.feature] = feature
            changes[key] = made
        name = f"{mate.name}[{k}]" if first else f"{mate.name} {instance}"
        mates.append(replace(mate, name=name, **changes))
    return mates, derived
