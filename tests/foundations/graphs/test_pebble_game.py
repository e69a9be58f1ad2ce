"""The pebble game against linkages of known mobility and against ranks at random coordinates."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from assembly_solver.foundations.graphs.pebble_game import play

BODY, POINT = 3, 2


def graph(words, points=""):
    """Freedoms, edges and places of names: "a-b" one edge, "a=b" two; points by their names."""
    edges = []
    for word in words.split():
        sign = "=" if "=" in word else "-"
        edges += [tuple(word.split(sign))] * (2 if sign == "=" else 1)
    names = list(dict.fromkeys(n for e in edges for n in e))
    place = {n: v for v, n in enumerate(names)}
    freedoms = [POINT if n in points.split() else BODY for n in names]
    return freedoms, [(place[a], place[b]) for a, b in edges], place


FIGURE_1 = "B1=J1 B2=J1 B3=J1 B1-B2 B1-B3 B2-B3 J2-B1 J3-B2 J2-J3"  # every body in higher pairs
FIGURE_1_BARS = "B1=B2 B2=B3 B1=B3 B1-J1 B2-J1 B3-J1 J2-B1 J3-B2 J2-J3"  # a triangle and three bars
WATT = "G=T G=c c=d d=T G=e e=f f=T"
STEPHENSON = "G=c c=T G=d d=T G=e e=f f=T"
BUTTERFLY = "G=1 G=4 G=5 1=6 1=7 2=3 2=4 2=6 3=5 3=7"
PEAUCELLIER = "G-P G-A G-B P-A P-B X-A X-B"
KNEES = [f"k{i}" for i in range(12)]
MILLIPEDE = "G-m m-k5 " + " ".join(
    [f"G-{k}" for k in KNEES if k != "k5"]
    + [f"{a}-{b}" for a, b in zip(KNEES, KNEES[1:] + KNEES[:1], strict=True)]
)
EXAMPLE_1 = "G=A G=C G=B A=S S=B C-S"

PLANAR = {
    "four-bar": ("G=1 1=2 2=3 3=G", "", 8, 1, 1, []),
    "five-bar": ("G=1 1=2 2=3 3=4 4=G", "", 10, 2, 2, []),
    "Watt": (WATT, "", 14, 1, 1, []),
    "Stephenson III": (STEPHENSON, "", 14, 1, 1, []),
    "double butterfly": (BUTTERFLY, "", 20, 1, 1, []),
    "triad of bars": ("G-P G-P G-P", "", 3, 0, 0, []),
    "triad of legs": ("G=a a=P G=b b=P G=c c=P", "", 12, 0, 0, []),
    "Peaucellier": (PEAUCELLIER, "P A B X", 7, 1, 1, []),
    "over-braced four-bar": ("G=1 1=2 2=3 3=G G-2", "", 9, 0, 0, []),
    "four-bar and two bars": ("G=1 1=2 2=3 3=G G-2 1-3", "", 10, -1, 0, ["G 1 2 3"]),
    "over-braced triangle": (
        "G=1 1=2 2=a 2=b 2=c a-b b-c c-a",
        "a b c",
        13,
        -1,
        2,
        ["2 a b", "2 b c", "2 a c"],
    ),
    "three cranks on one pin": ("G=1 G=2 G=3 J=1 J=2 J=3", "J", 12, -1, 0, ["G 1 2 3 J"]),
    "millipede": (MILLIPEDE, "m " + " ".join(KNEES), 25, 1, 1, []),
    "MotionGen's first example": (EXAMPLE_1, "", 11, 1, 1, []),
}


@pytest.mark.parametrize("name", PLANAR)
def test_linkages_of_known_mobility(name):
    words, points, edges, kutzbach, dof, redundant = PLANAR[name]
    freedoms, pairs, place = graph(words, points)
    game = play(freedoms, pairs)
    names = list(place)
    assert len(pairs) == edges
    assert sum(freedoms) - 3 - edges == kutzbach
    assert game.ground(place["G"]).dof == game.dof - 3 == dof
    circuits = [{names[v] for v in c.vertices} for c in game.circuits.values()]
    assert circuits == [set(words.split()) for words in redundant]


@pytest.mark.parametrize("reading", [FIGURE_1, FIGURE_1_BARS])
def test_figure_1_of_shai_and_mueller(reading):
    freedoms, pairs, place = graph(reading, "J1 J2 J3")
    game = play(freedoms, pairs)
    (circuit,) = game.circuits.values()
    assert (len(pairs), game.rank, game.dof) == (12, 11, 4)
    assert set(circuit.vertices) == {place[n] for n in ("B1", "B2", "B3", "J1")}


FLOATING = {
    "K3,3": ("a-x a-y a-z b-x b-y b-z c-x c-y c-z", 3, 0),
    "Desargues prism": ("a-b b-c c-a x-y y-z z-x a-x b-y c-z", 3, 0),
    "K4": ("a-b a-c a-d b-c b-d c-d", 3, 1),
}


@pytest.mark.parametrize("name", FLOATING)
def test_floating_frames_of_bars(name):
    words, dof, redundant = FLOATING[name]
    freedoms, pairs, _ = graph(words, "a b c d x y z")
    game = play(freedoms, pairs)
    assert (game.dof, len(game.circuits)) == (dof, redundant)


def test_the_pinned_count_alone_would_call_a_tied_k4_rigid():
    freedoms, pairs, place = graph(FLOATING["K4"][0] + " G-a G-b", "a b c d")
    game = play(freedoms, pairs).ground(place["G"])
    assert sum(freedoms) - 3 - len(pairs) == 0
    assert (game.dof, len(game.circuits)) == (1, 1)


GROUPS = {
    "crank driven": ("G=1 1=2 2=3 3=G", "G-1", "", ["1", "2 3"]),
    "coupler driven": ("G=1 1=2 2=3 3=G", "G-2", "", ["1 2 3"]),
    "Watt": (WATT, "G-c", "", ["c", "T d", "e f"]),
    "Stephenson by its crank": (STEPHENSON, "G-c", "", ["c", "T d", "e f"]),
    "Stephenson by its dyad": (STEPHENSON, "G-e", "", ["e", "T c d f"]),
    "double butterfly": (BUTTERFLY, "G-1", "", ["1", "2 3 4 5 6 7"]),
    "Peaucellier": (PEAUCELLIER, "G-P", "P A B X", ["P", "A", "B", "X"]),
    "millipede": (MILLIPEDE, "G-m", "m " + " ".join(KNEES), ["m", " ".join(KNEES)]),
    "MotionGen's first example": (EXAMPLE_1, "G-C", "", ["C", "A B S"]),
}


@pytest.mark.parametrize("name", GROUPS)
def test_assur_groups_in_order_whatever_the_order_of_the_edges(name):
    words, driver, points, expected = GROUPS[name]
    freedoms, pairs, place = graph(f"{words} {driver}", points)
    names, random = list(place), np.random.default_rng(1)
    for _ in range(20):
        mixed = [pairs[e][:: random.choice([1, -1])] for e in random.permutation(len(pairs))]
        game = play(freedoms, mixed).ground(place["G"])
        assert (game.dof, game.loose()) == (0, ())
        found = [{names[v] for v in group} for group in game.groups()]
        assert found == [set(group.split()) for group in expected]


def test_what_no_driver_moves_is_loose_and_what_the_driven_crank_carries_is_not():
    freedoms, pairs, place = graph(WATT)  # G-T-c-d close a four-bar, e and f are free with it
    game = play(freedoms, pairs).ground(place["G"])
    assert (game.dof, game.loose()) == (1, tuple(range(1, 6))) and game.groups() == ()
    freedoms, pairs, place = graph("G=1 1=2 G-1")
    game = play(freedoms, pairs).ground(place["G"])
    assert (game.dof, game.loose(), game.groups()) == (1, (place["2"],), ((place["1"],),))


def space(*joints):
    """A game in space of joints (body, body, equations)."""
    names = list(dict.fromkeys(n for a, b, _ in joints for n in (a, b)))
    place = {n: v for v, n in enumerate(names)}
    edges = [(place[a], place[b]) for a, b, equations in joints for _ in range(equations)]
    return play([6] * len(names), edges, 6)


def loop(*equations):
    """A closed loop of joints."""
    n = len(equations)
    return space(*((k, (k + 1) % n, e) for k, e in enumerate(equations)))


R, C, U, S, BAR = 5, 4, 4, 3, 1
LEGS = [j for k in range(6) for j in (("G", f"l{k}", U), (f"l{k}", f"u{k}", R), (f"u{k}", "P", S))]

SPATIAL = {
    "4R": (loop(R, R, R, R), 0, 2),
    "5R": (loop(R, R, R, R, R), 0, 1),
    "6R": (loop(*[R] * 6), 0, 0),
    "7R": (loop(*[R] * 7), 1, 0),
    "RSSR": (loop(R, S, S, R), 2, 0),
    "RCCC": (loop(R, C, C, C), 1, 0),
    "RSUR": (loop(R, S, U, R), 1, 0),
    "Stewart platform, legs locked": (space(*[("G", "P", BAR)] * 6), 0, 0),
    "6-UPS": (space(*LEGS), 6, 0),
    "three direction-only mates": (space(("G", "P", 6)), 0, 0),
}


@pytest.mark.parametrize("name", SPATIAL)
def test_linkages_in_space(name):
    game, dof, redundant = SPATIAL[name]
    assert (game.dof - 6, len(game.circuits)) == (dof, redundant)


# ------------------------------------------------------------------ random graphs
VERTICES, EDGES = 8, 22


def random_graph(random):
    """A connected or broken mixed multigraph of up to 8 vertices and 22 edges."""
    n = int(random.integers(2, VERTICES + 1))
    freedoms = random.choice([BODY, POINT], n, p=[0.6, 0.4]).tolist()
    count = int(random.integers(1, min(EDGES, 3 * n) + 1))
    ends = random.integers(0, n, (count, 2))
    ends[:, 1] = np.where(ends[:, 0] == ends[:, 1], (ends[:, 1] + 1) % n, ends[:, 1])
    return freedoms, [tuple(e) for e in ends.tolist()]


def planar_matrix(freedoms, edges, random):
    """Velocities along the edges, all bars: three columns a vertex, the third of a point empty."""
    at = random.uniform(-1, 1, (VERTICES, 2))
    out = np.zeros((EDGES, 3 * VERTICES))
    for row, (a, b) in zip(out, edges, strict=False):
        pinned = [v for v in (a, b) if freedoms[v] == POINT]
        through = at[pinned[0]] if pinned else random.uniform(-1, 1, 2)
        along = at[a] - at[b] if len(pinned) == 2 else random.uniform(-1, 1, 2)
        for v, sign in ((a, 1), (b, -1)):
            moment = through[0] * along[1] - through[1] * along[0]
            row[3 * v : 3 * v + 3] = sign * np.r_[along, moment * (freedoms[v] == BODY)]
    return out


def spherical_matrix(freedoms, edges, random):
    """The same for arcs of great circles; two columns for the tangents of a point."""
    at = random.normal(size=(VERTICES, 3))
    at /= np.linalg.norm(at, axis=1, keepdims=True)
    out = np.zeros((EDGES, 3 * VERTICES))
    for row, (a, b) in zip(out, edges, strict=False):
        p, q = (at[v] if freedoms[v] == POINT else random.normal(size=3) for v in (a, b))
        for v, own, other in ((a, p, q), (b, q, p)):
            if freedoms[v] == BODY:
                row[3 * v : 3 * v + 3] = np.cross(own, other)
            else:
                tangents = np.linalg.svd(own[None])[2][1:]
                row[3 * v : 3 * v + 2] = tangents @ other
    return out


@pytest.mark.parametrize(("matrix", "graphs"), [(planar_matrix, 3000), (spherical_matrix, 1000)])
def test_the_rank_of_random_graphs_is_that_at_random_coordinates(matrix, graphs):
    random = np.random.default_rng(5)
    cases = [random_graph(random) for _ in range(graphs)]
    sizes = np.linalg.svd(np.stack([matrix(*c, random) for c in cases]), compute_uv=False)
    shares = sizes / sizes[:, :1]
    assert not ((shares > 1e-13) & (shares < 1e-9)).any()  # each is round-off, or well above it
    ranks = (shares > 1e-11).sum(axis=1)
    assert [play(*c).rank for c in cases] == ranks.tolist()
    redundant = [len(c[1]) - r for c, r in zip(cases, ranks.tolist(), strict=True)]
    assert min(sum(r > 0 for r in redundant), sum(r == 0 for r in redundant)) > graphs / 5


@pytest.mark.parametrize("seed", range(40))
def test_rank_freedoms_and_rigid_sets_do_not_depend_on_the_order_of_the_edges(seed):
    random = np.random.default_rng(seed)
    freedoms, edges = random_graph(random)
    game = play(freedoms, edges)
    for _ in range(5):
        mixed = play(freedoms, [edges[e] for e in random.permutation(len(edges))])
        assert (mixed.rank, mixed.dof) == (game.rank, sum(freedoms) - game.rank)
        assert mixed.rigid_components() == game.rigid_components()
        held = [v for v, f in enumerate(freedoms) if f == BODY][:1]
        assert [mixed.ground(v).loose() for v in held] == [game.ground(v).loose() for v in held]


@pytest.mark.parametrize("seed", range(40))
def test_without_any_one_edge_of_its_circuit_a_rejected_edge_counts(seed):
    freedoms, edges = random_graph(np.random.default_rng(seed))
    game = play(freedoms, edges)
    kept = np.flatnonzero(game.accepted).tolist()
    for e, circuit in game.circuits.items():
        without = {f: play(freedoms, [edges[k] for k in (*kept, e) if k != f]) for f in kept}
        assert {f for f, other in without.items() if not other.circuits} == set(circuit.edges)
        assert set(circuit.vertices) == {v for f in circuit.edges for v in edges[f]}


@pytest.mark.parametrize("seed", range(40))
def test_rigid_sets_are_those_that_one_more_edge_cannot_stiffen(seed):
    freedoms, edges = random_graph(np.random.default_rng(seed))
    game = play(freedoms, edges)
    n = len(freedoms)
    stiff = nx.Graph()
    stiff.add_nodes_from(range(n))
    for u in range(n):
        for v in range(u):
            if play(freedoms, [*edges, (u, v)]).rank == game.rank:
                stiff.add_edge(u, v)
    expected = set()
    for clique in nx.find_cliques(stiff):  # stiff in pairs: one set, as far as edges reach
        if len(clique) > 1:
            expected.add(tuple(sorted(clique)))
    assert set(game.rigid_components()) == expected


def test_a_point_cannot_be_the_ground_and_an_edge_needs_two_vertices():
    with pytest.raises(ValueError, match="vertex 1 has 2 freedoms, the ground needs 3"):
        play([3, 2], [(0, 1)]).ground(1)
    with pytest.raises(ValueError, match="edge 0 joins vertex 1 to itself"):
        play([3, 3], [(1, 1)])
    with pytest.raises(ValueError, match="vertex 1 has 1 freedoms, not 2 to 3"):
        play([3, 1], [(0, 1)])
    with pytest.raises(ValueError, match="no vertex is held; ground one first"):
        play([3, 3], [(0, 1)]).groups()


@pytest.mark.parametrize("seed", range(40))
def test_groups_of_over_braced_graphs_do_not_depend_on_the_order_of_the_edges(seed):
    """Bodies that stand on each other, and more edges than they need between any of them."""
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 9))
    edges = [(v, int(random.integers(0, v))) for v in range(1, n) for _ in range(3)]
    for _ in range(int(random.integers(1, 4))):
        a, b = random.choice(n, 2, replace=False).tolist()
        edges.append((a, b))
    first = play([3] * n, edges).ground(0)
    assert len(first.circuits) > 0
    groups = {first.groups()}
    for _ in range(10):
        shuffled = [edges[k] for k in random.permutation(len(edges))]
        groups.add(play([3] * n, shuffled).ground(0).groups())
    assert len(groups) == 1


def test_bodies_that_one_edge_too_many_ties_are_one_group_and_what_they_carry_is_another():
    """Two dyads on the ground, tied by an edge too many; a third one stands on the second."""
    dyad = [(0, 1), (0, 1), (1, 2), (1, 2), (2, 0), (2, 0)]
    other = [(0, 3), (0, 3), (3, 4), (3, 4), (4, 0), (4, 0)]
    third = [(3, 5), (3, 5), (5, 6), (5, 6), (6, 0), (6, 0)]
    alone = play([3] * 7, [*dyad, *other, *third]).ground(0)
    assert alone.groups() == ((1, 2), (3, 4), (5, 6))
    braced = play([3] * 7, [(1, 3), *third, *other, *dyad]).ground(0)
    assert braced.groups() == ((1, 2, 3, 4), (5, 6))
