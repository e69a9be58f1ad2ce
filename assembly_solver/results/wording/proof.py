"""What is proved of the poses of a solve, in the user's names and in words."""

from __future__ import annotations

from math import isfinite
from typing import Any

from ...diagnosis.proof.certificate import BlockProof, Certificate
from ...equations.system import System
from ...foundations.numerics.rounding import EPSILON
from .phrases import at_least, at_most, count, listed

FEW = 4
"""Most parts or mates that a reason names."""


def certificate_entry(found: Certificate, system: System) -> dict[str, Any]:
    """The entry `certified` of the result object."""
    out: dict[str, Any] = {
        "unique": found.unique,
        "radius_mm": finite_or_none(found.radius),
        "within_mm": finite_or_none(found.within) if found.unique else None,
        "held": found.held if found.unique else None,
        "off_mm": found.off if found.unique else None,
    }
    if not found.unique:
        out["reason"] = _reason(found, system)
    words = _proved(found) if found.unique else f"not proved: {out['reason']}"
    blocks = [_block_entry(b, system) for b in found.blocks]
    return out | {"blocks": blocks, "words": words}


def _proved(found: Certificate) -> str:
    if not isfinite(found.within):
        return "proved: every mate holds, and no part moves"
    near = at_most(found.radius)
    told = [f"proved: exactly one solution, no feature more than {near} mm from it"]
    told += [f"no other within {at_least(found.within)} mm"]
    if found.off > EPSILON:  # else no mate repeats another one
        told += [f"mates that repeat others within {at_most(found.off)} mm there"]
    if found.held:
        told += [f"{count(found.held, 'free coordinate')} held as they are"]
    return "; ".join(told)


def _reason(found: Certificate, system: System) -> str:
    """Of the blocks that are not proved the first, and how many more there are."""
    first, *others = (b for b in found.blocks if b.reason is not None)
    more = f"; {count(len(others), 'more loop')} not proved either" if others else ""
    return _of_block(first, system) + more


def _of_block(proof: BlockProof, system: System) -> str:
    assert proof.reason is not None
    names = [system.parts[k] for k in proof.block.parts]
    if proof.constraints:
        names = [system.constraints[k] for k in proof.constraints]
    return f"{listed(names, FEW)}: {proof.reason.value}"


def _block_entry(proof: BlockProof, system: System) -> dict[str, Any]:
    """A block: its parts, the part from which they are reached, what is proved of them."""
    block = proof.block
    out: dict[str, Any] = {
        "parts": [system.parts[k] for k in block.parts],
        "against": system.parts[block.root] if block.root >= 0 else None,
        "unique": proof.reason is None,
    }
    if proof.reason is not None:
        return out | {
            "reason": proof.reason.value,
            "mates": [system.constraints[k] for k in proof.constraints],
        }
    return out | {
        "held": proof.held,
        "within_mm": finite_or_none(proof.within),
        "off_mm": proof.off,
    }


def finite_or_none(value: float) -> float | None:
    """A number for JSON, which has no infinity."""
    return value if isfinite(value) else None
