"""Circuits of linkages in which dyads of one length fold and turn are not called complete."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assembly_solver as asm
from assembly_solver.linkages.circuits.circuit import Circuits
from assembly_solver.linkages.circuits.free_dyads import FreeDyads

WORDS = "links of one length, or a slide on its pins, may lie on each other and turn at crank"


def circuits(at: dict[str, complex], links: list[str], noise: float = 0.0) -> Circuits:
    """Of links by their pins, the frame first, driven between it and the second."""
    draw = np.random.default_rng(1)
    a = asm.Assembly()
    for name, z in at.items():
        place = np.array([z.real, z.imag]) + noise * draw.uniform(-1, 1, 2)
        a.pins(**{name: tuple(place.tolist())})
    for k, pins in enumerate(links):
        a.link(f"link{k}", pins, grounded=k == 0)
    a.drive("crank", at=links[1].split()[0], angle=(0, 360))
    return asm.linkage(a).circuits()


def apex(one: complex, two: complex, length: float) -> complex:
    """Of an isosceles triangle, left of its base."""
    half = (two - one) / 2
    return one + half + 1j * half / abs(half) * math.sqrt(length**2 - abs(half) ** 2)


def peaucellier() -> tuple[dict[str, complex], list[str]]:
    """Arms of 100 mm from O, a rhombus with sides of 68 mm, its near end on a circle through O."""
    q, near = 30 + 0j, 30 + 30 * np.exp(0.3j)
    along = (abs(near) ** 2 + 100.0**2 - 68.0**2) / (2 * abs(near))
    u, up = near / abs(near), math.sqrt(100.0**2 - along**2)
    b, d = u * complex(along, up), u * complex(along, -up)
    at = {"O": 0j, "Q": q, "P": near, "B": b, "D": d, "F": b + d - near}
    return at, ["Q O", "Q P", "O B", "O D", "B P", "D P", "B F", "D F"]


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-7, 1e-6, 1e-5])
@pytest.mark.parametrize("turned", [1.0, np.exp(2j)])
def test_arms_on_each_other_are_told_and_no_branches_are_made_of_rounding(
    noise: float, turned: complex
):
    at, links = peaucellier()
    found = circuits({n: z * turned + 7 - 3j for n, z in at.items()}, links, noise)
    assert not found.complete and found.words.startswith(WORDS)
    assert sum(len(c.branches) for c in found) == 4


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-7, 1e-6])
def test_a_kite_turns_where_its_crank_lies_on_the_frame(noise: float):
    at = {"A": 0j, "B": 60 * np.exp(0.7j), "D": 60 + 0j}
    at["C"] = apex(at["B"], at["D"], 40.0)
    found = circuits(at, ["A D", "A B", "B C", "C D"], noise)
    assert not found.complete and WORDS in found.words
    assert sum(len(c.branches) for c in found) == 2 or noise


def test_a_dyad_of_equal_links_whose_pins_never_meet_is_complete():
    at = {"A": 0j, "B": 30 * np.exp(0.7j), "D": 70 + 0j}
    at["C"] = apex(at["B"], at["D"], 60.0)
    found = circuits(at, ["A D", "A B", "B C", "C D"])
    assert found.complete and len(found) == 2


def test_all_minima_of_a_choice_of_signs_are_looked_into_at_once(monkeypatch: pytest.MonkeyPatch):
    def first(*args: Any) -> Any:
        first_of.append(0)
        return of_all(*args)

    def nearest(self: FreeDyads, signs: Any, dyads: Any, *args: Any) -> Any:
        first_of[-1] += 1
        minima.append(len(dyads))
        return of_some(self, signs, dyads, *args)

    first_of, minima = list[int](), list[int]()
    of_all, of_some = FreeDyads.first, FreeDyads._nearest
    monkeypatch.setattr(FreeDyads, "first", first)
    monkeypatch.setattr(FreeDyads, "_nearest", nearest)
    circuits(*peaucellier())
    assert max(first_of) == 1 and max(minima) > 2
