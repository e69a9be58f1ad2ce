"""Intervals of the input of a linkage with groups: solutions sampled, then followed both ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...foundations.types import Array, Ints
from .driven_linkage import Led, States, same_place
from .group_solutions import solutions
from .intervals import SAMPLES, Look, Piece, edge, stretch, turn

PLACES = 24
"""Values of the input at which solutions are sampled."""

TRIES = 48
"""Places from which each group is solved at each of them."""

CROWD = 11
"""States of a piece at either end that crowd there; others are not reached from them."""

LARGEST = 8
"""Unknown points of a group up to which its solutions are sampled."""

STRETCH = 60
"""States that are led on before it is looked whether they hold."""

TURNS = 4
"""Turns of the input after which a solution that does not come back is left open."""


def traced(led: Led, signs: Ints) -> Iterator[Piece]:
    """The intervals of one choice of the signs of dyads, of every solution that is found."""
    low, high = led.window
    found: list[Piece] = []
    for value in [led.here, *np.linspace(low, high, PLACES + 1)[1:]]:
        for start in _at(led, signs, float(value)):
            if any(_on(led, piece, float(value), start) for piece in found):
                continue
            new = list(_followed(led, signs, float(value), start))
            found += new
            yield from new


def _at(led: Led, signs: Ints, value: float) -> list[Array]:
    """Solutions at a value, at that of the start its own one first."""
    found = [] if too_large(led) else solutions(led, signs, value, TRIES)
    own = tuple(signs) == tuple(led.planned.signs) and value == led.here
    return [led.start, *found] if own else found


def too_large(led: Led) -> bool:
    """Whether there are groups whose solutions are not sampled."""
    group = led.planned.program.group
    return bool((group[:, 1] - group[:, 0]).max(initial=0) > LARGEST)


def _on(led: Led, piece: Piece, value: float, places: Array) -> bool:
    """Whether a solution lies on a piece, in any of its turns."""
    turns = [value]
    if led.period is not None:
        begin = led.above(value, float(piece.at[0]))
        turns = [begin + k * led.period for k in range(TURNS + 1)]
    for v in turns:
        if piece.at[0] <= v <= piece.at[-1]:
            crowd = min(CROWD, (len(piece.at) - 1) // 2)
            inner = slice(crowd, len(piece.at) - crowd)
            near = _look(led, piece.signs, piece.at[inner], piece.P[..., inner])(np.array([v]))
            if near.valid[0] and same_place(led, near.P[..., 0], places):
                return True
    return False


def _followed(led: Led, signs: Ints, value: float, start: Array) -> Iterator[Piece]:
    """The pieces that a solution lies on or hangs together with without a dead point."""
    up, closed = _led(led, signs, value, start, 1)
    if closed:
        yield from turn(led, _look(led, signs, *up), signs, up[0])
        return
    down, _ = _led(led, signs, value, start, -1)
    at = np.concatenate([down[0][:0:-1], up[0]])
    P = np.concatenate([down[1][..., :0:-1], up[1]], axis=2)
    look = _look(led, signs, at, P)
    step = (led.window[1] - led.window[0]) / SAMPLES
    low, high = (
        edge(led, look, at[k], None if _outside(led, at[k] + way) else at[k] + way)
        for k, way in ((0, -step), (-1, step))
    )
    yield from stretch(led, look, signs, low, at, high)


def _outside(led: Led, value: float) -> bool:
    """Whether nothing is looked for at a value."""
    low, high = led.window
    if led.period is not None:
        return abs(value - led.here) > TURNS * led.period
    return not low <= value <= high


def _led(
    led: Led, signs: Ints, value: float, start: Array, way: int
) -> tuple[tuple[Array, Array], bool]:
    """Samples from a solution one way as far as it holds; and whether it came back to itself."""
    low, high = led.window
    step = (high - low) / SAMPLES
    far = TURNS * (led.period or 0.0) or (high - value if way > 0 else value - low)
    at = value + (way * step) * np.arange(int(far / step + 1e-9) + 1, dtype=np.float64)
    reached = np.ascontiguousarray(start)[..., None]
    found, n = [], 0
    while n < len(at):  # no further than it holds: what does not takes long
        states = led.states(signs, at[n : n + STRETCH], reached[..., -1], float(at[max(n - 1, 0)]))
        held = int(np.argmin(np.append(states.valid, False)))
        reached = states.P[..., :held]
        found.append(reached)
        n += held
        if held < STRETCH:
            break
    at, P = at[:n], np.concatenate(found, axis=2)
    if led.period is not None:
        for k in range(SAMPLES, n, SAMPLES):
            if same_place(led, P[..., k], P[..., 0]):
                return (at[: k + 1], P[..., : k + 1]), True
    return (at, P), False


def _look(led: Led, signs: Ints, at: Array, P: Array) -> Look:
    """States by continuation from samples: from the middle to either side, as at their ends, at
    dead points, none leads on."""

    def part(values: Array) -> States:
        k = int(np.argmin(np.abs(at - values[0])))
        return led.states(signs, values, np.ascontiguousarray(P[..., k]), float(at[k]))

    def look(values: Array) -> States:
        if len(values) == 1:
            return part(values)
        down, up = part(values[len(values) // 2 :: -1]), part(values[len(values) // 2 :])
        return States(
            np.concatenate([down.P[..., :0:-1], up.P], axis=2),
            np.concatenate([down.failed[:0:-1], up.failed]),
            np.concatenate([down.room[:, :0:-1], up.room], axis=1),
        )

    return look
