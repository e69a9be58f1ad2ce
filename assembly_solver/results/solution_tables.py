"""A solution as a notebook shows it: the sentence, and tables of mates, reasons and poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import kind_words
from ..foundations.geometry.pose import Pose
from ..foundations.markup.snippet import rows_table, snippet
from ..solver.outcome import MateResult
from .wording.phrases import fixed, short, turn

HOLDS = ("NO", "yes")
MATES = ("name", "kind", "holds", ">off by mm", ">deg", "sense")


def solution_html(
    sentence: str,
    solved: bool,
    mates: Sequence[MateResult],
    reasons: Mapping[str, Sequence[Mapping[str, Any]]],
    poses: Mapping[str, Pose],
) -> str:
    """The HTML; mates that are off stand first.

    Args:
        reasons: by what they are, entries with `words`; poses: of the parts, by name.
    """
    held = [
        (
            m.name,
            kind_words(m.kind),
            HOLDS[m.holds],
            short(m.residual_mm),
            short(m.residual_deg),
            m.sense or "",
        )
        for m in sorted(mates, key=lambda m: m.holds)
    ]
    told = [(what, entry["words"]) for what, found in reasons.items() for entry in found]
    placed = [
        (name, *(fixed(x, 3) for x in pose.position), *turn(pose.quaternion_wxyz))
        for name, pose in poses.items()
    ]
    tables = [
        rows_table("Mates and drivers", MATES, held),
        rows_table("Why", ("what", ""), told),
        rows_table("Poses", ("part", ">x mm", ">y mm", ">z mm", ">turned deg", ">about"), placed),
    ]
    return snippet(sentence, solved, tables)
