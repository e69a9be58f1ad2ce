"""Circuits and branches of a planar linkage by one of its inputs, and where each exists.

At the dead point of a dyad the input reverses, which divides a circuit into branches; branches that
meet at a dead point are of one circuit.

Terms as used by Chase and Mirth for linkages of one degree of freedom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import ceil, copysign, floor

import numpy as np

from ...foundations.numerics.rounding import EPSILON, FAINT
from ...foundations.types import Array, Ints
from ...foundations.watch import Stopped, Watch
from ..plan.planning import GROUP, LinkagePlan
from ..plan.rigid_links import held_twice
from ..plan.step_words import listed
from .bilinear_forms import NotProved
from .circuit import Branch, BranchEnd, Circuit, Circuits
from .driven_linkage import SAME_VALUE, DrivenLinkage, same_position, same_positions
from .end_words import branch_words, end_words
from .existence import Existence, ExistenceSearch
from .free_dyads import FreeDyads
from .intervals import CHANGE_POINT, COARSE_STATES, DEAD_POINT, LOST, Interval, branch_intervals
from .mirrored_dyads import mirrored_dyads
from .proved_groups import proved_intervals
from .tracing import too_large, traced_intervals

MOST_DYADS = 8
"""Most dyads of which all choices of signs are searched; of more, only the start's circuit."""

MOST_CHOICES = 2000
"""Most choices of signs that are searched where there are more dyads."""

SAMPLED = "found by sampling, without a proof that there are no more"

UNDECIDED = "whether it can be built is decided by rounding"
INFINITE = "points go through infinity"
FREE = "links of one length, or a slide on its pins, may lie on each other and turn"
FREE_UNLISTED = "such motions are not listed"

HELD_TWICE = "hold each other more than once: no other way to put them together was looked for"

START_ONLY = "only the circuit of the start is told"

SHORTEST_SHARE = 5e-4
"""A setting: share of the range of an input below which redundant links fit by chance."""

END_SINE = FAINT
"""Half chord over its radius that counts as 0 at the end of a branch."""


def circuits_of(
    planned: LinkagePlan, number: int, near: float | None = None, watch: Watch | None = None
) -> Circuits:
    """The circuits and branches of a planned linkage.

    Args:
        number: of the actuator that moves; the others keep the values at which they start.
        near: value of the input, mm or degrees, that selects the turn of the start value.
        watch: interrupts the search; what was found until then is told, and that it is not all.
    """
    watch = (watch or Watch()).searching("in search of the circuits")
    linkage = DrivenLinkage(planned.apart, number, near, watch)
    search = _IntervalSearch(linkage)
    try:
        return _searched(linkage, search)
    except Stopped as stopped:
        found = _CircuitBuilder(linkage, search.found).circuits()
        return Circuits(found, False, f"{stopped.words}: there may be more")


def _searched(linkage: DrivenLinkage, search: _IntervalSearch) -> Circuits:
    """The circuits, of groups with proof where it is found."""
    planned, words = linkage.planned, [*_put_together_as_drawn(linkage.planned)]
    if len(planned.program.group):
        try:
            found = _CircuitBuilder(linkage, proved_intervals(linkage)).circuits()
            return Circuits(found, not words, "; ".join(words))
        except NotProved as why:
            words += _how_groups_were_solved(linkage, str(why))
    dyads = len(linkage.dyads)
    if dyads <= MOST_DYADS:
        for signs in _choices(linkage):
            search.intervals_of(signs)
        words += search.unproved()
        found = _CircuitBuilder(linkage, search.found).circuits()
        if search.moving:
            found = tuple(c for c in found if c.start)
        return Circuits(found, not words, "; ".join(words))
    whole = search.search_connected()
    found = _CircuitBuilder(linkage, search.found).circuits()
    words.append(f"of {dyads} dyads only the circuit of the start was looked for")
    if not whole:
        words.append(f"and of that no more than {MOST_CHOICES} choices of their signs")
    return Circuits(tuple(c for c in found if c.start), False, "; ".join(words))


