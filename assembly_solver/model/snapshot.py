"""What a solve was given: the assembly as it was then."""

from __future__ import annotations

from ..foundations.remembered import remembered
from .assembly import Assembly
from .building.moves import EditedEntries


class Snapshot:
    """An assembly as it was when it was solved, copied when it is read.

    Args:
        base: a copy of it as it was before, which is never given away: others are made of it.
        edited: what its entries have become by moves since that, if they did.
    """

    def __init__(self, base: Assembly, edited: EditedEntries | None = None) -> None:
        self._base, self._edited = base, edited

    @classmethod
    def since(cls, base: Assembly, now: Assembly) -> Snapshot:
        """That of an assembly of which, since a copy, features moved and values changed alone."""
        return cls(base, now._edited_entries())

    @remembered
    def assembly(self) -> Assembly:
        """A copy of its own."""
        return self._base.copy(self._edited)

    def again(self) -> Snapshot:
        """The same for another solve, whose copy shows no edits of this one's."""
        return Snapshot(self._base, self._edited)
