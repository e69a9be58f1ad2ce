"""Groups: parts, mates and drivers that one entry stands for.

A flexible sub-assembly enters an assembly with all that it holds, under names as "arm.rod".  A
pattern repeats a part, its seed, and every mate of the seed.  Both are entered as ordinary parts,
mates and drivers; what a group remembers is what they were, so that a file can tell the entry and
what was changed since.
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
from ..feature import Feature, Frame
from ..mate import Held, Mate, Reference, together
from ..mates.couplings import Coupling
from ..part import Part


class Whole(Protocol):
    """An assembly as another one includes it."""

    name: str
    folder: Path
    file: Path | None

    @property
    def parts(self) -> Mapping[str, Part]: ...
    @property
    def held(self) -> Mapping[str, Held]: ...
    @property
    def drivers(self) -> Mapping[str, Driver]: ...
    @property
    def limits(self) -> Mapping[str, Limit]: ...
    @property
    def cylinders(self) -> Mapping[str, Cylinder]: ...
    @property
    def tolerance(self) -> float: ...


@dataclass(frozen=True, kw_only=True)
class Group:
    """What one entry stands for.

    Attributes:
        name: of the entry; notes: keys kept for the file.
        parts, mates, drivers, limits: by their names in the assembly, as they were entered.
        without: mates (in a sub-assembly also limits) that were left out: by their names there, or
            as repeated.
    """

    name: str
    parts: Mapping[str, Part]
    mates: Mapping[str, Mate] = field(default_factory=dict)
    drivers: Mapping[str, Driver] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SubAssembly(Group):
    """A flexible sub-assembly: its parts move as its mates let them.

    Attributes:
        file: where it is written; pose: of its frame; grounded: whether its grounded parts are.
        colour: of its parts that have none.
        told: poses of parts as a file told them, in the sub-assembly's frame, each with the pose
            that it came to: so that they are told again without rounding.
    """

    file: Path | None
    pose: Pose
    grounded: bool
    colour: str | None
    told: Mapping[str, tuple[Pose, Pose]] = field(default_factory=dict)

    def inside(self, name: str) -> str:
        """The name in the assembly of one of its parts, mates or drivers."""
        return f"{self.name}.{name}"

    def given(self, mate: Mate) -> dict[str, Any]:
        """What one of its mates is entered with."""
        given = mate.parameters() | {"kind": type(mate), "name": self.inside(mate.name)}
        if isinstance(mate, Coupling):
            return given | {"joints": tuple(map(self.inside, mate.joints))}
        inner = {
            key: Reference(self.inside(r.part), r.feature) for key, r in references(mate).items()
        }
        return given | inner

    def about(self, quantity: Quantity) -> dict[str, Any]:
        """What one of its drivers or limits is about, under the names in the assembly."""
        about = quantity.about
        return {
            "name": self.inside(quantity.name),
            "joint": self.inside(quantity.joint) if quantity.joint is not None else None,
            "coordinate": quantity.coordinate,
            "about": about and (self.inside(about.part), about.feature),
            **{key: self._pair(getattr(quantity, key)) for key in MEASURES},
        }

    def guide(self, guide: Guide) -> Guide:
        """One of its guides as it enters the assembly; the world is the sub-assembly's frame."""
        base, own, ref = guide.base, guide.own, guide.relative_to
        base = base._replace(part=self.inside(base.part))
        own = own._replace(part=self.inside(own.part))
        return replace(
            guide,
            name=self.inside(guide.name),
            part=own.part,
            base=base,
            own=own,
            relative_to=ref and Reference(self.inside(ref.part), ref.feature),
            equation=together(base, own)[0],
            world=self.pose @ guide.world,
        )

    def _pair(self, ends: tuple[Reference, Reference] | None) -> Any:
        return ends and tuple((self.inside(r.part), r.feature) for r in ends)

    def relative(self, part: Part) -> Pose:
        """The pose of one of its parts in its own frame."""
        told = self.told.get(part.name)
        return told[0] if told is not None and told[1] == part.pose else self.pose.to(part.pose)


