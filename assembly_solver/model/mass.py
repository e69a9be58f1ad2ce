"""Mass, centre of mass and inertia of parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..errors import BadValue
from ..foundations.arguments import with_named_arguments
from ..foundations.geometry.pose import Pose, Triple, numbers, position, triple
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.types import Array
from .numbers import is_number

Rows = tuple[Triple, Triple, Triple]


@with_named_arguments
@dataclass(frozen=True)
class Mass:
    """The mass of a part, in part coordinates.

    Attributes:
        kg: the mass, above 0; centre: the centre of mass, mm.
        inertia: about the centre along the part's axes, kg mm2: three moments (xx, yy, zz), or the
            whole tensor as three rows, whose off-diagonal entries are minus the integrals of the
            products.  All 0 for a mass at a point.

    Raises BadValue: a mass that is not above 0, or an inertia that no body can have.
    """

    kg: float
    centre: Triple
    inertia: Triple | Rows = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not is_number(self.kg) or not isfinite(self.kg) or self.kg <= 0:
            raise BadValue("kg", self.kg, "a mass above 0 in kg")
        object.__setattr__(self, "kg", float(self.kg))
        object.__setattr__(self, "centre", triple(position(self.centre, "centre")))
        object.__setattr__(self, "inertia", _checked(self.inertia))

    @property
    def tensor(self) -> Array:
        """The inertia about the centre, shape (3, 3), kg mm2, along the part's axes."""
        given = np.array(self.inertia, float)
        return given if given.ndim == 2 else np.diag(given)


def _checked(given: object) -> Triple | Rows:
    """Three moments or three rows of a tensor, if a body can have them; else BadValue."""
    wanted = "three moments of at least 0, or a symmetric tensor of three rows, in kg mm2"
    try:
        tensor = np.array(given, float)
    except (TypeError, ValueError, OverflowError):
        raise BadValue("inertia", given, wanted) from None
    if tensor.shape not in ((3,), (3, 3)) or not np.isfinite(tensor).all():
        raise BadValue("inertia", given, wanted)
    whole = tensor if tensor.ndim == 2 else np.diag(tensor)
    tolerance = AGREEMENT * np.abs(whole).max()
    if np.abs(whole - whole.T).max() > tolerance or np.linalg.eigvalsh(whole).min() < -tolerance:
        raise BadValue("inertia", given, wanted)
    if tensor.ndim == 1:
        return triple(numbers(tensor, 3, "inertia"))
    x, y, z = (triple(row) for row in tensor.tolist())
    return (x, y, z)


def combined(masses: Iterable[tuple[Pose, Mass]]) -> Mass | None:
    """The mass of bodies combined to one; None without any.

    Args:
        masses: the pose of each body in the frame of the result, and its mass.

    Source: parallel axis theorem (Huygens, Steiner): + m (d.d - d d^T) for a centre at distance d.
    """
    found = list(masses)
    if not found:
        return None
    kg = np.array([mass.kg for _, mass in found])
    centres = np.array([pose.apply(mass.centre) for pose, mass in found])
    centre = kg @ centres / kg.sum()
    total = np.zeros((3, 3))
    for (pose, mass), d in zip(found, centres - centre, strict=True):
        total += pose.rotation @ mass.tensor @ pose.rotation.T
        total += mass.kg * (d @ d * np.eye(3) - np.outer(d, d))
    x, y, z = (triple(row) for row in 0.5 * (total + total.T))
    return Mass(float(kg.sum()), triple(centre), (x, y, z))
