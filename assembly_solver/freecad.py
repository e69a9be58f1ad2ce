"""Documents of FreeCAD for the add-on inside it: the seam between a live document and the engine.

The rules of the Assembly workbench - what moves, what a joint asks for, what a distance is measured
between - stand once, behind these names.  A stored file and a live document are both read through
`Document` and `Thing`; `Tree` is an assembly in one, and `make_assembly` makes an `Assembly` of it.

Example of a reader::

    tree = Tree(document, chosen_assembly(document).name)
    made = make_assembly(tree)
    for part, pose in solve(made.assembly).poses.items():
        place(made.parts[part], tree.placement_for(made.parts[part], pose))
"""

from .errors import FormatError, NotUnderstood
from .formats import LEFT_OUT, SUPPRESSED
from .formats.brep import OTHER, Element
from .formats.freecad_assembly import OLDER, Made, assemblies_in, chosen_assembly, make_assembly
from .formats.freecad_joints import JOINT_TYPES
from .formats.freecad_parts import ASSEMBLY, ELEMENT, LINKS, Spot, Tree
from .formats.freecad_records import Document, Link, Thing
from .formats.picks import along, beside_axis, plane_at

__all__ = [
    "ASSEMBLY",
    "ELEMENT",
    "JOINT_TYPES",
    "LEFT_OUT",
    "LINKS",
    "OLDER",
    "OTHER",
    "SUPPRESSED",
    "Document",
    "Element",
    "FormatError",
    "Link",
    "Made",
    "NotUnderstood",
    "Spot",
    "Thing",
    "Tree",
    "along",
    "assemblies_in",
    "beside_axis",
    "chosen_assembly",
    "make_assembly",
    "plane_at",
]
