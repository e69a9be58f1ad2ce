"""Many linkages of one plan over the same states: paths of points, modes, and why some fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import UnknownName
from ..foundations.types import Array, Bools, Ints
from ..linkages.run.branches import ZERO_SINE
from ..linkages.run.variants import VariantStates
from .linkage_states import Skeleton

DEAD = "dead point: both sides of a joint meet"


@dataclass(frozen=True, eq=False)
class LinkageVariants:
    """The answer to `Linkage.variants`.

    Attributes:
        linkage: with its plan; at: where the points start, (variants, points, 2), mm.
        traced: names of the points whose paths are kept; states: of the inputs.
        signs: of the branches, (variants, branches), +1 or -1; kept: see there.
    """

    linkage: Skeleton
    at: Array
    traced: tuple[str, ...]
    states: int
    signs: Ints
    kept: VariantStates

    def __len__(self) -> int:
        return len(self.at)

    def path(self, point: str | None = None) -> Array:
        """The path of a traced point, by default the first, (variants, 2, states), mm.

        NaN in states that cannot be built.  Raises UnknownName: it was not traced.
        """
        name = self.traced[0] if point is None else point
        if name not in self.traced:
            raise UnknownName("traced point", name, self.traced)
        return self.kept.P[:, self.traced.index(name)]

    @cached_property
    def valid(self) -> Bools:
        """Which linkages are built in every state, and come to no dead point there."""
        out: Bools = (self.kept.built == self.states) & ~self._dead
        return out

    @cached_property
    def _dead(self) -> Bools:
        out: Bools = self.kept.least <= ZERO_SINE
        return out

    def mode(self, number: int) -> str:
        """The assembly mode of a linkage, the sign of each dyad in the order of the steps."""
        return "".join("+" if sign > 0 else "-" for sign in self.signs[number].tolist())

    def reason(self, number: int) -> str:
        """Why a linkage is not valid, empty where it is."""
        operation = int(self.kept.failed[number]) - 1
        if operation < 0:
            return DEAD if self._dead[number] else ""
        step = self.linkage.step_of(operation)
        return f"{step.kind} at {step.joint} does not close"

    @cached_property
    def reasons(self) -> dict[str, int]:
        """How many linkages are not valid for each reason, the most frequent first."""
        found: Counter[str] = Counter()
        for operation, dead in Counter(
            zip(self.kept.failed.tolist(), self._dead.tolist(), strict=True)
        ):
            own = (self.kept.failed == operation) & (self._dead == dead)
            reason = self.reason(int(np.argmax(own)))
            if reason:
                found[reason] += int(own.sum())
        return dict(found.most_common())
