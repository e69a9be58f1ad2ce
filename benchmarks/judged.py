"""Random cases of which none may be answered wrongly, as figures: how many are, and which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .adversary import FAMILIES
from .adversary.verdict import allowed_unclear, judged
from .contradictions import further_case, run_case, tangled_case
from .figures import Figure, count
from .held import wrong as wrong_loop

CASES = {"adversary": 1000, "held": 300, "conflicts": 324, "others": 100}
"""Cases of each family; the commands of the parts run any number."""

QUICK = 10


def adversary_figures(quick: bool = False) -> Iterator[Figure]:
    """Of each family: what is said and not so; solvable cases refused, not solved; unclear ones."""
    cases = QUICK if quick else CASES["adversary"]
    for name, family in FAMILIES.items():
        told: dict[str, dict[int, str]] = {"wrong": {}, "called contradictory": {}, "unsolved": {}}
        unclear = 0
        for seed in range(cases):
            verdict = judged(family, seed)
            unclear += verdict.unclear
            if verdict.wrong:
                told["wrong"][seed] = f"({verdict.kind}) {verdict.wrong[0]}"
            for words, true in (
                ("called contradictory", verdict.contradicted),
                ("unsolved", verdict.unsolved),
            ):
                if true:
                    told[words][seed] = verdict.kind
        for words, found in told.items():
            yield count("adversary", name, words, found, cases)
        most = f"<= {allowed_unclear(cases):g}"
        yield Figure("adversary", name, "unclear", unclear, "cases", most)


def held_figures(quick: bool = False) -> Iterator[Figure]:
    """Loops with one crank driven: what is said to be held, by rule and by `hold="any"`."""
    cases = QUICK if quick else CASES["held"]
    for name, how in (("one crank", {}), ("one crank, any", {"hold": "any"})):
        wrong = {
            seed: ", ".join(told) for seed in range(cases) if (told := wrong_loop(seed, **how))
        }
        yield count("held", name, "wrong", wrong, cases)


def contradiction_figures(quick: bool = False) -> Iterator[Figure]:
    """Contradictions of which a claim is not so; solvable ones that are called contradictory."""
    kinds: dict[str, Callable[[int], tuple[Any, ...]]] = {
        "conflicts": lambda seed: run_case(seed, True),
        "further": further_case,
        "solvable": lambda seed: run_case(seed, False),
        "tangles": tangled_case,
        "tangles, senses open": lambda seed: tangled_case(seed, True),
    }
    for name, case in kinds.items():
        cases = QUICK if quick else CASES.get(name, CASES["others"])
        found = {seed: case(seed)[3] for seed in range(cases)}
        wrong = {seed: ", ".join(told) for seed, told in found.items() if told}
        yield count("contradictions", name, "wrong", wrong, cases)
