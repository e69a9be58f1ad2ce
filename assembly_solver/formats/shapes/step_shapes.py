"""Shapes of STEP files as CadQuery has them, and colours as it names them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from ...errors import FormatError, MissingExtra
from . import shape_reader


def step_shape(file: Path, part: str, purpose: str, extra: str = "cadquery") -> Any:
    """The CadQuery shape in the STEP file of a part; several roots become one compound.

    Args:
        purpose, extra: what needs CadQuery, and the extra that installs it, for the error.

    Raises:
        FormatError: there is no such file, or the modeller cannot read it.
        MissingExtra: cadquery is not installed.
    """
    place = f"parts.{part}.geometry"
    if not file.is_file():
        raise FormatError(place, f"there is no file {file}")
    reader = shape_reader.started()  # it loads the modeller while CadQuery does so here
    cq = cadquery_for(purpose, extra)
    return cq.Shape.cast(reader.step(file, place))


def cadquery_for(purpose: str, extra: str = "cadquery") -> ModuleType:
    """CadQuery; raises `MissingExtra` where it is not installed."""
    try:
        import cadquery
    except ImportError:
        raise MissingExtra(extra, purpose) from None
    found: ModuleType = cadquery
    return found


def named_colour(cq: ModuleType, colour: str | None, part: str) -> Any:
    """The CadQuery colour of a name or "#rrggbb", of a part; FormatError where it is no colour."""
    if colour is None:
        return None
    try:
        return cq.Color(colour)
    except ValueError:
        wanted = 'a colour name or "#rrggbb"'
        raise FormatError(f"parts.{part}.x-colour", f"{colour!r} is not {wanted}") from None
