"""References of joints that FreeCAD has copied into a flexible sub-assembly.

The copy of a joint whose part is in a sub-assembly of the copied one still refers to the linked
assembly, not to the copies of its parts; in FreeCAD 1.1 it begins at the copied sub-assembly, and
goes on with the part of the linked one.  FreeCAD itself ignores such a joint without a message.
"""

from __future__ import annotations

from collections.abc import Iterator

from .parts import ASSEMBLY_LINK, JOINTS, LINKS, BrokenReference, Tree, document_of
from .records import Document, Link, Thing

FOLLOWED = (*LINKS, ASSEMBLY_LINK)
"""Types of what links to the original of a part, sub-assemblies too."""


def reference_in_copy(tree: Tree, joint: Thing, link: Link) -> Link:
    """The reference of a joint, to the copy of its part where its sub-assembly is copied."""
    names = (link.name, *link.path.split("."))
    if not link.file and (link.name in tree.members or tree.assembly in names):
        return _within_copy(tree, link)
    for copy in _copies_with(tree, joint):
        original, home = tree.resolved(copy, tree.document, FOLLOWED)
        if link.name == original.name and document_of(link, tree.document).title == home.title:
            return Link("", copy.name, _path(tree, copy, (original, home), link.path))
    return link


def _within_copy(tree: Tree, link: Link) -> Link:
    """A reference that begins at a sub-assembly, with the names of what is in that."""
    copy, first = tree.document.things.get(link.name), link.path.split(".")[0]
    if copy is None or copy.type != ASSEMBLY_LINK:
        return link
    if any(thing.name == first for thing in _members(copy, tree.document)):
        return link
    for to in copy.links("LinkedObject"):
        home = document_of(to, tree.document)
        if first in home.things and to.name in home.things:
            return Link("", copy.name, _path(tree, copy, (home.things[to.name], home), link.path))
    return link


def _copies_with(tree: Tree, joint: Thing) -> Iterator[Thing]:
    """Flexible sub-assemblies that have a joint in one of their groups of joints."""
    for name in tree.members:
        thing = tree.document.things.get(name)
        if thing is not None and thing.type == ASSEMBLY_LINK:
            groups = [g for g in _members(thing, tree.document) if g.type == JOINTS]
            if any(link.name == joint.name for group in groups for link in group.links("Group")):
                yield thing


def _path(tree: Tree, copy: Thing, original: tuple[Thing, Document], path: str) -> str:
    """A path in the linked assembly as a path in the sub-assembly that is its copy."""
    (first, home), names, out = original, path.split("."), []
    while names and copy.type == ASSEMBLY_LINK and names[0] in home.things:
        inner = home.things[names.pop(0)]
        key = _linked(tree, inner, home)
        among = [t.name for t in _members(first, home) if _linked(tree, t, home) == key]
        document = tree.document
        copies = [t for t in _members(copy, document) if _linked(tree, t, document) == key]
        if inner.name not in among or len(copies) != len(among):
            raise BrokenReference(f"{inner.label!r} is not in the sub-assembly {copy.label!r}")
        copy, first = copies[among.index(inner.name)], inner
        out.append(copy.name)
    return ".".join([*out, *names])


def _members(container: Thing, document: Document) -> list[Thing]:
    """The objects in a container, without those of other documents."""
    links = container.links("Group")
    return [document.things[k.name] for k in links if not k.file and k.name in document.things]


def _linked(tree: Tree, thing: Thing, document: Document) -> tuple[str, str]:
    """A key of the linked object: equal for links to one object."""
    found, home = tree.resolved(thing, document, FOLLOWED)
    return home.title, found.name
