"""Which loops have the same number of closures whatever their dimensions: their structure.

Links and joints are the vertices and edges of a graph; what counts are the links with three joints
or more and the chains of joints between them.  Which link is fixed does not matter.
"""

from __future__ import annotations

from itertools import islice, pairwise, permutations
from typing import NamedTuple

from .loop_factors import PLANE, SPACE, SPHERE, Loops

KINDS = {"space": SPACE, "plane": PLANE, "sphere": SPHERE}
"""The groups of motions in which loops close."""

TURN, BAR = "R", "D"
"""Letters of a hinge or a slide, and of a distance of two points."""

FACTORS = {TURN: "R", "U": "Xx", "C": "Xc", "S": "S", "E": "E", BAR: ""}
"""The factors of each joint: a cross, a cylinder, a ball, a plate on a plane are the others."""

MOST_BRANCHES = 6
"""Links with three joints or more up to which all orders are compared: those of four loops."""

Chain = tuple[int, int, int]
"""A chain of joints: the links at its ends, which have three joints or more, and its length."""

Structure = tuple[Chain, ...]
"""The chains of a graph in an order that depends on the graph alone; one ring is (0, 0, length)."""


class Order(NamedTuple):
    """Joints in the order of their structure: the letter of each, its number, and whether it is
    passed from the second of its links to the first."""

    structure: Structure
    kinds: str
    joints: list[tuple[int, bool]]


def ordered(joints: list[tuple[int, int]], kinds: str = "") -> Order | None:
    """Joints between links, as pairs of links, ordered; None where a link has one joint only.

    The order depends on the graph alone up to so many branches; of more, those stay as they come.

    Args:
        kinds: a letter of each joint; all are the same if there is none.
    """
    at: dict[int, list[int]] = {}
    for n, ends in enumerate(joints):
        for link in ends:
            at.setdefault(link, []).append(n)
    branches = [link for link, own in at.items() if len(own) > 2]
    if any(len(own) < 2 for own in at.values()):
        return None
    kinds, first = kinds or TURN * len(joints), branches or [joints[0][0]]
    chains, best = _chains(joints, at, first), None
    orders = permutations(range(len(first)))
    for names in orders if len(first) <= MOST_BRANCHES else islice(orders, 1):
        name = dict(zip(first, names, strict=True))
        named = sorted((_named(c, name, kinds) for c in chains), key=lambda c: c[:2])
        key = tuple(chain for chain, _, _ in named), "".join(own for _, own, _ in named)
        if best is None or key < best[:2]:
            best = Order(*key, [j for _, _, own in named for j in own])
    return best


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
    chain: tuple[int, int, list[tuple[int, bool]]], name: dict[int, int], kinds: str
) -> tuple[Chain, str, list[tuple[int, bool]]]:
    """A chain with other names of its ends, from the lower one, and the letters of its joints."""
    begin, end, own = name[chain[0]], name[chain[1]], chain[2]
    letters = "".join(kinds[n] for n, _ in own)
    if (begin, letters) > (end, letters[::-1]):
        begin, end, own = end, begin, [(n, not backwards) for n, backwards in reversed(own)]
        letters = letters[::-1]
    return (begin, end, len(own)), letters, own


def links_of(structure: Structure) -> list[tuple[int, int]]:
    """The two links of each joint of a structure: its branches come first, then the others."""
    out, last = list[tuple[int, int]](), max(max(a, b) for a, b, _ in structure)
    for a, b, length in structure:
        inner = range(last + 1, last + length)
        out += pairwise([a, *inner, b])
        last += len(inner)
    return out


def factors_of(structure: Structure, kinds: str = "") -> list[str]:
    """The factors of each joint, by the letter of each; all are turns if there is none.

    A distance has none where it closes a loop; where nothing else holds a link, those of a cross
    and a ball.
    """
    ends = links_of(structure)
    kinds = kinds or TURN * len(ends)
    tree = _tree(ends, kinds)
    return ["XxS" if n in tree and k == BAR else FACTORS[k] for n, k in enumerate(kinds)]


def loops_of(kind: str, structure: Structure, kinds: str = "") -> Loops:
    """The loops of a structure: a tree of its links, and the way round by each joint that is left.

    Args:
        kinds: the letter of each joint; all are turns if there is none.
    """
    ends, letters, words = links_of(structure), factors_of(structure, kinds), list[list[int]]()
    last = 0
    for own in letters:
        words.append([*range(last + 1, last + 1 + len(own))])
        last += len(own)
    way: dict[int, list[int]] = {0: []}
    tree = _tree(ends, kinds or TURN * len(ends))
    for n in tree:
        a, b = ends[n]
        if a in way:
            way[b] = way[a] + words[n]
        else:
            way[a] = way[b] + _back(words[n])
    passed: dict[bool, list[list[int]]] = {False: [], True: []}
    for n in (n for n in range(len(ends)) if n not in tree):
        there, back = (way[link] for link in ends[n])
        while there and back and there[0] == back[0]:
            there, back = there[1:], back[1:]
        bar = not words[n]
        passed[bar].append(_back(there) + back if bar else there + words[n] + _back(back))
    return Loops.of("".join(letters), KINDS[kind], passed[False], passed[True])


def _tree(ends: list[tuple[int, int]], kinds: str) -> list[int]:
    """Joints by which each link is reached from the first one, distances only where needed."""
    reached, tree, links = [0], list[int](), 1 + max(max(pair) for pair in ends)
    by_bar = False
    while len(reached) < links:
        found = next(
            (
                (n, a if b == link else b)
                for link in reached
                for n, (a, b) in enumerate(ends)
                if link in (a, b)
                and (a if b == link else b) not in reached
                and (by_bar or kinds[n] != BAR)
            ),
            None,
        )
        by_bar = found is None
        if found is not None:
            tree.append(found[0])
            reached.append(found[1])
    return tree


def _back(word: list[int]) -> list[int]:
    return [-n for n in reversed(word)]
