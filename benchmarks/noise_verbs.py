"""What the verbs say of an assembly, without its numbers: this must not depend on noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import assembly_solver as asm

Verdict = tuple[Any, ...]
"""Names, counts and kinds that a verb tells."""


def sweep_verdict(model: asm.Assembly) -> Verdict:
    """Whether each driver with a range goes through it, and the events on the way."""
    out: list[Any] = []
    for name, driver in model.drivers.items():
        if driver.range is not None:
            motion = asm.sweep(model, name, steps=40)
            events = tuple((e.kind, e.driver, e.joint, e.stops) for e in motion.events)
            out.append((name, bool(motion), int(motion.valid.sum()), events, motion.held))
    return tuple(out)


def forces_verdict(model: asm.Assembly) -> Verdict:
    """Whether there is equilibrium, what moves, what is statically indeterminate."""
    found = asm.forces(model)
    shared = tuple(sorted(set(s.names) for s in found.shared))
    loose = tuple(u.parts for u in found.loose)
    open_ones = Counter(r.name for r in found.reactions.values() if not r.determined.all())
    return bool(found), loose, shared, tuple(sorted(open_ones))


def check_verdict(model: asm.Assembly) -> Verdict:
    """What passes; residuals by the tolerance, as a file may ask for less than its noise."""
    found = asm.check(model)
    return tuple(
        (
            f.name,
            f.subject,
            f.driver,
            f.passes or (f.kind == "residual" and f.found <= model.tolerance),
        )
        for f in found.findings
    )


def linkage_verdict(model: asm.Assembly) -> Verdict:
    """The steps, with their links, joints and sides; the reason where there is no linkage."""
    try:
        found = asm.linkage(model)
    except asm.AssemblySolverError as error:
        return (type(error).__name__,)
    return tuple(tuple(sorted(row.items())) for row in found.to_dict()["steps"])


def mobility_verdict(model: asm.Assembly) -> Verdict:
    """All counts, the causes, the redundant mates and the order of the groups."""
    m = asm.mobility(model)
    counts = (m.kutzbach, m.generic, m.here, m.finite, m.idle, m.certified)
    redundant = tuple(tuple(sorted(entry["mates"])) for entry in m.redundant)
    return (m.sentence, *counts, redundant, m.groups, m.notes)


VERBS: dict[str, Callable[[asm.Assembly], Verdict]] = {
    "sweep": sweep_verdict,
    "forces": forces_verdict,
    "check": check_verdict,
    "linkage": linkage_verdict,
    "mobility": mobility_verdict,
}
"""The verdict of each verb."""


def other_verdicts(model: asm.Assembly, wanted: dict[str, Verdict]) -> list[str]:
    """The verbs that say something else of a model."""
    return [verb for verb, verdict in wanted.items() if VERBS[verb](model) != verdict]
