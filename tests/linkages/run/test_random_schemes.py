"""Linkages put together at random from dyads, slides and triads: all their links stay rigid."""

from __future__ import annotations

import numpy as np
import pytest

from assembly_solver.linkages.plan.planning import plan_linkage
from assembly_solver.linkages.run.branches import place_states
from assembly_solver.linkages.scheme.scheme import Actuator, Scheme, SchemeLink, SchemeSlot

LENGTHS = 2e-10
"""What a length of about 1 may be off: a dyad that is almost in line loses half of the digits of
what it stands on, and the next one again."""


class Builder:
    """Adds links at random places; every point is where it is drawn."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.at: list[complex] = [0j, 3 + 0j, 1 + 2j]
        self.links: list[list[int]] = [[0, 1, 2]]
        self.slots: list[SchemeSlot] = []
        crank = self.point()
        self.links.append([0, crank])
        self.actuators = [Actuator("crank", "R", (1, 0, crank))]

    def point(self) -> int:
        x, y = self.draw.uniform(-4, 4, 2)
        self.at.append(complex(x, y))
        return len(self.at) - 1

    def on(self, link: int, *but: int) -> int:
        """A point of a link, there before or new, but none of some."""
        points = self.links[link]
        others = [p for p in points if p not in but]
        if not others or self.draw.random() < 0.4:
            points.append(self.point())
            return points[-1]
        return int(self.draw.choice(others))

    def two(self) -> tuple[int, int]:
        """Two links."""
        a, b = self.draw.choice(len(self.links), 2, replace=False)
        return int(a), int(b)

    def between(self, a: int, b: int) -> int:
        """A new point on the line of two others, or on it made longer."""
        t = self.draw.uniform(-0.5, 1.5)
        self.at.append(self.at[a] + t * (self.at[b] - self.at[a]))
        return len(self.at) - 1

    def rrr(self) -> None:
        a, b = self.two()
        inner = self.point()
        p = self.on(a)
        self.links += [[p, inner], [self.on(b, p), inner]]

    def rrp(self) -> None:
        """A link on a pin, its other end in a slot."""
        a, b = self.two()
        ends = self.ends(b)
        q = self.between(*ends)
        self.links.append([self.on(a), q])
        self.slots.append(SchemeSlot("slot", q, ends, b))

    def slider(self) -> None:
        """A link on a pin, and a slider of two points in a slot of another link."""
        a, b = self.two()
        ends = self.ends(b)
        pin = self.point()
        body = [pin, self.between(*ends), self.between(*ends)]
        self.links += [[self.on(a), pin], body]
        self.slots += [SchemeSlot("slide", q, ends, b) for q in body[1:]]

    def rpr(self) -> None:
        """A slotted link on a pin, and a link on a pin that slides along it."""
        a, b = self.two()
        e, f = self.point(), self.point()
        slotted = [self.on(a), e, f]
        body = [self.on(b, slotted[0]), self.between(e, f), self.between(e, f)]
        self.links += [slotted, body]
        number = len(self.links) - 2
        self.slots += [SchemeSlot("inner slide", q, (e, f), number) for q in body[1:]]

    def swinging(self) -> None:
        """A slotted link on a pin, whose slot passes a pin of another link."""
        a, b = self.two()
        q = self.on(b)
        e = self.point()
        self.at.append(self.at[e] + 2 * (self.at[q] - self.at[e]))
        f = len(self.at) - 1
        self.links.append([self.on(a, q), e, f])
        self.slots.append(SchemeSlot("swing", q, (e, f), len(self.links) - 1))

    def triad(self) -> None:
        body = [self.point() for _ in range(3)]
        feet: list[int] = []
        for _ in body:
            feet.append(self.on(int(self.draw.integers(len(self.links))), *feet))
        self.links += [body, *map(list, zip(feet, body, strict=True))]

    def ends(self, link: int) -> tuple[int, int]:
        """Two points of a link, apart."""
        points = self.links[link]
        while len(points) < 2:
            points.append(self.point())
        a, b = self.draw.choice(points, 2, replace=False)
        return int(a), int(b)

    def scheme(self) -> Scheme:
        links = tuple(
            SchemeLink(f"link {n}", tuple(dict.fromkeys(p))) for n, p in enumerate(self.links)
        )
        at = np.array([(z.real, z.imag) for z in self.at])
        names = tuple(f"P{n}" for n in range(len(at)))
        return Scheme(names, at, links, tuple(self.slots), tuple(self.actuators))


def off(scheme: Scheme, P: np.ndarray) -> np.ndarray:
    """What distances in links and to slots are off in each state."""
    worst = np.zeros(P.shape[2])
    for link in scheme.links:
        for k, a in enumerate(link.points):
            for b in link.points[:k]:
                length = np.hypot(*(scheme.at[a] - scheme.at[b]))
                worst = np.maximum(worst, np.abs(np.hypot(*(P[a] - P[b])) - length))
    for slot in scheme.slots:
        a, b = slot.ends
        u = (P[b] - P[a]) / np.hypot(*(P[b] - P[a]))
        q = P[slot.point] - P[a]
        worst = np.maximum(worst, np.abs(u[0] * q[1] - u[1] * q[0]))
    return worst


@pytest.mark.parametrize("seed", range(200))
def test_links_stay_rigid_and_points_in_their_slots(seed: int) -> None:
    build = Builder(seed)
    for _ in range(4):
        kinds = [build.rrr, build.rrp, build.slider, build.rpr, build.swinging, build.triad]
        kinds[int(build.draw.integers(len(kinds)))]()
    scheme = build.scheme()
    planned = plan_linkage(scheme)
    assert planned.locked == () and planned.checked == ()
    start = np.angle((build.at[3] - build.at[0]) / (build.at[1] - build.at[0]))
    placed = place_states(planned, (start + np.linspace(0, 0.3, 31))[None])
    np.testing.assert_allclose(placed.P[:, :, 0], scheme.at, atol=1e-9)
    built = placed.failed == 0
    assert built[0]
    assert off(scheme, placed.P)[built].max() < LENGTHS
