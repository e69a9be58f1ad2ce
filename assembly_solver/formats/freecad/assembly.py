"""Assemblies of FreeCAD documents, stored or live, as `Assembly` objects with joints as mates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import FormatError, NotUnderstood
from ...foundations.geometry.pose import Pose
from ...model.assembly import Assembly
from ...model.feature import Feature
from .. import LEFT_OUT, READ_AS, SUPPRESSED
from ..coupling_joints import CouplingBuilder, CouplingDefinition, JointFrames, PartFrame
from .assembly2_constraints import mate_of_constraint
from .assembly2_document import ConstrainedTree, constraints_in, skipped_constraints
from .joints import JOINT_TYPES, JointEnd, MateDefinition, Side, ends, frame_of, mate_of_joint
from .parts import ASSEMBLY, TOP, BrokenReference, Tree
from .records import Document, Thing
from .simulations import simulations_in

MEMBERS = "ObjectsToRigidGroup"
"""Property of a rigid group that lists its parts."""


def mates_of_group(tree: Tree, group: Thing) -> Iterator[tuple[str, MateDefinition]]:
    """For each part of a group but the first: its object, and the mate that fixes it to the first.

    A rigid group of FreeCAD 1.2 is listed among the joints, but has no type and no references: it
    lists parts.  FreeCAD fixes them at the stored placements and ignores joints between them; here
    such a joint is solved like any other, and one that does not hold is reported as contradicting
    the group.

    Raises BrokenReference, NotUnderstood: the group is unsupported.

    Source: the source code of FreeCAD's Assembly workbench (JointObject.py, AssemblyObject.cpp).
    """
    first, *others = _parts(tree, group)
    for other in others:
        there = frame_of(tree.pose(other).to(tree.pose(first)))
        sides = Side(first, frame_of(Pose())), Side(other, there)
        yield other, MateDefinition("fixed", *sides, {})


def _parts(tree: Tree, group: Thing) -> list[str]:
    names = [*dict.fromkeys(link.name for link in group.links(MEMBERS))]
    if len(names) < 2:
        raise NotUnderstood("it is a rigid group of fewer than two parts")
    for name in names:
        if name not in tree.parts:
            thing = tree.document.things.get(name)
            label = name if thing is None else thing.label
            raise BrokenReference(f"{label!r} is no part of the assembly that could move")
    return names


class Couplings:
    """Makes gears, belts, racks and screws of an assembly, as couplings, from the mates of its
    other joints, by name.
    """

    def __init__(self, tree: Tree, mates: Mapping[str, MateDefinition]) -> None:
        self.tree = tree
        joints = [
            JointFrames(n, m.kind, self._side(m.a), self._side(m.b)) for n, m in mates.items()
        ]
        self.builder = CouplingBuilder(tree.parts, joints, tree.grounded)

    def coupling(self, joint: Thing) -> CouplingDefinition:
        """The coupling of one of the `KINDS`; BrokenReference, NotUnderstood: unsupported."""
        a, b = map(self._end, ends(self.tree, joint))
        return KINDS[joint.choice("JointType", JOINT_TYPES)](self.builder, joint, a, b)

    def _side(self, side: Side) -> PartFrame:
        return self._frame(side.part, Pose.from_frame(side.feature.frame), side.part)

    def _end(self, end: JointEnd) -> PartFrame:
        return self._frame(end.spot.part, end.frame, end.spot.words)

    def _frame(self, part: str, frame: Pose, words: str) -> PartFrame:
        """A frame on a part at the stored placements."""
        return PartFrame(part, (self.tree.pose(part) @ frame).frame.reshape(4, 3), words)


def _radii(joint: Thing) -> tuple[float, float]:
    return joint.number("Distance"), joint.number("Distance2")


KINDS: Mapping[
    str, Callable[[CouplingBuilder, Thing, PartFrame, PartFrame], CouplingDefinition]
] = {
    "Gears": lambda on, joint, a, b: on.gear(a, b, _radii(joint)),
    "Belt": lambda on, joint, a, b: on.belt(a, b, _radii(joint)),
    "RackPinion": lambda on, joint, a, b: on.rack(a, b, joint.number("Distance")),
    "Screw": lambda on, joint, a, b: on.screw(a, b, joint.number("Distance")),
}
"""The rack slides along z of its frame; the pinion rotates about z of its frame."""


SOURCE = "x-freecad"
"""Note of a part: the name of its object; of an assembly: its file and object."""


class Made(NamedTuple):
    """An assembly; its objects by name of the part, and of the mate (unsupported joints too)."""

    assembly: Assembly
    parts: Mapping[str, str]
    joints: Mapping[str, str]


def make_assembly(tree: Tree, folder: Path | None = None) -> Made:
    """The assembly of a tree.

    Unsupported joints are named, with the reason, in the note `LEFT_OUT`, joints that are
    suppressed in FreeCAD in the note `SUPPRESSED`, what had to be decided in the note `READ_AS`.

    Args:
        folder: of the document, to which paths of files are relative.
    """
    found = _TreeMates(tree)
    assembly = Assembly(tree.label, folder=folder)
    told = {label: mate.told for label, mate in found.mates.items() if mate.told}
    notes = {LEFT_OUT: found.left_out, SUPPRESSED: found.suppressed, READ_AS: told}
    assembly.notes |= {key: value for key, value in notes.items() if value}
    grounded, names = tree.grounded, _unique(tree.parts.values())
    for name, thing in tree.parts.items():
        assembly.add(
            names[name],
            pose=tree.pose(name),
            grounded=name in grounded,
            features=found.features.get(name),
            notes={SOURCE: thing.name},
        )
    for label, mate in found.mates.items():
        ends = ((names[mate.a.part], label), (names[mate.b.part], label))
        assembly.mate(mate.kind, *ends, name=label, **mate.parameters)
        for coordinate, (low, high) in mate.limits.items():
            assembly.limit(label, coordinate, min=low, max=high)
    for label, coupling in found.couplings.items():
        assembly.mate(coupling.kind, name=label, **coupling.parameters)
    return Made(assembly, {names[k]: k for k in tree.parts}, found.objects)


class _TreeMates:
    """The joints of an assembly: mates and couplings by name, their features, skipped joints."""

    def __init__(self, tree: Tree) -> None:
        self.mates: dict[str, MateDefinition] = {}
        self.couplings: dict[str, CouplingDefinition] = {}
        self.features: dict[str, dict[str, Feature]] = {}
        self.left_out = skipped_constraints(tree) | _joints_without_assembly(tree)
        self.suppressed: list[str] = []
        joints = [j for j in tree.joints.values() if not j.has("ObjectToGround")]
        coupling: dict[str, Thing] = {}
        labels = _unique(joints)
        self.objects = {label: name for name, label in labels.items()}
        for name, label in labels.items():
            joint = tree.joints[name]
            if joint.flag("Suppressed") or not joint.flag("Activated", True):
                self.suppressed.append(label)
                continue
            with self._reporting(label):
                if isinstance(tree, ConstrainedTree):
                    self._add(label, mate_of_constraint(tree, joint))
                elif joint.has(MEMBERS):
                    self._add_group(label, tree, joint)
                elif not joint.has("JointType"):
                    raise NotUnderstood("it is no joint and grounds nothing: of a later FreeCAD")
                elif joint.choice("JointType", JOINT_TYPES) in KINDS:
                    coupling[label] = joint
                else:
                    self._add(label, mate_of_joint(tree, joint))
        if not coupling:  # most have none, and the poses of all joints take time
            return
        known = Couplings(tree, self.mates)
        for label, joint in coupling.items():
            with self._reporting(label):
                self.couplings[label] = known.coupling(joint)

    @contextmanager
    def _reporting(self, label: str) -> Iterator[None]:
        """Store the reason where a joint is unsupported."""
        try:
            yield
        except (BrokenReference, NotUnderstood) as error:
            self.left_out[label] = str(error)

    def _add(self, label: str, mate: MateDefinition) -> None:
        self.mates[label] = mate
        for side in (mate.a, mate.b):
            self.features.setdefault(side.part, {})[label] = side.feature

    def _add_group(self, label: str, tree: Tree, group: Thing) -> None:
        """Add a rigid group; of several mates each is named with the part that it fixes."""
        mates = dict(mates_of_group(tree, group))
        for part, mate in mates.items():
            name = label
            if len(mates) > 1:
                name = f"{label} ({tree.parts[part].label})"
                name = name if name not in self.objects else f"{label} ({part})"
            self._add(name, mate)
            self.objects[name] = group.name


WITHOUT = (
    "it is of FreeCAD 1.0 or later, whose assembly this FreeCAD did not load; open the document "
    "there, or delete it"
)


def _joints_without_assembly(tree: Tree) -> dict[str, str]:
    """Joints and rigid groups in a document without an assembly object that they could be of.

    A FreeCAD before 1.0 opens such documents without it.
    """
    things = tree.document.things.values()
    if tree.assembly != TOP or any(t.type == ASSEMBLY and t.name != TOP for t in things):
        return {}
    keys = ("JointType", "ObjectToGround", MEMBERS)
    found = (t for t in things if any(map(t.has, keys)) and t.name not in tree.joints)
    joints = (t for t in found if not t.flag("Suppressed") and t.flag("Activated", True))
    return dict.fromkeys(_unique(joints).values(), WITHOUT)


def _unique(things: Iterable[Thing]) -> dict[str, str]:
    """A unique name for each object: its label, with the object's name where that is in use."""
    out: dict[str, str] = {}
    used: set[str] = set()
    for thing in things:
        name = thing.label
        while name in used:
            name = f"{name} ({thing.name})"
        used.add(name)
        out[thing.name] = name
    return out


