"""What a solve was given: the assembly as it was then."""

from __future__ import annotations

from ..foundations.remembered import remembered
from .assembly import Assembly


class Snapshot:
    """An assembly as it was when it was solved, copied when it is read.

    Args:
        base: a copy of it as it was before, which is never given away: others are made of it.
        now: the assembly, if features moved and values changed since that, and nothing else did.
    """

    def __init__(self, base: Assembly, now: Assembly | None = None) -> None:
        self._base, self._edited = base, None if now is None else now._edited_entries()

    @remembered
    def assembly(self) -> Assembly:
        """A copy of its own."""
        return self._base.copy(self._edited)

    def again(self) -> Snapshot:
        """The same for another solve, whose copy shows no edits of this one's."""
        other = object.__new__(Snapshot)
        other._base, other._edited = self._base, self._edited
        return other
