"""What is proved of the steps of a sweep: that each one stays on its branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..diagnosis.proof.certificate import BranchState, StepProof, Unproved
from ..equations.system import System
from ..foundations.altered import altered
from ..foundations.geometry.pose import compose_all, invert_all, poses_of
from ..foundations.types import Array
from ..foundations.watch import Watch
from ..kinematics.assembly_motion import AssemblyMotion, DrivenAssembly
from ..kinematics.locked_coordinates import LockedCoordinate, with_locked
from ..kinematics.schedule import SweepRun
from ..model.measures.measure import IS_ANGLE
from ..results.motion import Motion
from ..results.proved_steps import ProvedStep, joined
from ..structure.plan import Plan
from .sweep_events import main_driver

if TYPE_CHECKING:
    from ..diagnosis.proof.branch_proof import BranchProver

Prover = Callable[[System, Array, Watch], "BranchProver"]


def with_proof(motion: Motion, found: AssemblyMotion, prover: Prover, watch: Watch) -> Motion:
    """A motion with what is proved of the steps between its valid states, in their order."""
    proofs = _StepProofs(motion, found, prover, watch)
    visible = len(motion.t) - found.schedule.hidden
    steps, parts = list[ProvedStep](), list[ProvedStep]()
    for run in found.schedule.runs:
        for k in range(len(run.t) - 1):
            if not motion.valid[run.states[k : k + 2]].all():
                continue
            parts.append(proofs.of(run, k))
            if parts[-1].after < visible:
                steps += [joined(parts)] if parts[0].before < visible else []
                parts = []
    return replace(motion, proved=tuple(steps))


class _StepProofs:
    """Proves steps one after the other, with the coordinates locked that are between."""

    def __init__(self, motion: Motion, found: AssemblyMotion, prover: Prover, watch: Watch) -> None:
        self.motion, self.found, self.prover, self.watch = motion, found, prover, watch
        self.made: tuple[list[LockedCoordinate], BranchProver] | None = None
        self.reference = _references(found.ready)

    def of(self, run: SweepRun, k: int) -> ProvedStep:
        """What is proved between states k and k + 1 of a run."""
        before, after = (int(s) for s in run.states[k : k + 2])
        locked = self._locked(before)
        if locked is None or not _alike(locked, self._locked(after)):
            proof = StepProof(Unproved.RELEASED, share=0.0)
        else:
            proof = self._prover(locked, before).step(self._state(run, k), self._state(run, k + 1))
        t = float(run.t[k] + proof.share * (run.t[k + 1] - run.t[k]))
        _, _, where = main_driver(self.motion, run, t)
        names = self.found.ready.plan.system.parts
        return ProvedStep(before, after, proof, where, tuple(names[p] for p in proof.parts))

    def _locked(self, state: int) -> list[LockedCoordinate] | None:
        """The coordinates that are locked at a state; None while another one is to be."""
        followers = self.found.followers.values()
        if any(f.section[state] < 0 for f in followers):
            return None
        return [h for f in followers for h in f.sections[f.section[state]].locked]

    def _prover(self, locked: list[LockedCoordinate], state: int) -> BranchProver:
        if self.made is not None and _alike(self.made[0], locked):
            return self.made[1]
        if self.made is not None:
            self.reference = self.made[1].reference[: len(self.reference)]
        system = _with_locks(self.found.ready.plan, locked, self.motion.frames[state])
        values = system.table.reference.copy()
        values[: len(self.reference)] = self.reference
        self.made = locked, self.prover(system, values, self.watch)
        return self.made[1]

    def _state(self, run: SweepRun, k: int) -> BranchState:
        ready, t = self.found.ready, run.t[k : k + 1]
        targets = {
            d.equation: float(run.laws[name](t)[0][0]) * d.scale
            for name, d in ready.drivers.items()
        }
        frames, plan = {}, ready.plan
        for marker, guide in ready.guides.items():
            part = int(plan.system.table.marker_body[marker])
            away = invert_all(plan.bodies.relative[part][None])
            frames[marker] = compose_all(away, guide.at(t)[0])[0]
        return BranchState(poses_of(self.motion.frames[run.states[k]]), targets, frames)


def _alike(some: Sequence[LockedCoordinate], others: Sequence[LockedCoordinate] | None) -> bool:
    """Whether the same coordinates are locked, at the same values.

    Not whether the motion is in one section: a chain that only solves for other equations, as
    where what is redundant changes, holds what it held.
    """
    return (
        others is not None
        and len(some) == len(others)
        and all(a.same(b) and a.value == b.value for a, b in zip(some, others, strict=True))
    )


def _references(ready: DrivenAssembly) -> Array:
    """The angle of each term about an axis at the first state, rad, its turns counted."""
    out = ready.plan.system.table.reference.copy()
    for prepared in ready.chains.values():
        c = prepared.chain
        out[c.turns] = c.table.reference[c.turns]
    return out


def _with_locks(plan: Plan, locked: Sequence[LockedCoordinate], frames: Array) -> System:
    """The system of the parts with locked coordinates as further constraints.

    Args:
        frames: of the parts, (parts, 12), world.
    """
    system, n = plan.system, len(locked)
    parts = np.array([[_part_of(plan, b) for b in h.bodies] for h in locked], np.int64)
    on_parts = [
        h._replace(
            bodies=(int(a), int(b)),
            frames=tuple(
                compose_all(invert_all(plan.bodies.relative[p][None]), f[None])[0]
                for p, f in zip((a, b), h.frames, strict=True)
            ),
        )
        for h, (a, b) in zip(locked, parts.tolist(), strict=True)
    ]
    table = with_locked(system.table, on_parts, frames, system.length)
    first = np.concatenate([system.first_equation, system.first_equation[-1] + 1 + np.arange(n)])
    return altered(
        system,
        table=table,
        angular=np.concatenate([system.angular, IS_ANGLE[[h.kind for h in locked]]]),
        first_equation=first,
        constraints=(*system.constraints, *("" for _ in locked)),
        ends=np.concatenate([system.ends, parts.reshape(-1, 2)]),
        reaches=replace(system.reaches, table=table, first=first),
        constraint_of_equation=np.repeat(np.arange(len(first) - 1), np.diff(first)),
    )


def _part_of(plan: Plan, body: int) -> int:
    """The first part of a body."""
    return int(np.flatnonzero(plan.bodies.of_part == body)[0])