def tree_of(document: Document, choice: str = "") -> Tree:
    """An assembly in a document: as of `chosen_assembly`, or a whole one of Assembly2 or A2plus."""
    if not choice and constraints_in(document):
        return ConstrainedTree(document)
    return Tree(document, chosen_assembly(document, choice).name)


def trees_in(document: Document) -> list[Tree]:
    """The assemblies of a document that are in no other assembly."""
    if constraints_in(document):
        return [ConstrainedTree(document)]
    return [Tree(document, thing.name) for thing in assemblies_in(document)]


def assemblies_in(document: Document) -> list[Thing]:
    """The assembly objects that are in no other assembly; all where each is in another."""
    every = [t for t in document.things.values() if t.type == ASSEMBLY]
    inner = {link.name for t in every for link in _everything_in(document, t)}
    return [t for t in every if t.name not in inner] or every


def chosen_assembly(document: Document, choice: str = "") -> Thing:
    """The assembly object of a name or label, or the only one in no other; FormatError: not one."""
    every = [t for t in document.things.values() if t.type == ASSEMBLY]
    if not every:
        raise FormatError(document.title, _without_assembly(document))
    fits = assemblies_in(document)
    if choice:
        fits = [t for t in every if choice in (t.name, t.label)]
        fits = [t for t in fits if t.name == choice] or fits
    if len(fits) == 1:
        return fits[0]
    known = [*every, *(s for t in every for s in simulations_in(document, t.name) if choice)]
    names = ", ".join(f"{t.name} ({t.label})" if t.label != t.name else t.name for t in known)
    problem = f"no one assembly is named {choice!r}" if choice else "it holds several assemblies"
    hint = f"choose one as {document.chosen(every[0])}"
    raise FormatError(document.title, f"{problem}: {names}; {hint}")


def _everything_in(document: Document, container: Thing) -> list[Any]:
    """Links to the members of a container and of all containers in it."""
    out = list(container.links("Group"))
    seen = {container.name}
    for link in out:
        if link.name in document.things and link.name not in seen:
            seen.add(link.name)
            out += document.things[link.name].links("Group")
    return out


def _without_assembly(document: Document) -> str:
    by = f" (written by FreeCAD {document.version})" if document.version else ""
    if constraints_in(document):
        return f"it is one assembly of Assembly2 or A2plus, without a name to choose it by{by}"
    if any(thing.has("MateKind") for thing in document.things.values()):
        there = "solve it there, or write it there as an assembly file"
        return f"its mates are those of the add-on for FreeCAD; {there}{by}"
    return f"there is no assembly in it: none of FreeCAD 1.0 or later, Assembly2 or A2plus{by}"
