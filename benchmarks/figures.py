"""A figure: what a benchmark found, with its limit and the judge's word; how it is timed and told.

Every part of the suite yields figures and nothing else; what they look like is said here once.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

Answer = TypeVar("Answer")

RIGHT = "right"
"""The judge's word for a result that holds."""

WIDTHS = (12, 26, 26, 15)
"""Columns for part, case, quantity and peer."""


class Figure(NamedTuple):
    """One number of a run.

    Attributes:
        part: benchmark that found it.
        case, quantity: what was measured.
        value: None where there is none; `judged` says why.
        unit: of the value; "x" is a ratio, in words "how many times".
        limit: ">= 5" or "<= 1.3", in the unit; empty where nothing is required.
        peer: other engine that was measured, or that a ratio is against.
        judged: `RIGHT`, or what is wrong; empty where nothing was judged.
    """

    part: str
    case: str
    quantity: str
    value: float | None
    unit: str = ""
    limit: str = ""
    peer: str = ""
    judged: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What the same figure of another run has in common with it."""
        return self.part, self.case, self.quantity, self.peer

    @property
    def met(self) -> bool | None:
        """Whether the limit is kept; None without one.  It is not, where there is no value."""
        if not self.limit:
            return None
        sign, bound = self.limit.split()
        if self.value is None or math.isnan(self.value):
            return False
        return self.value >= float(bound) if sign == ">=" else self.value <= float(bound)

    @property
    def good(self) -> bool:
        """The limit is kept and nothing is wrong; what a peer does wrong is its own."""
        theirs = bool(self.peer) and not self.limit
        return self.met is not False and (theirs or self.judged in ("", RIGHT))


def shown(value: float | None) -> str:
    """A value in four digits or so."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value == round(value) or abs(value) >= 1e4 else f"{value:.4g}"


def line(figure: Figure) -> str:
    """One row of the table."""
    names = (figure.part, figure.case, figure.quantity, figure.peer)
    head = "".join(f"{n:<{w}} " for n, w in zip(names, WIDTHS, strict=True))
    missed = "MISSED" if figure.value is not None else "OPEN"
    verdict = {None: "", True: "met", False: missed}[figure.met]
    judged = "" if figure.judged == RIGHT and figure.met is not None else figure.judged
    row = f"{head}{shown(figure.value):>10} {figure.unit:<9}{figure.limit:<9}{verdict:<7}{judged}"
    return row.rstrip()


def headings() -> str:
    """The first row of the table."""
    names = ("part", "case", "quantity", "peer")
    head = "".join(f"{n:<{w}} " for n, w in zip(names, WIDTHS, strict=True))
    return f"{head}{'value':>10} {'unit':<9}{'limit':<9}{'':<7}judged"


def report(figures: Iterable[Figure]) -> int:
    """Print figures as they are found; status 1 where one is not good."""
    print(headings(), flush=True)
    bad = []
    for figure in figures:
        print(line(figure), flush=True)
        bad += [] if figure.good else [figure]
    print(f"\n{len(bad)} figures are not as they must be" if bad else "\nall as it must be")
    return int(bool(bad))


# ------------------------------------------------------------------ between processes


def written(figure: Figure) -> str:
    """A figure as one line of JSON."""
    return json.dumps(figure._asdict())


def read(path: Path) -> list[Figure]:
    """The figures of a file with one in a line; a line that was cut short is left out."""
    rows = path.read_text().splitlines()
    return [Figure(**json.loads(row)) for row in rows if row.endswith("}")]


def answers() -> IO[str]:
    """Standard output for answers alone: all printing from here on goes to standard error."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return out


# ------------------------------------------------------------------ times


def timed(
    work: Callable[[], Answer], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Answer]:
    """Time of a call by a clock, ms, and what it gave."""
    begun = clock()
    found = work()
    return 1e3 * (clock() - begun), found


def median(runs: Sequence[float]) -> float | None:
    """Median of some runs; None where there are none."""
    return statistics.median(runs) if runs else None


def ratio(above: float | None, below: float | None) -> float | None:
    """How many times as large; None where one is missing."""
    return None if above is None or not below else above / below


def count(part: str, case: str, quantity: str, wrong: dict[Any, str], of: int) -> Figure:
    """How many of some cases are wrong: none may be; the first ones are named."""
    words = "; ".join(f"{name}: {text}" for name, text in list(wrong.items())[:3])
    judged = f"{words[:200]}" if wrong else RIGHT
    return Figure(part, case, quantity, float(len(wrong)), f"of {of}", "<= 0", "", judged)
