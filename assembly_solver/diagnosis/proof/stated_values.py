"""Values that cannot be those of the same measures: relations that are inconsistent as they stand.

Every measure of two markers is one unknown, whatever the poses are; equations are linear in them.
Where a combination of equations leaves nothing of the measures and something of the values, or
where a measure that they determine is beyond a limit, they hold at no poses.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np

from ...equations.system import System
from ...equations.table import EquationTable
from ...foundations.numerics.rounding import AGREEMENT, ROOT
from ...foundations.types import Array
from ...model.measures.measure import ROTATION
from .known_measures import Key, asked_of, known_measures, terms_of
from .rigid_places import LinearProof, inconsistent


def values_at_odds(system: System, margin: float) -> LinearProof | None:
    """A proof from values of measures alone, of mates, drivers and limits.

    Args:
        margin: by how much they have to be off, mm.
    """
    rows: list[dict[Key, float]] = []
    right, owner, scale = list[float](), list[int](), list[float]()
    t, (known, _) = system.table, known_measures(system)
    for k in range(system.mates + system.drivers):
        for e in system.rows([k]).tolist():
            if e in system.taken:
                continue
            terms, value = _terms(t, e), asked_of(t, e, known)
            if value is None:
                continue  # whole turns of several joints are not told apart here
            rows.append(terms)
            right.append(value)
            owner.append(k)
            scale.append(float(system.reach[k]) if system.angular[e] else 1.0)
    if not rows:
        return None
    keys = list(dict.fromkeys(key for row in rows for key in row))
    matrix = np.array([[row.get(key, 0.0) for key in keys] for row in rows])
    size, held = np.array(scale), matrix != 0.0
    met = ~(held & (held.sum(axis=0) == 1)).any(axis=1)  # no measure of its own holds it
    shared = np.flatnonzero(met).tolist()
    proof = inconsistent(
        (size[:, None] * matrix)[met], (size * right)[met], [owner[k] for k in shared], margin
    )
    if proof is not None:
        arms = [s for s, k in zip(scale, owner, strict=True) if k in proof.constraints]
        if system.angular[system.rows(list(proof.constraints))].all():
            return replace(proof, angle=proof.off / max(arms))
        return proof
    return _beyond(system, keys, (matrix, np.array(right), size), owner, margin)


def _terms(t: EquationTable, e: int) -> dict[Key, float]:
    """Coefficients of the measures of an equation."""
    out: dict[Key, float] = {}
    for x in terms_of(t, e):
        out[x.key] = out.get(x.key, 0.0) + x.coefficient
    return out


def _beyond(
    system: System,
    keys: list[Key],
    equations: tuple[Array, Array, Array],
    owner: list[int],
    margin: float,
) -> LinearProof | None:
    """A limit that a measure which is determined is beyond.

    Args:
        equations: their coefficients, values and what scales them to mm: each may be off by a
            tolerance, and a measure by what these make together.
    """
    (matrix, right, size), b = equations, system.bounds
    if b is None:
        return None
    inverse = np.linalg.pinv(matrix, rcond=ROOT)
    determined = inverse @ matrix
    for k in range(len(b.names)):
        terms = _terms(b.table, k)
        if len(terms) != 1 or next(iter(terms)) not in keys:
            continue
        (key, coefficient), n = next(iter(terms.items())), keys.index(next(iter(terms)))
        if np.abs(determined[n] - np.eye(len(keys))[n]).max() > ROOT or coefficient != 1.0:
            continue
        used = {owner[r] for r in np.flatnonzero(np.abs(inverse[n]) > ROOT).tolist()}
        arm = max((float(system.reach[c]) for c in used), default=1.0) if b.angular[k] else 1.0
        off = _outside(float(inverse[n] @ right), float(b.low[k]), float(b.high[k]), key)
        loose = arm * float(np.sum(np.abs(inverse[n]) / size))
        if off * arm > margin * max(loose, 1.0) + AGREEMENT:
            return LinearProof(off * arm, tuple(sorted(used)), off if b.angular[k] else None)
    return None


def _outside(value: float, low: float, high: float, key: Key) -> float:
    """By how much a value is outside bounds; an angle with the whole turns that suit it best."""
    values = [value + 2 * pi * k for k in range(-3, 4)] if key[0] == ROTATION else [value]
    return min(max(low - v, v - high, 0.0) for v in values)
