"""What is proved of poses: numbers as balls, tests of existence and of one solution only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...errors import MissingExtra


def proving(module: str, what: str) -> Any:
    """The module of this folder that certifies this: imported late, for it needs an extra."""
    try:
        return import_module(f".{module}", __name__)
    except ModuleNotFoundError as error:
        raise MissingExtra("proof", f"to certify a {what}") from error
