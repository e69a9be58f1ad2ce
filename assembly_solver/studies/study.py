"""`study`: many variants of one assembly, each solved and measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import AssemblySolverError, UnknownSuffix
from ..formats.native.assembly_json import dump
from ..formats.replacing import real_file
from ..foundations.watch import Progress
from ..model.assembly import Assembly
from .columns import (
    OWN,
    SUFFIXES,
    Columns,
    arrow,
    check_columns,
    count_reasons,
    joined,
    read_columns,
)
from .designs import KINDS, Design, make_design
from .drawn_rows import DrawnVariants, of_pins
from .executors import check_executor, opened_executor
from .groups import Job, engine, packed, ready, warm
from .moved_rows import DEAD, REACHED, Travel, base_of, make_travel
from .store import Store
from .variants import nominal_assembly
from .varied_names import check_names, check_range

TRIES = 3
"""Times that groups are given to new workers where old ones died without finishing any."""

WAITING = 4096
"""Groups that wait at the executor, so that a large study does not have all of them in memory."""


@dataclass(frozen=True, eq=False)
class StudyRows:
    """The rows of a study.

    Attributes:
        design: what varied; measures: names of what was measured; out: its file, if it has one.
    """

    design: Design
    measures: tuple[str, ...]
    out: Path | None
    _parts: tuple[Columns, ...] = ()

    def __len__(self) -> int:
        return self.design.rows

    @cached_property
    def columns(self) -> Columns:
        """All rows as columns; read from the file where there is one."""
        if self.out is None:
            return joined(self._parts)
        return read_columns(self.out, len(self.design.names), len(self.measures))

    def __getitem__(self, name: str) -> Any:
        """A column by name, mm or degrees where it has numbers."""
        return self.columns.to_dict()[name]

    @cached_property
    def reasons(self) -> dict[str, int]:
        """How many rows are not valid for each reason, in the order in which they come."""
        if self.out is not None:
            return dict(count_reasons(self.out))
        return dict(Counter(reason for reason in self.columns.reason if reason))

    @property
    def valid(self) -> int:
        """How many rows are valid."""
        return len(self) - sum(self.reasons.values())

    def __str__(self) -> str:
        return f"{len(self)} rows, {self.valid} valid"


def study(
    assembly: Assembly,
    vary: Mapping[str, Any],
    measure: Mapping[str, Any] | Sequence[str] | None = None,
    *,
    samples: int | None = None,
    seed: int = 0,
    design: str = KINDS[0],
    over: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> StudyRows:
    """Many variants of an assembly: each solved from the nominal solved poses, and measured.

    Every row is kept, with the values, the measures, the assembly mode, whether it is valid, and if
    not why.  The rows, and the bytes of the file, do not depend on who computes them, nor on
    whether they were computed at once: with `out` a study that was stopped goes on where it was.
    From this call on this process waits for machine code instead of working interpreted.

    Args:
        assembly: not changed.
        vary: by name of a parameter, a driver or a number of a mate ("MATE.value"), or all of
            them "PIN.x" or "PIN.y" of a drawn linkage of pins and dyads: values in a
            list, a range (A, B) that is sampled, or the words "A:B", "A:B:N", "A,B,C"; mm or
            degrees.  Values make a grid, each point of it with all samples.
        measure: names of measures of the assembly, by default all; or new ones by name with the
            keys of a file, as {"gap": {"distance": ("a.f", "b.g")}}.
        samples: how many, where ranges are given; seed: of the samples.
        design: how they are drawn: "sobol", "latin" or "random".
        over: a driver with values as {"crank": "0:360:73"}: each variant is driven through them,
            and measured over its motion. Then `measure` may name "MEASURE.least", "largest",
            "mean", "range", "least_at", "largest_at" and "curve", "MEASURE@VALUE" for the value at
            one of the driver, "motion.dead_points", "motion.reached", and
            "motion.transmission_least" and "..._largest" of the transmission angles.
        out: file for the rows, .parquet or .csv; without it they are in memory.
        executor: None for "processes" on all cores, or "here", in this process, where there are
            few rows or one core; an `Executor` of
            `concurrent.futures`; a Dask `Client`, the address of its scheduler, or "dask" for
            workers on this machine.
        progress: called as `progress(done, total, words)`, in rows.

    Raises:
        UnknownName, MissingKey, BadValue, Contradiction, DuplicateName, MissingExtra: the call is
            wrong; Unsolved: the assembly itself has no solution; OtherStudy: rows of another one
            are at `out`.  Nothing is computed then.
    """
    if not of_pins(assembly, vary):
        check_names(assembly, vary)
    rows = make_design(vary, samples, seed, design)
    path = _target(out)
    check_executor(executor)
    compiled = ready()
    nominal, travel = _measuring(assembly, vary, measure, over)
    if of_pins(nominal, rows.names):
        DrawnVariants(nominal, rows.names, travel)
    else:
        for name in rows.names:
            check_range(nominal, name, rows.extremes(name))
    job = Job(nominal, rows, path.suffix if path else "", travel, compiled)
    check_columns(vary, job.measures)
    told = {"fingerprint": _fingerprint(job), "engine": engine(compiled), **rows.to_dict()}
    store = Store(path, told) if path else None
    made = StudyRows(rows, job.measures, path)
    if store is None:
        found: dict[int, Any] = {}
        _compute(job, set(), found.__setitem__, executor, progress)
        return StudyRows(rows, made.measures, None, tuple(found[k] for k in range(rows.groups)))
    if not store.finished:
        _compute(job, store.known(), store.keep, executor, progress)
        store.finish(rows.groups, [OWN[0], *rows.names, *made.measures, *OWN[1:]])
    return made


def _measuring(
    assembly: Assembly,
    vary: Iterable[str],
    measure: Mapping[str, Any] | Sequence[str] | None,
    over: Mapping[str, Any] | None,
) -> tuple[Assembly, Travel | None]:
    """The nominal assembly with what is measured, and the motion that it is measured over."""
    asked = tuple(assembly.measures) if measure is None else measure
    check_columns(vary, asked)
    if over is None:
        return nominal_assembly(assembly, asked), None
    more = () if of_pins(assembly, vary) else (DEAD, REACHED)
    if isinstance(asked, Mapping):
        nominal = nominal_assembly(assembly, asked)
        return nominal, make_travel(nominal, over, (), more)
    travel = make_travel(assembly, over, () if measure is None else asked, more)
    bases = dict.fromkeys(filter(None, map(base_of, travel.columns)))
    return nominal_assembly(assembly, tuple(bases)), travel


def _target(out: str | Path | None) -> Path | None:
    """The file to write; raises UnknownSuffix, OSError, MissingExtra where it cannot be."""
    if out is None:
        return None
    path = Path(out)
    if path.suffix not in SUFFIXES:
        raise UnknownSuffix(str(path), "files are written", SUFFIXES)
    real_file(path)
    if path.suffix == SUFFIXES[0]:
        arrow()
    return path


def _fingerprint(job: Job) -> str:
    """What the rows follow from: nominal assembly with its measures, design, version."""
    text = [dump(job.nominal), repr(job.design), repr(job.travel), engine(job.compiled)]
    return sha256("\n".join(text).encode()).hexdigest()


class _Lost(Exception):
    """Groups came to nothing, as where a worker died; its cause says how."""


def _compute(
    job: Job,
    known: set[int],
    keep: Callable[[int, Any], object],
    executor: Any,
    progress: Progress | None,
) -> None:
    """Compute the groups that are not known, each kept as soon as it is there."""
    design, payload = job.design, packed(job)
    left = set(range(design.groups)) - known
    rows = design.rows - sum(len(design.numbers(k)) for k in left)
    tries = 0
    if left:
        warm(payload)
    while left:
        before = len(left)
        try:
            with opened_executor(executor, payload, before) as submit:
                for k, content in _as_completed(submit, sorted(left, reverse=True)):
                    keep(k, content)
                    left.remove(k)
                    rows += len(design.numbers(k))
                    if progress is not None:
                        progress(rows, design.rows, "rows")
        except _Lost as lost:  # what dead workers had is given to others
            tries = 0 if len(left) < before else tries + 1
            if tries == TRIES:
                raise lost.__cause__ or lost from None


def _as_completed(
    submit: Callable[[int], Future[Any]], groups: list[int]
) -> Iterator[tuple[int, Any]]:
    """The groups, the last of the list first, as they are finished, with what they are."""
    running: dict[Future[Any], int] = {}
    while groups or running:
        while groups and len(running) < WAITING:
            number = groups.pop()
            begun = _tried(submit, number)
            running[begun] = number
            if begun.done():  # of an executor that works at once
                break
        for done in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(done), _tried(done.result)


def _tried(call: Callable[..., Any], *args: Any) -> Any:
    """What a call returns; raises `_Lost` where it fails but for the caller's mistakes."""
    try:
        return call(*args)
    except AssemblySolverError:
        raise
    except Exception as problem:
        raise _Lost from problem
