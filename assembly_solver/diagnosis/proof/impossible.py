"""Proofs that constraints hold at no poses, cheap ones first; without one nothing is said.

Each is of the equations with every sense that a mate may take, and of a contradiction that is
larger than what tolerances add up to: noise is not proved to be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ...equations.residuals import residual_of
from ...equations.system import System, compile_system
from ...foundations.numerics.rounding import ROOT
from ...model.assembly import Assembly
from ...model.measures.measure import IS_ANGLE
from ...structure.clusters import nominal_markers
from .closing_joints import ClosingJoints
from .no_closing import ClosureProof, closes_nowhere
from .no_real_pose import NoRealProof, no_real_pose
from .reach import ReachProof, too_short
from .rigid_places import LinearProof, Places
from .stated_facts import facts_of, limits_of
from .stated_values import values_at_odds

MOST_CONSTRAINTS = 40
"""Most mates, drivers and limits of which a proof is looked for: all pairs are compared."""

MOST_SENSES = 8
"""Most mates of which both senses are tried."""


CERTAIN = 2.0
"""Tolerances for each constraint by which a contradiction has to be larger: each may be off by one,
and by a tilt within it."""

Proof = LinearProof | ReachProof | NoRealProof | ClosureProof


class _Open(NamedTuple):
    """What is known of a system of which nothing cheap is proved; `margin`, `tolerance` in mm."""

    system: System
    places: Places
    margin: float
    tolerance: float


class Impossible(NamedTuple):
    """Why constraints hold at no poses.

    Attributes:
        proof: for one choice of senses, of those with a proof of the same kind the least off.
        senses: how many choices there are, each with its proof.
    """

    proof: Proof
    senses: int


def impossible(assembly: Assembly, boxes: int = 0) -> Impossible | None:
    """A proof that the mates and drivers of an assembly hold at no poses; None where none is found.

    Limits count where the rest determines their coordinate, and in boxes.

    Args:
        boxes: of joint coordinates that are looked at where nothing cheaper decides.
    """
    free = [h.mate.name for h in assembly.held.values() if h.chosen_by is not None]
    drivers = sum(d.value is not None for d in assembly.drivers.values())
    many = len(assembly.held) + drivers + len(assembly.limits)
    if len(free) > MOST_SENSES or many > MOST_CONSTRAINTS:
        return None
    first: Proof | None = None
    boxed: ClosureProof | None = None
    left = list[_Open]()
    for choice in product((False, True), repeat=len(free)):
        names = frozenset(n for n, reverse in zip(free, choice, strict=True) if reverse)
        found = _without_boxes(compile_system(assembly, names))
        if not isinstance(found, _Open):
            first = found if first is None else _less_off(first, found)
            continue
        left.append(found)
        if len(left) == 1:
            boxed = _in_boxes(found, boxes)
            if boxed is None:  # most that have no proof end here
                return None
            first, boxes = first or boxed, boxes - boxed.boxes
    if boxed is not None and not _others_are_empty(left, boxed, boxes):
        return None
    return None if first is None else Impossible(first, 2 ** len(free))


def _less_off(one: Proof, other: Proof) -> Proof:
    """The one that is less off of two proofs of a kind, else the first: what is far off in a sense
    that nobody meant tells nothing of how near the mates are to holding."""
    match one, other:
        case LinearProof(), LinearProof() if (one.angle is None) == (other.angle is None):
            return min(one, other, key=lambda proof: proof.off)
        case ReachProof(), ReachProof() if one.directions == other.directions:
            return min(one, other, key=lambda proof: proof.asked - proof.reach)
    return one


def _without_boxes(system: System) -> Proof | _Open:
    """The cheapest proof, or what is known where none of these is found.

    Where features nearly agree, that of the nominal ones: they are off by a displacement more.
    """
    each = CERTAIN * _count(system)
    proof = _where_held(system, each * system.tolerance)
    if proof is not None:
        return proof
    found = _of_features(system, each, 0.0)
    if isinstance(found, _Open):
        nominal, shift = nominal_markers(system)
        other = _of_features(nominal, each, shift * _gain(nominal)) if shift else found
        return found if isinstance(other, _Open) else other
    return found


def _gain(system: System) -> float:
    """By how much an equation is off, mm, for each mm that its features are displaced, at least 1:
    with what coefficients enlarge."""
    t, least = system.table, float(np.min(system.reach, initial=np.inf))
    rate = np.abs(t.coefficient) / np.where(IS_ANGLE[t.kind[t.term_measure]], least, 1.0)
    whole = np.bincount(np.repeat(np.arange(len(t.target)), np.diff(t.first_term)), rate)
    arm = np.where(system.angular, system.reach[system.constraint_of_equation], 1.0)
    return float(np.max(arm * whole, initial=1.0))


def _count(system: System) -> int:
    """Mates, drivers and limits."""
    limits = 0 if system.bounds is None else len(system.bounds.names)
    return system.mates + system.drivers + limits


def _of_features(system: System, each: float, shift: float) -> Proof | _Open:
    """The same of features that are displaced by so much, mm, at most."""
    facts = facts_of(system)
    tolerance = (system.tolerance + shift) * facts.loose
    places = Places(facts, facts.parts, each * tolerance, system.length)
    proof = values_at_odds(system, each * (system.tolerance + shift)) or places.settle()
    if proof is not None:
        return proof
    margin = places.margin
    angular = margin / max(float(np.min(system.reach, initial=np.inf)), 1.0)
    short = too_short(facts, places, margin, angular)
    found = short or no_real_pose(facts, places, margin)
    return found or _Open(system, places, each * system.tolerance, tolerance)


def _in_boxes(case: _Open, boxes: int) -> ClosureProof | None:
    """A proof by boxes of joint coordinates; tilts within tolerances count at the end of chains."""
    if not boxes:
        return None
    system, places, margin, tolerance = case
    reach = np.maximum(system.reach, 1.0)
    tilt = CERTAIN * tolerance * float(np.sum(1.0 / reach)) / places.least_sharpness + ROOT
    tree = ClosingJoints(places, limits_of(system), margin + tilt * places.extent, tilt)
    return closes_nowhere(tree, boxes)


def _others_are_empty(left: Sequence[_Open], first: ClosureProof, boxes: int) -> bool:
    """Whether boxes prove all but the first of some choices of senses.

    Each takes about as many as the first: where all together take more, none is looked for.
    """
    if first.boxes * (len(left) - 1) > boxes:
        return False
    for case in left[1:]:
        found = _in_boxes(case, boxes)
        if found is None:
            return False
        boxes -= found.boxes
    return True


def _where_held(system: System, margin: float) -> LinearProof | None:
    """Constraints between parts that are all held, which do not hold where these are."""
    off = system.in_mm(residual_of(system, system.start))
    for k in np.flatnonzero(off > margin).tolist():
        if system.fixed[list(system.parts_of(k))].all():
            return LinearProof(float(off[k]), (k,))
    return None
