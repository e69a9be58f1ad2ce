"""Which assembly modes are joined by a motion without a singular pose.

Sources: docs/modes.md, "Which modes a motion joins".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..diagnosis.proof import proving
from ..errors import BadValue, NoLinkage, Overdriven, SlotOutOfReach, Unsolved
from ..foundations.numerics.rounding import AGREEMENT
from ..foundations.watch import Progress, Stopped, Watch
from ..model.assembly import Assembly
from ..model.drivers.driver import Driver
from ..model.drivers.guide import Guide
from ..results.joined_modes import JoinedModes, JoiningPath
from ..solver.modes.enumeration import Mode
from .linkage import linkage
from .mode_trees import ModeTrees, turns
from .solving import modes

PATHS = 600
"""Straight paths that are followed at most."""


def joined_modes(
    assembly: Assembly,
    *,
    paths: int = PATHS,
    seed: int = 0,
    certify: bool = False,
    budget: float | None = None,
    cancel: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> JoinedModes:
    """Which assembly modes a motion of the drivers joins without a singular pose.

    All drivers with a value move, within their ranges and the limits: angles without a range by
    half a turn to both sides, and by whole turns; lengths without one by the characteristic length.
    An angle with a range of a turn or more goes whole turns, too, also beyond the range.
    Undriven coordinates are locked.  Modes that a path joins are joined; of others nothing is
    known, unless the circuits of a linkage with one driver prove that no path joins them.

    Args:
        assembly: not changed.
        paths: straight paths of the drivers that are followed at most; without any that joins more
            modes, it takes as long as all of them.
        seed: of the numbers by which their ends are drawn.
        certify: whether each step of the paths in the answer is proved to stay on its branch; it
            needs the extra `proof`.
        budget, cancel, progress: as for `solve`, over everything.

    Returns:
        What is known, also where the search was interrupted: then `stopped` says where.

    Raises:
        BadValue: no driver has a value, `paths` is not 1 or more, or `seed` not 0 or more.
        Unsolved: the assembly has no solution.
        FreeInNoJoint: a free motion is neither a joint coordinate nor a spin, so not locked.
        MissingExtra: `certify` without python-flint.

    Source: docs/modes.md, "Which modes a motion joins".
    """
    watch = Watch(budget, cancel, progress)
    return joined_within(watch, assembly, paths=paths, seed=seed, certify=certify)


def joined_within(
    watch: Watch, assembly: Assembly, *, paths: int = PATHS, seed: int = 0, certify: bool = False
) -> JoinedModes:
    """`joined_modes`, by the clock of a search that has begun before."""
    if paths < 1:
        raise BadValue("joined_modes.paths", paths, "a whole number of at least 1")
    if seed < 0:
        raise BadValue("joined_modes.seed", seed, "a whole number of at least 0")
    given = assembly.held_still().copy()
    every = sorted(given.drivers.values(), key=lambda d: d.name)  # the same paths in any order
    drivers = [d for d in every if d.value is not None and not isinstance(d, Guide)]
    if not drivers:
        raise BadValue("joined_modes", given.name, "an assembly with a driver that has a value")
    if certify:
        proving("branch_proof", "sweep")
    watch = watch.searching("in search of the assembly modes")
    found, trees, apart, stopped = list[Mode](), None, "", ""
    try:
        found = _listed(given, watch)
        watch.place = "in search of a proof that no modes are joined"
        apart = _proved_apart(given, drivers, found, watch)
        if len(found) > 1 and not apart:
            watch.place = "in search of paths between modes"
            trees = ModeTrees(given, drivers, found, watch)
            trees.grow(int(paths), np.random.default_rng(seed))
            watch.place = "in proof of the paths between modes"
            if certify:
                trees.certify()
    except Stopped as stop:
        stopped = stop.words
    joining = tuple(trees.joining) if trees is not None else ()
    return JoinedModes(
        _classes([m.name for m in found], joining),
        joining,
        tuple(d.name for d in drivers),
        int(paths),
        trees.followed if trees is not None else 0,
        len(trees.unlisted) if trees is not None else 0,
        trees.unconfirmed if trees is not None else 0,
        all(m.complete for m in found) and bool(found or not stopped),
        apart,
        stopped,
    )


def _listed(given: Assembly, watch: Watch) -> list[Mode]:
    """The assembly modes, within what is left of the budget."""
    try:
        return modes(given, cancel=watch.over, progress=watch.progress)
    except Unsolved:
        watch.check()  # what was cut off may have a solution
        raise


def _classes(names: list[str], paths: tuple[JoiningPath, ...]) -> tuple[tuple[str, ...], ...]:
    """Names by the paths from the first of each class to the others."""
    first = {p.end: p.start for p in paths}
    of: dict[str, list[str]] = {}
    for name in names:
        of.setdefault(first.get(name, name), []).append(name)
    return tuple(map(tuple, of.values()))


# ---------------------------------------------------------------------- proof
def _proved_apart(given: Assembly, drivers: list[Driver], found: list[Mode], watch: Watch) -> str:
    """Why no modes are joined that differ by what a single driver moves; or "".

    Without singular pose there is one branch over the values that it takes, on which it comes back
    as it went: only whole turns may lead to another mode.  They do not where circuits of a linkage
    have branches of up to a turn only, which have one position at each value of the input.
    """
    if len(drivers) > 1 or len(found) < 2:
        return ""
    if not turns(drivers[0]):
        return f"{drivers[0].name} alone comes back on the branch on which it went"
    name = drivers[0].name
    try:
        whole = linkage(given)
        circuits = whole.circuits(name, cancel=watch.over)
        watch.check()
    except (NoLinkage, Overdriven, SlotOutOfReach, BadValue):
        return ""
    frames = np.array([[m.poses[p].frame for p in whole.view.parts] for m in found])
    differ = np.abs(frames - frames[0]).max(axis=(0, 2)) > given.tolerance
    longest = max((b.high - b.low for c in circuits for b in c.branches), default=0.0)
    once = longest <= 360.0 + AGREEMENT and bool((whole.view.link[differ] > 0).all())
    if not (circuits.complete and once):
        return ""
    return f"each branch of its circuits passes {name} {drivers[0].value:g} deg once"