def _put_together_as_drawn(planned: LinkagePlan) -> Iterator[str]:
    """A sentence for each set of rigid links of which other ways to fit were not looked for."""
    for links in held_twice(planned.plain, planned.rigid):
        yield f"{listed(tuple(planned.plain.links[n].name for n in links), 3)} {HELD_TWICE}"


def _how_groups_were_solved(linkage: DrivenLinkage, why: str) -> Iterator[str]:
    """A sentence for each group: how its solutions were obtained."""
    for step in linkage.planned.steps:
        if step.kind == GROUP:
            names = listed(step.links, 3)
            if too_large(linkage):
                yield f"of {names} only the solution of the start was followed"
            else:
                yield f"the solutions of {names} were {SAMPLED}: {why}"


def _choices(linkage: DrivenLinkage) -> Iterator[tuple[int, ...]]:
    """Every choice of the signs of its dyads."""
    signs = linkage.planned.signs.copy()
    for choice in product((1, -1), repeat=len(linkage.dyads)):
        signs[linkage.dyads] = choice
        yield tuple(signs.tolist())


def drawn_at(linkage: DrivenLinkage, interval: Interval) -> float | None:
    """Where on an interval the drawn position of a linkage lies; None where it does not.

    One of more than a turn comes past the value of the input at the start more than once.
    """
    off = linkage.distance(interval.at, linkage.start_value)
    for k in np.flatnonzero(off < SAME_VALUE).tolist():
        if same_position(linkage, interval.P[..., k], linkage.start):
            return float(interval.at[k])
    return None


