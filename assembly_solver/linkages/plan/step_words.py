"""Steps of a linkage in sentences: why one cannot be built, and where its links are collinear."""

from __future__ import annotations

from .planning import GROUP, SLOT_WITH_ENDS, PlacementStep


def failure(step: PlacementStep) -> str:
    """Why a step cannot be built in a state."""
    if step.kind == SLOT_WITH_ENDS:
        return f"{step.joint}: beyond an end of the slot"
    links = listed(step.links)
    if step.kind == GROUP:
        return f"{links} cannot be placed{' together' if len(step.links) > 1 else ''}"
    verb = "do not meet at" if len(step.links) > 1 else "does not reach"
    return f"{links} {verb} {step.joint} ({step.kind})"


def change(step: PlacementStep) -> str:
    """What happens where both solutions of a step coincide and the motion continues."""
    links = listed(step.links[:2])
    return f"change point of {links} at {step.joint}, passed on the smooth branch"


def listed(names: tuple[str, ...], most: int = 6) -> str:
    """Names in a sentence."""
    if len(names) < 2:
        return "".join(names)
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"