def included(parts: Mapping[str, Part], folder: Path) -> dict[str, Part]:
    """Parts of another assembly, with geometry that is found from anywhere."""
    return {
        name: replace(part, geometry=(folder / part.geometry).absolute())
        if part.geometry is not None
        else part
        for name, part in parts.items()
    }


def flexible(sub: SubAssembly, parts: Mapping[str, Part]) -> dict[str, Part]:
    """The parts of a flexible sub-assembly as they enter the assembly.

    The grounded ones stay together: each knows the frame of the first one.
    """
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


def limit_name(name: str, mates: Collection[str]) -> str:
    """How a limit is named among mates: told apart where one of them has its name."""
    return f"limit {name}" if name in mates else name


def origin_of(part: Part) -> str:
    """Name of the feature that is another part's origin."""
    return f"origin of {part.name}"


@dataclass(frozen=True, kw_only=True)
class Pattern(Group):
    """A part that is there several times, with its mates.

    Attributes:
        of: the seed; poses: displacements, one for each instance.
        base: the other part of the seed's first mate; None where it has none.
        repeats: for each mate of the seed the names of the mates that repeat it.

    Each pose is a displacement in the frame of the part that the seed's mate joins it to: the
    mate is repeated with that part's feature displaced.  An instance starts where the seed
    starts, displaced likewise in the frame of the base (without one, of the assembly).
    """

    of: str
    poses: tuple[Pose, ...]
    base: str | None = None
    repeats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def starts(self, parts: Mapping[str, Part]) -> list[Pose]:
        """Where the instances are when they follow the seed."""
        base = parts[self.base].pose if self.base is not None else Pose()
        return followed(self.poses, parts[self.of].pose, base)


def instance_name(pattern: str, k: int) -> str:
    """Name of the instance of a pattern with number k, counted from 1."""
    return f"{pattern}[{k}]"


def followed(poses: Sequence[Pose], seed: Pose, base: Pose) -> list[Pose]:
    """The seed's pose displaced by each of some poses, told in the frame of the base."""
    near = np.tile(base.to(seed).frame, (len(poses), 1))
    whole = np.tile(base.frame, (len(poses), 1))
    return poses_of(compose_all(whole, compose_all(frames_of(poses), near)))


def instances(seed: Part, name: str, poses: Sequence[Pose]) -> dict[str, Part]:
    """The instances of a pattern, displaced in the assembly's frame; they share the features."""
    starts = followed(poses, seed.pose, Pose())
    names = [instance_name(name, k) for k in range(1, len(poses) + 1)]
    return {
        n: replace(seed, name=n, pose=pose, notes={}) for n, pose in zip(names, starts, strict=True)
    }


def references(mate: Mate) -> dict[str, Reference]:
    """The features that a mate names, by field."""
    values = {f.name: getattr(mate, f.name) for f in fields(mate)}
    return {key: value for key, value in values.items() if isinstance(value, Reference)}


def repeated(
    mate: Mate, pattern: Pattern, partner: Pattern | None, parts: Mapping[str, Part], first: bool
) -> tuple[list[Mate], dict[str, dict[str, Feature]]]:
    """A mate repeated for the instances of a pattern, and the features that are new, by part.

    Args:
        partner: the pattern of the other part where that is a seed as well: then instances are
            joined pair by pair, else to displaced features.
        first: whether the pattern is the first one of its seed; then mates are only numbered.
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
                made = Reference(ref.part, f"{ref.feature}@{instance}")
                feature = feature.moved(motion)
            if made.feature not in parts[made.part].features:
                derived.setdefault(made.part, {})[made.feature] = feature
            changes[key] = made
        name = f"{mate.name}[{k}]" if first else f"{mate.name} {instance}"
        mates.append(replace(mate, name=name, **changes))
    return mates, derived
