"""Designs of studies: the values of every row, from those that each name may take.

Names with values make a grid, the last name changing fastest; names with a range are sampled
together.  Each point of the grid has all the samples.  Any block of rows is made by itself, from
the seed and the numbers of its rows alone: a row is the same whoever runs it, and when.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..errors import BadValue, Contradiction, MissingKey
from ..foundations.types import Array, Ints
from ..model.numbers import finite, is_number

BLOCK = 1024
"""Rows of a group, and samples that are drawn at once: Sobol points are even in powers of two."""

MOST = 2**30
"""Samples of a design: Sobol points of scipy have 30 bits."""

KINDS = ("sobol", "latin", "random")
"""How ranges are sampled; `latin` draws all samples to get one, the others a block."""

Range = tuple[float, float]


@dataclass(frozen=True)
class Design:
    """The values of all rows of a study, by number of the row.

    Attributes:
        grid: values by name, mm or degrees; ranges: least and largest value by name.
        samples: of the ranges, 1 without any; seed: of the samples.
        kind: one of `KINDS`.
    """

    grid: Mapping[str, tuple[float, ...]]
    ranges: Mapping[str, Range]
    samples: int = 1
    seed: int = 0
    kind: str = KINDS[0]
    names: tuple[str, ...] = field(default=())

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return prod(map(len, self.grid.values())) * self.samples

    @property
    def groups(self) -> int:
        """How many groups of at most `BLOCK` rows there are."""
        return -(-self.rows // BLOCK)

    def numbers(self, group: int) -> range:
        """The numbers of the rows of a group."""
        return range(group * BLOCK, min((group + 1) * BLOCK, self.rows))

    def values(self, group: int) -> Array:
        """The values of the rows of a group, (rows, names), mm or degrees."""
        rows = np.array(self.numbers(group), np.int64)
        columns: dict[str, Array] = {}
        at = rows // self.samples
        for name, values in reversed(list(self.grid.items())):
            at, own = np.divmod(at, len(values))
            columns[name] = np.array(values)[own]
        if self.ranges:
            unit = self._samples(rows % self.samples)
            for k, (name, (low, high)) in enumerate(self.ranges.items()):
                columns[name] = low + (high - low) * unit[:, k]
        return np.stack([columns[name] for name in self.names], axis=1)

    def extremes(self, name: str) -> Range:
        """The least and the largest value of a name."""
        return self.ranges[name] if name in self.ranges else _ends(self.grid[name])

    def to_dict(self) -> dict[str, Any]:
        """What it is made from, in plain data."""
        return {
            "vary": {n: list(self.grid.get(n) or self.ranges[n]) for n in self.names},
            "ranges": list(self.ranges),
            "samples": self.samples,
            "seed": self.seed,
            "design": self.kind,
            "rows": self.rows,
        }

    def _samples(self, wanted: Ints) -> Array:
        """Samples by number, between 0 and 1, (rows, ranges)."""
        if self.kind == "latin":
            return self._latin[wanted]
        out = np.empty((len(wanted), len(self.ranges)))
        for block in np.unique(wanted // BLOCK).tolist():
            own = wanted // BLOCK == block
            out[own] = self._block(block)[wanted[own] % BLOCK]
        return out

    def _block(self, block: int) -> Array:
        """A block of samples, (BLOCK, ranges)."""
        if self.kind == "random":
            return np.random.default_rng([self.seed, block]).random((BLOCK, len(self.ranges)))
        points = scrambled_sobol(len(self.ranges), np.random.default_rng(self.seed))
        if block:
            points.fast_forward(block * BLOCK)
        return np.asarray(points.random(BLOCK))

    @cached_property
    def _latin(self) -> Array:
        from scipy.stats import qmc  # as above

        points = qmc.LatinHypercube(len(self.ranges), seed=np.random.default_rng(self.seed))
        return np.asarray(points.random(self.samples))


def scrambled_sobol(count: int, rng: np.random.Generator) -> Any:
    """A scrambled Sobol sequence of so many numbers, a `scipy.stats.qmc.Sobol`."""
    from scipy.stats import qmc  # takes as long as all other imports of a command

    return qmc.Sobol(count, scramble=True, seed=rng)


def _ends(values: tuple[float, ...]) -> Range:
    return min(values), max(values)


def make_design(
    vary: Mapping[str, Any], samples: int | None = None, seed: int = 0, kind: str = KINDS[0]
) -> Design:
    """The design of a study.

    Args:
        vary: by name a number; values in a list or array; a range, a tuple of two numbers; or the
            words of the command line, as "20:40", "20:40:5" or "20,25,40".
        samples: how many, of the ranges together; seed: of them, at least 0.
        kind: "sobol", "latin" or "random".

    Raises:
        MissingKey: nothing varies, or ranges have no samples; BadValue: a value that is not
            possible; Contradiction: samples of no range.
    """
    if not vary:
        raise MissingKey("", "a study", "vary NAME=A:B:N")
    read = {name: _read(given, f"vary {name}") for name, given in vary.items()}
    ranges = {name: found for name, found in read.items() if isinstance(found, tuple)}
    grid = {name: tuple(found) for name, found in read.items() if isinstance(found, list)}
    if ranges and samples is None:
        name, (low, high) = next(iter(ranges.items()))
        wanted = f"samples N, or {low:g}:{high:g}:N for N values"
        raise MissingKey(f"vary {name}", "a range", wanted)
    if samples is not None and not ranges:
        raise Contradiction("", "samples", "values without a range A:B")
    if kind not in KINDS:
        raise BadValue("design", kind, ", ".join(KINDS))
    count = 1 if samples is None else _whole(samples, 1, MOST, "samples")
    return Design(grid, ranges, count, _whole(seed, 0, 2**32, "seed"), kind, tuple(vary))


def _whole(value: Any, least: int, most: int, place: str) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise BadValue(place, value, f"a whole number from {least} to {most}")
    return int(value)


def values_of(given: Any, place: str) -> list[float]:
    """Values as those of a grid, in a list or the words of the command line; raises BadValue."""
    found = _read(given, place)
    if isinstance(found, tuple):
        raise BadValue(place, f"{found[0]:g}:{found[1]:g}", "values, as A:B:N or A,B,C")
    return found


def range_of(given: Any, place: str) -> Range:
    """A range in a tuple or the words of the command line; raises BadValue."""
    found = _read(given, place)
    if isinstance(found, list):
        raise BadValue(place, given, "a range A:B")
    return found


def _read(given: Any, place: str) -> list[float] | Range:
    """The values of a name in a list, or its range."""
    if isinstance(given, str):
        return _worded(given, place)
    if is_number(given):
        return [finite(given, place)]
    if isinstance(given, tuple) and len(given) == 2:
        return _range([finite(x, place) for x in given], place)
    if not isinstance(given, (Sequence, np.ndarray)):
        raise BadValue(place, given, "values in a list, or a range (A, B)")
    return _distinct([finite(x, place) for x in given], place)


def _worded(words: str, place: str) -> list[float] | Range:
    """The same of the words A, A,B,C, A:B or A:B:N."""
    ends = words.split(":")
    if len(ends) == 1:
        return _distinct(list(_numbers(words.split(","), words, place)), place)
    if len(ends) > 3:
        raise BadValue(place, words, "A:B, A:B:N or A,B,C")
    low, high = _numbers(ends[:2], words, place)
    if len(ends) == 2:
        return _range([low, high], place)
    if not ends[2].isdecimal() or int(ends[2]) < 2:
        raise BadValue(place, words, "A:B:N with a whole number N of values, 2 or more")
    return _distinct(np.linspace(low, high, int(ends[2])).tolist(), place)


def _numbers(texts: Sequence[str], words: str, place: str) -> Iterator[float]:
    for text in texts:
        try:
            number = float(text)
        except ValueError:
            raise BadValue(place, words, "A:B, A:B:N or A,B,C in numbers") from None
        yield finite(number, place)


def _range(ends: list[float], place: str) -> Range:
    if ends[0] >= ends[1]:
        raise BadValue(place, f"{ends[0]:g}:{ends[1]:g}", "a range A:B with A below B")
    return ends[0], ends[1]


def _distinct(values: list[float], place: str) -> list[float]:
    if not values:
        raise BadValue(place, values, "at least one value")
    if len(set(values)) < len(values):
        raise BadValue(place, values, "values that are given once")
    return values
