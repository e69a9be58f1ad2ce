"""Values that JSON can represent."""

from __future__ import annotations

from math import isfinite
from typing import Any


def finite(value: Any) -> Any:
    """The value with None for every number that JSON cannot represent."""
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value
