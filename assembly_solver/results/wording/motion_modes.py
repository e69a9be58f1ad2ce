"""The motions that meet at a pose, in words: docs/theory/higher_order.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...diagnosis.freedoms import Diagnosis
from .phrases import count, listed

if TYPE_CHECKING:
    from ...diagnosis.motion_branches import MotionBranch


def motion_modes(d: Diagnosis, branches: Sequence[MotionBranch] | None) -> list[dict[str, Any]]:
    """The entries of the motions that leave a pose, those with most freedoms first."""
    return [
        {
            "dof": b.dof,
            "first_order": b.first_order,
            "cusp": b.cusp,
            "cone": b.cone,
            "parts": [name for body in b.moving for name in d.names_of[body]],
        }
        for b in branches or ()
    ]


def meeting(modes: Sequence[Mapping[str, Any]]) -> str:
    """How many motions meet at a pose, with what freedoms, and what they have of their own."""
    if not modes:
        return ""
    freedoms = f"{count(modes[0]['dof'], 'degree')} of freedom"
    if len(modes) == 1:
        words = f"one motion leaves this pose, with {freedoms}"
    elif len({m["dof"] for m in modes}) == 1:
        words = f"{len(modes)} motions meet here, each with {freedoms}"
    else:
        numbers = listed([str(m["dof"]) for m in modes], len(modes))
        words = f"{len(modes)} motions meet here, with {numbers} degrees of freedom: kinematotropic"
    return "; ".join([words, *_peculiar(modes)])


def singular_lines(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """The sentences of singular poses, one below the other."""
    return [str(e[key]) for e in entries for key in ("words", "meeting") if e[key]]


def _peculiar(modes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Cusps, cones, and freedoms of first order that stay."""
    out = []
    for m in modes:
        which = "" if len(modes) == 1 else f"one of {m['dof']}: "
        if m["cusp"]:
            out.append(f"{which}both its ends leave in one direction, a cusp")
        if m["cone"]:
            out.append(f"{which}its directions form a cone")
        if extra := m["first_order"] - m["dof"]:
            out.append(f"{which}{extra} more of first order only stay with it, it is shaky")
    return list(dict.fromkeys(out))
