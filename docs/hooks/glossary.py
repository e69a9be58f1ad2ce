"""The words of other programs beside those of this one, as the code reads them."""

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


def page() -> str:
    """The page of all words."""
    rows = ["| word | is read as |", "|---|---|"]
    for word, (kind, implied) in sorted(SYNONYMS.items()):
        also = "".join(f", `{key}` {value}" for key, value in implied.items())
        rows.append(f"| `{word}` | [`{kind}`]({place(kind)}){also} |")
    for word, meanings in AMBIGUOUS.items():
        rows.append(f"| `{word}` | an error: {' or '.join(meanings)} |")
    told = [
        "# Glossary: words of other programs",
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
