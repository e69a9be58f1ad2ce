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
    "bind": "of a sample: nowhere in their holes can the pins stand so that all mates agree: "
    "[what binds](tolerances.md#what-binds)",
    "block": "equations that are solved together: [one solve in ten steps](how_it_works.md)",
    "box": "an interval for each coordinate, over all of which a [proof](proof.md) holds",
    "branch": "the states that a driver leads through without a dead point: [states](states.md)",
    "change point": "a pose at which two branches meet",
    "characteristic length": "mm by which angles are multiplied, so that they compare with lengths",
    "circuit": "all states that are reached without taking the linkage apart: [states](states.md)",
    "clearance": "the distance of two parts: [contact](contact.md#how-near-parts-come)",
    "closure": "poses in which a loop closes",
    "conflict, contradiction": "a smallest set of mates that cannot all hold: "
    "[contradictions](contradictions.md)",
    "coordinate": "the angle or the length of a joint, or what a driver holds",
    "coupling": "a relation of two joint coordinates, as of gears",
    "cusp": "a pose at which a motion comes to rest and goes back: "
    "[where motions meet](mobility.md#where-motions-meet)",
    "cuspidal": "of a mechanism: a motion of its drivers leads from one assembly mode to another "
    "without a singular pose: [modes](modes.md#which-modes-a-motion-joins)",
    "dead point": "a pose in which two links are in line, and the driver can go no further",
    "driver": "what says the value of a coordinate, or its course: [drivers](drivers.md)",
    "dyad": "two links that a linkage places in one step: [states](states.md)",
    "dynamic equilibrium": "of forces: inertia is one of them: [forces](forces.md)",
    "envelope": "a mesh around all that a part passes through: "
    "[contact](contact.md#what-a-part-sweeps-over)",
    "fallback": "a method that is tried where the plan does not lead to a solution: "
    "[one solve in ten steps](how_it_works.md)",
    "feature": "a point, axis, plane, frame, surface or curve of a part, which mates join: "
    "[the file](file.md#features)",
    "finite": "of a freedom: a motion leads along it, not just a step: [mobility](mobility.md)",
    "first order, order": "of a freedom that is not finite: mates hold up to this power of its "
    "step and no further: [higher order](theory/higher_order.md)",
    "freedom": "a way in which parts can move, also *degree of freedom*: [mobility](mobility.md)",
    "Grashof's condition": "whether a link of a four-bar turns all round, by the lengths: "
    "[the check](checks/grashof.md)",
    "grounded": "of a part: it stays where it is",
    "held": "kept still: by a mate, a driver, or because nothing else is",
    "idle spin": "a turn of one part about itself that moves nothing else",
    "joint": "a mate that leaves some motion, as a hinge",
    "kinematotropic": "of a mechanism: motions with different numbers of freedoms meet at a pose",
    "Kutzbach's count": "six freedoms for each part, less what each mate removes",
    "law": "the course of a driver over time: [laws](drivers.md#laws)",
    "least movement": "of all poses that hold, those with the least sum of squared displacements: "
    "[least movement](theory/least_movement.md)",
    "least squares": "of poses where mates disagree by noise: their squared residuals have the "
    "least sum",
    "limit": "a bound of a coordinate: [limits](drivers.md#limits)",
    "loop": "mates that lead from a part over others back to it",
    "mate": "what holds between features of two parts: [all kinds](kinds.md)",
    "mechanism": "an assembly that can move; where it is planar, also *linkage*",
    "noise": "what the numbers are off by because they were rounded or measured",
    "pebble game": "a count of freedoms from the graph of parts and mates, whatever the "
    "dimensions: [mobility](theory/mobility.md)",
    "plan": "the order in which blocks are solved: [decomposition](theory/decomposition.md)",
    "play": "how far a pin can move in its hole",
    "pose": "position and rotation of a part",
    "proof, certificate": "that something holds for real numbers, with all rounding enclosed: "
    "[proofs](proof.md)",
    "redundant": "of equations: others say the same already",
    "regularity": "how far a pose is from a singular one, where it is 0; 1 at most",
    "residual": "by how much a mate is off, mm or degrees",
    "rigid, flexible": "of a sub-assembly: one part, or one part for each of its own: "
    "[sub-assemblies](subassemblies.md)",
    "sampled": "looked at in single poses only: what lies between is estimated or not known",
    "sense": "`aligned` or `opposed`: which way two directions look at each other",
    "shaky": "of an assembly: it gives way a little, by freedoms of first order, and does not move",
    "singular": "of a pose: there are other freedoms here than beside it",
    "special dimensions": "those by which an assembly moves, or repeats itself, that "
    "would not with dimensions a little off",
    "state": "the poses at one value of the drivers",
    "sweep": "a driver led through a range: [move a mechanism](motion.md)",
    "tolerance": "what a mate may be off and still hold; also what a dimension "
    "[may be off](tolerances.md)",
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
