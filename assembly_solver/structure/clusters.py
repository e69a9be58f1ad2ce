"""Rigid clusters: parts that cannot move relative to each other become one body.

Body 0 is all parts that are grounded or fixed as reference.  Each further body has the frame of one
of its parts; the other parts have a constant pose in it.  Pairs are formed between bodies, and
pairs that turn out fixed merge their bodies, until none is left.

Source: docs/theory/decomposition.md, 3.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..equations.system import System
from ..equations.table import SPACE, EquationTable, TwistBasis
from ..equations.welds import placed_along
from ..foundations.altered import MadeLater, made_later
from ..foundations.geometry.nearest_motion import FIXED, FREE
from ..foundations.geometry.placing import frames_placed, means, points_placed
from ..foundations.geometry.pose import IDENTITY, compose_all, invert_all
from ..foundations.numerics.distinct import distinct
from ..foundations.types import Array, Bools, Ints
from ..foundations.watch import Watch
from .equal_pairs import EqualPairs
from .known_pairs import recognise
from .nominal import nominal
from .one_way import at_one_pose, several_ways
from .pairs import ATTEMPTS, Pairs, PairSetting, analyse_pairs


@made_later("table", "pairs")
@dataclass(frozen=True, eq=False)
class Bodies(MadeLater):
    """The parts of an assembly as rigid bodies.

    Attributes:
        of_part: body of each part; relative: pose of each part in its body, shape (parts, 12).
        table: the equations with markers in body coordinates.
        start: frames of the bodies at the start, (bodies, 12); centre: mean of their features in
            body coordinates, mm, (bodies, 3).
        pairs: between bodies, by their mates; constraints: the mates of each.
        drivers: the drivers of each pair, as constraints.
        wide: constraints between more than two bodies, and those bodies.
        inner: constraints between parts of one body.
        merged: whether fixed pairs made bodies of several parts, body 0 not counted.
        loose: mates of these pairs that may hold at other relative poses as well.
        shift: largest displacement of a marker to its nominal place, mm, at the reach of its body.
    """

    of_part: Ints
    relative: Array
    table: EquationTable
    start: Array
    centre: Array
    pairs: Pairs
    constraints: list[Ints]
    drivers: list[Ints]
    wide: dict[int, tuple[int, ...]]
    inner: Ints
    merged: bool
    loose: Ints
    shift: float

    @property
    def links(self) -> Ints:
        """Pairs of bodies that share a constraint: `pairs`, then those of wide constraints."""
        more = [ends for ids in self.wide.values() for ends in itertools.combinations(ids, 2)]
        return np.concatenate([self.pairs.bodies, np.array(more, np.int64).reshape(-1, 2)])

    @property
    def count(self) -> int:
        """How many bodies there are, body 0 included."""
        return len(self.start)

    @cached_property
    def pair_of(self) -> dict[int, int]:
        """The pair of each mate between two bodies."""
        return {k: p for p, own in enumerate(self.constraints) for k in own.tolist()}

    @cached_property
    def driven(self) -> dict[int, int]:
        """The pair of each driver between two bodies."""
        return {k: p for p, own in enumerate(self.drivers) for k in own.tolist()}

    @cached_property
    def sizes(self) -> list[int]:
        """How many parts each body has."""
        found: list[int] = np.bincount(self.of_part, minlength=self.count).tolist()
        return found

    @cached_property
    def first_parts(self) -> Ints:
        """The first part of each body that has parts."""
        return np.unique(self.of_part, return_index=True)[1]

    @cached_property
    def in_first_parts(self) -> Array:
        """The poses of those bodies in their first part, shape (bodies with parts, 12)."""
        return invert_all(self.relative[self.first_parts])

    def parts(self, body: int) -> Ints:
        """The parts of a body."""
        found: Ints = (self.of_part == body).nonzero()[0]
        return found


def make_pairs(system: System, ends: Ints, constraints: Ints) -> tuple[Pairs, list[Ints]]:
    """Some constraints, grouped by the two bodies that each has as ends; not yet analysed."""
    a, b = ends[constraints].T
    low, high = np.minimum(a, b), np.maximum(a, b)
    key = low * len(system.parts) + high
    order = key.argsort(kind="stable")  # the constraints of a pair in their order
    key, own = key[order], constraints[order]
    new = [0, *((key[1:] != key[:-1]).nonzero()[0] + 1).tolist()] if len(own) else []
    count = system.first_equation[own + 1] - system.first_equation[own]
    first = np.zeros(len(own) + 1, np.int64)
    count.cumsum(out=first[1:])
    bodies = np.empty((len(new), 2), np.int64)
    bodies[:, 0], bodies[:, 1] = low[order[new]], high[order[new]]
    pairs = Pairs.unanalysed(bodies, first[[*new, len(own)]], system.rows(own))
    return pairs, [own[i:j] for i, j in itertools.pairwise([*new, len(own)])]


def form_bodies(
    system: System,
    cautious: bool = False,
    watch: Watch | None = None,
    attempts: int = ATTEMPTS,
    hopeless: Callable[[], bool] | None = None,
) -> Bodies:
    """Find the fixed parts and the rigid clusters of an assembly; the watch may interrupt it.

    Each pair is closed from so many orientations, or as of `PairSetting` where it is hopeless.

    A cautious search merges only pairs that hold at one relative pose.  Others may at several, and
    the one found may not suit the mates with third parts.
    """
    watch = watch or Watch()
    merged, loose = False, [np.empty(0, np.int64)]
    of_part, relative = _apart(system)
    fresh = np.ones(len(of_part) + 1, bool)
    mates = np.arange(system.mates)
    while True:
        watch.check()
        table, start, centre, shift = _in_bodies(system, of_part, relative, fresh)
        ends, wide = _ends(system, of_part)
        joins = ends[:, 0] != ends[:, 1]
        joins[list(wide)] = False
        pairs, groups = make_pairs(system, ends, mates[joins[: system.mates]])
        watch.check()
        basis = TwistBasis(np.eye(3), centre, system.length)
        accuracy = system.convergence_tolerance, system.tolerance
        setting = PairSetting(table, SPACE, basis, *accuracy, attempts, hopeless)
        known = _analyse(setting, start, pairs, watch)
        rigid = ((pairs.kind == FIXED) & (pairs.gap <= system.tolerance)).nonzero()[0]
        if cautious:
            rigid = rigid[[at_one_pose(table, pairs, p) for p in rigid.tolist()]]
        several = several_ways(table, pairs, known, rigid)
        loose += [groups[p] for p in rigid[several].tolist()]
        if len(rigid) == 0:
            break
        merged = True
        of_part, relative, fresh = _merge(of_part, relative, pairs, rigid)
        fresh |= shift > 0.0
    drivers = np.arange(system.mates, len(system.constraints))[joins[system.mates :]]
    pairs, groups, driven = _with_drivers(ends, pairs, groups, drivers)
    inner = np.array([k for k in (~joins).nonzero()[0].tolist() if k not in wide], np.int64)
    own = of_part, relative, table, start, centre, pairs, groups, driven, wide, inner
    return Bodies(*own, merged, np.concatenate(loose), shift)


def has_noise(system: System) -> bool:
    """Whether features of a part, or of the held ones, nearly agree: nominally they do."""
    return nominal_markers(system)[1] > 0.0


def nominal_markers(system: System) -> tuple[System, float]:
    """The system with features of a part, or of the held ones, made equal that nearly agree; the
    largest displacement of one, at the reach, mm."""
    t, (of_part, relative) = system.table, _apart(system)
    given = frames_placed(relative, t.marker_body, t.marker_frame)
    lengths = system.length, system.tolerance
    frames, shift = nominal(t.marker_body, given, of_part, relative, *lengths)
    if shift > 0.0:
        own = frames_placed(invert_all(relative), t.marker_body, frames)
        system = replace(system, table=t._replace(marker_frame=own))
    return system, shift


def _apart(system: System) -> tuple[Ints, Array]:
    """Bodies of the parts before any are merged, and the poses of the parts in these."""
    held = system.fixed
    of_part: Ints = np.cumsum(~held, dtype=np.int64)
    of_part[held] = 0
    relative = np.empty((len(of_part), 12))
    relative[:] = IDENTITY
    relative[held] = system.start[held]
    return of_part, relative


def _ends(system: System, of_part: Ints) -> tuple[Ints, dict[int, tuple[int, ...]]]:
    """The two bodies of each constraint, and all those of the constraints between more than two."""
    ends = of_part[system.ends]
    wide = {}
    for k, parts in system.wide.items():
        bodies = tuple(dict.fromkeys(of_part[list(parts)].tolist()))
        ends[k] = (bodies * 2)[:2]
        if len(bodies) > 2:
            wide[k] = bodies
    return ends, wide


def _analyse(setting: PairSetting, start: Array, pairs: Pairs, watch: Watch) -> Bools:
    """Analyse the pairs; of those that are not recognised, equal ones only once.

    Returns:
        Which are recognised by their measures.
    """
    known = np.zeros(len(pairs.kind), bool)
    recognise(setting.table, start, pairs, False, known)
    rest = (~known).nonzero()[0]
    if len(rest) == 0:
        return known
    others = pairs.some(rest)
    if len(rest) == 1:
        analyse_pairs(setting, start, others, np.zeros(1, np.int64), watch)
    else:
        equal = EqualPairs(setting.table, start, others, setting.basis.length)
        analyse_pairs(setting, start, others, distinct(equal.first), watch)
        analyse_pairs(setting, start, others, equal.copy_results(setting.tolerance), watch)
    for whole, own in zip(pairs.results(), others.results(), strict=True):
        whole[rest] = own
    return known


def _in_bodies(
    system: System, of_part: Ints, relative: Array, fresh: Bools
) -> tuple[EquationTable, Array, Array, float]:
    """Nominal markers in body coordinates, starts and centres of the bodies, and the shift.

    Args:
        fresh: of the bodies; the markers of the others are known to be nominal as they are.
    """
    t = system.table
    n = int(of_part.max(initial=0)) + 1
    part, body = t.marker_body, of_part[t.marker_body]
    frames, new = frames_placed(relative, part, t.marker_frame), fresh[body]
    lengths = system.length, system.tolerance
    if new.all():
        frames, shift = nominal(part, frames, of_part, relative, *lengths)
    else:
        frames[new], shift = nominal(part[new], frames[new], of_part, relative, *lengths)
    table = t._replace(marker_body=body, marker_frame=frames)
    start = np.empty((n, 12))
    start[:] = IDENTITY
    gives_frame = (relative == IDENTITY).all(axis=1) & (of_part > 0)
    start[of_part[gives_frame]] = system.start[gives_frame]
    count, centre = np.zeros(n, np.int64), np.zeros((n, 3))
    means(body_cloud(system, relative), of_part[system.cloud_part], count, centre)
    return table, start, centre, shift


def body_cloud(system: System, relative: Array) -> Array:
    """Mate features, (features, 3), mm, from poses of the parts in their bodies or in the world."""
    return points_placed(relative, system.cloud_part, system.cloud)


def _merge(of_part: Ints, relative: Array, pairs: Pairs, rigid: Ints) -> tuple[Ints, Array, Bools]:
    """Merge bodies along rigid pairs; every part's pose is expressed in the new body.

    Returns:
        Bodies and poses of the parts; which bodies are made of several.
    """
    n = int(of_part.max(initial=0)) + 1
    label, placed = placed_along(n, pairs.bodies[rigid], pairs.relative[rigid])
    return label[of_part], compose_all(placed[of_part], relative), np.bincount(label) > 1


def _with_drivers(
    ends: Ints, pairs: Pairs, groups: list[Ints], drivers: Ints
) -> tuple[Pairs, list[Ints], list[Ints]]:
    """The drivers of each pair; bodies that only drivers join get a free pair without mates."""
    if len(drivers) == 0:
        return pairs, groups, [drivers] * len(groups)
    driven: dict[tuple[int, int], list[int]] = {(a, b): [] for a, b in pairs.bodies.tolist()}
    for d in drivers.tolist():
        a, b = sorted(ends[d].tolist())
        driven.setdefault((a, b), []).append(d)
    of_pair = [np.array(d, np.int64) for d in driven.values()]
    added = list(driven)[len(groups) :]
    n = len(added)
    if n == 0:
        return pairs, groups, of_pair
    ids, nowhere = np.array(added, np.int64), np.full(n, pairs.first_row[-1])
    kind, frames = np.full(n, FREE), np.tile(IDENTITY, (n, 1))
    free = Pairs.unanalysed(ids, nowhere, pairs.rows[:0])
    free = free._replace(kind=kind, frame_a=frames, frame_b=frames, relative=frames)
    pairs = Pairs._make(map(np.concatenate, zip(pairs, free, strict=True)))
    return pairs, [*groups, *(np.empty(0, np.int64) for _ in added)], of_pair
