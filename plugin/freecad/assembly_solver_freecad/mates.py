"""Mates between faces, edges and vertices of two parts, stored as objects of the document.

A mate stores its elements and parameters as properties; a folder "Mates" contains those of an
assembly, or of a document without one, and lists the grounded parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import assembly_solver as asm
from assembly_solver.freecad import FOLDER, TOP, Link, NotUnderstood, Tree

from . import coupling
from .choosing import Choice, choice_of, choices as fitting_choices, roles_of, try_out
from .live import Live, step
from .mate_elements import ELEMENTS, JOINTS, REFERENCES, keep, references
from .places import PartElement, Selection, element_at, folders, rooted, trees
from .properties import VALUES, suit, write
from .proxies import FolderProxy, MateProxy, shown
from .reading import add_mate


# ------------------------------------------------------------------------------------ making
def choices(selection: Selection) -> tuple[Choice, ...]:
    """The mates that fit what is selected, best first, each with its initial parameters.

    Args:
        selection: two to four pairs of an object and the path of an element in it, as
            (frame, "Pin.Face6"); objects as in the tree.  Or two or more joints, as (hinge, ""),
            for gears, belts and racks.

    Raises:
        AssemblySolverError: an element is on no part of one assembly; or nothing fits.
    """
    _check_pairs(selection)
    if joints := coupling.joints_of(selection):
        return coupling.choices(coupling.coupled(joints))
    return _fitting(_picked(selection)[1])


def mate(
    selection: Selection,
    kind: str | Choice | None = None,
    label: str | None = None,
    **parameters: Any,
) -> Any:
    """Add a mate between selected elements to the document; one undo step.  Nothing is moved.

    In a document without an assembly of FreeCAD's own the part of the first element is grounded
    where no part is.

    Args:
        selection: as for `choices`, in any order; kind: also a word of another
            program, as "hinge"; by default the one that fits best.
        label: of the object; by default made from the kind and the parts.
        parameters: of the kind, mm and degrees, as `sense`, `offset`, `value`; by default those of
            a choice of this kind: faces face to face, measured values.

    Returns:
        The document object.
    """
    _check_pairs(selection)
    if isinstance(kind, str):
        named = asm.kind_named(kind)
        kind, parameters = named.cls.kind, named.with_implied(kind, parameters, "mate")
    if joints := coupling.joints_of(selection):
        return _couple(joints, kind, label, parameters)
    tree, elements = _picked(selection)
    chosen = [e.chosen for e in elements]
    choice = kind if isinstance(kind, Choice) else _choice(kind, elements)
    told_ = {**choice.parameters, **parameters}
    try_out(choice.kind, chosen, roles_of(choice.kind, chosen), told_)
    document = selection[0][0].Document
    names = " - ".join(dict.fromkeys(c.part for c in chosen))
    with step(document, f"Mate {asm.kind_words(choice.kind)}"):
        folder = folder_for(tree, document)
        if tree.assembly == TOP and not (folder.Grounded or tree.grounded):
            folder.Grounded = [document.getObject(elements[0].part)]
        made = _added(folder, label or f"{_titled(choice.kind)} {names}")
        _describe(made, choice.kind, selection, elements)
        _finish(made, choice.kind, told_)
    return made


def tried(
    live: Live, selection: Selection, choice: Choice, parameters: Mapping[str, Any]
) -> asm.Assembly:
    """An assembly as it would be with another mate; the document stays as it is.

    Args:
        live: the assembly; selection, choice, parameters: as for `mate`.

    Raises:
        AssemblySolverError: there is no such mate, as of what is not in the assembly.
    """
    if coupling.joints_of(selection):
        raise NotUnderstood("a coupling of joints is not drawn before it is made")
    elements = [element_at(live.tree, *rooted(found, path)) for found, path in selection]
    names = {part.Name: name for name, part in live.parts.items()}
    strange = next((e for e in elements if e.part not in names), None)
    if strange is not None:
        raise NotUnderstood(f"{strange.words} is in no part of the assembly")
    out = live.assembly.copy()
    if not any(part.grounded for part in out.parts.values()):
        out.ground(names[elements[0].part])
    add_mate(out, names, choice.kind, "preview", elements, {**choice.parameters, **parameters})
    return out


def _couple(
    joints: Sequence[Any], kind: str | Choice | None, label: str | None, told_: dict[str, Any]
) -> Any:
    """Add a mate between joints; the first of them turns first, of a rack the pinion."""
    found = coupling.coupled(joints)
    fits = coupling.choices(found)
    choice = kind if isinstance(kind, Choice) else None
    if choice is None:
        choice = fits[0] if kind is None and fits else coupling.choice_of(str(kind), found)
    parameters = {**choice.parameters, **coupling.with_ratio(told_)}
    coupling.try_out(found, choice.kind, parameters)
    document = joints[0].Document
    with step(document, f"Mate {asm.kind_words(choice.kind)}"):
        folder = folder_for(found.live.tree, document)
        made = _added(folder, label or f"{_titled(choice.kind)} {' - '.join(found.labels)}")
        _name_kinds(made, choice.kind, [c.kind for c in fits])
        made.addProperty("App::PropertyLinkListHidden", JOINTS, ELEMENTS, "Joints it couples")
        setattr(made, JOINTS, list(joints))
        for fitting in fits:
            write(made, fitting.kind, fitting.parameters)
        _finish(made, choice.kind, parameters)
    return made


def _added(folder: Any, label: str) -> Any:
    """A new object in the folder of the mates."""
    made = folder.Document.addObject("App::FeaturePython", "Mate")
    folder.addObject(made)
    made.Label = label
    return made


def _finish(made: Any, kind: str, parameters: Mapping[str, Any]) -> None:
    """Set the label and parameters of a new mate that has its kind and elements."""
    write(made, kind, parameters)
    suit(made)
    made.Proxy = MateProxy()
    shown(made)
    for thing in (made, made.getParentGroup()):
        thing.purgeTouched()  # nothing of them is computed


def _titled(kind: str) -> str:
    return asm.kind_words(kind).capitalize()


def rechoose(mate: Any, selection: Selection | None = None) -> None:
    """Change the elements of a mate; one undo step.  Nothing is moved.

    Args:
        selection: as for `mate`; by default the elements that its references name now.

    Raises:
        AssemblySolverError: no mate of its kind fits them; nothing is changed.
    """
    if hasattr(mate, JOINTS):
        raise NotUnderstood(f"{mate.Label} is between joints; make another one between others")
    picked = selection_of(mate) if selection is None else selection
    _, elements = _picked(picked)
    chosen, kind = [e.chosen for e in elements], str(mate.MateKind)
    if not roles_of(kind, chosen):
        choice_of(kind, chosen)  # raises what fits instead
    with step(mate.Document, f"Mate {asm.kind_words(kind)}"):
        keep(mate, [rooted(found, path)[0] for found, path in picked], elements)


def ground(parts: Any, grounded: bool = True) -> None:
    """Ground parts at their placements, or release them; one undo step.

    Args:
        parts: an object or several, each a part of an assembly or an object in one.
    """
    found = list(parts) if isinstance(parts, Sequence) else [parts]
    tree, moving = _tree_with([(part, "") for part in found])
    document = found[0].Document
    objects = [document.getObject(name) for name in moving]
    with step(document, "Ground parts" if grounded else "Release parts"):
        folder = folder_for(tree, document)
        rest = [part for part in folder.Grounded if part not in objects]
        folder.Grounded = [*rest, *(objects if grounded else [])]


def selection_of(mate: Any) -> list[tuple[Any, str]]:
    """The elements of a mate as objects and paths for a selection; without deleted ones."""
    return [found for found in references(mate) if found is not None]


def _choice(kind: str | None, elements: Sequence[PartElement]) -> Choice:
    """The choice of a kind, or the best of all."""
    if kind is None:
        return _fitting(elements)[0]
    return choice_of(kind, [e.chosen for e in elements])


def _fitting(elements: Sequence[PartElement]) -> tuple[Choice, ...]:
    """All choices; raises where there is none."""
    found = fitting_choices([e.chosen for e in elements])
    if not found:
        raise NotUnderstood(_why_none(elements))
    return found


def _why_none(elements: Sequence[PartElement]) -> str:
    """Why no mate fits."""
    things = ", ".join(f"{e.words} ({e.chosen.pick.kind})" for e in elements)
    if len(elements) < 2:
        return f"{things} is one element; a mate is between two or more"
    if len({e.part for e in elements}) == 1:
        return f"{things} are all on {elements[0].chosen.part}; choose elements of two parts"
    return f"no mate is between {things}"


def _describe(made: Any, kind: str, selection: Selection, elements: Sequence[PartElement]) -> None:
    """Set the kind and the elements of a new mate."""
    _name_kinds(made, kind, [c.kind for c in fitting_choices([e.chosen for e in elements])])
    keep(made, [rooted(found, path)[0] for found, path in selection], elements)


def _name_kinds(made: Any, kind: str, fits: Sequence[str]) -> None:
    """Set the kind of a new mate and the kinds that it can have."""
    made.addProperty("App::PropertyEnumeration", "MateKind", VALUES, "What the mate asks for")
    made.MateKind = list(dict.fromkeys((*fits, kind)))
    made.MateKind = kind
    made.addProperty("App::PropertyBool", "Suppressed", VALUES, "Whether it is left out")


# ----------------------------------------------------------------------- where it belongs to
def _check_pairs(selection: Sequence[Any]) -> None:
    for pair in selection:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            said = getattr(pair, "Label", pair)
            raise NotUnderstood(f'{said} alone is no element; give the pair ({said}, "Face6")')


def _picked(selection: Selection) -> tuple[Tree, list[PartElement]]:
    """The assembly of a selection, and the selected elements."""
    if not 1 <= len(selection) <= len(REFERENCES):
        raise NotUnderstood(f"a mate is between 2 to {len(REFERENCES)} elements")
    tree, _ = _tree_with(selection)
    return tree, [element_at(tree, *rooted(found, path)) for found, path in selection]


def _tree_with(selection: Selection) -> tuple[Tree, list[str]]:
    """The assembly that contains all of a selection, and its parts."""
    reasons = []
    for found, _ in selection:
        if not hasattr(found, "Document"):
            raise NotUnderstood(f"{getattr(found, 'Label', found)!r} is no object of a document")
    for tree in trees(selection[0][0].Document):
        try:
            return tree, [_part(tree, found, path) for found, path in selection]
        except asm.AssemblySolverError as error:
            reasons.append(str(error))
    raise NotUnderstood(reasons[0] if reasons else "there is no assembly in the document")


def _part(tree: Tree, found: Any, path: str) -> str:
    root, way = rooted(found, path)
    return tree.spot(Link("", root.Name, way)).part


def folder_for(tree: Tree, document: Any) -> Any:
    """The folder of the mates of an assembly, created if missing."""
    for found in folders(tree):
        return found
    folder = document.addObject(FOLDER, "Mates")
    words = "Parts that stay where they are"
    folder.addProperty("App::PropertyLinkListHidden", "Grounded", "Mates", words)
    folder.Proxy = FolderProxy()
    shown(folder)
    if tree.assembly != TOP:
        document.getObject(tree.assembly).addObject(folder)
    return folder
