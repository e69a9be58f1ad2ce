"""For the page of each mate, joint and coupling: a small scene, and the parameters in words."""

from __future__ import annotations

from typing import NamedTuple

import assembly_solver as asm


class Example(NamedTuple):
    """A scene in a sentence; features of the held part and of the free one; what is between.

    Attributes:
        mate: the arguments of `Assembly.mate` after the kind and before the name.
        more: lines before the mate, as other parts and joints.
    """

    scene: str
    base: str
    body: str
    mate: str
    more: str = ""


def name_of(kind: str) -> str:
    """The name of the mate of a kind in its example, which sentences about it can take."""
    return f"the {asm.kind_words(kind)} mate"


SHAFTS = """a.add("second", features={"pin": asm.Axis((0, 0, 0), "z")})
a.mate("revolute", "base.left", "body.pin", name="first shaft")
a.mate("revolute", "base.right", "second.pin", name="second shaft")"""
TWO_AXES = '"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((60, 0, 0), "z")'
PIN = '"pin": asm.Axis((0, 0, 0), "z")'
PINNED = f"""a.add("rack", features={{{PIN}}})
a.mate("revolute", "base.left", "body.pin", name="shaft")
a.mate("prismatic", "base.right", "rack.pin", name="slide")"""
SLIDES = SHAFTS.replace("revolute", "prismatic").replace(" shaft", " slide")
SHAFT_NAMES = 'joints=["first shaft", "second shaft"]'

