"""What an adapter offers, and the error for a peer that is not installed."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

import numpy as np

from ..case import Array, BenchmarkCase, Poses


class MissingPeerError(ImportError):
    """A peer is not installed: says which package brings it."""

    def __init__(self, module: str, package: str) -> None:
        super().__init__(f"{module} is not installed: pip install {package}")


def peer(module: str, package: str) -> Any:
    """Import a peer's module.  The peers are untyped, so their objects are `Any` here."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise MissingPeerError(module, package) from missing


class Adapter(Protocol):
    """One way to solve cases.  A model is solved once; build again for another solve."""

    def prepare(self, case: BenchmarkCase) -> None:
        """Work that a user does by hand before modelling; not timed."""

    def build(self, case: BenchmarkCase) -> Any:
        """The peer's own model, in the start poses; not timed."""

    def solve(self, model: Any) -> str:
        """The solve call alone, which is timed; returns what the peer says of it."""

    def poses(self, model: Any) -> Poses:
        """The solved poses in the order of the case's parts; not timed."""


def matrix(case: BenchmarkCase, name: str) -> Array:
    """Start pose of a part as a homogeneous matrix, mm."""
    i = list(case.parts).index(name)
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = case.guess.rotation[i], case.guess.position[i]
    return out


def across(direction: Array) -> tuple[Array, Array]:
    """Two directions that complete a direction to a right-handed frame."""
    helper = np.eye(3)[np.argmin(np.abs(direction))]
    first = np.cross(helper, direction)
    first /= np.linalg.norm(first)
    return first, np.cross(direction, first)
