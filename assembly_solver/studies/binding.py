"""Over-determined loops whose mates disagree: what binds, how often, and the play that frees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Any, NamedTuple

import numpy as np

from ..foundations.numerics.rounding import FAINT
from ..foundations.types import Array
from ..model.tolerances.tolerance import PLAYING, Tolerance
from ..results.wording.phrases import listed
from .deviations import Spread
from .linear_model import LinearModel, SolvedPose, linear_model
from .many_samples import Sampled, SampleSolver
from .sought_play import SoughtPlay
from .variables import Variable, of_tolerance

FREED = 0.997
"""Share of the samples that play is to free: as many as are within three standard deviations."""

ACROSS = 16.0
"""Weight of a mismatch that a joint's play cannot take up over one that it can: other pins go
where the first is nothing."""

CORRECTIONS = 3
"""Corrections of the play of each sample by what it then leaves off."""

DIGITS_TOLD = 2
"""Digits of a play in words, which is rounded up."""


class FreeingPlay(NamedTuple):
    """The play of one joint that frees binding samples.

    Attributes:
        play: radius, mm, None where no play of this joint alone frees as many as is asked.
        frees: the share of all samples that close with it; without it, that any play frees.
    """

    play: float | None
    frees: float


@dataclass(frozen=True, eq=False)
class Binding:
    """Samples of over-determined loops that do not close within the tolerance.

    Attributes:
        samples, share, error: their number, their share of all, and its standard error.
        mates: how many of them have each mate off most, those that are off as much included.
        tolerances: of how many each tolerance is the largest part of the mismatch.
        plays: by joint; asked: the share of all samples that is to be free.
    """

    samples: int
    share: float
    error: float
    mates: dict[str, int]
    tolerances: dict[str, int]
    plays: dict[str, FreeingPlay]
    asked: float

    @property
    def words(self) -> str:
        """The findings in one sentence."""
        told = f"{100 * self.share:.3g} % of the assemblies bind"
        most = max(self.mates.values(), default=0)
        told += f": {listed([m for m, n in self.mates.items() if n == most], 3)}"
        known = {j: p for j, p in self.plays.items() if p.play is not None}
        if known:
            least = min(p.play for p in known.values() if p.play is not None)
            near = [j for j, p in known.items() if p.play is not None and p.play <= least * NEAR]
            frees = min(known[j].frees for j in near)
            told += f"; a play of {_rounded_up(least)} mm in {' or '.join(near)}"
            told += f" frees {100 * frees:.4g} %"
        return told

    def to_dict(self) -> dict[str, Any]:
        """The entry `binding` of the result object."""
        return {
            "samples": self.samples,
            "share": self.share,
            "error": self.error,
            "mates": self.mates,
            "tolerances": self.tolerances,
            "plays": {j: p._asdict() for j, p in self.plays.items()},
            "asked": self.asked,
            "words": self.words,
        }


NEAR = 1.0 + FAINT
"""Ratio up to which residuals, and plays, count as equal."""


def binding_of(
    pose: SolvedPose, sampler: SampleSolver, spreads: Sequence[Spread], drawn: Sampled, asked: float
) -> Binding | None:
    """What binds among samples of an assembly; None where nothing does."""
    total, bound = len(drawn.values), len(drawn.bound)
    if not bound or not sampler.model.response.dependent:
        return None
    share = bound / total
    plays = {}
    for joint in _joints(sampler.model):
        found = _play_of(joint, pose, sampler, spreads, drawn, asked)
        if found is not None:
            plays[joint] = found
    error = float(np.sqrt(max(share * (1.0 - share), 1.0 / total) / total))
    return Binding(
        bound, share, error, _mates(sampler.model, drawn), _causes(sampler, spreads, drawn),
        plays, asked,
    )  # fmt: skip


def _mates(model: LinearModel, drawn: Sampled) -> dict[str, int]:
    """How many samples have each mate off most."""
    system = model.response.system
    size = system.in_mm_of_copies(drawn.off)
    counts = (size * NEAR >= size.max(axis=1, keepdims=True)).sum(axis=0).tolist()
    return {name: n for name, n in zip(system.constraints, counts, strict=True) if n}


def _causes(sampler: SampleSolver, spreads: Sequence[Spread], drawn: Sampled) -> dict[str, int]:
    """Of how many samples each tolerance is the largest part of the mismatch, along itself."""
    play, placed = sampler.play, drawn.placed[drawn.bound]
    names = list(dict.fromkeys(s.tolerance for s in spreads))
    parts = np.zeros((len(placed), len(names)))
    for s in spreads:
        own = placed[:, s.own] @ play.by[:, s.own].T
        parts[:, names.index(s.tolerance)] += np.sum(own * drawn.off, axis=1)
    counts = np.bincount(parts.argmax(axis=1), minlength=len(names)).tolist()
    return {name: n for name, n in zip(names, counts, strict=True) if n}


def _joints(model: LinearModel) -> list[str]:
    """The joints in which a pin may have play."""
    return [name for name, h in model.before.held.items() if h.mate.kind in PLAYING]


def _play_of(
    joint: str,
    pose: SolvedPose,
    sampler: SampleSolver,
    spreads: Sequence[Spread],
    drawn: Sampled,
    asked: float,
) -> FreeingPlay | None:
    """The play of a joint, alone or beyond what it has, that frees a share; None: it does not act.

    Each sample needs a play of its own; that of the share asked is the quantile of these.
    """
    wider = _with_play(joint, pose, sampler, spreads)
    if wider is None:
        return None
    own, solver, all_spreads = wider
    extra = len(solver.model.variables) - drawn.placed.shape[1]
    placed = np.pad(drawn.placed[drawn.bound], ((0, 0), (0, extra)))
    needed = _needed(own, solver, placed, drawn.off)
    total, closed = len(drawn.values), len(drawn.values) - len(drawn.bound)
    every = np.sort(np.concatenate([np.zeros(closed), needed]))
    play = float(every[ceil(asked * total) - 1])
    if not np.isfinite(play):
        return FreeingPlay(None, float(np.isfinite(every).mean()))
    at = [replace(s, radius=play) if s.own in own else s for s in all_spreads]
    free = replace(solver, play=SoughtPlay.of(solver.model, at)).run(placed)
    return FreeingPlay(play, 1.0 - sum(free.failed.values()) / total)


def _with_play(
    joint: str, pose: SolvedPose, sampler: SampleSolver, spreads: Sequence[Spread]
) -> tuple[list[slice], SampleSolver, list[Spread]] | None:
    """The columns of a joint's play, and a solver of samples that have it; None: it does not act.

    A joint without play gets some.
    """
    model, joints = sampler.model, sampler.model.before.tolerances
    own = [s.own for s in spreads if joints[s.tolerance].joint == joint]
    if own:
        acts = any(sampler.play.by[:, zone].any() for zone in own)
        return (own, sampler, list(spreads)) if acts else None
    before, count = model.before.copy(), len(model.variables)
    before.tolerate(name := _new_name(joint, joints), joint=joint, radial=1.0)
    more: list[Variable] = of_tolerance(before, before.tolerances[name])
    wider = linear_model(pose, before, model.asked, [*model.variables, *more])
    spread = Spread(name, count, len(more), 0.0, 1.0, "uniform", 1.0)
    play = SoughtPlay.of(wider, [*spreads, spread])
    if not play.by[:, spread.own].any():
        return None
    return [spread.own], replace(sampler, model=wider, play=play), [*spreads, spread]


def _new_name(joint: str, known: Mapping[str, Tolerance]) -> str:
    """A name that no tolerance has."""
    name = f"play of {joint}"
    while name in known:
        name += "'"
    return name


def _needed(own: list[slice], solver: SampleSolver, placed: Array, off: Array) -> Array:
    """The play, mm, that closes each sample, (samples,); infinite where none of the joint does.

    The pins of other joints go where the least is needed.
    """
    play = solver.play
    columns = np.concatenate([np.arange(s.start, s.stop) for s in own])
    others = tuple((z, r) for z, r in play.zones if z not in own)
    along = play.by[:, columns]
    inverse = np.linalg.pinv(along, rcond=FAINT)

    def weighed(residuals: Array) -> Array:
        """By what the play of the joint takes up, and what it cannot."""
        taken = inverse @ residuals
        return np.concatenate([taken, ACROSS * (residuals - along @ taken)])

    rest = SoughtPlay(weighed(play.by), others)
    here, left = placed.copy(), off
    values = np.empty((len(here), len(solver.model.asked)))
    for _ in range(CORRECTIONS):
        left = left - here[:, columns] @ along.T
        here[:, columns] = 0.0
        if others:
            moved = rest.placed(here, weighed(left.T).T)
            here, left = moved, left + (moved - here) @ play.by.T
        here[:, columns] = -left @ inverse.T
        left = np.empty_like(off)
        solver.closed(here, values, left)
    needed = np.max([np.linalg.norm(here[:, zone], axis=1) for zone in own], axis=0)
    return np.where(solver.holds(left), needed, np.inf)


def _rounded_up(value: float) -> str:
    """A number in a few digits that is not below it."""
    if value <= 0.0:
        return "0"
    unit = 10.0 ** (floor(log10(value)) - DIGITS_TOLD + 1)
    return f"{ceil(value / unit * (1.0 - FAINT)) * unit:.{DIGITS_TOLD}g}"