EXAMPLES = {
    "coincident": Example(
        "The corner of a plate stands on a mark.",
        '"mark": asm.Point((10, 0, 0))',
        '"corner": asm.Point((0, 0, 0))',
        '"base.mark", "body.corner"',
    ),
    "coaxial": Example(
        "A pin in a hole: it can still slide and spin.",
        '"hole": asm.Axis((20, 10, 0), "z")',
        PIN,
        '"base.hole", "body.pin", sense="aligned"',
    ),
    "coplanar": Example(
        "The foot of a block stands 2 mm above a table, face to face.",
        '"top": asm.Plane((0, 0, 0), "z")',
        '"foot": asm.Plane((0, 0, 0), "-z")',
        '"base.top", "body.foot", sense="opposed", offset=2',
    ),
    "parallel": Example(
        "A rail is kept parallel to an edge, wherever it is.",
        '"edge": asm.Axis((0, 0, 0), "x")',
        '"rail": asm.Axis((0, 0, 0), "x")',
        '"base.edge", "body.rail"',
    ),
    "perpendicular": Example(
        "A post is kept at a right angle to an edge.",
        '"edge": asm.Axis((0, 0, 0), "x")',
        '"post": asm.Axis((0, 0, 0), "z")',
        '"base.edge", "body.post"',
    ),
    "angle": Example(
        "A lid is kept 30 degrees open.",
        '"wall": asm.Axis((0, 0, 0), "x")',
        '"lid": asm.Axis((0, 0, 0), "x")',
        '"base.wall", "body.lid", value=30',
    ),
    "distance": Example(
        "Two eyes 120 mm apart, as by a rod.",
        '"eye": asm.Point((0, 0, 0))',
        '"eye": asm.Point((10, 0, 0))',
        '"base.eye", "body.eye", value=120',
    ),
    "point_on_line": Example(
        "A tip stays on the axis of a bore.",
        '"bore": asm.Axis((0, 0, 0), "z")',
        '"tip": asm.Point((0, 0, 10))',
        '"base.bore", "body.tip"',
    ),
    "point_in_plane": Example(
        "A foot stays 5 mm above a floor.",
        '"floor": asm.Plane((0, 0, 0), "z")',
        '"foot": asm.Point((0, 0, 0))',
        '"base.floor", "body.foot", offset=5',
    ),
    "line_in_plane": Example(
        "An edge stays on a floor.",
        '"floor": asm.Plane((0, 0, 0), "z")',
        '"edge": asm.Axis((0, 0, 0), "x")',
        '"base.floor", "body.edge"',
    ),
    "fixed": Example(
        "A bracket is welded to a plate.",
        '"seat": asm.Frame((100, 0, 20), "z", "x")',
        '"back": asm.Frame((0, 0, 0), "z", "x")',
        '"base.seat", "body.back"',
    ),
    "tangent": Example(
        "A ball of 8 mm radius lies on a table.",
        '"top": asm.Plane((0, 0, 0), "z")',
        '"ball": asm.Sphere((0, 0, 0), radius=8)',
        '"base.top", "body.ball"',
    ),
    "width": Example(
        "A tab stands in the middle of a groove.",
        '"left": asm.Plane((0, -10, 0), "y"), "right": asm.Plane((0, 10, 0), "-y")',
        '"one": asm.Plane((0, -3, 0), "-y"), "other": asm.Plane((0, 3, 0), "y")',
        '"base.left", "body.one", a2="base.right", b2="body.other"',
    ),
    "slot": Example(
        "A pin in a slot that is 40 mm long along x.",
        '"slot": asm.Frame((0, 0, 0), "z", "x")',
        PIN,
        '"base.slot", "body.pin", length=40',
    ),
    "pin_slot": Example(
        "A pin in a slot that also keeps its depth.",
        '"slot": asm.Frame((0, 0, 0), "z", "x")',
        PIN,
        '"base.slot", "body.pin", length=40',
    ),
    "path": Example(
        "A tip follows a smooth curve.",
        '"groove": asm.Curve([(0, 0, 0), (40, 20, 0), (80, 0, 0)], smooth=True)',
        '"tip": asm.Point((0, 0, 0))',
        '"base.groove", "body.tip"',
    ),
    "symmetric": Example(
        "A hole is the mirror image of another one in a middle plane.",
        '"hole": asm.Point((-30, 5, 0)), "middle": asm.Plane((0, 0, 0), "x")',
        '"hole": asm.Point((0, 0, 0))',
        '"base.hole", "body.hole", about="base.middle"',
    ),
    "equal_distance": Example(
        "An eye is as far from one post as from another.",
        '"left": asm.Point((-50, 0, 0)), "right": asm.Point((50, 0, 0))',
        '"eye": asm.Point((0, 0, 10))',
        '"base.left", "body.eye", a2="base.right", b2="body.eye"',
    ),
    "revolute": Example(
        "A door on its hinge.", '"pin": asm.Axis((0, 0, 0), "z")', PIN, '"base.pin", "body.pin"'
    ),
    "prismatic": Example(
        "A drawer on its rail: it slides along z and does not turn.",
        '"rail": asm.Frame((0, 0, 0), "x", "y")',
        '"rail": asm.Frame((0, 0, 0), "x", "y")',
        '"base.rail", "body.rail"',
    ),
    "cylindrical": Example(
        "The rod of a cylinder: it slides and turns.",
        '"bore": asm.Axis((0, 0, 0), "x")',
        '"rod": asm.Axis((0, 0, 0), "x")',
        '"base.bore", "body.rod"',
    ),
    "spherical": Example(
        "A ball joint.",
        '"socket": asm.Point((0, 0, 30))',
        '"ball": asm.Point((0, 0, 0))',
        '"base.socket", "body.ball"',
    ),
    "planar": Example(
        "A block slides about on a table.",
        '"top": asm.Plane((0, 0, 0), "z")',
        '"foot": asm.Plane((0, 0, 0), "z")',
        '"base.top", "body.foot"',
    ),
    "screw": Example(
        "A nut on a right-handed thread with 2 mm a turn.",
        '"thread": asm.Axis((0, 0, 0), "z")',
        '"nut": asm.Axis((0, 0, 0), "z")',
        '"base.thread", "body.nut", pitch=2',
    ),
    "universal": Example(
        "A Cardan joint: z of each frame is an arm of the cross.",
        '"arm": asm.Frame((0, 0, 0), "z", "x")',
        '"arm": asm.Frame((0, 0, 0), "x", "z")',
        '"base.arm", "body.arm"',
    ),
    "constant_velocity": Example(
        "Two shafts along z that meet and turn alike at any bend.",
        '"shaft": asm.Axis((0, 0, 0), "z")',
        '"shaft": asm.Axis((0, 0, 0), "z")',
        '"base.shaft", "body.shaft"',
    ),
    "gear": Example(
        "Two spur gears of 20 and 40 teeth.",
        TWO_AXES,
        PIN,
        f"{SHAFT_NAMES}, teeth=(20, 40)",
        SHAFTS,
    ),
    "rack_and_pinion": Example(
        "A pinion of 15 mm radius drives a rack.",
        '"left": asm.Axis((0, 0, 0), "z"), "right": asm.Axis((0, 15, 0), "x")',
        PIN,
        'joints=["shaft", "slide"], radius=15',
        PINNED,
    ),
    "belt": Example(
        "A belt over pulleys of 10 and 30 mm radius.",
        TWO_AXES,
        PIN,
        f"{SHAFT_NAMES}, radii=(10, 30)",
        SHAFTS,
    ),
    "linear": Example(
        "A second slide goes twice as far as the first.",
        TWO_AXES,
        PIN,
        'joints=["first slide", "second slide"], coordinates=["length", "length"], '
        "coefficients=[-2, 1]",
        SLIDES,
    ),
}