class _IntervalSearch:
    """The intervals of the choices of signs that have been searched."""

    def __init__(self, linkage: DrivenLinkage) -> None:
        self.linkage = linkage
        self.found: list[Interval] = []
        self.moving: list[float] = []
        self._searched: dict[tuple[int, ...], list[Interval]] = {}
        self._mirrored = mirrored_dyads(linkage.planned)
        self._unmirrored: dict[tuple[int, ...], list[Interval]] = {}
        self._proved: dict[tuple[int, ...], Existence] = {}
        self._free_dyads, self._free = FreeDyads(linkage), list[float]()

    def intervals_of(self, signs: tuple[int, ...]) -> list[Interval]:
        if signs not in self._searched:
            self.linkage.watch.check()
            self._searched[signs] = list(self._intervals(np.array(signs, np.int64)))
            self.found += self._searched[signs]
        return self._searched[signs]

    def _intervals(self, signs: Ints) -> Iterator[Interval]:
        """The intervals of one choice of signs; those of mirror images differ in points only."""
        same = signs.copy()
        same[self._mirrored] = 1
        key = tuple(same.tolist())
        if key in self._unmirrored:
            for known in self._unmirrored[key]:
                yield replace(known, signs=signs, P=self.linkage.states(signs, known.at).P)
            return
        if len(self.linkage.planned.program.group):
            every = traced_intervals(self.linkage, signs, self.moving)
        else:
            every = self._told_by_signs(signs, self._existence(key))
        self._unmirrored[key] = [x for x in every if not self._fleeting(x)]
        yield from self._unmirrored[key]

    def _told_by_signs(self, signs: Ints, proved: Existence) -> Iterator[Interval]:
        """Intervals without those of a free dyad, but the start; notes where one turns freely."""
        every = [*branch_intervals(self.linkage, signs, proved)]
        grid = np.linspace(*self.linkage.search_range, COARSE_STATES + 1)
        at = np.unique(np.concatenate([grid, *(x.at for x in every)]))
        free = self._free_dyads.first(signs, at)
        if free is None:
            yield from every
            return
        self._free.append(free)
        for x in every:  # beside dead points noise in the lengths keeps the pins apart
            fixed = np.count_nonzero(~self._free_dyads.at(signs, x.at))
            if fixed > 0.5 * len(x.at) or drawn_at(self.linkage, x) is not None:
                yield x

    def _existence(self, key: tuple[int, ...]) -> Existence:
        """Where a choice of signs exists; those of few dyads are searched at once."""
        if key not in self._proved:
            keys = np.array([key])
            if len(self.linkage.dyads) <= MOST_DYADS:
                keys = np.array([*_choices(self.linkage)])
                keys[:, self._mirrored] = 1
                keys = np.unique(keys, axis=0)
            found = ExistenceSearch(self.linkage, keys).run()
            self._proved |= zip(map(tuple, keys.tolist()), found, strict=True)
        return self._proved[key]

    def unproved(self) -> Iterator[str]:
        """A sentence for each thing that was searched for without proof."""
        checked = self.linkage.planned.checked
        if checked and self._proved:
            names = listed(tuple(x.name for x in checked))
            yield f"whether {names} fit with the rest was looked at in samples"
        if self.moving:
            at = f"{self.linkage.name} {self.moving[0]:.8g} {self.linkage.unit}"
            yield f"other positions move while the input stands still at {at}: {START_ONLY}"
        if self._free:
            yield f"{self._at(FREE, np.array(self._free[:1]))}: {FREE_UNLISTED}"
        words: set[str] = set()
        for key, proved in self._proved.items():
            ends = [end.value for x in self._unmirrored[key] for end in x.ends]
            for x in proved.undecided(np.array(ends)):
                if not self._free_dyads.at(np.array(key), x[:1] + 0.5 * (x[1] - x[0])).all():
                    words.add(self._at(UNDECIDED, x))
            words |= {self._at(INFINITE, x) for x in proved.poles}
        yield from sorted(words)

    def _at(self, words: str, interval: Array) -> str:
        value = float(np.mean(interval))
        return f"{words} at {self.linkage.name} {value:.8g} {self.linkage.unit}"

    def _fleeting(self, interval: Interval) -> bool:
        """Whether redundant links hold by chance only, on a very short interval."""
        far = float(interval.at[-1] - interval.at[0]) if len(interval.at) else 0.0
        short = far < SHORTEST_SHARE * self.linkage.search_width
        return short and any(e.kind == LOST for e in interval.ends)

    def search_connected(self) -> bool:
        """Find the intervals connected with the start; False if MOST_CHOICES ended the search."""
        signs = tuple(self.linkage.planned.signs.tolist())
        waiting = [x for x in self.intervals_of(signs) if drawn_at(self.linkage, x) is not None]
        done = set(map(id, waiting))
        while waiting:
            for signs, value in self._adjacent_choices(waiting.pop()):
                if signs not in self._searched and len(self._searched) >= MOST_CHOICES:
                    return False
                for interval in self.intervals_of(signs):
                    ends = np.array([end.value for end in interval.ends])
                    near = np.any(self.linkage.distance(ends, value) < SAME_VALUE)
                    if near and id(interval) not in done:
                        done.add(id(interval))
                        waiting.append(interval)
        return True

    def _adjacent_choices(self, interval: Interval) -> Iterator[tuple[tuple[int, ...], float]]:
        """The choices of signs that share an end with an interval, and the input there."""
        for end in interval.ends:
            if end.kind not in (DEAD_POINT, CHANGE_POINT):
                continue
            states = self.linkage.states(interval.signs, np.array([end.value]))
            dead = {*np.flatnonzero(states.margin[:, 0] < END_SINE).tolist()}
            dead.add(end.step.branch if end.step is not None else -1)
            for k in dead.intersection(self.linkage.dyads):
                other = interval.signs.copy()
                other[k] *= -1
                yield tuple(other.tolist()), end.value


