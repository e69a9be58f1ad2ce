"""Poses and motions shown by a CadQuery assembly: moved in place, or as frames of an animation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import cadquery as cq

import assembly_solver as asm

from .places import copied, parts_of, set_poses, unknown


@asm.refusing_others
def move(
    assy: cq.Assembly, to: Mapping[str, asm.Pose] | asm.Motion, state: int | None = None
) -> None:
    """Move the parts to poses by name, or to a state of a motion: counted from 0, or back from -1.

    Raises:
        AssemblySolverError: no such part or state, or an invalid one; nothing has moved.
    """
    if isinstance(to, asm.Motion):
        to = _poses(assy, to, state)
    stood = {part.name: part.pose for part in parts_of(assy)}
    for name in to:
        if name not in stood:
            raise unknown("part to move", name, list(stood))
    set_poses(assy, {name: pose for name, pose in to.items() if pose != stood[name]})


@asm.refusing_others
def animate(
    assy: cq.Assembly, motion: asm.Motion, states: Sequence[int] | None = None
) -> Iterator[cq.Assembly]:
    """Frames of a motion: for each state a copy of the assembly with its parts where they are then.

    Nothing is solved, and the assembly does not move.  Frames share its shapes: each takes
    milliseconds, and is to be shown, exported or measured as any assembly.

    Args:
        motion: of `sweep`; states: their numbers, by default of all that are valid.

    Raises:
        AssemblySolverError: no such state, or an invalid one.
    """
    if states is None:
        states = [k for k, valid in enumerate(motion.valid.tolist()) if valid]
    poses = [_poses(assy, motion, state, "animate") for state in states]
    return (_frame(assy, each) for each in poses)


def _frame(assy: cq.Assembly, poses: dict[str, asm.Pose]) -> cq.Assembly:
    frame = copied(assy)
    set_poses(frame, poses)
    return frame


def _poses(
    assy: cq.Assembly, motion: asm.Motion, state: int | None, call: str = "move"
) -> dict[str, asm.Pose]:
    """The poses of the parts but the root in a state of a motion."""
    count = len(motion.valid)
    if state is None:
        told = "a motion has many poses; give the number of one"
        raise asm.AssemblySolverError(f"{call}: {told}, 0 to {count - 1}")
    if not -count <= state < count:
        raise asm.AssemblySolverError(f"{call}: no state {state}; there are 0 to {count - 1}")
    if not motion.valid[state]:
        told = f"state {state} does not hold: {motion.reasons[state]}"
        raise asm.AssemblySolverError(f"{call}: {told}")
    names = [p.name for p in parts_of(assy) if not p.root and p.name in motion.parts]
    tracks = {name: motion.part(name) for name in names}
    return {
        name: asm.Pose(tuple(t.position[state]), tuple(t.quaternion_wxyz[state]))
        for name, t in tracks.items()
    }
