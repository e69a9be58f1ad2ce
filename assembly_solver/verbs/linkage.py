"""The verb `linkage`: what drivers move in a plane, as a plan of points over all states at once.

Signs of dyads are kept from state to state; states that cannot be built are marked with the step
and the reason, and the rest stays valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import degrees
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadValue, Overdriven
from ..foundations.geometry.pose import frames_of
from ..foundations.types import Array, Ints
from ..linkages.circuits.circuit import Circuits
from ..linkages.circuits.circuits import circuits_of
from ..linkages.plan.cost import Cost, cost
from ..linkages.plan.planning import Step, plan_linkage
from ..linkages.plan.slot_as_arc import reinterpreted
from ..linkages.run.branches import place
from ..linkages.scheme.assembly_view import view
from ..linkages.scheme.matrices import Matrices, matrices
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.drivers.guide import Guide
from ..model.measures.measure import read
from ..results.linkage_states import Skeleton, States, numbers
from ..results.wording.left_out import left_out_rows
from ..results.wording.plain import count, listed
from ..structure.plan import Plan
from .solving import plan_of, solve

STEPS = 100
"""Steps through the range of a driver where no values are given."""

ERROR = 1e-3
"""What a re-interpreted slot may be off its line, mm."""


def linkage(assembly: Assembly, *, reinterpret: bool = False, error: float = ERROR) -> Linkage:
    """What the drivers of an assembly move in a plane, as a planar linkage.

    The assembly is solved at the present values of its drivers; on the branch on which it stands
    there all states are built.  Drivers without a value are inputs too as far as they move what
    others leave free; they start where they stand.  What nothing drives stays where it is.

    Args:
        assembly: not changed.
        reinterpret: replace each slot by links to a far joint; error: what that may be off, mm.

    Raises:
        Unsolved: where the assembly does not hold at the present values.
        NoLinkage: where its drivers move nothing in a plane, or a mate or driver cannot be told in
            pins, links and slots.
        Overdriven: where a driver drives what others determine.
    """
    solution = solve(assembly).require()
    given = assembly.copy()
    given.move(solution.poses)
    frames = frames_of(solution.poses.values())
    unset = [name for name, d in given.drivers.items() if d.value is None]
    for name in unset:
        if not isinstance(given.drivers[name], Guide):
            given.set_driver(name, _reading(given.drivers[name], solution.plan, frames))
    plan = plan_of(given) if unset else solution.plan
    while True:
        names = tuple(n for n, d in given.drivers.items() if d.value is not None)
        seen = view(given, plan, frames, names)
        scheme = reinterpreted(seen.scheme, error) if reinterpret else seen.scheme
        try:
            return Linkage(given, seen, scheme, plan_linkage(scheme))
        except Overdriven:
            if not unset:
                raise
            given.set_driver(unset.pop(), None)
            plan = plan_of(given)


def _reading(driver: Driver, plan: Plan, frames: Array) -> float:
    """The value at which a driver stands, mm or degrees."""
    found, parts = driver.measure, plan.system.parts
    value = read(found, *(frames[parts.index(m.part)] for m in (found.a, found.b)))
    return degrees(value) if driver.unit == "deg" else value


class Linkage(Skeleton):
    """A planar linkage, planned."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps in which points are placed."""
        return self.planned.steps

    @property
    def held(self) -> tuple[str, ...]:
        """What nothing drives and stays: joints of the linkage, drivers outside of its plane."""
        return (*self.planned.held, *self.view.held)

    @cached_property
    def matrices(self) -> Matrices:
        """MotionGen's matrices of it."""
        return matrices(self.scheme)

    @property
    def B(self) -> Ints:  # noqa: N802 (names of the source)
        """1 for a joint on a link, (links, joints)."""
        return self.matrices.B

    @property
    def T(self) -> Ints:  # noqa: N802
        """1 for two joints on one link, (joints, joints)."""
        return self.matrices.T

    @property
    def D(self) -> Array:  # noqa: N802
        """Distances of joints on one link, (joints, joints), mm."""
        return self.matrices.D

    @property
    def S(self) -> Ints:  # noqa: N802
        """Joints in slots and the ends of these, (joints in slots, 3)."""
        return self.matrices.S

    @property
    def I(self) -> tuple[tuple[int, int, int, str], ...]:  # noqa: E743, N802
        """The actuators, (i, j, k, kind)."""
        return self.matrices.I

    @cached_property
    def cost(self) -> Cost:
        """Arcs and groups that one state costs, by MotionGen's rule."""
        return cost(self.planned.scheme)

    def reinterpreted(self, error: float = ERROR) -> Linkage:
        """The same with each slot replaced by links to a far joint, within an error, mm."""
        scheme = reinterpreted(self.view.scheme, error)
        return replace(self, scheme=scheme, planned=plan_linkage(scheme))

    def circuits(self, driver: str | None = None) -> Circuits:
        """Circuits and branches, and the intervals of a driver in which each exists.

        Args:
            driver: that leads it, the others stay; the only one unless given.

        Raises:
            UnknownName: for what is no input of it; BadValue: where there are several.
        """
        if driver is None and len(self.inputs) > 1:
            raise BadValue("linkage.circuits", "no driver", f"one of {', '.join(self.inputs)}")
        number = self.number(driver or self.inputs[0])
        return circuits_of(self.planned, number, float(self.present[number]))

    # ---------------------------------------------------------------- running
    def run(
        self,
        values: Mapping[str, ArrayLike] | None = None,
        /,
        *,
        grid: bool = False,
        speed: Mapping[str, ArrayLike] | None = None,
        acc: Mapping[str, ArrayLike] | None = None,
        **inputs: ArrayLike,
    ) -> States:
        """Build all states.

        Args:
            values, inputs: of drivers by name, degrees and mm, one for each state; a single number
                is that of all states.  Inputs without values stay where they start; where none has
                any, the only one goes through its range.
            grid: every combination of the values of several inputs, the last one fastest.
            speed, acc: rates of inputs for velocities and accelerations, per second and per second
                squared, numbers or one for each state; those not named stand still.  Without
                `speed` each input with values goes at 1 degree or mm a second.

        Raises:
            UnknownName, BadValue: for what is no input of it, or no series of numbers.
        """
        told: Mapping[str, ArrayLike] = {**values, **inputs} if values else inputs
        told = told or self._range()
        V, shape = self._series(told, grid)
        going = dict.fromkeys(told, 1.0) if speed is None else speed
        return States(self, place(self.planned, V, self.present, shape), shape, going, acc or {})

    @cached_property
    def present(self) -> Array:
        """Where the actuators of the plan start, (actuators,), degrees and mm."""
        out = np.zeros(len(self.planned.scheme.actuators))
        for k, name in enumerate(self.inputs):
            out[k] = self.assembly.drivers[name].value
        return out

    def _series(self, told: Mapping[str, ArrayLike], grid: bool) -> tuple[Array, tuple[int, ...]]:
        """Inputs of all states, (actuators, states), and the shape of their grid."""
        each = {self.number(n): numbers(v, f"linkage.{n}") for n, v in told.items()}
        shape = tuple(map(len, each.values())) if grid else ()
        if len(shape) > 1:
            series = np.meshgrid(*each.values(), indexing="ij")
            each = {k: v.ravel() for k, v in zip(each, series, strict=True)}
        states = max(map(len, each.values()))
        out = np.empty((len(self.present), states))
        if len(each) < len(out):
            out[:] = self.present[:, None]
        for k, v in each.items():
            if len(v) not in (1, states):
                place = f"linkage.{self.inputs[k]}"
                raise BadValue(place, len(v), f"{states} values, as another has")
            out[k] = v
        return out, shape

    def _range(self) -> dict[str, ArrayLike]:
        """The range of the only driver."""
        driver = self.assembly.drivers[self.inputs[0]]
        if len(self.inputs) > 1 or driver.range is None:
            raise BadValue("linkage.run", "no value", f"values of {' or '.join(self.inputs)}")
        return {driver.name: np.linspace(*driver.range, STEPS + 1)}

    # ---------------------------------------------------------------- telling
    def __repr__(self) -> str:
        return f"Linkage({self.assembly.name!r}: {self.sentence})"

    @property
    def sentence(self) -> str:
        """What it is, in a sentence."""
        groups = sum(step.branch >= 0 and step.sign == 0 for step in self.steps)
        words = [
            f"{count(len(self.scheme.links), 'link')}, {count(len(self.steps), 'step')}"
            + (f" of which {count(groups, 'group')}" if groups else ""),
            f"driven by {listed(list(self.inputs))}",
        ]
        if self.held:
            words.append(f"not driven, so held: {listed(list(self.held))}")
        return "; ".join(words)

    def __str__(self) -> str:
        """The sentence and the steps."""
        rows = [("step", "links", "points", "joint", "side")]
        for step in self.steps:
            links, points = ", ".join(step.links), ", ".join(step.points)
            side = {1: "+", -1: "-"}.get(step.sign, "")
            rows.append((step.kind, links, points, step.joint, side))
        return "\n".join([self.sentence, *_aligned(rows)])

    def to_dict(self) -> dict[str, Any]:
        """Inputs, steps, matrices and cost, for JSON."""
        return {
            "sentence": self.sentence,
            "inputs": list(self.inputs),
            "held": list(self.held),
            "left_out": left_out_rows(self.assembly),
            "steps": [
                {
                    "kind": s.kind,
                    "links": list(s.links),
                    "points": list(s.points),
                    "joint": s.joint,
                    "sign": s.sign,
                }
                for s in self.steps
            ],
            "matrices": self.matrices.to_dict(),
        }


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows of a table, columns side by side."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
