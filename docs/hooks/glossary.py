"""The words of these pages, and those of other programs, as the code reads them."""

from __future__ import annotations

from kinds import place

from assembly_solver.model.synonyms import AMBIGUOUS, SYNONYMS

FREECAD = {
    "Fixed": "fixed",
    "Revolute": "revolute",
    "Cylindrical": "cylindrical",
    "Slider": "prismatic",
    "Ball": "spherical",
    "Distance": "distance",
    "Parallel": "parallel",
    "Perpendicular": "perpendicular",
    "Angle": "angle; parallel at 0 degrees",
    "RackPinion": "rack_and_pinion",
    "Screw": "linear",
    "Gears": "gear; linear where a wheel turns on a turning arm",
    "Belt": "belt; linear where a wheel turns on a turning arm",
}
ONDSEL = {
    "RevoluteJoint": "revolute",
    "CylindricalJoint": "cylindrical",
    "TranslationalJoint": "prismatic",
    "SphericalJoint": "spherical",
    "FixedJoint": "fixed",
    "UniversalJoint": "universal",
    "ConstantVelocityJoint": "constant_velocity",
    "PlanarJoint": "planar; coplanar with an offset",
    "PointInPlaneJoint": "point_in_plane",
    "LineInPlaneJoint": "line_in_plane",
    "PointInLineJoint": "point_on_line",
    "AngleJoint": "angle",
    "ParallelAxesJoint": "parallel",
    "PerpendicularJoint": "perpendicular",
    "NoRotationJoint": "parallel and angle",
    "SphSphJoint": "distance of two points",
    "CylSphJoint": "distance of an axis and a point",
    "RevCylJoint": "distance of two axes",
    "RevRevJoint": "distance of two axes and point_in_plane",
    "GearJoint": "gear; linear where a wheel turns on a turning arm",
    "RackPinionJoint": "rack_and_pinion",
    "ScrewJoint": "linear",
}
CADQUERY = {
    "Plane": "revolute; coincident and angle where an angle is given",
    "Point": "coincident; distance where one is given",
    "Axis": "parallel; angle where one is given",
    "PointInPlane": "point_in_plane",
    "PointOnLine": "point_on_line; distance where one is given",
    "Fixed": "a part that is grounded",
    "FixedPoint": "coincident with a part that is grounded",
    "FixedAxis": "parallel to a part that is grounded",
    "FixedRotation": "parallel, twice, to a part that is grounded",
}
PROGRAMS = {
    "FreeCAD 1.0, joints": FREECAD,
    "CadQuery, constraints": CADQUERY,
    "OndselSolver": ONDSEL,
}
"""By program: its words, and what they are read as."""


OURS = {
    "assembly mode": "one of the ways in which the loops close: [modes](modes.md)",
    "Assur group": "links that stand still once their ends do, and no part of them alone: "
    "[mobility](theory/mobility.md)",
    "block": "equations that are solved together: [one solve in ten steps](how_it_works.md)",
    "branch": "the states that a driver leads through without a dead point: [states](states.md)",
    "change point": "a pose at which two branches meet",
    "characteristic length": "mm by which angles are multiplied, so that they compare with lengths",
    "circuit": "all states that are reached without taking the linkage apart: [states](states.md)",
    "coordinate": "the angle or the length of a joint, or what a driver holds",
    "coupling": "a relation of two joint coordinates, as of gears",
    "dead point": "a pose in which two links are in line, and the driver can go no further",
    "driver": "what says the value of a coordinate, or its course: [drivers](drivers.md)",
    "dyad": "two links that a linkage places in one step: [states](states.md)",
    "feature": "a point, axis, plane, frame, surface or curve of a part, which mates join: "
    "[the file](file.md#features)",
    "freedom": "a way in which parts can move, also *degree of freedom*: [mobility](mobility.md)",
    "grounded": "of a part: it stays where it is",
    "held": "kept still: by a mate, a driver, or because nothing else is",
    "idle spin": "a turn of one part about itself that moves nothing else",
    "joint": "a mate that leaves some motion, as a hinge",
    "Kutzbach's count": "six freedoms for each part, less what each mate removes",
    "law": "the course of a driver over time: [laws](drivers.md#laws)",
    "limit": "a bound of a coordinate: [limits](drivers.md#limits)",
    "mate": "what holds between features of two parts: [all kinds](kinds.md)",
    "mechanism": "an assembly that can move; where it is planar, also *linkage*",
    "pose": "position and rotation of a part",
    "redundant": "of equations: others say the same already",
    "residual": "by how much a mate is off, mm or degrees",
    "rigid, flexible": "of a sub-assembly: one part, or one part for each of its own: "
    "[sub-assemblies](subassemblies.md)",
    "sense": "`aligned` or `opposed`: which way two directions look at each other",
    "singular": "of a pose: there are other freedoms here than beside it",
    "state": "the poses at one value of the drivers",
    "sweep": "a driver led through a range: [move a mechanism](motion.md)",
    "transmission angle": "the angle between two links of a dyad; near 0 or 180 degrees they jam",
}
"""Words of these pages, and what they mean."""


def page() -> str:
    """The page of all words."""
    rows = ["| word | is read as |", "|---|---|"]
    for word, (kind, implied) in sorted(SYNONYMS.items()):
        also = "".join(f", `{key}` {value}" for key, value in implied.items())
        rows.append(f"| `{word}` | [`{kind}`]({place(kind)}){also} |")
    for word, meanings in AMBIGUOUS.items():
        rows.append(f"| `{word}` | an error: {' or '.join(meanings)} |")
    told = [
        "# Glossary",
        "## Words of these pages",
        "\n".join(["| word | is |", "|---|---|", *(f"| {w} | {is_} |" for w, is_ in OURS.items())]),
        "## Words that are read wherever a kind is",
        "SolidWorks, Onshape, Inventor, Creo, FreeCAD with its add-ons, CadQuery and Ondsel have "
        "other words for the [kinds of mates](kinds.md). They are accepted in scripts and files; "
        'case, blanks, hyphens and underscores do not count, nor a last word such as "joint": '
        '"Ball Joint" is `ball`.',
        "\n".join(rows),
    ]
    for program, words in PROGRAMS.items():
        lines = [f"| `{word}` | {kind} |" for word, kind in words.items()]
        told += [f"## {program}", "\n".join(["| there | here |", "|---|---|", *lines])]
    return "\n\n".join(told) + "\n"
