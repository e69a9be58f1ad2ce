"""References of joints that FreeCAD has copied into a flexible sub-assembly.

The copy of a joint whose part is in a sub-assembly of that one still refers to the assembly that
was linked, not to the copies of its parts; FreeCAD itself then leaves such a joint out, unseen.
"""

from __future__ import annotations

from collections.abc import Iterator

from .parts import ASSEMBLY_LINK, DEEPEST, JOINTS, BrokenReference, Tree
from .records import Document, Link, Thing


def in_copy(tree: Tree, joint: Thing, link: Link) -> Link:
    """A reference of a joint as it is meant: to what stands for its part in the sub-assembly."""
    names = (link.name, *link.path.split("."))
    if not link.file and (link.name in tree.members or tree.assembly in names):
        return link
    for held in _holding(tree, joint):
        original, home = _end_of_links(tree, held, tree.document)
        if link.name == original.name and _home(tree, link) == home.title:
            return Link("", held.name, _path(tree, held, (original, home), link.path))
    return link


def _home(tree: Tree, link: Link) -> str:
    """The title of the document that a reference leads into."""
    return tree.document.other(link.file).title if link.file else tree.document.title


def _holding(tree: Tree, joint: Thing) -> Iterator[Thing]:
    """The flexible sub-assembly that has a joint in one of its groups of joints."""
    for name in tree.members:
        thing = tree.document.things.get(name)
        if thing is not None and thing.type == ASSEMBLY_LINK:
            groups = [g for g in _members(thing, tree.document) if g.type == JOINTS]
            if any(link.name == joint.name for group in groups for link in group.links("Group")):
                yield thing


def _path(tree: Tree, held: Thing, original: tuple[Thing, Document], path: str) -> str:
    """A path in the assembly that was linked, as a path in the sub-assembly that is its copy."""
    (first, home), names, out = original, path.split("."), []
    while names and held.type == ASSEMBLY_LINK and names[0] in home.things:
        inner = home.things[names.pop(0)]
        wanted = _same(tree, inner, home)
        among = [t.name for t in _members(first, home) if _same(tree, t, home) == wanted]
        own = tree.document
        copies = [t for t in _members(held, own) if _same(tree, t, own) == wanted]
        if inner.name not in among or len(copies) != len(among):
            raise BrokenReference(f"{inner.label!r} is not in the sub-assembly {held.label!r}")
        held, first = copies[among.index(inner.name)], inner
        out.append(held.name)
    return ".".join([*out, *names])


def _members(container: Thing, document: Document) -> list[Thing]:
    """The objects in a container, without those of other documents."""
    links = container.links("Group")
    return [document.things[k.name] for k in links if not k.file and k.name in document.things]


def _same(tree: Tree, thing: Thing, document: Document) -> tuple[str, str]:
    """What links stand for: equal for those that stand for the same."""
    found, home = _end_of_links(tree, thing, document)
    return home.title, found.name


def _end_of_links(tree: Tree, thing: Thing, document: Document) -> tuple[Thing, Document]:
    """What a link or a sub-assembly stands for in the end, and the document that it is in."""
    for _ in range(DEEPEST):
        thing, document = tree.resolved(thing, document)
        links = thing.links("LinkedObject") if thing.type == ASSEMBLY_LINK else []
        if not links:
            return thing, document
        document = document.other(links[0].file) if links[0].file else document
        if links[0].name not in document.things:
            raise BrokenReference(f"{thing.label!r} links to nothing")
        thing = document.things[links[0].name]
    raise BrokenReference(f"the links of {thing.label!r} go round in a circle")
