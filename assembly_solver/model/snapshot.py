"""What a solve was given: the assembly as it was then."""

from __future__ import annotations

from ..foundations.remembered import remembered
from .assembly import Assembly
from .building.moves import EditedEntries


class Snapshot:
    """An assembly as it was when it was solved: a copy, not to be edited, made when it is read.

    Args:
        base: a copy of it as it was before; since: it, of which features moved and values changed
            alone since that.
    """

    def __init__(self, base: Assembly, since: Assembly | None = None) -> None:
        self._base = base
        self._edited: EditedEntries | None = None
        if since is not None:
            m, values = since.moves, dict(since.parameters)
            entries = m.features.copy(), m.users, m.mates.copy(), m.drivers.copy()
            self._edited = EditedEntries(*entries, values, since.formulas.copy())

    @remembered
    def assembly(self) -> Assembly:
        """The copy."""
        return self._base if self._edited is None else self._base.copy(self._edited)

    @property
    def untouched(self) -> bool:
        """Whether nobody edited the copy."""
        known = vars(self).get("assembly")
        return known is None or known.revision == 0
