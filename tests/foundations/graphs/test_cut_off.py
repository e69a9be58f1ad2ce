"""What links alone connect to the ground: as counted on the whole graph, and looked for nearby."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.foundations.graphs.connected import connected
from assembly_solver.foundations.graphs.cut_off import GROUND, cut_off

pytestmark = pytest.mark.quick

Links = list[list[tuple[int, int]]]


def links_of(count: int, pairs: list[tuple[int, int]]) -> Links:
    """The links of nodes, numbered as the pairs; a pair with `GROUND` as its second is held."""
    out: Links = [[] for _ in range(count)]
    for k, (a, b) in enumerate(pairs):
        out[a].append((k, b))
        if b != GROUND:
            out[b].append((k, a))
    return out


def by_components(count: int, pairs: list[tuple[int, int]], cut: set[int]) -> list[int]:
    """All nodes at the ends of cut links, and what is with them, that do not reach the ground."""
    kept = np.array([(a, b % (count + 1)) for k, (a, b) in enumerate(pairs) if k not in cut])
    _, label = connected(count + 1, *kept.reshape(-1, 2).astype(np.int64).T)
    at = {int(label[n]) for k in cut for n in pairs[k] if n != GROUND}
    return [n for n in range(count) if label[n] in at and label[n] != label[count]]


def test_of_random_graphs_it_is_what_components_tell() -> None:
    rng, loose = np.random.default_rng(3), 0
    for _ in range(400):
        count = int(rng.integers(2, 12))
        pairs = [tuple(rng.choice(count, 2, replace=False).tolist()) for _ in range(count + 2)]
        pairs += [(int(rng.integers(count)), GROUND)]
        whole = connected(count + 1, *np.array(pairs, np.int64).T % (count + 1))[0]
        cut = set(rng.choice(len(pairs), 2, replace=False).tolist())
        begin = {n for k in cut for n in pairs[k] if n != GROUND}
        found = cut_off(links_of(count, pairs), cut, sorted(begin), whole == 1)
        expected = by_components(count, pairs, cut)
        assert sorted(found) == expected
        loose += len(expected)
    assert loose == 892


def test_a_long_chain_is_not_walked_to_its_start() -> None:
    """It is cut near its end: the links of most of its nodes cannot be asked for."""
    chain = links_of(1000, [(0, GROUND), *((k, k + 1) for k in range(999))])
    near = [own if k >= 990 else None for k, own in enumerate(chain)]
    assert cut_off(near, {998}, [997, 998], grounded=True) == [998, 999]  # type: ignore[arg-type]
