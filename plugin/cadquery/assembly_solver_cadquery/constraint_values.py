"""CadQuery's constraints as values: whether one was edited in place since it was last read."""

from __future__ import annotations

from typing import Any, NamedTuple

import cadquery as cq

import assembly_solver as asm

from .places import pose_of


class ShapeValue(NamedTuple):
    """A shape of a constraint, and its geometry, location and orientation when it was read.

    The shape itself is kept so that its number, which tells it from others, is not used again.
    """

    shape: Any
    wrapped: Any

    def same(self, other: ShapeValue) -> bool:
        """Whether both are one shape, unmoved."""
        if self.shape is not other.shape or self.wrapped is None or other.wrapped is None:
            return self.shape is other.shape
        return bool(self.wrapped.IsEqual(other.wrapped))


class ConstraintValue(NamedTuple):
    """What a constraint says: kind, parts, parameter (mm, degrees), locations, shapes."""

    kind: str
    objects: tuple[str, ...]
    param: Any
    places: tuple[asm.Pose, ...]
    shapes: tuple[ShapeValue, ...]

    def same(self, other: ConstraintValue) -> bool:
        """Whether both say the same."""
        shapes = zip(self.shapes, other.shapes, strict=False)
        return self[:4] == other[:4] and all(one.same(two) for one, two in shapes)


def value_of(constraint: Any) -> ConstraintValue:
    """The present value of a constraint."""
    return ConstraintValue(
        constraint.kind,
        tuple(constraint.objects),
        _number_or_numbers(constraint.param),
        tuple(map(pose_of, constraint.sublocs)),
        tuple(ShapeValue(shape, _standing(shape)) for shape in constraint.args),
    )


def _standing(shape: Any) -> Any:
    """A copy of the kernel's shape, which `Shape.move` changes in place; None without one."""
    wrapped = getattr(shape, "wrapped", None)
    return None if wrapped is None else wrapped.Located(wrapped.Location())


def _number_or_numbers(param: Any) -> Any:
    if isinstance(param, cq.Vector):
        return param.toTuple()
    return tuple(map(float, param)) if isinstance(param, (list, tuple)) else param
