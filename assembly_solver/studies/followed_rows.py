"""The rows of a study that follow from the nominal assembly, all at once.

Where the nominal poses are the only ones nearby, each row is followed from them to its own numbers
by `equations.followed_copies`.  What a solve may answer otherwise is left to it: a row that cannot
be followed, that comes to a limit, to a dead point or to another side of one, whose redundant mates
disagree, or whose numbers a check or a formula takes otherwise than those of the nominal assembly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..equations.followed_copies import FollowedSystem, FollowingArrays, follow_copies
from ..equations.shared_iteration import CLOSED, UNKNOWN, OwnNumbers, SharedEnds
from ..equations.table import SPACE, evaluated_equation
from ..errors import AssemblySolverError
from ..foundations.jit.threads import side_by_side
from ..foundations.numerics.rounding import RANK
from ..foundations.numerics.taylor import Jet
from ..foundations.numerics.varied import Varied
from ..foundations.types import Array, Ints
from ..model.assembly import Assembly
from ..solver.modes.known_signs import KnownSigns, known_signs
from ..structure.incidence import jacobian_of, slots
from ..structure.plan import Plan
from .idle_spins import idle_spins
from .measured import AskedNumber, measured
from .own_numbers import ORIGIN, SampledSystem, own_table, with_world
from .response import PoseResponse
from .varied_names import put, value_of

IN_A_CALL = 256
"""Rows that a thread follows before it looks for more."""

MOST_UNKNOWNS = 300
"""Unknowns up to which dense elimination takes less than a solve."""

TURNED = 0.75
"""Cosine of the turn of a direction on its part up to which mates keep their senses."""


class Followed(NamedTuple):
    """What became of rows: whether each was followed, and its measures, (rows, measures)."""

    closed: NDArray[np.bool_]
    measures: Array


class RowFollower(NamedTuple):
    """What all rows of a study share; made by `row_follower`.

    Attributes:
        nominal: at its solved poses; names: of what varies; mode: its assembly mode.
        spun: parts that spin idly; system: what its copies share, with no limits.
    """

    nominal: Assembly
    names: tuple[str, ...]
    asked: tuple[AskedNumber, ...]
    response: PoseResponse
    signs: KnownSigns
    mode: str
    spun: Ints
    system: FollowedSystem

    def follow(self, values: Array) -> Followed:
        """Rows by their values, (rows, names), mm or degrees."""
        count = len(values)
        none = Followed(np.zeros(count, np.bool_), np.full((count, len(self.asked)), np.nan))
        departed = np.zeros(count, np.bool_)
        after = self.nominal.copy()
        try:
            for name, column in zip(self.names, np.ascontiguousarray(values.T), strict=True):
                zero = np.zeros(count)
                value = value_of(after, name)
                assert value is not None
                put(after, name, Varied(value, Jet(column, zero, zero), departed))
        except AssemblySolverError:
            return none
        references = np.zeros(len(self.asked))
        written = SampledSystem(self.response, self.asked, references, after, count)
        if written.differs or self._is_other(written):
            return none
        plain = np.flatnonzero(~departed & _near(written))
        if not len(plain):
            return none
        ends = self._ends(written, plain)
        none.closed[plain] = ends.state == CLOSED
        none.measures[plain] = written.in_degrees(ends.values)
        none.measures[~none.closed] = np.nan
        return none

    def _is_other(self, written: SampledSystem) -> bool:
        """Whether a solve may choose a reference part or senses by the numbers that vary, or a part
        that spins idly in the nominal assembly may not."""
        system, markers = self.response.system, written.own.markers
        held = bool((system.fixed != system.grounded).any())
        spun = np.isin(written.table.marker_body[markers], self.spun).any()
        varied = len(markers) + len(written.own.equations) > 0
        return bool((held and len(markers)) or spun or (system.sense_by_residual and varied))

    def _ends(self, written: SampledSystem, rows: Ints) -> SharedEnds:
        """How some of the rows ended."""
        own = written.own.part(rows)
        t, count = written.table, len(rows)
        numbers = t.target[own.equations], t.coefficient[own.terms], t.marker_frame[own.markers]
        plain = OwnNumbers(*own[:3], *(x[None] for x in numbers))
        system = self.system._replace(low=written.low, high=written.high)
        ends = SharedEnds(
            np.full(count, UNKNOWN),
            np.empty((count, *system.frames.shape)),
            np.empty((count, len(self.asked))),
            np.empty((count, 0)),
        )
        parts = [slice(k, k + IN_A_CALL) for k in range(0, count, IN_A_CALL)]
        unknowns, rows_in_all = len(system.rows), self.response.rows.count
        calls = [
            (
                own_table(t),
                plain,
                own.part(some),
                system,
                ends.part(some),
                FollowingArrays(
                    evaluated_equation(),
                    np.empty(rows_in_all),
                    system.frames.copy(),
                    np.empty((unknowns, unknowns)),
                    np.empty(unknowns, np.int64),
                    np.empty(unknowns),
                    np.empty(6),
                ),
            )
            for some in parts
        ]
        side_by_side(follow_copies, calls)
        shifts = own.frame[..., :3] - t.marker_frame[own.markers, :3]
        start = self.response.frames
        crossed = self.signs.crossed(start, ends.poses, shifts, written.shifted)
        ends.state[crossed] = UNKNOWN
        return ends


def _near(written: SampledSystem) -> NDArray[np.bool_]:
    """The rows whose directions on parts are about those of the nominal assembly."""
    frame, own = written.own.frame, written.table.marker_frame[written.own.markers]
    cosines = (frame[..., 3:] * own[:, 3:]).reshape(*frame.shape[:2], 3, 3).sum(axis=3)
    out: NDArray[np.bool_] = cosines.min(axis=(1, 2), initial=1.0) > TURNED
    return out


def row_follower(nominal: Assembly, names: Sequence[str], plan: Plan) -> RowFollower | None:
    """What rows are followed with; None where each is to be solved.

    Args:
        nominal: at its solved poses, with the measures of the study; plan: of it, with known signs.
    """
    system, signs = plan.system, known_signs(plan)
    if signs is None or system.several or not all(value_of(nominal, n) is not None for n in names):
        return None
    mode = signs.name(system.start)
    if "0" in mode:
        return None
    response = PoseResponse(system, system.start)
    asked = tuple(measured(m) for m in nominal.measures.values())
    plain = SampledSystem(response, asked, np.zeros(len(asked)), nominal, 1).table
    idle = idle_spins(response, plain, signs)
    shared = _followed_system(response, idle)
    if shared is None:
        return None
    spun = np.array(list(idle), np.int64)
    return RowFollower(nominal, tuple(names), asked, response, signs, mode, spun, shared)


def _followed_system(response: PoseResponse, idle: Mapping[int, int]) -> FollowedSystem | None:
    """What copies share; None where the poses do not follow from the equations.

    Args:
        idle: unknowns that are held, by part.
    """
    from scipy.linalg import qr  # a study that is only read needs none

    system, of = response.system, _in_order(response)
    slot, kept = slots(len(system.parts) + 1, of.tolist(), SPACE), np.ones(6 * len(of), np.bool_)
    for part, unknown in idle.items():
        kept[slot[part, unknown]] = False
    unknowns = int(kept.sum())
    if not 0 < unknowns <= min(MOST_UNKNOWNS, response.rows.count):
        return None
    where = response.frames, np.arange(response.rows.count), of.tolist()
    matrix = jacobian_of(system.table, *where, SPACE, response.basis)[:, kept]
    upper, order = qr(matrix.T, mode="r", pivoting=True)
    pivots = np.abs(np.diag(upper))
    if not pivots.min() > RANK * pivots.max():
        return None
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    rows = np.sort(order[:unknowns]).astype(np.int64)
    return FollowedSystem(
        frames=with_world(response.frames),
        moving=of,
        slot=np.where(slot >= 0, place[slot], -1),
        basis=response.basis._replace(centre=np.append(response.basis.centre, [ORIGIN], 0)),
        rows=rows,
        orientation=float(np.linalg.slogdet(matrix[rows])[0]),
        low=np.empty(0),
        high=np.empty(0),
        goal=system.convergence_tolerance,
        farthest=system.length,
    )


def _in_order(response: PoseResponse) -> Ints:
    """The moving parts in an order in which those that mates connect are close together."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    system, count = response.system, len(response.system.parts)
    a, b = system.ends.T
    graph = coo_matrix((np.ones(len(a)), (a, b)), (count, count)).tocsr()
    order = reverse_cuthill_mckee(graph + graph.T, symmetric_mode=True).astype(np.int64)
    out: Ints = order[~system.fixed[order]]
    return out
