"""The door of CadQuery's assembly tutorial: the same parts and constraints, drawn anew.

Ten parts: four slotted profiles, four corners, a panel in the slot and a handle on it.
"""

from __future__ import annotations

from typing import Any

HEIGHT, WIDTH = 400, 200
SLOT, THICK = 6, 3
REACH, GRIP, BAR = 20, 50, 4

CONSTRAINTS = (
    ("left@faces@<Z", "con_bl?Z", "Plane"),
    ("left@faces@<X", "con_bl?X", "Axis"),
    ("left@faces@>Z", "con_tl?Z", "Plane"),
    ("left@faces@<X", "con_tl?X", "Axis"),
    ("top@faces@<Z", "con_tl?X", "Plane"),
    ("top@faces@<Y", "con_tl@faces@>Y", "Axis"),
    ("bottom@faces@<Y", "con_bl@faces@>Y", "Axis"),
    ("bottom@faces@>Z", "con_bl?X", "Plane"),
    ("top@faces@>Z", "con_tr@faces@>X", "Plane"),
    ("bottom@faces@<Z", "con_br@faces@>X", "Plane"),
    ("left@faces@>Z", "con_tr?Z", "Axis"),
    ("left@faces@<Z", "con_br?Z", "Axis"),
    ("right@faces@>Z", "con_tr@faces@>Z", "Plane"),
    ("right@faces@<X", "left@faces@<X", "Axis"),
    ("left@faces@>X[-2]", "panel@faces@<X", "Plane"),
    ("left@faces@>Z", "panel@faces@>Z", "Axis"),
    ("panel?upper", "handle?upper", "Plane"),
    ("panel?lower", "handle?lower", "Point"),
)


def profile(cq: Any, length: float) -> Any:
    """A square bar with a slot in each side and a bore."""
    bar = cq.Workplane().rect(20, 20).extrude(length)
    slot = cq.Workplane().rect(SLOT, SLOT).extrude(length).translate((10 - SLOT / 2, 0, 0))
    for quarter in range(4):
        bar = bar.cut(slot.rotate((0, 0, 0), (0, 0, 1), 90 * quarter))
    return bar.faces(">Z").workplane().hole(4.2)


def corner(cq: Any) -> Any:
    """A cube with two counterbored holes; the faces that meet the profiles are tagged."""
    cube = cq.Workplane().box(20, 20, 20)
    for face in ("<X", "<Z"):
        cube = cube.faces(face).workplane().cboreHole(6, 15, 18)
    for face in "XZ":
        cube.faces(f">{face}").tag(face)
    return cube


def panel(cq: Any) -> Any:
    """A plate that is cut out at its corners, with two holes for the handle."""
    wide, high = WIDTH + 2 * SLOT, HEIGHT + 2 * SLOT
    plate = cq.Workplane("XZ").rect(wide, high).extrude(THICK)
    plate = plate.faces(">Y").vertices().rect(2 * SLOT, 2 * SLOT).cutThruAll()
    holes = [(-wide / 3, GRIP / 2), (-wide / 3, -GRIP / 2)]
    plate = plate.faces("<Y").workplane().pushPoints(holes).hole(3)
    for name, end in (("upper", ">Z"), ("lower", "<Z")):
        plate.faces(">Y").edges("%CIRCLE").edges(end).tag(name)
    return plate


def handle(cq: Any) -> Any:
    """A bent square bar; its two ends are tagged."""
    way = cq.Workplane().polyline(((0, 0), (REACH, 0), (REACH, GRIP), (0, GRIP)))
    bar = cq.Workplane("YZ").rect(BAR, BAR).sweep(way, transition="round")
    bar.faces("<X").faces(">Y").tag("upper")
    bar.faces("<X").faces("<Y").tag("lower")
    return bar


def door(cq: Any) -> Any:
    """The door with all parts at the origin and all constraints."""
    made = cq.Assembly(name="door")
    for name, length in (("left", HEIGHT), ("right", HEIGHT), ("top", WIDTH), ("bottom", WIDTH)):
        made.add(profile(cq, length), name=name)
    for name in ("con_tl", "con_tr", "con_bl", "con_br"):
        made.add(corner(cq), name=name)
    made.add(panel(cq), name="panel").add(handle(cq), name="handle")
    for constraint in CONSTRAINTS:
        made.constrain(*constraint)
    return made
