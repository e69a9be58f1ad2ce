"""What a solve produced, as the record that a `Solution` is made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..diagnosis.freedoms import Diagnosis
from ..foundations.watch import Stopped, Watch
from ..model.snapshot import Snapshot
from ..solver.modes.choice import ReachedPoses

if TYPE_CHECKING:
    from ..diagnosis.conflicts import ConflictSearch
    from ..diagnosis.proof.certificate import Certificate
    from ..diagnosis.subset_solver import SubsetSolver


class SolveResult(NamedTuple):
    """What a solve produced.

    Attributes:
        snapshot: of the assembly at the time of the call.
        reached: the poses, solved or not, with their residuals and the work done.
        conflicts: the contradictions, where they were looked for.
        trial: gives the solver of subsets that found them.
        interruption: the cancellation or the exhausted budget that ended the solve, if any.
        diagnose: computes rank and freedoms at the poses, of the mates without drivers.
        watch: of the call; its clock rests from the end of the solve.
        certificate: what is proved of poses that hold, where that was asked for.
    """

    snapshot: Snapshot
    reached: ReachedPoses
    conflicts: ConflictSearch | None
    trial: Callable[[], SubsetSolver]
    interruption: Stopped | None
    diagnose: Callable[[], Diagnosis]
    watch: Watch
    certificate: Certificate | None
