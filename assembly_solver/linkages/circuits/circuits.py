"""Circuits and branches of a planar linkage by one of its inputs, and where each exists.

A circuit is all that a linkage can do without being taken apart.  Where a dyad comes to its dead
point the input turns back: that divides a circuit into branches, on each of which the input leads
the linkage one way only.  A branch is an interval of the input together with a sign for each dyad;
branches that meet where a dyad is at its dead point are of one circuit.

Terms as used by Chase and Mirth for linkages of one degree of freedom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from ..plan.planning import GROUP, Planned
from ..plan.step_words import listed
from .circuit import Branch, Circuit, Circuits, End
from .driven_linkage import SAME_VALUE, Led, same_place
from .end_words import branch_words, end_words
from .intervals import CHANGE_POINT, DEAD_POINT, LOST, Edge, Piece, pieces
from .tracing import too_large, traced

MOST_DYADS = 8
"""Dyads of which all choices of signs are looked at; of more, only what hangs together."""

MOST_LOOKS = 2000
"""Choices of signs that are looked at where there are more dyads."""

SAMPLED = "found by sampling, without a proof that there are no more"

FLEETING = 5e-4
"""Share of what an input goes through below which links that repeat others fit by chance."""

NONE = 1e-5
"""Half chord beside its radius that is none at the end of a branch."""


def circuits_of(planned: Planned, number: int, near: float | None = None) -> Circuits:
    """The circuits and branches of a planned linkage.

    Args:
        number: of the actuator that moves; the others are held where they start.
        near: value of the input, mm or degrees, in the turn that the start is told in.
    """
    led = Led(planned, number, near)
    search, dyads, words = _Search(led), len(led.dyads), [*_of_groups(led)]
    if dyads <= MOST_DYADS:
        for choice in product((1, -1), repeat=dyads):
            signs = planned.signs.copy()
            signs[led.dyads] = choice
            search.look(tuple(signs.tolist()))
        return Circuits(_Joined(led, search.found).circuits(), not words, "; ".join(words))
    whole = search.flood()
    found = _Joined(led, search.found).circuits()
    words.append(f"of {dyads} dyads only the circuit of the start was looked for")
    if not whole:
        words.append(f"and of that no more than {MOST_LOOKS} choices of their signs")
    return Circuits(tuple(c for c in found if c.start), False, "; ".join(words))


def _of_groups(led: Led) -> Iterator[str]:
    """How the solutions of groups were found."""
    for step in led.planned.steps:
        if step.kind == GROUP:
            names = listed(step.links, 3)
            if too_large(led):
                yield f"of {names} only the solution of the start was followed"
            else:
                yield f"the solutions of {names} were {SAMPLED}"


def stands_on(led: Led, piece: Piece) -> bool:
    """Whether a linkage stands on a piece as it was planned."""
    off = [led.apart(v, led.here) for v in piece.at.tolist()]
    k = int(np.argmin(off))
    return off[k] < SAME_VALUE and same_place(led, piece.P[..., k], led.start)


class _Search:
    """The pieces of the choices of signs that were looked at."""

    def __init__(self, led: Led) -> None:
        self.led = led
        self.found: list[Piece] = []
        self._looked: dict[tuple[int, ...], list[Piece]] = {}

    def look(self, signs: tuple[int, ...]) -> list[Piece]:
        """The pieces of a choice."""
        if signs not in self._looked:
            find = traced if len(self.led.planned.program.group) else pieces
            found = find(self.led, np.array(signs, np.int64))
            self._looked[signs] = [piece for piece in found if not self._fleeting(piece)]
            self.found += self._looked[signs]
        return self._looked[signs]

    def _fleeting(self, piece: Piece) -> bool:
        """Whether what repeats what others say holds by chance, for a moment."""
        far = float(piece.at[-1] - piece.at[0]) if len(piece.at) else 0.0
        low, high = self.led.window
        return far < FLEETING * (high - low) and any(e.kind == LOST for e in piece.ends)

    def flood(self) -> bool:
        """Every piece that hangs together with that of the start; whether these are all."""
        signs = tuple(self.led.planned.signs.tolist())
        waiting = [piece for piece in self.look(signs) if stands_on(self.led, piece)]
        done = set(map(id, waiting))
        while waiting:
            for signs, value in self._turned(waiting.pop()):
                if signs not in self._looked and len(self._looked) >= MOST_LOOKS:
                    return False
                for piece in self.look(signs):
                    near = any(self.led.apart(e.value, value) < SAME_VALUE for e in piece.ends)
                    if near and id(piece) not in done:
                        done.add(id(piece))
                        waiting.append(piece)
        return True

    def _turned(self, piece: Piece) -> Iterator[tuple[tuple[int, ...], float]]:
        """The choices of signs that meet a piece at its ends, and where."""
        for end in piece.ends:
            if end.kind not in (DEAD_POINT, CHANGE_POINT):
                continue
            room = self.led.states(piece.signs, np.array([end.value])).room[:, 0]
            own = end.step.branch if end.step is not None else -1
            for k in {own, *np.flatnonzero(room < NONE).tolist()}.intersection(self.led.dyads):
                other = piece.signs.copy()
                other[k] *= -1
                yield tuple(other.tolist()), end.value


class _Joined:
    """Pieces in their circuits."""

    def __init__(self, led: Led, found: Sequence[Piece]) -> None:
        self.led, self.pieces = led, found
        self.group = list(range(len(found)))
        self.met: dict[tuple[int, int], list[int]] = {}
        for (p, k), (q, m) in self._meetings():
            self.met.setdefault((p, k), []).append(q)
            self.met.setdefault((q, m), []).append(p)
            self._join(p, q)

    def _meetings(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Pairs of ends, by piece and side, in the same position."""
        ends = [
            (p, k, end.value, piece.P[..., -k])
            for p, piece in enumerate(self.pieces)
            for k, end in enumerate(piece.ends)
            if end.kind in (DEAD_POINT, CHANGE_POINT)
        ]
        for n, (p, k, value, P) in enumerate(ends):
            for q, m, other, Q in ends[n + 1 :]:
                if self.led.apart(value, other) < SAME_VALUE and same_place(self.led, P, Q):
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
        """That of the start first, then by their lowest values; branches likewise."""
        led, shift = self.led, [self._shift(p) for p in self.pieces]
        starts = [stands_on(led, piece) for piece in self.pieces]
        low = [piece.at[0] + s for piece, s in zip(self.pieces, shift, strict=True)]
        members: dict[int, list[int]] = {}
        for p in sorted(range(len(self.pieces)), key=lambda p: (not starts[p], round(low[p], 9))):
            members.setdefault(self._root(p), []).append(p)
        number = {p: n + 1 for n, p in enumerate(p for group in members.values() for p in group)}
        out = []
        for n, group in enumerate(members.values()):
            branches = tuple(self._branch(p, number, n + 1, shift[p], starts[p]) for p in group)
            out.append(self._circuit(n + 1, branches))
        return tuple(out)

    def _shift(self, piece: Piece) -> float:
        """Whole turns by which a piece is told off from where it was found.

        That of the start holds its value; others have their middles in the first turn.
        """
        period = self.led.period
        if period is None:
            return 0.0
        low, high = float(piece.at[0]), float(piece.at[-1])
        if stands_on(self.led, piece):
            return self.led.here - self.led.above(self.led.here, low)
        return -period * float(np.floor((0.5 * (low + high) + SAME_VALUE * period) / period))

    def _branch(
        self, p: int, number: Mapping[int, int], circuit: int, shift: float, start: bool
    ) -> Branch:
        piece, planned = self.pieces[p], self.led.planned
        signs = {
            s.joint: int(piece.signs[s.branch]) for s in planned.steps if s.branch in self.led.dyads
        }
        ends = []
        for k, edge in enumerate(piece.ends):
            meets = tuple(sorted({number[q] for q in self.met.get((p, k), ()) if q != p}))
            ends.append(self._end(edge, edge.value + shift, meets))
        at = piece.at + shift
        low, high = (end.value for end in ends) if ends else (float(at[0]), float(at[-1]))
        return Branch(number[p], circuit, signs, low, high, tuple(ends), start, at, piece.P)

    def _end(self, edge: Edge, value: float, meets: tuple[int, ...]) -> End:
        joint = edge.step.joint if edge.step is not None else ""
        return End(value, edge.kind, joint, end_words(edge, self.led, value), meets)

    def _circuit(self, number: int, branches: tuple[Branch, ...]) -> Circuit:
        name, unit = self.led.name, self.led.unit
        start = any(b.start for b in branches)
        told = "; ".join(branch_words(b, name, unit) for b in branches)
        words = f"circuit {number}{' (of the start)' if start else ''}: {told}"
        return Circuit(number, name, unit, branches, start, words)
