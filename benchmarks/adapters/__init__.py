"""One adapter per peer: a case becomes the peer's model, its solve call is timed, poses come back.

Every mate of a case is passed on as the peer's nearest constraint, from the case's start poses.  A
peer is imported when its adapter is made; a missing one is named with the package to install.
"""

from __future__ import annotations

from collections.abc import Callable

from .base import Adapter, MissingPeerError
from .by_cadquery import CadQuery
from .by_ondsel import Ondsel
from .by_ourselves import Ours
from .by_py_slvs import PySlvs
from .by_slvs import Slvs

ADAPTERS: dict[str, Callable[[], Adapter]] = {
    "ours:first": lambda: Ours(keep=False),
    "ours:repeated": lambda: Ours(keep=True),
    "cadquery": CadQuery,
    "ondsel:joints": lambda: Ondsel(merge=True),
    "ondsel:mates": lambda: Ondsel(merge=False),
    "py-slvs": lambda: PySlvs("literal"),
    "py-slvs:minimal": lambda: PySlvs("minimal"),
    "slvs": lambda: Slvs("literal"),
    "slvs:minimal": lambda: Slvs("minimal"),
}

__all__ = ["ADAPTERS", "Adapter", "MissingPeerError"]
