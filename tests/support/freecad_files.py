"""FreeCAD files made by hand for tests: objects with properties, as FreeCAD 1.0 writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import quoteattr
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

Placement = tuple[Sequence[float], Sequence[float], float]
"""Position (mm), axis, angle (degrees)."""

HERE: Placement = ((0, 0, 0), (0, 0, 1), 0)
TYPES = (
    *("Fixed", "Revolute", "Cylindrical", "Slider", "Ball", "Distance", "Parallel"),
    *("Perpendicular", "Angle", "RackPinion", "Screw", "Gears", "Belt"),
)
DATE = (2025, 5, 21, 22, 19, 36)


def at(*position: float, axis: Sequence[float] = (0, 0, 1), angle: float = 0) -> Placement:
    return (position, axis, angle)


def matrix(placement: Placement) -> NDArray[np.float64]:
    """4 x 4, by Rodrigues' formula."""
    position, axis, angle = placement
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    turn = math.radians(angle)
    out = np.eye(4)
    out[:3, :3] += math.sin(turn) * k + (1 - math.cos(turn)) * k @ k
    out[:3, 3] = position
    return out


def placement_xml(placement: Placement) -> str:
    (x, y, z), axis, angle = placement
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    half = math.radians(angle) / 2
    numbers = [x, y, z, *(math.sin(half) * n), math.cos(half), math.radians(angle), *n]
    keys = ("Px", "Py", "Pz", "Q0", "Q1", "Q2", "Q3", "A", "Ox", "Oy", "Oz")
    pairs = zip(keys, numbers, strict=True)
    return "<PropertyPlacement " + " ".join(f'{k}="{v:.16f}"' for k, v in pairs) + "/>"


def _links(names: Iterable[str]) -> str:
    rows = [*names]
    return f'<LinkList count="{len(rows)}">{"".join(_link(n) for n in rows)}</LinkList>'


def _link(name: str) -> str:
    return f"<Link value={quoteattr(name)}/>"


def _text(value: str) -> str:
    return f"<String value={quoteattr(value)}/>"


@dataclass
class Thing:
    type: str
    name: str
    properties: dict[str, str] = field(default_factory=dict)
    group: str = ""
    locked: Sequence[str] = ()

    def xml(self) -> str:
        attributes = f' group="{self.group}" doc="" attr="0" ro="0" hide="0"' if self.group else ""
        statuses = dict.fromkeys(self.locked, f' status="{(1 << 23) | (1 << 2)}"')
        rows = "".join(
            f'<Property name="{k}" type="App::Property"{attributes}{statuses.get(k, "")}>\n'
            f"{v}\n</Property>\n"
            for k, v in self.properties.items()
        )
        count = len(self.properties)
        return (
            f'<Object name="{self.name}">\n'
            f'<Properties Count="{count}" TransientCount="0">\n{rows}</Properties>\n</Object>\n'
        )


def solid(
    name: str, placement: Placement = HERE, label: str = "", kind: str = "Part::Box"
) -> Thing:
    return Thing(kind, name, {"Label": _text(label or name), "Placement": placement_xml(placement)})


SURFACES = {
    "plane": "1 0 0 0 0 0 1 1 0 0 0 1 0",
    "cylinder": "2 0 0 0 0 0 1 1 0 0 0 1 0\n2",
    "cone": "3 0 0 0 0 0 1 1 0 0 0 1 0\n2 0.5",
    "sphere": "4 0 0 0 0 0 1 1 0 0 0 1 0\n3",
    "torus": "5 0 0 0 0 0 1 1 0 0 0 1 0\n5 1",
    "extruded": "6 0 0 1\n2 0 0 0 0 0 1 1 0 0 0 1 0 9",
}
CURVES = {
    "line": "1 0 0 0 0 0 1",
    "circle": "8 0 3\n2 0 0 0 0 0 1 1 0 0 0 1 0 1.5",
    "ellipse": "3 0 0 0 0 0 1 1 0 0 0 1 0 4 2",
}
"""By hand: the radii are 2, 3 and 1.5 mm; the circle is trimmed."""


VERTEX = (7.0, -2.0, 4.0)


def brep() -> str:
    """A compound of faces and edges without borders: Face1 is the plane, Edge1 the line; a vertex.

    All but the vertex have the frame of the object.
    """
    shapes = [f"Fa\n0  1e-07 {k + 1} 0\n\n0101000\n*\n" for k in range(len(SURFACES))]
    for k in range(len(CURVES)):
        shapes.append(f"Ed\n 1e-07 1 1 0\n1  {k + 1} 0 0 1\n0\n\n0101000\n*\n")
    shapes.append("Ve\n1e-07\n" + " ".join(map(str, VERTEX)) + "\n0 0\n\n0101101\n*\n")
    count = len(shapes) + 1
    parts = " ".join(f"+{count - k} 0" for k in range(len(shapes)))
    sections = [
        "\nCASCADE Topology V1, (c) Matra-Datavision",
        "Locations 0",
        "Curve2ds 0",
        f"Curves {len(CURVES)}",
        *CURVES.values(),
        "Polygon3D 0",
        "PolygonOnTriangulations 0",
        f"Surfaces {len(SURFACES)}",
        *SURFACES.values(),
        "Triangulations 0",
        "",
        f"TShapes {count}",
    ]
    return "\n".join(sections) + f"\n{''.join(shapes)}Co\n\n1100000\n{parts} *\n\n+1 0 "


def element(kind: str) -> str:
    """The name of the first element of a kind in that shape."""
    if kind == "vertex":
        return "Vertex1"
    known, word = (SURFACES, "Face") if kind in SURFACES else (CURVES, "Edge")
    return f"{word}{[*known].index(kind) + 1}"