CONSTANT = "None: as at the start pose"
WORDS = {
    "sense": "`aligned`: z (a normal, a direction) of b points as that of a; `opposed`: against "
    "it; `nearest`: as at the start",
    "coplanar.offset": "mm, of b along the normal of a",
    "point_in_plane.offset": "mm, of the point along the normal of the plane",
    "line_in_plane.offset": "mm, of the axis along the normal of the plane",
    "path.offset": "mm, of the centre from a planar curve; above 0 outside of a closed one",
    "angle.value": "degrees, 0 to 180; with `about` signed, by the right hand about it from a to b",
    "angle.about": "an axis of one of the two parts, about which the angle is counted",
    "distance.value": "mm; signed along the normal where a plane takes part",
    "skew": "true: of two axes the shortest distance in general position, not of parallel ones",
    "distance.surfaces": "true: between the surfaces, not between centres and axes",
    "side": "`outside`: each outside the other, in front of a plane; `inside`: the smaller in the "
    "larger, behind a plane",
    "width.a2": "the other face of the groove",
    "width.b2": "the other face of the tab; None: b itself is in the middle",
    "length": "mm, the travel of the pin's centre from end to end; None: no ends",
    "symmetric.about": "the plane, a feature of any part",
    "equal_distance.a2": "the first point of the second pair; None: a",
    "equal_distance.b2": "the second point of the second pair",
    "pitch": "mm of length for each turn of the angle; right-handed above 0",
    "screw.constant": f"of the relation, mm; {CONSTANT}",
    "constant": f"of the relation, degrees if all coordinates are angles, else mm; {CONSTANT}",
    "joints": "names of the mates whose coordinates are related, in order",
    "gear.joints": "names of two joints, in order, each on the part that carries both axes: in a "
    "planetary train the carrier, on which sun and ring have a hinge, too",
    "ratio": "angle 2 for each angle 1; above 0 both turn the same way; or give `teeth`",
    "teeth": "of both gears; they turn opposite ways unless `internal`",
    "internal": "true: the second is a ring, and turns the same way",
    "radius": "mm of the pinion; below 0 the rack is on its other side",
    "radii": "mm of both pulleys",
    "crossed": "true: the belt reverses the rotation of the second",
    "linear.coordinates": '"angle" or "length" of each joint',
    "coefficients": "of each coordinate, in mm and degrees; not 0",
}
"""What a parameter means, by its name or by kind and name, with its unit."""

COORDINATES = {
    "angle": "degrees, of b about the z of a, by the right hand from the x of a to the x of b",
    "length": "mm, of the origin of b along the z of a",
    "slot.length": "mm, of the pin along the x of a, from the origin of a",
    "pin_slot.length": "mm, of the pin along the x of a, from the origin of a",
    "path.length": "mm, of arc from the first point of the curve",
}
"""What a coordinate of a joint means, for drivers, limits and couplings."""
