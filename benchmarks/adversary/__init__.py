"""An adversary of the engine: random cases by family, each judged by plain geometry of its own."""

from collections.abc import Callable

from .generators import contradictions, edits, loops, metamorphic, sweeps, trees
from .verdict import Verdict

FAMILIES: dict[str, Callable[[int], Verdict]] = {
    "trees": trees.case,
    "loops": loops.case,
    "contradictions": contradictions.case,
    "sweeps": sweeps.case,
    "metamorphic": metamorphic.case,
    "edits": edits.case,
}
"""Each family by name: the verdict of the case of a number."""
