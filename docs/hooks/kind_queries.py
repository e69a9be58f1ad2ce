"""For the page of each mate, joint and coupling: its example in CadQuery, by selectors."""

from __future__ import annotations

from typing import NamedTuple

BLOCK = "cq.Workplane().box(20, 30, 40)"
PLATE = "cq.Workplane().box(80, 60, 10)"
HOLE = f'{PLATE}.faces(">Z").workplane().hole(8)'
HOLES = f'{PLATE}.faces(">Z").workplane().pushPoints([(-30, 0), (30, 0)]).hole(8)'
PIN = "cq.Workplane().circle(4).extrude(30)"
WHEEL = 'cq.Workplane().circle(15).extrude(8).faces(">Z").workplane().hole(8)'
BALL = "cq.Workplane().sphere(8)"
SOCKET = f"{PLATE}.cut({BALL})"
GROOVE = f'{PLATE}.faces(">Z").workplane().rect(80, 20).cutBlind(-6)'
CURVE = "cq.Workplane().spline([(0, 0), (40, 20), (80, 0)])"

ROUND = '"base@faces@%CYLINDER", "body@faces@%CYLINDER"'
FACE_TO_FACE = '"base@faces@>Z", "body@faces@<Z"'
CORNER, LOW = '"body@vertices@>(1, 1, 1)"', '"body@vertices@<(1, 1, 1)"'
MARK = '"base@vertices@>(1, 1, 1)"'
SHAFTS = f"""a.add({WHEEL}, name="second")
mates.mate(a, "base@faces@%CYLINDER@<X", "body@faces@%CYLINDER@radius=4", "revolute",
           name="first shaft")
mates.mate(a, "base@faces@%CYLINDER@>X", "second@faces@%CYLINDER@radius=4", "revolute",
           name="second shaft")"""
SLIDES = f"""a.add({BLOCK}, name="second")
mates.mate(a, "base@faces@>X", "body@faces@>X", "prismatic", name="first slide")
mates.mate(a, "base@faces@>Y", "second@faces@>Y", "prismatic", name="second slide")"""
RACK = f"""a.add({BLOCK}, name="rack")
mates.mate(a, "base@faces@%CYLINDER@<X", "body@faces@%CYLINDER@radius=4", "revolute",
           name="shaft")
mates.mate(a, "base@faces@>X", "rack@faces@>X", "prismatic", name="slide")"""


class Queries(NamedTuple):
    """The shapes of the held part and of the free one; what is between, as `mates.mate` takes it.

    Attributes:
        before, after: arguments of the call before the kind and after it.
        more: lines before the mate, as other parts and joints.
    """

    base: str
    body: str
    before: str
    after: str = ""
    more: str = ""


QUERIES = {
    "coincident": Queries(PLATE, BLOCK, f"{MARK}, {LOW}"),
    "coaxial": Queries(HOLE, PIN, ROUND, 'sense="aligned"'),
    "coplanar": Queries(PLATE, BLOCK, FACE_TO_FACE, 'sense="opposed", offset=2'),
    "parallel": Queries(PLATE, BLOCK, '"base@faces@>X", "body@faces@>X"'),
    "perpendicular": Queries(PLATE, BLOCK, '"base@faces@>X", "body@faces@>Z"'),
    "angle": Queries(PLATE, BLOCK, '"base@faces@>Z", "body@faces@>Z"', "value=30"),
    "distance": Queries(PLATE, BLOCK, f"{MARK}, {LOW}", "value=120"),
    "point_on_line": Queries(HOLE, BLOCK, f'"base@faces@%CYLINDER", {LOW}'),
    "point_in_plane": Queries(PLATE, BLOCK, f'"base@faces@>Z", {LOW}', "offset=5"),
    "line_in_plane": Queries(PLATE, BLOCK, '"base@faces@>Z", "body@edges@|X@<(0, 1, 1)"'),
    "fixed": Queries(PLATE, BLOCK, FACE_TO_FACE),
    "tangent": Queries(PLATE, BALL, '"base@faces@>Z", "body@faces@%SPHERE"'),
    "width": Queries(
        GROOVE,
        "cq.Workplane().box(30, 6, 30)",
        '"base@faces@|Y@<Y[-2]", "body@faces@<Y"',
        'a2="base@faces@|Y@>Y[-2]", b2="body@faces@>Y"',
    ),
    "slot": Queries(
        PLATE, PIN, '("base", cq.Location((0, 0, 5))), "body@faces@%CYLINDER"', "length=40"
    ),
    "pin_slot": Queries(
        PLATE, PIN, '("base", cq.Location((0, 0, 5))), "body@faces@%CYLINDER"', "length=40"
    ),
    "path": Queries(CURVE, BLOCK, f'"base", {LOW}'),
    "symmetric": Queries(PLATE, BLOCK, f"{MARK}, {CORNER}", 'about="base.yz"'),
    "equal_distance": Queries(
        PLATE, BLOCK, f"{MARK}, {LOW}", f'a2="base@vertices@<(1, 1, 1)", b2={LOW}'
    ),
    "revolute": Queries(HOLE, WHEEL, '"base@faces@%CYLINDER", "body@faces@%CYLINDER@radius=4"'),
    "prismatic": Queries(PLATE, BLOCK, '"base@faces@>X", "body@faces@>X"'),
    "cylindrical": Queries(HOLE, PIN, ROUND),
    "spherical": Queries(SOCKET, BALL, '"base@faces@%SPHERE", "body@faces@%SPHERE"'),
    "planar": Queries(PLATE, BLOCK, FACE_TO_FACE),
    "screw": Queries(HOLE, PIN, ROUND, "pitch=2"),
    "universal": Queries(PLATE, BLOCK, '"base@faces@>Z", "body@faces@>X"'),
    "constant_velocity": Queries(PIN, PIN, ROUND),
    "gear": Queries(HOLES, WHEEL, '"first shaft", "second shaft"', "teeth=(20, 40)", SHAFTS),
    "rack_and_pinion": Queries(HOLES, WHEEL, '"shaft", "slide"', "radius=15", RACK),
    "belt": Queries(HOLES, WHEEL, '"first shaft", "second shaft"', "radii=(10, 30)", SHAFTS),
    "linear": Queries(
        PLATE,
        BLOCK,
        '"first slide", "second slide"',
        'coordinates=["length", "length"],\n           coefficients=[-2, 1]',
        SLIDES,
    ),
}


def in_cadquery(kind: str) -> str:
    """The script of a kind in CadQuery."""
    q = QUERIES[kind]
    lines = [
        "import assembly_solver_cadquery as mates",
        "import cadquery as cq\n",
        f"base = {q.base}",
        f"body = {q.body}",
        f'a = cq.Assembly(name="{kind}").add(base, name="base")',
        'a.add(body, name="body", loc=cq.Location((7, -3, 5), (1, 2, 3), 20))',
        'mates.ground(a, "base")',
        *([q.more] if q.more else []),
        f'mates.mate(a, {q.before}, "{kind}"{", " * bool(q.after)}{q.after})',
        "print(mates.solve(a).require().sentence)",
    ]
    return "\n".join(lines) + "\n"
