"""Documents of FreeCAD for the add-on inside it: the seam between a live document and the engine.

The rules of the Assembly workbench - what moves, what a joint asks for, what a distance is measured
between - stand once, behind these names.  A stored file and a live document are both read through
`Document` and `Thing`; `Tree` is an assembly in one, and `make_assembly` makes an `Assembly` of it.

Example of a reader::

    tree = tree_of(document)
    made = make_assembly(tree)
    for part, pose in solve(made.assembly).poses.items():
        place(made.parts[part], tree.placement_for(made.parts[part], pose))
"""

from .errors import FormatError, NotUnderstood
from .formats import LEFT_OUT, SUPPRESSED
from .formats.brep import OTHER, REVOLVED, Element
from .formats.following import Course, followed
from .formats.freecad_assembly import Made, make_assembly, tree_of, trees_in
from .formats.freecad_constrained import constraints_in
from .formats.freecad_joints import JOINT_TYPES, frame_of, half_turn
from .formats.freecad_parts import ASSEMBLY, ELEMENT, LINKS, TOP, Spot, Tree
from .formats.freecad_records import Document, Link, Thing
from .formats.freecad_simulations import add_motions, simulations_in
from .formats.measured_faces import VIEWS, boxed_about
from .formats.pieces import FLAT, Piece
from .formats.simulated import simulated

__all__ = [
    "ASSEMBLY",
    "ELEMENT",
    "FLAT",
    "JOINT_TYPES",
    "LEFT_OUT",
    "LINKS",
    "OTHER",
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
    "add_motions",
    "boxed_about",
    "constraints_in",
    "followed",
    "frame_of",
    "half_turn",
    "make_assembly",
    "simulated",
    "simulations_in",
    "tree_of",
    "trees_in",
]
