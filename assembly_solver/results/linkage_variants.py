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

    @cached_property
    def modes(self) -> list[str]:
        """The assembly modes of the linkages, the sign of each dyad in the order of the steps."""
        count, dyads = self.signs.shape
        if not dyads:
            return [""] * count
        signs = np.where(self.signs > 0, ord("+"), ord("-")).astype(np.uint8)
        found: list[str] = signs.view(f"S{dyads}").ravel().astype(str).tolist()
        return found

    def mode(self, number: int) -> str:
        """The assembly mode of a linkage."""
        return self.modes[number]

    def reason(self, number: int) -> str:
        """Why a linkage is not valid, empty where it is."""
        operation = int(self.kept.failed[number]) - 1
        if operation < 0:
            return DEAD if self._dead[number] else ""
        step = self.linkage.planned.step_of(operation)
        return f"{step.kind} at {step.joint} does not close"

    @property
    def every_reason(self) -> list[str]:
        """The reasons of all linkages."""
        codes = (2 * self.kept.failed + self._dead).tolist()
        some = {code: n for n, code in enumerate(codes)}
        of = {code: self.reason(n) for code, n in some.items()}
        return [of[code] for code in codes]

    @cached_property
    def reasons(self) -> dict[str, int]:
        """How many linkages are not valid for each reason, the most frequent first."""
        return dict(Counter(filter(None, self.every_reason)).most_common())