class _CircuitBuilder:
    def __init__(self, linkage: DrivenLinkage, found: Sequence[Interval]) -> None:
        self.linkage, self.intervals = linkage, found
        self.group = list(range(len(found)))
        self.met: dict[tuple[int, int], list[int]] = {}
        for (p, k), (q, m) in self._meetings():
            self.met.setdefault((p, k), []).append(q)
            self.met.setdefault((q, m), []).append(p)
            self._join(p, q)

    def _meetings(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Pairs of ends, by interval and side, in the same position."""
        ends = [
            (p, k, end.value, interval.P[..., -k])
            for p, interval in enumerate(self.intervals)
            for k, end in enumerate(interval.ends)
            if end.kind in (DEAD_POINT, CHANGE_POINT)
        ]
        values = np.array([value for _, _, value, _ in ends])
        positions = np.array([P for *_, P in ends])
        for n, (p, k, value, P) in enumerate(ends):
            near = self.linkage.distance(values[n + 1 :], value) < SAME_VALUE
            others = n + 1 + np.flatnonzero(near)
            for other in others[same_positions(self.linkage, P, positions[others])].tolist():
                q, m, *_ = ends[other]
                yield (p, k), (q, m)

    def _root(self, p: int) -> int:
        while self.group[p] != p:
            p = self.group[p]
        return p

    def _join(self, p: int, q: int) -> None:
        a, b = sorted((self._root(p), self._root(q)))
        self.group[b] = a

    # ------------------------------------------------------------------ in words
    def circuits(self) -> tuple[Circuit, ...]:
        """The circuits, that of the start first, then by their lowest values; branches likewise."""
        linkage, centre = self.linkage, self._centre()
        shift = [self._shift(interval, centre) for interval in self.intervals]
        starts = [drawn_at(linkage, interval) is not None for interval in self.intervals]
        low = [interval.at[0] + s for interval, s in zip(self.intervals, shift, strict=True)]
        members: dict[int, list[int]] = {}
        order = sorted(range(len(low)), key=lambda p: (not starts[p], round(low[p], 9)))
        for p in order:
            members.setdefault(self._root(p), []).append(p)
        number = {p: n + 1 for n, p in enumerate(p for group in members.values() for p in group)}
        out = []
        for n, group in enumerate(members.values()):
            branches = tuple(self._branch(p, number, n + 1, shift[p], starts[p]) for p in group)
            out.append(self._circuit(n + 1, branches))
        return tuple(out)

    def _shift(self, interval: Interval, centre: float) -> float:
        """Whole turns that are added to the values of an interval, degrees.

        That of the start contains its value; others have their middles within half a turn of
        `centre`, the branch of the start's: a branch that meets it overlaps it, and is not told a
        turn away.  Those half a turn off are in the first turn.
        """
        period = self.linkage.period
        if period is None:
            return 0.0
        drawn = drawn_at(self.linkage, interval)
        if drawn is not None:
            return period * round((self.linkage.start_value - drawn) / period)
        middle = 0.5 * float(interval.at[0] + interval.at[-1])
        turns = -floor(middle / period + SAME_VALUE)
        off = (centre - middle) / period - turns
        return period * (turns + copysign(ceil(abs(off) - 0.5 - SAME_VALUE), off))

    def _centre(self) -> float:
        """The middle of the branch of the start, degrees; of the first turn where it has no end."""
        for interval in self.intervals:
            if interval.ends and drawn_at(self.linkage, interval) is not None:
                return 0.5 * float(interval.at[0] + interval.at[-1]) + self._shift(interval, 0.0)
        return 0.5 * (self.linkage.period or 0.0)

    def _branch(
        self, p: int, number: Mapping[int, int], circuit: int, shift: float, start: bool
    ) -> Branch:
        interval, planned = self.intervals[p], self.linkage.planned
        dyads = (s for s in planned.steps if s.branch in self.linkage.dyads)
        signs = {s.joint: int(interval.signs[s.branch]) for s in dyads}
        ends = []
        for k, end in enumerate(interval.ends):
            meets = tuple(sorted({number[q] for q in self.met.get((p, k), ()) if q != p}))
            joint = end.step.joint if end.step is not None else ""
            value = end.value + end.off + shift
            words, within = end_words(end, self.linkage, value, len(meets)), end.within
            if within is not None and shift:  # whole turns are added with rounding
                within += 2.0 * EPSILON * (abs(shift) + abs(value))
            ends.append(BranchEnd(value, end.kind, joint, words, meets, within))
        at = interval.at + shift
        if ends:
            at[0], at[-1] = (end.value for end in ends)
            at = np.clip(at, at[0], at[-1])
        low, high = float(at[0]), float(at[-1])
        return Branch(number[p], circuit, signs, low, high, tuple(ends), start, at, interval.P)

    def _circuit(self, number: int, branches: tuple[Branch, ...]) -> Circuit:
        name, unit = self.linkage.name, self.linkage.unit
        start = any(b.start for b in branches)
        branches_words = "; ".join(branch_words(b, name, unit) for b in branches)
        words = f"circuit {number}{' (of the start)' if start else ''}: {branches_words}"
        return Circuit(number, name, unit, branches, start, words)
