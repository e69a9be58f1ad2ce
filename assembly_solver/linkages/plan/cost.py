"""What a linkage costs per state: a count of arcs and groups, its structural complexity.

A joint by arcs costs 2 (a + 2) Ca, where a of its 2 links are by angles; n joints at once cost
(2n)^3 Cn.  A linear actuator costs as much as a link.

Source: MotionGen, equations (30), (31) and table 2; the rule is fitted in docs/theory/dyads.md, 9.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...foundations.numerics.rounding import FOURTH
from ..scheme.scheme import Scheme
from .decomposition import decompose
from .rigid_links import merged
from .slot_as_arc import reinterpreted


@dataclass(frozen=True)
class Cost:
    """Structural complexity: `arcs` times the cost of an arc, Ca, and `groups` times Cn."""

    arcs: int
    groups: int

    def __str__(self) -> str:
        terms = [f"{n} {of}" for n, of in ((self.arcs, "Ca"), (self.groups, "Cn")) if n]
        return " + ".join(terms) or "0"


def cost(scheme: Scheme) -> Cost:
    """The cost of one state of a linkage, with slots re-interpreted and rigid sets of links merged.

    Raises:
        SlotOutOfReach: a joint starts beyond the limits of its slot.
        NotDriven: joints that the inputs leave movable.
    """
    error = FOURTH * scheme.size or 1.0  # any one gives the same links
    steps = decompose(merged(reinterpreted(scheme, error)))
    return Cost(
        sum(2 * (step.angles + 2) for step in steps if not step.group),
        sum((2 * len(step.joints)) ** 3 for step in steps if step.group),
    )