def shaped(thing: Thing) -> Thing:
    """A solid whose geometry is that shape, in a file of its own."""
    thing.properties["Shape"] = f'<Part file="{thing.name}.brp"/>'
    return thing


def group(
    kind: str,
    name: str,
    members: Iterable[str],
    placement: Placement | None = HERE,
    label: str = "",
) -> Thing:
    found = {"Label": _text(label or name), "Group": _links(members)}
    if placement is not None:
        found["Placement"] = placement_xml(placement)
    return Thing(kind, name, found)


def link(name: str, to: str, placement: Placement = HERE, file: str = "", label: str = "") -> Thing:
    """An App::Link; FreeCAD stores its placement twice."""
    found = solid(name, placement, label, "App::Link")
    found.properties["LinkPlacement"] = placement_xml(placement)
    found.properties["LinkedObject"] = f'<XLink file="{file}" stamp="" name="{to}"/>'
    return found


def grounded(part: str) -> Thing:
    return Thing("App::FeaturePython", f"Ground_{part}", {"ObjectToGround": _link(part)})


def joint(
    kind: str,
    first: str,
    second: str,
    *,
    name: str = "",
    label: str = "",
    root: str = "Assembly",
    frames: tuple[Placement, Placement] = (HERE, HERE),
    **more: float | bool,
) -> Thing:
    """A joint between two references such as "Box.Face6"."""
    enums = "".join(f'<Enum value="{t}"/>' for t in TYPES)
    found = {
        "Label": _text(label or name or kind),
        "JointType": f'<Integer value="{TYPES.index(kind)}" CustomEnum="true"/>'
        f'<CustomEnumList count="{len(TYPES)}">{enums}</CustomEnumList>',
    }
    for number, reference, frame in zip("12", (first, second), frames, strict=True):
        subs = f"<Sub value={quoteattr(reference)}/>" * 2
        found[f"Reference{number}"] = (
            f'<XLink file="" stamp="" name="{root}" count="2">{subs}</XLink>'
        )
        found[f"Placement{number}"] = placement_xml(frame)
    for key, value in more.items():
        word = str(value).lower()
        found[key] = f'<{"Bool" if isinstance(value, bool) else "Float"} value="{word}"/>'
    return Thing("App::FeaturePython", name or kind, found)


DIRECTIONS = ("none", "aligned", "opposed")


def constraint(
    kind: str,
    first: str,
    second: str,
    name: str = "",
    group: str = "ConstraintInfo",
    **more: float | bool | str,
) -> Thing:
    """A constraint of Assembly2 or A2plus between elements such as "Box.Face6"."""
    found = {"Type": _text(kind), "Label": _text(name or kind)}
    for number, reference in zip("12", (first, second), strict=True):
        part, _, sub = reference.partition(".")
        found[f"Object{number}"], found[f"SubElement{number}"] = _text(part), _text(sub)
    for key, value in more.items():
        if key == "directionConstraint":
            listed = "".join(f'<Enum value="{word}"/>' for word in DIRECTIONS)
            place = DIRECTIONS.index(str(value))
            found[key] = f'<Integer value="{place}" CustomEnum="true"/>' + (
                f'<CustomEnumList count="{len(DIRECTIONS)}">{listed}</CustomEnumList>'
            )
        else:
            word = "Bool" if isinstance(value, bool) else "Float"
            found[key] = f'<{word} value="{str(value).lower()}"/>'
    return Thing("App::FeaturePython", name or kind, found, group)


def document(things: Iterable[Thing], version: str = "1.0.0R39109 (Git)") -> str:
    rows = [*things]
    kinds = "".join(
        f'<Object type="{t.type}" name="{t.name}" id="{100 + k}" />\n' for k, t in enumerate(rows)
    )
    data = "".join(t.xml() for t in rows)
    return (
        "<?xml version='1.0' encoding='utf-8'?>\n<!-- FreeCAD Document -->\n"
        f'<Document SchemaVersion="4" ProgramVersion="{version}" FileVersion="1">\n'
        f'<Objects Count="{len(rows)}">\n{kinds}</Objects>\n'
        f'<ObjectData Count="{len(rows)}">\n{data}</ObjectData>\n</Document>\n'
    )


def assembly(
    parts: Iterable[Thing], joints: Iterable[Thing], name: str = "Assembly", label: str = ""
) -> list[Thing]:
    """An assembly object with its joint group, parts and joints."""
    parts, joints = [*parts], [*joints]
    joint_group = f"Joints_{name}"
    members = [joint_group, *(p.name for p in parts)]
    return [
        group("Assembly::AssemblyObject", name, members, HERE, label),
        group("Assembly::JointGroup", joint_group, [j.name for j in joints], None),
        *parts,
        *joints,
    ]


OTHERS: Mapping[str, tuple[bytes, int]] = {
    "GuiDocument.xml": (b"<Document/>" * 50, ZIP_DEFLATED),
    "thumbnails/Thumbnail.png": (bytes(range(256)) * 3, ZIP_STORED),
}
"""What else is in a file: it is not to be touched."""


def save(path: Path, text: str | bytes, others: Mapping[str, tuple[bytes, int]] = OTHERS) -> Path:
    """A zip with the document first, as FreeCAD writes it."""
    with ZipFile(path, "w") as archive:
        archive.comment = b"FreeCAD Document"
        members = {"Document.xml": (text, ZIP_DEFLATED), **others}
        for name, (data, packing) in members.items():
            info = ZipInfo(name, DATE)
            info.compress_type = packing
            archive.writestr(info, data)
    return path
