"""States added to the motion of a driver, each followed from the state before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..foundations.numerics.distinct import distinct
from ..foundations.numerics.rounding import ROUNDING
from ..foundations.types import Array, Ints
from ..foundations.watch import Watch
from ..kinematics.assembly_motion import AssemblyMotion, at_state, follow_on
from ..results.motion import Motion
from .sweep_limits import may_reach_limit

ARRAYS = ("t", "valid", "frames", "twists", "accelerations", "residual_mm")
"""What a motion has of each state."""


def with_states(motion: Motion, driver: str, values: Array, watch: Watch) -> Motion | None:
    """The motion of one driver with states at further values, (n,), mm or degrees.

    None where it has to be swept as a whole: where it is not one run without an event, and where
    the new states do not hold or may be beyond a limit.
    """
    found = motion.followed
    if found is None or not _is_plain(motion, found, driver):
        return None
    run = found.schedule.runs[0]
    value, rate, _ = (float(x[0]) for x in run.laws[driver](run.t[:1]))
    t = np.sort(float(run.t[0]) + (values - value) / rate)
    if not len(t) or t[0] <= run.t[0] or t[-1] >= run.t[-1]:
        return None
    new: list[AssemblyMotion] = []
    before = np.searchsorted(run.t, t, side="right") - 1
    for k in distinct(before).tolist():
        part = _followed_on(found, k, t[before == k], watch)
        if not part.reached.all() or part.met or part.lock_changes:
            return None
        new.append(part)
    joined = _joined(motion, new, driver, np.sort(values)[:: 1 if rate > 0.0 else -1], t)
    good = bool((joined.residual_mm <= motion.assembly.tolerance).all())
    return joined if good and not may_reach_limit(joined, found) else None


def _is_plain(motion: Motion, found: AssemblyMotion, driver: str) -> bool:
    """Whether a motion is one of this driver at a constant rate, whole, and without an event."""
    if not (motion and motion.has_rates.all()) or motion.events or motion.whole is not None:
        return False
    schedule = found.schedule
    if len(schedule.runs) != 1 or set(motion.prescribed) != {driver}:
        return False
    if any(len(f.chain.turns) for f in found.followers.values()):
        return False  # an equation that counts turns does so from state to state
    run, n = schedule.runs[0], len(schedule.t)
    value, rate, change = run.laws[driver](run.t)
    straight = value[0] + rate[0] * (run.t - run.t[0])
    steady = bool(np.abs(value - straight).max() <= ROUNDING * np.abs(value).max())
    return (
        steady
        and n > 1
        and abs(float(rate[0])) > 0.0
        and not change.any()
        and _in_order(run.states, n)
        and _in_order(schedule.again, n)
    )


def _in_order(states: Ints, n: int) -> bool:
    return np.array_equal(states, np.arange(n))


def _followed_on(found: AssemblyMotion, k: int, t: Array, watch: Watch) -> AssemblyMotion:
    """The motion from state k, which is its first state, to times (n,), s, of the same run."""
    run = found.schedule.runs[0]
    times = np.concatenate([run.t[k : k + 1], t])
    return follow_on(at_state(found.ready, found, k), run, times, watch)


def _joined(
    motion: Motion, new: list[AssemblyMotion], driver: str, values: Array, t: Array
) -> Motion:
    """A motion with the states of others, each without its first, at these values and times."""
    own = {
        "t": t,
        "valid": np.ones(len(t), bool),
        "frames": np.concatenate([x.frames[1:] for x in new]),
        "twists": np.concatenate([x.twists[1:] for x in new]),
        "accelerations": np.concatenate([x.accelerations[1:] for x in new]),
        "residual_mm": np.concatenate([x.off[1:] for x in new]),
    }
    order = np.argsort(np.concatenate([motion.t, t]), kind="stable")
    every = np.arange(len(order))
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(motion, name), own[name]])[order] for name in ARRAYS
    }
    told = np.concatenate([motion.prescribed[driver], values])[order]
    return replace(
        motion,
        **arrays,
        reasons=("",) * len(order),
        prescribed={driver: told},
        runs=((every, arrays["t"], False),),
        again=every,
    )
