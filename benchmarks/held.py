"""Random loops of hinges with one crank driven: what a sweep says is held stays, and what ends it.

    python -m benchmarks.held 1000 [any] [FIRST]

sweeps as many loops as it is told: plane ones of five and six links and spatial ones of eight
hinges.  Each sweep is compared with that of the same loop whose held coordinates are driven at
constant values.  With `any` the sweeps go on by `hold="any"`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import assembly_solver as asm

Array = NDArray[np.float64]

DRIFT = 1e-6
"""Change of a held angle that counts, degrees."""

GAP = 1e-6
"""Difference between two sweeps that counts, mm."""

BESIDE = 1e-4
"""Distance from an end at which two sweeps are no longer compared, degrees: rates are unbounded."""

JUMP = 0.1
"""Change of velocity that accelerations do not explain, as a share of the largest velocity."""

STEPS = 72
"""Steps of a sweep of 360 degrees."""

PARTS, TIMES = 8, 6
"""Where velocities seem to jump between two states: parts of that interval, and how often in turn.
A jump is one in any interval, however short; fast motion between two states is none."""

DIGITS = 6
"""Of values of the driver: states that are much nearer count as one."""

EVERY = 25
"""Loops after which the number done is told."""

HELD = re.compile(r"(J\d) angle(?: from input (\S+) deg)?(?: until input (\S+) deg)?")
"""Words for a held angle, with the values of the driver from and until which it is held."""

KINDS = ("five-bar", "five-bar", "five-bar", "six-bar loop", "eight hinges in space")
"""Of the loops, in turn."""


def loop(points: Array, axes: Array) -> asm.Assembly:
    """Links from hinge to hinge, closed at their start poses, the first link grounded."""
    n, a = len(points), asm.Assembly("loop")
    for k in range(n):
        ends = {"a": k, "b": (k + 1) % n}
        features = {e: asm.Frame(tuple(points[p]), tuple(axes[p])) for e, p in ends.items()}
        a.add(f"link{k}", features=features, grounded=k == 0)
    for k in range(n):
        a.mate("revolute", f"link{(k - 1) % n}.b", f"link{k}.a", name=f"J{k}")
    a.drive("input", "J1", "angle")
    return a


def drawn(seed: int) -> asm.Assembly:
    """The loop of a number: links of 20 mm and more."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    n = {"five-bar": 5, "six-bar loop": 6}.get(kind, 8)
    while True:
        points = rng.uniform(0.0, 300.0, (n, 3))
        axes = rng.normal(size=(n, 3))
        if n < 8:
            points[:, 2], axes = 0.0, np.tile([0.0, 0.0, 1.0], (n, 1))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        if np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1).min() > 20.0:
            return loop(points, axes)


def swept(a: asm.Assembly, steps: int = STEPS, **how: Any) -> asm.Motion:
    """A turn of the crank."""
    return asm.sweep(a, {"input": (0.0, 360.0)}, steps=steps, **how)


def wrong(seed: int, **how: Any) -> list[str]:
    """What is not as it is said to be in the sweep of a number, "" where nothing is."""
    a = drawn(seed)
    motion = swept(a, **how)
    if motion.failed:
        return ["no motion"]
    out = [] if _stays(motion) else ["held angle moves"]
    out += _against_constant_drivers(a, motion) if _names(motion) else []
    if _jumps(a, motion, **how):
        out.append("velocities jump")
    return out


def _jumps(a: asm.Assembly, motion: asm.Motion, **how: Any) -> bool:
    """Whether velocities jump in a sweep with states close to where an angle is released or held.

    The intervals in which they seem to are divided: in each one the jump is there again, or not.
    """
    bounds = [float(x) for w in motion.held for x in re.findall(r"input (\S+) deg", w)]
    bounds += [e.value for e in motion.events if e.stops]
    values = np.linspace(0.0, 360.0, STEPS + 1)
    beside = [b + s * np.geomspace(1e-4, 1.0, 17) for b in bounds for s in (-1.0, 1.0)]
    inside = np.concatenate([values, *beside])
    inside = inside[(inside >= 0.0) & (inside <= 360.0)]
    for _ in range(TIMES):
        values = np.unique(np.round(np.concatenate([values, inside]), DIGITS))
        found = asm.sweep(a, {"input": values}, **how)
        k = np.flatnonzero(_seem_to_jump(found))
        if len(k) == 0:
            return False
        inside = np.linspace(values[k], values[k + 1], PARTS + 1).ravel()
    return True


