"""Editing of the checks of an assembly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ...errors import AssemblySolverError
from ..check import Check
from ..references import new_name
from .tolerating import ToleranceEditing


class CheckEditing(ToleranceEditing):
    """The checks of an assembly, by name."""

    def __init__(self) -> None:
        super().__init__()
        self._checks: dict[str, Check] = {}

    @property
    def checks(self) -> Mapping[str, Check]:
        """Checks by name, in the order they were added."""
        return MappingProxyType(self._checks)

    def check(
        self, kind: str, *, name: str | None = None, place: str = "", **parameters: Any
    ) -> Check:
        """Add a check: its kind and its thresholds (mm, degrees, N).

        Args:
            kind: a key of `CHECKS`, as "dof"; parameters: its fields.
            name: derived from the kind and its subjects by default.

        Raises UnknownName, BadValue, MissingKey, Contradiction, SelfMate: as the parameters;
        DuplicateName: the name is taken.

        Examples:
            >>> Assembly("hinge").check("dof", equals=1).title
            'dof'
        """
        from ..checks import make_check  # twenty classes, which few assemblies ask for

        place = place or (f"checks.{name}" if name else "checks")
        found = make_check(kind, parameters, self, place)
        name = new_name("check", name, found.title, self._checks, place)
        return self._put(self._checks, name, replace(found, name=name))

    def remove_check(self, name: str) -> None:
        """Remove a check.  Raises UnknownName: no such check."""
        self._remove("check", self._checks, name)

    def _drop_stale(self) -> None:
        super()._drop_stale()
        if self._checks:
            self._drop_stale_checks()

    def _drop_stale_checks(self) -> None:
        from ..checks import make_check  # as above

        for name, check in list(self._checks.items()):
            try:
                make_check(check.kind, check.parameters(), self, "")
            except AssemblySolverError:
                del self._checks[name]
