"""An assembly of a FreeCAD document, stored or live, as an `Assembly` with the joints as mates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import FormatError, NotUnderstood
from ...model.assembly import Assembly
from ...model.feature import Feature
from .. import LEFT_OUT, SUPPRESSED
from ..coupling_joints import Coupled
from .assembly2_constraints import constrained
from .assembly2_document import ConstrainedTree, constraints_in, passed_over
from .couplings import KINDS, Couplings
from .joints import JOINT_TYPES, Wanted, wanted
from .parts import ASSEMBLY, BrokenReference, Tree
from .records import Document, Thing
from .rigid_groups import MEMBERS, welded
from .simulations import simulations_in

SOURCE = "x-freecad"
"""Note of a part: the name of its object; of an assembly, where it came from."""


class Made(NamedTuple):
    """An assembly, and the names of the objects that its parts and joints were made of.

    Attributes:
        parts: object by name of the part; joints: object by name of the mate, those among them
            that are switched off or were left out.
    """

    assembly: Assembly
    parts: Mapping[str, str]
    joints: Mapping[str, str]


def make_assembly(tree: Tree, folder: Path | None = None) -> Made:
    """The assembly of a tree.

    Joints that cannot be made mates are left out and named, with the reason, in the note
    `LEFT_OUT`; joints that are switched off in FreeCAD are named in `SUPPRESSED`.

    Args:
        folder: of the document, where files beside it are looked for.
    """
    found = _Joints(tree)
    assembly = Assembly(tree.label, folder=folder)
    assembly.notes |= {k: v for k, v in found.notes().items() if v}
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


class _Joints:
    """The joints of an assembly as mates by name, the features that they need, and the rest."""

    def __init__(self, tree: Tree) -> None:
        self.mates: dict[str, Wanted] = {}
        self.couplings: dict[str, Coupled] = {}
        self.features: dict[str, dict[str, Feature]] = {}
        self.left_out = passed_over(tree)
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
            with self._told(label):
                if isinstance(tree, ConstrainedTree):
                    self._take(label, constrained(tree, joint))
                elif joint.has(MEMBERS):
                    self._weld(label, tree, joint)
                elif not joint.has("JointType"):
                    raise NotUnderstood("it is no joint and grounds nothing: of a later FreeCAD")
                elif joint.choice("JointType", JOINT_TYPES) in KINDS:
                    coupling[label] = joint
                else:
                    self._take(label, wanted(tree, joint))
        if not coupling:  # most have none, and to place all joints takes time
            return
        known = Couplings(tree, self.mates)
        for label, joint in coupling.items():
            with self._told(label):
                self.couplings[label] = known.wanted(joint)

    @contextmanager
    def _told(self, label: str) -> Iterator[None]:
        """Keep the reason where a joint cannot be understood."""
        try:
            yield
        except (BrokenReference, NotUnderstood) as error:
            self.left_out[label] = str(error)

    def _take(self, label: str, mate: Wanted) -> None:
        self.mates[label] = mate
        for side in (mate.a, mate.b):
            self.features.setdefault(side.part, {})[label] = side.feature

    def _weld(self, label: str, tree: Tree, group: Thing) -> None:
        """Take a rigid group: of several mates each is named with the part that it holds."""
        mates = dict(welded(tree, group))
        for part, mate in mates.items():
            name = label
            if len(mates) > 1:
                name = f"{label} ({tree.parts[part].label})"
                name = name if name not in self.objects else f"{label} ({part})"
            self._take(name, mate)
            self.objects[name] = group.name

    def notes(self) -> dict[str, Any]:
        return {LEFT_OUT: self.left_out, SUPPRESSED: self.suppressed}


def _unique(things: Iterable[Thing]) -> dict[str, str]:
    """A name for each object: its label, with the object's own name where that is taken."""
    out: dict[str, str] = {}
    taken: set[str] = set()
    for thing in things:
        name = thing.label
        while name in taken:
            name = f"{name} ({thing.name})"
        taken.add(name)
        out[thing.name] = name
    return out


def tree_of(document: Document, choice: str = "") -> Tree:
    """An assembly in a document: the one of a name or label, or the only one.

    A document of Assembly2 or A2plus is an assembly as a whole.
    """
    if not choice and constraints_in(document):
        return ConstrainedTree(document)
    return Tree(document, chosen_assembly(document, choice).name)


def trees_in(document: Document) -> list[Tree]:
    """The assemblies of a document that are in no other one."""
    if constraints_in(document):
        return [ConstrainedTree(document)]
    return [Tree(document, thing.name) for thing in assemblies_in(document)]


def assemblies_in(document: Document) -> list[Thing]:
    """The assembly objects that are in no other one; all where each is in another."""
    every = [t for t in document.things.values() if t.type == ASSEMBLY]
    inner = {link.name for t in every for link in _everything_in(document, t)}
    return [t for t in every if t.name not in inner] or every


def chosen_assembly(document: Document, choice: str = "") -> Thing:
    """The assembly object of a name or label, or the only one that is in no other."""
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
    way = f"choose one as {document.chosen(every[0])}"
    raise FormatError(document.title, f"{problem}: {names}; {way}")


def _everything_in(document: Document, container: Thing) -> list[Any]:
    """Links to the members of a container and of the groups and parts in it."""
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
        return f"its mates are those of the add-on for FreeCAD; solve it there{by}"
    return f"there is no assembly in it: none of FreeCAD 1.0 or later, Assembly2 or A2plus{by}"
