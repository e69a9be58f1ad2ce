"""Which loops have the same number of closures whatever their dimensions: their structure.

Links and joints are the vertices and edges of a graph; what counts are the links with three joints
or more and the chains of joints between them.  Which link is fixed does not matter.
"""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import NamedTuple

from .loop_paths import PLANE, SPACE, SPHERE, Loops

KINDS = {"space": SPACE, "plane": PLANE, "sphere": SPHERE}
"""The groups of motions in which loops close."""

MOST_BRANCHES = 6
"""Links with three joints or more up to which structures are compared: those of four loops."""

Chain = tuple[int, int, int]
"""A chain of joints: the links at its ends, which have three joints or more, and its length."""

Structure = tuple[Chain, ...]
"""The chains of a graph in an order that depends on the graph alone; one ring is (0, 0, length)."""


class Order(NamedTuple):
    """Joints in the order of their structure: the number of each, and whether it is passed from
    the second of its links to the first."""

    structure: Structure
    joints: list[tuple[int, bool]]


def ordered(joints: list[tuple[int, int]]) -> Order | None:
    """Joints between links, as pairs of links, ordered; None of those with too many branches."""
    at: dict[int, list[int]] = {}
    for n, ends in enumerate(joints):
        for link in ends:
            at.setdefault(link, []).append(n)
    branches = [link for link, own in at.items() if len(own) > 2]
    if len(branches) > MOST_BRANCHES or any(len(own) < 2 for own in at.values()):
        return None
    chains = _chains(joints, at, branches or [joints[0][0]])
    best: tuple[Structure, list[tuple[Chain, list[tuple[int, bool]]]]] | None = None
    for names in permutations(range(max(1, len(branches)))):
        name = dict(zip(branches or [joints[0][0]], names, strict=True))
        named = sorted((_named(c, name) for c in chains), key=lambda c: c[0])
        structure = tuple(chain for chain, _ in named)
        if best is None or structure < best[0]:
            best = structure, named
    assert best is not None
    return Order(best[0], [j for _, own in best[1] for j in own])


def _chains(
    joints: list[tuple[int, int]], at: dict[int, list[int]], branches: list[int]
) -> list[tuple[int, int, list[tuple[int, bool]]]]:
    """From which branch to which, and the joints passed."""
    out, passed = [], set[int]()
    for begin in branches:
        for first in at[begin]:
            if first in passed:
                continue
            link, joint, own = begin, first, list[tuple[int, bool]]()
            while True:
                backwards = joints[joint][0] != link
                own.append((joint, backwards))
                passed.add(joint)
                link = joints[joint][0 if backwards else 1]
                if link in branches:
                    break
                joint = next(n for n in at[link] if n != joint)
            out.append((begin, link, own))
    return out


def _named(
    chain: tuple[int, int, list[tuple[int, bool]]], name: dict[int, int]
) -> tuple[Chain, list[tuple[int, bool]]]:
    """A chain with other names of its ends, from the lower one."""
    begin, end, own = name[chain[0]], name[chain[1]], chain[2]
    if begin > end:
        begin, end, own = end, begin, [(n, not backwards) for n, backwards in reversed(own)]
    return (begin, end, len(own)), own


def links_of(structure: Structure) -> list[tuple[int, int]]:
    """The two links of each joint of a structure: its branches come first, then the others."""
    out, last = list[tuple[int, int]](), max(max(a, b) for a, b, _ in structure)
    for a, b, length in structure:
        inner = range(last + 1, last + length)
        out += pairwise([a, *inner, b])
        last += len(inner)
    return out


def loops_of(kind: str, structure: Structure) -> Loops:
    """The loops of a structure: each chain that closes one, and the tree of the others."""
    words, first = [], 1
    for _, _, length in structure:
        words.append(list(range(first, first + length)))
        first += length
    way: dict[int, list[int]] = {0: []}
    closing = list(range(len(structure)))
    for _ in structure:
        for n in closing:
            a, b, _ = structure[n]
            if (a in way) != (b in way):
                way[b if a in way else a] = (
                    way[a] + words[n] if a in way else way[b] + _back(words[n])
                )
                closing.remove(n)
                break
    passed: list[list[int]] = []
    for n in closing:
        there, back = way[structure[n][0]], way[structure[n][1]]
        while there and back and there[0] == back[0]:
            there, back = there[1:], back[1:]
        passed.append(there + words[n] + _back(back))
    return Loops.of(first - 1, KINDS[kind], passed)


def _back(word: list[int]) -> list[int]:
    return [-n for n in reversed(word)]
