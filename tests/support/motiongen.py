"""The stored mechanisms of MotionGen as schemes, with the names that they have there."""

from __future__ import annotations

from typing import Any

import numpy as np
from stored_linkages import entries

from assembly_solver.foundations.types import Array
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink, SchemeSlot


def stored(name: str) -> dict[str, Any]:
    """One entry of the facts."""
    return entries()[name]


def scheme(name: str) -> Scheme:
    """The linkage of an entry, exact slots."""
    entry = stored(name)
    points = tuple(entry["joints"])
    number = {point: n for n, point in enumerate(points)}
    links = tuple(
        SchemeLink(f"link {n}", tuple(number[p] for p in joints))
        for n, joints in enumerate(entry["links"])
    )
    slots = tuple(
        SchemeSlot(f"slot {a} {b}", number[q], (number[a], number[b]), link)
        for q, a, b, link in entry["slots"]
    )
    drivers = tuple(
        Actuator(f"input {n}", kind, (number[i], number[j], number[k]))
        for n, (kind, i, j, k) in enumerate(entry["actuators"])
    )
    return Scheme(points, np.array([*entry["joints"].values()]), links, slots, drivers)


def inputs(name: str) -> Array:
    """(actuators, states), rad and mm; where only first and last are stored the rest is between."""
    entry = stored(name)
    if "inputs" in entry:
        return np.array(entry["inputs"])
    ends = np.array(entry["inputs_first_last"])
    return np.linspace(ends[:, 0], ends[:, 1], entry["n_states"], axis=1)
