"""Groups of rows, each computed by itself in some process: the unit that workers are given."""

from __future__ import annotations

import pickle
from functools import lru_cache
from threading import RLock
from typing import NamedTuple

from ..errors import AssemblySolverError
from ..foundations.jit import aside, decorators
from ..model.assembly import Assembly
from ..version import VERSION
from .columns import Columns, encoded
from .designs import Design
from .drawn_rows import DrawnVariants, of_pins
from .moved_rows import Travel
from .variants import Variants

LOCK = RLock()
"""The threads of a process take turns: they share the nominal assembly, its plan, the compiler."""


class Job(NamedTuple):
    """What a worker has to know: the nominal assembly at its solved poses, and the design.

    Attributes:
        suffix: of the file that groups become a part of, empty where they stay columns.
        travel: the motion that is measured; None where the poses are.
        compiled: whether the rows are computed in machine code, not interpreted.
        version: of this package.
    """

    nominal: Assembly
    design: Design
    suffix: str
    travel: Travel | None
    compiled: bool
    version: str = VERSION

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of what is measured."""
        return self.travel.columns if self.travel is not None else tuple(self.nominal.measures)


class OtherWorker(AssemblySolverError):
    """A worker whose rows would not be those of this process."""

    def __init__(self, there: str, here: str) -> None:
        super().__init__(f"a worker has {there}, here is {here}: rows would differ")
        self._told = there, here

    def __reduce__(self) -> tuple[type[OtherWorker], tuple[str, str]]:
        return OtherWorker, self._told  # it comes back from another process


def packed(job: Job) -> bytes:
    """A job as it is sent to a worker, once."""
    return pickle.dumps(job, protocol=5)


def engine(compiled: bool, version: str = VERSION) -> str:
    """The version and the tier of computation, in words."""
    return f"assembly_solver {version} {'in machine code' if compiled else 'interpreted'}"


def ready() -> bool:
    """Wait for machine code from now on in this process; whether there is any."""
    decorators.compile_at_once()
    return decorators.ACTIVE


@lru_cache(maxsize=4)
def opened(payload: bytes) -> tuple[Job, Variants | DrawnVariants]:
    """A job that was sent, with its nominal assembly solved; kept for the groups that follow."""
    job: Job = pickle.loads(payload)
    if (job.version, job.compiled) != (VERSION, ready()):
        raise OtherWorker(engine(decorators.ACTIVE), engine(job.compiled, job.version))
    if of_pins(job.nominal, job.design.names):
        return job, DrawnVariants(job.nominal, job.design.names, job.travel)
    first = job.design.values(0)[0].tolist()
    return job, Variants(job.nominal, job.design.names, first, job.travel)


def warm(payload: bytes) -> bool:
    """Compile what the rows of a job need, or load it from the cache, by solving its first."""
    with LOCK:
        job, _ = opened(payload)
        if job.compiled:
            aside.tell_ready()
    return job.compiled


def run_group(payload: bytes, number: int) -> Columns | bytes:
    """The rows of a group, as columns or as a part of a file."""
    with LOCK:
        job, variants = opened(payload)
        values = job.design.values(number)
        rows = variants.rows(values)
    columns = Columns(
        dict(zip(job.design.names, values.T, strict=True)),
        dict(zip(job.measures, rows.measures, strict=True)),
        rows.mode,
        rows.reason,
        job.design.numbers(number)[0],
    )
    return encoded(columns, job.suffix) if job.suffix else columns
