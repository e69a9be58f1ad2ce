"""How often solves run: counts the calls of `solve_within_limits` by the modules that call it."""

from __future__ import annotations

from types import ModuleType

import pytest


def counted_solves(patch: pytest.MonkeyPatch, *callers: ModuleType) -> list[int]:
    """A list that grows by one for each solve that one of the modules asks for."""
    out: list[int] = []
    solve = vars(callers[0])["solve_within_limits"]

    def counted(*given: object, **more: object) -> object:
        out.append(1)
        return solve(*given, **more)

    for module in callers:
        patch.setattr(module, "solve_within_limits", counted)
    return out