def _names(motion: asm.Motion) -> list[str]:
    """The joints held throughout."""
    names = [words.removesuffix(" angle") for words in motion.held]
    return names if all(n in motion.assembly.mates for n in names) else []


def _stays(motion: asm.Motion) -> bool:
    """Whether the held angles are constant where they are said to be, and each end is an event."""
    at, ends = motion.prescribed["input"], 0
    for words in motion.held:
        found = HELD.fullmatch(words)
        if found is None:
            return False
        name, begin, end = found.groups()
        ends += end is not None
        said = motion.valid & (at >= float(begin or -np.inf)) & (at <= float(end or np.inf))
        value = motion.joint(name, "angle").value[said]
        if len(value) and np.ptp(value) > DRIFT:
            return False
    return ends == sum(e.kind == "release" for e in motion.events)


def _against_constant_drivers(a: asm.Assembly, motion: asm.Motion) -> list[str]:
    """Differences from the sweep whose held coordinates have drivers of constant value."""
    driven = a.copy()
    first = int(np.argmax(motion.valid))
    for name in _names(motion):
        driven.drive(f"hold {name}", name, "angle")
        driven.set_driver(f"hold {name}", float(motion.joint(name, "angle").value[first]))
    other = swept(driven)
    out = []
    if not np.array_equal(motion.valid, other.valid):
        out.append("other states than with a driver")
    ends = [m.stopped for m in (motion, other)]
    kinds = [e.kind if e else "" for e in ends]
    if kinds[0] != kinds[1]:
        out.append(f"other end than with a driver: {kinds}")
    elif ends[0] and ends[1] and abs(ends[0].value - ends[1].value) > BESIDE:
        out.append("another place of the end than with a driver")
    both = motion.valid & other.valid
    if ends[0]:
        both &= motion.prescribed["input"] < ends[0].value - BESIDE
    if both.any() and np.abs(motion.frames - other.frames)[both].max() > GAP:
        out.append("other poses than with a driver")
    return out


def _seem_to_jump(motion: asm.Motion) -> NDArray[np.bool_]:
    """Intervals in which rates of joints change by what accelerations do not explain."""
    good = motion.valid[1:] & motion.valid[:-1]
    tracks = [motion.joint(f"J{k}", "angle") for k in range(len(motion.parts))]
    rate, acc, value = (np.array([getattr(t, x) for t in tracks]) for x in ("rate", "acc", "value"))
    h = np.diff(motion.t)
    with np.errstate(invalid="ignore"):
        largest = np.maximum(np.abs(rate).max(0)[1:], np.abs(rate).max(0)[:-1])
        change = np.abs(np.diff(rate) - 0.5 * h * (acc[:, 1:] + acc[:, :-1])).max(0)
        way = np.abs(np.diff(value) - 0.5 * h * (rate[:, 1:] + rate[:, :-1])).max(0) / h
        off = np.maximum(change, way) > JUMP * largest
    if motion.stopped is not None and good.any():  # rates grow without bound to a dead point
        good[max(0, int(np.flatnonzero(good)[-1]) - 2) :] = False
    found: NDArray[np.bool_] = off & good
    return found


def main(arguments: list[str]) -> None:
    """Print how many of the loops are wrong, by what, and their numbers."""
    n = int(arguments[0]) if arguments else 1000
    how = {"hold": "any"} if "any" in arguments else {}
    first = int(arguments[-1]) if len(arguments) > 1 and arguments[-1].isdigit() else 0
    found: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for seed in range(first, first + n):
        for words in wrong(seed, **how):
            found[words] += 1
            kinds[f"{KINDS[seed % len(KINDS)]}: {words}"] += 1
            print(seed, KINDS[seed % len(KINDS)], words, flush=True)
        if (seed + 1 - first) % EVERY == 0:
            print(f"{seed + 1 - first} of {n} loops", file=sys.stderr, flush=True)
    print(f"{n} loops:", dict(found) or "nothing wrong")
    for words, times in sorted(kinds.items()):
        print(f"  {times:4d} {words}")


if __name__ == "__main__":
    main(sys.argv[1:])
