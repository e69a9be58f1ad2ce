"""The public call `linkage`: a planar linkage computed point by point, all states at once.

Signs of dyads are kept from state to state; states that cannot be built are marked with the step
and the reason, and the rest stays valid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import degrees, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadValue, Overdriven, UnknownName, first_names
from ..foundations.arguments import with_checked_calls
from ..foundations.geometry.pose import frames_of
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from ..linkages.circuits.circuit import Circuits
from ..linkages.circuits.circuits import circuits_of
from ..linkages.plan.planning import PlacementStep, plan_linkage
from ..linkages.plan.slot_as_arc import ERROR, reinterpreted
from ..linkages.plan.variant_numbers import is_of_pins
from ..linkages.run.branches import place_states
from ..linkages.run.many_variants import place_variants
from ..linkages.run.time_estimate import LinkageCost, linkage_cost
from ..linkages.scheme.assembly_view import view
from ..linkages.scheme.matrices import Matrices, matrices
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.drivers.guide import Guide
from ..model.measures.measure import read
from ..model.numbers import positive
from ..results.linkage_states import Skeleton, States, numbers
from ..results.linkage_variants import LinkageVariants
from ..results.wording.left_out import left_out_rows, read_as_rows
from ..results.wording.phrases import count, listed
from ..structure.plan import Plan
from .kept_plans import plan_of
from .solving import solve

MOST_STEPS = 1_000_000
"""Most steps of a branch that are wide enough to be followed, in one run."""

MOST_STATES = 10_000_000
"""Most states of a run over a grid: more would take all memory."""

STEPS = 100
"""Steps through the range of a driver where no values are given."""


def linkage(assembly: Assembly, *, reinterpret: bool = False, error: float = ERROR) -> Linkage:
    """The parts that the drivers of an assembly move in a plane, as a planar linkage.

    The assembly is solved at the present values of its drivers; all states are built on the branch
    of that solution.  Drivers without a value are inputs as well where others leave them free; they
    start at their actual value.  Undriven coordinates are locked.

    Args:
        assembly: not changed.
        reinterpret: replace each slot by links to a far joint; error: allowed deviation, mm.

    Raises:
        Unsolved: the assembly has no solution at the present values.
        NoLinkage: the drivers move nothing in a plane, or a mate or driver has no equivalent in
            pins, links and slots.
        Overdriven: a driver drives what others determine; BadValue: the error is not above 0.

    Source: docs/theory/dyads.md.
    """
    positive(error, "error")
    assembly = assembly.held_still()
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
        except Overdriven as too_many:
            if not unset:
                raise
            one = too_many.name if too_many.name in unset else unset[-1]
            unset.remove(one)
            given.set_driver(one, None)
            plan = plan_of(given)


def _reading(driver: Driver, plan: Plan, frames: Array) -> float:
    """The actual value of the coordinate of a driver, mm or degrees."""
    found, parts = driver.measure, plan.system.parts
    value = read(found, *(frames[parts.index(m.part)] for m in (found.a, found.b)))
    return degrees(value) if driver.unit == "deg" else value


@with_checked_calls
class Linkage(Skeleton):
    """A planar linkage with the steps that compute its points; lengths in mm, angles in degrees."""

    @property
    def steps(self) -> tuple[PlacementStep, ...]:
        """The steps that compute the points, in order."""
        return self.planned.steps

    @property
    def held(self) -> tuple[str, ...]:
        """Locked coordinates: undriven joints of the linkage, drivers outside of its plane."""
        return (*self.planned.locked, *self.view.locked)

    @property
    def redundant(self) -> list[str]:
        """Links and slots that repeat what others hold; every state is checked against them."""
        return [x.name for x in self.planned.checked]

    @cached_property
    def matrices(self) -> Matrices:
        """The linkage as matrices; source: docs/theory/dyads.md, 1."""
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
    def cost(self) -> LinkageCost:
        """Arcs and groups that one state costs, by MotionGen's rule; `cost.time(states)`, s."""
        return linkage_cost(self.scheme, self.planned)

    def reinterpreted(self, error: float = ERROR) -> Linkage:
        """A copy with each slot replaced by links to a far joint, within `error`, mm."""
        scheme = reinterpreted(self.view.scheme, error)
        return replace(self, scheme=scheme, planned=plan_linkage(scheme))

    def circuits(
        self,
        driver: str | None = None,
        *,
        budget: float | None = None,
        cancel: Callable[[], object] | None = None,
    ) -> Circuits:
        """Circuits and branches, and the intervals of a driver in which each exists.

        Args:
            driver: the input that moves, the others are locked; optional where there is only one.
            budget: s, after which the search is interrupted; cancel: called repeatedly, and it is
                interrupted when that returns true.  What was found is told, as not complete.

        Raises:
            UnknownName: no such input; BadValue: several inputs and no `driver`, or a wrong budget.
        """
        if driver is None and len(self.inputs) > 1:
            raise BadValue("linkage.circuits", "no driver", f"one of {first_names(self.inputs)}")
        number = self.number(driver or self.inputs[0])
        watch = Watch(budget, cancel)
        return circuits_of(self.planned, number, float(self.present[number]), watch)

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
                applies to all states.  Inputs without values keep their present value; without any
                values the only input goes through its range.
            grid: every combination of the values of several inputs, the last one fastest.
            speed, acc: rates of inputs for velocities and accelerations, per second and per second
                squared, numbers or one for each state; 0 for inputs not named.  Without
                `speed` each input with values moves at 1 degree or mm a second.

        Raises:
            UnknownName, BadValue: no such input, or no series of numbers.
        """
        given_values = {**(values or {}), **inputs} or self._range()
        V, shape = self._series(given_values, grid)
        self._check_steps(V)
        rates = dict.fromkeys(given_values, 1.0) if speed is None else speed
        for name in (*rates, *(acc or {})):
            self.number(name)
        states = place_states(self.planned, V, self.present, shape)
        return States(self, states, shape, rates, acc or {})

    def variants(
        self,
        at: ArrayLike,
        values: Mapping[str, ArrayLike] | None = None,
        /,
        *,
        trace: Sequence[str],
        **inputs: ArrayLike,
    ) -> LinkageVariants:
        """Build all states of linkages of this plan whose points start elsewhere.

        Every place where points start is an assembled linkage, whose links have the lengths that
        it shows, on the branch that it shows.  The angle of an input is counted between the same
        points.  The states are those of `run`, without intermediate ones and change points.

        Args:
            at: where the points start, in the order of `scheme.points`, (variants, points, 2), mm.
            values, inputs: as of `run`, the same for all; trace: points whose paths are kept.

        Raises:
            UnknownName: no such input or point; BadValue: no such array, or a linkage that has
                other joints than pins, other inputs than angles, groups, or redundant links.
        """
        names, start = self.scheme.points, np.ascontiguousarray(at, float)
        if not is_of_pins(self.planned):
            wanted = "a linkage of pins and dyads, driven by angles, without redundant links"
            raise BadValue("linkage.variants", self.assembly.name, wanted)
        if start.shape[1:] != (len(names), 2) or not np.isfinite(start).all():
            wanted = f"finite numbers, (variants, {len(names)} points, 2)"
            raise BadValue("linkage.variants", start.shape, wanted)
        for name in trace:
            if name not in names:
                raise UnknownName("point", name, names, "linkage.variants")
        V, _ = self._series({**(values or {}), **inputs} or self._range(), False)
        traced = np.array([names.index(name) for name in trace], np.int64)
        signs, kept = place_variants(self.planned, start, np.ascontiguousarray(V), traced)
        return LinkageVariants(self, start, tuple(trace), V.shape[1], signs, kept)

    def _check_steps(self, V: Array) -> None:
        """Raise `BadValue` where an input goes too far for its branch to be followed."""
        way = np.abs(np.diff(V, axis=1, prepend=self.present[:, None])).sum(axis=1)
        for k, name in enumerate(self.inputs):
            most = MOST_STEPS * self.planned.wide[k]
            if not way[k] <= most:
                raise BadValue(f"linkage.{name}", float(way[k]), f"a way of at most {most:.6g}")

    @cached_property
    def present(self) -> Array:
        """Present values of the actuators of the plan, (actuators,), degrees and mm."""
        out = np.zeros(len(self.planned.scheme.actuators))
        for k, name in enumerate(self.inputs):
            out[k] = self.assembly.drivers[name].value
        return out

    def _series(
        self, given_values: Mapping[str, ArrayLike], grid: bool
    ) -> tuple[Array, tuple[int, ...]]:
        """Inputs of all states, (actuators, states), and the shape of their grid."""
        each = {self.number(n): numbers(v, f"linkage.{n}") for n, v in given_values.items()}
        shape = tuple(map(len, each.values())) if grid else ()
        if prod(shape) > MOST_STATES:
            raise BadValue("linkage.grid", prod(shape), f"at most {MOST_STATES} states")
        if len(shape) > 1:
            series = np.meshgrid(*each.values(), indexing="ij")
            each = {k: v.ravel() for k, v in zip(each, series, strict=True)}
        states = max(map(len, each.values()))
        out = np.empty((len(self.present), states))
        if len(each) < len(out):
            out[:] = self.present[:, None]
        for k, v in each.items():
            if len(v) not in (1, states):
                wanted = f"{states} values, as another has"
                raise BadValue(f"linkage.{self.inputs[k]}", len(v), wanted)
            out[k] = v
        return out, shape

    def _range(self) -> dict[str, ArrayLike]:
        """The range of the only driver."""
        driver = self.assembly.drivers[self.inputs[0]]
        if len(self.inputs) > 1 or driver.range is None:
            raise BadValue("linkage.run", "no value", f"values of {' or '.join(self.inputs)}")
        return {driver.name: np.linspace(*driver.range, STEPS + 1)}

    # ---------------------------------------------------------------- printing
    def __repr__(self) -> str:
        return f"Linkage({self.assembly.name!r}: {self.sentence})"

    @property
    def sentence(self) -> str:
        """The linkage in a sentence."""
        groups = sum(step.branch >= 0 and step.sign == 0 for step in self.steps)
        words = f"{count(len(self.scheme.links), 'link')}, {count(len(self.steps), 'step')}"
        words += f" of which {count(groups, 'group')}" if groups else ""
        words += f"; driven by {listed(list(self.inputs))}"
        words += f"; redundant, so checked only: {listed(self.redundant)}" if self.redundant else ""
        return words + (f"; not driven, so held: {listed(list(self.held))}" if self.held else "")

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
            "redundant": self.redundant,
            "left_out": left_out_rows(self.assembly),
            "read_as": read_as_rows(self.assembly),
            "steps": [
                {"kind": s.kind, "links": list(s.links), "points": list(s.points)}
                | {"joint": s.joint, "sign": s.sign}
                for s in self.steps
            ],
            "matrices": self.matrices.to_dict(),
        }


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows of a table, columns side by side."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
