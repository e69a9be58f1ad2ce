"""The entries of an assembly as other modules of the model see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from .drivers.cylinder import Cylinder
from .drivers.driver import Driver
from .mate import ResolvedMate
from .part import Part


class NamedEntries(Protocol):
    """Parts, resolved mates, drivers and cylinders by name."""

    @property
    def parts(self) -> Mapping[str, Part]: ...
    @property
    def held(self) -> Mapping[str, ResolvedMate]: ...
    @property
    def drivers(self) -> Mapping[str, Driver]: ...
    @property
    def cylinders(self) -> Mapping[str, Cylinder]: ...
