"""FreeCAD documents for the add-on inside FreeCAD: the interface of a live document to the engine.

The rules of the Assembly workbench (parts, joints, distances) are implemented behind these names.
A stored file and a live document are both read through `Document` and `Thing`; `Tree` is an
assembly in one, and `make_assembly` makes an `Assembly` of it.

Example of a reader::

    tree = tree_of(document)
    made = make_assembly(tree)
    for part, pose in solve(made.assembly).poses.items():
        place(made.parts[part], tree.placement_for(made.parts[part], pose))
"""

from .errors import FormatError, NotUnderstood, UnknownMode
from .formats import LEFT_OUT, SUPPRESSED
from .formats.freecad.assembly import Made, make_assembly, tree_of, trees_in
from .formats.freecad.assembly2_document import constraints_in
from .formats.freecad.joints import JOINT_TYPES, frame_of, half_turn
from .formats.freecad.parts import ASSEMBLY, ELEMENT, LINKS, TOP, Spot, Tree
from .formats.freecad.positions import FOLDER, GROUP, POSITIONS, add_positions, positions_in
from .formats.freecad.records import Document, Link, Thing
from .formats.freecad.simulations import add_motions, simulations_in
from .formats.replacing import write_file
from .formats.shapes.brep import OTHER, REVOLVED, Element
from .formats.shapes.edge_curves import Course, followed
from .formats.shapes.measured_faces import VIEWS, boxed_about
from .formats.shapes.pick_kinds import Piece
from .formats.simulated import simulated
from .foundations.markup.svg_axes import number as tick_text, rounded_span, ticks
from .foundations.numerics.rounding import AGREEMENT, CONFUSION, DIGITS

__all__ = [
    "AGREEMENT",
    "ASSEMBLY",
    "CONFUSION",
    "DIGITS",
    "ELEMENT",
    "FOLDER",
    "GROUP",
    "JOINT_TYPES",
    "LEFT_OUT",
    "LINKS",
    "OTHER",
    "POSITIONS",
    "REVOLVED",
    "SUPPRESSED",
    "TOP",
    "VIEWS",
    "Course",
    "Document",
    "Element",
    "FormatError",
    "Link",
    "Made",
    "NotUnderstood",
    "Piece",
    "Spot",
    "Thing",
    "Tree",
    "UnknownMode",
    "add_motions",
    "add_positions",
    "boxed_about",
    "constraints_in",
    "followed",
    "frame_of",
    "half_turn",
    "make_assembly",
    "positions_in",
    "rounded_span",
    "simulated",
    "simulations_in",
    "tick_text",
    "ticks",
    "tree_of",
    "trees_in",
    "write_file",
]
