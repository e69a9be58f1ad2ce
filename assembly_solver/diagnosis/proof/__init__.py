"""What is proved of poses: numbers as balls, tests of existence and of one solution only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...errors import MissingExtra


def proving(module: str, purpose: str) -> Any:
    """A module of this folder, imported where it is asked for: it needs the extra `proof`."""
    try:
        return import_module(f".{module}", __name__)
    except ModuleNotFoundError as error:
        raise MissingExtra("proof", purpose) from error
