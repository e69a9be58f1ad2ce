"""`features`: the faces and edges of a geometry file, with their selectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from .arguments import argument, option
from .common import HOLDS, JsonOption, answer


def features_command(
    file: Annotated[Path, argument(metavar="FILE", help="NAME.step or NAME.stp.")],
    edges: Annotated[bool, option("--edges", help="The edges too.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Holes, faces and axes of a STEP file, with selectors."""
    from ..errors import MissingFile, UnknownSuffix
    from ..formats.shapes.offers import inventory
    from ..formats.shapes.selecting import STEP, shape_in

    if file.suffix.lower() not in STEP:
        raise UnknownSuffix(str(file), "shapes are read", STEP)
    if not file.is_file():
        near = file.parent.glob("*.st*p") if file.parent.is_dir() else ()
        raise MissingFile(str(file), [str(p) for p in near])
    kinds = ("faces", "edges") if edges else ("faces",)
    shape = shape_in(file, file.stem)
    found = [entry for kind in kinds for entry in inventory(shape, kind)]
    rows = [_row(select, pick) for select, pick in found]
    answer({"file": str(file), "features": rows}, as_json, "picked")
    return HOLDS


def _row(select: str, pick: Any) -> dict[str, Any]:
    """A pick for JSON: mm, directions as unit vectors."""
    from ..model.feature import Axis, Plane

    frame = pick.feature.frame
    directed = isinstance(pick.feature, (Axis, Plane))
    return {
        "select": select or None,
        "kind": pick.kind,
        "radius": pick.radius or None,
        "point": [round(v, 9) + 0.0 for v in frame[:3]],
        "direction": [round(v, 9) + 0.0 for v in frame[9:]] if directed else None,
        "pieces": pick.count,
    }
